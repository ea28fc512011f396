/* SPDX-License-Identifier: Apache-2.0 */
#include "door/profile.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/sha256.h"
#include "door/filter_cache.h"
#include "door/load.h"
#include "json/oci_seccomp.h"
#include "model/pathname.h"
#include "model/refuse.h"
#include "sys/file.h"
#include "sys/seccomp.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_MAX 150

static bool is_written_inside(const struct plan_row *row)
{
	return row->writable && (row->kind == PLAN_BIND || row->kind == PLAN_WORKSPACE_BIND);
}

/* A source that cannot be found is for whoever opens it to tell. */
static int check_apart(const char *path, const struct plan *p, struct err *e)
{
	char real[PATH_MAX], source[PATH_MAX];

	if (!realpath(path, real))
		return err_sys(e, -errno, "find '%s'", path);
	for (size_t i = 0; i < p->row_count; i++) {
		auto_(buf_free) struct buf shown = BUF(SHOWN_MAX);

		if (!is_written_inside(&p->rows[i]) || !realpath(p->rows[i].source, source) ||
			!pathname_within(real, source))
			continue;
		escape_text(&shown, source);
		return refuse_text(e, path,
			"lies in '%s', where commands may write: they could choose their own "
			"filter; keep the profile elsewhere",
			buf_text(&shown));
	}
	return 0;
}

static int read_profile(
	const char *path, const struct plan *p, char **ret_data, size_t *ret_len, struct err *e)
{
	auto_free char *data = NULL;
	struct file_info info;
	size_t len = 0;
	int r = file_read(AT_FDCWD, path, OCI_SECCOMP_MAX_BYTES, &info, &data, &len, e);

	if (r == 0)
		r = file_check_trusted(&info, geteuid(), path, e);
	if (r == 0)
		r = check_apart(path, p, e);
	if (r < 0)
		return r;
	*ret_data = take_ptr(data);
	*ret_len = len;
	return 0;
}

/* Everything that the compiled filter depends on; ward's own one stands for the rows and the
 * compiler, which a version number alone would not tell while they are worked on. */
static void make_key(
	const struct oci_seccomp_target *t, const char *data, size_t len, uint8_t ret[SHA256_SIZE])
{
	const struct seccomp_program *own = seccomp_default_for(t->arch, t->variant);
	struct sha256 s;
	char head[128];

	memset(head, 0, sizeof head);
	snprintf(head, sizeof head, "ward %s %s variant %d linux %u.%u", WARD_VERSION,
		syscall_arch_name(t->arch), (int)t->variant, t->major, t->minor);
	sha256_init(&s);
	sha256_add(&s, head, sizeof head);
	if (own)
		sha256_add(&s, own->code, own->len * sizeof own->code[0]);
	sha256_add(&s, data, len);
	sha256_end(&s, ret);
}

static int open_cache(struct arena *a)
{
	const char *folder = load_cache_path(a);

	return folder ? filter_cache_open(arena_printf(a, "%s/seccomp", folder)) : -ENOENT;
}

int profile_load(
	const char *path, const struct machine *m, struct arena *a, struct plan *p, struct err *e)
{
	struct bpf_program *program = arena_alloc(a, sizeof *program);
	struct oci_seccomp_target target = {.arch = SYSCALL_NATIVE,
		.variant = p->filter_variant,
		.major = m->kernel_major,
		.minor = m->kernel_minor};
	auto_free char *data = NULL;
	auto_fd int cache = -1;
	uint8_t key[SHA256_SIZE];
	size_t len = 0;
	int r = read_profile(path, p, &data, &len, e);

	if (r < 0)
		return err_ctx(e, r, "seccomp");
	/* Around ward somebody may listen already, and there is only one listener. */
	if (target.variant == SECCOMP_WATCH && seccomp_filtered())
		target.variant = SECCOMP_PLAIN;
	make_key(&target, data, len, key);
	cache = open_cache(a);
	if (cache < 0 || filter_cache_read(cache, key, program) < 0) {
		r = oci_seccomp_compile(path, data, len, &target, program, e);
		if (r < 0)
			return err_ctx(e, r, "seccomp");
		if (cache >= 0)
			filter_cache_write(cache, key, program);
	}
	p->filter_variant = target.variant;
	p->filter = (struct seccomp_program){program->code, (unsigned short)program->len};
	return 0;
}
