/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program of a living sandbox before its exec: confined already, it waits for the command that it
 * is to become. What fails from here on is the command's own failure: no such folder or program.
 */

#include "engine/slot.h"
#include "sys/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <termios.h>

#define SIGSET_SIZE 8
#define STREAMS 3
#define FDS_MAX 4

struct command {
	char *folder;
	char **argv, **env;
	int fds[FDS_MAX];
	size_t fd_count;
};

static long receive(struct slot *s, int socket, struct command *c)
{
	struct iovec data = {s->message, sizeof s->message};
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(FDS_MAX * sizeof(int))];
	} fds;
	struct msghdr h = {.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &fds,
		.msg_controllen = sizeof fds};
	long n = RAW_3(SYS_recvmsg, socket, &h, MSG_CMSG_CLOEXEC);
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&h);

	if (n < (long)sizeof s->head)
		return n < 0 ? n : -ECONNRESET;
	c->fd_count = 0;
	if (cmsg && cmsg->cmsg_level == SOL_SOCKET && cmsg->cmsg_type == SCM_RIGHTS) {
		c->fd_count = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof c->fds[0];
		memcpy(c->fds, CMSG_DATA(cmsg), c->fd_count * sizeof c->fds[0]);
	}
	return n - (long)sizeof s->head;
}

/* Text that did not fit the message, and room for the words: kept until after exec, when the
 * shepherd gives it back. */
static char *map_text(struct slot *s, int file)
{
	size_t text = (s->head.size + 4095u) & ~4095u;
	size_t words = (s->head.argc + s->head.envc + 2) * sizeof(char *);
	long at = RAW_6(SYS_mmap, NULL, text + words, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at < 0 && at > -4096)
		return NULL;
	memcpy(&s->mapped, &at, sizeof at); /* a number that is an address */
	s->mapped_size = text + words;
	if (RAW_4(SYS_pread64, file, at, s->head.size, 0) != (long)s->head.size)
		return NULL;
	return s->mapped;
}

/* Words that stand one behind the other, each with its NUL; the supervisor has counted them. */
static char *split(char *text, const char *end, uint32_t count, char **ret)
{
	for (uint32_t i = 0; i < count; i++) {
		ret[i] = text;
		while (text < end && *text)
			text++;
		if (text == end)
			return NULL;
		text++;
	}
	ret[count] = NULL;
	return text;
}

static int read_command(struct slot *s, long inlined, struct command *c)
{
	const struct slot_command *head = &s->head;
	bool terminal = head->flags & SLOT_TERMINAL;
	size_t streams = terminal ? 0 : STREAMS;
	char *text = s->message + sizeof *head, *at, *folder[2];
	char **words = s->words;
	const char *end;

	if (c->fd_count != streams + !!(head->flags & SLOT_LONG))
		return -EPROTO;
	if (head->flags & SLOT_LONG) {
		text = map_text(s, c->fds[streams]);
		if (!text)
			return -ENOMEM;
		words = (char **)(void *)(text + ((head->size + 4095u) & ~4095u));
	} else if (head->size != (uint64_t)inlined || head->argc + head->envc > SLOT_WORDS) {
		return -EPROTO;
	}
	end = text + head->size;
	c->argv = words;
	c->env = words + head->argc + 1;
	at = split(text, end, 1, folder);
	c->folder = folder[0];
	if (at)
		at = split(at, end, head->argc, c->argv);
	if (at)
		at = split(at, end, head->envc, c->env);
	return at ? 0 : -EPROTO;
}

static long take_streams(const struct command *c)
{
	for (int fd = 0; fd < STREAMS; fd++) {
		long r = RAW_3(SYS_dup3, c->fds[fd], fd, 0);

		if (r < 0)
			return r;
	}
	return 0;
}

/* The one that the shepherd has opened; all signals are still blocked, so that none stops it here.
 */
static long take_terminal(const struct slot *s)
{
	char path[32] = "/dev/pts/";
	long fd, r, self = RAW_1(SYS_getpid, 0);
	int group = (int)self;

	slot_put_number(path + sizeof "/dev/pts/" - 1, s->terminal);
	fd = RAW_4(SYS_openat, AT_FDCWD, path, O_RDWR | O_NOCTTY, 0);
	if (fd < 0)
		return fd;
	for (int to = 0; to < STREAMS; to++) {
		r = RAW_3(SYS_dup3, fd, to, 0);
		if (r < 0)
			return r;
	}
	RAW_1(SYS_close, fd);
	return RAW_3(SYS_ioctl, 0, TIOCSPGRP, &group);
}

static long try_path(const char *dir, size_t len, const struct command *c)
{
	char path[PATH_MAX];
	size_t name = strlen(c->argv[0]);

	if (len + name + 3 > sizeof path)
		return -ENAMETOOLONG;
	memcpy(path, dir, len);
	if (len == 0)
		path[len++] = '.';
	path[len++] = '/';
	memcpy(path + len, c->argv[0], name + 1);
	return RAW_3(SYS_execve, path, c->argv, c->env);
}

/* As execvp does it, in the command's own PATH. */
static long execute(const struct command *c)
{
	const char *list = "/usr/bin:/bin";
	long found = -ENOENT;

	if (!c->argv[0][0])
		return -ENOENT;
	if (strchr(c->argv[0], '/'))
		return RAW_3(SYS_execve, c->argv[0], c->argv, c->env);
	for (char **e = c->env; *e; e++)
		if (strncmp(*e, "PATH=", 5) == 0)
			list = *e + 5;
	while (*list) {
		size_t len = strcspn(list, ":");
		long r = try_path(list, len, c);

		if (r != -ENOENT && r != -ENOTDIR && r != -EACCES && r != -ENAMETOOLONG)
			return r;
		if (r == -EACCES)
			found = r;
		list += len + (list[len] == ':');
	}
	return found;
}

static long become(struct slot *s, const struct command *c)
{
	uint64_t none = 0;
	long r = s->head.flags & SLOT_TERMINAL ? take_terminal(s) : take_streams(c);

	if (r == 0)
		r = RAW_1(SYS_chdir, c->folder);
	if (r == 0)
		r = RAW_4(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, SIGSET_SIZE);
	return r < 0 ? r : execute(c);
}

int birth_main(void *arg)
{
	struct slot *s = arg;
	struct command c;
	int socket = s->command[1];
	long r;

	/* The supervisor's ends, which have been sent or are about to be: nobody else may hold
	 * them. */
	RAW_1(SYS_close, s->command[0]);
	RAW_1(SYS_close, s->orders[0]);
	RAW_1(SYS_close, s->channel);
	r = RAW_5(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);

	/* Without its shepherd it must not become anything: the slot may be given to others. */
	if (r < 0 || RAW_1(SYS_getppid, 0) == 1)
		return 127;
	r = RAW_2(SYS_setpgid, 0, 0);

	if (r < 0)
		return 127;
	r = receive(s, socket, &c);
	if (r < 0)
		return 127;
	s->began = true;
	r = read_command(s, r, &c);
	if (r == 0)
		r = become(s, &c);
	s->start_error = (int32_t)-r;
	return 127;
}
