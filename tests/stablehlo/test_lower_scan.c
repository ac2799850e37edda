/* SPDX-License-Identifier: Apache-2.0 */
/* Lowerings of running combinations, scans and selections against the operations themselves. */
#include "stablehlo/lowered.h"
#include <fluxion/control.h>
#include <fluxion/indexing.h>
#include <fluxion/sorting.h>
#include <fluxion/window.h>
#include <math.h>

static const golden_tolerance exact = {GOLDEN_EXACT, 0};

/* Float sums and products may come in another order: a few ulp of the largest. */
static golden_tolerance near_for(fx_dtype dtype) {
    return fx_dtype_is_integer(dtype) ? exact : (golden_tolerance){GOLDEN_NORM, 16};
}

static void running_combinations(void **state) {
    (void)state;
    fx_node *(*const builders[])(fx_node *, int) = {
        fx_cum_sum, fx_cum_sum_reverse, fx_cum_prod, fx_cum_prod_reverse, fx_cum_max, fx_cum_max_reverse,
        fx_cum_min, fx_cum_min_reverse, fx_cum_logsumexp, fx_cum_logsumexp_reverse};
    const fx_dtype dtypes[] = {FX_F32, FX_F64, FX_BF16, FX_F16, FX_S32, FX_U8, FX_S4, FX_U64, FX_C64, FX_C128};
    random_state random = {1};
    for (size_t i = 0; i < sizeof builders / sizeof *builders; i++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            if (fx_dtype_is_complex(dtypes[d]) && i >= 4) continue;
            if (!fx_dtype_is_float(dtypes[d]) && i >= 8) continue;
            const int64_t sizes[] = {1, 2, 3, 7, 16};
            for (size_t n = 0; n < 5; n++) {
                fx_graph *graph = new_graph();
                const fx_shape shape = {.dtype = dtypes[d], .rank = 3, .dims = {2, sizes[n], 3}};
                fx_node *made = builders[i](fx_abs(parameter(graph, shape)), 1);
                fx_tensor *input = random_tensor(&random, &shape, RANDOM_PLAIN);
                if (sizes[n] > 1 || fx_dtype_is_half(dtypes[d])) {
                    compare_lowered(graph, FX_NODES(made), &input, near_for(dtypes[d]));
                } else {
                    fx_tensor_free(input);
                    fx_graph_free(graph);
                }
            }
        }
}

/* Equal infinities, NaN, a line of nothing but -Inf. */
static void logsumexp_of_infinities(void **state) {
    (void)state;
    const float inf = INFINITY, values[2][6] = {{-inf, -inf, 1, inf, inf, 2}, {-inf, -inf, -inf, 0, NAN, 1}};
    for (int i = 0; i < 2; i++) {
        fx_graph *graph = new_graph();
        fx_node *x = parameter(graph, FX_SHAPE(FX_F32, 6));
        fx_tensor *input = fx_tensor_copy_from(&FX_SHAPE(FX_F32, 6), values[i], FX_MUST);
        compare_lowered(graph, FX_NODES(fx_cum_logsumexp(x, 0), fx_cum_logsumexp_reverse(x, 0)), &input,
                        (golden_tolerance){GOLDEN_ULP, 4});
    }
}

static void selections(void **state) {
    (void)state;
    const fx_dtype dtypes[] = {FX_F32, FX_F64, FX_F16, FX_S32, FX_U8, FX_S4, FX_U2, FX_BOOL, FX_U64};
    random_state random = {7};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int round = 0; round < 12; round++) {
            fx_graph *graph = new_graph();
            const fx_shape shape = {.dtype = dtypes[d], .rank = 2, .dims = {3, 9}};
            fx_node *x = parameter(graph, shape), *top[2], *bottom[2];
            top[0] = fx_top_k_dtype(x, 5, -1, FX_S64, &top[1]);
            bottom[0] = fx_bottom_k(x, 4, -1, &bottom[1]);
            fx_tensor *input = random_tensor(&random, &shape, (random_style)(round % RANDOM_STYLES));
            compare_lowered(graph,
                            FX_NODES(fx_arg_max(x, 1), fx_arg_min_dtype(x, 0, FX_S64), top[0], top[1], bottom[0], bottom[1]),
                            &input, exact);
        }
}

/* A state, two inputs, a captured value and two stacked results. */
static void body(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)graph, (void)n_in, (void)n_out;
    fx_node *captured = user;
    out[0] = fx_add(fx_mul(in[0], captured), in[1]);
    out[1] = fx_sub(out[0], fx_convert(in[2], FX_F32));
    out[2] = fx_copysign(in[1], out[0]); /* is lowered itself */
}

static void scans(void **state) {
    (void)state;
    random_state random = {3};
    for (int64_t length = 0; length < 5; length += 2)
        for (int backwards = 0; backwards < 2; backwards++) {
            fx_graph *graph = new_graph();
            const fx_shape shapes[] = {FX_SHAPE(FX_F32, 3), FX_SHAPE(FX_F32, length, 3), FX_SHAPE(FX_S16, length), FX_SHAPE(FX_F32)};
            fx_node *in[4], *out[3];
            fx_tensor *inputs[4];
            for (int i = 0; i < 4; i++) {
                in[i] = parameter(graph, shapes[i]);
                inputs[i] = random_tensor(&random, &shapes[i], RANDOM_PLAIN);
            }
            in[2] = fx_broadcast_in_dim(in[2], (fx_dims){(const int64_t[]){length, 3}, 2}, (fx_axes){(const int[]){0}, 1});
            (backwards ? fx_scan_reverse : fx_scan)(FX_NODES(in[0]), FX_NODES(in[1], in[2]), length, 2, body, in[3], out);
            compare_lowered(graph, FX_NODES(out[0], out[1], out[2]), inputs, exact);
        }
}

/* A comparator with a reduction and a captured array. */
static void by_weight(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)graph, (void)n_in, (void)n_out;
    fx_node *weights = user;
    fx_node *a = fx_reduce_all_sum(fx_mul(weights, fx_square(in[0]))), *b = fx_reduce_all_sum(fx_mul(weights, fx_square(in[1])));
    out[0] = fx_less(a, b);
}

static void sorts(void **state) {
    (void)state;
    random_state random = {5};
    for (int axis = 0; axis < 3; axis++) {
        fx_graph *graph = new_graph();
        const fx_shape shapes[] = {FX_SHAPE(FX_F32, 2, 7, 3), FX_SHAPE(FX_S16, 2, 7, 3), FX_SHAPE(FX_F32, 2)};
        fx_node *in[3], *out[2];
        fx_tensor *inputs[3];
        for (int i = 0; i < 3; i++) {
            in[i] = parameter(graph, shapes[i]);
            inputs[i] = random_tensor(&random, &shapes[i], RANDOM_SMALL_INTEGERS);
        }
        fx_sort_func(by_weight, fx_abs(in[2]), axis, FX_NODES(in[0], in[1]), out);
        compare_lowered(graph, FX_NODES(out[0], out[1]), inputs, exact);
    }
}

/* Updates that all go to one place. */
static void scatters(void **state) {
    (void)state;
    random_state random = {6};
    fx_graph *graph = new_graph();
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 2), FX_SHAPE(FX_S8, 3, 0), FX_SHAPE(FX_F32, 3, 2)};
    fx_node *in[3];
    fx_tensor *inputs[3];
    for (int i = 0; i < 3; i++) {
        in[i] = parameter(graph, shapes[i]);
        inputs[i] = random_tensor(&random, &shapes[i], RANDOM_PLAIN);
    }
    const fx_scatter_options options = {.window_axes = FX_AXES(1), .index_axis = 1};
    compare_lowered(graph, FX_NODES(fx_scatter_general(in[0], in[1], in[2], FX_SCATTER_SUM, &options)), inputs, exact);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(running_combinations), cmocka_unit_test(logsumexp_of_infinities),
                                       cmocka_unit_test(selections), cmocka_unit_test(scans),
                                       cmocka_unit_test(sorts), cmocka_unit_test(scatters)};
    return cmocka_run_group_tests_name("stablehlo.lower_scan", tests, NULL, NULL);
}
