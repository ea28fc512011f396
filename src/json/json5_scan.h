/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The words of JSON5: blanks and comments, strings, keys without quotes, numbers, and where each of
 * them stands. The text is checked as a whole before the first word (scan_start), so that the rest
 * need not look at bytes again. Made and used by json/json5.c alone.
 */

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCAN_KEYS 64

struct scan {
	struct arena *arena;
	const char *name;
	const char *p;
	const char *end;
	bool strict;         /* only what JSON has */
	bool simple;         /* ASCII without carriage returns: columns are bytes */
	const char *counted; /* up to here line and column are known */
	uint32_t line;
	uint32_t column;
	const char *keys[SCAN_KEYS]; /* keys seen lately: a file of many agents has few of them */
	struct buf text;             /* the string that is being read */
	struct err *e;
};

/* Refuses what no word may contain: bytes that are not UTF-8, NUL, a byte order mark; too long a
 * text. */
int scan_start(struct scan *r, size_t max);
void scan_end(struct scan *r);

int scan_blank(struct scan *r);                       /* skips blanks and comments */
bool scan_at(const struct scan *r, const char *text); /* does this come next? */
bool scan_word(
	struct scan *r, const char *word); /* takes it, unless a longer word begins with it */
int scan_string(struct scan *r, const char **ret); /* from its quote on */
int scan_key(struct scan *r, const char **ret);    /* without quotes */
int scan_number(struct scan *r, const char **ret); /* as it is written */
void scan_count(struct scan *r, const char *p); /* line and column of p, which only goes forward */

/* Errors: "name:line:column: what"; return a negative errno. */
int scan_fail(struct scan *r, const char *at, const char *fmt, ...) printf_like(3, 4);
int scan_fail_at(struct scan *r, int code, uint32_t line, uint32_t column, const char *what);
int scan_unexpected(struct scan *r, const char *wanted);

/* Shared by the two halves, json5_scan.c and json5_string.c. */

/* ASCII that is neither a blank nor a control. */
static inline bool scan_is_plain(char c)
{
	return (unsigned char)c > ' ' && (unsigned char)c < 0x7f;
}

/* Letter, digit, _ or $. */
static inline bool scan_is_ascii_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$';
}

bool scan_is_word(uint32_t c); /* the same, or any visible character beyond ASCII */
