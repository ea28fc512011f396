/* SPDX-License-Identifier: Apache-2.0 */

/* ward top: the sandboxes that live, and what they use, as it happens. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"
#include "base/str.h"
#include "cli/boxes.h"
#include "engine/watch.h"
#include "sys/screen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BOXES_MAX 512
#define PAST 60 /* samples that are kept of each */
#define EVERY_MS 1000
#define CPU_WIDTH 24 /* of the picture of the past */

static const struct field top_options[] = {
	{"once", F_BOOL(struct boxes_options, once, .help = "print the list once, and end")},
	{0},
};

enum top_order { BY_CPU, BY_MEMORY, BY_PROCESSES, BY_NAME, ORDER_COUNT };
static const char *const order_names[] = {"cpu", "memory", "processes", "name"};

struct seen {
	char name[PLACE_NAME];
	struct card card;
	struct watch_sample last;
	uint64_t at_us;   /* when that was */
	unsigned percent; /* of one processor */
	uint8_t past[PAST];
	bool there; /* in the last look */
};

struct top {
	struct call *call;
	int place;
	struct seen *boxes;
	size_t count, chosen;
	enum top_order order;
	char note[160];
	char asked[PLACE_NAME]; /* to be stopped, when it is confirmed */
};

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static struct seen *box_of(struct top *t, const char *name)
{
	for (size_t i = 0; i < t->count; i++)
		if (str_eq(t->boxes[i].name, name))
			return &t->boxes[i];
	if (t->count == BOXES_MAX)
		return NULL;
	t->boxes[t->count] = (struct seen){0};
	snprintf(t->boxes[t->count].name, PLACE_NAME, "%s", name);
	return &t->boxes[t->count++];
}

static void look_at(struct top *t, const struct place_row *row)
{
	struct seen *b = box_of(t, row->name);
	struct watch_sample s = {0};
	uint64_t now = now_us(), used;

	if (!b)
		return;
	watch_usage(row->card.pid, &s);
	used = s.cpu_us > b->last.cpu_us ? s.cpu_us - b->last.cpu_us : 0;
	b->percent = b->at_us && now > b->at_us ? (unsigned)(used * 100 / (now - b->at_us)) : 0;
	memmove(b->past, b->past + 1, PAST - 1);
	b->past[PAST - 1] = (uint8_t)(b->percent > 255 ? 255 : b->percent);
	b->last = s;
	b->at_us = now;
	b->card = row->card;
	b->there = true;
}

static int compare(const struct seen *a, const struct seen *b, enum top_order order)
{
	uint64_t x = 0, y = 0;

	if (order == BY_CPU) {
		x = a->percent;
		y = b->percent;
	} else if (order == BY_MEMORY) {
		x = a->last.memory;
		y = b->last.memory;
	} else if (order == BY_PROCESSES) {
		x = a->last.processes;
		y = b->last.processes;
	}
	return x != y ? (x < y ? 1 : -1) : strcmp(a->name, b->name);
}

/* They are few, and mostly in order already. */
static void sort(struct top *t)
{
	for (size_t i = 1; i < t->count; i++)
		for (size_t j = i; j > 0 && compare(&t->boxes[j - 1], &t->boxes[j], t->order) > 0;
			j--) {
			struct seen other = t->boxes[j];

			t->boxes[j] = t->boxes[j - 1];
			t->boxes[j - 1] = other;
		}
}

static void look(struct top *t)
{
	auto_(arena_free) struct arena scratch = {0};
	struct place_row *rows;
	size_t count, n = 0;

	for (size_t i = 0; i < t->count; i++)
		t->boxes[i].there = false;
	if (place_list(t->place, &scratch, &rows, &count) < 0)
		return;
	for (size_t i = 0; i < count; i++)
		if (rows[i].alive && !rows[i].broken)
			look_at(t, &rows[i]);
	for (size_t i = 0; i < t->count; i++)
		if (t->boxes[i].there)
			t->boxes[n++] = t->boxes[i];
	t->count = n;
	sort(t);
	if (t->chosen >= t->count)
		t->chosen = t->count ? t->count - 1 : 0;
}

/* The last of the past, as high as it was busy. */
static void put_past(struct buf *out, const struct seen *b)
{
	static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

	for (size_t i = PAST - CPU_WIDTH; i < PAST; i++) {
		unsigned high = b->past[i] > 100 ? 100 : b->past[i];

		buf_puts(out, bars[(high * 8 + 99) / 100]);
	}
}

/* At most that many characters, each of which takes one place. */
static void put_cut(struct buf *out, const char *text, unsigned width)
{
	auto_(buf_free) struct buf safe = BUF(4096);
	unsigned n = 0;

	escape_text(&safe, text);
	for (const char *p = buf_text(&safe); *p && n < width; p++) {
		if (((unsigned char)*p & 0xc0) != 0x80)
			n++;
		buf_putc(out, *p);
	}
	for (; n < width; n++)
		buf_putc(out, ' ');
}

static void put_box(struct buf *out, const struct seen *b, unsigned columns)
{
	char memory[NUMBER_TEXT], age[16], idle[16];
	unsigned session = columns > 110 ? 36 : 22;

	boxes_ago(boxes_age_ms(&b->card), age);
	boxes_ago(boxes_idle_ms(&b->card), idle);
	number_size_text(b->last.memory >> 20 << 20, memory);
	put_cut(out, b->card.session[0] ? b->card.session : "-", session);
	buf_printf(out, " %4u%% %8s %5u %4u %5s %5s %-8s ", b->percent, memory, b->last.processes,
		b->card.running, age, b->card.running ? "-" : idle, b->card.network);
	put_past(out, b);
}

static void put_head(struct buf *out, const struct top *t, unsigned columns)
{
	unsigned session = columns > 110 ? 36 : 22, percent = 0;
	uint64_t memory = 0;
	char text[NUMBER_TEXT];

	for (size_t i = 0; i < t->count; i++) {
		percent += t->boxes[i].percent;
		memory += t->boxes[i].last.memory;
	}
	number_size_text(memory >> 20 << 20, text);
	buf_printf(out, "ward: %zu sandbox%s, cpu %u%%, memory %s, by %s\n", t->count,
		t->count == 1 ? "" : "es", percent, text, order_names[t->order]);
	buf_printf(out, "%-*s %5s %8s %5s %4s %5s %5s %-8s %s\n", (int)session, "SESSION", "CPU",
		"MEMORY", "PROCS", "RUN", "AGE", "IDLE", "NETWORK", "LAST 24 s");
}

/* Each line is cleared to its end, so that nothing flickers. */
static void draw(struct top *t)
{
	auto_(buf_free) struct buf out = BUF(1u << 20), head = BUF(4096);
	struct screen_size size = screen_size();
	size_t room = size.rows > 4 ? size.rows - 4 : 1,
	       first = t->chosen >= room ? t->chosen - room + 1 : 0;

	put_head(&head, t, size.columns);
	buf_puts(&out, "\033[H");
	for (const char *p = buf_text(&head); *p; p++) {
		if (*p == '\n')
			buf_puts(&out, "\033[K\r\n");
		else
			buf_putc(&out, *p);
	}
	for (size_t i = first; i < t->count && i < first + room; i++) {
		buf_puts(&out, i == t->chosen ? "\033[7m" : "");
		put_box(&out, &t->boxes[i], size.columns);
		buf_puts(&out, i == t->chosen ? "\033[0m" : "");
		buf_puts(&out, "\033[K\r\n");
	}
	if (t->count == 0)
		buf_puts(&out, "no sandbox runs; 'ward exec' and 'ward start' start one\033[K\r\n");
	buf_puts(&out, "\033[J");
	buf_printf(&out, "\033[%u;1H%s\033[K", size.rows,
		t->note[0] ? t->note
			   : "q quit  up/down choose  c cpu  m memory  p processes  n name  s "
			     "shell  k stop");
	if (write(STDOUT_FILENO, buf_text(&out), out.len) < 0)
		t->note[0] = '\0';
}

/* In the folder that the sandbox was made for. */
static void open_shell(struct top *t)
{
	const struct seen *b = &t->boxes[t->chosen];
	pid_t pid;
	int status;

	screen_end();
	pid = fork();
	if (pid == 0) {
		if (!b->card.workspace[0] || chdir(b->card.workspace) == 0)
			execl("/proc/self/exe", "ward", "shell", "--session", b->card.session,
				(char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	screen_begin();
}

static void stop_box(struct top *t)
{
	struct err e = {0};
	int r = living_stop(t->place, t->asked, true, &e);

	snprintf(t->note, sizeof t->note, "%.140s", r < 0 ? e.text : "stopped");
	t->asked[0] = '\0';
}

static void ask_to_stop(struct top *t)
{
	const struct seen *b = &t->boxes[t->chosen];
	auto_(buf_free) struct buf session = BUF(90);

	snprintf(t->asked, sizeof t->asked, "%s", b->name);
	escape_text(&session, b->card.session);
	snprintf(t->note, sizeof t->note, "stop the sandbox of %s, %u running? y/n",
		buf_text(&session), b->card.running);
}

/* false: it is to end. */
static bool take_key(struct top *t, int key)
{
	static const struct {
		char key;
		enum top_order order;
	} orders[] = {{'c', BY_CPU}, {'m', BY_MEMORY}, {'p', BY_PROCESSES}, {'n', BY_NAME}};

	if (key == 'q' || key == SCREEN_QUIT)
		return false;
	if (key == SCREEN_NONE || key == SCREEN_RESIZED)
		return true;
	if (t->asked[0]) {
		t->note[0] = '\0';
		if (key == 'y')
			stop_box(t);
		t->asked[0] = '\0';
		return true;
	}
	t->note[0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(orders); i++)
		if (key == orders[i].key)
			t->order = orders[i].order;
	sort(t);
	if ((key == SCREEN_DOWN || key == 'j') && t->chosen + 1 < t->count)
		t->chosen++;
	if (key == SCREEN_UP && t->chosen > 0)
		t->chosen--;
	if (key == 's' && t->count)
		open_shell(t);
	if (key == 'k' && t->count)
		ask_to_stop(t);
	return true;
}

static void once(struct top *t)
{
	struct timespec pause = {.tv_nsec = 200000000};

	look(t);
	nanosleep(&pause, NULL);
	look(t);
	put_head(t->call->out, t, 120);
	for (size_t i = 0; i < t->count; i++) {
		put_box(t->call->out, &t->boxes[i], 120);
		buf_putc(t->call->out, '\n');
	}
}

static void watch(struct top *t)
{
	uint64_t next = 0;
	bool on = true;

	while (on) {
		uint64_t now = now_us();

		if (now >= next) {
			look(t);
			next = now + EVERY_MS * 1000;
		}
		draw(t);
		now = now_us();
		on = take_key(t, screen_read_key(now < next ? (int)((next - now) / 1000) + 1 : 0));
	}
}

/* One that would show the sequences that move its cursor. */
static bool is_dumb(void)
{
	const char *name = getenv("TERM");

	return name && str_eq(name, "dumb");
}

static int top(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	auto_fd int place = place_open(c->arena, e);
	struct top t = {.call = c, .place = place};
	int r;

	if (place < 0)
		return place;
	t.boxes = arena_array(c->arena, BOXES_MAX, sizeof *t.boxes);
	if (o->once.v) {
		once(&t);
		return EXIT_OK;
	}
	r = is_dumb() ? -ENOTTY : screen_begin();
	if (r == -ENOTTY)
		return err_set(e, ENOTTY,
			"'ward top' needs a terminal; 'ward top --once' and 'ward stats' do not");
	if (r < 0)
		return err_sys(e, r, "use the terminal");
	watch(&t);
	screen_end();
	return EXIT_OK;
}

const struct command cmd_top = {
	.name = "top",
	.summary = "watch what sandboxes use",
	.options = top_options,
	.options_size = sizeof(struct boxes_options),
	.details =
		"Keys: up and down choose a sandbox; c, m, p, n sort by cpu, memory, processes,\n"
		"name; s opens a shell in it; k stops it, after a question; q ends. CPU is in\n"
		"parts of one processor; the picture shows the last 24 seconds.",
	.examples = "  ward top\n"
		    "  ward top --once\n",
	.run = top,
};
