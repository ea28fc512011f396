#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# A hostile program against the guard, by what it can do with packets and protocols: source addresses, fragments, urgent
# data, resets in every state, names and requests that two readers could take for different ones. What the servers of the
# made-up internet heard decides.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"
# shellcheck source=internet.bash
. "$BATS_TEST_DIRNAME/internet.bash"

@test "a datagram from a borrowed address is not carried, and its answer does not go round" {
	: >"$NET/datagrams"
	run -0 --separate-stderr ward_ run --net full -- python3 -c '
import socket, time
def send(source, word):
    s = socket.socket(socket.AF_INET6 if ":" in source[0] else socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(3)
    if ":" in source[0]: s.setsockopt(socket.IPPROTO_IPV6, 78, 1) # IPV6_FREEBIND
    s.bind(source)
    s.sendto(word, ("2606:2800:220:1::34" if ":" in source[0] else "93.184.216.34", 9999))
    return s
own = send(("0.0.0.0", 0), b"plain")
print(own.recv(100))
# From the server itself, to the server itself: each answer would be the next question.
all = [send(("93.184.216.34", 9999), b"around"), send(("2606:2800:220:1::34", 9999), b"around")]
# From another one, whom the answer would reach.
all.append(send(("93.184.216.53", 4000), b"across"))
time.sleep(1)
own.sendto(b"last", ("93.184.216.34", 9999))
print(own.recv(100))'
	[ "$output" = $'b\'echo plain\'\nb\'echo last\'' ]
	[ "$(cat "$NET/datagrams")" = $'plain\nlast' ]
}

@test "a connection to an address stays with the host that its first request names" {
	run -0 ward_ run --json --net limited --set 'network.budget={"other.test": {down: 10}}' -- python3 -c '
import socket
def ask(hosts):
    s = socket.create_connection(("93.184.216.34", 80))
    s.settimeout(5)
    for host in hosts:
        try:
            s.sendall(b"GET /%s HTTP/1.1\r\nHost: %s\r\n\r\n" % (b"-".join(hosts), host))
            print(s.recv(4096).split(b"\r\n")[0])
        except OSError as e:
            print(type(e).__name__)
ask([b"example.test", b"example.test"])
ask([b"93.184.216.34", b"93.184.216.34"])
ask([b"example.test", b"other.test"])
ask([b"93.184.216.34", b"other.test"])
ask([b"example.test", b"93.184.216.34"])'
	[ "$(sort "$NET/requests" | uniq -c | awk '{print $1, $3, $5}')" = "$(sort -k2 <<-'END'
		2 93.184.216.34 /93.184.216.34-93.184.216.34
		1 93.184.216.34 /93.184.216.34-other.test
		1 example.test /example.test-93.184.216.34
		2 example.test /example.test-example.test
		1 example.test /example.test-other.test
	END
	)" ] || { cat "$NET/requests"; false; }
}

@test "datagrams in fragments are judged as a whole, and arrive as one" {
	: >"$NET/datagrams"
	local program='
import socket
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IPV6, 24, 1280) # IPV6_MTU
s.settimeout(5)
s.connect(("six.test", 9999))
try:
    s.send(b"f" * 20000)
    print(len(s.recv(65535)))
except OSError as e: print(type(e).__name__)'
	run -0 --separate-stderr ward_ run --allow six.test:9999 -- python3 -c "$program"
	[ "$output" = ConnectionRefusedError ]
	[ ! -s "$NET/datagrams" ]
	run -0 --separate-stderr ward_ run --net full -- python3 -c "$program"
	[ "$output" = 20005 ]
}

@test "urgent bytes change nothing in what was judged: the server gets what the guard has read" {
	run -0 --separate-stderr ward_ run --allow example.test -- python3 -c '
import socket
def ask(*parts):
    s = socket.create_connection(("example.test", 80))
    s.settimeout(10)
    for part in parts:
        if len(part) == 1: s.send(part, socket.MSG_OOB)
        else: s.sendall(part)
    try: return s.recv(4096).split(b"\r\n")[0].decode()
    except OSError as e: return type(e).__name__
print(ask(b"GET /whole HTTP/1.1\r\nHost: example", b"x", b".test\r\n\r\n"))
print(ask(b"GET /other HTTP/1.1\r\nHost: ", b"o", b"other.test\r\n\r\n"))
print(ask(b"GET /body HTTP/1.1\r\nHost: example.test\r\n\r", b"\n", b"GET /next HTTP/1.1\r\nHost: other.test\r\n\r\n"))
print(ask(b"GET /after HTTP/1.1\r\nHost: example.test\r\n\r\n"))'
	[ "${lines[0]} ${lines[3]}" = 'HTTP/1.1 200 OK HTTP/1.1 200 OK' ]
	[ "${lines[1]} ${lines[2]}" = 'HTTP/1.1 403 Forbidden HTTP/1.1 403 Forbidden' ]
	[ "$(cut -d' ' -f2- "$NET/requests")" = $'example.test GET /whole\nexample.test GET /after' ]
}

# The descriptors of the session's supervisor.
descriptors() {
	local pid
	pid=$(there "$WARD" list --json | json '[b["pid"] for b in d if b["workspace"] == "'"$PWD"'"][0]')
	there bash -c "ls /proc/$pid/fd | wc -l"
}

# until_settled COUNT: the supervisor has no more descriptors than that, and no connection is open
until_settled() {
	for ((n = 0; n < 150; n++)); do
		if [ "$(descriptors)" -le "$1" ] && ! there "$WARD" net show | grep -q ^open; then return 0; fi
		sleep 0.1
	done
	descriptors
	there "$WARD" net show
	return 1
}

@test "a reset in any state of a connection leaves nothing behind" {
	local before
	ward_ exec --net full -- curl -sS http://example.test/ >/dev/null
	before=$(descriptors)
	run -0 --separate-stderr ward_ exec --net full -- python3 -c '
import socket, ssl, struct, time
def hello(name):
    out = ssl.MemoryBIO()
    try: ssl._create_unverified_context().wrap_bio(ssl.MemoryBIO(), out, server_hostname=name).do_handshake()
    except ssl.SSLWantReadError: return out.read()
h, get = hello("example.test"), b"GET /big/3000000 HTTP/1.1\r\nHost: example.test\r\n\r\n"
wait = 0.02
cases = [("example.test", 80, b"", 0), ("example.test", 80, get[:9], wait), ("example.test", 80, get, 0), ("example.test", 80, get, wait),
    ("example.test", 443, h[:3], 0), ("example.test", 443, h[:99], wait), ("example.test", 443, h, 0), ("example.test", 443, h, wait),
    ("other.test", 443, h, 0), ("8.8.8.8", 53, b"\0\x20", wait), ("closed.test", 80, get.replace(b"example", b"closed"), 0),
    ("n%d.test", 80, b"GET / HTTP/1.1\r\nHost: n%d.test\r\n\r\n", 0), ("example.test", 8080, get, wait), ("93.184.216.34", 9000, b"x", 0)]
for i in range(40):
    for host, port, words, pause in cases:
        if "%" in host: host, words = host % i, words % i
        s = socket.create_connection((host, port))
        if words: s.sendall(words)
        time.sleep(pause)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s.close()
print("done")'
	[ "$output" = 'done' ]
	until_settled "$before"
	[ "$(ward_ exec --net full -- curl -sS http://example.test/)" = 'hello example.test /' ]
}

@test "connections that say nothing, too much or one byte at a time keep nobody else from anything" {
	local before
	ward_ exec --allow example.test -- curl -sS http://example.test/ >/dev/null
	before=$(descriptors)
	ward_ exec --allow example.test -- python3 -u -c '
import os, socket, time
for _ in range(4):
    if os.fork() == 0:
        held = []
        for i in range(800):
            s = socket.socket()
            s.setblocking(False)
            try: s.connect(("11.1.1.1" if i % 4 == 0 else socket.gethostbyname("example.test"), (80, 443, 53, 80)[i % 4]))
            except OSError: pass
            held.append(s)
        open("held%d" % os.getpid(), "w")
        while not os.path.exists("go"):
            for s in held[::20]:
                try: s.send(b"G")
                except OSError: pass
            time.sleep(0.1)
        os._exit(0)
s = socket.create_connection(("example.test", 80))
sent = 0
try:
    while sent < 1 << 30: sent += s.send(b"x" * 65536)
except OSError: pass
print("sent", sent >> 20)
for _ in range(4): os.wait()' >said 2>&1 3>&- &
	holder=$!
	for ((n = 0; n < 300; n++)); do
		[ "$(ls held* 2>/dev/null | wc -l)" != 4 ] || break
		sleep 0.1
	done
	[ "$n" -lt 300 ]
	# Another sandbox.
	run -0 ward_ run --allow example.test -- curl -sS http://example.test/meanwhile
	[ "$output" = 'hello example.test /meanwhile' ]
	touch go
	wait "$holder" || true
	[ "$(awk '/^sent/ {print $2}' said)" -lt 64 ]
	until_settled "$before"
	[ "$(ward_ exec --allow example.test -- curl -sS http://example.test/after)" = 'hello example.test /after' ]
}
