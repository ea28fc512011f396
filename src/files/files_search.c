/* SPDX-License-Identifier: Apache-2.0 */
#include "files/files_search.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/regex.h"
#include "base/str.h"
#include "base/vec.h"
#include "files/files_read.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#define ANSWER_MAX ((size_t)1 << 20)        /* bytes of all lines together */
#define BYTES_MAX ((uint64_t)2 << 30)       /* that are looked at */
#define EXPRESSION_LINE ((size_t)64 * 1024) /* bytes of a line that an expression looks at */
#define PATTERN_MAX 2000
#define LOOK_BYTES 1024 /* between two looks at the clock */
#define BINARY_LOOK 8192

static const char *const skipped[] = {".git", NULL};

struct search {
	const struct files *f;
	const struct files_search *q;
	struct arena *a;
	struct regex *regex; /* NULL: a plain text */
	size_t text_len, limit, answered;
	uint64_t until_ms;
	struct files_found found;
	struct files_match *matches;
	size_t cap;
	size_t since; /* bytes since the last look at the clock */
};

/* The file that is looked at. */
struct text {
	const char *path, *data, *end;
	const char *counted; /* up to where lines are counted */
	size_t line;         /* of `counted`, from 1 */
	const char *told;    /* up to where lines are told */
};

struct span {
	const char *start, *end; /* of the line, without its newline */
	size_t at, len;          /* of the match in it */
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* bytes: that are looked at next. An expression may need long for each. */
static bool is_over(struct search *s, size_t bytes)
{
	if (s->found.more)
		return true;
	s->since += bytes + 1;
	if (s->since < LOOK_BYTES)
		return false;
	s->since = 0;
	if (now_ms() >= s->until_ms)
		s->found.more = s->found.late = true;
	return s->found.more;
}

static const char *line_end(const char *p, const char *end)
{
	const char *newline = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;

	return newline ? newline : end;
}

static bool find_plain(
	const struct search *s, const struct text *t, const char *from, struct span *ret)
{
	const char *at = memmem(from, (size_t)(t->end - from), s->q->text, s->text_len);
	const char *start = at;

	if (!at)
		return false;
	while (start > t->data && start[-1] != '\n')
		start--;
	*ret = (struct span){start, line_end(at, t->end), (size_t)(at - start), s->text_len};
	return true;
}

static bool find_regex(struct search *s, const struct text *t, const char *from, struct span *ret)
{
	while (from < t->end) {
		const char *end = line_end(from, t->end);
		size_t len = (size_t)(end - from);

		len -= len && from[len - 1] == '\r';
		len = len < EXPRESSION_LINE ? len : EXPRESSION_LINE;
		if (is_over(s, len))
			return false;
		*ret = (struct span){.start = from, .end = end};
		if (regex_find(s->regex, from, len, &ret->at, &ret->len))
			return true;
		from = end < t->end ? end + 1 : end;
	}
	return false;
}

static size_t number_of(struct text *t, const char *start)
{
	while (t->counted < start) {
		const char *newline = memchr(t->counted, '\n', (size_t)(start - t->counted));

		if (!newline)
			break;
		t->line++;
		t->counted = newline + 1;
	}
	return t->line;
}

/* A long line is shown around its match, without half a character at either end. */
static void cut_line(struct files_match *m, const char *start, size_t len, size_t at)
{
	size_t from = at > FILES_SEARCH_LINE / 4 ? at - FILES_SEARCH_LINE / 4 : 0;
	size_t to = from + FILES_SEARCH_LINE < len ? from + FILES_SEARCH_LINE : len;

	if (len <= FILES_SEARCH_LINE) {
		m->text = start;
		m->len = len;
		return;
	}
	while (from < to && from > 0 && ((unsigned char)start[from] & 0xc0) == 0x80)
		from++;
	while (to > from && to < len && ((unsigned char)start[to] & 0xc0) == 0x80)
		to--;
	m->text = start + from;
	m->len = to - from;
	m->cut = true;
}

static void tell(struct search *s, struct text *t, const struct span *x, bool match)
{
	struct files_match m = {.path = t->path, .line = number_of(t, x->start)};
	size_t len = (size_t)(x->end - x->start);

	len -= len && x->start[len - 1] == '\r';
	cut_line(&m, x->start, len, x->at);
	m.column = match ? x->at + 1 : 0;
	m.text = arena_text(s->a, m.text, m.len);
	s->answered += m.len + strlen(m.path) + 32;
	s->found.match_count += match;
	vec_push(s->a, &s->matches, &s->found.count, &s->cap, m);
	t->told = x->end < t->end ? x->end + 1 : t->end;
}

/* Lines behind the last match, up to where the next one begins. */
static void tell_behind(struct search *s, struct text *t, const char *until)
{
	for (unsigned i = 0; i < s->q->context && t->told < until && t->told > t->data; i++)
		tell(s, t, &(struct span){.start = t->told, .end = line_end(t->told, t->end)},
			false);
}

static void tell_before(struct search *s, struct text *t, const char *start)
{
	const char *p = start;

	for (unsigned i = 0; i < s->q->context && p > t->told; i++) {
		p--;
		while (p > t->told && p[-1] != '\n')
			p--;
	}
	while (p < start) {
		struct span x = {.start = p, .end = line_end(p, t->end)};

		tell(s, t, &x, false);
		p = x.end + 1;
	}
}

static void search_text(struct search *s, struct text *t)
{
	const char *from = t->data;
	struct span x;
	bool any = false;

	while (from < t->end && !is_over(s, 0) &&
		(s->regex ? find_regex(s, t, from, &x) : find_plain(s, t, from, &x))) {
		if (s->found.match_count == s->limit || s->answered >= ANSWER_MAX) {
			s->found.more = true;
			break;
		}
		if (any)
			tell_behind(s, t, x.start);
		tell_before(s, t, x.start);
		tell(s, t, &x, true);
		any = true;
		from = t->told;
	}
	if (any)
		tell_behind(s, t, t->end);
	s->found.matched += any;
}

static bool is_binary(const char *data, size_t len)
{
	return memchr(data, '\0', len < BINARY_LOOK ? len : BINARY_LOOK) != NULL;
}

static void search_file(struct search *s, const struct files_entry *entry)
{
	auto_(files_walk_close) struct files_place p = FILES_PLACE_NONE;
	auto_(arena_free) struct arena scratch = {0};
	struct err unused;
	struct stat st;
	char *data;
	size_t len;
	auto_fd int fd = -1;
	int r = files_walk(s->f, entry->path, false, &p, &unused);

	/* It may have become something else since it was listed. */
	if (r == 0 && (p.linked || !str_eq(p.path, entry->path)))
		return;
	fd = r < 0 ? r : files_read_open(s->f, &p, &st, &unused);
	r = fd < 0 ? fd
		   : files_read_all(fd, p.path, files_limit(s->f), &scratch, &data, &len, &unused);
	if (r == -EFBIG) {
		s->found.large++;
		return;
	}
	if (r < 0) {
		s->found.unreadable++;
		return;
	}
	if (is_binary(data, len)) {
		s->found.binary++;
		return;
	}
	s->found.searched++;
	s->found.bytes += len;
	search_text(s, &(struct text){.path = entry->path,
			       .data = data,
			       .end = data + len,
			       .counted = data,
			       .told = data,
			       .line = 1});
	s->found.more |= s->found.bytes > BYTES_MAX;
}

/* A plain text whose letters may be of either case becomes an expression. */
static int prepare(struct search *s, struct err *e)
{
	const struct files_search *q = s->q;
	auto_(buf_free) struct buf b = BUF(PATTERN_MAX * 2);

	s->text_len = strlen(q->text);
	if (s->text_len == 0)
		return err_set(e, EINVAL, "the text to look for is empty");
	if (s->text_len > PATTERN_MAX)
		return err_set(
			e, EFBIG, "the text to look for is longer than %d bytes", PATTERN_MAX);
	if (strchr(q->text, '\n'))
		return err_set(e, EINVAL,
			"the text to look for has several lines, but lines are looked at one by "
			"one");
	if (q->regex)
		return regex_compile(s->a, q->text, q->ignore_case, &s->regex, e);
	if (!q->ignore_case)
		return 0;
	for (const char *p = q->text; *p; p++) {
		if (ispunct((unsigned char)*p))
			buf_putc(&b, '\\');
		buf_putc(&b, *p);
	}
	return regex_compile(s->a, buf_text(&b), true, &s->regex, e);
}

static int search_names(struct search *s, const struct files_place *p, struct err *e)
{
	struct files_query names = {.depth = FILES_LIST_DEPTH_MAX,
		.limit = s->q->text ? FILES_LIST_LIMIT_MAX : s->limit,
		.glob = s->q->glob,
		.skip = skipped,
		.files_only = s->q->text != NULL,
		.until_ms = s->until_ms};
	struct files_listed listed;
	int r = files_list_at(s->f, p, &names, s->a, &listed, e);

	if (r < 0)
		return r;
	s->found.entries = listed.entries;
	s->found.entry_count = listed.count;
	s->found.unreadable = listed.unreadable;
	for (size_t i = 0; s->q->text && i < listed.count && !is_over(s, LOOK_BYTES / 64); i++)
		search_file(s, &listed.entries[i]);
	s->found.more |= listed.more || listed.deeper;
	s->found.late |= listed.more && now_ms() >= s->until_ms;
	return 0;
}

int files_search(const struct files *f, const struct files_search *q, struct arena *a,
	struct files_found *ret, struct err *e)
{
	auto_(files_walk_close) struct files_place p = FILES_PLACE_NONE;
	auto_(files_stop) struct files_self self = {0};
	struct files_search bounded = *q;
	struct search s = {.f = f, .q = &bounded, .a = a};
	int r;

	if (!q->text && !q->glob)
		return err_set(e, EINVAL,
			"there is nothing to look for: neither 'pattern' nor 'names' is given");
	if (bounded.context > FILES_SEARCH_CONTEXT_MAX)
		bounded.context = FILES_SEARCH_CONTEXT_MAX;
	s.limit = q->limit ? q->limit : FILES_SEARCH_MATCHES;
	s.limit = s.limit < FILES_SEARCH_MATCHES_MAX ? s.limit : FILES_SEARCH_MATCHES_MAX;
	s.until_ms = now_ms() + (q->time_ms ? q->time_ms : FILES_SEARCH_MS);
	r = q->text ? prepare(&s, e) : 0;
	if (r == 0)
		r = files_start(f, &self, e);
	if (r == 0)
		r = files_walk(f, q->path ? q->path : ".", false, &p, e);
	if (r == 0)
		r = search_names(&s, &p, e);
	if (r < 0)
		return r;
	s.found.matches = s.matches;
	if (q->text) {
		s.found.entries = NULL;
		s.found.entry_count = 0;
	}
	*ret = s.found;
	return 0;
}
