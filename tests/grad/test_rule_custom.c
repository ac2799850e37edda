/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives that come with a user's operation, and the message when they do not. */
#include "support/derivatives.h"
#include "support/run_graph.h"
#include <stddef.h>

/* x y^2 and x + k, of vectors of two; k an int32 scalar. */
static bool run_parts(const fx_tensor *const *in, size_t n_in, fx_tensor *const *out, size_t n_out,
                      void *user, fx_error *err) {
    const double *x = in[0]->data, *y = in[1]->data;
    double *product = out[0]->data, *sum = out[1]->data;
    (void)n_in, (void)n_out, (void)user, (void)err;
    for (int i = 0; i < 2; i++) {
        product[i] = x[i] * y[i] * y[i];
        sum[i] = x[i] + fx_tensor_get(in[2], 0);
    }
    return true;
}

static void parts_vjp(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    (void)body, (void)user;
    assert_int_equal(n_in, 7); /* x, y, k, two outputs, two adjoints */
    assert_int_equal(n_out, 3);
    fx_node *x = in[0], *y = in[1], *u = in[5];
    out[0] = fx_add(fx_mul(u, fx_mul(y, y)), in[6]);
    out[1] = fx_mul(fx_mul(u, x), fx_add(y, y));
}

static void parts_jvp(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    (void)body, (void)user;
    assert_int_equal(n_in, 8); /* x, y, k, two outputs, three tangents */
    assert_int_equal(n_out, 2);
    fx_node *x = in[0], *y = in[1];
    out[0] = fx_add(fx_mul(in[5], fx_mul(y, y)), fx_mul(fx_mul(in[6], x), fx_add(y, y)));
    out[1] = in[5];
}

static const fx_custom parts = {
    .size = sizeof parts, .name = "parts", .run = run_parts, .vjp = parts_vjp, .jvp = parts_jvp};

static void parts_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    const fx_shape shapes[] = {FX_SHAPE(FX_F64, 2), FX_SHAPE(FX_F64, 2)};
    (void)body, (void)n_in;
    (fx_custom_call)(user, FX_NODES(in[0], in[1], in[2]), shapes, n_out, out);
}

static void test_both_modes(void **state) {
    (void)state;
    check_derivatives(&(derivative_case){.name = "custom",
                                         .fn = parts_fn,
                                         .user = (void *)&parts,
                                         .n_in = 3,
                                         .n_out = 2,
                                         .in = {RANDOM_F64(1, -1, 1, 2), RANDOM_F64(2, -1, 1, 2),
                                                random_values(FX_S32, (fx_dims){NULL, 0}, 1, 9, 3)}});
}

/* A struct of the first version ends before the derivatives, whatever lies behind it. */
static void test_refusals(void **state) {
    (void)state;
    static const fx_custom without = {.size = sizeof without, .name = "opaque", .run = run_parts};
    fx_custom old = parts;
    for (int version = 0; version < 3; version++) {
        old.size = version ? offsetof(fx_custom, vjp) : 0;
        const fx_custom *custom = version == 2 ? &without : &old;
        char wanted[200];
        fx_graph *graph = new_graph();
        fx_node *x = fx_parameter(graph, &FX_SHAPE(FX_F64, 2)), *k = fx_parameter(graph, &FX_SHAPE(FX_S32));
        fx_node *out[2];
        parts_fn(graph, (fx_node *const[]){x, x, k}, 3, out, 2, (void *)custom);
        fx_at(out[1], "model.c", 7);
        fx_vjp(FX_NODES(out[0]), FX_NODES(x), FX_NODES(x), NULL);
        snprintf(wanted, sizeof wanted,
                 "fx_vjp: %%2 = custom_call at model.c:7 has no reverse derivative: %s comes without one "
                 "(fx_custom.vjp)",
                 custom->name);
        assert_error(graph, FX_ERROR_UNSUPPORTED, wanted);
        fx_graph_free(graph);
        graph = new_graph();
        x = fx_parameter(graph, &FX_SHAPE(FX_F64, 2)), k = fx_parameter(graph, &FX_SHAPE(FX_S32));
        parts_fn(graph, (fx_node *const[]){x, x, k}, 3, out, 2, (void *)custom);
        fx_at(out[1], "model.c", 7);
        fx_jvp(FX_NODES(out[0]), FX_NODES(x), FX_NODES(x), NULL);
        snprintf(wanted, sizeof wanted,
                 "fx_jvp: %%2 = custom_call at model.c:7 has no forward derivative: %s comes without one "
                 "(fx_custom.jvp)",
                 custom->name);
        assert_error(graph, FX_ERROR_UNSUPPORTED, wanted);
        fx_graph_free(graph);
    }
}

/* ---- closures that give what they should not: refused, in loops too ---- */

static fx_node *given; /* by the closures below */

static void give(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)in, (void)n_in, (void)user;
    for (size_t i = 0; i < n_out; i++) out[i] = given;
}

static void give_scalar(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    (void)in, (void)n_in, (void)user;
    for (size_t i = 0; i < n_out; i++) out[i] = fx_scalar(body, FX_F64, 1);
}

static void call_parts(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    fx_node *results[2];
    (void)n_out;
    parts_fn(body, (fx_node *const[]){in[n_in - 1], in[n_in - 1], in[0]}, 3, results, 2, user);
    out[0] = results[0];
}

static void check_wrong(fx_fn closure, bool loop, bool reverse, fx_error_code code, const char *message) {
    const fx_custom wrong = {
        .size = sizeof wrong, .name = "wrong", .run = run_parts, .vjp = closure, .jvp = closure};
    fx_graph *graph = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F64, 2)), *y, *d;
    if (loop)
        fx_for(3, FX_NODES(x), call_parts, (void *)&wrong, &y);
    else
        call_parts(graph, (fx_node *const[]){fx_scalar_int(graph, FX_S64, 1), x}, 2, &y, 1, (void *)&wrong);
    if (reverse)
        d = fx_vjp(FX_NODES(y), FX_NODES(y), FX_NODES(x), NULL);
    else
        d = fx_jvp(FX_NODES(y), FX_NODES(x), FX_NODES(x), NULL);
    fx_error err = {.code = FX_OK};
    assert_false(fx_graph_finish(graph, FX_NODES(d), &err));
    assert_int_equal(err.code, code);
    assert_non_null(strstr(err.message, message));
    fx_graph_free(graph);
}

static void test_wrong_closures(void **state) {
    (void)state;
    fx_graph *other = new_graph();
    for (int i = 0; i < 40; i++) given = parameter(other, FX_SHAPE(FX_F64, 2));
    for (int loop = 0; loop < 2; loop++) {
        check_wrong(give, loop, true, FX_ERROR_GRAPH,
                    "vjp of wrong: what it gives for input 0 belongs to another graph");
        check_wrong(give, loop, false, FX_ERROR_GRAPH,
                    "jvp of wrong: what it gives for output 0 belongs to another graph");
        check_wrong(give_scalar, loop, true, FX_ERROR_SHAPE,
                    "vjp of wrong: it gives (float64) for input 0 instead of (float64)[2]");
        check_wrong(give_scalar, loop, false, FX_ERROR_SHAPE,
                    "jvp of wrong: it gives (float64) for output 0 instead of (float64)[2]");
    }
    fx_graph_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_modes), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_wrong_closures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
