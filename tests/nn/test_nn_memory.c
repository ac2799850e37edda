/* SPDX-License-Identifier: Apache-2.0 */
/* Every layer and activation, and gradients of some, built with the n-th allocation failing, for every n until
 * all pass: the graph says that memory is out, nothing leaks, nothing is read that was not made. */
#include "support/allocations.h"
#include "support/graph_helpers.h"
#include <fluxion.h>

static void activations(fx_graph *g) {
    fx_node *x = fx_zeros(g, &FX_SHAPE(FX_BF16, 2, 4));
    for (int i = FX_ACTIVATION_NONE; i <= FX_ACTIVATION_GLU; i++) fx_activate(x, (fx_activation)i);
    fx_prelu(x, x);
    fx_masked_softmax(x, fx_less(x, x), FX_AXES(0));
    fx_log_softmax(x, FX_AXES(-1));
}

static void products(fx_graph *g) {
    fx_node *x = fx_zeros(g, &FX_SHAPE(FX_BF16, 2, 4)), *w = fx_zeros(g, &FX_SHAPE(FX_BF16, 4, 4));
    fx_node *b = fx_zeros(g, &FX_SHAPE(FX_F32, 4)), *half = fx_zeros(g, &FX_SHAPE(FX_F32, 1));
    fx_node *k, *v, *found[3];
    fx_node *y = fx_nn_dense(x, w, b, FX_DENSE_OUTPUTS_INPUT, FX_ACTIVATION_GELU);
    fx_nn_qkv_projection(x, w, NULL, half, half, 2, 1, &k, &v);
    fx_gradient(fx_reduce_all_sum(y), FX_NODES(x, w, b), found);
    fx_nn_embedding(w, fx_zeros(g, &FX_SHAPE(FX_S32, 3)));
    fx_nn_softcap(x, 2);
    fx_nn_dropout(x, 0.5, fx_random_state(g, 1), &v);
}

static void norms(fx_graph *g) {
    fx_node *x = fx_zeros(g, &FX_SHAPE(FX_F16, 2, 4)), *c = fx_zeros(g, &FX_SHAPE(FX_F32, 4)), *found[2];
    fx_batch_statistics s;
    fx_node *y = fx_nn_layer_norm(x, FX_AXES(-1), 1e-5, c, c, fx_less(x, x));
    fx_gradient(fx_reduce_all_sum(y), FX_NODES(x, c), found);
    fx_nn_rms_norm(x, FX_AXES(-1), 1e-5, c);
    fx_nn_group_norm(x, 2, 1, 1e-5, c, c);
    fx_nn_instance_norm(x, 1, 1e-5, c, NULL);
    fx_nn_batch_norm(x, c, c, c, c, 1e-5, 1);
    fx_nn_batch_norm_training(x, c, c, 1e-5, 1, &(fx_batch_averages){c, c, 0.9, true}, &s);
}

static void test_activations(void **state) {
    (void)state;
    allocations_fail_each(activations);
}
static void test_products(void **state) {
    (void)state;
    allocations_fail_each(products);
}
static void test_norms(void **state) {
    (void)state;
    allocations_fail_each(norms);
}

int main(void) {
    if (!allocations_install()) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_activations), cmocka_unit_test(test_products),
                                       cmocka_unit_test(test_norms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
