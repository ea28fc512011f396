/* SPDX-License-Identifier: Apache-2.0 */
#include "door/trial.h"

#include "base/cleanup.h"
#include "door/run.h"
#include "json/config_read.h"

#include <errno.h>

int trial_run(struct arena *a, struct err *e)
{
	static const char *const argv[] = {"true", NULL}, *const env[] = {NULL};
	auto_(config_free) struct config config = {0};
	auto_(result_free) struct result result = {0};
	struct run_answer *answer = arena_alloc(a, sizeof *answer);
	struct run_request q = {
		.config = &config, .argv = argv, .argc = 1, .env = env, .capture = true};
	struct config_wish wish = {0};
	int r = config_set(&config, "workspace=none", &wish, e);

	if (r == 0)
		r = run_plan(&q, a, answer, e);
	if (r == 0 && !answer->planned)
		r = err_set(e, EPERM, "the default policy does not let 'true' run");
	/* Nobody has asked for it, so there is nothing to record. */
	if (r == 0)
		r = run_carry_out(&q, a, answer, &result, e);
	if (r < 0)
		return r;
	if (result_status(&result) != 0)
		return err_set(e, EIO, "'true' ended with status %d", result_status(&result));
	return 0;
}
