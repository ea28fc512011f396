/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Runtimes: the places that can carry out a plan, what each of them enforces on a given machine,
 * and the choice between them. The choice fails closed: the first candidate that can enforce every
 * required layer, or none at all; the host only where somebody wrote it. Pure. Used by decisions,
 * explain and doctor.
 */

#include "model/machine.h"

#include <stddef.h>

enum runtime {
	RUNTIME_NATIVE,
	RUNTIME_DOCKER,
	RUNTIME_PODMAN,
	RUNTIME_GVISOR,
	RUNTIME_CRUN,
	RUNTIME_RUNC,
	RUNTIME_LIMA,
	RUNTIME_KUBERNETES,
	RUNTIME_SPAWN,
	RUNTIME_HOST,
	RUNTIME_COUNT
};

extern const char *const runtime_names[RUNTIME_COUNT + 1]; /* NULL at the end */

/* What stands behind a word of the configuration. */
struct runtime_ref {
	bool automatic; /* "auto"; the rest does not count then */
	enum runtime runtime;
	const char *container; /* of docker:<container>, borrowed from the text; else NULL */
};

/* "auto", a runtime's name, "docker:<container>". */
int runtime_check(const char *text, struct err *e);

/* Can it be started here at all? ret_why and ret_remedy (may be NULL) say why not. */
bool runtime_available(
	const struct machine *m, enum runtime r, const char **ret_why, const char **ret_remedy);
/* What enforces a layer in sandboxes that ward makes with it. */
struct layer_answer runtime_layer(const struct machine *m, enum runtime r, enum layer_id layer);
/* The same for a candidate, which may be a container that somebody else made. */
struct layer_answer runtime_ref_layer(
	const struct machine *m, const struct runtime_ref *ref, enum layer_id layer);

struct runtime_wish {
	const char *runtime;
	const char *const *fallback;
	size_t fallback_count;
	const char *const *require;
	size_t require_count;
};

struct runtime_candidate {
	struct runtime_ref ref;
	bool accepted;
	const char *require; /* the item of the wish that it cannot meet; NULL: it is not available
				at all */
	const char *why;
	const char *remedy; /* may be NULL */
};

#define RUNTIME_CANDIDATES_MAX 32
#define RUNTIME_NONE (-1)

struct runtime_choice {
	struct runtime_candidate
		candidates[RUNTIME_CANDIDATES_MAX]; /* in the order they were looked at */
	size_t count;
	int chosen; /* index of the last one, which was accepted; or RUNTIME_NONE */
};

/*
 * Looks at one candidate after the other until one is accepted. The answer borrows the texts of the
 * wish. Fails (-EINVAL) only on a wish that cannot be read; that no candidate fits is an answer.
 */
int runtime_choose(const struct runtime_wish *wish, const struct machine *m,
	struct runtime_choice *ret, struct err *e);
