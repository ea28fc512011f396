/* SPDX-License-Identifier: Apache-2.0 */

/* ward diff: what a session has changed in its workspace, where that is copied on write. */

#include "base/cleanup.h"
#include "base/sha256.h"
#include "base/textdiff.h"
#include "base/utf8.h"
#include "cli/layers.h"
#include "cli/view.h"
#include "state/apply.h"
#include "state/content.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX (16u << 20) /* larger files are shown by size and digest */
#define FLUSH (1u << 20)
#define LOOK 8000 /* bytes in which a zero makes a file binary */

static const struct field diff_options[] = {
	BOXES_OPTIONS,
	{"stat", F_BOOL(struct boxes_options, stat, .help = "only how much changed in each file")},
	OPTION_JSON(struct boxes_options),
	{0},
};

/* One side of a change. */
struct side {
	const struct stat *st;
	char *text;
	size_t len;
	int error;   /* negative errno: it cannot be read */
	bool binary; /* or too large */
	char hex[2 * SHA256_SIZE + 1];
};

struct show {
	struct call *call;
	struct changes *changes;
	const struct plan *plan;
	bool terminal, stat;
	size_t files, inserted, deleted;
};

static void free_side(struct side *s)
{
	free(s->text);
}

static ssize_t read_all(int fd, char *to, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size && (n = read(fd, to + len, size - len)) != 0) {
		if (n < 0)
			return -errno;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

static void digest(int fd, struct side *s)
{
	uint8_t out[SHA256_SIZE];
	struct sha256 h;
	char part[16384];
	ssize_t n;

	sha256_init(&h);
	while ((n = read(fd, part, sizeof part)) > 0)
		sha256_add(&h, part, (size_t)n);
	sha256_end(&h, out);
	sha256_hex(out, s->hex);
}

static void load_file(const struct show *w, int fd, struct side *s)
{
	ssize_t n;

	if (s->st->st_size > TEXT_MAX) {
		s->binary = true;
		if (!w->stat)
			digest(fd, s);
		return;
	}
	s->text = mem_alloc((size_t)s->st->st_size + 1);
	n = read_all(fd, s->text, (size_t)s->st->st_size);
	s->error = n < 0 ? (int)n : 0;
	s->len = n < 0 ? 0 : (size_t)n;
	s->binary = memchr(s->text, '\0', s->len < LOOK ? s->len : LOOK) != NULL;
	if (s->binary) {
		uint8_t out[SHA256_SIZE];

		sha256_of(s->text, s->len, out);
		sha256_hex(out, s->hex);
	}
}

static void load_side(const struct show *w, const struct change *k, bool base, struct side *s)
{
	const struct changes *c = w->changes;
	auto_fd int fd = -1;

	s->st = base ? &k->base : &k->layer;
	if (S_ISLNK(s->st->st_mode)) {
		s->text = mem_alloc((size_t)s->st->st_size + 1);
		s->error =
			base ? content_of_link(c->base, k->path, s->text, s->st->st_size)
			     : content_of_link(c->parts[k->part], k->path, s->text, s->st->st_size);
		s->len = s->error < 0 ? 0 : strlen(s->text);
		return;
	}
	if (!S_ISREG(s->st->st_mode))
		return;
	fd = base ? content_of_base(c, k) : content_of_layer(c, k);
	if (fd < 0)
		s->error = fd;
	else
		load_file(w, fd, s);
}

/* As git writes it: in quotes where a name has characters that would be misunderstood. */
static void put_name(struct buf *out, const char *prefix, const char *path)
{
	bool plain = true;

	for (const char *p = path; *p && plain; p++)
		plain = (unsigned char)*p >= ' ' && (unsigned char)*p < 127 && *p != '"' &&
			*p != '\\';
	if (plain) {
		buf_printf(out, "%s%s", prefix, path);
		return;
	}
	buf_printf(out, "\"%s", prefix);
	for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
		if (*p == '"' || *p == '\\')
			buf_printf(out, "\\%c", *p);
		else if (*p < ' ' || *p >= 127)
			buf_printf(out, "\\%03o", *p);
		else
			buf_putc(out, (char)*p);
	}
	buf_putc(out, '"');
}

static void toned(struct show *w, enum view_tone tone, const struct buf *line)
{
	view_tone(w->call, tone, buf_text(line));
	buf_putc(w->call->out, '\n');
}

static void put_safe(struct buf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		uint32_t c;
		size_t n = utf8_decode(text + i, len - i, &c);

		if (n == 0)
			buf_printf(out, "<%02x>", (unsigned char)text[i]);
		else if (c != '\t' && utf8_is_deceptive(c))
			buf_printf(out, "<%04x>", c);
		else
			buf_add(out, text + i, n);
		i += n ? n : 1;
	}
}

/* On a terminal nothing that it could act on; elsewhere the bytes as they are. */
static void put_line(void *ctx, char kind, const char *text, size_t len)
{
	struct show *w = ctx;
	auto_(buf_free) struct buf line = BUF(len * 8 + 16);
	enum view_tone tone = kind == '+'   ? VIEW_GOOD
			      : kind == '-' ? VIEW_BAD
			      : kind == ' ' ? VIEW_PLAIN
					    : VIEW_DIM;

	buf_putc(&line, kind);
	if (w->terminal)
		put_safe(&line, text, len);
	else
		buf_add(&line, text, len);
	if (w->terminal) {
		toned(w, tone, &line);
	} else {
		buf_add(w->call->out, line.data, line.len);
		buf_putc(w->call->out, '\n');
	}
}

static unsigned git_mode(mode_t mode)
{
	return S_ISLNK(mode) ? 0120000 : S_ISDIR(mode) ? 0040000 : 0100000 | (mode & 0777);
}

static void put_head(struct show *w, const struct change *k)
{
	auto_(buf_free) struct buf line = BUF(20000);
	struct buf *out = w->call->out;

	buf_puts(&line, "diff --git ");
	put_name(&line, "a/", k->path);
	buf_putc(&line, ' ');
	put_name(&line, "b/", k->path);
	toned(w, VIEW_BOLD, &line);
	if (k->kind == CHANGE_ADDED)
		buf_printf(out, "new file mode %06o\n", git_mode(k->layer.st_mode));
	else if (k->kind == CHANGE_DELETED)
		buf_printf(out, "deleted file mode %06o\n", git_mode(k->base.st_mode));
	else if (git_mode(k->base.st_mode) != git_mode(k->layer.st_mode))
		buf_printf(out, "old mode %06o\nnew mode %06o\n", git_mode(k->base.st_mode),
			git_mode(k->layer.st_mode));
}

/* Both sides, with something before, between and behind them. */
static void put_names(struct show *w, const struct change *k, const char *const around[3])
{
	struct buf *out = w->call->out;

	buf_puts(out, around[0]);
	if (k->kind == CHANGE_ADDED)
		buf_puts(out, "/dev/null");
	else
		put_name(out, "a/", k->path);
	buf_puts(out, around[1]);
	if (k->kind == CHANGE_DELETED)
		buf_puts(out, "/dev/null");
	else
		put_name(out, "b/", k->path);
	buf_puts(out, around[2]);
}

static void put_binary(struct show *w, const struct change *k, const struct side s[2])
{
	struct buf *out = w->call->out;

	put_names(w, k, (const char *const[]){"Binary files ", " and ", " differ\n"});
	for (int i = 0; i < 2; i++)
		if (s[i].st->st_mode)
			buf_printf(out, "# %s: %lld bytes, sha256 %s\n", i == 0 ? "old" : "new",
				(long long)s[i].st->st_size,
				s[i].error ? strerror(-s[i].error) : s[i].hex);
}

static void put_stat(
	struct show *w, const struct change *k, const struct side s[2], const struct textdiff *d)
{
	struct buf *out = w->call->out;

	buf_printf(out, " %c ", "AMD"[k->kind]);
	layers_put_path(w->call, k->path);
	if (S_ISDIR(k->kind == CHANGE_DELETED ? k->base.st_mode : k->layer.st_mode))
		buf_puts(out, "/");
	else if (s[0].error || s[1].error)
		buf_printf(out, "  cannot be read: %s",
			strerror(-(s[0].error ? s[0].error : s[1].error)));
	else if (s[0].binary || s[1].binary)
		buf_printf(out, "  binary, %lld -> %lld bytes", (long long)k->base.st_size,
			(long long)k->layer.st_size);
	else if (k->content)
		buf_printf(out, "  +%zu -%zu", d->inserted, d->deleted);
	if (k->kind == CHANGE_MODIFIED && ((k->base.st_mode ^ k->layer.st_mode) & 0777))
		buf_printf(out, "  mode %03o -> %03o", k->base.st_mode & 0777,
			k->layer.st_mode & 0777);
	if (k->conflict) {
		buf_puts(out, "  ");
		view_tone(w->call, VIEW_CARE, "changed on the host too");
	}
	buf_putc(out, '\n');
}

static bool is_special(const struct change *k)
{
	mode_t mode = k->kind == CHANGE_DELETED ? k->base.st_mode : k->layer.st_mode;

	return !S_ISREG(mode) && !S_ISLNK(mode) && !S_ISDIR(mode);
}

static void put_remark(struct show *w, const struct change *k, const struct side s[2])
{
	mode_t mode = k->kind == CHANGE_DELETED ? k->base.st_mode : k->layer.st_mode;
	struct buf *out = w->call->out;

	if (S_ISDIR(mode) && k->kind != CHANGE_MODIFIED)
		return; /* folders come and go with what is in them */
	buf_puts(out, "# ");
	layers_put_path(w->call, k->path);
	if (S_ISDIR(mode))
		buf_printf(out, ": a folder, mode %03o -> %03o\n", k->base.st_mode & 0777,
			k->layer.st_mode & 0777);
	else if (is_special(k))
		buf_puts(out, ": neither file, folder nor link; it is not applied\n");
	else
		buf_printf(out, ": %s, and cannot be read: %s\n", change_kind_names[k->kind],
			strerror(-(s[0].error ? s[0].error : s[1].error)));
}

static void put_change(
	struct show *w, const struct change *k, const struct side s[2], const struct textdiff *d)
{
	mode_t mode = k->kind == CHANGE_DELETED ? k->base.st_mode : k->layer.st_mode;

	/* What a patch cannot say is said beside it. */
	if (S_ISDIR(mode) || is_special(k) || s[0].error || s[1].error) {
		put_remark(w, k, s);
		return;
	}
	put_head(w, k);
	if (s[0].binary || s[1].binary)
		put_binary(w, k, s);
	else if (k->content && (d->inserted || d->deleted)) {
		put_names(w, k, (const char *const[]){"--- ", "\n+++ ", "\n"});
		textdiff_show(d, put_line, w);
	}
}

static void write_change(struct writer *out, const struct show *w, const struct change *k,
	const struct side s[2], const struct textdiff *d)
{
	static const char *const sides[] = {"old", "new"};
	mode_t mode = k->kind == CHANGE_DELETED ? k->base.st_mode : k->layer.st_mode;
	char text[16];

	write_object(out, NULL);
	write_text(out, "path", k->path);
	write_text(out, "kind", change_kind_names[k->kind]);
	write_text(out, "type",
		S_ISDIR(mode)   ? "folder"
		: S_ISLNK(mode) ? "link"
		: S_ISREG(mode) ? "file"
				: "special");
	for (int i = 0; i < 2; i++) {
		if (!s[i].st->st_mode)
			continue;
		write_object(out, sides[i]);
		snprintf(text, sizeof text, "%04o", s[i].st->st_mode & 07777);
		write_text(out, "mode", text);
		write_number(out, "size", s[i].st->st_size);
		if (s[i].hex[0])
			write_text(out, "sha256", s[i].hex);
		if (S_ISLNK(s[i].st->st_mode))
			write_text(out, "target", s[i].text);
		if (s[i].error)
			write_text(out, "error", strerror(-s[i].error));
		write_end_object(out);
	}
	if (!s[0].binary && !s[1].binary && S_ISREG(mode)) {
		write_unsigned(out, "insertions", d->inserted);
		write_unsigned(out, "deletions", d->deleted);
	}
	write_bool(out, "binary", s[0].binary || s[1].binary);
	write_bool(out, "conflict", k->conflict);
	write_bool(
		out, "protected", apply_is_protected(w->plan->protect, w->plan->protect_count, k));
	write_end_object(out);
}

static int flush(struct call *c, bool now, struct err *e)
{
	if (c->out->dropped)
		return err_set(e, EFBIG, "one change is larger than can be shown; use --stat");
	if (c->out->len < FLUSH && !now)
		return 0;
	for (size_t done = 0; done < c->out->len;) {
		ssize_t n = write(STDOUT_FILENO, c->out->data + done, c->out->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EPIPE)
			break;
		if (n < 0)
			return err_sys(e, -errno, "write to standard output");
		done += (size_t)n;
	}
	buf_reset(c->out);
	return 0;
}

static void show_change(struct show *w, struct writer *json, const struct change *k)
{
	auto_(free_side) struct side old = {0};
	auto_(free_side) struct side new = {0};
	auto_(arena_free) struct arena scratch = {0};
	struct textdiff d = {0};
	struct side s[2];

	load_side(w, k, true, &old);
	load_side(w, k, false, &new);
	s[0] = old;
	s[1] = new;
	if (!s[0].binary && !s[1].binary && !is_special(k))
		textdiff_compare(&scratch, s[0].text ? s[0].text : "", s[0].len,
			s[1].text ? s[1].text : "", s[1].len, &d);
	w->files++;
	w->inserted += d.inserted;
	w->deleted += d.deleted;
	if (json)
		write_change(json, w, k, s, &d);
	else if (w->stat)
		put_stat(w, k, s, &d);
	else
		put_change(w, k, s, &d);
}

static void show_sum(struct show *w)
{
	if (w->files == 0)
		layers_say_none(w->call);
	else
		buf_printf(w->call->out, " %zu change%s, %zu insertion%s(+), %zu deletion%s(-)\n",
			w->files, w->files == 1 ? "" : "s", w->inserted,
			w->inserted == 1 ? "" : "s", w->deleted, w->deleted == 1 ? "" : "s");
}

static int show_all(struct show *w, bool as_json, struct err *e)
{
	struct call *c = w->call;
	struct writer json = WRITER(c->out);
	int r = 0;

	if (as_json) {
		write_object(&json, NULL);
		write_text(&json, "workspace", w->changes->layer->chain.workspace);
		write_list(&json, "changes");
	}
	for (size_t i = 0; i < w->changes->count && r == 0; i++) {
		show_change(w, as_json ? &json : NULL, &w->changes->items[i]);
		r = flush(c, false, e);
	}
	if (as_json) {
		write_end_list(&json);
		write_unsigned(&json, "skipped", w->changes->skipped);
		write_unsigned(&json, "insertions", w->inserted);
		write_unsigned(&json, "deletions", w->deleted);
		write_end_object(&json);
		buf_putc(c->out, '\n');
	} else {
		if (w->stat)
			show_sum(w);
		layers_say_skipped(c, w->changes);
	}
	return r < 0 ? r : flush(c, true, e);
}

static int diff(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	struct exec_answer *answer = arena_alloc(c->arena, sizeof *answer);
	auto_(layer_close) struct layer layer = LAYER_NONE;
	auto_(changes_close) struct changes changes = {.base = -1};
	struct show w = {.call = c,
		.changes = &changes,
		.plan = &answer->run.plan,
		.terminal = isatty(STDOUT_FILENO),
		.stat = o->stat.v};
	const char **paths;
	int r = boxes_find(c, answer, e);

	if (r == 0)
		r = cow_look(c->arena, answer->name, &layer, e);
	if (r == 0)
		r = layers_paths(c, &layer, &paths, e);
	if (r == 0)
		r = changes_find(c->arena, &layer, false, paths, c->arg_count, &changes, e);
	return r < 0 ? r : show_all(&w, o->json.v, e);
}

const struct command cmd_diff = {
	.name = "diff",
	.summary = "show what a session has changed in its workspace",
	.args = "[PATH...]",
	.options = diff_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = SIZE_MAX,
	.details =
		"For a workspace that is copied on write ('workspace: cow'): the changes, against\n"
		"the workspace as it is now, in a form that 'patch' and 'git apply' understand.\n"
		"Binary files are shown by size and digest, folders by what is in them. Nothing "
		"is\n"
		"changed by it, and commands may run meanwhile.",
	.examples = "  ward diff\n"
		    "  ward diff --stat src\n"
		    "  ward diff --session build --json\n",
	.run = diff,
};
