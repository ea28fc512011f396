/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/term.h"

#include "base/str.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_UNKNOWN 80

bool term_is_terminal(int fd)
{
	return isatty(fd) == 1;
}

unsigned term_width(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return WIDTH_UNKNOWN;
	return size.ws_col;
}

bool term_wants_colour(int fd)
{
	const char *no_colour = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (no_colour && no_colour[0])
		return false;
	return term && term[0] && !str_eq(term, "dumb") && term_is_terminal(fd);
}
