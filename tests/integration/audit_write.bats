#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Every request leaves its lines in the audit log, whatever the end; what cannot be recorded does not run.
# shellcheck disable=SC2016,SC2030,SC2031 # expanded inside; each test is a process of its own
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state

# Each test has a log of its own.
setup() {
	umask 022
	mkdir "$BATS_TEST_TMPDIR/w"
	cd "$BATS_TEST_TMPDIR/w" || return 1
	log=$BATS_TEST_TMPDIR/log
	export XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config
	configure ''
	children=()
	apart=(unshare --mount --propagation private)
	[ "$(id -u)" = 0 ] || apart+=(--user --map-current-user --keep-caps)
}

teardown() {
	local pid
	for pid in "${children[@]}"; do
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	"$WARD" stop --force >/dev/null 2>&1 || true
	"$WARD" prune >/dev/null 2>&1 || true
}

configure() { # MEMBERS of audit besides its path
	mkdir -p "$XDG_CONFIG_HOME/ward"
	echo "{audit: {path: '$log', fsync: 'never', $1}, agents: {defaults: {sandbox: {rate: {creates: '1000000/m'}}}}}" \
		>"$XDG_CONFIG_HOME/ward/ward.json5"
}

ward() {
	timeout -k 5 60 "$WARD" "$@"
}

lines() { # EXPRESSION...: hold of the log, which is as it must be
	"$python" "$tests/helpers/auditlines" "$log" "$@"
}

until_lines() { # EXPRESSION: within seconds
	local i
	for ((i = 0; i < 200; i++)); do
		lines "$1" 2>/dev/null && return
		sleep 0.05
	done
	lines "$1"
}

# One begin, and its end: REASON, and an expression over `d`.
ended() {
	lines "len(begins) == 1 and not denied" "[d['reason'] for d in ends.values()] == ['$1']" "all($2 for d in ends.values())"
	rm -rf "$log"
}

@test "ward run: begin and end, whatever the end" {
	run -3 ward run -- sh -c 'exit 3'
	lines 'begins[1]["argv"] == ["sh", "-c", "exit 3"]' "begins[1]['cwd'] == '$PWD'" 'begins[1]["verdict"] == "allow"' \
		'begins[1]["place"] == "sandbox" and begins[1]["runtime"] == "native"' 'begins[1]["session"] == "agent:main:main"' \
		'begins[1]["entrance"] == "cli" and begins[1]["operation"] == "run" and begins[1]["tool"] == "exec"' \
		"begins[1]['uid'] == $(id -u)" 'len(begins[1]["reasons"]) >= 2 and all(r["code"] and r["text"] for r in begins[1]["reasons"])' \
		'ends[1]["session"] == "agent:main:main" and ends[1]["usage"]["memoryPeak"] >= 0'
	ended exited 'd["exitCode"] == 3 and d["signal"] == 0'
	run -137 ward run -- sh -c 'kill -9 $$'
	ended signalled 'd["exitCode"] is None and d["signal"] == 9'
	run -124 ward run --set timeout=100ms -- sleep 60
	ended timeout True
	run -124 ward run --set idleTimeout=100ms -- sleep 60
	ended idle True
	run -127 ward run -- /nowhere
	ended exited 'd["error"] == "No such file or directory"'
	run -137 ward run --set resources.memory=32M -- "$python" -c 'x = bytearray(200 << 20)'
	ended oom 'd["limitsHit"]["memory"] >= 1'
}

@test "ward exec: likewise, and in the background" {
	run -3 ward exec -- sh -c 'exit 3'
	lines 'begins[1]["operation"] == "exec"'
	ended exited 'd["exitCode"] == 3'
	run -124 ward exec --set timeout=100ms -- sleep 60
	ended timeout True
	run -0 ward exec --background -- sh -c 'sleep 0.2; exit 7'
	until_lines 'ends'
	ended exited 'd["exitCode"] == 7 and d["session"] == "agent:main:main"'
	run -0 ward exec --background -- sleep 1000
	run -0 ward stop --force
	until_lines 'ends'
	lines 'lines[-1]["event"] == "stop" or lines[-2]["event"] == "stop"'
	ended stopped True
	run -3 ward exec --set keepAlive=false -- sh -c 'exit 3'
	ended exited True
}

@test "what is refused has one line, and says why" {
	run -126 ward run --set tools.deny=exec -- touch ran
	[ ! -e ran ]
	lines 'not begins and len(denied) == 1' 'denied[0]["verdict"] == "deny"' '"tools.deny" in denied[0]["why"]' \
		'denied[0]["argv"] == ["touch", "ran"]'
	run -125 ward run --set runtime=docker --set 'fallback=[]' -- touch ran
	[ ! -e ran ]
	lines 'not begins and len(denied) == 2' 'denied[1]["verdict"] == "deny" and denied[1]["why"]'
	# Of an agent of this test's own: rates outlive a run.
	run -0 ward exec --agent "rate$$" --set rate.execs=1/m -- true
	run -125 ward exec --agent "rate$$" --set rate.execs=1/m -- touch ran
	"$WARD" stop --agent "rate$$"
	lines 'denied[-1]["operation"] == "exec"'
}

@test "a call that is refused says what it asked for: denied, or with arguments of another kind" {
	run -126 ward tools call exec '{"command": "touch ran", "timeoutMs": 5}' --set tools.deny=exec
	lines 'denied[0]["command"] == "touch ran" and denied[0]["arguments"] == {"timeoutMs": 5}'
	run -126 ward tools call read '{"path": "secret.txt"}' --set tools.deny=read
	lines 'denied[1]["path"] == "secret.txt" and "arguments" not in denied[1]'
	run -1 ward tools call exec '{"command": ["touch", "ran"]}'
	lines 'denied[2]["arguments"] == {"command": ["touch", "ran"]}' 'not begins and len(denied) == 3'
	[ ! -e ran ]
}

@test "starts, stops, rules and changes are recorded" {
	run -0 ward start --set network.mode=limited
	lines 'begins[1]["operation"] == "start" and ends[1]["reason"] == "done" and "argv" not in begins[1]'
	run -0 ward net allow --set network.mode=limited example.org
	lines 'lines[-1]["event"] == "net" and lines[-1]["rule"] == "example.org" and lines[-1]["action"] == "allow"'
	run -0 ward stop --set network.mode=limited
	lines 'lines[-1]["event"] == "stop" and lines[-1]["sandbox"].startswith("s-main")'
	run -0 ward exec --set workspace=cow -- touch changed
	run -0 ward stop --set workspace=cow
	run -0 ward apply --set workspace=cow
	[ -e changed ]
	lines 'any(d["event"] == "apply" and "changed" in d["paths"] for d in lines)'
}

@test "what was refused to a command, and where it wanted to go, stands in its end" {
	run ward run --set "network.allow=['a.test']" -- sh -c 'echo x >.ward.json5; "$0" -c "
import socket
try: socket.create_connection((\"denied.test\", 443), 3)
except OSError: pass"' "$python"
	lines 'any(p["path"] == ".ward.json5" for p in ends[1]["refused"])' \
		'any(f["host"] == "denied.test" and not f["allowed"] for f in ends[1]["network"])'
	rm -rf "$log"
	run -0 ward exec --background --set "network.allow=['a.test']" -- "$python" -c '
import socket
try: socket.create_connection(("denied.test", 443), 3)
except OSError: pass'
	until_lines 'ends'
	lines 'any(f["host"] == "denied.test" and not f["allowed"] for f in ends[1]["network"])'
}

@test "kill -9 of ward: the begin is there, and the log goes on" {
	"$WARD" run -- sleep 1000 &
	children+=($!)
	until_lines 'begins'
	kill -9 "${children[0]}"
	wait "${children[0]}" || true
	run -0 ward run -- true
	lines 'len(begins) == 2 and list(ends) == [2]'
}

@test "kill -9 of the caller of ward exec: the sandbox records the end" {
	"$WARD" exec -- sh -c 'touch ready; sleep 1000' &
	children+=($!)
	until_there ready
	kill -9 "${children[0]}"
	wait "${children[0]}" || true
	until_lines 'ends'
	ended stopped 'd["session"] == "agent:main:main" and d["tool"] == "exec"'
}

@test "kill -9 of the sandbox: its caller records the end" {
	"$WARD" exec -- sh -c 'touch ready; sleep 1000' &
	children+=($!)
	until_there ready
	kill -9 "$("$WARD" status --json | sed -n 's/ *"pid": \([0-9]*\),/\1/p')"
	wait "${children[0]}" || true
	ended internal 'd["error"]'
	run -0 ward exec -- true
	lines 'len(begins) == 1 and len(ends) == 1'
}

@test "a full disk: nothing runs, and nothing that was written is lost" {
	mkdir "$log"
	"${apart[@]}" bash -uc '
		ward=$1 log=$2
		mount -t tmpfs -o size=640k,mode=700 full "$log"
		chmod 700 "$log"
		"$ward" run -- touch before
		"$ward" run -- sh -c "touch there; until [ -e go ]; do sleep 0.01; done" &
		until [ -e there ]; do sleep 0.01; done
		dd if=/dev/zero of="$log/fill" bs=4k 2>/dev/null
		dd if=/dev/zero of="$log/fill2" bs=1 2>/dev/null
		# Until the room is used up that was taken ahead.
		for ((i = 0; i < 1000; i++)); do
			rm -f ran
			"$ward" run -- touch ran 2>/dev/null || break
			[ -e ran ] || echo "did not run"
		done
		rm -f ran
		"$ward" run -- touch ran
		echo "status $?"
		"$ward" exec -- touch ran
		echo "status $?"
		touch go
		wait
		echo "$i" >"$3/count"
		cp "$log/log" "$3/full"
		rm "$log"/fill*
		"$ward" run -- touch after
		cp "$log/log" "$3/well"
	' apart "$WARD" "$log" "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
	cat "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
	[ "$(cat "$BATS_TEST_TMPDIR/out")" = "$(printf 'status 125\nstatus 125')" ]
	[ -e before ] && [ -e after ] && [ ! -e ran ]
	grep -q "No space left on device" "$BATS_TEST_TMPDIR/err"
	grep -qF "$log" "$BATS_TEST_TMPDIR/err"
	grep -q "audit.path" "$BATS_TEST_TMPDIR/err"
	# The end of what ran meanwhile found the room that was kept for it.
	cp "$BATS_TEST_TMPDIR/well" "$log/log"
	count=$(cat "$BATS_TEST_TMPDIR/count")
	lines "len(begins) == 3 + $count and len(ends) == 3 + $count" \
		"sum(d['argv'] == ['touch', 'ran'] for d in begins.values()) == $count"
	cp "$BATS_TEST_TMPDIR/full" "$log/log"
	lines "len(begins) == 2 + $count and len(ends) == 2 + $count"
}

@test "a folder that cannot be written, or that others can: nothing runs" {
	refused() {
		run -125 ward run -- touch ran
		[[ $output == *"$log"* && $output == *audit.path* ]]
		run -125 ward exec -- touch ran
		[ ! -e ran ]
	}
	mkdir "$log"
	chmod 777 "$log"
	refused
	rmdir "$log"
	mkdir "$BATS_TEST_TMPDIR/real"
	ln -s "$BATS_TEST_TMPDIR/real" "$log"
	refused
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/real")" ]
	rm "$log"
	touch "$log"
	refused
	rm "$log"
	mkdir "$log"
	ln -s "$BATS_TEST_TMPDIR/real/elsewhere" "$log/log"
	refused
	rm "$log"/*
	ln -s "$BATS_TEST_TMPDIR/real/elsewhere" "$log/head"
	refused
	[ ! -e "$BATS_TEST_TMPDIR/real/elsewhere" ]
	rm "$log"/*
	echo "no head" >"$log/head"
	refused
	rm -r "$log"
	if [ "$(id -u)" = 0 ]; then
		mkdir "$log"
		chown 23456 "$log"
		refused
		rmdir "$log"
	else
		log=/usr
		configure ''
		refused
		log=$BATS_TEST_TMPDIR/log
		configure ''
	fi
	run -0 ward run -- touch ran
	[ -e ran ]
}

@test "a read-only folder: nothing runs" {
	mkdir "$log"
	"${apart[@]}" bash -uc '
		ward=$1 log=$2
		mount -t tmpfs -o mode=700 ro "$log"
		chmod 700 "$log"
		"$ward" run -- touch before
		mount -o remount,ro "$log"
		"$ward" run -- touch ran
		echo "status $?"
	' apart "$WARD" "$log" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
	cat "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
	[ "$(cat "$BATS_TEST_TMPDIR/out")" = 'status 125' ]
	[ -e before ] && [ ! -e ran ]
	grep -q "Read-only file system" "$BATS_TEST_TMPDIR/err"
}

@test "no sandbox sees the log, wherever it is, and no workspace chooses it" {
	run -0 ward run -- true
	run -125 ward run --set "binds=['$log:/mnt/log']" -- touch ran
	[[ $output == *"ward's own"* ]]
	log=$PWD/inside
	configure ''
	run -125 ward run -- touch ran
	[[ $output == *"ward's own"* ]]
	[ ! -e ran ]
	log=$BATS_TEST_TMPDIR/log
	configure ''
	echo "{audit: {path: '$PWD/inside'}}" >.ward.json5
	run -125 ward run -- touch ran
	[[ $output == *"cannot be set here"* ]]
	[ ! -e ran ]
}

@test "secrets are left out, and the hash tells requests apart" {
	t=0123456789abcdefABCDEF0123456789abcdef
	secrets=("ghp_$t" "github_pat_$t" "sk-$t" "sk-ant-$t" "glpat-$t" "xoxb-$t" "AKIA0123456789ABCDEF" hunter2 "corp-77"
		eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln)
	configure "redact: ['corp-*'],"
	ward run -- true "${secrets[@]:0:7}" --password hunter2 --api-key=hunter2 DB_PASSWORD=hunter2 "https://me:hunter2@host/" \
		"Authorization: Bearer hunter2" "https://h/?token=hunter2&x=1" corp-77 "$(printf 'ghp_%s' "$t" | base64 -w0)" \
		"${secrets[9]}" $'-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----'
	ward run -- true --password hunter3
	ward run -- true --password hunter2
	ward run -- true --password hunter2
	for s in "${secrets[@]}" "$(printf 'ghp_%s' "$t" | base64 -w0)"; do
		lines "b'''$s''' not in raw" || return 1
	done
	lines 'sum(b"[redacted:" in json.dumps(d).encode() for d in begins.values()) == 4' \
		'begins[3]["requestHash"] != begins[5]["requestHash"] == begins[7]["requestHash"]'
	# What runs is not changed.
	run -0 ward run -- echo "ghp_$t"
	[ "$output" = "ghp_$t" ]
}

@test "strange words: one line of JSON each, and nothing for a terminal to act on" {
	ward run --session $'x\ny\e[2J' -- true $'a\nb\r\e[2J\a\b' $'\u2028\u202e' $'\xff\xfe' '","event":"end' "$(head -c 100000 /dev/zero | tr '\0' x)"
	lines 'begins[1]["argv"][1] == "a\nb\r\x1b[2J\x07\x08"' 'begins[1]["argv"][2] == "\u2028\u202e"' \
		'begins[1]["argv"][3] == {"base64": "//4="}' "begins[1]['argv'][4] == '\",\"event\":\"end'" \
		'begins[1]["argv"][5]["length"] == 100000 and begins[1]["argv"][5]["truncated"]' \
		'begins[1]["argv"][5]["sha256"] == hashlib.sha256(b"x" * 100000).hexdigest()' 'b"\xe2\x80" not in raw'
}

@test "many processes at once: every line is there, once and whole" {
	count=6400
	[ -z "${FULL-}" ] || count=100000
	written=$("$HELPERS/records" "$log" 64 "$count")
	lines "len(lines) == $written" 'lines[-1]["seq"] == len(lines)' 'len(begins) == len(ends)' \
		'len({tuple(d["argv"]) for d in begins.values()}) == len(begins)'
	# And something is found that was changed.
	sed -i '5s/"sinceBootUs":/&9/' "$log"/log*
	run -1 lines True
	[[ $output == *"the hash is another"* ]]
}

@test "ward itself, many at once" {
	for i in {1..20}; do
		ward run -- true "$i" &
		children+=($!)
	done
	wait
	lines 'len(begins) == 20 and len(ends) == 20' 'all(d["exitCode"] == 0 for d in ends.values())'
}

@test "files are put aside, and only so many are kept" {
	configure "rotateSize: '4K', keep: 2,"
	for _ in {1..20}; do
		ward run -- true
	done
	[ "$(find "$log" -name 'log.*' | wc -l)" = 2 ]
	lines 'lines[-1]["seq"] == 40 and lines[0]["seq"] > 1'
}

@test "a caller that stays: two lines for each command" {
	"$HELPERS/again" 5 0 /bin/true >/dev/null
	lines 'len(begins) == 5 and len(ends) == 5' 'len({d["pid"] for d in begins.values()}) == 1'
}
