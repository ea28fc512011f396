/* SPDX-License-Identifier: Apache-2.0 */
#include "files/files_patch.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "files/files_read.h"
#include "files/files_write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define TEXT_LIMITS 8 /* how many times the limit of one file all texts together may have */

/* One file, before and after. */
struct change {
	enum patch_op op;
	struct files_place place, to; /* to: of a file that is moved */
	struct stat seen;
	const char *old_text, *new_text;
	size_t old_len, new_len, hunks;
	mode_t mode; /* afterwards; 0: the usual one */
	bool moved;
	unsigned made; /* folders that it needed */
};

struct patching {
	const struct files *f;
	struct arena *a;
	struct change *changes;
	size_t count;
	uint64_t bytes;
};

static int in_file(struct err *e, int r, const char *path)
{
	auto_(buf_free) struct buf b = BUF(150);

	escape_text(&b, path);
	return err_ctx(e, r, "'%s'", buf_text(&b));
}

static struct change *find_change(struct patching *s, const char *path)
{
	for (size_t i = 0; i < s->count; i++)
		if (str_eq(s->changes[i].place.path, path) ||
			(s->changes[i].moved && str_eq(s->changes[i].to.path, path)))
			return &s->changes[i];
	return NULL;
}

/* Many files: none of them stays open. */
static int look(struct patching *s, const char *name, struct files_place *ret, struct err *e)
{
	int r = files_walk(s->f, name, true, ret, e);

	cleanup_fd(&ret->object);
	ret->object = -1;
	return r;
}

static int read_old(struct patching *s, struct change *c, struct err *e)
{
	auto_fd int fd = files_read_open(s->f, &c->place, &c->seen, e);
	char *text;
	int r = fd;

	if (fd >= 0)
		r = files_read_all(
			fd, c->place.path, files_limit(s->f), s->a, &text, &c->old_len, e);
	if (r < 0)
		return r;
	c->old_text = text;
	c->mode = c->seen.st_mode & 0777;
	s->bytes += c->old_len;
	return 0;
}

/* Only who may execute it changes: the rest of a mode is not the patch's business. */
static mode_t with_mode(mode_t old, int wanted)
{
	if (!wanted)
		return old;
	return wanted & 0100 ? old | (old & 0444) >> 2 : old & ~(mode_t)0111;
}

static int apply_hunks(struct patching *s, struct change *c, const struct patch_file *p,
	const char *base, size_t base_len, struct err *e)
{
	int r = patch_apply(
		s->a, p, base, base_len, files_limit(s->f), &c->new_text, &c->new_len, e);

	if (r < 0)
		return in_file(e, r, p->path);
	s->bytes += c->new_len;
	c->hunks += p->hunk_count;
	c->mode = c->op == PATCH_ADD && p->mode ? (mode_t)p->mode : with_mode(c->mode, p->mode);
	if (s->bytes > files_limit(s->f) * TEXT_LIMITS)
		return err_set(e, EFBIG, "the files of the patch are too large together");
	return 0;
}

static int plan_add(struct patching *s, struct change *c, const struct patch_file *p, struct err *e)
{
	int r = files_write_check(s->f, &c->place, e);

	if (r == 0 && c->place.exists)
		r = files_fail(
			e, EEXIST, c->place.path, "exists already: the patch says that it is new");
	return r < 0 ? r : apply_hunks(s, c, p, "", 0, e);
}

static int plan_move(
	struct patching *s, struct change *c, const struct patch_file *p, struct err *e)
{
	int r = look(s, p->new_path, &c->to, e);

	if (r == 0 && str_eq(c->to.path, c->place.path))
		return 0;
	if (r == 0 && find_change(s, c->to.path))
		r = files_fail(e, EINVAL, c->to.path, "is the business of the patch twice");
	if (r == 0)
		r = files_may_change(s->f, c->to.path, e);
	if (r == 0)
		r = files_judge(s->f, c->to.path, PROTECT_MOVE_FILE_TO, e);
	if (r == 0)
		r = files_judge(s->f, c->place.path, PROTECT_MOVE_FILE, e);
	if (r == 0 && c->to.exists)
		r = files_fail(e, EEXIST, c->to.path, "exists already: nothing is moved over it");
	c->moved = r == 0;
	return r;
}

static int named_itself(const struct change *c, struct err *e)
{
	if (!c->place.linked)
		return 0;
	return files_fail(e, EINVAL, c->place.path,
		"was named by a link; what is moved or deleted has to be named itself");
}

static int plan_update(
	struct patching *s, struct change *c, const struct patch_file *p, struct err *e)
{
	int r = files_write_check(s->f, &c->place, e);

	if (r == 0)
		r = read_old(s, c, e);
	if (r == 0 && p->new_path)
		r = named_itself(c, e);
	if (r == 0 && p->new_path)
		r = plan_move(s, c, p, e);
	return r < 0 ? r : apply_hunks(s, c, p, c->old_text, c->old_len, e);
}

/* A diff says what is in the file that it deletes; that must be all. */
static int plan_delete(
	struct patching *s, struct change *c, const struct patch_file *p, struct err *e)
{
	int r = files_may_change(s->f, c->place.path, e);

	if (r == 0)
		r = files_judge(s->f, c->place.path, PROTECT_UNLINK, e);
	if (r == 0)
		r = read_old(s, c, e);
	if (r == 0)
		r = named_itself(c, e);
	if (r == 0 && p->hunk_count) {
		r = apply_hunks(s, c, p, c->old_text, c->old_len, e);
		if (r == 0 && c->new_len)
			r = files_fail(
				e, EINVAL, c->place.path, "has more in it than the patch deletes");
	}
	return r;
}

/* The next section for a file that the patch changes already. */
static int plan_again(
	struct patching *s, struct change *c, const struct patch_file *p, struct err *e)
{
	if (p->op != PATCH_UPDATE || p->new_path || c->op == PATCH_DELETE || c->moved)
		return files_fail(e, EINVAL, c->place.path, "is the business of the patch twice");
	return apply_hunks(s, c, p, c->new_text, c->new_len, e);
}

static int plan_one(struct patching *s, const struct patch_file *p, struct err *e)
{
	struct change *c = &s->changes[s->count], *before;
	int r = look(s, p->path, &c->place, e);

	if (r < 0)
		return r;
	before = find_change(s, c->place.path);
	if (before)
		return plan_again(s, before, p, e);
	c->op = p->op;
	c->new_text = "";
	r = p->op == PATCH_ADD      ? plan_add(s, c, p, e)
	    : p->op == PATCH_UPDATE ? plan_update(s, c, p, e)
				    : plan_delete(s, c, p, e);
	s->count += r == 0;
	return r;
}

static int put_new(struct patching *s, struct change *c, const struct files_place *at,
	const struct stat *seen, struct err *e)
{
	struct files_text t = {.data = c->new_text,
		.len = c->new_len,
		.mode = c->mode,
		.set_mode = c->op == PATCH_UPDATE};
	int r = 0;

	if (!at->exists)
		r = files_write_parents(s->f, at->path, &c->made, e);
	return r < 0 ? r : files_write_put(s->f, at, seen, &t, e);
}

/* A name that was judged before. Somebody may have put a link there meanwhile, to make us undo what
 * we did at the name it leads to, which nobody judged: then there is nothing to put back. */
static int look_again(struct patching *s, const char *path, struct files_place *ret, struct err *e)
{
	int r = look(s, path, ret, e);

	if (r == 0 && (ret->linked || !str_eq(ret->path, path)))
		r = files_fail(e, ESTALE, path, "was changed by somebody else meanwhile");
	return r;
}

static void remove_again(struct patching *s, const char *path)
{
	struct files_place now;
	struct err unused;

	if (look_again(s, path, &now, &unused) == 0 && now.exists)
		files_write_remove(s->f, &now, NULL, &unused);
}

/* The innermost first, those that are empty. */
static void remove_folders(struct patching *s, const char *path, unsigned count)
{
	char folder[PATH_MAX];

	memcpy(folder, path, strlen(path) + 1);
	while (count-- > 0) {
		char *slash = strrchr(folder, '/');
		const char *name;
		auto_fd int dir = -1;

		if (!slash)
			return;
		*slash = '\0';
		dir = files_walk_parent(s->f, folder, &name);
		if (dir < 0 || unlinkat(dir, name, AT_REMOVEDIR) < 0)
			return;
	}
}

static int put_back(struct patching *s, const struct change *c, struct err *e)
{
	struct files_text t = {
		.data = c->old_text, .len = c->old_len, .mode = c->seen.st_mode, .set_mode = true};
	struct files_place now;
	int r = look_again(s, c->place.path, &now, e);

	return r < 0 ? r : files_write_put(s->f, &now, NULL, &t, e);
}

static int undo(struct patching *s, struct change *c, struct err *e)
{
	const char *path = c->moved ? c->to.path : c->place.path;

	if (c->op == PATCH_ADD || c->moved)
		remove_again(s, path);
	remove_folders(s, path, c->made);
	return c->op == PATCH_ADD ? 0 : put_back(s, c, e);
}

static int carry_out(struct patching *s, struct change *c, struct err *e)
{
	int r;

	if (c->op == PATCH_DELETE)
		return files_write_remove(s->f, &c->place, &c->seen, e);
	if (!c->moved)
		return put_new(s, c, &c->place, c->op == PATCH_UPDATE ? &c->seen : NULL, e);
	r = put_new(s, c, &c->to, NULL, e);
	if (r < 0)
		return r;
	r = files_write_remove(s->f, &c->place, &c->seen, e);
	if (r < 0)
		remove_again(s, c->to.path);
	return r;
}

static int carry_out_all(struct patching *s, struct err *e)
{
	for (size_t i = 0; i < s->count; i++) {
		int r = carry_out(s, &s->changes[i], e), back = 0;
		struct err why = {0};

		if (r == 0)
			continue;
		remove_folders(s,
			s->changes[i].moved ? s->changes[i].to.path : s->changes[i].place.path,
			s->changes[i].made);
		while (i-- > 0) {
			int once = undo(s, &s->changes[i], &why);

			back = back < 0 ? back : once;
		}
		return err_ctx(e, r,
			back < 0 ? "the patch was applied only in part, since what was written "
				   "could not be put back"
				 : "nothing was changed");
	}
	return 0;
}

static int patch_all(struct patching *s, const struct patch *p, struct err *e)
{
	int r = 0;

	s->changes = arena_array(s->a, p->count, sizeof *s->changes);
	for (size_t i = 0; i < p->count && r == 0; i++)
		r = plan_one(s, &p->files[i], e);
	return r < 0 ? err_ctx(e, r, "nothing was changed") : carry_out_all(s, e);
}

static const char *copy(struct arena *a, const char *text)
{
	return arena_text(a, text, strlen(text));
}

static void tell(const struct patching *s, struct arena *a, struct files_patched *ret)
{
	struct files_change *changes = arena_array(a, s->count, sizeof *changes);

	for (size_t i = 0; i < s->count; i++) {
		const struct change *c = &s->changes[i];

		changes[i] = (struct files_change){.op = c->op,
			.path = copy(a, c->place.path),
			.new_path = c->moved ? copy(a, c->to.path) : NULL,
			.size = c->new_len,
			.hunks = c->hunks};
	}
	ret->changes = changes;
	ret->count = s->count;
}

int files_patch(const struct files *f, const char *text, size_t len, struct arena *a,
	struct files_patched *ret, struct err *e)
{
	auto_(arena_free) struct arena scratch = {0};
	auto_(files_stop) struct files_self self = {0};
	struct patching s = {.f = f, .a = &scratch};
	struct patch p;
	int r = patch_parse(&scratch, text, len, &p, e);

	if (r == 0)
		r = files_start(f, &self, e);
	if (r == 0)
		r = patch_all(&s, &p, e);
	if (r == 0)
		tell(&s, a, ret);
	return r;
}
