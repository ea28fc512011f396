/* SPDX-License-Identifier: Apache-2.0 */

/*
 * withpty [-w TEXT -s TEXT] COMMAND...
 *
 * Runs a command on a terminal of its own and copies what it prints. -w waits for a text in that,
 * and -s then types another. At the end two lines on standard error: how many bytes are in the
 * terminal's input that nobody typed or read, and whether its settings are as they were. The exit
 * status is the command's.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

struct terminal {
	int master, slave;
	struct termios before;
};

static int open_terminal(struct terminal *t)
{
	t->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (t->master < 0 || grantpt(t->master) < 0 || unlockpt(t->master) < 0)
		return -1;
	t->slave = open(ptsname(t->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	return t->slave < 0 ? -1 : tcgetattr(t->slave, &t->before);
}

static void run(const struct terminal *t, char **argv)
{
	if (setsid() < 0 || ioctl(t->slave, TIOCSCTTY, 0) < 0)
		_exit(125);
	for (int fd = 0; fd < 3; fd++)
		if (dup2(t->slave, fd) < 0)
			_exit(125);
	execvp(argv[0], argv);
	_exit(127);
}

/* What was read so far, for the text that is waited for; the beginning is enough. */
static char seen[64 * 1024];
static size_t seen_len;

static void copy(int master, const char *wait_for, const char **type)
{
	char block[4096];
	ssize_t n = read(master, block, sizeof block);

	if (n <= 0)
		return;
	(void)!write(STDOUT_FILENO, block, (size_t)n);
	for (ssize_t i = 0; i < n && seen_len < sizeof seen - 1; i++)
		seen[seen_len++] = block[i];
	if (*type && strstr(seen, wait_for)) {
		(void)!write(master, *type, strlen(*type));
		*type = NULL;
	}
}

/* Until the command has ended and all that it printed is read. */
static int follow(const struct terminal *t, pid_t child, const char *wait_for, const char *type)
{
	struct pollfd p = {.fd = t->master, .events = POLLIN};
	int status = 0;
	bool ended = false;

	while (!ended || poll(&p, 1, 0) > 0) {
		if (poll(&p, 1, 10) > 0)
			copy(t->master, wait_for, &type);
		else if (!ended && waitpid(child, &status, WNOHANG) == child)
			ended = true;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void report(const struct terminal *t)
{
	struct termios after, raw;
	int waiting = 0;

	if (tcgetattr(t->slave, &after) < 0)
		return;
	raw = after;
	cfmakeraw(&raw); /* or half a line would not count */
	tcsetattr(t->slave, TCSANOW, &raw);
	ioctl(t->slave, FIONREAD, &waiting);
	fprintf(stderr, "input %d\nsettings %s\n", waiting,
		after.c_lflag == t->before.c_lflag && after.c_iflag == t->before.c_iflag &&
				after.c_oflag == t->before.c_oflag
			? "same"
			: "changed");
}

int main(int argc, char **argv)
{
	const char *wait_for = "", *type = NULL;
	struct terminal t = {-1, -1, {0}};
	pid_t child;
	int option, status;

	while ((option = getopt(argc, argv, "+w:s:")) != -1) {
		if (option == 'w')
			wait_for = optarg;
		else if (option == 's')
			type = optarg;
		else
			return 125;
	}
	if (optind == argc || open_terminal(&t) < 0)
		return 125;
	child = fork();
	if (child == 0)
		run(&t, argv + optind);
	if (child < 0)
		return 125;
	status = follow(&t, child, wait_for, type);
	report(&t);
	return status;
}
