/* SPDX-License-Identifier: Apache-2.0 */

/* The workspace of a sandbox that lives, for whoever works on its files from outside. */

#include "engine/live.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int live_take_workspace(struct live *v, struct packet_fds *fds)
{
	struct stat st;

	if (v->workspace >= 0 || fds->count != 1 || fstat(fds->fd[0], &st) < 0 ||
		!S_ISDIR(st.st_mode))
		return -EPROTO;
	v->workspace = fds->fd[0];
	fds->count = 0;
	v->call->card->device = st.st_dev;
	v->call->card->inode = st.st_ino;
	return 0;
}

/* Whoever works on a layer holds its lock for as long, so that nobody else changes it meanwhile. */
void live_show_workspace(struct live *v, struct live_line *l, const struct post *asked)
{
	struct packet_fds fds = {.fd = {v->workspace, v->call->layer}, .count = 1};
	struct post *m;

	if (memcmp(asked->workspace.config, v->call->card->config, POST_CONFIG) != 0) {
		live_line_answer(l, post_new(POST_CHANGED, 0));
		return;
	}
	if (v->workspace < 0) {
		live_line_fail(v, l, EAGAIN, "the workspace is not there yet");
		return;
	}
	fds.count += v->call->layer >= 0;
	m = post_new(POST_FOLDER, 0);
	m->workspace.uid = v->stage->host_uid;
	m->workspace.gid = v->stage->host_gid;
	v->last_used = live_now();
	if (l->client >= 0)
		post_send(l->client, false, m, &fds);
}
