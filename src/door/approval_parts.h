/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the parts of door/approval share: the request that waits, and what is said over its socket.
 * For these files and door/approver only. */

#include "base/sha256.h"
#include "door/approval.h"
#include "door/principal.h"
#include "door/prompt.h"
#include "door/record.h"
#include "door/subject.h"
#include "model/refusals.h"
#include "state/grants.h"

#include <stdint.h>

#define APPROVAL_FOLDER "approvals" /* in state/place */
#define APPROVAL_CLIENTS 8
#define APPROVAL_ADVICE 400
#define APPROVAL_SHOWN (64u << 10)         /* bytes of each form */
#define APPROVAL_COMMAND 4096              /* bytes of a command that is shown whole */
#define APPROVAL_LONGEST (24ull * 3600000) /* ms that a grant may hold */

/* Who waits says first what an answer must repeat, so that it was sent after the sender was held.
 */
struct approval_hello {
	uint32_t version;
	uint8_t nonce[16];
};

enum approval_kind { APPROVAL_LOOK = 1, APPROVAL_DECIDE };

struct approval_ask {
	uint32_t version, kind;
	uint8_t nonce[16];
	char id[APPROVAL_ID];
	uint8_t yes;
	uint32_t uses;   /* 0: not said */
	uint64_t for_ms; /* 0: not said */
	char advice[APPROVAL_ADVICE];
};

struct approval_reply {
	uint32_t version;
	int32_t code; /* 0, or a positive errno */
	uint32_t json_len, text_len;
	char text[500]; /* why not */
			/* followed by both forms of the request, when it was asked for */
};
#define APPROVAL_VERSION 0x57410001u

struct approval_client {
	int fd, process; /* -1: free */
	pid_t pid;
	uint8_t nonce[16];
};

/* Who answered, for the record. */
struct approval_by {
	const char *how;
	pid_t pid;
	uid_t uid;
	int process; /* holds it; -1: it is this one, or nothing is looked up by its number */
};

#define APPROVAL_FILES 3 /* of the configuration */

struct approval_file {
	const char *path;
	uint64_t device, inode, size;
	int64_t changed_ns;
};

struct approval {
	struct approval_request q;
	struct arena *arena;
	struct subject subject;
	struct principal requester;
	uint8_t digest[SHA256_SIZE];
	char id[APPROVAL_ID], grant[GRANT_ID];
	enum approval_state state;
	struct err why;
	uint64_t asked_ms, deadline_ms;
	bool too_long; /* to be shown whole */
	int folder, listener;
	struct approval_client clients[APPROVAL_CLIENTS];
	struct refusals refusals; /* of those that came to the listener */
	struct record_peer last_refused;
	struct prompt prompt;
	struct approval_file files[APPROVAL_FILES];
};

/* door/approval.c */
struct approval_terms {
	bool yes;
	uint64_t for_ms;
	uint32_t uses;
	const char *advice;
};
int approval_decide(struct approval *p, const struct approval_by *by,
	const struct approval_terms *terms, struct err *e);
/* Written down; fails when it cannot be. */
int approval_note(struct approval *p, const char *action, const struct approval_by *by,
	const char *why, struct err *e);

/* door/approval_line.c */
int approval_line_open(struct approval *p, struct err *e);
void approval_line_serve(struct approval *p);
void approval_line_close(struct approval *p);

/* door/approval_text.c */
void approval_text_json(const struct approval *p, struct buf *out);
/* Where its standard input comes from: "nothing", "given", "terminal", "file" or "pipe". */
const char *approval_text_input(const struct approval_request *q);
/* The command as a person would type it; false: too long to be shown whole. */
bool approval_text_command(const char *const *argv, struct buf *out);
