/* SPDX-License-Identifier: Apache-2.0 */
#include "model/engine.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/macro.h"
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct engine_row engine_rows[ENGINE_COUNT] = {
	[ENGINE_DOCKER] = {"docker", "Docker", {"--version"}},
	[ENGINE_PODMAN] = {"podman", "Podman", {"--version"}},
	[ENGINE_CRUN] = {"crun", "crun", {"--version"}},
	[ENGINE_RUNC] = {"runc", "runc", {"--version"}},
	[ENGINE_RUNSC] = {"runsc", "gVisor", {"--version"}},
	[ENGINE_LIMACTL] = {"limactl", "Lima", {"--version"}},
	[ENGINE_KUBECTL] = {"kubectl", "Kubernetes", {"version", "--client"}},
	[ENGINE_BWRAP] = {"bwrap", "bubblewrap", {"--version"}},
};

/*
 * Published holes, with the first good version of each branch that was mended, oldest first. A
 * branch that is not listed is good when it is newer than all of them. Add a row when one is
 * published.
 */
#define BRANCHES 3
static const struct advisory {
	enum engine engine;
	const char *ids;
	const char *published;
	const char *what;
	const char *fixed[BRANCHES + 1];
} advisories[] = {
	{
		.engine = ENGINE_RUNC,
		.ids = "CVE-2025-31133, CVE-2025-52565, CVE-2025-52881",
		.published = "2025-11-05",
		.what = "escapes through masked paths, /dev/console and /proc writes",
		.fixed = {"1.2.8", "1.3.3", "1.4.0-rc.3"},
	},
	{
		.engine = ENGINE_RUNC,
		.ids = "CVE-2026-41579",
		.published = "2026",
		.fixed = {"1.3.6", "1.4.3", "1.5.0"},
	},
	{
		.engine = ENGINE_CRUN,
		.ids = "CVE-2026-30892",
		.published = "2026",
		.fixed = {"1.27"},
	},
	{
		.engine = ENGINE_CRUN,
		.ids = "CVE-2026-47766",
		.published = "2026",
		.fixed = {"1.28"},
	},
};

/* True of every version, good to know before trusting the engine. */
static const char *const trust_notes[ENGINE_COUNT] = {
	[ENGINE_DOCKER] = "whoever may use the daemon's socket (group docker) is as good as root "
			  "on this machine; "
			  "the socket is never passed into a sandbox",
};

#define AGE_LIMIT 10000 /* one year in YYYYMMDD */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Letters, digits and what versions are written with; all of it harmless on a terminal. */
static size_t word_length(const char *p)
{
	return strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+~-");
}

/* The date in "release-20221122.0" or "0.0~20221219.0": eight digits that look like one. */
static unsigned find_date(const char *text)
{
	unsigned date = 0;
	size_t digits = 0;

	for (;; text++) {
		if (is_digit(*text) && digits < 9) {
			date = digits++ ? date * 10 + (unsigned)(*text - '0')
					: (unsigned)(*text - '0');
			continue;
		}
		if (digits == 8 && date > 20000101 && date < 22000101)
			return date;
		digits = 0;
		if (!*text)
			return 0;
	}
}

/* One number of a version, at most six digits; moves on. */
static bool parse_part(const char **io, unsigned *ret)
{
	unsigned value = 0;
	size_t digits = 0;

	for (; is_digit(**io); (*io)++, digits++) {
		if (digits == 6)
			return false;
		value = value * 10 + (unsigned)(**io - '0');
	}
	*ret = value;
	return digits > 0;
}

/* "-rc.3", "-rc3", "~rc3"; anything else is a build that came after the release. */
static unsigned parse_candidate(const char *rest)
{
	unsigned number;

	if (!str_starts(rest, "-rc") && !str_starts(rest, "~rc"))
		return 0;
	rest += rest[3] == '.' ? 4 : 3;
	return parse_part(&rest, &number) && number ? number : 1;
}

bool engine_version_parse(const char *text, struct engine_version *ret)
{
	struct engine_version v = {.date = find_date(text)};

	if (v.date) {
		*ret = v;
		return true;
	}
	text += *text == 'v';
	if (!parse_part(&text, &v.major) || *text++ != '.' || !parse_part(&text, &v.minor))
		return false;
	if (*text == '.') {
		text++;
		if (!parse_part(&text, &v.patch))
			return false;
	}
	v.candidate = parse_candidate(text);
	*ret = v;
	return true;
}

bool engine_version_find(const char *output, char ret[ENGINE_VERSION_TEXT])
{
	struct engine_version v;
	char word[ENGINE_VERSION_TEXT];
	size_t len;

	for (const char *p = output; *p; p += len ? len : 1) {
		len = word_length(p);
		if (len == 0 || len >= sizeof(word))
			continue;
		memcpy(word, p, len);
		word[len] = '\0';
		if (!engine_version_parse(word, &v))
			continue;
		memcpy(ret, word, len + 1);
		return true;
	}
	return false;
}

static int compare(unsigned a, unsigned b)
{
	return a < b ? -1 : a > b;
}

int engine_version_compare(const struct engine_version *a, const struct engine_version *b)
{
	int r = compare(a->date, b->date);

	if (!r)
		r = compare(a->major, b->major);
	if (!r)
		r = compare(a->minor, b->minor);
	if (!r)
		r = compare(a->patch, b->patch);
	if (!r && a->candidate != b->candidate)
		r = !a->candidate ? 1 : !b->candidate ? -1 : compare(a->candidate, b->candidate);
	return r;
}

static bool is_mended(const struct advisory *a, const struct engine_version *v)
{
	struct engine_version fixed = {0};

	for (size_t i = 0; a->fixed[i]; i++) {
		engine_version_parse(a->fixed[i], &fixed);
		if (fixed.major == v->major && fixed.minor == v->minor)
			return engine_version_compare(v, &fixed) >= 0;
	}
	return engine_version_compare(v, &fixed) >= 0; /* the newest of them */
}

/* The notices of one engine while they are collected. */
struct notices {
	struct engine_notice *list;
	size_t count;
};

printf_like(4, 5) static void add_notice(
	struct notices *n, enum engine_notice_kind kind, const char *ids, const char *fmt, ...)
{
	struct engine_notice *notice = &n->list[n->count];
	va_list ap;

	if (n->count == ENGINE_NOTICES_MAX)
		return;
	n->count++;
	notice->kind = kind;
	notice->ids = ids;
	va_start(ap, fmt);
	vsnprintf(notice->text, sizeof(notice->text), fmt, ap);
	va_end(ap);
}

static void add_advisory(struct notices *n, const struct advisory *a, const char *version)
{
	auto_(buf_free) struct buf fixed = BUF(100);

	for (size_t i = 0; a->fixed[i]; i++)
		buf_printf(&fixed, "%s%s", i ? " / " : "", a->fixed[i]);
	add_notice(n, ENGINE_WARNING, a->ids,
		"%s %s lacks the fix for %s (%s%s%s; fixed in %s), unless your distribution "
		"patched it",
		engine_rows[a->engine].name, version, a->ids, a->published, a->what ? ", " : "",
		a->what ? a->what : "", buf_text(&fixed));
}

static void add_age(struct notices *n, enum engine engine, unsigned released, unsigned today)
{
	if (today < AGE_LIMIT || released + AGE_LIMIT >= today)
		return;
	add_notice(n, ENGINE_WARNING, NULL,
		"%s was released on %04u-%02u-%02u, more than a year ago: newer releases mend "
		"holes, "
		"install one",
		engine_rows[engine].name, released / 10000, released / 100 % 100, released % 100);
}

size_t engine_notices(enum engine engine, const char *version, unsigned today,
	struct engine_notice ret[ENGINE_NOTICES_MAX])
{
	struct notices n = {.list = ret};
	struct engine_version v = {0};
	bool known = engine_version_parse(version, &v);

	if (!known)
		add_notice(&n, ENGINE_NOTE, NULL, "its version could not be read");
	if (known && v.date)
		add_age(&n, engine, v.date, today);
	for (size_t i = 0; known && !v.date && i < ARRAY_LEN(advisories); i++)
		if (advisories[i].engine == engine && !is_mended(&advisories[i], &v))
			add_advisory(&n, &advisories[i], version);
	if (trust_notes[engine])
		add_notice(&n, ENGINE_NOTE, NULL, "%s", trust_notes[engine]);
	return n.count;
}
