/* SPDX-License-Identifier: Apache-2.0 */
#include "model/catalogue.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/glob.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

const struct tool catalogue_tools[] = {
	{"exec", TOOL_WARD, "run a command"},
	{"process", TOOL_WARD, "look after background commands"},
	{"read", TOOL_WARD, "read a file"},
	{"write", TOOL_WARD, "write a file"},
	{"edit", TOOL_WARD, "replace text in a file"},
	{"apply_patch", TOOL_WARD, "apply a patch to files"},
	{"list", TOOL_WARD, "list a folder"},
	{"search", TOOL_WARD, "search names and contents"},
	{"session_status", TOOL_WARD, "state of the session and its sandbox"},
	{"image", TOOL_FRAMEWORK, "look at a picture"},
	{"tts", TOOL_FRAMEWORK, "speak a text"},
	{"browser", TOOL_FRAMEWORK, "drive a browser"},
	{"canvas", TOOL_FRAMEWORK, "draw on a shared canvas"},
	{"nodes", TOOL_FRAMEWORK, "use paired devices"},
	{"cron", TOOL_FRAMEWORK, "schedule work"},
	{"gateway", TOOL_FRAMEWORK, "change the gateway itself"},
	{"message", TOOL_FRAMEWORK, "send a message"},
	{"web_search", TOOL_FRAMEWORK, "search the web"},
	{"web_fetch", TOOL_FRAMEWORK, "fetch a page"},
	{"sessions_list", TOOL_FRAMEWORK, "list sessions"},
	{"sessions_history", TOOL_FRAMEWORK, "read another session"},
	{"sessions_send", TOOL_FRAMEWORK, "write to another session"},
	{"sessions_spawn", TOOL_FRAMEWORK, "start another session"},
	{0},
};

static const struct {
	const char *alias;
	const char *tool;
} aliases[] = {
	{"bash", "exec"},
	{"shell", "exec"},
	{"read_file", "read"},
	{"write_file", "write"},
	{"edit_file", "edit"},
	{"list_directory", "list"},
	{"apply-patch", "apply_patch"},
};

#define LIST(...)                 \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

const struct tool_list catalogue_groups[] = {
	{"fs", LIST("read", "write", "edit", "apply_patch", "list", "search")},
	{"runtime", LIST("exec", "process")},
	{"automation", LIST("cron", "gateway", "sessions_spawn", "sessions_send")},
	{"browser", LIST("browser")},
	{"network", LIST("web_fetch", "web_search")},
	{"media", LIST("image", "tts")},
	{"messaging", LIST("message")},
	{"sessions", LIST("sessions_list", "sessions_history", "sessions_send", "sessions_spawn",
			     "session_status")},
	{0},
};

const struct tool_list catalogue_profiles[] = {
	{"full", LIST("*")},
	{"coding", LIST("group:fs", "group:runtime", "browser", "image", "session_status")},
	{"messaging", LIST("message", "web_search", "web_fetch")},
	{"minimal", LIST("web_search")},
	{"readonly", LIST("read", "image", "session_status")},
	{0},
};

size_t catalogue_count(void)
{
	return ARRAY_LEN(catalogue_tools) - 1;
}

const struct tool *catalogue_find(const char *name)
{
	for (const struct tool *t = catalogue_tools; t->name; t++)
		if (strcmp(t->name, name) == 0)
			return t;
	return NULL;
}

const char *catalogue_resolve(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		if (strcmp(aliases[i].alias, name) == 0)
			return aliases[i].tool;
	return name;
}

const char *catalogue_alias(const char *tool, size_t i)
{
	for (size_t k = 0; k < ARRAY_LEN(aliases); k++)
		if (strcmp(aliases[k].tool, tool) == 0 && i-- == 0)
			return aliases[k].alias;
	return NULL;
}

static const char *const *find_list(const struct tool_list *lists, const char *name)
{
	for (; lists->name; lists++)
		if (strcmp(lists->name, name) == 0)
			return lists->tools;
	return NULL;
}

const char *catalogue_group_of(const char *item)
{
	static const char prefix[] = "group:";

	return str_starts(item, prefix) ? item + strlen(prefix) : NULL;
}

const char *const *catalogue_group(const char *name)
{
	return find_list(catalogue_groups, name);
}

const char *const *catalogue_profile(const char *name)
{
	return find_list(catalogue_profiles, name);
}

static const char *known_name(size_t i, const void *ctx)
{
	size_t tools = catalogue_count();

	(void)ctx;
	if (i < tools)
		return catalogue_tools[i].name;
	return i - tools < ARRAY_LEN(aliases) ? aliases[i - tools].alias : NULL;
}

const char *catalogue_nearest(const char *name)
{
	return str_nearest(name, known_name, NULL);
}

bool catalogue_is_name(const char *text)
{
	size_t len = strlen(text);

	if (len == 0 || len > 128 || !(isalpha((unsigned char)*text) || *text == '_'))
		return false;
	for (const char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_.-", *p))
			return false;
	return true;
}

static int bad_name(const char *text, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(160);

	escape_text(&shown, text);
	return err_set(e, EINVAL,
		"'%s' is not the name of a tool (letters, digits, '_', '.', '-'), group:<name> or "
		"a glob",
		buf_text(&shown));
}

static bool is_glob(const char *text)
{
	for (const char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_.-*?", *p))
			return false;
	return *text && strlen(text) <= 128;
}

int catalogue_check_pattern(const char *text, struct err *e)
{
	const char *group = catalogue_group_of(text), *near;

	if (group)
		return str_is_name(group) ? 0 : bad_name(text, e);
	if (glob_has_magic(text))
		return is_glob(text) ? 0 : bad_name(text, e);
	if (!catalogue_is_name(text))
		return bad_name(text, e);
	if (catalogue_find(catalogue_resolve(text)))
		return 0;
	/* Frameworks have tools of their own: a name like 'skill' is no slip of 'shell'. */
	near = catalogue_nearest(text);
	if (near && (str_is_slip(text, near) || strcasecmp(text, near) == 0))
		return err_set(e, EINVAL, "no tool is called '%s'; did you mean '%s'?", text, near);
	return 0;
}
