/* SPDX-License-Identifier: Apache-2.0 */
#include "brokered.h"
#include "fileops.h"

#include "base/macro.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

/*
 * What must not work, and what must not break the broker. Each attempt has its control: without a
 * broker the same rows succeed. The verdict is what is in the folder afterwards.
 */
#define W O_WRONLY
#define C (O_CREAT | O_WRONLY)
#define CT (O_CREAT | O_WRONLY | O_TRUNC)

static const char *const protect[] = {".git/config", ".git/hooks/**", ".envrc", "*.pem",
	".claude/**", "**/.mcp.json", "mods/**/config", ".vscode/tasks.json", "top/*/x"};
static const char *const hidden[] = {".env", "secret/**"};

/* The files that are there at the start. All hold "old". */
static const char *const files[] = {".git/config", ".git/hooks/pre-commit", ".git/HEAD", "plain",
	"key.pem", "d/file", "e/config", "e/sub/.mcp.json", "mods/m/config", "cfg/tasks.json",
	"mods/m/free", "top/wild/x", ".env", "secret/a", "real/deep.txt"};
static const char *const folders[] = {".git", ".git/hooks", "d", "e", "e/sub", "mods", "mods/m",
	"cfg", "top", "top/wild", "secret", "real"};
static const char *const guarded[] = {".git/config", ".git/hooks/pre-commit", "key.pem",
	"e/sub/.mcp.json", "mods/m/config", "cfg/tasks.json", "top/wild/x"};
static const char *const absent[] = {".envrc", ".git/hooks/post-merge", "new.pem", ".claude",
	".claude/settings.json", "d/.mcp.json", "mods/evil", ".vscode/tasks.json2"};

static void put(const char *path)
{
	auto_fd int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);

	check(fd >= 0 && write(fd, "old", 3) == 3);
}

/* In the present folder. */
static void plant(void)
{
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		check(mkdir(folders[i], 0755) == 0);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		put(files[i]);
	check(symlink("cfg", ".vscode") == 0);
	check(symlink("real/deep.txt", "cert.pem") == 0);
}

static bool holds_old(const char *path)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[8] = "";
	struct stat st;

	return fd >= 0 && read(fd, text, sizeof(text) - 1) == 3 && strcmp(text, "old") == 0 &&
	       fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0644 && st.st_nlink == 1;
}

static void check_untouched(void)
{
	char target[8] = "";

	for (size_t i = 0; i < ARRAY_LEN(guarded); i++)
		if (!holds_old(guarded[i]))
			test_check(false, __FILE__, __LINE__, "%s was changed", guarded[i]);
	for (size_t i = 0; i < ARRAY_LEN(absent); i++)
		if (access(absent[i], F_OK) == 0)
			test_check(false, __FILE__, __LINE__, "%s was made", absent[i]);
	check(holds_old("real/deep.txt"));
	check(readlink(".vscode", target, sizeof(target) - 1) == 3 && strcmp(target, "cfg") == 0);
}

#define STEPS_MAX 5
struct attack {
	const char *name;
	int code; /* of the last step; the steps before succeed */
	struct fileop_row steps[STEPS_MAX];
};

#define NONE_FLAGS 0, 0
static const struct attack attacks[] = {
	{"write", EACCES, {{OP_OPEN, ".git/config", NULL, W, 0}}},
	{"append", EACCES, {{OP_OPEN, ".git/config", NULL, W | O_APPEND, 0}}},
	{"read and write", EACCES, {{OP_OPEN, ".git/config", NULL, O_RDWR, 0}}},
	{"truncate by open", EACCES, {{OP_OPEN, ".git/config", NULL, O_RDONLY | O_TRUNC, 0}}},
	{"creat", EACCES, {{OP_CREAT, ".git/config", NULL, 0, 0644}}},
	{"absolute", EACCES, {{OP_OPEN, "@/.git/config", NULL, W, 0}}},
	{"by a folder's descriptor", EACCES, {{OP_OPENAT, "config", ".git", W, 0}}},
	{"by a file's neighbour", EACCES, {{OP_OPENAT, "../config", ".git/hooks", W, 0}}},
	{"slashes and dots", EACCES, {{OP_OPEN, "d/.././/.git//./config", NULL, W, 0}}},
	{"from inside", EACCES,
		{{OP_CHDIR, ".git", NULL, NONE_FLAGS}, {OP_OPEN, "config", NULL, W, 0}}},
	{"by /proc/self/cwd", EACCES, {{OP_OPEN, "/proc/self/cwd/.git/config", NULL, W, 0}}},
	{"by /proc/thread-self/cwd", EACCES,
		{{OP_OPEN, "/proc/thread-self/cwd/.git/config", NULL, W, 0}}},
	{"by /proc/self/root", EACCES, {{OP_OPEN, "/proc/self/root@", NULL, W, 0}}},
	{"opened again", EACCES, {{OP_REOPEN, ".git/config", NULL, W, 0}}},
	{"opened again, truncated", EACCES, {{OP_REOPEN, ".git/config", NULL, W | O_TRUNC, 0}}},
	{"opened again, created", EACCES, {{OP_REOPEN, ".git/config", NULL, CT, 0644}}},
	{"a link to it", EACCES,
		{{OP_SYMLINK, ".git/config", "l", NONE_FLAGS}, {OP_OPEN, "l", NULL, W, 0}}},
	{"a full link to it", EACCES,
		{{OP_SYMLINK, "@/.git/config", "l", NONE_FLAGS}, {OP_OPEN, "l", NULL, W, 0}}},
	{"links to links", EACCES,
		{{OP_SYMLINK, "m", "l", NONE_FLAGS}, {OP_SYMLINK, "d/n", "m", NONE_FLAGS},
			{OP_SYMLINK, "../.git/config", "d/n", NONE_FLAGS},
			{OP_OPEN, "l", NULL, W, 0}}},
	{"a link to its folder", EACCES,
		{{OP_SYMLINK, ".git", "g", NONE_FLAGS}, {OP_OPEN, "g/config", NULL, W, 0}}},
	{"a link by /proc", EACCES,
		{{OP_SYMLINK, "/proc/self/cwd/.git", "g", NONE_FLAGS},
			{OP_OPEN, "g/config", NULL, W, 0}}},
	{"a dangling link", EACCES,
		{{OP_SYMLINK, ".envrc", "l", NONE_FLAGS}, {OP_OPEN, "l", NULL, CT, 0644}}},
	{"removed", EACCES, {{OP_UNLINK, ".git/config", NULL, NONE_FLAGS}}},
	{"renamed", EACCES, {{OP_RENAME, ".git/config", "x", NONE_FLAGS}}},
	{"replaced", EACCES, {{OP_RENAME, "plain", ".git/config", NONE_FLAGS}}},
	{"replaced by way of a lock", EACCES,
		{{OP_OPEN, ".git/config.lock", NULL, C | O_EXCL, 0644},
			{OP_RENAME, ".git/config.lock", ".git/config", NONE_FLAGS}}},
	{"exchanged", EACCES, {{OP_RENAME2, "plain", ".git/config", 2, 0}}},
	{"exchanged the other way", EACCES, {{OP_RENAME2, ".git/config", "plain", 2, 0}}},
	{"second name", EACCES, {{OP_LINK, ".git/config", "second", NONE_FLAGS}}},
	{"second name of a link's target", EACCES,
		{{OP_SYMLINK, ".git/config", "l", NONE_FLAGS},
			{OP_LINKAT, "l", "second", AT_SYMLINK_FOLLOW, 0}}},
	{"mode", EACCES, {{OP_CHMOD, ".git/config", NULL, 0, 0777}}},
	{"mode by descriptor", EACCES, {{OP_FCHMOD, ".git/config", NULL, O_RDONLY, 0777}}},
	{"mode by a link", EACCES,
		{{OP_SYMLINK, ".git/config", "l", NONE_FLAGS}, {OP_CHMOD, "l", NULL, 0, 0777}}},
	{"owner", EACCES, {{OP_CHOWN, ".git/config", NULL, NONE_FLAGS}}},
	{"owner by descriptor", EACCES, {{OP_FCHOWN, ".git/config", NULL, O_RDONLY, 0}}},
	{"attribute", EACCES, {{OP_SETXATTR, ".git/config", "user.x", NONE_FLAGS}}},
	{"attribute by descriptor", EACCES, {{OP_FSETXATTR, ".git/config", NULL, O_RDONLY, 0}}},
	{"truncated", EACCES, {{OP_TRUNCATE, ".git/config", NULL, NONE_FLAGS}}},
	{"other case", EACCES, {{OP_OPEN, ".GIT", NULL, C, 0644}}},
	{"other case of a file", EACCES, {{OP_OPEN, ".Envrc", NULL, C, 0644}}},
	{"other letters for the same", EACCES, {{OP_OPEN, ".git/hoo\xe2\x84\xaas", NULL, C, 0644}}},

	{"made", EACCES, {{OP_OPEN, ".envrc", NULL, CT, 0644}}},
	{"made by creat", EACCES, {{OP_CREAT, ".envrc", NULL, 0, 0644}}},
	{"made as a folder", EACCES, {{OP_MKDIR, ".envrc", NULL, 0, 0755}}},
	{"made as a folder with a slash", EACCES, {{OP_MKDIR, ".envrc///", NULL, 0, 0755}}},
	{"made as a link", EACCES, {{OP_SYMLINK, "plain", ".envrc", NONE_FLAGS}}},
	{"made as a pipe", EACCES, {{OP_MKNOD, ".envrc", NULL, 0, S_IFIFO | 0666}}},
	{"made as a file by mknod", EACCES, {{OP_MKNOD, ".envrc", NULL, 0, S_IFREG | 0666}}},
	{"made as a second name", EACCES, {{OP_LINK, "plain", ".envrc", NONE_FLAGS}}},
	{"made from a file without name", EACCES, {{OP_TMPLINK, ".", ".envrc", 0, 0644}}},
	{"made by renaming", EACCES, {{OP_RENAME, "plain", ".envrc", NONE_FLAGS}}},
	{"made by renaming a folder", EACCES, {{OP_RENAME, "d", ".envrc", NONE_FLAGS}}},
	{"made by a pattern", EACCES, {{OP_OPEN, "new.pem", NULL, CT, 0644}}},
	{"made in a folder", EACCES, {{OP_OPEN, ".git/hooks/post-merge", NULL, CT, 0755}}},
	{"a folder of protected ones", EACCES, {{OP_MKDIR, ".claude", NULL, 0, 0755}}},
	{"a file where a folder belongs", EACCES, {{OP_OPEN, ".claude", NULL, CT, 0644}}},
	{"a link where a folder belongs", EACCES, {{OP_SYMLINK, "d", ".claude", NONE_FLAGS}}},
	{"a folder brought there", EACCES, {{OP_RENAME, "d", ".claude", NONE_FLAGS}}},
	{"a folder brought there from outside", EACCES,
		{{OP_MKDIR, "%/o", NULL, 0, 0755}, {OP_RENAME, "%/o", ".claude", NONE_FLAGS}}},

	{"the folder above renamed", EBUSY, {{OP_RENAME, ".git", ".git2", NONE_FLAGS}}},
	{"the folder above exchanged", EBUSY, {{OP_RENAME2, ".git", "d", 2, 0}}},
	{"the folder above exchanged the other way", EACCES, {{OP_RENAME2, "d", ".git", 2, 0}}},
	{"the folder above with a slash", EBUSY, {{OP_RENAME, ".git/", "x/", NONE_FLAGS}}},
	{"the folder itself renamed", EBUSY, {{OP_RENAME, ".git/hooks", "x", NONE_FLAGS}}},
	{"the folder itself, mode", EACCES, {{OP_CHMOD, ".git/hooks", NULL, 0, 0777}}},
	{"deep: the folder above", EBUSY, {{OP_RENAME, "mods", "x", NONE_FLAGS}}},
	{"deep: a folder moved in", EACCES, {{OP_RENAME, "e", "mods/evil", NONE_FLAGS}}},
	{"deep: a folder moved out", EACCES, {{OP_RENAME, "mods/m", "x", NONE_FLAGS}}},
	{"deep: a folder exchanged", EACCES, {{OP_RENAME2, "e", "mods/m", 2, 0}}},
	{"deep: written", EACCES, {{OP_OPEN, "mods/m/config", NULL, W, 0}}},
	{"any depth: made", EACCES, {{OP_OPEN, "d/.mcp.json", NULL, CT, 0644}}},
	{"any depth: written", EACCES, {{OP_OPEN, "e/sub/.mcp.json", NULL, W, 0}}},
	{"any depth: moved out", EACCES, {{OP_RENAME, "e", "%/e", NONE_FLAGS}}},
	{"any depth: moved in", EACCES,
		{{OP_MKDIR, "%/i", NULL, 0, 0755}, {OP_OPEN, "%/i/.mcp.json", NULL, CT, 0644},
			{OP_RENAME, "%/i", "i", NONE_FLAGS}}},
	{"wildcards: the folder above", EBUSY, {{OP_RENAME, "top/wild", "x", NONE_FLAGS}}},
	{"wildcards: a folder brought there", EACCES, {{OP_RENAME, "e", "top/new", NONE_FLAGS}}},
	{"wildcards: a link put there", EACCES, {{OP_SYMLINK, "../e", "top/new", NONE_FLAGS}}},

	{"the target of a link, written", EACCES, {{OP_OPEN, "cfg/tasks.json", NULL, W, 0}}},
	{"by the link", EACCES, {{OP_OPEN, ".vscode/tasks.json", NULL, W, 0}}},
	{"the target of a link, renamed", EBUSY, {{OP_RENAME, "cfg", "x", NONE_FLAGS}}},
	{"the link itself, removed", EACCES, {{OP_UNLINK, ".vscode", NULL, NONE_FLAGS}}},
	{"the link itself, renamed", EBUSY, {{OP_RENAME, ".vscode", "x", NONE_FLAGS}}},
	{"the link itself, replaced", EACCES, {{OP_RENAME, "plain", ".vscode", NONE_FLAGS}}},
	{"the target of a link by pattern", EACCES, {{OP_OPEN, "real/deep.txt", NULL, W, 0}}},
};

struct attempt {
	char dir[64], outside[64];
	const struct attack *attack;
	bool plain;
};

static void attempt(void *ctx)
{
	struct attempt *a = ctx;
	struct fileop_dirs dirs = {a->dir, a->outside};
	char byroot[128];

	check(chdir(a->dir) == 0);
	for (size_t i = 0; i < STEPS_MAX && a->attack->steps[i].a; i++) {
		struct fileop_row row = a->attack->steps[i];
		bool last = i + 1 == STEPS_MAX || !a->attack->steps[i + 1].a;
		long r;

		if (strcmp(row.a, "/proc/self/root@") == 0) {
			snprintf(byroot, sizeof(byroot), "/proc/self/root%s/.git/config", a->dir);
			row.a = byroot;
		}
		r = fileop_run(&dirs, &row);
		if (last && !a->plain)
			check_int(-r, a->attack->code);
		else
			check(r >= 0);
	}
}

static void begin_attempt(struct attempt *a)
{
	brokered_make_dir(a->dir, sizeof(a->dir));
	brokered_make_dir(a->outside, sizeof(a->outside));
	check(chdir(a->dir) == 0);
	plant();
}

static void end_attempt(struct attempt *a)
{
	check(chdir("/") == 0);
	brokered_remove(a->dir);
	brokered_remove(a->outside);
}

static struct brokered brokered_for(const struct attempt *a, bool floor)
{
	return (struct brokered){
		.spec = {.root = a->dir,
			.protect = protect,
			.protect_count = ARRAY_LEN(protect),
			.floor = floor,
			.floor_truncates = floor},
		.free = a->outside,
	};
}

static void attack_all(bool floor)
{
	umask(022);
	for (size_t i = 0; i < ARRAY_LEN(attacks); i++) {
		struct attempt a = {.attack = &attacks[i]};
		struct brokered t;

		test_row("%s%s", attacks[i].name, floor ? ", floor" : "");
		begin_attempt(&a);
		t = brokered_for(&a, floor);
		brokered_run(&t, attempt, &a);
		test_failed |= t.status != 0;
		check_untouched();
		check_u64(t.report.refused_total, 1);
		check_u64(t.report.refused_count, 1);
		end_attempt(&a);
	}
}

/* Every attempt works where there is no broker; else it shows nothing. */
static void test_controls(void)
{
	umask(022);
	for (size_t i = 0; i < ARRAY_LEN(attacks); i++) {
		struct attempt a = {.attack = &attacks[i], .plain = true};

		test_row("%s, without a broker", attacks[i].name);
		begin_attempt(&a);
		test_failed |= !brokered_plain(attempt, &a);
		end_attempt(&a);
	}
}

static void test_attacks(void)
{
	attack_all(false);
}

static void test_attacks_floor(void)
{
	if (brokered_has_floor())
		attack_all(true);
	else
		printf("# Landlock before interface 3: not tried with a floor\n");
}

/* What must go on working around protected names. */
static const struct {
	struct fileop_row row;
	int code;
} fine[] = {
	{{OP_OPEN, ".git/index.lock", NULL, C | O_EXCL, 0644}, 0},
	{{OP_RENAME, ".git/index.lock", ".git/index", 0, 0}, 0},
	{{OP_MKDIR, ".git/objects", NULL, 0, 0755}, 0},
	{{OP_OPEN, ".git/HEAD", NULL, W, 0}, 0},
	{{OP_UNLINK, ".git/HEAD", NULL, 0, 0}, 0},
	{{OP_OPEN, ".git/config", NULL, O_RDONLY | O_CREAT, 0644}, 0},
	{{OP_OPEN, ".git/config", NULL, O_RDONLY, 0}, 0},
	{{OP_MKDIR, ".git", NULL, 0, 0755}, EEXIST},
	{{OP_MKDIR, ".git/hooks", NULL, 0, 0755}, EEXIST},
	{{OP_UNLINK, ".envrc", NULL, 0, 0}, ENOENT},
	{{OP_RMDIR, ".claude", NULL, 0, 0}, ENOENT},
	{{OP_OPEN, ".envrc", NULL, W, 0}, ENOENT},
	{{OP_RENAME, ".envrc", "x", 0, 0}, ENOENT},
	{{OP_CHMOD, ".envrc", NULL, 0, 0600}, ENOENT},
	{{OP_OPEN, ".git/config", NULL, C | O_EXCL, 0644}, EEXIST},
	{{OP_UNLINK, ".git", NULL, 0, 0}, EISDIR},
	{{OP_RMDIR, ".git", NULL, 0, 0}, ENOTEMPTY},
	{{OP_RENAME, "e/sub", "e/sub2", 0, 0}, 0},
	{{OP_RENAME, "e/sub2", "e/sub", 0, 0}, 0},
	{{OP_OPEN, "top/file", NULL, CT, 0644}, 0},
	{{OP_MKDIR, "top/folder", NULL, 0, 0755}, 0},
	{{OP_OPEN, "sub.pem.txt", NULL, CT, 0644}, 0},
	{{OP_OPEN, "d/a.pem", NULL, CT, 0644}, 0},
	{{OP_OPEN, "cfg/settings.json", NULL, CT, 0644}, 0},
	{{OP_OPEN, ".vscode/other.json", NULL, CT, 0644}, 0},
	{{OP_OPEN, "mods/m/free", NULL, W, 0}, 0},
	{{OP_RENAME, "mods/m/free", "freed", 0, 0}, 0},
};

static void play_fine(void *ctx)
{
	struct attempt *a = ctx;
	struct fileop_dirs dirs = {a->dir, a->outside};

	for (size_t i = 0; i < ARRAY_LEN(fine); i++) {
		long r = fileop_run(&dirs, &fine[i].row);

		test_row("op %d %s", (int)fine[i].row.op, fine[i].row.a);
		check_int(r < 0 ? -r : 0, fine[i].code);
	}
}

static void test_fine(void)
{
	struct attempt a = {0};
	struct brokered t;

	begin_attempt(&a);
	t = brokered_for(&a, brokered_has_floor());
	check(brokered_run(&t, play_fine, &a));
	check_u64(t.report.refused_total, 0);
	check_untouched();
	end_attempt(&a);
}

/* ---- hidden names */

static void play_hidden(void *ctx)
{
	char text[8] = "";
	int fd;

	(void)ctx;
	check(open(".env", O_RDONLY) < 0 && errno == EACCES);
	check(open("secret/a", O_RDONLY) < 0 && errno == EACCES);
	check(open("/proc/self/cwd/secret/a", O_RDONLY) < 0 && errno == EACCES);
	check(open(".env", O_RDWR) < 0 && errno == EACCES);
	check(open(".env", O_WRONLY) < 0 && errno == EACCES);
	check(rename("secret", "open") < 0 && errno == EBUSY);
	check(link(".env", "open") < 0 && errno == EACCES);
	check(symlink(".env", "l") == 0 && open("l", O_RDONLY) < 0 && errno == EACCES);
	fd = open(".env", O_PATH);
	check(fd >= 0);
	snprintf(text, sizeof(text), "%d", fd);

	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	check(open(self, O_RDONLY) < 0 && errno == EACCES);
	fd = open("plain", O_RDONLY);
	check(fd >= 0 && read(fd, text, 3) == 3 && memcmp(text, "old", 3) == 0);
	check(open("missing", O_RDONLY) < 0 && errno == ENOENT);
	check(open("secret", O_RDONLY | O_DIRECTORY) >= 0);
	check(open("/etc/passwd", O_RDONLY) >= 0);
	check(open("/proc/self/status", O_RDONLY) >= 0);
}

static void hide(bool floor)
{
	struct attempt a = {0};
	struct brokered t;

	begin_attempt(&a);
	t = brokered_for(&a, floor);
	t.spec.hide = hidden;
	t.spec.hide_count = ARRAY_LEN(hidden);
	check(brokered_run(&t, play_hidden, &a));
	end_attempt(&a);
}

static void test_hidden(void)
{
	hide(false);
	if (brokered_has_floor())
		hide(true);
}

/* ---- races: a thread changes the path, or the folders, under the broker's hands */

#define FLIPS 20000
#define SEEN() __asm__ volatile("" ::: "memory") /* no store is left out */
struct flipping {
	char path[64];
	volatile bool stop;
};

static void *flip(void *ctx)
{
	struct flipping *f = ctx;

	while (!f->stop) {
		memcpy(f->path, "plain\0onfig", 12);
		SEEN();
		memcpy(f->path, ".git/config", 12);
		SEEN();
	}
	return NULL;
}

static void play_flip(void *ctx)
{
	struct flipping f = {.path = "plain"};
	size_t good = 0, bad = 0;
	pthread_t thread;

	(void)ctx;
	check(pthread_create(&thread, NULL, flip, &f) == 0);
	for (size_t i = 0; i < FLIPS; i++) {
		int fd = open(f.path, O_WRONLY);

		good += fd >= 0;
		bad += fd < 0;
		if (fd >= 0) {
			check(write(fd, "new", 3) == 3);
			close(fd);
		}
	}
	f.stop = true;
	pthread_join(thread, NULL);
	check(good > 0 && bad > 0);
}

static void *swap(void *ctx)
{
	struct flipping *f = ctx;

	while (!f->stop)
		syscall(SYS_renameat2, AT_FDCWD, "swap1", AT_FDCWD, "swap2", 2);
	return NULL;
}

static void play_swap(void *ctx)
{
	struct flipping f = {0};
	pthread_t thread;

	(void)ctx;
	check(mkdir("swap1", 0755) == 0 && symlink(".git", "swap2") == 0);
	check(pthread_create(&thread, NULL, swap, &f) == 0);
	for (size_t i = 0; i < FLIPS / 4; i++) {
		int fd = open("swap1/config", O_WRONLY | O_CREAT, 0644);

		if (fd >= 0) {
			check(write(fd, "new", 3) == 3);
			close(fd);
		}
	}
	f.stop = true;
	pthread_join(thread, NULL);
}

static void race(void (*fn)(void *ctx), bool floor)
{
	struct attempt a = {0};
	struct brokered t;

	begin_attempt(&a);
	t = brokered_for(&a, floor);
	check(brokered_run(&t, fn, &a));
	check_untouched();
	check(t.report.refused_total > 0);
	end_attempt(&a);
}

static void test_races(void)
{
	test_row("path");
	race(play_flip, false);
	test_row("folders");
	race(play_swap, false);
	if (!brokered_has_floor())
		return;
	test_row("path, floor");
	race(play_flip, true);
	test_row("folders, floor");
	race(play_swap, true);
}

/* The path flips between the workspace and outside, where the kernel may go on with the call. */
static void *flip_out(void *ctx)
{
	struct flipping *f = ctx;
	char outside[sizeof(f->path)];

	memcpy(outside, f->path, sizeof(outside));
	while (!f->stop) {
		memcpy(f->path, outside, sizeof(outside));
		SEEN();
		memcpy(f->path, "key.pem", 8);
		SEEN();
	}
	return NULL;
}

static void play_flip_out(void *ctx)
{
	const struct attempt *a = ctx;
	struct flipping f = {0};
	size_t good = 0;
	pthread_t thread;

	snprintf(f.path, sizeof(f.path), "%.50s/free", a->outside);
	check(close(open(f.path, O_CREAT | O_WRONLY, 0644)) == 0);
	check(pthread_create(&thread, NULL, flip_out, &f) == 0);
	for (size_t i = 0; i < FLIPS; i++) {
		int fd = open(f.path, O_WRONLY);

		if (fd >= 0) {
			check(write(fd, "new", 3) == 3);
			close(fd);
		}
		/* No floor is below these two. */
		good += chmod(f.path, 0600) == 0;
		good += truncate(f.path, 1) == 0;
	}
	f.stop = true;
	pthread_join(thread, NULL);
	check(good > 0);
}

static void test_race_outside(void)
{
	race(play_flip_out, false);
	if (brokered_has_floor())
		race(play_flip_out, true);
}

/* ---- the broker's own things */

static void play_own(void *ctx)
{
	pid_t broker = getppid();
	char path[64];

	(void)ctx;
	for (int fd = 0; fd < 64; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", broker, fd);
		check(open(path, O_RDWR) < 0);
		check(open(path, O_WRONLY) < 0);
		snprintf(path, sizeof(path), "/proc/%d/fd/%d/planted", broker, fd);
		check(open(path, O_WRONLY | O_CREAT, 0644) < 0);
		check(mkdir(path, 0755) < 0);
		/* What is not open here is not open, though it is in the broker. */
		if (fd > 20 || fcntl(fd, F_GETFD) < 0) {
			snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
			check(open(path, O_RDWR) < 0 && errno == ENOENT);
			snprintf(path, sizeof(path), "/dev/fd/%d", fd);
			check(open(path, O_RDWR) < 0 && errno == ENOENT);
		}
	}
	static const char *const own[] = {"mem", "comm", "oom_score_adj", "clear_refs"};

	for (size_t i = 0; i < ARRAY_LEN(own); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", broker, own[i]);
		check(open(path, O_RDWR) < 0 && errno == EACCES);
	}
	snprintf(path, sizeof(path), "/proc/%d/cwd/planted", broker);
	check(open(path, O_WRONLY | O_CREAT, 0644) < 0);
	snprintf(path, sizeof(path), "/proc/%d/root/tmp/planted", broker);
	check(open(path, O_WRONLY | O_CREAT, 0644) < 0);

	/* Its own are its own. */
	int fd = open("/proc/self/comm", O_WRONLY);

	check(fd >= 0 && write(fd, "renamed", 7) == 7);
	close(fd);
	check(prctl(PR_GET_NAME, path) == 0 && strcmp(path, "renamed") == 0);
}

static void test_own(void)
{
	struct attempt a = {0};
	struct brokered t;

	begin_attempt(&a);
	t = brokered_for(&a, false);
	check(brokered_run(&t, play_own, &a));
	end_attempt(&a);
}

/* ---- arguments that lead nowhere */

static long openat_raw(const void *path, int flags)
{
	long fd = syscall(SYS_openat, AT_FDCWD, path, flags, 0644);

	if (fd >= 0)
		close((int)fd);
	return fd < 0 ? -errno : 0;
}

static void play_pointers(void *ctx)
{
	char *pages =
		mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static char longest[5000];

	(void)ctx;
	check(pages != MAP_FAILED && munmap(pages + 2 * 4096, 4096) == 0);
	check_int(openat_raw(NULL, CT), -EFAULT);
	check_int(openat_raw((void *)8, CT), -EFAULT);
	check_int(openat_raw((void *)-1L, CT), -EFAULT);
	check_int(openat_raw((void *)(1UL << 63), CT), -EFAULT);

	char *end = pages + 2 * 4096;

	memcpy(end - 5, "atend", 5); /* no NUL before the end */
	check_int(openat_raw(end - 5, CT), -EFAULT);
	memcpy(end - 6, "atend", 6); /* just there */
	check_int(openat_raw(end - 6, CT), 0);
	memcpy(pages + 4096 - 3, "across", 7);
	check_int(openat_raw(pages + 4096 - 3, CT), 0);
	check(access("atend", F_OK) == 0 && access("across", F_OK) == 0);

	memset(longest, '/', sizeof(longest));
	memcpy(longest + 4094, "a", 2); /* 4095 and its NUL */
	check_int(openat_raw(longest, O_RDONLY | O_CREAT), -EACCES * (geteuid() != 0));
	memcpy(longest + 4094, "ab", 3);
	check_int(openat_raw(longest, O_RDONLY | O_CREAT), -ENAMETOOLONG);
	check(mprotect(pages, 4096, PROT_NONE) == 0);
	check_int(openat_raw(pages + 10, CT), -EFAULT);

	check(syscall(SYS_openat, -5, "x", CT, 0644) < 0 && errno == EBADF);
	check(syscall(SYS_openat, 999, "x", CT, 0644) < 0 && errno == EBADF);
	check(syscall(SYS_renameat2, AT_FDCWD, "plain", AT_FDCWD, NULL, 0) < 0 && errno == EFAULT);
	check(syscall(SYS_symlinkat, NULL, AT_FDCWD, "l") < 0 && errno == EFAULT);
	check(syscall(SYS_setxattr, "plain", "user.x", 8L, 10, 0) < 0 && errno == EFAULT);
	check(syscall(SYS_setxattr, "plain", "user.x", pages, 1 << 17, 0) < 0 && errno == E2BIG);
	check(syscall(SYS_setxattr, "plain", NULL, "x", 1, 0) < 0 && errno == EFAULT);
	check(syscall(SYS_fchmod, -1, 0644) < 0 && errno == EBADF);
	check(syscall(SYS_fchmod, 999, 0644) < 0 && errno == EBADF);
	check(chmod("plain", 04755) < 0 && errno == EPERM);
	check(syscall(SYS_openat, AT_FDCWD, "suid", CT, 06755) < 0 && errno == EPERM);
	check(syscall(SYS_mknodat, AT_FDCWD, "dev", S_IFCHR | 0666, 0x103) < 0 && errno == EPERM);
	check(syscall(SYS_mount, "x", "/", "tmpfs", 0, NULL) < 0 && errno == EPERM);
	check(syscall(SYS_mount, "x", "/", "tmpfs", 0, NULL) < 0 && errno == EPERM);
}

static void test_pointers(void)
{
	struct attempt a = {0};
	struct brokered t;

	begin_attempt(&a);
	t = brokered_for(&a, false);
	check(brokered_run(&t, play_pointers, &a));
	check_untouched();
	check(access("suid", F_OK) < 0 && access("dev", F_OK) < 0);
	check_u64(t.report.denied_count, 1);
	check_int(t.report.denied[0].nr, SYS_mount);
	check_u64(t.report.denied[0].count, 2);
	unlink("/a"); /* the longest path leads there, as root */
	end_attempt(&a);
}

/* ---- crowds, deaths, waiting, limits */

#define CROWD 100
static void *make_one(void *ctx)
{
	char name[32];

	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "t%ld.%d", (long)ctx, i);
		close(open(name, O_CREAT | O_EXCL | O_WRONLY, 0644));
	}
	return NULL;
}

static void play_crowd(void *ctx)
{
	pthread_t threads[CROWD];
	char name[48];

	(void)ctx;
	for (long i = 0; i < CROWD; i++)
		check(pthread_create(&threads[i], NULL, make_one, (void *)i) == 0);
	for (long i = 0; i < CROWD; i++)
		pthread_join(threads[i], NULL);
	for (long i = 0; i < CROWD; i++)
		for (int k = 0; k < 5; k++) {
			snprintf(name, sizeof(name), "t%ld.%d", i, k);
			check(access(name, F_OK) == 0);
		}
}

/* Children die in the middle of calls; the broker and the others go on. */
static void play_deaths(void *ctx)
{
	(void)ctx;
	for (int i = 0; i < 50; i++) {
		pid_t pid = fork();

		if (pid == 0)
			for (;;)
				close(open("victim", O_CREAT | O_WRONLY, 0644));
		usleep((unsigned)(i * 37 % 1000));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	check(open("alive", O_CREAT | O_WRONLY, 0644) >= 0);
}

static void *read_fifo(void *ctx)
{
	int fd = open("fifo", O_RDONLY);
	char *text = ctx;

	check(fd >= 0 && read(fd, text, 3) == 3);
	close(fd);
	return NULL;
}

static void *write_fifo(void *ctx)
{
	int fd = open("fifo", O_WRONLY | O_CREAT, 0644);

	(void)ctx;
	check(fd >= 0 && write(fd, "abc", 3) == 3);
	close(fd);
	return NULL;
}

static void play_fifo(void *ctx)
{
	char text[8] = "";
	pthread_t thread;

	(void)ctx;
	check(mkfifo("fifo", 0644) == 0);
	check(pthread_create(&thread, NULL, read_fifo, text) == 0);
	write_fifo(NULL);
	pthread_join(thread, NULL);
	check_str(text, "abc");
	/* The writer first. While it waits, others are served. */
	check(pthread_create(&thread, NULL, write_fifo, NULL) == 0);
	usleep(20000);
	check(open("while-waiting", O_CREAT | O_WRONLY, 0644) >= 0);
	read_fifo(text);
	pthread_join(thread, NULL);

	/* One that is killed while it waits leaves nobody behind. */
	pid_t pid = fork();

	if (pid == 0) {
		open("fifo", O_WRONLY);
		_exit(0);
	}
	usleep(20000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* More than may wait at once. */
	for (int i = 0; i < BROKER_WAITING_MAX + 4; i++)
		if (fork() == 0) {
			open("fifo", O_WRONLY);
			_exit(errno == EAGAIN ? 7 : 0);
		}
	int refused = 0, status;

	for (int i = 0; i < 3; i++)
		refused += wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 7;
	check_int(refused, 3);
	check(open("fifo", O_RDONLY) >= 0); /* lets the others go */
	while (wait(&status) > 0)
		;
}

static void play_full(void *ctx)
{
	struct rlimit few = {20, 20};
	int fds[32];
	size_t count = 0;

	(void)ctx;
	check(setrlimit(RLIMIT_NOFILE, &few) == 0);
	while (count < 32 && (fds[count] = open("plain", O_RDONLY)) >= 0)
		count++;
	check(count > 0 && errno == EMFILE);
	check(open("d/file", O_WRONLY | O_TRUNC) < 0 && errno == EMFILE);
	check(open("not-made", O_WRONLY | O_CREAT, 0644) < 0 && errno == EMFILE);
	check(open("plain", O_WRONLY) < 0 && errno == EMFILE);
	check(access("not-made", F_OK) < 0);
	close(fds[0]);

	int fd = open("made", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	check_int(fd, fds[0]); /* the lowest, as ever */
	check_int(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	fd = open("made", O_WRONLY);
	check_int(fcntl(fd, F_GETFD), 0);
	close(fd);

	struct rlimit small = {100, 100};

	signal(SIGXFSZ, SIG_IGN);
	check(setrlimit(RLIMIT_FSIZE, &small) == 0);
	check(truncate("made", 101) < 0 && errno == EFBIG);
	check(truncate("made", 100) == 0);
}

/* A descriptor that was handed out behaves as one that was opened. */
static void play_descriptor(void *ctx)
{
	int fd = open("fd", O_RDWR | O_CREAT | O_APPEND, 0600);
	struct flock lock = {.l_type = F_WRLCK};

	(void)ctx;
	check((fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK)) == (O_RDWR | O_APPEND));
	check(fcntl(fd, F_SETLK, &lock) == 0);
	check(ftruncate(fd, 1 << 20) == 0 && fallocate(fd, 0, 0, 4096) == 0);
	check(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED);
	check(fchmod(fd, 0640) == 0);
	close(fd);
	/* One without a name may be changed, whatever its name was. */
	fd = open("gone.txt", O_RDWR | O_CREAT, 0600);
	check(unlink("gone.txt") == 0 && fchmod(fd, 0644) == 0);

	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	check(open(self, O_WRONLY | O_TRUNC) >= 0);
	/* Standard output into a file of the workspace, opened by name. */
	check(dup2(open("out.txt", O_WRONLY | O_CREAT, 0644), 9) == 9);
	fd = open("/dev/fd/9", O_WRONLY | O_APPEND);
	check(fd >= 0 && write(fd, "x", 1) == 1);
	/* A pipe by its name in /proc. */
	int ends[2];

	check(pipe(ends) == 0);
	snprintf(self, sizeof(self), "/dev/fd/%d", ends[1]);
	fd = open(self, O_WRONLY);
	check(fd >= 0 && write(fd, "y", 1) == 1 && read(ends[0], self, 1) == 1);
}

static void play_in(void (*fn)(void *ctx))
{
	struct attempt a = {0};
	struct brokered t;

	for (int floor = 0; floor <= brokered_has_floor(); floor++) {
		begin_attempt(&a);
		t = brokered_for(&a, floor);
		check(brokered_run(&t, fn, &a));
		check_untouched();
		end_attempt(&a);
	}
}

static void test_crowd(void)
{
	play_in(play_crowd);
}

static void test_deaths(void)
{
	play_in(play_deaths);
}

static void test_fifo(void)
{
	play_in(play_fifo);
}

static void test_full(void)
{
	play_in(play_full);
}

static void test_descriptor(void)
{
	play_in(play_descriptor);
}

/* A .git that is a file names its folder; a link may name the workspace as the host does. */
static void play_aliases(void *ctx)
{
	(void)ctx;
	check(open("elsewhere/config", O_WRONLY) < 0 && errno == EACCES);
	check(open("elsewhere/hooks/pre-push", O_WRONLY | O_CREAT, 0755) < 0 && errno == EACCES);
	check(open("elsewhere/index", O_WRONLY | O_CREAT, 0644) >= 0);
	check(rename("elsewhere", "x") < 0 && errno == EBUSY);
	check(open(".git", O_WRONLY) < 0 && errno == EACCES);
	check(unlink(".git") < 0 && errno == EACCES);
	check(link(".git", "second") < 0 && errno == EACCES);
	check(open("hostlink/settings.json", O_WRONLY | O_CREAT, 0644) < 0 && errno == EACCES);
	check(mkdir("notyet", 0755) < 0 && errno == EACCES);
}

static void test_aliases(void)
{
	static const char *const patterns[] = {
		".git/config", ".git/hooks/**", ".claude/**", ".codex/**"};
	struct attempt a = {0};
	struct brokered t;

	brokered_make_dir(a.dir, sizeof(a.dir));
	brokered_make_dir(a.outside, sizeof(a.outside));
	check(chdir(a.dir) == 0 && mkdir("elsewhere", 0755) == 0 &&
		mkdir("elsewhere/hooks", 0755) == 0 && mkdir("hostlink", 0755) == 0);
	put("elsewhere/config");

	auto_fd int fd = open(".git", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

	check(dprintf(fd, "gitdir: ./d/../elsewhere\n") > 0);
	check(symlink("/home/somebody/project/hostlink", ".claude") == 0);
	check(symlink("notyet", ".codex") == 0);
	t = brokered_for(&a, false);
	t.spec.protect = patterns;
	t.spec.protect_count = ARRAY_LEN(patterns);
	t.spec.host_root = "/home/somebody/project";
	check(brokered_run(&t, play_aliases, &a));
	check(holds_old("elsewhere/config"));
	end_attempt(&a);
}

static const struct test tests[] = {
	{"attempts that work without a broker", test_controls},
	{"none of them works with one", test_attacks},
	{"nor with a floor of Landlock below", test_attacks_floor},
	{"around protected names all goes on", test_fine},
	{"hidden names cannot be read", test_hidden},
	{"a path that changes while it is read", test_races},
	{"a path that changes between inside and outside", test_race_outside},
	{"the broker's own files", test_own},
	{"pointers that lead nowhere, modes and calls that are refused", test_pointers},
	{"many threads", test_crowd},
	{"callers that die", test_deaths},
	{"opens that wait", test_fifo},
	{"limits of descriptors and sizes", test_full},
	{"a descriptor that was handed out", test_descriptor},
	{"names that lead elsewhere", test_aliases},
};

TEST_MAIN(tests)
