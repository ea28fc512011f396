/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sandbox.h"

#include "base/show.h"
#include "model/bindspec.h"
#include "model/check.h"
#include "model/net.h"
#include "model/netpolicy.h"

const char *const mode_names[] = {"all", "non-main", "off", NULL};
const char *const scope_names[] = {"session", "agent", "shared", NULL};
const char *const denied_names_names[] = {"explain", "nxdomain", NULL};
const char *const workspace_names[] = {"none", "ro", "cow", "rw", NULL};

_Static_assert(ARRAY_LEN(mode_names) == MODE_COUNT + 1, "a name for each mode");
_Static_assert(ARRAY_LEN(scope_names) == SCOPE_COUNT + 1, "a name for each scope");
_Static_assert(ARRAY_LEN(denied_names_names) == DENIED_COUNT + 1, "a name for each");
_Static_assert(ARRAY_LEN(workspace_names) == WORKSPACE_COUNT + 1, "a name for each workspace");

#define DECIDES .support = SUPPORT_FULL
#define ENFORCED .support = SUPPORT_FULL
#define LATER .support = SUPPORT_NONE

static const struct field limits_fields[] = {
	{"memory", F_SIZE(struct limits, memory, ENFORCED, .order = ORDER_LESS, .fallback = "2G",
			   .help = "memory of all processes together")},
	{"swap", F_SIZE(struct limits, swap, ENFORCED, .order = ORDER_LESS, .zero = true,
			 .fallback = "0", .help = "swap space on top of the memory")},
	{"cpus", F_CPUS(struct limits, cpus, ENFORCED, .order = ORDER_LESS, .fallback = "2",
			 .help = "processors' worth of time, such as 0.5")},
	{"pids", F_COUNT(struct limits, pids, ENFORCED, .order = ORDER_LESS, .fallback = "256",
			 .help = "processes and threads")},
	{"disk", F_SIZE(struct limits, disk, ENFORCED, .order = ORDER_LESS, .fallback = "1G",
			 .help = "storage that ward owns: tmpfs, layers, private workspaces")},
	{"inodes", F_COUNT(struct limits, inodes, ENFORCED, .order = ORDER_LESS, .fallback = "100k",
			   .help = "files in that storage")},
	{"files", F_COUNT(struct limits, files, ENFORCED, .order = ORDER_LESS, .fallback = "4096",
			  .help = "open files of one process")},
	{"fileSize", F_SIZE(struct limits, file_size, ENFORCED, .order = ORDER_LESS,
			     .fallback = "none", .help = "size of one file")},
	{0},
};

const struct field budget_fields[] = {
	{"up", F_SIZE(struct budget, up, ENFORCED, .help = "bytes to that name")},
	{"down", F_SIZE(struct budget, down, ENFORCED, .help = "bytes from that name")},
	{"rate", F_SIZE(struct budget, rate, ENFORCED, .help = "bytes in a second, each way")},
	{"connections",
		F_COUNT(struct budget, connections, ENFORCED, .help = "open at the same time")},
	{0},
};

static void show_budget(struct buf *out, const void *value)
{
	const struct budgets *b = value;

	buf_putc(out, '{');
	for (size_t i = 0; i < b->count; i++) {
		const struct budget *row = &b->items[i];
		const char *comma = "";

		buf_puts(out, i ? ", " : "");
		show_string(out, row->name);
		buf_puts(out, ": {");
		for (const struct field *f = budget_fields; f->name; f++) {
			if (!field_where(f, row)->source)
				continue;
			buf_printf(out, "%s\"%s\": ", comma, f->name);
			show_value(out, f, field_at(f, row));
			comma = ", ";
		}
		buf_putc(out, '}');
	}
	buf_putc(out, '}');
}

static void show_caches(struct buf *out, const void *value)
{
	const struct caches *c = value;
	static const struct field list = {.type = FIELD_LIST};

	if (c->names.count > 0)
		show_value(out, &list, &c->names);
	else
		buf_puts(out, c->all ? "true" : "false");
}

static const struct field network_fields[] = {
	{"mode", F_ENUM(struct network, mode, net_mode_names, ENFORCED, .order = ORDER_SPECIAL,
			 .fallback = "none",
			 .help = "none, limited (TCP 80 and 443 to public addresses) or full")},
	{"allow", F_LIST(struct network, allow, ENFORCED, .order = ORDER_SPECIAL,
			  .check = netrule_check_allow, .fallback = "none",
			  .help = "names, *.names, CIDRs, host-service:port; nothing else is "
				  "reachable")},
	{"deny", F_LIST(struct network, deny, ENFORCED, .order = ORDER_MORE, .append = true,
			 .check = netrule_check, .fallback = "[]",
			 .help = "the same forms; deny wins over allow")},
	{"budget", F_SPECIAL(struct network, budget, ENFORCED, .order = ORDER_FIXED,
			   .show = show_budget, .fallback = "none",
			   .help = "bytes up and down, rate and connections per name; *: of all "
				   "others together")},
	{"dns", F_LIST(struct network, dns, ENFORCED, .order = ORDER_FIXED, .check = net_check_dns,
			.fallback = "the host's", .help = "resolvers, used outside the sandbox")},
	{"hosts", F_MAP(struct network, hosts, ENFORCED, .order = ORDER_FIXED,
			  .check = net_check_hosts_value, .check_key = net_check_hosts_name,
			  .fallback = "{}", .help = "name to address")},
	{"publish", F_LIST(struct network, publish, ENFORCED, .order = ORDER_FEWER,
			    .check = net_check_publish, .fallback = "[]",
			    .help = "[address:]port:port, from the host into the sandbox")},
	{"deniedNames", F_ENUM(struct network, denied_names, denied_names_names, ENFORCED,
				.order = ORDER_FIXED, .fallback = "explain",
				.help = "explain: they lead to the guard, which says why not; "
					"nxdomain: there is no such name")},
	{"madeUp", F_LIST(struct network, made_up, ENFORCED, .order = ORDER_FIXED,
			   .check = net_check_made_up, .fallback = "11.0.0.0/8, 3ffe::/16",
			   .help = "what names lead to inside: a block of each family")},
	{0},
};

static const struct field prune_fields[] = {
	{"idle", F_DURATION(struct prune, idle, ENFORCED, .order = ORDER_LESS, .fallback = "24h",
			 .help = "remove a sandbox that was not used for so long")},
	{"age", F_DURATION(struct prune, age, ENFORCED, .order = ORDER_LESS, .fallback = "7d",
			.help = "remove a sandbox that is so old")},
	{0},
};

static const struct field rate_fields[] = {
	{"creates", F_RATE(struct rates, creates, ENFORCED, .order = ORDER_LESS, .fallback = "60/m",
			    .help = "new sandboxes per agent")},
	{"execs", F_RATE(struct rates, execs, ENFORCED, .order = ORDER_LESS, .fallback = "none",
			  .help = "commands per agent")},
	{0},
};

static const struct field browser_fields[] = {
	{"enabled", F_BOOL(struct browser, enabled, LATER, .order = ORDER_FALSE,
			    .fallback = "false", .help = "a browser in a sandbox of its own")},
	{"image", F_TEXT(struct browser, image, LATER, .order = ORDER_FIXED, .check = check_image,
			  .fallback = "host", .help = "what the browser runs in")},
	{"cdpPort", F_COUNT(struct browser, cdp_port, LATER, .order = ORDER_FIXED,
			    .fallback = "9222", .help = "port of the browser's control protocol")},
	{"vncPort", F_COUNT(struct browser, vnc_port, LATER, .order = ORDER_FIXED,
			    .fallback = "5900", .help = "port to watch it by VNC")},
	{"noVncPort", F_COUNT(struct browser, no_vnc_port, LATER, .order = ORDER_FIXED,
			      .fallback = "6080", .help = "port to watch it in another browser")},
	{"headless", F_BOOL(struct browser, headless, LATER, .order = ORDER_FIXED,
			     .fallback = "true", .help = "without a screen")},
	{"enableNoVnc", F_BOOL(struct browser, enable_no_vnc, LATER, .order = ORDER_FALSE,
				.fallback = "false", .help = "offer that port")},
	{"autoStart", F_BOOL(struct browser, auto_start, LATER, .order = ORDER_FALSE,
			      .fallback = "false", .help = "start it with the sandbox")},
	{0},
};

/* Long because it is the whole list of keys. */
const struct field sandbox_fields[] = {
	{"mode",
		F_ENUM(struct sandbox, mode, mode_names, DECIDES, .order = ORDER_NAMES,
			.fallback = "all",
			.help = "which sessions are sandboxed; non-main: all but agent:<id>:main")},
	{"scope", F_ENUM(struct sandbox, scope, scope_names, DECIDES, .order = ORDER_NAMES,
			  .fallback = "session", .help = "which sessions share a sandbox")},
	{"runtime",
		F_TEXT(struct sandbox, runtime, DECIDES, .order = ORDER_FIXED,
			.check = check_runtime, .fallback = "auto",
			.help = "what carries it out: auto, native, docker, docker:<container>, "
				"podman, gvisor, crun, runc, lima, kubernetes, spawn, host")},
	{"fallback", F_LIST(struct sandbox, fallback, DECIDES, .order = ORDER_FEWER,
			     .check = check_runtime, .fallback = "[]",
			     .help = "runtimes to try when the chosen one cannot run")},
	{"require",
		F_LIST(struct sandbox, require, DECIDES, .order = ORDER_MORE, .check = check_layer,
			.fallback = "filesystem network processes syscalls, and every limit that "
				    "was written",
			.help = "layers without which nothing runs")},
	{"profile", F_TEXT(struct sandbox, profile, DECIDES, .order = ORDER_SPECIAL,
			    .check = check_name, .fallback = "standard",
			    .help = "start from this set: trusted, standard, untrusted or one of "
				    "profiles")},
	{"workspace",
		F_ENUM(struct sandbox, workspace, workspace_names, ENFORCED, .order = ORDER_NAMES,
			.fallback = "rw",
			.help = "none (a private folder), ro, cow (changes go to a layer), rw")},
	{"workspacePath", F_TEXT(struct sandbox, workspace_path, ENFORCED, .order = ORDER_FIXED,
				  .check = check_absolute_path, .fallback = "the current folder",
				  .help = "the folder on the host")},
	{"protect", F_LIST(struct sandbox, protect, ENFORCED, .order = ORDER_MORE,
			    .check = check_glob, .fallback = "see below",
			    .help = "names in the workspace that cannot be changed from inside")},
	{"hide", F_LIST(struct sandbox, hide, ENFORCED, .order = ORDER_MORE, .check = check_glob,
			 .fallback = "[]",
			 .help = "names in the workspace that cannot be read inside")},
	{"image",
		F_TEXT(struct sandbox, image, ENFORCED, .order = ORDER_FIXED, .check = check_image,
			.fallback = "host",
			.help = "root file system: host, dir:/path, oci:/path[:tag], a reference")},
	{"startupTimeout",
		F_DURATION(struct sandbox, startup_timeout, ENFORCED, .order = ORDER_LESS,
			.fallback = "60s", .help = "how long a start may take")},
	{"hostPaths", F_LIST(struct sandbox, host_paths, ENFORCED, .order = ORDER_FEWER,
			      .check = check_absolute_path, .fallback = "[]",
			      .help = "more read-only folders of the host, such as a toolchain")},
	{"readOnlyRoot", F_BOOL(struct sandbox, read_only_root, ENFORCED, .order = ORDER_TRUE,
				 .fallback = "true", .help = "false: a throw-away writable layer")},
	{"user", F_TEXT(struct sandbox, user, ENFORCED, .order = ORDER_FIXED, .check = check_user,
			 .fallback = "1000:1000", .help = "uid[:gid] as seen inside")},
	{"capDrop", F_LIST(struct sandbox, cap_drop, LATER, .order = ORDER_MORE,
			    .check = check_capability, .fallback = "[\"ALL\"]",
			    .help = "container runtimes: capabilities to drop")},
	{"capAdd", F_LIST(struct sandbox, cap_add, LATER, .order = ORDER_FEWER,
			   .check = check_capability, .fallback = "[]",
			   .help = "container runtimes: capabilities to keep")},
	{"seccomp", F_TEXT(struct sandbox, seccomp, ENFORCED, .order = ORDER_FIXED,
			    .check = check_seccomp, .fallback = "default",
			    .help = "default, or the path of an OCI profile")},
	{"apparmor", F_TEXT(struct sandbox, apparmor, LATER, .order = ORDER_FIXED,
			     .check = check_name, .fallback = "none", .help = "profile name")},
	{"tmpfs", F_LIST(struct sandbox, tmpfs, ENFORCED, .order = ORDER_FEWER,
			  .check = check_tmpfs, .covers = check_tmpfs_covers,
			  .fallback = "/tmp /var/tmp /run /home/sandbox",
			  .help = "path[:options]; nosuid and nodev always")},
	{"resources", F_OBJECT(struct sandbox, resources, limits_fields, .help = "limits")},
	{"network", F_OBJECT(struct sandbox, network, network_fields, .shorthand = "mode",
			    .help = "none, limited, full, or an object")},
	{"timeout", F_DURATION(struct sandbox, timeout, ENFORCED, .order = ORDER_LESS, .zero = true,
			    .zero_unlimited = true,
			    .fallback = "60s at agent entrances, none for run and shell",
			    .help = "time for one command; 0 = none")},
	{"idleTimeout", F_DURATION(struct sandbox, idle_timeout, ENFORCED, .order = ORDER_LESS,
				.zero = true, .zero_unlimited = true, .fallback = "0",
				.help = "time without output; 0 = none")},
	{"killGrace",
		F_DURATION(struct sandbox, kill_grace, ENFORCED, .order = ORDER_LESS, .zero = true,
			.fallback = "2s", .help = "between the request to end and the kill")},
	{"outputLimit", F_SIZE(struct sandbox, output_limit, ENFORCED, .order = ORDER_LESS,
				.fallback = "10M", .help = "bytes kept of each output stream")},
	{"env", F_MAP(struct sandbox, env, ENFORCED, .order = ORDER_FIXED, .check = check_env_value,
			.check_key = check_env_name, .fallback = "{}",
			.help = "environment variables to set")},
	{"passEnv", F_LIST(struct sandbox, pass_env, ENFORCED, .order = ORDER_FEWER,
			    .check = check_env_pattern, .fallback = "LANG LC_* TERM TZ",
			    .help = "variables of the caller that pass")},
	{"binds", F_LIST(struct sandbox, binds, ENFORCED, .order = ORDER_FEWER, .append = true,
			  .check = bindspec_check, .fallback = "[]",
			  .help = "host:inside[:ro|rw]; system and secret folders are refused")},
	{"allowedBindSources", F_LIST(struct sandbox, allowed_bind_sources, ENFORCED,
				       .order = ORDER_FEWER, .check = bindspec_check_source,
				       .fallback = "[]", .help = "exceptions, by exact folder")},
	{"setupCommand", F_TEXT(struct sandbox, setup_command, ENFORCED, .order = ORDER_FIXED,
				 .fallback = "none", .help = "run once after creation")},
	{"keepAlive", F_BOOL(struct sandbox, keep_alive, ENFORCED, .order = ORDER_FALSE,
			      .fallback = "true", .help = "false: one sandbox per command")},
	{"persistCaches", F_SPECIAL(struct sandbox, persist_caches, ENFORCED, .order = ORDER_FIXED,
				  .show = show_caches, .fallback = "false",
				  .help = "true, or a list of named cache folders")},
	{"prune", F_OBJECT(struct sandbox, prune, prune_fields, .help = "when sandboxes go away")},
	{"rate", F_OBJECT(struct sandbox, rate, rate_fields, .help = "how often")},
	{"pool", F_COUNT(struct sandbox, pool, ENFORCED, .order = ORDER_LESS, .zero = true,
			 .fallback = "0", .help = "sandboxes kept ready")},
	{"browser",
		F_OBJECT(struct sandbox, browser, browser_fields, .help = "the browser sandbox")},
	{0},
};
