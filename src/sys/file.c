/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/file.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/number.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#define SHOWN_MAX 200 /* bytes of a path in a message, so that the reason still fits */

/* A name on its way to a file: the folder is open, the entry is one component in it. */
struct walk {
	int folder;
	char entry[NAME_MAX + 1];
	struct stat stat; /* of the entry, links not followed */
	struct file_info info;
};

static void walk_close(const struct walk *w)
{
	cleanup_fd(&w->folder);
}

/* The path as it can be printed; a long one ends in dots, never inside a character. */
static const char *shown(struct buf *b, const char *path)
{
	size_t cut;

	escape_text(b, path);
	if (!b->dropped)
		return buf_text(b);
	cut = b->len - 3;
	while (cut && ((unsigned char)b->data[cut] & 0xc0) == 0x80)
		cut--;
	memcpy(b->data + cut, "...", 4);
	return b->data;
}

static int fail(struct err *e, int r, const char *what, const char *path)
{
	auto_(buf_free) struct buf b = BUF(SHOWN_MAX);

	return err_sys(e, r, "%s '%s'", what, shown(&b, path));
}

static int fail_type(struct err *e, mode_t mode, const char *path)
{
	auto_(buf_free) struct buf b = BUF(SHOWN_MAX);
	const char *what = S_ISDIR(mode)                    ? "a directory"
			   : S_ISFIFO(mode)                 ? "a FIFO"
			   : S_ISSOCK(mode)                 ? "a socket"
			   : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
							    : "not a regular file";

	return err_set(e, S_ISDIR(mode) ? EISDIR : EINVAL,
		"read '%s': it is %s, but a regular file is needed", shown(&b, path), what);
}

static int fail_size(struct err *e, size_t max, const char *path)
{
	auto_(buf_free) struct buf b = BUF(SHOWN_MAX);
	char limit[NUMBER_TEXT];

	number_size_text(max, limit);
	return err_set(e, EFBIG, "read '%s': larger than %s", shown(&b, path), limit);
}

/* Opens the folder of a name, relative to dirfd, and moves the walk there. */
static int walk_to(struct walk *w, int dirfd, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *entry = slash ? slash + 1 : path;
	char folder[PATH_MAX];
	size_t len = (size_t)(entry - path);
	int fd;

	if (!path[0])
		return -ENOENT;
	if (len >= sizeof(folder) || strlen(entry) > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(folder, path, len);
	folder[len] = '\0';
	fd = openat(dirfd, len ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!entry[0])
		entry = ".";
	memcpy(w->entry, entry, strlen(entry) + 1);
	walk_close(w);
	w->folder = fd;
	return 0;
}

/* Looks at the entry, and notes who could change it or its folder. */
static int walk_note(struct walk *w)
{
	struct stat folder;

	if (fstat(w->folder, &folder) < 0)
		return -errno;
	if (fstatat(w->folder, w->entry, &w->stat, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	w->info.steps[w->info.links] = (struct file_step){
		.folder_uid = folder.st_uid,
		.folder_mode = folder.st_mode,
		.link_uid = w->stat.st_uid,
	};
	return 0;
}

/* One symbolic link further. Only to regular files: /dev/stdin leads to no name at all. */
static int walk_link(struct walk *w)
{
	char target[PATH_MAX];
	struct stat end;
	ssize_t n;
	int r;

	if (fstatat(w->folder, w->entry, &end, 0) < 0)
		return -errno;
	if (!S_ISREG(end.st_mode)) {
		w->stat = end;
		return 0;
	}
	if (w->info.links == FILE_LINKS_MAX)
		return -ELOOP;
	n = readlinkat(w->folder, w->entry, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	w->info.links++;
	r = walk_to(w, w->folder, target);
	return r < 0 ? r : walk_note(w);
}

/* To the end of all links: w->stat is then of something that is no link. */
static int walk_end(struct walk *w, int dirfd, const char *path)
{
	int r = walk_to(w, dirfd, path);

	if (r >= 0)
		r = walk_note(w);
	while (r >= 0 && S_ISLNK(w->stat.st_mode))
		r = walk_link(w);
	return r;
}

/* Opens what was a regular file a moment ago; O_NONBLOCK in case it has become a FIFO. */
static int walk_open(struct walk *w, int *ret_fd)
{
	auto_fd int fd = openat(
		w->folder, w->entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &w->stat) < 0)
		return -errno;
	w->info.uid = w->stat.st_uid;
	w->info.gid = w->stat.st_gid;
	w->info.mode = w->stat.st_mode;
	w->info.dev = w->stat.st_dev;
	w->info.ino = w->stat.st_ino;
	w->info.steps[w->info.links].link_uid = w->stat.st_uid;
	*ret_fd = take_fd(&fd);
	return 0;
}

/* Everything up to max bytes; EFBIG when there is more. The size that stat told is only a hint. */
static int read_all(int fd, size_t hint, size_t max, char **ret_data, size_t *ret_len)
{
	size_t len = 0, cap = (hint < max ? hint : max) + 2;
	auto_free char *data = mem_alloc(cap);
	ssize_t n;

	for (;;) {
		if (len + 1 == cap) {
			cap = cap * 2 < max + 2 ? cap * 2 : max + 2;
			data = mem_realloc(data, cap, 1);
		}
		n = read(fd, data + len, cap - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
		if (len > max)
			return -EFBIG;
	}
	data[len] = '\0';
	*ret_data = take_ptr(data);
	*ret_len = len;
	return 0;
}

int file_read(int dirfd, const char *path, size_t max, struct file_info *ret_info, char **ret_data,
	size_t *ret_len, struct err *e)
{
	auto_(walk_close) struct walk w = {.folder = -1};
	auto_fd int fd = -1;
	int r = walk_end(&w, dirfd, path);

	if (r < 0)
		return fail(e, r, "open", path);
	if (!S_ISREG(w.stat.st_mode))
		return fail_type(e, w.stat.st_mode, path);
	r = walk_open(&w, &fd);
	if (r < 0)
		return fail(e, r, "open", path);
	if (!S_ISREG(w.stat.st_mode))
		return fail_type(e, w.stat.st_mode, path);
	if ((uintmax_t)w.stat.st_size > max)
		return fail_size(e, max, path);
	r = read_all(fd, (size_t)w.stat.st_size, max, ret_data, ret_len);
	if (r == -EFBIG)
		return fail_size(e, max, path);
	if (r < 0)
		return fail(e, r, "read", path);
	if (ret_info)
		*ret_info = w.info;
	return 0;
}

int file_read_stream(
	int fd, const char *name, size_t max, char **ret_data, size_t *ret_len, struct err *e)
{
	int r = read_all(fd, 4096, max, ret_data, ret_len);

	if (r == -EFBIG)
		return fail_size(e, max, name);
	return r < 0 ? fail(e, r, "read", name) : 0;
}

static bool trusted_owner(uid_t owner, uid_t caller)
{
	return owner == caller || owner == 0;
}

static bool others_write(mode_t mode)
{
	return mode & (S_IWGRP | S_IWOTH);
}

/* Whoever may write to a folder may put another file there, except where the sticky bit keeps names
 * safe. */
static bool folder_open(const struct file_step *step)
{
	return others_write(step->folder_mode) && !(step->folder_mode & S_ISVTX);
}

static int distrust_file(
	const struct file_info *info, uid_t caller, const char *path, struct err *e)
{
	auto_(buf_free) struct buf name = BUF(SHOWN_MAX), word = BUF(SHOWN_MAX);

	shown(&name, path);
	escape_word(&word, path);
	if (!trusted_owner(info->uid, caller))
		return err_set(e, EPERM,
			"'%s' belongs to uid %u, but must belong to uid %u or root: chown %u %s",
			buf_text(&name), info->uid, caller, caller, buf_text(&word));
	return err_set(e, EPERM, "'%s' has mode %04o, so others may change it: chmod go-w %s",
		buf_text(&name), info->mode & 07777, buf_text(&word));
}

/* The folder of the name as a word for a command; behind a link nobody keeps the name. */
static void folder_word(struct buf *out, const char *path, bool linked)
{
	const char *slash = strrchr(path, '/');
	auto_free char *folder = mem_dup(slash ? path : ".");

	if (slash)
		folder[slash == path ? 1 : slash - path] = '\0';
	if (linked)
		buf_puts(out, "THE-FOLDER-IT-LINKS-TO");
	else
		escape_word(out, folder);
}

static int distrust_step(
	const struct file_info *info, unsigned i, uid_t caller, const char *path, struct err *e)
{
	const struct file_step *step = &info->steps[i];
	auto_(buf_free) struct buf name = BUF(SHOWN_MAX / 2), word = BUF(SHOWN_MAX);
	const char *which = i ? "a folder that it links to" : "its folder";

	shown(&name, path);
	folder_word(&word, path, i > 0);
	if (!trusted_owner(step->folder_uid, caller))
		return err_set(e, EPERM,
			"'%s' could be replaced: %s belongs to uid %u, but must belong to uid %u "
			"or "
			"root: chown %u %s",
			buf_text(&name), which, step->folder_uid, caller, caller, buf_text(&word));
	if (folder_open(step))
		return err_set(e, EPERM,
			"'%s' could be replaced: %s has mode %04o, so others may write there: "
			"chmod go-w %s",
			buf_text(&name), which, step->folder_mode & 07777, buf_text(&word));
	return err_set(e, EPERM,
		"'%s' could be replaced: a symbolic link on the way belongs to uid %u, but must "
		"belong "
		"to uid %u or root: chown -h %u THE-LINK",
		buf_text(&name), step->link_uid, caller, caller);
}

int file_check_trusted(const struct file_info *info, uid_t caller, const char *path, struct err *e)
{
	if (!trusted_owner(info->uid, caller) || others_write(info->mode))
		return distrust_file(info, caller, path, e);
	for (unsigned i = 0; i <= info->links; i++) {
		const struct file_step *step = &info->steps[i];

		if (folder_open(step) || !trusted_owner(step->folder_uid, caller) ||
			!trusted_owner(step->link_uid, caller))
			return distrust_step(info, i, caller, path, e);
	}
	return 0;
}

int file_read_small(const char *path, char *out, size_t size)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t len = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	while (n > 0 && len + 1 < size) {
		n = read(fd, out + len, size - 1 - len);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			return -errno;
		else
			len += (size_t)n;
	}
	while (len && out[len - 1] == '\n')
		len--;
	out[len] = '\0';
	return (int)len;
}
