/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which sockets of a network namespace have an address and port, asked of the kernel over a socket
 * that was opened in that namespace (sys/catch.h: CATCH_DIAG). They are named by their inodes,
 * which is what /proc/PID/fd shows. Never waits. Owns nothing.
 *
 * Should: say nothing rather than something wrong: a socket that listens is not one that connected,
 * and one that nobody holds any more has no inode.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As the socket that is looked for sees it; ports in the host's order. */
struct sockdiag_ends {
	bool v4; /* the first four bytes of each */
	uint8_t local[16], remote[16];
	uint16_t local_port, remote_port;
};

int sockdiag_open(void);
/* The connection with these ends. 0; -ENOENT: nobody holds one. */
int sockdiag_tcp(int fd, const struct sockdiag_ends *ends, uint32_t *ret_inode);
/* The socket that listens at the local end. Likewise. */
int sockdiag_listener(int fd, const struct sockdiag_ends *ends, uint32_t *ret_inode);
/*
 * Those that a datagram with that local address and port can have come from: more than one where
 * they share it. How many; -E2BIG: more than there is room for; -ENOENT: none.
 */
int sockdiag_udp(int fd, const struct sockdiag_ends *ends, uint32_t *ret, size_t room);
/* The one that would get the answer: quick, and only to know that it is still the same. */
int sockdiag_udp_one(int fd, const struct sockdiag_ends *ends, uint32_t *ret_inode);
