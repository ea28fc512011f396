#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The sockets of sandboxes and of requests that wait: where they may be, and who may come.
# shellcheck disable=SC2016 # expanded inside
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

export XDG_STATE_HOME=$BATS_FILE_TMPDIR/state

teardown() {
	local pid
	for pid in "${children[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[ -z "${open-}" ] || { as_other 54321 "$WARD" stop --force --session peers || true; } 2>/dev/null
	rm -rf "${open-}"
}

as_other() { # UID COMMAND...: in a folder that everybody can enter
	setpriv "--reuid=$1" "--regid=$1" --clear-groups env -C "$open/w" HOME="$open" XDG_RUNTIME_DIR="$open/run" \
		XDG_STATE_HOME="$open/state" XDG_CONFIG_HOME="$open/config" "${@:2}"
}

# come UID SOCKET: comes as that user and says something; prints what it hears.
come() {
	as_other "$1" "$python" -c 'import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.settimeout(2)
try:
    s.connect(sys.argv[1])
    while True:
        got = s.recv(1 << 20)
        if not got:
            break
        print("heard", len(got))
    print("sent away")
except TimeoutError:
    print("let in")
except OSError as e:
    print("sent away", e)' "$2"
}

@test "another user is sent away, even where modes would let them in" {
	[ "$(id -u)" = 0 ] || return 0 # nobody else can become another user
	open=$(mktemp -d /tmp/ward-peers.XXXXXX)
	chmod 755 "$open"
	mkdir "$open"/{w,run,state,config}
	chown -R 54321:54321 "$open"
	as_other 54321 sh -c 'umask 0; exec "$0" exec --session peers -- true' "$WARD"
	chmod -R a+rwX "$open/run"
	mapfile -t sockets < <(find "$open/run" -type s)
	[ "${#sockets[@]}" -gt 0 ]
	for s in "${sockets[@]}"; do
		chmod 777 "$s"
		run -0 come 54321 "$s" # the control
		[[ $output == *'let in'* ]] || { echo "$s: $output" && return 1; }
		run -0 come 54322 "$s"
		[[ $output == 'sent away'* ]] || { echo "$s: $output" && return 1; }
	done
	chmod -R go-w "$open/run"
	# The owner's commands have not noticed.
	[ "$(as_other 54321 "$WARD" exec --session peers -- echo still)" = still ]
}

@test "a folder that others can write, or that is a link or a file, is not used" {
	[ "$(id -u)" != 0 ] || return 0 # root has one of its own
	local bad=$BATS_TEST_TMPDIR/bad
	mkdir "$bad" "$BATS_TEST_TMPDIR/else"
	for what in writable link file; do
		rm -rf "$bad/ward"
		case $what in
		writable) mkdir -m 777 "$bad/ward" && chmod 777 "$bad/ward" ;;
		link) ln -s "$BATS_TEST_TMPDIR/else" "$bad/ward" ;;
		file) echo kept >"$bad/ward" ;;
		esac
		XDG_RUNTIME_DIR=$bad run -125 "$WARD" exec -- touch ran
		[[ $output == *"$bad"* ]]
		[ ! -e ran ]
	done
	[ "$(cat "$bad/ward")" = kept ]
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/else")" ]
}

@test "a folder with a long name: sandboxes and requests are found there" {
	[ "$(id -u)" != 0 ] || return 0 # root has one of its own
	local long
	long=$BATS_TEST_TMPDIR/$(printf 'x%.0s' {1..200})
	mkdir "$long"
	export XDG_RUNTIME_DIR=$long
	[ "$("$WARD" exec -- echo there)" = there ]
	[ "$("$WARD" exec -- echo again)" = again ]
	"$WARD" stop
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho ran\n' >"$BATS_TEST_TMPDIR/bin/tool"
	chmod 755 "$BATS_TEST_TMPDIR/bin/tool"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH "$WARD" run --set tools.elevated.enabled=true \
		--set 'tools.elevated.patterns=["tool *"]' -- tool far 2>/dev/null 3>&- &
	children+=($!)
	for _ in {1..100}; do
		run -0 "$WARD" approvals
		[[ $output != *"tool far"* ]] || break
		sleep 0.05
	done
	[[ $output == *"tool far"* ]]
}
