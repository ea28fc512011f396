/* SPDX-License-Identifier: Apache-2.0 */

/* ward verify: tries to get out of a sandbox with the given policy, and reports each layer. */

#include "base/glob.h"
#include "base/str.h"
#include "cli/verify.h"
#include "door/load.h"

#include <errno.h>
#include <unistd.h>

static const struct field options[] = {
	OPTION_SESSION(struct verify_options),
	OPTION_AGENT(struct verify_options),
	{"all", F_BOOL(struct verify_options, all, .help = "list the attempts that held, too")},
	OPTION_CONFIG(struct verify_options),
	OPTION_SET(struct verify_options),
	OPTION_JSON(struct verify_options),
	{0},
};

/* A policy may pass every variable on; then nobody expects one to be kept back. */
static bool passes_secret(const struct opt_list *patterns)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (glob_word(patterns->items[i].text, VERIFY_SECRET))
			return true;
	return false;
}

/* What the policy promises, so that nothing else is expected of the sandbox. */
static int read_policy(struct verify *v, struct err *e)
{
	static const char *const argv[] = {"true", NULL};
	const struct verify_options *o = v->options;
	struct load_request load = {.config = o->config.v, .sets = &o->set};
	struct run_answer *answer = arena_alloc(v->call->arena, sizeof *answer);
	struct run_request q = {.config = &v->config,
		.session = o->session.v,
		.agent = o->agent.v,
		.argv = argv,
		.argc = 1,
		.env = (const char *const *)environ,
		.capture = true};
	struct session session;
	int r = session_parse(v->call->arena, q.session, q.agent, &session, e);

	if (r < 0)
		return r;
	load.wish.agent = session.agent;
	r = load_config(&load, &v->config, e);
	if (r == 0)
		r = run_plan(&q, v->call->arena, answer, e);
	if (r < 0)
		return r;
	if (!answer->planned)
		return err_set(e, EPERM,
			"this session may run no command, so there is no sandbox to try; 'ward "
			"explain' says why");
	if (answer->host)
		return err_set(e, ENOTSUP,
			"this session's commands run on the host, so there is no sandbox to try; "
			"use --set mode=all");
	v->plan = answer->plan;
	v->passes_all = passes_secret(&answer->verdict.effective->s.sandbox.pass_env);
	return 0;
}

/* A layer that every sandbox must have, and of which nothing is known. */
static bool is_unproven(const struct verify *v)
{
	for (enum layer_id l = 0; l < LAYER_DEFAULT_COUNT; l++) {
		bool held = false;

		for (size_t i = 0; i < v->row_count; i++)
			held |= v->rows[i].layer == l && v->rows[i].result == VERIFY_HELD;
		if (!held)
			return true;
	}
	return false;
}

static int judge(const struct verify *v, struct err *e)
{
	if (verify_stage_stopped())
		return err_set(e, EINTR, "interrupted; the temporary folder was removed");
	for (size_t i = 0; i < v->row_count; i++)
		if (v->rows[i].result == VERIFY_THROUGH)
			return EXIT_FOUND;
	return is_unproven(v) ? EXIT_WARD : EXIT_OK;
}

static int try_all(struct verify *v, struct err *e)
{
	int r = read_policy(v, e);

	if (r == 0)
		r = verify_stage_make(v, e);
	if (r < 0)
		return r;
	verify_looks(v);
	verify_attempts(v);
	verify_calls(v);
	verify_limits(v);
	verify_stage_free(&v->stage);
	return judge(v, e);
}

static int run(struct call *c, struct err *e)
{
	struct verify *v;
	int r;

	/* Without what a build for debugging does at the end, which is refused inside. */
	if (c->arg_count > 1 && str_eq(c->args[0], "inside"))
		_exit(verify_inside(c->args + 1, c->arg_count - 1));
	if (c->arg_count > 0)
		return err_set(e, EINVAL, "ward verify takes no arguments, only options");
	v = arena_alloc(c->arena, sizeof *v);
	v->call = c;
	v->options = c->options;
	r = try_all(v, e);
	if (r >= 0 && v->options->json.v)
		verify_json(v);
	else if (r >= 0)
		verify_show(v);
	config_free(&v->config);
	return r;
}

const struct command cmd_verify = {
	.name = "verify",
	.summary = "try to get out of a sandbox, and report each layer",
	.options = options,
	.options_size = sizeof(struct verify_options),
	.max_args = SIZE_MAX,
	.details =
		"Builds sandboxes with the given policy and makes attempts from inside: to read\n"
		"and write outside, to reach the network and the host's processes, to make\n"
		"forbidden system calls, to use up each resource, to stay. Verdicts are taken on\n"
		"the host. An attempt that would not work without a sandbox either proves\n"
		"nothing and counts as not tried. All of it is harmless, also where it succeeds;\n"
		"limits are lowered for the attempts.\n"
		"\n"
		"Exit status 0: nothing got through; 1: something did; 125: it could not be tried.",
	.examples = "  ward verify\n"
		    "  ward verify --all\n"
		    "  ward verify --set workspace=ro\n"
		    "  ward verify --config ward.json5 --agent helper --json\n",
	.run = run,
};
