/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/file.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX 64

static char home[] = "/tmp/ward-test-file.XXXXXX";
static int dir = -1;

static void write_file(const char *name, const char *text, size_t len, mode_t mode)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	check(fd >= 0 && write(fd, text, len) == (ssize_t)len && fchmod(fd, mode) == 0);
	close(fd);
}

static int read_it(
	const char *name, struct file_info *info, char **data, size_t *len, struct err *e)
{
	*e = (struct err){0};
	return file_read(dir, name, MAX, info, data, len, e);
}

static void make_socket(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", home);
	check(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	close(fd);
}

static void set_up(void)
{
	check(mkdtemp(home) != NULL);
	dir = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	check(dir >= 0);
	write_file("plain", "hello\n", 6, 0600);
	write_file("empty", "", 0, 0600);
	write_file("full", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", 64,
		0600);
	write_file("over", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef!", 65,
		0600);
	write_file("closed", "x", 1, 0);
	check(mkdirat(dir, "sub", 0700) == 0);
	check(mkfifoat(dir, "fifo", 0600) == 0);
	check(symlinkat("plain", dir, "link") == 0);
	check(symlinkat("../link", dir, "sub/far") == 0);
	check(symlinkat("loop2", dir, "loop1") == 0);
	check(symlinkat("loop1", dir, "loop2") == 0);
	check(symlinkat("nowhere", dir, "dangling") == 0);
	check(symlinkat("fifo", dir, "to-fifo") == 0);
	check(symlinkat("/dev/null", dir, "to-device") == 0);
	make_socket();
}

static void test_reads(void)
{
	static const struct {
		const char *name;
		size_t len;
		unsigned links;
	} good[] = {
		{"plain", 6, 0},
		{"./plain", 6, 0},
		{"sub/../plain", 6, 0},
		{"link", 6, 1},
		{"sub/far", 6, 2},
		{"empty", 0, 0},
		{"full", 64, 0},
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct file_info info;
		struct stat st;
		struct err e;
		char *data = NULL;
		size_t len = 99;

		test_row("%s", good[i].name);
		if (!check_int(read_it(good[i].name, &info, &data, &len, &e), 0))
			continue;
		check_u64(len, good[i].len);
		check_u64(strlen(data), good[i].len);
		check_int(info.links, good[i].links);
		check(fstatat(dir, good[i].name, &st, 0) == 0);
		check(info.ino == st.st_ino && info.dev == st.st_dev);
		check(info.uid == geteuid() && (info.mode & 07777) == 0600);
		free(data);
	}
}

static void test_refuses(void)
{
	static const struct {
		const char *name;
		int code;
		const char *part;
	} bad[] = {
		{"absent", ENOENT, "open 'absent': No such file"},
		{"absent/x", ENOENT, "No such file"},
		{"", ENOENT, "open ''"},
		{"plain/x", ENOTDIR, "Not a directory"},
		{"over", EFBIG, "larger than 64"},
		{".", EISDIR, "it is a directory"},
		{"sub", EISDIR, "it is a directory"},
		{"sub/", EISDIR, "it is a directory"},
		{"fifo", EINVAL, "it is a FIFO"},
		{"to-fifo", EINVAL, "it is a FIFO"},
		{"socket", EINVAL, "it is a socket"},
		{"to-device", EINVAL, "it is a device"},
		{"/dev/zero", EINVAL, "it is a device"},
		{"loop1", ELOOP, "open 'loop1': "},
		{"dangling", ENOENT, "No such file"},
		{"a\x1b[31m\nb", ENOENT, "open 'a\\x1b[31m\\nb'"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct file_info info = {.links = 77};
		struct err e;
		char *data = NULL;
		size_t len = 99;

		test_row("%s", bad[i].name);
		check_int(read_it(bad[i].name, &info, &data, &len, &e), -bad[i].code);
		check_has(e.text, bad[i].part);
		check(!data && len == 99 && info.links == 77);
		free(data);
	}
}

static void test_long_names(void)
{
	struct err e;
	char *data = NULL, name[6000];
	size_t len;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	check_int(read_it(name, NULL, &data, &len, &e), -ENAMETOOLONG);
	check_has(e.text, "...': ");
	for (size_t i = 1; i < sizeof(name) - 1; i += 2)
		name[i] = '/';
	check_int(read_it(name, NULL, &data, &len, &e), -ENAMETOOLONG);
}

/* More links than are followed, though the kernel would follow them. */
static void test_many_links(void)
{
	char from[32], to[32];
	struct file_info info;
	struct err e;
	char *data = NULL;
	size_t len;

	for (int i = 0; i <= FILE_LINKS_MAX; i++) {
		snprintf(from, sizeof(from), "chain%d", i);
		if (i)
			snprintf(to, sizeof(to), "chain%d", i - 1);
		else
			snprintf(to, sizeof(to), "plain");
		check(symlinkat(to, dir, from) == 0);
	}
	check_int(read_it("chain7", &info, &data, &len, &e), -ELOOP);
	check_int(read_it("chain6", &info, &data, &len, &e), 0);
	check_int(info.links, FILE_LINKS_MAX);
	free(data);
}

static void test_unreadable(void)
{
	struct err e;
	char *data = NULL;
	size_t len;
	int r = read_it("closed", NULL, &data, &len, &e);

	check_int(r, geteuid() == 0 ? 0 : -EACCES);
	free(data);
}

/* A file that pretends to be empty, as those in /proc do. */
static void test_proc(void)
{
	struct err e = {0};
	char *data = NULL;
	size_t len = 0;

	check_int(file_read(AT_FDCWD, "/proc/self/status", 1 << 20, NULL, &data, &len, &e), 0);
	check(len > 100 && strstr(data, "Pid:"));
	free(data);
	data = NULL;
	check_int(file_read(AT_FDCWD, "/proc/self/status", 100, NULL, &data, &len, &e), -EFBIG);
	check(!data);
}

/* Trust is a matter of numbers: made-up owners and modes, the caller is uid 1000. */
static void test_trust(void)
{
	static const struct {
		const char *name;
		struct file_info info;
		const char *part; /* NULL: trusted */
	} rows[] = {
		{"own file", {.uid = 1000, .mode = 0644, .steps = {{1000, 0755, 1000}}}, NULL},
		{"root's file", {.uid = 0, .mode = 0644, .steps = {{0, 0755, 0}}}, NULL},
		{"own file in a sticky folder",
			{.uid = 1000, .mode = 0600, .steps = {{0, 01777, 1000}}}, NULL},
		{"somebody else's file", {.uid = 7, .mode = 0600, .steps = {{1000, 0755, 7}}},
			"belongs to uid 7, but must belong to uid 1000 or root: chown 1000 /x/f"},
		{"group may write", {.uid = 1000, .mode = 0664, .steps = {{1000, 0755, 1000}}},
			"has mode 0664, so others may change it: chmod go-w /x/f"},
		{"anyone may write", {.uid = 0, .mode = 0602, .steps = {{0, 0755, 0}}},
			"chmod go-w"},
		{"folder for the group", {.uid = 1000, .mode = 0600, .steps = {{1000, 0775, 1000}}},
			"its folder has mode 0775, so others may write there: chmod go-w /x"},
		{"folder for everyone", {.uid = 0, .mode = 0600, .steps = {{0, 0777, 0}}},
			"mode 0777"},
		{"somebody else's folder", {.uid = 1000, .mode = 0600, .steps = {{7, 0755, 1000}}},
			"its folder belongs to uid 7"},
		{"somebody else's sticky folder",
			{.uid = 1000, .mode = 0600, .steps = {{7, 01777, 1000}}},
			"its folder belongs to uid 7"},
		{"a link to root's file",
			{.uid = 0,
				.mode = 0644,
				.links = 1,
				.steps = {{1000, 0755, 1000}, {0, 0755, 0}}},
			NULL},
		{"somebody else's link in a sticky folder",
			{.uid = 0,
				.mode = 0644,
				.links = 1,
				.steps = {{0, 01777, 7}, {0, 0755, 0}}},
			"a symbolic link on the way belongs to uid 7"},
		{"a link into an open folder",
			{.uid = 0, .mode = 0644, .links = 1, .steps = {{0, 0755, 0}, {0, 0777, 0}}},
			"a folder that it links to has mode 0777"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = {0};
		int r = file_check_trusted(&rows[i].info, 1000, "/x/f", &e);

		test_row("%s", rows[i].name);
		check_int(r, rows[i].part ? -EPERM : 0);
		if (rows[i].part)
			check_has(e.text, rows[i].part);
	}
}

/* The same on real files, as far as the one who runs the test may make them. */
static void test_trust_of_real_files(void)
{
	struct file_info info;
	struct err e;
	char *data = NULL;
	size_t len;

	check_int(read_it("plain", &info, &data, &len, &e), 0);
	free(data);
	check_int(file_check_trusted(&info, geteuid(), "plain", &e), 0);
	check(fchmod(dir, 0777) == 0);
	check_int(read_it("plain", &info, &data, &len, &e), 0);
	free(data);
	check_int(file_check_trusted(&info, geteuid(), "plain", &e), -EPERM);
	check_has(e.text, "chmod go-w .");
	check(fchmod(dir, 01777) == 0);
	check_int(read_it("plain", &info, &data, &len, &e), 0);
	free(data);
	check_int(file_check_trusted(&info, geteuid(), "plain", &e), 0);
	check(fchmod(dir, 0700) == 0);
}

static void test_small(void)
{
	char text[8], path[128];

	snprintf(path, sizeof(path), "%s/plain", home);
	check_int(file_read_small(path, text, sizeof(text)), 5);
	check_str(text, "hello");
	check_int(file_read_small(path, text, 4), 3);
	check_str(text, "hel");
	check_int(file_read_small("/nowhere/at/all", text, sizeof(text)), -ENOENT);
}

static void tear_down(void)
{
	static const char *const names[] = {"plain", "empty", "full", "over", "closed", "fifo",
		"link", "sub/far", "loop1", "loop2", "dangling", "to-fifo", "to-device", "socket"};
	char name[32];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check(unlinkat(dir, names[i], 0) == 0);
	for (int i = 0; i <= FILE_LINKS_MAX; i++) {
		snprintf(name, sizeof(name), "chain%d", i);
		unlinkat(dir, name, 0);
	}
	check(unlinkat(dir, "sub", AT_REMOVEDIR) == 0);
	close(dir);
	check(rmdir(home) == 0);
}

static const struct test tests[] = {
	{"files to read", set_up},
	{"regular files are read", test_reads},
	{"anything else is refused", test_refuses},
	{"names that are too long", test_long_names},
	{"too many links", test_many_links},
	{"a file without rights", test_unreadable},
	{"files that lie about their size", test_proc},
	{"who is trusted", test_trust},
	{"trust of real files", test_trust_of_real_files},
	{"small files", test_small},
	{"nothing is left", tear_down},
};

TEST_MAIN(tests)
