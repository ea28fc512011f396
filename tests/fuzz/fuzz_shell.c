/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The shell lexer over any bytes. What it accepts is one list of words: quoted again it reads as
 * the same words, as a pattern too, and the words pass the check for commands that arrive as words
 * unless one is an operator.
 */

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "model/elevate.h"
#include "model/shell.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* Behind a first word of its own, where no word is reserved. */
static void quote_all(struct buf *out, const struct words *w)
{
	buf_puts(out, "x");
	for (size_t i = 0; i < w->count; i++) {
		auto_(buf_free) struct buf word = BUF((size_t)1 << 20);

		escape_word(&word, w->v[i]);
		/* zsh looks for a program behind a bare =, so the lexer does not take it. */
		buf_puts(out, buf_text(&word)[0] == '=' ? " \\" : " ");
		buf_puts(out, buf_text(&word));
		must(word.dropped == 0 && out->dropped == 0);
	}
}

static void check_same(const struct words *w, const struct words *again)
{
	must(again->count == w->count + 1);
	for (size_t i = 0; i < w->count; i++)
		must(strcmp(w->v[i], again->v[i + 1]) == 0);
	must(again->v[again->count] == NULL);
}

static void check_accepted(struct arena *a, const struct words *w)
{
	auto_(buf_free) struct buf quoted = BUF((size_t)1 << 20);
	struct words again = {0};
	struct err e = {0};

	must(w->count > 0 && w->count <= SHELL_MAX_WORDS && w->v[0][0] != '\0');
	must(w->v[w->count] == NULL);
	if (shell_check_argv(w->v, w->count, &e) < 0)
		must(strstr(e.text, "shell operator") != NULL);
	quote_all(&quoted, w);
	/* Quotes make it longer, and one word more: only the limits may be in the way. */
	if (quoted.len > SHELL_MAX_TEXT || w->count == SHELL_MAX_WORDS)
		return;
	must(shell_words(a, buf_text(&quoted), &again, NULL) == 0);
	check_same(w, &again);
	must(shell_pattern(a, buf_text(&quoted), &again, NULL) == 0);
	check_same(w, &again);
}

/* Any text is also tried as a pattern, on itself and on a fixed command. */
static void check_pattern(const char *text, const struct words *w)
{
	static const char *const push[] = {"git", "push", "origin", "main"};
	struct err why = {0};
	bool usable = elevate_check_pattern(text, &why) == 0;

	must(usable == (why.code == 0));
	must(usable || elevate_never(text) != NULL);
	must(usable || elevate_match(text, (char *const *)push, 4, NULL) == ELEVATE_NO);
	why = (struct err){0};
	if (w->count > 0 && elevate_match(text, w->v, w->count, &why) != ELEVATE_YES)
		must(why.code != 0);
	elevate_match("git push *", w->v, w->count, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_(arena_free) struct arena a = {0};
	char *text = arena_text(&a, (const char *)data, size);
	struct words w = {0};
	struct err e = {0};
	int r = shell_words(&a, text, &w, &e);

	must(r == 0 ? e.code == 0 && e.text[0] == '\0' : r == -e.code && e.text[0] != '\0');
	if (r == 0)
		check_accepted(&a, &w);
	check_pattern(text, &w);
	return 0;
}
