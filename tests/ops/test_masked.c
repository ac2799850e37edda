/* SPDX-License-Identifier: Apache-2.0 */
/* What masked reductions refuse; their values are golden cases of the family rows. */
#include "exec/both.h"
#include "support/graph_helpers.h"
#include <fluxion/masked.h>
#include <fluxion/ops.h>
#include <stdio.h>

static const struct row {
    const char *name, *all_name;
    fx_masked_reducer reduce;
    fx_node *(*all)(fx_node *, fx_node *);
} rows[] = {
    {"fx_masked_reduce_sum", "fx_masked_reduce_all_sum", fx_masked_reduce_sum, fx_masked_reduce_all_sum},
    {"fx_masked_reduce_mean", "fx_masked_reduce_all_mean", fx_masked_reduce_mean, fx_masked_reduce_all_mean},
    {"fx_masked_reduce_max", "fx_masked_reduce_all_max", fx_masked_reduce_max, fx_masked_reduce_all_max},
    {"fx_masked_reduce_min", "fx_masked_reduce_all_min", fx_masked_reduce_min, fx_masked_reduce_all_min},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char *under(const char *name, const char *rest) {
    static char text[200];
    snprintf(text, sizeof text, "%s: %s", name, rest);
    return text;
}

static void test_masks(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        ASSERT_REFUSED(
            FX_ERROR_SHAPE,
            under(r->name,
                  "axis 0 of the mask [3] is 3, that of x [2, 3] is 2; the first axes are aligned, each of "
                  "the same dimension or 1"),
            r->reduce(parameter(g, FX_SHAPE(FX_F32, 2, 3)), parameter(g, FX_SHAPE(FX_BOOL, 3)), FX_AXES(1)));
        ASSERT_REFUSED(FX_ERROR_DTYPE, under(r->all_name, "the mask is float32; it must be bool"),
                       r->all(parameter(g, FX_SHAPE(FX_F32, 2, 3)), parameter(g, FX_SHAPE(FX_F32, 2, 3))));
        ASSERT_REFUSED(
            FX_ERROR_AXIS, under(r->name, "axis 2 is out of range for (float32)[2, 3] (rank 2)"),
            r->reduce(parameter(g, FX_SHAPE(FX_F32, 2, 3)), parameter(g, FX_SHAPE(FX_BOOL)), FX_AXES(2)));
        ASSERT_REFUSED(FX_ERROR_ARGUMENT, under(r->name, "operand 0 is NULL"),
                       r->reduce(NULL, parameter(g, FX_SHAPE(FX_BOOL)), FX_AXES()));
    }
}

static void test_dtypes(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_masked_reduce_mean: int32 has no mean; convert to a float dtype first",
                   fx_masked_reduce_mean(parameter(g, FX_SHAPE(FX_S32, 3)), NULL, FX_AXES()));
    for (size_t i = 0; i < ROWS; i++) {
        fx_graph *graph = new_graph();
        bool mean = rows[i].reduce == fx_masked_reduce_mean, sum = rows[i].reduce == fx_masked_reduce_sum;
        fx_node *x = parameter(graph, FX_SHAPE(mean ? FX_C64 : FX_U8, 2, 3)),
                *mask = parameter(graph, FX_SHAPE(FX_BOOL, 2));
        const fx_node *result = rows[i].reduce(x, mask, FX_AXES(1));
        assert_int_equal(fx_node_rank(result), 1);
        assert_no_error(graph);
        if (!mean && !sum)
            assert_int_equal(rows[i].all(parameter(graph, FX_SHAPE(FX_C64)), NULL)->op, FX_OP_INERT);
        if (sum) assert_int_equal(rows[i].all(parameter(graph, FX_SHAPE(FX_BOOL)), NULL)->op, FX_OP_INERT);
        fx_graph_free(graph);
    }
}

static fx_node *make_nothing(fx_node *x, fx_node *mask, fx_axes axes) {
    (void)x, (void)mask, (void)axes;
    return NULL;
}

static fx_node *reduce_nothing(fx_node *x, fx_node *mask, fx_axes axes) {
    (void)mask, (void)axes;
    return x;
}

static void test_and_keep(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F32, 2, 3, 4)), *mask = parameter(graph, FX_SHAPE(FX_BOOL, 2));
    assert_node(fx_masked_reduce_and_keep(x, mask, fx_masked_reduce_sum, FX_AXES(-1, 0)), "reshape",
                "(float32)[1, 3, 1]");
    assert_node(fx_masked_reduce_and_keep(x, NULL, fx_masked_reduce_max, FX_AXES()), "reshape",
                "(float32)[1, 1, 1]");
    assert_no_error(graph);
    fx_graph_free(graph);
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_masked_reduce_and_keep: the reducer is NULL",
                   fx_masked_reduce_and_keep(parameter(g, FX_SHAPE(FX_F32, 2)), NULL, NULL, FX_AXES()));
    ASSERT_REFUSED(
        FX_ERROR_ARGUMENT, "fx_masked_reduce_and_keep: the reducer returned NULL",
        fx_masked_reduce_and_keep(parameter(g, FX_SHAPE(FX_F32, 2)), NULL, make_nothing, FX_AXES()));
    ASSERT_REFUSED(
        FX_ERROR_SHAPE, "fx_masked_reduce_and_keep: the reducer made [2, 3] of [2, 3] instead of [2]",
        fx_masked_reduce_and_keep(parameter(g, FX_SHAPE(FX_F32, 2, 3)), NULL, reduce_nothing, FX_AXES(1)));
    ASSERT_REFUSED(
        FX_ERROR_AXIS, "fx_masked_reduce_and_keep: axis 1 is out of range for (float32)[2] (rank 1)",
        fx_masked_reduce_and_keep(parameter(g, FX_SHAPE(FX_F32, 2)), NULL, fx_masked_reduce_sum, FX_AXES(1)));
}

#if FLUXION_CPU
/* The mean of 4,194,304,000 ones, more than 32 bits can count; nothing of that size is stored. */
static fx_node *mean_of_many(fx_node *x) {
    fx_node *many = fx_broadcast_in_dim(x, FX_DIMS(2048, 64, 32000), FX_AXES());
    return fx_masked_reduce_all_mean(many, fx_not(fx_is_nan(many)));
}

static void test_count_beyond_32_bits(void **state) {
    (void)state;
    fx_backend *backend = fx_backend_open("cpu", FX_MUST);
    fx_exec *exec = fx_exec_new(backend, mean_of_many, FX_MUST);
    fx_tensor *mean = fx_call1(exec, FX_MUST, 1.0F);
    assert_text(mean, "float32(1)");
    fx_tensor_free(mean);
    fx_exec_free(exec);
    fx_backend_close(backend);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_dtypes),
        cmocka_unit_test(test_and_keep),
#if FLUXION_CPU
        cmocka_unit_test(test_count_beyond_32_bits),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
