/* SPDX-License-Identifier: Apache-2.0 */
/* What all losses are made of, and those of single elements. Differences and logarithms are taken in the
 * wide dtype, masks are selects, so that what does not count has no share in the derivatives either, and the
 * sum is one reduction over everything, which the compiler fuses with the formula. */
#include "loss_internal.h"
#include <float.h>
#include <fluxion/activation.h>
#include <fluxion/grad.h>
#include <fluxion/masked.h>
#include <math.h>

/* ---- the beginning ---- */

static bool check_options(const fxi_loss *l) {
    const fx_loss_options *o = &l->options;
    if ((unsigned)o->reduction > FX_LOSS_WEIGHTED_MEAN)
        fxi_build_refuse(&l->b, FX_ERROR_ARGUMENT, "there is no reduction %d", (int)o->reduction);
    else if (!(o->label_smoothing >= 0 && o->label_smoothing < 1))
        fxi_build_refuse(&l->b, FX_ERROR_ARGUMENT, "the label smoothing is %g; it must be in [0, 1)",
                         o->label_smoothing);
    else
        return true;
    return false;
}

static bool refuse_shapes(const fxi_loss *l, const fx_node *labels, const fx_node *predictions,
                          const char *rule) {
    fxi_build_refuse(&l->b, FX_ERROR_SHAPE, "labels %s do not go with predictions %s: %s",
                     fx_shape_to_text(&labels->shape).s, fx_shape_to_text(&predictions->shape).s, rule);
    return false;
}

static bool take_values(fxi_loss *l, fx_node *labels, fx_node *predictions, fxi_loss_labels kind) {
    bool is_flag = fx_dtype_is_integer(labels->shape.dtype) || labels->shape.dtype == FX_BOOL;
    if (kind == FXI_LOSS_FLAGS && is_flag)
        labels = fx_convert(labels, fxi_build_wide(predictions)->shape.dtype);
    else if (!fxi_build_same(&l->b, predictions, labels))
        return false;
    if (!fx_shape_equal_dims(&labels->shape, &predictions->shape))
        return refuse_shapes(l, labels, predictions, "the dimensions must be equal");
    l->labels = fxi_build_wide(labels);
    return true;
}

static bool take_classes(fxi_loss *l, fx_node *labels, const fx_node *predictions, bool of_any_shape) {
    const fx_shape *given = &labels->shape;
    fx_shape wanted = predictions->shape;
    wanted.rank--;
    bool has_axis = given->rank == wanted.rank + 1 && given->dims[wanted.rank] == 1;
    fx_shape first = *given;
    if (has_axis) first.rank--;
    if (!fx_dtype_is_integer(given->dtype)) {
        fxi_build_refuse(&l->b, FX_ERROR_DTYPE, "the labels are %s; numbers of classes are integers",
                         fx_dtype_name(given->dtype));
        return false;
    }
    if (of_any_shape) {
        l->labels = labels;
        return true;
    }
    if (!fx_shape_equal_dims(&first, &wanted))
        return refuse_shapes(l, labels, predictions,
                             "they have the same dimensions without the last one, or with 1 there");
    l->labels = has_axis ? fx_reshape(labels, (fx_dims){wanted.dims, (size_t)wanted.rank}) : labels;
    return true;
}

static bool begin(fxi_loss *l, const char *name, fx_node *labels, fx_node *predictions,
                  const fx_loss_options *options, fxi_loss_labels kind, int least_rank) {
    fx_node *operands[4] = {labels, predictions};
    size_t count = 2;
    fxi_build *b = &l->b;
    if (!fxi_build_begin_roles(b, name, operands, count, FXI_ROLES("labels", "predictions")) ||
        !fxi_build_options_exact(b, &l->options, sizeof l->options, options) || !check_options(l))
        return false;
    if (l->options.mask) operands[count++] = l->options.mask;
    if (l->options.weights) operands[count++] = l->options.weights;
    if (!fxi_build_begin(b, name, operands, count)) return false;
    if (!fxi_build_floats(b, predictions, "loss", FX_OP_ERF)) return false;
    if (predictions->shape.rank < least_rank) {
        fxi_build_refuse(b, FX_ERROR_SHAPE, "the predictions %s have no last axis",
                         fx_shape_to_text(&predictions->shape).s);
        return false;
    }
    l->dtype = predictions->shape.dtype;
    l->predictions = fxi_build_wide(predictions);
    bool ok = kind < FXI_LOSS_CLASSES ? take_values(l, labels, predictions, kind)
                                      : take_classes(l, labels, predictions, kind == FXI_LOSS_SEQUENCES);
    return ok && l->labels->op != FX_OP_INERT && l->predictions->op != FX_OP_INERT;
}

bool fxi_loss_begin(fxi_loss *l, const char *name, fx_node *labels, fx_node *predictions,
                    const fx_loss_options *options, fxi_loss_labels kind) {
    return begin(l, name, labels, predictions, options, kind, 0);
}

bool fxi_loss_begin_rows(fxi_loss *l, const char *name, fx_node *labels, fx_node *predictions,
                         const fx_loss_options *options, fxi_loss_labels kind) {
    return begin(l, name, labels, predictions, options, kind, 1);
}

/* ---- pieces of formulas ---- */

fx_node *fxi_loss_number(const fxi_loss *l, double value) {
    return fxi_build_number(&l->b, l->predictions->shape.dtype, value);
}

/* log(max(p, f)) + min(p - f, 0) / f. At p = f both halves share the derivative, which adds up to 1 / f. */
fx_node *fxi_loss_log(const fxi_loss *l, fx_node *p) {
    double least = l->dtype == FX_F64 ? DBL_MIN : l->dtype == FX_F16 ? 0x1p-14 : (double)FLT_MIN;
    fx_node *floor = fxi_loss_number(l, least);
    fx_node *below = fx_min(fx_sub(p, floor), fxi_loss_number(l, 0));
    return fx_add(fx_log(fx_max(p, floor)), fx_mul(below, fxi_loss_number(l, 1 / least)));
}

fx_node *fxi_loss_root(const fxi_loss *l, fx_node *square) {
    fx_node *zero = fxi_loss_number(l, 0);
    return fx_select(fx_equal(square, zero), zero, fx_sqrt(square));
}

fx_node *fxi_loss_row_sum(fx_node *x) {
    static const int last = -1;
    return fx_reduce_sum(x, (fx_axes){&last, 1});
}

/* ---- the end ---- */

/* Weights over the dimensions of the losses, wide; NULL without, and after refusing, which *ok says. */
static fx_node *take_weights(const fxi_loss *l, const fx_node *losses, bool *ok) {
    fx_node *w = l->options.weights;
    *ok = true;
    if (!w) return NULL;
    *ok = false;
    if (w->shape.dtype != l->dtype) {
        fxi_build_refuse(&l->b, FX_ERROR_DTYPE, "the weights are %s and the predictions %s",
                         fx_dtype_name(w->shape.dtype), fx_dtype_name(l->dtype));
        return NULL;
    }
    *ok = fxi_build_leading(&l->b, "the weights", &w->shape, "losses", &losses->shape);
    if (!*ok) return NULL;
    return fx_broadcast_to_dims(fxi_build_wide(w), (fx_dims){losses->shape.dims, (size_t)losses->shape.rank});
}

/* Sum of the losses over the sum of the weights of those that count, 0 where that is 0. */
static fx_node *weighted_mean(const fxi_loss *l, fx_node *losses, fx_node *weights, fx_node *counts) {
    fx_node *zero = fxi_loss_number(l, 0), *one = fxi_loss_number(l, 1);
    if (counts) weights = fx_select(counts, weights, zero);
    fx_node *total = fx_reduce_all_sum(weights), *is_empty = fx_equal(total, zero);
    fx_node *sum = fx_reduce_all_sum(losses);
    return fx_select(is_empty, zero, fx_div(sum, fx_select(is_empty, one, total)));
}

fx_node *fxi_loss_end(const fxi_loss *l, fx_node *losses, fx_node *counts) {
    bool ok;
    fxi_build b;
    if (!fxi_build_begin(&b, l->b.name, &losses, 1)) return b.stop;
    fx_node *weights = take_weights(l, losses, &ok), *mask = l->options.mask;
    if (!ok) return b.stop;
    if (mask) {
        mask = fxi_build_mask(&b, losses, mask);
        counts = counts ? fx_and(counts, mask) : mask;
    }
    if (weights) losses = fx_mul(losses, weights);
    if (counts) losses = fx_select(counts, losses, fxi_loss_number(l, 0));
    fx_loss_reduction reduction = l->options.reduction;
    if (reduction == FX_LOSS_WEIGHTED_MEAN && !weights) reduction = FX_LOSS_MEAN;
    fx_node *result = losses;
    if (reduction == FX_LOSS_WEIGHTED_MEAN) result = weighted_mean(l, losses, weights, counts);
    if (reduction == FX_LOSS_SUM) result = fx_reduce_all_sum(losses);
    if (reduction == FX_LOSS_MEAN)
        result = counts ? fx_masked_reduce_all_mean(losses, counts) : fx_reduce_all_mean(losses);
    return fx_convert(result, l->dtype);
}

/* ---- losses of elements ---- */

fx_node *fx_loss_mean_squared_error(fx_node *labels, fx_node *predictions, const fx_loss_options *options) {
    fxi_loss l;
    if (!fxi_loss_begin(&l, "fx_loss_mean_squared_error", labels, predictions, options, FXI_LOSS_LIKE))
        return l.b.stop;
    return fxi_loss_end(&l, fx_square(fx_sub(l.predictions, l.labels)), NULL);
}

fx_node *fx_loss_mean_absolute_error(fx_node *labels, fx_node *predictions, const fx_loss_options *options) {
    fxi_loss l;
    if (!fxi_loss_begin(&l, "fx_loss_mean_absolute_error", labels, predictions, options, FXI_LOSS_LIKE))
        return l.b.stop;
    return fxi_loss_end(&l, fx_abs(fx_sub(l.predictions, l.labels)), NULL);
}

/* False, after refusing, unless the number is finite and above 0. */
static bool check_positive(const fxi_loss *l, const char *what, double value) {
    if (value > 0 && isfinite(value)) return true;
    fxi_build_refuse(&l->b, FX_ERROR_ARGUMENT, "%s is %g; it must be a number above 0", what, value);
    return false;
}

/* q (|d| - q / 2) with q = min(|d|, delta), whose derivative by q is 0 at q = |d|: both branches meet. */
fx_node *fx_loss_huber(fx_node *labels, fx_node *predictions, double delta, const fx_loss_options *options) {
    fxi_loss l;
    if (!fxi_loss_begin(&l, "fx_loss_huber", labels, predictions, options, FXI_LOSS_LIKE) ||
        !check_positive(&l, "delta", delta))
        return l.b.stop;
    fx_node *d = fx_abs(fx_sub(l.predictions, l.labels));
    fx_node *q = fx_min(d, fxi_loss_number(&l, delta));
    return fxi_loss_end(&l, fx_mul(q, fx_sub(d, fx_mul(q, fxi_loss_number(&l, 0.5)))), NULL);
}

fx_node *fx_loss_adaptive_power(fx_node *labels, fx_node *predictions, double near, double far, double middle,
                                double sharpness, const fx_loss_options *options) {
    fxi_loss l;
    if (!fxi_loss_begin(&l, "fx_loss_adaptive_power", labels, predictions, options, FXI_LOSS_LIKE) ||
        !check_positive(&l, "near", near) || !check_positive(&l, "far", far) ||
        !check_positive(&l, "middle", middle) || !check_positive(&l, "sharpness", sharpness))
        return l.b.stop;
    fx_node *zero = fxi_loss_number(&l, 0);
    fx_node *d = fx_abs(fx_sub(l.predictions, l.labels)), *is_zero = fx_equal(d, zero);
    fx_node *base = fx_select(is_zero, fxi_loss_number(&l, 1), d); /* no infinite derivatives at 0 */
    fx_node *place = fx_log(fx_mul(base, fxi_loss_number(&l, 1 / middle)));
    fx_node *share = fx_logistic(fx_mul(place, fxi_loss_number(&l, fabs(near - far) / sharpness)));
    fx_node *power = fx_add(fx_mul(share, fxi_loss_number(&l, far - near)), fxi_loss_number(&l, near));
    fx_node *losses = fx_pow(base, fx_stop_gradient(power));
    return fxi_loss_end(&l, fx_select(is_zero, zero, losses), NULL);
}

fx_node *fx_loss_hinge(fx_node *labels, fx_node *predictions, const fx_loss_options *options) {
    fxi_loss l;
    if (!fxi_loss_begin(&l, "fx_loss_hinge", labels, predictions, options, FXI_LOSS_LIKE)) return l.b.stop;
    fx_node *left = fx_sub(fxi_loss_number(&l, 1), fx_mul(l.labels, l.predictions));
    return fxi_loss_end(&l, fx_max(left, fxi_loss_number(&l, 0)), NULL);
}
