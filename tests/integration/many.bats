#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Many sandboxes, one after the other and at once: none fails, none gets the output of another, and nothing is left.
# With FULL=1: 1,000 and 100; else fewer, for a short test.

# shellcheck disable=SC2016,SC2030,SC2031 # expanded inside; each test has its own
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

loops=300 crowd=40
[ "${FULL:-0}" != 1 ] || loops=1000 crowd=100

@test "one after the other" {
	for ((i = 0; i < loops; i++)); do
		said=$("$WARD" run -- sh -c 'echo "$1" >last; cat last; exit "$2"' - "$i" $((i % 100)) 2>&1) && status=0 || status=$?
		if [ "$said" != "$i" ] || [ "$status" != $((i % 100)) ]; then
			echo "$i: status $status, $said" && return 1
		fi
	done
	[ "$(cat last)" = $((loops - 1)) ]
	[ "$(ls)" = last ]
}

@test "all at once" {
	pids=()
	for ((i = 0; i < crowd; i++)); do
		# Each waits until all are there.
		"$WARD" run --json -- sh -c 'touch "here.$1"; while [ ! -e go ]; do sleep 0.2; done; echo "$1"; echo "err $1" >&2; exit "$1"' - "$i" \
			>"$BATS_TEST_TMPDIR/$i" 2>&1 3>&- &
		pids+=($!)
		children+=($!)
	done
	for ((i = 0; i < crowd; i++)); do
		until_there "here.$i" || { cat "$BATS_TEST_TMPDIR/$i" && return 1; }
	done
	touch go
	for ((i = 0; i < crowd; i++)); do
		status=0 RESULT=$BATS_TEST_TMPDIR/$i
		wait "${pids[i]}" || status=$?
		holds "status == $i and d['stdout'] == '$i\n' and d['stderr'] == 'err $i\n' and d['reason'] == 'exited'"
	done
}

@test "short ones in waves" {
	for ((round = 0; round < 3; round++)); do
		pids=()
		for ((i = 0; i < crowd; i++)); do
			"$WARD" run --set resources.memory=64M -- true 3>&- &
			pids+=($!)
		done
		for pid in "${pids[@]}"; do
			wait "$pid" || { echo "status $?" && return 1; }
		done
	done
}

# What ward's two processes hold: open files, where that may be seen, and memory in KiB.
held() {
	local pid files=0 memory=0 pids
	read -ra pids < <(echo "$SANDBOX" "$(cat "/proc/$SANDBOX/task/$SANDBOX/children")")
	for pid in "${pids[@]}"; do
		files=$((files + $(find "/proc/$pid/fd" -mindepth 1 2>/dev/null | wc -l)))
		memory=$((memory + $(awk '/^VmHWM:/ { print $2 }' "/proc/$pid/status")))
	done
	echo "$files $memory"
}

@test "many files, programs and refusals in one sandbox leave ward no larger and with no more descriptors" {
	[ -z "${SANITIZED-}" ] || skip 'AddressSanitizer keeps freed memory for a while'
	script='touch ready.0; while [ ! -e go.0 ]; do sleep 0.05; done
		for i in $(seq 300); do
			echo x >f.$i; mv f.$i g.$i; rm g.$i; (echo x >.envrc) 2>/dev/null; mkdir d.$i; ln -s x d.$i/l; rm -r d.$i
		done
		touch ready; while [ ! -e go ]; do sleep 0.05; done'
	"$WARD" run -- sh -c "$script" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
	SANDBOX=$!
	children+=("$SANDBOX")
	until_there ready.0
	before=$(held)
	touch go.0
	until_there ready
	after=$(held)
	touch go
	ended
	echo "before $before, after $after"
	[ "$status" = 0 ]
	[ "${after% *}" = "${before% *}" ]
	[ "${after#* }" -lt $((${before#* } + 1024)) ]
	[ ! -e .envrc ]
}
