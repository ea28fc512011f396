/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "sys/leaf.h"
#include "sys/leaf_base.h"
#include "sys/leaf_files.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1ull << 20)
#define INTO_CGROUP 0x200000000ull /* of clone3(2); not in older headers */

/*
 * Files and folders are made up where the kernel's part is not needed. The rest goes by what the
 * machine lets us have: with control groups the limits must hold, without them that must be said.
 */

static const struct limit_row {
	const char *name;
	int version;
	enum leaf_limit what;
	struct leaf_limits limits;
	const char *file, *text;
	const char *also, *also_text;
} limit_rows[] = {
	{"memory, v1", 1, LEAF_MEMORY, {{32 * MIB, 0, 0, 0}}, "memory.limit_in_bytes", "33554432",
		NULL, NULL},
	{"memory, v2", 2, LEAF_MEMORY, {{32 * MIB, 0, 0, 0}}, "memory.max", "33554432", NULL, NULL},
	{"memory beyond what the kernel counts", 2, LEAF_MEMORY, {{UINT64_MAX - 1, 0, 0, 0}},
		"memory.max", "9223372036854775807", NULL, NULL},
	{"swap, v1, is memory and swap", 1, LEAF_SWAP, {{32 * MIB, MIB, 0, 0}},
		"memory.memsw.limit_in_bytes", "34603008", NULL, NULL},
	{"swap, v1, does not wrap", 1, LEAF_SWAP, {{INT64_MAX, MIB, 0, 0}},
		"memory.memsw.limit_in_bytes", "9223372036854775807", NULL, NULL},
	{"swap, v2", 2, LEAF_SWAP, {{32 * MIB, 0, 0, 0}}, "memory.swap.max", "0", NULL, NULL},
	{"cpus, v1", 1, LEAF_CPUS, {{0, 0, 1500, 0}}, "cpu.cfs_quota_us", "150000", NULL, NULL},
	{"hardly any cpu, v1", 1, LEAF_CPUS, {{0, 0, 9, 0}}, "cpu.cfs_quota_us", "9000",
		"cpu.cfs_period_us", "1000000"},
	{"cpus, v2", 2, LEAF_CPUS, {{0, 0, 1500, 0}}, "cpu.max", "150000 100000", NULL, NULL},
	{"hardly any cpu, v2", 2, LEAF_CPUS, {{0, 0, 1, 0}}, "cpu.max", "1000 1000000", NULL, NULL},
	{"pids, v1", 1, LEAF_PIDS, {{0, 0, 0, 100}}, "pids.max", "100", NULL, NULL},
	{"pids, v2, one more for init", 2, LEAF_PIDS, {{0, 0, 0, 100}}, "pids.max", "101", NULL,
		NULL},
};

static char top[] = "/tmp/ward-test-leaf.XXXXXX";

static int open_top(void)
{
	memcpy(top + sizeof(top) - 7, "XXXXXX", 6);
	check(mkdtemp(top) != NULL);
	return open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void put_file(int dir, const char *name, const char *text)
{
	auto_fd int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	check(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

static void check_file(int dir, const char *name, const char *want)
{
	auto_fd int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char text[256] = "";

	check(fd >= 0 && read(fd, text, sizeof(text) - 1) >= 0);
	check_str(text, want);
}

static void test_limit_files(void)
{
	auto_fd int dir = open_top();

	for (size_t i = 0; i < sizeof(limit_rows) / sizeof(limit_rows[0]); i++) {
		const struct limit_row *row = &limit_rows[i];

		test_row("%s", row->name);
		put_file(dir, row->file, "");
		if (row->also)
			put_file(dir, row->also, "");
		check_int(leaf_files_limit(dir, row->version, row->what, &row->limits), 0);
		check_file(dir, row->file, row->text);
		unlinkat(dir, row->file, 0);
		if (row->also) {
			check_file(dir, row->also, row->also_text);
			unlinkat(dir, row->also, 0);
		}
		check_int(leaf_files_limit(dir, row->version, row->what, &row->limits), -ENOENT);
	}
	check(rmdir(top) == 0);
}

static void test_usage_files(void)
{
	auto_fd int dir = open_top();
	uint64_t n = 7;
	bool kept = true;

	put_file(dir, "memory.max_usage_in_bytes", "4096\n");
	put_file(dir, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
	put_file(dir, "pids.events", "max 5\n");
	check_int(leaf_files_oom_kills(dir, 1, &n), 0);
	check_u64(n, 3);
	check_int(leaf_files_pids_hits(dir, &n), 0);
	check_u64(n, 5);
	check_int(leaf_files_peak(dir, 1, &n, &kept), 0);
	check_u64(n, 4096);
	check(kept);
	put_file(dir, "memory.current", "8192\n");
	put_file(dir, "memory.events", "low 0\nmax 9\noom 2\noom_kill 1\noom_group_kill 0\n");
	check_int(leaf_files_peak(dir, 2, &n, &kept), 0);
	check_u64(n, 8192);
	check(!kept);
	put_file(dir, "memory.peak", "18446744073709551616\n");
	check_int(leaf_files_peak(dir, 2, &n, &kept), -EINVAL);
	put_file(dir, "memory.peak", "12288\n");
	check_int(leaf_files_peak(dir, 2, &n, &kept), 0);
	check_u64(n, 12288);
	check_int(leaf_files_oom_kills(dir, 2, &n), 0);
	check_u64(n, 1);
	put_file(dir, "memory.events", "low 0\noom 2\n");
	check_int(leaf_files_oom_kills(dir, 2, &n), -ENOENT);
	for (const char *const *f = (const char *const[]){"memory.max_usage_in_bytes",
		     "memory.oom_control", "pids.events", "memory.current", "memory.events",
		     "memory.peak", NULL};
		*f; f++)
		check(unlinkat(dir, *f, 0) == 0);
	check(rmdir(top) == 0);
}

/* Where there is nothing, it is said for each limit, and the rest does nothing. */
static void test_nothing(void)
{
	struct cgroup_view v = {0};
	struct leaf_limits limits = {{LEAF_FREE, LEAF_FREE, 1000000000, 10}};
	struct leaf_usage usage;
	struct leaf l;

	for (int c = 0; c < CGROUP_COUNT; c++)
		v.controller[c].error = -EACCES;
	leaf_make(&v, &limits, &l);
	check_int(l.held[LEAF_MEMORY].by, LEAF_UNASKED);
	check_int(l.held[LEAF_CPUS].by, LEAF_BY_MACHINE);
	check_int(l.held[LEAF_PIDS].by, LEAF_BY_NONE);
	check_int(l.held[LEAF_PIDS].error, -EACCES);
	check_int(l.count, 0);
	check_int(leaf_clone_fd(&l), -1);
	check_int(leaf_attach_self(&l), 0);
	leaf_usage(&l, true, &usage);
	check_u64(usage.memory_peak, 0);
	check_int(leaf_sweep(&v, &l), 0);
	check_int(leaf_remove(&l), 0);
}

/* Which folders a sweep takes: by name, by owner, by lock. */
static void test_sweep_rules(void)
{
	static const struct {
		const char *name;
		bool goes;
	} rows[] = {
		{"ward-1-00000000", true}, {"ward-4194304-0123abcd", true},
		{"ward-1-0000000", false}, {"ward-1-000000000", false}, {"ward-1-0000000g", false},
		{"ward--00000000", false}, {"ward-x-00000000", false}, {"other-1-00000000", false},
		{"ward-2-00000000", false}, /* locked */
	};
	const size_t count = sizeof(rows) / sizeof(rows[0]);
	auto_fd int dir = open_top();
	auto_fd int lock = -1;

	for (size_t i = 0; i < count; i++)
		check(mkdirat(dir, rows[i].name, 0700) == 0);
	lock = openat(dir, "ward-2-00000000", O_RDONLY | O_CLOEXEC);
	check(syscall(SYS_flock, lock, 2) == 0);
	check_int(leaf_group_sweep(top, count), 0);
	check_int(leaf_group_sweep(top, 0), 2);
	for (size_t i = 0; i < count; i++) {
		test_row("%s", rows[i].name);
		check_int(unlinkat(dir, rows[i].name, AT_REMOVEDIR) < 0, rows[i].goes);
	}
	check(rmdir(top) == 0);
}

/* Among very many those of the dead all go at once, those whose number is in use by and by. */
static void test_sweep_many(void)
{
	enum { ALIVE = 300, DEAD = 20, SWEEPS = 2000 };
	auto_fd int dir = open_top();
	char name[40];
	int gone = 0;

	for (int i = 0; i < ALIVE + DEAD; i++) {
		snprintf(name, sizeof name, "ward-%d-%08x", i < DEAD ? 4194304 : (int)getpid(), i);
		check(mkdirat(dir, name, 0700) == 0);
	}
	gone = leaf_group_sweep(top, 0);
	check(gone >= DEAD && gone < DEAD + ALIVE / 2);
	for (int i = 0; i < DEAD; i++) {
		snprintf(name, sizeof name, "ward-4194304-%08x", i);
		check(faccessat(dir, name, F_OK, 0) < 0);
	}
	for (int i = 0; i < SWEEPS && gone < ALIVE + DEAD; i++)
		gone += leaf_group_sweep(top, 0);
	check_int(gone, ALIVE + DEAD);
	check(rmdir(top) == 0);
}

static void look_here(struct cgroup_view *v)
{
	cgroup_look("/sys/fs/cgroup", "/proc/self/cgroup", v);
}

/* true: the limit is held. Else it must be because the controller cannot be had. */
static bool check_held(const struct cgroup_view *v, const struct leaf *l, enum leaf_limit what)
{
	enum cgroup_controller c = leaf_files_controller(what);

	if (v->controller[c].error == 0) {
		check_int(l->held[what].error, 0);
		return check_int(l->held[what].by,
			v->controller[c].version == 1 ? LEAF_BY_CGROUP1 : LEAF_BY_CGROUP2);
	}
	check_int(l->held[what].by, LEAF_BY_NONE);
	check_int(l->held[what].error, v->controller[c].error);
	return false;
}

/* A child in the leaf; its status as waitpid gives it. */
static int run_in(const struct leaf *l, int (*fn)(void))
{
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls,
			set_tid, set_tid_size, cgroup;
	} args = {.exit_signal = SIGCHLD};
	int status = -1;
	pid_t pid;

	if (leaf_clone_fd(l) >= 0) {
		args.flags = INTO_CGROUP;
		args.cgroup = (uint64_t)leaf_clone_fd(l);
	}
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0)
		_exit(leaf_attach_self(l) < 0 ? 99 : fn());
	check(pid > 0 && waitpid(pid, &status, 0) == pid);
	return status;
}

static int touch_much(void)
{
	char *p = mmap(NULL, 100 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return 98;
	for (size_t i = 0; i < 100 * MIB; i += 4096)
		p[i] = 1;
	return 0;
}

static void test_memory(void)
{
	static const struct leaf_limits limits = {{32 * MIB, 0, LEAF_FREE, LEAF_FREE}};
	struct leaf_usage usage;
	struct cgroup_view v;
	struct leaf l;
	int status;

	look_here(&v);
	leaf_make(&v, &limits, &l);
	if (check_held(&v, &l, LEAF_MEMORY)) {
		check(l.held[LEAF_SWAP].by != LEAF_UNASKED);
		status = run_in(&l, touch_much);
		check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		leaf_usage(&l, false, &usage);
		check_u64(usage.oom_kills, 1);
		check(usage.memory_peak > 28 * MIB && usage.memory_peak <= 32 * MIB);
	}
	check_int(leaf_remove(&l), 0);
}

/* The same program without its limit is not killed. */
static void test_memory_enough(void)
{
	static const struct leaf_limits limits = {{200 * MIB, 0, LEAF_FREE, LEAF_FREE}};
	struct leaf_usage usage;
	struct cgroup_view v;
	struct leaf l;

	look_here(&v);
	leaf_make(&v, &limits, &l);
	if (check_held(&v, &l, LEAF_MEMORY)) {
		check_int(run_in(&l, touch_much), 0);
		leaf_usage(&l, true, &usage);
		check_u64(usage.oom_kills, 0);
		check(usage.memory_peak >= 100 * MIB && usage.memory_peak < 200 * MIB);
	}
	check_int(leaf_remove(&l), 0);
}

/* How many children can be had at once. */
static int fork_much(void)
{
	int count = 0, fds[2];
	pid_t pid = 1;

	if (pipe(fds) < 0)
		return 98;
	while (count < 20 && pid > 0) {
		pid = fork();
		if (pid == 0) {
			char c;

			close(fds[1]);
			_exit(read(fds[0], &c, 1) != 0);
		}
		count += pid > 0;
	}
	close(fds[1]);
	while (wait(NULL) > 0)
		;
	return count;
}

static void test_pids(void)
{
	static const struct leaf_limits limits = {{LEAF_FREE, LEAF_FREE, LEAF_FREE, 5}};
	struct leaf_usage usage;
	struct cgroup_view v;
	struct leaf l;
	int status;

	look_here(&v);
	leaf_make(&v, &limits, &l);
	if (check_held(&v, &l, LEAF_PIDS)) {
		status = run_in(&l, fork_much);
		/* Itself is one of five; version 2 gives one more for init, which is not here. */
		check_int(WEXITSTATUS(status), leaf_clone_fd(&l) < 0 ? 4 : 5);
		leaf_usage(&l, true, &usage);
		check(usage.pids_hits > 0);
	}
	check_int(leaf_remove(&l), 0);
}

static void test_cpus(void)
{
	static const struct leaf_limits limits = {{LEAF_FREE, LEAF_FREE, 500, LEAF_FREE}};
	struct cgroup_view v;
	struct leaf l;

	look_here(&v);
	leaf_make(&v, &limits, &l);
	if (check_held(&v, &l, LEAF_CPUS)) {
		if (leaf_clone_fd(&l) < 0)
			check_file(l.group[0].dir, "cpu.cfs_quota_us", "50000\n");
		else
			check_file(l.group[0].dir, "cpu.max", "50000 100000\n");
	}
	check_int(leaf_remove(&l), 0);
}

static bool is_there(const struct leaf_group *g, const char *name)
{
	return faccessat(g->base, name, F_OK, 0) == 0;
}

/* What a killed supervisor left goes, what a living one has stays. */
static void test_stale(void)
{
	static const struct leaf_limits limits = {{64 * MIB, 0, LEAF_FREE, 50}};
	struct cgroup_view v;
	struct leaf mine, other;
	int fds[2], status, count;
	pid_t pid;

	look_here(&v);
	leaf_make(&v, &limits, &mine);
	check(pipe(fds) == 0);
	pid = fork();
	if (pid == 0) {
		leaf_make(&v, &limits, &other);
		_exit(write(fds[1], &other, sizeof(other)) != (ssize_t)sizeof(other) ||
			raise(SIGKILL) != 0);
	}
	check(read(fds[0], &other, sizeof(other)) == (ssize_t)sizeof(other));
	check(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	close(fds[0]);
	close(fds[1]);
	check_int(other.count, mine.count);
	for (int g = 0; g < mine.count; g++)
		check(is_there(&mine.group[g], other.group[g].name));
	count = leaf_sweep(&v, &mine);
	check(count >= mine.count);
	for (int g = 0; g < mine.count; g++) {
		check(!is_there(&mine.group[g], other.group[g].name));
		check(is_there(&mine.group[g], mine.group[g].name));
	}
	check_int(leaf_remove(&mine), 0);
}

/* Makes, uses, sweeps and removes, again and again; how often something went wrong. */
static int work(const struct cgroup_view *v)
{
	static const struct leaf_limits limits = {{64 * MIB, 0, LEAF_FREE, 50}};
	struct leaf l;
	int wrong = 0;

	for (int i = 0; i < 20; i++) {
		leaf_make(v, &limits, &l);
		wrong += v->controller[CGROUP_MEMORY].error == 0 && l.of[CGROUP_MEMORY] < 0;
		wrong += v->controller[CGROUP_PIDS].error == 0 && l.of[CGROUP_PIDS] < 0;
		leaf_group_sweep(v->controller[CGROUP_MEMORY].dir, 0);
		leaf_group_sweep(v->controller[CGROUP_PIDS].dir, 0);
		for (int g = 0; g < l.count; g++)
			wrong += !is_there(&l.group[g], l.group[g].name);
		wrong += leaf_remove(&l) != 0;
	}
	return wrong;
}

static void test_many_at_once(void)
{
	struct cgroup_view v;
	pid_t pid[4];
	int status;

	look_here(&v);
	for (int i = 0; i < 4; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			_exit(work(&v));
	}
	for (int i = 0; i < 4; i++)
		check(waitpid(pid[i], &status, 0) == pid[i] && status == 0);
}

/* Somebody who is still in the group keeps it, for a bounded time, and a sweep gets it later. */
static void test_busy(void)
{
	static const struct leaf_limits limits = {{64 * MIB, LEAF_FREE, LEAF_FREE, LEAF_FREE}};
	struct cgroup_view v;
	struct leaf l;
	int fds[2];
	pid_t pid;
	char c;

	look_here(&v);
	leaf_make(&v, &limits, &l);
	if (l.count == 0 || leaf_clone_fd(&l) >= 0)
		return (void)leaf_remove(&l);
	check(pipe(fds) == 0);
	pid = fork();
	if (pid == 0) {
		check(leaf_attach_self(&l) == 0 && write(fds[1], "x", 1) == 1);
		for (int g = 0; g < l.count; g++)
			close(l.group[g].dir); /* as init does: the lock is the supervisor's */
		pause();
	}
	check(read(fds[0], &c, 1) == 1);
	close(fds[0]);
	close(fds[1]);
	check_int(leaf_remove(&l), -EBUSY);
	check_int(leaf_sweep(&v, &l), 0);
	kill(pid, SIGKILL);
	check(waitpid(pid, NULL, 0) == pid);
	check_int(leaf_sweep(&v, &l), 1);
}

/* The folder of version 2, if groups can be made there; its controllers do not matter. */
#define V2_PATH 64
static bool find_v2(char out[V2_PATH])
{
	for (const char *const *p =
			(const char *const[]){"/sys/fs/cgroup/unified", "/sys/fs/cgroup", NULL};
		*p; p++) {
		snprintf(out, V2_PATH, "%s/cgroup.procs", *p);
		if (access(out, W_OK) < 0)
			continue;
		snprintf(out, V2_PATH, "%s", *p);
		return true;
	}
	return false;
}

static int wait_long(void)
{
	pause();
	return 0;
}

/* Version 2: born into the group, killed with it. */
static void test_v2(void)
{
	struct leaf l = {.own.base = -1};
	char path[V2_PATH], procs[64];
	int status = -1;
	pid_t pid;

	if (!find_v2(path))
		return;
	check(leaf_group_make(path, 2, &l.group[0]) == 0);
	l.count = 1;
	check_int(leaf_attach_self(&l), 0);
	pid = fork();
	if (pid == 0)
		_exit(run_in(&l, wait_long) != SIGKILL);
	/* Nobody tells when it is born: the group does. */
	for (procs[0] = '\0'; !procs[0];) {
		auto_fd int fd = openat(l.group[0].dir, "cgroup.procs", O_RDONLY | O_CLOEXEC);
		ssize_t n = read(fd, procs, sizeof(procs) - 1);

		procs[n > 0 ? n : 0] = '\0';
	}
	leaf_kill(&l);
	check(waitpid(pid, &status, 0) == pid);
	check_int(status, 0);
	check_int(leaf_remove(&l), 0);
}

/* A process that is alone in its group steps aside, and comes back. */
static int step_aside(const char *path)
{
	struct cgroup_view v = {.base_state = CGROUP_BASE_OWN};
	struct leaf_group alone, own = {.base = -1};
	char text[512] = "";
	int r;

	for (int c = 0; c < CGROUP_COUNT; c++)
		v.controller[c].error = -ENOENT;
	if (leaf_group_make(path, 2, &alone) < 0 ||
		leaf_group_write(alone.dir, "cgroup.procs", "0") < 0)
		return 1;
	snprintf(v.base, sizeof(v.base), "%s/%s", path, alone.name);
	r = leaf_base_ready(&v, &own);
	if (r < 0 || own.base < 0 || !is_there(&own, own.name))
		return 2;
	r = openat(AT_FDCWD, "/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	if (r < 0 || read(r, text, sizeof(text) - 1) <= 0 || !strstr(text, own.name))
		return 3;
	if (leaf_base_restore(&own) < 0 || own.base >= 0)
		return 4;
	leaf_group_write(AT_FDCWD, "/sys/fs/cgroup/unified/cgroup.procs", "0");
	leaf_group_write(AT_FDCWD, "/sys/fs/cgroup/cgroup.procs", "0");
	return leaf_group_remove(&alone) < 0 ? 5 : 0;
}

static void test_base(void)
{
	struct cgroup_view v = {.base_state = CGROUP_BASE_ENABLE};
	struct leaf_group own = {.base = -1};
	auto_fd int dir = open_top();
	char path[V2_PATH];
	int status = 0;
	pid_t pid;

	v.controller[CGROUP_MEMORY].version = v.controller[CGROUP_CPU].version = 2;
	v.controller[CGROUP_CPU].error = -ENOTSUP;
	v.controller[CGROUP_PIDS].version = 2;
	snprintf(v.base, sizeof(v.base), "%s", top);
	check_int(leaf_base_ready(&v, &own), -ENOENT);
	put_file(dir, "cgroup.subtree_control", "");
	check_int(leaf_base_ready(&v, &own), 0);
	check_file(dir, "cgroup.subtree_control", "+memory +pids");
	check_int(own.base, -1);
	check_int(leaf_base_restore(&own), 0);
	check(unlinkat(dir, "cgroup.subtree_control", 0) == 0 && rmdir(top) == 0);
	if (!find_v2(path))
		return;
	pid = fork();
	if (pid == 0)
		_exit(step_aside(path));
	check(waitpid(pid, &status, 0) == pid);
	check_int(status, 0);
}

static const struct test tests[] = {
	{"limits in files", test_limit_files},
	{"usage from files", test_usage_files},
	{"no control groups", test_nothing},
	{"what a sweep takes", test_sweep_rules},
	{"very many groups", test_sweep_many},
	{"memory limit", test_memory},
	{"memory below the limit", test_memory_enough},
	{"limit of processes", test_pids},
	{"limit of processors", test_cpus},
	{"stale groups go, live ones stay", test_stale},
	{"many at once", test_many_at_once},
	{"a group that is in use", test_busy},
	{"version 2: born into the group, killed with it", test_v2},
	{"version 2: the base", test_base},
};

TEST_MAIN(tests)
