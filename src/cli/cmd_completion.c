/* SPDX-License-Identifier: Apache-2.0 */

/* ward completion: scripts for bash, zsh and fish, made from the tables of commands and options. */

#include "base/str.h"
#include "cli/cli.h"
#include "json/import.h"
#include "model/catalogue.h"

#include <errno.h>
#include <string.h>

/* The first words of all commands, each once. */
static void first_words(struct buf *out)
{
	for (size_t i = 0; commands[i]; i++) {
		size_t len = strcspn(commands[i]->name, " ");
		const char *before = i > 0 ? commands[i - 1]->name : "";

		if (strcspn(before, " ") == len && strncmp(commands[i]->name, before, len) == 0)
			continue;
		buf_add(out, commands[i]->name, len);
		buf_putc(out, ' ');
	}
}

static void words_of_options(struct buf *out, const struct command *command)
{
	for (const struct field *f = command->options; f && f->name; f++)
		buf_printf(out, "--%s ", f->name);
	buf_puts(out, "--help");
}

static void words_of_tools(struct buf *out)
{
	for (const struct tool *t = catalogue_tools; t->name; t++)
		buf_printf(out, "%s ", t->name);
}

/* What may stand behind an option, by its name; other values are left to the user. */
static void write_bash_values(struct buf *out)
{
	buf_puts(out, "\tcase $prev in\n"
		      "\t--config | --machine) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); "
		      "return ;;\n"
		      "\t--tool) words='");
	words_of_tools(out);
	buf_puts(out, "' ;;\n\t--from) words='");
	for (size_t i = 0; import_systems[i]; i++)
		buf_printf(out, "%s ", import_systems[i]);
	buf_puts(out, "' ;;\n\t--session | --agent | --set | --reach | --command | -c) return "
		      ";;\n\tesac\n");
	buf_puts(out, "\tif [ -n \"$words\" ]; then\n"
		      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
		      "\t\treturn\n\tfi\n");
}

/* What may stand in place of an argument. */
static void words_of_arguments(struct buf *out, const struct command *command)
{
	if (command == &cmd_tools_check)
		words_of_tools(out);
	else if (command == &cmd_completion)
		buf_puts(out, "bash zsh fish ");
	else if (command == &cmd_mcp)
		buf_puts(out, "config ");
	else if (command == &cmd_mcp_config)
		buf_puts(out, "claude codex cursor vscode openclaw ");
	else if (command == &cmd_help)
		first_words(out);
}

static void write_bash(struct buf *out)
{
	buf_puts(out,
		"# ward: completion for bash\n"
		"_ward()\n{\n"
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
		"\tlocal word\n"
		"\tfor word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
		"\t\t[ \"$word\" != -- ] || return\n\tdone\n");
	write_bash_values(out);
	buf_puts(out, "\tcase \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n");
	for (size_t i = 0; commands[i]; i++) {
		bool two = strchr(commands[i]->name, ' ') != NULL;

		buf_printf(out, "\t'%s'%s) words='", commands[i]->name, two ? "" : "' '*");
		words_of_arguments(out, commands[i]);
		words_of_options(out, commands[i]);
		buf_puts(out, "' ;;\n");
	}
	for (size_t i = 0; commands[i]; i++) {
		size_t len = strcspn(commands[i]->name, " ");

		if (!commands[i]->name[len] ||
			(i > 0 && strncmp(commands[i]->name, commands[i - 1]->name, len + 1) == 0))
			continue;
		buf_printf(out, "\t'%.*s '*) words='", (int)len, commands[i]->name);
		for (size_t k = i;
			commands[k] && strncmp(commands[k]->name, commands[i]->name, len + 1) == 0;
			k++)
			buf_printf(out, "%s ", commands[k]->name + len + 1);
		buf_puts(out, "' ;;\n");
	}
	buf_puts(out, "\tesac\n\t[ \"$COMP_CWORD\" = 1 ] && words='");
	first_words(out);
	buf_puts(out, "--help --version'\n"
		      "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\n"
		      "complete -o default -F _ward ward\n");
}

/* In single quotes of fish and zsh. */
static void put_quoted(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			buf_puts(out, *text == '\'' ? "'\\'" : "");
		buf_putc(out, *text);
	}
}

static void write_zsh(struct buf *out)
{
	buf_puts(out, "#compdef ward\n"
		      "# ward: completion for zsh\n"
		      "_ward()\n{\n\tlocal -a entries\n\tcase \"$words[2] $words[3]\" in\n");
	for (size_t i = 0; commands[i]; i++) {
		bool two = strchr(commands[i]->name, ' ') != NULL;

		buf_printf(out, "\t'%s'%s) entries=(", commands[i]->name, two ? "" : "' '*");
		for (const struct field *f = commands[i]->options; f && f->name; f++) {
			buf_printf(out, "'--%s:", f->name);
			put_quoted(out, f->help);
			buf_puts(out, "' ");
		}
		buf_puts(out, "'--help:show help') ;;\n");
	}
	buf_puts(out, "\t*) entries=(");
	for (size_t i = 0; commands[i]; i++) {
		const char *space = strchr(commands[i]->name, ' ');

		buf_printf(out, "'%s:", space ? space + 1 : commands[i]->name);
		put_quoted(out, commands[i]->summary);
		buf_puts(out, "' ");
		if (space && (i == 0 || strncmp(commands[i]->name, commands[i - 1]->name,
						(size_t)(space - commands[i]->name) + 1) != 0))
			buf_printf(out, "'%.*s:commands' ", (int)(space - commands[i]->name),
				commands[i]->name);
	}
	buf_puts(out, ") ;;\n\tesac\n\t_describe ward entries\n\t_files\n}\n_ward \"$@\"\n");
}

static void fish_command(struct buf *out, const struct command *command)
{
	const char *space = strchr(command->name, ' ');
	int len = (int)strcspn(command->name, " ");

	if (space) {
		buf_printf(out, "complete -c ward -f -n '__fish_use_subcommand' -a %.*s\n", len,
			command->name);
		buf_printf(out,
			"complete -c ward -f -n '__fish_seen_subcommand_from %.*s' -a %s -d '", len,
			command->name, space + 1);
	} else {
		buf_printf(out, "complete -c ward -f -n '__fish_use_subcommand' -a %s -d '",
			command->name);
	}
	put_quoted(out, command->summary);
	buf_puts(out, "'\n");
	for (const struct field *f = command->options; f && f->name; f++) {
		buf_printf(out, "complete -c ward -n '__fish_seen_subcommand_from %s' -l %s%s -d '",
			space ? space + 1 : command->name, f->name,
			f->type == FIELD_BOOL ? "" : " -r");
		put_quoted(out, f->help);
		buf_puts(out, "'\n");
	}
}

static void write_fish(struct buf *out)
{
	buf_puts(out, "# ward: completion for fish\n");
	for (size_t i = 0; commands[i]; i++)
		fish_command(out, commands[i]);
}

static const struct {
	const char *shell;
	void (*write)(struct buf *out);
} shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};

static int run(struct call *c, struct err *e)
{
	for (size_t i = 0; c->arg_count == 1 && i < ARRAY_LEN(shells); i++)
		if (str_eq(shells[i].shell, c->args[0])) {
			shells[i].write(c->out);
			return EXIT_OK;
		}
	return err_set(e, EINVAL, "which shell? usage: ward completion bash|zsh|fish");
}

const struct command cmd_completion = {
	.name = "completion",
	.summary = "completion script for bash, zsh or fish",
	.args = "bash|zsh|fish",
	.max_args = 1,
	.examples = "  ward completion bash > ~/.local/share/bash-completion/completions/ward\n",
	.run = run,
};
