/* SPDX-License-Identifier: Apache-2.0 */
#include "payload.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* System calls that no program needs in a sandbox, with arguments that the kernel refuses by
 * itself. */

#define BAD 1UL     /* an address that is never mapped */
#define NOFD (-1UL) /* a descriptor that is never open */
#define HIGH(n) (1UL << (n))
#define ALL_FLAGS 0x7fffffffUL
#define ROW(group, name, nr, ...)             \
	{                                     \
		group, name, payload_raw, nr, \
		{                             \
			__VA_ARGS__           \
		}                             \
	}

#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

/* Of <linux/kd.h> and <linux/tiocl.h>, which the C libraries do not bring. */
#define IOCTL_KDSKBENT 0x4b47UL
#define IOCTL_KDGKBENT 0x4b46UL
#define IOCTL_KDSKBSENT 0x4b49UL
#define IOCTL_PIO_FONT 0x4b61UL
#define IOCTL_VT_ACTIVATE 0x5606UL
#define IOCTL_TIOCLINUX 0x541cUL

#ifdef __x86_64__
static long int80(long nr, long a, long b, long c)
{
	long r;

	__asm__ volatile("int $0x80"
			 : "=a"(r)
			 : "a"(nr), "b"(a), "c"(b), "d"(c)
			 : "memory", "r8", "r9", "r10", "r11");
	return (int32_t)r;
}

/* The old entrance of 32-bit programs, which has numbers of its own. */
static int run_int80(const struct attempt *self, int argc, char **argv)
{
	long r = int80(self->nr, (long)self->arg[0], (long)self->arg[1], (long)self->arg[2]);

	(void)argc;
	(void)argv;
	return r < 0 ? (int)r : 0;
}

/* A folder made by it: something to look for on the host. */
static int run_int80_mkdir(const struct attempt *self, int argc, char **argv)
{
	const char *path = argc > 0 ? argv[0] : "int80";
	char *low = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	long r;

	if (low == MAP_FAILED || strlen(path) >= 4096)
		return -ENOMEM;
	memcpy(low, path, strlen(path));
	r = int80(self->nr, (long)low, 0755, 0);
	return r < 0 ? (int)r : 0;
}
#define INT80(name, nr, ...)                  \
	{                                     \
		"int80", name, run_int80, nr, \
		{                             \
			__VA_ARGS__           \
		}                             \
	}
#endif

const struct attempt payload_calls[] = {
	ROW("mount", "mount", SYS_mount, BAD, BAD, BAD, 0, BAD),
	ROW("mount", "umount2", SYS_umount2, BAD, ALL_FLAGS),
	ROW("mount", "umount2-detach", SYS_umount2, BAD, 2),
	ROW("mount", "pivot_root", SYS_pivot_root, BAD, BAD),
	ROW("mount", "chroot", SYS_chroot, BAD),
	ROW("mount", "open_tree", SYS_open_tree, NOFD, BAD, ALL_FLAGS),
	ROW("mount", "open_tree_attr", SYS_open_tree_attr, NOFD, BAD, ALL_FLAGS, BAD, 64),
	ROW("mount", "move_mount", SYS_move_mount, NOFD, BAD, NOFD, BAD, ALL_FLAGS),
	ROW("mount", "fsopen", SYS_fsopen, BAD, 0),
	ROW("mount", "fsconfig", SYS_fsconfig, NOFD, 0, BAD, BAD, 0),
	ROW("mount", "fsmount", SYS_fsmount, NOFD, ALL_FLAGS, 0),
	ROW("mount", "fspick", SYS_fspick, NOFD, BAD, 0),
	ROW("mount", "mount_setattr", SYS_mount_setattr, NOFD, BAD, ALL_FLAGS, BAD, 32),
	ROW("mount", "setns", SYS_setns, NOFD, 0),
	ROW("mount", "setns-high", SYS_setns, NOFD, HIGH(40)),

	ROW("kernel", "bpf", SYS_bpf, 0x7fff, BAD, 0),
	ROW("kernel", "perf_event_open", SYS_perf_event_open, BAD, 0, NOFD, NOFD, 0),
	ROW("kernel", "ptrace-attach", SYS_ptrace, 16, 0x7ffffff0, 0, 0),
	ROW("kernel", "ptrace-seize", SYS_ptrace, 0x4206, 0x7ffffff0, 0, 0),
	ROW("kernel", "process_vm_readv", SYS_process_vm_readv, 0x7ffffff0, BAD, 0, BAD, 0, 1),
	ROW("kernel", "process_vm_writev", SYS_process_vm_writev, 0x7ffffff0, BAD, 0, BAD, 0, 1),
	ROW("kernel", "process_madvise", SYS_process_madvise, NOFD, BAD, 0, 0, 1),
	ROW("kernel", "pidfd_getfd", SYS_pidfd_getfd, NOFD, 0, 0),
	ROW("kernel", "kcmp", SYS_kcmp, 0x7ffffff0, 0x7ffffff0, 0, 0, 0),
	ROW("kernel", "userfaultfd", SYS_userfaultfd, 1 | HIGH(20)),
	ROW("kernel", "io_uring_setup", SYS_io_uring_setup, 0, BAD),
	ROW("kernel", "io_uring_enter", SYS_io_uring_enter, NOFD, 0, 0, 0, BAD, 0),
	ROW("kernel", "io_uring_register", SYS_io_uring_register, NOFD, 0, BAD, 0),
	ROW("kernel", "keyctl", SYS_keyctl, 0x7fff, 0, 0, 0, 0),
	ROW("kernel", "add_key", SYS_add_key, BAD, BAD, BAD, 0, 0),
	ROW("kernel", "request_key", SYS_request_key, BAD, BAD, BAD, 0),
	ROW("kernel", "init_module", SYS_init_module, BAD, 0, BAD),
	ROW("kernel", "finit_module", SYS_finit_module, NOFD, BAD, ALL_FLAGS),
	ROW("kernel", "delete_module", SYS_delete_module, BAD, 0),
	ROW("kernel", "kexec_load", SYS_kexec_load, 0, 0x7fff, BAD, ALL_FLAGS),
	ROW("kernel", "kexec_file_load", SYS_kexec_file_load, NOFD, NOFD, 0, BAD, ALL_FLAGS),
	ROW("kernel", "reboot", SYS_reboot, 0, 0, 0, 0),
	ROW("kernel", "swapon", SYS_swapon, BAD, ALL_FLAGS),
	ROW("kernel", "swapoff", SYS_swapoff, BAD),
	ROW("kernel", "acct", SYS_acct, BAD),
	ROW("kernel", "quotactl", SYS_quotactl, ALL_FLAGS, BAD, 0, BAD),
	ROW("kernel", "quotactl_fd", SYS_quotactl_fd, NOFD, ALL_FLAGS, 0, BAD),
	ROW("kernel", "syslog", SYS_syslog, 2, 0, NOFD),
	ROW("kernel", "open_by_handle_at", SYS_open_by_handle_at, NOFD, BAD, 0),
	ROW("kernel", "fanotify_init", SYS_fanotify_init, ALL_FLAGS, 0),
	ROW("kernel", "move_pages", SYS_move_pages, 0x7ffffff0, 0, BAD, BAD, BAD, ALL_FLAGS),
	ROW("kernel", "migrate_pages", SYS_migrate_pages, 0x7ffffff0, 64, BAD, BAD),
	ROW("kernel", "settimeofday", SYS_settimeofday, BAD, BAD),
	ROW("kernel", "clock_settime", SYS_clock_settime, 0x7fff, BAD),
	ROW("kernel", "clock_adjtime", SYS_clock_adjtime, 0x7fff, BAD),
	ROW("kernel", "sethostname", SYS_sethostname, BAD, NOFD),
	ROW("kernel", "setdomainname", SYS_setdomainname, BAD, NOFD),
#ifdef __x86_64__
	ROW("kernel", "iopl", SYS_iopl, 4),
	ROW("kernel", "ioperm", SYS_ioperm, NOFD, 1, 1),
	ROW("kernel", "modify_ldt", SYS_modify_ldt, 1, BAD, 0),
#endif

	ROW("personality", "no-randomize", SYS_personality, 0x0040000),
	ROW("personality", "read-implies-exec", SYS_personality, 0x0400000),
	ROW("personality", "linux32", SYS_personality, 0x0008),
	ROW("personality", "all-three", SYS_personality, 0x0440008),
	ROW("personality", "high-bits", SYS_personality, HIGH(32) | 0x0040000),
	/* What programs do to find out: not refused. */
	ROW("personality-query", "ask", SYS_personality, 0xffffffff),
	ROW("personality-query", "linux", SYS_personality, 0),

	ROW("ioctl", "TIOCSTI", SYS_ioctl, NOFD, TIOCSTI, BAD),
	ROW("ioctl", "TIOCSTI-high", SYS_ioctl, NOFD, TIOCSTI | HIGH(32), BAD),
	ROW("ioctl", "TIOCSTI-top", SYS_ioctl, NOFD, TIOCSTI | HIGH(63), BAD),
	ROW("ioctl", "TIOCLINUX", SYS_ioctl, NOFD, IOCTL_TIOCLINUX, BAD),
	ROW("ioctl", "TIOCLINUX-high", SYS_ioctl, NOFD, IOCTL_TIOCLINUX | HIGH(32), BAD),
	ROW("ioctl", "TIOCSETD", SYS_ioctl, NOFD, TIOCSETD, BAD),
	ROW("ioctl", "TIOCSETD-high", SYS_ioctl, NOFD, TIOCSETD | HIGH(33), BAD),
	ROW("ioctl", "TIOCCONS", SYS_ioctl, NOFD, TIOCCONS, 0),
	ROW("ioctl", "TIOCCONS-high", SYS_ioctl, NOFD, TIOCCONS | HIGH(34), 0),
	ROW("ioctl", "KDSKBENT", SYS_ioctl, NOFD, IOCTL_KDSKBENT, BAD),
	ROW("ioctl", "KDSKBENT-high", SYS_ioctl, NOFD, IOCTL_KDSKBENT | HIGH(32), BAD),

	ROW("x32", "getpid", 0x40000000 | SYS_getpid, 0),
	ROW("x32", "mount", 0x40000000 | SYS_mount, BAD, BAD, BAD, 0, BAD),
	ROW("x32", "ioctl", 0x40000000 | 514, NOFD, TIOCSTI, BAD),
#ifdef __x86_64__
	INT80("getpid", 20, 0),
	INT80("mount", 21, BAD, BAD, BAD),
	INT80("unshare", 310, 0x400, 0, 0), /* CLONE_FILES: harmless */
	INT80("socketcall", 102, 1, BAD, 0),
	INT80("clone3", 435, BAD, 64, 0),
	INT80("keyctl", 288, 0x7fff, 0, 0),
	INT80("ioctl", 54, -1, TIOCSTI, BAD),
	INT80("open", 5, BAD, 0, 0),
	{"int80", "mkdir", run_int80_mkdir, 39, {0}},
#endif
	{0},
};
