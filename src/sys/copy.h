/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Copies of files and links from one folder to another: no link is followed, no bit of setuid or
 * setgid goes along, nothing is overwritten. Return 0 or a negative errno. */

#include <sys/stat.h>

/* Bytes from one open file to another; the kernel shares them where it can. */
int copy_bytes(int from, int to);
/* A file with its mode and times, a link, a pipe or a socket; -EINVAL: anything else. */
int copy_entry(int from, const char *name, int to, const char *new_name, const struct stat *st);
