#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The network of a sandbox that runs: what it has reached, and other rules for it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"
# shellcheck source=internet.bash
. "$BATS_TEST_DIRNAME/internet.bash"

fetch() { # NAME: the status of one request from the sandbox
	ward_ exec "${start[@]}" -- curl -sS -o /dev/null -w '%{http_code}' "http://$1/"
}

net() { # VERB...
	there "$WARD" net "$@"
}

pids() { # LIST
	"$python" -c 'import json, sys; print([d["pid"] for d in json.loads(sys.argv[1])])' "$1"
}

# An open connection from the sandbox to a name, which says what became of it.
hold() { # NAME
	ward_ exec "${start[@]}" -- python3 -u -c '
import socket, sys
s = socket.create_connection((sys.argv[1], 80))
s.sendall(b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % sys.argv[1].encode())
data = b""
while not data.endswith(b" /\n"): data += s.recv(4096)
print("open")
try: print("ended" if not s.recv(1) else "more")
except OSError as e: print("ended", e.errno)' "$1" >held 2>&1 3>&- &
	holder=$!
	for ((n = 0; n < 200; n++)); do
		! grep -q open held || return 0
		sleep 0.05
	done
	return 1
}

@test "more is allowed and less, for new connections; open ones stay unless they are to end now" {
	start=(--allow example.test)
	[ "$(fetch example.test)" = 200 ]
	[ "$(fetch other.test)" = 403 ]
	net allow other.test
	[ "$(fetch other.test)" = 200 ]
	hold other.test
	net deny other.test
	[ "$(fetch other.test)" = 403 ]
	[ "$(cat held)" = open ]
	run -0 net deny --now example.test
	[ "$output" = '1 connection ended' ]
	timeout 10 tail --pid="$holder" -f /dev/null
	grep -q ended held
	[ "$(fetch example.test)" = 403 ]
	# What was denied here is allowed again.
	net allow example.test other.test
	[ "$(fetch example.test)" = 200 ]
	[ "$(fetch other.test)" = 200 ]
	there "$WARD" stop --force
	[ "$(fetch other.test)" = 403 ]
}

@test "a rule that is none changes nothing; the configuration's deny and its locks hold" {
	start=(--allow example.test --deny six.test)
	[ "$(fetch example.test)" = 200 ]
	run -125 net allow other.test 'no rule' example.test
	[[ $output == *'no rule'* ]]
	[ "$(fetch other.test)" = 403 ]
	net allow six.test
	[ "$(fetch six.test)" = 403 ]
	run -125 net allow 127.0.0.1
	run -125 net allow
	run -125 net deny 300.1.1.1/99
	run -125 net allow agent:other:session example.test
	[[ $output == *'no running sandbox'* ]]
	run -125 net show nonsense
	# What is locked: only through the file of the administrator, which tests do not have; the workspace's may tighten.
	echo '{agents: {defaults: {sandbox: {network: {allow: ["example.test"]}}}}}' >.ward.json5
	run -125 net allow other.test
	[[ $output == *loosen* ]]
	rm .ward.json5
	there "$WARD" stop --force
	start=()
	ward_ exec -- true
	run -125 net allow example.test
	[[ $output == *'no network whose rules'* ]]
	[ "$(net show)" = 'mode     none' ]
}

@test "a mode stays what it is when something is allowed besides" {
	start=(--net limited)
	[ "$(fetch example.test)" = 200 ]
	run ! ward_ exec "${start[@]}" -- curl -sS http://example.test:8080/
	net allow example.test:8080
	run -0 ward_ exec "${start[@]}" -- curl -sS http://example.test:8080/
	[ "$(fetch other.test)" = 200 ]
}

@test "a sandbox is started with the words of a command, and is the one that it uses" {
	local before
	start=(--allow example.test --deny other.test)
	ward_ start "${start[@]}"
	before=$(there "$WARD" list --json)
	[ "$(fetch example.test)" = 200 ]
	[ "$(fetch other.test)" != 200 ]
	[ "$(pids "$before")" = "$(pids "$(there "$WARD" list --json)")" ]
	ward_ recreate --force "${start[@]}"
	[ "$(fetch example.test)" = 200 ]
}

@test "show has the mode, the rules, what was reached with its bytes, what was refused, and what is open" {
	start=(--allow example.test)
	fetch example.test
	fetch example.test
	fetch other.test
	hold example.test
	net allow '*.example.test:8080'
	net show --json >answer
	json 'd["mode"] == "list"' <answer
	json 'd["allow"] == [{"rule": "example.test", "changed": False}, {"rule": "*.example.test:8080", "changed": True}]' <answer
	[ "$(json '[(f["host"], f["port"], f["state"], f["count"]) for f in d["flows"]]' <answer)" = \
		"[('example.test', 80, 'allowed', 2), ('other.test', 80, 'refused', 1), ('example.test', 80, 'open', 1)]" ]
	json 'd["flows"][0]["receivedBytes"] > 200 and d["flows"][0]["sentBytes"] > 100 and d["flows"][1]["sentBytes"] == 0' <answer
	run -0 net show
	[[ $output == *'list (only what is allowed below)'* ]]
	[[ $output == *'refused       1          0          0  other.test:80  (no rule of the allow list'* ]]
	kill "$holder" || true
	wait "$holder" || true
}

@test "names without end leave room for what was reached, and show stays bounded" {
	start=(--allow example.test)
	ward_ exec "${start[@]}" -- python3 -c '
import socket
for i in range(700):
    try: socket.create_connection(("n%d.test" % i, 81)).recv(1)
    except OSError: pass'
	fetch example.test
	net show --json >answer
	json 'len(d["flows"]) == 258' <answer
	json 'd["flows"][256]["host"] == "example.test" and d["flows"][256]["state"] == "allowed"' <answer
	json 'd["flows"][257]["host"] == "" and d["flows"][257]["count"] >= 700 - 256' <answer
}

@test "stats and results count what was sent and received, with each command" {
	start=(--allow example.test)
	ward_ exec --json "${start[@]}" -- curl -sS -o big http://example.test/big/500000 >answer
	json '500000 < d["usage"]["receivedBytes"] < 510000 and 50 < d["usage"]["sentBytes"] < 500' <answer
	ward_ exec --json "${start[@]}" -- true >answer
	json 'd["usage"]["receivedBytes"] == 0' <answer
	fetch example.test
	name=$(there "$WARD" list --json | json '[b["name"] for b in d if b.get("workspace") == "'"$PWD"'"][0]')
	there "$WARD" stats --json "$name" >answer
	json '500000 < d["sandboxes"][0]["total"]["receivedBytes"] < 520000' <answer
	there "$WARD" stats --last 3 --json "$name" >answer
	json '[r["receivedBytes"] > 100 for r in d["commands"]] == [True, False, True]' <answer
	ward_ run --json "${start[@]}" -- curl -sS -o big http://example.test/big/500000 >answer
	json '500000 < d["usage"]["receivedBytes"] < 510000' <answer
}

@test "thousands of refused attempts in a second: others are served meanwhile, and what is kept stays small" {
	local seconds=4 pid before after
	[ "${FULL:-0}" != 1 ] || seconds=60
	patience=$((seconds + 60))
	cp "$HELPERS/flood" .
	start=(--session flood --set timeout=10m --allow example.test)
	ward_ exec "${start[@]}" -- true
	pid=$(there "$WARD" list --json | json '[b["pid"] for b in d if b.get("workspace") == "'"$PWD"'"][0]')
	before=$(awk '/^VmRSS/ {print $2}' "/proc/$pid/status")
	ward_ exec --json "${start[@]}" -- sh -c "./flood $seconds 203.0.113.7 443 & ./flood $seconds 203.0.113.8 81; wait" >flooded 3>&- &
	server=$!
	start=(--session other --allow example.test)
	for ((served = 0; served < 20; served++)); do
		[ "$(fetch example.test)" = 200 ]
	done
	wait "$server"
	after=$(awk '/^VmRSS/ {print $2}' "/proc/$pid/status")
	json '"%s in a second" % d["stdout"].split()' <flooded
	json 'd["reason"] == "exited" and len(d["network"]) == 2 and all(not f["allowed"] and f["count"] > 1000 for f in d["network"])' <flooded
	there "$WARD" stop --force --session flood
	there "$WARD" stop --force --session other
	echo "supervisor: $before KiB, then $after KiB"
	# AddressSanitizer keeps what was freed for a while.
	[ -n "${SANITIZED-}" ] || [ $((after - before)) -lt 8192 ]
	[ "$(wc -l <"$NET/connections")" = 20 ]
}

# All of it in one process: as a user, each call of 'there' has a user namespace of its own, which no pool is shared by.
@test "sandboxes from a pool are guarded as others are" {
	cat >steps <<-'END'
		set -e
		start=(--set pool=1 --set 'network.dns=["93.184.216.53"]' --allow example.test --set "resources.pids=$((1000 + $$ % 20000))")
		fetch() { "$WARD" exec "${start[@]}" -- curl -sS -o /dev/null -w '%{http_code} ' "http://$1/"; }
		mine() { "$WARD" list --json | python3 -c 'import json, sys
		for b in json.load(sys.stdin):
		    if b.get("workspace") == sys.argv[1] or b["state"] == "waiting": print(b["session"] or "-", b["state"], b["pid"], b["network"], b["name"])' "$PWD"; }
		blank() { # waits for one: what is still being made is not in the list
			for ((n = 0; n < 100; n++)); do
				mine | awk '$2 == "waiting" {print $3}' | grep . && return
				sleep 0.1
			done
		}
		trap 'set +e; { blank; for name in $(mine | cut -d " " -f 5); do "$WARD" stop --force "$name"; done; } >/dev/null 2>&1' EXIT
		fetch example.test
		blank=$(blank)
		start+=(--session claimed)
		fetch example.test
		fetch other.test
		mine | awk -v blank="$blank" '$1 == "agent:main:claimed" {print ($3 == blank ? "the same" : "another"), $4}'
		"$WARD" net allow agent:main:claimed other.test
		fetch other.test
	END
	run -0 --separate-stderr there bash steps
	[ "$output" = $'200 200 403 the same list\n200 ' ]
}

@test "without nf_tables: the ports that can be reached are guarded, all others refused, and it is said" {
	without() { # VERB...
		local verb=$1
		shift
		there "$HELPERS/enosys" socket:NETFILTER=EOPNOTSUPP -- "$WARD" "$verb" --set 'network.dns=["93.184.216.53"]' "$@"
	}
	without run --json --allow example.test --allow six.test:8080 -- sh -c '
		curl -sS http://example.test/ok; curl -sS http://other.test/; curl -gsS http://six.test:8080/there
		curl -sS http://example.test:8080/; echo $?; curl -sS http://example.test:81/; echo $?; curl -sS http://127.0.0.1/; true' >answer
	json 'd["enforced"]["network"] == "network namespace and guard by port"' <answer
	json '"hello example.test /ok" in d["stdout"] and "hello six.test:8080 /there" in d["stdout"]' <answer
	json '"no rule of the allow list" in d["stdout"] and "never reached by address" in d["stdout"]' <answer
	# The one was seen, and broken off; the other refused by the kernel.
	json '[n for n in d["stdout"].split() if n.isdigit()][1] == "7"' <answer
	[ "$(json '[(f["host"], f["port"]) for f in d["network"] if not f["allowed"]]' <answer)" = \
		"[('other.test', 80), ('example.test', 8080), ('127.0.0.1', 80)]" ]
	! grep -q 'other.test\|example.test:8080' "$NET/requests" "$NET/names" || return 1
	run -0 --separate-stderr without run --net limited -- curl -sS http://example.test/
	[ "$output" = 'hello example.test /' ]
	run -125 without run --net full -- true
	[[ $output == *nft_tproxy* ]]
	start=(--allow example.test)
	without exec "${start[@]}" -- true
	run -125 net allow example.test:8080
	[[ $output == *nft_tproxy* ]]
	net allow other.test
	run -0 without exec "${start[@]}" -- curl -sS http://other.test/
	[ "$output" = 'hello other.test /' ]
	there "$WARD" stop --force
}

@test "the program that asks for names can do nothing else" {
	start=(--allow example.test)
	[ "$(fetch example.test)" = 200 ]
	pid=$(there "$WARD" list --json | json '[b["pid"] for b in d if b.get("workspace") == "'"$PWD"'"][0]')
	resolver=$(pgrep -P "$pid" ward-resolver)
	grep -q '^Seccomp:.2' "/proc/$resolver/status"
	grep -q '^NoNewPrivs:.1' "/proc/$resolver/status"
	grep -q '^CapEff:.0000000000000000' "/proc/$resolver/status"
	[ "$(awk '/^Uid:/ {print $2}' "/proc/$resolver/status")" != 0 ]
}

# audited: the last end of a command in the audit log of the machine in that internet, in the file 'ended'
audited() {
	there "$WARD" audit tail --json -n 1 >ended
	json 'd["event"] == "end" and d["begin"] < d["seq"]' <ended
}

@test "the audit log has each host that was reached or refused, with its bytes" {
	start=(--allow example.test)
	for verb in run exec; do
		ward_ "$verb" "${start[@]}" -- sh -c 'curl -sS -o /dev/null http://example.test/big/500000
			curl -sS http://other.test/; curl -sS http://other.test/; curl -sS http://10.1.2.3/; true'
		audited
		[ "$(json '[(f["host"], f["port"], f["allowed"], f["count"]) for f in d["network"]]' <ended)" = \
			"[('example.test', 80, True, 1), ('other.test', 80, False, 2), ('10.1.2.3', 80, False, 1)]" ]
		json '500000 < d["network"][0]["receivedBytes"] < 501000 and 50 < d["network"][0]["sentBytes"] < 500' <ended
		json 'd["network"][1]["receivedBytes"] == 0 and "no rule of the allow list" in d["network"][1]["why"]' <ended
		json 'd["usage"]["receivedBytes"] == d["network"][0]["receivedBytes"] and d["limitsHit"] == {}' <ended
	done
}

@test "the audit log has the names that were asked for and do not exist, since nothing allows them" {
	ward_ run --allow example.test --set network.deniedNames=nxdomain -- sh -c '
		getent ahostsv4 s3cret.attacker.test; getent ahostsv4 example.test >/dev/null; true'
	audited
	[ "$(json '[(f["host"], f["port"], f["allowed"], f["count"]) for f in d["network"]]' <ended)" = \
		"[('s3cret.attacker.test', 0, False, 1)]" ]
	[ ! -s "$NET/names" ]
}

@test "a connection that a command leaves open, and its datagrams, stand in that command's line and in no other's" {
	for verb in run exec; do
		ward_ "$verb" --net full -- python3 -c '
import os, socket, time
s = socket.create_connection(("example.test", 80))
s.sendall(b"GET /big/500000 HTTP/1.1\r\nHost: example.test\r\n\r\n")
n = 0
while n < 500000: n += len(s.recv(65536))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.connect(("example.test", 9999))
u.send(b"x" * 100)
u.recv(1000)
if os.fork() == 0: time.sleep(100)
os._exit(0)'
		audited
		[ "$(json '[(f["host"], f["port"], f["count"]) for f in d["network"]]' <ended)" = "[('example.test', 80, 1), ('example.test', 9999, 1)]" ]
		json 'd["network"][0]["receivedBytes"] > 500000 and (d["network"][1]["sentBytes"], d["network"][1]["receivedBytes"]) == (100, 105)' <ended
		ward_ "$verb" --net full -- true
		audited
		json 'd["network"] == [] and d["usage"]["receivedBytes"] == 0' <ended
	done
}

@test "2 MiB with a budget of 1 MiB end at the byte, and the audit log says so" {
	local limit=$((1 << 20))
	for verb in run exec; do
		run ! ward_ "$verb" --net limited --set 'network.budget={"example.test": {down: "1M"}}' -- \
			curl -sS -o part http://example.test/zeros/$((2 * limit))
		audited
		json 'd["limitsHit"] == {"budget": 1} and d["reason"] == "exited" and d["exitCode"] == 56' <ended
		[ "$(json '[(f["host"], f["port"], f["allowed"], f["receivedBytes"]) for f in d["network"]]' <ended)" = \
			"[('example.test', 80, False, $limit)]" ]
		json '"network.budget" in d["network"][0]["why"]' <ended
		# Of what came, the head of the answer is no part.
		[ "$(stat -c %s part)" -lt "$limit" ]
		there "$WARD" stop --force >/dev/null 2>&1 || true
		# The same amount, allowed.
		run -0 ward_ "$verb" --net limited --set 'network.budget={"example.test": {down: "3M"}}' -- \
			curl -sS -o part http://example.test/zeros/$((2 * limit))
		audited
		json 'd["limitsHit"] == {} and d["network"][0]["allowed"]' <ended
		[ "$(stat -c %s part)" = $((2 * limit)) ]
	done
}

@test "what goes to an allowed name is counted, request by request, in every direction" {
	start=(--allow example.test)
	ward_ run "${start[@]}" -- sh -c 'head -c 3000000 /dev/zero >up
		curl -sS -T up -o /dev/null http://example.test/put
		for i in 1 2 3 4 5 6 7 8 9 10; do echo "url=http://example.test/$i/0123456789abcdef"; echo output=/dev/null; done | curl -sS -K -'
	audited
	json '3000000 < d["network"][0]["sentBytes"] < 3010000 and d["network"][0]["count"] == 2' <ended
	[ "$(wc -l <"$NET/requests")" = 11 ]
}
