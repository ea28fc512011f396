/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A plan: the flat, fully resolved description of one sandbox and the command in it. Made from the
 * effective configuration, the machine and the caller by a pure function, carried out by an engine,
 * printed by `ward run --dry-run`. All texts live in the arena it was made in.
 */

#include "model/bindspec.h"
#include "model/decide.h"
#include "model/result.h"
#include "model/seccomp_default.h"

#include <stdbool.h>
#include <stdint.h>

#define PLAN_WORKSPACE "/workspace"
#define PLAN_LAYERS_PLACE ".cow" /* while the root is made */
#define PLAN_HOME "/home/sandbox"
#define PLAN_HOSTNAME "sandbox"
#define PLAN_NO_LIMIT UINT64_MAX

/* What stands in the root of a sandbox, in the order in which it is put there. */
enum plan_kind {
	PLAN_DIR,    /* an empty folder */
	PLAN_FILE,   /* a file with the text of `source` */
	PLAN_LINK,   /* a symbolic link to `source` */
	PLAN_MIRROR, /* what the host has there, read-only; nothing where it has nothing */
	PLAN_BIND,   /* a folder or file of the host that somebody named */
	PLAN_IMAGE,  /* everything of a folder that serves as the root, read-only */
	PLAN_LAYERS, /* ward's own folder of layers; only while the root is made */
	PLAN_OWN,    /* a folder of ward's own that outlives the sandbox */
	PLAN_WORKSPACE_BIND,
	PLAN_TMPFS,
	PLAN_DEVICE, /* one of the host's harmless device nodes */
	PLAN_PTS,    /* terminals of its own */
	PLAN_PROC,
	PLAN_MASK, /* a part of /proc that shows the host: made unreadable */
	PLAN_KIND_COUNT
};
extern const char *const plan_kind_names[];

struct plan_row {
	enum plan_kind kind;
	bool writable;
	bool noexec;
	bool owned;         /* BIND, WORKSPACE: its owner is the sandbox's user inside */
	uint16_t mode;      /* TMPFS */
	const char *target; /* inside, without the leading slash */
	const char *source;
	uint64_t size; /* TMPFS: bytes */
	uint64_t inodes;
};

struct plan_limits {
	uint64_t memory, swap, cpus, pids, files, file_size; /* cpus in thousandths */
};

/* Of one command in a sandbox that lives, on top of the sandbox's; 0: none. */
struct plan_caps {
	uint64_t memory, pids, cpu_ms;
};

/* Where the changes to a workspace go that is copied on write; door/ knows, not the plan. */
struct plan_layer {
	const char *name;         /* of its folder among the layers */
	const char *upper;        /* of the folder in it that takes the changes */
	const char *const *below; /* frozen ones, the topmost first */
	size_t below_count;
};

struct plan_audit {
	const char *folder; /* NULL: none */
	uint64_t rotate, keep;
	int sync;
};

/* How the program's input and output go. */
enum plan_output {
	PLAN_PASS,    /* the caller's own descriptors */
	PLAN_RELAY,   /* through the supervisor, which counts and cuts */
	PLAN_CAPTURE, /* kept for the result */
	PLAN_TERMINAL,
	PLAN_OUTPUT_COUNT
};
extern const char *const plan_output_names[];

struct plan_host {
	const char *name; /* canonical */
	struct netaddr addr;
};

/* Bytes that may go to a name, and come from it, as long as the sandbox lives. */
struct plan_budget {
	const char *name;     /* canonical; "*": all that have none of their own, together */
	uint64_t up, down;    /* PLAN_NO_LIMIT: any number */
	uint64_t rate;        /* bytes of a second, each way */
	uint64_t connections; /* at the same time */
};

/* What of the network can be reached, by way of the guard. */
struct plan_network {
	bool guarded;  /* false: nothing can */
	bool nxdomain; /* names that are not allowed do not exist */
	struct net_policy policy;
	const char *const *dns; /* servers; none: the machine's own */
	size_t dns_count;
	const struct plan_host *hosts;
	size_t host_count;
	const struct plan_budget *budgets;
	size_t budget_count;
	struct netcidr made_up4, made_up6; /* what names lead to, inside */
	const struct net_publish *publish; /* also without the guard */
	size_t publish_count;
};

struct plan {
	const char *const *argv; /* NULL at the end */
	const char *const *env;
	const char *cwd; /* inside */
	const char *hostname;
	uint32_t uid, gid;           /* inside */
	uint32_t host_uid, host_gid; /* the kernel's: never 0 */
	uint32_t id_first, id_count; /* by root: those that may be taken */
	bool root;                   /* started by root: ids of its own, id-mapped workspace */
	bool read_only_root;
	enum workspace workspace;
	const struct plan_row *rows;
	size_t row_count;
	uint64_t root_size; /* of the throw-away root */
	uint64_t root_inodes;
	struct plan_layer layer;           /* workspace: cow */
	uint64_t layer_size, layer_inodes; /* what it and other folders of ward's own may hold */
	const char *workspace_path;        /* on the host; NULL: none */
	const char *const *protect;        /* NULL at the end */
	const char *const *hide;
	size_t protect_count, hide_count;
	struct bindspec_rules bind_rules; /* for what is opened */
	struct plan_network network;
	struct plan_limits limits;
	uint64_t timeout, idle_timeout, kill_grace; /* ms; 0 = none */
	enum plan_output output;
	uint64_t output_limit;
	const char *setup; /* living: a shell's command that must succeed first; NULL: none */
	const char *const *setup_env; /* no call adds to this one */
	/* The audit log, where ends are written that nobody else writes; door/ knows, not the plan.
	 */
	struct plan_audit audit;
	bool landlock; /* lay Landlock rules: wherever the kernel has it */
	unsigned landlock_abi;
	bool groups;  /* control groups can be made here */
	bool cgroup2; /* limits are kept by groups of version 2 */
	bool living;  /* it waits for commands; argv, env and cwd are not used */
	bool broker;  /* file changes in the workspace go through init */
	enum seccomp_variant filter_variant;
	struct seccomp_program filter; /* of a profile, for that variant; code NULL: ward's own */
	unsigned cpus;                 /* of the machine */
	bool required[LAYER_COUNT];    /* without it nothing runs */
	struct layer_require require[LAYER_COUNT];
};

/* What the plan needs to know about who calls. */
struct plan_caller {
	const char *cwd; /* absolute, without links */
	const char *const *env;
	uint32_t uid, gid; /* effective */
	uint32_t pid;      /* makes the kernel's ids of concurrent sandboxes differ */
	uint32_t id_first; /* root: ids that may be used for sandboxes, and how many */
	uint32_t id_count;
	const char *state; /* ward's own folder; NULL: there is none */
	bool terminal;     /* -t */
	bool capture;      /* --json */
	bool living;       /* it is to stay */
	bool agent;        /* an agent's entrance: the default timeout holds */
	bool relay;        /* somebody wrote a limit that needs counting */
};

struct plan_request {
	const struct config *config;
	const struct verdict *verdict;
	const struct machine *machine;
	const struct plan_caller *caller;
	const char *const *argv;
};

int plan_make(const struct plan_request *q, struct arena *a, struct plan *ret, struct err *e);
/* Only where the workspace is, and which names in it are special; also for tools on the host. */
void plan_workspace(const struct plan_request *q, struct arena *a, struct plan *p);
/* The kernel's ids for a sandbox that this process keeps, by its number. */
void plan_take_ids(struct plan *p, uint32_t pid);
/*
 * What the sandbox itself is made from, without what belongs to one command: two plans with the
 * same digest need not two sandboxes.
 */
void plan_digest(const struct plan *p, uint8_t ret[32]);
/* Parts of plan_make: model/plan_network.c; model/plan_root.c, the rows of the root. */
void plan_network(const struct plan_request *q, struct arena *a, struct plan_network *ret);
int plan_root(const struct plan_request *q, struct arena *a, struct plan *p, struct err *e);
