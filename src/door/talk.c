/* SPDX-License-Identifier: Apache-2.0 */
#include "door/talk.h"

#include <errno.h>

int talk_say(int sandbox, struct post *m, uint32_t kind, int32_t number, struct err *e)
{
	int r;

	m->version = POST_VERSION;
	m->kind = kind;
	m->number = number;
	r = post_send(sandbox, true, m, NULL);
	return r < 0 ? err_sys(e, r, "speak to the sandbox") : 0;
}

int talk_hear(int sandbox, struct post *ret, struct err *e)
{
	int r = post_receive(sandbox, true, ret, NULL);

	if (r == -ECONNRESET)
		return err_set(e, ESHUTDOWN, "the sandbox has ended");
	if (r < 0)
		return err_sys(e, r, "listen to the sandbox");
	if (ret->kind != POST_FAILED)
		return 0;
	*e = ret->error;
	e->text[sizeof e->text - 1] = '\0';
	return -(e->code ? e->code : EIO);
}
