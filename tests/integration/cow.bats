#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Workspaces that are copied on write: what a sandbox changes there, and diff, apply, discard, snapshot and fork.
# shellcheck disable=SC2016,SC2030,SC2031 # expanded inside; each test is a process of its own
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

# Root's sandboxes are in /run/ward and its layers in /var/lib/ward, whatever the environment says.
export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
many_sandboxes
layers=$XDG_STATE_HOME/ward/layers
[ "$(id -u)" != 0 ] || layers=/var/lib/ward/layers

teardown() {
	local pid session
	for pid in "${children[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	cd "$BATS_TEST_TMPDIR/w" || return
	for session in main a b; do
		"$WARD" stop --force --session "$session" 2>/dev/null || true
		for snapshot in $("$WARD" snapshot list --session "$session" 2>/dev/null | sed '/^no /d; s/ .*//'); do
			"$WARD" snapshot delete --session "$session" "$snapshot"
		done
		"$WARD" discard --force --session "$session" >/dev/null 2>&1 || true
	done
	"$WARD" prune >/dev/null
}

ward() {
	timeout -k 5 60 "$WARD" "$@"
}

cow() { # COMMAND...
	ward exec --set workspace=cow -- "$@"
}

# The workspace's files, byte by byte, with their modes.
state_of() {
	(cd "$1" && find . -mindepth 1 -printf '%P %y %m %l\n' | sort && find . -type f -print0 | sort -z | xargs -0r sha256sum)
}

# tells a diff apart from nothing: the lines of --stat without the sum
stat_of() {
	ward diff --stat "$@" | sed '$d; s/^ //'
}

some_files() {
	mkdir -p d/deep e
	echo base >a
	echo x >d/x
	echo deep >d/deep/file
	echo y >e/y
	printf 'one\ntwo\nthree\n' >text
	chmod 755 text
	ln -s a link
	head -c 3000 /dev/zero >zeros
	sleep 0.02 # files are dated by a coarse clock
}

@test "changes go to a layer, and the workspace stays as it is" {
	some_files
	before=$(state_of .)
	run -0 cow sh -c 'echo more >>a; rm -r d; mkdir d; echo new >d/n; rm e/y; mv link other; chmod 600 text; cat a; ls'
	[[ $output == *base*more*d*e*other* ]]
	[ "$(state_of .)" = "$before" ]
	run -0 cow cat a d/n
	[ "${lines[2]}" = new ]
	ward stop
	run -0 cow sh -c 'cat d/n; ls e'
	[ "$output" = new ]
	[ "$(state_of .)" = "$before" ]
}

@test "ward run uses the same changes, and not while a sandbox does" {
	some_files
	ward run --set workspace=cow -- sh -c 'echo ran >b'
	run -0 cow cat b
	[ "$output" = ran ]
	run -125 ward run --set workspace=cow -- true
	[[ $output == *"'ward exec'"*"'ward stop'"* ]]
	[ ! -e b ]
}

@test "diff: text, binaries, modes, links, deletions, names with odd characters" {
	some_files
	cow sh -c 'sed -i s/two/2/ text; chmod 600 text; rm -r d; printf "a\0b" >bin; ln -sf e link; rm link; ln -s e link
		mkdir new; echo n >"new/a b"; printf q >"$(printf "q\"\n.")"; head -c 3001 /dev/zero >zeros; touch a'
	run -0 ward diff
	[[ $output == *'diff --git a/text b/text
old mode 100755
new mode 100600
--- a/text
+++ b/text
@@ -1,3 +1,3 @@
 one
-two
+2
 three'* ]]
	[[ $output == *'deleted file mode 100644
--- a/d/deep/file
+++ /dev/null'* ]]
	[[ $output == *'Binary files /dev/null and b/bin differ
# new: 3 bytes, sha256 '"$(printf 'a\0b' | sha256sum | cut -c1-64)"* ]]
	[[ $output == *'Binary files a/zeros and b/zeros differ
# old: 3000 bytes'*'# new: 3001 bytes'* ]]
	[[ $output == *'diff --git "a/q\"\012." "b/q\"\012."'* ]]
	[[ $output == *'-a
\ No newline at end of file
+e
\ No newline at end of file'* ]]
	[[ $output != *'b/a
'* ]]
	ward diff --json >"$RESULT"
	"$python" - "$RESULT" <<'P'
import json, sys
d = json.load(open(sys.argv[1]))
c = {x["path"]: x for x in d["changes"]}
assert set(c) == {"bin", "d", "d/deep", "d/deep/file", "d/x", "link", "new", "new/a b", 'q"\n.', "text", "zeros"}, c.keys()
assert c["text"]["old"]["mode"] == "0755" and c["text"]["new"]["mode"] == "0600", c["text"]
assert c["link"]["old"]["target"] == "a" and c["link"]["new"]["target"] == "e", c["link"]
assert c["d"]["kind"] == "deleted" and c["d"]["type"] == "folder", c["d"]
assert c["text"]["insertions"] == 1 and c["text"]["deletions"] == 1, c["text"]
assert c["bin"]["binary"] and not c["text"]["binary"]
P
	run -0 ward diff --stat d
	[[ $output == *'D d/deep/file  +0 -1'*'4 changes, 0 insertions(+), 2 deletions(-)' ]]
}

@test "what diff prints is a patch that makes the same files" {
	some_files
	mkdir "$BATS_TEST_TMPDIR/copy"
	cp -a . "$BATS_TEST_TMPDIR/copy"
	cow sh -c 'sed -i s/two/2/ text; rm -r d; mkdir new; seq 300 >new/n; printf "no newline" >e/y; rm -f link; ln -s e link'
	ward diff >"$BATS_TEST_TMPDIR/patch"
	ward apply
	(cd "$BATS_TEST_TMPDIR/copy" && git -c safe.directory='*' apply "$BATS_TEST_TMPDIR/patch")
	[ "$(state_of "$BATS_TEST_TMPDIR/copy")" = "$(state_of .)" ]
}

@test "apply: the workspace becomes what the sandbox saw, and nothing is left of the changes" {
	some_files
	cow sh -c 'echo more >>a; rm -r d; echo file >d; rm e/y; rmdir e; ln -s a e; mkdir -p p/q/r; echo r >p/q/r/s
		chmod 700 p/q; chmod 640 text; rm zeros; mkdir zeros; echo z >zeros/z; rm link; echo l >link'
	inside=$(cow sh -c 'find . -mindepth 1 -printf "%P %y %m %l\n" | sort; find . -type f | sort | xargs sha256sum')
	run -0 ward apply
	[[ $output == *'modified  a'* ]]
	outside=$(find . -mindepth 1 -printf "%P %y %m %l\n" | sort; find . -type f | sort | xargs sha256sum)
	[ "$inside" = "$outside" ]
	run -0 ward diff
	[ -z "$output" ]
	run -0 cow cat zeros/z
	[ "$output" = z ]
	run -0 ward apply
	[ "$output" = 'no changes' ]
}

@test "apply: only the paths that are named" {
	some_files
	cow sh -c 'echo more >>a; rm -r d; mkdir d; echo n >d/n; echo more >>e/y'
	run -0 ward apply no/such
	[ "$output" = 'no changes there' ]
	ward apply d/n d/x
	[ "$(cat d/n)" = n ]
	[ ! -e d/x ]
	[ -e d/deep/file ]
	[ "$(cat a)" = base ]
	run -0 stat_of
	[ "$output" = 'D d/deep/
D d/deep/file  +0 -1
M a  +1 -0
M e/y  +1 -0' ] || [ "$output" = 'M a  +1 -0
D d/deep/
D d/deep/file  +0 -1
M e/y  +1 -0' ]
	run -0 cow sh -c 'ls d; cat a'
	[ "$output" = 'n
base
more' ]
	ward apply "$PWD/e" /workspace/a
	[ "$(cat e/y a)" = 'y
more
base
more' ]
	run -125 ward apply ../elsewhere
	run -125 ward apply /etc/passwd
	[[ $output == *"does not lie in the workspace"* ]]
	# A file that was applied can be changed and applied again.
	cow sh -c 'echo again >>a'
	ward apply a
	[ "$(tail -n1 a)" = again ]
}

@test "a change on the host is a conflict, and is not overwritten" {
	some_files
	cow sh -c 'echo inside >>a; echo inside >>text; rm d/x; echo mine >fresh; echo gone >>e/y; rm -r d/deep'
	echo outside >>a
	echo outside >fresh
	echo outside >>d/x
	echo outside >d/deep/another
	rm e/y
	run -1 ward apply
	[[ $output == *'conflict  a'* && $output == *'conflict  fresh'* && $output == *'conflict  d/x'* &&
		$output == *'conflict  e/y'* && $output == *'modified  text'* && $output == *'--force'* ]]
	[ "$(cat a)" = 'base
outside' ]
	[ "$(cat fresh)" = outside ]
	[ "$(cat d/deep/another)" = outside ]
	[ -e d/x ]
	[ ! -e e/y ]
	[ "$(tail -n1 text)" = inside ]
	run -1 ward apply --json
	[[ $output == *'"conflict"'* ]]
	run -0 ward apply --force
	[ "$(cat a fresh)" = 'base
inside
mine' ]
	[ ! -e d/x ]
	[ ! -e d/deep ]
}

@test "a change on the host before a save by renaming is a conflict too" {
	some_files
	cow cat a
	echo outside >>a
	cow sh -c 'echo base >a.new; echo inside >>a.new; mv a.new a'
	run -1 ward apply
	[[ $output == *'conflict  a'* ]]
	[ "$(tail -n1 a)" = outside ]
}

@test "protected names are not applied without being asked for" {
	git init -q .
	cow sh -c 'echo "#!/bin/sh" >.git/hooks/pre-commit; git config core.pager evil; echo "{}" >.ward.json5; echo ok >free
		mkdir .vscode; echo "{}" >.vscode/tasks.json'
	run -1 ward apply
	[[ $output == *'protected .git/config'* && $output == *'protected .git/hooks/pre-commit'* &&
		$output == *'protected .ward.json5'* && $output == *'--allow-protected'* ]]
	[ "$(cat free)" = ok ]
	[ ! -e .git/hooks/pre-commit ]
	[ ! -e .ward.json5 ]
	run ! grep -q evil .git/config
	ward apply --allow-protected .git/config
	grep -q evil .git/config
	[ ! -e .git/hooks/pre-commit ]
}

@test "apply follows no link, leaves the workspace by none, and makes nothing setuid" {
	some_files
	mkdir "$BATS_TEST_TMPDIR/outside"
	cow sh -c 'echo in >e/y; mkdir sub; echo s >sub/s; echo d >d/new; chmod 6755 text 2>/dev/null; chmod 777 e/y; mkfifo pipe'
	rm -r e
	ln -s "$BATS_TEST_TMPDIR/outside" e
	ln -s "$BATS_TEST_TMPDIR/outside" sub
	run -1 ward apply --force
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/outside")" ]
	[ "$(cat d/new)" = d ]
	[ ! -p pipe ]
	[ -z "$(find . -perm /6000)" ]
}

@test "what a sandbox makes unreadable or unwritable can be shown, applied and discarded" {
	some_files
	cow sh -c 'mkdir locked; echo l >locked/l; chmod 000 locked/l; mkdir -p p/q; echo q >p/q/r; chmod 500 p/q p'
	run -0 ward diff --stat
	ward apply locked/l
	[ "$(stat -c %a locked/l)" = 0 ]
	ward discard
	run -0 ward diff
	[ -z "$output" ]
}

@test "discard: all, or the paths that are named, also in folders that were made anew" {
	some_files
	cow sh -c 'echo more >>a; rm -r d; mkdir d; echo n >d/n; rm -r e; echo more >>text'
	run -0 ward discard d/x text
	[[ $output == *'discarded d/x'* ]]
	run -0 cow sh -c 'ls d; cat d/x text; ls'
	[[ $output == 'n
x
x
one
two
three'* ]]
	[[ $'\n'$output$'\n' != *$'\ne\n'* ]]
	ward discard e/y
	run -0 cow cat e/y
	[ "$output" = y ]
	ward discard
	run -0 cow sh -c 'cat a; ls d'
	[ "$output" = 'base
deep
x' ]
	run -0 ward diff --stat
	[ "$output" = 'no changes' ]
}

@test "snapshots: create, list, restore, delete; nothing is lost" {
	some_files
	cow sh -c 'echo 1 >n; rm e/y'
	run -0 ward snapshot create one
	[ "$output" = one ]
	cow sh -c 'echo 2 >n; rm -r d; echo y2 >e/y'
	run -0 ward snapshot create
	[ "$output" = 1 ]
	cow sh -c 'echo 3 >n'
	run -0 ward snapshot restore one
	[[ $output == *"kept as snapshot 'before-one-1'"* ]]
	run -0 cow sh -c 'cat n d/x; ls e'
	[ "$output" = '1
x' ]
	ward snapshot restore 1
	run -0 cow sh -c 'cat n e/y; ls'
	[[ $output == '2
y2'* && $output != *$'\nd\n'* ]]
	ward snapshot restore before-one-1
	run -0 cow cat n
	[ "$output" = 3 ]
	run -0 ward snapshot list
	[ "${#lines[@]}" = 3 ]
	ward snapshot delete one 1
	run -0 cow sh -c 'cat n e/y'
	[ "$output" = '3
y2' ]
	run -125 ward snapshot restore one
	[[ $output == *"no snapshot 'one'"* ]]
	for name in '' .. a/b '-x' $'a\nb' "$(printf %070d 0)"; do run -125 ward snapshot create -- "$name"; done
	# What lies in several layers is applied and discarded as one.
	ward apply n
	[ "$(cat n)" = 3 ]
	ward discard d/x
	run -0 cow sh -c 'cat d/x e/y; ls d'
	[ "$output" = 'x
y2
x' ]
	ward apply
	[ "$(cat e/y)" = y2 ]
	run -0 ward diff
	[ -z "$output" ]
}

@test "fork: a second session goes on from the same files" {
	some_files
	cow sh -c 'echo 1 >n; rm -r d'
	ward fork main a
	cow sh -c 'echo main >n'
	run -0 ward exec --session a --set workspace=cow -- sh -c 'cat n; echo a >n; ls'
	[[ $output == 1* && $output != *$'\nd\n'* ]]
	run -0 cow cat n
	[ "$output" = main ]
	run -0 stat_of --session a n
	[ "$output" = 'A n  +1 -0' ]
	run -125 ward fork main a
	[[ $output == *'changes of its own already'* ]]
	run -125 ward fork main main
	ward apply --session a n
	[ "$(cat n)" = a ]
	run -1 ward apply n
	[[ $output == *conflict* ]]
}

@test "not under a running command, unless it is asked for" {
	some_files
	ward exec --set workspace=cow --background -- sh -c 'echo b >b; sleep 1000'
	for command in apply discard 'snapshot create' 'fork main a'; do
		# shellcheck disable=SC2086
		run -125 ward $command
		[[ $output == *'1 command runs'*'1 of them in the background'*'--force'* ]]
	done
	until_there_inside() { for ((i = 0; i < 100; i++)); do ward diff --stat | grep -q ' b ' && return; sleep 0.05; done; return 1; }
	until_there_inside
	ward apply --force
	[ "$(cat b)" = b ]
}

@test "there is nothing to show where there are no changes" {
	run -125 ward diff
	[[ $output == *"workspace: cow"* ]]
	run -125 ward apply
	run -125 ward snapshot list
}

@test "hidden names stay hidden" {
	some_files
	echo secret >.env
	run -1 ward exec --set workspace=cow --set 'hide=[".env"]' -- sh -c 'cat .env; echo x >a; echo y >.env; cat .env'
	[[ $output != *secret* ]]
	run -0 ward diff
	[[ $output == *'+x'* ]]
	[ "$(cat .env)" = secret ]
}

@test "a compile job, snapshot, fork, partial apply: the host's files are what one expects" {
	cat >main.c <<'C'
#include <stdio.h>
int main(void) { puts("one"); return 0; }
C
	printf 'main: main.c\n\tcc -o main main.c\n' >Makefile
	sleep 0.02
	cow sh -c 'make && ./main' 3>&-
	[ ! -e main ]
	ward snapshot create built
	cow sh -c 'sed -i s/one/two/ main.c && make && ./main | grep two && make -n | grep -q "up to date"'
	ward fork main a
	run -0 ward exec --session a --set workspace=cow -- sh -c './main; sed -i s/two/three/ main.c; make -s; ./main'
	[ "$output" = 'two
three' ]
	ward apply main.c
	grep -q two main.c
	[ ! -e main ]
	run -0 cow ./main
	[ "$output" = two ]
	ward snapshot restore built
	run -0 cow ./main
	[ "$output" = one ]
}

@test "killed at any moment, changes are there or not, and never damaged" {
	some_files
	cow sh -c 'echo 0 >n; seq 1000 >big'
	for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
		("$WARD" snapshot create "s$round" >/dev/null 2>&1 & pid=$!; sleep "0.00$((round * 7 % 10))"; kill -9 $pid 2>/dev/null; wait $pid) 2>/dev/null || true
		run -0 cow sh -c "cat n; wc -l <big; echo $round >n"
		[ "${lines[0]}" = "$((round - 1))" ]
		[ "${lines[1]}" = 1000 ]
	done
	run -0 ward snapshot list
}

@test "a folder of changes in which others can write is not used" {
	mkdir -p "$layers"
	chmod 777 "$layers"
	run -125 ward run --set workspace=cow -- true
	chmod 700 "$layers"
	[[ $output == *'others can write in it'* ]]
	run -0 ward run --set workspace=cow -- true
	if [ "$(id -u)" != 0 ]; then
		XDG_STATE_HOME='' HOME='' run -125 ward run --set workspace=cow -- true
		[[ $output == *'XDG_STATE_HOME'* ]]
	fi
}

@test "damaged chains are reported, and nothing runs" {
	some_files
	cow sh -c 'echo 1 >n'
	ward stop
	chain=$(echo "$layers"/s-main-*-"$(printf %s "$PWD" | sha256sum | cut -c1-12)"/chain)
	cp "$chain" "$BATS_TEST_TMPDIR/chain"
	for text in '' 'nonsense' "$(head -n2 "$chain")"; do
		printf %s "$text" >"$chain"
		run -125 cow true
		[[ $output == *damaged* ]]
		run -125 ward diff
	done
	cp "$BATS_TEST_TMPDIR/chain" "$chain"
	run -0 cow cat n
	[ "$output" = 1 ]
}

@test "the layer has limits of its own, and what is full already can be used" {
	run -137 ward exec --json --set workspace=cow --set resources.disk=64M -- \
		sh -c 'i=0; while :; do i=$((i+1)); head -c 4000000 /dev/zero >f$i || exit; done'
	echo "$output" >"$RESULT"
	"$python" -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert d["reason"] == "stopped" and d["limitsHit"] == {"disk": 1} and "watchdog" in d["enforced"]["disk"], d' "$RESULT"
	run -0 ward exec --set workspace=cow --set resources.disk=64M -- sh -c 'ls | head -n1; sleep 0.3; rm f*; echo ok >n; cat n'
	[ "${lines[1]}" = ok ]
	ward stop
	run -137 ward run --json --set workspace=cow --set resources.inodes=2000 -- \
		sh -c 'mkdir -p a/b/c/d; i=0; while :; do i=$((i+1)); : >a/b/c/d/$i || exit; done'
	echo "$output" >"$RESULT"
	"$python" -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert d["reason"] == "stopped" and d["limitsHit"] == {"inodes": 1}, d' "$RESULT"
	# No single file becomes larger than the layer may be.
	run ward run --set workspace=cow --set resources.disk=8M -- sh -c 'head -c 20000000 /dev/zero >one; wc -c <one'
	[ "$(ward diff --json | "$python" -c 'import json, sys
print(max([c["new"]["size"] for c in json.load(sys.stdin)["changes"] if c["path"] == "one"]))')" -le 8388608 ]
}

# tree: names, kinds, modes and contents of all that is below the current folder, in the sandbox or outside
tree='find . -mindepth 1 -printf "%P %y %m %l\\n" | sort; find . -type f | sort | xargs -r sha256sum'

@test "folders that are made anew: what was in them is gone, at any depth" {
	mkdir -p x/b/c
	echo q >x/b/q
	echo x >x/x
	sleep 0.02
	cow sh -c 'rm -rf x; mkdir -p x/b; echo n >x/b/n'
	inside=$(cow sh -c "$tree")
	ward apply
	[ "$inside" = "$(eval "$tree")" ]
	[ ! -e x/b/q ]
	[ ! -e x/b/c ]
}

@test "several layers as one: nothing comes back, nothing is left half" {
	mkdir -p x/b
	echo q >x/b/q
	echo x >x/x
	echo o >o
	sleep 0.02
	cow sh -c 'rm -rf x; echo m >>o; mkdir a a/sub; echo c >a/c; echo s >a/sub/s; mkfifo p; ln a/c a/hard; mkdir r; echo r >r/r
		chmod 555 r; echo z >zero; chmod 000 zero; truncate -s 400M sparse'
	ward snapshot create one
	cow sh -c 'mkdir -p x/b; rm a/c a/sub/s; echo z >z'
	before=$(cow sh -c 'find . -mindepth 1 ! -path ./z -printf "%P %y %m\n" | sort')
	ward discard z
	[ "$before" = "$(cow sh -c 'find . -mindepth 1 -printf "%P %y %m\n" | sort')" ]
	ward stop
	[ "$(du -s "$layers"/s-main-*-"$(printf %s "$PWD" | sha256sum | cut -c1-12)" 2>/dev/null | cut -f1)" -lt 10000 ]
	cow rm -rf a
	run -0 cow ls
	[[ $output != a* ]]
}

@test "what was moved inside arrives before it goes, or stays" {
	some_files
	cow sh -c 'mkdir new; mv a new/a; mv text text2'
	ward apply
	[ "$(cat new/a)" = base ]
	[ ! -e a ]
	[ -e text2 ]
	# What takes the place of a file does not come: the file stays.
	cow sh -c 'rm zeros; mkfifo zeros'
	run -1 ward apply
	[ -f zeros ]
	# A repository with protected files in it does not lose the others.
	ward discard
	mkdir repo
	git -C repo init -q .
	sleep 0.02
	cow mv repo moved
	run -1 ward apply
	[ -e repo/.git/HEAD ]
	[ -e repo/.git/config ]
}

@test "folders that the host moves, removes or closes meanwhile are conflicts" {
	mkdir d old d2 d3 e f
	echo x >d/x
	echo precious >old/f
	echo x >d2/x
	echo precious >d3/x
	echo y >e/y
	echo g >f/g
	sleep 0.02
	cow sh -c 'rm -r d; echo inside >d2/x; echo more >>e/y; echo more >>f/g'
	mv old d/old
	mv d2 gone
	mv d3 d2
	chmod 700 e
	rm -r f
	run -1 ward apply
	[ "$(cat d/old/f)" = precious ]
	[ "$(cat d2/x)" = precious ]
	[ "$(stat -c %a e)" = 700 ]
	[ ! -e f ]
}

@test "a change on the host is a conflict after discard and restore too" {
	some_files
	cow sh -c 'echo inside >>a'
	ward snapshot create one
	echo outside >>a
	run -1 ward apply
	ward discard
	ward snapshot restore one
	run -1 ward apply
	[ "$(tail -n1 a)" = outside ]
}

@test "no false conflicts: applied again and again, and after changes that the sandbox has seen" {
	some_files
	for round in 1 2 3 4 5 6 7 8 9 10; do
		cow sh -c "echo $round >>a"
		run -0 ward apply
	done
	echo outside >>a
	cow sh -c 'echo inside >>a'
	run -0 ward apply
	[ "$(tail -n2 a)" = 'outside
inside' ]
}

@test "restore keeps what no snapshot has, also after a fork" {
	some_files
	cow sh -c 'echo 1 >n'
	ward snapshot create one
	cow sh -c 'echo 2 >n; echo p >p'
	ward fork main a
	run -0 ward snapshot restore one
	[[ $output == *"kept as snapshot"* ]]
	ward snapshot restore before-one-1
	run -0 cow cat p
	[ "$output" = p ]
	# A session whose changes are none can be the target of a fork.
	ward discard --session a
	ward fork main a
}

@test "folders that nobody may enter, deep ones and long names are no way to hide or to block" {
	some_files
	cow sh -c 'mkdir z; echo f >z/f; chmod 000 z; mkdir g; echo s >g/s; chmod 555 g; echo ok >>a'
	run -0 ward diff --stat
	[[ $output == *' M a '* ]]
	ward apply
	[ "$(stat -c %a z g)" = '0
555' ]
	chmod 700 z
	[ "$(cat z/f g/s)" = 'f
s' ]
	chmod 700 g
	cow sh -c 'n=$(printf %0250d 0); for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do mkdir $n && cd $n || break; done; true'
	cow perl -e 'for (1 .. 600) { mkdir "deep" and chdir "deep" or die }'
	run -0 ward diff --stat
	[[ $output == *'could not be looked at'* ]]
	run -1 ward apply
	run -0 ward discard
	run -0 ward diff
	[ -z "$output" ]
	ward prune >/dev/null
	[ -z "$(find "$layers" -name 'deep' -o -name '*.gone*')" ]
}

@test "discard: the whole by its path; what is not there changes nothing" {
	some_files
	cow sh -c 'echo more >>a; rm -r d'
	run -0 ward discard d/deep/nothing
	run -2 cow ls d
	run -0 ward discard .
	run -0 ward diff
	[ -z "$output" ]
	cow sh -c 'rm -r d; echo file >d'
	run -125 ward discard d/x
	[[ $output == *'discard that'* ]]
}

@test "killed at any moment, apply and discard leave all or nothing of the changes" {
	command -v strace >/dev/null || skip 'no strace'
	some_files
	for command in 'discard' 'apply' 'apply n'; do
		for moment in 1 2 3; do
			cow sh -c 'echo 1 >n; echo one >b'
			ward snapshot create "s$moment"
			cow sh -c 'echo 2 >n'
			# shellcheck disable=SC2086
			strace -qq -o /dev/null -e trace=fsync -e inject=fsync:signal=KILL:when=$moment "$WARD" $command >/dev/null 2>&1 || true
			run cow cat n
			[ "$output" = 2 ] || { [ "$command" = discard ] && [ ! -e n ] && [ "$status" = 1 ]; } || { echo "$command $moment: $output"; return 1; }
			ward discard
			rm -f n b
			ward snapshot delete "s$moment"
		done
	done
}

@test "prune beside runs: none fails, and no change is lost" {
	some_files
	(while [ ! -e "$BATS_TEST_TMPDIR/stop" ]; do "$WARD" prune >/dev/null 2>&1; done) 3>&- &
	children+=($!)
	for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		ward run --set workspace=cow -- sh -c "echo $round >n"
		run -0 ward diff
		[[ $output == *"+$round" ]]
		ward discard >/dev/null
	done
	touch "$BATS_TEST_TMPDIR/stop"
}

@test "not while 'ward run' uses them" {
	some_files
	"$WARD" run --set workspace=cow -- sh -c 'echo 1 >n; sleep 1000' 3>&- &
	children+=($!)
	for ((i = 0; i < 100; i++)); do ward diff --stat 2>/dev/null | grep -q ' n ' && break; sleep 0.05; done
	run -125 ward discard
	[[ $output == *"'ward run'"* ]]
}

@test "a workspace that is closed inside hides nothing: neither from the limit nor from conflicts" {
	some_files
	run -137 ward run --json --set workspace=cow --set resources.disk=32M -- sh -c \
		'mkdir sub; cd sub; chmod 0 /workspace; i=0; while :; do i=$((i+1)); head -c 4000000 /dev/zero >f$i || exit; done'
	ward discard >/dev/null
	cow sh -c 'echo inside >>a; mkdir s; cd s; chmod 0 /workspace'
	ward stop
	echo outside >>a
	cow true
	run -1 ward apply
	[[ $output == *'conflict  a'* ]]
	[ "$(tail -n1 a)" = outside ]
}

@test "prune --dry-run changes nothing" {
	some_files
	cow sh -c 'echo more >>a'
	ward stop
	sleep 0.1
	run -0 ward prune --dry-run --set prune.age=10ms
	[[ $output == *'would be removed'* ]]
	run -0 ward prune --dry-run --set prune.age=10ms
	[[ $output == *'would be removed'* ]]
	run -0 ward diff --stat
	[[ $output == *' M a '* ]]
	run -0 ward prune --set prune.age=10ms
	[[ $output == *removed* ]]
	run -125 ward diff
}

@test "random changes, apply, discard, snapshot, restore, fork: as in a plain copy" {
	seeds=(1 2 3 4)
	[ "${FULL:-0}" != 1 ] || mapfile -t seeds < <(seq 100)
	for seed in "${seeds[@]}"; do
		mkdir "$BATS_TEST_TMPDIR/r$seed"
		(cd "$BATS_TEST_TMPDIR/r$seed" && timeout 300 "$python" "$tests/helpers/cowrandom" "$seed" 30)
	done
}
