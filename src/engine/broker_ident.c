/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/broker_parts.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h> /* the C library's header of the same purpose cannot stand next to it */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int broker_identify(int fd, const char *path, struct broker_ident *ret_ident)
{
	struct statx stx;
	unsigned flags = AT_STATX_DONT_SYNC | (*path ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH);

	if (syscall(SYS_statx, fd, path, flags, STATX_TYPE | STATX_NLINK | STATX_INO | STATX_MNT_ID,
		    &stx) < 0)
		return -errno;
	if (!(stx.stx_mask & STATX_MNT_ID))
		return -EOPNOTSUPP;
	ret_ident->file = (struct broker_file){.mount = stx.stx_mnt_id,
		.device = (uint64_t)stx.stx_dev_major << 32 | stx.stx_dev_minor,
		.inode = stx.stx_ino};
	ret_ident->mode = stx.stx_mode;
	ret_ident->nameless = stx.stx_nlink == 0;
	return 0;
}

bool broker_own_mount(const struct broker *b, uint64_t mount)
{
	if (mount == b->mount)
		return true;
	for (size_t i = 0; i < b->below_count; i++)
		if (mount == b->below[i])
			return true;
	return false;
}

bool broker_is_of_sandbox(const struct broker *b, uint64_t mount)
{
	for (size_t i = 0; i < b->mount_count; i++)
		if (mount == b->mounts[i])
			return true;
	return false;
}

/* "36 35 98:0 /root /mount/point ...": the first word and the fifth. */
static bool take_mount(struct broker *b, const char *line)
{
	size_t len = strlen(b->spec.root);
	const char *place = line;
	uint64_t id = strtoull(line, NULL, 10);

	if (b->mount_count == BROKER_MOUNTS_MAX)
		return false;
	b->mounts[b->mount_count++] = id;
	for (int word = 0; word < 4 && place; word++) {
		place = strchr(place, ' ');
		place = place ? place + 1 : NULL;
	}
	if (!place || strncmp(place, b->spec.root, len) != 0 || place[len] != '/')
		return true;
	if (b->below_count == BROKER_BELOW_MAX)
		return false;
	b->below[b->below_count++] = id;
	return true;
}

int broker_find_mounts(struct broker *b)
{
	static char text[64 * 1024];
	auto_fd int fd = openat(AT_FDCWD, "/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	b->below_count = b->mount_count = 0;
	if (fd < 0)
		return -errno;
	while (len < sizeof text - 1 && (n = read(fd, text + len, sizeof text - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!take_mount(b, line))
			return -E2BIG;
	return len < sizeof text - 1 ? 0 : -E2BIG;
}
