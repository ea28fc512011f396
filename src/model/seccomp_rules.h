/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a program in the sandbox may ask of the kernel: every system call by name, in groups, with
 * its verdict and its conditions. An allow-list: what no row names answers ENOSYS. Constant; read
 * by model/seccomp_build.c, which makes filters of it, and printed as docs/syscalls.md.
 *
 * Should stop: calls that make or enter namespaces, mount, load code into the kernel, look into
 * other processes, or create set-user-id files. Mustn't be trusted with: paths and everything else
 * that lies behind a pointer, which a filter cannot see; that is for Landlock and the broker.
 */

#include "model/bpf.h"

#include <stdbool.h>

enum seccomp_verdict {
	SECCOMP_ENOSYS,      /* answered as by a kernel without this call */
	SECCOMP_ALLOW,       /* done */
	SECCOMP_DENY,        /* dangerous: told to the listener, which counts it; EPERM */
	SECCOMP_FAIL,        /* answered with `code`, not told to anybody */
	SECCOMP_BROKER,      /* changes files: to the broker where files are protected */
	SECCOMP_BROKER_READ, /* opens files: to the broker where files are hidden */
	SECCOMP_VERDICT_COUNT
};

/*
 * A verdict for some arguments of a call. `hard`: a profile that somebody brings along cannot lift
 * it; a hard rule stands in front of those that are not.
 */
struct seccomp_rule {
	const char *when; /* in words; NULL: behind the last rule */
	enum seccomp_verdict verdict;
	int code; /* SECCOMP_FAIL: positive errno */
	bool hard;
	struct bpf_test tests[BPF_TESTS + 1];
};

/* A group of calls: the first rule that holds, else the verdict. */
struct seccomp_row {
	const char *names; /* with blanks between them; NULL: behind the last row */
	const char *what;  /* in words */
	enum seccomp_verdict verdict;
	bool hard;
	const struct seccomp_rule *rules; /* NULL: none */
};

extern const struct seccomp_row seccomp_rules[];
