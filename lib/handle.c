/* SPDX-License-Identifier: Apache-2.0 */

/* A handle: how it is opened and closed, and what its errors are called. */

#include "lib/parts.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SET_MOST 256
#define OPEN_MS 10000

extern char **environ;

unsigned ward_api_version(void)
{
	return WARD_API_VERSION;
}

const char *ward_strerror(int error)
{
	static const char *const texts[WARD_ERRORS] = {
		[-WARD_OK] = "done",
		[-WARD_DENIED] = "denied",
		[-WARD_NOT_FOUND] = "not found",
		[-WARD_INVALID] = "invalid arguments",
		[-WARD_TIMEOUT] = "no answer in time",
		[-WARD_CANCELLED] = "cancelled",
		[-WARD_LOST] = "ward has ended",
		[-WARD_NOMEM] = "no memory",
		[-WARD_SYSTEM] = "refused by the system",
		[-WARD_TOO_LARGE] = "too large",
		[-WARD_FAILED] = "failed",
		[-WARD_BUSY] = "busy",
	};

	return error <= 0 && error > -WARD_ERRORS ? texts[-error] : "unknown error";
}

const char *ward_message(const struct ward *w)
{
	return w ? w->message : "";
}

int handle_fail(struct ward *w, int error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->message, sizeof w->message, fmt, ap);
	va_end(ap);
	return error;
}

/* The command line of ward; every text in one block, which is freed with the list. */
struct words {
	const char *v[SET_MOST + 8];
	size_t count;
	char *block;
	size_t used, size;
};

static void add_word(struct words *l, const char *option, const char *value)
{
	char *to = l->block + l->used;

	if (!value)
		return;
	l->v[l->count++] = to;
	l->used += 1 + (size_t)snprintf(to, l->size - l->used, "%s%s", option, value);
}

/* WARD_INVALID: too many settings. */
static int make_words(struct words *l, const struct ward_options *o, const char *config)
{
	const char *const given[] = {o->session, o->agent, config};
	size_t sets = 0;

	l->size = 64;
	for (size_t i = 0; i < COUNT(given); i++)
		l->size += (given[i] ? strlen(given[i]) : 0) + 16;
	for (; o->set && o->set[sets]; sets++)
		l->size += strlen(o->set[sets]) + 16;
	if (sets > SET_MOST)
		return WARD_INVALID;
	l->block = malloc(l->size);
	if (!l->block)
		return WARD_NOMEM;
	add_word(l, "", "ward");
	add_word(l, "", "mcp");
	add_word(l, "", "--entrance=library");
	add_word(l, "--session=", o->session);
	add_word(l, "--agent=", o->agent);
	add_word(l, "--config=", config);
	for (size_t i = 0; i < sets; i++)
		add_word(l, "--set=", o->set[i]);
	l->v[l->count] = NULL;
	return WARD_OK;
}

/* From this folder, whatever the workspace is; a plain name of a program is looked for in PATH. */
static int absolute(const char *path, bool only_paths, char *room, const char **ret)
{
	*ret = path;
	if (!path || *path == '/' || (only_paths && !strchr(path, '/')))
		return WARD_OK;
	if (!realpath(path, room))
		return WARD_SYSTEM;
	*ret = room;
	return WARD_OK;
}

static int start(struct ward *w, const struct ward_options *o)
{
	char program_room[PATH_MAX], config_room[PATH_MAX];
	const char *config = NULL;
	struct words words = {.count = 0};
	struct peer_start how = {.folder = o->workspace,
		.argv = words.v,
		.env = o->env ? o->env : (const char *const *)environ};
	int r = absolute(o->program ? o->program : "ward", true, program_room, &how.program);

	if (r < 0)
		return handle_fail(w, r, "the program '%s': %s", o->program, strerror(errno));
	r = absolute(o->config, false, config_room, &config);
	if (r < 0)
		return handle_fail(w, r, "the configuration '%s': %s", o->config, strerror(errno));
	r = make_words(&words, o, config);
	if (r < 0)
		return handle_fail(w, r, "%s", r == WARD_NOMEM ? "no memory" : "too many settings");
	r = peer_start(&w->peer, &how);
	free(words.block);
	if (r < 0)
		return handle_fail(w, r == -ENOMEM ? WARD_NOMEM : WARD_SYSTEM,
			"'%s' cannot be started%s%s: %s", how.program, o->workspace ? " in " : "",
			o->workspace ? o->workspace : "", strerror(-r));
	return WARD_OK;
}

/* The first words on both sides, as the protocol wants them. */
static int agree(struct ward *w, unsigned timeout_ms)
{
	static const char hello[] =
		"\"protocolVersion\":\"2025-11-25\",\"clientInfo\":{\"name\":\"libward\","
		"\"version\":\"" WARD_VERSION "\"},\"capabilities\":{\"experimental\":"
		"{\"ward/output\":{}}%s}";
	struct put params = {0};
	struct ward_answer answer = {0};
	int error = 1, r;
	struct call like = {.kind = CALL_PLAIN, .keep = &answer, .ret_error = &error};
	char text[sizeof hello + 40];

	snprintf(text, sizeof text, hello, w->on_approval ? ",\"elicitation\":{\"form\":{}}" : "");
	put_raw(&params, text);
	r = calls_send(w, "initialize", &params, &like, NULL);
	put_free(&params);
	if (r == WARD_OK)
		r = calls_wait(w, &error, calls_clock_ms() + (timeout_ms ? timeout_ms : OPEN_MS));
	ward_answer_free(&answer);
	if (r == WARD_TIMEOUT)
		return handle_fail(w, r, "ward does not answer");
	if (r < 0)
		return r;
	put_raw(&params, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	r = calls_queue(w, &params);
	put_free(&params);
	return r;
}

int ward_open(const struct ward_options *o, struct ward **ret)
{
	static const struct ward_options none;
	struct ward *w = calloc(1, sizeof *w);
	int r;

	o = o ? o : &none;
	if (!w) {
		if (o->error && o->error_size > 0)
			snprintf(o->error, o->error_size, "no memory");
		return WARD_NOMEM;
	}
	w->peer.fd = w->peer.pidfd = w->peer.said = -1;
	w->peer.owner = getpid();
	w->ctx = o->ctx;
	w->on_approval = o->on_approval;
	w->on_log = o->on_log;
	r = start(w, o);
	if (r == WARD_OK)
		r = agree(w, o->open_timeout_ms);
	if (r == WARD_OK) {
		*ret = w;
		return WARD_OK;
	}
	if (o->error && o->error_size > 0)
		snprintf(o->error, o->error_size, "%s", w->message);
	ward_close(w);
	return r;
}

/* Whoever began a call hears of its end, but in a process that only inherited the handle. */
void ward_close(struct ward *w)
{
	if (!w)
		return;
	w->on_approval = NULL;
	w->on_log = NULL;
	if (w->peer.owner != getpid())
		for (struct call *c = w->calls; c; c = c->next)
			c->callbacks = (struct ward_callbacks){0};
	calls_finish_all(w, WARD_CANCELLED);
	peer_end(&w->peer);
	free(w);
}
