/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "state/place.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_place(void)
{
	char path[] = "/tmp/ward-place-XXXXXX";

	if (!check(mkdtemp(path) != NULL))
		exit(1);
	return open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
}

/* By the name that it has now, and all that is in it. */
static void remove_place(int place)
{
	char link[64], path[256];
	ssize_t len;

	snprintf(link, sizeof link, "/proc/self/fd/%d", place);
	len = readlink(link, path, sizeof path - 1);
	path[len > 0 ? len : 0] = '\0';
	unlinkat(place, "box.card", 0);
	unlinkat(place, "other.card", 0);
	unlinkat(place, "not-a-card", 0);
	check(rmdir(path) == 0);
	close(place);
}

static void fill(struct card *c)
{
	c->version = CARD_VERSION;
	c->size = sizeof *c;
	c->pid = getpid();
	snprintf(c->session, sizeof c->session, "agent:a:b");
}

static void test_locks(void)
{
	int place = open_place();
	int life = place_lock(place, "box", PLACE_LIFE, 0), make;

	check(life >= 0);
	check_int(place_lock(place, "box", PLACE_LIFE, 20), -EBUSY);
	make = place_lock(place, "box", PLACE_MAKE, 0);
	check(make >= 0); /* the other lock of the same file */
	check_int(place_lock(place, "box", PLACE_MAKE, 0), -EBUSY);
	close(make);
	close(life);
	life = place_lock(place, "box", PLACE_LIFE, 0);
	check(life >= 0);
	close(life);
	remove_place(place);
}

static void test_lock_ends_with_its_holder(void)
{
	int place = open_place();
	int ready[2];
	char byte;
	pid_t pid;

	check(pipe(ready) == 0);
	pid = fork();
	if (pid == 0) {
		if (place_lock(place, "box", PLACE_LIFE, 0) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	check(read(ready[0], &byte, 1) == 1);
	check_int(place_lock(place, "box", PLACE_LIFE, 0), -EBUSY);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(place_lock(place, "box", PLACE_LIFE, 1000));
	close(ready[0]);
	close(ready[1]);
	remove_place(place);
}

static void test_cards(void)
{
	auto_(arena_free) struct arena a = {0};
	int place = open_place();
	int life = place_lock(place, "box", PLACE_LIFE, 0), other;
	struct place_row row, *rows;
	struct card *c;
	size_t count;

	check_int(place_read(place, "none", &row), -ENOENT);
	check_int(place_card(life, &c), 0);
	check_int(place_read(place, "box", &row), 0);
	check(!row.alive && row.broken < 0); /* about to be born */
	fill(c);
	check_int(place_read(place, "box", &row), 0);
	check(row.alive && row.broken == 0);
	check_str(row.card.session, "agent:a:b");
	other = place_lock(place, "other", PLACE_LIFE, 0);
	close(other);
	close(openat(place, "not-a-card", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	check_int(place_list(place, &a, &rows, &count), 0);
	check_u64(count, 2);
	for (size_t i = 0; i < count; i++)
		check_int(rows[i].alive, strcmp(rows[i].name, "box") == 0);
	check_int(place_forget(place, "box"), -EBUSY);
	check_int(place_forget(place, "other"), 0);
	check_int(place_read(place, "other", &row), -ENOENT);
	place_leave(place, "box");
	check_int(place_read(place, "box", &row), -ENOENT);
	close(life);
	remove_place(place);
}

/* Somebody waits for the next one: the file that they wait with stays. */
static void test_leave_is_patient(void)
{
	int place = open_place();
	int life = place_lock(place, "box", PLACE_LIFE, 0);
	int make = place_lock(place, "box", PLACE_MAKE, 0);
	struct place_row row;

	place_leave(place, "box");
	check_int(place_read(place, "box", &row), 0);
	close(make);
	close(life);
	remove_place(place);
}

static const struct test tests[] = {
	{"one holds each lock", test_locks},
	{"a lock ends with its holder", test_lock_ends_with_its_holder},
	{"cards are read, listed, removed", test_cards},
	{"what somebody is about to use is not taken away", test_leave_is_patient},
};
TEST_MAIN(tests)
