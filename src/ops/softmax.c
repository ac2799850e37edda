/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax, its logarithm and logsumexp, with and without masks. The largest element m of a row is taken off
 * before exp. A row of nothing but -Inf has m = -Inf and would give -Inf - -Inf; its m is raised to the
 * lowest finite number, which leaves every e^(x - m) 0, and its sum 0 is replaced by 1. Both corrections lie
 * in the small reduced arrays. In other rows the sum is at least 1, the share of the largest element.
 * The results do not depend on m but for rounding, so derivatives do not go through it. */
#include "ops/ops.h"
#include <float.h>
#include <fluxion/grad.h>
#include <fluxion/softmax.h>
#include <math.h>

typedef struct rows {
    fxi_build b;
    fxi_axis_list axes;
    fx_node *x;    /* wide, -Inf where it does not count */
    fx_node *mask; /* over x's dimensions; NULL: all count */
} rows;

/* Checks, and in *mask the mask over x's dimensions; the axes are the last one when none is named. */
static bool check_rows(rows *r, const char *name, fx_node *x, fx_node **mask, fx_axes axes) {
    static const int last = -1;
    fx_node *const operands[] = {x, *mask};
    if (!fxi_build_begin(&r->b, name, operands, *mask ? 2 : 1)) return false;
    if (!fxi_build_floats(&r->b, x, "softmax", FX_OP_ERF)) return false;
    if (axes.n == 0) axes = (fx_axes){&last, 1};
    if (!fxi_build_reduced_axes(&r->b, x, axes, &r->axes)) return false;
    if (*mask) *mask = fxi_build_mask(&r->b, x, *mask);
    return !*mask || (*mask)->op != FX_OP_INERT;
}

/* With operands that were checked. */
static bool begin_rows(rows *r, fx_node *x, fx_node *mask) {
    r->x = fxi_build_wide(x);
    r->mask = mask;
    if (mask) r->x = fx_where(mask, r->x, fx_infinity(r->b.graph, r->x->shape.dtype, -1));
    return r->x && r->x->op != FX_OP_INERT;
}

static fx_node *number(const rows *r, double value) {
    return fxi_build_number(&r->b, r->x->shape.dtype, value);
}

/* x without the largest of its row. */
static fx_node *shifted(const rows *r) {
    double lowest = r->x->shape.dtype == FX_F64 ? -DBL_MAX : -(double)FLT_MAX;
    fx_node *largest = fx_stop_gradient(fxi_build_kept(&r->axes, fx_reduce_max, r->x));
    return fx_sub(r->x, fx_max(largest, number(r, lowest)));
}

/* The sum of a row, where 0 becomes 1; *is_empty: whether it does. */
static fx_node *total(const rows *r, fx_node *terms, fx_node **is_empty) {
    fx_node *sum = fxi_build_kept(&r->axes, fx_reduce_sum, terms);
    *is_empty = fx_equal(sum, number(r, 0));
    return fx_select(*is_empty, number(r, 1), sum);
}

/* The result in the operand's dtype, with a fixed value where the mask is false: a row that holds a NaN does
 * not spread it there. */
static fx_node *finish(const rows *r, fx_node *result, double elsewhere, fx_dtype dtype) {
    if (r->mask) result = fx_where(r->mask, result, number(r, elsewhere));
    return fx_convert(result, dtype);
}

/* in: x, and the mask where there is one. */
static void softmax_body(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                         void *user) {
    rows r = *(const rows *)user;
    (void)n_out;
    if (!fxi_build_begin_leaf(&r.b, r.b.name, graph)) return;
    if (!begin_rows(&r, in[0], n_in > 1 ? in[1] : NULL)) return;
    fx_node *terms = fx_exp(shifted(&r)), *is_empty;
    out[0] = finish(&r, fx_div(terms, total(&r, terms, &is_empty)), 0, in[0]->shape.dtype);
}

/* Settings: the axes counted from the end, so that a batch (fx_vmap) leaves them right. */
static fx_node *softmax(const char *name, fx_node *x, fx_node *mask, fx_axes axes) {
    rows r;
    int64_t settings[FX_MAX_RANK];
    if (!check_rows(&r, name, x, &mask, axes)) return r.b.stop;
    for (size_t i = 0; i < r.axes.n; i++) settings[i] = r.axes.v[i] - x->shape.rank;
    const fxi_composite composite = {.name = "fx.softmax",
                                     .settings = settings,
                                     .n_settings = r.axes.n,
                                     .forward = softmax_body,
                                     .user = &r};
    return fxi_build_composite(&r.b, &composite, (fx_nodes){(fx_node *const[]){x, mask}, mask ? 2 : 1}, 1);
}

static fx_node *log_softmax(const char *name, fx_node *x, fx_node *mask, fx_axes axes) {
    rows r;
    if (!check_rows(&r, name, x, &mask, axes) || !begin_rows(&r, x, mask)) return r.b.stop;
    fx_node *distance = shifted(&r), *is_empty;
    fx_node *result = fx_sub(distance, fx_log(total(&r, fx_exp(distance), &is_empty)));
    result = fx_select(is_empty, number(&r, (double)-INFINITY), result); /* a constant: no derivative */
    return finish(&r, result, (double)-INFINITY, x->shape.dtype);
}

fx_node *fx_softmax(fx_node *x, fx_axes axes) {
    return softmax("fx_softmax", x, NULL, axes);
}
fx_node *fx_log_softmax(fx_node *x, fx_axes axes) {
    return log_softmax("fx_log_softmax", x, NULL, axes);
}
fx_node *fx_masked_softmax(fx_node *x, fx_node *mask, fx_axes axes) {
    return softmax("fx_masked_softmax", x, mask, axes);
}
fx_node *fx_masked_log_softmax(fx_node *x, fx_node *mask, fx_axes axes) {
    return log_softmax("fx_masked_log_softmax", x, mask, axes);
}

/* Here m counts as 0 unless it is finite: e^Inf and e^-Inf then give the right sums by themselves. The
 * logarithm of the sum 0 is not taken, since its derivative is infinite. */
fx_node *fx_logsumexp(fx_node *x, fx_axes axes) {
    fxi_build b;
    fxi_axis_list list;
    if (!fxi_build_begin(&b, "fx_logsumexp", &x, 1)) return b.stop;
    if (!fxi_build_floats(&b, x, "logsumexp", FX_OP_ERF)) return b.stop;
    if (!fxi_build_reduced_axes(&b, x, axes, &list)) return b.stop;
    fx_node *wide = fxi_build_wide(x), *zero = fx_scalar_zero(b.graph, wide->shape.dtype);
    fx_node *one = fx_scalar_one(b.graph, wide->shape.dtype);
    fx_node *kept = fx_stop_gradient(fxi_build_kept(&list, fx_reduce_max, wide));
    kept = fx_select(fx_is_finite(kept), kept, zero);
    fx_node *sum = fxi_build_over(&list, fx_reduce_sum, fx_exp(fx_sub(wide, kept)));
    fx_node *largest = fx_reshape(kept, (fx_dims){fx_node_shape(sum)->dims, (size_t)fx_node_rank(sum)});
    fx_node *is_empty = fx_equal(sum, zero), *lowest = fx_infinity(b.graph, wide->shape.dtype, -1);
    fx_node *logarithm = fx_select(is_empty, lowest, fx_log(fx_select(is_empty, one, sum)));
    return fx_convert(fx_add(largest, logarithm), x->shape.dtype);
}
