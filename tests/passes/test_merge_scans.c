/* SPDX-License-Identifier: Apache-2.0 */
/* Scans that carry the same states become one; others do not. */
#include "passes/merge_scans.h"
#include "support/run_graph.h"
#include <fluxion.h>

static size_t count_scans(const fx_graph *graph) {
    size_t n = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) n += graph->nodes.data[i]->op == FX_OP_SCAN;
    return n;
}

/* Scans that are left of the graph of these outputs. */
static size_t scans_after_passes(fx_graph *graph, fx_nodes outputs) {
    fx_error err = {.code = FX_OK};
    if (!fx_graph_finish(graph, outputs, &err)) fail_msg("%s", err.message);
    fx_graph *made = fxi_passes_run(graph, &err);
    if (!made || !fxi_verify(made, &err)) fail_msg("%s", err.message);
    size_t n = count_scans(made);
    fx_graph_free(made);
    fx_graph_free(graph);
    return n;
}

/* ---- gradients ---- */

static void twice(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)in, (void)n_in, (void)n_out;
    out[0] = fx_sin(fx_add(user, user));
}

static void once(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)in, (void)n_in, (void)n_out;
    out[0] = fx_tanh(user);
}

static void round_body(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)n_in, (void)n_out;
    fx_node *h = fx_tanh(fx_add(fx_mul(in[0], user), in[1]));
    fx_if(fx_less(h, fx_scalar(body, FX_F32, 0)), twice, once, 1, h, &h);
    out[0] = h;
    out[1] = fx_mul(h, h);
}

static void inner_body(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_tanh(fx_mul(in[1], user));
}

static void nested_body(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    (void)body, (void)n_in, (void)n_out;
    fx_for(3, FX_NODES(in[0]), inner_body, user, out);
}

/* The loss, its gradient and that of the square of the last state: two gradients of one scan. */
static void test_gradients(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *xs = parameter(graph, FX_SHAPE(FX_F32, 5)), *h = parameter(graph, FX_SHAPE(FX_F32));
    fx_node *w = parameter(graph, FX_SHAPE(FX_F32));
    fx_node *results[2];
    fx_scan(FX_NODES(h), FX_NODES(xs), 5, 1, round_body, w, results);
    fx_node *loss = fx_reduce_all_sum(results[1]);
    fx_node *d = fx_gradient(loss, FX_NODES(w), NULL);
    assert_int_equal(scans_after_passes(graph, FX_NODES(loss, d)), 2);

    graph = new_graph();
    xs = parameter(graph, FX_SHAPE(FX_F32, 5)), h = parameter(graph, FX_SHAPE(FX_F32));
    w = parameter(graph, FX_SHAPE(FX_F32));
    fx_scan(FX_NODES(h), FX_NODES(xs), 5, 1, round_body, w, results);
    loss = fx_reduce_all_sum(results[1]);
    d = fx_gradient(loss, FX_NODES(w), NULL);
    fx_node *other = fx_gradient(fx_mul(results[0], results[0]), FX_NODES(w), NULL);
    assert_int_equal(scans_after_passes(graph, FX_NODES(loss, d, other)), 3);

    graph = new_graph();
    h = parameter(graph, FX_SHAPE(FX_F32));
    w = parameter(graph, FX_SHAPE(FX_F32));
    fx_scan(FX_NODES(h), (fx_nodes){NULL, 0}, 4, 0, nested_body, w, results);
    d = fx_gradient(results[0], FX_NODES(w), NULL);
    assert_int_equal(scans_after_passes(graph, FX_NODES(results[0], d)), 2);
}

/* ---- numbers of results ---- */

static void squares(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_mul(in[0], in[0]);
    out[1] = fx_add(in[0], in[0]);
}

static void cubes(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_add(in[0], in[0]);
    out[1] = fx_mul(in[0], fx_mul(in[0], in[0]));
}

static void test_numbers(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = fx_constant_host(graph, FX_HOST(((double[]){1, 2, 3}), 3)), *a[2], *b[2];
    fx_scan((fx_nodes){NULL, 0}, FX_NODES(x), 3, 2, squares, NULL, a);
    fx_scan((fx_nodes){NULL, 0}, FX_NODES(x), 3, 2, cubes, NULL, b);
    fx_node *all = fx_concatenate(FX_NODES(a[0], a[1], b[0], b[1]), 0);
    fx_error err = {.code = FX_OK};
    assert_true(fx_graph_finish(graph, FX_NODES(all), &err));
    fx_graph *made = NULL;
    assert_true(fxi_merge_scans(graph, &made, &err));
    assert_non_null(made);
    if (!fxi_verify(made, &err)) fail_msg("%s", err.message);
    fx_graph_free(graph);
    made->finished = false; /* assert_value finishes */
    assert_value(made, made->outputs[0], "[12]float64{1, 4, 9, 2, 4, 6, 2, 4, 6, 1, 8, 27}");
}

static void grow(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_add(in[0], in[1]);
}

static void shrink(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_sub(in[0], in[1]);
}

static void test_others(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F32, 3)), *s = parameter(graph, FX_SHAPE(FX_F32));
    fx_node *a = fx_scan(FX_NODES(s), FX_NODES(x), 3, 0, grow, NULL, NULL);
    fx_node *b = fx_scan(FX_NODES(s), FX_NODES(x), 3, 0, shrink, NULL, NULL);
    fx_node *c = fx_scan_reverse(FX_NODES(s), FX_NODES(x), 3, 0, grow, NULL, NULL);
    assert_int_equal(scans_after_passes(graph, FX_NODES(a, b, c)), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradients), cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
