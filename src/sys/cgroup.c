/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/cgroup.h"

#include "base/str.h"
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEMBERSHIP_MAX 4096
#define LIST_MAX 512

const char *const cgroup_names[CGROUP_COUNT] = {
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

/* A line of /proc/self/cgroup, "number:controllers:path". */
struct line {
	unsigned hierarchy;
	char controllers[LIST_MAX];
	char path[CGROUP_PATH];
};

static bool copy_part(char *out, size_t size, const char *from, const char *to)
{
	size_t n = (size_t)(to - from);

	if (n >= size)
		return false;
	memcpy(out, from, n);
	out[n] = '\0';
	return true;
}

static bool parse_line(const char *text, size_t len, struct line *ret)
{
	const char *first = memchr(text, ':', len), *end = text + len;
	const char *second = first ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;

	if (!second || second + 1 == end || second[1] != '/')
		return false;
	ret->hierarchy = (unsigned)strtoul(text, NULL, 10);
	return copy_part(ret->controllers, sizeof(ret->controllers), first + 1, second) &&
	       copy_part(ret->path, sizeof(ret->path), second + 1, end);
}

/* The group of this process in the hierarchy of a controller; "" = version 2. */
static bool find_group(const char *membership, const char *controller, struct line *ret)
{
	size_t len;

	for (const char *line = membership; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (parse_line(line, len, ret) &&
			(controller[0] ? has_word(ret->controllers, controller, ',')
				       : !ret->controllers[0]))
			return true;
	}
	return false;
}

static int may_write(const char *dir)
{
	return may(dir, ".", W_OK | X_OK);
}

/*
 * Version 1: the group's folder. In a container the group may lie outside of what is mounted; then
 * what is mounted is where groups are made.
 */
static int look_mount(const char *root, const char *name, const char *group, char dir[CGROUP_PATH])
{
	char mount[CGROUP_PATH];
	int r;

	if (!join(mount, root, name) || !join(dir, mount, group + 1))
		return -ENOENT;
	r = may_write(dir);
	if (r != -ENOENT)
		return r;
	memcpy(dir, mount, sizeof(mount));
	return may_write(dir);
}

/* A hierarchy is mounted under the controller's name, or under the names of all that share it. */
static void look_v1(
	const char *root, const char *membership, enum cgroup_controller c, struct cgroup_view *v)
{
	struct line line;
	int r;

	if (!find_group(membership, cgroup_names[c], &line))
		return;
	r = look_mount(root, cgroup_names[c], line.path, v->controller[c].dir);
	if (r == -ENOENT && !str_eq(line.controllers, cgroup_names[c]))
		r = look_mount(root, line.controllers, line.path, v->controller[c].dir);
	if (r == -ENOENT)
		return;
	v->v1 = true;
	v->controller[c].version = 1;
	v->controller[c].error = r;
	v->controller[c].hierarchy = line.hierarchy;
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
		listed[c] = v->controller[c].version == 2 && has_word(list, cgroup_names[c], ' ');
		count += listed[c];
	}
	return count;
}

static bool may_fill(const char *dir)
{
	return may_write(dir) == 0 && may(dir, "cgroup.procs", W_OK) == 0;
}

/*
 * What a version 2 group could hand down to groups in it. Not while processes are in it, unless it
 * is the root of the whole tree, which alone has no type; ward, if it is the only one, moves to a
 * group inside first. That is what systemd-run -p Delegate=yes gives.
 */
static int count_could(const char *dir, const struct cgroup_view *v, bool top,
	bool handed[CGROUP_COUNT], enum cgroup_base *ret_state)
{
	char list[LIST_MAX], self[32];

	if (may(dir, "cgroup.subtree_control", W_OK) < 0 ||
		read_list(dir, "cgroup.procs", list) < 0)
		return 0;
	snprintf(self, sizeof(self), "%d", (int)getpid());
	*ret_state = CGROUP_BASE_ENABLE;
	if (list[0] && !(top && may(dir, "cgroup.type", F_OK) == -ENOENT)) {
		if (!str_eq(list, self))
			return 0;
		*ret_state = CGROUP_BASE_OWN;
	}
	return count_listed(dir, "cgroup.controllers", v, handed);
}

struct offer {
	int count;
	bool handed[CGROUP_COUNT];
	enum cgroup_base state;
};

/* More controllers win; of equals what costs less, then what is nearer, which is seen first. */
static void take_offer(
	struct cgroup_view *v, const char *dir, const struct offer *offer, struct offer *best)
{
	if (offer->count < best->count ||
		(offer->count == best->count && offer->state >= best->state))
		return;
	*best = *offer;
	snprintf(v->base, sizeof(v->base), "%s", dir);
	v->base_state = offer->state;
	for (int c = 0; c < CGROUP_COUNT; c++)
		if (v->controller[c].version == 2)
			v->controller[c].error = offer->handed[c] ? 0 : -ENOTSUP;
}

static void offer_group(struct cgroup_view *v, const char *dir, bool top, struct offer *best)
{
	struct offer now = {.state = CGROUP_BASE_READY}, could = {0};

	if (!may_fill(dir))
		return;
	now.count = count_listed(dir, "cgroup.subtree_control", v, now.handed);
	if (now.count)
		take_offer(v, dir, &now, best);
	if (best->count == CGROUP_COUNT && best->state == CGROUP_BASE_READY)
		return;
	could.count = count_could(dir, v, top, could.handed, &could.state);
	if (could.count)
		take_offer(v, dir, &could, best);
}

/* From the process's own group upwards. */
static void find_base(struct cgroup_view *v, const char *mount, const char *group)
{
	struct offer best = {.state = CGROUP_BASE_OWN};
	char dir[CGROUP_PATH];

	if (!join(dir, mount, group + 1))
		return;
	if (str_ends(dir, "/"))
		dir[strlen(dir) - 1] = '\0';
	while (strlen(dir) >= strlen(mount)) {
		offer_group(v, dir, strlen(dir) == strlen(mount), &best);
		if (best.count == CGROUP_COUNT && best.state == CGROUP_BASE_READY)
			return;
		*strrchr(dir, '/') = '\0';
	}
}

/* Why no group in version 2 may be made; the same for all of its controllers. */
static int refusal(const char *mount, const char *group)
{
	char dir[CGROUP_PATH];
	int r;

	if (!join(dir, mount, group + 1))
		return -ENAMETOOLONG;
	r = may_write(dir);
	return r < 0 ? r : -ENOTSUP;
}

static void look_v2(const char *mount, const char *membership, struct cgroup_view *v)
{
	char list[LIST_MAX];
	struct line line;
	bool used = false;

	if (!find_group(membership, "", &line) || read_list(mount, "cgroup.controllers", list) < 0)
		return;
	v->v2 = true;
	for (int c = 0; c < CGROUP_COUNT; c++)
		if (!v->controller[c].version && has_word(list, cgroup_names[c], ' ')) {
			v->controller[c].version = 2;
			v->controller[c].error = refusal(mount, line.path);
			used = true;
		}
	if (used)
		find_base(v, mount, line.path);
}

/* Where a process is in groups of version 1, the names of the mounts need no look. */
void cgroup_look(const char *root, const char *membership, struct cgroup_view *ret)
{
	char text[MEMBERSHIP_MAX], unified[CGROUP_PATH];
	bool all = true;

	*ret = (struct cgroup_view){0};
	if (file_read_small(membership, text, sizeof(text)) < 0)
		text[0] = '\0';
	for (int c = 0; c < CGROUP_COUNT; c++) {
		ret->controller[c].error = -ENOENT;
		look_v1(root, text, c, ret);
		all &= ret->controller[c].version == 1;
	}
	if (!join(unified, root, "unified"))
		return;
	if (all)
		ret->v2 = may(unified, "cgroup.controllers", F_OK) == 0;
	else if (may(root, "cgroup.controllers", F_OK) == 0)
		look_v2(root, text, ret);
	else
		look_v2(unified, text, ret);
}

const struct cgroup_view *cgroup_here(void)
{
	static struct cgroup_view view;
	static bool looked;

	if (!looked)
		cgroup_look("/sys/fs/cgroup", "/proc/self/cgroup", &view);
	looked = true;
	return &view;
}
