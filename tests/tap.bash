# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs programs that speak TAP, one after the other, and adds up what they say. Used by tests/run and by the
# check of the runner itself. A suite is one program; its name is GROUP/NAME.

tap_dir=$(dirname "${BASH_SOURCE[0]}")
passed=0 failed=0 skipped=0
scratch=${scratch-} # a folder of the caller's, for what a suite prints
skips=()            # "suite: test: reason"
patterns=('*')
limit=900 # seconds a suite may take

# wanted SUITE: does the caller's choice include it?
wanted() {
	local pattern
	for pattern in "${patterns[@]}"; do
		# shellcheck disable=SC2053 # a pattern on purpose
		[[ $1 == $pattern ]] && return 0
	done
	return 1
}

# suite NAME COMMAND...: runs it, counts, prints one line; on failure everything it printed.
suite() {
	local name=$1 status=0 start=${EPOCHREALTIME/./} p f s kind text troubles=()
	shift
	timeout -k 10 "$limit" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null &
	job=$!
	wait "$job" || status=$?
	{
		read -r p f s
		while read -r kind text; do
			[ "$kind" = skip ] && skips+=("$name: $text")
			[ "$kind" = problem ] && troubles+=("$text")
		done
	} < <(awk -v status="$status" -f "$tap_dir/tap.awk" "$scratch/out")
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	summary "$name" "$p" "$f" "$s" $((${EPOCHREALTIME/./} - start))
	[ "$f" = 0 ] && return 0
	sed 's/^/    /' "$scratch/out" "$scratch/err"
	[ ${#troubles[@]} = 0 ] || printf '    %s\n' "${troubles[@]}"
	return 1
}

# summary NAME PASSED FAILED SKIPPED MICROSECONDS
summary() {
	local counts="$2 passed"
	[ "$3" = 0 ] || counts+=", $3 FAILED"
	[ "$4" = 0 ] || counts+=", $4 skipped"
	printf '%-34s %-30s %4d.%d s\n' "$1" "$counts" $(($5 / 1000000)) $(($5 / 100000 % 10))
}

# one NAME COMMAND...: a command that does not speak TAP, as a suite of one test.
one() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	suite "$1" bash -c 'echo 1..1; if "$@"; then echo "ok 1"; else echo "not ok 1"; exit 1; fi' - "${@:2}"
}

# finish: the skips with their reasons, then the line that everybody reads. Fails when a test failed.
finish() {
	local line
	for line in "${skips[@]}"; do
		echo "skipped  $line"
	done
	if [ "${CI-}" = true ] && [ "$skipped" -gt "${expected_skips:-0}" ]; then
		echo "more tests were skipped than tests/expected-skips allows ($expected_skips)"
		failed=$((failed + 1))
	fi
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
}
