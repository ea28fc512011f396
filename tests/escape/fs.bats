#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Files of the host that a sandboxed program must neither read nor change.

# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

# not_bound BIND...: none of them shows the secret inside: ward refuses to start, or what is there is something else.
not_bound() {
	local bind
	for bind; do
		options=(--set "binds=[\"$bind:/bound\"]")
		# shellcheck disable=SC2016 # expanded inside
		inside_sh 'cat /bound /bound/* /bound/*/* /bound/.aws/* >/workspace/got 2>/dev/null' 2>/dev/null || true
		if [ -e "$W/got" ] && secret_in "$W/got"; then
			echo "'$bind' shows the secret" && return 1
		fi
		rm -f "$W/got"
	done
	# A control: what may be bound shows.
	mkdir -p "$BATS_TEST_TMPDIR/harmless"
	echo seen >"$BATS_TEST_TMPDIR/harmless/file"
	options=(--set "binds=[\"$BATS_TEST_TMPDIR/harmless:/bound\"]")
	[ "$(inside cat /bound/file)" = seen ] || void 'no bind works at all'
}

# bound BIND: it shows the secret; the control of not_bound.
bound() {
	options=(--set "binds=[\"$1:/bound\"]")
	inside_sh 'cat /bound/* >/workspace/got'
	secret_in "$W/got" || void "'$1' cannot be bound at all"
	rm -f "$W/got"
}

@test "files outside of the workspace cannot be read by any name (mount namespace, own root)" {
	ln -s "$CANARY" "$W/absolute"
	ln -s ../outside/canary "$W/relative"
	ln -s ../outside "$W/folder"
	ln -s absolute "$W/chain1" && ln -s chain1 "$W/chain2"
	cp -R "$OUTSIDE" "${W}_secret"
	cat "$W/absolute" "$W/relative" "$W/folder/canary" "$W/chain2" | grep -qF "$SECRET" || void 'the links lead nowhere'
	# shellcheck disable=SC2016
	ran sh -c 'cd /workspace; for f in "$@" absolute relative folder/canary chain2 ../outside/canary \
		../../../../../../../../$1 /proc/self/root/$1 /proc/1/root/$1 /proc/1/cwd/../outside/canary \
		/proc/self/cwd/../outside/canary /workspace_secret/canary "$2"; do cat "$f"; done >got 2>/dev/null
		touch ran' - "$CANARY" "${W}_secret/canary"
	[ -e "$W/ran" ]
	run -1 secret_in "$W/got"
}

@test "the caller's home, /root, /var and passwords are not there (mount namespace, own root)" {
	mkdir -p "$HOME/.ssh"
	echo "$SECRET" >"$HOME/.ssh/id_test"
	# shellcheck disable=SC2016
	ran sh -c 'find / -xdev -type f \( -path "*/.ssh/*" -o -name shadow -o -name canary -o -path "/root/*" -o \
		-path "/var/lib/*" \) >got 2>/dev/null; cat "$1" ~/.ssh/* >>got 2>/dev/null; touch ran' - "$HOME/.ssh/id_test"
	rm -r "$HOME/.ssh"
	[ -e "$W/ran" ]
	[ ! -s "$W/got" ]
}

@test "nothing outside of the workspace and the private folders can be written (read-only mounts)" {
	local before
	before=$(ls -ld / /usr /usr/bin /etc /dev; hash_of "$CANARY")
	# shellcheck disable=SC2016
	ran sh -c 'for d in / /usr /usr/bin /bin /lib /etc /dev /proc /sys /home /workspace/.. /workspace/../outside "$1"; do
			echo x >"$d/ward-escape" && echo "$d" >>writable
			mkdir "$d/ward-escape-folder" && echo "$d" >>writable
		done
		for f in /etc/passwd /usr/bin/env /etc/hosts /etc/resolv.conf; do echo >>"$f" && echo "$f" >>writable; done
		touch ran' - "$OUTSIDE" 2>/dev/null
	[ -e "$W/ran" ]
	[ ! -e "$W/writable" ] || { cat "$W/writable" && false; }
	[ "$before" = "$(ls -ld / /usr /usr/bin /etc /dev; hash_of "$CANARY")" ]
	unmade {/,/usr/,/usr/bin/,/etc/,/dev/,"$OUTSIDE/","$BATS_TEST_TMPDIR/"}ward-escape{,-folder}
}

@test "a workspace that is read-only, and a bind that is, cannot be written (read-only mounts)" {
	local before
	echo 1 >"$W/file"
	options=(--set "binds=[\"$OUTSIDE:/bound:rw\"]")
	inside_sh 'echo 1 >/bound/made && echo 1 >/workspace/made'
	[ -e "$OUTSIDE/made" ] && [ -e "$W/made" ] || void 'a writable one cannot be written'
	before=$(state_of "$W" "$OUTSIDE")
	options=(--set workspace=ro --set "binds=[\"$OUTSIDE:/bound:ro\"]")
	ran ./payload --group write file
	ran ./payload --group create new
	ran ./payload --group write /bound/canary
	ran ./payload --group create /bound/new
	ran sh -c 'rm -rf /bound/* /workspace/*; mount -o remount,rw /bound'
	options=(--set workspace=ro --set "binds=[\"$OUTSIDE:/bound\"]") # read-only unless written
	ran ./payload --group create /bound/new
	[ "$before" = "$(state_of "$W" "$OUTSIDE")" ]
}

@test "descriptors of the caller do not reach the program (closed before it starts)" {
	local pid found=0
	exec 9<"$CANARY" 10<"$CANARY" 251<"$OUTSIDE"
	for pid in {30..80}; do eval "exec $pid<'$CANARY'"; done
	[ "$("$PAYLOAD" live/descriptors | grep -cxE '9|10|251|[3-8][0-9]')" -ge 53 ] || void 'they are not inherited'
	run inside ./payload live/descriptors
	[ "$status" = 1 ]
	[ "$output" = 'descriptors: EBADF' ]
	# And as the host sees it; of ward's own first process only root may look.
	start_inside 'touch started; sleep 60; :'
	for pid in $(below "$KEEPER"); do
		[ -r "/proc/$pid/fd" ] || continue
		found=$((found + 1))
		run -1 grep -F "$OUTSIDE" <(find "/proc/$pid/fd" -lname '*' -printf '%p -> %l\n')
	done
	[ "$found" -ge 1 ]
	for pid in {30..80} 9 10 251; do eval "exec $pid<&-"; done
}

@test "the caller's environment and arguments of others cannot be read (own pid namespace, cleared environment)" {
	export SECRET_X=$SECRET
	bash -c 'cat /proc/self/environ' | tr '\0' '\n' | grep -qF "$SECRET" || void 'not in the environment'
	# shellcheck disable=SC2016
	ran sh -c 'cat /proc/1/environ /proc/self/environ /proc/*/environ /proc/*/task/*/environ /proc/*/cmdline >got 2>/dev/null
		ls /proc/1/root/ /proc/1/root/root /proc/1/cwd/ /proc/1/fd/ >got.root 2>/dev/null
		head -c1 /proc/1/mem >got.mem 2>/dev/null; env >got.env; touch ran'
	[ -e "$W/ran" ]
	run -1 grep -raF "$SECRET" "$W"
	[ ! -s "$W/got.mem" ]
	run -1 grep -x canary "$W/got.root"
}

@test "settings of the kernel cannot be written, not even their present value (read-only /proc/sys, no /sys)" {
	local f before after files=(/proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/kernel/hotplug
		/proc/sys/vm/drop_caches /proc/sys/fs/binfmt_misc/register /sys/kernel/uevent_helper /proc/sysrq-trigger
		/proc/irq/0/smp_affinity /proc/irq/default_smp_affinity /proc/sys/net/ipv4/ip_forward
		/proc/sys/user/max_user_namespaces /proc/sys/kernel/ns_last_pid /proc/sys/kernel/hostname
		/proc/sys/net/ipv4/ping_group_range /proc/sys/kernel/shmmax /sys/fs/cgroup/release_agent
		/sys/fs/cgroup/memory/release_agent /sys/fs/cgroup/cgroup.procs /proc/self/uid_map /proc/1/oom_score_adj)
	# Root's own files are root's; everybody's are those of namespaces of his own.
	f=/proc/sys/net/ipv4/ip_forward
	unshare -Urn sh -c "v=\$(cat $f); printf '%s\n' \"\$v\" >$f" || void "$f cannot be written in an own namespace"
	if is_root; then
		f=/proc/sys/kernel/core_pattern before=$(cat $f)
		printf '%s\n' "$before" >$f || void "$f cannot be written by root"
	fi
	before=$(cat "${files[@]}" 2>/dev/null || true)
	# shellcheck disable=SC2016
	ran sh -c 'for f; do v=$(cat "$f"); printf "%s\n" "$v" >"$f" && echo "$f" >>writable; done 2>/dev/null; touch ran' - "${files[@]}"
	[ -e "$W/ran" ]
	[ ! -e "$W/writable" ] || { cat "$W/writable" && false; }
	after=$(cat "${files[@]}" 2>/dev/null || true)
	[ "${before%%[0-9]*}" = "${after%%[0-9]*}" ] # the last pid is a number that moves
}

@test "what /proc and the kernel's log tell about the machine is hidden (masked paths, filter)" {
	local f shown=0
	for f in /proc/kcore /proc/keys /proc/key-users /proc/timer_list /proc/kallsyms /proc/iomem; do
		[ -n "$(head -c1 $f 2>/dev/null | tr '\0' x)" ] && shown=$((shown + 1))
	done
	[ "$shown" -ge 2 ] || void 'nothing of it can be read here'
	# shellcheck disable=SC2016
	ran sh -c 'mkdir got; for f in /proc/kcore /proc/keys /proc/key-users /proc/timer_list /proc/sched_debug \
			/proc/latency_stats /proc/scsi/scsi /proc/acpi/wakeup /sys/firmware/acpi/tables/DSDT /proc/sysrq-trigger \
			/proc/kmsg /dev/kmsg /dev/mem /dev/kmem; do
			timeout 2 head -c64 "$f" >"got/$(echo "$f" | tr / _)" 2>/dev/null
		done; grep -vc "^0* " /proc/kallsyms >addresses; timeout 5 dmesg >got/dmesg 2>/dev/null; touch ran'
	[ -e "$W/ran" ]
	run -0 find "$W/got" -type f -size +0
	[ -z "$output" ] || { echo "readable: $output" && false; }
	[ "$(cat "$W/addresses" 2>/dev/null || echo 0)" -le 0 ]
}

@test "/dev holds what programs need and nothing of the machine (own /dev)" {
	ran sh -c 'ls -A /dev >dev; ls -A /dev/pts >pts; find / -xdev -type b >blocks 2>/dev/null; find /dev -type c >chars; touch ran'
	[ -e "$W/ran" ]
	[ -e /dev/kmsg ] || [ -e /dev/mem ] || [ -e /dev/console ] || void 'the host has no more'
	run -1 grep -vxE 'null|zero|full|random|urandom|tty|ptmx|pts|shm|mqueue|fd|stdin|stdout|stderr|core|console' "$W/dev"
	[ ! -s "$W/blocks" ]
	[ "$(grep -c . "$W/chars")" -le 10 ]
}

@test "device files can neither be made nor used in the workspace (no capabilities, filter, nodev)" {
	if is_root; then
		mkdir "$OUTSIDE/devices" && "$PAYLOAD" device/null "$OUTSIDE/devices" || void 'root cannot make them here'
		mknod "$W/zero" c 1 5 && chmod 666 "$W/zero"
		[ "$(head -c1 "$W/zero" | od -An -tx1)" = ' 00' ] || void 'a device file does not work here'
	fi
	mkdir "$W/devices"
	ran ./payload --group device devices
	ran ./payload --group device /tmp
	ran sh -c 'head -c1 zero >got; touch ran'
	[ -e "$W/ran" ]
	[ -z "$(find "$W/devices" -type b -o -type c)" ]
	[ ! -s "$W/got" ]
}

@test "no file gets a set-user-id or set-group-id bit, or capabilities (filter on modes, own user)" {
	local folder=$OUTSIDE/modes
	mkdir "$folder" "$W/modes"
	"$PAYLOAD" --group mode "$folder" >/dev/null
	[ "$(find "$folder" -perm /6000 | wc -l)" -ge 15 ] || void "only $(find "$folder" -perm /6000 -printf '%f ') outside"
	ran ./payload --group mode modes
	ran ./payload --group mode .
	ran ./payload --group filecap modes >"$BATS_TEST_TMPDIR/filecap"
	# shellcheck disable=SC2016
	ran sh -c 'cp /bin/true t; chmod 4755 t; chmod u+s t; chmod 2755 t; chmod g+s modes; install -m 6755 /bin/true t2
		mkdir -m 2755 folder; touch ran'
	[ -e "$W/ran" ]
	run -0 find "$W" -perm /6000
	[ -z "$output" ] || { echo "$output" && false; }
	run -1 grep -x 'filecap: OK' "$BATS_TEST_TMPDIR/filecap"
	is_root && [ -z "$(find "$W/modes" "$W/t" -uid 0 ! -path "$W/modes")" ] || [ "$(stat -c %u "$W/t")" = "$(stat -c %u "$W")" ]
}

@test "modes without such bits are not refused" {
	mkdir "$W/modes"
	answers mode-needed .
	all_happened
}

@test "a workspace that is a link of /proc, or is not there, does not start (opened once, checked)" {
	local path
	mkdir "$W/real"
	options=(--set "workspacePath=\"$W/real\"")
	inside_sh 'touch /workspace/ran'
	[ -e "$W/real/ran" ] || void 'no workspace can be chosen'
	exec 7<"$OUTSIDE"
	for path in /proc/self/fd/7 /proc/self/fd/7/.. /proc/self/cwd/../outside /proc/self/root /proc/1/root \
		/dev/fd/7 /nonexistent "$W/real/../../nonexistent" "$CANARY" ''; do
		options=(--set "workspacePath=\"$path\"")
		run inside_sh 'touch /workspace/escaped; cat /workspace/canary >/workspace/got'
		[ "$status" = 125 ] || [ "$status" = 126 ] || { echo "'$path' starts: $status $output" && false; }
	done
	exec 7<&-
	[ -z "$(find "$OUTSIDE" -name escaped -o -name got)" ]
	unmade /escaped "$W/escaped"
}

@test "system folders and folders with keys do not become the workspace (checked on the opened folder)" {
	local path
	mkdir -p "$HOME/.ssh"
	echo "$SECRET" >"$HOME/.ssh/id_test"
	ln -s "$HOME/.ssh" "$W/link"
	for path in / /etc /root /proc /sys /dev /var/run "$HOME/.ssh" "$W/link" "$HOME/.ssh/../.ssh/"; do
		options=(--set "workspacePath=\"$path\"")
		run inside_sh 'cat /workspace/id_test /workspace/shadow /workspace/passwd'
		[ "$status" = 125 ] || [ "$status" = 126 ] || { echo "'$path' starts: $status" && rm -r "$HOME/.ssh" && false; }
		[[ $output != *"$SECRET"* ]]
	done
	rm -r "$HOME/.ssh"
}

@test "folders with keys cannot be bound, however they are spelled (checked on the opened folder)" {
	local aws=$HOME/.aws
	mkdir -p "$aws/sub" "$HOME/fine" "$HOME/.aws2"
	echo "$SECRET" | tee "$aws/credentials" "$aws/sub/credentials" "$HOME/fine/x" "$HOME/.aws2/x" >/dev/null
	ln -s .aws "$HOME/link"
	ln -s "$HOME" "$W/home"
	bound "$HOME/fine"
	bound "$HOME/.aws2" # a name that only begins in the same way
	local bad=0
	# shellcheck disable=SC2088 # ward expands it
	not_bound '~/.aws' '~/.aws/' "$aws" "$aws/" "$HOME/./.aws" "/$HOME//.aws" "$HOME/fine/../.aws" "$HOME/link" "$HOME/link/" \
		"$HOME/link/sub" "$W/home/.aws" "$aws/sub" "$aws/credentials" "/proc/self/root$aws" "$HOME" "$W/home" "$HOME/fine/.." \
		"/proc/self/cwd/home/.aws" || bad=1
	options=(--set "hostPaths=[\"$HOME/link\"]")
	run inside cat "$HOME/link/credentials"
	[[ $output != *"$SECRET"* ]] || bad=1
	rm -r "$aws" "$HOME/fine" "$HOME/.aws2" "$HOME/link"
	[ "$bad" = 0 ]
}

@test "system folders, what covers them, and links to them cannot be bound" {
	local bind
	ln -s /etc "$W/etc"
	ln -s / "$W/all"
	for bind in / /etc /proc /sys /dev /root /boot /run /var/run /var /. //etc/ /etc/ /usr/../etc "$W/etc" "$W/all" "$W/all/etc" \
		/proc/self/root /proc/self/root/etc /proc/1/root /proc/self/cwd/all; do
		options=(--set "binds=[\"$bind:/bound\"]")
		run inside_sh 'test -e /bound/passwd || test -e /bound/etc/passwd && touch /workspace/seen'
		unmade "$W/seen" || { echo "$bind" && false; }
		[ "$status" = 125 ] || [ "$status" = 126 ] || { echo "'$bind' starts: $status" && false; }
	done
}

@test "an exception for one folder is none for a folder whose name begins with its name" {
	mkdir -p "$HOME/.ssh" "$HOME/.ssh/other"
	echo "$SECRET" | tee "$HOME/.ssh/id_test" >"$HOME/.ssh/other/id_test"
	options=(--set "allowedBindSources=[\"$HOME/.ssh/other\"]" --set "binds=[\"$HOME/.ssh/other:/bound\"]")
	inside_sh 'cat /bound/id_test >got' && secret_in "$W/got" || { rm -r "$HOME/.ssh" && void 'an exception is none'; }
	rm "$W/got"
	options=(--set "allowedBindSources=[\"$HOME/.ss\", \"$HOME/.ssh/other\", \"$HOME/.ssh/o\"]" --set "binds=[\"$HOME/.ssh:/bound\"]")
	run inside_sh 'cat /bound/id_test >got'
	rm -r "$HOME/.ssh"
	[ "$status" = 125 ] || [ "$status" = 126 ]
	unmade "$W/got"
}

@test "a root folder with a false /dev/null, /proc or /workspace leads nowhere outside (own mounts, opened beneath)" {
	local root=$BATS_TEST_TMPDIR/root before
	mkdir -p "$root"/{bin,dev,etc,home,run,sys,usr,var}
	cp "$PAYLOAD" "$root/bin/payload"
	options=(--set "image=\"dir:$root\"")
	mkdir "$root/proc" "$root/workspace" "$root/tmp"
	inside /bin/payload create/open /workspace/ran
	[ -e "$W/ran" ] || void 'a root folder cannot be used at all'
	(cd "$root" && rm -r proc workspace tmp dev run home)
	mkdir "$root/dev"
	ln -s ../../outside/canary "$root/dev/null"
	ln -s /proc/sys/kernel/core_pattern "$root/dev/zero"
	ln -s ../outside "$root/workspace"
	ln -s ../outside "$root/tmp"
	ln -s "$OUTSIDE" "$root/proc"
	ln -s "$OUTSIDE" "$root/run"
	ln -s "$OUTSIDE/new" "$root/home"
	before=$(state_of "$OUTSIDE"; cat /proc/sys/kernel/core_pattern /proc/self/mountinfo)
	for path in /dev/null /dev/zero /workspace/canary /tmp/canary /proc/canary /run/canary; do
		inside /bin/payload write/append "$path" || true
		inside /bin/payload create/open "${path%/*}/new" || true
	done
	[ "$before" = "$(state_of "$OUTSIDE"; cat /proc/sys/kernel/core_pattern /proc/self/mountinfo)" ]
	unmade "$OUTSIDE/new"
}

@test "bind targets through links in the root folder or the workspace make nothing outside" {
	local before
	ln -s "$OUTSIDE" "$W/out"
	ln -s ../outside "$W/out2"
	mkdir "$BATS_TEST_TMPDIR/source"
	before=$(state_of "$OUTSIDE" "$BATS_TEST_TMPDIR/source"; cat /proc/self/mountinfo)
	for target in /workspace/out/sub /workspace/out2/sub /workspace/../../x /tmp/../workspace/out/y /proc/x /dev/x/y /sys/x; do
		options=(--set "binds=[\"$BATS_TEST_TMPDIR/source:$target:rw\"]")
		inside_sh "touch $target/made" 2>/dev/null || true
	done
	rm -f "$BATS_TEST_TMPDIR/source/made"
	options=(--set "binds=[\"$BATS_TEST_TMPDIR/source:/bound:rw\"]")
	inside touch /bound/made
	[ -e "$BATS_TEST_TMPDIR/source/made" ] || void 'no bind works at all'
	rm "$BATS_TEST_TMPDIR/source/made"
	[ "$(find "$OUTSIDE" "$W" | sort)" = "$(printf '%s\n' "$OUTSIDE" "$CANARY" "$W" "$W/out" "$W/out2" "$W/payload" | sort)" ]
	[ "$(cat /proc/self/mountinfo)" = "$(grep -E '^[0-9]+ [0-9]+ ' <<<"$before" | grep -F ' - ')" ]
}

@test "ward runs no git in the workspace: what its configuration names is not started" {
	local marker=$OUTSIDE/marker
	command -v git >/dev/null || skip 'git is not installed'
	printf '#!/bin/sh\ntouch "%s"\nexit 1\n' "$marker" >"$W/hook"
	chmod +x "$W/hook"
	(cd "$W" && git init -q . && git config core.fsmonitor "$W/hook" && git config core.pager "$W/hook" &&
		git config core.sshCommand "$W/hook" && git config core.hooksPath "$W" && git config alias.x "!$W/hook")
	(cd "$W" && git status >/dev/null 2>&1) || true
	[ -e "$marker" ] || void 'git did not start it either'
	rm "$marker"
	ran true
	(cd "$W" && "$WARD" explain >/dev/null)
	(cd "$W" && "$WARD" doctor >/dev/null) || true
	unmade "$marker"
}

@test "shared memory, queues and semaphores of the host are not there (own ipc namespace, own /dev/shm)" {
	local id name=ward-escape-$$
	id=$(ipcmk -M 4096 | grep -oE '[0-9]+$')
	echo "$SECRET" >"/dev/shm/$name"
	ipcs -m | grep -qw "$id" || void 'the host does not see its own'
	# shellcheck disable=SC2016
	ran sh -c 'ipcs -m >ipcs; cat /proc/sysvipc/shm >>ipcs; cat /dev/shm/* >got; ls /dev/shm /dev/mqueue >>got
		ipcmk -M 8192; echo x >/dev/shm/"$1".inside; touch ran' - "$name" 2>/dev/null
	rm -f "/dev/shm/$name"
	ipcrm -m "$id"
	[ -e "$W/ran" ]
	unmade "/dev/shm/$name.inside"
	[ "$(grep -cE '^0x|^ +[0-9]' "$W/ipcs")" = 0 ]
	run -1 grep -F "$name" "$W/got"
	run -1 secret_in "$W/got"
}

@test "a file that is handed in as input is not changed through its descriptor (broker, Landlock)" {
	local hidden given=$OUTSIDE/given
	for hidden in '' '"secret"'; do
		echo content >"$given"
		chmod 640 "$given"
		(cd "$W" && exec timeout 60 "$WARD" "${enter[@]}" --set "hide=[$hidden]" -- python3 -c 'import os
for attempt in (lambda: os.truncate("/proc/self/fd/0", 0), lambda: os.chmod("/proc/self/fd/0", 0o666), lambda: os.fchmod(0, 0o666),
                lambda: open("/proc/self/fd/0", "w").close(), lambda: open("/dev/stdin", "a").write("x")):
    try: attempt(); print("through")
    except OSError: pass') <"$given" >"$BATS_TEST_TMPDIR/out"
		[ "$(cat "$given")" = content ]
		[ "$(stat -c %a "$given")" = 640 ]
		if grep -q through "$BATS_TEST_TMPDIR/out"; then cat "$BATS_TEST_TMPDIR/out" && return 1; fi
	done
	echo content >"$given" # a control: it can be read
	[ "$(cd "$W" && "$WARD" "${enter[@]}" -- cat <"$given")" = content ]
}
