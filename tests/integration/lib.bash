# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
#
# For the tests of `ward run` with real programs and under load. Each test has an empty workspace, in which it stands;
# what it needs besides lies in BATS_TEST_TMPDIR. Before and after each file the census must be equal.

bats_require_minimum_version 1.5.0
tests=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
python=/usr/bin/python3 # not one that first looks which it is
[ -x "$python" ] || python=python3

setup_file() {
	"$tests/helpers/census" take "$BATS_FILE_TMPDIR/census"
}

teardown_file() {
	"$tests/helpers/census" compare "$BATS_FILE_TMPDIR/census"
}

setup() {
	umask 022
	mkdir "$BATS_TEST_TMPDIR/w"
	cd "$BATS_TEST_TMPDIR/w" || return 1
	RESULT=$BATS_TEST_TMPDIR/result
	children=()
}

teardown() {
	local pid
	for pid in "${children[@]}"; do
		kill "$pid" 2>/dev/null || continue
		timeout 10 tail --pid="$pid" -f /dev/null || kill -9 "$pid"
		wait "$pid" 2>/dev/null || true
	done
}

# For tests that start more sandboxes in a minute than an agent may by default.
many_sandboxes() {
	export XDG_CONFIG_HOME=$BATS_FILE_TMPDIR/config
	mkdir -p "$XDG_CONFIG_HOME/ward"
	echo '{agents: {defaults: {sandbox: {rate: {creates: "1000000/m"}}}}}' >"$XDG_CONFIG_HOME/ward/ward.json5"
}

# A word that is in no other command line, to find processes by.
a_word() {
	echo "$((RANDOM + 100000)).$$.$((RANDOM + 100000))"
}

ward_run() { # OPTION... -- COMMAND...: never for longer than two minutes
	timeout -k 5 120 "$WARD" run "$@"
}

# result OPTION... -- COMMAND...: with --json; the object is in the file RESULT, the status in $status.
result() {
	status=0
	ward_run --json "$@" >"$RESULT" || status=$?
	[ "$status" != 125 ] || { cat "$RESULT" && return 1; }
}

# holds EXPRESSION, with d the object of RESULT and status the exit status.
holds() {
	"$python" -c 'import json, sys
d, status = json.load(open(sys.argv[1])), int(sys.argv[2])
if not eval(sys.argv[3]):
    for k in "stdout", "stderr": d[k] = d.get(k, "")[:500]
    sys.exit("not so: " + sys.argv[3] + ", status " + sys.argv[2] + "\n" + json.dumps(d, indent=1))' \
		"$RESULT" "$status" "$1"
}

# start OPTION... -- COMMAND...: in the background, with its output in the file `out` beside the workspace; answers
# once the command has made the file `ready`. SANDBOX is ward's process.
start() {
	rm -f ready
	"$WARD" run "$@" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
	SANDBOX=$!
	children+=("$SANDBOX")
	until_there ready || { cat "$BATS_TEST_TMPDIR/out" && return 1; }
}

# ended: waits for what `start` started; its status is in $status.
ended() {
	status=0
	timeout 60 tail --pid="$SANDBOX" -f /dev/null || { echo 'ward does not end' && return 1; }
	wait "$SANDBOX" || status=$?
}

until_there() { # FILE
	local i
	for ((i = 0; i < 1200; i++)); do
		[ ! -e "$1" ] || return 0
		sleep 0.05
	done
	echo "$1 did not come"
	return 1
}

# with_word WORD: the processes that have it in their command line.
with_word() {
	grep -lsF -f <(echo "$1") /proc/[0-9]*/cmdline | cut -d/ -f3
}

# gone WORD: within seconds none is left that has it.
gone() {
	local i left
	for ((i = 0; i < 50; i++)); do
		left=$(with_word "$1")
		[ -n "$left" ] || return 0
		sleep 0.1
	done
	echo "still there: $left"
	return 1
}

# still FILE: nobody writes to it any more.
still() {
	local before
	before=$(stat -c '%s %y' "$1")
	sleep 0.3
	[ "$before" = "$(stat -c '%s %y' "$1")" ] || { echo "somebody still writes to $1" && return 1; }
}

# installed PROGRAM: the sandbox has only what lies in /usr.
installed() {
	[ -x "/usr/bin/$1" ] || skip "$1 is not in /usr/bin"
}
