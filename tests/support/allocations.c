/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of atomics around malloc. A request's number is its place since allocations_fail, over all
 * threads. */
#include "support/allocations.h"
#include <fluxion/base.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static _Atomic int64_t made, live, number, fail_at = -1;
static atomic_bool keep_failing, failed;

static bool is_granted(void) {
    atomic_fetch_add(&made, 1);
    int64_t at = atomic_load(&fail_at);
    if (at < 0) return true;
    int64_t n = atomic_fetch_add(&number, 1);
    if (n < at || (n > at && !atomic_load(&keep_failing))) return true;
    atomic_store(&failed, true);
    return false;
}

static void *counted_alloc(size_t bytes, void *user) {
    (void)user;
    void *block = is_granted() ? malloc(bytes) : NULL;
    if (block) atomic_fetch_add(&live, 1);
    return block;
}

static void *counted_resize(void *block, size_t bytes, void *user) {
    (void)user;
    return is_granted() ? realloc(block, bytes) : NULL;
}

static void counted_release(void *block, void *user) {
    (void)user;
    atomic_fetch_sub(&live, 1);
    free(block);
}

bool allocations_install(void) {
    return fx_set_allocator(
        &(fx_allocator){sizeof(fx_allocator), counted_alloc, counted_resize, counted_release, NULL});
}

int64_t allocations_made(void) {
    return atomic_load(&made);
}
int64_t allocations_live(void) {
    return atomic_load(&live);
}
bool allocations_failed(void) {
    return atomic_load(&failed);
}

void allocations_fail(int64_t n, bool on) {
    atomic_store(&fail_at, -1);
    if (n < 0) return;
    atomic_store(&number, 0);
    atomic_store(&failed, false);
    atomic_store(&keep_failing, on);
    atomic_store(&fail_at, n);
}

void allocations_fail_each(void (*build)(fx_graph *g)) {
    for (int64_t n = 0;; n++) {
        fx_error err = {.code = FX_OK};
        int64_t before = allocations_live();
        fx_graph *g = NULL;
        allocations_fail(n, true);
        g = fx_graph_new(&err);
        if (g) {
            build(g);
            fx_graph_error(g, &err);
        }
        bool hit = allocations_failed();
        allocations_fail(-1, false);
        fx_graph_free(g);
        assert_int_equal(allocations_live(), before);
        assert_true(err.code == (hit ? FX_ERROR_MEMORY : FX_OK));
        if (!hit) break;
    }
}
