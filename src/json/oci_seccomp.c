/* SPDX-License-Identifier: Apache-2.0 */
#include "json/oci_seccomp.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "base/where.h"
#include "json/json5.h"
#include "model/seccomp_build.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_ERRNO 4095
#define ARGS 6

/* One call while the profile is read. */
struct entry {
	struct bpf_rule *rules;
	size_t count, cap;
	bool fixed; /* a rule for all arguments was there; `ret` is its action */
	uint32_t ret;
};

struct reader {
	struct source source;
	struct err *e;
	const struct oci_seccomp_target *target;
	struct arena arena;
	uint32_t unlisted;
	size_t rules; /* of all calls */
	struct entry calls[SYSCALL_NUMBERS];
};

/* A key that an object may have; null counts as absent. */
struct key {
	const char *name;
	enum node_type type;
};

static const struct key root_keys[] = {{"defaultAction", NODE_TEXT}, {"defaultErrno", NODE_TEXT},
	{"defaultErrnoRet", NODE_NUMBER}, {"architectures", NODE_ARRAY}, {"archMap", NODE_ARRAY},
	{"flags", NODE_ARRAY}, {"syscalls", NODE_ARRAY}, {0}};
static const struct key rule_keys[] = {{"names", NODE_ARRAY}, {"name", NODE_TEXT},
	{"action", NODE_TEXT}, {"errno", NODE_TEXT}, {"errnoRet", NODE_NUMBER},
	{"args", NODE_ARRAY}, {"comment", NODE_TEXT}, {"includes", NODE_OBJECT},
	{"excludes", NODE_OBJECT}, {0}};
static const struct key arg_keys[] = {{"index", NODE_NUMBER}, {"value", NODE_NUMBER},
	{"valueTwo", NODE_NUMBER}, {"op", NODE_TEXT}, {0}};
static const struct key filter_keys[] = {
	{"caps", NODE_ARRAY}, {"arches", NODE_ARRAY}, {"minKernel", NODE_TEXT}, {0}};
static const struct key map_keys[] = {
	{"architecture", NODE_TEXT}, {"subArchitectures", NODE_ARRAY}, {0}};

static const struct {
	const char *name;
	uint32_t ret;
} actions[] = {
	{"SCMP_ACT_ALLOW", SECCOMP_RET_ALLOW},
	{"SCMP_ACT_ERRNO", SECCOMP_RET_ERRNO},
	{"SCMP_ACT_KILL", SECCOMP_RET_KILL_THREAD},
	{"SCMP_ACT_KILL_THREAD", SECCOMP_RET_KILL_THREAD},
	{"SCMP_ACT_KILL_PROCESS", SECCOMP_RET_KILL_PROCESS},
	{"SCMP_ACT_TRAP", SECCOMP_RET_TRAP},
	{"SCMP_ACT_LOG", SECCOMP_RET_LOG},
};

static const struct {
	const char *name;
	enum bpf_op op;
} ops[] = {
	{"SCMP_CMP_EQ", BPF_TEST_EQ}, {"SCMP_CMP_NE", BPF_TEST_NE}, {"SCMP_CMP_LT", BPF_TEST_LT},
	{"SCMP_CMP_LE", BPF_TEST_LE}, {"SCMP_CMP_GT", BPF_TEST_GT}, {"SCMP_CMP_GE", BPF_TEST_GE},
	{"SCMP_CMP_MASKED_EQ", BPF_TEST_END}, /* (argument & value) == valueTwo */
};

/* Machines, by the names of the specification and of docker's conditions. */
static const char *const scmp_arches[] = {"SCMP_ARCH_NATIVE", "SCMP_ARCH_X86", "SCMP_ARCH_X86_64",
	"SCMP_ARCH_X32", "SCMP_ARCH_ARM", "SCMP_ARCH_AARCH64", "SCMP_ARCH_MIPS", "SCMP_ARCH_MIPS64",
	"SCMP_ARCH_MIPS64N32", "SCMP_ARCH_MIPSEL", "SCMP_ARCH_MIPSEL64", "SCMP_ARCH_MIPSEL64N32",
	"SCMP_ARCH_PPC", "SCMP_ARCH_PPC64", "SCMP_ARCH_PPC64LE", "SCMP_ARCH_S390",
	"SCMP_ARCH_S390X", "SCMP_ARCH_PARISC", "SCMP_ARCH_PARISC64", "SCMP_ARCH_RISCV64",
	"SCMP_ARCH_LOONGARCH64", "SCMP_ARCH_M68K", "SCMP_ARCH_SH", "SCMP_ARCH_SHEB", NULL};
static const char *const docker_arches[] = {"386", "amd64", "arm", "arm64", "loong64", "mips",
	"mips64", "mips64le", "mips64n32", "mipsel64n32", "mipsle", "ppc", "ppc64", "ppc64le",
	"riscv64", "s390", "s390x", "x32", "x86", NULL};
static const char *const native_names[SYSCALL_ARCH_COUNT] = {
	[SYSCALL_X86_64] = "amd64",
	[SYSCALL_AARCH64] = "arm64",
};

static const char *const flags[] = {"SECCOMP_FILTER_FLAG_TSYNC", "SECCOMP_FILTER_FLAG_LOG",
	"SECCOMP_FILTER_FLAG_SPEC_ALLOW", "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV", NULL};

static void reader_free(struct reader *r)
{
	arena_free(&r->arena);
}

static int fail(struct reader *r, const struct node *at, const char *fmt, ...) printf_like(3, 4);
static int fail(struct reader *r, const struct node *at, const char *fmt, ...)
{
	struct where where = {.source = &r->source, .line = at->line, .column = at->column};
	char place[WHERE_TEXT], what[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	where_text(&where, place);
	return err_set(r->e, EINVAL, "%s: %s", place, what);
}

/* The text at `at` is none of those that there are. */
static int fail_word(struct reader *r, const struct node *at, const char *text, const char *what)
{
	auto_(buf_free) struct buf shown = BUF(80);

	escape_text(&shown, text);
	return fail(r, at, "unknown %s '%s'", what, buf_text(&shown));
}

static int check_object(struct reader *r, const struct node *n, const struct key *keys)
{
	if (n->type != NODE_OBJECT)
		return fail(r, n, "%s in place of an object", tree_type_name(n->type));
	for (uint32_t i = 0; i < n->count; i++) {
		const struct member *m = &n->members[i];
		const struct key *k = keys;

		while (k->name && !str_eq(k->name, m->key))
			k++;
		if (!k->name) {
			struct node at = {.line = m->line, .column = m->column};

			return fail_word(r, &at, m->key, "key");
		}
		if (m->value.type != k->type && m->value.type != NODE_NULL)
			return fail(r, &m->value, "%s: %s in place of %s", k->name,
				tree_type_name(m->value.type), tree_type_name(k->type));
	}
	return 0;
}

/* The member, or NULL when it is absent or null. */
static const struct node *get(const struct node *object, const char *key)
{
	const struct node *n = tree_get(object, key);

	return n && n->type != NODE_NULL ? n : NULL;
}

/* Every item is a text, and one of the words unless that is NULL. */
static int check_texts(
	struct reader *r, const struct node *list, const char *const *words, const char *what)
{
	for (uint32_t i = 0; list && i < list->count; i++) {
		const struct node *item = &list->items[i];

		if (item->type != NODE_TEXT)
			return fail(r, item, "%s in place of a text", tree_type_name(item->type));
		if (words && !str_in(item->text, words))
			return fail_word(r, item, item->text, what);
	}
	return 0;
}

static bool list_has(const struct node *list, const char *text)
{
	for (uint32_t i = 0; list && i < list->count; i++)
		if (str_eq(list->items[i].text, text))
			return true;
	return false;
}

/* Digits only, or 0x and digits: other spellings of JSON5 have no place here. */
static int read_number(struct reader *r, const struct node *n, uint64_t max, uint64_t *ret)
{
	const bool hex = n->text[0] == '0' && (n->text[1] | 0x20) == 'x';
	const unsigned base = hex ? 16 : 10;
	const char *p = hex ? n->text + 2 : n->text;
	uint64_t value = 0;

	if (*p == '\0')
		return fail(r, n, "not a whole number");
	for (; *p; p++) {
		int digit = str_hex_digit(*p);

		if (digit < 0 || digit >= (int)base)
			return fail(r, n, "not a whole number from 0 on");
		if ((unsigned)digit > max || value > (max - (unsigned)digit) / base)
			return fail(r, n, "a number above %llu", (unsigned long long)max);
		value = value * base + (unsigned)digit;
	}
	*ret = value;
	return 0;
}

static int read_action(struct reader *r, const struct node *object, const char *key,
	const char *number_key, const char *word_key, uint32_t *ret)
{
	const struct node *action = get(object, key), *number = get(object, number_key);
	const struct node *word = get(object, word_key);
	uint64_t code = EPERM;
	size_t i = 0;
	int rc = number ? read_number(r, number, MAX_ERRNO, &code) : 0;

	if (rc < 0)
		return rc;
	if (!action)
		return fail(r, object, "%s is missing", key);
	if (str_eq(action->text, "SCMP_ACT_NOTIFY") || str_eq(action->text, "SCMP_ACT_TRACE"))
		return fail(r, action, "%s: nobody in ward could answer it; use SCMP_ACT_ERRNO",
			action->text);
	while (i < ARRAY_LEN(actions) && !str_eq(action->text, actions[i].name))
		i++;
	if (i == ARRAY_LEN(actions))
		return fail_word(r, action, action->text, "action");
	if (number && actions[i].ret != SECCOMP_RET_ERRNO)
		return fail(r, number, "%s has no place beside %s", number_key, action->text);
	if (!number && word)
		return fail(r, word, "write the number too, as %s", number_key);
	*ret = actions[i].ret | (actions[i].ret == SECCOMP_RET_ERRNO ? (uint32_t)code : 0);
	return 0;
}

static int read_arg(struct reader *r, const struct node *n, struct bpf_test *ret)
{
	const struct node *index, *value, *two, *op;
	uint64_t arg = 0, first = 0, second = 0;
	size_t i = 0;
	int rc = check_object(r, n, arg_keys);

	if (rc < 0)
		return rc;
	index = get(n, "index");
	value = get(n, "value");
	two = get(n, "valueTwo");
	op = get(n, "op");
	if (!index || !value || !op)
		return fail(r, n, "a condition has index, value and op");
	if ((rc = read_number(r, index, ARGS - 1, &arg)) < 0 ||
		(rc = read_number(r, value, UINT64_MAX, &first)) < 0 ||
		(two && (rc = read_number(r, two, UINT64_MAX, &second)) < 0))
		return rc;
	while (i < ARRAY_LEN(ops) && !str_eq(op->text, ops[i].name))
		i++;
	if (i == ARRAY_LEN(ops))
		return fail_word(r, op, op->text, "op");
	*ret = (struct bpf_test){
		.op = (uint8_t)ops[i].op, .arg = (uint8_t)arg, .mask = UINT64_MAX, .value = first};
	if (ops[i].op == BPF_TEST_END)
		*ret = (struct bpf_test){
			.op = BPF_TEST_EQ, .arg = (uint8_t)arg, .mask = first, .value = second};
	return 0;
}

/* One more rule for one call. */
static int add_rule(struct reader *r, const struct node *at, struct entry *entry,
	const struct bpf_test *tests, size_t count, uint32_t ret)
{
	struct bpf_rule rule = {.ret = ret};

	/* Each is an instruction at least, so what comes behind would not fit in any case. */
	if (++r->rules > BPF_MAXINSNS) {
		fail(r, at, "more than %d rules, too many for one filter", BPF_MAXINSNS);
		if (r->e)
			r->e->code = E2BIG;
		return -E2BIG;
	}
	memcpy(rule.tests, tests, count * sizeof(tests[0]));
	vec_push(&r->arena, &entry->rules, &entry->count, &entry->cap, rule);
	return 0;
}

/* A rule of the profile, taken apart. */
struct parts {
	uint32_t ret;
	const struct bpf_test *tests;
	size_t count;
	bool either; /* one argument is named twice */
};

static int add_name(
	struct reader *r, const struct node *at, const char *name, const struct parts *p)
{
	int number = syscall_number(r->target->arch, name), rc = 0;
	struct entry *entry = number < 0 ? NULL : &r->calls[number];

	if (!entry)
		return 0;
	if (p->count == 0) {
		if (entry->fixed && entry->ret != p->ret)
			return fail(r, at, "%s has two actions for all arguments", name);
		entry->fixed = true;
		entry->ret = p->ret;
		return 0;
	}
	if (!p->either)
		return add_rule(r, at, entry, p->tests, p->count, p->ret);
	for (size_t i = 0; i < p->count && rc == 0; i++)
		rc = add_rule(r, at, entry, &p->tests[i], 1, p->ret);
	return rc;
}

static int check_names(struct reader *r, const struct node *n)
{
	if (!get(n, "name") == !get(n, "names"))
		return fail(r, n, "a rule has either names or name");
	return check_texts(r, get(n, "names"), NULL, NULL);
}

static int add_names(struct reader *r, const struct node *n, const struct parts *p)
{
	const struct node *names = get(n, "names"), *name = get(n, "name");
	int rc = name ? add_name(r, name, name->text, p) : 0;

	for (uint32_t i = 0; names && i < names->count && rc == 0; i++)
		rc = add_name(r, &names->items[i], names->items[i].text, p);
	return rc;
}

/* One to four digits. */
static bool read_part(const char **io_text, unsigned *ret)
{
	const char *p = *io_text;
	unsigned value = 0;

	while (*p >= '0' && *p <= '9' && p - *io_text < 4)
		value = value * 10 + (unsigned)(*p++ - '0');
	if (p == *io_text)
		return false;
	*io_text = p;
	*ret = value;
	return true;
}

/* "4.8": is the kernel at least that? */
static int read_kernel(struct reader *r, const struct node *n, bool *ret)
{
	const struct oci_seccomp_target *t = r->target;
	const char *p = n->text;
	unsigned major, minor;

	if (!read_part(&p, &major) || *p++ != '.' || !read_part(&p, &minor) || *p != '\0')
		return fail(r, n, "not a version of the kernel such as 4.8");
	*ret = t->major > major || (t->major == major && t->minor >= minor);
	return 0;
}

/*
 * Conditions on the machine. Of `includes` all must be met, of `excludes` none may be; a capability
 * is never there.
 */
static int read_filter(struct reader *r, const struct node *n, bool including, bool *io_counts)
{
	const struct node *caps, *arches, *kernel;
	bool at_least = false;
	int rc = n ? check_object(r, n, filter_keys) : 0;

	if (!n || rc < 0)
		return rc;
	caps = get(n, "caps");
	arches = get(n, "arches");
	kernel = get(n, "minKernel");
	if ((rc = check_texts(r, caps, NULL, NULL)) < 0 ||
		(rc = check_texts(r, arches, docker_arches, "machine")) < 0 ||
		(kernel && (rc = read_kernel(r, kernel, &at_least)) < 0))
		return rc;
	if (including && caps && caps->count)
		*io_counts = false;
	if (arches && arches->count && list_has(arches, native_names[r->target->arch]) != including)
		*io_counts = false;
	if (kernel && at_least != including)
		*io_counts = false;
	return 0;
}

static int read_args(struct reader *r, const struct node *args, struct parts *p)
{
	struct bpf_test *tests;
	unsigned seen = 0;

	if (!args)
		return 0;
	tests = arena_array(&r->arena, args->count, sizeof(tests[0]));
	for (uint32_t i = 0; i < args->count; i++) {
		int rc = read_arg(r, &args->items[i], &tests[i]);

		if (rc < 0)
			return rc;
		p->either = p->either || (seen & 1u << tests[i].arg);
		seen |= 1u << tests[i].arg;
	}
	p->tests = tests;
	p->count = args->count;
	return 0;
}

static int read_rule(struct reader *r, const struct node *n)
{
	struct parts p = {0};
	bool counts = true;
	int rc = check_object(r, n, rule_keys);

	if (rc < 0 || (rc = read_action(r, n, "action", "errnoRet", "errno", &p.ret)) < 0 ||
		(rc = read_args(r, get(n, "args"), &p)) < 0 ||
		(rc = read_filter(r, get(n, "includes"), true, &counts)) < 0 ||
		(rc = read_filter(r, get(n, "excludes"), false, &counts)) < 0)
		return rc;
	if ((rc = check_names(r, n)) < 0)
		return rc;
	/* One that says what holds anyway has no say, as in runc: another may still lift it. */
	return counts && p.ret != r->unlisted ? add_names(r, n, &p) : 0;
}

static int read_arches(struct reader *r, const struct node *root)
{
	const struct node *map = get(root, "archMap");
	int rc = check_texts(r, get(root, "architectures"), scmp_arches, "architecture");

	for (uint32_t i = 0; map && i < map->count && rc == 0; i++) {
		const struct node *row = &map->items[i], *arch;

		if ((rc = check_object(r, row, map_keys)) < 0)
			break;
		arch = get(row, "architecture");
		if (!arch || !str_in(arch->text, scmp_arches))
			return arch ? fail_word(r, arch, arch->text, "architecture")
				    : fail(r, row, "architecture is missing");
		rc = check_texts(r, get(row, "subArchitectures"), scmp_arches, "architecture");
	}
	return rc;
}

static int read_root(struct reader *r, const struct node *root)
{
	const struct node *rules;
	int rc = check_object(r, root, root_keys);

	if (rc < 0 ||
		(rc = read_action(r, root, "defaultAction", "defaultErrnoRet", "defaultErrno",
			 &r->unlisted)) < 0 ||
		(rc = read_arches(r, root)) < 0 ||
		(rc = check_texts(r, get(root, "flags"), flags, "flag")) < 0)
		return rc;
	rules = get(root, "syscalls");
	for (uint32_t i = 0; rules && i < rules->count && rc == 0; i++)
		rc = read_rule(r, &rules->items[i]);
	return rc;
}

static int compile(struct reader *r, struct bpf_program *ret)
{
	struct bpf_call calls[SYSCALL_NUMBERS];

	for (size_t i = 0; i < SYSCALL_NUMBERS; i++) {
		const struct entry *entry = &r->calls[i];

		calls[i] = entry->fixed ? (struct bpf_call){.ret = entry->ret}
					: (struct bpf_call){.rules = entry->rules,
						  .rule_count = entry->count,
						  .ret = r->unlisted};
	}
	return seccomp_build(r->target->arch, r->target->variant, calls, ret, r->e);
}

int oci_seccomp_compile(const char *name, const char *text, size_t len,
	const struct oci_seccomp_target *target, struct bpf_program *ret, struct err *e)
{
	auto_(reader_free) struct reader r = {.source = {.name = name}, .e = e, .target = target};
	struct node root;
	int rc;

	if (len > OCI_SECCOMP_MAX_BYTES)
		return err_set(e, EFBIG, "a seccomp profile of more than 1 MiB");
	rc = json5_parse(&r.arena, name, text, len, &root, e);
	if (rc == 0)
		rc = read_root(&r, &root);
	if (rc < 0)
		return rc;
	rc = compile(&r, ret);
	return err_ctx(e, rc, "%s", name);
}
