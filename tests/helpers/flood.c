/* SPDX-License-Identifier: Apache-2.0 */

/*
 * flood SECONDS ADDRESS PORT
 *
 * Begins as many connections as it can, gives up each as soon as it is answered or refused, and
 * says how many there were in a second.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define AT_ONCE 64

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int begin(const struct sockaddr_in *to)
{
	struct linger reset = {.l_onoff = 1};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
	if (connect(fd, (const struct sockaddr *)to, sizeof *to) == 0 || errno == EINPROGRESS)
		return fd;
	close(fd);
	return -1;
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = {.sin_family = AF_INET};
	struct pollfd wait[AT_ONCE];
	unsigned long count = 0;
	double began = now(), end;

	if (argc != 4 || inet_pton(AF_INET, argv[2], &to.sin_addr) != 1)
		return 125;
	to.sin_port = htons((uint16_t)strtoul(argv[3], NULL, 10));
	end = began + strtod(argv[1], NULL);
	for (int i = 0; i < AT_ONCE; i++)
		wait[i] = (struct pollfd){.fd = -1, .events = POLLIN};
	while (now() < end) {
		for (int i = 0; i < AT_ONCE; i++)
			if (wait[i].fd < 0)
				wait[i].fd = begin(&to);
		poll(wait, AT_ONCE, 100);
		for (int i = 0; i < AT_ONCE; i++)
			if (wait[i].fd >= 0 && wait[i].revents) {
				close(wait[i].fd);
				wait[i].fd = -1;
				count++;
			}
	}
	printf("%.0f\n", (double)count / (now() - began));
	return 0;
}
