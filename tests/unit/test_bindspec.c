/* SPDX-License-Identifier: Apache-2.0 */
#include "model/bindspec.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "test.h"

static void good_binds(void)
{
	static const struct {
		const char *text, *source, *target;
		bool writable;
	} rows[] = {
		{"/data:/mnt", "/data", "/mnt", false},
		{"/data:/mnt:ro", "/data", "/mnt", false},
		{"/data:/mnt:rw", "/data", "/mnt", true},
		{"//data/./x/:/mnt//y/", "/data/x", "/mnt/y", false},
		{"~:/mnt", "/home/ann", "/mnt", false},
		{"~/:/mnt", "/home/ann", "/mnt", false},
		{"~/proj:/mnt:rw", "/home/ann/proj", "/mnt", true},
		{"/data:/workspace_extra", "/data", "/workspace_extra", false},
		{"/data:/agents", "/data", "/agents", false},
		{"/data:/usr/local/share/x", "/data", "/usr/local/share/x", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		struct bindspec b = {0};
		struct err e = {0};

		test_row("%s", rows[i].text);
		if (!check_int(bindspec_parse(&a, rows[i].text, "/home/ann", &b, &e), 0))
			continue;
		check_str(b.source, rows[i].source);
		check_str(b.target, rows[i].target);
		check_int(b.writable, rows[i].writable);
		check_int(bindspec_check(rows[i].text, NULL), 0);
	}
}

static void bad_binds_are_explained(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"", "host:inside"},
		{":", "host:inside"},
		{"/data", "host:inside"},
		{"/data:", "host:inside"},
		{":/mnt", "host:inside"},
		{"/data:/mnt:", "ro or rw"},
		{"/data:/mnt:z", "ro or rw"},
		{"/data:/mnt:RW", "ro or rw"},
		{"/data:/mnt:ro:z", "ro or rw"},
		{"/data:/mnt:ro,z", "ro or rw"},
		{"a:b:c:z", "ro or rw"},
		{"data:/mnt", "absolute"},
		{"./data:/mnt", "absolute"},
		{"$HOME/.aws:/mnt", "absolute"},
		{"-v/:/h", "absolute"},
		{"~bob/x:/mnt", "own home"},
		{"/data:mnt", "absolute"},
		{"/data:~/x", "absolute"},
		{"/data/../etc:/mnt", "'..'"},
		{"~/../bob:/mnt", "'..'"},
		{"/data:/mnt/../workspace", "'..'"},
		{"/data:/mnt\n", "control"},
		{"/data:/", "root of the sandbox"},
		{"/data://", "root of the sandbox"},
		{"/data:/./", "root of the sandbox"},
		{"/data:/workspace", "'/workspace'"},
		{"/data://workspace/", "'/workspace'"},
		{"/data:/workspace/sub", "'/workspace'"},
		{"/data:/agent", "'/agent'"},
		{"/data:/agent/sub", "'/agent'"},
		{"/data:/proc", "'/proc'"},
		{"/data:/sys/fs", "'/sys'"},
		{"/data:/dev/shm", "'/dev'"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		struct bindspec b = {.source = "kept"};
		struct err e = {0};

		test_row("%s", rows[i].text);
		check_int(bindspec_parse(&a, rows[i].text, "/home/ann", &b, &e), -22);
		check_has(e.text, rows[i].error);
		check_str(b.source, "kept");
		check_int(bindspec_check(rows[i].text, NULL), -22);
	}
}

static void home_must_be_known(void)
{
	auto_(arena_free) struct arena a = {0};
	struct bindspec b;
	struct err e = {0};

	check(bindspec_parse(&a, "~/x:/mnt", NULL, &b, &e) < 0);
	check_has(e.text, "home folder is not known");
	check(bindspec_parse(&a, "~/x:/mnt", "", &b, NULL) < 0);
	check_int(bindspec_parse(&a, "/x:/mnt", NULL, &b, NULL), 0);
	check_int(bindspec_check("~/x:/mnt", NULL), 0);
	check_int(bindspec_check_source("~/x", NULL), 0);
	check_int(bindspec_check_source("/x", NULL), 0);
	check(bindspec_check_source("x", NULL) < 0);
	check(bindspec_check_source("~bob", NULL) < 0);
}

static const char *const own[] = {"/home/ann/.local/state/ward", "/srv/ward", NULL};

static void sources(void)
{
	static const struct {
		const char *source, *error; /* NULL: allowed */
	} rows[] = {
		{"/data", NULL},
		{"/home/ann/proj", NULL},
		{"/home/ann/proj/.git", NULL},
		{"/home/annabel", NULL},
		{"/etcetera", NULL},
		{"/running", NULL},
		{"/var/lib/x", NULL},
		{"/usr/share", NULL},
		{"/opt", NULL},
		{"/home/ann/.sshx", NULL},
		{"/home/ann/.cargo/registry", NULL},
		{"/home/ann/.cargo/bin", NULL},
		{"/home/ann/.local/share", NULL},
		{"/data/docker.socket", NULL},
		{"/", "whole host"},
		{"//", "whole host"},
		{"/etc", "is '/etc'"},
		{"/etc/", "is '/etc'"},
		{"/etc/passwd", "lies in '/etc'"},
		{"//etc/./ssl", "lies in '/etc'"},
		{"/proc", "'/proc'"},
		{"/proc/1/root", "'/proc'"},
		{"/sys/fs/cgroup", "'/sys'"},
		{"/dev/sda", "'/dev'"},
		{"/root", "'/root'"},
		{"/root/.aws", "'/root'"},
		{"/boot", "'/boot'"},
		{"/run", "'/run'"},
		{"/run/docker.sock", "'/run'"},
		{"/run/podman/podman.sock", "'/run'"},
		{"/run/user/1000/docker.sock", "'/run'"},
		{"/var/run", "'/var/run'"},
		{"/var/run/docker.sock", "'/var/run'"},
		{"/var", "covers '/var/run'"},
		{"/home/ann", "covers"},
		{"/home", "covers"},
		{"/home/ann/.ssh", "is '~/.ssh'"},
		{"/home/ann/.ssh/", "is '~/.ssh'"},
		{"/home//ann/./.ssh", "is '~/.ssh'"},
		{"/home/ann/.ssh/id_ed25519", "lies in '~/.ssh'"},
		{"/home/ann/.aws", "'~/.aws'"},
		{"/home/ann/.gnupg", "'~/.gnupg'"},
		{"/home/ann/.config", "'~/.config'"},
		{"/home/ann/.config/gh", "'~/.config'"},
		{"/home/ann/.docker", "'~/.docker'"},
		{"/home/ann/.kube/config", "'~/.kube'"},
		{"/home/ann/.netrc", "'~/.netrc'"},
		{"/home/ann/.npmrc", "'~/.npmrc'"},
		{"/home/ann/.cargo", "covers '~/.cargo/credentials*'"},
		{"/home/ann/.cargo/credentials", "'~/.cargo/credentials*'"},
		{"/home/ann/.cargo/credentials.toml", "'~/.cargo/credentials*'"},
		/* Other people's homes and aliases of one's own. */
		{"/home/bob/.ssh", "'.ssh'"},
		{"/data/ann/.aws/sso", "'.aws'"},
		{"/data/docker.sock", "'docker.sock'"},
		{"/srv/x/containerd.sock", "'containerd.sock'"},
		{"/srv/x/crio.sock", "'crio.sock'"},
		{"/srv/x/podman.sock", "'podman.sock'"},
		/* ward's own. */
		{"/srv/ward", "is '/srv/ward'"},
		{"/srv/ward/x", "lies in '/srv/ward'"},
		{"/srv", "covers '/srv/ward'"},
		{"/srv/warden", NULL},
		{"/home/ann/.local/state", "ward's own"},
		{"/home/ann/.local", "ward's own"},
		/* Not paths at all. */
		{"relative", "absolute"},
		{"/a/../etc", "'..'"},
	};
	const struct bindspec_rules rules = {.home = "/home/ann", .own = own};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};

		test_row("%s", rows[i].source);
		check_int(bindspec_source_allowed(rows[i].source, &rules, &e),
			rows[i].error ? -22 : 0);
		if (rows[i].error)
			check_has(e.text, rows[i].error);
	}
}

static void exceptions_are_exact(void)
{
	static const struct item exceptions[] = {{.text = "/etc/ssl/"}, {.text = "~/.config//gh"},
		{.text = "/"}, {.text = "/srv"}, {.text = "relative"},
		{.text = "/data/docker.sock"}, {.text = "/home"}};
	static const struct {
		const char *source;
		bool allowed;
	} rows[] = {
		{"/etc/ssl", true},
		{"//etc/ssl/.", true},
		{"/etc/ssl/certs", false},
		{"/etc", false},
		{"/etc/sslx", false},
		{"/home/ann/.config/gh", true},
		{"/home/ann/.config", false},
		{"/home/ann/.config/gh/hosts.yml", false},
		{"/data/docker.sock", true},
		{"/", false},
		{"/srv", false}, /* covers ward's own */
		{"/home", false},
	};
	const struct bindspec_rules rules = {.home = "/home/ann",
		.own = own,
		.exceptions = exceptions,
		.exception_count = ARRAY_LEN(exceptions)};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("%s", rows[i].source);
		check_int(bindspec_source_allowed(rows[i].source, &rules, NULL) == 0,
			rows[i].allowed);
	}
}

static void what_covers_the_home_is_refused(void)
{
	static const char *const rows[] = {"/home/ann", "/home/ann/", "/home", "//home/."};
	const struct bindspec_rules rules = {.home = "/home/ann"};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};

		test_row("%s", rows[i]);
		check_int(bindspec_source_allowed(rows[i], &rules, &e), -22);
		check_has(e.text, "covers '~/.ssh', which holds keys");
	}
}

static void unknown_home_leaves_the_rest(void)
{
	const struct bindspec_rules rules = {.home = ""};

	check_int(bindspec_source_allowed("/data", &rules, NULL), 0);
	check(bindspec_source_allowed("/etc", &rules, NULL) < 0);
	check(bindspec_source_allowed("/home/ann/.ssh", &rules, NULL) < 0);
	check(bindspec_source_allowed("/", &rules, NULL) < 0);
}

static const struct test tests[] = {
	{"good binds", good_binds},
	{"bad binds are explained", bad_binds_are_explained},
	{"the home folder must be known", home_must_be_known},
	{"sources", sources},
	{"exceptions are exact", exceptions_are_exact},
	{"what covers the home folder is refused", what_covers_the_home_is_refused},
	{"an unknown home leaves the other rules", unknown_home_leaves_the_rest},
};
TEST_MAIN(tests)
