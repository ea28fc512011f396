/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A whole configuration from foreign bytes, and decisions by it. The bytes 0xff, which no text has,
 * part the input: the administrator's file, the user's, the workspace's, and then assignments of
 * the command line. Held to: refusals are harmless to show; every value that is taken reads back as
 * JSON; a workspace's file never lets more run, nor lets it run in a wider place.
 */

#include "json/config_read.h"

#include "../unit/machines.h"
#include "base/cleanup.h"
#include "base/show.h"
#include "base/utf8.h"
#include "json/json5.h"
#include "model/decide.h"

#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct part {
	const char *text;
	size_t len;
};

static void require(int holds)
{
	if (!holds)
		abort();
}

static void check_refusal(int r, const struct err *e)
{
	size_t len = strlen(e->text);
	uint32_t c;

	require(r < 0 && e->code > 0 && len > 0);
	for (size_t i = 0, step; i < len; i += step) {
		step = utf8_decode(e->text + i, len - i, &c);
		require(step > 0 && !utf8_is_deceptive(c));
	}
}

static size_t split(const uint8_t *data, size_t size, struct part parts[PARTS_MAX])
{
	const char *p = (const char *)data, *end = p + size;
	size_t n = 0;

	while (n < PARTS_MAX) {
		const char *next = memchr(p, 0xff, (size_t)(end - p));

		parts[n++] = (struct part){p, (size_t)((next ? next : end) - p)};
		if (!next)
			break;
		p = next + 1;
	}
	return n;
}

/* The levels in the order of the parts; an empty one has no file. */
static int read_parts(
	struct config *c, const struct part *parts, size_t count, bool workspace, struct err *e)
{
	static const enum level levels[] = {LEVEL_SYSTEM, LEVEL_USER, LEVEL_WORKSPACE};
	struct config_wish wish = {.all = true};
	int r = 0;

	for (size_t i = 0; i < count && i < ARRAY_LEN(levels) && r == 0; i++)
		if (parts[i].len > 0 && (workspace || levels[i] != LEVEL_WORKSPACE))
			r = config_read(c, levels[i], "f", parts[i].text, parts[i].len, &wish, e);
	for (size_t i = ARRAY_LEN(levels); i < count && r == 0; i++)
		r = config_set(c, arena_text(&c->arena, parts[i].text, parts[i].len), &wish, e);
	return r < 0 ? r : config_check(c, e);
}

static int check_shown(const char *path, const struct field *f, const void *base, void *ctx)
{
	auto_(buf_free) struct buf shown = BUF(SIZE_MAX);
	struct node root;

	(void)path;
	if (!field_where(f, base)->source)
		return 0;
	show_value(&shown, f, field_at(f, base));
	require(json5_parse(ctx, "shown", shown.data, shown.len, &root, NULL) == 0);
	return 0;
}

static bool is_in(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(*list, text) == 0)
			return true;
	return false;
}

static void check_tools(const struct effective *with, const struct effective *without,
	struct arena *a, bool sandboxed)
{
	const char *const *fewer = toolpolicy_effective(&with->tools, a, sandboxed);
	const char *const *more = toolpolicy_effective(&without->tools, a, sandboxed);

	for (; *fewer; fewer++)
		require(is_in(*fewer, more));
}

/* What a workspace's file leaves is within what there was. */
static void check_tighter(
	const struct effective *with, const struct effective *without, struct arena *a)
{
	const struct sandbox *x = &with->s.sandbox, *y = &without->s.sandbox;

	require(x->mode.v <= y->mode.v && x->scope.v <= y->scope.v);
	require(x->workspace.v <= y->workspace.v);
	require(x->read_only_root.v >= y->read_only_root.v);
	require(x->resources.memory.v <= y->resources.memory.v);
	require(x->resources.pids.v <= y->resources.pids.v);
	require(net_policy_within(&with->net, &without->net));
	require(with->require.count >= without->require.count);
	check_tools(with, without, a, true);
	check_tools(with, without, a, false);
}

static void check_agent(const struct config *with, const struct config *without, const char *agent)
{
	auto_(arena_free) struct arena a = {0};
	struct effective *x = arena_alloc(&a, sizeof *x), *y = arena_alloc(&a, sizeof *y);
	struct err e = {0};
	int r = resolve_agent(with, agent, &a, x, &e);

	if (r < 0) {
		check_refusal(r, &e);
		return;
	}
	field_each(settings_fields, &x->s, check_shown, &a);
	if (resolve_agent(without, agent, &a, y, NULL) == 0)
		check_tighter(x, y, &a);
}

static const char *const push[] = {"git", "push", "origin", NULL};

static const struct request requests[] = {
	{0},
	{.tool = "exec", .command = "git push origin main"},
	{.session = "agent:a:main", .command = "git push $(id)"},
	{.session = "agent:a:other", .argv = (char *const *)push, .argc = 3},
	{.agent = "b", .tool = "bash", .command = "ls; id"},
	{.session = "x", .tool = "read"},
	{.agent = "a", .tool = "web_fetch"},
	{.agent = "b", .session = "agent:b:main", .tool = "own_tool"},
};

/* With the workspace's file no wider place, and in the same place no more. */
static void check_within(const struct verdict *with, const struct verdict *without)
{
	if (with->permission == PERMISSION_DENY)
		return;
	require(without->permission != PERMISSION_DENY);
	if (with->place == PLACE_HOST)
		require(without->place == PLACE_HOST && without->permission >= with->permission);
}

static void check_requests(
	const struct config *with, const struct config *without, const struct machine *m)
{
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		auto_(arena_free) struct arena a = {0};
		struct verdict *x = arena_alloc(&a, sizeof *x), *y = arena_alloc(&a, sizeof *y);
		struct err e = {0};
		int r = decide(with, m, &requests[i], &a, x, &e);

		if (r < 0) {
			check_refusal(r, &e);
			continue;
		}
		require(x->reason_count > 0);
		if (decide(without, m, &requests[i], &a, y, NULL) == 0)
			check_within(x, y);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct machine machine;
	auto_(config_free) struct config with = {0}, without = {0};
	struct part parts[PARTS_MAX];
	size_t count = split(data, size, parts);
	struct err e = {0};
	int r = read_parts(&with, parts, count, true, &e);

	if (r < 0) {
		check_refusal(r, &e);
		return 0;
	}
	if (!machine.kernel[0])
		machine_v2_delegated(&machine);
	require(read_parts(&without, parts, count, false, &e) == 0);
	check_agent(&with, &without, NULL);
	check_agent(&with, &without, "a");
	check_agent(&with, &without, "b");
	check_requests(&with, &without, &machine);
	return 0;
}
