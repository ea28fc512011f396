/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who speaks at the other end of a local socket, beyond what it says itself. The kernel puts the
 * sender's number and user to each packet. A number alone may be another process's by now: hold it
 * first (a descriptor of the process), have something sent that could not be sent before, and ask
 * whether it still lives: then it was that process.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct peer_sender {
	pid_t pid; /* 0: of a namespace that is not seen from here */
	uid_t uid;
};

/* From now on packets that come say who sent them. */
int peer_ask(int socket);
/* Without waiting. The length of the packet; -EAGAIN, -ECONNRESET; longer than size: -EMSGSIZE. */
ssize_t peer_receive(int socket, void *data, size_t size, struct peer_sender *ret);
/*
 * A descriptor of the process that connected, or a negative errno: from the kernel, which knows
 * which one it was (Linux 6.5), or by its number, which may be another's where it has died.
 */
int peer_hold_other(int socket, pid_t pid);
bool peer_lives(int process);
/* The number of its pid namespace; 0: it cannot be told. */
ino_t peer_space(pid_t pid);
/* 0: the process is in the user and pid namespace of this one; -EPERM: it is not, or that cannot be
 * told. Of root's processes only the latter can be asked by others. */
int peer_is_beside(const struct peer_sender *who);
