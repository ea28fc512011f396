/* SPDX-License-Identifier: Apache-2.0 */

/* ward audit export: the log for other programs. Written as it is read: a log may be larger than
 * memory. */

#include "base/cleanup.h"
#include "cli/audit.h"
#include "json/write.h"
#include "model/moment.h"

#include <string.h>

#define FLUSH_ABOVE ((size_t)1 << 16)

struct exporting {
	struct audit_output out;
	enum audit_format format;
};

/* The columns: a member of the first line, of the end, or one that is made. */
enum column_kind { COLUMN_TEXT, COLUMN_NUMBER, COLUMN_END_TEXT, COLUMN_MADE };
struct column {
	const char *name, *key;
	enum column_kind kind;
	void (*make)(struct buf *out, const struct auditrow *row);
};

static void make_seq(struct buf *out, const struct auditrow *row)
{
	buf_printf(out, "%llu", (unsigned long long)auditrow_seq(row));
}

static void make_time(struct buf *out, const struct auditrow *row)
{
	char when[MOMENT_TEXT];

	moment_text(auditrow_time(row), when);
	buf_puts(out, when);
}

static void make_reasons(struct buf *out, const struct auditrow *row)
{
	const struct node *list = auditrow_get(row, "reasons");

	for (uint32_t i = 0; list && list->type == NODE_ARRAY && i < list->count; i++) {
		const struct node *code = tree_get(&list->items[i], "code");

		buf_puts(out, i ? " " : "");
		if (code)
			auditrow_show(out, code);
	}
}

static void make_denied_hosts(struct buf *out, const struct auditrow *row)
{
	struct auditrow_flow f;
	bool any = false;

	for (size_t i = 0; auditrow_flow(row, i, &f); i++) {
		if (f.allowed)
			continue;
		buf_puts(out, any ? " " : "");
		auditrow_show(out, &(struct node){.type = NODE_TEXT, .text = f.host});
		buf_printf(out, ":%llu", (unsigned long long)f.port);
		any = true;
	}
}

static const struct column columns[] = {
	{"seq", .kind = COLUMN_MADE, .make = make_seq},
	{"time", .kind = COLUMN_MADE, .make = make_time},
	{"event", .key = "event", .kind = COLUMN_TEXT},
	{"session", .key = "session", .kind = COLUMN_TEXT},
	{"agent", .key = "agent", .kind = COLUMN_TEXT},
	{"entrance", .key = "entrance", .kind = COLUMN_TEXT},
	{"operation", .key = "operation", .kind = COLUMN_TEXT},
	{"tool", .key = "tool", .kind = COLUMN_TEXT},
	{"what", .kind = COLUMN_MADE, .make = auditrow_what},
	{"cwd", .key = "cwd", .kind = COLUMN_TEXT},
	{"verdict", .key = "verdict", .kind = COLUMN_TEXT},
	{"reasons", .kind = COLUMN_MADE, .make = make_reasons},
	{"why", .key = "why", .kind = COLUMN_TEXT},
	{"place", .key = "place", .kind = COLUMN_TEXT},
	{"sandbox", .key = "sandbox", .kind = COLUMN_TEXT},
	{"approval", .key = "approval", .kind = COLUMN_TEXT},
	{"reason", .key = "reason", .kind = COLUMN_END_TEXT},
	{"exitCode", .key = "exitCode", .kind = COLUMN_NUMBER},
	{"signal", .key = "signal", .kind = COLUMN_NUMBER},
	{"durationMs", .key = "durationMs", .kind = COLUMN_NUMBER},
	{"userMs", .key = "usage.userMs", .kind = COLUMN_NUMBER},
	{"systemMs", .key = "usage.systemMs", .kind = COLUMN_NUMBER},
	{"memoryPeak", .key = "usage.memoryPeak", .kind = COLUMN_NUMBER},
	{"sentBytes", .key = "usage.sentBytes", .kind = COLUMN_NUMBER},
	{"receivedBytes", .key = "usage.receivedBytes", .kind = COLUMN_NUMBER},
	{"deniedHosts", .kind = COLUMN_MADE, .make = make_denied_hosts},
	{"error", .key = "error", .kind = COLUMN_END_TEXT},
};

static void put_column(struct buf *out, const struct column *col, const struct auditrow *row)
{
	const struct auditrow end = {.end = row->end};
	const struct node *n = NULL;
	double v;

	switch (col->kind) {
	case COLUMN_NUMBER:
		if (auditrow_number(row, col->key, &v))
			buf_printf(out, v == (double)(uint64_t)v ? "%.0f" : "%.3f", v);
		return;
	case COLUMN_MADE:
		col->make(out, row);
		return;
	case COLUMN_TEXT:
		n = auditrow_get(row, col->key);
		break;
	case COLUMN_END_TEXT:
		n = auditrow_get(&end, col->key);
		break;
	}
	if (n)
		auditrow_show(out, n);
}

/* A spreadsheet takes what begins with these for a formula, and runs it. */
static bool is_formula(const char *text)
{
	return text[0] && strchr("=+-@|%", text[0]);
}

static void put_cell(struct buf *out, const char *text)
{
	buf_putc(out, '"');
	if (is_formula(text))
		buf_putc(out, '\'');
	for (; *text; text++) {
		if (*text == '"')
			buf_putc(out, '"');
		buf_putc(out, *text);
	}
	buf_putc(out, '"');
}

static void put_csv(struct buf *out, const struct auditrow *row)
{
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		auto_(buf_free) struct buf cell = BUF(4u * AUDITLOG_LINE);

		if (row)
			put_column(&cell, &columns[i], row);
		buf_puts(out, i ? "," : "");
		if (!row)
			buf_puts(out, columns[i].name);
		else if (cell.len > 0)
			put_cell(out, buf_text(&cell));
	}
	buf_puts(out, "\r\n");
}

static void put_jsonl(struct buf *out, const struct auditrow *row)
{
	buf_puts(out, "{\"begin\":");
	if (row->first)
		auditrow_line_json(out, row->first);
	buf_puts(out, row->first ? ",\"end\":" : "null,\"end\":");
	if (row->end)
		auditrow_line_json(out, row->end);
	buf_puts(out, row->end ? "}\n" : "null}\n");
}

static void put_row(void *ctx, struct auditrow *row)
{
	struct exporting *x = ctx;

	switch (x->format) {
	case AUDIT_JSONL:
		put_jsonl(&x->out.buf, row);
		break;
	case AUDIT_CSV:
		put_csv(&x->out.buf, row);
		break;
	case AUDIT_OCSF:
		audit_ocsf(&x->out.buf, row);
		break;
	}
	audit_output_flush(&x->out, FLUSH_ABOVE);
}

int audit_export(struct call *c, struct err *e)
{
	const struct audit_options *o = c->options;
	struct exporting x = {.format = (enum audit_format)o->format.v};
	struct audit_filter f;
	struct err ignored;
	int r = audit_filter_begin(c, &f, e);

	if (r == 0)
		r = audit_output_begin(&x.out, o->output.v, e);
	if (r < 0)
		return r;
	if (x.format == AUDIT_CSV)
		put_csv(&x.out.buf, NULL);
	r = audit_rows(c, &f, put_row, &x, e);
	if (r < 0) {
		x.out.failed = r; /* a part of it would look like all */
		audit_output_end(&x.out, &ignored);
		return r;
	}
	r = audit_output_end(&x.out, e);
	return r < 0 ? r : EXIT_OK;
}
