/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import_systems.h"

#include "base/str.h"
#include "json/import_put.h"

/*
 * ash: TOML with a table [sandbox]. Everything runs in one hardened container; what ash fixes in
 * its code, and what it has as defaults, is written out here, because it is tighter than what ward
 * does by itself.
 */

#define FRAMEWORK "a matter of the framework, not of ward"
#define ASH_DEFAULT "ash's default"
#define ASH_FIXED "always so in ash"
#define ASH_MOUNT "ash mounts folders of its own; see sandbox.binds"
#define ASH_IMAGE "ash-sandbox:latest"

static const struct import_word accesses[] = {
	{"none", "none", NULL}, {"ro", "ro", NULL}, {"rw", "rw", NULL}, {0}};
static const struct import_word networks[] = {{"none", "none", NULL},
	{"bridge", "full", "docker's networks reach everything; narrow it with network.allow"},
	{0}};
static const struct import_word runtimes[] = {{"runc", NULL, NULL}, {"runsc", "gvisor", NULL}, {0}};

/* An older key. */
static int read_network_disabled(struct import *im, const struct import_at *at)
{
	bool disabled;
	int rc = import_bool(im, at, &disabled);

	if (rc < 0)
		return rc;
	return import_put_text(im, at, "network.mode", disabled ? "none" : "full",
		disabled ? NULL : networks[1].remark);
}

static const struct import_key sandbox_keys[] = {
	{"image", .read = import_skip},
	{"timeout", .to = "timeout", .unit = "s"},
	{"memory_limit", .to = "resources.memory"},
	{"cpu_limit", .to = "resources.cpus"},
	{"runtime", .read = import_skip},
	{"network_mode", .to = "network.mode", .words = networks},
	{"network_disabled", .read = read_network_disabled},
	{"dns_servers", .to = "network.dns"},
	{"http_proxy", .note = "ward's guard sees all traffic by itself; see network.allow"},
	{"workspace_access", .to = "workspace", .words = accesses},
	{"setup_command", .to = "setupCommand"},
	{"sessions_access", .note = ASH_MOUNT},
	{"chats_access", .note = ASH_MOUNT},
	{"logs_access", .note = ASH_MOUNT},
	{"source_access", .note = ASH_MOUNT},
	{"mount_prefix", .note = ASH_MOUNT},
	{"apt_packages", .note = "install them on the host, or name an image that has them"},
	{"python_packages", .note = "install them on the host, or name an image that has them"},
	{0},
};

/* runtime and image together: docker only where an image of its own is named. */
static int put_runtime(struct import *im, const struct import_at *sandbox)
{
	const struct import_word *runtime = &runtimes[0];
	struct import_at at;
	const char *image = NULL;
	int rc = 0;

	if (import_member(im, sandbox, "runtime", &at))
		rc = import_find_word(im, &at, runtimes, &runtime);
	if (rc == 0 && import_member(im, sandbox, "image", &at))
		rc = import_text(im, &at, &image);
	if (rc < 0)
		return rc;
	if (image && str_eq(image, ASH_IMAGE)) {
		import_note(im, &at, "ash's own image; the programs of the host take its place");
		image = NULL;
	}
	if (image)
		rc = import_put_text(im, &at, "image", image, NULL);
	if (rc < 0)
		return rc;
	if (runtime->to)
		return import_put_text(im, sandbox, "runtime", runtime->to, "ash's runsc");
	if (image)
		return import_put_text(im, sandbox, "runtime", "docker", "which has the image");
	return import_put_text(im, sandbox, "runtime", "auto",
		"ash's runc under docker is not needed: ward's own engine isolates as well");
}

static int read_sandbox(struct import *im, const struct import_at *at)
{
	struct import_at sandbox = *at;
	int rc;

	sandbox.notes = NULL;
	rc = import_walk(im, &sandbox, sandbox_keys);
	return rc < 0 ? rc : put_runtime(im, &sandbox);
}

static int read_workspace(struct import *im, const struct import_at *at)
{
	struct import_at workspace = *at;

	workspace.notes = NULL;
	return import_put(im, &workspace, "workspacePath", NULL, NULL);
}

static const struct import_key top_keys[] = {
	{"sandbox", .read = read_sandbox},
	{"workspace", .read = read_workspace},
	{"models", .note = FRAMEWORK},
	{"anthropic", .note = FRAMEWORK},
	{"openai", .note = FRAMEWORK},
	{"default_llm", .note = FRAMEWORK},
	{"fallback_llm", .note = FRAMEWORK},
	{"telegram", .note = FRAMEWORK},
	{"server", .note = FRAMEWORK},
	{"memory", .note = FRAMEWORK},
	{"embeddings", .note = FRAMEWORK},
	{"brave_search", .note = FRAMEWORK},
	{"parallel_search", .note = FRAMEWORK},
	{"agents", .note = FRAMEWORK},
	{"skills", .note = FRAMEWORK},
	{"browser", .note = FRAMEWORK},
	{"conversation", .note = FRAMEWORK},
	{"sessions", .note = FRAMEWORK},
	{"sentry", .note = FRAMEWORK},
	{"image", .note = FRAMEWORK},
	{"todo", .note = FRAMEWORK},
	{"capabilities", .note = FRAMEWORK},
	{"timezone", .note = FRAMEWORK},
	{0},
};

static const struct {
	const char *to;
	const char *json5;
	const char *remark;
} defaults[] = {
	{"mode", "\"all\"", "ash runs nothing outside a sandbox"},
	{"runtime", "\"auto\"",
		"ash's runc under docker is not needed: ward's own engine isolates as well"},
	{"workspace", "\"rw\"", ASH_DEFAULT},
	{"readOnlyRoot", "true", ASH_FIXED},
	{"user", "\"1000:1000\"", ASH_FIXED},
	{"capDrop", "[\"ALL\"]", ASH_FIXED},
	{"resources.memory", "\"512M\"", ASH_DEFAULT},
	{"resources.cpus", "1", ASH_DEFAULT},
	{"resources.pids", "100", ASH_FIXED},
	{"network.mode", "\"none\"", ASH_DEFAULT},
	{"timeout", "\"60s\"", ASH_DEFAULT},
};

static const char *const tmpfs[] = {"/tmp:size=64m,noexec", "/home/sandbox:size=64m,noexec",
	"/var/tmp:size=32m,noexec", "/run:size=16m,noexec"};

int import_ash(struct import *im, const struct import_at *at)
{
	struct import_at all = *at;
	struct import_entry *list;
	int rc = import_walk(im, at, top_keys);

	all.notes = NULL;
	if (rc == 0)
		rc = import_put_open(im, &all, "tmpfs", '[', ASH_FIXED, &list);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < ARRAY_LEN(tmpfs); i++)
		import_put_item(im, &all, list, tmpfs[i]);
	for (size_t i = 0; i < ARRAY_LEN(defaults); i++)
		import_put_default(im, all.agent, IMPORT_SANDBOX, defaults[i].to, defaults[i].json5,
			defaults[i].remark);
	return 0;
}
