#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# `ward doctor` on this machine, whatever it offers, and on machines that a file describes.

bats_require_minimum_version 1.5.0

setup() {
	tests=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	cd "$BATS_TEST_TMPDIR" || return 1
}

# Made-up engines, found before any real ones.
engine() { # NAME OUTPUT
	mkdir -p bin
	printf '#!/bin/sh\necho %s\n' "'$2'" >"bin/$1"
	chmod +x "bin/$1"
}

@test "this machine is judged, by text and status alike" {
	run "$WARD" doctor
	[ "$status" = 0 ] || [ "$status" = 1 ]
	[[ $output == *"$(uname -r)"* ]]
	if [ "$status" = 0 ]; then
		[[ $output == *'can enforce the default policy'* ]]
	else
		[[ $output == *'cannot enforce the default policy'* ]]
	fi
}

@test "what doctor says of this machine can be read back and means the same" {
	run "$WARD" doctor
	first=$status
	"$WARD" doctor --json >machine.json || [ "$first" = 1 ]
	run "$WARD" doctor --machine machine.json
	[ "$status" = "$first" ]
	run -0 "$WARD" explain --machine machine.json
}

@test "nothing is left behind" {
	cp "$WARD" ./ward-left # a name of its own, to look for
	before=$(wc -l </proc/self/mountinfo)
	./ward-left doctor >out || [ $? = 1 ]
	[ "$(wc -l </proc/self/mountinfo)" = "$before" ]
	[ ! -e /tmp/lower ]
	[ ! -e /tmp/upper ]
	run ! grep -lF ward-left <(readlink /proc/[0-9]*/exe)
}

@test "user namespaces without rights: status 1, the reason and both remedies" {
	run -1 "$WARD" doctor --machine "$tests/data/machine/ubuntu-apparmor.json"
	[[ $output == *'user namespaces                   missing  AppArmor takes all rights'* ]]
	[[ $output == *'install an AppArmor profile'* ]]
	[[ $output == *'kernel.apparmor_restrict_unprivileged_userns=0'* ]]
	[[ $output == *'cannot enforce the default policy'* ]]
}

@test "old engines: each hole is named, and --strict tells continuous integration" {
	run -0 "$WARD" doctor --machine "$tests/data/machine/old-engines.json"
	for id in CVE-2025-31133 CVE-2025-52565 CVE-2025-52881 CVE-2026-41579 CVE-2026-30892 CVE-2026-47766; do
		[[ $output == *"$id"* ]]
	done
	[[ $output == *'released on 2022-11-22'* ]]
	[[ $output == *'as good as root'* ]]
	[[ $output == *'0 facilities limited or missing, 5 warnings'* ]]
	run -1 "$WARD" doctor --strict --machine "$tests/data/machine/old-engines.json"
}

@test "the same as JSON" {
	run -0 --separate-stderr "$WARD" doctor --json --machine "$tests/data/machine/old-engines.json"
	[[ $output == *'"complete": true,'*'"kernel": "6.1.0-13-amd64"'*'"missing": []'* ]]
	[ "$(grep -c '"kind": "warning"' <<<"$output")" = 5 ]
	[[ $output == *'"memory": {
      "enforced": true,
      "mechanism": "cgroup2",
      "why": null,
      "remedy": null
    }'* ]]
	run -1 --separate-stderr "$WARD" doctor --json --machine "$tests/data/machine/ubuntu-apparmor.json"
	[[ $output == *'"complete": false,'*'"facility": "userNamespaces",
      "state": "missing"'* ]]
}

@test "engines are found in PATH and asked for their version" {
	engine runc 'runc version 1.1.5+ds1'
	engine crun 'crun version 1.28'
	engine runsc 'no version here'
	PATH=$PWD/bin:$PATH run "$WARD" doctor
	[[ $output == *"1.1.5+ds1  $PWD/bin/runc"* ]]
	[[ $output == *'warning: runc 1.1.5+ds1 lacks the fix for CVE-2025-31133'* ]]
	[[ $output != *'crun 1.28 lacks'* ]]
	[[ $output == *'its version could not be read'* ]]
}

@test "a machine file that is wrong is refused with its place" {
	printf '{kernel: "6.1",\n facilities: {secomp: "ok"}}' >wrong.json
	run -125 --separate-stderr "$WARD" doctor --machine wrong.json
	# shellcheck disable=SC2154
	[[ $stderr == *'wrong.json:2:15: facilities.secomp: unknown key: did you mean '* ]]
	[ -z "$output" ]
	run -125 "$WARD" doctor --machine absent.json
	run -125 "$WARD" doctor --machine .
	mkfifo fifo
	run -125 "$WARD" doctor --machine fifo
	[[ $output == *'it is a FIFO'* ]]
}

@test "what a machine file says cannot act on the terminal" {
	printf '{kernel: "6.1\\u001b[31m", container: "\\u001b]0;x\\u0007", engines: {runc: {path: "/\\u001b[2J", version: "\\u001b[1m"}}}' >evil.json
	run "$WARD" doctor --machine evil.json
	[[ $output != *$'\e'* ]]
	[[ $output == *'6.1\x1b[31m'* ]]
}
