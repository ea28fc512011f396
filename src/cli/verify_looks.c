/* SPDX-License-Identifier: Apache-2.0 */

/* A sandboxed process as the host's kernel describes it while it runs. */

#include "base/str.h"
#include "cli/verify.h"
#include "sys/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TRIES 300 /* times 10 ms */

struct look {
	char name[16];
	bool found;
	char status[4096];
	char space[8][64]; /* where the links of /proc/PID/ns lead; "" = unknown */
};

static const struct {
	const char *name;
	enum layer_id layer;
	const char *what;
} spaces[] = {
	{"mnt", LAYER_FILESYSTEM, "share the mounts of the host"},
	{"net", LAYER_NETWORK, "share the network of the host"},
	{"pid", LAYER_PROCESSES, "share the process numbers of the host"},
	{"ipc", LAYER_PROCESSES, "share System V objects of the host"},
	{"uts", LAYER_PROCESSES, "share the host's name"},
	{"user", LAYER_PROCESSES, "share the users of the host"},
};

/* Lines of /proc/PID/status, and what must stand there. */
static const struct {
	const char *line, *wanted;
	enum layer_id layer;
	const char *what;
} lines[] = {
	{"CapInh:\t", "0000000000000000", LAYER_PROCESSES, "hand a capability on"},
	{"CapPrm:\t", "0000000000000000", LAYER_PROCESSES, "hold a capability"},
	{"CapEff:\t", "0000000000000000", LAYER_PROCESSES, "use a capability"},
	{"CapBnd:\t", "0000000000000000", LAYER_PROCESSES, "get a capability by a program"},
	{"CapAmb:\t", "0000000000000000", LAYER_PROCESSES, "keep a capability over exec"},
	{"NoNewPrivs:\t", "1", LAYER_PROCESSES, "gain rights by a set-user-id program"},
	{"Seccomp:\t", "2", LAYER_SYSCALLS, "run without a filter"},
};

bool verify_find(const char *name, char ret_pid[VERIFY_PID])
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	bool found = false;

	while (!found && proc && (d = readdir(proc))) {
		char path[64], comm[32];

		if (strlen(d->d_name) > 12 || d->d_name[0] < '0' || d->d_name[0] > '9')
			continue;
		snprintf(path, sizeof path, "/proc/%.12s/comm", d->d_name);
		if (file_read_small(path, comm, sizeof comm) > 0 && str_eq(comm, name)) {
			snprintf(ret_pid, VERIFY_PID, "%.12s", d->d_name);
			found = true;
		}
	}
	if (proc)
		closedir(proc);
	return found;
}

static void look(struct verify *v, void *ctx)
{
	struct timespec pause = {0, 10000000};
	struct look *l = ctx;
	char pid[VERIFY_PID], path[64];

	(void)v;
	for (int i = 0; i < TRIES && !l->found && !verify_stage_stopped(); i++) {
		nanosleep(&pause, NULL);
		l->found = verify_find(l->name, pid);
	}
	if (!l->found)
		return;
	snprintf(path, sizeof path, "/proc/%s/status", pid);
	file_read_small(path, l->status, sizeof l->status);
	for (size_t i = 0; i < ARRAY_LEN(spaces); i++) {
		snprintf(path, sizeof path, "/proc/%s/ns/%s", pid, spaces[i].name);
		if (readlink(path, l->space[i], sizeof l->space[i] - 1) < 0)
			l->space[i][0] = '\0';
	}
}

static void judge_space(struct verify *v, const struct look *l, size_t i)
{
	char path[64], own[64] = "";
	enum verify_result result;

	snprintf(path, sizeof path, "/proc/self/ns/%s", spaces[i].name);
	if (!l->space[i][0] || readlink(path, own, sizeof own - 1) < 0)
		result = VERIFY_NOT_TRIED;
	else
		result = str_eq(own, l->space[i]) ? VERIFY_THROUGH : VERIFY_HELD;
	verify_add(v, spaces[i].layer, spaces[i].what, result,
		result == VERIFY_NOT_TRIED ? "the process cannot be looked at" : NULL);
}

static void judge_line(struct verify *v, const struct look *l, size_t i)
{
	const char *at = strstr(l->status, lines[i].line);
	size_t len = strlen(lines[i].wanted);
	enum verify_result result = VERIFY_NOT_TRIED;

	if (at) {
		at += strlen(lines[i].line);
		result = strncmp(at, lines[i].wanted, len) == 0 && at[len] == '\n' ? VERIFY_HELD
										   : VERIFY_THROUGH;
	}
	verify_add(v, lines[i].layer, lines[i].what, result,
		result == VERIFY_NOT_TRIED ? "the process cannot be looked at" : NULL);
}

/* The kernel's own number counts, whatever the sandbox shows its program. */
static void judge_user(struct verify *v, const struct look *l)
{
	const char *at = strstr(l->status, "Uid:\t");
	bool root = false;

	at = at ? at + 5 : NULL;
	for (int i = 0; at && i < 4; i++) {
		char *end;

		root |= strtoul(at, &end, 10) == 0;
		at = end;
	}
	verify_add(v, LAYER_PROCESSES, "run as the host's root",
		!at    ? VERIFY_NOT_TRIED
		: root ? VERIFY_THROUGH
		       : VERIFY_HELD,
		at ? NULL : "the process cannot be looked at");
}

void verify_looks(struct verify *v)
{
	static struct look l;
	const char *payload[] = {"wait", l.name, NULL};
	struct verify_run r;

	snprintf(l.name, sizeof l.name, "w%.14s", v->stage.token);
	verify_run_watched(v, payload, look, &l, &r);
	judge_user(v, &l);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		judge_line(v, &l, i);
	for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
		judge_space(v, &l, i);
}
