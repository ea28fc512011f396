#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# System calls that a sandboxed program has no use for. Stopped by the system call filter: the arguments are such that
# the kernel would answer EFAULT, EBADF, EINVAL or the like, so EPERM and ENOSYS are the filter's words.

# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

refusal='EPERM|ENOSYS|SIGSYS'
# What some kernels are built without, or give to nobody but the machine's root.
lacking='bpf|perf_event_open|init_module|finit_module|delete_module|kexec_load|kexec_file_load|iopl|ioperm|userfaultfd'
lacking+='|io_uring_.*|open_tree_attr'
# (open_by_handle_at: to users only since Linux 6.13.)
is_root || lacking+='|reboot|swapoff|acct|syslog|fanotify_init|open_by_handle_at'

@test "mounts cannot be made, moved or removed, by the old or the new calls" {
	answers mount
	all_refused "$refusal" "$lacking"
}

@test "calls that reach into the kernel, other processes or the machine are refused" {
	answers kernel
	all_refused "$refusal" "$lacking"
}

@test "io_uring, which opens and connects past a filter, cannot be set up" {
	answers kernel
	grep -qE '^io_uring_setup: (ENOSYS|EPERM)$' "$BATS_TEST_TMPDIR/answers.inside"
}

@test "unshare makes no namespace of any kind, whatever the high bits of the flags" {
	answers unshare
	# With bits that the kernel does not know it refuses by itself.
	all_refused "$refusal|EINVAL" 'user-high-.*'
	[ "$(grep -v high "$BATS_TEST_TMPDIR/answers.inside" | grep -c EINVAL)" = 0 ]
}

@test "clone makes no namespace, whatever the high bits of the flags" {
	answers clone
	all_refused "$refusal"
}

@test "clone3, whose flags a filter cannot see, is not there" {
	answers clone3
	all_refused ENOSYS
}

@test "fork, threads and posix_spawn go on working" {
	answers children
	all_happened
}

@test "sockets of families that a network namespace does not confine cannot be had" {
	answers socket
	all_refused "$refusal|EACCES|EAFNOSUPPORT|EPROTONOSUPPORT|ESOCKTNOSUPPORT" '.*'
	answers socket-filter
	all_refused "$refusal|EACCES|EAFNOSUPPORT"
	answers socketpair
	all_refused "$refusal|EACCES|EAFNOSUPPORT"
}

@test "the sockets that programs need can be had" {
	answers socket-needed
	all_happened
}

@test "a personality without address randomisation or with executable data is refused; asking is not" {
	answers personality
	all_refused "$refusal"
	answers personality-query
	all_happened
}

@test "terminal and console requests are refused on any descriptor, also with high bits set" {
	answers ioctl
	all_refused "$refusal"
}

@test "the 32-bit entrance of the kernel does not open" {
	[ "$(uname -m)" = x86_64 ] || skip 'only x86_64 has it'
	answers int80
	all_refused "$refusal"
	unmade "$W/int80"
	answers x32
	all_refused "$refusal" '.*' # few kernels have it
}

@test "a 32-bit program does nothing" {
	[ "$(uname -m)" = x86_64 ] || skip 'only x86_64 runs them'
	# mkdir("m", 0755); exit(0): an ELF file of 32 bits, whose only segment is the whole file.
	local elf='\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0\x01\0\0\0\x54\x80\x04\x08\x34\0\0\0\0\0\0\0\0\0\0\0'
	elf+='\x34\0\x20\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\x80\x04\x08\0\x80\x04\x08\x70\0\0\0\x70\0\0\0\x05\0\0\0\0\x10\0\0'
	elf+='\xb8\x27\0\0\0\xbb\x6e\x80\x04\x08\xb9\xed\x01\0\0\xcd\x80\x31\xdb\x31\xc0\x40\xcd\x80\x90\x90m\0'
	printf %b "$elf" >"$W/elf32"
	chmod +x "$W/elf32"
	(cd "$OUTSIDE" && "$W/elf32") || true
	[ -d "$OUTSIDE/m" ] || void 'this kernel runs no 32-bit programs'
	run inside ./elf32
	[ "$status" != 0 ]
	[ "$status" != 125 ]
	unmade "$W/m"
}
