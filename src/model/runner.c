/* SPDX-License-Identifier: Apache-2.0 */
#include "model/runner.h"

#include "base/str.h"
#include "model/wordlist.h"

#include <string.h>

enum runner_kind {
	RUNNER_NEVER,   /* whatever it is given may be code, or be sent somewhere to run */
	RUNNER_SCRIPT,  /* the first operand is code, everything behind it belongs to that code */
	RUNNER_TARGET,  /* the first operand says what to do, options count anywhere */
	RUNNER_WRAPPER, /* the first operand is a program */
};

/* An option that is in none of the lists makes it unclear which word is the code. */
struct runner {
	const char *programs;
	const char *plain;  /* short options without a value */
	const char *values; /* short options with one */
	const char *module; /* option whose value is the code, as a program of that name */
	const char *script; /* option whose value is the code */
	size_t skip;        /* operands in front of the code */
	enum runner_kind kind;
	bool assign; /* NAME=value may stand in front of the code */
};

static const struct runner runners[] = {
	/* What they are given is code, or leaves for a shell elsewhere. */
	{.programs = "eval exec . source builtin coproc trap", .kind = RUNNER_NEVER},
	{.programs = "ssh slogin autossh mosh telnet rsh rexec", .kind = RUNNER_NEVER},
	{.programs = "xargs parallel watch entr script screen tmux zellij at batch crontab "
		     "systemd-run",
		.kind = RUNNER_NEVER},
	{.programs = "su runuser sg newgrp chroot nsenter unshare setpriv capsh bwrap firejail "
		     "machinectl systemd-nspawn",
		.kind = RUNNER_NEVER},
	{.programs = "gdb lldb rr strace ltrace perf valgrind bpftrace", .kind = RUNNER_NEVER},
	{.programs = "vi vim nvim gvim rvim view rview vimdiff vim.basic vim.tiny ex ed red emacs "
		     "emacsclient nano pico joe micro hx helix kak mcedit less more most pg code",
		.kind = RUNNER_NEVER},
	{.programs = "sqlite sqlite3 mysql mariadb psql duckdb mongo mongosh redis-cli sqlplus",
		.kind = RUNNER_NEVER},
	{.programs = "socat dc m4 ftp lftp mail mailx mutt fzf xdg-open gio dbus-send gdbus busctl",
		.kind = RUNNER_NEVER},
	{.programs = "ansible ipython pdb profile cProfile trace timeit runpy code IPython jshell",
		.kind = RUNNER_NEVER},

	/* interpreters */
	{.programs = "bash sh dash zsh ksh mksh lksh pdksh yash posh ash csh tcsh rbash rksh",
		.kind = RUNNER_SCRIPT,
		.plain = "euxlvnf"},
	{.programs = "fish pwsh nu elvish xonsh osh ysh", .kind = RUNNER_SCRIPT},
	{.programs = "python pypy",
		.kind = RUNNER_SCRIPT,
		.plain = "BEIOPSbdqsuv",
		.values = "WX",
		.module = "-m"},
	{.programs = "perl", .kind = RUNNER_SCRIPT, .plain = "wWTt"},
	{.programs = "ruby jruby lua luajit tclsh wish expect osascript node nodejs Rscript julia "
		     "groovy elixir racket guile tsx ts-node raku",
		.kind = RUNNER_SCRIPT},
	{.programs = "php", .kind = RUNNER_SCRIPT, .plain = "nq"},
	{.programs = "java", .kind = RUNNER_SCRIPT, .script = "-jar"},
	{.programs = "awk gawk mawk nawk original-awk", .kind = RUNNER_SCRIPT, .values = "Fv"},
	{.programs = "npx pnpx", .kind = RUNNER_SCRIPT, .plain = "yq"},
	{.programs = "bunx uvx", .kind = RUNNER_SCRIPT},
	{.programs = "deno bun pipx", .kind = RUNNER_SCRIPT, .skip = 1},

	/* builders and editors of streams: the first operand is fixed, options are looked at */
	{.programs = "make gmake bmake ninja samu",
		.kind = RUNNER_TARGET,
		.plain = "0123456789Bijknqrsvw",
		.values = "Cflo"},
	{.programs = "just rake task ant scons invoke fab gradle gradlew mvn mvnw sbt lein",
		.kind = RUNNER_TARGET},
	{.programs = "ansible-playbook", .kind = RUNNER_TARGET, .values = "i"},
	{.programs = "docker-compose podman-compose", .kind = RUNNER_TARGET, .values = "fp"},
	{.programs = "composer pre-commit pm2 heroku vagrant cdk flatpak op doppler vault tox nox "
		     "buildah",
		.kind = RUNNER_TARGET},
	/* any name that is no command of theirs is a script of the project */
	{.programs = "yarn pnpm", .kind = RUNNER_TARGET},
	{.programs = "sed gsed", .kind = RUNNER_TARGET, .plain = "nErsuz"},

	/* programs in front of programs */
	{.programs = "env", .kind = RUNNER_WRAPPER, .plain = "0iv", .values = "Cu", .assign = true},
	{.programs = "sudo",
		.kind = RUNNER_WRAPPER,
		.plain = "EHPSbkn",
		.values = "CDRTgprtu",
		.assign = true},
	{.programs = "doas", .kind = RUNNER_WRAPPER, .plain = "n", .values = "u"},
	{.programs = "pkexec nohup command corepack busybox toybox chronic unbuffer torsocks "
		     "torify fakeroot",
		.kind = RUNNER_WRAPPER},
	{.programs = "nice", .kind = RUNNER_WRAPPER, .plain = "0123456789", .values = "n"},
	{.programs = "setsid", .kind = RUNNER_WRAPPER, .plain = "cfw"},
	{.programs = "time", .kind = RUNNER_WRAPPER, .plain = "pv"},
	{.programs = "timeout", .kind = RUNNER_WRAPPER, .plain = "v", .values = "ks", .skip = 1},
	{.programs = "stdbuf", .kind = RUNNER_WRAPPER, .values = "eio"},
	{.programs = "ionice", .kind = RUNNER_WRAPPER, .plain = "t", .values = "cn"},
	{.programs = "taskset", .kind = RUNNER_WRAPPER, .plain = "c", .skip = 1},
	{.programs = "chrt", .kind = RUNNER_WRAPPER, .skip = 1},
	{.programs = "flock",
		.kind = RUNNER_WRAPPER,
		.plain = "eFnosux",
		.values = "Ew",
		.skip = 1},
	{0},
};

static const char why_never[] =
	"the program runs what it is given, so every word of it has to be written out";
static const char why_unnamed[] =
	"the program runs other programs or code, so what it runs has to be written out";
static const char why_unclear[] =
	"the program runs other programs or code, and it is unclear which word says what";

static const struct runner *find_row(const char *program)
{
	for (int versioned = 0; versioned < 2; versioned++)
		for (const struct runner *r = runners; r->programs; r++)
			if (wordlist_names(r->programs, program, versioned))
				return r;
	return NULL;
}

bool runner_is(const char *program)
{
	return find_row(program) != NULL;
}

/* Words that an option of a runner takes: 1 or 2, 0 when the option is not known. */
static size_t runner_option(const struct runner *r, const char *word)
{
	if (word[1] == '\0') /* standard input */
		return 0;
	for (const char *p = word + 1; *p; p++) {
		if (r->values && strchr(r->values, *p))
			return p[1] ? 1 : 2;
		if (!r->plain || !strchr(r->plain, *p))
			return 0;
	}
	return 1;
}

/* Index of the word that says what the runner at `index` runs. */
static const char *find_code(
	const struct runner *r, char *const *argv, size_t index, size_t fixed, size_t *ret_code)
{
	size_t k = index + 1;

	while (k < fixed && argv[k][0] == '-') {
		size_t step = runner_option(r, argv[k]);
		bool last = str_eq(argv[k], "--") || (r->script && str_eq(argv[k], r->script)) ||
			    (r->module && str_eq(argv[k], r->module));

		if (!last && step == 0)
			return why_unclear;
		k += last ? 1 : step;
		if (last)
			break;
	}
	while (r->assign && k < fixed && strchr(argv[k], '='))
		k++;
	k += r->skip;
	if (k >= fixed)
		return why_unnamed;
	if (argv[k][0] == '-' || argv[k][0] == '\0')
		return why_unclear;
	*ret_code = k;
	return NULL;
}

/* Is what it runs no program that can be looked at? */
static bool ends_here(const struct runner *r, char *const *argv, size_t code)
{
	if (r->kind == RUNNER_SCRIPT)
		return !r->module || !str_eq(argv[code - 1], r->module);
	return r->kind == RUNNER_TARGET;
}

const char *runner_find(char *const *argv, size_t fixed, size_t *ret_program, bool *ret_script)
{
	for (size_t i = 0; i < fixed;) {
		const struct runner *r = find_row(argv[i]);
		const char *why;
		size_t code = 0;

		if (r && r->kind == RUNNER_NEVER)
			return why_never;
		why = r ? find_code(r, argv, i, fixed, &code) : NULL;
		if (why)
			return why;
		if (!r || ends_here(r, argv, code)) {
			*ret_program = i;
			*ret_script = r && r->kind == RUNNER_SCRIPT;
			return NULL;
		}
		i = code;
	}
	return why_unnamed;
}
