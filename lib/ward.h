/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * libward: sandboxes for the commands of AI agents, as a C library. See libward(3).
 *
 * A handle is one session. ward_open() starts one process, `ward mcp`, which decides, asks, runs
 * and records; the library only speaks with it. So a large program with many threads never forks a
 * sandbox itself, and what holds at the command line and over MCP holds here.
 *
 * Functions answer with WARD_OK or a negative enum ward_error; ward_message() says more. Nothing
 * here ends the process, prints, keeps global state, or touches signals. One thread at a time may
 * use a handle; several handles know nothing of each other. Texts are UTF-8.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WARD_API_VERSION 1

#if defined(__GNUC__)
#define WARD_API __attribute__((visibility("default")))
#else
#define WARD_API
#endif

enum ward_error {
	WARD_OK = 0,
	WARD_DENIED = -1,    /* the policy, or the person who was asked, said no */
	WARD_NOT_FOUND = -2, /* no such file; no such tool for this session, unknown or denied */
	WARD_INVALID = -3,   /* the arguments are wrong */
	WARD_TIMEOUT = -4,   /* no answer in time, of ward or of the person who was asked */
	WARD_CANCELLED = -5, /* by ward_cancel() */
	WARD_LOST = -6,      /* ward has ended: close the handle */
	WARD_NOMEM = -7,
	WARD_SYSTEM = -8,    /* the system refused something; errno is not kept, the message is */
	WARD_TOO_LARGE = -9, /* the request, the file or the answer */
	WARD_FAILED = -10,   /* the tool could not do it for another reason */
	WARD_BUSY = -11,     /* from inside a callback, or too many calls at once */
	WARD_ERRORS = 12
};

struct ward; /* a handle */

enum ward_stream { WARD_STDOUT = 1, WARD_STDERR = 2 };

enum ward_consent {
	WARD_NO = 0,
	WARD_YES = 1,
	WARD_LATER = 2 /* by ward_decide(), or by somebody with `ward approve` */
};

/* A person must agree. The text shows the whole command, escaped: show all of it. */
struct ward_approval {
	uint64_t id; /* for ward_decide() */
	const char *text;
	size_t text_len;
};

/*
 * How a handle is opened. Set everything to zero first; what stays zero has its default. Callbacks
 * are called from inside of the library's functions, never from another thread. They may call
 * ward_begin(), ward_cancel() and ward_decide(), and nothing else, on the same handle.
 */
struct ward_options {
	const char *program;         /* of ward; found by PATH unless given */
	const char *config;          /* as --config */
	const char *session, *agent; /* as --session, --agent */
	const char *workspace;       /* the folder to work in; the current one unless given */
	const char *const *set;      /* each as --set; ends with NULL */
	const char *const *env;      /* for ward, NAME=value; ends with NULL; NULL: our own */
	unsigned open_timeout_ms;    /* 10 s unless given */
	char *error;                 /* where ward_open() says why it failed */
	size_t error_size;
	void *ctx; /* for the callbacks */
	enum ward_consent (*on_approval)(void *ctx, const struct ward_approval *approval);
	/* Level as in syslog: "debug" to "emergency". */
	void (*on_log)(void *ctx, const char *level, const char *text);
};

/* What a tool answered. */
struct ward_answer {
	int failed; /* the tool could not do it, or the command did not end with 0 */
	char *text; /* for whoever reads; NUL behind it */
	size_t text_len;
	char *json; /* an object; empty where there is none */
	size_t json_len;
};

/* on_done is called once for each call that was begun; the answer is the library's. */
struct ward_callbacks {
	void *ctx;
	void (*on_output)(
		void *ctx, uint64_t id, enum ward_stream stream, const char *data, size_t len);
	void (*on_done)(void *ctx, uint64_t id, int error, const struct ward_answer *answer);
};

/* A command. Give argv, or a command line for a shell. */
struct ward_command {
	const char *const *argv; /* ends with NULL */
	const char *command;
	const char *cwd;        /* in the workspace, or a path inside the sandbox */
	const char *const *env; /* added: NAME=value; ends with NULL */
	const char *input;      /* what it can read: text */
	size_t input_len;
	uint64_t timeout_ms; /* no more than the policy allows */
	int background;      /* do not wait: the result has the process */
	void *ctx;
	/* Output as it comes; the result has all of it again. */
	void (*on_output)(
		void *ctx, uint64_t id, enum ward_stream stream, const char *data, size_t len);
};

/* What ended a command. */
enum ward_end {
	WARD_END_EXITED,
	WARD_END_SIGNALLED,
	WARD_END_TIMEOUT,
	WARD_END_IDLE,
	WARD_END_OOM,
	WARD_END_POLICY,
	WARD_END_STOPPED,
	WARD_END_INTERNAL,
	WARD_END_STARTED /* in the background */
};

struct ward_result {
	enum ward_end end;
	int exit_code;   /* -1: it did not exit */
	int signal;      /* 0: none */
	long process;    /* in the background: the id for the tool `process` */
	char *out, *err; /* standard output and error; NUL behind them */
	size_t out_len, err_len;
	int out_truncated, err_truncated;
	char *json; /* everything, as of `ward run --json` */
	size_t json_len;
};

WARD_API unsigned ward_api_version(void); /* of the library that is loaded */
WARD_API const char *ward_strerror(int error);
/* More about the last failure of this handle; "" where there was none. */
WARD_API const char *ward_message(const struct ward *w);

WARD_API int ward_open(const struct ward_options *options, struct ward **ret);
/* Ends what still runs, but not what runs in the background of the sandbox. Takes NULL. */
WARD_API void ward_close(struct ward *w);

/* Waits for the end of the command. WARD_OK: it was run, see how it ended. */
WARD_API int ward_exec(struct ward *w, const struct ward_command *command, struct ward_result *ret);
WARD_API void ward_result_free(struct ward_result *result);

/* Any tool; arguments are a JSON object, NULL: {}. The answer is filled also when a tool failed. */
WARD_API int ward_call(
	struct ward *w, const char *tool, const char *arguments, struct ward_answer *ret);
WARD_API void ward_answer_free(struct ward_answer *answer);

/* Files of the workspace. What is handed back is freed with free(), and has a NUL behind it. */
WARD_API int ward_read(struct ward *w, const char *path, char **ret, size_t *ret_len);
WARD_API int ward_write(struct ward *w, const char *path, const void *data, size_t len);
WARD_API int ward_edit(
	struct ward *w, const char *path, const char *old_text, const char *new_text, int all);
WARD_API int ward_patch(struct ward *w, const char *patch);
/* path NULL: the workspace; depth 0: one level. The answers are JSON objects. */
WARD_API int ward_list(struct ward *w, const char *path, unsigned depth, char **ret_json);
WARD_API int ward_search(struct ward *w, const char *pattern, const char *path, char **ret_json);
WARD_API int ward_status(struct ward *w, char **ret_json); /* of the session */
WARD_API int ward_tools(struct ward *w, char **ret_json); /* that may be called: {"tools": [...]} */

/*
 * Without waiting. Wait for ward_events() on ward_fd() with poll() or the like, then call
 * ward_step(), which does what can be done and calls the callbacks.
 */
WARD_API int ward_begin(struct ward *w, const char *tool, const char *arguments,
	const struct ward_callbacks *callbacks, uint64_t *ret_id);
WARD_API int ward_fd(const struct ward *w);
WARD_API short ward_events(const struct ward *w);
WARD_API int ward_step(struct ward *w);
/* Ends the call; on_done follows from the next ward_step(), with WARD_CANCELLED. */
WARD_API int ward_cancel(struct ward *w, uint64_t id);
/* The answer to an approval that was left for later; advice for the agent may be NULL. */
WARD_API int ward_decide(
	struct ward *w, uint64_t approval, enum ward_consent consent, const char *advice);

#ifdef __cplusplus
}
#endif
