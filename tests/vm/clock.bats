#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The machine's calendar is set forward and back while sandboxes live. Only in the virtual machine, by root.
# shellcheck disable=SC2016,SC2030,SC2031
# shellcheck source=../integration/lib.bash
. "$BATS_TEST_DIRNAME/../integration/lib.bash"

many_sandboxes

setup_file() {
	systemctl stop systemd-timesyncd 2>/dev/null || true
	REAL=$(($(date +%s) - $(cut -d. -f1 /proc/uptime)))
	export REAL
}

# as it would be by now
set_right() {
	date -s "@$((REAL + $(cut -d. -f1 /proc/uptime)))" >/dev/null
}

teardown() {
	set_right
	cd "$BATS_TEST_TMPDIR/w" || return
	"$WARD" stop --force 2>/dev/null || true
}

jumps() {
	echo '+1 hour'
	echo '-1 hour'
	echo '+10 years'
	echo '-10 years'
	echo '1970-01-03'
	echo '2106-02-08'
}

numbers() { # KEY: in the answer that is read
	sed -n "s/.*\"$1\": \(-\{0,1\}[0-9]*\).*/\1/p"
}

@test "the sandbox that runs is the same after every jump, and nothing of it has expired" {
	local first jump now
	first=$("$WARD" exec -- hostname)
	"$WARD" exec --background -- sleep 1000
	while read -r jump; do
		set_right
		date -s "$jump" >/dev/null
		[ "$("$WARD" exec -- hostname)" = "$first" ]
		now=$("$WARD" status --json)
		[ "$(numbers ageMs <<<"$now")" -ge 0 ]
		[ "$(numbers ageMs <<<"$now")" -lt 3000000 ]
		[ "$(numbers idleMs <<<"$now")" -ge 0 ]
		[ "$(numbers idleMs <<<"$now")" -lt 3000000 ]
		"$WARD" prune
		[[ $("$WARD" process list) == *'sleep 1000'* ]]
	done < <(jumps)
}

@test "a command keeps its time limit over every jump" {
	local jump status
	while read -r jump; do
		set_right
		status=0
		"$WARD" exec --set timeout=6s -- sh -c 'sleep 3; exit 7' &
		sleep 1
		date -s "$jump" >/dev/null
		wait $! || status=$?
		[ "$status" = 7 ]
		status=0
		"$WARD" exec --set timeout=2s -- sleep 1000 &
		sleep 1
		set_right
		wait $! || status=$?
		[ "$status" = 124 ]
	done < <(jumps)
}

@test "times that are reported are never negative, and jumps are not taken for work" {
	local jump n
	while read -r jump; do
		set_right
		"$WARD" run --json -- sh -c 'sleep 2' >run.json &
		"$WARD" exec --json -- sh -c 'sleep 2' >exec.json &
		sleep 1
		date -s "$jump" >/dev/null
		wait
		for n in $(numbers wallMs <run.json) $(numbers wallMs <exec.json); do
			((n >= 1500 && n < 120000))
		done
	done < <(jumps)
	"$WARD" stats --json | grep -o '"[a-zA-Z]*": -[0-9]*' | diff - /dev/null
}

@test "rates are counted by a clock that does not jump" {
	local jump
	echo '{agents: {defaults: {sandbox: {rate: {execs: "3/h"}}}}}' >"$XDG_CONFIG_HOME/ward/ward.json5"
	for i in 1 2 3; do "$WARD" exec -- true; done
	while read -r jump; do
		set_right
		date -s "$jump" >/dev/null
		run -125 "$WARD" exec -- true
		[[ $output == *'try again in'* ]]
	done < <(jumps)
}
