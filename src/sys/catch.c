/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/catch.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "sys/sockdiag.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#define BACKLOG 4096
#define PORT_DNS 53
#define KEEP_IDLE_S 60

/* What a socket is, and which of the options below it gets. */
enum option { REUSE = 1, TRANSPARENT = 2, WHERE_TO = 4, WHERE_AT = 8, WHOLE = 16, BOTH = 32 };

static const struct {
	int family, type, protocol;
	uint16_t port; /* 0: none */
	unsigned options;
} kinds[] = {
	[CATCH_TCP] = {AF_INET6, SOCK_STREAM, 0, CATCH_PORT, REUSE | TRANSPARENT | BOTH},
	[CATCH_UDP4] = {AF_INET, SOCK_DGRAM, 0, CATCH_PORT, TRANSPARENT | WHERE_TO},
	[CATCH_UDP6] = {AF_INET6, SOCK_DGRAM, 0, CATCH_PORT, TRANSPARENT | WHERE_TO},
	[CATCH_DNS4] = {AF_INET, SOCK_DGRAM, 0, PORT_DNS, TRANSPARENT | WHERE_AT},
	[CATCH_DNS6] = {AF_INET6, SOCK_DGRAM, 0, PORT_DNS, TRANSPARENT | WHERE_AT},
	[CATCH_DNS_TCP] = {AF_INET6, SOCK_STREAM, 0, PORT_DNS, REUSE | BOTH},
	[CATCH_RAW4] = {AF_INET, SOCK_RAW, IPPROTO_RAW, 0, 0},
	[CATCH_RAW6] = {AF_INET6, SOCK_RAW, IPPROTO_RAW, 0, WHOLE},
	[CATCH_DIAG] = {AF_NETLINK, SOCK_RAW, 0, 0, 0},
};
_Static_assert(ARRAY_LEN(kinds) == CATCH_COUNT, "a row for each");

/* The number of an option is another in each family; 0: it has none. */
static const struct {
	unsigned option;
	int level4, name4, level6, name6;
} options[] = {
	{REUSE, SOL_SOCKET, SO_REUSEADDR, SOL_SOCKET, SO_REUSEADDR},
	{TRANSPARENT, SOL_IP, IP_TRANSPARENT, SOL_IPV6, IPV6_TRANSPARENT},
	{WHERE_TO, SOL_IP, IP_RECVORIGDSTADDR, SOL_IPV6, IPV6_RECVORIGDSTADDR},
	{WHERE_AT, SOL_IP, IP_PKTINFO, SOL_IPV6, IPV6_RECVPKTINFO},
	{WHOLE, 0, 0, SOL_IPV6, IPV6_HDRINCL},
};

static int set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof value) < 0 ? -errno : 0;
}

static int set_options(int fd, bool six, unsigned wanted)
{
	int r = 0;

	if (six && !(wanted & WHOLE))
		r = set(fd, IPPROTO_IPV6, IPV6_V6ONLY, !(wanted & BOTH));
	for (size_t i = 0; i < ARRAY_LEN(options) && r == 0; i++)
		if (wanted & options[i].option)
			r = set(fd, six ? options[i].level6 : options[i].level4,
				six ? options[i].name6 : options[i].name4, 1);
	return r;
}

static int give_port(int fd, bool six, uint16_t port)
{
	struct sockaddr_in6 any6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct sockaddr_in any4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	int r = six ? bind(fd, (struct sockaddr *)&any6, sizeof any6)
		    : bind(fd, (struct sockaddr *)&any4, sizeof any4);

	return r < 0 ? -errno : 0;
}

/* What is accepted inherits it. Not all machines have an even start where theirs is another. */
static int begin_to_listen(int fd)
{
	int r = set(fd, IPPROTO_TCP, TCP_NODELAY, 1);

	/* A program that is gone without a word is noticed. */
	if (r == 0)
		r = set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	if (r == 0)
		r = set(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE_S);
	if (r == 0)
		r = set(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEP_IDLE_S / 3);
	return r < 0 ? r : listen(fd, BACKLOG) < 0 ? -errno : 0;
}

/* Where the kernel cannot be asked, something that answers nothing stands in its place. */
static int open_diag(void)
{
	int fd = sockdiag_open();

	if (fd < 0)
		fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static int open_one(enum catch_socket which)
{
	int type = kinds[which].type;
	bool six = kinds[which].family == AF_INET6;
	auto_fd int fd = socket(
		kinds[which].family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, kinds[which].protocol);
	int r = fd < 0 ? -errno : set_options(fd, six, kinds[which].options);

	if (r == 0 && kinds[which].port)
		r = give_port(fd, six, kinds[which].port);
	if (r == 0 && type == SOCK_STREAM)
		r = begin_to_listen(fd);
	return r < 0 ? r : take_fd(&fd);
}

int catch_open(int ret[CATCH_COUNT])
{
	for (int i = 0; i < CATCH_COUNT; i++) {
		ret[i] = i == CATCH_DIAG ? open_diag() : open_one((enum catch_socket)i);
		if (ret[i] >= 0)
			continue;
		for (int k = 0; k < i; k++)
			close(ret[k]);
		return ret[i];
	}
	return 0;
}

int catch_port(uint16_t port)
{
	auto_fd int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r = fd < 0 ? -errno : set_options(fd, true, REUSE | BOTH);

	if (r == 0)
		r = give_port(fd, true, port);
	if (r == 0)
		r = begin_to_listen(fd);
	return r < 0 ? r : take_fd(&fd);
}

/*
 * Ports below 1024 are free for the sockets above, and for programs; a queue that is full must not
 * be helped with cookies, whose last packet finds no socket; and nobody but us answers. Buffers as
 * small as speed allows: the sender waits in the kernel's memory, which counts for nobody.
 */
static const struct {
	const char *path, *value;
	bool optional;
} settings[] = {
	{"/proc/sys/net/ipv4/tcp_syncookies", "0", true},
	{"/proc/sys/net/ipv4/icmp_echo_ignore_all", "1", false},
	{"/proc/sys/net/ipv6/icmp/echo_ignore_all", "1", true},
	{"/proc/sys/net/ipv4/ip_unprivileged_port_start", "0", true},
	{"/proc/sys/net/ipv4/tcp_rmem", "4096 131072 1048576", true},
	{"/proc/sys/net/ipv4/tcp_wmem", "4096 65536 1048576", true},
};

/* Made for long ways, it halves the speed of one that leads nowhere. */
static void avoid_bbr(void)
{
	static const char path[] = "/proc/sys/net/ipv4/tcp_congestion_control";
	char now[16] = "";
	auto_fd int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 || read(fd, now, sizeof now - 1) < 3 || memcmp(now, "bbr", 3) != 0)
		return;
	if (pwrite(fd, "reno", 4, 0) < 0) /* then as it is */
		return;
}

int catch_settings(void)
{
	avoid_bbr();
	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		auto_fd int fd = open(settings[i].path, O_WRONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : write(fd, settings[i].value, strlen(settings[i].value));

		if (n < 0 && !settings[i].optional)
			return -errno;
	}
	return 0;
}
