#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# `ward config import`: configurations of other systems, as people write them, become ones that ward loads.
# tests/data/import holds each source and, with the end .want.json5, what becomes of it.

bats_require_minimum_version 1.5.0

setup() {
	data=$(cd "$BATS_TEST_DIRNAME/../data/import" && pwd)
	cd "$BATS_TEST_TMPDIR" || return 1
}

sources() {
	find "$data" -type f ! -name '*.want.json5' | sort
}

@test "every source gives the expected text" {
	local file name count=0
	while read -r file; do
		name=$(basename "$file")
		"$WARD" config import --from "${name%%-*}" "$file" >result.json5
		diff -u "$data/${name%.*}.want.json5" result.json5
		count=$((count + 1))
	done < <(sources)
	[ "$count" -ge 30 ]
}

@test "every result is a configuration that loads" {
	local file count=0
	for file in "$data"/*.want.json5; do
		cp "$file" result.json5
		chmod 600 result.json5
		"$WARD" config check --config result.json5
		count=$((count + 1))
	done
	[ "$count" -ge 30 ]
}

@test "a value that is not understood is an error with its place, and nothing is printed" {
	printf '{\n  sandbox: { mode: "sometimes" },\n}\n' >broken.json5
	run -125 --separate-stderr "$WARD" config import --from openclaw broken.json5
	[ -z "$output" ]
	# shellcheck disable=SC2154
	[[ $stderr == *"broken.json5:2:20: sandbox.mode: 'sometimes' is none of off, non-main, all"* ]]
}

@test "a file that cannot be read is an error" {
	run -125 --separate-stderr "$WARD" config import --from ash nothing.toml
	[ -z "$output" ]
	[[ $stderr == *nothing.toml* ]]
}

@test "an unknown system is an error that lists the known ones" {
	echo '{}' >empty.json5
	run -125 --separate-stderr "$WARD" config import --from opencaw empty.json5
	[ -z "$output" ]
	[[ $stderr == *"did you mean 'openclaw'?"* ]]
}

@test "secrets of the foreign file do not appear in the result" {
	run -0 "$WARD" config import --from openclaw "$data/openclaw-agents.json5"
	[[ $output != *"not shown"* ]]
	run -0 "$WARD" config import --from ash "$data/ash-gvisor.toml"
	[[ $output != *"not shown"* ]]
}
