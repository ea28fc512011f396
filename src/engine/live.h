/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The supervisor of a sandbox that lives: one process, which makes the sandbox, takes requests from
 * entrances of the same user over a socket, keeps the times and limits of the commands in it, and
 * ends when it is told to, when nobody has asked for anything for long enough, or when the sandbox
 * has died. Believes nothing that comes from inside but how a command has ended.
 */

#include "engine/live_process.h"
#include "engine/meter.h"
#include "engine/post.h"
#include "engine/stage.h"
#include "engine/wire.h"
#include "model/card.h"
#include "model/refusals.h"
#include "model/usage.h"

#define LIVE_LINES (2 * SLOT_COUNT)
#define LIVE_CLAIMED 'c'

/* For the line of the audit log. */
struct live_said {
	uint64_t begin;
	const char *who;
	const struct post_end *end;
	const struct result_network *network; /* NULL: nothing was tried */
};

/* Somebody who was turned away. */
struct live_refused {
	uid_t uid;
	pid_t pid;
	const char *why;
	uint32_t count; /* model/refusals.h */
};

struct live_call {
	const struct plan *plan;
	char *arguments; /* of this process; see engine/native.h */
	size_t arguments_len;
	int place;         /* the folder that its socket is in */
	const char *name;  /* of the socket */
	int listener;      /* entrances connect to it */
	int ready;         /* one struct err is written to it, when it is known: code 0: ready */
	int lock;          /* held as long as this process lives */
	struct card *card; /* filled but for what changes */
	uint64_t idle_ms, age_ms; /* 0: for ever */
	int layer;                /* the lock of its layer; -1: it has none */
	/* Every command that has ended; may be NULL. The descriptors behind it are the host's only.
	 */
	void (*record)(void *ctx, struct usage_row *row);
	void *record_ctx;
	int record_fds[2];
	/* How a command ended whose caller does not record it: one in the background, or one whose
	 * caller has gone. May be NULL. */
	void (*audit)(void *ctx, const struct live_said *said);
	/* ... may be NULL too. */
	void (*refused)(void *ctx, const struct live_refused *r);
	int setup_output; /* where plan->setup may write */
	/* Nobody's yet; NULL: it is made for somebody. Then `ready` also hears LIVE_CLAIMED, and
	 * the callback gives the sandbox its name: listener, lock and card are others then. */
	struct blank *blank;
	int (*claimed)(struct live_call *call, const struct post_claim *claim, struct err *e);
};

/* Two processes that wait for a command: supervisor's ends of their sockets. */
struct live_pair {
	int command, orders;
	int32_t shepherd;
	uint32_t notes; /* that init had when the pair was taken: none of them is the command's */
	uint64_t owner; /* whoever becomes the command: engine/live_owner.c */
	pid_t top;      /* the shepherd's number here, once it is known */
};

#define LIVE_NO_PAIR ((struct live_pair){.command = -1, .orders = -1})
/* What a connection begins with. */
#define LIVE_LINE(fd)        \
	((struct live_line){ \
		.used = true, .client = (fd), .orders = -1, .command = -1, .held = LIVE_NO_PAIR})

/* A connection, and the command that it asked for. */
struct live_line {
	int client;        /* -1: gone, or nobody's any more */
	bool used, queued; /* waits for a pair */
	bool setup;        /* the first one, which is nobody's */
	bool keep;         /* another request may follow */
	bool lost;         /* with the sandbox */
	bool ended;        /* the word is there, the report is being waited for */
	int orders;        /* -1: no command runs */
	int command;       /* it waits for its terminal; -1 */
	int32_t shepherd;
	bool terminal;          /* it has one of its own */
	uint32_t notes;         /* that init had before it began */
	struct plan_caps caps;  /* its own limits */
	pid_t top;              /* its shepherd's number here, once it is known */
	uint64_t owner, born;   /* its number, and its place among all: engine/live_owner.c */
	struct live_seen *seen; /* what it has reached; NULL: nothing */
	uint64_t look_at;       /* us: when those are looked at; 0: never */
	uint64_t began, deadline, kill_at, give_up_at, kill_grace; /* us; the last in ms */
	enum end_reason reason; /* why we ended it; END_EXITED: we did not */
	enum limit_hit hit;     /* ... for that limit; HIT_COUNT: none */
	int asked;              /* signals that asked the command to end */
	struct slot_word word;
	char name[40];  /* of the program */
	uint64_t begin; /* its line in the audit log, as long as nobody records its end */
	char who[POST_WHO];
	int32_t process;   /* the command is that background process; 0: none */
	int32_t waits_for; /* the caller waits for news of that one; 0: for none */
	bool waits_for_end;
	uint64_t position;     /* of the output that it has read */
	struct live_pair held; /* for the next command of a caller that stays, who can reach it */
	struct post *request;  /* queued: a copy of it */
	struct packet_fds fds;
};

#define LIVE_PAIRS 2
/* Until none is kept ready any more: the kernel's work for others grows with every process. */
#define LIVE_REST_MS 10000
#define LIVE_REST_UNUSED_MS 1000 /* of one that nobody has used yet */

#define LIVE_HOLDS 4 /* callers for whom a pair is held: it counts as processes of the sandbox */

struct live {
	struct live_call *call;
	struct stage *stage;
	int signals;
	bool up;                            /* commands may come */
	bool set_up;                        /* plan->setup was begun */
	bool waiting;                       /* it is made, and nobody's */
	bool stopping;                      /* no more do */
	bool dead;                          /* init is gone */
	bool asked;                         /* for another pair */
	bool refill;                        /* ... is to be: nobody waits for anything just now */
	bool resting;                       /* nobody has come for long: none is kept ready */
	bool swept;                         /* what others have left behind was cleared */
	struct live_pair pairs[LIVE_PAIRS]; /* those that wait, the last one first */
	size_t pair_count;
	/* Large, and not touched before they are used. */
	struct live_line lines[LIVE_LINES];
	struct live_process processes[LIVE_PROCESSES];
	int32_t last_process;
	uint64_t started, last_used, watch_at, settle_at, stop_at, ask_at, asked_at, refill_at,
		rest_at; /* us */
	uint32_t running;
	uint32_t oom_kills; /* that were seen */
	struct meter meter;
	uint32_t owners; /* commands that may use the network now */
	uint64_t only_owner, last_owner, born;
	uint64_t search_second, searched; /* us: for owners, since when; of that */
	int workspace;                    /* as it is inside; -1: it has not come yet */
	struct refusals refusals;
	struct live_refused last_refused;
	char enforced[LAYER_COUNT][POST_WORD];
	struct err error; /* why it could not be made */
};

/* Until the sandbox has ended. Fails when it was never ready. */
int live_run(struct live_call *call, struct err *e);

/* engine/live_line.c: what one connection asks for. */
void live_line_request(struct live *v, struct live_line *l);
void live_line_word(struct live *v, struct live_line *l);
void live_line_report(struct live *v, const struct wire *m);
void live_line_times(struct live *v, struct live_line *l, uint64_t now);
/* Asks it to end; it is killed after the grace. */
void live_line_end(struct live *v, struct live_line *l, enum end_reason reason);
/* The sandbox is gone, and with it the command. */
void live_line_lost(struct live *v, struct live_line *l);
void live_line_answer(struct live_line *l, const struct post *m);
/* engine/live_peer.c: whether whoever has connected may; if not, it is written down. */
bool live_peer_is_welcome(struct live *v, int fd);
void live_peer_end(struct live *v);
/* engine/live_net.c: a request about the network; true: it was one. */
bool live_net_request(struct live *v, struct live_line *l, const struct post *m);
/* engine/live_owner.c: whose connections they are. */
struct live_seen;
void live_owner_begin(struct live *v);
/* Who can begin some; before the guard has its turn. */
void live_owner_look(struct live *v);
/* The command has ended: all that its programs have done is known afterwards. */
void live_owner_take(struct live *v, struct live_line *l);
void live_owner_bytes(const struct live *v, const struct live_line *l, struct result_usage *io);
const struct result_network *live_owner_rows(const struct live_line *l); /* NULL: none */
void live_owner_free(struct live_line *l);
/* engine/live_begin.c: the request to run something. */
void live_line_exec(
	struct live *v, struct live_line *l, const struct post *m, struct packet_fds *fds);
/* The process that waits becomes the command. */
void live_line_hand_over(
	struct live *v, struct live_line *l, const struct post *m, const struct packet_fds *fds);
/* The pair that is held for the caller has become a command. */
void live_line_begun(struct live *v, struct live_line *l, const struct post *m);
/* A pair that waits; those of which one was killed meanwhile are let go. */
bool live_take_pair(struct live *v, struct live_pair *ret);
/* For the next command of the line's caller, where one can be spared. */
bool live_line_hold(struct live *v, struct live_line *l);
/* No command can be given to what is held any more; one that was given is begun. */
void live_line_let_go(struct live *v, struct live_line *l);
/* A pair has come: the first that waits gets it. */
void live_line_next(struct live *v);
void live_line_close(struct live *v, struct live_line *l);
void live_line_fail(struct live *v, struct live_line *l, int code, const char *text);
/* Everything below its shepherd, now. */
void live_line_kill(struct live *v, struct live_line *l);
/* The setup command, in the pair that waits. */
void live_line_setup(struct live *v);

/* engine/live_workspace.c: from init, once. -EPROTO: it is none. */
int live_take_workspace(struct live *v, struct packet_fds *fds);
/* ... to a caller who asks for it. */
void live_show_workspace(struct live *v, struct live_line *l, const struct post *asked);
/* engine/live_claim.c: a blank waits; 0 when it has become somebody's. */
int live_await_claim(struct live *v, struct err *e);

/* Commands may come from now on; or why not. */
void live_ready(struct live *v, const struct err *failed);
/* Everybody is asked to end, and nobody comes in; all of it is killed after the grace. */
void live_stop(struct live *v);
void live_kill(struct live *v);
/* Those that ask the sandbox to end. */
void live_take_signals(struct live *v);
/* Nobody comes in any more; whoever has come already is sent to the next one. */
void live_close_door(struct live *v);
/* Clears the control groups that others have left behind. */
void live_sweep(struct live *v);
void live_ask_for_pair(struct live *v);
void live_drop_pairs(struct live *v);
/* engine/live_times.c: does what is due; milliseconds until something will be, -1: nothing. */
void live_keep_times(struct live *v);
int live_next_due(const struct live *v);
uint64_t live_now(void);
uint64_t live_later(uint64_t now, uint64_t ms);
void live_tell(struct live *v, const struct wire *m);
