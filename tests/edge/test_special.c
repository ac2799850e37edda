/* SPDX-License-Identifier: Apache-2.0 */
/* NaN, infinities and signed zeros: where the largest element is and how elements are ordered when some
 * are NaN, what keeps the sign of a zero and the bits of a NaN, and sums that must not be taken in another
 * order or contracted. */
#include "edge/edge.h"
#include <fluxion/control.h>
#include <fluxion/sorting.h>
#include <math.h>

static const fx_dtype floats[] = {FX_F16, FX_BF16, FX_F32, FX_F64};

/* ---- arg_max and arg_min: the first NaN, whatever the length, the dtype and the axis ---- */

static fx_node *places(fx_node *const *in) {
    fx_node *x = in[0], *rows = fx_expand_axes(x, FX_AXES(0)), *columns = fx_expand_axes(x, FX_AXES(1));
    fx_node *row = fx_concatenate(FX_NODES(fx_zeros_like(rows), rows), 0);
    fx_node *column = fx_concatenate(FX_NODES(fx_zeros_like(columns), columns), 1);
    return fx_concatenate(FX_NODES(fx_reshape(fx_arg_max(x, 0), FX_DIMS(1)),
                                   fx_reshape(fx_arg_min(x, 0), FX_DIMS(1)), fx_arg_max(row, 1),
                                   fx_arg_min(row, -1), fx_arg_max(column, 0), fx_arg_min(column, 0)),
                          0);
}

static void check_places(void **state, fx_tensor *x, int64_t most, int64_t least) {
    fx_tensor *want = EDGE_INTS(FX_S32, most, least, 0, most, 0, least, 0, most, 0, least);
    fx_tensor *ran = edge_run(state, places, &x, 1), *folded = edge_run_constants(state, places, &x, 1);
    edge_assert(ran, want, 0, "places in a parameter");
    edge_assert(folded, want, 0, "places in a constant");
    fx_tensor_free(ran);
    fx_tensor_free(folded);
    fx_tensor_free(want);
    fx_tensor_free(x);
}

static void places_of_nan(void **state) {
    double all[33], one[33] = {1, NAN, 3}, late[33] = {0};
    for (int i = 0; i < 33; i++) all[i] = NAN;
    for (int64_t n = 1; n <= 33; n++) {
        fx_dtype dtype = floats[n % 4];
        check_places(state, edge_reals(dtype, all, n), 0, 0);
        if (n >= 2) check_places(state, edge_reals(dtype, one, n), 1, 1);
        for (int64_t i = 0; i < n; i++) late[i] = i < n / 2 ? -(double)i : NAN;
        check_places(state, edge_reals(floats[n / 4 % 4], late, n), n / 2, n / 2);
    }
}

static fx_node *taken_minus_largest(fx_node *const *in) {
    fx_node *x = in[0];
    fx_node *most = fx_take(x, fx_arg_max(x, 0), 0), *least = fx_take(x, fx_arg_min(x, 0), 0);
    fx_node *same = fx_and(fx_equal_total_order(fx_abs(most), fx_abs(fx_reduce_all_max(x))),
                           fx_equal_total_order(fx_abs(least), fx_abs(fx_reduce_all_min(x))));
    return fx_concatenate(FX_NODES(fx_reshape(fx_arg_max(x, 0), FX_DIMS(1)),
                                   fx_reshape(fx_arg_min(x, 0), FX_DIMS(1)),
                                   fx_reshape(fx_convert(same, FX_S32), FX_DIMS(1))),
                          0);
}

static void places_agree_with_values(void **state) {
    static const struct {
        double x[4];
        int64_t n;
        const char
            *want; /* place of the largest and of the smallest, whether the values there are max and min */
    } rows[] = {{{3, NAN, 1, 5}, 4, "[3]int32{1, 1, 1}"},
                {{NAN, 1, 2}, 3, "[3]int32{0, 0, 1}"},
                {{1, 2, NAN}, 3, "[3]int32{2, 2, 1}"},
                {{INFINITY, NAN, -INFINITY}, 3, "[3]int32{1, 1, 1}"},
                {{-1, -2, NAN}, 3, "[3]int32{2, 2, 1}"},
                {{-INFINITY, -INFINITY}, 2, "[3]int32{0, 0, 1}"},
                {{3, INFINITY, INFINITY, 1}, 4, "[3]int32{1, 3, 1}"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t d = 0; d < COUNT_OF(floats); d++)
            EDGE_TEXT(state, taken_minus_largest, rows[i].want, edge_reals(floats[d], rows[i].x, rows[i].n));
}

/* ---- order ---- */

static fx_node *sorted(fx_node *const *in) {
    return fx_sort(in[0], 0, true);
}
static fx_node *sorted_down(fx_node *const *in) {
    return fx_sort(in[0], 0, false);
}
static fx_node *order(fx_node *const *in) {
    return fx_argsort(in[0], 0, true);
}
static fx_node *order_down(fx_node *const *in) {
    return fx_argsort(in[0], 0, false);
}
static void before(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_less_total_order(in[0], in[1]);
}
static fx_node *order_total(fx_node *const *in) {
    fx_node *results[2];
    fx_node *places_of = fx_iota(fx_node_graph(in[0]), &FX_SHAPE(FX_S32, fx_node_shape(in[0])->dims[0]), 0);
    fx_sort_func(before, NULL, 0, FX_NODES(in[0], places_of), results);
    return results[1];
}

static void nan_and_zeros_in_order(void **state) {
    for (size_t d = 0; d < COUNT_OF(floats); d++) {
        fx_dtype t = floats[d];
#define MIXED EDGE_REALS(t, -(double)NAN, NAN, -INFINITY, INFINITY, -1, 1)
        EDGE_TEXT(state, order, "[6]int32{2, 4, 5, 3, 0, 1}", MIXED);
        EDGE_TEXT(state, order_down, "[6]int32{3, 5, 4, 2, 0, 1}", MIXED);
        EDGE_TEXT(state, order, "[4]int32{0, 1, 2, 3}", EDGE_REALS(t, 0, -0.0, 0, -0.0));
        EDGE_TEXT(state, order_down, "[4]int32{0, 1, 2, 3}", EDGE_REALS(t, 0, -0.0, 0, -0.0));
        EDGE_TEXT(state, order_total, "[4]int32{1, 3, 0, 2}", EDGE_REALS(t, 0, -0.0, 0, -0.0));
    }
    const fx_dtype t = FX_F32;
    EDGE_TEXT(state, sorted, "[6]float32{-Inf, -1, 1, Inf, NaN, NaN}", MIXED);
    EDGE_TEXT(state, sorted_down, "[6]float32{Inf, 1, -1, -Inf, NaN, NaN}", MIXED);
    EDGE_TEXT(
        state, order_total, "[6]int32{0, 2, 4, 5, 3, 1}",
        EDGE_REALS(FX_F32, copysign((double)NAN, -1), copysign((double)NAN, 1), -INFINITY, INFINITY, -1, 1));
}

/* ---- signs of zero ---- */

static fx_node *neg(fx_node *const *in) {
    return fx_neg(in[0]);
}
static fx_node *angle(fx_node *const *in) {
    return fx_atan2(in[0], fx_neg(in[0]));
}
static fx_node *plus(fx_node *const *in) {
    return fx_add(in[0], in[1]);
}
static fx_node *plus_zero(fx_node *const *in) {
    return fx_add_scalar(in[0], 0);
}
static fx_node *plus_minus_zero(fx_node *const *in) {
    return fx_add_scalar(in[0], -0.0);
}
static fx_node *minus_zero(fx_node *const *in) {
    return fx_sub_scalar(in[0], 0);
}
static fx_node *zero_minus(fx_node *const *in) {
    return fx_sub(fx_zeros_like(in[0]), in[0]);
}
static fx_node *times_one(fx_node *const *in) {
    return fx_mul_scalar(in[0], 1);
}
static fx_node *over_one(fx_node *const *in) {
    return fx_div_scalar(in[0], 1);
}

static void zeros_keep_their_sign(void **state) {
    static const struct {
        const char *name;
        edge_fn fn;
        double want[4]; /* for 0, -0, 2, -2 */
    } rows[] = {
        {"neg", neg, {-0.0, 0, -2, 2}},
        {"x + 0", plus_zero, {0, 0, 2, -2}},
        {"x + -0", plus_minus_zero, {0, -0.0, 2, -2}},
        {"x - 0", minus_zero, {0, -0.0, 2, -2}},
        {"0 - x", zero_minus, {0, 0, -2, 2}},
        {"x * 1", times_one, {0, -0.0, 2, -2}},
        {"x / 1", over_one, {0, -0.0, 2, -2}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t d = 0; d < COUNT_OF(floats); d++)
            edge_check_map(state, &(edge_map){rows[i].name,
                                              rows[i].fn,
                                              edge_reals(floats[d], rows[i].want, 4),
                                              0,
                                              {EDGE_REALS(floats[d], 0, -0.0, 2, -2)}});
    edge_check_map(
        state,
        &(edge_map){"atan2(x, -x)", angle, EDGE_REALS(FX_F64, M_PI, -0.0), 1, {EDGE_REALS(FX_F64, 0, -0.0)}});
    edge_check_map(state, &(edge_map){"x + y",
                                      plus,
                                      EDGE_REALS(FX_F32, -0.0, 0, 0),
                                      0,
                                      {EDGE_REALS(FX_F32, -0.0, -0.0, 0), EDGE_REALS(FX_F32, -0.0, 0, 0)}});
}

/* ---- sums of zeros: they begin with +0, however many there are ---- */

static fx_node *sums(fx_node *x) {
    fx_node *columns = fx_expand_axes(x, FX_AXES(1)), *rows = fx_expand_axes(x, FX_AXES(0));
    fx_node *product = fx_dot_product(x, fx_ones_like(x));
    return fx_concatenate(FX_NODES(fx_reduce_sum(columns, FX_AXES(1)), fx_reduce_sum(rows, FX_AXES(1)),
                                   fx_reshape(fx_reduce_all_sum(x), FX_DIMS(1)),
                                   fx_reshape(product, FX_DIMS(1))),
                          0);
}
static fx_node *sums_alone(fx_node *const *in) {
    return fx_reduce_all_sum(fx_reciprocal(sums(in[0])));
}
static void one_round(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out;
    out[0] = fx_add(in[1], fx_reduce_all_sum(fx_reciprocal(sums(user))));
}
static fx_node *sums_in_loop(fx_node *const *in) {
    return fx_for(1, FX_NODES(fx_scalar_zero(fx_node_graph(in[0]), FX_F32)), one_round, in[0], NULL);
}

/* 1 / +0 is +Inf; one -0 among them and the sum would be NaN. */
static void sums_begin_with_zero(void **state) {
    double zeros[70];
    for (int i = 0; i < 70; i++) zeros[i] = -0.0;
    static const int64_t lengths[] = {1, 2, 3, 8, 16, 17, 33, 70};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        EDGE_TEXT(state, sums_alone, "float32(Inf)", edge_reals(FX_F32, zeros, lengths[i]));
        EDGE_TEXT(state, sums_in_loop, "float32(Inf)", edge_reals(FX_F32, zeros, lengths[i]));
    }
}

/* ---- bits of NaN ---- */

/* Integers as floats of their width, moved about, and as integers again. */
static fx_node *moved_as(fx_node *bits, fx_dtype dtype) {
    fx_shape shape = *fx_node_shape(bits);
    int64_t n = shape.dims[0];
    fx_node *x = fx_bitcast(bits, dtype), *even = fx_reshape(x, FX_DIMS(2, n / 2));
    fx_node *parts = fx_concatenate(FX_NODES(fx_slice_axis(x, 0, 0, 3, 1), fx_slice_axis(x, 0, 3, n, 1)), 0);
    fx_node *y = fx_reshape(fx_transpose(fx_transpose(even, 0, 1), 0, 1), FX_DIMS(n));
    fx_node *yes = fx_equal(bits, bits);
    y = fx_where(yes, y, parts);
    y = fx_reverse(fx_take(y, fx_iota(fx_node_graph(x), &FX_SHAPE(FX_S32, n), 0), 0), FX_AXES(0));
    return fx_bitcast(fx_reverse(fx_where(yes, fx_reverse(parts, FX_AXES(0)), y), FX_AXES(0)), shape.dtype);
}

static fx_node *signs_flipped_as(fx_node *bits, fx_dtype dtype) {
    fx_node *x = fx_bitcast(bits, dtype);
    fx_node *twice = fx_neg(fx_copysign(fx_abs(fx_neg(x)), fx_neg(x)));
    return fx_bitcast(twice, fx_node_shape(bits)->dtype);
}

#define AS(name, dtype)                                                                                      \
    static fx_node *name(fx_node *const *in) {                                                               \
        return moved_as(in[0], dtype);                                                                       \
    }                                                                                                        \
    static fx_node *name##_signs(fx_node *const *in) {                                                       \
        return signs_flipped_as(in[0], dtype);                                                               \
    }
AS(as_f16, FX_F16)
AS(as_bf16, FX_BF16)
AS(as_f32, FX_F32)
AS(as_f64, FX_F64)
static fx_node *as_e5m2(fx_node *const *in) {
    return moved_as(in[0], FX_F8E5M2);
}
static fx_node *as_e4m3(fx_node *const *in) {
    return moved_as(in[0], FX_F8E4M3FN);
}

static void check_bits(void **state, const char *name, edge_fn fn, fx_tensor *x) {
    fx_tensor *ran = edge_run(state, fn, &x, 1), *folded = edge_run_constants(state, fn, &x, 1);
    edge_assert(ran, x, 0, name);
    edge_assert(folded, x, 0, name);
    fx_tensor_free(ran);
    fx_tensor_free(folded);
}

/* Every NaN of the small formats, some of the large ones. */
static void moves_keep_bits(void **state) {
    int64_t bfloats[254], halves[2046], bytes[8] = {0x7d, 0x7e, 0x7f, 0xfd, 0xfe, 0xff, 0x7c, 0x80};
    for (int i = 0; i < 254; i++) bfloats[i] = (i % 2 ? 0xff81 : 0x7f81) + i / 2;
    for (int i = 0; i < 2046; i++) halves[i] = (i % 2 ? 0xfc01 : 0x7c01) + i / 2;
    fx_tensor *const in[] = {
        edge_ints(FX_U16, bfloats, 254), edge_ints(FX_U16, halves, 2046), edge_ints(FX_U8, bytes, 8),
        EDGE_INTS(FX_U32, 0x7f800001, 0x7fffffff, 0xff800001, 0x7fc00000, 0x80000000, 0x00000001),
        EDGE_INTS(FX_U64, 0x7ff0000000000001, 0x7fffffffffffffff, (int64_t)0xfff0000000000001, 1)};
    check_bits(state, "bfloat16", as_bf16, in[0]);
    check_bits(state, "signs of bfloat16", as_bf16_signs, in[0]);
    check_bits(state, "float16", as_f16, in[1]);
    check_bits(state, "float8_e5m2", as_e5m2, in[2]);
    check_bits(state, "float8_e4m3fn", as_e4m3, in[2]);
    check_bits(state, "float32", as_f32, in[3]);
    check_bits(state, "signs of float32", as_f32_signs, in[3]);
    check_bits(state, "float64", as_f64, in[4]);
    check_bits(state, "signs of float64", as_f64_signs, in[4]);
    if (strcmp(*state, "interp") == 0) check_bits(state, "signs of float16", as_f16_signs, in[1]);
    for (size_t i = 0; i < COUNT_OF(in); i++) fx_tensor_free(in[i]);
}

/* ---- order of arithmetic ---- */

static fx_node *masked_scores(fx_node *const *in) {
    fx_node *scores = fx_add(in[0], fx_mul_scalar(fx_one_minus(in[1]), -1e30));
    return fx_sub(scores, fx_reduce_all_max(scores));
}
static fx_node *two_products(fx_node *const *in) {
    return fx_add(fx_mul(in[0], in[2]), fx_mul(in[1], in[2]));
}
static fx_node *product_difference(fx_node *const *in) {
    return fx_sub(fx_mul(in[0], in[2]), fx_mul(in[0], in[2]));
}
static fx_node *power(fx_node *const *in) {
    return fx_pow(in[0], in[1]);
}

static void order_is_kept(void **state) {
    fx_tensor *const in[] = {EDGE_REALS(FX_F32, 0.7f, 0.5), EDGE_REALS(FX_F32, 1, 1)};
    fx_tensor *got = edge_run(state, masked_scores, in, 2), *want = EDGE_REALS(FX_F32, 0, 0.5f - 0.7f);
    edge_assert(got, want, 0, "masked scores");
    fx_tensor_free(got);
    fx_tensor_free(want);
    fx_tensor_free(in[0]);
    fx_tensor_free(in[1]);
    edge_check_map(state, &(edge_map){"a x + b x",
                                      two_products,
                                      EDGE_REALS(FX_F32, 0),
                                      0,
                                      {EDGE_REALS(FX_F32, 1e20f), EDGE_REALS(FX_F32, -1e20f),
                                       EDGE_REALS(FX_F32, 1e10f)}});
    edge_check_map(state,
                   &(edge_map){"a x + b x",
                               two_products,
                               EDGE_REALS(FX_F64, 0),
                               0,
                               {EDGE_REALS(FX_F64, 0.1), EDGE_REALS(FX_F64, -0.1), EDGE_REALS(FX_F64, 0.3)}});
    edge_check_map(state,
                   &(edge_map){"a x - a x",
                               product_difference,
                               EDGE_REALS(FX_F64, 0),
                               0,
                               {EDGE_REALS(FX_F64, 0.1), EDGE_REALS(FX_F64, 5), EDGE_REALS(FX_F64, 0.3)}});
}

static void powers_of_complex_infinity(void **state) {
    for (int wide = 0; wide < 2; wide++) {
        fx_dtype t = wide ? FX_C128 : FX_C64;
        edge_check_map(state, &(edge_map){"pow",
                                          power,
                                          EDGE_PAIRS(t, 1, 0, 1, 0, 1, 0, 1, 0),
                                          0,
                                          {EDGE_PAIRS(t, INFINITY, 0, 0, 0, -INFINITY, INFINITY, 2, -3),
                                           EDGE_PAIRS(t, 0, 0, 0, 0, 0, 0, 0, 0)}});
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(places_of_nan),         BOTH(places_agree_with_values),   BOTH(nan_and_zeros_in_order),
        BOTH(zeros_keep_their_sign), BOTH(sums_begin_with_zero),       BOTH(moves_keep_bits),
        BOTH(order_is_kept),         BOTH(powers_of_complex_infinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
