/* SPDX-License-Identifier: Apache-2.0 */

/* Whether an audit log is as it was written. */

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/mem.h"
#include "state/auditlog_parts.h"
#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const auditlog_fault_texts[] = {
	"every line is as it was written",
	"a line is none that ward wrote",
	"lines are missing, or in another order",
	"the line before it was changed",
	"lines at the end are missing",
	"files at the beginning are missing",
	"the line that was noted elsewhere is missing, or another",
};
_Static_assert(ARRAY_LEN(auditlog_fault_texts) == AUDITLOG_FAULTS, "a text for each");

struct checking {
	const struct auditlog_anchor *anchor;
	void (*see)(void *ctx, const char *line, size_t len);
	void *ctx;
	struct auditlog_state *state;
	bool anchored;
};

static void fail(struct checking *c, enum auditlog_fault fault, uint64_t seq)
{
	if (c->state->fault != AUDITLOG_GOOD)
		return;
	c->state->fault = fault;
	c->state->seq = seq;
}

static void take_line(struct checking *c, const char *line, size_t len)
{
	struct auditlog_state *s = c->state;
	uint8_t prev[SHA256_SIZE];
	uint64_t seq;

	if (s->fault != AUDITLOG_GOOD)
		return;
	if (!auditlog_read_prefix(line, len, &seq, prev) || line[len - 1] != '}') {
		fail(c, AUDITLOG_NO_LINE, s->seq + 1);
		return;
	}
	if (s->lines == 0)
		s->first = seq;
	else if (seq != s->seq + 1)
		fail(c, AUDITLOG_NUMBER, s->seq + 1);
	else if (memcmp(prev, s->hash, sizeof prev) != 0)
		fail(c, AUDITLOG_CHAIN, seq);
	if (s->fault != AUDITLOG_GOOD)
		return;
	sha256_of(line, len, s->hash);
	s->seq = seq;
	s->lines++;
	if (c->anchor && c->anchor->seq == seq)
		c->anchored = memcmp(c->anchor->hash, s->hash, sizeof s->hash) == 0;
	if (c->see)
		c->see(c->ctx, line, len);
}

static int take_file(struct checking *c, int folder, const char *name)
{
	auto_fd int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	static char data[2 * AUDITLOG_LINE];
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	c->state->files++;
	while ((n = read(fd, data + len, sizeof data - len)) > 0) {
		char *at = data, *end;

		len += (size_t)n;
		while ((end = memchr(at, '\n', len - (size_t)(at - data)))) {
			take_line(c, at, (size_t)(end - at));
			at = end + 1;
		}
		len -= (size_t)(at - data);
		memmove(data, at, len);
		if (len == sizeof data) {
			fail(c, AUDITLOG_NO_LINE, c->state->seq + 1);
			return 0;
		}
	}
	if (n < 0)
		return -errno;
	if (len > 0) /* without an end: not acknowledged, or cut */
		fail(c, AUDITLOG_NO_LINE, c->state->seq + 1);
	return 0;
}

/* Those that were put aside, oldest first, and the one that is written now. */
static int take_files(struct checking *c, const struct auditlog *l)
{
	auto_(arena_free) struct arena scratch = {0};
	uint64_t *old;
	size_t count;
	int r = auditlog_list_old(l, &scratch, &old, &count);

	for (size_t i = 0; r == 0 && i < count; i++) {
		char name[AUDITLOG_OLD_NAME];

		snprintf(name, sizeof name, AUDITLOG_OLD, (unsigned long long)old[i]);
		r = take_file(c, l->folder, name);
	}
	if (r == 0)
		r = take_file(c, l->folder, AUDITLOG_NAME);
	return r == -ENOENT ? 0 : r;
}

static void compare_head(struct checking *c, const struct auditlog_head *h)
{
	struct auditlog_state *s = c->state;

	if (h->seq > 0 && (s->lines == 0 || s->seq < h->seq))
		fail(c, AUDITLOG_CUT, s->seq + 1);
	if (s->lines > 0 && s->first > h->kept)
		fail(c, AUDITLOG_GONE, h->kept);
	if (s->seq == h->seq && s->lines > 0 && memcmp(s->hash, h->hash, sizeof s->hash) != 0)
		fail(c, AUDITLOG_CHAIN, s->seq);
	if (c->anchor && !c->anchored)
		fail(c, AUDITLOG_ANCHOR, c->anchor->seq);
}

int auditlog_check(const struct auditlog *l, const struct auditlog_anchor *anchor,
	void (*see)(void *ctx, const char *line, size_t len), void *ctx, struct auditlog_state *ret,
	struct err *e)
{
	struct checking c = {.anchor = anchor, .see = see, .ctx = ctx, .state = ret};
	struct auditlog_head h;
	int r = auditlog_lock(l, false);

	*ret = (struct auditlog_state){.fault = AUDITLOG_GOOD};
	if (r == 0)
		r = take_files(&c, l);
	if (r == 0) {
		r = auditlog_read_head(l, &h);
		if (r == -EBADMSG) {
			fail(&c, AUDITLOG_CUT, ret->seq + 1);
			r = 0;
		} else if (r == 0) {
			compare_head(&c, &h);
		}
	}
	auditlog_unlock(l);
	return r < 0 ? err_sys(e, r, "read the audit log in '%s'", l->call.folder) : 0;
}
