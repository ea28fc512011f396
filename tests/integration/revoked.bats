#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# An agent that is taken out of the configuration while it is connected has lost what it was given: its next call is
# refused with the reason, whatever it is, and so is one that waits.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

load lib

setup() {
	umask 022
	mkdir "$BATS_TEST_TMPDIR/w" "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/run"
	cd "$BATS_TEST_TMPDIR/w" || return 1
	T=$BATS_TEST_TMPDIR
	RESULT=$T/result
	children=()
	export XDG_RUNTIME_DIR=$T/run XDG_STATE_HOME=$T/state PATH="$T/bin:/usr/local/bin:/usr/bin:/bin"
	echo there >there
	printf '#!/bin/sh\necho ran >>"%s/ran"\n' "$T" >"$T/bin/tool"
	chmod 755 "$T/bin/tool"
	CONFIG=$T/ward.json5
	others='tools: {elevated: {enabled: true, approvalTimeout: "2s", rules: [{pattern: "tool *", to: "host", ttl: "10m"}]}}'
	entry='agents: {entries: {listed: {sandbox: {env: {WHO: "listed"}, resources: {pids: 77}}}}},'
	echo "{$entry tools: {elevated: {enabled: true, approvalTimeout: '40s', rules: [{pattern: 'tool *', to: 'host'}]}}}" >"$CONFIG"
}

teardown() {
	local pid session
	for pid in "${children[@]}"; do
		kill "$pid" 2>/dev/null || true
	done
	for session in listed unlisted; do
		"$WARD" stop --force --agent $session >/dev/null 2>&1 || true
	done
}

ended() { # NAME: its exit status
	for _ in {1..1200}; do
		[ ! -e "$T/$1.status" ] || { cat "$T/$1.status" && return; }
		sleep 0.05
	done
	return 1
}

agent() { # SCENARIO
	run timeout -k 5 100 "$python" "$tests/helpers/revoked.py" "$WARD" "$CONFIG" "$1"
	echo "$output"
	[ "$status" = 0 ] && [ "${lines[-1]}" = ok ]
}

@test "every call of an agent that was taken out is refused, also when it is put in again; a new connection works" {
	agent calls
	"$WARD" audit query --json --text 'was taken out of the configuration' >"$RESULT"
	"$python" -c 'import json, sys
rows = json.load(open(sys.argv[1]))
sys.exit(len(rows) < 7)' "$RESULT"
}

@test "a call that waits for a person is refused too, and nobody can answer it any more" {
	agent waits
	[ ! -e "$T/ran" ]
}

@test "an agent that never stood there goes on with the defaults; one that came to stand there does not" {
	agent never
}

@test "what a person has given to a listed agent is not used when it is listed no more" {
	printf '{%s %s}' "$entry" "${others/2s/40s}" >"$CONFIG"
	"$python" "$tests/helpers/apart" "$T/first" "$WARD" run --agent listed --config "$CONFIG" -- tool x
	for _ in {1..200}; do
		"$WARD" approvals --json >"$T/approvals" || true
		id=$("$python" -c 'import json, sys
print(*[d["id"] for d in json.load(open(sys.argv[1])) if "tool x" in d["command"]])' "$T/approvals")
		[ -z "$id" ] || break
		sleep 0.05
	done
	"$python" "$tests/helpers/apart" "$T/yes" "$WARD" approve --uses 5 --for 10m "$id"
	[ "$(ended first)" = 0 ]
	"$python" "$tests/helpers/apart" "$T/second" "$WARD" run --agent listed --config "$CONFIG" -- tool x # the grant holds
	[ "$(ended second)" = 0 ]
	[ "$(wc -l <"$T/ran")" = 2 ]
	printf '{%s}' "$others" >"$CONFIG"
	"$python" "$tests/helpers/apart" "$T/third" "$WARD" run --agent listed --config "$CONFIG" -- tool x
	[ "$(ended third)" = 126 ]
	[ "$(wc -l <"$T/ran")" = 2 ]
	for id in $("$WARD" grants list --json | "$python" -c 'import json, sys
print(*[d["id"] for d in json.load(sys.stdin) if "tool x" in d["command"]])'); do "$WARD" grants revoke "$id"; done
}

@test "the command line goes on with the defaults, and not in the sandbox that was made for the listed agent" {
	run -0 "$WARD" exec --agent listed --config "$CONFIG" -- sh -c 'touch /tmp/mark; echo $WHO'
	[ "$output" = listed ]
	"$WARD" exec --agent listed --config "$CONFIG" -- sh -c 'touch ready; sleep 1000' 3>&- &
	children+=($!)
	for _ in {1..200}; do [ ! -e ready ] || break; sleep 0.05; done
	printf '{%s}' "$others" >"$CONFIG"
	run -125 "$WARD" exec --agent listed --config "$CONFIG" -- true
	[[ $output == *'another configuration'* ]]
	kill "${children[0]}"
	wait "${children[0]}" || true
	run -1 --separate-stderr "$WARD" exec --agent listed --config "$CONFIG" -- sh -c 'echo "$WHO"; test -e /tmp/mark'
	[ "$output" = '' ]
}

@test "libward: the same" {
	CONFIG=$CONFIG run timeout -k 5 100 "$HELPERS/libtest-asan" revoked
	echo "$output"
	[ "$status" = 0 ] && [ "$output" = ok ]
}
