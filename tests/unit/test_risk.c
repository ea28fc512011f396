/* SPDX-License-Identifier: Apache-2.0 */
#include "model/risk.h"

#include "base/macro.h"

#include "test.h"

#include <string.h>

static const struct row {
	const char *path;
	const char *reported; /* "": nothing */
} rows[] = {
	{"Makefile", "Makefile"},
	{"sub/deep/Makefile", "sub/deep/Makefile"},
	{"rules.mk", "rules.mk"},
	{"package.json", "package.json"},
	{"conftest.py", "conftest.py"},
	{"lib/sitecustomize.py", "lib/sitecustomize.py"},
	{".husky/pre-commit", ".husky/pre-commit"},
	{".husky", ".husky"},
	{"a/.vscode/tasks.json", "a/.vscode/tasks.json"},
	{".github/workflows/ci.yml", ".github/workflows/ci.yml"},
	{"x.code-workspace", "x.code-workspace"},
	{".npmrc", ".npmrc"},
	{"vite.config.ts", "vite.config.ts"},
	{"node_modules/a/package.json", "node_modules"},
	{"app/node_modules/.bin/tool", "app/node_modules"},
	{"env/lib/python3/site-packages/x.py", "env/lib/python3/site-packages"},
	{"main.c", ""},
	{"README.md", ""},
	{"Makefile.txt", ""},
	{"package.json/x", ""},
	{"vscode/tasks.json", ""},
	{"", ""},
};

static void test_names(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t len = risk_reach(rows[i].path);

		test_row("%s", rows[i].path);
		check_int(len, strlen(rows[i].reported));
		check(strncmp(rows[i].path, rows[i].reported, len) == 0);
	}
}

static const struct test tests[] = {
	{"names and how much of them is reported", test_names},
};

TEST_MAIN(tests)
