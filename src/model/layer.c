/* SPDX-License-Identifier: Apache-2.0 */
#include "model/layer.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/macro.h"
#include "base/str.h"

#include <string.h>

const char *const layer_names[LAYER_COUNT + 1] = {
	[LAYER_FILESYSTEM] = "filesystem",
	[LAYER_NETWORK] = "network",
	[LAYER_PROCESSES] = "processes",
	[LAYER_SYSCALLS] = "syscalls",
	[LAYER_MEMORY] = "memory",
	[LAYER_CPU] = "cpu",
	[LAYER_PIDS] = "pids",
	[LAYER_DISK] = "disk",
	[LAYER_LANDLOCK] = "landlock",
};

#define CGROUP (MECHANISM_CGROUP1 | MECHANISM_CGROUP2)
#define WALLS (MECHANISM_GVISOR | MECHANISM_VM)
#define ON(layer) (1u << LAYER_##layer)
#define LIMITS (ON(MEMORY) | ON(CPU) | ON(PIDS))
#define PLACES (ON(FILESYSTEM) | ON(NETWORK) | ON(PROCESSES))

/*
 * What may follow the colon. A word names the weakest mechanism that is good enough, so what is
 * stronger is accepted too: a cgroup does all that a watchdog does, a virtual machine all that a
 * namespace does.
 */
static const struct word {
	const char *name;
	unsigned layers; /* where the word makes sense */
	unsigned accepted;
} words[] = {
	{"cgroup", LIMITS, CGROUP},
	{"cgroup1", LIMITS, MECHANISM_CGROUP1},
	{"cgroup2", LIMITS, MECHANISM_CGROUP2},
	{"watchdog", ON(MEMORY) | ON(DISK),
		MECHANISM_WATCHDOG | MECHANISM_TMPFS | MECHANISM_QUOTA | CGROUP},
	{"rlimit", ON(PIDS), MECHANISM_RLIMIT | CGROUP},
	{"tmpfs", ON(DISK), MECHANISM_TMPFS},
	{"quota", ON(DISK), MECHANISM_QUOTA},
	{"namespace", PLACES, MECHANISM_NAMESPACE | WALLS},
	{"landlock", ON(FILESYSTEM) | ON(LANDLOCK), MECHANISM_LANDLOCK},
	{"seccomp", ON(SYSCALLS), MECHANISM_SECCOMP},
	{"gvisor", PLACES | ON(SYSCALLS), WALLS},
	{"vm", PLACES | ON(SYSCALLS), MECHANISM_VM},
};

static const char *layer_name(size_t i, const void *ctx)
{
	(void)ctx;
	return layer_names[i];
}

/* The words for one layer, one after the other. */
static const char *word_name(size_t i, const void *ctx)
{
	enum layer_id layer = *(const enum layer_id *)ctx;

	for (size_t w = 0; w < ARRAY_LEN(words); w++)
		if (words[w].layers & 1u << layer && !i--)
			return words[w].name;
	return NULL;
}

static int find_layer(const char *text, size_t len, enum layer_id *ret)
{
	for (enum layer_id l = 0; l < LAYER_COUNT; l++)
		if (strlen(layer_names[l]) == len && memcmp(layer_names[l], text, len) == 0) {
			*ret = l;
			return 0;
		}
	return -1;
}

static void list_names(struct buf *out, const char *(*names)(size_t, const void *), const void *ctx)
{
	const char *name;

	for (size_t i = 0; (name = names(i, ctx)); i++) {
		buf_puts(out, i ? ", " : "");
		buf_puts(out, name);
	}
}

/* Says what is wrong with the part and what would be right. */
static int unknown(struct err *e, const char *what, const char *part,
	const char *(*names)(size_t, const void *), const void *ctx)
{
	auto_(buf_free) struct buf shown = BUF(100), all = BUF(200);
	const char *near = str_nearest(part, names, ctx);

	escape_text(&shown, part);
	list_names(&all, names, ctx);
	if (near)
		return err_set(e, EINVAL, "unknown %s '%s': did you mean '%s'?", what,
			buf_text(&shown), near);
	return err_set(e, EINVAL, "unknown %s '%s': one of %s", what, buf_text(&shown),
		all.len ? buf_text(&all) : "none");
}

static int parse_word(const char *word, enum layer_id layer, unsigned *ret, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (words[i].layers & 1u << layer && str_eq(words[i].name, word)) {
			*ret = words[i].accepted;
			return 0;
		}
	return unknown(e, "mechanism", word, word_name, &layer);
}

int layer_require_parse(const char *text, struct layer_require *ret, struct err *e)
{
	struct layer_require require = {0};
	const char *colon = strchr(text, ':');
	int r;

	if (find_layer(text, colon ? (size_t)(colon - text) : strlen(text), &require.layer) < 0)
		return unknown(e, "layer", text, layer_name, NULL);
	if (colon) {
		r = parse_word(colon + 1, require.layer, &require.accepted, e);
		if (r < 0)
			return err_ctx(e, r, "%s", layer_names[require.layer]);
	}
	*ret = require;
	return 0;
}

int layer_require_check(const char *text, struct err *e)
{
	struct layer_require require;

	return layer_require_parse(text, &require, e);
}

bool layer_require_met(const struct layer_require *require, const struct layer_answer *answer)
{
	if (!answer->enforced)
		return false;
	return !require->accepted || require->accepted & answer->mechanisms;
}
