#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# System calls that fail, one after the other, while a sandbox is made, used and ended: each time there is a result or
# an error that says something, the next command works, and nothing is left. Each time a dozen other calls; FULL=1: all
# of them, with more errors.
# shellcheck disable=SC2016,SC2030,SC2031 # expanded inside; each test is a process of its own
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # which cannot be where somebody traces
many_sandboxes

calls='openat mmap fork clone clone3 pipe2 socket socketpair connect bind listen accept4 sendmsg recvmsg poll
	fcntl dup2 dup3 close_range mkdir mkdirat ftruncate pread64 read write unlinkat fstat newfstatat readlink
	mount open_tree move_mount mount_setattr pivot_root umount2 unshare setns sethostname symlink chdir fchdir
	setsid setresuid setresgid setgroups prctl capset signalfd4 seccomp landlock_create_ruleset
	landlock_add_rule landlock_restrict_self execve flock fallocate rename renameat'
[ -z "${SANITIZED-}" ] || calls=${calls/mmap/} # the sanitizer's own fail then
errors='EIO'
moments='1 4'
[ -z "${FULL-}" ] || { errors='EIO ENOMEM ENOSPC EMFILE EAGAIN EPERM EINTR' && moments='1 2 3 4 5 6 7 8 12 20 40'; }

# One command, in a sandbox that ends by itself, with a call that fails; 2>: what was said
try() { # WHAT COMMAND...
	timeout -k 5 60 strace -f -qq -o /dev/null -e "trace=${1%%:*}" -e "inject=$1" "${@:2}" >/dev/null
}

teardown() {
	"$WARD" stop --force 2>/dev/null || true
	"$WARD" prune >/dev/null
}

some() {
	[ -z "${FULL-}" ] || { echo "$calls" && return; }
	echo connect sendmsg # everything needs one of them
	tr -s ' \t\n' '\n' <<<"$calls" | shuf -n 10
}

each() { # COMMAND...: with every call, error and moment
	local call error moment status said began tried=0 failed=0
	for call in $(some); do
		strace -e "trace=$call" true 2>/dev/null || continue # not on this machine
		for error in $errors; do
			for moment in $moments; do
				status=0 began=$SECONDS
				said=$(try "$call:error=$error:when=$moment" "$@" 2>&1) || status=$?
				tried=$((tried + 1))
				[ $((SECONDS - began)) -lt 50 ] || { echo "$call $error $moment: it hangs" && return 1; }
				case $status in
				0) ;;
				1 | 125 | 126 | 127 | 137) failed=$((failed + 1)) ;;
				*) echo "$call $error $moment: status $status: $said" && return 1 ;;
				esac
				if [ "$status" = 125 ] && [[ $said != *ward:* ]] && [ "$call" != write ]; then
					echo "$call $error $moment: nothing said" && return 1
				fi
			done
		done
		timeout 60 "$WARD" exec -- true || { echo "$call: the next command fails" && return 1; }
	done
	echo "$tried tried, $failed of them failed"
	[ "$failed" -gt 0 ]
}

@test "while a sandbox is made and ends" {
	command -v strace >/dev/null || skip 'no strace'
	each "$WARD" exec --session fault --set prune.idle=50ms -- true
}

@test "while one is used" {
	command -v strace >/dev/null || skip 'no strace'
	# One that is made anew ends by itself too: the tracer waits for it.
	"$WARD" exec --set prune.idle=1s -- true
	[ -n "${FULL-}" ] || moments=1
	each "$WARD" exec --set prune.idle=1s -- true
}

@test "while a command runs alone" {
	command -v strace >/dev/null || skip 'no strace'
	each "$WARD" run -- true
}
