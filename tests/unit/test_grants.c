/* SPDX-License-Identifier: Apache-2.0 */
#include "state/grants.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONG_MS 600000

static char state[64];
static const uint8_t one[SHA256_SIZE] = {1}, two[SHA256_SIZE] = {2};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void begin(void)
{
	snprintf(state, sizeof state, "/tmp/ward-grants.XXXXXX");
	check(mkdtemp(state));
}

static void end(void)
{
	nftw(state, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void give(
	const uint8_t digest[SHA256_SIZE], uint32_t uses, uint64_t for_ms, char id[GRANT_ID])
{
	struct grant g = {.uses = uses};
	struct err e = {0};

	memcpy(g.digest, digest, sizeof g.digest);
	if (!check_int(grants_add(state, &g, for_ms, id, &e), 0))
		printf("# %s\n", e.text);
}

static int take(const uint8_t digest[SHA256_SIZE])
{
	char id[GRANT_ID];

	return grants_take(state, digest, id);
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Nobody guesses one from others: each is new, each bit is free, and they have no order. */
static void ids(void)
{
	enum { COUNT = 10000 };
	static char all[COUNT][GRANT_ID];
	size_t ups = 0, ones[128] = {0};

	for (size_t i = 0; i < COUNT; i++) {
		check_int(grants_random_id(all[i]), 0);
		check_u64(strspn(all[i], "0123456789abcdef"), GRANT_ID - 1);
		ups += i > 0 && strcmp(all[i], all[i - 1]) > 0;
		for (size_t bit = 0; bit < 128; bit++) {
			char digit = all[i][bit / 4];
			unsigned v = (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);

			ones[bit] += v >> bit % 4 & 1;
		}
	}
	check(ups > COUNT * 2 / 5 && ups < COUNT * 3 / 5);
	for (size_t bit = 0; bit < 128; bit++)
		check(ones[bit] > COUNT * 2 / 5 && ones[bit] < COUNT * 3 / 5);
	qsort(all, COUNT, GRANT_ID, compare);
	for (size_t i = 1; i < COUNT; i++)
		check(strcmp(all[i - 1], all[i]) != 0);
}

static void uses(void)
{
	char id[GRANT_ID];

	begin();
	check_int(take(one), -ENOENT);
	give(one, 2, LONG_MS, id);
	check_int(take(two), -ENOENT);
	check_int(take(one), 0);
	check_int(take(one), 0);
	check_int(take(one), -ENOENT);
	give(one, GRANT_ENDLESS, LONG_MS, id);
	check_int(take(one), 0);
	check_int(take(one), 0);
	check_int(grants_revoke(state, id), 0);
	check_int(grants_revoke(state, id), -ENOENT);
	check_int(take(one), -ENOENT);
	give(one, 1, 0, id); /* its time is over */
	check_int(take(one), -ENOENT);
	check_int(grants_revoke(state, id), -ENOENT); /* and it is gone */
	end();
}

/* What lies in the folder and is no grant gives nothing, and is nobody's way out of it. */
static void foreign_files(void)
{
	static const char *const names[] = {
		"../x", "", ".", "/etc/passwd", "0123", "*", "0123456789ABCDEF0123456789ABCDEF"};
	char id[GRANT_ID], path[160], link[160], kept[160];
	int fd;

	begin();
	give(one, GRANT_ENDLESS, LONG_MS, id);
	snprintf(path, sizeof path, "%s/grants/%s", state, id);
	snprintf(kept, sizeof kept, "%s/kept", state);
	check_int(rename(path, kept), 0);
	check_int(symlink(kept, path), 0); /* a good one, by a link */
	check_int(take(one), -ENOENT);
	check_int(unlink(path), 0);
	snprintf(link, sizeof link, "%s/grants/x%s", state, id + 1);
	check_int(rename(kept, link), 0); /* by a name that is none */
	check_int(take(one), -ENOENT);
	check_int(rename(link, path), 0);
	check_int(take(one), 0); /* the control */
	check_int(truncate(path, sizeof(struct grant) - 1), 0);
	check_int(take(one), -ENOENT);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	check_int(ftruncate(fd, sizeof(struct grant)), 0); /* of zeros alone */
	close(fd);
	check_int(take((const uint8_t[SHA256_SIZE]){0}), -ENOENT);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		test_row("%s", names[i]);
		check_int(grants_revoke(state, names[i]), -ENOENT);
	}
	end();
}

/* Others could have put something there. */
static void foreign_folder(void)
{
	char id[GRANT_ID], path[160];

	begin();
	give(one, GRANT_ENDLESS, LONG_MS, id);
	snprintf(path, sizeof path, "%s/grants", state);
	check_int(chmod(path, 0777), 0);
	check(take(one) < 0);
	check_int(chmod(path, 0700), 0);
	check_int(take(one), 0);
	end();
}

static const struct test tests[] = {
	{"ids cannot be guessed", ids},
	{"uses and times end", uses},
	{"what is no grant", foreign_files},
	{"a folder that others can write", foreign_folder},
};

TEST_MAIN(tests)
