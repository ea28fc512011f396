/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/cgroup.h"

#include "base/macro.h"
#include "base/str.h"
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MEMBERSHIP_MAX 4096
#define LIST_MAX 512

static const char *const names[CGROUP_COUNT] = {
	[CGROUP_MEMORY] = "memory", [CGROUP_CPU] = "cpu", [CGROUP_PIDS] = "pids"};

/* Is the word in a list whose words are separated by one of the characters? */
static bool has_word(const char *list, const char *word, char separator)
{
	size_t len = strlen(word);

	for (const char *p = list; p; p = strchr(p, separator)) {
		p += *p == separator;
		if (strncmp(p, word, len) == 0 && (p[len] == separator || !p[len]))
			return true;
	}
	return false;
}

/* dir + "/" + name into out; false when it does not fit. */
static bool join(char out[CGROUP_PATH], const char *dir, const char *name)
{
	int n = snprintf(out, CGROUP_PATH, "%s/%s", dir, name);

	return n > 0 && n < CGROUP_PATH;
}

static int may(const char *dir, const char *name, int mode)
{
	char path[CGROUP_PATH];

	if (!join(path, dir, name))
		return -ENAMETOOLONG;
	return faccessat(AT_FDCWD, path, mode, AT_EACCESS) < 0 ? -errno : 0;
}

static int read_list(const char *dir, const char *name, char out[LIST_MAX])
{
	char path[CGROUP_PATH];

	if (!join(path, dir, name))
		return -ENAMETOOLONG;
	return file_read_small(path, out, LIST_MAX);
}

/* One line, "number:controllers:path": is it about the controller ("" = version 2)? Then its path.
 */
static bool parse_line(const char *line, size_t len, const char *controller, char out[CGROUP_PATH])
{
	const char *first = memchr(line, ':', len), *end = line + len;
	const char *second = first ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;
	char controllers[LIST_MAX];
	size_t n;

	if (!second || second + 1 == end || second[1] != '/' || end - second > CGROUP_PATH ||
		second - first > LIST_MAX)
		return false;
	n = (size_t)(second - first) - 1;
	memcpy(controllers, first + 1, n);
	controllers[n] = '\0';
	if (controller[0] ? !has_word(controllers, controller, ',') : n > 0)
		return false;
	n = (size_t)(end - second) - 1;
	memcpy(out, second + 1, n);
	out[n] = '\0';
	return true;
}

/* The group of this process in the hierarchy of a controller. */
static bool find_group(const char *membership, const char *controller, char out[CGROUP_PATH])
{
	size_t len;

	for (const char *line = membership; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (parse_line(line, len, controller, out))
			return true;
	}
	return false;
}

/*
 * Version 1: the group's folder. In a container the group may lie outside of what is mounted; then
 * what is mounted is where groups are made.
 */
static void look_v1(
	const char *root, const char *membership, enum cgroup_controller c, struct cgroup_view *v)
{
	char mount[CGROUP_PATH], group[CGROUP_PATH], dir[CGROUP_PATH];
	int r = -ENOENT;

	if (!find_group(membership, names[c], group) || !join(mount, root, names[c]))
		return;
	if (join(dir, mount, group + 1))
		r = may(dir, ".", W_OK | X_OK);
	if (r == -ENOENT)
		r = may(mount, ".", W_OK | X_OK);
	if (r == -ENOENT)
		return;
	v->v1 = true;
	v->controller[c].version = 1;
	v->controller[c].error = r;
}

/* Which of the controllers are in one of the group's lists, and how many. */
static int count_listed(
	const char *dir, const char *file, const struct cgroup_view *v, bool listed[CGROUP_COUNT])
{
	char list[LIST_MAX];
	int count = 0;

	if (read_list(dir, file, list) < 0)
		return 0;
	for (int c = 0; c < CGROUP_COUNT; c++) {
		listed[c] = v->controller[c].version == 2 && has_word(list, names[c], ' ');
		count += listed[c];
	}
	return count;
}

static bool may_fill(const char *dir)
{
	return may(dir, ".", W_OK | X_OK) == 0 && may(dir, "cgroup.procs", W_OK) == 0;
}

/* What a version 2 group hands down to groups in it. */
static int count_handed_down(
	const char *dir, const struct cgroup_view *v, bool handed[CGROUP_COUNT])
{
	return may_fill(dir) ? count_listed(dir, "cgroup.subtree_control", v, handed) : 0;
}

/*
 * A group that ward may write to, with nobody else in it, can be made to hand its controllers down:
 * ward moves to a group inside first. This is what systemd-run -p Delegate=yes gives.
 */
static int count_own(const char *dir, const struct cgroup_view *v, bool handed[CGROUP_COUNT])
{
	char list[LIST_MAX], self[32];

	if (!may_fill(dir) || may(dir, "cgroup.subtree_control", W_OK) < 0)
		return 0;
	snprintf(self, sizeof(self), "%d", (int)getpid());
	if (read_list(dir, "cgroup.procs", list) < 0 || !str_eq(list, self))
		return 0;
	return count_listed(dir, "cgroup.controllers", v, handed);
}

static void take_base(struct cgroup_view *v, const char *dir, const bool handed[CGROUP_COUNT])
{
	snprintf(v->base, sizeof(v->base), "%s", dir);
	for (int c = 0; c < CGROUP_COUNT; c++)
		if (v->controller[c].version == 2)
			v->controller[c].error = handed[c] ? 0 : -ENOTSUP;
}

/* Takes the group as the base when it offers more than the best so far. */
static void offer_base(struct cgroup_view *v, const char *dir, int count,
	const bool handed[CGROUP_COUNT], int *best)
{
	if (count <= *best)
		return;
	*best = count;
	take_base(v, dir, handed);
}

/*
 * From the process's own group upwards: the group that hands down most, the nearest of equals; its
 * own, if it is alone there, when that offers more.
 */
static void find_base(struct cgroup_view *v, const char *mount, const char *group)
{
	bool handed[CGROUP_COUNT] = {false};
	char own[CGROUP_PATH], dir[CGROUP_PATH];
	int best = 0;

	if (!join(own, mount, group + 1))
		return;
	if (str_ends(own, "/"))
		own[strlen(own) - 1] = '\0';
	memcpy(dir, own, strlen(own) + 1);
	while (best < CGROUP_COUNT && strlen(dir) >= strlen(mount)) {
		offer_base(v, dir, count_handed_down(dir, v, handed), handed, &best);
		*strrchr(dir, '/') = '\0';
	}
	if (best < CGROUP_COUNT)
		offer_base(v, own, count_own(own, v, handed), handed, &best);
}

/* Why no group in version 2 may be made; the same for all of its controllers. */
static int refusal(const char *mount, const char *group)
{
	char dir[CGROUP_PATH];
	int r;

	if (!join(dir, mount, group + 1))
		return -ENAMETOOLONG;
	r = may(dir, ".", W_OK | X_OK);
	return r < 0 ? r : -ENOTSUP;
}

static void look_v2(const char *mount, const char *membership, struct cgroup_view *v)
{
	char list[LIST_MAX], group[CGROUP_PATH];
	bool used = false;

	if (!find_group(membership, "", group) || read_list(mount, "cgroup.controllers", list) < 0)
		return;
	v->v2 = true;
	for (int c = 0; c < CGROUP_COUNT; c++)
		if (!v->controller[c].version && has_word(list, names[c], ' ')) {
			v->controller[c].version = 2;
			v->controller[c].error = refusal(mount, group);
			used = true;
		}
	if (used)
		find_base(v, mount, group);
}

void cgroup_look(const char *root, const char *membership, struct cgroup_view *ret)
{
	char text[MEMBERSHIP_MAX], unified[CGROUP_PATH];
	struct cgroup_view v = {0};

	for (int c = 0; c < CGROUP_COUNT; c++)
		v.controller[c].error = -ENOENT;
	if (file_read_small(membership, text, sizeof(text)) < 0)
		text[0] = '\0';
	if (may(root, "cgroup.controllers", F_OK) == 0) {
		look_v2(root, text, &v);
		*ret = v;
		return;
	}
	for (int c = 0; c < CGROUP_COUNT; c++)
		look_v1(root, text, c, &v);
	if (join(unified, root, "unified") && may(unified, "cgroup.controllers", F_OK) == 0)
		look_v2(unified, text, &v);
	*ret = v;
}
