#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Commands that wait for a person: who may answer, what an answer is bound to, and that what was approved is what runs.
# Requesters and approvers run in logins of their own (tests/helpers/apart).
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # what is in quotes is for other shells; each test is a process of its own

load lib

setup() {
	umask 022
	mkdir "$BATS_TEST_TMPDIR/w" "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/run"
	cd "$BATS_TEST_TMPDIR/w" || return 1
	children=()
	T=$BATS_TEST_TMPDIR
	export XDG_RUNTIME_DIR=$T/run XDG_STATE_HOME=$T/state PATH="$T/bin:/usr/local/bin:/usr/bin:/bin"
	word=w$(a_word)
	CONFIG=$T/ward.json5
	rules 1m
	# What it says shows that it ran, and where.
	program tool 'echo "ran $*"; echo "ran $*" >>"'"$T"'/ran"; pwd -P; [ -e /workspace ] && echo inside || echo outside'
}

teardown() {
	local id pid
	for pid in "${children[@]}"; do
		kill "$pid" 2>/dev/null || true
	done
	for id in $(grants); do
		"$WARD" grants revoke "$id"
	done
}

grants() { # ids of this test's own; root has one folder for all
	"$WARD" grants list --json | "$python" -c 'import json, sys
for d in json.load(sys.stdin):
    if sys.argv[1] in d["command"]: print(d["id"])' "$word"
}

uses_left() {
	"$WARD" grants list --json | "$python" -c 'import json, sys
for d in json.load(sys.stdin):
    if sys.argv[1] in d["command"]: print(d["usesLeft"])' "$word"
}

rules() { # APPROVAL-TIMEOUT [RULE...]
	cat >"$CONFIG" <<-END
		{profiles: {open: {sandbox: {workspace: "ro"}}}, tools: {elevated: {enabled: true, approvalTimeout: "$1", rules: [
			{pattern: "tool *", to: "host"}, {pattern: "gratis *", to: "host", approval: false}, {pattern: "id *", to: "open"},
			${2-}]}}}
	END
}

program() { # NAME TEXT
	printf '#!/bin/sh\n%s\n' "$2" >"$T/bin/$1"
	chmod 755 "$T/bin/$1"
}

apart() { # NAME COMMAND...
	rm -f "$T/$1.status"
	"$python" "$tests/helpers/apart" "$T/$1" "${@:2}"
}

ended() { # NAME: its exit status
	for _ in {1..1200}; do
		[ ! -e "$T/$1.status" ] || { cat "$T/$1.status" && return; }
		sleep 0.05
	done
	echo "$1 did not end"
	return 1
}

request() { # NAME OPTION... -- COMMAND...: in a login of its own
	apart "$1" "$WARD" run --config "$CONFIG" "${@:2}"
}

waiting() { # WORD: the id of the request with that in its command
	for _ in {1..100}; do
		"$WARD" approvals --json >"$T/approvals.json" || true
		"$python" - "$T/approvals.json" "$1" <<-'END' && return
			import json, sys
			ids = [d["id"] for d in json.load(open(sys.argv[1])) if sys.argv[2] in d["command"]]
			sys.exit(print(*ids) if ids else 1)
		END
		sleep 0.05
	done
	echo "nothing waits with $1"
	return 1
}

requester() { # the process that waits
	"$python" -c 'import json, sys
for d in json.load(open(sys.argv[1])):
    if sys.argv[2] in d["command"]: print(d["pid"])' "$T/approvals.json" "$word"
}

no_sockets() { # of requests of ours
	local place=$XDG_RUNTIME_DIR/ward/approvals
	[ "$(id -u)" != 0 ] || return 0 # root has one folder for all
	[ -z "$(find "$place" -type s)" ]
}

answer() { # WORD approve|deny OPTION...: by another login; the answer's exit status
	local id
	id=$(waiting "$1") || return
	apart answer "$WARD" "$2" "${@:3}" "$id"
	ended answer || return
	cat "$T/answer.err" >&2
}

@test "nobody answers: denied, and nothing has run" {
	rules 500ms
	request r --json -- tool "$word"
	[ "$(ended r)" = 126 ]
	grep -q '"reason": "policy"' "$T/r.out"
	grep -q 'nobody approved it within 500ms' "$T/r.out"
	grep -q 'ward approve' "$T/r.err"
	[ ! -e "$T/ran" ]
	run "$WARD" approvals
	[[ $output != *"$word"* ]]
}

@test "approved from another login: it runs on the host, once" {
	request r --json -- tool "$word" 'a b'
	[ "$(answer "$word" approve)" = 0 ]
	[ "$(ended r)" = 0 ]
	grep -q "\"stdout\": \"ran $word a b\\\\n$T/w\\\\noutside\\\\n\"" "$T/r.out"
	grep -q '"runtime": "host"' "$T/r.out"
	grep -qE '"approval": "[0-9a-f]{32}"' "$T/r.out"
	grep -q "tool $word 'a b'" "$T/answer.out"
	grep -q "script  *$T/bin/tool (sha256 $(sha256sum <"$T/bin/tool" | cut -d' ' -f1))" "$T/answer.out"
	[ "$(cat "$T/ran")" = "ran $word a b" ]
	[ -z "$(grants)" ]
	no_sockets
}

@test "a denial carries advice, which reaches the requester" {
	request r --json -- tool "$word"
	[ "$(answer "$word" deny --reason $'open a merge request\e[2J')" = 0 ]
	[ "$(ended r)" = 126 ]
	grep -q 'a person said no: open a merge request' "$T/r.out"
	grep -qF 'open a merge request\x1b[2J' "$T/r.err"
	[ ! -e "$T/ran" ]
}

@test "whoever asks cannot approve" {
	"$WARD" run --config "$CONFIG" -- tool "$word" 2>"$T/err" &
	children+=($!)
	id=$(waiting "$word")
	run -125 "$WARD" approve "$id"
	[[ $output == *"whoever asks cannot answer"* ]]
	run -125 setsid -w "$WARD" approve "$id"
	[[ $output == *"whoever asks cannot answer"* ]]
	# Also on a terminal that it opened itself.
	run -125 "$HELPERS/withpty" "$WARD" approve "$id"
	[[ $output == *"whoever asks cannot answer"* ]]
	[ ! -e "$T/ran" ]
	# ... and somebody else can.
	[ "$(answer "$word" approve)" = 0 ]
	wait "${children[0]}"
	[ -e "$T/ran" ]
}

@test "no prompt where the requester could type itself" {
	rules 1s
	echo 'echo yes | "$WARD" run --config "$CONFIG" -- tool "$1"' >"$T/script"
	export WARD CONFIG
	# A program on a terminal opens another one, in which it asks and types.
	apart r "$HELPERS/withpty" -w 'waits' -s $'yes\n' sh "$T/script" "$word"
	[ "$(ended r)" = 126 ]
	[ ! -e "$T/ran" ]
	run ! grep -q 'Type yes' "$T/r.out"
}

@test "a prompt on the requester's own terminal; not from standard input" {
	echo yes >"$T/r.type"
	request r -- tool "$word"
	[ "$(ended r)" = 0 ]
	grep -q 'Type yes' "$T/r.tty"
	run ! grep -q 'waits for approval' "$T/r.tty" # the question has the last word
	grep -q "ran $word" "$T/r.out"
	echo no >"$T/n.type"
	request n -- tool "$word"
	[ "$(ended n)" = 126 ]
	echo yesyes >"$T/n.type"
	request n -- tool "$word"
	[ "$(ended n)" = 126 ]
	rules 500ms
	apart s sh -c 'echo yes | "$0" run --config "$1" -- tool stdin' "$WARD" "$CONFIG"
	[ "$(ended s)" = 126 ]
	[ "$(wc -l <"$T/ran")" = 1 ]
}

@test "no answer from inside a sandbox or container" {
	request r -- tool "$word"
	id=$(waiting "$word")
	apart a unshare -U --map-current-user "$WARD" approve "$id"
	[ "$(ended a)" = 125 ]
	cat "$T/a.err"
	grep -q 'inside a sandbox or container' "$T/a.err"
	[ ! -e "$T/ran" ]
	[ "$(answer "$word" approve)" = 0 ]
	[ "$(ended r)" = 0 ]
}

@test "late, second and foreign answers are refused" {
	request r -- tool "$word"
	id=$(waiting "$word")
	for i in 1 2 3 4 5 6 7 8; do apart "a$i" "$WARD" approve "$id"; done
	for i in 1 2 3 4 5 6 7 8; do ended "a$i"; done >"$T/all"
	[ "$(grep -cx 0 "$T/all")" = 1 ]
	[ "$(grep -cx 125 "$T/all")" = 7 ]
	[ "$(ended r)" = 0 ]
	[ "$(wc -l <"$T/ran")" = 1 ]
	run -125 "$WARD" approve "$id"
	[[ $output == *"no request"* ]]
	run -125 "$WARD" deny 00000000000000000000000000000000
	[[ $output == *"no request"* ]]
	run -125 "$WARD" approve ../../../etc/passwd
	[[ $output == *"no request"* ]]
	run -125 "$WARD" approve
	[[ $output == *"which one?"* ]]
}

@test "a requester that is killed leaves no request" {
	request r -- tool "$word"
	id=$(waiting "$word")
	pid=$(requester)
	kill -9 "$pid"
	ended r
	run -125 "$WARD" approve "$id"
	[[ $output == *"no request"* ]]
	run "$WARD" approvals
	[[ $output != *"$word"* ]]
	no_sockets
	# By a signal that can be caught, at once.
	request r -- tool "$word"
	waiting "$word" >/dev/null
	pid=$(requester)
	kill -INT "$pid"
	[ "$(ended r)" = -2 ]
	no_sockets
	[ ! -e "$T/ran" ]
}

@test "uses are counted, and for the very same command only" {
	cp /bin/sh "$T/bin/interpreter"
	sed -i "1s|.*|#!$T/bin/interpreter|" "$T/bin/tool"
	request r -- tool "$word" a b
	[ "$(answer "$word" approve --uses 3)" = 0 ]
	[ "$(ended r)" = 0 ]
	rules_before=$(cat "$CONFIG")
	request r -- tool "$word" a b
	[ "$(ended r)" = 0 ]
	# Whatever is different must be asked for: arguments, where one ends, environment, folder, session, program.
	sed -i 's/"1m"/"300ms"/' "$CONFIG" # by policy too
	request o -- tool "$word" a b
	[ "$(ended o)" = 126 ]
	echo "$rules_before" >"$CONFIG"
	for other in argv words env path cwd session program interpreter place; do
		echo "$other"
		case $other in
		argv) request o -- tool "$word" a b x ;;
		words) request o -- tool "$word" 'a b' ;;
		env) OTHER=1 request o -- tool "$word" a b ;;
		path) PATH=$PATH:/usr/share request o -- tool "$word" a b ;;
		cwd) (mkdir ../w2 && cd ../w2 && request o -- tool "$word" a b) ;;
		session) request o --session other -- tool "$word" a b ;;
		program) sed -i.kept 's/ran/RAN/' "$T/bin/tool" && request o -- tool "$word" a b ;;
		interpreter) echo >>"$T/bin/interpreter" && request o -- tool "$word" a b ;;
		place) # the same bytes by a link to another place
			mkdir "$T/else"
			cp "$T/bin/tool" "$T/else"
			mv "$T/bin/tool" "$T/bin/tool.kept"
			ln -s "$T/else/tool" "$T/bin/tool"
			request o -- tool "$word" a b
			;;
		esac
		[ "$(answer "$word" deny)" = 0 ]
		[ "$(ended o)" = 126 ]
		[ ! -e "$T/bin/tool.kept" ] || mv "$T/bin/tool.kept" "$T/bin/tool"
		cat /bin/sh >"$T/bin/interpreter"
	done
	[ "$(uses_left)" = 1 ]
}

many() { # NAME COUNT: so many requests at once, all alike
	apart "$1" sh -c 'n=$3; while [ "$n" -gt 0 ]; do
		setsid -w "$0" run --config "$1" -- tool "$2" >/dev/null 2>&1 & n=$((n - 1)); done; wait' \
		"$WARD" "$CONFIG" "$word" "$2"
}

@test "one use that is left, by many at once: exactly one run" {
	many r 1
	[ "$(answer "$word" approve --uses 2)" = 0 ]
	[ "$(ended r)" = 0 ]
	: >"$T/ran"
	count=100
	[ -z "$SANITIZED" ] || count=20
	many many "$count"
	for _ in {1..600}; do
		waiting "$word" >"$T/ids"
		[ "$(wc -w <"$T/ids")" != $((count - 1)) ] || break
		sleep 0.1
	done
	# All others ask, each by an id of its own.
	[ "$(tr ' ' '\n' <"$T/ids" | sort -u | wc -l)" = $((count - 1)) ]
	[ "$(wc -l <"$T/ran")" = 1 ]
	requester | xargs kill
	ended many
	[ "$(wc -l <"$T/ran")" = 1 ]
}

@test "grants are listed and taken back" {
	request r -- tool "$word"
	[ "$(answer "$word" approve --for 10m)" = 0 ]
	[ "$(ended r)" = 0 ]
	[ "$(uses_left)" = None ]
	id=$(grants)
	request r -- tool "$word"
	[ "$(ended r)" = 0 ]
	"$WARD" grants revoke "${id:0:8}"
	run -125 "$WARD" grants revoke "$id"
	request r -- tool "$word"
	[ "$(answer "$word" deny)" = 0 ]
	[ "$(ended r)" = 126 ]
	run -125 "$WARD" grants revoke
	[ "$(wc -l <"$T/ran")" = 2 ]
	# One of another start of the machine does not hold.
	request r -- tool "$word"
	[ "$(answer "$word" approve --for 10m)" = 0 ]
	ended r
	folder=$XDG_STATE_HOME/ward/grants
	[ "$(id -u)" != 0 ] || folder=/var/lib/ward/grants
	sed -i "s/$(cat /proc/sys/kernel/random/boot_id)/00000000-0000-0000-0000-000000000000/" "$folder/$(grants)"
	request r -- tool "$word"
	[ "$(answer "$word" deny)" = 0 ]
}

@test "the time of a rule makes a grant too" {
	rules 1m '{pattern: "timed *", to: "host", ttl: "10m"}'
	cp "$T/bin/tool" "$T/bin/timed"
	request r -- timed "$word"
	[ "$(answer "$word" approve)" = 0 ]
	[ "$(ended r)" = 0 ]
	request r -- timed "$word"
	[ "$(ended r)" = 0 ]
	[ "$(wc -l <"$T/ran")" = 2 ]
}

@test "a policy that changes while the command waits: nothing runs" {
	request r -- tool "$word"
	id=$(waiting "$word")
	echo "// a word" >>"$CONFIG"
	apart a "$WARD" approve "$id"
	[ "$(ended a)" = 125 ]
	grep -q 'configuration was changed' "$T/a.err"
	[ "$(ended r)" = 126 ]
	grep -q 'configuration was changed' "$T/r.err"
	[ ! -e "$T/ran" ]
}

@test "a file of the workspace that appears while the command waits: nothing runs" {
	request r -- tool "$word"
	id=$(waiting "$word")
	echo '{}' >.ward.json5
	apart a "$WARD" approve "$id"
	[ "$(ended a)" = 125 ]
	grep -q 'configuration was changed' "$T/a.err"
	[ "$(ended r)" = 126 ]
	[ ! -e "$T/ran" ]
}

@test "when its time is over, the same command is asked for again" {
	request r -- tool "$word"
	[ "$(answer "$word" approve --for 1500ms)" = 0 ]
	[ "$(ended r)" = 0 ]
	[ "$(wc -l <"$T/ran")" = 1 ]
	for _ in {1..200}; do
		[ -n "$(grants)" ] || break
		sleep 0.05
	done
	[ -z "$(grants)" ]
	request r -- tool "$word"
	[ "$(answer "$word" deny)" = 0 ]
	[ "$(ended r)" = 126 ]
	[ "$(wc -l <"$T/ran")" = 1 ]
}

@test "every question and every answer is in the log, without secrets" {
	local secret=ghp_0123456789abcdefABCDEF0123456789abcdef
	export XDG_CONFIG_HOME=$T/config
	mkdir -p "$XDG_CONFIG_HOME/ward"
	CONFIG=$XDG_CONFIG_HOME/ward/ward.json5
	log_of_its_own() { sed -i "1s|{|{audit: {path: '$T/log'}, |" "$CONFIG"; }
	rules 1m
	log_of_its_own
	request r --session $'s"\e[2J\xff' -- tool "$word"
	[ "$(answer "$word" deny --reason $'rather\n'"$secret")" = 0 ]
	[ "$(ended r)" = 126 ]
	# By the requester itself; then by somebody else, for a while, which is taken back.
	ask() { env -u BATS_RUN_COMMAND "$WARD" run -- tool "$word"; }
	ask 2>"$T/err" &
	children+=($!)
	run -125 "$WARD" approve "$(waiting "$word")"
	[ "$(answer "$word" approve --for 10m)" = 0 ]
	wait "${children[0]}"
	ask
	"$WARD" grants revoke "$(grants)"
	# Too late, and nonsense as long as it can be.
	run -125 "$WARD" approve 00000000000000000000000000000000
	run -125 "$WARD" deny "\"$(printf '%0100000d' 0)"
	rules 300ms
	log_of_its_own
	request r -- tool "$word"
	[ "$(ended r)" = 126 ]
	"$python" "$tests/helpers/auditlines" "$T/log" "b'$secret' not in raw and b'[redacted:' in raw" \
		"[(d['action'], 'by' in d) for d in lines if d['event'] == 'approval'] == [('asked', False), ('denied', True),
			('asked', False), ('refused', True), ('given', True), ('used', False), ('revoked', True),
			('refused', True), ('refused', True), ('asked', False), ('expired', False)]" \
		"lines[1]['why'].startswith('rather\\n')" "any('100001' in str(d.get('id')) for d in lines)" \
		"len({d['id'] for d in lines if d.get('action') == 'asked'}) == 3" \
		"all(d['command'].startswith('tool ') for d in lines if d.get('action') in ('asked', 'given', 'used', 'expired'))" \
		"len(begins) == 2 and all(d['approval'] for d in begins.values())"
}

@test "what waits is shown without anything that a terminal would act on" {
	mkdir $'w\e[2J\n\u202e'
	cd $'w\e[2J\n\u202e'
	apart r env $'E\e]0;x\aV=1' "$WARD" run --config "$CONFIG" --session $'s\e]52;c;x\a\u2066' -- tool "$word"
	id=$(waiting "$word")
	for how in '' --json; do
		"$WARD" approvals $how >"$T/shown"
		grep -q "$word" "$T/shown"
		run ! grep -qP '[^\n\x20-\x7e]' "$T/shown"
	done
	[ "$(answer "$word" approve --for 10m)" = 0 ]
	[ "$(ended r)" = 0 ]
	for how in '' --json; do
		"$WARD" grants list $how >"$T/shown"
		grep -q "$word" "$T/shown"
		run ! grep -qP '[^\n\x20-\x7e]' "$T/shown"
	done
}

@test "what a sandbox can write is not elevated, whoever would approve" {
	rules 300ms '{pattern: "./local *", to: "host", approval: false}, {pattern: "sh local", to: "host", approval: false}'
	gratis() { "$WARD" run --config "$CONFIG" -- "$@"; }
	program gratis 'echo ran'
	run -0 gratis gratis x # the control
	[ "$output" = ran ]
	# In the workspace: by name, by a link of PATH, by PATH, by an interpreter.
	cp "$T/bin/gratis" local
	run -126 gratis ./local x
	[[ $output == *"where sandboxes can write"* ]]
	run -126 "$WARD" run --config "$CONFIG" -- sh local
	[[ $output == *"where sandboxes can write"* ]]
	mv "$T/bin/gratis" "$T/bin/kept"
	ln -s "$PWD/local" "$T/bin/gratis"
	run -126 gratis gratis x
	[[ $output == *"where sandboxes can write"* ]]
	rm "$T/bin/gratis"
	mv local gratis
	PATH="$PWD:$PATH" run -126 gratis gratis x
	[[ $output == *"where sandboxes can write"* ]]
	# From a folder of the workspace as well, by a call that chooses it.
	mkdir sub
	PATH="$PWD:$PATH" run -1 "$WARD" tools call --config "$CONFIG" exec '{"argv": ["gratis", "x"], "cwd": "sub"}'
	[[ $output == *"where sandboxes can write"* ]]
	# Nor is it there for what the program starts in turn.
	mkdir bin
	cp gratis bin/helper
	ln -s "$PWD/bin" "$T/link"
	sed 's/echo ran/printf "%s\\n" "$PATH" "${LD_LIBRARY_PATH-none}" "$PYTHONPATH" "$PATHS"; helper/' "$T/bin/kept" >"$T/bin/gratis"
	chmod 755 "$T/bin/gratis"
	LD_LIBRARY_PATH=":$PWD/bin" PYTHONPATH="/usr/lib:" PATHS=".:" PATH="bin::$PATH:$PWD/bin:$T/link:." run -127 gratis gratis x
	[ "${lines[*]:0:4}" = "$PATH none /usr/lib .:" ]
	rm "$T/bin/gratis"
	# A folder that is bound, or one file of it.
	cp "$T/bin/kept" "$T/bin/gratis"
	for bound in "$T/bin" "$T/bin/gratis"; do
		run -0 gratis gratis x
		run -126 "$WARD" run --config "$CONFIG" --set "binds=[\"$bound:/opt/bound:rw\"]" -- gratis x
		[[ $output == *"bound into sandboxes, writable"* ]]
	done
	rm "$T/bin/gratis"
	# Where everybody can, or a group.
	mkdir -m 1777 "$T/common"
	cp "$T/bin/kept" "$T/common/gratis"
	PATH="$T/common:$PATH" run -126 gratis gratis x
	[[ $output == *"everybody can make files"* ]]
	mkdir -m 775 "$T/team"
	cp "$T/bin/kept" "$T/team/gratis"
	PATH="$T/team:$PATH" run -126 gratis gratis x
	[[ $output == *"others can write"* ]]
	cp "$T/bin/kept" "$T/bin/gratis"
	chmod 777 "$T/bin/gratis"
	run -126 gratis gratis x
	[[ $output == *"others can write it"* ]]
	# A first line that does not say what runs.
	printf '#!/usr/bin/env -S sh\necho ran\n' >"$T/bin/gratis"
	chmod 755 "$T/bin/gratis"
	run -126 gratis gratis x
	[[ $output == *"does not plainly name a program"* ]]
	printf '#!/usr/bin/env sh\necho ran\n' >"$T/bin/gratis"
	run -0 gratis gratis x
	[ "$output" = ran ]
	rm "$T/bin/gratis"
	run -126 gratis gratis x
	[[ $output == *"find the program 'gratis'"* ]]
}

@test "shown in full, and what is too long is said to be" {
	request r -- tool "$word" 'a b' "it's" '$HOME'
	id=$(waiting "$word")
	run "$WARD" approvals
	[[ $output == *"tool $word 'a b' "*"it"*"s"*' '"'"'$HOME'"'"* ]]
	[[ $output == *"on the host, with all rights of the user"* && $output == *"'tool *'"* && $output == *"$T/w"* ]]
	[[ $output == *XDG_RUNTIME_DIR* ]]
	[[ $output != *"$T/state"* ]] # names only
	[[ $output == *"| PATH=$PATH"* ]] # but for what makes it another command
	[ "$(answer "$word" deny)" = 0 ]
	GIT_SSH_COMMAND=$'evil\n  id' GIT_TOKEN=hidden http_proxy=http://me:hidden@a.example LD_X=$(printf '%01000d' 0) request r -- tool "$word"
	id=$(waiting "$word")
	run "$WARD" approvals
	[[ $output == *'| GIT_SSH_COMMAND=evil\n  id'* && $output == *'| GIT_TOKEN='* && $output == *'00 [AND MORE]'* ]]
	[[ $output != *hidden* && $output == *'| http_proxy='*'@a.example'* ]]
	[ "$(answer "$word" deny)" = 0 ]
	request r -- tool "$word" "$(printf '%0100000d' 0)" git push "$word.end"
	id=$(waiting "$word")
	run "$WARD" approvals
	[[ $output == *"TOO LONG TO BE SHOWN WHOLE: 10"*"sha256 "*"git push $word.end"* ]]
	((${#output} < 20000))
	apart a "$WARD" approve --for 10m "$id"
	[ "$(ended a)" = 125 ]
	grep -q 'approved once only' "$T/a.err"
	[ "$(answer "$word" approve)" = 0 ]
	[ "$(ended r)" = 0 ]
}

@test "what a command can read is shown, and bound" {
	program tool 'cat >>"'"$T"'/read"'
	program gratis 'cat >>"'"$T"'/read"'
	call() { # NAME PROGRAM STDIN
		apart "$1" "$WARD" tools call --config "$CONFIG" exec "{\"argv\": [\"$2\", \"$word\"], \"stdin\": \"$3\"}"
	}
	call r tool 'first\n  id  none\u001b[2J'
	[ "$(answer "$word" approve --uses 9)" = 0 ]
	[ "$(ended r)" = 0 ]
	grep -qx '    | first' "$T/answer.out"
	grep -qFx '    |   id  none\x1b[2J' "$T/answer.out"
	grep -q '"stdin": "first' "$T/approvals.json"
	[ "$(cat "$T/read")" = $'first\n  id  none\e[2J' ]
	# The same again needs nobody; other bytes do, and bytes that nobody has seen.
	call r tool 'first\n  id  none\u001b[2J'
	[ "$(ended r)" = 0 ]
	rm "$T/read"
	for other in other ''; do
		call r tool "$other"
		[ "$(answer "$word" deny)" = 0 ]
		[ "$(ended r)" = 1 ]
	done
	apart r sh -c 'echo piped | "$@"' sh "$WARD" run --config "$CONFIG" -- tool "$word"
	[ "$(answer "$word" deny)" = 0 ]
	grep -q 'input .*pipe, of which NOTHING IS SHOWN HERE' "$T/answer.out"
	ended r
	# Whoever is not asked cannot see it.
	call r gratis unseen
	[ "$(ended r)" = 1 ]
	grep -q "takes no 'stdin'" "$T/r.err" "$T/r.out"
	[ ! -e "$T/read" ]
}

@test "watched as they come" {
	apart watch sh -c 'echo $$ >"$1"; exec "$0" approvals --watch' "$WARD" "$T/watch.pid"
	request r -- tool "$word"
	for _ in {1..200}; do
		! grep -q "tool $word" "$T/watch.out" || break
		sleep 0.05
	done
	grep -q "tool $word" "$T/watch.out"
	[ "$(answer "$word" deny)" = 0 ]
	for _ in {1..200}; do
		! grep -q 'waits no more' "$T/watch.out" || break
		sleep 0.05
	done
	grep -q 'waits no more' "$T/watch.out"
	kill "$(cat "$T/watch.pid")"
	ended watch
}

@test "elevated to a profile: in a sandbox of its own" {
	"$WARD" exec --config "$CONFIG" -- sh -c 'echo kept >/tmp/kept'
	apart r "$WARD" exec --config "$CONFIG" --json -- id -u "$word"
	id=$(waiting "$word")
	run "$WARD" approvals
	[[ $output == *"in a sandbox with profile 'open'"* ]]
	[ "$(answer "$word" approve)" = 0 ]
	ended r
	grep -q '"runtime": "native"' "$T/r.out"
	grep -qE '"approval": "[0-9a-f]{32}"' "$T/r.out"
	# The session's sandbox is still the same.
	[ "$("$WARD" exec --config "$CONFIG" -- cat /tmp/kept)" = kept ]
	"$WARD" stop --config "$CONFIG" --force
}

@test "what was approved is what runs, while everything changes" {
	rounds=${FULL:+2500}
	rounds=${rounds:-75}
	[ -z "$SANITIZED" ] || rounds=10
	for what in script inplace binary folder; do
		rm -rf "$T/race" && mkdir "$T/race"
		timeout -k 5 1500 "$python" "$tests/helpers/approvalrace" "$what" "$rounds" "$T/race"
	done
}
