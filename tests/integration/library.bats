#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# libward, in a program that uses it (tests/helpers/libtest.c): linked with the shared library, with the static one, with
# ward's own C library, and with its sources under sanitizers, which also look for memory that is left.
# shellcheck disable=SC2030,SC2031 # each test is a process of its own
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
many_sandboxes

teardown() {
	cd "$BATS_TEST_TMPDIR/w" || return
	for session in main a b; do
		"$WARD" stop --force --session "$session" 2>/dev/null || true
	done
}

# scenario NAME SETTING...
scenario() {
	run timeout -k 5 100 "$HELPERS/libtest-asan" "$@"
	echo "$output"
	[ "$status" = 0 ] && [ "$output" = ok ]
}

# entrances WORD: which ones the records that have it name
entrances() {
	"$WARD" audit query --json --text "$1" >"$RESULT"
	"$python" -c 'import json, sys
print(*sorted({r["begin"]["entrance"] for r in json.load(open(sys.argv[1])) if r.get("begin") and r["begin"]["event"] != "approval"}))' "$RESULT"
}

@test "commands: arguments, environment, input, folder, signals, time, bytes" {
	scenario exec
}

@test "the same with the shared library, the static one, and ward's own C library" {
	for program in libtest libtest-static libtest-here; do
		run -0 timeout -k 5 100 "$HELPERS/$program" exec
		[ "$output" = ok ]
		rmdir sub
	done
}

@test "output comes while the command runs" {
	scenario stream
}

@test "many calls at once, without waiting" {
	scenario async
}

@test "a call that is cancelled ends its command, and so does closing" {
	WORD=1000.$(a_word | tr -d .)
	export WORD
	scenario cancel
	gone "$WORD"
}

@test "files of the workspace, and nothing else" {
	echo secret >../outside
	scenario files
	[ "$(cat a.txt)" = $'one "2 ä"\n\t3' ]
}

@test "a tool that is denied is not there" {
	scenario denied 'tools.deny=write'
	[ ! -e a ]
}

@test "a person is asked through the program" {
	cat >"$BATS_TEST_TMPDIR/ward.json5" <<-'END'
		{tools: {elevated: {enabled: true, approvalTimeout: "1m", rules: [{pattern: "touch *", to: "host"}]}}}
	END
	export CONFIG=$BATS_TEST_TMPDIR/ward.json5 MARK=$BATS_TEST_TMPDIR/mark
	scenario approval
	[ -e "$MARK" ]
	[ "$(entrances "$MARK")" = library ]
}

@test "where the program asks nobody, the log says who could, and time runs out" {
	cat >"$BATS_TEST_TMPDIR/ward.json5" <<-'END'
		{tools: {elevated: {enabled: true, approvalTimeout: "1s", rules: [{pattern: "touch *", to: "host"}]}}}
	END
	export CONFIG=$BATS_TEST_TMPDIR/ward.json5 MARK=$BATS_TEST_TMPDIR/mark
	scenario unasked
}

@test "ward is killed: every call says so, and a new handle works" {
	scenario lost
}

@test "two sessions at once do not see each other" {
	scenario two
}

@test "threads with handles of their own, in a program with children of its own" {
	scenario threads
}

@test "no descriptor, child or memory is left, whatever went wrong" {
	scenario leaks
}

@test "programs that ignore their children, have closed their streams, or fork" {
	scenario strange
}

@test "records name the library as the entrance" {
	scenario two
	[ "$(entrances 'echo a >/tmp/mark')" = library ]
}

@test "a program is the library's only way in: it shows nothing but ward_" {
	run -0 nm -D --defined-only "$HELPERS/libward.so.1"
	[ -z "$(awk '$3 !~ /^ward_/' <<<"$output")" ]
	[ "$(wc -l <<<"$output")" -gt 20 ]
}
