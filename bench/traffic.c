/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Load for a network, and what it is measured against. The servers listen on the loopback, print
 * their port, and end when they are killed:
 *
 * traffic serve                          sends, takes or echoes, as the client's first byte says
 * traffic keep                           greets every connection with one byte, and keeps it
 *
 * The clients print one line:
 *
 * traffic down|up HOST PORT STREAMS MS   gigabits per second of all streams together
 * traffic rate HOST PORT CLIENTS MS      connections per second, each for one short question
 * traffic trip HOST PORT COUNT           microseconds of a round trip, the median
 * traffic crowd HOST PORT COUNT          after the first connection, and, when a line was read,
 *                                        after all of them: OPEN REFUSED SILENT LOST; then reads
 *                                        until its input ends
 */

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 16
#define BACKLOG 4096
#define MESSAGE 64
#define MAX_CLIENTS 64
#define MAX_TRIPS 1000000
#define CROWD 1000    /* connections of one process: it may not have more descriptors */
#define SILENCE 10000 /* ms without a word */

static char buffer[128 << 10];

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "traffic: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long number(const char *text, long most)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*end || n < 1 || n > most) {
		fprintf(stderr, "traffic: '%s' is no number from 1 to %ld\n", text, most);
		exit(2);
	}
	return n;
}

static bool send_all(int fd, const void *data, size_t size)
{
	return send(fd, data, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static bool receive_all(int fd, void *data, size_t size)
{
	return recv(fd, data, size, MSG_WAITALL) == (ssize_t)size;
}

/* The same congestion control in every namespace, one that does not pace. */
static int set_up(int fd)
{
	static const char control[] = "reno";
	int one = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, control, sizeof control - 1) < 0)
		return -1;
	return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

/* A child that does not outlive this process. */
static bool in_child(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid > 0)
		return false;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		exit(1);
	return true;
}

/* --- servers */

static int listener(void)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	/* Those that are accepted inherit what it is set to. */
	if (fd < 0 || set_up(fd) < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 ||
		listen(fd, BACKLOG) < 0 || getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		fail("listen");
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	return fd;
}

static void take(int fd)
{
	uint64_t total = 0;
	ssize_t n;

	while ((n = recv(fd, buffer, sizeof buffer, 0)) > 0)
		total += (uint64_t)n;
	send_all(fd, &total, sizeof total);
}

static void answer(int fd)
{
	char what;

	if (!receive_all(fd, &what, 1))
		return;
	if (what == 'd')
		while (send(fd, buffer, sizeof buffer, MSG_NOSIGNAL) > 0)
			;
	else if (what == 'u')
		take(fd);
	else
		while (receive_all(fd, buffer, MESSAGE) && send_all(fd, buffer, MESSAGE))
			;
}

/* Processes that wait for connections together: no connection waits for another one's stream. */
static void serve(void)
{
	int at = listener();

	for (int i = 0; i < WORKERS; i++)
		if (in_child())
			for (;;) {
				int fd = accept(at, NULL, NULL);

				if (fd < 0)
					fail("accept");
				answer(fd);
				close(fd);
			}
	pause();
}

static void keep(void)
{
	int at = listener();

	for (;;) {
		int fd = accept(at, NULL, NULL);

		if (fd < 0)
			fail("accept");
		send_all(fd, "!", 1);
	}
}

/* --- clients */

static struct sockaddr_storage server;
static socklen_t server_len;

static void find_server(const char *host, const char *port)
{
	struct addrinfo *found, hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
	int r = getaddrinfo(host, port, &hints, &found);

	if (r != 0) {
		fprintf(stderr, "traffic: find '%s': %s\n", host, gai_strerror(r));
		exit(1);
	}
	memcpy(&server, found->ai_addr, found->ai_addrlen);
	server_len = found->ai_addrlen;
	freeaddrinfo(found);
}

static int dial(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || set_up(fd) < 0)
		fail("socket");
	if (connect(fd, (struct sockaddr *)&server, server_len) == 0)
		return fd;
	close(fd);
	return -1;
}

static int dial_for(char what)
{
	int fd = dial();

	if (fd < 0 || !send_all(fd, &what, 1))
		fail("connect");
	return fd;
}

static double stream_down(double seconds)
{
	int fd = dial_for('d');
	double start = now(), took = 0;
	uint64_t total = 0;

	while (took < seconds) {
		ssize_t n = recv(fd, buffer, sizeof buffer, 0);

		if (n <= 0)
			fail("receive");
		total += (uint64_t)n;
		took = now() - start;
	}
	return (double)total * 8 / 1e9 / took;
}

/* As much as has arrived, when it has: what lies in buffers on the way does not count. */
static double stream_up(double seconds)
{
	int fd = dial_for('u');
	double start = now();
	uint64_t total;

	while (now() - start < seconds)
		if (send(fd, buffer, sizeof buffer, MSG_NOSIGNAL) < 0)
			fail("send");
	if (shutdown(fd, SHUT_WR) < 0 || !receive_all(fd, &total, sizeof total))
		fail("receive");
	return (double)total * 8 / 1e9 / (now() - start);
}

static double connections(double seconds)
{
	char message[1 + MESSAGE] = "e";
	double start = now(), took = 0, count = 0;

	for (; took < seconds; took = now() - start) {
		int fd = dial();

		if (fd < 0)
			fail("connect");
		if (!send_all(fd, message, sizeof message) ||
			!receive_all(fd, message + 1, MESSAGE))
			fail("ask");
		close(fd);
		count++;
	}
	return count / took;
}

/* So many at the same time, each in a process of its own; the sum of what they return. */
static double together(long count, double (*client)(double seconds), double seconds)
{
	double sum = 0, one;
	int start[2], end[2];

	if (pipe(start) < 0 || pipe(end) < 0)
		fail("pipe");
	for (long i = 0; i < count; i++)
		if (in_child()) {
			close(start[1]);
			if (read(start[0], buffer, 1) != 0)
				fail("wait");
			one = client(seconds);
			exit(write(end[1], &one, sizeof one) != sizeof one);
		}
	close(end[1]);
	close(start[1]);
	for (long i = 0; i < count; i++, sum += one)
		if (read(end[0], &one, sizeof one) != sizeof one)
			exit(1); /* it has said why */
	return sum;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double trip(long count)
{
	static double times[MAX_TRIPS];
	char message[MESSAGE] = {0};
	int fd = dial_for('e');

	for (long i = 0; i < count; i++) {
		double start = now();

		if (!send_all(fd, message, sizeof message) ||
			!receive_all(fd, message, sizeof message))
			fail("ask");
		times[i] = now() - start;
	}
	qsort(times, (size_t)count, sizeof *times, compare);
	return times[count / 2] * 1e6;
}

/* --- many connections that do nothing */

struct crowd {
	long open, refused, silent, lost;
};

/* Whether it was greeted; where a connection is taken before it is decided, only that says so. */
static bool is_greeted(int fd, struct crowd *c)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char word;
	int r = poll(&p, 1, SILENCE);

	if (r > 0 && recv(fd, &word, 1, 0) == 1)
		return true;
	if (r > 0)
		c->refused++;
	else
		c->silent++;
	return false;
}

static struct crowd open_some(long count, struct pollfd *kept)
{
	struct crowd c = {0};

	for (long i = 0; i < count; i++) {
		int fd = dial();

		if (fd < 0)
			c.refused++;
		else if (is_greeted(fd, &c))
			kept[c.open++] = (struct pollfd){.fd = fd, .events = POLLIN};
		else
			close(fd);
	}
	return c;
}

/* Opens them, tells of them, and at the word of the other side whether they are still there. */
static void stand(long count, int told, int asked)
{
	static struct pollfd kept[CROWD];
	struct crowd c = open_some(count, kept);

	if (write(told, &c, sizeof c) != sizeof c || read(asked, buffer, 1) != 0)
		exit(1);
	if (poll(kept, (nfds_t)c.open, 0) < 0)
		exit(1);
	for (long i = 0; i < c.open; i++)
		c.lost += kept[i].revents != 0;
	if (write(told, &c, sizeof c) != sizeof c)
		exit(1);
	pause();
}

static struct crowd hear(int from, long processes)
{
	struct crowd sum = {0}, c;

	for (long i = 0; i < processes; i++) {
		if (read(from, &c, sizeof c) != sizeof c)
			exit(1);
		sum.open += c.open;
		sum.refused += c.refused;
		sum.silent += c.silent;
		sum.lost += c.lost;
	}
	return sum;
}

static void gather(long count)
{
	long processes = 0;
	struct crowd c;
	int tell[2], ask[2];

	if (pipe(tell) < 0 || pipe(ask) < 0)
		fail("pipe");
	for (; count > 0; count -= CROWD, processes++)
		if (in_child()) {
			close(ask[1]);
			stand(count < CROWD ? count : CROWD, tell[1], ask[0]);
		}
	close(tell[1]);
	hear(tell[0], processes);
	close(ask[1]);
	c = hear(tell[0], processes);
	printf("%ld %ld %ld %ld\n", c.open, c.refused, c.silent, c.lost);
	fflush(stdout);
}

static void crowd(long count)
{
	gather(1);
	if (count > 1 && read(0, buffer, 1) == 1)
		gather(count - 1);
	while (read(0, buffer, sizeof buffer) > 0)
		;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	double (*client)(double) = strcmp(what, "down") == 0   ? stream_down
				   : strcmp(what, "up") == 0   ? stream_up
				   : strcmp(what, "rate") == 0 ? connections
							       : NULL;

	if (argc == 2 && strcmp(what, "serve") == 0) {
		serve();
	} else if (argc == 2 && strcmp(what, "keep") == 0) {
		keep();
	} else if (argc == 6 && client) {
		find_server(argv[2], argv[3]);
		printf("%.3f\n", together(number(argv[4], MAX_CLIENTS), client,
					 (double)number(argv[5], 60000) / 1e3));
	} else if (argc == 5 && strcmp(what, "trip") == 0) {
		find_server(argv[2], argv[3]);
		printf("%.2f\n", trip(number(argv[4], MAX_TRIPS)));
	} else if (argc == 5 && strcmp(what, "crowd") == 0) {
		find_server(argv[2], argv[3]);
		crowd(number(argv[4], 10 * CROWD));
	} else {
		fprintf(stderr, "usage: traffic serve | keep | down HOST PORT STREAMS MS | "
				"up HOST PORT STREAMS MS |\n"
				"       rate HOST PORT CLIENTS MS | trip HOST PORT COUNT | "
				"crowd HOST PORT COUNT\n");
		return 2;
	}
	return 0;
}
