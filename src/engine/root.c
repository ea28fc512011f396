/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The sandbox's root: a small tmpfs in which the rows of the plan are put one after the other, then
 * made the root of everything. Runs in init, with rights over its own namespaces only. Everything
 * is named from the new root, which nobody else can see or change while it grows.
 */

#include "base/cleanup.h"
#include "engine/cow.h"
#include "engine/image.h"
#include "engine/stage.h"
#include "sys/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

/* Of <sys/mount.h>, which cannot be included everywhere together with the kernel's header. */
#define MS_RDONLY 1
#define MS_NOSUID 2
#define MS_NODEV 4
#define MS_NOEXEC 8
#define MS_REMOUNT 32
#define MS_BIND 4096

/* Where the new root is put together; what lies below it on the host is opened before. */
static const char *const places[] = {"/tmp", "/run", "/mnt"};

static int fail(const struct plan_row *row, int r, struct err *e)
{
	return err_sys(e, r, "%s '/%s'", plan_kind_names[row->kind], row->target);
}

/* The folders above a target; they are few, and most are there. */
static int make_parents(const char *target)
{
	char path[PATH_MAX];
	size_t len = strnlen(target, sizeof path);

	if (len >= sizeof path)
		return -ENAMETOOLONG;
	memcpy(path, target, len + 1);
	for (size_t i = 1; i < len; i++) {
		if (path[i] != '/')
			continue;
		path[i] = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return -errno;
		path[i] = '/';
	}
	return 0;
}

static int try_folder(const char *target)
{
	return mkdir(target, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

static int try_file(const char *target)
{
	int fd = openat(AT_FDCWD, target, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? -errno : 0;
}

/* Makes what a mount is put on. */
static int make_target(const char *target, bool folder)
{
	int r = folder ? try_folder(target) : try_file(target);

	if (r == -ENOENT) {
		r = make_parents(target);
		if (r == 0)
			r = folder ? try_folder(target) : try_file(target);
	}
	return r;
}

static int put_file(const struct plan_row *row)
{
	auto_fd int fd = -1;
	size_t len = strlen(row->source);

	fd = openat(AT_FDCWD, row->target, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	return write(fd, row->source, len) == (ssize_t)len ? 0 : -EIO;
}

static int put_link(const char *text, const char *target)
{
	int r = symlink(text, target) < 0 ? -errno : 0;

	if (r == -ENOENT) {
		r = make_parents(target);
		if (r == 0 && symlink(text, target) < 0)
			r = -errno;
	}
	return r;
}

static int attach(int tree, const char *target)
{
	struct stat st;
	int r;

	if (fstat(tree, &st) < 0)
		return -errno;
	r = make_target(target, S_ISDIR(st.st_mode));
	return r < 0 ? r : tree_attach(tree, AT_FDCWD, target);
}

/* A link of the host stays a link; anything else is seen read-only. */
static int put_mirror(const struct plan_row *row)
{
	auto_fd int tree = -1;
	char text[PATH_MAX];
	ssize_t len = readlink(row->source, text, sizeof text - 1);
	int r;

	if (len >= 0) {
		text[len] = '\0';
		return put_link(text, row->target);
	}
	if (errno == ENOENT || errno == ENOTDIR)
		return 0;
	tree = tree_open(AT_FDCWD, row->source);
	if (tree < 0)
		return tree == -EACCES ? 0 : tree;
	r = tree_set(tree, TREE_READ_ONLY, -1);
	return r < 0 ? r : attach(tree, row->target);
}

/* Only the real ones: a host whose /dev was tampered with lends nothing. */
static int put_device(const struct plan_row *row)
{
	static const struct {
		const char *path;
		unsigned major, minor;
	} known[] = {{"/dev/null", 1, 3}, {"/dev/zero", 1, 5}, {"/dev/full", 1, 7},
		{"/dev/random", 1, 8}, {"/dev/urandom", 1, 9}, {"/dev/tty", 5, 0}};
	struct stat st;
	int r = make_target(row->target, false);

	if (r < 0)
		return r;
	if (syscall(SYS_mount, row->source, row->target, NULL, MS_BIND, NULL) < 0 ||
		lstat(row->target, &st) < 0)
		return -errno;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(known[i].path, row->source) == 0)
			return S_ISCHR(st.st_mode) &&
					       st.st_rdev == makedev(known[i].major, known[i].minor)
				       ? 0
				       : -ENODEV;
	return -ENODEV;
}

static int put_tmpfs(const struct plan_row *row)
{
	char options[128];
	int r = make_target(row->target, true);

	snprintf(options, sizeof options, "mode=%o,size=%llu,nr_inodes=%llu", row->mode,
		(unsigned long long)row->size, (unsigned long long)row->inodes);
	return r < 0 ? r
		     : tree_mount("tmpfs", row->target,
			       MS_NOSUID | MS_NODEV | (row->noexec ? MS_NOEXEC : 0), options);
}

static int put_system(const struct plan_row *row)
{
	int r = make_target(row->target, true);

	if (r < 0)
		return r;
	if (row->kind == PLAN_PTS)
		return tree_mount("devpts", row->target, MS_NOSUID | MS_NOEXEC,
			"newinstance,ptmxmode=0666,mode=0620");
	return tree_mount("proc", row->target, MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, NULL);
}

/* Files are covered with the null device, folders with an empty one; both stand in the root. */
static int put_mask(const struct plan_row *row)
{
	if (syscall(SYS_mount, row->source, row->target, NULL, MS_BIND, NULL) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (strcmp(row->source, "dev/null") != 0 &&
		syscall(SYS_mount, NULL, row->target, NULL,
			MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) < 0)
		return -errno;
	return 0;
}

static int put_row(struct stage *s, size_t i, struct err *e)
{
	const struct plan_row *row = &s->plan->rows[i];
	int r = 0;

	switch (row->kind) {
	case PLAN_DIR:
		r = make_target(row->target, true);
		break;
	case PLAN_FILE:
		r = put_file(row);
		break;
	case PLAN_LINK:
		r = put_link(row->source, row->target);
		break;
	case PLAN_MIRROR:
		r = put_mirror(row);
		if (r == 0 && !s->plan->read_only_root)
			r = image_layer(row->target);
		break;
	case PLAN_BIND:
	case PLAN_OWN:
		r = attach(s->trees[i], row->target);
		break;
	case PLAN_LAYERS:
		r = cow_begin(s->trees[i]);
		break;
	case PLAN_WORKSPACE_BIND:
		if (s->blank)
			r = make_target(row->target, true);
		else
			r = s->plan->workspace == WORKSPACE_COW
				    ? cow_mount(s->trees[i], &s->plan->layer, row->target)
				    : attach(s->trees[i], row->target);
		break;
	case PLAN_IMAGE:
		r = image_fill(s->trees[i], !s->plan->read_only_root, e);
		if (r < 0)
			return r;
		break;
	case PLAN_TMPFS:
		r = put_tmpfs(row);
		break;
	case PLAN_DEVICE:
		r = put_device(row);
		break;
	case PLAN_PTS:
	case PLAN_PROC:
		r = put_system(row);
		break;
	case PLAN_MASK:
		r = put_mask(row);
		break;
	case PLAN_KIND_COUNT:
		break;
	}
	return r < 0 ? fail(row, r, e) : 0;
}

static int mount_root(const struct plan *p, struct err *e)
{
	char options[96];
	int r = -ENOENT;

	/* Read-only in the end, so that it needs room for what the rows put there only. */
	snprintf(options, sizeof options, "mode=755,size=%llu,nr_inodes=%llu",
		p->read_only_root ? 1ull << 20 : (unsigned long long)p->root_size,
		p->read_only_root ? 4096ull : (unsigned long long)p->root_inodes);
	for (size_t i = 0; i < ARRAY_LEN(places) && r < 0; i++) {
		r = tree_mount("tmpfs", places[i], MS_NOSUID | MS_NODEV, options);
		if (r == 0 && chdir(places[i]) < 0)
			return err_sys(e, -errno, "enter '%s'", places[i]);
	}
	return r < 0 ? err_sys(e, r, "mount a tmpfs for the root") : 0;
}

int root_build(struct stage *s, struct err *e)
{
	int r = mount_root(s->plan, e);

	umask(0022);
	if (r == 0 && !s->plan->read_only_root)
		r = image_layers_begin(s->plan, e);
	for (size_t i = 0; i < s->plan->row_count && r == 0; i++)
		r = put_row(s, i, e);
	if (r == 0 && !s->plan->read_only_root)
		r = image_layers_end(e);
	return r;
}

/* The program starts in its folder, which must be one of the sandbox and of the workspace. Where
 * commands come later, each has its own: that of the first decides nothing about the sandbox. */
static int enter_folder(const struct plan *p, struct err *e)
{
	char path[PATH_MAX];

	if (p->living)
		return chdir("/") < 0 ? err_sys(e, -errno, "enter the root") : 0;
	if (chdir(p->cwd) < 0)
		return err_sys(e, -errno, "enter '%s'", p->cwd);
	if (!getcwd(path, sizeof path))
		return err_sys(e, -errno, "find the current folder");
	if (strcmp(path, p->cwd) != 0)
		return err_set(e, ELOOP,
			"'%s' leads to another place; start ward in the folder itself", p->cwd);
	return 0;
}

int root_enter(struct stage *s, struct err *e)
{
	/* A user's blank looks for its workspace inside, once somebody has one. */
	int r = s->blank && !s->plan->root ? tree_swap(&s->host) : tree_pivot();

	if (r < 0)
		return err_sys(e, r, "make the new root the root");
	if (s->plan->read_only_root &&
		syscall(SYS_mount, NULL, "/", NULL,
			MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) < 0)
		return err_sys(e, -errno, "make the root read-only");
	return enter_folder(s->plan, e);
}
