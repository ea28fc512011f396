/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a kernel and a machine offer, as one plain value without pointers: it can be copied, sent
 * through a pipe, written as JSON and read back. Facts only; what follows from them is answered by
 * pure functions here and in model/runtime.h. Filled by runtime/probe.h; read by decisions, explain
 * and doctor. Owns nothing.
 */

#include "model/engine.h"
#include "model/layer.h"

#include <stdbool.h>
#include <stdint.h>

/* Things that a kernel has or has not, or keeps from us. */
enum facility {
	FACILITY_USER_NS,
	FACILITY_MOUNT_NS,
	FACILITY_PID_NS,
	FACILITY_NET_NS,
	FACILITY_IPC_NS,
	FACILITY_UTS_NS,
	FACILITY_CGROUP_NS,
	FACILITY_TIME_NS,
	FACILITY_MOUNT_API,
	FACILITY_OVERLAY,
	FACILITY_IDMAP,
	FACILITY_LANDLOCK,
	FACILITY_SECCOMP,
	FACILITY_SECCOMP_NOTIFY,
	FACILITY_SECCOMP_LOG,
	FACILITY_CGROUP_MEMORY,
	FACILITY_CGROUP_CPU,
	FACILITY_CGROUP_PIDS,
	FACILITY_CGROUP_KILL,
	FACILITY_CLONE_INTO_CGROUP,
	FACILITY_NFTABLES,
	FACILITY_TPROXY,
	FACILITY_OPENAT2,
	FACILITY_PIDFD,
	FACILITY_CLOSE_RANGE,
	FACILITY_COUNT
};

/* Why a facility cannot be used. */
enum reason {
	REASON_OK,
	REASON_NOT_NEEDED, /* cannot be used, and nothing asks for it here */
	REASON_UNKNOWN,    /* nobody tried */
	REASON_KERNEL_OLD,
	REASON_NOT_BUILT,
	REASON_NOT_ENABLED,
	REASON_LIMIT_ZERO,
	REASON_SYSCTL,
	REASON_APPARMOR,
	REASON_SECCOMP,
	REASON_NOT_DELEGATED,
	REASON_NEEDS_ROOT,
	REASON_NOT_MOUNTED,
	REASON_READ_ONLY,
	REASON_FILE_SYSTEM,
	REASON_NEEDS_USER_NS,
	REASON_REFUSED,
	REASON_TIMEOUT,
	REASON_CRASHED,
	REASON_COUNT
};

/* Values of kernel settings that matter to a sandbox; MACHINE_NO_SETTING where the kernel has none.
 */
enum setting {
	SETTING_MAX_USER_NS,
	SETTING_USER_NS_CLONE,
	SETTING_APPARMOR_USER_NS,
	SETTING_PTRACE_SCOPE,
	SETTING_IO_URING_DISABLED,
	SETTING_BPF_DISABLED,
	SETTING_COUNT
};
#define MACHINE_NO_SETTING (-1)

enum cgroup_layout {
	CGROUP_LAYOUT_NONE,
	CGROUP_LAYOUT_V1,
	CGROUP_LAYOUT_V2,
	CGROUP_LAYOUT_HYBRID,
	CGROUP_LAYOUT_COUNT
};

#define MACHINE_TEXT 96
#define MACHINE_PATH 256

struct machine_engine {
	char path[MACHINE_PATH];           /* empty: not found */
	char version[ENGINE_VERSION_TEXT]; /* empty: not asked or not understood */
	bool reachable; /* its daemon's socket can be opened; true where there is no daemon */
};

struct machine {
	bool tried;    /* the facts were tried out, not only read from settings and versions */
	unsigned date; /* of the probe: YYYYMMDD */
	char kernel[MACHINE_TEXT];
	unsigned kernel_major, kernel_minor;
	char arch[MACHINE_TEXT];
	char distribution[MACHINE_TEXT]; /* "debian" */
	char distribution_version[MACHINE_TEXT];
	char container[MACHINE_TEXT]; /* what ward itself runs in: "docker", "podman", ...; empty:
					 nothing known */
	unsigned cpus;
	uint64_t memory; /* bytes */
	bool root;
	bool apparmor; /* the kernel enforces AppArmor profiles */
	unsigned landlock_abi;
	enum cgroup_layout cgroup;
	unsigned cgroup_memory, cgroup_cpu,
		cgroup_pids; /* in which version the controller lives: 0, 1, 2 */
	enum reason facility[FACILITY_COUNT];
	int64_t setting[SETTING_COUNT];
	struct machine_engine engine[ENGINE_COUNT];
};

struct facility_row {
	const char *key;         /* in JSON */
	const char *label;       /* for people */
	const char *consequence; /* what follows where it is missing */
	bool essential;          /* without it the native sandbox is not complete */
};

struct setting_row {
	const char *key;
	const char *name; /* as sysctl(8) writes it */
	const char *meaning;
};

extern const struct facility_row facility_rows[FACILITY_COUNT];
extern const struct setting_row setting_rows[SETTING_COUNT];
extern const char *const reason_names[REASON_COUNT + 1];
extern const char *const cgroup_layout_names[CGROUP_LAYOUT_COUNT + 1];

/* The oldest kernel for the native sandbox. */
#define MACHINE_KERNEL_MAJOR 5
#define MACHINE_KERNEL_MINOR 15

/* Nothing known, nothing offered; the start of every probe and of every made-up machine. */
void machine_init(struct machine *m);
/* Takes "6.1.0-13-amd64" apart; false when it does not start with two numbers. */
bool machine_set_kernel(struct machine *m, const char *release);
bool machine_kernel_at_least(const struct machine *m, unsigned major, unsigned minor);
bool machine_has(const struct machine *m, enum facility f);
/* Why a facility cannot be used, and the command or key that mends it; NULL where nothing does. */
const char *machine_why(const struct machine *m, enum facility f);
const char *machine_remedy(const struct machine *m, enum facility f);

/* What enforces a layer in the native sandbox on this machine, or why nothing does. */
struct layer_answer machine_layer(const struct machine *m, enum layer_id layer);
/*
 * The parts of it that other runtimes share. A cgroup or nothing; a root daemon may use every
 * controller that is mounted, whatever the caller may do. Landlock or nothing.
 */
struct layer_answer machine_cgroup_layer(const struct machine *m, enum layer_id layer, bool daemon);
struct layer_answer machine_landlock_layer(const struct machine *m);
