/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What stands where in the workspace: lines that have a text or match an expression, or names that
 * match a pattern. Links are not followed, hidden names and what lies in .git are not looked at,
 * nor files that are binary or above the limit. Everything has an end: files, matches, bytes of the
 * answer, time; what was left out is told.
 */

#include "files/files_list.h"

#define FILES_SEARCH_MATCHES 200
#define FILES_SEARCH_MATCHES_MAX 10000
#define FILES_SEARCH_MS 10000
#define FILES_SEARCH_CONTEXT_MAX 20
#define FILES_SEARCH_LINE 500 /* bytes of a line that are shown */

struct files_search {
	const char *text; /* NULL: only names are looked for */
	bool regex;       /* the text is an expression of base/regex.h */
	bool ignore_case; /* of ASCII letters */
	const char *path; /* folder or file; NULL: the workspace */
	const char *glob; /* of names (or paths, with a slash); NULL: all */
	unsigned context; /* lines around a match */
	size_t limit;     /* matches; 0: FILES_SEARCH_MATCHES */
	unsigned time_ms; /* 0: FILES_SEARCH_MS */
};

struct files_match {
	const char *path;
	size_t line;      /* from 1 */
	size_t column;    /* byte, from 1; 0: a line around a match */
	const char *text; /* the line without its end, perhaps only the part around the match */
	size_t len;
	bool cut;
};

struct files_found {
	const struct files_match *matches; /* by path and line */
	size_t count, match_count;         /* with and without lines around them */
	const struct files_entry *entries; /* where only names were looked for */
	size_t entry_count;
	size_t searched, matched;         /* files */
	size_t binary, large, unreadable; /* files that were left out */
	uint64_t bytes;                   /* that were looked at */
	bool more;                        /* a limit was reached: there may be others */
	bool late;                        /* it was the time */
};

int files_search(const struct files *f, const struct files_search *q, struct arena *a,
	struct files_found *ret, struct err *e);
