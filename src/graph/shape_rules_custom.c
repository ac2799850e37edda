/* SPDX-License-Identifier: Apache-2.0 */
/* The results of a user's operation are what its attribute says: numbers dtype, rank, dimensions for one
 * after the other. */
#include "shape_rules.h"

/* Reads one shape at *at and moves on; false when the list ends in the middle. */
static bool read_shape(fx_dims list, size_t *at, fx_shape *shape) {
    if (list.n - *at < 2) return false;
    int64_t dtype = list.v[*at], rank = list.v[*at + 1];
    *at += 2;
    if (dtype < 0 || dtype >= FX_DTYPE_LIMIT || rank < 0 || rank > FX_MAX_RANK || list.n - *at < (size_t)rank)
        return false;
    *shape = fx_shape_make((fx_dtype)dtype, list.v + *at, (size_t)rank);
    *at += (size_t)rank;
    return true;
}

bool shape_custom_call(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    fx_dims list = ints_of(args, FXI_ATTR_RESULT_SHAPES);
    size_t at = 0, count = 0;
    do {
        fx_shape shape;
        if (!read_shape(list, &at, &shape))
            return fail(args, err, FX_ERROR_INTERNAL, "the results' shapes are damaged");
        if (!fx_shape_is_valid(&shape))
            return fail(args, err, FX_ERROR_SHAPE, "the shape of result %zu, %s, is not valid", count,
                        fx_shape_to_text(&shape).s);
        if (count++ == 0)
            *result = shape;
        else
            FX_TRY(fxi_rule_add_result(args, &shape, err));
    } while (at < list.n);
    return true;
}
