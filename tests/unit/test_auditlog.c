/* SPDX-License-Identifier: Apache-2.0 */
#include "state/auditlog_view.h"

#include "base/cleanup.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static void begin(struct auditlog *l, uint64_t rotate, uint64_t keep)
{
	struct auditlog_call call = {
		.folder = folder, .rotate = rotate, .keep = keep, .sync = AUDITLOG_NEVER};
	struct err e;

	snprintf(folder, sizeof folder, "/tmp/auditlog.XXXXXX");
	check(mkdtemp(folder));
	check_int(auditlog_open(l, &call, &e), 0);
}

static void end(struct auditlog *l)
{
	char path[400];
	DIR *d = opendir(folder);

	for (struct dirent *x = d ? readdir(d) : NULL; x; x = readdir(d)) {
		snprintf(path, sizeof path, "%s/%s", folder, x->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(folder);
	auditlog_close(l);
}

static uint64_t add(struct auditlog *l, enum auditlog_kind kind, unsigned n)
{
	char members[100];
	uint64_t seq = 0;
	struct err e;
	int len = snprintf(members, sizeof members, "\"event\":\"test\",\"n\":%u", n);

	check_int(auditlog_add(l, kind, members, (size_t)len, &seq, &e), 0);
	return seq;
}

/* As it is now. */
static struct auditlog_state check_with(
	const struct auditlog *l, const struct auditlog_anchor *anchor)
{
	auto_(auditlog_view_close) struct auditlog_view v = {0};
	struct auditlog_state s = {.fault = AUDITLOG_FAULTS};

	check_int(auditlog_view_take(&v, l), 0);
	check_int(auditlog_view_check(&v, anchor, NULL, NULL, &s), 0);
	return s;
}

static struct auditlog_state look(const struct auditlog *l)
{
	return check_with(l, NULL);
}

static size_t load(const char *name, char *data, size_t room)
{
	char path[200];
	int fd;
	ssize_t n;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_RDONLY);
	n = read(fd, data, room);
	close(fd);
	return n > 0 ? (size_t)n : 0;
}

static void store(const char *name, const char *data, size_t size)
{
	char path[200];
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);
	check_int(write(fd, data, size), (ssize_t)size);
	close(fd);
}

static void lines(void)
{
	struct auditlog l;
	struct auditlog_state s;

	begin(&l, 0, 0);
	check_int(look(&l).fault, AUDITLOG_GOOD);
	for (unsigned i = 1; i <= 50; i++)
		check_u64(add(&l, AUDITLOG_EVENT, i), i);
	s = look(&l);
	check_int(s.fault, AUDITLOG_GOOD);
	check_u64(s.lines, 50);
	check_u64(s.seq, 50);
	check_u64(s.first, 1);
	end(&l);
}

/* Every byte of it matters, but for those of the last line where only its hash is known. */
static void every_byte(void)
{
	static char good[20000], bad[20000];
	struct auditlog l;
	size_t size;

	begin(&l, 0, 0);
	for (unsigned i = 0; i < 12; i++)
		add(&l, AUDITLOG_EVENT, i);
	size = load("log", good, sizeof good);
	for (size_t i = 0; i < size; i++) {
		memcpy(bad, good, size);
		bad[i] ^= 1;
		store("log", bad, size);
		if (!check(look(&l).fault != AUDITLOG_GOOD))
			break;
	}
	for (size_t cut = 0; cut < size; cut++) {
		store("log", good, cut);
		if (!check(look(&l).fault != AUDITLOG_GOOD))
			break;
	}
	store("log", good, size);
	check_int(look(&l).fault, AUDITLOG_GOOD);
	end(&l);
}

/* From, to: lines that are moved; both the same: it is removed. */
static void moved_lines(void)
{
	static char good[20000], bad[20000];
	size_t at[13] = {0}, size, n = 1;
	struct auditlog l;

	begin(&l, 0, 0);
	for (unsigned i = 0; i < 12; i++)
		add(&l, AUDITLOG_EVENT, i);
	size = load("log", good, sizeof good);
	for (size_t i = 0; i < size && n < 13; i++)
		if (good[i] == '\n')
			at[n++] = i + 1;
	for (size_t from = 0; from < 12; from++)
		for (size_t to = 0; to < 12; to++) {
			size_t len = at[from + 1] - at[from], out = 0;

			for (size_t i = 0; i < 12; i++) {
				if (i == to && to != from) {
					memcpy(bad + out, good + at[from], len);
					out += len;
				}
				if (i == from && (from + to) % 2 == 0)
					continue; /* moved; otherwise there twice */
				memcpy(bad + out, good + at[i], at[i + 1] - at[i]);
				out += at[i + 1] - at[i];
			}
			if (out == size && memcmp(bad, good, size) == 0)
				continue;
			test_row("%zu to %zu", from, to);
			store("log", bad, out);
			check(look(&l).fault != AUDITLOG_GOOD);
		}
	end(&l);
}

static void anchors(void)
{
	struct auditlog l;
	struct auditlog_state early, s;
	struct auditlog_anchor anchor;
	static char log[20000], head[400];
	size_t log_size, head_size;

	begin(&l, 0, 0);
	for (unsigned i = 0; i < 5; i++)
		add(&l, AUDITLOG_EVENT, i);
	early = look(&l);
	log_size = load("log", log, sizeof log);
	head_size = load("head", head, sizeof head);
	for (unsigned i = 0; i < 5; i++)
		add(&l, AUDITLOG_EVENT, i);
	s = look(&l);
	anchor.seq = s.seq;
	memcpy(anchor.hash, s.hash, sizeof anchor.hash);
	s = check_with(&l, &anchor);
	check_int(s.fault, AUDITLOG_GOOD);
	/* An older copy of all of it is good in itself. */
	store("log", log, log_size);
	store("head", head, head_size);
	s = check_with(&l, &anchor);
	check_int(s.fault, AUDITLOG_ANCHOR);
	anchor.seq = early.seq;
	memcpy(anchor.hash, early.hash, sizeof anchor.hash);
	s = check_with(&l, &anchor);
	check_int(s.fault, AUDITLOG_GOOD);
	end(&l);
}

static void rotation(void)
{
	struct auditlog l;
	struct auditlog_state s;
	char path[200];
	DIR *d;
	unsigned files = 0;

	begin(&l, 2000, 4);
	for (unsigned i = 0; i < 200; i++)
		add(&l, AUDITLOG_EVENT, i);
	s = look(&l);
	check_int(s.fault, AUDITLOG_GOOD);
	check_u64(s.seq, 200);
	check_u64(s.files, 5);
	check(s.first > 1);
	d = opendir(folder);
	for (struct dirent *x = readdir(d); x; x = readdir(d))
		if (strncmp(x->d_name, "log.", 4) == 0 && files++ == 0)
			snprintf(path, sizeof path, "%s/%.60s", folder, x->d_name);
	closedir(d);
	check_int(files, 4);
	unlink(path);
	check(look(&l).fault != AUDITLOG_GOOD);
	end(&l);
}

/* Eight at once, some of whom are killed at any moment. */
static void many_writers(void)
{
	struct auditlog l;
	struct auditlog_state s;
	pid_t pids[8];

	begin(&l, 30000, 0);
	for (size_t i = 0; i < 8; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct auditlog own;
			struct err e;

			if (auditlog_open(&own, &l.call, &e) < 0)
				_exit(1);
			for (unsigned k = 0; k < (i < 4 ? 500 : 1000000); k++)
				add(&own, AUDITLOG_EVENT, k);
			_exit(test_failed);
		}
	}
	for (size_t i = 4; i < 8; i++) {
		usleep(20000 + (useconds_t)i * 7919);
		kill(pids[i], SIGKILL);
	}
	for (size_t i = 0; i < 8; i++) {
		int status;

		waitpid(pids[i], &status, 0);
		if (i < 4)
			check_int(status, 0);
	}
	add(&l, AUDITLOG_EVENT, 0);
	s = look(&l);
	check_int(s.fault, AUDITLOG_GOOD);
	check(s.lines > 2000);
	check_u64(s.seq, s.lines);
	end(&l);
}

/* What has begun can end although there is no more room for anything else. */
static void no_room(void)
{
	struct rlimit before, now;
	struct auditlog l;
	struct auditlog_state s;
	struct stat st;
	uint64_t seq;
	struct err e = {0};
	char path[200];

	begin(&l, 0, 0);
	add(&l, AUDITLOG_BEGIN, 1);
	snprintf(path, sizeof path, "%s/log", folder);
	check_int(stat(path, &st), 0);
	check(st.st_blocks * 512 >= (blkcnt_t)AUDITLOG_TAIL);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	now = before;
	now.rlim_cur = (rlim_t)st.st_size + 50;
	setrlimit(RLIMIT_FSIZE, &now);
	check(auditlog_add(&l, AUDITLOG_BEGIN, "\"n\":2", 5, &seq, &e) < 0);
	check_has(e.text, folder);
	setrlimit(RLIMIT_FSIZE, &before);
	s = look(&l);
	check_int(s.fault, AUDITLOG_GOOD);
	check_u64(s.lines, 1);
	check_u64(add(&l, AUDITLOG_END, 3), 2);
	check_int(look(&l).fault, AUDITLOG_GOOD);
	end(&l);
}

static void tell(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	check(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

/* A disk of its own, of that many bytes. false: that cannot be tried here. */
static bool begin_small(struct auditlog *l, uint64_t rotate, const char *size)
{
	static bool apart;
	struct auditlog_call call;
	char uid[64], gid[64], options[64];

	snprintf(uid, sizeof uid, "0 %u 1", getuid());
	snprintf(gid, sizeof gid, "0 %u 1", getgid());
	snprintf(options, sizeof options, "mode=0700,size=%s", size);
	if (!apart && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return false;
	if (!apart) {
		tell("/proc/self/setgroups", "deny");
		tell("/proc/self/uid_map", uid);
		tell("/proc/self/gid_map", gid);
	}
	apart = true;
	begin(l, rotate, 0);
	auditlog_close(l);
	check_int(syscall(SYS_mount, "none", folder, "tmpfs", 0, options), 0);
	call = l->call;
	check_int(auditlog_open(l, &call, &(struct err){0}), 0);
	return true;
}

static void end_small(struct auditlog *l)
{
	auditlog_close(l);
	syscall(SYS_umount2, folder, 2 /* MNT_DETACH */);
	rmdir(folder);
}

/* As a command would that does not want its end to be seen. */
static void fill(void)
{
	static const char block[4096];
	char path[200];
	int fd;

	snprintf(path, sizeof path, "%s/fill", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	while (write(fd, block, sizeof block) > 0)
		;
	close(fd);
}

/* What is refused for want of room lets go of none that is kept for ends. */
static void room_is_kept(void)
{
	struct auditlog l;
	struct err e = {0};
	uint64_t seq;
	unsigned begun = 1;

	if (!begin_small(&l, 0, "1m")) {
		printf("# skipped: there are no user namespaces here\n");
		return;
	}
	add(&l, AUDITLOG_BEGIN, 1);
	fill();
	while (begun < 1000 && auditlog_add(&l, AUDITLOG_BEGIN, "\"n\":2", 5, &seq, &e) == 0)
		begun++;
	check(begun > 1 && begun < 1000);
	fill();
	while (auditlog_add(&l, AUDITLOG_EVENT, "\"n\":3", 5, &seq, &e) == 0)
		;
	fill();
	for (unsigned i = 0; i < begun; i++)
		add(&l, AUDITLOG_END, i);
	check_int(look(&l).fault, AUDITLOG_GOOD);
	end_small(&l);
}

/* The end of a command begins no new file, and what begins does so only with room for all ends. */
static void room_is_kept_when_put_aside(void)
{
	struct auditlog l;
	struct err e = {0};
	uint64_t seq;
	unsigned begun = 2;

	if (!begin_small(&l, 100, "1m")) {
		printf("# skipped: there are no user namespaces here\n");
		return;
	}
	add(&l, AUDITLOG_BEGIN, 1);
	add(&l, AUDITLOG_BEGIN, 2);
	check_u64(look(&l).files, 2);
	fill();
	while (begun < 1000 && auditlog_add(&l, AUDITLOG_BEGIN, "\"n\":3", 5, &seq, &e) == 0)
		begun++;
	check(begun < 1000);
	check_u64(look(&l).files, 2);
	fill();
	for (unsigned i = 0; i < begun; i++)
		add(&l, AUDITLOG_END, i);
	check_int(look(&l).fault, AUDITLOG_GOOD);
	check_u64(look(&l).files, 2);
	end_small(&l);
}

/* An end that nobody knows of any more. */
static void lost_head(void)
{
	static char older[400];
	struct auditlog l;
	size_t size;

	begin(&l, 0, 0);
	add(&l, AUDITLOG_EVENT, 1);
	size = load("head", older, sizeof older);
	for (unsigned i = 0; i < 5; i++)
		add(&l, AUDITLOG_EVENT, i);
	check_int(look(&l).fault, AUDITLOG_GOOD);
	store("head", older, size);
	check_int(look(&l).fault, AUDITLOG_AHEAD);
	store("head", "", 0);
	check_int(look(&l).fault, AUDITLOG_AHEAD);
	store("head", "x", 1);
	check_int(look(&l).fault, AUDITLOG_AHEAD);
	end(&l);
}

/* Nothing that was acknowledged is removed because the head is gone; half a line is. */
static void writer_keeps(void)
{
	static char log[20000], head[400];
	struct auditlog l;
	size_t log_size, head_size;
	uint64_t seq;
	struct err e = {0};

	begin(&l, 0, 0);
	for (unsigned i = 0; i < 5; i++)
		add(&l, AUDITLOG_EVENT, i);
	log_size = load("log", log, sizeof log);
	head_size = load("head", head, sizeof head);
	store("head", "", 0);
	check_int(auditlog_add(&l, AUDITLOG_EVENT, "\"n\":2", 5, &seq, &e), -EBADMSG);
	check_has(e.text, "ward audit verify");
	check_u64(load("log", log, sizeof log), log_size);
	store("head", head, head_size);
	store("log", log, log_size);
	log[log_size] = '{';
	store("log", log, log_size + 1);
	check_u64(add(&l, AUDITLOG_EVENT, 6), 6);
	check_int(look(&l).fault, AUDITLOG_GOOD);
	end(&l);
}

static int count_line(void *ctx, const char *line, size_t len)
{
	uint64_t *count = ctx;

	check(line && len > 0 && line[0] == '{' && line[len - 1] == '}');
	++*count;
	return 0;
}

static uint64_t read_from(const struct auditlog_view *v, size_t file, uint64_t from)
{
	uint64_t count = 0, end;

	for (size_t i = file; i < v->count; i++, from = 0) {
		check_int(auditlog_view_read(&v->files[i], from, count_line, &count, &end), 0);
		check_u64(end, v->files[i].size);
	}
	return count;
}

/* What a reader has opened stays as it was, while others write, put aside and remove. */
static void views(void)
{
	auto_(auditlog_view_close) struct auditlog_view v = {0};
	struct auditlog l;
	struct auditlog_state s;
	struct err e = {0};
	uint64_t from;
	size_t file;

	begin(&l, 2000, 4);
	check_int(auditlog_view_open(&v, folder, &e), 0);
	check_u64(v.count, 0);
	auditlog_view_close(&v);
	for (unsigned i = 0; i < 60; i++)
		add(&l, AUDITLOG_EVENT, i);
	check_int(auditlog_view_open(&v, folder, &e), 0);
	for (unsigned i = 0; i < 100; i++)
		add(&l, AUDITLOG_EVENT, i); /* would wait for a lock */
	check_int(auditlog_view_check(&v, NULL, NULL, NULL, &s), 0);
	check_int(s.fault, AUDITLOG_GOOD);
	check_u64(s.seq, 60);
	for (uint64_t n = 0; n < 70; n++) {
		test_row("%u", (unsigned)n);
		check_int(auditlog_view_tail(&v, n, &file, &from), 0);
		check_u64(read_from(&v, file, from), n < s.lines ? n : s.lines);
	}
	end(&l);
}

/* Only the caller's own plain files. */
static void foreign_files(void)
{
	auto_(auditlog_view_close) struct auditlog_view v = {0};
	char path[200], other[200];
	struct auditlog l;
	struct err e = {0};

	begin(&l, 0, 0);
	add(&l, AUDITLOG_EVENT, 1);
	snprintf(path, sizeof path, "%s/log", folder);
	snprintf(other, sizeof other, "%s/other", folder);
	check_int(auditlog_view_open(&v, folder, &e), 0);
	auditlog_view_close(&v);
	chmod(path, 0666);
	check_int(auditlog_view_open(&v, folder, &e), -EPERM);
	chmod(path, 0600);
	rename(path, other);
	check_int(symlink("other", path), 0);
	check(auditlog_view_open(&v, folder, &e) < 0);
	unlink(path);
	check_int(mkfifo(path, 0600), 0);
	check_int(auditlog_view_open(&v, folder, &e), -EPERM); /* at once */
	chmod(folder, 0777);
	check_int(auditlog_view_open(&v, folder, &e), -EPERM);
	check_has(e.text, folder);
	chmod(folder, 0700);
	check_int(auditlog_view_open(&v, "/nowhere/at/all", &e), -ENOENT);
	end(&l);
}

/* A fault says which file it is in. */
static void which_file(void)
{
	static char log[20000];
	struct auditlog l;
	struct auditlog_state s;
	size_t size;

	begin(&l, 2000, 0);
	for (unsigned i = 0; i < 60; i++)
		add(&l, AUDITLOG_EVENT, i);
	size = load("log.00000000000000000001", log, sizeof log);
	log[200] ^= 1;
	store("log.00000000000000000001", log, size);
	s = look(&l);
	check(s.fault != AUDITLOG_GOOD);
	check_str(s.file, "log.00000000000000000001");
	end(&l);
}

static const struct test tests[] = {
	{"lines are numbered and chained", lines},
	{"every changed byte and every cut is found", every_byte},
	{"lines that were moved, doubled or removed are found", moved_lines},
	{"an older copy is found by what was noted elsewhere", anchors},
	{"files are put aside, the oldest removed, and the chain goes on", rotation},
	{"many writers, some of whom die", many_writers},
	{"without room nothing is half written", no_room},
	{"a head that is lost, or an older one, is found", lost_head},
	{"a writer removes nothing that was acknowledged", writer_keeps},
	{"readers keep nobody waiting and see one moment", views},
	{"what others could have written is not read", foreign_files},
	{"a fault says in which file it is", which_file},
	/* Behind all others: the process is in a namespace of its own from here on. */
	{"room for ends is kept when there is no other", room_is_kept},
	{"room for ends is kept when a file is put aside", room_is_kept_when_put_aside},
};
TEST_MAIN(tests)
