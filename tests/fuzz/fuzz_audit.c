/* SPDX-License-Identifier: Apache-2.0 */

/*
 * An audit log that somebody else wrote: its lines read, joined to values and shown, its chain
 * checked. Held to: what is shown is harmless and on one line; a line written again reads as the
 * same; the same bytes give the same answer; a log that is good is no longer when one bit of it
 * changes, or its last byte is missing.
 */

#include "base/cleanup.h"
#include "base/utf8.h"
#include "json/auditrow.h"
#include "json/node_write.h"
#include "state/auditlog_view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static void check_harmless(const struct buf *text)
{
	const char *p = buf_text(text);
	uint32_t c;

	for (size_t i = 0, step; i < text->len; i += step) {
		step = utf8_decode(p + i, text->len - i, &c);
		require(step > 0 && !utf8_is_deceptive(c));
	}
}

static void check_row(const struct auditrow *row)
{
	auto_(buf_free) struct buf what = BUF(1u << 20), outcome = BUF(1u << 20);
	struct auditrow_flow flow;
	double v;

	auditrow_what(&what, row);
	auditrow_outcome(&outcome, row);
	check_harmless(&what);
	check_harmless(&outcome);
	require(auditrow_amount(row, "usage.userMs") >= 0);
	require(!auditrow_number(row, "durationMs", &v) || v >= 0);
	for (size_t i = 0; auditrow_flow(row, i, &flow); i++)
		require(flow.host && flow.why);
}

static int take_line(void *ctx, const char *text, size_t len)
{
	auto_(auditrow_line_free) struct auditrow_line *line = NULL, *again = NULL;
	auto_(buf_free) struct buf json = BUF(SIZE_MAX), tree = BUF(SIZE_MAX);
	struct writer w = WRITER_COMPACT(&tree);

	(void)ctx;
	if (!text)
		return 0;
	auditrow_line_time(text, len);
	if (auditrow_line_read(text, len, &line, NULL) < 0)
		return 0;
	check_row(&(struct auditrow){.first = line});
	check_row(&(struct auditrow){.end = line});
	check_row(&(struct auditrow){.first = line, .end = line});
	auditrow_line_json(&json, line);
	check_harmless(&json);
	node_write(&w, NULL, &line->root);
	require(auditrow_line_read(buf_text(&tree), tree.len, &again, NULL) == 0);
	require(again->seq == line->seq && again->begin == line->begin &&
		again->time_us == line->time_us && strcmp(again->event, line->event) == 0);
	return 0;
}

/* The head that a log with these lines would have. */
static void see_line(void *ctx, const char *line, size_t len)
{
	struct auditlog_head *h = ctx;
	uint8_t prev[SHA256_SIZE];

	require(auditlog_read_prefix(line, len, &h->seq, prev));
	sha256_of(line, len, h->hash);
	if (h->kept == 0)
		h->kept = h->seq;
}

static struct auditlog_state check_log(
	struct auditlog_view *v, const uint8_t *data, size_t size, struct auditlog_head *seen)
{
	struct auditlog_state s;

	require(pwrite(v->files[0].fd, data, size, 0) == (ssize_t)size);
	v->files[0].size = size;
	require(auditlog_view_check(v, NULL, seen ? see_line : NULL, seen, &s) == 0);
	require(s.fault < AUDITLOG_FAULTS);
	return s;
}

/* With its own head, nothing but its lines can be wrong. */
static void check_chain(struct auditlog_view *v, const uint8_t *data, size_t size)
{
	auto_free uint8_t *bad = mem_alloc(size + 1);
	struct auditlog_head seen = {0};
	struct auditlog_state s = check_log(v, data, size, &seen);
	size_t at = size ? data[size / 2] * 251u % size : 0;

	v->head = seen;
	s = check_log(v, data, size, NULL);
	if (s.fault != AUDITLOG_GOOD || s.lines == 0)
		return;
	memcpy(bad, data, size);
	bad[at] ^= 1;
	require(check_log(v, bad, size, NULL).fault != AUDITLOG_GOOD);
	require(check_log(v, data, size - 1, NULL).fault != AUDITLOG_GOOD);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_fd int fd = memfd_create("log", MFD_CLOEXEC);
	struct auditlog_file file = {.fd = fd, .size = size, .name = "log"};
	struct auditlog_view v = {.files = &file, .count = 1};
	uint64_t end, from;
	size_t which;

	require(fd >= 0);
	check_chain(&v, data, size);
	check_log(&v, data, size, NULL);
	require(auditlog_view_read(&file, 0, take_line, NULL, &end) == 0 && end <= size);
	for (uint64_t lines = 0; lines < 4; lines++)
		require(auditlog_view_tail(&v, lines, &which, &from) == 0 && from <= size);
	return 0;
}
