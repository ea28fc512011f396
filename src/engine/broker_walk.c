/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "engine/broker_parts.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/*
 * A path becomes the descriptor of the folder that its last component lies in, and that component.
 * The folder is found by the kernel in one step, but never through the links of /proc that lead to
 * a process's own files: these would be the broker's. Paths that meet one, and those that fail or
 * end in /proc, are walked again component by component in broker_proc.c, where such links mean the
 * caller. Links in the last component are read here and followed one by one, so that the name in
 * the end is no link, and acting on it with O_NOFOLLOW acts on what was judged.
 */
#define HOPS_MAX 40 /* the kernel's */

void broker_place_done(struct broker_place *p)
{
	cleanup_fd(&p->start);
	cleanup_fd(&p->dir);
	cleanup_fd(&p->object);
	p->start = p->dir = p->object = -1;
}

static void begin(struct broker_place *p)
{
	p->start = p->dir = p->object = -1;
	p->name = p->rel = NULL;
	p->inside = p->proc = p->dots = p->known = p->exists = false;
	p->mode = 0;
	p->mount = 0;
	p->path[0] = '\0';
}

static const char *below(const char *path, const char *root)
{
	size_t len = root ? strlen(root) : 0;

	if (len == 0 || strncmp(path, root, len) != 0 || (path[len] && path[len] != '/'))
		return NULL;
	return path[len] ? path + len + 1 : path + len;
}

/* Whether a folder is in the workspace, and its path if it may be; else that is left empty. */
static int locate_dir(struct broker_call *c, int fd, struct broker_place *p)
{
	struct broker_ident ident = {0};
	int r = p->mount ? 0 : broker_identify(fd, "", &ident);

	if (r < 0)
		return r;
	if (!p->mount) {
		p->mount = ident.file.mount;
		p->proc = !broker_own_mount(c->b, ident.file.mount) && broker_is_proc(fd) == 1;
	}
	if (!broker_own_mount(c->b, p->mount))
		return 0;
	r = broker_fd_path(c->b, fd, p->path, PATH_MAX);
	if (r < 0)
		return r;
	p->rel = below(p->path, c->b->spec.root);
	p->inside = p->rel;
	return 0;
}

static int locate_object(struct broker_call *c, int fd, struct broker_place *p)
{
	struct broker *b = c->b;
	struct broker_ident ident = {0};
	int r = broker_identify(fd, "", &ident);

	if (r >= 0)
		r = broker_fd_path(b, fd, p->path, PATH_MAX);
	if (r < 0)
		return r;
	p->mount = ident.file.mount;
	p->mode = ident.mode;
	p->proc = !broker_own_mount(b, ident.file.mount) && broker_is_proc(fd) == 1;
	if (broker_own_mount(b, p->mount))
		p->rel = below(p->path, b->spec.root);
	else if (!p->proc) /* what came from the host has the host's name for the same file */
		p->rel = below(p->path, b->spec.host_root);
	p->inside = p->rel;
	if (ident.nameless)
		p->rel = NULL;
	return 0;
}

/* Appends the name to the folder's path; the room for it is behind PATH_MAX. */
static int add_name(struct broker_place *p)
{
	size_t at = strlen(p->path), len = strcspn(p->name, "/");
	size_t rel = p->rel ? (size_t)(p->rel - p->path) : 0;

	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	if (at == 0)
		return 0;
	if (p->path[at - 1] != '/')
		p->path[at++] = '/';
	memcpy(p->path + at, p->name, len);
	p->path[at + len] = '\0';
	/* Below the workspace itself there was no slash yet. */
	if (p->rel && p->path[rel] == '/')
		p->rel++;
	return 0;
}

/* Opens the folder that a text names. What is learnt on the way is kept. */
static int open_folder(struct broker_call *c, const char *text, struct broker_place *p)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
	int at = p->start >= 0 ? p->start : c->b->slash;
	auto_fd int fd = (int)syscall(SYS_openat2, at, text, &how, sizeof(how));
	struct broker_ident ident = {0};

	p->mount = 0;
	p->proc = false;
	if (fd >= 0 && broker_identify(fd, "", &ident) == 0 &&
		(broker_own_mount(c->b, ident.file.mount) || broker_is_proc(fd) == 0)) {
		p->mount = ident.file.mount;
		return take_fd(&fd);
	}
	return broker_walk_slow(c, p->start, text);
}

/* The path is a folder: what it names is known by its descriptor. */
static int locate_folder(struct broker_call *c, const char *text, struct broker_place *p)
{
	int fd = open_folder(c, text, p);

	if (fd < 0)
		return fd;
	p->object = fd;
	p->known = p->exists = true;
	return locate_object(c, fd, p);
}

/* at: where the last component begins in the text. The text's slash before it is overwritten. */
static int locate_parent(struct broker_call *c, char *text, size_t at, struct broker_place *p)
{
	int fd;

	if (at == 0) {
		fd = take_fd(&p->start);
	} else if (at == 1) {
		fd = fcntl(c->b->slash, F_DUPFD_CLOEXEC, 0);
		fd = fd < 0 ? -errno : fd;
	} else {
		text[at - 1] = '\0';
		fd = open_folder(c, text, p);
	}
	if (fd < 0)
		return fd;
	cleanup_fd(&p->dir);
	p->dir = fd;
	p->name = text + at;
	return locate_dir(c, fd, p);
}

static bool is_dots(const char *name, size_t len)
{
	return (len == 1 && name[0] == '.') || (len == 2 && name[0] == '.' && name[1] == '.');
}

/* One round: the text up to a folder and a name, or a folder. */
static int locate(struct broker_call *c, char *text, unsigned how, struct broker_place *p)
{
	size_t len = strlen(text), end = len, at;
	int r;

	while (end > 0 && text[end - 1] == '/')
		end--;
	at = end;
	while (at > 0 && text[at - 1] != '/')
		at--;
	p->dots = is_dots(text + at, end - at);
	if ((how & BROKER_CREATE) && end < len && end > 0) {
		r = locate_parent(c, text, at, p);
		return r < 0 ? r : -EISDIR;
	}
	if (!(how & BROKER_NAME) && (end < len || p->dots))
		return locate_folder(c, text, p);
	if (end == 0) { /* "/", as a name */
		p->dots = true;
		p->name = "/";
		p->dir = fcntl(c->b->slash, F_DUPFD_CLOEXEC, 0);
		return p->dir < 0 ? -errno : locate_dir(c, p->dir, p);
	}
	r = locate_parent(c, text, at, p);
	if (r >= 0)
		r = add_name(p);
	if (r >= 0 && !(how & BROKER_NAME))
		r = broker_place_look(p);
	return r;
}

int broker_place_look(struct broker_place *p)
{
	struct stat st;

	if (p->known)
		return 0;
	if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return -errno;
		st.st_mode = 0;
	}
	p->known = true;
	p->exists = st.st_mode != 0;
	p->mode = st.st_mode;
	return 0;
}

int broker_place_open(struct broker_place *p)
{
	if (p->object >= 0)
		return 0;
	p->object = openat(p->dir, p->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return p->object < 0 ? -errno : 0;
}

int broker_place_of(struct broker_call *c, int object, struct broker_place *p)
{
	begin(p);
	p->object = object;
	p->known = p->exists = true;
	return locate_object(c, object, p);
}

/* The link in the last component: prepares the next round. 1: it led to a file by itself. */
static int next_round(struct broker_call *c, struct broker_place *p, char *text)
{
	int fd = -1;

	if (++c->hops > HOPS_MAX)
		return -ELOOP;
	if (p->proc) {
		int r = broker_proc_link(c, p->dir, p->name, text, PATH_MAX, &fd);

		if (r < 0)
			return r;
	} else {
		ssize_t n = readlinkat(p->dir, p->name, text, PATH_MAX);

		if (n < 0 || n >= PATH_MAX)
			return n < 0 ? -errno : -ENAMETOOLONG;
		text[n] = '\0';
	}
	int dir = take_fd(&p->dir);

	broker_place_done(p);
	if (fd >= 0) {
		int r = broker_place_of(c, fd, p);

		cleanup_fd(&dir);
		return r < 0 ? r : 1;
	}
	begin(p);
	p->start = dir;
	return *text ? 0 : -ENOENT;
}

static int walk_links(struct broker_call *c, unsigned how, struct broker_place *p)
{
	for (unsigned turn = 0;; turn ^= 1) {
		char *text = p->text[turn];
		int r;

		if (text[0] == '/') {
			cleanup_fd(&p->start);
			p->start = -1;
		}
		r = locate(c, text, how, p);
		if (r < 0 || p->object >= 0 || !(how & BROKER_FOLLOW) || !S_ISLNK(p->mode))
			return r;
		r = next_round(c, p, p->text[turn ^ 1]);
		if (r != 0)
			return r < 0 ? r : 0;
	}
}

int broker_walk(
	struct broker_call *c, uint8_t at, uint8_t path, unsigned how, struct broker_place *p)
{
	int dirfd = (int)c->arg[at], r;

	begin(p);
	c->hops = 0;
	r = broker_read_text(c, c->arg[path], p->text[0], PATH_MAX);
	if (r < 0)
		return r;
	if (!p->text[0][0]) {
		int fd = how & BROKER_EMPTY ? broker_caller_file(c, dirfd) : -ENOENT;

		return fd < 0 ? fd : broker_place_of(c, fd, p);
	}
	if (p->text[0][0] != '/') {
		p->start = broker_caller_dir(c, dirfd);
		if (p->start < 0) {
			r = p->start;
			p->start = -1;
			return r;
		}
	}
	return walk_links(c, how, p);
}
