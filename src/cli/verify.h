/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the parts of `ward verify` share. An attempt is a row: the layer it tries, what it does, a
 * payload with arguments, and a judge. The payload is a function of ward itself (`ward verify
 * inside NAME ARGUMENT...`, which people have no use for); it is run in a sandbox by `ward run
 * --json`, and on the host without any sandbox as the control: an attempt that does not succeed
 * there proves nothing. Judges look at the host (the canary, the listeners, the victim, the record
 * of the run), and believe the payload only where the host has nothing to look at.
 */

#include "cli/cli.h"
#include "door/run.h"
#include "json/tree.h"

#include <sys/types.h>

struct verify_options {
	struct opt_text session, agent, config;
	struct opt_list set;
	struct opt_bool all, json;
};

enum verify_result {
	VERIFY_HELD,
	VERIFY_THROUGH,
	VERIFY_NOT_TRIED,    /* the control failed, or it could not be carried out */
	VERIFY_NOT_ASKED,    /* the policy does not promise it */
	VERIFY_NOT_ENFORCED, /* nothing enforces the layer on this machine */
	VERIFY_RESULTS
};
extern const char *const verify_result_names[]; /* for people */
extern const char *const verify_result_keys[];  /* for JSON */

struct verify_row {
	enum layer_id layer;
	const char *name;
	enum verify_result result;
	const char *why; /* NULL: nothing to say */
};

#define VERIFY_ROWS 192
#define VERIFY_PATH 512
#define VERIFY_TOKEN 25
#define VERIFY_SECRET "WARD_VERIFY_SECRET" /* a variable with the token in it */

/* What comes from outside into one call of the payload. */
enum verify_place { VERIFY_HOST, VERIFY_SANDBOX };

/* Where listeners of the host are. */
enum verify_ear {
	EAR_TCP4,
	EAR_TCP6,
	EAR_UDP,
	EAR_ABSTRACT, /* a unix socket without a file */
	EAR_FILE,     /* one in a folder outside of the workspace */
	EAR_COUNT
};

struct verify_stage {
	char base[VERIFY_PATH];      /* a temporary folder; everything below is in it */
	char workspace[VERIFY_PATH]; /* the sandbox's workspace */
	char outside[VERIFY_PATH];   /* a folder that no sandbox is shown */
	char program[VERIFY_PATH];   /* a copy of ward */
	const char *inside_program;  /* the same as the sandbox sees it */
	char token[VERIFY_TOKEN];    /* a secret of this call */
	const char *home;
	int canary; /* a file outside, open without O_CLOEXEC: whoever inherits it can read it */
	int ear[EAR_COUNT];
	unsigned port[EAR_COUNT];
	pid_t victim;
	bool ready; /* there is something to take down */
};

struct verify {
	struct call *call;
	const struct verify_options *options;
	struct config config; /* which the plan's texts belong to */
	struct plan plan;     /* of the policy as it is written */
	struct verify_stage stage;
	bool passes_all; /* the policy hands every variable of the environment on */
	const char *mechanism[LAYER_COUNT]; /* from a record; "none": not enforced */
	struct verify_row rows[VERIFY_ROWS];
	size_t row_count;
};

/* What came of one run of the payload. */
struct verify_run {
	bool ran;      /* the payload was started */
	int exit_code; /* of the payload; -1: a signal ended it */
	const char *reason;
	const char *out; /* its standard output */
	size_t out_len;
	const struct node *record; /* NULL on the host */
	unsigned wall_ms;
	const char *error; /* why nothing ran */
};

struct verify_attempt {
	enum layer_id layer;
	const char *name;
	const char *payload[5]; /* words in braces stand for parts of the stage */
	const char *set;        /* one more setting */
	bool (*asked)(const struct verify *v);
	bool (*control)(struct verify *v, const struct verify_attempt *a); /* NULL: on the host */
	/* HELD or THROUGH, and everything as before */
	enum verify_result (*judge)(
		struct verify *v, const struct verify_attempt *a, const struct verify_run *r);
};

/* cli/verify_stage.c */
int verify_stage_make(struct verify *v, struct err *e); /* tries several places */
void verify_stage_free(struct verify_stage *s);
bool verify_stage_heard(struct verify_stage *s); /* did anybody call a listener? forgets it */
bool verify_stage_hit(struct verify_stage *s);   /* did a signal come to the victim? forgets it */
bool verify_stage_signalled(void);               /* did this process get SIGURG? forgets it */
bool verify_stage_stopped(void);                 /* somebody wants to end it all */
/* "{outside}/x" with what stands for the words at that place. */
const char *verify_stage_text(struct verify *v, const char *text, enum verify_place place);

/* cli/verify_run.c; sets ends with NULL, or is NULL */
void verify_run_inside(struct verify *v, const char *const *payload, const char *const *sets,
	struct verify_run *ret);
void verify_run_host(struct verify *v, const char *const *payload, struct verify_run *ret);
/* A payload that waits for the end of its input; fn looks around meanwhile. */
void verify_run_watched(struct verify *v, const char *const *payload,
	void (*fn)(struct verify *v, void *ctx), void *ctx, struct verify_run *ret);
uint64_t verify_run_number(const struct verify_run *r, const char *dotted); /* of the record; 0 */

/* cli/verify_attempts.c, cli/verify_calls.c, cli/verify_limits.c, cli/verify_looks.c */
void verify_add(struct verify *v, enum layer_id layer, const char *name, enum verify_result result,
	const char *why);
void verify_attempts(struct verify *v);
void verify_calls(struct verify *v);
void verify_limits(struct verify *v);
void verify_looks(struct verify *v);
/* A process of the host with that name; cli/verify_looks.c. */
#define VERIFY_PID 16
bool verify_find(const char *name, char ret_pid[VERIFY_PID]);

/* cli/verify_inside.c: the payloads. The exit status: 0 it happened, 1 refused, 2 not tried. */
int verify_inside(char **args, size_t count);
int verify_inside_calls(const char *first);       /* cli/verify_calls.c */
int verify_inside_hog(char **args, size_t count); /* cli/verify_hogs.c; -1: no such payload */

/* cli/verify_show.c */
void verify_show(struct verify *v);
void verify_json(struct verify *v);
