#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# `ward verify`: holds what the policy promises, finds what it lets through, leaves nothing.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	# The name of a socket in it has to fit its address.
	TMPDIR=$(mktemp -d /tmp/ward-verify.XXXXXX)
	export HOME=$BATS_TEST_TMPDIR/home TMPDIR
	unset XDG_CONFIG_HOME
	mkdir -p "$HOME/.ssh" project
	cd project || return 1
}

# Everything that verify makes lies here.
teardown() {
	rmdir "$TMPDIR"
}

@test "the default policy holds, attempt by attempt" {
	run -0 "$WARD" verify --all
	[[ $output != *'GOT THROUGH'* ]]
	for layer in filesystem network processes syscalls memory pids disk; do
		grep -qE "^  $layer +[^ ].* +[1-9][0-9]*   held\$" <<<"$output" || {
			echo "$layer: $output"
			return 1
		}
	done
	for name in 'read a file outside' 'change a file outside' 'create the protected .envrc' 'open the keys of the caller' \
		'reach 127.0.0.1 of the host' 'end a process of the host' 'use a descriptor of the caller' 'leave a process behind' \
		"run as the host's root" 'leave a set-user-id program' 'ptrace' 'use more memory than allowed' \
		'start more processes than allowed' 'store more than allowed' 'outlast the timeout' 'print more than is kept'; do
		grep -qE "^  [a-z]+ +$name +held\$" <<<"$output" || {
			echo "$name: $output"
			return 1
		}
	done
	[[ $output == *', none got through;'* ]]
}

@test "as JSON" {
	run -0 --separate-stderr "$WARD" verify --json
	[[ $output == '{
  "held": '*'"through": 0,'*'"layers": {
    "filesystem": {
      "mechanism": "mount namespace'*'"result": "held"'* ]]
	[[ $output == *'{
      "layer": "filesystem",
      "name": "read a file outside",
      "result": "held",
      "why": null
    }'* ]]
	# shellcheck disable=SC2154
	[ -z "$stderr" ]
}

@test "what the policy does not promise is not called held" {
	run -0 "$WARD" verify --all --set 'protect=[]'
	[[ $output =~ 'create the protected .envrc '\ +'not asked for' ]]
	[[ $output =~ 'change the configuration of git '\ +'not asked for' ]]
	run -0 "$WARD" verify --all --set workspace=none --set 'passEnv=*'
	[[ $output =~ 'create the protected .envrc '\ +'not asked for' ]]
	[[ $output =~ "read a variable of the caller's environment "\ +'not asked for' ]]
	[[ $output =~ 'write a larger file than allowed '\ +'not asked for' ]]
}

@test "what the policy promises in addition is tried" {
	run -0 "$WARD" verify --all --set hide=.env --set resources.fileSize=1M
	[[ $output =~ 'read a hidden file of the workspace '\ +held ]]
	[[ $output =~ 'write a larger file than allowed '\ +held ]]
}

@test "what a bound folder shows is found" {
	run -1 "$WARD" verify --json --set "binds=$TMPDIR:$TMPDIR:ro"
	[[ $output == *'"name": "read a file outside",
      "result": "through"'* ]]
	[[ $output == *'"name": "reach a unix socket outside",
      "result": "through"'* ]]
	[[ $output == *'"network": {
      "mechanism": "network namespace",
      "attempts": 9,
      "result": "through"'* ]]
	[[ $output == *'"name": "change a file outside",
      "result": "held"'* ]]
}

@test "the project's own file counts, and is not touched" {
	echo '{agents: {defaults: {sandbox: {workspace: "ro"}}}}' >.ward.json5
	run -0 "$WARD" verify --all
	[[ $output =~ 'write into a read-only workspace '\ +held ]]
	[ "$(ls -A)" = .ward.json5 ]
}

@test "no sandbox, nothing to try: 125, and why" {
	run -125 "$WARD" verify --set mode=off
	[[ $output == *'on the host'* ]]
	run -125 "$WARD" verify --set tools.deny=exec
	[[ $output == *'may run no command'* ]]
	run -125 "$WARD" verify --set no=thing
	run -125 "$WARD" verify something
}

@test "an interrupt leaves nothing" {
	cp "$WARD" ./ward-left # a name of its own, to look for
	for moment in 0.05 0.6; do
		run timeout --preserve-status -s TERM $moment ./ward-left verify
		[ -z "$(ls -A "$TMPDIR")" ]
		run ! grep -lF ward-left <(readlink /proc/[0-9]*/exe)
	done
}
