#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# ward itself is killed, at any moment: nothing of its sandbox lives on. Only an empty control group may be left, which
# the next ward removes. With FULL=1: 200 times; else 40.

# shellcheck disable=SC2016 # expanded inside
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

times=40
[ "${FULL:-0}" != 1 ] || times=200

# strike.py TIMES WORD OPTION...: starts ward, whose command has the word among its arguments, kills it after a random
# time within 40 ms, and fails when a process that was below it or has the word lives 2 s later, or another mount is
# there. Between start and end a process of the sandbox has no command line of its own yet: hence both.
setup_strike() {
	cat >"$BATS_TEST_TMPDIR/strike.py" <<-'END'
		import glob, os, random, signal, subprocess, sys, time
		times, word, options = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
		script = "touch started; (setsid sleep 1000.%s &) ; while :; do echo x >>beat; done" % word

		def read(path):
		    try:
		        with open(path, "rb") as f:
		            return f.read()
		    except OSError:
		        return b""

		def born(pid): # tells a process from a later one with its number
		    text = read("/proc/%s/stat" % pid)
		    return text[text.rfind(b")"):].split()[20] if text else None

		def dead(pid, birth):
		    text = read("/proc/%s/stat" % pid)
		    rest = text[text.rfind(b")") + 1:].split()
		    return not rest or rest[19] != birth or rest[0] in (b"Z", b"X")

		def below(pid, found):
		    for child in read("/proc/%s/task/%s/children" % (pid, pid)).decode().split():
		        birth = born(child)
		        if birth:
		            found[child] = birth
		            below(child, found)
		    return found

		def with_word():
		    return {p.split("/")[2] for p in glob.glob("/proc/[0-9]*/cmdline") if word.encode() in read(p)} - {str(os.getpid())}

		mounts = lambda: read("/proc/self/mountinfo")
		before, reached = mounts(), 0
		# As long as a whole run takes here, and a little more.
		begin = time.monotonic()
		subprocess.run([os.environ["WARD"], "run", *options, "--", "true"], stdin=-3, stdout=-3, stderr=-3)
		window = max(0.04, 3 * (time.monotonic() - begin))
		for i in range(times):
		    if os.path.exists("started"):
		        os.unlink("started")
		    p = subprocess.Popen([os.environ["WARD"], "run", *options, "--", "sh", "-c", script, word], stdin=-3, stdout=-3, stderr=-3)
		    after = random.uniform(0, window)
		    end = time.monotonic() + after
		    while time.monotonic() < end:
		        time.sleep(0.0002)
		    seen = below(str(p.pid), {})
		    p.kill()
		    p.wait()
		    reached += os.path.exists("started")
		    end = time.monotonic() + 2
		    while left := [c for c in seen if not dead(c, seen[c])] + sorted(with_word()):
		        if time.monotonic() > end:
		            for c in left:
		                print(c, read("/proc/%s/stat" % c), read("/proc/%s/cmdline" % c), read("/proc/%s/wchan" % c))
		            sys.exit("killed after %.1f ms, and 2 s later these live" % (after * 1000))
		        time.sleep(0.01)
		    if mounts() != before:
		        sys.exit("killed after %.1f ms: other mounts" % (after * 1000))
		print("%d of %d commands had begun" % (reached, times))
		if not reached:
		    sys.exit("no command ever began")
	END
}

# no_groups: those that the killed ones left are gone after the next run, or with it.
no_groups() {
	local i left
	for ((i = 0; i < 20; i++)); do
		ward_run -- true
		left=$(find /sys/fs/cgroup -type d -name 'ward-*' -newer "$BATS_TEST_TMPDIR/w" 2>/dev/null | while read -r group; do
			# That of a ward which lives is its own.
			pid=${group##*/ward-}
			[ -d "/proc/${pid%%-*}" ] || echo "$group"
		done)
		[ -n "$left" ] || return 0
		sleep 0.1
	done
	echo "control groups are left: $left"
	return 1
}

@test "kill -9 at any moment from the start to a while after it" {
	setup_strike
	"$python" "$BATS_TEST_TMPDIR/strike.py" "$times" "$(a_word)"
	no_groups
	[ ! -e beat ] || still beat
}

@test "likewise when the output passes through ward" {
	setup_strike
	"$python" "$BATS_TEST_TMPDIR/strike.py" $((times / 2)) "$(a_word)" --json --set timeout=50s --set outputLimit=1M
	no_groups
	[ ! -e beat ] || still beat
}

@test "kill -9 of a ward whose command lives, with daemons and what ignores signals" {
	cp "$HELPERS/payload" .
	word=$(a_word)
	start -- sh -c './payload live/daemon heartbeat; ./payload live/stubborn "$1" & setsid ./payload live/stubborn "$1" & touch ready; wait' - "$word"
	[ "$(with_word "$word" | wc -l)" -ge 3 ]
	kill -9 "$SANDBOX"
	wait "$SANDBOX" || true
	gone "$word"
	still heartbeat
	no_groups
}

@test "kill -9 of the sandbox's first process: ward ends, says so, and nothing is left" {
	word=$(a_word)
	start --json -- sh -c 'touch ready; sleep 1000; :' "$word"
	first=$(cat "/proc/$SANDBOX/task/$SANDBOX/children")
	# shellcheck disable=SC2086 # one word, with a blank behind it
	if [ "$(id -u)" != 0 ] && ! kill -0 $first 2>/dev/null; then skip 'the first process is not to be signalled'; fi
	# shellcheck disable=SC2086
	kill -9 $first
	ended
	[ "$status" != 0 ]
	gone "$word"
	no_groups
}

@test "ward that is stopped can be killed as well" {
	word=$(a_word)
	start -- sh -c 'touch ready; sleep 1000; :' "$word"
	kill -STOP "$SANDBOX"
	kill -9 "$SANDBOX"
	wait "$SANDBOX" || true
	gone "$word"
}

@test "the parent of ward is killed: the sandbox ends when ward is told, and not before" {
	word=$(a_word)
	bash -c '"$WARD" run -- sh -c "touch ready; while [ ! -e go ]; do sleep 0.1; done; touch done" - "$1" & wait' - "$word" 3>&- &
	parent=$!
	until_there ready
	kill -9 "$parent"
	wait "$parent" || true
	touch go
	until_there 'done'
	gone "$word"
}
