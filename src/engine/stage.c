/* SPDX-License-Identifier: Apache-2.0 */

/* What every supervisor does before and after: descriptors, signals, the end of init. */

#include "engine/stage.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "engine/guarding.h"
#include "engine/wire.h"
#include "sys/packet.h"
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>

static void close_pair(const int fds[2])
{
	cleanup_fd(&fds[0]);
	cleanup_fd(&fds[1]);
}

void stage_init(struct stage *s, const struct plan *p, char *arguments, size_t arguments_len)
{
	if (s->plan) /* used before */
		memset(s, 0, sizeof *s);
	s->plan = p;
	s->host_uid = p->host_uid;
	s->host_gid = p->host_gid;
	s->arguments = arguments;
	s->arguments_len = arguments_len;
	sigprocmask(SIG_BLOCK, NULL, &s->caller_mask);
	sigaction(SIGPIPE, NULL, &s->caller_pipe);
	s->control = s->peer = s->listener = s->terminal = s->landlock.fd = s->host = s->mounts =
		-1;
	memset(s->channel, -1, sizeof s->channel);
	memset(s->host_only, -1, sizeof s->host_only);
	memset(s->output, -1, sizeof s->output);
	memset(s->error, -1, sizeof s->error);
	memset(s->trees, -1, sizeof s->trees);
	leaf_init(&s->leaf);
}

void stage_free(struct stage *s)
{
	cleanup_fd(&s->control);
	cleanup_fd(&s->peer);
	guarding_free(s);
	close_pair(s->channel);
	close_pair(s->output);
	close_pair(s->error);
	for (size_t i = 0; i < s->plan->row_count; i++)
		cleanup_fd(&s->trees[i]);
	sigaction(SIGPIPE, &s->caller_pipe, NULL);
	sigprocmask(SIG_SETMASK, &s->caller_mask, NULL);
}

/* What is opened from here on is our own. */
int stage_descriptors(int **keep, size_t count, struct err *e)
{
	unsigned first = STDERR_FILENO + 1;

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			openat(AT_FDCWD, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd)
			return err_sys(e, -errno, "open /dev/null as descriptor %d", fd);
	/* First out of the way, then to their places. */
	for (size_t i = 0; i < count; i++) {
		*keep[i] = fcntl(*keep[i], F_DUPFD_CLOEXEC, (int)(first + count));
		if (*keep[i] < 0)
			return err_sys(e, -errno, "keep a descriptor");
	}
	for (size_t i = 0; i < count; i++, first++)
		*keep[i] = dup3(*keep[i], (int)first, O_CLOEXEC);
	if (syscall(SYS_close_range, first, ~0u, 0u) < 0)
		return err_sys(e, -errno, "close inherited descriptors");
	return 0;
}

int stage_control(struct stage *s, struct err *e)
{
	int pair[2], r = packet_pair(pair);

	if (r < 0)
		return err_sys(e, r, "make a socket pair");
	s->control = pair[0];
	s->peer = pair[1];
	return 0;
}

/*
 * Signals that matter wait for the supervisor's loop; the program gets them as ever. A caller that
 * reads no more is told by the failed write.
 */
int stage_signals(int *ret_fd, struct err *e)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	static const int kept[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGWINCH, SIGCHLD};
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		sigaddset(&set, kept[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0 || sigaction(SIGPIPE, &ignore, NULL) < 0)
		return err_sys(e, -errno, "block signals");
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return err_sys(e, -errno, "watch signals");
	*ret_fd = fd;
	return 0;
}

void stage_left(struct stage *s)
{
	cleanup_fd(&s->peer);
	s->peer = -1;
	for (size_t i = 0; i < s->plan->row_count; i++) {
		cleanup_fd(&s->trees[i]);
		s->trees[i] = -1;
	}
}

/* A process that waits in the kernel for a disk or a server dies when that answers, not before. */
static bool wait_for_init(struct stage *s)
{
	if (s->init <= 0)
		return false;
	kill(s->init, SIGKILL);
	return process_wait(s->init, s->given_up ? 0 : STAGE_PATIENCE_MS) == -ETIMEDOUT;
}

/*
 * When init has said that all its processes are gone, groups of version 1, which it was never in,
 * are removed while the kernel takes init's namespaces apart.
 */
bool stage_clear(struct stage *s, bool orderly)
{
	bool stuck;

	if (orderly && leaf_clone_fd(&s->leaf) < 0) {
		leaf_remove(&s->leaf);
		return wait_for_init(s);
	}
	stuck = wait_for_init(s);
	leaf_remove(&s->leaf);
	return stuck;
}

int stage_ask(const struct stage *s, int failed, struct err *e)
{
	struct wire m;

	while (s->init > 0 && wire_receive(s->control, false, &m, NULL) == 0)
		if (m.kind == WIRE_FAILED) {
			*e = m.error;
			e->text[sizeof e->text - 1] = '\0';
			return -(e->code ? e->code : EIO);
		}
	return failed;
}

/* The kernel's own word for a refusal says nothing of who refuses. */
void stage_explain(int r, struct err *e)
{
	const char *word = strerror(-r);
	size_t len = strlen(e->text), tail = strlen(word);

	if ((r != -EPERM && r != -ENOSYS) || len < tail || strcmp(e->text + len - tail, word) != 0)
		return;
	snprintf(e->text + len, sizeof e->text - len,
		" (the kernel does not have it, or a container, service or other sandbox around "
		"ward forbids it; start ward outside of that)");
}
