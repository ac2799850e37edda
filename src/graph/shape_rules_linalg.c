/* SPDX-License-Identifier: Apache-2.0 */
/* Shape rules of linear algebra: matrices in the last two axes, batches in those before them. */
#include "shape_rules.h"

static bool check_matrix(const fxi_shape_args *args, const fx_shape *x, bool square, fx_error *err) {
    if (x->dtype != FX_F32 && x->dtype != FX_F64 && !fx_dtype_is_complex(x->dtype))
        return fail(
            args, err, FX_ERROR_DTYPE,
            "%s is not accepted; it takes float32, float64, complex64, complex128 (fx_convert converts)",
            fx_dtype_name(x->dtype));
    if (x->rank < 2)
        return fail(args, err, FX_ERROR_SHAPE, "%s is no matrix; the rank must be at least 2",
                    fx_shape_to_text(x).s);
    if (square && x->dims[x->rank - 1] != x->dims[x->rank - 2])
        return fail(args, err, FX_ERROR_SHAPE, "the matrices of %s are not square", fx_shape_to_text(x).s);
    return true;
}

static bool check_flag(const fxi_shape_args *args, fxi_attr_id id, fx_error *err) {
    int64_t value = int_of(args, id);
    return value == 0 || value == 1 ||
           fail(args, err, FX_ERROR_ATTRIBUTE, "%s is %lld; it is 0 or 1", fxi_attr_text(id),
                (long long)value);
}

bool shape_cholesky(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    *result = *args->operands[0];
    return check_flag(args, FXI_ATTR_LOWER, err) && check_matrix(args, args->operands[0], true, err);
}

bool shape_tri_solve(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *a = args->operands[0], *b = args->operands[1];
    int64_t transposed = int_of(args, FXI_ATTR_TRANSPOSED);
    *result = *b;
    FX_TRY(check_flag(args, FXI_ATTR_LEFT, err) && check_flag(args, FXI_ATTR_LOWER, err) &&
           check_flag(args, FXI_ATTR_UNIT, err));
    if (transposed < 0 || transposed >= FXI_TRANSPOSES)
        return fail(args, err, FX_ERROR_ATTRIBUTE, "there is no transpose %lld", (long long)transposed);
    FX_TRY(check_matrix(args, a, true, err) && check_matrix(args, b, false, err));
    int side = int_of(args, FXI_ATTR_LEFT) ? b->rank - 2 : b->rank - 1;
    bool fits = a->rank == b->rank && a->dims[a->rank - 1] == b->dims[side];
    for (int i = 0; fits && i + 2 < a->rank; i++) fits = a->dims[i] == b->dims[i];
    return fits || fail(args, err, FX_ERROR_SHAPE,
                        "a %s and b %s do not fit: axis %d of b must be as long as the "
                        "matrices of a, and the axes before them equal",
                        dims_of(a).s, dims_of(b).s, side);
}

/* The shape of a with one or two other last dimensions; rows < 0: only one. */
static fx_shape with_matrix(const fx_shape *a, int64_t rows, int64_t columns) {
    fx_shape shape = *a;
    shape.rank -= rows < 0;
    if (rows >= 0) shape.dims[shape.rank - 2] = rows;
    shape.dims[shape.rank - 1] = columns;
    return shape;
}

static int64_t rows_of(const fx_shape *a) {
    return a->dims[a->rank - 2];
}
static int64_t columns_of(const fx_shape *a) {
    return a->dims[a->rank - 1];
}
static int64_t smaller_of(const fx_shape *a) {
    return rows_of(a) < columns_of(a) ? rows_of(a) : columns_of(a);
}

bool shape_lu(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *a = args->operands[0];
    FX_TRY(check_matrix(args, a, false, err));
    if (rows_of(a) > INT32_MAX)
        return fail(args, err, FX_ERROR_SHAPE, "rows of %s cannot be numbered in int32",
                    fx_shape_to_text(a).s);
    *result = *a;
    fx_shape pivots = with_matrix(a, -1, smaller_of(a)), permutation = with_matrix(a, -1, rows_of(a));
    pivots.dtype = permutation.dtype = FX_S32;
    return fxi_rule_add_result(args, &pivots, err) && fxi_rule_add_result(args, &permutation, err);
}

bool shape_qr(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *a = args->operands[0];
    FX_TRY(check_flag(args, FXI_ATTR_FULL, err) && check_matrix(args, a, false, err));
    int64_t k = int_of(args, FXI_ATTR_FULL) ? rows_of(a) : smaller_of(a);
    const fx_shape r = with_matrix(a, k, columns_of(a));
    *result = with_matrix(a, rows_of(a), k);
    return fxi_rule_add_result(args, &r, err);
}

bool shape_eigh(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *a = args->operands[0];
    FX_TRY(check_flag(args, FXI_ATTR_LOWER, err) && check_matrix(args, a, true, err));
    *result = with_matrix(a, -1, columns_of(a));
    result->dtype = fx_dtype_real(a->dtype);
    return fxi_rule_add_result(args, a, err);
}

bool shape_svd(const fxi_shape_args *args, fx_shape *result, fx_error *err) {
    const fx_shape *a = args->operands[0];
    FX_TRY(check_flag(args, FXI_ATTR_FULL, err) && check_matrix(args, a, false, err));
    bool full = int_of(args, FXI_ATTR_FULL) != 0;
    int64_t k = smaller_of(a);
    fx_shape s = with_matrix(a, -1, k), vh = with_matrix(a, full ? columns_of(a) : k, columns_of(a));
    s.dtype = fx_dtype_real(a->dtype);
    *result = with_matrix(a, rows_of(a), full ? rows_of(a) : k);
    return fxi_rule_add_result(args, &s, err) && fxi_rule_add_result(args, &vh, err);
}
