/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The machine by its outside: kernel, distribution, size, what it runs in. Reads only. Owns
 * nothing. */

#include <stddef.h>
#include <stdint.h>

#define HOST_TEXT 96

struct host {
	char release[HOST_TEXT]; /* of the kernel */
	char arch[HOST_TEXT];
	unsigned cpus;   /* that this process may use */
	uint64_t memory; /* bytes */
	unsigned date;   /* YYYYMMDD, UTC; 0 = the clock makes no sense */
};

void host_look(struct host *ret);
/*
 * ID and VERSION_ID out of the text of an os-release file; "" where they are missing. Only letters,
 * digits and a few marks are taken over.
 */
void host_parse_release(const char *text, char ret_id[HOST_TEXT], char ret_version[HOST_TEXT]);
/* The same for this machine. */
void host_distribution(char ret_id[HOST_TEXT], char ret_version[HOST_TEXT]);
/* What kind of container this process runs in: "docker", "podman", what $container says; "" = none
 * known. */
void host_container(char ret[HOST_TEXT]);
