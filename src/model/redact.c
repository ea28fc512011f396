/* SPDX-License-Identifier: Apache-2.0 */
#include "model/redact.h"

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

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_token(char c)
{
	return is_alnum(c) || c == '_' || c == '-';
}

static bool is_name(char c)
{
	return is_token(c) || c == '.';
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_base64(char c)
{
	return is_token(c) || c == '+' || c == '/';
}

/* How many of these follow. */
static size_t span(const struct scan *s, size_t at, bool (*is)(char c))
{
	size_t n = 0;

	while (at + n < s->len && is(s->text[at + n]))
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

static bool find_prefix(const struct scan *s, size_t at, struct hit *ret)
{
	bool alone = at == 0 || !is_alnum(s->text[at - 1]);

	if (!strchr("gsrxAnphd", s->text[at]) || s->text[at] == '\0')
		return false;
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		const struct prefix *p = &prefixes[i];
		size_t len = strlen(p->word), more;

		if ((p->alone && !alone) || s->len - at < len ||
			memcmp(s->text + at, p->word, len) != 0)
			continue;
		more = span(s, at + len, is_token);
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
		(at > 0 && is_token(s->text[at - 1])))
		return false;
	dot = at + span(s, at, is_token);
	if (s->len - dot < 4 || memcmp(s->text + dot, ".eyJ", 4) != 0)
		return false;
	*ret = (struct hit){at, dot + span(s, dot, is_name), "jwt"};
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

	if (!starts(s, at, "-----BEGIN "))
		return false;
	dashes = find_text(text + 11, left - 11, "-----");
	if (dashes && !find_text(text, (size_t)(dashes - text), "PRIVATE KEY"))
		return false;
	end = dashes ? find_text(dashes, left - (size_t)(dashes - text), "-----END ") : NULL;
	dashes = end ? find_text(end + 9, left - (size_t)(end + 9 - text), "-----") : NULL;
	*ret = (struct hit){at, dashes ? at + (size_t)(dashes + 5 - text) : s->len, "private-key"};
	return true;
}

static bool is_user_part(char c)
{
	return !is_space(c) && !strchr("/?#'\"<>@", c);
}

/* ://user:password@ */
static bool find_user(const struct scan *s, size_t at, struct hit *ret)
{
	size_t n;

	if (at < 3 || memcmp(s->text + at - 3, "://", 3) != 0)
		return false;
	n = span(s, at, is_user_part);
	/* A password may hold the sign itself, unescaped. */
	while (at + n < s->len && s->text[at + n] == '@') {
		size_t more = span(s, at + n + 1, is_user_part);

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

static const char *const headers[] = {
	"authorization:", "cookie:", "x-api-key:", "x-auth-token:", "private-token:", NULL};

static bool is_header_value(char c)
{
	return c != '\n' && c != '\r' && c != '"' && c != '\'';
}

/* All of the line, or up to the quote that ends the word. */
static bool find_header(const struct scan *s, size_t at, struct hit *ret)
{
	for (size_t i = 0; headers[i]; i++) {
		size_t from = at + strlen(headers[i]);

		if (!starts(s, at, headers[i]))
			continue;
		while (from < s->len && s->text[from] == ' ')
			from++;
		*ret = (struct hit){from, from + span(s, from, is_header_value), "header"};
		return ret->to > from;
	}
	return false;
}

static bool is_bare_value(char c)
{
	return !is_space(c) && !strchr("'\";&|<>`,)}]", c);
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
		return (struct hit){from, from + span(s, from, is_bare_value), kind};
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

/* NAME=value, "name": "value", ?key=value, --name value. `at` is where a name begins. */
static bool find_named(const struct scan *s, size_t at, struct hit *ret)
{
	size_t n = span(s, at, is_name), sep = at + n;
	bool query = at > 0 && (s->text[at - 1] == '?' || s->text[at - 1] == '&');
	bool secret = redact_is_secret(s->text + at, n) ||
		      (query && n == 3 && memcmp(s->text + at, "key", 3) == 0);

	if (!secret && !is_login_flag(s->text + at, n))
		return false;
	if (sep < s->len && s->text[at] == '-' && s->text[sep] == ' ') {
		*ret = value_at(s, skip_spaces(s, sep), "named");
		return leads_to_secret(s->text + at, n, s->text + ret->from, ret->to - ret->from);
	}
	if (!secret)
		return false;
	if (sep < s->len && s->text[sep] == '\\')
		sep++;
	if (sep < s->len && (s->text[sep] == '"' || s->text[sep] == '\''))
		sep++;
	sep = skip_spaces(s, sep);
	if (sep >= s->len || (s->text[sep] != '=' && s->text[sep] != ':'))
		return false;
	*ret = value_at(s, s->text[sep] == ':' ? skip_spaces(s, sep + 1) : sep + 1, "named");
	return ret->to > ret->from;
}

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : 63;
}

static size_t decode(const char *text, size_t len, char *out)
{
	size_t n = 0;
	uint32_t v = 0;

	for (size_t i = 0; i < len; i++) {
		v = v << 6 | (uint32_t)base64_value(text[i]);
		if (i % 4 != 0)
			out[n++] = (char)(v >> (6 - 2 * (i % 4)));
	}
	return n;
}

static bool find_any(const struct scan *s, size_t from, struct hit *ret);

static bool part_has_secret(const struct scan *s, const char *text, size_t len)
{
	char plain[BASE64_PART];
	struct scan inner = {.redact = s->redact, .text = plain, .decoded = true};
	struct hit hit;

	inner.len = decode(text, len, plain);
	return find_any(&inner, 0, &hit);
}

/* Where it begins is not known when it follows a path: all four ways of reading it are tried. */
static bool find_base64(const struct scan *s, size_t at, struct hit *ret)
{
	size_t n = span(s, at, is_base64), step = BASE64_PART - BASE64_OVERLAP;
	bool found = false;

	if (s->decoded || n < BASE64_LEAST)
		return false;
	for (size_t i = 0; i < 4 && !found; i++)
		for (size_t k = i; k < n && !found; k += step)
			found = part_has_secret(
				s, s->text + at + k, n - k < BASE64_PART ? n - k : BASE64_PART);
	*ret = (struct hit){at, at + n, "base64"};
	return found;
}

static bool is_pattern_word(char c)
{
	return !is_space(c) && c != '"' && c != '\'' && c != '=' && c != ';';
}

/* The operator's own. */
static bool find_pattern(const struct scan *s, size_t at, struct hit *ret)
{
	size_t n = s->redact && s->redact->count > 0 ? span(s, at, is_pattern_word) : 0;
	auto_free char *word = NULL;

	if (n == 0 || (at > 0 && is_pattern_word(s->text[at - 1])))
		return false;
	word = mem_alloc(n + 1);
	memcpy(word, s->text + at, n);
	for (size_t i = 0; i < s->redact->count; i++)
		if (glob_word(s->redact->patterns[i].text, word)) {
			*ret = (struct hit){at, at + n, "pattern"};
			return true;
		}
	return false;
}

static bool find_at(const struct scan *s, size_t at, struct hit *ret)
{
	bool name = is_name(s->text[at]) && (at == 0 || !is_name(s->text[at - 1]));
	bool letters = is_base64(s->text[at]) && (at == 0 || !is_base64(s->text[at - 1]));

	return find_pattern(s, at, ret) || find_prefix(s, at, ret) || find_jwt(s, at, ret) ||
	       find_private_key(s, at, ret) || find_user(s, at, ret) || find_header(s, at, ret) ||
	       (name && find_named(s, at, ret)) || (letters && find_base64(s, at, ret));
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

/* Byte by byte, so that what does not fit is not looked at either. */
void redact_text(const struct redact *r, const char *text, size_t len, struct buf *out)
{
	struct scan s = {.redact = r, .text = text, .len = len};
	struct hit hit;

	for (size_t at = 0; at < len && out->dropped == 0;) {
		if (!find_at(&s, at, &hit)) {
			buf_putc(out, text[at++]);
			continue;
		}
		buf_add(out, text + at, hit.from - at);
		put_mark(out, hit.kind);
		at = hit.to;
	}
}

void redact_word(
	const struct redact *r, const char *before, const char *word, size_t len, struct buf *out)
{
	if (before && leads_to_secret(before, strlen(before), word, len))
		put_mark(out, "named");
	else
		redact_text(r, word, len, out);
}
