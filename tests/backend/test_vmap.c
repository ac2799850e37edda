/* SPDX-License-Identifier: Apache-2.0 */
/* fx_vmap against the function run on every example by itself, on every backend: each kind of operation with every choice
 * of batched and shared inputs, batch axes anywhere, and what is refused. Inputs are small integers, so that no order of
 * evaluation matters. */
#include "exec/both.h"
#include "graph/graph.h"
#include <fluxion/vmap.h>
#include <stdlib.h>

#define FUNCTION(name)                                                                                       \
    static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)g, (void)in, (void)n_in, (void)out, (void)n_out, (void)user

enum { BATCH = 5, ROWS = 3, COLUMNS = 4, SIZE = ROWS * COLUMNS };

FUNCTION(elementwise) { UNUSED; out[0] = fx_add(fx_mul(in[0], in[1]), fx_scalar(g, FX_F32, 2)); }
FUNCTION(chosen) { UNUSED; out[0] = fx_where(fx_less(in[0], in[1]), in[0], fx_neg(in[1])); }
FUNCTION(moved) {
    UNUSED;
    fx_node *x = fx_reverse(fx_transpose(in[0], 0, 1), FX_AXES(0));
    x = fx_slice(x, FX_DIMS(1, 0), FX_DIMS(4, 3), FX_DIMS(2, 1));
    out[0] = fx_concatenate(FX_NODES(x, fx_reshape(in[1], FX_DIMS(4, 3))), 0);
}
FUNCTION(reduced) {
    UNUSED;
    out[0] = fx_add(fx_reduce_sum(in[0], FX_AXES(1)), fx_reduce_max(in[1], FX_AXES(1)));
    out[0] = fx_add(out[0], fx_convert(fx_arg_max(in[0], 1), FX_F32));
}
FUNCTION(spread) { UNUSED; out[0] = fx_sub(in[0], fx_reduce_and_keep(in[1], fx_reduce_sum, FX_AXES(0))); }
FUNCTION(product) { UNUSED; out[0] = fx_matmul(in[0], fx_transpose(in[1], 0, 1)); }
FUNCTION(batched_product) {
    UNUSED;
    fx_node *a = fx_reshape(in[0], FX_DIMS(3, 2, 2)), *b = fx_reshape(in[1], FX_DIMS(3, 2, 2));
    out[0] = fx_dot_general(a, FX_AXES(1), FX_AXES(0), b, FX_AXES(2), FX_AXES(0));
}
FUNCTION(running) { UNUSED; out[0] = fx_add(fx_cum_sum(in[0], 1), fx_cum_max(in[1], 0)); }
FUNCTION(sorted) { UNUSED; out[0] = fx_sub(fx_sort(in[0], 0, true), fx_sort(in[1], 1, false)); }
FUNCTION(padded) {
    UNUSED;
    const fx_pad_axis pads[] = {{1, 2, 0}, {-1, 0, 1}};
    out[0] = fx_pad(fx_add(in[0], in[1]), fx_scalar(g, FX_F32, 9), (fx_pads){pads, 2});
}
FUNCTION(padded_by) {
    UNUSED;
    const fx_pad_axis pads[] = {{1, 0, 0}, {0, 1, 0}};
    out[0] = fx_pad(in[0], fx_reduce_all_max(in[1]), (fx_pads){pads, 2});
}
static fx_node *indices_of(fx_node *x) { return fx_convert(fx_abs(fx_rem(x, fx_scalar(fx_node_graph(x), FX_F32, 3))), FX_S32); }
FUNCTION(gathered) { UNUSED; out[0] = fx_gather(in[0], fx_reshape(indices_of(in[1]), FX_DIMS(12, 1))); }
FUNCTION(scattered) {
    UNUSED;
    fx_node *rows = fx_reshape(fx_slice(indices_of(in[1]), FX_DIMS(0, 0), FX_DIMS(3, 1), FX_DIMS()), FX_DIMS(3, 1));
    out[0] = fx_scatter_sum(in[0], rows, in[0]);
}
FUNCTION(sliced_at) {
    UNUSED;
    fx_node *at = fx_convert(fx_reduce_all_min(indices_of(in[1])), FX_S32);
    out[0] = fx_dynamic_slice(in[0], FX_NODES(at, fx_scalar_int(g, FX_S32, 1)), FX_DIMS(2, 2));
}
FUNCTION(updated_at) {
    UNUSED;
    fx_node *part = fx_slice(in[1], FX_DIMS(0, 0), FX_DIMS(2, 2), FX_DIMS());
    out[0] = fx_dynamic_update_slice(in[0], part, FX_NODES(fx_scalar_int(g, FX_S32, 1), fx_scalar_int(g, FX_S32, 7)));
}
/* Starts beyond both ends, in dtypes that hold neither the dimensions nor negative numbers. */
static fx_node *start_of(fx_node *x, fx_dtype dtype) {
    fx_node *sum = fx_reduce_all_sum(x);
    return fx_dtype_is_unsigned(dtype) ? fx_convert(fx_abs(sum), dtype) : fx_convert(sum, dtype);
}
FUNCTION(sliced_anywhere) {
    UNUSED;
    out[0] = fx_dynamic_slice(in[0], FX_NODES(start_of(in[1], FX_S8), start_of(in[0], FX_S8)), FX_DIMS(2, 2));
}
FUNCTION(sliced_unsigned) {
    UNUSED;
    fx_node *x = fx_concatenate(FX_NODES(in[0], in[1]), 1);
    out[0] = fx_dynamic_slice(x, FX_NODES(fx_scalar_int(g, FX_U64, 1), start_of(in[1], FX_U64)), FX_DIMS(1, 3));
}
FUNCTION(updated_anywhere) {
    UNUSED;
    fx_node *part = fx_slice(in[1], FX_DIMS(0, 0), FX_DIMS(2, 3), FX_DIMS());
    out[0] = fx_dynamic_update_slice(in[0], part, FX_NODES(start_of(in[1], FX_S16), fx_scalar_int(g, FX_S16, 1)));
}
FUNCTION(updated_large) {
    UNUSED;
    const fx_pad_axis pads[] = {{0, 300, 0}, {0, 0, 0}};
    fx_node *x = fx_pad(in[0], fx_scalar(g, FX_F32, 0), (fx_pads){pads, 2});
    out[0] = fx_dynamic_update_slice(x, in[1], FX_NODES(start_of(in[1], FX_U8), start_of(in[0], FX_U8)));
}
FUNCTION(vector_at) {
    UNUSED;
    fx_node *line = fx_reshape(in[0], FX_DIMS(SIZE)), *at = start_of(in[1], FX_S32);
    line = fx_dynamic_update_slice(line, fx_reshape(fx_slice(in[1], FX_DIMS(0, 0), FX_DIMS(1, 4), FX_DIMS()), FX_DIMS(4)), FX_NODES(at));
    out[0] = fx_concatenate(FX_NODES(line, fx_dynamic_slice(line, FX_NODES(at), FX_DIMS(3))), 0);
}
FUNCTION(padded_by_values) {
    UNUSED;
    const fx_pad_axis pads[] = {{1, -1, 2}, {-1, 2, 0}};
    fx_node *value = fx_reduce_all_max(in[1]);
    out[0] = fx_pad(in[0], value, (fx_pads){pads, 2});
    out[0] = fx_add(out[0], fx_convert(fx_pad(fx_less(in[0], fx_neg(in[0])), fx_less(value, fx_scalar(g, FX_F32, 10)), (fx_pads){pads, 2}), FX_F32));
}
FUNCTION(convolved) {
    UNUSED;
    fx_node *x = fx_reshape(in[0], FX_DIMS(1, 3, 4)), *kernel = fx_reshape(in[1], FX_DIMS(3, 4, 1));
    out[0] = fx_convolve(x, kernel, &(fx_conv_options){.pad_same = true});
}
FUNCTION(convolved_groups) {
    UNUSED;
    fx_node *x = fx_reshape(in[0], FX_DIMS(2, 2, 3)), *kernel = fx_reshape(in[1], FX_DIMS(4, 1, 3));
    const fx_conv_options o = {.channels_first = true, .strides = FX_AXES(2), .pad_same = true, .channel_groups = 2};
    out[0] = fx_convolve(x, kernel, &o);
}
FUNCTION(convolved_batch_groups) {
    UNUSED;
    fx_node *x = fx_reshape(in[0], FX_DIMS(2, 2, 3)), *kernel = fx_reshape(in[1], FX_DIMS(2, 2, 3));
    const fx_conv_options o = {.channels_first = true, .pad_same = true, .batch_groups = 2};
    out[0] = fx_convolve(x, kernel, &o);
}
FUNCTION(small) { UNUSED; out[0] = fx_less(fx_reduce_all_sum(in[0]), fx_scalar(g, FX_F32, 500)); }
FUNCTION(grow) { UNUSED; out[0] = fx_add(fx_abs(in[0]), fx_add(fx_abs(user), fx_scalar(g, FX_F32, 1))); }
FUNCTION(looped) { UNUSED; out[0] = fx_while(FX_NODES(in[0]), small, grow, in[1], NULL); }
FUNCTION(negated) { UNUSED; out[0] = fx_neg(user); }
FUNCTION(doubled) { UNUSED; out[0] = fx_add(user, user); }
FUNCTION(branched) {
    UNUSED;
    out[0] = fx_if(fx_less(fx_reduce_all_sum(in[0]), fx_reduce_all_sum(in[1])), negated, doubled, 1, in[0], NULL);
}
FUNCTION(carry) { UNUSED; out[0] = fx_add(fx_mul(in[0], fx_scalar(g, FX_F32, 2)), in[1]); out[1] = out[0]; }
FUNCTION(scanned) {
    UNUSED;
    fx_node *start = fx_reduce_sum(in[1], FX_AXES(0)), *results[2];
    fx_scan(FX_NODES(start), FX_NODES(in[0]), 3, 1, carry, NULL, results);
    out[0] = results[1];
}
FUNCTION(two_rows) { UNUSED; out[0] = fx_neg(in[0]); out[1] = fx_add(in[0], fx_reduce_sum(user, FX_AXES(0))); }
FUNCTION(scanned_rows) { /* no state: the first result is stacked */
    UNUSED;
    fx_node *results[2];
    fx_scan((fx_nodes){NULL, 0}, FX_NODES(in[0]), 3, 2, two_rows, in[1], results);
    out[0] = fx_sub(results[0], results[1]);
}
/* A sum that starts the same for all, and a count that stays so. */
FUNCTION(count) {
    UNUSED;
    out[0] = fx_add(fx_add(in[0], in[2]), fx_reduce_sum(user, FX_AXES(0)));
    out[1] = fx_add(in[1], fx_scalar(g, FX_F32, 1));
    out[2] = in[0];
    out[3] = in[1];
}
FUNCTION(counted) {
    UNUSED;
    fx_node *start = fx_ones(g, &FX_SHAPE(FX_F32, 4)), *results[4];
    fx_scan_reverse(FX_NODES(start, fx_scalar(g, FX_F32, 5)), FX_NODES(in[0]), 3, 2, count, in[1], results);
    fx_node *rows = fx_add(results[2], fx_broadcast_to_dims(fx_reshape(results[3], FX_DIMS(3, 1)), FX_DIMS(3, 4)));
    out[0] = fx_add(rows, fx_broadcast_to_dims(fx_reshape(fx_add(results[0], results[1]), FX_DIMS(1, 4)), FX_DIMS(3, 4)));
}
FUNCTION(constant_result) { UNUSED; out[0] = fx_iota_full(g, fx_node_shape(in[0])); }
FUNCTION(two_results) {
    UNUSED;
    fx_node *indices;
    out[0] = fx_top_k(in[0], 2, 1, &indices);
    out[0] = fx_add(out[0], fx_convert(indices, FX_F32));
}

static const struct {
    const char *name;
    fx_fn fn;
} functions[] = {
    {"elementwise", elementwise}, {"chosen", chosen},         {"moved", moved},           {"reduced", reduced},
    {"spread", spread},           {"product", product},       {"batched_product", batched_product}, {"running", running},
    {"sorted", sorted},           {"padded", padded},         {"padded_by", padded_by},   {"gathered", gathered},
    {"convolved", convolved},     {"convolved_groups", convolved_groups}, {"convolved_batch_groups", convolved_batch_groups},
    {"scattered", scattered},     {"sliced_at", sliced_at},   {"updated_at", updated_at}, {"looped", looped},
    {"branched", branched},       {"scanned", scanned},       {"scanned_rows", scanned_rows}, {"counted", counted}, {"constant_result", constant_result},
    {"two_results", two_results}, {"sliced_anywhere", sliced_anywhere}, {"sliced_unsigned", sliced_unsigned},
    {"updated_anywhere", updated_anywhere}, {"updated_large", updated_large}, {"vector_at", vector_at},
    {"padded_by_values", padded_by_values},
};

/* How the batch lies: axes of the two inputs and of the result. */
typedef struct way {
    int in[2], out;
    fx_fn fn;
} way;

FUNCTION(mapped) {
    UNUSED;
    const way *w = user;
    out[0] = fx_vmap(FX_NODES(in[0], in[1]), w->in, w->fn, NULL, 1, &w->out, NULL);
}

/* Example b of input k: its element i. */
static float element(int k, int b, int i) { return (float)((b * 29 + i * (k ? 17 : 11) + k * 5) % 23 - 11); }

static fx_tensor *input(int k, int axis) {
    int64_t dims[3] = {ROWS, COLUMNS, 0};
    int rank = axis == FX_NOT_BATCHED ? 2 : 3, place = axis < 0 ? axis + 3 : axis;
    for (int i = 2; rank == 3 && i > place; i--) dims[i] = dims[i - 1];
    if (rank == 3) dims[place] = BATCH;
    const fx_shape shape = fx_shape_make(FX_F32, dims, (size_t)rank);
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    for (int i = 0; i < (int)fx_shape_size(&shape); i++) {
        int index[3], rest = i, b = 0, flat = 0;
        for (int a = rank - 1; a >= 0; a--) {
            index[a] = rest % (int)dims[a];
            rest /= (int)dims[a];
        }
        for (int a = 0; a < rank; a++) {
            if (rank == 3 && a == place) b = index[a];
            else flat = flat * (int)dims[a] + index[a];
        }
        ((float *)t->data)[i] = element(k, b, flat);
    }
    return t;
}

static fx_tensor *call(fx_backend *backend, fx_fn fn, void *user, fx_tensor *a, fx_tensor *b) {
    fx_exec *exec = fx_exec_new_fn(backend, fn, 2, 1, user, FX_MUST);
    const fx_arg args[] = {FX_ARG(a), FX_ARG(b)};
    fx_tensor *t = fx_exec_call1(exec, args, 2, FX_MUST);
    fx_exec_free(exec);
    return t;
}

static fx_tensor *example(int k, int b) {
    const fx_shape shape = FX_SHAPE(FX_F32, ROWS, COLUMNS);
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    for (int i = 0; i < SIZE; i++) ((float *)t->data)[i] = element(k, b, i);
    return t;
}

/* Example b of a result whose batch lies along axis 0 or the last. */
static void check_example(const char *name, const fx_tensor *all, const fx_tensor *one, int b, bool last) {
    int64_t n = fx_shape_size(&one->shape);
    assert_int_equal(fx_shape_size(&all->shape), n * BATCH);
    for (int64_t i = 0; i < n; i++) {
        double got = fx_tensor_get(all, last ? i * BATCH + b : b * n + i);
        if (got != fx_tensor_get(one, i))
            fail_msg("%s, example %d, element %lld: %g instead of %g", name, b, (long long)i, got, fx_tensor_get(one, i));
    }
}

static void test_functions(void **state) {
    static const way ways[] = {{{0, 0}, 0, NULL}, {{0, FX_NOT_BATCHED}, 0, NULL}, {{FX_NOT_BATCHED, 0}, 0, NULL},
                               {{1, -1}, -1, NULL}, {{2, 1}, 0, NULL}, {{FX_NOT_BATCHED, 2}, -1, NULL}};
    fx_backend *backend = open_named(state);
    for (size_t f = 0; f < COUNT_OF(functions); f++)
        for (size_t k = 0; k < COUNT_OF(ways); k++) {
            way w = ways[k];
            w.fn = functions[f].fn;
            fx_tensor *a = input(0, w.in[0]), *b = input(1, w.in[1]);
            fx_tensor *all = call(backend, mapped, &w, a, b);
            for (int e = 0; e < BATCH; e++) {
                fx_tensor *x = example(0, w.in[0] == FX_NOT_BATCHED ? 0 : e), *y = example(1, w.in[1] == FX_NOT_BATCHED ? 0 : e);
                fx_tensor *one = call(backend, w.fn, NULL, x, y);
                check_example(functions[f].name, all, one, e, w.out == -1);
                fx_tensor_free(x), fx_tensor_free(y), fx_tensor_free(one);
            }
            fx_tensor_free(a), fx_tensor_free(b), fx_tensor_free(all);
        }
    fx_backend_close(backend);
}

/* Places of each example's own need no loop over the examples. */
static void test_without_scan(void **state) {
    (void)state;
    static const fx_fn fns[] = {padded, sliced_at, sliced_anywhere, sliced_unsigned,
                                updated_at, updated_anywhere, updated_large, vector_at};
    static const int axes[][2] = {{0, 0}, {0, FX_NOT_BATCHED}, {FX_NOT_BATCHED, 0}};
    for (size_t f = 0; f < COUNT_OF(fns); f++)
        for (size_t k = 0; k < COUNT_OF(axes); k++) {
            fx_graph *g = fx_graph_new(FX_MUST);
            fx_node *in[2], *out;
            for (int i = 0; i < 2; i++)
                in[i] = fx_parameter(g, axes[k][i] == 0 ? &FX_SHAPE(FX_F32, BATCH, ROWS, COLUMNS) : &FX_SHAPE(FX_F32, ROWS, COLUMNS));
            out = fx_vmap(FX_NODES(in[0], in[1]), axes[k], fns[f], NULL, 1, NULL, NULL);
            assert_true(fx_graph_finish(g, FX_NODES(out), FX_MUST));
            for (size_t i = 0; i < g->nodes.count; i++)
                if (g->nodes.data[i]->op == FX_OP_SCAN) fail_msg("function %zu, way %zu has a scan", f, k);
            fx_graph_free(g);
        }
}

/* A map inside a map, and a captured node. */
FUNCTION(times_captured) { UNUSED; out[0] = fx_mul(fx_add(in[0], in[1]), user); }
FUNCTION(inner_map) {
    UNUSED;
    fx_node *scale = fx_reduce_all_max(in[1]);
    out[0] = fx_vmap(FX_NODES(in[0], in[1]), (const int[]){FX_NOT_BATCHED, 1}, times_captured, scale, 1, NULL, NULL);
}
FUNCTION(outer_map) { UNUSED; out[0] = fx_vmap(FX_NODES(in[0], in[1]), (const int[]){FX_NOT_BATCHED, 0}, inner_map, NULL, 1, NULL, NULL); }

static void test_nested(void **state) {
    fx_backend *backend = open_named(state);
    fx_tensor *a = fx_tensor_from(FX_HOST(((float[]){1, 2}), 2), FX_MUST);
    fx_tensor *b = fx_tensor_from(FX_HOST(((float[]){1, 2, 3, 4, 5, 6, 7, 8}), 2, 2, 2), FX_MUST);
    fx_tensor *got = call(backend, outer_map, NULL, a, b);
    assert_string_equal(fx_tensor_text(got).s,
                        "[2][2][2]float32{{{8, 20}, {12, 24}}, {{48, 72}, {56, 80}}}");
    fx_tensor_free(a), fx_tensor_free(b), fx_tensor_free(got);
    fx_backend_close(backend);
}

static void refused(fx_nodes inputs, const int *in_axes, fx_fn fn, size_t n_results, const int *out_axes, const char *message) {
    fx_error err = {.code = FX_OK};
    fx_vmap(inputs, in_axes, fn, NULL, n_results, out_axes, NULL);
    assert_true(fx_graph_error(fx_node_graph(inputs.v[0]), &err));
    assert_string_equal(err.message, message);
}

static fx_node *fresh(int rank, int64_t dim) {
    const int64_t dims[] = {dim, 4, 4};
    const fx_shape shape = fx_shape_make(FX_F32, dims, (size_t)rank);
    return fx_parameter(fx_graph_new(FX_MUST), &shape);
}

static void test_refused(void **state) {
    (void)state;
    const int none[] = {FX_NOT_BATCHED}, far[] = {3};
    fx_node *x[6];
    for (int i = 0; i < 6; i++) x[i] = fresh(2, 3);
    const fx_shape other = FX_SHAPE(FX_F32, 4, 4);
    fx_node *y = fx_parameter(fx_node_graph(x[0]), &other);
    refused(FX_NODES(x[0], y), NULL, elementwise, 1, NULL, "fx_vmap: the batch axes differ in length, at input 1");
    refused(FX_NODES(x[1]), none, two_results, 1, NULL, "fx_vmap: no input has a batch axis");
    refused(FX_NODES(x[2]), far, two_results, 1, NULL, "fx_vmap: axis 3 is out of range for (float32)[3, 4] (rank 2)");
    refused(FX_NODES(x[3]), NULL, NULL, 1, NULL, "fx_vmap: the closure is NULL");
    refused(FX_NODES(x[4]), NULL, two_results, 0, NULL, "fx_vmap: the function gives no result");
    refused(FX_NODES(x[5], x[5]), NULL, elementwise, 1, far, "fx_vmap: axis 3 is out of range for (float32)[3, 4] (rank 2)");
    assert_null(fx_vmap((fx_nodes){NULL, 0}, NULL, elementwise, NULL, 1, NULL, NULL));
    for (int i = 0; i < 6; i++) fx_graph_free(fx_node_graph(x[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(test_functions), cmocka_unit_test(test_without_scan), BOTH(test_nested), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
