/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The keys below `sandbox`: how a sandbox is built and what it may use. One row a key in
 * sandbox_fields (model/sandbox.c); the reader, the merge, the documents and the checks all go by
 * those rows. Texts and lists belong to the arena of the configuration.
 */

#include "base/field.h"

/* Tightest first: the order of the names is the order that tighten-only goes by. */
enum mode { MODE_ALL, MODE_NON_MAIN, MODE_OFF, MODE_COUNT };
enum scope { SCOPE_SESSION, SCOPE_AGENT, SCOPE_SHARED, SCOPE_COUNT };
enum workspace { WORKSPACE_NONE, WORKSPACE_RO, WORKSPACE_COW, WORKSPACE_RW, WORKSPACE_COUNT };
enum denied_names { DENIED_EXPLAIN, DENIED_NXDOMAIN, DENIED_COUNT };
extern const char *const mode_names[];
extern const char *const scope_names[];
extern const char *const workspace_names[];
extern const char *const denied_names_names[];

struct limits {
	struct opt_number memory; /* bytes */
	struct opt_number swap;
	struct opt_number cpus; /* thousandths */
	struct opt_number pids;
	struct opt_number disk;
	struct opt_number inodes;
	struct opt_number files;
	struct opt_number file_size;
};

struct network {
	struct opt_enum mode; /* enum net_mode */
	struct opt_list allow;
	struct opt_list deny;
	struct opt_special budget;
	struct opt_list dns;
	struct opt_map hosts;
	struct opt_list publish;
	struct opt_enum denied_names; /* enum denied_names */
	struct opt_list made_up;
};

/* One row of network.budget. */
struct budget {
	const char *name;
	struct opt_number up; /* bytes */
	struct opt_number down;
	struct opt_number rate; /* bytes of a second */
	struct opt_number connections;
	struct where at;
};
struct budgets {
	const struct budget *items;
	size_t count;
};
extern const struct field budget_fields[];

/* persistCaches: all of them, or those named. */
struct caches {
	bool all;
	struct opt_list names;
};

struct prune {
	struct opt_number idle; /* ms */
	struct opt_number age;
};

struct rates {
	struct opt_rate creates;
	struct opt_rate execs;
};

struct browser {
	struct opt_bool enabled;
	struct opt_text image;
	struct opt_number cdp_port;
	struct opt_number vnc_port;
	struct opt_number no_vnc_port;
	struct opt_bool headless;
	struct opt_bool enable_no_vnc;
	struct opt_bool auto_start;
};

struct sandbox {
	struct opt_enum mode;
	struct opt_enum scope;
	struct opt_text runtime;
	struct opt_list fallback;
	struct opt_list require;
	struct opt_text profile;
	struct opt_enum workspace;
	struct opt_text workspace_path;
	struct opt_list protect;
	struct opt_list hide;
	struct opt_text image;
	struct opt_number startup_timeout; /* ms */
	struct opt_list host_paths;
	struct opt_bool read_only_root;
	struct opt_text user;
	struct opt_list cap_drop;
	struct opt_list cap_add;
	struct opt_text seccomp;
	struct opt_text apparmor;
	struct opt_list tmpfs;
	struct limits resources;
	struct network network;
	struct opt_number timeout; /* ms; 0 = none */
	struct opt_number idle_timeout;
	struct opt_number kill_grace;
	struct opt_number output_limit;
	struct opt_map env;
	struct opt_list pass_env;
	struct opt_list binds;
	struct opt_list allowed_bind_sources;
	struct opt_text setup_command;
	struct opt_bool keep_alive;
	struct opt_special persist_caches;
	struct prune prune;
	struct rates rate;
	struct opt_number pool;
	struct browser browser;
};

extern const struct field sandbox_fields[];
