/* SPDX-License-Identifier: Apache-2.0 */
#include "state/apply.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "model/protect.h"
#include "state/flatten.h"
#include "sys/copy.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#define NOREPLACE 1 /* RENAME_NOREPLACE */
#define EXCHANGE 2  /* RENAME_EXCHANGE */

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

static enum apply_verdict judge(const struct apply *a, const struct change *k)
{
	mode_t mode = k->kind == CHANGE_DELETED ? k->base.st_mode : k->layer.st_mode;

	if (!S_ISREG(mode) && !S_ISDIR(mode) && !S_ISLNK(mode))
		return APPLY_LEFT_OUT;
	if (!a->allow_protected && apply_is_protected(a->protect, a->protect_count, k))
		return APPLY_PROTECTED;
	return k->conflict && !a->force ? APPLY_CONFLICT : APPLY_DONE;
}

void apply_judge(struct apply *a)
{
	const struct changes *c = a->changes;

	a->rows = arena_array(c->arena, c->count + 1, sizeof *a->rows);
	a->left = 0;
	for (size_t i = 0; i < c->count; i++) {
		a->rows[i] = (struct apply_row){&c->items[i], judge(a, &c->items[i]), 0};
		a->left += a->rows[i].verdict != APPLY_DONE;
	}
}

static bool is_same(const struct stat *was, const struct stat *is)
{
	return was->st_ino == is->st_ino && was->st_dev == is->st_dev &&
	       was->st_size == is->st_size && was->st_mtim.tv_sec == is->st_mtim.tv_sec &&
	       was->st_mtim.tv_nsec == is->st_mtim.tv_nsec;
}

static void temporary_name(char out[48])
{
	static unsigned count;

	snprintf(out, 48, ".ward-apply-%d-%u", (int)getpid(), count++);
}

static int rename_how(int folder, const char *from, const char *to, unsigned how)
{
	return syscall(SYS_renameat2, folder, from, folder, to, how) < 0 ? -errno : 0;
}

/* Takes the place of what is there, if that is still what was compared. */
static int put_in_place(int folder, const char *made, const char *name, const struct change *k)
{
	struct stat st;
	int r;

	if (k->kind == CHANGE_ADDED)
		return rename_how(folder, made, name, NOREPLACE);
	r = rename_how(folder, made, name, EXCHANGE);
	if (r < 0)
		return r;
	if (fstatat(folder, made, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (is_same(&k->base, &st))
		return unlinkat(folder, made, 0) < 0 ? -errno : 0;
	r = rename_how(folder, made, name, EXCHANGE);
	return r < 0 ? r : -ESTALE;
}

/* As it would be owned had it been written there by the sandbox of a workspace 'rw'. */
static int give_owner(const struct changes *c, int fd, const struct change *k)
{
	struct stat st;

	if (geteuid() != 0)
		return 0;
	if (k->base.st_mode)
		st = k->base;
	else if (fstat(c->base, &st) < 0)
		return -errno;
	return fchown(fd, st.st_uid, st.st_gid) < 0 ? -errno : 0;
}

/* Nameless until it is whole, where the file system can do that. */
static int new_file(int folder, const char *name)
{
	int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd < 0 ? -errno : fd;
	fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

static int give_name(int fd, int folder, const char *name)
{
	char path[40];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW) < 0 && errno != EEXIST
		       ? -errno
		       : 0;
}

/* A file whose owner may not read it is read nevertheless: nobody uses the layer now. */
static int open_source(const struct changes *c, const struct change *k)
{
	int fd = changes_open_layer(c, k);
	auto_fd int parent = -1;
	const char *name;

	if (fd != -EACCES)
		return fd;
	parent = folder_parent(c->parts[k->part], k->path, &name);
	if (parent < 0 || fchmodat(parent, name, 0600, 0) < 0)
		return -EACCES;
	return changes_open_layer(c, k);
}

static int make_file(const struct changes *c, const struct change *k, int folder, const char *name)
{
	auto_fd int from = open_source(c, k);
	auto_fd int to = -1;
	struct timespec times[2] = {k->layer.st_atim, k->layer.st_mtim};
	struct stat st;
	int r;

	if (from < 0)
		return take_fd(&from);
	if (fstat(from, &st) < 0 || !S_ISREG(st.st_mode))
		return -EINVAL;
	to = new_file(folder, name);
	if (to < 0)
		return take_fd(&to);
	r = copy_bytes(from, to);
	if (r == 0)
		r = give_owner(c, to, k);
	if (r == 0 && (fchmod(to, k->layer.st_mode & 0777) < 0 || futimens(to, times) < 0))
		r = -errno;
	return r < 0 ? r : give_name(to, folder, name);
}

static int make_link(const struct changes *c, const struct change *k, int folder, const char *name)
{
	const char *old;
	auto_fd int parent = folder_parent(c->parts[k->part], k->path, &old);
	struct stat st;
	int r;

	if (parent < 0)
		return take_fd(&parent);
	r = copy_entry(parent, old, folder, name, &k->layer);
	if (r == 0 && geteuid() == 0 && fstat(c->base, &st) == 0 &&
		fchownat(folder, name, st.st_uid, st.st_gid, AT_SYMLINK_NOFOLLOW) < 0)
		r = -errno;
	return r;
}

static int make_folder(
	const struct changes *c, const struct change *k, int folder, const char *name)
{
	auto_fd int made = -1;
	int r;

	if (k->kind == CHANGE_ADDED && mkdirat(folder, name, 0700) < 0 && errno != EEXIST)
		return -errno;
	made = folder_open_here(folder, name, O_RDONLY | O_DIRECTORY);
	if (made < 0)
		return take_fd(&made);
	r = k->kind == CHANGE_ADDED ? give_owner(c, made, k) : 0;
	return r == 0 && fchmod(made, k->layer.st_mode & 0777) < 0 ? -errno : r;
}

/* Only its mode: its content may have been read by others, who keep what they opened. */
static int set_mode(const struct change *k, int folder, const char *name)
{
	auto_fd int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!is_same(&k->base, &st))
		return -ESTALE;
	return fchmod(fd, k->layer.st_mode & 0777) < 0 ? -errno : 0;
}

static int put(const struct changes *c, const struct change *k)
{
	const char *name;
	auto_fd int folder = folder_parent(c->base, k->path, &name);
	char made[48];
	int r;

	if (folder < 0)
		return take_fd(&folder);
	if (S_ISDIR(k->layer.st_mode))
		return make_folder(c, k, folder, name);
	if (k->kind == CHANGE_MODIFIED && !k->content)
		return set_mode(k, folder, name);
	temporary_name(made);
	r = S_ISLNK(k->layer.st_mode) ? make_link(c, k, folder, made)
				      : make_file(c, k, folder, made);
	if (r == 0)
		r = put_in_place(folder, made, name, k);
	if (r < 0)
		unlinkat(folder, made, 0);
	return r == -EEXIST ? -ESTALE : r;
}

static int take_away(const struct changes *c, const struct change *k)
{
	const char *name;
	auto_fd int folder = folder_parent(c->base, k->path, &name);
	char aside[48];
	struct stat st;
	int r;

	if (folder < 0)
		return folder == -ENOENT ? 0 : take_fd(&folder);
	if (S_ISDIR(k->base.st_mode))
		return unlinkat(folder, name, AT_REMOVEDIR) < 0 && errno != ENOENT ? -errno : 0;
	temporary_name(aside);
	r = rename_how(folder, name, aside, NOREPLACE);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (fstatat(folder, aside, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (is_same(&k->base, &st))
		return unlinkat(folder, aside, 0) < 0 ? -errno : 0;
	r = rename_how(folder, aside, name, NOREPLACE);
	return r < 0 ? r : -ESTALE;
}

static void do_row(struct apply *a, struct apply_row *row)
{
	const struct change *k = row->change;
	int r;

	if (row->verdict != APPLY_DONE)
		return;
	r = k->kind == CHANGE_DELETED ? take_away(a->changes, k) : put(a->changes, k);
	if (r == 0)
		return;
	row->verdict = r == -ESTALE || r == -ENOTEMPTY ? APPLY_CONFLICT : APPLY_FAILED;
	row->error = r;
	a->left++;
}

/* The workspace's own as ward has left it. */
static void learn(struct changes *c, const char *path)
{
	struct chain_known known = {.path = path};
	auto_fd int fd = folder_open_here(c->base, path, O_PATH);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0) {
		known.inode = st.st_ino;
		known.changed_s = st.st_ctim.tv_sec;
		known.changed_ns = (uint32_t)st.st_ctim.tv_nsec;
	}
	chain_learn(c->arena, &c->layer->chain, &known);
}

/* What the layer hides one by one; not with a folder that it hides as a whole. */
static bool is_hidden_itself(const struct layer *l, const char *path)
{
	auto_fd int upper = folder_open(l->own, "upper", O_RDONLY | O_DIRECTORY, 0);
	auto_fd int fd = upper < 0 ? -1 : folder_open(upper, path, O_PATH, 0);
	struct stat st;

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
	int r = flatten(c->layer, e);

	for (size_t i = 0; i < c->count && r == 0; i++) {
		if (a->rows[i].verdict != APPLY_DONE)
			continue;
		learn(c, c->items[i].path);
		r = forget(c, &c->items[i], e);
	}
	return r < 0 ? r : layer_save(c->layer, e);
}

int apply_carry_out(struct apply *a, struct err *e)
{
	struct changes *c = a->changes;

	/* What goes makes room first, from the bottom up. */
	for (size_t i = c->count; i-- > 0;)
		if (c->items[i].kind == CHANGE_DELETED)
			do_row(a, &a->rows[i]);
	for (size_t i = 0; i < c->count; i++)
		if (c->items[i].kind != CHANGE_DELETED)
			do_row(a, &a->rows[i]);
	if (a->left == 0 && c->path_count == 0)
		return layer_reset(c->layer, e);
	return forget_done(a, e);
}

int apply_discard(struct changes *c, struct err *e)
{
	int r;

	if (c->path_count == 0)
		return layer_reset(c->layer, e);
	r = flatten(c->layer, e);
	for (size_t i = 0; i < c->path_count && r == 0; i++)
		r = flatten_forget(c->layer, c->base, c->paths[i], e);
	return r < 0 ? r : layer_save(c->layer, e);
}
