# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# For tests/escape: things that must not work. Every case
# - names what stops it;
# - shows first that the same attempt works, or is answered by the kernel itself, where nothing stops it (`control`);
#   without that it would prove nothing, and is VOID, which is a failure;
# - looks on the host at what came of it: files, hashes, processes. Only of system calls that leave no trace is the
#   answer taken from the payload, which is ours;
# - does no harm if it succeeds.
#
# W: the workspace on the host; SECRET: a random value in the file CANARY, which lies outside of it.

bats_require_minimum_version 1.5.0
tests=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
export HELPERS=${HELPERS:-$tests/../build/tests/helpers}
PAYLOAD=$HELPERS/payload
# HOW: in a sandbox of its own (run), in one that lives (exec), in one that was claimed from a pool (pool).
export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR/run XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
case ${HOW:=run} in
run) enter=(run) ;;
exec) enter=(exec --set rate.creates=1000000/m) ;;
pool) enter=(exec --set rate.creates=1000000/m --set pool=2) ;;
esac
WITHPTY=$HELPERS/withpty

setup_file() {
	mkdir -p "$XDG_RUNTIME_DIR"
	"$tests/helpers/census" take "$BATS_FILE_TMPDIR/census"
}

teardown_file() {
	"$tests/helpers/census" compare "$BATS_FILE_TMPDIR/census"
}

setup() {
	W=$BATS_TEST_TMPDIR/w
	OUTSIDE=$BATS_TEST_TMPDIR/outside
	CANARY=$OUTSIDE/canary
	SECRET=canary-$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')
	mkdir "$W" "$OUTSIDE"
	cp "$PAYLOAD" "$W/payload"
	echo "$SECRET" >"$CANARY"
	options=() # of ward run
	children=()
	if declare -F prepare >/dev/null; then prepare; fi
}

teardown() {
	local pid
	for pid in "${children[@]}"; do
		kill "$pid" 2>/dev/null || continue
		timeout 10 tail --pid="$pid" -f /dev/null || kill -9 "$pid"
		wait "$pid" 2>/dev/null || true
	done
	[ "$HOW" = run ] || stop_own
}

# inside COMMAND...: in a sandbox on W, with `options`.
inside() {
	(cd "$W" && exec timeout -k 5 120 "$WARD" "${enter[@]}" "${options[@]}" -- "$@")
}

# inside_sh SCRIPT [ARGUMENT...]
inside_sh() {
	inside sh -c "$@"
}

# ran COMMAND...: inside, and it ran to its end whatever became of its attempts: ward answers 125 to 127 where it
# could not be started at all.
ran() {
	local status=0
	inside "$@" || status=$?
	case $status in 12[5-7]) echo "the command did not run: status $status" && return 1 ;; esac
}

# void WHY: the control failed, so the case shows nothing.
void() {
	echo "VOID: $*"
	return 1
}

# in_background COMMAND...: ended with the test.
in_background() {
	"$@" &
	children+=($!)
}

# until_there FILE...: waits for them, and fails after a minute.
until_there() {
	local file i
	for file; do
		for ((i = 0; i < 1200; i++)); do
			[ -e "$file" ] && continue 2
			sleep 0.05
		done
		echo "$file did not appear" && return 1
	done
}

# below PID: the processes under it.
below() {
	local child
	while read -rd ' ' child; do
		echo "$child"
		below "$child"
	done < <(cat "/proc/$1/task"/*/children 2>/dev/null)
}

# own_rows KEY FOLDER: of the sandboxes whose workspace is in there; root's are where everybody's of root are.
own_rows() {
	"$WARD" list --json | python3 -c 'import json, sys
for row in json.load(sys.stdin):
    if ((row["workspace"] or "") + "/").startswith(sys.argv[2] + "/"):
        print(row[sys.argv[1]])' "$@"
}

# A pool ends with one of its blanks.
stop_own() {
	local names name
	mapfile -t names < <(own_rows name "$BATS_TEST_TMPDIR" && "$WARD" list --json | grep -o '"pool-[^"]*' | tr -d '"')
	for name in "${names[@]}"; do
		"$WARD" stop --force "$name" >/dev/null 2>&1 || true # with another one of its pool
	done
}

# start_inside SCRIPT: in the background; answers when it has made W/started. SANDBOX is ward's process, KEEPER the one
# that has made the sandbox.
start_inside() {
	rm -f "$W/started"
	(cd "$W" && exec "$WARD" "${enter[@]}" "${options[@]}" -- sh -c "$1") >"$BATS_TEST_TMPDIR/out" 2>&1 &
	SANDBOX=$!
	children+=("$SANDBOX")
	until_there "$W/started" || {
		cat "$BATS_TEST_TMPDIR/out"
		return 1
	}
	KEEPER=$SANDBOX
	[ "$HOW" = run ] || KEEPER=$(own_rows pid "$W")
}

# field FILE NAME: of a result; members of members by dots.
field() {
	python3 -c 'import functools, json, sys
v = functools.reduce(lambda d, k: d[k], sys.argv[2].split("."), json.load(open(sys.argv[1])))
print(v if isinstance(v, str) else json.dumps(v))' "$1" "$2"
}

# result COMMAND...: inside with --json; the result is in the file $RESULT, the status in $status.
result() {
	RESULT=$BATS_TEST_TMPDIR/result.json
	status=0
	(cd "$W" && exec timeout -k 5 120 "$WARD" "${enter[@]}" --json "${options[@]}" -- "$@") >"$RESULT" || status=$?
}

# unmade FILE...: none of them is there, not even as a link that leads nowhere.
unmade() {
	local file
	for file; do
		if [ -e "$file" ] || [ -L "$file" ]; then
			echo "was made: $file" && return 1
		fi
	done
}

# secret_in FILE...: does a file hold the secret?
secret_in() {
	grep -rqF -- "$SECRET" "$@"
}

# hash_of FILE...
hash_of() {
	cat -- "$@" | sha256sum
}

# state_of FILE...: everything about them and what lies below that somebody could have changed.
state_of() {
	local file
	for file; do
		if [ -e "$file" ] || [ -L "$file" ]; then
			find "$file" -printf '%p %y %i %m %U %G %n %s %T@ %C@ %l\n' | sort
			find "$file" -type f -exec sha256sum {} + | sort
		else
			echo "$file is not there"
		fi
	done
}

# answers GROUP [ARGUMENT...]: what the payload's attempts are answered: inside in the file `answers.inside`, by the
# kernel alone in `answers.outside`, as we are and, if that is refused, as root of namespaces of our own.
answers() {
	mkdir -p "$BATS_TEST_TMPDIR/control"
	(cd "$BATS_TEST_TMPDIR/control" && "$PAYLOAD" --group "$@") >"$BATS_TEST_TMPDIR/plain" 2>&1 || true
	rm -rf "$BATS_TEST_TMPDIR/control" && mkdir "$BATS_TEST_TMPDIR/control"
	(cd "$BATS_TEST_TMPDIR/control" && unshare -Urmnui "$PAYLOAD" --group "$@") >"$BATS_TEST_TMPDIR/rooted" 2>&1 || true
	paste -d' ' "$BATS_TEST_TMPDIR/plain" "$BATS_TEST_TMPDIR/rooted" | awk '{ print $1, $2 ~ /^(EPERM|ENOSYS)$/ ? $4 : $2 }' \
		>"$BATS_TEST_TMPDIR/answers.outside"
	inside ./payload --group "$@" >"$BATS_TEST_TMPDIR/answers.inside" || [ $? = 1 ]
	diff <(cut -d: -f1 "$BATS_TEST_TMPDIR/answers.outside") <(cut -d: -f1 "$BATS_TEST_TMPDIR/answers.inside")
}

# all_refused EXPECTED UNPROVED: after `answers`: inside, every answer matches EXPECTED (a regular expression). Without
# ward none does, but for the rows that match UNPROVED: this kernel or user has nothing that could be refused.
all_refused() {
	local name answer control bad=0 proved=0
	while read -r name answer control; do
		name=${name%:}
		if ! [[ $answer =~ ^($1)$ ]]; then
			echo "$name: $answer inside, $control without ward" && bad=1
		fi
		if ! [[ $control =~ ^($1)$ ]]; then
			proved=$((proved + 1))
		elif ! [[ $name =~ ^(${2:-none})$ ]]; then
			echo "VOID: $name: $control without ward as well" && bad=1
		fi
	done < <(paste -d' ' "$BATS_TEST_TMPDIR/answers.inside" <(cut -d' ' -f2 "$BATS_TEST_TMPDIR/answers.outside"))
	[ "$proved" -gt 0 ] || [ "${2-}" = '.*' ] || void "no attempt was proved possible"
	return "$bad"
}

# all_happened: after `answers`.
all_happened() {
	! grep -v ': OK$' "$BATS_TEST_TMPDIR/answers.inside"
}

is_root() {
	[ "$(id -u)" = 0 ]
}
