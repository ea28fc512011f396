/* SPDX-License-Identifier: Apache-2.0 */
#include "json/machine_json.h"

#include "base/cleanup.h"
#include "machines.h"
#include "test.h"

static void as_text(const struct machine *m, struct buf *out)
{
	struct writer w = WRITER(out);

	machine_json_write(&w, NULL, m);
}

static int read_text(const char *text, struct machine *m, struct err *e)
{
	*e = (struct err){0};
	return machine_json_read("m.json", text, strlen(text), m, e);
}

static void machine_everything(struct machine *m)
{
	machine_engines(m);
	m->tried = true;
	m->date = 20251115;
	m->apparmor = true;
	m->cpus = 8;
	m->memory = UINT64_C(0xffffffffffff);
	snprintf(m->arch, sizeof(m->arch), "x86_64");
	snprintf(m->distribution, sizeof(m->distribution), "debian");
	snprintf(m->distribution_version, sizeof(m->distribution_version), "12");
	snprintf(m->container, sizeof(m->container), "a \"b\"\n\x1b");
	m->cgroup = CGROUP_LAYOUT_HYBRID;
	for (size_t i = 0; i < FACILITY_COUNT; i++)
		m->facility[i] = (enum reason)(i % REASON_COUNT);
	for (size_t i = 0; i < SETTING_COUNT; i++)
		m->setting[i] = (int64_t)i - 1;
	m->engine[ENGINE_DOCKER].reachable = false;
}

/* Written, read, written again: the same text, and the same machine byte for byte. */
static void test_round_trip(void)
{
	void (*const makers[])(struct machine *) = {machine_v2_delegated, machine_v1_root,
		machine_no_cgroup, machine_ubuntu, machine_5_10, machine_in_docker, machine_engines,
		machine_everything};

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		auto_(buf_free) struct buf first = BUF(65536), second = BUF(65536);
		struct machine m, back;
		struct err e;

		test_row("machine %zu", i);
		memset(&back, 0x5a, sizeof(back));
		makers[i](&m);
		as_text(&m, &first);
		if (!check_int(read_text(buf_text(&first), &back, &e), 0)) {
			check_str(e.text, "");
			continue;
		}
		as_text(&back, &second);
		check_str(buf_text(&second), buf_text(&first));
		check_int(back.kernel_minor, m.kernel_minor);
		check(memcmp(back.facility, m.facility, sizeof(m.facility)) == 0);
		check(memcmp(back.setting, m.setting, sizeof(m.setting)) == 0);
		check_int(back.engine[ENGINE_DOCKER].reachable, m.engine[ENGINE_DOCKER].reachable);
	}
}

static void test_text(void)
{
	auto_(buf_free) struct buf out = BUF(65536);
	struct machine m;

	machine_everything(&m);
	as_text(&m, &out);
	check_has(buf_text(&out), "\"kernel\": \"6.12.9-200.fc41.x86_64\"");
	check_has(buf_text(&out), "\"date\": \"2025-11-15\"");
	check_has(buf_text(&out), "\"memory\": 281474976710655");
	check_has(buf_text(&out), "\"layout\": \"hybrid\"");
	check_has(buf_text(&out), "\"userNamespaces\": \"ok\"");
	check_has(buf_text(&out), "\"maxUserNamespaces\": null");
	check_has(buf_text(&out), "\"path\": \"/usr/bin/podman\"");
	check(!strstr(buf_text(&out), "runsc"));
	check(!strstr(buf_text(&out), "\x1b"));
}

/* What is not said is not there. */
static void test_little(void)
{
	struct machine m;
	struct err e;

	check_int(read_text("{kernel: '6.1', facilities: {seccomp: 'ok'}}", &m, &e), 0);
	check_int(m.kernel_major, 6);
	check(machine_layer(&m, LAYER_SYSCALLS).enforced);
	check(!machine_layer(&m, LAYER_FILESYSTEM).enforced);
	check(!m.engine[ENGINE_DOCKER].path[0]);
	check_int(m.setting[SETTING_MAX_USER_NS], MACHINE_NO_SETTING);
}

static void test_report(void)
{
	struct machine m;
	struct err e;

	check_int(read_text("{machine: {kernel: '5.15'}, complete: true, layers: {}, missing: [], "
			    "warnings: []}",
			  &m, &e),
		0);
	check_int(m.kernel_minor, 15);
	check(read_text("{machine: {kernel: '5.15'}, layer: {}}", &m, &e) < 0);
	check_has(e.text, "m.json:1:29: layer: unknown key");
	check(read_text("{machine: 3}", &m, &e) < 0);
	check_has(e.text, "must be an object");
}

static void test_refused(void)
{
	static const struct {
		const char *text;
		const char *part;
	} rows[] = {
		{"", "m.json:1:1"},
		{"[]", "must be an object"},
		{"{}", "kernel: is missing"},
		{"{kernel: 6.1}", "m.json:1:2: kernel: must be a text"},
		{"{kernel: 'six'}", "kernel: must start with a version"},
		{"{kernal: '6.1'}", "kernal: unknown key: did you mean 'kernel'?"},
		{"{kernel: '6.1', zzzzzzzz: 1}", "zzzzzzzz: unknown key"},
		{"{kernel: '6.1', root: 1}", "root: must be true or false"},
		{"{kernel: '6.1', cpus: -1}", "cpus: must be a whole number"},
		{"{kernel: '6.1', cpus: 1.5}", "cpus: must be a whole number"},
		{"{kernel: '6.1', cpus: 0x10}", "cpus: must be a whole number"},
		{"{kernel: '6.1', cpus: 4294967296}", "cpus: must be a whole number"},
		{"{kernel: '6.1', memory: 99999999999999999999}", "memory: must be"},
		{"{kernel: '6.1', memory: '2G'}", "memory: must be a whole number"},
		{"{kernel: '6.1', date: '2025-1-1'}", "date: must be a date"},
		{"{kernel: '6.1', date: '2025-11-15x'}", "date: must be a date"},
		{"{kernel: '6.1', date: 20251115}", "date: must be a date"},
		{"{kernel: '6.1', cgroup: 'v2'}", "cgroup: must be an object"},
		{"{kernel: '6.1',\n cgroup: {layout: 'v3'}}",
			"m.json:2:11: cgroup.layout: must be one of none, v1, v2, hybrid"},
		{"{kernel: '6.1', facilities: {seccomp: true}}",
			"facilities.seccomp: must be one of ok, "},
		{"{kernel: '6.1', facilities: {secomp: 'ok'}}",
			"facilities.secomp: unknown key: did you mean 'seccomp'?"},
		{"{kernel: '6.1', settings: {ptraceScope: 'x'}}", "settings.ptraceScope: must be"},
		{"{kernel: '6.1', engines: {dokcer: {}}}",
			"engines.dokcer: unknown key: did you mean 'docker'?"},
		{"{kernel: '6.1', engines: {docker: {path: 1}}}",
			"engines.docker.path: must be a text"},
		{"{kernel: '6.1', engines: {docker: {docker: {}}}}",
			"engines.docker.docker: unknown key"},
		{"{kernel: '6.1', engines: {docker: {version: "
		 "'0123456789012345678901234567890123456789012345678901234567890123456789'}}}",
			"engines.docker.version: is longer than 47 bytes"},
		{"{kernel: '6.1', kernel: '6.1'}", "kernel"},
		{"{kernel: '6.1'", "m.json:1"},
		{"{kernel: '6.1', 'a\x1b': 1}", "a\\x1b"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct machine m = {.cpus = 77};
		struct err e;

		test_row("%s", rows[i].text);
		check(read_text(rows[i].text, &m, &e) < 0);
		check_has(e.text, rows[i].part);
		check_int(m.cpus, 77);
	}
}

static const struct test tests[] = {
	{"written and read back", test_round_trip},
	{"the text", test_text},
	{"what is missing is unknown", test_little},
	{"doctor's report", test_report},
	{"anything else is refused", test_refused},
};

TEST_MAIN(tests)
