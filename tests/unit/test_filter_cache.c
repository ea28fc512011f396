/* SPDX-License-Identifier: Apache-2.0 */

/* Each test has a fresh folder with one kept filter in it. */

#include "door/filter_cache.h"

#include "base/cleanup.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD 80 /* bytes in front of the code */
#define LEN 5

static char folder[64], path[256];
static const uint8_t key[SHA256_SIZE] = {0xab, 1, 2, 3};
static struct bpf_program kept, got;
static int dir = -1;

static int remove_one(const char *name, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(name);
}

static void leave(void)
{
	cleanup_fd(&dir);
	dir = -1;
	if (folder[0])
		nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	folder[0] = '\0';
}

static void enter(void)
{
	char name[2 * SHA256_SIZE + 1], place[96];

	leave();
	umask(022);
	snprintf(folder, sizeof folder, "/tmp/ward-cache.XXXXXX");
	check(mkdtemp(folder) != NULL);
	snprintf(place, sizeof place, "%s/a/b", folder);
	sha256_hex(key, name);
	snprintf(path, sizeof path, "%s/%s", place, name);
	kept.len = LEN;
	for (size_t i = 0; i < LEN; i++)
		kept.code[i] = (struct sock_filter){.code = 6, .k = (uint32_t)(0x50000 + i)};
	dir = filter_cache_open(place);
	check(dir >= 0);
	check_int(filter_cache_write(dir, key, &kept), 0);
	memset(&got, 0, sizeof got);
}

static bool same(void)
{
	return got.len == LEN && memcmp(got.code, kept.code, LEN * sizeof kept.code[0]) == 0;
}

static size_t files(void)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fdopendir(fd);
	size_t n = 0;

	for (const struct dirent *d; list && (d = readdir(list));)
		n += d->d_name[0] != '.';
	if (list)
		closedir(list);
	return n;
}

static void test_comes_back(void)
{
	struct stat st;

	enter();
	check_int(filter_cache_read(dir, key, &got), 0);
	check(same());
	check_int(stat(path, &st), 0);
	check_int(st.st_mode & 07777, 0600);
	check_int(st.st_size, HEAD + LEN * 8);
	check_int(fstat(dir, &st), 0);
	check_int(st.st_mode & 07777, 0700);
	check(fcntl(dir, F_GETFD) & FD_CLOEXEC);
	check_u64(files(), 1);
	check_int(filter_cache_write(dir, key, &kept), 0);
	check_u64(files(), 1);
}

static void test_largest_and_none(void)
{
	static struct bpf_program large = {.len = BPF_MAXINSNS}, bad = {.len = BPF_MAXINSNS + 1};
	uint8_t other[SHA256_SIZE] = {1};

	enter();
	for (size_t i = 0; i < BPF_MAXINSNS; i++)
		large.code[i].k = (uint32_t)i;
	check_int(filter_cache_write(dir, other, &large), 0);
	check_int(filter_cache_read(dir, other, &got), 0);
	check_u64(got.len, BPF_MAXINSNS);
	check(memcmp(got.code, large.code, sizeof large.code) == 0);
	check_int(filter_cache_write(dir, other, &bad), -EINVAL);
	bad.len = 0;
	check_int(filter_cache_write(dir, other, &bad), -EINVAL);
	other[0] = 2;
	check_int(filter_cache_read(dir, other, &got), -ENOENT);
}

/* Any byte that is not what was written. */
static void test_damaged(void)
{
	for (off_t at = 0; at < HEAD + LEN * 8; at++) {
		unsigned char byte;
		int fd;

		test_row("byte %d", (int)at);
		enter();
		fd = open(path, O_RDWR | O_CLOEXEC);
		check(pread(fd, &byte, 1, at) == 1);
		byte ^= 0x10;
		check(pwrite(fd, &byte, 1, at) == 1);
		close(fd);
		check_int(filter_cache_read(dir, key, &got), -EBADMSG);
		check_u64(got.len, 0);
		check_int(filter_cache_write(dir, key, &kept), 0);
		check_int(filter_cache_read(dir, key, &got), 0);
		check(same());
	}
}

static void test_wrong_length(void)
{
	static const off_t lengths[] = {0, 1, 8, HEAD - 1, HEAD, HEAD + 8, HEAD + LEN * 8 - 1,
		HEAD + LEN * 8 + 1, HEAD + LEN * 8 + 8, HEAD + BPF_MAXINSNS * 8,
		HEAD + BPF_MAXINSNS * 8 + 1, 1 << 30};

	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		test_row("%lld bytes", (long long)lengths[i]);
		enter();
		check_int(truncate(path, lengths[i]), 0);
		check_int(filter_cache_read(dir, key, &got), -EBADMSG);
		check_u64(got.len, 0);
	}
}

/* Whole, but of another key. */
static void test_wrong_key(void)
{
	uint8_t other[SHA256_SIZE] = {0xcd};
	char name[2 * SHA256_SIZE + 1];

	enter();
	sha256_hex(other, name);
	check_int(renameat(AT_FDCWD, path, dir, name), 0);
	check_int(filter_cache_read(dir, other, &got), -EBADMSG);
	check_int(filter_cache_read(dir, key, &got), -ENOENT);
}

static void test_modes(void)
{
	static const struct {
		mode_t mode;
		int want;
	} rows[] = {
		{0600, 0}, {0644, 0}, {0400, 0}, {0620, -EPERM}, {0602, -EPERM}, {0666, -EPERM}};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct stat st;

		test_row("mode %o", rows[i].mode);
		enter();
		check_int(chmod(path, rows[i].mode), 0);
		check_int(filter_cache_read(dir, key, &got), rows[i].want);
		check_int(filter_cache_write(dir, key, &kept), 0);
		check_int(stat(path, &st), 0);
		check_int(st.st_mode & 07777, 0600);
	}
}

static void test_other_kinds(void)
{
	char real[256];

	enter();
	snprintf(real, sizeof real, "%s/real", folder);
	check_int(rename(path, real), 0);
	check_int(symlink(real, path), 0);
	check_int(filter_cache_read(dir, key, &got), -EPERM);
	check_int(filter_cache_write(dir, key, &kept), 0);
	check_int(filter_cache_read(dir, key, &got), 0);
	check_int(unlink(path), 0);
	check_int(link(real, path), 0); /* a second name somewhere */
	check_int(filter_cache_read(dir, key, &got), -EPERM);
	check_int(unlink(path), 0);
	check_int(mkfifo(path, 0600), 0);
	check_int(filter_cache_read(dir, key, &got), -EPERM);
	check_int(unlink(path), 0);
	check_int(mkdir(path, 0700), 0);
	check_int(filter_cache_read(dir, key, &got), -EPERM);
	check(filter_cache_write(dir, key, &kept) < 0);
	check_u64(files(), 1); /* nothing unfinished is left */
}

/* Only root can make one. */
static void test_foreign_owner(void)
{
	char place[96];

	enter();
	if (geteuid() != 0)
		return;
	check_int(chown(path, 12345, 12345), 0);
	check_int(filter_cache_read(dir, key, &got), -EPERM);
	check_int(filter_cache_write(dir, key, &kept), 0);
	check_int(filter_cache_read(dir, key, &got), 0);
	snprintf(place, sizeof place, "%s/a/b", folder);
	check_int(chown(place, 12345, 12345), 0);
	check_int(filter_cache_open(place), -EPERM);
}

static void test_folders(void)
{
	char place[96], link[96], below[112];

	enter();
	snprintf(place, sizeof place, "%s/a/b", folder);
	check_int(chmod(place, 0770), 0);
	check_int(filter_cache_open(place), -EPERM);
	check_int(chmod(place, 0707), 0);
	check_int(filter_cache_open(place), -EPERM);
	check_int(chmod(place, 0755), 0);
	snprintf(link, sizeof link, "%s/link", folder);
	check_int(symlink("a", link), 0);
	snprintf(below, sizeof below, "%s/b", link);
	check_int(filter_cache_open(below), -ELOOP);
	snprintf(below, sizeof below, "%s/a/b/file", folder);
	close(open(below, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	check_int(filter_cache_open(below), -ENOTDIR);
	check(filter_cache_open("/proc/no/such/folder") < 0);
}

static void test_number_is_bounded(void)
{
	uint8_t other[SHA256_SIZE] = {0};

	enter();
	close(openat(dir, "of somebody else", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	for (unsigned i = 1; i < 3 * FILTER_CACHE_FILES; i++) {
		other[0] = (uint8_t)i;
		other[1] = (uint8_t)(i >> 8);
		check_int(filter_cache_write(dir, other, &kept), 0);
		check_int(filter_cache_read(dir, other, &got), 0);
		check(files() <= FILTER_CACHE_FILES + 1);
	}
	check_int(faccessat(dir, "of somebody else", F_OK, 0), 0);
	leave();
}

static const struct test tests[] = {
	{"a filter comes back", test_comes_back},
	{"the largest one, and none", test_largest_and_none},
	{"a damaged one is not believed", test_damaged},
	{"one of another length is not believed", test_wrong_length},
	{"one of another key is not believed", test_wrong_key},
	{"one that others may write is not believed", test_modes},
	{"links, pipes and folders are not believed", test_other_kinds},
	{"one of another owner is not believed", test_foreign_owner},
	{"folders that others may write or put elsewhere are not used", test_folders},
	{"their number is bounded", test_number_is_bounded},
};
TEST_MAIN(tests)
