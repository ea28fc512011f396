/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGN _Alignof(max_align_t)
#define EXIT_MEMORY 125
#define CHUNK_FIRST ((size_t)32 * 1024)
#define CHUNK_LAST ((size_t)256 * 1024)

/* Under the address sanitizer what was not handed out may not be touched, as with malloc. */
#ifdef __SANITIZE_ADDRESS__
#define GUARDED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GUARDED
#endif
#endif
#ifdef GUARDED
#include <sanitizer/asan_interface.h>
#define GAP ALIGN
#define TEXT_ALIGN ALIGN
#define forbid(p, size) ASAN_POISON_MEMORY_REGION(p, size)
#define permit(p, size) ASAN_UNPOISON_MEMORY_REGION(p, size)
#else
#define GAP 0
#define TEXT_ALIGN 1
#define forbid(p, size) ((void)(p), (void)(size))
#define permit(p, size) ((void)(p), (void)(size))
#endif

/* Nothing can be done, least of all with the result: it ends as every failure of ward's does. */
static _Noreturn void out_of_memory(void)
{
	static const char text[] = "ward: out of memory\n";

	while (write(STDERR_FILENO, text, sizeof text - 1) < 0 && errno == EINTR)
		;
	_exit(EXIT_MEMORY);
}

/* Only what is handed out is ever written: an untouched page costs nothing. */
struct arena_chunk {
	struct arena_chunk *next;
	size_t used;
	size_t size;
	size_t grow; /* size of the next ordinary chunk */
	_Alignas(max_align_t) char data[];
};

_Static_assert((ALIGN & (ALIGN - 1)) == 0, "alignment is a power of two");

static void *must(void *p)
{
	if (!p)
		out_of_memory();
	return p;
}

static size_t product(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory();
	return bytes;
}

static size_t sum(size_t a, size_t b)
{
	size_t bytes;

	if (__builtin_add_overflow(a, b, &bytes))
		out_of_memory();
	return bytes;
}

void *mem_alloc(size_t size)
{
	return must(calloc(1, size ? size : 1));
}

void *mem_realloc(void *p, size_t count, size_t size)
{
	size_t bytes = product(count, size);

	return must(realloc(p, bytes ? bytes : 1));
}

char *mem_dup(const char *text)
{
	return must(strdup(text));
}

#ifdef GUARDED
#define CHUNK_MAPPED SIZE_MAX
#else
#define CHUNK_MAPPED ((size_t)128 * 1024)
#endif

#ifdef GUARDED
#define SPARES 0
#else
#define SPARES 4
#endif

/* First chunks that are not used now, of which a server needs some for each request: what is given
 * back and had again costs its pages each time. */
static struct arena_chunk *spares;
static unsigned spare_count;

static struct arena_chunk *get_spare(void)
{
	struct arena_chunk *c = spares;

	if (c) {
		spares = c->next;
		spare_count--;
	}
	return c;
}

/* Large chunks belong to large documents, which fill them: their pages are had at once, for a
 * fraction of what one fault each costs. */
static struct arena_chunk *get_chunk(size_t bytes)
{
	struct arena_chunk *spare = bytes == sizeof *spare + CHUNK_FIRST ? get_spare() : NULL;
	void *p;

	if (spare)
		return spare;
	if (bytes < CHUNK_MAPPED)
		return must(malloc(bytes));
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
		-1, 0);
	return must(p == MAP_FAILED ? NULL : p);
}

static void put_chunk(struct arena_chunk *c)
{
	size_t bytes = sizeof(*c) + c->size;

	if (c->size == CHUNK_FIRST && (int)spare_count < SPARES) {
		c->next = spares;
		spares = c;
		spare_count++;
	} else if (bytes < CHUNK_MAPPED)
		free(c);
	else
		munmap(c, bytes);
}

/* Becomes the head, or for a request that would waste the rest of the head, the one behind it. */
static struct arena_chunk *add_chunk(struct arena *a, size_t need)
{
	struct arena_chunk *head = a->head;
	size_t ordinary = head ? head->grow : CHUNK_FIRST;
	bool own = need > ordinary / 4;
	size_t size = own ? need : ordinary;
	struct arena_chunk *c = get_chunk(sum(sizeof(*c), size));

	forbid(c->data, size);
	c->used = 0;
	c->size = size;
	c->grow = own || ordinary >= CHUNK_LAST ? ordinary : ordinary * 2;
	c->next = own && head ? head->next : head;
	if (own && head)
		head->next = c;
	else
		a->head = c;
	return c;
}

static void *take(struct arena *a, size_t size, size_t align)
{
	struct arena_chunk *c = a->head;
	size_t start = c ? (c->used + align - 1) & ~(align - 1) : 0;

	if (!c || start > c->size || c->size - start < sum(size, GAP)) {
		c = add_chunk(a, sum(size, GAP));
		start = 0;
	}

	char *p = c->data + start;

	permit(p, size);
	c->used = start + size + GAP;
	return p;
}

void *arena_alloc(struct arena *a, size_t size)
{
	return memset(take(a, size, ALIGN), 0, size);
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	return arena_alloc(a, product(count, size));
}

void *arena_copy(struct arena *a, const void *data, size_t size)
{
	void *p = take(a, size, ALIGN);

	if (size)
		memcpy(p, data, size);
	return p;
}

char *arena_text(struct arena *a, const char *text, size_t len)
{
	char *p = take(a, sum(len, 1), TEXT_ALIGN);

	if (len)
		memcpy(p, text, len);
	p[len] = '\0';
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		return arena_text(a, "", 0);

	char *p = take(a, (size_t)len + 1, TEXT_ALIGN);

	va_start(ap, fmt);
	vsnprintf(p, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return p;
}

void arena_free(struct arena *a)
{
	struct arena_chunk *c = a->head;

	while (c) {
		struct arena_chunk *next = c->next;

		permit(c->data, c->size);
		put_chunk(c);
		c = next;
	}
	a->head = NULL;
}
