/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Whether a text of the configuration or the command line has the right form: one small function a
 * kind of value, made for the `check` member of field tables. Form only: whether a path exists, or
 * a runtime can run, is asked elsewhere. Owns nothing, keeps nothing.
 */

#include "base/err.h"

#include <stdbool.h>

/* Starts with '/', no `..`, no control characters, at most 4095 bytes; // and /./ are tolerated. */
int check_absolute_path(const char *text, struct err *e);
/* Patterns for names in the workspace: relative, and such that they can match something. */
int check_glob(const char *text, struct err *e);
int check_tmpfs(const char *text, struct err *e); /* /path[:option,...] */
/* Does one tmpfs give everything that the other gives: the same place, at least its size and
 * rights?
 */
bool check_tmpfs_covers(const char *outer, const char *inner);

int check_env_name(const char *text, struct err *e);
int check_env_pattern(const char *text, struct err *e); /* a name with * anywhere */
int check_env_value(const char *text, struct err *e);   /* any text that fits one variable */

int check_name(const char *text, struct err *e);     /* agents, profiles, groups */
int check_hostname(const char *text, struct err *e); /* of the sandbox itself */
int check_user(const char *text, struct err *e);     /* uid[:gid], never root */
int check_image(const char *text, struct err *e); /* host, dir:/path, oci:/path[:tag], reference */
int check_runtime(const char *text, struct err *e);
int check_layer(const char *text, struct err *e); /* of `require`: layer[:mechanism] */
int check_seccomp(const char *text, struct err *e);
int check_capability(const char *text, struct err *e);
