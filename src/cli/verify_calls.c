/* SPDX-License-Identifier: Apache-2.0 */

/*
 * System calls that a sandboxed program must not make. All arguments are such that the kernel
 * itself would answer with another error, before it does anything: EPERM or ENOSYS inside, and
 * something else on the host, shows that a filter stood before it. So does a count in the record,
 * which is kept by a process outside of the filter.
 */

#include "base/number.h"
#include "base/str.h"
#include "cli/verify.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BAD 1L     /* an address that is never mapped */
#define NOFD (-1L) /* a descriptor that is never open */
#define NOBODY 0x7ffffff0L
#define ALL 0x7fffffffL
#define NO_TYPE 0x10000L /* no type of socket */

#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

#define INT80 (-1L)
#define BATCH 12 /* no more than a record has room for */

#ifdef __x86_64__
/* getpid by the entrance of 32-bit programs, which has numbers of its own. */
static long call_int80(void)
{
	long r = 20;

	__asm__ volatile("int $0x80" : "+a"(r) : : "memory", "r8", "r9", "r10", "r11");
	return r;
}
#else
static long call_int80(void)
{
	errno = ENOSYS;
	return -1;
}
#endif

static const struct {
	const char *name;
	long number;
	long arg[6];
} calls[] = {
	{"mount", SYS_mount, {BAD, BAD, BAD, 0, BAD}},
	{"umount2", SYS_umount2, {BAD, ALL}},
	{"pivot_root", SYS_pivot_root, {BAD, BAD}},
	{"chroot", SYS_chroot, {BAD}},
	{"open_tree", SYS_open_tree, {NOFD, BAD, ALL}},
	{"move_mount", SYS_move_mount, {NOFD, BAD, NOFD, BAD, ALL}},
	{"fsopen", SYS_fsopen, {BAD}},
	{"mount_setattr", SYS_mount_setattr, {NOFD, BAD, ALL, BAD, 32}},
	{"setns", SYS_setns, {NOFD}},
	{"unshare", SYS_unshare, {CLONE_NEWUSER | 1}},
	{"bpf", SYS_bpf, {0x7fff, BAD}},
	{"perf_event_open", SYS_perf_event_open, {BAD, 0, NOFD, NOFD}},
	{"ptrace", SYS_ptrace, {16, NOBODY}},
	{"process_vm_readv", SYS_process_vm_readv, {NOBODY, BAD, 0, BAD, 0, 1}},
	{"process_vm_writev", SYS_process_vm_writev, {NOBODY, BAD, 0, BAD, 0, 1}},
	{"pidfd_getfd", SYS_pidfd_getfd, {NOFD}},
	{"userfaultfd", SYS_userfaultfd, {1 | 1L << 20}},
	{"io_uring_setup", SYS_io_uring_setup, {0, BAD}},
	{"keyctl", SYS_keyctl, {0x7fff}},
	{"add_key", SYS_add_key, {BAD, BAD, BAD}},
	{"request_key", SYS_request_key, {BAD, BAD, BAD}},
	{"init_module", SYS_init_module, {BAD, 0, BAD}},
	{"finit_module", SYS_finit_module, {NOFD, BAD, ALL}},
	{"delete_module", SYS_delete_module, {BAD}},
	{"kexec_load", SYS_kexec_load, {0, 0x7fff, BAD, ALL}},
	{"reboot", SYS_reboot, {0}},
	{"swapon", SYS_swapon, {BAD, ALL}},
	{"acct", SYS_acct, {BAD}},
	{"quotactl", SYS_quotactl, {ALL, BAD, 0, BAD}},
	{"syslog", SYS_syslog, {2, 0, NOFD}},
	{"open_by_handle_at", SYS_open_by_handle_at, {NOFD, BAD}},
	{"fanotify_init", SYS_fanotify_init, {ALL}},
	{"settimeofday", SYS_settimeofday, {BAD, BAD}},
	{"clock_settime", SYS_clock_settime, {0x7fff, BAD}},
	{"sethostname", SYS_sethostname, {BAD, NOFD}},
	{"personality", SYS_personality, {0x0040000}},
	{"socket of packets", SYS_socket, {AF_PACKET, NO_TYPE}},
	{"socket to the hypervisor", SYS_socket, {AF_VSOCK, NO_TYPE}},
	{"ioctl TIOCSTI", SYS_ioctl, {NOFD, TIOCSTI, BAD}},
#ifdef __x86_64__
	{"iopl", SYS_iopl, {4}},
	{"ioperm", SYS_ioperm, {NOFD, 1, 1}},
	{"a call of a 32-bit program", INT80, {0}},
#endif
};

static int make_call(size_t i)
{
	const long *a = calls[i].arg;
	long r = calls[i].number == INT80
			 ? call_int80()
			 : syscall(calls[i].number, a[0], a[1], a[2], a[3], a[4], a[5]);

	return r < 0 ? errno : 0;
}

/* One line a call: the errno, or 0. Each in a process of its own: a filter may end it. */
int verify_inside_calls(const char *first)
{
	uint64_t begin = 0;

	number_count(first, &begin, NULL);
	for (size_t i = begin; i < ARRAY_LEN(calls) && i < begin + BATCH; i++) {
		pid_t child = fork();
		char text[32];
		int status;

		if (child == 0)
			_exit(make_call(i));
		if (child < 0 || waitpid(child, &status, 0) < 0)
			return 2;
		if (write(1, text,
			    (size_t)snprintf(text, sizeof text, "%d\n",
				    WIFEXITED(status) ? WEXITSTATUS(status) : EPERM)) < 0)
			return 2;
	}
	return 1;
}

/* The numbers of the lines; -1 where one is missing. */
static void read_lines(const struct verify_run *r, int ret[BATCH])
{
	const char *at = r->out;

	for (size_t i = 0; i < BATCH; i++) {
		char line[16];
		uint64_t n;
		size_t len = strcspn(at, "\n");

		ret[i] = -1;
		if (!*at || len >= sizeof line)
			continue;
		memcpy(line, at, len);
		line[len] = '\0';
		if (number_count(line, &n, NULL) == 0)
			ret[i] = (int)n;
		at += len + 1;
	}
}

static bool refused(int error)
{
	return error == EPERM || error == ENOSYS || error == EAFNOSUPPORT;
}

static bool is_counted(const struct verify_run *r, const char *name)
{
	return tree_get(tree_get(r->record, "denied"), name) != NULL;
}

static void judge(struct verify *v, size_t i, int inside, int host, bool counted)
{
	enum verify_result result = VERIFY_HELD;
	const char *why = NULL;

	if (inside < 0) {
		result = VERIFY_NOT_TRIED;
	} else if (!refused(inside)) {
		result = VERIFY_THROUGH;
		why = strerror(inside);
	} else if (!counted && (host < 0 || refused(host))) {
		result = VERIFY_NOT_TRIED;
		why = "the kernel refuses it without a filter too";
	}
	verify_add(v, LAYER_SYSCALLS, calls[i].name, result, why);
}

static void try_batch(struct verify *v, size_t begin)
{
	const char *payload[] = {"calls", arena_printf(v->call->arena, "%zu", begin), NULL};
	int inside[BATCH], host[BATCH];
	struct verify_run r, control;

	verify_run_host(v, payload, &control);
	verify_run_inside(v, payload, NULL, &r);
	read_lines(&r, inside);
	read_lines(&control, host);
	for (size_t i = 0; i < BATCH && begin + i < ARRAY_LEN(calls); i++)
		judge(v, begin + i, inside[i], host[i], is_counted(&r, calls[begin + i].name));
}

void verify_calls(struct verify *v)
{
	if (str_eq(v->mechanism[LAYER_SYSCALLS], "none")) {
		verify_add(v, LAYER_SYSCALLS, "calls of the kernel", VERIFY_NOT_ENFORCED, NULL);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(calls) && !verify_stage_stopped(); i += BATCH)
		try_batch(v, i);
}
