/* SPDX-License-Identifier: Apache-2.0 */
#include "model/config.h"

#include "base/str.h"
#include "model/catalogue.h"
#include "model/check.h"
#include "model/locks.h"
#include "model/toolpolicy.h"

#include <errno.h>
#include <string.h>

static const char *const fsync_names[] = {"always", "batch", "never", NULL};

#define DECIDES .support = SUPPORT_FULL
#define LATER .support = SUPPORT_NONE

static const struct field audit_fields[] = {
	{"path", F_TEXT(struct audit, path, DECIDES, .order = ORDER_FIXED,
			 .check = check_absolute_path, .fallback = "audit in the state folder",
			 .help = "folder of the audit log")},
	{"redact", F_LIST(struct audit, redact, DECIDES, .order = ORDER_MORE, .fallback = "[]",
			   .help = "further patterns of secrets to leave out")},
	{"fsync", F_ENUM(struct audit, fsync, fsync_names, DECIDES, .order = ORDER_NAMES,
			  .fallback = "batch", .help = "when records must have reached the disk")},
	{"rotateSize", F_SIZE(struct audit, rotate_size, DECIDES, .order = ORDER_FIXED,
			       .fallback = "64M", .help = "size at which a new file is begun")},
	{"keep", F_COUNT(struct audit, keep, DECIDES, .order = ORDER_FIXED, .fallback = "100",
			 .help = "files to keep")},
	{0},
};

static const struct field images_fields[] = {
	{"trust", F_MAP(struct globals, images.trust, LATER, .order = ORDER_FIXED, .fallback = "{}",
			  .help = "reference to digest or public key")},
	{0},
};

/* A row whose table lies at the start of the same struct: its fields carry whole offsets. */
#define F_GROUP(table, ...) .type = FIELD_OBJECT, .offset = 0, .fields = (table), __VA_ARGS__

const struct field global_fields[] = {
	{"toolProfiles",
		F_LISTMAP(struct globals, tool_profiles, DECIDES, .order = ORDER_FIXED,
			.check = catalogue_check_pattern, .fallback = "{}",
			.help = "own tool profiles: name to list of tools, groups, globs")},
	{"audit", F_OBJECT(struct globals, audit, audit_fields, .help = "the audit log")},
	{"images", F_GROUP(images_fields, .help = "images")},
	{"secrets", F_MAP(struct globals, secrets, LATER, .order = ORDER_FIXED, .fallback = "{}",
			    .help = "name to source; the value is seen only at the network guard")},
	{"locked", F_LIST(struct globals, locked, DECIDES, .order = ORDER_SPECIAL,
			   .check = locks_check_path, .fallback = "[]",
			   .help = "administrator: keys that later files may not loosen")},
	{0},
};

void config_free(struct config *c)
{
	arena_free(&c->arena);
}

void config_add_text(struct config *c, enum level level, const char *text, size_t len)
{
	const uint64_t head[2] = {(uint64_t)level, len};
	struct sha256 h;

	sha256_init(&h);
	sha256_add(&h, c->digest, sizeof c->digest);
	sha256_add(&h, WARD_VERSION, sizeof WARD_VERSION);
	sha256_add(&h, head, sizeof head);
	sha256_add(&h, text, len);
	sha256_end(&h, c->digest);
}

const struct section *config_find(const struct sections *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->items[i].name, name) == 0)
			return &s->items[i];
	return NULL;
}

bool config_has_agent(const struct config *c, const char *agent)
{
	for (int i = 0; i < LEVEL_COUNT; i++)
		if (config_find(&c->levels[i].entries, agent))
			return true;
	return false;
}

/* Built in: the texts of the catalogue as items. */
static const struct item *builtin_items(
	struct arena *a, const char *const *names, size_t *ret_count)
{
	struct item *items;
	size_t n = 0;

	while (names[n])
		n++;
	items = arena_array(a, n, sizeof *items);
	for (size_t i = 0; i < n; i++)
		items[i] = (struct item){names[i], {.source = &builtin_source}};
	*ret_count = n;
	return items;
}

/* The last one; config_check() sees to it that there is only one. */
static const struct entry *own_tool_profile(const struct config *c, const char *name)
{
	for (int i = LEVEL_COUNT - 1; i >= 0; i--) {
		const struct opt_map *map = &c->levels[i].globals.tool_profiles;

		for (size_t k = map->count; k > 0; k--)
			if (strcmp(map->entries[k - 1].key, name) == 0)
				return &map->entries[k - 1];
	}
	return NULL;
}

const struct item *config_tool_profile(
	const struct config *c, struct arena *a, const char *name, size_t *ret_count)
{
	static const struct item none = {0};
	const char *const *builtin = catalogue_profile(name);
	const struct entry *own;

	*ret_count = 0;
	if (builtin)
		return builtin_items(a, builtin, ret_count);
	own = own_tool_profile(c, name);
	if (!own)
		return NULL;
	*ret_count = own->list.count;
	return own->list.count ? own->list.items : &none;
}

static int fail_at(const struct where *at, struct err *e, const char *what)
{
	char text[WHERE_TEXT];

	where_text(at, text);
	return err_set(e, EINVAL, "%s: %s", text, what);
}

/* A later file that adds to a profile would change what an earlier one, or its locks, meant by it.
 */
static int check_profile_once(const struct config *c, const struct config_level *level,
	const struct section *p, struct err *e)
{
	char at[WHERE_TEXT], before[WHERE_TEXT];

	for (const struct config_level *lower = c->levels; lower < level; lower++) {
		const struct section *first = config_find(&lower->profiles, p->name);

		if (!first)
			continue;
		where_text(&p->at, at);
		where_text(&first->at, before);
		return err_set(e, EINVAL,
			"%s: profile '%s' is already defined at %s; choose another name", at,
			p->name, before);
	}
	return 0;
}

static int check_profiles(const struct config *c, const struct config_level *level, struct err *e)
{
	for (size_t i = 0; i < level->profiles.count; i++) {
		const struct section *p = &level->profiles.items[i];

		if (builtin_profile(p->name))
			return fail_at(&p->at, e, "this profile is built in; choose another name");
		if (str_eq(p->name, "host"))
			return fail_at(&p->at, e,
				"'host' means no sandbox where a rule leads to it; choose another "
				"name");
		if (p->settings && p->settings->sandbox.profile.at.source)
			return fail_at(&p->settings->sandbox.profile.at, e,
				"a profile cannot start from another profile");
		if (check_profile_once(c, level, p, e) < 0)
			return -EINVAL;
	}
	return 0;
}

/* One meaning for one name: a lock on tools.profile would hold nothing if a later file could write
 * the profile anew. */
static int check_defined_once(const struct config *c, const struct entry *p, struct err *e)
{
	const struct entry *other = own_tool_profile(c, p->key);
	char at[WHERE_TEXT], before[WHERE_TEXT];

	if (other == p)
		return 0;
	where_text(&p->at, before);
	where_text(&other->at, at);
	return err_set(e, EINVAL,
		"%s: tool profile '%s' is already defined at %s; choose another name", at, p->key,
		before);
}

static int check_tool_profiles(
	const struct config *c, const struct config_level *level, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < level->globals.tool_profiles.count && r == 0; i++) {
		const struct entry *p = &level->globals.tool_profiles.entries[i];

		if (catalogue_profile(p->key))
			return fail_at(
				&p->at, e, "this tool profile is built in; choose another name");
		if (!str_is_name(p->key))
			return fail_at(&p->at, e, "a tool profile needs a plain name");
		r = check_defined_once(c, p, e);
	}
	return r;
}

/* What a level may not say at all, whatever the value. */
static int check_rights(const struct config_level *level, struct err *e)
{
	const struct globals *g = &level->globals;
	const struct where *forbidden[] = {&g->tool_profiles.at, &g->audit.path.at,
		&g->audit.redact.at, &g->audit.fsync.at, &g->audit.rotate_size.at,
		&g->audit.keep.at, &g->images.trust.at, &g->secrets.at};

	if (g->locked.at.source && level->source->level != LEVEL_SYSTEM)
		return fail_at(&g->locked.at, e,
			"'locked' belongs in the administrator's file, /etc/ward/ward.json5");
	if (!level->source || level->source->level != LEVEL_WORKSPACE)
		return 0;
	if (level->profiles.count > 0)
		return fail_at(&level->profiles.items[0].at, e,
			"'profiles' cannot be set here: a workspace's file may only tighten");
	for (size_t i = 0; i < ARRAY_LEN(forbidden); i++)
		if (forbidden[i]->source)
			return fail_at(forbidden[i], e,
				"this key cannot be set here: a workspace's file may only tighten");
	return 0;
}

int config_check(const struct config *c, struct err *e)
{
	int r = 0;

	for (int i = LEVEL_SYSTEM; i < LEVEL_COUNT && r == 0; i++) {
		if (!c->levels[i].source)
			continue;
		r = check_rights(&c->levels[i], e);
		if (r == 0)
			r = check_profiles(c, &c->levels[i], e);
		if (r == 0)
			r = check_tool_profiles(c, &c->levels[i], e);
	}
	return r;
}
