/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/wire.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
	char room[CMSG_SPACE(sizeof(int[WIRE_FDS]))];
};

void wire_close(struct wire_fds *fds)
{
	for (size_t i = 0; i < fds->count; i++)
		close(fds->fd[i]);
	fds->count = 0;
}

int wire_send(int socket, const struct wire *m, const struct wire_fds *fds)
{
	struct iovec data = {.iov_base = (void *)m, .iov_len = wire_size(m)};
	struct msghdr h = {.msg_iov = &data, .msg_iovlen = 1};
	union fd_room room;

	if (fds && fds->count > 0) {
		size_t size = fds->count * sizeof fds->fd[0];

		h.msg_control = &room;
		h.msg_controllen = CMSG_SPACE(size);
		room.align = (struct cmsghdr){.cmsg_len = CMSG_LEN(size),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&room.align), fds->fd, size);
	}
	while (sendmsg(socket, &h, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static void take_descriptors(struct msghdr *h, struct wire_fds *ret)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(h);

	ret->count = 0;
	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return;
	ret->count = (c->cmsg_len - CMSG_LEN(0)) / sizeof ret->fd[0];
	memcpy(ret->fd, CMSG_DATA(c), ret->count * sizeof ret->fd[0]);
}

int wire_receive(int socket, bool wait, struct wire *ret, struct wire_fds *ret_fds)
{
	struct iovec data = {.iov_base = ret, .iov_len = sizeof *ret};
	union fd_room room;
	struct msghdr h = {.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &room,
		.msg_controllen = sizeof room};
	struct wire_fds came = {.count = 0};
	ssize_t n;

	/* The kernel says once that the other side left something unread; its words are behind. */
	do
		n = recvmsg(socket, &h, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
	while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	if (n < 0)
		return -errno;
	take_descriptors(&h, &came);
	if (n == 0 || (size_t)n < offsetof(struct wire, error) || (size_t)n != wire_size(ret) ||
		ret->kind >= WIRE_KINDS) {
		wire_close(&came);
		return n == 0 ? -ECONNRESET : -EPROTO;
	}
	if (ret_fds)
		*ret_fds = came;
	else
		wire_close(&came);
	return 0;
}
