/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of what normalisations are made of: a reduction over the last axes, its result (or a function of it)
 * spread along these axes again, and an elementwise operation of that and the reduced value. Values are
 * rounded and clamped after each operation, so that every sum is exact in any order. What else the graph has
 * is what it has without the chain: in a strict one the chain reads nothing of it, and random numbers go on
 * as if none had been drawn. */
#include "support/random_maker.h"

static int64_t choose_row(maker *m) {
    static const int lengths[] = {1, 3, 4, 5, 15, 16, 17, 31, 64, 65, 100, 129};
    if (random_chance(&m->r, 10)) return maker_size(m, m->limit);
    return lengths[random_below(&m->r, sizeof lengths / sizeof *lengths)];
}

static fx_shape choose_shape(maker *m) {
    static const fx_dtype dtypes[] = {FX_F32, FX_F64, FX_F16, FX_BF16, FX_S32,
                                      FX_S8,  FX_U64, FX_S4,  FX_F32};
    fx_shape shape = {.dtype = dtypes[random_below(&m->r, sizeof dtypes / sizeof *dtypes)]};
    for (int outer = random_below(&m->r, 3); outer > 0; outer--)
        shape.dims[shape.rank++] = m->strict ? 1 + random_below(&m->r, 9) : random_below(&m->r, 9);
    shape.dims[shape.rank++] = choose_row(m);
    return shape;
}

/* Small whole numbers again. */
static fx_node *settle(maker *m, fx_node *x) {
    if (fx_dtype_is_integer(x->shape.dtype)) return x;
    x = maker_node(m, FX_OP_ROUND, &x, 1, NULL, 0, NULL);
    fx_node *clamped[3] = {maker_splat(m, &x->shape, -4), x, maker_splat(m, &x->shape, 4)};
    return maker_node(m, FX_OP_CLAMP, clamped, 3, NULL, 0, NULL);
}

static fx_node *reduce(maker *m, fx_node *x, int axes) {
    int64_t last[FX_MAX_RANK];
    for (int i = 0; i < axes; i++) last[i] = x->shape.rank - axes + i;
    static const fxi_reduce_kind kinds[] = {FXI_SUM, FXI_SUM, FXI_SUM, FXI_MAX, FXI_MIN};
    int64_t kind = (int64_t)kinds[random_below(&m->r, 5)];
    fxi_attr attrs[2] = {fxi_attr_int(FXI_ATTR_KIND, kind), fxi_attr_ints(FXI_ATTR_AXES, last, (size_t)axes)};
    return maker_node(m, FX_OP_REDUCE, &x, 1, attrs, 2, NULL);
}

/* Along the reduced axes again, sometimes by way of axes of size 1. */
static fx_node *spread(maker *m, fx_node *reduced, const fx_shape *shape) {
    int64_t axes[FX_MAX_RANK];
    for (int i = 0; i < FX_MAX_RANK; i++) axes[i] = i;
    if (random_chance(&m->r, 50)) {
        fx_shape kept = reduced->shape;
        while (kept.rank < shape->rank) kept.dims[kept.rank++] = 1;
        reduced = maker_node(m, FX_OP_RESHAPE, &reduced, 1, NULL, 0, &kept);
    }
    return maker_broadcast(m, reduced, shape, axes);
}

static fx_node *combine(maker *m, fx_node *x, fx_node *other) {
    static const fx_op any[] = {FX_OP_SUB, FX_OP_ADD, FX_OP_MUL, FX_OP_MAX};
    fx_node *both[2] = {x, other};
    return settle(m, maker_node(m, any[random_below(&m->r, 4)], both, 2, NULL, 0, NULL));
}

fx_node *maker_add_rows(maker *m) {
    const random_state saved = m->r;
    fx_shape shape = choose_shape(m);
    fx_node *x = m->strict ? fx_parameter(m->graph, &shape) : maker_exact_operand(m, &shape, false);
    fx_node *y = settle(m, x);
    int axes = shape.rank > 1 && random_chance(&m->r, 25) ? 2 : 1;
    for (int steps = 1 + random_below(&m->r, 5); steps > 0; steps--) {
        fx_node *reduced = reduce(m, y, axes);
        fx_node *function = random_chance(&m->r, 50) ? maker_add_consumer(m, reduced) : reduced;
        if (function->shape.dtype == shape.dtype) reduced = settle(m, function); /* no conversion */
        fx_node *along = spread(m, reduced, &shape);
        y = combine(m, random_chance(&m->r, 70) ? y : settle(m, x), along);
    }
    if (random_chance(&m->r, 40)) y = reduce(m, y, axes);
    m->r = saved;
    return y;
}
