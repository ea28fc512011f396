/* SPDX-License-Identifier: Apache-2.0 */
#include "state/layer.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "state/chain_file.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#define EXCLUSIVE 2 /* LOCK_EX */

static int make_folder(int at, const char *name)
{
	return mkdirat(at, name, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

static int lock_file(int folder, unsigned wait_ms)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct timespec pause = {.tv_nsec = 2000000};
	auto_fd int fd = openat(folder, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	for (unsigned waited = 0; fcntl(fd, F_OFD_SETLK, &lock) < 0; waited += 2) {
		if (errno != EAGAIN && errno != EACCES)
			return -errno;
		if (waited >= wait_ms)
			return -EBUSY;
		nanosleep(&pause, NULL);
	}
	return take_fd(&fd);
}

static int read_chain(struct layer *l, struct err *e)
{
	int r = chain_file_read(l->own, l->arena, &l->chain, e);

	return r < 0 && r != -ENOENT ? err_ctx(e, r, "chain of layer '%s'", l->name) : r;
}

static int save(struct layer *l, bool sure, struct err *e)
{
	return err_ctx(e, chain_file_write(l->own, &l->chain, sure, e), "layer '%s'", l->name);
}

int layer_save(struct layer *l, struct err *e)
{
	return save(l, true, e);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void layer_begin(struct layer *l)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	l->chain.since = (struct chain_time){now.tv_sec, (uint32_t)now.tv_nsec};
}

const char *layer_new_id(struct layer *l)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof random, 0) != sizeof random)
		random = (uint64_t)now_ms() << 20 ^ (uint64_t)getpid();
	return arena_printf(l->arena, "%016llx", (unsigned long long)random);
}

static void upper_name(const char *id, char out[LAYER_NAME])
{
	snprintf(out, LAYER_NAME, "u-%.16s", id);
}

void layer_upper(const struct layer *l, char ret[LAYER_NAME])
{
	upper_name(l->chain.upper, ret);
}

static int no_changes(struct err *e)
{
	return err_set(e, ENOENT,
		"there are no changes: no sandbox with 'workspace: cow' has run here in this "
		"session");
}

int layer_open_all(const char *state, bool make, struct layer *l, struct err *e)
{
	char path[4096];

	if ((size_t)snprintf(path, sizeof path, "%s/layers", state) >= sizeof path)
		return err_set(e, ENAMETOOLONG, "'%s' is too long", state);
	l->folder = folder_own(path, make ? FOLDER_MAKE : 0);
	if (l->folder == -EPERM)
		return err_set(e, EPERM,
			"'%s' belongs to somebody else, or others can write in it: changes are not "
			"kept there",
			path);
	if (l->folder == -ENOENT && !make)
		return no_changes(e);
	return l->folder < 0 ? err_sys(e, l->folder, "open '%s', where changes are kept", path) : 0;
}

static int open_own(struct layer *l, struct err *e)
{
	l->own = folder_open(l->folder, l->name, O_RDONLY | O_DIRECTORY, 0);
	if (l->own == -ENOENT)
		return no_changes(e);
	return l->own < 0 ? err_sys(e, l->own, "open layer '%s'", l->name) : 0;
}

int layer_open(
	struct arena *a, const char *state, const char *name, struct layer *ret, struct err *e)
{
	int r;

	*ret = LAYER_NONE;
	ret->arena = a;
	ret->name = name;
	r = layer_open_all(state, false, ret, e);
	if (r == 0)
		r = open_own(ret, e);
	if (r == 0)
		r = read_chain(ret, e);
	return r == -ENOENT ? no_changes(e) : r;
}

void layer_close(struct layer *l)
{
	cleanup_fd(&l->lock);
	cleanup_fd(&l->own);
	cleanup_fd(&l->folder);
	l->lock = l->own = l->folder = -1;
}

static void frozen_path(const char *id, char out[64])
{
	snprintf(out, 64, "frozen/%s", id);
}

/* The root of the workspace is seen through it, with its mode. */
static int dress_upper(const struct layer *l, const char *upper)
{
	struct stat st;

	if (stat(l->chain.workspace, &st) < 0)
		return 0;
	return fchmodat(l->own, upper, st.st_mode & 0777, 0) < 0 ? -errno : 0;
}

/* A layer that was to be frozen, and did not get there. */
static int finish_freezing(const struct layer *l)
{
	char path[64], upper[LAYER_NAME];
	struct stat st;

	if (l->chain.below.count == 0)
		return 0;
	frozen_path(l->chain.below.id[0], path);
	upper_name(l->chain.below.id[0], upper);
	if (fstatat(l->folder, path, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	return renameat(l->own, upper, l->folder, path) < 0 ? -errno : 0;
}

/* What nobody has a name for any more. */
static void remove_old(const struct layer *l, const char *upper)
{
	auto_(folder_close) DIR *d = folder_list(l->own, "");
	const struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (str_starts(entry->d_name, "u-") && !str_eq(entry->d_name, upper))
			folder_remove(l->own, entry->d_name);
}

/* What the chain says is made true. */
static int set_right(struct layer *l, struct err *e)
{
	char upper[LAYER_NAME];
	int r = finish_freezing(l);

	layer_upper(l, upper);
	if (r == 0)
		r = make_folder(l->own, upper);
	if (r == 0)
		r = make_folder(l->own, "work");
	if (r == 0)
		r = dress_upper(l, upper);
	if (r < 0)
		return err_sys(e, r, "make layer '%s'", l->name);
	remove_old(l, upper);
	return 0;
}

/* Whoever has the lock of a folder that was removed has nothing. */
static bool is_there(const struct layer *l)
{
	struct stat here, there;

	return fstat(l->own, &here) == 0 &&
	       fstatat(l->folder, l->name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

static int lock(struct layer *l, const char *workspace, unsigned wait_ms, struct err *e)
{
	int r;

	if (workspace) {
		r = make_folder(l->folder, "frozen");
		if (r == 0)
			r = make_folder(l->folder, l->name);
		if (r < 0)
			return err_sys(e, r, "make layer '%s'", l->name);
	}
	r = open_own(l, e);
	if (r < 0)
		return r;
	l->lock = lock_file(l->own, wait_ms);
	if (l->lock == -EBUSY)
		return err_set(e, EBUSY,
			"a command uses the changes at this moment ('ward run'); wait for it");
	return l->lock < 0 ? err_sys(e, l->lock, "lock layer '%s'", l->name) : 0;
}

/* Since an empty one hides nothing, everything in the workspace is known to it. */
static int begin(struct layer *l, const char *workspace, struct err *e)
{
	int r = read_chain(l, e);
	bool new = r == -ENOENT;

	if (new && !workspace)
		return no_changes(e);
	if (new)
		l->chain = (struct chain){.upper = layer_new_id(l)};
	else if (r < 0)
		return r;
	if (workspace)
		l->chain.workspace = arena_text(l->arena, workspace, strlen(workspace));
	r = new ? 0 : set_right(l, e);
	if (r < 0)
		return r;
	if (new || (workspace && l->chain.below.count == 0 && layer_is_empty(l))) {
		layer_begin(l);
		l->chain.known_count = l->chain.known_sorted = 0;
		r = save(l, new, e);
	}
	futimens(l->lock, NULL); /* when it was used last */
	return r < 0 || !new ? r : set_right(l, e);
}

int layer_take(struct arena *a, const char *state, const char *name, const char *workspace,
	unsigned wait_ms, struct layer *ret, struct err *e)
{
	int r;

	do {
		*ret = LAYER_NONE;
		ret->arena = a;
		ret->name = arena_text(a, name, strlen(name));
		r = layer_open_all(state, workspace != NULL, ret, e);
		if (r == 0)
			r = lock(ret, workspace, wait_ms, e);
		if (r == -ENOENT && workspace) { /* it was removed at this very moment */
			layer_close(ret);
			continue;
		}
		if (r < 0)
			return r;
		if (is_there(ret))
			return begin(ret, workspace, e);
		layer_close(ret);
	} while (true);
}

struct plan_layer layer_plan(const struct layer *l)
{
	char upper[LAYER_NAME];

	layer_upper(l, upper);
	return (struct plan_layer){.name = l->name,
		.upper = arena_text(l->arena, upper, strlen(upper)),
		.below = arena_copy(l->arena, l->chain.below.id,
			l->chain.below.count * sizeof l->chain.below.id[0]),
		.below_count = l->chain.below.count};
}

int layer_parts(const struct layer *l, int ret[CHAIN_LAYERS + 1], size_t *ret_count, struct err *e)
{
	char path[64], upper[LAYER_NAME];
	int fd;

	layer_upper(l, upper);
	fd = folder_open(l->own, upper, O_RDONLY | O_DIRECTORY, 0);
	*ret_count = 0;
	if (fd >= 0)
		ret[(*ret_count)++] = fd;
	else if (fd != -ENOENT)
		return err_sys(e, fd, "open the changes of layer '%s'", l->name);
	for (size_t i = 0; i < l->chain.below.count; i++) {
		frozen_path(l->chain.below.id[i], path);
		fd = folder_open(l->folder, path, O_RDONLY | O_DIRECTORY, 0);
		if (fd == -ENOENT && i == 0) { /* about to be frozen */
			upper_name(l->chain.below.id[0], upper);
			fd = folder_open(l->own, upper, O_RDONLY | O_DIRECTORY, 0);
		}
		if (fd < 0)
			return err_sys(e, fd, "open layer '%s'", path);
		ret[(*ret_count)++] = fd;
	}
	return 0;
}

bool layer_is_empty(const struct layer *l)
{
	char upper[LAYER_NAME];
	auto_(folder_close) DIR *d = NULL;
	const struct dirent *entry;

	layer_upper(l, upper);
	d = folder_list(l->own, upper);
	if (!d)
		return errno == ENOENT;
	while ((entry = readdir(d)))
		if (!folder_is_dots(entry->d_name))
			return false;
	return true;
}

/* While frozen ones come or go: the folder itself is locked. Whoever holds it does not take long.
 */
int layer_lock_all(const struct layer *l, struct err *e)
{
	int fd = folder_open(l->folder, "", O_RDONLY | O_DIRECTORY, 0);
	int r = fd < 0 ? fd : 0;

	while (r == 0 && syscall(SYS_flock, fd, EXCLUSIVE) < 0)
		r = errno == EINTR ? 0 : -errno;
	if (r < 0 && fd >= 0)
		close(fd);
	return r < 0 ? err_sys(e, r, "lock the layers") : fd;
}

int layer_freeze(struct layer *l, const char *snapshot, struct err *e)
{
	auto_fd int all = layer_lock_all(l, e);
	int r = all < 0 ? all : 0;

	if (r == 0 && !layer_is_empty(l)) {
		r = chain_push(&l->chain.below, l->chain.upper, e);
		if (r == 0)
			l->chain.upper = layer_new_id(l);
	}
	if (r == 0 && snapshot)
		r = chain_add_snapshot(l->arena, &l->chain, snapshot, now_ms(), e);
	if (r == 0)
		r = layer_save(l, e);
	return r < 0 ? r : set_right(l, e);
}

int layer_fork(struct layer *l, const char *state, const char *name, struct err *e)
{
	auto_(layer_close) struct layer other = LAYER_NONE;
	int64_t unused;
	int r = layer_take(l->arena, state, name, l->chain.workspace, 0, &other, e);

	if (r == -EBUSY)
		return err_set(
			e, EBUSY, "that session's sandbox runs, with changes of its own already");
	if (r < 0)
		return r;
	if (layer_worth(&other, &unused) != LAYER_WORTH_NOTHING)
		return err_set(e, EEXIST, "that session has changes of its own already");
	r = layer_freeze(l, NULL, e);
	if (r < 0)
		return r;
	other.chain.below = l->chain.below;
	other.chain.since = l->chain.since;
	other.chain.known = l->chain.known;
	other.chain.known_count = l->chain.known_count;
	other.chain.known_sorted = l->chain.known_sorted;
	return layer_save(&other, e);
}

int layer_replace(struct layer *l, const char *id, struct err *e)
{
	int r;

	l->chain.below.count = 0;
	l->chain.upper = id;
	r = layer_save(l, e);
	if (r == 0)
		r = set_right(l, e);
	if (r == 0)
		layer_collect(l);
	return r;
}

int layer_reset(struct layer *l, struct err *e)
{
	l->chain.known_count = l->chain.known_sorted = 0;
	layer_begin(l);
	return layer_replace(l, layer_new_id(l), e);
}

enum layer_worth layer_worth(const struct layer *l, int64_t *ret_unused_ms)
{
	struct stat st;
	int64_t now = now_ms(), used;

	if (fstatat(l->own, "lock", &st, AT_SYMLINK_NOFOLLOW) < 0)
		return LAYER_WORTH_NOTHING;
	used = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
	*ret_unused_ms = now > used ? now - used : 0;
	return layer_is_empty(l) && l->chain.below.count == 0 && l->chain.snapshot_count == 0
		       ? LAYER_WORTH_NOTHING
		       : LAYER_WORTH_CHANGES;
}
