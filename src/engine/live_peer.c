/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Who may come to a sandbox: the user whose it is, and root, who could do everything anyway; and no
 * process of the sandbox itself, whoever it is. Who somebody is is asked once, of the kernel, as it
 * was when they connected. Those that are turned away are written down.
 */

#include "base/cleanup.h"
#include "engine/live.h"
#include "sys/packet.h"
#include "sys/peer.h"

#include <unistd.h>

/* Of what runs in the sandbox it can be told: its user namespace is ours. */
static bool is_inside(const struct live *v, pid_t pid)
{
	return v->stage->space && peer_space(pid) == v->stage->space;
}

static void write_down(struct live *v, const struct live_refused *one, uint32_t count)
{
	struct live_refused said = *one;

	said.count = count;
	if (count > 0 && v->call->refused)
		v->call->refused(v->call->record_ctx, &said);
}

static void refuse(struct live *v, uid_t uid, pid_t pid, const char *why)
{
	v->last_refused = (struct live_refused){.uid = uid, .pid = pid, .why = why};
	write_down(v, &v->last_refused, refusals_add(&v->refusals, live_now() / 1000));
}

bool live_peer_is_welcome(struct live *v, int fd)
{
	auto_fd int process = -1;
	uid_t uid;
	pid_t pid;

	if (packet_peer(fd, &uid, &pid) < 0)
		return false;
	if (uid != geteuid() && uid != 0) {
		refuse(v, uid, pid, "another user's sandbox");
		return false;
	}
	/* Held first, so that the number is its own while it is looked at. One that is gone needs
	 * no answer. */
	process = peer_hold_other(fd, pid);
	if (process < 0)
		return false;
	if (is_inside(v, pid)) {
		refuse(v, uid, pid, "a process of the sandbox itself");
		return false;
	}
	return peer_lives(process);
}

void live_peer_end(struct live *v)
{
	write_down(v, &v->last_refused, refusals_end(&v->refusals));
}
