/* SPDX-License-Identifier: Apache-2.0 */
/* dot_general: result[batch, lhs free, rhs free] = sum over the contracting axes of lhs * rhs. Both
 * operands are first widened to arrays of double or int64, and the element offsets of each group of axes
 * are listed once, so that the inner loop is two reads and a multiply-add. Products of float32 and
 * narrower are exact in double and summed there; those of float64 are summed in extended precision;
 * integers wrap. Each result is rounded once, to the dtype of the node. */
#include "interp_internal.h"

/* Offsets of all index combinations of a group of axes, row-major. */
typedef struct offsets {
    int64_t *v;
    int64_t n;
} offsets;

typedef struct dot {
    offsets batch[2], free[2], contract[2]; /* of lhs and rhs */
    void *values[2];                        /* double (two per element when complex) or int64_t */
} dot;

static bool list_offsets(const fx_shape *shape, fx_dims axes, offsets *list, fx_error *err) {
    int64_t strides[FX_MAX_RANK];
    fxi_interp_cursor walk = {0};
    fxi_shape_strides(shape, strides);
    for (size_t i = 0; i < axes.n; i++)
        fxi_interp_add_axis(&walk, shape->dims[axes.v[i]], strides[axes.v[i]]);
    list->n = fxi_interp_size(&walk);
    list->v = fxi_alloc_zeroed((size_t)list->n, sizeof *list->v);
    if (!list->v) return fxi_fail_memory(err, "interp: dot_general");
    for (int64_t i = 0; i < list->n; i++, fxi_interp_advance(&walk)) list->v[i] = walk.offset;
    return true;
}

void *fxi_interp_widen(const fx_tensor *x, int64_t zeros) {
    fx_dtype dtype = x->shape.dtype;
    int64_t count = fx_shape_size(&x->shape);
    int parts = fx_dtype_is_complex(dtype) ? 2 : 1;
    bool is_integer = fx_dtype_is_integer(dtype);
    void *values = fxi_alloc_zeroed((size_t)(count + zeros), 8 * (size_t)parts);
    for (int64_t i = 0; values && i < count; i++) {
        fxi_scalar v = fxi_element_load(dtype, x->data, i);
        if (is_integer) {
            ((int64_t *)values)[i] = v.i;
        } else {
            ((double *)values)[i * parts] = v.re;
            if (parts == 2) ((double *)values)[2 * i + 1] = v.im;
        }
    }
    return values;
}

static bool prepare_operand(dot *d, int side, const fx_tensor *x, fx_dims batch, fx_dims contract,
                            fx_error *err) {
    int64_t rest[FX_MAX_RANK];
    fx_dims free_axes = {rest, 0};
    for (int i = 0; i < x->shape.rank; i++)
        if (!fxi_dims_has(batch, i) && !fxi_dims_has(contract, i)) rest[free_axes.n++] = i;
    FX_TRY(list_offsets(&x->shape, batch, &d->batch[side], err));
    FX_TRY(list_offsets(&x->shape, free_axes, &d->free[side], err));
    FX_TRY(list_offsets(&x->shape, contract, &d->contract[side], err));
    d->values[side] = fxi_interp_widen(x, 0);
    return d->values[side] || fxi_fail_memory(err, "interp: dot_general");
}

/* ---- one result element ---- */

static fxi_scalar sum_integer(const fxi_interp_terms *t) {
    const int64_t *x = t->x, *y = t->y;
    uint64_t sum = 0;
    for (int64_t k = 0; k < t->n; k++) sum += (uint64_t)x[t->x_at[k]] * (uint64_t)y[t->y_at[k]];
    return (fxi_scalar){.i = (int64_t)sum};
}

static fxi_scalar sum_float(const fxi_interp_terms *t) {
    const double *x = t->x, *y = t->y;
    double sum = 0;
    for (int64_t k = 0; k < t->n; k++) sum += x[t->x_at[k]] * y[t->y_at[k]];
    return (fxi_scalar){.re = sum};
}

static fxi_scalar sum_float_wide(const fxi_interp_terms *t) {
    const double *x = t->x, *y = t->y;
    long double sum = 0;
    for (int64_t k = 0; k < t->n; k++) sum += (long double)x[t->x_at[k]] * y[t->y_at[k]];
    return (fxi_scalar){.re = (double)sum};
}

static fxi_scalar sum_complex(const fxi_interp_terms *t) {
    const double *x = t->x, *y = t->y;
    long double re = 0, im = 0;
    for (int64_t k = 0; k < t->n; k++) {
        const double *a = x + 2 * t->x_at[k], *b = y + 2 * t->y_at[k];
        re += (long double)a[0] * b[0] - (long double)a[1] * b[1];
        im += (long double)a[0] * b[1] + (long double)a[1] * b[0];
    }
    return (fxi_scalar){.re = (double)re, .im = (double)im};
}

fxi_interp_sum fxi_interp_sum_of(fx_dtype dtype, fx_dtype *carrier) {
    const fxi_dtype_info *info = fxi_dtype_info_of(dtype);
    switch (info->kind) {
    case FXI_KIND_COMPLEX: *carrier = FX_C128; return sum_complex;
    case FXI_KIND_SIGNED: *carrier = FX_S64; return sum_integer;
    case FXI_KIND_UNSIGNED: *carrier = FX_U64; return sum_integer;
    default: *carrier = FX_F64; return dtype == FX_F64 ? sum_float_wide : sum_float;
    }
}

/* values + offset elements; a complex one is two doubles. All carriers' parts have 8 bytes. */
const void *fxi_interp_element(const void *values, int64_t offset, fx_dtype carrier) {
    return (const char *)values + offset * (carrier == FX_C128 ? 16 : 8);
}

static void compute(const dot *d, fx_dtype operand, fx_tensor *result) {
    fx_dtype carrier, to = result->shape.dtype;
    fxi_interp_sum sum = fxi_interp_sum_of(operand, &carrier);
    fxi_interp_terms t = {.x_at = d->contract[0].v, .y_at = d->contract[1].v, .n = d->contract[0].n};
    int64_t at = 0;
    for (int64_t b = 0; b < d->batch[0].n; b++)
        for (int64_t i = 0; i < d->free[0].n; i++)
            for (int64_t j = 0; j < d->free[1].n; j++) {
                t.x = fxi_interp_element(d->values[0], d->batch[0].v[b] + d->free[0].v[i], carrier);
                t.y = fxi_interp_element(d->values[1], d->batch[1].v[b] + d->free[1].v[j], carrier);
                fxi_element_store(to, result->data, at++, fxi_scalar_convert(sum(&t), carrier, to));
            }
}

bool fxi_interp_dot_general(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                            fx_error *err) {
    /* Leaving here also keeps the lists below within the operands' sizes. */
    if (fx_shape_size(&result->shape) == 0) return true;
    dot d = {0};
    bool ok = prepare_operand(&d, 0, operands[0], fxi_node_ints(node, FXI_ATTR_LHS_BATCH),
                              fxi_node_ints(node, FXI_ATTR_LHS_CONTRACT), err) &&
              prepare_operand(&d, 1, operands[1], fxi_node_ints(node, FXI_ATTR_RHS_BATCH),
                              fxi_node_ints(node, FXI_ATTR_RHS_CONTRACT), err);
    if (ok) compute(&d, operands[0]->shape.dtype, result);
    for (int side = 0; side < 2; side++) {
        fxi_free(d.batch[side].v);
        fxi_free(d.free[side].v);
        fxi_free(d.contract[side].v);
        fxi_free(d.values[side]);
    }
    return ok;
}
