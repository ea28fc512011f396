/* SPDX-License-Identifier: Apache-2.0 */
#include "state/content.h"

#include "base/cleanup.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

int content_of_base(const struct changes *c, const struct change *k)
{
	return folder_open_here(c->base, k->path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

int content_of_layer(const struct changes *c, const struct change *k)
{
	return folder_open(c->parts[k->part], k->path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
}

int content_of_link(int folder, const char *path, char *out, off_t size)
{
	auto_fd int fd = folder_open(folder, path, O_PATH, 0);
	ssize_t n = fd < 0 ? -1 : readlinkat(fd, "", out, (size_t)size + 1);

	out[0] = n < 0 || n > size ? '\0' : out[0];
	if (n < 0)
		return fd < 0 ? take_fd(&fd) : -errno;
	if (n > size)
		return -ESTALE;
	out[n] = '\0';
	return 0;
}

static bool same_bytes(int a, int b, bool *ret_unreadable)
{
	static char one[65536], two[65536];
	ssize_t n;

	do {
		size_t got = 0;

		n = read(a, one, sizeof one);
		while (n > 0 && got < (size_t)n) {
			ssize_t m = read(b, two + got, (size_t)n - got);

			if (m <= 0)
				return false;
			got += (size_t)m;
		}
		if (n > 0 && memcmp(one, two, (size_t)n) != 0)
			return false;
	} while (n > 0);
	*ret_unreadable = n < 0;
	return n == 0;
}

static bool same_link(const struct changes *c, const struct change *k)
{
	auto_fd int a = folder_open(c->parts[k->part], k->path, O_PATH, 0);
	auto_fd int b = folder_open_here(c->base, k->path, O_PATH);
	char one[PATH_MAX], two[PATH_MAX];
	ssize_t n = a < 0 ? -1 : readlinkat(a, "", one, sizeof one);
	ssize_t m = b < 0 ? -1 : readlinkat(b, "", two, sizeof two);

	return n >= 0 && n == m && memcmp(one, two, (size_t)n) == 0;
}

bool content_is_same(const struct changes *c, struct change *k)
{
	auto_fd int a = -1;
	auto_fd int b = -1;

	if (S_ISLNK(k->layer.st_mode))
		return same_link(c, k);
	if (!S_ISREG(k->layer.st_mode))
		return true;
	if (k->layer.st_size != k->base.st_size)
		return false;
	a = content_of_layer(c, k);
	b = content_of_base(c, k);
	k->unreadable = a < 0 || b < 0;
	return a >= 0 && b >= 0 && same_bytes(a, b, &k->unreadable);
}
