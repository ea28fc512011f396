/* SPDX-License-Identifier: Apache-2.0 */
#include "door/host.h"

#include "base/str.h"
#include "door/approval_parts.h"
#include "engine/keeper.h"

#include <errno.h>
#include <string.h>

/* Exact names, beginnings or ends, with a star: by these loaders, shells, interpreters and
 * well-known programs are told what else to run or load, or whom to talk to. */
static const char *const steering[] = {"LD_*", "GCONV_PATH", "GLIBC_TUNABLES", "BASH_ENV", "ENV",
	"BASH_FUNC_*", "PS4", "IFS", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PATH", "PYTHON*",
	"PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "RUBYOPT", "RUBYLIB", "NODE_OPTIONS",
	"NODE_PATH", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "GIT_*",
	"SSH_ASKPASS", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "BROWSER", "LESSOPEN", "LESSCLOSE",
	"npm_config_*", "RUSTC_WRAPPER", "CC", "CXX", "MAKEFLAGS", "DOCKER_*", "KUBECONFIG",
	"*_proxy", "*_PROXY", NULL};

static bool is_row(const char *row, const char *name, size_t len)
{
	size_t row_len = strlen(row);

	if (row[0] == '*')
		return len >= row_len - 1 &&
		       strncmp(row + 1, name + len - (row_len - 1), row_len - 1) == 0;
	if (row[row_len - 1] == '*')
		return len >= row_len - 1 && strncmp(row, name, row_len - 1) == 0;
	return len == row_len && strncmp(row, name, len) == 0;
}

bool host_env_steers(const char *variable)
{
	for (size_t k = 0; steering[k]; k++)
		if (is_row(steering[k], variable, strcspn(variable, "=")))
			return true;
	return false;
}

static bool is_written(const struct opt_number *n)
{
	return n->at.source && n->at.source->level != LEVEL_BUILTIN;
}

void host_limits(
	const struct effective *eff, bool agent, bool capture, bool terminal, struct host_call *io)
{
	const struct sandbox *s = &eff->s.sandbox;

	io->timeout = is_written(&s->timeout) || agent ? s->timeout.v : 0;
	io->idle_timeout = s->idle_timeout.v;
	io->kill_grace = s->kill_grace.v;
	io->output_limit = s->output_limit.v;
	if (capture)
		io->output = PLAN_CAPTURE;
	else if (terminal)
		io->output = PLAN_TERMINAL;
	else
		io->output =
			io->idle_timeout || is_written(&s->output_limit) ? PLAN_RELAY : PLAN_PASS;
}

/* What was held from the moment it was shown, whatever the request says now. */
static void take_approved(const struct approval *p, struct keeper_call *io)
{
	io->argv = p->subject.argv;
	io->env = p->q.env;
	io->cwd = p->q.cwd;
	io->program = p->subject.fd;
	io->script = p->subject.copy;
	io->digest = p->subject.fixed ? NULL : p->subject.program.hash;
}

int host_run(const struct host_call *q, struct result *ret, struct err *e)
{
	struct keeper_call call = {.argv = q->argv,
		.env = q->env,
		.cwd = q->cwd,
		.program = q->program,
		.script = -1,
		.output = q->output,
		.timeout = q->timeout,
		.idle_timeout = q->idle_timeout,
		.kill_grace = q->kill_grace,
		.output_limit = q->output_limit};

	if (q->approval && q->approval->state != APPROVAL_GIVEN)
		return err_set(e, EACCES, "nobody has approved it");
	if (q->approval)
		take_approved(q->approval, &call);
	if (!call.argv[0] || !call.argv[0][0])
		return err_set(e, EINVAL, "no program is named");
	return keeper_run(&call, ret, e);
}
