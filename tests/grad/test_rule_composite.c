/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with derivatives of their own, composites without, and values that derivatives do not pass. */
#include "support/derivatives.h"
#include "support/run_graph.h"
#include "ops/ops.h"

#define CLOSURE(name)                                                                                        \
    static void name(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)body, (void)in, (void)n_in, (void)n_out, (void)user

/* ---- derivatives that are right ---- */

/* x^2 y and sin(x), of inputs x, k (int32), y. */
CLOSURE(product) {
    UNUSED;
    out[0] = fx_mul(fx_mul(in[0], in[0]), in[2]);
    out[1] = fx_sin(in[0]);
}

CLOSURE(product_backward) {
    UNUSED;
    assert_int_equal(n_in, 7); /* three inputs, two results, two adjoints */
    assert_int_equal(n_out, 3);
    out[0] = fx_add(fx_mul(in[5], fx_mul(fx_add(in[0], in[0]), in[2])), fx_mul(in[6], fx_cos(in[0])));
    out[2] = fx_mul(in[5], fx_mul(in[0], in[0]));
}

CLOSURE(custom_fn) {
    UNUSED;
    fx_node *k = fx_scalar_int(body, FX_S32, 3);
    fx_custom_gradient(FX_NODES(in[0], k, in[1]), product, product_backward, NULL, n_out, out);
}

CLOSURE(plain_fn) {
    UNUSED;
    fxi_build b;
    fx_node *k = fx_scalar_int(body, FX_S32, 3);
    static const int64_t settings[] = {1, 2};
    const fxi_composite composite = {"test.product", settings, 2, product, NULL, NULL};
    const fx_nodes inputs = FX_NODES(in[0], k, in[1]);
    assert_true(fxi_build_begin(&b, "fx_test", inputs.v, inputs.n));
    fxi_build_results(fxi_build_composite(&b, &composite, inputs, 2), out, n_out);
}

CLOSURE(round_body) {
    UNUSED;
    fx_node *both[2], *given[2] = {in[0], user};
    custom_fn(body, given, 2, both, 2, NULL);
    out[0] = fx_add(both[0], both[1]);
}

CLOSURE(scan_fn) {
    UNUSED;
    fx_scan(FX_NODES(in[0]), (fx_nodes){NULL, 0}, 3, 0, round_body, in[1], out);
}

/* Of complex numbers: the adjoint is that of a holomorphic function. */
CLOSURE(square) {
    UNUSED;
    out[0] = fx_mul(in[0], in[0]);
}

CLOSURE(square_backward) {
    UNUSED;
    out[0] = fx_mul(in[2], fx_conj(fx_add(in[0], in[0])));
}

CLOSURE(complex_fn) {
    UNUSED;
    fx_custom_gradient(FX_NODES(in[0]), square, square_backward, NULL, 1, out);
}

static void test_derivatives(void **state) {
    (void)state;
    static const struct {
        const char *name;
        fx_fn fn;
        size_t n_out;
    } cases[] = {{"custom gradient", custom_fn, 2}, {"composite", plain_fn, 2}, {"in a scan", scan_fn, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_derivatives(&(derivative_case){.name = cases[i].name,
                                             .fn = cases[i].fn,
                                             .n_in = 2,
                                             .n_out = cases[i].n_out,
                                             .in = {RANDOM_F64(1, -1, 1, 2), RANDOM_F64(2, -1, 1, 2)}});
    const int64_t dims[] = {2};
    check_derivatives(&(derivative_case){.name = "complex",
                                         .fn = complex_fn,
                                         .n_in = 1,
                                         .n_out = 1,
                                         .in = {random_values(FX_C128, (fx_dims){dims, 1}, -1, 1, 3)}});
}

/* ---- derivatives that say something else ---- */

CLOSURE(same) {
    UNUSED;
    out[0] = fx_mul(in[0], in[1]);
}

/* 10 and 100 times the adjoint. */
CLOSURE(marked) {
    UNUSED;
    out[0] = fx_mul_scalar(in[3], 10);
    out[1] = fx_mul_scalar(in[3], 100);
}

static fx_node *vector(fx_graph *graph, double x, double y) {
    return fx_constant_host(graph, FX_HOST(((const double[]){x, y}), 2));
}

static void test_own(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = vector(graph, 2, 3), *y = vector(graph, 5, 7), *d[2];
    fx_node *z = fx_custom_gradient(FX_NODES(x, y), same, marked, NULL, 1, NULL);
    fx_gradient(fx_reduce_all_sum(z), FX_NODES(x, y), d);
    fx_node *t =
        fx_jvp(FX_NODES(z), FX_NODES(x, y), FX_NODES(vector(graph, 1, 2), vector(graph, 3, 4)), NULL);
    assert_value(graph, fx_concatenate(FX_NODES(z, d[0], d[1], t), 0),
                 "[8]float64{10, 21, 10, 10, 100, 100, 310, 420}");
}

CLOSURE(one_example) {
    UNUSED;
    fx_custom_gradient(FX_NODES(in[0], in[1]), same, marked, NULL, 1, out);
}

/* A batch of x with one y: the adjoint of y is the sum over the batch of 100. */
static void test_batch(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = vector(graph, 2, 3), *y = fx_scalar(graph, FX_F64, 5), *d[2];
    const int axes[] = {0, FX_NOT_BATCHED};
    fx_node *z = fx_vmap(FX_NODES(x, y), axes, same, NULL, 1, NULL, NULL);
    assert_node(z, "mul", "(float64)[2]");
    z = fx_vmap(FX_NODES(x, y), axes, one_example, NULL, 1, NULL, NULL);
    assert_node(z, "composite", "(float64)[2]");
    fx_gradient(fx_reduce_all_sum(z), FX_NODES(x, y), d);
    assert_value(graph, fx_concatenate(FX_NODES(z, d[0], fx_reshape(d[1], FX_DIMS(1))), 0),
                 "[5]float64{10, 15, 10, 10, 200}");
}

/* ---- what is refused ---- */

CLOSURE(captures) {
    UNUSED;
    out[0] = fx_mul(in[0], user);
}

CLOSURE(captures_backward) {
    UNUSED;
    out[0] = fx_mul(in[2], user);
}

static void test_captured(void **state) {
    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        fx_graph *graph = new_graph();
        fx_node *x = parameter(graph, FX_SHAPE(FX_F64)), *c = parameter(graph, FX_SHAPE(FX_F64));
        fx_node *z = (fx_custom_gradient)(FX_NODES(x), captures, captures_backward, c, 1, NULL);
        fx_at(z, "model.c", 3);
        fx_gradient(z, FX_NODES(asked ? c : x), NULL);
        if (asked)
            assert_error(
                graph, FX_ERROR_UNSUPPORTED,
                "fx_gradient: %2 = composite at model.c:3 has no derivative by %1, which its closure "
                "captured: make it an input");
        else
            assert_no_error(graph);
        fx_graph_free(graph);
    }
    fx_graph *graph = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F64));
    fx_custom_gradient(FX_NODES(x), same, NULL, NULL, 1, NULL);
    assert_error(graph, FX_ERROR_ARGUMENT, "fx_custom_gradient: a closure is NULL");
    fx_graph_free(graph);
}

CLOSURE(wrong_backward) {
    UNUSED;
    out[0] = fx_scalar(body, FX_F64, 1);
}

static void test_wrong_shape(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F64, 2));
    fx_custom_gradient(FX_NODES(x), square, wrong_backward, NULL, 1, NULL);
    assert_error(graph, FX_ERROR_SHAPE,
                 "fx_custom_gradient: the adjoint of input 0 is (float64) instead of (float64)[2]");
    fx_graph_free(graph);
}

/* ---- fx_stop_gradient ---- */

static void test_stopped(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = vector(graph, 2, 3), *z = fx_mul(x, fx_stop_gradient(fx_mul(x, x)));
    fx_node *d = fx_gradient(fx_reduce_all_sum(z), FX_NODES(x), NULL);
    fx_node *t = fx_jvp(FX_NODES(z), FX_NODES(x), FX_NODES(vector(graph, 1, 10)), NULL);
    fx_node *k = fx_convert(fx_stop_gradient(fx_scalar_int(graph, FX_S32, 4)), FX_F64);
    assert_value(graph, fx_concatenate(FX_NODES(z, d, t, fx_reshape(k, FX_DIMS(1))), 0),
                 "[7]float64{8, 27, 4, 9, 4, 90, 4}");
}

/* ---- through the passes ---- */

typedef struct lines {
    char text[500];
    size_t length;
} lines;

static void note(const char *label, const fx_tensor *value, const char *file, int line, void *user) {
    lines *l = user;
    (void)file, (void)line;
    l->length += (size_t)snprintf(l->text + l->length, sizeof l->text - l->length, "%s %s;", label,
                                  fx_tensor_text(value).s);
}

CLOSURE(given_back) {
    UNUSED;
    out[0] = in[0];
    out[1] = in[0];
}

/* Results that are an input, logged under three labels, in a loop and outside. */
CLOSURE(logged_round) {
    UNUSED;
    fx_node *results[2];
    fxi_build b;
    const fxi_composite composite = {"test.same", NULL, 0, given_back, NULL, NULL};
    assert_true(fxi_build_begin(&b, "fx_test", in, n_in));
    fxi_build_results(fxi_build_composite(&b, &composite, (fx_nodes){in, 1}, 2), results, 2);
    fx_log_node(results[0], "first");
    fx_log_node(results[1], "second");
    fx_log_node(fx_stop_gradient(in[0]), "stopped");
    out[0] = fx_add(results[0], results[1]);
}

CLOSURE(logged_fn) {
    UNUSED;
    fx_node *both = fx_scan(FX_NODES(in[0]), (fx_nodes){NULL, 0}, 1, 0, logged_round, NULL, NULL);
    logged_round(body, &both, 1, out, 1, NULL);
}

static void test_passes(void **state) {
    (void)state;
    fx_backend *backend = fx_backend_open(FLUXION_CPU ? "cpu" : "interp", FX_MUST);
    fx_exec *exec = fx_exec_new_fn(backend, logged_fn, 1, 1, NULL, FX_MUST);
    lines l = {.length = 0};
    const fx_exec_options options = {.size = sizeof options, .log = note, .log_user = &l};
    assert_true(fx_exec_configure(exec, &options, FX_MUST));
    const fx_arg argument = FX_ARG(3.0);
    fx_tensor *result = fx_exec_call1(exec, &argument, 1, FX_MUST);
    assert_string_equal(fx_tensor_text(result).s, "float64(12)");
    assert_string_equal(l.text, "first float64(3);second float64(3);stopped float64(3);"
                                "first float64(6);second float64(6);stopped float64(6);");
    fx_tensor_free(result);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_derivatives), cmocka_unit_test(test_own),
                                       cmocka_unit_test(test_batch),       cmocka_unit_test(test_captured),
                                       cmocka_unit_test(test_wrong_shape), cmocka_unit_test(test_stopped),
                                       cmocka_unit_test(test_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
