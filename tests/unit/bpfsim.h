/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Runs a filter on a call the way the kernel does, and checks it the way the kernel does when one
 * is loaded. Pure. Used by the tests of filters.
 */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Every instruction known, every jump forward and inside, every load inside the call's data, a
 * return at the end. */
static inline bool bpfsim_valid(const struct sock_filter *code, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		size_t left = len - i - 1;

		switch (code[i].code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (code[i].k % 4 || code[i].k >= sizeof(struct seccomp_data))
				return false;
			break;
		case BPF_JMP | BPF_JA:
			if (code[i].k >= left)
				return false;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
		case BPF_JMP | BPF_JGT | BPF_K:
		case BPF_JMP | BPF_JGE | BPF_K:
			if (code[i].jt >= left || code[i].jf >= left)
				return false;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
		case BPF_RET | BPF_K:
			break;
		default:
			return false;
		}
	}
	return len > 0 && len <= BPF_MAXINSNS && code[len - 1].code == (BPF_RET | BPF_K);
}

static inline bool bpfsim_holds(uint16_t code, uint32_t a, uint32_t k)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ:
		return a == k;
	case BPF_JGT:
		return a > k;
	default:
		return a >= k;
	}
}

/* The program must be valid. */
static inline uint32_t bpfsim_run(const struct sock_filter *code, const struct seccomp_data *call)
{
	uint32_t a = 0;

	for (size_t i = 0;; i++) {
		const struct sock_filter *f = &code[i];

		if (f->code == (BPF_RET | BPF_K))
			return f->k;
		else if (f->code == (BPF_LD | BPF_W | BPF_ABS))
			memcpy(&a, (const char *)call + f->k, sizeof(a));
		else if (f->code == (BPF_ALU | BPF_AND | BPF_K))
			a &= f->k;
		else if (f->code == (BPF_JMP | BPF_JA))
			i += f->k;
		else
			i += bpfsim_holds(f->code, a, f->k) ? f->jt : f->jf;
	}
}
