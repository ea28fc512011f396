/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The text of the document that an import made: JSON5, indented, with comments. Called by
 * import_config. */

#include "base/buf.h"
#include "json/import_doc.h"

void import_write(const struct import_doc *d, struct buf *out);
