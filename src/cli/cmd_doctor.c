/* SPDX-License-Identifier: Apache-2.0 */

/* ward doctor: what this machine offers to a sandbox, what is missing, and how to mend it. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "door/load.h"
#include "door/trial.h"
#include "json/machine_json.h"
#include "json/write.h"
#include "model/runtime.h"
#include "runtime/probe.h"

#include <string.h>

struct doctor_options {
	struct opt_text machine;
	struct opt_bool strict;
	struct opt_bool json;
};

static const struct field doctor_options[] = {
	{"machine", F_TEXT(struct doctor_options, machine, .arg = "FILE",
			    .help = "judge the machine that FILE describes (an earlier 'ward "
				    "doctor --json')")},
	{"strict", F_BOOL(struct doctor_options, strict,
			   .help = "exit with status 1 also when something is only limited, or an "
				   "engine has a warning")},
	OPTION_JSON(struct doctor_options),
	{0},
};

enum state { STATE_OK, STATE_LIMITED, STATE_MISSING };

static const struct {
	const char *word;
	enum view_tone tone;
} states[] = {
	[STATE_OK] = {"ok", VIEW_GOOD},
	[STATE_LIMITED] = {"limited", VIEW_CARE},
	[STATE_MISSING] = {"missing", VIEW_BAD},
};

/* What was found, for the last line and the exit status. */
struct findings {
	bool complete; /* every layer of the default policy is enforced by the native sandbox */
	unsigned limited;
	unsigned warnings;
	bool tried;       /* a sandbox was made; not when the machine is another one */
	struct err trial; /* why that failed; code 0: it did not */
};

static enum state facility_state(const struct machine *m, enum facility f)
{
	if (m->facility[f] == REASON_OK || m->facility[f] == REASON_NOT_NEEDED)
		return STATE_OK;
	return facility_rows[f].essential ? STATE_MISSING : STATE_LIMITED;
}

static struct findings find(const struct machine *m)
{
	struct engine_notice notices[ENGINE_NOTICES_MAX];
	struct findings found = {.complete = true};

	for (enum layer_id l = 0; l < LAYER_DEFAULT_COUNT; l++)
		found.complete &= machine_layer(m, l).enforced;
	for (enum facility f = 0; f < FACILITY_COUNT; f++)
		found.limited += facility_state(m, f) != STATE_OK;
	for (enum engine e = 0; e < ENGINE_COUNT; e++) {
		size_t n = m->engine[e].path[0]
				   ? engine_notices(e, m->engine[e].version, m->date, notices)
				   : 0;

		while (n-- > 0)
			found.warnings += notices[n].kind == ENGINE_WARNING;
	}
	return found;
}

#define LINE_WIDTH 96
#define INDENT 6

/* A text under a row, wrapped between words. */
static void put_wrapped(struct call *c, enum view_tone tone, const char *label, const char *text)
{
	size_t column = INDENT + strlen(label);

	buf_printf(c->out, "%*s", INDENT, "");
	view_tone(c, tone, label);
	while (*text) {
		size_t len = strcspn(text, " ");

		if (column + 1 + len > LINE_WIDTH) {
			buf_printf(c->out, "\n%*s", INDENT + 2, "");
			column = INDENT + 2;
		} else if (column > INDENT) {
			buf_putc(c->out, ' ');
			column++;
		}
		buf_add(c->out, text, len);
		column += len;
		text += len + strspn(text + len, " ");
	}
	buf_putc(c->out, '\n');
}

static void note(struct call *c, const char *label, const char *text)
{
	if (text)
		put_wrapped(c, VIEW_DIM, label, text);
}

static void state_row(struct call *c, const char *label, enum state state, const char *text)
{
	buf_printf(c->out, "  %-33s ", label);
	view_tone(c, states[state].tone, states[state].word);
	if (text)
		buf_printf(c->out, "%*s%s", state == STATE_OK ? 7 : 2, "", text);
	buf_putc(c->out, '\n');
}

static void show_machine(struct call *c, const struct machine *m)
{
	auto_(buf_free) struct buf text = BUF(512);
	char memory[NUMBER_TEXT];

	view_heading(c, "Machine");
	buf_printf(&text, "%s %s", m->kernel, m->arch);
	view_row(c, "kernel", buf_text(&text));
	buf_reset(&text);
	buf_printf(&text, "%s%s%s%s%s", m->distribution[0] ? m->distribution : "unknown",
		m->distribution_version[0] ? " " : "", m->distribution_version,
		m->container[0] ? ", inside a container: " : "", m->container);
	view_row(c, "system", buf_text(&text));
	number_size_text(m->memory >> 20 << 20, memory);
	buf_reset(&text);
	buf_printf(&text, "%u, %s", m->cpus, memory);
	view_row(c, "cpus, memory", buf_text(&text));
	view_row(c, "AppArmor", m->apparmor ? "active" : "not active");
	view_row(c, "cgroups", cgroup_layout_names[m->cgroup]);
	view_row(c, "running as", m->root ? "root" : "an ordinary user");
}

static void show_facilities(struct call *c, const struct machine *m)
{
	bool old = !machine_kernel_at_least(m, MACHINE_KERNEL_MAJOR, MACHINE_KERNEL_MINOR);

	view_heading(c, "Kernel");
	state_row(c, "kernel 5.15 or newer", old ? STATE_MISSING : STATE_OK, NULL);
	if (old) {
		note(c, "then:", "no native sandbox");
		note(c, "mend:", "use a newer kernel, or another runtime such as podman");
	}
	for (enum facility f = 0; f < FACILITY_COUNT; f++) {
		enum state state = facility_state(m, f);

		state_row(c, facility_rows[f].label, state, machine_why(m, f));
		if (state == STATE_OK)
			continue;
		note(c, "then:", facility_rows[f].consequence);
		note(c, "mend:", machine_remedy(m, f));
	}
}

static void show_settings(struct call *c, const struct machine *m)
{
	view_heading(c, "Settings");
	for (enum setting s = 0; s < SETTING_COUNT; s++) {
		if (m->setting[s] == MACHINE_NO_SETTING)
			continue;
		buf_printf(c->out, "  %s = %lld\n", setting_rows[s].name, (long long)m->setting[s]);
		note(c, "", setting_rows[s].meaning);
	}
}

static void show_layers(struct call *c, const struct machine *m)
{
	view_heading(c, "Layers of the native sandbox");
	for (enum layer_id l = 0; l < LAYER_COUNT; l++) {
		struct layer_answer a = machine_layer(m, l);

		buf_printf(c->out, "  %-20s ", layer_names[l]);
		view_tone(c,
			a.enforced                ? VIEW_GOOD
			: l < LAYER_DEFAULT_COUNT ? VIEW_BAD
						  : VIEW_CARE,
			a.enforced ? a.mechanism : "not enforced");
		buf_printf(c->out, "%s%s\n", a.why ? ": " : "", a.why ? a.why : "");
	}
}

static void show_runtimes(struct call *c, const struct machine *m)
{
	view_heading(c, "Runtimes");
	for (enum runtime r = 0; r < RUNTIME_COUNT; r++) {
		const char *why = NULL;
		bool there = runtime_available(m, r, &why, NULL);

		buf_printf(c->out, "  %-20s ", runtime_names[r]);
		view_tone(c, there ? VIEW_GOOD : VIEW_DIM, there ? "available" : "not available");
		buf_printf(c->out, "%s%s\n", there ? "" : ": ", there ? "" : why);
	}
	note(c, "note:", "this version runs commands with 'native' only, and on the host");
}

static void show_engine(struct call *c, const struct machine *m, enum engine e)
{
	struct engine_notice notices[ENGINE_NOTICES_MAX];
	const struct machine_engine *engine = &m->engine[e];
	size_t count = engine_notices(e, engine->version, m->date, notices);

	buf_printf(c->out, "  %-20s ", engine_rows[e].product);
	escape_text(c->out, engine->version[0] ? engine->version : "unknown version");
	buf_puts(c->out, "  ");
	escape_text(c->out, engine->path);
	buf_putc(c->out, '\n');
	for (size_t i = 0; i < count; i++) {
		auto_(buf_free) struct buf text = BUF(2048);

		escape_text(&text, notices[i].text);
		if (notices[i].kind == ENGINE_WARNING)
			put_wrapped(c, VIEW_CARE, "warning:", buf_text(&text));
		else
			note(c, "note:", buf_text(&text));
	}
}

static void show_engines(struct call *c, const struct machine *m)
{
	unsigned shown = 0;

	view_heading(c, "Container engines");
	for (enum engine e = 0; e < ENGINE_COUNT; e++)
		if (m->engine[e].path[0]) {
			show_engine(c, m, e);
			shown++;
		}
	if (!shown)
		buf_puts(c->out, "  none found; the native sandbox needs none\n");
}

static bool is_good(const struct findings *found)
{
	return found->complete && found->trial.code == 0;
}

static void show_trial(struct call *c, const struct findings *found)
{
	if (!found->tried)
		return;
	buf_puts(c->out, "  ");
	if (found->trial.code == 0) {
		view_tone(c, VIEW_GOOD, "a command ran in a sandbox, as a trial");
	} else {
		view_tone(c, VIEW_BAD, "no command can be run, as a trial showed: ");
		escape_text(c->out, found->trial.text);
	}
	buf_putc(c->out, '\n');
}

static void show_result(struct call *c, const struct findings *found)
{
	view_heading(c, "Result");
	show_trial(c, found);
	buf_puts(c->out, "  ");
	if (is_good(found))
		view_tone(c, VIEW_GOOD, "the native sandbox can enforce the default policy here");
	else
		view_tone(c, VIEW_BAD, "the native sandbox cannot enforce the default policy here");
	buf_printf(c->out, "\n  %u facilities limited or missing, %u warnings about engines\n",
		found->limited, found->warnings);
}

static void show(struct call *c, const struct machine *m, const struct findings *found)
{
	show_machine(c, m);
	show_facilities(c, m);
	show_settings(c, m);
	show_layers(c, m);
	show_runtimes(c, m);
	show_engines(c, m);
	show_result(c, found);
}

static void write_layers(struct writer *w, const struct machine *m)
{
	write_object(w, "layers");
	for (enum layer_id l = 0; l < LAYER_COUNT; l++) {
		struct layer_answer a = machine_layer(m, l);

		write_object(w, layer_names[l]);
		write_bool(w, "enforced", a.enforced);
		write_text(w, "mechanism", a.enforced ? a.mechanism : NULL);
		write_text(w, "why", a.why);
		write_text(w, "remedy", a.remedy);
		write_end_object(w);
	}
	write_end_object(w);
}

static void write_missing(struct writer *w, const struct machine *m)
{
	write_list(w, "missing");
	for (enum facility f = 0; f < FACILITY_COUNT; f++) {
		enum state state = facility_state(m, f);

		if (state == STATE_OK)
			continue;
		write_object(w, NULL);
		write_text(w, "facility", facility_rows[f].key);
		write_text(w, "state", states[state].word);
		write_text(w, "why", machine_why(m, f));
		write_text(w, "consequence", facility_rows[f].consequence);
		write_text(w, "remedy", machine_remedy(m, f));
		write_end_object(w);
	}
	write_end_list(w);
}

static void write_notice(struct writer *w, enum engine e, const struct engine_notice *notice)
{
	write_object(w, NULL);
	write_text(w, "engine", engine_rows[e].name);
	write_text(w, "kind", notice->kind == ENGINE_WARNING ? "warning" : "note");
	write_text(w, "ids", notice->ids);
	write_text(w, "text", notice->text);
	write_end_object(w);
}

static void write_notices(struct writer *w, const struct machine *m)
{
	struct engine_notice notices[ENGINE_NOTICES_MAX];

	write_list(w, "warnings");
	for (enum engine e = 0; e < ENGINE_COUNT; e++) {
		size_t n = m->engine[e].path[0]
				   ? engine_notices(e, m->engine[e].version, m->date, notices)
				   : 0;

		for (size_t i = 0; i < n; i++)
			write_notice(w, e, &notices[i]);
	}
	write_end_list(w);
}

static void write_report(struct call *c, const struct machine *m, const struct findings *found)
{
	struct writer w = WRITER(c->out);

	write_object(&w, NULL);
	write_bool(&w, "complete", is_good(found));
	if (found->tried) {
		write_object(&w, "trial");
		write_bool(&w, "ran", found->trial.code == 0);
		write_text(&w, "error", found->trial.code ? found->trial.text : NULL);
		write_end_object(&w);
	}
	machine_json_write(&w, "machine", m);
	write_layers(&w, m);
	write_missing(&w, m);
	write_notices(&w, m);
	write_end_object(&w);
}

static int run_doctor(struct call *c, struct err *e)
{
	const struct doctor_options *o = c->options;
	struct findings found;
	struct machine m;
	int r = 0;

	if (o->machine.v)
		r = load_machine(o->machine.v, &m, e);
	else
		probe_deep(&m);
	if (r < 0)
		return r;
	found = find(&m);
	if (!o->machine.v) {
		found.tried = true;
		if (trial_run(c->arena, &found.trial) == 0)
			found.trial = (struct err){0};
	}
	if (o->json.v)
		write_report(c, &m, &found);
	else
		show(c, &m, &found);
	if (!is_good(&found) || (o->strict.v && (found.limited || found.warnings)))
		return EXIT_FOUND;
	return EXIT_OK;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "what this machine offers, what is missing, how to mend it",
	.options = doctor_options,
	.options_size = sizeof(struct doctor_options),
	.details = "Tries out, in short-lived child processes, what a sandbox needs of the kernel, "
		   "runs a\n"
		   "command in one, and asks the container engines it finds for their versions. "
		   "Nothing is left behind and "
		   "nothing is\n"
		   "changed. Exit status 0: the native sandbox can enforce the default policy "
		   "here; 1: it\n"
		   "cannot, or --strict and something is limited.",
	.examples = "  ward doctor\n"
		    "  ward doctor --strict                 # for continuous integration\n"
		    "  ward doctor --json > machine.json\n"
		    "  ward explain --machine machine.json  # as if on that machine\n",
	.run = run_doctor,
};
