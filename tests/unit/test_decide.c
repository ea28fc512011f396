/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Requests and their verdicts, as tables: tests/data/policy/README says how the files are written.
 */

#include "model/decide.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "cases.h"
#include "json/config_read.h"
#include "made.h"
#include "model/catalogue.h"
#include "test.h"

#define FOLDER "tests/data/policy/"
#define TEXT_MAX 16384
#define COLUMNS 12

static const char *const files[] = {"bypass", "deny_wins", "elevated", "groups", "levels", "mixed",
	"modes", "names", "network", "per_agent", "personal", "profiles", "remote_server",
	"require", "sandboxed_tools", "sessions", "tiers"};

static const char *const level_names[LEVEL_COUNT] = {
	[LEVEL_SYSTEM] = "system", [LEVEL_USER] = "user", [LEVEL_WORKSPACE] = "workspace"};

/* What the rows of a block share. */
struct block {
	struct machine machine;
	struct buf texts[LEVEL_COUNT];
	struct buf sets; /* one a line */
	int reading;     /* the level whose text goes on */
	bool loaded;
	int failed; /* what loading returned */
	struct err e;
	struct config config;
	struct arena arena;
};

static size_t decided, reached, others;

static void block_end(struct block *b)
{
	for (int i = 0; i < LEVEL_COUNT; i++)
		buf_free(&b->texts[i]);
	buf_free(&b->sets);
	config_free(&b->config);
	arena_free(&b->arena);
}

static void block_begin(struct block *b)
{
	*b = (struct block){.sets = BUF(1 << 16)};
	for (int i = 0; i < LEVEL_COUNT; i++)
		b->texts[i] = BUF(1 << 20);
	machine_v2_delegated(&b->machine);
	snprintf(b->config.home, sizeof b->config.home, "/home/user");
}

/* Lines that say what holds for the rows below them; false: it is a row. */
static bool take_header(struct block *b, char *line)
{
	bool machine = str_starts(line, "machine "), set = str_starts(line, "set ");
	int level = LEVEL_BUILTIN;

	for (int i = 0; i < LEVEL_COUNT; i++)
		if (level_names[i] && str_eq(line, level_names[i]))
			level = i;
	if (line[0] == '\t') {
		check(b->reading);
		buf_printf(&b->texts[b->reading], "%s\n", line + 1);
		return true;
	}
	if (!machine && !set && level == LEVEL_BUILTIN && !str_eq(line, "nothing written"))
		return false;
	if (b->loaded) {
		block_end(b);
		block_begin(b);
	}
	b->reading = level;
	if (machine)
		made_machine(line + strlen("machine "), &b->machine);
	if (set)
		buf_printf(&b->sets, "%s\n", line + strlen("set "));
	return true;
}

static void load(struct block *b)
{
	struct config_wish wish = {.all = true};
	auto_free char *sets = buf_take(&b->sets);
	char *rest = sets, *line;
	int r = 0;

	for (int i = LEVEL_SYSTEM; i < LEVEL_COUNT && r == 0; i++)
		if (b->texts[i].len)
			r = config_read(&b->config, (enum level)i, level_names[i],
				buf_text(&b->texts[i]), b->texts[i].len, &wish, &b->e);
	while (r == 0 && rest && (line = strsep(&rest, "\n")) != NULL)
		if (*line) {
			char *kept = arena_text(&b->arena, line, strlen(line));

			r = config_set(&b->config, kept, &wish, &b->e);
		}
	if (r == 0)
		r = config_check(&b->config, &b->e);
	b->failed = r;
	b->loaded = true;
}

/* "user:3" of the reason's place; "built-in", "command-line" and "nowhere" have no lines. */
static void check_origin(const struct where *at, const char *want)
{
	char text[WHERE_TEXT], got[WHERE_TEXT];
	char *column;

	where_text(at, text);
	snprintf(got, sizeof got, "%s", text);
	/* Lines of the command line are those of one value: of no interest. */
	column = at->source && at->source->level == LEVEL_CALLER ? strchr(got, ':')
								 : strrchr(got, ':');
	if (column && at->line)
		*column = '\0';
	for (char *p = got; *p; p++)
		*p = *p == ' ' ? '-' : *p;
	check_str(at->source ? got : "nowhere", want);
}

static void check_reasons(const struct verdict *v, const char *wanted)
{
	auto_(buf_free) struct buf got = BUF(4096), want = BUF(4096);
	auto_free char *words = mem_dup(wanted);
	char *rest = words, *word;

	for (size_t i = 0; i < v->reason_count; i++)
		buf_printf(&got, "%s%s", i ? " " : "", because_names[v->reasons[i].code]);
	for (size_t i = 0; (word = strsep(&rest, " ")) != NULL; i++) {
		char *at = strchr(word, '@');

		if (at)
			*at++ = '\0';
		buf_printf(&want, "%s%s", i ? " " : "", word);
		if (at && check(i < v->reason_count))
			check_origin(&v->reasons[i].at, at);
	}
	check_str(buf_text(&got), buf_text(&want));
}

static bool some_reason_has(const struct verdict *v, const char *part)
{
	for (size_t i = 0; i < v->reason_count; i++)
		if (strstr(v->reasons[i].text, part))
			return true;
	return false;
}

static void check_words(const struct words *words, const char *want)
{
	auto_(buf_free) struct buf got = BUF(4096);

	for (size_t i = 0; i < words->count; i++)
		buf_printf(&got, "%s%s", i ? "|" : "", words->v[i]);
	check_str(buf_text(&got), want);
}

static const char *chosen_runtime(const struct verdict *v)
{
	return v->choice.chosen == RUNTIME_NONE
		       ? "none"
		       : runtime_names[v->choice.candidates[v->choice.chosen].ref.runtime];
}

/* name=value behind the reasons. */
static void check_detail(const struct verdict *v, char *detail)
{
	char *value = strchr(detail, '=');
	char number[32];

	check(value != NULL);
	if (!value)
		return;
	*value++ = '\0';
	if (str_eq(detail, "text"))
		test_check(some_reason_has(v, value), __FILE__, __LINE__, "no reason says '%s'",
			value);
	else if (str_eq(detail, "runtime"))
		check_str(chosen_runtime(v), value);
	else if (str_eq(detail, "profile"))
		check_str(v->profile, value);
	else if (str_eq(detail, "tool"))
		check_str(v->tool, value);
	else if (str_eq(detail, "argv"))
		check_words(&v->argv, value);
	else if (str_eq(detail, "rule"))
		check_str(v->rule ? v->rule->pattern : "none", value);
	else if (str_eq(detail, "network"))
		check_str(net_mode_names[v->effective->net.mode], value);
	else if (str_eq(detail, "workspace"))
		check_str(workspace_names[v->effective->s.sandbox.workspace.v], value);
	else if (str_eq(detail, "memory")) {
		number_size_text(v->effective->s.sandbox.resources.memory.v, number);
		check_str(number, value);
	} else if (str_eq(detail, "ttl")) {
		number_duration_text(v->rule ? v->rule->ttl : 0, number);
		check_str(number, value);
	} else
		check_str("no such detail", detail);
}

static void check_verdict(const struct verdict *v, char *columns[], size_t count)
{
	char got[64];

	snprintf(got, sizeof got, "%s%s%s", permission_names[v->permission],
		v->permission == PERMISSION_DENY ? "" : " ",
		v->permission == PERMISSION_DENY ? "" : place_names[v->place]);
	check_str(got, columns[3]);
	check_reasons(v, columns[4]);
	for (size_t i = 5; i < count; i++)
		check_detail(v, columns[i]);
	/* What holds whatever the table says. */
	check(v->permission != PERMISSION_ASK || v->rule);
	check((v->rule != NULL) == (v->argv.count > 0));
	check(v->reason_count > 0 && v->reason_count <= VERDICT_REASONS);
	check(!v->rule || str_eq(v->tool, "exec"));
	check(v->permission == PERMISSION_DENY || v->place == PLACE_HOST ||
		v->choice.chosen != RUNTIME_NONE);
}

/* "a|b|c" behind argv: words; anything else is a shell's text. */
static void set_command(struct request *q, struct arena *a, char *text)
{
	char **argv = arena_array(a, 64, sizeof *argv);
	char *word, *rest = text + strlen("argv:");

	if (!str_starts(text, "argv:")) {
		q->command = text;
		return;
	}
	while (q->argc < 63 && (word = strsep(&rest, "|")) != NULL)
		argv[q->argc++] = word;
	q->argv = argv;
}

static char *decoded(struct block *b, const char *text)
{
	char *out = arena_alloc(&b->arena, TEXT_MAX);

	check(cases_decode(str_eq(text, "''") ? "" : text, out, TEXT_MAX));
	return out;
}

static void ask(struct block *b, char *columns[], size_t count)
{
	struct request q = {0};
	struct verdict v = {0};
	struct err e = {0};
	int r = b->failed;

	decided++;
	if (!check(count >= 5))
		return;
	if (strcmp(columns[0], "-") != 0)
		q.session = decoded(b, columns[0]);
	if (strcmp(columns[1], "-") != 0)
		q.tool = decoded(b, columns[1]);
	if (strcmp(columns[2], "-") != 0)
		set_command(&q, &b->arena, decoded(b, columns[2]));
	if (r < 0) {
		check_str("the configuration is refused", b->e.text);
		return;
	}
	r = decide(&b->config, &b->machine, &q, &b->arena, &v, &e);
	if (str_eq(columns[3], "error")) {
		check(r < 0 && e.code == -r);
		check_has(e.text, columns[4]);
	} else if (test_check(r == 0, __FILE__, __LINE__, "fails: %s", e.text)) {
		check_verdict(&v, columns, count);
	}
}

/* reach SESSION TARGET allow|deny WHY */
static void ask_network(struct block *b, char *columns[], size_t count)
{
	struct net_verdict net;
	struct net_target target;
	struct effective eff;
	struct session s;
	struct err e = {0};
	int r = b->failed;

	reached++;
	if (!check(count == 5) || !check(r == 0))
		return;
	r = session_parse(&b->arena, str_eq(columns[1], "-") ? NULL : columns[1], NULL, &s, &e);
	if (r == 0)
		r = resolve_agent(&b->config, s.agent, &b->arena, &eff, &e);
	if (r == 0)
		r = net_target_parse(columns[2], &target, &e);
	if (!test_check(r == 0, __FILE__, __LINE__, "fails: %s", e.text))
		return;
	if (target.is_addr)
		net = net_decide_addr(&eff.net, &target.addr, target.port, false);
	else
		net = net_decide_name(&eff.net, target.host, target.port);
	check_str(net.allow ? "allow" : "deny", columns[3]);
	check_has(net.why, columns[4]);
}

/* tools SESSION NAMES */
static void ask_tools(struct block *b, char *columns[], size_t count)
{
	auto_(buf_free) struct buf got = BUF(4096);
	struct request q = {.session = count > 1 ? columns[1] : NULL};
	const char *const *names;
	struct verdict v;
	struct err e = {0};

	others++;
	if (!check(count == 3) || !check(b->failed == 0))
		return;
	if (!check(decide(&b->config, &b->machine, &q, &b->arena, &v, &e) == 0))
		return;
	names = toolpolicy_effective(&v.effective->tools, &b->arena, v.sandboxed);
	for (size_t i = 0; names[i]; i++)
		buf_printf(&got, "%s%s", i ? " " : "", names[i]);
	check_str(buf_text(&got), columns[2]);
}

/* share SESSION SESSION yes|no */
static void ask_share(struct block *b, char *columns[], size_t count)
{
	struct request q[2] = {{.session = columns[1]}, {.session = columns[2]}};
	struct verdict v[2];
	struct err e = {0};

	others++;
	if (!check(count == 4) || !check(b->failed == 0))
		return;
	for (int i = 0; i < 2; i++)
		if (!check(decide(&b->config, &b->machine, &q[i], &b->arena, &v[i], &e) == 0))
			return;
	check_str(strcmp(v[0].scope_name, v[1].scope_name) == 0 ? "yes" : "no", columns[3]);
}

/* refused TEXT [AGENT]: by the reader, or when what holds for the agent is worked out. */
static void ask_refused(struct block *b, char *columns[], size_t count)
{
	struct effective eff;
	struct err e = b->e;
	int r = b->failed;

	others++;
	if (!check(count == 2 || count == 3))
		return;
	if (r == 0)
		r = resolve_agent(
			&b->config, count == 3 ? columns[2] : "main", &b->arena, &eff, &e);
	check(r < 0);
	check_has(e.text, columns[1]);
}

static const struct {
	const char *word;
	void (*ask)(struct block *b, char *columns[], size_t count);
} kinds[] = {
	{"reach", ask_network},
	{"tools", ask_tools},
	{"share", ask_share},
	{"refused", ask_refused},
};

static void take_line(char *line, void *ctx)
{
	struct block *b = ctx;
	char *columns[COLUMNS];
	size_t count = 0;

	if (take_header(b, line))
		return;
	if (!b->loaded)
		load(b);
	while (line && count < COLUMNS)
		columns[count++] = cases_column(&line);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_eq(columns[0], kinds[i].word)) {
			kinds[i].ask(b, columns, count);
			return;
		}
	ask(b, columns, count);
}

static void test_tables(void)
{
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		char path[256];
		struct block b;

		snprintf(path, sizeof path, FOLDER "%s.case", files[i]);
		block_begin(&b);
		cases_read(path, take_line, &b);
		check(b.loaded);
		block_end(&b);
	}
	printf("# %zu requests, %zu destinations, %zu other rows\n", decided, reached, others);
	check(decided >= 300);
}

/* A table that nobody reads would prove nothing. */
static void test_every_table_is_listed(void)
{
	struct dirent **names;
	int count = scandir(FOLDER, &names, NULL, alphasort);

	check(count > 0);
	for (int i = 0; i < count; i++) {
		const char *name = names[i]->d_name;
		size_t len = strlen(name);
		bool listed = !str_ends(name, ".case");

		for (size_t k = 0; k < ARRAY_LEN(files); k++)
			listed |= strlen(files[k]) + 5 == len &&
				  strncmp(files[k], name, len - 5) == 0;
		test_check(listed, __FILE__, __LINE__, "%s is not listed", name);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

/* A block with the user's file alone. */
static void begin(struct block *b, const char *text)
{
	block_begin(b);
	buf_puts(&b->texts[LEVEL_USER], text);
	load(b);
	test_check(b->failed == 0, __FILE__, __LINE__, "%s", b->e.text);
}

/* Why rules cannot match, in words that end the sentence "these rules ...". */
static const struct {
	const char *tools;
	bool sandboxed;
	const char *note; /* NULL: they can */
} notes[] = {
	{"{}", true, NULL},
	{"{elevated: {enabled: true, patterns: ['a']}}", true, NULL},
	{"{elevated: {enabled: true, patterns: ['a']}}", false, "have nothing to do"},
	{"{elevated: {patterns: ['a']}}", true, "are switched off"},
	{"{deny: ['exec'], elevated: {enabled: true, patterns: ['a']}}", true, "can never match"},
	{"{deny: ['exec'], elevated: {enabled: true, patterns: ['a']}}", false, "can never match"},
	{"{profile: 'messaging', elevated: {enabled: true, rules: [{pattern: 'a'}]}}", true,
		"can never match"},
	{"{sandbox: {deny: ['exec']}, elevated: {enabled: true, patterns: ['a']}}", true,
		"can never match"},
	{"{sandbox: {deny: ['exec']}, elevated: {enabled: true, patterns: ['a']}}", false,
		"have nothing to do"},
};

static void test_notes_on_rules(void)
{
	for (size_t i = 0; i < ARRAY_LEN(notes); i++) {
		char text[256];
		struct effective eff;
		struct block b;
		const char *note;

		snprintf(text, sizeof text, "{tools: %s}", notes[i].tools);
		test_row("%s", text);
		begin(&b, text);
		check(resolve_agent(&b.config, "main", &b.arena, &eff, &b.e) == 0);
		note = decide_elevation_note(&eff, notes[i].sandboxed);
		check_int(note != NULL, notes[i].note != NULL);
		if (note && notes[i].note)
			check_has(note, notes[i].note);
		block_end(&b);
	}
}

/* What a sandbox would be made with, also where no tool may enter it. */
static void test_sandbox_alone(void)
{
	static const char text[] =
		"{agents: {defaults: {sandbox: {mode: 'off'}}}, tools: {profile: "
		"'messaging'}}";
	struct request q = {.session = "chat"};
	struct verdict v;
	struct block b;

	begin(&b, text);
	check(decide_sandbox(&b.config, &b.machine, &q, &b.arena, &v, &b.e) == 0);
	check_str(chosen_runtime(&v), "native");
	machine_init(&b.machine);
	check(decide_sandbox(&b.config, &b.machine, &q, &b.arena, &v, &b.e) == 0);
	check_str(chosen_runtime(&v), "none");
	q.session = "agent:";
	check(decide_sandbox(&b.config, &b.machine, &q, &b.arena, &v, &b.e) < 0);
	block_end(&b);
}

/* An agent may be named beside the session; the two must agree. */
static void test_agent_beside_session(void)
{
	struct request q = {.agent = "x", .command = "ls"};
	struct verdict v;
	struct block b;

	begin(&b, "{agents: {entries: {x: {sandbox: {mode: 'off'}}}}}");
	check(decide(&b.config, &b.machine, &q, &b.arena, &v, &b.e) == 0);
	check_str(v.session.key, "agent:x:main");
	check_int(v.place, PLACE_HOST);
	q.session = "agent:y:main";
	check(decide(&b.config, &b.machine, &q, &b.arena, &v, &b.e) < 0);
	check_has(b.e.text, "another agent");
	block_end(&b);
}

/* However many rules come close and runtimes are missing: what decided is among the reasons. */
static void test_more_reasons_than_room(void)
{
	auto_(buf_free) struct buf text = BUF(1 << 16);
	struct request q = {.command = "git push --receive-pack=/tmp/x o"};
	size_t rejected = 0;
	struct verdict v;
	struct block b;

	buf_puts(&text, "{agents: {defaults: {sandbox: {runtime: 'native', fallback: ['docker'");
	for (int i = 0; i < 30; i++)
		buf_printf(&text, ", 'docker:c%d'", i);
	buf_puts(&text, "]}}}, tools: {elevated: {enabled: true, rules: [");
	for (int i = 0; i < 100; i++)
		buf_printf(&text, "%s{pattern: 'git push *', ttl: '%ds'}", i ? ", " : "", i);
	buf_puts(&text, "]}}}");
	begin(&b, buf_text(&text));
	machine_init(&b.machine);
	check(decide(&b.config, &b.machine, &q, &b.arena, &v, &b.e) == 0);
	check_int(v.permission, PERMISSION_DENY);
	check(v.reason_count <= VERDICT_REASONS);
	check_int(v.reasons[0].code, BECAUSE_MODE);
	for (size_t i = 0; i < v.reason_count; i++)
		rejected += v.reasons[i].code == BECAUSE_RUNTIME_REJECTED;
	check_u64(rejected, RUNTIME_CANDIDATES_MAX);
	check_int(v.reasons[v.reason_count - 1].code, BECAUSE_NO_RUNTIME);
	block_end(&b);
}

static void test_words_for_everything(void)
{
	for (int i = 0; i < BECAUSE_COUNT; i++)
		check(because_names[i] && because_names[i][0]);
	check(!because_names[BECAUSE_COUNT]);
	check(!permission_names[PERMISSION_COUNT] && !place_names[PLACE_COUNT]);
}

static const struct test tests[] = {
	{"requests get the verdicts of the tables", test_tables},
	{"every table is read", test_every_table_is_listed},
	{"notes on rules that cannot match", test_notes_on_rules},
	{"a sandbox alone", test_sandbox_alone},
	{"an agent beside the session", test_agent_beside_session},
	{"more reasons than room", test_more_reasons_than_room},
	{"words for everything", test_words_for_everything},
};
TEST_MAIN(tests)
