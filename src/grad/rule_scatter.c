/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of scatters: y = x with updates combined into the elements that they hit; an update whose
 * window does not fit is dropped and has no derivative.
 *
 * Sum: u passes to x, and every update reads the u of its element.
 * Update: the last update of an element gets its u, x the rest. Which one is the last the operation itself
 *   says, applied to the updates' numbers.
 * Max, min: u is divided among x and the updates that equal the result.
 * Product: the derivative by one factor of an element is the product of its others. The updates are sorted by
 *   element, so that each element's are neighbours, and multiplied up to and from each one: O(n log n), and
 *   right with zeros, also in derivatives of it, where dividing by the factor is not. */
#include "grad_internal.h"
#include <fluxion/combine.h>
#include <fluxion/indexing.h>
#include <fluxion/sorting.h>

typedef struct hits {
    const fxi_build *b;
    const fx_node *n;
    fx_node *x, *indices, *updates;
    int64_t sizes[FX_MAX_RANK]; /* of a window, per axis of x */
    fx_node *fits;              /* per update: whether it is not dropped */
} hits;

static fx_node *scatter(const hits *h, fxi_scatter_kind kind, fx_node *x, fx_node *updates) {
    fxi_attr attrs[FXI_WINDOW_ATTRS];
    fx_node *const operands[] = {x, h->indices, updates};
    fxi_grad_window_attrs(h->n, fxi_attr_int(FXI_ATTR_COMBINE, kind), attrs);
    return fxi_build_node(h->b, FX_OP_SCATTER, operands, 3, attrs, FXI_WINDOW_ATTRS, NULL);
}

/* For each update the element of x that it hits, anything for those that are dropped. */
static fx_node *read_at(const hits *h, fx_node *x) {
    fxi_attr attrs[FXI_WINDOW_ATTRS];
    fx_node *const operands[] = {x, h->indices};
    const fxi_attr sizes = fxi_attr_ints(FXI_ATTR_SIZES, h->sizes, (size_t)x->shape.rank);
    fxi_grad_window_attrs(h->n, sizes, attrs);
    return fxi_build_node(h->b, FX_OP_GATHER, operands, 2, attrs, FXI_WINDOW_ATTRS, NULL);
}

static fx_node *zero_of(const hits *h, const fx_node *like) {
    return fx_scalar_zero(h->b->graph, fxi_grad_dtype(like->shape.dtype));
}

/* Values of the updates that are not dropped. */
static fx_node *fitting(const hits *h, fx_node *values) {
    return fx_where(h->fits, values, zero_of(h, values));
}

/* Which indices lie inside, over the dimensions of the updates. */
static fx_node *fit_mask(const hits *h) {
    int64_t axis = fxi_node_int(h->n, FXI_ATTR_INDEX_AXIS), batch[FX_MAX_RANK];
    fx_dims window = fxi_node_ints(h->n, FXI_ATTR_WINDOW_AXES);
    fx_node *inside = fx_less_or_equal(h->indices, fxi_grad_last_starts(h->b, h->n, h->sizes));
    if (fx_dtype_is_signed(h->indices->shape.dtype))
        inside = fx_logical_and(inside, fx_is_non_negative(h->indices));
    if (axis < h->indices->shape.rank) {
        const int axes[] = {(int)axis};
        inside = fx_reduce_and(inside, (fx_axes){axes, 1});
    }
    size_t n = 0;
    for (int i = 0; i < h->updates->shape.rank; i++)
        if (!fxi_dims_has(window, i)) batch[n++] = i;
    return fxi_build_broadcast(h->b, inside, &h->updates->shape, (fx_dims){batch, n});
}

static hits hits_of(const fxi_build *b, const fx_node *n) {
    hits h = {.b = b, .n = n, .x = n->operands[0], .indices = n->operands[1], .updates = n->operands[2]};
    fx_dims window = fxi_node_ints(n, FXI_ATTR_WINDOW_AXES),
            dropped = fxi_node_ints(n, FXI_ATTR_DROPPED_AXES),
            batch = fxi_node_ints(n, FXI_ATTR_OPERAND_BATCH);
    size_t next = 0;
    for (int i = 0; i < h.x->shape.rank; i++) {
        bool lacks = fxi_dims_has(dropped, i) || fxi_dims_has(batch, i);
        h.sizes[i] = lacks ? 1 : h.updates->shape.dims[window.v[next++]];
    }
    h.fits = fit_mask(&h);
    return h;
}

/* ---- sum ---- */

static void vjp_sum(const fxi_vjp *v, const hits *h) {
    v->out[0] = v->adjoints[0];
    if (v->wanted[2]) v->out[2] = fitting(h, read_at(h, v->adjoints[0]));
}

/* ---- update ---- */

/* Whether an update is the last of its element. */
static fx_node *is_last(const hits *h) {
    fx_shape numbers = h->updates->shape, elements = h->x->shape;
    numbers.dtype = elements.dtype = fxi_dtype_of_count(fx_shape_size(&numbers));
    fx_node *number = fx_iota_full(h->b->graph, &numbers);
    fx_node *last = scatter(h, FXI_SCATTER_UPDATE, fx_zeros(h->b->graph, &elements), number);
    return fx_logical_and(h->fits, fx_equal(read_at(h, last), number));
}

static void vjp_update(const fxi_vjp *v, const hits *h) {
    fx_node *u = v->adjoints[0];
    if (v->wanted[0])
        v->out[0] = scatter(h, FXI_SCATTER_UPDATE, u, fxi_grad_or_zeros(h->b, NULL, &h->updates->shape));
    if (v->wanted[2]) v->out[2] = fx_where(is_last(h), read_at(h, u), zero_of(h, u));
}

/* ---- max and min ---- */

typedef struct sharing {
    fx_node *x, *updates; /* bool: which equal the result */
    fx_node *count;       /* of those, per element of x, in a wide dtype; 1 at least */
} sharing;

static sharing sharing_of(const hits *h, fx_node *y) {
    fx_dtype dtype = fxi_grad_wide_dtype(y->shape.dtype);
    sharing s = {.x = fxi_grad_same(h->x, y),
                 .updates = fx_logical_and(h->fits, fxi_grad_same(h->updates, read_at(h, y)))};
    s.count = scatter(h, FXI_SCATTER_SUM, fx_convert(s.x, dtype), fx_convert(s.updates, dtype));
    return s;
}

static void vjp_extreme(const fxi_vjp *v, const hits *h) {
    const sharing s = sharing_of(h, v->n);
    fx_node *u = v->adjoints[0];
    fx_node *part = fx_convert(fx_div(fxi_build_wide(u), s.count), u->shape.dtype);
    if (v->wanted[0]) v->out[0] = fx_where(s.x, part, zero_of(h, part));
    if (v->wanted[2]) v->out[2] = fx_where(s.updates, read_at(h, part), zero_of(h, part));
}

static fx_node *jvp_extreme(const hits *h, fx_node *y, fx_node *tx, fx_node *tu) {
    const sharing s = sharing_of(h, y);
    fx_node *zero = fx_scalar_zero(h->b->graph, s.count->shape.dtype);
    fx_node *sum = scatter(h, FXI_SCATTER_SUM, fx_where(s.x, fxi_build_wide(tx), zero),
                           fx_where(s.updates, fxi_build_wide(tu), zero));
    return fx_convert(fx_div(sum, s.count), y->shape.dtype);
}

/* ---- product ---- */

/* (whether an element's updates begin, the product since they began) */
static void multiply_within(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                            void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_logical_or(in[0], in[2]);
    out[1] = fx_where(in[2], in[3], fx_mul(in[1], in[3]));
}

static fx_node *moved(fx_node *x, fx_node *first, bool backwards) {
    const fx_pad_axis pad = {.start = backwards ? -1 : 1, .end = backwards ? 1 : -1};
    return fx_pad(x, first, (fx_pads){&pad, 1});
}

/* For sorted places and values, the product of the values before each one at the same place. */
static fx_node *product_before(const hits *h, fx_node *places, fx_node *values, bool backwards) {
    fx_node *none = fx_scalar_int(h->b->graph, places->shape.dtype, -1);
    fx_node *one = fx_scalar_one(h->b->graph, values->shape.dtype);
    fx_node *begins = fx_not_equal(places, moved(places, none, backwards));
    fx_node *const operands[] = {begins, fx_where(begins, one, moved(values, one, backwards))};
    fx_node *results[2];
    fx_associative_scan((fx_nodes){operands, 2}, 0, backwards, multiply_within, NULL, results);
    return results[1];
}

/* The element that each update hits, as a number; -2 for none. */
static fx_node *places_of(const hits *h) {
    fx_shape elements = h->x->shape;
    elements.dtype = fxi_dtype_of_count(fx_shape_size(&elements));
    fx_node *place = read_at(h, fx_iota_full(h->b->graph, &elements));
    return fx_where(h->fits, place, fx_scalar_int(h->b->graph, elements.dtype, -2));
}

/* For each update the product of the other updates of its element, in a wide dtype. */
static fx_node *other_updates(const hits *h) {
    const int64_t all[] = {-1};
    fx_node *values = fx_reshape(fxi_build_wide(h->updates), (fx_dims){all, 1});
    fx_node *places = fx_reshape(places_of(h), (fx_dims){all, 1}), *sorted[2];
    fx_shape shape = places->shape;
    shape.dtype = fxi_dtype_of_count(shape.dims[0]);
    fx_node *const keyed[] = {places, fx_iota(h->b->graph, &shape, 0)};
    fx_sort_many((fx_nodes){keyed, 2}, 1, 0, true, sorted);
    values = fx_take(values, sorted[1], 0);
    fx_node *products =
        fx_mul(product_before(h, sorted[0], values, false), product_before(h, sorted[0], values, true));
    fx_node *inverse = fx_sort_by_key(sorted[1], fx_iota(h->b->graph, &shape, 0), 0, true);
    return fx_reshape_with_shape(fx_take(products, inverse, 0), &h->updates->shape);
}

/* The product of the updates of each element of x, in a wide dtype. */
static fx_node *all_updates(const hits *h) {
    fx_node *wide = fxi_build_wide(h->updates);
    fx_shape shape = h->x->shape;
    shape.dtype = wide->shape.dtype;
    return scatter(h, FXI_SCATTER_PRODUCT, fx_ones(h->b->graph, &shape), wide);
}

/* y's derivative by each update. */
static fx_node *by_updates(const hits *h) {
    return fx_mul(read_at(h, fxi_build_wide(h->x)), other_updates(h));
}

static void vjp_product(const fxi_vjp *v, const hits *h) {
    fx_node *u = fxi_build_wide(v->adjoints[0]);
    fx_dtype dtype = v->n->shape.dtype;
    if (v->wanted[0]) v->out[0] = fx_convert(fx_strong_mul(u, fxi_grad_conj(all_updates(h))), dtype);
    if (v->wanted[2]) {
        fx_node *d = fx_strong_mul(read_at(h, u), fxi_grad_conj(by_updates(h)));
        v->out[2] = fx_convert(fitting(h, d), dtype);
    }
}

static fx_node *jvp_product(const hits *h, fx_node *tx, fx_node *tu) {
    fx_node *sum = fx_strong_mul(fxi_build_wide(tx), all_updates(h));
    sum = scatter(h, FXI_SCATTER_SUM, sum, fx_strong_mul(fxi_build_wide(tu), by_updates(h)));
    return fx_convert(sum, h->x->shape.dtype);
}

/* ---- the rule ---- */

static bool hits_nothing(const fx_node *n) {
    return fx_shape_size(&n->operands[0]->shape) == 0 || fx_shape_size(&n->operands[2]->shape) == 0;
}

static void vjp_scatter(const fxi_vjp *v) {
    static void (*const by_kind[FXI_SCATTER_KINDS])(const fxi_vjp *,
                                                    const hits *) = {[FXI_SCATTER_SUM] = vjp_sum,
                                                                     [FXI_SCATTER_PRODUCT] = vjp_product,
                                                                     [FXI_SCATTER_MAX] = vjp_extreme,
                                                                     [FXI_SCATTER_MIN] = vjp_extreme,
                                                                     [FXI_SCATTER_UPDATE] = vjp_update};
    if (hits_nothing(v->n)) {
        v->out[0] = v->adjoints[0];
        return;
    }
    const hits h = hits_of(v->b, v->n);
    by_kind[fxi_node_int(v->n, FXI_ATTR_COMBINE)](v, &h);
}

static void jvp_scatter(const fxi_jvp *j) {
    const fx_node *x = j->n->operands[0], *updates = j->n->operands[2];
    fxi_scatter_kind kind = (fxi_scatter_kind)fxi_node_int(j->n, FXI_ATTR_COMBINE);
    if (hits_nothing(j->n) || (kind == FXI_SCATTER_SUM && !j->tangents[2])) {
        j->out[0] = j->tangents[0];
        return;
    }
    fx_node *tx = fxi_grad_or_zeros(j->b, j->tangents[0], &x->shape),
            *tu = fxi_grad_or_zeros(j->b, j->tangents[2], &updates->shape);
    const hits h = hits_of(j->b, j->n);
    if (kind == FXI_SCATTER_SUM || kind == FXI_SCATTER_UPDATE)
        j->out[0] = scatter(&h, kind, tx, tu);
    else if (kind == FXI_SCATTER_PRODUCT)
        j->out[0] = jvp_product(&h, tx, tu);
    else
        j->out[0] = jvp_extreme(&h, j->n, tx, tu);
}
const fxi_grad_rule fxi_gradrule_scatter = {.vjp = vjp_scatter, .jvp = jvp_scatter};
