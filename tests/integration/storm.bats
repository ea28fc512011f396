#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Sandboxes that live, under load and while everything of them is killed. With FULL=1: 100 sessions with 8 clients and
# 50 commands each, 500 moments, half an hour; else fewer. `make soak` runs the last one as long as it should be.
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
many_sandboxes

crowd=(10 3 8) strikes=60 soak=(10 20 5)
[ "${FULL:-0}" != 1 ] || crowd=(100 8 50) strikes=500 soak=(1800 20 20)

@test "many sessions, many clients, and killers: no wrong output, no lost result" {
	timeout 2400 "$python" "$tests/helpers/storm" crowd "${crowd[@]}"
}

@test "supervisor, init or ward killed at any moment: what is listed is what is there" {
	timeout 1800 "$python" "$tests/helpers/storm" strike "$strikes"
}

@test "commands for a while: nothing grows" {
	timeout 2400 "$python" "$tests/helpers/storm" soak "${soak[@]}"
}
