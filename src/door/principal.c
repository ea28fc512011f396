/* SPDX-License-Identifier: Apache-2.0 */
#include "door/principal.h"

#include "base/macro.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* A user's own service manager starts everybody's sessions, and belongs to none of them. */
static bool is_manager(const struct proctree_row *row)
{
	static const char *const known[] = {
		"/proc/1/exe", "/usr/lib/systemd/systemd", "/lib/systemd/systemd"};
	char path[32];
	struct stat its, other;

	snprintf(path, sizeof path, "/proc/%d/exe", (int)row->pid);
	if (row->parent != 1 || stat(path, &its) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (stat(known[i], &other) == 0 && other.st_uid == 0 &&
			other.st_dev == its.st_dev && other.st_ino == its.st_ino)
			return true;
	return false;
}

static size_t up_to_terminal(const struct proctree_row *rows, size_t count)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		if (rows[i].pid == rows[i].session && rows[i].terminal)
			found = i + 1;
	return found;
}

static size_t of_same_user(const struct proctree_row *rows, size_t count)
{
	size_t n = 1;

	while (n < count && rows[n].uid == rows[0].uid && rows[n].pid != 1 && !is_manager(&rows[n]))
		n++;
	return n;
}

int principal_requester(struct principal *ret, struct err *e)
{
	int count = proctree_above(getpid(), ret->rows, ARRAY_LEN(ret->rows));

	if (count <= 0)
		return err_sys(e, count ? count : -ESRCH, "find out who started this process");
	ret->count = up_to_terminal(ret->rows, (size_t)count);
	ret->leader = ret->count ? ret->rows[ret->count - 1].pid : 0;
	if (!ret->count)
		ret->count = of_same_user(ret->rows, (size_t)count);
	return 0;
}

static bool is_among(const struct principal *p, const struct proctree_row *row)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->rows[i].pid == row->pid && p->rows[i].started == row->started)
			return true;
	return false;
}

int principal_check(const struct principal *p, const struct peer_sender *who, struct err *e)
{
	struct proctree_row above[PRINCIPAL_DEPTH];
	int count;

	if (who->uid != geteuid() && who->uid != 0)
		return err_set(
			e, EPERM, "another user asked for this, and only they or root can answer");
	if (peer_is_beside(who) < 0)
		return err_set(e, EPERM, "no answer is taken from inside a sandbox or container");
	count = proctree_above(who->pid, above, ARRAY_LEN(above));
	if (count <= 0)
		return err_set(e, EPERM, "it cannot be told who answers: try again");
	for (int i = 0; i < count; i++)
		if (is_among(p, &above[i]))
			return err_set(e, EPERM,
				"whoever asks cannot answer: process %d belongs to the requester; "
				"answer from another terminal or login",
				(int)above[i].pid);
	return 0;
}
