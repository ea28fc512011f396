#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Whose connections they are: commands that run in one sandbox at the same time have their own rows and bytes.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"
# shellcheck source=internet.bash
. "$BATS_TEST_DIRNAME/internet.bash"

# What both begin with; longer than what any list shows of a command. Its last words are its name and its steps.
code='# the same for each of them: what a command is called, and what it says of itself, does not tell two of them apart
import os, socket, sys, time
me = sys.argv[1]
other = "ab"["ba".index(me)]
def mark(what): open("%s.%s" % (me, what), "w").close()
def wait(name):
    for _ in range(1200):
        if os.path.exists(name): return
        time.sleep(0.05)
    sys.exit("waited for " + name)
def fetch(host, port=80, path="/"):
    try:
        s = socket.create_connection((host, port), 20)
        s.sendall(b"GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (path.encode(), host.encode()))
        while s.recv(65536): pass
    except OSError: pass
def ask(port, size, source=0, host="example.test", share=False):
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    u.settimeout(20)
    if share: u.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    if source: u.bind(("0.0.0.0", source))
    u.connect((host, port))
    try:
        u.send(b"x" * size)
        u.recv(1000)
    except OSError: pass
    return u
def both():
    mark("up")
    wait(other + ".up")
'

# pair STEPS: two commands at the same time, with the same program; results in a.json and b.json
pair() {
	local pids=() name
	rm -f ./*.up ./*.done ./*.end
	for name in a b; do
		ward_ exec --json "${start[@]}" -- python3 -c "$code$1" "$name" >"$name.json" 2>"$name.err" 3>&- &
		pids+=($!)
	done
	if ! wait "${pids[0]}" || ! wait "${pids[1]}"; then
		cat a.err b.err a.json b.json
		return 1
	fi
}

rows() { # FILE: host, port, whether it was allowed, how often
	json '[(f["host"], f["port"], f["allowed"], f["count"]) for f in d["network"]]' <"$1"
}

steps='
both()
if me == "a":
    fetch("example.test", path="/big/300000"); fetch("denied-a.test")
else:
    fetch("other.test"); fetch("denied-b.test"); fetch("denied-b.test")
mark("done")
wait(other + ".done")
'
their_a="[('example.test', 80, True, 1), ('denied-a.test', 80, False, 1)]"
their_b="[('other.test', 80, True, 1), ('denied-b.test', 80, False, 2)]"

# ends: the last two ends of commands in the audit log, each in a file of its own
ends() {
	there "$WARD" audit tail --json -n 12 >last-lines
	python3 -c 'import json
rows = [json.loads(line) for line in open("last-lines")]
for row in [r for r in rows if r["event"] == "end" and "network" in r][-2:]:
    name = "a" if any("-a.test" in f["host"] or "example" in f["host"] for f in row["network"]) else "b"
    json.dump(row, open("end-" + name, "w"))'
}

@test "two commands at the same time: each has its own connections, whichever ends first" {
	start=(--allow example.test --allow other.test)
	for first in a b; do
		pair "$steps
mark('end') if me == '$first' else (wait(other + '.end'), time.sleep(0.3))"
		for from in .json ends; do
			[ $from = .json ] || ends
			one=a.json two=b.json
			[ $from = .json ] || one=end-a two=end-b
			[ "$(rows $one)" = "$their_a" ] || { cat $one $two && return 1; }
			[ "$(rows $two)" = "$their_b" ] || { cat $one $two && return 1; }
			json 'not any("shared" in f for f in d["network"])' <$one
			json 'not any("shared" in f for f in d["network"])' <$two
			json '300000 < d["usage"]["receivedBytes"] < 302000 and d["usage"]["receivedBytes"] == d["network"][0]["receivedBytes"]' <$one
			json '0 < d["usage"]["receivedBytes"] < 2000 and d["usage"]["sentBytes"] == d["network"][0]["sentBytes"]' <$two
		done
	done
}

@test "names that do not exist, and datagrams, are those of the command that sent them" {
	start=(--net full --deny denied-a.test --deny denied-b.test --set network.deniedNames=nxdomain)
	pair '
both()
u = ask(9999, 100 if me == "a" else 200)
fetch("denied-%s.test" % me)
mark("done")
wait(other + ".done")'
	json '[f["sentBytes"] for f in d["network"] if f["port"] == 9999] == [100] and not "denied-b" in str(d)' <a.json
	json '[f["sentBytes"] for f in d["network"] if f["port"] == 9999] == [200] and not "denied-a" in str(d)' <b.json
	json 'any(f["host"] == "denied-a.test" for f in d["network"]) and not "shared" in str(d["network"])' <a.json
	json 'any(f["host"] == "denied-b.test" for f in d["network"]) and not "shared" in str(d["network"])' <b.json
}

@test "a port that one command gives up and another takes: what follows is the other's" {
	start=(--net full)
	pair '
both()
if me == "a":
    ask(9999, 100, 7777).close()
    mark("done")
    wait("b.done")
else:
    wait("a.done")
    u = ask(9999, 200, 7777)
    mark("done")'
	json '[f["sentBytes"] for f in d["network"] if f["port"] == 9999] == [100] and not "shared" in str(d["network"])' <a.json
	json '[f["sentBytes"] for f in d["network"] if f["port"] == 9999] == [200] and not "shared" in str(d["network"])' <b.json
}

@test "what could have been either's is in both their rows, and marked" {
	start=(--net full)
	# A port that both have: no one can tell who sends from it.
	pair '
both()
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
u.bind(("0.0.0.0", 7778))
mark("bound")
wait(other + ".bound")
if me == "a":
    ask(9998, 50, 7778, share=True)
mark("done")
wait(other + ".done")'
	for name in a b; do
		json '[(f["port"], f["shared"], f["count"]) for f in d["network"] if f["port"] == 9998] == [(9998, True, 1)]' <$name.json
	done
}

@test "one that has ended leaves nothing to the next, and background processes have their own" {
	start=(--allow example.test --allow other.test)
	ward_ exec "${start[@]}" --background -- python3 -c "$code
wait('go')
fetch('example.test'); fetch('denied-a.test')
mark('done')
" a >started
	ward_ exec --json "${start[@]}" -- python3 -c "$code
open('go', 'w').close()
wait('a.done')
fetch('other.test')" b >b.json
	[ "$(rows b.json)" = "[('other.test', 80, True, 1)]" ]
	there "$WARD" process wait 1 >/dev/null || true
	ends
	[ "$(rows end-a)" = "$their_a" ]
	ward_ exec --json "${start[@]}" -- true >b.json
	[ "$(rows b.json)" = '[]' ]
}
