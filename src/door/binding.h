/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What an approval is bound to: one digest over everything that decides what a command does. Two
 * requests with the same digest are the same command; whatever is different is another. Pure but
 * for the status of the folder.
 */

#include "base/sha256.h"
#include "door/subject.h"

struct binding {
	const char *const *argv, *const *env;
	int cwd;
	const struct subject *subject;
	const struct verdict *verdict;
	const char *input; /* what it can read; NULL: nothing that anybody has seen */
	const char *kind;  /* ... and what that is, in a word */
};

int binding_digest(const struct binding *b, struct arena *a, uint8_t ret[SHA256_SIZE]);
