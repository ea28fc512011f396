/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/glob.h"
#include "base/str.h"
#include "engine/broker_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/*
 * A protected name, or a folder above it, may be a symbolic link on the host, or a .git that is a
 * file and names the folder elsewhere. What it leads to, inside the workspace, is protected as
 * well: the rest of the pattern is put behind the target. Looked for once, before the first call is
 * performed; the sandbox itself can make no such link. Names with wildcards are only looked for in
 * the workspace's top folder, and only among its first entries; below a ** nothing is looked for.
 */
#define ENTRIES_MAX 10000
#define GITDIR "gitdir:"

/* "a/b" and "../c" give "c"; false when it leaves the workspace or does not fit. */
static bool join(const char *folder, const char *text, char *out, size_t size)
{
	size_t n = 0;

	for (int turn = 0; turn < 2; turn++) {
		for (const char *p = turn ? text : folder; *p;) {
			size_t len = strcspn(p, "/");

			if (len == 2 && p[0] == '.' && p[1] == '.') {
				if (n == 0)
					return false;
				while (n > 0 && out[--n] != '/')
					;
			} else if (len > 0 && !(len == 1 && p[0] == '.')) {
				if (n + len + 2 > size)
					return false;
				if (n > 0)
					out[n++] = '/';
				memcpy(out + n, p, len);
				n += len;
			}
			p += len + (p[len] == '/');
		}
	}
	out[n] = '\0';
	return n > 0;
}

/* A name of the host, or of the sandbox, as one relative to the workspace; NULL: it is none. */
static const char *strip(const char *text, const char *root)
{
	size_t len = root ? strlen(root) : 0;

	return len && strncmp(text, root, len) == 0 && text[len] == '/' ? text + len + 1 : NULL;
}

/* Keeps target + rest as one more pattern. */
static void keep(struct broker *b, const char *target, const char *rest, bool hides)
{
	char *out = b->alias_text + b->alias_used;
	size_t room = sizeof(b->alias_text) - b->alias_used;
	int n = snprintf(out, room, "%s%s%s", target, *rest ? "/" : "", rest);

	if (n < 0 || (size_t)n >= room || b->alias_count == BROKER_ALIAS_MAX) {
		b->report.aliases_left_out++;
		return;
	}
	for (size_t i = 0; i < b->alias_count; i++)
		if (str_eq(b->alias[i], out) && b->alias_hides[i] == hides)
			return;
	b->alias_used += (size_t)n + 1;
	b->alias_hides[b->alias_count] = hides;
	b->alias[b->alias_count++] = out;
}

/* Where a link or a file with a folder's name leads, as a text; false: nowhere. */
static bool leads_to(struct broker *b, const char *name, char *text, size_t size)
{
	ssize_t n = readlinkat(b->root, name, text, size - 1);

	if (n < 0) {
		auto_fd int fd = -1;
		struct stat st;

		if (errno != EINVAL || !(str_eq(name, ".git") || str_ends(name, "/.git")) ||
			fstatat(b->root, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
			!S_ISREG(st.st_mode))
			return false;
		fd = openat(b->root, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		n = fd < 0 ? -1 : read(fd, text, size - 1);
		if (n < (ssize_t)strlen(GITDIR) || memcmp(text, GITDIR, strlen(GITDIR)) != 0)
			return false;
		text[n] = '\0';
		n = (ssize_t)strcspn(text, "\n");
		text[n] = '\0';

		size_t skip = strlen(GITDIR) + strspn(text + strlen(GITDIR), " ");

		memmove(text, text + skip, (size_t)n - skip + 1);
		return *text;
	}
	text[n] = '\0';
	return n > 0;
}

/* The name is literal. rest: what the pattern has behind it. */
static void follow(struct broker *b, const char *name, const char *rest, bool hides)
{
	char text[PATH_MAX], target[PATH_MAX], folder[PATH_MAX];
	const char *slash = strrchr(name, '/');
	size_t len = slash ? (size_t)(slash - name) : 0;

	if (!leads_to(b, name, text, sizeof(text)))
		return;
	memcpy(folder, name, len);
	folder[len] = '\0';
	if (text[0] == '/') {
		const char *rel = strip(text, b->spec.root);

		rel = rel ? rel : strip(text, b->spec.host_root);
		if (rel && join("", rel, target, sizeof(target)))
			keep(b, target, rest, hides);
	} else if (join(folder, text, target, sizeof(target))) {
		keep(b, target, rest, hides);
	}
}

/* What begins at any depth begins at the top too; deeper links are not looked for. */
static const char *from_top(const char *pattern)
{
	while (strncmp(pattern, "**/", 3) == 0)
		pattern += 3;
	return pattern;
}

/* Every name on the way to what the pattern means, as far as they are written out. */
static void follow_pattern(struct broker *b, const char *pattern, bool hides)
{
	char name[PATH_MAX];

	pattern = from_top(pattern);
	if (strlen(pattern) >= sizeof(name))
		return;
	for (size_t i = 0, start = 0; pattern[i]; start = i + (pattern[i] == '/')) {
		for (i = start; pattern[i] && pattern[i] != '/'; i++)
			if (strchr("*?{", pattern[i]))
				return;
		memcpy(name, pattern, i);
		name[i] = '\0';
		follow(b, name, pattern[i] ? pattern + i + 1 : "", hides);
	}
}

/* An entry of the top folder that a pattern's first component matches. */
static void follow_entry(struct broker *b, const char *entry, const char *pattern, bool hides)
{
	const char *slash;
	char first[NAME_MAX + 1];
	size_t len;

	pattern = from_top(pattern);
	slash = strchr(pattern, '/');
	len = slash ? (size_t)(slash - pattern) : strlen(pattern);
	if (len > NAME_MAX)
		return;
	memcpy(first, pattern, len);
	first[len] = '\0';
	if (glob_has_magic(first) && !str_eq(first, "**") && glob_path(first, entry))
		follow(b, entry, slash ? slash + 1 : "", hides);
}

static bool starts_wild(const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcspn(from_top(patterns[i]), "*?{") < strcspn(from_top(patterns[i]), "/"))
			return true;
	return false;
}

static void follow_entries(struct broker *b)
{
	const struct broker_spec *s = &b->spec;
	auto_fd int fd = openat(b->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t seen = 0;
	long n = 0;

	while (fd >= 0 && seen < ENTRIES_MAX &&
		(n = syscall(SYS_getdents64, fd, b->value, sizeof(b->value))) > 0) {
		for (long at = 0; at < n; seen++) {
			const struct broker_entry *e = (void *)(b->value + at);

			at += e->len;
			if (e->type != DT_LNK && e->type != DT_UNKNOWN)
				continue;
			for (size_t i = 0; i < s->protect_count; i++)
				follow_entry(b, e->name, s->protect[i], false);
			for (size_t i = 0; i < s->hide_count; i++)
				follow_entry(b, e->name, s->hide[i], true);
		}
	}
}

void broker_find_aliases(struct broker *b)
{
	const struct broker_spec *s = &b->spec;

	for (size_t i = 0; i < s->protect_count; i++)
		follow_pattern(b, s->protect[i], false);
	for (size_t i = 0; i < s->hide_count; i++)
		follow_pattern(b, s->hide[i], true);
	if (starts_wild(s->protect, s->protect_count) || starts_wild(s->hide, s->hide_count))
		follow_entries(b);
	/* Links behind links: each adds at most one more, up to the bound. */
	for (size_t i = 0; i < b->alias_count; i++)
		follow_pattern(b, b->alias[i], b->alias_hides[i]);
}
