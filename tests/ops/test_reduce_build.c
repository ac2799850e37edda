/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of reductions: axes, families of dtypes, statistics (their values too), kept axes, indices. */
#include "support/run_graph.h"
#include <fluxion/ops.h>

typedef fx_node *(*axes_fn)(fx_node *, fx_axes);
typedef fx_node *(*all_fn)(fx_node *);

static const struct {
    const char *name;
    axes_fn of_axes;
    all_fn of_all;
    fxi_reduce_kind kind;
    fx_dtype accepts, refuses;
} rows[] = {
    {"sum", fx_reduce_sum, fx_reduce_all_sum, FXI_SUM, FX_C64, FX_BOOL},
    {"product", fx_reduce_product, fx_reduce_all_product, FXI_PRODUCT, FX_S8, FX_BOOL},
    {"max", fx_reduce_max, fx_reduce_all_max, FXI_MAX, FX_BOOL, FX_C64},
    {"min", fx_reduce_min, fx_reduce_all_min, FXI_MIN, FX_F16, FX_C64},
    {"and", fx_reduce_and, fx_reduce_all_and, FXI_AND, FX_BOOL, FX_S8},
    {"or", fx_reduce_or, fx_reduce_all_or, FXI_OR, FX_BOOL, FX_F32},
    {"xor", fx_reduce_xor, fx_reduce_all_xor, FXI_XOR, FX_BOOL, FX_U8},
    {"bitwise_and", fx_reduce_bitwise_and, fx_reduce_all_bitwise_and, FXI_AND, FX_S4, FX_BOOL},
    {"bitwise_or", fx_reduce_bitwise_or, fx_reduce_all_bitwise_or, FXI_OR, FX_U64, FX_F32},
    {"bitwise_xor", fx_reduce_bitwise_xor, fx_reduce_all_bitwise_xor, FXI_XOR, FX_S32, FX_BOOL},
};

static void assert_refuses(const char *name, fx_node *result) {
    char wanted[80];
    snprintf(wanted, sizeof wanted, "%s: ", name);
    assert_int_equal(result->op, FX_OP_INERT);
    assert_memory_equal(result->graph->error.message, wanted, strlen(wanted));
    assert_int_equal(result->graph->error.code, FX_ERROR_DTYPE);
}

static void test_kinds(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fx_graph *g = new_graph();
        fx_node *x = parameter(g, FX_SHAPE(rows[i].accepts, 2, 3, 4)),
                *scalar = parameter(g, FX_SHAPE(rows[i].accepts));
        const fx_node *some = rows[i].of_axes(x, FX_AXES(-1, 0)), *all = rows[i].of_all(x);
        assert_string_equal(fx_node_op(some), "reduce");
        assert_int_equal(fxi_node_int(some, FXI_ATTR_KIND), rows[i].kind);
        assert_int_equal(fx_node_rank(some), 1);
        assert_int_equal(fx_node_dim(some, 0), 3);
        assert_int_equal(fx_node_dtype(some), rows[i].accepts);
        assert_int_equal(fxi_node_ints(some, FXI_ATTR_AXES).v[0], 0); /* increasing */
        assert_int_equal(fxi_node_ints(some, FXI_ATTR_AXES).v[1], 2);
        assert_int_equal(fx_node_rank(all), 0);
        assert_int_equal(fx_node_rank(rows[i].of_axes(x, FX_AXES())), 0);
        assert_ptr_equal(rows[i].of_all(scalar), scalar);
        assert_null(rows[i].of_all(NULL));
        fx_graph_free(g);
        char name[60];
        g = new_graph();
        snprintf(name, sizeof name, "fx_reduce_%s", rows[i].name);
        assert_refuses(name, rows[i].of_axes(parameter(g, FX_SHAPE(rows[i].refuses, 2)), FX_AXES()));
        fx_graph_free(g);
        g = new_graph();
        snprintf(name, sizeof name, "fx_reduce_all_%s", rows[i].name);
        assert_refuses(name, rows[i].of_all(parameter(g, FX_SHAPE(rows[i].refuses, 2))));
        fx_graph_free(g);
    }
}

static fx_node *x23(fx_graph *g) {
    return parameter(g, FX_SHAPE(FX_F32, 2, 3));
}

static void test_axis_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_reduce_sum: axis 3 is out of range for (float32)[2, 3] (rank 2)",
                   fx_reduce_sum(x23(g), FX_AXES(0, 3)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_reduce_max: axis -3 is out of range for (float32)[2, 3] (rank 2)",
                   fx_reduce_max(x23(g), FX_AXES(-3)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_reduce_mean: axis 1 of (float32)[2, 3] is named twice",
                   fx_reduce_mean(x23(g), FX_AXES(1, -1)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_reduce_and_keep: axis 2 is out of range for (float32)[2, 3] (rank 2)",
                   fx_reduce_and_keep(x23(g), fx_reduce_sum, FX_AXES(2)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_reduce_sum: axis 0 is out of range for (float32) (rank 0)",
                   fx_reduce_sum(parameter(g, FX_SHAPE(FX_F32)), FX_AXES(0)));
}

static void test_statistics_refuse_integers(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_reduce_mean: int32 has no mean; convert to a float dtype first",
                   fx_reduce_mean(parameter(g, FX_SHAPE(FX_S32, 3)), FX_AXES()));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_reduce_all_mean: bool has no mean; convert to a float dtype first",
                   fx_reduce_all_mean(parameter(g, FX_SHAPE(FX_BOOL, 3))));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_reduce_variance: uint8 has no variance; convert to a float dtype first",
                   fx_reduce_variance(parameter(g, FX_SHAPE(FX_U8, 3)), FX_AXES(0)));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_reduce_variance: complex64 is not accepted; it takes float dtypes (fx_convert converts)",
        fx_reduce_variance(parameter(g, FX_SHAPE(FX_C64, 3)), FX_AXES(0)));
}

static fx_node *matrix(fx_graph *g) {
    static const double v[2][3] = {{1, 2, 6}, {-4, 0, 4}};
    return fx_constant_host(g, (fx_host){v, FX_F64, (const int64_t[]){2, 3}, 2});
}

static void test_statistics(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    assert_value(g, fx_reduce_mean(matrix(g), FX_AXES(1)), "[2]float64{3, 0}");
    g = new_graph();
    assert_value(g, fx_reduce_all_mean(matrix(g)), "float64(1.5)");
    g = new_graph();
    assert_value(g, fx_reduce_variance(matrix(g), FX_AXES(0)), "[3]float64{6.25, 1, 1}");
    g = new_graph();
    assert_value(g, fx_reduce_all_variance(fx_reshape(matrix(g), FX_DIMS(6))), "float64(9.916666666666666)");
    g = new_graph(); /* the sum, 120000, and the squares are no float16 */
    const fx_shape two = FX_SHAPE(FX_F16, 2);
    assert_value(g, fx_reduce_all_mean(fx_fill_scalar(g, &two, 60000)), "float16(60000)");
    g = new_graph();
    const fx_shape empty = FX_SHAPE(FX_F32, 0, 2);
    assert_value(g, fx_reduce_mean(fx_zeros(g, &empty), FX_AXES(0)), "[2]float32{NaN, NaN}");
    g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_C64, 4));
    assert_node(fx_reduce_all_mean(x), "div", "(complex64)");
    fx_node *half = parameter(g, FX_SHAPE(FX_BF16, 4));
    assert_node(fx_reduce_all_variance(half), "convert", "(bfloat16)");
    fx_node *scalar = parameter(g, FX_SHAPE(FX_F32));
    assert_ptr_equal(fx_reduce_all_mean(scalar), scalar);
    fx_graph_free(g);
}

static void test_truth(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    assert_value(g, fx_logical_all(matrix(g), FX_AXES(1)), "[2]bool{true, false}");
    g = new_graph();
    assert_value(g, fx_logical_any(fx_is_zero(matrix(g)), FX_AXES(0)), "[3]bool{false, true, false}");
}

static void test_truth_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_logical_any: float8_e5m2 is not accepted; it takes bool, integer, float, complex dtypes "
        "(fx_convert converts)",
        fx_logical_any(parameter(g, FX_SHAPE(FX_F8E5M2, 2)), FX_AXES()));
}

/* ---- kept axes ---- */

static fx_node *reduces_wrongly(fx_node *x, fx_axes axes) {
    (void)axes;
    return x;
}

static fx_node *reduces_to_null(fx_node *x, fx_axes axes) {
    (void)x, (void)axes;
    return NULL;
}

static void test_keep(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32, 2, 3, 4));
    assert_node(fx_reduce_and_keep(x, fx_reduce_sum, FX_AXES(1, -1)), "reshape", "(float32)[2, 1, 1]");
    assert_node(fx_reduce_and_keep(x, fx_reduce_mean, FX_AXES()), "reshape", "(float32)[1, 1, 1]");
    assert_node(fx_reduce_and_keep(x, fx_logical_any, FX_AXES(0)), "reshape", "(bool)[1, 3, 4]");
    fx_node *scalar = parameter(g, FX_SHAPE(FX_F32));
    assert_ptr_equal(fx_reduce_and_keep(scalar, fx_reduce_sum, FX_AXES()), scalar);
    assert_null(fx_reduce_and_keep(NULL, fx_reduce_sum, FX_AXES()));
    fx_graph_free(g);
}

static void test_keep_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_reduce_and_keep: the reducer is NULL",
                   fx_reduce_and_keep(x23(g), NULL, FX_AXES()));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_reduce_and_keep: the reducer returned NULL",
                   fx_reduce_and_keep(x23(g), reduces_to_null, FX_AXES()));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_reduce_and_keep: the reducer made [2, 3] of [2, 3] instead of [2]",
                   fx_reduce_and_keep(x23(g), reduces_wrongly, FX_AXES(1)));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_reduce_and: float32 is not accepted; it takes bool dtypes (fx_convert converts)",
                   fx_reduce_and_keep(x23(g), fx_reduce_and, FX_AXES(1)));
}

/* ---- indices ---- */

static void test_arg(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = x23(g);
    assert_node(fx_arg_max(x, -1), "arg_reduce", "(int32)[2]");
    assert_node(fx_arg_min(x, 0), "arg_reduce", "(int32)[3]");
    assert_node(fx_arg_max_dtype(x, 0, FX_S64), "arg_reduce", "(int64)[3]");
    const fx_node *least = fx_arg_min_dtype(parameter(g, FX_SHAPE(FX_BOOL, 4)), 0, FX_U2);
    assert_node(least, "arg_reduce", "(uint2)");
    assert_int_equal(fxi_node_int(least, FXI_ATTR_KIND), FXI_MIN);
    fx_graph_free(g);
}

static void test_arg_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_arg_max: axis 0 is out of range for (float32) (rank 0)",
                   fx_arg_max(parameter(g, FX_SHAPE(FX_F32)), 0));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_arg_min: axis 1 of (float32)[2, 0] is empty: there is no index to give",
                   fx_arg_min(parameter(g, FX_SHAPE(FX_F32, 2, 0)), 1));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_arg_max: the indices of axis 0 of (int8)[3000000000] do not fit into int32",
                   fx_arg_max(parameter(g, FX_SHAPE(FX_S8, 3000000000)), 0));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_arg_max_dtype: indices cannot be float32; use an integer dtype",
                   fx_arg_max_dtype(x23(g), 0, FX_F32));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_arg_max: complex64 is not accepted; it takes bool, integer, float dtypes (fx_convert converts)",
        fx_arg_max(parameter(g, FX_SHAPE(FX_C64, 2)), 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_axis_errors),
        cmocka_unit_test(test_statistics_refuse_integers),
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_keep),
        cmocka_unit_test(test_keep_errors),
        cmocka_unit_test(test_truth),
        cmocka_unit_test(test_truth_errors),
        cmocka_unit_test(test_arg),
        cmocka_unit_test(test_arg_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
