/* SPDX-License-Identifier: Apache-2.0 */
#include "model/result.h"

#include <errno.h>
#include <string.h>

const char *const end_reason_names[] = {
	"exited", "signalled", "timeout", "idle", "oom", "policy", "stopped", "internal", NULL};
const char *const limit_hit_names[] = {
	"memory", "pids", "disk", "inodes", "files", "output", "budget", NULL};

_Static_assert(ARRAY_LEN(end_reason_names) == END_COUNT + 1, "a name for each reason");
_Static_assert(ARRAY_LEN(limit_hit_names) == HIT_COUNT + 1, "a name for each limit");

enum { STATUS_TIMEOUT = 124, STATUS_WARD = 125, STATUS_CANNOT = 126, STATUS_NOT_FOUND = 127 };

void result_amounts(const struct result_usage *u, struct result_amount ret[RESULT_AMOUNTS])
{
	const struct result_amount rows[] = {
		{"wallMs", u->wall_us / 1000},
		{"userMs", u->user_us / 1000},
		{"systemMs", u->system_us / 1000},
		{"memoryPeak", u->memory_peak},
		{"readBytes", u->read_bytes},
		{"writtenBytes", u->written_bytes},
		{"sentBytes", u->sent_bytes},
		{"receivedBytes", u->received_bytes},
		{"stdoutBytes", u->output_bytes[0]},
		{"stderrBytes", u->output_bytes[1]},
	};

	_Static_assert(ARRAY_LEN(rows) == RESULT_AMOUNTS, "all of them");
	memcpy(ret, rows, sizeof rows);
}

void result_free(struct result *r)
{
	buf_free(&r->output[0]);
	buf_free(&r->output[1]);
}

int result_status(const struct result *r)
{
	if (r->start_error)
		return r->start_error == ENOENT || r->start_error == ENOTDIR ? STATUS_NOT_FOUND
									     : STATUS_CANNOT;
	switch (r->reason) {
	case END_TIMEOUT:
	case END_IDLE:
		return STATUS_TIMEOUT;
	case END_OOM:
		return 128 + 9;
	case END_POLICY:
		return STATUS_CANNOT;
	case END_INTERNAL:
		return STATUS_WARD;
	case END_EXITED:
	case END_SIGNALLED:
	case END_STOPPED:
	case END_COUNT:
		break;
	}
	return r->signal ? 128 + r->signal : r->exit_code;
}

void result_report_close(struct result_report *p)
{
	for (size_t i = 0; i < RESULT_REFUSED; i++)
		p->refused[i].path[RESULT_NAME - 1] = '\0';
	for (size_t i = 0; i < RESULT_RISKS; i++)
		p->risks[i].path[RESULT_NAME - 1] = '\0';
}

void result_network_close(struct result_network *n)
{
	for (size_t i = 0; i < RESULT_FLOWS; i++) {
		n->flows[i].host[RESULT_HOST - 1] = '\0';
		n->flows[i].why[RESULT_WHY - 1] = '\0';
	}
}

void result_network_add(struct result_network *n, const struct result_flow *f)
{
	size_t refused = 0;

	for (size_t i = 0; i < RESULT_FLOWS; i++) {
		struct result_flow *row = &n->flows[i];

		if (row->count == 0 && !f->allowed && refused >= RESULT_FLOWS / 2)
			break; /* names that are made up must not push out the others */
		if (row->count == 0) {
			*row = *f;
			return;
		}
		refused += !row->allowed;
		if (row->port != f->port || row->allowed != f->allowed ||
			row->shared != f->shared || strcmp(row->host, f->host) != 0)
			continue;
		row->count += f->count;
		row->up += f->up;
		row->down += f->down;
		return;
	}
	n->more += f->count;
}
