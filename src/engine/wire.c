/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/wire.h"

#include <errno.h>
#include <stddef.h>

/* Only what the kind needs: most messages are small. */
static size_t wire_size(const struct wire *m)
{
	switch (m->kind) {
	case WIRE_FAILED:
		return offsetof(struct wire, error) + sizeof m->error;
	case WIRE_ENDED:
		return offsetof(struct wire, end) + sizeof m->end;
	case WIRE_REPORT:
		return offsetof(struct wire, report) + sizeof m->report;
	default:
		return offsetof(struct wire, error);
	}
}

int wire_send(int socket, bool wait, const struct wire *m, const struct packet_fds *fds)
{
	return packet_send(socket, wait, m, wire_size(m), fds);
}

int wire_receive(int socket, bool wait, struct wire *ret, struct packet_fds *ret_fds)
{
	struct packet_fds came = {.count = 0};
	ssize_t n = packet_receive(socket, wait, ret, sizeof *ret, &came);

	if (n < 0)
		return (int)n;
	if ((size_t)n < offsetof(struct wire, error) || (size_t)n > sizeof *ret ||
		(size_t)n != wire_size(ret) || ret->kind >= WIRE_KINDS) {
		packet_close(&came);
		return -EPROTO;
	}
	if (ret_fds)
		*ret_fds = came;
	else
		packet_close(&came);
	return 0;
}
