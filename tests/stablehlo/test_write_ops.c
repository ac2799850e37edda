/* SPDX-License-Identifier: Apache-2.0 */
/* The text of operations of each family against tests/stablehlo/write_ops.txt: names, attributes, regions, types.
 * What programs made of them mean is for ops.cases_text. After a change that is meant, the file is written anew by
 * FLUXION_WRITE_OPS=path, to be looked at before it is kept. Also: every operation has somebody who writes it. */
#include "support/graph_helpers.h"
#include "stablehlo/lower.h"
#include "stablehlo/write.h"
#include "support/allocations.h"
#include <fluxion.h>
#include <stdlib.h>

/* What functions are made of: x, y float32[2, 3], square float32[3, 3], complex complex64[4], index int32[2],
 * flag bool. */
typedef struct inputs {
    fx_graph *g;
    fx_node *x, *y, *square, *complex, *index, *flag;
} inputs;

static inputs begin(void) {
    inputs in = {.g = new_graph()};
    in.x = parameter(in.g, FX_SHAPE(FX_F32, 2, 3));
    in.y = parameter(in.g, FX_SHAPE(FX_F32, 2, 3));
    in.square = parameter(in.g, FX_SHAPE(FX_F32, 3, 3));
    in.complex = parameter(in.g, FX_SHAPE(FX_C64, 4));
    in.index = parameter(in.g, FX_SHAPE(FX_S32, 2));
    in.flag = parameter(in.g, (fx_shape){.dtype = FX_BOOL});
    return in;
}

static void below_ten(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_less(fx_reduce_all_sum(in[0]), fx_scalar(body, FX_F32, 10));
}
static void add_captured(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_add(in[0], user);
}
static void negate_captured(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)in, (void)n_in, (void)n_out;
    out[0] = fx_neg(user);
}
static void give_captured(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)in, (void)n_in, (void)n_out;
    out[0] = user;
}
static void greater(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_greater(in[0], in[1]);
}
static const fx_fn branches[] = {negate_captured, give_captured, give_captured};

static fx_node *sorted_two(const inputs *in) {
    fx_node *results[2];
    fx_sort_many(FX_NODES(in->x, in->y), 2, 1, false, results);
    return results[1];
}
/* From the sum of y, which is computed before, and twice a constant, which is not. */
static void nearer(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *sum = fx_reduce_all_sum(user), *two = fx_scalar(body, FX_F32, 2);
    fx_node *a = fx_sub(in[0], sum), *b = fx_sub(in[1], sum);
    (void)n_in, (void)n_out;
    a = fx_mul(fx_abs(a), two);
    b = fx_mul(fx_abs(b), two);
    out[0] = fx_less(a, b);
}
static fx_node *sorted_by_distance(const inputs *in) { return fx_sort_func(nearer, in->y, 1, FX_NODES(in->x), NULL); }
static fx_node *first_index(const inputs *in) { return fx_reshape(fx_slice(in->index, FX_DIMS(0), FX_DIMS(1), FX_DIMS(1)), FX_DIMS()); }

static fx_node *convolved(const inputs *in) {
    fx_node *x = fx_reshape(in->x, FX_DIMS(1, 2, 3)), *kernel = fx_reshape(in->y, FX_DIMS(1, 3, 2));
    return fx_convolve(x, kernel, NULL);
}

/* One builder a line, or the order in which arguments are evaluated shows in the numbers. */
#define TEXTS(TEXT)                                                                                                   \
    TEXT(compare, fx_less_or_equal(in->x, in->y))                                                                     \
    TEXT(total_order, fx_less_total_order(in->x, in->y))                                                              \
    TEXT(compare_bool, fx_equal(in->flag, in->flag))                                                                  \
    TEXT(reduce_precision, fx_reduce_precision(in->x, 5, 10))                                                         \
    TEXT(half, fx_exp(fx_convert(in->x, FX_BF16)))                                        \
    TEXT(packed, fx_neg(fx_convert(in->index, FX_S4)))                                  \
    TEXT(transpose, fx_transpose(in->x, 0, 1))                                                                        \
    TEXT(slice, fx_slice_axis(in->x, 1, 0, 3, 2))                                                                     \
    TEXT(reverse, fx_reverse(in->x, FX_AXES(0, 1)))                                                                   \
    TEXT(concatenate, fx_concatenate(FX_NODES(in->x, in->y), 1))                                                      \
    TEXT(iota, fx_iota(in->g, &FX_SHAPE(FX_S64, 2, 3), 1))                                                            \
    TEXT(dynamic_slice, fx_dynamic_slice(in->x, FX_NODES(first_index(in), first_index(in)), FX_DIMS(1, 2)))           \
    TEXT(gather, fx_gather(in->x, fx_reshape(in->index, FX_DIMS(2, 1))))                                              \
    TEXT(scatter, fx_scatter_sum(in->x, fx_reshape(in->index, FX_DIMS(2, 1)), in->y))                                 \
    TEXT(reduce, fx_reduce_max(in->x, FX_AXES(1)))                                                                    \
    TEXT(reduce_window, fx_reduce_window(in->x, FX_WINDOW_MAX, &(fx_window_options){                                  \
        .window = FX_DIMS(2, 2), .strides = FX_DIMS(1, 1)}))                                                          \
    TEXT(select_and_scatter, fx_select_and_scatter(in->x, in->x, FX_WINDOW_MIN, NULL))                                \
    TEXT(convolution, convolved(in))    \
    TEXT(dot, fx_dot_general(in->x, FX_AXES(1), FX_AXES(), in->square, FX_AXES(0), FX_AXES()))                        \
    TEXT(fft, fx_fft(in->complex, FX_DIMS(4)))                                                                        \
    TEXT(triangular_solve, fx_triangular_solve(in->square, in->square, NULL))                                         \
    TEXT(sort, fx_sort(in->x, 1, true))                                                                               \
    TEXT(sort_keys, sorted_two(in))                                                                                   \
    TEXT(sort_complex, fx_sort(in->complex, 0, false))                                                                \
    TEXT(sort_by, fx_sort_func(greater, NULL, 1, FX_NODES(in->x), NULL))                                              \
    TEXT(sort_by_captured, sorted_by_distance(in))                                                                    \
    TEXT(top_k, fx_top_k(fx_convert(in->x, FX_S32), 2, 1, NULL))                                                      \
    TEXT(while_loop, fx_while(FX_NODES(in->x), below_ten, add_captured, in->y, NULL))                                 \
    TEXT(if_bool, fx_if(in->flag, negate_captured, give_captured, 1, in->x, NULL))                                    \
    TEXT(switch_case, fx_switch(first_index(in), branches, 3, 1, in->x, NULL))                                        \
    TEXT(barrier, fx_scheduling_barrier(in->x, FX_NODES(in->y, in->flag)))                                            \
    TEXT(all_reduce, fx_all_reduce_one(in->x, FX_COLLECTIVE_SUM, &(fx_device_groups){.devices = FX_DIMS(0, 1)}))      \
    TEXT(all_reduce_global, fx_all_reduce_one(in->x, FX_COLLECTIVE_MAX, &(fx_device_groups){                         \
        .devices = FX_DIMS(0, 2, 1, 3), .size = 2, .channel = 7, .global_ids = true}))                                \
    TEXT(all_gather, fx_all_gather(in->x, 1, &(fx_device_groups){.taking_part = 2}))                                  \
    TEXT(permute, fx_collective_permute(in->x, FX_DIMS(0, 1, 1, 0), 3))

#define TEXT(name, expression) static fx_node *build_##name(const inputs *in) { return expression; }
TEXTS(TEXT)
#undef TEXT

static const struct {
    const char *name;
    fx_node *(*build)(const inputs *in);
} texts[] = {
#define TEXT(name, expression) {#name, build_##name},
    TEXTS(TEXT)
#undef TEXT
};

/* The whole module but the types of the arguments, which are the same in all. */
static void add_text(fxi_text *all, size_t i) {
    inputs in = begin();
    fxi_text text = {0};
    fx_error err = {.code = FX_OK};
    if (!fx_graph_finish(in.g, FX_NODES(texts[i].build(&in)), &err) ||
        !fxi_stablehlo_text(in.g, &(fxi_stablehlo_options){.no_locations = true}, &text, &err))
        fail_msg("%s: %s", texts[i].name, err.message);
    const char *from = strstr(text.data, "-> (");
    assert_non_null(from);
    fxi_text_add(all, "== %s\n%s", texts[i].name, from);
    fxi_text_free(&text);
    fx_graph_free(in.g);
}

static char *read_file(const char *path) {
    FILE *stream = fopen(path, "r");
    if (!stream) return NULL;
    static char data[1 << 18];
    size_t n = fread(data, 1, sizeof data - 1, stream);
    fclose(stream);
    data[n] = 0;
    return data;
}

static void test_texts(void **state) {
    (void)state;
    fxi_text all = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) add_text(&all, i);
    const char *path = getenv("FLUXION_WRITE_OPS");
    if (path) {
        FILE *stream = fopen(path, "w");
        assert_non_null(stream);
        assert_true(fwrite(all.data, 1, all.length, stream) == all.length);
        assert_int_equal(fclose(stream), 0);
    }
    const char *expected = read_file(FX_TEST_DIR "/stablehlo/write_ops.txt"), *got = all.data;
    assert_non_null(expected);
    for (int line = 1; *expected || *got; line++) {
        size_t n = strcspn(expected, "\n"), m = strcspn(got, "\n");
        if (n != m || memcmp(expected, got, n) != 0)
            fail_msg("write_ops.txt:%d:\n%.*s\ninstead of\n%.*s", line, (int)m, got, (int)n, expected);
        expected += n + (expected[n] == '\n');
        got += m + (got[m] == '\n');
    }
    fxi_text_free(&all);
}

/* Every operation is written as it is, or lowered always. */
static void test_table(void **state) {
    (void)state;
    for (int op = 1; op < FX_OP_COUNT; op++) {
        if (op == FX_OP_PARAMETER || op == FX_OP_RESULT) continue; /* names alone */
        if (!fxi_write_emitter((fx_op)op) && !fxi_lowering_row((fx_op)op)->build)
            fail_msg("nobody writes %s", fxi_op_info_of((fx_op)op)->text);
        if (fxi_write_emitter((fx_op)op) == fxi_write_map) {
            const char *hlo = fxi_op_info_of((fx_op)op)->hlo;
            if (!*hlo) fail_msg("%s has no name in StableHLO", fxi_op_info_of((fx_op)op)->text);
        }
    }
}

/* Compares what a table says of its inputs. */
static void by_table(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *a = fx_gather(user, fx_reshape(in[0], FX_DIMS(1))), *b = fx_gather(user, fx_reshape(in[1], FX_DIMS(1)));
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_less(a, b);
}

/* It is asked before, about all pairs. */
static void test_comparator_of_arrays(void **state) {
    (void)state;
    inputs in = begin();
    fx_node *table = fx_reshape(in.x, FX_DIMS(6));
    fx_node *out = fx_sort_func(by_table, table, 0, FX_NODES(in.index), NULL);
    assert_true(fx_graph_finish(in.g, FX_NODES(out), FX_MUST));
    fxi_text text = {0};
    fx_error err = {.code = FX_OK};
    if (!fxi_stablehlo_text(in.g, NULL, &text, &err)) fail_msg("%s", err.message);
    assert_null(strstr(text.data, "stablehlo.sort"));
    assert_non_null(strstr(text.data, "stablehlo.gather"));
    fxi_text_free(&text);
    fx_graph_free(in.g);
}

/* With a request for memory failing, for every one of them: an error that says so, and nothing left behind. */
static void test_no_memory(void **state) {
    (void)state;
    inputs in = begin();
    fx_node *half = fx_convert(in.x, FX_BF16), *sorted = sorted_two(&in);
    fx_node *loop = fx_while(FX_NODES(in.x), below_ten, add_captured, in.y, NULL);
    fx_node *chosen = fx_if(in.flag, negate_captured, give_captured, 1, in.x, NULL);
    fx_node *waited = fx_scheduling_barrier(in.x, FX_NODES(in.y, in.flag));
    fx_node *scanned = fx_cum_sum(in.x, 1), *soft = fx_softmax(in.x, FX_AXES(1)), *power = fx_pow(in.index, in.index);
    assert_true(fx_graph_finish(in.g, FX_NODES(fx_exp(half), sorted, loop, chosen, waited, scanned, soft, power), FX_MUST));
    int64_t live = allocations_live();
    bool failed = true;
    for (int64_t n = 0; failed; n++) {
        fxi_text text = {0};
        fx_error err = {.code = FX_OK};
        allocations_fail(n, true);
        bool ok = fxi_stablehlo_text(in.g, &(fxi_stablehlo_options){.name = "me", .inline_composites = n % 2}, &text, &err);
        failed = allocations_failed();
        allocations_fail(-1, false);
        assert_true(ok == !failed);
        if (failed) assert_int_equal(err.code, FX_ERROR_MEMORY);
        fxi_text_free(&text);
        if (allocations_live() != live) fail_msg("request %lld leaves %lld blocks", (long long)n, (long long)(allocations_live() - live));
    }
    fx_graph_free(in.g);
}

int main(void) {
    assert_true(allocations_install());
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts), cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_comparator_of_arrays),
                                       cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
