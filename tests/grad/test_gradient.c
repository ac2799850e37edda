/* SPDX-License-Identifier: Apache-2.0 */
/* The walks of both modes: what depends on what, sums of adjoints, zeros, refusals, closures. */
#include "support/derivatives.h"
#include "support/run_graph.h"
#include <math.h>

static void product_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_node *xy = fx_mul(in[0], in[1]);
    out[0] = fx_sub(fx_mul(xy, in[0]), fx_neg(in[1]));
    out[1] = fx_mul(xy, xy);
}

static void test_products(void **state) {
    (void)state;
    check_derivatives(&(derivative_case){.name = "products",
                                         .fn = product_fn,
                                         .n_in = 2,
                                         .n_out = 2,
                                         .in = {RANDOM_F64(1, -2, 2, 3, 2), RANDOM_F64(2, -2, 2, 3, 2)}});
    const int64_t dims[] = {3};
    check_derivatives(&(derivative_case){.name = "complex products",
                                         .fn = product_fn,
                                         .n_in = 2,
                                         .n_out = 2,
                                         .in = {random_values(FX_C128, (fx_dims){dims, 1}, -2, 2, 3),
                                                random_values(FX_C128, (fx_dims){dims, 1}, -2, 2, 4)}});
}

/* 60 diamonds x + x: 2^60, and a graph whose size stays linear. */
static void test_diamonds(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = fx_parameter(graph, &FX_SHAPE(FX_F64)), *y = x;
    for (int i = 0; i < 60; i++) y = fx_add(y, y);
    fx_node *d = fx_gradient(y, FX_NODES(x), NULL);
    assert_no_error(graph);
    assert_in_range(fx_graph_node_count(graph), 60, 200);
    fx_graph_free(graph);
    (void)d;
}

static void test_zeros(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = fx_ones(graph, &FX_SHAPE(FX_F32, 2)), *loss = fx_scalar(graph, FX_F32, 3);
    assert_value(graph, fx_gradient(loss, FX_NODES(x), NULL), "[2]float32{0, 0}");
}

static void test_refusals(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F32, 2));
    fx_gradient(x, FX_NODES(x), NULL);
    assert_error(graph, FX_ERROR_SHAPE,
                 "fx_gradient: the loss is (float32)[2] instead of a scalar of floats");
    fx_graph_free(graph);
    graph = new_graph();
    fx_node *i = parameter(graph, FX_SHAPE(FX_S32));
    fx_gradient(fx_convert(i, FX_F32), FX_NODES(i), NULL);
    assert_error(
        graph, FX_ERROR_DTYPE,
        "fx_gradient: node 0, %0 = parameter, is (int32): only floats and complex numbers have derivatives");
    fx_graph_free(graph);
    assert_null(fx_gradient(NULL, (fx_nodes){NULL, 0}, NULL));
}

/* ---- constants that closures copy ---- */

static void add_captured(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                         void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_mul(in[n_in - 1], user);
}

/* x c and its gradient by c, in the closure that has copied c. */
static void inside(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out;
    fx_node *loss = fx_mul(fx_mul(in[1], user), user);
    out[0] = fx_gradient(loss, FX_NODES((fx_node *)user), NULL);
}

static void test_constants(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *c = fx_scalar(graph, FX_F64, 3), *x = fx_scalar(graph, FX_F64, 2);
    fx_node *y = fx_for(4, FX_NODES(x), add_captured, c, NULL);
    (fx_gradient)(y, FX_NODES(c), NULL);
    assert_error(
        graph, FX_ERROR_UNSUPPORTED,
        "fx_gradient: node 0, %0 = constant, is a constant that a closure of %3 = scan has a copy of: "
        "pass it to the closure, or make it a parameter");
    fx_graph_free(graph);
    graph = new_graph();
    c = fx_scalar(graph, FX_F64, 3), x = fx_scalar(graph, FX_F64, 2);
    assert_value(graph, fx_for(2, FX_NODES(x), inside, c, NULL), "float64(72)");
    graph = new_graph();
    c = fx_scalar(graph, FX_F64, 3), x = fx_constant_host(graph, FX_HOST(((double[]){1, 2}), 2));
    y = fx_vmap(FX_NODES(x), NULL, add_captured, c, 1, NULL, NULL);
    assert_value(graph, fx_gradient(fx_reduce_all_sum(y), FX_NODES(c), NULL), "float64(3)");
}

/* ---- misuse: the error is in the graph of the outputs, and every place of the results is written ---- */

static void hostile(void (*call)(fx_node *loss, fx_node *x, fx_node *bad, fx_node **results),
                    fx_node *foreign, const char *message) {
    fx_graph *graph = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F64)), *d[4];
    for (int i = 0; i < 4; i++) d[i] = (fx_node *)(uintptr_t)1; /* garbage */
    call(fx_mul(x, x), x, foreign, d);
    fx_error err = {.code = FX_OK};
    assert_true(fx_graph_error(graph, &err));
    assert_non_null(strstr(err.message, message));
    for (int i = 0; i < 2; i++) assert_string_equal(fx_node_op(d[i]), "inert");
    fx_graph_free(graph);
}

static void gradient_first(fx_node *loss, fx_node *x, fx_node *bad, fx_node **d) {
    fx_gradient(loss, FX_NODES(bad, x), d);
}
static void gradient_second(fx_node *loss, fx_node *x, fx_node *bad, fx_node **d) {
    fx_gradient(loss, FX_NODES(x, bad), d);
}
static void gradient_of(fx_node *loss, fx_node *x, fx_node *bad, fx_node **d) {
    (void)loss;
    fx_gradient(bad, FX_NODES(x, x), d);
}
static void vjp(fx_node *loss, fx_node *x, fx_node *bad, fx_node **d) {
    fx_vjp(FX_NODES(loss), FX_NODES(loss), FX_NODES(bad, x), d);
}
static void vjp_adjoint(fx_node *loss, fx_node *x, fx_node *bad, fx_node **d) {
    fx_vjp(FX_NODES(loss), FX_NODES(bad), FX_NODES(x, x), d);
}
static void jvp(fx_node *loss, fx_node *x, fx_node *bad, fx_node **d) {
    fx_jvp(FX_NODES(loss, loss), FX_NODES(bad), FX_NODES(x), d);
}
static void jacobian(fx_node *loss, fx_node *x, fx_node *bad, fx_node **d) {
    fx_jacobian(loss, FX_NODES(bad, x), false, d);
}
static void hessian(fx_node *loss, fx_node *x, fx_node *bad, fx_node **d) {
    fx_hessian(loss, FX_NODES(bad, x), d);
}
static void wrong_shape(fx_node *loss, fx_node *x, fx_node *bad, fx_node **d) {
    (void)bad;
    fx_vjp(FX_NODES(loss), FX_NODES(fx_ones(fx_node_graph(x), &FX_SHAPE(FX_F64, 2))), FX_NODES(x, x), d);
}

static void of_integers(fx_node *loss, fx_node *x, fx_node *bad, fx_node **d) {
    fx_node *whole = fx_convert(loss, FX_S32);
    (void)bad;
    fx_vjp(FX_NODES(whole), FX_NODES(whole), FX_NODES(x, x), d);
}

static void test_misuse(void **state) {
    (void)state;
    fx_graph *other = new_graph();
    fx_node *foreign = parameter(other, FX_SHAPE(FX_F64));
    hostile(gradient_first, foreign, "fx_gradient: node 0, %0 = parameter, belongs to another graph");
    hostile(gradient_second, foreign, "fx_gradient: node 1, %0 = parameter, belongs to another graph");
    hostile(vjp, foreign, "fx_vjp: node 0, %0 = parameter, belongs to another graph");
    hostile(vjp_adjoint, foreign, "fx_vjp: adjoint 0, %0 = parameter, belongs to another graph");
    hostile(jvp, foreign, "fx_jvp: node 0, %0 = parameter, belongs to another graph");
    hostile(jacobian, foreign, "fx_jacobian: node 0, %0 = parameter, belongs to another graph");
    hostile(hessian, foreign, "fx_hessian: node 0, %0 = parameter, belongs to another graph");
    hostile(gradient_first, NULL, "fx_gradient: node 0 is NULL");
    hostile(gradient_second, NULL, "fx_gradient: node 1 is NULL");
    hostile(gradient_of, NULL, "fx_gradient: loss 0 is NULL");
    hostile(vjp, NULL, "fx_vjp: node 0 is NULL");
    hostile(jvp, NULL, "fx_jvp: node 0 is NULL");
    hostile(jacobian, NULL, "fx_jacobian: node 0 is NULL");
    hostile(hessian, NULL, "fx_hessian: node 0 is NULL");
    hostile(wrong_shape, NULL, "fx_vjp: adjoint 0 is (float64)[2] instead of (float64)");
    hostile(of_integers, NULL, "fx_vjp: adjoint 0 is of (int32), which has no derivatives: it must be NULL");
    assert_no_error(other);
    fx_graph_free(other);
}

static void test_no_closure(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F64)), *d = x;
    assert_string_equal(fx_node_op(fx_value_and_gradient(NULL, NULL, FX_NODES(x), &d)), "inert");
    assert_string_equal(fx_node_op(d), "inert");
    assert_error(graph, FX_ERROR_ARGUMENT, "fx_value_and_gradient: the closure is NULL");
    fx_graph_free(graph);
}

/* An inert node of another graph is an error here too. */
static void test_inert_elsewhere(void **state) {
    (void)state;
    fx_graph *graph = new_graph(), *other = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F64)),
            *bad = fx_reshape(parameter(other, FX_SHAPE(FX_F64)), FX_DIMS(7));
    fx_add(x, bad);
    assert_error(graph, FX_ERROR_GRAPH, "fx_add: operand 1 belongs to another graph");
    fx_graph_free(graph);
    fx_graph_free(other);
}

/* ---- nodes of wrt that depend on each other: both modes are by something added to each ---- */

/* x, y = x x, loss = y y x at x = 3; the tangents are times[0] and times[1], NaN: none. */
static double tangent_of_loss(const double *times) {
    fx_graph *graph = new_graph();
    fx_node *x = fx_scalar(graph, FX_F64, 3), *y = fx_mul(x, x), *loss = fx_mul(fx_mul(y, y), x), *t[2];
    for (int i = 0; i < 2; i++) t[i] = isnan(times[i]) ? NULL : fx_scalar(graph, FX_F64, times[i]);
    fx_tensor *value = run_graph(graph, fx_jvp(FX_NODES(loss), FX_NODES(x, y), FX_NODES(t[0], t[1]), NULL));
    double tangent = *(const double *)fx_tensor_data(value);
    fx_tensor_free(value);
    return tangent;
}

static void test_dependent(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) { /* d loss / dx = 5 x^4 by way of y too, d loss / dy = 2 x y */
        fx_graph *graph = new_graph();
        fx_node *x = fx_scalar(graph, FX_F64, 3), *y = fx_mul(x, x), *d[2];
        fx_gradient(fx_mul(fx_mul(y, y), x), FX_NODES(x, y), d);
        assert_value(graph, d[i], i ? "float64(54)" : "float64(405)");
    }
    assert_true(tangent_of_loss((const double[]){1, NAN}) == 405);
    assert_true(tangent_of_loss((const double[]){1, 0}) == 405);
    assert_true(tangent_of_loss((const double[]){NAN, 1}) == 54);
    assert_true(tangent_of_loss((const double[]){1, 2}) == 405 + 2 * 54);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_diamonds),
                                       cmocka_unit_test(test_zeros),    cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_misuse),   cmocka_unit_test(test_constants),
                                       cmocka_unit_test(test_no_closure),
                                       cmocka_unit_test(test_inert_elsewhere),
                                       cmocka_unit_test(test_dependent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
