#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Protected names in a workspace: they can be neither changed nor made from inside, in no way and by no other name, and
# nothing is left of the attempt. Stopped by the broker, through which every change in the workspace goes; the program's
# Landlock domain gives it no right to write there itself.

# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

# repository FOLDER: with the folders that protected names lie in.
repository() {
	mkdir -p "$1/.git/hooks" "$1/.git/modules/sub" "$1/.claude" "$1/.vscode" "$1/folder"
	printf '[core]\n\tbare = false\n' >"$1/.git/config"
	echo 'ref: refs/heads/main' >"$1/.git/HEAD"
	printf '[core]\n' >"$1/.git/modules/sub/config"
	echo '{}' >"$1/.claude/settings.json"
	echo 'PASSWORD=1' >"$1/.env"
}

prepare() {
	repository "$W"
}

# control_write FILE: outside, each way to change a file does.
control_write() {
	local way folder=$BATS_TEST_TMPDIR/control before
	while read -r way; do
		rm -rf "$folder" && mkdir "$folder" && repository "$folder"
		before=$(cd "$folder" && state_of "$1" "$(dirname "$1")")
		(cd "$folder" && "$PAYLOAD" "$way" "$1" >/dev/null) || void "$way is refused by the kernel"
		[ "$before" != "$(cd "$folder" && state_of "$1" "$(dirname "$1")")" ] || void "$way changes nothing"
	done < <("$PAYLOAD" --list | grep '^write/')
}

# control_create FILE
control_create() {
	local way folder=$BATS_TEST_TMPDIR/control
	while read -r way; do
		rm -rf "$folder" && mkdir "$folder" && repository "$folder"
		(cd "$folder" && "$PAYLOAD" "$way" "$1" >/dev/null) || void "$way is refused by the kernel"
		[ -e "$folder/$1" ] || [ -L "$folder/$1" ] || void "$way makes nothing"
	done < <("$PAYLOAD" --list | grep '^create/')
}

# unchanged_by GROUP FILE: after every attempt of the group.
unchanged_by() {
	local before
	before=$(cd "$W" && state_of "$2")
	ran ./payload --group "$1" "$2" >"$BATS_TEST_TMPDIR/answers"
	[ "$before" = "$(cd "$W" && state_of "$2")" ] || {
		echo "$2 has changed:"
		diff <(echo "$before") <(cd "$W" && state_of "$2") || true
		cat "$BATS_TEST_TMPDIR/answers"
		return 1
	}
	if grep ': OK$' "$BATS_TEST_TMPDIR/answers"; then
		echo "so they say of $2" && return 1
	fi
}

@test "a protected file withstands every way of changing it" {
	local file
	control_write .git/config
	for file in .git/config .env .claude/settings.json .git/modules/sub/config; do
		unchanged_by write "$file"
	done
	[ "$(git config -f "$W/.git/config" core.bare)" = false ]
}

@test "a protected name that is not there withstands every way of making it" {
	local file
	control_create .git/hooks/pre-commit
	for file in .git/hooks/pre-commit .claude/new.json .envrc server.pem .env.local .vscode/tasks.json .mcp.json \
		.ward.json5 .git/modules/sub/hooks .gitmodules .bashrc; do
		(cd "$W" && rm -rf way-*)
		unchanged_by create "$file"
		unmade "$W/$file"
	done
}

@test "a protected folder, or one above, cannot be brought from elsewhere or linked" {
	local name before way
	rm -r "$W/.git" "$W/.claude" "$W/.vscode"
	for way in rename symlink; do
		for name in .git/config .git/modules/config .claude/settings.json .codex/config.toml .vscode/tasks.json \
			.cursor/x .idea/y .husky/pre-commit .git/hooks/post-checkout .git/modules/new/config; do
			rm -rf "$W"/way-* "$BATS_TEST_TMPDIR/control"
			mkdir -p "$W/$(dirname "$(dirname "$name")")" "$BATS_TEST_TMPDIR/control/$(dirname "$(dirname "$name")")"
			(cd "$BATS_TEST_TMPDIR/control" && "$PAYLOAD" "bring/$way" "$name" >/dev/null)
			[ -e "$BATS_TEST_TMPDIR/control/$name" ] || [ -L "$BATS_TEST_TMPDIR/control/$(dirname "$name")" ] ||
				void "$way brings no $name"
			inside ./payload "bring/$way" "$name" >/dev/null || true
			unmade "$W/$name"
			[ ! -L "$W/$(dirname "$name")" ] || { echo "$(dirname "$name") is a link" && false; }
		done
	done
}

@test "folders with protected names in them cannot be moved into place by their parent, nor out" {
	local before
	rm -r "$W/.git"
	# shellcheck disable=SC2016
	ran sh -c 'mkdir -p a/.git/hooks x/hooks x/modules/m && echo x >x/config && echo x >x/hooks/pre-commit && echo x >x/modules/m/config
		mv x .git; cp -R x .git; mkdir .git; mv x/modules .git/modules; mv x/hooks .git/hooks; ln x/config .git/config
		ln -s ../x/config .git/config; ln -s ../x/hooks .git/hooks; cp -R x/. .git/; mkdir x/deep; mv x/modules/m .git/modules/m
		touch ran' 2>/dev/null
	[ -e "$W/ran" ]
	run -0 find "$W/.git" \( -name config -o -path '*/hooks/*' -o -type l \) -print
	[ -z "$output" ] || { echo "$output" && false; }
}

@test "none of the names that are not there at the start is made, and no placeholder is left" {
	local names=(.git/hooks/pre-commit .git/config .gitmodules .claude/settings.json .codex/config.toml .cursor/rules .vscode/tasks.json
		.idea/workspace.xml .envrc .mcp.json .ward.json5 .husky/pre-commit .npmrc .yarnrc.yml .pre-commit-config.yaml x.code-workspace
		.gemini/settings.json .bash_profile .zshrc .profile id.key)
	rm -rf "$W/.git" "$W/.claude" "$W/.vscode" "$W/.env" "$W/folder"
	mkdir "$OUTSIDE/control"
	# shellcheck disable=SC2016
	local script='for n; do mkdir -p "$(dirname "$n")"; echo x >"$n"; rm -f "$n" 2>/dev/null || :; echo x >"$n"; mkdir "$n"; ln -s /tmp/z "$n"; done 2>/dev/null; touch ran'
	(cd "$OUTSIDE/control" && sh -c "$script" - "${names[@]}")
	[ "$(find "$OUTSIDE/control" -type f ! -name ran | wc -l)" = ${#names[@]} ] || void 'the script does not make them'
	ran true
	[ "$(find "$W" -mindepth 1 | sort)" = "$W/payload" ] || { find "$W" && false; } # no placeholder of a sandbox that did nothing
	ran sh -c "$script" - "${names[@]}"
	[ -e "$W/ran" ]
	run -0 find "$W" -mindepth 1 ! -type d ! -name payload ! -name ran
	[ -z "$output" ] || { echo "$output" && false; }
}

@test "names that differ in case or in characters that file systems fold are protected as well" {
	local name
	for name in .GIT/config .Git/Hooks/pre-commit .ENVRC Server.PEM .WARD.json5; do
		inside_sh "mkdir -p '$(dirname "$name")'; echo x >'$name'" 2>/dev/null || true
		unmade "$W/$name"
	done
}

@test "ward's own configuration of the project cannot be written even when nothing is to be protected" {
	options=(--set 'protect=[]')
	ran sh -c 'echo x >.envrc; echo x >.ward.json5; mkdir sub; echo x >sub/.ward.json5; mv .envrc .ward.json5; ln -s x .ward.json5; touch ran'
	[ -e "$W/ran" ]
	unmade "$W/.ward.json5"
}

@test "patterns at any depth protect nested repositories and their folders" {
	local before
	mkdir -p "$W/a/b/.git/hooks"
	echo '[core]' >"$W/a/b/.git/config"
	options=(--set 'protect=["**/.git/config","**/.git/hooks/**"]')
	before=$(state_of "$W/a/b/.git")
	ran sh -c 'cd a/b; mv .git .git2; mkdir .git; echo "[core] x" >.git/config; echo x >.git/hooks/post-checkout; rm -r .git; cd ../..
		mkdir -p n/.git; echo x >n/.git/config; mkdir t; echo x >t/config; mv t n/.git2; rmdir n/.git; mv n/.git2 n/.git
		ln -s ../t n/.git; mkdir -p m/t; echo x >m/t/config; ln -s t m/.git; touch /workspace/ran' 2>/dev/null
	[ -e "$W/ran" ]
	[ "$before" = "$(state_of "$W/a/b/.git")" ]
	unmade "$W/n/.git/config" "$W/m/.git/config" "$W/a/b/.git2"
	# A repository may move as a whole: what is protected in it is so in its new place.
	before=$(hash_of "$W/a/b/.git/config")
	ran sh -c 'mv a z; mv z/b z/c; echo x >>z/c/.git/config; mkdir -p a/b/.git; echo x >a/b/.git/config; touch ran2' 2>/dev/null
	[ -e "$W/ran2" ]
	[ "$before" = "$(cat "$W"/*/*/.git/config | sha256sum)" ]
}

@test "the protection survives that somebody on the host replaces the file, as git config and editors do" {
	start_inside 'touch started; while [ ! -e go ]; do sleep 0.05; done; echo x >>.git/config; echo x >.git/config; echo x >.git/config.lock
		mv .git/config.lock .git/config; rm .git/config; echo x >.git/hooks/pre-commit; touch done; sleep 60'
	git config -f "$W/.git/config" core.x new
	git config -f "$W/.git/config" core.y new
	rm -r "$W/.git/hooks" && mkdir "$W/.git/hooks"
	local before
	before=$(hash_of "$W/.git/config")
	touch "$W/go"
	until_there "$W/done"
	[ "$before" = "$(hash_of "$W/.git/config")" ]
	unmade "$W/.git/hooks/pre-commit"
}

@test "the workspace seen through a second bind is not a way around" {
	local before
	before=$(state_of "$W/.git/config")
	for bind in "$W:/again:rw" "$W/.git:/again:rw" "$W/../w:/again:rw" "$BATS_TEST_TMPDIR:/again:rw" "$W/.git/config:/again:rw"; do
		options=(--set "binds=[\"$bind\"]")
		# shellcheck disable=SC2016
		inside_sh 'for f in /again /again/config /again/.git/config /again/w/.git/config; do echo x >>"$f"; done 2>/dev/null' 2>/dev/null || true
		# shellcheck disable=SC2016
		inside_sh 'for f in /again /again/hooks /again/.git/hooks /again/w/.git/hooks; do echo x >"$f/pre-commit"; done 2>/dev/null' 2>/dev/null || true
		[ "$before" = "$(state_of "$W/.git/config")" ] || { echo "changed through $bind" && false; }
		unmade "$W/.git/hooks/pre-commit" || { echo "made through $bind" && false; }
	done
}

@test "a protected name that is a link on the host: what it leads to cannot be changed by that name" {
	echo one >"$W/real"
	ln -s real "$W/.envrc"
	(echo one >>"$W/.envrc") && [ "$(wc -l <"$W/real")" = 2 ] || void 'the link leads nowhere'
	local before
	before=$(state_of "$W/.envrc"; hash_of "$W/real")
	ran sh -c 'echo x >>.envrc; echo x >.envrc; rm .envrc; ln -sf /tmp/x .envrc; mv real .envrc; touch ran' 2>/dev/null
	[ -e "$W/ran" ]
	[ "$before" = "$(state_of "$W/.envrc"; hash_of "$W/real")" ]
}

@test "a .git that is a file or a link, or a bare repository, does not lead git on the host to configuration from inside" {
	local marker=$OUTSIDE/marker config
	command -v git >/dev/null || skip 'git is not installed'
	printf '#!/bin/sh\ntouch "%s"\n' "$marker" >"$OUTSIDE/hook"
	chmod +x "$OUTSIDE/hook"
	config="[core]\n\trepositoryformatversion = 0\n\tfsmonitor = $OUTSIDE/hook\n\tbare = false\n\tworktree = .."
	# shellcheck disable=SC2016
	local script='make() { mkdir -p "$1/objects" "$1/refs" && echo "ref: refs/heads/main" >"$1/HEAD" && printf "$config" >"$1/config"; }
		make elsewhere; echo "gitdir: elsewhere" >.git; ln -s elsewhere .git; mv elsewhere .git'
	rm -r "$W/.git"
	mkdir "$OUTSIDE/control"
	(cd "$OUTSIDE/control" && config=$config sh -c "$script" 2>/dev/null) || true
	(cd "$OUTSIDE/control" && git status >/dev/null 2>&1) || true
	[ -e "$marker" ] || void 'git on the host does not start it either'
	rm "$marker"
	options=(--set "env.config=\"${config//$'\t'/\\t}\"")
	ran sh -c "$script" 2>/dev/null
	(cd "$W" && git status >/dev/null 2>&1) || true
	unmade "$marker"
}

@test "a submodule that was planted does not lead git on the host to its configuration, with patterns at any depth" {
	local marker=$OUTSIDE/marker
	command -v git >/dev/null || skip 'git is not installed'
	# shellcheck disable=SC2016
	local id=(-c user.name=x -c user.email=x@example.org) script='git init -q sub && cd sub && git '"-c user.name=x -c user.email=x@example.org"' commit -q --allow-empty -m y &&
		printf "[core]\n\tfsmonitor = touch %s; false\n" "$1" >>.git/config; cd .. && git update-index --add --cacheinfo "160000,$(git -C sub rev-parse HEAD),sub"'
	rm -r "$W/.git"
	(cd "$W" && git init -q . && git "${id[@]}" commit -q --allow-empty -m x)
	cp -R "$W" "$OUTSIDE/control"
	(cd "$OUTSIDE/control" && sh -c "$script" - "$marker" && git status) >/dev/null 2>&1 || true
	[ -e "$marker" ] || void 'git on the host does not start it either'
	rm "$marker"
	options=(--set 'protect=["**/.git/config","**/.git/hooks/**"]')
	ran sh -c "$script" - "$marker" 2>/dev/null
	(cd "$W" && git status >/dev/null 2>&1) || true
	unmade "$marker"
}

@test "what programs of the host run or obey is refused or named in the result, never silent (broker)" {
	local file files=(.git/hooks/pre-commit .git/config .husky/pre-commit package.json .envrc .vscode/tasks.json conftest.py
		sitecustomize.py .npmrc .yarnrc.yml .pre-commit-config.yaml Makefile x.code-workspace sub/setup.py)
	mkdir -p "$W/sub"
	# shellcheck disable=SC2016
	result sh -c 'for file; do mkdir -p "$(dirname "$file")"; echo x >"$file"; echo x >.tmp && mv .tmp "$file"; done' - "${files[@]}"
	for file in "${files[@]}"; do
		python3 - "$RESULT" "$file" "$W" <<-'END' || { echo "silent: $file" && return 1; }
			import json, os, sys
			d = json.load(open(sys.argv[1]))
			changed = os.path.exists(sys.argv[3] + "/" + sys.argv[2]) and open(sys.argv[3] + "/" + sys.argv[2]).read() == "x\n"
			named = sys.argv[2] in d["hostExecRisk"]
			refused = any(sys.argv[2] == p or sys.argv[2].startswith(p + "/") for p in d["protected"])
			sys.exit(0 if named == changed and (named or refused) else 1)
		END
	done
	result sh -c 'echo x >main.c; cat Makefile >/dev/null; rm -f Makefile; mkdir new'
	[ "$(field "$RESULT" hostExecRisk)" = '[]' ]
	run inside_sh 'echo y >Makefile; mkdir -p node_modules/a node_modules/b; echo >node_modules/a/x; echo >node_modules/b/x'
	[[ $output == *'host-exec-risk: '*'Makefile, node_modules'* ]]
	# shellcheck disable=SC2016
	run inside_sh 'for i in $(seq 30); do mkdir $i; echo >$i/Makefile; done'
	[[ $output == *'host-exec-risk: '*' and 14 more'* ]]
}

@test "two sandboxes in one workspace cannot help each other past a protected name (broker: what is absent stays so)" {
	local i
	# B makes and removes a file, or changes it for a folder; A renames it into a protected place.
	start_inside 'touch started; exec python3 -c "
import os, time
end = time.time() + 20
while time.time() < end and not os.path.exists(\"stop\"):
    fd = os.open(\"x\", os.O_CREAT | os.O_WRONLY, 0o755); os.close(fd)
    try: os.unlink(\"x\")
    except OSError: pass
"'
	ran python3 -c '
import os
done = 0
for i in range(3000):
    try: os.rename("x", ".git/hooks/pre-commit"); done += 1
    except OSError: pass
print("renamed", done)'
	touch "$W/stop"
	unmade "$W/.git/hooks/pre-commit"
	for ((i = 0; i < 100; i++)); do kill -0 "$SANDBOX" 2>/dev/null || break && sleep 0.1; done
}

@test "a link or a file at .git protects what it leads to, with patterns at any depth (broker)" {
	rm -rf "$W/.git"
	mkdir -p "$W/real/hooks"
	ln -s real "$W/.git"
	echo a >"$W/real/config"
	ran sh -c 'echo b >>real/config; echo b >>.git/config; echo b >real/hooks/x; echo b >.git/hooks/x' 2>/dev/null
	[ "$(cat "$W/real/config")" = a ]
	unmade "$W/real/hooks/x"
	rm "$W/.git"
	echo 'gitdir: ./real' >"$W/.git"
	ran sh -c 'echo b >>real/config; echo b >real/hooks/x; echo "gitdir: ./other" >.git' 2>/dev/null
	[ "$(cat "$W/real/config")" = a ]
	unmade "$W/real/hooks/x"
	[ "$(cat "$W/.git")" = 'gitdir: ./real' ]
}

@test "git on the host is led to no other configuration: commondir, config.worktree, a bare repository (broker)" {
	local marker=$OUTSIDE/marker script
	command -v git >/dev/null || skip 'git is not installed'
	rm -rf "$W/.git"
	(cd "$W" && git init -q . && git -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m x)
	# shellcheck disable=SC2016
	for script in \
		'mkdir evil; cp -r .git/objects .git/refs evil/; printf "[core]\n\trepositoryformatversion=0\n\tfsmonitor=\"touch $1; false\"\n" >evil/config; echo ../evil >.git/commondir' \
		'cp -r .git/objects .git/refs .; printf "[core]\n\trepositoryformatversion=0\n\tbare=false\n\tworktree=.\n\tfsmonitor=\"touch $1; false\"\n" >config; mv .git/HEAD HEAD'; do
		rm -rf "$OUTSIDE/control" && cp -R "$W" "$OUTSIDE/control"
		(cd "$OUTSIDE/control" && sh -c "$script" - "$marker" && git status) >/dev/null 2>&1 || true
		[ -e "$marker" ] || void 'git on the host does not obey it either'
		rm "$marker"
		ran sh -c "$script" - "$marker" 2>/dev/null
		(cd "$W" && git status >/dev/null 2>&1) || true
		unmade "$marker"
	done
	(cd "$W" && git config extensions.worktreeConfig true)
	# shellcheck disable=SC2016
	ran sh -c 'printf "[core]\n\tfsmonitor=\"touch $1; false\"\n" >.git/config.worktree' - "$marker" 2>/dev/null
	(cd "$W" && git status >/dev/null 2>&1) || true
	unmade "$marker" "$W/.git/config.worktree"
}

@test "a name that the host makes meanwhile is not caught at birth (broker: what is absent is not opened)" {
	local i
	start_inside 'touch started; exec python3 -c "
import os, time
end = time.time() + 20
while time.time() < end and not os.path.exists(\"stop\"):
    try: fd = os.open(\".envrc\", os.O_WRONLY); os.write(fd, b\"inside\"); os.close(fd)
    except OSError: pass
"'
	for ((i = 0; i < 300; i++)); do
		echo host >"$W/.envrc"
		[ "$(cat "$W/.envrc")" = host ]
		rm "$W/.envrc"
	done
	touch "$W/stop"
	wait "$SANDBOX" || true
}
