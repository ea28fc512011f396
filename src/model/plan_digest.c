/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256.h"
#include "model/plan.h"

#include <string.h>

static void add_number(struct sha256 *h, uint64_t n)
{
	sha256_add(h, &n, sizeof n);
}

/* With its end, so that two texts are never the same as two others. */
static void add_text(struct sha256 *h, const char *text)
{
	add_number(h, text ? 1 : 0);
	if (text)
		sha256_add(h, text, strlen(text) + 1);
}

static void add_texts(struct sha256 *h, const char *const *texts, size_t count)
{
	add_number(h, count);
	for (size_t i = 0; i < count; i++)
		add_text(h, texts[i]);
}

static void add_row(struct sha256 *h, const struct plan_row *r)
{
	add_number(h, r->kind);
	add_number(h, r->writable);
	add_number(h, r->noexec);
	add_number(h, r->owned);
	add_number(h, r->mode);
	add_text(h, r->target);
	add_text(h, r->source);
	add_number(h, r->size);
	add_number(h, r->inodes);
}

static void add_limits(struct sha256 *h, const struct plan_limits *l)
{
	add_number(h, l->memory);
	add_number(h, l->swap);
	add_number(h, l->cpus);
	add_number(h, l->pids);
	add_number(h, l->files);
	add_number(h, l->file_size);
}

static void add_filter(struct sha256 *h, const struct plan *p)
{
	add_number(h, p->filter_variant);
	add_number(h, p->filter.len);
	if (p->filter.code)
		sha256_add(h, p->filter.code, p->filter.len * sizeof p->filter.code[0]);
}

static void add_rules(struct sha256 *h, const struct netrule *rules, size_t count)
{
	char text[NETRULE_TEXT];

	add_number(h, count);
	for (size_t i = 0; i < count; i++) {
		netrule_text(&rules[i], text);
		add_text(h, text);
	}
}

static void add_address(struct sha256 *h, const struct netaddr *a)
{
	add_number(h, a->v4);
	sha256_add(h, a->bytes, sizeof a->bytes);
}

static void add_block(struct sha256 *h, const struct netcidr *c)
{
	add_address(h, &c->net);
	add_number(h, c->bits);
}

static void add_network(struct sha256 *h, const struct plan_network *n)
{
	add_number(h, n->publish_count);
	for (size_t i = 0; i < n->publish_count; i++) {
		add_address(h, &n->publish[i].addr);
		add_number(h, n->publish[i].host_port);
		add_number(h, n->publish[i].inside_port);
	}
	add_number(h, n->guarded);
	if (!n->guarded)
		return;
	add_number(h, n->nxdomain);
	add_block(h, &n->made_up4);
	add_block(h, &n->made_up6);
	add_number(h, n->policy.mode);
	add_number(h, n->policy.has_allow);
	add_rules(h, n->policy.allow, n->policy.allow_count);
	add_rules(h, n->policy.deny, n->policy.deny_count);
	add_texts(h, n->dns, n->dns_count);
	add_number(h, n->budget_count);
	for (size_t i = 0; i < n->budget_count; i++) {
		add_text(h, n->budgets[i].name);
		add_number(h, n->budgets[i].up);
		add_number(h, n->budgets[i].down);
		add_number(h, n->budgets[i].rate);
		add_number(h, n->budgets[i].connections);
	}
	add_number(h, n->host_count);
	for (size_t i = 0; i < n->host_count; i++) {
		add_text(h, n->hosts[i].name);
		add_address(h, &n->hosts[i].addr);
	}
}

void plan_digest(const struct plan *p, uint8_t ret[32])
{
	struct sha256 h;

	sha256_init(&h);
	add_text(&h, p->hostname);
	add_number(&h, p->uid);
	add_number(&h, p->gid);
	add_number(&h, p->root);
	add_number(&h, p->row_count);
	for (size_t i = 0; i < p->row_count; i++)
		add_row(&h, &p->rows[i]);
	add_number(&h, p->read_only_root);
	add_number(&h, p->root_size);
	add_number(&h, p->root_inodes);
	add_number(&h, p->workspace);
	add_text(&h, p->workspace_path);
	add_texts(&h, p->protect, p->protect_count);
	add_texts(&h, p->hide, p->hide_count);
	add_network(&h, &p->network);
	add_limits(&h, &p->limits);
	add_number(&h, p->landlock);
	add_number(&h, p->broker);
	add_text(&h, p->setup);
	add_text(&h, p->audit.folder);
	add_number(&h, p->audit.rotate);
	add_number(&h, p->audit.keep);
	add_number(&h, (uint64_t)p->audit.sync);
	add_number(&h, p->bind_rules.exception_count);
	for (size_t i = 0; i < p->bind_rules.exception_count; i++)
		add_text(&h, p->bind_rules.exceptions[i].text);
	add_filter(&h, p);
	for (int i = 0; i < LAYER_COUNT; i++) {
		add_number(&h, p->required[i]);
		add_number(&h, p->required[i] ? p->require[i].accepted : 0);
	}
	sha256_end(&h, ret);
}
