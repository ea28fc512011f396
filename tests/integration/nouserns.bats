#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Machines that lack something that a sandbox is made of, simulated by system calls that fail: nothing runs unprotected,
# and what is missing is said. Without Landlock everything holds that does not need it.

# shellcheck disable=SC2016,SC2094 # expanded inside; waits for what it reads
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

# lacking RULE... -- COMMAND...
lacking() {
	timeout -k 5 60 "$HELPERS/enosys" "$@"
}

# refused RULE...: nothing runs, with 125 and one line about it, which is in $output.
# doctor comes to the same end.
refused() {
	local said
	run lacking "$@" -- "$WARD" doctor
	echo "$*: doctor: $output"
	[ "$status" = 1 ] || return 1
	[[ $output == *'no command can be run'* ]] || return 1
	run lacking "$@" -- "$WARD" run -- touch ran
	echo "$*: $output"
	said=$output
	[ "$status" = 125 ] && [ ! -e ran ] && [ "${#lines[@]}" = 1 ] && [[ $said == 'ward: '* ]] || return 1
	run lacking "$@" -- "$WARD" run --json -- touch ran
	[ "$status" = 125 ] && [ ! -e ran ] || return 1
	run lacking "$@" -- "$WARD" run --set timeout=10s --set workspace=none -- sh -c 'echo ran'
	[ "$status" = 125 ] && [[ $'\n'$output != *$'\n'ran* ]] || return 1
	output=$said
}

@test "the runner makes calls fail as asked, and others not" {
	lacking -- true
	run -0 lacking unshare:NEWNET=ENOSPC -- unshare -U true
	run lacking unshare:NEWUSER=ENOSPC -- unshare -U true
	[ "$status" = 1 ]
	[[ $output == *'No space left'* ]]
	run lacking unshare=EPERM -- unshare -U true
	[[ $output == *'not permitted'* ]]
	run -125 lacking nonsense=EPERM -- true
	run -125 lacking unshare=ENONSENSE -- true
	run -125 lacking unshare:NONSENSE=EPERM -- true
	run -125 lacking unshare=EPERM
}

@test "no user namespaces: what is missing, how to mend it, 125, and nothing runs" {
	refused unshare=EPERM clone:NEWUSER=EPERM clone3=EPERM
	[[ $output == *'user namespaces'* ]]
	refused unshare:NEWUSER=EPERM clone:NEWUSER=EPERM clone3=ENOSYS # as container engines do it
	[[ $output == *'user namespaces'* ]]
	[[ $output == *'run ward '* ]] # what to do
	refused unshare:NEWUSER=ENOSPC clone:NEWUSER=ENOSPC clone3=ENOSPC
	[[ $output == *'user namespaces'* ]]
	run lacking unshare=EPERM clone:NEWUSER=EPERM clone3=EPERM -- "$WARD" doctor
	[[ $output == *'user namespaces'*missing* ]] || [[ $output == *'user namespaces'*limited* ]]
}

@test "no user namespaces: no other entrance runs it either" {
	local none=(unshare=EPERM clone:NEWUSER=EPERM clone3=EPERM)
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR XDG_STATE_HOME=$BATS_TEST_TMPDIR/state
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}' \
		'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"exec","arguments":{"command":"touch ran"}}}' >"$RESULT"
	run -125 lacking "${none[@]}" -- "$WARD" exec -- touch ran
	run -125 lacking "${none[@]}" -- "$WARD" wrap -- touch ran
	run -1 lacking "${none[@]}" -- "$WARD" tools call exec '{"command": "touch ran"}'
	[[ $output == *'user namespaces'* ]]
	{
		cat "$RESULT"
		for _ in {1..400}; do
			! grep -q '"id":2' answers 2>/dev/null || break
			sleep 0.05
		done
	} | lacking "${none[@]}" -- "$WARD" mcp >answers
	grep '"id":2' answers | grep 'user namespaces' | grep -q '"isError":true'
	[ ! -e ran ]
	# What does not need one is still done, by the same rules.
	lacking "${none[@]}" -- "$WARD" tools call exec '{"command": "touch ran"}' --set mode=off
	[ -e ran ]
}

@test "no way to make namespaces by clone3" {
	for error in ENOSYS EPERM; do
		refused clone3=$error
		[[ $output == *namespaces* ]]
	done
}

@test "no new root: no mounts, no pivot_root" {
	refused unshare:NEWNET=ENOSPC
	refused prctl=EPERM
	refused pivot_root=EPERM
	refused mount=EPERM fsopen=EPERM fsmount=EPERM open_tree=EPERM move_mount=EPERM
	refused move_mount=ENOSYS
	refused open_tree=ENOSYS
	[[ $output == *kernel* ]]
}

@test "no filters, or none that report" {
	refused seccomp=ENOSYS
	[[ $output == *seccomp* ]]
	refused seccomp:NEW_LISTENER=EINVAL
}

@test "Landlock fails in the middle" {
	refused landlock_restrict_self=EPERM
	[[ $output == *Landlock* ]]
	refused landlock_add_rule=EINVAL
	[[ $output == *Landlock* ]]
}

@test "limits that cannot be set" {
	[ -z "${SANITIZED-}" ] || skip 'AddressSanitizer itself asks for limits when it starts'
	refused prlimit64=EPERM
}

@test "without Landlock it runs, says so, and protected names stay protected" {
	installed python3
	mkdir -p .git/hooks sub && echo '[core]' >.git/config && echo 'export A=1' >.envrc && ln -s .envrc link
	state=$(sha256sum .git/config .envrc)
	status=0
	lacking landlock_create_ruleset=ENOSYS -- "$WARD" run --json -- sh -c 'touch made
		for f in .git/config .envrc .git/hooks/pre-commit link /workspace/sub/../.envrc /proc/self/cwd/.envrc; do
			echo evil >>$f; echo evil >tmp; mv -f tmp $f; ln -sf tmp $f; chmod 777 $f; truncate -s 0 $f; rm -f $f
		done
		mv .git other; rm -rf .git; ln .envrc hard; echo evil >>hard
		echo x >/usr/made; echo x >/etc/made; exit 7' >"$RESULT" || status=$?
	holds 'status == 7 and d["enforced"]["landlock"] == "none" and "landlock" not in d["enforced"]["filesystem"]'
	holds 'd["protected"].get(".envrc", 0) > 0 and d["protected"].get(".git/config", 0) > 0'
	[ "$(sha256sum .git/config .envrc)" = "$state" ]
	[ -e made ]
	[ -z "$(ls .git/hooks)" ]
	[ ! -e /usr/made ] && [ ! -e /etc/made ]
	[ "$(stat -c %a .envrc .git/config)" = $'644\n644' ]
}

@test "without Landlock, races over names do not win either" {
	mkdir -p .git/hooks safe && echo '[core]' >.git/config && cp .git/config safe/config && cp "$HELPERS/payload" .
	state=$(sha256sum .git/config; find .git -printf '%p %i %m %n %s %T@\n')
	for how in '' chmod truncate unlink link; do
		# shellcheck disable=SC2086 # none, or one word
		lacking landlock_create_ruleset=ENOSYS -- "$WARD" run -- \
			sh -c 'echo x >/tmp/config; ./payload race/memory 5000 /tmp/config .git/config $1; ./payload race/memory 5000 safe/config .git/config $1' - $how \
			>"$BATS_TEST_TMPDIR/race" 2>&1 || true
		grep -q 'tried 5000' "$BATS_TEST_TMPDIR/race" || { cat "$BATS_TEST_TMPDIR/race" && return 1; }
		[ "$state" = "$(sha256sum .git/config; find .git -printf '%p %i %m %n %s %T@\n')" ] || { echo "by ${how:-writing}" && return 1; }
		[ -e safe/config ] || cp .git/config safe/config
		rm -f way-link
	done
}

@test "who requires Landlock does not run without it" {
	run -125 lacking landlock_create_ruleset=ENOSYS -- "$WARD" run --set 'require=["landlock"]' -- touch ran
	[[ $output == *[Ll]andlock* ]]
	[ ! -e ran ]
	run -0 "$WARD" run --set 'require=["landlock"]' -- touch ran
	[ -e ran ]
}

@test "old kernels: what has another way is done that way" {
	mkdir .git && echo '[core]' >.git/config
	for call in openat2 pidfd_open fsopen memfd_create; do
		run -0 lacking $call=ENOSYS -- "$WARD" run -- sh -c 'echo x >made; mv made moved; cat moved; rm moved; (echo x >.git/config) 2>/dev/null || echo kept'
		[[ $output == x$'\n'kept* ]] || { echo "$call: $output" && return 1; }
		[ "$(cat .git/config)" = '[core]' ]
		run -124 lacking $call=ENOSYS -- "$WARD" run --set timeout=200ms --set killGrace=100ms -- sh -c 'trap "" TERM; while :; do sleep 1; done'
	done
}
