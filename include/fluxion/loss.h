/* SPDX-License-Identifier: Apache-2.0 */
/* Losses: how far predictions are from labels, to be made small by an optimizer (optimizer.h). What ops.h
 * says of errors and results holds here. Each gives one loss per element, or per vector along the last axis,
 * and then reduces all of them to a scalar, unless the options say otherwise. A NULL `options` means all
 * defaults.
 *
 * Predictions are floats; labels are of their shape, and of their dtype unless said otherwise. float16 and
 * bfloat16 are computed and summed in float32 and rounded once at the end. Derivatives are finite wherever
 * the predictions are.
 *
 * Probabilities. The logarithm of a probability below the smallest normal number of the dtype (2^-126 for
 * float32 and bfloat16, 2^-14 for float16, 2^-1022 for float64) goes on as its tangent there, so that a
 * probability of 0 gives a large loss with a finite derivative. Losses of logits need no such care and are
 * the better choice. */
#ifndef FLUXION_LOSS_H
#define FLUXION_LOSS_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of the losses that count, each times its weight. */
typedef enum fx_loss_reduction {
    FX_LOSS_MEAN = 0,         /* sum over their number; 0 where none counts, NaN of no losses at all */
    FX_LOSS_SUM = 1,          /* sum */
    FX_LOSS_NONE = 2,         /* no reduction; 0 for those that do not count */
    FX_LOSS_WEIGHTED_MEAN = 3 /* sum over the sum of their weights; 0 where that is 0 */
} fx_loss_reduction;

typedef struct fx_loss_options {
    size_t size;                 /* sizeof(fx_loss_options), or 0 */
    fx_loss_reduction reduction; /* FX_LOSS_MEAN */
    fx_node *mask;               /* bool, true where a loss counts; NULL: all. A scalar, of the losses'
                                    dimensions or of the first few of them, where a dimension may be 1. What
                                    does not count may hold anything, NaN too */
    fx_node *weights;            /* of the predictions' dtype, with dimensions as a mask's; NULL: 1 */
    double label_smoothing;      /* cross entropies only: the share, in [0, 1), of each label that is spread
                                    evenly over all classes */
} fx_loss_options;

/* ---- one loss per element ---- */

/* (label - prediction)^2. */
FX_API fx_node *fx_loss_mean_squared_error(fx_node *labels, fx_node *predictions,
                                           const fx_loss_options *options);
/* |label - prediction|, with derivative 0 at 0. */
FX_API fx_node *fx_loss_mean_absolute_error(fx_node *labels, fx_node *predictions,
                                            const fx_loss_options *options);
/* d^2 / 2 of the difference d where |d| <= delta, else delta (|d| - delta / 2). delta above 0, usually 1. */
FX_API fx_node *fx_loss_huber(fx_node *labels, fx_node *predictions, double delta,
                              const fx_loss_options *options);
/* |d|^p of the difference d, where p goes from `near` to `far` as |d| grows: p = near + (far - near)
 * logistic(|near - far| log(|d| / middle) / sharpness), of which no derivative is taken. All four above 0,
 * usually 2, 1, 1, 1. 0, with derivative 0, at d = 0. */
FX_API fx_node *fx_loss_adaptive_power(fx_node *labels, fx_node *predictions, double near, double far,
                                       double middle, double sharpness, const fx_loss_options *options);
/* max(0, 1 - y z) of labels y = -1 or 1 and predictions z; half the derivative at y z = 1. */
FX_API fx_node *fx_loss_hinge(fx_node *labels, fx_node *predictions, const fx_loss_options *options);
/* -(y log p + (1 - y) log(1 - p)) of labels y and probabilities p. Labels may be bool or integers too, which
 * are converted. Smoothing s makes y (1 - s) + s / 2 of y. */
FX_API fx_node *fx_loss_binary_cross_entropy(fx_node *labels, fx_node *probabilities,
                                             const fx_loss_options *options);
/* fx_loss_binary_cross_entropy of the logistic function of z, as y max(-z, 0) + (1 - y) max(z, 0) +
 * log(1 + e^-|z|): without cancellation, and 0 for an infinite z on the right side. */
FX_API fx_node *fx_loss_binary_cross_entropy_logits(fx_node *labels, fx_node *logits,
                                                    const fx_loss_options *options);

/* ---- one loss per vector along the last axis: predictions [..., C], losses [...] ---- */

/* Minus the sum of y log p over the classes; labels y are distributions, as one_hot gives them. Smoothing s
 * makes y (1 - s) + s / C of y. */
FX_API fx_node *fx_loss_categorical_cross_entropy(fx_node *labels, fx_node *probabilities,
                                                  const fx_loss_options *options);
/* fx_loss_categorical_cross_entropy of softmax(z), by fx_log_softmax; a class with y = 0 adds nothing even if
 * its logit is -Inf. */
FX_API fx_node *fx_loss_categorical_cross_entropy_logits(fx_node *labels, fx_node *logits,
                                                         const fx_loss_options *options);
/* The same with the number of the true class as label: integers [...] or [..., 1]. A label outside 0 .. C - 1
 * makes its loss NaN, unless it is masked. */
FX_API fx_node *fx_loss_sparse_categorical_cross_entropy_logits(fx_node *labels, fx_node *logits,
                                                                const fx_loss_options *options);
/* Sum of y (log y - log p) over the classes, of distributions y and p. */
FX_API fx_node *fx_loss_kl_divergence(fx_node *labels, fx_node *probabilities,
                                      const fx_loss_options *options);
/* fx_loss_kl_divergence of p = softmax(z). Logarithms of probabilities are logits too. */
FX_API fx_node *fx_loss_kl_divergence_logits(fx_node *labels, fx_node *logits,
                                             const fx_loss_options *options);
/* Sum of the squares of the differences. */
FX_API fx_node *fx_loss_euclidean_distance_square(fx_node *labels, fx_node *predictions,
                                                  const fx_loss_options *options);
/* Its square root; derivative 0 at 0. */
FX_API fx_node *fx_loss_euclidean_distance(fx_node *labels, fx_node *predictions,
                                           const fx_loss_options *options);
/* 1 - fx_cosine_similarity: 0 for equal directions, 2 for opposite ones, 1 with a vector of zeros. */
FX_API fx_node *fx_loss_cosine_distance(fx_node *labels, fx_node *predictions,
                                        const fx_loss_options *options);

/* ---- losses of sets and sequences ---- */

/* Which triplets of anchor, positive (of the anchor's label) and negative (of another) count. */
typedef enum fx_triplet_mining {
    FX_TRIPLET_SEMI_HARD = 0, /* one per anchor: its farthest positive, the nearest negative beyond that, or
                                 the farthest of all where there is none */
    FX_TRIPLET_HARD = 1,      /* one per anchor: its farthest positive, its nearest negative */
    FX_TRIPLET_ALL = 2        /* every triplet */
} fx_triplet_mining;
typedef enum fx_triplet_distance {
    FX_TRIPLET_L2 = 0,
    FX_TRIPLET_L2_SQUARE = 1,
    FX_TRIPLET_COSINE = 2 /* 1 - cosine similarity */
} fx_triplet_distance;
typedef struct fx_triplet_options {
    size_t size; /* sizeof(fx_triplet_options), or 0 */
    fx_triplet_mining mining;
    fx_triplet_distance distance;
    double margin; /* losses are max(0, positive - negative + margin); 0: 1; below 0: a soft margin, log(1 +
                      e^(positive - negative)) */
} fx_triplet_options;
/* Triplet loss of embeddings [N, D] with integer labels [N] or [N, 1]. The losses are [N], by anchor, or [N,
 * N, N], by anchor, positive and negative, for FX_TRIPLET_ALL; those that are no triplets do not count. Mask
 * and weights are by anchor. F. Schroff et al., FaceNet; A. Hermans et al., In Defense of the Triplet Loss.
 * A NULL `triplets`: all defaults. */
FX_API fx_node *fx_loss_triplet(fx_node *labels, fx_node *embeddings, const fx_triplet_options *triplets,
                                const fx_loss_options *options);

typedef struct fx_ctc_options {
    size_t size;           /* sizeof(fx_ctc_options), or 0 */
    fx_node *label_counts; /* integers [N]: labels of each sequence that count; NULL: all */
    fx_node *frame_counts; /* integers [N]: frames of each sequence that count; NULL: all */
    int64_t blank;         /* the class that stands for no label; 0 */
} fx_ctc_options;
/* Connectionist temporal classification of logits [N, frames, C] with integer labels [N, L], padded with
 * anything: minus the logarithm of the sum of the probabilities of all alignments, by the forward algorithm
 * in logarithms; the losses are [N]. Infinite, with derivative 0, where there are fewer frames than the
 * labels take; NaN where a label that counts is the blank or no class, or a count is negative or too large.
 * A NULL `ctc`: all defaults. A. Graves et al. (2006). */
FX_API fx_node *fx_loss_ctc(fx_node *labels, fx_node *logits, const fx_ctc_options *ctc,
                            const fx_loss_options *options);

#ifdef __cplusplus
}
#endif

#endif
