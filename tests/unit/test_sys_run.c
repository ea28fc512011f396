/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/run.h"

#include "base/cleanup.h"
#include "sys/child.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONG_MS 60000 /* never reached by a test that passes */

static const char *const empty_env[] = {NULL};

static int sh(const char *script, unsigned timeout_ms, struct buf *out, struct err *e)
{
	const char *const argv[] = {"/bin/sh", "-c", script, NULL};

	*e = (struct err){0};
	return run_capture(argv, empty_env, timeout_ms, out, e);
}

static void test_output(void)
{
	static const struct {
		const char *script;
		int status;
		const char *out;
	} rows[] = {
		{"echo hello", 0, "hello\n"},
		{"exit 3", 3, ""},
		{"echo lost >&2; echo kept", 0, "kept\n"},
		{"kill -9 $$", 128 + SIGKILL, ""},
		{"read line || echo nothing to read", 0, "nothing to read\n"},
		{"exec >&-; exit 4", 4, ""},
		{"read -r stat </proc/$$/stat; set -- $stat; test $5 = $$ && echo leader", 0,
			"leader\n"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		auto_(buf_free) struct buf out = BUF(4096);
		struct err e;

		test_row("%s", rows[i].script);
		check_int(sh(rows[i].script, LONG_MS, &out, &e), rows[i].status);
		check_str(buf_text(&out), rows[i].out);
	}
}

static void test_environment(void)
{
	static const char *const argv[] = {"/usr/bin/env", NULL};
	static const char *const env[] = {"ONE=1", "TWO=2", NULL};
	auto_(buf_free) struct buf out = BUF(4096);
	struct err e;

	check_int(run_capture(argv, env, LONG_MS, &out, &e), 0);
	check_str(buf_text(&out), "ONE=1\nTWO=2\n");
}

/* More than is kept is read all the same: the program must not wait for a full pipe. */
static void test_much_output(void)
{
	auto_(buf_free) struct buf out = BUF(100);
	struct err e;

	check_int(
		sh("i=0; while [ $i -lt 4000 ]; do echo 0123456789012345678901234567890123456789; "
		   "i=$((i + 1)); done; exit 5",
			LONG_MS, &out, &e),
		5);
	check_u64(out.len, 100);
	check_u64(out.dropped, 4000 * 41 - 100);
}

static void test_time_limit(void)
{
	auto_(buf_free) struct buf out = BUF(100);
	struct err e;
	pid_t left;

	check_int(sh("echo $$; exec sleep 1000", 200, &out, &e), -ETIMEDOUT);
	check_has(e.text, "run '/bin/sh'");
	left = (pid_t)strtol(buf_text(&out), NULL, 10);
	check(left > 1);
	check(kill(left, 0) < 0 && errno == ESRCH);
	buf_reset(&out);
	/* Output closed, still running. */
	check_int(sh("echo $$; exec sleep 1000 >&-", 200, &out, &e), -ETIMEDOUT);
	left = (pid_t)strtol(buf_text(&out), NULL, 10);
	check(left > 1 && kill(left, 0) < 0 && errno == ESRCH);
}

/* Gone, or killed and waiting for whoever inherited it to reap it. */
static bool is_gone(pid_t pid)
{
	char path[64], state[256] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return true;
	if (!fgets(state, sizeof(state), f))
		state[0] = '\0';
	fclose(f);
	return !state[0] || strstr(state, ") Z") || strstr(state, ") X");
}

/* What the program started goes with it, though it does not hold the output. */
static void test_no_descendants(void)
{
	auto_(buf_free) struct buf out = BUF(100);
	struct err e;
	pid_t left;

	check_int(sh("sleep 1000 >/dev/null & echo $!", LONG_MS, &out, &e), 0);
	left = (pid_t)strtol(buf_text(&out), NULL, 10);
	check(left > 1);
	for (int tries = 0; tries < 500 && !is_gone(left); tries++)
		usleep(10000);
	check(is_gone(left));
}

static void test_missing_program(void)
{
	static const char *const argv[] = {"/no/such\nprogram", NULL};
	auto_(buf_free) struct buf out = BUF(100);
	struct err e = {0};

	check_int(run_capture(argv, empty_env, LONG_MS, &out, &e), -ENOENT);
	check_has(e.text, "run '/no/such\\nprogram': No such file");
}

static int answer_7(void *ctx)
{
	return *(int *)ctx + 4;
}

static int answer_error(void *ctx)
{
	(void)ctx;
	return -EXDEV;
}

static int crash(void *ctx)
{
	(void)ctx;
	return raise(SIGKILL);
}

static int leave(void *ctx)
{
	(void)ctx;
	_exit(0);
}

static int hang(void *ctx)
{
	(void)ctx;
	while (pause() < 0)
		;
	return 0;
}

static void test_child(void)
{
	int three = 3;

	check_int(child_try(answer_7, &three, LONG_MS), 7);
	check_int(child_try(answer_error, NULL, LONG_MS), -EXDEV);
	check_int(child_try(crash, NULL, LONG_MS), -EOWNERDEAD);
	check_int(child_try(leave, NULL, LONG_MS), -EOWNERDEAD);
	check_int(child_try(hang, NULL, 50), -ETIMEDOUT);
	check(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

static const struct test tests[] = {
	{"output and status", test_output},
	{"only the given environment", test_environment},
	{"more output than is kept", test_much_output},
	{"a program that does not end", test_time_limit},
	{"nothing lives on", test_no_descendants},
	{"a program that is not there", test_missing_program},
	{"attempts in a child", test_child},
};

TEST_MAIN(tests)
