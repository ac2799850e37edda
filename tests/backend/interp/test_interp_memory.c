/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter with the n-th allocation failing, for every n until a run passes: each failure must be an
 * FX_ERROR_MEMORY that leaves no output and no block behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/interp/interp.h"
#include <stdlib.h>

typedef struct limited {
    long left; /* allocations still granted; negative: any number */
    long live; /* blocks not released */
} limited;

static bool is_granted(limited *memory) {
    if (memory->left == 0) return false;
    if (memory->left > 0) memory->left--;
    return true;
}

static void *limited_alloc(size_t bytes, void *user) {
    limited *memory = user;
    void *block = is_granted(memory) ? malloc(bytes) : NULL;
    if (block) memory->live++;
    return block;
}

static void *limited_resize(void *block, size_t bytes, void *user) {
    limited *memory = user;
    return is_granted(memory) ? realloc(block, bytes) : NULL;
}

static void limited_release(void *block, void *user) {
    limited *memory = user;
    memory->live--;
    free(block);
}

/* outputs: a product of exp(x + x) with x, its sum along an axis, and x itself */
static fx_graph *build(const fx_shape *shape) {
    static const int64_t zero = 0, one = 1;
    fx_graph *graph = fx_graph_new(NULL);
    fx_node *x = fx_parameter(graph, shape), *pair[] = {x, x};
    fx_node *sum = fxi_node_new(NULL, FX_OP_ADD, pair, 2, NULL, 0);
    fx_node *exponential = fxi_node_new(NULL, FX_OP_EXP, &sum, 1, NULL, 0);
    const fxi_attr reduce[] = {fxi_attr_int(FXI_ATTR_KIND, FXI_SUM), fxi_attr_ints(FXI_ATTR_AXES, &zero, 1)};
    const fxi_attr dot[] = {fxi_attr_ints(FXI_ATTR_LHS_BATCH, NULL, 0),
                            fxi_attr_ints(FXI_ATTR_RHS_BATCH, NULL, 0),
                            fxi_attr_ints(FXI_ATTR_LHS_CONTRACT, &one, 1),
                            fxi_attr_ints(FXI_ATTR_RHS_CONTRACT, &zero, 1), fxi_attr_dtype(shape->dtype)};
    pair[0] = exponential;
    fx_node *outputs[] = {fxi_node_new(NULL, FX_OP_DOT_GENERAL, pair, 2, dot, 5),
                          fxi_node_new(NULL, FX_OP_REDUCE, &exponential, 1, reduce, 2), x};
    assert_true(fx_graph_finish(graph, (fx_nodes){outputs, 3}, NULL));
    return graph;
}

/* Opens, compiles, runs and frees everything; outputs are checked to be none on failure. */
static bool run_once(const fx_graph *graph, fx_tensor *x, fx_error *err) {
    fx_tensor *results[3] = {NULL, NULL, NULL};
    const fxi_run_args args = {.inputs = &x, .outputs = results};
    bool ok = false;
    void *state = fxi_interp_backend.open(&(fxi_open_args){0}, err);
    void *program = state ? fxi_interp_backend.compile(state, graph, err) : NULL;
    if (program) {
        ok = fxi_interp_backend.run(program, &args, err);
        fxi_interp_backend.program_free(program);
    }
    if (state) fxi_interp_backend.close(state);
    for (int i = 0; i < 3; i++) {
        if (!ok) assert_null(results[i]);
        fx_tensor_free(results[i]);
    }
    return ok;
}

static void every_allocation_may_fail(void **state) {
    limited *memory = *state;
    fx_shape shape = fx_shape_make(FX_F32, (const int64_t[]){4, 4}, 2);
    fx_graph *graph = build(&shape);
    fx_tensor *x = fx_tensor_new(&shape, NULL);
    assert_non_null(x);
    long before = memory->live, failures = 0;
    for (bool passed = false; !passed; failures++) {
        fx_error err = {0};
        memory->left = failures;
        passed = run_once(graph, x, &err);
        memory->left = -1;
        assert_int_equal(memory->live, before);
        if (!passed) assert_int_equal(err.code, FX_ERROR_MEMORY);
    }
    assert_true(failures > 10);
    fx_tensor_free(x);
    fx_graph_free(graph);
}

int main(void) {
    limited memory = {.left = -1};
    const fx_allocator allocator = {sizeof allocator, limited_alloc, limited_resize, limited_release,
                                    &memory};
    if (!fx_set_allocator(&allocator)) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(every_allocation_may_fail, &memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
