/* SPDX-License-Identifier: Apache-2.0 */
#include "model/pace.h"

uint64_t pace_take(const struct rate *r, uint64_t now_ms, uint64_t *io_next_us)
{
	uint64_t now = now_ms * 1000, span = (uint64_t)r->seconds * 1000000;
	uint64_t each = r->count ? span / r->count : span;
	uint64_t next = *io_next_us;

	/* What lies further ahead than the rate allows was not written by this clock. */
	if (next > now + span)
		next = now + span;
	if (next < now)
		next = now;
	if (next + each > now + span + (span - each * (r->count ? r->count : 1)))
		return (next + each - now - span) / 1000 + 1;
	*io_next_us = next + each;
	return 0;
}

bool pace_is_over(uint64_t now_ms, uint64_t next_us)
{
	return next_us / 1000 <= now_ms;
}
