/* SPDX-License-Identifier: Apache-2.0 */
#include "base/show.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

/* As one unit, so that a full buffer ends between characters. */
static void show_character(struct buf *out, uint32_t c, const char *bytes, size_t len)
{
	static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
	const char *known = c < 0x80 && c ? strchr(plain, (int)c) : NULL;
	char unit[16];
	int n = 0;

	if (known) { /* ends of lines are common: no need for a format */
		unit[0] = '\\';
		unit[1] = letter[known - plain];
		n = 2;
	} else if (c >= 0x10000 && utf8_is_deceptive(c))
		n = snprintf(unit, sizeof unit, "\\u%04x\\u%04x",
			(unsigned)(0xd800 + ((c - 0x10000) >> 10)),
			(unsigned)(0xdc00 + ((c - 0x10000) & 0x3ff)));
	else if (c != ' ' && utf8_is_deceptive(c))
		n = snprintf(unit, sizeof unit, "\\u%04x", (unsigned)c);
	if (n > 0)
		buf_add_whole(out, unit, (size_t)n);
	else
		buf_add_whole(out, bytes, len);
}

#define EACH(byte) (UINT64_MAX / 255 * (byte))

/* Is one of these eight bytes below `limit`, which is at most 0x80? */
static uint64_t has_below(uint64_t eight, uint8_t limit)
{
	return (eight - EACH(limit)) & ~eight & EACH(0x80);
}

static bool is_plain(uint64_t eight)
{
	return !(eight & EACH(0x80)) && !has_below(eight, ' ') &&
	       !has_below(eight ^ EACH('"'), 1) && !has_below(eight ^ EACH('\\'), 1) &&
	       !has_below(eight ^ EACH(0x7f), 1);
}

/* How many bytes from here on stand for themselves: most of a text, so eight at a time. */
static size_t plain_run(const char *p, const char *end)
{
	const char *start = p;
	uint64_t eight;

	for (; end - p >= 8; p += 8) {
		memcpy(&eight, p, sizeof eight);
		if (!is_plain(eight))
			break;
	}
	while (p < end && *p >= ' ' && *p < 0x7f && *p != '"' && *p != '\\')
		p++;
	return (size_t)(p - start);
}

void show_bytes(struct buf *out, const char *data, size_t size)
{
	const char *end = data + size;

	buf_putc(out, '"');
	while (data < end) {
		uint32_t c;
		size_t len = plain_run(data, end);

		if (len > 0) {
			buf_add(out, data, len);
		} else if ((len = utf8_decode(data, (size_t)(end - data), &c)) > 0) {
			show_character(out, c, data, len);
		} else {
			buf_add_whole(out, "\\ufffd", 6);
			len = 1;
		}
		data += len;
	}
	buf_putc(out, '"');
}

void show_string(struct buf *out, const char *text)
{
	show_bytes(out, text, strlen(text));
}

static void show_number(struct buf *out, const struct field *f, uint64_t v)
{
	char text[NUMBER_TEXT];

	if (f->type == FIELD_COUNT) {
		buf_printf(out, "%llu", (unsigned long long)v);
		return;
	}
	if (f->type == FIELD_SIZE)
		number_size_text(v, text);
	else if (f->type == FIELD_DURATION)
		number_duration_text(v, text);
	else
		number_cpus_text(v, text);
	if (f->type == FIELD_CPUS)
		buf_puts(out, text);
	else
		show_string(out, text);
}

static void show_list(struct buf *out, const struct item *items, size_t count)
{
	buf_putc(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			buf_puts(out, ", ");
		show_string(out, items[i].text);
	}
	buf_putc(out, ']');
}

static void show_map(struct buf *out, const struct field *f, const struct opt_map *map)
{
	buf_putc(out, '{');
	for (size_t i = 0; i < map->count; i++) {
		const struct entry *row = &map->entries[i];

		if (i > 0)
			buf_puts(out, ", ");
		show_string(out, row->key);
		buf_puts(out, ": ");
		if (f->type == FIELD_LISTMAP)
			show_list(out, row->list.items, row->list.count);
		else
			show_string(out, row->text.text);
	}
	buf_putc(out, '}');
}

static void show_rate(struct buf *out, const struct rate *rate)
{
	char text[NUMBER_TEXT];

	number_rate_text(rate, text);
	show_string(out, text);
}

void show_value(struct buf *out, const struct field *f, const void *value)
{
	switch (f->type) {
	case FIELD_BOOL:
		buf_puts(out, ((const struct opt_bool *)value)->v ? "true" : "false");
		break;
	case FIELD_ENUM:
		show_string(out, f->names[((const struct opt_enum *)value)->v]);
		break;
	case FIELD_COUNT:
	case FIELD_SIZE:
	case FIELD_DURATION:
	case FIELD_CPUS:
		show_number(out, f, ((const struct opt_number *)value)->v);
		break;
	case FIELD_RATE:
		show_rate(out, &((const struct opt_rate *)value)->v);
		break;
	case FIELD_TEXT:
		show_string(out, ((const struct opt_text *)value)->v);
		break;
	case FIELD_LIST:
		show_list(out, ((const struct opt_list *)value)->items,
			((const struct opt_list *)value)->count);
		break;
	case FIELD_MAP:
	case FIELD_LISTMAP:
		show_map(out, f, value);
		break;
	case FIELD_SPECIAL:
		f->show(out, ((const struct opt_special *)value)->v);
		break;
	case FIELD_END:
	case FIELD_OBJECT:
	case FIELD_TYPES:
		break;
	}
}
