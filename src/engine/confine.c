/* SPDX-License-Identifier: Apache-2.0 */

/* Steps in supervisor and init; those of the program's process are in engine/confine_program.c. */

#include "engine/confine.h"

#include "base/cleanup.h"
#include "engine/enforced.h"
#include "engine/wire.h"
#include "sys/caps.h"
#include "sys/peer.h"
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

int confine_groups(struct stage *s, struct err *e)
{
	const struct plan_limits *l = &s->plan->limits;
	struct leaf_limits limits = {{
		[LEAF_MEMORY] = l->memory,
		[LEAF_SWAP] = l->swap,
		[LEAF_CPUS] = l->cpus,
		[LEAF_PIDS] = l->pids,
	}};

	leaf_make(cgroup_here(), &limits, &s->leaf);
	return enforced_check(s, e);
}
_Static_assert(PLAN_NO_LIMIT == LEAF_FREE, "limits are handed over as they are");

int confine_start(struct stage *s, struct err *e)
{
	pid_t pid = process_start(
		CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS,
		leaf_clone_fd(&s->leaf));

	if (pid == 0)
		init_main(s);
	if (pid < 0)
		return err_sys(e, pid, "make namespaces");
	s->init = pid;
	return 0;
}

int confine_map(struct stage *s, struct err *e)
{
	const struct plan *p = s->plan;
	struct wire m = {.kind = WIRE_MAPPED};
	int r = process_map(s->init, p->uid, s->host_uid, p->gid, s->host_gid, !p->root);

	if (r < 0)
		return err_sys(e, r, "map user %u to %u", p->uid, (unsigned)s->host_uid);
	/* Later it does not let itself be looked at. */
	s->space = peer_space(s->init);
	r = wire_send(s->control, true, &m, NULL);
	return r < 0 ? err_sys(e, r, "speak to the sandbox") : 0;
}

int confine_hand_over(struct stage *s, struct err *e)
{
	struct wire m = {.kind = WIRE_GROUPS, .number = s->leaf.held[LEAF_PIDS].by != LEAF_BY_NONE};
	struct packet_fds fds = {.count = 0};
	int r;

	for (int g = 0; g < s->leaf.count; g++)
		if (s->leaf.group[g].tasks >= 0)
			fds.fd[fds.count++] = s->leaf.group[g].tasks;
	r = wire_send(s->control, true, &m, &fds);
	return r < 0 ? err_sys(e, r, "speak to the sandbox") : 0;
}

int confine_session(struct stage *s, struct err *e)
{
	/* Asked for once more when the ids have changed, which takes it away. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return err_sys(e, -errno, "tie the sandbox to its supervisor");
	/* The caller's words are not for others to read. */
	if (s->arguments_len > 0) {
		memset(s->arguments, 0, s->arguments_len);
		memcpy(s->arguments, "ward-init", s->arguments_len < 9 ? s->arguments_len : 9);
	}
	/* What init opens for the program must not be the caller's terminal. */
	if (setsid() < 0)
		return err_sys(e, -errno, "start a session");
	return 0;
}

static int hear(struct stage *s, uint32_t kind, struct wire *ret, struct packet_fds *fds)
{
	int r = wire_receive(s->control, true, ret, fds);

	return r == 0 && ret->kind != kind ? -EPROTO : r;
}

int confine_ids(struct stage *s, struct err *e)
{
	const struct plan *p = s->plan;
	struct wire m;
	int r = hear(s, WIRE_MAPPED, &m, NULL);

	if (r < 0)
		return err_sys(e, r, "wait for the supervisor");
	/* By the kernel's own call: those of libc would do it in every thread, and wait for them.
	 */
	if (p->root && syscall(SYS_setgroups, 0, NULL) < 0)
		return err_sys(e, -errno, "leave the caller's groups");
	if (syscall(SYS_setresgid, p->gid, p->gid, p->gid) < 0 ||
		syscall(SYS_setresuid, p->uid, p->uid, p->uid) < 0)
		return err_sys(e, -errno, "become user %u", p->uid);
	return 0;
}

int confine_take_over(struct stage *s, struct err *e)
{
	struct packet_fds fds;
	struct wire m;
	int r = hear(s, WIRE_GROUPS, &m, &fds);

	if (r == 0 && fds.count > CGROUP_COUNT)
		r = -EPROTO;
	if (r < 0)
		return err_sys(e, r, "wait for the supervisor");
	s->pids_held = m.number;
	s->leaf.count = (int)fds.count;
	for (size_t g = 0; g < fds.count; g++)
		s->leaf.group[g].tasks = fds.fd[g];
	return 0;
}

/*
 * Killing the supervisor kills init, and with it the whole sandbox. The signal is asked for before
 * the look, so that a death in between is not missed. From here on nobody inside can look into
 * init's memory or descriptors.
 */
int confine_lifetime(struct stage *s, struct err *e)
{
	struct pollfd peer = {.fd = s->control, .events = POLLIN};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 ||
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 || prctl(PR_SET_NAME, "ward-init") < 0 ||
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, -errno, "tie the sandbox to its supervisor");
	if (poll(&peer, 1, 0) < 0 || peer.revents & (POLLHUP | POLLERR))
		return err_set(e, ESRCH, "the supervisor is gone");
	return 0;
}

int confine_hostname(struct stage *s, struct err *e)
{
	const char *name = s->plan->hostname;

	return sethostname(name, strlen(name)) < 0 ? err_sys(e, -errno, "set the host name") : 0;
}

/* A terminal of the sandbox's own; init leads its session, so that job control works. */
int confine_terminal(struct stage *s, struct err *e)
{
	struct wire m = {.kind = WIRE_TERMINAL};
	int flags = O_RDWR | O_NOCTTY | O_CLOEXEC;
	auto_fd int other = openat(AT_FDCWD, "/dev/ptmx", flags | O_NONBLOCK);
	struct winsize size;
	char path[32];
	int number, unlock = 0, r;

	if (other < 0 || ioctl(other, TIOCSPTLCK, &unlock) < 0 ||
		ioctl(other, TIOCGPTN, &number) < 0)
		return err_sys(e, -errno, "open a terminal");
	snprintf(path, sizeof path, "/dev/pts/%d", number);
	s->terminal = openat(AT_FDCWD, path, flags);
	if (s->terminal >= 0 && ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0)
		ioctl(s->terminal, TIOCSWINSZ, &size);
	if (s->terminal < 0 || ioctl(s->terminal, TIOCSCTTY, 0) < 0)
		return err_sys(e, -errno, "open '%s'", path);
	r = wire_send(s->control, true, &m, &(struct packet_fds){{other}, 1});
	return r < 0 ? err_sys(e, r, "hand out the terminal") : 0;
}

int confine_capabilities(struct stage *s, struct err *e)
{
	int r = caps_forbid_gain();

	(void)s;
	/* To look into the memory of programs that do not let others look; for a group namespace.
	 */
	if (r == 0)
		r = caps_keep(1ull << CAP_SYS_PTRACE | 1ull << CAP_SYS_ADMIN);
	return r < 0 ? err_sys(e, r, "drop capabilities") : 0;
}
