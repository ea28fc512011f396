/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Made-up machines for tests of what follows from a machine. Each starts from the one above it. */

#include "model/machine.h"

#include <stdio.h>

static inline void engine_found(struct machine *m, enum engine engine, const char *version)
{
	snprintf(m->engine[engine].path, sizeof(m->engine[engine].path), "/usr/bin/%s",
		engine_rows[engine].name);
	snprintf(m->engine[engine].version, sizeof(m->engine[engine].version), "%s", version);
	m->engine[engine].reachable = true;
}

/* An ordinary user on a current desktop: everything there, cgroup v2 delegated. */
static inline void machine_v2_delegated(struct machine *m)
{
	machine_init(m);
	machine_set_kernel(m, "6.12.9-200.fc41.x86_64");
	for (size_t i = 0; i < FACILITY_COUNT; i++)
		m->facility[i] = REASON_OK;
	m->facility[FACILITY_IDMAP] = REASON_NOT_NEEDED;
	m->landlock_abi = 6;
	m->cgroup = CGROUP_LAYOUT_V2;
	m->cgroup_memory = m->cgroup_cpu = m->cgroup_pids = 2;
}

/* The same user logged in over ssh: the session's cgroup belongs to root. */
static inline void machine_v2_not_delegated(struct machine *m)
{
	machine_v2_delegated(m);
	m->facility[FACILITY_CGROUP_MEMORY] = REASON_NOT_DELEGATED;
	m->facility[FACILITY_CGROUP_CPU] = REASON_NOT_DELEGATED;
	m->facility[FACILITY_CGROUP_PIDS] = REASON_NOT_DELEGATED;
}

static inline void machine_v1_root(struct machine *m)
{
	machine_v2_delegated(m);
	m->root = true;
	m->facility[FACILITY_IDMAP] = REASON_OK;
	m->cgroup = CGROUP_LAYOUT_V1;
	m->cgroup_memory = m->cgroup_cpu = m->cgroup_pids = 1;
}

static inline void machine_no_cgroup(struct machine *m)
{
	machine_v2_delegated(m);
	m->cgroup = CGROUP_LAYOUT_NONE;
	m->cgroup_memory = m->cgroup_cpu = m->cgroup_pids = 0;
	m->facility[FACILITY_CGROUP_MEMORY] = REASON_NOT_MOUNTED;
	m->facility[FACILITY_CGROUP_CPU] = REASON_NOT_MOUNTED;
	m->facility[FACILITY_CGROUP_PIDS] = REASON_NOT_MOUNTED;
}

static inline void machine_no_userns(struct machine *m)
{
	machine_v2_delegated(m);
	m->facility[FACILITY_USER_NS] = REASON_LIMIT_ZERO;
}

static inline void machine_no_landlock(struct machine *m)
{
	machine_v2_delegated(m);
	m->facility[FACILITY_LANDLOCK] = REASON_NOT_ENABLED;
	m->landlock_abi = 0;
}

/* Ubuntu 24.04 as it is installed: user namespaces without rights. */
static inline void machine_ubuntu(struct machine *m)
{
	machine_v2_delegated(m);
	machine_set_kernel(m, "6.8.0-31-generic");
	m->apparmor = true;
	m->facility[FACILITY_USER_NS] = REASON_APPARMOR;
	m->landlock_abi = 4;
}

static inline void machine_5_10(struct machine *m)
{
	machine_v2_delegated(m);
	machine_set_kernel(m, "5.10.0-28-amd64");
	m->facility[FACILITY_LANDLOCK] = REASON_KERNEL_OLD;
	m->landlock_abi = 0;
}

/* Root in a container with the engine's own seccomp filter and read-only cgroups. */
static inline void machine_in_docker(struct machine *m)
{
	machine_v2_delegated(m);
	m->root = true;
	snprintf(m->container, sizeof(m->container), "docker");
	m->facility[FACILITY_USER_NS] = REASON_SECCOMP;
	m->facility[FACILITY_CGROUP_MEMORY] = REASON_READ_ONLY;
	m->facility[FACILITY_CGROUP_CPU] = REASON_READ_ONLY;
	m->facility[FACILITY_CGROUP_PIDS] = REASON_READ_ONLY;
}

static inline void machine_no_seccomp(struct machine *m)
{
	machine_v2_delegated(m);
	m->facility[FACILITY_SECCOMP] = REASON_NOT_BUILT;
}

/* With podman and docker installed beside it. */
static inline void machine_engines(struct machine *m)
{
	machine_no_userns(m);
	m->root = true;
	engine_found(m, ENGINE_DOCKER, "20.10.24+dfsg1");
	engine_found(m, ENGINE_PODMAN, "4.3.1");
}
