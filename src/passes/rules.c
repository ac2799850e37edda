/* SPDX-License-Identifier: Apache-2.0 */
/* Simplification rules, one row and one function each. The laws: same dtype and shape; never more work;
 * strictly fewer or simpler nodes, or a slice nearer to the leaves, so that rewriting ends; the same value
 * for every input, infinities and signed zeros included, and NaN for NaN (a signalling NaN that arithmetic
 * would have made quiet may stay as it is). Forbidden for that reason: x * 0 -> 0, x + 0 -> x (of floats),
 * x - x -> 0, any reassociation, removing a narrowing and widening conversion. Rules see operands that are
 * already simplified, so a chain collapses step by step and nothing here recurses more than once; slices,
 * which look through several nodes (rules_slice.c), count their levels. */
#include "rewrite.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static fx_node *with(fxi_rewrite *r, fx_op op, fx_node *operand, const fxi_attr *attrs, size_t n,
                     const fx_shape *shape) {
    fx_node *const list[1] = {operand};
    fxi_draft d = {.op = op,
                   .operands = {operand},
                   .all = list,
                   .operand_count = 1,
                   .attrs = attrs,
                   .attr_count = n,
                   .shape = shape};
    fx_node *simpler = fxi_rules_apply(r, &d);
    return simpler || r->failed ? simpler : fxi_rewrite_add(r, &d);
}

/* The number in every element, when the node is a splat of a real constant. */
static bool is_splat(const fx_node *n, double *value) {
    while (n->op == FX_OP_BROADCAST_IN_DIM || n->op == FX_OP_RESHAPE) n = n->operands[0];
    if (n->op != FX_OP_CONSTANT || fx_shape_size(&n->shape) != 1 || fx_dtype_is_complex(n->shape.dtype))
        return false;
    *value = fx_tensor_get(fxi_node_attr(n, FXI_ATTR_VALUE)->u.tensor, 0);
    return true;
}

/* reshape(reshape(x)) -> reshape(x), reshape(x) -> x when the shape is x's */
static fx_node *merge_reshape(fxi_rewrite *r, const fxi_draft *d) {
    fx_node *x = d->operands[0];
    bool nested = x->op == FX_OP_RESHAPE;
    if (nested) x = x->operands[0];
    if (fx_shape_equal(&x->shape, d->shape)) return x;
    return nested ? with(r, FX_OP_RESHAPE, x, NULL, 0, d->shape) : NULL;
}

/* transpose(transpose(x, p), q) -> transpose(x, p[q]) */
static fx_node *merge_transpose(fxi_rewrite *r, const fxi_draft *d) {
    const fx_node *inner = d->operands[0];
    if (inner->op != FX_OP_TRANSPOSE) return NULL;
    fx_dims p = fxi_node_ints(inner, FXI_ATTR_PERMUTATION), q = fxi_draft_ints(d, FXI_ATTR_PERMUTATION);
    int64_t merged[FX_MAX_RANK];
    bool identity = true;
    for (size_t i = 0; i < q.n; i++) {
        merged[i] = p.v[q.v[i]];
        identity &= merged[i] == (int64_t)i;
    }
    if (identity) return inner->operands[0];
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_PERMUTATION, merged, q.n);
    return with(r, FX_OP_TRANSPOSE, inner->operands[0], &attr, 1, d->shape);
}

/* neg(neg(x)) -> x, not(not(x)) -> x, conj(conj(x)) -> x */
static fx_node *undo_twice(fxi_rewrite *r, const fxi_draft *d) {
    (void)r;
    return d->operands[0]->op == d->op ? d->operands[0]->operands[0] : NULL;
}

/* bitcast(bitcast(x)) -> x of the first dtype and shape */
static fx_node *undo_bitcast(fxi_rewrite *r, const fxi_draft *d) {
    fx_node *inner = d->operands[0];
    (void)r;
    if (inner->op != FX_OP_BITCAST || !fx_shape_equal(&inner->operands[0]->shape, d->shape)) return NULL;
    return inner->operands[0];
}

/* abs(neg(x)) -> abs(x), abs(abs(x)) -> abs(x), of real floats */
static fx_node *simplify_abs(fxi_rewrite *r, const fxi_draft *d) {
    fx_node *x = d->operands[0];
    if (!fx_dtype_is_float(x->shape.dtype)) return NULL;
    if (x->op == FX_OP_ABS) return x;
    return x->op == FX_OP_NEG ? with(r, FX_OP_ABS, x->operands[0], NULL, 0, d->shape) : NULL;
}

/* x * 1 -> x, 1 * x -> x */
static fx_node *simplify_mul(fxi_rewrite *r, const fxi_draft *d) {
    double value;
    (void)r;
    if (d->shape->dtype == FX_BOOL) return NULL;
    if (is_splat(d->operands[1], &value) && value == 1) return d->operands[0];
    return is_splat(d->operands[0], &value) && value == 1 ? d->operands[1] : NULL;
}

/* x / 1 -> x */
static fx_node *simplify_div(fxi_rewrite *r, const fxi_draft *d) {
    double value;
    (void)r;
    return is_splat(d->operands[1], &value) && value == 1 ? d->operands[0] : NULL;
}

/* The same operands under another operation. */
static fx_node *become(fxi_rewrite *r, const fxi_draft *d, fx_op op) {
    fxi_draft other = *d;
    other.op = op;
    fx_node *simpler = fxi_rules_apply(r, &other);
    return simpler || r->failed ? simpler : fxi_rewrite_add(r, &other);
}

/* strong_mul(c, x) -> c * x, strong_div(c, x) -> c / x for a number c that is not 0 */
static fx_node *simplify_strong(fxi_rewrite *r, const fxi_draft *d) {
    double value;
    if (!is_splat(d->operands[0], &value) || value == 0) return NULL;
    return become(r, d, d->op == FX_OP_STRONG_MUL ? FX_OP_MUL : FX_OP_DIV);
}

/* x - 0 -> x (of floats +0 only: x - -0 turns -0 into +0) */
static fx_node *simplify_sub(fxi_rewrite *r, const fxi_draft *d) {
    double value;
    (void)r;
    return is_splat(d->operands[1], &value) && value == 0 && !signbit(value) ? d->operands[0] : NULL;
}

/* x + 0 -> x, 0 + x -> x of integers; of floats x + -0 -> x only, since -0 + +0 is +0 */
static fx_node *simplify_add(fxi_rewrite *r, const fxi_draft *d) {
    (void)r;
    bool is_float = fx_dtype_is_float(d->shape->dtype);
    if (!is_float && !fx_dtype_is_integer(d->shape->dtype)) return NULL;
    for (int k = 0; k < 2; k++) {
        double value;
        if (is_splat(d->operands[k], &value) && value == 0 && (!is_float || signbit(value)))
            return d->operands[1 - k];
    }
    return NULL;
}

/* pow(x, 1) -> x, pow(x, 2) -> x * x, of reals. The product is the correctly rounded square: the one rule
 * whose result may differ from what a backend's own pow gives, by that function's error. */
static fx_node *simplify_pow(fxi_rewrite *r, const fxi_draft *d) {
    double value;
    fx_node *x = d->operands[0];
    if (!is_splat(d->operands[1], &value)) return NULL;
    if (value == 1) return x;
    if (value != 2) return NULL;
    fx_node *const list[2] = {x, x};
    fxi_draft square = {
        .op = FX_OP_MUL, .operands = {x, x}, .all = list, .operand_count = 2, .shape = d->shape};
    return fxi_rewrite_add(r, &square);
}

/* select(true, a, b) -> a, select(false, a, b) -> b, select(p, a, a) -> a */
static fx_node *simplify_select(fxi_rewrite *r, const fxi_draft *d) {
    double value;
    (void)r;
    if (d->operands[1] == d->operands[2]) return d->operands[1];
    return is_splat(d->operands[0], &value) ? d->operands[value != 0 ? 1 : 2] : NULL;
}

/* convolution(transpose(x, p), w), convolution(x, transpose(w, p)) -> the same of the operand, its layout's
 * axes being p[layout] */
static fx_node *absorb_transposes(fxi_rewrite *r, const fxi_draft *d) {
    static const fxi_attr_id ids[2] = {FXI_ATTR_INPUT_LAYOUT, FXI_ATTR_KERNEL_LAYOUT};
    fxi_attr attrs[FXI_ATTR_COUNT];
    int64_t layouts[2][FX_MAX_RANK];
    fx_node *operands[2] = {d->operands[0], d->operands[1]};
    memcpy(attrs, d->attrs, d->attr_count * sizeof *attrs);
    for (int side = 0; side < 2; side++) {
        if (operands[side]->op != FX_OP_TRANSPOSE) continue;
        fx_dims p = fxi_node_ints(operands[side], FXI_ATTR_PERMUTATION),
                layout = fxi_draft_ints(d, ids[side]);
        for (size_t i = 0; i < layout.n; i++) layouts[side][i] = p.v[layout.v[i]];
        for (size_t i = 0; i < d->attr_count; i++)
            if (attrs[i].id == ids[side]) attrs[i].u.ints.v = layouts[side];
        operands[side] = operands[side]->operands[0];
    }
    if (operands[0] == d->operands[0] && operands[1] == d->operands[1]) return NULL;
    fxi_draft merged = *d;
    memcpy(merged.operands, operands, sizeof operands);
    merged.all = operands;
    merged.attrs = attrs;
    return fxi_rewrite_add(r, &merged);
}

/* fx_stop_gradient(x) -> x: derivatives are made already */
static fx_node *pass_stopped(fxi_rewrite *r, const fxi_draft *d) {
    (void)r;
    for (size_t i = 0; i < d->attr_count; i++)
        if (d->attrs[i].id == FXI_ATTR_MARK && d->attrs[i].u.i == FXI_MARK_STOPPED) return d->operands[0];
    return NULL;
}

typedef fx_node *(*rule_fn)(fxi_rewrite *r, const fxi_draft *d);
static const struct {
    const char *name;
    fx_op op;
    rule_fn apply;
} rules[] = {
    {"merge_reshape", FX_OP_RESHAPE, merge_reshape},
    {"merge_transpose", FX_OP_TRANSPOSE, merge_transpose},
    {"slice_slice", FX_OP_SLICE, fxi_rule_slice_slice},
    {"slice_concatenate", FX_OP_SLICE, fxi_rule_slice_concatenate},
    {"slice_pad", FX_OP_SLICE, fxi_rule_slice_pad},
    {"pad_crop", FX_OP_PAD, fxi_rule_pad_crop},
    {"convolution_transpose", FX_OP_CONVOLUTION, absorb_transposes},
    {"bitcast_bitcast", FX_OP_BITCAST, undo_bitcast},
    {"neg_neg", FX_OP_NEG, undo_twice},
    {"not_not", FX_OP_NOT, undo_twice},
    {"conj_conj", FX_OP_CONJ, undo_twice},
    {"abs_neg", FX_OP_ABS, simplify_abs},
    {"mul_one", FX_OP_MUL, simplify_mul},
    {"div_one", FX_OP_DIV, simplify_div},
    {"strong_mul_known", FX_OP_STRONG_MUL, simplify_strong},
    {"strong_div_known", FX_OP_STRONG_DIV, simplify_strong},
    {"sub_zero", FX_OP_SUB, simplify_sub},
    {"add_zero", FX_OP_ADD, simplify_add},
    {"pow_small", FX_OP_POW, simplify_pow},
    {"select_known", FX_OP_SELECT, simplify_select},
    {"stop_gradient", FX_OP_BARRIER, pass_stopped},
};

size_t fxi_rules_count(void) {
    return sizeof rules / sizeof rules[0];
}
const char *fxi_rules_name(size_t rule) {
    return rule < fxi_rules_count() ? rules[rule].name : "";
}

fx_node *fxi_rules_apply(fxi_rewrite *r, const fxi_draft *d) {
    for (size_t i = 0; i < fxi_rules_count(); i++) {
        if (rules[i].op != d->op) continue;
        fx_node *made = rules[i].apply(r, d);
        assert(!made || fx_shape_equal(&made->shape, d->shape));
        if (made && r->fired) r->fired[i]++;
        if (made || r->failed) return made;
    }
    return NULL;
}
