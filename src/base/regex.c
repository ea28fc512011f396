/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Matching carries the set of all steps that are possible at one place of the text, each with the
 * place where its match began; a step is in the set once, for the earliest beginning.
 */

#include "base/regex.h"

#include "base/regex_parts.h"
#include "base/utf8.h"

#include <ctype.h>
#include <string.h>

static uint32_t lower(uint32_t c)
{
	return c < 128 ? (uint32_t)tolower((int)c) : c;
}

uint32_t regex_char(const char *p, const char *end, size_t *ret_len)
{
	uint32_t c;

	*ret_len = utf8_decode(p, (size_t)(end - p), &c);
	if (*ret_len)
		return c;
	*ret_len = 1;
	return REGEX_NOT_UTF8 + (unsigned char)*p;
}

/* Where a match stands in its text. */
struct place {
	const char *text;
	size_t len, at;
};

static bool is_word(const struct place *p, size_t at)
{
	unsigned char c = at < p->len ? (unsigned char)p->text[at] : 0;

	return isalnum(c) || c == '_' || c >= 128;
}

static bool holds(enum regex_op op, const struct place *p)
{
	bool edge = is_word(p, p->at) != (p->at > 0 && is_word(p, p->at - 1));

	if (op == REGEX_BEGIN)
		return p->at == 0 || p->text[p->at - 1] == '\n';
	if (op == REGEX_END)
		return p->at == p->len || p->text[p->at] == '\n';
	return op == REGEX_WORD ? edge : !edge;
}

static bool in_set(const struct regex_set *s, uint32_t c)
{
	for (size_t i = 0; i < s->count; i++)
		if (c >= s->ranges[i].first && c <= s->ranges[i].last)
			return true;
	return false;
}

static bool takes(const struct regex *x, const struct regex_step *s, uint32_t c)
{
	bool found;

	if (s->op == REGEX_ANY)
		return c != '\n';
	if (s->op == REGEX_CHAR)
		return s->c == c || (x->ignore_case && lower(s->c) == lower(c)) ||
		       (c >= REGEX_NOT_UTF8 && s->c == c - REGEX_NOT_UTF8 && s->c >= 128);
	found = in_set(s->set, c) ||
		(x->ignore_case && c < 128 &&
			(in_set(s->set, lower(c)) || in_set(s->set, (uint32_t)toupper((int)c))));
	return s->set->negated ? !found && c != '\n' : found;
}

/* A step and all that it leads to without a character. */
static void follow(struct regex *x, struct regex_thread *list, size_t *count, size_t step,
	size_t start, const struct place *p)
{
	size_t depth = 0;

	x->stack[depth++] = step;
	while (depth > 0) {
		const struct regex_step *s;

		step = x->stack[--depth];
		if (x->seen[step] == p->at + 1)
			continue;
		x->seen[step] = p->at + 1;
		s = &x->steps[step];
		if (s->op == REGEX_JUMP) {
			x->stack[depth++] = s->to;
		} else if (s->op == REGEX_SPLIT) {
			x->stack[depth++] = s->also;
			x->stack[depth++] = s->to;
		} else if (s->op >= REGEX_BEGIN && s->op <= REGEX_NO_WORD) {
			if (holds(s->op, p))
				x->stack[depth++] = step + 1;
		} else {
			list[(*count)++] = (struct regex_thread){step, start};
		}
	}
}

/* The best match so far: the leftmost, then the longest. */
struct best {
	bool found;
	size_t at, end;
};

static void note(struct best *b, size_t start, size_t end)
{
	if (!b->found || start < b->at || (start == b->at && end > b->end))
		*b = (struct best){true, start, end};
}

/* One character for all threads; those that can no longer be the best are dropped. */
static size_t advance(
	struct regex *x, size_t count, uint32_t c, struct place *p, const struct best *b)
{
	size_t next = 0;

	for (size_t i = 0; i < count; i++) {
		const struct regex_thread *t = &x->now[i];
		const struct regex_step *s = &x->steps[t->step];

		if (s->op != REGEX_MATCH && (!b->found || t->start <= b->at) && takes(x, s, c))
			follow(x, x->next, &next, t->step + 1, t->start, p);
	}
	return next;
}

/* To where a match can begin: most expressions begin with a letter. */
static bool skip(const struct regex *x, struct place *p)
{
	const struct regex_step *first = &x->steps[0];
	const char *found;

	if (first->op != REGEX_CHAR || first->c >= 128 || x->ignore_case)
		return true;
	found = p->at < p->len ? memchr(p->text + p->at, (int)first->c, p->len - p->at) : NULL;
	p->at = found ? (size_t)(found - p->text) : p->len;
	return found != NULL;
}

bool regex_find(struct regex *x, const char *text, size_t len, size_t *ret_at, size_t *ret_len)
{
	struct place p = {text, len, 0};
	struct best best = {false, 0, 0};
	size_t count = 0;

	memset(x->seen, 0, x->count * sizeof *x->seen);
	for (;;) {
		struct regex_thread *swap;
		size_t size;
		uint32_t c;

		if (count == 0 && !best.found && !skip(x, &p))
			break;
		if (!best.found) /* behind those that began earlier */
			follow(x, x->now, &count, 0, p.at, &p);
		for (size_t i = 0; i < count; i++)
			if (x->steps[x->now[i].step].op == REGEX_MATCH)
				note(&best, x->now[i].start, p.at);
		if (p.at == len || (best.found && count == 0))
			break;
		c = regex_char(text + p.at, text + len, &size);
		p.at += size;
		count = advance(x, count, c, &p, &best);
		swap = x->now;
		x->now = x->next;
		x->next = swap;
	}
	if (best.found) {
		*ret_at = best.at;
		*ret_len = best.end - best.at;
	}
	return best.found;
}
