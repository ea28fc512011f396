/* SPDX-License-Identifier: Apache-2.0 */
#include "model/check.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/mem.h"
#include "test.h"

#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TEXT64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

struct row {
	const char *text;
	const char *error; /* NULL: good */
};

static void judge(int (*fn)(const char *text, struct err *e), const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct err e = {0};

		test_row("'%s'", rows[i].text);
		check_int(fn(rows[i].text, &e), rows[i].error ? -22 : 0);
		check_int(fn(rows[i].text, NULL), rows[i].error ? -22 : 0);
		if (rows[i].error)
			check_has(e.text, rows[i].error);
	}
}
#define JUDGE(fn, rows) judge(fn, rows, ARRAY_LEN(rows))

static void absolute_paths(void)
{
	static const struct row rows[] = {
		{"/", NULL},
		{"/a//b/./c", NULL},
		{"/a b", NULL},
		{"", "absolute"},
		{"a", "absolute"},
		{"--", "absolute"},
		{"~/a", "absolute"},
		{"/a/../b", "'..'"},
		{"/a\tb", "control"},
	};

	JUDGE(check_absolute_path, rows);
}

static void globs(void)
{
	static const struct row rows[] = {
		{".env", NULL},
		{".env.*", NULL},
		{".git/hooks/**", NULL},
		{".git/modules/**/{hooks,config}", NULL},
		{"**/*.pem", NULL},
		{"*.{pem,key}", NULL},
		{"{a,b}/{c,d}", NULL},
		{"a..b", NULL},
		{"...", NULL},
		{"pages/[id].tsx", NULL},
		{"", "empty"},
		{"/etc/passwd", "workspace"},
		{"~/.ssh", "workspace"},
		{"..", "'..'"},
		{"../x", "'..'"},
		{"a/../b", "'..'"},
		{"a/..", "'..'"},
		{"{..,a}/b", "'..'"},
		{"{a,..}/b", "'..'"},
		{"{a/..}/b", "'..'"},
		{"./a", "'.'"},
		{"a/./b", "'.'"},
		{"a//b", "empty one"},
		{".aws/", "ends with '/'"},
		{"{a", "braces"},
		{"a}", "braces"},
		{"}{", "braces"},
		{"{a,{b,c}}", "braces"},
		{"a\\*", "backslash"},
		{"a\nb", "control"},
		{"{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}", NULL},
		{"{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b}", "more than 1024"},
	};
	auto_free char *text = mem_alloc(4098);

	JUDGE(check_glob, rows);
	memset(text, 'a', 4000);
	check_int(check_glob(text, NULL), 0);
	text[4000] = 'a';
	check(check_glob(text, NULL) < 0);
}

static void tmpfs(void)
{
	static const struct row rows[] = {
		{"/tmp", NULL},
		{"/tmp:size=64m", NULL},
		{"/var/tmp:size=32m,mode=1777,noexec,nosuid,nodev", NULL},
		{"/run:uid=1000,gid=1000,nr_inodes=10k,exec", NULL},
		{"/home/sandbox:size=1.5G", NULL},
		{"/tmp:uid=0,gid=4294967294", NULL},
		{"/usrx", NULL},
		{"/workspace2", NULL},
		{"/run/x:mode=700", NULL},
		{"", "absolute"},
		{"tmp", "absolute"},
		{"--", "absolute"},
		{"/", "root itself"},
		{"//.", "root itself"},
		{"/tmp/../etc", "'..'"},
		{"/proc", "'/proc'"},
		{"/proc/sys", "'/proc'"},
		{"/sys", "'/sys'"},
		{"/dev", "'/dev'"},
		{"/dev/shm", "'/dev'"},
		{"/usr", "'/usr'"},
		{"/usr/local/x", "'/usr'"},
		{"/bin", "'/bin'"},
		{"/etc", "'/etc'"},
		{"/lib64", "'/lib64'"},
		{"/workspace", "'/workspace'"},
		{"/workspace/x", "'/workspace'"},
		{"//agent/", "'/agent'"},
		{"/tmp:", "unknown option"},
		{"/tmp:size", "needs a value"},
		{"/tmp:size=", "''"},
		{"/tmp:size=0", "no limit"},
		{"/tmp:size=-1", "'-1'"},
		{"/tmp:size=50%", "'50%'"},
		{"/tmp:nr_inodes=0", "no limit"},
		{"/tmp:mode=4755", "octal"},
		{"/tmp:mode=2755", "octal"},
		{"/tmp:mode=888", "octal"},
		{"/tmp:mode=7", "octal"},
		{"/tmp:mode", "octal"},
		{"/tmp:uid=", "decimal"},
		{"/tmp:uid", "decimal"},
		{"/tmp:uid=-1", "decimal"},
		{"/tmp:uid=01", "decimal"},
		{"/tmp:uid=4294967295", "decimal"},
		{"/tmp:gid=99999999999", "decimal"},
		{"/tmp:noexec=1", "no value"},
		{"/tmp:siz=1m", "did you mean 'size'"},
		{"/tmp:noexce", "did you mean 'noexec'"},
		{"/tmp:suid", "always nosuid"},
		{"/tmp:dev", "always nosuid"},
		{"/tmp:huge=always", "unknown option"},
		{"/tmp:size=1m,,noexec", "unknown option"},
		{"/tmp:size=1m,size=2m", "twice"},
		{"/tmp:exec,noexec", "twice"},
		{"/tmp:size=1m:rw", "'1m:rw'"},
	};

	JUDGE(check_tmpfs, rows);
}

static void environment(void)
{
	static const struct row names[] = {
		{"PATH", NULL},
		{"_x9", NULL},
		{"a", NULL},
		{"", "variable"},
		{"9A", "variable"},
		{"A=1", "variable"},
		{"A=1\nB=2", "variable"},
		{"A B", "variable"},
		{"A-B", "variable"},
		{"A.B", "variable"},
		{"LC_*", "variable"},
		{"\xc3\xa9", "variable"},
	};
	static const struct row patterns[] = {
		{"LC_*", NULL},
		{"*", NULL},
		{"*_TOKEN", NULL},
		{"A*B", NULL},
		{"TERM", NULL},
		{"", "pattern"},
		{"9*", "pattern"},
		{"LC_?", "pattern"},
		{"A*=1", "pattern"},
	};
	static const struct row values[] = {
		{"", NULL},
		{"a\nb='\"", NULL},
	};
	auto_free char *big = mem_alloc(128 * 1024 + 1);

	JUDGE(check_env_name, names);
	JUDGE(check_env_pattern, patterns);
	JUDGE(check_env_value, values);
	memset(big, 'x', 64 * 1024);
	check_int(check_env_value(big, NULL), 0);
	memset(big, 'x', 128 * 1024);
	check(check_env_value(big, NULL) < 0);
}

static void names(void)
{
	static const struct row rows[] = {
		{"main", NULL},
		{"team-a.build_1", NULL},
		{"con", NULL},
		{TEXT64, NULL},
		{TEXT64 "a", "not a name"},
		{"", "not a name"},
		{".", "not a name"},
		{"..", "not a name"},
		{"../x", "not a name"},
		{"a/b", "not a name"},
		{"a\nb", "not a name"},
		{"-rf", "not a name"},
		{"%2e%2e", "not a name"},
		{"a b", "not a name"},
		{"a.", "not a name"},
		{"\xc3\xa9", "not a name"},
	};

	JUDGE(check_name, rows);
}

static void hostnames(void)
{
	static const struct row rows[] = {
		{"sandbox", NULL},
		{"build-1.local", NULL},
		{"A9", NULL},
		{"", "not a host name"},
		{"-a", "not a host name"},
		{"a-", "not a host name"},
		{"a..b", "not a host name"},
		{"a.", "not a host name"},
		{"a_b", "not a host name"},
		{"a b", "not a host name"},
		{"a/b", "not a host name"},
		{TEXT64, "not a host name"},
	};

	JUDGE(check_hostname, rows);
}

static void users(void)
{
	static const struct row rows[] = {
		{"1000", NULL},
		{"1000:1000", NULL},
		{"1:1", NULL},
		{"4294967294:4294967294", NULL},
		{"0", "root"},
		{"0:1000", "root"},
		{"1000:0", "group 0"},
		{"", "uid[:gid]"},
		{"root", "uid[:gid]"},
		{"-u0", "uid[:gid]"},
		{"-1", "uid[:gid]"},
		{"+1000", "uid[:gid]"},
		{"01000", "uid[:gid]"},
		{"00", "uid[:gid]"},
		{"0x1", "uid[:gid]"},
		{"1000 ", "uid[:gid]"},
		{":1000", "uid[:gid]"},
		{"4294967295", "uid[:gid]"},
		{"4294967296", "uid[:gid]"},
		{"18446744073709552616", "uid[:gid]"},
		{"1000:", "group"},
		{"1000:users", "group"},
		{"1000:1000:1000", "group"},
	};

	JUDGE(check_user, rows);
}

static void images(void)
{
	static const struct row rows[] = {
		{"host", NULL},
		{"dir:/srv/root", NULL},
		{"oci:/srv/image", NULL},
		{"oci:/srv/image:1.2", NULL},
		{"oci:/srv/a:b/image", NULL},
		{"debian", NULL},
		{"debian:bookworm-slim", NULL},
		{"library/debian", NULL},
		{"registry.example/team/tool:1.2", NULL},
		{"registry.example:5000/team/tool", NULL},
		{"localhost/tool", NULL},
		{"localhost:5000/tool:latest", NULL},
		{"debian@sha256:" HEX64, NULL},
		{"registry.example/team/tool:1.2@sha256:" HEX64, NULL},
		{"a__b/c--d.e_f", NULL},
		{"", "not an image"},
		{"--privileged", "not an image"},
		{"-v/:/h", "not an image"},
		{"x;y", "not an image"},
		{"x y", "not an image"},
		{"$(id)", "not an image"},
		{"x\ny", "not an image"},
		{"Debian", "not an image"},
		{"debian/", "not an image"},
		{"/debian", "not an image"},
		{"a//b", "not an image"},
		{"a..b", "not an image"},
		{"a___b", "not an image"},
		{"a-", "not an image"},
		{".a", "not an image"},
		{"../a", "not an image"},
		{"a/-b", "not an image"},
		{"registry.example:0/a", "not an image"},
		{"registry.example:99999/a", "not an image"},
		{"-registry.example/a", "not an image"},
		{"registry..example/a", "not an image"},
		{"debian:", "the tag"},
		{"debian:-x", "the tag"},
		{"debian:.x", "the tag"},
		{"debian:a b", "the tag"},
		{"debian:" TEXT64 TEXT64, NULL},
		{"debian:" TEXT64 TEXT64 "a", "the tag"},
		{"debian@", "sha256:"},
		{"debian@sha256:12", "sha256:"},
		{"debian@sha256:" HEX64 "0", "sha256:"},
		{"debian@sha512:" HEX64, "sha256:"},
		{"debian@sha256:0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
			"sha256:"},
		{"debian@sha256:" HEX64 "@sha256:" HEX64, "sha256:"},
		{"dir:", "absolute"},
		{"dir:srv", "absolute"},
		{"dir:/srv/../etc", "'..'"},
		{"oci:srv", "absolute"},
		{"oci:", "absolute"},
		{"oci:/srv/image:", "the tag"},
		{"oci:/srv/image:-x", "the tag"},
		{"oci:/srv/../x", "'..'"},
		{TEXT64 "/" TEXT64 "/" TEXT64 "/" TEXT64, "not an image"},
	};

	JUDGE(check_image, rows);
}

static void runtimes(void)
{
	static const struct row rows[] = {
		{"auto", NULL},
		{"native", NULL},
		{"docker", NULL},
		{"docker:my_box-1.2", NULL},
		{"kubernetes", NULL},
		{"host", NULL},
		{"", "unknown"},
		{"dokcer", "did you mean 'docker'"},
		{"Native", "did you mean 'native'"},
		{"qemu", "unknown"},
		{"docker:", "container"},
		{"docker:--privileged", "container"},
		{"docker:a b", "container"},
		{"podman:x", "unknown"},
	};

	JUDGE(check_runtime, rows);
}

static void layers(void)
{
	static const struct row rows[] = {
		{"filesystem", NULL},
		{"landlock", NULL},
		{"memory:cgroup", NULL},
		{"", "unknown"},
		{"filesytem", "did you mean 'filesystem'"},
		{"memory:", "unknown"},
		{"network:cgroup", "unknown"},
		{"quality", "unknown"},
	};

	JUDGE(check_layer, rows);
}

static void seccomp(void)
{
	static const struct row rows[] = {
		{"default", NULL},
		{"/etc/ward/seccomp.json", NULL},
		{"unconfined", "nothing runs without"},
		{"", "neither"},
		{"profile.json", "neither"},
		{"/a/../b", "'..'"},
	};

	JUDGE(check_seccomp, rows);
}

static void capabilities(void)
{
	static const struct row rows[] = {
		{"ALL", NULL},
		{"CAP_NET_RAW", NULL},
		{"NET_RAW", NULL},
		{"CHECKPOINT_RESTORE", NULL},
		{"CAP_AUDIT_CONTROL", NULL},
		{"WAKE_ALARM", NULL},
		{"", "unknown"},
		{"all", "unknown"},
		{"CAP_ALL", "unknown"},
		{"net_raw", "did you mean 'NET_RAW'"},
		{"cap_net_raw", "did you mean 'NET_RAW'"},
		{"CAP_SYS_ADMON", "did you mean 'SYS_ADMIN'"},
		{"CAP_CAP_NET_RAW", "unknown"},
		{"NET_RAW ", "did you mean 'NET_RAW'"},
		{"EVERYTHING", "unknown"},
	};

	JUDGE(check_capability, rows);
}

static void errors_are_safe_to_print(void)
{
	struct err e = {0};

	check(check_name("\x1b]0;x\a\n\xe2\x80\xae", &e) < 0);
	for (const char *p = e.text; *p; p++)
		if (!check((unsigned char)*p >= 0x20 && (unsigned char)*p < 0x7f))
			break;
}

static const struct test tests[] = {
	{"absolute paths", absolute_paths},
	{"globs", globs},
	{"tmpfs", tmpfs},
	{"environment", environment},
	{"names", names},
	{"host names", hostnames},
	{"users", users},
	{"images", images},
	{"runtimes", runtimes},
	{"layers", layers},
	{"seccomp", seccomp},
	{"capabilities", capabilities},
	{"errors are safe to print", errors_are_safe_to_print},
};
TEST_MAIN(tests)
