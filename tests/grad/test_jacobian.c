/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobians by rows and by columns, Hessians, gradients of functions: values known by hand, refusals. */
#include "support/run_graph.h"
#include <fluxion.h>

static fx_node *vector(fx_graph *graph, double x, double y) {
    return fx_constant_host(graph, FX_HOST(((const double[]){x, y}), 2));
}

static fx_node *element(fx_node *x, int64_t i) {
    return fx_slice_axis(x, 0, i, i + 1, 1);
}

/* [x0 x1, x1^2, 3 x0] */
static fx_node *tall(fx_node *x) {
    fx_node *x0 = element(x, 0), *x1 = element(x, 1);
    return fx_concatenate(FX_NODES(fx_mul(x0, x1), fx_mul(x1, x1), fx_mul_scalar(x0, 3)), 0);
}

/* Three outputs by two inputs goes by columns, one output by two inputs by rows. */
static void test_jacobian(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = vector(graph, 2, 5);
    assert_value(graph, fx_jacobian(tall(x), FX_NODES(x), false, NULL),
                 "[3][2]float64{{5, 2}, {0, 10}, {3, 0}}");
    graph = new_graph();
    x = vector(graph, 2, 5);
    assert_value(graph, fx_jacobian(element(tall(x), 1), FX_NODES(x), false, NULL), "[1][2]float64{{0, 10}}");
    graph = new_graph();
    x = vector(graph, 2, 5);
    fx_node *y = vector(graph, 1, 1), *results[2];
    fx_jacobian(fx_mul(x, fx_mul(y, y)), FX_NODES(x, y), false, results);
    assert_value(graph, fx_concatenate(FX_NODES(results[0], results[1]), 1),
                 "[2][4]float64{{1, 0, 4, 0}, {0, 1, 0, 10}}");
}

static void square(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_mul(in[1], in[1]);
}

/* x^4 by a loop, whose reverse scan is one scan for all rows: no loop in a loop. */
static void test_loop(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = vector(graph, 2, 5),
            *d = fx_jacobian(fx_for(2, FX_NODES(x), square, NULL, NULL), FX_NODES(x), false, NULL);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        fxi_graphs bodies = fxi_node_bodies(graph->nodes.data[i]);
        for (size_t k = 0; bodies.n && k < bodies.v[0]->nodes.count; k++)
            assert_int_not_equal(bodies.v[0]->nodes.data[k]->op, FX_OP_SCAN);
    }
    assert_value(graph, d, "[2][2]float64{{32, 0}, {0, 500}}");
}

/* Of nothing, and by what it does not depend on. */
static void test_zeros(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = vector(graph, 2, 5), *empty = fx_slice_axis(x, 0, 1, 1, 1);
    assert_value(graph, fx_jacobian(empty, FX_NODES(x), false, NULL), "[0][2]float64{}");
    graph = new_graph();
    x = vector(graph, 2, 5);
    fx_node *y = fx_scalar(graph, FX_F32, 1);
    assert_value(graph, fx_jacobian(x, FX_NODES(y), false, NULL), "[2]float32{0, 0}");
}

/* f(z) = z^2 - i z: 2 z - i, by rows and by columns. */
static fx_node *holomorphic(fx_node *z) {
    fx_node *i = fx_complex(fx_scalar(fx_node_graph(z), FX_F64, 0), fx_scalar(fx_node_graph(z), FX_F64, 1));
    return fx_sub(fx_mul(z, z), fx_mul(i, z));
}

static void test_complex(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        fx_graph *graph = new_graph();
        fx_node *z = fx_complex(vector(graph, 1, 2), vector(graph, 3, 4)), *f = holomorphic(z);
        if (wide) f = fx_concatenate(FX_NODES(f, f), 0);
        fx_node *d = fx_slice_axis(fx_jacobian(f, FX_NODES(z), true, NULL), 0, 0, 2, 1);
        d = fx_add(d, fx_zeros_like(d)); /* no negative zeros */
        assert_value(graph, d, "[2][2]complex128{{(2+5i), (0+0i)}, {(0+0i), (4+7i)}}");
    }
    fx_graph *graph = new_graph();
    fx_node *z = fx_complex(vector(graph, 1, 2), vector(graph, 3, 4));
    fx_jacobian(holomorphic(z), FX_NODES(z), false, NULL);
    assert_error(graph, FX_ERROR_DTYPE, "fx_jacobian: the output is complex, and not said to be holomorphic");
    fx_graph_free(graph);
}

/* x0^2 x1 + x1 y */
static void test_hessian(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = vector(graph, 2, 5), *y = fx_constant_host(graph, FX_HOST(((const double[]){7}), 1));
    fx_node *x0 = element(x, 0), *x1 = element(x, 1), *results[4];
    fx_node *loss = fx_reduce_all_sum(fx_add(fx_mul(fx_mul(x0, x0), x1), fx_mul(x1, y)));
    fx_hessian(loss, FX_NODES(x, y), results);
    fx_node *left = fx_concatenate(FX_NODES(results[0], results[2]), 0);
    fx_node *right = fx_concatenate(FX_NODES(results[1], results[3]), 0);
    assert_value(graph, fx_concatenate(FX_NODES(left, right), 1),
                 "[3][3]float64{{10, 4, 0}, {4, 0, 1}, {0, 1, 0}}");
    graph = new_graph();
    x = vector(graph, 2, 5);
    fx_hessian(x, FX_NODES(x), NULL);
    assert_error(graph, FX_ERROR_SHAPE, "fx_hessian: the loss is (float64)[2] instead of a scalar of floats");
    fx_graph_free(graph);
}

static void product(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    fx_node *captured = user;
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_mul(fx_mul(in[0], fx_mul(in[1], in[1])), captured);
}

/* One node for both inputs, and captured: x y^2 c, by x and by y. */
static void test_function(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = fx_scalar(graph, FX_F64, 3), *d[3], *count = fx_scalar_int(graph, FX_S32, 1);
    fx_node *loss = fx_value_and_gradient(product, x, FX_NODES(x, x, count), d);
    assert_null(d[2]);
    fx_node *all[3] = {loss, d[0], d[1]};
    for (int i = 0; i < 3; i++) all[i] = fx_reshape(all[i], FX_DIMS(1));
    assert_value(graph, fx_concatenate((fx_nodes){all, 3}, 0), "[3]float64{81, 27, 54}");
    graph = new_graph();
    x = vector(graph, 1, 2);
    fx_value_and_gradient(product, x, FX_NODES(x, x), d);
    assert_error(graph, FX_ERROR_SHAPE,
                 "fx_value_and_gradient: the loss is (float64)[2] instead of a scalar of floats");
    fx_graph_free(graph);
    assert_null(fx_value_and_gradient(product, NULL, (fx_nodes){NULL, 0}, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_jacobian), cmocka_unit_test(test_loop),
                                       cmocka_unit_test(test_zeros),    cmocka_unit_test(test_complex),
                                       cmocka_unit_test(test_hessian),  cmocka_unit_test(test_function)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
