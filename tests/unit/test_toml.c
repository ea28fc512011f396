/* SPDX-License-Identifier: Apache-2.0 */
#include "json/toml.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "test.h"

/* The tree on one line: texts in quotes, numbers as they are, tables in the order of the document.
 */
static void dump(struct buf *out, const struct node *n)
{
	switch (n->type) {
	case NODE_BOOL:
		buf_puts(out, n->boolean ? "true" : "false");
		break;
	case NODE_NUMBER:
		buf_puts(out, n->text);
		break;
	case NODE_TEXT:
		buf_printf(out, "\"%s\"", n->text);
		break;
	case NODE_ARRAY:
		buf_putc(out, '[');
		for (uint32_t i = 0; i < n->count; i++) {
			buf_puts(out, i ? "," : "");
			dump(out, &n->items[i]);
		}
		buf_putc(out, ']');
		break;
	case NODE_OBJECT:
		buf_putc(out, '{');
		for (uint32_t i = 0; i < n->count; i++) {
			buf_printf(out, "%s%s:", i ? "," : "", n->members[i].key);
			dump(out, &n->members[i].value);
		}
		buf_putc(out, '}');
		break;
	case NODE_NULL:
	case NODE_TYPES:
		buf_puts(out, "?");
		break;
	}
}

static int parse(struct arena *a, const char *text, struct node *ret, struct err *e)
{
	return toml_parse(a, "f.toml", text, strlen(text), ret, e);
}

struct good {
	const char *text;
	const char *want;
};

static void check_good(const struct good *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		auto_(arena_free) struct arena a = {0};
		auto_(buf_free) struct buf got = BUF(4096);
		struct err e = {0};
		struct node root = {0};

		test_row("%s", rows[i].text);
		if (!check_int(parse(&a, rows[i].text, &root, &e), 0)) {
			printf("# %s\n", e.text);
			continue;
		}
		dump(&got, &root);
		check_str(buf_text(&got), rows[i].want);
	}
}

static void check_bad(const struct good *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		auto_(arena_free) struct arena a = {0};
		struct err e = {0};
		struct node root = {.type = NODE_NULL, .line = 77};

		test_row("%s", rows[i].text);
		check_int(parse(&a, rows[i].text, &root, &e), -EINVAL);
		check_str(e.text, rows[i].want);
		check_int(root.line, 77);
	}
}

static void test_values(void)
{
	static const struct good rows[] = {
		{"", "{}"},
		{"# only a comment", "{}"},
		{"\n\n  \t\r\n", "{}"},
		{"a = 1", "{a:1}"},
		{"a=1 # why\nb = 2\r\n", "{a:1,b:2}"},
		{"a = true\nb = false", "{a:true,b:false}"},
		{"a = 1_000_000", "{a:1000000}"},
		{"a = +17\nb = -17\nc = 0\nd = -0", "{a:17,b:-17,c:0,d:-0}"},
		{"a = 0xDEAD_beef\nb = 0o755\nc = 0b1101", "{a:0xDEADbeef,b:0o755,c:0b1101}"},
		{"a = 1.5\nb = -0.01\nc = 5e+22\nd = 1e06\ne = 6.626E-34\nf = 3_0.1_4",
			"{a:1.5,b:-0.01,c:5e+22,d:1e06,e:6.626E-34,f:30.14}"},
		{"a = inf\nb = -inf\nc = nan", "{a:inf,b:-inf,c:nan}"},
		{"a = []", "{a:[]}"},
		{"a = [1, 2,\n 3, # three\n]", "{a:[1,2,3]}"},
		{"a = [\"x\", 'y', [true], {b = 1}]", "{a:[\"x\",\"y\",[true],{b:1}]}"},
		{"a = {}", "{a:{}}"},
		{"a = { b = 1, c = 'x' }", "{a:{b:1,c:\"x\"}}"},
		{"a = { b.c = 1, b.d = 2 }", "{a:{b:{c:1,d:2}}}"},
	};

	check_good(rows, ARRAY_LEN(rows));
}

static void test_strings(void)
{
	static const struct good rows[] = {
		{"a = \"\"", "{a:\"\"}"},
		{"a = ''", "{a:\"\"}"},
		{"a = \"b\\tc\\n\\\"\\\\\"", "{a:\"b\tc\n\"\\\"}"},
		{"a = \"\\u00e9\\U0001F600\"", "{a:\"\xc3\xa9\xf0\x9f\x98\x80\"}"},
		{"a = 'C:\\no\\escape'", "{a:\"C:\\no\\escape\"}"},
		{"a = \"# no comment\"", "{a:\"# no comment\"}"},
		{"a = \"\"\"\nx\ny\"\"\"", "{a:\"x\ny\"}"},
		{"a = \"\"\"\r\nx\r\ny\"\"\"", "{a:\"x\ny\"}"},
		{"a = \"\"\"x \\\n   \n  y\"\"\"", "{a:\"x y\"}"},
		{"a = \"\"\"x \\  \n  y\"\"\"", "{a:\"x y\"}"},
		{"a = \"\"\"\"x\"\"\"\"\"", "{a:\"\"x\"\"\"}"},
		{"a = \"\"\"x\\\"\"\"\"", "{a:\"x\"\"}"},
		{"a = '''\n'x' \\ y'''", "{a:\"'x' \\ y\"}"},
		{"a = ''''x'''''", "{a:\"'x''\"}"},
		{"a = '\tx'", "{a:\"\tx\"}"},
	};

	check_good(rows, ARRAY_LEN(rows));
}

static void test_tables(void)
{
	static const struct good rows[] = {
		{"[a]\nb = 1\n[c]\nd = 2", "{a:{b:1},c:{d:2}}"},
		{"x = 0\n[a.b]\nc = 1", "{x:0,a:{b:{c:1}}}"},
		{"[ a . \"b c\" . 'd' ]\nx = 1", "{a:{b c:{d:{x:1}}}}"},
		{"[a]\n[a.b]\nx = 1", "{a:{b:{x:1}}}"},
		{"[a.b]\nx = 1\n[a]\ny = 2", "{a:{b:{x:1},y:2}}"},
		{"a.b = 1\na.c = 2\nd = 3", "{a:{b:1,c:2},d:3}"},
		{"a . b = 1", "{a:{b:1}}"},
		{"\"a.b\" = 1", "{a.b:1}"},
		{"\"\" = 1", "{:1}"},
		{"1.2 = 3", "{1:{2:3}}"},
		{"[f]\na.b = 1\n[f.a.c]\nd = 2", "{f:{a:{b:1,c:{d:2}}}}"},
		{"[a.b.c]\nz = 9\n[a]\nb.d = 1", "{a:{b:{c:{z:9},d:1}}}"},
		{"[[p]]\nn = 1\n[[p]]\n[[p]]\nn = 3", "{p:[{n:1},{},{n:3}]}"},
		{"[[p]]\n[p.q]\nx = 1\n[[p.r]]\ny = 2\n[[p]]\n[p.q]\nx = 3",
			"{p:[{q:{x:1},r:[{y:2}]},{q:{x:3}}]}"},
	};

	check_good(rows, ARRAY_LEN(rows));
}

static void test_refused_values(void)
{
	static const struct good rows[] = {
		{"a = 1979-05-27", "f.toml:1:5: '1979-05-27': dates and times are not supported; "
				   "write it in quotes"},
		{"a = 1979-05-27T07:32:00Z",
			"f.toml:1:5: '1979-05-27T07:32:00Z': dates and times are not supported; "
			"write it in quotes"},
		{"a = 07:32:00", "f.toml:1:5: '07:32:00': dates and times are not supported; "
				 "write it in quotes"},
		{"a = yes", "f.toml:1:5: 'yes' is not a value; texts need quotes"},
		{"a = 01", "f.toml:1:5: '01' is not a value; texts need quotes"},
		{"a = 0_1", "f.toml:1:5: '0_1' is not a value; texts need quotes"},
		{"a = 1__0", "f.toml:1:5: '1__0' is not a value; texts need quotes"},
		{"a = _1", "f.toml:1:5: '_1' is not a value; texts need quotes"},
		{"a = 1_", "f.toml:1:5: '1_' is not a value; texts need quotes"},
		{"a = 1.", "f.toml:1:5: '1.' is not a value; texts need quotes"},
		{"a = .5", "f.toml:1:5: '.5' is not a value; texts need quotes"},
		{"a = 1e", "f.toml:1:5: '1e' is not a value; texts need quotes"},
		{"a = 0x", "f.toml:1:5: '0x' is not a value; texts need quotes"},
		{"a = +0x1", "f.toml:1:5: '+0x1' is not a value; texts need quotes"},
		{"a = 512m", "f.toml:1:5: '512m' is not a value; texts need quotes"},
		{"a =", "f.toml:1:4: the text ends where a value should stand"},
		{"a =\nb = 1", "f.toml:1:4: the line ends where a value should stand"},
		{"a = ;", "f.toml:1:5: ';' where a value should stand"},
		{"a", "f.toml:1:2: the text ends where '=' or '.' should stand"},
		{"a b = 1", "f.toml:1:3: 'b' where '=' or '.' should stand"},
		{"= 1", "f.toml:1:1: '=' where a key should stand"},
		{"a. = 1", "f.toml:1:4: '=' where a key should stand"},
		{"a = 1 2", "f.toml:1:7: '2' where the end of the line should stand"},
		{"a = [1 2]", "f.toml:1:8: '2' where ',' or ']' should stand"},
		{"a = [1,,2]", "f.toml:1:8: ',' where a value should stand"},
		{"a = [1", "f.toml:1:7: the text ends where ',' or ']' should stand"},
		{"a = {b = 1,}", "f.toml:1:12: '}' where a key should stand"},
		{"a = {b = 1\n}", "f.toml:1:11: the line ends where ',' or '}' should stand"},
		{"[a", "f.toml:1:3: the text ends where ']' should stand"},
		{"[a] b = 1", "f.toml:1:5: 'b' where the end of the line should stand"},
		{"[[a]", "f.toml:1:4: ']' where ']]' should stand"},
		{"[]", "f.toml:1:2: ']' where a key should stand"},
		{"a = \"x", "f.toml:1:5: string without an end"},
		{"a = \"x\n\"", "f.toml:1:7: a line ends inside a string"},
		{"a = 'x\r\n'", "f.toml:1:7: a line ends inside a string"},
		{"a = \"\"\"x\"\"", "f.toml:1:5: string without an end"},
		{"a = \"\\", "f.toml:1:6: the text ends inside a string"},
		{"a = \"\\q\"",
			"f.toml:1:6: unknown escape; a plain backslash is written \\\\ or in "
			"single quotes"},
		{"a = \"\\u12\"", "f.toml:1:6: this escape needs 4 hex digits"},
		{"a = \"\\u0000\"", "f.toml:1:6: a NUL character is not allowed"},
		{"a = \"\\ud800\"", "f.toml:1:6: this escape is not a character"},
		{"a = \"\\U00110000\"", "f.toml:1:6: this escape is not a character"},
		{"\"\"\"a\"\"\" = 1", "f.toml:1:3: '\"' where '=' or '.' should stand"},
		{"\xef\xbb\xbf"
		 "a = 1",
			"f.toml:1:1: a byte order mark is not allowed; save the "
			"file as plain UTF-8"},
		{"\xc3\xa4 = 1\n", "f.toml:1:1: '\xc3\xa4' where a key should stand"},
		{"a = '\xc3\xa4\xff'", "f.toml:1:7: byte 0xff is not UTF-8"},
		{"a = 1\rb = 2", "f.toml:1:6: control character 0x0d is not allowed"},
		{"# \x1b[0m", "f.toml:1:3: control character 0x1b is not allowed"},
		{"a = '\x7f'", "f.toml:1:6: control character 0x7f is not allowed"},
	};

	check_bad(rows, ARRAY_LEN(rows));
}

static void test_refused_duplicates(void)
{
	static const struct good rows[] = {
		{"a = 1\nb = 2\na = 3", "f.toml:3:1: duplicate key 'a'"},
		{"a = 1\n\"a\" = 2", "f.toml:2:1: duplicate key 'a'"},
		{"[a]\nx = 1\n[b]\n[a]", "f.toml:4:2: duplicate table 'a'"},
		{"a.b = 1\n[a]", "f.toml:2:2: duplicate table 'a'"},
		{"a = 1\n[a]", "f.toml:2:2: duplicate table 'a'"},
		{"a = 1\n[a.b]", "f.toml:2:2: key 'a' is already a value, not a table"},
		{"a = 1\na.b = 2", "f.toml:2:1: key 'a' is already a value, not a table"},
		{"a = {b = 1}\na.c = 2", "f.toml:2:1: key 'a' is already a value, not a table"},
		{"a = {b = 1}\n[a.c]", "f.toml:2:2: key 'a' is already a value, not a table"},
		{"a = {b = 1, b = 2}", "f.toml:1:13: duplicate key 'b'"},
		{"a = {b = {x = 1}, b.y = 2}",
			"f.toml:1:19: key 'b' is already a value, not a table"},
		{"[a.b]\n[a]\nb.x = 1",
			"f.toml:3:1: table 'b' is defined elsewhere; add to it there"},
		{"[a]\nb.x = 1\n[c]\n[a.b.d]\n[a.b]", "f.toml:5:4: duplicate table 'b'"},
		{"[a.b.c]\nz = 9\n[a]\nb.c.t = 1",
			"f.toml:4:3: table 'c' is defined elsewhere; add to it there"},
		{"a = []\n[[a]]", "f.toml:2:3: duplicate: 'a' exists and is no array of tables"},
		{"[a]\n[[a]]", "f.toml:2:3: duplicate: 'a' exists and is no array of tables"},
		{"[[a]]\n[a]", "f.toml:2:2: duplicate table 'a'"},
		{"[[a]]\na = 1\na = 2", "f.toml:3:1: duplicate key 'a'"},
		{"\"a\\u001b\" = 1\n\"a\\u001b\" = 1", "f.toml:2:1: duplicate key 'a\\x1b'"},
	};

	check_bad(rows, ARRAY_LEN(rows));
}

static void test_positions(void)
{
	static const char text[] = "x = '\xc3\xa4' # \xc3\xb6\n[a]\n  b.c = [ 1,\n\ttrue]\n";
	auto_(arena_free) struct arena a = {0};
	struct node root = {0};
	const struct node *c;
	struct err e = {0};

	if (!check_int(parse(&a, text, &root, &e), 0))
		return;
	check_int(root.members[1].line, 2);
	check_int(root.members[1].column, 2);
	c = tree_path(&root, "a.b.c");
	if (!check(c && c->count == 2))
		return;
	check_int(c->line, 3);
	check_int(c->column, 9);
	check_int(c->items[0].column, 11);
	check_int(c->items[1].line, 4);
	check_int(c->items[1].column, 2);
}

static void repeat(struct buf *b, const char *text, size_t times)
{
	for (size_t i = 0; i < times; i++)
		buf_puts(b, text);
}

static void test_depth(void)
{
	/* In front, opening, closing; the root is one level, the rest of the 64 is repeated. */
	static const struct {
		const char *before, *open, *after, *close;
		size_t levels;
	} rows[] = {
		{"a = ", "[", "", "]", 63},
		{"a = ", "{b=", "1", "}", 63},
		{"", "a.", "a = 1", "", 63},
		{"[a", ".a", "]", "", 62},
		{"[[a", ".a", "]]", "", 61},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t extra = 0; extra < 2; extra++) {
			auto_(arena_free) struct arena a = {0};
			auto_(buf_free) struct buf text = BUF(4096);
			struct node root = {0};
			struct err e = {0};
			int rc;

			test_row("%s%s, %zu", rows[i].before, rows[i].open, extra);
			buf_puts(&text, rows[i].before);
			repeat(&text, rows[i].open, rows[i].levels + extra);
			buf_puts(&text, rows[i].after);
			repeat(&text, rows[i].close, rows[i].levels + extra);
			rc = parse(&a, buf_text(&text), &root, &e);
			check_int(rc, extra ? -EINVAL : 0);
			if (extra)
				check_has(e.text, "nested more than 64 deep");
		}
}

static void test_size(void)
{
	auto_free char *text = mem_alloc(TREE_MAX_BYTES + 1);
	auto_(arena_free) struct arena a = {0};
	struct node root = {0};
	struct err e = {0};

	memset(text, '\n', TREE_MAX_BYTES + 1);
	check_int(toml_parse(&a, "big", text, TREE_MAX_BYTES, &root, &e), 0);
	check_int(toml_parse(&a, "big", text, TREE_MAX_BYTES + 1, &root, &e), -EINVAL);
	check_str(e.text, "big:1:1: larger than 4 MiB");
}

/* Many keys in one table: each is found again, and each only once. */
static void test_many_keys(void)
{
	auto_(buf_free) struct buf text = BUF(1u << 20);
	auto_(arena_free) struct arena a = {0};
	struct node root = {0};
	struct err e = {0};

	for (int i = 0; i < 20000; i++)
		buf_printf(&text, "k%d = %d\n", i, i);
	check_int(parse(&a, buf_text(&text), &root, &e), 0);
	check_int(root.count, 20000);
	check_str(root.members[19999].value.text, "19999");
	buf_puts(&text, "k7 = 0\n");
	check_int(parse(&a, buf_text(&text), &root, &e), -EINVAL);
	check_str(e.text, "f.toml:20001:1: duplicate key 'k7'");
}

static void test_foreign_name(void)
{
	auto_(arena_free) struct arena a = {0};
	struct node root = {0};
	struct err e = {0};

	check_int(toml_parse(&a, "x\x1b[2J", "?", 1, &root, &e), -EINVAL);
	check_str(e.text, "x\\x1b[2J:1:1: '?' where a key should stand");
	check_int(toml_parse(&a, "x", "a = '\0'", 8, &root, &e), -EINVAL);
	check_str(e.text, "x:1:6: control character 0x00 is not allowed");
}

static const struct test tests[] = {
	{"values", test_values},
	{"strings", test_strings},
	{"tables", test_tables},
	{"values that are refused", test_refused_values},
	{"duplicates are refused", test_refused_duplicates},
	{"line and column", test_positions},
	{"at most 64 deep", test_depth},
	{"at most 4 MiB", test_size},
	{"many keys", test_many_keys},
	{"foreign bytes in messages", test_foreign_name},
};

TEST_MAIN(tests)
