/* SPDX-License-Identifier: Apache-2.0 */

/*
 * ward audit report: one HTML page about the log. It loads nothing and runs nothing, and says so in
 * its policy: whatever somebody managed to write into the log stays text.
 */

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "cli/audit_page.h"
#include "model/moment.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define REPORT_ROWS 100
#define REPORT_MAX 10000
#define TOP_NAMES 10
#define WHAT_BYTES 600

/* The hash of the style, as a policy names it. */
static void put_style_hash(struct buf *out)
{
	uint8_t hash[SHA256_SIZE];

	sha256_of(audit_style, strlen(audit_style), hash);
	base64_encode(out, hash, sizeof hash);
}

static void put_head(struct buf *out)
{
	buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "img-src data:; style-src 'sha256-");
	put_style_hash(out);
	buf_puts(out, "'; base-uri 'none'; form-action 'none'\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"referrer\" content=\"no-referrer\">\n"
		      "<link rel=\"icon\" href=\"data:,\">\n<title>ward: audit report</title>\n"
		      "<style>");
	buf_puts(out, audit_style);
	buf_puts(out, "</style>\n</head>\n<body>\n<main>\n");
}

static void put_when(struct buf *out, int64_t us)
{
	char text[MOMENT_TEXT];

	moment_text(us, text);
	buf_printf(out, "%.10s %.8s", text, text + 11);
}

static void put_state(struct buf *out, const struct auditlog_state *state)
{
	char hash[2 * SHA256_SIZE + 1];

	if (state->fault != AUDITLOG_GOOD) {
		buf_printf(out,
			"<p class=\"badge isbad\">The log is damaged at line %llu: %s</p>\n",
			(unsigned long long)state->seq, auditlog_fault_texts[state->fault]);
		return;
	}
	sha256_hex(state->hash, hash);
	buf_printf(out,
		"<p class=\"badge isgood\">Chain verified: lines %llu to %llu</p>\n"
		"<p class=\"soft\">Last line: <code>%llu:%s</code></p>\n",
		(unsigned long long)state->first, (unsigned long long)state->seq,
		(unsigned long long)state->seq, hash);
}

static void put_header(
	struct buf *out, const struct audit_sum *s, const struct auditlog_state *state)
{
	buf_puts(out, "<header>\n<h1>Audit report</h1>\n<p class=\"soft\">");
	put_when(out, s->from);
	buf_puts(out, " to ");
	put_when(out, s->to);
	buf_puts(out, " UTC</p>\n");
	put_state(out, state);
	buf_puts(out, "</header>\n");
}

static void put_tile(
	struct buf *out, const char *name, double v, void (*show)(struct buf *out, double v))
{
	buf_puts(out, "<li><b>");
	show(out, v);
	buf_printf(out, "</b><span>%s</span></li>\n", name);
}

static void put_tiles(struct buf *out, const struct audit_sum *s)
{
	buf_puts(out, "<ul class=\"tiles\">\n");
	put_tile(out, "requests", (double)s->requests, audit_show_count);
	put_tile(out, "refused", s->total[SERIES_REFUSED], audit_show_count);
	put_tile(out, "failed", s->total[SERIES_FAILED], audit_show_count);
	put_tile(out, "ended by a time limit", (double)s->timeouts, audit_show_count);
	put_tile(out, "without an end", (double)s->unfinished, audit_show_count);
	put_tile(out, "on the host", (double)s->on_host, audit_show_count);
	put_tile(out, "approvals asked for", (double)s->asked, audit_show_count);
	put_tile(out, "approvals given", (double)s->given, audit_show_count);
	put_tile(out, "connections refused", s->total[SERIES_REFUSED_FLOWS], audit_show_count);
	put_tile(out, "processor time", s->total[SERIES_CPU], audit_show_time);
	put_tile(out, "most memory of one", s->total[SERIES_MEMORY], audit_show_bytes);
	put_tile(out, "over the network", s->total[SERIES_SENT] + s->total[SERIES_RECEIVED],
		audit_show_bytes);
	buf_puts(out, "</ul>\n");
}

static const struct audit_plot plots[] = {
	{"Commands", .show = audit_show_count, .base = 10, .parts_count = 2,
		.parts = {{"succeeded", SERIES_SUCCEEDED, "s-good"},
			{"failed", SERIES_FAILED, "s-warm"}}},
	{"Refused", .show = audit_show_count, .base = 10, .parts_count = 2,
		.parts = {{"requests", SERIES_REFUSED, "s-bad"},
			{"connections", SERIES_REFUSED_FLOWS, "s-plum"}}},
	{"Processor time", .show = audit_show_time, .base = 60, .parts_count = 1,
		.parts = {{"used", SERIES_CPU, "s-good"}}},
	{"Memory", .show = audit_show_bytes, .base = 1024, .parts_count = 1,
		.parts = {{"most of one command", SERIES_MEMORY, "s-plum"}}},
	{"Network", .show = audit_show_bytes, .base = 1024, .parts_count = 2,
		.parts = {{"received", SERIES_RECEIVED, "s-calm"},
			{"sent", SERIES_SENT, "s-warm"}}},
};

/* A column that is the length of a number. */
static void put_share(struct buf *out, uint64_t count, uint64_t most, const char *style)
{
	buf_printf(out,
		"<svg class=\"share\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
		"aria-hidden=\"true\"><rect class=\"rail\" width=\"100\" height=\"8\"/>"
		"<rect class=\"%s\" width=\"%.1f\" height=\"8\"/></svg>",
		style, most ? 100.0 * (double)count / (double)most : 0);
}

static void put_names(struct buf *out, const char *title, const char *column,
	struct audit_names *names, const char *style)
{
	size_t count = names->count < TOP_NAMES ? names->count : TOP_NAMES;

	audit_sum_order(names);
	buf_printf(out,
		"<section class=\"card\"><table><caption>%s</caption>"
		"<thead><tr><th scope=\"col\">%s</th><th scope=\"col\"></th>"
		"<th scope=\"col\" class=\"num\">Count</th></tr></thead><tbody>\n",
		title, column);
	for (size_t i = 0; i < count; i++) {
		buf_puts(out, "<tr><td class=\"mono\">");
		audit_html(out, names->rows[i].text[0] ? names->rows[i].text : "-");
		buf_puts(out, "</td><td>");
		put_share(out, names->rows[i].count, names->rows[0].count, style);
		buf_printf(out, "</td><td class=\"num\">%llu</td></tr>\n",
			(unsigned long long)names->rows[i].count);
	}
	if (count == 0)
		buf_puts(out, "<tr><td colspan=\"3\" class=\"soft\">none</td></tr>\n");
	buf_puts(out, "</tbody></table></section>\n");
}

static void put_slow(struct buf *out, const struct audit_sum *s)
{
	buf_puts(out, "<section class=\"card scroll\"><table><caption>Slowest</caption><thead><tr>"
		      "<th scope=\"col\">Began (UTC)</th><th scope=\"col\">Session</th>"
		      "<th scope=\"col\">What</th><th scope=\"col\">End</th>"
		      "<th scope=\"col\" class=\"num\">Lasted</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < s->slow_count; i++) {
		const struct audit_slow *x = &s->slow[i];

		buf_puts(out, "<tr><td class=\"when\">");
		put_when(out, x->time_us);
		buf_puts(out, "</td><td class=\"mono\">");
		audit_html(out, x->session);
		buf_puts(out, "</td><td class=\"mono what\">");
		audit_html(out, x->what);
		buf_puts(out, "</td><td>");
		audit_html(out, x->outcome);
		buf_puts(out, "</td><td class=\"num\">");
		audit_duration(out, x->ms);
		buf_puts(out, "</td></tr>\n");
	}
	buf_puts(out, "</tbody></table></section>\n");
}

static void put_request(struct buf *out, const struct auditrow *row)
{
	auto_(buf_free) struct buf what = BUF(WHAT_BYTES), outcome = BUF(200);
	const char *verdict = auditrow_text(row, "verdict"), *why = auditrow_text(row, "why");
	double ms;

	auditrow_what(&what, row);
	auditrow_outcome(&outcome, row);
	buf_printf(out, "<tr><td class=\"num\">%llu</td><td class=\"when\">",
		(unsigned long long)auditrow_seq(row));
	put_when(out, auditrow_time(row));
	buf_puts(out, "</td><td class=\"mono\">");
	audit_html_foreign(out, auditrow_text(row, "session"));
	buf_puts(out, "</td><td>");
	audit_html_foreign(out, auditrow_text(row, "tool"));
	buf_puts(out, "</td><td class=\"mono what\">");
	audit_html(out, buf_text(&what));
	buf_puts(out, what.dropped ? "..." : "");
	if (why[0]) {
		buf_puts(out, "<br><span class=\"soft\">");
		audit_html_foreign(out, why);
		buf_puts(out, "</span>");
	}
	buf_printf(out, "</td><td class=\"%s\">",
		str_eq(verdict, "allow") ? "isgood"
		: str_eq(verdict, "ask") ? "iswarm"
					 : "isbad");
	audit_html_foreign(out, verdict);
	buf_printf(out, "</td><td class=\"%s\">", auditrow_is_failed(row) ? "iswarm" : "");
	audit_html(out, buf_text(&outcome));
	buf_puts(out, "</td><td class=\"num\">");
	if (auditrow_number(row, "durationMs", &ms))
		audit_duration(out, ms);
	buf_puts(out, "</td></tr>\n");
}

static void put_requests(struct buf *out, struct audit_sum *s)
{
	size_t count = s->last.count;

	buf_printf(out,
		"<section class=\"card scroll\"><table><caption>The last %zu requests</caption>"
		"<thead><tr><th scope=\"col\" class=\"num\">Line</th>"
		"<th scope=\"col\">Time (UTC)</th><th scope=\"col\">Session</th>"
		"<th scope=\"col\">Tool</th><th scope=\"col\">What</th>"
		"<th scope=\"col\">Verdict</th><th scope=\"col\">End</th>"
		"<th scope=\"col\" class=\"num\">Lasted</th></tr></thead><tbody>\n",
		count);
	audit_last_sort(&s->last);
	while (count > 0)
		put_request(out, &s->last.rows[--count]);
	buf_puts(out, "</tbody></table></section>\n");
}

static void put_page(struct buf *out, struct audit_sum *s, const struct auditlog_state *state)
{
	put_head(out);
	put_header(out, s, state);
	put_tiles(out, s);
	buf_puts(out, "<div class=\"plots\">\n");
	for (size_t i = 0; i < ARRAY_LEN(plots); i++)
		audit_plot(out, &plots[i], s);
	put_names(out, "Tools", "Tool", &s->tools, "s-good");
	put_names(out, "Refused destinations", "Host and port", &s->hosts, "s-plum");
	put_names(out, "Why requests were refused", "Reason", &s->reasons, "s-bad");
	put_names(out, "How they ended", "End", &s->ends, "s-calm");
	put_names(out, "Busiest sessions", "Session", &s->sessions, "s-good");
	buf_puts(out, "</div>\n");
	put_slow(out, s);
	put_requests(out, s);
	buf_puts(out, "<footer>Written by ward " WARD_VERSION ". This page loads nothing and runs "
		      "no scripts.</footer>\n</main>\n</body>\n</html>\n");
}

static int take_time(void *ctx, const char *line, size_t len)
{
	int64_t *when = ctx;

	*when = line ? auditrow_line_time(line, len) : 0;
	return *when != 0;
}

/* From the first line that is wanted to the last. */
static int find_span(
	const struct auditlog_view *v, const struct audit_filter *f, struct audit_sum *s)
{
	uint64_t from = 0, end;
	size_t file = 0;
	int r = auditlog_view_all(v, take_time, &s->from);

	if (r >= 0)
		r = auditlog_view_tail(v, 1, &file, &from);
	if (r >= 0 && v->count > 0)
		r = auditlog_view_read(&v->files[file], from, take_time, &s->to, &end);
	s->from = f->since > s->from ? f->since : s->from;
	s->to = f->until < s->to ? f->until : s->to;
	s->to = s->to > s->from ? s->to : s->from + 1;
	return r < 0 ? r : 0;
}

/* The same moment of the log for all of the page. */
static int read_log(struct call *c, const struct audit_filter *f, struct audit_sum *s,
	struct auditlog_state *state, struct err *e)
{
	auto_(auditlog_view_close) struct auditlog_view v = {0};
	int r = audit_open(c, &v, e);

	if (r < 0)
		return r;
	r = find_span(&v, f, s);
	if (r == 0)
		r = auditlog_view_check(&v, NULL, NULL, NULL, state);
	if (r == 0)
		r = audit_rows_of(&v, f, audit_sum_add, s);
	return r < 0 ? err_sys(e, r, "read the audit log") : 0;
}

int audit_report(struct call *c, struct err *e)
{
	const struct audit_options *o = c->options;
	struct audit_sum *s = arena_alloc(c->arena, sizeof *s);
	uint64_t limit = o->limit.at.source ? o->limit.v : REPORT_ROWS;
	struct auditlog_state state;
	struct audit_output out;
	struct audit_filter f;
	int r = audit_filter_begin(c, &f, e);

	if (r == 0 && limit > REPORT_MAX)
		r = err_set(e, ERANGE, "--limit is at most %d", REPORT_MAX);
	if (r < 0)
		return r;
	s->call = c;
	audit_last_begin(&s->last, c, (size_t)limit);
	r = read_log(c, &f, s, &state, e);
	if (r == 0)
		r = audit_output_begin(&out, o->output.v, e);
	if (r == 0) {
		put_page(&out.buf, s, &state);
		r = audit_output_end(&out, e);
	}
	audit_last_free(&s->last);
	return r < 0 ? r : EXIT_OK;
}
