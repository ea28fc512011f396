# SPDX-License-Identifier: Apache-2.0
#
# C code without its comments and without what stands in quotes; lines keep their number.
{
	out = ""
	while ($0 != "") {
		if (comment) {
			if (!(at = index($0, "*/")))
				break
			$0 = substr($0, at + 2)
			comment = 0
		} else if (match($0, /^"([^"\\]|\\.)*"/)) {
			out = out "\"\""
			$0 = substr($0, RLENGTH + 1)
		} else if (match($0, /^'([^'\\]|\\.)*'/)) {
			out = out "' '"
			$0 = substr($0, RLENGTH + 1)
		} else if (substr($0, 1, 2) == "/*") {
			comment = 1
			$0 = substr($0, 3)
		} else if (substr($0, 1, 2) == "//") {
			break
		} else {
			out = out substr($0, 1, 1)
			$0 = substr($0, 2)
		}
	}
	print out
}
