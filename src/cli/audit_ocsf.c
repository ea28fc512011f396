/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Rows of the audit log as events of the Open Cybersecurity Schema Framework, version 1.4.0: a
 * command is Process Activity, a file tool File System Activity, each destination that a command
 * tried to reach Network Activity, everything else a Base Event. What has no attribute there
 * stands under `unmapped`, with ward's own name for it.
 */

#include "base/cleanup.h"
#include "base/str.h"
#include "cli/audit.h"
#include "json/node_write.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#define SCHEMA "1.4.0"

enum { CLASS_BASE = 0, CLASS_FILE = 1001, CLASS_PROCESS = 1007, CLASS_NETWORK = 4001 };
enum { STATUS_UNKNOWN = 0, STATUS_SUCCESS = 1, STATUS_FAILURE = 2 };
enum { SEVERITY_INFORMATIONAL = 1, SEVERITY_LOW = 2 };
enum { ALLOWED = 1, DENIED = 2 }; /* action_id */
enum { DISPOSED_ALLOWED = 1, DISPOSED_BLOCKED = 2 };
enum { ACTIVITY_LAUNCH = 1, ACTIVITY_REFUSE = 5, ACTIVITY_TRAFFIC = 6, ACTIVITY_OTHER = 99 };

/* What file tools do, in the terms of File System Activity. */
static const struct {
	const char *tool;
	unsigned activity;
} file_activities[] = {
	{"read", 2}, {"list", 2}, {"search", 2}, {"write", 3}, {"edit", 3}, {"apply_patch", 3}};

struct event {
	unsigned class, activity, status;
	bool denied;
};

static unsigned file_activity(const char *tool)
{
	for (size_t i = 0; i < ARRAY_LEN(file_activities); i++)
		if (str_eq(file_activities[i].tool, tool))
			return file_activities[i].activity;
	return ACTIVITY_OTHER;
}

static const char *host_name(void)
{
	static struct utsname name;

	return name.nodename[0] || uname(&name) == 0 ? name.nodename : "";
}

static void put_metadata(struct writer *w, const struct auditrow *row)
{
	char uid[64];

	snprintf(uid, sizeof uid, "%llu", (unsigned long long)auditrow_seq(row));
	write_object(w, "metadata");
	write_text(w, "version", SCHEMA);
	write_object(w, "product");
	write_text(w, "name", "ward");
	write_text(w, "vendor_name", "ward");
	write_text(w, "version", WARD_VERSION);
	write_end_object(w);
	write_texts(w, "profiles", (const char *const[]){"host", "security_control", NULL});
	write_text(w, "log_name", "audit");
	write_text(w, "uid", uid);
	write_unsigned(w, "sequence", auditrow_seq(row));
	write_text(w, "correlation_uid", uid);
	write_text(w, "original_time", auditrow_text(row, "time"));
	write_end_object(w);
}

static void put_actor(struct writer *w, const struct auditrow *row)
{
	auto_(buf_free) struct buf uid = BUF(40);

	if (auditrow_get(row, "uid"))
		auditrow_show(&uid, auditrow_get(row, "uid"));
	write_object(w, "actor");
	write_text(w, "app_name", auditrow_text(row, "entrance"));
	write_object(w, "user");
	write_text(w, "name", auditrow_text(row, "agent"));
	if (uid.len)
		write_text(w, "uid", buf_text(&uid));
	write_end_object(w);
	write_object(w, "session");
	write_text(w, "uid", auditrow_text(row, "session"));
	write_end_object(w);
	write_end_object(w);
	write_object(w, "device");
	write_unsigned(w, "type_id", 0);
	write_text(w, "hostname", host_name());
	write_end_object(w);
}

/* What every event has. The object stays open. */
static void put_head(struct writer *w, const struct event *v, const struct auditrow *row)
{
	int64_t ms = auditrow_time(row) / 1000;

	write_object(w, NULL);
	write_unsigned(w, "category_uid", v->class / 1000);
	write_unsigned(w, "class_uid", v->class);
	write_unsigned(w, "activity_id", v->activity);
	write_unsigned(w, "type_uid", (uint64_t)v->class * 100 + v->activity);
	write_number(w, "time", ms);
	write_unsigned(w, "severity_id", v->denied ? SEVERITY_LOW : SEVERITY_INFORMATIONAL);
	write_unsigned(w, "status_id", v->status);
	write_unsigned(w, "action_id", v->denied ? DENIED : ALLOWED);
	write_unsigned(w, "disposition_id", v->denied ? DISPOSED_BLOCKED : DISPOSED_ALLOWED);
	if (row->first && row->end) {
		write_number(w, "start_time", ms);
		write_number(w, "end_time", row->end->time_us / 1000);
		write_unsigned(w, "duration", (uint64_t)auditrow_amount(row, "durationMs"));
	}
	put_metadata(w, row);
	put_actor(w, row);
}

/* Members of the lines that the schema has no place for. */
static void put_unmapped(struct writer *w, const struct auditrow *row)
{
	static const char *const keys[] = {"operation", "tool", "cwd", "verdict", "place",
		"reasons", "why", "runtime", "approval", "policy", "requestHash", "reason", "error",
		"signal", "limitsHit", "deniedCalls", "refused", "usage", NULL};

	write_object(w, "unmapped");
	for (size_t i = 0; keys[i]; i++) {
		const struct node *n = auditrow_get(row, keys[i]);

		if (n)
			node_write(w, keys[i], n);
	}
	write_end_object(w);
}

static void put_process(struct writer *w, const struct auditrow *row, const char *what)
{
	const struct node *argv = auditrow_get(row, "argv");
	auto_(buf_free) struct buf name = BUF(4096), uid = BUF(64);
	const char *slash;

	if (argv && argv->type == NODE_ARRAY && argv->count > 0)
		auditrow_show(&name, &argv->items[0]);
	slash = strrchr(buf_text(&name), '/');
	buf_printf(&uid, "ward-%llu", (unsigned long long)auditrow_seq(row));
	write_object(w, "process");
	write_text(w, "uid", buf_text(&uid));
	if (name.len)
		write_text(w, "name", slash && slash[1] ? slash + 1 : buf_text(&name));
	write_text(w, "cmd_line", what);
	if (auditrow_text(row, "sandbox")[0])
		write_text(w, "sandbox", auditrow_text(row, "sandbox"));
	write_end_object(w);
	if (row->end &&
		str_eq(auditrow_text(&(struct auditrow){.end = row->end}, "reason"), "exited"))
		write_unsigned(w, "exit_code", (uint64_t)auditrow_amount(row, "exitCode"));
}

static void put_file(struct writer *w, const char *path)
{
	const char *slash = strrchr(path, '/');

	write_object(w, "file");
	write_text(w, "name", slash && slash[1] ? slash + 1 : path);
	write_text(w, "path", path);
	write_unsigned(w, "type_id", 0);
	write_end_object(w);
}

static void put_flow(struct buf *out, const struct auditrow *row, const struct auditrow_flow *f)
{
	struct writer w = WRITER_COMPACT(out);
	struct event v = {.class = CLASS_NETWORK,
		.activity = f->allowed ? ACTIVITY_TRAFFIC : ACTIVITY_REFUSE,
		.status = f->allowed ? STATUS_SUCCESS : STATUS_FAILURE,
		.denied = !f->allowed};
	uint8_t address[16];
	bool numeric = inet_pton(AF_INET, f->host, address) == 1 ||
		       inet_pton(AF_INET6, f->host, address) == 1;

	put_head(&w, &v, row);
	write_unsigned(&w, "count", f->count ? f->count : 1);
	write_text(&w, "message", f->why);
	write_object(&w, "dst_endpoint");
	write_text(&w, numeric ? "ip" : "hostname", f->host);
	if (f->port)
		write_unsigned(&w, "port", f->port);
	write_end_object(&w);
	write_object(&w, "traffic");
	write_unsigned(&w, "bytes_out", f->sent);
	write_unsigned(&w, "bytes_in", f->received);
	write_unsigned(&w, "bytes", f->sent + f->received);
	write_end_object(&w);
	write_end_object(&w);
	buf_putc(out, '\n');
}

static struct event event_of(const struct auditrow *row)
{
	bool denied = auditrow_is_denied(row);
	struct event v = {.denied = denied,
		.status = denied || auditrow_is_failed(row) ? STATUS_FAILURE
			  : row->end                        ? STATUS_SUCCESS
							    : STATUS_UNKNOWN,
		.class = CLASS_BASE,
		.activity = ACTIVITY_OTHER};

	if (!auditrow_is_request(row))
		return v;
	if (auditrow_get(row, "path")) {
		v.class = CLASS_FILE;
		v.activity = file_activity(auditrow_text(row, "tool"));
	} else if (auditrow_get(row, "argv") || auditrow_get(row, "command")) {
		v.class = CLASS_PROCESS;
		v.activity = ACTIVITY_LAUNCH;
	}
	return v;
}

void audit_ocsf(struct buf *out, const struct auditrow *row)
{
	auto_(buf_free) struct buf what = BUF(AUDITLOG_LINE);
	struct event v = event_of(row);
	struct writer w = WRITER_COMPACT(out);
	struct auditrow_flow flow;

	auditrow_what(&what, row);
	put_head(&w, &v, row);
	if (v.activity == ACTIVITY_OTHER)
		write_text(&w, "activity_name",
			auditrow_text(row, auditrow_is_request(row) ? "operation" : "event"));
	write_text(&w, "message", buf_text(&what));
	if (v.class == CLASS_PROCESS)
		put_process(&w, row, buf_text(&what));
	if (v.class == CLASS_FILE)
		put_file(&w, buf_text(&what));
	put_unmapped(&w, row);
	write_end_object(&w);
	buf_putc(out, '\n');
	for (size_t i = 0; auditrow_flow(row, i, &flow); i++)
		put_flow(out, row, &flow);
}
