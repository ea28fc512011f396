/* SPDX-License-Identifier: Apache-2.0 */
#include "model/session.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/sha256.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAIN "main"

static int bad_key(const char *key, const char *why, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(200);

	escape_text(&shown, key);
	return err_set(e, EINVAL, "session key '%s': %s", buf_text(&shown), why);
}

static int parse_whole(struct arena *a, const char *key, struct session *ret, struct err *e)
{
	const char *agent = key + strlen("agent:");
	const char *colon = strchr(agent, ':');

	if (!colon || colon[1] == '\0')
		return bad_key(key, "write agent:<agent>:<session>", e);
	ret->agent = arena_text(a, agent, (size_t)(colon - agent));
	ret->rest = arena_text(a, colon + 1, strlen(colon + 1));
	return 0;
}

int session_parse(
	struct arena *a, const char *key, const char *agent, struct session *ret, struct err *e)
{
	struct session s = {.agent = agent ? agent : MAIN, .rest = key ? key : MAIN};
	int r = 0;

	if (key && *key == '\0')
		return err_set(e, EINVAL, "the session key is empty");
	if (key && strlen(key) > SESSION_MAX)
		return err_set(e, EINVAL, "the session key is longer than %d bytes", SESSION_MAX);
	if (key && str_starts(key, "agent:"))
		r = parse_whole(a, key, &s, e);
	if (r < 0)
		return r;
	if (!str_is_name(s.agent))
		return bad_key(s.agent,
			"the agent's name must be [A-Za-z0-9_][A-Za-z0-9_.-]*, at most 64 "
			"characters",
			e);
	if (agent && strcmp(agent, s.agent) != 0)
		return bad_key(key, "it belongs to another agent than the one given", e);
	s.key = arena_printf(a, "agent:%s:%s", s.agent, s.rest);
	s.main = strcmp(s.rest, MAIN) == 0;
	*ret = s;
	return 0;
}

/* A hint for people who look at a folder; the digest alone makes the name unique. */
static void readable_hint(const char *text, char *out, size_t size)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++) {
		char c = (char)tolower((unsigned char)*text);

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			out[n++] = c;
		else if (n > 0 && out[n - 1] != '-')
			out[n++] = '-';
	}
	while (n > 0 && out[n - 1] == '-')
		n--;
	out[n] = '\0';
}

static void base32(const uint8_t *data, size_t bits, char *out)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";

	for (size_t bit = 0; bit < bits; bit += 5) {
		size_t i = bit / 8;
		unsigned pair = ((unsigned)data[i] << 8) | data[i + 1];

		*out++ = digits[(pair >> (11 - bit % 8)) & 31];
	}
	*out = '\0';
}

void session_scope_name(const struct session *s, enum scope scope, char out[SCOPE_NAME])
{
	const char *const subject[SCOPE_COUNT] = {
		[SCOPE_SESSION] = s->key, [SCOPE_AGENT] = s->agent, [SCOPE_SHARED] = ""};
	const char *hint = scope == SCOPE_SESSION ? s->rest
			   : scope == SCOPE_AGENT ? s->agent
						  : "shared";
	static const char kind[SCOPE_COUNT] = {'s', 'a', 'x'};
	uint8_t digest[SHA256_SIZE];
	char readable[17], unique[33];
	struct sha256 h;

	/* The scope goes into the digest, with its NUL: an agent and a session can never share a
	 * name. */
	sha256_init(&h);
	sha256_add(&h, scope_names[scope], strlen(scope_names[scope]) + 1);
	sha256_add(&h, subject[scope], strlen(subject[scope]));
	sha256_end(&h, digest);
	base32(digest, 160, unique);
	readable_hint(hint, readable, sizeof readable);
	snprintf(out, SCOPE_NAME, "%c-%s%s%s", kind[scope], readable, readable[0] ? "-" : "",
		unique);
}
