/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import_systems.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/str.h"
#include "json/import_put.h"
#include "model/bindspec.h"

#include <stdint.h>
#include <string.h>

/* openclaw's `sandbox.docker`, whose keys are mostly options of `docker create`. */

/* Every bind is compared with every exception; those behind the last become comments instead. */
#define EXCEPTIONS_MAX 100

static int read_network(struct import *im, const struct import_at *at)
{
	const char *text;
	int rc = import_text(im, at, &text);

	if (rc < 0)
		return rc;
	if (str_eq(text, "none"))
		return import_put_text(im, at, "network.mode", "none", NULL);
	if (str_eq(text, "host") || str_starts(text, "container:"))
		return import_put_text(im, at, "network.mode", "none",
			str_eq(text, "host")
				? "was the host's own network, which ward never shares"
				: "was another container's network, which ward never shares");
	return import_put_text(im, at, "network.mode", "full",
		"docker's networks reach everything; narrow it with network.allow");
}

/* Docker writes rw where ward needs nothing. */
static const char *plain_tmpfs(struct import *im, const char *text)
{
	auto_(buf_free) struct buf plain = BUF(SIZE_MAX);
	size_t len = strcspn(text, ":");
	char separator = ':';

	buf_add(&plain, text, len);
	for (text += len; *text; text += len) {
		len = strcspn(++text, ",");
		if (len == 2 && strncmp(text, "rw", 2) == 0)
			continue;
		buf_putc(&plain, separator);
		buf_add(&plain, text, len);
		separator = ',';
	}
	return arena_text(&im->arena, buf_text(&plain), plain.len);
}

static int read_tmpfs(struct import *im, const struct import_at *at)
{
	struct import_entry *list;
	int rc = import_list(im, at);

	if (rc == 0)
		rc = import_put_open(im, at, "tmpfs", '[', NULL, &list);
	for (uint32_t i = 0; rc == 0 && i < at->node->count; i++) {
		struct import_at item = import_item(im, at, i);
		const char *text;

		rc = import_text(im, &item, &text);
		if (rc == 0)
			import_put_item(im, at, list, plain_tmpfs(im, text));
	}
	return rc;
}

static int read_env(struct import *im, const struct import_at *at)
{
	struct import_entry *map;
	int rc = import_object(im, at);

	if (rc == 0)
		rc = import_put_open(im, at, "env", '{', NULL, &map);
	for (uint32_t i = 0; rc == 0 && i < at->node->count; i++) {
		struct import_at item;
		const char *text;

		if (!import_member_at(im, at, i, &item))
			continue;
		rc = import_text(im, &item, &text);
		if (rc == 0 && strstr(text, "${"))
			import_note(im, &item,
				"taken from the environment of the gateway; name it in passEnv to "
				"let it in");
		else if (rc == 0)
			import_put_pair(im, at, map, item.key, text);
	}
	return rc;
}

/* One text, or a list of lines. */
static int read_setup_command(struct import *im, const struct import_at *at)
{
	auto_(buf_free) struct buf script = BUF(SIZE_MAX);

	if (at->node->type != NODE_ARRAY)
		return import_put(im, at, "setupCommand", NULL, NULL);
	for (uint32_t i = 0; i < at->node->count; i++) {
		struct import_at item = import_item(im, at, i);
		const char *text;
		int rc = import_text(im, &item, &text);

		if (rc < 0)
			return rc;
		buf_printf(&script, "%s%s", i ? "\n" : "", text);
	}
	return import_put_text(im, at, "setupCommand",
		arena_text(&im->arena, buf_text(&script), script.len), NULL);
}

/* name:address, the address may have colons of its own; as members of a map. */
static int split_hosts(struct import *im, const struct import_at *at, struct member *ret)
{
	for (uint32_t i = 0; i < at->node->count; i++) {
		struct import_at item = import_item(im, at, i);
		const char *text, *colon;
		int rc = import_text(im, &item, &text);

		if (rc < 0)
			return rc;
		colon = strchr(text, ':');
		if (!colon)
			return import_fail(im, &item, "must be name:address");
		ret[i].key = arena_text(&im->arena, text, (size_t)(colon - text));
		ret[i].value = *item.node;
		ret[i].value.text = colon + 1;
	}
	return 0;
}

static int read_extra_hosts(struct import *im, const struct import_at *at)
{
	struct import_entry *map;
	struct member *hosts;
	size_t twice;
	int rc = import_list(im, at);

	if (rc < 0)
		return rc;
	hosts = arena_array(&im->arena, at->node->count, sizeof *hosts);
	rc = split_hosts(im, at, hosts);
	if (rc < 0)
		return rc;
	if (tree_has_duplicate(hosts, at->node->count, &twice)) {
		struct import_at item = import_item(im, at, (uint32_t)twice);

		return import_fail(im, &item, "this name stands here twice");
	}
	rc = import_put_open(im, at, "network.hosts", '{', NULL, &map);
	for (uint32_t i = 0; rc == 0 && i < at->node->count; i++)
		import_put_pair(im, at, map, hosts[i].key, hosts[i].value.text);
	return rc;
}

/* 1024, "1024:2048" or {soft, hard}: the bound that cannot be raised. */
static const struct node *hard_limit(struct import *im, const struct node *node)
{
	const struct node *hard = tree_get(node, "hard");
	const char *colon = node->type == NODE_TEXT ? strchr(node->text, ':') : NULL;
	struct node *copy;

	if (hard)
		return hard;
	if (node->type == NODE_OBJECT)
		return tree_get(node, "soft");
	if (!colon)
		return node;
	copy = arena_copy(&im->arena, node, sizeof *node);
	copy->text = colon + 1;
	return copy;
}

static int read_ulimit(struct import *im, const struct import_at *at)
{
	static const char *const to[][2] = {
		{"nofile", "resources.files"}, {"fsize", "resources.fileSize"}};
	struct import_at limit = *at;

	for (size_t i = 0; i < ARRAY_LEN(to); i++) {
		if (!str_eq(at->key, to[i][0]))
			continue;
		limit.node = hard_limit(im, at->node);
		if (!limit.node)
			return import_fail(im, at, "needs soft or hard");
		return import_put(im, &limit, to[i][1], NULL, "the hard limit");
	}
	if (str_eq(at->key, "nproc"))
		import_note(im, at,
			"counts the processes of a user; resources.pids counts those of the "
			"sandbox");
	else
		import_note(im, at, "ward has no such limit");
	return 0;
}

static int read_ulimits(struct import *im, const struct import_at *at)
{
	int rc = import_object(im, at);

	for (uint32_t i = 0; rc == 0 && i < at->node->count; i++) {
		struct import_at limit;

		if (import_member_at(im, at, i, &limit))
			rc = read_ulimit(im, &limit);
	}
	return rc;
}

/* allowedBindSources of the same block, as the rules want them. */
static struct bindspec_rules bind_rules(struct import *im, const struct node *docker)
{
	const struct node *list = tree_get(docker, "allowedBindSources");
	struct bindspec_rules rules = {0};
	struct item *items;

	if (!list || list->type != NODE_ARRAY)
		return rules;
	items = arena_array(&im->arena, list->count, sizeof *items);
	for (uint32_t i = 0; i < list->count && i < EXCEPTIONS_MAX; i++)
		if (list->items[i].type == NODE_TEXT)
			items[rules.exception_count++].text = list->items[i].text;
	rules.exceptions = items;
	return rules;
}

/* Docker's binds are writable unless they say ro; ward's are read-only unless they say rw. */
static const char *full_bind(struct import *im, const char *text)
{
	if (str_ends(text, ":ro") || str_ends(text, ":rw"))
		return text;
	return arena_printf(&im->arena, "%s:rw", text);
}

static int put_binds(struct import *im, const struct import_at *at, const struct node *docker)
{
	const struct bindspec_rules rules = bind_rules(im, docker);
	struct import_entry *list;
	int rc = import_list(im, at);

	if (rc == 0)
		rc = import_put_open(im, at, "binds", '[', NULL, &list);
	for (uint32_t i = 0; rc == 0 && i < at->node->count; i++) {
		struct import_at item = import_item(im, at, i);
		const char *text;

		rc = import_text(im, &item, &text);
		if (rc == 0)
			import_put_bind(im, list, &rules, full_bind(im, text));
	}
	return rc;
}

int import_openclaw_binds(struct import *im, const struct import_at *at)
{
	return put_binds(im, at, NULL);
}

static int size_of(struct import *im, const struct import_at *at, uint64_t *ret)
{
	struct err why = {0};

	if (at->node->type != NODE_NUMBER && at->node->type != NODE_TEXT)
		return import_wrong_type(im, at, "a size");
	return number_size(at->node->text, ret, &why) < 0 ? import_fail(im, at, "%s", why.text) : 0;
}

static bool is_one_of(const struct node *node, const char *one, const char *other)
{
	bool plain = node->type == NODE_TEXT || node->type == NODE_NUMBER;

	return plain && (str_eq(node->text, one) || str_eq(node->text, other));
}

/* Docker counts memory and swap together, ward the swap alone. */
static int put_swap(struct import *im, const struct import_at *docker)
{
	struct import_at swap_at, memory_at;
	uint64_t swap, memory;
	char text[NUMBER_TEXT];
	int rc;

	if (!import_member(im, docker, "memorySwap", &swap_at))
		return 0;
	if (is_one_of(swap_at.node, "0", "-1")) {
		import_note(im, &swap_at, "no limit there; ward gives no swap");
		return 0;
	}
	if (!import_member(im, docker, "memory", &memory_at)) {
		import_note(im, &swap_at,
			"counts memory and swap together, and no memory is given here; see "
			"resources.swap");
		return 0;
	}
	rc = size_of(im, &swap_at, &swap);
	if (rc == 0)
		rc = size_of(im, &memory_at, &memory);
	if (rc < 0)
		return rc;
	if (swap < memory)
		return import_fail(im, &swap_at, "is less than memory, which it includes");
	number_size_text(swap - memory, text);
	return import_put_text(im, &swap_at, "resources.swap", arena_printf(&im->arena, "%s", text),
		"memorySwap less memory");
}

static const struct import_key docker_keys[] = {
	{"image", .read = import_skip},
	{"containerPrefix", .note = "ward names its sandboxes by session"},
	{"workdir", .read = import_put_workspace_place},
	{"readOnlyRoot", .to = "readOnlyRoot"},
	{"tmpfs", .read = read_tmpfs},
	{"network", .read = read_network},
	{"user", .to = "user"},
	{"capDrop", .to = "capDrop"},
	{"capAdd", .to = "capAdd"},
	{"env", .read = read_env},
	{"setupCommand", .read = read_setup_command},
	{"pidsLimit", .to = "resources.pids"},
	{"memory", .to = "resources.memory"},
	{"memorySwap", .read = import_skip},
	{"cpus", .to = "resources.cpus"},
	{"gpus", .note = "ward passes no devices in"},
	{"ulimits", .read = read_ulimits},
	{"seccompProfile", .to = "seccomp"},
	{"apparmorProfile", .to = "apparmor"},
	{"dns", .to = "network.dns"},
	{"extraHosts", .read = read_extra_hosts},
	{"binds", .read = import_skip},
	{"allowedBindSources", .to = "allowedBindSources"},
	{"dangerouslyAllowReservedContainerTargets",
		.note = "/workspace and /agent stay reserved for the workspace"},
	{"dangerouslyAllowExternalBindSources",
		.note = "ward judges each folder by itself; see allowedBindSources"},
	{"dangerouslyAllowContainerNamespaceJoin", .note = "ward joins no other network"},
	{"workspaceMountPropagation",
		.note = "mounts of the host do not appear in a running sandbox"},
	{0},
};

int import_openclaw_docker(struct import *im, const struct import_at *at)
{
	struct import_at binds;
	int rc = import_walk(im, at, docker_keys);

	if (rc == 0)
		rc = put_swap(im, at);
	if (rc == 0 && import_member(im, at, "binds", &binds))
		rc = put_binds(im, &binds, at->node);
	return rc;
}
