/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A complete head of an HTTP request, or the fields behind a chunked body, judged. For guard/http,
 * which has seen to it that lines end in CRLF, that none begins with a blank, and that there are no
 * control characters. Pure; owns nothing.
 */

#include "guard/http.h"

/* HTTP_WHY_FINE: *ret is the request, but for its number. */
enum http_why http_head_read(
	const uint8_t *bytes, size_t len, uint16_t port, struct http_request *ret);
enum http_why http_head_trailer(const uint8_t *bytes, size_t len);
