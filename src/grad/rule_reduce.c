/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of reductions.
 *
 * Sum: the adjoint is spread. Max and min: it is divided among the elements that equal the extreme, or that
 * are NaN when it is. Product: the derivative by an element is the product of all others, which is the
 * product of those before times the product of those after it; that holds for any number of zeros, and for
 * the derivatives of it too, which x / x_i does not. */
#include "grad_internal.h"

/* Values of the reduction over the dimensions of its operand again. */
static fx_node *spread(const fxi_build *b, const fx_node *n, fx_node *reduced) {
    const fx_shape *x = &n->operands[0]->shape;
    fx_dims axes = fxi_node_ints(n, FXI_ATTR_AXES);
    int64_t kept[FX_MAX_RANK];
    size_t count = 0;
    for (int i = 0; i < x->rank; i++)
        if (!fxi_dims_has(axes, i)) kept[count++] = i;
    return fxi_build_broadcast(b, reduced, x, (fx_dims){kept, count});
}

static fx_node *sum_as(const fx_node *n, fx_node *x) {
    fx_dims axes = fxi_node_ints(n, FXI_ATTR_AXES);
    fxi_axis_list list = {.n = axes.n};
    for (size_t i = 0; i < axes.n; i++) list.v[i] = axes.v[i];
    return list.n ? fxi_build_over(&list, fx_reduce_sum, x) : x;
}

/* ---- max and min ---- */

/* Which elements are the extreme; *count becomes how many of them share each result, in a dtype that counts
 * far enough. */
static fx_node *extremes(const fxi_build *b, fx_node *n, fx_node **count) {
    fx_node *x = n->operands[0], *mask = fxi_grad_same(x, spread(b, n, n));
    *count = sum_as(n, fx_convert(mask, fxi_grad_wide_dtype(x->shape.dtype)));
    return mask;
}

static fx_node *share(fx_node *value, fx_node *count) {
    return fx_convert(fx_div(fxi_build_wide(value), count), value->shape.dtype);
}

static void vjp_extreme(const fxi_vjp *v) {
    fx_node *count, *mask = extremes(v->b, v->n, &count);
    fx_node *part = spread(v->b, v->n, share(v->adjoints[0], count));
    v->out[0] = fx_where(mask, part, fx_scalar_zero(v->b->graph, part->shape.dtype));
}

static void jvp_extreme(const fxi_jvp *j) {
    fx_node *count, *mask = extremes(j->b, j->n, &count), *t = j->tangents[0];
    j->out[0] = share(sum_as(j->n, fx_where(mask, t, fx_scalar_zero(j->b->graph, t->shape.dtype))), count);
}

/* ---- product ---- */

/* The reduced axes as one, the last: x's axes in that order, and how many stay in front. */
static int axes_last(const fx_node *n, int *order) {
    fx_dims axes = fxi_node_ints(n, FXI_ATTR_AXES);
    int kept = 0, rank = n->operands[0]->shape.rank;
    for (int i = 0; i < rank; i++)
        if (!fxi_dims_has(axes, i)) order[kept++] = i;
    for (int i = 0, next = kept; i < rank; i++)
        if (fxi_dims_has(axes, i)) order[next++] = i;
    return kept;
}

/* The product of all other elements of the same result, per element, in a wide dtype. */
static fx_node *others(const fxi_build *b, fx_node *n) {
    fx_node *x = fxi_build_wide(n->operands[0]);
    size_t rank = (size_t)x->shape.rank;
    int order[FX_MAX_RANK], back[FX_MAX_RANK], kept = axes_last(n, order);
    for (size_t i = 0; i < rank; i++) back[order[i]] = (int)i;
    fx_node *moved = fx_transpose_all_axes(x, (fx_axes){order, rank});
    const fx_shape shape = moved->shape;
    int64_t dims[FX_MAX_RANK], merged = 1;
    for (int i = 0; i < shape.rank; i++) {
        if (i < kept)
            dims[i] = shape.dims[i];
        else
            merged *= shape.dims[i];
    }
    dims[kept] = merged;
    fx_node *rows = fx_reshape(moved, (fx_dims){dims, (size_t)kept + 1});
    fx_node *product =
        fx_mul(fxi_grad_product_before(b, rows, kept, false), fxi_grad_product_before(b, rows, kept, true));
    return fx_transpose_all_axes(fx_reshape_with_shape(product, &shape), (fx_axes){back, rank});
}

static void vjp_product(const fxi_vjp *v) {
    fx_node *u = spread(v->b, v->n, fxi_build_wide(v->adjoints[0]));
    fx_node *d = fx_strong_mul(u, fxi_grad_conj(others(v->b, v->n)));
    v->out[0] = fx_convert(d, v->n->shape.dtype);
}

static void jvp_product(const fxi_jvp *j) {
    fx_node *t = fx_strong_mul(fxi_build_wide(j->tangents[0]), others(j->b, j->n));
    j->out[0] = fx_convert(sum_as(j->n, t), j->n->shape.dtype);
}

/* ---- the rule ---- */

static void vjp_reduce(const fxi_vjp *v) {
    if (fx_shape_size(&v->n->operands[0]->shape) == 0) return;
    switch (fxi_node_int(v->n, FXI_ATTR_KIND)) {
    case FXI_SUM: v->out[0] = spread(v->b, v->n, v->adjoints[0]); break;
    case FXI_PRODUCT: vjp_product(v); break;
    default: vjp_extreme(v);
    }
}

static void jvp_reduce(const fxi_jvp *j) {
    if (fx_shape_size(&j->n->operands[0]->shape) == 0) return; /* of nothing: constant */
    switch (fxi_node_int(j->n, FXI_ATTR_KIND)) {
    case FXI_SUM: j->out[0] = sum_as(j->n, j->tangents[0]); break;
    case FXI_PRODUCT: jvp_product(j); break;
    default: jvp_extreme(j);
    }
}
const fxi_grad_rule fxi_gradrule_reduce = {.vjp = vjp_reduce, .jvp = jvp_reduce};
