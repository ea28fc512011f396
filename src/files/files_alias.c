/* SPDX-License-Identifier: Apache-2.0 */
#include "files/files_alias.h"

#include "base/cleanup.h"
#include "base/glob.h"
#include "base/str.h"
#include "base/vec.h"
#include "files/files_walk.h"
#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define ALIASES_MAX 128   /* the broker's */
#define ENTRIES_MAX 10000 /* of the top folder, for patterns that begin with a wildcard */
#define GITDIR "gitdir:"

/* One list of patterns, those of links behind those that were written. */
struct list {
	const struct files *f;
	struct arena *a;
	const char **patterns;
	size_t count, cap, written;
};

/* Once each. */
static void keep(struct list *l, const char *target, const char *rest)
{
	const char *pattern = arena_printf(l->a, "%s%s%s", target, *rest ? "/" : "", rest);

	for (size_t i = 0; i < l->count; i++)
		if (str_eq(l->patterns[i], pattern))
			return;
	if (l->count <= l->written + ALIASES_MAX)
		vec_push(l->a, &l->patterns, &l->count, &l->cap, pattern);
}

/* What a .git that is a file says, from the folder that it stands in; NULL: nothing. */
static const char *read_gitdir(const struct list *l, const struct files_place *p)
{
	auto_fd int fd = files_walk_open(l->f, p->path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	const char *slash = strrchr(p->path, '/'), *to;
	char text[PATH_MAX];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (n < (ssize_t)strlen(GITDIR) || memcmp(text, GITDIR, strlen(GITDIR)) != 0)
		return NULL;
	text[n] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	to = text + strlen(GITDIR) + strspn(text + strlen(GITDIR), " ");
	if (*to == '/' || !slash)
		return arena_text(l->a, to, strlen(to));
	return arena_printf(l->a, "%.*s/%s", (int)(slash - p->path), p->path, to);
}

/* A name without wildcards, and what the pattern has behind it. */
static void follow(struct list *l, const char *name, const char *rest)
{
	auto_(files_walk_close) struct files_place p = FILES_PLACE_NONE, to = FILES_PLACE_NONE;
	const char *text = NULL;
	struct err unused;

	/* What leads outside cannot be reached by these tools. */
	if (files_walk(l->f, name, true, &p, &unused) < 0)
		return;
	if (p.linked && p.path[0])
		keep(l, p.path, rest);
	if (p.exists && S_ISREG(p.st.st_mode) && (str_eq(name, ".git") || str_ends(name, "/.git")))
		text = read_gitdir(l, &p);
	if (text && files_walk(l->f, text, true, &to, &unused) == 0 && to.path[0])
		keep(l, to.path, rest);
}

/* What begins at any depth begins at the top too; deeper links are not looked for. */
static const char *from_top(const char *pattern)
{
	while (str_starts(pattern, "**/"))
		pattern += 3;
	return pattern;
}

/* Every name on the way to what the pattern means, as far as they are written out. */
static void follow_pattern(struct list *l, const char *pattern)
{
	size_t len = strlen(pattern = from_top(pattern)), end;
	char name[PATH_MAX];

	for (size_t start = 0; start < len && len < sizeof name; start = end + 1) {
		end = start + strcspn(pattern + start, "/");
		memcpy(name, pattern, end);
		name[end] = '\0';
		if (glob_has_magic(name))
			return;
		follow(l, name, end < len ? pattern + end + 1 : "");
	}
}

/* A link in the top folder that a pattern's first component matches. */
static void follow_entry(struct list *l, const char *entry, const char *pattern)
{
	size_t len = strcspn(pattern = from_top(pattern), "/");
	char first[NAME_MAX + 1];

	if (len > NAME_MAX)
		return;
	memcpy(first, pattern, len);
	first[len] = '\0';
	if (glob_has_magic(first) && !str_eq(first, "**") && glob_path(first, entry))
		follow(l, entry, pattern[len] ? pattern + len + 1 : "");
}

static bool starts_wild(const struct list *l)
{
	for (size_t i = 0; i < l->written; i++) {
		const char *pattern = from_top(l->patterns[i]);

		if (strcspn(pattern, "*?{") < strcspn(pattern, "/"))
			return true;
	}
	return false;
}

static void follow_entries(struct list *l)
{
	auto_(folder_close) DIR *d = folder_list(l->f->root, "");
	const struct dirent *entry;

	for (size_t seen = 0; d && seen < ENTRIES_MAX && (entry = readdir(d)); seen++) {
		if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
			continue;
		for (size_t i = 0; i < l->written; i++)
			follow_entry(l, entry->d_name, l->patterns[i]);
	}
}

static int lengthen(
	struct list *l, const char *const **io_patterns, size_t *io_count, struct err *e)
{
	for (size_t i = 0; i < *io_count; i++)
		if ((*io_patterns)[i])
			vec_push(l->a, &l->patterns, &l->count, &l->cap, (*io_patterns)[i]);
	l->written = l->count;
	if (starts_wild(l))
		follow_entries(l);
	/* Those of links too: a file .git may name a folder with links in it. */
	for (size_t i = 0; i < l->count && l->count <= l->written + ALIASES_MAX; i++)
		follow_pattern(l, l->patterns[i]);
	if (l->count > l->written + ALIASES_MAX)
		return err_set(e, ELOOP,
			"more than %d links stand at protected or hidden names of the workspace "
			"(sandbox.protect, sandbox.hide)",
			ALIASES_MAX);
	*io_patterns = l->patterns;
	*io_count = l->count;
	return 0;
}

int files_alias(struct files *f, const char *host, struct arena *a, struct err *e)
{
	struct files named = *f;
	struct list protect = {.f = &named, .a = a}, hide = {.f = &named, .a = a};
	int r;

	named.name = host ? host : f->name;
	r = lengthen(&protect, &f->protect, &f->protect_count, e);
	return r < 0 ? r : lengthen(&hide, &f->hide, &f->hide_count, e);
}
