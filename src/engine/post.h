/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What an entrance and the supervisor of a living sandbox say to each other, over a socket of
 * packets that only the same user can open: one connection a request, and as long as the request.
 * A connection that is closed ends the command that it asked for. Sizes and kinds are checked on
 * both sides; two versions of ward do not understand each other, and say so.
 */

#include "base/err.h"
#include "engine/slot.h"
#include "model/card.h"
#include "model/layer.h"
#include "model/netrule.h"
#include "model/plan.h"
#include "model/result.h"
#include "sys/packet.h"

#include <limits.h>
#include <stdint.h>

#define POST_VERSION 0x57440009u
#define POST_CONFIG 32 /* digest of what the sandbox was made from */
#define POST_WORD 40
#define POST_NAME 80
#define POST_COMMAND 200
#define POST_WHO 400
#define POST_DATA (32u << 10)
#define POST_NET_PAGE 64

enum post_kind {
	/* To the supervisor. */
	POST_EXEC = 1, /* exec, with descriptors 0 to 2, and a memory file for long texts */
	POST_BEGUN,    /* exec: it was given to the process that came with the last POST_ENDED;
			* number: how much of the text comes along, folder and program */
	POST_SIGNAL,   /* number */
	POST_STOP,     /* number: also while commands run */
	POST_CLAIM,    /* claim: the blank becomes somebody's; other requests follow POST_CLAIMED */
	/* ... about a background process, whose id is `number`. */
	POST_PROCESSES,      /* all of them: answered by POST_PROCESS for each, then POST_DONE */
	POST_PROCESS_OUTPUT, /* position: from there on; flag: waits until there is some */
	POST_PROCESS_WRITE,  /* bytes for its input; flag: which is then closed */
	POST_PROCESS_SIGNAL, /* position: the signal's number */
	POST_PROCESS_WAIT,   /* answered by POST_ENDED */
	/* ... about its network. */
	POST_NET,        /* from the row `number` on: answered by POST_NET_RULE and POST_NET_FLOW,
			  * POST_NET_PAGE of them at most, then POST_DONE: how many */
	POST_NET_CHANGE, /* rule; answered by POST_DONE: number of connections that ended by it */
	POST_WORKSPACE,  /* workspace.config; answered by POST_FOLDER, or POST_CHANGED */
	/* From it. */
	POST_CLAIMED,  /* ... it is, under its name */
	POST_CHANGED,  /* the sandbox was made from another configuration */
	POST_TERMINAL, /* carries the other side of the command's terminal */
	POST_PAUSED,   /* the command was stopped from its terminal */
	POST_STARTED,  /* number: the id of a background process */
	POST_PROCESS,  /* process */
	POST_OUTPUT,   /* data */
	POST_NET_RULE, /* rule */
	POST_NET_FLOW, /* flow; number: 1 when it is open now */
	POST_FOLDER,   /* workspace: carries it as it is inside, and the lock of its layer */
	POST_DONE,     /* number: how much, or a negative errno */
	POST_NETWORK,  /* network: what was tried meanwhile; before POST_ENDED */
	POST_ENDED,    /* end: the last word about a command; if the connection is kept, perhaps
			* with the process that waits for the next one */
	POST_FAILED,   /* error: nothing was run */
	POST_KINDS
};

struct post_exec {
	uint8_t config[POST_CONFIG];
	uint64_t keep; /* the connection, for another request */
	uint64_t ring; /* bytes of output that are kept of a background process; 0: it is none */
	uint64_t timeout, kill_grace; /* ms; 0 = none */
	struct plan_caps caps;
	uint64_t begin;     /* its line in the audit log; 0: none */
	char who[POST_WHO]; /* members of the line that says how it ended */
	struct slot_command command;
	char text[SLOT_TEXT];
};

struct post_claim {
	uint8_t blank[POST_CONFIG];                       /* digest of the blank's plan */
	uint64_t idle_ms, age_ms, kill_grace, startup_ms; /* ms; 0 = none */
	uint64_t device, inode;                           /* of the workspace */
	char name[POST_NAME], path[PATH_MAX];             /* of the sandbox; of the workspace */
	struct card card;                                 /* what it says of itself from now on */
};

struct post_end {
	int32_t exit_code, signal, reason, start_error;
	uint32_t lost; /* the sandbox died, and the command with it */
	uint32_t hits[HIT_COUNT];
	struct result_usage usage;
	struct result_report report;
	char enforced[LAYER_COUNT][POST_WORD];
};

struct post_process {
	int32_t ended, input; /* input: still open */
	int32_t exit_code, signal, reason, unused;
	uint64_t age_ms, written, kept;
	char command[POST_COMMAND];
};

enum post_rule_kind { POST_RULE_ALLOW, POST_RULE_DENY, POST_RULE_MODE, POST_RULE_KINDS };

struct post_rule {
	uint32_t kind;
	uint32_t now;     /* for what is open too */
	uint32_t changed; /* since the sandbox began */
	uint32_t unused;
	char text[NETRULE_TEXT];
};

struct post_workspace {
	uint8_t config[POST_CONFIG];
	uint64_t uid, gid; /* of the kernel: whose files they are */
};

struct post_data {
	uint64_t position; /* of the first byte */
	uint32_t flag;     /* from the supervisor: the process has ended, and this is the last */
	uint32_t size;
	char bytes[POST_DATA];
};

struct post {
	uint32_t version, kind;
	int32_t number, unused;
	union {
		struct post_exec exec;
		struct post_claim claim;
		struct post_end end;
		struct result_network network;
		struct post_process process;
		struct post_rule rule;
		struct result_flow flow;
		struct post_data data;
		struct post_workspace workspace;
		struct err error;
	};
};

/* A message of that kind, empty; there is one, which every call makes anew: messages are large. */
struct post *post_new(enum post_kind kind, int32_t number);
/* Descriptors: those of struct slot_command. 0 or a negative errno. */
int post_send(int socket, bool wait, const struct post *m, const struct packet_fds *fds);
/* As wire_receive: -EAGAIN, -ECONNRESET, -EPROTO; -EPROTONOSUPPORT: another version of ward. */
int post_receive(int socket, bool wait, struct post *ret, struct packet_fds *ret_fds);
