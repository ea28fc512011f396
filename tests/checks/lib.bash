# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# For the checks: rules about the tree, each reported as one test of a TAP stream. A check starts at the top
# of the tree and ends with `finish`.

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
count=0 broken=0
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# verdict STATUS NAME OUTPUT
verdict() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
		return
	fi
	broken=$((broken + 1))
	echo "not ok $count - $2"
	[ -z "$3" ] || printf '# %s\n' "${3//$'\n'/$'\n# '}"
}

# passes NAME COMMAND...: the command ends with 0; what it printed is shown otherwise.
passes() {
	local output status=0
	output=$("${@:2}" 2>&1) || status=$?
	verdict "$status" "$1" "$output"
}

# silent NAME COMMAND...: the command, which looks for offences, prints nothing.
silent() {
	local output
	output=$("${@:2}" 2>&1)
	verdict "${#output}" "$1" "$output"
}

# skip NAME REASON
skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

finish() {
	echo "1..$count"
	exit $((broken > 0))
}

# Every file of the tree that a person wrote.
tree_files() {
	find . \( -path ./.git -o -path './build*' \) -prune -o -type f -print | sed 's,^\./,,' | sort
}
