/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What lies in a folder of the workspace, and below it. Links are told, never followed; hidden
 * names are not there. Folders are read one after the other by their true paths, the shallow ones
 * first, so that neither depth nor number can exhaust anything, and what a limit leaves out is
 * what lies deepest.
 */

#include "files/files_walk.h"

#define FILES_LIST_LIMIT 1000
#define FILES_LIST_LIMIT_MAX 100000
#define FILES_LIST_DEPTH_MAX 100

enum files_kind { FILES_FILE, FILES_FOLDER, FILES_LINK, FILES_OTHER, FILES_KINDS };
extern const char *const files_kind_names[]; /* file, folder, link, other */

struct files_entry {
	const char *path; /* from the workspace */
	enum files_kind kind;
	uint64_t size;
	const char *target; /* of a link */
	unsigned depth;     /* 1: in the folder itself */
};

struct files_query {
	unsigned depth;   /* 0, 1: the folder only; at most FILES_LIST_DEPTH_MAX */
	size_t limit;     /* entries; 0: FILES_LIST_LIMIT; at most FILES_LIST_LIMIT_MAX */
	const char *glob; /* only paths (from the folder on) or names that match; NULL: all */
	const char *const *skip; /* names of folders that are not entered; NULL at the end */
	bool files_only;
	uint64_t until_ms; /* CLOCK_MONOTONIC; 0: no end */
};

struct files_listed {
	const char *path;                  /* of the folder */
	const struct files_entry *entries; /* sorted by path, a folder before what is in it */
	size_t count;
	bool more;         /* there were more than the limit, or no time */
	bool deeper;       /* folders at the last depth were not entered */
	size_t unreadable; /* folders */
};

/* A file instead of a folder is the only entry of itself. */
int files_list(const struct files *f, const char *name, const struct files_query *q,
	struct arena *a, struct files_listed *ret, struct err *e);

/* The same inside files_start; for other tools. */
int files_list_at(const struct files *f, const struct files_place *p, const struct files_query *q,
	struct arena *a, struct files_listed *ret, struct err *e);
