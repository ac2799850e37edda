/* SPDX-License-Identifier: Apache-2.0 */
/* Whole programs on which compilers of this kind have failed: many operations that share scalars, sizes
 * just above a threshold, many axes, very long chains, large constants, memory that is written while it is
 * read. */
#include "edge/edge.h"
#include "passes/passes.h"
#include <fluxion/barrier.h>
#include <fluxion/control.h>
#include <fluxion/indexing.h>
#include <fluxion/window.h>
#include <math.h>
#include <pthread.h>

static bool is_cpu(void **state) {
    return strcmp(*state, "cpu") == 0;
}

/* ---- many operations on shared scalars ---- */

enum { MOST_TERMS = 100 };
static int terms; /* of the sum that log_density builds */

/* log of the normal density of x around a mean. */
static fx_node *log_normal(fx_node *x, fx_node *mean, double scale) {
    fx_node *z = fx_div_scalar(fx_sub(x, mean), scale);
    return fx_add_scalar(fx_mul_scalar(fx_square(z), -0.5), -log(scale) - 0.91893853320467274178);
}

static fx_node *log_density(fx_node *const *in) {
    fx_graph *g = fx_node_graph(in[0]);
    fx_node *p0 = fx_reshape(fx_slice_axis(in[0], 0, 0, 1, 1), FX_DIMS());
    fx_node *p1 = fx_reshape(fx_slice_axis(in[0], 0, 1, 2, 1), FX_DIMS());
    fx_node *zero = fx_scalar(g, FX_F64, 0),
            *sum = fx_add(log_normal(p0, zero, 10), log_normal(p1, zero, 10));
    for (int i = 0; i < terms; i++) {
        fx_node *line = fx_add(fx_mul_scalar(p0, i), p1);
        sum = fx_add(sum, log_normal(fx_scalar(g, FX_F64, 2.0 * i), line, 1));
    }
    return sum;
}

static void many_shared_scalars(void **state) {
    static const double want[] = {-477.10837525, -161810.84315};
    fx_tensor *p = EDGE_REALS(FX_F64, 1, 0.5);
    for (int k = 0; k < 2; k++) {
        terms = k ? MOST_TERMS : 15;
        for (int again = 0; again < 2; again++) {
            fx_tensor *sum = edge_run(state, log_density, &p, 1);
            double got = fx_tensor_get(sum, 0);
            if (!(fabs(got - want[k]) < 1e-5))
                fail_msg("%d terms: %.9g instead of %.9g", terms, got, want[k]);
            fx_tensor_free(sum);
        }
    }
    fx_tensor_free(p);
}

/* ---- batches of small products ---- */

/* |I (i, 0, 0)|^2 for every row: exact numbers. */
static fx_node *squares_of_rows(fx_node *const *in) {
    fx_dtype dtype = fx_node_shape(in[0])->dtype;
    fx_node *rows = fx_stack(FX_NODES(in[0], fx_zeros_like(in[0]), fx_zeros_like(in[0])), 1);
    fx_node *identity = fx_convert(fx_diagonal(fx_node_graph(in[0]), 3), dtype);
    int64_t n = fx_node_shape(in[0])->dims[0];
    fx_node *all = fx_broadcast_in_dim(identity, FX_DIMS(n, 3, 3), FX_AXES(1, 2));
    fx_node *products = fx_dot_general(all, FX_AXES(2), FX_AXES(0), rows, FX_AXES(1), FX_AXES(0));
    return fx_reduce_sum(fx_square(products), FX_AXES(1));
}

static void rows_beyond_a_threshold(void **state) {
    static const struct {
        fx_dtype dtype;
        int64_t n;
    } sizes[] = {{FX_F64, 16385}, {FX_F32, 32769}, {FX_F32, 4097}, {FX_F64, 1025}};
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        fx_tensor *x = fx_tensor_new(&FX_SHAPE(sizes[k].dtype, sizes[k].n), FX_MUST);
        for (int64_t i = 0; i < sizes[k].n; i++)
            fxi_element_store(sizes[k].dtype, x->data, i, (fxi_scalar){.re = (double)(i & ~INT64_C(7))});
        fx_tensor *y = edge_run(state, squares_of_rows, &x, 1);
        for (int64_t i = 0; i < sizes[k].n; i++) {
            double want = (double)(i & ~INT64_C(7)) * (double)(i & ~INT64_C(7));
            if (fx_tensor_get(y, i) != (sizes[k].dtype == FX_F32 ? (double)(float)want : want))
                fail_msg("row %lld of %lld: %.17g", (long long)i, (long long)sizes[k].n, fx_tensor_get(y, i));
        }
        fx_tensor_free(x);
        fx_tensor_free(y);
    }
}

/* ---- many axes ---- */

static fx_node *of_eight_axes(fx_node *const *in) {
    fx_node *x = fx_expand_axes(fx_expand_axes(in[0], FX_AXES(0, 1)), FX_AXES(-1, -2, -3, -4, -5));
    const fx_shape full = FX_SHAPE(FX_F32, 3, 4, 6, 3, 3, 3, 3, 3);
    fx_node *product = fx_mul(fx_broadcast_to_shape(x, &full), fx_ones(fx_node_graph(x), &full));
    return fx_log(fx_max_scalar(fx_reduce_sum(product, FX_AXES(2)), 2.2e-16));
}

static void many_axes(void **state) {
    fx_tensor *ones = EDGE_REALS(FX_F32, 1, 1, 1, 1, 1, 1), *y = edge_run(state, of_eight_axes, &ones, 1);
    assert_string_equal(fx_shape_to_text(&y->shape).s, "(float32)[3, 4, 3, 3, 3, 3, 3]");
    for (int64_t i = 0; i < fx_tensor_size(y); i++) assert_true(fabs(fx_tensor_get(y, i) - log(6)) < 2e-7);
    fx_tensor_free(ones);
    fx_tensor_free(y);
}

/* ---- long chains ---- */

static int steps;
static fx_node *grown(fx_node *const *in) {
    fx_node *y = in[0];
    for (int i = 0; i < steps; i++) y = fx_add(y, fx_mul_scalar(y, 0.002));
    return y;
}
static fx_node *doubled_away(fx_node *const *in) {
    fx_node *y = in[0];
    for (int i = 0; i < steps; i++) y = fx_add(y, in[0]);
    return y;
}

static void *on_small_stack(void *state_pointer) {
    void **state = state_pointer;
    fx_tensor *x = EDGE_REALS(FX_F64, 1);
    static const int counts[] = {1000, 20000};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        steps = is_cpu(state) && counts[i] > 5000 ? 5000 : counts[i];
        fx_tensor *y = edge_run(state, grown, &x, 1);
        double want = pow(1.002, steps);
        assert_true(fabs(fx_tensor_get(y, 0) / want - 1) < 1e-10);
        fx_tensor_free(y);
    }
    fx_tensor_free(x);
    return state;
}

/* The stack of the thread is 512 KiB: nothing may recurse as deep as a program is long. */
static void long_chains(void **state) {
    pthread_attr_t attributes;
    pthread_t thread;
    void *done = NULL;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 512 << 10), 0);
    assert_int_equal(pthread_create(&thread, &attributes, on_small_stack, state), 0);
    assert_int_equal(pthread_join(thread, &done), 0);
    assert_int_equal(pthread_attr_destroy(&attributes), 0);
    assert_non_null(done);
}

static void *build_and_free(void *done) {
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_node *x = fx_parameter(g, &FX_SHAPE(FX_F64));
    steps = 300000;
    fx_node *y = doubled_away(&x);
    assert_true(fx_graph_finish(g, FX_NODES(y), FX_MUST));
    fx_graph *after = fxi_passes_run(g, FX_MUST);
    assert_true(after == NULL || after->nodes.count > 0);
    fx_graph_free(after);
    fx_graph_free(g);
    return done;
}

static void longer_chains_are_built(void **state) {
    pthread_attr_t attributes;
    pthread_t thread;
    void *done = NULL;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 512 << 10), 0);
    assert_int_equal(pthread_create(&thread, &attributes, build_and_free, state), 0);
    assert_int_equal(pthread_join(thread, &done), 0);
    assert_int_equal(pthread_attr_destroy(&attributes), 0);
    assert_non_null(done);
}

/* ---- large constants ---- */

static int64_t side;
static fx_node *twos_among_ones(fx_node *const *in) {
    fx_graph *g = fx_node_graph(in[0]);
    fx_node *at[3], *one = fx_fill_scalar(g, &FX_SHAPE(FX_F32, 1, 1, 1), 2);
    for (int i = 0; i < 3; i++) at[i] = fx_scalar_int(g, FX_S32, 3);
    fx_node *x =
        fx_dynamic_update_slice(fx_ones(g, &FX_SHAPE(FX_F32, side, side, side)), one, (fx_nodes){at, 3});
    return fx_add(fx_reduce_all_sum(fx_convert(fx_equal_scalar(x, 2), FX_S32)), in[0]);
}
static fx_node *place_of_five(fx_node *const *in) {
    fx_node *x = fx_iota(fx_node_graph(in[0]), &FX_SHAPE(FX_S32, 1000000), 0);
    fx_node *only = fx_where(fx_equal_scalar_int(x, 5), x, fx_zeros_like(x));
    return fx_add(fx_reduce_all_sum(only), in[0]);
}

static void build_twos(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = twos_among_ones(in);
}

static void large_constants(void **state) {
    side = 50;
    EDGE_TEXT(state, twos_among_ones, "int32(1)",
              fx_tensor_copy_from(&FX_SHAPE(FX_S32), &(int32_t){0}, FX_MUST));
    EDGE_TEXT(state, place_of_five, "int32(5)",
              fx_tensor_copy_from(&FX_SHAPE(FX_S32), &(int32_t){0}, FX_MUST));
    side = 500; /* 500 MB if it were folded */
    fx_backend *backend = open_named(state);
    fx_exec *exec = fx_exec_new_fn(backend, build_twos, 1, 1, NULL, FX_MUST);
    fx_program *program = fx_exec_program(exec, &FX_SHAPE(FX_S32), 1, FX_MUST);
    fx_memory memory = {.size = sizeof memory};
    assert_true(fx_program_memory(program, &memory));
    assert_true(memory.constants < 1000 && memory.code < 100000);
    fx_program_free(program);
    fx_exec_free(exec);
    fx_backend_close(backend);
}

/* ---- memory that is written while it is read ---- */

/* Pairs of a vector, each padded to five. */
static fx_node *padded_pairs(fx_node *x) {
    int64_t pairs = fx_node_shape(x)->dims[0] / 2;
    fx_node *all = fx_zeros(fx_node_graph(x), &FX_SHAPE(FX_F32, 5 * pairs));
    for (int64_t k = 0; k < pairs; k++)
        all = fx_dynamic_update_slice(all, fx_slice_axis(x, 0, 2 * k, 2 * k + 2, 1),
                                      FX_NODES(fx_scalar_int(fx_node_graph(x), FX_S32, 5 * k + 1)));
    return all;
}
static fx_node *pairs_of_padded(fx_node *x) {
    fx_node *parts[16];
    int64_t pairs = fx_node_shape(x)->dims[0] / 5;
    for (int64_t k = 0; k < pairs; k++) parts[k] = fx_slice_axis(x, 0, 5 * k + 1, 5 * k + 3, 1);
    return fx_concatenate((fx_nodes){parts, (size_t)pairs}, 0);
}
static fx_node *two_updates(fx_node *const *in) {
    fx_node *x = in[0], *z = in[1];
    return fx_add(pairs_of_padded(fx_mul(padded_pairs(x), z)),
                  pairs_of_padded(padded_pairs(pairs_of_padded(z))));
}

static fx_node *with_reverse(fx_node *const *in) {
    return fx_add(in[0], fx_reverse(in[0], FX_AXES(0)));
}
static fx_node *shifted_onto_itself(fx_node *const *in) {
    fx_node *x = fx_add_scalar(in[0], 0.5); /* a value of the program's own, which it may overwrite */
    int64_t n = fx_node_shape(x)->dims[0];
    return fx_dynamic_update_slice(x, fx_slice_axis(x, 0, 1, n, 1),
                                   FX_NODES(fx_scalar_int(fx_node_graph(x), FX_S32, 0)));
}
static void exchange(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = in[2];
    out[1] = in[1];
}
static fx_node *exchanged(fx_node *const *in) {
    fx_node *results[2];
    fx_for(7, FX_NODES(in[0], in[1]), exchange, NULL, results);
    return fx_stack(FX_NODES(results[0], results[1]), 0);
}
static void exchange_changed(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                             void *user) {
    (void)g, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_reverse(in[2], FX_AXES(0));
    out[1] = fx_add(in[1], fx_reverse(in[2], FX_AXES(0)));
}
static fx_node *exchanged_and_changed(fx_node *const *in) {
    fx_node *results[2];
    fx_for(3, FX_NODES(in[0], in[1]), exchange_changed, NULL, results);
    return fx_stack(FX_NODES(results[0], results[1]), 0);
}

static void memory_is_not_read_after_written(void **state) {
    double numbers[20];
    for (int i = 0; i < 20; i++) numbers[i] = i + 1;
    EDGE_TEXT(state, two_updates, "[8]float32{4, 9, 28, 40, 72, 91, 136, 162}",
              edge_reals(FX_F32, numbers, 8), edge_reals(FX_F32, numbers, 20));
    EDGE_TEXT(state, with_reverse, "[5]float32{6, 6, 6, 6, 6}", edge_reals(FX_F32, numbers, 5));
    EDGE_TEXT(state, shifted_onto_itself, "[5]float32{2.5, 3.5, 4.5, 5.5, 5.5}",
              edge_reals(FX_F32, numbers, 5));
    EDGE_TEXT(state, exchanged, "[2][3]float32{{7, 8, 9}, {1, 2, 3}}", edge_reals(FX_F32, numbers, 3),
              EDGE_REALS(FX_F32, 7, 8, 9));
    EDGE_TEXT(state, exchanged_and_changed, "[2][2]float32{{41, 42}, {53, 73}}", EDGE_REALS(FX_F32, 1, 2),
              EDGE_REALS(FX_F32, 10, 30));
}

/* ---- a large result that another thread reads at once ---- */

static fx_node *counted_back(fx_node *const *in) {
    fx_node *x = fx_iota(fx_node_graph(in[0]), &FX_SHAPE(FX_S32, 2048, 2048), 0);
    fx_node *large = fx_optimization_barrier(fx_add(x, in[0]));
    fx_node *other = fx_optimization_barrier(fx_transpose(fx_add_scalar_int(large, 1), 0, 1));
    return fx_reduce_max(fx_sub(other, fx_transpose(large, 0, 1)), FX_AXES(0, 1));
}

static void large_results_are_seen(void **state) {
    fx_tensor *x = fx_tensor_copy_from(&FX_SHAPE(FX_S32), &(int32_t){3}, FX_MUST);
    for (int i = 0; i < (is_cpu(state) ? 20 : 1); i++) {
        fx_tensor *y = edge_run(state, counted_back, &x, 1);
        assert_text(y, "int32(1)");
        fx_tensor_free(y);
    }
    fx_tensor_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(many_shared_scalars),
        BOTH(rows_beyond_a_threshold),
        BOTH(many_axes),
        BOTH(long_chains),
        cmocka_unit_test(longer_chains_are_built),
        BOTH(large_constants),
        BOTH(memory_is_not_read_after_written),
        BOTH(large_results_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
