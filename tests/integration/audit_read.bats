#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# ward audit: logs that ward's own writer made (tests/helpers/auditmake.c), found, shown, checked, exported, reported.

# shellcheck disable=SC2012,SC2016 # names of our own; what python reads
# shellcheck disable=SC2030,SC2031,SC2154 # each test is a process of its own; bats assigns
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

T=1794000000000 # 2026-11-06T21:20:00Z, in ms

audit() { # COMMAND OPTION...: on the log of this test
	local command=$1
	shift
	"$WARD" audit "$command" --folder "$PWD/log" "$@"
}

make_log() { # COUNT [ROTATE [KEEP]]
	"$HELPERS/auditmake" log many "$1" "$((T / 1000))" 60000 "${@:2}"
}

# Some requests of each kind; the second is under way.
make_few() {
	"$HELPERS/auditmake" log lines >numbers <<-END
		begin $T "event":"begin","entrance":"cli","operation":"exec","session":"agent:main:main","agent":"main","tool":"exec","argv":["make","-j8","a b"],"cwd":"/w","verdict":"allow","place":"sandbox","reasons":[{"code":"mode","text":"mode is all"}],"uid":7
		begin $((T + 1000)) "event":"begin","operation":"exec","session":"agent:review:x","agent":"review","tool":"exec","argv":["sleep","9"],"verdict":"allow","place":"host"
		event $((T + 2000)) "event":"deny","session":"agent:review:x","agent":"review","tool":"browser","arguments":{"url":"http://x"},"verdict":"deny","reasons":[{"code":"tool-denied"}],"why":"not for this agent"
		end $((T + 3000)) "event":"end","begin":1,"session":"agent:main:main","agent":"main","tool":"exec","reason":"exited","exitCode":2,"durationMs":2000.5,"usage":{"userMs":7,"systemMs":1,"memoryPeak":4096,"sentBytes":3,"receivedBytes":5},"network":[{"host":"evil.example","port":443,"allowed":false,"count":3,"why":"no rule"}]
		event $((T + 4000)) "event":"approval","id":"a1","action":"given","by":{"uid":7,"how":"terminal"}
		begin $((T + 5000)) "event":"begin","operation":"call","session":"agent:main:main","agent":"main","tool":"read","path":"src/a.c","verdict":"allow"
		end $((T + 6000)) "event":"end","begin":6,"session":"agent:main:main","agent":"main","tool":"read","reason":"done","bytes":12
	END
}

# Text that somebody else chose, in every place where there is one.
make_hostile() {
	"$python" - >hostile <<-'END'
		import json
		texts = ["<script>alert(1)</script>", "</style><script src=http://evil.test/a.js></script>", "\u202egnp.exe",
		         "\"><img src=http://evil.test/x onerror=alert(3)>", "\x1b[2J\x07", "\u009b31m", "\u2028", "a\nb\rc",
		         "</title><svg onload=alert(4)>", "=cmd|calc!A1", "\U000e0041", "-->", "]]>", "&#60;b"]
		for i, text in enumerate(texts):
		    t = json.dumps(text)
		    when = 1794000000000 + i * 60000
		    print('begin', when, '"event":"begin","session":%s,"agent":%s,"tool":%s,"argv":[%s,"x"],"cwd":%s,"verdict":%s,'
		          '"place":%s,"operation":%s,"entrance":%s,"reasons":[{"code":%s,"text":%s}]' % ((t,) * 11))
		    print('end', when + 500, '"event":"end","begin":%d,"session":%s,"tool":%s,"reason":%s,"durationMs":5,"error":%s,'
		          '"network":[{"host":%s,"port":1,"allowed":false,"count":2,"why":%s}]' % ((i * 4 + 1,) + (t,) * 6))
		    print('event', when + 600, '"event":"deny","session":%s,"tool":%s,"command":%s,"verdict":%s,"why":%s,'
		          '"reasons":[{"code":%s}]' % ((t,) * 6))
		    print('event', when + 700, '"event":%s,"id":%s,"action":{%s:%s}' % ((t,) * 4))
	END
	"$HELPERS/auditmake" log lines <hostile >numbers
}

# harmless FILE: nothing in it that a terminal acts on, or an eye misses.
harmless() {
	"$python" - "$1" <<-'END'
		import sys, unicodedata
		for c in open(sys.argv[1], encoding="utf-8", newline="").read():
		    if c not in "\r\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
		        sys.exit("bad character %r" % c)
	END
}

# json FILE EXPRESSION: with d the document.
json() {
	"$python" -c 'import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else "not so: %s\n%s" % (sys.argv[2], json.dumps(d, indent=1)[:2000]))' "$1" "$2"
}

@test "without a log it says so, and makes nothing" {
	run -125 audit query
	[[ $output == *"no audit log in '$PWD/log'"* ]]
	run -125 audit tail
	run -125 audit verify
	[ ! -e log ]
}

@test "what ward run leaves is found where it is configured" {
	local set="audit.path=$BATS_TEST_TMPDIR/log"
	run -3 "$WARD" run --set "$set" -- sh -c 'exit 3'
	run -126 "$WARD" run --set "$set" --set 'tools.deny=["exec"]' -- true
	run -0 "$WARD" audit query --set "$set"
	[[ ${lines[1]} == *'exec       allow   exited 3 '*"sh -c 'exit 3'" ]]
	[[ ${lines[2]} == *'exec       deny    refused '*'true  ('* ]]
	run -0 "$WARD" audit verify --set "$set"
	[[ $output == "good: 3 lines in 1 file in '$BATS_TEST_TMPDIR/log'"* ]]
}

@test "query: long sessions show their end, and no row is no table" {
	set="audit.path=$BATS_TEST_TMPDIR/log"
	"$WARD" run --set "$set" --session agent:main:messenger:group:100123 -- true
	run -0 "$WARD" audit query --set "$set"
	[[ ${lines[1]} == *' ...senger:group:100123 exec '* ]]
	run -0 --separate-stderr "$WARD" audit query --set "$set" --verdict nonsense
	[ -z "$output" ]
	[ "$stderr" = 'ward: nothing in the log matches' ]
	run -0 --separate-stderr "$WARD" audit query --set "$set" --verdict nonsense --json
	[ "$output" = '[]' ]
}

@test "query: the two lines of a request are one row" {
	make_few
	run -0 audit query
	[ "${#lines[@]}" = 6 ]
	[[ ${lines[1]} == '2026-11-06T21:20:00Z agent:main:main '*'exec '*'allow '*'exited 2 '*'2.0 s '*"make -j8 'a b'" ]]
	[[ ${lines[2]} == *'allow   -           -        sleep 9' ]]
	[[ ${lines[3]} == *'browser    deny    refused '*'(url=http://x)  (not for this agent)' ]]
	[[ ${lines[4]} == *'approval '*'action=given id=a1 by=(uid=7 how=terminal)' ]]
	[[ ${lines[5]} == *'read       allow   done '*'src/a.c' ]]
	audit query --json >out
	json out 'len(d) == 5 and d[0]["begin"]["seq"] == 1 and d[0]["end"]["seq"] == 4 and d[1]["end"] is None'
	json out "d[0]['what'] == \"make -j8 'a b'\" and d[4]['begin']['path'] == 'src/a.c'"
}

@test "query: each way to choose" {
	local row
	make_few
	while IFS='|' read -r options wanted; do
		eval "set -- $options"
		audit query --json "$@" >out
		row=$("$python" -c 'import json
print(" ".join(str((x["begin"] or x["end"])["seq"]) for x in json.load(open("out"))))')
		[ "$row" = "$wanted" ] || { echo "$options: $row, not $wanted" && return 1; }
	done <<-'END'
		--session agent:main:main|1 6
		--session 'agent:*:x'|2 3
		--agent review|2 3
		--session x|2 3
		--session agent:review:x|2 3
		--tool 'b*'|3
		--verdict deny|3
		--reason tool-denied|3
		--reason mode|1
		--reason exited|1
		--reason 'exited 2'|1
		--reason timeout|
		--event approval|5
		--event begin --tool exec|1 2
		--host '*.example'|1
		--host example|
		--text 'a b'|1
		--text evil.example|1
		--text nowhere|
		--since 2026-11-06T21:20:01Z|2 3 5 6
		--since '2026-11-06 21:20:05'|6
		--since 2026-11-07|
		--until 2026-11-06T21:20:01Z|1 2
		--since 2026-11-06T21:20:01Z --until 2026-11-06T21:20:02Z|2 3
		--limit 2|5 6
		--verdict allow --limit 1|6
	END
	run -125 audit query --since yesterday
	[[ $output == *"--since: 'yesterday' is no time"* ]]
	run -0 audit query --since 1h
	[ "${#lines[@]}" = 1 ]
}

@test "a clock that was set back: the order is that of the numbers, and both clocks are kept" {
	"$HELPERS/auditmake" log lines >numbers <<-END
		begin $((T + 9000000)) "event":"begin","session":"agent:main:main","tool":"exec","argv":["first"],"verdict":"allow"
		end $T "event":"end","begin":1,"session":"agent:main:main","tool":"exec","reason":"exited","exitCode":0,"durationMs":5
		event $((T - 9000000)) "event":"deny","session":"agent:main:main","tool":"exec","argv":["second"],"verdict":"deny"
	END
	run -0 audit verify
	[[ $output == 'good: 3 lines'* ]]
	run -0 audit query
	[[ ${#lines[@]} = 3 && ${lines[1]} == *first* && ${lines[2]} == *second* ]]
	"$python" -c 'import json
rows = [json.loads(line) for line in open("log/log")]
assert [d["seq"] for d in rows] == [1, 2, 3]
assert rows[0]["time"] > rows[1]["time"] > rows[2]["time"]
assert all(isinstance(d["sinceBootUs"], int) for d in rows)'
}

@test "query: an end whose beginning is gone still counts" {
	make_few
	sed -i 1d log/log
	run -0 audit query --session agent:main:main
	[[ ${lines[1]} == *'exited 2 '*'end of 1' ]]
}

@test "query: of many, the last ones, within bounds" {
	make_log 500 20000
	run -0 audit query --limit 7
	[ "${#lines[@]}" = 9 ]
	[[ ${lines[8]} == *'earlier ones match too; --limit shows more' ]]
	run -125 audit query --limit 100001
}

@test "a table is cut to the terminal, and no character is lost without one" {
	"$HELPERS/auditmake" log lines >numbers <<-END
		event $T "event":"deny","session":"s","tool":"exec","argv":["$(printf 'ä%.0s' {1..200})"],"verdict":"deny"
	END
	run -0 audit query
	[[ ${lines[1]} == *"$(printf 'ä%.0s' {1..200})"* ]]
	run -0 "$HELPERS/withpty" "$WARD" audit query --folder "$PWD/log"
	[[ ${lines[1]} == *ä...* ]]
}

@test "tail: the last lines of a log in several files" {
	make_log 300 20000
	for n in 1 3 20 100 100000; do
		audit tail -n "$n" --json >out
		cat log/log.* log/log | tail -n "$n" >wanted
		cmp out wanted
	done
	run -0 audit tail
	[ "${#lines[@]}" = 21 ]
	[[ ${lines[20]} == *"$(tail -n 1 log/log | cut -d, -f1 | tr -dc 0-9) 2026-"* ]]
}

@test "tail -f: goes on across files that are put aside" {
	make_log 5 3000
	"$WARD" audit tail --folder "$PWD/log" -n 1000 -f --json >out 2>err 3>&- &
	children+=($!)
	until_lines() {
		local i
		for ((i = 0; i < 600; i++)); do
			[ "$(wc -l <out)" -lt "$1" ] || return 0
			sleep 0.05
		done
		echo "$(wc -l <out) lines, not $1" && cat err && return 1
	}
	until_lines "$(cat log/log* | wc -l)"
	for i in 1 2 3 4 5 6; do
		make_log 10 3000
		[ "$i" != 3 ] || until_lines "$(cat log/log* | wc -l)"
	done
	until_lines "$(cat log/log* | wc -l)"
	kill "${children[0]}"
	cat log/log.* log/log | cmp - out
	[ "$(ls log | wc -l)" -gt 5 ]
}

@test "verify: what was changed, removed, inserted, moved or cut is found, and where" {
	local file
	make_log 40 8000
	cp -r log good
	run -0 audit verify
	[[ $output == 'good: '* ]]
	audit verify --json >out
	json out 'd["good"] and d["first"] == 1 and d["files"] > 2 and not d["anchored"]'
	file=$(ls log/log.* | sed -n 2p)
	try() { # FAULT SEQ COMMAND...
		local fault=$1 seq=$2
		shift 2
		rm -rf log && cp -r good log
		"$@"
		run -1 audit verify --json
		echo "$output" >out
		json out "not d['good'] and d['fault'] == '$fault' and d['seq'] == $seq"
		run -1 audit verify
		[[ $output == damaged:* ]]
	}
	first=$((10#${file##*.}))
	try chain "$((first + 2))" sed -i '2s/"event"/"evenx"/' "$file"
	json out "d['file'] == '${file##*/}'"
	try number "$((first + 1))" sed -i 2d "$file"
	try number "$((first + 2))" sed -i 2p "$file"
	try number "$((first + 1))" sed -i '2{h;d};3{G}' "$file"
	try no-line "$((first + 1))" sed -i '1a hello' "$file"
	try number "$first" rm "$file"
	try gone 1 rm "$(ls good/log.* | head -n 1 | sed s/good/log/)"
	try cut "$(tail -n 1 good/log | cut -d, -f1 | tr -dc 0-9)" sed -i '$d' log/log
	try no-head "$(($(tail -n 1 good/log | cut -d, -f1 | tr -dc 0-9) + 1))" rm log/head
	rm -rf log && cp -r good log
	run -0 audit verify
}

@test "verify: an anchor proves that the end was not cut and nothing was written anew" {
	make_log 10
	cp -r log older
	make_log 10
	audit anchor anchor
	head=$(audit anchor)
	[[ $head =~ ^[0-9]+:[0-9a-f]{64}$ ]]
	audit anchor --json | cmp - anchor
	run -0 audit verify --anchor anchor
	[[ $output == *'the anchor is among them'* ]]
	run -0 audit verify --head "$head"
	make_log 10
	run -0 audit verify --anchor anchor
	# The control: each of these is good in itself.
	rm -r log && cp -r older log
	run -0 audit verify
	run -1 audit verify --anchor anchor
	run -1 audit verify --head "$head"
	rm -r log && make_log 30
	"$HELPERS/auditmake" other many 31 1794000001 60000
	run -0 "$WARD" audit verify --folder "$PWD/other"
	run -1 "$WARD" audit verify --folder "$PWD/other" --anchor anchor
	rm -r log
	run -1 audit verify --anchor anchor
	echo '{}' >anchor
	run -125 audit verify --anchor anchor
	run -125 audit verify --head 5
}

@test "anchor: nothing is noted of a damaged log" {
	make_log 10
	sed -i '3s/cwd/cwx/' log/log
	run -125 audit anchor
	[[ $output == *'damaged at line'* ]]
	run -125 audit anchor file
	[ ! -e file ]
}

@test "what others could have written is not read" {
	make_log 3
	chmod 666 log/log
	run -125 audit query
	[[ $output == *'belongs to somebody else'* ]]
	chmod 600 log/log
	chmod 777 log
	run -125 audit verify
	if [ "$(id -u)" = 0 ]; then
		chmod 700 log
		chown 12345 log/log
		run -125 audit tail
	fi
}

@test "a reader keeps no writer waiting" {
	make_log 2000
	mkfifo pipe
	"$WARD" audit export --folder "$PWD/log" -o pipe 3>&- &
	children+=($!)
	exec 7<pipe
	# It waits for us in the middle of its work.
	read -r -n 100 -u 7 _
	timeout 20 "$HELPERS/auditmake" log many 1 1794000000 1000
	exec 7<&-
}

@test "export: CSV that no spreadsheet takes for formulas, JSON lines, OCSF" {
	make_few
	audit export --format csv -o out.csv
	[ "$(stat -c %a out.csv)" = 600 ]
	"$python" - <<-'END'
		import csv
		rows = {r["seq"]: r for r in csv.DictReader(open("out.csv", newline=""))}
		assert sorted(rows) == ["1", "2", "3", "5", "6"], rows
		assert rows["1"]["what"] == "make -j8 'a b'" and rows["1"]["exitCode"] == "2"
		assert rows["1"]["durationMs"] == "2000.500" and rows["1"]["deniedHosts"] == "evil.example:443"
		assert rows["3"]["why"] == "not for this agent" and rows["2"]["exitCode"] == ""
	END
	audit export >out.jsonl
	"$python" - <<-'END'
		import json
		rows = [json.loads(x) for x in open("out.jsonl")]
		assert sum((r["begin"] is not None) + (r["end"] is not None) for r in rows) == 7
	END
	audit export --format ocsf >out.ocsf
	"$python" - <<-'END'
		import json
		rows = [json.loads(x) for x in open("out.ocsf")]
		for r in rows:
		    assert r["type_uid"] == r["class_uid"] * 100 + r["activity_id"] and r["category_uid"] == r["class_uid"] // 1000
		    assert r["metadata"]["version"] and r["metadata"]["product"]["name"] == "ward" and r["time"] >= 1794000000000
		    assert {"severity_id", "status_id", "actor", "device"} <= set(r)
		by = {(r["class_uid"], r["metadata"]["sequence"]): r for r in rows}
		run, flow, file, deny = by[1007, 1], by[4001, 1], by[1001, 6], by[0, 3]
		assert run["exit_code"] == 2 and run["status_id"] == 2 and run["process"]["name"] == "make" and run["duration"] == 2000
		assert run["unmapped"]["usage"]["userMs"] == 7 and run["actor"]["user"] == {"name": "main", "uid": "7"}
		assert flow["dst_endpoint"] == {"hostname": "evil.example", "port": 443} and flow["disposition_id"] == 2
		assert file["file"]["path"] == "src/a.c" and file["activity_id"] == 2 and file["status_id"] == 1
		assert deny["action_id"] == 2 and by[1007, 2]["status_id"] == 0
	END
	run -125 audit export --format xml
	run -125 audit export -o /nowhere/file
}

@test "export: a device is written to, not replaced" {
	make_few
	[ "$(id -u)" != 0 ] || mknod -m 666 null c 1 3 || skip 'no device can be made here'
	[ -e null ] || ln -s /dev/null null
	audit export -o null
	[ ! -f null ]
}

@test "text of others is harmless in every form" {
	make_hostile
	for command in tail query 'query --json' 'tail --json' export 'export --format csv' 'export --format ocsf' report verify; do
		# shellcheck disable=SC2086
		audit $command >out
		harmless out || { echo "$command" && return 1; }
	done
	# The control: it is in there.
	grep -q '\\u001b\[2J' log/log
	audit query | grep -q -F "\\x1b[2J\\x07"
	audit export --format csv >out.csv
	"$python" - <<-'END'
		import csv
		cells = [c for r in csv.reader(open("out.csv", newline="")) for c in r]
		assert any(c.startswith("'=cmd") for c in cells) and not any(c[:1] in ("=", "+", "-", "@") for c in cells)
	END
}

@test "lines that cannot be read are counted, and the others shown" {
	make_few
	printf '%s\n' '{"seq":8,"prev":"' '\x1b[2J' "$(head -c 200000 /dev/zero | tr '\0' x)" >>log/log
	run -0 --separate-stderr audit query
	[ "${#lines[@]}" = 6 ]
	[[ $stderr == *'3 lines of the audit log cannot be read'* ]]
	run -0 --separate-stderr audit report -o page
	[[ $(cat page) == *'The log is damaged at line 8'* ]]
}

# page FILE: what a browser has to say of it, in `console`; where it wanted to go, in `urls`.
page() {
	rm -rf browser
	HOME=$PWD timeout -k 5 100 chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --disable-dev-shm-usage "--user-data-dir=$PWD/browser" \
		--host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr "--log-net-log=$PWD/net" \
		--dump-dom "file://$PWD/$1" >dom 2>err 3>&-
	grep CONSOLE err >console || true
	# Those of the browser's own are none of ours.
	grep -o '"url":"[^"]*"' net | grep -v -E '://[a-z0-9.]*(google|googleapis)\.com/' >urls || true
}

@test "report: a browser finds no fault in it, and goes nowhere" {
	command -v chromium >/dev/null || skip 'chromium is not there'
	# The controls: both would be seen.
	echo '<meta http-equiv="Content-Security-Policy" content="default-src '"'none'"'"><script>alert(1)</script>' >bad.html
	page bad.html
	[ -s console ]
	echo '<img src="http://evil.test/x">' >bad.html
	page bad.html
	grep -q evil.test urls
	make_hostile
	make_log 200
	audit report -o page.html
	page page.html
	cat console urls
	[ ! -s console ]
	[ ! -s urls ]
	# It was drawn, style and all, and what others wrote is text.
	grep -q '<h1>Audit report</h1>' dom
	grep -q '&lt;script&gt;alert(1)&lt;/script&gt;' dom
	[ "$(grep -c '<figure' dom)" = 5 ]
	run ! grep -E '<(script|img|svg onload)' page.html
	run -0 grep -c 'http://evil.test' page.html
}

@test "report: its policy allows its own style and nothing else" {
	make_few
	audit report >page.html
	"$python" - <<-'END'
		import base64, hashlib, re
		text = open("page.html", encoding="utf-8").read()
		policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
		style = re.search(r"<style>(.*?)</style>", text, re.S).group(1)
		hash = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
		assert policy.startswith("default-src 'none'; ") and "style-src 'sha256-%s'" % hash in policy, policy
		assert "unsafe" not in policy and "script-src" not in policy and text.count("<style") == 1
		assert not re.search(r"\s(style|on\w+)=", re.sub(r">[^<]*<", "><", text)), "something inline"
		assert not re.search(r'(src|href)="(?!data:,")', text)
	END
	run -0 audit report --since 2026-11-07
	[[ $output == *'<b>0</b><span>requests</span>'* ]]
}
