/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/memory.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK (256u << 10) /* that is looked at; more than is ever used */

/* Only what can never have been written: anything else would be lost. */
static int drop(struct dl_phdr_info *object, size_t size, void *unused)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)size;
	(void)unused;
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uintptr_t start = (uintptr_t)(object->dlpi_addr + part->p_vaddr);
		uintptr_t first = start & ~(page - 1);

		if (part->p_type == PT_LOAD && !(part->p_flags & PF_W))
			syscall(SYS_madvise, first, part->p_memsz + (start - first), MADV_DONTNEED);
	}
	return 0;
}

/*
 * What deeper calls have left below this one. The kernel keeps a mebibyte below a stack free, so
 * that there is nothing else.
 */
static void drop_stack(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t end = ((uintptr_t)__builtin_frame_address(0) & ~(page - 1)) - page;

	syscall(SYS_madvise, end - STACK, STACK, MADV_DONTNEED);
}

void memory_settle(void)
{
	drop_stack();
	dl_iterate_phdr(drop, NULL);
}
