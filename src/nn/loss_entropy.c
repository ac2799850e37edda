/* SPDX-License-Identifier: Apache-2.0 */
/* Cross entropies and the divergence of distributions. Those of logits never form a probability: logarithms
 * come from log softmax, or from log(1 + e^-|z|), which cannot overflow. The class of an integer label is
 * found by comparing with an iota instead of gathering, so that forward and backward are one sweep over a
 * row each: a gather's derivative would fill the logits' gradient with zeros and scatter into it. */
#include "loss_internal.h"
#include <fluxion/softmax.h>
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

static fx_node *log_softmax(const fxi_loss *l) {
    static const int last = -1;
    return fx_log_softmax(l->predictions, (fx_axes){&last, 1});
}

/* Minus the sum of y times a logarithm; y = 0 adds 0 whatever the logarithm is. */
static fx_node *entropy(fx_node *y, fx_node *logarithm) {
    return fx_neg(fxi_loss_row_sum(fx_strong_mul(y, logarithm)));
}

static fx_node *categorical(const char *name, fx_node *labels, fx_node *predictions,
                            const fx_loss_options *options, bool of_logits) {
    fxi_loss l;
    if (!fxi_loss_begin_rows(&l, name, labels, predictions, options, FXI_LOSS_LIKE)) return l.b.stop;
    fx_node *y = smooth(&l, l.labels, fx_node_dim(l.predictions, -1));
    return fxi_loss_end(&l, entropy(y, of_logits ? log_softmax(&l) : fxi_loss_log(&l, l.predictions)), NULL);
}

fx_node *fx_loss_categorical_cross_entropy(fx_node *labels, fx_node *probabilities,
                                           const fx_loss_options *options) {
    return categorical("fx_loss_categorical_cross_entropy", labels, probabilities, options, false);
}
fx_node *fx_loss_categorical_cross_entropy_logits(fx_node *labels, fx_node *logits,
                                                  const fx_loss_options *options) {
    return categorical("fx_loss_categorical_cross_entropy_logits", labels, logits, options, true);
}

/* Labels as an integer dtype that counts the classes: narrow ones widened. */
static fx_node *wide_labels(fx_node *labels) {
    return fx_dtype_bits(labels->shape.dtype) < 32 ? fx_convert(labels, FX_S32) : labels;
}

fx_node *fx_loss_sparse_categorical_cross_entropy_logits(fx_node *labels, fx_node *logits,
                                                         const fx_loss_options *options) {
    fxi_loss l;
    if (!fxi_loss_begin_rows(&l, "fx_loss_sparse_categorical_cross_entropy_logits", labels, logits, options,
                             FXI_LOSS_CLASSES))
        return l.b.stop;
    int64_t classes = fx_node_dim(l.predictions, -1);
    int last = l.predictions->shape.rank - 1;
    double s = l.options.label_smoothing;
    fx_node *label = wide_labels(l.labels), *logarithm = log_softmax(&l), *zero = fxi_loss_number(&l, 0);
    fx_shape numbers = l.predictions->shape;
    numbers.dtype = label->shape.dtype;
    fx_node *number = fx_iota(l.b.graph, &numbers, last);
    fx_node *is_label = fx_equal(number, fx_expand_axes(label, (fx_axes){&last, 1}));
    fx_node *losses = fx_neg(fxi_loss_row_sum(fx_select(is_label, logarithm, zero)));
    if (s > 0 && classes > 0) {
        fx_node *even = fx_mul(fxi_loss_row_sum(logarithm), fxi_loss_number(&l, -s / (double)classes));
        losses = fx_add(fx_mul(losses, fxi_loss_number(&l, 1 - s)), even);
    }
    fx_node *none = fx_scalar_zero(l.b.graph, label->shape.dtype);
    fx_node *end = fx_scalar_int(l.b.graph, label->shape.dtype, classes);
    fx_node *is_class = fx_and(fx_greater_or_equal(label, none), fx_less(label, end));
    fx_node *nan = fx_scalar(l.b.graph, l.predictions->shape.dtype, (double)NAN);
    return fxi_loss_end(&l, fx_select(is_class, losses, nan), NULL);
}

/* ---- divergence ---- */

static fx_node *divergence(const char *name, fx_node *labels, fx_node *predictions,
                           const fx_loss_options *options, bool of_logits) {
    fxi_loss l;
    if (!fxi_loss_begin_rows(&l, name, labels, predictions, options, FXI_LOSS_LIKE)) return l.b.stop;
    fx_node *log_p = of_logits ? log_softmax(&l) : fxi_loss_log(&l, l.predictions);
    fx_node *distance = fx_sub(fxi_loss_log(&l, l.labels), log_p);
    return fxi_loss_end(&l, fxi_loss_row_sum(fx_strong_mul(l.labels, distance)), NULL);
}

fx_node *fx_loss_kl_divergence(fx_node *labels, fx_node *probabilities, const fx_loss_options *options) {
    return divergence("fx_loss_kl_divergence", labels, probabilities, options, false);
}
fx_node *fx_loss_kl_divergence_logits(fx_node *labels, fx_node *logits, const fx_loss_options *options) {
    return divergence("fx_loss_kl_divergence_logits", labels, logits, options, true);
}
