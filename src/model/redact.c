/* SPDX-License-Identifier: Apache-2.0 */
#include "model/redact.h"

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/glob.h"
#include "base/macro.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#define BASE64_LEAST 20 /* shorter ones hold no secret of a known form */
#define BASE64_PART 4096
#define BASE64_OVERLAP 512
#define STEP 512

/* A part of the text that is left out, and what it was. */
struct hit {
	size_t from, to;
	const char *kind;
};

struct scan {
	const struct redact *redact;
	const char *text;
	size_t len;
	bool decoded; /* it was base64: once is enough */
};

/* What a character may be part of; every text of every request is looked at, so by table. */
enum {
	ALNUM = 1 << 0,
	TOKEN = 1 << 1,  /* of a token: - and _ too */
	NAME = 1 << 2,   /* of a name: . too */
	BASE64 = 1 << 3, /* of either alphabet, without padding */
	SPACE = 1 << 4,
	NO_USER = 1 << 5,    /* ends the user part of an address */
	NO_VALUE = 1 << 6,   /* ends a value without quotes */
	NO_PATTERN = 1 << 7, /* ends a word for the operator's patterns */
};
#define WORD (ALNUM | TOKEN | NAME | BASE64)
#define ENDS (NO_USER | NO_VALUE | NO_PATTERN)

static const uint8_t class_of[256] = {
	['a' ... 'z'] = WORD,
	['A' ... 'Z'] = WORD,
	['0' ... '9'] = WORD,
	['_'] = TOKEN | NAME | BASE64,
	['-'] = TOKEN | NAME | BASE64,
	['.'] = NAME,
	['+'] = BASE64,
	['/'] = BASE64 | NO_USER,
	['\0'] = ENDS,
	[' '] = SPACE | ENDS,
	['\t' ... '\r'] = SPACE | ENDS,
	['"'] = ENDS,
	['\''] = ENDS,
	['?'] = NO_USER,
	['#'] = NO_USER,
	['@'] = NO_USER,
	['<'] = NO_USER | NO_VALUE,
	['>'] = NO_USER | NO_VALUE,
	[';'] = NO_VALUE | NO_PATTERN,
	['='] = NO_PATTERN,
	['&'] = NO_VALUE,
	['|'] = NO_VALUE,
	['`'] = NO_VALUE,
	[','] = NO_VALUE,
	[')'] = NO_VALUE,
	['}'] = NO_VALUE,
	[']'] = NO_VALUE,
};

static bool is(char c, uint8_t what)
{
	return class_of[(uint8_t)c] & what;
}

/* Does something of that kind begin here? */
static bool begins(const struct scan *s, size_t at, uint8_t what)
{
	return is(s->text[at], what) && (at == 0 || !is(s->text[at - 1], what));
}

/* How many of these follow. */
static size_t span(const struct scan *s, size_t at, uint8_t what)
{
	size_t n = 0;

	while (at + n < s->len && is(s->text[at + n], what))
		n++;
	return n;
}

/* How many follow that are none of these. */
static size_t span_not(const struct scan *s, size_t at, uint8_t what)
{
	size_t n = 0;

	while (at + n < s->len && !is(s->text[at + n], what))
		n++;
	return n;
}

static bool starts(const struct scan *s, size_t at, const char *word)
{
	size_t len = strlen(word);

	return s->len - at >= len && strncasecmp(s->text + at, word, len) == 0;
}

/* Tokens that begin with a word of their own. `alone`: nothing may stand right before it, since the
 * word is short; `least`: letters behind it. */
static const struct prefix {
	const char *word, *kind;
	size_t least;
	bool alone;
} prefixes[] = {
	{"ghp_", "github", 16, false},
	{"gho_", "github", 16, false},
	{"ghu_", "github", 16, false},
	{"ghs_", "github", 16, false},
	{"ghr_", "github", 16, false},
	{"github_pat_", "github", 16, false},
	{"glpat-", "gitlab", 16, false},
	{"gldt-", "gitlab", 16, true},
	{"glrt-", "gitlab", 16, true},
	{"sk-ant-", "anthropic", 8, true},
	{"sk-", "api-key", 16, true},
	{"sk_live_", "stripe", 12, true},
	{"rk_live_", "stripe", 12, true},
	{"xoxa-", "slack", 8, false},
	{"xoxb-", "slack", 8, false},
	{"xoxe-", "slack", 8, false},
	{"xoxp-", "slack", 8, false},
	{"xoxr-", "slack", 8, false},
	{"xoxs-", "slack", 8, false},
	{"xapp-", "slack", 8, true},
	{"AKIA", "aws", 12, true},
	{"ASIA", "aws", 12, true},
	{"AIza", "google", 30, true},
	{"npm_", "npm", 30, true},
	{"pypi-", "pypi", 30, true},
	{"hf_", "huggingface", 24, true},
	{"dop_v1_", "digitalocean", 30, true},
};

/* The letters that these begin with: a row with another one needs it here too. */
static const bool prefix_begins[256] = {['g'] = true,
	['s'] = true,
	['r'] = true,
	['x'] = true,
	['A'] = true,
	['n'] = true,
	['p'] = true,
	['h'] = true,
	['d'] = true};

static bool find_prefix(const struct scan *s, size_t at, struct hit *ret)
{
	bool alone = at == 0 || !is(s->text[at - 1], ALNUM);

	if (s->len - at < 8 || !prefix_begins[(uint8_t)s->text[at]])
		return false;
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		const struct prefix *p = &prefixes[i];
		size_t len, more;

		if (p->word[0] != s->text[at] || p->word[1] != s->text[at + 1])
			continue;
		len = strlen(p->word);
		if ((p->alone && !alone) || s->len - at < len ||
			memcmp(s->text + at, p->word, len) != 0)
			continue;
		more = span(s, at + len, TOKEN);
		if (more < p->least)
			continue;
		*ret = (struct hit){at, at + len + more, p->kind};
		return true;
	}
	return false;
}

/* Three parts of base64, of which the first two are objects. */
static bool find_jwt(const struct scan *s, size_t at, struct hit *ret)
{
	size_t dot;

	if (s->len - at < 3 || memcmp(s->text + at, "eyJ", 3) != 0 ||
		(at > 0 && is(s->text[at - 1], TOKEN)))
		return false;
	dot = at + span(s, at, TOKEN);
	if (s->len - dot < 4 || memcmp(s->text + dot, ".eyJ", 4) != 0)
		return false;
	*ret = (struct hit){at, dot + span(s, dot, NAME), "jwt"};
	return true;
}

static const char *find_text(const char *in, size_t len, const char *what)
{
	return memmem(in, len, what, strlen(what));
}

static bool find_private_key(const struct scan *s, size_t at, struct hit *ret)
{
	const char *text = s->text + at, *end, *dashes;
	size_t left = s->len - at;

	if (s->text[at] != '-' || !starts(s, at, "-----BEGIN "))
		return false;
	dashes = find_text(text + 11, left - 11, "-----");
	if (dashes && !find_text(text, (size_t)(dashes - text), "PRIVATE KEY"))
		return false;
	end = dashes ? find_text(dashes, left - (size_t)(dashes - text), "-----END ") : NULL;
	dashes = end ? find_text(end + 9, left - (size_t)(end + 9 - text), "-----") : NULL;
	*ret = (struct hit){at, dashes ? at + (size_t)(dashes + 5 - text) : s->len, "private-key"};
	return true;
}

/* ://user:password@ */
static bool find_user(const struct scan *s, size_t at, struct hit *ret)
{
	size_t n;

	if (at < 3 || s->text[at - 1] != '/' || memcmp(s->text + at - 3, "://", 3) != 0)
		return false;
	n = span_not(s, at, NO_USER);
	/* A password may hold the sign itself, unescaped. */
	while (at + n < s->len && s->text[at + n] == '@') {
		size_t more = span_not(s, at + n + 1, NO_USER);

		if (at + n + 1 + more >= s->len || s->text[at + n + 1 + more] != '@')
			break;
		n += 1 + more;
	}
	if (n == 0 || at + n >= s->len || s->text[at + n] != '@' ||
		(n == 3 && memcmp(s->text + at, "git", 3) == 0))
		return false;
	*ret = (struct hit){at, at + n, "user"};
	return true;
}

static const char *const headers[] = {"authorization:", "proxy-authorization:", "cookie:",
	"set-cookie:", "x-api-key:", "x-auth-token:", "private-token:", NULL};

static size_t header_end(const struct scan *s, size_t at)
{
	while (at < s->len && !strchr("\n\r\"'", s->text[at]))
		at++;
	return at;
}

/* All of the line, or up to the quote that ends the word. */
static bool find_header(const struct scan *s, size_t at, struct hit *ret)
{
	size_t colon = at + span(s, at, NAME);

	if (colon >= s->len || s->text[colon] != ':')
		return false;
	for (size_t i = 0; headers[i]; i++) {
		size_t from = at + strlen(headers[i]);

		if (!starts(s, at, headers[i]))
			continue;
		while (from < s->len && s->text[from] == ' ')
			from++;
		*ret = (struct hit){from, header_end(s, from), "header"};
		return ret->to > from;
	}
	return false;
}

/* Where what a quote has begun ends. `escaped`: the quotes stand within others, as \". */
static size_t quote_end(const struct scan *s, size_t from, char quote, bool escaped)
{
	for (size_t to = from; to < s->len; to++) {
		if (s->text[to] == quote)
			return escaped && to > from && s->text[to - 1] == '\\' ? to - 1 : to;
		if (s->text[to] == '\\' && quote == '"' && !escaped)
			to++;
	}
	return s->len;
}

/* A value that begins at `from`: in quotes, or up to what ends a word. */
static struct hit value_at(const struct scan *s, size_t from, const char *kind)
{
	size_t backslash = from < s->len && s->text[from] == '\\';
	char quote = from + backslash < s->len ? s->text[from + backslash] : '\0';

	if (quote != '"' && quote != '\'')
		return (struct hit){from, from + span_not(s, from, NO_VALUE), kind};
	from += backslash + 1;
	return (struct hit){from, quote_end(s, from, quote, backslash), kind};
}

static size_t skip_spaces(const struct scan *s, size_t at)
{
	while (at < s->len && (s->text[at] == ' ' || s->text[at] == '\t'))
		at++;
	return at;
}

/* user:password of a flag, and not two numbers or a path. */
static bool is_login(const char *text, size_t len)
{
	const char *colon = memchr(text, ':', len);
	bool digits = true;

	for (size_t i = 0; i < len; i++)
		digits = digits && ((text[i] >= '0' && text[i] <= '9') || text[i] == ':');
	return colon && !digits && colon > text && colon + 1 < text + len && colon[1] != '/';
}

static bool is_login_flag(const char *flag, size_t len)
{
	return (len == 2 && memcmp(flag, "-u", 2) == 0) ||
	       (len == 6 && memcmp(flag, "--user", 6) == 0) ||
	       (len == 12 && memcmp(flag, "--proxy-user", 12) == 0);
}

/* Is the whole word that follows this one a secret? */
static bool leads_to_secret(const char *flag, size_t len, const char *value, size_t value_len)
{
	if (len < 2 || flag[0] != '-' || memchr(flag, '=', len))
		return false;
	if (is_login_flag(flag, len))
		return is_login(value, value_len);
	return value_len > 0 && value[0] != '-' && redact_is_secret(flag, len);
}

/* Where the sign between a name and its value stands, behind the quote that ends the name. */
static size_t find_sign(const struct scan *s, size_t at, bool *ret_spaced)
{
	size_t sign;

	if (at < s->len && s->text[at] == '\\')
		at++;
	if (at < s->len && (s->text[at] == '"' || s->text[at] == '\''))
		at++;
	sign = skip_spaces(s, at);
	*ret_spaced = sign > at;
	return sign < s->len && (s->text[sign] == '=' || s->text[sign] == ':') ? sign : s->len;
}

/* ?key= and &key=: short as it is, it is one here. */
static bool is_query_key(const struct scan *s, size_t at, size_t len)
{
	return at > 0 && (s->text[at - 1] == '?' || s->text[at - 1] == '&') && len == 3 &&
	       memcmp(s->text + at, "key", 3) == 0;
}

/* NAME=value, "name": "value", ?key=value, --name value. `at` is where a name begins. */
static bool find_named(const struct scan *s, size_t at, struct hit *ret)
{
	size_t n = span(s, at, NAME), sign;
	bool spaced;

	if (s->text[at] == '-' && at + n < s->len && s->text[at + n] == ' ') {
		*ret = value_at(s, skip_spaces(s, at + n), "named");
		return leads_to_secret(s->text + at, n, s->text + ret->from, ret->to - ret->from);
	}
	sign = find_sign(s, at + n, &spaced);
	if (sign == s->len || !(is_query_key(s, at, n) || redact_is_secret(s->text + at, n)))
		return false;
	/* Of "NAME= command" the value is empty. */
	spaced = spaced || s->text[sign] == ':';
	*ret = value_at(s, spaced ? skip_spaces(s, sign + 1) : sign + 1, "named");
	return ret->to > ret->from;
}

static bool find_any(const struct scan *s, size_t from, struct hit *ret);

static bool part_has_secret(const struct scan *s, const char *text, size_t len)
{
	char plain[BASE64_PART];
	struct scan inner = {.redact = s->redact, .text = plain, .decoded = true};
	struct hit hit;

	inner.len = base64_take(text, len, plain);
	return find_any(&inner, 0, &hit);
}

/* Where it begins is not known when it follows a path: all four ways of reading it are tried. */
static bool find_base64(const struct scan *s, size_t at, struct hit *ret)
{
	size_t n = span(s, at, BASE64), step = BASE64_PART - BASE64_OVERLAP;
	bool found = false;

	if (s->decoded || n < BASE64_LEAST)
		return false;
	for (size_t i = 0; i < 4 && !found; i++)
		for (size_t k = i; k < n && !found; k += step)
			found = part_has_secret(
				s, s->text + at + k, n - k < BASE64_PART ? n - k : BASE64_PART);
	while (at + n < s->len && s->text[at + n] == '=')
		n++;
	*ret = (struct hit){at, at + n, "base64"};
	return found;
}

/* The operator's own. */
static bool find_pattern(const struct scan *s, size_t at, struct hit *ret)
{
	auto_free char *word = NULL;
	size_t n = span_not(s, at, NO_PATTERN);

	word = mem_alloc(n + 1);
	memcpy(word, s->text + at, n);
	*ret = (struct hit){at, at + n, "pattern"};
	for (size_t i = 0; i < s->redact->count; i++)
		if (glob_word(s->redact->patterns[i].text, word))
			return true;
	return false;
}

/* Where a word begins for them, if there are any. */
static bool has_pattern(const struct scan *s, size_t at)
{
	return s->redact && s->redact->count > 0 && !is(s->text[at], NO_PATTERN) &&
	       (at == 0 || is(s->text[at - 1], NO_PATTERN));
}

static bool find_at(const struct scan *s, size_t at, struct hit *ret)
{
	return (has_pattern(s, at) && find_pattern(s, at, ret)) || find_prefix(s, at, ret) ||
	       find_jwt(s, at, ret) ||
	       (begins(s, at, NAME) && (find_header(s, at, ret) || find_named(s, at, ret))) ||
	       find_private_key(s, at, ret) || find_user(s, at, ret) ||
	       (begins(s, at, BASE64) && find_base64(s, at, ret));
}

static bool find_any(const struct scan *s, size_t from, struct hit *ret)
{
	for (size_t at = from; at < s->len; at++)
		if (find_at(s, at, ret))
			return true;
	return false;
}

static void put_mark(struct buf *out, const char *kind)
{
	buf_puts(out, "[redacted:");
	buf_puts(out, kind);
	buf_putc(out, ']');
}

/* What stands between two hits. The name of a secret may hold one as well. */
static void put_between(const struct scan *s, size_t from, size_t to, struct buf *out)
{
	struct scan part = {.redact = s->redact, .text = s->text, .len = to};
	size_t shown = from;
	struct hit hit;

	for (size_t at = from; at < to; at++) {
		if (!find_prefix(&part, at, &hit) && !find_jwt(&part, at, &hit))
			continue;
		buf_add(out, s->text + shown, hit.from - shown);
		put_mark(out, hit.kind);
		shown = hit.to;
		at = hit.to - 1;
	}
	buf_add(out, s->text + shown, to - shown);
}

/* In steps, so that what does not fit is not looked at either. */
void redact_text(const struct redact *r, const char *text, size_t len, struct buf *out)
{
	struct scan s = {.redact = r, .text = text, .len = len};
	size_t shown = 0;
	struct hit hit;

	for (size_t at = 0; at < len && out->dropped == 0; at++) {
		bool found = find_at(&s, at, &hit);

		if (!found && at - shown < STEP)
			continue;
		buf_add(out, text + shown, at - shown);
		shown = at;
		if (found) {
			put_between(&s, at, hit.from, out);
			shown = hit.to;
			put_mark(out, hit.kind);
			at = hit.to - 1;
		}
	}
	buf_add(out, text + shown, len - shown);
}

void redact_word(
	const struct redact *r, const char *before, const char *word, size_t len, struct buf *out)
{
	if (before && leads_to_secret(before, strlen(before), word, len))
		put_mark(out, "named");
	else
		redact_text(r, word, len, out);
}
