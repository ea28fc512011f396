/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The facts behind argrisk.h: which words of which program are risky. Constant; read by argrisk.c
 * only. Lists are texts with blanks between their items.
 */

#include <stdbool.h>
#include <stddef.h>

/* What a risky word does. */
enum argrisk_effect {
	ARGRISK_RUNS,   /* runs other code */
	ARGRISK_CONFIG, /* takes settings, sources, identity or target from elsewhere */
	ARGRISK_FILES,  /* reads or writes files of any name */
	ARGRISK_RIGHTS, /* gives what it starts more of the host */
	ARGRISK_EFFECTS
};

/*
 * One program. Items of a risk list:
 *
 * - `--name` is a long option, whole, cut short or with =value; `--name=` may also have the next
 *   word as its value.
 * - `-x` is a short option, alone or in a bundle; `-x:` takes a value, attached or as the next
 *   word; `-x@` is one only with an attached value that begins with @.
 * - `-name` is a long option with one dash or two, never cut short; `-name=` takes a value.
 * - `text*` is a word that begins with the text; `*text` ends with it, `*text*` contains it. Case
 *   counts only behind a dash.
 * - `name` is a subcommand; each = behind it is an operand that has to be written out with it.
 * - `sub>item` is meant only with that subcommand, `>item` only in front of any.
 */
struct argrisk_row {
	const char *programs;
	union {
		const char *risk[ARGRISK_EFFECTS];
		struct {
			const char *runs, *config, *files,
				*rights; /* in the order of the effects */
		};
	};
	const char *values; /* letters, [sub>]abc: harmless short options with a value */
	const char *flags;  /* harmless options without a value, in front of a subcommand */
	const char *fine;   /* harmless words that would otherwise be taken for one cut short */
	bool cut;           /* subcommands and options with one dash may be cut short */
	bool dashes;        /* long options may have any number of dashes */
	bool bare;          /* the first word is a bundle even without a dash */
	bool assign;        /* NAME=value sets a variable */
};

extern const struct argrisk_row argrisk_rows[];   /* ends with an empty row */
extern const struct argrisk_row argrisk_rows_any; /* risky for every program */
