/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json5.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "test.h"

#include <pthread.h>

/* The tree on one line: texts in quotes with their bytes, numbers as written. */
static void dump(struct buf *out, const struct node *n)
{
	switch (n->type) {
	case NODE_NULL:
		buf_puts(out, "null");
		break;
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
	case NODE_TYPES:
		buf_puts(out, "?");
		break;
	}
}

struct row {
	const char *text;
	const char *want; /* the tree, or the error behind "f:" */
};

/* On a copy of exactly that size, so that the sanitizer sees every byte too far. */
static int parse(struct arena *a, const char *text, size_t len, struct node *ret, struct err *e)
{
	auto_free char *exact = malloc(len ? len : 1);

	memcpy(exact, text, len);
	return json5_parse(a, "f", exact, len, ret, e);
}

static void check_good(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		auto_(arena_free) struct arena a = {0};
		auto_(buf_free) struct buf got = BUF(4096);
		struct err e = {0};
		struct node root = {0};

		test_row("%s", rows[i].text);
		if (!check_int(parse(&a, rows[i].text, strlen(rows[i].text), &root, &e), 0)) {
			printf("# %s\n", e.text);
			continue;
		}
		dump(&got, &root);
		check_str(buf_text(&got), rows[i].want);
	}
}

static void check_refused(const char *text, size_t len, const char *want)
{
	auto_(arena_free) struct arena a = {0};
	struct err e = {0};
	struct node root = {.type = NODE_TYPES};

	test_row("%s", text);
	check_int(parse(&a, text, len, &root, &e), -EINVAL);
	check_int(e.code, EINVAL);
	check(strncmp(e.text, "f:", 2) == 0);
	check_str(e.text + 2, want);
	check_int(root.type, NODE_TYPES);
}

static void check_bad(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_refused(rows[i].text, strlen(rows[i].text), rows[i].want);
}

static void test_values(void)
{
	static const struct row rows[] = {
		{"null", "null"},
		{"true", "true"},
		{"false", "false"},
		{" \t\n\r\v\f null", "null"},
		{"\xc2\xa0null\xe2\x80\xa8", "null"},
		{"\xe2\x80\xa9\xe3\x80\x80\xe1\x9a\x80null\xe2\x80\x8a", "null"},
		{"[]", "[]"},
		{"[ ]", "[]"},
		{"[1]", "[1]"},
		{"[1,]", "[1]"},
		{"[ 1 , 2 , ]", "[1,2]"},
		{"[[],[[]],{}]", "[[],[[]],{}]"},
		{"{}", "{}"},
		{"{ }", "{}"},
		{"{\"a\":1}", "{a:1}"},
		{"{'a':1}", "{a:1}"},
		{"{a:1}", "{a:1}"},
		{"{a:1,}", "{a:1}"},
		{"{a:1,b:{c:[2]}}", "{a:1,b:{c:[2]}}"},
		{"{\"\":1}", "{:1}"},
		{"{null:1,true:2,Infinity:3}", "{null:1,true:2,Infinity:3}"},
		{"{a:1,A:2}", "{a:1,A:2}"},
		{"{toString:1,__proto__:2}", "{toString:1,__proto__:2}"},
	};

	check_good(rows, ARRAY_LEN(rows));
}

static void test_keys_without_quotes(void)
{
	static const struct row rows[] = {
		{"{_:1}", "{_:1}"},
		{"{$a_9:1}", "{$a_9:1}"},
		{"{\xc3\xa9t\xc3\xa9:1}", "{\xc3\xa9t\xc3\xa9:1}"},
		{"{a\xc3\xa9:1}", "{a\xc3\xa9:1}"},
		{"{\\u0061b:1}", "{ab:1}"},
		{"{a\\u0062:1}", "{ab:1}"},
		{"{a\\u0031:1}", "{a1:1}"},
		{"{\\ud83d\\ude00:1}", "{\xf0\x9f\x98\x80:1}"},
		{"{a /**/ : /**/ 1}", "{a:1}"},
		{"{a\n:\n1\n}", "{a:1}"},
	};
	static const struct row bad[] = {
		{"{1a:1}", "1:2: '1' where a key should stand"},
		{"{\\u0031a:1}", "1:2: this escape is not allowed in a key without quotes"},
		{"{a\\u0020b:1}", "1:3: this escape is not allowed in a key without quotes"},
		{"{a\\u003a1}", "1:3: this escape is not allowed in a key without quotes"},
		{"{a\\u202eb:1}", "1:3: this escape is not allowed in a key without quotes"},
		{"{a\\u0000:1}", "1:3: a NUL character is not allowed"},
		{"{a\\ud800:1}", "1:3: half of a surrogate pair"},
		{"{a\\x62:1}", "1:3: '\\\\' where ':' should stand"},
		{"{\\x62:1}", "1:2: '\\\\' where a key should stand"},
		{"{a-b:1}", "1:3: '-' where ':' should stand"},
		{"{a.b:1}", "1:3: '.' where ':' should stand"},
		{"{a b:1}", "1:4: 'b' where ':' should stand"},
		{"{a\xe2\x80\xae:1}", "1:3: '\\u{202e}' where ':' should stand"},
		{"{\xe2\x80\x8b:1}", "1:2: '\\u{200b}' where a key should stand"},
		{"{-a:1}", "1:2: '-' where a key should stand"},
		{"{[a]:1}", "1:2: '[' where a key should stand"},
	};

	check_good(rows, ARRAY_LEN(rows));
	check_bad(bad, ARRAY_LEN(bad));
}

static void test_strings(void)
{
	static const struct row rows[] = {
		{"\"\"", "\"\""},
		{"''", "\"\""},
		{"'a\"b'", "\"a\"b\""},
		{"\"a'b\"", "\"a'b\""},
		{"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\v\"", "\"\"\\/\b\f\n\r\t\v\""},
		{"'\\''", "\"'\""},
		{"'\\a\\q\\&'", "\"aq&\""},
		{"'\\x41\\x7f\\xe9'", "\"A\x7f\xc3\xa9\""},
		{"'\\u0041\\u00E9\\u20ac'", "\"A\xc3\xa9\xe2\x82\xac\""},
		{"'\\ud83d\\ude00'", "\"\xf0\x9f\x98\x80\""},
		{"'\\uDBFF\\uDFFF'", "\"\xf4\x8f\xbf\xbf\""},
		{"'\xf4\x8f\xbf\xbf'", "\"\xf4\x8f\xbf\xbf\""},
		{"'\\uffff\\ufffd'", "\"\xef\xbf\xbf\xef\xbf\xbd\""},
		{"'a\\\nb'", "\"ab\""},
		{"'a\\\r\nb'", "\"ab\""},
		{"'a\\\rb'", "\"ab\""},
		{"'a\\\xe2\x80\xa8"
		 "b\\\xe2\x80\xa9"
		 "c'",
			"\"abc\""},
		{"'a\xe2\x80\xa8"
		 "b'",
			"\"a\xe2\x80\xa8"
			"b\""},
		{"'\t\x01\x1b\x7f'", "\"\t\x01\x1b\x7f\""},
		{"'// no comment'", "\"// no comment\""},
		{"'/* none */'", "\"/* none */\""},
		{"'\\\xe2\x82\xac'", "\"\xe2\x82\xac\""},
		{"'\xef\xbb\xbf'", "\"\xef\xbb\xbf\""},
	};
	static const struct row bad[] = {
		{"\"", "1:1: string without an end"},
		{"'", "1:1: string without an end"},
		{"'a", "1:1: string without an end"},
		{"'a\"", "1:1: string without an end"},
		{"  'a\\'", "1:3: string without an end"},
		{"'\\", "1:2: the text ends inside a string"},
		{"'ab\n'", "1:4: a line ends inside a string"},
		{"'ab\r'", "1:4: a line ends inside a string"},
		{"'\\1'", "1:2: an octal escape is not allowed"},
		{"'\\9'", "1:2: an octal escape is not allowed"},
		{"'a\\0'", "1:3: a NUL character is not allowed"},
		{"'\\00'", "1:2: a NUL character is not allowed"},
		{"'\\x00'", "1:2: a NUL character is not allowed"},
		{"'\\u0000'", "1:2: a NUL character is not allowed"},
		{"{'a\\u0000':1}", "1:4: a NUL character is not allowed"},
		{"'\\x4'", "1:5: an escape needs 2 hex digits"},
		{"'\\xg0'", "1:4: an escape needs 2 hex digits"},
		{"'\\u12'", "1:6: an escape needs 4 hex digits"},
		{"'\\u12", "1:6: an escape needs 4 hex digits"},
		{"'\\u{41}'", "1:4: an escape needs 4 hex digits"},
		{"'\\u 041'", "1:4: an escape needs 4 hex digits"},
		{"'\\ud800'", "1:2: half of a surrogate pair"},
		{"'ab\\udc00'", "1:4: half of a surrogate pair"},
		{"'\\ud800x'", "1:2: half of a surrogate pair"},
		{"'\\ud800\\n'", "1:2: half of a surrogate pair"},
		{"'\\ud800\\u0041'", "1:2: half of a surrogate pair"},
		{"'\\ud800\\ud800\\udc00'", "1:2: half of a surrogate pair"},
		{"'\\udc00\\ud800'", "1:2: half of a surrogate pair"},
		{"'\\ud800\\u00'", "1:12: an escape needs 4 hex digits"},
		{"`a`", "1:1: '`' where a value should stand"},
		{"\xe2\x80\x9c"
		 "a\xe2\x80\x9d",
			"1:1: '\xe2\x80\x9c' where a value should stand"},
		{"a", "1:1: 'a' where a value should stand"},
		{"'a' 'b'", "1:5: ''' where the end of the text should stand"},
	};

	check_good(rows, ARRAY_LEN(rows));
	check_bad(bad, ARRAY_LEN(bad));
}

static void test_numbers(void)
{
	static const struct row rows[] = {
		{"0", "0"},
		{"-0", "-0"},
		{"+1", "+1"},
		{"123456789012345678901234567890", "123456789012345678901234567890"},
		{"1.5", "1.5"},
		{".5", ".5"},
		{"5.", "5."},
		{"-.5", "-.5"},
		{"1e3", "1e3"},
		{"1E+400", "1E+400"},
		{"1.e-2", "1.e-2"},
		{"0e0", "0e0"},
		{"0.0", "0.0"},
		{"0x10", "0x10"},
		{"0XdeadBEEF", "0XdeadBEEF"},
		{"-0xff", "-0xff"},
		{"0xfffffffffffffffffffffff", "0xfffffffffffffffffffffff"},
		{"Infinity", "Infinity"},
		{"-Infinity", "-Infinity"},
		{"+NaN", "+NaN"},
		{"[1,-2,.3]", "[1,-2,.3]"},
		{"1//", "1"},
		{"1/**/", "1"},
	};
	static const struct row bad[] = {
		{"+", "1:2: the text ends where a value should stand"},
		{"-", "1:2: the text ends where a value should stand"},
		{".", "1:2: the text ends where a value should stand"},
		{"-.", "1:3: the text ends where a value should stand"},
		{"[.]", "1:3: ']' where a value should stand"},
		{"--1", "1:2: '-' where a value should stand"},
		{"+-1", "1:2: '-' where a value should stand"},
		{"- 1", "1:2: ' ' where a value should stand"},
		{"01", "1:1: a number with a leading zero"},
		{"-00", "1:1: a number with a leading zero"},
		{"012.5", "1:1: a number with a leading zero"},
		{"1e", "1:1: a number with an empty exponent"},
		{"1e+", "1:1: a number with an empty exponent"},
		{"[1e-]", "1:2: a number with an empty exponent"},
		{".e1", "1:2: 'e' where a value should stand"},
		{"0x", "1:1: a hex number without digits"},
		{"0xg", "1:1: a hex number without digits"},
		{"0x1.8", "1:4: '.' where the end of the text should stand"},
		{"0x1g", "1:1: a number that runs into a word"},
		{"0b1", "1:1: a number that runs into a word"},
		{"0o7", "1:1: a number that runs into a word"},
		{"1_000", "1:1: a number that runs into a word"},
		{"1G", "1:1: a number that runs into a word"},
		{"1e3e3", "1:1: a number that runs into a word"},
		{"1\xef\xbc\x91", "1:1: a number that runs into a word"},
		{"\xef\xbc\x91", "1:1: '\xef\xbc\x91' where a value should stand"},
		{"1.2.3", "1:4: '.' where the end of the text should stand"},
		{"1+2", "1:2: '+' where the end of the text should stand"},
		{"1 000", "1:3: '0' where the end of the text should stand"},
		{"Infinite", "1:1: 'I' where a value should stand"},
		{"Infinityy", "1:1: a number that runs into a word"},
		{"nan", "1:1: 'n' where a value should stand"},
		{"NaNs", "1:1: a number that runs into a word"},
		{"-true", "1:2: 't' where a value should stand"},
	};

	check_good(rows, ARRAY_LEN(rows));
	check_bad(bad, ARRAY_LEN(bad));
}

static void test_structure(void)
{
	static const struct row bad[] = {
		{"", "1:1: the text ends where a value should stand"},
		{" \n ", "2:2: the text ends where a value should stand"},
		{"// only a comment", "1:18: the text ends where a value should stand"},
		{"[", "1:2: the text ends where a value should stand"},
		{"{", "1:2: the text ends where a key or '}' should stand"},
		{"[1", "1:3: the text ends where ',' or ']' should stand"},
		{"[1,", "1:4: the text ends where a value should stand"},
		{"{a", "1:3: the text ends where ':' should stand"},
		{"{a:", "1:4: the text ends where a value should stand"},
		{"{a:1", "1:5: the text ends where ',' or '}' should stand"},
		{"{a:1,", "1:6: the text ends where a key or '}' should stand"},
		{"]", "1:1: ']' where a value should stand"},
		{"}", "1:1: '}' where a value should stand"},
		{"[1}", "1:3: '}' where ',' or ']' should stand"},
		{"{a:1]", "1:5: ']' where ',' or '}' should stand"},
		{"[,]", "1:2: ',' where a value should stand"},
		{"[1,,2]", "1:4: ',' where a value should stand"},
		{"[1,,]", "1:4: ',' where a value should stand"},
		{"[1 2]", "1:4: '2' where ',' or ']' should stand"},
		{"[1;2]", "1:3: ';' where ',' or ']' should stand"},
		{"{,}", "1:2: ',' where a key should stand"},
		{"{a:1,,}", "1:6: ',' where a key should stand"},
		{"{a}", "1:3: '}' where ':' should stand"},
		{"{a=1}", "1:3: '=' where ':' should stand"},
		{"{a::1}", "1:4: ':' where a value should stand"},
		{"{a:1 b:2}", "1:6: 'b' where ',' or '}' should stand"},
		{"{a:1;b:2}", "1:5: ';' where ',' or '}' should stand"},
		{"{'a' 'b'}", "1:6: ''' where ':' should stand"},
		{"{null}", "1:6: '}' where ':' should stand"},
		{"{}{}", "1:3: '{' where the end of the text should stand"},
		{"{} x", "1:4: 'x' where the end of the text should stand"},
		{"[]]", "1:3: ']' where the end of the text should stand"},
		{"1,", "1:2: ',' where the end of the text should stand"},
		{"nul", "1:1: 'n' where a value should stand"},
		{"nulll", "1:1: 'n' where a value should stand"},
		{"True", "1:1: 'T' where a value should stand"},
		{"truefalse", "1:1: 't' where a value should stand"},
		{"undefined", "1:1: 'u' where a value should stand"},
		{"<html>", "1:1: '<' where a value should stand"},
		{"# comment\n1", "1:1: '#' where a value should stand"},
		{"\x1b[2J", "1:1: '\\x1b' where a value should stand"},
		{"[\x7f]", "1:2: '\\x7f' where a value should stand"},
		{"\xe2\x80\xae{}", "1:1: '\\u{202e}' where a value should stand"},
	};

	check_bad(bad, ARRAY_LEN(bad));
}

static void test_comments(void)
{
	static const struct row rows[] = {
		{"// a\n1", "1"},
		{"// a\r1", "1"},
		{"1 // a", "1"},
		{"/* a */1/* b */", "1"},
		{"/**/1", "1"},
		{"/***/1", "1"},
		{"/* // */1", "1"},
		{"// /*\n1", "1"},
		{"/* /* */1", "1"},
		{"/*\n\n*/1", "1"},
		{"/* \xe2\x80\xa8 */1", "1"},
		{"[1,/*a*/2//b\n,/*c*/]", "[1,2]"},
		{"{/*a*/b/*c*/:/*d*/1/*e*/}", "{b:1}"},
	};
	static const struct row bad[] = {
		{"/* a", "1:1: comment without an end"},
		{"/*", "1:1: comment without an end"},
		{"/*/", "1:1: comment without an end"},
		{"1 /* *", "1:3: comment without an end"},
		{"[1, /* ]", "1:5: comment without an end"},
		{"/", "1:1: '/' where a value should stand"},
		{"/ /1", "1:1: '/' where a value should stand"},
		{"1 /", "1:3: '/' where the end of the text should stand"},
		{"1 */", "1:3: '*' where the end of the text should stand"},
		{"/* */ */ 1", "1:7: '*' where a value should stand"},
		/* A line to JSON5, one comment to most editors. */
		{"// a\xe2\x80\xa8"
		 "1",
			"1:5: a line separator inside a comment is not allowed"},
		{"{}\n//\xe2\x80\xa9", "2:3: a line separator inside a comment is not allowed"},
	};

	check_good(rows, ARRAY_LEN(rows));
	check_bad(bad, ARRAY_LEN(bad));
}

static void test_duplicate_keys(void)
{
	static const struct row bad[] = {
		{"{a:1,a:2}", "1:6: duplicate key 'a'"},
		{"{\"a\":1,'a':1}", "1:8: duplicate key 'a'"},
		{"{network:'none',\n \"netw\\u006frk\":'full'}", "2:2: duplicate key 'network'"},
		{"{a:1,\\u0061:2}", "1:6: duplicate key 'a'"},
		{"{'a\\x62':1,ab:2}", "1:12: duplicate key 'ab'"},
		{"{'a\\\nb':1,ab:2}", "2:6: duplicate key 'ab'"},
		{"{'':1,'':2}", "1:7: duplicate key ''"},
		{"{a:{b:1,c:2,b:3}}", "1:13: duplicate key 'b'"},
		{"[{a:1},{a:1,a:1}]", "1:13: duplicate key 'a'"},
		{"{a:1,b:2,c:3,b:4,a:5}", "1:14: duplicate key 'b'"},
		{"{'\\u001b[2J':1,'\\u001b[2J':2}", "1:16: duplicate key '\\x1b[2J'"},
		{"{a:1,b:1,c:1,d:1,e:1,f:1,g:1,h:1,i:1,j:1,k:1,e:2,a:2}",
			"1:46: duplicate key 'e'"},
	};
	static const struct row good[] = {
		{"{a:1,b:{a:1}}", "{a:1,b:{a:1}}"},
		{"[{a:1},{a:1}]", "[{a:1},{a:1}]"},
		{"{'\xc3\xa9':1,'e\xcc\x81':2}", "{\xc3\xa9:1,e\xcc\x81:2}"},
	};

	check_bad(bad, ARRAY_LEN(bad));
	check_good(good, ARRAY_LEN(good));
}

static void test_nul(void)
{
	static const struct {
		const char *text;
		size_t len;
		const char *want;
	} rows[] = {
#define BYTES(text, want) {text, sizeof(text) - 1, want}
		BYTES("\0", "1:1: a NUL byte is not allowed"),
		BYTES("1\0", "1:2: a NUL byte is not allowed"),
		BYTES("{'a\0b':1}", "1:4: a NUL byte is not allowed"),
		BYTES("{a:'x\0y'}", "1:6: a NUL byte is not allowed"),
		BYTES("// \0", "1:4: a NUL byte is not allowed"),
		BYTES("{} \0{}", "1:4: a NUL byte is not allowed"),
		BYTES("{a\0:1}", "1:3: a NUL byte is not allowed"),
		BYTES("\xff\xfe{\0}\0", "1:1: byte 0xff is not UTF-8"),
		BYTES("{\0}\0", "1:2: a NUL byte is not allowed"),
		BYTES("\0{\0}", "1:1: a NUL byte is not allowed"),
#undef BYTES
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_refused(rows[i].text, rows[i].len, rows[i].want);
}

static void test_bytes_that_no_text_has(void)
{
	static const struct row bad[] = {
		{"\xff", "1:1: byte 0xff is not UTF-8"},
		{"'a\x80'", "1:3: byte 0x80 is not UTF-8"},
		{"{k\xc0:1}", "1:3: byte 0xc0 is not UTF-8"},
		{"{'\xe2\x82':1}", "1:3: byte 0xe2 is not UTF-8"},
		{"{a:'\xc3\xa9\xf5'}", "1:6: byte 0xf5 is not UTF-8"},
		{"//\n// \x9b", "2:4: byte 0x9b is not UTF-8"},
		{"/* \xed\xa0\x80 */1", "1:4: byte 0xed is not UTF-8"},
		{"[1, \xfe 2]", "1:5: byte 0xfe is not UTF-8"},
		{"1\xe2\x80", "1:2: byte 0xe2 is not UTF-8"},
		{"'\xc0\xaf'", "1:2: byte 0xc0 is not UTF-8"},
		{"'\xe0\x80\xaf'", "1:2: byte 0xe0 is not UTF-8"},
		{"'\xf0\x80\x80\xaf'", "1:2: byte 0xf0 is not UTF-8"},
		{"'\xf4\x90\x80\x80'", "1:2: byte 0xf4 is not UTF-8"},
		{"\xef\xbb\xbf{}",
			"1:1: a byte order mark is not allowed; save the file as plain UTF-8"},
		{"\xef\xbb\xbf",
			"1:1: a byte order mark is not allowed; save the file as plain UTF-8"},
		{" \xef\xbb\xbf{}", "1:2: '\\u{feff}' where a value should stand"},
	};

	check_bad(bad, ARRAY_LEN(bad));
}

/* Each byte above 0x7f where it does not belong, in every kind of place. */
static void test_stray_bytes_everywhere(void)
{
	static const char *const places[] = {
		"", "{", "{a", "{a:", "{a:1", "{a:1,", "{'", "{a:'x", "// ", "/* ", "{}"};

	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		for (int byte = 0x80; byte < 0x100; byte++) {
			auto_(arena_free) struct arena a = {0};
			struct err e = {0};
			struct node root;
			char text[16], want[64];
			int len = snprintf(text, sizeof text, "%s%c", places[i], byte);

			test_row("%s and 0x%02x", places[i], byte);
			snprintf(want, sizeof want, "f:1:%d: byte 0x%02x is not UTF-8", len, byte);
			check_int(parse(&a, text, (size_t)len, &root, &e), -EINVAL);
			check_str(e.text, want);
		}
}

static void test_lines_and_columns(void)
{
	static const struct row bad[] = {
		{"\n\n  x", "3:3: 'x' where a value should stand"},
		{"\r\n\r\n x", "3:2: 'x' where a value should stand"},
		{"\r\r x", "3:2: 'x' where a value should stand"},
		{"\n\r x", "3:2: 'x' where a value should stand"},
		{"\r\r\n\nx", "4:1: 'x' where a value should stand"},
		{"\tx", "1:2: 'x' where a value should stand"},
		{"'\xc3\xa9\xf0\x9f\x98\x80' x", "1:6: 'x' where the end of the text should stand"},
		/* Shown on the same line, so counted on the same line. */
		{"\xe2\x80\xa8\xe2\x80\xa9x", "1:3: 'x' where a value should stand"},
		{"'a\\\nb' x", "2:4: 'x' where the end of the text should stand"},
		{"/*\r\n\r*/ x", "3:4: 'x' where a value should stand"},
		{"{a:1,\n b:2,\r\n c x}", "3:4: 'x' where ':' should stand"},
	};

	check_bad(bad, ARRAY_LEN(bad));
}

static void check_place(const struct node *n, enum node_type type, uint32_t line, uint32_t column)
{
	if (!check(n))
		return;
	check_int(n->type, type);
	check_int(n->line, line);
	check_int(n->column, column);
}

static void test_every_value_has_its_place(void)
{
	static const char text[] = "// one\n"
				   "{\n"
				   "  a: 1,\r\n"
				   "  'b': [true, null,\n"
				   "    'x'], /* \xc3\xa9 */ c:\n"
				   "  { d : 'y' }\r"
				   "}";
	auto_(arena_free) struct arena a = {0};
	struct err e = {0};
	struct node root;
	const struct node *list;

	if (!check_int(parse(&a, text, strlen(text), &root, &e), 0))
		return;
	check_place(&root, NODE_OBJECT, 2, 1);
	check_int(root.count, 3);
	check_place(tree_get(&root, "a"), NODE_NUMBER, 3, 6);
	list = tree_get(&root, "b");
	check_place(list, NODE_ARRAY, 4, 8);
	check_place(&list->items[0], NODE_BOOL, 4, 9);
	check_place(&list->items[1], NODE_NULL, 4, 15);
	check_place(&list->items[2], NODE_TEXT, 5, 5);
	check_place(tree_get(&root, "c"), NODE_OBJECT, 6, 3);
	check_place(tree_path(&root, "c.d"), NODE_TEXT, 6, 9);
	check_int(root.members[1].line, 4);
	check_int(root.members[1].column, 3);
	check_int(root.members[2].line, 5);
	check_int(root.members[2].column, 19);
}

/* No beginning of a document is a document, and none is read past its end. */
static void test_truncated_at_every_byte(void)
{
	static const char text[] =
		"{ // c\n"
		"  agents: {'defaults': {\"sandbox\": {mode: 'all', \\u0061: [1, -2.5e+3, 0x1F,\n"
		"    .5, Infinity, NaN, true, false, null, {}, [],], /* d */\n"
		"    t: 'x\\n\\x41\\ud83d\\ude00\\\n\xe2\x82\xac\xf0\x9f\x98\x80', 'k\\u00e9': "
		"{}}}},\n"
		"}";
	auto_(arena_free) struct arena a = {0};
	struct err e = {0};
	struct node root;

	if (!check_int(parse(&a, text, sizeof text - 1, &root, &e), 0))
		printf("# %s\n", e.text);
	for (size_t len = 0; len < sizeof text - 1; len++) {
		test_row("%zu bytes", len);
		memset(&e, 0, sizeof e);
		check_int(parse(&a, text, len, &root, &e), -EINVAL);
		check(utf8_valid(e.text, strlen(e.text)));
	}
}

/* Any byte in place of any other: never a crash, and errors are always fit to be shown. */
static void test_any_byte_anywhere(void)
{
	static const char text[] = "{a:[1,-2.5e3,'x\\u00e9\\ud83d\\ude00'],/*c*/'b':{c:null}}//d";

	for (size_t at = 0; at < sizeof text - 1; at++)
		for (int byte = 0; byte < 256; byte++) {
			auto_(arena_free) struct arena a = {0};
			char changed[sizeof text];
			struct err e = {0};
			struct node root;

			test_row("0x%02x at %zu", byte, at);
			memcpy(changed, text, sizeof text);
			changed[at] = (char)byte;
			if (parse(&a, changed, sizeof text - 1, &root, &e) == 0)
				continue;
			check(strncmp(e.text, "f:", 2) == 0);
			for (size_t i = 0, step; i < strlen(e.text); i += step ? step : 1) {
				uint32_t c = 0;

				step = utf8_decode(e.text + i, strlen(e.text) - i, &c);
				check(step > 0 && !utf8_is_deceptive(c));
			}
		}
}

static void test_size_limit(void)
{
	auto_free char *text = malloc(TREE_MAX_BYTES + 1);
	auto_(arena_free) struct arena a = {0};
	struct err e = {0};
	struct node root;

	memset(text, ' ', TREE_MAX_BYTES + 1);
	text[0] = '1';
	check_int(json5_parse(&a, "f", text, TREE_MAX_BYTES, &root, &e), 0);
	check_int(json5_parse(&a, "f", text, TREE_MAX_BYTES + 1, &root, &e), -EFBIG);
	check_str(e.text, "f:1:1: larger than 4 MiB");
	/* One string as large as all of it. */
	memset(text, 'x', TREE_MAX_BYTES);
	text[0] = text[TREE_MAX_BYTES - 1] = '"';
	check_int(json5_parse(&a, "f", text, TREE_MAX_BYTES, &root, &e), 0);
	check_u64(strlen(root.text), TREE_MAX_BYTES - 2);
	text[1] = '\\';
	check_int(json5_parse(&a, "f", text, TREE_MAX_BYTES, &root, &e), -EINVAL);
	text[2] = 'n';
	check_int(json5_parse(&a, "f", text, TREE_MAX_BYTES, &root, &e), 0);
	check_u64(strlen(root.text), TREE_MAX_BYTES - 3);
}

static char *repeat(char *out, const char *text, int times)
{
	size_t len = strlen(text);

	for (int i = 0; i < times; i++, out += len)
		memcpy(out, text, len);
	return out;
}

/* open is repeated, then comes core, then close as often; returns the length. */
static size_t nest(char *out, const char *open, const char *core, const char *close, int depth)
{
	char *p = repeat(repeat(repeat(out, open, depth), core, 1), close, depth);

	return (size_t)(p - out);
}

static void test_depth_limit(void)
{
	static const struct {
		const char *open, *core, *close;
		int levels; /* of one repetition */
	} rows[] = {
		{"[", "1", "]", 1},
		{"{a:", "1", "}", 1},
		{"[{a:", "1", "}]", 2},
		{" [ ", "", " ] ", 1},
		{"[/**/", "'x'", ",]", 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		int depth = TREE_MAX_DEPTH / rows[i].levels;
		char text[1024];
		struct err e = {0};
		struct node root;
		size_t len;

		test_row("%s", rows[i].open);
		len = nest(text, rows[i].open, rows[i].core, rows[i].close, depth);
		check_int(parse(&a, text, len, &root, &e), 0);
		len = nest(text, rows[i].open, rows[i].core, rows[i].close, depth + 1);
		check_int(parse(&a, text, len, &root, &e), -EINVAL);
		check_has(e.text, "nested more than 64 deep");
	}
}

/* Width is not depth: levels that were left do not count. */
static void test_depth_counts_open_levels_only(void)
{
	auto_(buf_free) struct buf text = BUF(8192);
	auto_(arena_free) struct arena a = {0};
	struct err e = {0};
	struct node root;

	buf_putc(&text, '[');
	for (int i = 0; i < 500; i++)
		buf_puts(&text, i % 2 ? "[[]]," : "{a:{}},");
	buf_putc(&text, ']');
	check_int(parse(&a, buf_text(&text), text.len, &root, &e), 0);
	check_int(root.count, 500);
}

#define DEEP 100000

static void *parse_deep(void *failed)
{
	static const char *const opens[] = {"[", "{\"a\":", "[{\"a\":", "[[],{},"};

	for (size_t i = 0; i < ARRAY_LEN(opens); i++) {
		auto_free char *text = malloc(8 * DEEP);
		auto_(arena_free) struct arena a = {0};
		size_t len = nest(text, opens[i], "", "", DEEP);
		struct err e = {0};
		struct node root;

		if (json5_parse(&a, "f", text, len, &root, &e) != -EINVAL ||
			!strstr(e.text, "nested more than 64 deep"))
			*(bool *)failed = true;
	}
	return NULL;
}

static void test_deep_nesting_with_a_small_stack(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	bool failed = false;

	pthread_attr_init(&attr);
	check_int(pthread_attr_setstacksize(&attr, 256 << 10), 0);
	if (check_int(pthread_create(&thread, &attr, parse_deep, &failed), 0))
		pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	check(!failed);
}

static void test_many_digits(void)
{
	static const char *const forms[] = {"%s", "-%s", "0.%s", "1e%s", "0x%s", "[%s]"};
	auto_free char *digits = malloc(100001);

	memset(digits, '7', 100000);
	digits[100000] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		auto_(buf_free) struct buf text = BUF(1 << 20);
		auto_(arena_free) struct arena a = {0};
		const char *percent = strchr(forms[i], '%');
		struct err e = {0};
		struct node root;

		test_row("%s", forms[i]);
		buf_add(&text, forms[i], (size_t)(percent - forms[i]));
		buf_puts(&text, digits);
		buf_puts(&text, percent + 2);
		if (!check_int(parse(&a, buf_text(&text), text.len, &root, &e), 0))
			continue;
		if (root.type == NODE_ARRAY)
			root = root.items[0];
		check_int(root.type, NODE_NUMBER);
		check(strlen(root.text) >= 100000);
	}
}

#define MANY_KEYS 300000

static void test_many_keys(void)
{
	auto_free char *text = malloc(TREE_MAX_BYTES);
	auto_(arena_free) struct arena a = {0};
	struct err e = {0};
	struct node root;
	size_t len = 1;

	text[0] = '{';
	for (int i = 0; i < MANY_KEYS; i++)
		len += (size_t)snprintf(text + len, 16, "k%x:1,", i);
	text[len] = '}';
	if (check_int(parse(&a, text, len + 1, &root, &e), 0)) {
		check_int(root.count, MANY_KEYS);
		check_str(root.members[MANY_KEYS - 1].key, "k493df");
	}
	/* The first one again. */
	len += (size_t)snprintf(text + len, 16, "k0:1}");
	check_int(parse(&a, text, len, &root, &e), -EINVAL);
	check_has(e.text, ": duplicate key 'k0'");
}

static void test_many_values(void)
{
	auto_free char *text = malloc(TREE_MAX_BYTES);
	auto_(arena_free) struct arena a = {0};
	size_t len = nest(text, "1,", "", "", 1000000);
	struct err e = {0};
	struct node root;

	memmove(text + 1, text, len);
	text[0] = '[';
	text[len + 1] = ']';
	check_int(parse(&a, text, len + 2, &root, &e), 0);
	check_int(root.count, 1000000);
}

static void test_names_of_files_are_escaped(void)
{
	static const struct {
		const char *name, *text, *want;
	} rows[] = {
		{"a\x1b]52;c;eA==\a", "x",
			"a\\x1b]52;c;eA==\\x07:1:1: 'x' where a value should stand"},
		{"a\nb", "{a:1,a:2}", "a\\nb:1:6: duplicate key 'a'"},
		{"\xff\xe2\x80\xae", "'", "\\xff\\u{202e}:1:1: string without an end"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		struct err e = {0};
		struct node root;

		check_int(json5_parse(
				  &a, rows[i].name, rows[i].text, strlen(rows[i].text), &root, &e),
			-EINVAL);
		check_str(e.text, rows[i].want);
	}
}

/* A long name leaves room for the reason. */
static void test_long_names_leave_room(void)
{
	auto_(arena_free) struct arena a = {0};
	char name[4096];
	struct err e = {0};
	struct node root;

	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	check_int(json5_parse(&a, name, "[1", 2, &root, &e), -EINVAL);
	check_has(e.text, "n:1:3: the text ends where ',' or ']' should stand");
}

static void test_long_keys_are_cut(void)
{
	auto_(buf_free) struct buf text = BUF(4096);
	auto_(arena_free) struct arena a = {0};
	struct err e = {0};
	struct node root;

	for (int i = 0; i < 2; i++) {
		buf_puts(&text, i ? ",'" : "{'");
		for (int k = 0; k < 300; k++)
			buf_puts(&text, "\xe2\x82\xac");
		buf_puts(&text, "':1");
	}
	buf_putc(&text, '}');
	check_int(parse(&a, buf_text(&text), text.len, &root, &e), -EINVAL);
	check(utf8_valid(e.text, strlen(e.text)));
	check_has(e.text, "\xe2\x82\xac...'");
}

static void test_an_error_may_be_dropped(void)
{
	auto_(arena_free) struct arena a = {0};
	struct node root;

	check_int(json5_parse(&a, "f", "[", 1, &root, NULL), -EINVAL);
	check_int(json5_parse(&a, "f", "{a:1,a:1}", 9, &root, NULL), -EINVAL);
}

static const struct test tests[] = {
	{"values", test_values},
	{"keys without quotes", test_keys_without_quotes},
	{"strings", test_strings},
	{"numbers", test_numbers},
	{"structure", test_structure},
	{"comments", test_comments},
	{"duplicate keys, also by escapes", test_duplicate_keys},
	{"NUL", test_nul},
	{"bad UTF-8 and a byte order mark", test_bytes_that_no_text_has},
	{"stray bytes everywhere", test_stray_bytes_everywhere},
	{"lines and columns", test_lines_and_columns},
	{"every value has its place", test_every_value_has_its_place},
	{"truncated at every byte", test_truncated_at_every_byte},
	{"any byte anywhere", test_any_byte_anywhere},
	{"4 MiB and one byte more", test_size_limit},
	{"64 levels and one more", test_depth_limit},
	{"depth counts open levels only", test_depth_counts_open_levels_only},
	{"deep nesting with a small stack", test_deep_nesting_with_a_small_stack},
	{"many digits", test_many_digits},
	{"many keys", test_many_keys},
	{"many values", test_many_values},
	{"names of files are escaped", test_names_of_files_are_escaped},
	{"long names leave room for the reason", test_long_names_leave_room},
	{"long keys are cut between characters", test_long_keys_are_cut},
	{"an error may be dropped", test_an_error_may_be_dropped},
};

TEST_MAIN(tests)
