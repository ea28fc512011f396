/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <wchar.h>

static bool is_zero(const void *p, size_t size)
{
	const char *bytes = p;

	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

static bool is_aligned(const void *p)
{
	return (uintptr_t)p % _Alignof(max_align_t) == 0;
}

/* Runs fn in a child; true when it did not come back. */
static bool dies(void (*fn)(void))
{
	int status = 0;

	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(null, STDERR_FILENO);
		fn();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* Volatile: the compiler would refuse the plain constant. */
static volatile size_t huge = SIZE_MAX;

static void alloc_huge(void)
{
	free(mem_alloc(huge / 2));
}

static void realloc_overflow(void)
{
	free(mem_realloc(NULL, huge / 2, 3));
}

static void arena_array_overflow(void)
{
	struct arena a = {0};

	arena_array(&a, huge / 4, 5);
}

static void arena_alloc_overflow(void)
{
	struct arena a = {0};

	arena_alloc(&a, huge - 3);
}

static void arena_text_overflow(void)
{
	struct arena a = {0};

	arena_text(&a, "", huge);
}

static void survive(void)
{
}

static void exhaustion_and_overflow_end_the_program(void)
{
	check(!dies(survive));
	check(dies(alloc_huge));
	check(dies(realloc_overflow));
	check(dies(arena_array_overflow));
	check(dies(arena_alloc_overflow));
	check(dies(arena_text_overflow));
}

static void plain_memory(void)
{
	auto_free char *zeroed = mem_alloc(1000);
	auto_free char *none = mem_alloc(0);
	auto_free int *numbers = mem_realloc(NULL, 2, sizeof(int));
	auto_free char *text = mem_dup("abc");

	check(is_zero(zeroed, 1000));
	check(none != NULL);
	check_str(text, "abc");
	numbers[0] = 7;
	numbers[1] = 8;
	numbers = mem_realloc(numbers, 1000, sizeof(int));
	check(numbers[0] == 7 && numbers[1] == 8);
	numbers = mem_realloc(numbers, 0, sizeof(int));
	check(numbers != NULL);
}

static void arena_sizes(void)
{
	static const size_t sizes[] = {0, 1, 7, 8, 15, 16, 17, 31, 100, 4095, 4096, 4097, 16383,
		16384, 16385, 100000, 262144, 1000000};
	struct arena a = {0};

	for (int round = 0; round < 20; round++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			test_row("round %d size %zu", round, sizes[i]);
			char *p = arena_alloc(&a, sizes[i]);

			check(p && is_aligned(p));
			check(is_zero(p, sizes[i]));
			memset(p, 0xff,
				sizes[i]); /* must not show up in what is handed out later */
		}
	arena_free(&a);
	check(a.head == NULL);
}

static void arena_keeps_what_it_handed_out(void)
{
	enum { COUNT = 20000 };
	struct arena a = {0};
	auto_free uint32_t **all = mem_alloc(COUNT * sizeof(*all));
	size_t wrong = 0;

	for (uint32_t i = 0; i < COUNT; i++) {
		size_t count = i % 1000 == 0 ? 5000 : i % 13 + 1;

		all[i] = arena_array(&a, count, sizeof(uint32_t));
		for (size_t k = 0; k < count; k++)
			all[i][k] = i;
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		size_t count = i % 1000 == 0 ? 5000 : i % 13 + 1;

		for (size_t k = 0; k < count; k++)
			wrong += all[i][k] != i;
	}
	check_u64(wrong, 0);
	arena_free(&a);
}

static void arena_is_usable_after_free(void)
{
	struct arena a = {0};

	arena_free(&a);
	check_str(arena_text(&a, "one", 3), "one");
	arena_free(&a);
	check_str(arena_text(&a, "two", 3), "two");
	arena_free(&a);
}

static void arena_copies(void)
{
	struct arena a = {0};
	const int numbers[] = {1, 2, 3};
	const int *copy = arena_copy(&a, numbers, sizeof(numbers));

	check(copy != numbers && memcmp(copy, numbers, sizeof(numbers)) == 0);
	check(arena_copy(&a, NULL, 0) != NULL);
	check_str(arena_text(&a, "abcdef", 3), "abc");
	check_str(arena_text(&a, NULL, 0), "");
	check_str(arena_printf(&a, "%s-%d", "x", 42), "x-42");
	check_str(arena_printf(&a, "%s", ""), "");
	check_u64(strlen(arena_printf(&a, "%0*d", 30000, 1)), 30000);
	check_str(arena_printf(&a, "%ls", L"\x20ac"), "");
	arena_free(&a);
}

static void arena_texts_do_not_touch(void)
{
	struct arena a = {0};
	char *first = arena_text(&a, "0123456789abcdef", 16);
	char *second = arena_text(&a, "second", 6);

	memset(first, 'x', 16);
	check_str(second, "second");
	check_u64(strlen(first), 16);
	arena_free(&a);
}

struct pair {
	int a, b;
};

static void vector_grows(void)
{
	struct arena a = {0};
	struct pair *items = NULL;
	size_t count = 0, cap = 0, wrong = 0;

	for (int i = 0; i < 1000; i++)
		vec_push(&a, &items, &count, &cap, (struct pair){i, -i});
	check_u64(count, 1000);
	check(cap >= count);
	for (int i = 0; i < 1000; i++)
		wrong += items[i].a != i || items[i].b != -i;
	check_u64(wrong, 0);
	arena_free(&a);
}

static void cleanup_gives_away(void)
{
	char *p = mem_dup("x");
	auto_free char *owner = p;
	auto_fd int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int number = fd;
	auto_free char *taken = take_ptr(owner);
	auto_fd int taken_fd = take_fd(&fd);

	check(owner == NULL && taken == p);
	check(fd == -1 && taken_fd == number && number >= 0);
}

static int closed_descriptor(void)
{
	auto_fd int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	errno = EBUSY;
	return fd;
}

static void cleanup_closes_and_keeps_errno(void)
{
	int fd = closed_descriptor();

	check_int(errno, EBUSY);
	check_int(fcntl(fd, F_GETFD), -1);
}

static const struct test tests[] = {
	{"exhaustion and overflow end the program", exhaustion_and_overflow_end_the_program},
	{"plain memory", plain_memory},
	{"arena: sizes, alignment, zero", arena_sizes},
	{"arena: keeps what it handed out", arena_keeps_what_it_handed_out},
	{"arena: usable after free", arena_is_usable_after_free},
	{"arena: copies", arena_copies},
	{"arena: texts do not touch", arena_texts_do_not_touch},
	{"vector grows", vector_grows},
	{"cleanup: gives away", cleanup_gives_away},
	{"cleanup: closes and keeps errno", cleanup_closes_and_keeps_errno},
};

TEST_MAIN(tests)
