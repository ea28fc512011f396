#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an agent does, from Python: runs commands, reads how they ended, changes files, keeps a process in the
background. Run it in the folder that it should work in.
"""
import json
import subprocess
import sys


class Refused(Exception):
    """The tool could not do it; code says why: denied, notFound, invalid, ..."""

    def __init__(self, answer):
        super().__init__(answer["error"])
        self.code = answer["code"]


def call(tool, **arguments):
    """One call of a tool. Arguments go through standard input: they may be large."""
    done = subprocess.run(
        ["ward", "tools", "call", "--json", tool, "-"],
        input=json.dumps(arguments).encode(),
        stdout=subprocess.PIPE,
        check=False,
    )
    if done.returncode not in (0, 1):  # 126: there is no such tool for this session
        sys.exit(f"ward tools call {tool}: status {done.returncode}")
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise Refused(answer)
    return answer


# A command line. Its exit status is part of the answer.
result = call("exec", command="echo building; echo done")
print(result["stdout"], end="")
print("exit status", result["exitCode"])

# One that takes too long.
if call("exec", command="sleep 100", timeoutMs=500)["timedOut"]:
    print("too slow")

call("write", path="settings", content="port = 80\nhost = here\n")
call("edit", path="settings", oldText="port = 80", newText="port = 8080")
print(call("read", path="settings")["content"], end="")

try:
    call("read", path="../../etc/shadow")  # not in the workspace
except Refused:
    print("outside: refused")

process = call("exec", command="echo listening; cat", background=True)["id"]
call("process", action="write", id=process, end=True)
call("process", action="wait", id=process)
print("background:", call("process", action="output", id=process)["output"], end="")
