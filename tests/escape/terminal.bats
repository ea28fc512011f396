#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The caller's terminal: nothing can be typed into it from inside, and its settings are as they were.

# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

# on_terminal OPTION... -- COMMAND...: ward on a terminal of its own; what it printed in `shown`, the state of the
# terminal in `state`.
on_terminal() {
	(cd "$W" && timeout -k 5 60 "$WITHPTY" "$WARD" "${enter[@]}" "$@") >"$BATS_TEST_TMPDIR/shown" 2>"$BATS_TEST_TMPDIR/state"
}

# Types "touch typed" into whatever terminal it can reach.
type_script='import ctypes, fcntl, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p]
def put(fd, request):
    worked = 0
    for c in b"touch typed\n":
        b = ctypes.c_char(c)
        worked += libc.ioctl(fd, request, ctypes.addressof(b)) == 0
    return worked
fds = [0, 1, 2]
try: fds.append(os.open("/dev/tty", os.O_RDWR))
except OSError: pass
total = sum(put(fd, r) for fd in fds for r in (0x5412, 0x5412 | 1 << 32, 0x5412 | 1 << 63))
open("typed-count", "w").write(str(total))'

prepare() {
	echo "$type_script" >"$W/type.py"
	PYTHON=/usr/bin/python3
}

have_python() {
	[ -x "$PYTHON" ] || skip 'python3 is not in /usr/bin'
}

@test "characters cannot be put into the caller's terminal, without and with one of the program's own (filter, new session)" {
	have_python
	if [ "$(cat /proc/sys/dev/tty/legacy_tiocsti 2>/dev/null || echo 1)" = 1 ]; then
		(cd "$OUTSIDE" && "$WITHPTY" "$PYTHON" "$W/type.py") >/dev/null 2>"$BATS_TEST_TMPDIR/state"
		grep -qE '^input [1-9]' "$BATS_TEST_TMPDIR/state" || void 'nothing was put in without ward'
	fi
	on_terminal -- "$PYTHON" type.py
	[ "$(cat "$W/typed-count")" = 0 ]
	grep -qx 'input 0' "$BATS_TEST_TMPDIR/state"
	rm "$W/typed-count"
	on_terminal -t -- "$PYTHON" type.py
	[ "$(cat "$W/typed-count")" = 0 ]
	grep -qx 'input 0' "$BATS_TEST_TMPDIR/state"
}

@test "console and line discipline requests on a terminal are refused (filter)" {
	local t
	answers ioctl
	all_refused 'EPERM|ENOSYS'
	for t in '' -t; do
		# shellcheck disable=SC2086
		on_terminal $t -- ./payload --group ioctl || [ $? = 1 ]
		[ "$(grep -c ': EPERM' "$BATS_TEST_TMPDIR/shown")" -ge 11 ] || { cat "$BATS_TEST_TMPDIR/shown" && false; }
		grep -qx 'input 0' "$BATS_TEST_TMPDIR/state"
	done
}

@test "the caller's terminal is not the program's controlling terminal (new session)" {
	"$WITHPTY" sh -c 'exec 3<>/dev/tty' 2>/dev/null || void 'there is no controlling terminal without ward'
	on_terminal -- sh -c '(exec 3<>/dev/tty) 2>/dev/null && touch opened; tty >tty; touch ran'
	[ -e "$W/ran" ]
	unmade "$W/opened"
	rm "$W/ran"
	# Where names are hidden it is the broker that opens.
	on_terminal --set 'hide=["secret"]' -- sh -c '(exec 3<>/dev/tty) 2>/dev/null && touch opened; touch ran'
	[ -e "$W/ran" ]
	unmade "$W/opened"
}

@test "with a terminal of its own the program does not see the caller's" {
	on_terminal -t -- sh -c 'test -t 0 && test -t 1 && touch terminal; tty >tty; ls /dev/pts >pts; (exec 3<>/dev/tty) 2>/dev/null && touch opened'
	[ -e "$W/terminal" ] || void 'there is no terminal inside'
	[ -e "$W/opened" ]
	[ "$(grep -cE '^[0-9]+$' "$W/pts")" -le 1 ]
}

@test "the settings of the caller's terminal are restored, whatever the program or its end" {
	on_terminal -t -- sh -c 'stty raw -echo; exit 3' || [ $? = 3 ]
	grep -qx 'settings same' "$BATS_TEST_TMPDIR/state"
	# shellcheck disable=SC2016
	on_terminal -t -- sh -c 'kill -9 $$' || [ $? = 137 ]
	grep -qx 'settings same' "$BATS_TEST_TMPDIR/state"
	on_terminal -t --set timeout=1s -- ./payload live/stubborn || [ $? = 124 ]
	grep -qx 'settings same' "$BATS_TEST_TMPDIR/state"
}

@test "Ctrl-C on the terminal reaches the program and ends it" {
	local status=0
	(cd "$W" && timeout -k 5 60 "$WITHPTY" -w ready -s $'\003' "$WARD" "${enter[@]}" -t -- sh -c 'trap "touch trapped; exit 5" INT; echo ready; sleep 50; exit 6') \
		>/dev/null 2>"$BATS_TEST_TMPDIR/state" || status=$?
	[ "$status" = 5 ]
	[ -e "$W/trapped" ]
	grep -qx 'settings same' "$BATS_TEST_TMPDIR/state"
}

@test "Ctrl-C without a terminal of its own ends the sandbox" {
	local status=0
	(cd "$W" && timeout -k 5 60 "$WITHPTY" -w ready -s $'\003' "$WARD" "${enter[@]}" -- sh -c 'echo ready; exec sleep 1000') \
		>/dev/null 2>&1 || status=$?
	[ "$status" = 130 ]
}
