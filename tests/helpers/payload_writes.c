/* SPDX-License-Identifier: Apache-2.0 */
#include "payload.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

/*
 * Ways to change a file ("write FILE", which exists) or to make one ("create FILE", which does not,
 * but the folder it lies in) that a protected name must withstand. What they need on the way lies
 * in the current folder under names that begin with "way-".
 */

struct names {
	char path[256], folder[256], base[256];
};

static const char *path_of(int argc, char **argv)
{
	return argc > 0 ? argv[0] : "file";
}

static struct names split(int argc, char **argv)
{
	struct names n;
	char copy[256];

	snprintf(n.path, sizeof n.path, "%s", path_of(argc, argv));
	snprintf(copy, sizeof copy, "%s", n.path);
	snprintf(n.folder, sizeof n.folder, "%s", dirname(copy));
	snprintf(copy, sizeof copy, "%s", n.path);
	snprintf(n.base, sizeof n.base, "%s", basename(copy));
	return n;
}

/* Takes the result of an open; writes one byte. */
static int put(long fd)
{
	int r;

	if (fd < 0)
		return -errno;
	r = payload_result(write((int)fd, "X", 1));
	close((int)fd);
	return r;
}

static int made(const char *path)
{
	return put(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
}

static int run_open(const struct attempt *self, int argc, char **argv)
{
	return put(open(path_of(argc, argv), (int)self->arg[0], 0644));
}

static int run_beside(const struct attempt *self, int argc, char **argv)
{
	struct names n = split(argc, argv);
	int folder = open(n.folder, (int)self->arg[1] | O_DIRECTORY);

	if (folder < 0)
		return -errno;
	return put(openat(folder, n.base, (int)self->arg[0], 0644));
}

static int run_inside(const struct attempt *self, int argc, char **argv)
{
	struct names n = split(argc, argv);

	if (chdir(n.folder) < 0)
		return -errno;
	return put(open(n.base, (int)self->arg[0], 0644));
}

static int run_openat2(const struct attempt *self, int argc, char **argv)
{
	struct open_how how = {.flags = self->arg[0], .mode = self->arg[0] & O_CREAT ? 0644 : 0};

	return put(syscall(SYS_openat2, AT_FDCWD, path_of(argc, argv), &how, sizeof how));
}

/* The same file by other spellings. */
static int run_spelled(const struct attempt *self, int argc, char **argv)
{
	struct names n = split(argc, argv);
	char path[1100], here[256];

	if (!getcwd(here, sizeof here))
		return -errno;
	switch (self->arg[1]) {
	case 0:
		snprintf(path, sizeof path, ".//%s/.//%s", n.folder, n.base);
		break;
	case 1:
		snprintf(path, sizeof path, "%s/../%s/%s", n.folder, n.folder, n.base);
		break;
	case 2:
		snprintf(path, sizeof path, "/proc/self/cwd/%s", n.path);
		break;
	case 3:
		snprintf(path, sizeof path, "/proc/self/root%s/%s", here, n.path);
		break;
	case 4:
		snprintf(path, sizeof path, "/proc/thread-self/cwd/%s", n.path);
		break;
	default:
		snprintf(path, sizeof path, "/../..%s/../%s/%s", here, basename(here), n.path);
	}
	return put(open(path, (int)self->arg[0], 0644));
}

/* Opened for something harmless, then again through its descriptor. */
static int run_reopen(const struct attempt *self, int argc, char **argv)
{
	char path[64];
	int fd = open(path_of(argc, argv), (int)self->arg[1]);

	if (fd < 0)
		return -errno;
	snprintf(path, sizeof path, "%s/%d", self->arg[2] ? "/dev/fd" : "/proc/self/fd", fd);
	return put(open(path, (int)self->arg[0]));
}

static int run_truncate(const struct attempt *self, int argc, char **argv)
{
	(void)self;
	return payload_result(truncate(path_of(argc, argv), 0));
}

static int run_open_truncating(const struct attempt *self, int argc, char **argv)
{
	(void)self;
	return payload_result(open(path_of(argc, argv), O_RDONLY | O_TRUNC));
}

static int run_map(const struct attempt *self, int argc, char **argv)
{
	int fd = open(path_of(argc, argv), (int)self->arg[0]);
	char *p;

	if (fd < 0)
		return -errno;
	p = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	p[0] ^= 1;
	return 0;
}

static int run_rename(const struct attempt *self, int argc, char **argv)
{
	int r = made("way-new");

	if (r < 0)
		return r;
	return payload_result(syscall(
		SYS_renameat2, AT_FDCWD, "way-new", AT_FDCWD, path_of(argc, argv), self->arg[0]));
}

static int run_rename_plain(const struct attempt *self, int argc, char **argv)
{
	int r = made("way-new");

	(void)self;
	return r < 0 ? r : payload_result(rename("way-new", path_of(argc, argv)));
}

static int run_away(const struct attempt *self, int argc, char **argv)
{
	struct names n = split(argc, argv);

	return payload_result(rename(self->arg[0] ? n.folder : n.path, "way-away"));
}

/* The folder it lies in changes places with one that was made for it. */
static int run_exchange_folder(const struct attempt *self, int argc, char **argv)
{
	struct names n = split(argc, argv);
	char mine[512];
	int r;

	(void)self;
	if (mkdir("way-folder", 0755) < 0)
		return -errno;
	snprintf(mine, sizeof mine, "way-folder/%s", n.base);
	r = made(mine);
	if (r < 0)
		return r;
	return payload_result(syscall(
		SYS_renameat2, AT_FDCWD, "way-folder", AT_FDCWD, n.folder, RENAME_EXCHANGE));
}

static int run_link(const struct attempt *self, int argc, char **argv)
{
	(void)self;
	if (link(path_of(argc, argv), "way-link") < 0)
		return -errno;
	return put(open("way-link", O_WRONLY));
}

static int run_link_fd(const struct attempt *self, int argc, char **argv)
{
	char name[64];
	int fd = open(path_of(argc, argv), O_PATH);

	(void)self;
	if (fd < 0)
		return -errno;
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, name, AT_FDCWD, "way-link-fd", AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	return put(open("way-link-fd", O_WRONLY));
}

/* Through a symbolic link to it, or to its folder. */
static int run_symlink(const struct attempt *self, int argc, char **argv)
{
	struct names n = split(argc, argv);
	char path[512];

	if (symlink(self->arg[1] ? n.folder : n.path, "way-symlink") < 0)
		return -errno;
	snprintf(path, sizeof path, "way-symlink%s%s", self->arg[1] ? "/" : "",
		self->arg[1] ? n.base : "");
	return put(open(path, (int)self->arg[0], 0644));
}

static int run_unlink(const struct attempt *self, int argc, char **argv)
{
	(void)self;
	return payload_result(unlink(path_of(argc, argv)));
}

static int run_chmod(const struct attempt *self, int argc, char **argv)
{
	(void)self;
	return payload_result(chmod(path_of(argc, argv), 0777));
}

static int run_xattr(const struct attempt *self, int argc, char **argv)
{
	(void)self;
	return payload_result(setxattr(path_of(argc, argv), "user.way", "X", 1, 0));
}

static int run_mkdir(const struct attempt *self, int argc, char **argv)
{
	(void)self;
	return payload_result(mkdir(path_of(argc, argv), 0755));
}

static int run_mknod(const struct attempt *self, int argc, char **argv)
{
	return payload_result(mknod(path_of(argc, argv), (mode_t)self->arg[0], 0));
}

static int run_symlink_there(const struct attempt *self, int argc, char **argv)
{
	(void)self;
	return payload_result(symlink("way-new", path_of(argc, argv)));
}

static int run_link_there(const struct attempt *self, int argc, char **argv)
{
	int r = made("way-new");

	(void)self;
	return r < 0 ? r : payload_result(link("way-new", path_of(argc, argv)));
}

static int run_tmpfile(const struct attempt *self, int argc, char **argv)
{
	char name[64];
	int fd = open(".", O_TMPFILE | O_WRONLY, 0644);

	(void)self;
	if (fd < 0)
		return -errno;
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	return payload_result(
		linkat(AT_FDCWD, name, AT_FDCWD, path_of(argc, argv), AT_SYMLINK_FOLLOW));
}

static int run_socket(const struct attempt *self, int argc, char **argv)
{
	struct sockaddr_un where = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)self;
	snprintf(where.sun_path, sizeof where.sun_path, "%.100s", path_of(argc, argv));
	return fd < 0 ? -errno : payload_result(bind(fd, (struct sockaddr *)&where, sizeof where));
}

/* Its folder, with the file in it, is made elsewhere and brought; for folders that are not there
 * either. */
static int run_whole_folder(const struct attempt *self, int argc, char **argv)
{
	struct names n = split(argc, argv);
	char mine[512];
	int r;

	if (mkdir("way-whole", 0755) < 0)
		return -errno;
	snprintf(mine, sizeof mine, "way-whole/%s", n.base);
	r = made(mine);
	if (r < 0)
		return r;
	if (!self->arg[0])
		return payload_result(rename("way-whole", n.folder));
	snprintf(mine, sizeof mine, "way-whole");
	for (const char *p = strchr(n.folder, '/'); p; p = strchr(p + 1, '/')) {
		char up[sizeof mine];

		snprintf(up, sizeof up, "../%.500s", mine);
		memcpy(mine, up, sizeof mine);
	}
	return payload_result(symlink(mine, n.folder));
}

#define WRITE(name, run, ...)          \
	{                              \
		"write", name, run, 0, \
		{                      \
			__VA_ARGS__    \
		}                      \
	}
#define CREATE(name, run, ...)          \
	{                               \
		"create", name, run, 0, \
		{                       \
			__VA_ARGS__     \
		}                       \
	}
#define NEW (O_CREAT | O_WRONLY)

const struct attempt payload_writes[] = {
	WRITE("append", run_open, O_WRONLY | O_APPEND),
	WRITE("truncating", run_open, O_WRONLY | O_TRUNC),
	WRITE("read-write", run_open, O_RDWR),
	WRITE("create-over", run_open, O_CREAT | O_WRONLY),
	WRITE("read-truncating", run_open_truncating, 0),
	WRITE("beside", run_beside, O_WRONLY, O_RDONLY),
	WRITE("beside-path", run_beside, O_WRONLY, O_PATH),
	WRITE("inside", run_inside, O_WRONLY),
	WRITE("openat2", run_openat2, O_WRONLY),
	WRITE("dots", run_spelled, O_WRONLY, 0),
	WRITE("parents", run_spelled, O_WRONLY, 1),
	WRITE("proc-cwd", run_spelled, O_WRONLY, 2),
	WRITE("proc-root", run_spelled, O_WRONLY, 3),
	WRITE("proc-thread", run_spelled, O_WRONLY, 4),
	WRITE("above-root", run_spelled, O_WRONLY, 5),
	WRITE("reopen", run_reopen, O_WRONLY, O_RDONLY, 0),
	WRITE("reopen-path", run_reopen, O_WRONLY, O_PATH, 0),
	WRITE("reopen-dev", run_reopen, O_WRONLY, O_RDONLY, 1),
	WRITE("truncate", run_truncate, 0),
	WRITE("map", run_map, O_RDWR),
	WRITE("rename-over", run_rename_plain, 0),
	WRITE("renameat2-over", run_rename, 0),
	WRITE("exchange", run_rename, RENAME_EXCHANGE),
	WRITE("rename-away", run_away, 0),
	WRITE("folder-away", run_away, 1),
	WRITE("folder-exchange", run_exchange_folder, 0),
	WRITE("link", run_link, 0),
	WRITE("link-fd", run_link_fd, 0),
	WRITE("symlink", run_symlink, O_WRONLY, 0),
	WRITE("symlink-folder", run_symlink, O_WRONLY, 1),
	WRITE("unlink", run_unlink, 0),
	WRITE("chmod", run_chmod, 0),
	WRITE("xattr", run_xattr, 0),

	CREATE("open", run_open, NEW),
	CREATE("open-exclusive", run_open, NEW | O_EXCL),
	CREATE("open-read", run_open, O_CREAT | O_RDWR),
	CREATE("beside", run_beside, NEW, O_RDONLY),
	CREATE("beside-path", run_beside, NEW, O_PATH),
	CREATE("inside", run_inside, NEW),
	CREATE("openat2", run_openat2, NEW),
	CREATE("dots", run_spelled, NEW, 0),
	CREATE("proc-cwd", run_spelled, NEW, 2),
	CREATE("proc-root", run_spelled, NEW, 3),
	CREATE("above-root", run_spelled, NEW, 5),
	CREATE("mkdir", run_mkdir, 0),
	CREATE("mknod", run_mknod, S_IFREG | 0644),
	CREATE("fifo", run_mknod, S_IFIFO | 0644),
	CREATE("symlink", run_symlink_there, 0),
	CREATE("link", run_link_there, 0),
	CREATE("rename", run_rename_plain, 0),
	CREATE("rename-noreplace", run_rename, RENAME_NOREPLACE),
	CREATE("tmpfile", run_tmpfile, 0),
	CREATE("socket", run_socket, 0),
	CREATE("dangling", run_symlink, NEW, 0),
	CREATE("symlink-folder", run_symlink, NEW, 1),

	{"bring", "rename", run_whole_folder, 0, {0}},
	{"bring", "symlink", run_whole_folder, 0, {1}},
	{0},
};
