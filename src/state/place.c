/* SPDX-License-Identifier: Apache-2.0 */
#include "state/place.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/str.h"
#include "base/vec.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#define SUFFIX ".card"

static void file_name(const char *sandbox, char out[PLACE_NAME])
{
	snprintf(out, PLACE_NAME, "%s" SUFFIX, sandbox);
}

/* One file, two locks: each is on a byte of its own. */
static struct flock range(enum place_lock which)
{
	return (struct flock){
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = which, .l_len = 1};
}

/* Root takes nobody's word for it: sudo may have kept a user's environment. */
const char *place_path(struct arena *a)
{
	const char *run = getenv("XDG_RUNTIME_DIR");

	if (geteuid() == 0)
		return "/run/ward";
	if (run && run[0] == '/')
		return arena_printf(a, "%s/ward", run);
	return arena_printf(a, "/tmp/ward-%u", (unsigned)geteuid());
}

/* Not ENOENT: callers take that for a sandbox that is not there. */
static int no_place(const char *path, struct err *e)
{
	int code = errno == ENOENT ? ENOTDIR : errno;

	return err_set(e, code, "make '%s', where sandboxes are found: %s%s", path, strerror(errno),
		geteuid() == 0 ? "" : "; set XDG_RUNTIME_DIR to a folder of your own, or unset it");
}

int place_open(struct arena *a, struct err *e)
{
	const char *path = place_path(a);
	auto_fd int fd = -1;
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return no_place(path, e);
	fd = open(path, O_DIRECTORY | O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, -errno, "open '%s'", path);
	if (st.st_uid != geteuid() || st.st_mode & 022)
		return err_set(e, EPERM,
			"'%s' belongs to somebody else, or others can write in it: sandboxes are "
			"not looked for there; remove it, or set XDG_RUNTIME_DIR to a folder of "
			"your own",
			path);
	return take_fd(&fd);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The file that is locked may have been removed meanwhile: then it is nobody's lock. */
static bool is_there(int place, const char *name, int fd)
{
	struct stat here, there;

	return fstat(fd, &here) == 0 && fstatat(place, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

int place_lock(int place, const char *sandbox, enum place_lock which, unsigned wait_ms)
{
	struct timespec pause = {.tv_nsec = 1000000};
	int64_t until = now_ms() + wait_ms;
	struct flock lock = range(which);
	char name[PLACE_NAME];

	file_name(sandbox, name);
	for (;;) {
		auto_fd int fd = openat(
			place, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
		bool locked;

		if (fd < 0)
			return -errno;
		locked = fcntl(fd, F_OFD_SETLK, &lock) == 0;
		if (!locked && errno != EAGAIN && errno != EACCES)
			return -errno;
		if (locked && is_there(place, name, fd))
			return take_fd(&fd);
		if (now_ms() >= until)
			return -EBUSY;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 20000000)
			pause.tv_nsec *= 2;
	}
}

int place_card(int lock, struct card **ret)
{
	void *at;

	if (ftruncate(lock, 0) < 0 || ftruncate(lock, sizeof(struct card)) < 0)
		return -errno;
	at = mmap(NULL, sizeof(struct card), PROT_READ | PROT_WRITE, MAP_SHARED, lock, 0);
	if (at == MAP_FAILED)
		return -errno;
	*ret = at;
	return 0;
}

/* Its holder may die at any moment; what is asked is whether it held the lock just now. */
static bool is_held(int fd)
{
	struct flock lock = range(PLACE_LIFE);

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

int place_read(int place, const char *sandbox, struct place_row *ret)
{
	char name[PLACE_NAME];
	auto_fd int fd = -1;
	ssize_t n;

	file_name(sandbox, name);
	fd = openat(place, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	*ret = (struct place_row){.name = sandbox, .alive = is_held(fd)};
	ret->held = ret->alive;
	n = pread(fd, &ret->card, sizeof ret->card, 0);
	ret->broken = n < 0 ? -errno : card_check(&ret->card, (uint64_t)n);
	/* About to be born: its card is still empty. */
	if (n == 0 || (n == (ssize_t)sizeof ret->card && ret->card.version == 0))
		ret->alive = false;
	return 0;
}

/* The card of another version says nothing. */
static bool is_same(const struct place_row *a, const struct place_row *b)
{
	if (a->broken || b->broken)
		return a->broken == b->broken;
	return a->card.pid == b->card.pid && a->card.began_ms == b->card.began_ms;
}

int place_wait(int place, const struct place_row *which, unsigned wait_ms)
{
	struct timespec pause = {.tv_nsec = 1000000};
	int64_t until = now_ms() + wait_ms;
	struct place_row row;

	while (place_read(place, which->name, &row) == 0 && row.alive && is_same(&row, which)) {
		if (now_ms() >= until)
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 20000000)
			pause.tv_nsec *= 2;
	}
	return 0;
}

static void close_folder(DIR **d)
{
	if (*d)
		closedir(*d);
}

int place_list(int place, struct arena *a, struct place_row **ret, size_t *ret_count)
{
	auto_fd int fd = openat(place, ".", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	auto_(close_folder) DIR *d = fd < 0 ? NULL : fdopendir(fd);
	size_t count = 0, capacity = 8, tail = strlen(SUFFIX);
	struct place_row *rows = arena_array(a, capacity, sizeof *rows);
	struct dirent *entry;
	struct place_row row;

	if (!d)
		return -errno;
	take_fd(&fd);
	while ((entry = readdir(d))) {
		const char *name = entry->d_name;

		if (!str_ends(name, SUFFIX) || strlen(name) >= PLACE_NAME)
			continue;
		name = arena_text(a, name, strlen(name) - tail);
		if (place_read(place, name, &row) == 0)
			vec_push(a, &rows, &count, &capacity, row);
	}
	*ret = rows;
	*ret_count = count;
	return 0;
}

/* Whoever waits for a lock of the file that goes looks for the one that comes. */
static void take_away(int place, const char *sandbox)
{
	char name[PLACE_NAME];

	file_name(sandbox, name);
	unlinkat(place, sandbox, 0);
	unlinkat(place, name, 0);
}

int place_forget(int place, const char *sandbox)
{
	auto_fd int make = place_lock(place, sandbox, PLACE_MAKE, 0);
	auto_fd int life = make < 0 ? make : place_lock(place, sandbox, PLACE_LIFE, 0);

	if (life >= 0)
		take_away(place, sandbox);
	return life < 0 ? life : 0;
}

void place_give_up(int place, const char *sandbox)
{
	auto_fd int life = place_lock(place, sandbox, PLACE_LIFE, 1000);

	if (life >= 0)
		take_away(place, sandbox);
}

void place_leave(int place, const char *sandbox)
{
	auto_fd int make = place_lock(place, sandbox, PLACE_MAKE, 0);

	if (make >= 0)
		take_away(place, sandbox);
}
