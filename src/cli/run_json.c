/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "cli/run.h"
#include "door/approval.h"
#include "json/write.h"
#include "model/netlive.h"
#include "model/syscall.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HINTS 4 /* ways out that are named */

static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void base64(struct buf *out, const unsigned char *data, size_t len)
{
	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t v = (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
			     (left > 2 ? data[i + 2] : 0);

		buf_putc(out, base64_digits[v >> 18]);
		buf_putc(out, base64_digits[v >> 12 & 63]);
		buf_putc(out, left > 1 ? base64_digits[v >> 6 & 63] : '=');
		buf_putc(out, left > 2 ? base64_digits[v & 63] : '=');
	}
}

/* Text as text; what is not UTF-8, or holds a NUL, as base64 under another name. */
static void write_stream(struct writer *w, const char *name, const struct result *r, int stream)
{
	const struct buf *data = &r->output[stream];
	char key[32];

	if (utf8_valid(buf_text(data), data->len) && !memchr(buf_text(data), 0, data->len)) {
		write_text(w, name, buf_text(data));
	} else {
		auto_(buf_free) struct buf text = BUF(SIZE_MAX);

		base64(&text, (const unsigned char *)data->data, data->len);
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
	write_object(w, "usage");
	write_unsigned(w, "wallMs", u->wall_us / 1000);
	write_unsigned(w, "userMs", u->user_us / 1000);
	write_unsigned(w, "systemMs", u->system_us / 1000);
	write_unsigned(w, "memoryPeak", u->memory_peak);
	write_unsigned(w, "readBytes", u->read_bytes);
	write_unsigned(w, "writtenBytes", u->written_bytes);
	write_unsigned(w, "sentBytes", u->sent_bytes);
	write_unsigned(w, "receivedBytes", u->received_bytes);
	write_unsigned(w, "stdoutBytes", u->output_bytes[0]);
	write_unsigned(w, "stderrBytes", u->output_bytes[1]);
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

static const char *call_name(int number, char room[16])
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
		write_unsigned(w, call_name(p->denied[i].number, room), p->denied[i].count);
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

void run_json_error(struct call *c, enum end_reason reason, const char *text)
{
	struct writer w = WRITER(c->out);

	write_object(&w, NULL);
	write_text(&w, "exitCode", NULL);
	write_text(&w, "reason", end_reason_names[reason]);
	write_text(&w, "error", text);
	write_end_object(&w);
}

void run_json(struct call *c, const struct run_answer *answer, const struct result *r)
{
	struct writer w = WRITER(c->out);

	write_object(&w, NULL);
	if (r->exit_code >= 0)
		write_number(&w, "exitCode", r->exit_code);
	else
		write_text(&w, "exitCode", NULL);
	if (r->signal)
		write_number(&w, "signal", r->signal);
	else
		write_text(&w, "signal", NULL);
	write_text(&w, "reason", end_reason_names[r->reason]);
	write_bool(&w, "timedOut", r->reason == END_TIMEOUT || r->reason == END_IDLE);
	write_bool(&w, "oomKilled", r->reason == END_OOM);
	write_bool(&w, "stuck", r->stuck);
	if (r->start_error)
		write_text(&w, "startError", strerror(r->start_error));
	write_stream(&w, "stdout", r, 0);
	write_stream(&w, "stderr", r, 1);
	write_unsigned(&w, "durationMs", r->usage.wall_us / 1000);
	write_hits(&w, r);
	write_usage(&w, &r->usage);
	write_refusals(&w, &r->report);
	write_network(&w, &r->network);
	write_text(&w, "sandbox", answer->host ? NULL : answer->verdict.scope_name);
	if (answer->approval[0])
		write_text(&w, "approval", answer->approval);
	write_text(&w, "runtime", answer->host ? "host" : "native");
	write_object(&w, "enforced");
	for (int i = 0; i < LAYER_COUNT; i++)
		write_text(&w, layer_names[i], r->enforced[i] ? r->enforced[i] : "none");
	write_end_object(&w);
	write_end_object(&w);
}

static bool is_allowed(const struct net_policy *p, const struct result_flow *f)
{
	struct netaddr addr;

	if (netaddr_parse(f->host, &addr, NULL) == 0)
		return net_decide_addr(p, &addr, f->port, false).allow;
	return net_decide_name(p, f->host, f->port).allow;
}

/* The option by which it would have been allowed. False: none would do, or what refused it was not
 * a rule. */
static bool note_way_out(struct buf *out, const struct net_policy *p, const struct result_flow *f)
{
	auto_(netlive_free) struct netlive more;
	bool v6 = strchr(f->host, ':'), found = false;
	char rule[NETRULE_TEXT];

	netlive_init(&more, p);
	snprintf(rule, sizeof rule, "%s%s%s:%u", v6 ? "[" : "", f->host, v6 ? "]" : "", f->port);
	if (is_allowed(p, f))
		return false;
	if (!p->has_allow) {
		more.policy.mode = NET_FULL;
		found = is_allowed(&more.policy, f);
		buf_puts(out, found ? " --net full" : "");
	} else if (netlive_change(&more, false, rule, NULL) == 0 && is_allowed(&more.policy, f)) {
		found = true;
		buf_printf(out, " --allow '%s'", rule);
	}
	return found;
}

static void note_ways_out(struct buf *out, const struct net_policy *p, const struct result *r)
{
	auto_(buf_free) struct buf ways = BUF(4096);
	size_t count = 0;

	for (size_t i = 0; i < RESULT_FLOWS && r->network.flows[i].count && count < HINTS; i++)
		if (!r->network.flows[i].allowed) {
			count += note_way_out(&ways, p, &r->network.flows[i]);
			if (count && !p->has_allow)
				break;
		}
	if (count)
		buf_printf(out, "; to permit:%s", buf_text(&ways));
}

/* What was refused, and how it would not have been. */
static void note_network(struct buf *out, const struct run_answer *answer, const struct result *r)
{
	size_t shown = 0;

	for (size_t i = 0; i < RESULT_FLOWS && r->network.flows[i].count; i++) {
		const struct result_flow *f = &r->network.flows[i];

		if (f->allowed)
			continue;
		buf_puts(out, shown++ ? ", " : "ward: network: refused ");
		escape_text(out, f->host);
		buf_printf(out, ":%u x%u (%s)", f->port, f->count, f->why);
	}
	if (!shown)
		return;
	if (r->network.more)
		buf_printf(out, " and %u more", r->network.more);
	note_ways_out(out, &answer->plan.network.policy, r);
	buf_putc(out, '\n');
}

/* git clone, git init or git worktree, not in the top folder. */
static bool is_new_repository(const struct result_report *p)
{
	for (size_t i = 0; i < RESULT_REFUSED && p->refused[i].count; i++)
		if (strstr(p->refused[i].path, "/.git/hooks") ||
			strstr(p->refused[i].path, "/.git/config"))
			return true;
	return false;
}

static void note_refusals(struct buf *out, const struct result_report *p)
{
	char room[16];

	if (p->denied[0].count) {
		buf_puts(out, "ward: denied:");
		for (size_t i = 0; i < RESULT_DENIED && p->denied[i].count; i++)
			buf_printf(out, " %s x%u", call_name(p->denied[i].number, room),
				p->denied[i].count);
		buf_putc(out, '\n');
	}
	if (p->refused[0].count) {
		buf_puts(out, "ward: refused in the workspace:");
		for (size_t i = 0; i < RESULT_REFUSED && p->refused[i].count; i++) {
			buf_puts(out, i ? ", " : " ");
			escape_text(out, p->refused[i].path);
		}
		buf_puts(out, " (see 'protect' and 'hide' in ward.json5(5))\n");
		if (is_new_repository(p))
			buf_puts(out,
				"ward: a new repository below the workspace could run code on the "
				"host: make it in /tmp, or allow it with your own 'protect'\n");
	}
	if (p->risks[0].path[0]) {
		buf_puts(out, "ward: host-exec-risk: programs on the host run what changed; look "
			      "before you use it:");
		for (size_t i = 0; i < RESULT_RISKS && p->risks[i].path[0]; i++) {
			buf_puts(out, i ? ", " : " ");
			escape_text(out, p->risks[i].path);
		}
		if (p->risks_more)
			buf_printf(out, " and %u more", p->risks_more);
		buf_putc(out, '\n');
	}
}

/* Limits that a command of a living sandbox may have of its own. */
static void note_own(struct buf *out, const struct run_answer *answer, const struct result *r)
{
	const struct plan *p = &answer->plan;
	const struct plan_caps *own = &answer->caps;
	bool processors =
		own->cpu_ms && (r->usage.user_us + r->usage.system_us) / 1000 >= own->cpu_ms;
	bool memory = own->memory && own->memory < p->limits.memory;
	bool pids = own->pids && r->reason == END_STOPPED;
	char text[NUMBER_TEXT];

	if (r->reason == END_TIMEOUT) {
		number_duration_text(processors ? own->cpu_ms : p->timeout, text);
		buf_printf(out, "ward: ended after %s %s\n", text,
			processors ? "on processors (--cpu-time)" : "(timeout)");
	}
	if (r->reason == END_OOM) {
		number_size_text(memory ? own->memory : p->limits.memory, text);
		buf_printf(out, "ward: ended: more than %s of memory (%s)\n", text,
			memory ? "--memory" : "resources.memory");
	}
	if (r->hits[HIT_PIDS])
		buf_printf(out, "ward: the limit of %llu processes was met (%s)\n",
			(unsigned long long)(pids ? own->pids : p->limits.pids),
			pids ? "--pids" : "resources.pids");
}

void run_waits(const struct approval *p)
{
	auto_(buf_free) struct buf out = BUF(400);

	buf_printf(&out,
		"ward: waits for approval; from another terminal: 'ward approve %.8s' or 'ward "
		"deny %.8s'\n",
		approval_id(p), approval_id(p));
	if (write(STDERR_FILENO, buf_text(&out), out.len) < 0)
		return;
}

void run_notes(const struct run_answer *answer, const struct result *r)
{
	auto_(buf_free) struct buf out = BUF(16384);
	const struct plan *p = &answer->plan;
	char text[NUMBER_TEXT];

	if (r->start_error) {
		buf_puts(&out, "ward: cannot run '");
		escape_text(&out, p->argv[0]);
		buf_printf(&out, "' %s: %s\n", answer->host ? "on the host" : "in the sandbox",
			strerror(r->start_error));
	}
	note_own(&out, answer, r);
	if (r->reason == END_INTERNAL)
		buf_puts(&out, "ward: the command could not be handed to the sandbox, or was lost "
			       "there (internal); try again\n");
	if (r->reason == END_IDLE) {
		number_duration_text(p->idle_timeout, text);
		buf_printf(&out, "ward: ended after %s without output (idleTimeout)\n", text);
	}
	if (r->reason == END_STOPPED && r->hits[HIT_DISK]) {
		number_size_text(p->layer_size, text);
		buf_printf(&out,
			"ward: ended: more than %s in folders that are kept (resources.disk)\n",
			text);
	}
	if (r->reason == END_STOPPED && r->hits[HIT_INODES])
		buf_printf(&out,
			"ward: ended: more than %llu files in folders that are kept "
			"(resources.inodes)\n",
			(unsigned long long)p->layer_inodes);
	for (int i = 0; i < 2; i++)
		if (r->dropped[i])
			buf_printf(&out, "ward: %llu bytes of %s were dropped (outputLimit)\n",
				(unsigned long long)r->dropped[i], i ? "stderr" : "stdout");
	if (r->stuck)
		buf_puts(&out,
			"ward: processes of the sandbox are left: they wait in the kernel for a "
			"disk or a server, and end when it answers\n");
	note_refusals(&out, &r->report);
	note_network(&out, answer, r);
	if (out.len > 0 && write(STDERR_FILENO, buf_text(&out), out.len) < 0)
		return;
}
