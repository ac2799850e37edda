/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of products: shapes by NumPy's rules, values against plain loops for every way batch axes can
 * meet, and what they refuse. */
#include "support/run_graph.h"
#include <fluxion/ops.h>

static fx_node *p(fx_graph *g, fx_shape shape) {
    return parameter(g, shape);
}

static void test_dot_general(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = p(g, FX_SHAPE(FX_S8, 5, 2, 3)), *y = p(g, FX_SHAPE(FX_S8, 3, 4, 5));
    assert_node(fx_dot_general(x, FX_AXES(-1), FX_AXES(0), y, FX_AXES(0), FX_AXES(-1)), "dot_general",
                "(int8)[5, 2, 4]");
    assert_node(fx_dot_general_dtype(x, FX_AXES(2), FX_AXES(0), y, FX_AXES(0), FX_AXES(2), FX_S32),
                "dot_general", "(int32)[5, 2, 4]");
    assert_node(fx_dot_general(x, FX_AXES(), FX_AXES(), y, FX_AXES(), FX_AXES()), "dot_general",
                "(int8)[5, 2, 3, 3, 4, 5]");
    fx_node *half = p(g, FX_SHAPE(FX_BF16, 4));
    assert_node(fx_dot_general_dtype(half, FX_AXES(0), FX_AXES(), half, FX_AXES(0), FX_AXES(), FX_F32),
                "dot_general", "(float32)");
    assert_no_error(g);
    fx_graph_free(g);
}

static void test_dot_general_errors(void **state) {
    (void)state;
    const fx_shape m = FX_SHAPE(FX_F32, 2, 3), n = FX_SHAPE(FX_F32, 3, 2), square = FX_SHAPE(FX_F32, 3, 3);
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_dot_general: 1 contracting axes of the left operand, 2 of the right",
                   fx_dot_general(p(g, m), FX_AXES(1), FX_AXES(), p(g, n), FX_AXES(0, 1), FX_AXES()));
    ASSERT_REFUSED(
        FX_ERROR_AXIS, "fx_dot_general: axis 1 is named twice",
        fx_dot_general(p(g, square), FX_AXES(1), FX_AXES(1), p(g, square), FX_AXES(0), FX_AXES(0)));
    ASSERT_REFUSED(FX_ERROR_AXIS, "fx_dot_general: axis 2 is out of range for (float32)[2, 3] (rank 2)",
                   fx_dot_general(p(g, m), FX_AXES(2), FX_AXES(), p(g, n), FX_AXES(0), FX_AXES()));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_dot_general: [2, 3] and [3, 2]: the batch axes 0 and 0 have 2 and 3",
                   fx_dot_general(p(g, m), FX_AXES(), FX_AXES(0), p(g, n), FX_AXES(), FX_AXES(0)));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_dot_general: dtypes float32 and float64 differ; convert one of them with fx_convert",
        fx_dot_general(p(g, m), FX_AXES(1), FX_AXES(), p(g, FX_SHAPE(FX_F64, 3)), FX_AXES(0), FX_AXES()));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_dot_general_dtype: float32 operands give float32 or a wider dtype of its kind, not float16",
        fx_dot_general_dtype(p(g, m), FX_AXES(1), FX_AXES(), p(g, n), FX_AXES(0), FX_AXES(), FX_F16));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_dot_general: bool is not accepted; it takes integer, float, complex dtypes (fx_convert converts)",
        fx_dot_general(p(g, FX_SHAPE(FX_BOOL, 2)), FX_AXES(0), FX_AXES(), p(g, FX_SHAPE(FX_BOOL, 2)),
                       FX_AXES(0), FX_AXES()));
}

static void test_dot_product(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *v = p(g, FX_SHAPE(FX_F32, 3)), *m = p(g, FX_SHAPE(FX_F32, 2, 3)),
            *n = p(g, FX_SHAPE(FX_F32, 3, 4));
    assert_node(fx_dot_product(v, v), "dot_general", "(float32)");
    assert_node(fx_dot_product(m, v), "dot_general", "(float32)[2]");
    assert_node(fx_dot_product(v, n), "dot_general", "(float32)[4]");
    assert_node(fx_dot_product(m, n), "dot_general", "(float32)[2, 4]");
    fx_graph_free(g);
}

static void test_dot_product_errors(void **state) {
    (void)state;
    const fx_shape v = FX_SHAPE(FX_F32, 3), m = FX_SHAPE(FX_F32, 2, 4), cube = FX_SHAPE(FX_F32, 2, 2, 3);
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_dot_product: shapes [2, 2, 3] and [3]: the ranks must be 1 or 2",
                   fx_dot_product(p(g, cube), p(g, v)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_dot_product: shapes [] and [3]: the ranks must be 1 or 2",
                   fx_dot_product(p(g, FX_SHAPE(FX_F32)), p(g, v)));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_dot_product: shapes [2, 4] and [3] do not multiply: axis 1 has 4 and axis 0 has 3",
                   fx_dot_product(p(g, m), p(g, v)));
}

/* ---- matmul ---- */

/* NumPy's broadcast of batch axes, by indices: element [batch, i, j] of the result. */
static int64_t expected(const fx_shape *x, const fx_shape *y, const int64_t *index, int batch, int64_t i,
                        int64_t j) {
    int64_t sum = 0, k_count = x->dims[x->rank - 1];
    for (int64_t k = 0; k < k_count; k++) {
        int64_t xi = 0, yi = 0;
        for (int a = 0; a < x->rank - 2; a++) {
            int64_t at = index[batch - (x->rank - 2) + a];
            xi = xi * x->dims[a] + (x->dims[a] == 1 ? 0 : at);
        }
        for (int a = 0; a < y->rank - 2; a++) {
            int64_t at = index[batch - (y->rank - 2) + a];
            yi = yi * y->dims[a] + (y->dims[a] == 1 ? 0 : at);
        }
        xi = (xi * x->dims[x->rank - 2] + i) * k_count + k;
        yi = (yi * k_count + k) * y->dims[y->rank - 1] + j;
        sum += xi * (yi + 1);
    }
    return sum;
}

/* x holds 0, 1, 2, ... and y 1, 2, 3, ... */
static void check_matmul(fx_shape x, fx_shape y, const char *shape) {
    fx_graph *g = new_graph();
    fx_node *product = fx_matmul(fx_iota_full(g, &x), fx_add_scalar_int(fx_iota_full(g, &y), 1));
    assert_string_equal(fx_shape_to_text(fx_node_shape(product)).s, shape);
    fx_tensor *value = run_graph(g, product);
    const fx_shape *r = fx_tensor_shape(value);
    int64_t m = r->dims[r->rank - 2], n = r->dims[r->rank - 1];
    for (int64_t at = 0; at < fx_tensor_size(value); at++) {
        int64_t index[FX_MAX_RANK], rest = at / n / m;
        for (int a = r->rank - 3; a >= 0; a--) {
            index[a] = rest % r->dims[a];
            rest /= r->dims[a];
        }
        assert_int_equal(fx_tensor_get_int(value, at),
                         expected(&x, &y, index, r->rank - 2, at / n % m, at % n));
    }
    fx_tensor_free(value);
}

static void test_matmul_values(void **state) {
    (void)state;
    check_matmul(FX_SHAPE(FX_S64, 2, 3), FX_SHAPE(FX_S64, 3, 4), "(int64)[2, 4]");
    check_matmul(FX_SHAPE(FX_S64, 5, 2, 3), FX_SHAPE(FX_S64, 3, 4), "(int64)[5, 2, 4]");
    check_matmul(FX_SHAPE(FX_S64, 2, 3), FX_SHAPE(FX_S64, 5, 3, 4), "(int64)[5, 2, 4]");
    check_matmul(FX_SHAPE(FX_S64, 5, 2, 3), FX_SHAPE(FX_S64, 5, 3, 4), "(int64)[5, 2, 4]");
    check_matmul(FX_SHAPE(FX_S64, 1, 2, 3), FX_SHAPE(FX_S64, 5, 3, 4), "(int64)[5, 2, 4]");
    check_matmul(FX_SHAPE(FX_S64, 6, 1, 2, 3), FX_SHAPE(FX_S64, 1, 5, 3, 4), "(int64)[6, 5, 2, 4]");
    check_matmul(FX_SHAPE(FX_S64, 1, 5, 2, 3), FX_SHAPE(FX_S64, 6, 1, 3, 4), "(int64)[6, 5, 2, 4]");
    check_matmul(FX_SHAPE(FX_S64, 7, 1, 5, 2, 3), FX_SHAPE(FX_S64, 6, 5, 3, 4), "(int64)[7, 6, 5, 2, 4]");
    check_matmul(FX_SHAPE(FX_S64, 1, 1, 2, 3), FX_SHAPE(FX_S64, 1, 3, 4), "(int64)[1, 1, 2, 4]");
    check_matmul(FX_SHAPE(FX_S64, 2, 0), FX_SHAPE(FX_S64, 5, 0, 4), "(int64)[5, 2, 4]");
    check_matmul(FX_SHAPE(FX_S64, 0, 2, 3), FX_SHAPE(FX_S64, 1, 3, 4), "(int64)[0, 2, 4]");
}

static void test_matmul_vectors(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *v = p(g, FX_SHAPE(FX_F32, 3)), *m = p(g, FX_SHAPE(FX_F32, 5, 2, 3)),
            *n = p(g, FX_SHAPE(FX_F32, 5, 3, 4));
    assert_node(fx_matmul(v, v), "dot_general", "(float32)");
    assert_node(fx_matmul(m, v), "dot_general", "(float32)[5, 2]");
    assert_node(fx_matmul(v, n), "dot_general", "(float32)[5, 4]");
    assert_node(fx_matmul(m, n), "dot_general", "(float32)[5, 2, 4]");
    /* A weight without batch axes is one product, without copies or transposes. */
    size_t before = fx_graph_node_count(g);
    assert_node(fx_matmul(m, p(g, FX_SHAPE(FX_F32, 3, 4))), "dot_general", "(float32)[5, 2, 4]");
    assert_int_equal(fx_graph_node_count(g), before + 2);
    fx_graph_free(g);
}

static void test_matmul_errors(void **state) {
    (void)state;
    const fx_shape m = FX_SHAPE(FX_F32, 2, 3), scalar = FX_SHAPE(FX_F32);
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_matmul: shapes [2, 3] and [2, 3] do not multiply: axis 1 has 3 and axis 0 has 2",
                   fx_matmul(p(g, m), p(g, m)));
    ASSERT_REFUSED(FX_ERROR_SHAPE, "fx_matmul: shapes [2, 3] and []: a scalar is no matrix",
                   fx_matmul(p(g, m), p(g, scalar)));
    ASSERT_REFUSED(FX_ERROR_SHAPE,
                   "fx_matmul: shapes [4, 2, 3] and [5, 3, 2] do not broadcast: axes 0 and 0 have 4 and 5",
                   fx_matmul(p(g, FX_SHAPE(FX_F32, 4, 2, 3)), p(g, FX_SHAPE(FX_F32, 5, 3, 2))));
    ASSERT_REFUSED(FX_ERROR_DTYPE,
                   "fx_matmul: dtypes float32 and int32 differ; convert one of them with fx_convert",
                   fx_matmul(p(g, m), p(g, FX_SHAPE(FX_S32, 3, 2))));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_matmul: operand 1 is NULL", fx_matmul(p(g, m), NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dot_general),   cmocka_unit_test(test_dot_general_errors),
        cmocka_unit_test(test_dot_product),   cmocka_unit_test(test_dot_product_errors),
        cmocka_unit_test(test_matmul_values), cmocka_unit_test(test_matmul_vectors),
        cmocka_unit_test(test_matmul_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
