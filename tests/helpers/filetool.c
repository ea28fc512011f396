/* SPDX-License-Identifier: Apache-2.0 */

/*
 * filetool [--set KEY=VALUE]... read PATH | write PATH TEXT | edit PATH OLD NEW | list PATH |
 *          race PATH TRIES
 *
 * The file tools on the workspace of the current folder's main session, as an entrance would use
 * them. Prints the file, or what is listed; a failure is "error CODE TEXT" and status 1. race reads
 * and writes the path that many times, and counts: DONE REFUSED; a text other than "inside" ends
 * it.
 */

#include "base/cleanup.h"
#include "base/macro.h"
#include "door/load.h"
#include "door/workspace.h"
#include "files/files_edit.h"
#include "files/files_list.h"
#include "files/files_read.h"
#include "files/files_write.h"
#include "json/config_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct arena arena;
static struct err error;

static int read_file(const struct files *f, char **args)
{
	struct files_data d;
	int r = files_read(f, args[0], NULL, &arena, &d, &error);

	if (r == 0)
		fwrite(d.data, 1, d.len, stdout);
	return r;
}

static int write_file(const struct files *f, char **args)
{
	struct files_text t = {.data = args[1], .len = strlen(args[1]), .parents = true};
	struct files_written done;

	return files_write(f, args[0], &t, &arena, &done, &error);
}

static int edit_file(const struct files *f, char **args)
{
	struct files_edit x = {args[1], args[2], strlen(args[1]), strlen(args[2]), false};
	struct files_edited done;

	return files_edit(f, args[0], &x, &arena, &done, &error);
}

static int list_folder(const struct files *f, char **args)
{
	struct files_listed l;
	int r = files_list(f, args[0], &(struct files_query){.depth = 100}, &arena, &l, &error);

	for (size_t i = 0; r == 0 && i < l.count; i++)
		printf("%s\n", l.entries[i].path);
	return r;
}

static int race(const struct files *f, char **args)
{
	long tries = strtol(args[1], NULL, 10), done = 0, refused = 0;

	for (long i = 0; i < tries; i++) {
		struct arena a = {0};
		struct files_data d = {.data = ""};
		struct files_text t = {.data = "inside", .len = 6};
		struct files_written w;
		int r = i % 2 ? files_write(f, args[0], &t, &a, &w, &error)
			      : files_read(f, args[0], NULL, &a, &d, &error);

		done += r == 0;
		refused += r == -EXDEV;
		if (r == 0 && i % 2 == 0 && strcmp(d.data, "inside") != 0)
			return err_set(&error, ENOTRECOVERABLE, "read '%s'", d.data);
		arena_free(&a);
	}
	printf("%ld %ld\n", done, refused);
	return 0;
}

static const struct {
	const char *name;
	int args;
	int (*run)(const struct files *f, char **args);
} tools[] = {
	{"read", 1, read_file},
	{"write", 2, write_file},
	{"edit", 3, edit_file},
	{"list", 1, list_folder},
	{"race", 2, race},
};

static int use(int argc, char **argv, struct config *config)
{
	static const char *const command[] = {"true", NULL};
	static struct exec_answer answer;
	struct run_request q = {.config = config,
		.argv = command,
		.argc = 1,
		.env = (const char *const *)environ,
		.agent_entrance = true};
	auto_(workspace_close) struct workspace_root w = WORKSPACE_CLOSED;
	int r = exec_plan(&q, true, &arena, &answer, &error);

	if (r == 0)
		r = workspace_open(&q, &answer, &arena, &w, &error);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(tools); i++)
		if (strcmp(tools[i].name, argv[0]) == 0 && argc == tools[i].args + 1)
			return tools[i].run(&w.files, argv + 1);
	return r < 0 ? r : err_set(&error, EINVAL, "no such tool");
}

int main(int argc, char **argv)
{
	static struct config config;
	struct load_request load = {.wish.agent = "main"};
	int r = load_config(&load, &config, &error);

	for (argv++, argc--; r == 0 && argc > 1 && strcmp(argv[0], "--set") == 0;
		argv += 2, argc -= 2)
		r = config_set(&config, argv[1], &load.wish, &error);
	if (r == 0 && argc > 0)
		r = use(argc, argv, &config);
	if (r < 0)
		printf("error %d %s\n", error.code, error.text);
	config_free(&config);
	arena_free(&arena);
	return r < 0;
}
