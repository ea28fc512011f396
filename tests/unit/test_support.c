/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Keys that are called supported do something, and keys that do nothing yet are refused: both for
 * every key of the schema.
 */

#include "json/schema.h"

#include "keys.h"
#include "made.h"
#include "model/audit.h"
#include "model/decide.h"
#include "test.h"

#define CASES "tests/data/support.case"

static struct key_rows all;
static char supported[KEYS_MAX][128]; /* keys that have a case */
static size_t supported_count;

static void test_every_key_has_a_row(void)
{
	keys_read(&all);
}

/* As ward explain would show it; "not set" when nobody set it. */
static void show_effective(struct keys_config *k, const char *key, struct buf *out)
{
	struct effective eff;
	const void *base = &eff.s;
	const struct field *f = keys_field(key, &base);

	if (keys_resolve(k, "main", &eff) < 0)
		buf_printf(out, "error: %s", k->e.text);
	else if (field_where(f, base)->source)
		show_value(out, f, field_at(f, base));
	else
		buf_puts(out, "not set");
}

static void check_shown(const char *key, const char *value, const char *want)
{
	auto_(buf_free) struct buf with = BUF(1 << 16), without = BUF(1 << 16);
	struct keys_config k;

	keys_begin(&k);
	keys_write(&k, LEVEL_SYSTEM, key, value, "");
	show_effective(&k, key, &with);
	keys_end(&k);
	keys_begin(&k);
	show_effective(&k, key, &without);
	keys_end(&k);
	check_str(buf_text(&with), want);
	check(strcmp(buf_text(&without), want) != 0);
}

/* One line that says everything about an answer. */
static void tell(const struct verdict *v, struct buf *out)
{
	char ttl[NUMBER_TEXT];

	number_duration_text(v->rule ? v->rule->ttl : 0, ttl);
	buf_printf(out, "%s%s%s; scope %s; profile %s; ttl %s", permission_names[v->permission],
		v->permission == PERMISSION_DENY ? "" : " ",
		v->permission == PERMISSION_DENY ? "" : place_names[v->place], v->scope_name,
		v->profile, ttl);
	for (size_t i = 0; i < v->reason_count; i++)
		buf_printf(out, "; %s", v->reasons[i].text);
}

struct question {
	const char *key, *value, *machine, *file, *session, *tool, *command;
};

static const char *or_nothing(const char *text)
{
	return str_eq(text, "-") ? NULL : text;
}

static void ask(const struct question *q, bool with, struct buf *out)
{
	struct request request = {.session = or_nothing(q->session),
		.tool = or_nothing(q->tool),
		.command = or_nothing(q->command)};
	struct machine machine;
	struct verdict v;
	struct keys_config k;

	made_machine(q->machine, &machine);
	keys_begin(&k);
	if (with)
		keys_write(&k, LEVEL_SYSTEM, q->key, q->value, "");
	keys_load(&k, LEVEL_USER, q->file);
	if (k.r == 0)
		k.r = config_check(&k.config, &k.e);
	if (k.r == 0)
		k.r = decide(&k.config, &machine, &request, &k.arena, &v, &k.e);
	if (k.r == 0)
		tell(&v, out);
	else
		buf_printf(out, "error: %s", k.e.text);
	keys_end(&k);
}

static void check_answer(const struct question *q, const char *without, const char *with)
{
	auto_(buf_free) struct buf before = BUF(1 << 16), after = BUF(1 << 16);

	ask(q, false, &before);
	ask(q, true, &after);
	check_has(buf_text(&before), without);
	check_has(buf_text(&after), with);
	test_check(!strstr(buf_text(&before), with), __FILE__, __LINE__,
		"says '%s' without the key as well: %s", with, buf_text(&before));
	test_check(!strstr(buf_text(&after), without), __FILE__, __LINE__,
		"says '%s' with the key as well: %s", without, buf_text(&after));
}

/* What holds for the log, in one line. */
static void tell_audit(const char *key, const char *value, struct buf *out)
{
	struct keys_config k;
	struct audit audit;

	keys_begin(&k);
	if (value)
		keys_write(&k, LEVEL_SYSTEM, key, value, "");
	audit_resolve(&k.config, &k.arena, &audit);
	buf_printf(out, "path %s; fsync %d; rotate %llu; keep %llu; redact",
		audit.path.v ? audit.path.v : "-", audit.fsync.v,
		(unsigned long long)audit.rotate_size.v, (unsigned long long)audit.keep.v);
	for (size_t i = 0; i < audit.redact.count; i++)
		buf_printf(out, " %s", audit.redact.items[i].text);
	keys_end(&k);
}

static void check_audit(const char *key, const char *value, const char *want)
{
	auto_(buf_free) struct buf with = BUF(1 << 16), without = BUF(1 << 16);

	tell_audit(key, value, &with);
	tell_audit(key, NULL, &without);
	check_has(buf_text(&with), want);
	check(!strstr(buf_text(&without), want));
}

static void run_case(char *line, void *ctx)
{
	const char *key = cases_column(&line), *kind = cases_column(&line);
	const char *columns[8] = {0};
	size_t count = 0;

	(void)ctx;
	while (line && count < ARRAY_LEN(columns))
		columns[count++] = cases_column(&line);
	if (!check(supported_count < KEYS_MAX))
		return;
	snprintf(supported[supported_count++], sizeof supported[0], "%s", key);
	if (str_eq(kind, "show") && count == 2) {
		check_shown(key, columns[0], columns[1]);
	} else if (str_eq(kind, "audit") && count == 2) {
		check_audit(key, columns[0], columns[1]);
	} else if (check(str_eq(kind, "ask") && count == 8)) {
		struct question q = {key, columns[0], columns[1], columns[2], columns[3],
			columns[4], columns[5]};

		check_answer(&q, columns[6], columns[7]);
	}
}

static void test_supported_keys_do_something(void)
{
	cases_read(CASES, run_case, NULL);
}

static int check_has_case(const char *path, const struct field *f, void *ctx)
{
	bool found = false;

	(void)ctx;
	for (size_t i = 0; i < supported_count; i++)
		found |= str_eq(supported[i], path);
	test_check(found == (f->support != SUPPORT_NONE), __FILE__, __LINE__,
		"%s is %s, but %s a case in " CASES, path, schema_support_names[f->support],
		found ? "has" : "lacks");
	return 0;
}

static void test_every_supported_key_has_a_case(void)
{
	test_row("%s", "");
	schema_each(check_has_case, NULL);
}

struct search {
	const char *key;
	const struct field *found;
};

static int visit(const char *path, const struct field *f, void *ctx)
{
	struct search *s = ctx;

	if (str_eq(path, s->key))
		s->found = f;
	return 0;
}

static const struct field *find(const char *key)
{
	struct search s = {.key = key};

	schema_each(visit, &s);
	return s.found;
}

/* Without a word about it a key that does nothing would be a false promise. */
static void check_refused(const char *key, const char *value)
{
	struct config_wish wish = {.all = true};
	auto_(config_free) struct config c = {0}, set = {0};
	auto_(buf_free) struct buf text = BUF(KEYS_TEXT);
	char assignment[KEYS_TEXT];
	struct err e = {0};

	buf_puts(&text, "{\n ");
	keys_nest(&text, key, value);
	buf_puts(&text, "\n}");
	check(config_read(&c, LEVEL_USER, "user.json5", buf_text(&text), text.len, &wish, &e) < 0);
	check_has(e.text, "not yet supported");
	check_has(e.text, "user.json5:2:");
	check_has(e.text, key);
	snprintf(assignment, sizeof assignment, "%s=%s", key, value);
	check(config_set(&set, assignment, &wish, &e) < 0);
	check_has(e.text, "not yet supported");
	check_has(e.text, key);
}

static void test_keys_without_effect_are_refused(void)
{
	char key[KEYS_TEXT];
	size_t refused = 0;

	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];
		const struct field *f = find(row->key);

		test_row("%s: %s", row->key, row->tight);
		if (!check(f != NULL) || f->support != SUPPORT_NONE)
			continue;
		check_refused(row->key, row->tight);
		refused++;
		if (!keys_below(row->key))
			continue;
		keys_of("agents.entries.x", row->key, key);
		check_refused(key, row->tight);
		keys_of("profiles.p", row->key, key);
		check_refused(key, row->tight);
	}
	check(refused > 0);
}

/* The same values are fine where the key has an effect. */
static void test_keys_with_effect_are_read(void)
{
	struct config_wish wish = {.all = true};

	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];
		auto_(config_free) struct config c = {0};
		auto_(buf_free) struct buf text = BUF(KEYS_TEXT);
		struct err e = {0};

		if (find(row->key)->support == SUPPORT_NONE)
			continue;
		test_row("%s: %s", row->key, row->tight);
		buf_putc(&text, '{');
		keys_nest(&text, row->key, row->tight);
		buf_putc(&text, '}');
		test_check(config_read(&c, LEVEL_SYSTEM, "f", buf_text(&text), text.len, &wish,
				   &e) == 0,
			__FILE__, __LINE__, "%s", e.text);
	}
}

static const struct test tests[] = {
	{"every key has a row", test_every_key_has_a_row},
	{"supported keys do something", test_supported_keys_do_something},
	{"every supported key has a case", test_every_supported_key_has_a_case},
	{"keys without an effect are refused", test_keys_without_effect_are_refused},
	{"keys with an effect are read", test_keys_with_effect_are_read},
};
TEST_MAIN(tests)
