/* SPDX-License-Identifier: Apache-2.0 */
/* The CHLO dialect: special functions, and binary operations with implicit broadcasting, which are those of
 * StableHLO on operands that are broadcast first. zeta and polygamma are in import_zeta.c. */
#include "stablehlo/import_zeta.h"
#include <fluxion/sorting.h>
#include <string.h>

#define UNARY_OPERATIONS(X)                                                                                  \
    X(acos, fx_acos)                                                                                         \
    X(acosh, fx_acosh)                                                                                       \
    X(asin, fx_asin)                                                                                         \
    X(asinh, fx_asinh)                                                                                       \
    X(atan, fx_atan)                                                                                         \
    X(atanh, fx_atanh)                                                                                       \
    X(bessel_i1e, fx_bessel_i1e)                                                                             \
    X(conj, fx_conj)                                                                                         \
    X(cosh, fx_cosh)                                                                                         \
    X(digamma, fx_digamma)                                                                                   \
    X(erf, fx_erf)                                                                                           \
    X(erf_inv, fx_erf_inv)                                                                                   \
    X(erfc, fx_erfc)                                                                                         \
    X(is_inf, fx_is_inf)                                                                                     \
    X(lgamma, fx_lgamma)                                                                                     \
    X(sinh, fx_sinh)                                                                                         \
    X(square, fx_square)                                                                                     \
    X(tan, fx_tan)
#define BINARY_OPERATIONS(X)                                                                                 \
    X(next_after, fx_nextafter)                                                                              \
    X(polygamma, fxi_hlo_polygamma)                                                                          \
    X(zeta, fxi_hlo_zeta)

UNARY_OPERATIONS(FXI_HLO_UNARY_RULE)
BINARY_OPERATIONS(FXI_HLO_BINARY_RULE)

static bool rule_is_pos_inf(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)op;
    out[0] = fx_equal(in[0], fx_infinity(im->graph, fx_node_dtype(in[0]), 1));
    return true;
}

static bool rule_is_neg_inf(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    (void)op;
    out[0] = fx_equal(in[0], fx_infinity(im->graph, fx_node_dtype(in[0]), -1));
    return true;
}

/* Of 64 bits: by halves as unsigned integers, of which a negative one is too large by 2^64. */
static fx_node *high_of_64(fx_node *x, fx_node *y) {
    fx_dtype dtype = fx_node_dtype(x);
    fx_graph *graph = fx_node_graph(x);
    fx_node *u = fxi_hlo_as(x, FX_U64), *v = fxi_hlo_as(y, FX_U64);
    fx_node *mask = fx_scalar_int(graph, FX_U64, UINT32_MAX);
    fx_node *low[] = {fx_and(u, mask), fx_and(v, mask)};
    fx_node *high[] = {fx_bitwise_shift_right_logical_scalar(u, 32),
                       fx_bitwise_shift_right_logical_scalar(v, 32)};
    fx_node *carry = fx_bitwise_shift_right_logical_scalar(fx_mul(low[0], low[1]), 32);
    fx_node *middle = fx_add(fx_mul(high[0], low[1]), carry);
    fx_node *other = fx_add(fx_mul(low[0], high[1]), fx_and(middle, mask));
    fx_node *sum = fx_add(fx_mul(high[0], high[1]), fx_bitwise_shift_right_logical_scalar(middle, 32));
    sum = fx_add(sum, fx_bitwise_shift_right_logical_scalar(other, 32));
    if (dtype == FX_U64) return sum;
    fx_node *zero = fx_scalar_zero(graph, FX_U64);
    sum = fx_sub(sum, fx_select(fx_is_negative(x), v, zero));
    sum = fx_sub(sum, fx_select(fx_is_negative(y), u, zero));
    return fx_convert(sum, dtype);
}

/* The high half of the product of two integers of n bits, of 2 n bits. */
static bool rule_mulhi(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_dtype dtype = fx_node_dtype(in[0]);
    int bits = fx_dtype_bits(dtype);
    if (!fxi_hlo_check_same(im, op, in, 0)) return false;
    if (!fx_dtype_is_integer(dtype)) return fxi_hlo_wrong(im, op->place, "mulhi of %s", fx_dtype_name(dtype));
    if (bits == 64) {
        out[0] = high_of_64(in[0], in[1]);
        return true;
    }
    fx_dtype wide = fx_dtype_is_signed(dtype) ? FX_S64 : FX_U64;
    fx_node *product = fx_mul(fx_convert(in[0], wide), fx_convert(in[1], wide));
    out[0] = fx_convert(fx_bitwise_shift_right_arithmetic_scalar(product, bits), dtype);
    return true;
}

static bool rule_top_k(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    int64_t k;
    if (!fxi_hlo_attr_int(im, op, "k", &k)) return false;
    out[0] = fxi_hlo_top_k(in[0], k, fxi_hlo_result_shape(op, 1)->dtype, &out[1]);
    return true;
}

/* ---- constants ---- */

static bool rule_constant(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    static const char name[] = "constant";
    return fxi_hlo_as_operation(im, op, "stablehlo", (fxi_hlo_span){name, strlen(name)}, in, out);
}

/* A number in the dtype and dimensions of the operand. */
static bool rule_constant_like(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    const fxi_hlo_attr *value = fxi_hlo_find(&op->attrs, "value");
    const fx_shape *shape = fx_node_shape(in[0]);
    if (!value || (value->kind != FXI_HLO_ATTR_INT && value->kind != FXI_HLO_ATTR_FLOAT))
        return fxi_hlo_wrong(im, op->place, "constant_like has no number as its value");
    fx_node *scalar = value->kind == FXI_HLO_ATTR_INT ? fx_scalar_int(im->graph, shape->dtype, value->u.i)
                                                      : fx_scalar(im->graph, shape->dtype, value->u.f);
    out[0] = shape->rank ? fxi_hlo_fill(scalar, shape) : scalar;
    return true;
}

/* ---- implicit broadcasting ---- */

/* An operand in the result's dimensions: its axes are the last ones of the result, or those that
 * broadcast_dimensions names for an operand of lower rank. */
static bool broadcast(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *x, const fx_shape *result,
                      fx_node **to) {
    int rank = fx_node_rank(x);
    fxi_hlo_axes axes = {{0}, 0};
    const fxi_hlo_attr *given = fxi_hlo_find(&op->attrs, "broadcast_dimensions");
    if (rank > result->rank)
        return fxi_hlo_wrong(im, op->place, "an operand of rank %d for a result of rank %d", rank,
                             result->rank);
    if (given && rank < result->rank && rank > 0) {
        if (!fxi_hlo_attr_axes(im, op, "broadcast_dimensions", result->rank, &axes)) return false;
    } else {
        for (int i = 0; i < rank; i++) axes.v[axes.n++] = result->rank - rank + i;
    }
    *to = fx_broadcast_in_dim(x, (fx_dims){result->dims, (size_t)result->rank}, fxi_hlo_span_of(&axes));
    return true;
}

/* chlo.broadcast_NAME by the rule of NAME, which CHLO has itself where StableHLO has not. */
static bool rule_broadcast(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    static const char *const own[] = {"next_after", "polygamma", "zeta"};
    const size_t prefix = strlen("chlo.broadcast_");
    const fx_shape *result = fxi_hlo_result_shape(op, 0);
    fxi_hlo_span rest = {op->name.at + prefix, op->name.length - prefix};
    fx_node *wide[3];
    bool is_own = false;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) is_own = is_own || fxi_hlo_span_is(rest, own[i]);
    for (size_t i = 0; i < op->n_operands; i++)
        if (!broadcast(im, op, in[i], result, &wide[i])) return false;
    return fxi_hlo_as_operation(im, op, is_own ? "chlo" : "stablehlo", rest, wide, out);
}

#define ROW1(name) {"chlo." #name, 1, 1, 0, rule_##name}
#define ROW2(name) {"chlo." #name, 2, 1, 0, rule_##name}
#define WIDE(name) {"chlo.broadcast_" #name, 2, 1, 0, rule_broadcast}
static const fxi_hlo_row rows[] = {
    ROW1(acos),
    ROW1(acosh),
    ROW1(asin),
    ROW1(asinh),
    ROW1(atan),
    ROW1(atanh),
    ROW1(bessel_i1e),
    WIDE(add),
    WIDE(and),
    WIDE(atan2),
    WIDE(compare),
    WIDE(complex),
    WIDE(divide),
    WIDE(maximum),
    WIDE(minimum),
    WIDE(multiply),
    WIDE(next_after),
    WIDE(or),
    WIDE(polygamma),
    WIDE(power),
    WIDE(remainder),
    {"chlo.broadcast_select", 3, 1, 0, rule_broadcast},
    WIDE(shift_left),
    WIDE(shift_right_arithmetic),
    WIDE(shift_right_logical),
    WIDE(subtract),
    WIDE(xor),
    WIDE(zeta),
    ROW1(conj),
    {"chlo.constant", 0, 1, 0, rule_constant},
    ROW1(constant_like),
    ROW1(cosh),
    ROW1(digamma),
    ROW1(erf),
    ROW1(erf_inv),
    ROW1(erfc),
    ROW1(is_inf),
    ROW1(is_neg_inf),
    ROW1(is_pos_inf),
    ROW1(lgamma),
    ROW2(mulhi),
    ROW2(next_after),
    ROW2(polygamma),
    ROW1(sinh),
    ROW1(square),
    ROW1(tan),
    {"chlo.top_k", 1, 2, 0, rule_top_k},
    ROW2(zeta),
};
const fxi_hlo_table fxi_hlo_chlo = FXI_HLO_TABLE(rows);
