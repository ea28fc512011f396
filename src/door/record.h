/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the door writes down of every request, in the audit log. */

#include "base/err.h"
#include "base/mem.h"
#include "model/config.h"
#include "model/decide.h"
#include "model/result.h"

enum entrance { ENTRANCE_CLI, ENTRANCE_MCP, ENTRANCE_LIBRARY, ENTRANCE_WRAP, ENTRANCE_COUNT };

struct record {
	int unused;
};

int record_open(struct record *ret, const struct config *c, struct arena *a, struct err *e);
void record_close(struct record *r);
/* members: `"key":value,...` of one object, already escaped. */
int record_event(struct record *r, const char *event, const char *members, struct err *e);
