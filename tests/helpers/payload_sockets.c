/* SPDX-License-Identifier: Apache-2.0 */
#include "payload.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Sockets of every family that a network namespace does not confine or that nobody needs. Each
 * twice: as it would be used ("socket"), and with a type that the kernel refuses with EINVAL before
 * it looks at the family
 * ("socket-filter"), which shows that the refusal does not depend on what the kernel was built
 * with.
 */

#define NO_TYPE 0x10000UL

#define REAL(name, family, type, protocol)               \
	{                                                \
		"socket", name, payload_raw, SYS_socket, \
		{                                        \
			family, type, protocol           \
		}                                        \
	}
#define PROBE(name, family)                                     \
	{                                                       \
		"socket-filter", name, payload_raw, SYS_socket, \
		{                                               \
			family, NO_TYPE, 0                      \
		}                                               \
	}
#define BOTH(name, family, type, protocol) REAL(name, family, type, protocol), PROBE(name, family)

enum {
	FAMILY_KEY = 15,
	FAMILY_NETLINK = 16,
	FAMILY_PACKET = 17,
	FAMILY_RDS = 21,
	FAMILY_PPPOX = 24,
	FAMILY_LLC = 26,
	FAMILY_IB = 27,
	FAMILY_CAN = 29,
	FAMILY_TIPC = 30,
	FAMILY_BLUETOOTH = 31,
	FAMILY_ALG = 38,
	FAMILY_NFC = 39,
	FAMILY_VSOCK = 40,
	FAMILY_KCM = 41,
	FAMILY_QIPCRTR = 42,
	FAMILY_SMC = 43,
	FAMILY_XDP = 44,
	FAMILY_MCTP = 45,
};

static int run_pair(const struct attempt *self, int argc, char **argv)
{
	int pair[2];

	(void)argc;
	(void)argv;
	return payload_result(syscall(SYS_socketpair, self->arg[0], self->arg[1], 0, pair));
}

const struct attempt payload_sockets[] = {
	BOTH("vsock", FAMILY_VSOCK, SOCK_STREAM, 0),
	BOTH("vsock-high", FAMILY_VSOCK | (1UL << 33), SOCK_STREAM, 0),
	BOTH("alg", FAMILY_ALG, SOCK_SEQPACKET, 0),
	BOTH("packet", FAMILY_PACKET, SOCK_RAW, 0x300),
	BOTH("packet-high", FAMILY_PACKET | (1UL << 33), SOCK_RAW, 0x300),
	BOTH("key", FAMILY_KEY, SOCK_RAW, 2),
	BOTH("bluetooth", FAMILY_BLUETOOTH, SOCK_RAW, 1),
	BOTH("can", FAMILY_CAN, SOCK_RAW, 1),
	BOTH("tipc", FAMILY_TIPC, SOCK_RDM, 0),
	BOTH("rds", FAMILY_RDS, SOCK_SEQPACKET, 0),
	BOTH("xdp", FAMILY_XDP, SOCK_RAW, 0),
	BOTH("smc", FAMILY_SMC, SOCK_STREAM, 0),
	BOTH("qipcrtr", FAMILY_QIPCRTR, SOCK_DGRAM, 0),
	BOTH("nfc", FAMILY_NFC, SOCK_SEQPACKET, 0),
	BOTH("pppox", FAMILY_PPPOX, SOCK_DGRAM, 0),
	BOTH("ib", FAMILY_IB, SOCK_STREAM, 0),
	BOTH("mctp", FAMILY_MCTP, SOCK_DGRAM, 0),
	BOTH("kcm", FAMILY_KCM, SOCK_DGRAM, 0),
	BOTH("llc", FAMILY_LLC, SOCK_DGRAM, 0),
	REAL("netlink-generic", FAMILY_NETLINK, SOCK_RAW, 16),
	REAL("netlink-audit", FAMILY_NETLINK, SOCK_RAW, 9),
	REAL("netlink-uevent", FAMILY_NETLINK, SOCK_RAW, 15),
	REAL("netlink-netfilter", FAMILY_NETLINK, SOCK_RAW, 12),
	REAL("netlink-xfrm", FAMILY_NETLINK, SOCK_RAW, 6),
	REAL("netlink-diag", FAMILY_NETLINK, SOCK_RAW, 4),
	REAL("netlink-crypto", FAMILY_NETLINK, SOCK_RAW, 21),
	REAL("netlink-diag-high", FAMILY_NETLINK, SOCK_RAW, 4UL | (1UL << 32)),
	REAL("raw-icmp", AF_INET, SOCK_RAW, 1),

	{"socketpair", "tipc", run_pair, 0, {FAMILY_TIPC, NO_TYPE}},
	{"socketpair", "vsock", run_pair, 0, {FAMILY_VSOCK, NO_TYPE}},

	/* What programs need. */
	{"socket-needed", "unix", payload_raw, SYS_socket, {AF_UNIX, SOCK_STREAM, 0}},
	{"socket-needed", "inet", payload_raw, SYS_socket, {AF_INET, SOCK_STREAM, 0}},
	{"socket-needed", "inet6", payload_raw, SYS_socket, {AF_INET6, SOCK_DGRAM, 0}},
	{"socket-needed", "unix-pair", run_pair, 0, {AF_UNIX, SOCK_STREAM}},
	{0},
};
