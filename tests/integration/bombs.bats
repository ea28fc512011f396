#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Commands that take all they can get, or do not want to end: the result names the reason, the host goes on, and nothing
# is left.

# shellcheck disable=SC2016 # expanded inside
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

# The payload is in the workspace, to be run inside.
prepare() {
	cp "$HELPERS/payload" .
}

# host_works: a command here, meanwhile.
host_works() {
	[ "$(sh -c 'echo "$((1 + 1))"; ls -d /' | tr '\n' ' ')" = '2 / ' ]
}

@test "a fork bomb is bounded by the limit of processes, and ends with the time" {
	word=$(a_word)
	start --set resources.pids=64 --set timeout=5s --set killGrace=200ms --json -- \
		bash -c ':(){ :|:& };touch ready; :; while :; do sleep 1; done' "$word"
	host_works
	most=0
	while kill -0 "$SANDBOX" 2>/dev/null; do
		now=$(with_word "$word" | wc -l)
		[ "$now" -le "$most" ] || most=$now
		host_works
		sleep 0.2
	done
	ended
	grep -v '^ward:' "$BATS_TEST_TMPDIR/out" >"$RESULT"
	holds 'status == 124 and d["reason"] == "timeout" and d["timedOut"]'
	echo "at most $most processes"
	[ "$most" -gt 10 ] && [ "$most" -le 66 ] # with those of ward
	gone "$word"
}

@test "more processes than the limit cannot be made, and that is counted" {
	prepare
	result --set resources.pids=64 -- ./payload hog/processes 1000
	holds '"EAGAIN" in d["stdout"] and 40 <= int(d["stdout"].split()[0]) <= 64'
	if [[ $(cat "$RESULT") == *'"pids": "cgroup'* ]]; then holds 'd["limitsHit"]["pids"] >= 1'; fi
}

@test "10,000 threads are bounded by the same limit" {
	prepare
	result --set resources.pids=64 -- ./payload hog/threads 10000
	holds '"EAGAIN" in d["stdout"] and 40 <= int(d["stdout"].split()[0]) <= 64'
	result -- ./payload hog/threads 10000 # and by the one that holds unless another is set
	holds '"EAGAIN" in d["stdout"] and int(d["stdout"].split()[0]) <= 256'
}

@test "too much memory in one process: oom, 137" {
	prepare
	result --set resources.memory=128M -- ./payload hog/memory 3000
	holds 'status == 137 and d["reason"] == "oom" and d["oomKilled"] and d["limitsHit"]["memory"] >= 1'
	host_works
	result --set resources.memory=128M -- ./payload hog/memory 50
	holds 'status == 0 and d["reason"] == "exited" and not d["oomKilled"]'
}

@test "too much memory in ten children" {
	prepare
	# The kernel kills those that have most, and their parent may go on to an end of its own; ward's watch kills all.
	result --set resources.memory=128M -- ./payload hog/memory-children 3000 10
	holds 'status == (137 if d["reason"] == "oom" else 1) and d["limitsHit"]["memory"] >= 1 and "OK" not in d["stdout"]'
	result --set resources.memory=128M -- ./payload hog/memory-children 50 10
	holds 'status == 0 and d["reason"] == "exited"'
}

@test "too much memory in a file that exists only in memory: oom, 137" {
	prepare
	result --set resources.memory=128M -- ./payload hog/memory-shared 3000
	holds 'status == 137 and d["reason"] == "oom" and d["oomKilled"]'
	result --set resources.memory=128M -- ./payload hog/memory-shared 50
	holds 'status == 0 and d["reason"] == "exited"'
}

@test "private folders are full at their size; with workspace none that one too" {
	prepare
	cp "$HELPERS/payload" ../payload
	for place in /tmp /var/tmp /run /home/sandbox /dev/shm; do
		result --set resources.memory=2G -- ./payload hog/fill $place/big 3000
		holds 'status == 1 and "ENOSPC" in d["stdout"] and int(d["stdout"].split()[0]) <= 1100'
	done
	result --set workspace=none --set "hostPaths=$BATS_TEST_TMPDIR/payload" --set resources.disk=64M -- \
		"$BATS_TEST_TMPDIR/payload" hog/fill /workspace/big 3000
	holds 'status == 1 and "ENOSPC" in d["stdout"] and int(d["stdout"].split()[0]) <= 64'
}

@test "100,000 files are more than a private folder takes" {
	prepare
	result --set resources.inodes=20000 -- ./payload hog/many /tmp 100000
	holds 'status == 1 and "ENOSPC" in d["stdout"] and int(d["stdout"].split()[0]) <= 20000'
	result -- ./payload hog/many /tmp 150000 # without being asked
	holds 'status != 0 and ("ENOSPC" in d["stdout"] or d["reason"] == "oom")'
}

@test "1 GiB of output: 1 MiB is kept, the rest counted to the byte, and ward stays small" {
	prepare
	start --json --set outputLimit=1M -- sh -c './payload hog/output 1048576 >&2; touch ready; while [ ! -e go ]; do sleep 0.1; done'
	peak=$(awk '/^VmHWM:/ { print $2 }' "/proc/$SANDBOX/status")
	touch go
	ended
	grep -v '^ward:' "$BATS_TEST_TMPDIR/out" >"$RESULT"
	holds 'd["exitCode"] == 0 and len(d["stdout"]) == 1 << 20 and d["stdoutTruncated"]' ||
		holds 'd["exitCode"] == 0 and len(d["stderr"]) == 1 << 20 and d["stderrTruncated"]'
	holds 'd["stdoutDropped"] + d["stderrDropped"] + (1 << 20) == d["usage"]["stdoutBytes"] + d["usage"]["stderrBytes"]'
	holds 'd["usage"]["stdoutBytes"] + d["usage"]["stderrBytes"] == (1 << 30) + len("output: OK\n")'
	echo "ward's own memory: $peak KiB"
	# A sanitizer alone takes more than that.
	[ -n "${SANITIZED-}" ] || [ "$peak" -lt 16384 ]
}

@test "sleep infinity ends with the time" {
	result --set timeout=1s -- sleep infinity
	holds 'status == 124 and d["reason"] == "timeout" and d["signal"] == 15'
}

@test "what ignores every signal is killed after the grace" {
	prepare
	result --set timeout=1s --set killGrace=300ms -- ./payload live/stubborn
	holds 'status == 124 and d["reason"] == "timeout" and d["signal"] == 9'
	result --set timeout=1s --set killGrace=300ms -- sh -c 'trap "" TERM INT HUP; ./payload live/stubborn & setsid ./payload live/stubborn & wait; wait'
	holds 'status == 124 and d["reason"] == "timeout" and d["signal"] == 9'
}

@test "what stopped itself ends with the time" {
	prepare
	result --set timeout=1s --set killGrace=300ms -- ./payload live/stopped
	holds 'status == 124 and d["reason"] == "timeout"'
	result --set timeout=1s --set killGrace=300ms -- sh -c 'trap "" TERM; while :; do kill -STOP $$; done'
	holds 'status == 124 and d["reason"] == "timeout" and d["signal"] == 9'
}

@test "what waits in the kernel for its child ends with the time" {
	prepare
	result --set timeout=1s --set killGrace=300ms -- ./payload live/vfork
	holds 'status == 124 and d["reason"] == "timeout"'
}

@test "a daemon ends with the command that started it" {
	prepare
	result -- ./payload live/daemon heartbeat
	holds 'status == 0 and d["reason"] == "exited"'
	[ -s heartbeat ]
	still heartbeat
	result --set timeout=1s --set killGrace=300ms -- ./payload live/daemon heartbeat2 1
	holds 'status == 124 and d["reason"] == "timeout"'
	[ -s heartbeat2 ]
	still heartbeat2
}

@test "200 processes that ignore everything, and chains of orphans, end with the command" {
	prepare
	word=$(a_word)
	result --set timeout=2s --set killGrace=200ms -- ./payload live/crowd 200 "$word"
	holds 'status == 124'
	gone "$word"
	result --set timeout=2s --set killGrace=200ms -- ./payload live/chain 1000000 "$word"
	holds 'status == 124'
	gone "$word"
}

@test "1 MB on both streams in either order: nobody waits for the other" {
	prepare
	for order in '1 2' '2 1'; do
		# shellcheck disable=SC2086 # two words
		set -- $order
		result -- sh -c "./payload hog/output 1000 $1; ./payload hog/output 1000 $2"
		holds 'status == 0 and d["usage"]["stdoutBytes"] >= 1024000 and d["usage"]["stderrBytes"] >= 1024000'
		ward_run --set outputLimit=10M -- sh -c "./payload hog/output 1000 $1; ./payload hog/output 1000 $2" >out 2>err
		[ "$(stat -c %s out)" -ge 1024000 ] && [ "$(stat -c %s err)" -ge 1024000 ]
	done
	result -- sh -c './payload hog/output 1000 1 & ./payload hog/output 1000 2; wait'
	holds 'status == 0 and d["usage"]["stdoutBytes"] >= 1024000 and d["usage"]["stderrBytes"] >= 1024000'
}

@test "a command may close its output early and go on" {
	result -- sh -c 'echo before; exec >&- 2>&-; sleep 0.5; echo after >made; exit 3'
	holds 'status == 3 and d["stdout"] == "before\n"'
	[ -e made ]
	result -- sh -c 'exec >&-; echo late >&2; exit 4'
	holds 'status == 4 and d["stderr"] == "late\n"'
}

@test "a caller that stops reading is no reason to hang or to fail" {
	run -0 bash -c 'timeout 60 "$WARD" run -- sh -c "yes | head -c 5000000; touch made" | head -c 10 >/dev/null'
	[ -e made ]
	run -0 timeout 60 bash -c '"$WARD" run --set outputLimit=100M -- yes | head -c 10'
	run -141 timeout 60 bash -c '"$WARD" run --set outputLimit=100M -- yes | head -c 10 >/dev/null; exit "${PIPESTATUS[0]}"'
	run -3 timeout 60 bash -c '"$WARD" run --set outputLimit=1M -- sh -c "head -c 150000 /dev/zero; exit 3" | { sleep 1; head -c 10 >/dev/null; }; exit "${PIPESTATUS[0]}"'
	run timeout 60 bash -c '"$WARD" run -- yes | head -n 1'
	[[ ${lines[0]} == y ]]
	[ "$status" != 124 ]
	run timeout 60 bash -c '"$WARD" run --json -- seq 100000 | head -c 10'
	[ "$status" != 124 ]
}

@test "a caller that reads slowly or not at all does not hold up the times" {
	mkfifo slow
	sh -c 'exec sleep 1000' >/dev/null <slow &
	reader=$!
	run -124 timeout 60 bash -c '"$WARD" run --set outputLimit=100M --set timeout=1s --set killGrace=1s -- yes >slow'
	run -124 timeout 60 bash -c '"$WARD" run --set outputLimit=100M --set idleTimeout=1s --set killGrace=1s -- sh -c "yes | head -c 1000000; sleep 1000" >slow'
	timeout 60 "$WARD" run --set outputLimit=100M -- head -c 10000 /dev/zero >slow & # has ended, but not its output
	writer=$!
	sleep 1
	kill -TERM "$writer"
	wait "$writer" || [ $? != 124 ]
	kill "$reader"
	run -0 bash -c '"$WARD" run --set outputLimit=100M -- head -c 1000000 /dev/zero | (sleep 1; wc -c)'
	[ "$output" = 1000000 ]
	# What the caller does not take in time is counted, and the status says that it is not all.
	run -124 bash -c '"$WARD" run --set outputLimit=100M --set timeout=5s -- head -c 120000 /dev/zero | (sleep 8; wc -c >taken); exit "${PIPESTATUS[0]}"'
	echo "$output, taken $(cat taken)"
	[[ $output == *"$((120000 - $(cat taken))) bytes of stdout were dropped"* ]]
}

@test "signals for the sandbox's first process do not end or hang it" {
	for signal in KILL TERM STOP SEGV INT HUP QUIT USR1 TSTP CONT CHLD ABRT PIPE; do
		result --set timeout=20s -- sh -c "kill -$signal 1; kill -$signal 1; echo alive; touch made && rm made; exit 3"
		holds 'status == 3 and d["stdout"] == "alive\n" and d["reason"] == "exited"' || { echo "$signal" && return 1; }
	done
	result --set timeout=20s -- sh -c 'kill -9 -1; exit 3'
	holds 'd["reason"] in ("exited", "signalled")'
}
