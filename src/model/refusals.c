/* SPDX-License-Identifier: Apache-2.0 */
#include "model/refusals.h"

#define MINUTE_MS 60000u

uint32_t refusals_end(struct refusals *r)
{
	uint32_t waiting = r->waiting;

	r->waiting = 0;
	return waiting;
}

uint32_t refusals_add(struct refusals *r, uint64_t now_ms)
{
	if (r->minute == 0 || now_ms - r->minute >= MINUTE_MS) {
		r->minute = now_ms ? now_ms : 1;
		r->written = 0;
	}
	if (r->waiting < UINT32_MAX)
		r->waiting++;
	if (r->written >= REFUSALS_A_MINUTE)
		return 0;
	r->written++;
	return refusals_end(r);
}
