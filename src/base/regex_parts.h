/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * An expression is a small program, whose steps either match one character or lead on to other
 * steps. Made by regex_read.c, carried out by regex.c.
 */

#include "base/regex.h"

#include <stdint.h>

#define REGEX_NOT_UTF8 0x110000 /* and above: a byte that belongs to no character */

enum regex_op {
	REGEX_CHAR,
	REGEX_ANY,
	REGEX_SET,
	REGEX_SPLIT,
	REGEX_JUMP,
	REGEX_BEGIN,
	REGEX_END,
	REGEX_WORD,
	REGEX_NO_WORD,
	REGEX_MATCH,
	REGEX_OPS
};

struct regex_range {
	uint32_t first, last;
};

struct regex_set {
	bool negated;
	struct regex_range *ranges;
	size_t count, cap;
};

struct regex_step {
	enum regex_op op;
	uint32_t c;      /* CHAR */
	size_t to, also; /* SPLIT: both; JUMP: to */
	const struct regex_set *set;
};

struct regex {
	struct regex_step *steps;
	size_t count;
	bool ignore_case;
	/* Scratch for matching: two sets of steps. */
	struct regex_thread {
		size_t step, start;
	} * now, *next;
	size_t *seen; /* the place, plus one, at which a step was last added */
	size_t *stack;
};

/* A character, or REGEX_NOT_UTF8 and the byte. */
uint32_t regex_char(const char *p, const char *end, size_t *ret_len);
