/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/request.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "cli/run.h"
#include "door/load.h"
#include "json/config_read.h"
#include "model/net.h"
#include "model/netrule.h"
#include "model/resolve.h"

#include <stddef.h>
#include <unistd.h>

/* Lists of the configuration that options add to. */
static const struct {
	const char *name;
	size_t offset; /* in struct network */
	int (*check)(const char *text, struct err *e);
} lists[REQUEST_LISTS] = {
	{"allow", offsetof(struct network, allow), netrule_check_allow},
	{"deny", offsetof(struct network, deny), netrule_check},
	{"publish", offsetof(struct network, publish), net_check_publish},
};

/* "network.allow=[...]": what holds so far, and what the command line has. */
static int add(struct call *c, struct config *config, const struct config_wish *wish, size_t which,
	const struct opt_list *more, struct err *e)
{
	auto_(buf_free) struct buf text = BUF(1 << 20);
	struct settings now;
	int r = resolve_up_to(config, wish->agent, LEVEL_CALLER, c->arena, &now, e);
	const struct opt_list *parts[] = {
		(const void *)((const char *)&now.sandbox.network + lists[which].offset), more};
	size_t count = 0;

	buf_printf(&text, "network.%s=[", lists[which].name);
	for (size_t k = 0; k < ARRAY_LEN(parts) && r == 0; k++)
		for (size_t i = 0; i < parts[k]->count && r == 0; i++) {
			const char *item = parts[k]->items[i].text;

			r = lists[which].check(item, e);
			buf_printf(&text, "%s'%s'", count++ ? "," : "", item);
		}
	if (r < 0)
		return err_ctx(e, r, "--%s", lists[which].name);
	buf_putc(&text, ']');
	return config_set(config, buf_text(&text), wish, e);
}

/* By the same door as --set, so that locks hold for them too. */
static int take_network(struct call *c, const struct request_who *who, struct config *config,
	const struct config_wish *wish, struct err *e)
{
	int r = 0;

	if (who->net)
		r = config_set(config, arena_printf(c->arena, "network=%s", who->net), wish, e);
	for (size_t i = 0; i < REQUEST_LISTS && r == 0; i++)
		if (who->network[i] && who->network[i]->count > 0)
			r = add(c, config, wish, i, who->network[i], e);
	return r;
}

int request_load(struct call *c, const struct request_who *who, struct config *config,
	struct run_request *io, struct err *e)
{
	struct load_request load = {.config = who->config, .sets = who->set};
	struct session session;
	int r = session_parse(c->arena, who->session, who->agent, &session, e);

	if (r < 0)
		return r;
	load.wish.agent = session.agent;
	io->config = config;
	io->user_file = who->config;
	io->session = who->session;
	io->agent = who->agent;
	io->env = (const char *const *)environ;
	io->arguments = c->process;
	io->arguments_len = c->process_len;
	io->waits = run_waits;
	io->unconfined = run_unconfined;
	r = load_config(&load, config, e);
	return r < 0 ? r : take_network(c, who, config, &load.wish, e);
}

int request_failed(struct call *c, bool json, int r, const struct err *e)
{
	if (r < 0 && json) {
		run_json_error(c, END_INTERNAL, e->text);
		c->answered = true;
	}
	return r;
}

/* Asked again whenever a file of the configuration has changed. */
static int load_again(void *ctx, struct config *ret, struct err *e)
{
	struct request_door *d = ctx;
	struct run_request unused = {0};

	return request_load(d->call, &d->who, ret, &unused, e);
}

int request_open(struct call *c, const struct request_who *who, enum entrance entrance,
	struct request_door *ret, struct err *e)
{
	struct door_call call = {.entrance = entrance,
		.session = who->session,
		.agent = who->agent,
		.user_file = who->config,
		.env = (const char *const *)environ,
		.arguments = c->process,
		.arguments_len = c->process_len,
		.load = load_again,
		.ctx = ret};

	ret->call = c;
	ret->who = *who;
	return door_open(&ret->door, &call, e);
}
