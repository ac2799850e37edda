/* SPDX-License-Identifier: Apache-2.0 */
/* Short lines of keys, sorted side by side: a row holds the keys of equal places of as many lines as fill
 * 64 bytes, so that one vector instruction compares them all. */
#ifndef FXI_SORT_NETWORK_H
#define FXI_SORT_NETWORK_H

#include "base/base.h"

enum { FXI_ROW_BYTES = 64, FXI_LANES32 = 16, FXI_LANES64 = 8 };

/* Up to this many rows a network needs less time than passes of a radix sort. */
enum { FXI_NETWORK_ROWS = 512 };

/* Sorts each column of rows [n][FXI_LANES32], or [n][FXI_LANES64]. */
void fxi_network_sort32(uint32_t *rows, int64_t n);
void fxi_network_sort64(uint64_t *rows, int64_t n);
/* Which columns hold one of two keys: bit by lane. */
uint32_t fxi_network_find32(const uint32_t *rows, int64_t n, uint32_t a, uint32_t b);
uint32_t fxi_network_find64(const uint64_t *rows, int64_t n, uint64_t a, uint64_t b);
/* rows[i][lane] = lines[lane][i] and back. */
void fxi_network_gather32(const uint32_t *lines, int64_t n, uint32_t *rows);
void fxi_network_gather64(const uint64_t *lines, int64_t n, uint64_t *rows);
void fxi_network_scatter32(const uint32_t *rows, int64_t n, uint32_t *lines);
void fxi_network_scatter64(const uint64_t *rows, int64_t n, uint64_t *lines);

#endif
