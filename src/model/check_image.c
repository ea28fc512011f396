/* SPDX-License-Identifier: Apache-2.0 */
#include "model/check.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/netaddr.h"
#include "model/pathname.h"
#include "model/refuse.h"

#include <stdbool.h>
#include <string.h>

/*
 * References of images become arguments of other programs and addresses of registries, so they
 * follow a grammar: [host[:port]/]part[/part...][:tag][@sha256:digest]. A leading '-' fits nowhere
 * in it.
 */

#define REFERENCE_MAX 255
#define TAG_MAX 128
#define DIGEST_LEN 64

static bool is_small(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_alnum(char c)
{
	return is_small(c) || (c >= 'A' && c <= 'Z');
}

static bool is_tag(const char *p)
{
	size_t len = strlen(p);

	if (len == 0 || len > TAG_MAX || p[0] == '.' || p[0] == '-')
		return false;
	for (; *p; p++)
		if (!is_alnum(*p) && !strchr("_.-", *p))
			return false;
	return true;
}

static bool is_digest(const char *p)
{
	if (!str_starts(p, "sha256:"))
		return false;
	p += strlen("sha256:");
	return strlen(p) == DIGEST_LEN && strspn(p, "0123456789abcdef") == DIGEST_LEN;
}

/* How many bytes of separator stand here: one of '.', '_', '__', or any number of '-'. */
static size_t separator(const char *p)
{
	size_t hyphens = strspn(p, "-");

	if (hyphens)
		return hyphens;
	if (p[0] == '_')
		return p[1] == '_' ? 2 : 1;
	return p[0] == '.' ? 1 : 0;
}

/* Small letters and digits, joined by separators. */
static bool is_part(const char *p)
{
	for (;;) {
		size_t skip;

		if (!is_small(*p))
			return false;
		while (is_small(*p))
			p++;
		if (!*p)
			return true;
		skip = separator(p);
		if (skip == 0)
			return false;
		p += skip;
	}
}

/* The first part names a registry when it cannot be an ordinary part. */
static bool looks_like_registry(const char *part)
{
	return strpbrk(part, ".:") || str_eq(part, "localhost");
}

/* host[:port]; cuts the port off. */
static bool is_registry(char *part)
{
	char *colon = strchr(part, ':');
	uint16_t port;

	if (colon) {
		if (!netaddr_port(colon + 1, &port))
			return false;
		*colon = '\0';
	}
	return check_hostname(part, NULL) == 0;
}

static bool is_repository(char *name)
{
	bool first = true;

	for (;;) {
		char *slash = strchr(name, '/');

		if (slash)
			*slash = '\0';
		if (first && slash && looks_like_registry(name)) {
			if (!is_registry(name))
				return false;
		} else if (!is_part(name)) {
			return false;
		}
		if (!slash)
			return true;
		name = slash + 1;
		first = false;
	}
}

/* The colon of a tag, which stands behind the last slash; NULL when there is none. */
static char *tag_colon(char *text)
{
	char *slash = strrchr(text, '/');

	return strrchr(slash ? slash : text, ':');
}

static int check_reference(const char *text, struct err *e)
{
	auto_free char *name = mem_dup(text);
	char *at = strchr(name, '@');
	char *colon;

	if (at) {
		*at = '\0';
		if (!is_digest(at + 1))
			return refuse_text(
				e, text, "behind '@' stands sha256: and 64 small hex digits");
	}
	colon = tag_colon(name);
	if (colon) {
		*colon = '\0';
		if (!is_tag(colon + 1))
			return refuse_text(e, text,
				"the tag is 1 to %d letters, digits, '_', '.', '-', such as :1.2",
				TAG_MAX);
	}
	if (strlen(name) <= REFERENCE_MAX && is_repository(name))
		return 0;
	return refuse_text(e, text,
		"not an image: write host, dir:/path, oci:/path[:tag] or a reference such as "
		"registry.example/team/tool:1.2");
}

static int check_layout(const char *text, struct err *e)
{
	auto_free char *path = mem_dup(text + strlen("oci:"));
	char *colon = tag_colon(path);

	if (colon) {
		*colon = '\0';
		if (!is_tag(colon + 1))
			return refuse_text(e, text,
				"the tag is 1 to %d letters, digits, '_', '.', '-', such as :1.2",
				TAG_MAX);
	}
	return pathname_check(path, e);
}

int check_image(const char *text, struct err *e)
{
	if (str_eq(text, "host"))
		return 0;
	if (str_starts(text, "dir:"))
		return pathname_check(text + strlen("dir:"), e);
	if (str_starts(text, "oci:"))
		return check_layout(text, e);
	return check_reference(text, e);
}
