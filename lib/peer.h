/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The process of ward behind a handle, and lines to and from it. It is found again by its pidfd and
 * its own pid alone: the program's other children, and how it hears of them, are its own matter.
 * Nothing here waits but peer_end().
 */

#include "lib/put.h"

#include <sys/types.h>

#define PEER_LINE_MOST ((size_t)256 << 20) /* of one message from ward */
#define PEER_SAID_MOST 4096                /* of what ward says when it cannot begin */

struct peer {
	int fd, pidfd, said;
	pid_t pid, owner; /* of ward; who started it */
	struct put out;
	size_t sent; /* of out */
	struct put in;
	size_t start, seen; /* of in: where the line begins, how far it was looked at */
	bool lost;
};

struct peer_start {
	const char *program, *folder;
	const char *const *argv, *const *env;
};

/* A negative errno. */
int peer_start(struct peer *p, const struct peer_start *how);
/* Ends ward and waits for it, up to a time; then kills it. */
void peer_end(struct peer *p);
/* What came, as far as it is there; `lost` where nothing more will. */
void peer_read(struct peer *p);
/* The next line, without its end; valid until peer_read(). */
bool peer_line(struct peer *p, const char **ret, size_t *ret_len);
/* As much as can be sent. */
void peer_flush(struct peer *p);
bool peer_has_more(const struct peer *p);
/* What ward has said on standard error, for people, on one line. */
void peer_said(const struct peer *p, char *to, size_t room);
