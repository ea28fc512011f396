/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/calls.h"
#include "sys/child.h"
#include "sys/file.h"
#include "sys/host.h"
#include "sys/landlock.h"
#include "sys/lsm.h"
#include "sys/mount.h"
#include "sys/nft.h"
#include "sys/ns.h"
#include "sys/seccomp.h"
#include "sys/sysctl.h"
#include "sys/term.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Questions to the kernel that runs the test. What it offers is not known here, so each answer is
 * compared with another source, mostly a text in /proc; and nothing that is tried may change the
 * process that asks.
 */
#define TRY_MS 20000

static void status_line(const char *name, char *out, size_t size)
{
	char text[8192];
	const char *line;

	out[0] = '\0';
	if (!check(file_read_small("/proc/self/status", text, sizeof(text)) > 0))
		return;
	line = strstr(text, name);
	if (line)
		snprintf(out, size, "%.*s", (int)strcspn(line, "\n"), line);
}

static void test_namespaces(void)
{
	static const char *const files[NS_COUNT] = {
		"user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time"};
	bool there[NS_COUNT];
	char path[64], target[64];

	ns_look(there);
	for (int k = 0; k < NS_COUNT; k++) {
		test_row("%s", files[k]);
		snprintf(path, sizeof(path), "/proc/self/ns/%s", files[k]);
		check_int(there[k], readlink(path, target, sizeof(target)) > 0);
	}
}

static void read_ns(char out[64])
{
	ssize_t n = readlink("/proc/self/ns/user", out, 63);

	out[n > 0 ? n : 0] = '\0';
}

static void test_asking_enters_nothing(void)
{
	char before[64], after[64];

	read_ns(before);
	ns_filtered();
	read_ns(after);
	check_str(after, before);
}

/* In the child: really in a namespace of its own, with the own ids mapped to themselves. */
static int enter_and_look(void *ctx)
{
	char ns[64], map[128];
	unsigned inside = 0, outside = 1, count = 0;
	uid_t uid = geteuid();
	int r = ns_enter_user();

	if (r < 0)
		return r;
	read_ns(ns);
	if (strcmp(ns, ctx) == 0)
		return -EXDEV;
	if (file_read_small("/proc/self/uid_map", map, sizeof(map)) < 0 ||
		sscanf(map, "%u %u %u", &inside, &outside, &count) != 3)
		return -EBADMSG;
	return inside == uid && outside == uid && count == 1 && geteuid() == uid ? 0 : -EBADMSG;
}

static void test_user_namespace(void)
{
	char before[64], after[64];
	int64_t limit = 0;
	int r;

	read_ns(before);
	r = child_try(enter_and_look, before, TRY_MS);
	read_ns(after);
	check_str(after, before);
	/* Whoever forbids it says so by one of these. */
	check(r == 0 || r == -EPERM || r == -EACCES || r == -ENOSPC || r == -EUSERS ||
		r == -EINVAL || r == -ENOSYS);
	if (sysctl_read("user.max_user_namespaces", &limit) == 0 && limit == 0)
		check_int(r, -ENOSPC);
	if (ns_filtered() < 0)
		check(r < 0);
}

static int try_landlock(void *ctx)
{
	(void)ctx;
	return landlock_try();
}

static int try_seccomp(void *ctx)
{
	int r = seccomp_try();

	(void)ctx;
	return r < 0 ? r : seccomp_filtered();
}

static void test_landlock(void)
{
	int abi = landlock_abi(), r = child_try(try_landlock, NULL, TRY_MS);
	char lsms[256];

	check_int(r == 0, abi > 0);
	if (abi < 0)
		check(abi == -ENOSYS || abi == -EOPNOTSUPP || abi == -EPERM);
	if (file_read_small("/sys/kernel/security/lsm", lsms, sizeof(lsms)) > 0)
		check_int(abi > 0, strstr(lsms, "landlock") != NULL);
}

static void test_seccomp(void)
{
	char before[64], after[64], actions[256];

	status_line("Seccomp:", before, sizeof(before));
	check_int(seccomp_filtered(), strstr(before, "2") != NULL);
	check(child_try(try_seccomp, NULL, TRY_MS) != 0);
	status_line("Seccomp:", after, sizeof(after));
	check_str(after, before);
	if (file_read_small("/proc/sys/kernel/seccomp/actions_avail", actions, sizeof(actions)) <=
		0)
		return;
	check_int(seccomp_has_action(SECCOMP_RET_ERRNO) == 0, strstr(actions, "errno") != NULL);
	check_int(seccomp_has_action(SECCOMP_RET_LOG) == 0, strstr(actions, "log") != NULL);
	check_int(seccomp_has_action(SECCOMP_RET_USER_NOTIF) == 0,
		strstr(actions, "user_notif") != NULL);
	check_int(seccomp_has_action(0x12340000), -EOPNOTSUPP);
}

static int next_fd(void)
{
	int fd = open("/", O_PATH | O_CLOEXEC);

	close(fd);
	return fd;
}

/* Asking opens nothing for good and closes nothing of ours. */
static void test_calls(void)
{
	int (*const asks[])(void) = {calls_openat2, calls_pidfd, calls_close_range, calls_mount_api,
		calls_mount_setattr};
	int before = next_fd();

	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		int r = asks[i]();

		test_row("call %zu", i);
		check(r == 0 || r == -ENOSYS || r == -EPERM);
		check_int(next_fd(), before);
	}
}

static int mount_in_ns(void *ctx)
{
	int (*const *act)(void) = ctx;
	int r = ns_enter_user();

	if (r >= 0)
		r = ns_enter(CLONE_NEWNS | CLONE_NEWNET);
	return r < 0 ? r : (*act)();
}

/* Whatever these answer here, the machine's mounts and this process's tables stay as they were. */
static void test_mounts_leave_nothing(void)
{
	int (*acts[])(void) = {mount_try_tmpfs, mount_try_overlay, nft_try, nft_try_tproxy};
	char before[16384], after[16384];

	check(file_read_small("/proc/self/mountinfo", before, sizeof(before)) > 0);
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		int r = child_try(mount_in_ns, &acts[i], TRY_MS);

		test_row("attempt %zu", i);
		check(r <= 0 && r != -ETIMEDOUT && r != -EOWNERDEAD && r != -EBADMSG);
	}
	check(file_read_small("/proc/self/mountinfo", after, sizeof(after)) > 0);
	check_str(after, before);
	check(access("/tmp/lower", F_OK) < 0 && access("/tmp/upper", F_OK) < 0);
}

static int try_idmap(void *ctx)
{
	(void)ctx;
	return mount_try_idmap();
}

static void test_idmap(void)
{
	int r = child_try(try_idmap, NULL, TRY_MS);

	if (geteuid() != 0)
		check(r < 0);
	check(r <= 0 && r != -ETIMEDOUT && r != -EOWNERDEAD);
}

static void test_settings(void)
{
	int64_t value = -77;
	char text[64], got[64];

	check_int(sysctl_read("kernel.no.such.setting", &value), -ENOENT);
	check_int(sysctl_read("kernel.ostype", &value), -EINVAL);
	check(sysctl_read("x.234567890123456789012345678901234567890123456789012345678901234567890"
			  "123456789012345678901234567890123456789012345678901234567890",
		      &value) < 0);
	check_int(value, -77);
	check_int(sysctl_read("kernel.pid_max", &value), 0);
	check(file_read_small("/proc/sys/kernel/pid_max", text, sizeof(text)) > 0);
	snprintf(got, sizeof(got), "%lld", (long long)value);
	check_str(got, text);
}

static void test_host(void)
{
	struct host host;
	char text[4096];

	host_look(&host);
	check(file_read_small("/proc/sys/kernel/osrelease", text, sizeof(text)) > 0);
	check_str(host.release, text);
	check(host.cpus > 0 && host.memory > 1 << 20 && host.arch[0]);
	check(host.date > 20200101);
	check(file_read_small("/proc/meminfo", text, sizeof(text)) > 0);
	check_u64(strtoull(text + strlen("MemTotal:"), NULL, 10), host.memory / 1024);
}

static void test_distribution(void)
{
	static const struct {
		const char *text, *id, *version;
	} rows[] = {
		{"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n",
			"debian", "12"},
		{"ID=\"opensuse-leap\"\nID_LIKE=\"suse\"\nVERSION_ID='15.5'", "opensuse-leap",
			"15.5"},
		{"NAME=Arch\nID=arch\nBUILD_ID=rolling\n", "arch", ""},
		{"ID=\x1b[31mevil\x1b[0m;rm -rf\nVERSION_ID=$(id)\n", "31mevil0mrm-rf", "id"},
		{"", "", ""},
		{"ID", "", ""},
		{"MY_ID=x\nXVERSION_ID=3\n", "", ""},
	};
	char id[HOST_TEXT], version[HOST_TEXT];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		test_row("%s", rows[i].id);
		host_parse_release(rows[i].text, id, version);
		check_str(id, rows[i].id);
		check_str(version, rows[i].version);
	}
}

static void test_container(void)
{
	char kind[HOST_TEXT];

	setenv("container", "lxc\n\x1b", 1);
	host_container(kind);
	if (access("/.dockerenv", F_OK) == 0)
		check_str(kind, "docker");
	else if (access("/run/.containerenv", F_OK) == 0)
		check_str(kind, "podman");
	else
		check_str(kind, "lxc");
	unsetenv("container");
}

static void test_apparmor(void)
{
	struct stat st;

	if (stat("/sys/module/apparmor", &st) < 0) {
		check(!lsm_apparmor_enabled());
		check(!lsm_apparmor_unconfined());
	}
}

/* Where there is no terminal there are no colours, whatever the environment says. */
static void test_terminal(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	check(!term_wants_colour(fd));
	check(!term_wants_colour(-1));
	close(fd);
}

static void test_pseudo_terminal(void)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return;
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	check(term_wants_colour(fd));
	setenv("NO_COLOR", "1", 1);
	check(!term_wants_colour(fd));
	setenv("NO_COLOR", "", 1);
	check(term_wants_colour(fd));
	setenv("TERM", "dumb", 1);
	check(!term_wants_colour(fd));
	unsetenv("TERM");
	check(!term_wants_colour(fd));
	close(fd);
}

static const struct test tests[] = {
	{"kinds of namespaces", test_namespaces},
	{"asking enters no namespace", test_asking_enters_nothing},
	{"a user namespace in a child", test_user_namespace},
	{"Landlock", test_landlock},
	{"seccomp", test_seccomp},
	{"system calls", test_calls},
	{"mounts and tables end with the child", test_mounts_leave_nothing},
	{"id-mapped mounts", test_idmap},
	{"settings", test_settings},
	{"the host", test_host},
	{"distributions", test_distribution},
	{"containers", test_container},
	{"AppArmor", test_apparmor},
	{"no terminal", test_terminal},
	{"a terminal", test_pseudo_terminal},
};

TEST_MAIN(tests)
