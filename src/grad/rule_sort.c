/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of sorting and selecting: those of the permutation that was taken, ties and NaNs as they fell.
 * A sort that carries its own index, an iota along the axis, has the permutation among its results; for any
 * other the keys are sorted once more with an index. Tangents are gathered by it, adjoints go back to where
 * their elements came from. */
#include "grad_internal.h"
#include "ops/batch.h"
#include <fluxion/indexing.h>
#include <fluxion/sorting.h>

/* ---- moves along an axis by indices ---- */

typedef struct along {
    int axes[FX_MAX_RANK]; /* all but one, which are batching axes of both arrays */
    size_t n;
    int axis[1];
    int64_t sizes[FX_MAX_RANK]; /* of a window: an element */
} along;

static along along_axis(const fx_shape *shape, int axis) {
    along a = {.axis = {axis}};
    for (int i = 0; i < shape->rank; i++) {
        if (i != axis) a.axes[a.n++] = i;
        a.sizes[i] = shape->dims[i] > 0;
    }
    return a;
}

static fx_node *take(fx_node *x, fx_node *indices, int axis) {
    const along a = along_axis(&x->shape, axis);
    const fx_gather_options options = {.slice_sizes = {a.sizes, (size_t)x->shape.rank},
                                       .collapsed_axes = {a.axis, 1},
                                       .operand_batch_axes = {a.axes, a.n},
                                       .indices_batch_axes = {a.axes, a.n},
                                       .start_index_map = {a.axis, 1},
                                       .index_axis = x->shape.rank};
    return fx_gather_general(x, indices, &options);
}

/* The values at their indices, which differ, zeros elsewhere. */
static fx_node *put(const fxi_build *b, const fx_shape *shape, fx_node *indices, fx_node *values, int axis) {
    const along a = along_axis(shape, axis);
    const fx_scatter_options options = {.inserted_axes = {a.axis, 1},
                                        .operand_batch_axes = {a.axes, a.n},
                                        .indices_batch_axes = {a.axes, a.n},
                                        .index_map = {a.axis, 1},
                                        .index_axis = shape->rank};
    return fx_scatter_general(fxi_grad_or_zeros(b, NULL, shape), indices, values, FX_SCATTER_SUM, &options);
}

/* ---- the permutation of a sort ---- */

static bool is_index(const fx_node *x, int axis) {
    fx_dtype dtype = x->shape.dtype;
    if (x->op != FX_OP_IOTA || fxi_node_int(x, FXI_ATTR_AXIS) != axis || !fx_dtype_is_integer(dtype))
        return false;
    return fx_dtype_bits(dtype) == 64 || x->shape.dims[axis] - 1 <= fxi_dtype_highest(dtype).i;
}

static fx_node *index_like(const fxi_build *b, const fx_node *x, int axis) {
    fx_shape shape = x->shape;
    shape.dtype = fxi_dtype_of_count(shape.dims[axis]);
    return fx_iota(b->graph, &shape, axis);
}

/* Inputs are the two elements of each operand and two of the index, which the comparator does not see. */
static void compare_others(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                           void *user) {
    const fx_node *n = user;
    const fx_graph *comparator = fxi_node_bodies(n).v[0];
    fxi_build b;
    (void)body, (void)n_out;
    out[0] = NULL;
    if (!fxi_build_begin(&b, "fx_sort_func", in, n_in)) return;
    fxi_batch inlined = {&b, 1, fxi_alloc_zeroed(comparator->nodes.count, sizeof(fxi_batched))};
    if (!inlined.values) {
        fxi_build_refuse(&b, FX_ERROR_MEMORY, "out of memory");
        return;
    }
    size_t captures = comparator->captures.count, own = comparator->parameters.count - captures;
    for (size_t i = 0; i < own; i++) inlined.values[comparator->parameters.data[i]->id].node = in[i];
    for (size_t i = 0; i < captures; i++)
        inlined.values[comparator->captures.data[i]->inner->id].node = n->operands[own / 2 + i];
    if (fxi_batch_inline(&inlined, comparator)) out[0] = inlined.values[comparator->outputs[0]->id].node;
    fxi_free(inlined.values);
}

/* The operands in a list with one more. */
static fx_node *sort_with_index(const fxi_build *b, fx_node *n, size_t count, fx_node *index, int axis) {
    fx_node **all = fxi_alloc_zeroed(count + 1, 2 * sizeof *all), **results = all + count + 1;
    if (!all) return fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) all[i] = n->operands[i];
    all[count] = index;
    fx_node *permutation;
    if (n->op == FX_OP_SORT_BY) {
        fx_sort_func(compare_others, n, axis, (fx_nodes){all, count + 1}, results);
        permutation = results[count];
    } else {
        const fxi_attr attrs[] = {*fxi_node_attr(n, FXI_ATTR_AXIS), *fxi_node_attr(n, FXI_ATTR_ORDERS)};
        permutation = fxi_node_result(fxi_build_node(b, FX_OP_SORT, all, count + 1, attrs, 2, NULL), count);
    }
    fxi_free(all);
    return permutation;
}

static fx_node *permutation_of(const fxi_build *b, fx_node *n) {
    int axis = (int)fxi_node_int(n, FXI_ATTR_AXIS);
    size_t sorted = fxi_node_results(n);
    for (size_t i = 0; i < sorted; i++)
        if (is_index(n->operands[i], axis)) return fxi_node_result(n, i);
    size_t needed = n->op == FX_OP_SORT ? fxi_node_ints(n, FXI_ATTR_ORDERS).n : sorted;
    return sort_with_index(b, n, needed, index_like(b, n->operands[0], axis), axis);
}

/* ---- sort, sort_by ---- */

static void vjp_sort(const fxi_vjp *v) {
    int axis = (int)fxi_node_int(v->n, FXI_ATTR_AXIS);
    fx_node *permutation = permutation_of(v->b, v->n);
    for (size_t i = 0; i < fxi_node_results(v->n); i++)
        if (v->wanted[i] && v->adjoints[i])
            v->out[i] = put(v->b, &v->n->operands[i]->shape, permutation, v->adjoints[i], axis);
}

/* A comparator's captures decide about the order alone. */
static void jvp_sort(const fxi_jvp *j) {
    int axis = (int)fxi_node_int(j->n, FXI_ATTR_AXIS);
    fx_node *permutation = NULL;
    for (size_t i = 0; i < fxi_node_results(j->n); i++) {
        if (!j->tangents[i]) continue;
        if (!permutation) permutation = permutation_of(j->b, j->n);
        j->out[i] = take(j->tangents[i], permutation, axis);
    }
}
const fxi_grad_rule fxi_gradrule_sort = {.vjp = vjp_sort, .jvp = jvp_sort};
const fxi_grad_rule fxi_gradrule_sort_by = {.vjp = vjp_sort, .jvp = jvp_sort};

/* ---- top_k: its second result says where the first came from ---- */

static void vjp_top_k(const fxi_vjp *v) {
    const fx_shape *x = &v->n->operands[0]->shape;
    if (v->adjoints[0]) v->out[0] = put(v->b, x, fxi_node_result(v->n, 1), v->adjoints[0], x->rank - 1);
}
static void jvp_top_k(const fxi_jvp *j) {
    fx_node *t = j->tangents[0];
    if (t) j->out[0] = take(t, fxi_node_result(j->n, 1), t->shape.rank - 1);
}
const fxi_grad_rule fxi_gradrule_top_k = {.vjp = vjp_top_k, .jvp = jvp_top_k};
