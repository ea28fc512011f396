/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "cli/audit_page.h"
#include "model/moment.h"

#include <stdio.h>
#include <string.h>

/* The picture: 640 by 200, with room for numbers at the left and times below. */
enum { WIDTH = 640, HEIGHT = 200, LEFT = 64, RIGHT = 8, TOP = 10, BOTTOM = 24 };
#define INNER_WIDTH (WIDTH - LEFT - RIGHT)
#define INNER_HEIGHT (HEIGHT - TOP - BOTTOM)
#define LABELS 4 /* times, besides the first */

void audit_html(struct buf *out, const char *text)
{
	static const char special[] = "&<>\"'";
	static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

	for (; *text; text++) {
		const char *at = strchr(special, *text);

		if (at)
			buf_puts(out, names[at - special]);
		else
			buf_putc(out, *text);
	}
}

void audit_html_foreign(struct buf *out, const char *text)
{
	auto_(buf_free) struct buf safe = BUF(AUDITLOG_LINE);

	escape_text(&safe, text);
	audit_html(out, buf_text(&safe));
}

static void show_scaled(struct buf *out, double v, const char *unit)
{
	buf_printf(out, v < 10 && v != (double)(long)v ? "%.1f%s" : "%.0f%s", v, unit);
}

void audit_show_count(struct buf *out, double v)
{
	if (v >= 1e6)
		show_scaled(out, v / 1e6, " M");
	else if (v >= 1e4)
		show_scaled(out, v / 1e3, " k");
	else
		show_scaled(out, v, "");
}

void audit_show_bytes(struct buf *out, double v)
{
	static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB"};
	size_t i = 0;

	for (; v >= 1024 && i + 1 < ARRAY_LEN(units); i++)
		v /= 1024;
	show_scaled(out, v, units[i]);
}

void audit_show_time(struct buf *out, double ms)
{
	if (ms < 1000)
		show_scaled(out, ms, " ms");
	else if (ms < 120e3)
		show_scaled(out, ms / 1e3, " s");
	else if (ms < 2 * 3600e3)
		show_scaled(out, ms / 60e3, " min");
	else
		show_scaled(out, ms / 3600e3, " h");
}

/* Numbers whose half is round too, within one power of their base; times in ms up to hours. */
static const double decimal[] = {1, 2, 4, 6, 8, 10};
static const double binary[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
static const double times[] = {2, 4, 10, 20, 40, 100, 200, 400, 1e3, 2e3, 4e3, 10e3, 20e3, 40e3,
	60e3, 120e3, 240e3, 600e3, 1200e3, 2400e3, 3600e3};

/* The next round number. */
static double round_up(double v, double base)
{
	const double *steps = base > 60 ? binary : base > 10 ? times : decimal;
	size_t count = base > 60   ? ARRAY_LEN(binary)
		       : base > 10 ? ARRAY_LEN(times)
				   : ARRAY_LEN(decimal);
	double power = 1, next = base > 10 && base <= 60 ? 10 : base;

	while (power * steps[count - 1] < v && power < 1e18)
		power *= next;
	for (size_t i = 0; i < count; i++)
		if (power * steps[i] >= v)
			return power * steps[i];
	return v;
}

static double sum_at(const struct audit_plot *p, const struct audit_sum *s, size_t slot)
{
	double v = 0;

	for (size_t i = 0; i < p->parts_count; i++)
		v += s->slots[p->parts[i].series][slot];
	return v;
}

#define DAY_US (INT64_C(86400) * 1000000)

/* Short enough to stand beside others: the time of a day, the day, or both. */
static void put_moment(struct buf *out, const struct audit_sum *s, int64_t us, bool whole)
{
	int64_t span = s->to - s->from;
	char text[MOMENT_TEXT];

	moment_text(us, text);
	if (whole)
		buf_printf(out, "%.10s %.8s", text, text + 11);
	else if (span > 60 * DAY_US)
		buf_printf(out, "%.10s", text);
	else if (span > DAY_US)
		buf_printf(out, "%.5s %.5s", text + 5, text + 11);
	else
		buf_printf(out, "%.*s", span > DAY_US / 48 ? 5 : 8, text + 11);
}

static void put_axes(
	struct buf *out, const struct audit_plot *p, const struct audit_sum *s, double max)
{
	for (int i = 0; i <= 2; i++) {
		double y = TOP + INNER_HEIGHT * (1 - i / 2.0);

		buf_printf(out,
			"<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
			"<text class=\"axis\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
			LEFT, WIDTH - RIGHT, y, y, LEFT - 6, y + 4);
		p->show(out, max * i / 2);
		buf_puts(out, "</text>\n");
	}
	for (int i = 0; i <= LABELS; i++) {
		buf_printf(out, "<text class=\"axis\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">",
			LEFT + INNER_WIDTH * i / (double)LABELS, HEIGHT - 6,
			i == 0        ? "start"
			: i == LABELS ? "end"
				      : "middle");
		put_moment(out, s, s->from + (s->to - s->from) / LABELS * i, false);
		buf_puts(out, "</text>\n");
	}
}

/* What a pointer over the bar says: when, and how much of each. */
static void put_title(
	struct buf *out, const struct audit_plot *p, const struct audit_sum *s, size_t slot)
{
	buf_puts(out, "<title>");
	put_moment(out, s, s->from + (s->to - s->from) / AUDIT_SLOTS * (int64_t)slot, true);
	for (size_t i = 0; i < p->parts_count; i++) {
		buf_printf(out, "\n%s: ", p->parts[i].name);
		p->show(out, s->slots[p->parts[i].series][slot]);
	}
	buf_puts(out, "</title>");
}

static void put_bar(struct buf *out, const struct audit_plot *p, const struct audit_sum *s,
	size_t slot, double max)
{
	double step = INNER_WIDTH / (double)AUDIT_SLOTS, y = TOP + INNER_HEIGHT;

	if (sum_at(p, s, slot) <= 0)
		return;
	buf_puts(out, "<g>");
	put_title(out, p, s, slot);
	for (size_t i = 0; i < p->parts_count; i++) {
		double v = s->slots[p->parts[i].series][slot];
		double height = v / max * INNER_HEIGHT;

		if (v <= 0)
			continue;
		height = height < 1 ? 1 : height; /* something is not nothing */
		y -= height;
		buf_printf(out,
			"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
			p->parts[i].style, LEFT + step * (double)slot + 1, y, step - 2, height);
	}
	buf_puts(out, "</g>\n");
}

static void put_caption(struct buf *out, const struct audit_plot *p, const struct audit_sum *s)
{
	buf_printf(out, "<figure class=\"card\"><figcaption><h2>%s</h2><p class=\"legend\">",
		p->title);
	for (size_t i = 0; i < p->parts_count; i++) {
		buf_printf(out,
			"<span><svg class=\"key\" viewBox=\"0 0 10 10\" aria-hidden=\"true\">"
			"<rect class=\"%s\" width=\"10\" height=\"10\" rx=\"2\"/></svg>%s ",
			p->parts[i].style, p->parts[i].name);
		buf_puts(out, "<b>");
		p->show(out, s->total[p->parts[i].series]);
		buf_puts(out, "</b></span> ");
	}
	buf_puts(out, "</p></figcaption>\n");
}

void audit_plot(struct buf *out, const struct audit_plot *p, const struct audit_sum *s)
{
	double most = 0, max;

	for (size_t i = 0; i < AUDIT_SLOTS; i++)
		most = sum_at(p, s, i) > most ? sum_at(p, s, i) : most;
	max = round_up(most > 2 ? most : 2, p->base);
	put_caption(out, p, s);
	buf_printf(out,
		"<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s over time; "
		"the "
		"most in one of %d intervals: ",
		WIDTH, HEIGHT, p->title, AUDIT_SLOTS);
	p->show(out, most);
	buf_puts(out, "\">\n");
	put_axes(out, p, s, max);
	for (size_t i = 0; i < AUDIT_SLOTS; i++)
		put_bar(out, p, s, i, max);
	buf_puts(out, "</svg></figure>\n");
}
