/* SPDX-License-Identifier: Apache-2.0 */
#include "state/grants.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "sys/file.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#define VERSION 0x57470001u
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

uint64_t grants_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int grants_random_id(char ret[GRANT_ID])
{
	uint8_t bytes[16];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return -EIO;
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static int open_folder(const char *state, bool make)
{
	char path[4096];

	if (!state || (size_t)snprintf(path, sizeof path, "%s/grants", state) >= sizeof path)
		return -ENOENT;
	return folder_own(path, make ? FOLDER_MAKE : 0);
}

static bool is_id(const char *name)
{
	return strlen(name) == GRANT_ID - 1 && strspn(name, "0123456789abcdef") == GRANT_ID - 1;
}

static void end_texts(struct grant *g)
{
	g->boot[sizeof g->boot - 1] = g->session[sizeof g->session - 1] = '\0';
	g->agent[sizeof g->agent - 1] = g->place[sizeof g->place - 1] = '\0';
	g->command[sizeof g->command - 1] = '\0';
}

static bool holds(const struct grant *g)
{
	char boot[40];

	return g->version == VERSION && g->uses > 0 && grants_now() < g->expires_ms &&
	       file_read_small(BOOT_ID, boot, sizeof boot) > 0 && strcmp(boot, g->boot) == 0;
}

/* Locked until it is closed. One that was removed while we waited is nobody's any more. */
static int open_grant(int folder, const char *id, struct grant *ret)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	auto_fd int fd = openat(folder, id, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -errno;
	while (fcntl(fd, F_OFD_SETLKW, &lock) < 0)
		if (errno != EINTR)
			return -errno;
	if (fstat(fd, &st) < 0 || st.st_nlink == 0 || st.st_uid != geteuid())
		return -ENOENT;
	if (pread(fd, ret, sizeof *ret, 0) != (ssize_t)sizeof *ret)
		return -EBADMSG;
	end_texts(ret);
	return take_fd(&fd);
}

/* Whole under another name, then in its place: nobody sees half of it. */
static int put(int folder, const struct grant *g, const char *id)
{
	char name[GRANT_ID + 4];
	auto_fd int fd = -1;

	snprintf(name, sizeof name, ".%s", id);
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (write(fd, g, sizeof *g) != (ssize_t)sizeof *g) {
		unlinkat(folder, name, 0);
		return -ENOSPC;
	}
	return renameat(folder, name, folder, id) < 0 ? -errno : 0;
}

int grants_add(
	const char *state, struct grant *g, uint64_t for_ms, char ret_id[GRANT_ID], struct err *e)
{
	auto_fd int folder = open_folder(state, true);
	int r = folder < 0 ? folder : grants_random_id(ret_id);

	g->version = VERSION;
	g->expires_ms = grants_now() + for_ms;
	if (r == 0 && file_read_small(BOOT_ID, g->boot, sizeof g->boot) <= 0)
		r = -EIO;
	if (r == 0)
		r = put(folder, g, ret_id);
	return r < 0 ? err_sys(e, r, "keep the approval for later") : 0;
}

static int use(int folder, const char *id, const uint8_t digest[SHA256_SIZE])
{
	struct grant g;
	auto_fd int fd = open_grant(folder, id, &g);

	if (fd < 0)
		return -ENOENT;
	if (!holds(&g)) {
		unlinkat(folder, id, 0);
		return -ENOENT;
	}
	if (memcmp(g.digest, digest, sizeof g.digest) != 0)
		return -ENOENT;
	if (g.uses == GRANT_ENDLESS)
		return 0;
	g.uses--;
	if (pwrite(fd, &g, sizeof g, 0) != (ssize_t)sizeof g)
		return -EIO;
	if (g.uses == 0)
		unlinkat(folder, id, 0);
	return 0;
}

typedef int each_fn(void *ctx, int folder, const char *id);

/* Until one says something else than -ENOENT. */
static int each(const char *state, each_fn *fn, void *ctx)
{
	auto_fd int folder = open_folder(state, false);
	auto_(folder_close) DIR *d = folder < 0 ? NULL : folder_list(folder, "");
	const struct dirent *entry;
	int r = folder < 0 && folder != -ENOENT ? folder : -ENOENT;

	for (int i = 0; d && i < 4 * GRANTS_MAX && r == -ENOENT && (entry = readdir(d)); i++)
		if (is_id(entry->d_name))
			r = fn(ctx, folder, entry->d_name);
	return r;
}

struct taking {
	const uint8_t *digest;
	char *id;
};

static int take_one(void *ctx, int folder, const char *id)
{
	struct taking *t = ctx;
	int r = use(folder, id, t->digest);

	if (r == 0)
		memcpy(t->id, id, GRANT_ID);
	return r;
}

int grants_take(const char *state, const uint8_t digest[SHA256_SIZE], char ret_id[GRANT_ID])
{
	struct taking t = {digest, ret_id};

	return each(state, take_one, &t);
}

struct listing {
	struct arena *arena;
	struct grant_row *rows;
	size_t count, capacity;
};

static int list_one(void *ctx, int folder, const char *id)
{
	struct listing *l = ctx;
	struct grant_row row = {.left_ms = 0};
	auto_fd int fd = open_grant(folder, id, &row.grant);

	if (fd < 0)
		return -ENOENT;
	if (!holds(&row.grant)) {
		unlinkat(folder, id, 0);
		return -ENOENT;
	}
	memcpy(row.id, id, sizeof row.id);
	row.left_ms = row.grant.expires_ms - grants_now();
	vec_push(l->arena, &l->rows, &l->count, &l->capacity, row);
	return l->count < GRANTS_MAX ? -ENOENT : 0;
}

int grants_list(const char *state, struct arena *a, struct grant_row **ret, size_t *ret_count)
{
	struct listing l = {.arena = a, .rows = arena_array(a, 8, sizeof *l.rows), .capacity = 8};
	int r = each(state, list_one, &l);

	*ret = l.rows;
	*ret_count = l.count;
	return r == -ENOENT ? 0 : r;
}

int grants_revoke(const char *state, const char *id)
{
	auto_fd int folder = open_folder(state, false);
	struct grant g;
	auto_fd int fd = -1;

	if (folder < 0)
		return folder;
	if (!is_id(id))
		return -ENOENT;
	fd = open_grant(folder, id, &g);
	if (fd < 0 && fd != -EBADMSG)
		return fd;
	return unlinkat(folder, id, 0) < 0 ? -errno : 0;
}
