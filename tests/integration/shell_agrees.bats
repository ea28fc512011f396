#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What ward accepts as one simple command is exactly what real shells would have run: the same words, nothing else.
# HELPERS is the folder with shellwords; without it the program is built from the tree.

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	export SHELLWORDS=${HELPERS:+$HELPERS/shellwords}
	if [ -z "$SHELLWORDS" ]; then
		local top=$BATS_TEST_DIRNAME/../..
		SHELLWORDS=$BATS_FILE_TMPDIR/shellwords
		"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -I"$top/src" -o "$SHELLWORDS" \
			"$top"/tests/helpers/shellwords.c "$top"/src/model/shell.c \
			"$top"/src/base/{buf,err,mem,str,utf8}.c || return 1
	fi
	"$SHELLWORDS" --generate 20240611 120000 >candidates
	"$SHELLWORDS" --accepted <candidates >accepted
	"$SHELLWORDS" --words <candidates >words
	# Those that begin with a plain word, which can be made a command of that name.
	grep -nE '^[a-z]+( |$)' accepted | cut -d: -f1 >plain
	awk 'FNR == NR { wanted[$1]; next } FNR in wanted' plain accepted >plain.accepted
	awk 'FNR == NR { wanted[$1]; next } FNR in wanted' plain words >plain.words
	# Files that a pattern could match; no text may change them.
	mkdir bin folder
	touch folder/a folder/d folder/aa
	find folder -printf "%p %s\n" | sort >listing
}

# A command that prints its arguments so that no two lists look the same; no word holds \001.
# shellcheck disable=SC2016
dump='dump() { printf %s "$#"; [ $# = 0 ] || printf "\001%s" "$@"; echo; }'

# run_script SHELL: runs standard input with no program in reach.
run_script() {
	cat >script
	(cd folder && env -i PATH=/nonexistent HOME=/nowhere LANG=C.UTF-8 "$(command -v "$1")" ../script)
}

have() { # SHELL
	command -v "$1" >/dev/null || skip "$1 is not installed"
}

as_arguments() { # SHELL
	have "$1"
	cd "$BATS_FILE_TMPDIR" || return 1
	{ echo "$dump" && sed 's/^/dump /' accepted; } | run_script "$1" >got 2>errors
	cmp words got
	[ ! -s errors ]
	find folder -printf "%p %s\n" | sort | cmp listing -
}

as_command() { # SHELL
	have "$1"
	cd "$BATS_FILE_TMPDIR" || return 1
	{
		echo "$dump"
		grep -oE '^[a-z]+' plain.accepted | sort -u | sed 's/.*/&() { dump & "$@"; }/'
		cat plain.accepted
	} | run_script "$1" >got 2>errors
	cmp plain.words got
	[ ! -s errors ]
	find folder -printf "%p %s\n" | sort | cmp listing -
}

as_program() { # SHELL: each text in a shell of its own, with a real program
	local shell text
	have "$1"
	cd "$BATS_FILE_TMPDIR" || return 1
	shell=$(command -v "$1")
	printf '#!%s\n%s\ndump "$@"\n' "$(command -v sh)" "$dump" >bin/dump
	chmod +x bin/dump
	awk 'FNR % 150 == 1' accepted >some
	awk 'FNR % 150 == 1' words >some.words
	while IFS= read -r text; do
		(cd folder && env -i PATH="$BATS_FILE_TMPDIR/bin" HOME=/nowhere "$shell" -c "dump $text") ||
			return 1
	done <some >got 2>errors
	cmp some.words got
	[ ! -s errors ]
	find folder -printf "%p %s\n" | sort | cmp listing -
}

@test "enough random texts are accepted, and enough are not" {
	cd "$BATS_FILE_TMPDIR" || return 1
	accepted=$(wc -l <accepted)
	echo "accepted $accepted of $(tr -cd '\0' <candidates | wc -c)"
	[ "$accepted" -gt 500 ]
	[ "$accepted" -lt 100000 ]
	[ "$(wc -l <words)" -eq "$accepted" ]
	[ "$(wc -l <plain.words)" -gt 500 ]
}

@test "bash makes the same words of every accepted text" {
	as_arguments bash
}

@test "dash makes the same words of every accepted text" {
	as_arguments dash
}

@test "bash runs the same command" {
	as_command bash
}

@test "dash runs the same command" {
	as_command dash
}

@test "a program started by bash gets the same arguments" {
	as_program bash
}

@test "a program started by dash gets the same arguments" {
	as_program dash
}

@test "the comparison sees a difference" {
	cd "$BATS_FILE_TMPDIR" || return 1
	printf '%s\n' 'a b' 'a #b' >differ
	printf '2\001a\001b\n2\001a\001#b\n' >differ.words
	{ echo "$dump" && sed 's/^/dump /' differ; } | run_script bash >got
	[ "$(wc -l <got)" -eq 2 ]
	run cmp differ.words got
	[ "$status" -ne 0 ]
}
