/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Container engines as facts: their names, what their version text means, and what is known against
 * that version. Pure: the date is an argument and nothing is run here. Owns nothing. Used by the
 * probe, doctor and the choice of a runtime.
 */

#include <stdbool.h>
#include <stddef.h>

enum engine {
	ENGINE_DOCKER,
	ENGINE_PODMAN,
	ENGINE_CRUN,
	ENGINE_RUNC,
	ENGINE_RUNSC,
	ENGINE_LIMACTL,
	ENGINE_KUBECTL,
	ENGINE_BWRAP,
	ENGINE_COUNT
};

#define ENGINE_VERSION_TEXT 48

struct engine_row {
	const char *name;       /* of the program */
	const char *product;    /* as people call it */
	const char *version[3]; /* arguments that make it print its version, NULL at the end */
};

extern const struct engine_row engine_rows[ENGINE_COUNT];

struct engine_version {
	unsigned major, minor, patch;
	unsigned candidate; /* release candidate number; 0 = the release itself */
	unsigned date;      /* YYYYMMDD for versions that are dates; the others are then 0 */
};

/* Finds the version in what the engine printed: "1.1.5+ds1", "release-20221122.0". False: none
 * there. */
bool engine_version_find(const char *output, char ret[ENGINE_VERSION_TEXT]);
/* Reads such a word; what follows the number ("+ds1", "-dev") is ignored but for release
 * candidates. */
bool engine_version_parse(const char *text, struct engine_version *ret);
/* Negative, 0, positive; a release candidate comes before its release. */
int engine_version_compare(const struct engine_version *a, const struct engine_version *b);

enum engine_notice_kind { ENGINE_NOTE, ENGINE_WARNING };

struct engine_notice {
	enum engine_notice_kind kind;
	const char *ids; /* "CVE-..., CVE-..."; NULL when it is about no vulnerability */
	char text[320];
};

#define ENGINE_NOTICES_MAX 6

/* What must be known about an engine of this version ("" = could not be read) on this day
 * (YYYYMMDD). */
size_t engine_notices(enum engine engine, const char *version, unsigned today,
	struct engine_notice ret[ENGINE_NOTICES_MAX]);
