/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of linear algebra: shapes, and what they refuse. Values are golden cases (tests/golden/linalg.py). */
#include "support/graph_helpers.h"
#include <fluxion/linalg.h>
#include <math.h>
#include <stdio.h>

#define DTYPES "it takes float32, float64, complex64, complex128 (fx_convert converts)"

static void shapes(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *a = parameter(g, FX_SHAPE(FX_C64, 2, 3, 3)), *b = parameter(g, FX_SHAPE(FX_C64, 2, 3, 5));
    fx_node *left = parameter(g, FX_SHAPE(FX_C64, 2, 5, 3));
    assert_node(fx_cholesky(a, true), "cholesky", "(complex64)[2, 3, 3]");
    assert_node(fx_triangular_solve(a, b, NULL), "triangular_solve", "(complex64)[2, 3, 5]");
    assert_node(fx_triangular_solve(a, left, &(fx_triangular_options){.right = true}), "triangular_solve",
                "(complex64)[2, 5, 3]");
    assert_node(fx_cholesky_solve(a, b, false), "triangular_solve", "(complex64)[2, 3, 5]");
    assert_node(fx_matrix_power(a, 3), "dot_general", "(complex64)[2, 3, 3]");
    assert_node(fx_matrix_norm(a, FX_MATRIX_NORM_ONE), "max", "(float32)[2]");
    fx_node *f[3], *tall = parameter(g, FX_SHAPE(FX_F64, 2, 5, 3));
    const fx_node *first = fx_lu(tall, f);
    assert_ptr_equal(first, f[0]);
    assert_node(f[0], "lu", "(float64)[2, 5, 3]");
    assert_node(f[1], "result", "(int32)[2, 3]");
    assert_node(f[2], "result", "(int32)[2, 5]");
    assert_node(fx_qr(tall, false, f), "qr", "(float64)[2, 5, 3]");
    assert_node(f[1], "result", "(float64)[2, 3, 3]");
    assert_node(fx_qr(tall, true, f), "qr", "(float64)[2, 5, 5]");
    assert_node(f[1], "result", "(float64)[2, 5, 3]");
    assert_node(fx_eigh(a, true, f), "eigh", "(float32)[2, 3]");
    assert_node(f[1], "result", "(complex64)[2, 3, 3]");
    assert_node(fx_svd(tall, false, f), "svd", "(float64)[2, 5, 3]");
    assert_node(f[1], "result", "(float64)[2, 3]");
    assert_node(f[2], "result", "(float64)[2, 3, 3]");
    assert_node(fx_svd(b, true, f), "svd", "(complex64)[2, 3, 3]");
    assert_node(f[1], "result", "(float32)[2, 3]");
    assert_node(f[2], "result", "(complex64)[2, 5, 5]");
    assert_node(fx_svd(b, true, NULL), "svd", "(complex64)[2, 3, 3]");
    assert_node(fx_solve(a, b), "triangular_solve", "(complex64)[2, 3, 5]");
    assert_node(fx_inverse(a), "triangular_solve", "(complex64)[2, 3, 3]");
    assert_node(fx_det(a), "composite", "(complex64)[2]");
    assert_node(fx_slogdet(a, f), "mul", "(complex64)[2]");
    assert_node(f[1], "reduce", "(float32)[2]");
    assert_node(fx_slogdet(a, NULL), "mul", "(complex64)[2]");
    assert_node(fx_pinv(tall, 0), "composite", "(float64)[2, 3, 5]");
    assert_node(fx_pinv(tall, 0.5), "dot_general", "(float64)[2, 3, 5]");
    assert_node(fx_least_squares(tall, tall, 0), "dot_general", "(float64)[2, 3, 3]");
    assert_node(fx_matrix_rank(tall, 0), "reduce", "(int32)[2]");
    assert_ptr_equal(fx_matrix_power(a, 1), a);
    assert_node(fx_norm(parameter(g, FX_SHAPE(FX_F16, 4, 5)), 1, FX_AXES(0)), "convert", "(float16)[5]");
    assert_no_error(g);
    fx_graph_free(g);
}

static fx_node *lu(fx_node *a) { return fx_lu(a, NULL); }
static fx_node *qr(fx_node *a) { return fx_qr(a, false, NULL); }
static fx_node *eigh(fx_node *a) { return fx_eigh(a, true, NULL); }
static fx_node *svd(fx_node *a) { return fx_svd(a, false, NULL); }
static fx_node *slogdet(fx_node *a) { return fx_slogdet(a, NULL); }
static fx_node *pinv(fx_node *a) { return fx_pinv(a, -1); }
static fx_node *rank(fx_node *a) { return fx_matrix_rank(a, -1); }
static fx_node *inverse_square(fx_node *a) { return fx_matrix_power(a, -2); }

static void refusals(void **state) {
    (void)state;
    const fx_shape square = FX_SHAPE(FX_F32, 3, 3), wide = FX_SHAPE(FX_F32, 2, 3), vector = FX_SHAPE(FX_F32, 3);
    const fx_shape half = FX_SHAPE(FX_BF16, 3, 3), whole = FX_SHAPE(FX_S32, 3, 3), two = FX_SHAPE(FX_F32, 2, 3, 3);
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_cholesky: bfloat16 is not accepted; " DTYPES,
                   fx_cholesky(parameter(g, half), true));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_cholesky: (float32)[3] is no matrix; the rank must be at least 2",
                   fx_cholesky(parameter(g, vector), true));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_cholesky: the matrices of (float32)[2, 3] are not square",
                   fx_cholesky(parameter(g, wide), true));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_triangular_solve: the matrices of (float32)[2, 3] are not square",
                   fx_triangular_solve(parameter(g, wide), parameter(g, square), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_triangular_solve: (float32)[3] is no matrix; the rank must be at least 2",
                   fx_triangular_solve(parameter(g, square), parameter(g, vector), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_triangular_solve: a [3, 3] and b [2, 3] do not fit: axis 0 of b must be as long as the matrices "
                   "of a, and the axes before them equal",
                   fx_triangular_solve(parameter(g, square), parameter(g, wide), NULL));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_cholesky_solve: a [3, 3] and b [2, 3, 3] do not fit: axis 1 of b must be as long as the matrices "
                   "of a, and the axes before them equal",
                   fx_cholesky_solve(parameter(g, square), parameter(g, two), true));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_triangular_solve: dtypes float32 and bfloat16 differ; convert one of them with fx_convert",
                   fx_triangular_solve(parameter(g, square), parameter(g, half), NULL));
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_triangular_solve: there is no transpose 3",
                   fx_triangular_solve(parameter(g, square), parameter(g, square),
                                       &(fx_triangular_options){.transpose = (fx_transpose_kind)3}));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_triangular_solve: options.size is 1; it must be 16 or 0",
                   fx_triangular_solve(parameter(g, square), parameter(g, square), &(fx_triangular_options){.size = 1}));
    static const struct {
        const char *name;
        fx_node *(*build)(fx_node *a);
        bool square;
    } factors[] = {{"fx_lu", lu, false},           {"fx_qr", qr, false},       {"fx_eigh", eigh, true},
                   {"fx_svd", svd, false},         {"fx_inverse", fx_inverse, true}, {"fx_det", fx_det, true},
                   {"fx_slogdet", slogdet, true},  {"fx_pinv", pinv, false},   {"fx_matrix_rank", rank, false},
                   {"fx_matrix_power", inverse_square, true}};
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        char message[200];
        (void)snprintf(message, sizeof message, "%s: bfloat16 is not accepted; " DTYPES, factors[i].name);
        ASSERT_REFUSED(FX_ERROR_DTYPE, message, factors[i].build(parameter(g, half)));
        if (i + 1 == sizeof factors / sizeof factors[0]) break;
        (void)snprintf(message, sizeof message, "%s: (float32)[3] is no matrix; the rank must be at least 2", factors[i].name);
        ASSERT_REFUSED(FX_ERROR_SHAPE, message, factors[i].build(parameter(g, vector)));
        (void)snprintf(message, sizeof message, "%s: the matrices of (float32)[2, 3] are not square", factors[i].name);
        if (factors[i].square) ASSERT_REFUSED(FX_ERROR_SHAPE, message, factors[i].build(parameter(g, wide)));
    }
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_lu: rows of (float32)[2147483648, 1] cannot be numbered in int32",
                   lu(parameter(g, FX_SHAPE(FX_F32, INT64_C(1) << 31, 1))));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_solve: the matrices of (float32)[2, 3] are not square",
                   fx_solve(parameter(g, wide), parameter(g, square)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_solve: a [2, 3, 3] and b [3] do not fit: b must be [..., n, m] for a [..., n, n]",
                   fx_solve(parameter(g, two), parameter(g, vector)));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_solve: dtypes float32 and bfloat16 differ; convert one of them with fx_convert",
                   fx_solve(parameter(g, square), parameter(g, half)));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_least_squares: dtypes float32 and int32 differ; convert one of them with fx_convert",
                   fx_least_squares(parameter(g, square), parameter(g, whole), 0));
    ASSERT_REFUSED(FX_ERROR_DTYPE, "fx_matrix_norm: bfloat16 is not accepted; " DTYPES,
                   fx_matrix_norm(parameter(g, half), FX_MATRIX_NORM_TWO));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_matrix_power: (float32)[2, 3] is no square matrix, or batch of such",
                   fx_matrix_power(parameter(g, wide), 2));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_norm: int32 has no norm; convert to a float dtype first",
                   fx_norm(parameter(g, whole), 2, FX_AXES()));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_norm: the order is NaN", fx_norm(parameter(g, square), NAN, FX_AXES()));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_norm: axis 2 is out of range for (float32)[3, 3] (rank 2)",
                   fx_norm(parameter(g, square), 2, FX_AXES(2)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_matrix_norm: (float32)[3] is no matrix; the rank must be at least 2",
                   fx_matrix_norm(parameter(g, vector), FX_MATRIX_NORM_MAX));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_matrix_norm: there is no norm 6",
                   fx_matrix_norm(parameter(g, square), (fx_matrix_norm_kind)6));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
