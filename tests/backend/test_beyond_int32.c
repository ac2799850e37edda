/* SPDX-License-Identifier: Apache-2.0 */
/* tier: long */
/* Arrays of more than 2^31 elements: int8, a little over 2 GiB each, through the operations of every class on every backend,
 * checked where 32-bit arithmetic would go wrong: around 2^31, at both ends and at places spread over the array. A run needs 12
 * GiB of free memory; where there is less the tests say so and are skipped. */
#include "exec/both.h"
#include "tensor/tensor.h"
#include <stdio.h>

#define ROWS INT64_C(65537)
#define COLUMNS INT64_C(32773)
#define N (ROWS * COLUMNS) /* 2^31 + 360477 */
enum { NEEDED_GIB = 12, SAMPLES = 20000 };

/* Element i of the operand: different in the low and in the high half of the index. */
static int64_t element(int64_t i) { return (int8_t)((i * 37 + (i >> 16) * 11) & 0xFF); }

static fx_tensor *operand; /* [N], shared by all tests */

static int64_t free_gib(void) {
    char line[200];
    long long kib = 0;
    FILE *stream = fopen("/proc/meminfo", "r");
    while (stream && fgets(line, sizeof line, stream))
        if (sscanf(line, "MemAvailable: %lld kB", &kib) == 1) break;
    if (stream) fclose(stream);
    return kib >> 20;
}

static int make_operand(void **state) {
    (void)state;
    if (free_gib() < NEEDED_GIB) {
        print_message("needs %d GiB of free memory, there are %lld: skipped\n", NEEDED_GIB, (long long)free_gib());
        return 0;
    }
    operand = fx_tensor_new(&FX_SHAPE(FX_S8, N), FX_MUST);
    int8_t *data = operand->data;
    for (int64_t i = 0; i < N; i++) data[i] = (int8_t)element(i);
    return 0;
}

static int free_operand(void **state) {
    (void)state;
    fx_tensor_free(operand);
    return 0;
}

/* ---- one program ---- */

typedef fx_node *(*program)(fx_node *x);
typedef int64_t (*meaning)(int64_t i); /* of element i of the result */

static void build(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out;
    program *p = user;
    out[0] = (*p)(in[0]);
}

/* Places to look at: the ends, around 2^31 and multiples of a large odd number. */
static int64_t place(int64_t sample, int64_t size) {
    if (sample < 100) return sample < size ? sample : size - 1;
    if (sample < 200) return sample - 100 < size ? size - 1 - (sample - 100) : 0;
    int64_t middle = (INT64_C(1) << 31) - 250 + sample;
    if (sample < 300) return middle < size ? middle : size - 1;
    return (int64_t)((uint64_t)sample * UINT64_C(0x9E3779B97F4A7C15) % (uint64_t)size);
}

static void check(void **state, program p, meaning m, int64_t size) {
    if (!operand) skip();
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new_fn(backend, build, 1, 1, &p, FX_MUST);
    fx_tensor *out = fx_call1(exec, FX_MUST, operand);
    assert_int_equal(fx_tensor_size(out), size);
    for (int64_t s = 0; s < SAMPLES; s++) {
        int64_t i = place(s, size), got = fxi_element_load(out->shape.dtype, out->data, i).i;
        if (got != m(i)) fail_msg("element %lld: %lld instead of %lld", (long long)i, (long long)got, (long long)m(i));
    }
    fx_tensor_free(out);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

#define BIG(name, size, of_i, expression)                                              \
    static fx_node *program_##name(fx_node *x) { return expression; }                  \
    static int64_t meaning_##name(int64_t i) { return (void)i, of_i; }                 \
    static void name(void **state) { check(state, program_##name, meaning_##name, size); }

/* ---- elementwise, moves ---- */

static fx_node *matrix(fx_node *x) { return fx_reshape(x, FX_DIMS(ROWS, COLUMNS)); }

static fx_graph *graph_of(fx_node *x) { return fx_node_graph(x); }

static fx_node *far_index(fx_node *x, int64_t i) { return fx_scalar_int(graph_of(x), FX_S64, i); }

BIG(elementwise, N, (int8_t)(element(i) * 3 ^ 85),
    fx_xor(fx_mul_scalar_int(x, 3), fx_scalar_int(graph_of(x), FX_S8, 85)))
BIG(iota, N, (int8_t)(i & 0xFF), fx_add(fx_iota(graph_of(x), &FX_SHAPE(FX_S8, N), 0), fx_sub(x, x)))
BIG(iota_rows, N, (int8_t)(i / COLUMNS & 0xFF), fx_iota(graph_of(x), &FX_SHAPE(FX_S8, ROWS, COLUMNS), 0))
BIG(transpose, N, element(i % ROWS * COLUMNS + i / ROWS), fx_transpose(matrix(x), 0, 1))
BIG(reverse, N, element(N - 1 - i), fx_reverse(x, FX_AXES(0)))
BIG(slice, N - 7, element(i + 7), fx_slice(x, FX_DIMS(7), FX_DIMS(N), FX_DIMS()))
BIG(slice_of_the_end, 9, element(N - 27 + 3 * i), fx_slice(x, FX_DIMS(N - 27), FX_DIMS(N), FX_DIMS(3)))
BIG(concatenate, N + 5, i < 5 ? element(N - 5 + i) : element(i - 5),
    fx_concatenate(FX_NODES(fx_slice(x, FX_DIMS(N - 5), FX_DIMS(N), FX_DIMS()), x), 0))
BIG(broadcast, N, element(i / COLUMNS),
    fx_broadcast_in_dim(fx_slice(x, FX_DIMS(0), FX_DIMS(ROWS), FX_DIMS()), FX_DIMS(ROWS, COLUMNS), FX_AXES(0)))
BIG(bitcast, N, element(i) & 0xFF, fx_bitcast(x, FX_U8))

/* ---- padding, indices ---- */

static fx_node *padded(fx_node *x) {
    const fx_pad_axis pad = {3, 2, 0};
    return fx_pad(x, fx_scalar_int(graph_of(x), FX_S8, -1), (fx_pads){&pad, 1});
}
BIG(pad, N + 5, i < 3 || i >= N + 3 ? -1 : element(i - 3), padded(x))
BIG(dynamic_slice, 8, element(N - 100 + i), fx_dynamic_slice(x, FX_NODES(far_index(x, N - 100)), FX_DIMS(8)))
BIG(dynamic_update_slice, N, i >= N - 100 && i < N - 92 ? element(i - (N - 100)) : element(i),
    fx_dynamic_update_slice(x, fx_slice(x, FX_DIMS(0), FX_DIMS(8), FX_DIMS()), FX_NODES(far_index(x, N - 100))))

static int64_t far_place(int64_t i) { return (INT64_C(1) << 31) - 2 + i * 1001; }

static fx_node *far_places(fx_node *x) {
    fx_node *steps = fx_iota(graph_of(x), &FX_SHAPE(FX_S64, 300, 1), 0);
    return fx_add_scalar_int(fx_mul_scalar_int(steps, 1001), (INT64_C(1) << 31) - 2);
}
BIG(gather, 300, element(far_place(i)), fx_gather(x, far_places(x)))
BIG(gather_rows, 3 * COLUMNS, element((65530 + i / COLUMNS) * COLUMNS + i % COLUMNS),
    fx_take(matrix(x), fx_add_scalar_int(fx_iota(graph_of(x), &FX_SHAPE(FX_S32, 3), 0), 65530), 0))
BIG(scatter, N, i >= far_place(0) && i <= far_place(299) && (i - far_place(0)) % 1001 == 0 ? 77 : element(i),
    fx_scatter_update(x, far_places(x), fx_fill_scalar(graph_of(x), &FX_SHAPE(FX_S8, 300), 77)))

/* ---- reductions: of 1 where x is what it must be, so that the result is known ---- */

static fx_node *ones(fx_node *x) { return fx_or(fx_xor(x, x), fx_scalar_int(graph_of(x), FX_S8, 1)); }

static fx_node *marked(fx_node *x, int64_t at) { /* 0 but for one place */
    return fx_dynamic_update_slice(fx_xor(x, x), fx_fill_scalar(graph_of(x), &FX_SHAPE(FX_S8, 1), 5), FX_NODES(far_index(x, at)));
}
BIG(reduce, 1, (int8_t)(N & 0xFF), fx_reduce_all_sum(ones(x)))
BIG(reduce_rows, ROWS, (int8_t)(COLUMNS & 0xFF), fx_reduce_sum(ones(matrix(x)), FX_AXES(1)))
BIG(reduce_columns, COLUMNS, (int8_t)(ROWS & 0xFF), fx_reduce_sum(ones(matrix(x)), FX_AXES(0)))
BIG(arg_max, 1, N - 3, fx_arg_max_dtype(marked(x, N - 3), 0, FX_S64))
BIG(cumulative, N, (int8_t)((i + 1) & 0xFF), fx_cum_sum(ones(x), 0))

/* Each backend's tests together, the fast one's first. */
#define ON(backend, test) {#test " (" backend ")", test, NULL, NULL, (void *)(uintptr_t)backend}
#define ALL_ON(backend)                                                                                               \
    ON(backend, elementwise), ON(backend, iota), ON(backend, iota_rows), ON(backend, transpose), ON(backend, reverse), \
        ON(backend, slice), ON(backend, slice_of_the_end), ON(backend, concatenate), ON(backend, broadcast),          \
        ON(backend, bitcast), ON(backend, pad), ON(backend, dynamic_slice), ON(backend, dynamic_update_slice),        \
        ON(backend, gather), ON(backend, gather_rows), ON(backend, scatter), ON(backend, reduce),                     \
        ON(backend, reduce_rows), ON(backend, reduce_columns), ON(backend, arg_max), ON(backend, cumulative)

int main(void) {
    const struct CMUnitTest tests[] = {
#if FLUXION_CPU
        ALL_ON("cpu"),
#endif
        ALL_ON("interp"),
    };
    return cmocka_run_group_tests(tests, make_operand, free_operand);
}
