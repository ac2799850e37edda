/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of collectives: values with one device, where all are the identity, and the operations that
 * appear for several. */
#include "support/derivatives.h"
#include "support/graph_helpers.h"

typedef fx_node *(*collective)(fx_node *x);
static const fx_device_groups one = {.taking_part = 1};

static fx_node *sum(fx_node *x) {
    return fx_all_reduce_one(x, FX_COLLECTIVE_SUM, NULL);
}
static fx_node *max(fx_node *x) {
    return fx_all_reduce_one(x, FX_COLLECTIVE_MAX, NULL);
}
static fx_node *product(fx_node *x) {
    return fx_all_reduce_one(x, FX_COLLECTIVE_PRODUCT, NULL);
}
static fx_node *gather(fx_node *x) {
    return fx_all_gather(x, 0, &one);
}
static fx_node *scatter(fx_node *x) {
    return fx_reduce_scatter(x, FX_COLLECTIVE_SUM, 0, &one);
}
static fx_node *scatter_max(fx_node *x) {
    return fx_reduce_scatter(x, FX_COLLECTIVE_MAX, 0, &one);
}
static fx_node *exchange(fx_node *x) {
    return fx_all_to_all(x, 0, 1, &one);
}
static fx_node *stay(fx_node *x) {
    return fx_collective_permute(x, FX_DIMS(0, 0), 0);
}
static fx_node *leave(fx_node *x) {
    return fx_collective_permute(x, FX_DIMS(), 0);
}
static fx_node *broadcast(fx_node *x) {
    return fx_collective_broadcast(x, NULL);
}

static fx_node *broadcast_to_some(fx_node *x) {
    static const int64_t some[] = {0, 2};
    const fx_device_groups groups = {.devices = {some, 2}};
    return fx_collective_broadcast(x, &groups);
}

static void squared(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = (*(collective *)user)(fx_mul(in[0], in[0]));
}

static void test_one_device(void **state) {
    (void)state;
    static const struct {
        const char *name;
        collective f;
    } rows[] = {{"all_reduce sum", sum},         {"all_reduce max", max},  {"all_gather", gather},
                {"reduce_scatter", scatter},     {"all_to_all", exchange}, {"permute", stay},
                {"permute without pairs", leave}, {"broadcast", broadcast}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_derivatives(&(derivative_case){.name = rows[i].name,
                                             .fn = squared,
                                             .user = (void *)&rows[i].f,
                                             .n_in = 1,
                                             .n_out = 1,
                                             .in = {RANDOM_F64(1, -2, 2, 4, 3)}});
}

/* Over two devices the adjoint goes back by the transposed exchange. */
static void test_two_devices(void **state) {
    (void)state;
    const int64_t both[] = {0, 1};
    const fx_device_groups two = {.devices = {both, 2}};
    fx_graph *graph = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F32, 4, 6));
    fx_node *y = fx_all_gather(x, 1, &two);
    fx_node *d = fx_vjp(FX_NODES(y), FX_NODES(fx_ones_like(y)), FX_NODES(x), NULL);
    assert_string_equal(fx_node_op(d), "reduce_scatter");
    y = fx_all_to_all(x, 0, 1, &two);
    d = fx_vjp(FX_NODES(y), FX_NODES(fx_ones_like(y)), FX_NODES(x), NULL);
    assert_string_equal(fx_node_op(d), "all_to_all");
    assert_int_equal(fxi_node_int(d, FXI_ATTR_SPLIT_AXIS), 1);
    assert_int_equal(fxi_node_int(d, FXI_ATTR_CONCAT_AXIS), 0);
    y = fx_collective_permute(x, FX_DIMS(0, 1), 0);
    d = fx_vjp(FX_NODES(y), FX_NODES(fx_ones_like(y)), FX_NODES(x), NULL);
    assert_int_equal(fxi_node_ints(d, FXI_ATTR_PAIRS).v[0], 1);
    assert_no_error(graph);
    fx_graph_free(graph);
}

static void test_refusals(void **state) {
    (void)state;
    static const collective rows[] = {product, scatter_max, broadcast_to_some};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int forward = 0; forward < (i < 2 ? 2 : 1); forward++) { /* a tangent is broadcast too */
            fx_graph *graph = new_graph();
            fx_node *x = parameter(graph, FX_SHAPE(FX_F32, 4)), *y = rows[i](x), *ones = fx_ones_like(x);
            if (forward)
                fx_jvp(FX_NODES(y), FX_NODES(x), FX_NODES(ones), NULL);
            else
                fx_vjp(FX_NODES(y), FX_NODES(ones), FX_NODES(x), NULL);
            fx_error err = {.code = FX_OK};
            assert_true(fx_graph_error(graph, &err));
            assert_int_equal(err.code, FX_ERROR_UNSUPPORTED);
            assert_non_null(strstr(err.message, i < 2 ? "has a derivative for sums only"
                                                      : "only when its groups are of replicas"));
            fx_graph_free(graph);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_device), cmocka_unit_test(test_two_devices),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
