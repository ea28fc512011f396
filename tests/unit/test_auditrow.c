/* SPDX-License-Identifier: Apache-2.0 */
#include "json/auditrow.h"

#include "base/cleanup.h"
#include "test.h"

#define HEAD \
	"{\"seq\":7,\"prev\":\"00\",\"time\":\"2026-11-06T21:20:00.250000Z\",\"sinceBootUs\":5,"

static struct auditrow_line *line(const char *members)
{
	auto_(buf_free) struct buf text = BUF(100000);
	struct auditrow_line *l = NULL;
	struct err e = {0};

	buf_printf(&text, HEAD "%s}", members);
	check_int(auditrow_line_read(buf_text(&text), text.len, &l, &e), 0);
	return l;
}

static const struct {
	const char *members, *what;
} whats[] = {
	{"\"event\":\"begin\",\"argv\":[\"ls\",\"a b\"]", "ls 'a b'"},
	{"\"event\":\"begin\",\"argv\":[\"\\u001b[2J\",\"\\u202e\"]",
		"$'\\x1b[2J' $'\\xe2\\x80\\xae'"},
	{"\"event\":\"begin\",\"command\":\"make | tee\\nlog\"", "make | tee\\nlog"},
	{"\"event\":\"deny\",\"path\":\"a/\\u009b.c\"", "a/\\u{009b}.c"},
	{"\"event\":\"begin\",\"arguments\":{\"id\":4,\"deep\":{\"x\":[true,null]}}",
		"(id=4 deep=(x=true ))"},
	{"\"event\":\"begin\",\"command\":{\"prefix\":\"aaa\",\"length\":9,\"truncated\":true}",
		"aaa..."},
	{"\"event\":\"begin\",\"argv\":[\"x\",{\"base64\":\"/wBhCg==\"}]", "x \\xff\\x00a\\n"},
	{"\"event\":\"begin\",\"argv\":[{\"base64\":\"YSD/\"},{\"prefix\":\"b "
	 "c\",\"truncated\":true}]",
		"$'a \\xff' 'b c'..."},
	{"\"event\":\"begin\",\"path\":{\"base64\":\"YSD/\"}", "a \\xff"},
	{"\"event\":\"begin\",\"operation\":\"start\"", "start"},
	{"\"event\":\"approval\",\"id\":\"a1\",\"action\":\"given\",\"by\":{\"uid\":0}",
		"action=given id=a1 by=(uid=0)"},
};

static void what_it_was(void)
{
	for (size_t i = 0; i < ARRAY_LEN(whats); i++) {
		auto_(auditrow_free) struct auditrow row = {.first = line(whats[i].members)};
		auto_(buf_free) struct buf out = BUF(1000);

		auditrow_what(&out, &row);
		check_str(buf_text(&out), whats[i].what);
	}
}

static const struct {
	const char *members, *outcome;
	bool failed;
} ends[] = {
	{"\"reason\":\"exited\",\"exitCode\":0", "exited 0", false},
	{"\"reason\":\"exited\",\"exitCode\":3", "exited 3", true},
	{"\"reason\":\"signalled\",\"exitCode\":-1,\"signal\":9", "signal 9", true},
	{"\"reason\":\"timeout\"", "timeout", true},
	{"\"reason\":\"done\",\"bytes\":4", "done", false},
	{"\"reason\":\"failed\",\"error\":\"no\"", "failed", true},
	{"\"reason\":\"a\\u0007\"", "a\\x07", true},
	{"\"reason\":5", "", true},
};

static void how_it_ended(void)
{
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		auto_(buf_free) struct buf members = BUF(1000), out = BUF(1000);
		auto_(auditrow_free) struct auditrow row = {0};

		buf_printf(&members, "\"event\":\"end\",\"begin\":3,%s", ends[i].members);
		row.end = line(buf_text(&members));
		auditrow_outcome(&out, &row);
		check_str(buf_text(&out), ends[i].outcome);
		check_int(auditrow_is_failed(&row), ends[i].failed);
		check_u64(row.end->begin, 3);
	}
}

static void numbers(void)
{
	auto_(auditrow_free) struct auditrow row = {
		.first = line("\"event\":\"begin\",\"durationMs\":1"),
		.end = line("\"event\":\"end\",\"begin\":7,\"durationMs\":12.5,\"exitCode\":-4,"
			    "\"usage\":{\"userMs\":8,\"memoryPeak\":1e999,\"sentBytes\":\"9\"}")};
	double v = -1;

	check(auditrow_number(&row, "durationMs", &v) && v == 12.5);
	check(auditrow_amount(&row, "usage.userMs") == 8);
	check(auditrow_amount(&row, "usage.memoryPeak") == 0); /* none that could be */
	check(auditrow_amount(&row, "usage.sentBytes") == 0);
	check(auditrow_amount(&row, "exitCode") == 0);
	check(!auditrow_number(&row, "usage.none", &v));
	check(row.first->time_us == INT64_C(1794000000250000));
	check(auditrow_line_time(row.first->text, row.first->len) == row.first->time_us);
	check_u64(auditrow_seq(&row), 7);
}

static void flows(void)
{
	auto_(auditrow_free) struct auditrow row = {
		.end = line("\"event\":\"end\",\"network\":[{\"host\":\"a\",\"port\":443,"
			    "\"allowed\":true,"
			    "\"count\":2,\"sentBytes\":5,\"receivedBytes\":6},7,{\"host\":[]}]")};
	struct auditrow_flow f;

	check(auditrow_flow(&row, 0, &f));
	check_str(f.host, "a");
	check(f.port == 443 && f.allowed && f.count == 2 && f.sent == 5 && f.received == 6);
	check(auditrow_flow(&row, 1, &f));
	check_str(f.host, "");
	check(auditrow_flow(&row, 2, &f) && !f.allowed);
	check(!auditrow_flow(&row, 3, &f));
}

static void cut_texts(void)
{
	auto_(auditrow_free) struct auditrow row = {
		.first = line(
			"\"event\":\"begin\",\"session\":{\"prefix\":\"agent:m\",\"length\":99,"
			"\"truncated\":true},\"agent\":{\"prefix\":{\"prefix\":\"x\"}},\"tool\":["
			"]")};

	check_str(auditrow_text(&row, "session"), "agent:m");
	check_str(auditrow_text(&row, "agent"), "");
	check_str(auditrow_text(&row, "tool"), "");
	check_str(auditrow_text(&row, "none"), "");
}

static void refused_lines(void)
{
	static const char *const bad[] = {"", "{", "[]", "{}", "{\"seq\":1}", "{\"event\":\"x\"}",
		"{\"seq\":0,\"event\":\"x\"}", "{\"seq\":1,\"event\":\"x\"} x",
		"{\"seq\":1,\"seq\":2,\"event\":\"x\"}", "{\"seq\":1,\"event\":\"\xff\"}"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct auditrow_line *l = NULL;
		struct err e = {0};

		test_row("%zu", i);
		check(auditrow_line_read(bad[i], strlen(bad[i]), &l, &e) < 0);
		check(!l && e.text[0]);
	}
}

/* What a terminal could act on is escaped also where the line itself has it bare. */
static void harmless_json(void)
{
	auto_(auditrow_free) struct auditrow row = {
		.first = line(
			"\"event\":\"x\",\"a\":\"\xe2\x80\xae\x1b[2J\xc2\x9b \xf3\xa0\x80\x81\"")};
	auto_(buf_free) struct buf out = BUF(1000);

	auditrow_line_json(&out, row.first);
	check_str(buf_text(&out),
		HEAD "\"event\":\"x\",\"a\":\"\\u202e\\u001b[2J\\u009b \\udb40\\udc01\"}");
}

static const struct test tests[] = {
	{"what was asked for", what_it_was},
	{"how it ended", how_it_ended},
	{"numbers that are none count nothing", numbers},
	{"destinations", flows},
	{"a text that was cut is its beginning", cut_texts},
	{"lines that are none", refused_lines},
	{"a line as it was written is harmless", harmless_json},
};
TEST_MAIN(tests)
