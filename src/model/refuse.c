/* SPDX-License-Identifier: Apache-2.0 */
#include "model/refuse.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define SHOWN_MAX 100

int refuse_text(struct err *e, const char *text, const char *fmt, ...)
{
	auto_(buf_free) struct buf shown = BUF(SHOWN_MAX);
	char reason[sizeof(e->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	escape_text(&shown, text);
	return err_set(
		e, EINVAL, "'%s%s': %s", buf_text(&shown), shown.dropped ? "..." : "", reason);
}

static const char *word_at(size_t i, const void *words)
{
	return ((const char *const *)words)[i];
}

int refuse_word(struct err *e, const char *text, const char *const *words, const char *right)
{
	const char *near = str_nearest(text, word_at, words);

	if (near)
		return refuse_text(e, text, "unknown; did you mean '%s'?", near);
	return refuse_text(e, text, "unknown; %s", right);
}
