/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Field tables: one row describes one value of a struct and serves the configuration reader, the
 * command line, help, completion, the JSON Schema, the documents and the checks of the man pages. A
 * row that names a member of another type does not compile. A table ends with an empty row.
 *
 * Every value carries where it was written; `at.source == NULL` means nobody wrote it. All value
 * types below start with that member, so that code which only asks "is it set, by whom" needs no
 * types.
 */

#include "base/buf.h"
#include "base/macro.h"
#include "base/number.h"
#include "base/where.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct item {
	const char *text;
	struct where at;
};

struct entry; /* one row of a map: key and either a text or a list */

struct opt_bool {
	struct where at;
	bool v;
};
struct opt_enum {
	struct where at;
	int v;
};
struct opt_number { /* counts, sizes (bytes), durations (ms), cpus (thousandths) */
	struct where at;
	uint64_t v;
};
struct opt_rate {
	struct where at;
	struct rate v;
};
struct opt_text {
	struct where at;
	const char *v;
};
struct opt_list {
	struct where at;
	const struct item *items;
	size_t count;
};
struct opt_map {
	struct where at;
	const struct entry *entries;
	size_t count;
};
struct opt_special { /* a shape of its own; the field's module knows it */
	struct where at;
	const void *v;
};

struct entry {
	const char *key;
	struct where at;
	struct item text;     /* FIELD_MAP */
	struct opt_list list; /* FIELD_LISTMAP */
};

enum field_type {
	FIELD_END,
	FIELD_BOOL,
	FIELD_ENUM,
	FIELD_COUNT,
	FIELD_SIZE,
	FIELD_DURATION,
	FIELD_CPUS,
	FIELD_RATE,
	FIELD_TEXT,
	FIELD_LIST,    /* of texts */
	FIELD_MAP,     /* name -> text */
	FIELD_LISTMAP, /* name -> list of texts */
	FIELD_OBJECT,  /* a table of its own, embedded at the offset */
	FIELD_SPECIAL, /* read by the function that is registered for the row's name */
	FIELD_TYPES
};

/* Which of two values is the tighter one; see model/order.h. */
enum order {
	ORDER_FIXED,  /* no value is tighter than another: the value may not change at all */
	ORDER_NAMES,  /* an enum whose names stand in order, tightest first */
	ORDER_LESS,   /* a smaller number is tighter; 0 is the loosest if `zero_unlimited` */
	ORDER_TRUE,   /* true is tighter */
	ORDER_FALSE,  /* false is tighter */
	ORDER_FEWER,  /* a list that grants: fewer items are tighter */
	ORDER_MORE,   /* a list that forbids: more items are tighter; levels add up */
	ORDER_SPECIAL /* decided in code, by name */
};

/* What a key does in this version; `ward config schema --support` prints it. */
enum support {
	SUPPORT_NONE,    /* known, but using it is an error: not yet supported */
	SUPPORT_EXPLAIN, /* checked, merged and shown in what would happen, but not yet enforced */
	SUPPORT_FULL     /* takes part in decisions, or is enforced */
};

struct field {
	const char *name;
	enum field_type type;
	uint32_t offset;
	uint8_t order;       /* enum order */
	uint8_t support;     /* enum support */
	bool zero;           /* the number 0 is allowed */
	bool zero_unlimited; /* ... and means "no limit", the loosest value */
	bool append;         /* lists of later levels are added, not put in place of earlier ones */
	char letter;         /* command line: -x */
	const char *shorthand;      /* OBJECT: the member that a plain value in its place means */
	const struct field *fields; /* OBJECT: its table */
	const char *const *names;   /* ENUM: in order of the enum, NULL at the end */
	int (*check)(const char *text, struct err *e);     /* TEXT, LIST, MAP: each text */
	int (*check_key)(const char *text, struct err *e); /* MAP, LISTMAP: each key */
	/* LIST: does one item grant everything that the other grants? NULL: only when they are
	 * equal. */
	bool (*covers)(const char *outer, const char *inner);
	void (*show)(struct buf *out, const void *value); /* SPECIAL: as JSON */
	const char *arg;      /* help: what stands for the value, as in --session KEY */
	const char *fallback; /* the default, for documents */
	const char *help;     /* one line */
};

#define F_AT(s, m, type) .offset = (uint32_t)(offsetof(s, m) + MEMBER_IS(s, m, type))
#define F_BOOL(s, m, ...) .type = FIELD_BOOL, F_AT(s, m, struct opt_bool), __VA_ARGS__
#define F_ENUM(s, m, list, ...) \
	.type = FIELD_ENUM, F_AT(s, m, struct opt_enum), .names = (list), __VA_ARGS__
#define F_COUNT(s, m, ...) .type = FIELD_COUNT, F_AT(s, m, struct opt_number), __VA_ARGS__
#define F_SIZE(s, m, ...) .type = FIELD_SIZE, F_AT(s, m, struct opt_number), __VA_ARGS__
#define F_DURATION(s, m, ...) .type = FIELD_DURATION, F_AT(s, m, struct opt_number), __VA_ARGS__
#define F_CPUS(s, m, ...) .type = FIELD_CPUS, F_AT(s, m, struct opt_number), __VA_ARGS__
#define F_RATE(s, m, ...) .type = FIELD_RATE, F_AT(s, m, struct opt_rate), __VA_ARGS__
#define F_TEXT(s, m, ...) .type = FIELD_TEXT, F_AT(s, m, struct opt_text), __VA_ARGS__
#define F_LIST(s, m, ...) .type = FIELD_LIST, F_AT(s, m, struct opt_list), __VA_ARGS__
#define F_MAP(s, m, ...) .type = FIELD_MAP, F_AT(s, m, struct opt_map), __VA_ARGS__
#define F_LISTMAP(s, m, ...) .type = FIELD_LISTMAP, F_AT(s, m, struct opt_map), __VA_ARGS__
#define F_SPECIAL(s, m, ...) .type = FIELD_SPECIAL, F_AT(s, m, struct opt_special), __VA_ARGS__
#define F_OBJECT(s, m, table, ...) \
	.type = FIELD_OBJECT, .offset = (uint32_t)offsetof(s, m), .fields = (table), __VA_ARGS__

/* The value of a row inside its struct. */
static inline void *field_at(const struct field *f, const void *base)
{
	return (char *)base + f->offset;
}
static inline const struct where *field_where(const struct field *f, const void *base)
{
	return (const struct where *)field_at(f, base);
}

/* The row with that name, or NULL. */
const struct field *field_find(const struct field *table, const char *name);
/*
 * The row for a dotted path such as "resources.memory", also when it names an object; *io_base
 * moves to the struct that the row belongs to. Both io_base and *io_base may be NULL.
 */
const struct field *field_find_path(
	const struct field *table, const char *path, const void **io_base);
/* The row whose name is closest, for "did you mean"; NULL when none is close. */
const char *field_nearest(const struct field *table, const char *name);
/* Reads the number of a COUNT, SIZE, DURATION or CPUS; see base/number.h. */
int field_number(enum field_type type, const char *text, uint64_t *ret, struct err *e);
/* Of the value type; 0 for an object. */
size_t field_value_size(enum field_type type);

/*
 * Calls fn for every row that is no object, in order, with its dotted path and the struct that the
 * row belongs to (NULL when base is NULL); stops at the first non-zero answer and returns it. A
 * path of FIELD_PATH bytes or more is -ENAMETOOLONG.
 */
#define FIELD_PATH 128
typedef int field_visit(const char *path, const struct field *f, const void *base, void *ctx);
int field_each(const struct field *table, const void *base, field_visit *fn, void *ctx);
