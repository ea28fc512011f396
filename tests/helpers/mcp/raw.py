# SPDX-License-Identifier: Apache-2.0
#
# raw.py SCENARIO [ward's arguments]: speaks to `ward mcp` byte by byte, as no proper client would. Exits with 1 and says
# why where something is not as it should be.
import json
import os
import random
import select
import signal
import subprocess
import sys
import time

WARD = os.environ["WARD"]


class Server:
    def __init__(self, *args, start=True):
        self.p = subprocess.Popen([WARD, "mcp", *sys.argv[2:], *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.rest = b""
        self.last = 0
        if start:
            self.start()

    def start(self):
        answer = self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "raw", "version": "1"})
        assert answer["result"]["protocolVersion"] == "2025-11-25", answer
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(self.p.stdin.fileno(), view[:65536]):]

    def send(self, message):
        self.write((message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n")

    def line(self):
        while b"\n" not in self.rest:
            assert select.select([self.p.stdout], [], [], 30)[0], "no answer"
            more = os.read(self.p.stdout.fileno(), 1 << 20)
            assert more, "the server has gone"
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def answer(self, ident):
        while True:
            message = self.line()
            if "method" not in message and message["id"] == ident:
                return message

    def ask(self, method, **params):
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        return self.answer(self.last)

    def call(self, tool, **arguments):
        return self.ask("tools/call", name=tool, arguments=arguments)

    def refused(self, message, code, ident=None, words=""):
        self.send(message)
        got = self.line()
        assert got.get("error", {}).get("code") == code and got["id"] == ident, (message[:200], got)
        assert words in got["error"]["message"], (message[:200], got)
        return got

    def alive(self):
        assert self.ask("ping")["result"] == {}

    def memory(self):
        with open(f"/proc/{self.p.pid}/status") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmRSS:"))

    def close(self):
        self.p.stdin.close()
        assert self.p.wait(30) == 0, self.p.returncode
        rest = self.rest + self.p.stdout.read()
        assert rest == b"", rest


def versions():
    for version in "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25":
        s = Server(start=False)
        got = s.ask("initialize", protocolVersion=version, capabilities={})["result"]
        assert got["protocolVersion"] == version, got
        structured = "structuredContent" in s.call("read", path="nothing")["result"]
        assert structured == (version >= "2025-06-18"), version
        s.close()
    for version in "1999-01-01", "2099-01-01", "", 5:
        s = Server(start=False)
        assert s.ask("initialize", protocolVersion=version, capabilities={})["result"]["protocolVersion"] == "2025-11-25"
        s.close()


def order():
    s = Server(start=False)
    s.alive()
    for method in "tools/list", "tools/call", "resources/list", "logging/setLevel":
        assert s.ask(method, name="exec", arguments={"command": "touch early"})["error"]["code"] == -32600
    assert s.ask("initialize")["error"]["code"] == -32602
    s.start()
    assert s.ask("initialize", protocolVersion="2025-06-18")["error"]["code"] == -32600
    assert not os.path.exists("early")
    s.close()


# What no JSON-RPC message may be, and what it is answered with.
def junk():
    s = Server()
    call = '"method":"tools/call","params":{"name":"exec","arguments":{"command":"touch ran"}}'
    for message in b"\x00\xff\xfe", b"{", b"nope", b'{"a":1,}', b"{'a':1}", b"\x1b[2J", b'{"a":01}', b'"\xff"', b'{"a":NaN}', b"//", \
            ('{"jsonrpc":"2.0","id":1,%s,}' % call).encode(), ('{"jsonrpc":"2.0","id":1,%s}}' % call).encode(), \
            ('{"jsonrpc":"2.0","id":1,"id":2,%s}' % call).encode(), \
            ('{"jsonrpc":"2.0","id":1,"\\u006dethod":"ping",%s}' % call).encode():
        s.refused(message, -32700)
    for message in b"[]", b"5", b'"x"', b"null", ('[{"jsonrpc":"2.0","id":1,%s}]' % call).encode(), b"{}", \
            ('{"id":1,%s}' % call).encode().replace(b'"id":1,', b""), b'{"jsonrpc":"2.0"}', \
            b'{"jsonrpc":"2.0","id":null,"method":"ping"}', b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', \
            b'{"jsonrpc":"2.0","id":"%s","method":"ping"}' % (b"x" * 300):
        s.refused(message, -32600)
    s.refused(b'{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7)
    s.refused(b'{"jsonrpc":"2.0","id":7,"method":5}', -32600, 7)
    s.refused(b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', -32602, 7)
    s.refused(b'{"jsonrpc":"2.0","id":7,"method":"no/such"}', -32601, 7, "no/such")
    s.refused(b'{"jsonrpc":"2.0","id":7,"method":"tools/call"}', -32602, 7)
    s.refused(b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"exec","arguments":[]}}', -32602, 7)
    s.refused(b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x"}}', -32602, 7)
    s.refused(b'{"jsonrpc":"2.0","id":7,"method":"logging/setLevel","params":{"level":"loud"}}', -32602, 7)
    # Nobody waits for an answer to these.
    for message in b'{"jsonrpc":"2.0","method":"no/such"}', b'{"jsonrpc":"2.0","id":99,"result":{}}', b"", b"\r", \
            b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}':
        s.send(message)
    for ident in b"0", b"-1", b"1.50", b"1e3", b"123456789012345678901234567890", b'"a\\u0062 \\"x\\""':
        s.send(b'{"jsonrpc":"2.0","id":%s,"method":"ping"}' % ident)
        while b"\n" not in s.rest:
            s.rest += os.read(s.p.stdout.fileno(), 65536)
        line, s.rest = s.rest.split(b"\n", 1)
        want = b'"ab \\"x\\""' if ident.startswith(b'"') else ident
        assert b'"id":%s,' % want in line, (ident, line)
    assert not os.path.exists("ran")
    s.close()


def is_json(data):
    """By another reader, which is told what we take besides: no name twice, no NUL, no half of a pair."""
    def names(pairs):
        assert len(dict(pairs)) == len(pairs)
        for k, _ in pairs:
            text(k)
        return dict(pairs)

    def text(s):
        assert "\0" not in s
        s.encode()

    def walk(v):
        if isinstance(v, str):
            text(v)
        for x in v.values() if isinstance(v, dict) else v if isinstance(v, list) else ():
            walk(x)

    try:
        walk(json.loads(data.decode(), object_pairs_hook=names, parse_constant=int))
        return True
    except (ValueError, AssertionError):
        return False


# Good JSON and what came of it when some bytes were changed: taken and refused as by another reader, twice the same.
def grammar():
    values = [b"[]", b"[ ]", b'[""]', b"[[]   ]", b"[false]", b"[null, 1, \"1\", {}]", b"[1 ]", b"[1,null,null,null,2]", b"123e65",
              b"0e+1", b"0e1", b"[ 4]", b"-0.000000000000000000000000000000001", b"20e1", b"-0", b"1E22", b"1E-2", b"1E+2",
              b"123.456e78", b'{"a":"b","c":"d"}', b'{"":0}', b'{"foo\\u0062ar": 42}', b'{"min": -1.0e+28, "max": 1.0e+28}',
              b'"\\u0060\\u012a\\u12AB"', b'"\\uD801\\udc37"', b'"\\"\\\\\\/\\b\\f\\n\\r\\t"', b'"a/*b*/c/*d//e"', b'"\\\\a"', b'"\x7f"',
              "\u20ac\U0001d11e\uffff".encode().join([b'"', b'"']), b'"\\uFFFE\\uFDD0"', b'" "', b"true", b"null",
              b'[[[[["a", {"b": [{"c": -1.5e-7}]}]]]]]']
    spare = [bytes([i]) for i in range(256) if i != 10] + [b'"', b"\\", b"\\u", b"\\u0000", b"\\uD800", b",", b":", b"[", b"]", b"{", b"}", b"0",
                                                          b"-", b"+", b".", b"e", b"NaN", b"//", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\xaf", b'"x":1,']
    chance = random.Random(1)
    head, tail = b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":', b',"y":1}}'
    tried = [head + v + tail for v in values]
    assert all(map(is_json, tried))
    for _ in range(4000):
        v = chance.choice(values)
        for _ in range(chance.randrange(1, 3)):
            at = chance.randrange(len(v) + 1)
            v = v[:at] + chance.choice(spare) * chance.randrange(2) + v[at + chance.randrange(2):]
        tried.append(head + v + tail)
    s = Server()
    taken = 0
    for message in tried:
        answers = []
        for _ in range(2):
            s.send(message)
            answers.append(s.line())
        assert answers[0] == answers[1], (message, answers)
        refused = answers[0].get("error", {}).get("code") == -32700
        assert refused != is_json(message), (message, answers[0])
        taken += not refused
    assert len(tried) / 10 < taken < len(tried) * 9 / 10, taken
    s.close()


# Texts that C would cut or misread: refused with the member's name, and nothing runs.
def texts():
    s = Server()
    head = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"exec","arguments":{"argv":["touch","a%s"]}}}'
    for bad in b"\\u0000b", b"\\ud800", b"\\udc00\\ud800", b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\x00b", b"\x01":
        s.refused(head % bad, -32700, None, "params.arguments.argv[1]")
    s.refused(head.replace(b'"a%s"', b'"a"').replace(b'"name"', b'"na\\u006de":"read","name"'), -32700, None, "duplicate key 'name'")
    assert os.listdir(".") == [], os.listdir(".")
    assert s.call("exec", argv=["touch", "\ufffd"])["result"]["isError"] is False
    assert os.listdir(".") == ["\ufffd"]
    s.close()


def large():
    s = Server()
    before = s.memory()
    for text in b"[" * 100000, b'{"a":' * 100000, b'[{"a":' * 50000, b"[" + b"0," * 1000000 + b"0]", \
            b"{" + b",".join(b'"%d":0' % i for i in range(1000000)) + b"}":
        s.refused(text, -32700)
    s.refused(b'{"jsonrpc":"2.0","id":' + b"1" * 100000 + b',"method":"ping"}', -32600)
    s.refused(b"x" * ((16 << 20) + 1), -32600, None, "16 MiB")
    # Longer than any buffer, without an end: answered once, then dropped.
    for _ in range(300):
        s.write(b"y" * (1 << 20))
    got = s.line()
    assert got["error"]["code"] == -32600 and "16 MiB" in got["error"]["message"], got
    s.send(b"")
    s.alive()
    ten = "z" * (10 << 20)
    got = s.call("write", path="ten", content=ten)
    assert got["result"]["isError"] is False, str(got)[:300]
    assert os.path.getsize("ten") == 10 << 20
    s.alive()
    grown = s.memory() - before
    assert os.environ.get("SANITIZED") or grown < 8192, f"{grown} KiB more"
    s.close()


# A client that sends and sends, and does not read: 200 answers of 1 MiB each wait for it somewhere, but not in memory.
def deaf():
    s = Server()
    s.call("write", path="big", content="x" * (512 << 10))
    for i in range(200):
        s.send({"jsonrpc": "2.0", "id": f"d{i}", "method": "tools/call", "params": {"name": "read", "arguments": {"path": "big"}}})
    peak = 0
    for _ in range(50):
        time.sleep(0.02)
        peak = max(peak, s.memory())
    assert os.environ.get("SANITIZED") or peak < 120 << 10, f"{peak} KiB"
    seen = [s.line()["id"] for _ in range(200)]
    assert sorted(seen) == sorted(f"d{i}" for i in range(200))
    s.alive()
    s.close()


# Every request in two pieces, cut at each byte; each is carried out once.
def pieces():
    s = Server()
    message = json.dumps({"jsonrpc": "2.0", "id": "p", "method": "tools/call",
                          "params": {"name": "exec", "arguments": {"command": "echo x >>count"}}}).encode() + b"\n"
    for cut in range(1, len(message)):
        s.write(message[:cut])
        time.sleep(0.0002)
        s.write(message[cut:])
        assert s.answer("p")["result"]["isError"] is False
    assert os.path.getsize("count") == 2 * (len(message) - 1)
    s.close()
    # The end of the stream in the middle of a message is not the end of a message.
    before = os.path.getsize("count")
    for cut in range(1, len(message), 7):
        s = Server()
        s.write(message[:cut])
        s.close()
    assert os.path.getsize("count") == before


# Ends with everything it started, however it is told to.
def ends():
    word = f"888.{os.getpid()}"
    for how in "eof", signal.SIGTERM, signal.SIGINT, signal.SIGHUP, "closed":
        s = Server()
        s.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call",
                "params": {"name": "exec", "arguments": {"command": f"touch begun; sleep {word}"}}})
        while not os.path.exists("begun"):
            time.sleep(0.02)
        os.unlink("begun")
        if how == "eof":
            s.p.stdin.close()
        elif how == "closed":
            s.p.stdout.close()
            s.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        else:
            s.p.send_signal(how)
        assert s.p.wait(30) == 0, (how, s.p.returncode)
        for _ in range(100):
            left = subprocess.run(["grep", "-lsF", word, *(f"/proc/{p}/cmdline" for p in os.listdir("/proc") if p.isdigit() and int(p) != os.getpid())],
                                  stdout=subprocess.PIPE).stdout
            if not left:
                break
            time.sleep(0.05)
        assert not left, (how, left)


# More calls at once than can run, and than can wait.
def busy():
    s = Server()
    for i in range(400):
        s.send({"jsonrpc": "2.0", "id": f"b{i}", "method": "tools/call", "params": {"name": "exec", "arguments": {"command": "sleep 60"}}})
    refused = [s.line() for _ in range(80)]
    assert all(r.get("error", {}).get("code") == -32000 for r in refused), refused[0]
    s.send({"jsonrpc": "2.0", "id": "b0", "method": "ping"})
    s.alive()
    for i in range(400):
        s.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": f"b{i}"}})
    s.alive()
    assert s.call("exec", command="echo free")["result"]["structuredContent"]["stdout"] == "free\n"
    s.close()


globals()[sys.argv[1]]()
