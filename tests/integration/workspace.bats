#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The file tools on the workspace of a session, of every kind: they see what its commands see.
# shellcheck disable=SC2016 # expanded inside
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
many_sandboxes

teardown() {
	local pid
	for pid in "${children[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	cd "$BATS_TEST_TMPDIR/w" || return
	"$WARD" stop --force 2>/dev/null || true
	"$WARD" discard --force >/dev/null 2>&1 || true
	"$WARD" prune >/dev/null
}

tool() {
	timeout -k 5 60 "$HELPERS/filetool" "$@"
}

ward() {
	timeout -k 5 60 "$WARD" "$@"
}

owner() {
	stat -c %u:%g "$1"
}

@test "a folder that may be written" {
	echo base >a
	[ "$(tool read /workspace/a)" = base ]
	tool write b/new text
	[ "$(cat b/new)" = text ] && [ "$(owner b/new)" = "$(owner .)" ]
	tool edit a base other
	[ "$(ward exec -- cat a b/new)" = "other
text" ]
	run -1 tool read ../w/a
	[[ $output == "error 18 "* ]]
}

@test "protected and hidden names" {
	mkdir .git
	echo kept >.git/config
	ln -s .git/config link
	for name in .git/config link; do
		run -1 tool write "$name" x
		[[ $output == "error 1 "*protected* ]]
	done
	[ "$(tool read link)" = kept ]
	echo secret >.env
	[ "$(tool read .env)" = secret ]
	run -1 tool --set 'hide=[".env"]' read .env
	[[ $output == "error 1 "*hidden* ]]
	run -0 tool --set 'hide=[".env"]' list .
	[[ $output != *.env* ]]
}

@test "a folder that may only be read" {
	echo base >a
	[ "$(tool --set workspace=ro read a)" = base ]
	run -1 tool --set workspace=ro write a x
	[[ $output == "error 30 "* ]]
	[ "$(cat a)" = base ]
}

@test "a folder of the sandbox's own" {
	echo host >a
	run -1 tool --set workspace=none read a
	[[ $output == "error 2 "* ]]
	tool --set workspace=none write mine text
	[ "$(ward exec --set workspace=none -- sh -c 'cat /workspace/mine; echo more >>/workspace/mine')" = text ]
	[ "$(tool --set workspace=none read mine)" = textmore ]
	[ ! -e mine ]
	ward exec --set workspace=none -- rm /workspace/mine
	ward stop --set workspace=none
}

@test "a folder that is copied on write, whether its sandbox runs or not" {
	echo base >a
	cow=(--set workspace=cow)
	[ "$(tool "${cow[@]}" read a)" = base ]
	tool "${cow[@]}" write a changed
	tool "${cow[@]}" write d/new text
	[ "$(cat a)" = base ] && [ ! -e d ]
	run -0 ward exec "${cow[@]}" -- sh -c 'cat a; stat -c %u a d/new; echo more >>d/new'
	[ "${lines[0]}" = changed1000 ] && [ "${lines[1]}" = 1000 ] # the sandbox's own user
	[ "$(tool "${cow[@]}" read d/new)" = textmore ]
	ward stop
	[ "$(tool "${cow[@]}" read a)" = changed ] # it is started for that
	ward stop
	run -0 ward diff --stat
	[[ $output == *a*d/new* ]]
	[ "$(cat a)" = base ]
}

@test "the folder of a running sandbox is pinned" {
	echo inside >x
	mkdir "$BATS_TEST_TMPDIR/outside"
	echo canary >"$BATS_TEST_TMPDIR/outside/x"
	set -- --set "workspacePath=$BATS_TEST_TMPDIR/w"
	ward exec "$@" -- true
	cd "$BATS_TEST_TMPDIR"
	mv w w.old
	cp -R outside w
	[ "$(tool "$@" read x)" = inside ]
	tool "$@" write y new
	[ "$(cat w.old/y)" = new ] && [ ! -e w/y ]
	(cd w && ward stop)
	[ "$(tool "$@" read x)" = canary ] # control: a name like any other
}

@test "names that are exchanged by a program of the sandbox" {
	mkdir a "$BATS_TEST_TMPDIR/outside"
	echo canary >"$BATS_TEST_TMPDIR/outside/f"
	ln -s "$BATS_TEST_TMPDIR/outside" b
	cp "$HELPERS/payload" payload
	"$WARD" exec -- ./payload race/exchange a b 3>&- &
	children+=($!)
	for _ in 1 2 3 4 5; do
		run -0 tool race a/f 4000
		read -r succeeded refused <<<"$output"
		[ "$succeeded" -gt 0 ] && [ "$refused" -gt 0 ] && break
	done
	[ "$succeeded" -gt 0 ] && [ "$refused" -gt 0 ]
	[ "$(cat "$BATS_TEST_TMPDIR/outside/f")" = canary ]
	[ "$(find "$BATS_TEST_TMPDIR/outside" -mindepth 1 | wc -l)" = 1 ]
}

@test "the owner of the folder decides, also for root" {
	[ "$(id -u)" = 0 ] || return 0 # only root can give a folder away
	echo secret >root
	chmod 600 root
	chown 4321:4321 .
	run -1 tool read root
	[[ $output == "error 13 "* ]]
	tool write mine text
	[ "$(owner mine)" = 4321:4321 ]
	ward exec -- sh -c 'echo more >>mine'
	[ "$(cat mine)" = textmore ]
}
