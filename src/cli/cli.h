/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The command line. A command is a row: name, one line, options as a field table, a longer text,
 * examples, and the function that carries it out. Help, completion and the check of the man pages
 * go by the same rows. Only this layer prints.
 */

#include "base/buf.h"
#include "base/err.h"
#include "base/field.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

/* Exit statuses, besides those of a command that was run. */
enum exit_status {
	EXIT_OK = 0,
	EXIT_FOUND = 1, /* a check found something */
	EXIT_TIMEOUT = 124,
	EXIT_WARD = 125, /* ward itself failed, or was called wrongly */
	EXIT_DENIED = 126,
	EXIT_NOT_FOUND = 127,
};

struct call {
	const struct command *command;
	const void *options; /* the struct that the command's table describes */
	char **args;         /* what is neither option nor option's value */
	size_t arg_count;
	bool after_dashes; /* the arguments stood behind -- */
	struct arena *arena;
	char *process; /* the memory of this process's arguments, and its length */
	size_t process_len;
	struct buf *out; /* printed when the command is done */
	bool colour;
	bool answered; /* out is to be printed although the command failed */
};

struct command {
	const char *name; /* "explain", "config check" */
	const char *summary;
	const char *args; /* as in the usage line: "[-- COMMAND...]" */
	const struct field *options;
	size_t options_size;
	size_t max_args;      /* SIZE_MAX: any number */
	const char *details;  /* help: what one needs to know, wrapped */
	const char *examples; /* help: one a line, "command  # what it shows" */
	int (*run)(struct call *c, struct err *e); /* exit status, or a negative errno with e */
};

extern const struct command *const commands[]; /* NULL at the end */

/* Options that many commands share. */
#define OPTION_JSON(s)                                        \
	{                                                     \
		"json", F_BOOL(s, json, .help = "print JSON") \
	}
#define OPTION_CONFIG(s)                                                           \
	{                                                                          \
		"config", F_TEXT(s, config, .arg = "FILE",                         \
				  .help = "read FILE in place of the user's file") \
	}
#define OPTION_SET(s)                                                              \
	{                                                                          \
		"set", F_LIST(s, set, .arg = "KEY=VALUE",                          \
			       .help = "set a key for this call; may be repeated") \
	}
/* Short for keys of the network; those that allow and deny are added to what is there. */
#define OPTION_NET(s)                                                                          \
	{                                                                                      \
		"net", F_TEXT(s, net, .arg = "MODE", .help = "network: none, limited or full") \
	}
#define OPTION_ALLOW(s)                                                                         \
	{                                                                                       \
		"allow", F_LIST(s, allow, .arg = "HOST[:PORT]",                                 \
				 .help = "reach it, and nothing but what is listed so; may be " \
					 "repeated")                                            \
	}
#define OPTION_DENY(s)                                                                          \
	{                                                                                       \
		"deny", F_LIST(s, deny, .arg = "HOST[:PORT]",                                   \
				.help = "do not reach it, whatever allows it; may be repeated") \
	}
#define OPTION_PUBLISH(s)                                                                      \
	{                                                                                      \
		"publish", F_LIST(s, publish, .arg = "[ADDR:]PORT:PORT",                       \
				   .help = "a port of this machine that leads to one inside; " \
					   "may be repeated")                                  \
	}
#define OPTION_AGENT(s)                                                                  \
	{                                                                                \
		"agent", F_TEXT(s, agent, .arg = "NAME",                                 \
				 .help = "the agent; 'main' unless the session says it") \
	}
#define OPTION_SESSION(s)                                                                     \
	{                                                                                     \
		"session", F_TEXT(s, session, .arg = "KEY",                                   \
				   .help = "the session, as agent:<agent>:<session> or only " \
					   "<session>")                                       \
	}

/* cli/options.c: argv (behind the command's name) into c->options and c->args. */
int options_parse(struct call *c, char **argv, size_t argc, void *options, struct err *e);

/* cli/help.c */
void help_overview(struct buf *out);
void help_command(struct buf *out, const struct command *command);
const struct command *help_find(const char *name); /* whole name; NULL */
bool help_is_group(const char *word);              /* "config": the first word of some commands */
void help_group(struct buf *out, const char *group);
int help_unknown(const char *word, struct err *e);

/* cli/commands, one file each */
extern const struct command cmd_explain, cmd_tools_list, cmd_tools_check, cmd_tools_call,
	cmd_config_check, cmd_config_show, cmd_config_schema, cmd_config_import, cmd_doctor,
	cmd_completion, cmd_help, cmd_version, cmd_run, cmd_exec, cmd_shell, cmd_process_list,
	cmd_process_output, cmd_process_write, cmd_process_signal, cmd_process_wait, cmd_start,
	cmd_stop, cmd_restart, cmd_recreate, cmd_status, cmd_list, cmd_prune, cmd_verify, cmd_diff,
	cmd_apply, cmd_discard, cmd_snapshot_create, cmd_snapshot_list, cmd_snapshot_restore,
	cmd_snapshot_delete, cmd_fork, cmd_stats, cmd_top, cmd_net_show, cmd_net_allow,
	cmd_net_deny, cmd_mcp, cmd_mcp_config, cmd_wrap, cmd_audit_tail, cmd_audit_query,
	cmd_audit_verify, cmd_audit_anchor, cmd_audit_export, cmd_audit_report, cmd_approvals,
	cmd_approve, cmd_deny, cmd_grants_list, cmd_grants_revoke;
