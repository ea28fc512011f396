/* SPDX-License-Identifier: Apache-2.0 */
#include "model/seccomp_rules.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

/*
 * Values that the two machines share are taken from this machine's headers; these are not in them,
 * or only under a name that depends on the libc.
 */
#define OPEN_CREATES (0100u | 020000000u)          /* O_CREAT, O_TMPFILE without its O_DIRECTORY */
#define OPEN_CHANGES (03u | 01000u | OPEN_CREATES) /* any way of writing, O_TRUNC */
#define SETID_BITS (S_ISUID | S_ISGID)
#define PROTO_MPTCP 262
#define SOCKET_TYPE 0xf /* the rest of the argument are flags */
#define PRCTL_SCHED_CORE 62
#define FCNTL_SETLEASE 1024

/* All namespaces that clone(2) knows. Its lowest byte is a signal: no CLONE_NEWTIME there. */
#define CLONE_SPACES                                                                             \
	((uint64_t)CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
		CLONE_NEWPID | CLONE_NEWNET)
#define UPPER_HALF 0xffffffff00000000u
#define UNSHARE_FINE ((uint64_t)CLONE_FILES | CLONE_FS | CLONE_SYSVSEM)

/* clang-format off */
/* The kernel looks at the lower half of the register: an int, an unsigned int or a mode. */
#define LOW_MASKED(n, bits, compare, v) \
	{.op = BPF_TEST_##compare, .arg = (n), .low = true, .mask = (uint32_t)(bits), .value = (uint32_t)(v)}
#define LOW(n, compare, v) LOW_MASKED(n, UINT32_MAX, compare, v)
#define LOW_ANY(n, bits) LOW_MASKED(n, bits, NE, 0)
/* The kernel looks at all of it. */
#define ANY(n, bits) {.op = BPF_TEST_NE, .arg = (n), .mask = (bits)}

#define RULES(...) ((const struct seccomp_rule[]){__VA_ARGS__, {0}})
#define SETID(n) \
	{"the mode has a set-user-id or set-group-id bit", SECCOMP_FAIL, .code = EPERM, .hard = true, \
		.tests = {LOW_ANY(n, SETID_BITS)}}
#define DEVICE(n, type, name) \
	{"a " name " device", SECCOMP_FAIL, .code = EPERM, .hard = true, \
		.tests = {LOW_MASKED(n, S_IFMT, EQ, type)}}
#define OPEN(flags, mode) \
	RULES({"it may create a file and the mode has a set-user-id or set-group-id bit", \
		SECCOMP_FAIL, .code = EPERM, .hard = true, \
		.tests = {LOW_ANY(flags, OPEN_CREATES), LOW_ANY(mode, SETID_BITS)}}, \
		{"opened for writing, created or truncated", SECCOMP_BROKER, \
		.tests = {LOW_ANY(flags, OPEN_CHANGES)}})
#define IOCTL(name) \
	{#name, SECCOMP_DENY, .hard = true, .tests = {LOW(1, EQ, name)}}
#define IOCTLS(name, from) \
	{name, SECCOMP_DENY, .hard = true, .tests = {LOW_MASKED(1, 0xffffff00, EQ, from)}}
/* clang-format on */

/* Written as refusals only, so that no profile can lift them: sockets of other families would leave
 * the network namespace (vsock) or reach seldom used code of the kernel. */
static const struct seccomp_rule socket_rules[] = {
	{"another family than unix, inet, inet6 and netlink", SECCOMP_FAIL, .code = EAFNOSUPPORT,
		.hard = true,
		.tests = {LOW(0, NE, AF_UNIX), LOW(0, NE, AF_INET), LOW(0, NE, AF_INET6),
			LOW(0, NE, AF_NETLINK)}},
	{"netlink, but not NETLINK_ROUTE", SECCOMP_FAIL, .code = EPROTONOSUPPORT, .hard = true,
		.tests = {LOW(0, EQ, AF_NETLINK), LOW(2, NE, NETLINK_ROUTE)}},
	{"inet or inet6, but neither a stream nor datagrams (raw, packet)", SECCOMP_FAIL,
		.code = EPERM, .hard = true,
		.tests = {LOW(0, NE, AF_UNIX), LOW(0, NE, AF_NETLINK),
			LOW_MASKED(1, SOCKET_TYPE, NE, SOCK_STREAM),
			LOW_MASKED(1, SOCKET_TYPE, NE, SOCK_DGRAM)}},
	{"inet or inet6 with another protocol than TCP, UDP, ICMP and MPTCP", SECCOMP_FAIL,
		.code = EPROTONOSUPPORT, .hard = true,
		.tests = {LOW(0, NE, AF_UNIX), LOW(0, NE, AF_NETLINK), LOW(2, NE, 0),
			LOW(2, NE, IPPROTO_TCP), LOW(2, NE, IPPROTO_UDP), LOW(2, NE, IPPROTO_ICMP),
			LOW(2, NE, IPPROTO_ICMPV6), LOW(2, NE, PROTO_MPTCP)}},
	{0},
};

static const struct seccomp_rule ioctl_rules[] = {
	IOCTL(TIOCSTI),
	IOCTL(TIOCLINUX),
	IOCTL(TIOCSETD),
	IOCTL(TIOCCONS),
	IOCTLS("KDSETMODE and its like (0x4b00 to 0x4bff)", 0x4b00),
	IOCTLS("VT_ACTIVATE and its like (0x5600 to 0x56ff)", 0x5600),
	IOCTL(FS_IOC_SETFLAGS),
	IOCTL(FS_IOC_FSSETXATTR),
	IOCTL(FS_IOC_ADD_ENCRYPTION_KEY),
	IOCTL(FS_IOC_SET_ENCRYPTION_POLICY),
	IOCTL(FS_IOC_ENABLE_VERITY),
	/* These make, replace and remove whole trees by name: past the broker. */
	IOCTL(BTRFS_IOC_SNAP_CREATE),
	IOCTL(BTRFS_IOC_SNAP_CREATE_V2),
	IOCTL(BTRFS_IOC_SNAP_DESTROY),
	IOCTL(BTRFS_IOC_SNAP_DESTROY_V2),
	IOCTL(BTRFS_IOC_SUBVOL_CREATE),
	IOCTL(BTRFS_IOC_SUBVOL_CREATE_V2),
	IOCTL(BTRFS_IOC_SUBVOL_SETFLAGS),
	{0},
};

const struct seccomp_row seccomp_rules[] = {
	/* What programs live from. */
	{"read readv pread64 preadv preadv2 write writev pwrite64 pwritev pwritev2 lseek close "
	 "close_range dup dup2 dup3 flock fsync fdatasync sync syncfs sync_file_range "
	 "readahead fadvise64 fallocate ftruncate sendfile splice tee vmsplice copy_file_range "
	 "pipe pipe2 cachestat",
		"open files and pipes", .verdict = SECCOMP_ALLOW},
	{"stat fstat lstat newfstatat statx statfs fstatfs access faccessat faccessat2 readlink "
	 "readlinkat getcwd chdir fchdir getdents getdents64 getxattr lgetxattr fgetxattr "
	 "getxattrat listxattr llistxattr flistxattr listxattrat file_getattr umask",
		"looking at files", .verdict = SECCOMP_ALLOW},
	{"utime utimes futimesat utimensat", "times of files", .verdict = SECCOMP_ALLOW},
	{"inotify_init inotify_init1 inotify_add_watch inotify_rm_watch", "watching files",
		.verdict = SECCOMP_ALLOW},
	{"mmap mprotect munmap mremap brk msync mincore madvise mlock mlock2 mlockall munlock "
	 "munlockall remap_file_pages memfd_create membarrier pkey_alloc pkey_free pkey_mprotect "
	 "mseal map_shadow_stack",
		"own memory", .verdict = SECCOMP_ALLOW},
	{"fork vfork execve execveat exit exit_group wait4 waitid kill tkill tgkill pidfd_open "
	 "pidfd_send_signal getpid getppid gettid getpgid getpgrp setpgid getsid setsid "
	 "set_tid_address set_robust_list get_robust_list futex futex_waitv futex_wake futex_wait "
	 "futex_requeue rseq restart_syscall arch_prctl",
		"processes and threads", .verdict = SECCOMP_ALLOW},
	{"rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigqueueinfo "
	 "rt_tgsigqueueinfo rt_sigsuspend sigaltstack pause signalfd signalfd4",
		"signals", .verdict = SECCOMP_ALLOW},
	{"time times gettimeofday clock_gettime clock_getres nanosleep clock_nanosleep alarm "
	 "getitimer setitimer timer_create timer_settime timer_gettime timer_getoverrun "
	 "timer_delete timerfd_create timerfd_settime timerfd_gettime",
		"clocks and timers", .verdict = SECCOMP_ALLOW},
	{"poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait "
	 "epoll_pwait2 eventfd eventfd2 io_setup io_submit io_cancel io_destroy io_getevents "
	 "io_pgetevents",
		"waiting for events", .verdict = SECCOMP_ALLOW},
	{"getuid geteuid getgid getegid getresuid getresgid getgroups setuid setgid setreuid "
	 "setregid setresuid setresgid setfsuid setfsgid setgroups capget capset",
		"own identity; without capabilities there is only one", .verdict = SECCOMP_ALLOW},
	{"getrlimit setrlimit getrusage getpriority setpriority ioprio_get ioprio_set "
	 "sched_yield sched_setparam sched_getparam sched_setscheduler sched_getscheduler "
	 "sched_setattr sched_getattr sched_setaffinity sched_getaffinity "
	 "sched_get_priority_max sched_get_priority_min sched_rr_get_interval",
		"own limits and scheduling", .verdict = SECCOMP_ALLOW},
	{"prlimit64", "own limits and scheduling", .verdict = SECCOMP_ALLOW,
		.rules = RULES(
			{"of process 1", SECCOMP_DENY, .hard = true, .tests = {LOW(0, EQ, 1)}},
			{"setting those of a process that is named by its number", SECCOMP_DENY,
				.hard = true, .tests = {LOW(0, NE, 0), ANY(2, UINT64_MAX)}})},
	{"uname sysinfo getcpu getrandom lsm_get_self_attr lsm_list_modules",
		"looking at the system", .verdict = SECCOMP_ALLOW},
	{"shmget shmat shmctl shmdt semget semop semtimedop semctl msgget msgsnd msgrcv msgctl "
	 "mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr",
		"System V and POSIX messages, in a namespace of their own",
		.verdict = SECCOMP_ALLOW},
	{"connect accept accept4 bind listen sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg "
	 "shutdown getsockname getpeername setsockopt getsockopt",
		"open sockets", .verdict = SECCOMP_ALLOW},
	{"landlock_create_ruleset landlock_add_rule landlock_restrict_self",
		"confining oneself further", .verdict = SECCOMP_BROKER},

	/* Allowed, but not with every argument. */
	{"socket socketpair", "new sockets", .verdict = SECCOMP_ALLOW, .rules = socket_rules},
	{"clone", "processes and threads", .verdict = SECCOMP_ALLOW,
		.rules = RULES({"a flag asks for a new namespace, or is in the upper 32 bits",
			SECCOMP_DENY, .hard = true, .tests = {ANY(0, CLONE_SPACES | UPPER_HALF)}})},
	{"unshare", "leaving what threads share", .verdict = SECCOMP_ALLOW,
		.rules = RULES({"another flag than CLONE_FILES, CLONE_FS and CLONE_SYSVSEM",
			SECCOMP_DENY, .hard = true, .tests = {ANY(0, ~UNSHARE_FINE)}})},
	{"fcntl", "settings and locks of open files", .verdict = SECCOMP_ALLOW,
		.rules = RULES({"F_SETLEASE, which makes others wait who open the file",
			SECCOMP_DENY, .hard = true, .tests = {LOW(1, EQ, FCNTL_SETLEASE)}})},
	{"ioctl", "requests to open files and terminals", .verdict = SECCOMP_ALLOW,
		.rules = ioctl_rules},
	{"prctl", "settings of the process", .verdict = SECCOMP_ALLOW,
		.rules = RULES({"PR_SET_MM", SECCOMP_DENY, .tests = {LOW(0, EQ, PR_SET_MM)}},
			{"PR_SCHED_CORE", SECCOMP_DENY, .tests = {LOW(0, EQ, PRCTL_SCHED_CORE)}})},
	{"seccomp", "confining oneself further", .verdict = SECCOMP_ALLOW,
		.rules = RULES({"SECCOMP_FILTER_FLAG_NEW_LISTENER", SECCOMP_DENY, .hard = true,
			.tests = {LOW_ANY(1, SECCOMP_FILTER_FLAG_NEW_LISTENER)}})},
	{"personality", "other systems' habits", .verdict = SECCOMP_DENY,
		.rules =
			RULES({"PER_LINUX, the usual one", SECCOMP_ALLOW, .tests = {LOW(0, EQ, 0)}},
				{"0xffffffff, which only asks", SECCOMP_ALLOW,
					.tests = {LOW(0, EQ, 0xffffffff)}})},

	/* Changes of files: the broker's where names are protected, else the kernel's. */
	{"open", "opening files by name", .verdict = SECCOMP_BROKER_READ, .rules = OPEN(1, 2)},
	{"openat", "opening files by name", .verdict = SECCOMP_BROKER_READ, .rules = OPEN(2, 3)},
	{"creat mkdir chmod fchmod", "creating files, modes", .verdict = SECCOMP_BROKER,
		.rules = RULES(SETID(1))},
	{"mkdirat fchmodat fchmodat2", "creating files, modes", .verdict = SECCOMP_BROKER,
		.rules = RULES(SETID(2))},
	{"mknod", "creating files, modes", .verdict = SECCOMP_BROKER,
		.rules = RULES(
			SETID(1), DEVICE(1, S_IFCHR, "character"), DEVICE(1, S_IFBLK, "block"))},
	{"mknodat", "creating files, modes", .verdict = SECCOMP_BROKER,
		.rules = RULES(
			SETID(2), DEVICE(2, S_IFCHR, "character"), DEVICE(2, S_IFBLK, "block"))},
	{"symlink symlinkat link linkat rename renameat renameat2 unlink unlinkat rmdir",
		"names of files", .verdict = SECCOMP_BROKER},
	{"truncate chown lchown fchown fchownat setxattr lsetxattr fsetxattr setxattrat "
	 "removexattr lremovexattr fremovexattr removexattrat",
		"size, owner and attributes of files", .verdict = SECCOMP_BROKER},

	/* Dangerous: nothing that an ordinary program does by itself. */
	{"mount umount2 pivot_root chroot open_tree open_tree_attr move_mount fsopen fsconfig "
	 "fsmount fspick mount_setattr",
		"mounts and roots", .verdict = SECCOMP_DENY, .hard = true},
	{"setns", "entering a namespace", .verdict = SECCOMP_DENY, .hard = true},
	{"bpf", "programs in the kernel", .verdict = SECCOMP_DENY, .hard = true},
	{"init_module finit_module delete_module kexec_load kexec_file_load reboot",
		"the kernel's own code", .verdict = SECCOMP_DENY, .hard = true},
	{"iopl ioperm swapon swapoff acct quotactl quotactl_fd vhangup sethostname setdomainname",
		"the machine", .verdict = SECCOMP_DENY, .hard = true},
	{"settimeofday clock_settime clock_adjtime adjtimex", "setting clocks",
		.verdict = SECCOMP_DENY, .hard = true},
	{"add_key request_key keyctl", "keys; keyrings belong to the user, also outside",
		.verdict = SECCOMP_DENY, .hard = true},
	{"open_by_handle_at", "opening files past every directory", .verdict = SECCOMP_DENY,
		.hard = true},
	{"ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd", "other processes' insides",
		.verdict = SECCOMP_DENY},
	{"perf_event_open userfaultfd fanotify_init fanotify_mark syslog",
		"observing the kernel and other programs", .verdict = SECCOMP_DENY},

	/* Absent: programs try them and have another way. */
	{"clone3", "its flags lie behind a pointer; libraries fall back to clone",
		.verdict = SECCOMP_ENOSYS, .hard = true},
	{"openat2", "its mode lies behind a pointer; libraries fall back to openat",
		.verdict = SECCOMP_ENOSYS, .hard = true},
	{"io_uring_setup io_uring_enter io_uring_register", "calls that no filter sees",
		.verdict = SECCOMP_ENOSYS, .hard = true},
	{"file_setattr", "flags of files; tools fall back to ioctl", .verdict = SECCOMP_ENOSYS,
		.hard = true},
	{"statmount listmount name_to_handle_at", "lists of mounts, file handles",
		.verdict = SECCOMP_ENOSYS},
	{"get_mempolicy set_mempolicy mbind migrate_pages move_pages set_mempolicy_home_node",
		"placing memory on nodes", .verdict = SECCOMP_ENOSYS},
	{"process_madvise process_mrelease memfd_secret lsm_set_self_attr",
		"seldom used ways of memory and labels", .verdict = SECCOMP_ENOSYS},
	{"modify_ldt set_thread_area get_thread_area uselib sysfs ustat lookup_dcookie _sysctl "
	 "nfsservctl getpmsg putpmsg afs_syscall tuxcall security vserver create_module "
	 "get_kernel_syms query_module epoll_ctl_old epoll_wait_old",
		"of other times", .verdict = SECCOMP_ENOSYS},
	{"uretprobe uprobe", "for the kernel's own trampolines", .verdict = SECCOMP_ENOSYS},
	{0},
};
