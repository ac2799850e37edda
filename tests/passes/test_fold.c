/* SPDX-License-Identifier: Apache-2.0 */
/* Constant folding: what is exact becomes a constant with the bits that running it gives; everything else,
 * and everything large, stays. */
#include "rewriting.h"
#include <math.h>
#include <string.h>

#define F32 FX_SHAPE(FX_F32, 11)

/* Two constants with special values of the graph's dtype; the parameters only tell it. */
static fx_node *constant(fx_node *x, int which) {
    static const double numbers[2][11] = {
        {0.0, -0.0, 1, -1, (double)INFINITY, -(double)INFINITY, (double)NAN, 2.5, -7, 100, 127},
        {-0.0, 0.0, 3, -0.5, 1, (double)INFINITY, 2, (double)NAN, 2, -128, 3}};
    fx_tensor *t = fx_tensor_new(&FX_SHAPE(x->shape.dtype, 11), FX_MUST);
    for (int i = 0; i < 11; i++) {
        double v = numbers[which][i];
        fxi_scalar s = {.i = isfinite(v) ? (int64_t)v : i, .re = v, .im = numbers[1 - which][i]};
        if (x->shape.dtype == FX_BOOL) s.i = (i + which * 2) / 3 % 2;
        fxi_element_store(x->shape.dtype, t->data, i, s);
    }
    fx_node *n = fx_constant(x->graph, t);
    fx_tensor_free(t);
    return n;
}
#define A constant(x, 0)
#define B constant(x, 1)
#define BUILD(name, expression)                                                                              \
    static fx_node *name(fx_node *x, fx_node *y) {                                                           \
        (void)y;                                                                                             \
        return expression;                                                                                   \
    }

BUILD(f_neg, fx_neg(A))
BUILD(f_abs, fx_abs(A)) BUILD(f_sign, fx_sign(A)) BUILD(f_floor, fx_floor(A)) BUILD(f_ceil, fx_ceil(A))
    BUILD(f_round, fx_round(A)) BUILD(f_round_away, fx_round_away(A)) BUILD(f_max, fx_max(A, B))
        BUILD(f_min, fx_min(A, B)) BUILD(f_less, fx_less(A, B)) BUILD(f_equal, fx_equal(A, B)) BUILD(
            f_select, fx_select(fx_less(A, B), A, B)) BUILD(f_clamp, fx_clamp(A, B, A)) BUILD(f_finite,
                                                                                              fx_is_finite(A))
            BUILD(f_copysign, fx_copysign(A, B)) BUILD(f_to_bf16, fx_convert(A, FX_BF16)) BUILD(
                f_to_s8, fx_convert(A, FX_S8)) BUILD(f_to_bool, fx_convert(A, FX_BOOL))
                BUILD(f_to_f64, fx_convert(A, FX_F64)) BUILD(f_conj, fx_conj(A)) BUILD(f_real, fx_real(A))
                    BUILD(f_imag, fx_imag(A)) BUILD(f_complex, fx_complex(A, B)) BUILD(f_add, fx_add(A, B))
                        BUILD(f_sub, fx_sub(A, B)) BUILD(f_mul, fx_mul(A, B)) BUILD(f_div, fx_div(A, B))
                            BUILD(f_rem, fx_rem(A, B)) BUILD(f_pow, fx_pow(A, B)) BUILD(f_not, fx_not(A))
                                BUILD(f_and, fx_and(A, B)) BUILD(f_or, fx_or(A, B)) BUILD(f_xor, fx_xor(A, B))
                                    BUILD(f_popcount, fx_popcount(A)) BUILD(f_clz, fx_clz(A))
                                        BUILD(f_reshape, fx_reshape(A, FX_DIMS(1, 11))) BUILD(f_exp,
                                                                                              fx_exp(A))
                                            BUILD(f_sqrt, fx_sqrt(A)) BUILD(f_sum, fx_reduce_all_sum(A))
                                                BUILD(f_reverse, fx_reverse(A, FX_AXES(0)))
                                                    BUILD(f_tanh, fx_tanh(A)) BUILD(f_atan2, fx_atan2(A, B))

                                                        static void folds(pair_fn build, fx_dtype dtype) {
    fx_graph *before = graph_of(build, &FX_SHAPE(dtype, 11)), *after = fxi_passes_run(before, FX_MUST);
    if (after->outputs[0]->op != FX_OP_CONSTANT) fail_msg("%s: %s", fx_dtype_name(dtype), text_of(after));
    assert_int_equal(after->nodes.count, 3); /* parameters and the constant */
    assert_same_meaning(before, after);
    fx_graph_free(before);
    fx_graph_free(after);
}

static void stays(pair_fn build, fx_dtype dtype) {
    fx_graph *before = graph_of(build, &FX_SHAPE(dtype, 11)), *after = fxi_passes_run(before, FX_MUST);
    if (after->outputs[0]->op == FX_OP_CONSTANT) fail_msg("%s: %s", fx_dtype_name(dtype), text_of(before));
    assert_same_meaning(before, after);
    fx_graph_free(before);
    fx_graph_free(after);
}

static void exact_of_floats(void **state) {
    (void)state;
    static const pair_fn exact[] = {f_neg,      f_abs,        f_sign,    f_floor,  f_ceil,
                                    f_round,    f_round_away, f_max,     f_min,    f_less,
                                    f_equal,    f_clamp,      f_select,  f_finite, f_to_s8,
                                    f_copysign, f_to_bf16,    f_to_bool, f_to_f64, f_reshape};
    static const fx_dtype dtypes[] = {FX_F32, FX_F64, FX_F16, FX_BF16};
    for (size_t i = 0; i < COUNT_OF(exact); i++)
        for (size_t k = 0; k < COUNT_OF(dtypes); k++)
            if (!(exact[i] == f_to_bf16 && dtypes[k] == FX_BF16) &&
                !(exact[i] == f_to_f64 && dtypes[k] == FX_F64))
                folds(exact[i], dtypes[k]);
}

static void exact_of_integers(void **state) {
    (void)state;
    static const pair_fn exact[] = {f_neg,    f_abs, f_sign, f_max, f_min,     f_less,    f_equal, f_clamp,
                                    f_select, f_add, f_sub,  f_mul, f_div,     f_rem,     f_not,   f_popcount,
                                    f_clz,    f_and, f_or,   f_xor, f_to_bf16, f_to_bool, f_pow,   f_reshape};
    static const fx_dtype dtypes[] = {FX_S8, FX_U8, FX_S32, FX_U64, FX_S4, FX_S64};
    for (size_t i = 0; i < COUNT_OF(exact); i++)
        for (size_t k = 0; k < COUNT_OF(dtypes); k++) folds(exact[i], dtypes[k]);
    static const pair_fn of_bool[] = {f_not, f_and, f_or, f_xor, f_equal, f_to_s8, f_to_bf16};
    for (size_t i = 0; i < COUNT_OF(of_bool); i++) folds(of_bool[i], FX_BOOL);
}

static void exact_of_complex(void **state) {
    (void)state;
    static const pair_fn exact[] = {f_neg, f_conj, f_real, f_imag, f_equal, f_reshape};
    for (size_t i = 0; i < COUNT_OF(exact); i++) folds(exact[i], FX_C64);
    folds(f_complex, FX_F32);
    folds(f_complex, FX_F64);
    stays(f_abs, FX_C64);
    stays(f_sign, FX_C64);
    stays(f_mul, FX_C64);
}

/* What a backend rounds in its own way is the backend's to compute, so that a constant and a parameter give
 * the same bits. */
static void rounded_operations_stay(void **state) {
    (void)state;
    static const pair_fn rounded[] = {f_exp, f_sqrt, f_tanh, f_atan2, f_add, f_sub,
                                      f_mul, f_div,  f_pow,  f_rem,   f_sum};
    for (size_t i = 0; i < COUNT_OF(rounded); i++) {
        stays(rounded[i], FX_F32);
        stays(rounded[i], FX_F64);
    }
    stays(f_sum, FX_S32);     /* reductions are not folded */
    stays(f_reverse, FX_F32); /* nor are moves other than reshape */
}

/* ---- size ---- */

static fx_node *large(fx_node *x, int64_t n) {
    fx_tensor *t = fx_tensor_new(&FX_SHAPE(x->shape.dtype, n), FX_MUST);
    fx_node *c = fx_constant(x->graph, t);
    fx_tensor_free(t);
    return c;
}
BUILD(of_64, fx_neg(large(x, 64)))
BUILD(of_65, fx_neg(large(x, 65)))
BUILD(of_none, fx_neg(large(x, 0)))
BUILD(spread, fx_add_scalar(fx_fill_scalar(x->graph, &FX_SHAPE(x->shape.dtype, 1000000), 3), 1))
BUILD(of_scalars,
      fx_broadcast_to_dims(fx_not(fx_less(fx_scalar(x->graph, FX_S32, 3), fx_scalar(x->graph, FX_S32, 4))),
                           FX_DIMS(5)))

static void small_ones_only(void **state) {
    (void)state;
    folds(of_64, FX_S32);
    folds(of_none, FX_S32);
    stays(of_65, FX_S32);
    assert_becomes(
        of_scalars, &F32, NULL,
        "%2 = constant value=bool(false) : (bool)\n%3 = broadcast_in_dim %2 axes=[] : (bool)[5]\n");
    fx_graph *g = graph_of(spread, &FX_SHAPE(FX_S32, 2)), *after = fxi_passes_run(g, FX_MUST);
    for (size_t i = 0; i < after->nodes.count; i++) /* a filled array stays one number */
        if (after->nodes.data[i]->op == FX_OP_CONSTANT)
            assert_int_equal(fx_shape_size(&after->nodes.data[i]->shape), 1);
    fx_graph_free(g);
    fx_graph_free(after);
}

/* Gigabytes of constants and iotas stay what they are (C16). */
BUILD(huge, fx_select(fx_equal(fx_iota(x->graph, &FX_SHAPE(FX_S64, 500, 500, 500), 0),
                               fx_zeros(x->graph, &FX_SHAPE(FX_S64, 500, 500, 500))),
                      fx_ones(x->graph, &FX_SHAPE(FX_S64, 500, 500, 500)),
                      fx_zeros(x->graph, &FX_SHAPE(FX_S64, 500, 500, 500))))

static void huge_shapes_cost_nothing(void **state) {
    (void)state;
    fx_graph *g = graph_of(huge, &FX_SHAPE(FX_S32, 2)), *after = fxi_passes_run(g, FX_MUST);
    for (size_t i = 0; i < after->nodes.count; i++)
        if (after->nodes.data[i]->op == FX_OP_CONSTANT)
            assert_int_equal(fx_shape_size(&after->nodes.data[i]->shape), 1);
    fx_graph_free(g);
    fx_graph_free(after);
}

/* ---- chains ---- */

/* Folding feeds rules and other folds: 2 * 3 - 5 is 1, so nothing is left of the product. */
BUILD(folded_one,
      fx_mul(x, fx_convert(fx_sub(fx_mul(fx_scalar(x->graph, FX_S32, 2), fx_scalar(x->graph, FX_S32, 3)),
                                  fx_scalar(x->graph, FX_S32, 5)),
                           FX_F32)))

static void folding_feeds_rules(void **state) {
    (void)state;
    assert_becomes(folded_one, &F32, "mul_one", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_of_floats),         cmocka_unit_test(exact_of_integers),
        cmocka_unit_test(exact_of_complex),        cmocka_unit_test(small_ones_only),
        cmocka_unit_test(rounded_operations_stay), cmocka_unit_test(huge_shapes_cost_nothing),
        cmocka_unit_test(folding_feeds_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
