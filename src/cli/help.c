/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What else may stand in the place of a command. */
static const char *const other_words[] = {"config", "tools", "--help", "--version", NULL};

static const char *command_name(size_t i, const void *ctx)
{
	size_t count = 0;

	(void)ctx;
	while (commands[count])
		count++;
	return i < count ? commands[i]->name : other_words[i - count];
}

const struct command *help_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (str_eq(commands[i]->name, name))
			return commands[i];
	return NULL;
}

/* Commands that the design has and this version has not. */
static const char *const later[] = {"image", NULL};

int help_unknown(const char *word, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(100);
	const char *near = str_nearest(word, command_name, NULL);

	escape_text(&shown, word);
	if (str_in(word, later))
		return err_set(e, ENOSYS,
			"'ward %s' is not yet supported: this version decides, explains and runs "
			"commands ('ward run', 'ward exec')",
			word);
	if (near)
		return err_set(e, EINVAL, "unknown command '%s'; did you mean 'ward %s'?",
			buf_text(&shown), near);
	return err_set(e, EINVAL, "unknown command '%s'; 'ward help' lists the commands",
		buf_text(&shown));
}

bool help_is_group(const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; commands[i]; i++)
		if (strncmp(commands[i]->name, word, len) == 0 && commands[i]->name[len] == ' ')
			return true;
	return false;
}

/* "ward config" and "ward config --help": the commands of that group. */
void help_group(struct buf *out, const char *group)
{
	size_t len = strlen(group);

	buf_printf(out, "Usage: ward %s COMMAND\n\nCommands:\n", group);
	for (size_t i = 0; commands[i]; i++)
		if (strncmp(commands[i]->name, group, len) == 0 && commands[i]->name[len] == ' ')
			buf_printf(out, "  %-15s %s\n", commands[i]->name, commands[i]->summary);
}

void help_overview(struct buf *out)
{
	buf_puts(out, "ward " WARD_VERSION ": runs what AI agents may run, in sandboxes\n\n"
		      "Usage: ward COMMAND [OPTIONS] [ARGUMENTS]\n\nCommands:\n");
	for (size_t i = 0; commands[i]; i++)
		buf_printf(out, "  %-15s %s\n", commands[i]->name, commands[i]->summary);
	buf_puts(out, "\n'ward COMMAND --help' explains a command; the manual is ward(1).\n");
}

static void help_options(struct buf *out, const struct command *command)
{
	buf_puts(out, "\nOptions:\n");
	for (const struct field *f = command->options; f && f->name; f++) {
		char left[64];

		snprintf(left, sizeof left, "%c%c%s--%s%s%s", f->letter ? '-' : ' ',
			f->letter ? f->letter : ' ', f->letter ? ", " : "  ", f->name,
			f->arg ? " " : "", f->arg ? f->arg : "");
		buf_printf(out, "  %-28s %s\n", left, f->help);
	}
	buf_puts(out, "      --help                   show this\n");
}

void help_command(struct buf *out, const struct command *command)
{
	buf_printf(out, "ward %s: %s\n\nUsage: ward %s [OPTIONS]%s%s\n", command->name,
		command->summary, command->name, command->args ? " " : "",
		command->args ? command->args : "");
	if (command->details)
		buf_printf(out, "\n%s\n", command->details);
	help_options(out, command);
	if (command->examples)
		buf_printf(out, "\nExamples:\n%s", command->examples);
}
