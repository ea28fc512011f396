#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""parity.py FOLDER SETTING...: the same requests through every entrance: the command line, MCP, and libward.

Each entrance has a workspace of its own that begins with the same files, and a log of its own. What came of every
request must be the same, as must the files and the records; but for times, numbers, and the name of the entrance.
Prints what differs, and how many requests were compared.
"""
import json
import os
import select
import subprocess
import sys

WARD, HELPERS = os.environ["WARD"], os.environ["HELPERS"]
top, settings = sys.argv[1], sys.argv[2:]
secret = os.path.join(top, "secret")

# Of results and records: differs from one time to the next, or says who asks.
ALWAYS = {"durationMs", "usage", "sandbox", "ageMs"}
RECORDS = ALWAYS | {"seq", "prev", "time", "sinceBootUs", "pid", "entrance", "begin", "policy"}

# Forms of a path that leads out of the workspace; all must be refused or name nothing.
OUTSIDE = ["../secret", "/workspace/../secret", "/workspace//..//secret", "a/../../secret", "./.././secret", "%2e%2e/secret",
           "..\\secret", "file://" + secret, "@" + secret, "~/secret", "$HOME/secret", secret, "/etc/passwd", "link",
           "linkdir/secret", "/proc/self/environ", "hard"]

REQUESTS = [
    ("exec", {"command": "echo out; echo err >&2"}),
    ("exec", {"argv": ["printf", "%s|", "a b", "", "\u00e4"]}),
    ("exec", {"command": "exit 3"}),
    ("exec", {"command": "kill -9 $$"}),
    ("exec", {"command": "printf '\\377\\000'"}),
    ("exec", {"argv": ["/no/such/program"]}),
    ("exec", {"command": "echo begun; sleep 1000", "timeoutMs": 300}),
    ("exec", {"command": "true", "timeoutMs": 10 ** 9}),
    ("exec", {"argv": ["cat"], "stdin": "in\n"}),
    ("exec", {"command": "pwd", "cwd": "a"}),
    ("exec", {"command": "pwd", "cwd": "none"}),
    ("exec", {"command": "echo $X", "env": {"X": "y"}}),
    ("exec", {"command": "echo x >.git/config"}),
    ("exec", {"command": "cat " + secret}),
    ("exec", {"command": "a", "argv": ["b"]}),
    ("exec", {}),
    ("exec", {"comand": "true"}),
    ("exec", {"command": 7}),
    ("bash", {"command": "echo by another name"}),
    ("read", {"path": "a/text"}),
    ("read", {"path": "a/text", "line": 2, "lines": 1}),
    ("read", {"path": "a/text", "offset": 1, "bytes": 2}),
    ("read", {"path": "a/text", "line": 1, "bytes": 2}),
    ("read", {"path": "bytes"}),
    ("read", {"path": "bytes", "encoding": "base64"}),
    ("read", {"path": "..file.txt"}),
    ("read", {"path": "none"}),
    ("read", {"path": "a"}),
    ("read", {"path": ""}),
    ("read", {}),
    ("read", {"path": "a/text", "encoding": "latin1"}),
    *[("read", {"path": p}) for p in OUTSIDE],
    ("write", {"path": "new", "content": "one\ntwo\n"}),
    ("write", {"path": "new", "content": "again", "createOnly": True}),
    ("write", {"path": "deep/er/new", "content": "x"}),
    ("write", {"path": "deep/er/new", "content": "x", "makeParents": True}),
    ("write", {"path": "new64", "content": "AAH/", "encoding": "base64"}),
    ("write", {"path": "new64", "content": "!", "encoding": "base64"}),
    ("write", {"path": ".git/config", "content": "x"}),
    ("write", {"path": ".git/hooks/pre-commit", "content": "x"}),
    *[("write", {"path": p, "content": "overwritten"}) for p in OUTSIDE if not p.startswith(("@", "~", "$", "%", "file:"))],
    ("edit", {"path": "new", "oldText": "two", "newText": "2"}),
    ("edit", {"path": "new", "oldText": "two", "newText": "2"}),
    ("edit", {"path": "a/text", "oldText": "line", "newText": "row"}),
    ("edit", {"path": "a/text", "oldText": "line", "newText": "row", "all": True}),
    ("edit", {"path": "../secret", "oldText": "s", "newText": "t"}),
    ("edit", {"path": ".git/config", "oldText": "c", "newText": "t"}),
    ("list", {}),
    ("list", {"path": "a", "depth": 3}),
    ("list", {"path": ".."}),
    ("list", {"path": "none"}),
    ("search", {"pattern": "row"}),
    ("search", {"pattern": "r.w", "regex": True, "names": "t*"}),
    ("search", {"pattern": "(", "regex": True}),
    ("search", {"names": "*.txt"}),
    ("search", {"pattern": "canary", "path": ".."}),
    ("apply_patch", {"patch": "--- a/new\n+++ b/new\n@@ -1,2 +1,2 @@\n one\n-2\n+zwei\n"}),
    ("apply_patch", {"patch": "--- a/new\n+++ b/new\n@@ -1,2 +1,2 @@\n one\n-2\n+zwei\n"}),
    ("apply_patch", {"patch": "*** Begin Patch\n*** Add File: added\n+text\n*** End Patch\n"}),
    ("apply_patch", {"patch": "*** Begin Patch\n*** Add File: ../added\n+text\n*** End Patch\n"}),
    ("apply_patch", {"patch": "*** Begin Patch\n*** Delete File: ../secret\n*** End Patch\n"}),
    ("apply_patch", {"patch": "nonsense"}),
    ("process", {"action": "list"}),
    ("process", {"action": "output"}),
    ("process", {"action": "output", "id": 77}),
    ("process", {"action": "dance"}),
    ("session_status", {}),
    ("no_such_tool", {}),
    ("browser", {"url": "x"}),
    ("", {}),
]


def make(name):
    """A workspace, and beside it what must not be reached."""
    folder = os.path.join(top, name, "w")
    for part in "a", ".git/hooks":
        os.makedirs(os.path.join(folder, part))
    for path, data in (("a/text", b"line one\nline two\nline three\n"), ("bytes", b"\xff\x00\x01"), ("..file.txt", b"dots\n"),
                       (".git/config", b"[core]\n"), ("../secret", b"canary\n")):
        with open(os.path.join(folder, path), "wb") as f:
            f.write(data)
    os.symlink("../secret", os.path.join(folder, "link"))
    os.symlink("..", os.path.join(folder, "linkdir"))
    os.link(os.path.join(folder, "../secret"), os.path.join(folder, "hard"))
    return folder


def options(name):
    return ["audit.path=" + os.path.join(top, name, "audit"), *settings]


def by_command_line(folder):
    sets = [word for s in options("cli") for word in ("--set", s)]
    for tool, arguments in REQUESTS:
        done = subprocess.run([WARD, "tools", "call", "--json", *sets, tool, "-"], input=json.dumps(arguments).encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, check=False)
        if done.returncode == 126:
            yield "no tool"
        else:
            assert done.returncode in (0, 1), (tool, arguments, done)
            yield {"failed": done.returncode == 1, "answer": json.loads(done.stdout)}


def by_mcp(folder):
    sets = [word for s in options("mcp") for word in ("--set", s)]
    with subprocess.Popen([WARD, "mcp", *sets], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder) as p:
        def ask(number, method, params):
            p.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
            p.stdin.flush()
            while True:
                assert select.select([p.stdout], [], [], 60)[0], "no answer"
                message = json.loads(p.stdout.readline())
                if message.get("id") == number:
                    return message

        ask(0, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})
        for number, (tool, arguments) in enumerate(REQUESTS, 1):
            message = ask(number, "tools/call", {"name": tool, "arguments": arguments})
            if "error" in message:
                assert message["error"]["code"] == -32602, message
                yield "no tool"
            else:
                r = message["result"]
                yield {"failed": r["isError"], "answer": r["structuredContent"]}
        p.stdin.close()
        assert p.wait(60) == 0


def by_library(folder):
    lines = "".join("%s\t%s\n" % (tool, json.dumps(arguments)) for tool, arguments in REQUESTS)
    done = subprocess.run([os.path.join(HELPERS, "libtest"), "calls", *options("lib")], input=lines.encode(),
                          stdout=subprocess.PIPE, cwd=folder, check=True)
    rest = done.stdout
    for _ in REQUESTS:
        head, rest = rest.split(b"\n", 1)
        error, failed, size = head.decode().split()
        answer, rest = rest[:int(size)], rest[int(size):]
        if error == "not-found" and not answer:
            yield "no tool"
        else:
            assert (error != "done") == ('"error"' in answer.decode() and failed == "1"), (head, answer)
            yield {"failed": failed == "1", "answer": json.loads(answer)}


def strip(value, keys):
    if isinstance(value, dict):
        return {k: strip(v, keys) for k, v in value.items() if k not in keys}
    if isinstance(value, list):
        return [strip(v, keys) for v in value]
    return value


def records(name):
    with open(os.path.join(top, name, "audit", "log"), encoding="utf-8") as f:
        found = [json.loads(line) for line in f.read().rstrip("\0").splitlines() if line.strip()]
    found = [r for r in found if r.get("event") in ("begin", "deny", "end")]
    entrances = {r["entrance"] for r in found if "entrance" in r}
    assert entrances == {{"cli": "cli", "mcp": "mcp", "lib": "library"}[name]}, entrances
    return [strip(r, RECORDS) for r in found]


def files(folder):
    found = {}
    for at, _, names in os.walk(folder):
        for n in names:
            path = os.path.join(at, n)
            with open(path, "rb") as f:
                found[os.path.relpath(path, folder)] = (os.lstat(path).st_mode, f.read())
    return found


def same_for_all(text, name):
    """Texts that hold a path of this entrance's own."""
    return json.loads(json.dumps(text).replace(os.path.join(top, name), "TOP"))


bad = 0


def compare(what, **all_of_them):
    global bad
    values = [json.dumps(v, sort_keys=True, default=repr) for v in all_of_them.values()]
    if len(set(values)) == 1:
        return
    bad += 1
    print(what, "differs:")
    for name, value in zip(all_of_them, values):
        print("  %s: %s" % (name, value[:1500]))


entrances = {"cli": by_command_line, "mcp": by_mcp, "lib": by_library}
folders = {name: make(name) for name in entrances}
with open(secret, "w", encoding="ascii") as f:
    f.write("canary\n")
results = {name: [same_for_all(strip(r, ALWAYS), name) for r in run(folders[name])] for name, run in entrances.items()}
for i, request in enumerate(REQUESTS):
    compare(request, **{name: results[name][i] for name in entrances})
    # A further name of a file of one's own is inside, as it is for a command.
    if request[1].get("path") != "hard" and "canary" in json.dumps(results["cli"][i]).replace('"canary"', ""):
        bad += 1
        print(request, "has got out")
compare("files", **{name: files(folders[name]) for name in entrances})
logs = {name: same_for_all(records(name), name) for name in entrances}
compare("number of records", **{name: len(log) for name, log in logs.items()})
for i, rows in enumerate(zip(*logs.values())):
    compare("record %d" % i, **dict(zip(logs, rows)))
for path in [secret] + [os.path.join(top, name, "secret") for name in entrances]:
    with open(path, encoding="ascii") as f:
        assert f.read() == "canary\n", path
failed = sum(r == "no tool" or r["failed"] for r in results["cli"])
print("%d requests, %d of them refused or failed, %d records" % (len(REQUESTS), failed, len(logs["cli"])))
sys.exit(bad > 0)
