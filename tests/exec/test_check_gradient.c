/* SPDX-License-Identifier: Apache-2.0 */
/* fx_check_gradient: functions whose gradients are right in every float dtype, one whose gradient is not what
 * its values say, and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/derivatives.h"
#include <fluxion.h>
#include <math.h>

#define GRAPH_FUNCTION(name)                                                                                 \
    static void name(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)body, (void)n_in, (void)n_out, (void)user

/* Two outputs of different shapes and an integer one; the last input is an integer. */
GRAPH_FUNCTION(several) {
    UNUSED;
    fx_node *product = fx_mul(in[0], fx_tanh(in[1]));
    out[0] = fx_reduce_sum(product, FX_AXES(1));
    out[1] = fx_arg_max(product, 1);
    out[2] = fx_sin(fx_add(in[0], fx_convert(in[2], fx_node_dtype(in[0]))));
}

GRAPH_FUNCTION(scalar_loss) {
    UNUSED;
    out[0] = fx_reduce_all_sum(fx_mul(fx_square(in[0]), in[0]));
}

GRAPH_FUNCTION(complex_function) {
    UNUSED;
    out[0] = fx_mul(fx_exp(in[0]), fx_conj(in[0]));
    out[1] = fx_abs(in[0]);
}

/* Values are a staircase, the gradient is 1 by convention. */
GRAPH_FUNCTION(staircase) {
    UNUSED;
    out[0] = fx_add(in[0], fx_reduce_precision(in[1], 8, 2));
}

GRAPH_FUNCTION(no_floats) {
    UNUSED;
    out[0] = fx_convert(in[0], FX_S32);
}

GRAPH_FUNCTION(root) {
    UNUSED;
    out[0] = fx_sqrt(in[0]);
}

/* exp with a gradient that forgot a factor. */
GRAPH_FUNCTION(forward_exp) {
    UNUSED;
    out[0] = fx_exp(in[0]);
}
GRAPH_FUNCTION(backward_exp) {
    UNUSED;
    out[0] = fx_mul_scalar(fx_mul(in[1], in[2]), 0.5);
}
GRAPH_FUNCTION(custom) {
    UNUSED;
    out[0] = fx_custom_gradient(FX_NODES(in[0]), forward_exp, backward_exp, NULL, 1, NULL);
}

static const int64_t dims[] = {2, 3};

/* Of float64, float32, complex128 or int32. */
static fx_tensor *values(fx_dtype dtype, double low, double high, unsigned seed) {
    fx_tensor *wide = random_values(dtype, (fx_dims){dims, 2}, low, high, seed);
    fx_shape shape = *fx_tensor_shape(wide);
    if (shape.dtype == dtype) return wide;
    shape.dtype = dtype;
    fx_tensor *narrow = fx_tensor_new(&shape, FX_MUST);
    float *single = fx_tensor_mutable_data(narrow);
    for (int64_t i = 0; i < fx_tensor_size(wide); i++) single[i] = (float)fx_tensor_get(wide, i);
    fx_tensor_free(wide);
    return narrow;
}

static void test_right(void **state) {
    (void)state;
    fx_backend *b = fx_backend_open("interp", FX_MUST);
    const fx_dtype dtypes[] = {FX_F64, FX_F32};
    for (int k = 0; k < 2; k++) {
        fx_tensor *in[] = {values(dtypes[k], -1, 1, 1), values(dtypes[k], -1, 1, 2), values(FX_S32, 0, 3, 3)};
        fx_check_report report = {.size = sizeof report};
        fx_error err = {.code = FX_OK};
        if (!fx_check_gradient(b, several, 3, 3, NULL, in, NULL, &report, &err)) fail_msg("%s", err.message);
        assert_int_equal(report.compared, 12);
        assert_true(report.error <= (k == 0 ? 1e-9 : 1e-4));
        for (int i = 0; i < 3; i++) fx_tensor_free(in[i]);
    }
    fx_backend_close(b);
}

static void test_complex(void **state) {
    (void)state;
    fx_backend *b = fx_backend_open("interp", FX_MUST);
    fx_tensor *in = values(FX_C128, 0.2, 1, 4);
    fx_check_report report = {.size = sizeof report};
    fx_error err = {.code = FX_OK};
    if (!fx_check_gradient(b, complex_function, 1, 2, NULL, &in, NULL, &report, &err))
        fail_msg("%s", err.message);
    assert_int_equal(report.compared, 12); /* both parts */
    fx_tensor_free(in);
    fx_backend_close(b);
}

/* A scalar loss has weight 1: the report holds its derivative, here of x^3 at 2. */
static void test_report(void **state) {
    (void)state;
    fx_backend *b = fx_backend_open("interp", FX_MUST);
    fx_tensor *in = fx_tensor_scalar(FX_F64, 2, FX_MUST);
    fx_check_report report = {.size = sizeof report};
    assert_true(fx_check_gradient(b, scalar_loss, 1, 1, NULL, &in, NULL, &report, FX_MUST));
    assert_true(report.gradient == 12);
    assert_true(fabs(report.difference - 12) < 1e-9);
    assert_true(report.input == 0 && report.element == 0 && !report.imaginary && report.compared == 1);
    fx_tensor_free(in);
    const double many[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    in = fx_tensor_copy_from(&FX_SHAPE(FX_F64, 10), many, FX_MUST);
    const fx_check_options few = {.elements = 4};
    assert_true(fx_check_gradient(b, scalar_loss, 1, 1, NULL, &in, &few, &report, FX_MUST));
    assert_int_equal(report.compared, 4);
    fx_tensor_free(in);
    fx_backend_close(b);
}

static void test_wrong(void **state) {
    (void)state;
    fx_backend *b = fx_backend_open("interp", FX_MUST);
    const double a[] = {1, 2, 3}, x[] = {1.1, 1.2, 1.3};
    fx_tensor *in[] = {fx_tensor_copy_from(&FX_SHAPE(FX_F64, 3), a, FX_MUST),
                       fx_tensor_copy_from(&FX_SHAPE(FX_F64, 3), x, FX_MUST)};
    fx_check_report report = {.size = sizeof report};
    fx_error err = {.code = FX_OK};
    assert_false(fx_check_gradient(b, staircase, 2, 1, NULL, in, NULL, &report, &err));
    assert_int_equal(err.code, FX_ERROR_GRADIENT);
    assert_string_equal(err.message,
                        "fx_check_gradient: input 1, element 0: the gradient is 1, differences give 0");
    assert_true(report.input == 1 && report.element == 0 && report.difference == 0);
    assert_true(fx_tensor_get(in[1], 1) == 1.2); /* inputs are as they were */
    const fx_check_options lax = {.tolerance = 1.5};
    assert_true(fx_check_gradient(b, staircase, 2, 1, NULL, in, &lax, NULL, &err));
    for (int i = 0; i < 2; i++) fx_tensor_free(in[i]);
    fx_backend_close(b);
}

static void test_wrong_custom_gradient(void **state) {
    (void)state;
    fx_backend *b = fx_backend_open("interp", FX_MUST);
    fx_tensor *in = fx_tensor_scalar(FX_F64, 0, FX_MUST);
    fx_error err = {.code = FX_OK};
    assert_false(fx_check_gradient(b, custom, 1, 1, NULL, &in, NULL, NULL, &err));
    assert_string_equal(err.message,
                        "fx_check_gradient: input 0, element 0: the gradient is 0.5, differences give 1");
    fx_tensor_free(in);
    fx_backend_close(b);
}

/* sqrt where both sides do not exist: differences are NaN, the gradient is infinite. */
static void test_edge(void **state) {
    (void)state;
    fx_backend *b = fx_backend_open("interp", FX_MUST);
    fx_tensor *in = fx_tensor_scalar(FX_F64, 0, FX_MUST);
    fx_check_report report = {.size = sizeof report};
    fx_error err = {.code = FX_OK};
    assert_false(fx_check_gradient(b, root, 1, 1, NULL, &in, NULL, &report, &err));
    assert_int_equal(err.code, FX_ERROR_GRADIENT);
    assert_true(isinf(report.error) && isinf(report.gradient) && isnan(report.difference));
    fx_tensor_free(in);
    fx_backend_close(b);
}

GRAPH_FUNCTION(square) {
    UNUSED;
    out[0] = fx_square(in[0]);
}
GRAPH_FUNCTION(norm) {
    UNUSED;
    out[0] = fx_sqrt(fx_reduce_all_sum(fx_square(in[0])));
}
GRAPH_FUNCTION(soft) {
    UNUSED;
    out[0] = fx_softmax(in[0], FX_AXES(0));
}
GRAPH_FUNCTION(largest) {
    UNUSED;
    out[0] = fx_reduce_all_max(in[0]);
    out[1] = fx_exp(in[0]);
}

/* Elements that are not finite are skipped, and do not spoil what is said of the others. */
static void test_not_finite(void **state) {
    (void)state;
    fx_backend *b = fx_backend_open("interp", FX_MUST);
    static const struct {
        fx_fn f;
        size_t n_out;
    } functions[] = {{square, 1}, {norm, 1}, {soft, 1}, {largest, 2}};
    const double odd[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
    for (size_t k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            for (int at = 0; at < 3; at++) {
                double x[] = {0.5, 1.5, -0.75};
                x[at] = odd[i];
                fx_tensor *in = fx_tensor_copy_from(&FX_SHAPE(FX_F64, 3), x, FX_MUST);
                fx_check_report report = {.size = sizeof report};
                fx_error err = {.code = FX_OK};
                if (!fx_check_gradient(b, functions[k].f, 1, functions[k].n_out, NULL, &in, NULL, &report,
                                       &err))
                    fail_msg("function %zu, %g at %d: %s", k, odd[i], at, err.message);
                if (k == 0) assert_int_equal(report.compared, 2);
                assert_true(report.compared <= 2);
                fx_tensor_free(in);
            }
    const double pairs[] = {1, 2, (double)INFINITY, 1, 1, (double)NAN, 3, 4};
    fx_tensor *z = fx_tensor_copy_from(&FX_SHAPE(FX_C128, 4), pairs, FX_MUST);
    fx_check_report report = {.size = sizeof report};
    assert_true(fx_check_gradient(b, square, 1, 1, NULL, &z, NULL, &report, FX_MUST));
    assert_int_equal(report.compared, 4);
    fx_tensor_free(z);
    const double beside[] = {0, (double)INFINITY}; /* where wrong gradients are still found */
    fx_tensor *in = fx_tensor_copy_from(&FX_SHAPE(FX_F64, 2), beside, FX_MUST);
    fx_error err = {.code = FX_OK};
    assert_false(fx_check_gradient(b, custom, 1, 1, NULL, &in, NULL, NULL, &err));
    assert_string_equal(err.message,
                        "fx_check_gradient: input 0, element 0: the gradient is 0.5, differences give 1");
    fx_tensor_free(in);
    fx_backend_close(b);
}

static void refused(fx_backend *b, fx_fn f, size_t n_in, size_t n_out, fx_tensor *const *in,
                    const fx_check_options *options, const char *message) {
    fx_error err = {.code = FX_OK};
    assert_false(fx_check_gradient(b, f, n_in, n_out, NULL, in, options, NULL, &err));
    assert_string_equal(err.message, message);
}

static void test_refusals(void **state) {
    (void)state;
    fx_backend *b = fx_backend_open("interp", FX_MUST);
    fx_tensor *x = fx_tensor_scalar(FX_F64, 1, FX_MUST), *i = fx_tensor_scalar(FX_S32, 1, FX_MUST),
              *null = NULL;
    refused(NULL, root, 1, 1, &x, NULL, "fx_check_gradient: the backend is NULL");
    refused(b, NULL, 1, 1, &x, NULL, "fx_check_gradient: the function is NULL");
    refused(b, root, 1, 1, NULL, NULL, "fx_check_gradient: the inputs are NULL");
    refused(b, root, 1, 1, &null, NULL, "fx_check_gradient: input 0 is NULL");
    refused(b, root, 1, 1, &x, &(fx_check_options){.step = -1}, "fx_check_gradient: an option is negative");
    refused(b, no_floats, 1, 1, &x, NULL, "fx_check_gradient: no output is float or complex");
    refused(b, no_floats, 1, 1, &i, NULL, "fx_check_gradient: no output is float or complex");
    refused(b, root, 1, 0, &x, NULL,
            "fx_exec_new_fn: 1 inputs and 0 outputs; at least one output, at most 1048576 of each");
    refused(b, root, 1, 1, &i, NULL,
            "fx_sqrt: int32 is not accepted; it takes float, complex dtypes (fx_convert converts)");
    fx_tensor_free(x);
    fx_tensor_free(i);
    fx_backend_close(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right),
                                       cmocka_unit_test(test_complex),
                                       cmocka_unit_test(test_report),
                                       cmocka_unit_test(test_wrong),
                                       cmocka_unit_test(test_wrong_custom_gradient),
                                       cmocka_unit_test(test_edge),
                                       cmocka_unit_test(test_not_finite),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
