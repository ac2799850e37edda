/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of operations that move elements, of padding and of barriers. */
#include "support/gradients.h"
#include "passes/passes.h"
#include <math.h>

/* ---- broadcast_in_dim ---- */

GRAPH_FN(scalar_to_matrix, fx_broadcast_to_dims(x, FX_DIMS(3, 2)))
GRAPH_FN(row_to_rows, fx_broadcast_to_dims(x, FX_DIMS(4, 3)))
GRAPH_FN(crossed, fx_broadcast_in_dim(x, FX_DIMS(3, 5, 2), FX_AXES(2, 0)))
GRAPH_FN(crossed_ones, fx_broadcast_in_dim(x, FX_DIMS(3, 5, 2, 4), FX_AXES(3, 0, 2)))
GRAPH_FN(to_nothing, fx_broadcast_to_dims(x, FX_DIMS(0, 3)))
GRAPH_FN(one_to_nothing, fx_broadcast_to_dims(x, FX_DIMS(2, 0)))
GRAPH_FN(implied, fx_mul(x, y))

static void test_broadcast(void **state) {
    (void)state;
    CHECK_ROWS(ROW(scalar_to_matrix, random_values(FX_F64, (fx_dims){NULL, 0}, -1, 1, 1)),
               ROW(row_to_rows, RANDOM_F64(1, -1, 1, 1, 3)), ROW(row_to_rows, RANDOM_F64(1, -1, 1, 4, 1)),
               ROW(crossed, RANDOM_F64(1, -1, 1, 2, 3)), ROW(crossed, RANDOM_F64(1, -1, 1, 2, 1)),
               ROW(crossed, RANDOM_F64(1, -1, 1, 1, 3)), ROW(crossed, RANDOM_C128(1, -1, 1, 1, 1)),
               ROW(crossed_ones, RANDOM_F64(1, -1, 1, 4, 1, 2)), ROW(to_nothing, RANDOM_F64(1, -1, 1, 1, 3)),
               ROW(one_to_nothing, RANDOM_F64(1, -1, 1, 2, 1)),
               ROW(implied, RANDOM_F64(1, -1, 1, 3, 1), RANDOM_F64(2, -1, 1, 1, 4)),
               ROW(implied, RANDOM_C128(1, -1, 1, 3, 1), RANDOM_C128(2, -1, 1, 1, 1)));
    /* 3000 halves: their sum is carried in float32 */
    check_vjp_in(FX_F16, &(derivative_case)ROW(row_to_rows, RANDOM_F64(1, -1, 1, 1, 3)), 0x1p-11);
}

/* ---- reshape, transpose, reverse ---- */

GRAPH_FN(flat, fx_reshape(x, FX_DIMS(-1)))
GRAPH_FN(squeezed, fx_squeeze(x, FX_AXES(0)))
GRAPH_FN(empty_reshape, fx_reshape(x, FX_DIMS(3, 0)))
GRAPH_FN(turned, fx_transpose_all_axes(x, FX_AXES(2, 0, 1)))
GRAPH_FN(reversed, fx_reverse(x, FX_AXES(0, 2)))
GRAPH_FN(moves, fx_mul(fx_transpose(fx_reverse(x, FX_AXES(1)), 0, 1), fx_reshape(x, FX_DIMS(3, 2))))

static void test_order(void **state) {
    (void)state;
    CHECK_ROWS(ROW(flat, RANDOM_F64(1, -1, 1, 2, 3)), ROW(squeezed, RANDOM_F64(1, -1, 1, 1)),
               ROW(empty_reshape, RANDOM_F64(1, -1, 1, 0, 5)), ROW(turned, RANDOM_F64(1, -1, 1, 2, 3, 4)),
               ROW(turned, RANDOM_C128(1, -1, 1, 2, 1, 2)), ROW(reversed, RANDOM_F64(1, -1, 1, 2, 3, 4)),
               ROW(reversed, RANDOM_F64(1, -1, 1, 2, 0, 4)), ROW(moves, RANDOM_C128(1, -1, 1, 2, 3)));
}

/* ---- slice, concatenate ---- */

GRAPH_FN(part, fx_slice(x, FX_DIMS(1, 0), FX_DIMS(4, 2), FX_DIMS(1, 1)))
GRAPH_FN(strided, fx_slice(x, FX_DIMS(1, 0), FX_DIMS(8, 7), FX_DIMS(3, 2)))
GRAPH_FN(one_of_many, fx_slice(x, FX_DIMS(2), FX_DIMS(3), FX_DIMS(1000000)))
GRAPH_FN(no_part, fx_slice_axis(x, 0, 2, 2, 1))
GRAPH_FN(overlapping, fx_mul(fx_slice_axis(x, 0, 0, 4, 1), fx_slice_axis(x, 0, 1, 5, 1)))
GRAPH_FN(joined, fx_concatenate(FX_NODES(x, y, z), 1))
GRAPH_FN(joined_twice, fx_concatenate(FX_NODES(x, y, x), 0))
GRAPH_FN(rolled, fx_mul(x, fx_roll(x, 1, 2)))

static void test_parts(void **state) {
    (void)state;
    CHECK_ROWS(
        ROW(part, RANDOM_F64(1, -1, 1, 5, 3)), ROW(strided, RANDOM_F64(1, -1, 1, 9, 7)),
        ROW(strided, RANDOM_C128(1, -1, 1, 8, 7)), ROW(one_of_many, RANDOM_F64(1, -1, 1, 5)),
        ROW(no_part, RANDOM_F64(1, -1, 1, 5)), ROW(overlapping, RANDOM_F64(1, -1, 1, 5)),
        ROW(joined, RANDOM_F64(1, -1, 1, 2, 3), RANDOM_F64(2, -1, 1, 2, 0), RANDOM_F64(3, -1, 1, 2, 1)),
        ROW(joined_twice, RANDOM_C128(1, -1, 1, 2, 3), RANDOM_C128(2, -1, 1, 1, 3)),
        ROW(rolled, RANDOM_F64(1, -1, 1, 2, 5)));
}

/* ---- pad ---- */

#define PADS(...)                                                                                            \
    (fx_pads) {                                                                                              \
        (const fx_pad_axis[]){__VA_ARGS__}, sizeof((const fx_pad_axis[]){__VA_ARGS__}) / sizeof(fx_pad_axis) \
    }
GRAPH_FN(padded, fx_pad(x, y, PADS({1, 2, 0}, {0, 1, 3})))
GRAPH_FN(cut, fx_pad(x, y, PADS({-1, 2, 1}, {2, -2, 2})))
GRAPH_FN(cut_away, fx_pad(x, y, PADS({-4, 3, 0})))
GRAPH_FN(weighted, fx_mul(fx_pad(x, y, PADS({1, 1, 0})), z))

static fx_tensor *scalar_value(unsigned seed) {
    return random_values(FX_F64, (fx_dims){NULL, 0}, -1, 1, seed);
}

static void test_pad(void **state) {
    (void)state;
    CHECK_ROWS(ROW(padded, RANDOM_F64(1, -1, 1, 2, 3), scalar_value(2)),
               ROW(padded, RANDOM_F64(1, -1, 1, 0, 3), scalar_value(2)),
               ROW(padded, random_values(FX_C128, (fx_dims){(const int64_t[]){1, 2}, 2}, -1, 1, 1),
                   random_values(FX_C128, (fx_dims){NULL, 0}, -1, 1, 2)),
               ROW(cut, RANDOM_F64(1, -1, 1, 4, 5), scalar_value(2)),
               ROW(cut_away, RANDOM_F64(1, -1, 1, 4), scalar_value(2)));
    /* The sum over the padding does not see the other elements, so it cannot cancel. */
    GRADIENTS(weighted, "[2]float64{Inf, 1}; float64(2); [4]float64{5, 1, 2, 5}",
              FLOATS(FX_SHAPE(FX_F64, 2), 1, 2), FLOATS(FX_SHAPE(FX_F64), 5),
              FLOATS(FX_SHAPE(FX_F64, 4), 1, INFINITY, 1, 1));
}

/* ---- parts of one value: their adjoints are put together instead of summed ---- */

static fx_node *quarter(fx_node *x, int64_t from, int64_t to) {
    return fx_slice_axis(x, -1, from, to, 1);
}
GRAPH_FN(gates, fx_mul(fx_mul(fx_sin(quarter(x, 4, 6)), quarter(x, 0, 2)),
                       fx_mul(fx_exp(quarter(x, 6, 8)), quarter(x, 2, 4))))
GRAPH_FN(with_gap, fx_add(fx_square(quarter(x, 5, 7)), fx_sin(quarter(x, 1, 3))))
GRAPH_FN(crossing, fx_mul(fx_mul(quarter(x, 0, 4), quarter(x, 2, 6)), fx_sin(quarter(x, 4, 8))))
GRAPH_FN(beside_others, fx_mul(fx_mul(quarter(x, 0, 4), quarter(fx_sin(x), 4, 8)), quarter(fx_mul(x, x), 2, 6)))
GRAPH_FN(blocks, fx_mul(fx_mul(fx_slice(x, FX_DIMS(0, 0), FX_DIMS(1, 4), FX_DIMS(1, 1)),
                               fx_slice(x, FX_DIMS(0, 4), FX_DIMS(1, 8), FX_DIMS(1, 1))),
                        fx_slice(x, FX_DIMS(1, 2), FX_DIMS(2, 6), FX_DIMS(1, 1))))

static void test_joined_parts(void **state) {
    (void)state;
    CHECK_ROWS(ROW(gates, RANDOM_F64(1, -1, 1, 3, 8)), ROW(gates, RANDOM_C128(1, -1, 1, 2, 8)),
               ROW(with_gap, RANDOM_F64(1, -1, 1, 2, 8)), ROW(crossing, RANDOM_F64(1, -1, 1, 2, 8)),
               ROW(beside_others, RANDOM_F64(1, -1, 1, 2, 8)), ROW(blocks, RANDOM_F64(1, -1, 1, 2, 8)));
}

static int count_op(const fx_graph *g, fx_op op) {
    int n = 0;
    for (size_t i = 0; i < g->nodes.count; i++) n += g->nodes.data[i]->op == op;
    return n;
}

/* Whatever the order in which they meet, parts that cover a value are one concatenation. */
static void test_covering_parts(void **state) {
    (void)state;
    static const int orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {3, 0, 1, 2}, {0, 2, 1, 3}, {2, 0, 3, 1}};
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        fx_graph *g = fx_graph_new(FX_MUST);
        const fx_shape shape = FX_SHAPE(FX_F32, 3, 8);
        fx_node *x = fx_parameter(g, &shape), *parts[4], *made[1];
        for (int k = 0; k < 4; k++) parts[k] = fx_sin(quarter(x, 2 * orders[i][k], 2 * orders[i][k] + 2));
        fx_node *loss = fx_reduce_all_sum(fx_mul(fx_mul(parts[0], parts[1]), fx_mul(parts[2], parts[3])));
        fx_gradient(loss, FX_NODES(x), made);
        assert_true(fx_graph_finish(g, FX_NODES(made[0]), FX_MUST));
        fx_graph *after = fxi_passes_run(g, FX_MUST);
        assert_int_equal(count_op(after, FX_OP_PAD), 0);
        assert_int_equal(count_op(after, FX_OP_ADD), 0);
        assert_int_equal(count_op(after, FX_OP_CONCATENATE), 1);
        assert_int_equal(after->outputs[0]->operand_count, 4);
        fx_graph_free(g);
        fx_graph_free(after);
    }
}

/* ---- barriers ---- */

GRAPH_FN(barred, fx_mul(x, fx_optimization_barrier(x)))
GRAPH_FN(waited, fx_scheduling_barrier(x, FX_NODES(y)))

static void test_barrier(void **state) {
    (void)state;
    CHECK_ROWS(ROW(barred, RANDOM_F64(1, -1, 1, 3)), ROW(barred, RANDOM_C128(1, -1, 1, 3)));
    GRADIENTS(waited, "[2]float64{1, 1}; [1]float64{0}", FLOATS(FX_SHAPE(FX_F64, 2), 1, 2),
              FLOATS(FX_SHAPE(FX_F64, 1), 1));
}

/* ---- bits ---- */

GRAPH_FN(bits, fx_bitcast(fx_bitcast(x, FX_S32), FX_F32))
GRAPH_FN(float_bits, fx_convert(fx_bitcast(x, FX_BF16), FX_F32))

static void test_bits(void **state) {
    (void)state;
    GRADIENTS(bits, "[2]float32{0, 0}", FLOATS(FX_SHAPE(FX_F32, 2), 1, 2));
    assert_no_gradient(float_bits, &FX_SHAPE(FX_F32, 2), 1, "bitcast",
                       "the bits of a value are not a smooth function of it");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_broadcast), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_parts),     cmocka_unit_test(test_pad),
                                       cmocka_unit_test(test_barrier),   cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_joined_parts),
                                       cmocka_unit_test(test_covering_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
