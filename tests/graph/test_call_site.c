/* SPDX-License-Identifier: Apache-2.0 */
/* Stamping nodes and errors with places, and the table of file names. */
#include "support/graph_helpers.h"
#include <pthread.h>
#include <stdio.h>

static fx_node *neg(fx_node *x) {
    return fxi_node_new(NULL, FX_OP_NEG, &x, 1, NULL, 0);
}

static void test_stamps_new_nodes_once(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = fx_at(parameter(g, FX_SHAPE(FX_F32)), "model.c", 3);
    fx_node *inner = neg(x), *outer = neg(inner);
    assert_ptr_equal(fx_at(outer, "model.c", 7), outer);
    assert_string_equal(fx_node_file(inner), "model.c");
    assert_int_equal(fx_node_line(inner), 7);
    assert_int_equal(fx_node_line(outer), 7);
    assert_int_equal(fx_node_line(x), 3);
    assert_ptr_equal(fx_node_file(x), fx_node_file(outer));
    fx_at(x, "other.c", 9); /* seen before */
    assert_int_equal(fx_node_line(x), 3);
    fx_node *early = neg(x), *late = neg(x);
    fx_at(early, "other.c", 11); /* up to its argument */
    assert_null(fx_node_file(late));
    fx_at(late, "other.c", 12);
    assert_int_equal(fx_node_line(early), 11);
    assert_int_equal(fx_node_line(late), 12);
    fx_graph_free(g);
}

static void test_stamps_the_error(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_BOOL)), *bad = fx_at(neg(x), "model.c", 21);
    fx_at(neg(bad), "model.c", 22);
    fx_error err = {.code = FX_OK};
    assert_false(fx_graph_finish(g, FX_NODES(bad), &err));
    assert_int_equal(err.line, 21);
    assert_string_equal(err.file, "model.c");
    assert_int_equal(err.code, FX_ERROR_DTYPE);
    assert_int_equal(fx_node_line(x), 21);
    fx_graph_free(g);
    assert_string_equal(err.file, "model.c"); /* outlives the graph */
}

static void test_nothing_to_stamp(void **state) {
    (void)state;
    fx_graph *g = new_graph();
    fx_node *x = parameter(g, FX_SHAPE(FX_F32));
    assert_null(fx_at(NULL, "model.c", 1));
    assert_ptr_equal(fx_at(x, NULL, 1), x);
    assert_null(fx_node_file(x));
    fx_graph_free(g);
}

static void test_interning(void **state) {
    (void)state;
    char name[] = "intern.c";
    const char *first = fxi_intern_file(name);
    assert_ptr_not_equal(first, name);
    assert_ptr_equal(fxi_intern_file("intern.c"), first);
    assert_null(fxi_intern_file(NULL));
    name[0] = 'I';
    assert_string_equal(first, "intern.c");
    assert_string_equal(fxi_intern_file(""), "");
}

static void *intern_many(void *known) {
    char name[32];
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < 50; i++) {
            snprintf(name, sizeof name, "thread%d.c", i);
            ((const char **)known)[i] = fxi_intern_file(name);
        }
    return NULL;
}

static void test_interning_from_threads(void **state) {
    (void)state;
    const char *known[4][50] = {{NULL}};
    pthread_t threads[4];
    for (int t = 0; t < 4; t++) assert_int_equal(pthread_create(&threads[t], NULL, intern_many, known[t]), 0);
    for (int t = 0; t < 4; t++) pthread_join(threads[t], NULL);
    for (int i = 0; i < 50; i++)
        for (int t = 0; t < 4; t++) assert_ptr_equal(known[t][i], known[0][i]);
}

/* Last, because it fills the table of this process: bounded, and what was known stays known. */
static void test_bound(void **state) {
    (void)state;
    char name[32];
    const char *first = fxi_intern_file("first.c"), *last = first;
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "file%d.c", i);
        last = fxi_intern_file(name);
    }
    assert_null(last);
    assert_ptr_equal(fxi_intern_file("first.c"), first);
    fx_graph *g = new_graph();
    fx_node *x = fx_at(parameter(g, FX_SHAPE(FX_F32)), "unknown.c", 5);
    assert_null(fx_node_file(x));
    assert_int_equal(fx_node_line(x), 0);
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stamps_new_nodes_once),  cmocka_unit_test(test_stamps_the_error),
        cmocka_unit_test(test_nothing_to_stamp),       cmocka_unit_test(test_interning),
        cmocka_unit_test(test_interning_from_threads), cmocka_unit_test(test_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
