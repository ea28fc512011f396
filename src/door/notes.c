/* SPDX-License-Identifier: Apache-2.0 */
#include "door/notes.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "json/result_write.h"
#include "model/netlive.h"

#include <stdio.h>
#include <string.h>

#define HINTS 4 /* ways out that are named */

/* A name that was only asked for has no port yet. */
static bool is_allowed(const struct net_policy *p, const struct result_flow *f)
{
	uint16_t port = f->port ? f->port : NETRULE_PORT_HTTPS;
	struct netaddr addr;

	if (netaddr_parse(f->host, &addr, NULL) == 0)
		return net_decide_addr(p, &addr, port, false).allow;
	return net_decide_name(p, f->host, port).allow;
}

static void put_port(struct buf *out, const struct result_flow *f)
{
	if (f->port)
		buf_printf(out, ":%u", f->port);
}

/* The option by which it would have been allowed. False: none would do, or what refused it was not
 * a rule. */
static bool note_way_out(struct buf *out, const struct net_policy *p, const struct result_flow *f)
{
	auto_(netlive_free) struct netlive more;
	bool v6 = strchr(f->host, ':'), found = false;
	auto_(buf_free) struct buf rule = BUF(NETRULE_TEXT);

	netlive_init(&more, p);
	buf_printf(&rule, v6 ? "[%s]" : "%s", f->host);
	put_port(&rule, f);
	if (is_allowed(p, f))
		return false;
	if (!p->has_allow) {
		more.policy.mode = NET_FULL;
		found = is_allowed(&more.policy, f);
		buf_puts(out, found ? " --net full" : "");
	} else if (netlive_change(&more, false, buf_text(&rule), NULL) == 0 &&
		   is_allowed(&more.policy, f)) {
		found = true;
		buf_printf(out, " --allow '%s'", buf_text(&rule));
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
		put_port(out, f);
		buf_printf(out, " x%u (%s)", f->count, f->why);
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
			buf_printf(out, " %s x%u", result_call_name(p->denied[i].number, room),
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

void notes_write(struct buf *out, const struct run_answer *answer, const struct result *r)
{
	const struct plan *p = &answer->plan;
	char text[NUMBER_TEXT];

	if (r->start_error) {
		buf_puts(out, "ward: cannot run '");
		escape_text(out, p->argv[0]);
		buf_printf(out, "' %s: %s\n", answer->host ? "on the host" : "in the sandbox",
			strerror(r->start_error));
	}
	note_own(out, answer, r);
	if (r->reason == END_INTERNAL)
		buf_puts(out, "ward: the command could not be handed to the sandbox, or was lost "
			      "there (internal); try again\n");
	if (r->reason == END_IDLE) {
		number_duration_text(p->idle_timeout, text);
		buf_printf(out, "ward: ended after %s without output (idleTimeout)\n", text);
	}
	if (r->reason == END_STOPPED && r->hits[HIT_DISK]) {
		number_size_text(p->layer_size, text);
		buf_printf(out,
			"ward: ended: more than %s in folders that are kept (resources.disk)\n",
			text);
	}
	if (r->reason == END_STOPPED && r->hits[HIT_INODES])
		buf_printf(out,
			"ward: ended: more than %llu files in folders that are kept "
			"(resources.inodes)\n",
			(unsigned long long)p->layer_inodes);
	for (int i = 0; i < 2; i++)
		if (r->dropped[i])
			buf_printf(out, "ward: %llu bytes of %s were dropped (outputLimit)\n",
				(unsigned long long)r->dropped[i], i ? "stderr" : "stdout");
	if (r->stuck)
		buf_puts(out,
			"ward: processes of the sandbox are left: they wait in the kernel for a "
			"disk or a server, and end when it answers\n");
	if (r->unrecorded)
		buf_puts(out,
			"ward: how it ended could not be written to the audit log: look at its "
			"folder and disk\n");
	note_refusals(out, &r->report);
	note_network(out, answer, r);
}
