/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of several operands of which one alone has derivatives: absent adjoints and tangents are zero in
 * every position. x is differentiated by, y are whole numbers of int64, made floats where they are needed. */
#include "support/gradients.h"
#include <fluxion/sorting.h>

static fx_node *fixed(fx_node *y) {
    return fx_convert(y, FX_F64);
}

static fx_node *sorted_many(fx_node *first, fx_node *second, size_t which) {
    fx_node *results[2];
    fx_sort_many(FX_NODES(first, second), 1, 0, true, results);
    return results[which];
}

GRAPH_FN(left_product, fx_matmul(x, fixed(y)))
GRAPH_FN(right_product, fx_matmul(fixed(y), x))
GRAPH_FN(joined, fx_concatenate(FX_NODES(fixed(y), x, fixed(y)), 0))
GRAPH_FN(padding, fx_pad(fixed(y), fx_reduce_all_sum(x), (fx_pads){(const fx_pad_axis[]){{1, 2, 1}}, 1}))
GRAPH_FN(padded, fx_pad(x, fixed(fx_reduce_all_sum(y)), (fx_pads){(const fx_pad_axis[]){{1, -1, 1}}, 1}))
GRAPH_FN(updated, fx_dynamic_update_slice(x, fixed(y), FX_NODES(z)))
GRAPH_FN(updating, fx_dynamic_update_slice(fixed(y), x, FX_NODES(z)))
GRAPH_FN(values, fx_sort_by_key(y, x, 0, true))
GRAPH_FN(keys, sorted_many(x, fixed(y), 0))
GRAPH_FN(carried, sorted_many(fixed(y), x, 1))
GRAPH_FN(chosen, fx_where(fx_greater_scalar_int(y, 0), x, fixed(y)))
GRAPH_FN(waited_for, fx_scheduling_barrier(fixed(y), FX_NODES(x)))

#define SCATTERS(kind)                                                                                       \
    GRAPH_FN(into_##kind, fx_scatter_##kind(x, z, fixed(y)))                                                 \
    GRAPH_FN(of_##kind, fx_scatter_##kind(fixed(y), z, x))
SCATTERS(sum)
SCATTERS(mul)
SCATTERS(max)
SCATTERS(min)
SCATTERS(update)

#define WHOLE(seed, ...)                                                                                     \
    random_values(                                                                                           \
        FX_S64,                                                                                              \
        (fx_dims){(const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)}, \
        -3, 4, seed)
#define START(value) FLOATS(FX_SHAPE(FX_S32), value)
#define PLACES(n, ...) FLOATS(FX_SHAPE(FX_S32, n, 1), __VA_ARGS__)

static void test_operands(void **state) {
    (void)state;
    CHECK_ROWS(
        ROW(left_product, RANDOM_F64(1, -1, 1, 2, 3), WHOLE(2, 3, 2)),
        ROW(right_product, RANDOM_F64(1, -1, 1, 3, 2), WHOLE(2, 2, 3)),
        ROW(joined, RANDOM_F64(1, -1, 1, 2, 3), WHOLE(2, 1, 3)),
        ROW(padding, RANDOM_F64(1, -1, 1, 2), WHOLE(2, 3)), ROW(padded, RANDOM_F64(1, -1, 1, 3), WHOLE(2, 2)),
        ROW(updated, RANDOM_F64(1, -1, 1, 5), WHOLE(2, 2), START(1)),
        ROW(updating, RANDOM_F64(1, -1, 1, 2), WHOLE(2, 5), START(1)),
        ROW(values, RANDOM_F64(1, -1, 1, 5), WHOLE(2, 5)), ROW(keys, RANDOM_F64(4, -1, 1, 5), WHOLE(2, 5)),
        ROW(carried, RANDOM_F64(1, -1, 1, 5), WHOLE(2, 5)), ROW(chosen, RANDOM_F64(1, -1, 1, 5), WHOLE(2, 5)),
        ROW(waited_for, RANDOM_F64(1, -1, 1, 5), WHOLE(2, 5)));
}

static void test_scatters(void **state) {
    (void)state;
#define BOTH(kind)                                                                                           \
    ROW(into_##kind, RANDOM_F64(1, 0.1, 0.9, 4), WHOLE(2, 5), PLACES(5, 0, 3, 3, 9, 1)),                     \
        ROW(of_##kind, RANDOM_F64(1, 0.1, 0.9, 5), WHOLE(2, 4), PLACES(5, 0, 3, 3, 9, 1))
    CHECK_ROWS(BOTH(sum), BOTH(mul), BOTH(max), BOTH(min), BOTH(update));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operands), cmocka_unit_test(test_scatters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
