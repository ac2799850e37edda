/* SPDX-License-Identifier: Apache-2.0 */
/* tier: long */
/* Arrays of more than 2^31 elements: int8, a little over 2 GiB each, through the operations of every class on every backend,
 * checked where 32-bit arithmetic would go wrong: around 2^31, at both ends and at places spread over the array. Every program is
 * one operation where that is enough, so that no more than operand and result are in memory and that the interpreter, which needs
 * up to 30 ns an element, ends in minutes: it runs one of each kind. A case for which there is not enough free memory says so and
 * is skipped. An argument is a pattern of the cases to run: '*gather*'. */
#include "exec/both.h"
#include "tensor/tensor.h"
#include <stdio.h>

#define ROWS INT64_C(65537)
#define COLUMNS INT64_C(32773)
#define N (ROWS * COLUMNS) /* 2^31 + 360477 */
enum { OPERAND_GIB = 3, CASE_GIB = 4, SAMPLES = 20000 };

/* Element i of the operand: different in the low and in the high half of the index, and smallest at one place, far out. */
#define SMALLEST (N - 3)
static int64_t element(int64_t i) {
    int8_t value = (int8_t)((i * 37 + (i >> 16) * 11) & 0xFF);
    if (i == SMALLEST) return -128;
    return value == -128 ? 0 : value;
}

static fx_tensor *operand; /* [N], shared by all tests */
static int8_t sum_of_elements, sum_of_squares; /* modulo 2^8 */

static int64_t free_gib(void) {
    char line[200];
    long long kib = 0;
    FILE *stream = fopen("/proc/meminfo", "r");
    while (stream && fgets(line, sizeof line, stream))
        if (sscanf(line, "MemAvailable: %lld kB", &kib) == 1) break;
    if (stream) fclose(stream);
    return kib >> 20;
}

/* Says so when there is not. */
static bool has_gib(const char *what, int64_t needed) {
    int64_t there = free_gib();
    if (there >= needed) return true;
    print_message("%s needs %lld GiB of free memory, there are %lld: skipped\n", what, (long long)needed, (long long)there);
    return false;
}

static int make_operand(void **state) {
    (void)state;
    if (!has_gib("the operand", OPERAND_GIB)) return 0;
    operand = fx_tensor_new(&FX_SHAPE(FX_S8, N), FX_MUST);
    int8_t *data = operand->data;
    uint8_t sum = 0, squares = 0;
    for (int64_t i = 0; i < N; i++) {
        data[i] = (int8_t)element(i);
        sum = (uint8_t)(sum + (uint8_t)data[i]);
        squares = (uint8_t)(squares + (uint8_t)(data[i] * data[i]));
    }
    sum_of_elements = (int8_t)sum;
    sum_of_squares = (int8_t)squares;
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

/* NULL: skipped for lack of memory. */
static fx_tensor *run(void **state, const char *name, program p, int64_t size) {
    if (!operand || !has_gib(name, CASE_GIB)) return NULL;
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new_fn(backend, build, 1, 1, &p, FX_MUST);
    fx_tensor *out = fx_call1(exec, FX_MUST, operand);
    assert_int_equal(fx_tensor_size(out), size);
    fx_exec_free(exec);
    fx_backend_close(backend);
    return out;
}

static int64_t result_element(const fx_tensor *out, int64_t i) { return fxi_element_load(out->shape.dtype, out->data, i).i; }

static void check(void **state, const char *name, program p, meaning m, int64_t size) {
    fx_tensor *out = run(state, name, p, size);
    if (!out) skip();
    for (int64_t s = 0; s < SAMPLES; s++) {
        int64_t i = place(s, size), got = result_element(out, i), want = m(i);
        if (got != want) fail_msg("element %lld: %lld instead of %lld", (long long)i, (long long)got, (long long)want);
        if (size == 1) break;
    }
    fx_tensor_free(out);
}

#define BIG(name, size, of_i, expression)                                              \
    static fx_node *program_##name(fx_node *x) { return expression; }                  \
    static int64_t meaning_##name(int64_t i) { return (void)i, of_i; }                 \
    static void name(void **state) { check(state, #name, program_##name, meaning_##name, size); }

/* ---- elementwise, moves ---- */

static fx_node *matrix(fx_node *x) { return fx_reshape(x, FX_DIMS(ROWS, COLUMNS)); }

static fx_graph *graph_of(fx_node *x) { return fx_node_graph(x); }

static fx_node *far_index(fx_node *x, int64_t i) { return fx_scalar_int(graph_of(x), FX_S64, i); }

BIG(negate, N, (int8_t)-element(i), fx_neg(x))
BIG(elementwise, N, (int8_t)(element(i) * 3 ^ 85),
    fx_xor(fx_mul_scalar_int(x, 3), fx_scalar_int(graph_of(x), FX_S8, 85)))
BIG(iota, N, (int8_t)(i & 0xFF), fx_iota(graph_of(x), &FX_SHAPE(FX_S8, N), 0))
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

/* ---- reductions ---- */

static int64_t sum_of_row(int64_t row) {
    uint64_t sum = 0;
    for (int64_t k = 0; k < COLUMNS; k++) sum += (uint64_t)element(row * COLUMNS + k);
    return (int8_t)(sum & 0xFF);
}
static int64_t sum_of_column(int64_t column) {
    uint64_t sum = 0;
    for (int64_t k = 0; k < ROWS; k++) sum += (uint64_t)element(k * COLUMNS + column);
    return (int8_t)(sum & 0xFF);
}
BIG(reduce, 1, sum_of_elements, fx_reduce_all_sum(x))
BIG(reduce_rows, ROWS, sum_of_row(i), fx_reduce_sum(matrix(x), FX_AXES(1)))
BIG(reduce_columns, COLUMNS, sum_of_column(i), fx_reduce_sum(matrix(x), FX_AXES(0)))
BIG(arg_min, 1, SMALLEST, fx_arg_min_dtype(x, 0, FX_S64))
BIG(dot, 1, sum_of_squares, fx_dot_product(x, x))

static fx_node *program_cumulative(fx_node *x) { return fx_cum_sum(x, 0); }

/* Each sum is the one before it and its own element; the last is known. */
static void cumulative(void **state) {
    fx_tensor *out = run(state, "cumulative", program_cumulative, N);
    if (!out) skip();
    assert_int_equal(result_element(out, 0), element(0));
    assert_int_equal(result_element(out, N - 1), sum_of_elements);
    for (int64_t s = 0; s < SAMPLES; s++) {
        int64_t i = place(s, N), before = i > 0 ? result_element(out, i - 1) : 0;
        if (result_element(out, i) != (int8_t)(before + element(i))) fail_msg("element %lld", (long long)i);
    }
    fx_tensor_free(out);
}

#define ON(backend, test) {#test " (" backend ")", test, NULL, NULL, (void *)(uintptr_t)backend}
/* Seconds at most, on any backend. */
#define QUICK_ON(backend)                                                                                             \
    ON(backend, slice), ON(backend, slice_of_the_end), ON(backend, concatenate), ON(backend, broadcast),              \
        ON(backend, bitcast), ON(backend, reverse), ON(backend, transpose), ON(backend, dynamic_slice),               \
        ON(backend, dynamic_update_slice), ON(backend, gather), ON(backend, gather_rows), ON(backend, scatter),       \
        ON(backend, arg_min)
/* About a minute each on the interpreter. */
#define SLOW_ON(backend)                                                                                              \
    ON(backend, negate), ON(backend, iota), ON(backend, pad), ON(backend, reduce_rows), ON(backend, cumulative)

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
#if FLUXION_CPU
        QUICK_ON("cpu"),
        SLOW_ON("cpu"),
        ON("cpu", elementwise),
        ON("cpu", iota_rows),
        ON("cpu", reduce),
        ON("cpu", reduce_columns),
        ON("cpu", dot),
#endif
        QUICK_ON("interp"),
        SLOW_ON("interp"),
    };
#if !FLUXION_CPU
    (void)elementwise, (void)iota_rows, (void)reduce, (void)reduce_columns, (void)dot;
#endif
    if (count > 1) cmocka_set_test_filter(arguments[1]);
    return cmocka_run_group_tests(tests, make_operand, free_operand);
}
