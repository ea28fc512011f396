/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The program of an elevated command: found as the shell would find it, opened once, checked and
 * hashed; what is executed later is what is held here. A script is a program whose interpreter is
 * executed, held in the same way, with the script's bytes in a sealed copy that nobody can change.
 * Owns its descriptors.
 *
 * Mustn't be accepted: what lies where a sandbox can write, since a hash does not stop a later
 * write.
 */

#include "base/err.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "model/decide.h"

#include <stdbool.h>
#include <sys/types.h>

struct subject_file {
	const char *path; /* NULL: there is none */
	dev_t device;
	ino_t inode;
	uint8_t hash[SHA256_SIZE];
};

struct subject {
	struct subject_file program; /* what is executed */
	struct subject_file script;  /* ... and what it reads; of a program that is one */
	int fd, copy;                /* descriptors of both; -1 */
	bool fixed;                  /* nobody but another user, root, can write the program */
	const char *const *argv;     /* as it is executed */
	const char *const *env;      /* ... without places to look in where a sandbox can write */
};

struct subject_request {
	const struct config *config;
	const struct verdict *verdict;
	const char *const *argv, *const *env;
	int cwd;
	const char *workspace; /* NULL: the folder is the whole of it, or the policy names it */
};

/* -EPERM: refused, whoever may approve it. -ENOENT: there is no such program. subject_close(). */
int subject_open(
	const struct subject_request *q, struct arena *a, struct subject *ret, struct err *e);
void subject_close(struct subject *s);
