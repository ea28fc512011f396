/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * nf_tables, spoken to in its own language. For a child that is alone in a network namespace: what
 * is made here ends with it. Owns nothing.
 */

/* A table with a chain. -EOPNOTSUPP, -ENOENT, -EPROTONOSUPPORT: the kernel has no nf_tables. */
int nft_try(void);
/* The same with a rule that hands TCP to a local socket, as transparent proxies do. */
int nft_try_tproxy(void);
