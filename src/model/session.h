/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Session keys. `agent:<agent>:<rest>` names a conversation; `agent:<agent>:main` is an agent's
 * main session. The agent is a safe name; the rest may hold any bytes but NUL, up to a length. The
 * scope name is what sandboxes, sockets and folders are called: safe for files, stable, and
 * different for different keys.
 */

#include "base/err.h"
#include "base/mem.h"
#include "model/sandbox.h"

#define SESSION_MAX 1024 /* bytes of a whole key */

struct session {
	const char *key; /* whole, as agent:<agent>:<rest> */
	const char *agent;
	const char *rest;
	bool main;
};

/* key may be NULL (the main session), whole, or only the rest; agent may be NULL. Fails when they
 * disagree. */
int session_parse(
	struct arena *a, const char *key, const char *agent, struct session *ret, struct err *e);

#define SCOPE_NAME 64
/* For example "s-telegram-group-10-7k3v...": kind, a readable hint, 160 bits of SHA-256. */
void session_scope_name(const struct session *s, enum scope scope, char out[SCOPE_NAME]);
