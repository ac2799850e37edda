/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of factorisations and of what is made of them, real and complex, to second order: every option,
 * matrices that are square, tall, wide, empty, and batches. */
#include "support/gradients.h"
#include <fluxion/grad.h>
#include <fluxion/indexing.h>
#include <fluxion/linalg.h>
#include <stdio.h>

#define CALL(name_, fn_, inputs, outputs, ...)                                                               \
    { .name = name_, .fn = fn_, .n_in = inputs, .n_out = outputs, .a = __VA_ARGS__ }
#define DIMS(...)                                                                                            \
    { (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t) }

typedef struct call call;
typedef void (*call_fn)(const call *c, fx_node *const *in, fx_node **out);
struct call {
    const char *name;
    call_fn fn;
    size_t n_in, n_out;
    fx_dims a, b;
    int option;
    fx_triangular_options triangular;
    int order;
};

static void run_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const call *c = user;
    (void)body, (void)n_in, (void)n_out;
    c->fn(c, in, out);
}

static void check_call(const call *c, fx_dtype dtype) {
    char name[160];
    snprintf(name, sizeof name, "%s, %s", c->name, fx_dtype_name(dtype));
    derivative_case d = {.name = name,
                         .fn = run_fn,
                         .user = (void *)c,
                         .n_in = c->n_in,
                         .n_out = c->n_out,
                         .order = c->order,
                         .in = {random_values(dtype, c->a, -1, 1, 5)}};
    if (c->n_in > 1) d.in[1] = random_values(dtype, c->b, -1, 1, 6);
    check_derivatives(&d);
}

static void check_calls(const call *calls, size_t n) {
    for (size_t i = 0; i < n; i++) {
        check_call(&calls[i], FX_F64);
        check_call(&calls[i], FX_C128);
    }
}
#define CHECK(calls) check_calls(calls, sizeof(calls) / sizeof(calls)[0])

/* x with d, 2 d, 3 d, ... added to its diagonals: far from singular, distinct eigenvalues. */
static fx_node *with_diagonal(fx_node *x, double d) {
    fx_shape shape = x->shape;
    shape.dtype = FX_S64;
    fx_node *row = fx_iota(x->graph, &shape, shape.rank - 2),
            *column = fx_iota(x->graph, &shape, shape.rank - 1);
    fx_node *added = fx_mul_scalar(fx_convert(fx_add_scalar_int(row, 1), x->shape.dtype), d);
    return fx_add(x, fx_select(fx_equal(row, column), added, fx_zeros_like(added)));
}

/* ---- Cholesky ---- */

static void cholesky(const call *c, fx_node *const *in, fx_node **out) {
    out[0] = fx_cholesky(with_diagonal(in[0], 4), c->option);
}

static void test_cholesky(void **state) {
    (void)state;
    const call calls[] = {
        CALL("cholesky", cholesky, 1, 1, DIMS(4, 4), .option = true),
        CALL("upper cholesky", cholesky, 1, 1, DIMS(4, 4), .option = false),
        CALL("batch of cholesky", cholesky, 1, 1, DIMS(2, 3, 3), .option = true),
        CALL("cholesky of one", cholesky, 1, 1, DIMS(1, 1), .option = true),
        CALL("cholesky of nothing", cholesky, 1, 1, DIMS(0, 0), .option = true),
    };
    CHECK(calls);
}

/* ---- triangular systems ---- */

static void triangular(const call *c, fx_node *const *in, fx_node **out) {
    out[0] = fx_triangular_solve(with_diagonal(in[0], 2), in[1], &c->triangular);
}

static void test_triangular_solve(void **state) {
    (void)state;
    const int64_t turned[] = {2, 3};
    for (int i = 0; i < 24; i++) {
        char name[80];
        const bool right = i & 1;
        call c = CALL(name, triangular, 2, 1, DIMS(3, 3), .b = DIMS(3, 2));
        if (right) c.b = (fx_dims){turned, 2};
        c.triangular = (fx_triangular_options){
            .right = right, .upper = i & 2, .unit_diagonal = i & 4, .transpose = (fx_transpose_kind)(i / 8)};
        snprintf(name, sizeof name, "triangular system %d", i);
        check_calls(&c, 1);
    }
    const call calls[] = {
        CALL("batch of systems", triangular, 2, 1, DIMS(2, 2, 2), .b = DIMS(2, 2, 3)),
        CALL("systems without sides", triangular, 2, 1, DIMS(2, 2), .b = DIMS(2, 0)),
        CALL("empty systems", triangular, 2, 1, DIMS(0, 0), .b = DIMS(0, 2)),
    };
    CHECK(calls);
}

/* ---- LU ---- */

static void lu(const call *c, fx_node *const *in, fx_node **out) {
    fx_node *f[3];
    (void)c;
    fx_lu(in[0], f);
    out[0] = f[0];
}

static void test_lu(void **state) {
    (void)state;
    const call calls[] = {
        CALL("lu", lu, 1, 1, DIMS(4, 4)),
        CALL("tall lu", lu, 1, 1, DIMS(5, 3)),
        CALL("wide lu", lu, 1, 1, DIMS(3, 5)),
        CALL("batch of lu", lu, 1, 1, DIMS(2, 3, 3)),
        CALL("lu of a column", lu, 1, 1, DIMS(3, 1)),
        CALL("lu of a row", lu, 1, 1, DIMS(1, 3)),
        CALL("lu of nothing", lu, 1, 1, DIMS(0, 3)),
    };
    CHECK(calls);
}

/* ---- QR ---- */

static void qr(const call *c, fx_node *const *in, fx_node **out) {
    fx_qr(in[0], c->option, out);
}
static void r_alone(const call *c, fx_node *const *in, fx_node **out) {
    fx_node *f[2];
    fx_qr(in[0], c->option, f);
    out[0] = f[1];
}

static void test_qr(void **state) {
    (void)state;
    const call calls[] = {
        CALL("qr", qr, 1, 2, DIMS(3, 3)),
        CALL("tall qr", qr, 1, 2, DIMS(5, 3)),
        CALL("wide qr", qr, 1, 2, DIMS(3, 5)),
        CALL("wide full qr", qr, 1, 2, DIMS(2, 4), .option = true),
        CALL("batch of qr", qr, 1, 2, DIMS(2, 3, 2)),
        CALL("r alone", r_alone, 1, 1, DIMS(4, 3)),
        CALL("wide r alone", r_alone, 1, 1, DIMS(2, 3)),
        CALL("qr of a column", qr, 1, 2, DIMS(3, 1)),
        CALL("qr of nothing", qr, 1, 2, DIMS(3, 0)),
    };
    CHECK(calls);
}

/* ---- eigenvalues, singular values; vectors of real matrices, whose signs stay ---- */

static void eigh(const call *c, fx_node *const *in, fx_node **out) {
    fx_eigh(with_diagonal(in[0], 2), c->option, out);
}
static void svd(const call *c, fx_node *const *in, fx_node **out) {
    (void)c;
    fx_svd(in[0], false, out);
}

static void test_real_vectors(void **state) {
    (void)state;
    const call calls[] = {
        CALL("eigh", eigh, 1, 2, DIMS(4, 4), .option = true),
        CALL("eigh of the upper triangle", eigh, 1, 2, DIMS(3, 3), .option = false),
        CALL("batch of eigh", eigh, 1, 2, DIMS(2, 3, 3), .option = true),
        CALL("eigh of one", eigh, 1, 2, DIMS(1, 1), .option = true),
        CALL("eigh of nothing", eigh, 1, 2, DIMS(0, 0), .option = true),
        CALL("svd", svd, 1, 3, DIMS(3, 3)),
        CALL("tall svd", svd, 1, 3, DIMS(5, 3)),
        CALL("wide svd", svd, 1, 3, DIMS(3, 5)),
        CALL("batch of svd", svd, 1, 3, DIMS(2, 3, 2)),
        CALL("svd of a column", svd, 1, 3, DIMS(3, 1)),
        CALL("svd of nothing", svd, 1, 3, DIMS(0, 2)),
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) check_call(&calls[i], FX_F64);
}

/* ---- complex vectors: what does not depend on their phases ---- */

static fx_node *adjoint(fx_node *x) {
    return fx_conj(fx_transpose(x, -1, -2));
}

/* w, and the projector on the vectors from the second on. */
static void projector(const call *c, fx_node *const *in, fx_node **out) {
    fx_node *f[2];
    fx_eigh(with_diagonal(in[0], 2), c->option, f);
    fx_node *some = fx_slice_axis(f[1], -1, 1, f[1]->shape.dims[f[1]->shape.rank - 1], 1);
    out[0] = f[0];
    out[1] = fx_matmul(some, adjoint(some));
}
/* s, and the part of a that belongs to the largest. */
static void largest_part(const call *c, fx_node *const *in, fx_node **out) {
    fx_node *f[3];
    fx_svd(in[0], c->option, f);
    out[0] = f[1];
    out[1] = fx_matmul(fx_slice_axis(f[0], -1, 0, 1, 1), fx_slice_axis(f[2], -2, 0, 1, 1));
}
static void values_alone(const call *c, fx_node *const *in, fx_node **out) {
    fx_node *f[3];
    fx_svd(in[0], c->option, f);
    out[0] = f[1];
}

static void test_invariants(void **state) {
    (void)state;
    const call calls[] = {
        CALL("projector", projector, 1, 2, DIMS(4, 4), .option = true),
        CALL("projectors of upper triangles", projector, 1, 2, DIMS(2, 3, 3)),
        CALL("part", largest_part, 1, 2, DIMS(3, 3)),
        CALL("tall part", largest_part, 1, 2, DIMS(4, 2)),
        CALL("wide part", largest_part, 1, 2, DIMS(2, 4)),
        CALL("square part, full", largest_part, 1, 2, DIMS(2, 2), .option = true),
        CALL("singular values", values_alone, 1, 1, DIMS(2, 3, 2)),
    };
    CHECK(calls);
}

/* ---- composites ---- */

static void solve(const call *c, fx_node *const *in, fx_node **out) {
    (void)c;
    out[0] = fx_solve(in[0], in[1]);
}
static void inverse(const call *c, fx_node *const *in, fx_node **out) {
    (void)c;
    out[0] = fx_inverse(in[0]);
}
static void cholesky_solve(const call *c, fx_node *const *in, fx_node **out) {
    out[0] = fx_cholesky_solve(with_diagonal(in[0], 3), in[1], c->option);
}
static void det(const call *c, fx_node *const *in, fx_node **out) {
    (void)c;
    out[0] = fx_det(in[0]);
}
static void slogdet(const call *c, fx_node *const *in, fx_node **out) {
    (void)c;
    fx_slogdet(in[0], out);
}
static void power(const call *c, fx_node *const *in, fx_node **out) {
    out[0] = fx_matrix_power(in[0], c->option);
}
static void pinv(const call *c, fx_node *const *in, fx_node **out) {
    (void)c;
    out[0] = fx_pinv(in[0], -1);
}
static void truncated(const call *c, fx_node *const *in, fx_node **out) {
    (void)c;
    out[0] = fx_pinv(in[0], 0.5);
}
static void least_squares(const call *c, fx_node *const *in, fx_node **out) {
    (void)c;
    out[0] = fx_least_squares(in[0], in[1], -1);
}
static void matrix_norm(const call *c, fx_node *const *in, fx_node **out) {
    out[0] = fx_matrix_norm(in[0], (fx_matrix_norm_kind)c->option);
}

static void test_composites(void **state) {
    (void)state;
    const call calls[] = {
        CALL("solve", solve, 2, 1, DIMS(3, 3), .b = DIMS(3, 2)),
        CALL("solve of a vector", solve, 2, 1, DIMS(3, 3), .b = DIMS(3)),
        CALL("batch of solves", solve, 2, 1, DIMS(2, 2, 2), .b = DIMS(2, 2, 1)),
        CALL("inverse", inverse, 1, 1, DIMS(3, 3)),
        CALL("cholesky_solve", cholesky_solve, 2, 1, DIMS(3, 3), .b = DIMS(3, 2), .option = true),
        CALL("upper cholesky_solve", cholesky_solve, 2, 1, DIMS(3, 3), .b = DIMS(3, 2)),
        CALL("det", det, 1, 1, DIMS(3, 3)),
        CALL("batch of dets", det, 1, 1, DIMS(2, 2, 2)),
        CALL("slogdet", slogdet, 1, 2, DIMS(3, 3)),
        CALL("square", power, 1, 1, DIMS(2, 2), .option = 2),
        CALL("fifth power", power, 1, 1, DIMS(2, 2), .option = 5),
        CALL("power 0", power, 1, 1, DIMS(2, 2), .option = 0),
        CALL("power -2", power, 1, 1, DIMS(2, 2), .option = -2),
        CALL("pinv", pinv, 1, 1, DIMS(2, 2)),
        CALL("tall pinv", pinv, 1, 1, DIMS(4, 2)),
        CALL("wide pinv", pinv, 1, 1, DIMS(2, 3)),
        CALL("pinv without small singular values", truncated, 1, 1, DIMS(4, 3)),
        CALL("least squares", least_squares, 2, 1, DIMS(4, 2), .b = DIMS(4, 2)),
        CALL("Frobenius norm", matrix_norm, 1, 1, DIMS(3, 2), .option = FX_MATRIX_NORM_FROBENIUS),
        CALL("one norm", matrix_norm, 1, 1, DIMS(3, 2), .option = FX_MATRIX_NORM_ONE),
        CALL("infinity norm", matrix_norm, 1, 1, DIMS(3, 2), .option = FX_MATRIX_NORM_INFINITY),
        CALL("max norm", matrix_norm, 1, 1, DIMS(3, 2), .option = FX_MATRIX_NORM_MAX),
        CALL("two norm", matrix_norm, 1, 1, DIMS(3, 2), .option = FX_MATRIX_NORM_TWO),
        CALL("nuclear norm", matrix_norm, 1, 1, DIMS(2, 3, 2), .option = FX_MATRIX_NORM_NUCLEAR),
    };
    CHECK(calls);
}

/* ---- equal values, zeros, refusals ---- */

static fx_node *eigenvalues(fx_node *x) {
    return fx_eigh(x, true, NULL);
}
static fx_node *eigenvectors(fx_node *x) {
    fx_node *f[2];
    fx_eigh(x, true, f);
    return f[1];
}
static fx_node *singular_factor(fx_node *x, bool full, int i) {
    fx_node *f[3];
    fx_svd(x, full, f);
    return f[i];
}
static fx_node *qr_factor(fx_node *x, bool full, int i) {
    fx_node *f[2];
    fx_qr(x, full, f);
    return f[i];
}

GRAPH_FN(eigenvalues_of, eigenvalues(x))
GRAPH_FN(last_vector, fx_square(fx_slice_axis(eigenvectors(x), -1, 2, 3, 1)))
GRAPH_FN(all_vectors, eigenvectors(x))
GRAPH_FN(nuclear, fx_matrix_norm(x, FX_MATRIX_NORM_NUCLEAR))
GRAPH_FN(two, fx_matrix_norm(x, FX_MATRIX_NORM_TWO))
GRAPH_FN(frobenius, fx_matrix_norm(x, FX_MATRIX_NORM_FROBENIUS))
GRAPH_FN(pseudo_inverse, fx_pinv(x, -1))
GRAPH_FN(determinant, fx_det(x))
GRAPH_FN(lower_cholesky, fx_cholesky(x, true))
GRAPH_FN(free_columns, qr_factor(x, true, 0))
GRAPH_FN(full_r, qr_factor(x, true, 1))
GRAPH_FN(free_u, singular_factor(x, true, 0))
GRAPH_FN(free_v, singular_factor(x, true, 2))
GRAPH_FN(full_values, singular_factor(x, true, 1))

static void test_awkward(void **state) {
    (void)state;
    GRADIENTS(eigenvalues_of, "[2][2]float64{{1, 0}, {0, 1}}", FLOATS(FX_SHAPE(FX_F64, 2, 2), 3, 0, 0, 3));
    GRADIENTS(last_vector, "[3][3]float64{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}",
              FLOATS(FX_SHAPE(FX_F64, 3, 3), 1, 0, 0, 0, 1, 0, 0, 0, 3));
    GRADIENTS(nuclear, "[2][2]float64{{1, 0}, {0, 1}}", FLOATS(FX_SHAPE(FX_F64, 2, 2), 2, 0, 0, 2));
    GRADIENTS(two, "[2][2]float64{{0.5, 0}, {0, 0.5}}", FLOATS(FX_SHAPE(FX_F64, 2, 2), 2, 0, 0, 2));
    GRADIENTS(frobenius, "[2][1]float64{{0}, {0}}", FLOATS(FX_SHAPE(FX_F64, 2, 1), 0, 0));
    CHECK_ROWS(ROW(pseudo_inverse, FLOATS(FX_SHAPE(FX_F64, 2, 2), 2, 0, 0, 2)),
               ROW(pseudo_inverse, FLOATS(FX_SHAPE(FX_F64, 3, 2), 2, 0, 0, 2, 0, 0)));
    derivative_case singular[] = {
        ROW(determinant, FLOATS(FX_SHAPE(FX_F64, 1, 1), 0)),
        ROW(determinant, FLOATS(FX_SHAPE(FX_F64, 2, 2), 0, 1, 0, 0)),
        ROW(determinant, FLOATS(FX_SHAPE(FX_F64, 2, 2), 0, 0, 0, 0)),
        ROW(determinant, FLOATS(FX_SHAPE(FX_F64, 2, 2, 2), 1, 2, 2, 4, 1, 2, 3, 4)),
        ROW(determinant, FLOATS(FX_SHAPE(FX_F64, 3, 3), 0, 1, 2, 0, 3, 4, 0, 1, 5))};
    for (size_t i = 0; i < sizeof singular / sizeof singular[0]; i++) {
        singular[i].order = 1;
        check_derivatives(&singular[i]);
    }
    GRADIENTS(determinant, "[2][2]float64{{4, 0}, {0, 2}}", FLOATS(FX_SHAPE(FX_F64, 2, 2), 2, 0, 0, 4));
    GRADIENTS(lower_cholesky, "[1][1]float64{{0.25}}", FLOATS(FX_SHAPE(FX_F64, 1, 1), 4));
    GRADIENTS(full_values, "[1][2]float64{{0, 1}}", FLOATS(FX_SHAPE(FX_F64, 1, 2), 0, 4));
    GRADIENTS(all_vectors, "[2][2]float64{{NaN, 0}, {NaN, NaN}}", FLOATS(FX_SHAPE(FX_F64, 2, 2), 3, 0, 0, 3));
}

/* Gradients as functions: three orders in all. */
GRAPH_FN(gradient_of_det, fx_gradient(fx_reduce_all_sum(fx_det(x)), FX_NODES(x), NULL))
GRAPH_FN(gradient_of_cholesky,
         fx_gradient(fx_reduce_all_sum(fx_cholesky(with_diagonal(x, 4), true)), FX_NODES(x), NULL))
GRAPH_FN(gradient_of_values,
         fx_gradient(fx_reduce_all_max(eigenvalues(with_diagonal(x, 2))), FX_NODES(x), NULL))
GRAPH_FN(gradient_of_pinv, fx_gradient(fx_reduce_all_sum(fx_pinv(x, -1)), FX_NODES(x), NULL))

static void test_third_order(void **state) {
    (void)state;
    CHECK_ROWS(ROW(gradient_of_det, RANDOM_F64(1, -1, 1, 3, 3)),
               ROW(gradient_of_cholesky, RANDOM_F64(2, -1, 1, 3, 3)),
               ROW(gradient_of_values, RANDOM_F64(3, -1, 1, 3, 3)),
               ROW(gradient_of_pinv, RANDOM_F64(4, -1, 1, 3, 2)));
}

/* In a batch of derivatives both ways to the determinant's are taken. */
static void test_hessian(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    const double values[] = {2, 0, 0, 4};
    fx_tensor *t = fx_tensor_copy_from(&FX_SHAPE(FX_F64, 2, 2), values, FX_MUST);
    fx_node *x = fx_constant(graph, t), *hessian = fx_hessian(fx_det(x), FX_NODES(x), NULL);
    fx_tensor_free(t);
    assert_value(graph, fx_reshape(fx_add_scalar(hessian, 0), FX_DIMS(4, 4)),
                 "[4][4]float64{{0, 0, 0, 1}, {0, 0, -1, 0}, {0, -1, 0, 0}, {1, 0, 0, 0}}");
}

static void test_refusals(void **state) {
    (void)state;
    const fx_shape tall = FX_SHAPE(FX_F64, 3, 2), wide = FX_SHAPE(FX_F64, 2, 3);
    assert_no_gradient(free_columns, &tall, 1, "qr",
                       "the last columns of a full q are free; ask for q without them");
    assert_no_gradient(free_u, &tall, 1, "svd",
                       "the last columns of a full u are free; ask for u without them");
    assert_no_gradient(free_v, &wide, 1, "svd",
                       "the last rows of a full vh are free; ask for vh without them");
}

/* In reverse mode what is not free has a derivative: of full factors too. */
static void test_full_factors(void **state) {
    (void)state;
    GRADIENTS(full_r, "[2][1]float64{{0}, {1}}", FLOATS(FX_SHAPE(FX_F64, 2, 1), 0, 4));
}

/* ---- float32: condition numbers of these matrices are below 32 ---- */

GRAPH_FN(solution, fx_solve(with_diagonal(x, 2), y))
GRAPH_FN(logarithm, fx_log(fx_det(with_diagonal(x, 2))))
GRAPH_FN(factor, fx_cholesky(with_diagonal(x, 4), true))
GRAPH_FN(orthonormal, qr_factor(with_diagonal(x, 2), false, 0))

static void test_narrow(void **state) {
    (void)state;
    check_vjp_in(FX_F32,
                 &(derivative_case)ROW(solution, RANDOM_F64(1, -1, 1, 4, 4), RANDOM_F64(2, -1, 1, 4, 2)),
                 0x1p-16);
    check_vjp_in(FX_F32, &(derivative_case)ROW(logarithm, RANDOM_F64(1, -1, 1, 4, 4)), 0x1p-16);
    check_vjp_in(FX_F32, &(derivative_case)ROW(factor, RANDOM_F64(1, -1, 1, 4, 4)), 0x1p-16);
    check_vjp_in(FX_F32, &(derivative_case)ROW(orthonormal, RANDOM_F64(1, -1, 1, 4, 4)), 0x1p-16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cholesky),     cmocka_unit_test(test_triangular_solve),
        cmocka_unit_test(test_lu),           cmocka_unit_test(test_qr),
        cmocka_unit_test(test_real_vectors), cmocka_unit_test(test_invariants),
        cmocka_unit_test(test_composites),   cmocka_unit_test(test_awkward),
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_third_order),
        cmocka_unit_test(test_hessian),      cmocka_unit_test(test_full_factors),
        cmocka_unit_test(test_narrow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
