/* SPDX-License-Identifier: Apache-2.0 */
#include "door/prompt.h"

#include "base/cleanup.h"

#include <fcntl.h>
#include <string.h>
#include <termios.h>

#define QUESTION "Type yes to run it; anything else does not [no]: "

static bool is_in_front(int terminal)
{
	return tcgetpgrp(terminal) == getpgrp();
}

static void say(int terminal, const char *text)
{
	size_t len = strlen(text);

	while (len > 0) {
		ssize_t n = write(terminal, text, len);

		if (n <= 0 && errno != EINTR && errno != EAGAIN)
			return;
		text += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
}

void prompt_open(struct prompt *p, const struct principal *requester, const char *text)
{
	auto_fd int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios t;

	*p = (struct prompt){.terminal = -1};
	if (fd < 0 || !is_in_front(fd) || requester->leader != getsid(0))
		return;
	if (tcgetattr(fd, &t) < 0 || !(t.c_lflag & ICANON))
		return;
	say(fd, text);
	say(fd, QUESTION);
	tcflush(fd, TCIFLUSH);
	fcntl(fd, F_SETFL, O_NONBLOCK); /* opened here: nobody else's */
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
