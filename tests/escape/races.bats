#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Names that change their meaning between the check and the use. Each race counts how often it was tried, worked and was
# refused: one in which not all three happened was none.

# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

prepare() {
	mkdir -p "$W/.git/hooks" "$W/safe/hooks"
	printf '[core]\n' >"$W/.git/config"
	printf '[core]\n' >"$W/safe/config"
}

# hit_without_ward RACE...: outside, until the protected name was written to; more often where only one processor is free.
hit_without_ward() {
	for _ in {1..20}; do
		(cd "$OUTSIDE" && "$PAYLOAD" "$@" >race)
		[ "$(wc -c <"$OUTSIDE/.git/config")" -le 7 ] || break
	done
}

# raced FILE: what a race printed has some of each.
raced() {
	grep -oE 'tried [0-9]+ worked [0-9]+ refused [0-9]+' "$1" |
		awk '{ n++; if ($2 < 1 || $4 < 1 || $6 < 1) bad = 1 } END { exit n < 1 || bad }' ||
		{ cat "$1" && void 'nothing was raced'; }
}

@test "a path that another thread changes while it is judged (the broker acts on its own copy, by descriptor)" {
	local before
	(cd "$OUTSIDE" && cp -R "$W/.git" "$W/safe" .)
	hit_without_ward race/memory 20000 safe/config .git/config
	[ "$(wc -c <"$OUTSIDE/.git/config")" -gt 7 ] || void 'without ward the protected name is never hit'
	before=$(state_of "$W/.git")
	ran ./payload race/memory 20000 safe/config .git/config >"$BATS_TEST_TMPDIR/race"
	ran ./payload race/memory 5000 safe/hooks/new .git/hooks/new >>"$BATS_TEST_TMPDIR/race"
	[ "$before" = "$(state_of "$W/.git")" ] || { cat "$BATS_TEST_TMPDIR/race" && false; }
	raced "$BATS_TEST_TMPDIR/race"
}

@test "a path that leads outside of the workspace when it is judged, and to a protected name when the kernel reads it" {
	local how before control=$OUTSIDE/control
	for how in '' chmod truncate xattr chown unlink link; do
		# Without ward, with a folder in the place of /tmp.
		rm -rf "$control" && mkdir "$control" && cp -R "$W/.git" "$W/safe" "$control"
		before=$(cd "$control" && state_of .git)
		# Again on a machine that has no second processor to spare just now.
		for _ in {1..20}; do
			(cd "$control" && "$PAYLOAD" race/memory 20000 safe/config .git/config $how >/dev/null) || true
			[ "$before" = "$(cd "$control" && state_of .git)" ] && [ "$how" != chown ] || break
		done
		[ "$before" != "$(cd "$control" && state_of .git)" ] || [ "$how" = chown ] || void "$how changes nothing without ward"
		before=$(state_of "$W/.git")
		# shellcheck disable=SC2016
		ran sh -c 'echo x >/tmp/config; ./payload race/memory 10000 /tmp/config .git/config $1' - "$how" >"$BATS_TEST_TMPDIR/race"
		[ "$before" = "$(state_of "$W/.git")" ] || {
			echo "by ${how:-write}:"
			diff <(echo "$before") <(state_of "$W/.git") || cat "$BATS_TEST_TMPDIR/race"
			false
		}
		case $how in xattr | chown | link) ;; *) raced "$BATS_TEST_TMPDIR/race" ;; esac
		rm -f "$W/way-link"
	done
}

@test "a folder that changes places with a link to a protected one while it is used" {
	local before
	# The folder on the way is free; the link leads to the protected one.
	ln -s .git "$W/link"
	(cd "$OUTSIDE" && cp -R "$W/.git" "$W/safe" "$W/link" .)
	hit_without_ward race/folders 20000 safe link config
	[ "$(wc -c <"$OUTSIDE/.git/config")" -gt 7 ] || void 'without ward the protected name is never hit'
	before=$(state_of "$W/.git")
	ran ./payload race/folders 20000 safe link config >"$BATS_TEST_TMPDIR/race"
	[ "$before" = "$(state_of "$W/.git")" ] || { cat "$BATS_TEST_TMPDIR/race" && false; }
	raced "$BATS_TEST_TMPDIR/race"
	grep -qE '^exchanged [1-9]' "$BATS_TEST_TMPDIR/race" || void 'nothing changed places'
}

@test "a folder that somebody on the host exchanges for a link to outside while it is written to" {
	ln -s "$OUTSIDE" "$W/link"
	in_background "$PAYLOAD" race/exchange "$W/safe" "$W/link" 60
	# shellcheck disable=SC2016
	ran sh -c 'i=0; while [ $i -lt 3000 ]; do (echo X >>safe/config) 2>/dev/null && w=$((w+1)) || r=$((r+1)); i=$((i+1)); done
		echo "tried $i worked $w refused $r"' >"$BATS_TEST_TMPDIR/race"
	[ "$(ls "$OUTSIDE")" = canary ]
	[ "$(cat "$CANARY")" = "$SECRET" ]
	raced "$BATS_TEST_TMPDIR/race"
}

@test "a bind source that changes places with a folder of keys (opened once, checked, mounted by descriptor)" {
	local i shown=0 refused=0 violated=0
	mkdir -p "$HOME/.ssh" "$W/../good"
	echo good >"$W/../good/id"
	echo "$SECRET" >"$HOME/.ssh/id"
	ln -s "$HOME/.ssh" "$W/../flip"
	in_background "$PAYLOAD" race/exchange "$W/../good" "$W/../flip" 120
	options=(--set "binds=[\"$BATS_TEST_TMPDIR/good:/bound\"]")
	for i in {1..300}; do
		case $(inside cat /bound/id 2>/dev/null || echo refused) in
		good) shown=$((shown + 1)) ;;
		refused) refused=$((refused + 1)) ;;
		*"$SECRET"*) violated=$((violated + 1)) ;;
		esac
		[ "$HOW" = run ] || stop_own # it is opened when a sandbox starts
	done
	rm -r "$HOME/.ssh"
	echo "tried $i shown $shown refused $refused violated $violated"
	[ "$violated" = 0 ]
	[ "$shown" -gt 0 ] && [ "$refused" -gt 0 ] || void 'nothing was raced'
}

@test "the workspace itself changes places with a folder of keys while sandboxes start" {
	local i shown=0 refused=0 violated=0
	mkdir -p "$HOME/.ssh" "$BATS_TEST_TMPDIR/place"
	echo "$SECRET" >"$HOME/.ssh/id"
	echo good >"$BATS_TEST_TMPDIR/place/id"
	ln -s "$HOME/.ssh" "$BATS_TEST_TMPDIR/flip"
	in_background "$PAYLOAD" race/exchange "$BATS_TEST_TMPDIR/place" "$BATS_TEST_TMPDIR/flip" 120
	options=(--set "workspacePath=\"$BATS_TEST_TMPDIR/place\"")
	for i in {1..200}; do
		case $(inside cat /workspace/id 2>/dev/null || echo refused) in
		good) shown=$((shown + 1)) ;;
		refused) refused=$((refused + 1)) ;;
		*"$SECRET"*) violated=$((violated + 1)) ;;
		esac
		[ "$HOW" = run ] || stop_own
	done
	rm -r "$HOME/.ssh"
	echo "tried $i shown $shown refused $refused violated $violated"
	[ "$violated" = 0 ]
	[ "$shown" -gt 0 ] && [ "$refused" -gt 0 ] || void 'nothing was raced'
}
