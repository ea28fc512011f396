/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The whole configuration: one part per level of trust, each holding what its source says and
 * where. Nothing is merged here; model/resolve.h answers what holds for one agent. Everything
 * belongs to one arena. Filled by json/config_read.h, checked as a whole by config_check().
 */

#include "base/err.h"
#include "base/field.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "model/settings.h"

/* An agent's entry or a profile. */
struct section {
	const char *name;
	struct where at;
	const struct settings *settings; /* NULL: checked, but of no interest to this request */
};

struct sections {
	const struct section *items;
	size_t count;
};

struct audit {
	struct opt_text path;
	struct opt_list redact;
	struct opt_enum fsync;
	struct opt_number rotate_size;
	struct opt_number keep;
};

/* The keys at the top of a file that belong to no section. */
struct globals {
	struct opt_map tool_profiles;
	struct audit audit;
	struct {
		struct opt_map trust;
	} images;
	struct opt_map secrets;
	struct opt_list locked;
};
extern const struct field global_fields[];

struct config_level {
	const struct source *source; /* NULL: there is no such file */
	struct settings defaults;    /* agents.defaults.sandbox and tools */
	struct settings override;    /* caller only: for this request, whatever the agent */
	struct sections entries;     /* agents.entries */
	struct sections profiles;
	struct globals globals;
};

struct config {
	struct arena arena;
	struct config_level
		levels[LEVEL_COUNT]; /* LEVEL_BUILTIN stays empty: see builtin_defaults */
	const char *own[9];          /* ward's own folders, which are never bound; NULL ends */
	char home[256];              /* of the caller, for ~ in binds; empty when unknown */
	uint8_t digest[SHA256_SIZE]; /* of all texts that it was read from */
};

void config_free(struct config *c);

#define CONFIG_MAX_SECTIONS 10000

/* Part of what it is made from was read: the digest says which configuration this is. */
void config_add_text(struct config *c, enum level level, const char *text, size_t len);
const struct section *config_find(const struct sections *s, const char *name);
/* Does any level have an entry for this agent? */
bool config_has_agent(const struct config *c, const char *agent);
/* The items of a tool profile, built in or own; NULL when there is none. */
const struct item *config_tool_profile(
	const struct config *c, struct arena *a, const char *name, size_t *ret_count);
/* What no single value shows: names that refer to profiles, groups and locks that exist; who may
 * say what. */
int config_check(const struct config *c, struct err *e);
