/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Packets with descriptors over sockets of this machine (AF_UNIX, SOCK_SEQPACKET), and where such
 * sockets stand in folders. 0, a length or a descriptor; a negative errno on failure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PACKET_FDS 28

struct packet_fds {
	int fd[PACKET_FDS];
	size_t count;
};

void packet_close(struct packet_fds *fds);
/* fds may be NULL: none are sent along. Without waiting when `wait` is false: -EAGAIN. */
int packet_send(int socket, bool wait, const void *data, size_t size, const struct packet_fds *fds);
/*
 * The length of the packet, which may be more than size: then it was cut. -ECONNRESET: the other
 * side is gone. The caller owns the descriptors that came; with ret_fds NULL they are closed.
 */
ssize_t packet_receive(int socket, bool wait, void *data, size_t size, struct packet_fds *ret_fds);

int packet_pair(int ret[2]);
/* A socket with that name in a folder; one that is there already is replaced. */
int packet_listen(int dir, const char *name);
int packet_connect(int dir, const char *name);
/* Who is at the other end, when it connected or began to listen. */
int packet_peer(int socket, uid_t *ret_uid, pid_t *ret_pid);
/* A signal for that process, as long as the connection stands. */
int packet_signal(int socket, int number);
