/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of factorisations and of what is made of them, real and complex, to second order: every option,
 * matrices that are square, tall, wide, empty, and batches. */
#include "support/derivatives.h"
#include "support/run_graph.h"
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
        CALL("lu", lu, 1, 1, DIMS(4, 4), .order = 1),
        CALL("tall lu", lu, 1, 1, DIMS(5, 3), .order = 1),
        CALL("wide lu", lu, 1, 1, DIMS(3, 5), .order = 1),
        CALL("batch of lu", lu, 1, 1, DIMS(2, 3, 3), .order = 1),
        CALL("lu of a column", lu, 1, 1, DIMS(3, 1), .order = 1),
        CALL("lu of a row", lu, 1, 1, DIMS(1, 3), .order = 1),
        CALL("lu of nothing", lu, 1, 1, DIMS(0, 3), .order = 1),
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cholesky),
                                       cmocka_unit_test(test_triangular_solve), cmocka_unit_test(test_lu),
                                       cmocka_unit_test(test_qr), cmocka_unit_test(test_real_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
