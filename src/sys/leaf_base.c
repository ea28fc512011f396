/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/leaf_base.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#define LIST 64

/* "+memory +pids", of the controllers that the base can hand down. */
static void list_controllers(const struct cgroup_view *v, char sign, char out[LIST])
{
	size_t len = 0;

	out[0] = '\0';
	for (int c = 0; c < CGROUP_COUNT; c++)
		if (v->controller[c].version == 2 && v->controller[c].error == 0)
			len += (size_t)snprintf(out + len, LIST - len, "%s%c%s", len ? " " : "",
				sign, cgroup_names[c]);
}

static int hand_down(const struct cgroup_view *v)
{
	auto_fd int base = open(v->base, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char list[LIST];

	if (base < 0)
		return -errno;
	list_controllers(v, '+', list);
	return leaf_group_write(base, "cgroup.subtree_control", list);
}

int leaf_base_ready(const struct cgroup_view *v, struct leaf_group *ret_own)
{
	struct leaf_group own;
	int r;

	if (v->base_state == CGROUP_BASE_READY)
		return 0;
	if (v->base_state == CGROUP_BASE_ENABLE)
		return hand_down(v);
	r = leaf_group_make(v->base, 2, &own);
	if (r < 0)
		return r;
	r = leaf_group_write(own.dir, "cgroup.procs", "0");
	if (r == 0)
		r = hand_down(v);
	if (r < 0) {
		leaf_base_restore(&own);
		return r;
	}
	*ret_own = own;
	return 0;
}

/* The base may take the process back only when it hands nothing down. What another process was
 * given there meanwhile keeps it so, and then this process stays where it is. */
int leaf_base_restore(struct leaf_group *own)
{
	int r = 0;

	if (own->base < 0)
		return 0;
	for (int c = 0; c < CGROUP_COUNT; c++) {
		char word[LIST];

		snprintf(word, sizeof(word), "-%s", cgroup_names[c]);
		leaf_group_write(own->base, "cgroup.subtree_control", word);
	}
	r = leaf_group_write(own->base, "cgroup.procs", "0");
	if (r < 0)
		return r;
	return leaf_group_remove(own);
}
