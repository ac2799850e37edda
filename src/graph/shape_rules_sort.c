/* SPDX-License-Identifier: Apache-2.0 */
/* Shape rules of sorting: operands of one shape but for their dtypes, of which the first ones are keys. */
#include "shape_rules.h"
#include <string.h>

static bool check_orders(const fxi_shape_args *args, fx_dims orders, fx_error *err) {
    if (orders.n == 0 || orders.n > args->operand_count)
        return fail(args, err, FX_ERROR_ATTRIBUTE,
                    "%zu keys of %zu operands; there must be at least one, and no more than operands",
                    orders.n, args->operand_count);
    for (size_t i = 0; i < orders.n; i++) {
        if (orders.v[i] != 0 && orders.v[i] != 1)
            return fail(args, err, FX_ERROR_ATTRIBUTE, "the order of key %zu is %lld; it is 0 or 1", i,
                        (long long)orders.v[i]);
        FX_TRY(
            fxi_rule_check_dtype(args, fxi_op_info_of(FX_OP_COMPARE)->dtypes, args->operands[i]->dtype, err));
    }
    return true;
}

/* Of the first n operands. */
static bool check_equal_dims(const fxi_shape_args *args, size_t n, fx_error *err) {
    const fx_shape *x = args->operands[0];
    for (size_t i = 1; i < n; i++) {
        const fx_shape *y = args->operands[i];
        if (x->rank != y->rank || memcmp(x->dims, y->dims, (size_t)x->rank * sizeof *x->dims) != 0)
            return fail(args, err, FX_ERROR_SHAPE,
                        "operands 0 and %zu have the dimensions %s and %s; they must be equal", i,
                        dims_of(x).s, dims_of(y).s);
    }
    return true;
}

static bool give_sorted(const fxi_shape_args *args, size_t n, fx_shape *result, fx_error *err) {
    *result = *args->operands[0];
    FX_TRY(check_axis(args, int_of(args, FXI_ATTR_AXIS), result, err));
    for (size_t i = 1; i < n; i++) FX_TRY(fxi_rule_add_result(args, args->operands[i], err));
    return true;
}

bool shape_sort(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    if (args->operand_count == 0) return fail(args, err, FX_ERROR_ARGUMENT, "there are no operands");
    FX_TRY(check_orders(args, ints_of(args, FXI_ATTR_ORDERS), err) &&
           check_equal_dims(args, args->operand_count, err));
    return give_sorted(args, args->operand_count, result, err);
}

/* The comparator has two scalars for each sorted operand, side by side, and then one parameter for each
 * capture. */
static bool check_comparator(const fxi_shape_args *args, const fx_graph *g, size_t n, fx_error *err) {
    const fx_shape *out = g->output_count == 1 ? &g->outputs[0]->shape : NULL;
    if (!out || out->dtype != FX_BOOL || out->rank != 0)
        return fail(args, err, FX_ERROR_SHAPE, "the comparator gives %s instead of (bool)",
                    out ? fx_shape_to_text(out).s : "nothing");
    for (size_t i = 0; i < g->parameters.count; i++) {
        fx_shape wanted = *args->operands[i < 2 * n ? i / 2 : i - n];
        if (i < 2 * n) wanted.rank = 0;
        const fx_shape *got = &g->parameters.data[i]->shape;
        if (!fx_shape_equal(got, &wanted))
            return fail(args, err, FX_ERROR_SHAPE, "the comparator takes %s as input %zu but is given %s",
                        fx_shape_to_text(got).s, i, fx_shape_to_text(&wanted).s);
    }
    return true;
}

bool shape_sort_by(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    fxi_graphs bodies = attr_of(args, FXI_ATTR_BODIES)->u.graphs;
    if (bodies.n != 1 || !bodies.v[0] || !bodies.v[0]->finished)
        return fail(args, err, FX_ERROR_INTERNAL, "%zu closures instead of one that is finished", bodies.n);
    /* wraps: too large */
    size_t parameters = bodies.v[0]->parameters.count, n = parameters - args->operand_count;
    if (n == 0 || n > args->operand_count)
        return fail(args, err, FX_ERROR_INTERNAL, "%zu operands do not fit a comparator of %zu inputs",
                    args->operand_count, parameters);
    FX_TRY(check_comparator(args, bodies.v[0], n, err) && check_equal_dims(args, n, err));
    return give_sorted(args, n, result, err);
}

/* Values and then indices. */
bool shape_top_k(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *x = args->operands[0];
    int64_t k = int_of(args, FXI_ATTR_K), smallest = int_of(args, FXI_ATTR_SMALLEST);
    fx_dtype dtype = attr_of(args, FXI_ATTR_DTYPE)->u.dtype;
    if (x->rank == 0) return fail(args, err, FX_ERROR_SHAPE, "%s has no axis", fx_shape_to_text(x).s);
    if (k < 1 || k > x->dims[x->rank - 1])
        return fail(args, err, FX_ERROR_ATTRIBUTE,
                    "k is %lld for an axis of %lld elements; it must be from 1 to their number", (long long)k,
                    (long long)x->dims[x->rank - 1]);
    if (smallest != 0 && smallest != 1)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "smallest is %lld; it is 0 or 1", (long long)smallest);
    if (dtype != FX_S32 && dtype != FX_S64)
        return fail(args, err, FX_ERROR_DTYPE, "indices are int32 or int64, not %s", fx_dtype_name(dtype));
    if (!fxi_rule_index_fits(x->dims[x->rank - 1], dtype))
        return fail(args, err, FX_ERROR_DTYPE, "the indices of an axis of %lld elements do not fit into %s",
                    (long long)x->dims[x->rank - 1], fx_dtype_name(dtype));
    *result = *x;
    result->dims[x->rank - 1] = k;
    fx_shape indices = *result;
    indices.dtype = dtype;
    return fxi_rule_add_result(args, &indices, err);
}
