/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/leaf_files.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PERIOD 100000       /* microseconds; what the kernel starts with */
#define PERIOD_LONG 1000000 /* its longest */
#define QUOTA_MIN 1000      /* its shortest */
#define TEXT 64
#define EVENTS 512

static const struct row {
	enum cgroup_controller controller;
	const char *file[2]; /* of version 1, 2 */
} rows[LEAF_COUNT] = {
	[LEAF_MEMORY] = {CGROUP_MEMORY, {"memory.limit_in_bytes", "memory.max"}},
	[LEAF_SWAP] = {CGROUP_MEMORY, {"memory.memsw.limit_in_bytes", "memory.swap.max"}},
	[LEAF_CPUS] = {CGROUP_CPU, {"cpu.cfs_quota_us", "cpu.max"}},
	[LEAF_PIDS] = {CGROUP_PIDS, {"pids.max", "pids.max"}},
};

enum cgroup_controller leaf_files_controller(enum leaf_limit what)
{
	return rows[what].controller;
}

/* Larger ones are the same as none to the kernel. */
static uint64_t add_up(uint64_t a, uint64_t b)
{
	return a > INT64_MAX || b > INT64_MAX - a ? INT64_MAX : a + b;
}

static int write_number(int dir, const char *file, uint64_t value)
{
	char text[TEXT];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return leaf_group_write(dir, file, text);
}

/* A share too small for the usual period needs a longer one. */
static int limit_cpus(int dir, int version, uint64_t thousandths)
{
	uint64_t period = thousandths * PERIOD / 1000 < QUOTA_MIN ? PERIOD_LONG : PERIOD;
	uint64_t quota = add_up(0, thousandths) * (period / 1000);
	char text[TEXT];
	int r = 0;

	if (version == 2) {
		snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64, quota, period);
		return leaf_group_write(dir, rows[LEAF_CPUS].file[1], text);
	}
	if (period != PERIOD)
		r = write_number(dir, "cpu.cfs_period_us", period);
	if (r == 0)
		r = write_number(dir, rows[LEAF_CPUS].file[0], quota);
	/* The kernel refuses a valid quota for one reason only: a group above has less already. */
	return r == -EINVAL && quota >= QUOTA_MIN ? 0 : r;
}

int leaf_files_limit(int dir, int version, enum leaf_limit what, const struct leaf_limits *limits)
{
	uint64_t value = limits->at[what];

	if (what == LEAF_CPUS)
		return limit_cpus(dir, version, value);
	if (what == LEAF_SWAP && version == 1)
		value = add_up(limits->at[LEAF_MEMORY], value);
	if (what == LEAF_PIDS && version == 2)
		value = add_up(value, 1); /* the sandbox's first process */
	return write_number(dir, rows[what].file[version - 1], add_up(0, value));
}

static int read_text(int dir, const char *file, char *out, size_t size)
{
	auto_fd int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, out, size - 1);
	if (n < 0)
		return -errno;
	out[n] = '\0';
	return 0;
}

static int parse_number(const char *text, uint64_t *ret)
{
	uint64_t value = 0;
	size_t i = 0;

	for (; text[i] >= '0' && text[i] <= '9'; i++)
		value = value * 10 + (uint64_t)(text[i] - '0');
	if (i == 0 || i > 19)
		return -EINVAL;
	*ret = value;
	return 0;
}

static int read_number(int dir, const char *file, uint64_t *ret)
{
	char text[TEXT];
	int r = read_text(dir, file, text, sizeof(text));

	return r < 0 ? r : parse_number(text, ret);
}

/* The number behind "key " at the start of a line. */
static int read_event(int dir, const char *file, const char *key, uint64_t *ret)
{
	char text[EVENTS];
	size_t len = strlen(key);
	int r = read_text(dir, file, text, sizeof(text));

	if (r < 0)
		return r;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ' ')
			return parse_number(line + len + 1, ret);
	}
	return -ENOENT;
}

int leaf_files_peak(int dir, int version, uint64_t *ret, bool *ret_kept)
{
	int r = read_number(dir, version == 1 ? "memory.max_usage_in_bytes" : "memory.peak", ret);

	*ret_kept = r == 0;
	return r == -ENOENT && version == 2 ? read_number(dir, "memory.current", ret) : r;
}

int leaf_files_oom_kills(int dir, int version, uint64_t *ret)
{
	return read_event(
		dir, version == 1 ? "memory.oom_control" : "memory.events", "oom_kill", ret);
}

int leaf_files_pids_hits(int dir, uint64_t *ret)
{
	return read_event(dir, "pids.events", "max", ret);
}
