/* SPDX-License-Identifier: Apache-2.0 */
#include "model/runtime.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/macro.h"
#include "base/str.h"

#include <string.h>

const char *const runtime_names[RUNTIME_COUNT + 1] = {
	[RUNTIME_NATIVE] = "native",
	[RUNTIME_DOCKER] = "docker",
	[RUNTIME_PODMAN] = "podman",
	[RUNTIME_GVISOR] = "gvisor",
	[RUNTIME_CRUN] = "crun",
	[RUNTIME_RUNC] = "runc",
	[RUNTIME_LIMA] = "lima",
	[RUNTIME_KUBERNETES] = "kubernetes",
	[RUNTIME_SPAWN] = "spawn",
	[RUNTIME_HOST] = "host",
};

/* What "auto" stands for, best first. */
static const enum runtime automatic[] = {
	RUNTIME_NATIVE, RUNTIME_GVISOR, RUNTIME_PODMAN, RUNTIME_DOCKER};

/* Who keeps the limits of memory, cpu and processes. */
enum keeper {
	KEEPER_NOBODY,
	KEEPER_DAEMON, /* a root daemon: any cgroup that is mounted */
	KEEPER_CALLER, /* a program run by the caller: the caller's cgroups */
	KEEPER_OTHER,  /* a kernel of its own, elsewhere */
};

/* How one runtime is found and what it enforces. A layer without a mechanism is not enforced, for
 * the reason. */
struct wall {
	unsigned mechanisms;
	const char *mechanism;
};

static const struct kind {
	enum engine engine; /* ENGINE_COUNT: part of ward */
	bool user_ns;       /* an ordinary user needs user namespaces for it */
	enum keeper keeper;
	struct wall walls[LAYER_COUNT];
	const char *why; /* of the layers without a wall */
	const char *remedy;
} kinds[RUNTIME_COUNT] = {
#define CONTAINER_WALLS                                                        \
	{                                                                      \
		[LAYER_FILESYSTEM] = {MECHANISM_NAMESPACE, "mount namespace"}, \
		[LAYER_NETWORK] = {MECHANISM_NAMESPACE, "network namespace"},  \
		[LAYER_PROCESSES] = {MECHANISM_NAMESPACE, "pid namespace"},    \
		[LAYER_SYSCALLS] = {MECHANISM_SECCOMP, "seccomp"},             \
		[LAYER_DISK] = {MECHANISM_TMPFS, "tmpfs"},                     \
	}
#define CONTAINER_WHY \
	.why = "container engines apply no Landlock rules", .remedy = "runtime: \"native\""
	[RUNTIME_NATIVE] = {.engine = ENGINE_COUNT},
	[RUNTIME_DOCKER] = {ENGINE_DOCKER, false, KEEPER_DAEMON, CONTAINER_WALLS, CONTAINER_WHY},
	[RUNTIME_PODMAN] = {ENGINE_PODMAN, true, KEEPER_CALLER, CONTAINER_WALLS, CONTAINER_WHY},
	[RUNTIME_CRUN] = {ENGINE_CRUN, true, KEEPER_CALLER, CONTAINER_WALLS, CONTAINER_WHY},
	[RUNTIME_RUNC] = {ENGINE_RUNC, true, KEEPER_CALLER, CONTAINER_WALLS, CONTAINER_WHY},
	[RUNTIME_GVISOR] = {ENGINE_RUNSC, true, KEEPER_CALLER,
		{
			[LAYER_FILESYSTEM] = {MECHANISM_GVISOR, "gvisor"},
			[LAYER_NETWORK] = {MECHANISM_GVISOR, "gvisor"},
			[LAYER_PROCESSES] = {MECHANISM_GVISOR, "gvisor"},
			[LAYER_SYSCALLS] = {MECHANISM_GVISOR | MECHANISM_SECCOMP, "gvisor"},
			[LAYER_DISK] = {MECHANISM_TMPFS, "tmpfs"},
		},
		.why = "gVisor's kernel has no Landlock", .remedy = "runtime: \"native\""},
	[RUNTIME_LIMA] = {ENGINE_LIMACTL, false, KEEPER_OTHER,
		{
			[LAYER_FILESYSTEM] = {MECHANISM_VM, "virtual machine"},
			[LAYER_NETWORK] = {MECHANISM_VM, "virtual machine"},
			[LAYER_PROCESSES] = {MECHANISM_VM, "virtual machine"},
			[LAYER_SYSCALLS] = {MECHANISM_VM, "virtual machine"},
			[LAYER_MEMORY] = {MECHANISM_VM, "virtual machine"},
			[LAYER_CPU] = {MECHANISM_VM, "virtual machine"},
			[LAYER_DISK] = {MECHANISM_VM, "virtual machine"},
		},
		.why = "a virtual machine does not tell whether its guest limits this"},
	[RUNTIME_KUBERNETES] = {ENGINE_KUBECTL, false, KEEPER_OTHER,
		{
			[LAYER_FILESYSTEM] = {MECHANISM_CONTAINER, "pod"},
			[LAYER_PROCESSES] = {MECHANISM_CONTAINER, "pod"},
			[LAYER_SYSCALLS] = {MECHANISM_SECCOMP, "seccomp"},
			[LAYER_MEMORY] = {MECHANISM_CGROUP2, "cgroup2"},
			[LAYER_CPU] = {MECHANISM_CGROUP2, "cgroup2"},
			[LAYER_DISK] = {MECHANISM_CONTAINER, "pod"},
		},
		.why = "that depends on the cluster and cannot be seen from here"},
	[RUNTIME_SPAWN] = {ENGINE_COUNT, false, KEEPER_NOBODY,
		{
			[LAYER_SYSCALLS] = {MECHANISM_SECCOMP, "seccomp"},
			[LAYER_MEMORY] = {MECHANISM_WATCHDOG, "watchdog"},
			[LAYER_PIDS] = {MECHANISM_RLIMIT, "rlimit"},
			[LAYER_DISK] = {MECHANISM_WATCHDOG, "watchdog"},
		},
		.why = "spawn has only Landlock and seccomp",
		.remedy = "use the native runtime, or list in require only what spawn can do"},
	[RUNTIME_HOST] = {ENGINE_COUNT, false, KEEPER_NOBODY, {{0}},
		.why = "the host enforces nothing",
		.remedy = "use a sandbox, or accept this by writing require: []"},
};

/* Texts that name the program, so that they can stay constant. */
static const char *const not_found[ENGINE_COUNT] = {
	[ENGINE_DOCKER] = "docker was not found in PATH",
	[ENGINE_PODMAN] = "podman was not found in PATH",
	[ENGINE_CRUN] = "crun was not found in PATH",
	[ENGINE_RUNC] = "runc was not found in PATH",
	[ENGINE_RUNSC] = "runsc was not found in PATH",
	[ENGINE_LIMACTL] = "limactl was not found in PATH",
	[ENGINE_KUBECTL] = "kubectl was not found in PATH",
	[ENGINE_BWRAP] = "bwrap was not found in PATH",
};

static const char *word_at(size_t i, const void *ctx)
{
	(void)ctx;
	return i ? runtime_names[i - 1] : "auto";
}

static int unknown_runtime(const char *text, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(100), all = BUF(200);
	const char *near = str_nearest(text, word_at, NULL);

	escape_text(&shown, text);
	for (size_t i = 0; word_at(i, NULL); i++)
		buf_printf(&all, "%s%s", i ? ", " : "", word_at(i, NULL));
	if (near)
		return err_set(e, EINVAL, "unknown runtime '%s': did you mean '%s'?",
			buf_text(&shown), near);
	return err_set(e, EINVAL, "unknown runtime '%s': one of %s, docker:<container>",
		buf_text(&shown), buf_text(&all));
}

/* "auto", a runtime's name, "docker:<container>". */
static int parse_ref(const char *text, struct runtime_ref *ret, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(100);

	if (str_eq(text, "auto")) {
		*ret = (struct runtime_ref){.automatic = true};
		return 0;
	}
	if (str_starts(text, "docker:")) {
		if (text[7] == '_' || !str_is_name(text + 7)) {
			escape_text(&shown, text + 7);
			return err_set(e, EINVAL,
				"'%s' is no name of a container: letters, digits and _ . - are "
				"allowed",
				buf_text(&shown));
		}
		*ret = (struct runtime_ref){.runtime = RUNTIME_DOCKER, .container = text + 7};
		return 0;
	}
	for (enum runtime r = 0; r < RUNTIME_COUNT; r++)
		if (str_eq(text, runtime_names[r])) {
			*ret = (struct runtime_ref){.runtime = r};
			return 0;
		}
	return unknown_runtime(text, e);
}

int runtime_check(const char *text, struct err *e)
{
	struct runtime_ref ref;

	return parse_ref(text, &ref, e);
}

static bool refuse(
	const char *why, const char *remedy, const char **ret_why, const char **ret_remedy)
{
	if (ret_why)
		*ret_why = why;
	if (ret_remedy)
		*ret_remedy = remedy;
	return false;
}

bool runtime_available(
	const struct machine *m, enum runtime r, const char **ret_why, const char **ret_remedy)
{
	const struct kind *kind = &kinds[r];
	struct layer_answer a;

	if (r == RUNTIME_NATIVE) {
		a = machine_layer(m, LAYER_PROCESSES);
		return a.enforced || refuse(a.why, a.remedy, ret_why, ret_remedy);
	}
	if (kind->engine == ENGINE_COUNT)
		return true;
	if (!m->engine[kind->engine].path[0])
		return refuse(not_found[kind->engine], "install it, or choose another runtime",
			ret_why, ret_remedy);
	if (!m->engine[kind->engine].reachable)
		return refuse("its daemon's socket cannot be opened",
			"start the daemon, or ask for the right to use it (that right is as good "
			"as root)",
			ret_why, ret_remedy);
	if (kind->user_ns && !m->root && !machine_has(m, FACILITY_USER_NS))
		return refuse(machine_why(m, FACILITY_USER_NS), machine_remedy(m, FACILITY_USER_NS),
			ret_why, ret_remedy);
	return true;
}

static bool is_limit(enum layer_id layer)
{
	return layer == LAYER_MEMORY || layer == LAYER_CPU || layer == LAYER_PIDS;
}

static struct layer_answer nothing(const char *why, const char *remedy)
{
	return (struct layer_answer){.mechanism = "none", .why = why, .remedy = remedy};
}

static struct layer_answer wall_answer(const struct kind *kind, enum layer_id layer)
{
	const struct wall *wall = &kind->walls[layer];

	if (!wall->mechanisms)
		return nothing(kind->why, kind->remedy);
	return (struct layer_answer){
		.enforced = true, .mechanisms = wall->mechanisms, .mechanism = wall->mechanism};
}

/* Only what the kernel has; and a limit on a user's processes does not bind root. */
static struct layer_answer spawn_layer(const struct machine *m, enum layer_id layer)
{
	if (layer == LAYER_FILESYSTEM || layer == LAYER_LANDLOCK)
		return machine_landlock_layer(m);
	if (layer == LAYER_SYSCALLS && !machine_has(m, FACILITY_SECCOMP))
		return nothing(
			machine_why(m, FACILITY_SECCOMP), machine_remedy(m, FACILITY_SECCOMP));
	if (layer == LAYER_PIDS && m->root)
		return nothing("a limit on a user's processes does not bind root",
			"use the native runtime, or run ward as an ordinary user");
	return wall_answer(&kinds[RUNTIME_SPAWN], layer);
}

struct layer_answer runtime_layer(const struct machine *m, enum runtime r, enum layer_id layer)
{
	const struct kind *kind = &kinds[r];
	bool engine = kind->keeper == KEEPER_DAEMON || kind->keeper == KEEPER_CALLER;
	const char *why, *remedy;

	if (r == RUNTIME_NATIVE)
		return machine_layer(m, layer);
	if (!runtime_available(m, r, &why, &remedy))
		return nothing(why, remedy);
	if (r == RUNTIME_SPAWN)
		return spawn_layer(m, layer);
	if (engine && is_limit(layer))
		return machine_cgroup_layer(m, layer, kind->keeper == KEEPER_DAEMON);
	/* Engines of this machine cannot filter what its kernel cannot. */
	if (engine && kind->walls[layer].mechanisms == MECHANISM_SECCOMP &&
		!machine_has(m, FACILITY_SECCOMP))
		return nothing(
			machine_why(m, FACILITY_SECCOMP), machine_remedy(m, FACILITY_SECCOMP));
	return wall_answer(kind, layer);
}

struct layer_answer runtime_ref_layer(
	const struct machine *m, const struct runtime_ref *ref, enum layer_id layer)
{
	struct layer_answer a = runtime_layer(m, ref->runtime, layer);

	if (!ref->container || !a.enforced)
		return a;
	if (layer != LAYER_FILESYSTEM && layer != LAYER_PROCESSES)
		return nothing(
			"the container was made by somebody else: its network and its limits "
			"are its own",
			"use docker without a container's name, or require only filesystem and "
			"processes");
	a.mechanism = "container";
	a.mechanisms = MECHANISM_CONTAINER;
	return a;
}

static bool same_ref(const struct runtime_ref *a, const struct runtime_ref *b)
{
	return a->runtime == b->runtime && str_eq(a->container, b->container);
}

/* Adds a candidate once; a list that names it twice does not make it better. */
static int add_candidate(struct runtime_choice *c, const struct runtime_ref *ref, struct err *e)
{
	for (size_t i = 0; i < c->count; i++)
		if (same_ref(&c->candidates[i].ref, ref))
			return 0;
	if (c->count == RUNTIME_CANDIDATES_MAX)
		return err_set(
			e, EINVAL, "more than %d runtimes to choose from", RUNTIME_CANDIDATES_MAX);
	c->candidates[c->count++] = (struct runtime_candidate){.ref = *ref};
	return 0;
}

/* One word of the wish; "auto" becomes its list. */
static int add_word(struct runtime_choice *c, const char *text, struct err *e)
{
	struct runtime_ref ref;
	int r = parse_ref(text, &ref, e);

	if (r < 0 || !ref.automatic)
		return r < 0 ? r : add_candidate(c, &ref, e);
	for (size_t i = 0; i < ARRAY_LEN(automatic) && r >= 0; i++) {
		ref = (struct runtime_ref){.runtime = automatic[i]};
		r = add_candidate(c, &ref, e);
	}
	return r;
}

static int list_candidates(const struct runtime_wish *wish, struct runtime_choice *c, struct err *e)
{
	int r = add_word(c, wish->runtime, e);

	for (size_t i = 0; i < wish->fallback_count && r >= 0; i++)
		r = add_word(c, wish->fallback[i], e);
	return r;
}

static int judge(const struct runtime_wish *wish, const struct machine *m,
	struct runtime_candidate *c, struct err *e)
{
	struct layer_require require;
	struct layer_answer answer;
	int r;

	if (!runtime_available(m, c->ref.runtime, &c->why, &c->remedy))
		return 0;
	for (size_t i = 0; i < wish->require_count; i++) {
		r = layer_require_parse(wish->require[i], &require, e);
		if (r < 0)
			return r;
		answer = runtime_ref_layer(m, &c->ref, require.layer);
		if (layer_require_met(&require, &answer))
			continue;
		c->require = wish->require[i];
		c->why = answer.why ? answer.why : "only a weaker mechanism enforces it";
		c->remedy = answer.remedy;
		return 0;
	}
	c->accepted = true;
	return 0;
}

int runtime_choose(const struct runtime_wish *wish, const struct machine *m,
	struct runtime_choice *ret, struct err *e)
{
	struct runtime_choice choice = {.chosen = RUNTIME_NONE};
	int r = list_candidates(wish, &choice, e);

	for (size_t i = 0; i < wish->require_count && r >= 0; i++)
		r = layer_require_check(wish->require[i], e);
	for (size_t i = 0; i < choice.count && r >= 0 && choice.chosen < 0; i++) {
		r = judge(wish, m, &choice.candidates[i], e);
		if (choice.candidates[i].accepted)
			choice.chosen = (int)i;
	}
	if (r < 0)
		return r;
	if (choice.chosen >= 0)
		choice.count = (size_t)choice.chosen + 1;
	*ret = choice;
	return 0;
}
