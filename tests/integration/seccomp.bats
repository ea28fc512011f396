#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The filter on system calls as a caller sees it: what is refused is counted whatever the sandbox is for, and a profile
# that the configuration names decides about the rest.

# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"
eval "lib_$(declare -f setup)" # as its own, with more in it

setup() {
	lib_setup
	profiles=$BATS_TEST_TMPDIR/profiles
	mkdir "$profiles"
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	kept=$XDG_CACHE_HOME/ward/seccomp
	[ "$(id -u)" != 0 ] || kept=/var/cache/ward/seccomp
	find "$kept" -type f 2>/dev/null | sort >"$BATS_TEST_TMPDIR/kept"
	echo '{"defaultAction": "SCMP_ACT_ALLOW"}' >"$profiles/all.json"
	cat >"$profiles/no-mkdir.json" <<-'END'
		{
			"defaultAction": "SCMP_ACT_ALLOW",
			"syscalls": [
				{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1}
			]
		}
	END
}

new_kept() { # files that were not there before the test
	comm -13 "$BATS_TEST_TMPDIR/kept" <(find "$kept" -type f 2>/dev/null | sort)
}

# What root's tests leave in the system's folder goes again.
forget() {
	new_kept | while IFS= read -r file; do rm -f "$file"; done
	rmdir "$kept" "${kept%/*}" 2>/dev/null || true # when nothing else is there
}

with() { # PROFILE OPTION... -- COMMAND...
	local profile=$1
	shift
	ward_run --set "seccomp=$profiles/$profile" "$@"
}

@test "refusals are counted without a broker too" {
	for option in workspace=none workspace=ro 'protect=[]' 'hide=["x"]' timeout=1m; do
		run -1 ward_run --set "$option" -- sh -c 'mount -t tmpfs none /tmp; unshare -U true; exit 1'
		[[ $output == *'ward: denied: mount x1 unshare x1'* ]]
	done
	result --set workspace=none -- sh -c 'unshare -U true; unshare -U true; true'
	holds 'status == 0 and d["denied"] == {"unshare": 2}'
	result --set workspace=none -- true
	holds 'd["denied"] == {}'
}

# listened COMMAND...: below somebody who listens to system calls, of which the kernel allows one.
listened() {
	python3 -c '
import ctypes, os, platform, struct, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
allow = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7fff0000))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 1, ctypes.addressof(allow)))
assert libc.prctl(38, 1, 0, 0, 0) == 0
nr = {"x86_64": 317, "aarch64": 277}[platform.machine()]
listener = libc.syscall(nr, 1, 8, program)
assert listener >= 0, os.strerror(ctypes.get_errno())
sys.exit(subprocess.run(sys.argv[1:]).returncode)' "$@"
}

@test "below another listener refusals are not counted, and files are not protected by half" {
	for set in timeout=1m "seccomp=$profiles/all.json"; do
		run -1 listened "$WARD" run --set workspace=none --set "$set" -- unshare -U true
		[[ $output == *'Operation not permitted'* && $output != *denied* ]]
		run -125 listened "$WARD" run --set "$set" -- touch ran
		[[ $output == *'listens to system calls already'* ]]
	done
	[ ! -e ran ]
	forget
}

@test "without a broker files are the kernel's business" {
	run -0 ward_run --set workspace=none -- sh -c 'mkdir a && echo b >a/b && mv a/b a/c && chmod 600 a/c && cat a/c && rm -r a'
	[ "$output" = b ]
	echo old >file
	run ward_run --set workspace=ro -- sh -c 'echo new >file'
	[ "$status" != 0 ]
	[ "$(cat file)" = old ]
}

@test "a profile decides: mkdir is refused, all else works" {
	ward_run -- mkdir with-default
	[ -d with-default ]
	for option in timeout=1m workspace=none 'hide=["x"]'; do
		run -1 with no-mkdir.json --set "$option" -- mkdir made
		[[ $output == *'Operation not permitted'* ]]
		[ ! -e made ]
		run -0 with no-mkdir.json --set "$option" -- sh -c 'echo hello >file && cat file'
		[ "$output" = hello ]
	done
	forget
}

@test "a profile that allows everything does not lift what is always refused" {
	run -0 with all.json -- sh -c 'mount -t tmpfs none /tmp || unshare -U true || unshare -m true || echo none'
	[[ $output == *none* && $output == *'denied: mount x1 unshare x2'* ]]
	run -0 with all.json --set workspace=none -- python3 -c '
import ctypes, errno, platform
libc = ctypes.CDLL(None, use_errno=True)
keyctl_unshare_mount_setns_bpf = {"x86_64": (250, 272, 165, 308, 321), "aarch64": (219, 97, 40, 268, 280)}
for nr in keyctl_unshare_mount_setns_bpf[platform.machine()]:
    assert libc.syscall(nr, *[ctypes.c_long(v) for v in (1 << 28, 0, 0, 0, 0)]) == -1
    assert ctypes.get_errno() == errno.EPERM, (nr, ctypes.get_errno())
print("all refused")'
	[[ $output == *'all refused'* ]]
	forget
}

@test "a profile does not pass the broker" {
	mkdir -p .git/hooks
	run -0 with all.json -- sh -c 'echo x >.git/hooks/post-checkout || echo refused; echo y >free'
	[[ $output == *refused* ]]
	[ ! -e .git/hooks/post-checkout ]
	[ "$(cat free)" = y ]
	forget
}

@test "what is wrong with a profile is told with its place, and nothing runs" {
	printf '{\n  "defaultAction": "SCMP_ACT_ALOW"\n}\n' >"$profiles/word.json"
	printf '{\n  "defaultAction": "SCMP_ACT_ALLOW",\n  "oops": 1\n}\n' >"$profiles/form.json"
	head -c 1100000 /dev/zero | tr '\0' ' ' >"$profiles/large.json"
	cp "$profiles/all.json" "$profiles/open.json" && chmod 666 "$profiles/open.json"
	mkdir "$profiles/folder.json"
	for row in 'word.json:2:' 'form.json:3:' 'large.json: larger than' 'open.json: chmod go-w' 'folder.json: a directory' \
		'missing.json: No such file'; do
		run -125 with "${row%%:*}" -- touch ran
		[[ $output == *"${row%%:*}"*"${row#*:}"* ]]
		run -125 with "${row%%:*}" --dry-run -- touch ran
	done
	[ ! -e ran ]
	for value in profile.json ./p.json unconfined; do
		run -125 ward_run --set "seccomp=$value" -- touch ran
		[[ $output == *"'$value'"* ]]
	done
	[ ! -e ran ]
	[ -z "$(new_kept)" ]
}

@test "a profile that a command could change is refused" {
	cp "$profiles/all.json" own.json
	ln -s "$PWD/own.json" "$profiles/link.json"
	run -125 ward_run --set "seccomp=$PWD/own.json" -- true
	[[ $output == *'own.json'*'commands may write'* ]]
	run -125 with link.json -- true
	[[ $output == *'commands may write'* ]]
	run -125 with all.json --set "binds=['$profiles:/mnt:rw']" -- true
	[[ $output == *'commands may write'* ]]
	run -0 ward_run --set "seccomp=$PWD/own.json" --set workspace=ro -- true
	run -0 with all.json --set "binds=['$profiles:/mnt:ro']" -- true
	forget
}

@test "what a profile compiles to is kept, and believed only as it was written" {
	run -1 with no-mkdir.json -- mkdir made
	file=$(new_kept)
	[ "$(stat -c '%a %u' "$file")" = "600 $(id -u)" ]
	[ "$(stat -c '%a %u' "$kept")" = "700 $(id -u)" ]
	before=$(stat -c %i "$file")
	run -1 with no-mkdir.json -- mkdir made
	[ "$(stat -c %i "$file")" = "$before" ]
	cp "$file" "$BATS_TEST_TMPDIR/good"

	# shellcheck disable=SC2016 # expanded by sh
	for damage in 'truncate -s 50 "$1"' 'truncate -s 0 "$1"' 'truncate -s +8 "$1"' 'chmod 666 "$1"' \
		'dd if=/dev/zero of="$1" bs=1 count=4 seek=100 conv=notrunc status=none'; do
		sh -c "$damage" - "$file"
		run -1 with no-mkdir.json -- mkdir made
		[[ $output == *'Operation not permitted'* ]]
		cmp "$file" "$BATS_TEST_TMPDIR/good"
		[ "$(stat -c %a "$file")" = 600 ]
	done
	[ ! -e made ]

	# A changed file has another filter.
	sed -i 's/"mkdir", "mkdirat"/"symlink", "symlinkat"/' "$profiles/no-mkdir.json"
	with no-mkdir.json -- mkdir made
	[ -d made ]
	[ "$(new_kept | wc -l)" = 2 ]
	forget
}

@test "where nothing can be kept, profiles work all the same" {
	if [ "$(id -u)" = 0 ]; then # the folder is the system's
		mkdir -p "$kept"
		chmod 777 "$kept"
		run with no-mkdir.json -- mkdir made
		chmod 700 "$kept"
		[[ $status = 1 && $output == *'Operation not permitted'* ]]
		[ -z "$(new_kept)" ]
		forget
		return
	fi
	for folder in /proc/nowhere /dev/null relative ''; do
		XDG_STATE_HOME=$BATS_TEST_TMPDIR/state XDG_CACHE_HOME=$folder HOME=/nonexistent run -1 with no-mkdir.json -- mkdir made
		[[ $output == *'Operation not permitted'* ]]
	done
	mkdir "$BATS_TEST_TMPDIR/real" && ln -s real "$BATS_TEST_TMPDIR/cache"
	run -1 with no-mkdir.json -- mkdir made
	[ -z "$(find "$BATS_TEST_TMPDIR/real" -type f)" ]
	mkdir -p "$BATS_TEST_TMPDIR/open/ward/seccomp" && chmod 777 "$BATS_TEST_TMPDIR/open/ward/seccomp"
	XDG_CACHE_HOME=$BATS_TEST_TMPDIR/open run -1 with no-mkdir.json -- mkdir made
	[ -z "$(find "$BATS_TEST_TMPDIR/open" -type f)" ]
}

@test "the folder of kept filters is never part of a sandbox" {
	with all.json -- true
	run -125 ward_run --set "binds=['$kept:/mnt:rw']" -- true
	[[ $output == *"ward's own"* ]]
	run -125 ward_run --set "workspacePath=$kept" -- true
	[[ $output == *"ward's own"* ]]
	forget
}
