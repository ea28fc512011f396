/* SPDX-License-Identifier: Apache-2.0 */
#include "model/order.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/show.h"

#include <string.h>

/* Two values are the same when they read the same. */
bool order_equal(const struct field *f, const void *a, const void *b)
{
	auto_(buf_free) struct buf x = BUF(SIZE_MAX), y = BUF(SIZE_MAX);

	if (!((const struct where *)a)->source || !((const struct where *)b)->source)
		return false;
	show_value(&x, f, a);
	show_value(&y, f, b);
	return x.dropped == 0 && y.dropped == 0 && strcmp(buf_text(&x), buf_text(&y)) == 0;
}

/* A rate per hour, so that 60/m and 1/s compare. Counts are bounded by the reader. */
static uint64_t per_hour(const struct rate *r)
{
	return r->count > UINT64_MAX / 3600 ? UINT64_MAX : r->count * (3600 / r->seconds);
}

static uint64_t as_number(const struct field *f, const void *value)
{
	uint64_t v;

	if (f->type == FIELD_RATE)
		return per_hour(&((const struct opt_rate *)value)->v);
	v = ((const struct opt_number *)value)->v;
	return v == 0 && f->zero_unlimited ? UINT64_MAX : v;
}

bool order_item_within(const struct field *f, const char *inner, const struct opt_list *outer)
{
	for (size_t i = 0; i < outer->count; i++) {
		const char *text = outer->items[i].text;

		if (strcmp(text, inner) == 0 || (f->covers && f->covers(text, inner)))
			return true;
	}
	return false;
}

static bool fewer(const struct field *f, const struct opt_list *inner, const struct opt_list *outer)
{
	for (size_t i = 0; i < inner->count; i++)
		if (!order_item_within(f, inner->items[i].text, outer))
			return false;
	return true;
}

bool order_within(const struct field *f, const void *inner, const void *outer)
{
	bool unset = !((const struct where *)outer)->source;

	switch ((enum order)f->order) {
	case ORDER_NAMES:
		return unset ||
		       ((const struct opt_enum *)inner)->v <= ((const struct opt_enum *)outer)->v;
	case ORDER_LESS:
		return unset || as_number(f, inner) <= as_number(f, outer);
	case ORDER_TRUE:
		return unset ||
		       ((const struct opt_bool *)inner)->v >= ((const struct opt_bool *)outer)->v;
	case ORDER_FALSE:
		return ((const struct opt_bool *)inner)->v <=
		       (!unset && ((const struct opt_bool *)outer)->v);
	case ORDER_FEWER:
		return fewer(f, inner, outer);
	case ORDER_MORE:
		return true;
	case ORDER_FIXED:
	case ORDER_SPECIAL:
		break;
	}
	return order_equal(f, inner, outer);
}
