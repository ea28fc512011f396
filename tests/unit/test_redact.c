/* SPDX-License-Identifier: Apache-2.0 */
#include "model/redact.h"

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/macro.h"
#include "test.h"

/* The tokens are made up, and put together here so that no scanner takes them for real ones. */
#define TAIL "0123456789abcdefABCDEF0123456789abcdef"

static const struct {
	const char *text, *want;
} rows[] = {
	{"plain text", "plain text"},
	{"ghp_" TAIL, "[redacted:github]"},
	{"push to https://ghp_" TAIL "@github.com/a/b",
		"push to https://[redacted:github]@github.com/a/b"},
	{"x"
	 "ghp_" TAIL,
		"x[redacted:github]"},
	{"github_pat_" TAIL " after", "[redacted:github] after"},
	{"--my-token-ghp_" TAIL " hunter2hunter2", "--my-token-[redacted:github] [redacted:named]"},
	{"glpat-" TAIL, "[redacted:gitlab]"},
	{"'sk-ant-api03-" TAIL "'", "'[redacted:anthropic]'"},
	{"sk-" TAIL, "[redacted:api-key]"},
	{"sk-proj-" TAIL, "[redacted:api-key]"},
	{"task-0123456789abcdefgh", "task-0123456789abcdefgh"},
	{"sk-short", "sk-short"},
	{"xoxb-" TAIL, "[redacted:slack]"},
	{"xoxp-" TAIL "!", "[redacted:slack]!"},
	{"AKIA0123456789ABCDEF", "[redacted:aws]"},
	{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl.", "[redacted:jwt]"},
	{"eyJhbGciOiJIUzI1NiJ9.x", "eyJhbGciOiJIUzI1NiJ9.x"},
	{"a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb",
		"a\n[redacted:private-key]\nb"},
	{"-----BEGIN OPENSSH PRIVATE KEY-----\ncut off", "[redacted:private-key]"},
	{"-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
		"-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----"},
	{"https://me:p@ss@host/x", "https://[redacted:user]@host/x"},
	{"https://tok@host/x", "https://[redacted:user]@host/x"},
	{"ssh://git@host/x", "ssh://git@host/x"},
	{"https://host/a@b", "https://host/a@b"},
	{"curl -H 'Authorization: Bearer abc.def' https://x",
		"curl -H 'Authorization: [redacted:header]' https://x"},
	{"authorization: Basic dXNlcjpwYXNz", "authorization: [redacted:header]"},
	{"Cookie: a=b; c=d\nAccept: x", "Cookie: [redacted:header]\nAccept: x"},
	{"Set-Cookie: id=1", "Set-Cookie: [redacted:header]"},
	{"{\"Authorization\": \"Bearer abc\"}", "{\"Authorization\": \"[redacted:named]\"}"},
	{"https://h/?token=abc&x=1", "https://h/?token=[redacted:named]&x=1"},
	{"https://h/?x=1&key=abc#f", "https://h/?x=1&key=[redacted:named]"},
	{"key=abc", "key=abc"},
	{"GITHUB_TOKEN=abc make", "GITHUB_TOKEN=[redacted:named] make"},
	{"export DB_PASSWORD=\"two words\"; x", "export DB_PASSWORD=\"[redacted:named]\"; x"},
	{"API_KEY='a b' x", "API_KEY='[redacted:named]' x"},
	{"my_api_key: abc", "my_api_key: [redacted:named]"},
	{"aws_secret_access_key = abc", "aws_secret_access_key = [redacted:named]"},
	{"PASSWORD=\"a\\\"b\" c", "PASSWORD=\"[redacted:named]\" c"},
	{"\"{\\\"password\\\": \\\"abc\\\"}\"", "\"{\\\"password\\\": \\\"[redacted:named]\\\"}\""},
	{"x --token abc y", "x --token [redacted:named] y"},
	{"x --api-key=abc y", "x --api-key=[redacted:named] y"},
	{"curl -u me:secret https://x", "curl -u [redacted:named] https://x"},
	{"docker run -u 1000:1000 x", "docker run -u 1000:1000 x"},
	{"sort -u file", "sort -u file"},
	{"--max-tokens 4096", "--max-tokens 4096"},
	{"--password-file /run/x", "--password-file /run/x"},
	{"PWD=/home/me", "PWD=/home/me"},
	{"MYSQL_PWD=abc", "MYSQL_PWD=[redacted:named]"},
	{"author=me", "author=me"},
	{"TOKEN= make", "TOKEN= make"},
	{"Set-Cookie: a=b; c=d", "Set-Cookie: [redacted:header]"},
	{"tokenizer=abc", "tokenizer=abc"},
	{"--token --verbose", "--token --verbose"},
	{"", ""},
};

static void check_text(const char *text, const char *want)
{
	auto_(buf_free) struct buf out = BUF(SIZE_MAX);

	test_row("%s", text);
	redact_text(NULL, text, strlen(text), &out);
	check_str(buf_text(&out), want);
}

static void forms(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_text(rows[i].text, rows[i].want);
}

/* At each of the places that a letter can have in base64, and behind a path. */
static void encoded(void)
{
	for (int i = 0; i < 4; i++) {
		auto_(buf_free) struct buf text = BUF(SIZE_MAX), out = BUF(SIZE_MAX);

		buf_puts(&text, &"xyz"[i]);
		buf_puts(&text, " ghp_" TAIL);
		buf_puts(&out, i % 2 ? "/tmp/" : "");
		base64_encode(&out, text.data, text.len);
		check_text(buf_text(&out), "[redacted:base64]");
	}
}

static void encoded_long(void)
{
	auto_(buf_free) struct buf text = BUF(SIZE_MAX), out = BUF(SIZE_MAX), got = BUF(SIZE_MAX);

	for (int i = 0; i < 3000; i++)
		buf_puts(&text, "some text. ");
	buf_puts(&text, "ghp_" TAIL);
	base64_encode(&out, text.data, text.len);
	redact_text(NULL, out.data, out.len, &got);
	check(!strstr(buf_text(&got), "Z2hw"));
	check_has(buf_text(&got), "[redacted:base64]");
}

static const struct {
	const char *before, *word, *want;
} words[] = {
	{"--token", "abc", "[redacted:named]"},
	{"--token", "-v", "-v"},
	{"-u", "me:pass", "[redacted:named]"},
	{"-u", "1:2", "1:2"},
	{"--header", "X-Api-Key: abc", "X-Api-Key: [redacted:header]"},
	{"token", "abc", "abc"},
	{NULL, "abc", "abc"},
	{"--token=a", "abc", "abc"},
};

static void of_commands(void)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		auto_(buf_free) struct buf out = BUF(SIZE_MAX);

		test_row("%s", words[i].word);
		redact_word(NULL, words[i].before, words[i].word, strlen(words[i].word), &out);
		check_str(buf_text(&out), words[i].want);
	}
}

static void own_patterns(void)
{
	static const struct item items[] = {{.text = "corp-*"}, {.text = "1*-*-6789"}};
	struct redact r = {items, ARRAY_LEN(items)};
	auto_(buf_free) struct buf out = BUF(SIZE_MAX);
	const char *text = "a corp-123 b x=corp-4 '123-45-6789' xcorp-1";

	redact_text(&r, text, strlen(text), &out);
	check_str(buf_text(&out),
		"a [redacted:pattern] b x=[redacted:pattern] '[redacted:pattern]' xcorp-1");
}

/* What does not fit is not looked at, and a secret at the edge does not show its beginning. */
static void full(void)
{
	static char text[100000];

	memset(text, 'a', sizeof text);
	for (size_t room = 1; room < 40; room++) {
		auto_(buf_free) struct buf out = BUF(room);
		auto_(buf_free) struct buf small = BUF(room);

		redact_text(NULL, text, sizeof text, &out);
		check_u64(out.len, room);
		redact_text(NULL, "word ghp_" TAIL, strlen("word ghp_" TAIL), &small);
		check(!strstr(buf_text(&small), "ghp"));
	}
}

/* Texts that would take long if anything were looked at twice. */
static void linear(void)
{
	static const char *const parts[] = {"eyJ", "ghp_", "token=", "://a@", "-----BEGIN ",
		"cookie:", "-u \"", "sk-", "a.b-", "'", "AAAA/"};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		auto_(buf_free) struct buf text = BUF(SIZE_MAX), out = BUF(SIZE_MAX);

		while (text.len < (1u << 18))
			buf_puts(&text, parts[i]);
		redact_text(NULL, text.data, text.len, &out);
		check(out.len > 0);
	}
}

static void names(void)
{
	static const char *const yes[] = {"GITHUB_TOKEN", "password", "--api-key", "client.secret",
		"AWS_SECRET_ACCESS_KEY", "private_key", "PGPASSWORD", "pass", "x-auth-token"};
	static const char *const no[] = {
		"PWD", "author", "key", "max_tokens", "PASSWORD_FILE", "path", "", "-", "HOME"};

	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		test_check(
			redact_is_secret(yes[i], strlen(yes[i])), __FILE__, __LINE__, "%s", yes[i]);
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		test_check(
			!redact_is_secret(no[i], strlen(no[i])), __FILE__, __LINE__, "%s", no[i]);
}

static const struct test tests[] = {
	{"secrets of known forms are left out", forms},
	{"also as base64", encoded},
	{"also in much of it", encoded_long},
	{"a word that follows the name of a secret", of_commands},
	{"the operator's own patterns", own_patterns},
	{"a buffer that is full", full},
	{"no text takes long", linear},
	{"names of secrets", names},
};

TEST_MAIN(tests)
