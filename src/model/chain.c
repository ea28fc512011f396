/* SPDX-License-Identifier: Apache-2.0 */
#include "model/chain.h"

#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "ward layers 1"
#define KNOWN_MAX 200000
#define LINE_PARTS (CHAIN_LAYERS + 6)

int chain_name_check(const char *name, struct err *e)
{
	size_t len = strlen(name);

	if (len == 0 || len >= CHAIN_NAME || name[0] == '.' || name[0] == '-' ||
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") !=
			len)
		return err_set(e, EINVAL,
			"a snapshot's name is made of letters, digits, '.', '-' and '_', begins "
			"with a letter, digit or '_', and has at most %d characters",
			CHAIN_NAME - 1);
	return 0;
}

struct chain_snapshot *chain_find(struct chain *c, const char *name)
{
	for (size_t i = 0; i < c->snapshot_count; i++)
		if (str_eq(c->snapshots[i].name, name))
			return &c->snapshots[i];
	return NULL;
}

static bool has(const struct chain_layers *l, const char *id)
{
	for (size_t i = 0; i < l->count; i++)
		if (str_eq(l->id[i], id))
			return true;
	return false;
}

bool chain_uses(const struct chain *c, const char *id)
{
	if (has(&c->below, id))
		return true;
	for (size_t i = 0; i < c->snapshot_count; i++)
		if (has(&c->snapshots[i].layers, id))
			return true;
	return false;
}

int chain_push(struct chain_layers *l, const char *id, struct err *e)
{
	if (l->count == CHAIN_LAYERS)
		return err_set(e, E2BIG,
			"%d layers lie on top of each other already; 'ward apply' or 'ward "
			"discard' some changes, which makes one of them",
			CHAIN_LAYERS);
	memmove(l->id + 1, l->id, l->count * sizeof l->id[0]);
	l->id[0] = id;
	l->count++;
	return 0;
}

bool chain_is_later(const struct chain_time *a, const struct chain_time *b)
{
	return a->s > b->s || (a->s == b->s && a->ns > b->ns);
}

bool chain_is_kept(const struct chain *c)
{
	for (size_t i = 0; i < c->snapshot_count; i++) {
		const struct chain_layers *l = &c->snapshots[i].layers;
		bool same = l->count == c->below.count;

		for (size_t j = 0; same && j < l->count; j++)
			same = str_eq(l->id[j], c->below.id[j]);
		if (same)
			return true;
	}
	return c->below.count == 0;
}

static int add_snapshot(
	struct arena *a, struct chain *c, const struct chain_snapshot *snapshot, struct err *e)
{
	struct chain_snapshot *more;

	if (c->snapshot_count == CHAIN_SNAPSHOTS)
		return err_set(e, E2BIG,
			"there are %d snapshots already; 'ward snapshot delete' removes one",
			CHAIN_SNAPSHOTS);
	more = arena_array(a, c->snapshot_count + 1, sizeof *more);
	if (c->snapshot_count)
		memcpy(more, c->snapshots, c->snapshot_count * sizeof *more);
	more[c->snapshot_count++] = *snapshot;
	c->snapshots = more;
	return 0;
}

int chain_add_snapshot(
	struct arena *a, struct chain *c, const char *name, int64_t made_ms, struct err *e)
{
	return add_snapshot(a, c, &(struct chain_snapshot){name, made_ms, c->since, c->below}, e);
}

void chain_drop_snapshot(struct chain *c, struct chain_snapshot *which)
{
	size_t after = (size_t)(c->snapshots + c->snapshot_count - which) - 1;

	memmove(which, which + 1, after * sizeof *which);
	c->snapshot_count--;
}

static int by_path(const void *a, const void *b)
{
	const struct chain_known *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static int path_of(const void *key, const void *item)
{
	return strcmp(key, ((const struct chain_known *)item)->path);
}

const struct chain_known *chain_knows(const struct chain *c, const char *path)
{
	return c->known_sorted ? bsearch(path, c->known, c->known_sorted, sizeof *c->known, path_of)
			       : NULL;
}

void chain_learn(struct arena *a, struct chain *c, const struct chain_known *what)
{
	/* What is not remembered is at worst a conflict that is none. */
	if (c->known_count >= KNOWN_MAX)
		return;
	/* Powers of two only, so that growing is seldom. */
	if ((c->known_count & (c->known_count - 1)) == 0) {
		size_t room = c->known_count ? 2 * c->known_count : 1;
		struct chain_known *more = arena_array(a, room, sizeof *more);

		if (c->known_count)
			memcpy(more, c->known, c->known_count * sizeof *more);
		c->known = more;
	}
	c->known[c->known_count++] = *what;
}

/* Of two about one path the later one stays. */
void chain_sort(struct chain *c)
{
	size_t n = 0;

	if (c->known_count == c->known_sorted)
		return;
	for (size_t i = 0; i < c->known_count; i++)
		c->known[i].order = i;
	qsort(c->known, c->known_count, sizeof *c->known, by_path);
	for (size_t i = 0; i < c->known_count; i++) {
		if (n > 0 && str_eq(c->known[n - 1].path, c->known[i].path))
			n--;
		c->known[n++] = c->known[i];
	}
	c->known_count = c->known_sorted = n;
}

/* A path as one word of a line: %, space and everything below it as %XX. */
static void put_word(struct buf *out, const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text <= ' ' || *text == '%')
			buf_printf(out, "%%%02x", (unsigned char)*text);
		else
			buf_putc(out, *text);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static const char *take_word(struct arena *a, const char *word)
{
	char *text = arena_text(a, word, strlen(word)), *to = text;

	for (const char *p = text; *p; p++) {
		if (p[0] == '%' && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
			*to++ = (char)(hex_digit(p[1]) * 16 + hex_digit(p[2]));
			p += 2;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
	return text;
}

static void put_layers(struct buf *out, const struct chain_layers *l)
{
	for (size_t i = 0; i < l->count; i++)
		buf_printf(out, " %s", l->id[i]);
	buf_putc(out, '\n');
}

void chain_write(const struct chain *c, struct buf *out)
{
	buf_puts(out, HEAD "\nworkspace ");
	put_word(out, c->workspace);
	buf_printf(out, "\nsince %lld %u\nupper %s\nbelow", (long long)c->since.s, c->since.ns,
		c->upper);
	put_layers(out, &c->below);
	for (size_t i = 0; i < c->snapshot_count; i++) {
		const struct chain_snapshot *p = &c->snapshots[i];

		buf_printf(out, "snapshot %s %lld %lld %u", p->name, (long long)p->made_ms,
			(long long)p->since.s, p->since.ns);
		put_layers(out, &p->layers);
	}
	for (size_t i = 0; i < c->known_count; i++) {
		const struct chain_known *k = &c->known[i];

		buf_printf(out, "known %llu %lld %u ", (unsigned long long)k->inode,
			(long long)k->changed.s, k->changed.ns);
		put_word(out, k->path);
		buf_putc(out, '\n');
	}
	buf_puts(out, "end\n");
}

static bool is_id(const char *word)
{
	return strlen(word) == CHAIN_ID && strspn(word, "0123456789abcdef") == CHAIN_ID;
}

static bool take_layers(struct arena *a, char *const *parts, size_t count, struct chain_layers *ret)
{
	if (count > CHAIN_LAYERS)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!is_id(parts[i]))
			return false;
		ret->id[ret->count++] = arena_text(a, parts[i], CHAIN_ID);
	}
	return true;
}

static bool take_number(const char *text, long long *ret)
{
	char *end;

	errno = 0;
	*ret = strtoll(text, &end, 10);
	return errno == 0 && end != text && !*end;
}

static bool take_time(char *const parts[2], struct chain_time *ret)
{
	long long s, ns;

	if (!take_number(parts[0], &s) || !take_number(parts[1], &ns) || ns < 0 || ns >= 1000000000)
		return false;
	*ret = (struct chain_time){s, (uint32_t)ns};
	return true;
}

static bool take_snapshot(struct arena *a, char *const *parts, size_t count, struct chain *c)
{
	struct chain_snapshot p = {0};
	long long made;

	if (count < 4 || chain_name_check(parts[0], NULL) < 0 || !take_number(parts[1], &made) ||
		!take_time(parts + 2, &p.since) || !take_layers(a, parts + 4, count - 4, &p.layers))
		return false;
	p.name = arena_text(a, parts[0], strlen(parts[0]));
	p.made_ms = made;
	return add_snapshot(a, c, &p, NULL) == 0;
}

static bool take_known(struct arena *a, char *const *parts, size_t count, struct chain *c)
{
	struct chain_known k = {0};
	char *end;

	if (count != 4 || !take_time(parts + 1, &k.changed))
		return false;
	errno = 0;
	k.inode = strtoull(parts[0], &end, 10);
	if (errno || *end || parts[0][0] < '0' || parts[0][0] > '9')
		return false;
	k.path = take_word(a, parts[3]);
	chain_learn(a, c, &k);
	return true;
}

/* One line, cut into words at its spaces. */
static bool take_line(struct arena *a, char **parts, size_t count, struct chain *c)
{
	if (str_eq(parts[0], "workspace") && count == 2) {
		c->workspace = take_word(a, parts[1]);
		return true;
	}
	if (str_eq(parts[0], "since") && count == 3)
		return take_time(parts + 1, &c->since);
	if (str_eq(parts[0], "upper") && count == 2 && is_id(parts[1])) {
		c->upper = arena_text(a, parts[1], CHAIN_ID);
		return true;
	}
	if (str_eq(parts[0], "below"))
		return c->below.count == 0 && take_layers(a, parts + 1, count - 1, &c->below);
	if (str_eq(parts[0], "snapshot"))
		return take_snapshot(a, parts + 1, count - 1, c);
	return str_eq(parts[0], "known") && take_known(a, parts + 1, count - 1, c);
}

static size_t cut(char *line, char *parts[LINE_PARTS])
{
	size_t n = 0;

	while (line && n < LINE_PARTS) {
		char *space = strchr(line, ' ');

		if (space)
			*space++ = '\0';
		parts[n++] = line;
		line = space;
	}
	return line ? 0 : n;
}

int chain_read(const char *text, size_t len, struct arena *a, struct chain *ret, struct err *e)
{
	char *copy = arena_text(a, text, len), *line = copy, *parts[LINE_PARTS];
	bool good = strlen(copy) == len, ended = false;
	struct chain c = {0};

	for (unsigned number = 1; good && line && *line && !ended; number++) {
		char *newline = strchr(line, '\n');

		good = newline != NULL;
		if (!newline)
			break;
		*newline = '\0';
		ended = str_eq(line, "end");
		if (number == 1)
			good = str_eq(line, HEAD);
		else if (!ended) {
			size_t count = cut(line, parts);

			good = count > 0 && take_line(a, parts, count, &c);
		}
		line = newline + 1;
	}
	if (!good || !ended || !c.workspace || !c.upper)
		return err_set(e, EBADMSG, "it is damaged, or of another version of ward");
	chain_sort(&c);
	*ret = c;
	return 0;
}
