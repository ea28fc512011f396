/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The shepherd of one command: waits for its end, adopts what loses its parent below it, and says
 * how it ended when nothing of it is left. Killing its own children is enough for that: what those
 * leave behind becomes its child in turn.
 */

#include "engine/slot.h"
#include "sys/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>

#define SIGSET_SIZE 8

struct shepherd {
	struct slot *slot;
	int orders;
	bool ended;
	int status;
};

static void say(const struct shepherd *h, const struct slot_word *w)
{
	RAW_6(SYS_sendto, h->orders, w, sizeof *w, MSG_NOSIGNAL, NULL, 0);
}

static uint64_t in_us(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

/* Numbers, each with a space behind it. */
static void kill_listed(const char *text, long len)
{
	long pid = 0;

	for (long i = 0; i < len; i++) {
		if (text[i] >= '0' && text[i] <= '9') {
			pid = pid * 10 + (text[i] - '0');
		} else if (pid > 0) {
			RAW_2(SYS_kill, pid, SIGKILL);
			pid = 0;
		}
	}
}

/* Its children now; there are more at once when they leave some. */
static void kill_children(void)
{
	char text[4096];
	long fd =
		RAW_4(SYS_openat, AT_FDCWD, "/proc/thread-self/children", O_RDONLY | O_CLOEXEC, 0);
	long n;

	if (fd < 0)
		return;
	while ((n = RAW_3(SYS_read, fd, text, sizeof text)) > 0)
		kill_listed(text, n);
	RAW_1(SYS_close, fd);
}

/* One that exits as soon as it has a child can slip away many times, but not for ever. */
static void clear(void)
{
	for (;;) {
		long pid = RAW_4(SYS_wait4, -1, NULL, WNOHANG, NULL);

		if (pid == -ECHILD)
			return;
		if (pid != 0)
			continue;
		kill_children();
		RAW_4(SYS_wait4, -1, NULL, 0, NULL);
	}
}

static void reap(struct shepherd *h)
{
	bool terminal = h->slot->head.flags & SLOT_TERMINAL;
	long options = WNOHANG | (terminal ? WUNTRACED : 0), pid;
	int status;

	while ((pid = RAW_4(SYS_wait4, -1, &status, options, NULL)) > 0) {
		if (pid != h->slot->program)
			continue;
		if (WIFSTOPPED(status)) {
			say(h, &(struct slot_word){.kind = SLOT_PAUSED, .status = status});
			continue;
		}
		h->ended = true;
		h->status = status;
	}
}

void slot_put_number(char *text, int n)
{
	char digits[12];
	int len = 0;

	do
		digits[len++] = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	while (len > 0)
		*text++ = digits[--len];
	*text = '\0';
}

/* The shepherd leads the session, so that the program can be stopped from the terminal. */
static long open_terminal(struct shepherd *h, int window, int *ret_other)
{
	long flags = O_RDWR | O_NOCTTY | O_CLOEXEC, other, own, r;
	struct winsize size = {
		.ws_row = (unsigned short)(window >> 16), .ws_col = (unsigned short)window};
	int unlock = 0, number = 0;
	char path[32] = "/dev/pts/";

	other = RAW_4(SYS_openat, AT_FDCWD, "/dev/ptmx", flags | O_NONBLOCK, 0);
	if (other < 0)
		return other;
	*ret_other = (int)other;
	r = RAW_3(SYS_ioctl, other, TIOCSPTLCK, &unlock);
	if (r == 0)
		r = RAW_3(SYS_ioctl, other, TIOCGPTN, &number);
	slot_put_number(path + sizeof "/dev/pts/" - 1, number);
	own = r < 0 ? r : RAW_4(SYS_openat, AT_FDCWD, path, flags, 0);
	if (own < 0)
		return own;
	h->slot->terminal = number;
	RAW_3(SYS_ioctl, own, TIOCSWINSZ, &size);
	return RAW_3(SYS_ioctl, own, TIOCSCTTY, 0);
}

static long bear(struct slot *s)
{
	s->program = raw_clone(
		CLONE_VM | SIGCHLD, s->program_stack + sizeof s->program_stack, birth_main, s);
	return s->program < 0 ? s->program : 0;
}

/* Only who is born after a session got its terminal has it: the one that waits is too old. */
static long bear_again(struct slot *s)
{
	RAW_2(SYS_kill, s->program, SIGKILL);
	RAW_4(SYS_wait4, s->program, NULL, 0, NULL);
	return bear(s);
}

static void hand_out_terminal(struct shepherd *h, int window)
{
	int other = -1;
	long r = open_terminal(h, window, &other);
	struct slot_word w = {.kind = SLOT_OPENED};
	struct iovec data = {&w, sizeof w};
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} fds;
	struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1};

	if (r == 0)
		r = bear_again(h->slot);
	w.start_error = (int32_t)-r;
	if (r == 0) {
		m.msg_control = &fds;
		m.msg_controllen = sizeof fds;
		fds.align.cmsg_len = CMSG_LEN(sizeof(int));
		fds.align.cmsg_level = SOL_SOCKET;
		fds.align.cmsg_type = SCM_RIGHTS;
		memcpy(CMSG_DATA(&fds.align), &other, sizeof other);
	}
	RAW_3(SYS_sendmsg, h->orders, &m, MSG_NOSIGNAL);
	if (other >= 0)
		RAW_1(SYS_close, other);
}

/* Without a supervisor there is nothing to wait for. */
static void obey(struct shepherd *h)
{
	struct slot_order order;
	long n = RAW_6(SYS_recvfrom, h->orders, &order, sizeof order, MSG_DONTWAIT, NULL, NULL);

	if (n == -EAGAIN || n == -EINTR)
		return;
	if (n == sizeof order && order.kind == SLOT_SIGNAL)
		RAW_2(SYS_kill, -h->slot->program, order.number);
	else if (n == sizeof order && order.kind == SLOT_OPEN)
		hand_out_terminal(h, order.number);
	else
		kill_children();
	if (n <= 0) {
		clear();
		raw_exit(1);
	}
}

static void report(struct shepherd *h)
{
	struct slot_word w = {
		.kind = SLOT_ENDED, .status = h->status, .start_error = h->slot->start_error};
	struct rusage u = {0};

	RAW_2(SYS_getrusage, RUSAGE_CHILDREN, &u);
	w.user_us = in_us(&u.ru_utime);
	w.system_us = in_us(&u.ru_stime);
	w.largest = (uint64_t)u.ru_maxrss << 10;
	w.read_bytes = (uint64_t)u.ru_inblock << 9;
	w.written_bytes = (uint64_t)u.ru_oublock << 9;
	say(h, &w);
}

static void forget_text(struct slot *s)
{
	if (s->mapped)
		RAW_2(SYS_munmap, s->mapped, s->mapped_size);
	s->mapped = NULL;
}

void slot_announce(int channel, const struct slot *s, long error)
{
	struct slot_ready ready = {.shepherd = error < 0 ? 0 : (int32_t)RAW_1(SYS_getpid, 0),
		.error = (int32_t)-error};
	struct iovec data = {&ready, sizeof ready};
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} fds;
	struct msghdr h = {.msg_iov = &data, .msg_iovlen = 1};

	if (error == 0) {
		h.msg_control = &fds;
		h.msg_controllen = sizeof fds;
		fds.align.cmsg_len = CMSG_LEN(2 * sizeof(int));
		fds.align.cmsg_level = SOL_SOCKET;
		fds.align.cmsg_type = SCM_RIGHTS;
		memcpy(CMSG_DATA(&fds.align), (int[]){s->command[0], s->orders[0]},
			2 * sizeof(int));
	}
	RAW_3(SYS_sendmsg, channel, &h, MSG_NOSIGNAL);
}

static long begin(struct slot *s, long *ret_signals)
{
	uint64_t child = 1ull << (SIGCHLD - 1);
	long r = RAW_4(SYS_signalfd4, -1, &child, SIGSET_SIZE, SFD_CLOEXEC | SFD_NONBLOCK);

	if (r < 0)
		return r;
	*ret_signals = r;
	r = RAW_5(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (r == 0)
		r = RAW_1(SYS_setsid, 0);
	return r < 0 ? r : bear(s);
}

/* Whoever waits for them hears of both, or why there are none. */
static int start(struct shepherd *h, long *ret_signals)
{
	struct slot *s = h->slot;
	long r = begin(s, ret_signals);

	slot_announce(s->channel, s, r < 0 ? r : 0);
	RAW_1(SYS_close, s->channel);
	RAW_1(SYS_close, s->command[0]);
	RAW_1(SYS_close, s->orders[0]);
	return r < 0 ? -1 : 0;
}

int shepherd_main(void *arg)
{
	struct slot *s = arg;
	struct shepherd h = {.slot = s, .orders = s->orders[1]};
	struct signalfd_siginfo info;
	long signals = -1;

	if (start(&h, &signals) < 0)
		return 1;
	while (!h.ended) {
		struct pollfd fds[] = {
			{.fd = h.orders, .events = POLLIN}, {.fd = (int)signals, .events = POLLIN}};
		long n = RAW_5(SYS_ppoll, fds, 2, NULL, NULL, SIGSET_SIZE);

		if (n < 0 && n != -EINTR)
			break;
		if (fds[0].revents)
			obey(&h);
		if (fds[1].revents) {
			RAW_3(SYS_read, signals, &info, sizeof info);
			reap(&h);
		}
	}
	clear();
	forget_text(s);
	if (s->began)
		report(&h);
	return 0;
}
