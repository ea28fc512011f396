/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/post.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define HEAD offsetof(struct post, exec)

/* Only what the kind needs. */
static size_t size_of(const struct post *m)
{
	switch (m->kind) {
	case POST_EXEC:
		return offsetof(struct post, exec.text) +
		       (m->exec.command.flags & SLOT_LONG ? 0 : m->exec.command.size);
	case POST_BEGUN:
		return offsetof(struct post, exec.text) + (size_t)m->number;
	case POST_CLAIM:
		return HEAD + sizeof m->claim;
	case POST_ENDED:
		return HEAD + sizeof m->end;
	case POST_NETWORK:
		return HEAD + sizeof m->network;
	case POST_NET_CHANGE:
	case POST_NET_RULE:
		return HEAD + sizeof m->rule;
	case POST_NET_FLOW:
		return HEAD + sizeof m->flow;
	case POST_PROCESS:
		return HEAD + sizeof m->process;
	case POST_WORKSPACE:
	case POST_FOLDER:
		return HEAD + sizeof m->workspace;
	case POST_PROCESS_OUTPUT:
	case POST_PROCESS_WRITE:
	case POST_PROCESS_SIGNAL:
	case POST_OUTPUT:
		return offsetof(struct post, data.bytes) + m->data.size;
	case POST_FAILED:
		return HEAD + sizeof m->error;
	default:
		return HEAD;
	}
}

struct post *post_new(enum post_kind kind, int32_t number)
{
	static struct post m;

	m.version = POST_VERSION;
	m.kind = kind;
	m.number = number;
	m.data.size = m.exec.command.size = m.exec.command.flags = 0;
	memset(&m.exec, 0, size_of(&m) - HEAD);
	return &m;
}

int post_send(int socket, bool wait, const struct post *m, const struct packet_fds *fds)
{
	return packet_send(socket, wait, m, size_of(m), fds);
}

/* A short message leaves the head of an older one behind it: only what came is looked at. */
static int check(const struct post *m, size_t size)
{
	if (size < HEAD)
		return -EPROTO;
	if (m->version != POST_VERSION)
		return -EPROTONOSUPPORT;
	if (size > sizeof *m || ((m->kind == POST_EXEC || m->kind == POST_BEGUN) &&
					size < offsetof(struct post, exec.text)))
		return -EPROTO;
	if (size != HEAD && size < offsetof(struct post, data.bytes))
		return -EPROTO;
	return m->kind < POST_KINDS && size == size_of(m) ? 0 : -EPROTO;
}

int post_receive(int socket, bool wait, struct post *ret, struct packet_fds *ret_fds)
{
	struct packet_fds came = {.count = 0};
	ssize_t n = packet_receive(socket, wait, ret, sizeof *ret, &came);
	int r = n < 0 ? (int)n : check(ret, (size_t)n);

	if (r < 0 || !ret_fds)
		packet_close(&came);
	else
		*ret_fds = came;
	return r;
}
