/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/engines.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/macro.h"
#include "base/str.h"
#include "sys/run.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SETTING "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define PATH_USUAL (&PATH_SETTING[strlen("PATH=")])
#define OUTPUT_MAX 4096
#define TIMEOUT_MS 3000
#define DOCKER_SOCKET "/var/run/docker.sock"

static bool is_program(int folder, const char *name)
{
	struct stat st;

	return fstatat(folder, name, &st, 0) == 0 && S_ISREG(st.st_mode) &&
	       faccessat(folder, name, X_OK, AT_EACCESS) == 0;
}

static void find_in(struct machine *m, const char *folder)
{
	auto_fd int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (enum engine e = 0; fd >= 0 && e < ENGINE_COUNT; e++) {
		struct machine_engine *engine = &m->engine[e];
		int n;

		if (engine->path[0] || !is_program(fd, engine_rows[e].name))
			continue;
		n = snprintf(
			engine->path, sizeof(engine->path), "%s/%s", folder, engine_rows[e].name);
		if (n < 0 || (size_t)n >= sizeof(engine->path))
			engine->path[0] = '\0';
	}
}

/* Has the folder stood in the list before? Long lists often name one twice. */
static bool is_again(const char *path, const char *folder, size_t len)
{
	for (const char *p = path; p < folder; p += strcspn(p, ":") + 1)
		if (strncmp(p, folder, len + 1) == 0)
			return true;
	return false;
}

/* Relative folders do not count: they would mean another program in every place. */
static void search(struct machine *m, const char *path)
{
	char folder[MACHINE_PATH];
	size_t len;

	for (const char *p = path; *p; p += len + (p[len] == ':')) {
		len = strcspn(p, ":");
		if (p[0] != '/' || len >= sizeof(folder) || is_again(path, p, len))
			continue;
		memcpy(folder, p, len);
		folder[len] = '\0';
		find_in(m, folder);
	}
}

/* A daemon elsewhere (tcp, ssh) is taken at its word: asking it would take a connection. */
static bool docker_reachable(void)
{
	const char *host = getenv("DOCKER_HOST");

	if (host && host[0] && !str_starts(host, "unix://"))
		return true;
	host = host && host[0] ? host + strlen("unix://") : DOCKER_SOCKET;
	return faccessat(AT_FDCWD, host, W_OK, AT_EACCESS) == 0;
}

void engines_find(struct machine *m, const char *path)
{
	search(m, path ? path : PATH_USUAL);
	for (enum engine e = 0; e < ENGINE_COUNT; e++)
		m->engine[e].reachable = m->engine[e].path[0] != '\0';
	if (m->engine[ENGINE_DOCKER].path[0])
		m->engine[ENGINE_DOCKER].reachable = docker_reachable();
}

/* "NAME=value" of the caller's environment, or "NAME=" */
static const char *inherited(const char *name, char *out, size_t size)
{
	const char *value = getenv(name);

	snprintf(out, size, "%s=%s", name, value ? value : "");
	return out;
}

static void ask(struct machine_engine *engine, const struct engine_row *row)
{
	char home[MACHINE_PATH], runtime[MACHINE_PATH];
	auto_(buf_free) struct buf out = BUF(OUTPUT_MAX);
	const char *const argv[] = {
		engine->path, row->version[0], row->version[1], row->version[2], NULL};
	const char *const env[] = {PATH_SETTING, "LANG=C", inherited("HOME", home, sizeof(home)),
		inherited("XDG_RUNTIME_DIR", runtime, sizeof(runtime)), NULL};

	if (run_capture(argv, env, TIMEOUT_MS, &out, NULL) >= 0)
		engine_version_find(buf_text(&out), engine->version);
}

void engines_ask(struct machine *m)
{
	for (enum engine e = 0; e < ENGINE_COUNT; e++)
		if (m->engine[e].path[0])
			ask(&m->engine[e], &engine_rows[e]);
}
