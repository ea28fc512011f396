#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Processes: those of the host are out of reach, the sandbox's own hold no rights, and none outlives its command.

# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

# nobody_left: under this test's shell no process of a sandbox is there any more.
nobody_left() {
	local i
	for ((i = 0; i < 100; i++)); do
		[ -z "$(survivors)" ] && return
		sleep 0.05
	done
	echo 'survivors:'
	survivors
	return 1
}

# Every process of the machine that has this test's workspace as its folder or payload as its program.
survivors() {
	local dir
	for dir in /proc/[0-9]*; do
		case $(readlink "$dir/exe" 2>/dev/null) in "$W"/* | /workspace/payload) echo "$dir $(cat "$dir/comm" 2>/dev/null)" ;; esac
	done
}

# no_groups: ward that was killed could not remove its control group; the next one does, one that lives when it has
# nothing else to do.
no_groups() {
	local i
	ran true
	for ((i = 0; i < 200; i++)); do
		[ -n "$(find /sys/fs/cgroup -type d -name "ward-$KEEPER-*")" ] || return 0
		[ "$HOW" != run ] || return 1
		sleep 0.1
	done
	return 1
}

# still FILE: it does not grow any more.
still() {
	local before
	before=$(stat -c %s "$1")
	sleep 0.3
	[ "$before" = "$(stat -c %s "$1")" ] || { echo "somebody still writes to $1" && return 1; }
}

@test "processes of the host cannot be seen, stopped or killed (own pid namespace)" {
	local victim
	in_background sleep 300
	victim=$!
	"$PAYLOAD" live/kill "$victim" 0 >/dev/null || void 'the victim cannot be killed by anybody'
	# shellcheck disable=SC2016
	ran sh -c 'for s in 9 19 15; do kill -$s "$1"; kill -$s "$2"; ./payload live/kill "$1" $s; done; ls -d /proc/[0-9]* >seen
		touch ran; kill -9 -1' - "$victim" "$$" 2>/dev/null >/dev/null
	[ -e "$W/ran" ]
	kill -0 "$victim"
	kill -0 $$
	[ "$(awk '/^State:/ { print $2 }' "/proc/$victim/status")" = S ]
	[ "$(grep -c . "$W/seen")" -le 8 ]
}

@test "kill of everything ends only the sandbox (own pid namespace)" {
	local victim
	in_background sleep 300
	victim=$!
	# shellcheck disable=SC2016
	unshare -Urpf --mount-proc sh -c 'sleep 100 & "$0" live/kill -1 9' "$PAYLOAD" >/dev/null || void 'kill(-1) is refused by the kernel'
	inside ./payload live/kill -1 9 || true
	run inside_sh 'sleep 100 & touch ran; ./payload live/kill -1 9; sleep 100'
	[ "$status" = 137 ]
	[ -e "$W/ran" ]
	kill -0 "$victim"
	nobody_left
}

@test "no process holds a capability, may gain one, or runs without a filter, as the host sees it" {
	local pid status checked=0
	cp "$(command -v sleep)" "$W/sleeper"
	start_inside './sleeper 60 & (./sleeper 60 &) ; setsid ./sleeper 60 & touch started; ./sleeper 60; :'
	for pid in $(below "$KEEPER"); do
		status=$(cat "/proc/$pid/status")
		[ "$(awk '/^NSpid:/ { print $NF }' <<<"$status")" = 1 ] && continue # ward's own
		checked=$((checked + 1))
		[ "$(grep -cE '^Cap(Inh|Prm|Eff|Bnd|Amb):[[:space:]]0{16}$' <<<"$status")" = 5 ] || { grep Cap <<<"$status" && false; }
		grep -qE '^NoNewPrivs:[[:space:]]1$' <<<"$status"
		grep -qE '^Seccomp:[[:space:]]2$' <<<"$status"
		grep -qE '^Groups:[[:space:]]*$' <<<"$status" || { grep Groups <<<"$status" && ! is_root; }
		[ "$(awk '/^Uid:/ { print $2 == $3 && $3 == $4 && $4 == $5, $2 == 0 }' <<<"$status")" = '1 0' ]
		[ "$(awk '/^Gid:/ { print $2 == $3 && $3 == $4 && $4 == $5, $2 == 0 }' <<<"$status")" = '1 0' ]
		[ "$(readlink "/proc/$pid/ns/user")" != "$(readlink /proc/self/ns/user)" ]
	done
	[ "$checked" -ge 4 ]
}

@test "ward's own first process in the sandbox cannot be read, traced or signalled to death from inside" {
	# shellcheck disable=SC2016
	ran sh -c 'for f in mem environ maps fd/0 cwd root exe stack syscall; do head -c1 /proc/1/$f >>got 2>/dev/null; done
		ls -l /proc/1/fd /proc/1/cwd/ /proc/1/root/ >>got 2>/dev/null
		for s in TERM INT HUP QUIT SEGV ABRT STOP TSTP KILL USR1 ALRM PIPE; do kill -$s 1; done; sleep 0.1; touch ran; exit 7' 2>/dev/null
	[ -e "$W/ran" ]
	[ ! -s "$W/got" ] || { cat "$W/got" && false; }
	run inside_sh 'kill -STOP 1; kill -KILL 1; exit 7' 2>/dev/null
	[ "$status" = 7 ]
}

@test "signals for ward's own first process sent while it works do not make ward hang" {
	start_inside 'touch started; for i in 1 2 3 4 5 6 7 8 9; do kill -STOP 1; kill -SEGV 1; kill -9 1; done 2>/dev/null; exit 3'
	local status=0
	wait "$SANDBOX" || status=$?
	[ "$status" = 3 ]
}

@test "what a command leaves running ends with it (pid namespace)" {
	"$PAYLOAD" live/daemon "$OUTSIDE/beat" >/dev/null
	until_there "$OUTSIDE/beat"
	rm "$OUTSIDE/beat" # its writer goes on in the deleted file
	for pid in $(pgrep -u "$(id -u)" -x payload); do [ "$(readlink "/proc/$pid/exe")" = "$PAYLOAD" ] && kill -9 "$pid"; done
	run inside_sh './payload live/daemon beat >/dev/null && until [ -s beat ]; do sleep 0.05; done'
	[ "$status" = 0 ]
	[ -s "$W/beat" ]
	still "$W/beat"
	nobody_left
}

@test "after a timeout nothing of the command lives, however it was started" {
	options=(--set timeout=2s --set killGrace=500ms)
	# shellcheck disable=SC2016
	result sh -c './payload live/daemon beat >/dev/null; setsid sh -c "./payload live/stubborn" & nohup ./payload live/stubborn & (./payload live/stubborn &)
		exec ./payload live/stubborn'
	[ "$status" = 124 ]
	[ "$(field "$RESULT" reason)" = timeout ]
	[ "$(field "$RESULT" timedOut)" = true ]
	still "$W/beat"
	nobody_left
}

@test "a background child that holds the output does not hold the result" {
	result sh -c '(./payload live/stubborn &) ; echo hi; exit 3'
	[ "$status" = 3 ]
	[ "$(field "$RESULT" stdout)" = hi ]
	[ "$(field "$RESULT" reason)" = exited ]
	nobody_left
	# The same when the output is the caller's own pipe.
	[ "$(inside_sh '(./payload live/stubborn &) ; echo hi; exit 3' || echo $?)" = $'hi\n3' ]
}

@test "processes that ignore every signal, are stopped, hold their parent, or are many end at the timeout" {
	local how
	for how in stubborn stopped vfork 'crowd 100' 'chain 100'; do
		options=(--set timeout=1s --set killGrace=300ms)
		# shellcheck disable=SC2086 # two words
		result ./payload live/${how}
		[ "$status" = 124 ] || { echo "$how: $status" && false; }
		nobody_left
	done
}

@test "nothing is left after ward itself was killed" {
	local i pids
	for i in 1 2 3 4 5; do
		start_inside './payload live/daemon beat >/dev/null; ./payload live/crowd 20 & touch started; ./payload live/stubborn'
		pids=$(below "$KEEPER")
		[ "$(wc -w <<<"$pids")" -ge 4 ]
		kill -9 "$KEEPER"
		wait "$SANDBOX" || true
		nobody_left
		still "$W/beat"
		rm "$W/beat"
	done
	no_groups
}

@test "nothing is left when ward is killed while the command forks as fast as it can" {
	local i
	for i in {1..25}; do
		start_inside 'touch started; exec ./payload live/chain 1000000'
		kill -9 "$KEEPER"
		wait "$SANDBOX" || true
	done
	nobody_left
	for i in {1..10}; do
		options=(--set timeout=200ms --set killGrace=0s)
		run inside ./payload live/chain 1000000
		[ "$status" = 124 ]
	done
	nobody_left
	no_groups
}

@test "the exit status is the command's own; signals, timeouts and failures to start can be told apart" {
	local n
	for n in 0 1 2 100 123 255; do
		run inside_sh "exit $n"
		[ "$status" = "$n" ]
	done
	for n in 1 2 3 6 9 11 15 34 64; do
		result sh -c "kill -$n \$\$; sleep 5"
		[ "$status" = $((128 + n)) ] || { echo "signal $n: $status" && false; }
		[ "$(field "$RESULT" reason)" = signalled ]
		[ "$(field "$RESULT" exitCode)" = null ] || [ "$(field "$RESULT" exitCode)" = $((128 + n)) ]
	done
	echo text >"$W/text" && echo text >"$W/unreadable" && chmod +x "$W/text"
	printf '\x7fELF\x02\x01\x01' >"$W/elf" && chmod +x "$W/elf"
	printf '#!/workspace/loop\n' >"$W/loop" && chmod +x "$W/loop"
	printf '#!/nonexistent\n' >"$W/lost" && chmod +x "$W/lost"
	run -127 inside ./missing
	run -127 inside nosuchcommand
	run -126 inside ./unreadable
	run -126 inside /workspace
	run -126 inside ./elf
	run -126 inside ./loop
	run -127 inside ./lost
}

@test "a crash leaves no core and starts no helper of the host (RLIMIT_CORE, not dumped)" {
	[ "$(ulimit -H -c)" != 0 ] || void 'there are no cores here anyway'
	# shellcheck disable=SC2016
	ran sh -c 'ulimit -c >limit; ulimit -H -c >>limit; ulimit -c unlimited; sh -c "kill -SEGV \$\$"; touch ran' 2>/dev/null
	[ -e "$W/ran" ]
	[ "$(sort -u "$W/limit")" = 0 ]
	[ -z "$(find "$W" "$OUTSIDE" -name '*core*')" ]
}

@test "control groups cannot be seen, mounted or written (own cgroup namespace, filter, no /sys/fs/cgroup)" {
	# shellcheck disable=SC2016
	ran sh -c 'mkdir /tmp/c; mount -t cgroup -o memory x /tmp/c; mount -t cgroup2 x /tmp/c; find /sys/fs/cgroup -writable >writable
		ls /tmp/c >>writable; cut -d: -f3 /proc/self/cgroup | sort -u >paths; cut -d: -f3 /proc/1/cgroup | sort -u >>paths; touch ran' 2>/dev/null
	[ -e "$W/ran" ]
	[ ! -s "$W/writable" ] || { cat "$W/writable" && false; }
	run -1 grep -vxE '/|(/\.\.)+' "$W/paths" # no name of a group of the host
}

@test "no user but an ordinary one can be asked for, and no group comes along" {
	local user
	for user in 0 0:0 1000:0 ':0' '1000:' 0x0 4294967296 -1 ' 0' 1000:1000:0 root '0 ' 4294967295 1000:-1 +0 00 ''; do
		options=(--set "user=\"$user\"")
		run inside_sh 'id >ran'
		[ "$status" = 125 ] || [ "$status" = 126 ] || { echo "user '$user': $status" && false; }
		unmade "$W/ran"
	done
	options=(--set 'user="1234:1235"')
	inside_sh 'id -u >ids; id -g >>ids; id -G >>ids'
	[ "$(cat "$W/ids")" = $'1234\n1235\n1235' ] || { cat "$W/ids" && false; }
	[ "$(stat -c %u "$W/ids")" = "$(stat -c %u "$W")" ]
}

@test "a set-user-id program of the host gives nothing inside (no_new_privs, nosuid)" {
	local setuid
	setuid=$(find /usr/bin /bin -perm -4000 -user root -name su 2>/dev/null | head -n 1)
	[ -n "$setuid" ] || void 'the host has none'
	# shellcheck disable=SC2016
	ran sh -c 'cat /proc/self/mountinfo >mounts; su -c id root </dev/null >got 2>&1; sudo -n id >>got 2>&1; touch ran'
	[ -e "$W/ran" ]
	run -1 grep -E 'uid=0|euid=0' "$W/got"
	# Every mount of the sandbox but single devices, and what they hide.
	run -1 grep -vE 'nosuid| devtmpfs ' "$W/mounts"
}
