/* SPDX-License-Identifier: Apache-2.0 */
#include "door/prompt.h"

#include "base/cleanup.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <termios.h>

#define QUESTION "Type yes to run it; anything else does not [no]: "
#define PATIENCE_MS 200 /* with a terminal */

static bool is_in_front(int terminal)
{
	return tcgetpgrp(terminal) == getpgrp();
}

/* A terminal that takes nothing, since somebody has stopped it, is none where a person answers. */
static bool say(int terminal, const char *text)
{
	struct pollfd room = {.fd = terminal, .events = POLLOUT};
	size_t len = strlen(text);

	while (len > 0) {
		ssize_t n = write(terminal, text, len);

		if (n > 0) {
			text += n;
			len -= (size_t)n;
		} else if (errno != EINTR &&
			   (errno != EAGAIN || poll(&room, 1, PATIENCE_MS) <= 0)) {
			return false;
		}
	}
	return true;
}

void prompt_open(struct prompt *p, const struct principal *requester, const char *text)
{
	auto_fd int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	struct termios t;

	*p = (struct prompt){.terminal = -1};
	if (fd < 0 || !is_in_front(fd) || requester->leader != getsid(0))
		return;
	if (tcgetattr(fd, &t) < 0 || !(t.c_lflag & ICANON))
		return;
	if (!say(fd, text) || !say(fd, QUESTION))
		return;
	tcflush(fd, TCIFLUSH);
	p->terminal = take_fd(&fd);
}

static enum prompt_answer take_line(struct prompt *p)
{
	bool yes = !p->long_line && p->len == 3 && memcmp(p->line, "yes", 3) == 0;

	p->len = 0;
	return yes ? PROMPT_YES : PROMPT_NO;
}

enum prompt_answer prompt_read(struct prompt *p)
{
	char c;
	ssize_t n = 0;

	if (p->terminal < 0)
		return PROMPT_NONE;
	if (!is_in_front(p->terminal)) { /* nobody can answer here any more */
		prompt_close(p, NULL);
		return PROMPT_NONE;
	}
	while ((n = read(p->terminal, &c, 1)) == 1) {
		if (c == '\n')
			return take_line(p);
		p->long_line |= p->len == sizeof p->line;
		if (!p->long_line)
			p->line[p->len++] = c;
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? PROMPT_NONE : PROMPT_NO;
}

void prompt_close(struct prompt *p, const char *word)
{
	if (p->terminal < 0)
		return;
	if (word)
		say(p->terminal, word);
	close(p->terminal);
	p->terminal = -1;
}
