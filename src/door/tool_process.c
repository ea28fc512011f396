/* SPDX-License-Identifier: Apache-2.0 */

/* The tool that looks after background processes. Runs in a process of its own: it may wait. */

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "door/background.h"
#include "door/tool.h"
#include "state/place.h"

#include <errno.h>
#include <string.h>

#define WRITE_PATIENCE_MS 5000 /* an agent waits for the answer */

#define OUTPUT_MOST (1u << 20) /* of one answer */
#define WAIT_MS 60000          /* unless the call says */

enum action { ACTION_LIST, ACTION_OUTPUT, ACTION_WRITE, ACTION_SIGNAL, ACTION_WAIT };

static int connect_to(struct tool_work *w, struct err *e)
{
	auto_fd int place = place_open(w->arena, e);
	int r = place < 0 ? place : living_connect(place, w->policy->session.name, e);

	return r == -ENOENT ? err_set(e, ENOENT,
				      "the session has no running sandbox, and so no "
				      "background process")
			    : r;
}

static void list_one(void *ctx, int32_t id, const struct post_process *p)
{
	struct tool_work *w = ctx;
	int reason = p->reason >= 0 && p->reason < END_COUNT ? p->reason : END_INTERNAL;

	write_object(w->json, NULL);
	write_number(w->json, "id", id);
	write_text(w->json, "command", p->command);
	write_text(w->json, "state", p->ended ? "ended" : "running");
	write_unsigned(w->json, "ageMs", p->age_ms);
	write_unsigned(w->json, "outputBytes", p->written);
	if (p->ended) {
		write_number(w->json, "exitCode", p->exit_code);
		write_number(w->json, "signal", p->signal);
		write_text(w->json, "reason", end_reason_names[reason]);
	}
	write_end_object(w->json);
	buf_printf(w->text, "%d %s ", id, p->ended ? "ended" : "running");
	escape_text(w->text, p->command);
	buf_putc(w->text, '\n');
}

static int list(struct tool_work *w, int box, struct err *e)
{
	int r;

	write_list(w->json, "processes");
	r = background_list(box, list_one, w, e);
	write_end_list(w->json);
	return r;
}

static void write_output(struct tool_work *w, const struct buf *out)
{
	if (utf8_valid(buf_text(out), out->len) && !memchr(buf_text(out), 0, out->len)) {
		write_text(w->json, "output", buf_text(out));
		buf_add(w->text, buf_text(out), out->len);
	} else {
		auto_(buf_free) struct buf coded = BUF(SIZE_MAX);

		base64_encode(&coded, out->data, out->len);
		write_text(w->json, "outputBase64", buf_text(&coded));
		buf_printf(w->text, "(%zu bytes that are no text)", out->len);
	}
}

static int output(struct tool_work *w, int box, struct err *e)
{
	auto_(buf_free) struct buf out = BUF(OUTPUT_MOST);
	uint64_t asked = w->args->since.v, at = asked, first = asked;
	bool ended = false;

	while (!ended && out.len + POST_DATA <= OUTPUT_MOST) {
		const struct post_data *d;
		int r = background_output(box, (int32_t)w->args->id.v, at, false, &d, e);

		if (r < 0)
			return r;
		if (out.len == 0)
			first = d->position;
		if (d->size == 0 && !d->flag)
			break;
		buf_add(&out, d->bytes, d->size);
		at = d->position + d->size;
		ended = d->flag;
	}
	write_unsigned(w->json, "since", first);
	write_unsigned(w->json, "next", at);
	write_unsigned(w->json, "missed", first > asked ? first - asked : 0);
	write_bool(w->json, "ended", ended);
	write_output(w, &out);
	w->bytes = out.len;
	return 0;
}

static int write_input(struct tool_work *w, int box, struct err *e)
{
	const char *data = w->args->data ? w->args->data : "";
	size_t len = strlen(data);
	int r = background_write(
		box, (int32_t)w->args->id.v, data, len, w->args->end, WRITE_PATIENCE_MS, e);

	write_unsigned(w->json, "written", len);
	buf_printf(w->text, "Wrote %zu bytes.", len);
	w->bytes = len;
	return r;
}

static int send_signal(struct tool_work *w, int box, struct err *e)
{
	int number = background_signal_number(w->args->signal ? w->args->signal : "TERM", e);
	int r = number < 0 ? number : background_signal(box, (int32_t)w->args->id.v, number, e);

	write_number(w->json, "signal", number);
	buf_puts(w->text, "Sent.");
	return r;
}

static int wait_end(struct tool_work *w, int box, struct err *e)
{
	struct result result = {0};
	int32_t id = (int32_t)w->args->id.v;
	int timeout = w->args->timeout_ms.given ? (int)w->args->timeout_ms.v : WAIT_MS;
	int r = background_wait(box, id, timeout, &result, e);

	if (r < 0)
		return r;
	if (r == 1) {
		write_bool(w->json, "ended", false);
		buf_printf(w->text, "Process %d still runs.", id);
		return 0;
	}
	write_bool(w->json, "ended", true);
	write_number(w->json, "exitCode", result.exit_code);
	write_number(w->json, "signal", result.signal);
	write_text(w->json, "reason", end_reason_names[result.reason]);
	buf_printf(w->text, "Process %d has ended: %s, status %d.", id,
		end_reason_names[result.reason], result_status(&result));
	return 0;
}

int tool_process(struct tool_work *w, struct err *e)
{
	static int (*const rows[])(struct tool_work * w, int box, struct err *e) = {
		[ACTION_LIST] = list,
		[ACTION_OUTPUT] = output,
		[ACTION_WRITE] = write_input,
		[ACTION_SIGNAL] = send_signal,
		[ACTION_WAIT] = wait_end,
	};
	auto_fd int box = -1;

	if (w->args->action != ACTION_LIST && !w->args->id.given)
		return err_set(e, EINVAL, "the argument 'id' is missing; action 'list' tells ids");
	box = connect_to(w, e);
	if (box == -ENOENT && w->args->action == ACTION_LIST) {
		write_list(w->json, "processes");
		write_end_list(w->json);
		buf_puts(w->text, "No background process runs.");
		return 0;
	}
	return box < 0 ? box : rows[w->args->action](w, box, e);
}
