/* SPDX-License-Identifier: Apache-2.0 */
/* Lowerings of factorisations against the operations themselves: factors that are unique, and of the others what does not
 * depend on phases: values, the product, and the products of vectors with themselves. */
#include "stablehlo/lowered.h"
#include <fluxion/linalg.h>
#include <math.h>

static const fx_dtype dtypes[] = {FX_F32, FX_F64, FX_C64, FX_C128};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };
static const golden_tolerance near = {GOLDEN_NORM, 64}, far = {GOLDEN_NORM, 2000}; /* up to 5 rows, up to 70 */

typedef enum content { RANDOM, LOW_RANK, ZERO, WITH_NAN, HUGE_VALUES, SMALL_VALUES, CONTENTS } content;

static double scale_of(content c, fx_dtype dtype) {
    bool is_double = fx_dtype_real(dtype) == FX_F64;
    if (c == HUGE_VALUES) return is_double ? 0x1p1000 : 0x1p120;
    return c == SMALL_VALUES ? is_double ? 0x1p-900 : 0x1p-90 : 1;
}

static fx_tensor *matrix(random_state *random, const fx_shape *shape, content c) {
    fx_dtype dtype = shape->dtype;
    fx_tensor *x = random_tensor(random, shape, RANDOM_PLAIN);
    int64_t columns = shape->dims[shape->rank - 1], count = fx_shape_size(shape);
    for (int64_t i = 0; i < count; i++) {
        fxi_scalar v = fxi_element_load(dtype, x->data, c == LOW_RANK ? i - i % columns : i);
        if (c == ZERO) v = (fxi_scalar){0};
        v.re *= scale_of(c, dtype);
        v.im *= scale_of(c, dtype);
        if (c == WITH_NAN && i == count - 1) v.re = NAN;
        fxi_element_store(dtype, x->data, i, v);
    }
    return x;
}

/* x^H x and x diag(d). */
static fx_node *square_of(fx_node *x) { return fx_matmul(fx_conj(fx_transpose(x, -1, -2)), x); }

static fx_node *columns_times(fx_node *x, fx_node *d) {
    return fx_mul(x, fx_convert(fx_expand_axes(d, FX_AXES(-2)), fx_node_dtype(x)));
}

static void lu_and_qr(void **state) {
    (void)state;
    random_state random = {1};
    const int64_t sizes[] = {1, 2, 3, 5, 70};
    for (int d = 0; d < DTYPES; d++)
        for (int i = 0; i < 25; i++)
            for (content c = RANDOM; c < CONTENTS; c++) {
                int64_t m = sizes[i / 5], n = sizes[i % 5];
                if ((c != RANDOM || d % 3) && (m > 5 || n > 5)) continue;
                const fx_shape shape = {.dtype = dtypes[d], .rank = 3, .dims = {2, m, n}};
                for (int what = 0; what < 3; what++) {
                    fx_graph *graph = new_graph();
                    fx_node *a = parameter(graph, shape), *r[3];
                    fx_tensor *input = matrix(&random, &shape, c);
                    if (what == 0) fx_lu(a, r);
                    else fx_qr(a, what == 2, r);
                    /* Rounding decides where pivots and reflections of a low rank go. */
                    if (c == LOW_RANK && what == 0) r[0] = fx_slice_axis(r[0], -2, 0, 1, 1);
                    if (c == LOW_RANK && what != 0) r[0] = fx_matmul(r[0], r[1]);
                    if (c == LOW_RANK || what == 1 || what == 2) compare_lowered(graph, FX_NODES(r[0]), &input, m > 5 ? far : near);
                    else compare_lowered(graph, FX_NODES(r[0], r[1], r[2]), &input, m > 5 ? far : near);
                }
            }
}

static void choleskys(void **state) {
    (void)state;
    random_state random = {2};
    for (int d = 0; d < DTYPES; d++)
        for (int lower = 0; lower < 2; lower++)
            for (int64_t n = 1; n < 6; n++)
                for (content c = RANDOM; c <= WITH_NAN; c++) {
                    const fx_shape shape = {.dtype = dtypes[d], .rank = 3, .dims = {2, n, n}};
                    fx_graph *graph = new_graph();
                    fx_node *a = parameter(graph, shape), *p = square_of(a);
                    fx_tensor *input = matrix(&random, &shape, c);
                    if (c == RANDOM) p = fx_add(p, fxi_build_identity(p));
                    if (c == LOW_RANK) p = fx_sub(p, fxi_build_identity(p)); /* not definite for certain */
                    compare_lowered(graph, FX_NODES(fx_cholesky(p, lower)), &input, (golden_tolerance){GOLDEN_NORM, 400});
                }
}

static void eighs(void **state) {
    (void)state;
    random_state random = {3};
    for (int d = 0; d < DTYPES; d++)
        for (int64_t n = 1; n < 10; n += 1 + n / 3)
            for (content c = RANDOM; c < CONTENTS; c++) {
                const fx_shape shape = {.dtype = dtypes[d], .rank = 4, .dims = {2, 1, n, n}};
                fx_graph *graph = new_graph();
                fx_node *a = parameter(graph, shape), *r[2];
                fx_tensor *input = matrix(&random, &shape, c);
                fx_eigh(a, n % 2, r);
                fx_node *whole = fx_matmul(columns_times(r[1], r[0]), fx_conj(fx_transpose(r[1], -1, -2)));
                compare_lowered(graph, FX_NODES(r[0], square_of(r[1]), whole), &input, near);
            }
}

static void svds(void **state) {
    (void)state;
    random_state random = {4};
    const int64_t sizes[] = {1, 2, 3, 6};
    for (int d = 0; d < DTYPES; d++)
        for (int i = 0; i < 16; i++)
            for (content c = RANDOM; c < CONTENTS; c++)
                for (int full = 0; full < 2; full++) {
                    const fx_shape shape = {.dtype = dtypes[d], .rank = 3, .dims = {2, sizes[i / 4], sizes[i % 4]}};
                    fx_graph *graph = new_graph();
                    fx_node *a = parameter(graph, shape), *r[3];
                    fx_tensor *input = matrix(&random, &shape, c);
                    fx_svd(a, full, r);
                    int64_t k = fx_node_shape(r[1])->dims[1];
                    fx_node *u = fx_slice_axis(r[0], -1, 0, k, 1), *vh = fx_slice_axis(r[2], -2, 0, k, 1);
                    fx_node *rows = square_of(fx_conj(fx_transpose(r[2], -1, -2)));
                    compare_lowered(graph, FX_NODES(r[1], square_of(r[0]), rows, fx_matmul(columns_times(u, r[1]), vh)), &input,
                                    near);
                }
}

static void nothing(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        const fx_shape shape = {.dtype = FX_F32, .rank = 3, .dims = {i == 3 ? 0 : 2, i == 1 ? 3 : 0, i == 2 ? 3 : 0}};
        fx_graph *graph = new_graph();
        fx_node *a = parameter(graph, shape), *lu[3], *qr[2], *svd[3];
        fx_tensor *input = fx_tensor_new(&shape, FX_MUST);
        fx_lu(a, lu);
        fx_qr(a, true, qr);
        fx_svd(a, true, svd);
        compare_lowered(graph, FX_NODES(lu[0], lu[1], lu[2], qr[0], qr[1], svd[0], svd[1], svd[2]), &input, near);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lu_and_qr), cmocka_unit_test(choleskys), cmocka_unit_test(eighs),
                                       cmocka_unit_test(svds), cmocka_unit_test(nothing)};
    return cmocka_run_group_tests_name("stablehlo.lower_linalg", tests, NULL, NULL);
}
