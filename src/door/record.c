/* SPDX-License-Identifier: Apache-2.0 */
#include "door/record.h"

int record_open(struct record *ret, const struct config *c, struct arena *a, struct err *e)
{
	(void)c, (void)a, (void)e;
	ret->unused = 0;
	return 0;
}

void record_close(struct record *r)
{
	(void)r;
}

int record_event(struct record *r, const char *event, const char *members, struct err *e)
{
	(void)r, (void)event, (void)members, (void)e;
	return 0;
}
