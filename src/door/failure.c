/* SPDX-License-Identifier: Apache-2.0 */
#include "door/failure.h"

#include "base/macro.h"

#include <errno.h>
#include <stddef.h>

const char *failure_name(int code)
{
	static const struct {
		int code;
		const char *name;
	} rows[] = {
		{EACCES, "denied"},
		{EPERM, "denied"},
		{EROFS, "denied"},
		{EXDEV, "denied"},
		{ELOOP, "denied"},
		{ENOENT, "notFound"},
		{EINVAL, "invalid"},
		{ERANGE, "invalid"},
		{EILSEQ, "invalid"},
		{EISDIR, "invalid"},
		{ENOTDIR, "invalid"},
		{ENAMETOOLONG, "invalid"},
		{EFBIG, "tooLarge"},
		{E2BIG, "tooLarge"},
		{ETIMEDOUT, "timeout"},
		{ECANCELED, "cancelled"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].code == code)
			return rows[i].name;
	return "failed";
}
