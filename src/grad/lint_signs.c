/* SPDX-License-Identifier: Apache-2.0 */
/* Signs of all values of a graph, for the lint: true whatever the inputs are, NaN apart. One pass in the
 * order of the nodes. Products of positive numbers may underflow to 0, and so may exp: they are only
 * nonnegative. */
#include "lint_internal.h"

enum { LARGEST_CONSTANT = 65536, NONE = 0, POSITIVE = FXI_NONNEGATIVE | FXI_NONZERO | FXI_POSITIVE };

static unsigned of_constant(const fx_node *n) {
    const fx_tensor *t = fxi_node_attr(n, FXI_ATTR_VALUE)->u.tensor;
    unsigned known = POSITIVE;
    int64_t size = fx_tensor_size(t);
    if (size > LARGEST_CONSTANT || fx_dtype_is_complex(n->shape.dtype)) return NONE;
    for (int64_t i = 0; i < size; i++) {
        double v = fx_tensor_get(t, i);
        if (!(v >= 0)) known &= (unsigned)~(FXI_NONNEGATIVE | FXI_POSITIVE);
        if (!(v > 0)) known &= (unsigned)~FXI_POSITIVE;
        if (!(v < 0 || v > 0)) known &= (unsigned)~FXI_NONZERO;
    }
    return known;
}

const fx_node *fxi_signs_source(const fx_node *n) {
    while (n->op == FX_OP_BROADCAST_IN_DIM || n->op == FX_OP_RESHAPE || n->op == FX_OP_BARRIER)
        n = n->operands[0];
    return n;
}

/* select(x > c, x, y) with c >= 0: x is positive where it is taken. */
static unsigned of_select(const unsigned *of, const fx_node *n) {
    const fx_node *test = n->operands[0], *x = n->operands[1];
    unsigned taken = of[1];
    if (test->op == FX_OP_COMPARE && test->operands[0] == x) {
        const fx_node *c = fxi_signs_source(test->operands[1]);
        unsigned bound = c->op == FX_OP_CONSTANT ? of_constant(c) : NONE;
        int64_t direction = fxi_node_int(test, FXI_ATTR_DIRECTION);
        if (direction == FXI_GT && bound & FXI_NONNEGATIVE) taken = POSITIVE;
        if (direction == FXI_GE) taken |= bound;
        if (direction == FXI_NE && fx_shape_size(&c->shape) == 1 && bound == FXI_NONNEGATIVE)
            taken |= FXI_NONZERO;
    }
    return taken & of[2];
}

static unsigned of_add(const unsigned *of) {
    unsigned both = of[0] & of[1] & FXI_NONNEGATIVE;
    return both && (of[0] | of[1]) & FXI_POSITIVE ? POSITIVE : both;
}

static unsigned of_max(const unsigned *of) {
    if ((of[0] | of[1]) & FXI_POSITIVE) return POSITIVE;
    return (of[0] | of[1]) & FXI_NONNEGATIVE;
}

static unsigned of_reduce(const unsigned *of, const fx_node *n) {
    int64_t kind = fxi_node_int(n, FXI_ATTR_KIND);
    bool empty = fx_shape_size(&n->operands[0]->shape) == 0;
    if (kind == FXI_MAX || kind == FXI_MIN) return empty ? NONE : of[0];
    if (kind == FXI_SUM) return empty || !(of[0] & FXI_POSITIVE) ? of[0] & FXI_NONNEGATIVE : POSITIVE;
    return of[0] & FXI_NONNEGATIVE;
}

static unsigned of_all(const unsigned *of, uint32_t n) {
    unsigned known = n ? of[0] : NONE;
    for (uint32_t i = 1; i < n; i++) known &= of[i];
    return known;
}

enum { MOST = 8 }; /* operands that are looked at */

static unsigned find_one(const fxi_signs *s, const fx_node *n) {
    unsigned of[MOST] = {NONE};
    if (n->operand_count > MOST) return NONE;
    for (uint32_t i = 0; i < n->operand_count; i++) of[i] = s->known[n->operands[i]->id];
    switch (n->op) {
    case FX_OP_CONSTANT: return of_constant(n);
    case FX_OP_IOTA:
    case FX_OP_EXP:
    case FX_OP_EXP2:
    case FX_OP_LOGISTIC:
    case FX_OP_ERFC: return FXI_NONNEGATIVE;
    case FX_OP_COSH: return POSITIVE;
    case FX_OP_ABS: return of[0] & FXI_NONZERO ? POSITIVE : FXI_NONNEGATIVE;
    case FX_OP_SQRT: return FXI_NONNEGATIVE | of[0];
    case FX_OP_ADD: return of_add(of);
    case FX_OP_MUL:
    case FX_OP_STRONG_MUL:
        return n->operands[0] == n->operands[1] ? FXI_NONNEGATIVE : of[0] & of[1] & FXI_NONNEGATIVE;
    case FX_OP_DIV:
    case FX_OP_POW: return of[0] & of[1] & FXI_NONNEGATIVE;
    case FX_OP_MAX: return of_max(of);
    case FX_OP_MIN: return of[0] & of[1];
    case FX_OP_CLAMP: return of[0] & of[2];
    case FX_OP_SELECT: return of_select(of, n);
    case FX_OP_CONVERT: return of[0] & FXI_NONNEGATIVE;
    case FX_OP_REDUCE: return of_reduce(of, n);
    case FX_OP_NEG: return of[0] & FXI_NONZERO;
    case FX_OP_BROADCAST_IN_DIM:
    case FX_OP_RESHAPE:
    case FX_OP_TRANSPOSE:
    case FX_OP_SLICE:
    case FX_OP_REVERSE:
    case FX_OP_BARRIER: return of[0];
    case FX_OP_CONCATENATE: return of_all(of, n->operand_count);
    default: return NONE;
    }
}

void fxi_signs_find(fxi_signs *s) {
    for (size_t id = 0; id < s->graph->nodes.count; id++) {
        const fx_node *n = s->graph->nodes.data[id];
        bool sign = !fx_dtype_is_complex(n->shape.dtype);
        s->known[id] = (unsigned char)(sign ? find_one(s, n) : NONE);
    }
}
