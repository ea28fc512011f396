/* SPDX-License-Identifier: Apache-2.0 */

/* A network namespace in which every address leads to the sockets that catch it. */

#include "sys/catch.h"
#include "sys/nft.h"
#include "sys/route.h"

#include "apart.h"
#include "base/macro.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint8_t own4[4] = {10, 0, 2, 15}, own6[16] = {0xfd, 0, 0, 0x5b, [15] = 0x15};

static int sockets[CATCH_COUNT];

static int become(void)
{
	int r;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		return -errno;
	r = route_here(own4, own6, true);
	if (r == 0)
		r = nft_catch(CATCH_PORT, own4, own6);
	if (r == 0)
		r = catch_settings();
	return r == 0 ? catch_open(sockets) : r;
}

static struct sockaddr_in6 address(const char *text, uint16_t port)
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_port = htons(port)};

	inet_pton(AF_INET6, text, &a.sin6_addr);
	return a;
}

static bool is_ready(int fd)
{
	return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 2000) == 1;
}

/* Where the connection wanted to go is the name of our side of it. */
static bool caught_tcp(const char *text, uint16_t port, enum catch_socket by)
{
	struct sockaddr_in6 to = address(text, port), name;
	socklen_t len = sizeof name;
	int fd = socket(AF_INET6, SOCK_STREAM, 0), got;
	bool same;

	if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0 || !is_ready(sockets[by]))
		return false;
	got = accept(sockets[by], NULL, NULL);
	same = got >= 0 && getsockname(got, (struct sockaddr *)&name, &len) == 0 &&
	       memcmp(&name.sin6_addr, &to.sin6_addr, sizeof to.sin6_addr) == 0 &&
	       name.sin6_port == to.sin6_port;
	close(got);
	close(fd);
	return same;
}

/* ... of a datagram comes along with it. */
static bool caught_udp(const char *text, uint16_t port, enum catch_socket by, int level, int kind)
{
	struct sockaddr_in6 to = address(text, port);
	char data[8], control[256];
	struct iovec part = {data, sizeof data};
	struct msghdr m = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof control};
	struct cmsghdr *c;
	int fd = socket(AF_INET6, SOCK_DGRAM, 0);

	if (sendto(fd, "hello", 5, 0, (struct sockaddr *)&to, sizeof to) != 5 ||
		!is_ready(sockets[by]) || recvmsg(sockets[by], &m, 0) != 5)
		return false;
	close(fd);
	c = CMSG_FIRSTHDR(&m);
	return c && c->cmsg_level == level && c->cmsg_type == kind;
}

static int refused_bind(uint16_t port, int type, int option)
{
	struct sockaddr_in6 at = address("::", port);
	int fd = socket(AF_INET6, type, 0), one = 1, r;

	if (option)
		setsockopt(fd, SOL_SOCKET, option, &one, sizeof one);
	r = bind(fd, (struct sockaddr *)&at, sizeof at) < 0 ? errno : 0;
	if (r == 0 && type == SOCK_STREAM && listen(fd, 1) < 0)
		r = errno;
	close(fd);
	return r;
}

/* In the namespace: how many of the checks failed. */
static int look(void)
{
	const bool holds[] = {
		caught_tcp("::ffff:93.184.216.34", 443, CATCH_TCP),
		caught_tcp("2606:2800:220:1::1", 8443, CATCH_TCP),
		caught_tcp("::ffff:10.0.0.1", 22, CATCH_TCP),
		caught_tcp("::ffff:8.8.8.8", 53, CATCH_TCP),
		caught_udp("::ffff:1.2.3.4", 9999, CATCH_UDP4, SOL_IP, IP_RECVORIGDSTADDR),
		caught_udp("2001:4860:4860::8888", 443, CATCH_UDP6, SOL_IPV6, IPV6_RECVORIGDSTADDR),
		caught_udp("::ffff:127.0.0.53", 53, CATCH_DNS4, SOL_IP, IP_PKTINFO),
		caught_udp("2001:4860:4860::8888", 53, CATCH_DNS6, SOL_IPV6, IPV6_PKTINFO),
		refused_bind(CATCH_PORT, SOCK_STREAM, 0) == EADDRINUSE,
		refused_bind(CATCH_PORT, SOCK_STREAM, SO_REUSEADDR) == EADDRINUSE,
		refused_bind(CATCH_PORT, SOCK_STREAM, SO_REUSEPORT) == EADDRINUSE,
		refused_bind(CATCH_PORT, SOCK_DGRAM, SO_REUSEADDR) == EADDRINUSE,
		refused_bind(CATCH_PORT, SOCK_DGRAM, SO_REUSEPORT) == EADDRINUSE,
		refused_bind(53, SOCK_DGRAM, SO_REUSEADDR) == EADDRINUSE,
		refused_bind(53, SOCK_STREAM, SO_REUSEADDR) == EADDRINUSE,
		refused_bind(8080, SOCK_STREAM, 0) == 0,
	};

	return apart_failed(holds, ARRAY_LEN(holds));
}

static void test_caught(void)
{
	apart(become, look);
}

static const struct test tests[] = {
	{"everything that is sent anywhere is caught, and nobody else can", test_caught},
};
TEST_MAIN(tests)
