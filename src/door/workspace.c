/* SPDX-License-Identifier: Apache-2.0 */
#include "door/workspace.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "door/cow.h"
#include "engine/stage.h"
#include "files/files_alias.h"
#include "state/place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define TRIES 3 /* a sandbox may be stopped between two looks at it */

static struct post message; /* large */

void workspace_close(struct workspace_root *w)
{
	cleanup_fd(&w->root);
	cleanup_fd(&w->lock);
	arena_free(&w->names);
	*w = WORKSPACE_CLOSED;
}

static const struct plan_row *find_row(const struct plan *p)
{
	for (size_t i = 0; i < p->row_count; i++)
		if (str_eq(p->rows[i].target, &PLAN_WORKSPACE[1]) && p->rows[i].kind != PLAN_LINK)
			return &p->rows[i];
	return NULL;
}

/* Nothing of it is on the host, or only layers that nobody may touch while they are mounted. */
static bool is_inside(const struct plan *p, const struct plan_row *row)
{
	return p->workspace == WORKSPACE_COW || row->kind == PLAN_TMPFS;
}

/* As the broker of the sandbox has it. */
int workspace_take_rules(struct workspace_root *w, const struct plan *p, bool all, struct err *e)
{
	struct files *f = &w->files;

	f->read_only = p->workspace == WORKSPACE_RO;
	f->protect = p->protect;
	f->protect_count = p->workspace == WORKSPACE_COW && !all ? 0 : p->protect_count;
	f->hide = p->hide;
	f->hide_count = p->hide_count;
	return files_alias(f, p->workspace_path, &w->names, e);
}

static int take_folder(struct packet_fds *fds, struct workspace_root *ret, struct err *e)
{
	if (message.kind == POST_FAILED) {
		*e = message.error;
		e->text[sizeof e->text - 1] = '\0';
		return -(e->code ? e->code : EIO);
	}
	if (message.kind != POST_FOLDER || fds->count < 1)
		return err_set(e, EPROTO, "the sandbox answers something else");
	ret->root = fds->fd[0];
	ret->lock = fds->count > 1 ? fds->fd[1] : -1;
	fds->count = 0;
	ret->inside = true;
	ret->files.root = ret->root;
	ret->files.owner = (uid_t)message.workspace.uid;
	ret->files.group = (gid_t)message.workspace.gid;
	return 0;
}

/* 1: it was made from another configuration, or by another version. */
static int ask(int sandbox, const uint8_t *config, struct workspace_root *ret, struct err *e)
{
	auto_(packet_close) struct packet_fds fds = {.count = 0};
	struct post *m = post_new(POST_WORKSPACE, 0);
	int r;

	memcpy(m->workspace.config, config, sizeof m->workspace.config);
	r = post_send(sandbox, true, m, NULL);
	if (r == 0)
		r = post_receive(sandbox, true, &message, &fds);
	if (r == -EPROTONOSUPPORT || (r == 0 && message.kind == POST_CHANGED))
		return 1;
	if (r == -ECONNRESET || r == -EPIPE)
		return err_set(e, ESHUTDOWN, "the sandbox has ended");
	return r < 0 ? err_sys(e, r, "ask the sandbox for its workspace")
		     : take_folder(&fds, ret, e);
}

static int ask_running(
	int place, const struct exec_answer *planned, struct workspace_root *ret, struct err *e)
{
	auto_fd int sandbox = living_connect(place, planned->name, e);

	return sandbox < 0 ? sandbox : ask(sandbox, planned->config, ret, e);
}

/* As before a command: what was made from another configuration makes way, unless it is used. */
static int make_way(int place, const char *name, struct err *e)
{
	int r = living_stop(place, name, false, e);

	if (r == -EBUSY)
		return err_set(e, ESTALE,
			"the sandbox was made from another configuration, and commands run in it; "
			"wait for them, or end them: 'ward recreate --force'");
	return r == -ENOENT ? 0 : r;
}

static int open_inside(const struct run_request *q, const struct exec_answer *planned,
	struct arena *a, struct workspace_root *ret, struct err *e)
{
	auto_fd int place = place_open(a, e);
	struct exec_answer started;
	int r = place < 0 ? place : -ENOENT;

	for (int i = 0; i < TRIES && place >= 0; i++) {
		r = ask_running(place, planned, ret, e);
		if (r == 1) {
			r = make_way(place, planned->name, e);
			if (r < 0)
				return r;
		} else if (r != -ENOENT && r != -ESHUTDOWN) {
			return r;
		}
		started = (struct exec_answer){.made = false};
		r = exec_start(q, a, &started, e);
		if (r < 0)
			return r;
		if (!started.run.planned)
			return err_set(e, EACCES, "the sandbox of the session may not be started");
	}
	return r < 0 ? r : err_set(e, EAGAIN, "the sandbox is stopped again and again");
}

/* A sandbox lives that was made with another folder of that name. One of another configuration
 * does not count: the next command has a new one. */
static bool is_another(const struct exec_answer *planned, const struct stat *st, int place)
{
	struct place_row row;

	if (place_read(place, planned->name, &row) < 0 || !row.alive || row.broken)
		return false;
	return row.card.inode != 0 &&
	       memcmp(row.card.config, planned->config, sizeof row.card.config) == 0 &&
	       (row.card.device != st->st_dev || row.card.inode != st->st_ino);
}

static int open_pinned(
	const struct exec_answer *planned, int place, struct workspace_root *ret, struct err *e)
{
	int r = ask_running(place, planned, ret, e);

	if (r == -ENOENT || r == -ESHUTDOWN || r == 1)
		return err_set(e, ESTALE,
			"the workspace is another folder than that of the running sandbox; stop "
			"the "
			"sandbox ('ward stop') if the new one is meant");
	return r;
}

static int open_outside(const struct exec_answer *planned, const struct plan_row *row,
	struct arena *a, struct workspace_root *ret, struct err *e)
{
	const struct plan *p = &planned->run.plan;
	auto_fd int place = place_open(a, e), fd = -1;
	struct stat st;
	int r;

	if (place < 0)
		return place;
	r = row->kind == PLAN_OWN ? cow_make_own(p, a, e) : 0;
	if (r == 0 && stat(row->source, &st) == 0 && is_another(planned, &st, place))
		return open_pinned(planned, place, ret, e);
	fd = r < 0 ? r : sources_open_workspace(p, row, e);
	if (fd < 0)
		return take_fd(&fd);
	if (fstat(fd, &st) < 0)
		return err_sys(e, -errno, "look at '%s'", row->source);
	if (is_another(planned, &st, place))
		return err_set(e, ESTALE, "'%s' is being renamed; try again", row->source);
	if (p->root) { /* its owner is who the sandbox's programs are, outside */
		ret->files.owner = st.st_uid;
		ret->files.group = st.st_gid;
	}
	ret->root = ret->files.root = take_fd(&fd);
	return 0;
}

int workspace_open(const struct run_request *q, const struct exec_answer *planned, struct arena *a,
	struct workspace_root *ret, struct err *e)
{
	const struct plan *p = &planned->run.plan;
	const struct plan_row *row = find_row(p);
	auto_(workspace_close) struct workspace_root w = WORKSPACE_CLOSED;
	bool stays = planned->run.verdict.effective->s.sandbox.keep_alive.v;
	int r;

	w.files.owner = FILES_NOBODY;
	if (!row)
		return err_set(e, ENOENT, "the session has no workspace");
	if (is_inside(p, row) && !stays)
		return err_set(e, ENOTSUP,
			"the workspace is only there while a command runs (keepAlive is false): "
			"use "
			"commands instead of file tools");
	r = is_inside(p, row) ? open_inside(q, planned, a, &w, e)
			      : open_outside(planned, row, a, &w, e);
	if (r < 0)
		return r;
	*e = (struct err){0};
	r = workspace_take_rules(&w, p, false, e);
	if (r < 0)
		return r;
	*ret = w;
	w = WORKSPACE_CLOSED;
	return 0;
}

int workspace_open_host(const char *path, struct workspace_root *ret, struct err *e)
{
	auto_fd int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(e, -errno, "open '%s'", path);
	*ret = WORKSPACE_CLOSED;
	ret->files.owner = FILES_NOBODY;
	ret->files.name = path;
	ret->root = ret->files.root = take_fd(&fd);
	return 0;
}
