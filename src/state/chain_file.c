/* SPDX-License-Identifier: Apache-2.0 */
#include "state/chain_file.h"

#include "base/buf.h"
#include "base/cleanup.h"

#include <fcntl.h>
#include <stdio.h>

#define CHAIN_MAX (64u << 20)

int chain_file_read(int folder, struct arena *a, struct chain *ret, struct err *e)
{
	auto_fd int fd = openat(folder, "chain", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	auto_(buf_free) struct buf text = BUF(CHAIN_MAX);
	char part[4096];
	ssize_t n;

	if (fd < 0)
		return err_sys(e, -errno, "open the chain");
	while ((n = read(fd, part, sizeof part)) > 0)
		buf_add(&text, part, (size_t)n);
	if (n < 0)
		return err_sys(e, -errno, "read the chain");
	return chain_read(buf_text(&text), text.len, a, ret, e);
}

static int write_text(int fd, const struct buf *text)
{
	for (size_t done = 0; done < text->len;) {
		ssize_t n = write(fd, text->data + done, text->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}

int chain_file_write(int folder, struct chain *c, bool sure, struct err *e)
{
	auto_(buf_free) struct buf text = BUF(CHAIN_MAX);
	auto_fd int fd = openat(
		folder, "chain.new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : 0;

	chain_sort(c);
	chain_write(c, &text);
	if (r == 0)
		r = text.dropped ? -EFBIG : write_text(fd, &text);
	if (r == 0 && sure && fsync(fd) < 0)
		r = -errno;
	if (r == 0 && renameat(folder, "chain.new", folder, "chain") < 0)
		r = -errno;
	if (r == 0 && sure)
		fsync(folder);
	return r < 0 ? err_sys(e, r, "write the chain") : 0;
}
