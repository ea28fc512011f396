/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan.h"

#include "base/glob.h"
#include "base/str.h"
#include "model/pathname.h"
#include "model/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const plan_kind_names[] = {"folder", "file", "link", "mirror", "bind", "image",
	"layers", "own folder", "workspace", "tmpfs", "device", "terminals", "proc", "mask", NULL};
const char *const plan_output_names[] = {"pass", "relay", "capture", "terminal", NULL};

_Static_assert(ARRAY_LEN(plan_kind_names) == PLAN_KIND_COUNT + 1, "a name for each kind");
_Static_assert(ARRAY_LEN(plan_output_names) == PLAN_OUTPUT_COUNT + 1, "a name for each");

static const struct sandbox *settings(const struct plan_request *q)
{
	return &q->verdict->effective->s.sandbox;
}

/* What this version cannot carry out is an error before anything runs, never a weaker sandbox. */
static int check_supported(const struct plan_request *q, const struct sandbox *s, struct err *e)
{
	if (s->workspace.v == WORKSPACE_COW && !q->caller->state)
		return refuse_text(e, "workspace: cow",
			"there is no folder to keep the changes in; set HOME or XDG_STATE_HOME");
	if (s->image.v && !str_eq(s->image.v, "host") && strncmp(s->image.v, "dir:", 4) != 0)
		return refuse_text(e, s->image.v,
			"this kind of image is not yet supported; use 'host' or 'dir:/path'");
	return 0;
}

/* "uid[:gid]", which the reader has checked. */
static void take_user(const char *text, struct plan *p)
{
	uint64_t id[2] = {0, 0};
	int part = 0;

	for (; *text; text++) {
		if (*text == ':')
			part = 1;
		else
			id[part] = id[part] * 10 + (uint64_t)(*text - '0');
	}
	p->uid = (uint32_t)id[0];
	p->gid = (uint32_t)(part ? id[1] : id[0]);
}

void plan_take_ids(struct plan *p, uint32_t pid)
{
	if (p->id_count)
		p->host_uid = p->host_gid = p->id_first + pid % p->id_count;
}

/*
 * The kernel's ids. A user keeps their own. Root gets ids that nothing else on the machine has,
 * different for each sandbox that runs at the same time.
 */
static int take_ids(const struct plan_caller *c, struct plan *p, struct err *e)
{
	p->root = c->uid == 0;
	p->host_uid = c->uid;
	p->host_gid = c->gid;
	if (!p->root)
		return 0;
	if (c->id_count == 0)
		return err_set(e, EPERM,
			"ward was started as root, but no other user id may be used here; start it "
			"as an ordinary user");
	p->id_first = c->id_first;
	p->id_count = c->id_count;
	plan_take_ids(p, c->pid);
	return 0;
}

static uint64_t limit(const struct opt_number *n)
{
	return n->at.source ? n->v : PLAN_NO_LIMIT;
}

static void take_limits(const struct sandbox *s, struct plan *p)
{
	const struct limits *l = &s->resources;

	p->limits = (struct plan_limits){
		.memory = limit(&l->memory),
		.swap = limit(&l->swap),
		.cpus = limit(&l->cpus),
		.pids = limit(&l->pids),
		.files = limit(&l->files),
		.file_size = limit(&l->file_size),
	};
	p->setup = s->setup_command.v;
	p->idle_timeout = s->idle_timeout.v;
	p->kill_grace = s->kill_grace.v;
	p->output_limit = s->output_limit.v;
}

/* A time limit that nobody wrote is for agents; people's commands run as long as they like. */
static void take_times(const struct plan_request *q, struct plan *p)
{
	const struct opt_number *t = &settings(q)->timeout;
	bool written = t->at.source && t->at.source != &builtin_source;

	p->timeout = written || q->caller->agent ? t->v : 0;
}

static void take_output(const struct plan_request *q, struct plan *p)
{
	const struct opt_number *limit_key = &settings(q)->output_limit;
	bool written = limit_key->at.source && limit_key->at.source != &builtin_source;

	if (q->caller->capture)
		p->output = PLAN_CAPTURE;
	else if (q->caller->terminal)
		p->output = PLAN_TERMINAL;
	else
		/* A descriptor of the host that could be opened anew by name is never passed:
		 * Landlock is what keeps it from that. */
		p->output = p->idle_timeout || written || !p->landlock ? PLAN_RELAY : PLAN_PASS;
}

static const char **list_texts(
	struct arena *a, const struct opt_list *list, const char *more, size_t *ret_count)
{
	const char **texts = arena_array(a, list->count + 2, sizeof *texts);
	size_t n = 0;

	for (size_t i = 0; i < list->count; i++) {
		texts[n++] = list->items[i].text;
		if (more && str_eq(texts[n - 1], more))
			more = NULL;
	}
	if (more)
		texts[n++] = more;
	*ret_count = n;
	return texts;
}

/* Changes in the workspace go through init where some of them must be refused. */
void plan_workspace(const struct plan_request *q, struct arena *a, struct plan *p)
{
	const struct sandbox *s = settings(q);

	p->workspace = (enum workspace)s->workspace.v;
	p->workspace_path = s->workspace_path.at.source ? s->workspace_path.v : q->caller->cwd;
	if (p->workspace == WORKSPACE_NONE) {
		p->workspace_path = NULL;
		return;
	}
	/* The project's own configuration is never changed from inside, whatever is written. */
	if (p->workspace == WORKSPACE_RW || p->workspace == WORKSPACE_COW)
		p->protect = list_texts(a, &s->protect, ".ward.json5", &p->protect_count);
	p->hide = list_texts(a, &s->hide, NULL, &p->hide_count);
	/* Of a workspace that is copied on write they are kept when changes are applied. */
	p->broker = (p->workspace == WORKSPACE_RW && p->protect_count > 0) || p->hide_count > 0;
}

/* Refusals are counted wherever somebody can listen. */
static void take_filter(const struct machine *m, struct plan *p)
{
	if (p->hide_count)
		p->filter_variant = SECCOMP_HIDE;
	else if (p->broker)
		p->filter_variant = SECCOMP_PROTECT;
	else if (machine_has(m, FACILITY_SECCOMP_NOTIFY))
		p->filter_variant = SECCOMP_WATCH;
	else
		p->filter_variant = SECCOMP_PLAIN;
}

/* The caller's folder as seen inside, when it lies in the workspace. */
static const char *find_cwd(const struct plan_request *q, struct arena *a, const struct plan *p)
{
	const char *cwd = q->caller->cwd, *path = p->workspace_path;

	if (!path || !cwd || !pathname_within(cwd, path) || pathname_same(cwd, path))
		return PLAN_WORKSPACE;
	return arena_printf(a, PLAN_WORKSPACE "/%s", cwd + strlen(path) + (path[1] ? 1 : 0));
}

static bool env_has(const char *const *env, size_t count, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < count; i++)
		if (strncmp(env[i], name, len) == 0 && env[i][len] == '=')
			return true;
	return false;
}

static bool env_passes(const struct opt_list *patterns, struct arena *a, const char *variable)
{
	const char *equals = strchr(variable, '=');
	const char *name;

	if (!equals || equals == variable)
		return false;
	name = arena_text(a, variable, (size_t)(equals - variable));
	for (size_t i = 0; i < patterns->count; i++)
		if (glob_word(patterns->items[i].text, name))
			return true;
	return false;
}

/* Nothing of the caller's environment but what is named; what the configuration sets wins. */
static void take_env(const struct plan_request *q, struct arena *a, struct plan *p)
{
	static const char *const fixed[] = {("HOME=" PLAN_HOME), "USER=sandbox", "LOGNAME=sandbox",
		"SHELL=/bin/sh",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR=/tmp"};
	const struct sandbox *s = settings(q);
	size_t room = s->env.count + ARRAY_LEN(fixed) + 2, n = 0;
	const char **env;

	for (size_t i = 0; q->caller->env[i]; i++)
		room++;
	env = arena_array(a, room, sizeof *env);
	for (size_t i = 0; i < s->env.count; i++)
		env[n++] = arena_printf(
			a, "%s=%s", s->env.entries[i].key, s->env.entries[i].text.text);
	for (size_t i = 0; q->caller->env[i]; i++) {
		const char *variable = q->caller->env[i];

		if (env_passes(&s->pass_env, a, variable) &&
			!env_has(env, n, arena_text(a, variable, strcspn(variable, "="))))
			env[n++] = variable;
	}
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		if (!env_has(env, n, arena_text(a, fixed[i], strcspn(fixed[i], "="))))
			env[n++] = fixed[i];
	p->env = p->setup_env = env;
}

static void take_bind_rules(const struct plan_request *q, struct plan *p)
{
	const struct opt_list *exceptions = &settings(q)->allowed_bind_sources;

	p->bind_rules = (struct bindspec_rules){
		.home = q->config->home,
		.own = q->config->own,
		.exceptions = exceptions->items,
		.exception_count = exceptions->count,
	};
}

static void take_require(const struct plan_request *q, struct plan *p)
{
	const struct opt_list *list = &q->verdict->effective->require;

	for (size_t i = 0; i < list->count; i++) {
		struct layer_require want;

		if (layer_require_parse(list->items[i].text, &want, NULL) < 0)
			continue;
		/* Of two demands on one layer the one with a mechanism is the stricter. */
		if (!p->required[want.layer] || want.accepted)
			p->require[want.layer] = want;
		p->required[want.layer] = true;
	}
}

/* A copy: the caller's own words may be overwritten while the plan is carried out. */
static const char *const *copy_words(struct arena *a, const char *const *argv)
{
	const char **copy;
	size_t count = 0;

	while (argv[count])
		count++;
	copy = arena_array(a, count + 1, sizeof *copy);
	for (size_t i = 0; i < count; i++)
		copy[i] = arena_text(a, argv[i], strlen(argv[i]));
	return copy;
}

int plan_make(const struct plan_request *q, struct arena *a, struct plan *ret, struct err *e)
{
	const struct sandbox *s = settings(q);
	struct plan p = {.argv = copy_words(a, q->argv),
		.hostname = PLAN_HOSTNAME,
		.cpus = q->machine->cpus,
		.living = q->caller->living && s->keep_alive.v && !q->verdict->rule};
	int r = check_supported(q, s, e);

	if (r == 0)
		r = take_ids(q->caller, &p, e);
	if (r < 0)
		return r;
	p.landlock = machine_has(q->machine, FACILITY_LANDLOCK);
	p.landlock_abi = q->machine->landlock_abi;
	p.groups = q->machine->facility[FACILITY_CGROUP_MEMORY] == REASON_OK ||
		   q->machine->facility[FACILITY_CGROUP_CPU] == REASON_OK ||
		   q->machine->facility[FACILITY_CGROUP_PIDS] == REASON_OK;
	p.cgroup2 = q->machine->cgroup_memory == 2 || q->machine->cgroup_pids == 2 ||
		    q->machine->cgroup_cpu == 2;
	p.read_only_root = s->read_only_root.v;
	take_user(s->user.v, &p);
	take_limits(s, &p);
	take_times(q, &p);
	take_output(q, &p);
	plan_workspace(q, a, &p);
	take_filter(q->machine, &p);
	take_env(q, a, &p);
	plan_network(q, a, &p.network);
	take_bind_rules(q, &p);
	take_require(q, &p);
	p.cwd = find_cwd(q, a, &p);
	r = plan_root(q, a, &p, e);
	if (r < 0)
		return r;
	*ret = p;
	return 0;
}
