/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/guarding.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "guard/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define RESOLVER "ward-resolver"
#define SERVERS 8
#define FINISH_MS 2000

struct guarding {
	struct stage *stage;
	struct guard *guard;
	struct guard_host *hosts;
	struct guard_budget *budgets;
	struct netlive rules;
	struct result_network seen;
	struct nettally total;
	uint64_t taken_up, taken_down; /* of that */
	struct guarding_book book;     /* all NULL: one command has it all */
	pid_t resolver;
	bool by_port; /* others are refused by the kernel, and not seen */
};

/* What init hands out. */
struct caught {
	int namespace; /* -1: no port is published */
	int sockets[CATCH_COUNT];
	int ports[NET_PORTS];
	size_t port_count;
};

/* The program, as bytes of this one: what lies beside it could be a sandbox's workspace. */
extern const char resolver_image[], resolver_image_end[];

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010u
#endif

/* A file in memory that nobody can change any more. */
static int open_resolver(void)
{
	unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	auto_fd int fd = memfd_create(RESOLVER, flags | MFD_EXEC);
	const char *at = resolver_image;

	if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
		fd = memfd_create(RESOLVER, flags);
	if (fd < 0)
		return -errno;
	while (at < resolver_image_end) {
		ssize_t n = write(fd, at, (size_t)(resolver_image_end - at));

		if (n < 0)
			return -errno;
		at += n;
	}
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return -errno;
	return take_fd(&fd);
}

/* Root's becomes the sandbox's own user: it needs nothing of root. */
static _Noreturn void become_resolver(const struct stage *s, int program, int socket)
{
	const struct plan_network *n = &s->plan->network;
	char *argv[SERVERS + 2] = {(char[]){RESOLVER}}, *env[] = {NULL};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	sigset_t none;

	for (size_t i = 0; i < n->dns_count && i < SERVERS; i++)
		argv[i + 1] = strdup(n->dns[i]);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (s->plan->root &&
		(setgroups(0, NULL) < 0 || setresgid(s->host_gid, s->host_gid, s->host_gid) < 0 ||
			setresuid(s->host_uid, s->host_uid, s->host_uid) < 0))
		_exit(127);
	if (dup2(socket, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
		dup2(null, STDERR_FILENO) < 0 || chdir("/") < 0)
		_exit(127);
	syscall(SYS_execveat, program, "", argv, env, AT_EMPTY_PATH);
	_exit(127);
}

static int start_resolver(void *ctx)
{
	struct guarding *g = ctx;
	auto_fd int program = open_resolver();
	int pair[2], r = program < 0 ? program : packet_pair(pair);
	pid_t pid;

	if (r < 0)
		return r;
	if (g->resolver > 0) /* one that died */
		waitpid(g->resolver, NULL, WNOHANG);
	pid = fork();
	if (pid == 0)
		become_resolver(g->stage, program, pair[1]);
	g->resolver = pid;
	close(pair[1]);
	if (pid > 0)
		return pair[0];
	close(pair[0]);
	return -EAGAIN;
}

/* Each connection needs two; the soft limit is for programs that use select(). */
static void raise_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

static void flow_of(const struct guard_event *e, struct result_flow *ret)
{
	bool in = e->kind == GUARD_INBOUND;

	*ret = (struct result_flow){.count = 1,
		.port = e->port,
		.allowed = e->allowed,
		.up = in ? e->down : e->up,
		.down = in ? e->up : e->down};
	if (in)
		snprintf(ret->host, sizeof ret->host, "%s", RESULT_INBOUND);
	else if (*e->name)
		snprintf(ret->host, sizeof ret->host, "%s", e->name);
	else
		netaddr_text(&e->addr, ret->host);
	snprintf(ret->why, sizeof ret->why, "%s", e->why ? e->why : "");
}

/* What came by a published port was not tried by a program inside. */
static void take_event(void *ctx, const struct guard_event *e)
{
	struct guarding *g = ctx;
	struct result_flow f;

	flow_of(e, &f);
	nettally_add(&g->total, &f);
	if (g->book.told) {
		g->book.told(g->book.ctx,
			&(struct guarding_told){e->owner, &f, e->kind == GUARD_INBOUND, e->spent});
		return;
	}
	g->seen.spent += e->spent;
	if (e->kind != GUARD_INBOUND)
		result_network_add(&g->seen, &f);
}

static bool find_owner(void *ctx, const uint32_t *inodes, size_t count, uint64_t *ret)
{
	struct guarding *g = ctx;

	*ret = 0;
	return !g->book.owner || g->book.owner(g->book.ctx, inodes, count, ret);
}

void guarding_keep(struct stage *s, const struct guarding_book *book)
{
	if (s->guarding)
		s->guarding->book = *book;
}

void guarding_take_new(struct stage *s)
{
	if (s->guarding && s->guarding->guard)
		guard_take_new(s->guarding->guard);
}

void guarding_leave(struct stage *s, uint64_t owner)
{
	if (s->guarding && s->guarding->guard)
		guard_tell_left(s->guarding->guard, owner);
}

static bool is_listened_at(const struct guarding *g, uint16_t port)
{
	uint16_t ports[NET_PORTS];
	size_t count = net_policy_ports(&g->stage->plan->network.policy, ports);

	for (size_t i = 0; i < count; i++)
		if (ports[i] == port)
			return true;
	return false;
}

/* One that is none is said by whoever takes it. */
static bool has_ports(const struct guarding *g, const char *text)
{
	auto_(arena_free) struct arena scratch = {0};
	struct netrule rule;

	if (netrule_parse(&scratch, text, &rule, NULL) < 0)
		return true;
	if (rule.port)
		return is_listened_at(g, rule.port);
	return is_listened_at(g, NETRULE_PORT_HTTP) && is_listened_at(g, NETRULE_PORT_HTTPS);
}

int guarding_change(struct stage *s, bool deny, bool now, const char *rule, struct err *e)
{
	struct guarding *g = s->guarding;
	int r;

	if (!g || !g->guard || !s->plan->network.guarded)
		return err_set(e, ENETDOWN,
			"the sandbox has no network whose rules could be changed; 'ward recreate' "
			"it "
			"with network: limited, or with rules that allow something");
	if (g->by_port && !deny && !has_ports(g, rule))
		return err_set(e, EOPNOTSUPP,
			"this kernel has no nft_tproxy: only ports that the sandbox was started "
			"with can be reached; 'ward recreate' it with this rule");
	r = netlive_change(&g->rules, deny, rule, e);
	return r < 0 ? r : (int)guard_judge_again(g->guard, now);
}

const struct netlive *guarding_rules(const struct stage *s)
{
	return s->guarding && s->plan->network.guarded ? &s->guarding->rules : NULL;
}

static void add_bytes(void *ctx, const struct guard_event *e)
{
	struct result_usage *sum = ctx;
	struct result_flow f;

	flow_of(e, &f);
	sum->sent_bytes += f.up;
	sum->received_bytes += f.down;
}

/* What is open counts with what has gone over it so far. */
void guarding_take_bytes(struct stage *s, struct result_usage *io)
{
	struct guarding *g = s->guarding;
	struct result_usage sum = {0};

	if (!g)
		return;
	sum.sent_bytes = g->total.up;
	sum.received_bytes = g->total.down;
	if (g->guard)
		guard_look(g->guard, add_bytes, &sum);
	io->sent_bytes += sum.sent_bytes - g->taken_up;
	io->received_bytes += sum.received_bytes - g->taken_down;
	g->taken_up = sum.sent_bytes;
	g->taken_down = sum.received_bytes;
}

struct looking {
	void (*see)(void *ctx, const struct result_flow *f, bool open);
	void *ctx;
};

static void see_open(void *ctx, const struct guard_event *e)
{
	const struct looking *l = ctx;
	struct result_flow f;

	flow_of(e, &f);
	l->see(l->ctx, &f, true);
}

struct looking_open {
	void (*see)(void *ctx, const struct guarding_told *t);
	void *ctx;
};

static void see_open_told(void *ctx, const struct guard_event *e)
{
	const struct looking_open *l = ctx;
	struct result_flow f;

	flow_of(e, &f);
	l->see(l->ctx, &(struct guarding_told){e->owner, &f, e->kind == GUARD_INBOUND, e->spent});
}

void guarding_look_open(
	const struct stage *s, void (*see)(void *ctx, const struct guarding_told *t), void *ctx)
{
	struct looking_open looking = {see, ctx};

	if (s->guarding && s->guarding->guard)
		guard_look(s->guarding->guard, see_open_told, &looking);
}

void guarding_look(const struct stage *s,
	void (*see)(void *ctx, const struct result_flow *f, bool open), void *ctx)
{
	const struct nettally *t = s->guarding ? &s->guarding->total : NULL;
	struct looking looking = {see, ctx};

	for (size_t i = 0; t && i < t->count; i++)
		see(ctx, &t->rows[i], false);
	for (size_t i = 0; t && i < 2; i++)
		if (t->others[i].count > 0)
			see(ctx, &t->others[i], false);
	if (t && s->guarding->guard)
		guard_look(s->guarding->guard, see_open, &looking);
}

bool guarding_take_report(struct stage *s, struct result_network *ret)
{
	struct guarding *g = s->guarding;

	if (g && g->guard)
		guard_tell_left(g->guard, 0);
	if (!g || g->seen.flows[0].count == 0)
		return false;
	*ret = g->seen;
	memset(&g->seen, 0, sizeof g->seen);
	return true;
}

static int begin(struct guarding *g, const struct plan_network *n, const struct caught *caught,
	struct err *e)
{
	struct guard_call call = {.policy = &g->rules.policy,
		.hosts = g->hosts,
		.host_count = n->host_count,
		.budgets = g->budgets,
		.budget_count = n->budget_count,
		.block4 = n->made_up4,
		.block6 = n->made_up6,
		.nxdomain = n->nxdomain,
		.publish = n->publish,
		.publish_count = n->publish_count,
		.namespace = caught->namespace,
		.ports = caught->ports,
		.port_count = caught->port_count,
		.own4 = {.v4 = true},
		.resolver = start_resolver,
		.event = take_event,
		.owner = find_owner,
		.ctx = g};

	for (size_t i = 0; i < n->budget_count; i++)
		g->budgets[i] = (struct guard_budget){.name = n->budgets[i].name,
			.left = {n->budgets[i].up, n->budgets[i].down},
			.rate = n->budgets[i].rate,
			.connections = n->budgets[i].connections};
	for (size_t i = 0; i < n->host_count; i++)
		g->hosts[i] = (struct guard_host){n->hosts[i].name, n->hosts[i].addr};
	memcpy(call.own4.bytes, network_own4, sizeof network_own4);
	memcpy(call.own6.bytes, network_own6, sizeof network_own6);
	raise_files();
	return guard_open(&call, caught->sockets, &g->guard, e);
}

/* What init may hand out for this plan, in its order: the namespace, the sockets, ports. */
static bool sort_out(const struct plan_network *n, const struct packet_fds *fds, struct caught *ret)
{
	uint16_t ports[NET_PORTS];
	size_t at = n->publish_count > 0, all = at + (n->guarded ? CATCH_COUNT : 0);
	size_t by_port = n->guarded ? net_policy_ports(&n->policy, ports) : 0;

	if (fds->count == 0 || (fds->count != all && fds->count != all + by_port))
		return false;
	*ret = (struct caught){.namespace = at ? fds->fd[0] : -1, .port_count = fds->count - all};
	for (size_t i = 0; i < CATCH_COUNT; i++)
		ret->sockets[i] = n->guarded ? fds->fd[at + i] : -1;
	for (size_t i = 0; i < ret->port_count; i++)
		ret->ports[i] = fds->fd[all + i];
	return true;
}

int guarding_begin(struct stage *s, struct packet_fds *fds, struct err *e)
{
	const struct plan_network *n = &s->plan->network;
	struct caught caught;
	struct guarding *g;

	if (s->guarding || !sort_out(n, fds, &caught))
		return err_set(e, EPROTO, "the sandbox speaks of its network when it must not");
	g = mem_alloc(sizeof *g);
	g->stage = s;
	g->hosts = mem_alloc((n->host_count + 1) * sizeof *g->hosts);
	g->budgets = mem_alloc((n->budget_count + 1) * sizeof *g->budgets);
	g->by_port = caught.port_count > 0;
	netlive_init(&g->rules, &n->policy);
	s->guarding = g;
	fds->count = 0;
	return begin(g, n, &caught, e);
}

bool guarding_is_by_port(const struct stage *s)
{
	return s->guarding && s->guarding->by_port;
}

struct pollfd guarding_wait(const struct stage *s)
{
	bool some = s->guarding && s->guarding->guard;

	return (struct pollfd){.fd = some ? guard_fd(s->guarding->guard) : -1, .events = POLLIN};
}

int guarding_due(const struct stage *s, int due)
{
	int own = s->guarding && s->guarding->guard ? guard_due(s->guarding->guard) : -1;

	return own < 0 || (due >= 0 && due < own) ? due : own;
}

void guarding_work(struct stage *s)
{
	if (s->guarding && s->guarding->guard)
		guard_work(s->guarding->guard);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void guarding_finish(struct stage *s)
{
	int64_t end = now_ms() + FINISH_MS;

	while (s->guarding && s->guarding->guard && guard_is_sending(s->guarding->guard)) {
		struct pollfd wait = guarding_wait(s);
		int64_t left = end - now_ms();

		if (left <= 0)
			break;
		poll(&wait, 1, guarding_due(s, (int)left));
		guarding_work(s);
	}
	/* What is still open is told of now. */
	if (s->guarding && s->guarding->guard)
		guard_free(take_ptr(s->guarding->guard));
}

void guarding_free(struct stage *s)
{
	if (!s->guarding)
		return;
	guard_free(s->guarding->guard);
	netlive_free(&s->guarding->rules);
	nettally_free(&s->guarding->total);
	free(s->guarding->hosts);
	free(s->guarding->budgets);
	free(take_ptr(s->guarding));
}
