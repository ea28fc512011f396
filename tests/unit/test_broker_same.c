/* SPDX-License-Identifier: Apache-2.0 */
#include "brokered.h"
#include "fileops.h"

#include "base/buf.h"
#include "base/macro.h"

#include <dirent.h>

/*
 * The same operations in a folder by the kernel and in one by the broker: the same answers, and the
 * same files in the end.
 */
#define W O_WRONLY
#define C (O_CREAT | O_WRONLY)
#define CT (O_CREAT | O_WRONLY | O_TRUNC)
#define CX (O_CREAT | O_WRONLY | O_EXCL)
#define LONG_NAME                                                                        \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"

static const struct fileop_row script[] = {
	/* opening */
	{OP_OPEN, "a", NULL, CT, 0666},
	{OP_OPEN, "a", NULL, CT, 0644},
	{OP_OPEN, "a", NULL, CX, 0644},
	{OP_OPEN, "a", NULL, C | O_APPEND, 0},
	{OP_OPEN, "a", NULL, W, 0},
	{OP_OPEN, "a", NULL, O_RDWR, 0},
	{OP_OPEN, "a", NULL, O_RDONLY | O_CREAT, 0600},
	{OP_OPEN, "missing", NULL, W, 0},
	{OP_OPEN, "missing", NULL, O_RDONLY | O_TRUNC, 0},
	{OP_OPEN, "made", NULL, O_RDONLY | O_CREAT, 0604},
	{OP_OPEN, "", NULL, CT, 0644},
	{OP_OPEN, "no/such", NULL, CT, 0644},
	{OP_OPEN, "a/x", NULL, CT, 0644},
	{OP_OPEN, "a/", NULL, CT, 0644},
	{OP_OPEN, "a/", NULL, W, 0},
	{OP_OPEN, "new/", NULL, CT, 0644},
	{OP_OPEN, "new/", NULL, W, 0},
	{OP_OPEN, "no/such/", NULL, CT, 0644},
	{OP_OPEN, "a/such/", NULL, CT, 0644},
	{OP_OPEN, "/", NULL, CT, 0644},
	{OP_OPEN, "/", NULL, W, 0},
	{OP_OPEN, ".", NULL, W, 0},
	{OP_OPEN, ".", NULL, CT, 0644},
	{OP_OPEN, ".", NULL, CX, 0644},
	{OP_OPEN, "..", NULL, O_RDWR, 0},
	{OP_OPEN, "./b", NULL, CT, 0640},
	{OP_OPEN, ".//b2", NULL, CT, 0777},
	{OP_OPEN, "@/c", NULL, CT, 0666},
	{OP_OPEN, "@//./c2", NULL, CX, 0611},
	{OP_OPEN, "@/c/", NULL, W, 0},
	{OP_OPEN, LONG_NAME, NULL, CT, 0644},
	{OP_OPEN, "a", NULL, W | O_DIRECTORY, 0},
	{OP_OPEN, "a", NULL, O_RDWR | O_NOFOLLOW, 0},
	{OP_OPEN, "dirmode", NULL, C | O_DIRECTORY, 0644},
	{OP_OPEN, "weird", NULL, O_ACCMODE | O_CREAT, 0600},
	{OP_OPEN, "sync", NULL, CT | O_SYNC | O_CLOEXEC, 0600},
	{OP_CREAT, "created", NULL, 0, 0666},
	{OP_CREAT, "created", NULL, 0, 0600},
	{OP_CREAT, "nowhere/created", NULL, 0, 0600},

	/* folders */
	{OP_MKDIR, "d", NULL, 0, 0777},
	{OP_MKDIR, "d", NULL, 0, 0777},
	{OP_MKDIR, "d/", NULL, 0, 0777},
	{OP_MKDIR, "d2/", NULL, 0, 0700},
	{OP_MKDIR, "d3//", NULL, 0, 01777},
	{OP_MKDIR, "d/e", NULL, 0, 0755},
	{OP_MKDIR, "d/e/f", NULL, 0, 0755},
	{OP_MKDIR, "x/y", NULL, 0, 0755},
	{OP_MKDIR, "a/y", NULL, 0, 0755},
	{OP_MKDIR, "a", NULL, 0, 0755},
	{OP_MKDIR, "a/", NULL, 0, 0755},
	{OP_MKDIR, ".", NULL, 0, 0755},
	{OP_MKDIR, "..", NULL, 0, 0755},
	{OP_MKDIR, "/", NULL, 0, 0755},
	{OP_MKDIR, "", NULL, 0, 0755},
	{OP_MKDIR, LONG_NAME "n", NULL, 0, 0755},
	{OP_OPEN, "d/e/f/file", NULL, CT, 0644},
	{OP_OPEN, "d/e/../e/f/./file2", NULL, CT, 0644},
	{OP_OPEN, "d/../../nowhere-at-all/x", NULL, CT, 0644},
	{OP_OPENAT, "file3", "d/e", CT, 0644},
	{OP_OPENAT, "../e/file4", "d/e", CX, 0644},
	{OP_OPENAT, "@/d/file5", "d/e", CX, 0644},
	{OP_OPENAT, "file6", "a", CX, 0644},
	{OP_OPENAT, "file6", "missing", CX, 0644},
	{OP_OPENAT, "@/file7", "missing", CX, 0644},

	/* links */
	{OP_SYMLINK, "a", "la", 0, 0},
	{OP_SYMLINK, "a", "la", 0, 0},
	{OP_SYMLINK, "", "lempty", 0, 0},
	{OP_SYMLINK, "x", "", 0, 0},
	{OP_SYMLINK, "la", "lla", 0, 0},
	{OP_SYMLINK, "dangling-target", "ld", 0, 0},
	{OP_SYMLINK, "loop2", "loop1", 0, 0},
	{OP_SYMLINK, "loop1", "loop2", 0, 0},
	{OP_SYMLINK, "d/e", "le", 0, 0},
	{OP_SYMLINK, "d/e/", "le-slash", 0, 0},
	{OP_SYMLINK, "../la", "d/up", 0, 0},
	{OP_SYMLINK, "nolink", "no/such", 0, 0},
	{OP_SYMLINK, "trail", "trail/", 0, 0},
	{OP_OPEN, "la", NULL, W | O_APPEND, 0},
	{OP_OPEN, "lla", NULL, W | O_APPEND, 0},
	{OP_OPEN, "d/up", NULL, W | O_APPEND, 0},
	{OP_OPEN, "la", NULL, W | O_NOFOLLOW, 0},
	{OP_OPEN, "la", NULL, CX, 0644},
	{OP_OPEN, "ld", NULL, W, 0},
	{OP_OPEN, "ld", NULL, CX, 0644},
	{OP_OPEN, "ld", NULL, CT | O_NOFOLLOW, 0644},
	{OP_OPEN, "ld", NULL, CT, 0644},
	{OP_OPEN, "loop1", NULL, CT, 0644},
	{OP_OPEN, "loop1/x", NULL, CT, 0644},
	{OP_OPEN, "le/through", NULL, CT, 0644},
	{OP_OPEN, "le", NULL, W, 0},
	{OP_OPEN, "le/", NULL, W, 0},
	{OP_OPEN, "le-slash", NULL, W, 0},
	{OP_OPEN, "le-slash", NULL, CT, 0644},
	{OP_OPEN, "le-slash/", NULL, CT, 0644},
	{OP_OPEN, "le/.", NULL, CT, 0644},
	{OP_OPEN, "le/..", NULL, CX, 0644},
	{OP_OPEN, "la/", NULL, W, 0},
	{OP_MKDIR, "le/sub", NULL, 0, 0755},
	{OP_MKDIR, "ld-none", NULL, 0, 0755},
	{OP_MKDIR, "le", NULL, 0, 0755},
	{OP_RMDIR, "le", NULL, 0, 0},
	{OP_RMDIR, "le/", NULL, 0, 0},
	{OP_UNLINK, "le/", NULL, 0, 0},

	/* hard links */
	{OP_LINK, "a", "hard", 0, 0},
	{OP_LINK, "a", "hard", 0, 0},
	{OP_LINK, "a/", "hard2", 0, 0},
	{OP_LINK, "a", "hard2/", 0, 0},
	{OP_LINK, "la", "hard-of-link", 0, 0},
	{OP_LINKAT, "la", "hard-of-target", AT_SYMLINK_FOLLOW, 0},
	{OP_LINKAT, "la", "never", 0x8000000, 0},
	{OP_LINK, "d", "hard-dir", 0, 0},
	{OP_LINK, "missing", "hard3", 0, 0},
	{OP_LINK, "a", "no/hard3", 0, 0},
	{OP_TMPLINK, ".", "named", 0, 0640},
	{OP_TMPLINK, "d", "d/named", 0, 0666},
	{OP_TMPLINK, "d", "a", 0, 0666},
	{OP_TMPLINK, "d", "excl", O_EXCL, 0666},
	{OP_TMPLINK, "a", "never", 0, 0666},
	{OP_TMPLINK, "missing", "never", 0, 0666},

	/* renaming */
	{OP_RENAME, "b", "bb", 0, 0},
	{OP_RENAME, "b", "bb", 0, 0},
	{OP_RENAME, "bb", "d/bb", 0, 0},
	{OP_RENAME, "d/bb", "a/bb", 0, 0},
	{OP_RENAME, "d", "d/e/inside", 0, 0},
	{OP_RENAME, "d2", "d4", 0, 0},
	{OP_RENAME, "d4/", "d5/", 0, 0},
	{OP_RENAME, "a", "d5/", 0, 0},
	{OP_RENAME, "a/", "aa", 0, 0},
	{OP_RENAME, "a", "d5", 0, 0},
	{OP_RENAME, "d5", "a", 0, 0},
	{OP_RENAME, "d5", "d", 0, 0},
	{OP_RENAME, "le", "le2", 0, 0},
	{OP_RENAME, "le2/", "le3", 0, 0},
	{OP_RENAME, ".", "dot", 0, 0},
	{OP_RENAME, "..", "dot", 0, 0},
	{OP_RENAME, "d5", ".", 0, 0},
	{OP_RENAME, "", "dot", 0, 0},
	{OP_RENAME, "/", "dot", 0, 0},
	{OP_RENAME, "a", "", 0, 0},
	{OP_RENAME2, "a", "c", 1 /* no replacing */, 0},
	{OP_RENAME2, "a", "c-new", 1, 0},
	{OP_RENAME2, "c-new", "d5", 2 /* exchange */, 0},
	{OP_RENAME2, "c-new", "none", 2, 0},
	{OP_RENAME2, "c-new", "d5", 3, 0},
	{OP_RENAME2, "c-new", "d5", 64, 0},
	{OP_RENAME, "@/d5", "@/a", 0, 0},

	/* removing */
	{OP_UNLINK, "missing", NULL, 0, 0},
	{OP_UNLINK, "d", NULL, 0, 0},
	{OP_UNLINK, "created/", NULL, 0, 0},
	{OP_UNLINK, "created", NULL, 0, 0},
	{OP_UNLINK, "lla", NULL, 0, 0},
	{OP_UNLINK, ".", NULL, 0, 0},
	{OP_UNLINK, "", NULL, 0, 0},
	{OP_UNLINKAT, "a", NULL, 0x8000000, 0},
	{OP_RMDIR, "d", NULL, 0, 0},
	{OP_RMDIR, "c", NULL, 0, 0},
	{OP_RMDIR, "d3/", NULL, 0, 0},
	{OP_RMDIR, ".", NULL, 0, 0},
	{OP_RMDIR, "..", NULL, 0, 0},
	{OP_RMDIR, "d/.", NULL, 0, 0},
	{OP_RMDIR, "/", NULL, 0, 0},

	/* special files */
	{OP_MKNOD, "fifo", NULL, 0, S_IFIFO | 0666},
	{OP_MKNOD, "fifo", NULL, 0, S_IFIFO | 0666},
	{OP_MKNOD, "reg", NULL, 0, S_IFREG | 0666},
	{OP_MKNOD, "typeless", NULL, 0, 0600},
	{OP_MKNOD, "sock", NULL, 0, S_IFSOCK | 0666},
	{OP_MKNOD, "folder", NULL, 0, S_IFDIR | 0755},
	{OP_MKNOD, "reg/", NULL, 0, S_IFREG | 0666},
	{OP_MKNOD, "newreg/", NULL, 0, S_IFREG | 0666},
	{OP_OPEN, "fifo", NULL, W | O_NONBLOCK, 0},
	{OP_OPEN, "fifo", NULL, O_RDWR, 0},
	{OP_OPEN, "sock", NULL, W, 0},

	/* modes and owners */
	{OP_CHMOD, "c", NULL, 0, 0600},
	{OP_CHMOD, "la", NULL, 0, 0640},
	{OP_CHMOD, "d", NULL, 0, 0711},
	{OP_CHMOD, "d/", NULL, 0, 0755},
	{OP_CHMOD, "c/", NULL, 0, 0755},
	{OP_CHMOD, "missing", NULL, 0, 0755},
	{OP_CHMOD, "", NULL, 0, 0755},
	{OP_CHMOD, "d3x/y", NULL, 0, 0755},
	{OP_CHMOD, "loop1", NULL, 0, 0755},
	{OP_CHMOD, ".", NULL, 0, 0750},
	{OP_CHMOD, "fifo", NULL, 0, 0600},
	{OP_FCHMODAT, "la", NULL, AT_SYMLINK_NOFOLLOW, 0755},
	{OP_FCHMODAT, "c", NULL, AT_SYMLINK_NOFOLLOW, 0611},
	{OP_FCHMODAT, "", NULL, AT_EMPTY_PATH, 0755},
	{OP_FCHMODAT, "c", NULL, 0x40000000, 0611},
	{OP_FCHMOD, "c", NULL, O_RDONLY, 0622},
	{OP_FCHMOD, "c", NULL, O_PATH, 0777},
	{OP_FCHMOD, "d", NULL, O_RDONLY | O_DIRECTORY, 0733},
	{OP_CHOWN, "c", NULL, 0, 0},
	{OP_CHOWN, "missing", NULL, 0, 0},
	{OP_CHOWN, "ld", NULL, AT_SYMLINK_NOFOLLOW, 0},
	{OP_CHOWN, "ld", NULL, 0, 0},
	{OP_LCHOWN, "le2", NULL, 0, 0},
	{OP_LCHOWN, "loop1", NULL, 0, 0},
	{OP_FCHOWN, "c", NULL, O_RDONLY, 0},
	{OP_FCHOWN, "c", NULL, O_PATH, 0},

	/* size and attributes */
	{OP_TRUNCATE, "c", NULL, 10, 0},
	{OP_TRUNCATE, "c", NULL, -1, 0},
	{OP_TRUNCATE, "d", NULL, 0, 0},
	{OP_TRUNCATE, "missing", NULL, 0, 0},
	{OP_TRUNCATE, "fifo", NULL, 0, 0},
	{OP_TRUNCATE, "la", NULL, 5, 0},
	{OP_TRUNCATE, "c/", NULL, 5, 0},
	{OP_SETXATTR, "c", "user.one", 0, 0},
	{OP_SETXATTR, "c", "user.one", XATTR_CREATE, 0},
	{OP_SETXATTR, "c", "user.two", XATTR_REPLACE, 0},
	{OP_SETXATTR, "c", "user.two", 64, 0},
	{OP_SETXATTR, "c", "", 0, 0},
	{OP_SETXATTR, "c", "nonsense", 0, 0},
	{OP_SETXATTR, "c", "user." LONG_NAME LONG_NAME, 0, 0},
	{OP_SETXATTR, "missing", "user.one", 0, 0},
	{OP_LSETXATTR, "le2", "user.one", 0, 0},
	{OP_LSETXATTR, "c", "user.l", 0, 0},
	{OP_FSETXATTR, "c", NULL, O_RDONLY, 0},
	{OP_FSETXATTR, "c", NULL, O_PATH, 0},
	{OP_REMOVEXATTR, "c", "user.one", 0, 0},
	{OP_REMOVEXATTR, "c", "user.one", 0, 0},

	/* through /proc */
	{OP_REOPEN, "c", NULL, W | O_APPEND, 0},
	{OP_REOPEN, "c", NULL, W | O_TRUNC, 0},
	{OP_REOPEN, "c", NULL, CT, 0644},
	{OP_REOPEN, "c", NULL, CX, 0644},
	{OP_REOPEN, "c", NULL, W | O_NOFOLLOW, 0},
	{OP_REOPEN, "d", NULL, O_RDWR, 0},
	{OP_OPEN, "/proc/self/cwd/bycwd", NULL, CT, 0644},
	{OP_OPEN, "/proc/thread-self/cwd/bycwd2", NULL, CT, 0644},
	{OP_OPEN, "/proc/self/cwd/d/bycwd3", NULL, CT, 0644},
	{OP_OPEN, "/proc/self/fd/99", NULL, W, 0},
	{OP_OPEN, "/proc/self/fd/99/x", NULL, CT, 0644},
	{OP_OPEN, "/proc/self/no-such", NULL, W, 0},
	{OP_OPEN, "/proc/self", NULL, O_RDWR, 0},
	{OP_MKDIR, "/proc/self/cwd/bycwd-dir", NULL, 0, 0755},
	{OP_MKDIR, "/proc/self/root", NULL, 0, 0755},
	{OP_SYMLINK, "/proc/self/cwd", "here", 0, 0},
	{OP_OPEN, "here/by-own-link", NULL, CT, 0644},
	{OP_OPEN, "here/here/here/by-own-link2", NULL, CT, 0644},
	{OP_UNLINK, "here/by-own-link2", NULL, 0, 0},
	{OP_RENAME, "here/by-own-link", "/proc/self/cwd/renamed", 0, 0},

	/* outside */
	{OP_OPEN, "%/file", NULL, CT, 0666},
	{OP_OPEN, "/dev/null", NULL, W, 0},
	{OP_OPEN, "/dev/full", NULL, O_RDWR, 0},
	{OP_OPEN, "/no-such-folder/x", NULL, CT, 0666},
	{OP_MKDIR, "%/dir", NULL, 0, 0777},
	{OP_RENAME, "%/file", "%/dir/file", 0, 0},
	{OP_CHMOD, "%/dir/file", NULL, 0, 0611},
	{OP_SYMLINK, "%/dir", "out", 0, 0},
	{OP_OPEN, "out/more", NULL, CT, 0666},
	{OP_LINK, "out/more", "out/more2", 0, 0},
	{OP_TRUNCATE, "out/more", NULL, 7, 0},
	{OP_UNLINK, "out/more2", NULL, 0, 0},
	{OP_SYMLINK, "%/dir/dangling", "out2", 0, 0},
	{OP_OPEN, "out2", NULL, CT, 0666},

	/* from another folder, and from one that is gone */
	{OP_CHDIR, "d/e", NULL, 0, 0},
	{OP_OPEN, "here", NULL, CT, 0666},
	{OP_OPEN, "../here", NULL, CX, 0666},
	{OP_OPEN, "../../../../../../../../no-such/x", NULL, CX, 0666},
	{OP_MKDIR, "gone", NULL, 0, 0755},
	{OP_CHDIR, "gone", NULL, 0, 0},
	{OP_RMDIR, "../gone", NULL, 0, 0},
	{OP_OPEN, "x", NULL, CT, 0666},
	{OP_MKDIR, "x", NULL, 0, 0777},
	{OP_OPEN, "../x", NULL, CT, 0666},
	{OP_CHMOD, ".", NULL, 0, 0777},
	{OP_CHDIR, "@", NULL, 0, 0},
	{OP_MKDIR, "x (deleted)", NULL, 0, 0777},
	{OP_CHDIR, "x (deleted)", NULL, 0, 0},
	{OP_OPEN, "y", NULL, CT, 0666},
	{OP_CHDIR, "@", NULL, 0, 0},
};

struct run {
	char dir[64], outside[64];
	mode_t mask;
	const char *log; /* the file that the answers go to */
	int log_fd;
};

static void play(void *ctx)
{
	struct run *run = ctx;
	struct fileop_dirs dirs = {run->dir, run->outside};

	check(chdir(run->dir) == 0);
	umask(run->mask);
	for (size_t i = 0; i < ARRAY_LEN(script); i++) {
		long r = fileop_run(&dirs, &script[i]);

		dprintf(run->log_fd, "%zu op %d %.40s %.40s: %s\n", i, (int)script[i].op,
			script[i].a, script[i].b ? script[i].b : "",
			r < 0 ? strerror((int)-r) : "ok");
	}
}

/* Everything below a folder: kind, mode, links, size, what is in it. */
static void list(struct buf *out, int dir, const char *prefix)
{
	struct dirent **names = NULL;
	char self[32];
	int count;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", dir);
	count = scandir(self, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *name = names[i]->d_name;
		char text[64] = "";
		struct stat st;
		ssize_t n = 0;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
			free(names[i]);
			continue;
		}
		check(fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0);
		if (S_ISREG(st.st_mode)) {
			auto_fd int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

			n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
		} else if (S_ISLNK(st.st_mode)) {
			n = readlinkat(dir, name, text, 5); /* full names differ behind */
		}
		text[n > 0 ? n : 0] = '\0';
		buf_printf(out, "%s%.30s %o %u %lld %s\n", prefix, name, st.st_mode,
			(unsigned)st.st_nlink, S_ISREG(st.st_mode) ? (long long)st.st_size : 0,
			text);
		if (S_ISDIR(st.st_mode)) {
			auto_fd int sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			char deeper[PATH_MAX];

			snprintf(deeper, sizeof(deeper), "%s%.30s/", prefix, name);
			list(out, sub, deeper);
		}
		free(names[i]);
	}
	free(names);
}

static void read_log(struct buf *out, const struct run *run)
{
	auto_fd int log = open(run->log, O_RDONLY | O_CLOEXEC);
	auto_fd int dir = open(run->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_fd int outside = open(run->outside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char part[4096];
	ssize_t n;

	while ((n = read(log, part, sizeof(part))) > 0)
		buf_add(out, part, (size_t)n);
	list(out, dir, "");
	list(out, outside, "outside/");
}

static void compare(const char *want, const char *got)
{
	for (size_t wrong = 0; (*want || *got) && wrong < 8;) {
		size_t a = strcspn(want, "\n"), b = strcspn(got, "\n");

		if (a != b || memcmp(want, got, a) != 0)
			wrong += !test_check(false, __FILE__, __LINE__,
				"kernel: %.*s  broker: %.*s", (int)a, want, (int)b, got);
		want += a + (want[a] == '\n');
		got += b + (got[b] == '\n');
	}
}

static void start_run(struct run *run, mode_t mask, const char *log)
{
	run->mask = mask;
	run->log = log;
	brokered_make_dir(run->dir, sizeof(run->dir));
	brokered_make_dir(run->outside, sizeof(run->outside));
	run->log_fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	check(run->log_fd >= 0);
}

static void end_run(struct run *run)
{
	close(run->log_fd);
	unlink(run->log);
	brokered_remove(run->dir);
	brokered_remove(run->outside);
}

static void check_same(mode_t mask, bool floor, bool hide)
{
	static const char *const protect[] = {".git/config", ".git/hooks/**", "*.pem", "**/.envrc"};
	static const char *const hidden[] = {".env"};
	struct run plain, brokered;
	char log1[64], log2[64];
	auto_(buf_free) struct buf want = BUF(1 << 20), got = BUF(1 << 20);

	test_row("umask %03o%s%s", mask, floor ? ", floor" : "", hide ? ", hide" : "");
	snprintf(log1, sizeof(log1), "/tmp/ward-test-broker-%d.1", getpid());
	snprintf(log2, sizeof(log2), "/tmp/ward-test-broker-%d.2", getpid());
	start_run(&plain, mask, log1);
	start_run(&brokered, mask, log2);

	struct brokered t = {
		.spec = {.root = brokered.dir,
			.protect = protect,
			.protect_count = ARRAY_LEN(protect),
			.hide = hidden,
			.hide_count = hide ? 1 : 0,
			.floor = floor,
			.floor_truncates = floor},
		.free = brokered.outside,
	};

	check(brokered_plain(play, &plain));
	check(brokered_run(&t, play, &brokered));
	read_log(&want, &plain);
	read_log(&got, &brokered);
	check(want.len > 5000);
	compare(buf_text(&want), buf_text(&got));
	check(t.report.served > 150);
	check_u64(t.report.refused_total, 0);
	end_run(&plain);
	end_run(&brokered);
}

static void test_without_floor(void)
{
	check_same(022, false, false);
	check_same(077, false, false);
	check_same(0, false, false);
}

static void test_with_floor(void)
{
	if (!brokered_has_floor()) {
		printf("# Landlock before interface 3: not tried with a floor\n");
		return;
	}
	check_same(022, true, false);
	check_same(027, true, false);
}

static void test_hide(void)
{
	check_same(022, false, true);
	if (brokered_has_floor())
		check_same(022, true, true);
}

static const struct test tests[] = {
	{"as the kernel, all by the broker", test_without_floor},
	{"as the kernel, with a floor of Landlock", test_with_floor},
	{"as the kernel, with every open by the broker", test_hide},
};

TEST_MAIN(tests)
