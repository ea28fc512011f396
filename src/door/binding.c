/* SPDX-License-Identifier: Apache-2.0 */
#include "door/binding.h"

#include "base/cleanup.h"
#include "base/show.h"
#include "base/str.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define VERSION "ward approval 2"

/* Each part with its length in front, so that no two lists run into the same bytes. */
static void add(struct sha256 *s, const void *data, size_t len)
{
	uint64_t size = len;

	sha256_add(s, &size, sizeof size);
	sha256_add(s, data, len);
}

static void add_text(struct sha256 *s, const char *text)
{
	add(s, text ? text : "", text ? strlen(text) : 0);
}

static void add_number(struct sha256 *s, uint64_t n)
{
	add(s, &n, sizeof n);
}

static void add_fields(struct sha256 *s, const struct field *fields, const void *base)
{
	for (const struct field *f = fields; f->name; f++) {
		auto_(buf_free) struct buf value = BUF(1 << 20);

		add_text(s, f->name);
		if (f->type == FIELD_OBJECT) {
			add_fields(s, f->fields, field_at(f, base));
			continue;
		}
		if (field_where(f, base)->source)
			show_value(&value, f, field_at(f, base));
		add(s, buf_text(&value), value.len);
	}
	add_text(s, "");
}

/* Everything that holds for the agent: another one means that the policy has changed. */
static void digest_policy(const struct effective *eff, uint8_t ret[SHA256_SIZE])
{
	struct sha256 s;

	sha256_init(&s);
	add_text(&s, eff->agent);
	/* What was given to one that stands in the list is not for one that does not. */
	add_number(&s, eff->agent_known);
	add_fields(&s, settings_fields, &eff->s);
	for (size_t i = 0; i < eff->rules.count; i++) {
		add_text(&s, eff->rules.items[i].pattern);
		add_text(&s, eff->rules.items[i].to);
		add_number(&s, eff->rules.items[i].approval);
		add_number(&s, eff->rules.items[i].ttl);
	}
	sha256_end(&s, ret);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_env(struct sha256 *s, const char *const *env, struct arena *a)
{
	const char **sorted;
	size_t count = 0;

	while (env[count])
		count++;
	sorted = arena_array(a, count + 1, sizeof *sorted);
	for (size_t i = 0; i < count; i++)
		sorted[i] = env[i];
	qsort(sorted, count, sizeof *sorted, by_text);
	add_number(s, count);
	for (size_t i = 0; i < count; i++)
		add_text(s, sorted[i]);
}

static void add_file(struct sha256 *s, const struct subject_file *f)
{
	add_text(s, f->path);
	add_number(s, f->device);
	add_number(s, f->inode);
	add(s, f->hash, sizeof f->hash);
}

static void add_verdict(struct sha256 *s, const struct verdict *v)
{
	uint8_t policy[SHA256_SIZE];

	add_text(s, v->session.key);
	add_text(s, v->session.agent);
	add_text(s, place_names[v->place]);
	add_text(s, v->profile);
	add_text(s, v->rule ? v->rule->pattern : "");
	digest_policy(v->effective, policy);
	add(s, policy, sizeof policy);
}

int binding_digest(const struct binding *b, struct arena *a, uint8_t ret[SHA256_SIZE])
{
	struct sha256 s;
	struct stat st;
	size_t count = 0;

	if (fstatat(b->cwd < 0 ? AT_FDCWD : b->cwd, "", &st, AT_EMPTY_PATH) < 0)
		return -errno;
	while (b->argv[count])
		count++;
	sha256_init(&s);
	add_text(&s, VERSION);
	add_number(&s, count);
	for (size_t i = 0; i < count; i++)
		add_text(&s, b->argv[i]);
	add_number(&s, st.st_dev);
	add_number(&s, st.st_ino);
	add_env(&s, b->env, a);
	add_text(&s, b->kind);
	add_text(&s, b->input);
	add_file(&s, &b->subject->program);
	add_file(&s, &b->subject->script);
	add_verdict(&s, b->verdict);
	sha256_end(&s, ret);
	return 0;
}
