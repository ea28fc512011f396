/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tools.h"

#include "model/catalogue.h"
#include "model/check.h"
#include "model/elevate.h"

#define DECIDES .support = SUPPORT_FULL

static const struct field sandboxed_fields[] = {
	{"allow", F_LIST(struct sandboxed_tools, allow, DECIDES, .order = ORDER_FEWER,
			  .check = catalogue_check_pattern, .fallback = "see below",
			  .help = "tools that a sandboxed session may use at all")},
	{"deny", F_LIST(struct sandboxed_tools, deny, DECIDES, .order = ORDER_MORE, .append = true,
			 .check = catalogue_check_pattern,
			 .fallback = "browser canvas nodes cron gateway",
			 .help = "tools that a sandboxed session may not use")},
	{0},
};

static const struct field elevated_fields[] = {
	{"enabled", F_BOOL(struct elevated, enabled, DECIDES, .order = ORDER_FALSE,
			    .fallback = "false", .help = "may any command leave the sandbox")},
	{"rules", F_SPECIAL(struct elevated, rules, DECIDES, .order = ORDER_SPECIAL,
			   .fallback = "[]",
			   .help = "list of {pattern, to: \"host\" or a profile, approval, ttl}")},
	{"patterns", F_LIST(struct elevated, patterns, DECIDES, .order = ORDER_FEWER,
			     .check = elevate_check_pattern, .fallback = "[]",
			     .help = "short form: commands that may run on the host")},
	{"requireApproval", F_BOOL(struct elevated, require_approval, DECIDES, .order = ORDER_TRUE,
				    .fallback = "true", .help = "short form: ask a person first")},
	{"approvalTimeout", F_DURATION(struct elevated, approval_timeout, DECIDES,
				      .order = ORDER_LESS, .fallback = "5m",
				      .help = "without an answer by then: denied")},
	{0},
};

const struct field tools_fields[] = {
	{"profile", F_TEXT(struct tools, profile, DECIDES, .order = ORDER_SPECIAL,
			    .check = check_name, .fallback = "coding",
			    .help = "full, coding, messaging, minimal, readonly or one of toolProfiles")},
	{"allow", F_LIST(struct tools, allow, DECIDES, .order = ORDER_FEWER,
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
	{"bypass", F_LIST(struct tools, bypass, DECIDES, .order = ORDER_FEWER,
			   .check = catalogue_check_pattern, .fallback = "[]",
			   .help = "tools that run on the host even when sandboxed")},
	{"elevated", F_OBJECT(struct tools, elevated, elevated_fields,
			     .help = "commands that may leave the sandbox")},
	{0},
};
