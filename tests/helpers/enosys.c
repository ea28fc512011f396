/* SPDX-License-Identifier: Apache-2.0 */

/*
 * enosys CALL[:BIT]=ERRNO... -- COMMAND...
 *
 * Runs a command for which chosen system calls fail: a kernel or a machine that has less than this
 * one. With a bit only those calls fail that ask for it: `clone:NEWUSER=EPERM`. What a bit stands
 * for in which argument is in the table; clone3 has its bits in memory, which a filter cannot see.
 * The exit status is the command's; 125 when it could not be run so.
 */

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MOST 32 /* rules */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "enosys has no number for this architecture"
#endif

#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#define CALL(name)                \
	{                         \
#name, SYS_##name \
	}
static const struct call {
	const char *name;
	int nr;
} calls[] = {
	CALL(bpf),
	CALL(chroot),
	CALL(clone),
	CALL(clone3),
	CALL(close_range),
	CALL(fsconfig),
	CALL(fsmount),
	CALL(fsopen),
	CALL(landlock_add_rule),
	CALL(landlock_create_ruleset),
	CALL(landlock_restrict_self),
	CALL(memfd_create),
	CALL(mkdirat),
	CALL(mount),
	CALL(mount_setattr),
	CALL(move_mount),
	CALL(open_tree),
	CALL(openat2),
	CALL(pidfd_open),
	CALL(pidfd_send_signal),
	CALL(pivot_root),
	CALL(prctl),
	CALL(prlimit64),
	CALL(seccomp),
	CALL(setns),
	CALL(socket),
	CALL(sethostname),
	CALL(statx),
	CALL(umount2),
	CALL(unshare),
};

static const struct bit {
	const char *name;
	int argument;
	uint32_t bits;
	bool exact; /* the whole argument */
} bits[] = {
	{"NEWUSER", 0, CLONE_NEWUSER, false}, {"NEWNS", 0, CLONE_NEWNS, false},
	{"NEWPID", 0, CLONE_NEWPID, false}, {"NEWNET", 0, CLONE_NEWNET, false},
	{"NEWIPC", 0, CLONE_NEWIPC, false}, {"NEWUTS", 0, CLONE_NEWUTS, false},
	{"PIDFD", 0, CLONE_PIDFD, false},
	{"NEW_LISTENER", 1, SECCOMP_FILTER_FLAG_NEW_LISTENER, false},
	{"NETFILTER", 2, 12, true}, /* NETLINK_NETFILTER */
};

static const struct error {
	const char *name;
	uint32_t code;
} errors[] = {
	{"EPERM", EPERM},
	{"ENOSYS", ENOSYS},
	{"EINVAL", EINVAL},
	{"ENOSPC", ENOSPC},
	{"EACCES", EACCES},
	{"EAGAIN", EAGAIN},
	{"ENOMEM", ENOMEM},
	{"EOPNOTSUPP", EOPNOTSUPP},
};

struct rule {
	int nr;
	const struct bit *bit; /* or none: every call */
	uint32_t code;
};

static int no_such(const char *what, const char *name)
{
	fprintf(stderr, "enosys: there is no %s '%s'\n", what, name);
	return -1;
}

static int find_call(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		if (strcmp(calls[i].name, name) == 0)
			return calls[i].nr;
	return no_such("system call", name);
}

static int find_bit(const char *name, const struct bit **ret)
{
	for (size_t i = 0; i < ARRAY_LEN(bits); i++)
		if (strcmp(bits[i].name, name) == 0) {
			*ret = &bits[i];
			return 0;
		}
	return no_such("bit", name);
}

static int find_error(const char *name, uint32_t *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(errors); i++)
		if (strcmp(errors[i].name, name) == 0) {
			*ret = errors[i].code;
			return 0;
		}
	return no_such("error", name);
}

/* Takes the text apart in place. */
static int read_rule(char *text, struct rule *ret)
{
	char *value = strchr(text, '='), *bit;

	*ret = (struct rule){.nr = -1};
	if (!value)
		return no_such("rule", text);
	*value++ = '\0';
	bit = strchr(text, ':');
	if (bit) {
		*bit++ = '\0';
		if (find_bit(bit, &ret->bit) < 0)
			return -1;
	}
	ret->nr = find_call(text);
	return ret->nr < 0 ? -1 : find_error(value, &ret->code);
}

#define LOAD(field)          \
	(struct sock_filter) \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))

/* Returns behind what it wrote: five instructions at most. */
static struct sock_filter *write_rule(struct sock_filter *p, const struct rule *r)
{
	*p++ = LOAD(nr);
	*p++ = (struct sock_filter)BPF_JUMP(
		BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->nr, 0, r->bit ? 3 : 1);
	if (r->bit) {
		*p = LOAD(args);
		/* Both architectures keep the lower half first. */
		p++->k += (uint32_t)(sizeof(uint64_t) * (size_t)r->bit->argument);
		*p++ = (struct sock_filter)BPF_JUMP(
			BPF_JMP | (r->bit->exact ? BPF_JEQ : BPF_JSET) | BPF_K, r->bit->bits, 0, 1);
	}
	*p++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | r->code);
	return p;
}

static int confine(const struct rule *rules, size_t count)
{
	struct sock_filter code[4 + 5 * MOST], *p = code;
	struct sock_fprog program;

	*p++ = LOAD(arch);
	*p++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	*p++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	for (size_t i = 0; i < count; i++)
		p = write_rule(p, &rules[i]);
	*p++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program = (struct sock_fprog){.len = (unsigned short)(p - code), .filter = code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
		perror("enosys: filter system calls");
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct rule rules[MOST];
	size_t count = 0;
	int i = 1;

	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (count == MOST || read_rule(argv[i], &rules[count++]) < 0)
			return 125;
	if (i + 1 >= argc) {
		fprintf(stderr, "usage: enosys CALL[:BIT]=ERRNO... -- COMMAND...\n");
		return 125;
	}
	if (confine(rules, count) < 0)
		return 125;
	execvp(argv[i + 1], argv + i + 1);
	perror("enosys: execute the command");
	return 125;
}
