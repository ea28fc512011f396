/* SPDX-License-Identifier: Apache-2.0 */
#include "door/pool.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/sha256.h"
#include "engine/live.h"
#include "model/blank.h"
#include "state/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

#define POOL_MAX 64
#define DIGITS 24    /* of the digest, in a name */
#define REFILL_MS 10 /* after a claim: whoever made it has things to do */

struct kind {
	struct blank blank;
	uint8_t digest[SHA256_SIZE];
	char name[LIVING_NAME]; /* of the pool; those of its blanks have a number behind it */
};

/* False: such a sandbox can only be made for its workspace. */
static bool kind_of(const struct living_make *q, struct arena *a, struct kind *ret)
{
	char hex[2 * SHA256_SIZE + 1];

	if (!blank_make(q->plan, a, &ret->blank))
		return false;
	plan_digest(&ret->blank.plan, ret->digest);
	sha256_hex(ret->digest, hex);
	snprintf(ret->name, sizeof ret->name, "pool-%.*s", DIGITS, hex);
	return true;
}

static void name_of(const struct kind *k, size_t i, char ret[LIVING_NAME])
{
	snprintf(ret, LIVING_NAME, "%.*s-%zu", LIVING_NAME - 24, k->name, i);
}

static int fill(const struct living_make *q, const struct kind *k, struct post_claim *c)
{
	const char *path = q->plan->workspace_path;
	struct stat st;

	if (strlen(path) >= sizeof c->path || stat(path, &st) < 0)
		return -ENOENT;
	memcpy(c->blank, k->digest, sizeof c->blank);
	c->idle_ms = q->idle_ms;
	c->age_ms = q->age_ms;
	c->kill_grace = q->plan->kill_grace;
	c->device = st.st_dev;
	c->inode = st.st_ino;
	snprintf(c->name, sizeof c->name, "%s", q->name);
	snprintf(c->path, sizeof c->path, "%s", path);
	living_fill_card(q, &c->card);
	c->card.version = CARD_VERSION;
	return 0;
}

static int ask(int fd, struct post *m, uint64_t ms)
{
	struct pollfd word = {.fd = fd, .events = POLLIN};
	int wait = ms == 0 || ms > INT_MAX ? -1 : (int)ms;
	int r = post_send(fd, true, m, NULL);

	if (r == 0 && poll(&word, 1, wait) != 1)
		r = -ETIMEDOUT;
	if (r == 0)
		r = post_receive(fd, true, m, NULL);
	return r == 0 && m->kind != POST_CLAIMED ? -ENOENT : r;
}

/* One that was claimed at the same time, or cannot be used, is left for the next. */
int pool_claim(const struct living_make *q, struct err *e)
{
	auto_(arena_free) struct arena a = {0};
	size_t count = q->pool < POOL_MAX ? q->pool : POOL_MAX;
	struct kind kind;

	if (!kind_of(q, &a, &kind))
		return -ENOENT;
	for (size_t i = 0; i < count; i++) {
		struct post *m = post_new(POST_CLAIM, 0);
		auto_fd int fd = -1;
		char name[LIVING_NAME];

		name_of(&kind, ((size_t)getpid() + i) % count, name);
		fd = living_connect(q->place, name, e);
		if (fd >= 0 && fill(q, &kind, &m->claim) == 0 && ask(fd, m, q->startup_ms) == 0)
			return take_fd(&fd);
	}
	return -ENOENT;
}

/* One blank, seen by the process that keeps the pool: -1: it has to be made. */
struct member {
	int news;
	bool claimed;
};

struct pool {
	struct living_make make;
	struct kind kind;
	struct member members[POOL_MAX];
	size_t count;
};

/* Ends with the pool as long as it is nobody's. */
static _Noreturn void be_member(struct pool *p, size_t i, int ready, pid_t keeper)
{
	static char name[LIVING_NAME];
	struct sigaction usual = {.sa_handler = SIG_DFL};
	sigset_t end;

	for (size_t k = 0; k < p->count; k++)
		cleanup_fd(&p->members[k].news);
	sigaction(SIGCHLD, &usual, NULL);
	/* Not before it can tidy up. */
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) < 0 || getppid() != keeper)
		_exit(1);
	name_of(&p->kind, i, name);
	p->make.name = name;
	living_supervise(&p->make, ready);
}

static int make_member(struct pool *p, size_t i)
{
	pid_t keeper = getpid(), pid;
	int news[2];

	if (pipe2(news, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		close(news[0]);
		be_member(p, i, news[1], keeper);
	}
	close(news[1]);
	if (pid < 0) {
		close(news[0]);
		return -errno;
	}
	p->members[i] = (struct member){.news = news[0]};
	return 0;
}

/* False: it failed, was stopped or killed, and with it the pool ends. */
static bool take_news(struct member *m)
{
	struct err said;
	ssize_t n = read(m->news, &said, sizeof said);

	if (n == sizeof said)
		return said.code == 0;
	if (n == 1) {
		m->claimed = true;
		return true;
	}
	close(take_fd(&m->news));
	return n == 0 && m->claimed;
}

/* Until nobody has come for long. */
static void keep(struct pool *p)
{
	int idle = p->make.idle_ms == 0 || p->make.idle_ms > INT_MAX ? -1 : (int)p->make.idle_ms;
	struct timespec pause = {0};

	for (;;) {
		struct pollfd fds[POOL_MAX];

		nanosleep(&pause, NULL);
		pause.tv_nsec = REFILL_MS * 1000000;
		for (size_t i = 0; i < p->count; i++) {
			if (p->members[i].news < 0 && make_member(p, i) < 0)
				return;
			fds[i] = (struct pollfd){.fd = p->members[i].news, .events = POLLIN};
		}
		if (poll(fds, p->count, idle) <= 0)
			return;
		for (size_t i = 0; i < p->count; i++)
			if (fds[i].revents && !take_news(&p->members[i]))
				return;
	}
}

static void be_keeper(const struct living_make *q, int ready)
{
	static struct arena arena;
	static struct pool p;
	struct sigaction alone = {.sa_handler = SIG_IGN};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), lock;
	int *keeps[] = {&p.make.place, &lock};
	struct err e;

	p.make = *q;
	p.count = q->pool < POOL_MAX ? q->pool : POOL_MAX;
	if (!kind_of(q, &arena, &p.kind))
		_exit(1);
	p.make.plan = &p.kind.blank.plan;
	p.make.blank = &p.kind.blank;
	for (size_t i = 0; i < POOL_MAX; i++)
		p.members[i].news = -1;
	for (int fd = 0; fd < 3; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			_exit(1);
	close(ready);
	lock = place_lock(q->place, p.kind.name, PLACE_LIFE, 0);
	if (lock < 0 || chdir("/") < 0)
		_exit(1);
	/* The folder and the lock are all that it needs. */
	if (stage_descriptors(keeps, ARRAY_LEN(keeps), &e) < 0)
		_exit(1);
	living_rename(q, p.kind.name);
	sigaction(SIGCHLD, &alone, NULL);
	keep(&p);
	place_leave(p.make.place, p.kind.name);
	_exit(0);
}

void pool_keep(const struct living_make *q)
{
	auto_(arena_free) struct arena a = {0};
	auto_fd int lock = -1, ready = -1;
	struct kind kind;
	struct err e;

	if (!kind_of(q, &a, &kind))
		return;
	lock = place_lock(q->place, kind.name, PLACE_LIFE, 0);
	if (lock < 0)
		return; /* somebody does */
	close(take_fd(&lock));
	living_detach(q, be_keeper, &ready, &e);
}
