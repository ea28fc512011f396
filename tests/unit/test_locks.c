/* SPDX-License-Identifier: Apache-2.0 */

/* What the administrator locked is not loosened: for every key, by whatever way. */

#include "model/locks.h"

#include "keys.h"
#include "test.h"

static struct key_rows all;

static void test_every_key_has_a_row(void)
{
	keys_read(&all);
}

static const struct field *row_field(const struct key_row *row)
{
	const void *base = NULL;

	return keys_field(row->key, &base);
}

/* What adds up and forbids cannot be taken back at all. */
static bool only_grows(const struct key_row *row)
{
	return row_field(row)->append && row_field(row)->order == ORDER_MORE;
}

static void begin(
	struct keys_config *k, const struct key_row *row, const char *key, const char *lock)
{
	char locked[KEYS_TEXT + 32];

	snprintf(locked, sizeof locked, "locked: ['%s']", lock);
	keys_begin(k);
	keys_write(k, LEVEL_SYSTEM, key, row->tight, locked);
}

static void end(struct keys_config *k, const struct key_row *row, const char *key)
{
	struct effective eff;
	int r = keys_resolve(k, "x", &eff);

	if (only_grows(row)) {
		if (test_check(r == 0, __FILE__, __LINE__, "%s", k->e.text))
			keys_check_value(k, &eff, row->key, row->tight);
	} else if (check(r < 0)) {
		check_has(k->e.text, key);
		check_has(k->e.text, "locked by system.json5:1:");
		check_has(k->e.text, "is loosened to");
	}
	keys_end(k);
}

static void test_the_user_does_not_loosen(void)
{
	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];
		struct keys_config k;

		if (row->never)
			continue;
		test_row("%s: %s, then %s", row->key, row->tight, row->loose);
		begin(&k, row, row->key, row->key);
		keys_write(&k, LEVEL_USER, row->key, row->loose, "");
		end(&k, row, row->key);
	}
}

static void test_the_same_or_tighter_is_fine(void)
{
	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];
		const char *locked[] = {row->tight, row->loose};

		if (row->never)
			continue;
		for (int loose = 0; loose < (row->fixed ? 1 : 2); loose++) {
			struct keys_config k;
			struct key_row as = *row;
			struct effective eff;
			bool appends = row_field(row)->append && loose;

			test_row("%s: %s, then %s", row->key, locked[loose], row->tight);
			snprintf(as.tight, sizeof as.tight, "%s", locked[loose]);
			begin(&k, &as, row->key, row->key);
			keys_write(&k, LEVEL_USER, row->key, row->tight, "");
			if (test_check(keys_resolve(&k, "x", &eff) == 0, __FILE__, __LINE__, "%s",
				    k.e.text))
				keys_check_value(&k, &eff, row->key,
					appends && row_field(row)->order == ORDER_FEWER
						? row->loose
						: row->tight);
			keys_end(&k);
		}
	}
}

static void test_an_entry_does_not_loosen(void)
{
	char key[KEYS_TEXT];

	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];
		struct keys_config k;

		if (row->never)
			continue;
		keys_of("agents.entries.x", row->key, key);
		test_row("%s, then %s: %s", row->key, key, row->loose);
		begin(&k, row, row->key, row->key);
		keys_write(&k, LEVEL_USER, key, row->loose, "");
		end(&k, row, row->key);
	}
}

static void test_the_caller_does_not_loosen(void)
{
	static const char *const sections[] = {"agents.defaults", "agents.entries.x"};
	char key[KEYS_TEXT];

	for (size_t i = 0; i < all.count * ARRAY_LEN(sections); i++) {
		const struct key_row *row = &all.rows[i / 2];
		struct keys_config k;

		if (row->never)
			continue;
		if (i % 2 || !str_starts(row->key, "tools."))
			keys_of(sections[i % 2], row->key, key);
		else
			snprintf(key, sizeof key, "%s", row->key);
		test_row("%s, then --set %s=%s", row->key, key, row->loose);
		begin(&k, row, row->key, row->key);
		keys_set(&k, key, row->loose);
		end(&k, row, row->key);
	}
}

/* A flag for this request, whatever the agent: the path below sandbox. */
static void test_a_flag_does_not_loosen(void)
{
	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];
		struct keys_config k;

		if (row->never || !str_starts(row->key, "agents.defaults.sandbox."))
			continue;
		test_row("--set %s", row->key);
		begin(&k, row, row->key, row->key);
		keys_set(&k, row->key + strlen("agents.defaults.sandbox."), row->loose);
		end(&k, row, row->key);
	}
}

/* The profile of an agent's entry overrides the defaults, but not the lock. */
static void test_a_profile_does_not_loosen(void)
{
	static const char more[] = "agents: {entries: {x: {sandbox: {profile: 'p'}}}}";
	char key[KEYS_TEXT];

	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];
		struct keys_config k;

		if (row->never || str_eq(row->key, "agents.defaults.sandbox.profile"))
			continue;
		keys_of("profiles.p", row->key, key);
		test_row("%s, then %s: %s", row->key, key, row->loose);
		begin(&k, row, row->key, row->key);
		keys_write(&k, LEVEL_USER, key, row->loose, more);
		end(&k, row, row->key);
	}
}

/* The administrator's own profile, which the user's file writes anew: refused, whatever it says. */
static void test_a_rewritten_profile_does_not_loosen(void)
{
	static const char chosen[] =
		"agents: {defaults: {sandbox: {profile: 'p'}}}, locked: ['%s']";
	char key[KEYS_TEXT], more[KEYS_TEXT];

	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];
		struct keys_config k;
		struct effective eff;

		if (row->never || str_eq(row->key, "agents.defaults.sandbox.profile"))
			continue;
		keys_of("profiles.p", row->key, key);
		test_row("%s: %s, then %s", key, row->tight, row->loose);
		snprintf(more, sizeof more, chosen, row->key);
		keys_begin(&k);
		keys_write(&k, LEVEL_SYSTEM, key, row->tight, more);
		keys_write(&k, LEVEL_USER, key, row->loose, "");
		if (check(keys_resolve(&k, "x", &eff) < 0))
			check_has(k.e.text, "profile 'p' is already defined at system.json5:1:");
		keys_end(&k);
	}
}

/* A lock on everything above the key holds the key. */
static void test_a_lock_on_a_group_of_keys(void)
{
	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];
		const char *above =
			str_starts(row->key, "tools.") ? "tools" : "agents.defaults.sandbox";
		struct keys_config k;

		if (row->never)
			continue;
		test_row("%s locked, %s: %s", above, row->key, row->loose);
		begin(&k, row, row->key, above);
		keys_write(&k, LEVEL_USER, row->key, row->loose, "");
		/* Of a profile the first value that is looser is named. */
		end(&k, row, str_ends(row->key, "sandbox.profile") ? above : row->key);
	}
}

static void test_a_lock_on_one_agent(void)
{
	char key[KEYS_TEXT], other[KEYS_TEXT];

	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];
		struct keys_config k;
		struct effective eff;

		if (row->never)
			continue;
		keys_of("agents.entries.x", row->key, key);
		keys_of("agents.entries.y", row->key, other);
		test_row("%s: %s, then %s", key, row->tight, row->loose);
		begin(&k, row, key, key);
		keys_write(&k, LEVEL_USER, key, row->loose, "");
		end(&k, row, key);
		test_row("%s: %s, then %s", key, row->tight, other);
		begin(&k, row, key, key);
		keys_write(&k, LEVEL_USER, other, row->loose, "");
		check(keys_resolve(&k, "y", &eff) == 0);
		check(keys_resolve(&k, "x", &eff) == 0);
		keys_end(&k);
	}
}

/* The workspace tightens beyond a lock as it does beyond anything else. */
static void test_the_workspace_may_still_tighten(void)
{
	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];
		struct keys_config k;
		struct effective eff;
		struct key_row as = *row;

		if (row->never || row->fixed)
			continue;
		test_row("%s: %s, then %s", row->key, row->loose, row->tight);
		snprintf(as.tight, sizeof as.tight, "%s", row->loose);
		begin(&k, &as, row->key, row->key);
		keys_write(&k, LEVEL_WORKSPACE, row->key, row->tight, "");
		if (test_check(
			    keys_resolve(&k, "x", &eff) == 0, __FILE__, __LINE__, "%s", k.e.text))
			keys_check_value(&k, &eff, row->key, row->tight);
		keys_end(&k);
	}
}

static void test_keys_outside_sections_have_no_locks(void)
{
	for (size_t i = 0; i < all.count; i++) {
		struct err e = {0};

		if (!all.rows[i].never)
			continue;
		test_row("%s", all.rows[i].key);
		check(locks_check_path(all.rows[i].key, &e) < 0);
		check_has(e.text, "is not a key that can be locked");
	}
}

static const struct {
	const char *path;
	bool ok;
} paths[] = {
	{"agents.defaults.sandbox", true},
	{"agents.defaults.sandbox.network", true},
	{"agents.defaults.sandbox.network.allow", true},
	{"tools", true},
	{"tools.deny", true},
	{"tools.elevated", true},
	{"tools.elevated.rules", true},
	{"agents.entries.x.sandbox", true},
	{"agents.entries.x.tools.deny", true},
	{"agents.entries.a.b.sandbox.mode", true},
	{"agents.entries.sandbox.sandbox.mode", true},
	{"agents.entries.tools.tools", true},
	{"", false},
	{".", false},
	{"agents", false},
	{"agents.defaults", false},
	{"agents.defaults.tools", false},
	{"agents.defaults.sandboxes", false},
	{"agents.defaults.sandbox.", false},
	{"agents.defaults.sandbox.moed", false},
	{"agents.defaults.sandbox.mode.x", false},
	{"agents.entries", false},
	{"agents.entries.x", false},
	{"agents.entries..sandbox", false},
	{"agents.entries.../x.sandbox", false},
	{"agents.entries.x.sandbox.moed", false},
	{"toolsy", false},
	{"tools.", false},
	{"tools.dney", false},
	{"toolProfiles", false},
	{"profiles.p.sandbox", false},
	{"locked", false},
	{"sandbox.mode", false},
	{"mode", false},
	{"agents.defaults.sandbox.mode\n", false},
	{"\x1b[31m", false},
};

static void test_paths(void)
{
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		struct err e = {0};

		test_row("'%s'", paths[i].path);
		check_int(locks_check_path(paths[i].path, &e) == 0, paths[i].ok);
		check(paths[i].ok || !strpbrk(e.text, "\n\x1b"));
	}
}

/* A name longer than any agent's does not run over. */
static void test_long_names(void)
{
	char path[300];

	for (size_t len = 60; len < 200; len++) {
		snprintf(path, sizeof path, "agents.entries.%0*d.sandbox.mode", (int)len, 0);
		test_row("%zu", len);
		check_int(locks_check_path(path, NULL) == 0, len <= 64);
	}
}

static const struct test tests[] = {
	{"every key has a row", test_every_key_has_a_row},
	{"the user does not loosen", test_the_user_does_not_loosen},
	{"the same or tighter is fine", test_the_same_or_tighter_is_fine},
	{"an entry does not loosen", test_an_entry_does_not_loosen},
	{"the caller does not loosen", test_the_caller_does_not_loosen},
	{"a flag does not loosen", test_a_flag_does_not_loosen},
	{"a profile does not loosen", test_a_profile_does_not_loosen},
	{"a rewritten profile does not loosen", test_a_rewritten_profile_does_not_loosen},
	{"a lock on a group of keys", test_a_lock_on_a_group_of_keys},
	{"a lock on one agent", test_a_lock_on_one_agent},
	{"the workspace may still tighten", test_the_workspace_may_still_tighten},
	{"keys outside of sections have no locks", test_keys_outside_sections_have_no_locks},
	{"paths that can be locked", test_paths},
	{"names that are too long", test_long_names},
};
TEST_MAIN(tests)
