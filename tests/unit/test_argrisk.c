/* SPDX-License-Identifier: Apache-2.0 */
#include "model/argrisk.h"

#include "base/macro.h"
#include "base/str.h"
#include "model/argrisk_rows.h"
#include "model/runner.h"
#include "model/wordlist.h"
#include "test.h"

#define WORDS 8

/* Cuts the text at its blanks. */
static size_t split(char *text, char *argv[WORDS])
{
	size_t n = 0;

	for (char *word; n < WORDS && (word = strsep(&text, " "));)
		argv[n++] = word;
	return n;
}

struct row {
	const char *command;
	size_t first;
	const char *word; /* the risky one; NULL = none */
	const char *why;
};

static void check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char text[256];
		char *argv[WORDS];
		const char *why = NULL, *word;

		snprintf(text, sizeof text, "%s", rows[i].command);
		test_row("%s from %zu", rows[i].command, rows[i].first);

		size_t n = split(text, argv);

		word = argrisk_find(argv, n, rows[i].first, &why);
		if (!rows[i].word) {
			check(word == NULL && why == NULL);
			continue;
		}
		check_str(word, rows[i].word);
		check_has(why, rows[i].why ? rows[i].why : "");
	}
}

static void test_options(void)
{
	static const struct row rows[] = {
		{"git push origin", 1, NULL, NULL},
		{"git push --exec=x", 2, "--exec=x", "run other code"},
		{"git push --exec x", 2, "--exec", "run other code"},
		{"git push --e x", 2, "--e", "run other code"},
		{"git push a --exec x", 3, "--exec", "run other code"},
		/* Words before `first` are the operator's, but not what they leave open. */
		{"git push --exec x", 3, "x", "has to be written out"},
		{"git push --exec x y", 4, NULL, NULL},
		{"git push --exec=x y", 3, NULL, NULL},
		{"docker run --privileged x", 3, NULL, NULL},
		{"docker run --privileged x", 2, "--privileged", "more of the host"},
		{"docker run -itv x", 3, "x", "has to be written out"},
		/* a harmless name is not taken for a risky one cut short */
		{"docker run --env A", 2, NULL, NULL},
		{"docker run --env-file A", 2, "--env-file", "files of any name"},
		{"docker run --env-f A", 2, "--env-f", "files of any name"},
		{"kubectl get --as_group=x", 2, "--as_group=x", "from elsewhere"},
		/* bundles, and values that end them */
		{"sort -rno x", 1, "-rno", "files of any name"},
		{"sort -k2o x", 1, NULL, NULL},
		{"git commit -mFoo", 2, NULL, NULL},
		{"git commit -aFoo", 2, "-aFoo", "files of any name"},
		{"sort "
		 "-nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
			1, "-nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
			"files of any name"},
		{"tar xf a", 1, NULL, NULL},
		{"tar xfI a b", 1, "xfI", "run other code"},
		{"tar -xfI a", 1, NULL, NULL},
		/* one dash */
		{"find . -exec id", 1, "-exec", "run other code"},
		{"find . -executable", 1, NULL, NULL},
		{"find . -ex", 1, NULL, NULL},
		{"go test -exec=x", 2, "-exec=x", "run other code"},
		{"go test --exec=x", 2, "--exec=x", "run other code"},
		{"npm publish -script-shell x", 2, "-script-shell", "run other code"},
		/* operands */
		{"curl @x", 1, "@x", "files of any name"},
		{"curl -H a@b", 1, NULL, NULL},
		{"curl File:/x", 1, "File:/x", "files of any name"},
		{"apt install x.DEB", 2, "x.DEB", "run other code"},
		{"pip install git+x", 2, "git+x", "from elsewhere"},
		{"pip install --foo=file:x", 2, "--foo=file:x", "run other code"},
		{"make all A=b", 2, "A=b", "sets a variable"},
		/* nothing else is known about a program */
		{"tool -c x -e y", 1, NULL, NULL},
		{"tool --config=x", 1, "--config=x", "from elsewhere"},
		{"tool --confi x", 1, "--confi", "from elsewhere"},
		{"tool --configure", 1, NULL, NULL},
		{"tool --init", 1, NULL, NULL},
		{"tool --edit", 1, NULL, NULL},
		{"tool --", 1, NULL, NULL},
		{"tool -", 1, NULL, NULL},
		{"tool x", 2, NULL, NULL},
		{"tool", 1, NULL, NULL},
		{"tool", 0, "tool", "has to be written out"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

static void test_subcommands(void)
{
	static const struct row rows[] = {
		{"git config x", 1, "config", "from elsewhere"},
		{"git push config", 1, NULL, NULL},
		{"git log -- config", 1, NULL, NULL},
		{"git -z config", 1, "config", "from elsewhere"},
		{"git --no-pager log config", 1, NULL, NULL},
		{"git --no-pager config x", 1, "config", "from elsewhere"},
		{"git -c a=b push -c", 3, NULL, NULL},
		{"git -C /x push -u o", 3, NULL, NULL},
		{"git -C /x clone -u o", 3, "-u", "run other code"},
		{"git -x push -u o", 3, "-u", "run other code"},
		{"git submodule add", 1, NULL, NULL},
		{"git submodule foreach id", 2, "foreach", "run other code"},
		{"git submodule foreach id", 3, "id", "written out"},
		{"git submodule foreach id x", 4, NULL, NULL},
		{"npm exe x", 1, "exe", "run other code"},
		{"npm i x", 1, NULL, NULL},
		{"npm run x", 2, "x", "written out"},
		{"npm run x y", 3, NULL, NULL},
		{"kubectl -n x exec y", 3, "exec", "run other code"},
		{"kubectl --foo x exec y", 3, "exec", "run other code"},
		{"kubectl exec web -- ls -l", 3, "--", "written out"},
		{"kubectl exec web -- ls -l", 4, "ls", "written out"},
		{"kubectl exec web -- ls -l", 5, NULL, NULL},
		{"ip netn ex a b", 1, "ex", "run other code"},
		{"ip addr show eth0", 1, NULL, NULL},
		{"systemctl enable a", 1, NULL, NULL},
		{"systemctl enable /a", 1, "/a", "run other code"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

static void test_through_runners(void)
{
	static const struct row rows[] = {
		{"env x", 1, "x", "has to be written out"},
		{"env git push a", 2, NULL, NULL},
		{"env git push --exec=x", 3, "--exec=x", "run other code"},
		{"sudo -u bob git push --exec=x", 4, "--exec=x", "run other code"},
		{"sudo -u bob git", 2, "bob", "written out"},
		{"sudo --user bob git a", 4, "a", "unclear"},
		{"timeout 5 x", 2, "x", "has to be written out"},
		{"timeout -k 1 5 git a", 5, NULL, NULL},
		{"nice -n 1 env -u A git --exec=x", 7, "--exec=x", "run other code"},
		{"busybox sh -c x", 3, "x", "unclear"},
		{"python3 x.py --exec=x", 2, NULL, NULL},
		{"python3.12 -c x", 2, "x", "unclear"},
		{"python3 -m pip install -e", 4, "-e", "run other code"},
		{"python3 -m x", 2, "x", "written out"},
		{"/usr/bin/python3 x", 1, "x", "written out"},
		{"bash -x a -c b", 3, NULL, NULL},
		{"bash - a b", 3, "b", "unclear"},
		{"env -- bash a b", 4, NULL, NULL},
		{"xargs rm a", 2, "a", "every word"},
		{"ssh host a", 2, "a", "every word"},
		{"sed s/a/b/ -e x", 2, "-e", "run other code"},
		{"make all -f x", 2, "-f", "from elsewhere"},
		{"sudo make all -f x", 3, "-f", "from elsewhere"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

static void test_is_runner(void)
{
	static const char *const yes[] = {"env", "sudo", "bash", "sh", "dash", "zsh", "ksh",
		"python", "python3", "python3.11", "/usr/bin/python3", "perl5.36", "ruby3.1",
		"lua5.4", "php8.2", "node20", "node", "deno", "bun", "awk", "gawk", "sed", "xargs",
		"make", "gmake", "npx", "uvx", "pipx", "busybox", "toybox", "ssh", "su", "doas",
		"timeout", "nice", "nohup", "stdbuf", "setsid", "ionice", "taskset", "chrt",
		"flock", "watch", "script", "strace", "gdb", "unshare", "nsenter", "chroot",
		"command", "exec", "eval", ".", "source", "time", "parallel", "vim", "less",
		"sqlite3", "psql", "crontab", "at", "tmux", "bash-5.2"};
	static const char *const no[] = {"git", "docker", "apt", "find", "tar", "curl", "kubectl",
		"systemctl", "", "/", "7z", "123", "environment", "en", "pythonx"};

	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		test_row("%s", yes[i]);
		check(runner_is(yes[i]));
	}
	for (size_t i = 0; i < ARRAY_LEN(no); i++) {
		test_row("%s", no[i]);
		check(!runner_is(no[i]));
	}
}

/* The word that an item of the table speaks of, in its full form. */
static bool example(struct wordlist_item it, char *out, size_t size)
{
	const char *mark = memchr(it.text, '>', it.len), *text = mark ? mark + 1 : it.text;
	size_t len = it.len - (size_t)(text - it.text);

	while (len > 1 && strchr("=:", text[len - 1]) && text[len - 2] != '*')
		len--;
	if (memchr(text, '*', len)) {
		const char *from = text + (text[0] == '*');
		size_t part = len - (text[0] == '*') - (text[len - 1] == '*');

		return snprintf(out, size, "%s%.*s%s", text[0] == '*' ? "x" : "", (int)part, from,
			       text[len - 1] == '*' ? "x" : "") < (int)size;
	}
	return snprintf(out, size, "%.*s", (int)len, text) < (int)size;
}

/* Every item of every row does what it says: nothing in the table is spelled so that it never
 * matches. */
static void test_every_item(void)
{
	size_t items = 0;

	for (const struct argrisk_row *row = argrisk_rows; row->programs; row++)
		for (size_t i = 0; i < ARGRISK_EFFECTS; i++) {
			const char *list = row->risk[i];
			struct wordlist_item it;

			while (wordlist_next(&list, &it)) {
				char program[32], sub[32] = "", word[64];
				const char *mark = memchr(it.text, '>', it.len), *why = NULL;
				size_t name = mark ? (size_t)(mark - it.text) : 0;

				snprintf(program, sizeof program, "/bin/%.*s",
					(int)strcspn(row->programs, " "), row->programs);
				snprintf(sub, sizeof sub, "%.*s", (int)name, it.text);
				check(example(it, word, sizeof word));
				test_row("%s %s %s", program, sub, word);
				/* Runners are asked behind a word that says what they run. */
				char target[] = "target";
				char *argv[] = {program, sub[0] ? sub : word, word};
				char *fixed[] = {program, sub[0] ? sub : target, word};
				bool runner = runner_is(program);

				items++;
				if (runner && !mark && it.text[it.len - 1] == '=' &&
					it.text[0] != '-') {
					check(argrisk_open(argv, 2));
					continue;
				}
				check_str(
					runner ? argrisk_find(fixed, 3, 2, &why)
					       : argrisk_find(argv, 3, 1 + (sub[0] != '\0'), &why),
					word);
			}
		}
	check(items > 800);
}

/* Harmless names are there because they would be risky otherwise. */
static void test_every_fine_word(void)
{
	for (const struct argrisk_row *row = argrisk_rows; row->programs; row++) {
		const char *list = row->fine;
		struct wordlist_item it;

		while (wordlist_next(&list, &it)) {
			char program[32], word[64];
			const char *why = NULL;
			char target[] = "target";
			char *argv[] = {program, target, word};
			size_t at;

			snprintf(program, sizeof program, "%.*s", (int)strcspn(row->programs, " "),
				row->programs);
			snprintf(word, sizeof word, "%.*s", (int)it.len, it.text);
			test_row("%s %s", program, word);
			at = runner_is(program) ? 2 : 1;
			argv[at] = word;
			check(argrisk_find(argv, at + 1, at, &why) == NULL);
		}
	}
}

/* No program has two rows: the second would never be read. */
static void test_one_row_each(void)
{
	for (const struct argrisk_row *row = argrisk_rows; row->programs; row++) {
		const char *list = row->programs;
		struct wordlist_item it;

		while (wordlist_next(&list, &it)) {
			size_t rows = 0;

			for (const struct argrisk_row *r = argrisk_rows; r->programs; r++)
				rows += wordlist_has(r->programs, it.text, it.len);
			test_row("%.*s", (int)it.len, it.text);
			check_int(rows, 1);
		}
	}
}

static const struct test tests[] = {
	{"options in all their forms", test_options},
	{"subcommands", test_subcommands},
	{"through programs that run programs", test_through_runners},
	{"which programs run programs", test_is_runner},
	{"every item of the table matches", test_every_item},
	{"every harmless name is harmless", test_every_fine_word},
	{"one row a program", test_one_row_each},
};

TEST_MAIN(tests)
