/* SPDX-License-Identifier: Apache-2.0 */
#include "base/macro.h"
#include "base/str.h"
#include "model/redact.h"

#include <string.h>

#define NAME_MAX_LEN 128

/* Parts of names, without the signs between them. */
static const char *const parts[] = {"token", "secret", "password", "passwd", "passphrase", "apikey",
	"accesskey", "privatekey", "signingkey", "encryptionkey", "credential", "authorization",
	"cookie", "sessionid", "mysqlpwd", "dbpass", "userpass", "connectionstring", NULL};

/* Whole names: too short to look for within others. */
static const char *const wholes[] = {"pass", "pw", "auth", "sig", "pat", "jwt", "bearer", NULL};

/* The names of things that say where a secret is, or how many tokens; not the secret. */
static const char *const harmless_ends[] = {"file", "path", "dir", "tokens", "tokenizer", "name",
	"url", "length", "count", "type", NULL};

static size_t normalise(const char *name, size_t len, char out[NAME_MAX_LEN + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < len && n < NAME_MAX_LEN; i++) {
		char c = name[i];

		if (c >= 'A' && c <= 'Z')
			out[n++] = (char)(c - 'A' + 'a');
		else if (c != '-' && c != '_' && c != '.')
			out[n++] = c;
	}
	out[n] = '\0';
	return n;
}

bool redact_is_secret(const char *name, size_t len)
{
	char plain[NAME_MAX_LEN + 1];

	/* Of a long name the end says what it is. */
	if (len > NAME_MAX_LEN) {
		name += len - NAME_MAX_LEN;
		len = NAME_MAX_LEN;
	}
	if (normalise(name, len, plain) == 0)
		return false;
	if (str_in(plain, wholes))
		return true;
	for (size_t i = 0; harmless_ends[i]; i++)
		if (str_ends(plain, harmless_ends[i]))
			return false;
	for (size_t i = 0; parts[i]; i++)
		if (strstr(plain, parts[i]))
			return true;
	return false;
}
