/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/packet.h"

#include "base/cleanup.h"
#include "sys/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#define KIND (SOCK_SEQPACKET | SOCK_CLOEXEC)

union fd_room {
	struct cmsghdr align;
	char room[CMSG_SPACE(sizeof(int[PACKET_FDS]))];
};

void packet_close(struct packet_fds *fds)
{
	for (size_t i = 0; i < fds->count; i++)
		close(fds->fd[i]);
	fds->count = 0;
}

int packet_send(int socket, bool wait, const void *data, size_t size, const struct packet_fds *fds)
{
	struct iovec part = {.iov_base = (void *)data, .iov_len = size};
	struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1};
	union fd_room room;

	if (fds && fds->count > 0) {
		size_t len = fds->count * sizeof fds->fd[0];

		h.msg_control = &room;
		h.msg_controllen = CMSG_SPACE(len);
		room.align = (struct cmsghdr){.cmsg_len = CMSG_LEN(len),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&room.align), fds->fd, len);
	}
	while (sendmsg(socket, &h, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT)) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static void take_descriptors(struct msghdr *h, struct packet_fds *ret)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(h);

	ret->count = 0;
	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return;
	ret->count = (c->cmsg_len - CMSG_LEN(0)) / sizeof ret->fd[0];
	memcpy(ret->fd, CMSG_DATA(c), ret->count * sizeof ret->fd[0]);
}

ssize_t packet_receive(int socket, bool wait, void *data, size_t size, struct packet_fds *ret_fds)
{
	struct iovec part = {.iov_base = data, .iov_len = size};
	union fd_room room;
	struct msghdr h = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &room,
		.msg_controllen = sizeof room};
	struct packet_fds came = {.count = 0};
	int flags = MSG_CMSG_CLOEXEC | MSG_TRUNC | (wait ? 0 : MSG_DONTWAIT);
	ssize_t n;

	/* The kernel says once that the other side left something unread; its words are behind. */
	do
		n = recvmsg(socket, &h, flags);
	while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	if (n < 0)
		return -errno;
	take_descriptors(&h, &came);
	if (ret_fds && n > 0)
		*ret_fds = came;
	else
		packet_close(&came);
	return n == 0 ? -ECONNRESET : n;
}

int packet_pair(int ret[2])
{
	return socketpair(AF_UNIX, KIND, 0, ret) < 0 ? -errno : 0;
}

/* By the folder's descriptor: names of sockets are short, paths of folders need not be. */
static int address(int dir, const char *name, struct sockaddr_un *ret)
{
	int n;

	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	n = snprintf(ret->sun_path, sizeof ret->sun_path, "/proc/self/fd/%d/%s", dir, name);
	return n < 0 || (size_t)n >= sizeof ret->sun_path ? -ENAMETOOLONG : 0;
}

int packet_listen(int dir, const char *name)
{
	struct sockaddr_un at;
	int r = address(dir, name, &at);
	auto_fd int fd = -1;

	if (r < 0)
		return r;
	fd = socket(AF_UNIX, KIND | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (unlinkat(dir, name, 0) < 0 && errno != ENOENT)
		return -errno;
	if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, 128) < 0)
		return -errno;
	return take_fd(&fd);
}

int packet_connect(int dir, const char *name)
{
	struct sockaddr_un at;
	int r = address(dir, name, &at);
	auto_fd int fd = -1;

	if (r < 0)
		return r;
	fd = socket(AF_UNIX, KIND, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&at, sizeof at) < 0)
		return -errno;
	return take_fd(&fd);
}

int packet_peer(int socket, uid_t *ret_uid, pid_t *ret_pid)
{
	struct ucred peer;
	socklen_t len = sizeof peer;

	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return -errno;
	*ret_uid = peer.uid;
	*ret_pid = peer.pid;
	return 0;
}

/* Where the kernel does not say which process that is, the number is still its own if the
 * connection stands when it is already held. */
int packet_signal(int socket, int number)
{
	struct pollfd there = {.fd = socket};
	auto_fd int process = -1;
	uid_t uid;
	pid_t pid = 0;
	int r = packet_peer(socket, &uid, &pid);

	if (r < 0)
		return r;
	process = peer_hold_other(socket, pid);
	if (process < 0)
		return process;
	if (poll(&there, 1, 0) != 0)
		return -ECONNRESET;
	return syscall(SYS_pidfd_send_signal, process, number, NULL, 0) < 0 ? -errno : 0;
}
