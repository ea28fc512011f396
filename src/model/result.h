/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What came of one command: how it ended, why, what it used, what was refused to it. Filled by the
 * engine, written as JSON and shown by the entrances. Owns the captured output only.
 */

#include "base/buf.h"
#include "model/layer.h"

#include <stdbool.h>
#include <stdint.h>

enum end_reason {
	END_EXITED,
	END_SIGNALLED,
	END_TIMEOUT,
	END_IDLE,
	END_OOM,
	END_POLICY,
	END_STOPPED,
	END_INTERNAL,
	END_COUNT
};
extern const char *const end_reason_names[];

/* Limits that the command ran into. */
enum limit_hit {
	HIT_MEMORY,
	HIT_PIDS,
	HIT_DISK,
	HIT_INODES,
	HIT_FILES,
	HIT_OUTPUT,
	HIT_BUDGET,
	HIT_COUNT
};
extern const char *const limit_hit_names[];

#define RESULT_DENIED 16
#define RESULT_REFUSED 16
#define RESULT_RISKS 16
#define RESULT_NAME 96

struct result_denied { /* a system call that was refused */
	int32_t number;
	uint32_t count;
};

struct result_refused { /* a protected name in the workspace */
	uint32_t count;
	char path[RESULT_NAME]; /* relative; cut when longer */
};

struct result_risk { /* a file in the workspace that programs on the host run; model/risk.h */
	char path[RESULT_NAME]; /* relative; cut when longer; "": no row */
};

struct result_report { /* what the sandbox itself counted; a plain value, sent over a socket */
	struct result_denied denied[RESULT_DENIED];
	struct result_refused refused[RESULT_REFUSED];
	struct result_risk risks[RESULT_RISKS];         /* were changed */
	uint32_t denied_more, refused_more, risks_more; /* what found no row above */
};

#define RESULT_FLOWS 16
#define RESULT_HOST 254
#define RESULT_WHY 200

#define RESULT_INBOUND "(published)" /* the host of what came by a published port */

/* Attempts to reach one host and port that were answered alike. */
struct result_flow {
	uint32_t count; /* 0: no row */
	uint16_t port;  /* 0: it was only asked for by name */
	bool allowed;
	bool shared;            /* it may have been another command's, which ran at the same time */
	uint64_t up, down;      /* bytes */
	char host[RESULT_HOST]; /* a name, or an address */
	char why[RESULT_WHY];   /* that of the first one; cut when longer */
};

struct result_network { /* a plain value, sent over a socket */
	struct result_flow flows[RESULT_FLOWS];
	uint32_t more;  /* that found no row above */
	uint32_t spent; /* were ended by their budget */
};

struct result_usage {
	uint64_t wall_us, user_us, system_us;
	uint64_t memory_peak; /* bytes */
	uint64_t read_bytes, written_bytes;
	uint64_t sent_bytes, received_bytes; /* over the network */
	uint64_t output_bytes[2];            /* stdout, stderr; only when they were relayed */
};

/* What was used, as results and the audit log call it. */
#define RESULT_AMOUNTS 10
struct result_amount {
	const char *name;
	uint64_t v;
};

struct result {
	int exit_code; /* -1: it was ended by a signal */
	int signal;    /* 0: none */
	enum end_reason reason;
	int start_error; /* errno of a program that could not be started; 0 */
	bool unrecorded; /* its end is not in the audit log: that could not be written */
	bool stuck;      /* processes are left that wait in the kernel and cannot die yet */
	uint32_t hits[HIT_COUNT];
	struct result_usage usage;
	struct result_report report;
	struct result_network network;
	struct buf output[2];
	uint64_t dropped[2];               /* bytes beyond the limit */
	const char *enforced[LAYER_COUNT]; /* the mechanism in words */
};

void result_amounts(const struct result_usage *u, struct result_amount ret[RESULT_AMOUNTS]);
/* Makes every text in it end, whoever sent it. */
void result_report_close(struct result_report *p);
void result_network_close(struct result_network *n);
/* To the row of the same host, port and answer, or a new one. */
void result_network_add(struct result_network *n, const struct result_flow *f);
void result_free(struct result *r);
/* The exit status of a program that stands for the command. */
int result_status(const struct result *r);
