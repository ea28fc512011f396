/* SPDX-License-Identifier: Apache-2.0 */
#include "door/filter_cache.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "sys/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define HEX (2 * SHA256_SIZE)
#define FILE_NAME (HEX + 16) /* with what tells unfinished files apart */

struct header {
	char magic[8];
	uint32_t len; /* instructions */
	uint32_t zero;
	uint8_t key[SHA256_SIZE];
	uint8_t sum[SHA256_SIZE]; /* of all of this, with zeros here, and the instructions */
};
struct kept {
	struct header head;
	struct sock_filter code[BPF_MAXINSNS];
};
_Static_assert(sizeof(struct header) == 16 + 2 * SHA256_SIZE, "no holes in what is written");
_Static_assert(offsetof(struct kept, code) == sizeof(struct header), "the code stands behind it");

static const char magic[8] = {'w', 'a', 'r', 'd', 'b', 'p', 'f', 1};

static bool is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static size_t kept_size(const struct kept *k)
{
	return sizeof(k->head) + k->head.len * sizeof(k->code[0]);
}

static void kept_sum(const struct kept *k, uint8_t out[SHA256_SIZE])
{
	struct header head = k->head;
	struct sha256 s;

	memset(head.sum, 0, sizeof(head.sum));
	sha256_init(&s);
	sha256_add(&s, &head, sizeof(head));
	sha256_add(&s, k->code, k->head.len * sizeof(k->code[0]));
	sha256_end(&s, out);
}

int filter_cache_open(const char *folder)
{
	return folder_own(folder, FOLDER_MAKE | FOLDER_NO_LINKS);
}

/* As much as there is, at most size bytes; or a negative errno. */
static ssize_t read_all(int fd, void *to, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, (char *)to + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

static int write_all(int fd, const void *from, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = write(fd, (const char *)from + done, size - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static bool is_whole(const struct kept *k, size_t size, const uint8_t key[SHA256_SIZE])
{
	uint8_t sum[SHA256_SIZE];

	if (size < sizeof(k->head) || memcmp(k->head.magic, magic, sizeof(magic)) != 0)
		return false;
	if (k->head.len == 0 || k->head.len > BPF_MAXINSNS || k->head.zero != 0)
		return false;
	if (size != kept_size(k) || memcmp(k->head.key, key, SHA256_SIZE) != 0)
		return false;
	kept_sum(k, sum);
	return memcmp(sum, k->head.sum, sizeof(sum)) == 0;
}

int filter_cache_read(int folder, const uint8_t key[SHA256_SIZE], struct bpf_program *ret)
{
	auto_fd int fd = -1;
	char name[HEX + 1];
	struct kept k;
	struct stat st;
	ssize_t len;

	sha256_hex(key, name);
	fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return errno == ELOOP ? -EPERM : -errno;
	if (!S_ISREG(st.st_mode) || !is_ours(&st) || st.st_nlink != 1)
		return -EPERM;
	if (st.st_size > (off_t)sizeof k)
		return -EBADMSG;
	len = read_all(fd, &k, sizeof k);
	if (len < 0)
		return (int)len;
	if (!is_whole(&k, (size_t)len, key))
		return -EBADMSG;
	ret->len = k.head.len;
	memcpy(ret->code, k.code, k.head.len * sizeof(k.code[0]));
	return 0;
}

/* A kept filter, or what an interrupted ward left of one. */
static bool is_kept_name(const char *name)
{
	size_t n = 0;

	while (str_hex_digit(name[n]) >= 0)
		n++;
	return n == HEX && (name[n] == '\0' || name[n] == '.');
}

static void close_list(DIR **list)
{
	if (*list)
		closedir(*list);
}

/* Filters of profiles that were changed meanwhile are never asked for again. */
static void make_room(int folder)
{
	auto_fd int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_(close_list) DIR *list = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;
	size_t count = 0;

	if (!list)
		return;
	take_fd(&fd);
	while ((d = readdir(list)))
		count += is_kept_name(d->d_name);
	if (count < FILTER_CACHE_FILES)
		return;
	rewinddir(list);
	while ((d = readdir(list)))
		if (is_kept_name(d->d_name))
			unlinkat(folder, d->d_name, 0);
}

static int write_file(int folder, const char *name, const struct kept *k)
{
	char unfinished[FILE_NAME];
	auto_fd int fd = -1;
	int r;

	snprintf(unfinished, sizeof unfinished, "%s.%u", name, (unsigned)getpid());
	unlinkat(folder, unfinished, 0);
	fd = openat(folder, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = write_all(fd, k, kept_size(k));
	if (r == 0 && renameat(folder, unfinished, folder, name) < 0)
		r = -errno;
	if (r < 0)
		unlinkat(folder, unfinished, 0);
	return r;
}

int filter_cache_write(
	int folder, const uint8_t key[SHA256_SIZE], const struct bpf_program *program)
{
	struct kept k = {.head.len = (uint32_t)program->len};
	char name[HEX + 1];

	if (program->len == 0 || program->len > BPF_MAXINSNS)
		return -EINVAL;
	memcpy(k.head.magic, magic, sizeof(magic));
	memcpy(k.head.key, key, SHA256_SIZE);
	memcpy(k.code, program->code, program->len * sizeof(k.code[0]));
	kept_sum(&k, k.head.sum);
	sha256_hex(key, name);
	make_room(folder);
	return write_file(folder, name, &k);
}
