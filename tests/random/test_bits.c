/* SPDX-License-Identifier: Apache-2.0 */
/* Bits and what is nearest to them: words by the published vectors, equal on both backends for every dtype
 * and for dimensions whose rows begin inside a block; the advance of the state; one kernel; refusals. */
#include "exec/both.h"
#include <math.h>

/* The function at hand; tests run one after the other. */
static struct {
    fx_shape shape;
    fx_node *(*draw)(fx_node *state, const fx_shape *shape, fx_node **new_state);
} now;

static void draw(fx_node *state, fx_node **out) {
    out[0] = now.draw(state, &now.shape, &out[1]);
}

static void run(const char *name, const uint64_t *state, fx_tensor **out) {
    fx_backend *backend = fx_backend_open(name, FX_MUST);
    fx_exec *exec = fx_exec_new_outputs1(backend, draw, 2, FX_MUST);
    const fx_arg arg = FX_ARG(FX_HOST(state, 3));
    assert_true(fx_exec_call(exec, &arg, 1, out, 2, FX_MUST));
    fx_exec_free(exec);
    fx_backend_close(backend);
}

static const uint64_t zero[3] = {0, 0, 0};

static void test_vectors(void **state) {
    fx_tensor *out[2];
    now.draw = fx_random_bits;
    now.shape = FX_SHAPE(FX_U32, 2, 2);
    run(*state, zero, out);
    assert_text(
        out[0],
        "[2][2]uint32{{1713891541, 3781805453}, {3159862348, 2600524760}}"); /* 6627e8d5 e169c58d .. */
    assert_text(out[1], "[3]uint64{0, 1, 0}");
    fx_tensor_free(out[0]), fx_tensor_free(out[1]);
    now.shape = FX_SHAPE(FX_U8, 5);
    run(*state, (const uint64_t[]){0, UINT64_MAX, 7}, out);
    assert_text(out[1], "[3]uint64{0, 1, 8}");
    fx_tensor_free(out[0]), fx_tensor_free(out[1]);
    now.shape = FX_SHAPE(FX_F32, 0, 3);
    run(*state, (const uint64_t[]){1, 2, 3}, out);
    assert_text(out[1], "[3]uint64{1, 2, 3}");
    fx_tensor_free(out[0]), fx_tensor_free(out[1]);
}

#if FLUXION_CPU
static void same_bits(fx_shape shape) {
    fx_tensor *a[2], *b[2];
    now.shape = shape;
    run("interp", (const uint64_t[]){17, UINT64_MAX - 3, 4}, a);
    run("cpu", (const uint64_t[]){17, UINT64_MAX - 3, 4}, b);
    for (int i = 0; i < 2; i++) {
        if (!fx_tensor_equal(a[i], b[i])) fail_msg("%s differs", fx_shape_to_text(&shape).s);
        fx_tensor_free(a[i]), fx_tensor_free(b[i]);
    }
}

static void test_same_bits(void **state) {
    static const fx_dtype dtypes[] = {FX_S4,  FX_U8,  FX_S16,  FX_U32, FX_S32, FX_U64,
                                      FX_S64, FX_F16, FX_BF16, FX_F32, FX_F64};
    (void)state;
    now.draw = fx_random_bits;
    for (size_t i = 0; i < COUNT_OF(dtypes); i++) {
        same_bits(FX_SHAPE(dtypes[i]));
        same_bits(FX_SHAPE(dtypes[i], 1000));
        same_bits(FX_SHAPE(dtypes[i], 7, 33)); /* rows begin in the middle of a block */
        same_bits(FX_SHAPE(dtypes[i], 3, 64, 5));
    }
    now.draw = fx_random_uniform;
    for (size_t i = 7; i < COUNT_OF(dtypes); i++) same_bits(FX_SHAPE(dtypes[i], 9, 50));
    same_bits(FX_SHAPE(FX_C64, 77));
    same_bits(FX_SHAPE(FX_C128, 77));
}

/* A product with uniform values is one kernel: the bits are never in memory. */
static fx_node *scaled(fx_node *state, fx_node *x) {
    return fx_mul(x, fx_random_uniform(state, fx_node_shape(x), NULL));
}
/* A transposed view takes the slow way to the same values. */
static fx_node *transposed(fx_node *state, fx_node *x) {
    fx_node *u = fx_random_uniform(state, fx_node_shape(x), NULL);
    return fx_sub(fx_add_scalar(fx_transpose(fx_mul(x, u), 0, 1), 1), fx_transpose(u, 0, 1));
}

static void test_fused(void **state) {
    (void)state;
    fx_backend *backend = fx_backend_open("cpu", FX_MUST);
    fx_exec *exec = fx_exec_new2(backend, scaled, FX_MUST);
    const fx_shape shapes[] = {FX_SHAPE(FX_U64, 3), FX_SHAPE(FX_F32, 64, 48)};
    fx_memory memory;
    fx_program *program = fx_exec_program(exec, shapes, 2, FX_MUST);
    assert_true(fx_program_memory(program, &memory));
    assert_int_equal(memory.steps, 1);
    assert_int_equal(memory.workspace, 0);
    fx_program_free(program);
    fx_exec_free(exec);
    exec = fx_exec_new2(backend, transposed, FX_MUST);
    static float ones[64 * 48];
    for (int i = 0; i < 64 * 48; i++) ones[i] = 1;
    fx_tensor *r = fx_call1(exec, FX_MUST, FX_HOST(zero, 3), FX_HOST(ones, 64, 48));
    for (int i = 0; i < 64 * 48; i++) assert_true(fabs(fx_tensor_get(r, i) - 1) < 1e-6);
    fx_tensor_free(r);
    fx_exec_free(exec);
    fx_backend_close(backend);
}
#endif

/* Moments of 2^15 values within four standard errors; fixed seeds, five of them. */
static void moments(const char *backend, double mean, double variance, double bound) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
        fx_tensor *out[2];
        double sum = 0, squares = 0, n = 1 << 15;
        run(backend, (const uint64_t[]){seed, 0, 0}, out);
        for (int64_t i = 0; i < fx_tensor_size(out[0]); i++) {
            double x = fx_tensor_get(out[0], i) - mean;
            sum += x, squares += x * x;
        }
        assert_true(fabs(sum / n) < bound && fabs(squares / n - variance) < 1.5 * bound);
        fx_tensor_free(out[0]), fx_tensor_free(out[1]);
    }
}

static void test_moments(void **state) {
    now.shape = FX_SHAPE(FX_F32, 1 << 15);
    now.draw = fx_random_uniform;
    moments(*state, 0.5, 1.0 / 12, 4 * sqrt(1.0 / 12 / (1 << 15)));
    now.draw = fx_random_normal;
    moments(*state, 0, 1, 4 * sqrt(1.0 / (1 << 15)));
    now.shape = FX_SHAPE(FX_F64, 1 << 15);
    moments(*state, 0, 1, 4 * sqrt(1.0 / (1 << 15)));
}

static void expect(fx_graph *graph, const char *message) {
    fx_error err = {.code = FX_OK};
    assert_true(fx_graph_error(graph, &err));
    assert_string_equal(err.message, message);
    fx_graph_free(graph);
}

static void test_refusals(void **state) {
    (void)state;
    fx_graph *graph = fx_graph_new(FX_MUST);
    fx_random_bits(fx_parameter(graph, &FX_SHAPE(FX_U64, 2)), &FX_SHAPE(FX_U32, 2), NULL);
    expect(graph, "fx_random_bits: the state is (uint64)[2] instead of (uint64)[3]");
    graph = fx_graph_new(FX_MUST);
    fx_random_bits(fx_random_state(graph, 1), &FX_SHAPE(FX_BOOL, 2), NULL);
    expect(graph, "fx_random_bits: bool is not accepted; integers and floats are");
    graph = fx_graph_new(FX_MUST);
    fx_random_normal(fx_random_state(graph, 1), &FX_SHAPE(FX_S32, 2), NULL);
    expect(graph,
           "fx_random_normal: int32 is not accepted; float16, bfloat16, float32, float64 and complex are");
    graph = fx_graph_new(FX_MUST);
    fx_random_split(fx_random_state(graph, 1), 0, NULL);
    expect(graph, "fx_random_split: 0 states are asked for");
    fx_error err = {.code = FX_OK};
    assert_false(fx_random_seed(NULL, &err));
    assert_null(fx_random_uniform(NULL, NULL, NULL));
    assert_null(fx_random_state(NULL, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(test_vectors),
        BOTH(test_moments),
        cmocka_unit_test(test_refusals),
#if FLUXION_CPU
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_fused),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
