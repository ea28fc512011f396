/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One error: a code and a sentence for a person. It owns nothing and fits one pipe write, so it can
 * be copied across fork and exec. It is filled once, where the failure happens; callers only put
 * context in front. What does not fit is cut between characters and ends with "...". Passing NULL
 * is allowed and drops the text.
 */

#include "base/macro.h"

struct err {
	int code; /* positive errno; 0 = no error */
	char text[500];
};

/* Starts an error; returns -code. */
int err_set(struct err *e, int code, const char *fmt, ...) printf_like(3, 4);
/* From a failed system call wrapper (r is a negative errno): appends strerror; returns r. */
int err_sys(struct err *e, int r, const char *fmt, ...) printf_like(3, 4);
/* Puts "context: " in front of an error on its way up; returns r, and does nothing when r >= 0. */
int err_ctx(struct err *e, int r, const char *fmt, ...) printf_like(3, 4);
