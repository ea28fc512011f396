/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import_systems.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "json/import_put.h"

#include <string.h>

/*
 * pi and archer, which share their sandbox: --sandbox=host or --sandbox=docker:<container> on a
 * command line, the bare value of it, or the object {type, container} that it becomes.
 */

#define FRAMEWORK "a matter of the framework, not of ward"
#define HOST_REMARK "everything runs on the host; \"all\" is what ward recommends"
#define CONTAINER_REMARK "its own settings hold: ward did not make this container"

static int put_host(struct import *im, const struct import_at *at)
{
	return import_put_text(im, at, "mode", "off", HOST_REMARK);
}

static int put_container(struct import *im, const struct import_at *at, const char *container)
{
	int rc;

	if (!container[0])
		return import_fail(im, at, "the name of a container is missing behind 'docker:'");
	rc = import_put_raw(im, at, "mode", "\"all\"", NULL);
	if (rc < 0)
		return rc;
	return import_put_text(im, at, "runtime", arena_printf(&im->arena, "docker:%s", container),
		CONTAINER_REMARK);
}

static int put_value(struct import *im, const struct import_at *at, const char *text)
{
	auto_(buf_free) struct buf shown = BUF(60);

	if (str_eq(text, "host"))
		return put_host(im, at);
	if (str_starts(text, "docker:"))
		return put_container(im, at, text + strlen("docker:"));
	escape_text(&shown, text);
	return import_fail(im, at, "'%s' is neither host nor docker:<container>", buf_text(&shown));
}

static int read_type(struct import *im, const struct import_at *at, const struct import_at *object)
{
	static const struct import_word types[] = {
		{"host", NULL, NULL}, {"docker", NULL, NULL}, {0}};
	const struct import_word *type;
	struct import_at container;
	const char *name = "";
	int rc = import_find_word(im, at, types, &type);

	if (rc < 0)
		return rc;
	if (type == &types[0])
		return put_host(im, at);
	if (import_member(im, object, "container", &container))
		rc = import_text(im, &container, &name);
	return rc < 0 ? rc : put_container(im, at, name);
}

static const struct import_key object_keys[] = {
	{"type", .read = import_skip},
	{"container", .read = import_skip},
	{0},
};

/* {type, container} */
static int read_object(struct import *im, const struct import_at *at)
{
	struct import_at type;
	int rc = import_walk(im, at, object_keys);

	if (rc < 0)
		return rc;
	if (!import_member(im, at, "type", &type))
		return import_fail(im, at, "type is missing: host or docker");
	return read_type(im, &type, at);
}

static int read_sandbox(struct import *im, const struct import_at *at)
{
	const char *text;
	int rc;

	if (at->node->type == NODE_OBJECT)
		return read_object(im, at);
	rc = import_text(im, at, &text);
	return rc < 0 ? rc : put_value(im, at, text);
}

/* The program's own name, the value by itself, and whatever else stands on the line. */
static int read_arguments(struct import *im, const struct import_at *at)
{
	static const char *const programs[] = {"pi", "archer", "mom", NULL};
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < at->node->count; i++) {
		struct import_at word = import_item(im, at, i);
		const char *text = word.node->text;

		word.key = text;
		if (str_eq(text, "host") || str_starts(text, "docker:"))
			rc = put_value(im, &word, text);
		else if (i > 0 || !str_in(text, programs))
			import_note(im, &word,
				"an argument; when it is the folder to work in, start ward there");
	}
	return rc;
}

static const struct import_key top_keys[] = {
	{"", .read = read_arguments},
	{"--sandbox", .read = read_sandbox},
	{"sandbox", .read = read_sandbox},
	{"type", .read = import_skip},
	{"container", .read = import_skip},
	{"--port", .note = FRAMEWORK},
	{"--model", .note = FRAMEWORK},
	{"--download", .note = FRAMEWORK},
	{"--help", .note = FRAMEWORK},
	{"--version", .note = FRAMEWORK},
	{"-h", .note = FRAMEWORK},
	{0},
};

int import_pi(struct import *im, const struct import_at *at)
{
	struct import_at top = *at, type;
	int rc;

	top.notes = NULL;
	rc = import_walk(im, &top, top_keys);
	if (rc == 0 && import_member(im, &top, "type", &type))
		rc = read_type(im, &type, &top);
	if (rc < 0)
		return rc;
	import_put_default(im, top.agent, IMPORT_SANDBOX, "mode", "\"off\"", HOST_REMARK);
	return 0;
}
