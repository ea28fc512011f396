#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Commands without a sandbox (mode off): how they end, what goes in and out, and that nothing of them is left.
# shellcheck disable=SC2016,SC2154 # what is in quotes is for other shells

load lib

host() { # OPTION... -- COMMAND...
	timeout -k 5 60 "$WARD" run --set mode=off "$@"
}

gone() { # WORD of a command line: nobody has it any more
	! grep -qsF "$1" /proc/[0-9]*/cmdline
}

@test "the exit status is the command's, and its end has a reason" {
	for code in 0 1 42 125 255; do
		run "-$code" host -- sh -c "exit $code"
		[ -z "$output" ]
	done
	run -143 host -- sh -c 'kill -TERM $$'
	PATH=/usr/bin:/bin run -127 host -- nosuchprogram
	[[ $output == *"cannot run 'nosuchprogram' on the host: No such file"* ]]
	touch plain
	run -126 host -- ./plain
	run -0 host --json -- sh -c 'echo out; echo err >&2; pwd'
	[[ $output == *'"stdout": "out\n'"$PWD"'\n"'* && $output == *'"stderr": "err\n"'* ]]
	[[ $output == *'"reason": "exited"'* && $output == *'"runtime": "host"'* && $output == *'"sandbox": null'* ]]
	[[ $output == *'"filesystem": "none"'* ]]
	run -0 host --dry-run -- echo x
	[[ $output == *"run program (host)"* ]]
}

@test "a person on a terminal is told that there is no sandbox, others are not" {
	run -0 "$HELPERS/withpty" "$WARD" run --set mode=non-main -- echo ran
	[[ $output == 'ward: this runs on the host, not in a sandbox: mode non-main'*ran* ]]
	run -0 "$HELPERS/withpty" "$WARD" run -- echo ran
	[[ $output != *'on the host'* ]]
	run -0 host -- echo ran
	[ "$output" = ran ]
}

@test "environment, input and umask are the caller's" {
	run -0 env MINE=yes bash -c 'umask 077; echo typed | "$0" run --set mode=off -- sh -c '"'"'echo $MINE; cat; umask'"'" "$WARD"
	[ "$output" = $'yes\ntyped\n0077' ]
	# Nothing else is handed on.
	exec 7</etc/passwd
	run -0 host -- sh -c 'ls /proc/self/fd'
	exec 7<&-
	[[ $output != *7* ]]
}

@test "whatever it leaves behind ends with it" {
	word=$(a_word)
	run -0 host -- bash -c "exec -a $word sleep 1000 & (setsid bash -c 'exec -a $word sleep 1000' &) ; echo over"
	[ "$output" = over ]
	gone "$word"
	# One that becomes a daemon twice over, and is in nobody's group or session.
	run -0 host -- "$python" -c "
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 10)
        os.execv('/bin/sleep', ['$word', '1000'])
    os._exit(0)
os.wait()"
	gone "$word"
	run -0 host --json -- bash -c "exec -a $word sleep 1000 & echo over"
	gone "$word"
}

@test "limits: time, silence, output" {
	word=$(a_word)
	run -124 host --set timeout=300ms -- bash -c "trap '' TERM; (exec -a $word setsid sleep 1000 &); (exec -a $word sleep 1000); sleep 1000"
	[[ $output == *"ended after 300ms (timeout)"* ]]
	gone "$word"
	# Also when the keeper was stopped by what it keeps.
	run -124 host --json --set timeout=300ms --set killGrace=100ms -- bash -c "kill -STOP \$PPID; (exec -a $word sleep 1000)"
	[[ $output != *'are left'* ]]
	gone "$word"
	run -124 host --set idleTimeout=300ms -- bash -c "exec -a $word sleep 1000"
	gone "$word"
	run -0 host --set outputLimit=10 -- echo 123456789012345
	[[ $output == *"6 bytes of stdout were dropped"* ]]
}

@test "signals are passed on" {
	word=$(a_word)
	for signal in INT TERM HUP; do
		"$WARD" run --set mode=off -- "$python" -c "
import signal, sys, time
def end(number, frame):
    open('got', 'w').write(str(number))
    sys.exit(7)
for s in signal.SIGINT, signal.SIGTERM, signal.SIGHUP: signal.signal(s, end)
open('ready', 'w').close()
time.sleep(1000) # $word" &
		pid=$!
		for _ in {1..600}; do
			[ ! -e ready ] || break
			sleep 0.05
		done
		kill "-$signal" "$pid"
		status=0
		wait "$pid" || status=$?
		[ "$status" = 7 ]
		for _ in {1..200}; do
			[ ! -s got ] || break
			sleep 0.05
		done
		[ "$(cat got)" = "$(kill -l "$signal")" ]
		rm -f ready got
	done
	gone "$word"
}

@test "when ward is killed, the command ends too" {
	word=$(a_word)
	"$WARD" run --set mode=off -- bash -c "(setsid bash -c 'exec -a $word sleep 1000' &); : >ready; sleep 1000" &
	pid=$!
	for _ in {1..600}; do
		[ ! -e ready ] || break
		sleep 0.05
	done
	kill -9 "$pid"
	for _ in {1..100}; do
		! gone "$word" || break
		sleep 0.1
	done
	gone "$word"
}

@test "in a session: exec runs on the host, and what needs a sandbox says so" {
	run -0 "$WARD" exec --set mode=off -- sh -c '[ ! -e /workspace ] && echo outside'
	[ "$output" = outside ]
	run -125 "$WARD" exec --set mode=off --background -- sleep 1
	[[ $output == *"on the host"* ]]
	run -125 "$WARD" exec --set mode=off --memory 10M -- true
	[[ $output == *"on the host"* ]]
	run -125 "$WARD" start --set mode=off
	[[ $output == *"has no sandbox"* ]]
	run -0 "$WARD" exec --set 'tools.bypass=["exec"]' -- sh -c '[ ! -e /workspace ] && echo outside'
	[ "$output" = outside ]
}

@test "on the caller's own terminal" {
	run -0 "$HELPERS/withpty" "$WARD" run --set mode=off -t -- sh -c 'test -t 0 && test -t 1 && echo one; echo two >/dev/tty'
	[[ $output == *one*two* ]]
}
