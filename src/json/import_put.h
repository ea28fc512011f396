/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Values into the document of an import, read and checked by the type that the field table has for
 * the key. A text that the key refuses becomes a comment with the reason; a number that makes no
 * sense is an error. A key that two foreign keys set is an error too.
 */

#include "json/import_walk.h"
#include "model/bindspec.h"

/* The foreign value under that key; unit stands behind a bare number (NULL: none). */
int import_put(struct import *im, const struct import_at *at, const char *to, const char *unit,
	const char *remark);
/* A text, or JSON5, in place of the foreign value. */
int import_put_text(struct import *im, const struct import_at *at, const char *to, const char *text,
	const char *remark);
int import_put_raw(struct import *im, const struct import_at *at, const char *to, const char *json5,
	const char *remark);
/* JSON5 that holds where the foreign file says nothing; what is set already stays. */
void import_put_default(struct import *im, struct import_agent *agent, enum import_part part,
	const char *to, const char *json5, const char *remark);

/* A list or map ('[' or '{') to which items are added one by one. */
int import_put_open(struct import *im, const struct import_at *at, const char *to, char open,
	const char *remark, struct import_entry **ret);
void import_put_item(
	struct import *im, const struct import_at *at, struct import_entry *list, const char *text);
void import_put_pair(struct import *im, const struct import_at *at, struct import_entry *map,
	const char *key, const char *text);
/* The same for a list or map that may be there already; the remark of the first counts. */
struct import_entry *import_put_extend(struct import *im, const struct import_at *at,
	const char *to, char open, const char *remark);
/* A bind in ward's form; what may not be bound becomes a comment. Of the rules, the exceptions
 * count. */
void import_put_bind(struct import *im, struct import_entry *list,
	const struct bindspec_rules *exceptions, const char *text);
/* A foreign name for where the workspace is seen: a note, since ward has one place for it. */
int import_put_workspace_place(struct import *im, const struct import_at *at);
