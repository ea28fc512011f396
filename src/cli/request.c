/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/request.h"

#include "cli/run.h"
#include "door/load.h"

#include <unistd.h>

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
	return load_config(&load, config, e);
}

int request_failed(struct call *c, bool json, int r, const struct err *e)
{
	if (r < 0 && json) {
		run_json_error(c, END_INTERNAL, e->text);
		c->answered = true;
	}
	return r;
}
