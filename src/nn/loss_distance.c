/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of vectors: distances between labels and predictions, and the triplet loss. The distances of all
 * pairs are sums of squared differences and not |a|^2 + |b|^2 - 2 a b, which loses the digits of near pairs;
 * the [N, N, D] differences are fused into their sum and never lie in memory. */
#include "loss_internal.h"
#include <fluxion/masked.h>
#include <fluxion/statistics.h>
#include <math.h>

/* ---- between labels and predictions ---- */

static fx_node *distance(const char *name, fx_node *labels, fx_node *predictions,
                         const fx_loss_options *options, bool take_root) {
    fxi_loss l;
    if (!fxi_loss_begin_rows(&l, name, labels, predictions, options, FXI_LOSS_LIKE)) return l.b.stop;
    fx_node *square = fxi_loss_row_sum(fx_square(fx_sub(l.predictions, l.labels)));
    return fxi_loss_end(&l, take_root ? fxi_loss_root(&l, square) : square, NULL);
}

fx_node *fx_loss_euclidean_distance_square(fx_node *labels, fx_node *predictions,
                                           const fx_loss_options *options) {
    return distance("fx_loss_euclidean_distance_square", labels, predictions, options, false);
}
fx_node *fx_loss_euclidean_distance(fx_node *labels, fx_node *predictions, const fx_loss_options *options) {
    return distance("fx_loss_euclidean_distance", labels, predictions, options, true);
}

fx_node *fx_loss_cosine_distance(fx_node *labels, fx_node *predictions, const fx_loss_options *options) {
    static const int last = -1;
    fxi_loss l;
    if (!fxi_loss_begin_rows(&l, "fx_loss_cosine_distance", labels, predictions, options, FXI_LOSS_LIKE))
        return l.b.stop;
    fx_node *cosine = fx_squeeze(fx_cosine_similarity(l.predictions, l.labels, -1), (fx_axes){&last, 1});
    return fxi_loss_end(&l, fx_sub(fxi_loss_number(&l, 1), cosine), NULL);
}

/* ---- triplets ---- */

typedef struct triplets {
    fxi_loss l;
    fx_triplet_options o;
    fx_node *distance;            /* [N, N] */
    fx_node *positive, *negative; /* bool [N, N]: pairs of one label but two examples; of two labels */
} triplets;

static fx_node *over_last(fx_node *x, fx_node *mask, fx_masked_reducer reducer) {
    static const int last = 1;
    return fx_masked_reduce_and_keep(x, mask, reducer, (fx_axes){&last, 1});
}

/* x [N, ...] at two places, [N, 1, ...] and [1, N, ...]. */
static void make_pair(fx_node *x, fx_node **rows, fx_node **columns) {
    static const int first = 0, second = 1;
    *rows = fx_expand_axes(x, (fx_axes){&second, 1});
    *columns = fx_expand_axes(x, (fx_axes){&first, 1});
}

static void find_pairs(triplets *t) {
    fx_node *a, *b, *x = t->l.predictions;
    static const int last = -1;
    fx_shape square = {.dtype = FX_S32, .rank = 2, .dims = {x->shape.dims[0], x->shape.dims[0]}};
    fx_node *is_other = fx_not_equal(fx_iota(t->l.b.graph, &square, 0), fx_iota(t->l.b.graph, &square, 1));
    make_pair(t->l.labels, &a, &b);
    fx_node *same = fx_equal(a, b);
    t->negative = fx_not(same);
    t->positive = fx_and(same, is_other);
    if (t->o.distance == FX_TRIPLET_COSINE) x = fx_l2_normalize(x, (fx_axes){&last, 1});
    make_pair(x, &a, &b);
    if (t->o.distance == FX_TRIPLET_COSINE) {
        t->distance = fx_sub(fxi_loss_number(&t->l, 1), fxi_loss_row_sum(fx_mul(a, b)));
        return;
    }
    fx_node *sum = fxi_loss_row_sum(fx_square(fx_sub(a, b)));
    t->distance = t->o.distance == FX_TRIPLET_L2 ? fxi_loss_root(&t->l, sum) : sum;
}

static fx_node *of_gap(const triplets *t, fx_node *gap) {
    if (t->o.margin < 0) return fx_softplus(gap);
    fx_node *margin = fxi_loss_number(&t->l, t->o.margin == 0 ? 1 : t->o.margin);
    return fx_max(fx_add(gap, margin), fxi_loss_number(&t->l, 0));
}

/* Losses [N, N, N] and which of them are triplets. */
static fx_node *all_triplets(const triplets *t, fx_node **counts) {
    static const int middle = 1, last = 2;
    fx_node *far = fx_expand_axes(t->distance, (fx_axes){&last, 1});
    fx_node *near = fx_expand_axes(t->distance, (fx_axes){&middle, 1});
    *counts = fx_and(fx_expand_axes(t->positive, (fx_axes){&last, 1}),
                     fx_expand_axes(t->negative, (fx_axes){&middle, 1}));
    return of_gap(t, fx_sub(far, near));
}

/* Losses [N], one per anchor. */
static fx_node *hard_triplets(const triplets *t, fx_node **counts) {
    static const int last = 1;
    const fx_axes axis = {&last, 1};
    fx_node *far = over_last(t->distance, t->positive, fx_masked_reduce_max), *among = t->distance;
    if (t->o.mining == FX_TRIPLET_SEMI_HARD) {
        fx_node *most = over_last(t->distance, t->negative, fx_masked_reduce_max);
        among = fx_select(fx_greater(t->distance, far), t->distance, most);
    }
    fx_node *near = over_last(among, t->negative, fx_masked_reduce_min);
    *counts = fx_and(fx_logical_any(t->positive, axis), fx_logical_any(t->negative, axis));
    fx_node *gap = fx_squeeze(fx_sub(far, near), axis); /* infinite, or NaN, where it does not count */
    return of_gap(t, fx_select(*counts, gap, fxi_loss_number(&t->l, 0)));
}

static bool check_triplets(triplets *t, const fx_triplet_options *options) {
    const fxi_build *b = &t->l.b;
    if (!fxi_build_options_exact(b, &t->o, sizeof t->o, options)) return false;
    if ((unsigned)t->o.mining > FX_TRIPLET_ALL)
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "there is no mining %d", (int)t->o.mining);
    else if ((unsigned)t->o.distance > FX_TRIPLET_COSINE)
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "there is no distance %d", (int)t->o.distance);
    else if (!isfinite(t->o.margin))
        fxi_build_refuse(b, FX_ERROR_ARGUMENT, "the margin is %g; it must be finite", t->o.margin);
    else if (t->l.predictions->shape.rank != 2)
        fxi_build_refuse(b, FX_ERROR_SHAPE, "the embeddings %s must have rank 2",
                         fx_shape_to_text(&t->l.predictions->shape).s);
    else
        return true;
    return false;
}

fx_node *fx_loss_triplet(fx_node *labels, fx_node *embeddings, const fx_triplet_options *options_of_triplets,
                         const fx_loss_options *options) {
    triplets t;
    fx_node *counts;
    if (!fxi_loss_begin_rows(&t.l, "fx_loss_triplet", labels, embeddings, options, FXI_LOSS_CLASSES) ||
        !check_triplets(&t, options_of_triplets))
        return t.l.b.stop;
    find_pairs(&t);
    fx_node *losses = t.o.mining == FX_TRIPLET_ALL ? all_triplets(&t, &counts) : hard_triplets(&t, &counts);
    return fxi_loss_end(&t.l, losses, counts);
}
