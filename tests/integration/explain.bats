#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# `ward explain` on the configurations people write, word for word. The machine comes from a file, so that the
# answer is the same everywhere. tests/golden/update WARD writes the golden files anew; look at the difference.

bats_require_minimum_version 1.5.0

setup() {
	tests=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	cd "$BATS_TEST_TMPDIR" || return 1
	cp "$tests"/data/explain/*.json5 .
	chmod go-w ./*.json5
}

@test "every golden answer is given again" {
	local name count=0
	while IFS=$'\t' read -r name arguments; do
		eval "set -- $arguments"
		run -0 --separate-stderr "$WARD" explain --machine "$tests/data/machine/reference.json" "$@"
		# shellcheck disable=SC2154
		diff -u "$tests/golden/$name" <(printf '%s\n' "$output") || {
			echo "$name: ward explain $arguments"
			return 1
		}
		count=$((count + 1))
	done < <(grep -v '^#' "$tests/golden/index")
	[ "$count" -ge 25 ]
}

@test "an imported configuration is explained" {
	"$WARD" config import --from wonopcode "$tests/data/import/wonopcode-agents.json" >imported.json5
	for agent in code explore trusted; do
		"$WARD" explain --machine "$tests/data/machine/reference.json" --config imported.json5 --agent $agent >"answer-$agent"
		diff -u "$tests/golden/wonopcode-$agent.txt" "answer-$agent"
	done
}

@test "in the remote-server scenario deny is absolute and explain says that the rules can never match" {
	run -0 "$WARD" explain --config openclaw-remote-server.json5 --session ops -- systemctl status nginx
	[[ $output == *"these rules can never match: exec is not allowed, and deny is absolute"* ]]
	[[ $output == *"-> DENIED"* ]]
	[[ $output == *"tool 'exec' is denied by 'group:runtime' in tools.deny"* ]]
}

@test "coding does not contain web_search unless it is allowed" {
	run -126 "$WARD" tools check web_search
	run -0 "$WARD" tools check web_search --set 'tools.allow=["web_search"]'
}

@test "the machine that doctor describes is the machine that explain takes" {
	"$WARD" doctor --json >machine.json || [ $? = 1 ]
	run -0 "$WARD" explain --machine machine.json
	[[ $output == *"Enforced here by"* ]]
}
