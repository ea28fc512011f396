/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/glob.h"
#include "base/str.h"
#include "cli/audit.h"
#include "door/load.h"
#include "door/record.h"
#include "model/moment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int audit_folder(struct call *c, const char **ret, struct err *e)
{
	const struct audit_options *o = c->options;
	struct load_request load = {.config = o->config.v, .sets = &o->set};
	auto_(config_free) struct config config = {0};
	struct auditlog_call log;
	int r;

	if (o->folder.v) {
		*ret = o->folder.v;
		return 0;
	}
	r = load_config(&load, &config, e);
	if (r == 0)
		r = record_where(&config, c->arena, &log, e);
	if (r < 0)
		return r;
	*ret = arena_printf(c->arena, "%s", log.folder); /* outlives the configuration */
	return 0;
}

/* Every file of a log is open at once; there may be many. */
static void allow_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int audit_open(struct call *c, struct auditlog_view *ret, struct err *e)
{
	const char *folder;
	int r = audit_folder(c, &folder, e);

	allow_files();
	return r < 0 ? r : auditlog_view_open(ret, folder, e);
}

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int audit_filter_begin(struct call *c, struct audit_filter *ret, struct err *e)
{
	const struct audit_options *o = c->options;
	int r = 0;

	*ret = (struct audit_filter){.options = o, .since = INT64_MIN, .until = INT64_MAX};
	if (o->since.v)
		r = err_ctx(e, moment_parse(o->since.v, now_us(), &ret->since, e), "--since");
	if (r == 0 && o->until.v)
		r = err_ctx(e, moment_parse(o->until.v, now_us(), &ret->until, e), "--until");
	return r;
}

static bool is_like(const struct opt_text *wanted, const char *text)
{
	return !wanted->v || glob_word(wanted->v, text);
}

/* Why it was decided so, or how it ended. */
static bool has_reason(const char *wanted, const struct auditrow *row)
{
	const struct node *list = auditrow_get(row, "reasons");
	auto_(buf_free) struct buf outcome = BUF(200);

	for (uint32_t i = 0; list && list->type == NODE_ARRAY && i < list->count; i++) {
		const struct node *code = tree_get(&list->items[i], "code");

		if (code && code->type == NODE_TEXT && glob_word(wanted, code->text))
			return true;
	}
	auditrow_outcome(&outcome, row);
	return glob_word(wanted, auditrow_text(row, "reason")) ||
	       glob_word(wanted, buf_text(&outcome));
}

static bool has_host(const char *wanted, const struct auditrow *row)
{
	struct auditrow_flow flow;

	for (size_t i = 0; auditrow_flow(row, i, &flow); i++)
		if (glob_word(wanted, flow.host))
			return true;
	return false;
}

/* A whole key, or only what stands behind its agent, as other commands take it. */
static bool is_session(const char *wanted, const char *key)
{
	const char *rest = strncmp(key, "agent:", 6) == 0 ? strchr(key + 6, ':') : NULL;

	return glob_word(wanted, key) || (rest && glob_word(wanted, rest + 1));
}

/* In what is shown, or in the lines as they are. */
static bool has_text(const char *wanted, const struct auditrow *row)
{
	auto_(buf_free) struct buf what = BUF(AUDITLOG_LINE);

	auditrow_what(&what, row);
	return strstr(buf_text(&what), wanted) ||
	       (row->first && strstr(row->first->text, wanted)) ||
	       (row->end && strstr(row->end->text, wanted));
}

bool audit_filter_matches(const struct audit_filter *f, const struct auditrow *row)
{
	const struct audit_options *o = f->options;
	int64_t when = auditrow_time(row);

	return when >= f->since && when <= f->until &&
	       (!o->session.v || is_session(o->session.v, auditrow_text(row, "session"))) &&
	       is_like(&o->agent, auditrow_text(row, "agent")) &&
	       is_like(&o->tool, auditrow_text(row, "tool")) &&
	       is_like(&o->verdict, auditrow_text(row, "verdict")) &&
	       is_like(&o->event, auditrow_text(row, "event")) &&
	       (!o->reason.v || has_reason(o->reason.v, row)) &&
	       (!o->host.v || has_host(o->host.v, row)) && (!o->text.v || has_text(o->text.v, row));
}

int audit_output_begin(struct audit_output *o, const char *path, struct err *e)
{
	struct stat st;

	*o = (struct audit_output){.fd = STDOUT_FILENO, .path = path, .buf = BUF(SIZE_MAX)};
	if (!path || str_eq(path, "-")) {
		o->path = NULL;
		return 0;
	}
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) { /* never put a file in its place */
		o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return o->fd < 0 ? err_sys(e, -errno, "open '%s'", path) : 0;
	}
	if (asprintf(&o->temporary, "%s.XXXXXX", path) < 0)
		return err_set(e, ENOMEM, "out of memory");
	o->fd = mkostemp(o->temporary, O_CLOEXEC); /* for the caller alone to read */
	if (o->fd < 0) {
		int r = err_sys(e, -errno, "make the file '%s'", path);

		free(take_ptr(o->temporary));
		return r;
	}
	return 0;
}

void audit_output_flush(struct audit_output *o, size_t above)
{
	size_t done = 0;

	if (o->buf.len <= above || o->failed)
		return;
	while (done < o->buf.len) {
		ssize_t n = write(o->fd, o->buf.data + done, o->buf.len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			o->failed = -errno;
			break;
		}
		done += (size_t)n;
	}
	buf_reset(&o->buf);
}

int audit_output_end(struct audit_output *o, struct err *e)
{
	int r;

	audit_output_flush(o, 0);
	r = o->failed;
	if (r == 0 && o->temporary && rename(o->temporary, o->path) < 0)
		r = -errno;
	if (r < 0 && o->temporary)
		unlink(o->temporary);
	if (o->path)
		close(o->fd);
	buf_free(&o->buf);
	free(take_ptr(o->temporary));
	if (r == -EPIPE && !o->path)
		return 0;
	return r < 0 ? err_sys(e, r, "write '%s'", o->path ? o->path : "standard output") : 0;
}
