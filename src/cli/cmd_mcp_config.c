/* SPDX-License-Identifier: Apache-2.0 */

/* ward mcp config: what an agent's program must be told to use `ward mcp`. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/show.h"
#include "base/str.h"
#include "cli/cli.h"
#include "json/write.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

struct config_options {
	struct opt_text session, agent, config;
	struct opt_list set;
	struct opt_bool json;
};

static const struct field options[] = {
	OPTION_SESSION(struct config_options),
	OPTION_AGENT(struct config_options),
	OPTION_CONFIG(struct config_options),
	OPTION_SET(struct config_options),
	OPTION_JSON(struct config_options),
	{0},
};

/* Where each client keeps its list of servers. */
static const struct reader {
	const char *name, *title, *file;
	const char *key, *key_inside; /* of the list, and where it is one level deeper */
	bool typed; /* each server says that it speaks over standard input and output */
	bool toml;
} readers[] = {
	{"claude", "Claude Code", ".mcp.json in the project, or ~/.claude.json", "mcpServers", NULL,
		true, false},
	{"codex", "Codex", "~/.codex/config.toml", "mcp_servers", NULL, false, true},
	{"cursor", "Cursor", ".cursor/mcp.json in the project, or ~/.cursor/mcp.json", "mcpServers",
		NULL, false, false},
	{"vscode", "Visual Studio Code", ".vscode/mcp.json in the project", "servers", NULL, true,
		false},
	{"openclaw", "OpenClaw", "~/.openclaw/openclaw.json", "mcp", "servers", false, false},
};

static const struct reader *find_reader(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		if (str_eq(readers[i].name, name))
			return &readers[i];
	return NULL;
}

/* This program, by its path: a client need not have the same PATH. */
static const char *own_path(struct call *c)
{
	char *path = arena_alloc(c->arena, 4096);
	ssize_t n = readlink("/proc/self/exe", path, 4095);

	return n > 0 ? path : "ward";
}

/* The client starts the server in a folder of its own choice. */
static const char *from_anywhere(struct call *c, const char *path)
{
	char cwd[PATH_MAX];

	if (!path || path[0] == '/' || !getcwd(cwd, sizeof cwd))
		return path;
	return arena_printf(c->arena, "%s/%s", cwd, path);
}

/* The words behind the program's name; NULL ends. */
static const char *const *own_words(struct call *c)
{
	const struct config_options *o = c->options;
	const struct {
		const char *name, *value;
	} given[] = {{"--session", o->session.v}, {"--agent", o->agent.v},
		{"--config", from_anywhere(c, o->config.v)}};
	const char **words = arena_array(c->arena, 8 + 2 * o->set.count, sizeof *words);
	size_t n = 0;

	words[n++] = "mcp";
	for (size_t i = 0; i < ARRAY_LEN(given); i++)
		if (given[i].value) {
			words[n++] = given[i].name;
			words[n++] = given[i].value;
		}
	for (size_t i = 0; i < o->set.count; i++) {
		words[n++] = "--set";
		words[n++] = o->set.items[i].text;
	}
	return words;
}

static void write_snippet(struct call *c, const struct reader *to)
{
	struct writer w = WRITER(c->out);

	write_object(&w, NULL);
	write_object(&w, to->key);
	if (to->key_inside)
		write_object(&w, to->key_inside);
	write_object(&w, "ward");
	if (to->typed)
		write_text(&w, "type", "stdio");
	write_text(&w, "command", own_path(c));
	write_texts(&w, "args", own_words(c));
	write_end_object(&w);
	if (to->key_inside)
		write_end_object(&w);
	write_end_object(&w);
	write_end_object(&w);
}

/* A JSON string is a basic string of TOML too. */
static void write_toml(struct call *c, const struct reader *to)
{
	const char *const *words = own_words(c);

	buf_printf(c->out, "[%s.ward]\ncommand = ", to->key);
	show_string(c->out, own_path(c));
	buf_puts(c->out, "\nargs = [");
	for (size_t i = 0; words[i]; i++) {
		buf_puts(c->out, i ? ", " : "");
		show_string(c->out, words[i]);
	}
	buf_puts(c->out, "]\n");
}

static int fail_client(const struct call *c, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(80);

	if (c->arg_count == 0)
		return err_set(e, EINVAL,
			"for which client? as in: ward mcp config claude (codex, cursor, vscode, "
			"openclaw)");
	escape_text(&shown, c->args[0]);
	return err_set(e, EINVAL,
		"no client is known as '%s', only claude, codex, cursor, vscode and openclaw; most "
		"others take what 'ward mcp config claude' prints",
		buf_text(&shown));
}

static int run_config(struct call *c, struct err *e)
{
	const struct config_options *o = c->options;
	const struct reader *to = c->arg_count ? find_reader(c->args[0]) : NULL;

	if (!to)
		return fail_client(c, e);
	if (o->json.v && to->toml)
		return err_set(e, EINVAL, "%s reads TOML; leave --json out", to->title);
	if (!o->json.v)
		buf_printf(c->out, "# %s: add this to %s\n", to->title, to->file);
	if (to->toml)
		write_toml(c, to);
	else
		write_snippet(c, to);
	return EXIT_OK;
}

const struct command cmd_mcp_config = {
	.name = "mcp config",
	.summary = "what an agent's program must be told to use 'ward mcp'",
	.args = "claude|codex|cursor|vscode|openclaw",
	.options = options,
	.options_size = sizeof(struct config_options),
	.max_args = 1,
	.details =
		"Prints the snippet and the file that it belongs in. The options become those of\n"
		"'ward mcp' there. With --json, only the snippet.",
	.examples = "  ward mcp config claude\n"
		    "  ward mcp config codex --session work --set network=limited\n",
	.run = run_config,
};
