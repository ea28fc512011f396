/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tools.h"

#include "base/glob.h"
#include "base/show.h"
#include "base/str.h"
#include "model/catalogue.h"
#include "model/check.h"
#include "model/elevate.h"

#define DECIDES .support = SUPPORT_FULL

/* One item of a list of tools against another: a group or glob covers the tools in it. Own groups
 * are not looked into, so that a workspace's file may only name what stands there to the letter. */
static bool tool_covers(const char *outer, const char *inner)
{
	const char *name = catalogue_group_of(outer);
	const char *const *group = name ? catalogue_group(name) : NULL;

	if (catalogue_group_of(inner) || glob_has_magic(inner))
		return false;
	inner = catalogue_resolve(inner);
	if (group)
		return str_in(inner, group);
	if (glob_has_magic(outer))
		return catalogue_find(inner) && glob_word(outer, inner);
	return str_eq(catalogue_resolve(outer), inner);
}

static const struct field sandboxed_fields[] = {
	{"allow", F_LIST(struct sandboxed_tools, allow, DECIDES, .order = ORDER_FEWER,
			  .covers = tool_covers, .check = catalogue_check_pattern,
			  .fallback = "see below",
			  .help = "tools that a sandboxed session may use at all")},
	{"deny", F_LIST(struct sandboxed_tools, deny, DECIDES, .order = ORDER_MORE, .append = true,
			 .check = catalogue_check_pattern,
			 .fallback = "browser canvas nodes cron gateway",
			 .help = "tools that a sandboxed session may not use")},
	{0},
};

const struct field rule_fields[] = {
	{"pattern", F_TEXT(struct rule_keys, pattern, DECIDES, .check = elevate_check_pattern,
			    .help = "words of a command; * as the last word: any further words")},
	{"to", F_TEXT(struct rule_keys, to, DECIDES, .check = check_name, .fallback = "host",
		       .help = "host, or the profile of another sandbox")},
	{"approval", F_BOOL(struct rule_keys, approval, DECIDES, .fallback = "true",
			     .help = "ask a person first")},
	{"ttl", F_DURATION(struct rule_keys, ttl, DECIDES, .zero = true, .fallback = "0s",
			.help = "how long an approval holds; 0 = for one run")},
	{0},
};

static void show_rules(struct buf *out, const void *value)
{
	const struct rules *rules = value;
	char ttl[NUMBER_TEXT];

	buf_putc(out, '[');
	for (size_t i = 0; i < rules->count; i++) {
		const struct rule *r = &rules->items[i];

		number_duration_text(r->ttl, ttl);
		buf_puts(out, i ? ", {\"pattern\": " : "{\"pattern\": ");
		show_string(out, r->pattern);
		buf_puts(out, ", \"to\": ");
		show_string(out, r->to);
		buf_printf(out, ", \"approval\": %s, \"ttl\": \"%s\"}",
			r->approval ? "true" : "false", ttl);
	}
	buf_putc(out, ']');
}

static const struct field elevated_fields[] = {
	{"enabled", F_BOOL(struct elevated, enabled, DECIDES, .order = ORDER_FALSE,
			    .fallback = "false", .help = "may any command leave the sandbox")},
	{"rules", F_SPECIAL(struct elevated, rules, DECIDES, .order = ORDER_SPECIAL,
			  .show = show_rules, .fallback = "[]",
			  .help = "list of {pattern, to: \"host\" or a profile, approval, ttl}")},
	{"patterns", F_LIST(struct elevated, patterns, DECIDES, .order = ORDER_FEWER,
			     .check = elevate_check_pattern, .fallback = "[]",
			     .help = "short form: commands that may run on the host")},
	{"requireApproval", F_BOOL(struct elevated, require_approval, DECIDES, .order = ORDER_TRUE,
				    .fallback = "true", .help = "short form: ask a person first")},
	{"approvalTimeout",
		F_DURATION(struct elevated, approval_timeout, DECIDES, .order = ORDER_LESS,
			.fallback = "5m", .help = "without an answer by then: denied")},
	{0},
};

const struct field tools_fields[] = {
	{"profile", F_TEXT(struct tools, profile, DECIDES, .order = ORDER_SPECIAL,
			    .check = check_name, .fallback = "coding",
			    .help = "full, coding, messaging, minimal, readonly or one of "
				    "toolProfiles")},
	{"allow", F_LIST(struct tools, allow, DECIDES, .order = ORDER_FEWER, .covers = tool_covers,
			  .check = catalogue_check_pattern, .fallback = "[]",
			  .help = "tools, group:<name> or globs on top of the profile")},
	{"deny", F_LIST(struct tools, deny, DECIDES, .order = ORDER_MORE, .append = true,
			 .check = catalogue_check_pattern, .fallback = "[]",
			 .help = "absolute: wins over every allow, at every level")},
	{"groups", F_LISTMAP(struct tools, groups, DECIDES, .order = ORDER_FIXED,
			   .check = catalogue_check_pattern, .fallback = "{}",
			   .help = "own groups of tools")},
	{"sandbox", F_OBJECT(struct tools, sandbox, sandboxed_fields,
			    .help = "further bounds while sandboxed")},
	{"bypass",
		F_LIST(struct tools, bypass, DECIDES, .order = ORDER_FEWER, .covers = tool_covers,
			.check = catalogue_check_pattern, .fallback = "[]",
			.help = "tools that run on the host even when sandboxed")},
	{"elevated", F_OBJECT(struct tools, elevated, elevated_fields,
			     .help = "commands that may leave the sandbox")},
	{0},
};
