/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the files of the broker share: the call that is being served, and the steps that every call
 * is made of: read its arguments, find the place that it names, judge the place, act, answer. All
 * functions return a negative errno on failure. Used by broker*.c only.
 */

#include "engine/broker.h"

#include <linux/seccomp.h>
#include <sys/resource.h>

/* Answers other than the call's own result. */
#define BROKER_CONTINUE (1L << 40) /* the kernel goes on with the call */
#define BROKER_DONE (1L << 41)     /* was answered, or will be, or there is nobody left */

/* Numbers of arguments that a call does not have. */
enum { BROKER_ARG_CWD = 6, BROKER_ARG_NONE = 7, BROKER_ARG_COUNT };

struct broker_call {
	struct broker *b;
	const struct broker_row *row;
	int listener;
	uint64_t id;
	pid_t tid;
	uint64_t arg[BROKER_ARG_COUNT];
	unsigned hops; /* links followed */
};

/* A system call: which argument is what. The one with another name and fewer arguments is served as
 * if it were the other, with `fixed` for the flags. */
struct broker_row {
	long (*run)(struct broker_call *c);
	int nr;
	int fixed;
	uint8_t at, path, at2, path2, flags, mode;
};

extern const struct broker_row broker_rows[];
extern const size_t broker_row_count;

/* broker_caller.c: what only the caller's process knows. */
int broker_read_bytes(struct broker_call *c, uint64_t from, void *out, size_t size);
int broker_read_text(struct broker_call *c, uint64_t from, char *out, size_t size);
int broker_caller_dir(struct broker_call *c, int fd);     /* its folder, by O_PATH; AT_FDCWD too */
int broker_caller_file(struct broker_call *c, int fd);    /* its file, by O_PATH; AT_FDCWD too */
int broker_caller_is_path(struct broker_call *c, int fd); /* 1: it was opened with O_PATH */
int broker_caller_umask(struct broker_call *c);           /* takes it over */
int broker_caller_room(struct broker_call *c);            /* -EMFILE: no descriptor is free */
int broker_caller_limit(struct broker_call *c, int which, rlim_t *ret_limit);
/* -ENOENT when the caller is gone: what was read under its number may be another's. */
int broker_caller_alive(struct broker_call *c);

/* broker_walk.c: paths to places. */
enum {
	BROKER_FOLLOW = 1, /* a link in the last component too */
	BROKER_EMPTY = 2,  /* "" is the descriptor itself */
	BROKER_NAME = 4,   /* the last component is only a name: never followed, slash or not */
	BROKER_CREATE = 8, /* a slash at the end is an error (-EISDIR) */
};
/* The argument numbers `at` and `path`. Release with broker_place_done() in any case. */
int broker_walk(
	struct broker_call *c, uint8_t at, uint8_t path, unsigned how, struct broker_place *p);
int broker_place_of(struct broker_call *c, int object, struct broker_place *p); /* takes object */
void broker_place_done(struct broker_place *p);
int broker_place_look(struct broker_place *p); /* exists? and what */
int broker_place_open(struct broker_place *p); /* makes the object known; 0 */

/* broker_ident.c: which file it is, what kind of file it is, whether it has a name
 * left. An empty path is the descriptor itself; links are not followed. */
struct broker_ident {
	struct broker_file file;
	mode_t mode;
	bool nameless;
};
int broker_identify(int fd, const char *path, struct broker_ident *ret_ident);
/*
 * Is it a mount of the workspace, or one that the host has in there? Files that came from outside
 * by a descriptor can have any name, so that the name alone proves nothing.
 */
bool broker_own_mount(const struct broker *b, uint64_t mount);
/* Is it one of the sandbox's at all? What was handed in by a descriptor is not. */
bool broker_is_of_sandbox(const struct broker *b, uint64_t mount);
/* Learns the mounts, and which are below the workspace. Nothing can be mounted there later. */
int broker_find_mounts(struct broker *b);

/* broker_proc.c: paths through /proc, where the broker would meet itself. */
int broker_is_proc(int fd);
int broker_walk_slow(struct broker_call *c, int start, const char *text);
/* The link `name` of a folder of /proc: its target (*ret_fd), or a text to go on with. */
int broker_proc_link(
	struct broker_call *c, int dir, const char *name, char *text, size_t size, int *ret_fd);
bool broker_proc_allows(struct broker_call *c, const char *path);

/* broker_judge.c: whether, and by whom. */
int broker_fd_path(struct broker *b, int fd, char *out, size_t size);
int broker_judge(struct broker_call *c, struct broker_place *p, enum protect_op op);
int broker_judge_hidden(struct broker_call *c, struct broker_place *p);
int broker_judge_move(struct broker_call *c, const struct broker_place *from,
	const struct broker_place *to, mode_t moved);
/* May the broker act there, which is outside of the workspace? 0 or negative. */
int broker_may_act(struct broker_call *c, const struct broker_place *p);
void broker_note_denied(struct broker *b, int nr);
void broker_note_refused(struct broker *b, const char *rel, enum protect_op op, int code);

/* broker_open.c, broker_name.c, broker_attr.c: the calls. */
long broker_absent(struct broker_call *c); /* ENOSYS */
long broker_open(struct broker_call *c);
long broker_mkdir(struct broker_call *c);
long broker_mknod(struct broker_call *c);
long broker_symlink(struct broker_call *c);
long broker_unlink(struct broker_call *c);
long broker_rename(struct broker_call *c);
long broker_link(struct broker_call *c);
long broker_chmod(struct broker_call *c);
long broker_chown(struct broker_call *c);
long broker_setxattr(struct broker_call *c);
long broker_setxattrat(struct broker_call *c);
long broker_truncate(struct broker_call *c);

/* broker_wait.c: opens that block. */
long broker_open_waiting(struct broker_call *c, int object, int flags);
long broker_send_fd(struct broker_call *c, int fd, int flags);

/* What getdents64 writes. */
struct broker_entry {
	uint64_t ino;
	int64_t off;
	uint16_t len;
	uint8_t type;
	char name[];
};

/* broker_alias.c */
void broker_find_aliases(struct broker *b);

#define auto_place __attribute__((cleanup(broker_place_auto)))
static inline void broker_place_auto(struct broker_place **p)
{
	broker_place_done(*p);
}
