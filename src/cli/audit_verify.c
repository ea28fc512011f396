/* SPDX-License-Identifier: Apache-2.0 */

/* ward audit verify, ward audit anchor: is the log as it was written; where it ends. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "cli/audit.h"
#include "cli/view.h"
#include "json/json5.h"
#include "json/write.h"
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define ANCHOR_MAX 4096

/* What each fault means, and what can still be believed. */
static const char *const fault_advice[] = {
	[AUDITLOG_GOOD] = "",
	[AUDITLOG_NO_LINE] = "somebody wrote to the file, or a disk lost a part of it; the lines "
			     "before it are good",
	[AUDITLOG_NUMBER] = "lines were removed, inserted or moved; the lines before it are good",
	[AUDITLOG_CHAIN] = "the line before this one, or this one, is not what was written; the "
			   "lines before both are good",
	[AUDITLOG_CUT] = "the end of the log was cut off, or an older copy put in its place; what "
			 "is there is good",
	[AUDITLOG_AHEAD] = "whether lines are missing at the end is not known; what is there is "
			   "good",
	[AUDITLOG_GONE] = "files were removed that ward would have kept; what is there is good",
	[AUDITLOG_ANCHOR] = "the log was written anew or cut since the anchor was taken, or its "
			    "file was removed because of its age (audit.keep)",
};
_Static_assert(ARRAY_LEN(fault_advice) == AUDITLOG_FAULTS, "advice for each");

static const char *const fault_names[] = {[AUDITLOG_GOOD] = "none",
	[AUDITLOG_NO_LINE] = "no-line",
	[AUDITLOG_NUMBER] = "number",
	[AUDITLOG_CHAIN] = "chain",
	[AUDITLOG_CUT] = "cut",
	[AUDITLOG_AHEAD] = "no-head",
	[AUDITLOG_GONE] = "gone",
	[AUDITLOG_ANCHOR] = "anchor"};
_Static_assert(ARRAY_LEN(fault_names) == AUDITLOG_FAULTS, "a name for each");

static bool read_hash(const char *text, uint8_t out[SHA256_SIZE])
{
	return strlen(text) == 2 * (size_t)SHA256_SIZE && sha256_unhex(text, out);
}

/* SEQ:HASH */
static int read_head(const char *text, struct auditlog_anchor *ret, struct err *e)
{
	const char *colon = strchr(text, ':');
	auto_free char *seq = colon ? strndup(text, (size_t)(colon - text)) : NULL;

	if (!seq || number_count(seq, &ret->seq, NULL) < 0 || !read_hash(colon + 1, ret->hash))
		return err_set(e, EINVAL,
			"--head needs SEQ:HASH, as 'ward audit anchor' prints it: a number and 64 "
			"hex digits");
	return 0;
}

static int read_anchor(struct call *c, const char *path, struct auditlog_anchor *ret, struct err *e)
{
	auto_free char *data = NULL;
	const struct node *seq, *hash;
	struct node root;
	size_t len;
	int r = file_read(AT_FDCWD, path, ANCHOR_MAX, NULL, &data, &len, e);

	if (r == 0)
		r = json5_parse(c->arena, path, data, len, &root, e);
	if (r < 0)
		return r;
	seq = tree_get(&root, "seq");
	hash = tree_get(&root, "hash");
	if (!seq || seq->type != NODE_NUMBER || number_count(seq->text, &ret->seq, NULL) < 0 ||
		!hash || hash->type != NODE_TEXT || !read_hash(hash->text, ret->hash))
		return err_set(
			e, EINVAL, "'%s' is no anchor: 'ward audit anchor FILE' writes one", path);
	return 0;
}

/* *ret_anchor is NULL where none is given. */
static int wanted_anchor(struct call *c, struct auditlog_anchor *room,
	const struct auditlog_anchor **ret_anchor, struct err *e)
{
	const struct audit_options *o = c->options;

	*ret_anchor = o->head.v || o->anchor.v ? room : NULL;
	if (o->head.v && o->anchor.v)
		return err_set(e, EINVAL, "--anchor and --head say the same; give one of them");
	if (o->head.v)
		return read_head(o->head.v, room, e);
	return o->anchor.v ? read_anchor(c, o->anchor.v, room, e) : 0;
}

static void write_state(struct call *c, const char *folder, const struct auditlog_state *s,
	const struct auditlog_anchor *anchor)
{
	char hash[2 * SHA256_SIZE + 1];
	struct writer w = WRITER(c->out);

	sha256_hex(s->hash, hash);
	write_object(&w, NULL);
	write_bool(&w, "good", s->fault == AUDITLOG_GOOD);
	write_text(&w, "folder", folder);
	write_unsigned(&w, "lines", s->lines);
	write_unsigned(&w, "files", s->files);
	write_unsigned(&w, "first", s->first);
	if (s->fault == AUDITLOG_GOOD) {
		write_unsigned(&w, "last", s->seq);
		write_text(&w, "hash", hash);
	} else {
		write_text(&w, "fault", fault_names[s->fault]);
		write_unsigned(&w, "seq", s->seq);
		write_text(&w, "file", s->file[0] ? s->file : NULL);
		write_text(&w, "text", auditlog_fault_texts[s->fault]);
		write_text(&w, "advice", fault_advice[s->fault]);
	}
	write_bool(&w, "anchored", anchor && s->fault == AUDITLOG_GOOD);
	write_end_object(&w);
}

static void show_state(struct call *c, const char *folder, const struct auditlog_state *s,
	const struct auditlog_anchor *anchor)
{
	auto_(buf_free) struct buf shown = BUF(400);

	escape_text(&shown, folder);
	if (s->fault != AUDITLOG_GOOD) {
		view_tone(c, VIEW_BAD, "damaged");
		buf_printf(c->out, ": %s: line %llu%s%s in '%s'\n  %s\n",
			auditlog_fault_texts[s->fault], (unsigned long long)s->seq,
			s->file[0] ? " of " : "", s->file, buf_text(&shown),
			fault_advice[s->fault]);
		return;
	}
	view_tone(c, VIEW_GOOD, "good");
	buf_printf(c->out, ": %llu line%s in %llu file%s in '%s', from %llu to %llu%s\n",
		(unsigned long long)s->lines, s->lines == 1 ? "" : "s",
		(unsigned long long)s->files, s->files == 1 ? "" : "s", buf_text(&shown),
		(unsigned long long)s->first, (unsigned long long)s->seq,
		anchor ? ", and the anchor is among them" : "");
	if (!anchor)
		buf_puts(c->out, "  Whoever can write the log could have written all of it anew: "
				 "'ward audit anchor' makes\n  that provable from then on.\n");
}

/* A log that is gone is one whose end was cut, for whoever has noted where it was. */
static int check_log(const char *folder, const struct auditlog_anchor *anchor,
	struct auditlog_state *ret, struct err *e)
{
	auto_(auditlog_view_close) struct auditlog_view v = {0};
	int r = auditlog_view_open(&v, folder, e);

	if (r == -ENOENT && anchor) {
		*ret = (struct auditlog_state){.fault = AUDITLOG_ANCHOR, .seq = anchor->seq};
		return 0;
	}
	if (r < 0)
		return r;
	r = auditlog_view_check(&v, anchor, NULL, NULL, ret);
	return r < 0 ? err_sys(e, r, "read the audit log in '%s'", folder) : 0;
}

int audit_verify(struct call *c, struct err *e)
{
	const struct audit_options *o = c->options;
	const struct auditlog_anchor *anchor;
	struct auditlog_anchor room;
	struct auditlog_state s;
	const char *folder;
	int r = wanted_anchor(c, &room, &anchor, e);

	if (r == 0)
		r = audit_folder(c, &folder, e);
	if (r == 0)
		r = check_log(folder, anchor, &s, e);
	if (r < 0)
		return r;
	(o->json.v ? write_state : show_state)(c, folder, &s, anchor);
	return s.fault == AUDITLOG_GOOD ? EXIT_OK : EXIT_FOUND;
}

static int write_anchor(const char *path, const struct buf *text, struct err *e)
{
	struct audit_output out;
	int r = audit_output_begin(&out, path, e);

	if (r < 0)
		return r;
	buf_add(&out.buf, text->data, text->len);
	return audit_output_end(&out, e);
}

int audit_anchor(struct call *c, struct err *e)
{
	const struct audit_options *o = c->options;
	auto_(buf_free) struct buf text = BUF(ANCHOR_MAX);
	char hash[2 * SHA256_SIZE + 1];
	struct auditlog_state s;
	const char *folder;
	struct writer w = WRITER(&text);
	int r = audit_folder(c, &folder, e);

	if (r == 0)
		r = check_log(folder, NULL, &s, e);
	if (r < 0)
		return r;
	if (s.fault != AUDITLOG_GOOD)
		return err_set(e, EBADMSG,
			"the log is damaged at line %llu: %s; nothing is noted of it, see "
			"'ward audit verify'",
			(unsigned long long)s.seq, auditlog_fault_texts[s.fault]);
	if (s.lines == 0)
		return err_set(
			e, ENOENT, "the log in '%s' is empty: there is nothing to note", folder);
	sha256_hex(s.hash, hash);
	write_object(&w, NULL);
	write_unsigned(&w, "seq", s.seq);
	write_text(&w, "hash", hash);
	write_end_object(&w);
	if (c->arg_count > 0)
		return write_anchor(c->args[0], &text, e);
	if (o->json.v)
		buf_add(c->out, text.data, text.len);
	else
		buf_printf(c->out, "%llu:%s\n", (unsigned long long)s.seq, hash);
	return EXIT_OK;
}
