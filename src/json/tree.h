/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A parsed document: a tree of nodes, each with line and column, all owned by one arena. Texts are
 * valid UTF-8 without NUL. Numbers keep their spelling; whoever knows the wanted type reads it.
 * Made by json5_parse and toml_parse; read by the configuration reader and the importers.
 */

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum node_type {
	NODE_NULL,
	NODE_BOOL,
	NODE_NUMBER,
	NODE_TEXT,
	NODE_ARRAY,
	NODE_OBJECT,
	NODE_TYPES
};

struct member;
struct node {
	enum node_type type;
	uint32_t line;   /* from 1 */
	uint32_t column; /* from 1, in characters */
	uint32_t count;  /* ARRAY, OBJECT: how many */
	union {
		bool boolean;
		const char *text; /* TEXT: the value; NUMBER: as written */
		const struct node *items;
		const struct member *members; /* in order of the text */
	};
};

struct member {
	const char *key;
	uint32_t line;
	uint32_t column;
	struct node value;
};

#define TREE_MAX_BYTES (4u << 20)
#define TREE_TOO_LARGE "larger than 4 MiB"
#define TREE_MAX_DEPTH 64

const char *tree_type_name(enum node_type type); /* "an object", "a number", ... */
const struct node *tree_get(
	const struct node *object, const char *key); /* NULL when absent or no object */
const struct node *tree_path(const struct node *object, const char *dotted); /* a.b.c */
/* Fails when two members have the same key; ret_index says which comes second. */
bool tree_has_duplicate(const struct member *members, size_t count, size_t *ret_index);
