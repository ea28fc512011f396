/* SPDX-License-Identifier: Apache-2.0 */
#include "door/load.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/where.h"
#include "json/machine_json.h"
#include "json/tree.h"
#include "model/audit.h"
#include "model/resolve.h"
#include "sys/file.h"
#include "state/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MACHINE_FILE_MAX (1u << 20)

/* A home or config folder from the environment counts only as an absolute path. */
static const char *absolute_env(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] == '/' ? value : NULL;
}

const char *load_user_path(struct arena *a)
{
	const char *xdg = absolute_env("XDG_CONFIG_HOME"), *home = absolute_env("HOME");

	if (xdg)
		return arena_printf(a, "%s/ward/ward.json5", xdg);
	return home ? arena_printf(a, "%s/.config/ward/ward.json5", home) : "";
}

const char *load_cache_path(struct arena *a)
{
	const char *xdg = absolute_env("XDG_CACHE_HOME"), *home = absolute_env("HOME");

	/* Root takes nobody's word for it: sudo may have kept a user's environment. */
	if (geteuid() == 0)
		return "/var/cache/ward";
	if (xdg)
		return arena_printf(a, "%s/ward", xdg);
	return home ? arena_printf(a, "%s/.cache/ward", home) : NULL;
}

const char *load_state_path(struct arena *a)
{
	const char *xdg = absolute_env("XDG_STATE_HOME"), *home = absolute_env("HOME");

	if (geteuid() == 0)
		return "/var/lib/ward";
	if (xdg)
		return arena_printf(a, "%s/ward", xdg);
	return home ? arena_printf(a, "%s/.local/state/ward", home) : NULL;
}

struct file {
	enum level level;
	const char *path;
	int dirfd;
	bool optional;
};

static int check_origin(const struct file *f, const struct file_info *info, struct err *e)
{
	if (f->level != LEVEL_WORKSPACE)
		return file_check_trusted(info, geteuid(), f->path, e);
	/* Nobody trusted writes it, so it must not make ward read something else. */
	if (info->links > 0) {
		auto_(buf_free) struct buf shown = BUF(200);

		escape_text(&shown, f->path);
		return err_set(e, ELOOP,
			"'%s' is a symbolic link; a workspace's file must be a plain file",
			buf_text(&shown));
	}
	return 0;
}

/* Nothing has that name. A link that leads nowhere is something: somebody meant a file. */
static bool is_absent(const struct file *f)
{
	struct stat st;

	return fstatat(f->dirfd, f->path, &st, AT_SYMLINK_NOFOLLOW) < 0 &&
	       (errno == ENOENT || errno == ENOTDIR);
}

static int fail_size(const struct file *f, struct err *e)
{
	struct source source = {.name = f->path, .level = f->level};
	struct where at = {&source, 1, 1};
	char where[WHERE_TEXT];

	where_text(&at, where);
	return err_set(e, EFBIG, "%s: " TREE_TOO_LARGE, where);
}

static int read_one(
	struct config *c, const struct file *f, const struct config_wish *wish, struct err *e)
{
	auto_free char *data = NULL;
	struct file_info info;
	size_t len;
	int r = file_read(f->dirfd, f->path, TREE_MAX_BYTES, &info, &data, &len, e);

	if ((r == -ENOENT || r == -ENOTDIR) && f->optional && is_absent(f))
		return 0;
	if (r == -EFBIG)
		return fail_size(f, e);
	if (r == 0)
		r = check_origin(f, &info, e);
	return r < 0 ? r : config_read(c, f->level, f->path, data, len, wish, e);
}

/* The folder whose .ward.json5 counts: workspacePath where somebody wrote it, else the current one.
 */
static int read_workspace(struct config *c, const struct config_wish *wish, struct err *e)
{
	struct arena scratch = {0};
	struct settings s;
	struct file f = {LEVEL_WORKSPACE, LOAD_WORKSPACE_FILE, AT_FDCWD, true};
	int r = resolve_up_to(c, wish->agent, LEVEL_CALLER, &scratch, &s, e);

	if (r == 0 && s.sandbox.workspace_path.at.source)
		f.path = arena_printf(
			&c->arena, "%s/%s", s.sandbox.workspace_path.v, LOAD_WORKSPACE_FILE);
	arena_free(&scratch);
	return r < 0 ? r : read_one(c, &f, wish, e);
}

/* Where ward keeps its own files: a sandbox that could write there would be its own judge. */
static int set_folders(struct config *c, struct err *e)
{
	const char *home = absolute_env("HOME"), *state = absolute_env("XDG_STATE_HOME");
	const char *conf = absolute_env("XDG_CONFIG_HOME");
	const char *cache = load_cache_path(&c->arena);
	size_t n = 0;

	/* A home that is cut would leave the real one without its protection. */
	if (home && strlen(home) >= sizeof c->home)
		return err_set(
			e, ENAMETOOLONG, "HOME is longer than %zu bytes", sizeof c->home - 1);
	snprintf(c->home, sizeof c->home, "%s", home ? home : "");
	c->own[n++] = "/etc/ward";
	c->own[n++] = "/var/lib/ward";
	if (state)
		c->own[n++] = arena_printf(&c->arena, "%s/ward", state);
	else if (home)
		c->own[n++] = arena_printf(&c->arena, "%s/.local/state/ward", home);
	c->own[n++] = place_path(&c->arena);
	if (conf)
		c->own[n++] = arena_printf(&c->arena, "%s/ward", conf);
	else if (home)
		c->own[n++] = arena_printf(&c->arena, "%s/.config/ward", home);
	if (cache)
		c->own[n++] = cache;
	return 0;
}

/* One that somebody has named, by its own name too. */
static void add_audit_folder(struct config *c)
{
	auto_(arena_free) struct arena scratch = {0};
	auto_free char *whole = NULL;
	struct audit audit;
	size_t n = 0;

	audit_resolve(c, &scratch, &audit);
	if (!audit.path.v)
		return;
	while (c->own[n])
		n++;
	c->own[n++] = audit.path.v;
	whole = realpath(audit.path.v, NULL);
	if (whole)
		c->own[n] = arena_text(&c->arena, whole, strlen(whole));
}

int load_config(const struct load_request *q, struct config *ret, struct err *e)
{
	struct file system = {LEVEL_SYSTEM, LOAD_SYSTEM_FILE, AT_FDCWD, true};
	struct file user = {LEVEL_USER, q->config, AT_FDCWD, false};
	int r;

	if (q->config && !q->config[0])
		return err_set(e, EINVAL, "--config '': the name of a file is needed");
	r = set_folders(ret, e);
	if (!q->config) {
		user.path = load_user_path(&ret->arena);
		user.optional = true;
	}
	if (r == 0)
		r = read_one(ret, &system, &q->wish, e);
	if (r == 0 && user.path[0])
		r = read_one(ret, &user, &q->wish, e);
	for (size_t i = 0; r == 0 && q->sets && i < q->sets->count; i++)
		r = config_set(ret, q->sets->items[i].text, &q->wish, e);
	if (r == 0)
		r = read_workspace(ret, &q->wish, e);
	if (r == 0)
		r = config_check(ret, e);
	if (r == 0)
		add_audit_folder(ret);
	/* What was said of files that need not be there is no error. */
	if (r == 0 && e)
		*e = (struct err){0};
	return r;
}

int load_machine(const char *path, struct machine *ret, struct err *e)
{
	auto_free char *data = NULL;
	size_t len = 0;
	int r = file_read(AT_FDCWD, path, MACHINE_FILE_MAX, NULL, &data, &len, e);

	return r < 0 ? r : machine_json_read(path, data, len, ret, e);
}
