/* SPDX-License-Identifier: Apache-2.0 */

/* A request as people see it, and as programs do. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"
#include "base/str.h"
#include "door/approval_parts.h"
#include "door/host.h"
#include "json/write.h"
#include "model/redact.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD 2500 /* of a command that is too long to be shown whole */
#define TAIL 1500
#define STEERING 300 /* bytes of a variable */

static void hash_text(const char *text, char ret[2 * SHA256_SIZE + 1])
{
	uint8_t digest[SHA256_SIZE];

	sha256_of(text, strlen(text), digest);
	sha256_hex(digest, ret);
}

static void hash_words(const char *const *argv, char ret[2 * SHA256_SIZE + 1])
{
	uint8_t digest[SHA256_SIZE];
	struct sha256 s;

	sha256_init(&s);
	for (size_t i = 0; argv[i]; i++)
		sha256_add(&s, argv[i], strlen(argv[i]) + 1);
	sha256_end(&s, digest);
	sha256_hex(digest, ret);
}

bool approval_text_command(const char *const *argv, struct buf *out)
{
	auto_(buf_free) struct buf whole = BUF(64u << 20);
	char hash[2 * SHA256_SIZE + 1];
	size_t tail;

	for (size_t i = 0; argv[i]; i++) {
		if (i)
			buf_putc(&whole, ' ');
		escape_word(&whole, argv[i]);
	}
	if (whole.len <= APPROVAL_COMMAND) {
		buf_add(out, buf_text(&whole), whole.len);
		return true;
	}
	hash_words(argv, hash);
	/* What is printable stands in it, so that it can be cut anywhere between characters. */
	tail = whole.len - TAIL;
	while (tail < whole.len && (whole.data[tail] & 0xc0) == 0x80)
		tail++;
	for (size_t n = HEAD; n > 0; n--)
		if ((whole.data[n] & 0xc0) != 0x80) {
			buf_add(out, whole.data, n);
			break;
		}
	buf_printf(out, "\n  [TOO LONG TO BE SHOWN WHOLE: %zu bytes, sha256 %s; the end is:]\n  ",
		whole.len, hash);
	buf_add(out, whole.data + tail, whole.len - tail);
	return false;
}

static void put_row(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, "  %-12s", name);
	escape_text(out, text);
	buf_putc(out, '\n');
}

static void put_file(struct buf *out, const char *name, const struct subject_file *f)
{
	char hash[2 * SHA256_SIZE + 1];

	if (!f->path)
		return;
	sha256_hex(f->hash, hash);
	buf_printf(out, "  %-12s", name);
	escape_text(out, f->path);
	buf_printf(out, " (sha256 %s)\n", hash);
}

static const char *folder_path(const struct approval *p, char room[4096])
{
	char link[32];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", p->q.cwd);
	n = readlink(p->q.cwd < 0 ? "/proc/self/cwd" : link, room, 4095);
	room[n < 0 ? 0 : n] = '\0';
	return room;
}

/* What makes a command another one: the value too, but for what looks like a secret. */
static void put_steering(struct buf *out, const char *const *env)
{
	static const struct redact nothing_more = {.count = 0};

	for (size_t i = 0; env[i] && out->len < APPROVAL_SHOWN / 2; i++) {
		auto_(buf_free) struct buf value = BUF(STEERING);

		if (!host_env_steers(env[i]))
			continue;
		redact_text(&nothing_more, env[i], strlen(env[i]), &value);
		buf_puts(out, "    | ");
		escape_bytes(out, buf_text(&value), value.len);
		buf_printf(out, "%s\n", value.dropped ? " [AND MORE]" : "");
	}
}

/* Names only: values are secrets more often than not. */
static void put_env(struct buf *out, const char *const *env)
{
	auto_(buf_free) struct buf names = BUF(APPROVAL_COMMAND);
	size_t count = 0;

	for (; env[count]; count++) {
		buf_putc(&names, ' ');
		escape_bytes(&names, env[count], strcspn(env[count], "="));
	}
	buf_printf(out, "  %-12s%zu variables:%s%s\n", "environment", count, buf_text(&names),
		names.dropped ? " ..." : "");
	put_steering(out, env);
}

const char *approval_text_input(const struct approval_request *q)
{
	struct stat st, none;

	if (q->input)
		return "given";
	if (!q->own_input || fstat(STDIN_FILENO, &st) < 0)
		return "nothing";
	if (S_ISREG(st.st_mode))
		return "file";
	if (!S_ISCHR(st.st_mode))
		return "pipe";
	if (stat("/dev/null", &none) == 0 && none.st_rdev == st.st_rdev)
		return "nothing";
	return "terminal";
}

/* Line by line, each with a mark in front, so that none of them can be taken for one of ours. */
static void put_given(struct buf *out, const char *text)
{
	size_t left = strlen(text), rest = 0;
	char hash[2 * SHA256_SIZE + 1];

	hash_text(text, hash);
	buf_printf(out, "  %-12s%zu bytes (sha256 %s):\n", "input", left, hash);
	if (left > APPROVAL_COMMAND) {
		rest = left - APPROVAL_COMMAND;
		left = APPROVAL_COMMAND;
	}
	while (left > 0) {
		const char *end = memchr(text, '\n', left);
		size_t len = end ? (size_t)(end - text) : left;

		buf_puts(out, "    | ");
		escape_bytes(out, text, len);
		buf_putc(out, '\n');
		len += end != NULL;
		text += len;
		left -= len;
	}
	if (rest)
		buf_printf(out, "    [TOO LONG TO BE SHOWN WHOLE: %zu bytes more]\n", rest);
}

static void put_input(struct buf *out, const struct approval_request *q)
{
	const char *kind = approval_text_input(q);

	if (q->input)
		put_given(out, q->input);
	else if (str_eq(kind, "file") || str_eq(kind, "pipe"))
		buf_printf(out, "  %-12sa %s, of which NOTHING IS SHOWN HERE\n", "input", kind);
	else
		put_row(out, "input", kind);
}

static void put_place(struct buf *out, const struct verdict *v)
{
	buf_printf(out, "  %-12s", "runs");
	if (v->place == PLACE_HOST) {
		buf_puts(out, "on the host, with all rights of the user\n");
		return;
	}
	buf_puts(out, "in a sandbox with profile '");
	escape_text(out, v->profile);
	buf_puts(out, "'\n");
}

static void put_rule(struct buf *out, const struct verdict *v)
{
	char at[WHERE_TEXT];

	if (!v->rule)
		return;
	where_text(&v->rule->at, at);
	buf_printf(out, "  %-12s'", "rule");
	escape_text(out, v->rule->pattern);
	buf_printf(out, "' (%s)\n", at);
}

static uint64_t left_ms(const struct approval *p)
{
	uint64_t now = grants_now();

	return now < p->deadline_ms ? p->deadline_ms - now : 0;
}

void approval_show(const struct approval *p, struct buf *out)
{
	const struct verdict *v = p->q.verdict;
	char room[4096], left[NUMBER_TEXT];

	number_duration_text((left_ms(p) + 999) / 1000 * 1000, left);
	buf_puts(out, "A command asks to run outside of its sandbox:\n\n  ");
	approval_text_command(p->q.argv, out);
	buf_puts(out, "\n\n");
	put_place(out, v);
	put_file(out, p->subject.script.path ? "interpreter" : "program", &p->subject.program);
	put_file(out, "script", &p->subject.script);
	put_row(out, "folder", folder_path(p, room));
	put_row(out, "session", v->session.key);
	put_rule(out, v);
	put_env(out, p->q.env);
	put_input(out, &p->q);
	put_row(out, "waits for", left);
	put_row(out, "id", p->id);
	buf_putc(out, '\n');
}

static void write_file(struct writer *w, const char *name, const struct subject_file *f)
{
	char hash[2 * SHA256_SIZE + 1];

	if (!f->path)
		return;
	sha256_hex(f->hash, hash);
	write_object(w, name);
	write_text(w, "path", f->path);
	write_text(w, "sha256", hash);
	write_end_object(w);
}

static void write_command(struct writer *w, const struct approval *p)
{
	auto_(buf_free) struct buf shown = BUF(APPROVAL_SHOWN);
	char hash[2 * SHA256_SIZE + 1];
	bool whole = approval_text_command(p->q.argv, &shown);

	write_text(w, "command", buf_text(&shown));
	if (whole) {
		write_texts(w, "argv", p->q.argv);
		return;
	}
	hash_words(p->q.argv, hash);
	write_bool(w, "truncated", true);
	write_text(w, "argvSha256", hash);
}

static void write_input(struct writer *w, const struct approval_request *q)
{
	char hash[2 * SHA256_SIZE + 1];

	write_text(w, "input", approval_text_input(q));
	if (!q->input)
		return;
	if (strlen(q->input) <= APPROVAL_COMMAND)
		write_text(w, "stdin", q->input);
	hash_text(q->input, hash);
	write_unsigned(w, "stdinBytes", strlen(q->input));
	write_text(w, "stdinSha256", hash);
}

static void write_names(struct writer *w, const char *const *env)
{
	size_t bytes = 0;
	char name[201];

	write_list(w, "environment");
	for (size_t i = 0; env[i] && bytes < APPROVAL_COMMAND; i++) {
		size_t len = strcspn(env[i], "=");

		bytes += len;
		snprintf(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : 200), env[i]);
		write_text(w, NULL, name);
	}
	write_end_list(w);
}

void approval_text_json(const struct approval *p, struct buf *out)
{
	const struct verdict *v = p->q.verdict;
	struct writer w = WRITER(out);
	char room[4096], digest[2 * SHA256_SIZE + 1];

	sha256_hex(p->digest, digest);
	write_object(&w, NULL);
	write_text(&w, "id", p->id);
	write_text(&w, "session", v->session.key);
	write_text(&w, "agent", v->session.agent);
	write_text(&w, "entrance", entrance_names[p->q.entrance]);
	write_command(&w, p);
	write_text(&w, "place", place_names[v->place]);
	write_text(&w, "profile", v->place == PLACE_HOST ? NULL : v->profile);
	write_text(&w, "rule", v->rule ? v->rule->pattern : NULL);
	write_text(&w, "folder", folder_path(p, room));
	write_file(&w, "program", &p->subject.program);
	write_file(&w, "script", &p->subject.script);
	write_names(&w, p->q.env);
	write_input(&w, &p->q);
	write_number(&w, "pid", getpid());
	write_unsigned(&w, "waitsMs", left_ms(p));
	write_text(&w, "digest", digest);
	write_end_object(&w);
}
