/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static bool begun;
static volatile sig_atomic_t resized, quit;

static void on_signal(int number)
{
	if (number == SIGWINCH)
		resized = 1;
	else
		quit = 1;
}

static void put(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		quit = 1;
}

static void listen_to(int number)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(number, &action, NULL);
}

int screen_begin(void)
{
	struct termios raw;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return -ENOTTY;
	if (tcgetattr(STDIN_FILENO, &before) < 0)
		return -errno;
	raw = before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) < 0)
		return -errno;
	begun = true;
	listen_to(SIGWINCH);
	listen_to(SIGINT);
	listen_to(SIGTERM);
	listen_to(SIGHUP);
	put("\033[?1049h\033[?25l\033[?7l"); /* the other screen; no cursor, no wrapped lines */
	return 0;
}

void screen_end(void)
{
	if (!begun)
		return;
	begun = false;
	put("\033[?7h\033[?25h\033[?1049l");
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

struct screen_size screen_size(void)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row == 0 || size.ws_col == 0)
		return (struct screen_size){24, 80};
	return (struct screen_size){size.ws_row, size.ws_col};
}

/* An arrow is three characters, of which the others are there at once. */
static int read_arrow(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	char rest[2] = {0};

	if (poll(&p, 1, 20) <= 0 || read(STDIN_FILENO, rest, 2) != 2 ||
		(rest[0] != '[' && rest[0] != 'O'))
		return SCREEN_NONE;
	return rest[1] == 'A' ? SCREEN_UP : rest[1] == 'B' ? SCREEN_DOWN : SCREEN_NONE;
}

int screen_read_key(int wait_ms)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	int n = poll(&p, 1, wait_ms);
	unsigned char c;

	if (quit)
		return SCREEN_QUIT;
	if (resized) {
		resized = 0;
		return SCREEN_RESIZED;
	}
	if (n <= 0)
		return SCREEN_NONE;
	if (read(STDIN_FILENO, &c, 1) != 1)
		return SCREEN_QUIT;                               /* the terminal is gone */
	return c == 27 ? read_arrow() : c == 3 ? SCREEN_QUIT : c; /* ^C */
}
