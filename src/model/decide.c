/* SPDX-License-Identifier: Apache-2.0 */
#include "model/decide.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "model/catalogue.h"
#include "model/elevate.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const permission_names[] = {"deny", "ask", "allow", NULL};
const char *const place_names[] = {"sandbox", "host", NULL};
const char *const because_names[] = {
	[BECAUSE_MODE] = "mode",
	[BECAUSE_AGENT_UNKNOWN] = "agent-unknown",
	[BECAUSE_ALIAS] = "alias",
	[BECAUSE_TOOL_ALLOWED] = "tool-allowed",
	[BECAUSE_TOOL_DENIED] = "tool-denied",
	[BECAUSE_TOOL_UNKNOWN] = "tool-unknown",
	[BECAUSE_BYPASS] = "bypass",
	[BECAUSE_FRAMEWORK] = "framework",
	[BECAUSE_ELEVATED] = "elevated",
	[BECAUSE_APPROVAL] = "approval",
	[BECAUSE_NOT_ELEVATED] = "not-elevated",
	[BECAUSE_RUNTIME] = "runtime",
	[BECAUSE_RUNTIME_REJECTED] = "runtime-rejected",
	[BECAUSE_NO_RUNTIME] = "no-runtime",
	[BECAUSE_COUNT] = NULL,
};

_Static_assert(ARRAY_LEN(permission_names) == PERMISSION_COUNT + 1, "a name for each permission");
_Static_assert(ARRAY_LEN(place_names) == PLACE_COUNT + 1, "a name for each place");

/* What the steps below share. */
struct decision {
	const struct config *config;
	const struct machine *machine;
	const struct request *request;
	struct arena *arena;
	struct verdict *v;
};

printf_like(4, 5) static void add_reason(
	struct decision *d, enum because code, const struct where *at, const char *fmt, ...)
{
	struct verdict *v = d->v;
	char text[400];
	va_list ap;

	/* The table is larger than any decision needs; if not, the last reason is the one that
	 * counts. */
	if (v->reason_count == VERDICT_REASONS)
		v->reason_count--;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	v->reasons[v->reason_count++] = (struct verdict_reason){
		.code = code,
		.text = arena_text(d->arena, text, strlen(text)),
		.at = at ? *at : (struct where){0},
	};
}

static void decide_mode(struct decision *d)
{
	const struct opt_enum *mode = &d->v->effective->s.sandbox.mode;
	const struct session *s = &d->v->session;

	if (!d->v->effective->agent_known && strcmp(s->agent, "main") != 0)
		add_reason(d, BECAUSE_AGENT_UNKNOWN, NULL,
			"agent '%s' has no entry: the defaults apply", s->agent);
	d->v->sandboxed = mode->v == MODE_ALL || (mode->v == MODE_NON_MAIN && !s->main);
	d->v->place = d->v->sandboxed ? PLACE_SANDBOX : PLACE_HOST;
	if (mode->v == MODE_NON_MAIN)
		add_reason(d, BECAUSE_MODE, &mode->at,
			s->main ? "mode non-main leaves the agent's main session on the host"
				: "mode non-main sandboxes every session but the main one");
	else
		add_reason(d, BECAUSE_MODE, &mode->at,
			mode->v == MODE_ALL ? "mode all sandboxes every session"
					    : "mode off: tools run on the host");
}

static void deny_tool(struct decision *d, const struct tool_answer *answer)
{
	const struct toolpolicy *policy = &d->v->effective->tools;
	const char *tool = d->v->tool;

	d->v->permission = PERMISSION_DENY;
	if (answer->item)
		add_reason(d, BECAUSE_TOOL_DENIED, &answer->item->at,
			"tool '%s' is denied by '%s' in %s", tool, answer->item->text,
			tool_key_names[answer->key]);
	else if (answer->key == TOOL_KEY_SANDBOX_ALLOW)
		add_reason(d, BECAUSE_TOOL_DENIED, &policy->tools->sandbox.allow.at,
			"tool '%s' is not in %s", tool, tool_key_names[answer->key]);
	else
		add_reason(d, BECAUSE_TOOL_DENIED, &policy->profile_at,
			"tool '%s' is not in tool profile '%s' nor in tools.allow", tool,
			policy->profile);
}

static void deny_unknown(struct decision *d, const char *name)
{
	auto_(buf_free) struct buf shown = BUF(160);
	const char *near = catalogue_nearest(name);

	escape_text(&shown, name);
	d->v->permission = PERMISSION_DENY;
	add_reason(d, BECAUSE_TOOL_UNKNOWN, NULL,
		"no tool is called '%s'%s and no rule names it%s%s%s", buf_text(&shown),
		shown.dropped ? "..." : "", near ? "; did you mean '" : "", near ? near : "",
		near ? "'?" : "");
}

/* The tool policy's answer; true when the tool may be used. */
static bool decide_tool(struct decision *d)
{
	const char *name = d->request->tool ? d->request->tool : "exec";
	const struct toolpolicy *policy = &d->v->effective->tools;
	struct tool_answer answer;

	d->v->tool = catalogue_resolve(name);
	if (d->request->no_tool) {
		d->v->permission = PERMISSION_ALLOW;
		return true;
	}
	if (!catalogue_is_name(name)) {
		deny_unknown(d, name);
		return false;
	}
	if (d->v->tool != name)
		add_reason(
			d, BECAUSE_ALIAS, NULL, "'%s' is another name of '%s'", name, d->v->tool);
	answer = toolpolicy_ask(policy, d->v->tool, d->v->sandboxed);
	if (!answer.allowed && answer.key == TOOL_KEY_PROFILE && !catalogue_find(d->v->tool)) {
		deny_unknown(d, name);
		return false;
	}
	if (!answer.allowed) {
		deny_tool(d, &answer);
		return false;
	}
	d->v->permission = PERMISSION_ALLOW;
	if (answer.key == TOOL_KEY_PROFILE)
		add_reason(d, BECAUSE_TOOL_ALLOWED, &policy->profile_at,
			"tool '%s' is in tool profile '%s'", d->v->tool, policy->profile);
	else
		add_reason(d, BECAUSE_TOOL_ALLOWED, &answer.item->at,
			"tool '%s' is allowed by '%s' in %s", d->v->tool, answer.item->text,
			tool_key_names[answer.key]);
	return true;
}

/* Tools that never enter the sandbox; true when that settles the place. */
static bool decide_outside(struct decision *d)
{
	const struct tool *tool = catalogue_find(d->v->tool);
	const struct item *item;

	if (toolpolicy_bypasses(&d->v->effective->tools, d->v->tool, &item) && d->v->sandboxed) {
		d->v->place = PLACE_HOST;
		add_reason(d, BECAUSE_BYPASS, &item->at, "'%s' in tools.bypass runs on the host",
			item->text);
		return true;
	}
	if (!tool || tool->side == TOOL_FRAMEWORK) {
		d->v->place = PLACE_HOST;
		add_reason(d, BECAUSE_FRAMEWORK, NULL,
			"'%s' is carried out by the agent's framework", d->v->tool);
		return true;
	}
	return !d->v->sandboxed;
}

/* The command as words, from a shell's text or as it came; false when it cannot be elevated at all.
 */
static bool command_words(struct decision *d, struct words *ret)
{
	const struct request *q = d->request;
	struct err why = {0};
	int r;

	if (q->command) {
		r = shell_words(d->arena, q->command, ret, &why);
	} else {
		r = shell_check_argv(q->argv, q->argc, &why);
		*ret = (struct words){.v = (char **)q->argv, .count = q->argc};
	}
	if (r < 0)
		add_reason(d, BECAUSE_NOT_ELEVATED, NULL, "not one simple command: %s", why.text);
	return r == 0;
}

static void take_rule(struct decision *d, const struct rule *rule, const struct words *words)
{
	const struct opt_number *wait = &d->v->effective->s.tools.elevated.approval_timeout;
	char text[NUMBER_TEXT];

	d->v->rule = rule;
	d->v->argv = *words;
	add_reason(d, BECAUSE_ELEVATED, &rule->at, "matches the elevation rule '%s': runs %s%s",
		rule->pattern, str_eq(rule->to, "host") ? "on the " : "in profile ", rule->to);
	if (!rule->approval)
		return;
	number_duration_text(wait->v, text);
	d->v->permission = PERMISSION_ASK;
	add_reason(d, BECAUSE_APPROVAL, &rule->at, "a person must approve it within %s", text);
}

/* The first rule that matches; a rule that only an argument stands in the way of is worth a word,
 * as long as there is room for what matters. */
#define RISKS_TOLD 16
static void match_rules(struct decision *d, const struct words *words)
{
	const struct rules *rules = &d->v->effective->rules;
	size_t told = 0;

	for (size_t i = 0; i < rules->count; i++) {
		const struct rule *rule = &rules->items[i];
		struct err why = {0};
		enum elevate_match m = elevate_match(rule->pattern, words->v, words->count, &why);

		if (m == ELEVATE_YES) {
			take_rule(d, rule, words);
			return;
		}
		if (m == ELEVATE_RISK && told++ < RISKS_TOLD)
			add_reason(d, BECAUSE_NOT_ELEVATED, &rule->at,
				"rule '%s' does not cover it: %s", rule->pattern, why.text);
	}
	if (told == 0)
		add_reason(d, BECAUSE_NOT_ELEVATED, NULL,
			"no elevation rule matches: stays in the sandbox");
}

static void decide_elevation(struct decision *d)
{
	const struct effective *eff = d->v->effective;
	const struct request *q = d->request;
	struct words words;

	if (strcmp(d->v->tool, "exec") != 0 || (!q->command && q->argc == 0))
		return;
	if (eff->rules.count == 0)
		return;
	if (!eff->s.tools.elevated.enabled.v) {
		add_reason(d, BECAUSE_NOT_ELEVATED, &eff->s.tools.elevated.enabled.at,
			"tools.elevated.enabled is false");
		return;
	}
	if (command_words(d, &words))
		match_rules(d, &words);
}

/* Where the rule leads: the host, or a sandbox made after another profile (which may be the host in
 * turn). */
static int place_elevated(struct decision *d, struct err *e)
{
	const struct rule *rule = d->v->rule;
	struct effective *other;
	struct tool_answer answer;
	int r;

	if (str_eq(rule->to, "host")) {
		d->v->place = PLACE_HOST;
		return 0;
	}
	other = arena_alloc(d->arena, sizeof *other);
	r = resolve_elevated(d->config, d->v->effective, rule->to, d->arena, other, e);
	if (r < 0)
		return r;
	d->v->effective = other;
	d->v->profile = rule->to;
	d->v->place = other->s.sandbox.mode.v == MODE_OFF ? PLACE_HOST : PLACE_SANDBOX;
	/* Deny is absolute, also where the profile is the one that says it. */
	answer = toolpolicy_ask(&other->tools, d->v->tool, d->v->place == PLACE_SANDBOX);
	if (!answer.allowed && answer.item)
		deny_tool(d, &answer);
	return 0;
}

static const char *const *texts_of(struct arena *a, const struct opt_list *list)
{
	const char **texts = arena_array(a, list->count + 1, sizeof *texts);

	for (size_t i = 0; i < list->count; i++)
		texts[i] = list->items[i].text;
	return texts;
}

static void tell_rejected(struct decision *d, const struct runtime_choice *choice)
{
	for (size_t i = 0; i < choice->count; i++) {
		const struct runtime_candidate *c = &choice->candidates[i];
		const char *name = runtime_names[c->ref.runtime];

		if (c->accepted)
			continue;
		add_reason(d, BECAUSE_RUNTIME_REJECTED, NULL, "%s cannot be used%s%s: %s%s%s", name,
			c->require ? " for " : "", c->require ? c->require : "",
			c->why ? c->why : "not available", c->remedy ? "; " : "",
			c->remedy ? c->remedy : "");
	}
}

static int decide_runtime(struct decision *d, struct err *e)
{
	const struct effective *eff = d->v->effective;
	const struct opt_text *wanted = &eff->s.sandbox.runtime;
	struct runtime_wish wish = {
		.runtime = wanted->v,
		.fallback = texts_of(d->arena, &eff->s.sandbox.fallback),
		.fallback_count = eff->s.sandbox.fallback.count,
		.require = texts_of(d->arena, &eff->require),
		.require_count = eff->require.count,
	};
	struct runtime_choice *choice = &d->v->choice;
	int r = runtime_choose(&wish, d->machine, choice, e);

	if (r < 0)
		return r;
	tell_rejected(d, choice);
	if (choice->chosen == RUNTIME_NONE) {
		d->v->permission = PERMISSION_DENY;
		add_reason(d, BECAUSE_NO_RUNTIME, &wanted->at,
			"nothing here can enforce the policy: nothing runs");
		return 0;
	}
	if (choice->candidates[choice->chosen].ref.runtime == RUNTIME_HOST) {
		d->v->place = PLACE_HOST;
		add_reason(d, BECAUSE_RUNTIME, &wanted->at,
			"runtime host was written: no sandbox at all");
		return 0;
	}
	add_reason(d, BECAUSE_RUNTIME, &wanted->at, "runtime %s, chosen by '%s'",
		runtime_names[choice->candidates[choice->chosen].ref.runtime], wanted->v);
	return 0;
}

static int decide_place(struct decision *d, struct err *e)
{
	int r = 0;

	if (decide_outside(d))
		return 0;
	decide_elevation(d);
	if (d->v->rule)
		r = place_elevated(d, e);
	if (r == 0 && d->v->place == PLACE_SANDBOX && d->v->permission != PERMISSION_DENY)
		r = decide_runtime(d, e);
	return r;
}

/* The session and what holds for its agent: where every decision starts. */
static int begin(struct decision *d, struct err *e)
{
	struct verdict *v = d->v;
	int r = session_parse(d->arena, d->request->session, d->request->agent, &v->session, e);

	v->choice.chosen = RUNTIME_NONE;
	v->effective = arena_alloc(d->arena, sizeof *v->effective);
	if (r == 0)
		r = resolve_agent(d->config, v->session.agent, d->arena, v->effective, e);
	if (r < 0)
		return r;
	v->profile = v->effective->s.sandbox.profile.v;
	session_scope_name(&v->session, (enum scope)v->effective->s.sandbox.scope.v, v->scope_name);
	return 0;
}

int decide(const struct config *c, const struct machine *m, const struct request *q,
	struct arena *a, struct verdict *ret, struct err *e)
{
	struct verdict v = {0};
	struct decision d = {.config = c, .machine = m, .request = q, .arena = a, .v = &v};
	int r = begin(&d, e);

	if (r < 0)
		return r;
	decide_mode(&d);
	if (decide_tool(&d))
		r = decide_place(&d, e);
	if (r < 0)
		return r;
	*ret = v;
	return 0;
}

int decide_sandbox(const struct config *c, const struct machine *m, const struct request *q,
	struct arena *a, struct verdict *ret, struct err *e)
{
	struct verdict v = {0};
	struct decision d = {.config = c, .machine = m, .request = q, .arena = a, .v = &v};
	int r = begin(&d, e);

	if (r == 0)
		r = decide_runtime(&d, e);
	if (r < 0)
		return r;
	*ret = v;
	return 0;
}

const char *decide_why(const struct verdict *v)
{
	return v->reason_count > 0 ? v->reasons[v->reason_count - 1].text : "denied";
}

const char *decide_elevation_note(const struct effective *eff, bool sandboxed)
{
	if (eff->rules.count == 0)
		return NULL;
	if (!toolpolicy_ask(&eff->tools, "exec", sandboxed).allowed)
		return "can never match: exec is not allowed, and deny is absolute";
	if (!eff->s.tools.elevated.enabled.v)
		return "are switched off: tools.elevated.enabled is false";
	if (!sandboxed)
		return "have nothing to do: commands run on the host already";
	return NULL;
}
