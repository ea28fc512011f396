/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the two kinds of process 1 share: that of one command (engine/init.c), and that of a sandbox
 * that lives (engine/init_live.c). */

#include "engine/broker.h"
#include "engine/stage.h"

/* Says what failed, and ends. */
_Noreturn void init_give_up(struct stage *s, const struct err *e);
/* As much of it as fits one message. */
void init_take_report(const struct broker_report *from, struct result_report *to);
/* Init needs none of the program's streams: nobody should wait for an end because of it. */
void init_leave_streams(const struct stage *s);

/* Gets it ready to judge system calls. */
int init_broker(struct stage *s, struct err *e);

/* Adds what the broker must know of several commands. */
void init_live_spec(struct broker_spec *spec);
/* Begins when the root is made, and the broker ready unless the workspace comes later. */
_Noreturn void init_live(struct stage *s);
