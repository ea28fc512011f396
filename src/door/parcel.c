/* SPDX-License-Identifier: Apache-2.0 */
#include "door/parcel.h"

#include "base/cleanup.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static size_t count(const char *const *words, size_t *io_size)
{
	size_t n = 0;

	for (; words[n]; n++)
		*io_size += strlen(words[n]) + 1;
	return n;
}

/* There is room: its size was counted. */
static char *put_word(char *to, const char *word)
{
	size_t len = strlen(word) + 1;

	memcpy(to, word, len);
	return to + len;
}

static char *put_words(char *to, const char *const *words)
{
	for (; *words; words++)
		to = put_word(to, *words);
	return to;
}

/* The folder, argv, the environment, each with its NUL. */
static void put_texts(const struct plan *p, char *to)
{
	to = put_word(to, p->cwd);
	to = put_words(to, p->argv);
	put_words(to, p->env);
}

/* What is too long for a message travels in a file in memory. */
static int put_long(const struct plan *p, size_t size, int *ret)
{
	auto_fd int fd = memfd_create("command", MFD_CLOEXEC);
	auto_free char *text = mem_alloc(size);

	if (fd < 0)
		return -errno;
	put_texts(p, text);
	for (size_t done = 0; done < size;) {
		ssize_t n = write(fd, text + done, size - done);

		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	*ret = take_fd(&fd);
	return 0;
}

int parcel_put(const struct plan *p, struct post_exec *x, struct packet_fds *io_fds, int *ret_file,
	struct err *e)
{
	size_t size = strlen(p->cwd) + 1;
	size_t argc = count(p->argv, &size), envc = count(p->env, &size);
	int r;

	if (size > SLOT_TEXT_MAX || argc > SLOT_WORDS_MAX || envc > SLOT_WORDS_MAX)
		return err_sys(e, -E2BIG, "send the command and its environment");
	x->command.argc = (uint32_t)argc;
	x->command.envc = (uint32_t)envc;
	x->command.size = (uint32_t)size;
	if (size <= SLOT_TEXT && argc + envc <= SLOT_WORDS) {
		put_texts(p, x->text);
		return 0;
	}
	r = put_long(p, size, ret_file);
	if (r < 0)
		return err_sys(e, r, "make a file in memory");
	x->command.flags |= SLOT_LONG;
	io_fds->fd[io_fds->count++] = *ret_file;
	return 0;
}
