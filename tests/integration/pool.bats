#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Blanks: sandboxes that are made before anybody needs them, and become somebody's.
# shellcheck disable=SC2016,SC2030,SC2031 # expanded inside; each test is a process of its own
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
many_sandboxes

setup() {
	umask 022
	mkdir "$BATS_TEST_TMPDIR/w" "$BATS_TEST_TMPDIR/v"
	cd "$BATS_TEST_TMPDIR/w" || return 1
	children=() pools=()
	# Root's sandboxes stand in one folder: a kind of its own for each test.
	kind=(--set pool=2 --set "resources.pids=$((1000 + $$ % 20000 + BATS_TEST_NUMBER))")
}

teardown() {
	local row
	for row in $(mine) $(for pool in "${pools[@]}"; do blanks; done); do
		"$WARD" stop --force "$row" 2>/dev/null || true
	done
	"$WARD" prune >/dev/null
}

ward() {
	timeout -k 5 60 "$WARD" "$@"
}

# name, pid, state and folder of each sandbox, a line each
rows() {
	ward list --json | python3 -c 'import json, sys
for row in json.load(sys.stdin):
    print(row["name"], row["pid"], row["state"], row["workspace"])'
}

mine() { # the sandboxes of this test
	rows | awk -v folder="$BATS_TEST_TMPDIR/" 'index($4, folder) == 1 { print $1 }'
}

# The names of the blanks of this test's kind, which are told by the process that was there before.
blanks() {
	rows | awk '$3 == "waiting" { print $1 }' | grep -F "${pool:-none}" || true
}

pid_of() { # SESSION [FOLDER]
	(cd "${2:-.}" && ward status --session "$1" "${kind[@]}" --json) | sed -n 's/ *"pid": \([0-9]*\),/\1/p'
}

# All pools that have blanks.
kinds() {
	rows | awk '$1 ~ /^pool-/ { sub(/-[0-9]*$/, "", $1); print $1 }' | sort -u
}

# Starts the pool by a first session, and waits until its blanks are there.
fill() {
	local before i
	before=$(kinds)
	ward exec "${kind[@]}" --session first -- true
	for ((i = 0; i < 100; i++)); do
		pool=$(kinds | grep -vxF "${before:-none}")
		[ "$(blanks | wc -l)" != 2 ] || break
		sleep 0.1
	done
	pools+=("$pool")
	[ "$(blanks | wc -l)" = 2 ]
}

blank_pids() {
	rows | awk '$3 == "waiting" { print $1, $2 }' | grep -F "$pool" | cut -d' ' -f2
}

full() {
	local i
	for ((i = 0; i < 100; i++)); do
		[ "$(blanks | wc -l)" != 2 ] || return 0
		sleep 0.1
	done
	return 1
}

# For tests that start more than they know of.
stop_all_kinds() {
	local i row
	for ((i = 0; i < 20; i++)); do
		for row in $(rows | awk '$3 == "waiting" { print $1 }'); do
			"$WARD" stop "$row" 2>/dev/null || true
		done
		sleep 0.05
	done
}

empty() {
	local i
	for ((i = 0; i < 200; i++)); do
		[ -n "$(blanks)" ] || return 0
		sleep 0.05
	done
	return 1
}

@test "a session gets a blank, with its own folder and nothing of others, and another one is made" {
	fill
	waiting=$(blank_pids)
	ward exec "${kind[@]}" --session one -- sh -c 'pwd; echo one >/tmp/mark; echo one >mine'
	grep -qxF "$(pid_of one)" <<<"$waiting"
	[ "$(cat mine)" = one ]
	full
	run -0 ward exec "${kind[@]}" --session two -- sh -c 'cat mine; ls /tmp'
	[ "$output" = one ]
	(cd ../v && ward exec "${kind[@]}" --session one -- sh -c '! test -e mine && echo v >mine')
	[ "$(cat ../v/mine)" = v ]
	[ "$(cat mine)" = one ]
	# The next command finds the same one.
	run -0 ward exec "${kind[@]}" --session one -- cat /tmp/mark
	[ "$output" = one ]
}

@test "what was a blank is in nothing different from what was made at once" {
	look='cat /proc/self/mountinfo | sed "s/^[0-9]* [0-9]* [0-9:]* //; s/ \(master\|shared\|propagate_from\):[0-9]*//g; s/[0-9]\{10\}/own/g" | sort
		grep -E "^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp|SigBlk|SigIgn|Umask)" /proc/self/status
		ls -l /proc/self/fd | sed "s/.*-> //; /^total/d; /\/proc\//d; s/:.*//"
		ls -lnA / | sed "s/[A-Z][a-z][a-z] .* \([^ ]*\)$/\1/; s/^d.* proc$/proc/"
		ulimit -a; id; hostname; pwd; umask; env | sort; cat /proc/net/dev; sed "s/[0-9]\{10\}/own/" /proc/self/uid_map
		for i in /proc/[0-9]*; do cat "$i/comm"; done | grep -F ward | sort -u'
	ward exec --set pool=0 "${kind[@]:2}" --session cold -- sh -c "$look" </dev/null >"$BATS_TEST_TMPDIR/cold"
	fill
	waiting=$(blank_pids)
	ward exec "${kind[@]}" --session one -- sh -c "$look" </dev/null >"$BATS_TEST_TMPDIR/claimed"
	grep -qxF "$(pid_of one)" <<<"$waiting"
	diff "$BATS_TEST_TMPDIR/cold" "$BATS_TEST_TMPDIR/claimed"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/cold")" -gt 60 ]
}

@test "the folder is protected as ever" {
	git init -q .
	fill
	run -0 ward exec "${kind[@]}" --session one -- sh -c 'echo x >file; ! echo x >>.git/config; ! echo x >/etc/x; ! touch /usr/x'
	[ "$(cat file)" = x ]
	run -1 grep -x x .git/config
	kind+=(--set 'protect=[]')
	fill
	waiting=$(blank_pids)
	ward exec "${kind[@]}" --session two -- sh -c 'echo y >file && ! touch /usr/x && ! touch /x'
	grep -qxF "$(pid_of two)" <<<"$waiting"
	[ "$(cat file)" = y ]
	kind+=(--set workspace=ro)
	fill
	waiting=$(blank_pids)
	run ! ward exec "${kind[@]}" --session three -- sh -c 'echo z >file'
	grep -qxF "$(pid_of three)" <<<"$waiting"
	[ "$(cat file)" = y ]
}

@test "many at once: each has its own, blank or not" {
	fill
	for i in {1..12}; do
		ward exec "${kind[@]}" --session "s$i" -- sh -c "test ! -e /tmp/mark && echo $i >/tmp/mark && sleep 0.2 && cat /tmp/mark" >"$BATS_TEST_TMPDIR/out$i" &
		children+=($!)
	done
	for pid in "${children[@]}"; do wait "$pid"; done
	for i in {1..12}; do
		[ "$(cat "$BATS_TEST_TMPDIR/out$i")" = "$i" ]
	done
	[ "$(mine | wc -l)" = 13 ]
}

@test "stopped, killed, or not used for long: the pool ends, and the next one begins" {
	fill
	ward stop "$(blanks | head -n 1)"
	empty
	ward exec "${kind[@]}" --session one -- true
	full
	kill -9 "$(blank_pids | head -n 1)"
	empty
	ward exec "${kind[@]}" --session two -- true
	full
	keeper=$(blank_pids | head -n 1 | xargs -I{} cut -d' ' -f4 /proc/{}/stat)
	kill -9 "$keeper"
	empty
	ward exec "${kind[@]}" --session three -- true
}

@test "a pool that nobody uses goes away by itself" {
	kind+=(--set prune.idle=4s)
	fill
	empty
}

@test "what can only be made for its folder is, and starts no pool" {
	for set in workspace=cow workspace=none 'setupCommand=true'; do
		before=$(rows | awk '$3 == "waiting"' | wc -l)
		ward exec "${kind[@]}" --set "$set" --session x -- true
		[ "$(rows | awk '$3 == "waiting"' | wc -l)" = "$before" ]
		ward stop "${kind[@]}" --set "$set" --session x
		ward discard --session x --set "$set" >/dev/null 2>&1 || true
	done
}

@test "a folder that must not be one is refused with the same words, and the pool goes on" {
	local home
	fill
	mkdir -p "$BATS_TEST_TMPDIR/home/.ssh" "$BATS_TEST_TMPDIR/other/.config/ward"
	for home in "$HOME" "$BATS_TEST_TMPDIR/other"; do
		cd "$BATS_TEST_TMPDIR/other/.config/ward"
		[ "$home" != "$HOME" ] || cd "$BATS_TEST_TMPDIR/home/.ssh"
		for command in 'exec -- true' start; do
			# shellcheck disable=SC2086
			HOME=$home XDG_CONFIG_HOME='' run ward ${command%% *} --set pool=0 "${kind[@]:2}" --session x ${command#"${command%% *}"}
			before=$status:$output
			[ "$status" = 125 ]
			# shellcheck disable=SC2086
			HOME=$home XDG_CONFIG_HOME='' run ward ${command%% *} "${kind[@]}" --session x ${command#"${command%% *}"}
			[ "$status:$output" = "$before" ]
		done
	done
	full
}

@test "whoever has other limits gets other sandboxes" {
	fill
	run -0 bash -c 'ulimit -n 300 -c 0; exec "$@"' limited "$WARD" exec "${kind[@]}" --session one -- bash -c 'ulimit -n'
	[ "$output" = 300 ]
	stop_all_kinds
}

@test "with a folder that is bound" {
	kind+=(--set "binds=['$BATS_TEST_TMPDIR/v:/v:ro']")
	echo v >../v/file
	fill
	waiting=$(blank_pids)
	run -0 ward exec "${kind[@]}" --session one -- cat /v/file
	[ "$output" = v ]
	grep -qxF "$(pid_of one)" <<<"$waiting"
	# Another folder of that name is another kind.
	mv ../v ../u && mkdir ../v && echo new >../v/file
	run -0 ward exec "${kind[@]}" --session two -- cat /v/file
	[ "$output" = new ]
	stop_all_kinds
}

@test "nonsense at the door of a blank: it goes on waiting" {
	fill
	place=$XDG_RUNTIME_DIR/ward
	[ "$(id -u)" != 0 ] || place=/run/ward
	mapfile -t names < <(blanks)
	python3 - "$place" "${names[@]}" <<-'END'
		import os, socket, sys
		for name in sys.argv[2:]:
		    for data in (b"", b"x", b"\0" * 100, os.urandom(5000), b"\2\0DW\4\0\0\0" + b"\xff" * 9000):
		        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
		        s.connect(os.path.join(sys.argv[1], name))
		        s.send(data)
		        s.close()
	END
	waiting=$(blank_pids)
	ward exec "${kind[@]}" --session one -- true
	grep -qxF "$(pid_of one)" <<<"$waiting"
}

@test "what is mounted after the blank was made, or otherwise, is as it is then" {
	apart=(unshare --mount --propagation private)
	[ "$(id -u)" = 0 ] || apart+=(--user --map-current-user --keep-caps)
	echo below >file
	mkdir over && echo above >over/file
	"${apart[@]}" bash -euc '
		ward=$1 && shift
		full() { until "$ward" list | grep -q waiting; do sleep 0.1; done; }
		mount --bind "$PWD/../v" "$PWD/../v"
		"$ward" exec "$@" --session first -- true
		full
		mount --bind over "$PWD"
		cd "$PWD"
		"$ward" exec "$@" --session one -- cat file
		full
		cd ../v
		mount -o remount,bind,ro "$PWD"
		"$ward" exec "$@" --session one -- touch file 2>&1 | grep -o "Read-only file system"
		"$ward" stop --all --force >&2
	' apart "$WARD" "${kind[@]}" --set prune.idle=5s >"$BATS_TEST_TMPDIR/out"
	diff "$BATS_TEST_TMPDIR/out" <(printf "%s\n" above "Read-only file system")
}
