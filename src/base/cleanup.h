/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Owning locals release themselves at the end of their scope. Every owning local is declared with
 * one of these and initialised on the same line; ownership leaves by take_ptr() or take_fd().
 * Releasing keeps errno.
 */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define auto_(fn) __attribute__((cleanup(fn)))
#define auto_free __attribute__((cleanup(cleanup_free)))
#define auto_fd __attribute__((cleanup(cleanup_fd)))

/* Gives the pointer away: the variable no longer owns it. */
#define take_ptr(p)                         \
	({                                  \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})

/* Gives the descriptor away. */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static inline void cleanup_free(void *p)
{
	int saved = errno;

	free(*(void **)p);
	errno = saved;
}

static inline void cleanup_fd(const int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}
