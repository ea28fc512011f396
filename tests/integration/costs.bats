#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What a name may cost, and rules that change, for connections in every state: ways around them that must not work.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"
# shellcheck source=internet.bash
. "$BATS_TEST_DIRNAME/internet.bash"

net() { # VERB...
	there "$WARD" net "$@"
}

# begin OPTION... -- PROGRAM: python in the session's sandbox, which says what it does in the file 'said'
begin() {
	ward_ exec "$@" >said 2>&1 3>&- &
	program=$!
}

until_said() { # TEXT
	for ((n = 0; n < 200; n++)); do
		! grep -q "$1" said || return 0
		sleep 0.05
	done
	cat said
	return 1
}

@test "a request that the budget has no room for ends its connection: nothing behind it is another request" {
	run ward_ run --json --allow example.test --set 'network.budget={"example.test": {up: 2000, rate: "100k"}}' -- python3 -c '
import socket, time
s = socket.create_connection(("example.test", 80))
def ask(pad, more=b""):
    return b"POST / HTTP/1.1\r\nHost: example.test\r\nX: " + b"a" * pad + b"\r\n" + more + b"\r\n"
s.sendall(ask(10, b"Content-Length: 0\r\n"))
print(s.recv(12))
inner = b"GET /smuggled HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n"
s.sendall(ask(3000, b"Content-Length: %d\r\n" % len(inner)))
time.sleep(0.3)
try:
    s.sendall(inner)
    s.settimeout(3)
    while s.recv(4096): pass
except OSError: pass'
	[[ $output == *'"budget": 1'* ]]
	! grep -q 'smuggled\|other.test' "$NET/requests" || return 1
	grep -q example.test "$NET/requests"
}

@test "the first words of a connection count for the rate and for the budget too" {
	ward_ run --json --allow example.test --set 'network.budget={"example.test": {rate: "20k"}}' -- python3 -c '
import socket, time
began = time.time()
head = b"".join(b"X%d: " % k + b"a" * 4000 + b"\r\n" for k in range(10))
for i in range(4):
    s = socket.create_connection(("example.test", 80))
    s.sendall(b"GET / HTTP/1.0\r\nHost: example.test\r\n" + head + b"\r\n")
    s.recv(100)
print(time.time() - began > 4)' >answer
	json '"True" in d["stdout"]' <answer
	ward_ run --json --allow example.test --set 'network.budget={"example.test": {up: 20}}' -- curl -sS http://example.test/ >answer || true
	json 'd["limitsHit"]["budget"] == 1 and "budget" in str(d["network"])' <answer
}

@test "who dials the address of a name has the budget of the name; addresses in any spelling" {
	for url in http://example.test/ https://example.test/; do
		run ! ward_ run --net limited --set 'network.budget={"example.test": {down: 10}}' -- \
			curl -sS --cacert certificate --resolve "example.test:80:93.184.216.34" --resolve "example.test:443:93.184.216.34" "$url"
	done
	run -0 ward_ run --net limited -- curl -sS --cacert certificate --resolve "example.test:443:93.184.216.34" https://example.test/
	for text in 2606:2800:220:1::34 2606:2800:0220:0001::34 2606:2800:220:1:0:0:0:34; do
		run ! ward_ run --net limited --set "network.budget={'$text': {down: 10}}" -- curl -gsS 'http://[2606:2800:220:1::34]/'
	done
	run -0 ward_ run --net limited -- curl -gsS 'http://[2606:2800:220:1::34]/'
}

@test "a server that never answers a request for another protocol does not keep the connection" {
	ward_ exec --net limited -- python3 -c '
import socket
for i in range(5):
    s = socket.create_connection(("example.test", 80))
    s.sendall(b"GET /hang-up HTTP/1.1\r\nHost: example.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    s.recv(100)
    s.close()'
	for ((n = 0; n < 100; n++)); do
		net show | grep -q ^open || break
		sleep 0.05
	done
	[ "$n" -lt 100 ]
}

@test "a name that is denied before it was asked for anything is not reached any more" {
	begin --net full -- python3 -u -c '
import socket, time, os
s = socket.create_connection(("other.test", 80))
print("connected")
while not os.path.exists("go"): time.sleep(0.02)
s.sendall(b"GET / HTTP/1.0\r\nHost: other.test\r\n\r\n")
print(s.recv(12))'
	until_said connected
	net deny other.test
	touch go
	until_said 403
	wait "$program"
	heard_nothing
}

@test "what is denied at once ends where it leads: by its address, by the name in the hello, and for datagrams" {
	begin --net limited -- python3 -u -c '
import socket, ssl
c = ssl.create_default_context(cafile="certificate")
s = c.wrap_socket(socket.create_connection(("93.184.216.34", 443)), server_hostname="other.test")
print("connected")
try: print("ended" if not s.recv(1) else "more")
except OSError: print("ended")'
	until_said connected
	run -0 net deny --now other.test
	[ "$output" = '1 connection ended' ]
	until_said ended
	wait "$program"
	there "$WARD" stop --force
	begin --net full -- python3 -u -c '
import os, socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(1)
s.connect(("example.test", 9999))
s.send(b"a"); print(s.recv(100))
while not os.path.exists("go"): time.sleep(0.02)
try: s.send(b"b"); print(s.recv(100))
except OSError as e: print("refused")'
	until_said echo
	net show | grep -q '^open .*example.test:9999'
	run -0 net deny --now 93.184.216.34
	[ "$output" = '1 connection ended' ]
	touch go
	until_said refused
	wait "$program"
}

@test "with few descriptors programs inside cannot take all of the supervisor's" {
	(
		ulimit -n 1024
		begin --net full -- python3 -u -c '
import socket, time
to = socket.getaddrinfo("example.test", 9999, socket.AF_INET)[0][4]
for i in range(1024):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.sendto(b"x", to)
    s.close()
held = []
for i in range(600):
    s = socket.socket()
    s.setblocking(False)
    try: s.connect(("93.184.216.34", 8080))
    except OSError: pass
    held.append(s)
time.sleep(0.5)
print("sent")
time.sleep(60)'
	)
	until_said sent
	run -0 net show
	run -0 ward_ exec --net full -- echo another
	[ "$output" = another ]
	there "$WARD" stop --force
}
