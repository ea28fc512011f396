/* SPDX-License-Identifier: Apache-2.0 */
#include "files/files_alias.h"
#include "files/files_edit.h"
#include "files/files_list.h"
#include "files/files_read.h"
#include "files/files_write.h"
#include "workspace.h"

#include <sys/socket.h>
#include <sys/un.h>

/* The text of a file as the tool answers it; NULL: refused, and the code is in w->e. */
static const char *text_of(struct workspace *w, const char *name)
{
	struct files_data d;

	w->e = (struct err){0};
	return files_read(&w->f, name, NULL, &w->arena, &d, &w->e) < 0 ? NULL : d.data;
}

static int put(struct workspace *w, const char *name, const char *text)
{
	struct files_text t = {.data = text, .len = strlen(text)};
	struct files_written done;

	w->e = (struct err){0};
	return files_write(&w->f, name, &t, &w->arena, &done, &w->e);
}

static int edit(struct workspace *w, const char *name, const char *from, const char *to, bool all)
{
	struct files_edit x = {from, to, strlen(from), strlen(to), all};
	struct files_edited done;

	w->e = (struct err){0};
	return files_edit(&w->f, name, &x, &w->arena, &done, &w->e);
}

static void test_names(void)
{
	static const char *const same[] = {"a/f", "./a/f", "/workspace/a/f", "/agent/a/f",
		"/workspace//a/./f", "a/../a/f", "/workspace/a/../a//f", "l/f", "l/../a/f", "abs/f",
		"deep/f", "//workspace/a/f", "/srv/other/a/f", "up", NULL};
	struct workspace w;

	workspace_make(&w);
	w.f.name = "/srv/other";
	workspace_mkdir(&w, "a");
	workspace_mkdir(&w, "b");
	workspace_put(w.path, "a/f", "inside");
	workspace_put(w.path, "..file.txt", "dots");
	workspace_link(&w, "a", "l");
	workspace_link(&w, "/workspace/a", "abs");
	workspace_link(&w, "b/../l/.", "deep");
	workspace_link(&w, "../b/../../w/up", "b/no");
	workspace_link(&w, "b/../a/f", "up");
	for (size_t i = 0; same[i]; i++) {
		struct files_data d = {.data = NULL};

		test_row("%s", same[i]);
		check_int(files_read(&w.f, same[i], NULL, &w.arena, &d, &w.e), 0);
		check_str(d.data, "inside");
		check_str(d.path, "a/f");
	}
	check_str(text_of(&w, "..file.txt"), "dots");
	check(!text_of(&w, "b/no"));
	check_int(w.e.code, EXDEV);
	check(!text_of(&w, ""));
	check_int(w.e.code, EINVAL);
	workspace_remove(&w);
}

/* Names that lead outside, by every spelling that somebody has tried: refused or not there. */
static void test_outside_names(void)
{
	static const struct {
		const char *name;
		int code;
	} rows[] = {
		{"../out/secret", EXDEV},
		{"..", EXDEV},
		{"/workspace/..", EXDEV},
		{"/workspace/../out/secret", EXDEV},
		{"/workspace//..//out/secret", EXDEV},
		{"a/../../out/secret", EXDEV},
		{"./.././out/secret", EXDEV},
		{"missing/../../out/secret", ENOENT},
		{"%2e%2e/out/secret", ENOENT},
		{"..\\out\\secret", ENOENT},
		{"@%s/secret", ENOENT},
		{"~/secret", ENOENT},
		{"$HOME/secret", ENOENT},
		{"file://%s/secret", ENOENT},
		{"%s/secret", EXDEV},
		{"/workspace_secret/secret", EXDEV},
		{"/workspac", EXDEV},
		{"/", EXDEV},
		{"/proc/self/root%s/secret", EXDEV},
		{"/proc/self/cwd/x", EXDEV},
		{"/proc/1/root/etc/passwd", EXDEV},
		{"/proc/thread-self/cwd", EXDEV},
		{"/dev/fd/3", EXDEV},
		{"/workspace/a/f/x", ENOTDIR},
	};
	struct workspace w;

	workspace_make(&w);
	workspace_mkdir(&w, "a");
	workspace_put(w.path, "a/f", "inside");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *at = strstr(rows[i].name, "%s"), *name = rows[i].name;

		if (at)
			name = arena_printf(
				&w.arena, "%.*s%s%s", (int)(at - name), name, w.outside, at + 2);
		test_row("%s", name);
		check(!text_of(&w, name));
		check_int(w.e.code, rows[i].code);
		check(edit(&w, name, SECRET, "x", true) < 0);
		/* Some are names like any other, and may become files. */
		check(put(&w, name, "x") < 0 || rows[i].code == ENOENT);
	}
	check_str(workspace_text(&w, w.outside, "secret"), SECRET);
	check_u64(workspace_count(w.outside), 1);
	workspace_remove(&w);
}

static void test_outside_links(void)
{
	static const char *const names[] = {"abs", "rel", "chain", "dir/secret", "reldir/secret",
		"proc", "loop", "loop/f", "dir/../../out/secret", NULL};
	struct workspace w;
	struct files_text t = {.data = "x", .len = 1, .parents = true};
	struct files_written done;

	workspace_make(&w);
	workspace_link(&w, arena_printf(&w.arena, "%s/secret", w.outside), "abs");
	workspace_link(&w, "../out/secret", "rel");
	workspace_link(&w, "chain2", "chain");
	workspace_link(&w, "./chain3", "chain2");
	workspace_link(&w, "rel", "chain3");
	workspace_link(&w, w.outside, "dir");
	workspace_link(&w, "../out", "reldir");
	workspace_link(&w, arena_printf(&w.arena, "/proc/self/root%s/secret", w.outside), "proc");
	workspace_link(&w, "loop", "loop");
	for (size_t i = 0; names[i]; i++) {
		bool loop = strncmp(names[i], "loop", 4) == 0;

		test_row("%s", names[i]);
		check(!text_of(&w, names[i]));
		check_int(w.e.code, loop ? ELOOP : EXDEV);
		check_int(put(&w, names[i], "x"), loop ? -ELOOP : -EXDEV);
		check_int(edit(&w, names[i], SECRET, "x", true), loop ? -ELOOP : -EXDEV);
	}
	/* New names behind a link too: nothing is made there. */
	check_int(put(&w, "dir/new", "x"), -EXDEV);
	check_int(files_write(&w.f, "reldir/a/b", &t, &w.arena, &done, &w.e), -EXDEV);
	check_int(files_write(&w.f, "dir/sub/x", &t, &w.arena, &done, &w.e), -EXDEV);
	check_str(workspace_text(&w, w.outside, "secret"), SECRET);
	check_u64(workspace_count(w.outside), 1);
	workspace_remove(&w);
}

static void test_many_links(void)
{
	struct workspace w;
	char name[16], target[16];

	workspace_make(&w);
	workspace_put(w.path, "l0", "end");
	for (int i = 1; i < 60; i++) {
		snprintf(name, sizeof name, "l%d", i);
		snprintf(target, sizeof target, "l%d", i - 1);
		workspace_link(&w, target, name);
	}
	check_str(text_of(&w, "l40"), "end");
	check(!text_of(&w, "l41"));
	check_int(w.e.code, ELOOP);
	workspace_remove(&w);
}

/* Patterns hold for what is reached, whatever the name was. */
static void test_patterns(void)
{
	static const char *const protect[] = {"**/.git/config", "**/.git/hooks/**"};
	static const char *const hide[] = {".env", "keys/**"};
	static const char *const kept[] = {".git/config", "g", "d/config", ".GIT/CONFIG",
		".git/hooks/new", "sub/.git/config", "dangling", ".git", NULL};
	static const char *const hidden[] = {".env", "e", "keys/k", "k/k", NULL};
	struct workspace w;
	struct files_listed l;
	struct files_text t = {.data = "x", .len = 1, .parents = true};
	struct files_written done;

	workspace_make(&w);
	workspace_mkdir(&w, ".git");
	workspace_mkdir(&w, "keys");
	workspace_put(w.path, ".git/config", "old");
	workspace_put(w.path, ".env", SECRET);
	workspace_put(w.path, "keys/k", SECRET);
	workspace_link(&w, ".git/config", "g");
	workspace_link(&w, ".git", "d");
	workspace_link(&w, ".git/hooks/pre-commit", "dangling");
	workspace_link(&w, ".env", "e");
	workspace_link(&w, "keys", "k");
	check_int(put(&w, "g", "control"), 0); /* without patterns it works */
	w.f.protect = protect;
	w.f.protect_count = ARRAY_LEN(protect);
	w.f.hide = hide;
	w.f.hide_count = ARRAY_LEN(hide);
	for (size_t i = 0; kept[i]; i++) {
		test_row("%s", kept[i]);
		check_int(files_write(&w.f, kept[i], &t, &w.arena, &done, &w.e), -EPERM);
	}
	check_str(text_of(&w, "g"), "control");
	for (size_t i = 0; hidden[i]; i++) {
		test_row("%s", hidden[i]);
		check(!text_of(&w, hidden[i]));
		check_int(w.e.code, EPERM);
		check_int(put(&w, hidden[i], "x"), -EPERM);
	}
	check_int(files_list(&w.f, ".", &(struct files_query){.depth = 9}, &w.arena, &l, &w.e), 0);
	for (size_t i = 0; i < l.count; i++)
		check(strcmp(l.entries[i].path, ".env") != 0 &&
			!strstr(l.entries[i].path, "keys/"));
	check_str(workspace_text(&w, w.path, ".git/config"), "control");
	workspace_remove(&w);
}

static void test_special_files(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct workspace w;
	char path[128];
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	workspace_make(&w);
	snprintf(path, sizeof path, "%s/fifo", w.path);
	check(mkfifo(path, 0644) == 0);
	snprintf(addr.sun_path, sizeof addr.sun_path, "%s/sock", w.path);
	check(bind(s, (struct sockaddr *)&addr, sizeof addr) == 0);
	check(!text_of(&w, "fifo"));
	check_int(w.e.code, EINVAL);
	check(!text_of(&w, "sock"));
	check_int(w.e.code, EINVAL);
	check(!text_of(&w, "."));
	check_int(w.e.code, EISDIR);
	check_int(put(&w, "fifo", "x"), -EINVAL);
	check_int(put(&w, ".", "x"), -EISDIR);
	close(s);
	workspace_remove(&w);
}

/* A hard link gets the new text alone: the file outside keeps its own. */
static void test_hard_links(void)
{
	struct workspace w;
	char from[128], to[128];

	workspace_make(&w);
	snprintf(from, sizeof from, "%s/secret", w.outside);
	snprintf(to, sizeof to, "%s/h", w.path);
	check(link(from, to) == 0);
	check_str(text_of(&w, "h"), SECRET); /* the owner's own */
	check_int(put(&w, "h", "new"), 0);
	check_str(workspace_text(&w, w.path, "h"), "new");
	check_str(workspace_text(&w, w.outside, "secret"), SECRET);
	if (geteuid() == 0) {
		snprintf(to, sizeof to, "%s/h2", w.path);
		check(link(from, to) == 0 && chown(from, 12345, 12345) == 0);
		check(!text_of(&w, "h2"));
		check_int(w.e.code, EXDEV);
		check_int(edit(&w, "h2", SECRET, "x", true), -EXDEV);
	}
	workspace_remove(&w);
}

static void test_ranges(void)
{
	static const struct {
		struct files_range range;
		const char *text;
		uint64_t from, count;
		bool more;
	} rows[] = {
		{{false, 0, 0}, "one\ntwo\nthree", 0, 13, false},
		{{false, 4, 3}, "two", 4, 3, true},
		{{false, 13, 5}, "", 13, 0, false},
		{{false, 99, 5}, "", 99, 0, false},
		{{true, 1, 1}, "one\n", 1, 1, true},
		{{true, 0, 1}, "one\n", 1, 1, true},
		{{true, 2, 0}, "two\nthree", 2, 2, false},
		{{true, 3, 9}, "three", 3, 1, false},
		{{true, 4, 1}, "", 4, 0, false},
		{{true, UINT64_MAX, 0}, "", UINT64_MAX, 0, false},
		{{false, UINT64_MAX, UINT64_MAX}, "", UINT64_MAX, 0, false},
	};
	struct workspace w;
	struct files_data d;

	workspace_make(&w);
	workspace_put(w.path, "f", "one\ntwo\nthree");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("%zu", i);
		check_int(files_read(&w.f, "f", &rows[i].range, &w.arena, &d, &w.e), 0);
		check_str(d.data, rows[i].text);
		check_u64(d.len, strlen(rows[i].text));
		check_u64(d.from, rows[i].from);
		check_u64(d.count, rows[i].count);
		check_int(d.more, rows[i].more);
		check(d.text && d.size == 13);
	}
	workspace_remove(&w);
}

static void test_sizes(void)
{
	struct files_range lines = {.lines = true, .from = 2, .count = 1};
	struct files_range bytes = {.from = 0, .count = 16};
	struct files_text t = {.data = "12345678901234567", .len = 17};
	struct files_written done;
	struct files_data d;
	struct workspace w;

	workspace_make(&w);
	w.f.limit = 16;
	workspace_put(w.path, "f", "0123456789abcdef\nsecond\n0123456789abcdef");
	check(!text_of(&w, "f"));
	check_int(w.e.code, EFBIG);
	check_has(w.e.text, "40 bytes, and the limit is 16");
	check_int(files_read(&w.f, "f", &lines, &w.arena, &d, &w.e), 0);
	check_str(d.data, "second\n");
	check_int(files_read(&w.f, "f", &bytes, &w.arena, &d, &w.e), 0);
	check(d.len == 16 && d.more);
	bytes.count = 17;
	check_int(files_read(&w.f, "f", &bytes, &w.arena, &d, &w.e), -EFBIG);
	check_int(files_write(&w.f, "new", &t, &w.arena, &done, &w.e), -EFBIG);
	check_int(edit(&w, "f", "s", "t", false), -EFBIG);
	t.len = 16;
	check_int(files_write(&w.f, "new", &t, &w.arena, &done, &w.e), 0);
	check_int(edit(&w, "new", "1", "111", true), -EFBIG);
	check_int(truncate(arena_printf(&w.arena, "%s/f", w.path), 1 << 20), 0);
	lines.from = 9;
	check_int(files_read(&w.f, "f", &lines, &w.arena, &d, &w.e), -EFBIG); /* one endless line */
	workspace_remove(&w);
}

static void test_bytes(void)
{
	struct files_text t = {.data = "a\0b\xff", .len = 4};
	struct files_written done;
	struct files_data d;
	struct workspace w;

	workspace_make(&w);
	check_int(files_write(&w.f, "bin", &t, &w.arena, &done, &w.e), 0);
	check(done.created && done.size == 4);
	check_int(files_read(&w.f, "bin", NULL, &w.arena, &d, &w.e), 0);
	check(d.len == 4 && memcmp(d.data, t.data, 4) == 0 && !d.text);
	t.len = 0;
	check_int(files_write(&w.f, "bin", &t, &w.arena, &done, &w.e), 0);
	check(!done.created);
	check_str(text_of(&w, "bin"), "");
	workspace_remove(&w);
}

static void test_modes(void)
{
	struct files_text once = {.data = "x", .len = 1, .create_only = true};
	struct files_text deep = {.data = "x", .len = 1, .parents = true, .mode = 0755};
	struct files_written done;
	struct workspace w;
	struct stat st;

	workspace_make(&w);
	workspace_put(w.path, "f", "old");
	check(fchmodat(w.f.root, "f", 06751, 0) == 0);
	check_int(put(&w, "f", "new"), 0);
	check(fstatat(w.f.root, "f", &st, 0) == 0);
	check_int(st.st_mode & 07777, 0751); /* kept, but never setuid */
	check(fchmodat(w.f.root, "f", 0444, 0) == 0);
	check_int(put(&w, "f", "newer"), -EACCES);
	check_int(files_write(&w.f, "f", &once, &w.arena, &done, &w.e), -EACCES);
	check(fchmodat(w.f.root, "f", 0644, 0) == 0);
	check_int(files_write(&w.f, "f", &once, &w.arena, &done, &w.e), -EEXIST);
	check_str(text_of(&w, "f"), "new");
	check_int(put(&w, "d/e/f", "x"), -ENOENT);
	check_int(files_write(&w.f, "d/e/f", &deep, &w.arena, &done, &w.e), 0);
	check_str(done.path, "d/e/f");
	check(fstatat(w.f.root, "d/e/f", &st, 0) == 0);
	check_int(st.st_mode & 07777, 0755);
	check_u64(workspace_count(w.path), 2); /* and no draft of a file */
	w.f.read_only = true;
	check_int(put(&w, "f", "x"), -EROFS);
	check_int(edit(&w, "f", "new", "x", false), -EROFS);
	check_int(files_write(&w.f, "n/x", &deep, &w.arena, &done, &w.e), -EROFS);
	check_str(text_of(&w, "f"), "new");
	workspace_remove(&w);
}

static void test_folders(void)
{
	struct files_text t = {.data = "x", .len = 1},
			  deep = {.data = "x", .len = 1, .parents = true};
	struct files_written done;
	struct workspace w;

	workspace_make(&w);
	check_int(files_write(&w.f, "a/b/x", &t, &w.arena, &done, &w.e), -ENOENT);
	check_int(files_write(&w.f, "/workspace/a/b/x", &deep, &w.arena, &done, &w.e), 0);
	check_str(done.path, "a/b/x");
	check_int(files_write(&w.f, "a/b/y", &deep, &w.arena, &done, &w.e), 0);
	workspace_put(w.path, "f", "");
	check_int(files_write(&w.f, "f/x/y", &deep, &w.arena, &done, &w.e), -ENOTDIR);
	workspace_remove(&w);
}

static void test_edits(void)
{
	struct workspace w;

	workspace_make(&w);
	workspace_put(w.path, "f", "one\ntwo\none\n");
	check_int(edit(&w, "f", "none", "x", false), -EINVAL);
	check_int(edit(&w, "f", "one", "x", false), -EINVAL);
	check_has(w.e.text, "2 times, on the lines 1, 3");
	check_int(edit(&w, "f", "", "x", false), -EINVAL);
	check_int(edit(&w, "f", "one", "one", true), -EINVAL);
	check_int(edit(&w, "f", "two\n", "", false), 0);
	check_str(text_of(&w, "f"), "one\none\n");
	check_int(edit(&w, "f", "one", "a longer one", true), 0);
	check_str(text_of(&w, "f"), "a longer one\na longer one\n");
	workspace_put(w.path, "aa", "aaaa");
	check_int(edit(&w, "aa", "aa", "b", true), 0); /* they do not overlap */
	check_str(text_of(&w, "aa"), "bb");
	workspace_put(w.path, "f", "a\r\nb\r\n");
	check_int(edit(&w, "f", "a\nb", "x", false), -EINVAL);
	check_has(w.e.text, "CR LF");
	check_int(edit(&w, "gone", "a", "b", false), -ENOENT);
	workspace_remove(&w);
}

static void list_names(struct workspace *w, const char *name, struct files_query q, char *out,
	size_t size, struct files_listed *ret)
{
	size_t len = 0;

	out[0] = '\0';
	if (!check_int(files_list(&w->f, name, &q, &w->arena, ret, &w->e), 0))
		return;
	for (size_t i = 0; i < ret->count; i++)
		len += (size_t)snprintf(
			out + len, size - len, "%s%s", i ? " " : "", ret->entries[i].path);
}

static void test_list(void)
{
	struct files_listed l;
	struct workspace w;
	char got[512];

	workspace_make(&w);
	workspace_mkdir(&w, "a");
	workspace_mkdir(&w, "a/b");
	workspace_put(w.path, "a/b/c.c", "xyz");
	workspace_put(w.path, "a/z", "");
	workspace_put(w.path, "a-1", "");
	workspace_link(&w, "a", "link");
	list_names(&w, ".", (struct files_query){0}, got, sizeof got, &l);
	check_str(got, "a a-1 link");
	check(l.deeper && !l.more);
	check_int(l.entries[0].kind, FILES_FOLDER);
	check_int(l.entries[2].kind, FILES_LINK);
	check_str(l.entries[2].target, "a");
	list_names(&w, "/workspace", (struct files_query){.depth = 9}, got, sizeof got, &l);
	check_str(got, "a a/b a/b/c.c a/z a-1 link");
	check_u64(l.entries[2].size, 3);
	check(!l.deeper);
	list_names(&w, "link", (struct files_query){.depth = 2}, got, sizeof got, &l);
	check_str(got, "a/b a/b/c.c a/z");
	list_names(&w, ".", (struct files_query){.depth = 9, .limit = 4}, got, sizeof got, &l);
	check_str(got, "a a/b a-1 link"); /* the deepest are left out */
	check(l.more);
	list_names(&w, ".", (struct files_query){.depth = 9, .glob = "*.c"}, got, sizeof got, &l);
	check_str(got, "a/b/c.c");
	list_names(&w, "a", (struct files_query){.depth = 9, .glob = "b/*"}, got, sizeof got, &l);
	check_str(got, "a/b/c.c");
	list_names(&w, "a/z", (struct files_query){0}, got, sizeof got, &l);
	check_str(got, "a/z");
	check_int(files_list(&w.f, "no", &(struct files_query){0}, &w.arena, &l, &w.e), -ENOENT);
	workspace_remove(&w);
}

static void test_deep(void)
{
	struct files_listed l;
	struct workspace w;
	int fd;

	workspace_make(&w);
	fd = dup(w.f.root);
	for (int i = 0; i < 20000; i++) {
		int next;

		check(mkdirat(fd, "d", 0755) == 0);
		next = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(fd);
		fd = next;
		if (!check(fd >= 0))
			break;
	}
	close(fd);
	check_int(files_list(&w.f, ".", &(struct files_query){.depth = 30000}, &w.arena, &l, &w.e),
		0);
	check_u64(l.count, FILES_LIST_DEPTH_MAX);
	check(l.deeper);
	workspace_remove(&w);
}

/* What was opened stays the workspace, whatever stands in its place by now. */
static void test_pinned(void)
{
	struct workspace w;
	char away[128];

	workspace_make(&w);
	workspace_put(w.path, "secret", "inside");
	snprintf(away, sizeof away, "%s/old", w.top);
	check(rename(w.path, away) == 0 && symlink(w.outside, w.path) == 0);
	check_str(text_of(&w, "/workspace/secret"), "inside");
	check_int(put(&w, "new", "x"), 0);
	check_u64(workspace_count(w.outside), 1);
	check_str(workspace_text(&w, away, "new"), "x");
	workspace_remove(&w);
}

/* By root, the owner's rights hold and what is made is theirs. */
static void test_owner(void)
{
	struct workspace w;
	struct stat st;

	workspace_make(&w);
	if (geteuid() == 0) {
		workspace_put(w.path, "root", SECRET);
		check(fchmodat(w.f.root, "root", 0600, 0) == 0 &&
			fchown(w.f.root, 12345, 12346) == 0);
		check(chmod(w.top, 0711) == 0);
		w.f.owner = 12345;
		w.f.group = 12346;
		check(!text_of(&w, "root"));
		check_int(w.e.code, EACCES);
		check_int(put(&w, "mine", "x"), 0);
		check(fstatat(w.f.root, "mine", &st, 0) == 0);
		check(st.st_uid == 12345 && st.st_gid == 12346);
		w.f.owner = FILES_NOBODY;
		check_str(text_of(&w, "root"), SECRET); /* and all rights are back */
	}
	workspace_remove(&w);
}

/* What a protected name leads to, by whatever name it is reached. */
static void test_aliases(void)
{
	static const char *const protect[] = {
		"**/.git/hooks/**", ".envrc", ".*rc", "deep/.git/config", ".gone"};
	static const char *const hide[] = {"secrets/key"};
	static const struct {
		const char *path;
		int code;
	} rows[] = {
		{"real/hooks/pre-commit", -EPERM},
		{".git/hooks/pre-commit", -EPERM},
		{"real/moved", 0},
		{"envs/dev", -EPERM},
		{".envrc", -EPERM},
		{"envs/other", 0},
		{"wild", -EPERM},
		{"tree/config", -EPERM},
		{"tree/other", 0},
		{"made-later", -EPERM},
		{"vault/key", -EPERM},
		{"vault/lock", 0},
	};
	struct workspace w;

	workspace_make(&w);
	workspace_mkdir(&w, "real");
	workspace_mkdir(&w, "real/hooks");
	workspace_mkdir(&w, "envs");
	workspace_mkdir(&w, "deep");
	workspace_mkdir(&w, "tree");
	workspace_mkdir(&w, "vault");
	workspace_put(w.path, "envs/dev", "x");
	workspace_put(w.path, "vault/key", SECRET);
	workspace_link(&w, "real", ".git");
	workspace_link(&w, "second", ".envrc");
	workspace_link(&w, "/workspace/envs/dev", "second");
	workspace_link(&w, "wild", ".somerc");
	workspace_link(&w, "made-later", ".gone");
	workspace_link(&w, "vault", "secrets");
	workspace_link(&w, "../out", ".outrc");
	workspace_put(w.path, "deep/.git", "gitdir: ../tree\n");
	w.f.protect = protect;
	w.f.protect_count = ARRAY_LEN(protect);
	w.f.hide = hide;
	w.f.hide_count = ARRAY_LEN(hide);
	check_int(files_alias(&w.f, NULL, &w.arena, &w.e), 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("%s", rows[i].path);
		check_int(put(&w, rows[i].path, "x"), rows[i].code);
	}
	check(!text_of(&w, "vault/key"));
	workspace_remove(&w);
}

/* More than can be looked after: nothing is done then. */
static void test_many_aliases(void)
{
	static const char *const protect[] = {"*.rc"};
	struct workspace w;

	workspace_make(&w);
	w.f.protect = protect;
	w.f.protect_count = 1;
	for (int i = 0; i < 129; i++) {
		char name[32], target[32];

		snprintf(name, sizeof name, "%d.rc", i);
		snprintf(target, sizeof target, "to%d", i);
		workspace_link(&w, target, name);
	}
	check_int(files_alias(&w.f, NULL, &w.arena, &w.e), -ELOOP);
	workspace_remove(&w);
}

static const struct test tests[] = {
	{"a file by all its names", test_names},
	{"names that lead outside", test_outside_names},
	{"links that lead outside", test_outside_links},
	{"a chain of links has an end", test_many_links},
	{"protected and hidden names by what is reached", test_patterns},
	{"protected and hidden names that are links", test_aliases},
	{"too many links at protected names", test_many_aliases},
	{"pipes, sockets and folders are no files", test_special_files},
	{"hard links", test_hard_links},
	{"parts of a file", test_ranges},
	{"sizes have limits", test_sizes},
	{"bytes that are no text", test_bytes},
	{"modes, parents, only new ones", test_modes},
	{"folders", test_folders},
	{"exact replacement", test_edits},
	{"what lies in a folder", test_list},
	{"20,000 levels", test_deep},
	{"the workspace is pinned", test_pinned},
	{"the owner's rights", test_owner},
};
TEST_MAIN(tests)
