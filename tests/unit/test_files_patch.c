/* SPDX-License-Identifier: Apache-2.0 */
#include "files/files_patch.h"

#include "base/buf.h"
#include "workspace.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static int patch(struct workspace *w, const char *text, struct files_patched *ret)
{
	w->e = (struct err){0};
	return files_patch(&w->f, text, strlen(text), &w->arena, ret, &w->e);
}

static void test_all_kinds(void)
{
	static const char text[] = "*** Begin Patch\n"
				   "*** Update File: /workspace/a\n@@\n-one\n+1\n"
				   "*** Add File: new/deep/file\n+text\n"
				   "*** Delete File: gone\n"
				   "*** Update File: from\n*** Move to: d/to\n@@\n-x\n+y\n"
				   "*** Update File: a\n@@\n-two\n+2\n"
				   "*** End Patch\n";
	struct files_patched done;
	struct workspace w;
	struct stat st;

	workspace_make(&w);
	workspace_put(w.path, "a", "one\ntwo\n");
	workspace_put(w.path, "gone", "");
	workspace_put(w.path, "from", "x\n");
	check(fchmodat(w.f.root, "from", 0750, 0) == 0);
	check_int(patch(&w, text, &done), 0);
	check_str(w.e.text, "");
	check_u64(done.count, 4);
	check_str(done.changes[0].path, "a");
	check_u64(done.changes[0].hunks, 2);
	check_str(done.changes[3].new_path, "d/to");
	check_str(workspace_text(&w, w.path, "a"), "1\n2\n");
	check_str(workspace_text(&w, w.path, "new/deep/file"), "text\n");
	check_str(workspace_text(&w, w.path, "d/to"), "y\n");
	check(!workspace_text(&w, w.path, "gone") && !workspace_text(&w, w.path, "from"));
	check(fstatat(w.f.root, "d/to", &st, 0) == 0 && (st.st_mode & 07777) == 0750);
	workspace_remove(&w);
}

static void test_git_diff(void)
{
	static const char text[] =
		"diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"
		"diff --git a/s b/s\nnew file mode 100755\n--- /dev/null\n+++ b/s\n"
		"@@ -0,0 +1 @@\n+#!/bin/sh\n"
		"diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n"
		"@@ -1 +0,0 @@\n-all\n";
	struct files_patched done;
	struct workspace w;
	struct stat st;

	workspace_make(&w);
	workspace_put(w.path, "run", "x");
	workspace_put(w.path, "gone", "all\n");
	check_int(patch(&w, text, &done), 0);
	check(fstatat(w.f.root, "run", &st, 0) == 0 && (st.st_mode & 0777) == 0755);
	check(fstatat(w.f.root, "s", &st, 0) == 0 && (st.st_mode & 0777) == 0755);
	check(!workspace_text(&w, w.path, "gone"));
	workspace_remove(&w);
}

/* Whatever is wrong with one file, the others stay as they are. */
static void test_nothing_changes(void)
{
#define GOOD "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n*** Add File: n/new\n+x\n"
	static const struct {
		const char *text;
		int code;
	} rows[] = {
		{GOOD "*** Update File: b\n@@\n-no\n+x\n*** End Patch\n", EINVAL},
		{GOOD "*** Update File: missing\n@@\n-no\n+x\n*** End Patch\n", ENOENT},
		{GOOD "*** Delete File: missing\n*** End Patch\n", ENOENT},
		{GOOD "*** Delete File: d\n*** End Patch\n", EISDIR},
		{GOOD "*** Add File: b\n+x\n*** End Patch\n", EEXIST},
		{GOOD "*** Update File: b\n*** Move to: d/c\n*** End Patch\n", EEXIST},
		{GOOD "*** Update File: b\n*** Move to: ../out/b\n*** End Patch\n", EXDEV},
		{GOOD "*** Update File: b\n*** Move to: kept\n*** End Patch\n", EPERM},
		{GOOD "*** Update File: kept\n*** Move to: c\n*** End Patch\n", EPERM},
		{GOOD "*** Delete File: kept\n*** End Patch\n", EPERM},
		{GOOD "*** Delete File: tokept\n*** End Patch\n", EPERM},
		{GOOD "*** Delete File: tob\n*** End Patch\n", EINVAL},
		{GOOD "*** Delete File: out/secret\n*** End Patch\n", EXDEV},
		{GOOD "*** Add File: out/new\n+x\n*** End Patch\n", EXDEV},
		{GOOD "*** Add File: ../new\n+x\n*** End Patch\n", EXDEV},
		{GOOD "*** Add File: hid\n+x\n*** End Patch\n", EPERM},
		{GOOD "*** Delete File: a\n*** End Patch\n", EINVAL},
		{GOOD "*** Add File: n/new\n+x\n*** End Patch\n", EINVAL},
		{"--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", EINVAL},
		{GOOD "*** Add File: b/below\n+x\n*** End Patch\n", ENOTDIR},
		/* This comes out only while it is written. */
		{GOOD "*** Add File: n/new/below\n+x\n*** End Patch\n", ENOTDIR},
	};
	static const char *const protect[] = {"kept"}, *const hide[] = {"hid"};
	struct files_patched done;
	struct workspace w;

	workspace_make(&w);
	w.f.protect = protect;
	w.f.hide = hide;
	w.f.protect_count = w.f.hide_count = 1;
	workspace_put(w.path, "a", "one\ntwo\n");
	workspace_put(w.path, "b", "b\n");
	workspace_put(w.path, "kept", "kept\n");
	workspace_mkdir(&w, "d");
	workspace_put(w.path, "d/c", "c\n");
	workspace_link(&w, "kept", "tokept");
	workspace_link(&w, "b", "tob");
	workspace_link(&w, "../out", "out");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("%zu", i);
		check_int(patch(&w, rows[i].text, &done), -rows[i].code);
		check_has(w.e.text, "nothing was changed");
		check_str(workspace_text(&w, w.path, "a"), "one\ntwo\n");
		check_str(workspace_text(&w, w.path, "b"), "b\n");
		check_str(workspace_text(&w, w.path, "kept"), "kept\n");
		check_u64(workspace_count(w.path), 7);
		check_u64(workspace_count(w.outside), 1);
	}
	w.f.read_only = true;
	check_int(patch(&w, GOOD "*** End Patch\n", &done), -EROFS);
	w.f.read_only = false;
	check_int(patch(&w, GOOD "*** End Patch\n", &done), 0); /* and alone it works */
	workspace_remove(&w);
}

/* Deleted and moved ones come back too, with their modes. */
static void test_put_back(void)
{
	static const char text[] =
		"*** Begin Patch\n*** Delete File: gone\n"
		"*** Update File: from\n*** Move to: n/e/to\n@@\n-x\n+y\n"
		"*** Update File: a\n@@\n-one\n+1\n"
		/* A file is in the way, as comes out only now. */
		"*** Add File: z/f\n+x\n*** Add File: z/f/g\n+x\n*** End Patch\n";
	struct files_patched done;
	struct workspace w;
	struct stat st;

	workspace_make(&w);
	workspace_put(w.path, "gone", "gone\n");
	workspace_put(w.path, "from", "x\n");
	workspace_put(w.path, "a", "one\n");
	check(fchmodat(w.f.root, "gone", 0751, 0) == 0);
	check_int(patch(&w, text, &done), -ENOTDIR);
	check_has(w.e.text, "nothing was changed");
	check_str(workspace_text(&w, w.path, "gone"), "gone\n");
	check_str(workspace_text(&w, w.path, "from"), "x\n");
	check_str(workspace_text(&w, w.path, "a"), "one\n");
	check(fstatat(w.f.root, "gone", &st, 0) == 0 && (st.st_mode & 07777) == 0751);
	check_u64(workspace_count(w.path), 3);
	workspace_remove(&w);
}

/* As soon as the name has its new text, it becomes a link to a protected one. */
static pid_t swap_after(const struct workspace *w, const char *name)
{
	struct stat was, now;
	pid_t pid;

	if (fstatat(w->f.root, name, &was, AT_SYMLINK_NOFOLLOW) < 0)
		was.st_ino = 0;
	pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	do
		now.st_ino =
			fstatat(w->f.root, name, &now, AT_SYMLINK_NOFOLLOW) < 0 ? 0 : now.st_ino;
	while (now.st_ino == was.st_ino);
	_exit(renameat(w->f.root, "link", w->f.root, name) < 0);
}

/* Many files are written between the first one and the one that fails. */
static void test_put_back_nowhere_else(void)
{
	static const char *const firsts[] = {"*** Update File: first\n@@\n-evil\n+x\n",
		"*** Add File: first\n+x\n",
		"*** Update File: from\n*** Move to: first\n@@\n-x\n+y\n"};
	static const char *const protect[] = {"kept"};

	for (size_t i = 0; i < ARRAY_LEN(firsts); i++) {
		auto_(buf_free) struct buf text = BUF(100000);
		struct files_patched done;
		struct workspace w;
		pid_t pid;

		test_row("%zu", i);
		workspace_make(&w);
		w.f.protect = protect;
		w.f.protect_count = 1;
		workspace_put(w.path, "kept", "kept\n");
		workspace_put(w.path, "from", "x\n");
		workspace_link(&w, "kept", "link");
		if (i == 0)
			workspace_put(w.path, "first", "evil\n");
		buf_printf(&text, "*** Begin Patch\n%s", firsts[i]);
		for (int n = 0; n < 500; n++)
			buf_printf(&text, "*** Add File: many/%d\n+x\n", n);
		buf_puts(&text, "*** Add File: z/f\n+x\n*** Add File: z/f/g\n+x\n*** End Patch\n");
		pid = swap_after(&w, "first");
		check_int(patch(&w, buf_text(&text), &done), -ENOTDIR);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		check_str(workspace_text(&w, w.path, "kept"), "kept\n");
		workspace_remove(&w);
	}
}

static const struct test tests[] = {
	{"updates, new ones, deleted and moved ones", test_all_kinds},
	{"modes of a git diff", test_git_diff},
	{"all or nothing", test_nothing_changes},
	{"what was written is put back", test_put_back},
	{"nothing is put back by a link that came meanwhile", test_put_back_nowhere_else},
};
TEST_MAIN(tests)
