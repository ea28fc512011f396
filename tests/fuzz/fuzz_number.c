/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Every number parser on the same text. Whatever is accepted must read back from the text that ward
 * itself would write for it; whatever is refused must leave the result alone and say why in a clean
 * sentence.
 */

#include "base/number.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define UNTOUCHED UINT64_C(0x5a5a5a5a5a5a5a5a)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct kind {
	int (*parse)(const char *text, uint64_t *ret, struct err *e);
	void (*print)(uint64_t value, char out[NUMBER_TEXT]);
};

static const struct kind kinds[] = {
	{number_count, NULL},
	{number_size, number_size_text},
	{number_duration, number_duration_text},
	{number_cpus, number_cpus_text},
};

static void require(int holds)
{
	if (!holds)
		abort();
}

static void check_refusal(int r, const struct err *e)
{
	size_t len = strlen(e->text);
	uint32_t c;

	require(r < 0 && e->code == -r && len > 0);
	for (size_t i = 0, step; i < len; i += step) {
		step = utf8_decode(e->text + i, len - i, &c);
		require(step > 0 && !utf8_is_deceptive(c));
	}
}

static void check_kind(const struct kind *kind, const char *text)
{
	uint64_t value = UNTOUCHED, back = UNTOUCHED;
	struct err e = {0};
	char printed[NUMBER_TEXT];
	int r = kind->parse(text, &value, &e);

	if (r != 0) {
		check_refusal(r, &e);
		require(value == UNTOUCHED);
		return;
	}
	require(e.code == 0);
	if (!kind->print)
		return;
	kind->print(value, printed);
	require(kind->parse(printed, &back, NULL) == 0 && back == value);
}

static void check_rate(const char *text)
{
	struct rate rate = {UNTOUCHED, 7}, back = {0};
	struct err e = {0};
	char printed[NUMBER_TEXT];
	int r = number_rate(text, &rate, &e);

	if (r != 0) {
		check_refusal(r, &e);
		require(rate.count == UNTOUCHED && rate.seconds == 7);
		return;
	}
	require(rate.count > 0);
	number_rate_text(&rate, printed);
	require(number_rate(printed, &back, NULL) == 0);
	require(back.count == rate.count && back.seconds == rate.seconds);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_alloc(size + 1);

	if (size)
		memcpy(text, data, size);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		check_kind(&kinds[i], text);
	check_rate(text);
	free(text);
	return 0;
}
