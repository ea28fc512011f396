/* SPDX-License-Identifier: Apache-2.0 */

/* One connection to a living sandbox: its requests, its command, the answer. */

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/mem.h"
#include "engine/enforced.h"
#include "engine/live.h"
#include "engine/wire.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define STREAMS 3
#define REPORT_MS 1000 /* that init may take to say what it refused */

static struct post in; /* what has just come */

static void hand_over(
	struct live *v, struct live_line *l, const struct post *m, const struct packet_fds *fds);

void live_line_close(struct live *v, struct live_line *l)
{
	if (l->orders >= 0 || l->ended)
		v->running--;
	cleanup_fd(&l->client);
	cleanup_fd(&l->orders);
	cleanup_fd(&l->command);
	packet_close(&l->fds);
	free(l->request);
	*l = (struct live_line){.client = -1, .orders = -1, .command = -1};
}

static void answer(struct live_line *l, const struct post *m)
{
	if (l->client >= 0)
		post_send(l->client, false, m, NULL);
}

static void fail(struct live *v, struct live_line *l, int code, const char *text)
{
	struct post m = {.version = POST_VERSION, .kind = POST_FAILED};

	err_set(&m.error, code, "%s", text);
	answer(l, &m);
	live_line_close(v, l);
}

static void put_enforced(struct live *v, char ret[LAYER_COUNT][POST_WORD])
{
	struct result r = {0};

	enforced_fill(v->stage, &r);
	for (int i = 0; i < LAYER_COUNT; i++)
		snprintf(ret[i], POST_WORD, "%s", r.enforced[i] ? r.enforced[i] : "none");
}

/* Kills by the limit that happened while it ran; with several commands it may be another's. */
static uint32_t oom_kills(struct live *v, bool failed)
{
	struct leaf_usage u;

	leaf_usage(&v->stage->leaf, failed, &u);
	if (u.memory_peak > v->call->card->memory_peak)
		v->call->card->memory_peak = u.memory_peak;
	return (uint32_t)u.oom_kills;
}

static void fill_end(struct live *v, struct live_line *l, struct post_end *ret)
{
	const struct slot_word *w = &l->word;
	bool failed = w->status != 0;
	uint32_t kills = failed ? oom_kills(v, true) : l->oom_kills;

	ret->exit_code = WIFEXITED(w->status) ? WEXITSTATUS(w->status) : -1;
	ret->signal = WIFSIGNALED(w->status) ? WTERMSIG(w->status) : 0;
	ret->start_error = w->start_error;
	ret->lost = l->lost;
	ret->reason = l->reason != END_EXITED ? l->reason
		      : ret->signal           ? END_SIGNALLED
					      : END_EXITED;
	if (kills > l->oom_kills)
		ret->hits[HIT_MEMORY] = kills - l->oom_kills;
	if (l->reason == END_OOM && ret->hits[HIT_MEMORY] == 0)
		ret->hits[HIT_MEMORY] = 1;
	if (l->reason == END_EXITED && ret->exit_code != 0 && ret->hits[HIT_MEMORY] > 0)
		ret->reason = END_OOM;
	ret->usage.wall_us = live_now() - l->began;
	ret->usage.user_us = w->user_us;
	ret->usage.system_us = w->system_us;
	ret->usage.memory_peak = w->largest;
	ret->usage.read_bytes = w->read_bytes;
	ret->usage.written_bytes = w->written_bytes;
	put_enforced(v, ret->enforced);
}

/* A sandbox that could not be set up is none. */
static void finish_setup(struct live *v, struct live_line *l, const struct post_end *end)
{
	struct err e = {0};

	live_line_close(v, l);
	if (end->reason == END_EXITED && end->exit_code == 0) {
		live_ready(v, NULL);
		return;
	}
	if (end->reason == END_EXITED)
		err_set(&e, ECANCELED, "setupCommand failed with status %d: no sandbox was made",
			end->exit_code);
	else
		err_set(&e, ECANCELED, "setupCommand failed (%s): no sandbox was made",
			end_reason_names[end->reason]);
	live_ready(v, &e);
}

/* The last word about a command. */
static void finish(struct live *v, struct live_line *l, const struct result_report *report)
{
	struct post m = {.version = POST_VERSION, .kind = POST_ENDED};

	fill_end(v, l, &m.end);
	if (l->setup) {
		finish_setup(v, l, &m.end);
		return;
	}
	if (report)
		m.end.report = *report;
	answer(l, &m);
	v->call->card->served++;
	v->call->card->cpu_us += m.end.usage.user_us + m.end.usage.system_us;
	v->last_used = live_now();
	live_line_close(v, l);
}

void live_line_lost(struct live *v, struct live_line *l)
{
	if (l->orders >= 0 || l->ended) {
		if (!l->ended)
			l->word = (struct slot_word){.status = SIGKILL};
		l->lost = l->reason == END_EXITED && !l->ended;
		finish(v, l, NULL);
	} else { /* whatever it wants, it was not begun */
		fail(v, l, ESHUTDOWN, "the sandbox has ended");
	}
}

/* Only where there is something to hear, since it takes a while. */
static void ask_for_report(struct live *v, struct live_line *l)
{
	bool some = atomic_load(v->stage->notes) != l->notes;

	if (some || l->told)
		live_tell(v, &(struct wire){.kind = WIRE_FORGET, .about = l->shepherd});
	if (!some) {
		finish(v, l, NULL);
		return;
	}
	l->ended = true;
	l->deadline = l->kill_at = 0;
	l->give_up_at = live_later(live_now(), REPORT_MS);
	close(take_fd(&l->orders));
}

void live_line_report(struct live *v, const struct wire *m)
{
	for (size_t i = 0; i < LIVE_LINES; i++)
		if (v->lines[i].ended && v->lines[i].shepherd == m->about)
			finish(v, &v->lines[i], &m->report);
}

/* Its other side goes to the caller, and the command may begin. */
static void opened(struct live *v, struct live_line *l, const struct slot_word *w,
	const struct packet_fds *fds)
{
	struct post m = {.version = POST_VERSION, .kind = POST_TERMINAL};

	if (l->command < 0 || !l->request)
		return;
	if (w->start_error || fds->count != 1) {
		fail(v, l, w->start_error ? w->start_error : EPROTO,
			"no terminal could be opened in the sandbox");
		return;
	}
	if (l->client >= 0)
		post_send(l->client, false, &m, fds);
	hand_over(v, l, l->request, &l->fds);
	packet_close(&l->fds);
	free(take_ptr(l->request));
}

/* A shepherd that is gone without a word was killed from inside: so is what it kept. */
void live_line_word(struct live *v, struct live_line *l)
{
	struct slot_word w;
	auto_(packet_close) struct packet_fds fds = {.count = 0};
	ssize_t n = packet_receive(l->orders, false, &w, sizeof w, &fds);
	struct post paused = {.version = POST_VERSION, .kind = POST_PAUSED};

	if (n == -EAGAIN)
		return;
	if (n == sizeof w && w.kind == SLOT_PAUSED) {
		answer(l, &paused);
		return;
	}
	if (n == sizeof w && w.kind == SLOT_OPENED) {
		opened(v, l, &w, &fds);
		return;
	}
	if (n != sizeof w || w.kind != SLOT_ENDED) {
		live_tell(v, &(struct wire){.kind = WIRE_SWEEP});
		w = (struct slot_word){.status = SIGKILL};
	}
	l->word = w;
	ask_for_report(v, l);
}

static void kill_command(struct live *v, struct live_line *l)
{
	struct slot_order order = {.kind = SLOT_KILL};

	packet_send(l->orders, false, &order, sizeof order, NULL);
	(void)v;
	if (!l->give_up_at)
		l->give_up_at = live_later(live_now(), STAGE_PATIENCE_MS);
}

void live_line_end(struct live *v, struct live_line *l, enum end_reason reason)
{
	if (l->reason != END_EXITED || l->orders < 0)
		return;
	l->reason = reason;
	l->deadline = 0;
	if (reason == END_OOM || l->kill_grace == 0) {
		kill_command(v, l);
		return;
	}
	live_tell(v, &(struct wire){.kind = WIRE_BELOW, .about = l->shepherd, .number = SIGTERM});
	/* A stopped process does not hear anything else. */
	live_tell(v, &(struct wire){.kind = WIRE_BELOW, .about = l->shepherd, .number = SIGCONT});
	l->kill_at = live_later(live_now(), l->kill_grace);
}

/* What cannot be ended alone is ended with the sandbox. */
void live_line_times(struct live *v, struct live_line *l, uint64_t now)
{
	if (l->ended && now >= l->give_up_at) {
		finish(v, l, NULL);
		return;
	}
	if (l->orders < 0)
		return;
	if (l->deadline && now >= l->deadline)
		live_line_end(v, l, END_TIMEOUT);
	if (l->kill_at && now >= l->kill_at) {
		l->kill_at = 0;
		kill_command(v, l);
	}
	if (l->give_up_at && now >= l->give_up_at) {
		l->give_up_at = 0;
		kill(v->stage->init, SIGKILL);
	}
}

/* Folders would be a way out to the host. Pipes and sockets are nobody's file. */
static int look_at_streams(const struct packet_fds *fds, bool *ret_files, struct err *e)
{
	*ret_files = false;
	for (int i = 0; i < STREAMS; i++) {
		struct stat st;

		if (fstat(fds->fd[i], &st) < 0)
			return err_sys(e, -errno, "look at descriptor %d", i);
		if (S_ISDIR(st.st_mode))
			return err_set(e, EISDIR,
				"descriptor %d is a folder of the host, which is not handed in; "
				"redirect it from a file or /dev/null",
				i);
		*ret_files |= !S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode);
	}
	return 0;
}

static void tell_init(struct live *v, struct live_line *l, const struct packet_fds *fds)
{
	struct wire m = {.kind = WIRE_COMMAND, .about = l->shepherd};

	for (int i = 0; i < STREAMS; i++)
		m.command.foreign[i] = broker_file_of(fds->fd[i]);
	live_tell(v, &m);
	l->told = true;
}

static void keep_request(struct live_line *l, const struct post *m, struct packet_fds *fds)
{
	l->request = mem_alloc(sizeof *m);
	memcpy(l->request, m, sizeof *m);
	l->fds = *fds;
	fds->count = 0;
}

/* The process that waits becomes the command. */
static void hand_over(
	struct live *v, struct live_line *l, const struct post *m, const struct packet_fds *fds)
{
	size_t text = m->exec.command.flags & SLOT_LONG ? 0 : m->exec.command.size;
	int r = packet_send(
		l->command, false, &m->exec.command, sizeof m->exec.command + text, fds);

	close(take_fd(&l->command));
	if (r < 0)
		live_line_end(v, l, END_INTERNAL);
}

/* The pair that waits is the line's. With a terminal, that is opened first. */
static void start(struct live *v, struct live_line *l, const struct post *m, struct packet_fds *fds)
{
	bool terminal = m->exec.command.flags & SLOT_TERMINAL, files = false;
	struct slot_order order = {.kind = SLOT_OPEN, .number = m->exec.command.window};
	struct err e = {0};

	if (!terminal && look_at_streams(fds, &files, &e) < 0) {
		fail(v, l, e.code, e.text);
		return;
	}
	l->queued = false;
	l->shepherd = v->pair.shepherd;
	l->notes = atomic_load(v->stage->notes);
	l->oom_kills = oom_kills(v, false);
	if (files && v->stage->plan->broker)
		tell_init(v, l, fds);
	l->command = take_fd(&v->pair.command);
	l->orders = take_fd(&v->pair.orders);
	v->running++;
	l->began = live_now();
	l->deadline = m->exec.timeout ? live_later(l->began, m->exec.timeout) : 0;
	l->kill_grace = m->exec.kill_grace;
	if (v->watch_at)
		v->watch_at = l->began;
	if (!terminal) {
		hand_over(v, l, m, fds);
		return;
	}
	packet_send(l->orders, false, &order, sizeof order, NULL);
	if (!l->request)
		keep_request(l, m, fds);
}
_Static_assert(offsetof(struct post_exec, text) ==
		       offsetof(struct post_exec, command) + sizeof(struct slot_command),
	"head and text are sent in one piece");

static bool put_words(struct post_exec *x, const char *const *words, uint32_t *io_count)
{
	for (; words[*io_count]; (*io_count)++) {
		size_t len = strlen(words[*io_count]) + 1;

		if (len > SLOT_TEXT - x->command.size)
			return false;
		memcpy(x->text + x->command.size, words[*io_count], len);
		x->command.size += (uint32_t)len;
	}
	return true;
}

void live_line_setup(struct live *v)
{
	const struct plan *p = v->stage->plan;
	const char *const folder[] = {p->workspace_path ? PLAN_WORKSPACE : PLAN_HOME, NULL};
	const char *const argv[] = {"/bin/sh", "-c", p->setup, NULL};
	int out = v->call->setup_output;
	struct packet_fds fds = {.fd = {STDIN_FILENO, out, out}, .count = STREAMS};
	struct live_line *l = &v->lines[0];
	uint32_t one = 0;
	struct err e = {0};

	memset(&in, 0, offsetof(struct post, exec.text));
	in.exec.kill_grace = p->kill_grace;
	*l = (struct live_line){
		.used = true, .setup = true, .client = -1, .orders = -1, .command = -1};
	if (put_words(&in.exec, folder, &one) && put_words(&in.exec, argv, &in.exec.command.argc) &&
		put_words(&in.exec, p->env, &in.exec.command.envc) &&
		in.exec.command.envc < SLOT_WORDS - STREAMS)
		start(v, l, &in, &fds);
	if (l->orders >= 0)
		return;
	err_set(&e, E2BIG,
		"setupCommand cannot be started: its environment is too large, or "
		"standard error is a folder");
	live_ready(v, &e);
}

void live_line_next(struct live *v)
{
	for (size_t i = 0; i < LIVE_LINES && v->pair.command >= 0; i++) {
		struct live_line *l = &v->lines[i];

		if (!l->queued)
			continue;
		start(v, l, l->request, &l->fds);
		if (l->command >= 0 || !l->used)
			continue;
		packet_close(&l->fds);
		free(take_ptr(l->request));
	}
}

/* The texts are counted here, so that those inside need not be believed to have done so. */
static bool is_whole(const struct post_exec *x, const struct packet_fds *fds)
{
	const struct slot_command *c = &x->command;
	bool inlined = !(c->flags & SLOT_LONG);
	size_t streams = c->flags & SLOT_TERMINAL ? 0 : STREAMS;
	uint32_t words = 0;

	if ((c->flags & ~(uint32_t)(SLOT_LONG | SLOT_TERMINAL)) || c->argc == 0 ||
		fds->count != streams + !inlined)
		return false;
	if (c->size > SLOT_TEXT_MAX || c->argc > SLOT_WORDS_MAX || c->envc > SLOT_WORDS_MAX)
		return false;
	if (!inlined)
		return true;
	for (uint32_t i = 0; i < c->size; i++)
		words += x->text[i] == '\0';
	return c->size > 0 && c->argc + c->envc <= SLOT_WORDS && words == 1 + c->argc + c->envc &&
	       x->text[c->size - 1] == '\0';
}

static void exec(struct live *v, struct live_line *l, const struct post *m, struct packet_fds *fds)
{
	struct post changed = {
		.version = POST_VERSION, .kind = POST_CHANGED, .number = (int32_t)v->running};

	if (l->orders >= 0 || l->queued || l->ended || !is_whole(&m->exec, fds)) {
		fail(v, l, EPROTO, "no request of ward's");
	} else if (v->stopping) {
		fail(v, l, ESHUTDOWN, "the sandbox is being stopped");
	} else if (memcmp(m->exec.config, v->call->card->config, POST_CONFIG) != 0) {
		answer(l, &changed);
		live_line_close(v, l);
	} else if (v->pair.command >= 0) {
		start(v, l, m, fds);
	} else {
		keep_request(l, m, fds);
		l->queued = true;
	}
}

/* The first request to end is passed on, the second one is meant. */
static void pass_signal(struct live *v, struct live_line *l, int number)
{
	bool ends = number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
	struct slot_order order = {.kind = SLOT_SIGNAL, .number = number};

	if (l->orders < 0)
		return;
	if (ends && l->asked++ > 0) {
		l->reason = END_STOPPED;
		kill_command(v, l);
		return;
	}
	packet_send(l->orders, false, &order, sizeof order, NULL);
	order.number = SIGCONT;
	if (ends)
		packet_send(l->orders, false, &order, sizeof order, NULL);
}

/* Answered by the end of the connection, when everything has ended. */
static void stop(struct live *v, struct live_line *l, bool anyway)
{
	if (v->running > 0 && !anyway) {
		fail(v, l, EBUSY, "commands are running in it");
		return;
	}
	kill(getpid(), SIGTERM);
}

void live_line_request(struct live *v, struct live_line *l)
{
	auto_(packet_close) struct packet_fds fds = {.count = 0};
	int r = post_receive(l->client, false, &in, &fds);

	if (r == -EAGAIN)
		return;
	if (r == -EPROTONOSUPPORT || r == -EPROTO) {
		fail(v, l, -r, "the sandbox was started by another version of ward");
		return;
	}
	if (r < 0) { /* gone: nobody waits for the command */
		close(take_fd(&l->client));
		if (l->orders >= 0)
			live_line_end(v, l, END_STOPPED);
		else if (!l->ended)
			live_line_close(v, l);
		return;
	}
	switch (in.kind) {
	case POST_EXEC:
		exec(v, l, &in, &fds);
		break;
	case POST_SIGNAL:
		pass_signal(v, l, in.number);
		break;
	case POST_STOP:
		stop(v, l, in.number);
		break;
	default:
		fail(v, l, EPROTO, "no request of ward's");
	}
}
