/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The arguments of a tool: an object of a message into a struct, by a table, and the table as a
 * JSON Schema. Strict: unknown keys, wrong types, missing arguments and numbers beyond their bounds
 * are errors that name the argument. Every text is copied into the arena. Called by the door.
 */

#include "base/err.h"
#include "base/macro.h"
#include "base/mem.h"
#include "json/tree.h"
#include "json/write.h"

enum arg_type {
	ARG_TEXT,   /* const char *; NULL: not given */
	ARG_NUMBER, /* struct arg_number */
	ARG_BOOL,   /* bool; false: not given */
	ARG_TEXTS,  /* struct arg_texts */
	ARG_MAP,    /* struct arg_texts, each as NAME=VALUE */
	ARG_CHOICE, /* int: the place in `names`; -1: not given */
	ARG_TYPES
};

struct arg_number {
	bool given;
	uint64_t v;
};

struct arg_texts {
	const char *const *v; /* NULL at the end; NULL: not given */
	size_t count;
};

struct arg {
	const char *name;
	enum arg_type type;
	uint32_t offset;
	bool required;
	uint64_t min, max;        /* NUMBER; max 0: none */
	const char *const *names; /* CHOICE; NULL at the end */
	const char *help;
};

#define A_AT(s, m, t) .offset = (uint32_t)(offsetof(s, m) + MEMBER_IS(s, m, t))
#define A_TEXT(s, m, ...) .type = ARG_TEXT, A_AT(s, m, const char *), __VA_ARGS__
#define A_NUMBER(s, m, ...) .type = ARG_NUMBER, A_AT(s, m, struct arg_number), __VA_ARGS__
#define A_BOOL(s, m, ...) .type = ARG_BOOL, A_AT(s, m, bool), __VA_ARGS__
#define A_TEXTS(s, m, ...) .type = ARG_TEXTS, A_AT(s, m, struct arg_texts), __VA_ARGS__
#define A_MAP(s, m, ...) .type = ARG_MAP, A_AT(s, m, struct arg_texts), __VA_ARGS__
#define A_CHOICE(s, m, list, ...) .type = ARG_CHOICE, A_AT(s, m, int), .names = (list), __VA_ARGS__

#define ARGS_MOST_ITEMS 4096 /* of one list or map */

/* object may be NULL: none was given. ret must be zeroed. */
int args_read(const struct arg *table, const struct node *object, struct arena *a, void *ret,
	struct err *e);
/* The schema of the whole object. */
void args_schema(const struct arg *table, struct writer *w, const char *key);
