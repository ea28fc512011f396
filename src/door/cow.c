/* SPDX-License-Identifier: Apache-2.0 */
#include "door/cow.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "door/living.h"
#include "door/load.h"
#include "state/place.h"
#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static int find_state(struct arena *a, const char **ret, struct err *e)
{
	*ret = load_state_path(a);
	return *ret ? 0
		    : err_set(e, ENOENT,
			      "there is no folder to keep changes in; set HOME or XDG_STATE_HOME");
}

/*
 * Private workspaces and caches, with a mark of when they were used last. What a sandbox has done
 * to the mode of such a folder is undone; the folder around it is ward's own.
 */
static int make_one(const char *path, struct arena *a)
{
	const char *slash = strrchr(path, '/');
	auto_fd int parent = folder_own(arena_text(a, path, (size_t)(slash - path)), FOLDER_MAKE);
	auto_fd int fd = -1;
	char link[40];
	struct stat st;

	if (parent < 0)
		return take_fd(&parent);
	if (mkdirat(parent, slash + 1, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = folder_open(parent, slash + 1, O_PATH | O_DIRECTORY, 0);
	if (fd < 0)
		return take_fd(&fd);
	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_uid != geteuid())
		return -EPERM;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	return chmod(link, 0700) < 0 || utimensat(AT_FDCWD, link, NULL, 0) < 0 ? -errno : 0;
}

int cow_make_own(const struct plan *p, struct arena *a, struct err *e)
{
	for (size_t i = 0; i < p->row_count; i++) {
		int r = p->rows[i].kind == PLAN_OWN ? make_one(p->rows[i].source, a) : 0;

		if (r < 0)
			return err_sys(e, r, "make '%s'", p->rows[i].source);
	}
	return 0;
}

int cow_take(struct arena *a, const char *name, unsigned wait_ms, struct plan *p, int *ret_lock,
	struct err *e)
{
	struct layer l = LAYER_NONE;
	const char *state;
	int r;

	*ret_lock = -1;
	r = cow_make_own(p, a, e);
	if (r < 0 || p->workspace != WORKSPACE_COW)
		return r;
	r = find_state(a, &state, e);
	if (r == 0)
		r = layer_take(a, state, name, p->workspace_path, wait_ms, &l, e);
	if (r == 0) {
		*e = (struct err){0}; /* that there was none before is no error */
		p->layer = layer_plan(&l);
		*ret_lock = take_fd(&l.lock);
	}
	layer_close(&l);
	return r;
}

int cow_look(struct arena *a, const char *name, struct layer *ret, struct err *e)
{
	const char *state;
	int r = find_state(a, &state, e);

	*ret = LAYER_NONE;
	return r < 0 ? r : layer_open(a, state, name, ret, e);
}

/* 1: there was one, which has been stopped. */
static int stop(struct arena *a, const char *name, bool anyway, struct err *e)
{
	auto_fd int place = place_open(a, e);
	struct place_row row;
	int r = place < 0 ? place : living_stop(place, name, anyway, e);

	if (r == -EBUSY && place_read(place, name, &row) == 0)
		return err_set(e, EBUSY,
			"%u command%s in the sandbox, %u of them in the background; wait for them, "
			"or end them: --force",
			row.card.running, row.card.running == 1 ? " runs" : "s run",
			row.card.background);
	return r == -ENOENT ? 0 : r < 0 ? r : 1;
}

int cow_hold(struct arena *a, const char *name, bool anyway, struct layer *ret, struct err *e)
{
	const char *state;
	int r = find_state(a, &state, e);

	*ret = LAYER_NONE;
	/* A sandbox without changes is not stopped for them. */
	if (r == 0)
		r = layer_open(a, state, name, ret, e);
	layer_close(ret);
	if (r == 0)
		r = stop(a, name, anyway, e);
	if (r < 0)
		return r;
	*e = (struct err){0};
	/* What was stopped lets go of it by itself. */
	return layer_take(a, state, name, NULL, r ? COW_WAIT_MS : 200, ret, e);
}

static void prune_one(struct arena *a, const char *state, const char *name, uint64_t age_ms,
	bool try, cow_fn *fn, void *ctx)
{
	auto_(layer_close) struct layer l = LAYER_NONE;
	enum layer_worth worth;
	struct err unused = {0};
	int64_t idle = 0;
	int r = layer_open(a, state, name, &l, &unused);

	/* One whose making was interrupted has no chain. What cannot be read is left alone. */
	if (l.own < 0 || (r < 0 && r != -ENOENT))
		return;
	worth = r == 0 ? layer_worth(&l, &idle) : LAYER_WORTH_NOTHING;
	if (worth == LAYER_WORTH_CHANGES && (age_ms == 0 || (uint64_t)idle < age_ms))
		return;
	if (try) {
		fn(ctx, name, r == 0 ? l.chain.workspace : NULL, worth == LAYER_WORTH_CHANGES);
		return;
	}
	/* Taken, so that nobody begins to use it, and asked once more. */
	layer_close(&l);
	if (layer_take(a, state, name, r == 0 ? NULL : "", 0, &l, &unused) < 0 ||
		layer_worth(&l, &(int64_t){0}) != worth)
		return;
	if (layer_delete(&l, &unused) == 0)
		fn(ctx, name, r == 0 ? l.chain.workspace : NULL, worth == LAYER_WORTH_CHANGES);
}

/* Whether a sandbox of that scope runs, for whatever workspace. */
static bool is_used(const struct place_row *rows, size_t count, const char *scope)
{
	size_t len = strlen(scope);

	for (size_t i = 0; i < count; i++)
		if (rows[i].alive && str_starts(rows[i].name, scope) && rows[i].name[len] == '-')
			return true;
	return false;
}

static int64_t in_ms(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000 + t->tv_nsec / 1000000;
}

/* By the youngest of the folder and those in it, each of which is marked when it is used. */
static uint64_t unused_ms(int folder, const char *name)
{
	auto_(folder_close) DIR *d = folder_list(folder, name);
	const struct dirent *entry;
	struct timespec t;
	int64_t now, last = 0;
	struct stat st;

	clock_gettime(CLOCK_REALTIME, &t);
	now = in_ms(&t);

	if (!d)
		return 0; /* it was not asked: nobody knows */
	while ((entry = readdir(d)))
		if (!str_eq(entry->d_name, "..") &&
			fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISDIR(st.st_mode) && in_ms(&st.st_mtim) > last)
			last = in_ms(&st.st_mtim);
	return now > last ? (uint64_t)(now - last) : 0;
}

/* Private workspaces, or caches: one folder for each scope. */
static void prune_kept(const char *path, const struct place_row *rows, size_t count,
	uint64_t age_ms, bool try, cow_fn *fn, void *ctx)
{
	auto_fd int folder = folder_own(path, 0);
	auto_(folder_close) DIR *d = folder < 0 ? NULL : folder_list(folder, "");
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		const char *name = entry->d_name;

		if (folder_is_dots(name) || is_used(rows, count, name) ||
			unused_ms(folder, name) < age_ms)
			continue;
		if (try || folder_remove(folder, name) == 0)
			fn(ctx, name, path, true);
	}
}

int cow_prune(struct arena *a, uint64_t age_ms, bool try, cow_fn *fn, void *ctx, struct err *e)
{
	const char *state = load_state_path(a), **names;
	auto_fd int place = place_open(a, e);
	struct place_row *rows;
	size_t count = 0, alive = 0;
	int r = place < 0 ? place : state ? layer_list(a, state, &names, &count, e) : 0;

	if (r < 0 || !state)
		return r;
	for (size_t i = 0; i < count; i++)
		prune_one(a, state, names[i], age_ms, try, fn, ctx);
	if (age_ms == 0)
		return 0;
	r = place_list(place, a, &rows, &alive);
	if (r < 0)
		return err_sys(e, r, "list the sandboxes");
	prune_kept(arena_printf(a, "%s/workspaces", state), rows, alive, age_ms, try, fn, ctx);
	prune_kept(arena_printf(a, "%s/cache", state), rows, alive, age_ms, try, fn, ctx);
	return 0;
}
