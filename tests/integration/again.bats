#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Callers that stay: many commands over one connection, each given to a process that waits for it. And sandboxes that
# another version of ward has started.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # expanded inside; each test is a process of its own
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
many_sandboxes

teardown() {
	local pid
	for pid in "${children[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	cd "$BATS_TEST_TMPDIR/w" || return
	"$WARD" stop --force 2>/dev/null || true
}

again() {
	timeout -k 5 120 "$HELPERS/again" "$@"
}

# what every round that ended well has done was done once; no round has done it twice
once_each() { # FILE-OF-ANSWERS FILE-OF-MARKS
	local twice
	twice=$(sort "$2" | uniq -d)
	[ -z "$twice" ] || { echo "done twice: $twice" && return 1; }
	comm -13 <(sort "$2") <(awk '$2 == "exited" && $3 == 0 { print $1 }' "$1" | sort) | diff - /dev/null
}

@test "a hundred commands over one connection: the same sandbox, each with its own streams and end" {
	again 100 0 sh -c 'read n; echo "$n" >>marks; [ ! -e /tmp/here ] || exit 3; touch /tmp/here; kill -9 $$' >answers
	[ "$(wc -l <answers)" = 100 ]
	[ "$(head -n 1 answers)" = '1 signalled 137' ]
	[ "$(tail -n 99 answers | cut -d' ' -f2- | sort -u)" = 'exited 3' ]
	seq 100 | diff - marks
	[ "$("$WARD" list --json | grep -cF "\"workspace\": \"$PWD\"")" = 1 ]
	run -0 "$WARD" stats --json
	[[ $output == *'"commands": 100'* ]]
}

@test "over a kept connection too: what a command leaves behind ends with it, and it is listed while it runs" {
	local word=1000.$$$RANDOM
	timeout -k 5 120 "$HELPERS/again" 3 300 sh -c "read n; (setsid sleep $word & ) >/dev/null 2>&1; sleep 0.3" >answers &
	children+=($!)
	until grep -q '^1 ' answers; do sleep 0.05; done
	run pgrep -f "^sleep $word"
	[ "$status" = 1 ]
	until [[ $("$WARD" status --json) == *'"running": 1'* ]]; do sleep 0.05; done
	pgrep -f "^sleep $word"
	wait "${children[0]}"
	[ "$(grep -c 'exited 0' answers)" = 3 ]
	run pgrep -f "^sleep $word"
	[ "$status" = 1 ]
}

@test "the caller is killed: its command ends, also when it was given to the process that waited" {
	"$HELPERS/again" 2 0 sh -c 'read n; echo "$n" >>marks; [ "$n" = 1 ] || exec sleep 1000' &
	until [ "$(wc -l <marks 2>/dev/null || true)" = 2 ]; do sleep 0.05; done
	[[ $("$WARD" status --json) == *'"running": 1'* ]]
	kill -9 $!
	wait $! || true
	for ((i = 0; i < 100; i++)); do
		[[ $("$WARD" status --json) != *'"running": 0'* ]] || break
		sleep 0.05
	done
	((i < 100))
}

@test "the process that waits is killed from inside: that command says so, the next one runs" {
	again 4 200 sh -c 'read n; echo "$n" >>marks
		if [ "$n" = 2 ]; then sleep 0.2; kill -9 $(ls /proc | grep -xE "[0-9]+" | grep -vx -e 1 -e $$ -e $PPID); fi; exit 0' >answers
	cat answers
	[ "$(wc -l <answers)" = 4 ]
	[ "$(tail -n 1 answers)" = '4 exited 0' ]
	once_each answers marks
}

@test "the sandbox is stopped again and again: every command is run once, or says that it was not to its end" {
	timeout -k 5 120 "$HELPERS/again" 200 2 sh -c 'read n; echo "$n" >>marks; exit 0' >answers &
	children+=($!)
	for ((i = 0; i < 25; i++)); do
		sleep "0.0$((RANDOM % 90 + 10))"
		"$WARD" stop --force >/dev/null 2>&1 || true
	done
	wait "${children[0]}"
	sort -k2 answers | cut -d' ' -f2- | uniq -c
	[ "$(wc -l <answers)" = 200 ]
	run ! grep -vE '^[0-9]+ (exited 0|stopped |error .*(stopped|not known))' answers
	[ "$(grep -c 'exited 0' answers)" -ge 150 ]
	once_each answers marks
}

@test "supervisors are killed: the command's fate is not known, or it is run once" {
	timeout -k 5 120 "$HELPERS/again" 100 2 sh -c 'read n; echo "$n" >>marks; exit 0' >answers &
	children+=($!)
	for ((i = 0; i < 10; i++)); do
		sleep "0.$((RANDOM % 300 + 100))"
		pid=$("$WARD" status --json | sed -n 's/.*"pid": \([0-9]*\).*/\1/p')
		[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || true
	done
	wait "${children[0]}"
	[ "$(wc -l <answers)" = 100 ]
	run ! grep -vE '^[0-9]+ (exited 0|error )' answers
	once_each answers marks
	"$WARD" exec -- true # clears what the killed ones have left
}

@test "more callers that stay than processes fit: all of them get their turn" {
	mkdir -p "$XDG_CONFIG_HOME/ward"
	echo '{agents: {defaults: {sandbox: {resources: {pids: 24}}}}}' >"$XDG_CONFIG_HOME/ward/ward.json5"
	for ((i = 0; i < 12; i++)); do
		timeout -k 5 120 "$HELPERS/again" 20 5 sh -c 'read n; exit 0' >"answers$i" &
		children+=($!)
	done
	wait "${children[@]}"
	cat answers?* | sort -k2 | cut -d' ' -f2- | uniq -c
	[ "$(cat answers?* | grep -c 'exited 0')" = 240 ]
}

@test "a caller that is idle for long: nothing waits any more, and its next command runs all the same" {
	timeout -k 5 120 "$HELPERS/again" 2 12000 sh -c 'read n; echo "$n" >>marks; exit 0' >answers &
	children+=($!)
	until grep -q '^1 ' answers; do sleep 0.05; done
	sleep 11
	pid=$("$WARD" status --json | sed -n 's/.*"pid": \([0-9]*\).*/\1/p')
	# supervisor and init and the starter; a shepherd and its child are no more
	[ "$(pgrep -P "$pid" | wc -l)" = 1 ]
	init=$(pgrep -P "$pid")
	starter=$(pgrep -P "$init")
	[ -z "$(pgrep -P "$starter")" ]
	wait "${children[0]}"
	[ "$(grep -c 'exited 0' answers)" = 2 ]
	once_each answers marks
}

# a program that is the same but for the version of what it says to sandboxes
other_ward() {
	command -v perl >/dev/null || skip 'perl is not here'
	perl -0777 -pe '$n = s/([\x01-\x3f])(\x00\x44\x57)/chr(ord($1) + 64) . $2/ge; END { exit !$n }' "$WARD" >other
	chmod 755 other
}

@test "a sandbox of another version of ward: made anew when nothing runs in it, and it can be stopped" {
	other_ward
	./other exec -- touch /tmp/mark
	run -0 --separate-stderr "$WARD" exec -- ls /tmp
	[ -z "$output" ]
	[[ $stderr == *"another version of ward's: it was made anew"* ]]
	./other exec -- touch /tmp/mark 2>/dev/null
	run -0 "$WARD" stop
	run ! grep -F "\"workspace\": \"$PWD\"" <("$WARD" list --json)
}

@test "a sandbox of another version of ward in which commands run is not taken from under them" {
	other_ward
	./other exec -- sleep 1000 &
	children+=($!)
	until [[ $("$WARD" status --json 2>/dev/null) == *'"running": 1'* ]]; do sleep 0.05; done
	run -125 "$WARD" exec -- true
	[[ $output == *'another version of ward'*'ward recreate --force'* ]]
	run ! "$WARD" stop
	[[ $output == *'commands run in sandbox'* ]]
	run -0 "$WARD" recreate --force
	run -0 "$WARD" exec -- true
}
