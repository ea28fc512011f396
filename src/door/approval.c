/* SPDX-License-Identifier: Apache-2.0 */
#include "door/approval.h"
#include <errno.h>
int approval_begin(
	const struct approval_request *q, struct arena *a, struct approval **ret, struct err *e)
{
	(void)q;
	(void)a;
	(void)ret;
	return err_set(e, ENOTSUP, "stub");
}
size_t approval_poll(struct approval *p, struct pollfd *fds, size_t max)
{
	(void)p;
	(void)fds;
	(void)max;
	return 0;
}
int approval_timeout(const struct approval *p)
{
	(void)p;
	return -1;
}
enum approval_state approval_step(struct approval *p, struct err *e)
{
	(void)p;
	(void)e;
	return APPROVAL_DENIED;
}
const char *approval_id(const struct approval *p)
{
	(void)p;
	return "";
}
void approval_free(struct approval **p)
{
	(void)p;
}
size_t approval_keep(const struct approval *p, int *ret, size_t max)
{
	(void)p;
	(void)ret;
	(void)max;
	return 0;
}
