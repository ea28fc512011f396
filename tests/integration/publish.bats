#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Ports of the machine that lead into a sandbox, to real servers.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
many_sandboxes

setup_file() {
	"$tests/helpers/census" take "$BATS_FILE_TMPDIR/census"
}

teardown_file() {
	"$tests/helpers/census" compare "$BATS_FILE_TMPDIR/census"
}

setup() {
	mkdir "$BATS_TEST_TMPDIR/w" && cd "$BATS_TEST_TMPDIR/w" || return
	echo 'a page' >page
	port=$(free_port)
}

teardown() {
	[ -z "${server-}" ] || kill "$server" 2>/dev/null || true
	"$WARD" stop --force >/dev/null 2>&1 || true
}

free_port() {
	python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# serve OPTION... -- ADDRESS: a web server inside, until the test ends it
serve() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	rm -f log # of the one before
	"$WARD" run "${options[@]}" -- python3 -u -m http.server --bind "$2" 8000 >log 2>&1 3>&- &
	server=$!
	for ((n = 0; n < 200; n++)); do
		! grep -qs Serving log || return 0
		sleep 0.05
	done
	cat log
	return 1
}

finish() {
	kill "$server"
	wait "$server" || true
}

answer() { # HOST: of the server
	curl -sS --max-time 10 "http://$1:$port/page"
}

@test "a published port leads to a server inside, with any network and with none" {
	for net in none limited full; do
		serve --net "$net" --publish "$port:8000" -- 127.0.0.1
		[ "$(answer 127.0.0.1)" = 'a page' ]
		[ "$(answer localhost)" = 'a page' ]
		grep -q '^127.0.0.1 .*GET /page' log
		finish
		run ! answer 127.0.0.1
	done
	# Nothing else came with it.
	run -0 "$WARD" run --publish "$port:8000" -- python3 -c '
import socket
for to in ("93.184.216.34", 80), ("127.0.0.1", int('"$port"')), ("10.0.2.2", 80):
    try: socket.create_connection(to, 3); print("reached")
    except OSError as e: print(e.errno)'
	[ "${lines[*]}" = '101 111 101' ]
}

@test "servers of the other family, and without a family, are found" {
	for at in ::1 :: 0.0.0.0; do
		serve --publish "$port:8000" -- "$at"
		[ "$(answer 127.0.0.1)" = 'a page' ]
		finish
	done
	serve --publish "[::1]:$port:8000" -- 127.0.0.1
	[ "$(answer '[::1]')" = 'a page' ]
	run ! answer 127.0.0.1
	finish
}

@test "only the loopback of the machine unless an address is written; who comes from elsewhere is not taken for the sandbox itself" {
	local other
	other=$(ip -4 -o addr show scope global | awk '{sub("/.*", "", $4); print $4; exit}')
	[ -n "$other" ] || other=127.0.0.2
	serve --publish "$port:8000" -- 0.0.0.0
	run ! answer "$other"
	finish
	serve --publish "0.0.0.0:$port:8000" -- 0.0.0.0
	[ "$(answer "$other")" = 'a page' ]
	grep -q '^10.0.2.15 .*GET /page' log
	run ! grep -q "^127" log
	finish
	# What listens for itself only is not shown to others.
	serve --publish "0.0.0.0:$port:8000" -- 127.0.0.1
	run ! answer "$other"
	run ! grep -q GET log
	finish
}

@test "many connections, much at once, both halves closed by themselves" {
	"$WARD" run --publish "$port:9000" -- python3 -u -c '
import socket, threading
def serve(c):
    data = b""
    while piece := c.recv(65536):
        data += piece
    c.sendall(data[::-1])
    c.close()
s = socket.create_server(("127.0.0.1", 9000), backlog=200)
print("ready")
while True:
    c, _ = s.accept()
    threading.Thread(target=serve, args=(c,)).start()' >log 2>&1 3>&- &
	server=$!
	until grep -q ready log; do sleep 0.05; done
	run -0 timeout 60 python3 -c '
import os, socket, sys
open_ones = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(100)]
datas = [os.urandom(3000000 if i % 50 == 0 else 1000) for i in range(100)]
for c, d in zip(open_ones, datas):
    c.sendall(d)
    c.shutdown(socket.SHUT_WR)
for c, d in zip(open_ones, datas):
    got = b""
    while piece := c.recv(65536):
        got += piece
    assert got == d[::-1], (len(got), len(d))
print("all")' "$port"
	[ "$output" = all ]
	finish
}

@test "a living sandbox keeps its ports from command to command, and gives them up with its end" {
	"$WARD" exec --publish "$port:8000" -- sh -c 'cd /workspace && python3 -m http.server --bind 127.0.0.1 8000 >/dev/null 2>&1 &'
	for ((n = 0; n < 100; n++)); do
		! answer 127.0.0.1 >/dev/null 2>&1 || break
		sleep 0.05
	done
	run -0 "$WARD" exec --publish "$port:8000" -- true
	"$WARD" stop --force
	run ! answer 127.0.0.1
	python3 -c 'import socket, sys
socket.create_server(("127.0.0.1", int(sys.argv[1])))' "$port"
}

@test "a port that is taken is said before anything runs; so is what is none" {
	python3 -c 'import socket, sys, time
s = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("there", flush=True)
time.sleep(60)' "$port" >taken 3>&- &
	server=$!
	until grep -q there taken; do sleep 0.05; done
	run -125 "$WARD" run --publish "$port:8000" -- touch ran
	[[ $output == *"listen at port $port of 127.0.0.1 on the host (network.publish): Address "*"in use"* ]]
	[ ! -e ran ]
	finish
	for bad in 8000 :8000 x:8000 70000:80 80:0 1.2.3:80:80 ::1:80:80 example.org:80:80; do
		run -125 "$WARD" run --publish "$bad" -- touch ran
		[[ $output == *--publish* ]]
		[ ! -e ran ]
	done
}
