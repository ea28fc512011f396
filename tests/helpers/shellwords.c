/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What shell_words() makes of texts, for comparison with real shells.
 *
 * - shellwords --generate SEED COUNT: random short texts of characters that mean something to a
 * shell, each with a NUL behind it.
 * - shellwords --accepted: those texts of standard input that are one simple command, a line each.
 * - shellwords --words: for each of them a line with the number of words, and each word behind a
 * \001.
 */

#include "base/cleanup.h"
#include "model/shell.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Pieces and not single characters, so that enough texts are whole. Letters from which no builtin
 * command can be made, but reserved words. */
static const char *const pieces[] = {"a", "f", "i", "d", "o", "e", "s", " ", " ", " ", "  ", "if",
	"do", "done", "'", "'", "\"", "\"", "'a'", "\"a\"", "''", "\"\"", "' '", "\" \"", "\\",
	"\\ ", "\\'", "\\\"", "\\\\", "\\a", "\\$", "\\`", "\\!", "\\#", "\\*", "\\&", "$", "$a",
	"${a}", "$(a)", "$((1))", "`", "`a`", "*", "?", "[a]", "[", "]", "{", "}", "{a,d}", "~",
	"~/", "#", "!", "^", "=", "a=", ":", ":~", "=~", "%", "%1", "@", "+", "-", "--", ",", ".",
	"/", "|", "||", "&", "&&", ";", "(", ")", "<", ">", ">>", "<<", "2>", "\t", "\n", "\r",
	"\x01", "\x7f", "\xc3\xa9", "\xe2\x82\xac", "\xc2\xa0", "\xff"};

/* xorshift64*: the same texts on every machine. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * 0x2545f4914f6cdd1dull) >> 33;
}

static int generate(uint64_t seed, uint64_t count)
{
	uint64_t state = seed ? seed : 1;

	for (uint64_t i = 0; i < count; i++) {
		for (uint64_t n = 1 + next_random(&state) % 8; n > 0; n--)
			fputs(pieces[next_random(&state) % (sizeof(pieces) / sizeof(pieces[0]))],
				stdout);
		putchar('\0');
	}
	return 0;
}

static void print_words(const struct words *w)
{
	printf("%zu", w->count);
	for (size_t i = 0; i < w->count; i++)
		printf("\001%s", w->v[i]);
	putchar('\n');
}

static int read_texts(bool words)
{
	auto_free char *text = NULL;
	size_t size = 0;

	while (getdelim(&text, &size, '\0', stdin) > 0) {
		auto_(arena_free) struct arena a = {0};
		struct words w = {0};

		if (shell_words(&a, text, &w, NULL) < 0)
			continue;
		if (words)
			print_words(&w);
		else
			puts(text);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "--generate") == 0)
		return generate(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
	if (argc == 2 && strcmp(argv[1], "--accepted") == 0)
		return read_texts(false);
	if (argc == 2 && strcmp(argv[1], "--words") == 0)
		return read_texts(true);
	fprintf(stderr, "usage: shellwords --generate SEED COUNT | --accepted | --words\n");
	return 2;
}
