/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/host.h"

#include "base/str.h"
#include "sys/file.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define RELEASE_MAX 4096

/* Copies what is harmless anywhere; the rest is left out. */
static void copy_plain(char out[HOST_TEXT], const char *text, size_t len)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+~-";
	size_t n = 0;

	for (size_t i = 0; i < len && n < HOST_TEXT - 1; i++)
		if (text[i] && strchr(plain, text[i]))
			out[n++] = text[i];
	out[n] = '\0';
}

static unsigned count_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static unsigned today(void)
{
	time_t now = time(NULL);
	struct tm tm;

	if (now <= 0 || !gmtime_r(&now, &tm))
		return 0;
	return (unsigned)((tm.tm_year + 1900) * 10000 + (tm.tm_mon + 1) * 100 + tm.tm_mday);
}

void host_look(struct host *ret)
{
	struct utsname names;
	struct sysinfo info;

	*ret = (struct host){.cpus = count_cpus(), .date = today()};
	if (uname(&names) == 0) {
		copy_plain(ret->release, names.release, strlen(names.release));
		copy_plain(ret->arch, names.machine, strlen(names.machine));
	}
	if (sysinfo(&info) == 0)
		ret->memory = (uint64_t)info.totalram * info.mem_unit;
}

/* The value of "NAME=value" at the start of a line, with or without quotes, which copy_plain leaves
 * out. */
static void find_value(const char *text, const char *name, char out[HOST_TEXT])
{
	size_t len = strlen(name);

	out[0] = '\0';
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) != 0 || line[len] != '=')
			continue;
		line += len + 1;
		copy_plain(out, line, strcspn(line, "\n"));
	}
}

void host_parse_release(const char *text, char ret_id[HOST_TEXT], char ret_version[HOST_TEXT])
{
	find_value(text, "ID", ret_id);
	find_value(text, "VERSION_ID", ret_version);
}

void host_distribution(char ret_id[HOST_TEXT], char ret_version[HOST_TEXT])
{
	char text[RELEASE_MAX] = "";

	if (file_read_small("/etc/os-release", text, sizeof(text)) < 0 &&
		file_read_small("/usr/lib/os-release", text, sizeof(text)) < 0)
		text[0] = '\0';
	host_parse_release(text, ret_id, ret_version);
}

void host_container(char ret[HOST_TEXT])
{
	const char *said = getenv("container");

	if (access("/run/.containerenv", F_OK) == 0)
		said = "podman";
	else if (access("/.dockerenv", F_OK) == 0)
		said = "docker";
	copy_plain(ret, said ? said : "", said ? strlen(said) : 0);
}
