#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Sandboxes that live: `ward exec` in the sandbox of a session, and start, stop, status, list, recreate, prune.
# shellcheck disable=SC2016,SC2030,SC2031 # expanded inside; each test is a process of its own
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

# Root's sandboxes are in /run/ward, whatever the environment says.
export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
many_sandboxes

teardown() {
	local pid
	for pid in "${children[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	cd "$BATS_TEST_TMPDIR/w" || return
	for session in main a b; do
		"$WARD" stop --force --session "$session" 2>/dev/null || true
		"$WARD" stop --force --session "$session" --set workspace=none 2>/dev/null || true
	done
}

# Only digits: behind the point of `sleep 1000.N`.
a_word() {
	echo "$((RANDOM + 100000))$$$((RANDOM + 100000))"
}

ward() {
	timeout -k 5 60 "$WARD" "$@"
}

exec_() {
	ward exec "$@"
}

# where sandboxes are found, and what is kept of them
place() {
	[ "$(id -u)" = 0 ] && echo /run/ward || echo "$XDG_RUNTIME_DIR/ward"
}
state() {
	[ "$(id -u)" = 0 ] && echo /var/lib/ward || echo "$XDG_STATE_HOME/ward"
}

# waits for a line of `ward status --json` that has the text
until_status() {
	local i
	for ((i = 0; i < 200; i++)); do
		"$WARD" status --json | grep -qF -- "$1" && return
		sleep 0.05
	done
	"$WARD" status --json
	return 1
}

@test "the first command starts the sandbox, the next ones find it" {
	exec_ -- sh -c 'echo first >/tmp/mark; hostname'
	run -0 exec_ -- cat /tmp/mark
	[ "$output" = first ]
	run -0 ward list
	[[ $output == *"agent:main:main"*"running"*"same"* ]]
	ward stop
	run -1 exec_ -- test -e /tmp/mark
}

@test "the exit status is the command's, and what is said when it cannot be run" {
	for code in 0 1 2 42 100 124 125 126 127 128 137 255; do
		run "-$code" exec_ -- sh -c "exit $code"
	done
	run -127 exec_ -- no-such-program
	[[ $output == *"no-such-program"* ]]
	run -126 exec_ -- /etc
	run -143 exec_ -- sh -c 'kill -TERM $$'
	run -137 exec_ -- sh -c 'kill -9 $$'
}

@test "what is missing is said, and what to do about it" {
	if [ "$(id -u)" != 0 ]; then # root has its own folder, whatever the environment says
		run -125 env XDG_RUNTIME_DIR="$BATS_TEST_TMPDIR/none" "$WARD" exec -- true
		[[ $output == *"make '$BATS_TEST_TMPDIR/none/ward'"*'XDG_RUNTIME_DIR'* ]]
	fi
	run -125 ward process output --session other 1
	[[ $output == *'no running sandbox'*"'ward list'"* ]]
	exec_ -- true
	for id in '' none -1 99999999999; do
		run -125 ward process output -- "$id"
		[[ $output == *"'$id' is no id of a process; 'ward process list' shows them" ]]
	done
	mkdir gone
	run -125 sh -c 'cd gone && rmdir ../gone && exec "$WARD" run -- true'
	[[ $output == *'the current folder was removed'* ]]
}

@test "input, output and errors are the caller's own" {
	run -0 bash -c 'echo in | timeout 60 "$WARD" exec -- cat'
	[ "$output" = in ]
	exec_ -- sh -c 'echo out; echo err >&2' >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
	[ "$(cat "$BATS_TEST_TMPDIR/out")" = out ]
	[ "$(cat "$BATS_TEST_TMPDIR/err")" = err ]
	head -c 3000000 /dev/zero | exec_ -- wc -c | grep -qx 3000000
}

@test "a folder of the host is not handed in" {
	run -125 bash -c 'timeout 60 "$WARD" exec -- cat </'
	[[ $output == *"folder of the host"* ]]
}

@test "long arguments and environments" {
	arg=$(head -c 100000 /dev/zero | tr '\0' x)
	run -0 exec_ -- sh -c 'echo ${#1}' sh "$arg"
	[ "$output" = 100000 ]
	mapfile -t many < <(seq 5000)
	run -0 exec_ -- sh -c 'echo $#' sh "${many[@]}"
	[ "$output" = 5000 ]
}

@test "everything that a command started ends with it" {
	word=$(a_word)
	exec_ -- sh -c "(setsid sleep 1000.$word &) ; sleep 1000.$word & nohup sleep 1000.$word >/dev/null 2>&1 &
		python3 -c 'import os
if os.fork() == 0:
	os.setsid()
	if os.fork() == 0:
		os.execvp(\"sleep\", [\"sleep\", \"1000.$word\"])
	os._exit(0)
os.wait()' ; echo done"
	gone "$word"
	run -0 exec_ -- ps -e -o args
	[[ $output != *"$word"* ]]
}

@test "commands at once see the same /tmp and do not mix their output" {
	exec_ -- true
	for i in {1..12}; do
		exec_ -- sh -c "echo $i >/tmp/n.$i; for j in 1 2 3 4 5 6 7 8; do echo $i; done" >"$BATS_TEST_TMPDIR/o.$i" &
		children+=($!)
	done
	wait
	for i in {1..12}; do
		[ "$(sort -u "$BATS_TEST_TMPDIR/o.$i")" = "$i" ]
		[ "$(wc -l <"$BATS_TEST_TMPDIR/o.$i")" = 8 ]
	done
	run -0 exec_ -- sh -c 'ls /tmp/n.* | wc -l'
	[ "$output" = 12 ]
}

@test "twenty callers at once start one sandbox" {
	for i in {1..20}; do
		exec_ -- sh -c 'echo x >>/tmp/once' &
		children+=($!)
	done
	wait
	run -0 exec_ -- sh -c 'wc -l </tmp/once'
	[ "$output" = 20 ]
	[ "$("$WARD" list --json | grep -cF "$PWD")" = 1 ]
}

@test "sessions have sandboxes of their own, unless the scope says otherwise" {
	exec_ --session a -- touch /tmp/of-a
	run -1 exec_ --session b -- test -e /tmp/of-a
	exec_ --session a --set scope=shared -- touch /tmp/shared
	exec_ --session b --set scope=shared -- test -e /tmp/shared
	ward stop --set scope=shared
}

@test "another folder is another sandbox" {
	exec_ -- touch /tmp/here
	mkdir "$BATS_TEST_TMPDIR/other"
	cd "$BATS_TEST_TMPDIR/other"
	run -1 exec_ -- test -e /tmp/here
	ward stop
}

@test "a timeout ends the command and all of it, not the sandbox" {
	word=$(a_word)
	exec_ -- touch /tmp/mark
	run -124 exec_ --set timeout=300ms -- sh -c "trap '' TERM; setsid sleep 1000.$word & sleep 1000.$word"
	gone "$word"
	exec_ -- test -e /tmp/mark
}

@test "a caller that is killed takes its command with it" {
	word=$(a_word)
	exec_ -- true
	"$WARD" exec -- sh -c "touch ready; setsid sleep 1000.$word & sleep 1000.$word" &
	pid=$!
	until_there ready
	kill -9 "$pid"
	wait "$pid" || true
	gone "$word"
	exec_ -- true
}

@test "signals reach the command" {
	exec_ -- true
	"$WARD" exec -- sh -c 'trap "echo got; exit 7" TERM; touch ready; while :; do sleep 0.05; done' >"$BATS_TEST_TMPDIR/out" &
	pid=$!
	until_there ready
	kill "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 7 ]
	[ "$(cat "$BATS_TEST_TMPDIR/out")" = got ]
}

@test "json: the result, with what was refused to this command and no other" {
	exec_ -- true
	ward exec --json -- sh -c 'echo out; echo err >&2; echo x >.bashrc; exit 3' >"$BATS_TEST_TMPDIR/1" || [ $? = 3 ]
	ward exec --json -- true >"$BATS_TEST_TMPDIR/2"
	python3 - "$BATS_TEST_TMPDIR" <<-'END'
		import json, sys
		a, b = (json.load(open(sys.argv[1] + "/" + n)) for n in "12")
		assert a["exitCode"] == 3 and a["stdout"] == "out\n" and "err\n" in a["stderr"], a
		assert a["protected"] == {".bashrc": 1}, a
		assert b["protected"] == {} and b["exitCode"] == 0 and b["enforced"]["syscalls"] == "seccomp", b
	END
	[ ! -e .bashrc ]
}

@test "the limits of the sandbox hold for all commands together" {
	RESULT=$BATS_TEST_TMPDIR/r status=0
	ward exec --set resources.memory=64M --json -- python3 -c 'x = bytearray(200 << 20)' >"$RESULT" || status=$?
	[ "$status" = 137 ]
	grep -q '"reason": "oom"' "$RESULT"
	run exec_ --set resources.memory=64M -- true
	ward stop --set resources.memory=64M || true
}

@test "limits of one command, on top of the sandbox's" {
	run -0 exec_ -- sleep 0 # it runs
	run -137 exec_ --memory 60M -- python3 -c 'x = b"x" * (200 << 20); import time; time.sleep(100)'
	[[ $output == *"more than 60M of memory (--memory)"* ]]
	run -137 exec_ --memory 60M --json -- sh -c "python3 -c 'x = b\"x\" * (45 << 20); import time; time.sleep(100)' &
		python3 -c 'x = b\"x\" * (45 << 20); import time; time.sleep(100)'"
	[[ $output == *'"reason": "oom"'*'"memory": 1'* ]]
	exec_ --memory 200M -- python3 -c 'x = b"x" * (60 << 20); import time; time.sleep(0.4)'
	run -137 exec_ --pids 5 -- sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 100 & done; wait'
	[[ $output == *"the limit of 5 processes was met (--pids)"* ]]
	exec_ --pids 12 -- sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.3 & done; wait'
	run -124 exec_ --cpu-time 300ms -- sh -c 'while :; do :; done'
	[[ $output == *"after 300ms on processors (--cpu-time)"* ]]
	# Also of those that have ended, and not of those that only wait.
	run -124 exec_ --cpu-time 300ms -- sh -c 'while :; do sh -c "i=0; while [ \$i -lt 9000 ]; do i=\$((i+1)); done"; done'
	exec_ --cpu-time 300ms -- sleep 0.8
	# Nobody else's.
	exec_ --background -- sh -c 'while :; do sleep 0.1; done'
	run -137 exec_ --memory 60M -- python3 -c 'x = b"x" * (200 << 20); import time; time.sleep(100)'
	run -0 ward process list
	[[ $output == *running* ]]
	run -125 exec_ --set keepAlive=false --memory 60M -- true
	[[ $output == *"keepAlive is false"* ]]
	run -125 exec_ --memory 0 -- true
	run -125 exec_ --pids x -- true
}

@test "a changed configuration: made anew when nothing runs in it, else refused with the way out" {
	exec_ -- touch /tmp/mark
	run -1 exec_ --set resources.pids=50 -- test -e /tmp/mark
	"$WARD" exec --set resources.pids=50 -- sh -c 'touch ready; sleep 1000' &
	children+=($!)
	until_there ready
	run -125 exec_ -- true
	[[ $output == *"another configuration"*"ward recreate --force"* ]]
	run -125 ward recreate
	[[ $output == *"--force"* ]]
	ward recreate --force
	exec_ -- true
}

@test "kill -9 of the supervisor: the command ends, the next one gets a new sandbox" {
	word=$(a_word)
	exec_ -- touch /tmp/mark
	"$WARD" exec -- sh -c "touch ready; setsid sleep 1000.$word & sleep 1000.$word" 2>"$BATS_TEST_TMPDIR/err" &
	pid=$!
	until_there ready
	supervisor=$("$WARD" status --json | sed -n 's/ *"pid": \([0-9]*\),/\1/p')
	kill -9 "$supervisor"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 125 ]
	grep -q 'supervisor died' "$BATS_TEST_TMPDIR/err"
	gone "$word"
	while kill -0 "$supervisor"; do sleep 0.01; done 2>/dev/null
	run -0 ward status
	[[ $output == *"does not run"* ]]
	run -1 exec_ -- test -e /tmp/mark
	[[ $output == *"had been killed: a new one was started"* ]]
}

@test "everything killed from inside: said, and the next command gets a new sandbox" {
	exec_ -- touch /tmp/mark
	run -137 exec_ -- sh -c 'kill -9 -1; sleep 5'
	run -1 exec_ -- test -e /tmp/mark
}

@test "a shepherd killed from inside: nothing of its command is left, the sandbox lives" {
	word=$(a_word)
	exec_ -- touch /tmp/mark
	run -137 exec_ -- sh -c "setsid sleep 1000.$word & kill -9 \$PPID; sleep 1000.$word"
	gone "$word"
	exec_ -- test -e /tmp/mark
}

# A process whose first thread has ended looks dead; its second one does what the text says.
half_dead() { # PYTHON
	local line=$'\n' second
	second=${1//"$line"/"$line        "}
	cat >half.py <<-END
		import ctypes, os, signal, threading, time
		if os.fork() == 0:
		    os.setsid()
		    shepherd = os.getppid()
		    def second():
		        time.sleep(0.3)
		        $second
		    threading.Thread(target=second).start()
		    ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)
		time.sleep(1000)
	END
}

@test "a process without its first thread ends with its command, whatever it does to the shepherd" {
	exec_ -- touch /tmp/mark
	half_dead 'os.kill(int(os.environ["SHEPHERD"]), signal.SIGKILL)
while True:
    open("/workspace/beat", "a").write("x")
    time.sleep(0.01)'
	run -137 exec_ -- sh -c 'SHEPHERD=$PPID exec python3 half.py'
	sleep 0.2
	[ ! -e beat ] || still beat
	exec_ -- test -e /tmp/mark
}

@test "what such a process is refused is still told" {
	half_dead 'if os.fork() == 0:
    try: open("/workspace/.bashrc", "w")
    except OSError: pass
    os._exit(0)
os.wait()
os.kill(os.getppid(), signal.SIGTERM)'
	ward exec --json -- sh -c 'python3 half.py & sleep 1.5; exit 0' >"$BATS_TEST_TMPDIR/r" || true
	grep -q '".bashrc": 1' "$BATS_TEST_TMPDIR/r"
}

@test "a file that was handed in stays out of reach when its command has ended" {
	echo precious >"$BATS_TEST_TMPDIR/file"
	chmod 640 "$BATS_TEST_TMPDIR/file"
	cat >take.py <<-'END'
		import array, os, socket, time
		s = socket.socket(socket.AF_UNIX)
		s.bind("/tmp/s")
		s.listen()
		open("/workspace/ready", "w").close()
		data, fds, _, _ = socket.recv_fds(s.accept()[0], 1, 1)
		time.sleep(0.5)
		path = "/proc/self/fd/%d" % fds[0]
		for what in (lambda: os.chmod(path, 0o666), lambda: os.fchmod(fds[0], 0o666), lambda: os.truncate(path, 0),
		             lambda: open(path, "w"), lambda: os.setxattr(path, "user.x", b"x"), lambda: os.chown(path, -1, os.getgid())):
		    try:
		        what()
		        print("done")
		    except OSError as e:
		        print("refused", e.errno)
	END
	id=$(exec_ -b -- python3 take.py)
	until_there ready
	exec_ -- python3 -c 'import socket
s = socket.socket(socket.AF_UNIX)
s.connect("/tmp/s")
socket.send_fds(s, [b"x"], [0])' <"$BATS_TEST_TMPDIR/file"
	ward process wait "$id"
	run -0 ward process output "$id"
	[[ $output != *done* ]]
	[ "$(cat "$BATS_TEST_TMPDIR/file")" = precious ]
	[ "$(stat -c %a "$BATS_TEST_TMPDIR/file")" = 640 ]
}

@test "a command cannot lower the limits of what starts the next ones" {
	exec_ -- python3 -c 'import os, resource
resource.prlimit(0, resource.RLIMIT_NOFILE, (64, 64)) # its own
done = 0
for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
    try:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, 0))
        done += 1
    except (PermissionError, ProcessLookupError):
        pass
raise SystemExit(done)'
	exec_ -- sh -c 'echo x >/tmp/x && test -s /tmp/x'
}

@test "setupCommand runs once, and one that fails leaves no sandbox" {
	set=(--set 'setupCommand=echo x >>/tmp/set')
	exec_ "${set[@]}" -- true
	run -0 exec_ "${set[@]}" -- cat /tmp/set
	[ "$output" = x ]
	ward stop "${set[@]}"
	run -125 exec_ --set 'setupCommand=echo why >&2; exit 3' -- true
	[[ $output == *why*"setupCommand failed with status 3"* ]]
	run -0 ward list --json
	[[ $output != *"$PWD\""* ]]
	run -125 exec_ --set startupTimeout=200ms --set 'setupCommand=sleep 1000' -- true
	[[ $output == *"not ready within startupTimeout"* ]]
}

@test "keepAlive false: one sandbox per command" {
	exec_ --set keepAlive=false -- touch /tmp/mark
	run -1 exec_ --set keepAlive=false -- test -e /tmp/mark
	run -0 ward list --json
	[[ $output != *"$PWD\""* ]]
}

@test "a sandbox that nobody uses goes away by itself" {
	exec_ --set prune.idle=300ms -- true
	for _ in {1..100}; do
		"$WARD" list --json | grep -qF "$PWD" || break
		sleep 0.1
	done
	run ward list --json
	[[ $output != *"$PWD\""* ]]
}

@test "one that runs a command is not pruned, and stop needs --force" {
	"$WARD" exec --set prune.idle=100ms -- sh -c 'touch ready; sleep 1000' &
	children+=($!)
	until_there ready
	sleep 0.5
	run -125 ward stop --set prune.idle=100ms
	[[ $output == *"commands run"*"--force"* ]]
	ward stop --force --set prune.idle=100ms
}

@test "prune removes what a killed one left, and nothing of one that runs" {
	exec_ -- true
	exec_ --session a -- touch /tmp/mark
	kill -9 "$("$WARD" status --json | sed -n 's/ *"pid": \([0-9]*\),/\1/p')"
	until_status stopped
	run -0 ward prune
	[[ $output == *removed* ]]
	exec_ --session a -- test -e /tmp/mark
}

@test "status: one line, JSON, and of a session that has none" {
	run -0 ward status --line
	[ "$output" = 'ward: native, network none, not started' ]
	exec_ -- true
	run -0 ward status --line
	[ "$output" = 'ward: native, network none' ]
	run -0 ward status --json
	[[ $output == *'"state": "running"'*'"commands": 1'* ]]
}

@test "words that make no sense are refused" {
	run -125 exec_
	[[ $output == *"no command given"* ]]
	run -125 exec_ --session '' -- true
	run -125 ward stop no-such-sandbox
	[[ $output == *"no sandbox 'no-such-sandbox' runs"* ]]
	run -125 exec_ --session "$(head -c 5000 /dev/zero | tr '\0' x)" -- true
	exec_ --session '../../x
y' -- true
	ward stop --session '../../x
y'
}

@test "background: an id, its output, its input, its end" {
	id=$(exec_ --background -- sh -c 'while read -r l; do echo "got $l"; done; echo bye >&2; exit 4')
	[ "$id" = 1 ]
	run -0 ward process list
	[[ $output == *running*"while read"* ]]
	echo one | ward process write "$id"
	echo two | ward process write --end "$id"
	run -4 ward process wait "$id"
	run -0 ward process output "$id"
	[ "$output" = $'got one\ngot two\nbye' ]
	run -0 ward process output --since 8 "$id"
	[ "$output" = $'got two\nbye' ]
	run -0 ward process list --json
	[[ $output == *'"exitCode": 4'* ]]
	ward stop
}

@test "background: output is followed to the end, in order, however much there is" {
	id=$(exec_ -b -- sh -c 'for i in 1 2 3; do seq $((i * 100000)); sleep 0.1; done')
	ward process output --follow "$id" >"$BATS_TEST_TMPDIR/out"
	{ seq 100000 && seq 200000 && seq 300000; } | cmp - "$BATS_TEST_TMPDIR/out"
}

@test "background: what the ring no longer holds is counted" {
	id=$(exec_ -b --set outputLimit=64K -- sh -c 'seq 100000; echo end')
	ward process wait "$id" --set outputLimit=64K
	ward process output --set outputLimit=64K "$id" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
	[ "$(wc -c <"$BATS_TEST_TMPDIR/out")" = 65536 ]
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/out")" = end ]
	all=$({ seq 100000 && echo end; } | wc -c)
	grep -qx "ward: $((all - 65536)) bytes before this are no longer kept" "$BATS_TEST_TMPDIR/err"
}

@test "background: signals, seen by other commands, ended with the sandbox" {
	word=$(a_word)
	id=$(exec_ -b -- sh -c "trap 'echo term' TERM; touch ready; while :; do sleep 0.0$word; done")
	until_there ready
	ward process signal "$id"
	for _ in {1..100}; do
		[[ $("$WARD" process output "$id") != *term* ]] || break
		sleep 0.05
	done
	[[ $("$WARD" process output "$id") == *term* ]]
	run -0 exec_ -- sh -c 'ps -e -o args | grep -c "[t]rap"'
	run -125 ward stop
	ward process signal "$id" KILL
	run -137 ward process wait "$id"
	run -125 ward process signal "$id"
	[[ $output == *"No such process"* ]]
	exec_ -b -- sleep "1000.$word"
	ward stop --force
	gone "$word"
}

@test "background: ids that are none, and more than there is room for" {
	exec_ -- true
	run -125 ward process output 7
	[[ $output == *"no such background process"* ]]
	run -125 ward process wait x
	run -125 ward process wait
	for i in {1..62}; do exec_ -b -- sleep 1000 >/dev/null; done
	run exec_ -- true
	[ "$status" = 0 ] || [ "$status" = 125 ]
	ward stop --force
	exec_ -- true
}

# on_terminal KEYS COMMAND...: with a terminal of 33 rows and 101 columns; types the keys, one line of the file after
# the other, whenever nothing comes for a moment, and prints what is on the screen and the exit status.
on_terminal() {
	python3 - "$@" <<-'END'
		import fcntl, os, pty, select, struct, sys, termios
		keys = open(sys.argv[1], "rb").read().decode("unicode_escape").encode("latin1").splitlines(True)
		pid, fd = pty.fork()
		if pid == 0:
		    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 101, 0, 0))
		    os.execv(sys.argv[2], sys.argv[2:])
		out = b""
		while True:
		    quiet = not select.select([fd], [], [], 0.7 if keys else 20)[0]
		    if quiet and not keys:
		        break
		    if quiet:
		        key = keys.pop(0)
		        os.write(fd, key if not key.endswith(b"\x1a\n") and not key.endswith(b"\x03\n") else key[:-1])
		        continue
		    try:
		        data = os.read(fd, 65536)
		    except OSError:
		        break
		    if not data:
		        break
		    out += data
		print(out.decode("utf8", "replace"))
		print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
}

@test "shell: a terminal of its size, job control, its exit status" {
	cat >"$BATS_TEST_TMPDIR/keys" <<-'END'
		tty; stty size; echo $((6*7))
		sleep 1000
		\x1a
		jobs -l | sed s/Stopped/halted/
		kill -9 %1; sleep 0.1; exit 5
	END
	run -0 on_terminal "$BATS_TEST_TMPDIR/keys" "$WARD" shell
	[[ $output == *"/dev/pts/0"*"33 101"*42* ]]
	[[ $output == *halted* ]]
	[[ $output == *"status 5" ]]
}

@test "exec -t: keys reach the command as signals" {
	printf 'hello\n\\x03\n' >"$BATS_TEST_TMPDIR/keys"
	run -0 on_terminal "$BATS_TEST_TMPDIR/keys" "$WARD" exec -t -- cat
	[[ $output == *hello*hello*"status 130" ]]
	run -125 exec_ -t -- true </dev/null
	[[ $output == *"terminal is needed"* ]]
}

@test "stats: what commands have used, and what runs" {
	exec_ --session a -- true
	exec_ --session a -- sh -c 'exit 3' || true
	exec_ --session a --set timeout=200ms -- sleep 100 || true
	exec_ --session a --background -- sleep 1000
	run -0 ward stats --json "agent:main:a"
	"$python" -c 'import json, sys
d = json.loads(sys.argv[1])
b = [x for x in d["sandboxes"] if x["alive"]]
assert len(b) == 1 and b[0]["now"]["running"] == 1 and b[0]["now"]["processes"] >= 4, b
t = b[0]["total"]
assert t["commands"] >= 3 and t["failed"] >= 2 and t["timeouts"] >= 1 and t["memoryPeak"] > 0, t' "$output"
	run -0 ward stats --json --last 3 "agent:main:a"
	"$python" -c 'import json, sys
c = json.loads(sys.argv[1])["commands"]
assert [x["command"] for x in c] == ["true", "sh", "sleep"], c
assert [x["reason"] for x in c] == ["exited", "exited", "timeout"], c
assert [x["exitCode"] for x in c][:2] == [0, 3], c' "$output"
	run -0 ward stats
	[[ $output == *agent:main:a*"1 running"* ]]
	run -0 ward stats --last 1
	[[ $output == *sleep*timeout* ]]
	for n in 0 -1 x 10001 ''; do run -125 ward stats --last "$n"; done
}

@test "stats: a damaged history is read as far as it is one" {
	[ "$(id -u)" != 0 ] || file=/var/lib/ward/usage
	file=${file:-$XDG_STATE_HOME/ward/usage}
	exec_ -- true
	before=$(ward stats --json | "$python" -c 'import json, sys; print(json.load(sys.stdin)["total"]["commands"])')
	# as a row that was cut, bytes of another, and rows whose content was changed
	tail -c 100 "$file" >"$BATS_TEST_TMPDIR/part"
	cat "$BATS_TEST_TMPDIR/part" >>"$file"
	head -c 1000 /dev/urandom >>"$file"
	exec_ -- true
	exec_ -- true
	after=$(ward stats --json | "$python" -c 'import json, sys; print(json.load(sys.stdin)["total"]["commands"])')
	[ "$after" -ge $((before + 2)) ]
	: >"$file"
	run -0 ward stats
}

@test "rate.creates and rate.execs: so many and no more, across processes, each agent for itself" {
	# An agent of its own, so that what other tests do does not count.
	as() { ward exec --agent "$1" --session "agent:$1:x" --set 'rate.execs=3/h' "${@:2}"; }
	agent=r$(a_word)
	for n in 1 2 3; do as "$agent" -- true; done
	run -125 as "$agent" -- true
	[[ $output == *"agent '$agent' may not run another command now (rate.execs: 3/h): try again in "* ]]
	as "q$agent" -- true
	ward stop --force --agent "$agent" --session "agent:$agent:x"
	ward stop --force --agent "q$agent" --session "agent:q$agent:x"
	agent=c$(a_word)
	made() { ward exec --agent "$agent" --session "agent:$agent:$1" --set 'rate.creates=2/h' -- true; }
	made 1
	made 2
	made 1
	run -125 made 3
	[[ $output == *"may not start another sandbox now (rate.creates: 2/h): try again in "* ]]
	made 2
	for n in 1 2; do ward stop --force --agent "$agent" --session "agent:$agent:$n"; done
	# What somebody else left in the file is outlived.
	place=$XDG_RUNTIME_DIR/ward
	[ "$(id -u)" != 0 ] || place=/run/ward
	head -c 16 /dev/zero | tr '\0' '\377' >"$place/$(printf %s "$agent" | sha256sum | cut -c1-24).rate"
	run -125 made 3
	: >"$place/$(printf %s "$agent" | sha256sum | cut -c1-24).rate"
	made 3
	ward stop --force --agent "$agent" --session "agent:$agent:3"
}

@test "workspace none: a folder of the scope's own, which outlives the sandbox" {
	none() { ward exec --session a --set workspace=none -- "$@"; }
	none sh -c 'echo kept >file'
	ward stop --session a --set workspace=none
	run -0 none cat file
	[ "$output" = kept ]
	run -1 ward exec --session b --set workspace=none -- cat file
	# However its mode was changed inside, it is there the next time.
	for mode in 000 777; do
		none chmod "$mode" /workspace
		ward stop --session a --set workspace=none
		ward prune
		run -0 none cat file
		[ "$output" = kept ]
	done
	run -1 ward run --session a --set workspace=none -- cat file
	[ ! -e file ]
	run -137 ward exec --session a --set workspace=none --set resources.disk=16M -- \
		sh -c 'i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero >f$i || exit; done'
	[[ $output == *resources.disk* ]]
	for s in a b; do ward stop --force --session "$s" --set workspace=none; done
	run -0 ward prune --set prune.age=1ms
	run -1 none cat file
	ward stop --force --session a --set workspace=none
	ward prune --set prune.age=1ms
}

@test "persistCaches: named folders of the scope's own, in the home" {
	ward exec --session a --set 'persistCaches=["npm","go"]' -- sh -c 'echo n >~/.npm/n; echo g >~/go/pkg/mod/g; echo x >~/x'
	ward stop --session a
	run -0 ward exec --session a --set 'persistCaches=["npm","go"]' -- sh -c 'cat ~/.npm/n ~/go/pkg/mod/g; ls ~/.cache; ls ~/x ~/.cache/pip 2>/dev/null; true'
	[ "$output" = 'n
g
go-build' ]
	run -0 ward exec --session b --set persistCaches=true -- sh -c 'ls ~/.npm ~/.cache'
	[[ $output != *n$'\n'* && $output == *pip* ]]
	run -125 ward exec --session b --set 'persistCaches=["nonsense"]' -- true
	[[ $output == *'pip, npm, cargo and go'* ]]
	for s in a b; do ward stop --force --session "$s"; done
	ward prune --set prune.age=1ms
	run -1 ward exec --session a --set persistCaches=true -- sh -c 'cat ~/.npm/n'
	ward stop --force --session a
	ward prune --set prune.age=1ms
}

@test "signals for the supervisor: asked to end it ends, and its commands; others change nothing" {
	exec_ -- true
	supervisor=$("$WARD" status --json | sed -n 's/ *"pid": \([0-9]*\),/\1/p')
	for signal in PIPE USR1 USR2 WINCH CHLD; do
		kill -s "$signal" "$supervisor"
	done
	run -0 exec_ -- echo there
	[ "$output" = there ]
	[ "$("$WARD" status --json | sed -n 's/ *"pid": \([0-9]*\),/\1/p')" = "$supervisor" ]
	for signal in TERM INT HUP QUIT; do
		exec_ -- true
		supervisor=$("$WARD" status --json | sed -n 's/ *"pid": \([0-9]*\),/\1/p')
		word=$(a_word)
		exec_ -- sleep "1000.$word" 2>/dev/null &
		children+=($!)
		until_status '"running": 1'
		kill -s "$signal" "$supervisor"
		gone "$word"
		for _ in {1..200}; do
			kill -0 "$supervisor" 2>/dev/null || break
			sleep 0.05
		done
		run -0 ward status
		[[ $output == *"does not run"* ]]
	done
}

@test "a crash of the supervisor leaves no core, and the next command works" {
	exec_ -- true
	supervisor=$("$WARD" status --json | sed -n 's/ *"pid": \([0-9]*\),/\1/p')
	[ "$(stat -c %u "/proc/$supervisor/environ")" = 0 ]
	kill -s SEGV "$supervisor"
	while kill -0 "$supervisor"; do sleep 0.01; done 2>/dev/null
	run -0 --separate-stderr exec_ -- echo next
	[ "$output" = next ]
	[ -z "$(find . -name 'core*')" ]
}

@test "a full disk: said, nothing half, and well again when there is room" {
	apart=(unshare --mount --propagation private)
	[ "$(id -u)" = 0 ] || apart+=(--user --map-current-user --keep-caps)
	"${apart[@]}" bash -uc '
		ward=$1 place=$2 state=$3
		mkdir -p "$place" "$state"
		mount -t tmpfs -o size=64k,mode=700 full "$place"
		chmod 700 "$place"
		dd if=/dev/zero of="$place/fill" bs=4k 2>/dev/null
		"$ward" exec -- true && echo "runs on a full disk"
		ls -A "$place" | grep -v "fill\|rate\$"
		rm "$place/fill"
		"$ward" exec -- echo room
		mount -t tmpfs -o size=16k,mode=700 full "$state"
		chmod 700 "$state"
		dd if=/dev/zero of="$state/fill" bs=4k 2>/dev/null
		"$ward" exec -- echo "no record"
		elsewhere=(--set "audit.path=$4")
		"$ward" exec "${elsewhere[@]}" -- echo "no history"
		"$ward" exec "${elsewhere[@]}" --set workspace=cow -- touch x && echo "changes without room"
		"$ward" stop "${elsewhere[@]}" >/dev/null
		mount -o remount,ro "$place"
		"$ward" exec "${elsewhere[@]}" -- true && echo "runs without a place"
		mount -o remount,rw "$place"
		"$ward" exec "${elsewhere[@]}" -- echo again
		"$ward" stop "${elsewhere[@]}" >/dev/null
	' apart "$WARD" "$(place)" "$(state)" "$BATS_TEST_TMPDIR/audit" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
	cat "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
	[ "$(cat "$BATS_TEST_TMPDIR/out")" = "$(printf "%s\n" room "no history" again)" ]
	grep -q "No space left on device" "$BATS_TEST_TMPDIR/err"
	grep -q "Read-only file system" "$BATS_TEST_TMPDIR/err"
}
