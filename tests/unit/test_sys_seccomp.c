/* SPDX-License-Identifier: Apache-2.0 */
/* ward's own filters in the kernel that is there: loaded in a child, and asked. */
#include "test.h"

#include "base/cleanup.h"
#include "model/seccomp_default.h"
#include "sys/child.h"
#include "sys/seccomp.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRY_MS 20000

/* What the kernel would answer by itself, and what the filter answers; 0: it succeeds. */
struct attempt {
	const char *what;
	long number;
	long args[5];
	int kernel;
	int filter;
};

#define FAR (1L << 32)
static const struct attempt attempts[] = {
	{"setns", SYS_setns, {-1, 0}, EBADF, EPERM},
	{"ptrace", SYS_ptrace, {0xffff, 0x7fffffff}, ESRCH, EPERM},
	{"unshare of a namespace", SYS_unshare, {CLONE_NEWUSER | CLONE_VFORK}, EINVAL, EPERM},
	{"unshare of file names", SYS_unshare, {CLONE_FS}, 0, 0},
	{"clone with a namespace", SYS_clone, {CLONE_NEWUSER | CLONE_FS | SIGCHLD}, EINVAL, EPERM},
	{"clone3", 435, {0, 0}, EINVAL, ENOSYS},
	{"openat2", 437, {-1, 0, 0, 0}, EINVAL, ENOSYS},
	{"open_tree", 428, {-1, 0, 0x40000000}, EINVAL, EPERM},
	{"TIOCSTI", SYS_ioctl, {-1, TIOCSTI, 0}, EBADF, EPERM},
	{"TIOCSTI with bits above 32", SYS_ioctl, {-1, TIOCSTI | FAR, 0}, EBADF, EPERM},
	{"another ioctl", SYS_ioctl, {-1, TIOCGWINSZ, 0}, EBADF, EBADF},
	{"fchmod to set-user-id", SYS_fchmod, {-1, 04755}, EBADF, EPERM},
	{"fchmod", SYS_fchmod, {-1, 0755}, EBADF, EBADF},
	{"mkdirat to set-group-id", SYS_mkdirat, {-1, 0, 02755}, EFAULT, EPERM},
	{"mkdirat", SYS_mkdirat, {-1, 0, 01755}, EFAULT, EFAULT},
	{"mknodat of a device", SYS_mknodat, {-1, 0, 020644, 0}, EFAULT, EPERM},
	{"mknodat of a pipe", SYS_mknodat, {-1, 0, 010644, 0}, EFAULT, EFAULT},
	{"a new set-user-id file", SYS_openat, {-1, 0, O_CREAT | O_WRONLY, 04755}, EFAULT, EPERM},
	{"mode without a new file", SYS_openat, {-1, 0, O_WRONLY, 04755}, EFAULT, EFAULT},
	{"personality", SYS_personality, {ADDR_NO_RANDOMIZE}, 0, EPERM},
	{"present personality", SYS_personality, {0xffffffff}, 0, 0},
	{"vsock", SYS_socketpair, {40, SOCK_STREAM, 0, 0}, EFAULT, EAFNOSUPPORT},
	{"a pair of sockets", SYS_socketpair, {AF_UNIX, SOCK_STREAM, 0, 0}, EFAULT, EFAULT},
	{"a listener of its own", SYS_seccomp, {1, 8, 0}, EFAULT, EPERM},
	{"a filter of its own", SYS_seccomp, {1, 0, 0}, EFAULT, EFAULT},
	{"a number without a call", 1000, {0}, ENOSYS, ENOSYS},
};
#define ATTEMPTS (sizeof(attempts) / sizeof(attempts[0]))

static int load(enum seccomp_variant v)
{
	const struct seccomp_program *p = seccomp_default(v);

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return seccomp_load(p->code, p->len, seccomp_variant_listens(v));
}

static int ask(const struct attempt *a)
{
	long r = syscall(a->number, a->args[0], a->args[1], a->args[2], a->args[3], a->args[4]);

	return r < 0 ? errno : 0;
}

static int ask_kernel(void *ctx)
{
	return ask(ctx);
}

static int ask_filter(void *ctx)
{
	int r = load(SECCOMP_PLAIN);

	return r < 0 ? r : ask(ctx);
}

static void calls_are_answered(void)
{
	for (size_t i = 0; i < ATTEMPTS; i++) {
		struct attempt a = attempts[i];

		test_row("%s", a.what);
		if (!seccomp_filtered()) { /* else somebody else's filter answers */
			int kernel = child_try(ask_kernel, &a, TRY_MS);

			/* A kernel without the call or the family proves nothing, but is no fault.
			 */
			check(kernel == a.kernel || kernel == ENOSYS || kernel == EAFNOSUPPORT);
		}
		check_int(child_try(ask_filter, &a, TRY_MS), a.filter);
	}
}

static void *in_thread(void *arg)
{
	*(int *)arg = 7;
	return arg;
}

/* A thread, a child that ends by itself, a program. */
static int live(void *ctx)
{
	int r = load(SECCOMP_PLAIN), got = 0, status;
	pthread_t thread;
	pid_t pid;

	(void)ctx;
	if (r < 0)
		return r;
	if ((r = pthread_create(&thread, NULL, in_thread, &got)) || pthread_join(thread, NULL))
		return -(r ? r : EDEADLK);
	if (got != 7)
		return -ENODATA;
	pid = fork();
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", "x=$(echo 5 | cat); exit $x", NULL);
		_exit(1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -ECHILD;
}

static void programs_live(void)
{
	check_int(child_try(live, NULL, TRY_MS), 5);
}

/* What the listener is told: without a broker only what is refused. */
static const struct {
	long number;
	uint64_t second;
} told[SECCOMP_VARIANT_COUNT] = {
	[SECCOMP_WATCH] = {SYS_mount, 0755},
	[SECCOMP_PROTECT] = {SYS_fchmod, 0755},
	[SECCOMP_HIDE] = {SYS_fchmod, 0755},
};

/* The listener's side: answers the first call with an errno of its own. */
static int answer(int listener, enum seccomp_variant v)
{
	struct seccomp_notif call;
	struct seccomp_notif_resp reply = {0};

	memset(&call, 0, sizeof(call));
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0)
		return -errno;
	if (call.data.nr != told[v].number || call.data.args[1] != told[v].second)
		return -EBADMSG;
	reply.id = call.id;
	reply.error = -EXDEV;
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply) < 0 ? -errno : 0;
}

static int listen_and_answer(void *ctx)
{
	enum seccomp_variant v = *(enum seccomp_variant *)ctx;
	int listener = load(v), status, r;
	pid_t pid;

	if (listener < 0)
		return listener;
	if (!(fcntl(listener, F_GETFD) & FD_CLOEXEC))
		return -EBADF;
	pid = fork();
	if (pid == 0) {
		/* The filter refuses the first itself; with a broker the second is for the
		 * listener, else the third. */
		r = syscall(SYS_fchmod, -1, 04755) < 0 ? errno : 0;
		if (r == EPERM)
			r = syscall(SYS_fchmod, -1, 0755) < 0 ? errno : 0;
		if (r == EBADF)
			r = syscall(SYS_mount, 0, 0755, 0, 0, 0) < 0 ? errno : 0;
		_exit(r);
	}
	r = answer(listener, v);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -errno;
	if (r < 0)
		return r;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -ECHILD;
}

static void listeners_are_told(void)
{
	for (enum seccomp_variant v = SECCOMP_WATCH; v < SECCOMP_VARIANT_COUNT; v++) {
		test_row("variant %d", v);
		if (seccomp_has_action(SECCOMP_RET_USER_NOTIF) == 0)
			check_int(child_try(listen_and_answer, &v, TRY_MS), EXDEV);
	}
}

static int load_nothing(void *ctx)
{
	struct sock_filter none = {0};
	int with = seccomp_load(&none, 0, true), without = seccomp_load(&none, 0, false);

	(void)ctx;
	return with == without ? with : -EBADMSG;
}

static int load_without_right(void *ctx)
{
	const struct seccomp_program *p = seccomp_default(SECCOMP_PLAIN);

	(void)ctx;
	if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
		return -EACCES;
	return seccomp_load(p->code, p->len, false);
}

static void failures_are_told(void)
{
	check_int(child_try(load_nothing, NULL, TRY_MS), -EINVAL);
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0)
		check_int(child_try(load_without_right, NULL, TRY_MS), -EACCES);
}

static const struct test tests[] = {
	{"the kernel answers calls as the filter says", calls_are_answered},
	{"threads, children and programs work", programs_live},
	{"a listener is told what is its business", listeners_are_told},
	{"what cannot be loaded is an error", failures_are_told},
};
TEST_MAIN(tests)
