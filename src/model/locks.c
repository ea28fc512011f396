/* SPDX-License-Identifier: Apache-2.0 */
#include "model/locks.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "model/resolve.h"
#include "model/tighten.h"

#include <errno.h>
#include <string.h>

#define DEFAULTS "agents.defaults."
#define ENTRIES "agents.entries."

/*
 * Splits a lock into the agent it is about (empty: every agent) and the path below settings_fields.
 * NULL when the path has another shape.
 */
static const char *split(const char *path, char agent[65])
{
	const char *dot;
	size_t len;

	agent[0] = '\0';
	if (str_starts(path, "tools") && (path[5] == '\0' || path[5] == '.'))
		return path;
	if (str_starts(path, DEFAULTS "sandbox"))
		return path + strlen(DEFAULTS);
	if (!str_starts(path, ENTRIES))
		return NULL;
	path += strlen(ENTRIES);
	/* An agent's name may hold dots: the last ".sandbox" or ".tools" that leaves a known key
	 * ends it. */
	for (dot = strchr(path, '.'); dot; dot = strchr(dot + 1, '.')) {
		len = (size_t)(dot - path);
		if (len <= 64 && field_find_path(settings_fields, dot + 1, NULL)) {
			memcpy(agent, path, len);
			agent[len] = '\0';
			return str_is_name(agent) ? dot + 1 : NULL;
		}
	}
	return NULL;
}

int locks_check_path(const char *path, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(120);
	char agent[65];
	const char *key = split(path, agent);

	if (key && field_find_path(settings_fields, key, NULL))
		return 0;
	escape_text(&shown, path);
	return err_set(e, EINVAL,
		"'%s' is not a key that can be locked; write for example "
		"agents.defaults.sandbox.network or tools.deny",
		buf_text(&shown));
}

/* A lock on requireApproval is meant for every rule, not only for the short form it belongs to. */
static int check_approval(const struct settings *outer, const struct settings *result,
	struct arena *a, const char *because, struct err *e)
{
	struct rules had = resolve_rules(a, &outer->tools.elevated);
	struct rules now = resolve_rules(a, &result->tools.elevated);
	char at[WHERE_TEXT];

	for (size_t i = 0; i < now.count && outer->tools.elevated.require_approval.v; i++) {
		const struct rule *r = &now.items[i];
		bool before = r->approval;

		for (size_t k = 0; k < had.count && !before; k++)
			before = str_eq(had.items[k].pattern, r->pattern) &&
				 str_eq(had.items[k].to, r->to) && !had.items[k].approval;
		if (before)
			continue;
		where_text(&r->at, at);
		return err_set(e, EPERM,
			"%s: rule '%s' does without the approval that "
			"'tools.elevated.requireApproval' asks for: %s",
			at, r->pattern, because);
	}
	return 0;
}

int locks_check(const struct config *c, const char *agent, struct arena *a,
	const struct settings *result, struct err *e)
{
	const struct opt_list *locked = &c->levels[LEVEL_SYSTEM].globals.locked;
	struct settings outer;
	int r = 0;

	if (locked->count > 0)
		r = resolve_up_to(c, agent, LEVEL_SYSTEM, a, &outer, e);
	for (size_t i = 0; i < locked->count && r == 0; i++) {
		char whose[65], at[WHERE_TEXT];
		const char *only = split(locked->items[i].text, whose);
		struct tighten t = {
			.config = c, .arena = a, .inner = result, .outer = &outer, .only = only};

		if (!only || (whose[0] && !str_eq(whose, agent)))
			continue;
		where_text(&locked->items[i].at, at);
		t.prefix =
			whose[0] ? arena_printf(a, "agents.entries.%s", whose) : "agents.defaults";
		t.because = arena_printf(a, "locked by %s", at);
		r = tighten_check(&t, e);
		if (r == 0 && str_eq(only, "tools.elevated.requireApproval"))
			r = check_approval(&outer, result, a, t.because, e);
	}
	return r;
}
