/* SPDX-License-Identifier: Apache-2.0 */

/*
 * guarded [--mode MODE] [--allow RULE]... [--deny RULE]... [--host NAME=ADDRESS]... [--dns SERVER]
 *         [--nxdomain] [--events FILE] COMMAND...
 *
 * Runs a command in a network namespace of its own whose traffic passes the guard, and nothing else
 * of a sandbox. Each event is a line of the file: KIND VERDICT NAME ADDRESS PORT UP DOWN WHY. The
 * resolver is the program $RESOLVER.
 */

#include "guard/guard.h"
#include "model/net.h"
#include "sys/catch.h"
#include "sys/nft.h"
#include "sys/packet.h"
#include "sys/route.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define RULES 64

static const uint8_t own4[4] = {10, 0, 2, 15}, own6[16] = {0xfd, 0, 0, 0x5b, [15] = 0x15};
static struct arena arena;
static struct netrule allow[RULES], deny[RULES];
static struct guard_host hosts[RULES];
static struct net_policy policy = {.mode = NET_NONE, .allow = allow, .deny = deny};
static const char *dns;
static FILE *events;

static void say(void *ctx, const struct guard_event *e)
{
	static const char *const kinds[] = {"name", "tcp", "udp"};
	char addr[NETADDR_TEXT];

	(void)ctx;
	netaddr_text(&e->addr, addr);
	if (!events)
		return;
	fprintf(events, "%s %s %s %s %u %llu %llu %s\n", kinds[e->kind],
		e->allowed ? "allowed" : "refused", *e->name ? e->name : "-", addr, e->port,
		(unsigned long long)e->up, (unsigned long long)e->down, e->why ? e->why : "");
	fflush(events);
}

static int start_resolver(void *ctx)
{
	const char *program = getenv("RESOLVER");
	int ends[2];
	pid_t pid;

	(void)ctx;
	if (!program || packet_pair(ends) < 0)
		return -ENOENT;
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], 0);
		execl(program, program, dns, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	return pid < 0 ? -EAGAIN : ends[0];
}

static int become_inside(int control)
{
	struct packet_fds fds = {.count = CATCH_COUNT};
	int r = unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0 ? -errno : 0;

	if (r == 0)
		r = route_here(own4, own6, true);
	if (r == 0)
		r = nft_catch(CATCH_PORT, own4, own6);
	if (r == 0)
		r = catch_settings();
	if (r == 0)
		r = catch_open(fds.fd);
	if (r == 0)
		r = packet_send(control, true, "x", 1, &fds);
	packet_close(&fds);
	close(control);
	/* It is nobody in its namespace: what it may do there ends with exec. */
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return r;
}

static int rule(const char *text, struct netrule *list, size_t *io_count)
{
	struct err e = {0};

	if (*io_count < RULES && netrule_parse(&arena, text, &list[*io_count], &e) == 0) {
		++*io_count;
		return 0;
	}
	fprintf(stderr, "guarded: %s: %s\n", text, e.text);
	return -EINVAL;
}

static int host(char *text, size_t *io_count)
{
	char *equals = strchr(text, '=');
	struct err e = {0};

	if (!equals || *io_count == RULES)
		return -EINVAL;
	*equals = '\0';
	hosts[*io_count].name = text;
	return netaddr_parse(equals + 1, &hosts[(*io_count)++].addr, &e);
}

static int mode(const char *text)
{
	for (int i = 0; i < NET_MODES; i++)
		if (strcmp(net_mode_names[i], text) == 0) {
			policy.mode = (enum net_mode)i;
			return 0;
		}
	return -EINVAL;
}

/* Until the command has ended; its status. */
static int keep(struct guard *g, int signals, pid_t pid)
{
	int status;

	for (;;) {
		struct pollfd fds[] = {
			{.fd = guard_fd(g), .events = POLLIN}, {.fd = signals, .events = POLLIN}};
		struct signalfd_siginfo info;

		poll(fds, 2, guard_due(g));
		guard_work(g);
		if (!fds[1].revents)
			continue;
		while (read(signals, &info, sizeof info) > 0)
			;
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
}

static pid_t start(char **command, int ret_sockets[CATCH_COUNT])
{
	struct packet_fds fds = {.count = 0};
	int ends[2];
	char unused;
	pid_t pid;

	if (packet_pair(ends) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		int r = become_inside(ends[1]);
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (r == 0)
			execvp(command[0], command);
		fprintf(stderr, "guarded: %s\n", strerror(r < 0 ? -r : errno));
		_exit(127);
	}
	close(ends[1]);
	if (packet_receive(ends[0], true, &unused, 1, &fds) < 0 || fds.count != CATCH_COUNT)
		return -1;
	memcpy(ret_sockets, fds.fd, sizeof(int[CATCH_COUNT]));
	close(ends[0]);
	return pid;
}

int main(int argc, char **argv)
{
	struct guard_call call = {.policy = &policy,
		.hosts = hosts,
		.block4 = {.net = {.bytes = {11}, .v4 = true}, .bits = 8},
		.block6 = {.net = {.bytes = {0x3f, 0xfe}}, .bits = 16},
		.own4 = {.v4 = true},
		.resolver = start_resolver,
		.event = say};
	int sockets[CATCH_COUNT], signals, status, r = 0;
	struct guard *g;
	struct err e = {0};
	sigset_t child;
	pid_t pid;

	memcpy(call.own4.bytes, own4, sizeof own4);
	memcpy(call.own6.bytes, own6, sizeof own6);
	for (argv++; r == 0 && argc > 1 && strncmp(argv[0], "--", 2) == 0; argv++) {
		const char *option = *argv;

		if (strcmp(option, "--nxdomain") == 0) {
			call.nxdomain = true;
			continue;
		}
		if (!*++argv)
			return 2;
		if (strcmp(option, "--mode") == 0)
			r = mode(*argv);
		else if (strcmp(option, "--allow") == 0)
			r = rule(*argv, allow, &policy.allow_count);
		else if (strcmp(option, "--deny") == 0)
			r = rule(*argv, deny, &policy.deny_count);
		else if (strcmp(option, "--host") == 0)
			r = host(*argv, &call.host_count);
		else if (strcmp(option, "--dns") == 0)
			dns = *argv;
		else if (strcmp(option, "--events") == 0)
			events = fopen(*argv, "we");
		else
			r = -EINVAL;
	}
	policy.has_allow = policy.allow_count > 0;
	if (r < 0 || !*argv)
		return 2;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	signals = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
	pid = start(argv, sockets);
	if (pid < 0 || guard_open(&call, sockets, &g, &e) < 0) {
		fprintf(stderr, "guarded: it could not be begun: %s\n", e.text);
		return 1;
	}
	status = keep(g, signals, pid);
	guard_free(g);
	return status;
}
