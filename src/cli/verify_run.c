/* SPDX-License-Identifier: Apache-2.0 */

/* One run of a payload: in a sandbox by `ward run`, or on the host. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/vec.h"
#include "cli/verify.h"
#include "json/json5.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEADLINE_MS 30000
#define OUTPUT_MAX (3u << 20)

struct arguments {
	struct arena *arena;
	const char **items;
	size_t count, room;
};

static void add(struct arguments *w, const char *text)
{
	vec_push(w->arena, &w->items, &w->count, &w->room, text);
}

static void add_set(struct arguments *w, const char *text)
{
	add(w, "--set");
	add(w, text);
}

static void add_option(struct arguments *w, const char *name, const char *value)
{
	if (!value)
		return;
	add(w, name);
	add(w, value);
}

static void add_payload(
	struct verify *v, struct arguments *w, const char *const *payload, enum verify_place place)
{
	add(w, "verify");
	add(w, "inside");
	for (size_t i = 0; payload[i]; i++)
		add(w, verify_stage_text(v, payload[i], place));
	add(w, NULL);
}

/* `ward run` with the caller's policy, moved to the temporary workspace. */
static void add_sandbox(struct verify *v, struct arguments *w, const char *const *sets)
{
	const struct verify_options *o = v->options;
	const struct verify_stage *s = &v->stage;

	add(w, "ward");
	add(w, "run");
	add(w, "--json");
	add_option(w, "--config", o->config.v);
	add_option(w, "--session", o->session.v);
	add_option(w, "--agent", o->agent.v);
	for (size_t i = 0; i < o->set.count; i++)
		add_set(w, o->set.items[i].text);
	add_set(w, arena_printf(w->arena, "workspacePath=%s", s->workspace));
	if (strcmp(s->inside_program, "/mnt/ward") == 0)
		add_set(w, arena_printf(w->arena, "binds=%s:/mnt/ward:ro", s->program));
	for (size_t i = 0; sets && sets[i]; i++)
		add_set(w, sets[i]);
	add(w, "--");
	add(w, s->inside_program);
}

static unsigned now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned)((uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000);
}

struct job {
	const char *const *argv;
	int in, out, error;
	pid_t parent;
};

static void start(const struct job *job)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != job->parent || dup2(job->in, 0) < 0 || dup2(job->out, 1) < 0 ||
		dup2(job->error, 2) < 0)
		_exit(127);
	signal(SIGPIPE, SIG_DFL);
	execve("/proc/self/exe", (char *const *)job->argv, environ);
	_exit(127);
}

/* Its end, or ours: whatever is left of its group ends then. */
static int await(pid_t pid)
{
	auto_fd int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	unsigned begin = now_ms();
	int status = 0;

	while (poll(&p, 1, 100) <= 0)
		if (verify_stage_stopped() || now_ms() - begin > DEADLINE_MS) {
			kill(pid, SIGTERM);
			if (poll(&p, 1, 3000) <= 0)
				kill(pid, SIGKILL);
			break;
		}
	kill(-pid, SIGKILL); /* not reaped yet, so the number is still its own */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static const char *read_back(struct arena *a, int fd, size_t *ret_len)
{
	off_t end = lseek(fd, 0, SEEK_END);
	size_t len = end < 0 ? 0 : (size_t)end < OUTPUT_MAX ? (size_t)end : OUTPUT_MAX;
	char *text = arena_alloc(a, len + 1);
	ssize_t n = pread(fd, text, len, 0);

	*ret_len = n < 0 ? 0 : (size_t)n;
	return text;
}

typedef void look_fn(struct verify *v, void *ctx);

/* The status of wait, or a negative errno. */
static int carry_out(struct verify *v, const char *const *argv, look_fn *fn, void *ctx,
	struct verify_run *ret, const char **ret_error)
{
	auto_fd int out = memfd_create("out", MFD_CLOEXEC),
		    error = memfd_create("err", MFD_CLOEXEC);
	auto_fd int in = -1, feed = -1;
	struct job job = {argv, -1, out, error, getpid()};
	unsigned begin = now_ms();
	int ends[2], status;
	size_t len;
	pid_t pid;

	if (out < 0 || error < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	in = ends[0];
	job.in = in;
	feed = ends[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		start(&job);
	setpgid(pid, pid);
	if (fn)
		fn(v, ctx);
	close(take_fd(&feed));
	status = await(pid);
	ret->wall_ms = now_ms() - begin;
	ret->out = read_back(v->call->arena, out, &ret->out_len);
	*ret_error = read_back(v->call->arena, error, &len);
	return status;
}

/* ward says it in one line; the rest is for others. */
static const char *first_line(struct arena *a, const char *text)
{
	auto_(buf_free) struct buf shown = BUF(300);
	size_t skip = strncmp(text, "ward: ", 6) == 0 ? 6 : 0;

	escape_bytes(&shown, text + skip, strcspn(text + skip, "\n"));
	return arena_printf(a, "%s", shown.len ? buf_text(&shown) : "it did not start");
}

static const char *text_of(const struct node *record, const char *key)
{
	const struct node *n = tree_get(record, key);

	return n && n->type == NODE_TEXT ? n->text : "";
}

uint64_t verify_run_number(const struct verify_run *r, const char *dotted)
{
	const struct node *n = r->record ? tree_path(r->record, dotted) : NULL;
	uint64_t value = 0;

	if (n && n->type == NODE_NUMBER)
		number_count(n->text, &value, NULL);
	return value;
}

/* The record says what the payload did; without one nothing ran. */
static void read_record(struct verify *v, struct verify_run *ret, const char *error)
{
	struct arena *a = v->call->arena;
	struct node *record = arena_alloc(a, sizeof *record);
	const struct node *code;
	struct err e = {0};

	if (json5_parse(a, "record", ret->out, ret->out_len, record, &e) < 0 ||
		record->type != NODE_OBJECT) {
		ret->error = first_line(a, error);
		return;
	}
	ret->record = record;
	code = tree_get(record, "exitCode");
	ret->exit_code = -1;
	if (code && code->type == NODE_NUMBER)
		ret->exit_code = (int)verify_run_number(ret, "exitCode");
	ret->reason = text_of(record, "reason");
	ret->out = text_of(record, "stdout");
	ret->out_len = strlen(ret->out);
	ret->ran = !tree_get(record, "startError");
	if (!ret->ran)
		ret->error = text_of(record, "startError");
	if (tree_get(record, "stdoutBase64")) { /* nothing could be found in it */
		ret->ran = false;
		ret->error = "it printed what is no text";
	}
}

static void run_inside(struct verify *v, const char *const *payload, const char *const *sets,
	look_fn *fn, void *ctx, struct verify_run *ret)
{
	struct arguments w = {.arena = v->call->arena};
	const char *error = "";

	*ret = (struct verify_run){.exit_code = -1, .reason = "", .out = ""};
	add_sandbox(v, &w, sets);
	add_payload(v, &w, payload, VERIFY_SANDBOX);
	if (carry_out(v, w.items, fn, ctx, ret, &error) < 0)
		ret->error = strerror(errno);
	else if (verify_stage_stopped())
		ret->error = "interrupted";
	else
		read_record(v, ret, error);
}

void verify_run_inside(struct verify *v, const char *const *payload, const char *const *sets,
	struct verify_run *ret)
{
	run_inside(v, payload, sets, NULL, NULL, ret);
}

void verify_run_watched(struct verify *v, const char *const *payload, look_fn *fn, void *ctx,
	struct verify_run *ret)
{
	run_inside(v, payload, NULL, fn, ctx, ret);
}

void verify_run_host(struct verify *v, const char *const *payload, struct verify_run *ret)
{
	struct arguments w = {.arena = v->call->arena};
	const char *error = "";
	int status;

	*ret = (struct verify_run){.exit_code = -1, .reason = "", .out = ""};
	add(&w, "ward");
	add_payload(v, &w, payload, VERIFY_HOST);
	status = carry_out(v, w.items, NULL, NULL, ret, &error);
	ret->ran = status >= 0 && !verify_stage_stopped();
	if (ret->ran && WIFEXITED(status))
		ret->exit_code = WEXITSTATUS(status);
}
