/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX sizeof(((struct err *)0)->text)

/* The longest prefix of text that is at most len bytes and does not end inside a character, which
 * has three bytes at most after its first; len is larger than that. */
static size_t boundary(const char *text, size_t len)
{
	size_t cut = len;

	while (len - cut < 3 && ((unsigned char)text[cut] & 0xc0) == 0x80)
		cut--;
	return cut;
}

/* What was printed into a full buffer ends with "..." so that nobody takes it for the whole. */
static void mark_cut(char text[TEXT_MAX], int wanted)
{
	static const char dots[] = "...";

	if (wanted < 0)
		text[0] = '\0';
	else if ((size_t)wanted >= TEXT_MAX)
		memcpy(text + boundary(text, TEXT_MAX - sizeof(dots)), dots, sizeof(dots));
}

/* By way of a copy: the arguments may point into e->text. */
static void fill(struct err *e, int code, const char *text)
{
	e->code = code;
	memcpy(e->text, text, strlen(text) + 1);
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	if (!e)
		return -code;
	va_start(ap, fmt);
	mark_cut(text, vsnprintf(text, sizeof(text), fmt, ap));
	va_end(ap);
	fill(e, code, text);
	return -code;
}

int err_sys(struct err *e, int r, const char *fmt, ...)
{
	char what[TEXT_MAX], text[TEXT_MAX];
	va_list ap;

	if (!e)
		return r;
	va_start(ap, fmt);
	mark_cut(what, vsnprintf(what, sizeof(what), fmt, ap));
	va_end(ap);
	mark_cut(text, snprintf(text, sizeof(text), "%s: %s", what, strerror(-r)));
	fill(e, -r, text);
	return r;
}

int err_ctx(struct err *e, int r, const char *fmt, ...)
{
	char context[TEXT_MAX], text[TEXT_MAX];
	va_list ap;

	if (!e || r >= 0)
		return r;
	va_start(ap, fmt);
	mark_cut(context, vsnprintf(context, sizeof(context), fmt, ap));
	va_end(ap);
	/* An error that nobody filled still says why. */
	const char *why = e->code ? e->text : strerror(-r);
	mark_cut(text, snprintf(text, sizeof(text), "%s: %s", context, why));
	fill(e, e->code ? e->code : -r, text);
	return r;
}
