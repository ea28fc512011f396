# SPDX-License-Identifier: Apache-2.0
#
# revoked.py WARD CONFIG SCENARIO: an agent that stays connected to `ward mcp` while its entry is taken out of the
# configuration. Stands in the workspace; the scenario's own checks fail with what was heard.
import json, os, subprocess, sys, time

ward, config, scenario = sys.argv[1:4]
agent = "listed"
entry = 'agents: {entries: {listed: {sandbox: {env: {WHO: "listed"}, resources: {pids: 77}}}}},'
others = 'tools: {elevated: {enabled: true, approvalTimeout: "40s", rules: [{pattern: "tool *", to: "host"}]}}'
reason = "was taken out of the configuration"


def write(*parts):
    with open(config + ".new", "w") as f:
        f.write("{%s}\n" % "\n".join(parts))
    os.rename(config + ".new", config)


class Door:
    def __init__(self, *options):
        self.at = subprocess.Popen([ward, "mcp", "--config", config, *options], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        self.last = 0
        self.answers = {}
        self.wait(self.send("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                           "clientInfo": {"name": "test", "version": "1"}}))
        self.put({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def put(self, message):
        self.at.stdin.write(json.dumps(message) + "\n")
        self.at.stdin.flush()

    def send(self, method, params):
        self.last += 1
        self.put({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        return self.last

    def wait(self, number):
        while number not in self.answers:
            line = self.at.stdout.readline()
            if not line:
                sys.exit("ward mcp has ended")
            message = json.loads(line)
            if "id" in message and "method" not in message:
                self.answers[message["id"]] = message
        return self.answers.pop(number)

    def begin(self, tool, **arguments):
        return self.send("tools/call", {"name": tool, "arguments": arguments})

    def call(self, tool, **arguments):
        return self.wait(self.begin(tool, **arguments))["result"]

    def close(self):
        self.at.stdin.close()
        self.at.wait(20)


def text(result):
    return result["content"][0]["text"]


def is_refused(result):
    ok = result["isError"] and reason in text(result) and result["structuredContent"]["code"] == "denied"
    if not ok:
        sys.exit("not refused: %s" % result)


def works(door, want):
    result = door.call("exec", command="echo $WHO")
    if result.get("isError") or text(result).strip() != want:
        sys.exit("does not work: %s" % result)


def calls():
    door = Door("--agent", agent)
    works(door, "listed")
    started = door.call("exec", command="cat", background=True)
    number = started["structuredContent"]["id"]
    write(others)
    is_refused(door.call("exec", command="touch ran"))
    is_refused(door.call("process", action="output", id=number))
    is_refused(door.call("process", action="write", id=number, data="x"))
    is_refused(door.call("process", action="list"))
    is_refused(door.call("write", path="ran", content="x"))
    is_refused(door.call("read", path="there"))
    assert not os.path.exists("ran")
    # Written there again, it is another's.
    write(entry, others)
    is_refused(door.call("exec", command="touch ran"))
    door.close()
    again = Door("--agent", agent)
    works(again, "listed")
    again.close()


def waits():
    door = Door("--agent", agent)
    works(door, "listed")
    number = door.begin("exec", argv=["tool", "once"])
    for _ in range(400):
        shown = json.loads(subprocess.run([ward, "approvals", "--json"], capture_output=True, text=True).stdout or "[]")
        mine = [d["id"] for d in shown if "tool once" in d["command"]]
        if mine:
            break
        time.sleep(0.05)
    write(others)
    began = time.monotonic()
    is_refused(door.wait(number)["result"])
    assert time.monotonic() - began < 30  # far less than the time that it could have waited
    late = subprocess.run([ward, "approve", mine[0]], capture_output=True, text=True, start_new_session=True)
    assert late.returncode != 0, late
    door.close()


def never():
    door = Door("--agent", "unlisted")
    works(door, "")
    write('profiles: {p: {}},', others)
    works(door, "")
    write(entry.replace("listed", "unlisted"), others)
    works(door, "unlisted")
    write(others)
    is_refused(door.call("exec", command="true"))
    door.close()


{"calls": calls, "waits": waits, "never": never}[scenario]()
print("ok")
