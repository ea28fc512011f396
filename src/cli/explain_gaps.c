/* SPDX-License-Identifier: Apache-2.0 */

/* What `ward run` would refuse although the policy may allow it, because it does not exist yet. */

#include "base/str.h"
#include "cli/explain.h"
#include "model/catalogue.h"

#include <string.h>

static bool is_denied(const struct explanation *x)
{
	return x->asked && x->verdict.permission == PERMISSION_DENY;
}

/* Of a sandbox; what runs elsewhere, or not at all, has none. */
static bool in_sandbox(const struct explanation *x)
{
	if (x->asked)
		return !is_denied(x) && x->verdict.place == PLACE_SANDBOX;
	return x->verdict.sandboxed;
}

static bool lacks_image(const struct explanation *x)
{
	const char *image = x->eff->s.sandbox.image.v;

	return in_sandbox(x) && image && !str_eq(image, "host") && strncmp(image, "dir:", 4) != 0;
}

static bool lacks_runtime(const struct explanation *x)
{
	return in_sandbox(x) && x->runtime && x->runtime->runtime != RUNTIME_NATIVE;
}

/* The framework's own tools are its own business. */
static bool of_framework(const struct explanation *x)
{
	const struct tool *tool = catalogue_find(x->verdict.tool);

	return !tool || tool->side == TOOL_FRAMEWORK;
}

static bool lacks_tool(const struct explanation *x)
{
	return x->asked && !is_denied(x) && !of_framework(x) && !str_eq(x->verdict.tool, "exec");
}

static const struct {
	const char *what, *text;
	bool (*applies)(const struct explanation *x);
} rows[] = {
	{"image", "'ward run' refuses all but 'host' and 'dir:/path'", lacks_image},
	{"runtime", "'ward run' has the native one only, and refuses others", lacks_runtime},
	{"tool", "ward carries out commands only; the framework has to obey the answer",
		lacks_tool},
};
_Static_assert(ARRAY_LEN(rows) <= EXPLAIN_GAPS, "room for every gap");

size_t explain_gaps(const struct explanation *x, struct explain_gap ret[EXPLAIN_GAPS])
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].applies(x))
			ret[count++] = (struct explain_gap){rows[i].what, rows[i].text};
	return count;
}
