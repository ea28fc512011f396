/* SPDX-License-Identifier: Apache-2.0 */
#include "state/apply.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/str.h"
#include "model/pathname.h"
#include "model/protect.h"
#include "state/flatten.h"
#include "state/put.h"
#include "state/stale.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

const char *const apply_verdict_names[] = {
	"applied", "conflict", "protected", "left out", "failed", NULL};
_Static_assert(ARRAY_LEN(apply_verdict_names) == APPLY_VERDICT_COUNT + 1, "a name for each");

/* As if the change were made in a workspace that is written at once. */
bool apply_is_protected(const char *const *patterns, size_t count, const struct change *k)
{
	static const enum protect_op ops[CHANGE_KIND_COUNT][3] = {
		[CHANGE_ADDED] = {PROTECT_CREATE, PROTECT_MKDIR, PROTECT_SYMLINK},
		[CHANGE_MODIFIED] = {PROTECT_WRITE, PROTECT_ATTR, PROTECT_SYMLINK},
		[CHANGE_DELETED] = {PROTECT_UNLINK, PROTECT_RMDIR, PROTECT_UNLINK},
	};
	mode_t mode = k->kind == CHANGE_DELETED ? k->base.st_mode : k->layer.st_mode;
	int type = S_ISDIR(mode) ? 1 : S_ISLNK(mode) ? 2 : 0;

	return protect_refuses(protect_place(patterns, count, k->path), ops[k->kind][type]) != 0;
}

static mode_t mode_of(const struct change *k)
{
	return k->kind == CHANGE_DELETED ? k->base.st_mode : k->layer.st_mode;
}

static enum apply_verdict judge(const struct apply *a, const struct change *k)
{
	mode_t mode = mode_of(k);

	if (!S_ISREG(mode) && !S_ISDIR(mode) && !S_ISLNK(mode))
		return APPLY_LEFT_OUT;
	if (!a->allow_protected && apply_is_protected(a->protect, a->protect_count, k))
		return APPLY_PROTECTED;
	return k->conflict && !a->force ? APPLY_CONFLICT : APPLY_DONE;
}

/* Rows stand in the order of a walk: what lies in a folder follows it. */
static size_t end_of(const struct apply *a, size_t i)
{
	const struct changes *c = a->changes;
	size_t end = i + 1;

	while (end < c->count && pathname_within(c->items[end].path, c->items[i].path))
		end++;
	return end;
}

static bool is_deletion(const struct apply *a, size_t i)
{
	return a->rows[i].change->kind == CHANGE_DELETED;
}

static void hold_back(struct apply *a, size_t from, size_t to, enum apply_verdict why)
{
	for (size_t i = from; i < to; i++)
		if (is_deletion(a, i) && a->rows[i].verdict == APPLY_DONE)
			a->rows[i].verdict = why;
}

/*
 * What belongs together stays together. A name is not removed when what takes its place does not
 * come; a folder with something protected in it does not lose the rest; and while something that
 * was moved does not arrive, nothing is removed: it may be what it was moved from.
 */
static void judge_together(struct apply *a)
{
	const struct changes *c = a->changes;
	enum apply_verdict stranded = APPLY_DONE;

	for (size_t i = 0; i < c->count; i++) {
		size_t end = end_of(a, i);

		if (!is_deletion(a, i)) {
			if (c->items[i].kind == CHANGE_ADDED && c->items[i].copied &&
				a->rows[i].verdict != APPLY_DONE)
				stranded = a->rows[i].verdict;
			continue;
		}
		for (size_t j = i; j < end; j++) {
			bool instead =
				!is_deletion(a, j) && str_eq(c->items[j].path, c->items[i].path);

			if (a->rows[j].verdict == APPLY_DONE)
				continue;
			if (instead || (is_deletion(a, j) && a->rows[j].verdict == APPLY_PROTECTED))
				hold_back(a, i, end, a->rows[j].verdict);
		}
	}
	if (stranded != APPLY_DONE)
		hold_back(a, 0, c->count, stranded);
}

static void count_left(struct apply *a)
{
	a->left = a->changes->skipped;
	for (size_t i = 0; i < a->changes->count; i++)
		a->left += a->rows[i].verdict != APPLY_DONE;
}

void apply_judge(struct apply *a)
{
	const struct changes *c = a->changes;

	a->rows = arena_array(c->arena, c->count + 1, sizeof *a->rows);
	for (size_t i = 0; i < c->count; i++)
		a->rows[i] = (struct apply_row){
			.change = &c->items[i], .verdict = judge(a, &c->items[i])};
	judge_together(a);
	count_left(a);
}

static void do_row(struct apply *a, size_t i)
{
	struct apply_row *row = &a->rows[i];
	const struct change *k = row->change;
	int r;

	if (row->verdict != APPLY_DONE || row->done)
		return;
	r = k->kind == CHANGE_DELETED ? put_away(a->changes, k) : put_there(a->changes, k);
	row->done = r == 0;
	if (r == 0)
		return;
	row->verdict = r == -ESTALE || r == -ENOTEMPTY ? APPLY_CONFLICT : APPLY_FAILED;
	row->error = r;
	/* A folder that keeps what is protected is kept by that. */
	for (size_t j = i, end = end_of(a, i); r == -ENOTEMPTY && j < end; j++)
		if (a->rows[j].verdict == APPLY_PROTECTED)
			row->verdict = APPLY_PROTECTED;
}

/* Folders that nobody may write in, and in which something is to be removed. */
static void set_folder_mode(const struct changes *c, const struct change *k, mode_t mode)
{
	auto_fd int fd = folder_open_here(c->base, k->path, O_RDONLY | O_DIRECTORY);

	if (fd >= 0)
		fchmod(fd, mode & 0777);
}

static void open_folders(struct apply *a)
{
	for (size_t i = 0; i < a->changes->count; i++) {
		const struct change *k = &a->changes->items[i];

		if (a->rows[i].verdict != APPLY_DONE || !S_ISDIR(k->base.st_mode))
			continue;
		if (k->kind == CHANGE_MODIFIED)
			do_row(a, i);
		else if ((k->base.st_mode & 0300) != 0300)
			set_folder_mode(a->changes, k, k->base.st_mode | 0700);
	}
}

/* From the bottom up. Those that were to go and are still there are as they were. */
static void close_folders(struct apply *a)
{
	for (size_t i = a->changes->count; i-- > 0;) {
		const struct change *k = &a->changes->items[i];

		if (k->kind != CHANGE_DELETED && S_ISDIR(k->layer.st_mode) && a->rows[i].done)
			set_folder_mode(a->changes, k, k->layer.st_mode);
		else if (k->kind == CHANGE_DELETED && S_ISDIR(k->base.st_mode) &&
			 !a->rows[i].done && (k->base.st_mode & 0300) != 0300)
			set_folder_mode(a->changes, k, k->base.st_mode);
	}
}

/* Names at which something else is to stand. */
static void make_room(struct apply *a)
{
	const struct changes *c = a->changes;

	for (size_t i = 0; i < c->count; i++) {
		size_t end = end_of(a, i);
		bool instead = false;

		for (size_t j = i + 1; j < end && is_deletion(a, i) && !instead; j++)
			instead = !is_deletion(a, j) && str_eq(c->items[j].path, c->items[i].path);
		for (size_t j = end; instead && j-- > i;)
			if (is_deletion(a, j))
				do_row(a, j);
	}
}

static void do_all(struct apply *a)
{
	const struct changes *c = a->changes;
	bool stranded = false;

	for (size_t i = 0; i < c->count; i++)
		a->rows[i].quiet = !stale_folder(&c->layer->chain, c->base, c->items[i].path);
	open_folders(a);
	make_room(a);
	for (size_t i = 0; i < c->count; i++) {
		if (is_deletion(a, i))
			continue;
		do_row(a, i);
		stranded = stranded || (c->items[i].copied && !a->rows[i].done);
	}
	if (stranded)
		hold_back(a, 0, c->count, APPLY_CONFLICT);
	for (size_t i = c->count; i-- > 0;)
		if (is_deletion(a, i))
			do_row(a, i);
	close_folders(a);
	count_left(a);
}

/* The workspace's own as ward has left it. */
static void learn(struct changes *c, const char *path)
{
	struct chain_known known = {.path = path};
	auto_fd int fd = folder_open_here(c->base, path, O_PATH);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0) {
		known.inode = st.st_ino;
		known.changed =
			(struct chain_time){st.st_ctim.tv_sec, (uint32_t)st.st_ctim.tv_nsec};
	}
	chain_learn(c->arena, &c->layer->chain, &known);
}

static const char *parent_of(struct changes *c, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? arena_text(c->arena, path, (size_t)(slash - path)) : "";
}

/* What the layer hides one by one; not with a folder that it hides as a whole. */
static bool is_hidden_itself(const struct layer *l, const char *path)
{
	char name[LAYER_NAME];
	auto_fd int upper = -1;
	auto_fd int fd = -1;
	struct stat st;

	layer_upper(l, name);
	upper = folder_open(l->own, name, O_RDONLY | O_DIRECTORY, 0);
	fd = upper < 0 ? -1 : folder_open(upper, path, O_PATH, 0);
	return fd >= 0 && fstat(fd, &st) == 0 && changes_is_whiteout(&st);
}

/* A folder goes when nothing in it is left to do: its entries say so themselves. */
static int forget(struct changes *c, const struct change *k, struct err *e)
{
	if (k->kind == CHANGE_DELETED && !is_hidden_itself(c->layer, k->path))
		return 0;
	if (k->kind != CHANGE_DELETED && S_ISDIR(k->layer.st_mode))
		return 0;
	return flatten_forget(c->layer, c->base, k->path, e);
}

static int forget_done(struct apply *a, struct err *e)
{
	struct changes *c = a->changes;
	int r = 0;

	for (size_t i = 0; i < c->count && r == 0; i++) {
		if (!a->rows[i].done)
			continue;
		learn(c, c->items[i].path);
		if (a->rows[i].quiet)
			learn(c, parent_of(c, c->items[i].path));
		r = forget(c, &c->items[i], e);
	}
	return r < 0 ? r : layer_save(c->layer, e);
}

static bool is_whole(const struct changes *c)
{
	for (size_t i = 0; i < c->path_count; i++)
		if (!*c->paths[i])
			return true;
	return c->path_count == 0;
}

int apply_carry_out(struct apply *a, struct err *e)
{
	struct changes *c = a->changes;

	do_all(a);
	/* On the disk, before the only other copy goes. */
	if (syncfs(c->base) < 0)
		return err_sys(e, -errno, "write the workspace to the disk");
	if (a->left == 0 && is_whole(c))
		return layer_reset(c->layer, e);
	return forget_done(a, e);
}

int apply_discard(struct changes *c, struct err *e)
{
	int r = 0;

	if (is_whole(c))
		return layer_reset(c->layer, e);
	for (size_t i = 0; i < c->path_count && r == 0; i++)
		r = flatten_forget(c->layer, c->base, c->paths[i], e);
	return r < 0 ? r : layer_save(c->layer, e);
}
