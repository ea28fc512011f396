/* SPDX-License-Identifier: Apache-2.0 */
#include "door/approval.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"
#include "base/str.h"
#include "door/approval_parts.h"
#include "door/binding.h"
#include "door/load.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>

#define USES_MS 3600000u /* how long a number of uses holds when no time was said */

/* "pts/3", as far as the device's number says it. Of one that lives only: its number is its own. */
static void put_terminal(struct buf *out, const struct approval_by *by)
{
	struct proctree_row row;

	if (proctree_look(by->pid, &row) < 0 ||
		(by->process >= 0 ? !peer_lives(by->process) : by->pid != getpid()))
		return;
	if ((row.terminal >> 8 & 0xfff) == 136)
		buf_printf(out, ",\"tty\":\"pts/%d\"",
			(row.terminal & 0xff) | (row.terminal >> 12 & 0xfff00));
}

int approval_note(struct approval *p, const char *action, const struct approval_by *by,
	const char *why, struct err *e)
{
	auto_(buf_free) struct buf m = BUF(1024), command = BUF(2 * APPROVAL_COMMAND);
	const struct verdict *v = p->q.verdict;
	struct record_fact facts[] = {{"command", NULL}, {"session", v->session.key},
		{"agent", v->session.agent}, {"why", why && why[0] ? why : NULL}};
	char digest[2 * SHA256_SIZE + 1];

	if (!p->q.record)
		return 0;
	approval_text_command(p->q.argv, &command);
	facts[0].text = buf_text(&command);
	sha256_hex(p->digest, digest);
	buf_printf(&m, "\"id\":\"%s\",\"action\":\"%s\"", p->id[0] ? p->id : p->grant, action);
	if (by) {
		buf_printf(&m, ",\"by\":{\"uid\":%u,\"pid\":%d,\"how\":\"%s\"", (unsigned)by->uid,
			(int)by->pid, by->how);
		put_terminal(&m, by);
		buf_putc(&m, '}');
	}
	buf_printf(&m, ",\"place\":\"%s\",\"digest\":\"%s\"", place_names[v->place], digest);
	return record_event(p->q.record, "approval", buf_text(&m), facts, ARRAY_LEN(facts), e);
}

static struct approval_file look_at(const char *path)
{
	struct approval_file f = {.path = path};
	struct stat st;

	if (path && stat(path, &st) == 0) {
		f.device = st.st_dev;
		f.inode = st.st_ino;
		f.size = (uint64_t)st.st_size;
		f.changed_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
	}
	return f;
}

/* Where they would be: one that appears later is a change too. */
static void remember_files(struct approval *p)
{
	const struct config *c = p->q.config;
	const struct source *user = c->levels[LEVEL_USER].source;
	const struct source *work = c->levels[LEVEL_WORKSPACE].source;
	char folder[PATH_MAX], link[32];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", p->q.cwd);
	n = readlink(p->q.cwd < 0 ? "/proc/self/cwd" : link, folder, sizeof folder - 1);
	folder[n < 0 ? 0 : n] = '\0';
	p->files[0] = look_at(LOAD_SYSTEM_FILE);
	p->files[1] = look_at(user ? user->name : load_user_path(p->arena));
	p->files[2] = look_at(
		work ? work->name
		     : arena_printf(p->arena, "%s/%s", p->q.workspace ? p->q.workspace : folder,
			       LOAD_WORKSPACE_FILE));
}

static int check_policy(const struct approval *p, struct err *e)
{
	for (size_t i = 0; i < APPROVAL_FILES; i++) {
		const struct approval_file *was = &p->files[i];
		struct approval_file now = look_at(was->path);

		if (now.device != was->device || now.inode != was->inode || now.size != was->size ||
			now.changed_ns != was->changed_ns)
			return err_set(e, ESTALE,
				"the configuration was changed while the command waited: nothing "
				"was run; ask again");
	}
	return 0;
}

/* In a sandbox the program is found once more by its name: it must be the same still. */
static int check_subject(const struct approval *p, struct err *e)
{
	const struct approval_request *q = &p->q;
	struct subject_request again = {
		q->config, q->verdict, q->argv, q->env, q->cwd, q->workspace};
	auto_(subject_close) struct subject now = {.fd = -1, .copy = -1};
	struct err unused = {0};
	int r;

	if (q->verdict->place == PLACE_HOST)
		return 0;
	r = subject_open(&again, p->arena, &now, &unused);
	if (r < 0 && r != -ENOENT)
		return err_ctx(e, err_set(e, EPERM, "%s", unused.text), "after it was approved");
	if (now.program.inode != p->subject.program.inode ||
		memcmp(now.program.hash, p->subject.program.hash, SHA256_SIZE) != 0 ||
		memcmp(now.script.hash, p->subject.script.hash, SHA256_SIZE) != 0)
		return err_set(e, ESTALE,
			"the program was changed while the command waited: nothing was run");
	return 0;
}

static void settle(struct approval *p, enum approval_state state)
{
	p->state = state;
	prompt_close(&p->prompt, state == APPROVAL_GIVEN ? "\nApproved.\n" : "\nNot approved.\n");
}

/* What is left of it for the next time. */
static int keep_grant(struct approval *p, const struct approval_by *by,
	const struct approval_terms *t, struct err *e)
{
	const struct verdict *v = p->q.verdict;
	auto_(buf_free) struct buf command = BUF(sizeof((struct grant *)0)->command - 4);
	uint64_t for_ms = t->for_ms ? t->for_ms : t->uses ? USES_MS : v->rule ? v->rule->ttl : 0;
	struct grant g = {.uses = t->uses ? t->uses - 1 : GRANT_ENDLESS, .by_uid = by->uid};
	struct timespec now;

	if (for_ms == 0 || g.uses == 0)
		return 0;
	if (p->too_long)
		return t->for_ms || t->uses
			       ? err_set(e, EINVAL,
					 "a command that is too long to be shown whole "
					 "is approved once only")
			       : 0;
	clock_gettime(CLOCK_REALTIME, &now);
	g.given_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	approval_text_command(p->q.argv, &command);
	snprintf(g.command, sizeof g.command, "%s%s", buf_text(&command),
		command.dropped ? "..." : "");
	snprintf(g.session, sizeof g.session, "%s", v->session.key);
	snprintf(g.agent, sizeof g.agent, "%s", v->session.agent);
	snprintf(g.place, sizeof g.place, "%s", v->place == PLACE_HOST ? "host" : v->profile);
	memcpy(g.digest, p->digest, sizeof g.digest);
	return grants_add(load_state_path(p->arena), &g,
		for_ms < APPROVAL_LONGEST ? for_ms : APPROVAL_LONGEST, p->grant, e);
}

static int deny(struct approval *p, const struct approval_by *by, const char *advice)
{
	auto_(buf_free) struct buf shown = BUF(300);

	escape_text(&shown, advice ? advice : "");
	approval_note(p, "denied", by, advice, NULL);
	err_set(&p->why, EACCES, "a person said no%s%s", shown.len ? ": " : "", buf_text(&shown));
	settle(p, APPROVAL_DENIED);
	return 0;
}

static int check_given(const struct approval *p, struct err *e)
{
	int r = check_policy(p, e);

	return r < 0 ? r : check_subject(p, e);
}

int approval_decide(struct approval *p, const struct approval_by *by,
	const struct approval_terms *terms, struct err *e)
{
	int r;

	if (p->state != APPROVAL_WAITS)
		return err_set(e, EALREADY, "it has been answered already");
	if (!terms->yes)
		return deny(p, by, terms->advice);
	r = check_given(p, e);
	if (r < 0) {
		approval_note(p, "refused", by, e->text, NULL);
		p->why = *e;
		settle(p, APPROVAL_DENIED);
		return r;
	}
	r = keep_grant(p, by, terms, e);
	if (r < 0)
		return r;
	r = approval_note(p, "given", by, NULL, e);
	if (r < 0) {
		grants_revoke(load_state_path(p->arena), p->grant);
		return r;
	}
	settle(p, APPROVAL_GIVEN);
	return 0;
}

int approval_answer(
	struct approval *p, bool yes, const char *how, const char *advice, struct err *e)
{
	struct approval_by by = {.how = how, .pid = getpid(), .uid = geteuid(), .process = -1};
	struct approval_terms terms = {.yes = yes, .advice = advice};

	return approval_decide(p, &by, &terms, e);
}

static void expire(struct approval *p)
{
	char text[NUMBER_TEXT];

	if (p->state != APPROVAL_WAITS || grants_now() < p->deadline_ms)
		return;
	number_duration_text(p->deadline_ms - p->asked_ms, text);
	err_set(&p->why, ETIMEDOUT, "nobody approved it within %s (tools.elevated.approvalTimeout)",
		text);
	approval_note(p, "expired", NULL, NULL, NULL);
	settle(p, APPROVAL_EXPIRED);
}

static void hear_prompt(struct approval *p)
{
	struct approval_by by = {
		.how = "terminal", .pid = getpid(), .uid = geteuid(), .process = -1};
	enum prompt_answer said = prompt_read(&p->prompt);
	struct approval_terms terms = {.yes = said == PROMPT_YES};
	struct err e = {0};

	if (said != PROMPT_NONE && approval_decide(p, &by, &terms, &e) < 0 &&
		p->state == APPROVAL_WAITS) {
		p->why = e;
		settle(p, APPROVAL_DENIED);
	}
}

enum approval_state approval_step(struct approval *p, struct err *e)
{
	if (p->state == APPROVAL_WAITS) {
		expire(p);
		approval_line_serve(p);
		if (p->state == APPROVAL_WAITS)
			hear_prompt(p);
	}
	if (p->state != APPROVAL_WAITS)
		approval_line_close(p);
	if (e && (p->state == APPROVAL_DENIED || p->state == APPROVAL_EXPIRED))
		*e = p->why;
	return p->state;
}

size_t approval_poll(struct approval *p, struct pollfd *fds, size_t max)
{
	int all[APPROVAL_CLIENTS + 2] = {p->listener, p->prompt.terminal};
	size_t count = 0;

	for (size_t i = 0; i < APPROVAL_CLIENTS; i++)
		all[i + 2] = p->clients[i].fd;
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (all[i] >= 0 && count < max)
			fds[count++] = (struct pollfd){.fd = all[i], .events = POLLIN};
	return count;
}

int approval_timeout(const struct approval *p)
{
	uint64_t now = grants_now();

	if (p->state != APPROVAL_WAITS || now >= p->deadline_ms)
		return 0;
	return p->deadline_ms - now < INT_MAX ? (int)(p->deadline_ms - now) : INT_MAX;
}

static int ask(struct approval *p, struct err *e)
{
	auto_(buf_free) struct buf text = BUF(APPROVAL_SHOWN);
	int r = grants_random_id(p->id);

	if (r < 0)
		return err_sys(e, r, "make an id");
	p->asked_ms = grants_now();
	p->deadline_ms = p->asked_ms + p->q.verdict->effective->s.tools.elevated.approval_timeout.v;
	r = principal_requester(&p->requester, e);
	if (r == 0)
		r = approval_note(p, "asked", NULL, NULL, e);
	if (r == 0)
		r = approval_line_open(p, e);
	if (r < 0 || !p->q.terminal)
		return r;
	approval_show(p, &text);
	prompt_open(&p->prompt, &p->requester, buf_text(&text));
	return 0;
}

/* Without a question where the rule needs none, or somebody has said yes for a while. */
static int begin(struct approval *p, struct err *e)
{
	if (p->q.verdict->permission == PERMISSION_ALLOW) {
		p->state = APPROVAL_GIVEN;
		return 0;
	}
	if (grants_take(load_state_path(p->arena), p->digest, p->grant) == 0) {
		p->state = APPROVAL_GIVEN;
		return approval_note(p, "used", NULL, NULL, e);
	}
	return ask(p, e);
}

static int find_subject(struct approval *p, struct err *e)
{
	struct subject_request q = {
		p->q.config, p->q.verdict, p->q.argv, p->q.env, p->q.cwd, p->q.workspace};
	int r = subject_open(&q, p->arena, &p->subject, e);

	/* The sandbox of the profile may have programs that the host has not. */
	if (r == -ENOENT && p->q.verdict->place != PLACE_HOST) {
		*e = (struct err){0};
		return 0;
	}
	return r;
}

int approval_begin(
	const struct approval_request *q, struct arena *a, struct approval **ret, struct err *e)
{
	auto_(approval_free) struct approval *p = mem_alloc(sizeof *p);
	auto_(buf_free) struct buf shown = BUF(APPROVAL_SHOWN);
	struct binding b = {
		q->argv, q->env, q->cwd, &p->subject, q->verdict, q->input, approval_text_input(q)};
	int r;

	*p = (struct approval){.q = *q,
		.arena = a,
		.subject = {.fd = -1, .copy = -1},
		.folder = -1,
		.listener = -1,
		.prompt.terminal = -1};
	for (size_t i = 0; i < APPROVAL_CLIENTS; i++)
		p->clients[i].fd = p->clients[i].process = -1;
	remember_files(p);
	r = find_subject(p, e);
	if (r < 0)
		return r;
	b.env = p->q.env = p->subject.env;
	r = binding_digest(&b, a, p->digest);
	if (r < 0)
		return err_sys(e, r, "look at the current folder");
	p->too_long = !approval_text_command(q->argv, &shown) ||
		      (q->input && strlen(q->input) > APPROVAL_COMMAND);
	r = begin(p, e);
	if (r < 0)
		return r;
	*ret = take_ptr(p);
	return 0;
}

const char *approval_id(const struct approval *p)
{
	return p->id[0] ? p->id : p->grant;
}

bool approval_has_prompt(const struct approval *p)
{
	return p->prompt.terminal >= 0;
}

/* A signal ends the request, and then this process as ever. */
static int watch_signals(sigset_t *ret_before)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		sigaddset(&set, ends[i]);
	sigprocmask(SIG_BLOCK, &set, ret_before);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int give_up(struct approval *p, struct err *e)
{
	approval_note(p, "denied", NULL, "the requester has gone", NULL);
	settle(p, APPROVAL_DENIED);
	approval_line_close(p);
	return err_set(e, ECANCELED, "ended while it waited for approval");
}

int approval_wait(struct approval *p, struct err *e)
{
	sigset_t before;
	auto_fd int signals = watch_signals(&before);
	struct signalfd_siginfo info = {.ssi_signo = 0};
	enum approval_state state;

	while ((state = approval_step(p, e)) == APPROVAL_WAITS) {
		struct pollfd fds[APPROVAL_FDS + 1];
		size_t count = approval_poll(p, fds, APPROVAL_FDS);

		fds[count] = (struct pollfd){.fd = signals, .events = POLLIN};
		poll(fds, count + 1, approval_timeout(p));
		if (read(signals, &info, sizeof info) == (ssize_t)sizeof info) {
			give_up(p, e);
			raise((int)info.ssi_signo);
			break;
		}
	}
	sigprocmask(SIG_SETMASK, &before, NULL); /* here it ends, if it was told to */
	return state == APPROVAL_GIVEN ? 0 : info.ssi_signo ? -ECANCELED : -EACCES;
}

void approval_free(struct approval **p)
{
	if (!*p)
		return;
	if ((*p)->state == APPROVAL_WAITS && (*p)->listener >= 0)
		approval_note(*p, "denied", NULL, "the requester has gone", NULL);
	prompt_close(&(*p)->prompt, "\nNot approved.\n");
	approval_line_close(*p);
	subject_close(&(*p)->subject);
	free(*p);
	*p = NULL;
}

size_t approval_keep(const struct approval *p, int *ret, size_t max)
{
	const int fds[] = {p->subject.fd, p->subject.copy};
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_LEN(fds) && count < max; i++)
		if (fds[i] >= 0)
			ret[count++] = fds[i];
	return count;
}
