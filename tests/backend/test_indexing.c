/* SPDX-License-Identifier: Apache-2.0 */
/* tier: full */
/* Gather, scatter and padding large enough for the cpu backend to work with several threads, against the interpreter, bit for
 * bit and with 1, 2 and 3 threads. Small cases of all kinds are in tests/golden/indexing.txt. */
#include "exec/both.h"
#include <fluxion/indexing.h>
#include "graph/graph.h"
#include <math.h>

static fx_tensor *run(fx_backend *backend, fx_fn fn, void *user, fx_tensor *const *in, size_t n) {
    fx_exec *exec = fx_exec_new_fn(backend, fn, n, 1, user, FX_MUST);
    fx_arg args[3];
    for (size_t i = 0; i < n; i++) args[i] = FX_ARG(in[i]);
    fx_tensor *out = fx_exec_call1(exec, args, n, FX_MUST);
    fx_exec_free(exec);
    return out;
}

typedef struct large {
    const char *name;
    fx_fn fn;
    fx_shape shapes[3];
    size_t n;
    int64_t indices; /* values of operand 1 are from -3 to this + 2 */
} large;

#define BUILD(name) static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)g, (void)in, (void)n_in, (void)n_out, (void)user
BUILD(gather_rows) { UNUSED; out[0] = fx_gather(in[0], in[1]); }
BUILD(take_columns) { UNUSED; out[0] = fx_take(in[0], in[1], 1); }
BUILD(along) { UNUSED; out[0] = fx_take_along_axis(in[0], in[1], 0); }
BUILD(scatter_add) { UNUSED; out[0] = fx_scatter_sum(in[0], in[1], in[2]); }
BUILD(scatter_product) { UNUSED; out[0] = fx_scatter_mul(in[0], in[1], in[2]); }
BUILD(scatter_largest) { UNUSED; out[0] = fx_scatter_max(in[0], in[1], in[2]); }
BUILD(scatter_smallest) { UNUSED; out[0] = fx_scatter_min(in[0], in[1], in[2]); }
BUILD(scatter_last) { UNUSED; out[0] = fx_scatter_update(in[0], in[1], in[2]); }
BUILD(put_along) { UNUSED; out[0] = fx_put_along_axis(in[0], in[1], in[2], 0); }
BUILD(along_last) { UNUSED; out[0] = fx_take_along_axis(in[0], in[1], -1); }
BUILD(put_last) { UNUSED; out[0] = fx_put_along_axis(in[0], in[1], in[2], -1); }
/* Two batching axes in front, windows of a row, sums. */
BUILD(sum_in_batches) {
    UNUSED;
    out[0] = fx_scatter_general(in[0], in[1], in[2], FX_SCATTER_SUM,
                                &(fx_scatter_options){.window_axes = FX_AXES(3), .inserted_axes = FX_AXES(2),
                                                      .operand_batch_axes = FX_AXES(0, 1), .indices_batch_axes = FX_AXES(0, 1),
                                                      .index_map = FX_AXES(2), .index_axis = 3});
}
BUILD(padded) {
    UNUSED;
    const fx_pad_axis pads[] = {{3, -2, 1}, {-1, 5, 0}};
    out[0] = fx_neg(fx_pad(fx_add(in[0], in[0]), fx_scalar(g, fx_node_dtype(in[0]), 3), (fx_pads){pads, 2}));
}

#define SHAPE(t, ...) {t, (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), {__VA_ARGS__}}
static const large larges[] = {
    {"rows f32", gather_rows, {SHAPE(FX_F32, 1000, 64), SHAPE(FX_S32, 20000, 1)}, 2, 1000},
    {"rows streamed", gather_rows, {SHAPE(FX_F32, 1000, 64), SHAPE(FX_S32, 80000, 1)}, 2, 1000},
    {"long rows", gather_rows, {SHAPE(FX_U8, 7, 300001), SHAPE(FX_S64, 5, 1)}, 2, 7},
    {"elements c64", gather_rows, {SHAPE(FX_C64, 5000), SHAPE(FX_S32, 30000, 1)}, 2, 5000},
    {"columns bf16", take_columns, {SHAPE(FX_BF16, 300, 500), SHAPE(FX_S32, 11, 30)}, 2, 500},
    {"along f64", along, {SHAPE(FX_F64, 200, 301), SHAPE(FX_S32, 77, 301)}, 2, 200},
    {"sum f32", scatter_add, {SHAPE(FX_F32, 1000, 24), SHAPE(FX_S32, 30000, 1), SHAPE(FX_F32, 30000, 24)}, 3, 1000},
    {"sum single", scatter_add, {SHAPE(FX_F32, 3000), SHAPE(FX_S32, 90000, 1), SHAPE(FX_F32, 90000)}, 3, 3000},
    {"sum f16", scatter_add, {SHAPE(FX_F16, 100, 24), SHAPE(FX_S32, 3000, 1), SHAPE(FX_F16, 3000, 24)}, 3, 100},
    {"sum bf16", scatter_add, {SHAPE(FX_BF16, 30000), SHAPE(FX_S16, 9000, 1), SHAPE(FX_BF16, 9000)}, 3, 30000},
    {"sum u64", scatter_add, {SHAPE(FX_U64, 300, 7), SHAPE(FX_S32, 9000, 1), SHAPE(FX_U64, 9000, 7)}, 3, 300},
    {"sum s4", scatter_add, {SHAPE(FX_S4, 300, 7), SHAPE(FX_S32, 9000, 1), SHAPE(FX_S4, 9000, 7)}, 3, 300},
    {"sum c128", scatter_add, {SHAPE(FX_C128, 300, 7), SHAPE(FX_S32, 9000, 1), SHAPE(FX_C128, 9000, 7)}, 3, 300},
    {"long sum", scatter_add, {SHAPE(FX_F32, 9, 50001), SHAPE(FX_S32, 20, 1), SHAPE(FX_F32, 20, 50001)}, 3, 9},
    {"two components", scatter_add, {SHAPE(FX_F64, 90, 80, 3), SHAPE(FX_S32, 40000, 2), SHAPE(FX_F64, 40000, 3)}, 3, 90},
    {"product f32", scatter_product, {SHAPE(FX_F32, 300, 7), SHAPE(FX_S32, 900, 1), SHAPE(FX_F32, 900, 7)}, 3, 300},
    {"product c64", scatter_product, {SHAPE(FX_C64, 300, 7), SHAPE(FX_S32, 9000, 1), SHAPE(FX_C64, 9000, 7)}, 3, 300},
    {"product u2", scatter_product, {SHAPE(FX_U2, 300, 7), SHAPE(FX_S32, 9000, 1), SHAPE(FX_U2, 9000, 7)}, 3, 300},
    {"product bool", scatter_product, {SHAPE(FX_BOOL, 300, 7), SHAPE(FX_S32, 9000, 1), SHAPE(FX_BOOL, 9000, 7)}, 3, 300},
    {"max bf16", scatter_largest, {SHAPE(FX_BF16, 300, 7), SHAPE(FX_S32, 9000, 1), SHAPE(FX_BF16, 9000, 7)}, 3, 300},
    {"max f32", scatter_largest, {SHAPE(FX_F32, 300, 7), SHAPE(FX_S32, 9000, 1), SHAPE(FX_F32, 9000, 7)}, 3, 300},
    {"max rows f32", scatter_largest, {SHAPE(FX_F32, 30, 77), SHAPE(FX_S32, 900, 1), SHAPE(FX_F32, 900, 77)}, 3, 30},
    {"min rows f32", scatter_smallest, {SHAPE(FX_F32, 30, 77), SHAPE(FX_S32, 900, 1), SHAPE(FX_F32, 900, 77)}, 3, 30},
    {"max rows f64", scatter_largest, {SHAPE(FX_F64, 30, 77), SHAPE(FX_S32, 900, 1), SHAPE(FX_F64, 900, 77)}, 3, 30},
    {"max u16", scatter_largest, {SHAPE(FX_U16, 300, 7), SHAPE(FX_S32, 9000, 1), SHAPE(FX_U16, 9000, 7)}, 3, 300},
    {"min s8", scatter_smallest, {SHAPE(FX_S8, 300, 7), SHAPE(FX_S32, 9000, 1), SHAPE(FX_S8, 9000, 7)}, 3, 300},
    {"min f64", scatter_smallest, {SHAPE(FX_F64, 300, 7), SHAPE(FX_S32, 9000, 1), SHAPE(FX_F64, 9000, 7)}, 3, 300},
    {"update f8", scatter_last, {SHAPE(FX_F8E5M2, 300, 7), SHAPE(FX_S32, 9000, 1), SHAPE(FX_F8E5M2, 9000, 7)}, 3, 300},
    {"update c128", scatter_last, {SHAPE(FX_C128, 300, 7), SHAPE(FX_S32, 9000, 1), SHAPE(FX_C128, 9000, 7)}, 3, 300},
    {"put f32", put_along, {SHAPE(FX_F32, 40, 301), SHAPE(FX_S32, 77, 301), SHAPE(FX_F32, 77, 301)}, 3, 40},
    {"along last", along_last, {SHAPE(FX_F32, 4, 50, 301), SHAPE(FX_S32, 4, 50, 77)}, 2, 301},
    {"along last s16", along_last, {SHAPE(FX_F64, 200, 301), SHAPE(FX_S16, 200, 77)}, 2, 301},
    {"put last", put_last, {SHAPE(FX_F32, 4, 50, 301), SHAPE(FX_S32, 4, 50, 77), SHAPE(FX_F32, 4, 50, 77)}, 3, 301},
    {"put last s64", put_last, {SHAPE(FX_C64, 7, 3001), SHAPE(FX_S64, 7, 3000), SHAPE(FX_C64, 7, 3000)}, 3, 3001},
    {"put last bf16", put_last, {SHAPE(FX_BF16, 200, 301), SHAPE(FX_S32, 200, 300), SHAPE(FX_BF16, 200, 300)}, 3, 301},
    {"one batch", put_last, {SHAPE(FX_F32, 1, 9000), SHAPE(FX_S32, 1, 30000), SHAPE(FX_F32, 1, 30000)}, 3, 9000},
    {"batches", sum_in_batches, {SHAPE(FX_F32, 5, 3, 40, 8), SHAPE(FX_S32, 5, 3, 500), SHAPE(FX_F32, 5, 3, 500, 8)}, 3, 40},
    {"batches f16", sum_in_batches, {SHAPE(FX_F16, 2, 1, 40, 3), SHAPE(FX_S32, 2, 1, 5000), SHAPE(FX_F16, 2, 1, 5000, 3)}, 3, 40},
    {"pad f32", padded, {SHAPE(FX_F32, 311, 407)}, 1, 0},
    {"pad s4", padded, {SHAPE(FX_S4, 31, 47)}, 1, 0},
};

/* With zeros of both signs and NaNs, for what only picks. */
static fxi_scalar special(int64_t draw) {
    if (draw % 7 == 0) return (fxi_scalar){.re = draw % 2 ? 0.0 : -0.0};
    return (fxi_scalar){.re = draw % 31 == 0 ? (double)NAN : (double)(draw % 11) - 5};
}

static fx_tensor *random_of(const fx_shape *shape, int64_t indices, bool picks, uint64_t *seed) {
    fx_tensor *t = fx_tensor_new(shape, FX_MUST);
    memset(t->data, 0, (size_t)t->bytes);
    for (int64_t i = 0; i < fx_shape_size(shape); i++) {
        *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        int64_t draw = (int64_t)(*seed >> 33);
        fxi_scalar v = {.i = draw % (indices + 6) - 3};
        if (indices == 0) v = (fxi_scalar){.i = draw % 1000 - 500, .re = (double)(draw % 2001) / 1000 - 1, .im = 0.5};
        if (indices == 0 && picks && fx_dtype_is_float(shape->dtype)) v = special(draw);
        fxi_element_store(shape->dtype, t->data, i, v);
    }
    return t;
}

static void threads_and_interpreter(void **state) {
    (void)state;
    static const char *const configs[] = {"interp", "cpu?threads=1", "cpu?threads=2", "cpu?threads=3"};
    size_t backends = FLUXION_CPU ? 4 : 1;
    fx_backend *backend[4];
    uint64_t seed = 1;
    for (size_t b = 0; b < backends; b++) backend[b] = fx_backend_open(configs[b], FX_MUST);
    for (size_t i = 0; i < COUNT_OF(larges); i++) {
        const large *l = &larges[i];
        fx_tensor *in[3], *want = NULL;
        bool picks = l->fn == scatter_largest || l->fn == scatter_smallest;
        for (size_t k = 0; k < l->n; k++) in[k] = random_of(&l->shapes[k], k == 1 ? l->indices : 0, picks, &seed);
        for (size_t b = 0; b < backends; b++) {
            fx_tensor *got = run(backend[b], l->fn, NULL, in, l->n);
            if (b == 0) want = got;
            else if (!fx_tensor_equal(got, want)) fail_msg("%s differs on %s", l->name, configs[b]);
            if (b > 0) fx_tensor_free(got);
        }
        fx_tensor_free(want);
        for (size_t k = 0; k < l->n; k++) fx_tensor_free(in[k]);
    }
    for (size_t b = 0; b < backends; b++) fx_backend_close(backend[b]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_and_interpreter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
