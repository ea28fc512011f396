/* SPDX-License-Identifier: Apache-2.0 */

/* Steps in the program's own process, which shares init's memory: nothing here may allocate. */

#include "engine/confine.h"

#include "model/seccomp_default.h"
#include "sys/caps.h"
#include "sys/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

int confine_attach(struct stage *s, struct err *e)
{
	int r = leaf_attach_self(&s->leaf);

	if (r < 0)
		return err_sys(e, r, "join the control groups");
	/* From here on the groups above are not to be seen. */
	if (unshare(CLONE_NEWCGROUP) < 0)
		return err_sys(e, -errno, "make a control group namespace");
	return 0;
}

int confine_own_session(struct stage *s, struct err *e)
{
	if (s->terminal < 0)
		return setsid() < 0 ? err_sys(e, -errno, "start a session") : 0;
	if (setpgid(0, 0) < 0 || tcsetpgrp(s->terminal, getpid()) < 0)
		return err_sys(e, -errno, "take the terminal");
	return 0;
}

/* Directories would be a way out to the host; everything else is what the caller chose. */
int confine_check_stream(int fd, int as, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, -errno, "look at descriptor %d", as);
	if (S_ISDIR(st.st_mode))
		return err_set(e, EISDIR,
			"descriptor %d is a folder of the host, which is not handed in; redirect "
			"it from a file or /dev/null",
			as);
	return 0;
}

int confine_streams(struct stage *s, struct err *e)
{
	const int from[3] = {s->terminal, s->terminal >= 0 ? s->terminal : s->output[1],
		s->terminal >= 0 ? s->terminal : s->error[1]};

	for (int fd = 0; fd < 3; fd++) {
		int r = from[fd] >= 0 && dup2(from[fd], fd) < 0 ? err_sys(e, -errno, "dup") : 0;

		if (r == 0)
			r = confine_check_stream(fd, fd, e);
		if (r < 0)
			return r;
	}
	/* All others close at exec as it is; this is for what was forgotten. */
	if (syscall(SYS_close_range, 3u, ~0u, 1u << 2) < 0)
		return err_sys(e, -errno, "mark descriptors to be closed");
	return 0;
}

/* Where the caller may have less than the limit, that is what counts. */
static int set_limit(int what, uint64_t limit, const char *name, struct err *e)
{
	struct rlimit l = {limit, limit}, caller;

	if (limit == PLAN_NO_LIMIT)
		return 0;
	if (setrlimit((unsigned)what, &l) == 0)
		return 0;
	if (errno == EPERM && getrlimit((unsigned)what, &caller) == 0 && caller.rlim_max < limit) {
		caller.rlim_cur = caller.rlim_max;
		if (setrlimit((unsigned)what, &caller) == 0)
			return 0;
	}
	return err_sys(e, -errno, "limit %s", name);
}

int confine_resources(struct stage *s, struct err *e)
{
	const struct plan_limits *l = &s->plan->limits;
	int r = set_limit(RLIMIT_CORE, 0, "the size of core files", e);

	if (r == 0)
		r = set_limit(RLIMIT_NOFILE, l->files, "open files", e);
	if (r == 0)
		r = set_limit(RLIMIT_FSIZE, l->file_size, "the size of files", e);
	/* Counted within the sandbox's own user namespace; init is one of them. A control group
	 * counts better, and what it refuses can be seen: there this is a second wall behind it. */
	if (r == 0 && l->pids != PLAN_NO_LIMIT)
		r = set_limit(RLIMIT_NPROC, l->pids + (s->pids_held ? 16 : 1), "processes", e);
	umask(0022);
	return r;
}

int confine_drop(struct stage *s, struct err *e)
{
	int r = caps_keep(0);

	(void)s;
	return r < 0 ? err_sys(e, r, "drop capabilities") : 0;
}

int confine_landlock(struct stage *s, struct err *e)
{
	int r = landlock_enforce(&s->landlock);

	return r < 0 ? err_sys(e, r, "lay Landlock rules") : 0;
}

/* What the caller ignored would stay ignored. The starter of many waits for its children's end. */
int confine_signals(struct stage *s, struct err *e)
{
	struct sigaction normal = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		sigaction(number, &normal, NULL);
	if (s->plan->living)
		return 0;
	sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL) < 0 ? err_sys(e, -errno, "reset signals") : 0;
}

int confine_filter(struct stage *s, struct err *e)
{
	const struct plan *p = s->plan;
	bool listens = seccomp_variant_listens(p->filter_variant);
	const struct seccomp_program *filter =
		p->filter.code ? &p->filter : seccomp_default(p->filter_variant);
	int r;

	if (!filter)
		return err_set(e, ENOTSUP, "ward has no list of this processor's system calls");
	r = seccomp_load(filter->code, filter->len, listens);
	/* Somebody listens around ward already. Without a broker only the count is lost. */
	if (r == -EBUSY && p->filter_variant == SECCOMP_WATCH && !p->filter.code) {
		listens = false;
		filter = seccomp_default(SECCOMP_PLAIN);
		r = seccomp_load(filter->code, filter->len, listens);
	}
	if (r == -EBUSY)
		return err_set(e, EBUSY,
			"load the filter: something around ward listens to system calls already, "
			"so ward cannot protect or hide files; use workspace 'ro' or 'none' "
			"without 'hide', or start ward elsewhere");
	if (r < 0)
		return err_sys(
			e, r, listens ? "load a filter that is listened to" : "load the filter");
	if (listens)
		s->listener = r;
	return 0;
}
