/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The tools that ward carries out, as rows: what they are called, which arguments they take, and
 * the function that does it. The same at every entrance. What may be called is the policy's answer;
 * the way of a call is door/job.h.
 */

#include "base/buf.h"
#include "door/door.h"
#include "files/files.h"
#include "json/args.h"

/* The arguments of all tools; each has a table of those that it takes. */
struct tool_args {
	const char *command, *cwd, *input, *path, *content, *old_text, *new_text, *patch, *pattern,
		*names, *data, *signal;
	struct arg_texts argv, env;
	struct arg_number timeout_ms, first, count, offset, bytes, depth, limit, context, id, since;
	bool background, all, create_only, make_parents, regex, ignore_case, end;
	int encoding, action;
};

enum tool_encoding { TOOL_TEXT, TOOL_BASE64 };

/* What a tool works with, and where it puts its answer. */
/* Where in the JSON the text stands as a string, so that nobody writes it again; 0, 0: nowhere. */
struct tool_part {
	size_t at, len;
};

struct tool_work {
	struct door *door;
	const struct door_policy *policy;
	const struct verdict *verdict;
	const struct tool_args *args;
	const struct files *files; /* file tools only */
	struct arena *arena;
	struct buf *text;    /* for whoever reads */
	struct writer *json; /* an object that is open */
	uint64_t bytes;      /* read or written, for the log */
	struct tool_part shown;
};

enum tool_kind {
	TOOL_COMMAND, /* exec */
	TOOL_FILES,   /* on the workspace */
	TOOL_OTHER,
};

struct tool_row {
	const char *name, *title, *help;
	const struct arg *arguments;
	enum tool_kind kind;
	bool read_only, destructive, idempotent, open_world;
	bool slow; /* in a process of its own, so that others need not wait for it */
	int (*run)(struct tool_work *w, struct err *e); /* kind COMMAND: NULL */
};

extern const struct tool_row tool_rows[]; /* ends with an empty row */
size_t tool_count(void);
/* By name or alias; tool_count(): there is none. */
size_t tool_find(const char *name);

/* Those that the policy allows this session, in order. */
size_t tool_effective(struct door *d, const struct tool_row **ret, size_t most);
/* The JSON Schema of its arguments. */
void tool_schema(const struct tool_row *t, struct writer *w, const char *key);

/* door/tool_files.c */
int tool_read(struct tool_work *w, struct err *e);
int tool_write(struct tool_work *w, struct err *e);
int tool_edit(struct tool_work *w, struct err *e);
int tool_list(struct tool_work *w, struct err *e);
/* door/tool_search.c */
int tool_patch(struct tool_work *w, struct err *e);
int tool_search(struct tool_work *w, struct err *e);
/* door/tool_process.c */
int tool_process(struct tool_work *w, struct err *e);
/* door/tool_status.c */
int tool_status(struct tool_work *w, struct err *e);
