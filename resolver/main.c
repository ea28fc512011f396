/* SPDX-License-Identifier: Apache-2.0 */

/*
 * ward-resolver [SERVER...]
 *
 * Asks for the addresses of names, for the guard of one sandbox, which is at the other end of its
 * standard input (guard/names.h). A program of its own, since what servers on the network answer is
 * read here: it can do nothing but ask them. The machine's own servers and its file of hosts,
 * unless servers are given; no name is completed by search domains. Ends with the guard.
 */

#include "guard/names.h"

#include <ares.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GUARD STDIN_FILENO
#define TIMEOUT_MS 2000 /* of the first attempt; later ones wait longer */
#define TRIES 3
#define DESCRIPTORS 64

/* Those that wait for an answer: the numbers by which the guard knows them. */
struct open {
	bool used;
	uint32_t id;
};
static struct open questions[NAMES_OPEN];
static bool gone; /* the guard */

static void answer(const struct names_answer *a)
{
	size_t size = offsetof(struct names_answer, address) + a->count * sizeof a->address[0];

	if (send(GUARD, a, size, MSG_NOSIGNAL) < 0 && errno != EINTR)
		gone = true;
}

static bool take_address(const struct sockaddr *from, struct names_address *ret)
{
	memset(ret, 0, sizeof *ret);
	if (from->sa_family == AF_INET) {
		ret->family = 4;
		memcpy(ret->bytes, &((const struct sockaddr_in *)(const void *)from)->sin_addr, 4);
	} else if (from->sa_family == AF_INET6) {
		ret->family = 6;
		memcpy(ret->bytes, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr,
			16);
	}
	return ret->family != 0;
}

static void found(void *arg, int status, int timeouts, struct ares_addrinfo *result)
{
	struct open *q = arg;
	struct names_answer a = {.id = q->id, .ttl = UINT32_MAX};

	(void)timeouts;
	q->used = false;
	if (status == ARES_EDESTRUCTION)
		return;
	for (struct ares_addrinfo_node *n = result ? result->nodes : NULL; n; n = n->ai_next) {
		if (a.count == NAMES_ADDRESSES || !take_address(n->ai_addr, &a.address[a.count]))
			continue;
		a.count++;
		if (n->ai_ttl >= 0 && (uint32_t)n->ai_ttl < a.ttl)
			a.ttl = (uint32_t)n->ai_ttl;
	}
	if (a.ttl == UINT32_MAX)
		a.ttl = 0;
	a.end = a.count > 0 ? NAMES_FOUND
		: status == ARES_ENOTFOUND || status == ARES_ENODATA || status == ARES_SUCCESS ||
				status == ARES_EBADNAME
			? NAMES_NONE
			: NAMES_FAILED;
	if (result)
		ares_freeaddrinfo(result);
	answer(&a);
}

/* One packet; false: the guard is gone. */
static bool take_question(ares_channel channel)
{
	struct ares_addrinfo_hints hints = {.ai_family = AF_UNSPEC};
	struct names_question q;
	ssize_t n = recv(GUARD, &q, sizeof q, MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n != sizeof q)
		return false;
	q.name[sizeof q.name - 1] = '\0';
	for (size_t i = 0; i < NAMES_OPEN; i++) {
		if (questions[i].used)
			continue;
		questions[i] = (struct open){true, q.id};
		ares_getaddrinfo(channel, q.name, NULL, &hints, found, &questions[i]);
		return true;
	}
	answer(&(struct names_answer){.id = q.id, .end = NAMES_BUSY});
	return true;
}

/* Until something happens on one of its sockets, or is due; then that is done. */
static bool turn(ares_channel channel)
{
	ares_socket_t sockets[ARES_GETSOCK_MAXNUM];
	struct pollfd fds[ARES_GETSOCK_MAXNUM + 1] = {{.fd = GUARD, .events = POLLIN}};
	unsigned bits = (unsigned)ares_getsock(channel, sockets, ARES_GETSOCK_MAXNUM);
	nfds_t count = 1;
	struct timeval due, *next = ares_timeout(channel, NULL, &due);
	int ms = next ? (int)(next->tv_sec * 1000 + next->tv_usec / 1000 + 1) : -1;

	for (unsigned i = 0; i < ARES_GETSOCK_MAXNUM; i++) {
		short events = (short)((ARES_GETSOCK_READABLE(bits, i) ? POLLIN : 0) |
				       (ARES_GETSOCK_WRITABLE(bits, i) ? POLLOUT : 0));

		if (events)
			fds[count++] = (struct pollfd){.fd = sockets[i], .events = events};
	}
	if (poll(fds, count, ms) < 0)
		return errno == EINTR;
	for (nfds_t i = 1; i < count; i++)
		if (fds[i].revents)
			ares_process_fd(channel,
				fds[i].revents & (POLLIN | POLLERR | POLLHUP) ? fds[i].fd
									      : ARES_SOCKET_BAD,
				fds[i].revents & POLLOUT ? fds[i].fd : ARES_SOCKET_BAD);
	ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
	return !fds[0].revents || take_question(channel);
}

static int open_channel(char **servers, int count, ares_channel *ret)
{
	char lookups[] = "fb";
	struct ares_options o = {.timeout = TIMEOUT_MS,
		.tries = TRIES,
		.ndots = 1,
		.lookups = count > 0 ? lookups + 1 : lookups,
		.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES};
	char list[4096] = "";
	int r;

	r = ares_init_options(ret, &o,
		ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_NDOTS | ARES_OPT_LOOKUPS |
			ARES_OPT_FLAGS | ARES_OPT_DOMAINS);
	for (int i = 0; i < count; i++) {
		size_t len = strlen(list);

		snprintf(list + len, sizeof list - len, "%s%s", len ? "," : "", servers[i]);
	}
	return r == ARES_SUCCESS && count > 0 ? ares_set_servers_ports_csv(*ret, list) : r;
}

/* Of files only /etc can be read from now on, as far as the kernel has Landlock: that of hosts is
 * looked into for every name. */
static void confine_files(void)
{
	struct landlock_ruleset_attr all = {.handled_access_fs = (1ull << 13) - 1};
	struct landlock_path_beneath_attr etc = {
		.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR};
	int rules =
		(int)syscall(SYS_landlock_create_ruleset, &all, sizeof all.handled_access_fs, 0);

	if (rules < 0)
		return;
	etc.parent_fd = open("/etc", O_PATH | O_CLOEXEC);
	if (etc.parent_fd >= 0)
		syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &etc, 0);
	syscall(SYS_landlock_restrict_self, rules, 0);
	close(etc.parent_fd);
	close(rules);
}

/* What asking needs. Everything else fails: no program, no process, no other kind of socket. */
static const int calls[] = {
	SYS_read,
	SYS_write,
	SYS_readv,
	SYS_writev,
	SYS_recvfrom,
	SYS_sendto,
	SYS_recvmsg,
	SYS_sendmsg,
	SYS_ppoll,
	SYS_close,
	SYS_connect,
	SYS_bind,
	SYS_getsockname,
	SYS_getpeername,
	SYS_setsockopt,
	SYS_getsockopt,
	SYS_fcntl,
	SYS_ioctl,
	SYS_openat,
	SYS_newfstatat,
	SYS_fstat,
	SYS_lseek,
	SYS_brk,
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_futex,
	SYS_getrandom,
	SYS_clock_gettime,
	SYS_gettimeofday,
	SYS_getpid,
	SYS_gettid,
	SYS_tgkill,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_restart_syscall,
	SYS_exit,
	SYS_exit_group,
#ifdef SYS_poll
	SYS_poll,
	SYS_open,
	SYS_stat,
	SYS_time,
#endif
};
#define CALLS (sizeof calls / sizeof *calls)

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "the resolver has no number for this architecture"
#endif

#define LOAD(what) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, what))
#define IS(value, then, other) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), (then), (other))
#define HAS(bits, then, other) \
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), (then), (other))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define REFUSE RETURN(SECCOMP_RET_ERRNO | EPERM)

/* Sockets of the internet only, and no memory that can be run. */
static int confine_calls(void)
{
	static const struct sock_filter first[] = {
		LOAD(arch),
		IS(ARCH, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
		IS(SYS_socket, 0, 4),
		LOAD(args[0]),
		IS(AF_INET, 1, 0),
		IS(AF_INET6, 0, 6),
		RETURN(SECCOMP_RET_ALLOW),
		IS(SYS_mmap, 1, 0),
		IS(SYS_mprotect, 0, 4),
		LOAD(args[2]),
		HAS(PROT_EXEC, 1, 0),
		RETURN(SECCOMP_RET_ALLOW),
		REFUSE,
	};
	struct sock_filter code[sizeof first / sizeof *first + 2 * CALLS + 1], *p = code;
	struct sock_fprog program;

	memcpy(p, first, sizeof first);
	p += sizeof first / sizeof *first;
	for (size_t i = 0; i < CALLS; i++) {
		*p++ = (struct sock_filter)IS(calls[i], 0, 1);
		*p++ = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	}
	*p++ = (struct sock_filter)REFUSE;
	program = (struct sock_fprog){.len = (unsigned short)(p - code), .filter = code};
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* What it needs is open; nothing can be gained by it any more. */
static int confine(void)
{
	struct rlimit files = {DESCRIPTORS, DESCRIPTORS}, none = {0, 0};

	prctl(PR_SET_NAME, "ward-resolver", 0, 0, 0); /* run from memory, it has none */
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_FSIZE, &none);
	setrlimit(RLIMIT_NPROC, &none);
	confine_files();
	return confine_calls();
}

int main(int argc, char **argv)
{
	ares_channel channel;
	int r = ares_library_init(ARES_LIB_INIT_ALL);

	if (r == ARES_SUCCESS)
		r = open_channel(argv + 1, argc - 1, &channel);
	if (r != ARES_SUCCESS) {
		fprintf(stderr, "ward-resolver: %s\n", ares_strerror(r));
		return 1;
	}
	if (confine() < 0) {
		perror("ward-resolver: filter system calls");
		return 1;
	}
	while (turn(channel) && !gone)
		;
	ares_destroy(channel);
	return 0;
}
