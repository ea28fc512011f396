/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Session keys on foreign bytes. The first byte says whether an agent is given; behind it, each up
 * to a NUL: the agent, a key, another key. Held to: a refusal says why in characters that a
 * terminal can show and leaves the answer alone; a whole key reads back as itself; names are safe
 * for files, and two of them are equal only when the keys are.
 */

#include "model/session.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_refusal(int r, const struct err *e, const struct session *untouched)
{
	size_t len = strlen(e->text);
	uint32_t c;

	require(r < 0 && e->code == -r && len > 0 && !untouched->key);
	for (size_t i = 0, step; i < len; i += step) {
		step = utf8_decode(e->text + i, len - i, &c);
		require(step > 0 && !utf8_is_deceptive(c));
	}
}

static bool is_safe(const char *name)
{
	size_t len = strlen(name);

	return len > 2 && len <= 63 && name[1] == '-' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

static void check_names(const struct session *s)
{
	char names[SCOPE_COUNT][SCOPE_NAME];

	for (int i = 0; i < SCOPE_COUNT; i++) {
		session_scope_name(s, (enum scope)i, names[i]);
		require(is_safe(names[i]));
		for (int k = 0; k < i; k++)
			require(strcmp(names[i], names[k]) != 0);
	}
}

static void check_session(struct arena *a, const struct session *s)
{
	struct session again;

	require(str_is_name(s->agent) && s->rest[0]);
	require(strlen(s->key) == strlen("agent::") + strlen(s->agent) + strlen(s->rest));
	require(str_starts(s->key, "agent:") && str_ends(s->key, s->rest));
	require(s->main == str_eq(s->rest, "main"));
	check_names(s);
	/* What stood for an agent's whole key may be longer than one that is given. */
	if (strlen(s->key) > SESSION_MAX)
		return;
	require(session_parse(a, s->key, s->agent, &again, NULL) == 0);
	require(str_eq(again.key, s->key) && str_eq(again.agent, s->agent) &&
		str_eq(again.rest, s->rest) && again.main == s->main);
}

static bool parse(struct arena *a, const char *key, const char *agent, struct session *ret)
{
	struct err e = {0};
	int r;

	*ret = (struct session){0};
	r = session_parse(a, key, agent, ret, &e);
	if (r != 0)
		check_refusal(r, &e, ret);
	else
		check_session(a, ret);
	return r == 0;
}

static void check_pair(const struct session *one, const struct session *two)
{
	char a[SCOPE_NAME], b[SCOPE_NAME];

	session_scope_name(one, SCOPE_SESSION, a);
	session_scope_name(two, SCOPE_SESSION, b);
	require(str_eq(a, b) == str_eq(one->key, two->key));
	session_scope_name(one, SCOPE_AGENT, a);
	session_scope_name(two, SCOPE_AGENT, b);
	require(str_eq(a, b) == str_eq(one->agent, two->agent));
	session_scope_name(one, SCOPE_SHARED, a);
	session_scope_name(two, SCOPE_SHARED, b);
	require(str_eq(a, b));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_(arena_free) struct arena a = {0};
	const char *parts[3] = {"", "", ""}, *agent;
	struct session one, two;
	char *text;
	size_t n = 0;

	if (size == 0 || size > 4096)
		return 0;
	text = arena_text(&a, (const char *)data + 1, size - 1);
	for (const char *p = text; n < 3; p += strlen(p) + 1) {
		parts[n++] = p;
		if (p + strlen(p) >= text + size - 1)
			break;
	}
	agent = data[0] & 1 ? parts[0] : NULL;
	if (parse(&a, data[0] & 2 ? NULL : parts[1], agent, &one) &&
		parse(&a, parts[2], agent, &two))
		check_pair(&one, &two);
	return 0;
}
