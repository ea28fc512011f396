/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The system calls of Linux up to 6.18 by name and number, for the machines that ward runs on.
 * Constant; owns nothing. Read by the filter builder, by the reader of seccomp profiles and by
 * whoever shows a refused call to a person.
 */

#include <stddef.h>
#include <stdint.h>

enum syscall_arch { SYSCALL_X86_64, SYSCALL_AARCH64, SYSCALL_ARCH_COUNT };

/* The machine that this program is built for; SYSCALL_ARCH_COUNT: one that has no table. */
#if defined(__x86_64__) && !defined(__ILP32__)
#define SYSCALL_NATIVE SYSCALL_X86_64
#elif defined(__aarch64__)
#define SYSCALL_NATIVE SYSCALL_AARCH64
#else
#define SYSCALL_NATIVE SYSCALL_ARCH_COUNT
#endif

#define SYSCALL_NUMBERS 470 /* one more than the largest number of any machine */

/* -1: this machine has no call of that name. */
int syscall_number(enum syscall_arch arch, const char *name);
/* NULL: this machine has no call of that number. */
const char *syscall_name(enum syscall_arch arch, uint32_t number);
/* Row i of the table, in order of the names; NULL behind the last. */
const char *syscall_row(size_t i);
const char *syscall_arch_name(enum syscall_arch arch); /* "x86_64", "aarch64" */
uint32_t syscall_audit_arch(enum syscall_arch arch);   /* AUDIT_ARCH_*, as a filter sees it */
