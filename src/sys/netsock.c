/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/netsock.h"

#include "base/cleanup.h"
#include "sys/packet.h"

#include <errno.h>
#include <linux/nsfs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

_Static_assert(NETSOCK_MOST <= PACKET_FDS, "they fit into one packet");

/* Root, whose own namespace may be the owner, is not asked to enter what it is in already. */
static int go_there(int namespace)
{
	auto_fd int owner = ioctl(namespace, NS_GET_USERNS);

	if (owner < 0)
		return -errno;
	if (setns(owner, CLONE_NEWUSER) < 0 && errno != EINVAL)
		return -errno;
	return setns(namespace, CLONE_NEWNET) < 0 ? -errno : 0;
}

static int make_one(void)
{
	auto_fd int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int off = 0, one = 1;

	if (fd < 0 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) < 0 ||
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) < 0)
		return -errno;
	return take_fd(&fd);
}

static _Noreturn void make_all(int namespace, int socket)
{
	struct packet_fds fds = {.count = 0};
	int r = go_there(namespace);

	while (r >= 0 && fds.count < NETSOCK_MOST) {
		r = make_one();
		if (r >= 0)
			fds.fd[fds.count++] = r;
	}
	packet_send(socket, true, &r, sizeof r, r < 0 ? NULL : &fds);
	_exit(0);
}

int netsock_make(int namespace, int ret[NETSOCK_MOST])
{
	struct packet_fds fds = {.count = 0};
	int pair[2], answer = -EIO, r = packet_pair(pair);
	pid_t pid;

	if (r < 0)
		return r;
	pid = fork();
	if (pid == 0)
		make_all(namespace, pair[1]);
	close(pair[1]);
	if (pid > 0) {
		packet_receive(pair[0], true, &answer, sizeof answer, &fds);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(pair[0]);
	if (pid < 0)
		return -EAGAIN;
	if (answer >= 0 && fds.count == NETSOCK_MOST) {
		memcpy(ret, fds.fd, sizeof fds.fd[0] * NETSOCK_MOST);
		return 0;
	}
	packet_close(&fds);
	return answer < 0 ? answer : -EIO;
}
