/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/watch.h"

#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1ull << 20)
#define SIZE (48 * MIB)
/* What processes have apart from what the test gives them; sanitizers have a lot. */
#define SLACK (24 * MIB)

/* Each child tells when it is ready, and lives until the pipe from the test is closed. */
static int ready[2], hold[2];

static void live(void)
{
	char c = 0;

	close(hold[1]);
	if (write(ready[1], &c, 1) != 1)
		_exit(1);
	_exit(read(hold[0], &c, 1) < 0);
}

static char *fill(int flags)
{
	char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		_exit(2);
	memset(p, 1, SIZE);
	return p;
}

static pid_t start(void (*fn)(void))
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	fn();
	live();
	_exit(3);
}

static void nothing(void)
{
}

static void fill_private(void)
{
	fill(MAP_PRIVATE);
}

/* A child, a grandchild with memory, and one whose parent ended: it comes to the first. */
static void make_tree(void)
{
	pid_t orphan;

	start(fill_private);
	orphan = fork();
	if (orphan == 0) {
		start(fill_private);
		_exit(0);
	}
	waitpid(orphan, NULL, 0);
}

/* Three processes that have the same memory: their father fills it, they read it. */
static void make_shared(void)
{
	char *p = fill(MAP_SHARED);

	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			for (size_t at = 0; at < SIZE; at += 4096)
				if (p[at] != 1)
					_exit(5);
			live();
		}
}

static void *fork_in_thread(void *arg)
{
	start(fill_private);
	pause();
	return arg;
}

static void make_threads(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fork_in_thread, NULL) != 0)
		_exit(4);
}

/* The first process of a made-up sandbox: orphans come to it as they do in a namespace. */
static pid_t start_init(void (*fn)(void), int processes)
{
	pid_t pid;
	char c;

	check(pipe(ready) == 0 && pipe(hold) == 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		fn();
		live();
	}
	for (int i = 0; i < processes; i++)
		check(read(ready[0], &c, 1) == 1);
	return pid;
}

static void end_init(pid_t pid)
{
	close(hold[0]);
	close(hold[1]);
	close(ready[0]);
	close(ready[1]);
	check(waitpid(pid, NULL, 0) == pid);
}

static uint64_t base_memory(int processes)
{
	struct watch_sample s = {0};
	pid_t pid = start_init(nothing, 1);

	check_int(watch_measure(pid, UINT64_MAX, &s), 0);
	end_init(pid);
	return s.memory * (uint64_t)processes;
}

static void test_tree(void)
{
	uint64_t base = base_memory(3);
	struct watch_sample s = {0};
	pid_t pid = start_init(make_tree, 3);

	check_int(watch_measure(pid, UINT64_MAX, &s), 0);
	check_int(s.processes, 3);
	check_int(s.threads, 3);
	check(!s.exact);
	check(s.memory >= 2 * SIZE && s.memory <= 2 * SIZE + base + SLACK);
	/* Private memory is the same when it is counted exactly. */
	check_int(watch_measure(pid, SIZE, &s), 0);
	check(s.exact);
	check(s.memory >= 2 * SIZE && s.memory <= 2 * SIZE + base + SLACK);
	end_init(pid);
}

static void test_shared(void)
{
	uint64_t base = base_memory(3);
	struct watch_sample s = {0};
	pid_t pid = start_init(make_shared, 3);

	check_int(watch_measure(pid, UINT64_MAX, &s), 0);
	check_int(s.processes, 3);
	check(s.memory >= 3 * SIZE);
	check_int(watch_measure(pid, 2 * SIZE, &s), 0);
	check(s.exact);
	check(s.memory >= SIZE && s.memory <= SIZE + base + SLACK);
	end_init(pid);
}

/* A child of a thread that is not the first of its process. */
static void test_threads(void)
{
	struct watch_sample s = {0};
	pid_t pid = start_init(make_threads, 2);

	check_int(watch_measure(pid, UINT64_MAX, &s), 0);
	check_int(s.processes, 2);
	check(s.threads >= 3);
	check(s.memory >= SIZE);
	end_init(pid);
}

static void test_gone(void)
{
	struct watch_sample s = {.memory = 7};
	pid_t pid = start_init(nothing, 1);

	end_init(pid);
	check(watch_measure(pid, UINT64_MAX, &s) < 0);
	check_u64(s.memory, 7);
}

static void test_when(void)
{
	static const struct {
		struct watch_sample sample;
		uint64_t limit;
		unsigned ms;
	} rows[] = {
		{{.memory = 0}, 64ull << 30, 250},
		{{.memory = 0}, 512 * MIB, 125},
		{{.memory = 384 * MIB}, 512 * MIB, 31},
		{{.memory = 511 * MIB}, 512 * MIB, 10},
		{{.memory = 512 * MIB}, 512 * MIB, 10},
		{{.memory = 600 * MIB}, 512 * MIB, 10},
		{{.memory = UINT64_MAX}, 512 * MIB, 10},
		{{.memory = 511 * MIB, .exact = true}, 512 * MIB, 25},
		{{.memory = 256 * MIB, .exact = true}, 512 * MIB, 62},
		{{.memory = 512 * MIB}, UINT64_MAX, 250},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		test_row("row %zu", i);
		check_int(watch_next_ms(&rows[i].sample, rows[i].limit), rows[i].ms);
	}
}

static const struct test tests[] = {
	{"a tree with an orphan", test_tree},
	{"shared memory counts once", test_shared},
	{"children of threads", test_threads},
	{"nobody there", test_gone},
	{"when to look again", test_when},
};

TEST_MAIN(tests)
