/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/live_process.h"

#include "base/cleanup.h"
#include "engine/live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define RING_MIN (4u << 10)
#define RING_MAX (1ull << 30)

void live_process_free(struct live_process *p)
{
	cleanup_fd(&p->input);
	cleanup_fd(&p->output);
	cleanup_fd(&p->ring);
	*p = (struct live_process){.input = -1, .output = -1, .ring = -1};
}

struct live_process *live_process_find(struct live *v, int32_t id)
{
	for (size_t i = 0; i < LIVE_PROCESSES; i++)
		if (v->processes[i].id == id)
			return &v->processes[i];
	return NULL;
}

/* A free row, or that of the one that ended first. */
static struct live_process *row(struct live *v)
{
	struct live_process *p = live_process_find(v, 0);

	for (size_t i = 0; i < LIVE_PROCESSES && (!p || p->id != 0); i++) {
		struct live_process *q = &v->processes[i];

		if (q->ended && (!p || q->over < p->over))
			p = q;
	}
	if (p && p->id)
		live_process_free(p);
	if (p)
		*p = (struct live_process){.input = -1, .output = -1, .ring = -1};
	return p;
}

/* The words with spaces between them, as far as they fit; the first text is the folder. */
static void take_command(struct live_process *p, const struct post_exec *x)
{
	const char *text = x->text, *end = x->text + x->command.size;
	size_t len = 0;

	if (x->command.flags & SLOT_LONG)
		return;
	text += strlen(text) + 1;
	for (uint32_t i = 0; i < x->command.argc && text < end; i++) {
		int n = snprintf(
			p->command + len, sizeof p->command - len, "%s%s", i ? " " : "", text);

		len += (size_t)n;
		if (len >= sizeof p->command)
			return;
		text += strlen(text) + 1;
	}
}

static int open_pipes(struct live_process *p, struct packet_fds *ret)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) < 0)
		return -errno;
	p->input = in[1];
	if (pipe2(out, O_CLOEXEC) < 0) {
		close(in[0]);
		return -errno;
	}
	p->output = out[0];
	fcntl(p->input, F_SETFL, O_NONBLOCK);
	fcntl(p->output, F_SETFL, O_NONBLOCK);
	*ret = (struct packet_fds){
		.fd = {in[0], out[1], fcntl(out[1], F_DUPFD_CLOEXEC, 3)}, .count = 3};
	return ret->fd[2] < 0 ? -errno : 0;
}

struct live_process *live_process_new(
	struct live *v, const struct post_exec *x, struct packet_fds *ret_streams)
{
	struct live_process *p = row(v);
	struct packet_fds fds = {.count = 0};

	if (!p)
		return NULL;
	p->size = x->ring < RING_MIN ? RING_MIN : x->ring > RING_MAX ? RING_MAX : x->ring;
	p->ring = memfd_create("output", MFD_CLOEXEC);
	if (p->ring < 0 || open_pipes(p, &fds) < 0) {
		packet_close(&fds);
		live_process_free(p);
		return NULL;
	}
	p->id = ++v->last_process;
	p->began = live_now();
	take_command(p, x);
	*ret_streams = fds;
	return p;
}

/* Older bytes are overwritten. */
static void keep(struct live_process *p, const char *data, size_t len)
{
	while (len > 0) {
		uint64_t at = p->written % p->size;
		size_t part = len < p->size - at ? len : (size_t)(p->size - at);
		ssize_t n = pwrite(p->ring, data, part, (off_t)at);

		if (n <= 0) { /* no memory left on the host: counted, not kept */
			p->written += len;
			return;
		}
		p->written += (uint64_t)n;
		data += n;
		len -= (size_t)n;
	}
}

void live_process_pump(struct live *v, struct live_process *p)
{
	static char data[64u << 10];

	for (int i = 0; i < 16 && p->output >= 0; i++) {
		ssize_t n = read(p->output, data, sizeof data);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n <= 0) {
			close(take_fd(&p->output));
			break;
		}
		keep(p, data, (size_t)n);
	}
	live_process_answer(v, p);
}

static uint64_t first(const struct live_process *p)
{
	return p->written > p->size ? p->written - p->size : 0;
}

static void send(struct live_line *l, const struct post *m)
{
	if (l->client >= 0)
		post_send(l->client, false, m, NULL);
}

/* A part of what was written from there on; nothing when all of it was read. */
static void send_output(struct live_line *l, const struct live_process *p, uint64_t from)
{
	struct post *m = post_new(POST_OUTPUT, p->id);
	uint64_t at;
	ssize_t n;

	from = from < first(p) ? first(p) : from > p->written ? p->written : from;
	at = from % p->size;
	m->data.size = p->written - from < POST_DATA ? (uint32_t)(p->written - from) : POST_DATA;
	if (m->data.size > p->size - at)
		m->data.size = (uint32_t)(p->size - at);
	n = m->data.size ? pread(p->ring, m->data.bytes, m->data.size, (off_t)at) : 0;
	m->data.size = n > 0 ? (uint32_t)n : 0;
	m->data.position = from;
	m->data.flag = p->ended && p->output < 0 && from + m->data.size == p->written;
	send(l, m);
}

static bool has_news(const struct live_process *p, const struct live_line *l)
{
	return p->written > l->position || (p->ended && p->output < 0);
}

static void say_ended(struct live *v, struct live_line *l, const struct live_process *p)
{
	struct post *m = post_new(POST_ENDED, p->id);

	m->end = p->end;
	send(l, m);
	live_line_close(v, l);
}

void live_process_answer(struct live *v, struct live_process *p)
{
	for (size_t i = 0; i < LIVE_LINES; i++) {
		struct live_line *l = &v->lines[i];

		if (!l->used || l->waits_for != p->id)
			continue;
		if (l->waits_for_end && p->ended) {
			say_ended(v, l, p);
		} else if (!l->waits_for_end && has_news(p, l)) {
			l->waits_for = 0;
			send_output(l, p, l->position);
		}
	}
}

void live_process_end(struct live *v, struct live_process *p, const struct post_end *end)
{
	p->ended = true;
	p->over = live_now();
	p->end = *end;
	cleanup_fd(&p->input);
	p->input = -1;
	live_process_pump(v, p);
}

static void send_list(struct live *v, struct live_line *l)
{
	for (size_t i = 0; i < LIVE_PROCESSES; i++) {
		const struct live_process *p = &v->processes[i];
		struct post *m;

		if (p->id == 0)
			continue;
		m = post_new(POST_PROCESS, p->id);
		m->process = (struct post_process){.ended = p->ended,
			.input = p->input >= 0,
			.age_ms = ((p->ended ? p->over : live_now()) - p->began) / 1000,
			.written = p->written,
			.kept = p->written - first(p),
			.exit_code = p->end.exit_code,
			.signal = p->end.signal,
			.reason = p->end.reason};
		memcpy(m->process.command, p->command, sizeof p->command);
		send(l, m);
	}
	send(l, post_new(POST_DONE, 0));
}

/* What it takes at once; the caller asks again for the rest. */
static int32_t write_input(struct live_process *p, const struct post_data *d)
{
	ssize_t n = 0;

	if (p->input < 0)
		return -EPIPE;
	if (d->size > 0)
		n = write(p->input, d->bytes, d->size);
	if (n < 0 && errno != EAGAIN)
		return -errno;
	n = n < 0 ? 0 : n;
	if (d->flag && (size_t)n == d->size)
		close(take_fd(&p->input));
	return (int32_t)n;
}

static struct live_line *line_of(struct live *v, const struct live_process *p)
{
	for (size_t i = 0; i < LIVE_LINES; i++)
		if (v->lines[i].used && v->lines[i].process == p->id && v->lines[i].orders >= 0)
			return &v->lines[i];
	return NULL;
}

static int32_t signal_process(struct live *v, struct live_process *p, uint64_t number)
{
	struct slot_order order = {.kind = SLOT_SIGNAL, .number = (int32_t)number};
	struct live_line *l = line_of(v, p);

	if (!l || number == 0 || number >= NSIG)
		return l ? -EINVAL : -ESRCH;
	if (number == SIGKILL) { /* with all that it started */
		live_line_kill(v, l);
		return 0;
	}
	return packet_send(l->orders, false, &order, sizeof order, NULL);
}

static void done(struct live_line *l, int32_t number)
{
	send(l, post_new(POST_DONE, number));
}

bool live_process_request(struct live *v, struct live_line *l, const struct post *m)
{
	struct live_process *p = m->number > 0 ? live_process_find(v, m->number) : NULL;

	if (m->kind == POST_PROCESSES) {
		send_list(v, l);
		return true;
	}
	if (m->kind < POST_PROCESSES || m->kind > POST_PROCESS_WAIT)
		return false;
	if (!p) {
		live_line_fail(v, l, ESRCH, "there is no such background process");
	} else if (m->kind == POST_PROCESS_WRITE) {
		done(l, write_input(p, &m->data));
	} else if (m->kind == POST_PROCESS_SIGNAL) {
		done(l, signal_process(v, p, m->data.position));
	} else if (m->kind == POST_PROCESS_OUTPUT && !m->data.flag) {
		send_output(l, p, m->data.position);
	} else {
		l->waits_for = p->id;
		l->waits_for_end = m->kind == POST_PROCESS_WAIT;
		l->position = m->data.position;
		live_process_answer(v, p);
	}
	return true;
}
