/* SPDX-License-Identifier: Apache-2.0 */
#include "model/netpolicy.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "test.h"

#define RULES_MAX 8

/*
 * A policy as text: the mode, then rules; "+" in front of one that allows, "-" of one that denies,
 * "+" alone for an empty allow list.
 */
struct fixture {
	struct arena arena;
	struct netrule allow[RULES_MAX], deny[RULES_MAX];
	struct net_policy policy;
};

static void add_word(struct fixture *f, const char *word)
{
	struct net_policy *p = &f->policy;
	struct netrule *to = word[0] == '+' ? &f->allow[p->allow_count] : &f->deny[p->deny_count];

	if (word[0] != '+' && word[0] != '-') {
		for (int i = 0; i < NET_MODES; i++)
			if (strcmp(net_mode_names[i], word) == 0)
				p->mode = (enum net_mode)i;
		return;
	}
	p->has_allow |= word[0] == '+';
	if (!word[1])
		return;
	check_int(netrule_parse(&f->arena, word + 1, to, NULL), 0);
	if (word[0] == '+')
		p->allow_count++;
	else
		p->deny_count++;
}

static void fixture_init(struct fixture *f, const char *text)
{
	*f = (struct fixture){.policy = {.allow = f->allow, .deny = f->deny}};
	while (*text) {
		size_t len = strcspn(text, " ");
		char word[128];

		snprintf(word, sizeof(word), "%.*s", (int)len, text);
		add_word(f, word);
		text += len + (text[len] == ' ');
	}
}

static void fixture_free(struct fixture *f)
{
	arena_free(&f->arena);
}

struct row {
	const char *policy, *target;
	bool allow;
	const char *why;
};

static void judge(const struct row *row, bool by_name)
{
	auto_(fixture_free) struct fixture f;
	struct net_target t = {0};
	struct net_verdict v;

	fixture_init(&f, row->policy);
	test_row("%s | %s", row->policy, row->target);
	if (!check_int(net_target_parse(row->target, &t, NULL), 0))
		return;
	if (t.is_addr)
		v = net_decide_addr(&f.policy, &t.addr, t.port, by_name);
	else
		v = net_decide_name(&f.policy, t.host, t.port);
	check_int(v.allow, row->allow);
	check_has(v.why, row->why);
}

static void by_name(void)
{
	static const struct row rows[] = {
		/* An empty list is no network, whatever the mode. */
		{"none", "example.com:443", false, "mode none"},
		{"none +", "example.com:443", false, "empty"},
		{"full +", "example.com:443", false, "empty"},
		{"limited", "example.com:443", true, "limited"},
		{"limited", "example.com:80", true, "limited"},
		{"limited", "example.com:22", false, "only ports 80 and 443"},
		{"full", "example.com:22", true, "full"},
		{"full", "localhost:22", false, "host-service"},
		{"full", "a.localhost:22", false, "host-service"},
		{"full", "host-service:22", false, "host-service"},
		{"none +example.com", "example.com:443", true, "allow list"},
		{"none +example.com", "EXAMPLE.com.:80", true, "allow list"},
		{"none +example.com", "example.com:22", false, "no rule"},
		{"none +example.com", "example.com:2375", false, "no rule"},
		{"full +example.com", "other.com:443", false, "no rule"},
		{"none +git.test:22", "git.test:22", true, "allow list"},
		{"none +example.com +*.example.com", "evilexample.com:443", false, "no rule"},
		{"none +example.com +*.example.com", "example.com.evil.test:443", false, "no rule"},
		{"none +example.com +*.example.com", "sub.example.com:443", true, "allow list"},
		{"none +*.example.com", "example.com:443", false, "no rule"},
		/* Deny wins in any order, also at ports that no allow rule has. */
		{"none +*.a.test -x.a.test", "x.a.test:443", false, "deny wins"},
		{"none -x.a.test +x.a.test", "x.a.test:443", false, "deny wins"},
		{"none +x.a.test -x.a.test", "x.a.test.:443", false, "deny wins"},
		{"none +*.a.test -*.y.a.test", "a.y.a.test:443", false, "deny wins"},
		{"none +*.a.test -*.y.a.test", "y.a.test:443", true, "allow list"},
		{"none +*.a.test -x.a.test:443", "x.a.test:443", false, "deny wins"},
		{"none +*.a.test -x.a.test:443", "x.a.test:80", true, "allow list"},
		{"full -x.a.test", "x.a.test:8080", false, "deny wins"},
		{"full -x.a.test:22", "x.a.test:8080", true, "full"},
		{"full -*.a.test", "x.a.test:22", false, "deny wins"},
		/* Services of the host. */
		{"none +host-service:5432", "host-service:5432", true, "allow list"},
		{"none +host-service:5432", "host-service:5433", false, "host-service rule"},
		{"none +host-service:5432 -host-service:5432", "host-service:5432", false,
			"deny wins"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		judge(&rows[i], false);
}

static void by_literal_address(void)
{
	static const struct row rows[] = {
		{"none", "9.9.9.9:443", false, "mode none"},
		{"limited", "9.9.9.9:443", true, "limited"},
		{"limited", "9.9.9.9:53", false, "only ports"},
		{"full", "9.9.9.9:53", true, "full"},
		{"full", "[2620:fe::fe]:53", true, "full"},
		{"full", "[::ffff:9.9.9.9]:53", true, "full"},
		{"none +example.com", "9.9.9.9:443", false, "no rule"},
		{"full +", "9.9.9.9:443", false, "empty"},
		{"none +9.9.9.9", "9.9.9.9:443", true, "allow list"},
		{"none +9.9.9.9", "[::ffff:9.9.9.9]:443", true, "allow list"},
		{"none +9.9.9.9", "9.9.9.9:53", false, "no rule"},
		{"none +0.0.0.0/0", "9.9.9.9:443", true, "allow list"},
		{"full -9.9.9.0/24", "9.9.9.9:53", false, "deny wins"},
		{"full -9.9.9.0/24", "[::ffff:9.9.9.9]:53", false, "deny wins"},
		{"none +9.9.9.9 -9.9.9.9:443", "9.9.9.9:443", false, "deny wins"},
		{"none +9.9.9.9 -9.9.9.9:443", "9.9.9.9:80", true, "allow list"},
		/* The loopback never, however it is written. */
		{"full", "127.0.0.1:80", false, "never"},
		{"none +127.0.0.1", "127.0.0.1:80", false, "never"},
		{"none +127.0.0.0/8", "127.1.2.3:80", false, "never"},
		{"none +0.0.0.0/0", "0.0.0.0:80", false, "never"},
		{"none +[::1]", "[::1]:80", false, "never"},
		{"none +[::]/0", "[::1]:80", false, "never"},
		{"none +127.0.0.1", "[::ffff:127.0.0.1]:80", false, "never"},
		{"none +127.0.0.1", "[::ffff:7f00:1]:80", false, "never"},
		{"none +[::127.0.0.1]", "[::127.0.0.1]:80", false, "never"},
		{"none +[64:ff9b::]/96", "[64:ff9b::7f00:1]:80", false, "never"},
		{"none +[64:ff9b::7f00:1]", "[64:ff9b::7f00:1]:80", false, "never"},
		{"none +[2002:7f00:1::]", "[2002:7f00:1::]:80", false, "never"},
		{"none +host-service:80", "127.0.0.1:80", false, "never"},
		/* Special ranges only by a rule that lies within them. */
		{"full", "10.0.0.1:80", false, "not public"},
		{"full", "[fe80::1]:80", false, "not public"},
		{"full", "169.254.169.254:80", false, "credentials"},
		{"full", "[64:ff9b::9.9.9.9]:80", false, "not public"},
		{"full", "[2002:a00:1::]:80", false, "not public"},
		{"none +10.0.0.0/8", "10.0.0.1:80", true, "allow list"},
		{"none +10.0.0.0/8", "[::ffff:10.0.0.1]:80", true, "allow list"},
		{"none +10.0.0.0/8", "10.0.0.1:22", false, "not public"},
		{"none +10.0.0.1:22", "10.0.0.1:22", true, "allow list"},
		{"none +10.0.0.0/7", "10.0.0.1:80", false, "not public"},
		{"none +10.0.0.0/7", "11.0.0.1:80", true, "allow list"},
		{"none +0.0.0.0/0", "10.0.0.1:80", false, "not public"},
		{"none +[::]/0", "[fd00::1]:80", false, "not public"},
		{"none +[::]/0", "[4000::1]:80", false, "not public"},
		{"none +0.0.0.0/0", "169.254.169.254:80", false, "credentials"},
		{"none +169.254.0.0/16", "169.254.169.254:80", false, "credentials"},
		{"none +169.254.0.0/16", "169.254.1.1:80", true, "allow list"},
		{"none +169.254.169.254", "169.254.169.254:80", true, "allow list"},
		{"none +100.64.0.0/10", "100.100.100.200:80", false, "credentials"},
		{"none +[fd00::]/8", "[fd00:ec2::254]:80", false, "credentials"},
		{"none +[fd00:ec2::254]", "[fd00:ec2::254]:80", true, "allow list"},
		{"none +[64:ff9b::]/96", "[64:ff9b::9.9.9.9]:80", true, "allow list"},
		{"none +[64:ff9b::]/96", "[64:ff9b::10.0.0.1]:80", false, "not public"},
		{"none +[64:ff9b::10.0.0.1]", "[64:ff9b::10.0.0.1]:80", true, "allow list"},
		{"none +[64:ff9b::]/96 -9.9.9.9", "[64:ff9b::9.9.9.9]:80", false, "deny wins"},
		{"none +*.example.com +example.com", "10.0.0.1:443", false, "not public"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		judge(&rows[i], false);
}

static void by_address_of_an_allowed_name(void)
{
	static const struct row rows[] = {
		{"none +example.com", "9.9.9.9:443", true, "name is allowed"},
		{"none +git.test:22", "9.9.9.9:22", true, "name is allowed"},
		{"full", "9.9.9.9:22", true, "name is allowed"},
		{"none +example.com", "10.0.0.1:443", false, "a rule for the name does not"},
		{"none +example.com", "169.254.169.254:80", false, "credentials"},
		{"none +example.com", "127.0.0.1:443", false, "never"},
		{"none +example.com", "[::ffff:127.0.0.1]:443", false, "never"},
		{"none +example.com +10.0.0.0/8", "10.0.0.1:443", true, "allow list"},
		{"none +example.com +10.0.0.0/8", "192.168.0.1:443", false, "a rule for the name"},
		{"none +example.com -9.9.9.9", "9.9.9.9:443", false, "deny wins"},
		{"full", "10.0.0.1:443", false, "a rule for the name"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		judge(&rows[i], true);
}

static void port_zero_is_refused(void)
{
	auto_(fixture_free) struct fixture f;
	struct netaddr addr = {.bytes = {9, 9, 9, 9}, .v4 = true};

	fixture_init(&f, "full");
	check(!net_decide_name(&f.policy, "example.com", 0).allow);
	check(!net_decide_addr(&f.policy, &addr, 0, false).allow);
	check(!net_decide_addr(&f.policy, &addr, 0, true).allow);
}

static void the_rule_that_decided_is_named(void)
{
	auto_(fixture_free) struct fixture f;

	fixture_init(&f, "none +a.test +b.test -c.test");
	check(net_decide_name(&f.policy, "b.test", 443).rule == &f.allow[1]);
	check(net_decide_name(&f.policy, "c.test", 443).rule == &f.deny[0]);
	check(net_decide_name(&f.policy, "d.test", 443).rule == NULL);
}

static void one_policy_within_another(void)
{
	static const struct {
		const char *inner, *outer;
		bool within;
	} rows[] = {
		/* Modes. */
		{"none", "none", true},
		{"none", "full", true},
		{"limited", "none", false},
		{"limited", "limited", true},
		{"limited", "full", true},
		{"full", "limited", false},
		/* What reaches nothing is within everything. */
		{"full +", "none", true},
		{"none", "none +a.test", true},
		{"none +", "full -a.test", true},
		/* Lists within modes. */
		{"none +a.test", "none", false},
		{"none +a.test", "limited", true},
		{"none +a.test:22", "limited", false},
		{"none +a.test:22", "full", true},
		{"full +a.test", "limited", false},
		{"none +9.9.9.9", "limited", true},
		{"none +0.0.0.0/0", "limited", true},
		{"none +10.0.0.0/8", "full", false},
		{"none +169.254.169.254", "full", false},
		{"none +host-service:80", "full", false},
		{"none +*.a.test", "limited", true},
		/* Lists within lists. */
		{"none +a.test", "none +a.test", true},
		{"none +a.test", "none +a.test +b.test", true},
		{"none +a.test +b.test", "none +a.test", false},
		{"none +x.a.test", "none +*.a.test", true},
		{"none +*.a.test", "none +x.a.test", false},
		{"none +a.test", "none +*.a.test", false},
		{"none +a.test", "none +a.test:443", false},
		{"none +a.test", "none +a.test:443 +a.test:80", true},
		{"none +a.test:443", "none +a.test", true},
		{"none +a.test:22", "none +a.test", false},
		{"none +a.test", "full +", false},
		{"limited", "none +a.test", false},
		{"limited", "full +a.test", false},
		{"none +10.1.0.0/16", "none +10.0.0.0/8", true},
		{"none +10.0.0.0/8", "none +10.1.0.0/16", false},
		/* The wide rule opens public addresses only, so it does not cover the private
		   range. */
		{"none +10.0.0.0/8", "none +0.0.0.0/0", false},
		{"none +9.9.9.9", "none +0.0.0.0/0", true},
		{"none +169.254.169.254", "none +169.254.0.0/16", false},
		{"none +169.254.1.0/24", "none +169.254.0.0/16", true},
		{"none +[64:ff9b::10.0.0.1]", "none +[64:ff9b::]/96", false},
		{"none +[64:ff9b::9.9.9.9]", "none +[64:ff9b::]/96", true},
		{"none +host-service:80", "none +host-service:80", true},
		{"none +host-service:80", "none +host-service:81", false},
		{"none +host-service:80", "none +*.test", false},
		/* What outer denies, inner denies. */
		{"full", "full -a.test", false},
		{"full -a.test", "full -a.test", true},
		{"full -a.test -b.test", "full -a.test", true},
		{"full -*.test", "full -a.test", true},
		{"full -a.test", "full -a.test:22", true},
		{"full -a.test:443", "full -a.test", false},
		{"full -a.test:22", "full -a.test:22", true},
		{"full -10.0.0.0/8", "full -10.1.0.0/16", true},
		{"full -10.1.0.0/16", "full -10.0.0.0/8", false},
		{"none +a.test", "none +a.test -x.a.test", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(fixture_free) struct fixture inner;
		auto_(fixture_free) struct fixture outer;

		fixture_init(&inner, rows[i].inner);
		fixture_init(&outer, rows[i].outer);
		test_row("%s within %s", rows[i].inner, rows[i].outer);
		check_int(net_policy_within(&inner.policy, &outer.policy), rows[i].within);
	}
}

/* A workspace's file can ask for this: a list of rules, each of which is laid against a policy with
 * many denials. By the square of both it would take minutes. */
static void long_lists_that_are_compared_often(void)
{
	static struct netrule deny[4096];
	struct netrule allow = {.kind = NETRULE_NAME, .name = "a.test"};
	struct net_policy outer = {
		.mode = NET_LIMITED, .deny = deny, .deny_count = ARRAY_LEN(deny)};
	struct net_policy inner = outer;

	for (size_t i = 0; i < ARRAY_LEN(deny); i++)
		deny[i] = (struct netrule){
			.kind = NETRULE_NAME, .name = "b.test", .port = (uint16_t)(i + 1)};
	inner.mode = NET_NONE;
	inner.has_allow = true;
	inner.allow = &allow;
	inner.allow_count = 1;
	for (size_t i = 0; i < 4096; i++)
		check(net_policy_within(&inner, &outer));
}

static const struct test tests[] = {
	{"names", by_name},
	{"literal addresses", by_literal_address},
	{"addresses of an allowed name", by_address_of_an_allowed_name},
	{"port 0 is refused", port_zero_is_refused},
	{"the rule that decided is named", the_rule_that_decided_is_named},
	{"one policy within another", one_policy_within_another},
	{"long lists that are compared often", long_lists_that_are_compared_often},
};
TEST_MAIN(tests)
