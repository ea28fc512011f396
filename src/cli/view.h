/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How things look: headings, aligned rows, colours (only on a terminal). Foreign text is escaped
 * here. */

#include "base/where.h"
#include "cli/cli.h"

enum view_tone { VIEW_PLAIN, VIEW_GOOD, VIEW_CARE, VIEW_BAD, VIEW_DIM, VIEW_BOLD };

void view_heading(struct call *c, const char *text);
/* "  name            value", value escaped. */
void view_row(struct call *c, const char *name, const char *value);
/* The same with the place it was written at, unless it is built in. */
void view_row_at(struct call *c, const char *name, const char *value, const struct where *at);
void view_tone(struct call *c, enum view_tone tone, const char *text); /* not escaped */
void view_where(struct call *c, const struct where *at);               /* "  [file:1:2]", dim */
void view_texts(
	struct call *c, const char *name, const char *const *texts); /* wrapped; NULL ends */
/* The items of a list, wrapped, and where the list was written. */
void view_list_at(struct call *c, const char *name, const struct opt_list *list);
