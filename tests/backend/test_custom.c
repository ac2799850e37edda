/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of the user's own on every backend: several results, packed dtypes, inside a loop and a map, failures with
 * and without a message, and what is refused. */
#include "exec/both.h"
#include "graph/graph.h"
#include <fluxion/control.h>
#include <fluxion/custom.h>
#include <fluxion/vmap.h>

#define CLOSURE(name)                                                                                        \
    static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)g, (void)in, (void)n_in, (void)out, (void)n_out, (void)user

/* Sum and difference of two vectors, times *user. */
static bool run_both(const fx_tensor *const *in, size_t n_in, fx_tensor *const *out, size_t n_out, void *user, fx_error *err) {
    (void)err;
    if (n_in != 2 || n_out != 2) return false;
    double scale = *(double *)user;
    for (int64_t i = 0; i < fx_shape_size(&in[0]->shape); i++) {
        fxi_element_store(in[0]->shape.dtype, out[0]->data, i, (fxi_scalar){.re = scale * (fx_tensor_get(in[0], i) + fx_tensor_get(in[1], i)),
            .i = (int64_t)(fx_tensor_get(in[0], i) + fx_tensor_get(in[1], i))});
        fxi_element_store(in[0]->shape.dtype, out[1]->data, i, (fxi_scalar){.re = scale * (fx_tensor_get(in[0], i) - fx_tensor_get(in[1], i)),
            .i = (int64_t)(fx_tensor_get(in[0], i) - fx_tensor_get(in[1], i))});
    }
    return true;
}
static double two = 2;
static const fx_custom both = {.name = "sum and difference", .run = run_both, .user = &two};

CLOSURE(call_both) {
    UNUSED;
    const fx_shape shapes[] = {*fx_node_shape(in[0]), *fx_node_shape(in[0])};
    fx_custom_call(&both, FX_NODES(in[0], in[1]), shapes, 2, out);
}
CLOSURE(around) { /* fused operations before and after */
    UNUSED;
    fx_node *parts[2], *given[] = {fx_neg(in[0]), fx_add(in[1], in[1])};
    call_both(g, given, 2, parts, 2, NULL);
    out[0] = fx_mul(parts[0], parts[1]);
}
CLOSURE(step) { call_both(g, in + 1, 2, out, 2, user); (void)n_in, (void)n_out; }
CLOSURE(looped) { UNUSED; fx_for(3, FX_NODES(in[0], in[1]), step, NULL, out); }
CLOSURE(mapped) { UNUSED; fx_vmap(FX_NODES(in[0], in[1]), NULL, call_both, NULL, 2, NULL, out); }

static void check(fx_backend *backend, fx_fn fn, size_t n_out, fx_tensor *const *in, const char *first, const char *second) {
    fx_exec *exec = fx_exec_new_fn(backend, fn, 2, n_out, NULL, FX_MUST);
    const fx_arg args[] = {FX_ARG(in[0]), FX_ARG(in[1])};
    fx_tensor *out[2] = {NULL};
    assert_true(fx_exec_call(exec, args, 2, out, n_out, FX_MUST));
    assert_text(out[0], first);
    if (second) assert_text(out[1], second);
    fx_tensor_free(out[0]), fx_tensor_free(out[1]);
    fx_exec_free(exec);
}

static void test_values(void **state) {
    fx_backend *backend = open_named(state);
    fx_tensor *in[2] = {fx_tensor_from(FX_HOST(((float[]){1, 2}), 2), FX_MUST), fx_tensor_from(FX_HOST(((float[]){10, 30}), 2), FX_MUST)};
    check(backend, call_both, 2, in, "[2]float32{22, 64}", "[2]float32{-18, -56}");
    check(backend, around, 1, in, "[2]float32{-1596, -14384}", NULL);
    check(backend, looped, 2, in, "[2]float32{176, 512}", "[2]float32{-144, -448}");
    check(backend, mapped, 2, in, "[2]float32{22, 64}", "[2]float32{-18, -56}");
    fx_tensor_free(in[0]), fx_tensor_free(in[1]);
    const fx_shape packed = FX_SHAPE(FX_S4, 3);
    for (int k = 0; k < 2; k++) {
        in[k] = fx_tensor_new(&packed, FX_MUST);
        memset(in[k]->data, 0, (size_t)in[k]->bytes);
        for (int64_t i = 0; i < 3; i++) fxi_element_store(FX_S4, in[k]->data, i, (fxi_scalar){.i = k ? 2 : i});
    }
    check(backend, call_both, 2, in, "[3]int4{2, 3, 4}", "[3]int4{-2, -1, 0}");
    fx_tensor_free(in[0]), fx_tensor_free(in[1]);
    fx_backend_close(backend);
}

/* ---- failures ---- */

static bool run_fails(const fx_tensor *const *in, size_t n_in, fx_tensor *const *out, size_t n_out, void *user, fx_error *err) {
    (void)in, (void)n_in, (void)out, (void)n_out;
    if (user) *err = (fx_error){.code = FX_ERROR_ATTRIBUTE, .message = "the disk is on fire"};
    return false;
}
static const fx_custom silent = {.name = "quiet one", .run = run_fails}, loud = {.name = "loud one", .run = run_fails, .user = &two};

CLOSURE(failing) { UNUSED; out[0] = fx_at((fx_custom_call)(user, FX_NODES(in[0]), fx_node_shape(in[0]), 1, NULL), "model.c", 9); }

static void check_failure(fx_backend *backend, const fx_custom *custom, fx_error_code code, const char *message) {
    fx_exec *exec = fx_exec_new_fn(backend, failing, 1, 1, (void *)(uintptr_t)custom, FX_MUST);
    const fx_arg args[] = {FX_ARG(1.0)};
    fx_error err = {.code = FX_OK};
    fx_tensor *out = NULL;
    assert_false(fx_exec_call(exec, args, 1, &out, 1, &err));
    assert_null(out);
    assert_failed(err, code, message);
    assert_string_equal(err.file, "model.c");
    assert_int_equal(err.line, 9);
    fx_exec_free(exec);
}

static void test_failures(void **state) {
    fx_backend *backend = open_named(state);
    check_failure(backend, &silent, FX_ERROR_BACKEND, "quiet one failed");
    check_failure(backend, &loud, FX_ERROR_ATTRIBUTE, "the disk is on fire");
    fx_backend_close(backend);
}

static void refused(const fx_custom *custom, const fx_shape *shapes, size_t n, const char *message) {
    fx_graph *g = fx_graph_new(FX_MUST);
    const fx_shape scalar = FX_SHAPE(FX_F32);
    fx_error err = {.code = FX_OK};
    fx_node *x = fx_parameter(g, &scalar);
    fx_custom_call(custom, FX_NODES(x), shapes, n, NULL);
    assert_true(fx_graph_error(g, &err));
    assert_string_equal(err.message, message);
    fx_graph_free(g);
}

static void test_refused(void **state) {
    (void)state;
    const fx_shape good = FX_SHAPE(FX_F32, 2), bad = FX_SHAPE(FX_F32, -2);
    const fx_custom nameless = {.run = run_fails}, idle = {.name = "idle"};
    refused(NULL, &good, 1, "fx_custom_call: the operation, its name or its function is NULL");
    refused(&nameless, &good, 1, "fx_custom_call: the operation, its name or its function is NULL");
    refused(&idle, &good, 1, "fx_custom_call: the operation, its name or its function is NULL");
    refused(&silent, NULL, 1, "fx_custom_call: the results' shapes are NULL");
    refused(&silent, &good, 0, "fx_custom_call: there is no result");
    refused(&silent, &bad, 1, "fx_custom_call: the shape of result 0 has -2 for dimension 0");
    assert_null(fx_custom_call(&silent, (fx_nodes){NULL, 0}, &good, 1, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(test_values), BOTH(test_failures), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
