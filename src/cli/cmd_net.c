/* SPDX-License-Identifier: Apache-2.0 */

/* ward net show, allow, deny: the network of a session's running sandbox. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/boxes.h"
#include "door/talk.h"
#include "model/netrule.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct field show_options[] = {
	BOXES_OPTIONS,
	OPTION_JSON(struct boxes_options),
	{0},
};

static const struct field change_options[] = {
	BOXES_OPTIONS,
	{"now", F_BOOL(struct boxes_options, now,
			.help = "end connections too that are open and no longer allowed")},
	OPTION_JSON(struct boxes_options),
	{0},
};

static struct post message;

struct row {
	bool open;
	struct result_flow flow;
};

struct net {
	char mode[NETRULE_TEXT];
	struct post_rule *rules;
	size_t rule_count, rule_capacity;
	struct row *rows;
	size_t row_count, row_capacity;
};

/* A copy of the options that can be added to. The first argument may be the session: no rule looks
 * like it. */
static struct boxes_options *take_options(struct call *c)
{
	struct boxes_options *o = arena_alloc(c->arena, sizeof *o);

	*o = *(const struct boxes_options *)c->options;
	c->options = o;
	if (c->arg_count == 0 || !str_starts(c->args[0], "agent:") ||
		!strchr(c->args[0] + strlen("agent:"), ':'))
		return o;
	o->session.v = c->args[0];
	c->args++;
	c->arg_count--;
	return o;
}

static void keep(struct call *c, struct net *n)
{
	if (message.kind == POST_NET_RULE) {
		message.rule.text[sizeof message.rule.text - 1] = '\0';
		if (message.rule.kind == POST_RULE_MODE)
			snprintf(n->mode, sizeof n->mode, "%s", message.rule.text);
		else
			vec_push(c->arena, &n->rules, &n->rule_count, &n->rule_capacity,
				message.rule);
	} else if (message.kind == POST_NET_FLOW) {
		message.flow.host[sizeof message.flow.host - 1] = '\0';
		message.flow.why[sizeof message.flow.why - 1] = '\0';
		vec_push(c->arena, &n->rows, &n->row_count, &n->row_capacity,
			((struct row){message.number != 0, message.flow}));
	}
}

/* Page by page. */
static int fetch(struct call *c, int box, struct net *n, struct err *e)
{
	int32_t first = 0, came = POST_NET_PAGE;

	while (came == POST_NET_PAGE) {
		int r = talk_say(box, &message, POST_NET, first, e);

		do {
			if (r == 0)
				r = talk_hear(box, &message, e);
			if (r < 0)
				return r;
			keep(c, n);
		} while (message.kind != POST_DONE);
		came = message.number;
		first += came;
	}
	return 0;
}

static const char *verdict_of(const struct row *r)
{
	return r->open ? "open" : r->flow.allowed ? "allowed" : "refused";
}

static void show_row(struct call *c, const struct row *r)
{
	auto_(buf_free) struct buf host = BUF(1100);
	char up[NUMBER_TEXT], down[NUMBER_TEXT];

	escape_text(&host, *r->flow.host ? r->flow.host : "(others)");
	number_size_text(r->flow.up, up);
	number_size_text(r->flow.down, down);
	buf_printf(c->out, "%-8s %6u %10s %10s  %s", verdict_of(r), r->flow.count, up, down,
		buf_text(&host));
	if (r->flow.port)
		buf_printf(c->out, ":%u", r->flow.port);
	if (!r->flow.allowed && !r->open && *r->flow.why) {
		buf_puts(c->out, "  (");
		escape_text(c->out, r->flow.why);
		buf_putc(c->out, ')');
	}
	buf_putc(c->out, '\n');
}

static void show_text(struct call *c, const struct net *n)
{
	static const char *const words[] = {"allow", "deny"};

	buf_printf(c->out, "mode     %s\n",
		str_eq(n->mode, "list") ? "list (only what is allowed below)" : n->mode);
	for (size_t i = 0; i < n->rule_count; i++) {
		buf_printf(c->out, "%-8s ", words[n->rules[i].kind == POST_RULE_DENY]);
		escape_text(c->out, n->rules[i].text);
		buf_puts(c->out, n->rules[i].changed ? "  (since it was started)\n" : "\n");
	}
	if (n->row_count == 0)
		return;
	buf_printf(
		c->out, "\n%-8s %6s %10s %10s  %s\n", "WHAT", "TIMES", "SENT", "RECEIVED", "HOST");
	for (size_t i = 0; i < n->row_count; i++)
		show_row(c, &n->rows[i]);
}

static void write_rules(struct writer *w, const struct net *n, const char *name, uint32_t kind)
{
	write_list(w, name);
	for (size_t i = 0; i < n->rule_count; i++) {
		if (n->rules[i].kind != kind)
			continue;
		write_object(w, NULL);
		write_text(w, "rule", n->rules[i].text);
		write_bool(w, "changed", n->rules[i].changed);
		write_end_object(w);
	}
	write_end_list(w);
}

static void show_json(struct call *c, const struct net *n)
{
	struct writer w = WRITER(c->out);

	write_object(&w, NULL);
	write_text(&w, "mode", n->mode);
	write_rules(&w, n, "allow", POST_RULE_ALLOW);
	write_rules(&w, n, "deny", POST_RULE_DENY);
	write_list(&w, "flows");
	for (size_t i = 0; i < n->row_count; i++) {
		const struct result_flow *f = &n->rows[i].flow;

		write_object(&w, NULL);
		write_text(&w, "host", f->host);
		write_number(&w, "port", f->port);
		write_text(&w, "state", verdict_of(&n->rows[i]));
		write_number(&w, "count", f->count);
		write_unsigned(&w, "sentBytes", f->up);
		write_unsigned(&w, "receivedBytes", f->down);
		write_text(&w, "why", f->why);
		write_end_object(&w);
	}
	write_end_list(&w);
	write_end_object(&w);
	buf_putc(c->out, '\n');
}

static int show(struct call *c, struct err *e)
{
	const struct boxes_options *o = take_options(c);
	struct net n = {.rules = NULL};
	int r;

	if (c->arg_count > 0)
		return err_set(
			e, EINVAL, "'%s' is no session; write agent:<agent>:<session>", c->args[0]);
	auto_fd int box = boxes_connect(c, e);
	r = box < 0 ? box : fetch(c, box, &n, e);
	if (r < 0)
		return r;
	if (o->json.v)
		show_json(c, &n);
	else
		show_text(c, &n);
	return EXIT_OK;
}

/* All are looked at before the first is changed; those that allow pass the configuration's door. */
static int check(struct call *c, struct boxes_options *o, bool deny, struct err *e)
{
	size_t capacity = 0;
	struct item *items = NULL;

	if (c->arg_count == 0)
		return err_set(e, EINVAL, "no rule given, such as example.org or 192.0.2.7:22");
	for (size_t i = 0; i < c->arg_count; i++) {
		int r = deny ? netrule_check(c->args[i], e) : netrule_check_allow(c->args[i], e);

		if (r < 0)
			return r;
		if (!deny)
			vec_push(c->arena, &items, &o->allow.count, &capacity,
				((struct item){.text = c->args[i]}));
	}
	o->allow.items = items;
	return 0;
}

static int change(struct call *c, struct err *e)
{
	struct boxes_options *o = take_options(c);
	bool deny = str_eq(c->command->name, "net deny");
	struct writer w = WRITER(c->out);
	int32_t ended = 0;
	int r = check(c, o, deny, e);

	if (r < 0)
		return r;
	auto_fd int box = boxes_connect(c, e);
	r = box < 0 ? box : 0;
	for (size_t i = 0; i < c->arg_count && r == 0; i++) {
		const struct record_fact facts[] = {{"session", o->session.v},
			{"action", deny ? "deny" : "allow"}, {"rule", c->args[i]}};

		r = boxes_record(c, "net", facts, ARRAY_LEN(facts), e);
		if (r < 0)
			break;
		memset(&message.rule, 0, sizeof message.rule);
		message.rule.kind = deny ? POST_RULE_DENY : POST_RULE_ALLOW;
		message.rule.now = o->now.v;
		snprintf(message.rule.text, sizeof message.rule.text, "%s", c->args[i]);
		r = talk_say(box, &message, POST_NET_CHANGE, 0, e);
		if (r == 0)
			r = talk_hear(box, &message, e);
		if (r == 0)
			ended += message.number;
	}
	if (r < 0)
		return r;
	if (o->json.v) {
		write_object(&w, NULL);
		write_number(&w, "rules", (int64_t)c->arg_count);
		write_number(&w, "endedConnections", ended);
		write_end_object(&w);
		buf_putc(c->out, '\n');
	} else if (ended > 0) {
		buf_printf(c->out, "%d connection%s ended\n", ended, ended == 1 ? "" : "s");
	}
	return EXIT_OK;
}

const struct command cmd_net_show = {
	.name = "net show",
	.summary = "the network of a running sandbox: rules, what was reached, what is open",
	.args = "[SESSION]",
	.options = show_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = 1,
	.details = "Of the sandbox that 'ward exec' would use here.",
	.examples = "  ward net show\n"
		    "  ward net show agent:main:build --json\n",
	.run = show,
};

const struct command cmd_net_allow = {
	.name = "net allow",
	.summary = "let a running sandbox reach more",
	.args = "[SESSION] RULE...",
	.options = change_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = 64,
	.details = "Rules as in network.allow. They hold for new connections, until the sandbox\n"
		   "ends; a deny rule of the configuration wins, and what the administrator has\n"
		   "locked stays so.",
	.examples = "  ward net allow registry.npmjs.org\n"
		    "  ward net allow agent:main:build 192.0.2.7:22\n",
	.run = change,
};

const struct command cmd_net_deny = {
	.name = "net deny",
	.summary = "let a running sandbox reach less",
	.args = "[SESSION] RULE...",
	.options = change_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = 64,
	.details = "Rules as in network.deny. They hold for new connections, with --now for those\n"
		   "that are open too, until the sandbox ends.",
	.examples = "  ward net deny example.org\n"
		    "  ward net deny --now '*.example.org'\n",
	.run = change,
};
