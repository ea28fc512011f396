/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Process 1 of a sandbox that lives: has the starter made, serves the system calls that the filter
 * hands over, and keeps for each command what was refused to it. Starting commands and waiting for
 * their end is not its work; see engine/slot.h.
 */

#include "base/cleanup.h"
#include "base/macro.h"
#include "engine/claim.h"
#include "engine/init.h"
#include "engine/slot.h"
#include "engine/wire.h"
#include "sys/caps.h"
#include "sys/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

#define ANCESTORS (4u << 20) /* more processes than there can be */
#define PROCESSES 8192
#define SWEEPS 2000 /* of a millisecond */

struct known { /* a command */
	pid_t shepherd;
	struct broker_report report;
};

static struct {
	struct stage *stage;
	int signals;
	struct known known[SLOT_COUNT];
	struct broker_report nobody; /* of what nobody is known for */
	pid_t pids[PROCESSES], parents[PROCESSES];
} live;

/* 0: a row that is free. */
static struct known *find(pid_t shepherd)
{
	for (size_t i = 0; i < ARRAY_LEN(live.known); i++)
		if (live.known[i].shepherd == shepherd)
			return &live.known[i];
	return NULL;
}

/* What /proc says of a process or thread. */
struct look {
	pid_t parent; /* 0: it is gone */
	bool over;    /* it has ended, all of it, and only waits to be reaped */
};

/* ") S 123 ...": the name before it may be anything. The number of threads is the 18th from there.
 */
static struct look look_at(pid_t pid)
{
	char name[32], text[512], *at;
	auto_fd int fd = -1;
	struct look ret = {0};
	ssize_t n;

	snprintf(name, sizeof name, "/proc/%d/stat", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (n <= 0)
		return ret;
	text[n] = '\0';
	at = strrchr(text, ')');
	if (!at || strlen(at) <= 4)
		return ret;
	ret.over = at[2] == 'Z' || at[2] == 'X';
	ret.parent = (pid_t)strtol(at + 4, NULL, 10);
	for (int word = 0; word < 18 && at; word++)
		at = strchr(at + 1, ' ');
	if (ret.over && at && strtol(at, NULL, 10) > 1)
		ret.over = false; /* its first thread has ended, others live */
	return ret;
}

/* The shepherd above a process: the starter's own child. 0: there is none. */
static pid_t shepherd_of(pid_t pid)
{
	for (unsigned i = 0; i < ANCESTORS && pid > 1; i++) {
		pid_t parent = look_at(pid).parent;

		if (parent == live.stage->program)
			return pid;
		pid = parent;
	}
	return 0;
}

static struct known *know(pid_t shepherd)
{
	struct known *k = find(shepherd);

	if (!k)
		k = find(0);
	if (k)
		k->shepherd = shepherd;
	return k;
}

static struct broker_report *report_of(void *unused, pid_t tid)
{
	pid_t shepherd = shepherd_of(tid);
	struct known *k = shepherd > 0 ? know(shepherd) : NULL;

	(void)unused;
	atomic_fetch_add(live.stage->notes, 1);
	return k ? &k->report : &live.nobody;
}

void init_live_spec(struct broker_spec *spec)
{
	spec->report_of = report_of;
}

static void end(int32_t shepherd)
{
	struct wire m = {.kind = WIRE_REPORT, .about = shepherd};
	struct known *k = find(shepherd);

	if (k) {
		init_take_report(&k->report, &m.report);
		*k = (struct known){0};
	}
	wire_send(live.stage->control, true, &m, NULL);
}

static void close_folder(DIR **d)
{
	if (*d)
		closedir(*d);
}

static size_t list_processes(void)
{
	auto_(close_folder) DIR *d = opendir("/proc");
	struct dirent *entry;
	struct look look;
	size_t n = 0;

	while (d && n < PROCESSES && (entry = readdir(d))) {
		long pid = strtol(entry->d_name, NULL, 10);

		if (pid <= 1)
			continue;
		look = look_at((pid_t)pid);
		if (look.over)
			continue;
		live.pids[n] = (pid_t)pid;
		live.parents[n++] = look.parent;
	}
	return n;
}

static bool is_below(pid_t pid, pid_t shepherd, size_t count)
{
	for (unsigned depth = 0; depth < PROCESSES && pid > 1; depth++) {
		size_t i = 0;

		while (i < count && live.pids[i] != pid)
			i++;
		pid = i < count ? live.parents[i] : 0;
		if (pid == shepherd)
			return true;
	}
	return false;
}

static void signal_below(pid_t shepherd, int number)
{
	size_t count = list_processes();

	for (size_t i = 0; i < count; i++)
		if (is_below(live.pids[i], shepherd, count))
			kill(live.pids[i], number);
}

static bool is_own(pid_t pid)
{
	const struct broker *b = &live.stage->broker;

	for (size_t i = 0; i < ARRAY_LEN(b->waiting); i++)
		if (b->waiting[i] == pid)
			return true;
	return pid == live.stage->program;
}

/* Without the starter nothing can be started any more. */
static void reap(void)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		if (pid == live.stage->program)
			_exit(1);
}

/* True when init had to adopt somebody: only those whose shepherd was killed come here. */
static bool kill_adopted(void)
{
	size_t count;
	bool some = false;

	reap();
	count = list_processes();
	for (size_t i = 0; i < count; i++)
		if (live.parents[i] == 1 && !is_own(live.pids[i])) {
			kill(live.pids[i], SIGKILL);
			some = true;
		}
	return some || count == PROCESSES; /* some found no room */
}

/*
 * A shepherd's sockets are closed before those below it get another parent: that it has ended is
 * waited for. What cannot be cleared takes the sandbox with it.
 */
static void sweep(pid_t shepherd)
{
	struct timespec ms = {.tv_nsec = 1000000};
	int clear = 0;

	/* Twice: who has come behind the first look is seen by the second. */
	for (int i = 0; i < SWEEPS; i++) {
		struct look s = look_at(shepherd);
		bool ending = s.parent == live.stage->program && !s.over;

		clear = !kill_adopted() && !ending ? clear + 1 : 0;
		if (clear == 2)
			return;
		nanosleep(&ms, NULL);
	}
	_exit(1);
}

static void obey(void)
{
	struct wire m;

	for (;;) {
		int r = wire_receive(live.stage->control, false, &m, NULL);

		if (r == -EAGAIN)
			return;
		if (r < 0)
			_exit(1); /* no supervisor, no sandbox */
		if (m.kind == WIRE_ALL)
			kill(-1, m.number);
		else if (m.kind == WIRE_BELOW)
			signal_below(m.about, m.number);
		else if (m.kind == WIRE_FORGET)
			end(m.about);
		else if (m.kind == WIRE_SWEEP)
			sweep(m.about);
	}
}

static void clear_signals(void)
{
	struct signalfd_siginfo info;

	while (read(live.signals, &info, sizeof info) > 0)
		;
}

/* What the supervisor says of a command comes before what the command does. */
static _Noreturn void serve(void)
{
	struct pollfd fds[] = {
		{.fd = live.signals, .events = POLLIN},
		{.fd = live.stage->control, .events = POLLIN},
		{.fd = live.stage->listener, .events = POLLIN},
	};
	bool settled = false;

	for (;;) {
		int n = poll(fds, ARRAY_LEN(fds), settled ? -1 : MEMORY_SETTLE_MS);

		if (n < 0 && errno != EINTR)
			_exit(1);
		settled = n == 0;
		if (settled) {
			memory_settle();
			continue;
		}
		obey();
		if (fds[2].revents & POLLIN)
			broker_serve(&live.stage->broker, live.stage->listener);
		else if (fds[2].revents)
			fds[2].fd = -1;
		if (fds[0].revents) {
			clear_signals();
			reap();
		}
	}
}

/* For whoever works on its files from outside: copied on write, it exists only here. Opened while
 * nobody else is here who could lead it elsewhere. */
static int show_workspace(struct stage *s, struct err *e)
{
	struct wire m = {.kind = WIRE_WORKSPACE};
	struct packet_fds fds = {.count = 1};
	auto_fd int fd = open(PLAN_WORKSPACE, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r;

	if (fd < 0)
		return err_sys(e, -errno, "open the workspace");
	fds.fd[0] = fd;
	r = wire_send(s->control, true, &m, &fds);
	return r < 0 ? err_sys(e, r, "hand over the workspace") : 0;
}

_Noreturn void init_live(struct stage *s)
{
	struct wire m = {.kind = WIRE_READY};
	struct err e = {0};
	sigset_t child;

	live.stage = s;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	live.signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	if (live.signals < 0) {
		err_sys(&e, -errno, "watch for the end of processes");
		init_give_up(s, &e);
	}
	if (!s->blank && show_workspace(s, &e) < 0)
		init_give_up(s, &e);
	if (program_starter(s, &e) < 0)
		init_give_up(s, &e);
	/* Everything else is there already when somebody comes for a blank. */
	if (s->blank &&
		(claim_wait(s, &e) < 0 || show_workspace(s, &e) < 0 || init_broker(s, &e) < 0))
		init_give_up(s, &e);
	if (caps_keep(1ull << CAP_SYS_PTRACE) < 0)
		_exit(1);
	init_leave_streams(s);
	close(s->channel[0]);
	close(s->channel[1]);
	wire_send(s->control, true, &m, NULL);
	serve();
}
