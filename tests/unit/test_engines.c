/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/engines.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder with made-up engines: small scripts that print what the real ones print. */
static char home[] = "/tmp/ward-test-engines.XXXXXX";

static void write_script(const char *name, const char *body, mode_t mode)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", home, name);
	f = fopen(path, "we");
	if (!check(f != NULL))
		return;
	fprintf(f, "#!/bin/sh\n%s\n", body);
	fclose(f);
	check(chmod(path, mode) == 0);
}

static void set_up(void)
{
	char path[128];

	check(mkdtemp(home) != NULL && chmod(home, 0755) == 0);
	write_script("docker",
		"[ \"$*\" = --version ] && echo 'Docker version 20.10.24+dfsg1, build 297e128'",
		0755);
	write_script("runc", "echo 'runc version 1.1.5+ds1'; echo 'spec: 1.0.2-dev'", 0755);
	write_script("crun", "echo 'crun version 1.8.1'", 0644); /* may not be run */
	write_script("runsc", "echo 'runsc version release-20221122.0' >&2; exit 1", 0755);
	write_script("kubectl", "[ \"$*\" = 'version --client' ] && echo 'Client Version: v1.28.2'",
		0755);
	write_script("bwrap", "printf '\\033[31m\\n'", 0755);
	snprintf(path, sizeof(path), "%s/podman", home);
	check(mkdir(path, 0755) == 0); /* a folder is no program */
}

static void find(struct machine *m)
{
	machine_init(m);
	engines_find(m, home);
}

static const char *found(const struct machine *m, enum engine engine)
{
	return m->engine[engine].path;
}

static void test_find(void)
{
	char want[128];
	struct machine m;

	find(&m);
	snprintf(want, sizeof(want), "%s/docker", home);
	check_str(found(&m, ENGINE_DOCKER), want);
	snprintf(want, sizeof(want), "%s/runc", home);
	check_str(found(&m, ENGINE_RUNC), want);
	check(m.engine[ENGINE_RUNC].reachable);
	check_str(found(&m, ENGINE_CRUN), "");
	check_str(found(&m, ENGINE_PODMAN), "");
	check_str(found(&m, ENGINE_LIMACTL), "");
	check(!m.engine[ENGINE_LIMACTL].reachable);
	check_str(m.engine[ENGINE_RUNC].version, "");
}

static void test_paths(void)
{
	static const struct {
		const char *path;
		bool found;
	} rows[] = {
		{"%s", true},
		{"/nowhere::%s:", true},
		{":%s", true},
		{"/nowhere", false},
		{"", false},
		{":", false},
		{"::::", false},
	};
	struct machine m;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char path[512];

		test_row("%s", rows[i].path);
		machine_init(&m);
		if (strstr(rows[i].path, "%s"))
			snprintf(path, sizeof(path), "%.*s%s%s",
				(int)(strstr(rows[i].path, "%s") - rows[i].path), rows[i].path,
				home, strstr(rows[i].path, "%s") + 2);
		else
			snprintf(path, sizeof(path), "%s", rows[i].path);
		engines_find(&m, path);
		check_int(m.engine[ENGINE_RUNC].path[0] != '\0', rows[i].found);
	}
}

/* A relative folder of PATH means something else in every place: it does not count. */
static void test_relative(void)
{
	struct machine m;
	char before[512];

	check(getcwd(before, sizeof(before)) != NULL && chdir(home) == 0);
	machine_init(&m);
	engines_find(&m, ".:");
	check_str(found(&m, ENGINE_RUNC), "");
	check(chdir(before) == 0);
}

static void test_versions(void)
{
	struct machine m;

	find(&m);
	engines_ask(&m);
	check_str(m.engine[ENGINE_DOCKER].version, "20.10.24+dfsg1");
	check_str(m.engine[ENGINE_RUNC].version, "1.1.5+ds1");
	check_str(m.engine[ENGINE_KUBECTL].version, "v1.28.2");
	check_str(m.engine[ENGINE_RUNSC].version, "");
	check_str(m.engine[ENGINE_BWRAP].version, "");
}

static void test_docker_host(void)
{
	struct machine m;
	char address[256];

	setenv("DOCKER_HOST", "tcp://127.0.0.1:1", 1);
	find(&m);
	check(m.engine[ENGINE_DOCKER].reachable);
	snprintf(address, sizeof(address), "unix://%s/no-socket", home);
	setenv("DOCKER_HOST", address, 1);
	find(&m);
	check(!m.engine[ENGINE_DOCKER].reachable);
	snprintf(address, sizeof(address), "unix://%s/docker", home);
	setenv("DOCKER_HOST", address, 1);
	find(&m);
	check(m.engine[ENGINE_DOCKER].reachable);
	unsetenv("DOCKER_HOST");
	find(&m);
	check_int(m.engine[ENGINE_DOCKER].reachable, access("/var/run/docker.sock", W_OK) == 0);
}

static void tear_down(void)
{
	static const char *const names[] = {
		"docker", "runc", "crun", "runsc", "kubectl", "bwrap", "podman"};
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", home, names[i]);
		check(remove(path) == 0);
	}
	check(rmdir(home) == 0);
}

static const struct test tests[] = {
	{"made-up engines", set_up},
	{"engines are found", test_find},
	{"lists of folders", test_paths},
	{"relative folders do not count", test_relative},
	{"engines are asked for their versions", test_versions},
	{"the docker daemon's socket", test_docker_host},
	{"nothing is left", tear_down},
};

TEST_MAIN(tests)
