#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# One door: the same requests through the command line, MCP and libward have the same verdicts, results and records.
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
many_sandboxes

teardown() {
	for entrance in cli mcp lib; do
		cd "$BATS_TEST_TMPDIR/$entrance/w" || continue
		"$WARD" stop --force --set "audit.path=$BATS_TEST_TMPDIR/$entrance/audit" "${more[@]}" 2>/dev/null || true
		"$WARD" discard --force "${more[@]}" >/dev/null 2>&1 || true
	done
	"$WARD" prune >/dev/null
}

# same SETTING...: compared, and the number that was is not small
same() {
	local s
	more=()
	for s; do more+=(--set "$s"); done
	run timeout -k 5 300 "$python" "$tests/helpers/parity.py" "$BATS_TEST_TMPDIR" "$@"
	echo "$output"
	[ "$status" = 0 ]
	[[ $output =~ ([0-9]+)\ requests,\ ([0-9]+)\ .*,\ ([0-9]+)\ records ]]
	[ "${BASH_REMATCH[1]}" -gt 90 ] && [ "${BASH_REMATCH[3]}" -gt "${BASH_REMATCH[1]}" ]
}

@test "with the policy that holds by default" {
	same
	[ "${BASH_REMATCH[2]}" -lt "$((BASH_REMATCH[1] * 8 / 10))" ]
}

@test "with tools that are denied" {
	same 'tools.deny=["exec", "write", "search"]'
}

@test "with a workspace that cannot be changed" {
	same workspace=ro
}

@test "with a workspace of changes" {
	same workspace=cow
}
