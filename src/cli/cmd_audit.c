/* SPDX-License-Identifier: Apache-2.0 */

/* ward audit: what was asked, what was answered and how it ended, from the record that ward keeps;
 * and whether the record is as it was written. */

#include "cli/audit.h"

#define PATTERN(key, about)                                                                \
	{                                                                                  \
#key, F_TEXT(struct audit_options, key, .arg = "PATTERN", .help = (about)) \
	}
#define FOLDER                                                                             \
	{"folder", F_TEXT(struct audit_options, folder, .arg = "DIR",                      \
			   .help = "read the log in DIR, such as a copy, in place of the " \
				   "configured one")},                                     \
		OPTION_CONFIG(struct audit_options), OPTION_SET(struct audit_options)
#define SINCE                                                                                   \
	{"since", F_TEXT(struct audit_options, since, .arg = "TIME",                            \
			  .help = "from TIME on: 10m, 2h, 7d, 2026-11-18, '2026-11-18 10:00', " \
				  "RFC 3339")},                                                 \
	{                                                                                       \
		"until", F_TEXT(struct audit_options, until, .arg = "TIME",                     \
				 .help = "only what began before TIME")                         \
	}
#define WHICH                                                                                \
	PATTERN(session, "only of sessions like PATTERN"),                                   \
		PATTERN(agent, "only of agents like PATTERN"),                               \
		PATTERN(tool, "only of tools like PATTERN"),                                 \
		PATTERN(verdict, "only with that verdict: allow, deny, ask"),                \
		PATTERN(reason, "only decided for that reason, or ended so: mode, timeout, " \
				"'exited 1'"),                                               \
		PATTERN(event, "only such events: begin, deny, approval"),                   \
		PATTERN(host, "only what tried to reach a host like PATTERN"),               \
	{                                                                                    \
		"text", F_TEXT(struct audit_options, text, .arg = "TEXT",                    \
				.help = "only with that text in them")                       \
	}
#define OUTPUT                                                                               \
	{                                                                                    \
		"output", F_TEXT(struct audit_options, output, .letter = 'o', .arg = "FILE", \
				  .help = "write FILE; standard output unless given")        \
	}

static const struct field tail_options[] = {
	{"lines", F_COUNT(struct audit_options, lines, .letter = 'n', .arg = "N",
			  .help = "the last N lines; 20 unless given")},
	{"follow", F_BOOL(struct audit_options, follow, .letter = 'f',
			   .help = "go on with what is written, until interrupted")},
	OPTION_JSON(struct audit_options),
	FOLDER,
	{0},
};

const struct command cmd_audit_tail = {
	.name = "audit tail",
	.summary = "show the last lines of the audit log",
	.options = tail_options,
	.options_size = sizeof(struct audit_options),
	.details = "One line for each line of the log: what was let in or refused, and how it "
		   "ended.\nWith --json the lines as they were written. Times are UTC.",
	.examples = "  ward audit tail -f\n"
		    "  ward audit tail -n 100 --json\n",
	.run = audit_tail,
};

static const struct field query_options[] = {
	WHICH,
	SINCE,
	{"limit", F_COUNT(struct audit_options, limit, .arg = "N",
			  .help = "the last N that match; 100 unless given, 100000 at most")},
	OPTION_JSON(struct audit_options),
	FOLDER,
	{0},
};

const struct command cmd_audit_query = {
	.name = "audit query",
	.summary = "find requests in the audit log",
	.options = query_options,
	.options_size = sizeof(struct audit_options),
	.details = "One line for each request: when, whose, what, the verdict and how it ended.\n"
		   "In a PATTERN, * stands for any characters and ? for one.",
	.examples = "  ward audit query --verdict deny --since 7d\n"
		    "  ward audit query --session 'agent:main:*' --reason timeout\n"
		    "  ward audit query --host '*.example.org' --json\n",
	.run = audit_query,
};

static const struct field verify_options[] = {
	{"anchor", F_TEXT(struct audit_options, anchor, .arg = "FILE",
			   .help = "what 'ward audit anchor' wrote must be in the log")},
	{"head", F_TEXT(struct audit_options, head, .arg = "SEQ:HASH",
			 .help = "the same, as 'ward audit anchor' printed it")},
	OPTION_JSON(struct audit_options),
	FOLDER,
	{0},
};

const struct command cmd_audit_verify = {
	.name = "audit verify",
	.summary = "check that the audit log is as it was written",
	.options = verify_options,
	.options_size = sizeof(struct audit_options),
	.details = "Finds lines that were changed, removed, inserted or moved, a cut end and\n"
		   "missing files. Whoever can write the log can also write a new one: only an\n"
		   "anchor that was kept elsewhere proves that this did not happen.",
	.examples = "  ward audit verify\n"
		    "  ward audit verify --anchor /media/stick/ward.anchor\n",
	.run = audit_verify,
};

static const struct field anchor_options[] = {
	OPTION_JSON(struct audit_options),
	FOLDER,
	{0},
};

const struct command cmd_audit_anchor = {
	.name = "audit anchor",
	.summary = "note where the audit log ends, to be kept elsewhere",
	.args = "[FILE]",
	.options = anchor_options,
	.options_size = sizeof(struct audit_options),
	.max_args = 1,
	.details =
		"Checks the log, and prints the number and the hash of its last line, or writes\n"
		"them to FILE. A later 'ward audit verify' with them proves that nothing up to\n"
		"there was changed or cut since.",
	.examples = "  ward audit anchor /media/stick/ward.anchor\n",
	.run = audit_anchor,
};

static const char *const format_names[] = {"jsonl", "csv", "ocsf", NULL};

static const struct field export_options[] = {
	{"format", F_ENUM(struct audit_options, format, format_names, .arg = "FORMAT",
			   .help = "jsonl (unless given), csv or ocsf")},
	OUTPUT,
	WHICH,
	SINCE,
	FOLDER,
	{0},
};

const struct command cmd_audit_export = {
	.name = "audit export",
	.summary = "write the audit log for other programs",
	.options = export_options,
	.options_size = sizeof(struct audit_options),
	.details = "jsonl: an object for each request, with its lines as they were written.\n"
		   "csv: a row for each request, for spreadsheets.\n"
		   "ocsf: events of the Open Cybersecurity Schema Framework, one a line.",
	.examples = "  ward audit export --format csv --since 7d -o week.csv\n"
		    "  ward audit export --format ocsf | gzip > events.jsonl.gz\n",
	.run = audit_export,
};

static const struct field report_options[] = {
	OUTPUT,
	WHICH,
	SINCE,
	{"limit", F_COUNT(struct audit_options, limit, .arg = "N",
			  .help = "list the last N requests; 100 unless given, 10000 at most")},
	FOLDER,
	{0},
};

const struct command cmd_audit_report = {
	.name = "audit report",
	.summary = "write a page about the audit log",
	.options = report_options,
	.options_size = sizeof(struct audit_options),
	.details = "One HTML page that needs nothing else and runs no scripts: sums, plots over\n"
		   "time, what was refused, what was slow, and the last requests.",
	.examples = "  ward audit report --since 7d -o week.html\n",
	.run = audit_report,
};
