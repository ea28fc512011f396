/* SPDX-License-Identifier: Apache-2.0 */
#include "base/regex_parts.h"

#include "base/str.h"
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#define DEPTH_MAX 200
#define REPEAT_MAX 1000
#define ENDLESS UINT_MAX
#define RANGES_MAX 256

/* The expression as it is read; steps grow behind each other. */
struct reader {
	struct arena *a;
	const char *start, *p;
	struct regex_step *steps;
	size_t count;
	unsigned depth;
	struct err *e;
};

static int wrong(const struct reader *r, const char *why)
{
	return err_set(r->e, EINVAL, "the expression is wrong at character %zu: %s",
		(size_t)(r->p - r->start) + 1, why);
}

/* Inserts room for n steps at `at`; what leads behind it leads further. */
static int make_room(struct reader *r, size_t at, size_t n)
{
	if (r->count + n > REGEX_MAX)
		return err_set(r->e, EFBIG, "the expression is too large: shorten its repetitions");
	memmove(r->steps + at + n, r->steps + at, (r->count - at) * sizeof *r->steps);
	r->count += n;
	for (size_t i = at + n; i < r->count; i++) {
		r->steps[i].to += r->steps[i].to >= at ? n : 0;
		r->steps[i].also += r->steps[i].also >= at ? n : 0;
	}
	return 0;
}

static int add(struct reader *r, struct regex_step s)
{
	int result = make_room(r, r->count, 1);

	if (result == 0)
		r->steps[r->count - 1] = s;
	return result;
}

static void set_add(struct reader *r, struct regex_set *s, uint32_t first, uint32_t last)
{
	vec_push(r->a, &s->ranges, &s->count, &s->cap, (struct regex_range){first, last});
}

static const struct {
	const char *name;
	struct regex_range ranges[4];
} classes[] = {
	{"d", {{'0', '9'}}},
	{"w", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
	{"s", {{'\t', '\r'}, {' ', ' '}}},
	{"alpha", {{'A', 'Z'}, {'a', 'z'}}},
	{"digit", {{'0', '9'}}},
	{"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
	{"upper", {{'A', 'Z'}}},
	{"lower", {{'a', 'z'}}},
	{"space", {{'\t', '\r'}, {' ', ' '}}},
	{"blank", {{'\t', '\t'}, {' ', ' '}}},
	{"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
	{"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
	{"cntrl", {{1, 31}, {127, 127}}},
	{"print", {{' ', '~'}}},
	{"graph", {{'!', '~'}}},
};

static bool set_class(
	struct reader *r, struct regex_set *s, const char *name, size_t len, bool negated)
{
	uint32_t from = 0;

	for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
		if (strlen(classes[i].name) != len || memcmp(classes[i].name, name, len) != 0)
			continue;
		for (size_t k = 0; k < 4 && classes[i].ranges[k].last; k++) {
			const struct regex_range *x = &classes[i].ranges[k];

			if (!negated)
				set_add(r, s, x->first, x->last);
			else if (x->first > from)
				set_add(r, s, from, x->first - 1);
			from = x->last + 1;
		}
		if (negated)
			set_add(r, s, from, REGEX_NOT_UTF8 + 255);
		return true;
	}
	return false;
}

/* Behind a backslash: a character, or -1 for what means something else. */
static int64_t read_escape(struct reader *r)
{
	static const char letters[] = "tnrfv0ae", meant[] = "\t\n\r\f\v\0\a\033";
	const char *letter = strchr(letters, *r->p);
	int high, low;

	if (*r->p == 'x') {
		high = str_hex_digit(r->p[1]);
		low = high < 0 ? -1 : str_hex_digit(r->p[2]);
		if (low < 0)
			return -1;
		r->p += 3;
		return high * 16 + low;
	}
	if (*r->p && letter) {
		r->p++;
		return meant[letter - letters];
	}
	if ((unsigned char)*r->p >= 128 || ispunct((unsigned char)*r->p) || *r->p == ' ') {
		size_t len;
		uint32_t c = regex_char(r->p, r->p + strlen(r->p), &len);

		r->p += len;
		return c;
	}
	return -1;
}

/* One end of a range in brackets; -1: not a single character. */
static int64_t read_member(struct reader *r)
{
	size_t len;
	uint32_t c;

	if (*r->p == '\\') {
		r->p++;
		return read_escape(r);
	}
	c = regex_char(r->p, r->p + strlen(r->p), &len);
	r->p += len;
	return c;
}

static int read_class_name(struct reader *r, struct regex_set *s)
{
	const char *end = strstr(r->p, ":]");

	r->p += 2;
	if (!end || end < r->p || !set_class(r, s, r->p, (size_t)(end - r->p), false))
		return wrong(r, "there is no such class");
	r->p = end + 2;
	return 0;
}

static int read_range(struct reader *r, struct regex_set *s)
{
	int64_t first, last;

	if (r->p[0] == '\\' && r->p[1] && strchr("dwsDWS", r->p[1])) {
		char name = (char)tolower(r->p[1]);

		set_class(r, s, &name, 1, isupper((unsigned char)r->p[1]));
		r->p += 2;
		return 0;
	}
	first = read_member(r);
	if (first < 0)
		return wrong(r, "this escape means nothing in brackets");
	last = first;
	if (r->p[0] == '-' && r->p[1] && r->p[1] != ']') {
		r->p++;
		last = read_member(r);
		if (last < 0)
			return wrong(r, "this escape means nothing in brackets");
	}
	if (last < first)
		return wrong(r, "the range ends before it begins");
	set_add(r, s, (uint32_t)first, (uint32_t)last);
	return 0;
}

/* Behind the opening bracket. */
static int read_set(struct reader *r)
{
	struct regex_set *s = arena_alloc(r->a, sizeof *s);
	bool first = true;
	int result = 0;

	s->negated = *r->p == '^';
	r->p += s->negated;
	for (; result == 0 && (*r->p != ']' || first); first = false) {
		if (!*r->p)
			return wrong(r, "the bracket is not closed");
		if (s->count > RANGES_MAX)
			return wrong(r, "there is too much in brackets");
		result =
			r->p[0] == '[' && r->p[1] == ':' ? read_class_name(r, s) : read_range(r, s);
	}
	r->p++;
	return result < 0 ? result : add(r, (struct regex_step){.op = REGEX_SET, .set = s});
}

static int read_backslash(struct reader *r)
{
	struct regex_set *s;
	int64_t c;
	char name = (char)tolower((unsigned char)*r->p);

	if (!*r->p)
		return wrong(r, "nothing follows the backslash");
	if (*r->p == 'b' || *r->p == 'B')
		return add(
			r, (struct regex_step){.op = *r->p++ == 'b' ? REGEX_WORD : REGEX_NO_WORD});
	if (strchr("dws", name)) {
		s = arena_alloc(r->a, sizeof *s);
		set_class(r, s, &name, 1, isupper((unsigned char)*r->p));
		r->p++;
		return add(r, (struct regex_step){.op = REGEX_SET, .set = s});
	}
	c = read_escape(r);
	if (c < 0)
		return wrong(r, "this escape is not known (references are not supported)");
	return add(r, (struct regex_step){.op = REGEX_CHAR, .c = (uint32_t)c});
}

static int read_either(struct reader *r);

static int read_group(struct reader *r)
{
	int result;

	if (r->p[0] == '?' && r->p[1] == ':')
		r->p += 2;
	else if (r->p[0] == '?')
		return wrong(r, "only (?:...) is known, and (?i) in front of everything");
	if (r->depth++ == DEPTH_MAX)
		return wrong(r, "there are too many brackets in brackets");
	result = read_either(r);
	r->depth--;
	if (result == 0 && *r->p != ')')
		return wrong(r, "the bracket is not closed");
	r->p++;
	return result;
}

static int read_atom(struct reader *r)
{
	size_t len;
	uint32_t c;

	switch (*r->p) {
	case '.':
		r->p++;
		return add(r, (struct regex_step){.op = REGEX_ANY});
	case '^':
		r->p++;
		return add(r, (struct regex_step){.op = REGEX_BEGIN});
	case '$':
		r->p++;
		return add(r, (struct regex_step){.op = REGEX_END});
	case '(':
		r->p++;
		return read_group(r);
	case '[':
		r->p++;
		return read_set(r);
	case '\\':
		r->p++;
		return read_backslash(r);
	case '*':
	case '+':
	case '?':
		return wrong(r, "there is nothing to repeat");
	default:
		c = regex_char(r->p, r->p + strlen(r->p), &len);
		r->p += len;
		return add(r, (struct regex_step){.op = REGEX_CHAR, .c = c});
	}
}

static bool read_number(struct reader *r, unsigned *ret)
{
	const char *start = r->p;

	*ret = 0;
	for (; isdigit((unsigned char)*r->p) && *ret <= REPEAT_MAX; r->p++)
		*ret = *ret * 10 + (unsigned)(*r->p - '0');
	return r->p > start;
}

/* How often: *, +, ?, {m}, {m,}, {m,n}. false: a brace that is none. */
static bool read_count(struct reader *r, unsigned *ret_min, unsigned *ret_max)
{
	const char *start = r->p;
	char c = *r->p++;

	*ret_min = c == '+';
	*ret_max = c == '?' ? 1 : ENDLESS;
	if (c != '{')
		return true;
	if (read_number(r, ret_min)) {
		*ret_max = *ret_min;
		if (*r->p == ',') {
			r->p++;
			if (!read_number(r, ret_max))
				*ret_max = ENDLESS;
		}
		if (*r->p++ == '}')
			return true;
	}
	r->p = start;
	return false;
}

/* Another one of the steps from..from+n, at the end. */
static int again(struct reader *r, size_t from, size_t n)
{
	size_t at = r->count;
	int result = make_room(r, at, n);

	for (size_t i = 0; result == 0 && i < n; i++) {
		struct regex_step s = r->steps[from + i];

		if (s.op == REGEX_SPLIT || s.op == REGEX_JUMP) {
			s.to += at - from;
			s.also += s.op == REGEX_SPLIT ? at - from : 0;
		}
		r->steps[at + i] = s;
	}
	return result;
}

/* The steps from `at` to the end may be left out. */
static int optional(struct reader *r, size_t at)
{
	int result = make_room(r, at, 1);

	if (result == 0)
		r->steps[at] =
			(struct regex_step){.op = REGEX_SPLIT, .to = at + 1, .also = r->count};
	return result;
}

/* The steps from `at` to the end may be done again and again. */
static int endless(struct reader *r, size_t at)
{
	size_t end = r->count;

	return add(r, (struct regex_step){.op = REGEX_SPLIT, .to = at, .also = end + 1});
}

/* x{2,4} is x x (x (x)?)?, and x{2,} is x x+. */
static int repeat(struct reader *r, size_t at, unsigned min, unsigned max)
{
	size_t n = r->count - at;
	unsigned copies = max == ENDLESS ? (min ? min : 1) : max;
	int result = 0;

	if (copies > REPEAT_MAX || min > REPEAT_MAX)
		return wrong(r, "that is repeated too often");
	if (max < min)
		return wrong(r, "a repetition ends before it begins");
	if (max == 0 || n == 0) {
		r->count = at;
		return 0;
	}
	for (unsigned i = 1; result == 0 && i < copies; i++)
		result = again(r, at, n);
	if (result == 0 && max == ENDLESS)
		result = endless(r, at + (copies - 1) * n);
	/* From the last to the first, so that what is still to be done stays where it is. */
	for (unsigned i = copies; result == 0 && i-- > min;)
		result = optional(r, at + i * n);
	return result;
}

static int read_repeated(struct reader *r)
{
	size_t at = r->count;
	unsigned min, max;
	int result = read_atom(r);

	while (result == 0 && *r->p && strchr("*+?{", *r->p)) {
		if (!read_count(r, &min, &max)) {
			r->p++; /* a brace that means itself */
			return add(r, (struct regex_step){.op = REGEX_CHAR, .c = '{'});
		}
		result = repeat(r, at, min, max);
		/* The shortest: where lines are looked for, that is the same. */
		if (*r->p == '?')
			r->p++;
	}
	return result;
}

static int read_either(struct reader *r)
{
	size_t start = r->count;
	int result = 0;

	while (result == 0 && *r->p && *r->p != ')' && *r->p != '|')
		result = read_repeated(r);
	if (result < 0 || *r->p != '|')
		return result;
	r->p++;
	result = make_room(r, start, 1);
	if (result == 0)
		result = add(r, (struct regex_step){.op = REGEX_JUMP});
	if (result < 0)
		return result;

	size_t jump = r->count - 1;

	r->steps[start] = (struct regex_step){.op = REGEX_SPLIT, .to = start + 1, .also = r->count};
	if (r->depth++ == DEPTH_MAX)
		return wrong(r, "there are too many alternatives");
	result = read_either(r);
	r->depth--;
	r->steps[jump].to = r->count;
	return result;
}

int regex_compile(
	struct arena *a, const char *pattern, bool ignore_case, struct regex **ret, struct err *e)
{
	bool prefix = strncmp(pattern, "(?i)", 4) == 0;
	struct reader r = {.a = a,
		.start = pattern,
		.p = pattern + (prefix ? 4 : 0),
		.steps = arena_array(a, REGEX_MAX + 1, sizeof *r.steps),
		.e = e};
	struct regex *x;
	int result = read_either(&r);

	if (result == 0 && *r.p)
		result = wrong(&r, "this bracket was not opened");
	if (result == 0)
		result = add(&r, (struct regex_step){.op = REGEX_MATCH});
	if (result < 0)
		return result;
	x = arena_alloc(a, sizeof *x);
	x->steps = r.steps;
	x->count = r.count;
	x->ignore_case = ignore_case || prefix;
	x->now = arena_array(a, r.count, sizeof *x->now);
	x->next = arena_array(a, r.count, sizeof *x->next);
	x->seen = arena_array(a, r.count, sizeof *x->seen);
	x->stack = arena_array(a, 2 * r.count + 2, sizeof *x->stack);
	*ret = x;
	return 0;
}
