/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Everything that can be used up, and everything that must come to an end. Limits are lowered for
 * the attempt where the policy's own are larger: the mechanism is tried, not the machine. The
 * control is the same payload with less, inside the sandbox: it must succeed.
 */

#include "base/number.h"
#include "base/str.h"
#include "cli/verify.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMORY (48u << 20)
#define PIDS 24u
#define DISK (8u << 20)
#define ROUNDING (64u << 10) /* a page for each place */
#define INODES 600u
#define ROUNDING_INODES 96u /* the least that a place gets, for each */
#define FILE_SIZE (256u << 10)
#define OUTPUT (64u << 10)
#define OUTPUT_TRIED (1u << 20)
#define CPUS 100u /* thousandths */
#define CPU_MS 600u
#define TIMEOUT_MS 300u
#define GRACE_MS 200u
#define LATE_MS 3000u /* a busy machine is not an escape */

struct limit {
	const char *key;
	uint64_t of_policy, lowered;
};

/* The smaller of both, and the setting when that is ours. */
static uint64_t choose(struct verify *v, const struct limit *l, const char **ret_set)
{
	*ret_set = NULL;
	if (l->of_policy <= l->lowered)
		return l->of_policy;
	*ret_set = arena_printf(v->call->arena, "%s=%llu", l->key, (unsigned long long)l->lowered);
	return l->lowered;
}

static const char *number(struct verify *v, uint64_t n)
{
	return arena_printf(v->call->arena, "%llu", (unsigned long long)n);
}

static uint64_t printed(const struct verify_run *r)
{
	char line[32];
	uint64_t n = 0;
	size_t len = strcspn(r->out, "\n");

	if (len >= sizeof line)
		return 0;
	memcpy(line, r->out, len);
	line[len] = '\0';
	number_count(line, &n, NULL);
	return n;
}

struct hog {
	enum layer_id layer;
	const char *name, *payload;
	const char *set;
	const char *more, *less, *second; /* arguments */
};

/* False: the row is written already, since nothing could be tried. */
static bool use_up(struct verify *v, const struct hog *h, struct verify_run *ret)
{
	const char *const sets[] = {h->set, NULL};
	const char *payload[] = {h->payload, h->less, h->second, NULL};

	if (str_eq(v->mechanism[h->layer], "none")) {
		verify_add(v, h->layer, h->name, VERIFY_NOT_ENFORCED, NULL);
		return false;
	}
	verify_run_inside(v, payload, sets, ret);
	if (!ret->ran || ret->exit_code != 0) {
		verify_add(v, h->layer, h->name, VERIFY_NOT_TRIED,
			ret->error ? ret->error : "even less than the limit is refused");
		return false;
	}
	payload[1] = h->more;
	verify_run_inside(v, payload, sets, ret);
	if (!ret->ran)
		verify_add(v, h->layer, h->name, VERIFY_NOT_TRIED, ret->error);
	return ret->ran;
}

static void add(struct verify *v, const struct hog *h, bool held, const char *why)
{
	verify_add(v, h->layer, h->name, held ? VERIFY_HELD : VERIFY_THROUGH, held ? NULL : why);
}

/* The program itself is ended, or one of several processes is, and the record says so. */
static bool was_oom(const struct verify_run *r, bool several)
{
	return str_eq(r->reason, "oom") ||
	       (several && verify_run_number(r, "limitsHit.memory") > 0);
}

static void try_memory(struct verify *v)
{
	static const char *const ways[][2] = {
		{"hog-memory", "use more memory than allowed"},
		{"hog-shared", "use more shared memory than allowed"},
		{"hog-children", "use more memory in several processes"},
	};
	struct limit l = {"resources.memory", v->plan.limits.memory, MEMORY};
	struct verify_run r;
	const char *set;
	uint64_t limit = choose(v, &l, &set);

	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct hog h = {LAYER_MEMORY, ways[i][1], ways[i][0], set, number(v, 3 * limit),
			number(v, limit / 3), NULL};

		if (use_up(v, &h, &r))
			add(v, &h, r.exit_code != 0 && was_oom(&r, i == 2),
				arena_printf(v->call->arena, "it ended as '%s'", r.reason));
	}
}

/* Each process that lived wrote one byte. */
static void try_pids(struct verify *v)
{
	struct limit l = {"resources.pids", v->plan.limits.pids, PIDS};
	struct verify_run r;
	const char *set;
	uint64_t limit = choose(v, &l, &set);
	struct hog h = {LAYER_PIDS, "start more processes than allowed", "hog-processes", set,
		number(v, limit + 40), number(v, limit / 3), NULL};

	if (use_up(v, &h, &r))
		add(v, &h, r.exit_code != 0 && r.out_len <= limit,
			arena_printf(v->call->arena, "%zu were started", r.out_len));
}

static void try_files(struct verify *v)
{
	uint64_t limit = v->plan.limits.files;
	struct hog h = {LAYER_PROCESSES, "open more files than allowed", "hog-files", NULL,
		number(v, limit + 16), "8", NULL};
	struct verify_run r;

	if (limit > 1u << 20)
		verify_add(v, h.layer, h.name, VERIFY_NOT_ASKED, NULL);
	else if (use_up(v, &h, &r))
		add(v, &h, r.exit_code != 0 && printed(&r) <= limit, "more could be opened");
}

/* Both hold for all that ward stores together; a read-write workspace is the host's. */
static void try_disk(struct verify *v)
{
	const char *own = v->plan.workspace == WORKSPACE_NONE ? "1" : "0";
	struct hog disk = {LAYER_DISK, "store more than allowed", "hog-disk",
		arena_printf(v->call->arena, "resources.disk=%u", DISK), number(v, 4ull * DISK),
		"65536", own};
	struct hog inodes = {LAYER_DISK, "make more files than allowed", "hog-inodes",
		arena_printf(v->call->arena, "resources.inodes=%u", INODES),
		number(v, 4ull * INODES), "4", own};
	struct verify_run r;

	if (use_up(v, &disk, &r))
		add(v, &disk,
			printed(&r) <=
				DISK + ROUNDING + (v->plan.read_only_root ? 0 : v->plan.root_size),
			arena_printf(v->call->arena, "%llu bytes were stored",
				(unsigned long long)printed(&r)));
	if (use_up(v, &inodes, &r))
		add(v, &inodes,
			printed(&r) <= INODES + ROUNDING_INODES +
					       (v->plan.read_only_root ? 0 : v->plan.root_inodes),
			arena_printf(v->call->arena, "%llu files were made",
				(unsigned long long)printed(&r)));
}

static void try_file_size(struct verify *v)
{
	bool seen = v->plan.workspace == WORKSPACE_RW;
	struct limit l = {"resources.fileSize", v->plan.limits.file_size, FILE_SIZE};
	const char *path = verify_stage_text(v, "{workspace}/large", VERIFY_HOST);
	const char *set;
	uint64_t limit = choose(v, &l, &set);
	struct hog h = {LAYER_DISK, "write a larger file than allowed", "hog-file", set,
		number(v, limit + (1u << 20)), number(v, limit / 4), seen ? "1" : "0"};
	struct verify_run r;
	struct stat st = {0};

	if (v->plan.limits.file_size == PLAN_NO_LIMIT) {
		verify_add(v, h.layer, h.name, VERIFY_NOT_ASKED, NULL);
	} else if (use_up(v, &h, &r)) {
		if (seen)
			stat(path, &st);
		add(v, &h, r.exit_code != 0 && (uint64_t)st.st_size <= limit, "it was written");
	}
	unlink(path);
}

static uint64_t cpu_ms(const struct verify_run *r)
{
	return verify_run_number(r, "usage.userMs") + verify_run_number(r, "usage.systemMs");
}

/* A part of one processor, for two that want one each; the control has the policy's limit. */
static void try_cpu(struct verify *v)
{
	static const char *const payload[] = {"hog-cpu", "600", "2", NULL};
	struct limit l = {"resources.cpus", v->plan.limits.cpus, CPUS};
	const char *sets[] = {"resources.cpus=0.1", NULL};
	const char *name = "use more processor time than allowed";
	uint64_t limit = l.of_policy < l.lowered ? l.of_policy : l.lowered;
	struct verify_run r, free_run;

	_Static_assert(CPUS == 100 && CPU_MS == 600, "as written above");
	if (str_eq(v->mechanism[LAYER_CPU], "none")) {
		verify_add(v, LAYER_CPU, name, VERIFY_NOT_ENFORCED, NULL);
		return;
	}
	verify_run_inside(v, payload, NULL, &free_run);
	verify_run_inside(v, payload, l.of_policy < l.lowered ? NULL : sets, &r);
	if (!r.ran || cpu_ms(&free_run) < CPU_MS / 4)
		verify_add(v, LAYER_CPU, name, VERIFY_NOT_TRIED,
			r.error ? r.error : "the machine is too busy to tell");
	else
		verify_add(v, LAYER_CPU, name,
			cpu_ms(&r) <= CPU_MS * limit / 1000 * 2 ? VERIFY_HELD : VERIFY_THROUGH,
			arena_printf(v->call->arena, "%llu ms in %u ms",
				(unsigned long long)cpu_ms(&r), r.wall_ms));
}

static void try_output(struct verify *v)
{
	static const char *const payload[] = {"hog-output", "1048576", NULL};
	static const char *const sets[] = {"outputLimit=65536", NULL};
	const char *name = "print more than is kept";
	uint64_t limit = v->plan.output_limit < OUTPUT ? v->plan.output_limit : OUTPUT;
	struct verify_run r;

	_Static_assert(OUTPUT == 65536 && OUTPUT_TRIED == 1048576, "as written above");
	verify_run_inside(v, payload, limit == OUTPUT ? sets : NULL, &r);
	if (!r.ran || r.exit_code != 0)
		verify_add(v, LAYER_PROCESSES, name, VERIFY_NOT_TRIED, r.error);
	else
		verify_add(v, LAYER_PROCESSES, name,
			r.out_len == limit && verify_run_number(&r, "stdoutDropped") ==
						      OUTPUT_TRIED - limit
				? VERIFY_HELD
				: VERIFY_THROUGH,
			NULL);
}

static bool is_left(const char *name)
{
	char pid[VERIFY_PID];

	return verify_find(name, pid);
}

/* The process that wants to stay says so before the run is over. */
static void try_staying(struct verify *v)
{
	const char *name = arena_printf(v->call->arena, "d%.14s", v->stage.token);
	const char *payload[] = {"daemon", name, NULL};
	const char *what = "leave a process behind";
	struct verify_run r;

	verify_run_inside(v, payload, NULL, &r);
	if (!r.ran || !strstr(r.out, "stays"))
		verify_add(v, LAYER_PROCESSES, what, VERIFY_NOT_TRIED, r.error);
	else
		verify_add(v, LAYER_PROCESSES, what, is_left(name) ? VERIFY_THROUGH : VERIFY_HELD,
			NULL);
}

static void try_timeout(struct verify *v)
{
	const char *name = arena_printf(v->call->arena, "t%.14s", v->stage.token);
	const char *payload[] = {"never-end", name, NULL};
	const char *const sets[] = {"timeout=300ms", "killGrace=200ms", NULL};
	const char *what = "outlast the timeout";
	struct verify_run r;

	_Static_assert(TIMEOUT_MS == 300 && GRACE_MS == 200, "as written above");
	verify_run_inside(v, payload, sets, &r);
	if (!r.ran || !strstr(r.out, "stays"))
		verify_add(v, LAYER_PROCESSES, what, VERIFY_NOT_TRIED, r.error);
	else
		verify_add(v, LAYER_PROCESSES, what,
			str_eq(r.reason, "timeout") && !is_left(name) &&
					r.wall_ms < TIMEOUT_MS + GRACE_MS + LATE_MS
				? VERIFY_HELD
				: VERIFY_THROUGH,
			arena_printf(v->call->arena, "it ended as '%s' after %u ms", r.reason,
				r.wall_ms));
}

void verify_limits(struct verify *v)
{
	static void (*const tries[])(struct verify * v) = {try_memory, try_cpu, try_pids, try_files,
		try_disk, try_file_size, try_output, try_staying, try_timeout};

	for (size_t i = 0; i < ARRAY_LEN(tries) && !verify_stage_stopped(); i++)
		tries[i](v);
}
