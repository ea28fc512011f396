/* SPDX-License-Identifier: Apache-2.0 */
#include "files/files_walk.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "model/pathname.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>

#define LINKS_MAX 40 /* the kernel's */
#define TRIES 16     /* somebody exchanges names while we look */

static const char *const root_names[] = {"/workspace", "/agent"};

void files_walk_close(struct files_place *p)
{
	cleanup_fd(&p->object);
	p->object = -1;
}

int files_walk_open(const struct files *f, const char *path, int flags)
{
	struct open_how how = {.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC | O_NOFOLLOW),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
	long fd;

	/* Beneath a folder that is being renamed the kernel may ask for another try. */
	for (int i = 0; i < TRIES; i++) {
		fd = syscall(SYS_openat2, f->root, path[0] ? path : ".", &how, sizeof how);
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return fd < 0 ? -errno : (int)fd;
}

int files_walk_parent(const struct files *f, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	char parent[PATH_MAX];
	size_t len = slash ? (size_t)(slash - path) : 0;

	if (len >= sizeof parent)
		return -ENAMETOOLONG;
	memcpy(parent, path, len);
	parent[len] = '\0';
	*ret_name = slash ? slash + 1 : path;
	return files_walk_open(f, parent, O_RDONLY | O_DIRECTORY);
}

/* A walk: `done` is true, `rest` has still to be followed. */
struct walk {
	const struct files *f;
	const char *asked; /* for messages */
	char done[PATH_MAX], rest[PATH_MAX];
	size_t done_len;
	unsigned links;
	bool missing; /* done ends in a name that is not there */
};

static int outside(const struct walk *w, struct err *e)
{
	return files_fail(e, EXDEV, w->asked,
		w->links ? "leads outside of the workspace by a link"
			 : "is outside of the workspace; paths begin at /workspace");
}

/* What is behind the name, component by component; NULL: the path is not below it. */
static const char *behind(const char *path, const char *name)
{
	const char *part, *own;
	size_t len, own_len;

	while (pathname_next(&name, &part, &len))
		if (!pathname_next(&path, &own, &own_len) || own_len != len ||
			memcmp(own, part, len) != 0)
			return NULL;
	return path;
}

static const char *below_root(const struct files *f, const char *path)
{
	const char *rest = NULL;

	for (size_t i = 0; i < ARRAY_LEN(root_names) && !rest; i++)
		rest = behind(path, root_names[i]);
	return rest || !f->name ? rest : behind(path, f->name);
}

/* Puts a text in front of what has still to be followed; an absolute one begins at the top. */
static int put_front(struct walk *w, const char *text, struct err *e)
{
	char rest[PATH_MAX];
	size_t len, old = strlen(w->rest);

	if (text[0] == '/') {
		text = below_root(w->f, text);
		if (!text)
			return outside(w, e);
		w->done_len = 0;
		w->done[0] = '\0';
	}
	len = strlen(text);
	if (len + 1 + old >= sizeof rest)
		return files_fail(e, ENAMETOOLONG, w->asked, "is too long");
	memcpy(rest, text, len);
	rest[len] = '/';
	memcpy(rest + len + 1, w->rest, old + 1);
	memcpy(w->rest, rest, len + 1 + old + 1);
	return 0;
}

static int add_part(struct walk *w, const char *part, size_t len, struct err *e)
{
	size_t at = w->done_len;

	if (len > NAME_MAX || at + 1 + len >= sizeof w->done)
		return files_fail(e, ENAMETOOLONG, w->asked, "is too long");
	if (at)
		w->done[at++] = '/';
	memcpy(w->done + at, part, len);
	w->done_len = at + len;
	w->done[w->done_len] = '\0';
	return 0;
}

static int drop_part(struct walk *w, struct err *e)
{
	char *slash = strrchr(w->done, '/');

	if (w->done_len == 0)
		return outside(w, e);
	w->done_len = slash ? (size_t)(slash - w->done) : 0;
	w->done[w->done_len] = '\0';
	return 0;
}

static int follow(struct walk *w, int link, struct err *e)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(link, "", target, sizeof target - 1);

	if (len < 0)
		return files_fail_sys(e, -errno, "read the link", w->asked);
	if (len == 0 || len == sizeof target - 1 || w->links == LINKS_MAX)
		return files_fail(e, ELOOP, w->asked, "is a chain of too many links");
	target[len] = '\0';
	w->links++;
	drop_part(w, e);
	return put_front(w, target, e);
}

/* One component. What is missing may only be followed by other names that are. */
static int step(struct walk *w, const char *part, size_t len, struct err *e)
{
	bool up = len == 2 && part[0] == '.' && part[1] == '.';
	auto_fd int fd = -1;
	struct stat st;
	int r = 0;

	if (up && w->missing)
		return files_fail(e, ENOENT, w->asked, "does not exist");
	if (up)
		return drop_part(w, e);
	r = add_part(w, part, len, e);
	if (r < 0 || w->missing)
		return r;
	fd = files_walk_open(w->f, w->done, O_PATH);
	if (fd == -ENOENT) {
		w->missing = true;
		return 0;
	}
	if (fd == -ELOOP || fd == -EAGAIN) /* a folder on the way became a link: from the start */
		return -EAGAIN;
	if (fd < 0)
		return files_fail_sys(e, fd, "open", w->done);
	if (fstat(fd, &st) < 0)
		return files_fail_sys(e, -errno, "look at", w->done);
	return S_ISLNK(st.st_mode) ? follow(w, fd, e) : 0;
}

static int walk_all(struct walk *w, struct err *e)
{
	const char *next = w->rest, *part;
	size_t len;
	int r = 0;

	while (r == 0 && pathname_next(&next, &part, &len)) {
		char name[NAME_MAX + 1];

		if (len > NAME_MAX)
			return files_fail(e, ENAMETOOLONG, w->asked, "is too long");
		memcpy(name, part, len);
		/* What a link leads to is put in front of the rest, which moves. */
		memmove(w->rest, next, strlen(next) + 1);
		r = step(w, name, len, e);
		next = w->rest;
	}
	return r;
}

/* A name without . and .. and // is its own true path wherever the kernel meets no link. */
static bool is_plain(const char *path)
{
	const char *part;
	size_t len, total = 0;
	const char *p = path;

	while (pathname_next(&p, &part, &len)) {
		if (len == 2 && part[0] == '.' && part[1] == '.')
			return false;
		total += len + 1;
	}
	return total == strlen(path) + 1;
}

/* 0: it is there, and is no link. */
static int open_true(const struct files *f, const char *path, struct files_place *ret)
{
	auto_fd int fd = files_walk_open(f, path, O_PATH);

	if (fd < 0)
		return take_fd(&fd);
	if (fstat(fd, &ret->st) < 0)
		return -errno;
	if (S_ISLNK(ret->st.st_mode))
		return -ELOOP;
	memcpy(ret->path, path, strlen(path) + 1);
	ret->object = take_fd(&fd);
	ret->exists = true;
	return 0;
}

static int walk_once(const struct files *f, const char *name, const char *text, bool anyhow,
	struct files_place *ret, struct err *e)
{
	struct walk w = {.f = f, .asked = name};
	int r;

	memcpy(w.rest, text, strlen(text) + 1);
	r = walk_all(&w, e);
	if (r < 0)
		return r;
	ret->linked = w.links > 0;
	if (w.missing) {
		auto_fd int parent = files_walk_parent(f, w.done, &(const char *){NULL});

		if (parent < 0 && !anyhow)
			return parent == -ELOOP || parent == -EAGAIN
				       ? -EAGAIN
				       : files_fail_sys(e, parent, "open the folder of", w.done);
		memcpy(ret->path, w.done, w.done_len + 1);
		return 0;
	}
	r = open_true(f, w.done, ret);
	if (r == -ELOOP || r == -EAGAIN || r == -ENOENT)
		return -EAGAIN;
	return r < 0 ? files_fail_sys(e, r, "open", w.done) : 0;
}

int files_walk(const struct files *f, const char *name, bool anyhow, struct files_place *ret,
	struct err *e)
{
	struct walk top = {.f = f, .asked = name};
	const char *text = name;
	int r;

	*ret = FILES_PLACE_NONE;
	if (!name[0])
		return err_set(e, EINVAL, "the path is empty");
	if (name[0] == '/' && !(text = below_root(f, name)))
		return outside(&top, e);
	while (*text == '/')
		text++;
	if (strlen(text) >= PATH_MAX)
		return files_fail(e, ENAMETOOLONG, name, "is too long");
	if ((!text[0] || is_plain(text)) && open_true(f, text, ret) == 0)
		return 0;
	for (int i = 0; i < TRIES; i++) {
		r = walk_once(f, name, text, anyhow, ret, e);
		if (r != -EAGAIN)
			return r;
	}
	return files_fail(e, ESTALE, name, "is being renamed all the time");
}
