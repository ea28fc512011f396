/* SPDX-License-Identifier: Apache-2.0 */
#include "json/args.h"

#include "base/cleanup.h"
#include "json/json5.h"
#include "test.h"

#include <errno.h>

static const char *const colours[] = {"red", "green", NULL};

struct sample {
	const char *path;
	struct arg_number count;
	bool all;
	struct arg_texts argv, env;
	int colour;
};

static const struct arg table[] = {
	{"path", A_TEXT(struct sample, path, .required = true, .help = "a path")},
	{"count", A_NUMBER(struct sample, count, .min = 1, .max = 10, .help = "how many")},
	{"all", A_BOOL(struct sample, all, .help = "everything")},
	{"argv", A_TEXTS(struct sample, argv, .help = "words")},
	{"env", A_MAP(struct sample, env, .help = "variables")},
	{"colour", A_CHOICE(struct sample, colour, colours, .help = "one of them")},
	{0},
};

static int read_it(struct arena *a, const char *text, struct sample *ret, struct err *e)
{
	struct node n;
	int r = json5_parse(a, "test", text, strlen(text), &n, e);

	*ret = (struct sample){0};
	return r < 0 ? r : args_read(table, &n, a, ret, e);
}

static void values_arrive(void)
{
	auto_(arena_free) struct arena a = {0};
	struct sample s;
	struct err e = {0};

	check_int(read_it(&a,
			  "{\"path\":\"\",\"count\":10,\"all\":true,\"argv\":[\"a\",\"\"],"
			  "\"env\":{\"A\":\"b=c\"},\"colour\":\"green\"}",
			  &s, &e),
		0);
	check_str(s.path, "");
	check(s.count.given && s.count.v == 10 && s.all);
	check_int(s.argv.count, 2);
	check_str(s.argv.v[1], "");
	check(s.argv.v[2] == NULL);
	check_str(s.env.v[0], "A=b=c");
	check_int(s.colour, 1);
	check_int(read_it(&a, "{\"path\":\"x\"}", &s, &e), 0);
	check(!s.count.given && !s.all && !s.argv.v && !s.env.v && s.colour == -1);
}

static void mistakes_are_named(void)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"{}", "the argument 'path' is missing"},
		{"[]", "must be an object, not a list"},
		{"{path:'x',cuont:1}", "no argument 'cuont'; did you mean 'count'?"},
		{"{path:1}", "'path' must be a text, not a number"},
		{"{path:null}", "'path' must be a text, not null"},
		{"{path:'x',count:0}", "from 1 to 10"},
		{"{path:'x',count:11}", "from 1 to 10"},
		{"{path:'x',count:-1}", "whole number, not -1"},
		{"{path:'x',count:1.5}", "whole number, not 1.5"},
		{"{path:'x',count:1e1}", "whole number, not 1e1"},
		{"{path:'x',count:99999999999999999999}", "whole number"},
		{"{path:'x',count:'1'}", "must be a whole number, not a text"},
		{"{path:'x',all:1}", "must be true or false"},
		{"{path:'x',argv:'ls'}", "must be a list of texts"},
		{"{path:'x',argv:['ls',1]}", "must be a list of texts, not a number"},
		{"{path:'x',env:{A:1}}", "must be an object of texts"},
		{"{path:'x',env:{'A=B':'c'}}", "must not be empty or hold '='"},
		{"{path:'x',env:{'':'c'}}", "must not be empty or hold '='"},
		{"{path:'x',colour:'blue'}", "must be one of 'red', 'green'"},
		{"{path:'x',colour:1}", "must be one of 'red', 'green'"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		struct sample s;
		struct err e = {0};

		test_row("%s", rows[i].text);
		check(read_it(&a, rows[i].text, &s, &e) < 0);
		check_has(e.text, rows[i].says);
	}
}

static void the_schema_says_the_same(void)
{
	auto_(buf_free) struct buf out = BUF(4096);
	struct writer w = WRITER_COMPACT(&out);

	args_schema(table, &w, NULL);
	check_has(buf_text(&out), "\"count\":{\"type\":\"integer\",\"description\":\"how "
				  "many\",\"minimum\":1,\"maximum\":10}");
	check_has(buf_text(&out), "\"enum\":[\"red\",\"green\"]");
	check_has(buf_text(&out), "\"required\":[\"path\"],\"additionalProperties\":false}");
	check(!strchr(buf_text(&out), '\n'));
}

static const struct test tests[] = {
	{"values arrive", values_arrive},
	{"mistakes are named", mistakes_are_named},
	{"the schema says the same", the_schema_says_the_same},
};

TEST_MAIN(tests)
