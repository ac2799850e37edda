/* SPDX-License-Identifier: Apache-2.0 */
/* Cross entropies and the divergence of distributions. Those of logits never form a probability: logarithms
 * come from a row without its largest logit, or from log(1 + e^-|z|), which cannot overflow. The class of an
 * integer label is found by comparing with an iota instead of gathering: a gather's derivative would fill
 * the gradient of the logits with zeros and scatter into it, this one is part of the sweep that writes
 * softmax. */
#include "loss_internal.h"
#include <float.h>
#include <fluxion/grad.h>
#include <math.h>

/* y (1 - s) + s / classes */
static fx_node *smooth(const fxi_loss *l, fx_node *y, int64_t classes) {
    double s = l->options.label_smoothing;
    if (s == 0) return y;
    double even = classes > 0 ? s / (double)classes : 0; /* without classes there are no elements */
    return fx_add(fx_mul(y, fxi_loss_number(l, 1 - s)), fxi_loss_number(l, even));
}

/* ---- two classes ---- */

fx_node *fx_loss_binary_cross_entropy(fx_node *labels, fx_node *probabilities,
                                      const fx_loss_options *options) {
    fxi_loss l;
    if (!fxi_loss_begin(&l, "fx_loss_binary_cross_entropy", labels, probabilities, options, FXI_LOSS_FLAGS))
        return l.b.stop;
    fx_node *y = smooth(&l, l.labels, 2), *p = l.predictions, *one = fxi_loss_number(&l, 1);
    fx_node *yes = fx_mul(y, fxi_loss_log(&l, p));
    fx_node *no = fx_mul(fx_sub(one, y), fxi_loss_log(&l, fx_sub(one, p)));
    return fxi_loss_end(&l, fx_neg(fx_add(yes, no)), NULL);
}

/* The products are strong ones: a label of exactly 0 or 1 has no share in an infinite z of the other side. */
fx_node *fx_loss_binary_cross_entropy_logits(fx_node *labels, fx_node *logits,
                                             const fx_loss_options *options) {
    fxi_loss l;
    if (!fxi_loss_begin(&l, "fx_loss_binary_cross_entropy_logits", labels, logits, options, FXI_LOSS_FLAGS))
        return l.b.stop;
    fx_node *y = smooth(&l, l.labels, 2), *z = l.predictions;
    fx_node *zero = fxi_loss_number(&l, 0), *one = fxi_loss_number(&l, 1);
    fx_node *yes = fx_strong_mul(y, fx_max(fx_neg(z), zero));
    fx_node *no = fx_strong_mul(fx_sub(one, y), fx_max(z, zero));
    return fxi_loss_end(&l, fx_add(fx_add(yes, no), fx_softplus(fx_neg(fx_abs(z)))), NULL);
}

/* ---- many classes ---- */

/* Minus the sum of y times a logarithm; y = 0 adds 0 whatever the logarithm is. */
static fx_node *entropy(fx_node *y, fx_node *logarithm) {
    return fx_neg(fxi_loss_row_sum(fx_strong_mul(y, logarithm)));
}

/* Logits without the largest of their row, to which derivatives do not go, and the logarithm of the sum of
 * their exponentials. log softmax is their difference; kept apart, the derivative needs no sum over a row.
 * In a row of -Inf the largest is raised to the lowest finite number, and the sum 0 to 1. */
static fx_node *shifted(const fxi_loss *l, fx_node **log_sum) {
    static const int last = -1;
    fx_node *z = l->predictions, *zero = fxi_loss_number(l, 0);
    double lowest = z->shape.dtype == FX_F64 ? -DBL_MAX : -(double)FLT_MAX;
    fx_node *largest = fx_stop_gradient(fx_reduce_and_keep(z, fx_reduce_max, (fx_axes){&last, 1}));
    fx_node *distance = fx_sub(z, fx_max(largest, fxi_loss_number(l, lowest)));
    fx_node *sum = fxi_loss_row_sum(fx_exp(distance));
    *log_sum = fx_log(fx_select(fx_equal(sum, zero), fxi_loss_number(l, 1), sum));
    return distance;
}

fx_node *fx_loss_categorical_cross_entropy(fx_node *labels, fx_node *probabilities,
                                           const fx_loss_options *options) {
    fxi_loss l;
    if (!fxi_loss_begin_rows(&l, "fx_loss_categorical_cross_entropy", labels, probabilities, options,
                             FXI_LOSS_LIKE))
        return l.b.stop;
    fx_node *y = smooth(&l, l.labels, fx_node_dim(l.predictions, -1));
    return fxi_loss_end(&l, entropy(y, fxi_loss_log(&l, l.predictions)), NULL);
}

fx_node *fx_loss_categorical_cross_entropy_logits(fx_node *labels, fx_node *logits,
                                                  const fx_loss_options *options) {
    fxi_loss l;
    if (!fxi_loss_begin_rows(&l, "fx_loss_categorical_cross_entropy_logits", labels, logits, options,
                             FXI_LOSS_LIKE))
        return l.b.stop;
    fx_node *y = smooth(&l, l.labels, fx_node_dim(l.predictions, -1)), *log_sum;
    fx_node *distance = shifted(&l, &log_sum);
    return fxi_loss_end(&l, fx_add(entropy(y, distance), fx_mul(fxi_loss_row_sum(y), log_sum)), NULL);
}

/* Whether each class is the label's; *is_class: whether the label is a class at all. */
static fx_node *compare_labels(const fxi_loss *l, fx_node **is_class) {
    int last = l->predictions->shape.rank - 1;
    bool is_narrow = fx_dtype_bits(l->labels->shape.dtype) < 32; /* and might not count the classes */
    fx_node *label = is_narrow ? fx_convert(l->labels, FX_S32) : l->labels;
    fx_shape numbers = l->predictions->shape;
    numbers.dtype = label->shape.dtype;
    fx_node *none = fx_scalar_zero(l->b.graph, numbers.dtype);
    fx_node *end = fx_scalar_int(l->b.graph, numbers.dtype, numbers.dims[last]);
    *is_class = fx_and(fx_greater_or_equal(label, none), fx_less(label, end));
    return fx_equal(fx_iota(l->b.graph, &numbers, last), fx_expand_axes(label, (fx_axes){&last, 1}));
}

/* log_sum - (1 - s) d at the label - s / C times the sum of all d */
fx_node *fx_loss_sparse_categorical_cross_entropy_logits(fx_node *labels, fx_node *logits,
                                                         const fx_loss_options *options) {
    fxi_loss l;
    fx_node *log_sum, *is_class;
    if (!fxi_loss_begin_rows(&l, "fx_loss_sparse_categorical_cross_entropy_logits", labels, logits, options,
                             FXI_LOSS_CLASSES))
        return l.b.stop;
    int64_t classes = fx_node_dim(l.predictions, -1);
    double s = classes > 0 ? l.options.label_smoothing : 0;
    fx_node *distance = shifted(&l, &log_sum);
    fx_node *at_label = fx_select(compare_labels(&l, &is_class), distance, fxi_loss_number(&l, 0));
    fx_node *picked = fxi_loss_row_sum(at_label);
    if (s > 0) {
        fx_node *even = fx_mul(fxi_loss_row_sum(distance), fxi_loss_number(&l, s / (double)classes));
        picked = fx_add(fx_mul(picked, fxi_loss_number(&l, 1 - s)), even);
    }
    fx_node *nan = fx_scalar(l.b.graph, l.predictions->shape.dtype, (double)NAN);
    return fxi_loss_end(&l, fx_select(is_class, fx_sub(log_sum, picked), nan), NULL);
}

/* ---- divergence ---- */

static fx_node *divergence(const char *name, fx_node *labels, fx_node *predictions,
                           const fx_loss_options *options, bool of_logits) {
    fxi_loss l;
    if (!fxi_loss_begin_rows(&l, name, labels, predictions, options, FXI_LOSS_LIKE)) return l.b.stop;
    fx_node *y = l.labels, *log_sum, *log_y = fxi_loss_log(&l, y);
    fx_node *gain = fx_sub(log_y, of_logits ? shifted(&l, &log_sum) : fxi_loss_log(&l, l.predictions));
    fx_node *losses = fxi_loss_row_sum(fx_strong_mul(y, gain));
    if (of_logits) losses = fx_add(losses, fx_mul(fxi_loss_row_sum(y), log_sum));
    return fxi_loss_end(&l, losses, NULL);
}

fx_node *fx_loss_kl_divergence(fx_node *labels, fx_node *probabilities, const fx_loss_options *options) {
    return divergence("fx_loss_kl_divergence", labels, probabilities, options, false);
}
fx_node *fx_loss_kl_divergence_logits(fx_node *labels, fx_node *logits, const fx_loss_options *options) {
    return divergence("fx_loss_kl_divergence_logits", labels, logits, options, true);
}
