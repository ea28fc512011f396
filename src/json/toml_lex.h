/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The words of TOML: blanks, line ends, key parts, strings, numbers. Knows nothing of tables. One
 * lexer lives as long as one call of toml_parse, its only caller; it owns the string that is being
 * read.
 */

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/mem.h"
#include "json/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct toml_lex {
	struct arena *arena;
	const char *name;
	const char *p;
	const char *end;
	const char *counted; /* up to here line and column are known */
	uint32_t line;
	uint32_t column;
	struct buf text; /* the string that is being read */
	struct err *e;
};

/* One part of a dotted key. */
struct toml_key {
	const char *text;
	uint32_t line;
	uint32_t column;
};

/* What no word may contain, looked for once over the whole text; the rest may then trust the bytes.
 */
int toml_lex_check(struct toml_lex *l);
/* Fills line and column for the place where the lexer stands. */
void toml_lex_here(struct toml_lex *l, uint32_t *ret_line, uint32_t *ret_column);

int toml_lex_fail(struct toml_lex *l, const char *at, const char *fmt, ...) printf_like(3, 4);
int toml_lex_fail_key(struct toml_lex *l, const struct toml_key *key, const char *fmt, ...)
	printf_like(3, 4);
/* "'x' where `wanted` should stand". */
int toml_lex_unexpected(struct toml_lex *l, const char *wanted);

bool toml_lex_at(const struct toml_lex *l, const char *text);
void toml_lex_blank(struct toml_lex *l);   /* spaces and tabs */
void toml_lex_lines(struct toml_lex *l);   /* ... comments and line ends too */
int toml_lex_line_end(struct toml_lex *l); /* nothing but a comment may follow on this line */

int toml_lex_key(struct toml_lex *l, struct toml_key *ret);
/* A string, a number or a boolean; sets everything but the position. */
int toml_lex_scalar(struct toml_lex *l, struct node *ret);
