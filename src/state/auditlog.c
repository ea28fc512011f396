/* SPDX-License-Identifier: Apache-2.0 */
#include "state/auditlog.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "state/auditlog_parts.h"
#include "sys/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define OPEN_MOST 1024 /* that room is kept for: those that died without their end count too */
#define STEPS_AHEAD 4

int auditlog_lock(const struct auditlog *l, bool write)
{
	struct flock lock = {.l_type = write ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
	int r;

	do
		r = fcntl(l->head, F_OFD_SETLKW, &lock);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

void auditlog_unlock(const struct auditlog *l)
{
	struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

	fcntl(l->head, F_OFD_SETLK, &lock);
}

static void sum_of(const struct auditlog_head *h, uint8_t out[SHA256_SIZE])
{
	sha256_of(h, offsetof(struct auditlog_head, sum), out);
}

int auditlog_read_head(const struct auditlog *l, struct auditlog_head *ret)
{
	uint8_t sum[SHA256_SIZE];
	ssize_t n = pread(l->head, ret, sizeof *ret, 0);

	if (n < 0)
		return -errno;
	if (n == 0) {
		*ret = (struct auditlog_head){.magic = AUDITLOG_MAGIC, .first = 1, .kept = 1};
		return 0;
	}
	sum_of(ret, sum);
	if (n != sizeof *ret || ret->magic != AUDITLOG_MAGIC ||
		memcmp(sum, ret->sum, sizeof sum) != 0)
		return -EBADMSG;
	return 0;
}

static int write_head(const struct auditlog *l, struct auditlog_head *h)
{
	sum_of(h, h->sum);
	return pwrite(l->head, h, sizeof *h, 0) == (ssize_t)sizeof *h ? 0 : -EIO;
}

int auditlog_open(struct auditlog *l, const struct auditlog_call *call, struct err *e)
{
	*l = (struct auditlog){.call = *call, .head = -1, .file = -1};
	l->folder = folder_own(call->folder, FOLDER_MAKE);
	if (l->folder < 0)
		return err_sys(e, l->folder, "open the folder of the audit log '%s'", call->folder);
	l->head = openat(l->folder, AUDITLOG_HEAD, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (l->head < 0) {
		int r = err_sys(e, -errno, "open the audit log in '%s'", call->folder);

		auditlog_close(l);
		return r;
	}
	return 0;
}

void auditlog_close(struct auditlog *l)
{
	cleanup_fd(&l->file);
	cleanup_fd(&l->head);
	cleanup_fd(&l->folder);
	l->file = l->head = l->folder = -1;
}

/* The file that is written now: another may have been begun meanwhile. */
static int find_file(struct auditlog *l, struct stat *ret)
{
	struct stat named;

	if (l->file >= 0 && fstat(l->file, ret) == 0 &&
		fstatat(l->folder, AUDITLOG_NAME, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
		named.st_ino == ret->st_ino && named.st_dev == ret->st_dev)
		return 0;
	if (l->file >= 0)
		close(take_fd(&l->file));
	l->file = openat(l->folder, AUDITLOG_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return l->file < 0 || fstat(l->file, ret) < 0 ? -errno : 0;
}

bool auditlog_read_prefix(
	const char *line, size_t len, uint64_t *ret_seq, uint8_t ret_prev[SHA256_SIZE])
{
	static const char seq[] = "{\"seq\":", prev[] = ",\"prev\":\"";
	char text[24];
	size_t at = sizeof seq - 1, digits;

	if (len < at + 2 * SHA256_SIZE || memcmp(line, seq, at) != 0)
		return false;
	for (digits = 0; digits < 20 && line[at + digits] >= '0' && line[at + digits] <= '9';)
		digits++;
	memcpy(text, line + at, digits);
	text[digits] = '\0';
	*ret_seq = strtoull(text, NULL, 10);
	at += digits;
	if (digits == 0 || text[0] == '0' || len < at + sizeof prev - 1 + 2 * SHA256_SIZE + 1 ||
		memcmp(line + at, prev, sizeof prev - 1) != 0)
		return false;
	at += sizeof prev - 1;
	return sha256_unhex(line + at, ret_prev) && line[at + 2 * SHA256_SIZE] == '"';
}

static int allocate(const struct auditlog *l, uint64_t from, uint64_t to)
{
	if (fallocate(l->file, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from)) == 0 ||
		errno == EOPNOTSUPP || errno == ENOSYS)
		return 0;
	return -errno;
}

/* Ahead of what is needed, since it is dear; where there is no room for that, just enough. */
static int reserve(const struct auditlog *l, uint64_t from, struct auditlog_head *h)
{
	uint64_t open = h->open < OPEN_MOST ? h->open : OPEN_MOST;
	uint64_t need = h->size + open * AUDITLOG_TAIL;
	uint64_t steps = need / AUDITLOG_STEP + STEPS_AHEAD;

	if (need <= (uint64_t)h->reserved * AUDITLOG_STEP)
		return 0;
	if (steps <= UINT32_MAX && allocate(l, from, steps * AUDITLOG_STEP) == 0) {
		h->reserved = (uint32_t)steps;
		return 0;
	}
	return allocate(l, from, need);
}

/* What was reserved goes with it, and is taken again as far as there is room. */
static int cut(const struct auditlog *l, struct auditlog_head *h)
{
	h->reserved = 0;
	if (ftruncate(l->file, (off_t)h->size) < 0)
		return -errno;
	reserve(l, h->size, h);
	return 0;
}

/* A writer died between its line and the head: the line is whole, or it was never there. Whatever
 * else stands there means that the head is lost or an older one, and is not ours to remove. */
static int adopt(struct auditlog *l, struct auditlog_head *h, uint64_t size)
{
	static char line[AUDITLOG_LINE];
	size_t len = size - h->size < sizeof line ? (size_t)(size - h->size) : sizeof line;
	ssize_t n = pread(l->file, line, len, (off_t)h->size);
	const char *end = n > 0 ? memchr(line, '\n', (size_t)n) : NULL;
	uint8_t prev[SHA256_SIZE];
	uint64_t seq;

	if (end && end - line + 1 == (ssize_t)(size - h->size) &&
		auditlog_read_prefix(line, (size_t)(end - line), &seq, prev) && seq == h->seq + 1 &&
		memcmp(prev, h->hash, sizeof prev) == 0) {
		sha256_of(line, (size_t)(end - line), h->hash);
		h->seq = seq;
		h->size = size;
		return 0;
	}
	if (end || (uint64_t)n != size - h->size)
		return n < 0 ? -errno : -EBADMSG;
	return cut(l, h);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool old_number(const char *name, uint64_t *ret)
{
	if (!str_starts(name, AUDITLOG_NAME ".") || strlen(name) != AUDITLOG_OLD_NAME - 1)
		return false;
	return number_count(name + strlen(AUDITLOG_NAME "."), ret, NULL) == 0;
}

int auditlog_list_old(const struct auditlog *l, struct arena *a, uint64_t **ret, size_t *ret_count)
{
	auto_(folder_close) DIR *d = folder_list(l->folder, "");
	size_t capacity = 8;
	uint64_t first;

	*ret = arena_array(a, capacity, sizeof **ret);
	*ret_count = 0;
	if (!d)
		return -errno;
	for (struct dirent *x = readdir(d); x; x = readdir(d))
		if (old_number(x->d_name, &first))
			vec_push(a, ret, ret_count, &capacity, first);
	if (*ret_count > 0)
		qsort(*ret, *ret_count, sizeof **ret, by_number);
	return 0;
}

/* Those that are too many, the oldest first. */
static void remove_old(struct auditlog *l, struct auditlog_head *h)
{
	auto_(arena_free) struct arena scratch = {0};
	char name[AUDITLOG_OLD_NAME];
	uint64_t *old;
	size_t count;

	if (l->call.keep == 0 || auditlog_list_old(l, &scratch, &old, &count) < 0)
		return;
	for (size_t i = 0; i + l->call.keep < count; i++) {
		snprintf(name, sizeof name, AUDITLOG_OLD, (unsigned long long)old[i]);
		if (unlinkat(l->folder, name, 0) < 0)
			return;
		h->kept = i + 1 < count ? old[i + 1] : h->first;
	}
}

/* The old one goes on. */
static int take_back(struct auditlog *l, const char *name, int *io_old, struct stat *st)
{
	if (l->file >= 0)
		close(take_fd(&l->file));
	l->file = take_fd(io_old);
	if (renameat(l->folder, name, l->folder, AUDITLOG_NAME) < 0 || fstat(l->file, st) < 0)
		return -errno;
	return 0;
}

/* The room for ends of what is open is let go of when the new file has it: on a full disk somebody
 * waits for it, maybe a command that does not want its end to be seen. */
static int put_aside(struct auditlog *l, struct auditlog_head *h, struct stat *st)
{
	struct auditlog_head next = *h;
	char name[AUDITLOG_OLD_NAME];
	auto_fd int old = -1;

	snprintf(name, sizeof name, AUDITLOG_OLD, (unsigned long long)h->first);
	if (renameat(l->folder, AUDITLOG_NAME, l->folder, name) < 0)
		return -errno;
	old = take_fd(&l->file);
	next.first = h->seq + 1;
	next.size = next.reserved = 0;
	if (find_file(l, st) < 0 || reserve(l, 0, &next) < 0)
		return take_back(l, name, &old, st);
	if (ftruncate(old, (off_t)h->size) == 0)
		fdatasync(old);
	*h = next;
	remove_old(l, h);
	return 0;
}

/* Everything that others have done meanwhile, or left half done. */
static int catch_up(struct auditlog *l, struct auditlog_head *h, bool ends)
{
	struct stat st;
	int r = find_file(l, &st);

	if (r < 0)
		return r;
	/* It was put aside, and whoever did it died before saying so. */
	if (st.st_size == 0 && h->size > 0) {
		char name[AUDITLOG_OLD_NAME];
		struct stat old;

		snprintf(name, sizeof name, AUDITLOG_OLD, (unsigned long long)h->first);
		if (fstatat(l->folder, name, &old, AT_SYMLINK_NOFOLLOW) == 0) {
			h->first = h->seq + 1;
			h->size = h->reserved = 0;
		}
	}
	if ((uint64_t)st.st_size > h->size) {
		r = adopt(l, h, (uint64_t)st.st_size);
	} else if ((uint64_t)st.st_size < h->size) {
		/* What is missing is missing: the numbers go on, and a check finds it. */
		h->size = (uint64_t)st.st_size;
		h->reserved = 0;
	}
	/* The room for an end is in this file. */
	if (r == 0 && !ends && l->call.rotate && h->size >= l->call.rotate)
		r = put_aside(l, h, &st);
	return r;
}

static uint64_t now_s(clockid_t clock, long *ret_ns)
{
	struct timespec t;

	clock_gettime(clock, &t);
	*ret_ns = t.tv_nsec;
	return (uint64_t)t.tv_sec;
}

/* The number and the hash come first, in a form that needs no reader of JSON. */
static size_t put_prefix(const struct auditlog_head *h, char *out, size_t room)
{
	static char when[32]; /* many lines are of the same second */
	static time_t written;
	char hex[2 * SHA256_SIZE + 1];
	long ns, since_ns;
	time_t now = (time_t)now_s(CLOCK_REALTIME, &ns);
	uint64_t since = now_s(CLOCK_BOOTTIME, &since_ns);
	struct tm tm;

	sha256_hex(h->hash, hex);
	if (now != written || !when[0]) {
		gmtime_r(&now, &tm);
		strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &tm);
		written = now;
	}
	return (size_t)snprintf(out, room,
		"{\"seq\":%llu,\"prev\":\"%s\",\"time\":\"%s.%06ldZ\",\"sinceBootUs\":%llu,",
		(unsigned long long)h->seq + 1, hex, when, ns / 1000,
		(unsigned long long)(since * 1000000 + (uint64_t)since_ns / 1000));
}

/* All of it, or nothing. Room is taken first: what fails for want of it must not touch that of
 * others, which a cut would. */
static int put(struct auditlog *l, struct auditlog_head *h, enum auditlog_kind kind,
	const char *line, size_t len)
{
	struct auditlog_head next = *h;
	ssize_t n;
	int r;

	next.seq++;
	next.size += len;
	next.open += kind == AUDITLOG_BEGIN;
	next.open -= kind == AUDITLOG_END && next.open > 0;
	sha256_of(line, len - 1, next.hash);
	/* What else is written does not take the room of those that have begun. */
	r = kind == AUDITLOG_END ? 0 : reserve(l, h->size, &next);
	if (r < 0) {
		write_head(l, h); /* a file may have been put aside */
		return r;
	}
	n = pwrite(l->file, line, len, (off_t)h->size);
	r = n == (ssize_t)len ? 0 : n < 0 ? -errno : -ENOSPC;
	if (r == 0)
		r = write_head(l, &next);
	if (r < 0) {
		/* Else the next writer looks at it. */
		if (cut(l, h) == 0)
			write_head(l, h);
		return r;
	}
	*h = next;
	return 0;
}

/* Not under the lock: others may write meanwhile, and are synced with it. */
static int sync_file(struct auditlog *l, bool due)
{
	if (l->call.sync == AUDITLOG_NEVER || (l->call.sync == AUDITLOG_BATCH && !due))
		return 0;
	return fdatasync(l->file) < 0 || fdatasync(l->head) < 0 ? -errno : 0;
}

int auditlog_add(struct auditlog *l, enum auditlog_kind kind, const char *members, size_t len,
	uint64_t *ret_seq, struct err *e)
{
	static char line[AUDITLOG_LINE];
	struct auditlog_head h;
	bool due = false;
	long unused;
	size_t at;
	int r;

	if (len + AUDITLOG_PREFIX > sizeof line ||
		(kind == AUDITLOG_END && len + AUDITLOG_PREFIX > AUDITLOG_TAIL))
		return err_set(e, EMSGSIZE, "a line of the audit log is too long");
	r = auditlog_lock(l, true);
	if (r == 0)
		r = auditlog_read_head(l, &h);
	if (r == 0)
		r = catch_up(l, &h, kind == AUDITLOG_END);
	if (r == 0) {
		uint64_t now = now_s(CLOCK_BOOTTIME, &unused);

		due = now != h.synced;
		h.synced = now;
		at = put_prefix(&h, line, sizeof line);
		memcpy(line + at, members, len);
		at += len;
		line[at++] = '}';
		line[at++] = '\n';
		r = put(l, &h, kind, line, at);
	}
	auditlog_unlock(l);
	if (r == 0)
		r = sync_file(l, due);
	if (r == -EBADMSG)
		return err_set(e, EBADMSG,
			"the audit log in '%s' is damaged: see 'ward audit verify'; to go on with "
			"a new "
			"one, move its files elsewhere",
			l->call.folder);
	if (r < 0)
		return err_sys(e, r, "write to the audit log in '%s'", l->call.folder);
	*ret_seq = h.seq;
	return 0;
}
