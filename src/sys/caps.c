/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/caps.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Above the last one that any kernel knows; it answers EINVAL for those it does not. */
#define CAPS_END 64

int caps_forbid_gain(void)
{
	for (int cap = 0; cap < CAPS_END; cap++) {
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0) {
			if (errno == EINVAL && cap > CAP_LAST_CAP)
				break;
			if (errno != EINVAL)
				return -errno;
		}
	}
	if (prctl(PR_SET_SECUREBITS,
		    SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
			    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
			    SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
		    0, 0, 0) < 0)
		return -errno;
	return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ? -errno : 0;
}

int caps_keep(uint64_t set)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {
		{.effective = (uint32_t)set, .permitted = (uint32_t)set},
		{.effective = (uint32_t)(set >> 32), .permitted = (uint32_t)(set >> 32)},
	};

	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}
