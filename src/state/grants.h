/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Approvals that hold for a while: one small file each in a folder of the caller's own. A grant is
 * for one digest (door/binding.h), so for exactly one command under exactly one policy; it ends by
 * the clock that counts from the machine's start, with that start, or with its last use. Uses are
 * counted under the file's lock: however many come at once, never one too many.
 */

#include "base/err.h"
#include "base/mem.h"
#include "base/sha256.h"

#include <stdbool.h>
#include <stdint.h>

#define GRANTS_MAX 1000
#define GRANT_ID 33
#define GRANT_ENDLESS UINT32_MAX

struct grant { /* as it lies in its file */
	uint32_t version;
	uint32_t uses; /* that are left; GRANT_ENDLESS: any number */
	uint8_t digest[SHA256_SIZE];
	char boot[40];
	uint64_t expires_ms; /* since the machine's start */
	int64_t given_ms;    /* by the calendar */
	uint32_t by_uid;
	char session[256], agent[72], place[72];
	char command[1024]; /* escaped; cut when longer, which is marked */
};

struct grant_row {
	char id[GRANT_ID];
	struct grant grant;
	uint64_t left_ms;
};

/* Milliseconds since the machine's start, sleep included. */
uint64_t grants_now(void);
/* 128 random bits in hex. */
int grants_random_id(char ret[GRANT_ID]);
/* version, boot, and expires_ms from for_ms are filled in. state: ward's own folder. */
int grants_add(
	const char *state, struct grant *g, uint64_t for_ms, char ret_id[GRANT_ID], struct err *e);
/* One use of a grant for that digest; -ENOENT: there is none. */
int grants_take(const char *state, const uint8_t digest[SHA256_SIZE], char ret_id[GRANT_ID]);
/* Those that hold; what does not is removed. */
int grants_list(const char *state, struct arena *a, struct grant_row **ret, size_t *ret_count);
/* -ENOENT: there is none of that whole name. */
int grants_revoke(const char *state, const char *id);
