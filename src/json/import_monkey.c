/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import_systems.h"

#include "base/str.h"
#include "json/import_put.h"

/*
 * monkey: the options of `monkey agent` on a command line, or the object that its library takes.
 * Its three modes are none, spawn (the default: no shell, but no limits either) and docker.
 */

#define FRAMEWORK "a matter of the framework, not of ward"
#define MONKEY_DEFAULT "monkey's default"

enum monkey_mode { MONKEY_NONE, MONKEY_SPAWN, MONKEY_DOCKER };
static const struct import_word modes[] = {[MONKEY_NONE] = {"none", "off", NULL},
	[MONKEY_SPAWN] = {"spawn", "all", NULL},
	[MONKEY_DOCKER] = {"docker", "all", NULL},
	{0}};

static int read_network(struct import *im, const struct import_at *at)
{
	bool on;
	int rc = import_bool(im, at, &on);

	if (rc < 0)
		return rc;
	return import_put_text(im, at, "network.mode", on ? "full" : "none",
		on ? "reaches everything; narrow it with network.allow" : NULL);
}

/* Milliseconds, also where the command line makes a text of it. */
static int read_timeout(struct import *im, const struct import_at *at)
{
	struct node number = *at->node;
	struct import_at timeout = *at;

	if (number.type == NODE_TEXT)
		number.type = NODE_NUMBER;
	timeout.node = &number;
	return import_put(im, &timeout, "timeout", "ms", NULL);
}

/* `monkey agent` itself. */
static int read_arguments(struct import *im, const struct import_at *at)
{
	for (uint32_t i = 0; i < at->node->count; i++) {
		struct import_at word = import_item(im, at, i);

		word.key = word.node->text;
		if (!str_eq(word.key, "monkey") && !str_eq(word.key, "agent"))
			import_note(im, &word, "not known to this import; ignored");
	}
	return 0;
}

static const struct import_key top_keys[] = {
	{"", .read = read_arguments},
	{"mode", .read = import_skip},
	{"sandbox", .read = import_skip},
	{"sandboxMode", .read = import_skip},
	{"--sandbox", .read = import_skip},
	{"--docker", .read = import_skip},
	{"timeout", .read = read_timeout},
	{"--timeout", .read = read_timeout},
	{"memoryLimit", .read = import_skip},
	{"networkEnabled", .read = read_network},
	{"readOnlyRoot", .to = "readOnlyRoot"},
	{"image", .to = "image"},
	{"workdir", .read = import_put_workspace_place},
	{"requireApproval", .note = "ward asks by tools.elevated"},
	{"model", .note = FRAMEWORK},
	{"--model", .note = FRAMEWORK},
	{"maxIterations", .note = FRAMEWORK},
	{"--max-iterations", .note = FRAMEWORK},
	{"task", .note = FRAMEWORK},
	{"--task", .note = FRAMEWORK},
	{0},
};

/* Whichever of the keys names it; two that do not agree are an error. */
static int find_mode(struct import *im, const struct import_at *top, enum monkey_mode *ret)
{
	static const char *const keys[] = {"mode", "sandbox", "sandboxMode", "--sandbox"};
	const struct import_word *found = NULL;
	struct import_at at;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const struct import_word *word;
		int rc;

		if (!import_member(im, top, keys[i], &at))
			continue;
		rc = import_find_word(im, &at, modes, &word);
		if (rc < 0)
			return rc;
		if (found && found != word)
			return import_fail(
				im, &at, "is not what another key says: '%s'", found->from);
		found = word;
	}
	if (import_member(im, top, "--docker", &at)) {
		if (found && found != &modes[MONKEY_DOCKER])
			return import_fail(
				im, &at, "is not what --sandbox says: '%s'", found->from);
		found = &modes[MONKEY_DOCKER];
	}
	*ret = found ? (enum monkey_mode)(found - modes) : MONKEY_SPAWN;
	return 0;
}

/* A bare number means megabytes. Only docker heeds it. */
static int put_memory(struct import *im, const struct import_at *top, enum monkey_mode mode)
{
	struct import_at at;

	if (!import_member(im, top, "memoryLimit", &at))
		return 0;
	if (mode == MONKEY_DOCKER)
		return import_put(im, &at, "resources.memory", "M", NULL);
	import_note(im, &at, "without effect in this mode of monkey; see resources.memory");
	return 0;
}

struct monkey_default {
	const char *to;
	const char *json5;
	const char *remark;
};

static const struct monkey_default none_defaults[] = {
	{"mode", "\"off\"", "monkey's none: everything runs on the host"},
	{0},
};

/* No limits: whatever is written here must be enforced, and this runtime enforces none. */
static const struct monkey_default spawn_defaults[] = {
	{"mode", "\"all\"", NULL},
	{"runtime", "\"spawn\"", "monkey's spawn had no limits at all; \"auto\" isolates fully"},
	{"network.mode", "\"none\"", "monkey's spawn used the host's; \"full\" keeps that"},
	{"timeout", "\"30s\"", MONKEY_DEFAULT},
	{0},
};

static const struct monkey_default docker_defaults[] = {
	{"mode", "\"all\"", NULL},
	{"runtime", "\"docker\"",
		"monkey fell back to spawn in silence; ward stops with an error, see fallback"},
	{"resources.memory", "\"256M\"", MONKEY_DEFAULT},
	{"resources.cpus", "0.5", MONKEY_DEFAULT},
	{"resources.pids", "50", MONKEY_DEFAULT},
	{"network.mode", "\"none\"", MONKEY_DEFAULT},
	{"timeout", "\"30s\"", MONKEY_DEFAULT},
	{0},
};

static const struct monkey_default *const defaults[] = {
	[MONKEY_NONE] = none_defaults,
	[MONKEY_SPAWN] = spawn_defaults,
	[MONKEY_DOCKER] = docker_defaults,
};

int import_monkey(struct import *im, const struct import_at *at)
{
	struct import_at top = *at;
	enum monkey_mode mode = MONKEY_SPAWN;
	int rc;

	top.notes = NULL;
	rc = import_walk(im, &top, top_keys);
	if (rc == 0)
		rc = find_mode(im, &top, &mode);
	if (rc == 0)
		rc = put_memory(im, &top, mode);
	if (rc < 0)
		return rc;
	for (const struct monkey_default *d = defaults[mode]; d->to; d++)
		import_put_default(im, top.agent, IMPORT_SANDBOX, d->to, d->json5, d->remark);
	return 0;
}
