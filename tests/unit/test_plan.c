/* SPDX-License-Identifier: Apache-2.0 */

/* Plans: what follows from a configuration, a machine and a caller, before anything is done. */

#include "model/plan.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "json/config_read.h"
#include "made.h"
#include "model/result.h"
#include "test.h"

#include <errno.h>

/* A configuration with one plan out of it. */
struct made {
	struct config config;
	struct arena arena;
	struct machine machine;
	struct verdict verdict;
	struct plan plan;
	struct err e;
	int r;
};

static const char *const caller_env[] = {"LANG=C.UTF-8", "LC_ALL=C", "TERM=xterm", "SECRET=s",
	"LANGUAGE=de", "HOME=/home/user", "=broken", NULL};
static const char *const words[] = {"make", "test", NULL};

/* sets: one a line, as behind --set. */
static void make(struct made *m, const char *machine, const char *sets, struct plan_caller caller)
{
	struct config_wish wish = {.all = true};
	struct request request = {.argv = (char *const *)words, .argc = 2};
	struct plan_request q = {.config = &m->config,
		.verdict = &m->verdict,
		.machine = &m->machine,
		.caller = &caller,
		.argv = words};
	char *copy, *rest, *line;

	memset(m, 0, sizeof *m);
	snprintf(m->config.home, sizeof m->config.home, "/home/user");
	made_machine(machine, &m->machine);
	copy = rest = arena_text(&m->arena, sets, strlen(sets));
	while (copy && (line = strsep(&rest, "\n")) != NULL)
		if (*line && !check_int(config_set(&m->config, line, &wish, &m->e), 0))
			printf("# %s\n", m->e.text);
	check_int(config_check(&m->config, &m->e), 0);
	check_int(decide(&m->config, &m->machine, &request, &m->arena, &m->verdict, &m->e), 0);
	caller.env = caller_env;
	if (!caller.cwd)
		caller.cwd = "/home/user/project";
	m->r = plan_make(&q, &m->arena, &m->plan, &m->e);
}

static struct plan_caller user(void)
{
	return (struct plan_caller){.uid = 1001, .gid = 1002};
}

static struct plan_caller root(void)
{
	return (struct plan_caller){
		.uid = 0, .gid = 0, .pid = 4711, .id_first = 1000000, .id_count = 1000};
}

static void done(struct made *m)
{
	config_free(&m->config);
	arena_free(&m->arena);
}

static const struct plan_row *find(const struct plan *p, const char *target)
{
	for (size_t i = 0; i < p->row_count; i++)
		if (str_eq(p->rows[i].target, target))
			return &p->rows[i];
	return NULL;
}

static bool has_env(const struct plan *p, const char *variable)
{
	for (size_t i = 0; p->env[i]; i++)
		if (str_eq(p->env[i], variable))
			return true;
	return false;
}

static void defaults(void)
{
	struct made m;

	make(&m, "full", "", user());
	check_int(m.r, 0);
	check_u64(m.plan.limits.memory, 2ull << 30);
	check_u64(m.plan.limits.pids, 256);
	check_u64(m.plan.limits.file_size, PLAN_NO_LIMIT);
	check_int(m.plan.uid, 1000);
	check_int(m.plan.host_uid, 1001);
	check_int(m.plan.host_gid, 1002);
	check(!m.plan.root && m.plan.read_only_root && m.plan.broker && m.plan.landlock);
	check_int(m.plan.output, PLAN_PASS);
	check_u64(m.plan.timeout, 0);
	check_str(m.plan.cwd, "/workspace");
	check_str(m.plan.argv[1], "test");
	check(m.plan.argv[0] != words[0]); /* a copy */
	check(m.plan.required[LAYER_FILESYSTEM] && !m.plan.required[LAYER_MEMORY]);
	done(&m);
}

static void an_agent_has_a_time_limit(void)
{
	struct plan_caller c = user();
	struct made m;

	c.agent = true;
	make(&m, "full", "", c);
	check_u64(m.plan.timeout, 60000);
	done(&m);
	make(&m, "full", "timeout=5s", user());
	check_u64(m.plan.timeout, 5000);
	done(&m);
}

static void ids_of_root(void)
{
	struct plan_caller c = root();
	struct made m;

	make(&m, "v1-root", "", c);
	check(m.plan.root && !m.plan.cgroup2);
	check_int(m.plan.host_uid, 1000000 + 4711 % 1000);
	done(&m);
	c.id_count = 0;
	make(&m, "v1-root", "", c);
	check_int(m.r, -EPERM);
	done(&m);
}

static void environment(void)
{
	struct made m;

	make(&m, "full", "env={\"A\": \"1\", \"TERM\": \"dumb\", \"PATH\": \"/x\"}", user());
	check(has_env(&m.plan, "A=1") && has_env(&m.plan, "PATH=/x"));
	check(has_env(&m.plan, "TERM=dumb") && !has_env(&m.plan, "TERM=xterm"));
	check(has_env(&m.plan, "LANG=C.UTF-8") && has_env(&m.plan, "LC_ALL=C"));
	check(!has_env(&m.plan, "SECRET=s") && !has_env(&m.plan, "LANGUAGE=de"));
	check(has_env(&m.plan, "HOME=/home/sandbox") && !has_env(&m.plan, "HOME=/home/user"));
	done(&m);
}

static void folders(void)
{
	static const struct {
		const char *cwd, *sets, *want;
	} rows[] = {
		{"/home/user/project", "", "/workspace"},
		{"/home/user/project/a/b", "workspacePath=/home/user/project", "/workspace/a/b"},
		{"/home/user/project2", "workspacePath=/home/user/project", "/workspace"},
		{"/srv", "workspacePath=/home/user/project", "/workspace"},
		{"/home/user", "workspace=none", "/workspace"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan_caller c = user();
		struct made m;

		test_row("%s %s", rows[i].cwd, rows[i].sets);
		c.cwd = rows[i].cwd;
		make(&m, "full", rows[i].sets, c);
		check_int(m.r, 0);
		check_str(m.plan.cwd, rows[i].want);
		done(&m);
	}
}

static void workspaces(void)
{
	struct made m;

	make(&m, "full", "workspace=ro", user());
	check(!find(&m.plan, "workspace")->writable && !m.plan.broker);
	done(&m);
	make(&m, "full", "workspace=none", user());
	check_int(find(&m.plan, "workspace")->kind, PLAN_TMPFS);
	check(!m.plan.workspace_path);
	done(&m);
	make(&m, "full", "protect=[]", user());
	check(m.plan.broker); /* the project's own configuration stays protected */
	check_str(m.plan.protect[m.plan.protect_count - 1], ".ward.json5");
	done(&m);
	make(&m, "full", "workspace=ro\nhide=[\".env\"]", user());
	check(m.plan.broker && m.plan.hide_count == 1 && m.plan.protect_count == 0);
	done(&m);
}

/* All storage together stays within the limits, whatever is asked for. */
static void storage(void)
{
	static const char *const sets[] = {"", "resources.disk=100M", "workspace=none",
		"resources.disk=256M\nreadOnlyRoot=false", "resources.inodes=1000",
		"tmpfs=[\"/tmp:size=10G\"]\nresources.disk=1G"};

	for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
		uint64_t bytes, files;
		struct made m;

		test_row("%s", sets[i]);
		make(&m, "full", sets[i], user());
		check_int(m.r, 0);
		bytes = 2 * m.plan.root_size;
		files = 2 * m.plan.root_inodes;
		for (size_t k = 0; k < m.plan.row_count; k++) {
			bytes += m.plan.rows[k].size;
			files += m.plan.rows[k].inodes;
		}
		check(bytes <= m.verdict.effective->s.sandbox.resources.disk.v);
		check(files <= m.verdict.effective->s.sandbox.resources.inodes.v);
		done(&m);
	}
}

static void too_little_storage(void)
{
	struct made m;

	make(&m, "full", "resources.disk=100k", user());
	check_int(m.r, -EINVAL);
	check_has(m.e.text, "resources.disk");
	done(&m);
}

static void outputs(void)
{
	static const struct {
		const char *machine, *sets;
		enum plan_output want;
	} rows[] = {
		{"full", "", PLAN_PASS},
		{"full", "idleTimeout=3s", PLAN_RELAY},
		{"full", "outputLimit=1M", PLAN_RELAY},
		/* Nothing else keeps a program from opening the caller's files anew. */
		{"no-landlock", "", PLAN_RELAY},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct made m;

		test_row("%s %s", rows[i].machine, rows[i].sets);
		make(&m, rows[i].machine, rows[i].sets, user());
		check_int(m.plan.output, rows[i].want);
		done(&m);
	}
}

static void not_weaker(void)
{
	static const char *const sets[] = {"workspace=cow", "image=oci:/x"};

	for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
		struct made m;

		test_row("%s", sets[i]);
		make(&m, "full", sets[i], user());
		check(m.r < 0 && m.plan.row_count == 0);
		done(&m);
	}
}

static void demands(void)
{
	struct made m;

	make(&m, "full", "resources.memory=1G\nrequire=[\"pids:cgroup\"]", user());
	check(m.plan.required[LAYER_PIDS] && m.plan.require[LAYER_PIDS].accepted);
	done(&m);
	make(&m, "full", "resources.memory=1G", user());
	check(m.plan.required[LAYER_MEMORY] && !m.plan.required[LAYER_PIDS]);
	done(&m);
}

static void statuses(void)
{
	static const struct {
		struct result result;
		int want;
	} rows[] = {
		{{.exit_code = 0}, 0},
		{{.exit_code = 255}, 255},
		{{.exit_code = -1, .signal = 15, .reason = END_SIGNALLED}, 143},
		{{.exit_code = -1, .signal = 9, .reason = END_OOM}, 137},
		{{.exit_code = -1, .signal = 9, .reason = END_TIMEOUT}, 124},
		{{.exit_code = 0, .reason = END_TIMEOUT}, 124},
		{{.exit_code = -1, .signal = 9, .reason = END_IDLE}, 124},
		{{.exit_code = 127, .start_error = ENOENT}, 127},
		{{.exit_code = 127, .start_error = EACCES}, 126},
		{{.exit_code = 127, .start_error = ENOEXEC}, 126},
		{{.reason = END_POLICY}, 126},
		{{.reason = END_INTERNAL}, 125},
		{{.exit_code = -1, .signal = 2, .reason = END_STOPPED}, 130},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("row %zu", i);
		check_int(result_status(&rows[i].result), rows[i].want);
	}
}

static const struct test tests[] = {
	{"what holds when nothing is written", defaults},
	{"an agent has a time limit, a person has not", an_agent_has_a_time_limit},
	{"root's sandboxes have ids of their own", ids_of_root},
	{"only named variables pass, and written ones win", environment},
	{"the current folder is kept in the workspace", folders},
	{"kinds of workspace", workspaces},
	{"all storage stays within its limits", storage},
	{"storage too small to be of use is an error", too_little_storage},
	{"how output goes", outputs},
	{"what cannot be enforced is an error", not_weaker},
	{"demands on mechanisms are kept", demands},
	{"exit statuses", statuses},
};
TEST_MAIN(tests)
