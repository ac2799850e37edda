/* SPDX-License-Identifier: Apache-2.0 */
/* Custom calls of LAPACK as JAX makes them on CPUs, lapack_<letter><routine>_ffi with the letters s, d, c, z
 * of the dtype, and of its likes on other devices: batches of matrices in the last two axes, options as
 * letters in mhlo.backend_config, and for most a last result `info`, int32 for each matrix, 0 where all went
 * well. Results that LAPACK only leaves behind in an operand's memory are that operand. What the library has
 * no algorithm for is unsupported by its name. */
#include "stablehlo/import_householder.h"
#include "stablehlo/import_schur.h"
#include <fluxion/control.h>
#include <fluxion/linalg.h>

/* ---- options ---- */

/* A letter among `letters`, as its index. */
static bool letter(fxi_hlo_import *im, const fxi_hlo_op *op, const char *name, const char *letters,
                   int *index) {
    const fxi_hlo_attr *config = fxi_hlo_attr_dict(im, op, "mhlo.backend_config");
    int64_t value;
    if (!config || !fxi_hlo_entry_int_or(im, config, name, 0, &value)) return false;
    for (*index = 0; letters[*index]; (*index)++)
        if (letters[*index] == value) return true;
    return fxi_hlo_wrong(im, op->place, "%s is none of the letters %s", name, letters);
}

/* The triangle, 0 for the lower one: the letter uplo, or on other devices a bool. */
static bool triangle(fxi_hlo_import *im, const fxi_hlo_op *op, int *uplo) {
    const fxi_hlo_attr *config = fxi_hlo_attr_dict(im, op, "mhlo.backend_config");
    if (!config) return false;
    int64_t lower = -1;
    if (!fxi_hlo_entry_int_or(im, config, "lower", -1, &lower)) return false;
    if (lower < 0) return letter(im, op, "uplo", "LU", uplo);
    *uplo = lower == 0;
    return true;
}

/* Refuses operand `i` unless it is a matrix or a batch of them, square if that is asked for. */
static bool matrix(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, size_t i, bool square) {
    const fx_shape *shape = fx_node_shape(in[i]);
    if (shape->rank >= 2 && (!square || fx_shape_dim(shape, -1) == fx_shape_dim(shape, -2))) return true;
    return fxi_hlo_wrong(im, op->place, "operand %zu of shape %s is no %smatrix", i,
                         fx_shape_to_text(shape).s, square ? "square " : "");
}

/* Operand i is of rank 1 less than that of operand 0, with its batch. */
static bool vector(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, size_t i, int matrix_rank) {
    if (fx_node_rank(in[i]) == matrix_rank - 1) return true;
    return fxi_hlo_wrong(im, op->place, "operand %zu has rank %d instead of %d", i, fx_node_rank(in[i]),
                         matrix_rank - 1);
}

/* ---- info ---- */

/* int32 [...]: the number, from 1, of the first place along the last axis where `bad` holds; 0: nowhere. */
static fx_node *first_bad(fx_node *bad) {
    fx_shape shape = *fx_node_shape(bad);
    const int last = -1;
    if (shape.rank == 0) return bad; /* the inert node */
    shape.dtype = FX_S32;
    const int64_t none = shape.dims[shape.rank - 1] + 1;
    fx_graph *graph = fx_node_graph(bad);
    fx_node *number = fx_add_scalar_int(fx_iota(graph, &shape, shape.rank - 1), 1);
    fx_node *first =
        fx_reduce_min(fx_select(bad, number, fx_scalar_int(graph, FX_S32, none)), (fx_axes){&last, 1});
    return fx_select(fx_less_scalar_int(first, none), first, fx_scalar_zero(graph, FX_S32));
}

/* 1 where a result [..., n] of real numbers has a NaN. */
static fx_node *any_nan(fx_node *x) {
    const int last = -1;
    return fx_convert(fx_logical_any(fx_is_nan(x), (fx_axes){&last, 1}), FX_S32);
}

/* ---- factors and systems ---- */

static bool rule_potrf(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    int uplo;
    if (!matrix(im, op, in, 0, true) || !triangle(im, op, &uplo)) return false;
    fx_node *factor = fx_cholesky(in[0], uplo == 0);
    /* The other triangle stays what it was. */
    fx_shape shape = *fx_node_shape(in[0]);
    shape.dtype = FX_S64;
    fx_node *row = fx_iota(im->graph, &shape, shape.rank - 2);
    fx_node *column = fx_iota(im->graph, &shape, shape.rank - 1);
    out[0] =
        fx_select(uplo == 0 ? fx_less_or_equal(column, row) : fx_less_or_equal(row, column), factor, in[0]);
    out[1] = first_bad(fx_is_nan(fx_real(fx_diagonal_of(factor, 0, -2, -1))));
    return true;
}

/* Pivots count from 1. */
static bool rule_getrf(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_node *results[3];
    if (!matrix(im, op, in, 0, false)) return false;
    fx_lu(in[0], results);
    out[0] = results[0];
    out[1] = fx_add_scalar_int(results[1], 1);
    out[2] = first_bad(fx_is_zero(fx_diagonal_of(results[0], 0, -2, -1)));
    return true;
}

static bool rule_trsm(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    int side, uplo, transpose, diagonal;
    if (!matrix(im, op, in, 0, true) || !letter(im, op, "side", "LR", &side) ||
        !letter(im, op, "uplo", "LU", &uplo) || !letter(im, op, "trans_x", "NTC", &transpose) ||
        !letter(im, op, "diag", "NU", &diagonal))
        return false;
    out[0] = fx_triangular_solve(in[0], in[1],
                                 &(fx_triangular_options){.size = sizeof(fx_triangular_options),
                                                          .right = side == 1,
                                                          .upper = uplo == 1,
                                                          .unit_diagonal = diagonal == 1,
                                                          .transpose = (fx_transpose_kind)transpose});
    return true;
}

static bool rule_geqrf(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    if (!matrix(im, op, in, 0, false)) return false;
    fxi_hlo_geqrf(in[0], out);
    return true;
}

static bool rule_geqp3(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    if (!matrix(im, op, in, 0, false)) return false;
    if (!fxi_hlo_is_all(in[1], 0))
        return fxi_hlo_unsupported(im, op->place, "geqp3 with columns that must come first");
    fxi_hlo_geqp3(in[0], out);
    return true;
}

static bool rule_orgqr(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    if (!matrix(im, op, in, 0, false) || !vector(im, op, in, 1, fx_node_rank(in[0]))) return false;
    out[0] = fxi_hlo_orgqr(in[0], in[1]);
    return true;
}

static bool rule_ormqr(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    const fxi_hlo_attr *config = fxi_hlo_attr_dict(im, op, "mhlo.backend_config");
    int64_t left, transpose;
    if (!matrix(im, op, in, 0, false) || !vector(im, op, in, 1, fx_node_rank(in[0])) ||
        !matrix(im, op, in, 2, false) || !config || !fxi_hlo_entry_int_or(im, config, "left", 1, &left) ||
        !fxi_hlo_entry_int_or(im, config, "transpose", 0, &transpose))
        return false;
    out[0] = fxi_hlo_reflect(in[0], in[1], in[2], (fxi_hlo_reflecting){left == 0, transpose != 0});
    return true;
}

/* ---- spectra ---- */

static bool rule_syevd(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_node *results[2];
    int uplo;
    if (!matrix(im, op, in, 0, true) || !triangle(im, op, &uplo)) return false;
    fx_eigh(in[0], uplo == 0, results);
    out[0] = results[1];
    out[1] = results[0];
    out[2] = any_nan(results[0]);
    return true;
}

/* Vectors that are not asked for have memory all the same. */
static bool rule_gesdd(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    fx_node *results[3];
    int mode;
    if (!matrix(im, op, in, 0, false) || !letter(im, op, "mode", "ASN", &mode)) return false;
    fx_svd(in[0], mode == 0, results);
    out[0] = in[0];
    out[1] = results[1];
    out[2] = mode == 2 ? fx_zeros(im->graph, fxi_hlo_result_shape(op, 2)) : results[0];
    out[3] = mode == 2 ? fx_zeros(im->graph, fxi_hlo_result_shape(op, 3)) : results[2];
    out[4] = any_nan(results[1]);
    return true;
}

/* No algorithm of these fails. */
static fx_node *no_info(fxi_hlo_import *im, const fxi_hlo_op *op) {
    return fx_zeros(im->graph, fxi_hlo_result_shape(op, op->n_results - 1));
}

static bool rule_gehrd(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    const fxi_hlo_attr *config = fxi_hlo_attr_dict(im, op, "mhlo.backend_config");
    int64_t low, high;
    if (!matrix(im, op, in, 0, true) || !config || !fxi_hlo_entry_int_or(im, config, "low", 1, &low) ||
        !fxi_hlo_entry_int_or(im, config, "high", fx_node_dim(in[0], -1), &high))
        return false;
    if (low != 1 || high != fx_node_dim(in[0], -1))
        return fxi_hlo_unsupported(im, op->place, "gehrd of a part of the matrix");
    fxi_hlo_gehrd(in[0], out);
    out[2] = no_info(im, op);
    return true;
}

static bool rule_sytrd(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    int uplo;
    if (!matrix(im, op, in, 0, true) || !triangle(im, op, &uplo)) return false;
    fxi_hlo_sytrd(in[0], uplo == 0, out);
    out[4] = no_info(im, op);
    return true;
}

/* ---- tridiagonal systems ---- */

static fx_node *first_axis(fx_node *x, int from) {
    return fx_moveaxis(x, from, 0);
}

/* Elimination with the larger of two rows as pivot. States: what is left of a row, its coefficients of three
 * columns [..., 1] and right side [..., m]; inputs: the next row. Stacked: the rows that are finished. */
static void eliminate(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_node *const *left = in;     /* columns i, i + 1; right side */
    fx_node *const *next = in + 3; /* columns i, i + 1, i + 2; right side */
    fx_node *keep = fx_greater_or_equal(fx_abs(left[0]), fx_abs(next[0]));
    fx_node *nothing = fx_zeros_like(left[0]);
    fx_node *pivot[4] = {fx_select(keep, left[0], next[0]), fx_select(keep, left[1], next[1]),
                         fx_select(keep, nothing, next[2]), fx_select(keep, left[2], next[3])};
    fx_node *other[4] = {fx_select(keep, next[0], left[0]), fx_select(keep, next[1], left[1]),
                         fx_select(keep, next[2], nothing), fx_select(keep, next[3], left[2])};
    fx_node *factor = fx_div(other[0], pivot[0]);
    for (int i = 1; i < 4; i++) out[i - 1] = fx_sub(other[i], fx_mul(factor, pivot[i]));
    for (int i = 0; i < 4; i++) out[3 + i] = pivot[i];
}

/* From the last row upwards. States: x of the two rows below; inputs: a finished row. */
static void substitute(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_node *known = fx_add(fx_mul(in[3], in[0]), fx_mul(in[4], in[1]));
    fx_node *x = fx_div(fx_sub(in[5], known), in[2]);
    out[0] = x, out[1] = in[0], out[2] = x;
}

/* Row i of lower has the coefficient before the diagonal's, of which row 0 has none; the last of upper counts
 * neither. All with the row as their first axis. */
static fx_node *solve_tridiagonal(fx_node *lower, fx_node *diagonal, fx_node *upper, fx_node *b) {
    int64_t n = fx_node_dim(diagonal, 0);
    fx_node *const rows[] = {lower, diagonal, upper, b};
    fx_node *inputs[4], *states[3], *done[7];
    const int front = 0;
    upper = fx_concatenate((fx_nodes){(fx_node *const[]){fx_slice_axis(upper, 0, 0, n - 1, 1),
                                                         fx_zeros_like(fx_slice_axis(upper, 0, 0, 1, 1))},
                                      2},
                           0);
    for (int i = 0; i < 4; i++) inputs[i] = fx_slice_axis(i == 2 ? upper : rows[i], 0, 1, n, 1);
    fx_node *const first[] = {diagonal, upper, b};
    for (int i = 0; i < 3; i++)
        states[i] = fx_squeeze(fx_slice_axis(first[i], 0, 0, 1, 1), (fx_axes){&front, 1});
    fx_scan((fx_nodes){states, 3}, (fx_nodes){inputs, 4}, n - 1, 4, eliminate, NULL, done);
    fx_node *zeros = fx_zeros_like(done[0]);
    fx_node *const last[] = {done[0], done[1], zeros, done[2]};
    fx_node *finished[4], *x[3];
    for (int i = 0; i < 4; i++)
        finished[i] = fx_concatenate(
            (fx_nodes){(fx_node *const[]){done[3 + i], fx_insert_axes(last[i], (fx_axes){&front, 1})}, 2}, 0);
    fx_node *below[] = {fx_zeros_like(done[2]), fx_zeros_like(done[2])};
    fx_scan_reverse((fx_nodes){below, 2}, (fx_nodes){finished, 4}, n, 1, substitute, NULL, x);
    return x[2];
}

static bool rule_gtsv(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    int rank = fx_node_rank(in[3]);
    if (!matrix(im, op, in, 3, false)) return false;
    for (size_t i = 0; i < 3; i++)
        if (!vector(im, op, in, i, rank)) return false;
    for (size_t i = 0; i < 4; i++) out[i] = in[i];
    out[4] = no_info(im, op);
    if (fx_node_dim(in[1], -1) == 0) return true;
    fx_node *rows[4];
    const int last = -1;
    for (int i = 0; i < 3; i++) rows[i] = first_axis(fx_insert_axes(in[i], (fx_axes){&last, 1}), rank - 2);
    rows[3] = first_axis(in[3], rank - 2);
    fx_node *x = solve_tridiagonal(rows[0], rows[1], rows[2], rows[3]);
    out[3] = fx_moveaxis(x, 0, rank - 2);
    return true;
}

/* ---- matrices that need not be Hermitian ---- */

static fx_node *as_complex(fx_node *x) {
    fx_dtype dtype = fx_node_dtype(x);
    return fxi_hlo_as(x, dtype == FX_F32 ? FX_C64 : dtype == FX_F64 ? FX_C128 : dtype);
}

/* Values t [..., n, n] has on its diagonal; those of real matrices are real where rounding alone made them
 * complex. */
static void real_values(fx_node *t, fx_node *w[2]) {
    fx_node *values = fx_diagonal_of(t, 0, -2, -1);
    const int last = -1;
    w[0] = fx_real(values);
    fx_node *im = fx_imag(values), *size = fx_abs(values);
    double n = (double)fx_node_dim(t, -1), epsilon = fx_node_dtype(size) == FX_F32 ? 0x1p-23 : 0x1p-52;
    fx_node *most = fx_reduce_and_keep(size, fx_reduce_max, (fx_axes){&last, 1});
    fx_node *noise = fx_less_or_equal(fx_abs(im), fx_mul_scalar(most, n * epsilon));
    w[1] = fx_select(noise, fx_scalar_zero(fx_node_graph(t), fx_node_dtype(im)), im);
}

/* Eigenvalues, real and imaginary parts of real matrices as two results; left and right vectors; info. */
static bool rule_geev(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    int wants[2];
    bool is_real = fx_dtype_is_float(fx_node_dtype(in[0]));
    size_t next = is_real ? 2 : 1;
    if (!matrix(im, op, in, 0, true) || !letter(im, op, "compute_left", "NV", &wants[0]) ||
        !letter(im, op, "compute_right", "NV", &wants[1]))
        return false;
    if (op->n_results != next + 3)
        return fxi_hlo_wrong(im, op->place, "%zu results instead of %zu", op->n_results, next + 3);
    fx_node *schur[3];
    fxi_hlo_schur(as_complex(in[0]), schur);
    if (is_real)
        real_values(schur[0], out);
    else
        out[0] = fx_diagonal_of(schur[0], 0, -2, -1);
    for (size_t i = 0; i < 2; i++)
        out[next + i] = wants[i] ? fxi_hlo_eigenvectors(schur[0], schur[1], i == 0)
                                 : fx_zeros(im->graph, fxi_hlo_result_shape(op, next + i));
    out[next + 2] = schur[2];
    return true;
}

/* The form, its unitary matrix, the eigenvalues, 0 as none was selected, info. */
static bool rule_gees(fxi_hlo_import *im, const fxi_hlo_op *op, fx_node *const *in, fx_node **out) {
    int mode, sort;
    if (!matrix(im, op, in, 0, true) || !letter(im, op, "mode", "NV", &mode) ||
        !letter(im, op, "sort", "NS", &sort))
        return false;
    if (!fx_dtype_is_complex(fx_node_dtype(in[0])))
        return fxi_hlo_unsupported(im, op->place, "gees of real matrices, whose form has blocks");
    if (sort) return fxi_hlo_unsupported(im, op->place, "gees with an order of the eigenvalues");
    if (op->n_results != 5) return fxi_hlo_wrong(im, op->place, "%zu results instead of 5", op->n_results);
    fx_node *schur[3];
    fxi_hlo_schur(in[0], schur);
    out[0] = schur[0];
    out[1] = schur[1];
    out[2] = fx_diagonal_of(schur[0], 0, -2, -1);
    out[3] = fx_zeros(im->graph, fxi_hlo_result_shape(op, 3));
    out[4] = schur[2];
    return true;
}

#define GENERAL(p)                                                                                           \
    {"lapack_" p "gees_ffi", 1, FXI_HLO_ANY, 0, rule_gees},                                                  \
        {"lapack_" p "geev_ffi", 1, FXI_HLO_ANY, 0, rule_geev},                                              \
        {"lapack_" p "gehrd_ffi", 1, 3, 0, rule_gehrd}, {"lapack_" p "geqp3_ffi", 2, 3, 0, rule_geqp3},      \
        {"lapack_" p "geqrf_ffi", 1, 2, 0, rule_geqrf}, {"lapack_" p "gesdd_ffi", 1, 5, 0, rule_gesdd},      \
        {"lapack_" p "gesvd_ffi", 1, 5, 0, rule_gesdd}, {"lapack_" p "getrf_ffi", 1, 3, 0, rule_getrf}, {    \
        "lapack_" p "gtsv_ffi", 4, 5, 0, rule_gtsv                                                           \
    }
#define COMPLEX(p)                                                                                           \
    GENERAL(p), {"lapack_" p "heevd_ffi", 1, 3, 0, rule_syevd},                                              \
        {"lapack_" p "hetrd_ffi", 1, 5, 0, rule_sytrd}, {"lapack_" p "potrf_ffi", 1, 2, 0, rule_potrf},      \
        {"lapack_" p "trsm_ffi", 2, 1, 0, rule_trsm}, {"lapack_" p "ungqr_ffi", 2, 1, 0, rule_orgqr}, {      \
        "lapack_" p "unmqr_ffi", 3, 1, 0, rule_ormqr                                                         \
    }
#define REAL(p)                                                                                              \
    GENERAL(p), {"lapack_" p "orgqr_ffi", 2, 1, 0, rule_orgqr},                                              \
        {"lapack_" p "ormqr_ffi", 3, 1, 0, rule_ormqr}, {"lapack_" p "potrf_ffi", 1, 2, 0, rule_potrf},      \
        {"lapack_" p "syevd_ffi", 1, 3, 0, rule_syevd}, {"lapack_" p "sytrd_ffi", 1, 5, 0, rule_sytrd}, {    \
        "lapack_" p "trsm_ffi", 2, 1, 0, rule_trsm                                                           \
    }
/* On other devices one name serves all dtypes. */
#define SOLVER(p)                                                                                            \
    {p "solver_geqrf_ffi", 1, 2, 0, rule_geqrf}, {p "solver_getrf_ffi", 1, 3, 0, rule_getrf},                \
        {p "solver_orgqr_ffi", 2, 1, 0, rule_orgqr}, {p "solver_ormqr_ffi", 3, 1, 0, rule_ormqr},            \
        {p "solver_potrf_ffi", 1, 2, 0, rule_potrf}, {p "solver_syevd_ffi", 1, 3, 0, rule_syevd}, {          \
        p "solver_sytrd_ffi", 1, 5, 0, rule_sytrd                                                            \
    }
static const fxi_hlo_row rows[] = {SOLVER("cu"), SOLVER("hip"), COMPLEX("c"),
                                   REAL("d"),    REAL("s"),     COMPLEX("z")};
const fxi_hlo_table fxi_hlo_lapack = FXI_HLO_TABLE(rows);
