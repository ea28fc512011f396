/* SPDX-License-Identifier: Apache-2.0 */
#include "model/check.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "model/pathname.h"
#include "model/refuse.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static int option_flag(const char *value, struct err *e);
static int option_size(const char *value, struct err *e);
static int option_count(const char *value, struct err *e);
static int option_mode(const char *value, struct err *e);
static int option_id(const char *value, struct err *e);

/* The slot says which options exclude each other: each slot is filled once. */
enum slot { SLOT_SIZE, SLOT_INODES, SLOT_MODE, SLOT_UID, SLOT_GID, SLOT_EXEC, SLOT_SUID, SLOT_DEV };

static const struct option {
	const char *name;
	enum slot slot;
	int (*check)(const char *value, struct err *e); /* value is NULL without '=' */
} options[] = {
	{"size", SLOT_SIZE, option_size},
	{"nr_inodes", SLOT_INODES, option_count},
	{"mode", SLOT_MODE, option_mode},
	{"uid", SLOT_UID, option_id},
	{"gid", SLOT_GID, option_id},
	{"exec", SLOT_EXEC, option_flag},
	{"noexec", SLOT_EXEC, option_flag},
	{"nosuid", SLOT_SUID, option_flag},
	{"nodev", SLOT_DEV, option_flag},
};

/* What the sandbox is made of, and so no place for a tmpfs; folders below them neither. */
static const char *const reserved[] = {"/proc", "/sys", "/dev", "/usr", "/bin", "/sbin", "/lib",
	"/lib32", "/lib64", "/libx32", "/etc", "/boot", "/workspace", "/agent"};

static int option_flag(const char *value, struct err *e)
{
	return value ? refuse_text(e, value, "this option takes no value") : 0;
}

/* For the kernel 0 means no limit. */
static int option_size(const char *value, struct err *e)
{
	uint64_t bytes;
	int r;

	if (!value)
		return refuse_text(e, "size", "needs a value, such as size=64m");
	r = number_size(value, &bytes, e);
	if (r == 0 && bytes == 0)
		return refuse_text(
			e, value, "a tmpfs of size 0 has no limit; write one such as size=64m");
	return r;
}

static int option_count(const char *value, struct err *e)
{
	uint64_t count;
	int r;

	if (!value)
		return refuse_text(e, "nr_inodes", "needs a value, such as nr_inodes=10k");
	r = number_count(value, &count, e);
	if (r == 0 && count == 0)
		return refuse_text(
			e, value, "0 inodes means no limit; write one such as nr_inodes=10k");
	return r;
}

static int option_mode(const char *value, struct err *e)
{
	size_t len = value ? strlen(value) : 0;

	/* No setuid or setgid bit: the first of four digits is 0 or 1. */
	if ((len == 3 || (len == 4 && (value[0] == '0' || value[0] == '1'))) &&
		strspn(value, "01234567") == len)
		return 0;
	return refuse_text(e, value ? value : "mode",
		"a mode is three octal digits, or four that start with 0 or 1, such as mode=1777");
}

static int option_id(const char *value, struct err *e)
{
	size_t len = value ? strlen(value) : 0;
	uint64_t id = 0;

	for (size_t i = 0; i < len && i < 10; i++)
		id = id * 10 + (uint64_t)(value[i] - '0');
	if (len > 0 && len <= 10 && strspn(value, "0123456789") == len &&
		(len == 1 || value[0] != '0') && id < UINT32_MAX)
		return 0;
	return refuse_text(
		e, value ? value : "uid, gid", "an id is decimal digits, such as uid=1000");
}

static const char *option_name(size_t i, const void *ctx)
{
	(void)ctx;
	return i < ARRAY_LEN(options) ? options[i].name : NULL;
}

static int refuse_option(const char *name, struct err *e)
{
	const char *near;

	if (str_eq(name, "suid") || str_eq(name, "dev"))
		return refuse_text(e, name, "a tmpfs is always nosuid and nodev");
	near = str_nearest(name, option_name, NULL);
	if (near)
		return refuse_text(e, name, "unknown option; did you mean '%s'?", near);
	return refuse_text(e, name,
		"unknown option; there are size=, nr_inodes=, mode=, uid=, gid=, exec, noexec, "
		"nosuid, nodev");
}

/* One option; the bits of filled slots are in *io_filled. */
static int check_option(char *text, unsigned *io_filled, struct err *e)
{
	char *equals = strchr(text, '=');

	if (equals)
		*equals = '\0';
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		unsigned bit = 1U << options[i].slot;

		if (!str_eq(text, options[i].name))
			continue;
		if (*io_filled & bit)
			return refuse_text(e, text, "this option, or its opposite, is given twice");
		*io_filled |= bit;
		return options[i].check(equals ? equals + 1 : NULL, e);
	}
	return refuse_option(text, e);
}

static int check_options(char *text, struct err *e)
{
	unsigned filled = 0;

	for (;;) {
		char *comma = strchr(text, ',');
		int r;

		if (comma)
			*comma = '\0';
		r = check_option(text, &filled, e);
		if (r < 0 || !comma)
			return r;
		text = comma + 1;
	}
}

static int check_target(const char *path, struct err *e)
{
	int r = pathname_check(path, e);

	if (r < 0)
		return r;
	if (pathname_same(path, "/"))
		return refuse_text(
			e, path, "the root itself cannot be a tmpfs; write one such as /tmp");
	for (size_t i = 0; i < ARRAY_LEN(reserved); i++)
		if (pathname_within(path, reserved[i]))
			return refuse_text(e, path,
				"'%s' is not free for a tmpfs; write one such as /tmp",
				reserved[i]);
	return 0;
}

int check_tmpfs(const char *text, struct err *e)
{
	auto_free char *path = mem_dup(text);
	char *colon = strchr(path, ':');
	int r;

	if (colon)
		*colon = '\0';
	r = check_target(path, e);
	if (r == 0 && colon)
		r = check_options(colon + 1, e);
	return r;
}

/* What an option says, up to the comma behind it; NULL when it is not there. */
static const char *find_option(const char *text, const char *name, size_t *ret_len)
{
	const char *p = strchr(text, ':');
	size_t len = strlen(name);

	while (p && *p) {
		const char *word = p + 1;
		const char *end = word + strcspn(word, ",");

		if (strncmp(word, name, len) == 0 && (word + len == end || word[len] == '=')) {
			*ret_len = (size_t)(end - word) - len;
			return word + len;
		}
		p = end;
	}
	return NULL;
}

/* The number behind an option; the largest when nobody wrote one, which means no limit. */
static uint64_t option_limit(const char *text, const char *name,
	int (*read)(const char *text, uint64_t *ret, struct err *e))
{
	size_t len = 0;
	const char *value = find_option(text, name, &len);
	char number[64];
	uint64_t limit = UINT64_MAX;

	if (!value || len < 2 || len > sizeof(number))
		return limit;
	memcpy(number, value + 1, len - 1);
	number[len - 1] = '\0';
	return read(number, &limit, NULL) < 0 ? UINT64_MAX : limit;
}

static bool same_option(const char *a, const char *b, const char *name)
{
	size_t a_len = 0, b_len = 0;
	const char *x = find_option(a, name, &a_len), *y = find_option(b, name, &b_len);

	return (!x && !y) || (x && y && a_len == b_len && memcmp(x, y, a_len) == 0);
}

bool check_tmpfs_covers(const char *outer, const char *inner)
{
	size_t outer_len = strcspn(outer, ":"), inner_len = strcspn(inner, ":"), unused;

	if (outer_len != inner_len || memcmp(outer, inner, outer_len) != 0)
		return false;
	if (option_limit(inner, "size", number_size) > option_limit(outer, "size", number_size) ||
		option_limit(inner, "nr_inodes", number_count) >
			option_limit(outer, "nr_inodes", number_count))
		return false;
	if (find_option(outer, "noexec", &unused) && !find_option(inner, "noexec", &unused))
		return false;
	return same_option(outer, inner, "mode") && same_option(outer, inner, "uid") &&
	       same_option(outer, inner, "gid");
}
