/* SPDX-License-Identifier: Apache-2.0 */
#include "base/glob.h"

#include "base/utf8.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * A path pattern is run as an automaton whose states are the positions in the pattern: a set of
 * positions is carried along the path, one character of the path at a time, so the time is at most
 * the product of the lengths whatever the pattern. Steps that take no character only lead to later
 * positions; one ascending walk over the set is therefore enough to follow them all.
 */
#define PATTERN_MAX 4096
#define WORD_BITS 64
#define SET_WORDS (PATTERN_MAX / WORD_BITS + 1)

/* What stands at a position. */
enum kind {
	KIND_SELF,      /* a character that means itself; also the end of the pattern */
	KIND_ONE,       /* ? */
	KIND_MANY,      /* * */
	KIND_DEEP,      /* first star of a component ** that others follow */
	KIND_DEEP_MORE, /* its second star: inside the components that ** stands for */
	KIND_REST,      /* first star of a last component ** */
	KIND_REST_MORE, /* its second star: at least one character was taken */
	KIND_OPEN,      /* { of a group */
	KIND_NEXT,      /* , in a group: its alternative ends here */
	KIND_CLOSE,     /* } of a group */
};

struct program {
	const char *pattern;
	size_t len;
	uint8_t kind[PATTERN_MAX + 1];
	uint16_t close[PATTERN_MAX + 1]; /* in a group: where its } stands */
};

static size_t char_len(const char *p, size_t len)
{
	uint32_t c;
	size_t step = utf8_decode(p, len, &c);

	return step ? step : 1; /* a stray byte counts as a character */
}

bool glob_word(const char *pattern, const char *word)
{
	const char *star = NULL, *retry = NULL;
	size_t left = strlen(word);
	const char *end = word + left;

	while (word < end) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = word;
		} else if (*pattern == '?') {
			pattern++;
			word += char_len(word, (size_t)(end - word));
		} else if (*pattern && *pattern == *word) {
			pattern++;
			word++;
		} else if (star) {
			/* The last star takes one character more; what earlier stars took can stay.
			 */
			retry += char_len(retry, (size_t)(end - retry));
			word = retry;
			pattern = star;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool glob_has_magic(const char *pattern)
{
	return strpbrk(pattern, "*?{");
}

/* Every { has its } and no group stands in another; else all braces mean themselves. */
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

static void mark_groups(struct program *p)
{
	size_t close = 0;

	for (size_t i = p->len; i-- > 0;) {
		p->close[i] = (uint16_t)close;
		if (p->pattern[i] == '}') {
			p->kind[i] = KIND_CLOSE;
			p->close[i] = 0;
			close = i;
		} else if (p->pattern[i] == '{') {
			p->kind[i] = KIND_OPEN;
			close = 0;
		} else if (p->pattern[i] == ',' && close) {
			p->kind[i] = KIND_NEXT;
		}
	}
}

/* A component that is exactly two stars, outside of groups. */
static bool is_deep(const struct program *p, size_t i)
{
	const char *at = p->pattern + i;

	return !p->close[i] && at[1] == '*' && (i == 0 || at[-1] == '/') &&
	       (at[2] == '/' || !at[2]);
}

static void mark_stars(struct program *p)
{
	for (size_t i = 0; i < p->len; i++) {
		if (p->pattern[i] == '?')
			p->kind[i] = KIND_ONE;
		if (p->pattern[i] != '*')
			continue;
		p->kind[i] = KIND_MANY;
		if (!is_deep(p, i))
			continue;
		p->kind[i] = p->pattern[i + 2] ? KIND_DEEP : KIND_REST;
		p->kind[i + 1] = p->pattern[i + 2] ? KIND_DEEP_MORE : KIND_REST_MORE;
		i++;
	}
}

static void compile(struct program *p, const char *pattern, size_t len)
{
	p->pattern = pattern;
	p->len = len;
	memset(p->kind, KIND_SELF, (len + 1) * sizeof(p->kind[0]));
	memset(p->close, 0, (len + 1) * sizeof(p->close[0]));
	if (has_groups(pattern))
		mark_groups(p);
	mark_stars(p);
}

static void add(uint64_t *set, size_t i)
{
	set[i / WORD_BITS] |= UINT64_C(1) << (i % WORD_BITS);
}

static bool has(const uint64_t *set, size_t i)
{
	return set[i / WORD_BITS] >> (i % WORD_BITS) & 1;
}

/* Steps that take no character. */
static void follow(const struct program *p, size_t i, uint64_t *set)
{
	switch ((enum kind)p->kind[i]) {
	case KIND_MANY:
	case KIND_CLOSE:
		add(set, i + 1);
		break;
	case KIND_DEEP:
		add(set, i + 3);
		break;
	case KIND_NEXT:
		add(set, p->close[i]);
		break;
	case KIND_OPEN:
		add(set, i + 1);
		for (size_t k = i + 1; k < p->close[i]; k++)
			if (p->kind[k] == KIND_NEXT)
				add(set, k + 1);
		break;
	case KIND_SELF:
	case KIND_ONE:
	case KIND_DEEP_MORE:
	case KIND_REST:
	case KIND_REST_MORE:
		break;
	}
}

/* Steps that take the character c of len bytes. */
static void advance(const struct program *p, size_t i, const char *c, size_t len, uint64_t *next)
{
	switch ((enum kind)p->kind[i]) {
	case KIND_SELF:
		if (strncmp(p->pattern + i, c, len) == 0)
			add(next, i + len);
		break;
	case KIND_ONE:
	case KIND_MANY:
		if (*c != '/')
			add(next, p->kind[i] == KIND_ONE ? i + 1 : i);
		break;
	case KIND_DEEP:
		add(next, i + 1);
		if (*c == '/')
			add(next, i + 3);
		break;
	case KIND_DEEP_MORE:
		add(next, i);
		if (*c == '/')
			add(next, i + 2);
		break;
	case KIND_REST:
		add(next, i + 1);
		break;
	case KIND_REST_MORE:
		add(next, i);
		break;
	case KIND_OPEN:
	case KIND_NEXT:
	case KIND_CLOSE:
		break;
	}
}

/* Walks the set in ascending order, members that are added on the way included. */
static bool step(const struct program *p, uint64_t *set, const char *c, size_t len, uint64_t *next)
{
	bool alive = false;

	for (size_t w = 0; w <= p->len / WORD_BITS; w++) {
		uint64_t done = 0, left;

		while ((left = set[w] & ~done)) {
			size_t bit = (size_t)__builtin_ctzll(left);

			done |= UINT64_C(1) << bit;
			follow(p, w * WORD_BITS + bit, set);
			if (len)
				advance(p, w * WORD_BITS + bit, c, len, next);
			alive = true;
		}
	}
	return alive;
}

/* The pattern is not empty. */
static bool run(const struct program *p, const char *path)
{
	uint64_t sets[2][SET_WORDS];
	size_t bytes = (p->len / WORD_BITS + 1) * sizeof(uint64_t);
	uint64_t *set = sets[0], *next = sets[1];

	memset(set, 0, bytes);
	add(set, 0);
	for (size_t left = strlen(path), len; left > 0; left -= len, path += len) {
		len = char_len(path, left);
		memset(next, 0, bytes);
		if (!step(p, set, path, len, next))
			return false;

		uint64_t *swap = set;

		set = next;
		next = swap;
	}
	step(p, set, "", 0, next);
	return has(set, p->len) || (p->kind[p->len - 1] == KIND_REST_MORE && has(set, p->len - 1));
}

bool glob_path(const char *pattern, const char *path)
{
	struct program p;
	size_t len = strlen(pattern);

	if (len > PATTERN_MAX)
		return false;
	/* Most answers are found before the first special character. */
	for (size_t i = 0; !strchr("*?{}", pattern[i]); i++)
		if (pattern[i] != path[i])
			return false;
	if (!strpbrk(pattern, "*?{}"))
		return strcmp(pattern, path) == 0;
	compile(&p, pattern, len);
	return run(&p, path);
}
