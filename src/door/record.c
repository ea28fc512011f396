/* SPDX-License-Identifier: Apache-2.0 */
#include "door/record.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/show.h"
#include "door/line.h"
#include "door/load.h"
#include "door/record_end.h"
#include "model/audit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

const char *const entrance_names[] = {"cli", "mcp", "library", "wrap", NULL};

/* Bytes that each part of a line may take: together they fit. */
#define LINE_ROOM (AUDITLOG_LINE - AUDITLOG_PREFIX)
#define COMMAND_ROOM (12u << 10)
#define PATH_ROOM (5u << 10)
#define ARGUMENTS_ROOM (10u << 10)
#define REASONS_ROOM (4u << 10)
#define REASON_ROOM 1000
#define SESSION_ROOM (2u << 10)
#define WORD_ROOM 200
#define WHY_ROOM 1500

struct record_open {
	struct record_open *next;
	uint64_t seq;
	char *who;
};

static int find_log(
	const struct audit *audit, struct arena *a, struct auditlog_call *ret, struct err *e)
{
	const char *state = audit->path.v ? NULL : load_state_path(a);

	if (!audit->path.v && !state)
		return err_set(e, ENOENT,
			"there is no folder for the audit log: set HOME or XDG_STATE_HOME, or "
			"'audit.path' in the configuration");
	*ret = (struct auditlog_call){
		.folder = state ? arena_printf(a, "%s/audit", state) : audit->path.v,
		.rotate = audit->rotate_size.v,
		.keep = audit->keep.v,
		.sync = (enum auditlog_sync)audit->fsync.v,
	};
	return 0;
}

int record_where(const struct config *c, struct arena *a, struct auditlog_call *ret, struct err *e)
{
	struct audit audit;

	audit_resolve(c, a, &audit);
	return find_log(&audit, a, ret, e);
}

void record_open_at(struct record *ret, const struct auditlog_call *call)
{
	*ret = (struct record){.log.call = *call};
}

int record_open(struct record *ret, const struct config *c, struct arena *a, struct err *e)
{
	struct auditlog_call call = {0};
	struct audit audit;
	int r;

	audit_resolve(c, a, &audit);
	r = find_log(&audit, a, &call, e);
	if (r < 0)
		return r;
	record_open_at(ret, &call);
	ret->redact = (struct redact){audit.redact.items, audit.redact.count};
	sha256_hex(c->digest, ret->policy);
	return 0;
}

static void drop(struct record_open **at)
{
	struct record_open *gone = *at;

	*at = gone->next;
	free(gone->who);
	free(gone);
}

void record_rest(struct record *r)
{
	if (r->open)
		auditlog_close(&r->log);
	r->open = false;
}

void record_close(struct record *r)
{
	record_rest(r);
	line_free(&r->line);
	while (r->begun)
		drop(&r->begun);
}

/* What to do about it: nobody can go on without. */
static int explain(const struct record *r, int code, struct err *e)
{
	auto_(buf_free) struct buf folder = BUF(200);
	const char *way = code == -ENOSPC || code == -EDQUOT
				  ? "make room, or name another folder with 'audit.path'"
			  : code == -EPERM || code == -EACCES || code == -EROFS
				  ? "it must be yours alone to write (chmod go-w), or name another "
				    "one with 'audit.path'"
			  : code == -EBADMSG ? "look at it with 'ward audit verify', move it away, "
					       "or name another folder with 'audit.path'"
					     : "name another folder with 'audit.path'";

	escape_text(&folder, r->log.call.folder);
	if (e)
		err_set(e, -code,
			"nothing is done without a record, and none can be written in '%s' (%s): "
			"%s",
			buf_text(&folder), strerror(-code), way);
	return code;
}

/* The line that was written last. */
static int add(struct record *r, enum auditlog_kind kind, uint64_t *ret_seq, struct err *e)
{
	const struct buf *line = &r->line.out;
	struct err detail = {0};
	struct auditlog_call call = r->log.call;
	uint64_t seq = 0;
	int code = 0;

	if (line->dropped)
		return err_set(e, EMSGSIZE,
			"the request is too long to be recorded, so it was "
			"not carried out");
	if (!r->open)
		code = auditlog_open(&r->log, &call, &detail);
	r->open = code == 0;
	if (code == 0)
		code = auditlog_add(&r->log, kind, buf_text(line), line->len, &seq, &detail);
	if (code < 0)
		return explain(r, code, e);
	if (ret_seq)
		*ret_seq = seq;
	return 0;
}

static void put_reasons(struct line *l, const struct verdict *v)
{
	size_t end = l->out.len + REASONS_ROOM;

	line_key(l, "reasons");
	buf_putc(&l->out, '[');
	for (size_t i = 0; i < v->reason_count && l->out.len < end; i++) {
		line_key(l, NULL);
		buf_putc(&l->out, '{');
		line_plain(l, "code", because_names[v->reasons[i].code]);
		line_text(l, "text", v->reasons[i].text, REASON_ROOM);
		buf_putc(&l->out, '}');
	}
	buf_putc(&l->out, ']');
}

static void put_verdict(struct line *l, const struct verdict *v, bool denied)
{
	const struct runtime_choice *c = &v->choice;
	bool ask = v->permission == PERMISSION_ASK;

	line_plain(
		l, "verdict", permission_names[denied && !ask ? PERMISSION_DENY : v->permission]);
	line_plain(l, "place", place_names[v->place]);
	put_reasons(l, v);
	if (v->place == PLACE_HOST)
		line_plain(l, "runtime", runtime_names[RUNTIME_HOST]);
	else if (c->count > 0 && c->chosen != RUNTIME_NONE)
		line_plain(l, "runtime", runtime_names[c->candidates[c->chosen].ref.runtime]);
}

static void put_who(struct line *l, const struct record_request *q)
{
	const struct verdict *v = q->verdict;

	if (v) {
		line_text(l, "session", v->session.key, SESSION_ROOM);
		line_text(l, "agent", v->session.agent, WORD_ROOM);
	}
	line_text(l, "tool", q->tool, WORD_ROOM);
}

static void hash_text(struct sha256 *h, const char *name, const char *text)
{
	uint64_t len = text ? strlen(text) : UINT64_MAX;

	sha256_add(h, name, strlen(name) + 1);
	sha256_add(h, &len, sizeof len);
	sha256_add(h, text, text ? (size_t)len : 0);
}

/* Over all of it, as it was asked for. */
static void put_hash(struct line *l, const struct record_request *q)
{
	const struct session *s = q->verdict ? &q->verdict->session : NULL;
	uint64_t count = q->argc;
	uint8_t digest[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1];
	struct sha256 h;

	sha256_init(&h);
	hash_text(&h, "session", s ? s->key : NULL);
	hash_text(&h, "agent", s ? s->agent : NULL);
	hash_text(&h, "tool", q->tool);
	hash_text(&h, "command", q->command);
	hash_text(&h, "path", q->path);
	hash_text(&h, "cwd", q->cwd);
	hash_text(&h, "arguments", q->arguments);
	sha256_add(&h, &count, sizeof count);
	for (size_t i = 0; i < q->argc; i++)
		hash_text(&h, "", q->argv[i]);
	sha256_end(&h, digest);
	sha256_hex(digest, hex);
	line_plain(l, "requestHash", hex);
}

static void put_request(
	struct record *r, struct line *l, const struct record_request *q, bool denied)
{
	line_plain(l, "entrance", entrance_names[q->entrance]);
	line_text(l, "operation", q->operation, WORD_ROOM);
	put_who(l, q);
	if (q->command)
		line_text(l, "command", q->command, COMMAND_ROOM);
	else if (q->argc > 0)
		line_words(l, "argv", q->argv, q->argc, COMMAND_ROOM);
	line_text(l, "path", q->path, PATH_ROOM);
	line_text(l, "cwd", q->cwd, PATH_ROOM);
	line_object(l, "arguments", q->arguments, ARGUMENTS_ROOM);
	if (q->verdict)
		put_verdict(l, q->verdict, denied);
	else
		line_plain(l, "verdict", permission_names[PERMISSION_DENY]);
	line_text(l, "sandbox", q->sandbox, WORD_ROOM);
	line_text(l, "approval", q->approval, WORD_ROOM);
	line_number(l, "uid", getuid());
	line_number(l, "pid", (uint64_t)getpid());
	line_plain(l, "policy", r->policy);
	put_hash(l, q);
}

static struct line *begin_line(struct record *r, const char *event, size_t room)
{
	line_begin(&r->line, &r->redact, room);
	line_plain(&r->line, "event", event);
	return &r->line;
}

void record_take_over(struct record *r, uint64_t begin, const char *who)
{
	struct record_open *o = mem_alloc(sizeof *o);

	*o = (struct record_open){.next = r->begun, .seq = begin, .who = mem_dup(who)};
	r->begun = o;
}

static struct record_open **find(const struct record *r, uint64_t begin)
{
	struct record_open **at = (struct record_open **)&r->begun;

	while (*at && (*at)->seq != begin)
		at = &(*at)->next;
	return at;
}

const char *record_who(const struct record *r, uint64_t begin)
{
	const struct record_open *o = *find(r, begin);

	return o ? o->who : "";
}

void record_hand_over(struct record *r, uint64_t begin)
{
	struct record_open **at = find(r, begin);

	if (*at)
		drop(at);
}

int record_begin(struct record *r, const struct record_request *q, uint64_t *ret_seq, struct err *e)
{
	struct line *l = begin_line(r, "begin", LINE_ROOM);
	uint64_t seq;
	int code;

	put_request(r, l, q, false);
	code = add(r, AUDITLOG_BEGIN, &seq, e);
	if (code < 0)
		return code;
	line_begin(l, &r->redact, LINE_ROOM);
	put_who(l, q);
	record_take_over(r, seq, buf_text(&l->out));
	*ret_seq = seq;
	return 0;
}

int record_deny(struct record *r, const struct record_request *q, const char *why, struct err *e)
{
	struct line *l = begin_line(r, "deny", LINE_ROOM);

	put_request(r, l, q, true);
	line_text(l, "why", why, WHY_ROOM);
	return add(r, AUDITLOG_EVENT, NULL, e);
}

int record_event(struct record *r, const char *event, const char *members,
	const struct record_fact *facts, size_t count, struct err *e)
{
	struct line *l = begin_line(r, event, LINE_ROOM);

	if (members && members[0]) {
		buf_putc(&l->out, ',');
		buf_puts(&l->out, members);
	}
	for (size_t i = 0; i < count; i++)
		line_text(l, facts[i].key, facts[i].text, PATH_ROOM);
	line_number(l, "uid", getuid());
	line_number(l, "pid", (uint64_t)getpid());
	return add(r, AUDITLOG_EVENT, NULL, e);
}

int record_peer(struct record *r, const struct record_peer *p, struct err *e)
{
	auto_(buf_free) struct buf m = BUF(256);
	struct record_fact facts[] = {{"name", p->name}, {"session", p->session}, {"why", p->why}};

	buf_printf(&m, "\"socket\":\"%s\",\"by\":{\"uid\":%u,\"pid\":%d},\"count\":%u", p->socket,
		(unsigned)p->uid, (int)p->pid, p->count);
	return record_event(r, "refusedPeer", buf_text(&m), facts, ARRAY_LEN(facts), e);
}

static struct line *begin_end(struct record *r, uint64_t begin)
{
	struct line *l = begin_line(r, "end", AUDITLOG_TAIL - AUDITLOG_PREFIX);
	const char *who = record_who(r, begin);

	line_number(l, "begin", begin);
	if (who[0]) {
		buf_putc(&l->out, ',');
		buf_puts(&l->out, who);
	}
	return l;
}

static int finish(struct record *r, uint64_t begin, struct err *e)
{
	int code = add(r, AUDITLOG_END, NULL, e);

	record_hand_over(r, begin);
	return code;
}

int record_end(struct record *r, uint64_t begin, const struct result *result, struct err *e)
{
	record_end_put(begin_end(r, begin), result);
	return finish(r, begin, e);
}

int record_end_tool(
	struct record *r, uint64_t begin, const struct err *failed, uint64_t bytes, struct err *e)
{
	struct line *l = begin_end(r, begin);

	line_plain(l, "reason", failed ? "failed" : "done");
	line_text(l, "error", failed ? failed->text : NULL, WHY_ROOM);
	line_number(l, "bytes", bytes);
	return finish(r, begin, e);
}

int record_end_failed(struct record *r, uint64_t begin, const struct err *why, struct err *e)
{
	struct line *l = begin_end(r, begin);

	line_plain(l, "reason", end_reason_names[END_INTERNAL]);
	line_text(l, "error", why->text, WHY_ROOM);
	return finish(r, begin, e);
}
