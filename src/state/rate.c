/* SPDX-License-Identifier: Apache-2.0 */
#include "state/rate.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/macro.h"
#include "base/sha256.h"
#include "model/pace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct {
	const char *key, *what;
} kinds[] = {
	[RATE_CREATES] = {"rate.creates", "start another sandbox"},
	[RATE_EXECS] = {"rate.execs", "run another command"},
};
_Static_assert(ARRAY_LEN(kinds) == RATE_KIND_COUNT, "a row for each kind");

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Any name may be an agent's. */
static int open_file(int place, const char *agent)
{
	uint8_t digest[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1], name[40];
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	auto_fd int fd = -1;

	sha256_of(agent, strlen(agent), digest);
	sha256_hex(digest, hex);
	snprintf(name, sizeof name, "%.24s.rate", hex);
	fd = openat(place, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd < 0)
		return -errno;
	while (fcntl(fd, F_OFD_SETLKW, &lock) < 0)
		if (errno != EINTR)
			return -errno;
	return take_fd(&fd);
}

static int refuse(const char *agent, enum rate_kind kind, const struct rate *r, uint64_t wait_ms,
	struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(100);
	char rate[NUMBER_TEXT], wait[NUMBER_TEXT];

	escape_text(&shown, agent);
	number_rate_text(r, rate);
	number_duration_text(wait_ms < 1000 ? wait_ms : (wait_ms + 999) / 1000 * 1000, wait);
	return err_set(e, EDQUOT, "agent '%s' may not %s now (%s: %s): try again in %s",
		buf_text(&shown), kinds[kind].what, kinds[kind].key, rate, wait);
}

int rate_take(
	int place, const char *agent, enum rate_kind kind, const struct rate *r, struct err *e)
{
	uint64_t next[RATE_KIND_COUNT] = {0}, wait;
	auto_fd int fd = -1;

	if (r->count == 0)
		return 0;
	fd = open_file(place, agent);
	if (fd < 0)
		return err_sys(e, fd, "count what agents do");
	/* A file that is too short counts as an empty one. */
	if (pread(fd, next, sizeof next, 0) != (ssize_t)sizeof next)
		memset(next, 0, sizeof next);
	wait = pace_take(r, now_ms(), &next[kind]);
	if (wait)
		return refuse(agent, kind, r, wait, e);
	if (pwrite(fd, next, sizeof next, 0) != (ssize_t)sizeof next)
		return err_sys(e, errno ? -errno : -EIO, "count what agents do");
	return 0;
}
