/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/cgroup.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Made-up trees of folders and files that look like /sys/fs/cgroup. What a tree cannot show is that
 * a file may not be written: root may write everything. Such rows are for ordinary users only.
 */
static char top[] = "/tmp/ward-test-cgroup.XXXXXX";

#define UNIFIED "cpuset cpu io memory hugetlb pids"

struct file {
	const char *path;
	const char *text; /* NULL: a folder that may not be written */
};

#define FILES_MAX 24

static const struct row {
	const char *name;
	const char *membership;
	struct file files[FILES_MAX];
	bool user_only;
	bool v1, v2;
	int version[CGROUP_COUNT];
	int error[CGROUP_COUNT];
	const char *base; /* beneath the root; "" = the root itself, NULL = none */
	enum cgroup_base state;
} rows[] = {
	{"nothing mounted", "0::/\n", {{"", NULL}}, false, false, false, {0, 0, 0},
		{-ENOENT, -ENOENT, -ENOENT}, NULL, CGROUP_BASE_READY},
	{"v2, root hands down", "0::/a/b\n",
		{{"cgroup.controllers", UNIFIED}, {"cgroup.procs", "1\n2"},
			{"cgroup.subtree_control", "cpu memory pids"},
			{"a/cgroup.controllers", "memory pids"}, {"a/cgroup.procs", ""},
			{"a/cgroup.subtree_control", "memory pids"}, {"a/b/cgroup.procs", "2"},
			{"a/b/cgroup.controllers", "memory pids"},
			{"a/b/cgroup.subtree_control", ""}},
		false, false, true, {2, 2, 2}, {0, 0, 0}, "", CGROUP_BASE_READY},
	{"v2, the nearest of equals", "0::/a/b\n",
		{{"cgroup.controllers", UNIFIED}, {"cgroup.procs", "1\n2"},
			{"cgroup.subtree_control", "cpu memory pids"},
			{"a/cgroup.controllers", "cpu memory pids"}, {"a/cgroup.procs", ""},
			{"a/cgroup.subtree_control", "cpu memory pids"}, {"a/b/cgroup.procs", "2"},
			{"a/b/cgroup.subtree_control", ""}},
		false, false, true, {2, 2, 2}, {0, 0, 0}, "a", CGROUP_BASE_READY},
	{"v2, some controllers only", "0::/a\n",
		{{"cgroup.controllers", UNIFIED}, {"a/cgroup.procs", "1\n2"},
			{"a/cgroup.controllers", "memory pids"},
			{"a/cgroup.subtree_control", "memory pids"}},
		false, false, true, {2, 2, 2}, {0, -ENOTSUP, 0}, "a", CGROUP_BASE_READY},
	{"v2, a name is not a part of another", "0::/a\n",
		{{"cgroup.controllers", "cpuset memory_x pids"}, {"a/cgroup.procs", "1"},
			{"a/cgroup.subtree_control", "cpuset pids"}},
		false, false, true, {0, 0, 2}, {-ENOENT, -ENOENT, 0}, "a", CGROUP_BASE_READY},
	{"v2, alone in a delegated group", "0::/a\n",
		{{"cgroup.controllers", UNIFIED}, {"a/cgroup.procs", "SELF"},
			{"a/cgroup.controllers", "cpu memory pids"},
			{"a/cgroup.subtree_control", ""}},
		false, false, true, {2, 2, 2}, {0, 0, 0}, "a", CGROUP_BASE_OWN},
	{"v2, nobody in a delegated group", "0::/a/b\n",
		{{"cgroup.controllers", UNIFIED}, {"a/cgroup.procs", ""},
			{"a/cgroup.controllers", "cpu memory pids"},
			{"a/cgroup.subtree_control", ""}, {"a/b/cgroup.procs", "SELF"},
			{"a/b/cgroup.controllers", ""}, {"a/b/cgroup.subtree_control", ""}},
		false, false, true, {2, 2, 2}, {0, 0, 0}, "a", CGROUP_BASE_ENABLE},
	{"v2, what is handed down already before what could be", "0::/a\n",
		{{"cgroup.controllers", UNIFIED}, {"cgroup.procs", "1"},
			{"cgroup.subtree_control", "cpu memory pids"}, {"a/cgroup.procs", "SELF"},
			{"a/cgroup.controllers", "cpu memory pids"},
			{"a/cgroup.subtree_control", ""}},
		false, false, true, {2, 2, 2}, {0, 0, 0}, "", CGROUP_BASE_READY},
	{"v2, the root of all may have processes", "0::/\n",
		{{"cgroup.controllers", UNIFIED}, {"cgroup.procs", "1\nSELF"},
			{"cgroup.subtree_control", ""}},
		false, false, true, {2, 2, 2}, {0, 0, 0}, "", CGROUP_BASE_ENABLE},
	{"v2, the root of a part may not", "0::/\n",
		{{"cgroup.controllers", UNIFIED}, {"cgroup.procs", "1\nSELF"},
			{"cgroup.type", "domain"}, {"cgroup.subtree_control", ""}},
		false, false, true, {2, 2, 2}, {-ENOTSUP, -ENOTSUP, -ENOTSUP}, NULL,
		CGROUP_BASE_READY},
	{"v2, not alone", "0::/a\n",
		{{"cgroup.controllers", UNIFIED}, {"a/cgroup.procs", "1\nSELF"},
			{"a/cgroup.controllers", "cpu memory pids"},
			{"a/cgroup.subtree_control", ""}},
		false, false, true, {2, 2, 2}, {-ENOTSUP, -ENOTSUP, -ENOTSUP}, NULL,
		CGROUP_BASE_READY},
	{"v2, not delegated", "0::/a\n",
		{{"cgroup.controllers", UNIFIED}, {"a/cgroup.procs", "1"},
			{"a/cgroup.subtree_control", "cpu memory pids"}, {"a", NULL}, {"", NULL}},
		true, false, true, {2, 2, 2}, {-EACCES, -EACCES, -EACCES}, NULL, CGROUP_BASE_READY},
	{"v1", "4:memory:/x\n3:pids:/\n2:cpu,cpuacct:/y\n",
		{{"memory/x/tasks", ""}, {"pids/tasks", ""}, {"cpu/y/tasks", ""}}, false, true,
		false, {1, 1, 1}, {0, 0, 0}, NULL, CGROUP_BASE_READY},
	{"v1, mounted under the names of all", "2:cpu,cpuacct:/y\n", {{"cpu,cpuacct/y/tasks", ""}},
		false, true, false, {0, 1, 0}, {-ENOENT, 0, -ENOENT}, NULL, CGROUP_BASE_READY},
	{"v1, the group is not visible", "4:memory:/docker/123\n", {{"memory/tasks", ""}}, false,
		true, false, {1, 0, 0}, {0, -ENOENT, -ENOENT}, NULL, CGROUP_BASE_READY},
	{"v1, not for users", "4:memory:/x\n", {{"memory/x/tasks", ""}, {"memory/x", NULL}}, true,
		true, false, {1, 0, 0}, {-EACCES, -ENOENT, -ENOENT}, NULL, CGROUP_BASE_READY},
	{"hybrid without controllers in v2", "4:memory:/\n3:pids:/\n2:cpu:/\n0::/\n",
		{{"memory/tasks", ""}, {"pids/tasks", ""}, {"cpu/tasks", ""},
			{"unified/cgroup.controllers", "hugetlb"}},
		false, true, true, {1, 1, 1}, {0, 0, 0}, NULL, CGROUP_BASE_READY},
	{"hybrid with a controller in v2", "4:memory:/\n2:cpu:/\n0::/g\n",
		{{"memory/tasks", ""}, {"cpu/tasks", ""}, {"unified/cgroup.controllers", "pids"},
			{"unified/g/cgroup.procs", "1"},
			{"unified/g/cgroup.subtree_control", "pids"}},
		false, true, true, {1, 1, 2}, {0, 0, 0}, "unified/g", CGROUP_BASE_READY},
	{"membership that is no membership", "junk\n:::\n0:\n\n", {{"cgroup.controllers", UNIFIED}},
		false, false, false, {0, 0, 0}, {-ENOENT, -ENOENT, -ENOENT}, NULL,
		CGROUP_BASE_READY},
};

static void make_folders(char *path)
{
	for (char *p = path + strlen(top) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
}

/* SELF stands for the number of this process. */
static void write_text(FILE *f, const char *text)
{
	const char *self = strstr(text, "SELF");

	if (self)
		fprintf(f, "%.*s%d%s\n", (int)(self - text), text, (int)getpid(), self + 4);
	else
		fprintf(f, "%s\n", text);
}

static void make_file(const struct file *file)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/root/%s", top, file->path);
	make_folders(path);
	if (!file->text) {
		check(chmod(path, 0500) == 0);
		return;
	}
	f = fopen(path, "we");
	check(f != NULL);
	if (f) {
		write_text(f, file->text);
		fclose(f);
	}
}

static void make_tree(const struct row *row)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/root", top);
	check(mkdir(path, 0700) == 0);
	for (size_t i = 0; i < FILES_MAX && row->files[i].path; i++)
		make_file(&row->files[i]);
	snprintf(path, sizeof(path), "%s/membership", top);
	f = fopen(path, "we");
	if (check(f != NULL)) {
		fputs(row->membership, f);
		fclose(f);
	}
}

static void remove_file(const char *relative)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, relative);
	for (char *p = path + strlen(path); p > path + strlen(top); p = strrchr(path, '/')) {
		*p = '\0';
		if (chmod(path, 0700) < 0 || remove(path) < 0)
			return;
	}
}

static void remove_tree(const struct row *row)
{
	char path[256];

	/* Rights come back from the top, files go from the end. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = FILES_MAX; i-- > 0;) {
			if (!row->files[i].path)
				continue;
			snprintf(path, sizeof(path), "%s/root/%s", top, row->files[i].path);
			if (!row->files[i].text)
				chmod(path, 0700);
			else if (pass) {
				snprintf(path, sizeof(path), "root/%s", row->files[i].path);
				remove_file(path);
			}
		}
	remove_file("root");
	remove_file("membership");
}

static void check_row(const struct row *row)
{
	char root[256], membership[256], base[512] = "";
	struct cgroup_view v;

	snprintf(root, sizeof(root), "%s/root", top);
	snprintf(membership, sizeof(membership), "%s/membership", top);
	cgroup_look(root, membership, &v);
	check_int(v.v1, row->v1);
	check_int(v.v2, row->v2);
	for (int c = 0; c < CGROUP_COUNT; c++) {
		test_row("%s: controller %d", row->name, c);
		check_int(v.controller[c].version, row->version[c]);
		check_int(v.controller[c].error, row->error[c]);
	}
	if (row->base)
		snprintf(base, sizeof(base), "%s%s%s", root, row->base[0] ? "/" : "", row->base);
	check_str(v.base, base);
	check_int(v.base_state, row->state);
}

/* Where groups are made in version 1, and which hierarchies are one. */
static void test_places(void)
{
	static const struct row row = {.membership = "7:cpu,memory:/x\n3:pids:/gone\n",
		.files = {{"cpu,memory/x/tasks", ""}, {"pids/tasks", ""}}};
	char root[256], membership[256], dir[512];
	struct cgroup_view v;

	memcpy(top + sizeof(top) - 7, "XXXXXX", 6);
	check(mkdtemp(top) != NULL);
	make_tree(&row);
	snprintf(root, sizeof(root), "%s/root", top);
	snprintf(membership, sizeof(membership), "%s/membership", top);
	cgroup_look(root, membership, &v);
	snprintf(dir, sizeof(dir), "%s/cpu,memory/x", root);
	check_str(v.controller[CGROUP_MEMORY].dir, dir);
	check_str(v.controller[CGROUP_CPU].dir, dir);
	check_int(v.controller[CGROUP_MEMORY].hierarchy, 7);
	check_int(v.controller[CGROUP_CPU].hierarchy, 7);
	snprintf(dir, sizeof(dir), "%s/pids", root);
	check_str(v.controller[CGROUP_PIDS].dir, dir);
	check_int(v.controller[CGROUP_PIDS].hierarchy, 3);
	remove_tree(&row);
	rmdir(top);
	check(access(top, F_OK) < 0);
}

static void test_trees(void)
{
	check(mkdtemp(top) != NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].user_only && geteuid() == 0)
			continue;
		test_row("%s", rows[i].name);
		make_tree(&rows[i]);
		check_row(&rows[i]);
		remove_tree(&rows[i]);
		mkdir(top, 0700);
	}
	check(rmdir(top) == 0);
}

/* On this machine, whatever it has: compared with what /proc/mounts says. */
static void test_here(void)
{
	struct cgroup_view v;
	char line[4096];
	bool v1 = false, v2 = false;
	FILE *f = fopen("/proc/mounts", "re");

	if (!check(f != NULL))
		return;
	while (fgets(line, sizeof(line), f)) {
		v2 |= strstr(line, " cgroup2 ") && strstr(line, " /sys/fs/cgroup");
		v1 |= strstr(line, " cgroup ") && strstr(line, " /sys/fs/cgroup/memory ");
	}
	fclose(f);
	cgroup_look("/sys/fs/cgroup", "/proc/self/cgroup", &v);
	check_int(v.v2, v2);
	check_int(v.controller[CGROUP_MEMORY].version == 1, v1);
}

static const struct test tests[] = {
	{"made-up trees", test_trees},
	{"places in version 1", test_places},
	{"this machine", test_here},
};

TEST_MAIN(tests)
