/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operations: what a program calls them, their parameters, and the builder. Most rows need
 * one of the few calls below, which fit a family of builders; the others have a function in
 * case_ops_special.c. Add a row for a new builder here; `fluxion-cases --ops` prints the table. Names are
 * those of the files first, then the library's own where they differ. */
#include "cases.h"

#include <string.h>

static struct value *call_unary(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.unary(args[0]->u.node));
}

static struct value *call_binary(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.binary(args[0]->u.node, args[1]->u.node));
}

static struct value *call_ternary(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.ternary(args[0]->u.node, args[1]->u.node, args[2]->u.node));
}

/* An integer goes to the builder that takes integers, so that 64 bits survive. */
static struct value *call_number(struct eval *eval, const struct op *op, struct value *const *args) {
    struct number number = args[1]->u.number;
    fx_node *x = args[0]->u.node;
    return case_value_node(eval, number.is_int ? op->call.number.whole(x, number.i)
                                               : op->call.number.real(x, number.f));
}

static struct value *call_shift(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.shift(args[0]->u.node, args[1]->u.number.i));
}

static struct value *call_axes(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.axes(args[0]->u.node, case_arg_axes(eval, args[1])));
}

/* Apart from call_axes so that reduce_and_keep can tell reducers from other rows. */
struct value *case_op_reduce(struct eval *eval, const struct op *op, struct value *const *args) {
    return call_axes(eval, op, args);
}

static struct value *call_dims(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.dims(args[0]->u.node, case_arg_dims(eval, args[1])));
}

static struct value *call_shaped(struct eval *eval, const struct op *op, struct value *const *args) {
    fx_shape shape = case_arg_shape(eval, args[0], args[1]);
    return case_value_node(eval, op->call.shaped(eval->graph, &shape));
}

static struct value *call_arg(struct eval *eval, const struct op *op, struct value *const *args) {
    fx_dtype dtype = args[2] ? args[2]->u.dtype : FX_S32;
    return case_value_node(eval, op->call.axis(args[0]->u.node, case_arg_int(args[1], 0), dtype));
}

static struct value *call_list(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.list(case_arg_nodes(eval, args[0]), case_arg_int(args[1], 0)));
}

static struct value *call_dtype(struct eval *eval, const struct op *op, struct value *const *args) {
    return case_value_node(eval, op->call.dtype(args[0]->u.node, args[1]->u.dtype));
}

/* clang-format off */
#define UNARY(name, builder)  {name, "n:x", call_unary, {.unary = builder}}
#define BINARY(name, builder) {name, "n:x n:y", call_binary, {.binary = builder}}
#define SCALAR(name, builder) {name, "n:x f:value", call_number, {.number = {builder, builder##_int}}}
#define SHIFT(name, builder)  {name, "n:x i:n", call_shift, {.shift = builder}}
#define REDUCE(name, builder) {name, "n:x a:axes?", case_op_reduce, {.axes = builder}}
#define AXES(name, builder)   {name, "n:x a:axes", call_axes, {.axes = builder}}
#define DIMS(name, builder)   {name, "n:x a:dims", call_dims, {.dims = builder}}
#define SHAPED(name, builder) {name, "d:dtype a:dims", call_shaped, {.shaped = builder}}
#define DTYPE(name, builder)  {name, "n:x d:dtype", call_dtype, {.dtype = builder}}
#define ARG(name, builder)    {name, "n:x i:axis d:dtype?", call_arg, {.axis = builder}}
#define LIST(name, builder)   {name, "l:operands i:axis", call_list, {.list = builder}}
#define SPECIAL(name, signature, function) {name, signature, function, {.unary = NULL}}

static const struct op ops[] = {
    /* constants and iota */
    SPECIAL("const", "d:dtype v:value", case_op_const),
    SPECIAL("infinity", "d:dtype i:sign", case_op_infinity),
    SPECIAL("fill_scalar", "d:dtype a:dims f:value", case_op_fill_scalar),
    SHAPED("zeros", fx_zeros),
    SHAPED("ones", fx_ones),
    UNARY("zeros_like", fx_zeros_like),
    UNARY("ones_like", fx_ones_like),
    SPECIAL("iota", "d:dtype a:dims i:axis", case_op_iota),
    SHAPED("iota_full", fx_iota_full),

    /* elementwise, one operand */
    UNARY("abs", fx_abs),
    UNARY("neg", fx_neg),
    UNARY("sign", fx_sign),
    UNARY("sign_plus_or_minus", fx_sign_plus_or_minus),
    UNARY("ceil", fx_ceil),
    UNARY("floor", fx_floor),
    UNARY("round", fx_round),
    UNARY("round_away", fx_round_away),
    UNARY("trunc", fx_trunc),
    UNARY("exp", fx_exp),
    UNARY("expm1", fx_expm1),
    UNARY("exp2", fx_exp2),
    UNARY("log", fx_log),
    UNARY("log1p", fx_log1p),
    UNARY("mirrored_log1p", fx_mirrored_log1p),
    UNARY("log2", fx_log2),
    UNARY("log10", fx_log10),
    UNARY("sqrt", fx_sqrt),
    UNARY("rsqrt", fx_rsqrt),
    UNARY("cbrt", fx_cbrt),
    UNARY("sin", fx_sin),
    UNARY("cos", fx_cos),
    UNARY("tan", fx_tan),
    UNARY("asin", fx_asin),
    UNARY("acos", fx_acos),
    UNARY("atan", fx_atan),
    UNARY("sinh", fx_sinh),
    UNARY("cosh", fx_cosh),
    UNARY("tanh", fx_tanh),
    UNARY("asinh", fx_asinh),
    UNARY("acosh", fx_acosh),
    UNARY("atanh", fx_atanh),
    UNARY("logistic", fx_logistic),
    UNARY("sigmoid", fx_sigmoid),
    UNARY("softplus", fx_softplus),
    UNARY("erf", fx_erf),
    UNARY("erfc", fx_erfc),
    UNARY("erf_inv", fx_erf_inv),
    UNARY("lgamma", fx_lgamma),
    UNARY("digamma", fx_digamma),
    UNARY("bessel_i0e", fx_bessel_i0e),
    UNARY("bessel_i1e", fx_bessel_i1e),
    UNARY("square", fx_square),
    UNARY("one_minus", fx_one_minus),
    UNARY("minus_one", fx_minus_one),
    UNARY("one_plus", fx_one_plus),
    UNARY("reciprocal", fx_reciprocal),
    UNARY("real", fx_real),
    UNARY("imag", fx_imag),
    UNARY("conj", fx_conj),
    UNARY("not", fx_not),
    UNARY("logical_not", fx_logical_not),
    UNARY("bitwise_not", fx_bitwise_not),
    UNARY("bit_count", fx_bit_count),
    UNARY("popcount", fx_popcount),
    UNARY("clz", fx_clz),
    UNARY("identity", fx_identity),
    UNARY("is_finite", fx_is_finite),
    UNARY("is_nan", fx_is_nan),
    UNARY("is_inf", fx_is_inf),
    UNARY("is_zero", fx_is_zero),
    UNARY("is_positive", fx_is_positive),
    UNARY("is_non_negative", fx_is_non_negative),
    UNARY("is_negative", fx_is_negative),
    UNARY("is_non_positive", fx_is_non_positive),
    UNARY("positive_indicator", fx_positive_indicator),
    UNARY("non_negative_indicator", fx_non_negative_indicator),
    UNARY("negative_indicator", fx_negative_indicator),
    UNARY("non_positive_indicator", fx_non_positive_indicator),
    SPECIAL("nan_to_num", "n:x f:nan f:positive_infinity f:negative_infinity", case_op_nan_to_num),

    /* elementwise, two and three operands */
    BINARY("add", fx_add),
    BINARY("sub", fx_sub),
    BINARY("mul", fx_mul),
    BINARY("div", fx_div),
    BINARY("rem", fx_rem),
    BINARY("mod", fx_mod),
    BINARY("floor_div", fx_floor_div),
    BINARY("pow", fx_pow),
    BINARY("max", fx_max),
    BINARY("min", fx_min),
    BINARY("atan2", fx_atan2),
    BINARY("hypot", fx_hypot),
    BINARY("copysign", fx_copysign),
    BINARY("nextafter", fx_nextafter),
    BINARY("log_add_exp", fx_log_add_exp),
    BINARY("complex", fx_complex),
    BINARY("strong_mul", fx_strong_mul),
    BINARY("strong_div", fx_strong_div),
    BINARY("and", fx_and),
    BINARY("or", fx_or),
    BINARY("xor", fx_xor),
    BINARY("logical_and", fx_logical_and),
    BINARY("logical_or", fx_logical_or),
    BINARY("logical_xor", fx_logical_xor),
    BINARY("bitwise_and", fx_bitwise_and),
    BINARY("bitwise_or", fx_bitwise_or),
    BINARY("bitwise_xor", fx_bitwise_xor),
    BINARY("bitwise_shift_left", fx_bitwise_shift_left),
    BINARY("bitwise_shift_right_arithmetic", fx_bitwise_shift_right_arithmetic),
    BINARY("bitwise_shift_right_logical", fx_bitwise_shift_right_logical),
    SHIFT("bitwise_shift_left_scalar", fx_bitwise_shift_left_scalar),
    SHIFT("bitwise_shift_right_arithmetic_scalar", fx_bitwise_shift_right_arithmetic_scalar),
    SHIFT("bitwise_shift_right_logical_scalar", fx_bitwise_shift_right_logical_scalar),
    BINARY("equal", fx_equal),
    BINARY("not_equal", fx_not_equal),
    BINARY("less_than", fx_less),
    BINARY("less_or_equal", fx_less_or_equal),
    BINARY("greater_than", fx_greater),
    BINARY("greater_or_equal", fx_greater_or_equal),
    BINARY("equal_total_order", fx_equal_total_order),
    BINARY("not_equal_total_order", fx_not_equal_total_order),
    BINARY("less_than_total_order", fx_less_total_order),
    BINARY("less_or_equal_total_order", fx_less_or_equal_total_order),
    BINARY("greater_than_total_order", fx_greater_total_order),
    BINARY("greater_or_equal_total_order", fx_greater_or_equal_total_order),
    SCALAR("add_scalar", fx_add_scalar),
    SCALAR("sub_scalar", fx_sub_scalar),
    SCALAR("mul_scalar", fx_mul_scalar),
    SCALAR("div_scalar", fx_div_scalar),
    SCALAR("pow_scalar", fx_pow_scalar),
    SCALAR("max_scalar", fx_max_scalar),
    SCALAR("min_scalar", fx_min_scalar),
    SCALAR("mod_scalar", fx_mod_scalar),
    {"clamp", "n:low n:x n:high", call_ternary, {.ternary = fx_clamp}},
    {"clip", "n:x n:low n:high", call_ternary, {.ternary = fx_clip}},
    SPECIAL("clip_scalar", "n:x f:low f:high", case_op_clip_scalar),
    {"where", "n:condition n:on_true n:on_false", call_ternary, {.ternary = fx_where}},
    {"select", "n:condition n:on_true n:on_false", call_ternary, {.ternary = fx_select}},

    /* conversion */
    DTYPE("convert_dtype", fx_convert),
    DTYPE("bitcast", fx_bitcast),
    SPECIAL("reduce_precision", "n:x i:exponent_bits i:mantissa_bits", case_op_reduce_precision),

    /* shapes */
    DIMS("reshape", fx_reshape),
    SPECIAL("transpose", "n:x i:axis_a i:axis_b", case_op_transpose),
    AXES("transpose_all_axes", fx_transpose_all_axes),
    SPECIAL("broadcast_in_dim", "n:x a:dims a:mapping", case_op_broadcast_in_dim),
    DIMS("broadcast_prefix", fx_broadcast_prefix),
    SPECIAL("expand_and_broadcast", "n:x a:dims a:expanded_axes", case_op_expand_and_broadcast),
    DIMS("broadcast_to_dims", fx_broadcast_to_dims),
    SPECIAL("broadcast_to_shape", "n:x d:dtype a:dims", case_op_broadcast_to_shape),
    AXES("insert_axes", fx_insert_axes),
    AXES("expand_axes", fx_expand_axes),
    SPECIAL("expand_left_to_rank", "n:x i:rank", case_op_expand_left),
    {"squeeze", "n:x a:axes?", call_axes, {.axes = fx_squeeze}},
    SPECIAL("axis_range", "i:start? i:end? i:stride? b:spacer?", case_op_axis_range),
    SPECIAL("axis_elem", "i:index b:spacer?", case_op_axis_elem),
    SPECIAL("slice", "n:x v:specs?", case_op_slice),
    SPECIAL("backend_slice", "n:x a:starts a:limits a:strides?", case_op_backend_slice),
    SPECIAL("slice_axis", "n:x i:axis v:spec", case_op_slice_axis),
    {"reverse", "n:x a:axes?", call_axes, {.axes = fx_reverse}},
    LIST("concatenate", fx_concatenate),
    LIST("stack", fx_stack),
    SPECIAL("split", "n:x i:axis i:count", case_op_split),

    /* reductions */
    REDUCE("reduce_sum", fx_reduce_sum),
    REDUCE("reduce_multiply", fx_reduce_product),
    REDUCE("reduce_max", fx_reduce_max),
    REDUCE("reduce_min", fx_reduce_min),
    REDUCE("reduce_logical_and", fx_reduce_and),
    REDUCE("reduce_logical_or", fx_reduce_or),
    REDUCE("reduce_logical_xor", fx_reduce_xor),
    REDUCE("reduce_bitwise_and", fx_reduce_bitwise_and),
    REDUCE("reduce_bitwise_or", fx_reduce_bitwise_or),
    REDUCE("reduce_bitwise_xor", fx_reduce_bitwise_xor),
    REDUCE("logical_all", fx_logical_all),
    REDUCE("logical_any", fx_logical_any),
    REDUCE("reduce_mean", fx_reduce_mean),
    REDUCE("reduce_variance", fx_reduce_variance),
    UNARY("reduce_all_sum", fx_reduce_all_sum),
    UNARY("reduce_all_multiply", fx_reduce_all_product),
    UNARY("reduce_all_max", fx_reduce_all_max),
    UNARY("reduce_all_min", fx_reduce_all_min),
    UNARY("reduce_all_logical_and", fx_reduce_all_and),
    UNARY("reduce_all_logical_or", fx_reduce_all_or),
    UNARY("reduce_all_logical_xor", fx_reduce_all_xor),
    UNARY("reduce_all_bitwise_and", fx_reduce_all_bitwise_and),
    UNARY("reduce_all_bitwise_or", fx_reduce_all_bitwise_or),
    UNARY("reduce_all_bitwise_xor", fx_reduce_all_bitwise_xor),
    UNARY("reduce_all_mean", fx_reduce_all_mean),
    UNARY("reduce_all_variance", fx_reduce_all_variance),
    SPECIAL("reduce_and_keep", "n:x s:reducer a:axes?", case_op_reduce_and_keep),
    ARG("arg_max", fx_arg_max_dtype),
    ARG("arg_min", fx_arg_min_dtype),

    /* products */
    SPECIAL("dot_general",
            "n:lhs a:lhs_contract a:lhs_batch n:rhs a:rhs_contract a:rhs_batch d:accumulator_dtype? "
            "d:output_dtype?",
            case_op_dot_general),
    SPECIAL("dot_product", "n:lhs n:rhs d:output_dtype?", case_op_dot_product),
    BINARY("mat_mul", fx_matmul),
};
/* clang-format on */

/* One table per file; case_op_at counts through them. */
static const struct op_table first_table = {ops, sizeof ops / sizeof *ops};
static const struct op_table *const tables[] = {
    &first_table,
    &case_ops_index,
    &case_ops_sort,
    &case_ops_control,
    &case_ops_fft,
    &case_ops_window,
    &case_ops_composite,
    &case_ops_einsum,
    &case_ops_grad,
    &case_ops_conv,
    &case_ops_attention,
    &case_ops_random,
    &case_ops_quant,
    &case_ops_nn,
};

const struct op *case_op_at(size_t index) {
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        if (index < tables[t]->n) return &tables[t]->v[index];
        index -= tables[t]->n;
    }
    return NULL;
}

const struct op *case_op_find(const char *name) {
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (size_t i = 0; i < tables[t]->n; i++) {
            if (strcmp(tables[t]->v[i].name, name) == 0) return &tables[t]->v[i];
        }
    }
    return NULL;
}
