/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which names in a workspace must not be changed, and what may be done at the names around them.
 * Patterns are those of glob_path(); paths are relative to the workspace, without ".", ".." and
 * double slashes, "" being the workspace itself. Letters are compared without case, and characters
 * that some file systems fold or leave out are folded and left out, since the same folder may be
 * seen through such a file system later. Pure; owns nothing. Called by the broker.
 */

#include <stdbool.h>
#include <stddef.h>

/* How a path stands to the patterns, weakest first. */
enum protect_place {
	PROTECT_FREE,
	PROTECT_DEEP,       /* a match may lie anywhere below, by a ** behind a written part */
	PROTECT_ABOVE_WILD, /* a match may lie below, by a component with * or ? */
	PROTECT_ABOVE,      /* a match lies below, and this name is written out in the pattern */
	PROTECT_FOLDER,     /* a of the pattern a/(star)(star) */
	PROTECT_NAME,       /* a match, or in one: what lies in a protected folder is protected */
	PROTECT_PLACE_COUNT,
};

enum protect_op {
	PROTECT_READ, /* for names that are hidden */
	PROTECT_WRITE,
	PROTECT_ATTR, /* mode, owner, extended attributes */
	PROTECT_CREATE,
	PROTECT_SYMLINK,
	PROTECT_MKDIR,
	PROTECT_UNLINK,
	PROTECT_RMDIR,
	PROTECT_LINK_FROM,
	PROTECT_LINK_TO,
	PROTECT_MOVE_FILE, /* a rename's old name, when it is no folder */
	PROTECT_MOVE_DIR,
	PROTECT_MOVE_FILE_TO,
	PROTECT_MOVE_LINK_TO, /* what comes there is a symbolic link */
	PROTECT_MOVE_DIR_TO,
	PROTECT_OP_COUNT,
};

const char *protect_op_name(enum protect_op op);

/* NULL patterns in the list match nothing. */
enum protect_place protect_place(const char *const *patterns, size_t count, const char *path);
/* 0, or the errno (positive) that the call is refused with. */
int protect_refuses(enum protect_place place, enum protect_op op);
/*
 * May a folder move from one path to the other without a name in it becoming protected, or ceasing
 * to be? It may when every ** of the patterns reaches both or neither. NULL is outside of the
 * workspace. This looks at what is in the folder only; the folder's own names are the business of
 * protect_place().
 */
bool protect_may_move(const char *const *patterns, size_t count, const char *from, const char *to);
