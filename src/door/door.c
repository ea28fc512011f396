/* SPDX-License-Identifier: Apache-2.0 */
#include "door/door.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/macro.h"
#include "door/ask.h"
#include "door/load.h"
#include "door/tool.h"

#include <errno.h>
#include <stdlib.h>

/* The files that a configuration comes from; one that is not there has a stamp too. */
static void look_at_files(const struct door *d, struct stat ret[DOOR_FILES])
{
	struct arena scratch = {0};
	const struct door_policy *p = d->policy;
	const char *folder =
		p && p->session.run.planned ? p->session.run.plan.workspace_path : NULL;
	const char *names[DOOR_FILES] = {
		LOAD_SYSTEM_FILE,
		d->call.user_file ? d->call.user_file : load_user_path(&scratch),
		folder ? arena_printf(&scratch, "%s/%s", folder, LOAD_WORKSPACE_FILE)
		       : LOAD_WORKSPACE_FILE,
	};

	for (size_t i = 0; i < DOOR_FILES; i++)
		if (stat(names[i], &ret[i]) < 0)
			ret[i] = (struct stat){0};
	arena_free(&scratch);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mode == b->st_mode && a->st_uid == b->st_uid &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

struct run_request door_request(const struct door *d, const struct door_policy *p)
{
	static const char *const nothing[] = {"/bin/sh", NULL};

	return (struct run_request){
		.config = &p->config,
		.argv = nothing,
		.no_tool = true,
		.user_file = d->call.user_file,
		.session = d->call.session,
		.agent = d->call.agent,
		.env = d->call.env,
		.capture = true,
		.agent_entrance = true,
		.living = true,
		.arguments = d->call.arguments,
		.arguments_len = d->call.arguments_len,
		.entrance = d->call.entrance,
		.operation = "call",
	};
}

void door_release(struct door_policy **io)
{
	struct door_policy *p = take_ptr(*io);

	if (!p || --p->users > 0)
		return;
	record_close(&p->record);
	workspace_close(&p->space);
	free(p->verdicts);
	config_free(&p->config);
	arena_free(&p->arena);
	free(p);
}

struct door_policy *door_hold(struct door *d)
{
	d->policy->users++;
	return d->policy;
}

/* What the session's sandbox is made from; nothing is planned where the place is the host. */
static int plan_session(struct door *d, struct door_policy *p, struct err *e)
{
	struct run_request q = door_request(d, p);

	return exec_decide(&q, true, &p->arena, &p->session, e);
}

static int say_revoked(const struct door *d, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(160);

	escape_text(&shown, d->policy->session.run.verdict.session.agent);
	return err_set(e, EACCES,
		"agent '%s' was taken out of the configuration (agents.entries): nothing is done "
		"for it "
		"any more; whoever is to go on has to be started anew",
		buf_text(&shown));
}

/* Nothing that was opened for it is kept. */
static int check_listed(struct door *d, const struct verdict *v, struct err *e)
{
	bool listed = v->effective->agent_known;

	d->revoked = d->listed && !listed;
	d->listed = d->listed || listed;
	if (!d->revoked)
		return 0;
	while (d->line_count > 0)
		client_line_close(&d->lines[--d->line_count]);
	return say_revoked(d, e);
}

static int read_policy(struct door *d, struct err *e)
{
	auto_(door_release) struct door_policy *p = mem_alloc(sizeof *p);
	int r;

	p->users = 1;
	p->space = WORKSPACE_CLOSED;
	p->serial = ++d->serial;
	p->verdicts = mem_realloc(NULL, tool_count(), sizeof *p->verdicts);
	for (size_t i = 0; i < tool_count(); i++)
		p->verdicts[i] = (struct verdict){0};
	r = d->call.load(d->call.ctx, &p->config, e);
	if (r == 0)
		r = record_open(&p->record, &p->config, &p->arena, e);
	if (r == 0)
		r = plan_session(d, p, e);
	if (r < 0)
		return r;
	r = check_listed(d, &p->session.run.verdict, e);
	if (r < 0)
		return r;
	door_release(&d->policy);
	d->policy = take_ptr(p);
	return 0;
}

int door_refresh(struct door *d, struct err *e)
{
	struct stat now[DOOR_FILES];
	bool same = d->policy != NULL;
	int r;

	if (d->revoked)
		return say_revoked(d, e);
	look_at_files(d, now);
	for (size_t i = 0; i < DOOR_FILES && same; i++)
		same = is_same_file(&now[i], &d->policy->files[i]);
	if (same)
		return 0;
	/* Looked at before it is read: what is written meanwhile has another stamp next time. */
	r = read_policy(d, e);
	if (r < 0 && d->policy && !d->revoked)
		return err_ctx(
			e, r, "the configuration has changed, and nothing runs until it is right");
	if (r < 0)
		return r;
	for (size_t i = 0; i < DOOR_FILES; i++)
		d->policy->files[i] = now[i];
	return 1;
}

int door_revoked(struct door *d, struct err *e)
{
	struct err other = {0};
	int r = door_refresh(d, &other);

	if (!d->revoked)
		return 0;
	*e = other;
	return r;
}

int door_open(struct door *d, const struct door_call *call, struct err *e)
{
	int r;

	*d = (struct door){.call = *call};
	r = door_refresh(d, e);
	/* Where the workspace is, and so its own file, is known only now. */
	return r < 0 ? r : door_refresh(d, e);
}

void door_close(struct door *d)
{
	while (d->line_count > 0)
		client_line_close(&d->lines[--d->line_count]);
	for (size_t i = 0; i < ARRAY_LEN(d->spare); i++)
		buf_free(&d->spare[i]);
	door_release(&d->policy);
}

int door_verdict(struct door *d, size_t tool, const struct verdict **ret, struct err *e)
{
	struct door_policy *p = d->policy;
	struct verdict *v = &p->verdicts[tool];
	struct request request = {
		.session = d->call.session, .agent = d->call.agent, .tool = tool_rows[tool].name};
	struct ask ask = {.config = &p->config, .request = &request, .hopeful = true};
	struct machine *machine;
	int r = 0;

	if (!v->tool) {
		machine = arena_alloc(&p->arena, sizeof *machine);
		r = ask_decide(&ask, &p->arena, machine, v, e);
	}
	if (r < 0) {
		*v = (struct verdict){0}; /* half of one is none: the next call asks again */
		return r;
	}
	*ret = v;
	return 0;
}

/* Does the name of the workspace stand for the folder that was opened? */
static bool is_workspace(const struct door_policy *p, int root)
{
	const char *path = p->session.run.plan.workspace_path;
	struct stat opened, named;

	return root >= 0 && path && fstat(root, &opened) == 0 && stat(path, &named) == 0 &&
	       opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/* Another folder of that name is looked at anew. */
const struct files *door_files(const struct door_policy *p)
{
	return is_workspace(p, p->space.root) ? &p->space.files : NULL;
}

void door_keep_files(struct door_policy *p, struct workspace_root *io)
{
	if (io->inside || !is_workspace(p, io->root))
		return;
	workspace_close(&p->space);
	p->space = *io;
	*io = WORKSPACE_CLOSED;
}

struct client_line door_line(struct door *d)
{
	if (d->line_count == 0)
		return (struct client_line){-1, -1};
	return d->lines[--d->line_count];
}

void door_keep_line(struct door *d, struct client_line line)
{
	if (line.sandbox >= 0 && d->line_count < DOOR_LINES)
		d->lines[d->line_count++] = line;
	else
		client_line_close(&line);
}
