/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import.h"

#include "base/cleanup.h"
#include "base/show.h"
#include "base/str.h"
#include "json/config_read.h"
#include "json/json5.h"
#include "model/resolve.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>

#define FOLDER "tests/data/import"
#define WANT ".want.json5"

/* A whole file; NULL when there is none. */
static char *read_file(const char *path, size_t *ret_len)
{
	static char text[1u << 20];
	FILE *f = fopen(path, "re");
	char *copy;

	if (!f)
		return NULL;
	*ret_len = fread(text, 1, sizeof text, f);
	fclose(f);
	copy = mem_alloc(*ret_len + 1);
	memcpy(copy, text, *ret_len);
	return copy;
}

static const char *system_of(const char *file)
{
	for (size_t i = 0; import_systems[i]; i++)
		if (str_starts(file, import_systems[i]) && file[strlen(import_systems[i])] == '-')
			return import_systems[i];
	return NULL;
}

/* The name with another end: a-b.toml to a-b.want.json5. */
static void want_path(const char *file, char *out, size_t size)
{
	const char *dot = strrchr(file, '.');

	snprintf(out, size, FOLDER "/%.*s" WANT, (int)(dot - file), file);
}

/* Says in which line two texts part. */
static void check_same(const char *got, const char *want)
{
	int line = 1;

	while (*got && *got == *want) {
		line += *got == '\n';
		got++;
		want++;
	}
	test_check(*got == *want, __FILE__, __LINE__, "line %d: got \"%.60s\", want \"%.60s\"",
		line, got, want);
}

static void check_loads(const char *text, size_t len)
{
	auto_(config_free) struct config config = {0};
	const struct config_wish wish = {.all = true};
	struct err e = {0};

	if (!check_int(config_read(&config, LEVEL_USER, "result", text, len, &wish, &e), 0) ||
		!check_int(config_check(&config, &e), 0))
		printf("# %s\n", e.text);
}

static void check_file(const char *file)
{
	auto_(buf_free) struct buf out = BUF(1u << 20);
	auto_free char *text = NULL;
	auto_free char *want = NULL;
	char path[512];
	struct err e = {0};
	size_t len = 0, want_len = 0;

	test_row("%s", file);
	if (!check(system_of(file) != NULL))
		return;
	snprintf(path, sizeof path, FOLDER "/%s", file);
	text = read_file(path, &len);
	want_path(file, path, sizeof path);
	want = read_file(path, &want_len);
	if (!check(text != NULL) || !check(want != NULL))
		return;
	if (!check_int(import_config(system_of(file), file, text, len, &out, &e), 0)) {
		printf("# %s\n", e.text);
		return;
	}
	check_same(buf_text(&out), want);
	check_loads(buf_text(&out), out.len);
}

static void test_files(void)
{
	size_t seen[16] = {0}, sources = 0, wants = 0;
	struct dirent **names = NULL;
	int count = scandir(FOLDER, &names, NULL, alphasort);

	check(count > 0);
	for (int i = 0; i < count; i++) {
		const char *file = names[i]->d_name;
		const char *system = system_of(file);

		for (size_t k = 0; import_systems[k]; k++)
			seen[k] += str_eq(system, import_systems[k]) && !str_ends(file, WANT);
		wants += str_ends(file, WANT);
		if (file[0] != '.' && !str_ends(file, WANT)) {
			sources++;
			check_file(file);
		}
		free(names[i]);
	}
	free(names);
	test_row("counts");
	check_int(wants, sources);
	for (size_t k = 0; import_systems[k]; k++) {
		test_row("%s", import_systems[k]);
		check(seen[k] >= 2);
	}
}

/* What the results mean: the value that holds for one agent, by the configuration's own rules. */
static void test_meaning(void)
{
	static const struct {
		const char *file, *agent, *path, *want;
	} rows[] = {
		{"openclaw-personal.json5", NULL, "sandbox.mode", "\"off\""},
		{"openclaw-personal.json5", NULL, "tools.profile", "\"full\""},
		{"openclaw-remote-server.json5", NULL, "sandbox.scope", "\"session\""},
		{"openclaw-remote-server.json5", NULL, "sandbox.workspace", "\"ro\""},
		{"openclaw-messaging.json5", NULL, "sandbox.workspace", "\"none\""},
		{"openclaw-docker.json5", NULL, "sandbox.resources.swap", "\"1G\""},
		{"openclaw-docker.json5", NULL, "sandbox.runtime", "\"auto\""},
		{"openclaw-agents.json5", "main", "sandbox.mode", "\"off\""},
		{"openclaw-agents.json5", "family", "sandbox.workspace", "\"ro\""},
		{"openclaw-agents.json5", "family", "sandbox.user", "\"1000:1000\""},
		{"openclaw-agents.json5", "family", "sandbox.resources.pids", "256"},
		{"openclaw-agents.json5", "family", "sandbox.network.mode", "\"full\""},
		{"openclaw-agents.json5", "build.1", "sandbox.runtime", "\"podman\""},
		{"openclaw-agents.json5", "build.1", "sandbox.timeout", "\"30m\""},
		{"openclaw-agents.json5", "build.1", "sandbox.network.mode", "\"none\""},
		{"openclaw-entries.json5", NULL, "sandbox.runtime", "\"docker\""},
		{"openclaw-entries.json5", "work", "sandbox.runtime", "\"auto\""},
		{"openclaw-entries.json5", "work", "sandbox.image", "\"host\""},
		{"clawdbot-docker.json5", "ops", "sandbox.scope", "\"shared\""},
		{"clawdbot-docker.json5", "ops", "sandbox.resources.memory", "\"1G\""},
		{"wonopcode-agents.json", "trusted", "sandbox.mode", "\"off\""},
		{"wonopcode-agents.json", "explore", "sandbox.workspace", "\"ro\""},
		{"wonopcode-agents.json", "explore", "sandbox.network.mode", "\"limited\""},
		{"wonopcode-agents.json", "code", "sandbox.resources.memory", "\"4G\""},
		{"wonopcode-image.json", NULL, "sandbox.mode", "\"off\""},
		{"wonopcode-podman.jsonc", "plan", "sandbox.mode", "\"off\""},
		{"ash-default.toml", NULL, "sandbox.resources.pids", "100"},
		{"ash-default.toml", NULL, "sandbox.network.mode", "\"none\""},
		{"ash-gvisor.toml", NULL, "sandbox.runtime", "\"gvisor\""},
		{"ash-gvisor.toml", NULL, "sandbox.timeout", "\"30m\""},
		{"monkey-plain.txt", NULL, "sandbox.runtime", "\"spawn\""},
		{"monkey-docker.json", NULL, "sandbox.resources.memory", "\"512M\""},
		{"monkey-docker.json", NULL, "sandbox.fallback", "[]"},
		{"monkey-flag.txt", NULL, "sandbox.timeout", "\"1m\""},
		{"monkey-none.txt", NULL, "sandbox.mode", "\"off\""},
		{"pi-docker.txt", NULL, "sandbox.runtime", "\"docker:mom-sandbox\""},
		{"archer-host.txt", NULL, "sandbox.mode", "\"off\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(config_free) struct config config = {0};
		auto_(buf_free) struct buf shown = BUF(4096);
		auto_free char *text = NULL;
		const struct config_wish wish = {.all = true};
		struct effective effective = {0};
		const void *base = &effective.s;
		const struct field *f;
		char path[512];
		struct err e = {0};
		size_t len = 0;

		test_row("%s, %s", rows[i].file, rows[i].path);
		want_path(rows[i].file, path, sizeof path);
		text = read_file(path, &len);
		if (!check(text != NULL))
			continue;
		check_int(config_read(&config, LEVEL_USER, path, text, len, &wish, &e), 0);
		check_int(resolve_agent(&config, rows[i].agent, &config.arena, &effective, &e), 0);
		f = field_find_path(settings_fields, rows[i].path, &base);
		if (!check(f != NULL))
			continue;
		show_value(&shown, f, field_at(f, base));
		check_str(buf_text(&shown), rows[i].want);
	}
}

/* An allow list without a profile is all there is; one with a profile adds to it. */
static void test_tool_lists(void)
{
	static const struct {
		const char *file, *agent, *tool;
		bool sandboxed, allowed;
	} rows[] = {
		{"openclaw-agents.json5", "family", "read", false, true},
		{"openclaw-agents.json5", "family", "memory_get", false, true},
		{"openclaw-agents.json5", "family", "exec", false, false},
		{"openclaw-agents.json5", "family", "search", false, false},
		{"openclaw-agents.json5", "build.1", "web_fetch", false, true},
		{"openclaw-agents.json5", "build.1", "exec", false, true},
		{"openclaw-agents.json5", "build.1", "browser", true, true},
		{"openclaw-agents.json5", "build.1", "gateway", false, false},
		{"openclaw-agents.json5", "main", "edit", true, false},
		{"openclaw-tools.json5", NULL, "web_search", false, true},
		{"openclaw-tools.json5", NULL, "exec", false, true},
		{"openclaw-tools.json5", NULL, "browser", false, false},
		{"openclaw-entries.json5", "play-ground", "read", false, true},
		{"wonopcode-full.json", NULL, "todoread", true, true},
		{"wonopcode-podman.jsonc", NULL, "web_fetch", false, false},
		{"wonopcode-podman.jsonc", NULL, "web_search", true, true},
		{"wonopcode-podman.jsonc", "plan", "write", false, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(config_free) struct config config = {0};
		auto_free char *text = NULL;
		const struct config_wish wish = {.all = true};
		struct effective effective = {0};
		char path[512];
		struct err e = {0};
		size_t len = 0;

		test_row("%s, %s", rows[i].file, rows[i].tool);
		want_path(rows[i].file, path, sizeof path);
		text = read_file(path, &len);
		if (!check(text != NULL))
			continue;
		check_int(config_read(&config, LEVEL_USER, path, text, len, &wish, &e), 0);
		check_int(resolve_agent(&config, rows[i].agent, &config.arena, &effective, &e), 0);
		check_int(toolpolicy_ask(&effective.tools, rows[i].tool, rows[i].sandboxed).allowed,
			rows[i].allowed);
	}
}

static void test_errors(void)
{
	static const struct {
		const char *system, *text, *want;
	} rows[] = {
		{"openclaw", "{", "f:1:2: the text ends where a key or '}' should stand"},
		{"openclaw", "[]", "f:1:1: must be an object, not a list"},
		{"openclaw", "{agents: 3}", "f:1:10: agents: must be an object, not a number"},
		{"openclaw", "{sandbox: {mode: 'some'}}",
			"f:1:18: sandbox.mode: 'some' is none of off, non-main, all"},
		{"openclaw", "{agents: {defaults: {sandbox: {\n scope: true}}}}",
			"f:2:9: agents.defaults.sandbox.scope: must be a text, not true or false"},
		{"openclaw", "{sandbox: {workspace: 'cow'}}",
			"f:1:23: sandbox.workspace: 'cow' is none of none, ro, rw"},
		{"openclaw", "{sandbox: {workspace: 'ro', workspaceAccess: 'ro'}}",
			"f:1:46: sandbox.workspaceAccess: another key of this file has set "
			"'workspace' already"},
		{"openclaw", "{sandbox: {backend: 'vm'}}",
			"f:1:21: sandbox.backend: 'vm' is none of docker, podman, ssh, openshell"},
		{"openclaw", "{sandbox: {docker: {memory: 'much'}}}",
			"f:1:29: sandbox.docker.memory: 'much' is not a size (write 512M, 1.5G or "
			"plain bytes)"},
		{"openclaw", "{sandbox: {docker: {memory: {}}}}",
			"f:1:29: sandbox.docker.memory: must be a number, not an object"},
		{"openclaw", "{sandbox: {docker: {pidsLimit: -7}}}",
			"f:1:32: sandbox.docker.pidsLimit: '-7' is not a count (write a whole "
			"number such as 256, 100k or 2M)"},
		{"openclaw", "{sandbox: {docker: {memory: '2g', memorySwap: '1g'}}}",
			"f:1:47: sandbox.docker.memorySwap: is less than memory, which it "
			"includes"},
		{"openclaw", "{sandbox: {docker: {binds: ['/a:/b', 3]}}}",
			"f:1:38: sandbox.docker.binds[1]: must be a text, not a number"},
		{"openclaw", "{sandbox: {docker: {extraHosts: ['here']}}}",
			"f:1:34: sandbox.docker.extraHosts[0]: must be name:address"},
		{"openclaw", "{sandbox: {docker: {extraHosts: ['a:10.0.0.1', 'a:10.0.0.2']}}}",
			"f:1:48: sandbox.docker.extraHosts[1]: this name stands here twice"},
		{"openclaw", "{sandbox: {docker: {env: {A: 1}}}}",
			"f:1:30: sandbox.docker.env.A: must be a text, not a number"},
		{"openclaw", "{sandbox: {docker: {ulimits: {nofile: {}}}}}",
			"f:1:39: sandbox.docker.ulimits.nofile: needs soft or hard"},
		{"openclaw", "{agents: {list: [{}]}}",
			"f:1:18: agents.list[0]: an agent needs an id"},
		{"openclaw", "{agents: {list: [{id: 'a b'}]}}",
			"f:1:18: agents.list[0]: 'a b' cannot be the name of an agent here: "
			"letters, digits, '_', '.', '-'"},
		{"openclaw", "{agents: {list: [{id: 'a'}, {id: 'a'}]}}",
			"f:1:29: agents.list[1]: agent 'a' stands here twice"},
		{"openclaw", "{tools: {profile: 'most'}}",
			"f:1:19: tools.profile: 'most' is none of full, coding, messaging, "
			"minimal"},
		{"openclaw", "{tools: {deny: 'exec'}}",
			"f:1:16: tools.deny: must be a list, not a text"},
		{"openclaw", "{tools: {elevated: {enabled: 'yes'}}}",
			"f:1:30: tools.elevated.enabled: must be true or false, not a text"},
		{"clawdbot", "{agent: {sandbox: 'docker'}}",
			"f:1:19: agent.sandbox: must be an object, not a text"},
		{"wonopcode", "{\"sandbox\": {\"enabled\": 1}}",
			"f:1:25: sandbox.enabled: must be true or false, not a number"},
		{"wonopcode", "{\"sandbox\": {\"runtime\": \"lxc\"}}",
			"f:1:25: sandbox.runtime: 'lxc' is none of auto, docker, podman, lima, "
			"none"},
		{"wonopcode", "{\"sandbox\": {\"network\": \"some\"}}",
			"f:1:25: sandbox.network: 'some' is none of none, limited, full"},
		{"wonopcode", "{\"agent\": {\"-x\": {}}}",
			"f:1:18: agent.-x: '-x' cannot be the name of an agent here: letters, "
			"digits, '_', '.', '-'"},
		{"wonopcode", "{\"tools\": {\"bash\": \"no\"}}",
			"f:1:20: tools.bash: must be true or false, not a text"},
		{"ash", "[sandbox]\nruntime = \"crun\"",
			"f:2:11: sandbox.runtime: 'crun' is none of runc, runsc"},
		{"ash", "[sandbox]\ntimeout = true",
			"f:2:11: sandbox.timeout: must be a number, not true or false"},
		{"ash", "sandbox = 1", "f:1:11: sandbox: must be an object, not a number"},
		{"ash", "[sandbox]\ncpu_limit = 1e3",
			"f:2:13: sandbox.cpu_limit: '1e3' is not a number of cpus (write 2, 0.5 or "
			"1.25, at most 3 digits after the point)"},
		{"ash", "[sandbox]\nnetwork_mode = \"none\"\nnetwork_disabled = true",
			"f:3:20: sandbox.network_disabled: another key of this file has set "
			"'network.mode' already"},
		{"ash", "x", "f:1:2: the text ends where '=' or '.' should stand"},
		{"monkey", "{mode: 'vm'}", "f:1:8: mode: 'vm' is none of none, spawn, docker"},
		{"monkey", "{mode: 'docker', sandbox: 'none'}",
			"f:1:27: sandbox: is not what another key says: 'docker'"},
		{"monkey", "agent --sandbox",
			"f:1:7: --sandbox: must be a text, not true or false"},
		{"monkey", "agent --sandbox vm",
			"f:1:17: --sandbox: 'vm' is none of none, spawn, docker"},
		{"monkey", "--sandbox none --docker",
			"f:1:16: --docker: is not what --sandbox says: 'none'"},
		{"monkey", "--sandbox none\n--sandbox docker",
			"f:2:1: --sandbox stands here twice"},
		{"monkey", "--task \"never ends", "f:1:8: quote without an end"},
		{"monkey", "--timeout soon",
			"f:1:11: --timeout: 'soonms' is not a duration (write 500ms, 60s, 10m, "
			"24h, 7d "
			"or plain seconds)"},
		{"pi", "--sandbox=vm",
			"f:1:1: --sandbox: 'vm' is neither host nor docker:<container>"},
		{"pi", "docker:",
			"f:1:1: docker:: the name of a container is missing behind 'docker:'"},
		{"pi", "{\"type\": \"docker\"}",
			"f:1:10: type: the name of a container is missing behind 'docker:'"},
		{"pi", "{\"type\": \"vm\"}", "f:1:10: type: 'vm' is none of host, docker"},
		{"pi", "{\"sandbox\": {}}", "f:1:13: sandbox: type is missing: host or docker"},
		{"archer", "host docker:x",
			"f:1:6: docker:x: another key of this file has set 'mode' already"},
		{"archer", "\xff", "f:1:1: neither a command line nor JSON"},
		{"openclow", "{}",
			"cannot import from 'openclow': the systems are openclaw, clawdbot, "
			"wonopcode, ash, monkey, pi, archer; did you mean 'openclaw'?"},
		{"x\x1b", "{}",
			"cannot import from 'x\\x1b': the systems are openclaw, clawdbot, "
			"wonopcode, "
			"ash, monkey, pi, archer"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(buf_free) struct buf out = BUF(1u << 20);
		struct err e = {0};

		test_row("%s: %s", rows[i].system, rows[i].text);
		check(import_config(rows[i].system, "f", rows[i].text, strlen(rows[i].text), &out,
			      &e) < 0);
		check_str(e.text, rows[i].want);
		check_int(out.len, 0);
	}
}

static void import_text_ok(const char *system, const char *text, struct buf *out)
{
	struct err e = {0};

	test_row("%s: %s", system, text);
	if (!check_int(import_config(system, "f", text, strlen(text), out, &e), 0))
		printf("# %s\n", e.text);
}

/* A key that no table has is named in a comment, at every level. */
static void test_unknown_keys(void)
{
	static const struct {
		const char *system, *text, *want;
	} rows[] = {
		{"openclaw", "{x: 1}", "// openclaw x: not known"},
		{"openclaw", "{agents: {x: 1}}", "// openclaw agents.x: not known"},
		{"openclaw", "{agents: {defaults: {x: 1}}}",
			"// openclaw agents.defaults.x: not known"},
		{"openclaw", "{sandbox: {x: 1}}", "// openclaw sandbox.x: not known"},
		{"openclaw", "{sandbox: {docker: {x: 1, y: 2}}}",
			"// openclaw sandbox.docker.{x, y}: not known"},
		{"openclaw", "{sandbox: {browser: {x: 1}}}",
			"// openclaw sandbox.browser.x: not known"},
		{"openclaw", "{sandbox: {prune: {x: 1}}}",
			"// openclaw sandbox.prune.x: not known"},
		{"openclaw", "{agents: {list: [{id: 'a', x: 1}]}}",
			"// openclaw agents.list[0].x: not known"},
		{"openclaw", "{agents: {entries: {a: {tools: {x: 1}}}}}",
			"// openclaw agents.entries.a.tools.x: not known"},
		{"openclaw", "{tools: {sandbox: {x: 1}}}",
			"// openclaw tools.sandbox.x: not known"},
		{"openclaw", "{tools: {sandbox: {tools: {x: 1}}}}",
			"// openclaw tools.sandbox.tools.x: not known"},
		{"openclaw", "{tools: {elevated: {x: 1}}}",
			"// openclaw tools.elevated.x: not known"},
		{"openclaw", "{tools: {exec: {x: 1}}}", "// openclaw tools.exec.x: not known"},
		{"openclaw", "{routing: {x: 1}}", "// openclaw routing.x: not known"},
		{"openclaw", "{sandbox: {mode: null}}",
			"// openclaw sandbox.mode: null, so it is not set"},
		{"wonopcode", "{\"x\": 1}", "// wonopcode x: not known"},
		{"wonopcode", "{\"sandbox\": {\"resources\": {\"x\": 1}, \"mounts\": {\"y\": 1}}}",
			"// wonopcode sandbox.mounts.y: not known"},
		{"wonopcode", "{\"agent\": {\"a\": {\"x\": 1}}}",
			"// wonopcode agent.a.x: not known"},
		{"ash", "x = 1", "// ash x: not known"},
		{"ash", "[sandbox]\nx.y = 1", "// ash sandbox.x: not known"},
		{"monkey", "{x: 1}", "// monkey x: not known"},
		{"monkey", "monkey agent --x=1", "// monkey --x: not known"},
		{"monkey", "monkey agent again", "// monkey again: not known"},
		{"pi", "{\"type\": \"host\", \"x\": 1}", "// pi x: not known"},
		{"pi", "--x --sandbox host", "// pi --x: not known"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(buf_free) struct buf out = BUF(1u << 20);

		import_text_ok(rows[i].system, rows[i].text, &out);
		check_has(buf_text(&out), rows[i].want);
	}
}

/* Single keys whose answer no file shows. */
static void test_answers(void)
{
	static const struct {
		const char *system, *text, *want;
	} rows[] = {
		{"openclaw", "{sandbox: {backend: 'ssh', ssh: {target: 'u@h'}}}",
			"// openclaw sandbox.backend: no equal; auto takes the best"},
		{"openclaw", "{sandbox: {docker: {network: 'container:x'}}}",
			"network: \"none\",  // was another container's network"},
		{"openclaw", "{sandbox: {docker: {seccompProfile: 'unconfined'}}}",
			"// seccomp: \"unconfined\","},
		{"openclaw", "{sandbox: {docker: {memory: 0}}}",
			"docker.memory: no limit there; ward always has one, by default 2G"},
		{"openclaw", "{sandbox: {docker: {memorySwap: '-1'}}}",
			"docker.memorySwap: no limit there; ward gives no swap"},
		{"openclaw", "{sandbox: {docker: {memorySwap: '1g'}}}",
			"docker.memorySwap: counts memory and swap together"},
		{"openclaw", "{sandbox: {docker: {workdir: '/src'}}}",
			"docker.workdir: ward shows the workspace at /workspace"},
		{"openclaw", "{sandbox: {docker: {tmpfs: ['/tmp:rw', '/etc', '/run:rw,size=1m']}}}",
			"\"/tmp\",\n"},
		{"openclaw", "{sandbox: {docker: {binds: []}}}", "binds: [],"},
		{"openclaw", "{sandbox: {docker: {binds: ['/proc:/p']}}}",
			"// binds: [\"/proc:/p:rw\"],"},
		{"openclaw", "{sandbox: {perSession: false}}", "scope: \"shared\""},
		{"openclaw", "{sandbox: {docker: {pidsLimit: 0x40}}}", "pids: 64,"},
		{"openclaw", "{sandbox: {docker: {cpus: .5}}}", "cpus: 0.5,"},
		{"openclaw", "{sandbox: {docker: {readOnlyRoot: false}}}", "readOnlyRoot: false,"},
		{"openclaw", "{tools: {allow: ['exec']}}", "imported: [\"exec\"],"},
		{"openclaw", "{tools: {allow: []}}", "allow: [],"},
		{"openclaw", "{tools: {alsoAllow: ['group:nodes']}}",
			"groups: { nodes: [\"nodes\"] },"},
		{"openclaw", "{tools: {deny: ['group:plugins']}}",
			"// deny: [\"group:plugins\"],  // ward has no such group"},
		{"openclaw", "{tools: {elevated: {patterns: ['*']}}}",
			"// elevated.patterns: [\"*\"],"},
		{"openclaw", "{sandbox: {docker: {user: '', env: {'1': 'x', '': 'y', B: ''}}}}",
			"// user: \"\",  // empty\n"},
		{"openclaw", "{sandbox: {docker: {env: {'a b': 'x', '': 'y', B: ''}}}}",
			"          // \"\": \"y\",  // empty\n          B: \"\",\n"},
		{"openclaw", "{sandbox: {docker: {env: {'a b': 'x'}}}}",
			"// env: { \"a b\": \"x\" },"},
		{"openclaw", "{tools: {sandbox: {tools: {alsoAllow: ['tts']}}}}",
			"\"web_fetch\",\n        \"tts\",\n"},
		{"openclaw", "{tools: {allow: ['exec'], alsoAllow: ['tts']}}",
			"imported: [\"exec\", \"tts\"],"},
		{"openclaw", "{tools: {deny: ['group:web', 'group:ui', 'group:web']}}",
			"groups: { web: [\"web_search\", \"web_fetch\"], ui: [\"browser\", "
			"\"canvas\"] },"},
		{"openclaw", "{tools: {deny: ['proces']}}",
			"// deny: [\"proces\"],  // refused: no tool is called 'proces'; did you "
			"mean "
			"'process'?"},
		{"openclaw",
			"{agents: {entries: "
			"{a23456789012345678901234567890123456789012345678901234567890"
			": {tools: {allow: ['exec']}}}}}",
			"profile: "
			"\"a23456789012345678901234567890123456789012345678901234567890\","},
		{"wonopcode", "{\"sandbox\": {\"enabled\": false}}", "mode: \"off\",\n"},
		{"wonopcode", "{\"agent\": {\"a\": null}, \"tools\": {\"bash\": null}}",
			"mode: \"off\""},
		{"monkey", "", "runtime: \"spawn\""},
		{"monkey", "monkey agent --sandbox 'docker'", "runtime: \"docker\""},
		{"monkey", "monkey agent \"--\\\"x\" \\a --sandbox do\\cker",
			"runtime: \"docker\""},
		{"pi", "", "mode: \"off\""},
		{"pi", "{sandbox: 'docker:a'}", "runtime: \"docker:a\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(buf_free) struct buf out = BUF(1u << 20);

		import_text_ok(rows[i].system, rows[i].text, &out);
		check_has(buf_text(&out), rows[i].want);
	}
}

/* Foreign text stays in its comment or its string, whatever it is made of. */
static void test_foreign_text(void)
{
	static const char nasty[] = "a\\nmode: 'off', // \\u2028 \\r */ \\\" \\u001b";
	auto_(buf_free) struct buf text = BUF(4096), out = BUF(1u << 20);
	auto_(arena_free) struct arena a = {0};
	struct node root = {0};
	struct err e = {0};

	buf_printf(&text,
		"{sandbox: {mode: 'all', \"%s\": 1, docker: {env: {A: \"%s\"}, user: \"%s\", "
		"binds: "
		"[\"%s\"]}}, \"%s\": {}}",
		nasty, nasty, nasty, nasty, nasty);
	import_text_ok("openclaw", buf_text(&text), &out);
	check_int(json5_parse(&a, "result", buf_text(&out), out.len, &root, &e), 0);
	check_int(root.count, 2);
	check_str(tree_path(&root, "agents.defaults.sandbox.mode")->text, "all");
	check_str(tree_path(&root, "agents.defaults.sandbox.env.A")->text,
		"a\nmode: 'off', // \xe2\x80\xa8 \r */ \" \x1b");
	check(tree_path(&root, "agents.defaults.sandbox.user") == NULL);
	check(!strchr(buf_text(&out), '\x1b') && !strchr(buf_text(&out), '\r'));
	check(!strstr(buf_text(&out), "\xe2\x80\xa8"));
}

/* The command line of a file with an odd name, and output that does not fit. */
static void test_bounds(void)
{
	auto_(buf_free) struct buf out = BUF(1u << 20), text = BUF(8u << 20);
	struct err e = {0};

	check_int(import_config("pi", "/x/a\nb.txt", "host", 4, &out, &e), 0);
	check_has(buf_text(&out), "// Imported from pi (a\\nb.txt).\n");
	for (size_t i = 0; i < 1001; i++)
		buf_puts(&text, "x ");
	check(import_config("pi", "f", buf_text(&text), text.len, &out, &e) < 0);
	check_has(e.text, "too many words for a command line");
	buf_reset(&text);
	buf_puts(&text, "{agents: {entries: {");
	for (size_t i = 0; i <= CONFIG_MAX_SECTIONS; i++)
		buf_printf(&text, "a%zu: {},", i);
	buf_puts(&text, "}}}");
	check(import_config("openclaw", "f", buf_text(&text), text.len, &out, &e) < 0);
	check_str(e.text, "f:1:20: agents.entries: more than 10000 agents");
	buf_reset(&text);
	buf_puts(&text, "{sandbox: {docker: {env: {A: '");
	for (size_t i = 0; i < 1u << 20; i++)
		buf_putc(&text, '\x7f');
	buf_puts(&text, "'}}}}");
	check(import_config("openclaw", "f", buf_text(&text), text.len, &out, &e) < 0);
	check_str(e.text, "f:1:1: too large to import: the result is above 4 MiB");
}

static const struct test tests[] = {
	{"files give what is expected, and it loads", test_files},
	{"results mean what the source meant", test_meaning},
	{"tool lists mean what the source meant", test_tool_lists},
	{"errors say where and what", test_errors},
	{"unknown keys are named", test_unknown_keys},
	{"answers to single keys", test_answers},
	{"foreign text stays where it belongs", test_foreign_text},
	{"bounds", test_bounds},
};

TEST_MAIN(tests)
