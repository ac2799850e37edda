/* SPDX-License-Identifier: Apache-2.0 */
/* StableHLO's elementwise operations. Most are the library's own under other names; operands must have equal
 * dimensions, as nothing is broadcast here but the bounds of clamp and the predicate of select. What differs
 * is composed: bits of bool are packed and unpacked by shifts. */
#include "stablehlo/import_rules.h"

/* name in StableHLO, builder */
#define UNARY_OPERATIONS(X)                                                                                  \
    X(abs, fx_abs)                                                                                           \
    X(ceil, fx_ceil)                                                                                         \
    X(cosine, fx_cos)                                                                                        \
    X(count_leading_zeros, fx_clz)                                                                           \
    X(exponential, fx_exp)                                                                                   \
    X(exponential_minus_one, fx_expm1)                                                                       \
    X(floor, fx_floor)                                                                                       \
    X(imag, fx_imag)                                                                                         \
    X(is_finite, fx_is_finite)                                                                               \
    X(log, fx_log)                                                                                           \
    X(log_plus_one, fx_log1p)                                                                                \
    X(logistic, fx_logistic)                                                                                 \
    X(negate, fx_neg)                                                                                        \
    X(not, fx_not)                                                                                           \
    X(popcnt, fx_popcount)                                                                                   \
    X(real, fx_real)                                                                                         \
    X(round_nearest_afz, fx_round_away)                                                                      \
    X(round_nearest_even, fx_round)                                                                          \
    X(rsqrt, fx_rsqrt)                                                                                       \
    X(sign, fx_sign)                                                                                         \
    X(sine, fx_sin)                                                                                          \
    X(sqrt, fx_sqrt)                                                                                         \
    X(tan, fx_tan)                                                                                           \
    X(tanh, fx_tanh)
#define BINARY_OPERATIONS(X)                                                                                 \
    X(add, fx_add)                                                                                           \
    X(and, fx_and)                                                                                           \
    X(atan2, fx_atan2)                                                                                       \
    X(complex, fx_complex)                                                                                   \
    X(divide, fx_div)                                                                                        \
    X(multiply, fx_mul)                                                                                      \
    X(or, fx_or)                                                                                             \
    X(power, fx_pow)                                                                                         \
    X(remainder, fx_rem)                                                                                     \
    X(shift_left, fx_bitwise_shift_left)                                                                     \
    X(shift_right_arithmetic, fx_bitwise_shift_right_arithmetic)                                             \
    X(shift_right_logical, fx_bitwise_shift_right_logical)                                                   \
    X(subtract, fx_sub)                                                                                      \
    X(xor, fx_xor)

UNARY_OPERATIONS(FXI_HLO_UNARY_RULE)
BINARY_OPERATIONS(FXI_HLO_BINARY_RULE)

/* ---- what the library has of real numbers alone ---- */

/* Of a complex number the root with a third of its angle. */
static bool rule_cbrt(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)im, (void)op;
    if (!fx_dtype_is_complex(fx_node_dtype(in[0]))) {
        out[0] = fx_cbrt(in[0]);
        return true;
    }
    fx_node *size = fx_cbrt(fx_abs(in[0]));
    fx_node *angle = fx_div_scalar(fx_atan2(fx_imag(in[0]), fx_real(in[0])), 3);
    out[0] = fx_complex(fx_mul(size, fx_cos(angle)), fx_mul(size, fx_sin(angle)));
    return true;
}

/* Complex numbers in the order of their real parts, where these are equal in that of the imaginary ones. */
static fx_node *complex_less(fx_node *x, fx_node *y) {
    fx_node *re[] = {fx_real(x), fx_real(y)};
    fx_node *tie = fx_and(fx_equal(re[0], re[1]), fx_less(fx_imag(x), fx_imag(y)));
    return fx_or(fx_less(re[0], re[1]), tie);
}

static bool rule_maximum(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    if (!fxi_hlo_check_same(im, op, in, 0)) return false;
    bool is_complex = fx_dtype_is_complex(fx_node_dtype(in[0]));
    out[0] = is_complex ? fx_select(complex_less(in[0], in[1]), in[1], in[0]) : fx_max(in[0], in[1]);
    return true;
}

static bool rule_minimum(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    if (!fxi_hlo_check_same(im, op, in, 0)) return false;
    bool is_complex = fx_dtype_is_complex(fx_node_dtype(in[0]));
    out[0] = is_complex ? fx_select(complex_less(in[1], in[0]), in[1], in[0]) : fx_min(in[0], in[1]);
    return true;
}

/* ---- comparison ---- */

typedef fx_node *(*comparison)(fx_node *x, fx_node *y);
static const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
static const comparison plain[] = {fx_equal,   fx_not_equal,     fx_greater_or_equal,
                                   fx_greater, fx_less_or_equal, fx_less};
static const comparison total[] = {
    fx_equal_total_order,   fx_not_equal_total_order,     fx_greater_or_equal_total_order,
    fx_greater_total_order, fx_less_or_equal_total_order, fx_less_total_order};

/* Whether a comparison of that type is one of these elements: FLOAT of floats and complex, TOTALORDER of
 * floats, SIGNED of signed integers, UNSIGNED of the others and bool. */
static bool type_suits(int type, fx_dtype dtype) {
    bool is_float = fx_dtype_is_float(dtype);
    const bool suits[] = {is_float || fx_dtype_is_complex(dtype), is_float, fx_dtype_is_signed(dtype),
                          fx_dtype_is_unsigned(dtype) || dtype == FX_BOOL, true};
    return suits[type];
}

static bool rule_compare(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    static const char *const types[] = {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED", "NOTYPE"};
    int direction, type;
    if (!fxi_hlo_attr_word(im, op, "comparison_direction", directions, 6, -1, &direction) ||
        !fxi_hlo_attr_word(im, op, "compare_type", types, 5, 4, &type) || !fxi_hlo_check_same(im, op, in, 0))
        return false;
    if (!type_suits(type, fx_node_dtype(in[0])))
        return fxi_hlo_wrong(im, op->place, "a comparison of type %s does not take %s", types[type],
                             fx_dtype_name(fx_node_dtype(in[0])));
    out[0] = (type == 1 ? total : plain)[direction](in[0], in[1]);
    return true;
}

/* ---- choice ---- */

/* Refuses an operand that is neither a scalar nor of x's dimensions. */
static bool scalar_or_same(fxi_hlo_import *im, const fxi_hlo_op *op, const char *what, const fx_node *part,
                           const fx_node *x) {
    if (fx_node_rank(part) == 0 || fx_shape_equal_dims(fx_node_shape(part), fx_node_shape(x))) return true;
    return fxi_hlo_wrong(im, op->place, "%s is neither a scalar nor of the operand's dimensions", what);
}

static bool rule_clamp(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    if (!scalar_or_same(im, op, "the lower bound", in[0], in[1]) ||
        !scalar_or_same(im, op, "the upper bound", in[2], in[1]))
        return false;
    out[0] = fx_clamp(in[0], in[1], in[2]);
    return true;
}

static bool rule_select(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    if (!fxi_hlo_check_same(im, op, in, 1) || !scalar_or_same(im, op, "the predicate", in[0], in[1]))
        return false;
    out[0] = fx_select(in[0], in[1], in[2]);
    return true;
}

/* ---- conversion ---- */

static bool rule_convert(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)im;
    out[0] = fxi_hlo_as(in[0], fxi_hlo_result_shape(op, 0)->dtype);
    return true;
}

static bool rule_reduce_precision(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                  fx_node **out) {
    int64_t exponent, mantissa;
    if (!fxi_hlo_attr_int(im, op, "exponent_bits", &exponent) ||
        !fxi_hlo_attr_int(im, op, "mantissa_bits", &mantissa))
        return false;
    if (exponent < 1 || exponent > 64 || mantissa < 0 || mantissa > 64)
        return fxi_hlo_wrong(im, op->place, "no format has %lld exponent and %lld mantissa bits",
                             (long long)exponent, (long long)mantissa);
    out[0] = fx_reduce_precision(in[0], (int)exponent, (int)mantissa);
    return true;
}

/* 0, 1, ..., bits - 1 along a new last axis of x. */
static fx_node *places(fx_node *x, fx_dtype dtype, const fx_shape *dims) {
    fx_shape shape = *dims;
    shape.dtype = dtype;
    return fx_iota(fx_node_graph(x), &shape, shape.rank - 1);
}

/* Bool [..., bits], the lowest bit first, as an element of `to` [...]. */
static fx_node *pack_bits(fx_node *x, fx_dtype to) {
    fx_dtype whole = fxi_hlo_integer(false, fx_dtype_bits(to));
    fx_node *bits = fx_convert(x, whole);
    fx_node *placed = fx_bitwise_shift_left(bits, places(x, whole, fx_node_shape(x)));
    const int last = -1;
    return fxi_hlo_as(fx_bitcast(fx_reduce_bitwise_or(placed, (fx_axes){&last, 1}), to), to);
}

/* An element of x [...] as bool [..., bits] with the given dimensions. */
static fx_node *unpack_bits(fx_node *x, const fx_shape *result) {
    fx_dtype whole = fxi_hlo_integer(false, fx_dtype_bits(fx_node_dtype(x)));
    int axes[FX_MAX_RANK];
    for (int i = 0; i < FX_MAX_RANK; i++) axes[i] = i;
    fx_node *wide = fx_broadcast_in_dim(fx_bitcast(x, whole), (fx_dims){result->dims, (size_t)result->rank},
                                        (fx_axes){axes, (size_t)fx_node_rank(x)});
    fx_node *moved = fx_bitwise_shift_right_logical(wide, places(x, whole, result));
    return fx_convert(fx_bitwise_and(moved, fx_scalar_one(fx_node_graph(x), whole)), FX_BOOL);
}

static bool rule_bitcast_convert(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                 fx_node **out) {
    const fx_shape *to = fxi_hlo_result_shape(op, 0), *from = fx_node_shape(in[0]);
    bool from_bool = from->dtype == FX_BOOL, to_bool = to->dtype == FX_BOOL;
    if (from->dtype == to->dtype) {
        out[0] = in[0];
        return true;
    }
    if (!from_bool && !to_bool) {
        out[0] = fx_bitcast(in[0], to->dtype);
        return true;
    }
    const fx_shape *bits = from_bool ? from : to;
    fx_dtype other = from_bool ? to->dtype : from->dtype;
    if (fxi_hlo_integer(false, fx_dtype_bits(other)) == FX_INVALID_DTYPE || fx_dtype_is_complex(other))
        return fxi_hlo_unsupported(im, op->place, "bits of %s as i1", fx_dtype_name(other));
    if (bits->rank < 1 || bits->dims[bits->rank - 1] != fx_dtype_bits(other))
        return fxi_hlo_wrong(im, op->place, "the last dimension of the i1 side is not %d",
                             fx_dtype_bits(other));
    out[0] = from_bool ? pack_bits(in[0], to->dtype) : unpack_bits(in[0], to);
    return true;
}

static bool rule_quantized(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)in, (void)out;
    return fxi_hlo_unsupported(im, op->place, "%.*s: quantized types", (int)op->name.length, op->name.at);
}

/* A computation given as a region, on each element. */
static bool rule_map(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    if (!fxi_hlo_check_same(im, op, in, 0)) return false;
    return fxi_hlo_region_map(im, op->regions[0], in, op->n_operands, out, 1);
}

#define ROW1(name)                                                                                           \
    { "stablehlo." #name, 1, 1, 0, rule_##name }
#define ROW2(name)                                                                                           \
    { "stablehlo." #name, 2, 1, 0, rule_##name }
static const fxi_hlo_row rows[] = {
    ROW1(abs),
    ROW2(add),
    ROW2(and),
    ROW2(atan2),
    ROW1(bitcast_convert),
    ROW1(cbrt),
    ROW1(ceil),
    {"stablehlo.clamp", 3, 1, 0, rule_clamp},
    ROW2(compare),
    ROW2(complex),
    ROW1(convert),
    ROW1(cosine),
    ROW1(count_leading_zeros),
    ROW2(divide),
    ROW1(exponential),
    ROW1(exponential_minus_one),
    ROW1(floor),
    ROW1(imag),
    ROW1(is_finite),
    ROW1(log),
    ROW1(log_plus_one),
    ROW1(logistic),
    {"stablehlo.map", FXI_HLO_ANY, 1, 1, rule_map},
    ROW2(maximum),
    ROW2(minimum),
    ROW2(multiply),
    ROW1(negate),
    ROW1(not ),
    ROW2(or),
    ROW1(popcnt),
    ROW2(power),
    ROW1(real),
    ROW1(reduce_precision),
    ROW2(remainder),
    ROW1(round_nearest_afz),
    ROW1(round_nearest_even),
    ROW1(rsqrt),
    {"stablehlo.select", 3, 1, 0, rule_select},
    ROW2(shift_left),
    ROW2(shift_right_arithmetic),
    ROW2(shift_right_logical),
    ROW1(sign),
    ROW1(sine),
    ROW1(sqrt),
    ROW2(subtract),
    ROW1(tan),
    ROW1(tanh),
    {"stablehlo.uniform_dequantize", 1, 1, 0, rule_quantized},
    {"stablehlo.uniform_quantize", 1, 1, 0, rule_quantized},
    ROW2(xor),
};
const fxi_hlo_table fxi_hlo_elementwise = FXI_HLO_TABLE(rows);
