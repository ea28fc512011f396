/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Changes of a layer go to the workspace, one file at a time, each as a whole or not at all. What
 * somebody changed there meanwhile is not overwritten; no link is followed on the way; no file
 * becomes setuid or setgid. The layer must be locked.
 */

#include "state/changes.h"

enum apply_verdict {
	APPLY_DONE,
	APPLY_CONFLICT,  /* the workspace's own changed meanwhile */
	APPLY_PROTECTED, /* the configuration protects that name */
	APPLY_LEFT_OUT,  /* neither file, folder nor link */
	APPLY_FAILED,
	APPLY_VERDICT_COUNT
};
extern const char *const apply_verdict_names[];

struct apply_row {
	const struct change *change;
	enum apply_verdict verdict; /* DONE: it may be, until `done` says that it is */
	int error;                  /* FAILED: negative errno */
	bool done;
	bool quiet; /* nobody had changed the folder that it is in */
};

struct apply {
	struct changes *changes;
	const char *const *protect; /* patterns */
	size_t protect_count;
	bool force; /* also over what changed meanwhile */
	bool allow_protected;
	struct apply_row *rows; /* one for each change */
	size_t left;            /* those that are not done, and what could not be looked at */
};

/* Whether the configuration protects the name against such a change. */
bool apply_is_protected(const char *const *patterns, size_t count, const struct change *k);
/* What would become of each change: the rows are filled, nothing is done. */
void apply_judge(struct apply *a);
/* Carries out those rows that may be, and takes them out of the layer, which must be flat. */
int apply_carry_out(struct apply *a, struct err *e);
/* Throws them away; the layer must be flat, or all of them be meant. */
int apply_discard(struct changes *c, struct err *e);
