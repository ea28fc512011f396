/* SPDX-License-Identifier: Apache-2.0 */
#include "model/shell.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/macro.h"
#include "test.h"

#include <errno.h>

/* Words with | between them. */
static void join(struct buf *out, const struct words *w)
{
	for (size_t i = 0; i < w->count; i++) {
		buf_puts(out, i ? "|" : "");
		buf_puts(out, w->v[i]);
	}
}

static void test_accepted(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"a", "a"},
		{"  a  b ", "a|b"},
		{"a ''", "a|"},
		{"a '' b", "a||b"},
		{"a \"\"''", "a|"},
		{"a 'b c' \"d e\"", "a|b c|d e"},
		{"a b'c'\"d\"\\e", "a|bcde"},
		{"a 'x\"y' \"x'y\"", "a|x\"y|x'y"},
		{"a \\' \\\" \\\\ \\  \\$ \\`", "a|'|\"|\\| |$|`"},
		{"a \\; \\& \\< \\> \\( \\) \\* \\? \\[ \\{ \\} \\! \\# \\~ \\= \\^",
			"a|;|&|<|>|(|)|*|?|[|{|}|!|#|~|=|^"},
		{"a ';&<>()$`*?[{}!#~=^\\'", "a|;&<>()$`*?[{}!#~=^\\"},
		{"a \";&<>()*?[{}#~=^\"", "a|;&<>()*?[{}#~=^"},
		{"a \"\\$ \\` \\\" \\\\\"", "a|$ ` \" \\"},
		{"a \"\\a \\' \\n \\ \"", "a|\\a \\' \\n \\ "},
		{"a b#c b~c b=c b^c a]b %1 a,b a@b +x", "a|b#c|b~c|b=c|b^c|a]b|%1|a,b|a@b|+x"},
		{"a --b=c -d e:f", "a|--b=c|-d|e:f"},
		{"a h\xc3\xa9llo \\\xc3\xa9 '\xe2\x82\xac' \"\xf0\x9f\x98\x80\"",
			"a|h\xc3\xa9llo|\xc3\xa9|\xe2\x82\xac|\xf0\x9f\x98\x80"},
		{"a if then fi do done", "a|if|then|fi|do|done"},
		{"'if' x", "if|x"},
		{"i\\f x", "if|x"},
		{"./a ../b /c", "./a|../b|/c"},
		{"a A=b", "a|A=b"},
		{"ab\\=c", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		auto_(buf_free) struct buf got = BUF(4096);
		struct words w = {0};
		struct err e = {0};
		int r = shell_words(&a, rows[i].text, &w, &e);

		test_row("%s", rows[i].text);
		check_int(r, rows[i].words ? 0 : -EINVAL);
		if (r < 0 || !rows[i].words)
			continue;
		join(&got, &w);
		check_str(buf_text(&got), rows[i].words);
		check(w.v[w.count] == NULL);
		check_int(e.code, 0);
		check_int(shell_check_argv(w.v, 1, NULL), 0);
	}
}

static void test_refused(void)
{
	static const struct {
		const char *text, *reason;
	} rows[] = {
		{"", "no command"},
		{"  ", "no command"},
		{"git push $(id)", "command substitution '$(' at column 10"},
		{"a $((1))", "arithmetic expansion '$((' at column 3"},
		{"a ${b}", "parameter expansion '${' at column 3"},
		{"a $b", "parameter expansion '$' at column 3"},
		{"a b$", "parameter expansion '$' at column 4"},
		{"a $'b'", "quoting with escapes '$'' at column 3"},
		{"a $\"b\"", "quoting with translation '$\"' at column 3"},
		{"a `b`", "command substitution '`' at column 3"},
		{"a \"x $(b)\"", "command substitution '$(' at column 6"},
		{"a \"$b\"", "parameter expansion '$' at column 4"},
		{"a \"`b`\"", "command substitution '`' at column 4"},
		{"a \"b!\"", "history '!' at column 5"},
		{"a \"\\!\"", "history '!' at column 5"},
		{"a \"\\\\$b\"", "parameter expansion '$' at column 6"},
		{"a <(b)", "process substitution '<(' at column 3"},
		{"a | b", "pipe '|' at column 3"},
		{"a || b", "command list '||' at column 3"},
		{"a|b", "pipe '|' at column 2"},
		{"a |& b", "pipe '|&' at column 3"},
		{"a && b", "command list '&&' at column 3"},
		{"a & b", "background command '&' at column 3"},
		{"a; b", "command list ';' at column 2"},
		{"a > b", "redirection '>' at column 3"},
		{"a 2>b", "redirection '>' at column 4"},
		{"a >> b", "redirection '>>' at column 3"},
		{"a < b", "redirection '<' at column 3"},
		{"a << b", "here-document '<<' at column 3"},
		{"a <<< b", "here-string '<<<' at column 3"},
		{"(a)", "subshell '(' at column 1"},
		{"a)", "subshell ')' at column 2"},
		{"{ a", "brace '{' at column 1"},
		{"a b}", "brace '}' at column 4"},
		{"! a", "history or negation '!' at column 1"},
		{"a *", "file name pattern '*' at column 3"},
		{"a b?", "file name pattern '?' at column 4"},
		{"a [b", "file name pattern '[' at column 3"},
		{"a #b", "comment '#' at column 3"},
		{"# a", "comment '#' at column 1"},
		{"a ''#b", "comment '#' at column 5"},
		{"a ~", "home directory '~' at column 3"},
		{"a b=~", "home directory '~' at column 5"},
		{"a b:~c", "home directory '~' at column 5"},
		{"a 'b='~", "home directory '~' at column 7"},
		{"a =b", "program lookup '=' at column 3"},
		{"^a", "history '^' at column 1"},
		{"if a", "reserved word 'if' at column 1"},
		{"  while", "reserved word 'while' at column 3"},
		{"time a", "reserved word 'time' at column 1"},
		{"A=b c", "assignment in front of the command at column 1"},
		{"A=b", "assignment in front of the command"},
		{"A+=b c", "assignment in front of the command"},
		{"'A'=b c", "assignment in front of the command"},
		{"'' a", "empty program name at column 1"},
		{"a 'b", "open quote ''' at column 3"},
		{"a \"b", "open quote '\"' at column 3"},
		{"a \"b\\\"", "open quote '\"' at column 3"},
		{"a b\\", "backslash with nothing behind it '\\' at column 4"},
		{"a\nb", "newline at column 2"},
		{"a 'b\nc'", "newline at column 5"},
		{"a \\\nb", "newline at column 4"},
		{"a\tb", "control character \\x09 at column 2"},
		{"a\rb", "control character \\x0d at column 2"},
		{"a '\x1b'", "control character \\x1b at column 4"},
		{"a \x7f", "control character \\x7f at column 3"},
		{"a \xff", "byte \\xff that is not UTF-8 at column 3"},
		{"a \xc3", "byte \\xc3 that is not UTF-8 at column 3"},
		{"a '\xe2\x80\xae'", "character \\u{202e}, which a reader cannot see at column 4"},
		{"a \xc2\xa0", "character \\u{00a0}, which a reader cannot see at column 3"},
		{"h\xc3\xa9 \xe2\x82\xac $x", "parameter expansion '$' at column 6"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		struct words w = {.count = 77};
		struct err e = {0};

		test_row("%s", rows[i].text);
		check_int(shell_words(&a, rows[i].text, &w, &e), -EINVAL);
		check_has(e.text, rows[i].reason);
		check_int(w.count, 77);
		check_int(shell_words(&a, rows[i].text, &w, NULL), -EINVAL);
	}
}

/* Every byte that is not a letter, digit or known to be harmless is refused when it stands
 * unquoted. */
static void test_every_byte(void)
{
	static const char harmless[] = "%+,-./:@]_^=~#"; /* the last ones inside a word only */

	for (int c = 1; c < 256; c++) {
		auto_(arena_free) struct arena a = {0};
		char text[] = {'a', ' ', 'b', (char)c, 'b', '\0'};
		bool alnum =
			(c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		struct words w = {0};

		test_row("byte \\x%02x", (unsigned)c);
		/* A blank and a backslash change the words, which other tests look at. */
		if (c == ' ' || c == '\\')
			continue;
		check_int(shell_words(&a, text, &w, NULL),
			alnum || strchr(harmless, c) ? 0 : -EINVAL);
	}
}

static void test_limits(void)
{
	auto_(arena_free) struct arena a = {0};
	auto_(buf_free) struct buf many = BUF(1 << 20), large = BUF(1 << 20);
	struct words w = {0};
	struct err e = {0};

	for (size_t i = 0; i < SHELL_MAX_WORDS; i++)
		buf_puts(&many, "a ");
	check_int(shell_words(&a, buf_text(&many), &w, NULL), 0);
	check_int(w.count, SHELL_MAX_WORDS);
	check_int(shell_check_argv(w.v, w.count, NULL), 0);
	buf_puts(&many, "a");
	check_int(shell_words(&a, buf_text(&many), &w, &e), -EINVAL);
	check_has(e.text, "more than 4096 words");

	for (size_t i = 0; i < SHELL_MAX_TEXT; i++)
		buf_putc(&large, 'a');
	check_int(shell_words(&a, buf_text(&large), &w, NULL), 0);
	check_int(shell_check_argv(w.v, w.count, NULL), 0);
	buf_putc(&large, 'a');
	check_int(shell_words(&a, buf_text(&large), &w, &e), -EINVAL);
	check_has(e.text, "more than 128 KiB");
	check_int(shell_check_argv((char *const[]){large.data}, 1, &e), -EINVAL);
	check_has(e.text, "more than 128 KiB");
}

static void test_check_argv(void)
{
	static const struct {
		const char *argv[5];
		const char *reason; /* NULL: good */
	} rows[] = {
		{{"a"}, NULL},
		{{"a", "b c", "", "$(id)"}, NULL},
		{{"a", "{}", "a;b", "-"}, NULL},
		{{"if", "x"}, NULL},
		{{"a", ";"}, "word 2 is the shell operator ';'"},
		{{"a", "b", "&&", "c"}, "word 3 is the shell operator '&&'"},
		{{"a", "|"}, "shell operator"},
		{{"a", "||"}, "shell operator"},
		{{"a", "|&"}, "shell operator"},
		{{"a", ">"}, "shell operator"},
		{{"a", ">>"}, "shell operator"},
		{{"a", "<"}, "shell operator"},
		{{"a", "<<"}, "shell operator"},
		{{"a", "<<<"}, "shell operator"},
		{{"a", "<>"}, "shell operator"},
		{{"a", ">&"}, "shell operator"},
		{{"a", "<&"}, "shell operator"},
		{{"a", ">|"}, "shell operator"},
		{{"a", "&"}, "shell operator"},
		{{"a", "("}, "shell operator"},
		{{"a", ")"}, "shell operator"},
		{{"{", "a"}, "shell operator"},
		{{"a", "}"}, "shell operator"},
		{{"!", "a"}, "shell operator"},
		{{"a", "b\nc"}, "newline in word 2"},
		{{"a", "b\tc"}, "control character \\x09 in word 2"},
		{{"a\x1b"}, "control character \\x1b in word 1"},
		{{"a", "\xff"}, "not UTF-8 in word 2"},
		{{"a", "\xe2\x80\x8b"}, "cannot see in word 2"},
		{{""}, "no program name"},
		{{"", "a"}, "no program name"},
		{{"A=b", "c"}, "assignment"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};
		char *const *argv = (char *const *)rows[i].argv;
		size_t count = 0;

		while (count < 5 && argv[count])
			count++;
		test_row("row %zu", i);
		check_int(shell_check_argv(argv, count, &e), rows[i].reason ? -EINVAL : 0);
		if (rows[i].reason)
			check_has(e.text, rows[i].reason);
	}
	check_int(shell_check_argv((char *const *)rows[0].argv, 0, NULL), -EINVAL);
	check_int(shell_check_argv((char *const *)rows[0].argv, 2, NULL), -EINVAL);
}

static void test_pattern(void)
{
	auto_(arena_free) struct arena a = {0};
	struct words w = {0};

	check_int(shell_pattern(&a, "a b*c? '*' \"?\" \\*", &w, NULL), 0);
	check_int(w.count, 5);
	check_str(w.v[1], "b\1c\2");
	check_str(w.v[2], "*");
	check_str(w.v[3], "?");
	check_str(w.v[4], "*");
	check_int(shell_pattern(&a, "a [b]", &w, NULL), -EINVAL);
	check_int(shell_pattern(&a, "a $b", &w, NULL), -EINVAL);
	check_int(shell_pattern(&a, "a \x01", &w, NULL), -EINVAL);
}

static const struct test tests[] = {
	{"words of simple commands", test_accepted},
	{"what is no simple command", test_refused},
	{"every byte on its own", test_every_byte},
	{"limits", test_limits},
	{"commands as words", test_check_argv},
	{"patterns", test_pattern},
};

TEST_MAIN(tests)
