#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Too much of something: the sandbox feels it, the host does not. Limits are held by control groups where they can be
# had, else by rlimits, mount options and ward's own watch; `enforced` in the result says which.

# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

# peak: ward's own memory at its largest, in KiB, of the sandbox that runs as $SANDBOX.
own_peak() {
	awk '/^VmHWM:/ { print $2 }' "/proc/$SANDBOX/status"
}

@test "more memory than the limit ends the command, and the result says why" {
	local how
	"$PAYLOAD" hog/memory 600 >/dev/null || void 'the machine has not so much'
	options=(--set resources.memory=256M)
	for how in 'memory 2500' 'memory-shared 2500' 'memory-children 2500 10'; do
		# shellcheck disable=SC2086
		result ./payload hog/${how}
		[ "$status" != 0 ] || { echo "$how was granted" && false; }
		[ "$(field "$RESULT" reason)" = oom ] || [ "$(field "$RESULT" reason)" = exited ] || { cat "$RESULT" && false; }
		if [ "${how%% *}" = memory ]; then
			[ "$(field "$RESULT" oomKilled)" = true ] || { cat "$RESULT" && false; }
			[ "$(field "$RESULT" reason)" = oom ]
			[ "$status" = 137 ]
		fi
		[[ $(field "$RESULT" stdout) != *OK* ]]
	done
	# Within the limit it is granted.
	inside ./payload hog/memory 64 >/dev/null
	inside ./payload hog/memory-shared 64 >/dev/null
}

@test "files in private folders count as well (size of tmpfs, memory)" {
	options=(--set resources.memory=256M)
	result ./payload hog/fill /tmp/big 2000
	[ "$status" != 0 ] && [ "$status" != 125 ]
	[[ $(field "$RESULT" stdout) != *OK* ]]
	result ./payload hog/fill /dev/shm/big 2000
	[ "$status" != 0 ] && [ "$status" != 125 ]
	[[ $(field "$RESULT" stdout) != *OK* ]]
}

@test "memory that the kernel holds for the command is bounded: pipes" {
	(ulimit -n 9000 && "$PAYLOAD" hog/pipes 20 >/dev/null) || void 'not even a few'
	options=(--set resources.memory=256M)
	result ./payload hog/pipes 4000
	[ "$status" != 125 ]
	[ "$status" != 0 ] || [ "$(field "$RESULT" usage.memoryPeak 2>/dev/null || echo 0)" -lt $((300 << 20)) ]
}

@test "more processes or threads than the limit cannot be made" {
	local how made
	options=(--set resources.pids=50)
	for how in processes threads; do
		result ./payload "hog/$how" 400
		made=$(field "$RESULT" stdout | head -n 1)
		[ "$status" != 0 ] || { echo "400 $how were granted" && false; }
		[ "$made" -ge 20 ] && [ "$made" -le 50 ] || { echo "$how: $made" && false; }
	done
	"$PAYLOAD" hog/processes 100 >/dev/null || "$PAYLOAD" hog/threads 100 >/dev/null || void 'the host grants no 100 either'
}

@test "a fork bomb ends with its sandbox, and the host can still fork" {
	options=(--set resources.pids=100 --set timeout=3s --set killGrace=0s)
	start_inside 'touch started; b() { b | b & }; b; sleep 60'
	[ "$(seq 3 | wc -l)" = 3 ] # processes of the host
	wait "$SANDBOX" && return 1
	[ "$?" = 124 ]
}

@test "more open files than the limit cannot be had, in many processes" {
	local n
	"$PAYLOAD" hog/files 1000 | grep -qx 'files: OK' || void 'the host grants no 1000 either'
	options=(--set resources.files=256)
	# shellcheck disable=SC2016
	ran sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do ./payload hog/files 1000 >files.$i & done; wait
		ulimit -n 4096; ulimit -H -n >hard; touch ran' 2>/dev/null
	[ -e "$W/ran" ]
	for n in "$W"/files.*; do
		[ "$(head -n 1 "$n")" -le 256 ]
		grep -qx 'files: EMFILE' "$n"
	done
	[ "$(cat "$W/hard")" = 256 ]
}

@test "a private folder has an end in bytes and in files" {
	options=(--set 'tmpfs=["/tmp:size=8m"]' --set resources.inodes=2000)
	result ./payload hog/fill /tmp/big 64
	[ "$status" != 0 ]
	[[ $(field "$RESULT" stdout) == *ENOSPC* ]] || { cat "$RESULT" && false; }
	result ./payload hog/many /tmp 100000
	[ "$status" != 0 ]
	[[ $(field "$RESULT" stdout) == *ENOSPC* ]] || [ "$(field "$RESULT" reason)" = oom ] || { cat "$RESULT" && false; }
}

@test "output without end is drained, cut at the limit and counted, and does not grow ward" {
	local fd peak
	options=(--set outputLimit=1M)
	for fd in 1 2; do
		result ./payload hog/output 65536 $fd 80
		[ "$status" = 0 ]
		[ "$(field "$RESULT" "$([ $fd = 1 ] && echo stdoutTruncated || echo stderrTruncated)")" = true ]
		[ "$(wc -c <"$RESULT")" -lt $((3 << 20)) ]
	done
	# One line without end, and ward's own memory meanwhile.
	(cd "$W" && exec "$WARD" "${enter[@]}" --json "${options[@]}" -- sh -c './payload hog/output 262144 1; touch done; sleep 60') >"$BATS_TEST_TMPDIR/out" &
	SANDBOX=$!
	children+=("$SANDBOX")
	until_there "$W/done"
	peak=$(own_peak)
	[ "$peak" -lt $((16 * 1024)) ] || { echo "ward grew to $peak KiB" && false; }
}

@test "output goes on to the caller who reads it, and a caller who does not read blocks only the command" {
	# shellcheck disable=SC2016
	run -0 --separate-stderr bash -c 'cd "$1" && "$2" run --set timeout=2s --set killGrace=0s -- yes | { sleep 4; head -c 2; }; echo "${PIPESTATUS[0]}"' \
		- "$W" "$WARD"
	[ "$output" = $'y\n124' ]
}

@test "much output on both streams, in either order, does not lock" {
	result sh -c './payload hog/output 1024 2 80 >/dev/null; ./payload hog/output 1024 1 80'
	[ "$status" = 0 ]
	[ "$(field "$RESULT" stdout | wc -c)" -ge $((1 << 20)) ]
	[ "$(field "$RESULT" stderr | wc -c)" -ge $((1 << 20)) ]
	result sh -c './payload hog/output 1024 1 80; ./payload hog/output 1024 2 80 >/dev/null'
	[ "$status" = 0 ]
	[ "$(field "$RESULT" stderr | wc -c)" -ge $((1 << 20)) ]
	# The program closes one of them early.
	result sh -c 'exec >&-; ./payload hog/output 1024 2 80; exit 4'
	[ "$status" = 4 ]
	[ "$(field "$RESULT" stderr | wc -c)" -ge $((1 << 20)) ]
}

@test "what the user has of inotify and the like is still there for the host" {
	"$PAYLOAD" hog/inotify 4 >/dev/null || void 'the host has none'
	start_inside './payload hog/inotify 100000 >count; touch started; sleep 60'
	"$PAYLOAD" hog/inotify 4 >/dev/null
}

@test "arguments and environment too large or malformed are refused as a whole" {
	local big many=()
	big=$(head -c 131073 /dev/zero | tr '\0' a)
	# Too long for any program: the caller's own exec refuses it, which is fine.
	run inside /bin/echo "$big"
	[ "$status" != 0 ]
	mapfile -t many < <(seq 1 50000)
	run inside sh -c 'echo $#' - "${many[@]}"
	[ "$status" != 0 ] || [ "$output" = 50000 ]
	for bad in 'env={"":"x"}' 'env={"a=b":"x"}' 'env={"A":"x\u0000y"}'; do
		options=(--set "$bad")
		run inside_sh 'touch ran'
		[ "$status" = 125 ]
		unmade "$W/ran"
	done
}

@test "sizes that overflow, are negative, or mean nothing are refused and the key is named" {
	local key value
	for key in resources.memory resources.pids outputLimit timeout resources.files; do
		for value in 99999999999G 18446744073709551616 -1 0x10 '" 1G"' '"1G "' '"１G"' '"G"' '""' '"1GG"' NaN unlimited 1e30; do
			run inside_sh 'touch ran' 2>&1
			[ "$status" = 0 ] || void 'nothing runs'
			rm "$W/ran"
			options=(--set "$key=$value")
			run inside_sh 'touch ran'
			[ "$status" = 125 ] || { echo "$key=$value: $status $output" && false; }
			[[ $output == *"${key##*.}"* ]] || { echo "$key=$value: $output" && false; }
			unmade "$W/ran"
			options=()
		done
	done
}

@test "a limit that cannot be held stops the command (nothing degrades silently)" {
	options=(--set 'require=["memory:cgroup"]' --set resources.memory=256M)
	result sh -c 'touch ran; exec ./payload hog/memory 600'
	if [ -e "$W/ran" ]; then
		[ "$(field "$RESULT" reason)" = oom ]
		[[ $(field "$RESULT" enforced) == *cgroup* ]]
	else
		[ "$status" = 125 ]
	fi
}

@test "folders in folders without end are left behind harmlessly, in private places they vanish" {
	# shellcheck disable=SC2016
	inside_sh 'cd /tmp && /workspace/payload hog/deep 2000; cd /tmp; mkdir many; cd many; i=0; while [ $i -lt 40 ]; do ln -s x$i y$i; i=$((i+1)); done' >/dev/null
	inside_sh './payload hog/deep 500' >/dev/null
	(ulimit -s 256 && rm -r "$W/d")
}
