/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <string.h>

#define WORD_MAX 64
#define NAME_MAX_LEN 64

bool str_eq(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	return strcmp(a, b) == 0;
}

bool str_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *text, const char *suffix)
{
	size_t len = strlen(text), tail = strlen(suffix);

	return tail <= len && memcmp(text + len - tail, suffix, tail) == 0;
}

bool str_in(const char *text, const char *const *list)
{
	for (size_t i = 0; list[i]; i++)
		if (strcmp(text, list[i]) == 0)
			return true;
	return false;
}

/* Of ASCII only: names are ASCII, and the locale has no say. */
static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(char a, char b)
{
	return lower(a) == lower(b);
}

static size_t min2(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][WORD_MAX + 1];

	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			size_t best = up[j - 1] + !same(a[i - 1], b[j - 1]);

			best = min2(best, min2(up[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				best = min2(best, up2[j - 2] + 1);
			row[j] = best;
		}
	}
	return rows[a_len % 3][b_len];
}

static size_t tolerance(size_t len)
{
	if (len <= 4)
		return 1;
	return len <= 8 ? 2 : 3;
}

const char *str_nearest(
	const char *word, const char *(*names)(size_t i, const void *ctx), const void *ctx)
{
	size_t len = strlen(word);
	size_t best = tolerance(len) + 1;
	const char *found = NULL, *name;

	if (len > WORD_MAX)
		return NULL;
	for (size_t i = 0; (name = names(i, ctx)); i++) {
		size_t name_len = strlen(name);

		if (name_len > WORD_MAX)
			continue;

		size_t d = distance(word, len, name, name_len);

		/* Words that share no letter are not a typing error of each other. */
		if (d < best && (d == 0 || d < (len > name_len ? len : name_len))) {
			best = d;
			found = name;
		}
	}
	return found;
}

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

bool str_is_name(const char *text)
{
	size_t len = 0;

	if (!is_word_char(text[0]))
		return false;
	for (; text[len]; len++)
		if (len == NAME_MAX_LEN ||
			!(is_word_char(text[len]) || text[len] == '.' || text[len] == '-'))
			return false;
	return text[len - 1] != '.';
}

bool str_is_slip(const char *word, const char *name)
{
	size_t len = strlen(word), name_len = strlen(name);

	return len <= WORD_MAX && name_len <= WORD_MAX && distance(word, len, name, name_len) == 1;
}

int str_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}
