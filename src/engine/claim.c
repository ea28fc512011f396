/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/claim.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "engine/wire.h"
#include "sys/memory.h"
#include "sys/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>

/* Opened before the blank is made, and compared with what is mounted then. */
static int watch_mounts(struct stage *s)
{
	int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	s->mounts = s->host_only[ARRAY_LEN(s->host_only) - 1] = fd;
	return 0;
}

bool claim_is_stale(const struct stage *s)
{
	struct pollfd mounts = {.fd = s->mounts, .events = POLLPRI};

	return poll(&mounts, 1, 0) != 0;
}

int claim_open(struct stage *s, struct err *e)
{
	int r = watch_mounts(s);
	void *page = mmap(
		NULL, sizeof *s->claim, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (r < 0 || page == MAP_FAILED)
		return err_sys(e, r < 0 ? r : -errno, "get ready for a workspace");
	s->claim = page;
	return 0;
}

/* As when a sandbox is made for a workspace: root opens it outside, a user inside. */
int claim_send(struct stage *s, struct err *e)
{
	struct wire m = {.kind = WIRE_CLAIM};
	struct packet_fds fds = {.count = 0};
	int *tree = &s->trees[s->blank->workspace], r;

	blank_fill(s->blank, s->claim->path);
	if (s->plan->root) {
		r = sources_open_claimed(s, e);
		if (r < 0)
			return r;
		fds = (struct packet_fds){.fd = {*tree}, .count = 1};
	}
	r = wire_send(s->control, true, &m, &fds);
	if (s->plan->root)
		close(take_fd(tree));
	return r < 0 ? err_sys(e, r, "speak to the sandbox") : 0;
}

/* Nobody may come for hours. */
static int hear(struct stage *s, struct packet_fds *fds)
{
	struct pollfd p = {.fd = s->control, .events = POLLIN};
	struct wire m;
	int r;

	if (poll(&p, 1, MEMORY_SETTLE_MS) == 0)
		memory_settle();
	r = wire_receive(s->control, true, &m, fds);
	return r == 0 && m.kind != WIRE_CLAIM ? -EPROTO : r;
}

static int put_workspace(struct stage *s, struct packet_fds *fds, struct err *e)
{
	size_t i = s->blank->workspace;
	int r;

	blank_fill(s->blank, s->claim->path);
	if (s->plan->root && fds->count != 1)
		return err_set(e, EPROTO, "the workspace did not come");
	if (s->plan->root) {
		s->trees[i] = fds->fd[0];
		fds->count = 0;
	} else {
		r = sources_open_claimed(s, e);
		if (r < 0)
			return r;
	}
	r = tree_attach(s->trees[i], AT_FDCWD, s->plan->rows[i].target);
	close(take_fd(&s->trees[i]));
	return r < 0 ? err_sys(e, r, "put the workspace into the sandbox") : 0;
}

int claim_wait(struct stage *s, struct err *e)
{
	auto_(packet_close) struct packet_fds fds = {.count = 0};
	struct wire m = {.kind = WIRE_WAITING};
	int r = wire_send(s->control, true, &m, NULL);

	if (r == 0)
		r = hear(s, &fds);
	if (r < 0)
		return err_sys(e, r, "wait for somebody who needs the sandbox");
	r = put_workspace(s, &fds, e);
	if (r < 0 || s->host < 0)
		return r;
	r = tree_detach(s->host);
	close(take_fd(&s->host));
	return r < 0 ? err_sys(e, r, "leave the host's root") : 0;
}
