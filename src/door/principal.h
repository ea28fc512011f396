/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who may say yes. Not the requester: neither its process nor those above it that it could be
 * steered by, up to the shell of the terminal that all of it runs on, nor anything that those have
 * started; without a terminal, all processes of the same user above it. Not a process in a sandbox.
 * Not another user, unless root.
 *
 * Cannot be kept from it: a process of the same user that runs without a sandbox and gets away from
 * that tree first.
 */

#include "base/err.h"
#include "sys/peer.h"
#include "sys/proctree.h"

#define PRINCIPAL_DEPTH 64

struct principal {
	struct proctree_row rows[PRINCIPAL_DEPTH]; /* the requester and those above it */
	size_t count;
	pid_t leader; /* of the session on the outermost terminal; 0: there is none */
};

/* This process as the requester. */
int principal_requester(struct principal *ret, struct err *e);
/* 0: may answer; -EPERM and why. The process is held by the caller meanwhile. */
int principal_check(const struct principal *p, const struct peer_sender *who, struct err *e);
