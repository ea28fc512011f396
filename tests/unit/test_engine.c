/* SPDX-License-Identifier: Apache-2.0 */
#include "model/engine.h"

#include "test.h"

/* What the engines print, as they print it. */
static const struct {
	const char *output;
	const char *text; /* NULL: no version in it */
	struct engine_version v;
} outputs[] = {
	{"runc version 1.1.5+ds1\ncommit: 1.1.5+ds1-1+deb12u1\nspec: 1.0.2-dev\ngo: go1.19.8\n",
		"1.1.5+ds1", {1, 1, 5, 0, 0}},
	{"runc version 1.4.0-rc.3\ncommit: v1.4.0-rc.3-0-g1a2b3c4d\nspec: 1.3.0\n", "1.4.0-rc.3",
		{1, 4, 0, 3, 0}},
	{"crun version 1.8.1\ncommit: f8a096be060b22ccd3d5f3ebe44108517fbf6c30\nrundir: "
	 "/run/crun\n",
		"1.8.1", {1, 8, 1, 0, 0}},
	{"crun version 1.27\n", "1.27", {1, 27, 0, 0, 0}},
	{"Docker version 20.10.24+dfsg1, build 297e128\n", "20.10.24+dfsg1", {20, 10, 24, 0, 0}},
	{"Docker version 28.5.1, build e180ab8\n", "28.5.1", {28, 5, 1, 0, 0}},
	{"podman version 4.3.1\n", "4.3.1", {4, 3, 1, 0, 0}},
	{"podman version 5.0.0-rc2\n", "5.0.0-rc2", {5, 0, 0, 2, 0}},
	{"runsc version release-20221122.0\nspec: 1.0.2\n", "release-20221122.0",
		{0, 0, 0, 0, 20221122}},
	{"runsc version 0.0~20221219.0\nspec: 1.0.2\n", "0.0~20221219.0", {0, 0, 0, 0, 20221219}},
	{"limactl version 0.20.1\n", "0.20.1", {0, 20, 1, 0, 0}},
	{"Client Version: v1.28.2\nKustomize Version: v5.0.4-0.20230601165947-6ce0bf390ce3\n",
		"v1.28.2", {1, 28, 2, 0, 0}},
	{"Client Version: version.Info{Major:\"1\", Minor:\"20\", GitVersion:\"v1.20.2\"}\n",
		"v1.20.2", {1, 20, 2, 0, 0}},
	{"bubblewrap 0.8.0\n", "0.8.0", {0, 8, 0, 0, 0}},
	{"Emulate Docker CLI using podman.\npodman version 4.9.3\n", "4.9.3", {4, 9, 3, 0, 0}},
	{"runsc version VERSION_MISSING\n", NULL, {0}},
	{"", NULL, {0}},
	{"\x1b[31m\n\n", NULL, {0}},
	{"version 9999999999999.1\n", NULL, {0}},
	{"version 1.\n", NULL, {0}},
	{"version 1.2.\n", NULL, {0}},
	{"1.23456789012345678901234567890123456789012345678901234567890\n", NULL, {0}},
};

static void test_outputs(void)
{
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		char text[ENGINE_VERSION_TEXT] = "untouched";
		struct engine_version v = {0};
		bool found = engine_version_find(outputs[i].output, text);

		test_row("%s", outputs[i].output);
		check_int(found, outputs[i].text != NULL);
		check_str(text, outputs[i].text ? outputs[i].text : "untouched");
		if (!found || !check(engine_version_parse(text, &v)))
			continue;
		check_int(engine_version_compare(&v, &outputs[i].v), 0);
		check_int(v.candidate, outputs[i].v.candidate);
		check_int(v.date, outputs[i].v.date);
	}
}

static void test_order(void)
{
	static const char *const rising[] = {"0.9", "1.0.0-rc1", "1.0.0-rc.2", "1.0.0-rc10",
		"1.0.0", "1.0.1", "1.1.5+ds1", "1.2", "1.10.0", "2.0-rc1", "2.0", "10.0",
		"release-20221122.0", "release-20250101.0"};
	struct engine_version a, b;

	for (size_t i = 0; i < sizeof(rising) / sizeof(rising[0]); i++)
		for (size_t j = 0; j < sizeof(rising) / sizeof(rising[0]); j++) {
			int r;

			test_row("%s and %s", rising[i], rising[j]);
			check(engine_version_parse(rising[i], &a));
			check(engine_version_parse(rising[j], &b));
			r = engine_version_compare(&a, &b);
			check_int((r > 0) - (r < 0), (i > j) - (i < j));
		}
}

#define RUNC_2025 "CVE-2025-31133, CVE-2025-52565, CVE-2025-52881"
#define RUNC_2026 "CVE-2026-41579"
#define CRUN_127 "CVE-2026-30892"
#define CRUN_128 "CVE-2026-47766"

/* Which warnings an engine of a version gets on 2025-11-15. */
static const struct {
	enum engine engine;
	const char *version;
	const char *ids[3];
} known[] = {
	{ENGINE_RUNC, "1.1.5+ds1", {RUNC_2025, RUNC_2026}},
	{ENGINE_RUNC, "1.1.15", {RUNC_2025, RUNC_2026}},
	{ENGINE_RUNC, "0.1.1", {RUNC_2025, RUNC_2026}},
	{ENGINE_RUNC, "1.2.7", {RUNC_2025, RUNC_2026}},
	{ENGINE_RUNC, "1.2.8", {RUNC_2026}},
	{ENGINE_RUNC, "1.2.99", {RUNC_2026}},
	{ENGINE_RUNC, "1.3.2", {RUNC_2025, RUNC_2026}},
	{ENGINE_RUNC, "1.3.3", {RUNC_2026}},
	{ENGINE_RUNC, "1.3.5", {RUNC_2026}},
	{ENGINE_RUNC, "1.3.6", {NULL}},
	{ENGINE_RUNC, "1.4.0-rc.2", {RUNC_2025, RUNC_2026}},
	{ENGINE_RUNC, "1.4.0-rc.3", {RUNC_2026}},
	{ENGINE_RUNC, "1.4.0", {RUNC_2026}},
	{ENGINE_RUNC, "1.4.2", {RUNC_2026}},
	{ENGINE_RUNC, "1.4.3", {NULL}},
	{ENGINE_RUNC, "1.5.0-rc.1", {RUNC_2026}},
	{ENGINE_RUNC, "1.5.0", {NULL}},
	{ENGINE_RUNC, "1.6.0", {NULL}},
	{ENGINE_RUNC, "2.0.0", {NULL}},
	{ENGINE_CRUN, "1.8.1", {CRUN_127, CRUN_128}},
	{ENGINE_CRUN, "1.26", {CRUN_127, CRUN_128}},
	{ENGINE_CRUN, "1.27", {CRUN_128}},
	{ENGINE_CRUN, "1.27.1", {CRUN_128}},
	{ENGINE_CRUN, "1.28", {NULL}},
	{ENGINE_CRUN, "2.0", {NULL}},
	{ENGINE_PODMAN, "4.3.1", {NULL}},
	{ENGINE_DOCKER, "20.10.24+dfsg1", {NULL}},
	{ENGINE_BWRAP, "0.8.0", {NULL}},
};

static void test_advisories(void)
{
	struct engine_notice notices[ENGINE_NOTICES_MAX];

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t count = engine_notices(known[i].engine, known[i].version, 20251115, notices);
		size_t seen = 0;

		test_row("%s %s", engine_rows[known[i].engine].name, known[i].version);
		for (size_t n = 0; n < count; n++) {
			if (notices[n].kind != ENGINE_WARNING)
				continue;
			if (!check(seen < 2 && known[i].ids[seen]))
				continue;
			check_str(notices[n].ids, known[i].ids[seen]);
			check_has(notices[n].text, known[i].ids[seen++]);
			check_has(notices[n].text, known[i].version);
			check_has(notices[n].text, "unless your distribution patched it");
		}
		check(!known[i].ids[seen]);
	}
}

static void test_age(void)
{
	static const struct {
		const char *version;
		unsigned today;
		bool warned;
	} ages[] = {
		{"release-20221122.0", 20251115, true}, {"0.0~20221219.0", 20251115, true},
		{"release-20241114.0", 20251115, true}, {"release-20241115.0", 20251115, false},
		{"release-20251020.0", 20251115, false}, {"release-20260101.0", 20251115, false},
		{"release-20221122.0", 0, false}, /* a clock that says nothing */
	};
	struct engine_notice notices[ENGINE_NOTICES_MAX];

	for (size_t i = 0; i < sizeof(ages) / sizeof(ages[0]); i++) {
		size_t count =
			engine_notices(ENGINE_RUNSC, ages[i].version, ages[i].today, notices);

		test_row("%s on %u", ages[i].version, ages[i].today);
		check_int(count, ages[i].warned);
		if (count)
			check_int(notices[0].kind, ENGINE_WARNING);
	}
	engine_notices(ENGINE_RUNSC, "release-20221122.0", 20251115, notices);
	check_has(notices[0].text, "2022-11-22");
}

static void test_notes(void)
{
	struct engine_notice notices[ENGINE_NOTICES_MAX];

	check_int(engine_notices(ENGINE_DOCKER, "28.0.1", 20251115, notices), 1);
	check_int(notices[0].kind, ENGINE_NOTE);
	check_has(notices[0].text, "as good as root");
	check_has(notices[0].text, "never passed into a sandbox");
	check_int(engine_notices(ENGINE_RUNC, "", 20251115, notices), 1);
	check_int(notices[0].kind, ENGINE_NOTE);
	check_has(notices[0].text, "could not be read");
	check_int(engine_notices(ENGINE_PODMAN, "5.2.0", 20251115, notices), 0);
}

static const struct test tests[] = {
	{"versions in what engines print", test_outputs},
	{"order of versions", test_order},
	{"known holes", test_advisories},
	{"age", test_age},
	{"notes", test_notes},
};

TEST_MAIN(tests)
