/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Background processes of a sandbox that lives, asked for over a connection to it. */

#include "base/err.h"
#include "engine/post.h"
#include "model/result.h"

typedef void background_fn(void *ctx, int32_t id, const struct post_process *p);
int background_list(int box, background_fn *fn, void *ctx, struct err *e);
/* What it has written from a byte on, a piece at a time; `follow` waits until there is some. The
 * data is there until the next call. */
int background_output(int box, int32_t id, uint64_t from, bool follow, const struct post_data **ret,
	struct err *e);
/* All of it, however slowly the process reads; `end` closes its input afterwards. */
/* -ETIMEDOUT: it did not read all of it in that time; patience 0: there is time. */
int background_write(int box, int32_t id, const char *data, size_t len, bool end,
	unsigned patience_ms, struct err *e);
/* "TERM", "SIGTERM", "15": the number. */
int background_signal_number(const char *text, struct err *e);
int background_signal(int box, int32_t id, int number, struct err *e);
/* Waits for its end, for so many ms or (-1) without limit. 1: it still runs, and the connection is
 * of no further use. */
int background_wait(int box, int32_t id, int timeout_ms, struct result *ret, struct err *e);
