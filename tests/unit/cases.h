/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Tables of tests as files: lines with tabs between their columns, # in front of a comment. Owns
 * nothing but the line that is read. Used by the tests whose rows are in tests/data.
 */

#include "base/cleanup.h"
#include "test.h"

#include <ctype.h>
#include <dirent.h>

/* \t \n \r \\, \xNN, and \*N:c for N times the character c; in place unless it grows beyond size.
 */
static inline bool cases_decode(const char *text, char *out, size_t size)
{
	static const char letters[] = "tnr\\", bytes[] = "\t\n\r\\";
	size_t n = 0;

	for (const char *p = text; *p && n + 1 < size; p++) {
		const char *known = p[0] == '\\' && p[1] ? strchr(letters, p[1]) : NULL;
		unsigned value;
		size_t times;
		int used = 0;

		if (*p != '\\') {
			out[n++] = *p;
		} else if (known) {
			out[n++] = bytes[known - letters];
			p++;
		} else if (sscanf(p, "\\x%2x%n", &value, &used) == 1 && used == 4) {
			out[n++] = (char)value;
			p += 3;
		} else if (sscanf(p, "\\*%zu:%n", &times, &used) == 1 && used && p[used] &&
			   n + times < size) {
			memset(out + n, p[used], times);
			n += times;
			p += used;
		} else {
			return false;
		}
	}
	out[n] = '\0';
	return true;
}

/* Cuts the next column off; NULL when there is none left. */
static inline char *cases_column(char **line)
{
	return strsep(line, "\t");
}

typedef void cases_line(char *line, void *ctx);

/* Every line of a file but comments and empty ones, the present row being named after it. */
static inline size_t cases_read(const char *path, cases_line *fn, void *ctx)
{
	FILE *file = fopen(path, "re");
	auto_free char *line = NULL;
	size_t size = 0, number = 0, done = 0;

	test_row("%s", path);
	check(file != NULL);
	if (!file)
		return 0;
	while (getline(&line, &size, file) > 0) {
		number++;
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#' || line[0] == '\0')
			continue;
		test_row("%s:%zu: %.160s", path, number, line);
		fn(line, ctx);
		done++;
	}
	fclose(file);
	test_row("%s", path);
	return done;
}
