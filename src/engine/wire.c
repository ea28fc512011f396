/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/wire.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

/* Only what the kind needs: most messages are eight bytes. */
static size_t wire_size(const struct wire *m)
{
	switch (m->kind) {
	case WIRE_FAILED:
		return offsetof(struct wire, error) + sizeof m->error;
	case WIRE_ENDED:
		return offsetof(struct wire, end) + sizeof m->end;
	default:
		return offsetof(struct wire, error);
	}
}

union fd_room {
	struct cmsghdr align;
	char room[CMSG_SPACE(sizeof(int))];
};

int wire_send(int socket, const struct wire *m, int fd)
{
	struct iovec data = {.iov_base = (void *)m, .iov_len = wire_size(m)};
	struct msghdr h = {.msg_iov = &data, .msg_iovlen = 1};
	union fd_room room = {0};

	if (fd >= 0) {
		h.msg_control = &room;
		h.msg_controllen = sizeof room;
		*CMSG_FIRSTHDR(&h) = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&h)), &fd, sizeof fd);
	}
	while (sendmsg(socket, &h, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int take_descriptor(struct msghdr *h)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(h);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(c), sizeof fd);
	return fd;
}

int wire_receive(int socket, bool wait, struct wire *ret, int *ret_fd)
{
	struct iovec data = {.iov_base = ret, .iov_len = sizeof *ret};
	union fd_room room;
	struct msghdr h = {.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &room,
		.msg_controllen = sizeof room};
	auto_fd int fd = -1;
	ssize_t n;

	do
		n = recvmsg(socket, &h, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	fd = take_descriptor(&h);
	if (n == 0)
		return -ECONNRESET;
	if ((size_t)n < offsetof(struct wire, error) || (size_t)n != wire_size(ret) ||
		ret->kind >= WIRE_KINDS)
		return -EPROTO;
	*ret_fd = take_fd(&fd);
	return 0;
}
