/* SPDX-License-Identifier: Apache-2.0 */

/* Layers among each other: their names, the frozen ones that they share, their end. */

#include "base/cleanup.h"
#include "base/str.h"
#include "base/vec.h"
#include "state/chain_file.h"
#include "state/layer.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* Away at once, as far as anybody can see; what takes long follows. */
int layer_delete(struct layer *l, struct err *e)
{
	char gone[LAYER_NAME + 8];

	snprintf(gone, sizeof gone, ".gone-%s", layer_new_id(l));
	if (renameat(l->folder, l->name, l->folder, gone) < 0)
		return err_sys(e, -errno, "remove layer '%s'", l->name);
	folder_remove(l->folder, gone);
	layer_collect(l);
	return 0;
}

/* Every folder but that of the frozen ones is a layer. */
static void list_names(struct arena *a, int folder, const char ***ret, size_t *ret_count)
{
	auto_(folder_close) DIR *d = folder_list(folder, "");
	size_t count = 0, capacity = 8;
	const char **names = arena_array(a, capacity, sizeof *names);
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		const char *name = entry->d_name;

		if (name[0] != '.' && !str_eq(name, "frozen"))
			vec_push(a, &names, &count, &capacity, arena_text(a, name, strlen(name)));
	}
	*ret = names;
	*ret_count = count;
}

int layer_list(
	struct arena *a, const char *state, const char ***ret, size_t *ret_count, struct err *e)
{
	struct layer all = LAYER_NONE;
	int r = layer_open_all(state, false, &all, e);

	*ret_count = 0;
	if (r == 0)
		list_names(a, all.folder, ret, ret_count);
	layer_close(&all);
	return r == -ENOENT ? 0 : r;
}

/* All chains. One that cannot be read may stand on any layer: false. */
static bool read_chains(struct layer *l, struct chain **ret, size_t *ret_count)
{
	const char **names;
	size_t count;

	list_names(l->arena, l->folder, &names, &count);
	*ret = arena_array(l->arena, count + 1, sizeof **ret);
	*ret_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct layer other = LAYER_NONE;
		struct err unused = {0};
		int r;

		other.arena = l->arena;
		other.name = names[i];
		other.own = folder_open(l->folder, names[i], O_RDONLY | O_DIRECTORY, 0);
		r = other.own < 0 ? other.own
				  : chain_file_read(other.own, l->arena, &other.chain, &unused);
		layer_close(&other);
		if (r < 0 && r != -ENOENT)
			return false;
		if (r == 0)
			(*ret)[(*ret_count)++] = other.chain;
	}
	return true;
}

/* What somebody was killed while removing. */
static void remove_gone(const struct layer *l)
{
	auto_(folder_close) DIR *d = folder_list(l->folder, "");
	const struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (str_starts(entry->d_name, ".gone-"))
			folder_remove(l->folder, entry->d_name);
}

void layer_collect(struct layer *l)
{
	auto_fd int all = layer_lock_all(l, NULL);
	auto_(folder_close) DIR *d = all < 0 ? NULL : folder_list(l->folder, "frozen");
	const struct dirent *entry;
	struct chain *chains;
	size_t count;

	remove_gone(l);
	if (!d || !read_chains(l, &chains, &count))
		return;
	while ((entry = readdir(d))) {
		bool needed = folder_is_dots(entry->d_name);

		for (size_t i = 0; i < count && !needed; i++)
			needed = chain_uses(&chains[i], entry->d_name);
		if (!needed)
			folder_remove(dirfd(d), entry->d_name);
	}
}
