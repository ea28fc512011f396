/* SPDX-License-Identifier: Apache-2.0 */
#include "door/tool.h"

#include "base/macro.h"
#include "base/str.h"
#include "model/catalogue.h"

#define HOUR_MS 3600000

static const char *const encodings[] = {"utf-8", "base64", NULL};
static const char *const actions[] = {"list", "output", "write", "signal", "wait", NULL};

#define S struct tool_args

static const struct arg exec_arguments[] = {
	{"command", A_TEXT(S, command, .help = "a command line, run by a shell; or give argv")},
	{"argv", A_TEXTS(S, argv, .help = "program and arguments, run without a shell")},
	{"cwd", A_TEXT(S, cwd, .help = "folder to run in; the workspace unless given")},
	{"env", A_MAP(S, env, .help = "environment variables to add, name to value")},
	{"stdin", A_TEXT(S, input, .help = "what the command can read; nothing unless given")},
	{"timeoutMs", A_NUMBER(S, timeout_ms, .min = 1, .max = 24ull * HOUR_MS,
			      .help = "end the command after so many milliseconds; no longer "
				      "than the policy allows")},
	{"background", A_BOOL(S, background,
			       .help = "do not wait: answer with an id for the tool 'process'")},
	{0},
};

static const struct arg process_arguments[] = {
	{"action", A_CHOICE(S, action, actions, .required = true,
			   .help = "what to do: list all, read output, write input, send a "
				   "signal, wait for the end")},
	{"id", A_NUMBER(S, id, .min = 1, .max = INT32_MAX, .help = "which process")},
	{"since", A_NUMBER(S, since, .help = "output: from this byte of all that it wrote")},
	{"data", A_TEXT(S, data, .help = "write: the text")},
	{"end", A_BOOL(S, end, .help = "write: close its input afterwards")},
	{"signal", A_TEXT(S, signal, .help = "signal: TERM unless given; KILL, INT, HUP ...")},
	{"timeoutMs", A_NUMBER(S, timeout_ms, .min = 1, .max = HOUR_MS,
			      .help = "wait: no longer than so many milliseconds")},
	{0},
};

static const struct arg read_arguments[] = {
	{"path", A_TEXT(S, path, .required = true, .help = "the file, in the workspace")},
	{"line", A_NUMBER(S, first, .min = 1, .help = "the first line; 1 unless given")},
	{"lines", A_NUMBER(S, count, .min = 1, .help = "how many lines; all unless given")},
	{"offset", A_NUMBER(S, offset, .help = "in place of lines: the first byte")},
	{"bytes", A_NUMBER(S, bytes, .min = 1, .help = "in place of lines: how many bytes")},
	{"encoding", A_CHOICE(S, encoding, encodings,
			     .help = "of the answer; base64 for what is no text")},
	{0},
};

static const struct arg write_arguments[] = {
	{"path", A_TEXT(S, path, .required = true, .help = "the file, in the workspace")},
	{"content", A_TEXT(S, content, .required = true, .help = "all that it will hold")},
	{"encoding", A_CHOICE(S, encoding, encodings, .help = "of content; utf-8 unless given")},
	{"createOnly", A_BOOL(S, create_only, .help = "fail when the file is there already")},
	{"makeParents", A_BOOL(S, make_parents, .help = "make the folders that are missing")},
	{0},
};

static const struct arg edit_arguments[] = {
	{"path", A_TEXT(S, path, .required = true, .help = "the file, in the workspace")},
	{"oldText", A_TEXT(S, old_text, .required = true,
			    .help = "the text to replace, exactly as it stands there, once")},
	{"newText", A_TEXT(S, new_text, .required = true, .help = "what takes its place")},
	{"all", A_BOOL(S, all, .help = "replace it wherever it stands")},
	{0},
};

static const struct arg patch_arguments[] = {
	{"patch", A_TEXT(S, patch, .required = true,
			  .help = "a unified diff, or the form that begins with *** Begin Patch")},
	{0},
};

static const struct arg list_arguments[] = {
	{"path", A_TEXT(S, path, .help = "the folder; the workspace unless given")},
	{"depth", A_NUMBER(S, depth, .min = 1, .max = 100,
			  .help = "how many levels of folders; 1 unless given")},
	{"names", A_TEXT(S, names, .help = "only names that match, such as *.c")},
	{"limit", A_NUMBER(S, limit, .min = 1, .max = 100000,
			  .help = "entries at most; 1000 unless given")},
	{0},
};

static const struct arg search_arguments[] = {
	{"pattern", A_TEXT(S, pattern, .help = "the text to find; without it, names are listed")},
	{"regex", A_BOOL(S, regex, .help = "pattern is an extended regular expression")},
	{"ignoreCase", A_BOOL(S, ignore_case, .help = "letters in either case match")},
	{"names", A_TEXT(S, names, .help = "only in files whose name matches, such as *.c")},
	{"path", A_TEXT(S, path, .help = "the folder to search; the workspace unless given")},
	{"context", A_NUMBER(S, context, .max = 20, .help = "lines to show around each match")},
	{"limit", A_NUMBER(S, limit, .min = 1, .max = 10000,
			  .help = "matches at most; 200 unless given")},
	{0},
};

static const struct arg no_arguments[] = {{0}};

const struct tool_row tool_rows[] = {
	{"exec", "Run a command",
		"Runs a command in the sandbox of this session and answers with its output and how "
		"it ended. Files and background processes stay for the next call.",
		exec_arguments, TOOL_COMMAND, .destructive = true, .open_world = true},
	{"process", "Background processes",
		"Looks after commands that were started with background: lists them, reads their "
		"output, writes to them, sends signals, waits for them.",
		process_arguments, TOOL_OTHER, .destructive = true, .slow = true,
		.run = tool_process},
	{"read", "Read a file", "Reads a file of the workspace, whole or in part.", read_arguments,
		TOOL_FILES, .read_only = true, .idempotent = true, .run = tool_read},
	{"write", "Write a file",
		"Writes a file of the workspace: as a whole, in one step; what was there is "
		"replaced.",
		write_arguments, TOOL_FILES, .destructive = true, .idempotent = true,
		.run = tool_write},
	{"edit", "Edit a file",
		"Replaces a text in a file of the workspace by another one. The old text must "
		"stand there exactly once, unless all is given.",
		edit_arguments, TOOL_FILES, .destructive = true, .run = tool_edit},
	{"apply_patch", "Apply a patch",
		"Applies a patch to files of the workspace: all of it, or nothing.",
		patch_arguments, TOOL_FILES, .destructive = true, .slow = true, .run = tool_patch},
	{"list", "List a folder", "Lists a folder of the workspace, with sizes and kinds.",
		list_arguments, TOOL_FILES, .read_only = true, .idempotent = true, .slow = true,
		.run = tool_list},
	{"search", "Search files", "Finds texts in files of the workspace, or names of files.",
		search_arguments, TOOL_FILES, .read_only = true, .idempotent = true, .slow = true,
		.run = tool_search},
	{"session_status", "State of the session",
		"Says what this session's sandbox is like: workspace, network, limits, tools, and "
		"whether it runs.",
		no_arguments, TOOL_OTHER, .read_only = true, .idempotent = true,
		.run = tool_status},
	{0},
};

size_t tool_count(void)
{
	return ARRAY_LEN(tool_rows) - 1;
}

size_t tool_find(const char *name)
{
	const char *own = catalogue_resolve(name);
	size_t i = 0;

	while (tool_rows[i].name && !str_eq(tool_rows[i].name, own))
		i++;
	return i;
}

size_t tool_effective(struct door *d, const struct tool_row **ret, size_t most)
{
	size_t count = 0;

	for (size_t i = 0; i < tool_count() && count < most; i++) {
		const struct verdict *v;

		/* What cannot be decided is not offered. */
		if (door_verdict(d, i, &v, NULL) == 0 && v->permission != PERMISSION_DENY)
			ret[count++] = &tool_rows[i];
	}
	return count;
}

void tool_schema(const struct tool_row *t, struct writer *w, const char *key)
{
	args_schema(t->arguments, w, key);
}
