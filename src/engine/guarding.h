/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The guard of a sandbox's network in its supervisor: begun when init hands out the sockets, given
 * its turns by the supervisor's loop, ended with the sandbox. Everything here does nothing where
 * nothing is to be guarded.
 */

#include "engine/stage.h"
#include "model/netlive.h"
#include "model/nettally.h"
#include "model/result.h"
#include "sys/packet.h"

#include <poll.h>

struct guarding;

/* By these the programs inside know themselves; nobody outside sees them (engine/network.c). */
extern const uint8_t network_own4[4], network_own6[16];

/* Something that was tried, or is open. */
struct guarding_told {
	uint64_t owner; /* guard_call.owner */
	const struct result_flow *flow;
	bool inbound, spent;
};

/* Where several commands share the network: whose something is, as guard_call.owner says it, and
 * who hears of it instead of guarding_take_report(). */
struct guarding_book {
	bool (*owner)(void *ctx, const uint32_t *inodes, size_t count, uint64_t *ret);
	void (*told)(void *ctx, const struct guarding_told *t);
	void *ctx;
};

/* Takes the descriptors. Once, and only where the plan says so: -EPROTO. */
int guarding_begin(struct stage *s, struct packet_fds *fds, struct err *e);
/* Only some ports are caught; the kernel refuses the others, which nobody sees. */
bool guarding_is_by_port(const struct stage *s);
struct pollfd guarding_wait(const struct stage *s);
/* The sooner of both, in ms; -1: never. */
int guarding_due(const struct stage *s, int due);
void guarding_work(struct stage *s);
/* What was tried since it was asked last; false: nothing. */
bool guarding_take_report(struct stage *s, struct result_network *ret);
/* A rule for the running sandbox; with `now` for what is open too: how many connections ended. */
int guarding_change(struct stage *s, bool deny, bool now, const char *rule, struct err *e);
const struct netlive *guarding_rules(const struct stage *s); /* NULL: no network */
/* All that was reached and tried since it began, then what is open. */
void guarding_look(const struct stage *s,
	void (*see)(void *ctx, const struct result_flow *f, bool open), void *ctx);
/* From now on; nothing has been tried yet. */
void guarding_keep(struct stage *s, const struct guarding_book *book);
/* What waits to be let in is. */
void guarding_take_new(struct stage *s);
/* The programs of an owner have ended: what they have done is told of. */
void guarding_leave(struct stage *s, uint64_t owner);
/* What is open, with what has not been told of it yet. */
void guarding_look_open(
	const struct stage *s, void (*see)(void *ctx, const struct guarding_told *t), void *ctx);
/* Adds what was moved since it was asked last. */
void guarding_take_bytes(struct stage *s, struct result_usage *io);
/* The programs have ended: what they have sent goes out, for a while. */
void guarding_finish(struct stage *s);
void guarding_free(struct stage *s);
