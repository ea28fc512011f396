# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034 # what is set here is read by the parts
#
# For the parts of the benchmark. bench/run has set in the environment:
#
#   BENCH       folder of these scripts
#   FOLDER      scratch: bin/ with ward and the tools, a folder for each account, rows of the report
#   WHO         root or user: the account whose turn it is
#   BENCH_UID, BENCH_GID    its numbers
#   PART        the part's own name
#   RUNS, ROUNDS, BENCH_SECONDS    how much is measured
set -eu
spawn=$FOLDER/bin/spawn
calls=$FOLDER/bin/calls
ward=$FOLDER/bin/ward
home=$FOLDER/$WHO/home
workspace=$FOLDER/$WHO/workspace

# Puts a command into the account, with nothing of the starter's own environment.
as=(env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 HOME="$home")
if [ "$BENCH_UID" != "$(id -u)" ]; then
	as=(setpriv --reuid="$BENCH_UID" --regid="$BENCH_GID" --clear-groups "${as[@]}")
fi

# --- numbers

calculate() { # FORMAT EXPRESSION: of numbers, for awk
	awk "BEGIN { printf \"$1\", ($2) }"
}
holds() { # CONDITION: of numbers, for awk
	awk "BEGIN { exit !($1) }"
}
median() { # NUMBER...
	printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"
}

# --- the report: a row is printed for people and kept for the documents, fields separated by tabs

row() { # WHAT FIGURE RATIO AGAINST BAR VERDICT REMARK
	printf '%-34s %10s %6s %-16s %-14s %-6s %s\n' "$@" | sed 's/ *$//'
	(
		IFS=$'\t'
		printf '%s\n' "$PART"$'\t'"$WHO"$'\t'"$*" >>"$FOLDER/rows"
	)
	case $6 in
	MISSED) : >"$FOLDER/missed" ;;
	'not met') : >"$FOLDER/unmet" ;; # a bar that fails nothing
	esac
}

# What ward enforced stands beside every figure of ward run; a part with options of its own has a file for it.
remark_on() { # WHAT
	case $1 in 'ward run'* | 'ward exec'*) cat "${ENFORCED:-$FOLDER/$WHO/enforced.short}" ;; esac
}
enforced_with() { # OPTION...: "enforced" in the answer of ward run, which is one object without another one inside
	"${as[@]}" "$ward" run --json "$@" -- /bin/true 2>/dev/null | tr '\n' ' ' |
		grep -oE '"enforced" *: *\{[^}]*\}' | sed 's/^[^{]*//' || true
}
in_short() { # of that on its input
	{ grep -oE '"[a-z]+" *: *("[^"]*"|[a-z]+)' || true; } | awk -F '"' '
		/: *(null|false|"none")$/ { lacking = lacking " " $2; next }
		{ count++ }
		END { print count ? "enforced: " count " layers" (lacking ? ", not" lacking : "") : "enforced: unknown" }'
}

# figure WHAT VALUE UNIT [AGAINST BASE [RELATION BAR]]: a figure, as a multiple of BASE, held to a bar.
# RELATION is '<=', '<' or '>='.
figure() {
	local ratio='' verdict='' bar='' value
	value=$(calculate "%.${DIGITS:-0}f" "$2")
	[ $# -lt 5 ] || ratio=$(calculate %.2f "$2 / $5")
	if [ $# = 7 ]; then
		case $6 in '<=') bar="at most $7" ;; '<') bar="below $7" ;; '>=') bar="at least $7" ;; esac
		holds "$2 / $5 $6 $7" && verdict=met || verdict=MISSED
	fi
	row "$1" "$value $3" "$ratio" "${4:+x $4}" "$bar" "$verdict" "$(remark_on "$1")"
}

# limit WHAT VALUE UNIT BAR: a figure held to a bar of its own.
limit() {
	local verdict=met
	holds "$2 <= $4" || verdict=MISSED
	row "$1" "$2 $3" '' '' "at most $4" "$verdict" "$(remark_on "$1")"
}

# What cannot be measured; of ward, that is a bar missed.
unmeasured() { # WHAT WHY
	local verdict=''
	case $1 in ward*) verdict=MISSED ;; esac
	row "$1" - '' '' '' "$verdict" "not measured: $2"
}

# --- commands that may not work here

# works COMMAND...: tries it once in the account; WHY has what it said when it failed.
works() {
	local status=0
	"${as[@]}" "$@" >"$FOLDER/said" 2>&1 </dev/null || status=$?
	WHY=$(tr -c '[:print:]\n' ' ' <"$FOLDER/said" | tr -d '\042\134\t' | grep -m1 . | cut -c1-100) ||
		WHY="it ended with status $status"
	return $status
}

ward_runs() { # WHAT: whether ward run works at all; otherwise that is the row
	works "$ward" run -- /bin/true || { unmeasured "$1" "$WHY" && return 1; }
}

# --- was the machine quiet?

stat_now() { # all jiffies, idle ones, stolen ones
	awk '/^cpu / { for (i = 2; i <= 9; i++) all += $i; print all, $5 + $6, $9 }' /proc/stat
}
busy() { # ALL IDLE STOLEN ALL IDLE STOLEN: per cent of the time between that was not idle
	calculate %.0f "$4 > $1 ? 100 - 100 * ($5 - $2) / ($4 - $1) : 0"
}
disturbed() { # WHAT
	echo "not quiet: $1"
	printf '%s\t%s\t%s\n' "$PART" "$WHO" "$1" >>"$FOLDER/noise"
}

# Nothing of the benchmark runs during this second, at the beginning of a part or in it: who else does?
listen() {
	local before after share
	before=$(stat_now)
	sleep 1
	after=$(stat_now)
	# shellcheck disable=SC2086 # three numbers each
	share=$(busy $before $after)
	[ "$share" -lt 8 ] || disturbed "others used $share % of the machine at that time"
}

began() {
	listen
	stat_now >"$FOLDER/began"
}
ended() {
	local before after stolen
	read -ra before <"$FOLDER/began"
	read -ra after <<<"$(stat_now)"
	stolen=$(calculate %.0f "100 * (${after[2]} - ${before[2]}) / (${after[0]} - ${before[0]} + 1)")
	[ "$stolen" -lt 2 ] || disturbed "the host of this machine took $stolen % of its time away"
}
spread() { # P50 P90, of the unit
	holds "$2 < 1.6 * $1" || disturbed "the slowest tenth of /bin/true took more than $(calculate %.1f "$2 / $1") times the median"
}

# --- other ways to do what ward run does, with as much as they can of its default policy

etc_files=()
for file in passwd group hosts resolv.conf nsswitch.conf ssl ld.so.cache alternatives localtime; do
	[ ! -e "/etc/$file" ] || etc_files+=("/etc/$file")
done
etc_binds=()
for file in "${etc_files[@]}"; do
	etc_binds+=(--ro-bind "$file" "$file")
done
bwrap=(/usr/bin/bwrap --unshare-all --ro-bind /usr /usr "${etc_binds[@]}"
	--symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --symlink usr/sbin /sbin
	--proc /proc --dev /dev --tmpfs /tmp --tmpfs /var/tmp --tmpfs /run --tmpfs /home/sandbox
	--bind "$workspace" /workspace --chdir /workspace
	--die-with-parent --new-session --cap-drop ALL --)
