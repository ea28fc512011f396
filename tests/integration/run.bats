#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# `ward run` as its callers see it: how commands end, what goes in and out, what they find inside. What must not work
# is in tests/escape.
# shellcheck disable=SC2016 # what is in quotes is for the inside

bats_require_minimum_version 1.5.0

setup_file() {
	"$BATS_TEST_DIRNAME/../helpers/census" take "$BATS_FILE_TMPDIR/census"
}

teardown_file() {
	"$BATS_TEST_DIRNAME/../helpers/census" compare "$BATS_FILE_TMPDIR/census"
}

setup() {
	umask 022
	mkdir "$BATS_TEST_TMPDIR/w"
	cd "$BATS_TEST_TMPDIR/w" || return 1
	started=
}

teardown() {
	[ -z "$started" ] || { kill -9 "$started" 2>/dev/null || true; }
}

ward_run() { # OPTION... -- COMMAND...: never for longer than a minute
	timeout -k 5 60 "$WARD" run "$@"
}

json() { # EXPRESSION, with d the object on standard input: must hold
	python3 -c 'import base64, json, sys
d = json.load(sys.stdin)
if not eval(sys.argv[1]): sys.exit("not so: " + sys.argv[1] + "\n" + json.dumps(d, indent=1))' "$1"
}

until_there() { # FILE
	for _ in {1..600}; do
		[ ! -e "$1" ] || return 0
		sleep 0.1
	done
	echo "$1 did not come"
	return 1
}

found_on_host() { # WORD of a command line
	local file
	for file in /proc/[0-9]*/cmdline; do
		tr '\0' '\n' 2>/dev/null <"$file" | grep -qxF -- "$1" && return
	done
	return 1
}

@test "the exit status is the command's" {
	for code in 0 1 2 3 42 63 64 100 123 124 125 126 127 128 129 137 143 200 254 255; do
		run "-$code" ward_run -- sh -c "exit $code"
		[ -z "$output" ]
	done
}

@test "a command that a signal ended has 128 and its number" {
	for signal in HUP:1 INT:2 QUIT:3 ABRT:6 KILL:9 USR1:10 SEGV:11 PIPE:13 ALRM:14 TERM:15 SYS:31; do
		run "-$((128 + ${signal#*:}))" ward_run -- sh -c "kill -${signal%:*} \$\$"
	done
	ward_run --json -- sh -c 'kill -TERM $$' >answer || [ $? = 143 ]
	json 'd["exitCode"] is None and d["signal"] == 15 and d["reason"] == "signalled" and not d["timedOut"]' <answer
}

@test "127: what is not there; 126: what cannot be executed" {
	echo 'no program' >plain
	echo 'no program' >text && chmod +x text
	printf '\177ELF\002\001\001garbage' >elf && chmod +x elf
	printf '#!/no/such/interpreter\n' >script && chmod +x script
	run -127 ward_run -- no-such-program-anywhere
	[[ $output == *no-such-program-anywhere*'No such file'* ]]
	run -127 ward_run -- ./missing
	run -127 ward_run -- /workspace/missing/deeper
	run -127 ward_run -- plain/below
	run -127 ward_run -- ''
	run -127 ward_run -- ./script
	run -126 ward_run -- ./plain
	[[ $output == *'Permission denied'* ]]
	run -126 ward_run -- /workspace
	run -126 ward_run -- ./text
	[[ $output == *'Exec format error'* ]]
	run -126 ward_run -- ./elf
	ward_run --json -- ./missing >answer || [ $? = 127 ]
	json '"No such file" in d["startError"] and d["stdout"] == ""' <answer
	ward_run --json -- true >answer
	json '"startError" not in d' <answer
}

@test "a program of the workspace runs, by its own path and by its name in PATH" {
	printf '#!/bin/sh\necho "own: $*"\n' >own && chmod +x own
	run -0 ward_run -- ./own a 'b c'
	[ "$output" = 'own: a b c' ]
	run -0 ward_run --set 'env={PATH: "/workspace:/usr/bin:/bin"}' -- own
	[ "$output" = 'own: ' ]
}

@test "words reach the command as they are" {
	run -0 ward_run -- printf '<%s>' '' 'a b' $'new\nline' '$HOME' '*' --json -t --
	[ "$output" = $'<><a b><new\nline><$HOME><*><--json><-t><-->' ]
}

@test "standard input passes" {
	run -0 bash -c 'printf "a\nb" | timeout 60 "$WARD" run -- cat'
	[ "$output" = $'a\nb' ]
	head -c 3000000 /dev/urandom >bytes
	# shellcheck disable=SC2094 # only read
	ward_run -- cat <bytes | cmp - bytes
	# shellcheck disable=SC2002,SC2094 # a pipe, on purpose
	cat bytes | ward_run --set outputLimit=10M -- cat | cmp - bytes
	run -0 ward_run -- cat </dev/null
	[ -z "$output" ]
}

@test "standard output and error are two" {
	ward_run -- sh -c 'echo out; echo err >&2' >out 2>err
	[ "$(cat out)" = out ]
	[ "$(cat err)" = err ]
	ward_run --set outputLimit=1M -- sh -c 'echo out; echo err >&2' >out 2>err
	[ "$(cat out)" = out ]
	[ "$(cat err)" = err ]
}

@test "closed standard descriptors are empty ones, and no other descriptor passes" {
	# In a shell of their own: the test's runner would put pipes of its own in their place.
	run -0 bash -c 'timeout 60 "$WARD" run -- sh -c "read -r x || echo \"nothing, \$?\"" <&-'
	[ "$output" = 'nothing, 1' ]
	bash -c 'timeout 60 "$WARD" run -- sh -c "echo lost; touch ran" >&-'
	[ -e ran ]
	bash -c 'timeout 60 "$WARD" run -- sh -c "echo lost >&2; touch ran2" 2>&-'
	[ -e ran2 ]
	bash -c 'timeout 60 "$WARD" run -- touch ran3 <&- >&- 2>&-'
	[ -e ran3 ]
	run -0 bash -c 'cat <&7' 7<ran # it would be readable
	run ward_run -- bash -c 'cat <&7' 7<ran
	[ "$status" != 0 ]
	run -0 ward_run -- sh -c 'for fd in /proc/$$/fd/*; do [ ! -e "$fd" ] || echo "${fd##*/}"; done' 7<ran 9</
	[ "$output" = $'0\n1\n2' ]
}

@test "a folder as standard descriptor is refused, and nothing runs" {
	run -125 ward_run -- touch ran </
	[[ $output == *'descriptor 0 is a folder'* ]]
	run -125 bash -c 'timeout 60 "$WARD" run -- touch ran 2>&1 1<.'
	run -125 bash -c 'timeout 60 "$WARD" run -- touch ran 2<.'
	[ ! -e ran ]
}

@test "the workspace: both ways, owned by the caller" {
	echo outside >from-host
	run -0 ward_run -- cat from-host /workspace/from-host /agent/from-host
	[ "$output" = $'outside\noutside\noutside' ]
	ward_run -- sh -c 'echo inside >made; mkdir folder; echo more >>from-host; umask 077; echo own >closed'
	[ "$(cat made)" = inside ]
	[ "$(cat from-host)" = $'outside\nmore' ]
	[ "$(stat -c '%u:%g' made)" = "$(id -u):$(id -g)" ]
	[ "$(stat -c '%u:%g' folder)" = "$(id -u):$(id -g)" ]
	[ "$(stat -c %a made)" = 644 ]
	[ "$(stat -c %a folder)" = 755 ]
	[ "$(stat -c %a closed)" = 600 ]
	ward_run -- sh -c 'mv made moved; rm from-host; rmdir folder; chmod 640 closed; ln moved second; ln -s moved third'
	[ ! -e made ]
	[ ! -e from-host ]
	[ ! -e folder ]
	[ "$(stat -c %h moved)" = 2 ]
	[ "$(readlink third)" = moved ]
	[ "$(stat -c %a closed)" = 640 ]
	run -0 ward_run -- stat -c %U:%G moved .
	[ "$output" = $'sandbox:sandbox\nsandbox:sandbox' ]
}

@test "the folder: the workspace, or where the caller stands in it" {
	mkdir -p a/b
	run -0 ward_run -- pwd
	[ "$output" = /workspace ]
	cd a/b
	run -0 ward_run -- pwd
	[ "$output" = /workspace ]
	run -0 ward_run --set workspacePath="$BATS_TEST_TMPDIR/w" -- sh -c 'pwd; touch here'
	[ "$output" = /workspace/a/b ]
	[ -e "$BATS_TEST_TMPDIR/w/a/b/here" ]
	cd /
	run -0 ward_run --set workspacePath="$BATS_TEST_TMPDIR/w" -- sh -c 'pwd; ls'
	[ "$output" = $'/workspace\na' ]
}

@test "workspace ro: reads, and does not write" {
	echo text >file
	run -0 ward_run --set workspace=ro -- cat file
	[ "$output" = text ]
	for change in 'echo x >file' 'echo x >>file' 'touch new' 'rm file' 'mv file other' 'mkdir d' 'chmod 600 file' 'ln file l'; do
		run ward_run --set workspace=ro -- sh -c "$change"
		[ "$status" != 0 ]
		[ "$status" -lt 125 ]
	done
	[ "$(ls)" = file ]
	[ "$(cat file)" = text ]
	[ "$(stat -c %a file)" = 644 ]
}

@test "workspace none: a private folder" {
	echo text >file
	run -0 ward_run --set workspace=none -- sh -c 'pwd; ls; echo x >made; cat made'
	[ "$output" = $'/workspace\nx' ]
	[ "$(ls)" = file ]
	run -0 ward_run --set workspace=none -- ls
	[ -z "$output" ]
}

@test "who one is inside: name, home, host" {
	run -0 ward_run -- sh -c 'id -u; id -g; id -un; echo $USER $LOGNAME $HOME $SHELL $TMPDIR; hostname; cat /etc/hostname'
	[ "$output" = $'1000\n1000\nsandbox\nsandbox sandbox /home/sandbox /bin/sh /tmp\nsandbox\nsandbox' ]
	run -0 ward_run --set user=1234:5678 -- sh -c 'id -u; id -g; id -un; touch made'
	[ "$output" = $'1234\n5678\nsandbox' ]
	[ "$(stat -c %u:%g made)" = "$(id -u):$(id -g)" ]
	run -0 ward_run -- sh -c 'for d in ~ /tmp /var/tmp /run /dev/shm; do echo x >$d/file && cat $d/file; done'
	[ "$output" = $'x\nx\nx\nx\nx' ]
	run -0 ward_run -- sh -c 'ls -A ~ /tmp /var/tmp /run /dev/shm | grep -v :'  || [ "$status" = 1 ]
	[ -z "${output//[[:space:]]/}" ]
	[ "$(hostname)" != sandbox ] # of this machine: else the above shows nothing
}

@test "environment: what is named passes, and nothing else" {
	export SECRET_OF_CALLER=x LANG=C.UTF-8 LC_TIME=C TZ=UTC
	run -0 ward_run -- env
	[[ $output != *SECRET_OF_CALLER* ]]
	[[ $'\n'$output$'\n' == *$'\nLANG=C.UTF-8\n'* ]]
	[[ $'\n'$output$'\n' == *$'\nLC_TIME=C\n'* ]]
	[[ $'\n'$output$'\n' == *$'\nTZ=UTC\n'* ]]
	[[ $output != *"$HOME"* ]]
	[[ $output != *BATS* ]]
	run -0 ward_run --set 'passEnv=["SECRET_OF_*"]' -- env
	[[ $'\n'$output$'\n' == *$'\nSECRET_OF_CALLER=x\n'* ]]
	[[ $output != *LANG=* ]]
	run -0 ward_run --set 'env={A: "b c", LANG: "C"}' -- sh -c 'echo "$A $LANG"'
	[ "$output" = 'b c C' ]
	run -0 ward_run -- sh -c 'tr "\0" "\n" </proc/1/environ; tr "\0" "\n" </proc/1/cmdline' || true
	[[ $output != *SECRET_OF_CALLER* ]]
}

@test "the root is the host's, read-only; or a throw-away layer" {
	run -0 ward_run -- sh -c 'ls -d /usr/bin /etc/passwd'
	run ! ward_run -- sh -c 'echo x >/usr/made-inside'
	run ! ward_run -- sh -c 'echo x >/etc/made-inside'
	run ! ward_run -- mkdir /made-inside
	run -0 ward_run --set readOnlyRoot=false -- sh -c 'echo x >/usr/made-inside && cat /usr/made-inside'
	[ "$output" = x ]
	[ ! -e /usr/made-inside ]
	run ! ward_run -- cat /usr/made-inside
	run ! ward_run -- ls "$HOME" # the host's, which is there
	[ -d "$HOME" ]
}

@test "binds, hostPaths and tmpfs are there as they are said to be" {
	mkdir ../data ../tools
	echo text >../data/file
	printf '#!/bin/sh\necho tool\n' >../tools/tool && chmod +x ../tools/tool
	data=$(realpath ../data) tools=$(realpath ../tools)
	run -0 ward_run --set "binds=$data:/data" -- sh -c 'cat /data/file; echo x >/data/made || echo refused'
	[[ $output == text*refused ]]
	[ ! -e ../data/made ]
	ward_run --set "binds=$data:/data:rw" -- sh -c 'echo x >/data/made'
	[ "$(cat ../data/made)" = x ]
	[ "$(stat -c %u ../data/made)" = "$(id -u)" ]
	run -0 ward_run --set "hostPaths=$tools" -- "$tools/tool"
	[ "$output" = tool ]
	run -127 ward_run -- "$tools/tool"
	run -0 ward_run --set 'tmpfs=["/scratch:size=1m"]' -- sh -c 'head -c 2m /dev/zero >/scratch/f; stat -c %s /scratch/f'
	[[ $output == *$'\n1048576' ]]
	run -125 ward_run --set binds=/etc:/data -- true
}

@test "hidden names cannot be read" {
	echo secret-text >.hidden && echo text >file
	run -0 ward_run -- cat .hidden
	run ward_run --set hide=.hidden -- cat .hidden
	[ "$status" = 1 ]
	[[ $output != *secret-text* ]]
	run -0 ward_run --set hide=.hidden -- cat file
	[ "$output" = text ]
}

@test "protected names are not changed, and that is said" {
	mkdir -p .git/hooks && echo '# hook' >.git/hooks/pre-commit && echo '{}' >.ward.json5
	for change in 'echo x >.ward.json5' 'rm .ward.json5' 'mv .ward.json5 a' 'echo x >b; mv b .ward.json5' \
		'ln -s b .envrc' 'echo x >.git/hooks/post-commit' 'echo x >>.git/hooks/pre-commit' 'rm -rf .git/hooks' \
		'mv .git other' 'chmod 777 .git/hooks/pre-commit'; do
		run ward_run -- sh -c "$change"
		[ "$status" != 0 ] || { echo "done: $change" && return 1; }
		[[ $output == *'ward: refused in the workspace'* ]] || { echo "not said: $change" && return 1; }
	done
	[ "$(cat .ward.json5)" = '{}' ]
	[ "$(cat .git/hooks/pre-commit)" = '# hook' ]
	[ "$(stat -c %a .git/hooks/pre-commit)" = 644 ]
	[ ! -e .git/hooks/post-commit ]
	[ ! -L .envrc ]
	# Beside them everything can be done.
	ward_run -- sh -c 'echo x >.git/index; echo x >file; mkdir sub; echo x >sub/.ward.json6'
	[ -e .git/index ]
	[ -e sub/.ward.json6 ]
	rm .ward.json5
	# Without a list the project's own configuration is still protected.
	run ! ward_run --set protect=[] -- sh -c 'echo "{}" >.ward.json5'
	[ ! -e .ward.json5 ]
	ward_run --set protect=[] -- sh -c 'echo x >.envrc'
	[ -e .envrc ]
	ward_run --json -- sh -c 'echo x >.env; true' >answer
	json 'd["protected"].get(".env", 0) >= 1 and d["exitCode"] == 0' <answer
}

@test "timeout: 124, with the reason" {
	run -124 ward_run --set timeout=300ms -- sleep 1000
	[[ $output == *'300ms (timeout)'* ]]
	ward_run --set timeout=300ms --json -- sh -c 'echo before; sleep 1000' >answer || [ $? = 124 ]
	json 'd["reason"] == "timeout" and d["timedOut"] and d["stdout"] == "before\n" and d["durationMs"] >= 300' <answer
	run -0 ward_run --set timeout=1h -- true
	run -0 ward_run --set timeout=0 -- true
}

@test "idleTimeout: 124, with the reason" {
	run -124 ward_run --set idleTimeout=300ms -- sh -c 'echo before; sleep 1000'
	[[ $output == before*'300ms without output (idleTimeout)'* ]]
	ward_run --set idleTimeout=300ms --json -- sleep 1000 >answer || [ $? = 124 ]
	json 'd["reason"] == "idle" and d["timedOut"]' <answer
}

@test "at the end of the time SIGTERM is sent, and SIGKILL to what ignores it" {
	ward_run --set timeout=300ms --json -- sh -c 'trap "echo bye; exit 5" TERM; while :; do sleep 0.1; done' >answer || [ $? = 124 ]
	json 'd["stdout"] == "bye\n" and d["exitCode"] == 5 and d["reason"] == "timeout"' <answer
	ward_run --set timeout=300ms --set killGrace=300ms --json -- sh -c 'trap "" TERM; echo here; while :; do sleep 0.1; done' \
		>answer || [ $? = 124 ]
	json 'd["stdout"] == "here\n" and d["exitCode"] is None and d["signal"] == 9 and d["durationMs"] >= 600' <answer
}

@test "a signal to ward is passed on, the second one kills" {
	"$WARD" run -- sh -c 'trap "exit 7" TERM; touch ready; while :; do sleep 0.1; done' &
	started=$!
	until_there ready
	kill -TERM "$started"
	wait "$started" && status=0 || status=$?
	[ "$status" = 7 ]
	rm ready
	"$WARD" run --json -- sh -c 'trap "touch heard" TERM; touch ready; while :; do sleep 0.1; done' >answer &
	started=$!
	until_there ready
	kill -TERM "$started"
	until_there heard
	kill -TERM "$started"
	wait "$started" && status=0 || status=$?
	[ "$status" = 137 ]
	json 'd["reason"] == "stopped"' <answer
}

@test "nothing that was started is left, and nobody waits for it" {
	word=$((RANDOM + 100000)).$((RANDOM + 100000))
	mkfifo go
	"$WARD" run -- sh -c "sleep $word & (setsid sleep $word &) ; touch ready; read -r x" <go &
	started=$!
	exec 8>go
	until_there ready
	found_on_host "$word" # it is there, so that its end can be seen
	exec 8>&-
	wait "$started" || true
	run ! found_on_host "$word"
	# Output that a descendant holds open does not delay the end.
	run -0 ward_run -- sh -c "sleep $word & echo done"
	[ "$output" = 'done' ]
	run -0 ward_run --set outputLimit=1M -- sh -c "setsid sleep $word & echo done"
	[ "$output" = 'done' ]
	run ! found_on_host "$word"
	# Killing ward is the end of the sandbox.
	rm ready
	"$WARD" run -- sh -c "touch ready; sleep $word" &
	started=$!
	until_there ready
	kill -KILL "$started"
	wait "$started" || true
	for _ in {1..100}; do
		found_on_host "$word" || break
		sleep 0.1
	done
	run ! found_on_host "$word"
	ward_run -- true # clears away the control groups of the one that was killed
}

@test "--json: every key, text as text, the rest as base64" {
	ward_run --json -- sh -c 'echo out; echo "söme" >&2; exit 3' >answer || [ $? = 3 ]
	keys='exitCode signal reason timedOut oomKilled stdout stdoutTruncated stdoutDropped stderr stderrTruncated stderrDropped'
	keys+=' stuck durationMs limitsHit usage denied protected protectedMore hostExecRisk hostExecRiskMore network sandbox runtime enforced'
	json "set(d) == set('$keys'.split())" <answer
	json 'd["exitCode"] == 3 and d["signal"] is None and d["reason"] == "exited"' <answer
	json 'd["stdout"] == "out\n" and d["stderr"] == "s\u00f6me\n"' <answer
	json 'd["usage"]["stdoutBytes"] == 4 and d["usage"]["stderrBytes"] == 6 and d["usage"]["memoryPeak"] > 0' <answer
	json 'set(d["usage"]) == set("wallMs userMs systemMs memoryPeak readBytes writtenBytes sentBytes receivedBytes stdoutBytes stderrBytes".split())' <answer
	json 'd["runtime"] == "native" and d["sandbox"].startswith("s-main-") and d["limitsHit"] == {}' <answer
	json 'd["enforced"]["network"] != "none" and d["enforced"]["filesystem"] != "none" and d["enforced"]["syscalls"] != "none"' <answer
	ward_run --json -- printf '\377\000a\n' >answer
	json '"stdout" not in d and base64.b64decode(d["stdoutBase64"]) == b"\xff\x00a\n"' <answer
	for bytes in '' a ab abc abcd; do # with every kind of ending
		ward_run --json -- printf "\\377$bytes" >answer
		json 'base64.b64decode(d["stdoutBase64"], validate=True) == b"\xff'"$bytes"'"' <answer
	done
	ward_run --json -- printf '\033[31m"\\\t' >answer
	json 'd["stdout"] == "\x1b[31m\"\\\t"' <answer
	run ! grep $'\033' answer
}

@test "outputLimit: what is more is dropped, counted and said" {
	ward_run --set outputLimit=1000 --json -- sh -c 'head -c 2500 /dev/zero | tr "\0" x; echo err >&2' >answer
	json 'd["stdout"] == "x" * 1000 and d["stdoutTruncated"] and d["stdoutDropped"] == 1500' <answer
	json 'd["stderr"] == "err\n" and not d["stderrTruncated"] and d["stderrDropped"] == 0 and d["limitsHit"]["output"] >= 1' <answer
	json 'd["exitCode"] == 0 and d["usage"]["stdoutBytes"] == 2500' <answer
	ward_run --set outputLimit=1000 -- sh -c 'head -c 2500 /dev/zero; echo end >&2' >out 2>err
	[ "$(stat -c %s out)" = 1000 ]
	[[ $(cat err) == *end*'1500 bytes of stdout were dropped'* ]]
	ward_run --set outputLimit=1000 --json -- sh -c 'head -c 1000 /dev/zero | tr "\0" x' >answer
	json 'not d["stdoutTruncated"] and len(d["stdout"]) == 1000' <answer
}

@test "limits: files, the size of a file, memory" {
	run -0 ward_run --set resources.files=77 -- sh -c 'ulimit -n; ulimit -Hn'
	[ "$output" = $'77\n77' ]
	run ward_run --set resources.fileSize=1M -- sh -c 'head -c 3m /dev/zero >big'
	[ "$status" != 0 ]
	[ "$(stat -c %s big)" = 1048576 ]
	head -c 400m /dev/zero | ward_run --set resources.memory=64M --json -- tail >answer || [ $? = 137 ]
	json 'd["reason"] == "oom" and d["oomKilled"] and d["limitsHit"]["memory"] >= 1' <answer
}

@test "network none: nothing but a loopback of its own" {
	[ -x /usr/bin/python3 ] || skip 'python3 is not in /usr/bin'
	cat >net.py <<-'END'
		import socket, sys
		s = socket.socket()
		s.settimeout(20)
		if sys.argv[1] == "serve":
		    s.bind(("127.0.0.1", 0))
		    s.listen()
		    open("port.new", "w").write(str(s.getsockname()[1]))
		    __import__("os").rename("port.new", "port")
		    s.accept()[0].sendall(b"hello")
		else:
		    s.connect((sys.argv[1], int(sys.argv[2])))
		    print(s.recv(5).decode())
	END
	python3 net.py serve &
	started=$!
	until_there port
	run ward_run -- /usr/bin/python3 net.py 127.0.0.1 "$(cat port)"
	[ "$status" = 1 ]
	[[ $output == *'Connection refused'* ]]
	run -0 python3 net.py 127.0.0.1 "$(cat port)" # it was there
	[ "$output" = hello ]
	wait "$started"
	run ward_run -- /usr/bin/python3 net.py 192.0.2.1 80
	[ "$status" = 1 ]
	[[ $output == *unreachable* ]]
	rm port
	run -0 ward_run -- sh -c '/usr/bin/python3 net.py serve & while [ ! -e port ]; do sleep 0.1; done
		/usr/bin/python3 net.py 127.0.0.1 "$(cat port)"'
	[ "$output" = hello ]
}

@test "what the policy denies does not run, with 126" {
	run -126 ward_run --set tools.deny=exec -- touch ran
	[[ $output == *"tool 'exec' is denied"* ]]
	run -126 ward_run --set tools.elevated.enabled=true --set 'tools.elevated.patterns=["touch *"]' \
		--set tools.elevated.approvalTimeout=300ms -- touch ran
	[[ $output == *approve* ]]
	run -126 ward_run --session agent:guest:main --set 'agents.entries.guest.tools.deny=["group:runtime"]' -- touch ran
	[ ! -e ran ]
	run -0 ward_run --agent other --set 'agents.entries.guest.tools.deny=["group:runtime"]' -- touch ran
	[ -e ran ]
}

@test "what cannot be enforced is refused, and nothing runs" {
	for setting in image=debian:12 \
		image=oci:/nowhere image=dir:/nowhere runtime=docker workspacePath=/nowhere; do
		run ward_run --set "$setting" -- touch ran
		[ "$status" = 125 ] || [ "$status" = 126 ] || { echo "$setting: $status" && return 1; }
		[[ $output == 'ward: '* ]]
	done
	[ ! -e ran ]
	run -0 ward_run --set network=none -- touch ran
	[ -e ran ]
}

@test "--dry-run prints the steps in order and runs nothing" {
	run -0 --separate-stderr ward_run --dry-run --set workspace=ro -- touch 'a b'
	[[ ${lines[0]} == *' 1. '* ]]
	[[ $output == *'start in new namespaces'*'make it the root'*'drop capabilities'*'filter system calls'*'run the program'*touch* ]]
	[[ $output == *"$PWD"* ]]
	[[ $output == *read-only* ]]
	[ -z "$stderr" ]
	[ -z "$(ls)" ]
}

@test "calls that make no sense" {
	run -125 ward_run
	[[ $output == *'no command given'* ]]
	run -125 ward_run --
	run -125 ward_run --bogus -- true
	[[ $output == *"unknown option '--bogus'"* ]]
	run -125 ward_run --dry-rum -- true
	[[ $output == *"did you mean '--dry-run'"* ]]
	run -125 ward_run --set nonsense=1 -- true
	run -125 ward_run --config /no/such/file -- true
	run -125 ward_run -t -- true </dev/null
	[[ $output == *'needs a terminal'* ]]
	run -125 ward_run -t --json -- true
}

@test "-t: a terminal of its own, with the caller's size" {
	[ -x "$HELPERS/withpty" ] || skip 'no helper withpty'
	run -5 --separate-stderr timeout 60 "$HELPERS/withpty" "$WARD" run -t -- sh -c 'tty; test -t 0 && test -t 1 && test -t 2 && exit 5'
	[[ $output == /dev/pts/* ]]
	run -0 --separate-stderr timeout 60 "$HELPERS/withpty" -w 'say: ' -s $'word\n' "$WARD" run -t -- \
		sh -c 'printf "say: "; read -r x; echo "heard $x"'
	[[ $output == *'heard word'* ]]
}

@test "the workspace's own file can only tighten, and a broken one stops everything" {
	echo '{ agents: { defaults: { sandbox: { workspace: "ro" } } } }' >.ward.json5
	run ward_run -- touch made
	[ "$status" = 1 ]
	[ ! -e made ]
	echo '{ agents: { defaults: { sandbox: { resources: { memory: "100G" } } } } }' >.ward.json5
	run -125 ward_run -- touch made
	[[ $output == *'may only tighten'* ]]
	echo '{' >.ward.json5
	run -125 ward_run -- touch made
	[ ! -e made ]
}

@test "--dry-run --json: the same steps, with their arguments" {
	ward_run --dry-run -- echo 'a b' >text
	ward_run --dry-run --json -- echo 'a b' >answer
	json 'len(d["steps"]) == '"$(grep -cE '^ *[0-9]+\. ' text)" <answer
	json 'd["steps"][-1] == {"step": "run the program", "process": "program", "arguments": [{"name": "command", "value": "echo '"'a b'"'"}]}' <answer
	json 'any(a["value"].startswith("/usr from /usr") for s in d["steps"] for a in s["arguments"])' <answer
}

@test "--json where nothing was run: why" {
	run --separate-stderr ward_run --json --set no=thing -- true
	[ "$status" = 125 ]
	json 'd["reason"] == "internal" and d["exitCode"] is None and "no: unknown key" in d["error"]' <<<"$output"
	[[ $stderr == 'ward: '* ]]
	run --separate-stderr ward_run --json --set tools.deny=exec -- true
	[ "$status" = 126 ]
	json 'd["reason"] == "policy" and d["exitCode"] is None and "exec" in d["error"]' <<<"$output"
}

@test "what belongs to the command and stands before -- is explained" {
	run -125 "$WARD" run ls -la
	[[ $output == *"behind '--'"* ]]
}
