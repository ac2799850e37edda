/* SPDX-License-Identifier: Apache-2.0 */
/* Factorisations of matrices larger than the blocks they are cut into: products that must give back the operand within the
 * bounds of linalg.h, and the same bits from both backends and any number of threads, for one large matrix and a batch. */
#include "exec/both.h"
#include "support/guarded.h"
#include "tensor/tensor.h"
#include <fluxion/indexing.h>
#include <fluxion/linalg.h>
#include <math.h>

enum { MOST = 3 };

static fx_node *adjoint(fx_node *x) { return fx_conj(fx_transpose(x, -1, -2)); }

static fx_node *column_scaled(fx_node *x, fx_node *values) {
    return fx_mul(x, fx_expand_axes(fx_convert(values, fx_node_dtype(x)), FX_AXES(-2)));
}

static fx_node *identity(fx_node *a) {
    fx_node *eye = fx_convert(fx_diagonal(fx_node_graph(a), fx_node_dim(a, -1)), fx_node_dtype(a));
    return fx_broadcast_to_shape(fx_expand_left_to_rank(eye, fx_node_rank(a)), fx_node_shape(a));
}

/* Each gives what must be small, in units of eps |a|: out[0]; the other results are compared between runs. */
typedef void (*builder)(fx_node *a, fx_node **out);

static void cholesky(fx_node *a, fx_node **out) {
    fx_node *definite = fx_matmul(a, adjoint(a));
    out[1] = fx_cholesky(definite, true);
    out[2] = fx_cholesky(definite, false);
    out[0] = fx_add(fx_sub(fx_matmul(out[1], adjoint(out[1])), definite), fx_sub(fx_matmul(adjoint(out[2]), out[2]), definite));
}

static void triangular(fx_node *a, fx_node **out) {
    int64_t n = fx_node_dim(a, -1);
    fx_node *heavy = fx_add(fx_div_scalar(a, (double)n), identity(a));
    const fx_triangular_options right = {.right = true, .upper = true, .transpose = FX_ADJOINT};
    out[1] = fx_triangular_solve(heavy, a, NULL);
    out[2] = fx_triangular_solve(heavy, a, &right);
    out[0] = fx_add(fx_sub(fx_matmul(fx_tril(heavy, 0), out[1]), a), fx_sub(fx_matmul(out[2], adjoint(fx_triu(heavy, 0))), a));
}

static void lu(fx_node *a, fx_node **out) {
    fx_node *f[3];
    fx_lu(a, f);
    fx_node *rows = fx_broadcast_to_dims(fx_expand_axes(f[2], FX_AXES(-1)),
                                         (fx_dims){fx_node_shape(a)->dims, (size_t)fx_node_rank(a)});
    fx_node *l = fx_add(fx_tril(f[0], -1), identity(a));
    out[0] = fx_sub(fx_matmul(l, fx_triu(f[0], 0)), fx_take_along_axis(a, rows, -2));
    out[1] = f[0];
    out[2] = f[1];
}

static void qr(fx_node *a, fx_node **out) {
    fx_node *f[2];
    fx_qr(a, true, f);
    out[0] = fx_sub(fx_matmul(f[0], f[1]), a);
    out[1] = f[0];
    out[2] = f[1];
}

static void eigh(fx_node *a, fx_node **out) {
    fx_node *f[2], *hermitian = fx_add(a, adjoint(a));
    fx_eigh(hermitian, false, f);
    out[0] = fx_sub(fx_matmul(column_scaled(f[1], f[0]), adjoint(f[1])), hermitian);
    out[1] = f[0];
    out[2] = f[1];
}

static void svd(fx_node *a, fx_node **out) {
    fx_node *f[3];
    fx_svd(a, false, f);
    out[0] = fx_sub(fx_matmul(column_scaled(f[0], f[1]), f[2]), a);
    out[1] = f[1];
    out[2] = f[0];
}

/* Matrices of rank 2 and graded size, whose small values are rounding. */
static fx_node *of_small_rank(fx_node *a) {
    fx_node *columns = fx_slice_axis(a, -1, 0, 2, 1);
    fx_node *graded = fx_mul(columns, fx_convert(fx_exp(fx_mul_scalar(fx_iota(fx_node_graph(a), fx_node_shape(columns), -1), -9)),
                                                 fx_node_dtype(a)));
    return fx_matmul(graded, adjoint(columns));
}

static void eigh_deficient(fx_node *a, fx_node **out) {
    eigh(of_small_rank(a), out);
}

static void svd_deficient(fx_node *a, fx_node **out) {
    svd(of_small_rank(a), out);
}

static const struct row {
    const char *name;
    builder build;
    int64_t n, small; /* size of the large matrix, and of those of the batch */
} rows[] = {{"cholesky", cholesky, 150, 35}, {"triangular", triangular, 140, 33}, {"lu", lu, 150, 40},
            {"qr", qr, 100, 34},             {"eigh", eigh, 80, 33},              {"svd", svd, 50, 12},
            {"eigh, small rank", eigh_deficient, 100, 20}, {"svd, small rank", svd_deficient, 40, 12}};

static void build_row(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out;
    ((const struct row *)user)->build(in[0], out);
}

static fx_tensor *noise(const fx_shape *shape) {
    fx_tensor *x = fx_tensor_new(shape, FX_MUST);
    uint64_t seed = 5;
    for (int64_t i = 0; i < fx_tensor_size(x); i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        double re = (double)(seed >> 40) / (1 << 23) - 1, im = (double)(seed >> 16 & 0xffffff) / (1 << 23) - 1;
        fxi_element_store(shape->dtype, x->data, i, (fxi_scalar){.re = re, .im = im});
    }
    return x;
}

static void run_row(const char *config, const struct row *row, fx_tensor *x, fx_tensor **out) {
    fx_backend *backend = fx_backend_open(config, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, build_row, 1, MOST, (void *)(uintptr_t)row, FX_MUST);
    fx_call(exec, out, MOST, FX_MUST, x);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* |a| is about sqrt(n); products of it, as for Cholesky, about n. */
static void check_small(const struct row *row, const fx_tensor *difference, int64_t n) {
    fx_dtype dtype = difference->shape.dtype;
    double eps = fx_dtype_real(dtype) == FX_F32 ? 0x1p-23 : 0x1p-52, bound = 2 * eps * (double)n * (double)n;
    for (int64_t i = 0; i < fx_tensor_size(difference); i++) {
        fxi_scalar v = fxi_element_load(dtype, difference->data, i);
        if (!(hypot(v.re, v.im) <= bound)) fail_msg("%s: off by %g of %g", row->name, hypot(v.re, v.im), bound);
    }
}

static void check_row(const struct row *row, fx_shape shape) {
    static const char *const ways[] = {"interp",
#if FLUXION_CPU
                                       "cpu?threads=1", "cpu?threads=2", "cpu?threads=3"
#endif
    };
    fx_tensor *x = noise(&shape), *first[MOST];
    for (size_t w = 0; w < COUNT_OF(ways); w++) {
        fx_tensor *out[MOST];
        run_row(ways[w], row, x, out);
        check_small(row, out[0], shape.dims[shape.rank - 1]);
        bool reads_product = row->build == cholesky || row->build == triangular || row->build == eigh_deficient ||
                             row->build == svd_deficient; /* which interp rounds otherwise */
        for (int i = 0; w > 0 && i < MOST; i++)
            if (i > 0 && !(w == 1 && reads_product) && !fx_tensor_equal(first[i], out[i]))
                fail_msg("%s of %s: result %d on %s", row->name, fx_shape_to_text(&shape).s, i, ways[w]);
        for (int i = 0; i < MOST; i++) {
            if (w > 0) fx_tensor_free(first[i]);
            first[i] = out[i];
        }
    }
    for (int i = 0; i < MOST; i++) fx_tensor_free(first[i]);
    fx_tensor_free(x);
}

static void large(void **state) {
    (void)state;
    static const fx_dtype dtypes[] = {FX_F32, FX_F64, FX_C64, FX_C128};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t d = 0; d < COUNT_OF(dtypes); d++) check_row(&rows[i], FX_SHAPE(dtypes[d], rows[i].n, rows[i].n));
}

static void batches(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check_row(&rows[i], FX_SHAPE(FX_F32, 7, rows[i].small, rows[i].small));
        check_row(&rows[i], FX_SHAPE(FX_C128, 2, 2, rows[i].small, rows[i].small));
    }
}

#if FLUXION_CPU
/* Operands and results between inaccessible pages: results are compared nowhere, but nothing is touched outside. */
static void stays_inside(void **state) {
    (void)state;
    static const fx_dtype dtypes[] = {FX_F32, FX_C128};
    static const int64_t sizes[] = {1, 2, 3, 5, 17, 33, 37};
    for (size_t r = 0; r < COUNT_OF(rows); r++)
        for (size_t d = 0; d < COUNT_OF(dtypes); d++)
            for (size_t s = 0; s < COUNT_OF(sizes); s++) {
                const fx_shape shape = FX_SHAPE(dtypes[d], sizes[s], sizes[s]);
                fx_tensor *like = noise(&shape), *x = guarded_tensor(&shape, like, s & 1 ? GUARDED_END : GUARDED_START), *out[MOST];
                if (sizes[s] > 1) {
                    run_row("cpu?threads=1", &rows[r], x, out);
                    for (int i = 0; i < MOST; i++) fx_tensor_free(out[i]);
                }
                fx_tensor_free(like), fx_tensor_free(x);
            }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(large), cmocka_unit_test(batches),
#if FLUXION_CPU
                                       cmocka_unit_test(stays_inside)
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
