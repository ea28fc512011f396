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
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct netmaker {
	pthread_t maker;
	int fd; /* the namespace, or a negative errno */
	const char *failed;
	atomic_bool placed;
};

static struct netmaker network;

static int make_namespace(void)
{
	int r;

	network.failed = "make a network namespace";
	if (unshare(CLONE_NEWNET) < 0)
		return -errno;
	network.failed = "raise the loopback interface";
	r = process_raise_lo();
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
	int r = pthread_create(&network.maker, NULL, make, NULL);

	(void)s;
	if (r)
		return err_sys(e, -r, "start a thread");
	keep_apart(network.maker);
	atomic_store(&network.placed, true);
	return 0;
}

int network_enter(struct stage *s, struct err *e)
{
	int r = pthread_join(network.maker, NULL);
	auto_fd int fd = network.fd;

	(void)s;
	if (r)
		return err_sys(e, -r, "wait for the network namespace");
	if (fd < 0)
		return err_sys(e, fd, "%s", network.failed);
	return setns(fd, CLONE_NEWNET) < 0 ? err_sys(e, -errno, "join it") : 0;
}
