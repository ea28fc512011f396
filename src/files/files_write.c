/* SPDX-License-Identifier: Apache-2.0 */
#include "files/files_write.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>

#define NOREPLACE 1 /* RENAME_NOREPLACE */
#define KEPT_MODE 0777

int files_write_check(const struct files *f, const struct files_place *p, struct err *e)
{
	bool exists = p->exists;
	int r = files_may_change(f, p->path, e);

	if (r == 0)
		r = files_judge(f, p->path, exists ? PROTECT_WRITE : PROTECT_CREATE, e);
	if (r < 0 || !exists)
		return r;
	if (S_ISDIR(p->st.st_mode))
		return files_fail(e, EISDIR, p->path, "is a folder");
	if (!S_ISREG(p->st.st_mode))
		return files_fail(e, EINVAL, p->path,
			"is no file but a pipe, a socket or a device, which is not written");
	if (!(p->st.st_mode & 0222))
		return files_fail(
			e, EACCES, p->path, "is write-protected by its mode; change that first");
	return 0;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* A file that is on its way to a name; what is left of it goes away with it. */
struct draft {
	int dir, fd;
	char name[32];
};

static void draft_drop(struct draft *d)
{
	int saved = errno;

	if (d->fd >= 0)
		unlinkat(d->dir, d->name, 0);
	cleanup_fd(&d->fd);
	cleanup_fd(&d->dir);
	errno = saved;
}

static int draft_open(struct draft *d, mode_t mode)
{
	uint64_t random;

	for (int i = 0; i < 8; i++) {
		if (getrandom(&random, sizeof random, 0) != sizeof random)
			return -EIO;
		snprintf(d->name, sizeof d->name, ".ward-%016jx", (uintmax_t)random);
		d->fd = openat(d->dir, d->name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode & KEPT_MODE);
		if (d->fd >= 0 || errno != EEXIST)
			break;
	}
	return d->fd < 0 ? -errno : 0;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool same_text(const struct stat *a, const struct stat *b)
{
	return same_file(a, b) && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Is that name still what was found, and what was read? */
static int still_there(int dir, const char *name, const struct files_place *p,
	const struct stat *seen, struct err *e)
{
	struct stat now;

	if (fstatat(dir, name, &now, AT_SYMLINK_NOFOLLOW) < 0 ||
		!(seen ? same_text(&now, seen) : same_file(&now, &p->st)))
		return files_fail(e, ESTALE, p->path,
			"was changed by somebody else meanwhile; read it again");
	return 0;
}

/* Without taking anything away from that name. */
static int name_new(int dir, const char *draft, const char *name)
{
	if (syscall(SYS_renameat2, dir, draft, dir, name, NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* Not every file system can do that. */
	if (linkat(dir, draft, dir, name, 0) < 0)
		return -errno;
	unlinkat(dir, draft, 0);
	return 0;
}

static int give_name(struct draft *d, const char *name, const struct files_place *p,
	const struct stat *seen, bool create_only, struct err *e)
{
	int r;

	if (p->exists) {
		r = still_there(d->dir, name, p, seen, e);
		if (r < 0)
			return r;
		r = renameat(d->dir, d->name, d->dir, name) < 0 ? -errno : 0;
	} else {
		r = name_new(d->dir, d->name, name);
	}
	if (r == -EEXIST)
		return files_fail(e, create_only ? EEXIST : ESTALE, p->path,
			"was made by somebody else meanwhile");
	if (r < 0)
		return files_fail_sys(e, r, "write", p->path);
	cleanup_fd(&d->fd);
	d->fd = -1;
	fsync(d->dir);
	return 0;
}

static int too_large(const struct files *f, const struct files_place *p, size_t len, struct err *e)
{
	char text[100];

	snprintf(text, sizeof text, "would be too large: %zu bytes, and the limit is %ju", len,
		(uintmax_t)files_limit(f));
	return files_fail(e, EFBIG, p->path, text);
}

int files_write_put(const struct files *f, const struct files_place *p, const struct stat *seen,
	const struct files_text *t, struct err *e)
{
	auto_(draft_drop) struct draft d = {.dir = -1, .fd = -1};
	bool exact = p->exists || t->set_mode;
	mode_t mode = p->exists && !t->set_mode ? p->st.st_mode : t->mode;
	const char *name;
	int r;

	if (t->len > files_limit(f))
		return too_large(f, p, t->len, e);
	d.dir = files_walk_parent(f, p->path, &name);
	if (d.dir < 0)
		return files_fail_sys(e, d.dir, "open the folder of", p->path);
	r = draft_open(&d, mode ? mode : 0666);
	if (r == 0)
		r = write_all(d.fd, t->data, t->len);
	if (r == 0 && exact && fchmod(d.fd, mode & KEPT_MODE) < 0)
		r = -errno;
	if (r == 0 && fsync(d.fd) < 0)
		r = -errno;
	if (r < 0)
		return files_fail_sys(e, r, "write", p->path);
	return give_name(&d, name, p, seen, t->create_only, e);
}

int files_write_remove(
	const struct files *f, const struct files_place *p, const struct stat *seen, struct err *e)
{
	const char *name;
	auto_fd int dir = files_walk_parent(f, p->path, &name);
	int r;

	if (dir < 0)
		return files_fail_sys(e, dir, "open the folder of", p->path);
	r = still_there(dir, name, p, seen, e);
	if (r == 0 && unlinkat(dir, name, 0) < 0)
		r = files_fail_sys(e, -errno, "remove", p->path);
	return r;
}

/* One folder by its true path. 1: it is new. */
static int make_folder(const struct files *f, const char *path, struct err *e)
{
	auto_fd int there = files_walk_open(f, path, O_PATH | O_DIRECTORY), dir = -1;
	const char *name;
	int r;

	if (there >= 0)
		return 0;
	if (there != -ENOENT)
		return files_fail_sys(e, there, "open", path);
	r = files_judge(f, path, PROTECT_MKDIR, e);
	if (r < 0)
		return r;
	dir = files_walk_parent(f, path, &name);
	if (dir < 0)
		return files_fail_sys(e, dir, "open the folder of", path);
	if (mkdirat(dir, name, 0777) == 0)
		return 1;
	/* Somebody else was faster: theirs is not ours to remove again. */
	return errno == EEXIST ? 0 : files_fail_sys(e, -errno, "make the folder", path);
}

int files_write_parents(const struct files *f, const char *path, unsigned *ret_made, struct err *e)
{
	char folder[PATH_MAX];
	int r = 0;

	*ret_made = 0;
	for (const char *slash = strchr(path, '/'); slash && r >= 0;
		slash = strchr(slash + 1, '/')) {
		memcpy(folder, path, (size_t)(slash - path));
		folder[slash - path] = '\0';
		r = make_folder(f, folder, e);
		*ret_made += r > 0;
	}
	return r < 0 ? r : 0;
}

static int write_found(const struct files *f, const struct files_place *p,
	const struct files_text *t, struct err *e)
{
	int r = files_write_check(f, p, e);

	if (r == 0 && t->create_only && p->exists)
		r = files_fail(e, EEXIST, p->path, "exists already");
	if (r == 0 && t->parents && !p->exists)
		r = files_write_parents(f, p->path, &(unsigned){0}, e);
	return r < 0 ? r : files_write_put(f, p, NULL, t, e);
}

int files_write(const struct files *f, const char *name, const struct files_text *t,
	struct arena *a, struct files_written *ret, struct err *e)
{
	auto_(files_walk_close) struct files_place p = FILES_PLACE_NONE;
	auto_(files_stop) struct files_self self = {0};
	int r = files_start(f, &self, e);

	if (r == 0)
		r = files_walk(f, name, t->parents, &p, e);
	if (r == 0)
		r = write_found(f, &p, t, e);
	if (r < 0)
		return r;
	*ret = (struct files_written){.path = arena_text(a, p.path, strlen(p.path)),
		.size = t->len,
		.created = !p.exists};
	return 0;
}
