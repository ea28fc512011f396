/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/peer.h"

#include "base/str.h"
#include "sys/file.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

union room {
	struct cmsghdr align;
	char room[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int[8]))];
};

int peer_ask(int socket)
{
	int on = 1;

	return setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0 ? -errno : 0;
}

/* Descriptors that nobody asked for. */
static void close_all(const struct cmsghdr *c)
{
	size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	int fd;

	for (size_t i = 0; i < count; i++) {
		memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
		close(fd);
	}
}

ssize_t peer_receive(int socket, void *data, size_t size, struct peer_sender *ret)
{
	struct iovec part = {.iov_base = data, .iov_len = size};
	union room room;
	struct msghdr h = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &room,
		.msg_controllen = sizeof room};
	struct ucred sender = {.pid = 0, .uid = (uid_t)-1};
	ssize_t n;

	do
		n = recvmsg(socket, &h, MSG_CMSG_CLOEXEC | MSG_DONTWAIT | MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&h); c; c = CMSG_NXTHDR(&h, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS)
			memcpy(&sender, CMSG_DATA(c), sizeof sender);
		else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			close_all(c);
	}
	*ret = (struct peer_sender){sender.pid, sender.uid};
	return n == 0 ? -ECONNRESET : (size_t)n > size ? -EMSGSIZE : n;
}

int peer_hold_other(int socket, pid_t pid)
{
	int fd = -1;
	socklen_t len = sizeof fd;

	if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &fd, &len) == 0)
		return fd;
	if (errno != ENOPROTOOPT)
		return -errno;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	return fd < 0 ? -errno : fd;
}

bool peer_lives(int process)
{
	struct pollfd p = {.fd = process, .events = POLLIN};

	return poll(&p, 1, 0) == 0;
}

ino_t peer_space(pid_t pid)
{
	char path[48];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

static bool is_same(pid_t pid, const char *space)
{
	char path[48];
	struct stat here, there;

	snprintf(path, sizeof path, "/proc/self/ns/%s", space);
	if (stat(path, &here) < 0)
		return false;
	snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)pid, space);
	return stat(path, &there) == 0 && here.st_ino == there.st_ino &&
	       here.st_dev == there.st_dev;
}

/* A process of a namespace below has a number in each of them. */
static bool has_one_number(pid_t pid)
{
	char path[48], text[4096];
	const char *line, *number;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	if (file_read_small(path, text, sizeof text) < 0)
		return false;
	line = strstr(text, "\nNSpid:\t");
	if (!line)
		return false;
	number = line + strlen("\nNSpid:\t");
	return number[strspn(number, "0123456789")] == '\n';
}

int peer_is_beside(const struct peer_sender *who)
{
	if (who->pid <= 0 || !has_one_number(who->pid))
		return -EPERM;
	if (who->uid == 0 && geteuid() != 0)
		return 0;
	return is_same(who->pid, "user") && is_same(who->pid, "pid") ? 0 : -EPERM;
}
