/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms, the two matrix operations that StableHLO has, and batch normalisation by its formulas.
 * Half types are computed in float32. */
#include "stablehlo/import_rules.h"
#include <fluxion/fft.h>
#include <fluxion/linalg.h>

static bool rule_fft(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    static const char *const types[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
    static fx_node *(*const of[])(fx_node *, fx_dims) = {fx_fft, fx_ifft, fx_rfft, fx_irfft};
    int type, rank = fx_node_rank(in[0]);
    fx_dims lengths;
    if (!fxi_hlo_attr_word(im, op, "fft_type", types, 4, -1, &type) ||
        !fxi_hlo_attr_ints(im, op, "fft_length", &lengths) ||
        !fxi_hlo_check_least(im, op, "lengths", lengths, 0))
        return false;
    if (lengths.n == 0 || lengths.n > (size_t)rank)
        return fxi_hlo_wrong(im, op->place, "%zu lengths for %d axes", lengths.n, rank);
    for (size_t i = 0; i < lengths.n; i++) {
        bool is_half = type == 3 && i + 1 == lengths.n;
        int64_t wanted = is_half ? lengths.v[i] / 2 + (lengths.v[i] > 0) : lengths.v[i];
        int axis = rank - (int)lengths.n + (int)i;
        if (fx_node_dim(in[0], axis) != wanted)
            return fxi_hlo_wrong(im, op->place, "axis %d has %lld elements, the length asks for %lld", axis,
                                 (long long)fx_node_dim(in[0], axis), (long long)wanted);
    }
    out[0] = of[type](in[0], lengths);
    return true;
}

static fx_node *widened(fx_node *x) {
    return fx_dtype_is_half(fx_node_dtype(x)) ? fx_convert(x, FX_F32) : x;
}

static bool rule_cholesky(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    bool lower;
    if (!fxi_hlo_attr_bool_or(im, op, "lower", false, &lower)) return false;
    out[0] = fxi_hlo_as(fx_cholesky(widened(in[0]), lower), fx_node_dtype(in[0]));
    return true;
}

static bool rule_triangular_solve(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                  fx_node **out) {
    static const char *const transposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
    bool left, lower, unit;
    int transpose;
    if (!fxi_hlo_attr_bool_or(im, op, "left_side", true, &left) ||
        !fxi_hlo_attr_bool_or(im, op, "lower", true, &lower) ||
        !fxi_hlo_attr_bool_or(im, op, "unit_diagonal", false, &unit) ||
        !fxi_hlo_attr_word(im, op, "transpose_a", transposes, 3, 0, &transpose))
        return false;
    const fx_triangular_options options = {.size = sizeof options,
                                           .right = !left,
                                           .upper = !lower,
                                           .unit_diagonal = unit,
                                           .transpose = (fx_transpose_kind)transpose};
    out[0] = fxi_hlo_as(fx_triangular_solve(widened(in[0]), widened(in[1]), &options), fx_node_dtype(in[1]));
    return true;
}

/* ---- batch normalisation: everything per feature ---- */

typedef struct normalisation {
    int feature, others[FX_MAX_RANK];
    size_t n_others;
    double epsilon, count; /* of elements that a feature has */
    fx_shape shape;
} normalisation;

static bool read_normalisation(fxi_hlo_import *im, const fxi_hlo_op *op, const fx_node *x, normalisation *n) {
    *n = (normalisation){.shape = *fx_node_shape(x), .count = 1};
    if (!fxi_hlo_attr_axis(im, op, "feature_index", n->shape.rank, &n->feature) ||
        !fxi_hlo_attr_float_or(im, op, "epsilon", 0, &n->epsilon))
        return false;
    for (int i = 0; i < n->shape.rank; i++)
        if (i != n->feature) {
            n->others[n->n_others++] = i;
            n->count *= (double)n->shape.dims[i];
        }
    return true;
}

/* A value per feature, repeated over the others. */
static fx_node *spread(const normalisation *n, fx_node *value) {
    return fx_broadcast_in_dim(value, (fx_dims){n->shape.dims, (size_t)n->shape.rank},
                               (fx_axes){&n->feature, 1});
}

/* No other axes: a reduction over none, where builders mean all. */
static fx_node *sum(const normalisation *n, fx_node *x) {
    return n->n_others ? fx_reduce_sum(x, (fx_axes){n->others, n->n_others}) : x;
}

static fx_node *mean(const normalisation *n, fx_node *x) {
    return fx_div_scalar(sum(n, x), n->count);
}

static fx_node *deviation(const normalisation *n, fx_node *variance) {
    return fx_sqrt(fx_add_scalar(variance, n->epsilon));
}

static fx_node *normalise(const normalisation *n, fx_node *x, fx_node *scale, fx_node *offset,
                          fx_node *average, fx_node *variance) {
    fx_node *centered = fx_sub(x, spread(n, average));
    fx_node *unit = fx_div(centered, spread(n, deviation(n, variance)));
    return fx_add(fx_mul(unit, spread(n, scale)), spread(n, offset));
}

/* The operands in the dtype of the computation. */
static void widen_all(fx_node *const *in, size_t count, fx_node **wide) {
    for (size_t i = 0; i < count; i++) wide[i] = widened(in[i]);
}

static bool rule_batch_norm_inference(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                      fx_node **out) {
    normalisation n;
    fx_node *w[5];
    if (!read_normalisation(im, op, in[0], &n)) return false;
    widen_all(in, 5, w);
    out[0] = fxi_hlo_as(normalise(&n, w[0], w[1], w[2], w[3], w[4]), fx_node_dtype(in[0]));
    return true;
}

static bool rule_batch_norm_training(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                     fx_node **out) {
    normalisation n;
    fx_node *w[3];
    if (!read_normalisation(im, op, in[0], &n)) return false;
    widen_all(in, 3, w);
    fx_node *average = mean(&n, w[0]);
    fx_node *variance = mean(&n, fx_square(fx_sub(w[0], spread(&n, average))));
    out[0] = fxi_hlo_as(normalise(&n, w[0], w[1], w[2], average, variance), fx_node_dtype(in[0]));
    out[1] = fxi_hlo_as(average, fx_node_dtype(in[1]));
    out[2] = fxi_hlo_as(variance, fx_node_dtype(in[1]));
    return true;
}

/* Operands x, scale, mean, variance, adjoint g. With c = x - mean, s = scale / deviation and sums over a
 * feature's N elements: x's adjoint is s (g - sum g / N - c sum(g c) / (N (variance + epsilon))). */
static bool rule_batch_norm_grad(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in,
                                 fx_node **out) {
    normalisation n;
    fx_node *w[5];
    if (!read_normalisation(im, op, in[0], &n)) return false;
    widen_all(in, 5, w);
    fx_node *centered = fx_sub(w[0], spread(&n, w[2])), *dev = deviation(&n, w[3]);
    fx_node *total = sum(&n, w[4]), *along = sum(&n, fx_mul(w[4], centered));
    fx_node *slope = fx_div_scalar(fx_div(along, fx_add_scalar(w[3], n.epsilon)), n.count);
    fx_node *rest = fx_sub(w[4], spread(&n, fx_div_scalar(total, n.count)));
    rest = fx_sub(rest, fx_mul(centered, spread(&n, slope)));
    out[0] = fxi_hlo_as(fx_mul(rest, spread(&n, fx_div(w[1], dev))), fx_node_dtype(in[0]));
    out[1] = fxi_hlo_as(fx_div(along, dev), fx_node_dtype(in[1]));
    out[2] = fxi_hlo_as(total, fx_node_dtype(in[1]));
    return true;
}

static const fxi_hlo_row rows[] = {
    {"stablehlo.batch_norm_grad", 5, 3, 0, rule_batch_norm_grad},
    {"stablehlo.batch_norm_inference", 5, 1, 0, rule_batch_norm_inference},
    {"stablehlo.batch_norm_training", 3, 3, 0, rule_batch_norm_training},
    {"stablehlo.cholesky", 1, 1, 0, rule_cholesky},
    {"stablehlo.fft", 1, 1, 0, rule_fft},
    {"stablehlo.triangular_solve", 2, 1, 0, rule_triangular_solve},
};
const fxi_hlo_table fxi_hlo_special = FXI_HLO_TABLE(rows);
