/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Datagrams: what goes from one port inside to one port outside is a flow, with a socket of its own
 * outside, until nothing has passed for a while. Decided by name as connections are, and only where
 * the mode is full: others refuse, and say so at once, so that programs fall back to TCP.
 */

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/siphash.h"
#include "guard/parts.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#define TURN 64
#define IDLE_MS 60000
#define ASK_AGAIN_MS 1000 /* whose a flow is, where several can be its owner */
#define DATAGRAM 65536

struct udp_ends {
	struct netaddr client, to;
	uint16_t client_port, port;
};

struct udp_flow {
	struct watch server;
	struct udp_flow *next;          /* of the same bucket */
	struct udp_flow *older, *newer; /* by when something passed last */
	struct udp_ends ends;
	const char *name; /* NULL: an address is meant */
	struct net_verdict verdict;
	struct waiter waiter;
	struct netaddr at;
	char *held; /* the first one, until the name is looked up */
	size_t held_size;
	uint64_t last, began, up, down;
	uint64_t told_up, told_down; /* of that */
	uint64_t owner, asked;       /* whose it is; ms, when that was asked */
	uint32_t socket;             /* that it came from, then */
	struct guard_budget *budget;
	const char *why;
	bool refused, told, spent;
};

static char data[DATAGRAM]; /* between two calls nothing is in it */

static struct udp_flow **bucket(struct guard *g, const struct udp_ends *e)
{
	return &g->udp[siphash(g->key, e, sizeof *e) % UDP_BUCKETS];
}

static void unlink_age(struct guard *g, struct udp_flow *f)
{
	*(f->older ? &f->older->newer : &g->udp_oldest) = f->newer;
	*(f->newer ? &f->newer->older : &g->udp_newest) = f->older;
}

static void touch(struct guard *g, struct udp_flow *f, bool fresh)
{
	if (!fresh)
		unlink_age(g, f);
	f->last = g->now;
	f->newer = NULL;
	f->older = g->udp_newest;
	*(g->udp_newest ? &g->udp_newest->newer : &g->udp_oldest) = f;
	g->udp_newest = f;
}

static struct guard_event event_of(const struct guard *g, const struct udp_flow *f)
{
	return (struct guard_event){.kind = GUARD_UDP,
		.allowed = !f->refused,
		.spent = f->spent,
		.name = f->name ? f->name : "",
		.addr = f->at,
		.port = f->ends.port,
		.owner = f->owner,
		.why = f->why ? f->why : f->verdict.why,
		.rule = f->verdict.rule,
		.up = f->up - f->told_up,
		.down = f->down - f->told_down,
		.ms = g->now - f->began};
}

static void tell(struct guard *g, struct udp_flow *f)
{
	struct guard_event e = event_of(g, f);

	if (f->told && !f->spent && e.up + e.down == 0)
		return;
	f->told = true;
	f->spent = false;
	f->told_up = f->up;
	f->told_down = f->down;
	guard_tell(g, &e);
}

void udp_look(const struct guard *g, void (*see)(void *ctx, const struct guard_event *e), void *ctx)
{
	for (const struct udp_flow *f = g->udp_oldest; f; f = f->newer) {
		struct guard_event e = event_of(g, f);

		if (!f->refused)
			see(ctx, &e);
	}
}

static void end(struct guard *g, struct udp_flow *f)
{
	struct udp_flow **at = bucket(g, &f->ends);

	tell(g, f);
	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	unlink_age(g, f);
	lookup_forget(&f->waiter);
	guard_unwatch(g, &f->server);
	free(f->held);
	free(f);
	g->udp_count--;
}

/* Nobody says when the last one has passed. What its owner has left behind is over: whoever uses
 * the port next is another. */
void udp_tell_left(struct guard *g, uint64_t owner)
{
	struct udp_flow *f = g->udp_oldest, *next;

	for (; f; f = next) {
		next = f->newer;
		if (owner && f->owner == owner)
			end(g, f);
		else if (!owner || f->owner & GUARD_SHARED)
			tell(g, f);
	}
}

/*
 * Inside every address is at home, so a program may send from any. The answer to a borrowed one
 * would be caught like a datagram of the program's own: carried to whom the address belongs, whose
 * answer comes back, and so on without end.
 */
static bool is_borrowed(const struct guard *g, const struct netaddr *from)
{
	const struct netaddr *own = from->v4 ? &g->call.own4 : &g->call.own6;

	return memcmp(from->bytes, own->bytes, sizeof own->bytes) != 0;
}

/* What is said in QUIC cannot be read: with names to look for it is refused. */
static const char *judge(struct guard *g, struct udp_flow *f)
{
	const struct net_policy *p = g->call.policy;

	if (is_borrowed(g, &f->ends.client))
		return "it comes from an address that is not the sandbox's own";
	if (p->mode != NET_FULL)
		return "datagrams need network mode full";
	if (f->ends.port == NETRULE_PORT_HTTPS && (p->has_allow || judge_forbids_names(g)))
		return "QUIC does not show the name that it is for";
	f->verdict = f->name ? judge_name(g, f->name, f->ends.port)
			     : judge_address(g, &f->ends.to, f->ends.port, NULL);
	if (f->verdict.rule && f->verdict.rule->kind == NETRULE_SERVICE)
		return "a service of the host is reached by TCP only";
	return f->verdict.allow ? NULL : f->verdict.why;
}

/* Its events of this turn are behind us: nothing is freed while others may be looked at. */
void udp_expire(struct guard *g)
{
	while (g->udp_oldest && g->udp_oldest->last + IDLE_MS <= g->now)
		end(g, g->udp_oldest);
}

uint64_t udp_next_due(const struct guard *g)
{
	return g->udp_oldest ? g->udp_oldest->last + IDLE_MS : 0;
}

void udp_free(struct guard *g)
{
	while (g->udp_oldest)
		end(g, g->udp_oldest);
}

static bool is_still_allowed(struct guard *g, struct udp_flow *f)
{
	return !judge(g, f) &&
	       (f->server.fd < 0 || judge_address(g, &f->at, f->ends.port, f->name).allow);
}

/* Those that were refused may be allowed by now: the next datagram says so. */
size_t udp_judge_again(struct guard *g, bool now)
{
	struct udp_flow *f = g->udp_oldest, *next;
	size_t ended = 0;

	for (; f; f = next) {
		next = f->newer;
		if (!f->refused && (!now || is_still_allowed(g, f)))
			continue;
		ended += !f->refused;
		end(g, f);
	}
	return ended;
}

static void refuse(struct guard *g, struct udp_flow *f, const char *why, size_t size)
{
	struct forge_ends ends = {f->ends.to, f->ends.client, f->ends.port, f->ends.client_port};

	f->refused = true;
	f->why = why;
	forge_unreachable(g, &ends, size);
	tell(g, f);
}

/* What does not fit into the budget any more is lost, as datagrams are. */
static bool take_budget(struct guard *g, struct udp_flow *f, int way, size_t size)
{
	uint64_t lent = budget_lend(g, f->budget, way, false);

	if (lent < size) {
		f->spent = f->spent || !budget_is_late(f->budget, way);
		return false;
	}
	budget_take(f->budget, way, lent, lent - size);
	return true;
}

static void send_out(struct guard *g, struct udp_flow *f, const char *bytes, size_t size)
{
	if (!take_budget(g, f, 0, size))
		return;
	if (send(f->server.fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size)
		f->up += size;
}

static void dial(struct guard *g, struct udp_flow *f, const struct netaddr *at)
{
	struct sockaddr_storage to;
	socklen_t len = judge_sockaddr(at, f->ends.port, &to);
	auto_fd int fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	f->at = *at;
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, len) < 0 ||
		guard_watch(g, &f->server, WATCH_UDP_SERVER, fd, f, EPOLLIN) < 0) {
		f->server.fd = -1;
		refuse(g, f, "the server cannot be reached", f->held_size);
		return;
	}
	take_fd(&fd);
	send_out(g, f, f->held, f->held_size);
	free(f->held);
	f->held = NULL;
}

static void found(struct guard *g, void *flow, const struct lookup *l)
{
	struct net_verdict v = {.why = "the name could not be looked up"};
	struct udp_flow *f = flow;

	for (size_t i = 0; i < l->count && l->end == NAMES_FOUND; i++) {
		struct netaddr at = netaddr_unmap(&l->address[i]);

		v = judge_address(g, &at, f->ends.port, f->name);
		if (v.allow) {
			dial(g, f, &at);
			return;
		}
	}
	refuse(g, f, v.why, f->held_size);
}

static struct whose_ends ends_of(const struct udp_flow *f)
{
	return (struct whose_ends){f->ends.client, f->ends.to, f->ends.client_port, f->ends.port};
}

static uint64_t ask_whose(struct guard *g, struct udp_flow *f)
{
	struct whose_ends ends = ends_of(f);
	uint64_t owner;

	if (whose_only(g, &owner))
		return owner;
	f->asked = g->now;
	f->socket = whose_socket(g, &ends);
	return whose_datagram(g, &ends);
}

static bool is_known(const struct guard *g, const struct udp_flow *f)
{
	struct whose_ends ends = ends_of(f);
	uint64_t owner;

	if (whose_only(g, &owner))
		return owner == f->owner || f->owner & GUARD_SHARED;
	return f->asked && g->now < f->asked + ASK_AGAIN_MS && whose_socket(g, &ends) == f->socket;
}

/* A port that one has given up can be another's a moment later: what follows is that one's. */
static void look_whose(struct guard *g, struct udp_flow *f)
{
	uint64_t owner;

	if (is_known(g, f))
		return;
	owner = ask_whose(g, f);
	if (owner == f->owner)
		return;
	tell(g, f);
	f->owner = owner;
	f->told = false;
	if (f->refused)
		tell(g, f);
}

static void begin(struct guard *g, struct udp_flow *f, size_t size)
{
	const struct lookup *l;
	const char *why;
	int r;

	f->owner = ask_whose(g, f);
	f->name = alias_name_at(&g->aliases, &f->ends.to);
	f->at = f->ends.to;
	f->budget = budget_of(g, f->name, &f->ends.to);
	f->held_size = size;
	why = !f->name && alias_owns(&g->aliases, &f->ends.to) ? "no name has this address"
							       : judge(g, f);
	if (why) {
		refuse(g, f, why, size);
		return;
	}
	f->held = mem_alloc(size + 1);
	memcpy(f->held, data, size);
	if (!f->name) {
		dial(g, f, &f->ends.to);
		return;
	}
	r = lookup_name(g, f->name, &f->waiter, &l);
	if (r < 0)
		refuse(g, f, "too many names are known already", size);
	else if (r == 0)
		found(g, f, l);
}

static struct udp_flow *find(struct guard *g, const struct udp_ends *e)
{
	for (struct udp_flow *f = *bucket(g, e); f; f = f->next)
		if (memcmp(&f->ends, e, sizeof *e) == 0)
			return f;
	return NULL;
}

static struct udp_flow *add(struct guard *g, const struct udp_ends *e)
{
	struct udp_flow **at = bucket(g, e), *f = mem_alloc(sizeof *f);

	f->server.fd = -1;
	f->ends = *e;
	f->began = g->now;
	f->waiter = (struct waiter){.found = found, .owner = f};
	f->next = *at;
	*at = f;
	g->udp_count++;
	touch(g, f, true);
	return f;
}

static void take(struct guard *g, const struct udp_ends *e, size_t size)
{
	struct udp_flow *f = find(g, e);

	if (!f) {
		if (g->udp_count < g->udp_most)
			begin(g, add(g, e), size);
		return;
	}
	touch(g, f, false);
	look_whose(g, f);
	if (f->refused) {
		struct forge_ends ends = {e->to, e->client, e->port, e->client_port};

		forge_unreachable(g, &ends, size);
	} else if (f->server.fd >= 0) {
		send_out(g, f, data, size);
	}
}

struct netaddr udp_address(const void *sockaddr, uint16_t *ret_port)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct netaddr a = {.v4 = false};

	memcpy(&v4, sockaddr, sizeof v4);
	*ret_port = ntohs(v4.sin_port);
	if (v4.sin_family == AF_INET) {
		a.v4 = true;
		memcpy(a.bytes, &v4.sin_addr, 4);
		return a;
	}
	memcpy(&v6, sockaddr, sizeof v6);
	memcpy(a.bytes, &v6.sin6_addr, 16);
	return a;
}

/* Where it wanted to go comes along. */
static bool take_destination(struct msghdr *h, struct udp_ends *e)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(h);

	if (!c || !((c->cmsg_level == SOL_IP && c->cmsg_type == IP_RECVORIGDSTADDR) ||
			  (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_RECVORIGDSTADDR)))
		return false;
	e->to = udp_address(CMSG_DATA(c), &e->port);
	return true;
}

void udp_datagrams(struct guard *g, struct watch *w)
{
	for (int i = 0; i < TURN; i++) {
		struct sockaddr_storage from;
		struct udp_ends ends;
		char control[128];
		struct iovec part = {data, sizeof data};
		struct msghdr h = {.msg_name = &from,
			.msg_namelen = sizeof from,
			.msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof control};
		ssize_t n = recvmsg(w->fd, &h, MSG_DONTWAIT);

		if (n < 0)
			return;
		memset(&ends, 0, sizeof ends); /* it is hashed and compared as a whole */
		g->behind = i == TURN - 1;
		ends.client = udp_address(&from, &ends.client_port);
		if (take_destination(&h, &ends))
			take(g, &ends, (size_t)n);
	}
}

void udp_answers(struct guard *g, struct watch *w)
{
	struct udp_flow *f = w->owner;
	struct forge_ends ends = {f->ends.to, f->ends.client, f->ends.port, f->ends.client_port};

	for (int i = 0; i < TURN; i++) {
		ssize_t n = recv(w->fd, data, sizeof data, MSG_DONTWAIT);

		/* It says once that nobody listens there. */
		if (n < 0 && errno == ECONNREFUSED) {
			forge_unreachable(g, &ends, 0);
			continue;
		}
		if (n < 0)
			return;
		if (!take_budget(g, f, 1, (size_t)n))
			continue;
		f->down += (uint64_t)n;
		forge_datagram(g, &ends, data, (size_t)n);
		touch(g, f, false);
	}
}
