/* SPDX-License-Identifier: Apache-2.0 */
#include "model/wordlist.h"

#include <string.h>

bool wordlist_next(const char **list, struct wordlist_item *ret)
{
	const char *p = *list ? *list + strspn(*list, " ") : "";

	ret->text = p;
	ret->len = strcspn(p, " ");
	*list = p + ret->len;
	return ret->len > 0;
}

bool wordlist_has(const char *list, const char *text, size_t len)
{
	struct wordlist_item it;

	while (wordlist_next(&list, &it))
		if (it.len == len && memcmp(it.text, text, len) == 0)
			return true;
	return false;
}

bool wordlist_names(const char *list, const char *program, bool versioned)
{
	const char *slash = strrchr(program, '/');
	const char *name = slash ? slash + 1 : program;
	size_t len = strlen(name), cut = len;

	if (!versioned)
		return wordlist_has(list, name, len);
	while (cut > 0 && strchr("0123456789.", name[cut - 1]))
		cut--;
	if (cut < len && cut > 0 && name[cut - 1] == '-')
		cut--;
	return cut > 0 && wordlist_has(list, name, cut);
}
