/* SPDX-License-Identifier: Apache-2.0 */
/* Equal nodes become one, and only equal ones: attributes, shapes, the bits of constants and labels all
 * count. */
#include "rewriting.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define F32 FX_SHAPE(FX_F32, 11)
#define BUILD(name, expression)                                                                              \
    static fx_node *name(fx_node *x, fx_node *y) {                                                           \
        (void)y;                                                                                             \
        return expression;                                                                                   \
    }

BUILD(same_twice, fx_mul(fx_exp(x), fx_exp(x)))
BUILD(diamonds, fx_add(fx_mul(fx_add(x, y), fx_add(x, y)), fx_mul(fx_add(x, y), fx_add(x, y))))
BUILD(swapped, fx_sub(fx_add(x, y), fx_add(y, x)))
BUILD(two_inputs, fx_sub(fx_exp(x), fx_exp(y)))
BUILD(two_axes, fx_add(fx_reduce_sum(x, FX_AXES(0)), fx_reduce_sum(x, FX_AXES(1))))
BUILD(two_kinds, fx_add(fx_reduce_sum(x, FX_AXES(0)), fx_reduce_max(x, FX_AXES(0))))
BUILD(two_directions, fx_xor(fx_less(x, y), fx_greater(x, y)))
BUILD(two_shapes, fx_concatenate(FX_NODES(fx_reshape(fx_reshape(fx_exp(x), FX_DIMS(11, 1)), FX_DIMS(11)),
                                          fx_reshape(fx_exp(fx_reshape(x, FX_DIMS(1, 11))), FX_DIMS(11))),
                                 0))
BUILD(two_dtypes,
      fx_add(fx_convert(fx_convert(x, FX_F16), FX_F32), fx_convert(fx_convert(x, FX_BF16), FX_F32)))

static void equal_nodes_are_shared(void **state) {
    (void)state;
    assert_becomes(same_twice, &F32, NULL, "%2 = exp %0 : (float32)[11]\n%3 = mul %2 %2 : (float32)[11]\n");
    assert_becomes(
        diamonds, &F32, NULL,
        "%2 = add %0 %1 : (float32)[11]\n%3 = mul %2 %2 : (float32)[11]\n%4 = add %3 %3 : (float32)[11]\n");
}

static void others_are_not(void **state) {
    (void)state;
    assert_stays(swapped, &F32); /* NaN payloads and the order of operands are left alone */
    assert_stays(two_inputs, &F32);
    assert_stays(two_axes, &FX_SHAPE(FX_F32, 4, 4));
    assert_stays(two_kinds, &FX_SHAPE(FX_F32, 4, 4));
    assert_stays(two_directions, &F32);
    assert_stays(two_dtypes, &F32);
    fx_graph *g = graph_of(two_shapes, &F32), *simple = fxi_passes_run(g, FX_MUST);
    assert_same_meaning(g, simple);
    fx_graph_free(g);
    fx_graph_free(simple);
}

/* ---- constants ---- */

static size_t constants_in(const fx_graph *graph) {
    size_t count = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) count += graph->nodes.data[i]->op == FX_OP_CONSTANT;
    return count;
}

/* How many of two constants are left after rewriting. */
static size_t left_of(fx_dtype a_type, const void *a, fx_dtype b_type, const void *b, size_t n) {
    fx_graph *graph = fx_graph_new(FX_MUST);
    const int64_t dims[1] = {(int64_t)n};
    fx_node *outputs[2] = {fx_constant_host(graph, (fx_host){a, a_type, dims, 1}),
                           fx_constant_host(graph, (fx_host){b, b_type, dims, 1})};
    assert_true(fx_graph_finish(graph, (fx_nodes){outputs, 2}, FX_MUST));
    fx_graph *after = fxi_passes_run(graph, FX_MUST);
    size_t count = constants_in(after);
    assert_int_equal(after->output_count, 2);
    fx_graph_free(graph);
    fx_graph_free(after);
    return count;
}

static void constants_count_by_bits(void **state) {
    (void)state;
    const uint32_t nan = 0x7FC00000, other_nan = 0x7FC00001, plus = 0, minus = 0x80000000, one = 0x3F800000;
    assert_int_equal(left_of(FX_F32, &one, FX_F32, &one, 1), 1);
    assert_int_equal(left_of(FX_F32, &nan, FX_F32, &nan, 1), 1);
    assert_int_equal(left_of(FX_F32, &nan, FX_F32, &other_nan, 1), 2);
    assert_int_equal(left_of(FX_F32, &plus, FX_F32, &minus, 1), 2);
    assert_int_equal(left_of(FX_F32, &one, FX_S32, &one, 1), 2);
    const uint8_t packed[] = {0x21, 0xF3},
                  padding[] = {0x21, 0x03}; /* three elements; the last four bits are none */
    assert_int_equal(left_of(FX_S4, packed, FX_S4, padding, 3), 1);
    assert_int_equal(left_of(FX_S4, packed, FX_S4, padding, 4), 2);
    assert_int_equal(left_of(FX_F32, NULL, FX_F32, NULL, 0), 1);
}

/* ---- parameters, labels, places ---- */

BUILD(first_only, fx_neg(x))

static void parameters_stay(void **state) {
    (void)state;
    fx_graph *g = graph_of(first_only, &F32), *after = fxi_passes_run(g, FX_MUST);
    assert_int_equal(fx_graph_parameter_count(after), 2); /* the unused one too */
    for (int i = 0; i < 2; i++) assert_int_equal(fxi_node_int(after->parameters.data[i], FXI_ATTR_INDEX), i);
    fx_graph_free(g);
    fx_graph_free(after);
}

static fx_node *labelled(fx_node *x, fx_node *y) {
    (void)y;
    fx_node *plain = fx_at(fx_exp(x), "plain.c", 1);
    fx_node *a = fx_log_node(fx_at(fx_exp(x), "a.c", 2), "a");
    fx_node *b = fx_log_node(fx_log_node(fx_at(fx_exp(x), "b.c", 3), "b"), "b again");
    fx_node *again = fx_at(fx_exp(x), "again.c", 4);
    return fx_at(fx_add(fx_add(plain, a), fx_add(b, again)), "sum.c", 5);
}

/* Two labels need two nodes, each with the place of the labelled call; a node without a label may be one of
 * them. */
static void labels_and_places(void **state) {
    (void)state;
    fx_graph *g = graph_of(labelled, &F32), *after = fxi_passes_run(g, FX_MUST);
    static const char *const want[][2] = {{"a", "a.c"}, {"b", "b.c"}};
    size_t labels = 0, exps = 0;
    for (size_t i = 0; i < after->nodes.count; i++) {
        const fx_node *n = after->nodes.data[i];
        exps += n->op == FX_OP_EXP;
        if (n->op == FX_OP_ADD) assert_string_equal(n->file, "sum.c");
        if (!n->labels) continue;
        assert_in_range(labels, 0, 1);
        assert_string_equal(n->labels->text, want[labels][0]);
        assert_int_equal(n->labels->next != NULL, labels == 1);
        assert_string_equal(n->file, want[labels++][1]);
    }
    assert_int_equal(labels, 2);
    assert_int_equal(exps, 2);
    assert_same_meaning(g, after);
    fx_graph_free(g);
    fx_graph_free(after);
}

/* The first place that made a shared node is kept. */
static fx_node *two_places(fx_node *x, fx_node *y) {
    (void)y;
    fx_node *a = fx_at(fx_exp(x), "first.c", 1), *b = fx_at(fx_exp(x), "second.c", 2);
    return fx_at(fx_add(a, b), "third.c", 3);
}

static void first_place_is_kept(void **state) {
    (void)state;
    fx_graph *g = graph_of(two_places, &F32), *after = fxi_passes_run(g, FX_MUST);
    assert_string_equal(fx_node_file(after->outputs[0]->operands[0]), "first.c");
    assert_int_equal(fx_node_line(after->outputs[0]), 3);
    fx_graph_free(g);
    fx_graph_free(after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_nodes_are_shared),  cmocka_unit_test(others_are_not),
        cmocka_unit_test(constants_count_by_bits), cmocka_unit_test(parameters_stay),
        cmocka_unit_test(labels_and_places),       cmocka_unit_test(first_place_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
