/* SPDX-License-Identifier: Apache-2.0 */
/* Factorisations of one dense row-major matrix, in float32, float64, complex64 and complex128: the one
 * meaning of the operations of linear algebra, which interpreter and cpu backend run over batches.
 * linalg_<dtype>.c compile the algorithms of linalg_*.inc for one dtype each.
 *
 * Every function gives false when memory runs out. Work inside a large matrix is cut into fixed tasks for
 * the pool (NULL: the caller alone), so results never depend on the number of threads. */
#ifndef FXI_LINALG_H
#define FXI_LINALG_H

#include "base/pool.h"
#include "graph/graph.h"

typedef struct fxi_triangular {
    bool left;  /* op(a) x = b, else x op(a) = b */
    bool lower; /* the triangle of a that is read */
    bool unit;  /* its diagonal counts as ones and is not read */
    fxi_transpose transpose;
} fxi_triangular;

typedef struct fxi_linalg {
    /* a = l l^H or u^H u, reading one triangle; the other one of the result is 0. NaN when a is not
     * positive definite. */
    bool (*cholesky)(fxi_pool *pool, int64_t n, bool lower, const void *a, void *out);
    /* a [n, n]; b and out [n, m] on the left, [m, n] on the right. */
    bool (*triangular_solve)(fxi_pool *pool, fxi_triangular how, int64_t n, int64_t m, const void *a,
                             const void *b, void *out);
    /* a [m, n] = p^T l u, by rows of the largest |re| + |im|. pivots [min]: row i was swapped with row
     * pivots[i]; permutation [m]: row i of the product is row permutation[i] of a. */
    bool (*lu)(fxi_pool *pool, int64_t m, int64_t n, const void *a, void *lu, int32_t *pivots,
               int32_t *permutation);
    /* a [m, n] = q r by Householder reflections; q [m, k], r [k, n], k = full ? m : min(m, n). */
    bool (*qr)(fxi_pool *pool, int64_t m, int64_t n, bool full, const void *a, void *q, void *r);
    /* a v = v diag(w) of a Hermitian a, of which one triangle is read; w ascending. */
    bool (*eigh)(fxi_pool *pool, int64_t n, bool lower, const void *a, void *w, void *v);
    /* a [m, n] = u diag(s) vh, s descending; full: u [m, m] and vh [n, n], else [m, min] and [min, n]. */
    bool (*svd)(fxi_pool *pool, int64_t m, int64_t n, bool full, const void *a, void *u, void *s, void *vh);
} fxi_linalg;

extern const fxi_linalg fxi_linalg_f32, fxi_linalg_f64, fxi_linalg_c64, fxi_linalg_c128;
/* NULL for other dtypes. */
const fxi_linalg *fxi_linalg_of(fx_dtype dtype);

/* Runs a node of linear algebra over its batch; results are its result, or its results in order. */
bool fxi_linalg_run(const fx_node *node, fxi_pool *pool, const void *const *operands, void *const *results);

#endif
