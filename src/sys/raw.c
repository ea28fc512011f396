/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/raw.h"

/* The child takes the function and its argument from its own stack, and never returns from here. */
#if defined(__x86_64__)
long raw_clone(unsigned long flags, void *top, int (*fn)(void *), void *arg)
{
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = 0;
	uintptr_t *stack = top;
	long ret;

	*--stack = (uintptr_t)arg;
	*--stack = (uintptr_t)fn;
	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "pop %%rax\n\t"
			 "pop %%rdi\n\t"
			 "call *%%rax\n\t"
			 "mov %%eax, %%edi\n\t"
			 "mov %[quit], %%eax\n\t"
			 "syscall\n\t"
			 "hlt\n"
			 "1:"
			 : "=a"(ret)
			 : "0"((long)SYS_clone), "D"(flags), "S"(stack), "d"(0L), "r"(r10),
			 "r"(r8), [quit] "i"(SYS_exit)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
long raw_clone(unsigned long flags, void *top, int (*fn)(void *), void *arg)
{
	uintptr_t *stack = top;
	register long x8 __asm__("x8") = SYS_clone;
	register long x0 __asm__("x0") = (long)flags;
	register long x1 __asm__("x1");
	register long x2 __asm__("x2") = 0;
	register long x3 __asm__("x3") = 0;
	register long x4 __asm__("x4") = 0;

	*--stack = (uintptr_t)arg;
	*--stack = (uintptr_t)fn;
	x1 = (long)stack;
	__asm__ volatile("svc #0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x29, #0\n\t"
			 "ldp x1, x0, [sp], #16\n\t"
			 "blr x1\n\t"
			 "mov x8, %[quit]\n\t"
			 "svc #0\n\t"
			 "brk #0\n"
			 "1:"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), [quit] "i"(SYS_exit)
			 : "x30", "memory");
	return x0;
}
#endif

_Noreturn void raw_exit(int status)
{
	for (;;)
		RAW_1(SYS_exit_group, status);
}
