/* SPDX-License-Identifier: Apache-2.0 */
#include "state/layer.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "base/vec.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#define CHAIN_MAX (64u << 20)
#define EXCHANGE 2  /* RENAME_EXCHANGE */
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
	auto_fd int fd = openat(l->own, "chain", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	auto_(buf_free) struct buf text = BUF(CHAIN_MAX);
	char part[4096];
	ssize_t n;
	int r;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, part, sizeof part)) > 0)
		buf_add(&text, part, (size_t)n);
	if (n < 0)
		return err_sys(e, -errno, "read the chain of layer '%s'", l->name);
	r = chain_read(buf_text(&text), text.len, l->arena, &l->chain, e);
	return r < 0 ? err_ctx(e, r, "chain of layer '%s'", l->name) : 0;
}

static int write_text(int fd, const struct buf *text)
{
	for (size_t done = 0; done < text->len;) {
		ssize_t n = write(fd, text->data + done, text->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

int layer_save(struct layer *l, struct err *e)
{
	auto_(buf_free) struct buf text = BUF(CHAIN_MAX);
	auto_fd int fd = openat(
		l->own, "chain.new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : 0;

	chain_write(&l->chain, &text);
	if (r == 0)
		r = text.dropped ? -EFBIG : write_text(fd, &text);
	if (r == 0 && renameat(l->own, "chain.new", l->own, "chain") < 0)
		r = -errno;
	return r < 0 ? err_sys(e, r, "write the chain of layer '%s'", l->name) : 0;
}

/* From now on: what is older was there before. The clock that files are dated by is coarse. */
static void begin_now(struct chain *c)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	c->since_s = now.tv_sec;
	c->since_ns = (uint32_t)now.tv_nsec;
}

static int no_changes(struct err *e)
{
	return err_set(e, ENOENT,
		"there are no changes: no sandbox with 'workspace: cow' has run here in this "
		"session");
}

static int open_all(const char *state, bool make, struct layer *l, struct err *e)
{
	char path[4096];

	if ((size_t)snprintf(path, sizeof path, "%s/layers", state) >= sizeof path)
		return err_set(e, ENAMETOOLONG, "'%s' is too long", state);
	l->folder = folder_own(path, make);
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

static int make_new(struct layer *l, const char *workspace, struct err *e)
{
	int r = make_folder(l->folder, "frozen");

	if (r == 0)
		r = make_folder(l->folder, l->name);
	if (r < 0)
		return err_sys(e, r, "make layer '%s'", l->name);
	r = open_own(l, e);
	if (r < 0)
		return r;
	/* Somebody else may make it at this moment: who has the lock decides. */
	l->lock = lock_file(l->own, 10000);
	if (l->lock < 0)
		return err_sys(e, l->lock, "lock layer '%s'", l->name);
	r = read_chain(l, e);
	if (r == -ENOENT) {
		l->chain = (struct chain){.workspace = workspace};
		begin_now(&l->chain);
		r = layer_save(l, e);
	}
	close(take_fd(&l->lock));
	return r;
}

int layer_open(struct arena *a, const char *state, const char *name, const char *workspace,
	struct layer *ret, struct err *e)
{
	int r;

	*ret = LAYER_NONE;
	ret->arena = a;
	ret->name = name;
	r = open_all(state, workspace != NULL, ret, e);
	if (r == 0)
		r = open_own(ret, e);
	if (r == 0)
		r = read_chain(ret, e);
	if (r == -ENOENT && workspace) {
		cleanup_fd(&ret->own);
		ret->own = -1;
		r = make_new(ret, workspace, e);
	}
	if (r == -ENOENT && !e->code)
		err_set(e, ENOENT, "layer '%s' was never used", name);
	return r;
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
static int dress_upper(const struct layer *l)
{
	struct stat st;

	if (!l->chain.workspace || stat(l->chain.workspace, &st) < 0)
		return 0;
	return fchmodat(l->own, "upper", st.st_mode & 0777, 0) < 0 ? -errno : 0;
}

/* What the chain says is made true: the layer that was being frozen, and one to take changes. */
static int set_right(struct layer *l, struct err *e)
{
	struct stat st;
	char path[64];
	int r;

	if (l->chain.below.count > 0) {
		frozen_path(l->chain.below.id[0], path);
		if (fstatat(l->folder, path, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT &&
			renameat(l->own, "upper", l->folder, path) < 0)
			return err_sys(e, -errno, "freeze the changes of layer '%s'", l->name);
	}
	r = make_folder(l->own, "upper");
	if (r == 0)
		r = make_folder(l->own, "work");
	if (r == 0)
		r = dress_upper(l);
	return r < 0 ? err_sys(e, r, "make layer '%s'", l->name) : 0;
}

int layer_lock(struct layer *l, unsigned wait_ms, struct err *e)
{
	int r;

	l->lock = lock_file(l->own, wait_ms);
	if (l->lock == -EBUSY)
		return err_set(e, EBUSY, "the changes are in use by a sandbox");
	if (l->lock < 0)
		return err_sys(e, l->lock, "lock layer '%s'", l->name);
	futimens(l->lock, NULL); /* when it was used last */
	r = read_chain(l, e);
	if (r == 0)
		r = set_right(l, e);
	return r;
}

struct plan_layer layer_plan(const struct layer *l)
{
	return (struct plan_layer){.name = l->name,
		.below = (const char *const *)l->chain.below.id,
		.below_count = l->chain.below.count};
}

int layer_parts(const struct layer *l, int ret[CHAIN_LAYERS + 1], size_t *ret_count, struct err *e)
{
	char path[64];
	int fd = folder_open(l->own, "upper", O_RDONLY | O_DIRECTORY, 0);

	*ret_count = 0;
	if (fd >= 0)
		ret[(*ret_count)++] = fd;
	else if (fd != -ENOENT)
		return err_sys(e, fd, "open the changes of layer '%s'", l->name);
	for (size_t i = 0; i < l->chain.below.count; i++) {
		frozen_path(l->chain.below.id[i], path);
		fd = folder_open(l->folder, path, O_RDONLY | O_DIRECTORY, 0);
		if (fd == -ENOENT && i == 0) /* about to be frozen: it is still the upper one */
			continue;
		if (fd < 0)
			return err_sys(e, fd, "open layer '%s'", path);
		ret[(*ret_count)++] = fd;
	}
	return 0;
}

bool layer_is_empty(const struct layer *l)
{
	auto_(folder_close) DIR *d = folder_list(l->own, "upper");
	const struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (!folder_is_dots(entry->d_name))
			return false;
	return true;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static const char *new_id(struct arena *a)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof random, 0) != sizeof random)
		random = (uint64_t)now_ms() << 20 ^ (uint64_t)getpid();
	return arena_printf(a, "%016llx", (unsigned long long)random);
}

/* While frozen ones come or go: the folder itself is locked. Whoever holds it does not take long.
 */
static int lock_all(const struct layer *l, struct err *e)
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
	auto_fd int all = lock_all(l, e);
	int r = all < 0 ? all : 0;

	if (r == 0 && !layer_is_empty(l))
		r = chain_push(&l->chain.below, new_id(l->arena), e);
	if (r == 0 && snapshot)
		r = chain_add_snapshot(l->arena, &l->chain, snapshot, now_ms(), &l->chain.below, e);
	if (r == 0)
		r = layer_save(l, e);
	if (r == 0)
		r = set_right(l, e);
	return r;
}

int layer_fork(struct layer *l, const char *state, const char *name, struct err *e)
{
	struct layer other;
	struct stat st;
	int r;

	if (fstatat(l->folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return err_set(e, EEXIST, "that session has changes of its own already");
	r = layer_freeze(l, NULL, e);
	if (r < 0)
		return r;
	r = layer_open(l->arena, state, name, l->chain.workspace, &other, e);
	if (r == 0)
		r = layer_lock(&other, 0, e);
	if (r == 0) {
		other.chain.below = l->chain.below;
		other.chain.since_s = l->chain.since_s;
		other.chain.since_ns = l->chain.since_ns;
		other.chain.known = l->chain.known;
		other.chain.known_count = l->chain.known_count;
		r = layer_save(&other, e);
	}
	layer_close(&other);
	return r;
}

static int drop_upper(struct layer *l, struct err *e)
{
	int r;

	/* Away at once; what takes long follows. */
	folder_remove(l->own, "old");
	r = renameat(l->own, "upper", l->own, "old") < 0 && errno != ENOENT ? -errno : 0;
	if (r < 0)
		return err_sys(e, r, "throw the changes of layer '%s' away", l->name);
	folder_remove(l->own, "old");
	return set_right(l, e);
}

int layer_reset(struct layer *l, struct err *e)
{
	int r;

	l->chain.below.count = 0;
	l->chain.known_count = 0;
	begin_now(&l->chain);
	r = drop_upper(l, e);
	if (r == 0)
		r = layer_save(l, e);
	if (r == 0)
		layer_collect(l);
	return r;
}

int layer_replace(struct layer *l, const char *made, struct err *e)
{
	int r = syscall(SYS_renameat2, l->own, made, l->own, "upper", EXCHANGE) < 0 ? -errno : 0;

	if (r < 0)
		return err_sys(e, r, "change the layer '%s'", l->name);
	l->chain.below.count = 0;
	r = layer_save(l, e);
	folder_remove(l->own, made);
	if (r == 0)
		layer_collect(l);
	return r;
}

int layer_delete(struct layer *l, struct err *e)
{
	int r;

	/* Without its chain it is no layer any more, whatever is left. */
	if (unlinkat(l->own, "chain", 0) < 0 && errno != ENOENT)
		return err_sys(e, -errno, "remove layer '%s'", l->name);
	r = folder_remove(l->folder, l->name);
	if (r < 0)
		return err_sys(e, r, "remove layer '%s'", l->name);
	layer_collect(l);
	return 0;
}

enum layer_worth layer_worth(const struct layer *l, int64_t *ret_unused_ms)
{
	struct stat st;
	int64_t now = now_ms(), used;

	if (fstatat(l->own, "lock", &st, AT_SYMLINK_NOFOLLOW) < 0)
		return LAYER_WORTH_NOTHING;
	used = (int64_t)st.st_mtim.tv_sec * 1000;
	*ret_unused_ms = now > used ? now - used : 0;
	return layer_is_empty(l) && l->chain.below.count == 0 && l->chain.snapshot_count == 0
		       ? LAYER_WORTH_NOTHING
		       : LAYER_WORTH_CHANGES;
}

/* Every folder but that of the frozen ones is a layer. */
static void list_names(struct arena *a, int folder, const char ***ret, size_t *ret_count)
{
	auto_(folder_close) DIR *d = folder_list(folder, "");
	size_t count = 0, capacity = 8;
	const char **names = arena_array(a, capacity, sizeof *names);
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		const char *name = entry->d_name;

		if (!folder_is_dots(name) && !str_eq(name, "frozen"))
			vec_push(a, &names, &count, &capacity, arena_text(a, name, strlen(name)));
	}
	*ret = names;
	*ret_count = count;
}

int layer_list(
	struct arena *a, const char *state, const char ***ret, size_t *ret_count, struct err *e)
{
	struct layer all = LAYER_NONE;
	int r = open_all(state, false, &all, e);

	*ret_count = 0;
	if (r == 0)
		list_names(a, all.folder, ret, ret_count);
	layer_close(&all);
	return r == -ENOENT ? 0 : r;
}

/* All chains. One that cannot be read may stand on any layer: false. */
static bool read_chains(struct layer *l, struct chain **ret, size_t *ret_count)
{
	const char **names;
	size_t count;

	list_names(l->arena, l->folder, &names, &count);
	*ret = arena_array(l->arena, count + 1, sizeof **ret);
	*ret_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct layer other = LAYER_NONE;
		struct err unused = {0};
		int r;

		other.arena = l->arena;
		other.name = names[i];
		other.own = folder_open(l->folder, names[i], O_RDONLY | O_DIRECTORY, 0);
		r = other.own < 0 ? other.own : read_chain(&other, &unused);
		layer_close(&other);
		if (r < 0 && r != -ENOENT)
			return false;
		if (r == 0)
			(*ret)[(*ret_count)++] = other.chain;
	}
	return true;
}

void layer_collect(struct layer *l)
{
	auto_fd int all = lock_all(l, NULL);
	auto_(folder_close) DIR *d = all < 0 ? NULL : folder_list(l->folder, "frozen");
	const struct dirent *entry;
	struct chain *chains;
	size_t count;

	if (!d || !read_chains(l, &chains, &count))
		return;
	while ((entry = readdir(d))) {
		bool needed = folder_is_dots(entry->d_name);

		for (size_t i = 0; i < count && !needed; i++)
			needed = chain_uses(&chains[i], entry->d_name);
		if (!needed)
			folder_remove(dirfd(d), entry->d_name);
	}
}
