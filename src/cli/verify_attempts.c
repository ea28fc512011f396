/* SPDX-License-Identifier: Apache-2.0 */

/* The attempts that are one payload and one look at the host each, as rows. */

#include "base/cleanup.h"
#include "base/str.h"
#include "cli/verify.h"
#include "model/protect.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const verify_result_names[] = {
	"held", "GOT THROUGH", "not tried", "not asked for", "not enforced", NULL};
const char *const verify_result_keys[] = {
	"held", "through", "notTried", "notAsked", "notEnforced", NULL};

_Static_assert(ARRAY_LEN(verify_result_names) == VERIFY_RESULTS + 1, "a name for each");
_Static_assert(ARRAY_LEN(verify_result_keys) == VERIFY_RESULTS + 1, "a key for each");

void verify_add(struct verify *v, enum layer_id layer, const char *name, enum verify_result result,
	const char *why)
{
	if (v->row_count < VERIFY_ROWS)
		v->rows[v->row_count++] = (struct verify_row){
			layer, name, result, result == VERIFY_HELD ? NULL : why};
}

static enum verify_result through(bool yes)
{
	return yes ? VERIFY_THROUGH : VERIFY_HELD;
}

/* The secret came out. */
static enum verify_result token_seen(
	struct verify *v, const struct verify_attempt *a, const struct verify_run *r)
{
	(void)a;
	return through(strstr(r->out, v->stage.token) != NULL);
}

/* The processes' names are cut by the kernel. */
static enum verify_result name_seen(
	struct verify *v, const struct verify_attempt *a, const struct verify_run *r)
{
	char name[16];

	(void)a;
	snprintf(name, sizeof name, "%.15s", v->stage.token);
	return through(strstr(r->out, name) != NULL);
}

static enum verify_result any_open(
	struct verify *v, const struct verify_attempt *a, const struct verify_run *r)
{
	(void)v;
	(void)a;
	return through(r->out_len > 0);
}

/* The path of the attempt's n-th argument, on the host. */
static const char *host_path(struct verify *v, const struct verify_attempt *a, int n)
{
	return verify_stage_text(v, a->payload[n], VERIFY_HOST);
}

/* The very file of the host was opened. */
static enum verify_result same_file(
	struct verify *v, const struct verify_attempt *a, const struct verify_run *r)
{
	struct stat st;
	char text[64];

	if (stat(host_path(v, a, 1), &st) < 0)
		return VERIFY_HELD;
	snprintf(text, sizeof text, "%llu:%llu\n", (unsigned long long)st.st_dev,
		(unsigned long long)st.st_ino);
	return through(str_eq(r->out, text));
}

/* The file on the host is no longer what it was; it is mended. */
static enum verify_result changed(
	struct verify *v, const struct verify_attempt *a, const struct verify_run *r)
{
	const struct verify_stage *s = &v->stage;
	auto_fd int fd = open(host_path(v, a, 1), O_RDWR | O_CLOEXEC);
	char text[128] = "";
	size_t len = strlen(s->token);

	(void)r;
	if (fd < 0 || read(fd, text, sizeof text - 1) < 0 || !str_eq(text, s->token)) {
		if (fd < 0 || ftruncate(fd, 0) < 0 || pwrite(fd, s->token, len, 0) != (ssize_t)len)
			return VERIFY_THROUGH;
		return VERIFY_THROUGH;
	}
	return VERIFY_HELD;
}

static bool is_there(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return false;
	unlink(path);
	return true;
}

/* A file is on the host that was not; it is removed again. */
static enum verify_result appeared(
	struct verify *v, const struct verify_attempt *a, const struct verify_run *r)
{
	(void)r;
	return through(is_there(host_path(v, a, 1)));
}

static enum verify_result second_appeared(
	struct verify *v, const struct verify_attempt *a, const struct verify_run *r)
{
	(void)r;
	unlink(host_path(v, a, 1));
	return through(is_there(host_path(v, a, 2)));
}

static enum verify_result has_mode(
	struct verify *v, const struct verify_attempt *a, const struct verify_run *r)
{
	const char *path = host_path(v, a, 1);
	struct stat st;
	bool yes = lstat(path, &st) == 0 && st.st_mode & (S_ISUID | S_ISGID);

	(void)r;
	unlink(path);
	return through(yes);
}

static enum verify_result heard(
	struct verify *v, const struct verify_attempt *a, const struct verify_run *r)
{
	(void)a;
	(void)r;
	return through(verify_stage_heard(&v->stage));
}

static enum verify_result victim_hit(
	struct verify *v, const struct verify_attempt *a, const struct verify_run *r)
{
	(void)a;
	(void)r;
	return through(verify_stage_hit(&v->stage));
}

static enum verify_result signal_came(
	struct verify *v, const struct verify_attempt *a, const struct verify_run *r)
{
	(void)v;
	(void)a;
	(void)r;
	return through(verify_stage_signalled());
}

/* Only the payload knows. */
static enum verify_result payload_says(
	struct verify *v, const struct verify_attempt *a, const struct verify_run *r)
{
	(void)v;
	(void)a;
	return through(r->exit_code == 0);
}

/* Init went on, and so the payload came to its own end. */
static enum verify_result ended_early(
	struct verify *v, const struct verify_attempt *a, const struct verify_run *r)
{
	(void)v;
	(void)a;
	return through(r->ran && r->exit_code != 1 && r->exit_code != 2);
}

/* Controls, where it is not the same attempt on the host. */

/* What the calling user could do; it is not done. */
static bool host_writable(struct verify *v, const struct verify_attempt *a)
{
	char path[2 * VERIFY_PATH];
	char *slash;

	snprintf(path, sizeof path, "%s", host_path(v, a, 1));
	if (access(path, F_OK) == 0)
		return access(path, W_OK) == 0;
	slash = strrchr(path, '/');
	if (!slash || slash == path)
		return false;
	*slash = '\0';
	return access(path, W_OK) == 0;
}

/* The payload works inside where it is allowed to. */
static bool inside_works(struct verify *v, const struct verify_attempt *a)
{
	static const char *const payload[] = {"create", "/tmp/control", NULL};
	struct verify_run r;

	(void)a;
	verify_run_inside(v, payload, NULL, &r);
	return r.ran && r.exit_code == 0;
}

/* A name that nobody protects can be made in the workspace. */
static bool workspace_works(struct verify *v, const struct verify_attempt *a)
{
	static const char *const payload[] = {"create", "{workspace}/plain", NULL};
	struct verify_run r;

	(void)a;
	verify_run_inside(v, payload, NULL, &r);
	return is_there(verify_stage_text(v, payload[1], VERIFY_HOST));
}

/* That the payload ran is enough: nothing may be there by which it could succeed. */
static bool nothing_to_show(struct verify *v, const struct verify_attempt *a)
{
	(void)v;
	(void)a;
	return true;
}

/* In one run something is left, in the next it is looked for. */
static bool leaves_something(struct verify *v, const struct verify_attempt *a)
{
	static const char *const payload[] = {"leave", "{token}", NULL};
	struct verify_run r;

	(void)a;
	verify_run_inside(v, payload, NULL, &r);
	return r.ran && r.exit_code == 0;
}

/* What the policy promises. */

static bool has_workspace(const struct verify *v)
{
	return v->plan.workspace == WORKSPACE_RW;
}

static bool read_only_workspace(const struct verify *v)
{
	return v->plan.workspace == WORKSPACE_RO;
}

static bool read_only_root(const struct verify *v)
{
	return v->plan.read_only_root;
}

static bool protects(const struct verify *v, const char *path)
{
	const struct plan *p = &v->plan;

	return has_workspace(v) &&
	       protect_place(p->protect, p->protect_count, path) >= PROTECT_FOLDER;
}

static bool protects_envrc(const struct verify *v)
{
	return protects(v, ".envrc");
}

static bool protects_hooks(const struct verify *v)
{
	return protects(v, ".git/hooks/post-checkout");
}

static bool protects_config(const struct verify *v)
{
	return protects(v, ".git/config");
}

static bool hides_env(const struct verify *v)
{
	return v->plan.workspace != WORKSPACE_NONE &&
	       protect_place(v->plan.hide, v->plan.hide_count, ".env") >= PROTECT_FOLDER;
}

static bool shows_workspace(const struct verify *v)
{
	return v->plan.workspace != WORKSPACE_NONE;
}

static bool scopes_signals(const struct verify *v)
{
	return v->plan.landlock_abi >= 6;
}

static bool keeps_variables(const struct verify *v)
{
	return !v->passes_all;
}

#define NEW "/.ward-verify-{token}"

static const struct verify_attempt attempts[] = {
	{LAYER_FILESYSTEM, "read a file outside", {"read", "{outside}/canary"},
		.judge = token_seen},
	{LAYER_FILESYSTEM, "read it through /proc", {"read", "/proc/self/root{outside}/canary"},
		.judge = token_seen},
	{LAYER_FILESYSTEM, "read it by the root of process 1",
		{"read", "/proc/1/root{outside}/canary"}, .control = nothing_to_show,
		.judge = token_seen},
	{LAYER_FILESYSTEM, "read it by a link in the workspace",
		{"read", "{workspace}/link/canary"}, .asked = shows_workspace, .judge = token_seen},
	{LAYER_FILESYSTEM, "read it by way of ..",
		{"read", "/tmp/../../../../../..{outside}/canary"}, .judge = token_seen},
	{LAYER_FILESYSTEM, "read the passwords of the host", {"identify", "/etc/shadow"},
		.judge = same_file},
	{LAYER_FILESYSTEM, "open the caller's home", {"identify", "{home}"}, .judge = same_file},
	{LAYER_FILESYSTEM, "open the keys of the caller", {"identify", "{home}/.ssh"},
		.judge = same_file},
	{LAYER_FILESYSTEM, "read a hidden file of the workspace", {"read", "{workspace}/.env"},
		.asked = hides_env, .judge = token_seen},
	{LAYER_FILESYSTEM, "change a file outside", {"append", "{outside}/canary"},
		.judge = changed},
	{LAYER_FILESYSTEM, "create a file outside", {"create", "{outside}" NEW}, .judge = appeared},
	{LAYER_FILESYSTEM, "create one by a link in the workspace",
		{"create", "{workspace}/link" NEW}, .asked = has_workspace, .judge = appeared},
	{LAYER_FILESYSTEM, "create a file in /usr", {"create", "/usr" NEW},
		.control = host_writable, .judge = appeared},
	{LAYER_FILESYSTEM, "create a file in /etc", {"create", "/etc" NEW},
		.control = host_writable, .judge = appeared},
	{LAYER_FILESYSTEM, "create a file in the caller's home", {"create", "{home}" NEW},
		.control = host_writable, .judge = appeared},
	{LAYER_FILESYSTEM, "write to the root", {"create", NEW}, .asked = read_only_root,
		.control = inside_works, .judge = payload_says},
	{LAYER_FILESYSTEM, "change a program of the host", {"open-for-writing", "/usr/bin/env"},
		.control = host_writable, .judge = payload_says},
	{LAYER_FILESYSTEM, "set a value of the kernel",
		{"open-for-writing", "/proc/sys/kernel/core_pattern"}, .control = host_writable,
		.judge = payload_says},
	{LAYER_FILESYSTEM, "write into a read-only workspace", {"create", "{workspace}/plain"},
		.asked = read_only_workspace, .judge = appeared},
	{LAYER_FILESYSTEM, "create the protected .envrc", {"create", "{workspace}/.envrc"},
		.asked = protects_envrc, .control = workspace_works, .judge = appeared},
	{LAYER_FILESYSTEM, "rename a file to .envrc",
		{"rename", "{workspace}/plain", "{workspace}/.envrc"}, .asked = protects_envrc,
		.control = workspace_works, .judge = second_appeared},
	{LAYER_FILESYSTEM, "link a file as .envrc",
		{"link", "{workspace}/plain", "{workspace}/.envrc"}, .asked = protects_envrc,
		.control = workspace_works, .judge = second_appeared},
	{LAYER_FILESYSTEM, "create a hook of git",
		{"create", "{workspace}/.git/hooks/post-checkout"}, .asked = protects_hooks,
		.control = workspace_works, .judge = appeared},
	{LAYER_FILESYSTEM, "change the configuration of git", {"append", "{workspace}/.git/config"},
		.asked = protects_config, .control = workspace_works, .judge = changed},
	{LAYER_FILESYSTEM, "make a set-user-id program", {"mode", "/tmp/uid", "uid"},
		.control = inside_works, .judge = payload_says},
	{LAYER_FILESYSTEM, "make a device", {"device", "/tmp/device"}, .control = inside_works,
		.judge = payload_says},
	{LAYER_FILESYSTEM, "leave a set-user-id program", {"mode", "{workspace}/bin/uid", "uid"},
		.asked = has_workspace, .judge = has_mode},
	{LAYER_FILESYSTEM, "leave a set-group-id program", {"mode", "{workspace}/bin/gid", "gid"},
		.asked = has_workspace, .judge = has_mode},
	{LAYER_FILESYSTEM, "leave a device", {"device", "{workspace}/bin/device"},
		.asked = has_workspace, .judge = appeared},
	{LAYER_FILESYSTEM, "keep a file from one run to the next", {"find-left", "{token}"},
		.control = leaves_something, .judge = payload_says},

	{LAYER_LANDLOCK, "change a name while it is judged",
		{"race", "/tmp/plain", "{workspace}/.envrc"}, .asked = protects_envrc,
		.control = workspace_works, .judge = second_appeared},
	{LAYER_LANDLOCK, "reach init with a signal", {"touch-init"}, .asked = scopes_signals,
		.control = nothing_to_show, .judge = payload_says},

	{LAYER_NETWORK, "reach 127.0.0.1 of the host", {"tcp", "127.0.0.1", "{tcp4}"},
		.judge = heard},
	{LAYER_NETWORK, "reach ::1 of the host", {"tcp", "::1", "{tcp6}"}, .judge = heard},
	{LAYER_NETWORK, "send a datagram to the host", {"udp", "127.0.0.1", "{udp}"},
		.judge = heard},
	{LAYER_NETWORK, "reach a unix socket by its abstract name", {"abstract", "{token}"},
		.judge = heard},
	{LAYER_NETWORK, "reach a unix socket outside", {"unix", "{outside}/socket"},
		.judge = heard},
	{LAYER_NETWORK, "reach the metadata of a cloud", {"tcp", "169.254.169.254", "80"},
		.control = nothing_to_show, .judge = payload_says},
	{LAYER_NETWORK, "ask a name server", {"udp", "192.0.2.53", "53"},
		.control = nothing_to_show, .judge = payload_says},
	{LAYER_NETWORK, "reach an address of the internet", {"tcp", "192.0.2.1", "443"},
		.control = nothing_to_show, .judge = payload_says},

	{LAYER_PROCESSES, "see processes of the host", {"processes"}, .judge = name_seen},
	{LAYER_PROCESSES, "end a process of the host", {"signal", "{victim}", "end"},
		.judge = victim_hit},
	{LAYER_PROCESSES, "end all processes", {"signal-all"}, .control = nothing_to_show,
		.judge = victim_hit},
	{LAYER_PROCESSES, "signal the caller", {"signal", "{caller}", "urgent"},
		.judge = signal_came},
	{LAYER_PROCESSES, "end init", {"kill-init"}, .control = nothing_to_show,
		.judge = ended_early},
	{LAYER_PROCESSES, "read a variable of the caller's environment", {"environment"},
		.asked = keeps_variables, .judge = token_seen},
	{LAYER_PROCESSES, "use a descriptor of the caller", {"descriptors"}, .judge = any_open},
	{LAYER_PROCESSES, "become root", {"become-root"}, .control = nothing_to_show,
		.judge = payload_says},
};

static bool control_works(struct verify *v, const struct verify_attempt *a)
{
	struct verify_run r;

	if (a->control)
		return a->control(v, a);
	verify_run_host(v, a->payload, &r);
	return r.ran && a->judge(v, a, &r) == VERIFY_THROUGH;
}

static void attempt(struct verify *v, const struct verify_attempt *a)
{
	struct verify_run r;
	enum verify_result result;

	if (str_eq(v->mechanism[a->layer], "none")) {
		verify_add(v, a->layer, a->name, VERIFY_NOT_ENFORCED, NULL);
		return;
	}
	if (a->asked && !a->asked(v)) {
		verify_add(v, a->layer, a->name, VERIFY_NOT_ASKED, NULL);
		return;
	}
	if (!control_works(v, a)) {
		verify_add(v, a->layer, a->name, VERIFY_NOT_TRIED,
			a->control && a->control != host_writable
				? "the control did not work inside the sandbox"
				: "it does not work without a sandbox either");
		return;
	}
	verify_run_inside(v, a->payload, NULL, &r);
	result = a->judge(v, a, &r);
	if (result == VERIFY_HELD && (!r.ran || r.exit_code > 1))
		result = VERIFY_NOT_TRIED;
	verify_add(v, a->layer, a->name, result, r.error);
}

void verify_attempts(struct verify *v)
{
	for (size_t i = 0; i < ARRAY_LEN(attempts) && !verify_stage_stopped(); i++)
		attempt(v, &attempts[i]);
}
