/* SPDX-License-Identifier: Apache-2.0 */
/* Connectionist temporal classification. With a blank before, between and after the labels there are S = 2 L
 * + 1 places; alpha[s], the logarithm of the probability of having come to place s, goes from frame to frame
 * in a scan: it stays, comes from the place before, or from two places before where both are different
 * labels. Before the first frame alpha is 0 at the first place and -Inf at the others. Frames that do not
 * count leave it alone. Sums of exponentials take off the largest term, and where all terms are -Inf they
 * give -Inf as a constant, so that no derivative is NaN. What a frame says of each place is gathered once,
 * before the scan. */
#include "loss_internal.h"
#include <fluxion/control.h>
#include <fluxion/grad.h>
#include <fluxion/indexing.h>
#include <fluxion/softmax.h>
#include <math.h>

typedef struct ctc {
    fxi_loss l;
    fx_ctc_options o;
    int64_t n, frames, classes, labels, places;
    fx_node *label;               /* [N, L] int64, a class everywhere */
    fx_node *n_labels, *n_frames; /* [N] int64, within 0 .. L and 0 .. frames */
    fx_node *is_right;            /* bool [N]: labels and counts make sense */
    fx_node *may_skip;            /* bool [N, S] */
} ctc;

static fx_node *whole(const ctc *c, int64_t value) {
    return fx_scalar_int(c->l.b.graph, FX_S64, value);
}

static fx_node *iota(const ctc *c, int64_t rows, int64_t columns) {
    const fx_shape shape = {.dtype = FX_S64, .rank = 2, .dims = {rows, columns}};
    return fx_iota(c->l.b.graph, &shape, 1);
}

static fx_node *column(fx_node *x) {
    static const int last = 1;
    return fx_expand_axes(x, (fx_axes){&last, 1});
}

/* ---- the arguments ---- */

static bool check_counts(const ctc *c, const char *what, const fx_node *counts) {
    if (!counts || (fx_dtype_is_integer(counts->shape.dtype) && counts->shape.rank == 1 &&
                    counts->shape.dims[0] == c->n))
        return true;
    fxi_build_refuse(&c->l.b, FX_ERROR_SHAPE, "the %s counts are %s; they must be integers [%lld]", what,
                     fx_shape_to_text(&counts->shape).s, (long long)c->n);
    return false;
}

static bool begin_ctc(ctc *c, fx_node *labels, fx_node *logits, const fx_ctc_options *options,
                      const fx_loss_options *loss_options) {
    static const char name[] = "fx_loss_ctc";
    fxi_loss *l = &c->l;
    if (!fxi_loss_begin_rows(l, name, labels, logits, loss_options, FXI_LOSS_SEQUENCES)) return false;
    if (!fxi_build_options_exact(&l->b, &c->o, sizeof c->o, options)) return false;
    fx_node *operands[] = {labels, logits, c->o.label_counts ? c->o.label_counts : labels,
                           c->o.frame_counts ? c->o.frame_counts : labels};
    if (!fxi_build_begin(&l->b, name, operands, 4)) return false;
    const fx_shape *x = &logits->shape, *y = &labels->shape;
    if (x->rank != 3 || y->rank != 2 || x->dims[0] != y->dims[0]) {
        fxi_build_refuse(&l->b, FX_ERROR_SHAPE,
                         "labels %s do not go with logits %s: they are [N, L] and [N, frames, C]",
                         fx_shape_to_text(y).s, fx_shape_to_text(x).s);
        return false;
    }
    c->n = x->dims[0], c->frames = x->dims[1], c->classes = x->dims[2], c->labels = y->dims[1];
    c->places = 2 * c->labels + 1;
    if (c->o.blank < 0 || c->o.blank >= c->classes) {
        fxi_build_refuse(&l->b, FX_ERROR_ARGUMENT, "the blank is %lld; there are %lld classes",
                         (long long)c->o.blank, (long long)c->classes);
        return false;
    }
    return check_counts(c, "label", c->o.label_counts) && check_counts(c, "frame", c->o.frame_counts);
}

/* Counts within 0 .. most; *right: whether all were. */
static fx_node *take_counts(const ctc *c, fx_node *counts, int64_t most, fx_node **right) {
    const fx_shape shape = {.dtype = FX_S64, .rank = 1, .dims = {c->n}};
    fx_node *zero = whole(c, 0), *limit = whole(c, most);
    if (!counts) counts = fx_broadcast_to_shape(limit, &shape);
    fx_node *wide = fx_convert(counts, FX_S64);
    *right = fx_and(fx_greater_or_equal(wide, zero), fx_less_or_equal(wide, limit));
    return fx_clamp(zero, wide, limit);
}

static void take_labels(ctc *c) {
    static const int last = 1;
    fx_node *labels_right, *frames_right, *wide = fx_convert(c->l.labels, FX_S64);
    fx_node *zero = whole(c, 0), *top = whole(c, c->classes - 1);
    c->n_labels = take_counts(c, c->o.label_counts, c->labels, &labels_right);
    c->n_frames = take_counts(c, c->o.frame_counts, c->frames, &frames_right);
    fx_node *counts = fx_less(iota(c, c->n, c->labels), column(c->n_labels));
    fx_node *is_class = fx_and(fx_greater_or_equal(wide, zero), fx_less_or_equal(wide, top));
    is_class = fx_and(is_class, fx_not_equal(wide, whole(c, c->o.blank)));
    fx_node *all = fx_reduce_and(fx_or(is_class, fx_not(counts)), (fx_axes){&last, 1});
    c->is_right = fx_and(all, fx_and(labels_right, frames_right));
    c->label = fx_clamp(zero, wide, top);
}

/* ---- places ---- */

/* x [N, S] moved so many places on, with a fixed value in the first ones. */
static fx_node *moved(fx_node *x, int64_t by, fx_node *first) {
    const fx_pad_axis pads[] = {{0, 0, 0}, {by, -by, 0}};
    return fx_pad(x, first, (fx_pads){pads, 2});
}

/* The class of each place [N, S]: blanks with the labels between, and where it may be reached from two
 * before. */
static fx_node *find_places(ctc *c) {
    const fx_shape padded = {.dtype = FX_S64, .rank = 3, .dims = {c->n, c->labels, 2}};
    static const int pair = 2;
    fx_node *blank = whole(c, c->o.blank),
            *two[] = {fx_broadcast_to_dims(blank, (fx_dims){padded.dims, 2}), c->label};
    fx_node *pairs = fx_stack((fx_nodes){two, 2}, pair);
    const int64_t flat[] = {c->n, 2 * c->labels};
    const fx_pad_axis pads[] = {{0, 0, 0}, {0, 1, 0}};
    fx_node *class = fx_pad(fx_reshape(pairs, (fx_dims){flat, 2}), blank, (fx_pads){pads, 2});
    fx_node *before = moved(class, 2, blank);
    c->may_skip = fx_and(fx_not_equal(class, blank), fx_not_equal(class, before));
    return class;
}

/* What each frame says of each place: [frames, N, S]. */
static fx_node *gather(const ctc *c, fx_node *class) {
    static const int last = -1, middle = 1;
    const int64_t dims[] = {c->n, c->frames, c->places};
    fx_node *log_p = fx_log_softmax(c->l.predictions, (fx_axes){&last, 1});
    fx_node *at = fx_broadcast_to_dims(fx_expand_axes(class, (fx_axes){&middle, 1}), (fx_dims){dims, 3});
    return fx_transpose(fx_take_along_axis(log_p, at, 2), 0, 1);
}

/* ---- sums ---- */

/* log of the sum of the exponentials of n nodes of one shape. */
static fx_node *log_sum(const ctc *c, fx_node *const *x, int n) {
    fx_node *zero = fxi_loss_number(&c->l, 0), *largest = x[0], *sum = NULL;
    for (int i = 1; i < n; i++) largest = fx_max(largest, x[i]);
    largest = fx_stop_gradient(fx_select(fx_is_inf(largest), zero, largest));
    for (int i = 0; i < n; i++) {
        fx_node *term = fx_exp(fx_sub(x[i], largest));
        sum = sum ? fx_add(sum, term) : term;
    }
    fx_node *is_empty = fx_equal(sum, zero);
    fx_node *result = fx_add(fx_log(fx_select(is_empty, fxi_loss_number(&c->l, 1), sum)), largest);
    return fx_select(is_empty, fx_infinity(zero->graph, zero->shape.dtype, -1), result);
}

/* alpha [N, S], then frame [N, S] and whether it counts [N] -> alpha */
static void forward(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    const ctc *c = user;
    fx_node *alpha = in[0], *never = fx_infinity(body, alpha->shape.dtype, -1);
    fx_node *const ways[] = {alpha, moved(alpha, 1, never),
                             fx_select(c->may_skip, moved(alpha, 2, never), never)};
    out[0] = fx_select(column(in[2]), fx_add(log_sum(c, ways, 3), in[1]), alpha);
    (void)n_in, (void)n_out;
}

/* alpha at place 2 count - back, as [N]: -Inf before the first. */
static fx_node *at_end(const ctc *c, fx_node *alpha, int64_t back) {
    static const int last = 1;
    fx_node *place = fx_sub(fx_mul(c->n_labels, whole(c, 2)), whole(c, back));
    fx_node *is_end = fx_equal(iota(c, c->n, c->places), column(place));
    fx_node *never = fx_infinity(alpha->graph, alpha->shape.dtype, -1);
    return fx_reduce_max(fx_select(is_end, alpha, never), (fx_axes){&last, 1});
}

fx_node *fx_loss_ctc(fx_node *labels, fx_node *logits, const fx_ctc_options *options_of_ctc,
                     const fx_loss_options *options) {
    ctc c;
    if (!begin_ctc(&c, labels, logits, options_of_ctc, options)) return c.l.b.stop;
    take_labels(&c);
    fx_node *frames = gather(&c, find_places(&c)), *zero = fxi_loss_number(&c.l, 0);
    fx_node *counts = fx_transpose(fx_less(iota(&c, c.n, c.frames), column(c.n_frames)), 0, 1);
    fx_node *start = fx_equal(iota(&c, c.n, c.places), whole(&c, 0));
    fx_node *never = fx_infinity(c.l.b.graph, zero->shape.dtype, -1);
    start = fx_select(start, zero, never);
    fx_node *const inputs[] = {frames, counts};
    fx_node *alpha = fx_scan((fx_nodes){&start, 1}, (fx_nodes){inputs, 2}, c.frames, 0, forward, &c, NULL);
    if (!alpha || alpha->op == FX_OP_INERT) return c.l.b.stop;
    fx_node *const ends[] = {at_end(&c, alpha, 0), at_end(&c, alpha, 1)};
    fx_node *nan = fx_scalar(c.l.b.graph, zero->shape.dtype, (double)NAN);
    return fxi_loss_end(&c.l, fx_select(c.is_right, fx_neg(log_sum(&c, ends, 2)), nan), NULL);
}
