/* SPDX-License-Identifier: Apache-2.0 */
#include "model/machine.h"

#include "base/macro.h"

#include <stdio.h>
#include <string.h>

const char *const reason_names[REASON_COUNT + 1] = {
	[REASON_OK] = "ok",
	[REASON_NOT_NEEDED] = "not-needed",
	[REASON_UNKNOWN] = "unknown",
	[REASON_KERNEL_OLD] = "kernel-old",
	[REASON_NOT_BUILT] = "not-built",
	[REASON_NOT_ENABLED] = "not-enabled",
	[REASON_LIMIT_ZERO] = "limit-zero",
	[REASON_SYSCTL] = "sysctl",
	[REASON_APPARMOR] = "apparmor",
	[REASON_SECCOMP] = "seccomp",
	[REASON_NOT_DELEGATED] = "not-delegated",
	[REASON_NEEDS_ROOT] = "needs-root",
	[REASON_NOT_MOUNTED] = "not-mounted",
	[REASON_READ_ONLY] = "read-only",
	[REASON_FILE_SYSTEM] = "file-system",
	[REASON_NEEDS_USER_NS] = "needs-user-namespace",
	[REASON_REFUSED] = "refused",
	[REASON_TIMEOUT] = "timeout",
	[REASON_CRASHED] = "crashed",
};

const char *const cgroup_layout_names[CGROUP_LAYOUT_COUNT + 1] = {
	[CGROUP_LAYOUT_NONE] = "none",
	[CGROUP_LAYOUT_V1] = "v1",
	[CGROUP_LAYOUT_V2] = "v2",
	[CGROUP_LAYOUT_HYBRID] = "hybrid",
};

const struct facility_row facility_rows[FACILITY_COUNT] = {
	[FACILITY_USER_NS] = {"userNamespaces", "user namespaces",
		"no native sandbox: nothing can be isolated without root", true},
	[FACILITY_MOUNT_NS] = {"mountNamespaces", "mount namespaces",
		"files of the host cannot be kept out of sight", true},
	[FACILITY_PID_NS] = {"pidNamespaces", "pid namespaces",
		"processes cannot be kept apart, nor ended together", true},
	[FACILITY_NET_NS] = {"netNamespaces", "network namespaces", "the network cannot be cut off",
		true},
	[FACILITY_IPC_NS] = {"ipcNamespaces", "ipc namespaces",
		"System V and POSIX message queues are shared with the host", true},
	[FACILITY_UTS_NS] = {"utsNamespaces", "uts namespaces", "the host's name is visible inside",
		true},
	[FACILITY_CGROUP_NS] = {"cgroupNamespaces", "cgroup namespaces",
		"the host's cgroup paths are visible inside", false},
	[FACILITY_TIME_NS] = {"timeNamespaces", "time namespaces",
		"the host's uptime is visible inside", false},
	[FACILITY_MOUNT_API] = {"mountApi", "mount by descriptor",
		"binds cannot be pinned to what was checked: no native sandbox", true},
	[FACILITY_OVERLAY] = {"overlay", "overlay in user namespaces",
		"no copy-on-write workspaces, no throw-away root", false},
	[FACILITY_IDMAP] = {"idmappedMounts", "id-mapped mounts",
		"started as root, a workspace is used with its owner's uid, and one that belongs "
		"to root is refused",
		false},
	[FACILITY_LANDLOCK] = {"landlock", "Landlock",
		"the second wall around files is missing; mount namespaces alone hold", false},
	[FACILITY_SECCOMP] = {"seccomp", "seccomp filters", "system calls cannot be limited", true},
	[FACILITY_SECCOMP_NOTIFY] = {"seccompNotify", "seccomp notification",
		"protected names that do not exist yet cannot be refused at once", false},
	[FACILITY_SECCOMP_LOG] = {"seccompLog", "seccomp logging",
		"refused system calls are not named in the audit", false},
	[FACILITY_CGROUP_MEMORY] = {"cgroupMemory", "cgroup memory",
		"memory is limited by a watchdog, which acts a moment later", false},
	[FACILITY_CGROUP_CPU] = {"cgroupCpu", "cgroup cpu", "cpu time cannot be limited", false},
	[FACILITY_CGROUP_PIDS] = {"cgroupPids", "cgroup pids",
		"the number of processes is limited by an rlimit", false},
	[FACILITY_CGROUP_KILL] = {"cgroupKill", "cgroup.kill",
		"a command's descendants are ended one by one", false},
	[FACILITY_CLONE_INTO_CGROUP] = {"cloneIntoCgroup", "clone into cgroup",
		"a command joins its cgroup a moment after its start", false},
	[FACILITY_NFTABLES] = {"nftables", "nf_tables in a network namespace",
		"a network with an allow-list cannot be guarded; network none still holds", false},
	[FACILITY_TPROXY] = {"tproxy", "nf_tables tproxy",
		"a network with an allow-list cannot be guarded; network none still holds", false},
	[FACILITY_OPENAT2] = {"openat2", "openat2",
		"file tools cannot be kept beneath the workspace", true},
	[FACILITY_PIDFD] = {"pidfd", "pidfd",
		"processes can only be named by numbers, which are used again", true},
	[FACILITY_CLOSE_RANGE] = {"closeRange", "close_range",
		"inherited files are closed one by one", false},
};

const struct setting_row setting_rows[SETTING_COUNT] = {
	[SETTING_MAX_USER_NS] = {"maxUserNamespaces", "user.max_user_namespaces",
		"how many user namespaces there may be; 0 forbids them"},
	[SETTING_USER_NS_CLONE] = {"unprivilegedUserNamespaces", "kernel.unprivileged_userns_clone",
		"0: only root may make user namespaces"},
	[SETTING_APPARMOR_USER_NS] = {"apparmorUserNamespaces",
		"kernel.apparmor_restrict_unprivileged_userns",
		"1: user namespaces have no rights unless an AppArmor profile grants them"},
	[SETTING_PTRACE_SCOPE] = {"ptraceScope", "kernel.yama.ptrace_scope",
		"who may trace whom on the host; inside a sandbox tracing never crosses its "
		"border"},
	[SETTING_IO_URING_DISABLED] = {"ioUringDisabled", "kernel.io_uring_disabled",
		"2: io_uring is off; inside a sandbox it always is"},
	[SETTING_BPF_DISABLED] = {"unprivilegedBpfDisabled", "kernel.unprivileged_bpf_disabled",
		"0: any user may load bpf programs; inside a sandbox nobody may"},
};

/* Texts for one reason, whatever the facility; a row with a facility goes before. */
static const struct reason_text {
	enum reason reason;
	enum facility facility; /* FACILITY_COUNT: any */
	const char *why;
	const char *remedy;
} reason_texts[] = {
	{REASON_LIMIT_ZERO, FACILITY_USER_NS, "user.max_user_namespaces is 0",
		"sysctl -w user.max_user_namespaces=15000"},
	{REASON_SYSCTL, FACILITY_USER_NS,
		"kernel.unprivileged_userns_clone is 0: only root may make user namespaces",
		"sysctl -w kernel.unprivileged_userns_clone=1"},
	{REASON_APPARMOR, FACILITY_USER_NS,
		"AppArmor takes all rights from user namespaces of programs without a profile",
		"install an AppArmor profile for ward that says 'userns,', or sysctl -w "
		"kernel.apparmor_restrict_unprivileged_userns=0"},
	{REASON_SECCOMP, FACILITY_USER_NS,
		"a seccomp filter around ward refuses new user namespaces",
		"run ward outside of this container, or start it with a seccomp profile that "
		"allows "
		"unshare, clone and mount"},
	{REASON_NOT_BUILT, FACILITY_USER_NS, "the kernel was built without user namespaces",
		"use a kernel with CONFIG_USER_NS=y"},
	{REASON_NOT_BUILT, FACILITY_LANDLOCK, "the kernel was built without Landlock",
		"use a kernel with CONFIG_SECURITY_LANDLOCK=y"},
	{REASON_NOT_ENABLED, FACILITY_LANDLOCK, "Landlock is not among the active security modules",
		"add landlock to the lsm= list of the kernel's command line and start again"},
	{REASON_KERNEL_OLD, FACILITY_LANDLOCK, "Landlock came with kernel 5.13",
		"use a newer kernel"},
	{REASON_NOT_BUILT, FACILITY_SECCOMP, "the kernel was built without seccomp filters",
		"use a kernel with CONFIG_SECCOMP_FILTER=y"},
	{REASON_NOT_BUILT, FACILITY_NFTABLES, "the kernel has no nf_tables",
		"modprobe nf_tables, or use a kernel with CONFIG_NF_TABLES and "
		"CONFIG_NF_TABLES_INET"},
	{REASON_NOT_BUILT, FACILITY_TPROXY, "the kernel has no nft_tproxy",
		"modprobe nft_tproxy, or use a kernel with CONFIG_NFT_TPROXY"},
	{REASON_NOT_BUILT, FACILITY_OVERLAY, "the kernel has no overlay file system",
		"modprobe overlay, or use a kernel with CONFIG_OVERLAY_FS"},
	{REASON_FILE_SYSTEM, FACILITY_IDMAP, "the file system of the current folder refuses them",
		"keep workspaces on ext4, xfs or btrfs, or give them to a user other than root"},
	{REASON_NOT_NEEDED, FACILITY_IDMAP, "only needed as root: a user's own uid is mapped",
		NULL},
	{REASON_NOT_NEEDED, FACILITY_COUNT, "not needed here", NULL},
	{REASON_SYSCTL, FACILITY_COUNT, "a kernel setting forbids it", "see sysctl -a"},
	{REASON_APPARMOR, FACILITY_COUNT, "AppArmor forbids it",
		"install an AppArmor profile for ward"},
	{REASON_FILE_SYSTEM, FACILITY_COUNT, "the file system refuses it", NULL},
	{REASON_UNKNOWN, FACILITY_COUNT, "not tried", "ward doctor tries it"},
	{REASON_KERNEL_OLD, FACILITY_COUNT, "the kernel is too old for it", "use a newer kernel"},
	{REASON_NOT_BUILT, FACILITY_COUNT, "the kernel was built without it",
		"use a kernel of a current distribution"},
	{REASON_NOT_ENABLED, FACILITY_COUNT, "the controller is not enabled for ward's cgroup",
		"start ward with systemd-run --user --scope -p Delegate=yes"},
	{REASON_LIMIT_ZERO, FACILITY_COUNT, "its limit in /proc/sys/user is 0",
		"raise user.max_*_namespaces with sysctl"},
	{REASON_SECCOMP, FACILITY_COUNT, "a seccomp filter around ward refuses it",
		"run ward outside of this container"},
	{REASON_NOT_DELEGATED, FACILITY_COUNT, "ward may not make cgroups here",
		"start ward with systemd-run --user --scope -p Delegate=yes"},
	{REASON_NEEDS_ROOT, FACILITY_COUNT, "version 1 of cgroups is for root",
		"start the machine with systemd.unified_cgroup_hierarchy=1, or run ward as root"},
	{REASON_NOT_MOUNTED, FACILITY_COUNT, "the controller is not mounted under /sys/fs/cgroup",
		"mount -t cgroup2 cgroup2 /sys/fs/cgroup"},
	{REASON_READ_ONLY, FACILITY_COUNT, "the cgroup file system is mounted read-only",
		"run ward outside of this container, or mount /sys/fs/cgroup writable into it"},
	{REASON_NEEDS_USER_NS, FACILITY_COUNT, "it needs a user namespace",
		"mend the user namespaces first"},
	{REASON_REFUSED, FACILITY_COUNT, "the kernel refuses it to ward",
		"run ward outside of containers, or with fewer restrictions around it"},
	{REASON_TIMEOUT, FACILITY_COUNT, "the attempt did not end in time", NULL},
	{REASON_CRASHED, FACILITY_COUNT, "the attempt was ended by a signal",
		"look for a seccomp filter or a security module that kills"},
};

void machine_init(struct machine *m)
{
	*m = (struct machine){0};
	for (size_t i = 0; i < FACILITY_COUNT; i++)
		m->facility[i] = REASON_UNKNOWN;
	for (size_t i = 0; i < SETTING_COUNT; i++)
		m->setting[i] = MACHINE_NO_SETTING;
}

/* At most four digits; moves on. */
static bool parse_number(const char **io, unsigned *ret)
{
	unsigned value = 0;
	size_t n = strspn(*io, "0123456789");

	if (n == 0 || n > 4)
		return false;
	for (; n > 0; n--)
		value = value * 10 + (unsigned)(*(*io)++ - '0');
	*ret = value;
	return true;
}

bool machine_set_kernel(struct machine *m, const char *release)
{
	const char *p = release;
	unsigned major, minor;

	if (!parse_number(&p, &major) || *p++ != '.' || !parse_number(&p, &minor))
		return false;
	snprintf(m->kernel, sizeof(m->kernel), "%s", release);
	m->kernel_major = major;
	m->kernel_minor = minor;
	return true;
}

bool machine_kernel_at_least(const struct machine *m, unsigned major, unsigned minor)
{
	return m->kernel_major > major || (m->kernel_major == major && m->kernel_minor >= minor);
}

bool machine_has(const struct machine *m, enum facility f)
{
	return m->facility[f] == REASON_OK;
}

static const struct reason_text *find_text(enum facility f, enum reason reason)
{
	for (size_t i = 0; i < ARRAY_LEN(reason_texts); i++)
		if (reason_texts[i].reason == reason &&
			(reason_texts[i].facility == f ||
				reason_texts[i].facility == FACILITY_COUNT))
			return &reason_texts[i];
	return NULL;
}

const char *machine_why(const struct machine *m, enum facility f)
{
	const struct reason_text *text = find_text(f, m->facility[f]);

	return text ? text->why : NULL;
}

const char *machine_remedy(const struct machine *m, enum facility f)
{
	const struct reason_text *text = find_text(f, m->facility[f]);

	return text ? text->remedy : NULL;
}

/* What the native sandbox needs for the layers that are either there or not. */
static const struct need {
	const char *mechanism;
	unsigned mechanisms;
	enum facility facilities[4]; /* FACILITY_COUNT ends the list */
} needs[LAYER_COUNT] = {
	[LAYER_FILESYSTEM] = {"mount namespace", MECHANISM_NAMESPACE,
		{FACILITY_USER_NS, FACILITY_MOUNT_NS, FACILITY_MOUNT_API, FACILITY_COUNT}},
	[LAYER_NETWORK] = {"network namespace", MECHANISM_NAMESPACE,
		{FACILITY_USER_NS, FACILITY_NET_NS, FACILITY_COUNT}},
	[LAYER_PROCESSES] = {"pid namespace", MECHANISM_NAMESPACE,
		{FACILITY_USER_NS, FACILITY_PID_NS, FACILITY_COUNT}},
	[LAYER_SYSCALLS] = {"seccomp", MECHANISM_SECCOMP, {FACILITY_SECCOMP, FACILITY_COUNT}},
	[LAYER_MEMORY] = {"watchdog", MECHANISM_WATCHDOG, {FACILITY_COUNT}},
	[LAYER_PIDS] = {"rlimit", MECHANISM_RLIMIT, {FACILITY_USER_NS, FACILITY_COUNT}},
	[LAYER_DISK] = {"tmpfs", MECHANISM_TMPFS,
		{FACILITY_USER_NS, FACILITY_MOUNT_NS, FACILITY_COUNT}},
};

static struct layer_answer missing_for(enum facility f, enum reason reason)
{
	const struct reason_text *text = find_text(f, reason);

	return (struct layer_answer){
		.mechanism = "none",
		.why = text ? text->why : "it is not there",
		.remedy = text ? text->remedy : NULL,
	};
}

static struct layer_answer missing(const struct machine *m, enum facility f)
{
	return missing_for(f, m->facility[f]);
}

static struct layer_answer answer_need(const struct machine *m, const struct need *need)
{
	for (const enum facility *f = need->facilities; *f != FACILITY_COUNT; f++)
		if (!machine_has(m, *f))
			return missing(m, *f);
	return (struct layer_answer){
		.enforced = true, .mechanisms = need->mechanisms, .mechanism = need->mechanism};
}

/* The mount namespace is the wall; Landlock is a second one where there is one. */
static struct layer_answer answer_filesystem(const struct machine *m)
{
	struct layer_answer a = answer_need(m, &needs[LAYER_FILESYSTEM]);

	if (!a.enforced)
		return a;
	if (machine_has(m, FACILITY_LANDLOCK)) {
		a.mechanism = "mount namespace and landlock";
		a.mechanisms |= MECHANISM_LANDLOCK;
		return a;
	}
	a.why = machine_why(m, FACILITY_LANDLOCK);
	a.remedy = machine_remedy(m, FACILITY_LANDLOCK);
	return a;
}

static enum facility limit_facility(enum layer_id layer)
{
	return layer == LAYER_MEMORY ? FACILITY_CGROUP_MEMORY
	       : layer == LAYER_CPU  ? FACILITY_CGROUP_CPU
				     : FACILITY_CGROUP_PIDS;
}

static unsigned limit_version(const struct machine *m, enum layer_id layer)
{
	return layer == LAYER_MEMORY ? m->cgroup_memory
	       : layer == LAYER_CPU  ? m->cgroup_cpu
				     : m->cgroup_pids;
}

struct layer_answer machine_cgroup_layer(const struct machine *m, enum layer_id layer, bool daemon)
{
	enum facility f = limit_facility(layer);
	unsigned version = limit_version(m, layer);

	if (version == 0 && machine_has(m, f))
		return missing_for(f, REASON_NOT_MOUNTED);
	if (version == 0 || !(daemon || machine_has(m, f)))
		return missing(m, f);
	return (struct layer_answer){
		.enforced = true,
		.mechanisms = version == 2 ? MECHANISM_CGROUP2 : MECHANISM_CGROUP1,
		.mechanism = version == 2 ? "cgroup2" : "cgroup1",
	};
}

/* A cgroup where there is one; else what is weaker, with the reason why it is. */
static struct layer_answer answer_limit(const struct machine *m, enum layer_id layer)
{
	struct layer_answer a = machine_cgroup_layer(m, layer, false), weaker;

	if (a.enforced || layer == LAYER_CPU)
		return a;
	weaker = answer_need(m, &needs[layer]);
	if (weaker.enforced) {
		weaker.why = a.why;
		weaker.remedy = a.remedy;
	}
	return weaker;
}

struct layer_answer machine_landlock_layer(const struct machine *m)
{
	static const char *const abi[] = {"landlock", "landlock ABI 1", "landlock ABI 2",
		"landlock ABI 3", "landlock ABI 4", "landlock ABI 5", "landlock ABI 6",
		"landlock ABI 7", "landlock ABI 8", "landlock ABI 9"};

	if (!machine_has(m, FACILITY_LANDLOCK))
		return missing(m, FACILITY_LANDLOCK);
	return (struct layer_answer){
		.enforced = true,
		.mechanisms = MECHANISM_LANDLOCK,
		.mechanism = abi[m->landlock_abi < ARRAY_LEN(abi) ? m->landlock_abi : 0],
	};
}

struct layer_answer machine_layer(const struct machine *m, enum layer_id layer)
{
	if (!machine_kernel_at_least(m, MACHINE_KERNEL_MAJOR, MACHINE_KERNEL_MINOR))
		return (struct layer_answer){
			.mechanism = "none",
			.why = "the native sandbox needs kernel 5.15 or newer",
			.remedy = "use a newer kernel, or another runtime such as podman",
		};
	switch (layer) {
	case LAYER_FILESYSTEM:
		return answer_filesystem(m);
	case LAYER_MEMORY:
	case LAYER_CPU:
	case LAYER_PIDS:
		return answer_limit(m, layer);
	case LAYER_LANDLOCK:
		return machine_landlock_layer(m);
	case LAYER_NETWORK:
	case LAYER_PROCESSES:
	case LAYER_SYSCALLS:
	case LAYER_DISK:
		return answer_need(m, &needs[layer]);
	case LAYER_COUNT:
		break;
	}
	return (struct layer_answer){.mechanism = "none"};
}
