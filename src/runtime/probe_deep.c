/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/probe.h"

#include "base/macro.h"
#include "runtime/engines.h"
#include "runtime/probe_reason.h"
#include "sys/child.h"
#include "sys/host.h"
#include "sys/landlock.h"
#include "sys/lsm.h"
#include "sys/mount.h"
#include "sys/nft.h"
#include "sys/ns.h"
#include "sys/seccomp.h"
#include "sys/sysctl.h"

#include <errno.h>
#include <sched.h>

#define TRY_MS 3000

/*
 * One attempt, in a child of its own: enter a user namespace if it needs one, then other
 * namespaces, then do the thing. The child ends, and with it everything that it made.
 */
struct attempt {
	enum facility facility;
	bool user_ns;
	int flags;
	int (*act)(void); /* NULL: entering was all */
};

/* A user namespace counts only when it brings rights: Ubuntu's AppArmor grants it without any. */
static const struct attempt user_ns = {FACILITY_USER_NS, true, CLONE_NEWNS, mount_try_tmpfs};

static const struct attempt attempts[] = {
	{FACILITY_MOUNT_NS, true, CLONE_NEWNS, NULL},
	{FACILITY_PID_NS, true, CLONE_NEWPID, NULL},
	{FACILITY_NET_NS, true, CLONE_NEWNET, NULL},
	{FACILITY_IPC_NS, true, CLONE_NEWIPC, NULL},
	{FACILITY_UTS_NS, true, CLONE_NEWUTS, NULL},
	{FACILITY_CGROUP_NS, true, CLONE_NEWCGROUP, NULL},
	{FACILITY_TIME_NS, true, CLONE_NEWTIME, NULL},
	{FACILITY_MOUNT_API, true, CLONE_NEWNS, mount_try_tmpfs},
	{FACILITY_OVERLAY, true, CLONE_NEWNS, mount_try_overlay},
	{FACILITY_NFTABLES, true, CLONE_NEWNET, nft_try},
	{FACILITY_TPROXY, true, CLONE_NEWNET, nft_try_tproxy},
	{FACILITY_IDMAP, false, 0, mount_try_idmap},
	{FACILITY_LANDLOCK, false, 0, landlock_try},
	{FACILITY_SECCOMP, false, 0, seccomp_try},
};

static int carry_out(void *ctx)
{
	const struct attempt *a = ctx;
	int r = a->user_ns ? ns_enter_user() : 0;

	if (r >= 0 && a->flags)
		r = ns_enter(a->flags);
	if (r >= 0 && a->act)
		r = a->act();
	return r;
}

/* What a failure means, where more is known than its number. */
static enum reason judge(const struct machine *m, const struct attempt *a, int error)
{
	enum reason reason = probe_reason(error);

	if (a->facility == FACILITY_IDMAP && error == -EINVAL)
		return REASON_FILE_SYSTEM;
	if (reason != REASON_REFUSED)
		return reason;
	if (seccomp_filtered())
		return REASON_SECCOMP;
	if (a->facility == FACILITY_USER_NS && m->apparmor)
		return REASON_APPARMOR;
	return reason;
}

/* An attempt that succeeds settles it; one that fails leaves alone what the quick probe knew
 * better. */
static void try_one(struct machine *m, const struct attempt *a)
{
	enum reason *reason = &m->facility[a->facility];
	struct attempt copy = *a;
	int r;

	if (*reason == REASON_NOT_NEEDED)
		return;
	if (a->user_ns && a != &user_ns && m->facility[FACILITY_USER_NS] != REASON_OK) {
		*reason = REASON_NEEDS_USER_NS;
		return;
	}
	r = child_try(carry_out, &copy, TRY_MS);
	if (r >= 0)
		*reason = REASON_OK;
	else if (*reason == REASON_OK || *reason == REASON_UNKNOWN)
		*reason = judge(m, a, r);
}

/* What is only shown: nothing is decided by it. */
static void look_further(struct machine *m)
{
	for (enum setting s = 0; s < SETTING_COUNT; s++)
		sysctl_read(setting_rows[s].name, &m->setting[s]);
	m->apparmor = lsm_apparmor_enabled();
	host_distribution(m->distribution, m->distribution_version);
	host_container(m->container);
}

void probe_deep(struct machine *ret)
{
	probe_quick(ret);
	look_further(ret);
	ret->tried = true;
	try_one(ret, &user_ns);
	for (size_t i = 0; i < ARRAY_LEN(attempts); i++)
		try_one(ret, &attempts[i]);
	engines_ask(ret);
}
