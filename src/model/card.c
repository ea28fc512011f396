/* SPDX-License-Identifier: Apache-2.0 */
#include "model/card.h"

#include "base/macro.h"

#include <stddef.h>
#include <errno.h>

const char *const card_state_names[] = {"starting", "running", "stopping", "waiting", NULL};

_Static_assert(ARRAY_LEN(card_state_names) == CARD_STATE_COUNT + 1, "a name for each");

#define CLOSE(text) ((text)[sizeof(text) - 1] = '\0')

int card_check(struct card *c, uint64_t size)
{
	if (size != sizeof *c || c->version != CARD_VERSION || c->size != sizeof *c)
		return -EPROTONOSUPPORT;
	if (c->state < 0 || c->state >= CARD_STATE_COUNT || c->pid <= 0)
		return -EPROTO;
	CLOSE(c->session);
	CLOSE(c->agent);
	CLOSE(c->scope);
	CLOSE(c->runtime);
	CLOSE(c->network);
	CLOSE(c->workspace);
	for (int i = 0; i < CARD_FILES; i++)
		CLOSE(c->paths[i]);
	return 0;
}
