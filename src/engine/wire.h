/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What supervisor and init say to each other: one message a packet, of fixed size, over a socket
 * pair. The supervisor believes no more of it than that a command of its sandbox has ended in some
 * way; a message of the wrong size or kind ends the sandbox.
 */

#include "base/err.h"
#include "model/result.h"
#include "sys/packet.h"

#include <stdbool.h>
#include <stdint.h>

enum wire_kind {
	/* To init. */
	WIRE_MAPPED = 1, /* the ids are */
	WIRE_GROUPS,     /* carries those to enter; number: one limits the number of processes */
	WIRE_SIGNAL,     /* number: for the program's process group */
	WIRE_ALL,        /* number: for every process in the sandbox */
	/* ... where it lives: about the command of the shepherd whose number inside is `about`. */
	WIRE_BELOW,  /* number: for everything below the shepherd */
	WIRE_FORGET, /* it has ended; answered by WIRE_REPORT */
	WIRE_SWEEP,  /* the shepherd is gone without a word: so is the command */
	WIRE_CLAIM, /* what was missing in a blank is in struct claim; carries it opened, by root */
	WIRE_REST,  /* nobody has come for long: nothing is kept that can be had again */
	/* From init. */
	WIRE_FAILED,    /* error: a step failed, nothing was run */
	WIRE_NETWORK,   /* carries the sockets that catch its connections; before anything runs */
	WIRE_TERMINAL,  /* carries the terminal's other side */
	WIRE_PAUSED,    /* the program was stopped from its terminal */
	WIRE_ENDED,     /* end */
	WIRE_WAITING,   /* a blank is made */
	WIRE_WORKSPACE, /* carries the workspace as it is inside; before anything runs */
	WIRE_READY,     /* commands may come */
	WIRE_REPORT,    /* report */
	WIRE_KINDS
};

struct wire_end {
	int32_t status;      /* as wait(2) gives it */
	int32_t start_error; /* errno of exec; 0 */
	uint64_t user_us, system_us;
	uint64_t largest; /* bytes: the largest process */
	uint64_t read_bytes, written_bytes;
	struct result_report report;
};

struct wire {
	uint32_t kind;
	int32_t number;
	int32_t about;
	union {
		struct err error;
		struct wire_end end;
		struct result_report report;
	};
};

/*
 * fds may be NULL: none are sent along. 0 or a negative errno. The supervisor does not wait for
 * init to listen once programs run: -EAGAIN.
 */
int wire_send(int socket, bool wait, const struct wire *m, const struct packet_fds *fds);
/*
 * Without waiting when `wait` is false: -EAGAIN. -ECONNRESET: the other side is gone; -EPROTO: no
 * message of ours. The caller owns the descriptors that came; with ret_fds NULL they are closed.
 */
int wire_receive(int socket, bool wait, struct wire *ret, struct packet_fds *ret_fds);
