/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The steps of engine/steps.c that are not about files: one small function each. */

#include "engine/stage.h"

/* In the supervisor. */
int confine_groups(struct stage *s, struct err *e);
int confine_start(struct stage *s, struct err *e); /* returns in both; see stage->init */
int confine_map(struct stage *s, struct err *e);
int confine_hand_over(struct stage *s, struct err *e);

/* In init. */
int confine_session(struct stage *s, struct err *e);
int network_begin(struct stage *s, struct err *e);
int network_enter(struct stage *s, struct err *e);
int confine_ids(struct stage *s, struct err *e);
int confine_take_over(struct stage *s, struct err *e);
int confine_lifetime(struct stage *s, struct err *e);
int confine_hostname(struct stage *s, struct err *e);
int confine_terminal(struct stage *s, struct err *e);
int confine_capabilities(struct stage *s, struct err *e);

/* In the program's process. */
int confine_attach(struct stage *s, struct err *e);
int confine_own_session(struct stage *s, struct err *e);
int confine_streams(struct stage *s, struct err *e);
/* What a program may get as that descriptor; also for the supervisor of a living sandbox. */
int confine_check_stream(int fd, int as, struct err *e);
int confine_resources(struct stage *s, struct err *e);
int confine_drop(struct stage *s, struct err *e);
int confine_landlock(struct stage *s, struct err *e);
int confine_signals(struct stage *s, struct err *e);
int confine_filter(struct stage *s, struct err *e);
