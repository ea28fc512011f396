/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/term.h"

#include "base/str.h"

#include <stdlib.h>
#include <unistd.h>

bool term_wants_colour(int fd)
{
	const char *no_colour = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (no_colour && no_colour[0])
		return false;
	return term && term[0] && !str_eq(term, "dumb") && isatty(fd) == 1;
}
