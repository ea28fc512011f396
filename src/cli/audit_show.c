/* SPDX-License-Identifier: Apache-2.0 */

/* ward audit tail, ward audit query: lines and rows of the audit log as a table. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "cli/audit.h"
#include "cli/view.h"
#include "json/write.h"
#include "model/moment.h"
#include "sys/screen.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define TAIL_LINES 20
#define QUERY_ROWS 100
#define QUERY_MAX 100000
#define WIDTH_MAX 4000 /* of a line that nobody sees on a terminal */
#define CUT "..."
#define WHAT_LEAST 60 /* a narrow terminal breaks lines rather than hide what they are about */
#define LOOK_MS 1000  /* where the kernel says nothing of changes */

/* Columns before the last one, which takes what is left. */
enum { WIDTH_SEQ = 7, WIDTH_TIME = 20, WIDTH_SESSION = 22, WIDTH_TOOL = 10, WIDTH_VERDICT = 7 };
enum { WIDTH_OUTCOME = 11, WIDTH_DURATION = 8 };

void audit_duration(struct buf *out, double ms)
{
	if (ms < 1000)
		buf_printf(out, ms < 10 ? "%.1f ms" : "%.0f ms", ms);
	else if (ms < 100e3)
		buf_printf(out, "%.1f s", ms / 1e3);
	else if (ms < 100 * 60e3)
		buf_printf(out, "%.0f min", ms / 60e3);
	else
		buf_printf(out, "%.1f h", ms / 3600e3);
}

/* Text that is escaped already, cut between characters, and filled up unless it is the last. */
static void put_cell(struct buf *out, const char *text, size_t width, bool last)
{
	size_t chars = 0, at = 0, fits = 0;

	for (; text[at]; at++) {
		bool begins = ((unsigned char)text[at] & 0xc0) != 0x80;

		if (begins && chars == width - strlen(CUT))
			fits = at;
		if (begins && chars++ == width)
			break;
	}
	if (text[at]) {
		buf_add(out, text, fits);
		buf_puts(out, CUT);
		chars = width;
	} else {
		buf_add(out, text, at);
	}
	if (last)
		return;
	for (; chars < width + 1; chars++)
		buf_putc(out, ' ');
}

static size_t left_width(size_t used)
{
	size_t columns = isatty(STDOUT_FILENO) ? screen_size().columns : WIDTH_MAX;

	return columns > used + WHAT_LEAST ? columns - used : WHAT_LEAST;
}

static void put_text(struct call *c, const char *text, size_t width)
{
	auto_(buf_free) struct buf shown = BUF(WIDTH_MAX);

	escape_text(&shown, text);
	put_cell(c->out, shown.len ? buf_text(&shown) : "-", width, false);
}

/* Long ones differ at their end. */
static void put_session(struct call *c, const char *session)
{
	auto_(buf_free) struct buf shown = BUF(WIDTH_MAX), cell = BUF(WIDTH_MAX);
	const char *text;
	size_t chars = 0;

	escape_text(&shown, session);
	text = buf_text(&shown);
	for (size_t i = 0; text[i]; i++)
		chars += ((unsigned char)text[i] & 0xc0) != 0x80;
	if (chars > WIDTH_SESSION) {
		for (chars -= WIDTH_SESSION - strlen(CUT); chars > 0; chars--)
			do
				text++;
			while (((unsigned char)*text & 0xc0) == 0x80);
		buf_puts(&cell, CUT);
	}
	buf_puts(&cell, *text ? text : "-");
	put_cell(c->out, buf_text(&cell), WIDTH_SESSION, false);
}

static void put_verdict(struct call *c, const struct auditrow *row)
{
	const char *verdict = row->first ? auditrow_text(row, "verdict") : "";
	auto_(buf_free) struct buf cell = BUF(200), shown = BUF(100);

	escape_text(&shown, verdict[0] ? verdict : "-");
	put_cell(&cell, buf_text(&shown), WIDTH_VERDICT, false);
	view_tone(c,
		str_eq(verdict, "allow")  ? VIEW_GOOD
		: str_eq(verdict, "deny") ? VIEW_BAD
		: verdict[0]              ? VIEW_CARE
					  : VIEW_PLAIN,
		buf_text(&cell));
}

static void put_end(struct call *c, const struct auditrow *row)
{
	auto_(buf_free) struct buf outcome = BUF(200), lasted = BUF(40);
	double ms;

	auditrow_outcome(&outcome, row);
	if (auditrow_number(row, "durationMs", &ms))
		audit_duration(&lasted, ms);
	put_cell(c->out, outcome.len ? buf_text(&outcome) : "-", WIDTH_OUTCOME, false);
	put_cell(c->out, lasted.len ? buf_text(&lasted) : "-", WIDTH_DURATION, false);
}

/* Why it was refused stands behind what it was. */
static void put_what(struct call *c, const struct auditrow *row, size_t used)
{
	auto_(buf_free) struct buf what = BUF(AUDITLOG_LINE);
	const char *why = auditrow_text(row, "why"), *error = auditrow_text(row, "error");

	if (row->first)
		auditrow_what(&what, row);
	else
		buf_printf(&what, "end of %llu", (unsigned long long)row->end->begin);
	if (row->first && !auditrow_is_request(row)) {
		why = "";
		error = "";
	}
	if (why[0] || error[0]) {
		buf_puts(&what, "  (");
		escape_text(&what, why[0] ? why : error);
		buf_putc(&what, ')');
	}
	put_cell(c->out, buf_text(&what), left_width(used), true);
	buf_putc(c->out, '\n');
}

static void put_row(struct call *c, const struct auditrow *row, bool seq)
{
	size_t used = WIDTH_TIME + WIDTH_SESSION + WIDTH_TOOL + WIDTH_VERDICT + WIDTH_OUTCOME +
		      WIDTH_DURATION + 6;
	const char *tool = auditrow_text(row, "tool");
	char when[MOMENT_TEXT];

	if (seq) {
		buf_printf(c->out, "%*llu ", WIDTH_SEQ, (unsigned long long)auditrow_seq(row));
		used += WIDTH_SEQ + 1;
	}
	moment_text(auditrow_time(row), when);
	put_cell(c->out, when, WIDTH_TIME, false);
	put_session(c, auditrow_text(row, "session"));
	put_text(c, auditrow_is_request(row) ? tool : auditrow_text(row, "event"), WIDTH_TOOL);
	put_verdict(c, row);
	put_end(c, row);
	put_what(c, row, used);
}

static void put_heading(struct call *c, bool seq)
{
	auto_(buf_free) struct buf line = BUF(400);
	static const struct {
		const char *name;
		size_t width;
	} columns[] = {{"TIME", WIDTH_TIME}, {"SESSION", WIDTH_SESSION}, {"TOOL", WIDTH_TOOL},
		{"VERDICT", WIDTH_VERDICT}, {"END", WIDTH_OUTCOME}, {"LASTED", WIDTH_DURATION}};

	if (seq)
		buf_printf(&line, "%*s ", WIDTH_SEQ, "LINE");
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		put_cell(&line, columns[i].name, columns[i].width, false);
	buf_puts(&line, "WHAT");
	view_tone(c, VIEW_BOLD, buf_text(&line));
	buf_putc(c->out, '\n');
}

/* The lines of each row as they are, so that nothing is lost that this version does not know. */
static void write_rows(struct call *c, const struct audit_last *last)
{
	struct writer w = WRITER(c->out);

	write_list(&w, NULL);
	for (size_t i = 0; i < last->count; i++) {
		const struct auditrow *row = &last->rows[i];
		const struct auditrow_line *lines[] = {row->first, row->end};
		auto_(buf_free) struct buf what = BUF(AUDITLOG_LINE);

		auditrow_what(&what, row);
		write_object(&w, NULL);
		write_text(&w, "what", buf_text(&what));
		for (size_t k = 0; k < ARRAY_LEN(lines); k++) {
			auto_(buf_free) struct buf json = BUF(SIZE_MAX);

			if (lines[k])
				auditrow_line_json(&json, lines[k]);
			write_raw(&w, k ? "end" : "begin", lines[k] ? buf_text(&json) : "null");
		}
		write_end_object(&w);
	}
	write_end_list(&w);
}

static void keep(void *ctx, struct auditrow *row)
{
	audit_last_add(ctx, row);
}

int audit_query(struct call *c, struct err *e)
{
	const struct audit_options *o = c->options;
	auto_(audit_last_free) struct audit_last last = {0};
	struct audit_filter f;
	uint64_t limit = o->limit.at.source ? o->limit.v : QUERY_ROWS;
	int r = audit_filter_begin(c, &f, e);

	if (r == 0 && limit > QUERY_MAX)
		r = err_set(e, ERANGE, "--limit is at most %d; 'ward audit export' writes all",
			QUERY_MAX);
	if (r < 0)
		return r;
	audit_last_begin(&last, c, (size_t)limit);
	r = audit_rows(c, &f, keep, &last, e);
	if (r < 0)
		return r;
	audit_last_sort(&last);
	if (o->json.v) {
		write_rows(c, &last);
		return EXIT_OK;
	}
	if (last.count == 0) {
		fputs("ward: nothing in the log matches\n", stderr);
		return EXIT_OK;
	}
	put_heading(c, false);
	for (size_t i = 0; i < last.count; i++)
		put_row(c, &last.rows[i], false);
	if (last.left_out)
		buf_printf(c->out, "%llu earlier ones match too; --limit shows more\n",
			(unsigned long long)last.left_out);
	return EXIT_OK;
}

/* How far the log was shown. */
struct tail {
	struct call *call;
	uint64_t next;          /* number of the next line */
	uint64_t first, offset; /* the file that was read last: its first line, and how far */
	uint64_t unreadable;
	bool json;
};

static int show_line(void *ctx, const char *text, size_t len)
{
	struct tail *t = ctx;
	struct auditrow_line *line = NULL;
	struct auditrow row = {0};

	if (!text || auditrow_line_read(text, len, &line, NULL) < 0) {
		t->unreadable++;
		return 0;
	}
	if (line->seq < t->next) {
		auditrow_line_free(&line);
		return 0;
	}
	t->next = line->seq + 1;
	if (str_eq(line->event, "end"))
		row.end = line;
	else
		row.first = line;
	if (t->json) {
		auditrow_line_json(t->call->out, line);
		buf_putc(t->call->out, '\n');
	} else {
		put_row(t->call, &row, true);
	}
	auditrow_free(&row);
	return 0;
}

/* From a byte of a file on to the end of the last. */
static int show_from(struct tail *t, const struct auditlog_view *v, size_t file, uint64_t from)
{
	int r = 0;

	for (size_t i = file; i < v->count && r == 0; i++) {
		t->first = v->files[i].first;
		t->offset = i == file ? from : 0;
		r = auditlog_view_read(&v->files[i], t->offset, show_line, t, &t->offset);
	}
	return r;
}

/* What was written since; files may have been put aside meanwhile, and removed. */
static int show_more(struct tail *t, const char *folder, struct err *e)
{
	auto_(auditlog_view_close) struct auditlog_view v = {0};
	int r = auditlog_view_open(&v, folder, e);
	size_t i = v.count;

	if (r < 0)
		return r;
	while (i > 1 && (v.files[i - 1].first == 0 || v.files[i - 1].first > t->next))
		i--;
	i -= i > 0;
	r = show_from(t, &v, i,
		v.count && v.files[i].first == t->first && v.files[i].size >= t->offset ? t->offset
											: 0);
	return r < 0 ? err_sys(e, r, "read the audit log in '%s'", folder) : 0;
}

/* Printed at once: this command has no end. False: nobody reads it any more. */
static bool print_now(struct call *c)
{
	size_t done = 0;

	while (done < c->out->len) {
		ssize_t n = write(STDOUT_FILENO, c->out->data + done, c->out->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		done += (size_t)n;
	}
	buf_reset(c->out);
	return true;
}

static int follow(struct tail *t, const char *folder, struct err *e)
{
	auto_fd int changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	struct pollfd p = {.fd = changes, .events = POLLIN};
	struct pollfd gone = {.fd = STDOUT_FILENO};
	char events[4096];
	int r = 0;

	if (changes >= 0)
		inotify_add_watch(changes, folder, IN_MODIFY | IN_CREATE | IN_MOVED_TO);
	while (r == 0 && print_now(t->call)) {
		if (poll(&p, changes >= 0, LOOK_MS) > 0)
			while (read(changes, events, sizeof events) > 0)
				;
		if (poll(&gone, 1, 0) > 0 && gone.revents & (POLLERR | POLLHUP))
			break;
		r = show_more(t, folder, e);
	}
	return r;
}

int audit_tail(struct call *c, struct err *e)
{
	const struct audit_options *o = c->options;
	auto_(auditlog_view_close) struct auditlog_view v = {0};
	struct tail t = {.call = c, .json = o->json.v};
	const char *folder;
	uint64_t from;
	size_t file;
	int r = audit_folder(c, &folder, e);

	if (r == 0)
		r = auditlog_view_open(&v, folder, e);
	if (r < 0)
		return r;
	if (!o->json.v)
		put_heading(c, true);
	r = auditlog_view_tail(&v, o->lines.at.source ? o->lines.v : TAIL_LINES, &file, &from);
	if (r == 0)
		r = show_from(&t, &v, file, from);
	if (r < 0)
		return err_sys(e, r, "read the audit log in '%s'", folder);
	audit_warn(t.unreadable);
	return o->follow.v ? follow(&t, folder, e) : EXIT_OK;
}
