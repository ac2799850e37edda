/* SPDX-License-Identifier: Apache-2.0 */
/* Products under the names of other libraries. Those that sum are dot_general; those that do not are plain
 * multiplications of broadcast operands, which fuse. */
#include "ops/ops.h"
#include <fluxion/einsum.h>
#include <string.h>

static bool begin_product(fxi_build *b, const char *name, fx_node *x, fx_node *y) {
    if (!fxi_build_begin(b, name, (fx_node *const[]){x, y}, 2)) return false;
    return fxi_build_takes(b, x, FX_OP_SUB) && fxi_build_takes(b, y, FX_OP_SUB) && fxi_build_same(b, x, y);
}

/* ---- paired axes ---- */

typedef struct paired {
    int lhs[FX_MAX_RANK], rhs[FX_MAX_RANK];
    size_t n;
    uint32_t lhs_set, rhs_set;
} paired;

/* Adds a pair; an axis may stand in one pair only, which `others` holds too. */
static bool add_pair(const fxi_build *b, fx_node *x, fx_node *y, fx_axis_pair pair, paired *p,
                     const paired *others) {
    int64_t l, r;
    if (!fxi_build_axis(b, x, pair.lhs, &l) || !fxi_build_axis(b, y, pair.rhs, &r)) return false;
    bool twice_x = (p->lhs_set | others->lhs_set) >> l & 1, twice_y = (p->rhs_set | others->rhs_set) >> r & 1;
    if (twice_x || twice_y) {
        fxi_build_refuse(b, FX_ERROR_AXIS, "axis %lld of %s, %s, is named twice",
                         (long long)(twice_x ? l : r), twice_x ? "lhs" : "rhs",
                         fx_shape_to_text(twice_x ? &x->shape : &y->shape).s);
        return false;
    }
    if (x->shape.dims[l] != y->shape.dims[r]) {
        fxi_build_refuse(b, FX_ERROR_SHAPE,
                         "axes %lld of %s and %lld of %s are paired, but have %lld and %lld", (long long)l,
                         fx_shape_to_text(&x->shape).s, (long long)r, fx_shape_to_text(&y->shape).s,
                         (long long)x->shape.dims[l], (long long)y->shape.dims[r]);
        return false;
    }
    p->lhs[p->n] = (int)l;
    p->rhs[p->n++] = (int)r;
    p->lhs_set |= UINT32_C(1) << l;
    p->rhs_set |= UINT32_C(1) << r;
    return true;
}

static fx_node *dot(fx_node *x, fx_node *y, const paired *contract, const paired *batch) {
    return fx_dot_general(x, (fx_axes){contract->lhs, contract->n}, (fx_axes){batch->lhs, batch->n}, y,
                          (fx_axes){contract->rhs, contract->n}, (fx_axes){batch->rhs, batch->n});
}

fx_node *fx_einsum_axes(fx_node *lhs, fx_node *rhs, fx_axis_pairs contract, fx_axis_pairs batch) {
    fxi_build b;
    paired contracted = {.n = 0}, batched = {.n = 0};
    if (!begin_product(&b, "fx_einsum_axes", lhs, rhs)) return b.stop;
    if ((contract.n && !contract.v) || (batch.n && !batch.v))
        return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the pairs are NULL");
    for (size_t i = 0; i < contract.n; i++)
        if (!add_pair(&b, lhs, rhs, contract.v[i], &contracted, &batched)) return b.stop;
    for (size_t i = 0; i < batch.n; i++)
        if (!add_pair(&b, lhs, rhs, batch.v[i], &batched, &contracted)) return b.stop;
    return dot(lhs, rhs, &contracted, &batched);
}

fx_node *fx_tensordot(fx_node *x, fx_node *y, fx_axes x_axes, fx_axes y_axes) {
    fxi_build b;
    paired pairs = {.n = 0}, none = {.n = 0};
    if (!begin_product(&b, "fx_tensordot", x, y)) return b.stop;
    if ((x_axes.n && !x_axes.v) || (y_axes.n && !y_axes.v))
        return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the axes are NULL");
    if (x_axes.n != y_axes.n)
        return fxi_build_refuse(&b, FX_ERROR_AXIS, "%zu axes of x and %zu of y make no pairs", x_axes.n,
                                y_axes.n);
    for (size_t i = 0; i < x_axes.n; i++)
        if (!add_pair(&b, x, y, (fx_axis_pair){x_axes.v[i], y_axes.v[i]}, &pairs, &none)) return b.stop;
    return dot(x, y, &pairs, &none);
}

fx_node *fx_tensordot_count(fx_node *x, fx_node *y, int count) {
    fxi_build b;
    paired pairs = {.n = 0}, none = {.n = 0};
    if (!begin_product(&b, "fx_tensordot_count", x, y)) return b.stop;
    if (count < 0 || count > x->shape.rank || count > y->shape.rank)
        return fxi_build_refuse(&b, FX_ERROR_ATTRIBUTE, "%d axes of %s and %s", count,
                                fx_shape_to_text(&x->shape).s, fx_shape_to_text(&y->shape).s);
    for (int i = 0; i < count; i++) {
        const fx_axis_pair pair = {x->shape.rank - count + i, i};
        if (!add_pair(&b, x, y, pair, &pairs, &none)) return b.stop;
    }
    return dot(x, y, &pairs, &none);
}

/* ---- by vectors ---- */

static fx_node *flatten(fx_node *x) {
    const int64_t size = fx_shape_size(&x->shape);
    return fx_reshape(x, (fx_dims){&size, 1});
}

fx_node *fx_outer(fx_node *x, fx_node *y) {
    fxi_build b;
    static const int first = 0, last = -1;
    if (!begin_product(&b, "fx_outer", x, y)) return b.stop;
    return fx_mul(fx_insert_axes(flatten(x), (fx_axes){&last, 1}),
                  fx_insert_axes(flatten(y), (fx_axes){&first, 1}));
}

fx_node *fx_vdot(fx_node *x, fx_node *y) {
    fxi_build b;
    static const int first = 0;
    const fx_axes row = {&first, 1}, none = {NULL, 0};
    if (!begin_product(&b, "fx_vdot", x, y)) return b.stop;
    if (fx_shape_size(&x->shape) != fx_shape_size(&y->shape))
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%s and %s differ in size", fx_shape_to_text(&x->shape).s,
                                fx_shape_to_text(&y->shape).s);
    if (fx_dtype_is_complex(x->shape.dtype)) x = fx_conj(x);
    return fx_dot_general(flatten(x), row, none, flatten(y), row, none);
}

fx_node *fx_inner(fx_node *x, fx_node *y) {
    fxi_build b;
    paired pairs = {.n = 0}, none = {.n = 0};
    if (!begin_product(&b, "fx_inner", x, y)) return b.stop;
    if (x->shape.rank == 0 || y->shape.rank == 0) return fx_mul(x, y);
    return add_pair(&b, x, y, (fx_axis_pair){-1, -1}, &pairs, &none) ? dot(x, y, &pairs, &none) : b.stop;
}

/* ---- Kronecker ---- */

/* [d0, d1, ...] as [d0, 1, d1, 1, ...], or with the ones first, up to the rank. */
static fx_node *interleave(fx_node *x, int rank, bool ones_first) {
    int64_t dims[2 * FX_MAX_RANK];
    int missing = rank - x->shape.rank;
    for (int i = 0; i < rank; i++) {
        dims[2 * i + ones_first] = i < missing ? 1 : x->shape.dims[i - missing];
        dims[2 * i + !ones_first] = 1;
    }
    return fx_reshape(x, (fx_dims){dims, 2 * (size_t)rank});
}

fx_node *fx_kron(fx_node *x, fx_node *y) {
    fxi_build b;
    int64_t dims[FX_MAX_RANK];
    if (!begin_product(&b, "fx_kron", x, y)) return b.stop;
    int rank = x->shape.rank > y->shape.rank ? x->shape.rank : y->shape.rank;
    if (2 * rank > FX_MAX_RANK)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "%s and %s: the rank must not be above %d",
                                fx_shape_to_text(&x->shape).s, fx_shape_to_text(&y->shape).s,
                                FX_MAX_RANK / 2);
    for (int i = 0; i < rank; i++) {
        int64_t own = fx_shape_dim(&x->shape, i - rank), other = fx_shape_dim(&y->shape, i - rank);
        if (!fxi_size_mul(own < 0 ? 1 : own, other < 0 ? 1 : other, &dims[i]))
            return fxi_build_refuse(&b, FX_ERROR_MEMORY, "the result does not fit into 63 bits");
    }
    fx_node *product = fx_mul(interleave(x, rank, false), interleave(y, rank, true));
    return fx_reshape(product, (fx_dims){dims, (size_t)rank});
}
