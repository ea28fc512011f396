/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The guard: all network traffic of one sandbox. It lives in the supervisor, outside, and holds the
 * sockets that catch whatever the programs inside send anywhere (sys/catch.h). Names are answered
 * with made-up addresses, so that a connection to one of them is a connection to that name; it is
 * decided by name, resolved and dialled only then, and relayed.
 *
 * Should: say why, where the protocol has words for it, and tell of every attempt. Mustn't: let
 * anything out that the policy does not allow, not even a question for a name; wait; believe
 * anything that comes from inside; grow beyond its bounds.
 */

#include "base/err.h"
#include "model/net.h"
#include "model/netpolicy.h"
#include "sys/catch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct guard;

struct guard_host {
	const char *name; /* canonical */
	struct netaddr addr;
};

#define GUARD_ANY UINT64_MAX
#define GUARD_SHARED (UINT64_C(1) << 63)

/* What may still pass, to a name and from it; counted down. */
struct guard_budget {
	const char *name;     /* canonical, or an address; "*": all others together */
	uint64_t left[2];     /* bytes up, down; GUARD_ANY: any number */
	uint64_t rate;        /* bytes of a second, each way; GUARD_ANY */
	uint64_t connections; /* at the same time; GUARD_ANY */
	uint64_t open;        /* of those */
	int64_t ready[2];     /* bytes that may pass now; below 0: so many passed too early */
	uint64_t filled;      /* ms, when that was reckoned */
};

/* INBOUND: by a published port; all others are attempts of programs inside. NAME: there is no such
 * name, since nothing allows it. */
enum guard_kind { GUARD_NAME, GUARD_TCP, GUARD_UDP, GUARD_INBOUND, GUARD_KINDS };

/* One attempt, when it has ended or was refused. Texts live as long as the call. */
struct guard_event {
	enum guard_kind kind;
	bool allowed;
	bool spent;          /* ended by its budget */
	const char *name;    /* "": it was an address */
	struct netaddr addr; /* where it led: with a name, the address that was dialled */
	uint16_t port;
	uint64_t owner;             /* whose it is, as guard_call.owner said */
	const char *why;            /* a sentence without a full stop */
	const struct netrule *rule; /* that decided; NULL: none */
	uint64_t up, down;          /* bytes */
	uint64_t ms;
};

struct guard_call {
	const struct net_policy *policy;
	const struct guard_host *hosts;
	size_t host_count;
	struct guard_budget *budgets;
	size_t budget_count;
	struct netcidr block4, block6; /* of made-up addresses */
	bool nxdomain;                 /* names that are not allowed do not exist */
	const struct net_publish *publish;
	size_t publish_count;
	const int *ports; /* listeners, where the sockets below do not get everything; owned */
	size_t port_count;
	int namespace;             /* the sandbox's; only for those ports, and owned then */
	struct netaddr own4, own6; /* what the sandbox has besides its loopback */
	/* The socket of a resolver (guard/names.h), started when the first name is looked up. */
	int (*resolver)(void *ctx);
	void (*event)(void *ctx, const struct guard_event *e); /* may be NULL */
	/*
	 * Whose it is, when something begins: a number of the caller's, with GUARD_SHARED when it
	 * may be of several. Asked without inodes first (NULL); false: those of the sockets that it
	 * can have come from are needed, and come with the second question, or none of them when
	 * nobody has it. May be NULL: all of it is 0's.
	 */
	bool (*owner)(void *ctx, const uint32_t *inodes, size_t count, uint64_t *ret);
	void *ctx;
};

/* The sockets are the guard's from now on, also when it fails; -1: nothing goes out, and only ports
 * of the host lead inside. The call's pointers are kept. */
int guard_open(const struct guard_call *call, const int sockets[CATCH_COUNT], struct guard **ret,
	struct err *e);
void guard_free(struct guard *g);
/* Readable when there is work. */
int guard_fd(const struct guard *g);
/* Milliseconds until something is due; -1: nothing is; 0: there is work already. */
int guard_due(const struct guard *g);
/* Some of what was sent has not gone on yet. */
bool guard_is_sending(const struct guard *g);
/* Connections that are open, and what has gone over them so far. */
void guard_look(
	const struct guard *g, void (*see)(void *ctx, const struct guard_event *e), void *ctx);
/* The policy was changed: with `now` what it does not allow any more ends. How many did. */
size_t guard_judge_again(struct guard *g, bool now);
/* The programs of an owner have ended: what they have sent and received is told of, although the
 * other side may not know yet that they are gone. What follows is told of later. 0: of all. */
void guard_tell_left(struct guard *g, uint64_t owner);
/* Everything that waits to be let in is: afterwards no program that is gone can come any more. */
void guard_take_new(struct guard *g);
/* What can be done without waiting. */
void guard_work(struct guard *g);
