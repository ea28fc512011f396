/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The tables of a TOML document while it is being read. TOML may come back to a table later in the
 * text, so tables are kept as lists of pairs that can still grow, and become nodes at the end. All
 * pairs of all tables are found through one hash table, so that a big file does not cost time
 * squared. Everything lives in the arena but the hash table, which toml_tables_free releases.
 * Called by toml_parse only.
 */

#include "base/mem.h"
#include "json/toml_lex.h"
#include "json/tree.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Who may add to a table:
 *   implicit  named on the way to another one ([a.b] makes a): a header or a dotted key may define
 * it header    [a], or one element of [[a]]: only the lines below it dotted    a.b = 1 makes a:
 * only dotted keys of the same section
 */
enum toml_kind { TOML_IMPLICIT, TOML_HEADER, TOML_DOTTED };

struct toml_pair;
struct toml_table {
	enum toml_kind kind;
	unsigned section; /* DOTTED: the header or inline table whose lines made it */
	unsigned depth;   /* the root is 1 */
	uint32_t id;
	uint32_t line;
	uint32_t column;
	uint32_t count;
	struct toml_pair *first;
	struct toml_pair *last;
	struct toml_table *next; /* in an array of tables */
};

struct toml_list {
	struct toml_table *first;
	struct toml_table *last;
	uint32_t count;
};

struct toml_pair {
	struct toml_pair *next;
	const struct toml_table *owner;
	struct toml_key key;
	struct toml_table *table; /* a table that may grow, or */
	struct toml_list *list;   /* an array of tables that may grow, or */
	struct node value;        /* a closed value */
};

struct toml_tables {
	struct arena *arena;
	struct toml_pair **slots;
	size_t slot_count; /* a power of two */
	size_t pair_count;
	uint32_t table_count;
};

void toml_tables_init(struct toml_tables *ts, struct arena *a);
void toml_tables_free(struct toml_tables *ts);

struct toml_table *toml_table_new(struct toml_tables *ts, enum toml_kind kind, unsigned depth,
	uint32_t line, uint32_t column);
struct toml_pair *toml_table_find(
	const struct toml_tables *ts, const struct toml_table *t, const char *key);
/* The key must not be there yet. */
struct toml_pair *toml_table_add(
	struct toml_tables *ts, struct toml_table *t, const struct toml_key *key);
/* One more element of an array of tables, which is made with its first. */
void toml_table_append(struct toml_tables *ts, struct toml_pair *pair, struct toml_table *element);
/* As an object. Deep at most TREE_MAX_DEPTH: the reader makes nothing deeper. */
void toml_table_freeze(struct toml_tables *ts, const struct toml_table *t, struct node *ret);
