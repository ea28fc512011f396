/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define END_MS 15000 /* ward itself gives its calls 10 s to end */
#define READ_SIZE ((size_t)64 << 10)
#define SAID_SIZE (64 << 10)

/* Elsewhere ward inherits what the program has not marked as CLOEXEC; no sandbox does. */
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 34)
#define HAS_CLOSEFROM
#endif
#endif

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Where standard error goes: memory that cannot grow, so that nobody need read it meanwhile. */
static int open_said(void)
{
	int fd = memfd_create("ward-said", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && (ftruncate(fd, SAID_SIZE) < 0 ||
			       fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) < 0))
		close_fd(&fd);
	return fd;
}

/* Nothing but the three descriptors, no mask and no handlers of the program's, and a process group
 * of its own: what a terminal sends is for the program to answer. */
static int set_up(posix_spawn_file_actions_t *files, posix_spawnattr_t *attr, const struct peer *p,
	int end, const char *folder)
{
	sigset_t none, all;
	int r;

	sigemptyset(&none);
	sigfillset(&all);
	r = posix_spawnattr_setflags(
		attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	r = r ? r : posix_spawnattr_setsigmask(attr, &none);
	r = r ? r : posix_spawnattr_setsigdefault(attr, &all);
	r = r ? r : posix_spawnattr_setpgroup(attr, 0);
	r = r ? r : posix_spawn_file_actions_adddup2(files, end, STDIN_FILENO);
	r = r ? r : posix_spawn_file_actions_adddup2(files, end, STDOUT_FILENO);
	r = r ? r : posix_spawn_file_actions_adddup2(files, p->said, STDERR_FILENO);
#ifdef HAS_CLOSEFROM
	r = r ? r : posix_spawn_file_actions_addclosefrom_np(files, STDERR_FILENO + 1);
#endif
	if (folder)
		r = r ? r : posix_spawn_file_actions_addchdir_np(files, folder);
	return r;
}

static int spawn(struct peer *p, int end, const struct peer_start *how)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int r = posix_spawn_file_actions_init(&files);

	if (r)
		return -r;
	r = posix_spawnattr_init(&attr);
	if (r == 0) {
		r = set_up(&files, &attr, p, end, how->folder);
		r = r ? r
		      : posix_spawnp(&p->pid, how->program, &files, &attr, (char *const *)how->argv,
				(char *const *)how->env);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&files);
	if (r)
		p->pid = 0;
	return -r;
}

/* Where the program has closed its standard descriptors, ours could get their numbers. */
static int above_standard(int fd)
{
	int other = fd;

	if (fd >= 0 && fd <= STDERR_FILENO) {
		other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(fd);
	}
	return other;
}

/* A program that does not want to know of its children has nothing to reap. */
static void reap(const struct peer *p, int flags)
{
	siginfo_t info = {0};

	while (waitid(P_PID, (id_t)p->pid, &info, WEXITED | flags) < 0 && errno == EINTR)
		;
}

int peer_start(struct peer *p, const struct peer_start *how)
{
	int pair[2], r;

	*p = (struct peer){.fd = -1, .pidfd = -1, .said = -1, .owner = getpid()};
	p->in.most = PEER_LINE_MOST;
	p->out.most = PEER_LINE_MOST;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	p->fd = above_standard(pair[0]);
	pair[1] = above_standard(pair[1]);
	p->said = above_standard(open_said());
	if (p->fd < 0 || pair[1] < 0 || p->said < 0 || fcntl(p->fd, F_SETFL, O_NONBLOCK) < 0)
		r = errno ? -errno : -EMFILE;
	else
		r = spawn(p, pair[1], how);
	close_fd(&pair[1]);
	if (r < 0)
		return r;
	p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	if (p->pidfd >= 0 || errno == ESRCH) /* gone: the next read finds out */
		return 0;
	r = -errno;
	kill(p->pid, SIGKILL); /* ours until it is reaped */
	reap(p, 0);
	p->pid = 0;
	return r;
}

/* True: readable, so it has ended. Waits for so long, whatever signals come. */
static bool wait_end(const struct peer *p, int ms)
{
	struct pollfd f = {.fd = p->pidfd, .events = POLLIN};
	int r;

	do
		r = poll(&f, 1, ms);
	while (r < 0 && errno == EINTR);
	return r > 0;
}

void peer_end(struct peer *p)
{
	bool ours = p->owner == getpid();

	close_fd(&p->fd); /* it ends when nobody speaks to it any more */
	if (p->pid > 0 && ours) {
		if (p->pidfd >= 0 && !wait_end(p, END_MS))
			syscall(SYS_pidfd_send_signal, p->pidfd, SIGKILL, NULL, 0);
		reap(p, p->pidfd < 0 ? WNOHANG : 0);
	}
	close_fd(&p->pidfd);
	close_fd(&p->said);
	put_free(&p->in);
	put_free(&p->out);
	p->pid = 0;
	p->lost = true;
}

/* Forgets the lines that were handed out. */
static void tidy(struct peer *p)
{
	struct put *in = &p->in;

	if (p->start == 0)
		return;
	memmove(in->data, in->data + p->start, in->len - p->start);
	in->len -= p->start;
	p->seen -= p->start;
	p->start = 0;
	if (in->len == 0 && in->cap > 16 * READ_SIZE) {
		put_free(in);
		in->most = PEER_LINE_MOST;
	}
}

void peer_read(struct peer *p)
{
	size_t room;
	ssize_t n;

	if (p->lost)
		return;
	tidy(p);
	if (!put_room(&p->in, READ_SIZE)) {
		p->lost = true;
		return;
	}
	room = p->in.cap - p->in.len - 1;
	n = recv(p->fd, p->in.data + p->in.len, room, MSG_DONTWAIT);
	if (n > 0)
		p->in.len += (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		p->lost = true;
}

bool peer_line(struct peer *p, const char **ret, size_t *ret_len)
{
	const char *end;

	if (p->seen >= p->in.len)
		return false;
	end = memchr(p->in.data + p->seen, '\n', p->in.len - p->seen);
	if (!end) {
		p->seen = p->in.len;
		return false;
	}
	*ret = p->in.data + p->start;
	*ret_len = (size_t)(end - *ret);
	p->start = p->seen = (size_t)(end - p->in.data) + 1;
	return true;
}

void peer_flush(struct peer *p)
{
	while (!p->lost && p->sent < p->out.len) {
		ssize_t n = send(p->fd, p->out.data + p->sent, p->out.len - p->sent,
			MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0) /* what it said last can still be read: that finds out */
			break;
		p->sent += (size_t)n;
	}
	p->out.len = p->sent = 0;
}

bool peer_has_more(const struct peer *p)
{
	return p->sent < p->out.len;
}

void peer_said(const struct peer *p, char *to, size_t room)
{
	ssize_t n = p->said < 0 ? -1 : pread(p->said, to, room - 1, 0);
	size_t len = 0;

	while (n > 0 && len < (size_t)n && to[len]) {
		if ((unsigned char)to[len] < 0x20 || to[len] == 0x7f)
			to[len] = ' ';
		len++;
	}
	while (len > 0 && to[len - 1] == ' ')
		len--;
	to[len] = '\0';
}
