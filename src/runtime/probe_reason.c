/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/probe_reason.h"

#include <errno.h>

enum reason probe_reason(int error)
{
	switch (-error) {
	case 0:
		return REASON_OK;
	case ENOSYS:
		return REASON_KERNEL_OLD;
	case ENODEV:
	case EINVAL:
	case ENOENT:
	case EOPNOTSUPP:
	case EPROTONOSUPPORT:
	case EAFNOSUPPORT:
		return REASON_NOT_BUILT;
	case ENOSPC:
	case EUSERS:
		return REASON_LIMIT_ZERO;
	case ETIMEDOUT:
		return REASON_TIMEOUT;
	case EOWNERDEAD:
		return REASON_CRASHED;
	default:
		return REASON_REFUSED;
	}
}
