/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/leaf.h"

#include "sys/file.h"
#include "sys/leaf_base.h"
#include "sys/leaf_files.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/* Without reclaim of the last of it no process is killed; far below the limit none was. */
#define NEAR (4 << 20)

/* "0-3,8" */
static uint64_t count_listed(const char *list)
{
	uint64_t count = 0;

	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (end == list || last < first || (*end && *end != ','))
			return UINT64_MAX;
		count += last - first + 1;
		list = end + (*end == ',');
	}
	return count ? count : UINT64_MAX;
}

/*
 * At least as many as the program could ever run on. What this process may use is a lower bound
 * that costs little; the program may ask for others, so only all of them are the truth.
 */
static uint64_t count_cpus(uint64_t enough)
{
	char list[256];
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && (uint64_t)CPU_COUNT(&set) > enough)
		return (uint64_t)CPU_COUNT(&set);
	if (file_read_small("/sys/devices/system/cpu/online", list, sizeof(list)) < 0)
		return UINT64_MAX;
	return count_listed(list);
}

/* Limits that nothing on this machine could exceed need no group. */
static bool held_by_machine(enum leaf_limit what, uint64_t limit)
{
	struct sysinfo info;

	if (what == LEAF_SWAP)
		return sysinfo(&info) == 0 && (uint64_t)info.totalswap * info.mem_unit <= limit;
	return what == LEAF_CPUS && count_cpus(limit / 1000) <= limit / 1000;
}

/* The group that has the controller, made if nobody needed it yet. */
static int find_group(struct leaf *l, const struct cgroup_view *v, enum cgroup_controller c)
{
	int version = v->controller[c].version, r = 0;
	unsigned hierarchy = version == 1 ? v->controller[c].hierarchy : 0;

	for (int g = 0; g < l->count; g++)
		if (l->group[g].version == version && l->hierarchy[g] == hierarchy)
			return g;
	if (version == 2)
		r = leaf_base_ready(v, &l->own);
	if (r == 0)
		r = leaf_group_make(version == 1 ? v->controller[c].dir : v->base, version,
			&l->group[l->count]);
	if (r < 0)
		return r;
	l->hierarchy[l->count] = hierarchy;
	return l->count++;
}

static int hold(struct leaf *l, const struct cgroup_view *v, enum leaf_limit what)
{
	enum cgroup_controller c = leaf_files_controller(what);

	if (v->controller[c].error < 0)
		return v->controller[c].error;
	/* Version 1 limits only memory and swap together. */
	if (what == LEAF_SWAP && v->controller[c].version == 1 &&
		l->held[LEAF_MEMORY].by != LEAF_BY_CGROUP1)
		return -ENOTSUP;
	if (l->of[c] < 0) {
		int g = find_group(l, v, c);

		if (g < 0)
			return g;
		l->of[c] = g;
	}
	return leaf_files_limit(l->group[l->of[c]].dir, v->controller[c].version, what, &l->limits);
}

void leaf_init(struct leaf *ret)
{
	*ret = (struct leaf){.own.base = -1};
	memset(ret->of, -1, sizeof(ret->of));
}

void leaf_make(const struct cgroup_view *v, const struct leaf_limits *limits, struct leaf *ret)
{
	leaf_init(ret);
	ret->limits = *limits;
	for (int what = 0; what < LEAF_COUNT; what++) {
		int r;

		if (limits->at[what] == LEAF_FREE) {
			ret->held[what].by = LEAF_UNASKED;
			continue;
		}
		if (held_by_machine(what, limits->at[what])) {
			ret->held[what].by = LEAF_BY_MACHINE;
			continue;
		}
		r = hold(ret, v, what);
		ret->held[what].error = r;
		if (r == 0)
			ret->held[what].by = v->controller[leaf_files_controller(what)].version == 1
						     ? LEAF_BY_CGROUP1
						     : LEAF_BY_CGROUP2;
	}
}

int leaf_attach_self(const struct leaf *l)
{
	for (int g = 0; g < l->count; g++)
		if (l->group[g].tasks >= 0 && write(l->group[g].tasks, "0", 1) < 0)
			return -errno;
	return 0;
}

int leaf_clone_fd(const struct leaf *l)
{
	for (int g = 0; g < l->count; g++)
		if (l->group[g].version == 2)
			return l->group[g].dir;
	return -1;
}

void leaf_kill(const struct leaf *l)
{
	int dir = leaf_clone_fd(l);

	if (dir >= 0)
		leaf_group_write(dir, "cgroup.kill", "1");
}

/*
 * Could the memory limit have killed somebody? Not when the peak stayed below it, unless swap
 * counts as well or a group above is smaller; the latter shows by a command that was killed.
 */
static bool may_be_killed(const struct leaf *l, bool kept)
{
	return !kept || l->held[LEAF_SWAP].by != LEAF_BY_MACHINE ||
	       l->limits.at[LEAF_MEMORY] < NEAR || l->peak >= l->limits.at[LEAF_MEMORY] - NEAR;
}

void leaf_usage(struct leaf *l, bool all, struct leaf_usage *ret)
{
	int memory = l->of[CGROUP_MEMORY], pids = l->of[CGROUP_PIDS];
	uint64_t peak = 0;
	bool kept = false;

	*ret = (struct leaf_usage){0};
	if (memory >= 0) {
		const struct leaf_group *g = &l->group[memory];

		if (leaf_files_peak(g->dir, g->version, &peak, &kept) == 0 && peak > l->peak)
			l->peak = peak;
		if (all || may_be_killed(l, kept))
			leaf_files_oom_kills(g->dir, g->version, &ret->oom_kills);
	}
	ret->memory_peak = l->peak;
	if (pids >= 0 && all)
		leaf_files_pids_hits(l->group[pids].dir, &ret->pids_hits);
}

int leaf_remove(struct leaf *l)
{
	int first = 0, r;

	for (int g = 0; g < l->count; g++) {
		r = leaf_group_remove(&l->group[g]);
		first = first ? first : r;
	}
	l->count = 0;
	memset(l->of, -1, sizeof(l->of));
	r = leaf_base_restore(&l->own);
	return first ? first : r;
}

/* How many groups of the leaf are in the hierarchy. */
static size_t count_own(const struct leaf *own, int version, unsigned hierarchy)
{
	size_t count = version == 2 && own->own.base >= 0;

	for (int g = 0; g < own->count; g++)
		count += own->group[g].version == version && own->hierarchy[g] == hierarchy;
	return count;
}

int leaf_sweep(const struct cgroup_view *v, const struct leaf *own)
{
	int count = 0;

	for (int c = 0; c < CGROUP_COUNT; c++)
		if (v->controller[c].version == 1 && v->controller[c].error == 0)
			count += leaf_group_sweep(v->controller[c].dir,
				count_own(own, 1, v->controller[c].hierarchy));
	if (v->base[0])
		count += leaf_group_sweep(v->base, count_own(own, 2, 0));
	return count;
}
