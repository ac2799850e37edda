/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of dynamic slices and gathers: all forms, starts that are clamped, indices of every width. */
#include "support/gradients.h"

/* ---- dynamic slices ---- */

GRAPH_FN(part, fx_dynamic_slice(x, FX_NODES(y, z), FX_DIMS(2, 3)))
GRAPH_FN(part_squared,
         fx_mul(fx_dynamic_slice(x, FX_NODES(y), FX_DIMS(2)), fx_dynamic_slice(x, FX_NODES(y), FX_DIMS(2))))
GRAPH_FN(no_part, fx_dynamic_slice(x, FX_NODES(y), FX_DIMS(0)))
GRAPH_FN(put, fx_dynamic_update_slice(x, y, FX_NODES(z)))
GRAPH_FN(put_squared, fx_mul(fx_dynamic_update_slice(x, y, FX_NODES(z)), x))

static fx_tensor *start(double value) {
    return given_values(&FX_SHAPE(FX_S32), &value, 1);
}

static void test_dynamic(void **state) {
    (void)state;
    CHECK_ROWS(ROW(part, RANDOM_F64(1, -1, 1, 4, 5), start(1), start(2)),
               ROW(part, RANDOM_F64(1, -1, 1, 4, 5), start(-7), start(100)),
               ROW(part, RANDOM_C128(1, -1, 1, 2, 4), start(1), start(0)),
               ROW(part_squared, RANDOM_F64(1, -1, 1, 5), start(2)),
               ROW(no_part, RANDOM_F64(1, -1, 1, 5), start(2)),
               ROW(put, RANDOM_F64(1, -1, 1, 5), RANDOM_F64(2, -1, 1, 2), start(1)),
               ROW(put, RANDOM_F64(1, -1, 1, 5), RANDOM_F64(2, -1, 1, 2), start(9)),
               ROW(put, RANDOM_F64(1, -1, 1, 5), RANDOM_F64(2, -1, 1, 0), start(9)),
               ROW(put, RANDOM_C128(1, -1, 1, 3), RANDOM_C128(2, -1, 1, 3), start(1)),
               ROW(put_squared, RANDOM_F64(1, -1, 1, 5), RANDOM_F64(2, -1, 1, 2), start(3)));
    GRADIENTS(part_squared, "[5]float32{0, 0, 0, 8, 10}", FLOATS(FX_SHAPE(FX_F32, 5), 1, 2, 3, 4, 5),
              start(9));
}

/* ---- gather ---- */

GRAPH_FN(rows, fx_gather(x, y))
GRAPH_FN(rows_squared, fx_mul(fx_gather(x, y), fx_gather(x, y)))
GRAPH_FN(taken, fx_take(x, y, 1))
GRAPH_FN(along, fx_take_along_axis(x, y, 1))
GRAPH_FN(along_first, fx_take_along_axis(x, y, 0))
GRAPH_FN(slices, fx_gather_slices(x, FX_AXES(0, 1), y, FX_DIMS(2, 1)))
GRAPH_FN(general, fx_gather_general(x, y,
                                    &(fx_gather_options){.slice_sizes = FX_DIMS(1, 2, 1, 3),
                                                         .offset_axes = FX_AXES(0, 2),
                                                         .collapsed_axes = FX_AXES(2),
                                                         .operand_batch_axes = FX_AXES(0),
                                                         .indices_batch_axes = FX_AXES(1),
                                                         .start_index_map = FX_AXES(3, 1),
                                                         .index_axis = 0}))
GRAPH_FN(by_vector, fx_gather_general(x, y,
                                      &(fx_gather_options){.slice_sizes = FX_DIMS(2),
                                                           .offset_axes = FX_AXES(1),
                                                           .start_index_map = FX_AXES(0),
                                                           .index_axis = 1}))

#define INDICES(dtype, ...)                                                                                  \
    FLOATS(FX_SHAPE(dtype, sizeof((const double[]){__VA_ARGS__}) / sizeof(double)), __VA_ARGS__)

static fx_tensor *indices(fx_shape shape, double low, double high, unsigned seed) {
    return random_values(FX_S64, (fx_dims){shape.dims, (size_t)shape.rank}, low, high, seed);
}
#define RANDOM_INDICES(seed, low, high, ...) indices(FX_SHAPE(FX_S64, __VA_ARGS__), low, high, seed)

static void test_gather(void **state) {
    (void)state;
    CHECK_ROWS(ROW(rows, RANDOM_F64(1, -1, 1, 4, 3), RANDOM_INDICES(2, 0, 4, 5, 1)),
               ROW(rows, RANDOM_F64(1, -1, 1, 4, 3), RANDOM_INDICES(2, -3, 7, 5, 2)),
               ROW(rows, RANDOM_F64(1, -1, 1, 4, 3), RANDOM_INDICES(2, 0, 1, 0, 1)),
               ROW(rows, RANDOM_C128(1, -1, 1, 2, 2), RANDOM_INDICES(2, 0, 2, 3, 1)),
               ROW(rows_squared, RANDOM_F64(1, -1, 1, 4), RANDOM_INDICES(2, 0, 4, 6, 1)),
               ROW(taken, RANDOM_F64(1, -1, 1, 2, 4, 2), RANDOM_INDICES(2, -4, 4, 3, 2)),
               ROW(along, RANDOM_F64(1, -1, 1, 2, 4), RANDOM_INDICES(2, -4, 4, 2, 5)),
               ROW(slices, RANDOM_F64(1, -1, 1, 4, 3), RANDOM_INDICES(2, -2, 5, 3, 2)),
               ROW(general, RANDOM_F64(1, -1, 1, 2, 3, 4, 5), RANDOM_INDICES(2, -2, 5, 2, 2, 3)),
               ROW(by_vector, RANDOM_F64(1, -1, 1, 6), RANDOM_INDICES(2, -2, 9, 4)));
}

/* How often an operation is in the graph of the gradient by x. */
static void assert_op(fx_fn fn, fx_shape x, fx_shape y, const char *op, size_t times) {
    fx_graph *graph = new_graph();
    fx_node *in[] = {parameter(graph, x), parameter(graph, y)}, *out[1];
    fn(graph, in, 2, out, 1, NULL);
    fx_gradient(fx_reduce_all_sum(out[0]), FX_NODES(in[0]), NULL);
    assert_no_error(graph);
    size_t count = 0;
    for (size_t i = 0; i < graph->nodes.count; i++)
        count += strcmp(fx_node_op(graph->nodes.data[i]), op) == 0;
    assert_int_equal(count, times);
    fx_graph_free(graph);
}

/* One element of every line: no scatter. */
static void test_one_of_line(void **state) {
    (void)state;
    CHECK_ROWS(ROW(along, RANDOM_F64(1, -1, 1, 3, 4), RANDOM_INDICES(2, -4, 4, 3, 1)),
               ROW(along, RANDOM_F64(1, -1, 1, 3, 4), RANDOM_INDICES(2, -9, 9, 3, 1)),
               ROW(along, RANDOM_F64(1, -1, 1, 1, 1), RANDOM_INDICES(2, 0, 1, 1, 1)),
               ROW(along, RANDOM_C128(1, -1, 1, 2, 3, 2), RANDOM_INDICES(2, 0, 3, 2, 1, 2)),
               ROW(along_first, RANDOM_F64(1, -1, 1, 3, 4), RANDOM_INDICES(2, 0, 3, 1, 4)));
    CHECK_ROWS(ROW(along, RANDOM_F64(1, -1, 1, 2, 300), FLOATS(FX_SHAPE(FX_S8, 2, 1), 127, 5)),
               ROW(along, RANDOM_F64(1, -1, 1, 2, 300), FLOATS(FX_SHAPE(FX_U8, 2, 1), 255, 5)));
    assert_op(along, FX_SHAPE(FX_F32, 3, 4), FX_SHAPE(FX_S32, 3, 1), "scatter", 0);
    assert_op(along, FX_SHAPE(FX_F32, 3, 4), FX_SHAPE(FX_S32, 3, 2), "scatter", 1);
}

/* Bounds that the indices' dtype does not hold, and indices without a sign. */
static void test_narrow_indices(void **state) {
    (void)state;
    CHECK_ROWS(ROW(taken, RANDOM_F64(1, -1, 1, 2, 200), INDICES(FX_U8, 5, 199, 255)),
               ROW(taken, RANDOM_F64(1, -1, 1, 2, 200), INDICES(FX_S8, 5, 127, -1)),
               ROW(taken, RANDOM_F64(1, -1, 1, 2, 300), INDICES(FX_U8, 5, 255)),
               ROW(taken, RANDOM_F64(1, -1, 1, 2, 4), INDICES(FX_U64, 5, 3)),
               ROW(taken, RANDOM_F64(1, -1, 1, 2, 4), INDICES(FX_U32, 4294967295.0, 3)));
    GRADIENTS(by_vector, "[4]float64{0, 0, 2, 2}", FLOATS(FX_SHAPE(FX_F64, 4), 1, 2, 3, 4),
              INDICES(FX_S32, 9, 2));
    GRADIENTS(taken, "[1][1]float64{{1}}", FLOATS(FX_SHAPE(FX_F64, 1, 1), 1), INDICES(FX_S32, 1));
    check_vjp_in(FX_BF16,
                 &(derivative_case)ROW(taken, RANDOM_F64(1, -1, 1, 2, 3), RANDOM_INDICES(2, 0, 1, 500)),
                 0x1p-7);
}

/* ---- cost: the gradient of a table of embeddings is one scatter ---- */

static void test_embedding(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *table = parameter(graph, FX_SHAPE(FX_F32, 1000, 8)),
            *ids = parameter(graph, FX_SHAPE(FX_S32, 16, 1));
    fx_node *d = fx_gradient(fx_reduce_all_sum(fx_gather(table, ids)), FX_NODES(table), NULL);
    assert_node(d, "scatter", "(float32)[1000, 8]");
    fx_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dynamic), cmocka_unit_test(test_gather), cmocka_unit_test(test_one_of_line),
        cmocka_unit_test(test_narrow_indices), cmocka_unit_test(test_embedding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
