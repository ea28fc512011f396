#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# `ward run -t`: what a person at a terminal expects, from its size to job control; and signals to a ward without one.

# shellcheck disable=SC2016,SC2154 # expanded inside; set by run
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

# on_terminal [-w TEXT -s TEXT] COMMAND...: on a terminal of its own; what it showed is in $output, without returns,
# the state of the terminal afterwards in $stderr.
on_terminal() {
	run --separate-stderr timeout -k 5 60 "$HELPERS/withpty" "$@"
	output=${output//$'\r'/}
}

# talk STEP... -- COMMAND...: on a terminal of 33 lines and 99 columns; a step is a text that is waited for in what is
# shown after the step before, or +TEXT to type it, or =ROWSxCOLUMNS to change the size. Ends with the command, whose
# status it has. Fails with 99 when a text does not come within 30 s, and says what was shown.
talk() {
	timeout -k 5 100 "$python" - "$@" <<-'END'
		import fcntl, os, pty, select, struct, sys, termios, time
		split = sys.argv.index("--")
		steps, command = sys.argv[1:split], sys.argv[split + 1:]

		def size(text):
		    rows, columns = map(int, text.split("x"))
		    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

		pid, fd = pty.fork()
		if pid == 0:
		    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 99, 0, 0))
		    os.execvp(command[0], command)
		seen, at = b"", 0

		def more(seconds):
		    global seen
		    if not select.select([fd], [], [], seconds)[0]:
		        return True
		    try:
		        data = os.read(fd, 65536)
		    except OSError:
		        data = b""
		    seen += data
		    return bool(data)

		for step in steps:
		    if step[0] == "+":
		        os.write(fd, step[1:].encode())
		    elif step[0] == "=":
		        size(step[1:])
		    else:
		        end = time.monotonic() + 30
		        while (found := seen.find(step.encode(), at)) < 0:
		            if not more(0.1) or time.monotonic() > end:
		                os.kill(pid, 9)
		                print("never shown: %r, but:\n%s" % (step, seen.decode(errors="replace")))
		                sys.exit(99)
		        at = found + len(step)
		end = time.monotonic() + 30
		while more(0.1):
		    if time.monotonic() > end:
		        os.kill(pid, 9)
		        print("does not end; shown:\n" + seen.decode(errors="replace"))
		        sys.exit(98)
		print(seen.decode(errors="replace"))
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
	END
}

@test "a terminal of its own, which has a name" {
	on_terminal "$WARD" run -t -- sh -c 'tty; test -t 0 && test -t 1 && test -t 2 && echo >/dev/tty && exit 5'
	[ "$status" = 5 ]
	[[ $output == /dev/pts/0* ]]
	[[ $stderr == *'settings same'* ]]
	on_terminal "$WARD" run -t -- python3 -c 'import os; print(os.getsid(0) != 0, os.tcgetpgrp(0) == os.getpgrp())'
	[[ $output == 'True True'* ]]
}

@test "the size passes, also when it changes" {
	run -0 talk 'size 33 99' -- "$WARD" run -t -- sh -c 'echo size $(stty size)' # from the first moment on
	run -0 talk 'size 33 99' =40x120 'size 40 120' -- "$WARD" run -t -- \
		bash -c 'trap "echo size \$(stty size)" WINCH; echo size $(stty size); while [ "$(stty size)" != "40 120" ]; do sleep 0.1; done; echo size $(stty size)'
}

@test "what is typed arrives, the end of input too" {
	run -0 talk 'say:' $'+word\r' 'heard word' -- "$WARD" run -t -- sh -c 'echo say:; read -r x; echo "heard $x"'
	run -0 talk ready $'+line\r' $'+\004' 'line' 'count 5' -- "$WARD" run -t -- sh -c 'echo ready; cat >got; echo "count $(wc -c <got)"'
}

@test "more is typed than anybody reads: the times are kept" {
	head -c 200000 /dev/zero | tr '\0' x >typed
	run -124 timeout 60 script -qec '"$WARD" run -t --set timeout=2s --set killGrace=1s -- sh -c "stty raw -echo; sleep 1000"' /dev/null <typed
}

@test "a terminal that nobody reads does not hold up the times" {
	cat >unread.py <<-'END'
		import os, pty, sys, time
		pid, master = pty.fork()
		if pid == 0:
		    os.execv(sys.argv[1], sys.argv[1:])
		seen = over = False
		for i in range(600):
		    children = open("/proc/%d/task/%d/children" % (pid, pid)).read()
		    seen |= children != ""
		    over = seen and children == ""
		    if over:
		        break
		    time.sleep(0.05)
		if not over:
		    os.kill(pid, 9)
		    sys.exit("the sandbox does not end")
		try:
		    while os.read(master, 65536):
		        pass
		except OSError:
		    pass
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
	run -124 python3 unread.py "$WARD" run -t --set timeout=1s --set killGrace=500ms -- yes
	run -124 python3 unread.py "$WARD" run --set outputLimit=100M --set timeout=1s --set killGrace=500ms -- yes
}

@test "a stop from inside, where no shell could go on with it, does not stop ward" {
	run -124 timeout 60 script -qec '"$WARD" run -t --set timeout=2s --set killGrace=500ms -- sh -c "(sleep 0.3; kill -STOP \$PPID) & sleep 1000"' /dev/null </dev/null
}

@test "Ctrl-C ends the command, and what traps it goes on" {
	echo ready >text # shown by a program that waits then; a shell may be between two commands
	run -130 talk ready $'+\003' -- "$WARD" run -t -- tail -f text
	run -5 talk ready $'+\003' trapped -- "$WARD" run -t -- sh -c 'trap "echo trapped; exit 5" INT; echo ready; while :; do sleep 0.1; done'
	run -131 talk ready $'+\034' -- "$WARD" run -t -- sh -c 'ulimit -c 0; exec tail -f text'
}

@test "a shell with job control" {
	# The job says when it is there: what is typed before belongs to the shell.
	job='sh -c "echo up; exec sleep 1000"'
	run -7 talk 'sandbox$ ' "+$job"$'\r' $'up\r' $'+\032' Stopped 'sandbox$ ' $'+jobs; echo n$((1+1))\r' 'sleep 1000' n2 \
		$'+bg; echo b$((2+1))\r' b3 $'+kill %1; wait; echo w$((3+1))\r' w4 "+$job"$'\r' $'up\r' $'+\003' 'sandbox$ ' $'+exit 7\r' -- \
		"$WARD" run -t --set 'env={PS1: "sandbox$ "}' -- bash --norc -i
	[[ $output != *'no job control'* ]]
	[[ $output != *'cannot set terminal process group'* ]]
	run -0 talk '$ ' "+$job"$'\r' $'up\r' $'+\003' '$ ' $'+exit 0\r' -- "$WARD" run -t -- sh -i
	[[ $output != *'job control turned off'* ]]
}

@test "Ctrl-Z stops ward as a job of the caller's shell, and fg goes on" {
	echo begun >text # shown by a program without children: one that is about to start one may stop only half
	run -0 talk 'host$ ' $'+"$WARD" run -t -- tail -f text\r' begun $'+\032' Stopped 'host$ ' $'+echo went >>text; fg\r' $'\nwent' $'+\003' \
		'host$ ' $'+stty -a | tr " " "\\n" | grep -x echo; exit 0\r' -- env HISTFILE= PS1='host$ ' bash --norc -i
	[[ $output == *$'\necho\r'* ]]
}

@test "a full-screen program: keys one by one, no echo" {
	on_terminal -w ready -s x "$WARD" run -t -- sh -c 'stty raw -echo; echo ready; k=$(dd bs=1 count=1 2>/dev/null); stty sane; echo "key $k"'
	[[ $output == *'key x'* ]]
	[[ $stderr == *'settings same'* ]]
}

@test "much output, and an end while it flows, leave the settings as they were" {
	timeout 60 "$HELPERS/withpty" "$WARD" run -t -- seq 20000 >shown 2>state
	seq 20000 | sed 's/$/\r/' | cmp - shown
	grep -qx 'settings same' state
	run -124 bash -c 'timeout 60 "$HELPERS/withpty" "$WARD" run -t --set timeout=500ms -- yes >/dev/null 2>state'
	grep -qx 'settings same' state
	on_terminal "$WARD" run -t -- sh -c 'kill -9 $$'
	[ "$status" = 137 ]
	[[ $stderr == *'settings same'* ]]
}

@test "without -t there is no terminal to open, and none to type into" {
	[ -x /usr/bin/python3 ] || skip 'python3 is not in /usr/bin'
	on_terminal "$WARD" run -- sh -c '(exec 3<>/dev/tty) 2>/dev/null && echo opened; exit 3'
	[ "$status" = 3 ]
	[[ $output != *opened* ]]
	on_terminal "$WARD" run -- /usr/bin/python3 -c 'import fcntl, termios
for fd in 0, 1, 2:
    try: fcntl.ioctl(fd, termios.TIOCSTI, b"x"); print("typed")
    except OSError as e: print("refused", e.errno)'
	[[ $output == $'refused 1\nrefused 1\nrefused 1'* ]]
	[[ $stderr == *'input 0'* ]]
}

@test "-t without a terminal is refused" {
	run -125 ward_run -t -- touch ran </dev/null
	[[ $output == *terminal* ]]
	[ ! -e ran ]
}

@test "signals to ward reach the command" {
	for signal in INT:2 TERM:15 HUP:1 QUIT:3 USR1:10 USR2:12; do
		# From a shell with job control: without, what it starts in the background ignores SIGINT and SIGQUIT.
		set -m
		start -- sh -c "trap 'echo got ${signal%:*}; exit 9' ${signal%:*}; touch ready; while :; do sleep 0.1; done"
		set +m
		kill "-${signal%:*}" "$SANDBOX"
		ended
		[ "$status" = 9 ] || { echo "$signal: $status" && return 1; }
		grep -qx "got ${signal%:*}" "$BATS_TEST_TMPDIR/out" || { cat "$BATS_TEST_TMPDIR/out" && return 1; }
		set -m
		start -- sh -c "ulimit -c 0; touch ready; exec sleep 1000"
		set +m
		kill "-${signal%:*}" "$SANDBOX"
		ended
		[ "$status" = $((128 + ${signal#*:})) ] || { echo "untrapped $signal: $status" && return 1; }
	done
}

@test "a second signal kills" {
	for signal in INT TERM HUP; do
		set -m
		start --json -- sh -c "trap 'touch heard' $signal; trap '' HUP TERM; trap 'touch heard' $signal; touch ready; while :; do sleep 0.1; done"
		set +m
		rm -f heard
		kill "-$signal" "$SANDBOX"
		until_there heard
		kill "-$signal" "$SANDBOX"
		ended
		cp "$BATS_TEST_TMPDIR/out" "$RESULT"
		holds 'status == 137 and d["reason"] == "stopped"'
	done
}

@test "SIGTSTP stops command and ward, SIGCONT both go on" {
	set -m
	start -- sh -c 'touch ready; while [ ! -e go ]; do echo x >>beat; sleep 0.05; done; exit 6'
	set +m
	kill -TSTP "$SANDBOX"
	for _ in {1..100}; do
		[ "$(awk '/^State:/ { print $2 }' "/proc/$SANDBOX/status")" != T ] || break
		sleep 0.05
	done
	[ "$(awk '/^State:/ { print $2 }' "/proc/$SANDBOX/status")" = T ]
	sleep 0.2
	still beat
	kill -CONT "$SANDBOX"
	touch go
	ended
	[ "$status" = 6 ]
}
