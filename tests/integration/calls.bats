#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Calls of tools, as agents make them: `ward tools call`. What a tool does is tested where it is made; here, the way
# of a call: arguments, policy, place, answer, record.
# shellcheck disable=SC2016 # expanded inside
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
many_sandboxes

teardown() {
	cd "$BATS_TEST_TMPDIR/w" || return
	"$WARD" stop --force 2>/dev/null || true
	"$WARD" stop --force --set workspace=cow 2>/dev/null || true
	"$WARD" stop --force --session private --set workspace=none 2>/dev/null || true
	"$WARD" discard --set workspace=cow >/dev/null 2>&1 || true
	"$WARD" prune >/dev/null
	rm -rf "$(state)"/workspaces/s-private-*
}

state() {
	[ "$(id -u)" = 0 ] && echo /var/lib/ward || echo "$XDG_STATE_HOME/ward"
}

# call TOOL ARGUMENTS OPTION...: the object is in the file RESULT, the status in $status.
call() {
	status=0
	timeout -k 5 60 "$WARD" tools call --json "$@" >"$RESULT" 2>"$RESULT.err" || status=$?
	[ "$status" != 125 ] || { cat "$RESULT.err" && return 1; }
}

@test "a command, in the sandbox that is started for it and in the one that runs" {
	for _ in cold warm; do
		call exec '{"command": "echo out; echo err >&2; pwd; exit 3"}'
		holds 'status == 1 and d["exitCode"] == 3 and d["stdout"] == "out\n/workspace\n" and d["stderr"] == "err\n"'
		holds 'd["runtime"] == "native" and d["enforced"]["filesystem"] != "none"'
	done
	call exec '{"argv": ["printf", "%s,", "a b", "", "$HOME"]}'
	holds 'status == 0 and d["stdout"] == "a b,,$HOME,"'
}

@test "standard input, folder, environment, time" {
	mkdir sub
	call exec '{"argv": ["cat"], "stdin": "typed"}'
	holds 'd["stdout"] == "typed"'
	call exec '{"argv": ["cat"]}'
	holds 'd["stdout"] == "" and d["exitCode"] == 0'
	call exec '{"command": "pwd", "cwd": "sub"}'
	holds 'd["stdout"] == "/workspace/sub\n"'
	call exec '{"command": "pwd", "cwd": "/tmp"}'
	holds 'd["stdout"] == "/tmp\n"'
	call exec '{"command": "echo $A-$HOME", "env": {"A": "b", "HOME": "/x"}}'
	holds 'd["stdout"] == "b-/x\n"'
	call exec '{"command": "sleep 100", "timeoutMs": 200}'
	holds 'd["timedOut"] and d["reason"] == "timeout"'
	call exec '{"command": "true", "timeoutMs": 60001}'
	holds 'status == 1 and "more than the policy allows (60000)" in d["error"]'
	call exec '{"command": "true", "timeoutMs": 60001}' --set timeout=10m
	holds 'status == 0'
}

@test "the text for whoever reads has both streams and the status" {
	run -1 "$WARD" tools call exec '{"command": "echo out; echo err >&2; exit 3"}'
	[ "$output" = $'out\n[stderr]\nerr\n[exit status 3]' ]
}

@test "nothing of a call chooses what the policy decides" {
	local more
	for more in '"user": "0"' '"sandbox": false' '"network": "full"' '"binds": ["/:/h"]' '"runtime": "host"' \
		'"timeoutMs": -1' '"timeoutMs": 0' '"timeoutMs": 1.5' '"timeoutMs": "1"' '"env": {"A=B": "c"}' \
		'"env": {"A": 1}' '"session": "other"' '"agent": "other"' '"elevated": true' '"argv": ["ls"]' '"cwd": 1' '"COMMAND": "x"' '"background": "yes"'; do
		call exec "{\"command\": \"touch ran\", $more}"
		holds 'status == 1 and "error" in d' || { echo "$more" && return 1; }
	done
	[ ! -e ran ]
	# The same without it runs.
	call exec '{"command": "touch ran"}'
	[ -e ran ]
}

@test "a call chooses nothing of the sandbox that is started for it" {
	local cwd how
	for cwd in /proc/self/root /proc/1/root ../.. sub/../.. /nowhere /dev/fd/3 link; do
		ln -sfn /etc link
		for how in cold warm; do
			call exec "{\"command\": \"pwd -P\", \"cwd\": \"$cwd\"}"
			"$python" -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(sys.argv[2], d["exitCode"], d["stdout"], d.get("startError"))' "$RESULT" "$cwd" >"$RESULT.$how"
		done
		cmp "$RESULT.cold" "$RESULT.warm" || { cat "$RESULT".{cold,warm} && return 1; }
		"$WARD" stop --force
	done
	# What prepares the sandbox is the policy's, and so is what it has to do it with.
	set -- --set 'setupCommand="pwd >/tmp/setup; env >>/tmp/setup"'
	call exec '{"command": "echo $X; cat /tmp/setup", "cwd": "/tmp", "env": {"X": "chosen", "PATH": "/workspace:/usr/bin"}}' "$@"
	holds 'd["stdout"].startswith("chosen\n/workspace\n") and "PATH=" in d["stdout"]'
	holds '"X=" not in d["stdout"] and "PATH=/workspace" not in d["stdout"]'
	"$WARD" stop --force "$@"
}

@test "what is not JSON, or has a NUL, bad UTF-8 or a key twice, is refused" {
	local bad
	for bad in '' '{' '[]' '{command: "x"}' '{"command": "touch ran\u0000"}' $'{"command": "touch ran\xff"}' \
		'{"command": "true", "command": "touch ran"}' '{"command": "touch ran"} x' \
		'{"command": "touch ran", "comm\u0061nd": "x"}'; do
		status=0
		timeout 60 "$WARD" tools call exec "$bad" >"$RESULT" 2>&1 || status=$?
		[ "$status" = 125 ] || [ "$status" = 1 ] || { echo "$bad" && return 1; }
	done
	[ ! -e ran ]
	printf '{"command": "touch ran"}' | "$WARD" tools call exec -
	[ -e ran ]
}

@test "a framework's tool is not carried out, and that is what is said" {
	run -0 "$WARD" tools list
	[[ $output == *'look at a picture, by the framework'* && $output != *'read a file, by'* ]]
	run -126 "$WARD" tools call image
	[[ $output == *"there is no tool 'image' for this session (it is a framework's"* ]]
	run -126 "$WARD" tools call nonsense
	[[ $output == *"there is no tool 'nonsense' for this session ('ward tools list')" ]]
}

@test "an argument that a tool does not have: the nearest one, or all that it has" {
	run -1 "$WARD" tools call read '{"path": "f", "ofset": 1}'
	[[ $output == *"there is no argument 'ofset'; did you mean 'offset'?" ]]
	run -1 "$WARD" tools call edit '{"file": "f", "from": "x", "to": "y"}'
	[[ $output == *"there is no argument 'f"*"', only: path, oldText, newText, all" ]]
	run -1 "$WARD" tools call session_status '{"verbose": true}'
	[[ $output == *"there is no argument 'verbose', only: none" ]]
	run -1 "$WARD" tools call search '{}'
	[[ $output == *"neither 'pattern' nor 'names' is given" ]]
}

@test "a NUL in any member is refused by its name, and nothing is cut there" {
	local row
	for row in 'exec|{"argv": ["touch", "ran\u0000b"]}|argv[1]' 'exec|{"command": "touch ran", "cwd": ".\u0000x"}|cwd' \
		'exec|{"command": "touch ran", "env": {"A": "b\u0000"}}|env.A' 'exec|{"command": "touch ran", "env": {"A\u0000": "b"}}|env' \
		'exec|{"command": "touch ran", "stdin": "\u0000"}|stdin' 'read|{"path": "f\u0000x"}|path' \
		'write|{"path": "ran\u0000x", "content": ""}|path' 'search|{"pattern": "x", "path": ".\u0000"}|path'; do
		IFS='|' read -r tool arguments member <<<"$row"
		run -125 timeout 60 "$WARD" tools call "$tool" "$arguments"
		[[ $output == *" $member: a NUL character is not allowed"* ]] || { echo "$row: $output" && return 1; }
	done
	[ -z "$(ls -A)" ]
}

@test "commands that delete everything delete what is theirs" {
	mkdir "$BATS_TEST_TMPDIR/home"
	echo kept | tee "$BATS_TEST_TMPDIR/outside" "$BATS_TEST_TMPDIR/home/file" >mine
	export HOME=$BATS_TEST_TMPDIR/home
	for command in 'rm -rf -- ~ .. ../.. /*' 'rm -rf --no-preserve-root /' 'find / -delete' 'mv ~ x; mv .. x' "rm -rf $BATS_TEST_TMPDIR"; do
		call exec "{\"command\": \"exec 2>/dev/null; $command\"}"
		"$WARD" stop --force
	done
	[ "$(cat "$BATS_TEST_TMPDIR/outside" "$HOME/file")" = $'kept\nkept' ]
	[ ! -e mine ]
	# Where the workspace is copied on write, that too.
	echo kept >mine
	call exec '{"command": "rm -rf /* 2>/dev/null; ls mine"}' --set workspace=cow
	holds '"No such file" in d["stderr"]'
	[ "$(cat mine)" = kept ]
}

@test "a command leaves nothing in the shell of the next one" {
	call exec '{"argv": ["bash", "-c", "export PAGER=x; alias ls=x; ls() { echo x; }; hash -p /tmp/x ls; cd /; trap x DEBUG; umask 0; ulimit -n 10; set -x"]}'
	call exec '{"command": "export PAGER=x; ls() { echo x; }; cd /; umask 0; trap x EXIT; PATH=/tmp"}'
	call exec '{"argv": ["bash", "-c", "echo \"$PAGER,$(alias),$(trap),$-\"; pwd; umask; ulimit -n; type ls; declare -F"]}'
	holds '(lambda x: x[0][:3] == ",,," and "x" not in x[0] and x[1:3] == ["/workspace", "0022"] and int(x[3]) > 10
		and x[4].startswith("ls is /") and x[5:] == [])(d["stdout"].splitlines())'
}

@test "a tool that is denied is not there, and neither is one that nobody knows" {
	local name
	call read '{"path": "x"}' --set 'tools.deny=["group:fs"]'
	[ "$status" = 126 ]
	for name in Exec EXEC 'exec ' ' exec' $'exec\u200b' $'exec\n' '' mcp__x__exec __proto__ toString exe "$(printf 'x%.0s' {1..10000})"; do
		call "$name" '{"command": "touch ran"}'
		[ "$status" = 126 ] || { echo "$name" && return 1; }
	done
	call bash '{"command": "touch ran"}' --set 'tools.deny=["exec"]'
	[ "$status" = 126 ]
	[ ! -e ran ]
	call bash '{"command": "touch ran"}'
	[ -e ran ]
}

@test "files are read, written, edited, listed, searched and patched" {
	call write '{"path": "a/b.txt", "content": "one\ntwo\nthree\n", "makeParents": true}'
	holds 'd == {"path": "a/b.txt", "size": 14, "created": True}'
	call read '{"path": "/workspace/a/b.txt", "line": 2, "lines": 1}'
	holds 'd["content"] == "two\n" and d["more"] and d["line"] == 2'
	call edit '{"path": "a/b.txt", "oldText": "two", "newText": "2"}'
	holds 'd["replaced"] == 1 and d["lines"] == [2]'
	call list '{"depth": 2}'
	holds '[x["path"] for x in d["entries"]] == ["a", "a/b.txt"]'
	call search '{"pattern": "^t.*e$", "regex": true}'
	holds '[(x["path"], x["line"]) for x in d["matches"]] == [("a/b.txt", 3)]'
	call apply_patch '{"patch": "--- a/a/b.txt\n+++ b/a/b.txt\n@@ -1,3 +1,3 @@\n-one\n+1\n 2\n three\n"}'
	holds 'd["files"][0]["change"] == "updated"'
	[ "$(cat a/b.txt)" = $'1\n2\nthree' ]
	call write '{"path": "bin", "content": "AP8=", "encoding": "base64"}'
	[ "$(od -An -tx1 bin)" = " 00 ff" ]
	call read '{"path": "bin"}'
	holds 'd["contentBase64"] == "AP8="'
	call exec '{"command": "cat a/b.txt"}'
	holds 'd["stdout"] == "1\n2\nthree\n"'
}

@test "files of a workspace that is copied on write are the sandbox's own" {
	echo host >f
	call write '{"path": "f", "content": "layer\n"}' --set workspace=cow
	holds 'status == 0'
	[ "$(cat f)" = host ]
	call exec '{"command": "cat f; echo more >g"}' --set workspace=cow
	holds 'd["stdout"] == "layer\n"'
	call read '{"path": "g"}' --set workspace=cow
	holds 'd["content"] == "more\n"'
	[ ! -e g ]
	run -0 "$WARD" diff --stat --set workspace=cow
	[[ $output == *f* && $output == *g* ]]
}

@test "files of a private workspace are the sandbox's own" {
	call write '{"path": "f", "content": "mine\n"}' --session private --set workspace=none
	holds 'status == 0'
	[ ! -e f ]
	call exec '{"command": "cat f; echo more >g"}' --session private --set workspace=none
	holds 'd["stdout"] == "mine\n"'
	call read '{"path": "g"}' --session private --set workspace=none
	holds 'd["content"] == "more\n"'
}

@test "a workspace that is read-only stays as it is" {
	echo x >f
	call write '{"path": "f", "content": "y"}' --set workspace=ro
	holds 'status == 1 and "read-only" in d["error"].lower()'
	call read '{"path": "f"}' --set workspace=ro
	holds 'd["content"] == "x\n"'
	[ "$(cat f)" = x ]
}

@test "background processes: started, listed, read, written to, waited for" {
	call exec '{"command": "read x; echo got $x; exit 5", "background": true}'
	holds 'd["id"] == 1'
	call process '{"action": "list"}'
	holds 'd["processes"][0]["state"] == "running"'
	call process '{"action": "wait", "id": 1, "timeoutMs": 50}'
	holds 'not d["ended"]'
	call process '{"action": "write", "id": 1, "data": "hello\n"}'
	call process '{"action": "wait", "id": 1}'
	holds 'd["ended"] and d["exitCode"] == 5'
	call process '{"action": "output", "id": 1}'
	holds 'd["output"] == "got hello\n" and d["ended"]'
	call process '{"action": "output", "id": 1, "since": 4}'
	holds 'd["output"] == "hello\n"'
	call process '{"action": "signal"}'
	holds 'status == 1 and "id" in d["error"]'
	call process '{"action": "signal", "id": 99}'
	holds 'status == 1'
	# One that reads little or nothing holds nobody up.
	call exec '{"command": "while sleep 2; do dd bs=4096 count=1 2>/dev/null >&2; done", "background": true}'
	call process "{\"action\": \"write\", \"id\": 2, \"data\": \"$(printf '%0100000d' 0)\"}"
	holds 'status == 1 and d["code"] == "timeout" and "process 2 does not read: " in d["error"] and "of 100000 bytes" in d["error"]'
}

@test "on the host, where the policy says so: the same checks, answers and records" {
	mkdir sub
	call exec '{"command": "pwd; id -u", "cwd": "sub"}' --set mode=off
	holds "d[\"stdout\"] == \"$PWD/sub\\n$(id -u)\\n\" and d[\"runtime\"] == \"host\" and d[\"enforced\"][\"filesystem\"] == \"none\""
	call exec '{"command": "touch ran", "env": {"LD_PRELOAD": "x"}}' --set mode=off
	holds 'status == 1'
	call exec '{"command": "touch ran", "cwd": ".."}' --set mode=off
	holds 'status == 1'
	call exec '{"command": "sleep 100 & echo $!", "timeoutMs": 300}' --set mode=off
	holds 'd["reason"] in ("exited", "timeout")'
	[ ! -e ran ]
	echo x >f
	call read '{"path": "f"}' --set mode=off
	holds 'd["content"] == "x\n"'
	call read '{"path": "/etc/hostname"}' --set mode=off
	holds 'status == 1'
	call write '{"path": ".git/hooks/post-commit", "content": "", "makeParents": true}' --set mode=off
	holds 'status == 1 and "protected" in d["error"]'
}

@test "a call whose process is killed leaves nothing, whatever the command ignores" {
	local options
	for options in mode=off mode=all keepAlive=false; do
		word=$(a_word)
		"$WARD" tools call --set "$options" exec \
			"{\"command\": \"trap '' TERM HUP INT; touch ready; sh -c 'sleep 1000; :' $word\"}" 3>&- &
		children+=($!)
		until_there ready
		rm ready
		kill -9 "${children[-1]}"
		gone "$word" || { echo "$options" && return 1; }
	done
}

@test "commands are counted wherever they run" {
	local mode
	for mode in off all; do
		# Agents of this test's own: rates outlive a run.
		call exec '{"argv": ["true"]}' --agent "$mode$$" --set "mode=$mode" --set rate.execs=1/h
		holds 'status == 0'
		call exec '{"argv": ["true"]}' --agent "$mode$$" --set "mode=$mode" --set rate.execs=1/h
		holds 'status == 1 and "rate.execs" in d["error"]'
	done
	"$WARD" stop --agent "all$$"
}

@test "every call is in the log, once, with its end" {
	echo secret >f
	call read '{"path": "f"}' --session "log$$"
	call read '{"path": "../x"}' --session "log$$"
	call exec '{"command": "exit 7 # PASSWORD=hunter2hunter2"}' --session "log$$"
	"$WARD" stop --session "log$$"
	"$WARD" audit tail -n 10000 --json | grep -F "agent:main:log$$" >"$RESULT"
	"$python" - "$RESULT" <<'EOF'
import json, sys
rows = [json.loads(l) for l in open(sys.argv[1])]
begins = {r["seq"]: r for r in rows if r["event"] == "begin"}
ends = [r for r in rows if r["event"] == "end" and r["begin"] in begins]
said = [(begins[r["begin"]]["tool"], r["reason"]) for r in ends][-3:]
assert said == [("read", "done"), ("read", "failed"), ("exec", "exited")], said
assert ends[-1]["exitCode"] == 7
assert begins[ends[-3]["begin"]]["path"] == "f"
assert "hunter2" not in open(sys.argv[1]).read()
EOF
}

@test "errors name what is inside, and no folder of the host" {
	local tool path
	mkdir dir locked
	mkfifo fifo
	ln -s /etc/passwd link
	ln -s "$PWD/dir" absolute
	chmod 0 locked
	for tool in read write edit list search; do
		for path in ../x link absolute/x none/x fifo fifo/x locked/x "$(printf 'x%.0s' {1..300})" .git/config; do
			"$WARD" tools call --json "$tool" "{\"path\": \"$path\"$(case $tool in
				write) echo ', "content": "x"' ;;
				edit) echo ', "oldText": "a", "newText": "b"' ;;
				search) echo ', "pattern": "x"' ;;
				esac)}" || true
		done
	done >"$RESULT"
	for arguments in '{"command": "x", "cwd": "none"}' '{"argv": ["/none"]}' '{"command": "x", "timeoutMs": 99999999}'; do
		"$WARD" tools call --json exec "$arguments" || true
	done >>"$RESULT"
	chmod 700 locked
	[ "$(grep -c '"error"' "$RESULT")" -gt 30 ]
	run ! grep -F "$BATS_TEST_TMPDIR" "$RESULT"
}

@test "no name of an argument hides a call from those who read the log" {
	local long deep session=hidden$$
	long=$(printf 'A%.0s' {1..200})
	deep=$(printf '[%.0s' {1..63})$(printf ']%.0s' {1..63})
	call exec "{\"command\": \"echo first\", \"env\": {\"${long}1\": \"x\", \"${long}2\": \"y\"}}" --session "$session"
	holds 'd["stdout"] == "first\n"'
	"$python" -c 'import json
print(json.dumps({"command": "echo second", "env": {"...": "x", **{"V%d" % i: "x" * 100 for i in range(200)}}}))' >arguments
	"$WARD" tools call exec - --session "$session" <arguments
	call exec "{\"command\": \"echo third\", \"x\": $deep}" --session "$session"
	"$WARD" stop --session "$session"
	run -0 "$WARD" audit query --json --session "agent:main:$session"
	[[ $output == *"echo first"* && $output == *"echo second"* && $output == *"echo third"* ]]
}

@test "a configuration that cannot be read stops every call" {
	echo '{nonsense' >.ward.json5
	status=0
	timeout 60 "$WARD" tools call exec '{"command": "touch ran"}' >"$RESULT" 2>&1 || status=$?
	[ "$status" = 125 ]
	[ ! -e ran ]
}
