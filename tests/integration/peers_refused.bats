#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Who may come to ward's own sockets: whoever the kernel says had connected. Those who may not are written down, also
# where somebody has opened the folder up to them.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

load lib

stranger=41999 # another user, whom no system has given a name

setup() {
	umask 022
	mkdir "$BATS_TEST_TMPDIR/w" "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/run"
	cd "$BATS_TEST_TMPDIR/w" || return 1
	T=$BATS_TEST_TMPDIR
	children=()
	export XDG_RUNTIME_DIR=$T/run XDG_STATE_HOME=$T/state PATH="$T/bin:/usr/local/bin:/usr/bin:/bin"
	place=$XDG_RUNTIME_DIR/ward
	[ "$(id -u)" != 0 ] || place=/run/ward
	mode=
}

teardown() {
	local pid
	[ -z "$mode" ] || chmod "$mode" "$place"
	for pid in "${children[@]}"; do
		kill "$pid" 2>/dev/null || true
		timeout 10 tail --pid="$pid" -f /dev/null || kill -9 "$pid"
	done
	"$WARD" stop --force >/dev/null 2>&1 || true
}

# sandbox: one that runs; its name, and its socket
sandbox() {
	"$WARD" exec -- true
	"$WARD" status --json >"$T/status"
	box=$(sed -n 's/ *"name": "\(.*\)",/\1/p' "$T/status")
	socket=$place/$box
	[ -S "$socket" ]
}

# asked: a command that waits for an answer; the id of the request, and its socket
asked() {
	printf '#!/bin/sh\necho ran >>"%s/ran"\n' "$T" >"$T/bin/tool"
	chmod 755 "$T/bin/tool"
	echo '{tools: {elevated: {enabled: true, approvalTimeout: "1m", rules: [{pattern: "tool *", to: "host"}]}}}' >"$T/ward.json5"
	word=w$(a_word)
	"$python" "$tests/helpers/apart" "$T/asked" "$WARD" run --config "$T/ward.json5" -- tool "$word"
	for _ in {1..200}; do
		"$WARD" approvals --json >"$T/approvals" || true
		id=$("$python" -c 'import json, sys
for d in json.load(open(sys.argv[1])):
    if sys.argv[2] in d["command"]: print(d["id"], d["pid"])' "$T/approvals" "$word")
		[ -z "$id" ] || break
		sleep 0.05
	done
	children+=("${id#* }")
	id=${id% *} socket=$place/approvals/$id
	[ -S "$socket" ]
}

# open_up: the socket can be reached by everybody
open_up() {
	mode=$(stat -c %a "$place")
	chmod 711 "$place"
	[ ! -d "$place/approvals" ] || chmod 711 "$place/approvals"
	chmod 666 "$socket"
}

# refusals: what the log says of those that were turned away from that socket
refusals() {
	"$WARD" audit tail --json -n 40 | "$python" -c 'import json, sys
rows = [json.loads(line) for line in sys.stdin]
rows = [d for d in rows if d["event"] == "refusedPeer" and d["name"] == sys.argv[1]]
print(len(rows), sum(d["count"] for d in rows), *sorted({"%s %d %s" % (d["socket"], d["by"]["uid"], d["why"]) for d in rows}))
sys.exit(not all(d["by"]["pid"] > 0 and d["session"] for d in rows))' "$1"
}

as_stranger() { # COUNT knock SOCKET
	cp "$HELPERS/peers" "$T/peers"
	chmod 755 "$T" "$T/peers"
	setpriv --reuid=$stranger --regid=$stranger --clear-groups "$T/peers" "$@"
}

@test "a process of the sandbox that comes to the sandbox's own socket is turned away, and written down" {
	sandbox
	[ "$("$HELPERS/peers" "$(id -u)" changed "$socket")" = answered ]
	word=1000.$(a_word | tr -d .)
	"$WARD" exec -- sleep "$word" 3>&- &
	children+=($!)
	for _ in {1..200}; do
		for inside in /proc/[0-9]*; do
			[ "$(tr '\0' ' ' 2>/dev/null <"$inside/cmdline")" != "sleep $word " ] || break 2
		done
		sleep 0.05
	done
	# The host's files, and the sandbox's processes.
	own=(-U --preserve-credentials)
	[ "$(id -u)" != 0 ] || own=()
	run nsenter -t "${inside#/proc/}" "${own[@]}" -p "$HELPERS/peers" -1 changed "$socket"
	[ "$output" = refused ]
	run refusals "$box"
	[ "$output" = "1 1 sandbox $(id -u) a process of the sandbox itself" ]
	"$WARD" exec -- true
}

@test "another user is turned away from a sandbox, and written down: a few lines a minute, with their number" {
	sandbox
	[ "$(id -u)" = 0 ] || return 0 # needs a second user
	[ "$("$HELPERS/peers" 0 changed "$socket")" = answered ]
	run as_stranger 1 knock "$socket"
	[[ $output == *'Permission denied'* ]]
	open_up
	run as_stranger 50 knock "$socket"
	[ "$output" = refused ]
	run refusals "$box"
	[ "$output" = "4 4 sandbox $stranger another user's sandbox" ]
	"$WARD" exec -- true
	"$WARD" stop
	run refusals "$box"
	[ "$output" = "5 50 sandbox $stranger another user's sandbox" ]
	"$WARD" audit verify
}

@test "another user is turned away from a request, and written down; it still waits" {
	asked
	[ "$(id -u)" = 0 ] || return 0 # needs a second user
	open_up
	run as_stranger 20 knock "$socket"
	[ "$output" = refused ]
	run refusals "$id"
	[ "$output" = "4 4 approval $stranger another user's request" ]
	"$python" "$tests/helpers/apart" "$T/yes" "$WARD" approve "$id"
	for _ in {1..200}; do
		[ ! -e "$T/asked.status" ] || break
		sleep 0.05
	done
	[ "$(cat "$T/ran")" = ran ]
	run refusals "$id"
	[ "$output" = "5 20 approval $stranger another user's request" ]
}

@test "a connection that was handed on is that of whoever had connected; an answer is only theirs" {
	sandbox
	uid=$(id -u)
	[ "$uid" != 0 ] || uid=$stranger
	[ "$("$HELPERS/peers" "$uid" handed "$socket")" = answered ]
	asked
	run "$HELPERS/peers" "$uid" handed "$socket" "$id"
	[[ $output == 'another '* ]]
	run "$HELPERS/peers" "$uid" left "$socket" "$id"
	[[ $output == refused || $output == 'another '* ]]
	[ ! -e "$T/ran" ]
}

@test "whoever has connected and is gone is not looked for by its number" {
	sandbox
	# Stopped, so that it looks only when the one that has connected is gone.
	kill -STOP "$(sed -n 's/ *"pid": \([0-9]*\),/\1/p' "$T/status")"
	(sleep 0.5 && kill -CONT "$(sed -n 's/ *"pid": \([0-9]*\),/\1/p' "$T/status")") 3>&- &
	run "$HELPERS/peers" "$(id -u)" left "$socket"
	[ "$output" = refused ]
	"$WARD" exec -- true
}

@test "whoever changes its user keeps a sandbox's connection, and cannot answer" {
	sandbox
	[ "$(id -u)" = 0 ] || return 0 # needs a second user
	[ "$("$HELPERS/peers" $stranger changed "$socket")" = answered ]
	asked
	run "$HELPERS/peers" $stranger changed "$socket" "$id"
	[[ $output == 'another user asked'* ]]
	[ ! -e "$T/ran" ]
}
