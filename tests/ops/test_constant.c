/* SPDX-License-Identifier: Apache-2.0 */
/* Constants, filled shapes and iota: values, dtypes, copies, errors, captures. */
#include "support/run_graph.h"
#include <fluxion/ops.h>

static void test_constant_is_a_copy(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const fx_shape shape = FX_SHAPE(FX_S32, 2);
    fx_tensor *tensor = fx_tensor_new(&shape, NULL);
    int32_t *data = fx_tensor_mutable_data(tensor);
    data[0] = 5;
    fx_node *c = fx_constant(g, tensor);
    data[0] = 6;
    fx_tensor_free(tensor);
    assert_value(g, c, "[2]int32{5, 0}");
}

static void test_constant_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_constant: the tensor is NULL", fx_constant(g, NULL));
    assert_null(fx_constant(NULL, NULL));
}

static void test_scalars(void **state) {
    (void)state;
    static const struct {
        fx_dtype dtype;
        double value;
        const char *wanted;
    } rows[] = {
        {FX_F32, 0.1, "float32(0.1)"},    {FX_S8, 300, "int8(127)"},     {FX_BOOL, 0.5, "bool(true)"},
        {FX_C64, 2, "complex64((2+0i))"}, {FX_BF16, 1.0, "bfloat16(1)"}, {FX_U4, 15, "uint4(15)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fx_graph *g = new_graph();
        assert_value(g, fx_scalar(g, rows[i].dtype, rows[i].value), rows[i].wanted);
    }
    fx_graph *g = new_graph();
    assert_value(g, fx_scalar_int(g, FX_U64, -1), "uint64(18446744073709551615)");
    g = new_graph();
    assert_value(g, fx_scalar_zero(g, FX_S2), "int2(0)");
    g = new_graph();
    assert_value(g, fx_scalar_one(g, FX_BOOL), "bool(true)");
    g = new_graph();
    assert_value(g, fx_infinity(g, FX_F16, -1), "float16(-Inf)");
    g = new_graph();
    assert_value(g, fx_infinity(g, FX_S16, 1), "int16(32767)");
}

static void test_scalar_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_scalar: there is no dtype 0", fx_scalar(g, FX_INVALID_DTYPE, 1));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_infinity: the sign is 0; it must be 1 or -1",
                   fx_infinity(g, FX_F32, 0));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_infinity: complex64 is not accepted; it takes integer, float dtypes (fx_convert converts)",
        fx_infinity(g, FX_C64, 1));
    const int64_t minus = -1;
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_constant_host: fx_tensor_from: the array has -1 for dimension 0",
                   fx_constant_host(g, (fx_host){NULL, FX_F32, &minus, 1}));
    assert_null(fx_scalar(NULL, FX_F32, 1));
}

static void test_filled(void **state) {
    (void)state;
    const fx_shape shape = FX_SHAPE(FX_S8, 2, 2), scalar = FX_SHAPE(FX_F32), empty = FX_SHAPE(FX_F32, 0);
    fx_graph *g = new_graph();
    assert_value(g, fx_fill_scalar(g, &shape, -3), "[2][2]int8{{-3, -3}, {-3, -3}}");
    g = new_graph();
    assert_value(g, fx_ones_like(fx_zeros(g, &shape)), "[2][2]int8{{1, 1}, {1, 1}}");
    g = new_graph();
    assert_value(g, fx_zeros_like(fx_ones(g, &scalar)), "float32(0)");
    g = new_graph();
    assert_node(fx_ones(g, &empty), "broadcast_in_dim", "(float32)[0]");
    assert_node(fx_ones(g, &scalar), "constant", "(float32)");
    fx_graph_free(g);
}

static void test_filled_errors(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_zeros: the shape is NULL", fx_zeros(g, NULL));
    assert_null(fx_zeros_like(NULL));
}

static void test_iota(void **state) {
    (void)state;
    const fx_shape shape = FX_SHAPE(FX_F32, 2, 3), scalar = FX_SHAPE(FX_S32), column = FX_SHAPE(FX_C64, 2, 1);
    fx_graph *g = new_graph();
    assert_value(g, fx_iota(g, &shape, -1), "[2][3]float32{{0, 1, 2}, {0, 1, 2}}");
    g = new_graph();
    assert_value(g, fx_iota_full(g, &shape), "[2][3]float32{{0, 1, 2}, {3, 4, 5}}");
    g = new_graph();
    assert_value(g, fx_iota_full(g, &scalar), "int32(0)");
    g = new_graph();
    assert_value(g, fx_iota(g, &column, 0), "[2][1]complex64{{(0+0i)}, {(1+0i)}}");
}

static void test_iota_errors(void **state) {
    (void)state;
    const fx_shape scalar = FX_SHAPE(FX_S32), flags = FX_SHAPE(FX_BOOL, 2);
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_iota: axis 0 is out of range for (int32) (rank 0)",
                   fx_iota(g, &scalar, 0));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_iota_full: bool is not accepted; it takes integer, float, complex dtypes (fx_convert converts)",
        fx_iota_full(g, &flags));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_iota: the shape is NULL", fx_iota(g, NULL, 0));
}

/* Operations on captured nodes alone land in the closure, constants of composites too. */
static void closure(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    (void)n_in, (void)n_out;
    fx_node *x = fx_one_minus(user);
    assert_ptr_equal(x->graph, body);
    assert_ptr_equal(x->operands[0]->graph, body);
    out[0] = fx_add(in[0], fx_zeros_like(x));
}

static void test_captures(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    const fx_shape shape = FX_SHAPE(FX_F32, 2);
    fx_node *x = parameter(g, shape);
    assert_non_null(fxi_closure_build(g, "fx_test", closure, x, &shape, 1, 1));
    assert_int_equal(fx_graph_node_count(g), 1);
    assert_true(fxi_verify(g, NULL));
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_is_a_copy),
        cmocka_unit_test(test_constant_errors),
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_scalar_errors),
        cmocka_unit_test(test_filled),
        cmocka_unit_test(test_filled_errors),
        cmocka_unit_test(test_iota),
        cmocka_unit_test(test_iota_errors),
        cmocka_unit_test(test_captures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
