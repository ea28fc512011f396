/* SPDX-License-Identifier: Apache-2.0 */
#include "files/files_search.h"

#include "base/buf.h"
#include "workspace.h"

#include <sys/resource.h>

static struct files_found found;

/* "path:line:column:text" of every match, "path:line-text" of a line around it. */
static const char *search(struct workspace *w, struct files_search q)
{
	static char out[8192];
	size_t len = 0;

	out[0] = '\0';
	w->e = (struct err){0};
	if (files_search(&w->f, &q, &w->arena, &found, &w->e) < 0)
		return NULL;
	for (size_t i = 0; i < found.count; i++) {
		const struct files_match *m = &found.matches[i];
		char column[24] = "-";

		if (m->column)
			snprintf(column, sizeof column, ":%zu:", m->column);
		len += (size_t)snprintf(out + len, sizeof out - len, "%s%s:%zu%s%.*s", i ? " " : "",
			m->path, m->line, column, (int)m->len, m->text);
	}
	for (size_t i = 0; i < found.entry_count; i++)
		len += (size_t)snprintf(
			out + len, sizeof out - len, "%s%s", i ? " " : "", found.entries[i].path);
	return out;
}

static void fill(struct workspace *w)
{
	workspace_make(w);
	workspace_mkdir(w, "src");
	workspace_mkdir(w, ".git");
	workspace_put(w->path, "src/a.c", "one\ntwo foo\nthree\nfoo foo\r\nfive\nsix\n");
	workspace_put(w->path, "src/b.h", "Foo");
	workspace_put(w->path, ".git/config", "foo\n");
	workspace_put(w->path, "z.txt", "no\n");
	workspace_link(w, "../out/secret", "link");
	workspace_link(w, "src/a.c", "again");
}

static void test_text(void)
{
	struct workspace w;

	fill(&w);
	check_str(search(&w, (struct files_search){.text = "foo"}),
		"src/a.c:2:5:two foo src/a.c:4:1:foo foo");
	check(found.searched == 3 && found.matched == 1 && found.match_count == 2 && !found.more);
	check_str(search(&w,
			  (struct files_search){.text = "foo", .ignore_case = true, .path = "src"}),
		"src/a.c:2:5:two foo src/a.c:4:1:foo foo src/b.h:1:1:Foo");
	check_str(search(&w, (struct files_search){.text = "foo", .glob = "*.h"}), "");
	check_str(search(&w, (struct files_search){.text = "oo", .glob = "src/*.h"}),
		"src/b.h:1:2:Foo");
	check_str(search(&w, (struct files_search){.text = "Foo", .path = "/workspace/src/b.h"}),
		"src/b.h:1:1:Foo");
	check_str(search(&w, (struct files_search){.text = "five", .path = "again"}),
		"src/a.c:5:1:five");
	check_str(search(&w, (struct files_search){.text = "foo", .limit = 1}),
		"src/a.c:2:5:two foo");
	check(found.more && !found.late);
	check_str(search(&w, (struct files_search){.text = SECRET}), "");
	check(!search(&w, (struct files_search){.text = SECRET, .path = "link"}));
	check_int(w.e.code, EXDEV);
	check(!search(&w, (struct files_search){.text = "a", .path = ".."}));
	check_int(w.e.code, EXDEV);
	check(!search(&w, (struct files_search){.text = ""}));
	check(!search(&w, (struct files_search){.text = "a\nb"}));
	check(!search(&w, (struct files_search){.path = "src"}));
	workspace_remove(&w);
}

static void test_regex(void)
{
	struct workspace w;

	fill(&w);
	check_str(search(&w, (struct files_search){.text = "^(f|t).*o$", .regex = true}),
		"src/a.c:2:1:two foo src/a.c:4:1:foo foo");
	check(!search(&w, (struct files_search){.text = "(", .regex = true}));
	check_int(w.e.code, EINVAL);
	workspace_remove(&w);
}

static void test_context(void)
{
	struct workspace w;

	fill(&w);
	check_str(search(&w, (struct files_search){.text = "foo", .context = 1}),
		"src/a.c:1-one src/a.c:2:5:two foo src/a.c:3-three src/a.c:4:1:foo foo "
		"src/a.c:5-five");
	check_str(search(&w, (struct files_search){.text = "five", .context = 9}),
		"src/a.c:1-one src/a.c:2-two foo src/a.c:3-three src/a.c:4-foo foo "
		"src/a.c:5:1:five src/a.c:6-six");
	check_str(search(&w, (struct files_search){.text = "one", .context = 1}),
		"src/a.c:1:1:one src/a.c:2-two foo");
	check_str(search(&w, (struct files_search){.text = "^f", .regex = true, .context = 1}),
		"src/a.c:3-three src/a.c:4:1:foo foo src/a.c:5:1:five src/a.c:6-six");
	workspace_remove(&w);
}

static void test_names(void)
{
	struct workspace w;

	fill(&w);
	check_str(search(&w, (struct files_search){.glob = "*.{c,h}"}), "src/a.c src/b.h");
	check_str(search(&w, (struct files_search){.glob = "**/*"}),
		".git again link src src/a.c src/b.h z.txt");
	check_str(search(&w, (struct files_search){.glob = "*", .limit = 2}), ".git again");
	check(found.more);
	workspace_remove(&w);
}

static void test_left_out(void)
{
	static const char *const hide[] = {"hid*"};
	struct workspace w;
	char path[128];
	int fd;

	fill(&w);
	workspace_put(w.path, "hidden", "foo");
	workspace_put(w.path, "large", "foo0123456789foo0123456789foo0123456789");
	snprintf(path, sizeof path, "%s/binary", w.path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	check(write(fd, "foo\0foo", 7) == 7);
	close(fd);
	snprintf(path, sizeof path, "%s/fifo", w.path);
	check(mkfifo(path, 0644) == 0);
	check_str(search(&w, (struct files_search){.text = "foo", .glob = "h*"}),
		"hidden:1:1:foo"); /* control */
	w.f.hide = hide;
	w.f.hide_count = 1;
	w.f.limit = 38;
	check_str(search(&w, (struct files_search){.text = "foo"}),
		"src/a.c:2:5:two foo src/a.c:4:1:foo foo");
	check(found.binary == 1 && found.large == 1 && found.searched == 3);
	workspace_remove(&w);
}

static void test_long_line(void)
{
	struct workspace w;
	char *line;

	workspace_make(&w);
	line = arena_array(&w.arena, 100001, 1);
	memset(line, 'x', 100000);
	memcpy(line + 50000, "needle", 6);
	workspace_put(w.path, "f", line);
	check(search(&w, (struct files_search){.text = "needle"}) != NULL);
	check_u64(found.count, 1);
	check(found.matches[0].cut && found.matches[0].len == FILES_SEARCH_LINE);
	check(memmem(found.matches[0].text, found.matches[0].len, "needle", 6) != NULL);
	check_u64(found.matches[0].column, 50001);
	workspace_remove(&w);
}

/* Each line takes longer than there is time: the clock is looked at between two of them. */
static void test_slow_lines(void)
{
	auto_(buf_free) struct buf text = BUF(10 << 20);
	struct workspace w;

	workspace_make(&w);
	for (int i = 0; i < 40; i++)
		buf_printf(&text, "%0*db\n", 60000, 0);
	workspace_put(w.path, "slow", buf_text(&text));
	check(search(&w, (struct files_search){.text = "(0?){100}b", .regex = true, .time_ms = 1}));
	check(found.more && found.late);
	check(found.match_count < 3);
	workspace_remove(&w);
}

static long peak_kib(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return used.ru_maxrss;
}

/* Names that are not in the answer cost no memory, however many and long they are. */
static void test_many_long_names(void)
{
	char part[251], name[32];
	struct workspace w;
	int at;
	long before;

	workspace_make(&w);
	memset(part, 'x', sizeof part - 1);
	part[sizeof part - 1] = '\0';
	at = openat(w.f.root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < 15; i++) {
		int next;

		check(mkdirat(at, part, 0755) == 0);
		next = openat(at, part, O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(at);
		at = next;
	}
	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof name, "%d", i);
		check(mknodat(at, name, S_IFREG | 0644, 0) == 0);
	}
	close(at);
	before = peak_kib();
	check_str(search(&w, (struct files_search){.glob = "none"}), "");
	check(!found.more);
	check(peak_kib() - before < 16 << 10);
	workspace_remove(&w);
}

static const struct test tests[] = {
	{"a text", test_text},
	{"an expression", test_regex},
	{"lines around", test_context},
	{"names", test_names},
	{"what is left out", test_left_out},
	{"a long line is cut", test_long_line},
	{"lines that take long", test_slow_lines},
	{"many long names", test_many_long_names},
};
TEST_MAIN(tests)
