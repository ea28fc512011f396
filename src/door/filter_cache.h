/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Compiled filters of profiles, kept between runs: one file each, named after its key. Owns nothing
 * but the folder. Called by door/profile.h.
 *
 * Mustn't be believed: a file or a folder that somebody else owns or may write to, a way there that
 * leads through symbolic links (the folder is never part of a sandbox, by its name), and a file
 * that is not just what was written under this key. What is not believed is written anew.
 */

#include "base/sha256.h"
#include "model/bpf.h"

#define FILTER_CACHE_FILES 64 /* that are kept; with one more the others go */

/* The folder, which is made where it is missing: a descriptor, or a negative errno. */
int filter_cache_open(const char *folder);
/* -ENOENT: there is none; -EPERM: others could have changed it; -EBADMSG: it is damaged. */
int filter_cache_read(int folder, const uint8_t key[SHA256_SIZE], struct bpf_program *ret);
/* All of it or nothing, whatever else is going on. */
int filter_cache_write(
	int folder, const uint8_t key[SHA256_SIZE], const struct bpf_program *program);
