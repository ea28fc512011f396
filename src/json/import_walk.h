/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The foreign side of an import: each object of a foreign format is a table of its keys, and every
 * member of the object is looked up there. A row says where the value goes, or calls a function, or
 * says why there is no equal; a member without a row is noted as unknown. So nothing is left out in
 * silence.
 */

#include "base/err.h"
#include "base/macro.h"
#include "base/mem.h"
#include "json/import_doc.h"
#include "json/tree.h"

#include <stdbool.h>
#include <stddef.h>

/* One import. Everything that it makes lives in its arena. */
struct import {
	struct arena arena;
	const char *system;
	const char *name; /* of the foreign file */
	const struct node *root;
	struct import_doc doc;
	struct err *e;
};

struct import_key;

/* One value of the foreign file, and the agent that it speaks of. */
struct import_at {
	const char *parent; /* path of the object that it stands in; "" at the top */
	const char *key;
	const struct node *node;
	struct import_agent *agent;
	enum import_part part;        /* where its values and notes go, */
	struct import_notes *notes;   /* unless these are set */
	const struct import_key *row; /* NULL: not from a table */
};

typedef int import_fn(struct import *im, const struct import_at *at);

/* A foreign word and what it is here. */
struct import_word {
	const char *from;
	const char *to;
	const char *remark;
};

/* Exactly one of to, keys, read and note says what becomes of the key. */
struct import_key {
	const char *name;
	const char *to; /* the key that takes the value, below `part` */
	const struct import_word
		*words;     /* with to: the only texts there are; ends with an empty row */
	const char *unit;   /* with to: behind a bare number; "h" makes 24 to 24h */
	const char *remark; /* with to */
	const struct import_key *keys; /* an object with a table of its own */
	import_fn *read;
	const char *note; /* why there is no equal */
};

/* "name:line:column: path: what"; returns -EINVAL. */
int import_fail(struct import *im, const struct import_at *at, const char *fmt, ...)
	printf_like(3, 4);
int import_wrong_type(struct import *im, const struct import_at *at, const char *wanted);
/* Why this key has no equal. */
void import_note(struct import *im, const struct import_at *at, const char *fmt, ...)
	printf_like(3, 4);

/* For rows whose key is read together with its neighbours, by whoever walks the object. */
import_fn import_skip;

/* Every member of the object by that table, which ends with an empty row. */
int import_walk(struct import *im, const struct import_at *object, const struct import_key *keys);
/* The member of an object as a value of its own; false when it is absent or null. */
bool import_member(
	struct import *im, const struct import_at *object, const char *key, struct import_at *ret);
/* Member i of an object; false when it is null. */
bool import_member_at(
	struct import *im, const struct import_at *object, uint32_t i, struct import_at *ret);
/* Item i of a list; its key is key[i]. */
struct import_at import_item(struct import *im, const struct import_at *list, uint32_t i);

/* What stands there; wrong types are errors, and so is a word that is in no row. */
int import_text(struct import *im, const struct import_at *at, const char **ret);
int import_bool(struct import *im, const struct import_at *at, bool *ret);
int import_find_word(struct import *im, const struct import_at *at, const struct import_word *words,
	const struct import_word **ret);
int import_object(struct import *im, const struct import_at *at);
int import_list(struct import *im, const struct import_at *at);
