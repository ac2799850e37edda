/* SPDX-License-Identifier: Apache-2.0 */
/* The library's allocator replaced by one that counts, and that fails when told to. One per process, set
 * before anything else of the library is called; safe from any thread. */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <fluxion/graph.h>
#include <stdbool.h>
#include <stdint.h>

bool allocations_install(void);
int64_t allocations_made(void); /* blocks asked for so far, resizing included */
int64_t allocations_live(void); /* blocks not released */
/* From now on the n-th request (0: the next) fails, and with `on` also all after it; negative: none. */
void allocations_fail(int64_t n, bool on);
bool allocations_failed(void); /* whether one failed since the last allocations_fail with n >= 0 */

/* Builds into a graph with request n failing, for every n until none fails: the graph says that memory is out,
 * and nothing is left of it. Asserts by cmocka. */
void allocations_fail_each(void (*build)(fx_graph *g));

#endif
