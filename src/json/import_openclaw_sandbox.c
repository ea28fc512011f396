/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import_systems.h"

#include "base/str.h"
#include "json/import_put.h"

/*
 * openclaw's `sandbox`, of one agent or of all. Docker is its first engine, so most of it stands
 * below `docker`; ward's own engine takes its place unless an image is named that only docker has.
 * Read as well: the short form {mode, scope, workspace, binds}.
 */

static const struct import_word modes[] = {
	{"off", "off", NULL}, {"non-main", "non-main", NULL}, {"all", "all", NULL}, {0}};
static const struct import_word scopes[] = {
	{"session", "session", NULL}, {"agent", "agent", NULL}, {"shared", "shared", NULL}, {0}};
static const struct import_word accesses[] = {
	{"none", "none", NULL}, {"ro", "ro", NULL}, {"rw", "rw", NULL}, {0}};

static int read_per_session(struct import *im, const struct import_at *at)
{
	bool per_session;
	int rc = import_bool(im, at, &per_session);

	if (rc < 0)
		return rc;
	return import_put_text(im, at, "scope", per_session ? "session" : "shared", NULL);
}

#define BROWSER_NOTE "the browser of ward has no such setting"
static const struct import_key browser_keys[] = {
	{"enabled", .to = "browser.enabled"},
	{"image", .to = "browser.image"},
	{"cdpPort", .to = "browser.cdpPort"},
	{"vncPort", .to = "browser.vncPort"},
	{"noVncPort", .to = "browser.noVncPort"},
	{"headless", .to = "browser.headless"},
	{"enableNoVnc", .to = "browser.enableNoVnc"},
	{"noVncEnabled", .to = "browser.enableNoVnc"},
	{"autoStart", .to = "browser.autoStart"},
	{"autoStartTimeoutMs", .note = BROWSER_NOTE},
	{"containerPrefix", .note = BROWSER_NOTE},
	{"network", .note = BROWSER_NOTE},
	{"cdpSourceRange", .note = BROWSER_NOTE},
	{"binds", .note = BROWSER_NOTE},
	{"allowHostControl", .note = "the browser on the host stays out of reach"},
	{"allowedControlUrls", .note = BROWSER_NOTE},
	{"allowedControlHosts", .note = BROWSER_NOTE},
	{"allowedControlPorts", .note = BROWSER_NOTE},
	{0},
};

static const struct import_key prune_keys[] = {
	{"idleHours", .to = "prune.idle", .unit = "h"},
	{"maxAgeDays", .to = "prune.age", .unit = "d"},
	{0},
};

/* An older place of tools.sandbox.tools. */
static int read_tools(struct import *im, const struct import_at *at)
{
	struct import_at tools = *at;

	tools.part = IMPORT_TOOLS;
	return import_openclaw_sandbox_tools(im, &tools);
}

static const struct import_key sandbox_keys[] = {
	{"mode", .to = "mode", .words = modes},
	{"scope", .to = "scope", .words = scopes},
	{"perSession", .read = read_per_session},
	{"backend", .read = import_skip},
	{"workspaceAccess", .to = "workspace", .words = accesses},
	{"workspace", .to = "workspace", .words = accesses},
	{"workspaceRoot", .note = "private workspaces live in ward's own state folder"},
	{"sessionToolsVisibility", .note = "a matter of the framework"},
	{"binds", .read = import_openclaw_binds},
	{"docker", .read = import_openclaw_docker},
	{"ssh", .note = "ward runs nothing on other machines"},
	{"browser", .keys = browser_keys},
	{"prune", .keys = prune_keys},
	{"tools", .read = read_tools},
	{0},
};

static const struct import_word backends[] = {{"docker", "docker", NULL},
	{"podman", "podman", NULL}, {"ssh", NULL, NULL}, {"openshell", NULL, NULL}, {0}};

static bool is_stock_image(const char *image)
{
	static const char *const stock[] = {
		"openclaw-sandbox:", "openclaw-sandbox-common:", "moltbot-sandbox:",
		"moltbot-sandbox-common:", "clawdbot-sandbox:", "clawdbot-sandbox-common:"};

	for (size_t i = 0; i < ARRAY_LEN(stock); i++)
		if (str_starts(image, stock[i]))
			return true;
	return false;
}

/* NULL: none is named, or openclaw's own. */
static int read_image(struct import *im, const struct import_at *sandbox, const char **ret)
{
	struct import_at docker, image;
	const char *text;
	int rc;

	*ret = NULL;
	if (!import_member(im, sandbox, "docker", &docker) ||
		!import_member(im, &docker, "image", &image))
		return 0;
	rc = import_text(im, &image, &text);
	if (rc < 0)
		return rc;
	if (!is_stock_image(text)) {
		*ret = text;
		return import_put_text(im, &image, "image", text, NULL);
	}
	import_note(
		im, &image, "%s's own image; the programs of the host take its place", im->system);
	/* An agent may come back from an image that holds for all the others. */
	return sandbox->agent->id ? import_put_text(im, &image, "image", "host", NULL) : 0;
}

static int read_backend(
	struct import *im, const struct import_at *sandbox, const struct import_word **ret)
{
	struct import_at at;
	int rc;

	*ret = &backends[0];
	if (!import_member(im, sandbox, "backend", &at))
		return 0;
	rc = import_find_word(im, &at, backends, ret);
	if (rc < 0)
		return rc;
	if (!(*ret)->to)
		import_note(im, &at, "no equal; auto takes the best that this machine has");
	else if (str_eq((*ret)->to, "docker"))
		import_note(im, &at, "not needed, since ward's own engine isolates as well");
	return 0;
}

/* backend and docker.image together say what runs the sandbox. */
static int put_runtime(struct import *im, const struct import_at *sandbox)
{
	const struct import_word *backend;
	const char *image;
	int rc = read_backend(im, sandbox, &backend);

	if (rc == 0)
		rc = read_image(im, sandbox, &image);
	if (rc < 0)
		return rc;
	if (str_eq(backend->to, "podman"))
		return import_put_text(im, sandbox, "runtime", "podman", NULL);
	if (image && backend->to)
		return import_put_text(im, sandbox, "runtime", "docker", "which has the image");
	if (sandbox->agent->id && import_doc_find(&sandbox->agent->parts[IMPORT_SANDBOX], "image"))
		return import_put_text(im, sandbox, "runtime", "auto", NULL);
	return 0;
}

int import_openclaw_sandbox(struct import *im, const struct import_at *at)
{
	struct import_at sandbox = *at;
	int rc;

	sandbox.part = IMPORT_SANDBOX;
	sandbox.notes = NULL;
	rc = import_walk(im, &sandbox, sandbox_keys);
	return rc < 0 ? rc : put_runtime(im, &sandbox);
}
