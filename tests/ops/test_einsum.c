/* SPDX-License-Identifier: Apache-2.0 */
/* einsum: messages that name the place in the equation, the order of products, and which operations they
 * become. Values are golden cases of the family einsum. */
#include "support/graph_helpers.h"
#include <fluxion/einsum.h>
#include <fluxion/ops.h>
#include <stdio.h>

#define MATRIX(m, n) parameter(g, FX_SHAPE(FX_F32, m, n))
#define REFUSED(message, equation, ...)                                                                      \
    ASSERT_REFUSED(FX_ERROR_ATTRIBUTE, "fx_einsum: " message, fx_einsum(equation, FX_NODES(__VA_ARGS__)))

static void test_characters(void **state) {
    (void)state;
    REFUSED("\"ij,j1->i\" at 4: '1' is unexpected", "ij,j1->i", MATRIX(2, 3), MATRIX(3, 1));
    REFUSED("\"ij-i\" at 2: '-' is unexpected", "ij-i", MATRIX(2, 3));
    REFUSED("\"ij->i->j\" at 5: '-' is unexpected", "ij->i->j", MATRIX(2, 3));
    REFUSED("\"ij->i,j\" at 5: ',' is unexpected", "ij->i,j", MATRIX(2, 3));
    REFUSED("\"i.j\" at 1: a '.' that is not part of \"...\"", "i.j", MATRIX(2, 3));
    REFUSED("\"i..\" at 1: a '.' that is not part of \"...\"", "i..", MATRIX(2, 3));
    REFUSED("\"...i...\" at 4: a second \"...\" in a term", "...i...", MATRIX(2, 3));
    REFUSED("\"abcdefghijklmnopq\" at 16: more than 16 letters in a term", "abcdefghijklmnopq", MATRIX(2, 3));
}

static void test_terms(void **state) {
    (void)state;
    REFUSED("\"ij,jk->ik\" at 3: more terms than the 1 operand", "ij,jk->ik", MATRIX(2, 3));
    REFUSED("\"ij->ji\" at 2: 1 term for 2 operands", "ij->ji", MATRIX(2, 3), MATRIX(3, 4));
    REFUSED("\"ij,jkl\" at 3: 3 letters for operand 1, (float32)[3, 4]", "ij,jkl", MATRIX(2, 3),
            MATRIX(3, 4));
    REFUSED("\"i,ij\" at 0: 1 letter for operand 0, (float32)[2, 3]", "i,ij", MATRIX(2, 3), MATRIX(3, 4));
    REFUSED("\"...ijk\" at 0: 3 letters for operand 0, (float32)[2, 3]", "...ijk", MATRIX(2, 3));
    REFUSED("\"ij,jk->ik\" at 3: j is 4 in operand 1, (float32)[4, 2], but 3 before", "ij,jk->ik",
            MATRIX(2, 3), MATRIX(4, 2));
    REFUSED("\"ii\" at 0: i is 3 in operand 0, (float32)[2, 3], but 2 before", "ii", MATRIX(2, 3));
    REFUSED("\"i...,j...\" at 5: axis 1 of operand 1, (float32)[2, 4], does not broadcast to 3", "i...,j...",
            MATRIX(2, 3), MATRIX(2, 4));
}

static void test_results(void **state) {
    (void)state;
    REFUSED("\"ij->iz\" at 5: z is in no operand", "ij->iz", MATRIX(2, 3));
    REFUSED("\"->z\" at 2: z is in no operand", "->z", parameter(g, FX_SHAPE(FX_F32)));
    REFUSED("\"ij->jij\" at 6: j stands twice in the result", "ij->jij", MATRIX(2, 3));
    REFUSED("\"i...->i\" at 6: operands have axes for \"...\", which the result lacks", "i...->i",
            MATRIX(2, 3));
    REFUSED("\"abcdefghi,jklmnopqr\" at 19: the result has more than 16 axes", "abcdefghi,jklmnopqr",
            parameter(g, FX_SHAPE(FX_F32, 1, 1, 1, 1, 1, 1, 1, 1, 1)),
            parameter(g, FX_SHAPE(FX_F32, 1, 1, 1, 1, 1, 1, 1, 1, 1)));
}

static void test_operands(void **state) {
    (void)state;
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_einsum: the equation is NULL",
                   fx_einsum(NULL, FX_NODES(MATRIX(2, 3))));
    ASSERT_REFUSED(FX_ERROR_ARGUMENT, "fx_einsum: operand 1 is NULL",
                   fx_einsum("i,i", FX_NODES(MATRIX(2, 3), NULL)));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE, "fx_einsum: dtypes float32 and int32 differ; convert one of them with fx_convert",
        fx_einsum("i,i", FX_NODES(parameter(g, FX_SHAPE(FX_F32, 2)), parameter(g, FX_SHAPE(FX_S32, 2)))));
    ASSERT_REFUSED(
        FX_ERROR_DTYPE,
        "fx_einsum: bool is not accepted; it takes integer, float, complex dtypes (fx_convert converts)",
        fx_einsum("i", FX_NODES(parameter(g, FX_SHAPE(FX_BOOL, 2)))));
    assert_null(fx_einsum("", (fx_nodes){NULL, 0}));
    fx_graph *graph = new_graph();
    fx_node *many[65];
    for (size_t i = 0; i < 65; i++) many[i] = parameter(graph, FX_SHAPE(FX_F32));
    assert_int_equal(fx_einsum("", (fx_nodes){many, 65})->op, FX_OP_INERT);
    assert_error(graph, FX_ERROR_ARGUMENT, "fx_einsum: 65 operands are more than 64");
    fx_graph_free(graph);
}

/* ---- what it becomes ---- */

static size_t count_ops(const fx_graph *g, fx_op op) {
    size_t n = 0;
    for (size_t i = 0; i < g->nodes.count; i++) n += g->nodes.data[i]->op == op;
    return n;
}

/* The dimensions of the products in the order in which they are made, as text. */
static const char *products_of(const fx_graph *g) {
    static char text[400];
    int at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < g->nodes.count; i++) {
        const fx_node *node = g->nodes.data[i];
        if (node->op != FX_OP_DOT_GENERAL) continue;
        at += snprintf(text + at, sizeof text - (size_t)at, "%s",
                       fxi_dims_text(node->shape.dims, (size_t)node->shape.rank).s);
    }
    return text;
}

static void test_order(void **state) {
    (void)state;
    static const struct {
        const char *equation;
        int64_t dims[5];
        const char *products;
    } rows[] = {
        {"ij,jk,kl->il", {10, 1000, 10, 1000}, "[10, 10][10, 1000]"},
        {"ij,jk,kl->il", {1000, 10, 1000, 10}, "[10, 10][1000, 10]"},
        {"ij,jk,kl,lm->im", {100, 1, 100, 1, 100}, "[1, 1][100, 1][100, 100]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fx_graph *g = new_graph();
        fx_node *in[4];
        size_t n = 0;
        for (; rows[i].dims[n + 1]; n++) {
            in[n] = MATRIX(rows[i].dims[n], rows[i].dims[n + 1]);
            if (n == 3) break;
        }
        size_t operands = strlen(rows[i].equation) > 12 ? 4 : 3;
        assert_int_equal(fx_node_rank(fx_einsum(rows[i].equation, (fx_nodes){in, operands})), 2);
        assert_no_error(g);
        assert_string_equal(products_of(g), rows[i].products);
        fx_graph_free(g);
    }
}

/* A chain of 12 matrices, beyond what is weighed exactly, with a narrow middle: no product is larger than the result
 * and the operands. */
static void test_greedy(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *in[12];
    for (int i = 0; i < 12; i++) in[i] = MATRIX(i % 2 ? 2 : 50, i % 2 ? 50 : 2);
    const fx_node *result = fx_einsum("ab,bc,cd,de,ef,fg,gh,hi,ij,jk,kl,lm->am", (fx_nodes){in, 12});
    assert_no_error(g);
    assert_string_equal(fx_shape_to_text(fx_node_shape(result)).s, "(float32)[50, 50]");
    for (size_t i = 0; i < g->nodes.count; i++) {
        const fx_node *node = g->nodes.data[i];
        if (node->op == FX_OP_DOT_GENERAL && node != result) assert_true(fx_shape_size(&node->shape) <= 100);
    }
    assert_int_equal(count_ops(g, FX_OP_DOT_GENERAL), 11);
    fx_graph_free(g);
}

/* What needs no sum, or has nothing free beside a batch, is multiplied plainly; a matrix product is one node. */
static void test_operations(void **state) {
    (void)state;
    static const struct {
        const char *equation;
        size_t dots, products, sums, transposes;
    } rows[] = {
        {"ij,jk->ik", 1, 0, 0, 0},   {"ij,jk->ki", 1, 0, 0, 0}, {"ij,kj->ki", 1, 0, 0, 0},
        {"ij,ij->ij", 0, 1, 0, 0},   {"ij,ij->i", 0, 1, 1, 0},  {"ij,ij->", 1, 0, 0, 0},
        {"ij,kl->ijkl", 0, 1, 0, 0}, {"ij,kl->jl", 0, 1, 2, 0}, {"ij,jk->k", 1, 0, 1, 0},
        {"ij,ji->ij", 0, 1, 0, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fx_graph *g = new_graph();
        fx_einsum(rows[i].equation, FX_NODES(MATRIX(3, 3), MATRIX(3, 3)));
        assert_no_error(g);
        assert_int_equal(count_ops(g, FX_OP_DOT_GENERAL), rows[i].dots);
        assert_int_equal(count_ops(g, FX_OP_MUL), rows[i].products);
        assert_int_equal(count_ops(g, FX_OP_REDUCE), rows[i].sums);
        assert_int_equal(count_ops(g, FX_OP_TRANSPOSE), rows[i].transposes);
        fx_graph_free(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters), cmocka_unit_test(test_terms), cmocka_unit_test(test_results),
        cmocka_unit_test(test_operands),   cmocka_unit_test(test_order), cmocka_unit_test(test_greedy),
        cmocka_unit_test(test_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
