/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of sorting and selecting. Both primitives give several results: a sort one per operand, a
 * selection values and indices, along the last axis, to which other axes are moved and back. */
#include "ops/ops.h"
#include <fluxion/indexing.h>
#include <fluxion/sorting.h>

/* Writes a failure to all results. */
static fx_node *stop_all(const fxi_build *b, fx_node **results, size_t n) {
    for (size_t i = 0; results && i < n; i++) results[i] = b->stop;
    return b->stop;
}

/* ---- sorting ---- */

static fx_node *sort_node(const fxi_build *b, fx_node *const *operands, size_t count, int axis,
                          const int64_t *orders, size_t keys) {
    int64_t normalized;
    if (!fxi_build_axis(b, operands[0], axis, &normalized)) return b->stop;
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_AXIS, normalized),
                              fxi_attr_ints(FXI_ATTR_ORDERS, orders, keys)};
    return fxi_build_node(b, FX_OP_SORT, operands, count, attrs, 2, NULL);
}

fx_node *fx_sort(fx_node *x, int axis, bool ascending) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_sort", &x, 1) || !fxi_build_takes(&b, x, FX_OP_COMPARE)) return b.stop;
    int64_t descending = ascending ? 0 : 1;
    return sort_node(&b, &x, 1, axis, &descending, 1);
}

fx_node *fx_sort_by_key(fx_node *keys, fx_node *values, int axis, bool ascending) {
    fxi_build b;
    fx_node *const operands[] = {keys, values};
    if (!fxi_build_begin(&b, "fx_sort_by_key", operands, 2)) return b.stop;
    int64_t descending = ascending ? 0 : 1;
    return fxi_node_result(sort_node(&b, operands, 2, axis, &descending, 1), 1);
}

fx_node *fx_sort_many(fx_nodes operands, size_t num_keys, int axis, bool ascending, fx_node **results) {
    fxi_build b;
    size_t n = operands.v ? operands.n : 0;
    if (!fxi_build_begin(&b, "fx_sort_many", operands.v, n)) return stop_all(&b, results, n);
    if (num_keys < 1 || num_keys > n) {
        fxi_build_refuse(&b, FX_ERROR_ARGUMENT,
                         "%zu keys of %zu operands; there must be at least one, and no more than operands",
                         num_keys, n);
        return stop_all(&b, results, n);
    }
    int64_t *orders = fxi_alloc_zeroed(num_keys, sizeof *orders);
    if (!orders) {
        fxi_build_refuse(&b, FX_ERROR_MEMORY, "out of memory");
        return stop_all(&b, results, n);
    }
    for (size_t i = 0; i < num_keys; i++) orders[i] = ascending ? 0 : 1;
    fx_node *first = sort_node(&b, operands.v, n, axis, orders, num_keys);
    fxi_free(orders);
    return fxi_build_results(first, results, n);
}

/* The closure, then one node whose operands are those that are sorted and what the closure captured. */
static fx_node *sort_by(const fxi_build *b, fx_fn comparator, void *user, int64_t axis, fx_nodes operands) {
    fx_shape *scalars = fxi_alloc_zeroed(operands.n, 2 * sizeof *scalars);
    for (size_t i = 0; scalars && i < 2 * operands.n; i++)
        scalars[i] = fxi_shape_scalar(operands.v[i / 2]->shape.dtype);
    fx_graph *body =
        scalars ? fxi_closure_build(b->graph, b->name, comparator, user, scalars, 2 * operands.n, 1) : NULL;
    bool no_memory = !scalars;
    fxi_free(scalars);
    if (!body) return no_memory ? fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory") : b->stop;
    size_t n = operands.n + body->captures.count;
    fx_node **all = fxi_alloc_zeroed(n, sizeof(fx_node *));
    if (!all) return fxi_build_refuse(b, FX_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++)
        all[i] = i < operands.n ? operands.v[i] : body->captures.data[i - operands.n]->outer;
    const fxi_attr attrs[] = {fxi_attr_graphs(FXI_ATTR_BODIES, &body, 1), fxi_attr_int(FXI_ATTR_AXIS, axis)};
    fx_node *node = fxi_build_node(b, FX_OP_SORT_BY, all, n, attrs, 2, NULL);
    fxi_free(all);
    return node;
}

fx_node *fx_sort_func(fx_fn comparator, void *user, int axis, fx_nodes operands, fx_node **results) {
    fxi_build b;
    int64_t along;
    size_t n = operands.v ? operands.n : 0;
    if (!fxi_build_begin(&b, "fx_sort_func", operands.v, n) ||
        !fxi_build_axis(&b, operands.v[0], axis, &along))
        return stop_all(&b, results, n);
    return fxi_build_results(sort_by(&b, comparator, user, along, (fx_nodes){operands.v, n}), results, n);
}

static fx_node *argsort(const char *name, fx_node *x, int axis, bool ascending, fx_dtype dtype) {
    fxi_build b;
    int64_t along, descending = ascending ? 0 : 1;
    if (!fxi_build_begin(&b, name, &x, 1) || !fxi_build_takes(&b, x, FX_OP_COMPARE) ||
        !fxi_build_axis(&b, x, axis, &along))
        return b.stop;
    if (!fx_dtype_is_integer(dtype))
        return fxi_build_refuse(&b, FX_ERROR_DTYPE, "the indices' dtype is %s; it must be an integer",
                                fx_dtype_name(dtype));
    fx_shape shape = x->shape;
    int64_t n = shape.dims[along], bits = fx_dtype_bits(dtype) - (fx_dtype_is_signed(dtype) ? 1 : 0);
    if (bits < 63 && n > INT64_C(1) << bits)
        return fxi_build_refuse(&b, FX_ERROR_DTYPE, "the indices of axis %lld of %s do not fit into %s",
                                (long long)along, fx_shape_to_text(&x->shape).s, fx_dtype_name(dtype));
    shape.dtype = dtype;
    fx_node *const operands[] = {x, fx_iota(b.graph, &shape, (int)along)};
    return fxi_node_result(sort_node(&b, operands, 2, (int)along, &descending, 1), 1);
}

fx_node *fx_argsort(fx_node *x, int axis, bool ascending) {
    return argsort("fx_argsort", x, axis, ascending, FX_S32);
}

fx_node *fx_argsort_dtype(fx_node *x, int axis, bool ascending, fx_dtype dtype) {
    return argsort("fx_argsort_dtype", x, axis, ascending, dtype);
}

/* ---- selecting ---- */

/* Values; *indices become the indices. */
static fx_node *select_k(const fxi_build *b, fx_node *x, int64_t k, int axis, bool smallest, fx_dtype dtype,
                         fx_node **indices) {
    int64_t along;
    if (!fxi_build_takes(b, x, FX_OP_MAX) || !fxi_build_axis(b, x, axis, &along)) return (*indices = b->stop);
    int last = x->shape.rank - 1;
    fx_node *moved = fx_moveaxis(x, (int)along, last);
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_K, k), fxi_attr_int(FXI_ATTR_SMALLEST, smallest),
                              fxi_attr_dtype(dtype)};
    fx_node *values = fxi_build_node(b, FX_OP_TOP_K, &moved, 1, attrs, 3, NULL);
    *indices = fxi_node_result(values, 1);
    if (along == last || !values || values->op == FX_OP_INERT) return values;
    *indices = fx_moveaxis(*indices, last, (int)along);
    return fx_moveaxis(values, last, (int)along);
}

#define SELECT_K(word, smallest)                                                                             \
    fx_node *fx_##word##_k_dtype(fx_node *x, int64_t k, int axis, fx_dtype dtype, fx_node **indices) {       \
        fxi_build b;                                                                                         \
        fx_node *unwanted, **to = indices ? indices : &unwanted;                                             \
        if (!fxi_build_begin(&b, "fx_" #word "_k_dtype", &x, 1)) return (*to = b.stop);                      \
        return select_k(&b, x, k, axis, smallest, dtype, to);                                                \
    }                                                                                                        \
    fx_node *fx_##word##_k(fx_node *x, int64_t k, int axis, fx_node **indices) {                             \
        fxi_build b;                                                                                         \
        fx_node *unwanted, **to = indices ? indices : &unwanted;                                             \
        if (!fxi_build_begin(&b, "fx_" #word "_k", &x, 1)) return (*to = b.stop);                            \
        return select_k(&b, x, k, axis, smallest, FX_S32, to);                                               \
    }
SELECT_K(top, false)
SELECT_K(bottom, true)

fx_node *fx_top_k_mask(fx_node *x, int64_t k, int axis) {
    fxi_build b;
    fx_node *indices;
    if (!fxi_build_begin(&b, "fx_top_k_mask", &x, 1)) return b.stop;
    fx_dtype dtype = fxi_dtype_of_count(fx_shape_size(&x->shape));
    const fx_node *values = select_k(&b, x, k, axis, false, dtype, &indices);
    if (!values || values->op == FX_OP_INERT) return b.stop;
    fx_shape all = x->shape, some = indices->shape;
    all.dtype = some.dtype = FX_BOOL;
    return fx_put_along_axis(fx_fill_scalar(b.graph, &all, 0), indices, fx_fill_scalar(b.graph, &some, 1),
                             axis);
}
