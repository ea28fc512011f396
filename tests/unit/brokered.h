/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Runs a function in a child whose file-changing calls come to a broker in this process, without
 * any namespace: the workspace is a folder in /tmp. Owns the folders that it makes. Used by the
 * tests of the broker.
 */

#include "engine/broker.h"
#include "engine/broker_parts.h"

#include "base/cleanup.h"
#include "sys/landlock.h"
#include "test.h"

#include <fcntl.h>
#include <ftw.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define BROKERED_CHANGES (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))
#define BROKERED_INSNS 400

struct brokered {
	struct broker_spec spec;
	const char *free; /* with a floor: a folder that may be written all the same */
	struct broker_report report;
	int status;
};

static inline int brokered_rm(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* The folder for all of a test's files; with the path as its kernel's name. */
static inline void brokered_make_dir(char *out, size_t size)
{
	snprintf(out, size, "/tmp/ward-test-broker.XXXXXX");
	check(mkdtemp(out) != NULL);
}

static inline void brokered_remove(const char *dir)
{
	nftw(dir, brokered_rm, 20, FTW_DEPTH | FTW_PHYS);
}

static inline size_t brokered_notify(struct sock_filter *f, size_t n, int nr)
{
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 1);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	return n;
}

static inline size_t brokered_open(struct sock_filter *f, size_t n, int nr, int flags, bool hide)
{
	unsigned at = (unsigned)(offsetof(struct seccomp_data, args) + 8u * (unsigned)flags);

	if (hide)
		return brokered_notify(f, n, nr);
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 4);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at);
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, BROKERED_CHANGES, 0, 1);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return n;
}

/* Every call that the broker knows, and one that it denies. */
static inline int brokered_filter(bool hide)
{
	struct sock_filter f[BROKERED_INSNS];
	struct sock_fprog prog = {.filter = f};
	size_t n = 0;

	f[n++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < broker_row_count; i++) {
		const struct broker_row *row = &broker_rows[i];

		if (row->run == broker_open && row->flags < BROKER_ARG_CWD)
			n = brokered_open(f, n, row->nr, row->flags, hide);
		else
			n = brokered_notify(f, n, row->nr);
	}
	n = brokered_notify(f, n, SYS_mount);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	prog.len = (unsigned short)n;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &prog);
}

static inline void brokered_allow(int rules, const char *path, uint64_t rights)
{
	auto_fd int fd = open(path, O_PATH | O_CLOEXEC);
	struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = fd};

	check(syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0);
}

/* All rights to change files (from execute, which is bit 0, on, but for the two of reading), also
 * those of later interfaces. */
static inline void brokered_floor(const char *free)
{
	uint64_t rights = ((UINT64_C(1) << 15) - 1) & ~UINT64_C(1) &
			  ~(uint64_t)(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR);
	struct landlock_ruleset_attr attr = {.handled_access_fs = rights};
	auto_fd int rules =
		(int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr.handled_access_fs), 0);

	check(rules >= 0);
	brokered_allow(rules, "/dev", rights);
	brokered_allow(rules, free, rights);
	check(syscall(SYS_landlock_restrict_self, rules, 0) == 0);
}

static inline bool brokered_has_floor(void)
{
	return landlock_abi() >= 3;
}

static inline void brokered_child(
	const struct brokered *t, int say, void (*fn)(void *ctx), void *ctx)
{
	int listener;

	test_failed = false;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (t->spec.floor)
		brokered_floor(t->free);
	listener = brokered_filter(t->spec.hide_count > 0);
	check(listener >= 0);
	check(write(say, &listener, sizeof(listener)) == sizeof(listener));
	/* Served from here on: the listener is copied out of this process. */
	fn(ctx);
	fflush(stdout);
	_exit(test_failed ? 1 : 0);
}

static inline void brokered_loop(struct broker *b, int listener, pid_t child)
{
	struct pollfd p = {.fd = listener, .events = POLLIN};

	for (;;) {
		int n = poll(&p, 1, 60000);

		if (!check(n != 0)) {
			kill(child, SIGKILL);
			return;
		}
		if (n > 0 && (p.revents & POLLIN) && broker_serve(b, listener) < 0)
			return;
		if (n > 0 && !(p.revents & POLLIN))
			return;
	}
}

/* Takes the listener out of the child, which waits in its first call that goes there. */
static inline int brokered_take(pid_t child, int hear)
{
	auto_fd int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	int number, fd;

	if (read(hear, &number, sizeof(number)) != sizeof(number) || number < 0)
		return -1;
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	return fd;
}

/* False when the child reported a failure or was killed. */
static inline bool brokered_run(struct brokered *t, void (*fn)(void *ctx), void *ctx)
{
	static struct broker broker;
	int ends[2];
	mode_t mask = umask(022);
	pid_t child;

	check(pipe2(ends, O_CLOEXEC) == 0);
	fflush(stdout);
	umask(mask);
	child = fork();
	if (child == 0)
		brokered_child(t, ends[1], fn, ctx);

	auto_fd int listener = brokered_take(child, ends[0]);

	check(broker_init(&broker, &t->spec) == 0);
	if (check(listener >= 0))
		brokered_loop(&broker, listener, child);
	check(waitpid(child, &t->status, 0) == child);
	t->report = broker.report;
	broker_deinit(&broker);
	close(ends[0]);
	close(ends[1]);
	umask(mask);
	return t->status == 0;
}

/* Without a broker. */
static inline bool brokered_plain(void (*fn)(void *ctx), void *ctx)
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		test_failed = false;
		fn(ctx);
		fflush(stdout);
		_exit(test_failed ? 1 : 0);
	}
	waitpid(child, &status, 0);
	return status == 0;
}
