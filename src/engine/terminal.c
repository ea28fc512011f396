/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void make_raw(struct terminal *t)
{
	struct termios raw;

	if (t->raw || tcgetattr(STDIN_FILENO, &t->saved) < 0)
		return;
	raw = t->saved;
	cfmakeraw(&raw);
	t->raw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

void terminal_attach(struct terminal *t, int master)
{
	if (t->master >= 0) { /* one is enough: the sandbox does not get to change it */
		close(master);
		return;
	}
	t->master = master;
	t->input = true;
	terminal_resize(t);
	make_raw(t);
}

void terminal_resize(const struct terminal *t)
{
	struct winsize size;

	if (t->master >= 0 && ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0)
		ioctl(t->master, TIOCSWINSZ, &size);
}

void terminal_restore(struct terminal *t)
{
	if (t->raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &t->saved);
	t->raw = false;
}

void terminal_suspend(struct terminal *t)
{
	terminal_restore(t);
	raise(SIGSTOP);
	make_raw(t);
	terminal_resize(t);
}

static void write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* a terminal that is full drops what is typed */
		data += n;
		len -= (size_t)n;
	}
}

void terminal_input(struct terminal *t)
{
	char typed[4096];
	ssize_t n = read(STDIN_FILENO, typed, sizeof typed);

	if (n > 0) {
		write_all(t->master, typed, (size_t)n);
		return;
	}
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	/* The end of what is typed is a character in a terminal. */
	t->input = false;
	write_all(t->master, "\004", 1);
}
