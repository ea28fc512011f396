/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * System calls without the C library, for processes that share their memory with another one that
 * runs at the same time: the library keeps errno, and more, in a place that both of them would
 * write to. Answers are the kernel's: a negative errno on failure.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
static inline long raw_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
static inline long raw_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "ward knows the system calls of x86_64 and aarch64"
#endif

#define RAW_ARG(v) ((long)(intptr_t)(v))
#define RAW_1(nr, a) raw_call6(nr, RAW_ARG(a), 0, 0, 0, 0, 0)
#define RAW_2(nr, a, b) raw_call6(nr, RAW_ARG(a), RAW_ARG(b), 0, 0, 0, 0)
#define RAW_3(nr, a, b, c) raw_call6(nr, RAW_ARG(a), RAW_ARG(b), RAW_ARG(c), 0, 0, 0)
#define RAW_4(nr, a, b, c, d) raw_call6(nr, RAW_ARG(a), RAW_ARG(b), RAW_ARG(c), RAW_ARG(d), 0, 0)
#define RAW_5(nr, a, b, c, d, e) \
	raw_call6(nr, RAW_ARG(a), RAW_ARG(b), RAW_ARG(c), RAW_ARG(d), RAW_ARG(e), 0)
#define RAW_6(nr, a, b, c, d, e, f) \
	raw_call6(nr, RAW_ARG(a), RAW_ARG(b), RAW_ARG(c), RAW_ARG(d), RAW_ARG(e), RAW_ARG(f))

/*
 * A child process that runs fn(arg) on its own stack, of which `top` is the upper end, aligned to
 * 16 bytes; what fn returns is its exit status. flags as for clone(2), with CLONE_VM.
 */
long raw_clone(unsigned long flags, void *top, int (*fn)(void *), void *arg);
_Noreturn void raw_exit(int status);
