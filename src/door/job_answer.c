/* SPDX-License-Identifier: Apache-2.0 */

/* How a command ended, as the answer of its job: all of it as JSON, and a text to read. */

#include "base/utf8.h"
#include "door/job_parts.h"
#include "door/notes.h"
#include "json/result_write.h"

#include <string.h>

#define TEXT_MOST (64u << 10) /* of each stream, in the text; the JSON has all of it */

/* The beginning and the end of what is long. */
static void put_stream(struct buf *out, const struct buf *data, const char *name)
{
	const char *text = buf_text(data);
	size_t half = TEXT_MOST / 2;

	if (data->len == 0)
		return;
	if (out->len > 0 && out->data[out->len - 1] != '\n')
		buf_putc(out, '\n');
	if (name)
		buf_printf(out, "[%s]\n", name);
	if (!utf8_valid(text, data->len) || memchr(text, 0, data->len)) {
		buf_printf(out, "(%zu bytes that are no text)\n", data->len);
	} else if (data->len <= TEXT_MOST) {
		buf_add(out, text, data->len);
	} else {
		size_t head = half, tail = data->len - half;

		while (head > 0 && ((unsigned char)text[head] & 0xc0) == 0x80)
			head--;
		while (((unsigned char)text[tail] & 0xc0) == 0x80)
			tail++;
		buf_add(out, text, head);
		buf_printf(out, "\n[... %zu bytes are left out here ...]\n", tail - head);
		buf_add(out, text + tail, data->len - tail);
	}
}

static void put_end(struct buf *out, const struct result *r)
{
	if (r->reason == END_EXITED && r->exit_code == 0)
		return;
	if (out->len > 0 && out->data[out->len - 1] != '\n')
		buf_putc(out, '\n');
	if (r->reason == END_EXITED)
		buf_printf(out, "[exit status %d]\n", r->exit_code);
	else
		buf_printf(out, "[ended: %s, status %d]\n", end_reason_names[r->reason],
			result_status(r));
}

static void answer_background(struct job *j)
{
	struct writer w = WRITER_COMPACT(&j->json);

	write_object(&w, NULL);
	write_number(&w, "id", j->answer->process);
	write_text(&w, "sandbox", j->answer->name);
	write_end_object(&w);
	buf_printf(&j->text, "Started in the background: process %d.", j->answer->process);
}

void job_exec_answer(struct job *j)
{
	struct writer w = WRITER_COMPACT(&j->json);
	struct result *r = &j->result;

	if (j->args.background) {
		answer_background(j);
		return;
	}
	result_write(&w, r, j->verdict->place == PLACE_SANDBOX ? j->answer->name : NULL,
		j->record.approval);
	put_stream(&j->text, &r->output[0], NULL);
	put_stream(&j->text, &r->output[1], "stderr");
	put_end(&j->text, r);
	notes_write(&j->text, &j->answer->run, r);
	j->out.failed = result_status(r) != 0;
}
