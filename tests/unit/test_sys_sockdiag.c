/* SPDX-License-Identifier: Apache-2.0 */

/* Sockets of a network namespace, found by their addresses. */

#include "sys/sockdiag.h"
#include "sys/holder.h"
#include "sys/process.h"

#include "apart.h"
#include "base/macro.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int diag;

static uint32_t inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? (uint32_t)st.st_ino : 0;
}

static struct sockaddr_in at_loopback(uint16_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

static int listen_at(uint16_t port)
{
	struct sockaddr_in a = at_loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 4) == 0 ? fd : -1;
}

/* 127.0.0.1 on both sides. */
static struct sockdiag_ends ends_of(int fd, uint16_t remote)
{
	struct sockdiag_ends e = {.v4 = true, .remote_port = remote};
	struct sockaddr_in6 own;
	socklen_t len = sizeof own;

	getsockname(fd, (struct sockaddr *)&own, &len);
	e.local_port = ntohs(own.sin6_port);
	e.local[0] = e.remote[0] = 127;
	e.local[3] = e.remote[3] = 1;
	return e;
}

static bool finds_connection(int family)
{
	struct sockaddr_in6 mapped = {.sin6_family = AF_INET6, .sin6_port = htons(7001)};
	struct sockaddr_in plain = at_loopback(7001);
	int listener = listen_at(7001), fd = socket(family, SOCK_STREAM, 0);
	struct sockdiag_ends e, other;
	uint32_t inode = 0, own = inode_of(fd);
	bool found;

	inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped.sin6_addr);
	if (family == AF_INET6 ? connect(fd, (struct sockaddr *)&mapped, sizeof mapped)
			       : connect(fd, (struct sockaddr *)&plain, sizeof plain))
		return false;
	e = other = ends_of(fd, 7001);
	found = sockdiag_tcp(diag, &e, &inode) == 0 && inode == own;
	other.local_port++;
	found = found && sockdiag_tcp(diag, &other, &inode) == -ENOENT;
	close(fd); /* nobody holds it any more */
	found = found && sockdiag_tcp(diag, &e, &inode) == -ENOENT;
	close(listener);
	return found;
}

/* A socket that listens at the port has connected to nobody. */
static bool tells_listeners(void)
{
	int listener = listen_at(7002);
	struct sockdiag_ends e = ends_of(listener, 9);
	uint32_t inode = 0;
	bool told = sockdiag_tcp(diag, &e, &inode) == -ENOENT &&
		    sockdiag_listener(diag, &e, &inode) == 0 && inode == inode_of(listener);

	close(listener);
	return told;
}

static bool finds_datagrams(void)
{
	struct sockaddr_in a = at_loopback(7003);
	struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htons(7003)};
	int one = 1, first = socket(AF_INET, SOCK_DGRAM, 0),
	    second = socket(AF_INET6, SOCK_DGRAM, 0);
	struct sockdiag_ends e;
	uint32_t inodes[2] = {0};
	bool found;

	setsockopt(first, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	setsockopt(second, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(first, (struct sockaddr *)&a, sizeof a))
		return false;
	e = ends_of(first, 9);
	found = sockdiag_udp(diag, &e, inodes, 2) == 1 && inodes[0] == inode_of(first);
	if (bind(second, (struct sockaddr *)&any, sizeof any))
		return false;
	found = found && sockdiag_udp(diag, &e, inodes, 2) == 2 && inodes[0] != inodes[1] &&
		sockdiag_udp(diag, &e, inodes, 1) == -E2BIG;
	e.local[3] = 2; /* only the one that is bound to any address */
	found = found && sockdiag_udp(diag, &e, inodes, 2) == 1 && inodes[0] == inode_of(second);
	close(first);
	close(second);
	return found && sockdiag_udp(diag, &e, inodes, 2) == -ENOENT;
}

static int look(void)
{
	const bool holds[] = {finds_connection(AF_INET), finds_connection(AF_INET6),
		tells_listeners(), finds_datagrams()};

	return apart_failed(holds, ARRAY_LEN(holds));
}

/* As the guard's. */
static int become(void)
{
	int r = unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0 ? -errno : process_raise_lo();

	if (r == 0)
		diag = sockdiag_open();
	return r < 0 ? r : diag < 0 ? diag : 0;
}

static void test_found(void)
{
	apart(become, look);
}

/* A grandchild holds it; whoever stands above them does not count. */
static void test_holder(void)
{
	struct holder_room room = {64, 64}, little = {64, 2}, none = {0, 64};
	int fd = socket(AF_INET, SOCK_DGRAM, 0), word[2], end[2];
	uint32_t inodes[] = {1, inode_of(fd)}, other = 1;
	pid_t pid;
	char c;

	check(pipe(word) == 0 && pipe(end) == 0);
	pid = fork();
	if (pid == 0) {
		if (fork() == 0) {
			close(end[1]);
			(void)!write(word[1], "x", 1);
			(void)!read(end[0], &c, 1);
			_exit(0);
		}
		close(fd);
		close(end[1]);
		_exit(wait(NULL) < 0);
	}
	close(fd);
	check(read(word[0], &c, 1) == 1);
	check(holder_below(getpid(), inodes, 2, &room) == 1);
	check(room.threads < 64 && room.descriptors < 64);
	check(holder_below(getpid(), &other, 1, &room) == 0);
	check(holder_below(getpid(), &other, 1, &little) == -E2BIG);
	check(holder_below(getpid(), inodes, 2, &none) == -E2BIG);
	close(end[1]);
	check(waitpid(pid, NULL, 0) == pid);
	check(holder_below(getpid(), inodes, 2, &room) == 0);
}

static const struct test tests[] = {
	{"a socket is found below whoever started its holder", test_holder},
	{"the sockets behind an address are found, and no others", test_found},
};
TEST_MAIN(tests)
