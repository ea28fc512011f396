/* SPDX-License-Identifier: Apache-2.0 */
#include "model/protect.h"

#include "base/glob.h"
#include "base/utf8.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/*
 * A pattern is cut into components and carried along the path as a set of positions, one component
 * of the path at a time: bit i is set when the components before i are used up. A ** stays where it
 * is for every component that it takes. What is left in the set at the end of the path says how the
 * path stands: at the end of the pattern is a match; a position that was just reached by a
 * component of the pattern's own is a name above one.
 */
#define PARTS_MAX 63
#define PATTERN_MAX 4096
#define EXPANSIONS_MAX 1024

struct parts {
	size_t count;
	char text[PATTERN_MAX + 1];
	const char *part[PARTS_MAX];
};

/* Where a path stands in one pattern. */
struct standing {
	enum protect_place place;
	uint64_t deep; /* the ** that reach what is below the path */
};

static const char *const op_names[PROTECT_OP_COUNT] = {
	[PROTECT_READ] = "read",
	[PROTECT_WRITE] = "write",
	[PROTECT_ATTR] = "change attributes",
	[PROTECT_CREATE] = "create",
	[PROTECT_SYMLINK] = "symlink",
	[PROTECT_MKDIR] = "mkdir",
	[PROTECT_UNLINK] = "unlink",
	[PROTECT_RMDIR] = "rmdir",
	[PROTECT_LINK_FROM] = "link from",
	[PROTECT_LINK_TO] = "link to",
	[PROTECT_MOVE_FILE] = "rename from",
	[PROTECT_MOVE_DIR] = "rename from",
	[PROTECT_MOVE_FILE_TO] = "rename to",
	[PROTECT_MOVE_LINK_TO] = "rename to",
	[PROTECT_MOVE_DIR_TO] = "rename to",
};

/*
 * A name above a protected one may only be or become a folder: a link would lead the protected name
 * elsewhere, and a file such as .git can do so too. Where the name is only matched by a wildcard a
 * plain file is harmless; so is everything but a link where a match may only lie deeper.
 */
static const int refusals[PROTECT_OP_COUNT][PROTECT_PLACE_COUNT] = {
	[PROTECT_READ] = {[PROTECT_NAME] = EACCES},
	[PROTECT_WRITE] = {[PROTECT_ABOVE] = EACCES, EACCES, EACCES},
	[PROTECT_ATTR] = {[PROTECT_FOLDER] = EACCES, EACCES},
	[PROTECT_CREATE] = {[PROTECT_ABOVE] = EACCES, EACCES, EACCES},
	[PROTECT_SYMLINK] = {[PROTECT_DEEP] = EACCES, EACCES, EACCES, EACCES, EACCES},
	[PROTECT_MKDIR] = {[PROTECT_FOLDER] = EACCES, EACCES},
	[PROTECT_UNLINK] = {[PROTECT_ABOVE] = EACCES, EACCES, EACCES},
	[PROTECT_RMDIR] = {[PROTECT_FOLDER] = EACCES, EACCES},
	[PROTECT_LINK_FROM] = {[PROTECT_ABOVE] = EACCES, EACCES, EACCES},
	[PROTECT_LINK_TO] = {[PROTECT_ABOVE] = EACCES, EACCES, EACCES},
	[PROTECT_MOVE_FILE] = {[PROTECT_ABOVE] = EBUSY, EBUSY, EACCES},
	[PROTECT_MOVE_DIR] = {[PROTECT_ABOVE_WILD] = EBUSY, EBUSY, EBUSY, EACCES},
	[PROTECT_MOVE_FILE_TO] = {[PROTECT_ABOVE] = EACCES, EACCES, EACCES},
	[PROTECT_MOVE_LINK_TO] = {[PROTECT_DEEP] = EACCES, EACCES, EACCES, EACCES, EACCES},
	[PROTECT_MOVE_DIR_TO] = {[PROTECT_ABOVE_WILD] = EACCES, EACCES, EACCES, EACCES},
};

const char *protect_op_name(enum protect_op op)
{
	return op_names[op];
}

int protect_refuses(enum protect_place place, enum protect_op op)
{
	return refusals[op][place];
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Lower case; with `deep` also without what case-folding file systems leave out. At most size - 1
 * bytes are written, which is enough: folding never makes a text longer. */
static void fold(const char *text, char *out, size_t size, bool deep)
{
	size_t left = strlen(text), n = 0;

	for (size_t len; left > 0 && n + 4 < size; text += len, left -= len) {
		uint32_t c;

		len = utf8_decode(text, left, &c);
		if (len > 1 && deep && (c == 0x212a || c == 0x17f)) {
			out[n++] = c == 0x17f ? 's' : 'k'; /* long s, Kelvin sign */
		} else if (len > 1 && deep && utf8_is_deceptive(c)) {
			continue;
		} else {
			len = len ? len : 1;
			for (size_t i = 0; i < len; i++)
				out[n++] = lower(text[i]);
		}
	}
	out[n] = '\0';
}

static bool has_high(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text >= 0x80)
			return true;
	return false;
}

/* The groups of a pattern as glob_path() sees them: none when they nest or do not pair up. */
static bool has_groups(const char *pattern)
{
	bool open = false, any = false;

	for (const char *p = strpbrk(pattern, "{}"); p; p = strpbrk(p + 1, "{}")) {
		if ((*p == '{') == open)
			return false;
		open = *p == '{';
		any = true;
	}
	return any && !open;
}

/* Writes the alternative `pick` (from 0) of the group at p; returns what is behind the group. */
static const char *put_choice(const char *p, size_t pick, char **out)
{
	const char *close = strchr(p, '}');

	for (p++; pick > 0 && p < close; p++)
		pick -= *p == ',';
	for (; p < close && *p != ','; p++)
		*(*out)++ = *p;
	return close + 1;
}

static size_t choices(const char *group)
{
	size_t n = 1;

	for (; *group != '}'; group++)
		n += *group == ',';
	return n;
}

/* The pattern number `index` of those that the groups stand for; false: there are not so many. */
static bool expand(const char *pattern, size_t index, char *out)
{
	if (!has_groups(pattern)) {
		memcpy(out, pattern, strlen(pattern) + 1);
		return index == 0;
	}
	while (*pattern) {
		if (*pattern != '{') {
			*out++ = *pattern++;
			continue;
		}

		size_t n = choices(pattern);

		pattern = put_choice(pattern, index % n, &out);
		index /= n;
	}
	*out = '\0';
	return index == 0;
}

/* Cuts p->text at its slashes. A pattern of too many components is protected up to the last one
 * that fits: more than it asks for, never less. */
static void split(struct parts *p)
{
	char *next = p->text;

	p->count = 0;
	while (*next && p->count < PARTS_MAX) {
		char *start = next, *slash = strchr(next, '/');

		next = slash ? slash + 1 : next + strlen(next);
		if (slash)
			*slash = '\0';
		if (*start && strcmp(start, ".") != 0)
			p->part[p->count++] = start;
	}
}

static bool is_deep(const struct parts *p, size_t i)
{
	return i < p->count && strcmp(p->part[i], "**") == 0;
}

static uint64_t bit(size_t i)
{
	return UINT64_C(1) << i;
}

/* A ** that others follow may stand for nothing. */
static uint64_t skip_deep(const struct parts *p, uint64_t set)
{
	for (size_t i = 0; i + 1 < p->count; i++)
		if ((set & bit(i)) && is_deep(p, i))
			set |= bit(i + 1);
	return set;
}

/* One component of the path. *ret_own: the positions that a component other than ** led to. */
static uint64_t step(const struct parts *p, uint64_t set, const char *name, uint64_t *ret_own)
{
	uint64_t next = 0;

	*ret_own = 0;
	for (size_t i = 0; i < p->count; i++) {
		if (!(set & bit(i)))
			continue;
		if (is_deep(p, i))
			next |= i + 1 == p->count ? bit(i + 1) : bit(i);
		else if (glob_word(p->part[i], name))
			*ret_own |= bit(i + 1);
	}
	next |= *ret_own;
	return skip_deep(p, next);
}

static enum protect_place name_above(const struct parts *p, uint64_t own)
{
	enum protect_place place = PROTECT_FREE;

	for (size_t i = 1; i < p->count; i++) {
		enum protect_place here = PROTECT_ABOVE;

		if (!(own & bit(i)))
			continue;
		if (i + 1 == p->count && is_deep(p, i))
			here = PROTECT_FOLDER;
		else if (glob_has_magic(p->part[i - 1]))
			here = PROTECT_ABOVE_WILD;
		place = here > place ? here : place;
	}
	return place;
}

static struct standing stand_in(const struct parts *p, const char *path)
{
	struct standing s = {PROTECT_FREE, 0};
	uint64_t set = skip_deep(p, bit(0)), own = 0;
	char name[NAME_MAX + 1];

	while (*path && p->count) {
		size_t len = strcspn(path, "/"), used = len < NAME_MAX ? len : NAME_MAX;

		memcpy(name, path, used);
		name[used] = '\0';
		set = step(p, set, name, &own);
		if (set & bit(p->count))
			return (struct standing){PROTECT_NAME, 0};
		path += len + (path[len] == '/');
	}
	s.place = name_above(p, own);
	for (size_t i = 0; i < p->count; i++)
		if ((set & bit(i)) && is_deep(p, i))
			s.deep |= bit(i);
	/* A ** at the very start also reaches whatever a link leads to; another one does not. */
	if (s.place == PROTECT_FREE && (s.deep & ~bit(0)))
		s.place = PROTECT_DEEP;
	return s;
}

/* For every pattern without groups that this one stands for; stops when fn returns true. */
typedef bool parts_fn(const struct parts *p, void *ctx);
static bool each_form(const char *pattern, bool deep, parts_fn *fn, void *ctx)
{
	struct parts p;
	char folded[PATTERN_MAX + 1];

	if (!pattern || strlen(pattern) >= PATTERN_MAX - 4)
		return false;
	fold(pattern, folded, sizeof(folded), deep);
	for (size_t i = 0; i < EXPANSIONS_MAX && expand(folded, i, p.text); i++) {
		split(&p);
		if (fn(&p, ctx))
			return true;
	}
	return false;
}

/*
 * Can the path stand in the pattern at all? Most cannot, which one look at the pattern's first
 * written component tells: it is the path's first one or, behind a **, somewhere in it. The path is
 * folded; where it was folded deeply this question is not asked.
 */
static bool may_concern(const char *pattern, const char *path)
{
	bool anywhere = pattern && strncmp(pattern, "**/", 3) == 0;
	const char *first = pattern ? pattern + (anywhere ? 3 : 0) : "";
	size_t len = strcspn(first, "/");

	if (len == 0 || !*path || strcspn(first, "*?{}[") < len || has_high(pattern) ||
		strncmp(first, "./", 2) == 0)
		return true;
	if (!anywhere)
		return strncasecmp(path, first, len) == 0 && (!path[len] || path[len] == '/');
	for (; path; path = strchr(path, '/'), path = path ? path + 1 : NULL)
		if (strncasecmp(path, first, len) == 0 && (!path[len] || path[len] == '/'))
			return true;
	return false;
}

struct question {
	const char *path;
	enum protect_place worst;
};

static bool ask_place(const struct parts *p, void *ctx)
{
	struct question *q = ctx;
	struct standing s = stand_in(p, q->path);

	if (s.place > q->worst)
		q->worst = s.place;
	return q->worst == PROTECT_NAME;
}

enum protect_place protect_place(const char *const *patterns, size_t count, const char *path)
{
	char folded[PATH_MAX + NAME_MAX + 8];
	struct question q = {.path = folded, .worst = PROTECT_FREE};

	for (int deep = 0; deep <= (has_high(path) ? 1 : 0); deep++) {
		fold(path, folded, sizeof(folded), deep);
		for (size_t i = 0; i < count && q.worst < PROTECT_NAME; i++)
			if (deep || may_concern(patterns[i], folded))
				each_form(patterns[i], deep, ask_place, &q);
	}
	return q.worst;
}

struct move {
	const char *from, *to;
};

static bool ask_move(const struct parts *p, void *ctx)
{
	const struct move *m = ctx;
	uint64_t from = m->from ? stand_in(p, m->from).deep : 0;
	uint64_t to = m->to ? stand_in(p, m->to).deep : 0;

	return from != to;
}

bool protect_may_move(const char *const *patterns, size_t count, const char *from, const char *to)
{
	char old[PATH_MAX + NAME_MAX + 8], new[PATH_MAX + NAME_MAX + 8];
	struct move m = {from ? old : NULL, to ? new : NULL};

	for (int deep = 0; deep < 2; deep++) {
		if (from)
			fold(from, old, sizeof(old), deep);
		if (to)
			fold(to, new, sizeof(new), deep);
		for (size_t i = 0; i < count; i++)
			if (each_form(patterns[i], deep, ask_move, &m))
				return false;
	}
	return true;
}
