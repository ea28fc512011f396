#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The network by name: what may be reached is, by ordinary programs without any settings of theirs; what may not is not,
# and they are told why. Against servers in a made-up internet (tests/helpers/internet), which count what they hear.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"
# shellcheck source=internet.bash
. "$BATS_TEST_DIRNAME/internet.bash"

setup() {
	NET=$BATS_FILE_TMPDIR/net
	mkdir "$BATS_TEST_TMPDIR/w" && cd "$BATS_TEST_TMPDIR/w" || return
	cp "$NET/certificate" .
	quiet
	export CURL_CA_BUNDLE=/workspace/certificate
}

udp='import socket, sys
def ask(host, port, data=b"x", family=socket.AF_INET, count=1):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.settimeout(5)
    try:
        s.connect((host, port))
        s.send(data)
        return [s.recv(65535) for _ in range(count)]
    except OSError as e:
        return type(e).__name__
'

@test "what is allowed is reached by name, plain and by TLS, over both families" {
	run -0 ward_ run --set 'network.allow=["example.test", "six.test"]' -- \
		curl -sS http://example.test/a https://example.test/b http://six.test/c
	[ "$output" = $'hello example.test /a\nhello example.test /b\nhello six.test /c' ]
	run -0 ward_ exec --set network=limited -- curl -sS https://example.test/d
	[ "$output" = 'hello example.test /d' ]
}

@test "what is not allowed is not, and the reason is said; no question for it leaves the machine" {
	run -0 --separate-stderr ward_ run --set 'network.allow=["example.test"]' -- curl -sS http://other.test/
	[[ $output == *'no rule of the allow list matches'* ]]
	[[ $stderr == *'ward: network: refused other.test:80 x1'*"to permit: --allow 'other.test:80'" ]]
	run -0 ward_ run --allow example.test --allow other.test:80 -- curl -sS http://other.test/ https://example.test/
	[ "$output" = $'hello other.test /\nhello example.test /' ]
	run -0 ward_ run --net limited --deny other.test -- sh -c 'curl -sS http://other.test/; curl -sS http://example.test/'
	[[ $output == *'hello example.test /'* && $output != *'hello other'* ]]
	quiet
	run -35 ward_ run --set 'network.allow=["example.test"]' -- curl -sS https://other.test/
	[[ $output == *'alert access denied'* ]]
	heard_nothing
	[ ! -s "$NET/names" ]
}

@test "what is refused is answered when it has asked, not before" {
	run -0 --separate-stderr ward_ run --allow example.test -- python3 -c '
import select, socket
s = socket.create_connection(("other.test", 80))
print(select.select([s], [], [], 1)[0])
s.sendall(b"GET / HTTP/1.1\r\n")
print(s.recv(4096).split(b"\r\n")[0].decode())
socket.create_connection(("other.test", 80)).close()
silent = socket.create_connection(("other.test", 80))
print(silent.recv(4096).split(b"\r\n")[0].decode())'
	[ "$output" = $'[]\nHTTP/1.1 403 Forbidden\nHTTP/1.1 403 Forbidden' ]
	[[ $stderr == *'refused other.test:80 x3'* ]]
	heard_nothing
}

@test "limited: ports 80 and 443; full: all of them" {
	run ward_ run --set network=limited -- curl -sS http://example.test:8080/
	[ "$status" != 0 ]
	[[ $output == *'limited allows only ports 80 and 443'* ]]
	heard_nothing
	run -0 ward_ run --set network=full -- curl -sS http://example.test:8080/x http://93.184.216.34:8080/y
	[ "$output" = $'hello example.test:8080 /x\nhello 93.184.216.34:8080 /y' ]
}

@test "deny wins, also over a literal address with its name in the hello" {
	run ward_ run --set network=full --set 'network.deny=["other.test"]' -- curl -sS https://other.test/
	[ "$status" = 35 ]
	run ward_ run --set network=full --set 'network.deny=["other.test"]' -- \
		curl -sS --resolve other.test:443:93.184.216.34 https://other.test/
	[ "$status" = 35 ]
	run ward_ run --set network=full --set 'network.deny=["other.test"]' -- curl -sSk https://93.184.216.34/
	[ "$status" = 35 ]
	[ ! -s "$NET/requests" ]
	run -0 ward_ run --set network=full --set 'network.deny=["other.test"]' -- curl -sS https://example.test/
}

@test "names that lead to the machine, private networks or credentials are refused by what they lead to" {
	for name in private metadata machine loopback mapped zero own6 group link nat64; do
		run -0 --separate-stderr ward_ run --set network=full -- curl -sS -o /dev/null -w '%{http_code}' "http://$name.test/"
		[ "$output" = 403 ] || { echo "$name: $output" && false; }
		# Where a service of the machine listens.
		run ! ward_ run --set network=full -- curl -sS "http://$name.test:7777/listening"
	done
	run ward_ run --set network=full -- curl -sS http://93.184.216.1:7777/
	[ "$status" != 0 ]
	heard_nothing
	run -0 ward_ run --set network=full -- curl -sS http://mixed.test/
	[ "$output" = 'hello mixed.test /' ]
}

@test "servers that hand out credentials, and private ones, are reached by a rule for their very address and no other" {
	local everything=0.0.0.0/0
	for at in 169.254.169.254 100.100.100.200 168.63.129.16 '[fd00:ec2::254]' 10.1.2.3 172.17.0.1; do
		for rules in '--net full' '--net limited' "--allow $everything --allow ::/0"; do
			# shellcheck disable=SC2086
			run -0 --separate-stderr ward_ run $rules -- curl -gsS -o /dev/null -w '%{http_code}' "http://$at/"
			[ "$output" = 403 ] || { echo "$at $rules: $output" && false; }
		done
	done
	heard_nothing
	for at in 169.254.169.254 100.100.100.200 168.63.129.16 '[fd00:ec2::254]' 10.1.2.3 172.17.0.1; do
		run -0 --separate-stderr ward_ run --allow "$at" -- curl -gsS "http://$at/there"
		[ "$output" = "hello $at /there" ] || { echo "$at: $output" && false; }
	done
	run -0 --separate-stderr ward_ run --allow private.test --allow 10.1.2.3 -- curl -sS http://private.test/there
	[ "$output" = 'hello private.test /there' ]
}

@test "a name whose address changes between two questions is judged each time" {
	for at in '' '' :7777 '' '' :7777 '' '' '' :7777 :7777; do
		ward_ run --set network=full -- curl -sS -o /dev/null -w '%{http_code}\n' "http://rebind.test$at/" >>codes 2>/dev/null || true
	done
	sort codes | uniq -c
	run ! grep -vxE '000|200|403' codes
	grep -qx 403 codes
	grep -qx 200 codes
	[ ! -s "$NET/service" ]
}

@test "a service of the machine by its own rule, and not otherwise" {
	run -0 ward_ run --set 'network.allow=["host-service:7777"]' -- curl -sS http://host-service:7777/listening
	[ "$output" = yes ]
	for address in 127.0.0.1 '[::1]' host-service localhost 93.184.216.1; do
		run ward_ run --set network=full -- curl -sS "http://$address:7777/listening"
		[ "$status" != 0 ] || { echo "$address: $output" && false; }
		[[ $output != *yes* ]]
	done
}

@test "another name in the hello or in the request than the connection is for" {
	run -35 ward_ run --set network=full -- curl -sS --connect-to example.test:443:other.test:443 https://example.test/
	run -0 --separate-stderr ward_ run --set network=full -- curl -sS -o /dev/null -w '%{http_code}' -H 'Host: other.test' http://example.test/
	[ "$output" = 403 ]
	heard_nothing
	# The second request of a connection.
	run ward_ run --set 'network.allow=["example.test"]' -- python3 -c '
import socket
s = socket.create_connection(("example.test", 80))
for host in "example.test", "other.test":
    s.sendall(b"GET /%s HTTP/1.1\r\nHost: %s\r\n\r\n" % (host.encode(), host.encode()))
    print(s.recv(4096).split(b"\r\n")[0])'
	[[ $output == *'200 OK'* ]]
	[ "$(cat "$NET/requests")" = '80 example.test GET /example.test' ]
}

@test "what is no TLS on 443, or names no server, is refused" {
	run ward_ run --set 'network.allow=["example.test"]' -- sh -c 'printf "hello\n" | timeout 5 python3 -c "
import socket, sys
s = socket.create_connection((\"example.test\", 443)); s.sendall(b\"GET / HTTP/1.0\r\n\r\n\"); print(s.recv(100))"'
	heard_nothing
	run ward_ run --set 'network.allow=["example.test"]' -- python3 -c '
import socket, ssl
c = ssl._create_unverified_context()
c.wrap_socket(socket.create_connection(("example.test", 443)))'
	[ "$status" != 0 ]
	heard_nothing
}

@test "much goes through in both directions, and as it was" {
	run -0 ward_ run --set network=limited -- sh -c '
		head -c 20000000 /dev/urandom >up
		curl -sS https://example.test/big/30000000 | sha256sum
		curl -sS --data-binary @up http://example.test/up
		curl -sS -T up https://example.test/put'
	[ "${lines[0]}" = "$(head -c 30000000 /dev/zero | tr '\0' x | sha256sum)" ]
	[ "${lines[2]}" = 'hello example.test /put' ]
}

@test "sixty connections at once, and two hundred names" {
	run -0 ward_ run --set network=limited -- sh -c '
		for i in $(seq 60); do curl -sS "http://example.test/$i" & done; wait'
	[ "${#lines[@]}" = 60 ]
	run -0 ward_ run --set network=full -- python3 -c '
import socket
seen = {socket.gethostbyname("n%d.test" % i) for i in range(200)}
print(len(seen))'
	[ "$output" = 200 ]
	run ! grep '^n[0-9]' "$NET/names"
}

@test "a living sandbox: the same guard for many commands, another configuration is another sandbox" {
	for k in 1 2 3; do
		run -0 --separate-stderr ward_ exec --set network=limited -- curl -sS "http://example.test/$k"
		[ "$output" = "hello example.test /$k" ] || { echo "$output$stderr" && false; }
	done
	run -0 --separate-stderr ward_ exec --set 'network.allow=["other.test"]' -- curl -sS http://example.test/
	[[ $output == *'no rule of the allow list'* ]]
}

@test "a budget cuts to the byte, over several connections, and is told of" {
	ward_ run --json --net limited --set 'network.budget={"example.test": {down: "5M"}}' -- sh -c '
		for i in 1 2 3 4; do curl -sS http://example.test/big/2000000 -o part$i; echo $?; done; cat part? | wc -c' >answer
	json '[n != "0" for n in d["stdout"].split()[:4]] == [False, False, True, True]' <answer
	json 'sum(f["receivedBytes"] for f in d["network"]) == 5 * 1024 * 1024' <answer
	# It is cut with a reset, which overtakes what is on its way.
	json '4000000 <= int(d["stdout"].split()[4]) <= 5 * 1024 * 1024' <answer
	json '"budget" in str(d["limitsHit"])' <answer
	run -0 --separate-stderr ward_ run --net full --set 'network.budget={"*": {up: 3000}}' -- sh -c '
		head -c 100000 /dev/zero >up
		curl -sS -T up http://example.test:8080/; curl -sS http://other.test/; true'
	[ ! -s "$NET/requests" ] || ! grep -q PUT "$NET/requests"
	run -0 ward_ run --net full --set 'network.budget={"*": {up: 20}}' -- python3 -c "$udp"'
print(ask("example.test", 9999, b"y" * 30))'
	[ "$output" = TimeoutError ]
}

@test "the result has every attempt" {
	ward_ run --json --set 'network.allow=["example.test"]' -- sh -c '
		curl -sS http://example.test/a; curl -sS http://example.test/b; curl -sS http://other.test/; true' >answer
	[ "$(json '[(f["host"], f["port"], f["allowed"], f["count"]) for f in d["network"]]' <answer)" = \
		"[('example.test', 80, True, 2), ('other.test', 80, False, 1)]" ]
	json 'd["network"][0]["receivedBytes"] > 100 and d["enforced"]["network"] == "network namespace and guard"' <answer
}

@test "datagrams with mode full, over both families, many and large ones; by name too" {
	run -0 ward_ run --net full -- python3 -c "$udp"'
print(ask("93.184.216.34", 9999), ask("example.test", 9999), ask("six.test", 9999, family=socket.AF_INET6))
print(len(ask("example.test", 9999, b"many 50", count=50)), len(ask("example.test", 9999, b"y" * 60000)[0]))
print(len(ask("six.test", 9999, b"z" * 30001, socket.AF_INET6)[0]), ask("example.test", 9998))'
	[ "${lines[0]}" = "[b'echo x'] [b'echo x'] [b'echo x']" ]
	[ "${lines[1]}" = '50 60005' ]
	[ "${lines[2]}" = '30006 ConnectionRefusedError' ]
}

@test "datagrams are refused at once where they are not allowed" {
	: >"$NET/datagrams"
	for options in '--net limited' '--allow example.test:9999' '--net full --deny example.test' '--net full --deny 93.184.216.0/24'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr ward_ run $options -- python3 -c "$udp"'
print(ask("example.test", 9999), ask("six.test", 1, family=socket.AF_INET6))'
		[ "$output" = 'ConnectionRefusedError ConnectionRefusedError' ] || { echo "$options: $output$stderr" && false; }
	done
	run -0 --separate-stderr ward_ run --net full --deny other.test -- python3 -c "$udp"'
print(ask("example.test", 443), ask("private.test", 9999), ask("machine.test", 9999), ask("10.1.2.3", 9999))'
	[ "$output" = 'ConnectionRefusedError ConnectionRefusedError ConnectionRefusedError ConnectionRefusedError' ]
	[ ! -s "$NET/datagrams" ]
}

@test "questions to other name servers, raw sockets and packets lead nowhere" {
	: >"$NET/datagrams"
	run ward_ run --net full -- python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.sendto(b"secret", ("93.184.216.53", 53))
for family, kind, protocol in (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP), (socket.AF_INET, socket.SOCK_RAW, 255), (
        socket.AF_INET6, socket.SOCK_RAW, 58), (socket.AF_PACKET, socket.SOCK_RAW, 0), (socket.AF_INET, socket.SOCK_DGRAM, 1):
    try:
        socket.socket(family, kind, protocol)
        print("had", family, kind, protocol)
    except OSError:
        pass'
	[[ $output != *had* ]]
	heard_nothing
	[ ! -s "$NET/names" ]
}

@test "the sandbox cannot take the sockets of the guard, or change its network" {
	run ward_ run --set network=full -- python3 -c '
import socket
def tries(kind, port, *options):
    s = socket.socket(socket.AF_INET, kind)
    for o in options: s.setsockopt(socket.SOL_SOCKET, o, 1)
    try:
        s.bind(("0.0.0.0", port))
        if kind == socket.SOCK_STREAM: s.listen()
        print("bound", kind, port, options)
    except OSError:
        pass
for port in 1, 53:
    for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
        for o in (), (socket.SO_REUSEADDR,), (socket.SO_REUSEPORT,), (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            tries(kind, port, *o)
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
for level, name in (socket.SOL_IP, 19), (socket.SOL_SOCKET, 36):
    try:
        s.setsockopt(level, name, 1); print("set", level, name)
    except OSError:
        pass
print("done")'
	[ "${lines[-1]}" = 'done' ]
	[ "${#lines[@]}" = 1 ]
}

@test "questions over TCP without end do not keep the guard from anything else" {
	run -124 --separate-stderr ward_ run --net full --set timeout=3s --set killGrace=0s -- python3 -c '
import os, socket, time
m = (b"\0\x0c" + b"\x12\x34\x01\0" + b"\0" * 8) * 4096
for _ in range(2):
    s = socket.create_connection(("8.8.8.8", 53))
    if os.fork() == 0:
        while s.recv(1 << 20): pass
        os._exit(0)
    if os.fork() == 0:
        while True: s.sendall(m)
time.sleep(2)
print(socket.getaddrinfo("example.test", 80, socket.AF_INET)[0][4][0].startswith("11."), flush=True)
time.sleep(20)
print("it went on", flush=True)'
	[ "$output" = True ]
	run -0 ward_ run --net full -- python3 -c '
import socket, struct
q = b"\x12\x34\x01\0\0\x01" + b"\0" * 6 + b"\x07example\x04test\0\0\x01\0\x01"
s = socket.create_connection(("8.8.8.8", 53))
s.sendall((struct.pack(">H", len(q)) + q) * 500)
got = b""
while got.count(b"\xc0\x0c\0\x01\0\x01") < 500: got += s.recv(65536)
print("all")'
	[ "$output" = all ]
}

@test "a request hidden in the body of one that has none is not passed on" {
	run ward_ run --allow example.test -- python3 -c '
import socket
inner = b"GET /secret HTTP/1.1\r\nHost: other.test\r\n\r\n"
for head in b"Content-Length: %d\r\n\r\n%s" % (len(inner), inner), b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(inner), inner):
    s = socket.create_connection(("example.test", 80))
    s.sendall(b"GET /a HTTP/1.1\r\nHost: example.test\r\n" + head)
    print(s.recv(4096).split(b"\r\n")[0])'
	[[ ${lines[0]} == *403* && ${lines[1]} == *403* ]]
	[ ! -s "$NET/requests" ]
}

@test "many names that are not allowed leave room for those that are" {
	run -0 --separate-stderr ward_ exec --allow example.test -- python3 -c '
import socket
q = lambda n: b"\x12\x34\x01\0\0\x01" + b"\0" * 6 + bytes([len(n)]) + n + b"\x04test\0\0\x01\0\x01"
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(5)
s.connect(("8.8.8.8", 53))
for i in range(20000):
    s.send(q(b"n%d" % i))
    s.recv(4096)
print("asked")'
	[ "$output" = asked ]
	run -0 --separate-stderr ward_ exec --allow example.test -- curl -sS http://example.test/
	[ "$output" = 'hello example.test /' ]
	[ "$(sort -u "$NET/names" | cut -d' ' -f1 | sort -u)" = example.test ]
}

@test "connections whose program is gone are closed outside too" {
	run -0 ward_ exec --net full -- python3 -c '
import socket, struct, time
all = [socket.create_connection(("93.184.216.34", 9000)) for _ in range(200)]
for s in all:
    s.sendall(b"x")
    s.shutdown(socket.SHUT_WR)
time.sleep(1) # the guard has read the end
for s in all:
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()'
	for ((n = 0; n < 100; n++)); do
		left=$(there ss -tnH | grep -cE '(ESTAB|FIN-WAIT-2|CLOSE-WAIT).*:9000' || true)
		((left >= 20)) || break
		sleep 0.1
	done
	((left < 20))
}

tries='import socket, sys
def tries(host, port, wait=5):
    try:
        s = socket.create_connection((host, port), wait)
        s.sendall(b"GET /%d HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (port, host.encode("latin-1")))
        return s.recv(4096).split(b"\r\n")[0].decode()
    except (OSError, UnicodeError) as e:
        return type(e).__name__
'

@test "one form of a name decides, whatever it looks like; deny wins; without a port 80 and 443 are meant" {
	run -0 --separate-stderr ward_ run --allow example.test --allow '*.example.test' --deny x.example.test \
		--deny '*.y.example.test' -- python3 -c "$tries"'
for host in "example.test", "EXAMPLE.Test", "example.test.", "deep.example.test", "Deep.Example.TEST.":
    print("may", host, tries(host, 80))
for host in ("evilexample.test", "example.test.evil.test", "example.testx", "xample.test", "example.test..", "example.test:80@evil.test",
        "x.example.test", "X.EXAMPLE.test.", "a.y.example.test", "test", "*.example.test", "example.test\0.evil.test", "ex ample.test",
        "example\u3002test", "a" * 64 + ".example.test", "-.example.test", "other.test"):
    print("not", repr(host), tries(host, 80))
for port in 22, 25, 2375, 8080, 1, 53, 65535:
    print("not", port, tries("example.test", port))'
	local said=$output
	run ! grep -E '^may .*( 403|Error)' <<<"$said"
	[ "$(grep -c '^may' <<<"$said")" = 5 ]
	run ! grep -E '^not .*200' <<<"$said"
	[ "$(grep -vciE '^80 (deep\.)?example\.test\.? ' "$NET/requests")" = 0 ]
	run ! grep -vE '^(deep\.)?example\.test ' "$NET/names"
}

@test "addresses of the machine, of private networks and of credentials, however they are written" {
	run -0 --separate-stderr ward_ run --net full -- python3 -c "$tries"'
for host in ("127.0.0.1", "2130706433", "0177.0.0.1", "0x7f.1", "127.1", "0", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1",
        "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::", "2002:a9fe:a9fe::", "2001:0:7f00:1::", "::ffff:0:7f00:1", "fe80::1", "fe80::1%lo", "ff02::1%lo", "::1%lo", "10.0.2.2", "10.0.2.15", "172.17.0.1", "192.168.0.1", "100.64.0.1",
        "100.100.100.200", "168.63.129.16", "169.254.169.254", "fd00:ec2::254", "fd00:5b::15", "224.0.0.1", "ff02::1", "255.255.255.255",
        "240.0.0.1", "93.184.216.1", "2606:2800:220:1::1", "11.1.2.3", "3ffe::1", "localhost", "host.docker.internal",
        "metadata.google.internal", "host-service"):
    for port in 80, 443, 7777, 53, 1:
        print(host, port, tries(host, port, 0.3))'
	run ! grep -E ' 200' <<<"$output"
	heard_nothing
	run ! grep -vE '^(host.docker.internal|metadata.google.internal) ' "$NET/names"
}

@test "a budget's rate holds both ways, and its connections at the same time" {
	local began ended
	began=$(date +%s%N)
	run -0 ward_ run --net full --set 'network.budget={"example.test": {rate: "1M"}}' -- sh -c '
		head -c 1000000 /dev/zero >up
		curl -sS http://example.test/big/2000000 | wc -c
		curl -sS -T up -X POST http://example.test:8080/
		curl -sS -T up -X POST http://example.test/'
	ended=$(date +%s%N)
	[ "${lines[0]}" = 2000000 ]
	# Three seconds' worth and a little at once.
	[ $((ended - began)) -gt 2500000000 ]
	run -0 --separate-stderr ward_ run --net limited --set 'network.budget={"example.test": {connections: 2}}' -- python3 -c '
import socket
held = []
for host in ["example.test", "example.test", "example.test", "other.test"]:
    s = socket.create_connection((host, 80))
    s.sendall(b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % host.encode())
    print(s.recv(12).decode())
    held.append(s)
held[0].close()
held[2].close()
for _ in range(100):
    s = socket.create_connection(("example.test", 80))
    s.sendall(b"GET / HTTP/1.1\r\nHost: example.test\r\n\r\n")
    answer = s.recv(12).decode()
    s.close()
    if answer == "HTTP/1.1 200": break
print(answer)'
	[ "${lines[*]}" = 'HTTP/1.1 200 HTTP/1.1 200 HTTP/1.1 403 HTTP/1.1 200 HTTP/1.1 200' ]
}

@test "names that are not allowed need not exist, and the made-up addresses may be others" {
	run -0 --separate-stderr ward_ run --allow example.test --set network.deniedNames=nxdomain -- sh -c '
		getent hosts other.test; echo $?; getent ahostsv4 example.test | head -1 | cut -d. -f1'
	[ "${lines[*]}" = '2 11' ]
	[[ $stderr == 'ward: network: refused other.test x'*"to permit: --allow 'other.test'" ]]
	run -0 ward_ run --allow example.test --set 'network.madeUp=["29.7.0.0/16", "2d00:7::/32"]' -- sh -c '
		getent ahostsv4 example.test | head -1 | cut -d. -f1,2; getent ahostsv6 example.test | head -1 | cut -d: -f1,2
		curl -sS http://example.test/'
	[ "${lines[0]} ${lines[1]}" = '29.7 2d00:7' ] && [ "${#lines[@]}" = 3 ]
	for bad in 127.0.0.0/8 10.0.0.0/8 11.0.0.0/4 11.0.0.0/30 224.0.0.0/8 ::/8 fd00::/16 fe80::/16; do
		run -125 ward_ run --set "network.madeUp=['$bad']" -- true
	done
}
