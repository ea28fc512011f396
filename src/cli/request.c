/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/request.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "cli/run.h"
#include "door/load.h"
#include "json/config_read.h"
#include "model/netrule.h"
#include "model/resolve.h"

#include <unistd.h>

/* "network.allow=[...]": the rules that hold so far, and those of the command line. */
static int add_rules(struct call *c, struct config *config, const struct config_wish *wish,
	bool allow, const struct opt_list *more, struct err *e)
{
	auto_(buf_free) struct buf text = BUF(1 << 20);
	struct settings now;
	int r = resolve_up_to(config, wish->agent, LEVEL_CALLER, c->arena, &now, e);
	const struct opt_list *lists[] = {
		allow ? &now.sandbox.network.allow : &now.sandbox.network.deny, more};
	size_t count = 0;

	buf_printf(&text, "network.%s=[", allow ? "allow" : "deny");
	for (size_t k = 0; k < ARRAY_LEN(lists) && r == 0; k++)
		for (size_t i = 0; i < lists[k]->count && r == 0; i++) {
			const char *rule = lists[k]->items[i].text;

			r = allow ? netrule_check_allow(rule, e) : netrule_check(rule, e);
			buf_printf(&text, "%s'%s'", count++ ? "," : "", rule);
		}
	if (r < 0)
		return err_ctx(e, r, "%s", allow ? "--allow" : "--deny");
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
	if (r == 0 && who->allow && who->allow->count > 0)
		r = add_rules(c, config, wish, true, who->allow, e);
	if (r == 0 && who->deny && who->deny->count > 0)
		r = add_rules(c, config, wish, false, who->deny, e);
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
