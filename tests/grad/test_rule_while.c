/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of loops: forward mode of all, reverse mode of bounded ones, refused for the others. */
#include "support/derivatives.h"
#include "support/run_graph.h"

typedef struct loop {
    fx_node *c;
    int64_t bound; /* -1: none */
    double rounds;
} loop;

/* States: a counter, s and t. */
static void below(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const loop *l = user;
    (void)n_in, (void)n_out;
    out[0] = fx_less(in[0], fx_scalar(body, FX_F64, l->rounds));
}

/* 1 / (rounds - counter) is infinite in the first round that does not take place, sqrt NaN in the next. */
static void step(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const loop *l = user;
    (void)n_in, (void)n_out;
    fx_node *left = fx_sub(fx_scalar(body, FX_F64, l->rounds), in[0]);
    out[0] = fx_add(in[0], fx_scalar(body, FX_F64, 1));
    out[1] = fx_add(fx_mul(in[1], fx_sin(l->c)), fx_div(in[2], fx_sqrt(left)));
    out[2] = in[2];
}

static void loop_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    loop l = *(const loop *)user;
    (void)n_in;
    l.c = in[2];
    fx_node *results[3], *zero = fx_scalar(body, FX_F64, 0);
    if (l.bound < 0)
        fx_while(FX_NODES(zero, in[0], in[1]), below, step, &l, results);
    else
        fx_while_bounded(l.bound, FX_NODES(zero, in[0], in[1]), below, step, &l, results);
    for (size_t i = 0; i < n_out; i++) out[i] = results[i + 1];
}

static fx_tensor *scalar(unsigned seed) {
    return random_values(FX_F64, (fx_dims){NULL, 0}, -1, 1, seed);
}

static void test_bounded(void **state) {
    (void)state;
    static const loop loops[] = {{NULL, 5, 3}, {NULL, 3, 3}, {NULL, 2, 3}, {NULL, 2, 0}, {NULL, 0, 3}};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        check_derivatives(&(derivative_case){.name = "bounded loop",
                                             .fn = loop_fn,
                                             .user = (void *)&loops[i],
                                             .n_in = 3,
                                             .n_out = 2,
                                             .in = {scalar(1), scalar(2), scalar(3)}});
}

/* d/dc of s0 sin(c)^3 + ..., by forward mode of an unbounded loop and of a bounded one. */
static fx_node *tangent(fx_graph *graph, int64_t bound) {
    fx_node *in[3], *out[2];
    /* no constants, of which the loop would take copies */
    for (int i = 0; i < 3; i++) in[i] = fx_mul_scalar(fx_scalar(graph, FX_F64, 0.25), i + 1);
    loop l = {NULL, bound, 3};
    loop_fn(graph, in, 3, out, 2, &l);
    return fx_jvp(FX_NODES(out[0]), FX_NODES(in[2]), FX_NODES(fx_scalar(graph, FX_F64, 1)), NULL);
}

static void test_forward(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *unbounded = tangent(graph, -1), *bounded = tangent(graph, 7);
    fx_node *zero = fx_scalar(graph, FX_F64, 0);
    fx_node *right = fx_and(fx_equal(unbounded, bounded), fx_not_equal(unbounded, zero));
    assert_value(graph, right, "bool(true)");
}

static void test_refused(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *in[3], *out[2];
    for (int i = 0; i < 3; i++) in[i] = fx_parameter(graph, &FX_SHAPE(FX_F64));
    loop l = {NULL, -1, 3};
    loop_fn(graph, in, 3, out, 2, &l);
    fx_gradient(out[0], FX_NODES(in[2]), NULL);
    fx_error err = {.code = FX_OK};
    assert_true(fx_graph_error(graph, &err));
    assert_int_equal(err.code, FX_ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "fx_gradient: %4 = while at "));
    assert_non_null(strstr(err.message,
                           "has no reverse derivative: the number of its rounds is not known; use "
                           "fx_for or fx_scan, or fx_while_bounded, or forward mode (fx_jvp)"));
    fx_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounded), cmocka_unit_test(test_forward),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
