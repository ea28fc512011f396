/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/probe.h"

#include "base/macro.h"
#include "runtime/engines.h"
#include "runtime/probe_reason.h"
#include "sys/calls.h"
#include "sys/cgroup.h"
#include "sys/host.h"
#include "sys/landlock.h"
#include "sys/lsm.h"
#include "sys/ns.h"
#include "sys/seccomp.h"
#include "sys/sysctl.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const enum facility ns_facilities[NS_COUNT] = {
	[NS_USER] = FACILITY_USER_NS,
	[NS_MOUNT] = FACILITY_MOUNT_NS,
	[NS_PID] = FACILITY_PID_NS,
	[NS_NET] = FACILITY_NET_NS,
	[NS_IPC] = FACILITY_IPC_NS,
	[NS_UTS] = FACILITY_UTS_NS,
	[NS_CGROUP] = FACILITY_CGROUP_NS,
	[NS_TIME] = FACILITY_TIME_NS,
};

/* The settings that decide something; the others are only shown, and read by the deep probe. */
static const enum setting deciding[] = {
	SETTING_MAX_USER_NS, SETTING_USER_NS_CLONE, SETTING_APPARMOR_USER_NS};

static const struct call_row {
	enum facility facility;
	int (*ask)(void);
} call_rows[] = {
	{FACILITY_OPENAT2, calls_openat2},
	{FACILITY_PIDFD, calls_pidfd},
	{FACILITY_CLOSE_RANGE, calls_close_range},
	{FACILITY_MOUNT_API, calls_mount_api},
};

static void look_host(struct machine *m)
{
	struct host host;

	host_look(&host);
	machine_set_kernel(m, host.release);
	memcpy(m->arch, host.arch, sizeof(m->arch));
	m->cpus = host.cpus;
	m->memory = host.memory;
	m->date = host.date;
	m->root = geteuid() == 0;
}
_Static_assert(MACHINE_TEXT == HOST_TEXT, "texts are copied as they are");

static void look_settings(struct machine *m)
{
	for (size_t i = 0; i < ARRAY_LEN(deciding); i++)
		sysctl_read(setting_rows[deciding[i]].name, &m->setting[deciding[i]]);
}

/* Everything that is known to keep user namespaces away, the surest first. */
static enum reason look_user_ns(const struct machine *m)
{
	if (m->setting[SETTING_MAX_USER_NS] == 0)
		return REASON_LIMIT_ZERO;
	if (m->setting[SETTING_USER_NS_CLONE] == 0 && !m->root)
		return REASON_SYSCTL;
	if (ns_filtered() < 0)
		return REASON_SECCOMP;
	if (m->setting[SETTING_APPARMOR_USER_NS] == 1 && !m->root && lsm_apparmor_unconfined())
		return REASON_APPARMOR;
	return REASON_OK;
}

static void look_namespaces(struct machine *m)
{
	bool there[NS_COUNT];

	ns_look(there);
	for (int k = 0; k < NS_COUNT; k++)
		m->facility[ns_facilities[k]] = there[k] ? REASON_OK : REASON_NOT_BUILT;
	if (there[NS_USER])
		m->facility[FACILITY_USER_NS] = look_user_ns(m);
}

static void look_landlock(struct machine *m)
{
	int abi = landlock_abi();
	enum reason reason = REASON_OK;

	if (abi == -EOPNOTSUPP)
		reason = REASON_NOT_ENABLED;
	else if (abi == -ENOSYS)
		reason = machine_kernel_at_least(m, 5, 13) ? REASON_NOT_BUILT : REASON_KERNEL_OLD;
	else if (abi < 0)
		reason = REASON_REFUSED;
	m->landlock_abi = abi > 0 ? (unsigned)abi : 0;
	m->facility[FACILITY_LANDLOCK] = reason;
}

static enum reason look_action(uint32_t action)
{
	int r = seccomp_has_action(action);

	if (r == -ENOSYS)
		return REASON_NOT_BUILT;
	return r == -EOPNOTSUPP ? REASON_KERNEL_OLD : probe_reason(r);
}

static void look_calls(struct machine *m)
{
	m->facility[FACILITY_SECCOMP] = look_action(SECCOMP_RET_ERRNO);
	m->facility[FACILITY_SECCOMP_NOTIFY] = look_action(SECCOMP_RET_USER_NOTIF);
	m->facility[FACILITY_SECCOMP_LOG] = look_action(SECCOMP_RET_LOG);
	for (size_t i = 0; i < ARRAY_LEN(call_rows); i++)
		m->facility[call_rows[i].facility] = probe_reason(call_rows[i].ask());
	m->facility[FACILITY_OVERLAY] =
		machine_kernel_at_least(m, 5, 11) ? REASON_OK : REASON_KERNEL_OLD;
	m->facility[FACILITY_IDMAP] =
		m->root ? probe_reason(calls_mount_setattr()) : REASON_NOT_NEEDED;
}

static enum reason cgroup_reason(const struct machine *m, int version, int error)
{
	switch (-error) {
	case 0:
		return REASON_OK;
	case ENOENT:
		return REASON_NOT_MOUNTED;
	case EROFS:
		return REASON_READ_ONLY;
	case ENOTSUP:
		return REASON_NOT_ENABLED;
	default:
		return version == 1 && !m->root ? REASON_NEEDS_ROOT : REASON_NOT_DELEGATED;
	}
}

/* What version 2 brought in kernel 5.minor. */
static enum reason v2_reason(const struct machine *m, bool mounted, unsigned minor)
{
	if (!mounted)
		return REASON_NOT_MOUNTED;
	return machine_kernel_at_least(m, 5, minor) ? REASON_OK : REASON_KERNEL_OLD;
}

static void look_cgroup(struct machine *m)
{
	static const enum facility facilities[CGROUP_COUNT] = {
		[CGROUP_MEMORY] = FACILITY_CGROUP_MEMORY,
		[CGROUP_CPU] = FACILITY_CGROUP_CPU,
		[CGROUP_PIDS] = FACILITY_CGROUP_PIDS,
	};
	const struct cgroup_view *v = cgroup_here();

	m->cgroup = v->v1 ? (v->v2 ? CGROUP_LAYOUT_HYBRID : CGROUP_LAYOUT_V1)
			  : (v->v2 ? CGROUP_LAYOUT_V2 : CGROUP_LAYOUT_NONE);
	m->cgroup_memory = (unsigned)v->controller[CGROUP_MEMORY].version;
	m->cgroup_cpu = (unsigned)v->controller[CGROUP_CPU].version;
	m->cgroup_pids = (unsigned)v->controller[CGROUP_PIDS].version;
	for (int c = 0; c < CGROUP_COUNT; c++)
		m->facility[facilities[c]] =
			cgroup_reason(m, v->controller[c].version, v->controller[c].error);
	m->facility[FACILITY_CGROUP_KILL] = v2_reason(m, v->v2, 14);
	m->facility[FACILITY_CLONE_INTO_CGROUP] = v2_reason(m, v->v2, 7);
}

void probe_kernel(struct machine *ret)
{
	machine_init(ret);
	look_host(ret);
	look_settings(ret);
	look_namespaces(ret);
	look_landlock(ret);
	look_calls(ret);
	look_cgroup(ret);
}

void probe_hopeful(struct machine *ret)
{
	machine_init(ret);
	look_host(ret);
	look_landlock(ret);
	look_cgroup(ret);
	for (int k = 0; k < NS_COUNT; k++)
		ret->facility[ns_facilities[k]] = REASON_OK;
	for (size_t i = 0; i < ARRAY_LEN(call_rows); i++)
		ret->facility[call_rows[i].facility] = REASON_OK;
	ret->facility[FACILITY_SECCOMP] = ret->facility[FACILITY_SECCOMP_NOTIFY] =
		ret->facility[FACILITY_SECCOMP_LOG] = ret->facility[FACILITY_OVERLAY] = REASON_OK;
	ret->facility[FACILITY_IDMAP] = ret->root ? REASON_OK : REASON_NOT_NEEDED;
}

void probe_quick(struct machine *ret)
{
	probe_kernel(ret);
	engines_find(ret, getenv("PATH"));
}
