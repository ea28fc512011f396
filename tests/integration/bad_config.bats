#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Configuration that is broken, hostile, or not the caller's: an error that says where, status 125, and nothing
# else happens.

bats_require_minimum_version 1.5.0

setup() {
	mkdir "$BATS_TEST_TMPDIR/home" "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return 1
	export HOME=$BATS_TEST_TMPDIR/home
	out=$BATS_TEST_TMPDIR/out err=$BATS_TEST_TMPDIR/err
	unset XDG_CONFIG_HOME
}

ward() { # ARGUMENT...: the status to $status, its output to $out and $err
	status=0
	timeout 60 "$WARD" "$@" >"$out" 2>"$err" || status=$?
}

# refused TEXT: status 125, one line with that text in it, and no output.
refused() {
	local lines
	mapfile -t lines <"$err"
	[ "$status" = 125 ] && [ ! -s "$out" ] && [ ${#lines[@]} = 1 ] && [[ ${lines[0]} == "ward: "*"$1"* ]] && return
	echo "status $status: $(head -c 1000 "$err")"
	echo "wanted: $1"
	return 1
}

# refuses TEXT CONTENT: a file with that content is refused by every command that reads one.
refuses() {
	printf %s "$2" >f.json5
	ward explain --config f.json5 -- true
	refused "$1"
	ward config check --config f.json5
	refused "$1"
}

# A kernel where /etc holds nothing but this as /etc/ward/ward.json5, and the command in it.
with_system_file() { # TEXT COMMAND...
	local rights=() text=$1
	shift
	[ "$(id -u)" = 0 ] || rights=(-r)
	# shellcheck disable=SC2016 # expanded by the inner shell
	printf %s "$text" | unshare -m "${rights[@]}" sh -c '
		umask 022
		mount -t tmpfs none /etc && mkdir /etc/ward && cat >/etc/ward/ward.json5 && exec "$@"' - "$@"
}
need_namespaces() {
	with_system_file '{}' true 2>/dev/null || skip 'no mount namespace of our own can be had here'
}

sandbox() { # KEYS: a document with these below agents.defaults.sandbox
	echo "{agents: {defaults: {sandbox: {$1}}}}"
}

@test "truncated at every byte: never taken" {
	local text
	text=$(sandbox "mode: 'off', network: {allow: ['x.test']}")
	for ((i = 0; i < ${#text}; i++)); do
		printf %s "${text:0:i}" >f.json5
		ward config check --config f.json5
		refused 'f.json5:1:'
	done
	printf %s "$text" >f.json5
	ward config check --config f.json5
	[ "$status" = 0 ]
}

@test "every command refuses a broken file" {
	echo "{agents: {defaults: {sandbox: {mode: 'of'}}}}" >f.json5
	for command in explain 'explain --json' 'explain --tool exec' 'tools list' 'tools list --json' \
		'tools check exec' 'config check' 'config check --json' 'config show' 'config show --json'; do
		# shellcheck disable=SC2086 # words on purpose
		ward $command --config f.json5
		refused "f.json5:1:38: agents.defaults.sandbox.mode: 'of' is none of all, non-main, off; did you mean 'off'?"
	done
}

@test "structure" {
	refuses 'f.json5:1:1: the text ends where a value should stand' ''
	refuses 'f.json5:1:1: must be an object, not a list' '[]'
	refuses "f.json5:2:1: '}' where the end of the text should stand" $'{}\n}'
	refuses "f.json5:1:2: '=' where a key should stand" '{=}'
	refuses 'f.json5:2:10: duplicate key '"'tools'" $'{tools: {},\r\n /* x */ \'t\\u006fols\': {}}'
	refuses "duplicate key 'network'" "$(sandbox "network: 'none', network: 'full'")"
}

@test "unknown keys" {
	refuses 'f.json5:1:2: version: unknown key' '{version: 99}'
	refuses "f.json5:1:2: agent: unknown key; did you mean 'agents'?" '{agent: {}}'
	refuses "f.json5:1:32: agents.defaults.sandbox.netwrk: unknown key; did you mean 'network'?" \
		"$(sandbox "netwrk: 'none'")"
	refuses 'agents.defaults.sandbox.Mode: unknown key' "$(sandbox "Mode: 'all'")"
	refuses "agents.entries.x.tools.elevated.enable: unknown key; did you mean 'enabled'?" \
		'{agents: {entries: {x: {tools: {elevated: {enable: true}}}}}}'
}

@test "types and values" {
	refuses 'f.json5:1:38: agents.defaults.sandbox.mode: null is not a value' "$(sandbox 'mode: null')"
	refuses 'f.json5:1:38: agents.defaults.sandbox.mode: must be a text, not a number' "$(sandbox 'mode: 1')"
	refuses 'network.allow: must be a list of texts, not a text' "$(sandbox "network: {allow: 'x.test'}")"
	refuses 'network.allow: an empty text is not allowed' "$(sandbox "network: {allow: ['']}")"
	refuses "network.allow: '*'" "$(sandbox "network: {allow: ['*']}")"
	for value in "'99999999999G'" -1 "'-1'" 1e400 NaN Infinity "''" 0 "'1GG'" "' 1G'" "'0x10'" "'unlimited'" \
		18446744073709551616 null true '[]'; do
		refuses ':1:52: agents.defaults.sandbox.resources.memory: ' "$(sandbox "resources: {memory: $value}")"
	done
	refuses 'agents.defaults.sandbox.apparmor: not yet supported' "$(sandbox "apparmor: 'x'")"
}

@test "bytes" {
	printf '\xef\xbb\xbf{}' >f.json5
	ward explain --config f.json5
	refused 'f.json5:1:1: a byte order mark is not allowed'
	printf '{\n "a\0b": 1}' >f.json5
	ward explain --config f.json5
	refused 'f.json5:2:4: a NUL byte is not allowed'
	printf '{}\n// \xff' >f.json5
	ward explain --config f.json5
	refused 'f.json5:2:4: byte 0xff is not UTF-8'
	printf '\xff\xfe{\0}\0' >f.json5
	ward explain --config f.json5
	refused 'f.json5:1:1: byte 0xff is not UTF-8'
	refuses 'f.json5:1:4: a NUL character is not allowed' "{'a\\u0000': 1}"
	refuses 'f.json5:1:3: half of a surrogate pair' "{'\\ud800': 1}"
}

@test "size and depth" {
	{ printf '{' && head -c 4194302 /dev/zero | tr '\0' ' ' && printf '}'; } >f.json5
	[ "$(stat -c %s f.json5)" = 4194304 ]
	ward explain --config f.json5
	[ "$status" = 0 ]
	printf ' ' >>f.json5
	ward explain --config f.json5
	refused 'f.json5:1:1: larger than 4 MiB'
	truncate -s 10G f.json5
	ward explain --config f.json5
	refused 'f.json5:1:1: larger than 4 MiB'
	printf '[%.0s' {1..64} >f.json5
	ward explain --config f.json5
	refused 'f.json5:1:65: the text ends where a value should stand'
	printf '[%.0s' {1..65} >f.json5
	ward explain --config f.json5
	refused 'f.json5:1:65: nested more than 64 deep'
	(
		ulimit -s 256
		{ head -c 100000 /dev/zero | tr '\0' '['; } >f.json5
		ward explain --config f.json5
		refused 'nested more than 64 deep'
		{ printf '{"a":%.0s' {1..100000}; } >f.json5
		ward explain --config f.json5
		refused 'nested more than 64 deep'
	)
}

@test "lists that would take hours to compare" {
	{ printf '{tools: {deny: [' && seq -f '"x%.0f",' 100000 && printf ']}}'; } >.ward.json5
	ward explain
	refused '.ward.json5:1:16: tools.deny: more than 4096 of them'
	{ printf '{tools: {groups: {' && seq -f 'x%.0f: [],' 100000 && printf '}}}'; } >.ward.json5
	ward explain
	refused 'tools.groups: more than 4096 of them'
}

# As the file of the command line, the user's and the workspace's.
everywhere() { # TEXT: ./odd is refused with it
	ward explain --config odd
	refused "$1"
	mkdir -p "$HOME/.config/ward"
	mv odd "$HOME/.config/ward/ward.json5"
	ward explain
	refused "$1"
	mv "$HOME/.config/ward/ward.json5" .ward.json5
	ward explain
	refused "$1"
	rm -rf .ward.json5
}

@test "what is no regular file is not waited for, and not read" {
	mkdir odd && everywhere 'it is a directory, but a regular file is needed'
	mkfifo odd && everywhere 'it is a FIFO, but a regular file is needed'
	python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("odd")'
	everywhere 'it is a socket, but a regular file is needed'
	ln -s /dev/zero odd && everywhere 'it is a device, but a regular file is needed'
	ln -s /dev/stdin odd && everywhere 'but a regular file is needed'
	ln -s "$PWD/ring" ring && ln -s "$PWD/ring" odd && everywhere "open '"
	ln -s /nonexistent/ward odd && everywhere "open '"
}

@test "a file that cannot be read is not a file that is not there" {
	mkdir -p "$HOME/.config/ward"
	echo '{}' >"$HOME/.config/ward/ward.json5"
	chmod 0 "$HOME/.config/ward/ward.json5"
	if [ "$(id -u)" = 0 ]; then # root reads everything, so somebody else asks
		chmod 755 "$HOME" "$HOME/.config" "$HOME/.config/ward" "$BATS_TEST_TMPDIR"
		status=0
		setpriv --reuid=23456 --regid=23456 --clear-groups "$WARD" explain >"$out" 2>"$err" || status=$?
	else
		ward explain
	fi
	refused "ward.json5': Permission denied"
	chmod 600 "$HOME/.config/ward/ward.json5"
	ward explain
	[ "$status" = 0 ]
}

@test "somebody else's file" {
	echo '{}' >f.json5
	if [ "$(id -u)" = 0 ]; then
		chown 23456 f.json5
		ward explain --config f.json5
		refused "'f.json5' belongs to uid 23456, but must belong to uid 0 or root: chown 0 f.json5"
		chown 0 f.json5
		mkdir theirs && mv f.json5 theirs && chown 23456 theirs
		ward explain --config theirs/f.json5
		refused "its folder belongs to uid 23456, but must belong to uid 0 or root: chown 0 theirs"
	else # root's is as good as one's own: read, and found to be no configuration
		ward explain --config /etc/passwd
		refused '/etc/passwd:1:'
	fi
}

@test "a file that others may change" {
	echo '{}' >f.json5
	chmod 664 f.json5
	ward explain --config f.json5
	refused "'f.json5' has mode 0664, so others may change it: chmod go-w f.json5"
	chmod 644 f.json5
	chmod 777 .
	ward explain --config f.json5
	refused "'f.json5' could be replaced: its folder has mode 0777, so others may write there: chmod go-w ."
	# The remedy is the remedy.
	chmod go-w .
	ward explain --config f.json5
	[ "$status" = 0 ]
}

@test "the workspace's file is a file, and only tightens" {
	sandbox "workspace: 'ro'" >real.json5
	ln -s real.json5 .ward.json5
	ward explain
	refused "'.ward.json5' is a symbolic link; a workspace's file must be a plain file"
	rm .ward.json5 && mv real.json5 .ward.json5
	chmod 666 .ward.json5
	ward explain
	[ "$status" = 0 ]
	grep -q 'Workspace access  *ro  \[.ward.json5:1:43\]' "$out"
	for keys in "mode: 'off'" "network: 'full'" "resources: {memory: '64G'}" "binds: ['/srv:/srv']" "runtime: 'host'" \
		"env: {LD_PRELOAD: '/x'}" "passEnv: ['*']" "profile: 'trusted'" "readOnlyRoot: false"; do
		sandbox "$keys" >.ward.json5
		ward explain
		refused "may only tighten"
	done
	echo "{tools: {elevated: {enabled: true, patterns: ['*']}}}" >.ward.json5
	ward explain
	refused '.ward.json5:1:'
	echo "{locked: []}" >.ward.json5
	ward explain
	refused "'locked' belongs in the administrator's file"
}

@test "a project's .env and variables of its own decide nothing" {
	mkdir -p evil/ward evil/.config/ward
	sandbox "mode: 'off'" | tee evil/ward/ward.json5 >evil/.config/ward/ward.json5
	cat >.env <<-END
		XDG_CONFIG_HOME=$PWD/evil
		HOME=$PWD/evil
		PATH=$PWD/evil
		WARD_CONFIG=$PWD/evil/ward/ward.json5
		WARD_HOME=$PWD/evil
		npm_execpath=$PWD/evil
		HTTP_PROXY=http://127.0.0.1:9
	END
	cp .env .envrc
	ward explain
	[ "$status" = 0 ]
	cp "$out" before
	export WARD_CONFIG=$PWD/evil/ward/ward.json5 WARD_HOME=$PWD/evil WARD_CONFIG_HOME=$PWD/evil
	ward explain
	diff before "$out"
	# The control: these do count.
	XDG_CONFIG_HOME=$PWD/evil ward explain
	grep -q 'Sandbox mode  *off' "$out"
	HOME=$PWD/evil ward explain
	grep -q 'Sandbox mode  *off' "$out"
}

@test "a relative folder of the environment does not count, and a home is not needed" {
	mkdir -p evil/ward
	sandbox "mode: 'off'" >evil/ward/ward.json5
	for folder in evil ./evil '' .; do
		XDG_CONFIG_HOME=$folder ward explain
		grep -q 'Sandbox mode  *all' "$out"
		HOME=$folder ward explain
		grep -q 'Sandbox mode  *all' "$out"
	done
	unset HOME
	ward explain
	[ "$status" = 0 ]
	HOME=/dev/null ward explain
	[ "$status" = 0 ]
	HOME=$(printf '/%0300d' 0) ward explain
	refused 'HOME is longer than 255 bytes'
}

@test "an empty name of a file is not the absence of one" {
	ward explain --config ''
	refused "--config '': the name of a file is needed"
	ward explain --config missing.json5
	refused "open 'missing.json5': No such file or directory"
}

@test "the administrator's file: read first, and refused like any other" {
	need_namespaces
	with_system_file "$(sandbox "mode: 'non-main'")" "$WARD" explain >"$out"
	grep -q 'Sandbox mode  *non-main  \[/etc/ward/ward.json5:1:38\]' "$out"
	status=0
	with_system_file '{agents: {' "$WARD" explain >"$out" 2>"$err" || status=$?
	refused '/etc/ward/ward.json5:1:11: the text ends where a key'
	# shellcheck disable=SC2016 # expanded by the inner shell
	for change in 'chmod 666 /etc/ward/ward.json5' 'chmod 777 /etc/ward' \
		'ln -sf /nonexistent/x /etc/ward/ward.json5' 'rm /etc/ward/ward.json5; mkdir /etc/ward/ward.json5'; do
		status=0
		with_system_file '{}' sh -c "$change"'; exec "$0" explain' "$WARD" >"$out" 2>"$err" || status=$?
		refused '/etc/ward/ward.json5'
	done
	status=0
	# shellcheck disable=SC2016 # expanded by the inner shell
	with_system_file '{}' sh -c 'rm -r /etc/ward; exec "$0" explain' "$WARD" >"$out" 2>"$err" || status=$?
	[ "$status" = 0 ]
}

@test "what the administrator locks stays locked" {
	need_namespaces
	system="{locked: ['agents.defaults.sandbox.network', 'tools.deny', 'agents.defaults.sandbox.resources.memory'],
		agents: {defaults: {sandbox: {network: {allow: ['x.test']}, resources: {memory: '1G'}}}}, tools: {deny: ['exec']}}"
	locked() { # ARGUMENT...
		status=0
		with_system_file "$system" "$WARD" "$@" >"$out" 2>"$err" || status=$?
	}
	locked explain
	[ "$status" = 0 ]
	for set in network=full network=limited network.allow=y.test "network.allow=['x.test','y.test']" \
		resources.memory=2G agents.defaults.sandbox.network=full; do
		locked explain --set "$set"
		refused 'locked by /etc/ward/ward.json5:1:'
	done
	for set in network=none network.allow=x.test resources.memory=512M tools.deny=read mode=all; do
		locked explain --set "$set"
		[ "$status" = 0 ]
	done
	sandbox "network: 'full'" >f.json5
	locked explain --config f.json5
	refused 'locked by /etc/ward/ward.json5'
	echo "{agents: {entries: {a: {sandbox: {network: 'limited'}}}}}" >f.json5
	locked explain --config f.json5 --agent a
	refused 'locked by /etc/ward/ward.json5'
	locked config check --config f.json5
	refused 'locked by /etc/ward/ward.json5'
	# A denial cannot be undone, by nobody.
	echo "{tools: {deny: [], allow: ['exec']}}" >f.json5
	locked tools check exec --config f.json5
	[ "$status" != 0 ]
	# Nobody else locks.
	echo "{locked: ['tools.deny']}" >f.json5
	locked explain --config f.json5
	refused "'locked' belongs in the administrator's file"
}
