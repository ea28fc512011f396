/* SPDX-License-Identifier: Apache-2.0 */

/* The rows of a plan's root: what stands in the sandbox's file system, in order. */

#include "base/str.h"
#include "model/pathname.h"
#include "model/plan.h"
#include "model/refuse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHM_SIZE (64u << 20)
#define LAYER_SIZE (512u << 20)
#define INODES 100000u
#define TMPFS_FLOOR (64u << 10) /* the least that is of use */

static const char etc_passwd[] = "root:x:0:0:root:/:/usr/sbin/nologin\n"
				 "%s"
				 "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n";
static const char etc_group[] = "root:x:0:\n"
				"%s"
				"nogroup:x:65534:\n";
static const char etc_hosts[] = "127.0.0.1 localhost " PLAN_HOSTNAME "\n"
				"::1 localhost ip6-localhost " PLAN_HOSTNAME "\n";
static const char etc_resolv[] = "# no network\n";
/* Whatever server is asked, the guard answers. */
static const char etc_resolv_guarded[] = "nameserver 10.0.2.3\noptions edns0\n";
static const char etc_nsswitch[] = "passwd: files\ngroup: files\nshadow: files\n"
				   "hosts: files dns\nnetworks: files\nprotocols: files\n"
				   "services: files\nethers: files\nrpc: files\n";

/* What the host has of these is seen inside, read-only. */
static const char *const host_folders[] = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"};
/* Nothing here holds secrets; without them runtimes from the host's packages do not start. */
static const char *const host_etc[] = {"etc/ld.so.cache", "etc/alternatives", "etc/ssl/certs",
	"etc/ssl/openssl.cnf", "etc/pki/tls/certs", "etc/pki/ca-trust/extracted", "etc/localtime",
	"etc/os-release", "etc/services", "etc/java-11-openjdk", "etc/java-17-openjdk",
	"etc/java-21-openjdk", "etc/java-25-openjdk"};
static const char *const devices[] = {"null", "zero", "full", "random", "urandom", "tty"};
static const char *const device_links[][2] = {
	{"dev/fd", "/proc/self/fd"},
	{"dev/stdin", "/proc/self/fd/0"},
	{"dev/stdout", "/proc/self/fd/1"},
	{"dev/stderr", "/proc/self/fd/2"},
	{"dev/ptmx", "pts/ptmx"},
};
/* Of /proc, what tells about the host and can be read by anybody. */
static const char *const masked_files[] = {"proc/keys", "proc/key-users", "proc/sched_debug",
	"proc/latency_stats", "proc/interrupts", "proc/kallsyms"};
static const char *const masked_folders[] = {"proc/acpi", "proc/scsi", "proc/asound"};

struct rows {
	struct arena *arena;
	struct plan_row *items;
	size_t count, room;
};

static struct plan_row *add(
	struct rows *rows, enum plan_kind kind, const char *target, const char *source)
{
	struct plan_row *row;

	if (rows->count == rows->room) {
		struct plan_row *more = arena_array(rows->arena, rows->room * 2 + 64, sizeof *more);

		if (rows->count > 0)
			memcpy(more, rows->items, rows->count * sizeof *more);
		rows->items = more;
		rows->room = rows->room * 2 + 64;
	}
	row = &rows->items[rows->count++];
	*row = (struct plan_row){.kind = kind, .target = target, .source = source};
	return row;
}

static const char *without_slash(const char *path)
{
	while (*path == '/')
		path++;
	return path;
}

static void add_host(struct rows *rows, const struct plan *p)
{
	const char *user = arena_printf(
		rows->arena, "sandbox:x:%u:%u:sandbox:" PLAN_HOME ":/bin/sh\n", p->uid, p->gid);
	const char *group = arena_printf(rows->arena, "sandbox:x:%u:\n", p->gid);
	const struct {
		const char *target, *text;
	} files[] = {
		{"etc/passwd", arena_printf(rows->arena, etc_passwd, user)},
		{"etc/group", arena_printf(rows->arena, etc_group, group)},
		{"etc/hosts", etc_hosts},
		{"etc/hostname", PLAN_HOSTNAME "\n"},
		{"etc/resolv.conf", p->network.guarded ? etc_resolv_guarded : etc_resolv},
		{"etc/nsswitch.conf", etc_nsswitch},
	};

	for (size_t i = 0; i < ARRAY_LEN(host_folders); i++)
		add(rows, PLAN_MIRROR, host_folders[i],
			arena_printf(rows->arena, "/%s", host_folders[i]));
	add(rows, PLAN_DIR, "etc", NULL);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		add(rows, PLAN_FILE, files[i].target, files[i].text);
	for (size_t i = 0; i < ARRAY_LEN(host_etc); i++)
		add(rows, PLAN_MIRROR, host_etc[i], arena_printf(rows->arena, "/%s", host_etc[i]));
}

static void add_system(struct rows *rows)
{
	add(rows, PLAN_DIR, "dev", NULL);
	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		add(rows, PLAN_DEVICE, arena_printf(rows->arena, "dev/%s", devices[i]),
			arena_printf(rows->arena, "/dev/%s", devices[i]));
	for (size_t i = 0; i < ARRAY_LEN(device_links); i++)
		add(rows, PLAN_LINK, device_links[i][0], device_links[i][1]);
	add(rows, PLAN_PTS, "dev/pts", NULL);
	add(rows, PLAN_DIR, "sys", NULL);
	add(rows, PLAN_PROC, "proc", NULL);
	/* What stands at the source covers them. */
	for (size_t i = 0; i < ARRAY_LEN(masked_files); i++)
		add(rows, PLAN_MASK, masked_files[i], "dev/null");
	for (size_t i = 0; i < ARRAY_LEN(masked_folders); i++)
		add(rows, PLAN_MASK, masked_folders[i], "sys");
}

/* "/path[:option,...]", which the reader has checked. */
static void add_tmpfs(struct rows *rows, const char *text)
{
	const char *colon = strchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : strlen(text);
	const char *path = arena_text(rows->arena, text, len);
	struct plan_row *row = add(rows, PLAN_TMPFS, without_slash(path), NULL);
	char *options = colon ? arena_text(rows->arena, colon + 1, strlen(colon + 1)) : NULL;

	row->writable = true;
	row->mode = 01777;
	row->size = SHM_SIZE;
	while (options && *options) {
		char *comma = strchr(options, ',');
		char *value = strchr(options, '=');

		if (comma)
			*comma = '\0';
		if (str_eq(options, "noexec"))
			row->noexec = true;
		else if (strncmp(options, "size=", 5) == 0)
			number_size(value + 1, &row->size, NULL);
		else if (strncmp(options, "nr_inodes=", 10) == 0)
			number_count(value + 1, &row->inodes, NULL);
		else if (strncmp(options, "mode=", 5) == 0)
			row->mode = (uint16_t)strtoul(value + 1, NULL, 8);
		options = comma ? comma + 1 : NULL;
	}
}

static void add_private(struct rows *rows, const struct sandbox *s)
{
	add_tmpfs(rows, "/dev/shm");
	for (size_t i = 0; i < s->tmpfs.count; i++)
		add_tmpfs(rows, s->tmpfs.items[i].text);
}

/* Where programs keep what they have fetched or made before, in the sandbox's home. */
static const struct cache {
	const char *name, *place;
} caches[] = {
	{"pip", ".cache/pip"},
	{"npm", ".npm"},
	{"cargo", ".cargo/registry"},
	{"go", "go/pkg/mod"},
	{"go-build", ".cache/go-build"},
};

static bool is_kept(const struct caches *c, const char *name)
{
	/* Whoever keeps what go fetches keeps what it builds. */
	for (size_t i = 0; i < c->names.count; i++)
		if (str_eq(c->names.items[i].text, name) ||
			(str_eq(c->names.items[i].text, "go") && str_eq(name, "go-build")))
			return true;
	return c->all;
}

static int check_caches(const struct caches *c, struct err *e)
{
	for (size_t i = 0; i < c->names.count; i++) {
		const char *name = c->names.items[i].text;
		bool known = false;

		for (size_t j = 0; j < ARRAY_LEN(caches); j++)
			known = known || str_eq(caches[j].name, name);
		if (!known)
			return refuse_text(
				e, name, "no cache of that name; there are pip, npm, cargo and go");
	}
	return 0;
}

static int add_caches(
	struct rows *rows, const struct plan_request *q, const struct sandbox *s, struct err *e)
{
	const struct caches *c = s->persist_caches.v;
	int r = c ? check_caches(c, e) : 0;

	if (!c || r < 0)
		return r;
	if (!q->caller->state && (c->all || c->names.count))
		return refuse_text(e, "persistCaches",
			"there is no folder to keep them in; set HOME or XDG_STATE_HOME");
	for (size_t i = 0; i < ARRAY_LEN(caches); i++) {
		struct plan_row *row;

		if (!is_kept(c, caches[i].name))
			continue;
		row = add(rows, PLAN_OWN,
			arena_printf(
				rows->arena, "%s/%s", without_slash(PLAN_HOME), caches[i].place),
			arena_printf(rows->arena, "%s/cache/%s/%s", q->caller->state,
				q->verdict->scope_name, caches[i].name));
		row->writable = row->owned = true;
	}
	return 0;
}

/* One that outlives the sandbox, where the sandbox itself is more than one command. */
static void add_private_workspace(struct rows *rows, const struct plan_request *q,
	const struct sandbox *s, const struct plan *p)
{
	struct plan_row *row;

	if (p->living && q->caller->state) {
		row = add(rows, PLAN_OWN, without_slash(PLAN_WORKSPACE),
			arena_printf(rows->arena, "%s/workspaces/%s", q->caller->state,
				q->verdict->scope_name));
		row->owned = true;
	} else {
		row = add(rows, PLAN_TMPFS, without_slash(PLAN_WORKSPACE), NULL);
		row->mode = 0755;
		row->size = s->resources.disk.at.source ? s->resources.disk.v : SHM_SIZE;
	}
	row->writable = true;
}

static void add_workspace(struct rows *rows, const struct plan_request *q, const struct sandbox *s,
	const struct plan *p)
{
	struct plan_row *row;

	if (p->workspace == WORKSPACE_COW) {
		row = add(rows, PLAN_LAYERS, PLAN_LAYERS_PLACE,
			arena_printf(rows->arena, "%s/layers", q->caller->state));
		row->writable = true;
		row->owned = true;
	}
	if (p->workspace == WORKSPACE_NONE) {
		add_private_workspace(rows, q, s, p);
	} else {
		row = add(rows, PLAN_WORKSPACE_BIND, without_slash(PLAN_WORKSPACE),
			p->workspace_path);
		row->writable = p->workspace == WORKSPACE_RW || p->workspace == WORKSPACE_COW;
		row->owned = true;
	}
	/* The name that another system gives to the same folder. */
	add(rows, PLAN_LINK, "agent", "workspace");
}

static int add_binds(
	struct rows *rows, const struct plan_request *q, const struct sandbox *s, struct err *e)
{
	for (size_t i = 0; i < s->host_paths.count; i++) {
		const char *path = s->host_paths.items[i].text;

		add(rows, PLAN_BIND, without_slash(path), path);
	}
	for (size_t i = 0; i < s->binds.count; i++) {
		struct plan_row *row;
		struct bindspec b;
		int r = bindspec_parse(rows->arena, s->binds.items[i].text, q->config->home, &b, e);

		if (r < 0)
			return err_ctx(e, r, "binds");
		row = add(rows, PLAN_BIND, without_slash(b.target), b.source);
		row->writable = b.writable;
		row->owned = true;
	}
	return 0;
}

static uint64_t share(uint64_t whole, uint64_t part, uint64_t sum)
{
	return (uint64_t)((double)whole * ((double)part / (double)sum));
}

/* The kernel counts in pages, and would round up. */
static uint64_t whole_pages(uint64_t bytes)
{
	return bytes & ~(uint64_t)4095;
}

/* The root and the layer that takes changes to it get a quarter of the storage each. */
static void plan_layer(const struct limits *l, struct plan *p, uint64_t *sum)
{
	if (p->read_only_root)
		return;
	p->root_size = l->disk.at.source ? l->disk.v / 4 : LAYER_SIZE;
	*sum += 2 * p->root_size;
}

/* Storage on the host's own file systems, which outlives the sandbox. */
static bool keeps_something(const struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i].kind == PLAN_LAYERS || rows->items[i].kind == PLAN_OWN)
			return true;
	return false;
}

/* Of what there is, that storage gets what is left, which is half of it at least. */
static void leave_to_layer(struct plan *p, uint64_t sum, uint64_t *io_disk, uint64_t *io_files)
{
	uint64_t others = sum < *io_disk / 2 ? sum : *io_disk / 2;

	p->layer_size = *io_disk == UINT64_MAX ? PLAN_NO_LIMIT : *io_disk - others;
	p->layer_inodes = *io_files / 2;
	*io_disk = *io_disk == UINT64_MAX ? UINT64_MAX : others;
	*io_files -= p->layer_inodes;
	if (p->limits.file_size > p->layer_size)
		p->limits.file_size = p->layer_size;
}

/* `disk` and `inodes` hold for everything that ward stores together: each tmpfs gets its share. */
static int divide_disk(struct rows *rows, const struct limits *l, struct plan *p, struct err *e)
{
	uint64_t disk = l->disk.at.source ? l->disk.v : UINT64_MAX;
	uint64_t files = l->inodes.at.source ? l->inodes.v : INODES;
	uint64_t sum = 0;

	plan_layer(l, p, &sum);
	for (size_t i = 0; i < rows->count; i++)
		sum += rows->items[i].kind == PLAN_TMPFS ? rows->items[i].size : 0;
	if (keeps_something(rows))
		leave_to_layer(p, sum, &disk, &files);
	for (size_t i = 0; i < rows->count; i++) {
		struct plan_row *row = &rows->items[i];
		uint64_t inodes;

		if (row->kind != PLAN_TMPFS)
			continue;
		inodes = share(files, row->size, sum);
		row->inodes = row->inodes && row->inodes < inodes ? row->inodes : inodes;
		row->size = whole_pages(sum > disk ? share(disk, row->size, sum) : row->size);
		if (row->size < TMPFS_FLOOR || row->inodes == 0)
			return err_set(e, EINVAL,
				"resources.disk and resources.inodes are too small: /%s would get "
				"%llu bytes and %llu files; give at least 64K for each tmpfs",
				row->target, (unsigned long long)row->size,
				(unsigned long long)row->inodes);
	}
	if (!p->read_only_root) {
		p->root_inodes = share(files, p->root_size, sum);
		p->root_size =
			whole_pages(sum > disk ? share(disk, p->root_size, sum) : p->root_size);
	}
	return 0;
}

int plan_root(const struct plan_request *q, struct arena *a, struct plan *p, struct err *e)
{
	const struct sandbox *s = &q->verdict->effective->s.sandbox;
	struct rows rows = {.arena = a};
	int r;

	if (str_eq(s->image.v, "host"))
		add_host(&rows, p);
	add_system(&rows);
	add_private(&rows, s);
	r = add_binds(&rows, q, s, e);
	if (r == 0)
		r = add_caches(&rows, q, s, e);
	if (r < 0)
		return r;
	add_workspace(&rows, q, s, p);
	if (!str_eq(s->image.v, "host"))
		add(&rows, PLAN_IMAGE, "", s->image.v + strlen("dir:"));
	r = divide_disk(&rows, &s->resources, p, e);
	if (r < 0)
		return r;
	p->rows = rows.items;
	p->row_count = rows.count;
	return 0;
}
