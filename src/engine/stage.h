/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A sandbox being built: the plan, and every descriptor that the steps hand to each other. Made by
 * the supervisor; init is a copy of it, so what was opened before the start is there, and what each
 * of them does afterwards the other does not see. Owns its descriptors, all of them close-on-exec.
 */

#include "base/err.h"
#include "engine/broker.h"
#include "model/blank.h"
#include "sys/landlock.h"
#include "sys/leaf.h"

#include <signal.h>
#include <stdbool.h>

#define STAGE_ROWS 256

struct stage {
	const struct plan *plan;
	uid_t host_uid; /* of the kernel; as the plan says, or the workspace's owner */
	gid_t host_gid;
	int control;      /* socket to the other side: supervisor or init */
	int peer;         /* the other end, until the process has split */
	int channel[2];   /* a sandbox that lives: supervisor and starter; -1 */
	int host_only[8]; /* descriptors that init must not have; -1 */
	int output[2];    /* what the program gets as 1 and 2; -1: the caller's own */
	int error[2];
	int trees[STAGE_ROWS]; /* by row: opened, checked, detached; -1: none */
	int listener;          /* system calls that the filter sends to init */
	int terminal;          /* init: the program's side of it */
	struct landlock landlock;
	struct leaf leaf;
	struct broker broker;
	sigset_t caller_mask; /* signals as the caller had them */
	struct sigaction caller_pipe;
	char *arguments; /* the process's own, to be overwritten in init */
	size_t arguments_len;
	int start_error;           /* of the program's exec */
	pid_t program;             /* inside */
	pid_t init;                /* on the host; waited for at the very end */
	ino_t space;               /* its pid namespace; 0: not known */
	bool given_up;             /* init does not die */
	bool orderly;              /* init has said that everything in the sandbox has ended */
	_Atomic uint32_t *notes;   /* counts what init has to report; shared with the supervisor */
	bool pids_held;            /* init: a control group limits the number of processes */
	struct blank *blank;       /* its workspace comes later; NULL: it is in the plan */
	struct claim *claim;       /* ... and is told here; shared with the supervisor */
	int host;                  /* init: the host's root until then; -1 */
	struct guarding *guarding; /* supervisor: of the network; NULL: nothing is to be guarded */
	int mounts;                /* supervisor: tells when those of the host change; -1 */
	bool kept;   /* there is no sandbox: init is the keeper of a command on the host */
	bool shared; /* ... that has the caller's terminal, and signals from there, itself */
};

/* How long what was killed may take to die. */
#define STAGE_PATIENCE_MS 10000

/* The arguments are those of this process, which init overwrites. */
void stage_init(struct stage *s, const struct plan *p, char *arguments, size_t arguments_len);
/* Signals are as the caller had them afterwards. */
void stage_free(struct stage *s);
/* Descriptors 0 to 2 exist, and of the others those that are to be kept, which get new numbers. */
int stage_descriptors(int **keep, size_t count, struct err *e);
/* The socket between supervisor and init. */
int stage_control(struct stage *s, struct err *e);
int stage_signals(int *ret_fd, struct err *e);
/* Closes what the sandbox has now and the supervisor does not need. */
void stage_left(struct stage *s);
/* Nothing of the sandbox is left afterwards; true: it is stuck, and something is. */
bool stage_clear(struct stage *s, bool orderly);
/* Where init failed too, what it says comes before what that led to here: `failed`. */
int stage_ask(const struct stage *s, int failed, struct err *e);
/* Adds to the kernel's own word for a refusal who may have refused. */
void stage_explain(int failed, struct err *e);

/* The steps, in order; see engine/steps.c. */
enum step_place { STEP_SUPERVISOR, STEP_INIT, STEP_PROGRAM };

struct step {
	const char *name;
	enum step_place place;
	bool (*wanted)(const struct plan *p); /* NULL: always */
	int (*run)(struct stage *s, struct err *e);
	/* The arguments, for --dry-run; NULL: none. */
	void (*show)(const struct plan *p, struct buf *out);
};

extern const struct step steps[];
extern const size_t step_count;
int steps_run(struct stage *s, enum step_place place, struct err *e);

/* engine/sources.c: folders of the host, opened and checked. */
int sources_open(struct stage *s, struct err *e);
/* ... that of the workspace, only to work in it from outside: its descriptor. */
int sources_open_workspace(const struct plan *p, const struct plan_row *row, struct err *e);
/* ... that of a blank's workspace. */
int sources_open_claimed(struct stage *s, struct err *e);
/* engine/root.c */
int root_build(struct stage *s, struct err *e);
int root_enter(struct stage *s, struct err *e);
/* engine/rules.c */
int rules_make(struct stage *s, struct err *e);
/* engine/program.c: starts the program; init only. */
int program_start(struct stage *s, struct err *e);
/* ... or, in a sandbox that lives, what starts programs (engine/starter.c). */
int program_starter(struct stage *s, struct err *e);
/* engine/init.c: process 1; does not return. */
_Noreturn void init_main(struct stage *s);
