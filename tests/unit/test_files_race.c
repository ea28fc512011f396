/* SPDX-License-Identifier: Apache-2.0 */
#include "files/files_read.h"
#include "files/files_write.h"
#include "workspace.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define TRIES 20000
#define EXCHANGE 2 /* RENAME_EXCHANGE */

/* The folder "a" and a link to outside take each other's place, as fast as they can. */
static pid_t spin(const struct workspace *w)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		syscall(SYS_renameat2, w->f.root, "a", w->f.root, "b", EXCHANGE);
}

static void make(struct workspace *w)
{
	workspace_make(w);
	workspace_mkdir(w, "a");
	workspace_put(w->path, "a/secret", "inside");
	workspace_link(w, "../out", "b");
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

struct tally {
	unsigned done, refused, other;
};

/* On until both were seen; otherwise nothing was tried. */
static bool goes_on(const struct tally *t)
{
	unsigned all = t->done + t->refused + t->other;

	return all < TRIES || ((!t->done || !t->refused) && all < 20 * TRIES);
}

static void count(struct tally *t, int r)
{
	if (r == 0)
		t->done++;
	else if (r == -EXDEV)
		t->refused++;
	else
		t->other++;
}

static void finish(const struct tally *t)
{
	printf("# %u done, %u refused, %u neither\n", t->done, t->refused, t->other);
	check(t->done > 0 && t->refused > 0);
}

static void test_read(void)
{
	struct tally t = {0, 0, 0};
	struct workspace w;
	pid_t pid;

	make(&w);
	pid = spin(&w);
	while (goes_on(&t)) {
		auto_(arena_free) struct arena a = {0};
		struct files_data d = {.data = ""};
		int r = files_read(&w.f, "/workspace/a/secret", NULL, &a, &d, &w.e);

		count(&t, r);
		if (r == 0 && !check_str(d.data, "inside"))
			break;
	}
	stop(pid);
	finish(&t);
	workspace_remove(&w);
}

static void test_write(void)
{
	struct tally t = {0, 0, 0};
	struct workspace w;
	pid_t pid;

	make(&w);
	pid = spin(&w);
	while (goes_on(&t)) {
		auto_(arena_free) struct arena a = {0};
		struct files_text text = {.data = "x", .len = 1, .parents = t.refused % 2};
		struct files_written done;

		count(&t, files_write(&w.f, "a/f", &text, &a, &done, &w.e));
	}
	stop(pid);
	finish(&t);
	check_u64(workspace_count(w.outside), 1);
	check_str(workspace_text(&w, w.outside, "secret"), SECRET);
	workspace_remove(&w);
}

static const struct test tests[] = {
	{"reading while names are exchanged", test_read},
	{"writing while names are exchanged", test_write},
};
TEST_MAIN(tests)
