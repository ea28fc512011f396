# SPDX-License-Identifier: Apache-2.0
#
# Counts one TAP stream. Set `status` to the exit status of the program that wrote it. The first line out is
# "passed failed skipped", then one line each for what went wrong as a whole and for every skipped test.
# Only a stream that keeps to its plan, from a program that ends as it says, counts as passed.

/^1\.\.[0-9]+/ {
	plans++
	planned = substr($1, 4) + 0
	if (planned == 0 && match(tolower($0), /# *skip/))
		skip(substr($0, RSTART + RLENGTH), "all of it")
	next
}
/^(not )?ok([ \t]|$)/ {
	ran++
	if ($1 == "not") {
		failed++
	} else if (match(tolower($0), /# *skip(ped)?/)) {
		skip(substr($0, RSTART + RLENGTH), substr($0, 1, RSTART - 1))
	} else {
		passed++
	}
	next
}
/^Bail out!/ { problem("gave up: " $0) }

function skip(reason, name)
{
	sub(/^[: \t]+/, "", reason)
	sub(/^ok [0-9]* *-? */, "", name)
	sub(/[ \t]+$/, "", name)
	skips[++skipped] = name (reason == "" ? ": no reason given" : ": " reason)
}

function problem(text)
{
	problems[++broken] = text
}

END {
	if (plans != 1)
		problem(plans ? "more than one plan" : "no plan: it never said how many tests there are")
	else if (planned != ran + 0)
		problem("planned " planned " tests, ran " ran + 0)
	else if (planned == 0 && skipped == 0)
		problem("no tests in it")
	if (status != 0 && failed == 0)
		problem("ended with status " status (status == 124 ? " (took too long)" : ""))
	if (status == 0 && failed > 0)
		problem("ended with status 0 although a test failed")
	print passed + 0, failed + broken, skipped + 0
	for (i = 1; i <= broken; i++)
		print "problem", problems[i]
	for (i = 1; i <= skipped; i++)
		print "skip", skips[i]
}
