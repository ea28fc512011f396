/* SPDX-License-Identifier: Apache-2.0 */

/* What a call of exec may choose by itself: folder, environment, input, and less time. */

#include "door/job_parts.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* No longer than the policy says. */
int job_plan_timeout(struct job *j, uint64_t *io_timeout, struct err *e)
{
	const struct arg_number *wish = &j->args.timeout_ms;

	if (!wish->given)
		return 0;
	if (*io_timeout && wish->v > *io_timeout)
		return err_set(e, ERANGE,
			"argument 'timeoutMs' is more than the policy allows (%llu); use "
			"'background' for what takes longer",
			(unsigned long long)*io_timeout);
	*io_timeout = wish->v;
	return 0;
}

/* A folder inside: as written when it begins at the root, else from the workspace on. */
static void take_cwd(struct job *j, struct plan *p)
{
	const char *cwd = j->args.cwd;

	if (cwd)
		p->cwd = *cwd == '/' ? cwd : arena_printf(&j->arena, PLAN_WORKSPACE "/%s", cwd);
	else
		p->cwd = PLAN_WORKSPACE;
}

static bool is_variable(const char *a, const char *b)
{
	size_t len = strcspn(a, "=");

	return strncmp(a, b, len + 1) == 0;
}

/* What the call adds takes the place of what has the same name. */
static void take_env(struct job *j, struct plan *p)
{
	const struct arg_texts *more = &j->args.env;
	size_t count = 0, n = 0;
	const char **env;

	if (!more->count)
		return;
	while (p->env[count])
		count++;
	env = arena_array(&j->arena, count + more->count + 1, sizeof *env);
	for (size_t i = 0; i < count; i++) {
		bool replaced = false;

		for (size_t k = 0; k < more->count; k++)
			replaced |= is_variable(more->v[k], p->env[i]);
		if (!replaced)
			env[n++] = p->env[i];
	}
	for (size_t k = 0; k < more->count; k++)
		env[n++] = more->v[k];
	p->env = env;
}

int job_plan_input(struct job *j, struct err *e)
{
	size_t len, done = 0;

	if (!j->args.input)
		return 0;
	len = strlen(j->args.input);
	j->input = memfd_create("stdin", MFD_CLOEXEC);
	if (j->input < 0)
		return err_sys(e, -errno, "make a file in memory");
	while (done < len) {
		ssize_t n = write(j->input, j->args.input + done, len - done);

		if (n < 0)
			return err_sys(e, -errno, "write a file in memory");
		done += (size_t)n;
	}
	lseek(j->input, 0, SEEK_SET);
	return 0;
}

int job_plan_complete(struct job *j, struct err *e)
{
	struct plan *p = &j->answer->run.plan;
	int r = job_plan_timeout(j, &p->timeout, e);

	take_cwd(j, p);
	take_env(j, p);
	return r < 0 ? r : job_plan_input(j, e);
}
