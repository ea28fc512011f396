/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/meter.h"

#include "base/cleanup.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SLICE 400 /* entries at once */
#define MS 1000u
#define PAUSE_MIN (20 * MS)
#define PAUSE_MAX (1000 * MS)
#define GROWTH (1u << 30) /* bytes in a second, at most */
#define SLACK (1u << 20)  /* what a layer that is full already may gain by being used */

static int open_folder(int parent, const char *name)
{
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

static void add_folder(struct meter *m, const char *path)
{
	int fd = m->count < METER_FOLDERS ? open_folder(AT_FDCWD, path) : -1;

	if (fd >= 0)
		m->folders[m->count++] = fd;
}

void meter_init(struct meter *m, const struct plan *p)
{
	char path[PATH_MAX];

	*m = (struct meter){.size_limit = p->layer_size, .file_limit = p->layer_inodes};
	for (size_t i = 0; i < p->row_count; i++) {
		const struct plan_row *row = &p->rows[i];

		if (row->kind == PLAN_OWN)
			add_folder(m, row->source);
		else if (row->kind == PLAN_LAYERS &&
			 (size_t)snprintf(path, sizeof path, "%s/%s/%s", row->source, p->layer.name,
				 p->layer.upper) < sizeof path)
			add_folder(m, path);
	}
}

static void leave(struct meter *m)
{
	DIR *d;

	m->depth--;
	d = take_ptr(m->at[m->depth]);
	if (!d)
		return;
	if (m->modes[m->depth] >= 0)
		fchmod(dirfd(d), (mode_t)m->modes[m->depth]);
	closedir(d);
}

static void leave_all(struct meter *m)
{
	while (m->depth > 0)
		leave(m);
}

void meter_free(struct meter *m)
{
	leave_all(m);
	while (m->count > 0)
		close(m->folders[--m->count]);
}

/*
 * A mode that keeps us out is changed as long as we are in: what is in there counts. By descriptor:
 * whoever works in the folder may put anything else at its name meanwhile.
 */
static int open_anyway(int parent, const char *name, int *ret_mode)
{
	auto_fd int path = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char link[40];
	struct stat st;

	*ret_mode = -1;
	if (path < 0 || fstat(path, &st) < 0)
		return -1;
	snprintf(link, sizeof link, "/proc/self/fd/%d", path);
	if ((st.st_mode & 0500) != 0500) {
		if (chmod(link, (st.st_mode & 0777) | 0500) < 0)
			return -1;
		*ret_mode = (int)(st.st_mode & 0777);
	}
	return open_folder(path, ".");
}

/* The one that it begins with is held; its mode may keep us out too. */
static int open_top(int held, int *ret_mode)
{
	struct stat st;

	*ret_mode = -1;
	if (fstat(held, &st) < 0)
		return -1;
	if ((st.st_mode & 0500) != 0500) {
		if (fchmod(held, (st.st_mode & 0777) | 0500) < 0)
			return -1;
		*ret_mode = (int)(st.st_mode & 0777);
	}
	return open_folder(held, ".");
}

/* What cannot be looked into, or lies deeper than that, is counted as if it were endless. */
static void enter(struct meter *m, int parent, const char *name)
{
	int fd = -1, mode = -1;
	DIR *d;

	if (m->depth < METER_DEPTH)
		fd = name ? open_anyway(parent, name, &mode) : open_top(parent, &mode);
	if (fd < 0 && m->depth < METER_DEPTH && (errno == ENOENT || errno == ENOTDIR))
		return; /* it is gone */
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		m->files = UINT64_MAX / 2;
		cleanup_fd(&fd);
		return;
	}
	m->modes[m->depth] = mode;
	m->at[m->depth++] = d;
}

static void count(struct meter *m, int folder, const struct dirent *entry)
{
	struct stat st;

	if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	m->files++;
	/* Of a file with several names each counts for its part. */
	m->size += (uint64_t)st.st_blocks * 512 /
		   (S_ISDIR(st.st_mode) || st.st_nlink == 0 ? 1 : st.st_nlink);
	if (S_ISDIR(st.st_mode))
		enter(m, folder, entry->d_name);
}

static uint64_t pause_after(const struct meter *m, uint64_t now)
{
	uint64_t room = m->last_size < m->size_floor ? m->size_floor - m->last_size : 0;
	uint64_t pause = room == 0 || room / GROWTH > 10 ? PAUSE_MAX : room * 1000000 / GROWTH;
	uint64_t worth = 5 * (now - m->began); /* counting is to cost a sixth of the time at most */

	pause = pause < PAUSE_MIN ? PAUSE_MIN : pause > PAUSE_MAX ? PAUSE_MAX : pause;
	return pause < worth ? worth : pause;
}

static void begin(struct meter *m, uint64_t now)
{
	m->size = m->files = 0;
	m->next = 0;
	m->began = now;
	m->counting = true;
}

/* One entry; false: there are no more. */
static bool count_next(struct meter *m)
{
	const struct dirent *entry;

	if (m->depth == 0) {
		if (m->next == m->count)
			return false;
		enter(m, m->folders[m->next++], NULL);
		return true;
	}
	entry = readdir(m->at[m->depth - 1]);
	if (entry)
		count(m, dirfd(m->at[m->depth - 1]), entry);
	else
		leave(m);
	return true;
}

static void end(struct meter *m)
{
	leave_all(m);
	m->last_size = m->size;
	m->counting = false;
}

/* One that holds too much already can be used, but is not to grow. */
static void set_floors(struct meter *m)
{
	m->size_floor = m->size > m->size_limit ? m->size + SLACK : m->size_limit;
	m->file_floor = m->files > m->file_limit ? m->files + 16 : m->file_limit;
	m->known = true;
}

/* Nobody works there yet: what it holds is counted at once, where that is not known. */
void meter_begin(struct meter *m, uint64_t now)
{
	if (m->count == 0)
		return;
	m->due = now + PAUSE_MIN;
	if (m->known)
		return;
	begin(m, now);
	while (count_next(m))
		;
	end(m);
	set_floors(m);
}

void meter_pause(struct meter *m)
{
	leave_all(m);
	m->counting = false;
	m->due = 0;
}

enum limit_hit meter_look(struct meter *m, uint64_t now)
{
	bool more = true;

	if (m->count == 0 || !m->due || now < m->due)
		return HIT_COUNT;
	if (!m->counting)
		begin(m, now);
	for (int n = 0; n < SLICE && more; n++)
		more = count_next(m);
	m->due = now + MS;
	if (!more) {
		end(m);
		m->due = now + pause_after(m, now);
	}
	if (m->size <= m->size_floor && m->files <= m->file_floor)
		return HIT_COUNT;
	end(m);
	m->known = false;
	return m->size > m->size_floor ? HIT_DISK : HIT_INODES;
}
