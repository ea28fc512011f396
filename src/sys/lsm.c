/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/lsm.h"

#include "base/str.h"
#include "sys/file.h"

bool lsm_apparmor_enabled(void)
{
	char text[8];

	return file_read_small("/sys/module/apparmor/parameters/enabled", text, sizeof(text)) > 0 &&
	       text[0] == 'Y';
}

bool lsm_apparmor_unconfined(void)
{
	char label[128];

	if (!lsm_apparmor_enabled())
		return false;
	if (file_read_small("/proc/self/attr/apparmor/current", label, sizeof(label)) < 0 &&
		file_read_small("/proc/self/attr/current", label, sizeof(label)) < 0)
		return false;
	return str_eq(label, "unconfined");
}
