/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * JSON5 text into one level of the configuration, strict against the field tables: unknown and
 * duplicate keys, wrong types, values out of range and keys without effect yet are errors with
 * file, line, column and the key's path. Every text is checked whole, whatever part of it is
 * wanted.
 */

#include "base/err.h"
#include "model/config.h"

struct config_wish {
	const char *agent; /* keep only this agent's entry; the others are checked and dropped */
	bool all;          /* keep every entry */
	bool take_unsupported; /* accept keys that have no effect yet: for tests of the schema
				  itself */
};

/* name is shown in errors and origins and must live as long as the configuration. */
int config_read(struct config *c, enum level level, const char *name, const char *text, size_t len,
	const struct config_wish *wish, struct err *e);
/*
 * "key=value" of the command line. The key is a whole path (tools.deny,
 * agents.entries.x.sandbox.network), or one below `sandbox` (network, resources.memory), which then
 * holds for this request whatever the agent. The value is JSON5 where it starts with one of [ { " '
 * and a plain text, number or word otherwise. Keeps nothing of the caller's text.
 */
int config_set(
	struct config *c, const char *assignment, const struct config_wish *wish, struct err *e);
