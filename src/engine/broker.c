/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/broker.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "engine/broker_parts.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "which architecture the filter lets pass is not known here"
#endif

/* Newer than some headers; the numbers are the same everywhere. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_setxattrat
#define SYS_setxattrat 463
#define SYS_removexattrat 466
#endif
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

#define MESSAGE_MAX 256

enum { CWD = BROKER_ARG_CWD, NONE = BROKER_ARG_NONE };
#define LINK AT_SYMLINK_NOFOLLOW

/* Columns: function, number, flags that the call has by its name, folder, path, second folder,
 * second path, flags, mode. Of chown the first of two, of the xattr calls the attribute's name, and
 * of symlink the link's text as the second path. */
const struct broker_row broker_rows[] = {
#ifdef SYS_open
	{broker_open, SYS_open, 0, CWD, 0, CWD, NONE, 1, 2},
	{broker_open, SYS_creat, O_CREAT | O_WRONLY | O_TRUNC, CWD, 0, CWD, NONE, NONE, 1},
	{broker_mkdir, SYS_mkdir, 0, CWD, 0, CWD, NONE, NONE, 1},
	{broker_mknod, SYS_mknod, 0, CWD, 0, CWD, NONE, NONE, 1},
	{broker_symlink, SYS_symlink, 0, CWD, 1, CWD, 0, NONE, NONE},
	{broker_unlink, SYS_unlink, 0, CWD, 0, CWD, NONE, NONE, NONE},
	{broker_unlink, SYS_rmdir, AT_REMOVEDIR, CWD, 0, CWD, NONE, NONE, NONE},
	{broker_rename, SYS_rename, 0, CWD, 0, CWD, 1, NONE, NONE},
	{broker_link, SYS_link, 0, CWD, 0, CWD, 1, NONE, NONE},
	{broker_chmod, SYS_chmod, 0, CWD, 0, CWD, NONE, NONE, 1},
	{broker_chown, SYS_chown, 0, CWD, 0, CWD, NONE, NONE, 1},
	{broker_chown, SYS_lchown, LINK, CWD, 0, CWD, NONE, NONE, 1},
#endif
#ifdef SYS_renameat
	{broker_rename, SYS_renameat, 0, 0, 1, 2, 3, NONE, NONE},
#endif
	{broker_open, SYS_openat, 0, 0, 1, CWD, NONE, 2, 3},
	{broker_mkdir, SYS_mkdirat, 0, 0, 1, CWD, NONE, NONE, 2},
	{broker_mknod, SYS_mknodat, 0, 0, 1, CWD, NONE, NONE, 2},
	{broker_symlink, SYS_symlinkat, 0, 1, 2, CWD, 0, NONE, NONE},
	{broker_unlink, SYS_unlinkat, 0, 0, 1, CWD, NONE, 2, NONE},
	{broker_rename, SYS_renameat2, 0, 0, 1, 2, 3, 4, NONE},
	{broker_link, SYS_linkat, 0, 0, 1, 2, 3, 4, NONE},
	{broker_chmod, SYS_fchmod, 0, 0, NONE, CWD, NONE, NONE, 1},
	{broker_chmod, SYS_fchmodat, 0, 0, 1, CWD, NONE, NONE, 2},
	{broker_chmod, SYS_fchmodat2, 0, 0, 1, CWD, NONE, 3, 2},
	{broker_chown, SYS_fchown, 0, 0, NONE, CWD, NONE, NONE, 1},
	{broker_chown, SYS_fchownat, 0, 0, 1, CWD, NONE, 4, 2},
	{broker_truncate, SYS_truncate, 0, CWD, 0, CWD, NONE, NONE, 1},
	{broker_setxattr, SYS_setxattr, 0, CWD, 0, CWD, NONE, 4, 1},
	{broker_setxattr, SYS_lsetxattr, LINK, CWD, 0, CWD, NONE, 4, 1},
	{broker_setxattr, SYS_fsetxattr, 0, 0, NONE, CWD, NONE, 4, 1},
	{broker_setxattr, SYS_removexattr, 0, CWD, 0, CWD, NONE, NONE, 1},
	{broker_setxattr, SYS_lremovexattr, LINK, CWD, 0, CWD, NONE, NONE, 1},
	{broker_setxattr, SYS_fremovexattr, 0, 0, NONE, CWD, NONE, NONE, 1},
	{broker_setxattrat, SYS_setxattrat, 0, 0, 1, CWD, NONE, 2, 3},
	{broker_setxattrat, SYS_removexattrat, 0, 0, 1, CWD, NONE, NONE, 3},
	/* The broker would not know of rules that a program lays on itself. */
	{broker_absent, SYS_landlock_create_ruleset, 0, CWD, NONE, CWD, NONE, NONE, NONE},
	{broker_absent, SYS_landlock_add_rule, 0, CWD, NONE, CWD, NONE, NONE, NONE},
	{broker_absent, SYS_landlock_restrict_self, 0, CWD, NONE, CWD, NONE, NONE, NONE},
};
const size_t broker_row_count = ARRAY_LEN(broker_rows);

long broker_absent(struct broker_call *c)
{
	(void)c;
	return -ENOSYS;
}

int broker_init(struct broker *b, const struct broker_spec *spec)
{
	struct seccomp_notif_sizes sizes;

	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) < 0)
		return -errno;
	if (sizes.seccomp_notif > MESSAGE_MAX || sizes.seccomp_notif_resp > MESSAGE_MAX)
		return -E2BIG;
	b->spec = *spec;
	b->report = (struct broker_report){0};
	b->ready = 0;
	b->proc = b->fds = b->slash = b->root = b->woken = -1;
	b->alias_count = b->alias_used = 0;
	memset(b->waiting, 0, sizeof(b->waiting));
	for (size_t i = 0; i < ARRAY_LEN(b->place); i++)
		b->place[i].start = b->place[i].dir = b->place[i].object = -1;
	return 0;
}

static int open_path(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* When the first call about a file arrives. A failure stays: nothing is done without it. */
static int get_ready(struct broker *b)
{
	struct broker_ident ident = {0};

	b->self = getpid();
	b->proc = open_path("/proc");
	b->fds = open_path("/proc/self/fd");
	b->slash = open_path("/");
	b->root = open_path(b->spec.root);
	if (b->proc < 0 || b->fds < 0 || b->slash < 0 || b->root < 0)
		return -EIO;
	if (broker_is_proc(b->proc) != 1 || broker_identify(b->root, "", &ident) < 0)
		return -EIO;
	b->mount = ident.file.mount;
	if (broker_find_mounts(b) < 0)
		return -EIO;
	broker_find_aliases(b);
	if (b->report.aliases_left_out)
		return -EIO; /* a protected file would be open under another name */
	return 1;
}

static const struct broker_row *find_row(int nr)
{
	for (size_t i = 0; i < broker_row_count; i++)
		if (broker_rows[i].nr == nr)
			return &broker_rows[i];
	return NULL;
}

static long serve_file(
	struct broker *b, int listener, const struct seccomp_notif *n, const struct broker_row *row)
{
	struct broker_call c = {
		.b = b,
		.row = row,
		.listener = listener,
		.id = n->id,
		.tid = (pid_t)n->pid,
	};

	if (b->ready == 0)
		b->ready = get_ready(b);
	if (b->ready < 0 || n->pid == 0)
		return -EIO;
	memcpy(c.arg, n->data.args, sizeof(n->data.args));
	c.arg[BROKER_ARG_CWD] = (uint64_t)AT_FDCWD;
	b->report.served++;
	return row->run(&c);
}

static long decide(struct broker *b, int listener, const struct seccomp_notif *n)
{
	const struct broker_row *row = n->data.arch == ARCH ? find_row(n->data.nr) : NULL;

	b->caller = (pid_t)n->pid;
	if (row)
		return serve_file(b, listener, n, row);
	broker_note_denied(b, n->data.nr);
	return -EPERM;
}

/* Nobody to hear it is no failure: the caller was killed meanwhile. */
static int answer(int listener, uint64_t id, long r)
{
	union {
		struct seccomp_notif_resp resp;
		char room[MESSAGE_MAX];
	} out = {.room = {0}};

	out.resp.id = id;
	if (r == BROKER_CONTINUE)
		out.resp.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else if (r < 0)
		out.resp.error = (int32_t)r;
	else
		out.resp.val = r;
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &out.resp) < 0 && errno != ENOENT &&
		errno != EINPROGRESS && errno != EINTR)
		return -errno;
	return 0;
}

/* The caller sleeps while the broker works and the other way round: one CPU serves both. */
static void wake_here(struct broker *b, int listener)
{
	if (b->woken == listener)
		return;
	b->woken = listener;
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
}

/* -ENOENT when all who had the filter are gone, else 0: only this caller is. */
static int missed(int listener)
{
	struct pollfd p = {.fd = listener, .events = POLLIN};

	return poll(&p, 1, 0) >= 0 && (p.revents & POLLHUP) ? -ENOENT : 0;
}

int broker_serve(struct broker *b, int listener)
{
	union {
		struct seccomp_notif n;
		char room[MESSAGE_MAX];
	} in = {.room = {0}};
	long r;

	wake_here(b, listener);
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &in.n) < 0) {
		if (errno == ENOENT)
			return missed(listener);
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	}
	r = decide(b, listener, &in.n);
	return r == BROKER_DONE ? 0 : answer(listener, in.n.id, r);
}

void broker_deinit(struct broker *b)
{
	for (size_t i = 0; i < BROKER_WAITING_MAX; i++) {
		if (b->waiting[i] <= 0)
			continue;
		kill(b->waiting[i], SIGKILL);
		waitpid(b->waiting[i], NULL, 0);
		b->waiting[i] = 0;
	}
	cleanup_fd(&b->proc);
	cleanup_fd(&b->fds);
	cleanup_fd(&b->slash);
	cleanup_fd(&b->root);
	b->proc = b->fds = b->slash = b->root = -1;
	b->ready = -EIO;
}
