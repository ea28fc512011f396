/* SPDX-License-Identifier: Apache-2.0 */
#include "model/check.h"

#include "base/macro.h"
#include "base/str.h"
#include "model/layer.h"
#include "model/pathname.h"
#include "model/refuse.h"
#include "model/runtime.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GLOB_MAX 4000
#define GLOB_FORMS_MAX 1024 /* that the groups of a pattern stand for */
#define ENV_NAME_MAX 255
/* The kernel takes 128 KiB for "NAME=value" and its NUL. */
#define ENV_VALUE_MAX (128 * 1024 - ENV_NAME_MAX - 2)
#define HOSTNAME_MAX 64
#define ID_MAX UINT64_C(4294967294)

static const char *const capabilities[] = {"AUDIT_CONTROL", "AUDIT_READ", "AUDIT_WRITE",
	"BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE", "CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH",
	"FOWNER", "FSETID", "IPC_LOCK", "IPC_OWNER", "KILL", "LEASE", "LINUX_IMMUTABLE",
	"MAC_ADMIN", "MAC_OVERRIDE", "MKNOD", "NET_ADMIN", "NET_BIND_SERVICE", "NET_BROADCAST",
	"NET_RAW", "PERFMON", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYSLOG", "SYS_ADMIN",
	"SYS_BOOT", "SYS_CHROOT", "SYS_MODULE", "SYS_NICE", "SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO",
	"SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "WAKE_ALARM", NULL};
_Static_assert(ARRAY_LEN(capabilities) == 41 + 1, "all capabilities of Linux 5.9 and later");

static const char *word_at(size_t i, const void *words)
{
	return ((const char *const *)words)[i];
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_letter(char c)
{
	return is_lower(c) || (c >= 'A' && c <= 'Z');
}

static bool is_alnum(char c)
{
	return is_letter(c) || is_digit(c);
}

/* Decimal without sign and leading zero. */
static bool is_decimal(const char *text, size_t len, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0;

	if (len == 0 || len > 19 || (len > 1 && text[0] == '0'))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!is_digit(text[i]))
			return false;
		value = value * 10 + (uint64_t)(text[i] - '0');
	}
	*ret = value;
	return value <= max;
}

int check_absolute_path(const char *text, struct err *e)
{
	return pathname_check(text, e);
}

/* The word between separators is exactly this one; braces and commas separate as slashes do. */
static bool has_component(const char *text, const char *wanted)
{
	for (;;) {
		size_t len = strcspn(text, "/{},");

		if (len == strlen(wanted) && memcmp(text, wanted, len) == 0)
			return true;
		if (!text[len])
			return false;
		text += len + 1;
	}
}

/* Groups must be closed and stand side by side: the matcher takes all other braces as themselves.
 */
static bool has_good_braces(const char *text)
{
	bool open = false;

	for (; *text; text++) {
		if (*text != '{' && *text != '}')
			continue;
		if ((*text == '{') == open)
			return false;
		open = *text == '{';
	}
	return !open;
}

/* How many patterns without groups it stands for. */
static size_t count_forms(const char *text)
{
	size_t forms = 1, choices = 1;

	for (; *text && forms <= GLOB_FORMS_MAX; text++) {
		if (*text == '{')
			choices = 1;
		choices += *text == ',';
		if (*text == '}')
			forms *= choices;
	}
	return forms;
}

/* A pattern that can match nothing protects nothing, so it is an error and not silence. */
int check_glob(const char *text, struct err *e)
{
	size_t len = strlen(text);

	if (len == 0)
		return refuse_text(
			e, text, "an empty pattern matches nothing; write one such as .env");
	if (len > GLOB_MAX)
		return refuse_text(e, text, "longer than %d bytes", GLOB_MAX);
	if (pathname_has_control(text))
		return refuse_text(e, text, "has a control character in it");
	if (text[0] == '/' || text[0] == '~')
		return refuse_text(e, text,
			"patterns start at the workspace, not at '%c'; write one such as "
			".git/hooks/**",
			text[0]);
	if (text[len - 1] == '/')
		return refuse_text(
			e, text, "ends with '/'; write the folder without it, or with /**");
	if (has_component(text, "..") || has_component(text, ".") || strstr(text, "//"))
		return refuse_text(e, text,
			"has a part '.', '..' or an empty one, which no name in the workspace has");
	if (strchr(text, '\\'))
		return refuse_text(
			e, text, "has a backslash; there are no escapes, '?' is any character");
	if (!has_good_braces(text))
		return refuse_text(
			e, text, "braces must be closed and not nested, as in *.{pem,key}");
	if (count_forms(text) > GLOB_FORMS_MAX)
		return refuse_text(e, text, "stands for more than %d patterns; write it as several",
			GLOB_FORMS_MAX);
	return 0;
}

static bool is_env_name(const char *text, const char *more)
{
	if (!text[0] || is_digit(text[0]) || strlen(text) > ENV_NAME_MAX)
		return false;
	for (; *text; text++)
		if (!is_alnum(*text) && *text != '_' && !strchr(more, *text))
			return false;
	return true;
}

int check_env_name(const char *text, struct err *e)
{
	if (is_env_name(text, ""))
		return 0;
	return refuse_text(e, text,
		"not a name of a variable: letters, digits and '_', not starting with a digit, "
		"such as HTTP_PORT");
}

int check_env_pattern(const char *text, struct err *e)
{
	if (is_env_name(text, "*"))
		return 0;
	return refuse_text(
		e, text, "not a pattern for variables: letters, digits, '_' and '*', such as LC_*");
}

int check_env_value(const char *text, struct err *e)
{
	if (strlen(text) > ENV_VALUE_MAX)
		return refuse_text(
			e, text, "longer than the %d bytes that fit a variable", ENV_VALUE_MAX);
	return 0;
}

int check_name(const char *text, struct err *e)
{
	if (str_is_name(text))
		return 0;
	return refuse_text(e, text,
		"not a name: 1 to 64 letters, digits, '_', '.', '-', not starting with '.' or '-' "
		"nor ending with '.', such as team-a.build");
}

static bool is_label(const char *p, size_t len)
{
	if (len == 0 || len > 63 || p[0] == '-' || p[len - 1] == '-')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!is_alnum(p[i]) && p[i] != '-')
			return false;
	return true;
}

static bool is_dotted(const char *p, size_t len)
{
	for (;;) {
		const char *dot = memchr(p, '.', len);
		size_t part = dot ? (size_t)(dot - p) : len;

		if (!is_label(p, part))
			return false;
		if (!dot)
			return true;
		p += part + 1;
		len -= part + 1;
	}
}

int check_hostname(const char *text, struct err *e)
{
	size_t len = strlen(text);

	if (len <= HOSTNAME_MAX && is_dotted(text, len))
		return 0;
	return refuse_text(e, text,
		"not a host name: up to %d letters, digits, '-' and '.', such as build-1",
		HOSTNAME_MAX);
}

int check_user(const char *text, struct err *e)
{
	size_t uid_len = strcspn(text, ":");
	const char *gid = text[uid_len] ? text + uid_len + 1 : NULL;
	uint64_t id;

	if (!is_decimal(text, uid_len, ID_MAX, &id))
		return refuse_text(e, text, "not uid[:gid] in decimal digits, such as 1000:1000");
	if (id == 0)
		return refuse_text(e, text, "user 0 is root, and nothing runs as root; write 1000");
	if (gid && !is_decimal(gid, strlen(gid), ID_MAX, &id))
		return refuse_text(e, text, "behind ':' stands a group id, such as 1000:1000");
	if (id == 0)
		return refuse_text(
			e, text, "group 0 is root's, and nothing runs as root; write 1000:1000");
	return 0;
}

int check_runtime(const char *text, struct err *e)
{
	return runtime_check(text, e);
}

int check_layer(const char *text, struct err *e)
{
	return layer_require_check(text, e);
}

int check_seccomp(const char *text, struct err *e)
{
	if (str_eq(text, "default"))
		return 0;
	if (str_eq(text, "unconfined"))
		return refuse_text(e, text,
			"nothing runs without a filter for system calls; write default, or the "
			"path of "
			"a profile that allows what is missing");
	if (text[0] != '/')
		return refuse_text(e, text, "neither default nor an absolute path of a profile");
	return pathname_check(text, e);
}

int check_capability(const char *text, struct err *e)
{
	const char *name = str_starts(text, "CAP_") ? text + 4 : text;
	const char *near;

	if (str_eq(text, "ALL") || str_in(name, capabilities))
		return 0;
	if (str_starts(text, "cap_"))
		name = text + 4;
	near = str_nearest(name, word_at, capabilities);
	if (near)
		return refuse_text(e, text, "unknown capability; did you mean '%s'?", near);
	return refuse_text(e, text, "unknown capability; write ALL or one such as NET_RAW");
}
