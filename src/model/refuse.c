/* SPDX-License-Identifier: Apache-2.0 */
#include "model/refuse.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define SHOWN_MAX 100

int refuse_text(struct err *e, const char *text, const char *fmt, ...)
{
	auto_(buf_free) struct buf shown = BUF(SHOWN_MAX);
	char reason[sizeof(e->text)];
	va_list ap;

	if (!e) /* only asked whether */
		return -EINVAL;
	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	escape_text(&shown, text);
	return err_set(
		e, EINVAL, "'%s%s': %s", buf_text(&shown), shown.dropped ? "..." : "", reason);
}
