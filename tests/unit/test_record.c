/* SPDX-License-Identifier: Apache-2.0 */

/* Each test has a log in a fresh folder; what was written is read back as JSON. */

#include "door/record.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/str.h"
#include "base/utf8.h"
#include "door/line.h"
#include "json/config_read.h"
#include "json/json5.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static struct config config;
static struct arena arena;
static struct record record;
static char text[1u << 20];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void end(void)
{
	record_close(&record);
	config_free(&config);
	arena_free(&arena);
	config = (struct config){0};
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void begin(void)
{
	struct config_wish wish = {0};
	struct err e = {0};
	char set[128];

	snprintf(folder, sizeof folder, "/tmp/ward-record.XXXXXX");
	check(mkdtemp(folder));
	snprintf(set, sizeof set, "audit.path=%s/log", folder);
	check_int(config_set(&config, set, &wish, &e), 0);
	check_int(config_set(&config, "audit.redact=['corp-*']", &wish, &e), 0);
	check_int(record_open(&record, &config, &arena, &e), 0);
}

/* The last line, as it is in the file and as a tree. */
static const char *last_line(struct node *ret)
{
	char path[128], *line = NULL;
	auto_fd int fd = -1;
	ssize_t n;
	struct err e = {0};

	snprintf(path, sizeof path, "%s/log/log", folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = read(fd, text, sizeof text - 1);
	if (!check(n > 0 && text[n - 1] == '\n'))
		return "";
	text[n - 1] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	for (const char *p = line; *p; p++)
		check((unsigned char)*p >= 0x20);
	check(utf8_valid(line, strlen(line)));
	if (!check_int(json5_parse(&arena, "line", line, strlen(line), ret, &e), 0))
		printf("# %s\n", e.text);
	return line;
}

static const char *get(const struct node *n, const char *path)
{
	const struct node *found = tree_path(n, path);

	return found && (found->type == NODE_TEXT || found->type == NODE_NUMBER) ? found->text : "";
}

static struct verdict verdict(void)
{
	struct verdict v = {.permission = PERMISSION_ALLOW,
		.place = PLACE_SANDBOX,
		.session = {.key = "agent:main:main", .agent = "main"},
		.choice.chosen = RUNTIME_NONE,
		.reason_count = 1};

	v.reasons[0] = (struct verdict_reason){.code = BECAUSE_MODE, .text = "mode all"};
	return v;
}

static uint64_t begin_words(const char *const *argv, size_t argc)
{
	struct verdict v = verdict();
	struct record_request q = {.entrance = ENTRANCE_MCP,
		.operation = "exec",
		.verdict = &v,
		.tool = "exec",
		.argv = argv,
		.argc = argc,
		.cwd = "/srv/x"};
	uint64_t seq = 0;
	struct err e = {0};

	if (!check_int(record_begin(&record, &q, &seq, &e), 0))
		printf("# %s\n", e.text);
	return seq;
}

static void both_lines(void)
{
	const char *const argv[] = {"make", "test"};
	struct result result = {.exit_code = 2, .usage.wall_us = 1500, .hits[HIT_PIDS] = 3};
	struct node line;
	struct err e = {0};
	uint64_t seq;

	begin();
	seq = begin_words(argv, 2);
	last_line(&line);
	check_str(get(&line, "event"), "begin");
	check_str(get(&line, "entrance"), "mcp");
	check_str(get(&line, "session"), "agent:main:main");
	check_str(get(&line, "verdict"), "allow");
	check_str(get(&line, "cwd"), "/srv/x");
	check_int(tree_get(&line, "argv")->count, 2);
	check_u64(strlen(get(&line, "requestHash")), 64);
	check_u64(strlen(get(&line, "policy")), 64);
	result.network.flows[0] = (struct result_flow){.count = 2, .port = 443, .up = 5, .down = 7};
	snprintf(result.network.flows[0].host, RESULT_HOST, "a.test");
	result.report.refused[0] = (struct result_refused){.count = 1, .path = ".git/\033x"};
	check_int(record_end(&record, seq, &result, &e), 0);
	last_line(&line);
	check_str(get(&line, "event"), "end");
	check_str(get(&line, "begin"), "1");
	check_str(get(&line, "agent"), "main");
	check_str(get(&line, "reason"), "exited");
	check_str(get(&line, "exitCode"), "2");
	check_str(get(&line, "durationMs"), "1.500");
	check_str(get(&line, "limitsHit.pids"), "3");
	check_str(get(&tree_get(&line, "network")->items[0], "host"), "a.test");
	check_str(get(&tree_get(&line, "refused")->items[0], "path"), ".git/\033x");
	end();
}

static void refusals(void)
{
	struct verdict v = verdict();
	struct record_request q = {.verdict = &v, .tool = "write", .path = "a/b"};
	struct node line;
	struct err e = {0};

	begin();
	v.permission = PERMISSION_DENY;
	check_int(record_deny(&record, &q, "not this one", &e), 0);
	last_line(&line);
	check_str(get(&line, "event"), "deny");
	check_str(get(&line, "verdict"), "deny");
	check_str(get(&line, "why"), "not this one");
	v.permission = PERMISSION_ASK;
	check_int(record_deny(&record, &q, "nobody said yes", &e), 0);
	last_line(&line);
	check_str(get(&line, "verdict"), "ask");
	/* What was allowed and could not be done is no permission. */
	v.permission = PERMISSION_ALLOW;
	check_int(record_deny(&record, &q, "no runtime", &e), 0);
	last_line(&line);
	check_str(get(&line, "verdict"), "deny");
	q.verdict = NULL;
	check_int(record_deny(&record, &q, "no such session", &e), 0);
	last_line(&line);
	check_str(get(&line, "verdict"), "deny");
	end();
}

static void of_tools(void)
{
	struct verdict v = verdict();
	struct record_request q = {.verdict = &v,
		.tool = "edit",
		.path = "a",
		.arguments = "{\"old\":\"x\\u202e\\n\",\"n\":1.5,\"password\":\"hunter2\",\"deep\":"
			     "[true,null,"
			     "{\"token\":12345}],\"url\":\"https://a:b@c\"}"};
	struct err e = {0}, failed = {0};
	struct node line;
	const char *raw;
	uint64_t seq;

	begin();
	check_int(record_begin(&record, &q, &seq, &e), 0);
	raw = last_line(&line);
	check(!strstr(raw, "hunter2") && !strstr(raw, "12345") && !strstr(raw, "a:b@"));
	check_str(get(&line, "arguments.old"), "x\xe2\x80\xae\n");
	check_has(raw, "\\u202e");
	check_str(get(&line, "arguments.n"), "1.5");
	check_str(get(&line, "arguments.password"), "[redacted:named]");
	err_set(&failed, ENOENT, "no such file");
	check_int(record_end_tool(&record, seq, &failed, 0, &e), 0);
	last_line(&line);
	check_str(get(&line, "reason"), "failed");
	check_str(get(&line, "error"), "no such file");
	check_str(get(&line, "tool"), "edit");
	q.arguments = "no JSON \"";
	check_int(record_begin(&record, &q, &seq, &e), 0);
	last_line(&line);
	check_str(get(&line, "arguments"), "no JSON \"");
	check_int(record_end_tool(&record, seq, NULL, 77, &e), 0);
	last_line(&line);
	check_str(get(&line, "reason"), "done");
	check_str(get(&line, "bytes"), "77");
	end();
}

/* A line with a name twice, or deeper than a reader goes, would hide what it says. */
static void names_of_arguments(void)
{
	static const char same[] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
				   "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
	static const char token[] = "ghp_0123456789abcdefABCDEF0123456789abcde";
	static char deep[256], arguments[1u << 16];
	struct verdict v = verdict();
	struct record_request q = {.verdict = &v, .tool = "exec", .arguments = arguments};
	struct err e = {0};
	struct node line;
	const char *raw;
	size_t len;
	uint64_t seq;

	begin();
	memset(deep, '[', 63);
	memset(deep + 63, ']', 63);
	snprintf(arguments, sizeof arguments,
		"{\"%s1\":1,\"%s2\":2,\"%s\\\\#1\":3,\"%s1\":4,\"%s2\":5,"
		"\"[redacted:github]\\\\#4\":6,\"deep\":%s}",
		same, same, same, token, token, deep);
	check_int(record_begin(&record, &q, &seq, &e), 0);
	raw = last_line(&line);
	check(!strstr(raw, token));
	if (check(tree_get(&line, "arguments")))
		check_u64(tree_get(&line, "arguments")->count, 7);
	/* So many that the rest is left out; one has the name of what says so. */
	len = (size_t)snprintf(arguments, sizeof arguments, "{\"...\":1,\"\\\\#\":2");
	for (int i = 0; i < 1000; i++)
		len += (size_t)snprintf(
			arguments + len, sizeof arguments - len, ",\"name%d\":\"value\"", i);
	snprintf(arguments + len, sizeof arguments - len, "}");
	check_int(record_begin(&record, &q, &seq, &e), 0);
	check_has(last_line(&line), "\"truncated\":true");
	end();
}

/* A record is one line that a terminal may show, whatever was asked for. */
static void strange_bytes(void)
{
	const char *const argv[] = {"a\nb\r\x1b[2J\a\b\"\\", "\xe2\x80\xa8\xe2\x80\xae", "\xc2\x9b",
		"\xff\xfe x", "\"},{\"event\":\"end\"", "\xed\xa0\x80"};
	struct node line;
	const char *raw;

	begin();
	begin_words(argv, ARRAY_LEN(argv));
	raw = last_line(&line);
	check(!strstr(raw, "\xe2\x80") && !strstr(raw, "\xc2\x9b"));
	for (size_t i = 0; i < ARRAY_LEN(argv); i++) {
		const struct node *word = &tree_get(&line, "argv")->items[i];

		if (utf8_valid(argv[i], strlen(argv[i])))
			check_str(word->type == NODE_TEXT ? word->text : "", argv[i]);
	}
	check_str(get(&tree_get(&line, "argv")->items[3], "base64"), "//4geA==");
	check_str(get(&tree_get(&line, "argv")->items[5], "base64"), "7aCA");
	end();
}

static void check_cut(const struct node *n, const char *whole)
{
	uint8_t digest[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1], length[32];
	const char *prefix = get(n, "prefix");

	sha256_of(whole, strlen(whole), digest);
	sha256_hex(digest, hex);
	snprintf(length, sizeof length, "%zu", strlen(whole));
	check_str(get(n, "length"), length);
	check_str(get(n, "sha256"), hex);
	check(tree_get(n, "truncated") && tree_get(n, "truncated")->boolean);
	check(strlen(prefix) > 1000 && strncmp(whole, prefix, strlen(prefix)) == 0);
}

static void long_values(void)
{
	static char large[2u << 20], path[65536];
	struct verdict v = verdict();
	struct record_request q = {.verdict = &v, .tool = "read", .path = path};
	struct node line;
	struct err e = {0};
	uint64_t seq;

	/* Cut at every place within a character. */
	for (size_t shift = 0; shift < 4; shift++) {
		const char *const argv[] = {"sh", large};

		memset(large, 'x', shift);
		for (size_t i = shift; i + 3 < sizeof large; i += 3)
			memcpy(large + i, "\xe2\x82\xac", 4);
		begin();
		begin_words(argv, 2);
		last_line(&line);
		check_cut(&tree_get(&line, "argv")->items[1], large);
		end();
	}
	begin();
	memset(path, 'p', sizeof path - 1);
	check_int(record_begin(&record, &q, &seq, &e), 0);
	last_line(&line);
	check_cut(tree_get(&line, "path"), path);
	end();
}

/* All at once: there is room for each. */
static void largest(void)
{
	static char large[65536], arguments[65600];
	static const char *argv[200];
	struct verdict v = verdict();
	struct record_request q = {.operation = large,
		.verdict = &v,
		.tool = large,
		.argv = argv,
		.argc = ARRAY_LEN(argv),
		.path = large,
		.cwd = large,
		.sandbox = large,
		.approval = large,
		.arguments = arguments};
	static struct result result;
	struct node line;
	struct err e = {0};
	uint64_t seq;

	memset(large, 1, sizeof large - 1);
	for (size_t i = 0; i < ARRAY_LEN(argv); i++)
		argv[i] = i % 2 ? "\001\002\003\004\005" : large;
	snprintf(arguments, sizeof arguments, "{\"%.30000s\":\"%.30000s\"}", large, large);
	memset(arguments + 2, 'k', 30000);
	memset(arguments + 30005, 'v', 30000);
	v.session.key = v.session.agent = large;
	v.reason_count = VERDICT_REASONS;
	for (size_t i = 0; i < VERDICT_REASONS; i++)
		v.reasons[i].text = large;
	for (size_t i = 0; i < RESULT_FLOWS; i++) {
		result.network.flows[i].count = 1;
		memset(result.network.flows[i].host, 1, RESULT_HOST - 1);
		memset(result.network.flows[i].why, 1, RESULT_WHY - 1);
		result.report.refused[i].count = result.report.denied[i].count = 1;
		memset(result.report.refused[i].path, 1, RESULT_NAME - 1);
	}
	begin();
	if (!check_int(record_begin(&record, &q, &seq, &e), 0))
		printf("# %s\n", e.text);
	last_line(&line);
	check_int(record_end(&record, seq, &result, &e), 0);
	last_line(&line);
	check(tree_get(&line, "networkMore") && tree_get(&line, "refusedMore"));
	check_int(record_deny(&record, &q, large, &e), 0);
	last_line(&line);
	end();
}

/* The hash is that of what was asked for, and tells any two requests apart. */
static void hashes(void)
{
	const char *const one[] = {"--token", "xyz"}, *const two[] = {"--token", "xyw"};
	const char *const three[] = {"--token xyz"};
	char first[65], second[65];
	struct node line;
	const char *raw;

	begin();
	begin_words(one, 2);
	raw = last_line(&line);
	check(!strstr(raw, "xyz"));
	snprintf(first, sizeof first, "%s", get(&line, "requestHash"));
	begin_words(two, 2);
	last_line(&line);
	snprintf(second, sizeof second, "%s", get(&line, "requestHash"));
	check(strcmp(first, second) != 0);
	begin_words(one, 2);
	last_line(&line);
	check_str(get(&line, "requestHash"), first);
	begin_words(three, 1);
	last_line(&line);
	check(strcmp(get(&line, "requestHash"), first) != 0);
	end();
}

static void own_pattern(void)
{
	const char *const argv[] = {"x", "corp-1"};
	struct node line;

	begin();
	begin_words(argv, 2);
	last_line(&line);
	check_str(tree_get(&line, "argv")->items[1].text, "[redacted:pattern]");
	end();
}

/* Nothing begins, and the message says where and what to do. */
static void unwritable(void)
{
	struct verdict v = verdict();
	struct record_request q = {.verdict = &v, .tool = "exec"};
	struct err e = {0};
	uint64_t seq = 0;
	char path[100];

	begin();
	snprintf(path, sizeof path, "%s/log", folder);
	check_int(mkdir(path, 0777), 0);
	check_int(chmod(path, 0777), 0);
	check_int(record_begin(&record, &q, &seq, &e), -EPERM);
	check_u64(seq, 0);
	check_has(e.text, path);
	check_has(e.text, "audit.path");
	check_int(rmdir(path), 0);
	check_int(record_begin(&record, &q, &seq, &e), 0);
	end();
}

/* Several at once, in any order; each end names its own. */
static void interleaved(void)
{
	const char *const argv[] = {"a"};
	struct result result = {0};
	struct node line;
	struct err e = {0};
	uint64_t first, second;

	begin();
	first = begin_words(argv, 1);
	second = begin_words(argv, 1);
	check_has(record_who(&record, first), "agent:main:main");
	check_int(record_end(&record, first, &result, &e), 0);
	last_line(&line);
	check_str(get(&line, "begin"), "1");
	check_str(record_who(&record, first), "");
	record_rest(&record);
	check_int(record_end_failed(&record, second, &(struct err){.text = "lost"}, &e), 0);
	last_line(&line);
	check_str(get(&line, "begin"), "2");
	check_str(get(&line, "reason"), "internal");
	check_str(get(&line, "error"), "lost");
	end();
}

/* What others have written is redacted, escaped and cut like everything else. */
static void events(void)
{
	static const char secret[] = "use ghp_0123456789abcdefABCDEF0123456789abcdef";
	static char longest[100001];
	struct record_fact facts[] = {{"why", secret}, {"id", longest}, {"session", "a\"\n\033[2J"},
		{"agent", "\xff"}, {"gone", NULL}};
	struct node line;
	struct err e = {0};
	const char *raw;

	memset(longest, '"', sizeof longest - 1);
	begin();
	check_int(record_event(&record, "net", "\"rule\":\"a.test\"", facts, ARRAY_LEN(facts), &e),
		0);
	raw = last_line(&line);
	check_str(get(&line, "rule"), "a.test");
	check_str(get(&line, "why"), "use [redacted:github]");
	check(!strstr(raw, "ghp_") && !strstr(raw, "gone"));
	check_str(get(&line, "id.length"), "100000");
	check_str(get(&line, "session"), "a\"\n\033[2J");
	check_str(get(&line, "agent.base64"), "/w==");
	end();
}

static const struct test tests[] = {
	{"begin and end", both_lines},
	{"refusals", refusals},
	{"tools and their arguments", of_tools},
	{"every name of an argument is another", names_of_arguments},
	{"strange bytes", strange_bytes},
	{"long values say what was cut", long_values},
	{"the largest line fits", largest},
	{"hashes of requests", hashes},
	{"the operator's patterns", own_pattern},
	{"nothing begins without its record", unwritable},
	{"several at once", interleaved},
	{"events, and the words of others in them", events},
};

TEST_MAIN(tests)
