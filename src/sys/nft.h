/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * nf_tables, spoken to in its own language. For a process in a network namespace of its own: what
 * is made here ends with that. Owns nothing.
 */

#include <stdint.h>

/* A table with a chain. -EOPNOTSUPP, -ENOENT, -EPROTONOSUPPORT: the kernel has no nf_tables. */
int nft_try(void);
/* The same with rules that hand connections to a local socket, as transparent proxies do. */
int nft_try_tproxy(void);
/* Everything that goes anywhere but to the loopback and to these two own addresses is handed to
 * the transparent sockets at that port: TCP, and datagrams but those for port 53. */
int nft_catch(uint16_t port, const uint8_t own4[4], const uint8_t own6[16]);
