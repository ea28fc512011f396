#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The programs in examples/ do what they say, as they are.
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
many_sandboxes
examples=$tests/../examples

setup() {
	mkdir "$BATS_TEST_TMPDIR/w" "$BATS_TEST_TMPDIR/bin"
	cd "$BATS_TEST_TMPDIR/w" || return 1
	ln -s "$WARD" "$BATS_TEST_TMPDIR/bin/ward"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

teardown() {
	cd "$BATS_TEST_TMPDIR/w" || return
	"$WARD" stop --force 2>/dev/null || true
}

# agent COMMAND...: what every one of them prints
agent() {
	run -0 timeout -k 5 100 "$@"
	echo "$output"
	[ "${output/outside: [a-z]*$'\n'/outside$'\n'}" = 'building
done
exit status 0
too slow
port = 8080
host = here
outside
background: listening' ]
	[ "$(cat settings)" = $'port = 8080\nhost = here' ]
	[ "$(ls)" = settings ]
}

@test "in C" {
	agent "$HELPERS/example-agent"
}

@test "in shell" {
	command -v jq >/dev/null || skip 'jq is not installed'
	agent "$examples/shell/agent.sh"
}

@test "in Python" {
	agent "$python" "$examples/python/agent.py"
}

@test "in Node.js" {
	agent node "$examples/node/agent.mjs"
}

@test "a tool that is denied ends each of them" {
	echo '{tools: {deny: ["edit"]}, agents: {defaults: {sandbox: {rate: {creates: "1000000/m"}}}}}' \
		>"$XDG_CONFIG_HOME/ward/ward.json5"
	for example in "$HELPERS/example-agent" "$examples/python/agent.py" "$examples/node/agent.mjs"; do
		run timeout -k 5 100 "$example"
		echo "$output"
		[ "$status" != 0 ]
		grep -qx 'port = 80' settings
	done
}
