/* SPDX-License-Identifier: Apache-2.0 */
#include "json/result_write.h"

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "model/syscall.h"

#include <stdio.h>
#include <string.h>

/* Text as text; what is not UTF-8, or holds a NUL, as base64 under another name. */
static void write_stream(struct writer *w, const char *name, const struct result *r, int stream)
{
	const struct buf *data = &r->output[stream];
	char key[32];

	if (utf8_valid(buf_text(data), data->len) && !memchr(buf_text(data), 0, data->len)) {
		write_text(w, name, buf_text(data));
	} else {
		auto_(buf_free) struct buf text = BUF(SIZE_MAX);

		base64_encode(&text, data->data, data->len);
		snprintf(key, sizeof key, "%sBase64", name);
		write_text(w, key, buf_text(&text));
	}
	snprintf(key, sizeof key, "%sTruncated", name);
	write_bool(w, key, r->dropped[stream] > 0);
	snprintf(key, sizeof key, "%sDropped", name);
	write_unsigned(w, key, r->dropped[stream]);
}

static void write_usage(struct writer *w, const struct result_usage *u)
{
	struct result_amount rows[RESULT_AMOUNTS];

	write_object(w, "usage");
	result_amounts(u, rows);
	for (size_t i = 0; i < RESULT_AMOUNTS; i++)
		write_unsigned(w, rows[i].name, rows[i].v);
	write_end_object(w);
}

static void write_hits(struct writer *w, const struct result *r)
{
	write_object(w, "limitsHit");
	for (int i = 0; i < HIT_COUNT; i++)
		if (r->hits[i])
			write_unsigned(w, limit_hit_names[i], r->hits[i]);
	write_end_object(w);
}

const char *result_call_name(int number, char room[16])
{
	const char *name = syscall_name(SYSCALL_NATIVE, number);

	if (name)
		return name;
	snprintf(room, 16, "%d", number);
	return room;
}

/* Every host and port that was tried, and what came of it. */
static void write_network(struct writer *w, const struct result_network *n)
{
	write_list(w, "network");
	for (size_t i = 0; i < RESULT_FLOWS && n->flows[i].count; i++) {
		const struct result_flow *f = &n->flows[i];

		write_object(w, NULL);
		write_text(w, "host", f->host);
		write_unsigned(w, "port", f->port);
		write_bool(w, "allowed", f->allowed);
		if (f->shared)
			write_bool(w, "shared", true);
		write_text(w, "why", f->why);
		write_unsigned(w, "count", f->count);
		write_unsigned(w, "sentBytes", f->up);
		write_unsigned(w, "receivedBytes", f->down);
		write_end_object(w);
	}
	write_end_list(w);
	if (n->more)
		write_unsigned(w, "networkMore", n->more);
}

static void write_refusals(struct writer *w, const struct result_report *p)
{
	char room[16];

	write_object(w, "denied");
	for (size_t i = 0; i < RESULT_DENIED && p->denied[i].count; i++)
		write_unsigned(w, result_call_name(p->denied[i].number, room), p->denied[i].count);
	if (p->denied_more)
		write_unsigned(w, "others", p->denied_more);
	write_end_object(w);
	write_object(w, "protected");
	for (size_t i = 0; i < RESULT_REFUSED && p->refused[i].count; i++)
		write_unsigned(w, p->refused[i].path, p->refused[i].count);
	write_end_object(w);
	write_unsigned(w, "protectedMore", p->refused_more);
	write_list(w, "hostExecRisk");
	for (size_t i = 0; i < RESULT_RISKS && p->risks[i].path[0]; i++)
		write_text(w, NULL, p->risks[i].path);
	write_end_list(w);
	write_unsigned(w, "hostExecRiskMore", p->risks_more);
}

void result_write(
	struct writer *w, const struct result *r, const char *sandbox, const char *approval)
{
	write_object(w, NULL);
	if (r->exit_code >= 0)
		write_number(w, "exitCode", r->exit_code);
	else
		write_text(w, "exitCode", NULL);
	if (r->signal)
		write_number(w, "signal", r->signal);
	else
		write_text(w, "signal", NULL);
	write_text(w, "reason", end_reason_names[r->reason]);
	write_bool(w, "timedOut", r->reason == END_TIMEOUT || r->reason == END_IDLE);
	write_bool(w, "oomKilled", r->reason == END_OOM);
	write_bool(w, "stuck", r->stuck);
	if (r->unrecorded)
		write_bool(w, "unrecorded", true);
	if (r->start_error)
		write_text(w, "startError", strerror(r->start_error));
	write_stream(w, "stdout", r, 0);
	write_stream(w, "stderr", r, 1);
	write_unsigned(w, "durationMs", r->usage.wall_us / 1000);
	write_hits(w, r);
	write_usage(w, &r->usage);
	write_refusals(w, &r->report);
	write_network(w, &r->network);
	write_text(w, "sandbox", sandbox);
	if (approval && *approval)
		write_text(w, "approval", approval);
	write_text(w, "runtime", sandbox ? "native" : "host");
	write_object(w, "enforced");
	for (int i = 0; i < LAYER_COUNT; i++)
		write_text(w, layer_names[i], r->enforced[i] ? r->enforced[i] : "none");
	write_end_object(w);
	write_end_object(w);
}
