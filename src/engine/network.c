/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The sandbox's network namespace. The kernel needs longer for it than for anything else, and
 * nothing depends on it before the program starts: a thread makes it while init builds the root,
 * and init enters it before it goes on. It is the only thread in any of ward's processes, and has
 * ended before the program is started. While it lives init must not call what libc does in all
 * threads at once (setgroups, setresuid and their like).
 */

#include "base/cleanup.h"
#include "engine/confine.h"
#include "engine/wire.h"
#include "sys/catch.h"
#include "sys/nft.h"
#include "sys/process.h"
#include "sys/route.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

const uint8_t network_own4[4] = {10, 0, 2, 15}, network_own6[16] = {0xfd, 0, 0, 0x5b, [15] = 0x15};

_Static_assert(1 + CATCH_COUNT + NET_PORTS <= PACKET_FDS, "they fit into one packet");

struct netmaker {
	pthread_t maker;
	bool guarded, published;
	const struct net_policy *policy;
	int caught[CATCH_COUNT];
	int ports[NET_PORTS]; /* where nf_tables cannot lead all of them to one */
	size_t port_count;
	int fd; /* the namespace, or a negative errno */
	const char *failed;
	atomic_bool placed;
};

static struct netmaker network;

/* Every address is this namespace's own: what nobody listens to is refused by the kernel. */
static int listen_at_ports(void)
{
	uint16_t ports[NET_PORTS];
	size_t count = net_policy_ports(network.policy, ports);

	for (size_t i = 0; i < count; i++) {
		int fd = catch_port(ports[i]);

		if (fd < 0)
			return fd;
		network.ports[network.port_count++] = fd;
	}
	return count > 0 ? 0 : -EOPNOTSUPP;
}

static bool lacks_nft(int r)
{
	return r == -EOPNOTSUPP || r == -ENOENT || r == -EPROTONOSUPPORT || r == -EAFNOSUPPORT;
}

/* Every address leads to sockets that the supervisor will hold. */
static int lead_to_guard(void)
{
	int r = route_here(network_own4, network_own6, true), nft = 0;

	network.failed = "set up the network for the guard";
	if (r == 0)
		r = catch_settings();
	network.failed = "catch connections with nf_tables (the kernel needs nft_tproxy; without "
			 "it only network: limited, or rules that allow 16 ports or fewer)";
	if (r == 0)
		r = nft = nft_catch(CATCH_PORT, network_own4, network_own6);
	if (lacks_nft(nft))
		r = listen_at_ports();
	if (r < 0)
		return r;
	network.failed = "open the sockets of the guard";
	return catch_open(network.caught);
}

static int raise_lo(void)
{
	return network.published ? route_here(network_own4, network_own6, false)
				 : process_raise_lo();
}

static int make_namespace(void)
{
	int r;

	network.failed = "make a network namespace";
	if (unshare(CLONE_NEWNET) < 0)
		return -errno;
	network.failed = "raise the loopback interface";
	r = network.guarded ? lead_to_guard() : raise_lo();
	if (r < 0)
		return r;
	network.failed = "find the network namespace";
	r = openat(AT_FDCWD, "/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	return r < 0 ? -errno : r;
}

/* A thread that has ended has no number any more, and what is done to it is done to the caller. */
static void *make(void *unused)
{
	(void)unused;
	network.fd = make_namespace();
	while (!atomic_load(&network.placed))
		sched_yield();
	return NULL;
}

/*
 * Away from the processor of its maker: the kernel leaves it there when no other is idle at this
 * moment, and there it would begin when the root is ready.
 */
static void keep_apart(pthread_t thread)
{
	int here = sched_getcpu();
	cpu_set_t set;

	if (here < 0 || sched_getaffinity(0, sizeof set, &set) < 0)
		return;
	CPU_CLR((size_t)here, &set);
	if (CPU_COUNT(&set) > 0)
		pthread_setaffinity_np(thread, sizeof set, &set);
}

int network_begin(struct stage *s, struct err *e)
{
	int r;

	network.guarded = s->plan->network.guarded;
	network.policy = &s->plan->network.policy;
	network.published = s->plan->network.publish_count > 0;
	r = pthread_create(&network.maker, NULL, make, NULL);
	if (r)
		return err_sys(e, -r, "start a thread");
	keep_apart(network.maker);
	atomic_store(&network.placed, true);
	return 0;
}

/* Nothing runs inside yet that could have put others in their place. */
static int hand_out(struct stage *s, int namespace, struct err *e)
{
	struct packet_fds fds = {.count = 0};
	struct wire m = {.kind = WIRE_NETWORK};
	int r;

	if (network.published)
		fds.fd[fds.count++] = namespace;
	for (size_t i = 0; network.guarded && i < CATCH_COUNT; i++)
		fds.fd[fds.count++] = network.caught[i];
	for (size_t i = 0; i < network.port_count; i++)
		fds.fd[fds.count++] = network.ports[i];
	r = wire_send(s->control, true, &m, &fds);
	for (size_t i = network.published; i < fds.count; i++)
		close(fds.fd[i]);
	return r < 0 ? err_sys(e, r, "hand the sockets to the guard") : 0;
}

int network_enter(struct stage *s, struct err *e)
{
	int r = pthread_join(network.maker, NULL);
	auto_fd int fd = network.fd;

	if (r)
		return err_sys(e, -r, "wait for the network namespace");
	if (fd < 0)
		return err_sys(e, fd, "%s", network.failed);
	if (setns(fd, CLONE_NEWNET) < 0)
		return err_sys(e, -errno, "join it");
	return network.guarded || network.published ? hand_out(s, fd, e) : 0;
}
