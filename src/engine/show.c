/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/show.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"
#include "engine/native.h"
#include "engine/stage.h"
#include "model/seccomp_default.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void line(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "%-12s ", name);
	escape_text(out, value);
	buf_putc(out, '\n');
}

static void number(struct buf *out, const char *name, uint64_t v, bool size)
{
	char text[NUMBER_TEXT];

	if (v == PLAN_NO_LIMIT)
		return;
	if (size)
		number_size_text(v, text);
	else
		snprintf(text, sizeof text, "%llu", (unsigned long long)v);
	line(out, name, text);
}

void show_sources(const struct plan *p, struct buf *out)
{
	for (size_t i = 0; i < p->row_count; i++) {
		const struct plan_row *row = &p->rows[i];

		if (row->kind == PLAN_BIND || row->kind == PLAN_WORKSPACE_BIND ||
			row->kind == PLAN_IMAGE || row->kind == PLAN_LAYERS ||
			row->kind == PLAN_OWN)
			line(out, plan_kind_names[row->kind], row->source);
	}
}

void show_groups(const struct plan *p, struct buf *out)
{
	if (!p->groups) {
		line(out, "none",
			"cannot be had here ('ward doctor' says why); see the limits below");
		return;
	}
	number(out, "memory", p->limits.memory, true);
	number(out, "swap", p->limits.swap, true);
	if (p->limits.cpus != PLAN_NO_LIMIT)
		buf_printf(out, "%-12s %llu.%03llu\n", "cpus",
			(unsigned long long)p->limits.cpus / 1000,
			(unsigned long long)p->limits.cpus % 1000);
	number(out, "pids", p->limits.pids, false);
}

void show_namespaces(const struct plan *p, struct buf *out)
{
	(void)p;
	line(out, "new", "user, mount, pid, ipc, uts");
}

void show_ids(const struct plan *p, struct buf *out)
{
	buf_printf(out, "%-12s %u:%u, on the host %u:%u\n", "user", p->uid, p->gid, p->host_uid,
		p->host_gid);
}

void show_network(const struct plan *p, struct buf *out)
{
	const struct plan_network *n = &p->network;

	line(out, "reaches",
		n->guarded ? "itself (lo); all else by the guard" : "itself only (lo)");
	for (size_t i = 0; i < n->publish_count; i++) {
		const struct net_publish *port = &n->publish[i];
		char addr[NETADDR_TEXT];

		netaddr_text(&port->addr, addr);
		buf_printf(out, "%-12s port %u of %s leads to port %u inside\n", "published",
			port->host_port, addr, port->inside_port);
	}
}

void show_hostname(const struct plan *p, struct buf *out)
{
	line(out, "name", p->hostname);
}

static void show_row(const struct plan_row *row, struct buf *out)
{
	char size[NUMBER_TEXT];

	buf_printf(out, "%-12s /", plan_kind_names[row->kind]);
	escape_text(out, row->target);
	if (row->source && row->kind != PLAN_FILE) {
		buf_puts(out, row->kind == PLAN_LINK ? " -> " : " from ");
		escape_text(out, row->source);
	}
	if (row->kind == PLAN_TMPFS) {
		number_size_text(row->size, size);
		buf_printf(out, " %s, %llu files", size, (unsigned long long)row->inodes);
	}
	if (row->kind == PLAN_BIND || row->kind == PLAN_WORKSPACE_BIND)
		buf_puts(out, row->writable ? ", writable" : ", read-only");
	buf_puts(out, row->noexec ? ", noexec\n" : "\n");
}

void show_root(const struct plan *p, struct buf *out)
{
	for (size_t i = 0; i < p->row_count; i++)
		show_row(&p->rows[i], out);
}

void show_folder(const struct plan *p, struct buf *out)
{
	line(out, "folder", p->cwd);
	line(out, "root", p->read_only_root ? "read-only" : "writable, thrown away at the end");
}

void show_rules(const struct plan *p, struct buf *out)
{
	buf_printf(out, "%-12s %u\n", "version", p->landlock_abi);
}

void show_streams(const struct plan *p, struct buf *out)
{
	line(out, "output", plan_output_names[p->output]);
}

void show_resources(const struct plan *p, struct buf *out)
{
	number(out, "files", p->limits.files, false);
	number(out, "fileSize", p->limits.file_size, true);
	number(out, "pids", p->limits.pids, false);
}

void show_filter(const struct plan *p, struct buf *out)
{
	if (p->filter.code)
		buf_printf(out, "%-12s of a profile, %u instructions\n", "filter", p->filter.len);
	for (size_t i = 0; i < p->protect_count; i++)
		line(out, "protect", p->protect[i]);
	for (size_t i = 0; i < p->hide_count; i++)
		line(out, "hide", p->hide[i]);
}

void native_steps(const struct plan *p, native_step_fn *fn, void *ctx)
{
	static const char *const places[] = {
		[STEP_SUPERVISOR] = "supervisor", [STEP_INIT] = "init", [STEP_PROGRAM] = "program"};
	auto_(buf_free) struct buf out = BUF(SIZE_MAX);

	for (size_t i = 0; i < step_count; i++) {
		if (steps[i].wanted && !steps[i].wanted(p))
			continue;
		buf_reset(&out);
		if (steps[i].show)
			steps[i].show(p, &out);
		fn(ctx, steps[i].name, places[steps[i].place], &out);
	}
	buf_reset(&out);
	buf_printf(&out, "%-12s", "command");
	for (size_t i = 0; p->argv[i]; i++) {
		buf_putc(&out, ' ');
		escape_word(&out, p->argv[i]);
	}
	buf_putc(&out, '\n');
	fn(ctx, "run the program", places[STEP_PROGRAM], &out);
}
