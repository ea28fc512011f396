/* SPDX-License-Identifier: Apache-2.0 */
#include "state/rate.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/macro.h"
#include "base/sha256.h"
#include "model/pace.h"
#include "sys/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define SUFFIX ".rate"

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
static void name_of(const char *agent, char ret[40])
{
	uint8_t digest[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1];

	sha256_of(agent, strlen(agent), digest);
	sha256_hex(digest, hex);
	snprintf(ret, 40, "%.24s" SUFFIX, hex);
}

static int open_locked(int place, const char *name, int flags)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	auto_fd int fd =
		openat(place, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | flags, 0600);

	if (fd < 0)
		return -errno;
	while (fcntl(fd, F_OFD_SETLKW, &lock) < 0)
		if (errno != EINTR)
			return -errno;
	return take_fd(&fd);
}

/* One that was removed while we waited for it is nobody's any more. */
static int open_file(int place, const char *agent)
{
	char name[40];

	name_of(agent, name);
	for (;;) {
		auto_fd int fd = open_locked(place, name, O_CREAT);
		struct stat st;

		if (fd < 0)
			return fd;
		if (fstat(fd, &st) < 0)
			return -errno;
		if (st.st_nlink > 0)
			return take_fd(&fd);
	}
}

/* Whoever is counted next starts from nothing, as with times that have passed. */
static void prune_one(int place, const char *name)
{
	uint64_t next[RATE_KIND_COUNT] = {0}, now = now_ms();
	auto_fd int fd = open_locked(place, name, 0);

	if (fd < 0 || pread(fd, next, sizeof next, 0) < 0)
		return;
	for (int i = 0; i < RATE_KIND_COUNT; i++)
		if (!pace_is_over(now, next[i]))
			return;
	unlinkat(place, name, 0);
}

void rate_prune(int place)
{
	auto_(folder_close) DIR *d = folder_list(place, "");
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		size_t len = strlen(entry->d_name);

		if (len > sizeof SUFFIX &&
			strcmp(entry->d_name + len - (sizeof SUFFIX - 1), SUFFIX) == 0)
			prune_one(place, entry->d_name);
	}
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
