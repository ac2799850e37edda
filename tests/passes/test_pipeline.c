/* SPDX-License-Identifier: Apache-2.0 */
/* The whole list of passes: nothing unneeded is left, the input is as before, deep graphs are no matter,
 * outputs may be anything, and FLUXION_DUMP shows the stages. */
#include "rewriting.h"
#include <stdlib.h>
#include <string.h>

#define F32 FX_SHAPE(FX_F32, 11)

static fx_node *leaves_much(fx_node *x, fx_node *y) {
    fx_exp(fx_add(x, y)); /* never used */
    fx_node *gone = fx_neg(fx_mul_scalar(fx_tanh(x), 1));
    return fx_add(fx_neg(gone), y);
}

static void dead_nodes_go(void **state) {
    (void)state;
    fx_graph *g = graph_of(leaves_much, &F32);
    size_t before = g->nodes.count;
    bool dead = false;
    fx_graph *after = fxi_passes_run(g, FX_MUST);
    assert_string_equal(text_of(after), "%2 = tanh %0 : (float32)[11]\n%3 = add %2 %1 : (float32)[11]\n");
    assert_true(fxi_has_dead_nodes(after, &dead, FX_MUST));
    assert_false(dead);
    assert_true(fxi_has_dead_nodes(g, &dead, FX_MUST));
    assert_true(dead);
    assert_int_equal(g->nodes.count, before); /* the input is only read */
    assert_true(fxi_verify(after, FX_MUST));
    assert_same_meaning(g, after);
    fx_graph_free(g);
    fx_graph_free(after);
}

static fx_node *only_logged(fx_node *x, fx_node *y) {
    fx_log_node(fx_neg(fx_log_node(fx_neg(x), "inner")), "outer");
    return y;
}

/* A logged node is needed, and is not rewritten. */
static void logged_nodes_stay(void **state) {
    (void)state;
    fx_graph *g = graph_of(only_logged, &F32), *after = fxi_passes_run(g, FX_MUST);
    assert_string_equal(text_of(after), "%2 = neg %0 : (float32)[11]\n%3 = neg %2 : (float32)[11]\n");
    assert_ptr_equal(after->outputs[0], after->parameters.data[1]);
    fx_graph_free(g);
    fx_graph_free(after);
}

static void repeated_outputs(void **state) {
    (void)state;
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_node *x = fx_parameter(g, &F32), *one = fx_scalar(g, FX_F32, 1);
    assert_true(fx_graph_finish(g, FX_NODES(x, fx_neg(x), fx_neg(x), one, x, fx_neg(fx_neg(x))), FX_MUST));
    fx_graph *after = fxi_passes_run(g, FX_MUST);
    assert_int_equal(after->output_count, 6);
    assert_ptr_equal(after->outputs[0], after->outputs[4]);
    assert_ptr_equal(after->outputs[0], after->outputs[5]);
    assert_ptr_equal(after->outputs[1], after->outputs[2]);
    assert_int_equal(after->outputs[3]->op, FX_OP_CONSTANT);
    fx_graph_free(g);
    fx_graph_free(after);
}

/* Depth is never a limit: chains of 100,000 nodes that stay, and that collapse. */
static void deep_graphs(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    for (int collapsing = 0; collapsing < 2; collapsing++) {
        fx_graph *g = fx_graph_new(FX_MUST);
        fx_node *x = fx_parameter(g, &F32);
        for (int i = 0; i < DEPTH; i++) x = collapsing ? fx_neg(x) : fx_sin(x);
        assert_true(fx_graph_finish(g, FX_NODES(x), FX_MUST));
        fx_graph *after = fxi_passes_run(g, FX_MUST);
        assert_int_equal(after->nodes.count, collapsing ? 1 : DEPTH + 1);
        fx_graph_free(g);
        fx_graph_free(after);
    }
}

static void empty_graphs(void **state) {
    (void)state;
    fx_graph *g = fx_graph_new(FX_MUST);
    assert_true(fx_graph_finish(g, (fx_nodes){NULL, 0}, FX_MUST));
    fx_graph *after = fxi_passes_run(g, FX_MUST);
    assert_int_equal(after->nodes.count, 0);
    fx_graph_free(g);
    fx_graph_free(after);
}

/* ---- the dump ---- */

static int simplified, pruned;
static bool shows_node;
static void count_lines(fx_log_level level, const char *line, void *user) {
    (void)user;
    if (level != FX_LOG_DEBUG) return;
    simplified += strncmp(line, "after simplify: ", 16) == 0;
    pruned += strncmp(line, "after prune: ", 13) == 0;
    shows_node |= strstr(line, "= tanh %0") != NULL;
}

static void dumps_are_logged(void **state) {
    (void)state;
    static const struct {
        const char *letters;
        bool simplify, prune;
    } cases[] = {{"s", true, false},
                 {"p", false, true},
                 {"sp", true, true},
                 {"", false, false},
                 {"xyz", false, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        simplified = pruned = 0;
        setenv("FLUXION_DUMP", cases[i].letters, 1);
        fx_graph *g = graph_of(leaves_much, &F32), *after = fxi_passes_run(g, FX_MUST);
        assert_int_equal(simplified > 0, cases[i].simplify);
        assert_int_equal(pruned, cases[i].prune ? 4 : 0); /* one line a node */
        fx_graph_free(g);
        fx_graph_free(after);
    }
    assert_true(shows_node);
    unsetenv("FLUXION_DUMP");
}

int main(void) {
    fx_set_log(count_lines, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dead_nodes_go),    cmocka_unit_test(logged_nodes_stay),
        cmocka_unit_test(repeated_outputs), cmocka_unit_test(deep_graphs),
        cmocka_unit_test(empty_graphs),     cmocka_unit_test(dumps_are_logged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
