/* SPDX-License-Identifier: Apache-2.0 */
#include "door/pool.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/sha256.h"
#include "base/str.h"
#include "door/load.h"
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
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define POOL_MAX 64
#define GROUPS_MAX 256
#define DIGITS 24      /* of the digest, in a name */
#define ANSWER_MS 5000 /* that a blank may take: one made at once would be there by then */
#define REFILL_MS 10   /* after a claim: whoever made it has things to do */

struct kind {
	struct blank blank;
	uint8_t digest[SHA256_SIZE];
	char name[LIVING_NAME]; /* of the pool; those of its blanks have a number behind it */
};

/* Which file it is; a regular one may also have been written anew. */
static void add_file(struct sha256 *h, const char *path)
{
	struct stat st = {0};
	int64_t seen[4] = {0};

	if (stat(path, &st) == 0) {
		seen[0] = (int64_t)st.st_dev;
		seen[1] = (int64_t)st.st_ino;
	}
	if (S_ISREG(st.st_mode)) {
		seen[2] = st.st_mtim.tv_sec;
		seen[3] = st.st_mtim.tv_nsec;
	}
	sha256_add(h, seen, sizeof seen);
}

/* The number of a namespace: what else is said of it changes. */
static void add_space(struct sha256 *h, const char *path)
{
	struct stat st = {0};
	uint64_t number;

	stat(path, &st);
	number = st.st_ino;
	sha256_add(h, &number, sizeof number);
}

static void add_text(struct sha256 *h, const char *text)
{
	sha256_add(h, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void add_content(struct sha256 *h, const char *path)
{
	char text[4096];
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);

	sha256_add(h, text, n > 0 ? (size_t)n : 0);
	sha256_add(h, &n, sizeof n);
}

/* What a process hands on to those that it makes. False: more than can be compared. */
static bool add_process(struct sha256 *h)
{
	static const char *const spaces[] = {"/proc/self/ns/mnt", "/proc/self/ns/user",
		"/proc/self/ns/pid", "/proc/self/ns/net", "/proc/self/ns/ipc", "/proc/self/ns/uts",
		"/proc/self/ns/cgroup"};
	gid_t groups[GROUPS_MAX], group = getegid();
	struct rlimit limit = {0};
	int count = getgroups(GROUPS_MAX, groups), nice = getpriority(PRIO_PROCESS, 0);

	for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
		add_space(h, spaces[i]);
	add_file(h, "/");
	add_file(h, "/proc/self/exe");
	sha256_add(h, &group, sizeof group);
	sha256_add(h, groups, count > 0 ? (size_t)count * sizeof groups[0] : 0);
	sha256_add(h, &count, sizeof count);
	sha256_add(h, &nice, sizeof nice);
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		getrlimit(i, &limit);
		sha256_add(h, &limit, sizeof limit);
	}
	add_content(h, "/proc/self/cgroup");
	add_content(h, "/proc/self/attr/current");
	return count >= 0;
}

/*
 * All that a sandbox is made from but its workspace: the plan, who makes it, and what stands behind
 * the names in the plan. Mounts are looked at by the blank itself.
 */
static bool digest(const struct living_make *q, const struct blank *b, struct arena *a,
	uint8_t ret[SHA256_SIZE])
{
	const struct bindspec_rules *rules = &b->plan.bind_rules;
	uint64_t pool = q->pool;
	uint8_t plan[SHA256_SIZE];
	struct sha256 h;
	bool whole;

	plan_digest(&b->plan, plan);
	sha256_init(&h);
	sha256_add(&h, plan, sizeof plan);
	sha256_add(&h, &pool, sizeof pool);
	add_text(&h, rules->home);
	for (size_t i = 0; rules->own && rules->own[i]; i++)
		add_text(&h, rules->own[i]);
	add_text(&h, load_state_path(a));
	for (size_t i = 0; i < b->plan.row_count; i++)
		if (b->rows[i].kind == PLAN_BIND || b->rows[i].kind == PLAN_MIRROR)
			add_file(&h, b->rows[i].source);
	whole = add_process(&h);
	sha256_end(&h, ret);
	return whole;
}

/* False: such a sandbox can only be made for its workspace. */
static bool kind_of(const struct living_make *q, struct arena *a, struct kind *ret)
{
	char hex[2 * SHA256_SIZE + 1];

	if (!blank_make(q->plan, a, &ret->blank) || !digest(q, &ret->blank, a, ret->digest))
		return false;
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
	c->startup_ms = q->startup_ms;
	c->device = st.st_dev;
	c->inode = st.st_ino;
	snprintf(c->name, sizeof c->name, "%s", q->name);
	snprintf(c->path, sizeof c->path, "%s", path);
	living_fill_card(q, &c->card);
	c->card.version = CARD_VERSION;
	return 0;
}

/* -EAGAIN: the next one may do; anything else: none would. */
static int ask(int fd, struct post *m, uint64_t ms)
{
	struct pollfd word = {.fd = fd, .events = POLLIN};
	int wait = ms == 0 || ms > ANSWER_MS ? ANSWER_MS : (int)ms;
	int r = post_send(fd, true, m, NULL);

	if (r == 0 && poll(&word, 1, wait) != 1)
		return -ETIMEDOUT;
	if (r == 0)
		r = post_receive(fd, true, m, NULL);
	if (r < 0)
		return -EAGAIN; /* claimed by somebody else */
	if (m->kind == POST_CLAIMED)
		return 0;
	return m->kind == POST_FAILED && (m->error.code == ESTALE || m->error.code == ESHUTDOWN)
		       ? -EAGAIN
		       : -EINVAL;
}

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
		int r;

		name_of(&kind, ((size_t)getpid() + i) % count, name);
		fd = living_connect(q->place, name, e);
		if (fd < 0)
			continue;
		r = fill(q, &kind, &m->claim);
		if (r == 0)
			r = ask(fd, m, q->startup_ms);
		if (r == 0)
			return take_fd(&fd);
		if (r != -EAGAIN)
			break;
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
	if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) < 0 || getppid() != keeper)
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

/* The sandboxes are others': they get their own. What says where ward's files are is the same. */
static void forget_environment(void)
{
	for (char **v = environ; *v; v++)
		if (!str_starts(*v, "HOME=") && !str_starts(*v, "XDG_"))
			memset(*v, 0, strlen(*v));
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
	p.make.kind = p.kind.digest;
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
	living_rename(q->arguments, q->arguments_len, p.kind.name);
	forget_environment();
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
