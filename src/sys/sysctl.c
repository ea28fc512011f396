/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/sysctl.h"

#include "sys/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sysctl_read(const char *name, int64_t *ret)
{
	char path[128] = "/proc/sys/", text[32], *end;
	size_t start = strlen(path);
	long long value;
	int r;

	if (strlen(name) >= sizeof(path) - start)
		return -ENAMETOOLONG;
	memcpy(path + start, name, strlen(name) + 1);
	for (char *p = path + start; *p; p++)
		if (*p == '.')
			*p = '/';
	r = file_read_small(path, text, sizeof(text));
	if (r < 0)
		return r;
	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno || end == text || *end)
		return -EINVAL;
	*ret = value;
	return 0;
}
