/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The configuration from where people keep it: the administrator's file, the user's file (or the
 * one that the caller names in its place), the workspace's file, the command line. Files are opened
 * once and checked by descriptor: the first two must belong to the caller or root and be writable
 * by nobody else. A file that is not there is fine; one that cannot be read or does not parse stops
 * everything.
 */

#include "base/err.h"
#include "json/config_read.h"
#include "model/config.h"
#include "model/machine.h"

#define LOAD_SYSTEM_FILE "/etc/ward/ward.json5"
#define LOAD_WORKSPACE_FILE ".ward.json5"

struct load_request {
	const char *config;          /* --config: in place of the user's file; NULL: the user's */
	const struct opt_list *sets; /* --set */
	struct config_wish wish;
};

/* ret must be zeroed or freed; config_free() afterwards, also after a failure. */
int load_config(const struct load_request *q, struct config *ret, struct err *e);
/* The path of the user's file, whether it exists or not; "" when there is no home. */
const char *load_user_path(struct arena *a);
/* Where ward keeps what it can make again; NULL when there is no home. */
const char *load_cache_path(struct arena *a);
/* Where ward keeps what it cannot; NULL when there is no home. */
const char *load_state_path(struct arena *a);
/* A machine that a file describes, as `ward doctor --json` writes it. */
int load_machine(const char *path, struct machine *ret, struct err *e);
