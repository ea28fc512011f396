/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The arguments of the steps, as `ward run --dry-run` shows them: one a line. */

#include "base/buf.h"
#include "model/plan.h"

void show_sources(const struct plan *p, struct buf *out);
void show_groups(const struct plan *p, struct buf *out);
void show_namespaces(const struct plan *p, struct buf *out);
void show_ids(const struct plan *p, struct buf *out);
void show_network(const struct plan *p, struct buf *out);
void show_hostname(const struct plan *p, struct buf *out);
void show_root(const struct plan *p, struct buf *out);
void show_folder(const struct plan *p, struct buf *out);
void show_rules(const struct plan *p, struct buf *out);
void show_streams(const struct plan *p, struct buf *out);
void show_resources(const struct plan *p, struct buf *out);
void show_filter(const struct plan *p, struct buf *out);
