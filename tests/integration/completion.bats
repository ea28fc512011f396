#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The completion scripts, asked as the shells ask them.

bats_require_minimum_version 1.5.0

# complete WORD...: what bash offers for the last word.
complete_words() {
	"$WARD" completion bash >"$BATS_TEST_TMPDIR/script"
	bash -c '
		. "$1"
		shift
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		COMPREPLY=()
		_ward
		printf "%s\n" "${COMPREPLY[@]}"
	' - "$BATS_TEST_TMPDIR/script" "$@"
}

@test "bash: commands, groups, options" {
	run -0 complete_words ward expl
	[ "$output" = explain ]
	run -0 complete_words ward config sch
	[ "$output" = schema ]
	run -0 complete_words ward explain --mach
	[ "$output" = --machine ]
}

@test "bash: every option of every command is offered" {
	while IFS=$'\t' read -r name _; do
		read -ra words <<<"$name"
		for option in $("$WARD" help --options "${words[@]}" | grep '^--'); do
			run -0 complete_words ward "${words[@]}" "$option"
			[[ $'\n'$output$'\n' == *$'\n'"$option"$'\n'* ]] || {
				echo "ward $name does not offer $option: $output"
				return 1
			}
		done
	done < <("$WARD" help --list)
}

@test "bash: values and arguments" {
	run -0 complete_words ward config import --from mon
	[ "$output" = monkey ]
	run -0 complete_words ward explain --tool app
	[ "$output" = apply_patch ]
	run -0 complete_words ward tools check proc
	[ "$output" = process ]
	run -0 complete_words ward completion 'fi'
	[ "$output" = fish ]
	touch "$BATS_TEST_TMPDIR/a file"
	run -0 complete_words ward explain --config "$BATS_TEST_TMPDIR/a f"
	[ "$output" = "$BATS_TEST_TMPDIR/a file" ]
}

@test "bash: behind -- stands somebody else's command" {
	run -0 complete_words ward explain -- --js
	[ "$output" = '' ]
}

@test "zsh and fish scripts name every command" {
	for shell in zsh fish; do
		run -0 "$WARD" completion $shell
		while IFS=$'\t' read -r name _; do
			[[ $output == *"${name##* }"* ]] || return 1
		done < <("$WARD" help --list)
	done
}
