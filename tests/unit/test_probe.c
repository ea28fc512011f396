/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/probe.h"

#include "runtime/probe_reason.h"
#include "sys/child.h"
#include "sys/ns.h"
#include "test.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the quick probe supposes, the deep one tries: it can only find less, or what nobody knew. */
static void test_quick_and_deep_agree(void)
{
	struct machine quick, deep;

	setenv("PATH", "/nowhere", 1);
	probe_quick(&quick);
	probe_deep(&deep);
	check(!quick.tried && deep.tried);
	check_str(quick.kernel, deep.kernel);
	check_int(quick.root, geteuid() == 0);
	check_int(quick.landlock_abi, deep.landlock_abi);
	check_int(quick.cgroup, deep.cgroup);
	for (enum facility f = 0; f < FACILITY_COUNT; f++) {
		test_row("%s: quick %s, deep %s", facility_rows[f].key,
			reason_names[quick.facility[f]], reason_names[deep.facility[f]]);
		check(deep.facility[f] != REASON_UNKNOWN);
		check(deep.facility[f] != REASON_TIMEOUT && deep.facility[f] != REASON_CRASHED);
		if (deep.facility[f] == REASON_OK)
			check(quick.facility[f] == REASON_OK ||
				quick.facility[f] == REASON_UNKNOWN);
	}
}

static void test_nothing_is_left(void)
{
	struct machine m;
	char before[64] = "", after[64] = "";
	int first = dup(0), second;

	close(first);
	check(readlink("/proc/self/ns/user", before, sizeof(before) - 1) > 0);
	probe_deep(&m);
	check(readlink("/proc/self/ns/user", after, sizeof(after) - 1) > 0);
	check_str(after, before);
	check(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	second = dup(0);
	check_int(second, first);
	close(second);
}

/* In a user namespace of its own whose limit is 0, no further one can be made; the probe must find
 * out. */
static int probe_without_user_ns(void *ctx)
{
	struct machine *m = ctx;
	int r = ns_enter_user();
	FILE *f;

	if (r < 0)
		return r;
	f = fopen("/proc/sys/user/max_user_namespaces", "we");
	if (!f)
		return -errno;
	fprintf(f, "0\n");
	if (fclose(f) != 0)
		return -errno;
	probe_quick(m);
	if (m->facility[FACILITY_USER_NS] != REASON_LIMIT_ZERO)
		return 100 + (int)m->facility[FACILITY_USER_NS];
	probe_deep(m);
	if (m->facility[FACILITY_USER_NS] != REASON_LIMIT_ZERO)
		return 200 + (int)m->facility[FACILITY_USER_NS];
	if (m->facility[FACILITY_NET_NS] != REASON_NEEDS_USER_NS)
		return 300 + (int)m->facility[FACILITY_NET_NS];
	return machine_layer(m, LAYER_FILESYSTEM).enforced ? 400 : 0;
}

static void test_limit_zero(void)
{
	struct machine m;
	int r;

	probe_deep(&m);
	if (m.facility[FACILITY_USER_NS] != REASON_OK)
		return; /* then the machine itself shows it */
	r = child_try(probe_without_user_ns, &m, 60000);
	check_int(r, 0);
}

/* Under a filter such as container engines load: no request for a namespace reaches the kernel. */
static int probe_under_filter(void *ctx)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = 4, .filter = code};
	struct machine *m = ctx;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
		return -errno;
	probe_quick(m);
	if (m->facility[FACILITY_USER_NS] != REASON_SECCOMP)
		return 100 + (int)m->facility[FACILITY_USER_NS];
	probe_deep(m);
	return m->facility[FACILITY_USER_NS] == REASON_SECCOMP ? 0 : 200;
}

static void test_filter(void)
{
	struct machine m;
	int r;

	probe_quick(&m);
	if (m.facility[FACILITY_SECCOMP] != REASON_OK || m.facility[FACILITY_USER_NS] != REASON_OK)
		return; /* the machine itself is more closed than that */
	r = child_try(probe_under_filter, &m, 60000);
	check_int(r, 0);
}

static void test_reasons(void)
{
	static const struct {
		int error;
		enum reason reason;
	} rows[] = {
		{0, REASON_OK},
		{-ENOSYS, REASON_KERNEL_OLD},
		{-EINVAL, REASON_NOT_BUILT},
		{-ENODEV, REASON_NOT_BUILT},
		{-ENOSPC, REASON_LIMIT_ZERO},
		{-EPERM, REASON_REFUSED},
		{-EACCES, REASON_REFUSED},
		{-EIO, REASON_REFUSED},
		{-ETIMEDOUT, REASON_TIMEOUT},
		{-EOWNERDEAD, REASON_CRASHED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		test_row("%d", rows[i].error);
		check_int(probe_reason(rows[i].error), rows[i].reason);
	}
}

static const struct test tests[] = {
	{"what is supposed and what is tried agree", test_quick_and_deep_agree},
	{"nothing is left behind", test_nothing_is_left},
	{"a limit of 0 is found", test_limit_zero},
	{"a filter around ward is found", test_filter},
	{"errors and reasons", test_reasons},
};

TEST_MAIN(tests)
