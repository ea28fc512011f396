/* SPDX-License-Identifier: Apache-2.0 */
#include "model/chain.h"

#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "ward layers 1"
#define KNOWN_MAX 200000
#define LINE_PARTS (CHAIN_LAYERS + 4)

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

int chain_add_snapshot(struct arena *a, struct chain *c, const char *name, int64_t made_ms,
	const struct chain_layers *layers, struct err *e)
{
	struct chain_snapshot *more;

	if (c->snapshot_count == CHAIN_SNAPSHOTS)
		return err_set(e, E2BIG,
			"there are %d snapshots already; 'ward snapshot delete' removes one",
			CHAIN_SNAPSHOTS);
	more = arena_array(a, c->snapshot_count + 1, sizeof *more);
	if (c->snapshot_count)
		memcpy(more, c->snapshots, c->snapshot_count * sizeof *more);
	more[c->snapshot_count++] = (struct chain_snapshot){name, made_ms, *layers};
	c->snapshots = more;
	return 0;
}

void chain_drop_snapshot(struct chain *c, struct chain_snapshot *which)
{
	size_t after = (size_t)(c->snapshots + c->snapshot_count - which) - 1;

	memmove(which, which + 1, after * sizeof *which);
	c->snapshot_count--;
}

const struct chain_known *chain_knows(const struct chain *c, const char *path)
{
	for (size_t i = 0; i < c->known_count; i++)
		if (str_eq(c->known[i].path, path))
			return &c->known[i];
	return NULL;
}

static void add_known(struct arena *a, struct chain *c, const struct chain_known *what)
{
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

void chain_learn(struct arena *a, struct chain *c, const struct chain_known *what)
{
	struct chain_known *old = (struct chain_known *)chain_knows(c, what->path);

	if (old)
		*old = *what;
	else
		add_known(a, c, what);
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
	buf_printf(out, "\nsince %lld %u\nbelow", (long long)c->since_s, c->since_ns);
	put_layers(out, &c->below);
	for (size_t i = 0; i < c->snapshot_count; i++) {
		buf_printf(out, "snapshot %s %lld", c->snapshots[i].name,
			(long long)c->snapshots[i].made_ms);
		put_layers(out, &c->snapshots[i].layers);
	}
	for (size_t i = 0; i < c->known_count; i++) {
		const struct chain_known *k = &c->known[i];

		buf_printf(out, "known %llu %lld %u ", (unsigned long long)k->inode,
			(long long)k->changed_s, k->changed_ns);
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
	return errno == 0 && end != text && !*end && *ret >= 0;
}

static bool take_snapshot(struct arena *a, char *const *parts, size_t count, struct chain *c)
{
	struct chain_layers layers = {.count = 0};
	long long made;

	return count >= 2 && chain_name_check(parts[0], NULL) == 0 &&
	       take_number(parts[1], &made) && take_layers(a, parts + 2, count - 2, &layers) &&
	       chain_add_snapshot(
		       a, c, arena_text(a, parts[0], strlen(parts[0])), made, &layers, NULL) == 0;
}

static bool take_known(struct arena *a, char *const *parts, size_t count, struct chain *c)
{
	long long inode, s, ns;

	if (count != 4 || c->known_count >= KNOWN_MAX || !take_number(parts[0], &inode) ||
		!take_number(parts[1], &s) || !take_number(parts[2], &ns))
		return false;
	add_known(a, c,
		&(struct chain_known){.path = take_word(a, parts[3]),
			.inode = (uint64_t)inode,
			.changed_s = s,
			.changed_ns = (uint32_t)ns});
	return true;
}

/* One line, cut into words at its spaces. */
static bool take_line(struct arena *a, char **parts, size_t count, struct chain *c)
{
	long long s, ns;

	if (str_eq(parts[0], "workspace") && count == 2) {
		c->workspace = take_word(a, parts[1]);
		return true;
	}
	if (str_eq(parts[0], "since") && count == 3 && take_number(parts[1], &s) &&
		take_number(parts[2], &ns)) {
		c->since_s = s;
		c->since_ns = (uint32_t)ns;
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
	if (!good || !ended || !c.workspace)
		return err_set(e, EBADMSG, "it is damaged, or of another version of ward");
	*ret = c;
	return 0;
}
