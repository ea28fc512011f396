/* SPDX-License-Identifier: Apache-2.0 */

/* Whether an audit log is as it was written. */

#include "base/macro.h"
#include "state/auditlog_view.h"

#include <stdio.h>
#include <string.h>

const char *const auditlog_fault_texts[] = {
	"every line is as it was written",
	"a line is none that ward wrote",
	"lines are missing, or in another order",
	"the line before it was changed",
	"lines at the end are missing",
	"the file that says where the log ends is missing, damaged, or older than the log",
	"files at the beginning are missing",
	"the line that was noted elsewhere is missing, or another",
};
_Static_assert(ARRAY_LEN(auditlog_fault_texts) == AUDITLOG_FAULTS, "a text for each");

struct checking {
	const struct auditlog_anchor *anchor;
	void (*see)(void *ctx, const char *line, size_t len);
	void *ctx;
	const char *file;
	struct auditlog_state *state;
	bool anchored;
};

static void fail(struct checking *c, enum auditlog_fault fault, uint64_t seq)
{
	if (c->state->fault != AUDITLOG_GOOD)
		return;
	c->state->fault = fault;
	c->state->seq = seq;
	snprintf(c->state->file, sizeof c->state->file, "%s", c->file);
}

static int take_line(void *ctx, const char *line, size_t len)
{
	struct checking *c = ctx;
	struct auditlog_state *s = c->state;
	uint8_t prev[SHA256_SIZE];
	uint64_t seq;

	if (!line || !auditlog_read_prefix(line, len, &seq, prev) || line[len - 1] != '}') {
		fail(c, AUDITLOG_NO_LINE, s->seq + 1);
		return 1;
	}
	if (s->lines == 0)
		s->first = seq;
	else if (seq != s->seq + 1)
		fail(c, AUDITLOG_NUMBER, s->seq + 1);
	else if (memcmp(prev, s->hash, sizeof prev) != 0)
		fail(c, AUDITLOG_CHAIN, seq);
	if (s->fault != AUDITLOG_GOOD)
		return 1;
	sha256_of(line, len, s->hash);
	s->seq = seq;
	s->lines++;
	if (c->anchor && c->anchor->seq == seq)
		c->anchored = memcmp(c->anchor->hash, s->hash, sizeof s->hash) == 0;
	if (c->see)
		c->see(c->ctx, line, len);
	return 0;
}

static int take_files(struct checking *c, const struct auditlog_view *v)
{
	int r = 0;

	for (size_t i = 0; i < v->count && r == 0; i++) {
		uint64_t end;

		c->file = v->files[i].name;
		c->state->files++;
		r = auditlog_view_read(&v->files[i], 0, take_line, c, &end);
		if (r == 0 && end < v->files[i].size) { /* not acknowledged, or cut */
			fail(c, AUDITLOG_NO_LINE, c->state->seq + 1);
			r = 1;
		}
	}
	return r < 0 ? r : 0;
}

static void compare_head(struct checking *c, const struct auditlog_head *h)
{
	struct auditlog_state *s = c->state;

	if (h->seq > 0 && (s->lines == 0 || s->seq < h->seq))
		fail(c, AUDITLOG_CUT, s->seq + 1);
	/* One more than that: whoever wrote it died before saying so. */
	if (s->lines > 0 && s->seq > h->seq + 1)
		fail(c, AUDITLOG_AHEAD, h->seq + 1);
	if (s->lines > 0 && s->first > h->kept)
		fail(c, AUDITLOG_GONE, h->kept);
	if (s->seq == h->seq && s->lines > 0 && memcmp(s->hash, h->hash, sizeof s->hash) != 0)
		fail(c, AUDITLOG_CHAIN, s->seq);
}

int auditlog_view_check(const struct auditlog_view *v, const struct auditlog_anchor *anchor,
	void (*see)(void *ctx, const char *line, size_t len), void *ctx, struct auditlog_state *ret)
{
	struct checking c = {.anchor = anchor, .see = see, .ctx = ctx, .file = "", .state = ret};
	int r;

	*ret = (struct auditlog_state){.fault = AUDITLOG_GOOD};
	r = take_files(&c, v);
	if (r < 0)
		return r;
	if (v->no_head)
		fail(&c, AUDITLOG_AHEAD, ret->seq + 1);
	else
		compare_head(&c, &v->head);
	/* A file that was removed since, as the configuration wants it, took the line with it. */
	if (anchor && !c.anchored)
		fail(&c, AUDITLOG_ANCHOR, anchor->seq);
	return 0;
}
