/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A command in a sandbox that lives, from its preparation to its end. The starter, which init makes
 * once and which is confined as every program is, keeps pairs of processes ready: a shepherd and
 * its child. The child waits for a command and becomes it by exec; the shepherd adopts whatever
 * loses its parent below it, and when the program has ended kills and reaps all of that before it
 * says so. So everything that takes time has been done before the command arrives.
 *
 *   supervisor --- init --- starter --- shepherd --- program --- ...
 *
 * Starter, shepherds and children until exec run in init's memory, all at the same time, each on a
 * stack of its own. They use sys/raw.h only, write nothing but their own slot, allocate nothing.
 * They run under the program's own filter and rules, so that nothing is gained by deceiving them;
 * the supervisor believes of what they say only how the command ended.
 *
 * One slot has two sockets: `command`, over which the child receives what to run, and `orders`
 * between supervisor and shepherd.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SLOT_COUNT 64
#define SLOT_TEXT (32u << 10)    /* of a command that travels in one message */
#define SLOT_TEXT_MAX (3u << 20) /* of one in a memory file */
#define SLOT_WORDS 1024          /* argv and environment of one that travels in a message */
#define SLOT_WORDS_MAX (96u << 10)
#define SLOT_STACK (16u << 10)

enum slot_flags {
	SLOT_TERMINAL = 1, /* the program gets the terminal that was opened before */
	SLOT_LONG = 2,     /* the texts are in a memory file */
};

/*
 * Head of a command. Behind it, or in a memory file: folder, argv, environment, each with its NUL,
 * `size` bytes in all. Descriptors: input, output, errors (not with a terminal); the memory file.
 */
struct slot_command {
	uint32_t flags;
	uint32_t argc, envc;
	uint32_t size;
	int32_t window; /* of the terminal: rows << 16 | columns */
};

enum slot_order_kind {
	SLOT_SIGNAL = 1, /* number: for the program's process group */
	SLOT_KILL,       /* everything below the shepherd, now */
	SLOT_OPEN,       /* a terminal for the command; number: its rows << 16 | columns */
};

struct slot_order {
	uint32_t kind;
	int32_t number;
};

/* What a shepherd says. */
enum slot_word_kind {
	SLOT_PAUSED = 1, /* the program was stopped from its terminal */
	SLOT_OPENED,     /* carries the terminal's other side; start_error: or why not */
	SLOT_ENDED,
};

struct slot_word {
	uint32_t kind;
	int32_t status;      /* as wait(2) gives it */
	int32_t start_error; /* errno of what failed before or at exec; 0 */
	int32_t unused;
	uint64_t user_us, system_us;
	uint64_t largest; /* bytes: the largest process */
	uint64_t read_bytes, written_bytes;
};

/* What a shepherd says first, or the starter where there is none, with the supervisor's ends of
 * `command` and `orders`. */
struct slot_ready {
	int32_t shepherd; /* its number inside */
	int32_t error;    /* errno; 0 */
};

/* Memory of one pair. */
struct slot {
	_Alignas(16) char shepherd_stack[SLOT_STACK];
	_Alignas(16) char program_stack[SLOT_STACK];
	char *words[SLOT_WORDS + 2];
	long shepherd, program;
	void *mapped; /* text and words of a long command */
	size_t mapped_size;
	int command[2], orders[2]; /* the second end is inside */
	int channel;               /* to the supervisor */
	int32_t start_error;
	int32_t terminal; /* its number */
	union {
		struct slot_command head;
		char message[sizeof(struct slot_command) + SLOT_TEXT];
	};
	bool taken, began;
};

/* engine/starter.c: keeps a pair ready whenever the supervisor asks. Does not return. */
_Noreturn void starter_main(int channel);
/* engine/shepherd.c, engine/birth.c: the processes of one slot. */
int shepherd_main(void *slot);
int birth_main(void *slot);
/* A pair that waits, or why there is none: a negative errno. */
void slot_announce(int channel, const struct slot *s, long error);
void slot_put_number(char *text, int n); /* as snprintf would */
