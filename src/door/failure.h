/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Why a tool failed, as a word that programs can tell apart: the same at every entrance, and an
 * error of libward each. */

const char *failure_name(int code); /* an errno; never NULL */
