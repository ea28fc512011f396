/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/terminal.h"

#include <errno.h>
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

void terminal_stop(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL); /* here it stops */
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void terminal_suspend(struct terminal *t)
{
	terminal_restore(t);
	terminal_stop();
	make_raw(t);
	terminal_resize(t);
}

struct pollfd terminal_wait(const struct terminal *t)
{
	if (t->len > 0)
		return (struct pollfd){.fd = t->master, .events = POLLOUT};
	return (struct pollfd){.fd = t->input ? STDIN_FILENO : -1, .events = POLLIN};
}

static void hand_in(struct terminal *t)
{
	ssize_t n = write(t->master, t->typed + t->start, t->len);

	if (n > 0) {
		t->start += (size_t)n;
		t->len -= (size_t)n;
	} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
		t->len = 0;
	}
}

void terminal_input(struct terminal *t)
{
	if (t->len == 0) {
		ssize_t n = read(STDIN_FILENO, t->typed, sizeof t->typed);

		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return;
		if (n <= 0) { /* the end of what is typed is a character in a terminal */
			t->input = false;
			t->typed[0] = '\004';
			n = 1;
		}
		t->start = 0;
		t->len = (size_t)n;
	}
	hand_in(t);
}

void terminal_hang_up(struct terminal *t)
{
	if (t->master < 0)
		return;
	close(t->master);
	t->master = -1;
	t->input = false;
	t->len = 0;
}
