/* SPDX-License-Identifier: Apache-2.0 */
#include "door/living.h"

#include "base/cleanup.h"
#include "base/sha256.h"
#include "door/cow.h"
#include "door/load.h"
#include "door/pool.h"
#include "door/record.h"
#include "engine/live.h"
#include "state/history.h"
#include "state/place.h"
#include "state/rate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define MAKE_WAIT_MS 60000 /* for somebody else who makes it */
#define LIFE_WAIT_MS 15000 /* for one of that name that is about to end */

void living_name(const char *scope_name, const struct plan *p, char ret[LIVING_NAME])
{
	const char *path = p->workspace_path ? p->workspace_path : "";
	uint8_t digest[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1];

	sha256_of(path, strlen(path), digest);
	sha256_hex(digest, hex);
	snprintf(ret, LIVING_NAME, "%s-%.12s", scope_name, hex);
}

int living_connect(int place, const char *name, struct err *e)
{
	int fd = packet_connect(place, name);

	if (fd >= 0)
		return fd;
	/* A socket that nobody listens at is left of one that was killed. */
	if (fd == -ENOENT || fd == -ECONNREFUSED)
		return err_set(e, ENOENT, "sandbox '%s' does not run", name);
	return err_sys(e, fd, "connect to sandbox '%s'", name);
}

static void put(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text ? text : "");
}

static uint64_t clock_ms(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static struct card_file look_at(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return (struct card_file){0};
	return (struct card_file){.device = st.st_dev,
		.inode = st.st_ino,
		.size = (uint64_t)st.st_size,
		.changed_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec};
}

bool living_is_current(const struct card *c)
{
	for (int i = 0; i < CARD_FILES; i++) {
		struct card_file now = look_at(c->paths[i]);

		if (memcmp(&now, &c->files[i], sizeof now) != 0)
			return false;
	}
	return true;
}

/* Where they would be: one that appears later is a change too. */
static void remember_files(const struct living_make *q, struct card *c)
{
	auto_(arena_free) struct arena a = {0};
	const char *user = q->user_file ? q->user_file : load_user_path(&a);
	auto_free char *whole = realpath(user, NULL);

	put(c->paths[0], sizeof c->paths[0], LOAD_SYSTEM_FILE);
	put(c->paths[1], sizeof c->paths[1], whole ? whole : user);
	if (q->plan->workspace_path)
		snprintf(c->paths[2], sizeof c->paths[2], "%s/%s", q->plan->workspace_path,
			LOAD_WORKSPACE_FILE);
	for (int i = 0; i < CARD_FILES; i++)
		c->files[i] = look_at(c->paths[i]);
}

void living_fill_card(const struct living_make *q, struct card *c)
{
	const struct session *session = &q->verdict->session;
	const struct sandbox *s = &q->verdict->effective->s.sandbox;
	const struct plan_network *n = &q->plan->network;

	c->size = sizeof *c;
	c->pid = getpid();
	c->created_ms = (int64_t)clock_ms(CLOCK_REALTIME);
	c->began_ms = c->used_ms = clock_ms(CLOCK_BOOTTIME);
	put(c->session, sizeof c->session, session->key);
	put(c->agent, sizeof c->agent, session->agent);
	put(c->scope, sizeof c->scope, scope_names[s->scope.v]);
	put(c->runtime, sizeof c->runtime, "native");
	put(c->network, sizeof c->network,
		!n->guarded           ? net_mode_names[NET_NONE]
		: n->policy.has_allow ? "list"
				      : net_mode_names[n->policy.mode]);
	put(c->workspace, sizeof c->workspace, q->plan->workspace_path);
	plan_digest(q->plan, c->config);
	remember_files(q, c);
	if (q->blank) {
		memcpy(c->config, q->kind, sizeof c->config);
		c->session[0] = c->agent[0] = c->scope[0] = c->workspace[0] = '\0';
		memset(&c->files[2], 0, sizeof c->files[2]);
		c->paths[2][0] = '\0';
	}
}

/* Last: whoever sees it sees the rest. */
static void show_card(struct card *c)
{
	__atomic_store_n(&c->version, CARD_VERSION, __ATOMIC_RELEASE);
}

/* The words of the command that it was started for are not its own. */
void living_rename(char *arguments, size_t size, const char *name)
{
	if (size == 0)
		return;
	memset(arguments, 0, size);
	snprintf(arguments, size, "ward: %s", name);
}

/* The lock, the card and the socket of that name, which is ours from here on. */
static int take_place(struct live_call *call, const char *name, unsigned wait_ms, struct err *e)
{
	int r = place_lock(call->place, name, PLACE_LIFE, wait_ms);

	if (r < 0)
		return err_sys(e, r, "lock sandbox '%s'", name);
	call->lock = r;
	r = place_card(call->lock, &call->card);
	if (r < 0)
		return err_sys(e, r, "write the card of sandbox '%s'", name);
	return 0;
}

static int listen_there(struct live_call *call, const char *name, struct err *e)
{
	int r;

	show_card(call->card);
	r = packet_listen(call->place, name);
	if (r < 0)
		return err_sys(e, r, "listen for sandbox '%s'", name);
	call->listener = r;
	call->name = name;
	return 0;
}

/* From here on there is no other of that name. */
static int take_name(const struct living_make *q, struct live_call *call, struct err *e)
{
	int r = take_place(call, q->name, LIFE_WAIT_MS, e);

	if (r < 0)
		return r;
	living_fill_card(q, call->card);
	return listen_there(call, q->name, e);
}

/* A blank gets the name of whoever needs it, and leaves its own. */
static int change_name(struct live_call *call, const struct post_claim *claim, struct err *e)
{
	static char name[LIVING_NAME];
	const char *before = call->name;
	struct card *card = call->card;
	int lock = call->lock, r;

	snprintf(name, sizeof name, "%s", claim->name);
	r = take_place(call, name, 0, e);
	if (r < 0)
		return r;
	memcpy((char *)call->card + sizeof card->version,
		(const char *)&claim->card + sizeof card->version,
		sizeof *card - sizeof card->version);
	call->card->pid = getpid();
	r = listen_there(call, name, e);
	if (r < 0)
		return r;
	prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
	living_rename(call->arguments, call->arguments_len, name);
	place_leave(call->place, before);
	munmap(card, sizeof *card);
	close(lock);
	return 0;
}

static struct history history;

/* The descriptors may have got other numbers meanwhile. */
static void keep_row(void *ctx, struct usage_row *row)
{
	struct live_call *call = ctx;

	history.folder = call->record_fds[0];
	history.file = call->record_fds[1];
	history_add(&history, row);
	call->record_fds[1] = history.file;
}

static void take_end(const struct live_said *said, struct result *ret)
{
	const struct post_end *end = said->end;

	*ret = (struct result){.exit_code = end->exit_code,
		.signal = end->signal,
		.reason = (enum end_reason)end->reason,
		.start_error = end->start_error,
		.usage = end->usage,
		.report = end->report};
	memcpy(ret->hits, end->hits, sizeof ret->hits);
	if (!said->network)
		return;
	ret->network = *said->network;
	ret->hits[HIT_BUDGET] += said->network->spent;
}

/* The log is opened for this line only: nothing of it is held while programs run. */
static void keep_end(void *ctx, const struct live_said *said)
{
	static struct result result; /* large */
	const struct live_call *call = ctx;
	const struct plan_audit *audit = &call->plan->audit;
	struct record record;
	struct err ignored; /* nobody is there to hear it, and room for the line was kept */

	if (!audit->folder)
		return;
	record_open_at(&record, &(struct auditlog_call){audit->folder, audit->rotate, audit->keep,
					(enum auditlog_sync)audit->sync});
	record_take_over(&record, said->begin, said->who);
	take_end(said, &result);
	record_end(&record, said->begin, &result, &ignored);
	record_close(&record);
}

static void keep_refused(void *ctx, const struct live_refused *one)
{
	const struct live_call *call = ctx;
	const struct plan_audit *audit = &call->plan->audit;
	struct record record;
	struct err ignored; /* it was refused all the same */

	if (!audit->folder)
		return;
	record_open_at(&record, &(struct auditlog_call){audit->folder, audit->rotate, audit->keep,
					(enum auditlog_sync)audit->sync});
	record_peer(&record,
		&(struct record_peer){"sandbox", call->name, call->card->session, one->why,
			one->uid, one->pid, one->count},
		&ignored);
	record_close(&record);
}

/* In the process that becomes the supervisor. */
_Noreturn void living_supervise(const struct living_make *q, int ready)
{
	struct live_call call = {.plan = q->plan,
		.arguments = q->arguments,
		.arguments_len = q->arguments_len,
		.place = q->place,
		.name = q->name,
		.ready = ready,
		.idle_ms = q->idle_ms,
		.age_ms = q->age_ms,
		.layer = -1,
		.record = keep_row,
		.record_fds = {-1, -1},
		.audit = keep_end,
		.refused = keep_refused,
		.setup_output = -1,
		.blank = q->blank,
		.claimed = change_name};
	static struct arena arena; /* as long as the process */
	struct err e = {0};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), r;

	if (q->plan->setup)
		call.setup_output = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (call.setup_output < 0)
		call.setup_output = null;

	for (int fd = 0; fd < 3; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			_exit(1);
	living_rename(q->arguments, q->arguments_len, q->name);
	plan_take_ids(q->plan, (uint32_t)getpid());
	history_open(&history, load_state_path(&arena));
	call.record_ctx = &call;
	call.record_fds[0] = history.folder;
	call.record_fds[1] = history.file;
	r = take_name(q, &call, &e);
	if (r == 0 && !q->blank)
		r = cow_take(&arena, q->name, COW_WAIT_MS, q->plan, &call.layer, &e);
	if (r < 0 && write(ready, &e, sizeof e) < 0)
		_exit(1);
	if (r < 0 || chdir("/") < 0)
		_exit(1);
	r = live_run(&call, &e);
	place_leave(call.place, call.name);
	_exit(r < 0);
}

int living_detach(const struct living_make *q,
	void (*become)(const struct living_make *q, int ready), int *ret_ready, struct err *e)
{
	int ready[2];
	pid_t between;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return err_sys(e, -errno, "make a pipe");
	between = fork();
	if (between == 0) {
		pid_t pid;

		close(ready[0]);
		if (setsid() < 0)
			_exit(1);
		pid = fork();
		if (pid == 0)
			become(q, ready[1]);
		_exit(pid < 0);
	}
	close(ready[1]);
	if (between < 0) {
		close(ready[0]);
		return err_sys(e, -errno, "start a process");
	}
	while (waitpid(between, NULL, 0) < 0 && errno == EINTR)
		;
	*ret_ready = ready[0];
	return 0;
}

static ssize_t hear(int fd, uint64_t ms, struct err *ret)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int wait = ms == 0 || ms > INT_MAX ? -1 : (int)ms, n;
	ssize_t got;

	do
		n = poll(&p, 1, wait);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return -ETIMEDOUT;
	do
		got = read(fd, ret, sizeof *ret);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Until it is ready, or has said why it cannot be. */
static int start(const struct living_make *q, struct err *e)
{
	auto_fd int ready = -1;
	struct err said = {0};
	ssize_t n;
	int r = living_detach(q, living_supervise, &ready, e);

	if (r < 0)
		return r;
	n = hear(ready, q->startup_ms, &said);
	if (n == -ETIMEDOUT)
		return err_set(e, ETIMEDOUT,
			"sandbox '%s' was not ready within startupTimeout, and was given up",
			q->name);
	if (n != sizeof said)
		return err_set(e, EIO, "the supervisor of sandbox '%s' died", q->name);
	if (said.code == 0)
		return 0;
	*e = said;
	e->text[sizeof e->text - 1] = '\0';
	return -e->code;
}

int living_start(const struct living_make *q, bool *ret_made, bool *ret_died, struct err *e)
{
	auto_fd int lock = -1;
	int fd = living_connect(q->place, q->name, e), r;
	struct place_row before;

	*ret_made = *ret_died = false;
	if (fd != -ENOENT)
		return fd;
	lock = place_lock(q->place, q->name, PLACE_MAKE, MAKE_WAIT_MS);
	if (lock < 0)
		return err_sys(e, lock, "wait for whoever makes sandbox '%s'", q->name);
	fd = living_connect(q->place, q->name, e);
	if (fd != -ENOENT)
		return fd;
	/* One that ends by itself takes its card away. */
	*ret_died =
		place_read(q->place, q->name, &before) == 0 && !before.alive && before.broken == 0;
	r = rate_take(q->place, q->verdict->session.agent, RATE_CREATES, &q->creates, e);
	if (r == 0 && q->pool > 0) {
		fd = pool_claim(q, e);
		*ret_made = fd >= 0;
		if (fd >= 0)
			return fd;
	}
	if (r == 0)
		r = start(q, e);
	if (r < 0) {
		place_give_up(q->place, q->name);
		return r;
	}
	*ret_made = true;
	if (q->pool > 0)
		pool_keep(q);
	return living_connect(q->place, q->name, e);
}

static int ask(int fd, struct post *io, struct err *e)
{
	int r;

	r = post_send(fd, true, io, NULL);
	if (r == 0 || r == -EPIPE) /* it may have said something before it went */
		r = post_receive(fd, true, io, NULL);
	if (r == -ECONNRESET || r == 0 || r == -EPROTONOSUPPORT)
		return r;
	return err_sys(e, r, "speak to the sandbox");
}

/* Another version of ward understands signals. */
static int stop_other(int place, const struct place_row *row, bool anyway, struct err *e)
{
	auto_fd int fd = living_connect(place, row->name, e);
	int r;

	if (fd < 0)
		return fd == -ENOENT ? -ECONNRESET : fd;
	if (!anyway && (row->broken || row->card.running > 0))
		return err_set(e, EBUSY,
			"sandbox '%s' was started by another version of ward, and commands %s in "
			"it",
			row->name, row->broken ? "may be running" : "are running");
	r = packet_signal(fd, SIGTERM);
	return r < 0 && r != -ECONNRESET && r != -ESRCH
		       ? err_sys(e, r, "end the supervisor of sandbox '%s'", row->name)
		       : -ECONNRESET;
}

/* The lock is free when the last of it is gone. */
int living_stop(int place, const char *name, bool anyway, struct err *e)
{
	struct post *m;
	auto_fd int fd = living_connect(place, name, e);
	struct place_row row;
	int r;

	if (fd < 0)
		return fd;
	if (place_read(place, name, &row) < 0)
		return err_set(e, ENOENT, "sandbox '%s' has just ended", name);
	m = post_new(POST_STOP, anyway);
	r = ask(fd, m, e);
	if (r == -EPROTONOSUPPORT)
		r = stop_other(place, &row, anyway, e);
	if (r == 0 && m->kind == POST_FAILED && m->error.code != ESHUTDOWN) {
		m->error.text[sizeof m->error.text - 1] = '\0';
		return err_set(e, m->error.code, "sandbox '%s': %s", name, m->error.text);
	}
	if (r < 0 && r != -ECONNRESET)
		return r;
	r = place_wait(place, &row, LIFE_WAIT_MS);
	return r < 0 ? err_sys(e, r, "wait for the end of sandbox '%s'", name) : 0;
}
