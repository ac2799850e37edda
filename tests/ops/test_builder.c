/* SPDX-License-Identifier: Apache-2.0 */
/* What all builders share, at its limits: every allocation of a program that uses each family fails in
 * turn, which must leave an error, an inert node and no memory behind; chains of 100,000 operations. */
#include "support/graph_helpers.h"
#include "ops/ops.h"
#include <stdlib.h>

/* ---- an allocator whose n-th call fails, once ---- */

static long until_failure = -1, blocks;

static bool fails_now(void) {
    return until_failure >= 0 && until_failure-- == 0;
}

static void *take(size_t bytes, void *user) {
    (void)user;
    void *block = fails_now() ? NULL : malloc(bytes);
    blocks += block != NULL;
    return block;
}

static void *resize(void *block, size_t bytes, void *user) {
    (void)user;
    return fails_now() ? NULL : realloc(block, bytes);
}

static void give(void *block, void *user) {
    (void)user;
    blocks--;
    free(block);
}

/* ---- a program with something of every family ---- */

static void closure(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_add(in[0], fx_one_minus(user));
}

static fx_node *build(fx_graph *g) {
    const fx_shape shape = FX_SHAPE(FX_F32, 4, 6), scalar = FX_SHAPE(FX_F32),
                   wide = FX_SHAPE(FX_F32, 5, 2, 6);
    fx_node *x = fx_log_node(fx_parameter(g, &shape), "x"), *y = fx_fill_scalar(g, &shape, 0.5), *parts[3];
    fx_node *m = fx_matmul(fx_softplus(fx_add(x, y)), fx_transpose(fx_mod(x, fx_add_scalar(y, 1)), 0, 1));
    fx_node *first = fx_split(fx_floor_div(x, y), 1, 3, parts);
    fx_node *joined = fx_stack(FX_NODES(first, parts[1], parts[2]), 0);
    fx_node *sliced = fx_slice(fx_reverse(joined, FX_AXES(0)), FX_DIMS(0, 0, 0), FX_DIMS(3, 4, 1), FX_DIMS());
    fx_node *mean = fx_reduce_and_keep(sliced, fx_reduce_mean, FX_AXES(1));
    fx_node *batch = fx_matmul(fx_iota_full(g, &wide), fx_transpose(x, 0, 1));
    fx_node *total = fx_add(fx_reduce_all_sum(fx_convert(mean, FX_F32)), fx_reduce_all_variance(batch));
    fxi_closure_build(fx_node_graph(total), "fx_test", closure, total, &scalar, 1, 1);
    return fx_where(fx_is_nan(total), fx_reduce_all_max(m), total);
}

static bool build_and_finish(fx_error *err) {
    fx_graph *g = fx_graph_new(err);
    if (!g) return false;
    fx_node *result = build(g);
    bool ok = fx_graph_finish(g, FX_NODES(result), err);
    if (ok) assert_true(fxi_verify(g, NULL) || until_failure < 0);
    fx_graph_free(g);
    return ok;
}

static void test_every_allocation_fails(void **state) {
    (void)state;
    fx_error err = {.code = FX_OK};
    assert_true(build_and_finish(&err));
    assert_int_equal(blocks, 0);
    long n = 0;
    for (bool failed = true; failed; n++) {
        err = (fx_error){.code = FX_OK};
        until_failure = n;
        bool ok = build_and_finish(&err);
        failed = until_failure < 0; /* the failure came */
        until_failure = -1;
        if (failed && !ok) assert_int_equal(err.code, FX_ERROR_MEMORY);
        assert_int_equal(blocks, 0);
        assert_true(n < 10000);
    }
    assert_true(n > 30);
}

/* ---- size ---- */

static void test_long_chain(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32, 8)), *y = x;
    for (int i = 0; i < 50000; i++) y = fx_at(fx_tanh(fx_add(y, x)), "chain.c", i);
    assert_node(y, "tanh", "(float32)[8]");
    assert_int_equal(fx_node_line(y), 49999);
    assert_int_equal(fx_graph_node_count(g), 100001);
    assert_true(fx_graph_finish(g, FX_NODES(y), NULL));
    fx_graph_free(g);
}

/* ---- the helpers themselves ---- */

static void test_begin(void **state) {
    (void)state;
    fxi_build b;
    assert_false(fxi_build_begin_leaf(&b, "fx_test", NULL));
    assert_null(b.stop);
    assert_false(fxi_build_begin(&b, "fx_test", NULL, 0));
    assert_null(b.stop);
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32, 2, 3));
    assert_true(fxi_build_begin(&b, "fx_test", (fx_node *const[]){x, x}, 2));
    assert_ptr_equal(b.graph, g);
    fxi_axis_list list;
    assert_true(fxi_build_reduced_axes(&b, x, FX_AXES(-1, 0), &list));
    assert_int_equal(list.n, 2);
    assert_int_equal(list.v[0], 0);
    assert_true(fxi_build_axes(&b, x, FX_AXES(-1, 0), &list));
    assert_int_equal(list.v[0], 1);
    int64_t axis;
    assert_false(fxi_build_axis(&b, x, INT64_MIN, &axis));
    assert_error(g, FX_ERROR_AXIS,
                 "fx_test: axis -9223372036854775808 is out of range for (float32)[2, 3] (rank 2)");
    assert_false(fxi_build_begin(&b, "fx_test", (fx_node *const[]){x, &g->inert}, 2));
    assert_ptr_equal(b.stop, &g->inert);
    fx_graph_free(g);
}

static void test_finished_leaf(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    assert_true(fx_graph_finish(g, FX_NODES(), NULL));
    assert_ptr_equal(fx_scalar(g, FX_F32, 1), &g->inert);
    assert_error(g, FX_ERROR_GRAPH, "fx_scalar: the graph is finished");
    fx_graph_free(g);
}

int main(void) {
    const fx_allocator allocator = {
        .size = sizeof allocator, .alloc = take, .resize = resize, .release = give};
    if (!fx_set_allocator(&allocator)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_begin),
        cmocka_unit_test(test_finished_leaf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
