/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The ward.json5 that an import makes: values by key, and remarks. What this version cannot do, by
 * the field tables, or would refuse is written as a comment, so that the document always loads.
 * Foreign text goes through quoting or escaping here and nowhere else. Lives in the arena of the
 * import; made by the importers.
 */

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

enum import_part { IMPORT_SANDBOX, IMPORT_TOOLS, IMPORT_PARTS };

/* The value of a key, or one item of its list or map. */
struct import_line {
	struct import_line *next;
	const char *text;    /* JSON5, one line */
	const char *refused; /* why it can only be a comment; NULL: it is good */
};

struct import_entry {
	struct import_entry *next;
	const char *path; /* below sandbox or tools, such as resources.memory */
	char open;        /* '[' or '{', or 0 for a plain value */
	const char *remark;
	struct import_line *first;
	struct import_line *last;
};

/* Foreign keys that share a parent and the reason why they have no equal. */
struct import_note {
	struct import_note *next;
	const char *parent; /* "" at the top */
	const char *reason;
	struct import_line *first; /* text is the key */
	struct import_line *last;
};

struct import_notes {
	struct import_note *first;
	struct import_note *last;
};

/* `sandbox` or `tools` of one agent, or of all. */
struct import_section {
	enum import_part part;
	bool used;
	struct import_notes notes;
	struct import_entry *first;
	struct import_entry *last;
};

struct import_agent {
	struct import_agent *next;
	const char *id; /* NULL: what holds for all */
	struct import_notes notes;
	struct import_section parts[IMPORT_PARTS];
};

struct import_doc {
	struct arena *arena;
	const char *system;
	const char *from; /* name of the foreign file */
	struct import_notes notes;
	struct import_agent all;
	struct import_agent *last; /* of the agents behind `all` */
	struct import_section tool_profiles;
};

void import_doc_init(struct import_doc *d, struct arena *a, const char *system, const char *from);
/* NULL: there is one of that name already. */
struct import_agent *import_doc_agent(struct import_doc *d, const char *id);

/* A key that has no value yet: lines are added to it. NULL when the key is set already. */
struct import_entry *import_doc_entry(struct import_doc *d, struct import_section *s,
	const char *path, char open, const char *remark);
void import_doc_line(
	struct import_doc *d, struct import_entry *entry, const char *text, const char *refused);
/* A key with a plain value; false when it is set already. */
bool import_doc_value(struct import_doc *d, struct import_section *s, const char *path,
	const char *text, const char *remark);
struct import_entry *import_doc_find(const struct import_section *s, const char *path);

/* A foreign key that has no equal, and why. Keys with the same reason side by side share a line. */
void import_doc_note(struct import_doc *d, struct import_notes *notes, const char *parent,
	const char *key, const char *reason);

/* As a JSON5 string, and as a key: bare when it can be. */
const char *import_doc_quote(struct arena *a, const char *text);
const char *import_doc_key(struct arena *a, const char *text);
