/* SPDX-License-Identifier: Apache-2.0 */
/* Running combinations: for each line along the axis one walk that keeps what was combined so far. Sums
 * and products of floats are carried in extended precision, so that each result is the rounding of a
 * nearly exact value. */
#include "interp_internal.h"
#include "ops/ops.h"
#include <math.h>

/* What a line has combined so far: a scalar, or for floats an extended value (logsumexp: sum e^(x - top)). */
typedef struct running {
    fxi_scalar value;
    long double re, im, top;
} running;

typedef void (*step_fn)(running *r, fx_dtype dtype, fxi_scalar x);

static void step_sum(running *r, fx_dtype dtype, fxi_scalar x) {
    (void)dtype;
    r->re += x.re;
    r->im += x.im;
    r->value.i = (int64_t)((uint64_t)r->value.i + (uint64_t)x.i);
}

static void step_product(running *r, fx_dtype dtype, fxi_scalar x) {
    if (fx_dtype_is_complex(dtype)) {
        long double re = r->re * x.re - r->im * x.im;
        r->im = r->re * x.im + r->im * x.re;
        r->re = re;
    } else {
        r->re *= x.re;
    }
    r->value.i = (int64_t)((uint64_t)r->value.i * (uint64_t)x.i);
}

static void step_max(running *r, fx_dtype dtype, fxi_scalar x) {
    r->value = fxi_reduce_combine(FXI_MAX, dtype, r->value, x);
    r->re = r->value.re;
}

static void step_min(running *r, fx_dtype dtype, fxi_scalar x) {
    r->value = fxi_reduce_combine(FXI_MIN, dtype, r->value, x);
    r->re = r->value.re;
}

/* Equal infinities count as equal numbers: their difference is no number. */
static void step_logsumexp(running *r, fx_dtype dtype, fxi_scalar x) {
    (void)dtype;
    long double v = x.re;
    if (isnan(v) || isnan(r->top)) r->top = NAN;
    else if (v == r->top) r->im += 1;
    else if (v < r->top) r->im += expl(v - r->top);
    else {
        r->im = r->im * expl(r->top - v) + 1;
        r->top = v;
    }
    r->re = r->top + logl(r->im);
}

static const step_fn steps[FXI_SCAN_KINDS] = {
    [FXI_SCAN_SUM] = step_sum, [FXI_SCAN_PRODUCT] = step_product,     [FXI_SCAN_MAX] = step_max,
    [FXI_SCAN_MIN] = step_min, [FXI_SCAN_LOGSUMEXP] = step_logsumexp,
};

static running start_of(fxi_scan_kind kind, fx_dtype dtype) {
    running r = {.top = -INFINITY};
    if (kind == FXI_SCAN_MAX || kind == FXI_SCAN_MIN)
        r.value = fxi_reduce_neutral(kind == FXI_SCAN_MAX ? FXI_MAX : FXI_MIN, dtype);
    if (kind == FXI_SCAN_PRODUCT) {
        r.value.i = 1;
        r.re = 1;
    }
    return r;
}

bool fxi_interp_cumulative(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                           fx_error *err) {
    (void)err;
    const fx_tensor *x = operands[0];
    fx_dtype dtype = x->shape.dtype;
    fxi_scan_kind kind = (fxi_scan_kind)fxi_node_int(node, FXI_ATTR_SCAN);
    bool backwards = fxi_node_int(node, FXI_ATTR_BACKWARDS) != 0;
    int64_t axis = fxi_node_int(node, FXI_ATTR_AXIS), count = fx_shape_size(&x->shape), inner = 1;
    if (count == 0) return true;
    for (int i = (int)axis + 1; i < x->shape.rank; i++) inner *= x->shape.dims[i];
    int64_t along = x->shape.dims[axis];
    for (int64_t line = 0; line < count / along; line++) {
        int64_t first = line / inner * inner * along + line % inner;
        running r = start_of(kind, dtype);
        for (int64_t k = 0; k < along; k++) {
            int64_t at = first + (backwards ? along - 1 - k : k) * inner;
            steps[kind](&r, dtype, fxi_element_load(dtype, x->data, at));
            fxi_scalar out = {.i = r.value.i, .re = (double)r.re, .im = (double)r.im};
            fxi_element_store(dtype, result->data, at, out);
        }
    }
    return true;
}
