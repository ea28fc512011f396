/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The broker performs the program's file-changing system calls in the workspace on its behalf, and
 * so decides about every name there. It lives in the sandbox's init: same user, same root, same
 * mounts as the program, outside of its Landlock domain and its filter, which sends the calls here
 * by a user notification.
 *
 * Should: answer each call as the kernel would have, but for the names that are protected.
 * Mustn't: act on a text that the program can still change. A path is copied once; what is judged
 * is the copy, resolved to the descriptor of a folder and one name in it, and what is performed is
 * performed by that descriptor and that name. There is one broker and it does one call after the
 * other, so no other thread of the program can rename anything in between.
 * Mustn't: act on or hand out its own descriptors, or files of /proc that are its own. A path that
 * leads through /proc/self means the caller there.
 * Mustn't: wait for anything that the program controls: an open that may block is done by a child.
 *
 * Owns four descriptors, opened when the first call arrives that concerns a file. Changes the umask
 * of its process. Called by init's loop only; there is no thread and no allocation.
 */

#include "model/protect.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BROKER_DENIED_MAX 32
#define BROKER_REFUSED_MAX 16
#define BROKER_RISKS_MAX 16
#define BROKER_ALIAS_MAX 128
#define BROKER_WAITING_MAX 32
#define BROKER_BELOW_MAX 64
#define BROKER_MOUNTS_MAX 512
#define BROKER_VALUE_MAX 65536 /* the kernel's bound of an extended attribute */

/* Which file, by the mount that it is seen through too. */
struct broker_file {
	uint64_t mount, device, inode; /* inode 0: none */
};

struct broker_report;

struct broker_spec {
	const char *root;      /* the workspace as both see it: absolute, no slash at its end */
	const char *host_root; /* its name on the host, for links that name it so; may be NULL */
	const char *const *protect;
	size_t protect_count;
	const char *const *hide; /* may not be read either */
	size_t hide_count;
	/*
	 * The program's Landlock domain gives it no right to write below root (and none to read
	 * there, when names are hidden). Only then the kernel may go on with a call whose path lay
	 * outside when it was looked at: wherever the path leads by then, it is not in there.
	 */
	bool floor;
	bool floor_truncates; /* that domain knows the right to truncate, too (interface 3) */
	/* Where there are several commands: the report about the one that a process belongs to.
	 * Asked while the process waits for its answer. NULL: the broker's own. */
	struct broker_report *(*report_of)(void *ctx, pid_t tid);
	void *ctx;
};

/* What was not done, and what was done and should be known; the first names, each once. */
struct broker_report {
	uint64_t served;
	uint64_t denied_total;
	struct broker_denied {
		int nr;
		uint64_t count;
	} denied[BROKER_DENIED_MAX];
	size_t denied_count;
	uint64_t refused_total;
	struct broker_refused {
		enum protect_op op;
		int code;
		uint64_t count;
		char path[256]; /* relative to the workspace, cut when longer */
	} refused[BROKER_REFUSED_MAX];
	size_t refused_count;
	char risks[BROKER_RISKS_MAX][256]; /* changed, and run by the host: model/risk.h */
	size_t risk_count;
	uint64_t risks_left_out;
	uint64_t aliases_left_out; /* links at protected names beyond what is kept */
};

/* A file that a call names: a folder and a name in it, or the file itself. */
struct broker_place {
	int start;        /* where a relative path begins; -1: at / */
	int dir;          /* the folder */
	int object;       /* the file, when it is known by a descriptor; then there is no name */
	const char *name; /* one component, with the slashes behind it */
	bool inside;      /* of the workspace */
	bool proc;        /* in a proc file system */
	bool dots;        /* the name is "/", "." or "..", which no call does anything to */
	bool known;       /* exists and mode are */
	bool exists;
	mode_t mode;
	uint64_t mount;
	const char *rel; /* in path: the part below the workspace; NULL: outside, or without name */
	char path[PATH_MAX + NAME_MAX + 2];
	char text[2][PATH_MAX]; /* what is being resolved, and the link that comes next */
};

struct broker {
	struct broker_spec spec;
	struct broker_report report;
	pid_t caller; /* whose call is being served */
	int ready;    /* 0: not yet; 1; or what failed, negative */
	pid_t self;
	uint64_t mount;                     /* the workspace's */
	uint64_t below[BROKER_BELOW_MAX];   /* of mounts that the host has below it */
	uint64_t mounts[BROKER_MOUNTS_MAX]; /* all that the sandbox has: nothing is mounted later */
	size_t below_count, mount_count;
	int proc, fds, slash, root;
	int woken; /* the listener that wakes on this CPU */
	/* Patterns for what links at protected names lead to. */
	const char *alias[BROKER_ALIAS_MAX];
	bool alias_hides[BROKER_ALIAS_MAX];
	size_t alias_count, alias_used;
	char alias_text[16384];
	pid_t waiting[BROKER_WAITING_MAX]; /* children in an open that blocks */
	struct broker_place place[2];
	char text[PATH_MAX];
	_Alignas(8) char value[BROKER_VALUE_MAX]; /* also what is read of folders */
};

/* Keeps the pointers of the spec. Opens nothing. Fails when the kernel's messages are larger than
 * what there is room for (-E2BIG), or has none (-ENOSYS). */
int broker_init(struct broker *b, const struct broker_spec *spec);
/* One notification of a listener that is ready; 0, or a negative errno when the listener is of no
 * more use (-ENOENT: nobody is left who could be heard). */
int broker_serve(struct broker *b, int listener);
void broker_deinit(struct broker *b); /* ends the children too */
