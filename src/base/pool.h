/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool of a backend: fixed tasks claimed through an atomic counter, so that results (indexed
 * by task) never depend on the thread count. Workers are started on first use, spin 0.1-0.5 ms after a
 * region and then sleep in a futex; they never spin when there are more threads than usable CPUs. A pool
 * that is busy with another caller's region means: run inline on the caller (never wait, never nest).
 * After a fork the child recreates its workers on first use. */
#ifndef FXI_POOL_H
#define FXI_POOL_H

#include "base.h"

typedef struct fxi_pool fxi_pool;
typedef void (*fxi_task)(void *context, int64_t task);
/* A caller's own parallel-for: runs task(context, 0 .. count-1), each exactly once, and returns when all
 * are done. */
typedef void (*fxi_parallel_for)(void *user, int64_t count, fxi_task task, void *context);

unsigned fxi_usable_cpus(void); /* by affinity and cgroup quota (v1 and v2), at least 1 */

/* threads 0: fxi_usable_cpus(). external non-NULL: no threads of our own are made. */
fxi_pool *fxi_pool_new(unsigned threads, fxi_parallel_for external, void *user, fx_error *err);
void fxi_pool_free(fxi_pool *pool); /* NULL-safe; joins the workers; no region may be running */
unsigned fxi_pool_threads(const fxi_pool *pool);

/* Runs task(context, i) for i in [0, count), on the caller and up to threads-1 workers; returns when all
 * are done. Safe from any number of threads. Every task runs under MXCSR 0x1F80 (round to nearest, no
 * FTZ/DAZ, exceptions masked) and the caller's MXCSR is restored. count <= 1 runs inline without touching
 * the workers. Never fails: when threads cannot be started everything runs on the caller. */
void fxi_pool_run(fxi_pool *pool, int64_t count, fxi_task task, void *context);

#endif
