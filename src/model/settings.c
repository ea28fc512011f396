/* SPDX-License-Identifier: Apache-2.0 */
#include "model/settings.h"

#include "base/str.h"
#include "model/netpolicy.h"

const struct field settings_fields[] = {
	{"sandbox", F_OBJECT(struct settings, sandbox, sandbox_fields, .help = "the sandbox")},
	{"tools", F_OBJECT(struct settings, tools, tools_fields, .help = "the tools")},
	{0},
};

const struct source builtin_source = {"built in", LEVEL_BUILTIN};

#define HERE                          \
	{                             \
		&builtin_source, 0, 0 \
	}
#define VALUE(x)                     \
	{                            \
		.at = HERE, .v = (x) \
	}
#define ITEM(x)         \
	{               \
		x, HERE \
	}
#define ITEMS(...)            \
	(const struct item[]) \
	{                     \
		__VA_ARGS__   \
	}
#define LIST(...)                                                        \
	{                                                                \
		.at = HERE, .items = ITEMS(__VA_ARGS__),                 \
		.count = ARRAY_LEN(((const struct item[]){__VA_ARGS__})) \
	}
#define EMPTY              \
	{                  \
		.at = HERE \
	}

#define SECOND UINT64_C(1000)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static const struct rules no_rules;

const struct settings builtin_defaults =
	{
		.sandbox =
			{
				.mode = VALUE(MODE_ALL),
				.scope = VALUE(SCOPE_SESSION),
				.runtime = VALUE("auto"),
				.fallback = EMPTY,
				.require = LIST(ITEM("filesystem"), ITEM("network"),
					ITEM("processes"), ITEM("syscalls")),
				.profile = VALUE("standard"),
				.workspace = VALUE(WORKSPACE_RW),
				.protect = LIST(ITEM("**/.git/hooks/**"), ITEM("**/.git/config"),
					ITEM("**/.git/{commondir,config.worktree}"),
					ITEM("**/.git/worktrees/*/{commondir,config.worktree}"),
					ITEM(".git/modules/**/"
					     "{hooks,config,commondir,config.worktree}"),
					ITEM("HEAD"), ITEM(".ward.json5"), ITEM(".gitmodules"),
					ITEM(".envrc"), ITEM(".husky/**"), ITEM(".vscode/**"),
					ITEM(".idea/**"), ITEM(".cursor/**"), ITEM(".mcp.json"),
					ITEM(".claude/**"), ITEM(".codex/**"), ITEM(".gemini/**"),
					ITEM(".bashrc"), ITEM(".bash_profile"), ITEM(".zshrc"),
					ITEM(".profile"), ITEM(".npmrc"), ITEM(".yarnrc.yml"),
					ITEM(".pre-commit-config.yaml"), ITEM("*.code-workspace"),
					ITEM(".env"), ITEM(".env.*"), ITEM("*.pem"), ITEM("*.key")),
				.hide = EMPTY,
				.image = VALUE("host"),
				.startup_timeout = VALUE(60 * SECOND),
				.host_paths = EMPTY,
				.read_only_root = VALUE(true),
				.user = VALUE("1000:1000"),
				.cap_drop = LIST(ITEM("ALL")),
				.cap_add = EMPTY,
				.seccomp = VALUE("default"),
				.tmpfs = LIST(ITEM("/tmp:size=64m"), ITEM("/var/tmp:size=32m"),
					ITEM("/run:size=16m"), ITEM("/home/sandbox:size=64m")),
				.resources =
					{
						.memory = VALUE(2 * GIB),
						.swap = VALUE(0),
						.cpus = VALUE(2000),
						.pids = VALUE(256),
						.disk = VALUE(1 * GIB),
						.inodes = VALUE(100000),
						.files = VALUE(4096),
					},
				.network = {.mode = VALUE(NET_NONE), .deny = EMPTY},
				.timeout = VALUE(60 * SECOND),
				.idle_timeout = VALUE(0),
				.kill_grace = VALUE(2 * SECOND),
				.output_limit = VALUE(10 * MIB),
				.pass_env =
					LIST(ITEM("LANG"), ITEM("LC_*"), ITEM("TERM"), ITEM("TZ")),
				.binds = EMPTY,
				.allowed_bind_sources = EMPTY,
				.keep_alive = VALUE(true),
				.prune = {.idle = VALUE(24 * 3600 * SECOND),
					.age = VALUE(7 * 24 * 3600 * SECOND)},
				.rate = {.creates = {.at = HERE, .v = {60, 60}}},
				.pool = VALUE(0),
				.browser = {.enabled = VALUE(false)},
			},
		.tools =
			{
				.profile = VALUE("coding"),
				.allow = EMPTY,
				.deny = EMPTY,
				.sandbox =
					{
						.allow =
							LIST(ITEM("exec"), ITEM("process"),
								ITEM("read"), ITEM("write"),
								ITEM("edit"), ITEM("apply_patch"),
								ITEM("image"), ITEM("sessions_*"),
								ITEM("session_status"), ITEM("list"),
								ITEM("search"), ITEM("message"),
								ITEM("web_search"),
								ITEM("web_fetch")),
						.deny = LIST(ITEM("browser"),
							ITEM("canvas"), ITEM("nodes"), ITEM("cron"),
							ITEM("gateway")),
					},
				.bypass = EMPTY,
				.elevated =
					{
						.enabled = VALUE(false),
						.rules = VALUE(&no_rules),
						.patterns = EMPTY,
						.require_approval = VALUE(true),
						.approval_timeout = VALUE(300 * SECOND),
					},
			},
};

/* The trust tiers. */
static const struct settings trusted = {
	.sandbox = {.mode = VALUE(MODE_OFF)},
	.tools = {.profile = VALUE("full")},
};

static const struct settings standard = {
	.sandbox = {.mode = VALUE(MODE_ALL)},
	.tools = {.profile = VALUE("coding")},
};

static const struct settings untrusted = {
	.sandbox =
		{
			.mode = VALUE(MODE_ALL),
			.workspace = VALUE(WORKSPACE_RO),
			.hide = LIST(ITEM(".env"), ITEM(".env.*"), ITEM("*.pem"), ITEM("*.key"),
				ITEM("id_*")),
			.tmpfs = LIST(ITEM("/tmp:size=64m,noexec"),
				ITEM("/var/tmp:size=32m,noexec"), ITEM("/run:size=16m,noexec"),
				ITEM("/home/sandbox:size=64m,noexec")),
			.resources =
				{
					.memory = VALUE(512 * MIB),
					.cpus = VALUE(1000),
					.pids = VALUE(100),
					.disk = VALUE(256 * MIB),
				},
			.network = {.mode = VALUE(NET_NONE)},
		},
	.tools = {.profile = VALUE("readonly")},
};

static const struct {
	const char *name;
	const struct settings *settings;
} profiles[] = {{"trusted", &trusted}, {"standard", &standard}, {"untrusted", &untrusted}};

const struct settings *builtin_profile(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(profiles); i++)
		if (str_eq(profiles[i].name, name))
			return profiles[i].settings;
	return NULL;
}
