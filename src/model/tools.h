/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The keys below `tools`: which tools an agent may use, and which commands may leave the sandbox.
 * One row a key in tools_fields (model/tools.c). What the names mean: model/catalogue.h.
 */

#include "base/field.h"

/* One rule of elevated.rules, or one of elevated.patterns brought into this form. */
struct rule {
	const char *pattern;
	const char *to; /* "host" or the name of a profile */
	bool approval;
	uint64_t ttl; /* ms that an approval holds; 0 = once */
	struct where at;
};

struct rules {
	const struct rule *items;
	size_t count;
};

/* A rule as it is written, before the defaults of its members. */
struct rule_keys {
	struct opt_text pattern;
	struct opt_text to;
	struct opt_bool approval;
	struct opt_number ttl;
};
extern const struct field rule_fields[];

struct elevated {
	struct opt_bool enabled;
	struct opt_special rules; /* struct rules */
	struct opt_list patterns;
	struct opt_bool require_approval;
	struct opt_number approval_timeout; /* ms */
};

struct sandboxed_tools {
	struct opt_list allow;
	struct opt_list deny;
};

struct tools {
	struct opt_text profile;
	struct opt_list allow;
	struct opt_list deny;
	struct opt_map groups;
	struct sandboxed_tools sandbox;
	struct opt_list bypass;
	struct elevated elevated;
};

extern const struct field tools_fields[];
