#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# `ward shell` and `ward top` on a real terminal emulator: keys in, screen out.
# shellcheck disable=SC2016,SC2030,SC2031 # expanded inside; each test is a process of its own
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
many_sandboxes
export TMUX_TMPDIR=$BATS_FILE_TMPDIR

teardown() {
	tmux -L "$BATS_TEST_NUMBER" kill-server 2>/dev/null || true
	cd "$BATS_TEST_TMPDIR/w" || return
	for session in main other; do "$WARD" stop --force --session "$session" 2>/dev/null || true; done
}

t() {
	tmux -L "$BATS_TEST_NUMBER" "$@" 3>&-
}

on_screen() { # COMMAND: on a terminal of 100 columns and 20 lines
	t -f /dev/null new-session -d -x 100 -y 20 "$1; echo ended; sleep 100"
}

keys() {
	t send-keys "$@"
}

# until the screen has that text
shows() {
	local i
	for ((i = 0; i < 200; i++)); do
		t capture-pane -p | grep -qF -- "$1" && return
		sleep 0.05
	done
	echo "never shown: $1"
	t capture-pane -p
	return 1
}

shows_not() {
	local i
	for ((i = 0; i < 200; i++)); do
		t capture-pane -p | grep -qF -- "$1" || return 0
		sleep 0.05
	done
	t capture-pane -p
	return 1
}

@test "shell: a prompt, commands, size, interrupt, job control, end" {
	on_screen "$WARD shell"
	shows '$'
	keys 'echo o""ne; stty size' Enter
	shows 'one'
	shows '20 100'
	t resize-window -x 77 -y 15
	keys 'stty size' Enter
	shows '15 77'
	keys 'sleep 1000' Enter
	sleep 0.3
	keys C-c
	keys 'echo status $?' Enter
	shows 'status 130'
	keys 'cat' Enter
	sleep 0.3
	keys C-z
	shows 'topped'
	keys 'jobs; fg' Enter
	keys 'through cat' Enter
	shows 'through cat'
	keys C-d
	keys 'printf "\033[31mred\033[0m\n"' Enter
	shows 'red'
	t capture-pane -pe | grep -q $'\033\[31mred'
	keys 'exit 7' Enter
	shows 'ended'
}

@test "top: sandboxes come and go, are sorted, chosen and stopped" {
	"$WARD" exec -- true
	on_screen "$WARD top"
	shows '1 sandbox,'
	shows 'agent:main:main'
	"$WARD" exec --session other --background -- sh -c 'while :; do :; done'
	shows '2 sandboxes'
	shows 'agent:main:other'
	# The busy one comes first.
	busy_first() { t capture-pane -p | sed -n 3p | grep -q other; }
	for ((i = 0; i < 100; i++)); do busy_first && break; sleep 0.1; done
	busy_first
	keys n
	shows 'by name'
	t capture-pane -p | sed -n 3p | grep -q 'main:main'
	keys m
	shows 'by memory'
	keys c
	shows 'by cpu'
	keys k
	shows 'stop the sandbox of agent:main:other, 1 running? y/n'
	keys n
	shows_not 'y/n'
	keys c
	shows 'by cpu'
	keys k
	shows 'y/n'
	keys y
	shows '1 sandbox,'
	run -0 "$WARD" list
	[[ $output == *main:main* && $output != *main:other* ]]
	keys q
	shows 'ended'
}

@test "top: not on a terminal that would show the sequences" {
	run -125 env TERM=dumb "$HELPERS/withpty" "$WARD" top
	[[ $output == *"'ward top --once'"* && $output != *$'\e'* ]]
}

@test "top: a shell in the chosen sandbox, and back" {
	"$WARD" exec -- sh -c 'echo here >/tmp/mark'
	on_screen "$WARD top"
	shows 'agent:main:main'
	keys s
	shows '$'
	keys 'cat /tmp/m""ark' Enter
	shows 'here'
	keys 'exit' Enter
	shows '1 sandbox,'
	t resize-window -x 60 -y 10
	shows '1 sandbox,'
	keys q
	shows 'ended'
}

@test "top: the terminal is as it was, also after a signal" {
	on_screen "stty -a >before; $WARD top; stty -a >after"
	shows '0 sandboxes'
	kill "$(pgrep -f "^$WARD top" -P "$(t display-message -p '#{pane_pid}')")"
	shows 'ended'
	cmp before after
}
