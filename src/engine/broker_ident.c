/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/broker_parts.h"

#include <errno.h>
#include <linux/fcntl.h>
#include <linux/stat.h> /* the C library's header of the same purpose cannot stand next to it */
#include <sys/syscall.h>
#include <unistd.h>

int broker_identify(int fd, const char *path, struct broker_ident *ret_ident)
{
	struct statx stx;
	unsigned flags = AT_STATX_DONT_SYNC | (*path ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH);

	if (syscall(SYS_statx, fd, path, flags, STATX_TYPE | STATX_NLINK | STATX_MNT_ID, &stx) < 0)
		return -errno;
	if (!(stx.stx_mask & STATX_MNT_ID))
		return -EOPNOTSUPP;
	ret_ident->mount = stx.stx_mnt_id;
	ret_ident->mode = stx.stx_mode;
	ret_ident->nameless = stx.stx_nlink == 0;
	return 0;
}
