/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the modules of the guard share. */

#include "guard/alias.h"
#include "guard/guard.h"
#include "guard/hello.h"
#include "guard/http.h"
#include "guard/names.h"
#include "guard/pump.h"
#include "sys/netsock.h"
#include "sys/sockdiag.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>

#define GUARD_UDP 1024 /* flows of datagrams */
#define BUDGET_CONNECTIONS "as many connections are open as it may have (network.budget)"
#define RULES_CHANGED "the rules were changed meanwhile"
#define GUARD_FLOWS 4096 /* connections at a time; more are refused */

enum watch_kind {
	WATCH_TCP,
	WATCH_DNS,
	WATCH_DNS_TCP,
	WATCH_INBOUND,
	WATCH_UDP,
	WATCH_UDP_SERVER,
	WATCH_RESOLVER,
	WATCH_CLIENT,
	WATCH_SERVER,
	WATCH_RIVAL,
	WATCH_KINDS
};

/* What epoll knows of; the first member of what it belongs to, or one of several. */
struct watch {
	enum watch_kind kind;
	int fd;
	void *owner;
};

enum flow_state {
	FLOW_HEAD, /* what the client says first is read */
	FLOW_NAME, /* the addresses of the name are looked up */
	FLOW_DIAL, /* a server is connected to */
	FLOW_RACE, /* ... and another one, since the first takes long */
	FLOW_OPEN,
	FLOW_PACED, /* open, and as fast as it may be: goes on a little later */
	FLOW_ASK,   /* questions for names, over TCP */
	FLOW_LAST,  /* it was refused, and what was said about it is on its way */
	FLOW_STATES
};

struct lookup;

/* Somebody who waits for the addresses of a name. */
struct waiter {
	void (*found)(struct guard *g, void *owner, const struct lookup *l);
	void *owner;
	struct waiter *next;
	struct lookup *on; /* NULL: waits for none */
};

/* A connection of a program inside, and the one that was made for it outside. */
struct flow {
	struct watch client, server, rival; /* rival: the other family, tried a little later */
	enum flow_state state;
	struct flow *before, *after; /* in the queue of its state */
	uint64_t deadline;           /* ms; 0: none */
	struct flow *next_busy;
	struct netaddr to; /* as the program dialled it */
	uint16_t port;
	const char *name; /* whose address that is; NULL: an address is meant */
	struct net_verdict verdict;
	struct pump up, down;
	uint8_t *head; /* what the client said and did not go on yet */
	size_t head_len, head_room;
	size_t head_pass; /* of HTTP: what was judged and may go on */
	size_t drained;   /* bytes that came after it was refused */
	uint64_t told_up, told_down;
	struct hello *hello;
	struct http_reader *http;
	struct netaddr *servers; /* to be dialled, in order */
	size_t server_count, server_next;
	struct netaddr at;           /* the one that answered */
	struct waiter waiter;        /* for its name */
	struct guard_budget *budget; /* NULL: none */
	uint64_t began;
	uint64_t owner;  /* whose it is */
	const char *why; /* it ended */
	char *said;      /* the host that it named itself, where an address was dialled */
	unsigned rules;  /* number of changes to the rules when it was judged */
	bool busy;       /* in the list of those that go on at once */
	bool told;       /* of what had passed by then */
	bool told_refused;
	bool begun;   /* what the client said first is on its way */
	bool service; /* of the host: dialled at its loopback */
	bool counted; /* by its budget, as a connection */
	bool inbound; /* the client is outside, and the server inside */
	bool refused; /* by the policy */
	bool spent;   /* by its budget */
	bool dead;    /* freed when nobody can speak of it any more */
	struct flow *next_dead;
};

struct flow_queue {
	struct flow *first, *last;
};

/* The addresses of a name; kept for as long as they are good. */
struct lookup {
	struct lookup *next; /* of the same bucket */
	const char *name;
	uint32_t id;
	bool asked;        /* no answer yet */
	uint64_t good_for; /* ms: until then */
	enum names_end end;
	struct netaddr address[NAMES_ADDRESSES];
	size_t count;
	struct waiter *waiting;
};

/* A port of the host that leads inside. */
struct inbound {
	struct watch listener;
	uint16_t port; /* inside */
	bool own;      /* by the loopback of both */
};

struct udp_flow;
#define UDP_BUCKETS 256

#define LOOKUP_BUCKETS 256
#define LOOKUPS 2048

struct guard {
	struct guard_call call;
	int epoll;
	int spare; /* a descriptor for when there are no more */
	struct watch sockets[CATCH_COUNT];
	struct watch ports[NET_PORTS];
	struct watch resolver;
	struct alias_table aliases;
	uint8_t key[SIPHASH_KEY];
	struct flow_queue queues[FLOW_STATES];
	struct flow *busy, *busy_last, *dead;
	size_t flow_count, flow_most, udp_most;
	unsigned rules;    /* how often they were changed */
	size_t head_bytes; /* of all flows together */
	struct lookup *lookups[LOOKUP_BUCKETS];
	size_t lookup_count;
	struct udp_flow *udp[UDP_BUCKETS], *udp_oldest, *udp_newest;
	size_t udp_count;
	struct inbound *inbound;
	size_t inbound_count;
	int inside[NETSOCK_MOST]; /* sockets of the sandbox, not used yet */
	size_t inside_count;
	uint32_t last_id;
	uint64_t resolver_at; /* ms: not started again before */
	uint64_t now;         /* ms, of this turn */
	bool behind;          /* the last one that was asked for new ones had more of them */
};

/* guard/guard.c */
int guard_watch(struct guard *g, struct watch *w, enum watch_kind kind, int fd, void *owner,
	uint32_t events);
void guard_unwatch(struct guard *g, struct watch *w); /* and closes it */
void guard_tell(struct guard *g, const struct guard_event *e);

/* guard/whose.c: whose program began something; see guard_call.owner. */
struct whose_ends {
	struct netaddr client, to;
	uint16_t client_port, to_port;
};
/* True: it can be only one's. */
bool whose_only(const struct guard *g, uint64_t *ret);
uint64_t whose_connection(const struct guard *g, int fd, const struct netaddr *to, uint16_t port);
uint64_t whose_port(const struct guard *g, const struct netaddr *own, uint16_t port);
uint64_t whose_datagram(const struct guard *g, const struct whose_ends *e);
/* The socket that would get the answer to it; 0: none. */
uint32_t whose_socket(const struct guard *g, const struct whose_ends *e);

/* guard/ask.c: questions for names. */
/* Who asks: over a connection, or by a datagram. */
struct ask_from {
	const struct flow *flow; /* NULL: by a datagram */
	struct whose_ends ends;
};
void ask_datagrams(struct guard *g, struct watch *w);
void ask_connection(struct guard *g, struct flow *f);
/* One message without its length; the answer's length, 0: there is none. */
size_t ask_answer(struct guard *g, const struct ask_from *from, const uint8_t *m, size_t len,
	uint8_t *out, size_t room);

/* guard/udp.c: datagrams. */
void udp_datagrams(struct guard *g, struct watch *w);
void udp_answers(struct guard *g, struct watch *w);
void udp_expire(struct guard *g);
uint64_t udp_next_due(const struct guard *g); /* ms; 0: nothing is */
void udp_free(struct guard *g);
size_t udp_judge_again(struct guard *g, bool now);
void udp_tell_left(struct guard *g, uint64_t owner);
/* The address of a socket. */
struct netaddr udp_address(const void *sockaddr, uint16_t *ret_port);
/* guard/forge.c: packets from whom the program expects them. */
struct forge_ends {
	struct netaddr from, to;
	uint16_t from_port, to_port;
};
void forge_datagram(struct guard *g, const struct forge_ends *ends, const void *data, size_t size);
/* That nobody listens at `from`, to whom `size` bytes were sent. */
void forge_unreachable(struct guard *g, const struct forge_ends *ends, size_t size);

/* guard/budget.c: that of a name, or of an address where there is none; NULL: it has none, which
 * all of these know. */
struct guard_budget *budget_of(struct guard *g, const char *name, const struct netaddr *addr);
bool budget_enter(struct guard_budget *b);
void budget_leave(struct guard_budget *b);
/* So many bytes may pass now. What cannot be cut into pieces may be more than the rate has ready,
 * once, and waits for it afterwards. */
uint64_t budget_lend(struct guard *g, struct guard_budget *b, int way, bool pieces);
void budget_take(struct guard_budget *b, int way, uint64_t lent, uint64_t left);
/* Nothing was lent, and a little later something will be. */
bool budget_is_late(const struct guard_budget *b, int way);

/* guard/inbound.c: ports of the host. */
int inbound_open(struct guard *g, struct err *e);
void inbound_free(struct guard *g);
/* One of the sandbox's own, and an address for it. */
int inbound_socket(struct guard *g);
socklen_t inbound_sockaddr(const struct netaddr *a, uint16_t port, struct sockaddr_storage *ret);

/* guard/judge.c */
struct net_verdict judge_name(const struct guard *g, const char *name, uint16_t port);
/* An address that is to be dialled for the name, or for itself (NULL). */
/* Somebody has forbidden names: what hides them must not be a way around that. */
bool judge_forbids_names(const struct guard *g);
struct net_verdict judge_address(
	const struct guard *g, const struct netaddr *addr, uint16_t port, const char *name);

/* guard/lookup.c */
/* 0: the answer is there; 1: the waiter is told later. */
int lookup_name(struct guard *g, const char *name, struct waiter *w, const struct lookup **ret);
void lookup_answer(struct guard *g);
void lookup_forget(struct waiter *w);
void lookup_free(struct guard *g);

socklen_t judge_sockaddr(const struct netaddr *a, uint16_t port, struct sockaddr_storage *ret);

/* guard/flow.c: a connection from its beginning to its end, and what is due when. */
void flow_accept(struct guard *g, struct watch *listener);
void flow_event(struct guard *g, struct watch *w, uint32_t events);
void flow_due(struct guard *g, struct flow *f);
void flow_enter(struct guard *g, struct flow *f, enum flow_state state);
void flow_close(struct guard *g, struct flow *f);
/* With a reset on both sides. */
void flow_break(struct guard *g, struct flow *f, const char *why);
/* The client is told why, where there are words for it. */
void flow_refuse(struct guard *g, struct flow *f, const char *why);
void flow_look(
	const struct guard *g, void (*see)(void *ctx, const struct guard_event *e), void *ctx);
size_t flow_judge_again(struct guard *g);
void flow_tell(struct guard *g, struct flow *f);
void flow_tell_left(struct guard *g, uint64_t owner);
/* By the rules as they are now; dialled: f->at is where it leads. */
bool flow_is_allowed(const struct guard *g, const struct flow *f, bool dialled);
/* The budget of a host that it has named; false: as many are open as may be. */
bool flow_take_budget(struct guard *g, struct flow *f, const char *host);
void udp_look(
	const struct guard *g, void (*see)(void *ctx, const struct guard_event *e), void *ctx);
void flow_bury(struct guard *g);
uint64_t flow_next_due(const struct guard *g);
/* It goes on in the next turn. */
void flow_busy(struct guard *g, struct flow *f);
/* guard/flow_head.c: what the client says first. */
void flow_read_head(struct guard *g, struct flow *f);
/* One read into the head: its length, 0 at the end, -EAGAIN, -ENOBUFS: it is full. */
ssize_t flow_read(struct guard *g, struct flow *f);
void flow_drop_head(struct guard *g, struct flow *f);
/* Why a request must not go where the connection leads; NULL: it may. */
const char *flow_judge_request(struct guard *g, const struct flow *f, const struct http_request *q);
/* guard/flow_dial.c: the server. */
void flow_connect(struct guard *g, struct flow *f);
void flow_found(struct guard *g, void *flow, const struct lookup *l);
void flow_dial_inside(struct guard *g, struct flow *f, bool own);
void flow_dialled(struct guard *g, struct flow *f, struct watch *w);
void flow_dial_rival(struct guard *g, struct flow *f);
/* guard/flow_open.c: both are there. */
void flow_begin(struct guard *g, struct flow *f);
void flow_open_event(struct guard *g, struct flow *f, const struct watch *w, uint32_t events);
void flow_go_on(struct guard *g, struct flow *f); /* after a pause */
