/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Nodes of a tree into structs, by field tables. A bind knows where it is (for error texts) and who
 * wrote the text. Used by the configuration reader.
 */

#include "base/err.h"
#include "base/field.h"
#include "base/mem.h"
#include "json/tree.h"

#define BIND_DEPTH 16
/* Of one list or map. Lists are compared item by item, so a file must not choose the number. */
#define BIND_MAX_ITEMS 4096
#define BIND_KNOWN 64

/* A text that a check has found right. */
struct known_text {
	int (*check)(const char *text, struct err *e);
	const char *text;
};

struct bind {
	struct arena *arena;
	const struct source *source;
	bool take_unsupported;
	bool words;                   /* of a command line, where true may be a text */
	const char *keys[BIND_DEPTH]; /* the path to what is read now */
	unsigned depth;
	/* Many agents repeat the same rules: each text is judged once, as long as it is remembered.
	 */
	struct known_text known[BIND_KNOWN];
	struct err *e;
};

void bind_enter(struct bind *b, const char *key);
void bind_leave(struct bind *b);
struct where bind_where(const struct bind *b, uint32_t line, uint32_t column);

/* An object's members into the struct that the table describes. */
int bind_object(struct bind *b, const struct field *table, void *base, const struct node *node);
/* One member, whose key is a row of the table. */
int bind_member(struct bind *b, const struct field *table, void *base, const struct member *m);

/* Errors: "file:line:column: path: what". All return a negative errno. */
int bind_fail(struct bind *b, uint32_t line, uint32_t column, const char *fmt, ...)
	printf_like(4, 5);
int bind_wrong_type(struct bind *b, const struct node *node, const char *wanted);
int bind_unknown_key(struct bind *b, const struct member *m, const char *nearest);

/* Are there no more than BIND_MAX_ITEMS in a list or object? */
int bind_count(struct bind *b, const struct node *node);
/* A list of texts, each passed through the check. */
int bind_list(struct bind *b, const struct field *f, const struct node *node, struct opt_list *ret);
