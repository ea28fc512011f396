#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Arguments that nobody types by mistake: whatever they hold, ward answers with text that a terminal only
# shows, and with the right status.

bats_require_minimum_version 1.5.0

setup() {
	scratch=$BATS_TEST_TMPDIR/scratch # what ward prints
	mkdir "$scratch" "$BATS_TEST_TMPDIR/here" && cd "$BATS_TEST_TMPDIR/here" || return 1
	out=$scratch/out err=$scratch/err
}

# Whatever a test did: nothing that was printed is more than text, and nothing was left behind.
teardown() {
	harmless
	[ -z "$(ls -A)" ]
}

# ward ARGUMENT...: the status to $status, its output to $out and $err.
ward() {
	status=0
	"$WARD" "$@" >"$out" 2>"$err" || status=$?
	cat "$out" "$err" >>"$scratch/all"
}

# Nothing that a terminal acts on, nothing that cannot be seen, and UTF-8 throughout.
harmless() {
	local controls='[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\xa0\xad]'
	local unseen='\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf|\xf3\xa0[\x80-\x81]'
	[ -e "$scratch/all" ] || return 0
	LC_ALL=C grep -anP "$controls|$unseen" "$scratch/all" >"$scratch/found" || [ $? = 1 ]
	head -n 5 "$scratch/found" | cut -c 1-300 | cat -v
	[ ! -s "$scratch/found" ] && iconv -f UTF-8 -t UTF-8 "$scratch/all" >"$scratch/same"
}

# What a call that goes wrong leaves: status 125, one line about it, and nothing else.
refused() {
	local lines
	mapfile -t lines <"$err"
	[ "$status" = 125 ] && [ ! -s "$out" ] && [ ${#lines[@]} = 1 ] && [[ ${lines[0]} == 'ward: '* ]] && return
	echo "status $status: $(head -c 1000 "$err")"
	return 1
}

# keep NAME: the output as one of those that must be JSON.
keep() {
	mv "$out" "$scratch/$1.json"
}
all_json() {
	python3 -c 'import json, sys
for name in sys.argv[1:]: json.load(open(name, encoding="utf-8"))' "$scratch"/*.json
}

# Escape sequences (clear, title, clipboard, link), single controls, C1, bidi, separators, tags, bad UTF-8.
hostile=(
	$'\e[2J' $'\e]0;title\a' $'\e]52;c;cm0gLXJmIH4=\a' $'\e]8;;http://x.test\e\\x' $'\eP+q\e\\' $'a\rb' $'a\nb'
	$'\b\b\bok' $'\x7f' $'\xc2\x9b2J' $'\x9b2J' $'\xe2\x80\xaegnp.exe' $'\xe2\x81\xa6x\xe2\x81\xa9'
	$'\xe2\x80\xa8x' $'\xe2\x80\x8bx' $'\xef\xbb\xbfx' $'\xf3\xa0\x81\x81' $'\xff' $'\xc0\xaf' $'\xed\xa0\x80'
	$'\xf4\x90\x80\x80' $'\xe2\x82'
)

@test "no argument at all: the overview, and status 125" {
	ward
	[ "$status" = 125 ]
	grep -q '^Usage: ward COMMAND' "$out"
	[ ! -s "$err" ]
	# shellcheck disable=SC2016 # expanded by the inner shell
	run -125 bash -c 'exec -a "" "$WARD"'
}

@test "not even a name of the program" {
	run -125 python3 - <<-'END'
		import ctypes, os
		libc = ctypes.CDLL(None, use_errno=True)
		none = (ctypes.c_char_p * 1)(None)
		libc.execve(os.environ["WARD"].encode(), none, none)
		raise SystemExit(os.strerror(ctypes.get_errno()))
	END
	[[ $output == *'Usage: ward COMMAND'* ]]
}

@test "empty arguments" {
	for arguments in "''" "config ''" "help ''" "explain --session ''" "explain --agent ''" "explain --config ''" \
		"explain --set ''" "explain --reach ''" "explain --machine ''" "tools check --agent '' exec" \
		"config import --from '' x" "config import --from openclaw ''"; do
		eval "ward $arguments"
		echo "$arguments"
		refused
	done
}

@test "hostile commands and options are shown escaped" {
	for text in "${hostile[@]}"; do
		for before in '' config tools help completion version 'config show' 'explain --tool exec --set'; do
			# shellcheck disable=SC2086 # words on purpose
			ward $before "$text"
			refused
		done
		for option in "--$text" "-$text" "--session$text" "--json=$text" "--config-$text=x"; do
			ward explain "$option"
			refused
		done
	done
}

@test "hostile names of agents, hosts and files are shown escaped" {
	for text in "${hostile[@]}"; do
		for option in --agent --reach --config --machine --set; do
			ward explain "$option" "x$text"
			refused
			ward explain "$option=x$text" --json
			refused
		done
		ward explain --session "agent:x$text:main"
		refused
		ward config import --from openclaw "x$text"
		refused
		ward config import --from "x$text" /dev/null
		refused
		ward tools list --agent "$text"
		refused
		ward config show --agent "$text"
		refused
	done
}

@test "a session, a tool and a command may hold any bytes, and are shown escaped" {
	for text in "${hostile[@]}"; do
		ward explain --session "$text"
		[ "$status" = 0 ]
		ward explain --tool "$text"
		[ "$status" = 0 ]
		ward explain -c "$text"
		[ "$status" = 0 ]
		ward explain -- git "$text" "--x=$text"
		[ "$status" = 0 ]
		ward tools check "$text"
		[ "$status" = 126 ]
	done
}

@test "as JSON they are JSON" {
	for i in "${!hostile[@]}"; do
		text=${hostile[i]}
		ward explain --json --session "$text" --tool "$text" -- "$text" "$text"
		[ "$status" = 0 ]
		keep "explain$i"
		ward tools check --json "$text"
		[ "$status" = 126 ]
		keep "tools$i"
	done
	all_json
}

@test "hostile names of files and keys are shown escaped" {
	for text in "${hostile[@]}"; do
		[[ $text == */* ]] && continue
		printf '{"%s": 1}' "$text" >"$scratch/f$text"
		ward config check --config "$scratch/f$text"
		refused
	done
	for key in '\u001b[2J' '\u202e' '\u009b' 'a\nb' '\u2028' '\udb40\udc41'; do
		for text in "{'$key': 1}" "{agents: {entries: {'$key': {}}}}" "{tools: {groups: {'$key': []}}}" \
			"{toolProfiles: {'$key': ['exec']}}" "{'$key': 1, '$key': 2}"; do
			echo "$text" >"$scratch/f.json5"
			ward config check --config "$scratch/f.json5"
			refused
		done
	done
}

@test "hostile values in files are shown escaped" {
	for value in '"\u001b[2J"' '"\u202e"' '"\u009b"' '"a\nb"' '"\u2028"'; do
		for key in mode image user profile workspacePath runtime; do
			echo "{agents: {defaults: {sandbox: {$key: $value}}}}" >"$scratch/f.json5"
			ward explain --config "$scratch/f.json5"
		done
		for key in passEnv hide protect binds hostPaths tmpfs require fallback; do
			echo "{agents: {defaults: {sandbox: {$key: [$value]}}}}" >"$scratch/f.json5"
			ward explain --config "$scratch/f.json5"
		done
		echo "{agents: {defaults: {sandbox: {env: {A: $value}}}}}" >"$scratch/f.json5"
		ward explain --config "$scratch/f.json5"
		[ "$status" = 0 ]
		ward config show --origin --config "$scratch/f.json5"
		[ "$status" = 0 ]
	done
}

@test "hostile texts in the description of a machine are shown escaped" {
	"$WARD" doctor --json >"$scratch/machine" || [ $? = 1 ]
	cat >"$scratch/each.py" <<-'END'
		import copy, json, subprocess, sys
		ward, folder = sys.argv[1:]
		machine = json.load(open(folder + "/machine"))

		def places(value, path=()):
		    if isinstance(value, str):
		        yield path
		    for key in value if isinstance(value, dict) else []:
		        yield from places(value[key], path + (key,))

		with open(folder + "/all", "wb") as seen:
		    for path in list(places(machine)):
		        changed = inner = copy.deepcopy(machine)
		        for key in path[:-1]:
		            inner = inner[key]
		        inner[path[-1]] = "1.2\x1b]52;c;eA==\a\r\n\u202e\u009b\u2028"
		        json.dump(changed, open(folder + "/changed", "w"))
		        for command in "doctor", "explain":
		            run = [ward, command, "--machine", folder + "/changed"]
		            seen.write(subprocess.run(run, stdout=-1, stderr=-2, stdin=-3).stdout)
	END
	python3 "$scratch/each.py" "$WARD" "$scratch"
	[ -s "$scratch/all" ]
}

@test "arguments of 128 KiB" {
	long=$(head -c 131000 /dev/zero | tr '\0' x)
	for before in '' config 'explain --agent' 'explain --config' 'explain --set' 'explain --session' \
		'explain --reach' 'explain --machine' 'config import --from' 'config show --agent' help; do
		# shellcheck disable=SC2086 # words on purpose
		ward $before "$long"
		echo "$before"
		refused
		[ "$(wc -c <"$err")" -lt 600 ]
	done
	ward explain "--$long"
	refused
	ward explain --set "hide=$long"
	refused
	ward explain -c "$long"
	[ "$status" = 0 ]
	ward explain --json -- "$long" "$long" "$long"
	[ "$status" = 0 ]
	keep long
	all_json
	ward tools check "$long"
	[ "$status" = 126 ]
	wide=$(printf '%s' "$long" | sed 's/x/\xe2\x82\xac/g' | head -c 130998)
	for before in '' 'explain --agent' 'explain --set' 'explain --config'; do
		# shellcheck disable=SC2086 # words on purpose
		ward $before "$wide"
		refused
	done
}

@test "many arguments" {
	mapfile -t many < <(seq 20000)
	ward explain -- "${many[@]}"
	[ "$status" = 0 ]
	ward explain "${many[@]/#/--}"
	refused
	ward config check "${many[@]}"
	refused
	sets=()
	for i in "${many[@]:0:2000}"; do sets+=(--set "env.V$i=$i"); done
	ward config check "${sets[@]}"
	[ "$status" = 0 ]
}

@test "unknown commands suggest the nearest one" {
	ward explian
	refused
	grep -qF "unknown command 'explian'; did you mean 'ward explain'?" "$err"
	ward config chek
	refused
	grep -qF "unknown command 'config chek'; did you mean 'ward config check'?" "$err"
	ward doktor
	grep -qF "did you mean 'ward doctor'?" "$err"
	ward frobnicate
	refused
	grep -qF "unknown command 'frobnicate'; 'ward help' lists the commands" "$err"
	ward help explian
	refused
	grep -qF "did you mean 'ward explain'?" "$err"
}

@test "unknown options suggest the nearest one" {
	ward explain --sesion x
	refused
	grep -qF "unknown option '--sesion'; did you mean '--session'?" "$err"
	ward explain --sesion=x
	refused
	grep -qF "unknown option '--sesion=x'; did you mean '--session'?" "$err"
	ward config show --orign
	refused
	grep -qF "did you mean '--origin'?" "$err"
	ward explain --frobnicate
	refused
	grep -qF "'ward explain --help' lists the options" "$err"
	ward explain -x
	refused
	ward explain -cc ls
	refused
	ward version --config x
	refused
}

@test "options want their values, once" {
	ward explain --session
	refused
	grep -qF "option '--session' needs a value: --session KEY" "$err"
	ward explain --session a --session b
	refused
	grep -qF "option '--session' is given twice" "$err"
	ward explain --json=yes
	refused
	grep -qF "option '--json' takes no value" "$err"
	ward explain --agent a --session agent:b:main
	refused
	ward version extra
	refused
	grep -qF "unexpected argument 'extra'; usage: ward version" "$err"
	ward completion
	refused
	ward completion csh
	refused
	ward tools check
	refused
	ward tools check exec read
	refused
	ward config import --from openclaw
	refused
}

@test "a dash is no option, and -- ends them" {
	ward explain -- --json
	[ "$status" = 0 ]
	grep -qF 'exec: --json' "$out"
	ward explain -- -- --
	[ "$status" = 0 ]
	ward explain -
	[ "$status" = 0 ]
}

@test "output that cannot be written is an error" {
	for command in 'explain' 'explain --json' 'config show' 'config schema' 'help' 'version' 'tools list'; do
		status=0
		# shellcheck disable=SC2086 # words on purpose
		"$WARD" $command >/dev/full 2>"$err" || status=$?
		[ "$status" = 125 ]
		grep -q '^ward: write to standard output: ' "$err"
		status=0
		# shellcheck disable=SC2086 # words on purpose
		"$WARD" $command >&- 2>"$err" || status=$?
		[ "$status" = 125 ]
		grep -q '^ward: write to standard output: ' "$err"
	done
}

@test "closed standard input and error" {
	"$WARD" explain <&- >"$out"
	grep -q 'Sandbox mode' "$out"
	"$WARD" explain 2>&- >"$out"
	grep -q 'Sandbox mode' "$out"
	status=0
	"$WARD" explain --nonsense 2>&- >"$out" || status=$?
	[ "$status" = 125 ]
	[ ! -s "$out" ]
	status=0
	"$WARD" explain --nonsense <&- >&- 2>&- || status=$?
	[ "$status" = 125 ]
}

@test "no file gets the number of a closed standard file" {
	export XDG_STATE_HOME=$scratch/closed XDG_RUNTIME_DIR=$scratch
	"$WARD" run -- true <&- >&- 2>&-
	status=0
	"$WARD" doctor >&- 2>"$err" || status=$?
	[ "$status" = 125 ]
	grep -q '^ward: write to standard output: ' "$err"
	# The log, which would have been the third of them.
	status=0
	"$WARD" approve 0123abcd <&- >&- 2>&- || status=$?
	[ "$status" = 125 ]
	"$WARD" audit verify >"$out"
}

@test "a reader that goes away is no error" {
	"$WARD" config schema | head -n 1 >"$out"
	[ "$(cat "$out")" = '{' ]
}

@test "colours only on a terminal" {
	TERM=xterm ward explain
	command -v script >/dev/null || skip 'script(1) is not installed'
	TERM=xterm script -qec "'$WARD' explain" /dev/null >"$out" </dev/null
	grep -q $'\e\\[' "$out"
	TERM=xterm NO_COLOR=1 script -qec "'$WARD' explain" /dev/null </dev/null | tr -d '\r' >"$scratch/all"
	harmless
	# A hostile name is no colour either.
	TERM=xterm script -qec "'$WARD' explain --session \$'\\e]52;c;eA==\\a'" /dev/null </dev/null >"$out"
	run ! grep -aqF $'\e]52' "$out"
}

@test "every command explains itself" {
	"$WARD" help --list | cut -f 1 >"$scratch/list"
	[ -s "$scratch/list" ]
	while read -r command; do
		# shellcheck disable=SC2086 # a command may have two words
		"$WARD" $command --help </dev/null >"$out"
		grep -q "^Usage: ward $command" "$out"
	done <"$scratch/list"
	ward config
	[ "$status" = 125 ]
	ward config --help
	[ "$status" = 0 ]
}
