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
