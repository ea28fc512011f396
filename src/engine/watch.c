/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/watch.h"

#include "base/cleanup.h"
#include "base/macro.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Theory. Orphans of a pid namespace become children of its first process, so the tree beneath init
 * is the whole sandbox. While the tree is walked a process can leave its place for that under init,
 * which has been seen by then: so init's children are looked at again until there are no new ones.
 */

#define ROUNDS 3
#define STATUS 16384
#define ENTRIES 4096
#define GROWTH (4ull << 30) /* bytes in a second that memory is thought to grow by at most */
#define MS_MIN 10
#define MS_MAX 250
#define MS_EXACT 25 /* the exact sum walks all pages of all processes */

struct walk {
	pid_t init;
	ino_t space; /* its pid namespace; where there are no lists of children */
	size_t count;
	bool full;
	bool cpu;        /* is wanted too */
	bool below;      /* the first process itself does not count */
	uint64_t tables; /* bytes of page tables, which nobody shares */
	pid_t pids[WATCH_PROCESSES];
	pid_t shown[WATCH_PROCESSES]; /* the thread that shows the memory of each */
	pid_t alive;                  /* a thread that has memory */
};

static void add_pid(struct walk *w, pid_t pid)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->pids[i] == pid)
			return;
	if (w->count == ARRAY_LEN(w->pids))
		w->full = true;
	else
		w->pids[w->count++] = pid;
}

static int open_process(pid_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Reads up to size - 1 bytes and puts a NUL behind them. */
static ssize_t read_file(int dir, const char *name, char *out, size_t size)
{
	auto_fd int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	while (n > 0 && len < size - 1) {
		n = read(fd, out + len, size - 1 - len);
		if (n < 0)
			return -errno;
		len += (size_t)n;
	}
	out[len] = '\0';
	return (ssize_t)len;
}

/* Sums the numbers behind those keys that start a line. */
static uint64_t sum_lines(const char *text, const char *const *keys)
{
	uint64_t sum = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		for (size_t k = 0; keys[k]; k++)
			if (strncmp(line, keys[k], strlen(keys[k])) == 0)
				sum += strtoull(line + strlen(keys[k]), NULL, 10);
	}
	return sum;
}

/* Calls fn for each entry that is a number. */
static int each_number(int dir, const char *name, struct walk *w,
	void (*fn)(struct walk *w, int entries, pid_t number))
{
	auto_fd int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_Alignas(8) char data[ENTRIES];
	long n;

	if (fd < 0)
		return -errno;
	while ((n = syscall(SYS_getdents64, fd, data, sizeof(data))) > 0)
		for (long at = 0; at < n;) {
			/* Inode and offset come first: eight bytes each, then the length. */
			uint16_t size;
			const char *entry = data + at + 19;

			memcpy(&size, data + at + 16, sizeof(size));
			if (*entry >= '1' && *entry <= '9')
				fn(w, fd, (pid_t)strtol(entry, NULL, 10));
			at += size;
		}
	return n < 0 ? -errno : 0;
}

/* "12 345 6 ", of any length. */
static int add_children(struct walk *w, int dir, const char *name)
{
	auto_fd int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char data[1024];
	pid_t pid = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, data, sizeof(data))) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (data[i] >= '0' && data[i] <= '9') {
				pid = pid * 10 + (data[i] - '0');
				continue;
			}
			if (pid > 0)
				add_pid(w, pid);
			pid = 0;
		}
	if (pid > 0)
		add_pid(w, pid);
	return 0;
}

static void add_of_thread(struct walk *w, int entries, pid_t thread)
{
	char name[32];

	snprintf(name, sizeof(name), "%d/children", (int)thread);
	add_children(w, entries, name);
}

/* Each thread has its own children. */
static int add_of_process(struct walk *w, int dir, pid_t pid, uint64_t threads)
{
	char name[32];

	if (threads > 1)
		return each_number(dir, "task", w, add_of_thread);
	snprintf(name, sizeof(name), "task/%d/children", (int)pid);
	return add_children(w, dir, name);
}

/* Without lists of children: every process in the same pid namespace. */
static ino_t space_of(int entries, pid_t pid)
{
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), "%d/ns/pid", (int)pid);
	return fstatat(entries, name, &st, 0) < 0 ? 0 : st.st_ino;
}

static void add_of_space(struct walk *w, int entries, pid_t pid)
{
	if (!w->space)
		w->space = space_of(entries, w->init);
	if (w->space && space_of(entries, pid) == w->space)
		add_pid(w, pid);
}

static void find_alive(struct walk *w, int entries, pid_t thread)
{
	char name[32], status[STATUS];

	snprintf(name, sizeof(name), "%d/status", (int)thread);
	if (!w->alive && read_file(entries, name, status, sizeof(status)) > 0 &&
		strstr(status, "\nRssAnon:"))
		w->alive = thread;
}

/* A process whose first thread has ended shows its memory under the numbers of the others. */
static int read_status(struct walk *w, int dir, pid_t *ret_shown, char *status)
{
	char name[48];
	ssize_t n = read_file(dir, "status", status, STATUS);

	if (n < 0 || strstr(status, "\nRssAnon:"))
		return (int)n;
	w->alive = 0;
	each_number(dir, "task", w, find_alive);
	if (!w->alive)
		return (int)n;
	*ret_shown = w->alive;
	snprintf(name, sizeof(name), "task/%d/status", (int)w->alive);
	return (int)read_file(dir, name, status, STATUS);
}

/* Fields 14 to 17, behind the name, which may be anything that ends with a parenthesis. */
static uint64_t read_cpu(int dir)
{
	char text[1024], *at;
	uint64_t ticks = 0;

	if (read_file(dir, "stat", text, sizeof(text)) < 0)
		return 0;
	at = strrchr(text, ')');
	for (int field = 3; at && *at && field <= 17; field++) {
		at = strchr(at + 1, ' ');
		if (at && field >= 14)
			ticks += strtoull(at, NULL, 10);
	}
	return ticks * (1000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Adds what a process uses, and puts its children on the list. */
static void look_at(struct walk *w, size_t i, bool lists, struct watch_sample *s)
{
	static const char *const used[] = {"RssAnon:", "RssShmem:", "VmSwap:", NULL};
	static const char *const tables[] = {"VmPTE:", NULL};
	static const char *const count[] = {"Threads:", NULL};
	pid_t pid = w->shown[i] = w->pids[i];
	auto_fd int dir = open_process(pid);
	char status[STATUS];
	uint64_t threads;

	if (dir < 0 || read_status(w, dir, &w->shown[i], status) < 0)
		return;
	threads = sum_lines(status, count);
	s->processes++;
	if (i > 0 || !w->below) {
		s->threads += (unsigned)threads;
		w->tables += sum_lines(status, tables) * 1024;
		s->memory += sum_lines(status, used) * 1024;
	}
	if (w->cpu)
		s->cpu_us += read_cpu(dir);
	if (lists)
		add_of_process(w, dir, pid, threads);
}

static void walk_tree(struct walk *w, int init, bool lists, struct watch_sample *s)
{
	size_t next = 0;

	if (!lists)
		each_number(AT_FDCWD, "/proc", w, add_of_space);
	for (int round = 0; round < ROUNDS && next < w->count; round++) {
		for (; next < w->count; next++)
			look_at(w, next, lists, s);
		if (lists)
			add_of_process(w, init, w->init, 1);
	}
}

/* Each page divided by those who share it. Where that is kept from us, the estimate stays. */
static int add_exact(pid_t pid, uint64_t *memory)
{
	static const char *const used[] = {"Pss_Anon:", "Pss_Shmem:", "SwapPss:", NULL};
	auto_fd int dir = open_process(pid);
	char text[2048];
	ssize_t n;

	if (dir < 0)
		return 0;
	n = read_file(dir, "smaps_rollup", text, sizeof(text));
	/* It ended meanwhile, or has no memory of its own any more. */
	if (n == -ESRCH || n == -ENOENT)
		return 0;
	if (n < 0)
		return (int)n;
	*memory += sum_lines(text, used) * 1024;
	return 0;
}

static void sum_exactly(const struct walk *w, struct watch_sample *s)
{
	uint64_t memory = w->tables;

	for (size_t i = w->below; i < w->count; i++)
		if (add_exact(w->shown[i], &memory) < 0)
			return;
	s->memory = memory;
	s->exact = true;
}

static int measure(pid_t init, uint64_t limit, bool cpu, bool below, struct watch_sample *ret)
{
	auto_fd int dir = open_process(init);
	struct watch_sample s = {0};
	struct walk w;
	char name[32];

	if (dir < 0)
		return take_fd(&dir);
	w.init = init;
	w.space = 0;
	w.count = 1;
	w.full = false;
	w.cpu = cpu;
	w.below = below;
	w.tables = 0;
	w.pids[0] = init;
	snprintf(name, sizeof(name), "task/%d/children", (int)init);
	walk_tree(&w, dir, faccessat(dir, name, F_OK, 0) == 0, &s);
	s.memory += w.tables;
	if (w.full)
		s.memory = UINT64_MAX;
	else if (s.memory > limit)
		sum_exactly(&w, &s);
	if (s.processes == 0)
		return -ESRCH;
	*ret = s;
	return 0;
}

int watch_measure(pid_t init, uint64_t limit, struct watch_sample *ret)
{
	return measure(init, limit, false, false, ret);
}

int watch_usage(pid_t init, struct watch_sample *ret)
{
	return measure(init, UINT64_MAX, true, false, ret);
}

int watch_command(pid_t top, uint64_t limit, struct watch_sample *ret)
{
	return measure(top, limit, true, true, ret);
}

/* "NSpid: 4711 12": the last number is that of the innermost namespace. */
static bool is_inside(pid_t pid, pid_t inside)
{
	auto_fd int dir = open_process(pid);
	char status[STATUS], *at, *end;
	long number = 0;

	if (dir < 0 || read_file(dir, "status", status, sizeof(status)) < 0)
		return false;
	at = strstr(status, "\nNSpid:");
	if (!at)
		return false;
	at += strlen("\nNSpid:");
	while (*at == '\t' || *at == ' ') {
		number = strtol(at, &end, 10);
		at = end;
	}
	return number == inside;
}

pid_t watch_find(pid_t init, pid_t inside)
{
	auto_fd int dir = open_process(init);
	struct watch_sample unused = {0};
	struct walk w;
	char name[32];

	if (dir < 0)
		return 0;
	w.init = init;
	w.space = 0;
	w.count = 1;
	w.full = w.cpu = w.below = false;
	w.tables = 0;
	w.pids[0] = init;
	snprintf(name, sizeof(name), "task/%d/children", (int)init);
	walk_tree(&w, dir, faccessat(dir, name, F_OK, 0) == 0, &unused);
	for (size_t i = 0; i < w.count; i++)
		if (is_inside(w.pids[i], inside))
			return w.pids[i];
	return 0;
}

unsigned watch_next_ms(const struct watch_sample *sample, uint64_t limit)
{
	uint64_t room = sample->memory < limit ? limit - sample->memory : 0;
	uint64_t ms = room / (GROWTH / 1000);

	if (sample->exact && ms < MS_EXACT)
		return MS_EXACT;
	return ms < MS_MIN ? MS_MIN : ms > MS_MAX ? MS_MAX : (unsigned)ms;
}
