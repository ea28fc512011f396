/* SPDX-License-Identifier: Apache-2.0 */
#include "model/bindspec.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/macro.h"
#include "base/str.h"
#include "model/pathname.h"
#include "model/refuse.h"

#include <stdio.h>
#include <string.h>

#define SHOWN_MAX 200

/* Paths; a '*' at the end of a component stands for the rest of it. */
static const struct denied {
	const char *path;
	const char *why;
} denied_paths[] = {
	{"/etc", "configures the host"},
	{"/proc", "shows and steers the host's processes"},
	{"/sys", "steers the host's kernel"},
	{"/dev", "holds the host's devices"},
	{"/root", "is root's home"},
	{"/boot", "starts the host"},
	{"/run", "holds sockets of the host's services"},
	{"/var/run", "holds sockets of the host's services"},
	{"~/.ssh", "holds keys"},
	{"~/.aws", "holds credentials"},
	{"~/.gnupg", "holds keys"},
	{"~/.config", "holds credentials of many programs"},
	{"~/.docker", "holds credentials and sockets"},
	{"~/.kube", "holds credentials"},
	{"~/.netrc", "holds passwords"},
	{"~/.npmrc", "holds tokens"},
	{"~/.cargo/credentials*", "holds tokens"},
	{"~/.git-credentials", "holds passwords"},
	{"~/.pypirc", "holds tokens"},
	{"~/.azure", "holds credentials"},
	{"~/.password-store", "holds passwords"},
	{"~/.mozilla", "holds passwords and sessions"},
	{"/var/lib/docker", "holds all containers"},
	{"/var/lib/containers", "holds all containers"},
	{"/var/spool/cron", "runs programs on the host"},
};

/* Names that mean the same wherever they stand: a home has aliases, and engines are set up
 * anywhere. */
static const struct denied denied_names[] = {
	{"docker.sock", "gives its user the whole host"},
	{"podman.sock", "gives its user all containers"},
	{"containerd.sock", "gives its user the whole host"},
	{"crio.sock", "gives its user the whole host"},
	{".ssh", "holds keys"},
	{".aws", "holds credentials"},
	{".gnupg", "holds keys"},
	{".kube", "holds credentials"},
};

static const char *const reserved_targets[] = {"/workspace", "/agent", "/proc", "/sys", "/dev"};

static bool is_home(const char *text)
{
	return text[0] == '~' && (text[1] == '/' || !text[1]);
}

/* A normalised path; home is known where `~` stands. */
static int expand(
	struct arena *a, const char *text, const char *home, const char **ret, struct err *e)
{
	if (!is_home(text)) {
		if (text[0] == '~')
			return refuse_text(
				e, text, "only your own home has a short form: write ~/folder");
		return pathname_normalise(a, text, ret, e);
	}
	if (!home || !home[0])
		return refuse_text(
			e, text, "the home folder is not known; write the path from '/' on");
	return pathname_normalise(a, arena_printf(a, "%s/%s", home, text + 1), ret, e);
}

static int check_target(const char *target, struct err *e)
{
	if (pathname_same(target, "/"))
		return refuse_text(e, target, "the root of the sandbox cannot be replaced");
	for (size_t i = 0; i < ARRAY_LEN(reserved_targets); i++)
		if (pathname_within(target, reserved_targets[i]))
			return refuse_text(e, target,
				"'%s' in the sandbox is reserved; choose a place such as /mnt",
				reserved_targets[i]);
	return 0;
}

static int parse_mode(const char *text, const char *mode, bool *ret_writable, struct err *e)
{
	if (mode && !str_eq(mode, "ro") && !str_eq(mode, "rw"))
		return refuse_text(
			e, text, "behind the second ':' stands ro or rw, as in ~/data:/mnt:ro");
	*ret_writable = mode && str_eq(mode, "rw");
	return 0;
}

/* Cuts at the first colon; what stands behind it, or NULL. */
static char *cut(char *text)
{
	char *colon = strchr(text, ':');

	if (!colon)
		return NULL;
	*colon = '\0';
	return colon + 1;
}

int bindspec_parse(
	struct arena *a, const char *text, const char *home, struct bindspec *ret, struct err *e)
{
	char *source = arena_text(a, text, strlen(text));
	char *target = cut(source);
	char *mode = target ? cut(target) : NULL;
	struct bindspec b = {0};
	int r;

	if (!target || !source[0] || !target[0])
		return refuse_text(e, text, "not host:inside[:ro|rw], such as ~/data:/mnt/data:ro");
	r = parse_mode(text, mode, &b.writable, e);
	if (r == 0)
		r = expand(a, source, home, &b.source, e);
	if (r == 0)
		r = pathname_normalise(a, target, &b.target, e);
	if (r == 0)
		r = check_target(b.target, e);
	if (r == 0)
		*ret = b;
	return r;
}

int bindspec_check(const char *text, struct err *e)
{
	auto_(arena_free) struct arena a = {0};
	struct bindspec b;

	return bindspec_parse(&a, text, "/home", &b, e);
}

int bindspec_check_source(const char *text, struct err *e)
{
	auto_(arena_free) struct arena a = {0};
	const char *path;

	return expand(&a, text, "/home", &path, e);
}

static bool part_matches(const char *row, size_t row_len, const char *part, size_t len)
{
	if (row[row_len - 1] == '*')
		return len >= row_len - 1 && memcmp(row, part, row_len - 1) == 0;
	return len == row_len && memcmp(row, part, len) == 0;
}

/* How the source stands to a denied path: NULL when they have nothing to do with each other. */
static const char *relation(const char *source, const char *row)
{
	const char *s_part, *r_part;
	size_t s_len, r_len;
	bool same = pathname_same(source, row);

	for (;;) {
		bool s_left = pathname_next(&source, &s_part, &s_len);
		bool r_left = pathname_next(&row, &r_part, &r_len);

		if (!r_left)
			return same ? "is" : "lies in";
		if (!s_left)
			return "covers";
		if (!part_matches(r_part, r_len, s_part, s_len))
			return NULL;
	}
}

static int refuse_own(const char *source, const struct bindspec_rules *rules, struct err *e)
{
	if (pathname_same(source, "/"))
		return refuse_text(e, source,
			"the whole host is never bound; name the folders that are needed");
	for (size_t i = 0; rules->own && rules->own[i]; i++) {
		const char *how = relation(source, rules->own[i]);

		if (how) {
			auto_(buf_free) struct buf shown = BUF(SHOWN_MAX);

			escape_text(&shown, rules->own[i]);
			return refuse_text(e, source,
				"%s '%s', which is ward's own: never "
				"bound; use a project's own folder",
				how, buf_text(&shown));
		}
	}
	return 0;
}

/* A project in root's own home is not the home itself. */
static bool is_own_home(const char *path, const char *how, const struct bindspec_rules *rules)
{
	return str_eq(how, "lies in") && rules->home && rules->home[0] &&
	       pathname_same(path, rules->home);
}

/* A row's path with the home written out; false without a home, which then has nothing in it. */
static bool write_out(const char *path, const char *home, char ret[PATHNAME_MAX + 64])
{
	if (!is_home(path)) {
		snprintf(ret, PATHNAME_MAX + 64, "%s", path);
		return true;
	}
	if (!home || !home[0] || strlen(home) > PATHNAME_MAX)
		return false;
	snprintf(ret, PATHNAME_MAX + 64, "%s%s", home, path + 1);
	return true;
}

/* Asked for every sandbox and every bind, so it allocates nothing. */
static int refuse_path(
	const char *source, const struct bindspec_rules *rules, bool workspace, struct err *e)
{
	char path[PATHNAME_MAX + 64];

	for (size_t i = 0; i < ARRAY_LEN(denied_paths); i++) {
		const struct denied *row = &denied_paths[i];
		const char *how;

		if (!write_out(row->path, rules->home, path))
			continue;
		how = relation(source, path);
		if (!how || (workspace && is_own_home(path, how, rules)))
			continue;
		return refuse_text(e, source,
			"%s '%s', which %s; %s exactly this one in allowedBindSources", how,
			row->path, row->why,
			workspace ? "work in a project's own folder, or name"
				  : "name a folder apart from it, or");
	}
	return 0;
}

static int refuse_name(const char *source, struct err *e)
{
	const char *rest = source, *part;
	size_t len;

	while (pathname_next(&rest, &part, &len))
		for (size_t i = 0; i < ARRAY_LEN(denied_names); i++)
			if (part_matches(
				    denied_names[i].path, strlen(denied_names[i].path), part, len))
				return refuse_text(e, source,
					"has '%s' in it, which %s; if it must be, name exactly "
					"this path in "
					"allowedBindSources",
					denied_names[i].path, denied_names[i].why);
	return 0;
}

static bool is_exception(const char *source, const struct bindspec_rules *rules)
{
	for (size_t i = 0; i < rules->exception_count; i++) {
		auto_(arena_free) struct arena a = {0};
		const char *path = rules->exceptions[i].text;

		/* There may be thousands, so only those with a `~` are written out. */
		if (is_home(path) && expand(&a, path, rules->home, &path, NULL) < 0)
			continue;
		if (pathname_same(source, path))
			return true;
	}
	return false;
}

static int allowed(
	const char *source, const struct bindspec_rules *rules, bool workspace, struct err *e)
{
	int r = pathname_check(source, e);

	if (r == 0)
		r = refuse_own(source, rules, e);
	if (r < 0 || is_exception(source, rules))
		return r;
	r = refuse_path(source, rules, workspace, e);
	if (r == 0)
		r = refuse_name(source, e);
	return r;
}

int bindspec_source_allowed(const char *source, const struct bindspec_rules *rules, struct err *e)
{
	return allowed(source, rules, false, e);
}

int bindspec_workspace_allowed(const char *path, const struct bindspec_rules *rules, struct err *e)
{
	return allowed(path, rules, true, e);
}
