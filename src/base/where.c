/* SPDX-License-Identifier: Apache-2.0 */
#include "base/where.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define POSITION_TEXT sizeof(":4294967295:4294967295")
#define DOTS "..."

static void position(const struct where *at, char out[POSITION_TEXT])
{
	out[0] = '\0';
	if (at->line && at->column)
		snprintf(out, POSITION_TEXT, ":%" PRIu32 ":%" PRIu32, at->line, at->column);
	else if (at->line)
		snprintf(out, POSITION_TEXT, ":%" PRIu32, at->line);
}

static bool is_inside_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The longest end of the name that fits once it is escaped; cut between characters. */
static void put_tail(struct buf *out, const char *name)
{
	size_t len = strlen(name), room = out->max - strlen(DOTS);

	name += len > room ? len - room : 0;
	for (;; name++) {
		if (is_inside_character(*name))
			continue;
		buf_reset(out);
		buf_puts(out, DOTS);
		escape_text(out, name);
		if (!out->dropped)
			return;
	}
}

void where_text(const struct where *at, char out[WHERE_TEXT])
{
	const char *name = at->source ? at->source->name : "not set";
	char end[POSITION_TEXT];

	position(at, end);

	auto_(buf_free) struct buf shown = BUF(WHERE_TEXT - 1 - strlen(end));

	escape_text(&shown, name);
	if (shown.dropped)
		put_tail(&shown, name);
	snprintf(out, WHERE_TEXT, "%s%s", buf_text(&shown), end);
}
