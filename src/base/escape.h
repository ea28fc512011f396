/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Foreign bytes made safe to show. Whatever a terminal could act on, or a reader could not see, is
 * written as \n, \t, \xNN or \u{NNNN}; a backslash as \\. The result is printable UTF-8 on one line
 * and unambiguous: two different inputs never look the same. Where the buffer ends, no escape and
 * no character is cut in half.
 */

#include "base/buf.h"

#include <stddef.h>

void escape_bytes(struct buf *out, const char *data, size_t len);
void escape_text(struct buf *out, const char *text);
/* As one word of a command line: bare when harmless, else in single quotes or $'...' form. */
void escape_word(struct buf *out, const char *word);
