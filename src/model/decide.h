/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The decision: may this request run, and where. Two answers, each with its reasons in the order in
 * which they were found and the place of the rule behind each. A pure function of configuration,
 * machine and request, asked at call time by every entrance; `ward explain` prints the same object.
 */

#include "model/machine.h"
#include "model/resolve.h"
#include "model/runtime.h"
#include "model/session.h"
#include "model/shell.h"

/* Strictest first. */
enum permission { PERMISSION_DENY, PERMISSION_ASK, PERMISSION_ALLOW, PERMISSION_COUNT };
enum place { PLACE_SANDBOX, PLACE_HOST, PLACE_COUNT };
extern const char *const permission_names[];
extern const char *const place_names[];

/* What a reason is about; its name is part of the JSON answer and does not change. */
enum because {
	BECAUSE_MODE,          /* why the session is sandboxed or not */
	BECAUSE_AGENT_UNKNOWN, /* the agent has no entry; defaults apply */
	BECAUSE_ALIAS,         /* the tool was named by an alias */
	BECAUSE_TOOL_ALLOWED,
	BECAUSE_TOOL_DENIED,
	BECAUSE_TOOL_UNKNOWN,
	BECAUSE_BYPASS,           /* this tool runs on the host even when sandboxed */
	BECAUSE_FRAMEWORK,        /* carried out by the agent's framework */
	BECAUSE_ELEVATED,         /* a rule takes the command out of the sandbox */
	BECAUSE_APPROVAL,         /* ... and a person must agree */
	BECAUSE_NOT_ELEVATED,     /* why no rule did */
	BECAUSE_RUNTIME,          /* what carries it out */
	BECAUSE_RUNTIME_REJECTED, /* ... and what cannot, and why */
	BECAUSE_NO_RUNTIME,       /* nothing here can enforce what is required */
	BECAUSE_COUNT
};
extern const char *const because_names[];

struct request {
	const char *session; /* NULL: the main session */
	const char *agent;   /* NULL: from the session */
	const char *tool;    /* NULL: exec */
	const char *command; /* a shell's text; or: */
	char *const *argv;   /* words; argc 0: no particular command */
	size_t argc;
	bool no_tool; /* only where the session's commands run, whatever tools it may use */
};

struct verdict_reason {
	enum because code;
	const char *text;
	struct where at; /* of the rule behind it; source NULL: none */
};

#define VERDICT_REASONS 64

struct verdict {
	enum permission permission;
	enum place place;
	struct session session;
	bool sandboxed; /* by mode, before any elevation */
	char scope_name[SCOPE_NAME];
	const char *tool;
	struct words argv;           /* of an elevated command: what runs, without a shell */
	const struct rule *rule;     /* the rule that elevated it, or NULL */
	const char *profile;         /* sandbox profile it runs in */
	struct effective *effective; /* of the agent; of the profile where it was elevated to one */
	struct runtime_choice choice; /* when the place is a sandbox */
	struct verdict_reason reasons[VERDICT_REASONS];
	size_t reason_count;
};

/* Fails, which means deny, on a request or configuration that makes no sense; e says why. */
int decide(const struct config *c, const struct machine *m, const struct request *q,
	struct arena *a, struct verdict *ret, struct err *e);

/* Only which runtime a sandbox of this session would get, whatever the policy says of tools. */
int decide_sandbox(const struct config *c, const struct machine *m, const struct request *q,
	struct arena *a, struct verdict *ret, struct err *e);

/* The last reason, which is the one that decided. */
const char *decide_why(const struct verdict *v);

/* Why none of the agent's elevation rules can ever match; NULL when there are none or they can. */
const char *decide_elevation_note(const struct effective *eff, bool sandboxed);
