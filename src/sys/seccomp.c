/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

int seccomp_has_action(uint32_t action)
{
	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) < 0 ? -errno : 0;
}

int seccomp_try(void)
{
	struct sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {.len = 1, .filter = allow};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0 ? -errno : 0;
}

bool seccomp_filtered(void)
{
	/* In strict mode the question itself would be the end; but then ward would not run at all.
	 */
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
}

int seccomp_load(const struct sock_filter *code, unsigned short len, bool listener)
{
	/* The kernel only reads; its interface has no const. */
	struct sock_fprog program = {.len = len, .filter = (struct sock_filter *)code};
	const unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
	const unsigned long more = flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
	long r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, listener ? more : 0, &program);

	if (r < 0 && errno == EINVAL && listener)
		r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	return r < 0 ? -errno : (int)r;
}
