/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Addresses and routes of a network namespace that has nothing but the loopback interface. Owns
 * nothing; what is made ends with the namespace.
 */

#include <stdbool.h>
#include <stdint.h>

/*
 * Raises the loopback, gives it these two addresses, and with `all` routes every address to it:
 * what is sent anywhere arrives here, with its destination unchanged. Programs see the two
 * addresses as their own.
 */
int route_here(const uint8_t own4[4], const uint8_t own6[16], bool all);
