/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/cow.h"

#include "base/cleanup.h"
#include "sys/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define PLACE PLAN_LAYERS_PLACE
#define LAYERS PLACE "/l"
#define BASE PLACE "/w"
#define DETACH 2 /* MNT_DETACH */
#define NOSUID_NODEV 6
#define OPTIONS 4096 /* the kernel takes one page */

int cow_begin(int layers)
{
	if (mkdir(PLACE, 0700) < 0 || mkdir(LAYERS, 0700) < 0 || mkdir(BASE, 0700) < 0)
		return -errno;
	return tree_attach(layers, AT_FDCWD, LAYERS);
}

/* Names of layers are ward's own: letters, digits and dashes. */
static int put_options(const struct plan_layer *layer, char out[OPTIONS])
{
	size_t at = (size_t)snprintf(out, OPTIONS,
		"userxattr,upperdir=" LAYERS "/%s/%s,workdir=" LAYERS "/%s/work,lowerdir=",
		layer->name, layer->upper, layer->name);

	for (size_t i = 0; i < layer->below_count && at < OPTIONS; i++)
		at += (size_t)snprintf(
			out + at, OPTIONS - at, LAYERS "/frozen/%s:", layer->below[i]);
	if (at < OPTIONS)
		at += (size_t)snprintf(out + at, OPTIONS - at, BASE);
	return at < OPTIONS ? 0 : -E2BIG;
}

static int leave(void)
{
	if (syscall(SYS_umount2, LAYERS, DETACH) < 0 || syscall(SYS_umount2, BASE, DETACH) < 0 ||
		rmdir(LAYERS) < 0 || rmdir(BASE) < 0 || rmdir(PLACE) < 0)
		return -errno;
	return 0;
}

int cow_mount(int workspace, const struct plan_layer *layer, const char *target)
{
	char options[OPTIONS];
	int r = put_options(layer, options);

	if (r == 0)
		r = tree_attach(workspace, AT_FDCWD, BASE);
	if (r == 0 && mkdir(target, 0755) < 0)
		r = -errno;
	if (r == 0)
		r = tree_mount("overlay", target, NOSUID_NODEV, options);
	return r < 0 ? r : leave();
}
