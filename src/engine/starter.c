/* SPDX-License-Identifier: Apache-2.0 */

/* The starter: makes shepherds, one whenever the supervisor asks, and reaps them. */

#include "engine/slot.h"
#include "sys/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#define SIGSET_SIZE 8 /* the kernel's, not libc's */

#define PAGE 4096u

static _Alignas(PAGE) struct slot slots[SLOT_COUNT];

static struct slot *free_slot(void)
{
	for (size_t i = 0; i < SLOT_COUNT; i++)
		if (!slots[i].taken)
			return &slots[i];
	return NULL;
}

static long open_sockets(struct slot *s)
{
	long kind = SOCK_SEQPACKET | SOCK_CLOEXEC;
	long r = RAW_4(SYS_socketpair, AF_UNIX, kind, 0, s->command);

	if (r < 0)
		return r;
	r = RAW_4(SYS_socketpair, AF_UNIX, kind, 0, s->orders);
	if (r < 0) {
		RAW_1(SYS_close, s->command[0]);
		RAW_1(SYS_close, s->command[1]);
	}
	return r;
}

/* The numbers stay: the shepherd reads them too. */
static void close_sockets(const struct slot *s)
{
	for (int i = 0; i < 2; i++) {
		RAW_1(SYS_close, s->command[i]);
		RAW_1(SYS_close, s->orders[i]);
	}
}

/* The shepherd has a table of descriptors of its own: what is closed here stays open there. */
static long make_pair(struct slot *s, int channel)
{
	long r = open_sockets(s);

	if (r < 0)
		return r;
	if (s->mapped) /* of a shepherd that was killed */
		RAW_2(SYS_munmap, s->mapped, s->mapped_size);
	s->mapped = NULL;
	s->start_error = 0;
	s->began = false;
	s->channel = channel;
	r = raw_clone(
		CLONE_VM | SIGCHLD, s->shepherd_stack + sizeof s->shepherd_stack, shepherd_main, s);
	close_sockets(s);
	if (r < 0)
		return r;
	s->shepherd = r;
	s->taken = true;
	return 0;
}

/* The shepherd says itself when both of them are there. */
static void prepare(int channel)
{
	struct slot *s = free_slot();
	long r = s ? make_pair(s, channel) : -EAGAIN;

	if (r < 0)
		slot_announce(channel, NULL, r);
}

/* When none is taken, not even by processes that wait, nobody will come soon. */
static void forget_slots(void)
{
	for (size_t i = 0; i < SLOT_COUNT; i++)
		if (slots[i].taken || slots[i].mapped)
			return;
	RAW_3(SYS_madvise, slots, sizeof slots & ~(size_t)(PAGE - 1), MADV_DONTNEED);
}

static void reap(void)
{
	long pid;

	while ((pid = RAW_4(SYS_wait4, -1, NULL, 1 /* WNOHANG */, NULL)) > 0)
		for (size_t i = 0; i < SLOT_COUNT; i++)
			if (slots[i].taken && slots[i].shepherd == pid)
				slots[i].taken = false;
	forget_slots();
}

_Noreturn void starter_main(int channel)
{
	uint64_t child = 1ull << (SIGCHLD - 1);
	long signals = RAW_4(SYS_signalfd4, -1, &child, SIGSET_SIZE, SFD_CLOEXEC | SFD_NONBLOCK);
	struct pollfd fds[] = {
		{.fd = channel, .events = POLLIN}, {.fd = (int)signals, .events = POLLIN}};
	struct signalfd_siginfo info;
	char more;

	if (signals < 0)
		raw_exit(1);
	for (;;) {
		long n = RAW_5(SYS_ppoll, fds, 2, NULL, NULL, SIGSET_SIZE);

		if (n < 0 && n != -EINTR)
			raw_exit(1);
		if (fds[1].revents) {
			while (RAW_3(SYS_read, signals, &info, sizeof info) > 0)
				;
			reap();
		}
		if (!fds[0].revents)
			continue;
		if (RAW_6(SYS_recvfrom, channel, &more, 1, MSG_DONTWAIT, NULL, NULL) <= 0)
			raw_exit(0);
		prepare(channel);
	}
}
