/* SPDX-License-Identifier: Apache-2.0 */
/* Each simplification rule: that it fires, what it makes, and that zeros of both signs, infinities and NaN
 * come out as before; and what must stay as it is. The last test proves that no rule was forgotten here. */
#include "rewriting.h"
#include <string.h>

#define F32 FX_SHAPE(FX_F32, 11)
static bool seen[64];

static void becomes(pair_fn build, const fx_shape *shape, const char *rule, const char *want) {
    assert_becomes(build, shape, rule, want);
    seen[rule_of(rule)] = true;
}

/* The result is the first parameter itself, for each of these dtypes. */
static void vanishes(pair_fn build, const char *rule, const fx_dtype *dtypes, size_t count) {
    for (size_t i = 0; i < count; i++) becomes(build, &FX_SHAPE(dtypes[i], 11), rule, "");
}

static const fx_dtype numbers[] = {FX_F32, FX_F64, FX_F16, FX_BF16, FX_S8, FX_S64, FX_U8, FX_U64, FX_S4};
#define INTEGERS (numbers + 4), 5
#define FLOATS numbers, 4
#define NUMBERS numbers, COUNT_OF(numbers)

#define BUILD(name, expression)                                                                              \
    static fx_node *name(fx_node *x, fx_node *y) {                                                           \
        (void)y;                                                                                             \
        return expression;                                                                                   \
    }
#define ZERO(x) fx_scalar((x)->graph, (x)->shape.dtype, 0)
#define MINUS_ZERO(x) fx_scalar((x)->graph, (x)->shape.dtype, -0.0)
#define ONE(x) fx_scalar((x)->graph, (x)->shape.dtype, 1)

/* ---- moves ---- */

BUILD(reshape_twice, fx_neg(fx_reshape(fx_reshape(x, FX_DIMS(2, 6)), FX_DIMS(3, 4))))
BUILD(reshape_back, fx_neg(fx_reshape(fx_reshape(x, FX_DIMS(2, 6)), FX_DIMS(12))))
BUILD(reshape_often,
      fx_reshape(fx_reshape(fx_reshape(fx_reshape(x, FX_DIMS(2, 6)), FX_DIMS(3, 4)), FX_DIMS(1, 12)),
                 FX_DIMS(4, 3)))
BUILD(transpose_twice, fx_transpose(fx_transpose(x, 0, 1), 1, 2))
BUILD(transpose_back, fx_neg(fx_transpose(fx_transpose(x, 0, 2), 0, 2)))
BUILD(transpose_thrice,
      fx_transpose_all_axes(fx_transpose_all_axes(fx_transpose_all_axes(x, FX_AXES(1, 2, 0)),
                                                  FX_AXES(1, 2, 0)),
                            FX_AXES(1, 2, 0)))
BUILD(transpose_across, fx_transpose(fx_neg(fx_transpose(x, 0, 1)), 0, 1))

static void reshapes(void **state) {
    (void)state;
    const fx_shape twelve = FX_SHAPE(FX_F32, 12);
    becomes(reshape_twice, &twelve, "merge_reshape",
            "%2 = reshape %0 : (float32)[3, 4]\n%3 = neg %2 : (float32)[3, 4]\n");
    becomes(reshape_back, &twelve, "merge_reshape", "%2 = neg %0 : (float32)[12]\n");
    becomes(reshape_often, &twelve, "merge_reshape", "%2 = reshape %0 : (float32)[4, 3]\n");
}

static void transposes(void **state) {
    (void)state;
    const fx_shape cube = FX_SHAPE(FX_F32, 2, 3, 4);
    becomes(transpose_twice, &cube, "merge_transpose",
            "%2 = transpose %0 permutation=[1, 2, 0] : (float32)[3, 4, 2]\n");
    becomes(transpose_back, &cube, "merge_transpose", "%2 = neg %0 : (float32)[2, 3, 4]\n");
    becomes(transpose_thrice, &cube, "merge_transpose", "");
    assert_stays(transpose_across, &cube);
}

/* [2, 3, 4, 4]: two images of 3 x 4 pixels of 4 channels, also read as a kernel of 2 x 3 taps */
BUILD(conv_plain, fx_convolve(x, y, NULL))
BUILD(conv_first, fx_convolve(x, fx_transpose_all_axes(y, FX_AXES(1, 0, 3, 2)), NULL))
BUILD(conv_both, fx_convolve(fx_transpose_all_axes(x, FX_AXES(3, 1, 2, 0)),
                             fx_transpose_all_axes(y, FX_AXES(0, 1, 3, 2)),
                             &(fx_conv_options){.paddings = {(fx_pad_axis[]){{1, 0, 0}, {0, 0, 0}}, 2}}))

static void convolutions(void **state) {
    (void)state;
    const fx_shape shape = FX_SHAPE(FX_F32, 2, 3, 4, 4), square = FX_SHAPE(FX_F32, 2, 2, 2, 2);
    assert_stays(conv_plain, &shape);
    becomes(
        conv_first, &shape, "convolution_transpose",
        "%2 = convolution %0 %1 input_layout=[0, 3, 1, 2] kernel_layout=[2, 3, 1, 0] output_layout=[0, 3, 1, "
        "2] "
        "strides=[1, 1] low=[0, 0] high=[0, 0] input_dilation=[1, 1] kernel_dilation=[1, 1] reversed=[0, 0] "
        "feature_groups=1 batch_groups=1 dtype=float32 : (float32)[2, 1, 3, 4]\n");
    becomes(
        conv_both, &square, "convolution_transpose",
        "%2 = convolution %0 %1 input_layout=[3, 0, 1, 2] kernel_layout=[2, 3, 0, 1] output_layout=[0, 3, 1, "
        "2] "
        "strides=[1, 1] low=[1, 0] high=[0, 0] input_dilation=[1, 1] kernel_dilation=[1, 1] reversed=[0, 0] "
        "feature_groups=1 batch_groups=1 dtype=float32 : (float32)[2, 2, 1, 2]\n");
}

/* ---- slices ---- */

#define CUT(x, start, limit, stride) fx_slice_axis(x, 0, start, limit, stride)
#define JOIN(...) fx_concatenate(FX_NODES(__VA_ARGS__), 0)
#define PAD(x, low, high, between)                                                                           \
    fx_pad(x, fx_scalar((x)->graph, FX_F32, 7), (fx_pads){(fx_pad_axis[]){{low, high, between}}, 1})
BUILD(slice_slice, CUT(CUT(x, 1, 11, 2), 1, 5, 3))
BUILD(slice_slice_none, CUT(CUT(x, 1, 11, 2), 2, 2, 1))
BUILD(slice_one, CUT(CUT(x, 1, 11, 2), 4, 5, INT64_MAX))
BUILD(slice_first, CUT(JOIN(x, y), 2, 11, 1))
BUILD(slice_whole, fx_neg(CUT(JOIN(x, y), 11, 22, 1)))
BUILD(slice_both, CUT(JOIN(x, y), 1, 22, 2))
BUILD(slice_jump, CUT(JOIN(x, y, x), 10, 33, 12))
BUILD(slice_nested, CUT(JOIN(JOIN(x, y), JOIN(y, x)), 9, 24, 1))
BUILD(slice_across, fx_slice_axis(fx_concatenate(FX_NODES(x, y), 1), 0, 1, 2, 1))

static fx_node *slice_shared(fx_node *x, fx_node *y) {
    fx_node *both = JOIN(x, y);
    return fx_mul(CUT(both, 1, 12, 1), CUT(both, 10, 21, 1));
}

static fx_node *slice_shared_once(fx_node *x, fx_node *y) {
    fx_node *both = JOIN(x, y);
    return fx_mul(CUT(both, 1, 12, 1), CUT(both, 11, 22, 1));
}

/* 40 levels: rules look through 16 of them at a time. */
static fx_node *slice_deep(fx_node *x, fx_node *y) {
    fx_node *joined = x;
    for (int i = 0; i < 40; i++) joined = JOIN(joined, y);
    return CUT(joined, 3, 5, 1);
}

static void slices(void **state) {
    (void)state;
    becomes(slice_slice, &F32, "slice_slice",
            "%2 = slice %0 starts=[3] limits=[10] strides=[6] : (float32)[2]\n");
    becomes(slice_slice_none, &F32, "slice_slice",
            "%2 = slice %0 starts=[0] limits=[0] strides=[1] : (float32)[0]\n");
    becomes(slice_one, &F32, "slice_slice",
            "%2 = slice %0 starts=[9] limits=[10] strides=[1] : (float32)[1]\n");
}

static void slices_of_joined(void **state) {
    (void)state;
    static const char rule[] = "slice_concatenate";
    becomes(slice_first, &F32, rule, "%2 = slice %0 starts=[2] limits=[11] strides=[1] : (float32)[9]\n");
    becomes(slice_whole, &F32, rule, "%2 = neg %1 : (float32)[11]\n");
    becomes(slice_both, &F32, rule,
            "%2 = slice %0 starts=[1] limits=[10] strides=[2] : (float32)[5]\n"
            "%3 = slice %1 starts=[0] limits=[11] strides=[2] : (float32)[6]\n"
            "%4 = concatenate %2 %3 axis=0 : (float32)[11]\n");
    becomes(slice_jump, &F32, rule,
            "%2 = slice %0 starts=[10] limits=[11] strides=[1] : (float32)[1]\n"
            "%3 = slice %0 starts=[0] limits=[1] strides=[1] : (float32)[1]\n"
            "%4 = concatenate %2 %3 axis=0 : (float32)[2]\n");
    becomes(slice_nested, &F32, rule,
            "%2 = slice %0 starts=[9] limits=[11] strides=[1] : (float32)[2]\n"
            "%3 = concatenate %2 %1 axis=0 : (float32)[13]\n"
            "%4 = slice %1 starts=[0] limits=[2] strides=[1] : (float32)[2]\n"
            "%5 = concatenate %3 %4 axis=0 : (float32)[15]\n");
    becomes(slice_across, &FX_SHAPE(FX_F32, 3, 2), rule,
            "%2 = slice %0 starts=[1, 0] limits=[2, 2] strides=[1, 1] : (float32)[1, 2]\n"
            "%3 = slice %1 starts=[1, 0] limits=[2, 2] strides=[1, 1] : (float32)[1, 2]\n"
            "%4 = concatenate %2 %3 axis=1 : (float32)[1, 4]\n");
    assert_stays(slice_shared, &F32);
    becomes(slice_shared_once, &F32, rule,
            "%2 = concatenate %0 %1 axis=0 : (float32)[22]\n"
            "%3 = slice %2 starts=[1] limits=[12] strides=[1] : (float32)[11]\n"
            "%4 = mul %3 %1 : (float32)[11]\n");
    fx_graph *deep = graph_of(slice_deep, &F32), *simple = fxi_passes_run(deep, FX_MUST);
    assert_same_meaning(deep, simple);
    assert_true(simple->nodes.count < deep->nodes.count - 15);
    fx_graph_free(deep);
    fx_graph_free(simple);
}

BUILD(pad_inside, CUT(PAD(x, 3, 5, 0), 4, 13, 2))
BUILD(pad_exactly, fx_neg(CUT(PAD(x, 3, 5, 0), 3, 14, 1)))
BUILD(pad_beside, CUT(PAD(x, 3, 5, 0), 15, 18, 2))
BUILD(pad_partly, CUT(PAD(x, 3, 5, 0), 1, 19, 3))
BUILD(pad_spread, CUT(PAD(x, 3, 5, 1), 1, 19, 3))
BUILD(pad_cropped, CUT(PAD(x, -2, 5, 0), 8, 14, 1))
BUILD(pad_of_joined, CUT(PAD(JOIN(x, y), 1, 1, 0), 2, 14, 1))
BUILD(pad_other_axis, fx_slice_axis(PAD(x, 1, 0, 1), 1, 0, 1, 1))
BUILD(pad_less, PAD(x, -2, -3, 0))
BUILD(pad_nothing, fx_neg(PAD(PAD(x, 0, 1, 0), 0, -1, 0)))
BUILD(pad_both, PAD(x, -2, 1, 0))
BUILD(pad_gone, PAD(x, -12, 4, 0))
BUILD(pad_more, PAD(x, 2, 1, 0))
BUILD(pad_crop_spread, PAD(x, -2, 1, 1))

static fx_node *pad_shared(fx_node *x, fx_node *y) {
    fx_node *padded = PAD(x, 0, 11, 0);
    return fx_sub(CUT(padded, 1, 13, 1), CUT(fx_mul(padded, JOIN(y, x)), 0, 12, 1));
}

#define SEVEN "constant value=float32(7) : (float32)\n"

static void slices_of_padded(void **state) {
    (void)state;
    static const char rule[] = "slice_pad";
    becomes(pad_inside, &F32, rule, "%2 = slice %0 starts=[1] limits=[10] strides=[2] : (float32)[5]\n");
    becomes(pad_exactly, &F32, rule, "%2 = neg %0 : (float32)[11]\n");
    becomes(pad_beside, &F32, rule, "%2 = " SEVEN "%3 = broadcast_in_dim %2 axes=[] : (float32)[2]\n");
    becomes(pad_partly, &F32, rule,
            "%2 = " SEVEN "%3 = slice %0 starts=[1] limits=[11] strides=[3] : (float32)[4]\n"
            "%4 = pad %3 %2 low=[1] high=[1] interior=[0] : (float32)[6]\n");
    becomes(pad_cropped, &F32, rule,
            "%2 = " SEVEN "%3 = slice %0 starts=[10] limits=[11] strides=[1] : (float32)[1]\n"
            "%4 = pad %3 %2 low=[0] high=[5] interior=[0] : (float32)[6]\n");
    becomes(pad_of_joined, &F32, rule,
            "%2 = slice %0 starts=[1] limits=[11] strides=[1] : (float32)[10]\n"
            "%3 = slice %1 starts=[0] limits=[2] strides=[1] : (float32)[2]\n"
            "%4 = concatenate %2 %3 axis=0 : (float32)[12]\n");
    becomes(pad_other_axis, &FX_SHAPE(FX_F32, 3, 2), rule,
            "%2 = " SEVEN "%3 = slice %0 starts=[0, 0] limits=[3, 1] strides=[1, 1] : (float32)[3, 1]\n"
            "%4 = pad %3 %2 low=[1, 0] high=[0, 0] interior=[1, 0] : (float32)[6, 1]\n");
    assert_stays(pad_spread, &F32);
    assert_stays(pad_shared, &F32);
    becomes(pad_less, &F32, "pad_crop", "%2 = slice %0 starts=[2] limits=[8] strides=[1] : (float32)[6]\n");
    becomes(pad_nothing, &F32, "pad_crop", "%2 = neg %0 : (float32)[11]\n");
    becomes(pad_both, &F32, "pad_crop",
            "%2 = " SEVEN "%3 = slice %0 starts=[2] limits=[11] strides=[1] : (float32)[9]\n"
            "%4 = pad %3 %2 low=[0] high=[1] interior=[0] : (float32)[10]\n");
    becomes(pad_gone, &F32, "pad_crop", "%2 = " SEVEN "%3 = broadcast_in_dim %2 axes=[] : (float32)[3]\n");
    assert_stays(pad_more, &F32);
    assert_stays(pad_crop_spread, &F32);
}

/* ---- one operand ---- */

BUILD(neg_neg, fx_neg(fx_neg(x)))
BUILD(neg_often, fx_neg(fx_neg(fx_neg(fx_neg(fx_neg(x))))))
BUILD(not_not, fx_not(fx_not(x)))
BUILD(conj_conj, fx_conj(fx_conj(x)))
BUILD(waiting, fx_optimization_barrier(x))
BUILD(bits_and_back, fx_bitcast(fx_bitcast(x, FX_S32), FX_F32))
BUILD(bits_to_others, fx_bitcast(fx_bitcast(x, FX_S32), FX_U32))
BUILD(abs_neg, fx_abs(fx_neg(x)))
BUILD(abs_abs, fx_abs(fx_abs(x)))
BUILD(abs_of_much, fx_abs(fx_neg(fx_abs(fx_neg(x)))))

static void undone(void **state) {
    (void)state;
    vanishes(neg_neg, "neg_neg", NUMBERS);
    becomes(neg_often, &F32, "neg_neg", "%2 = neg %0 : (float32)[11]\n");
    const fx_dtype with_bits[] = {FX_BOOL, FX_S8, FX_U64, FX_S4}, complex_too[] = {FX_C64, FX_C128};
    vanishes(neg_neg, "neg_neg", complex_too, 2);
    vanishes(not_not, "not_not", with_bits, 4);
    vanishes(conj_conj, "conj_conj", complex_too, 2);
    vanishes(bits_and_back, "bitcast_bitcast", numbers, 1);
    assert_stays(bits_to_others, &F32);
    assert_stays(waiting, &F32);
}

static void magnitudes(void **state) {
    (void)state;
    becomes(abs_neg, &F32, "abs_neg", "%2 = abs %0 : (float32)[11]\n");
    becomes(abs_abs, &F32, "abs_neg", "%2 = abs %0 : (float32)[11]\n");
    becomes(abs_of_much, &FX_SHAPE(FX_F16, 11), "abs_neg", "%2 = abs %0 : (float16)[11]\n");
    assert_stays(abs_neg, &FX_SHAPE(FX_S8, 11));
    assert_stays(abs_neg, &FX_SHAPE(FX_C64, 11));
}

/* ---- neutral elements ---- */

BUILD(mul_one, fx_mul(x, ONE(x)))
BUILD(one_mul, fx_mul(ONE(x), x))
BUILD(mul_ones, fx_mul(x, fx_ones_like(x)))
BUILD(div_one, fx_div(x, ONE(x)))
BUILD(one_div, fx_div(ONE(x), x))
BUILD(sub_zero, fx_sub(x, ZERO(x)))
BUILD(sub_minus_zero, fx_sub(x, MINUS_ZERO(x)))
BUILD(zero_sub, fx_sub(ZERO(x), x))
BUILD(sub_itself, fx_sub(x, x))
BUILD(add_zero, fx_add(x, ZERO(x)))
BUILD(zero_add, fx_add(ZERO(x), x))
BUILD(add_minus_zero, fx_add(x, MINUS_ZERO(x)))
BUILD(minus_zero_add, fx_add(MINUS_ZERO(x), x))
BUILD(mul_zero, fx_mul(x, ZERO(x)))

static void ones(void **state) {
    (void)state;
    vanishes(mul_one, "mul_one", NUMBERS);
    vanishes(one_mul, "mul_one", NUMBERS);
    vanishes(mul_ones, "mul_one", NUMBERS);
    vanishes(div_one, "div_one", NUMBERS);
    assert_stays(one_div, &F32);
}

/* As the addition of floats is: only the zero of the right sign is neutral (C23). */
static void zeros(void **state) {
    (void)state;
    vanishes(sub_zero, "sub_zero", NUMBERS);
    vanishes(add_zero, "add_zero", INTEGERS);
    vanishes(zero_add, "add_zero", INTEGERS);
    vanishes(add_minus_zero, "add_zero", FLOATS);
    vanishes(minus_zero_add, "add_zero", FLOATS);
    for (size_t i = 0; i < 4; i++) {
        const fx_shape shape = FX_SHAPE(numbers[i], 11);
        assert_stays(add_zero, &shape);
        assert_stays(zero_add, &shape);
        assert_stays(sub_minus_zero, &shape);
        assert_stays(zero_sub, &shape);
        assert_stays(sub_itself, &shape);
        assert_stays(mul_zero, &shape);
    }
}

/* ---- strong products ---- */

#define HALVES(x) fx_broadcast_to_dims(fx_scalar((x)->graph, (x)->shape.dtype, 0.5), FX_DIMS(11))
BUILD(half_strong_mul, fx_strong_mul(HALVES(x), x))
BUILD(one_strong_mul, fx_strong_mul(fx_ones_like(x), x))
BUILD(half_strong_div, fx_strong_div(HALVES(x), x))
BUILD(zero_strong_mul, fx_strong_mul(fx_zeros_like(x), x))
BUILD(strong_mul_half, fx_strong_mul(x, HALVES(x)))
BUILD(strong_div_half, fx_strong_div(x, HALVES(x)))

static void strong_products(void **state) {
    (void)state;
    becomes(half_strong_mul, &F32, "strong_mul_known",
            "%2 = constant value=float32(0.5) : (float32)\n%3 = broadcast_in_dim %2 axes=[] : (float32)[11]\n"
            "%4 = mul %3 %0 : (float32)[11]\n");
    vanishes(one_strong_mul, "strong_mul_known", FLOATS);
    becomes(half_strong_div, &F32, "strong_div_known",
            "%2 = constant value=float32(0.5) : (float32)\n%3 = broadcast_in_dim %2 axes=[] : (float32)[11]\n"
            "%4 = div %3 %0 : (float32)[11]\n");
    assert_stays(zero_strong_mul, &F32);
    assert_stays(strong_mul_half, &F32); /* -0 times 0.5 is -0, and strongly +0 */
    assert_stays(strong_div_half, &F32);
}

/* ---- powers and selections ---- */

#define NUMBER(x, value) fx_scalar((x)->graph, (x)->shape.dtype, value)
BUILD(pow_one, fx_pow(x, ONE(x)))
BUILD(pow_two, fx_pow(x, NUMBER(x, 2)))
BUILD(pow_three, fx_pow(x, NUMBER(x, 3)))
BUILD(pow_half, fx_pow(x, NUMBER(x, 0.5)))
BUILD(pow_zero, fx_pow(x, ZERO(x)))
BUILD(one_pow, fx_pow(ONE(x), x))

static void powers(void **state) {
    (void)state;
    vanishes(pow_one, "pow_small", NUMBERS);
    const fx_dtype some[] = {FX_F32, FX_F64, FX_S8, FX_U16};
    static const char *const want[] = {"%2 = mul %0 %0 : (float32)[11]\n", "%2 = mul %0 %0 : (float64)[11]\n",
                                       "%2 = mul %0 %0 : (int8)[11]\n", "%2 = mul %0 %0 : (uint16)[11]\n"};
    for (size_t i = 0; i < COUNT_OF(some); i++)
        becomes(pow_two, &FX_SHAPE(some[i], 11), "pow_small", want[i]);
    assert_stays(pow_three, &F32);
    assert_stays(pow_half, &F32);
    assert_stays(pow_zero, &F32);
    assert_stays(one_pow, &F32);
}

#define ALL(x, value) fx_broadcast_to_dims(fx_scalar((x)->graph, FX_BOOL, value), FX_DIMS(11))
BUILD(select_true, fx_select(ALL(x, 1), x, y))
BUILD(select_false, fx_select(ALL(x, 0), y, x))
BUILD(select_same, fx_select(fx_less(x, y), x, x))
BUILD(stopped, fx_stop_gradient(x))
BUILD(select_other, fx_select(fx_less(x, y), x, y))

static void selections(void **state) {
    (void)state;
    vanishes(select_true, "select_known", NUMBERS);
    vanishes(select_false, "select_known", NUMBERS);
    vanishes(select_same, "select_known", NUMBERS);
    vanishes(stopped, "stop_gradient", NUMBERS);
    assert_stays(select_other, &F32);
}

/* ---- what must not be rewritten ---- */

BUILD(log_exp, fx_log(fx_exp(x)))
BUILD(exp_log, fx_exp(fx_log(x)))
BUILD(sqrt_square, fx_sqrt(fx_mul(x, x)))
BUILD(square_sqrt, fx_mul(fx_sqrt(x), fx_sqrt(x)))
BUILD(narrow_widen, fx_convert(fx_convert(x, FX_BF16), FX_F32))
BUILD(int_float, fx_convert(fx_convert(x, FX_S32), FX_F32))
BUILD(masked, fx_sub(fx_add(x, fx_mul_scalar(y, -1e30)), fx_add(y, x)))
BUILD(residue, fx_sub(y, fx_sub(fx_add(x, y), x)))
BUILD(products, fx_add(fx_mul(x, y), fx_mul(y, x)))
BUILD(reciprocal, fx_div(fx_div(x, y), y))
BUILD(lexicographic, fx_or(fx_less(x, y), fx_and(fx_equal(x, y), fx_less_or_equal(y, x))))
BUILD(not_less, fx_not(fx_less(x, y)))
BUILD(twice_max, fx_max(fx_max(x, y), x))

/* Overflow, NaN, rounding and the order of additions are part of the meaning (C01, C02, C03, C19, C20). */
static void forbidden(void **state) {
    (void)state;
    static const pair_fn all[] = {log_exp,   exp_log,       sqrt_square, square_sqrt, narrow_widen,
                                  int_float, masked,        residue,     products,    reciprocal,
                                  not_less,  lexicographic, twice_max};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        fx_graph *before = graph_of(all[i], &F32), *after = fxi_passes_run(before, FX_MUST);
        uint64_t fired[64] = {0};
        fx_graph *again = fxi_simplify(before, fired, FX_MUST);
        for (size_t r = 0; r < fxi_rules_count(); r++) assert_int_equal(fired[r], 0);
        assert_same_meaning(before, after);
        fx_graph_free(before);
        fx_graph_free(after);
        fx_graph_free(again);
    }
    assert_stays(narrow_widen, &F32);
    assert_stays(sqrt_square, &F32);
    assert_stays(log_exp, &F32);
}

/* ---- none is forgotten ---- */

static void every_rule_was_seen(void **state) {
    (void)state;
    for (size_t i = 0; i < fxi_rules_count(); i++)
        if (!seen[i]) fail_msg("rule %s never fired in this test", fxi_rules_name(i));
    assert_string_equal(fxi_rules_name(fxi_rules_count()), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reshapes),
        cmocka_unit_test(transposes),
        cmocka_unit_test(convolutions),
        cmocka_unit_test(slices),
        cmocka_unit_test(slices_of_joined),
        cmocka_unit_test(slices_of_padded),
        cmocka_unit_test(undone),
        cmocka_unit_test(magnitudes),
        cmocka_unit_test(ones),
        cmocka_unit_test(zeros),
        cmocka_unit_test(strong_products),
        cmocka_unit_test(powers),
        cmocka_unit_test(selections),
        cmocka_unit_test(forbidden),
        cmocka_unit_test(every_rule_was_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
