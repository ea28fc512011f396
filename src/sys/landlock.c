/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/landlock.h"

#include "base/cleanup.h"

#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return abi < 0 ? -errno : (int)abi;
}

int landlock_try(void)
{
	struct landlock_ruleset_attr attr = {.handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_CHAR};
	auto_fd int fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);

	if (fd < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return syscall(SYS_landlock_restrict_self, fd, 0) < 0 ? -errno : 0;
}

#define READ_FILES \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define MAKE                                                                  \
	(LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |     \
		LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |   \
		LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | \
		LANDLOCK_ACCESS_FS_MAKE_SYM)
#define MAKE_DEVICES (LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK)
/* What came with later versions; the headers may be older than the kernel. */
#define REFER (1ull << 13)
#define TRUNCATE (1ull << 14)
#define IOCTL_DEV (1ull << 15)
#define SCOPE_ABSTRACT_SOCKET (1ull << 0)
#define SCOPE_SIGNAL (1ull << 1)

/* As the kernel has it; older ones take as much of it as they know. */
struct ruleset {
	uint64_t handled_fs;
	uint64_t handled_net;
	uint64_t scoped;
};

int landlock_make(unsigned abi, struct landlock *ret)
{
	struct ruleset set = {
		.handled_fs = READ_FILES | LANDLOCK_ACCESS_FS_WRITE_FILE | MAKE | MAKE_DEVICES |
			      (abi >= 2 ? REFER : 0) | (abi >= 3 ? TRUNCATE : 0) |
			      (abi >= 5 ? IOCTL_DEV : 0),
		.scoped = abi >= 6 ? SCOPE_ABSTRACT_SOCKET | SCOPE_SIGNAL : 0,
	};
	size_t size = abi >= 6 ? sizeof set : sizeof set.handled_fs;
	long fd = syscall(SYS_landlock_create_ruleset, &set, size, 0);

	if (fd < 0)
		return -errno;
	*ret = (struct landlock){.fd = (int)fd, .handled = set.handled_fs};
	return 0;
}

static uint64_t rights_of(unsigned rights, bool folder)
{
	uint64_t access = 0;

	if (rights & LANDLOCK_READ)
		access |= READ_FILES;
	if (rights & LANDLOCK_WRITE)
		access |= LANDLOCK_ACCESS_FS_WRITE_FILE | MAKE | REFER | TRUNCATE;
	if (rights & LANDLOCK_DEVICE)
		access |= LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE | IOCTL_DEV;
	if (!folder)
		access &= LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
			  LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE | IOCTL_DEV;
	return access;
}

int landlock_allow(const struct landlock *l, int fd, bool folder, unsigned rights)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = rights_of(rights, folder) & l->handled, .parent_fd = fd};

	return syscall(SYS_landlock_add_rule, l->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0
		       ? -errno
		       : 0;
}

int landlock_enforce(const struct landlock *l)
{
	return syscall(SYS_landlock_restrict_self, l->fd, 0) < 0 ? -errno : 0;
}
