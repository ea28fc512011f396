/* SPDX-License-Identifier: Apache-2.0 */

/* Each test has a fresh folder: it is the current one, and holds home/ and xdg/. */

#include "door/load.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char folder[64];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void leave(void)
{
	if (folder[0] && chdir("/") == 0)
		nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void write_file(const char *path, const char *text)
{
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (!check(fd >= 0) || !check(write(fd, text, strlen(text)) == (ssize_t)strlen(text)))
		printf("# cannot write %s\n", path);
}

static void enter(void)
{
	leave();
	umask(022);
	snprintf(folder, sizeof folder, "/tmp/ward-load.XXXXXX");
	check(mkdtemp(folder) != NULL);
	check_int(chdir(folder), 0);
	check_int(mkdir("home", 0700), 0);
	check_int(mkdir("home/.config", 0700), 0);
	check_int(mkdir("home/.config/ward", 0700), 0);
	check_int(mkdir("xdg", 0700), 0);
	check_int(mkdir("xdg/ward", 0700), 0);
	setenv("HOME", "/nonexistent", 1);
	unsetenv("XDG_CONFIG_HOME");
}

static void set_home(const char *name, const char *relative)
{
	char path[128];

	snprintf(path, sizeof path, "%s/%s", folder, relative);
	setenv(name, path, 1);
}

#define MODE_OFF_TEXT "{agents: {defaults: {sandbox: {mode: 'off'}}}}"

static int load_with(const char *config, struct config *c, struct err *e)
{
	struct load_request q = {.config = config, .wish.all = true};

	return load_config(&q, c, e);
}

/* Which levels have a file, as letters. */
static const char *levels(const struct config *c)
{
	static char out[8];
	static const char letters[LEVEL_COUNT] = {'b', 's', 'u', 'w', 'c'};
	size_t n = 0;

	for (int i = 0; i < LEVEL_COUNT; i++)
		if (c->levels[i].source)
			out[n++] = letters[i];
	out[n] = '\0';
	return out;
}

static void check_loads(const char *config, const char *want)
{
	auto_(config_free) struct config c = {0};
	struct err e = {0};

	if (!check_int(load_with(config, &c, &e), 0))
		printf("# %s\n", e.text);
	check_str(levels(&c), want);
}

static void check_fails(const char *config, int code, const char *part)
{
	auto_(config_free) struct config c = {0};
	struct err e = {0};

	check_int(load_with(config, &c, &e), -code);
	check_int(e.code, code);
	check_has(e.text, part);
}

static void test_nothing_there(void)
{
	enter();
	check_loads(NULL, "");
	/* Folders that are none, too. */
	setenv("HOME", "/dev/null", 1);
	check_loads(NULL, "");
	unsetenv("HOME");
	check_loads(NULL, "");
}

static void test_where_the_user_file_is(void)
{
	auto_(arena_free) struct arena a = {0};

	enter();
	setenv("HOME", "/h", 1);
	check_str(load_user_path(&a), "/h/.config/ward/ward.json5");
	setenv("XDG_CONFIG_HOME", "", 1);
	check_str(load_user_path(&a), "/h/.config/ward/ward.json5");
	setenv("XDG_CONFIG_HOME", "relative/path", 1);
	check_str(load_user_path(&a), "/h/.config/ward/ward.json5");
	setenv("XDG_CONFIG_HOME", "./x", 1);
	check_str(load_user_path(&a), "/h/.config/ward/ward.json5");
	setenv("XDG_CONFIG_HOME", "/x", 1);
	check_str(load_user_path(&a), "/x/ward/ward.json5");
	unsetenv("XDG_CONFIG_HOME");
	setenv("HOME", "relative", 1);
	check_str(load_user_path(&a), "");
	setenv("HOME", "", 1);
	check_str(load_user_path(&a), "");
	unsetenv("HOME");
	check_str(load_user_path(&a), "");
}

static void test_user_file(void)
{
	auto_(config_free) struct config c = {0};
	struct err e = {0};

	enter();
	write_file("home/.config/ward/ward.json5", MODE_OFF_TEXT);
	set_home("HOME", "home");
	check_int(load_with(NULL, &c, &e), 0);
	check_str(levels(&c), "u");
	check_int(c.levels[LEVEL_USER].defaults.sandbox.mode.v, MODE_OFF);
	check(str_ends(c.levels[LEVEL_USER].source->name, "/home/.config/ward/ward.json5"));
	/* The folder of the environment comes first, and only if it is absolute. */
	setenv("XDG_CONFIG_HOME", "xdg", 1);
	check_loads(NULL, "u");
	set_home("XDG_CONFIG_HOME", "xdg");
	check_loads(NULL, "");
	write_file("xdg/ward/ward.json5", "{nonsense: 1}");
	check_fails(NULL, EINVAL, "/xdg/ward/ward.json5:1:2: nonsense: unknown key");
}

static void test_named_file(void)
{
	enter();
	write_file("home/.config/ward/ward.json5", "{broken");
	set_home("HOME", "home");
	write_file("named.json5", MODE_OFF_TEXT);
	check_loads("named.json5", "u");
	check_fails("missing.json5", ENOENT, "open 'missing.json5': ");
	check_fails("", EINVAL, "--config '': the name of a file is needed");
	check_fails("home/.config/ward/ward.json5", EINVAL,
		"home/.config/ward/ward.json5:1:8: the text ends where ':' should stand");
	check_fails("named.json5/x", ENOTDIR, "open 'named.json5/x': ");
}

static void make_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	check_int(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
}

/* As the user's file, by name, and as the workspace's: none of these is ever read or waited for. */
static void test_what_is_no_file(void)
{
	static const struct {
		const char *kind;
		int code;
		const char *want;
	} rows[] = {
		{"folder", EISDIR, "it is a directory, but a regular file is needed"},
		{"fifo", EINVAL, "it is a FIFO, but a regular file is needed"},
		{"socket", EINVAL, "it is a socket, but a regular file is needed"},
		{"loop", ELOOP, "open '"},
		{"nowhere", ENOENT, "open '"},
		{"null", EINVAL, "it is a device, but a regular file is needed"},
		{"zero", EINVAL, "it is a device, but a regular file is needed"},
		{"up", EISDIR, "it is a directory, but a regular file is needed"},
	};
	char xdg[128];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("%s", rows[i].kind);
		enter();
		check_int(mkdir("folder", 0700), 0);
		check_int(mkfifo("fifo", 0600), 0);
		make_socket("socket");
		check_int(symlink("ring", "loop"), 0);
		check_int(symlink("ring", "ring"), 0);
		check_int(symlink("not/there", "nowhere"), 0);
		check_int(symlink("/dev/null", "null"), 0);
		check_int(symlink("/dev/zero", "zero"), 0);
		check_int(symlink(".", "up"), 0);
		check_fails(rows[i].kind, rows[i].code, rows[i].want);
		set_home("XDG_CONFIG_HOME", "xdg");
		snprintf(xdg, sizeof xdg, "../../%s", rows[i].kind);
		check_int(symlink(xdg, "xdg/ward/ward.json5"), 0);
		check_fails(NULL, rows[i].code, rows[i].want);
		unsetenv("XDG_CONFIG_HOME");
		check_int(rename(rows[i].kind, ".ward.json5"), 0);
		check_fails(NULL, rows[i].code, rows[i].want);
	}
	check_fails("/dev/null", EINVAL, "read '/dev/null': it is a device");
	check_fails("/dev/zero", EINVAL, "read '/dev/zero': it is a device");
	check_fails("/", EISDIR, "it is a directory");
}

static void test_links_to_a_file(void)
{
	enter();
	write_file("real.json5", MODE_OFF_TEXT);
	check_int(symlink("real.json5", "link.json5"), 0);
	check_loads("link.json5", "u");
	/* The workspace's file is written by nobody trusted. */
	check_int(symlink("real.json5", ".ward.json5"), 0);
	check_fails(NULL, ELOOP, "'.ward.json5' is a symbolic link");
	check_int(unlink(".ward.json5"), 0);
	check_int(symlink("/etc/passwd", ".ward.json5"), 0);
	check_fails(NULL, ELOOP, "'.ward.json5' is a symbolic link");
}

static void test_who_may_change_it(void)
{
	enter();
	write_file("f.json5", "{}");
	check_loads("f.json5", "u");
	check_int(chmod("f.json5", 0660), 0);
	check_fails("f.json5", EPERM,
		"'f.json5' has mode 0660, so others may change it: chmod go-w f.json5");
	check_int(chmod("f.json5", 0602), 0);
	check_fails("f.json5", EPERM, "chmod go-w f.json5");
	check_int(chmod("f.json5", 0644), 0);
	check_loads("f.json5", "u");
	check_int(chmod(".", 0770), 0);
	check_fails("f.json5", EPERM,
		"'f.json5' could be replaced: its folder has mode 0770, so others may write there: "
		"chmod go-w .");
	check_int(chmod(".", 0707), 0);
	check_fails("f.json5", EPERM, "chmod go-w .");
	/* Where the sticky bit keeps names safe, as in /tmp. */
	check_int(chmod(".", 01777), 0);
	check_loads("f.json5", "u");
	check_int(chmod(".", 0700), 0);
	check_int(mkdir("other", 0777), 0);
	check_int(chmod("other", 0777), 0);
	check_int(rename("f.json5", "other/f.json5"), 0);
	check_fails("other/f.json5", EPERM, "chmod go-w other");
	check_int(symlink("other/f.json5", "f.json5"), 0);
	check_fails("f.json5", EPERM, "a folder that it links to has mode 0777");
}

/* The workspace's file may be writable for anybody: it may only tighten. */
static void test_workspace_file_needs_no_owner(void)
{
	enter();
	write_file(".ward.json5", "{agents: {defaults: {sandbox: {workspace: 'ro'}}}}");
	check_int(chmod(".ward.json5", 0666), 0);
	check_int(chmod(".", 0777), 0);
	check_loads(NULL, "w");
	check_int(chmod(".", 0700), 0);
}

static void test_workspace_path(void)
{
	static const struct item item = {"workspacePath=/nonexistent", {0}};
	static const struct opt_list sets = {.items = &item, .count = 1};
	struct load_request q = {.sets = &sets, .wish.all = true};
	auto_(config_free) struct config c = {0}, elsewhere = {0};
	struct err e = {0};
	char text[256];

	enter();
	check_int(mkdir("space", 0700), 0);
	write_file("space/.ward.json5", "{nonsense: 1}");
	check_loads(NULL, "");
	snprintf(text, sizeof text, "{agents: {defaults: {sandbox: {workspacePath: '%s/space'}}}}",
		folder);
	write_file("f.json5", text);
	check_fails("f.json5", EINVAL, "/space/.ward.json5:1:2: nonsense: unknown key");
	write_file("space/.ward.json5", "{}");
	check_int(load_with("f.json5", &c, &e), 0);
	check_str(levels(&c), "uw");
	/* The caller's word counts before the workspace is looked for. */
	write_file(".ward.json5", "{nonsense: 1}");
	check_int(load_config(&q, &elsewhere, &e), 0);
	check_str(levels(&elsewhere), "c");
}

/* What a project's .env says is nobody's environment. */
static void test_env_files_are_not_read(void)
{
	auto_(config_free) struct config c = {0};
	struct err e = {0};
	char text[1024];

	enter();
	write_file("xdg/ward/ward.json5", "{nonsense: 1}");
	write_file("home/.config/ward/ward.json5", "{nonsense: 1}");
	snprintf(text, sizeof text,
		"XDG_CONFIG_HOME=%s/xdg\nHOME=%s/home\nPATH=%s\nWARD_CONFIG=%s/xdg/ward/"
		"ward.json5\nWARD_HOME=%s/home\n",
		folder, folder, folder, folder, folder);
	write_file(".env", text);
	write_file(".envrc", text);
	write_file("home/.env", text);
	check_int(load_with(NULL, &c, &e), 0);
	check_str(levels(&c), "");
	check_str(c.home, "/nonexistent");
	/* Nor do variables of that name count. */
	set_home("WARD_CONFIG", "xdg/ward/ward.json5");
	set_home("WARD_HOME", "home");
	set_home("WARD_CONFIG_HOME", "xdg");
	check_loads(NULL, "");
}

static void test_all_levels(void)
{
	static const struct item item = {"network=none", {0}};
	static const struct opt_list sets = {.items = &item, .count = 1};
	struct load_request q = {.config = "f.json5", .sets = &sets, .wish.all = true};
	auto_(config_free) struct config c = {0};
	struct err e = {0};

	enter();
	write_file("f.json5", "{}");
	write_file(".ward.json5", "{}");
	check_int(load_config(&q, &c, &e), 0);
	check_str(levels(&c), "uwc");
	check_str(c.levels[LEVEL_WORKSPACE].source->name, ".ward.json5");
}

static void test_bad_assignment(void)
{
	static const struct item items[] = {{"mode=all", {0}}, {"mode=sideways", {0}}};
	static const struct opt_list sets = {.items = items, .count = 2};
	struct load_request q = {.sets = &sets, .wish.all = true};
	auto_(config_free) struct config c = {0};
	struct err e = {0};

	enter();
	check_int(load_config(&q, &c, &e), -EINVAL);
	check_has(e.text, "--set: command line: mode: 'sideways' is none of all, non-main, off");
}

static void test_who_may_say_what(void)
{
	enter();
	write_file("f.json5", "{locked: ['tools.deny']}");
	check_fails("f.json5", EINVAL, "'locked' belongs in the administrator's file");
	write_file(".ward.json5", "{locked: ['tools.deny']}");
	check_fails(NULL, EINVAL, ".ward.json5:1:10: 'locked' belongs");
	write_file(".ward.json5", "{profiles: {p: {}}}");
	check_fails(NULL, EINVAL, "may only tighten");
	write_file(".ward.json5", "{toolProfiles: {p: []}}");
	check_fails(NULL, EINVAL, "may only tighten");
}

static void test_size(void)
{
	enter();
	write_file("f.json5", "{}");
	check_int(truncate("f.json5", (4 << 20) + 1), 0);
	check_fails("f.json5", EFBIG, "f.json5:1:1: larger than 4 MiB");
	check_int(truncate("f.json5", 4 << 20), 0);
	check_fails("f.json5", EINVAL, "f.json5:1:3: a NUL byte is not allowed");
	write_file("a\x1b[2J\nb", "{}");
	check_int(truncate("a\x1b[2J\nb", 10 << 20), 0);
	check_fails("a\x1b[2J\nb", EFBIG, "a\\x1b[2J\\nb:1:1: larger than 4 MiB");
}

static void test_names_are_escaped(void)
{
	enter();
	write_file("a\x1b]0;t\a", "{x");
	check_fails("a\x1b]0;t\a", EINVAL, "a\\x1b]0;t\\x07:1:3: ");
	check_fails("b\x1b[2J", ENOENT, "open 'b\\x1b[2J'");
	write_file("a\x1b]0;t\a", "{x: 1}");
	check_fails("a\x1b]0;t\a", EINVAL, "a\\x1b]0;t\\x07:1:2: x: unknown key");
	check_int(chmod("a\x1b]0;t\a", 0666), 0);
	check_fails("a\x1b]0;t\a", EPERM, "chmod go-w $'a\\x1b]0;t\\x07'");
}

static void test_home_must_fit(void)
{
	char home[400];

	enter();
	memset(home, 'h', sizeof home - 1);
	home[0] = '/';
	home[sizeof home - 1] = '\0';
	setenv("HOME", home, 1);
	check_fails(NULL, ENAMETOOLONG, "HOME is longer than 255 bytes");
	home[255] = '\0';
	setenv("HOME", home, 1);
	check_loads(NULL, "");
}

static void test_clean_up(void)
{
	leave();
	check_int(access(folder, F_OK), -1);
}

static const struct test tests[] = {
	{"nothing there", test_nothing_there},
	{"where the user's file is", test_where_the_user_file_is},
	{"the user's file", test_user_file},
	{"a file by name", test_named_file},
	{"what is no file", test_what_is_no_file},
	{"links to a file", test_links_to_a_file},
	{"who may change it", test_who_may_change_it},
	{"the workspace's file needs no owner", test_workspace_file_needs_no_owner},
	{"the workspace's path", test_workspace_path},
	{".env is not read", test_env_files_are_not_read},
	{"all levels", test_all_levels},
	{"a bad assignment", test_bad_assignment},
	{"who may say what", test_who_may_say_what},
	{"4 MiB and more", test_size},
	{"names are escaped", test_names_are_escaped},
	{"a home must fit", test_home_must_fit},
	{"nothing is left", test_clean_up},
};

TEST_MAIN(tests)
