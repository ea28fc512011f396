/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "cli/run.h"
#include "door/approval.h"
#include "door/notes.h"
#include "json/result_write.h"

#include <unistd.h>

void run_json_error(struct call *c, enum end_reason reason, const char *text)
{
	struct writer w = WRITER(c->out);

	write_object(&w, NULL);
	write_text(&w, "exitCode", NULL);
	write_text(&w, "reason", end_reason_names[reason]);
	write_text(&w, "error", text);
	write_end_object(&w);
}

void run_json(struct call *c, const struct run_answer *answer, const struct result *r)
{
	struct writer w = WRITER(c->out);

	result_write(&w, r, answer->host ? NULL : answer->verdict.scope_name, answer->approval);
}

void run_waits(const struct approval *p)
{
	auto_(buf_free) struct buf out = BUF(400);

	if (approval_has_prompt(p) && isatty(STDERR_FILENO))
		return; /* it would stand behind the question */
	buf_printf(&out,
		"ward: waits for approval; from another terminal: 'ward approve %.8s' or 'ward "
		"deny %.8s'\n",
		approval_id(p), approval_id(p));
	if (write(STDERR_FILENO, buf_text(&out), out.len) < 0)
		return;
}

void run_unconfined(const struct verdict *v)
{
	auto_(buf_free) struct buf out = BUF(1000);

	if (v->rule || !isatty(STDERR_FILENO)) /* of a rule's, somebody has heard */
		return;
	buf_printf(&out, "ward: this runs on the host, not in a sandbox: %s\n",
		v->reason_count ? v->reasons[0].text : "so says the configuration");
	if (write(STDERR_FILENO, buf_text(&out), out.len) < 0)
		return;
}

void run_notes(const struct run_answer *answer, const struct result *r)
{
	auto_(buf_free) struct buf out = BUF(16384);

	notes_write(&out, answer, r);
	if (out.len > 0 && write(STDERR_FILENO, buf_text(&out), out.len) < 0)
		return;
}
