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

supervisor() {
	there "$WARD" list --json | json '[b["pid"] for b in d if b.get("workspace") == "'"$PWD"'"][0]'
}

# The descriptors of the session's supervisor.
descriptors() {
	there bash -c "ls /proc/$(supervisor)/fd | wc -l"
}

# rests: it does not go round where nothing is to be done; a second has 100 ticks.
rests() {
	local before after pid
	pid=$(supervisor)
	before=$(awk '{print $14 + $15}' "/proc/$pid/stat")
	sleep 1
	after=$(awk '{print $14 + $15}' "/proc/$pid/stat")
	echo "$((after - before)) ticks"
	[ $((after - before)) -lt 30 ]
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
	rests
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
		[ "$(compgen -G 'held*' | wc -l)" != 4 ] || break
		sleep 0.1
	done
	[ "$n" -lt 300 ]
	rests
	# Another sandbox.
	run -0 ward_ run --allow example.test -- curl -sS http://example.test/meanwhile
	[ "$output" = 'hello example.test /meanwhile' ]
	touch go
	wait "$holder" || true
	[ "$(awk '/^sent/ {print $2}' said)" -lt 64 ]
	until_settled "$before"
	[ "$(ward_ exec --allow example.test -- curl -sS http://example.test/after)" = 'hello example.test /after' ]
}

# raw: what a name server, a TLS server and a web server are sent, byte by byte
raw='import socket, ssl, struct
def say(host, port, words, pieces=None):
    try:
        s = socket.create_connection((host, port))
        s.settimeout(10)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i in range(0, len(words), pieces or len(words)): s.sendall(words[i:i + (pieces or len(words))])
        s.shutdown(socket.SHUT_WR)
        said = b""
        while more := s.recv(65536): said += more
        return said
    except OSError as e: return type(e).__name__.encode()
def hello(name=b"example.test"):
    """With that name, whatever it is, in place of one as long."""
    out, usual = ssl.MemoryBIO(), b"a" * (len(name) - 5) + b".test"
    try: ssl._create_unverified_context().wrap_bio(ssl.MemoryBIO(), out, server_hostname=usual.decode()).do_handshake()
    except ssl.SSLWantReadError: pass
    return out.read().replace(usual, name)
def records(message, size):
    """The same handshake message in records of that size."""
    body = message[5:]
    return b"".join(message[:3] + struct.pack(">H", len(body[i:i + size])) + body[i:i + size] for i in range(0, len(body), size))
'

@test "a hello in the smallest records and pieces is one hello: its name decides" {
	run -0 --separate-stderr ward_ run --allow example.test -- python3 -c "$raw"'
for name in b"example.test", b"exAMPle.teST", b"example.test.":
    for size in 1, 7, 16384:
        for pieces in 1, None:
            # The server goes on with its own hello (22), or says that it is not content with ours.
            print("may", say("example.test", 443, records(hello(name), size), pieces)[:1] == b"\x16")'
	[ "$(sort -u <<<"$output")" = 'may True' ] && [ "${#lines[@]}" = 18 ]
	[ "$(wc -l <"$NET/connections")" = 18 ]
	quiet
	run -0 --separate-stderr ward_ run --allow example.test -- python3 -c "$raw"'
h = hello()
names = [b"other.test", b"example.test\0.other.test", b"other.test\0.example.test", b"example.test..", b".example.test", b"example.test:443",
    b"example.test@other.test", b"example.test other.test", b"example\xe3\x80\x82test", b"*.example.test", b"93.184.216.34", b"[::ffff:5db8:d822]"]
for words in [hello(n) for n in names] + [
        records(hello(b"other.test"), 1),
        h[:5] + b"\0" + h[6:], # not a hello
        h[:9] + b"\x02\0" + h[11:], # an old version
        b"\x16\x03\x01\0\0" * 9 + h, # records without content
        h[:6] + b"\xff\xff\xff" + h[9:], # without end
        b"\x80\x2e\x01\x03\x01" + b"\0" * 43, # SSL 2
        h[:3] + struct.pack(">H", len(h) - 5 + 4) + h[5:] + b"\x01\0\0\0", # two messages in a record
        b"\x14\x03\x03\0\x01\x01" + h, b"\x15\x03\x03\0\x02\x01\0" + h, b"\x17\x03\x03\0\x01\0" + h,
        b"GET / HTTP/1.1\r\nHost: example.test\r\n\r\n", b"\x05\x01\0", b"SSH-2.0-x\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\0" * 5000]:
    for pieces in None, 3:
        print(say("example.test", 443, words, pieces)[:5].hex())
print(say("example.test", 80, h)[:12].decode())'
	# An alert (21), or a reset; never an answer.
	run ! grep -vE '^(1503030002|436f6e6e65|)$|^HTTP/1.1 403$' <<<"$output"
	heard_nothing
}

# smuggled HEAD...: a request that is well formed to somebody, with one for another host in it or behind it
@test "requests that two servers could read differently reach none" {
	run -0 --separate-stderr ward_ run --allow example.test -- python3 -c "$raw"'
inner = b"GET /inner HTTP/1.1\r\nHost: other.test\r\n\r\n"
size = len(inner)
def post(*fields, body=inner): return b"POST /outer HTTP/1.1\r\nHost: example.test\r\n" + b"".join(f + b"\r\n" for f in fields) + b"\r\n" + body
chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (size, inner)
print("control", say("example.test", 80, post(b"Content-Length: %d" % size, b"Connection: close"))[:12])
shapes = [post(*f, body=body) for body in (inner, chunk, b"0\r\n\r\n" + inner) for f in (
    [b"Content-Length: %d" % len(body), b"Transfer-Encoding: chunked"], [b"Transfer-Encoding: chunked", b"Content-Length: 4"],
    [b"Transfer-Encoding: xchunked"], [b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity"], [b"Transfer-Encoding: chunked, identity"],
    [b"Transfer-Encoding: \x0bchunked"], [b"Transfer-Encoding : chunked"], [b" Transfer-Encoding: chunked"], [b"X: y\r\n Transfer-Encoding: chunked"],
    [b"Transfer-Encoding:\r\n chunked"], [b"Transfer-Encoding: CHUNKED"], [b"Transfer-Encoding: chunked;q=1"], [b"Transfer_Encoding: chunked", b"Content-Length: 0"],
    [b"Content-Length: %d" % size, b"Content-Length: 0"], [b"Content-Length: 0, %d" % size], [b"Content-Length: +%d" % size], [b"Content-Length: -1"],
    [b"Content-Length: 0x2a"], [b"Content-Length: 00"], [b"Content-Length: 0 5"], [b"Content-Length:"], [b"Content-Length: 99999999999999999999"],
    [b"Content-Length\0: 0"], [b"Content_Length: %d" % size], [b"Connection: content-length", b"Content-Length: 0"], [b"Connection: Host"],
    [b"Expect: 100-continue, x", b"Content-Length: 0"], [b"X: a\rContent-Length: 0"], [b"X: a\nContent-Length: 0"], [b"X: a\0b"], [b"no colon"], [b": x"],
    [b"Host: other.test"], [b"hOsT: example.test"], [b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABk"], [b"Upgrade: TLS/1.0"], [b"Upgrade: websocket, h2c"],
    [b"Upgrade: SPDY/3.1"], [b"Upgrade: websocket", b"Content-Length: %d" % size])]
def line(first, *more): return first + b"\r\n" + b"".join(m + b"\r\n" for m in more) + b"\r\n" + inner
host = b"Host: example.test"
shapes += [line(first, host) for first in (
    b"GET http://other.test/ HTTP/1.1", b"GET https://example.test/ HTTP/1.1", b"GET http://example.test@other.test/ HTTP/1.1",
    b"GET http://other.test\\@example.test/ HTTP/1.1", b"GET http://other.test#@example.test/ HTTP/1.1", b"GET http://other.test?@example.test/ HTTP/1.1",
    b"GET http:/other.test HTTP/1.1", b"GET http:///other.test HTTP/1.1", b"GET http://unix:/run/x.sock HTTP/1.1", b"GET other.test HTTP/1.1",
    b"GET /a b HTTP/1.1", b"GET /%s HTTP/1.1" % b"\xff", b"GET /# HTTP/1.1", b"GET\t/ HTTP/1.1", b"GET  / HTTP/1.1", b"GET / HTTP/1.1 ", b"GET / http/1.1",
    b"GET / HTTP/1.10", b"GET / HTTP/2.0", b"GET / HTTP/0.9", b"GET /", b"CONNECT other.test:443 HTTP/1.1", b"CONNECT example.test:80 HTTP/1.1",
    b"connect 127.0.0.1:7777 HTTP/1.1", b"PRI * HTTP/2.0", b"GET * HTTP/1.1", b"\r\n\r\nGET / HTTP/1.1", b"G\0T / HTTP/1.1", b"M" * 40000 + b" / HTTP/1.1")]
shapes += [line(b"GET / HTTP/1.1", b"Host: " + h) for h in (
    b"other.test", b"example.test:8080", b"example.test:", b"example.test:080", b"example.test:80:80", b"user@example.test", b"example.test, other.test",
    b"example.test other.test", b"example.test/", b"example.test\0", b"example.test\0.other.test", b"example.test..", b"example.test%2eother.test", b"",
    b"[example.test]", b"93.184.216.34", b"2130706433", b"xn--", b"example\xe3\x80\x82test", b"a" * 254, b"\texample.test\x0b")]
shapes += [line(b"GET / HTTP/1.1"), line(b"GET / HTTP/1.0"), line(b"GET / HTTP/1.1", host, *[b"A: b"] * 200), line(b"GET / HTTP/1.1", host, b"A: " + b"b" * 70000),
    line(b"get / HTTP/1.1", host, b"Content-Length: %d" % size), line(b"HEAD / HTTP/1.1", host, b"Content-Length: %d" % size),
    b"\x05\x02\0\x02", b"\x04\x01\0\x50\0\0\0\x01x\0other.test\0"]
for words in shapes:
    for pieces in None, 5 if len(words) < 4000 else 4096:
        print(say("example.test", 80, words, pieces)[:12])'
	[ "${lines[0]}" = "control b'HTTP/1.1 200'" ]
	[ "${#lines[@]}" -gt 300 ]
	[ "$(cat "$NET/requests")" = '80 example.test POST /outer' ] # the control
	run ! grep -v '^example.test ' "$NET/names"
	[ ! -s "$NET/service" ]
}

@test "every request of a connection is judged, however many come at once" {
	run -0 --separate-stderr ward_ run --allow example.test -- python3 -c "$raw"'
def get(path, host=b"example.test", method=b"GET"): return b"%s %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (method, path, host)
all = b"".join(get(b"/p%d" % i) for i in range(1000))
print(say("example.test", 80, all).count(b"HTTP/1.1 200"))
for last in get(b"/x", b"other.test"), get(b"other.test:443", b"other.test", b"CONNECT"), get(b"http://other.test/"), get(b"/x").replace(b"\r\n", b"\n"):
    said = say("example.test", 80, get(b"/before") + last + get(b"/behind"))
    print(said.count(b"HTTP/1.1 200") <= 1)'
	[ "${lines[*]}" = '1000 True True True True' ]
	run ! grep -E 'other|/x|/behind' "$NET/requests" "$NET/names"
	[ "$(grep -c ' GET /p[0-9]*$' "$NET/requests")" = 1000 ]
}

@test "another protocol: with the server's consent, to the allowed server only" {
	: >"$NET/switched"
	run -0 --separate-stderr ward_ run --allow example.test -- python3 -c '
import socket, ssl
def talk(host, port, path=b"/socket", upgrade=b"websocket"):
    s = socket.create_connection((host, port))
    s.settimeout(10)
    try:
        if port == 443: s = ssl._create_unverified_context().wrap_socket(s, server_hostname=host)
        s.sendall(b"GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n" % (path, host.encode(), upgrade))
        first = s.recv(4096).split(b" ")[1].decode()
    except OSError as e: return type(e).__name__
    try:
        s.sendall(b"GET /x HTTP/1.1\r\nHost: other.test\r\n\r\n")
        return first, s.recv(4096)[:6]
    except OSError as e: return first, type(e).__name__
print(talk("example.test", 80), talk("example.test", 443))
print(talk("other.test", 80)[0], talk("other.test", 443))
print(talk("example.test", 80, upgrade=b"h2c")[0], talk("example.test", 80, path=b"/plain")[0])'
	[ "${lines[0]}" = "('101', b'GET /x') ('101', b'GET /x')" ]
	[[ ${lines[1]} == '403 SSL'* ]]
	[ "${lines[2]}" = '403 200' ]
	[ "$(grep -c '^GET /x' "$NET/switched")" = 2 ]
	# Without it, what follows is a request like any other.
	run ! grep -E ' /x$|other.test' "$NET/requests" "$NET/names"
}

@test "a redirection is the program's to follow, and judged as its own wish" {
	run -0 --separate-stderr ward_ run --allow example.test -- curl -sSL http://example.test/elsewhere
	[[ $output == *'no rule of the allow list'* ]]
	[ "$(cat "$NET/requests")" = '80 example.test GET /elsewhere' ]
	run ! grep other.test "$NET/names"
	run -0 --separate-stderr ward_ run --allow example.test --allow other.test -- curl -sSL http://example.test/elsewhere
	[ "$output" = 'hello other.test /from-there' ]
}

@test "questions that are none, and names that only look like an allowed one, are answered here and nowhere else" {
	run -0 --separate-stderr ward_ run --allow example.test --set network.deniedNames=nxdomain -- python3 -c '
import socket, struct
def name(*labels): return b"".join(bytes([len(x)]) + x for x in labels) + b"\0"
def ask(n, kind=1, head=b"\x01\0\0\x01" + b"\0" * 6, klass=1, more=b""): return b"\x12\x34" + head + n + struct.pack(">HH", kind, klass) + more
good = name(b"example", b"test")
odd = [ask(n) for n in (name(b"example.test"), name(b"example\0", b"test"), name(b"example", b"test\0", b"other", b"test"), name(b"other.test", b"example", b"test"),
        name(b"evilexample", b"test"), name(b"s3cret", b"attacker", b"test"), name(b"s3cret", b"example", b"test"), name(*[b"a" * 63] * 3, b"example", b"test"),
        b"\xc0\x0c", b"\x07example\xc0\x0c", b"\x40example\x04test\0", b"\x07example\x04test", b"\x3f", b"", name(b"a" * 63, b"a" * 63, b"a" * 63, b"a" * 63),
        name(b"127", b"0", b"0", b"1"), name(b"0x7f", b"1"), name(b"\xe4", b"test"), name(b"*", b"example", b"test"))]
odd += [ask(good, kind) for kind in (0, 2, 5, 6, 10, 12, 15, 16, 33, 64, 65, 251, 252, 255, 65535)]
odd += [ask(good, klass=c) for c in (0, 3, 4, 254, 255)]
odd += [ask(good, head=h) for h in (b"\x01\0\0\0" + b"\0" * 6, b"\x01\0\0\x02" + b"\0" * 6, b"\x81\0\0\x01" + b"\0" * 6, b"\x29\0\0\x01" + b"\0" * 6,
        b"\x01\0\0\x01\0\x01\0\0\0\0", b"\x01\0\0\x01\0\0\0\x01\0\0", b"\x01\0\0\x01\0\0\0\0\xff\xff")]
opt = b"\0\0\x29\x10\0\0\0\0\0"
odd += [ask(good, head=b"\x01\0\0\x01\0\0\0\0\0\x01", more=m) for m in (opt + b"\0\x04", opt + b"\xff\xff", opt + b"\0\x04\0\x08\0\x09", b"\0\0\x29\x10\0\0\x05\0\0\0\0", opt + b"\0\0" + opt)]
odd += [b"", b"\0", b"\x12\x34", b"\xff" * 512, b"\0" * 4096, b"\x12\x34\x01\0\0\x01" + b"\0" * 6 + good + b"\0\x01\0\x01" + b"x" * 4000]
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(10)
s.connect(("93.184.216.53", 53))
records = 0
for question in odd:
    s.send(question)
    s.send(b"\x77\x77" + ask(good)[2:])
    while True:
        answer = s.recv(4096)
        if answer[:2] == b"\x77\x77": break
        records += struct.unpack(">H", answer[6:8])[0]
    if answer[6:8] != b"\0\x01": print("no answer behind", question[:40])
    t = socket.create_connection(("93.184.216.53", 53))
    t.sendall(struct.pack(">H", len(question)) + question)
    t.close()
print(len(odd), records)'
	[ "$output" = '57 0' ]
	[ ! -s "$NET/names" ]
	heard_nothing
	run -0 ward_ run --allow example.test -- curl -sS http://example.test/
	grep -q '^example.test ' "$NET/names"
}
