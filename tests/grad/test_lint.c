/* SPDX-License-Identifier: Apache-2.0 */
/* Which derivatives the lint lists, and which it knows to be harmless. */
#include "support/graph_helpers.h"
#include <fluxion.h>

typedef fx_node *(*function)(fx_node *x);

static fx_node *root(fx_node *x) {
    return fx_sqrt(x);
}
static fx_node *root_of_cosh(fx_node *x) {
    return fx_sqrt(fx_cosh(x));
}
static fx_node *log_of_exp(fx_node *x) {
    return fx_log(fx_exp(x));
} /* exp underflows */
static fx_node *log_of_square(fx_node *x) {
    return fx_log(fx_add_scalar(fx_square(x), 1));
}
static fx_node *half(fx_node *x) {
    return fx_div_scalar(x, 2);
}
static fx_node *inverse(fx_node *x) {
    return fx_div(fx_ones_like(x), x);
}
static fx_node *guarded(fx_node *x) {
    return fx_log(fx_where(fx_greater(x, fx_zeros_like(x)), x, fx_ones_like(x)));
}
static fx_node *floored(fx_node *x) {
    return fx_rsqrt(fx_max(x, fx_fill_scalar(fx_node_graph(x), fx_node_shape(x), 1e-6)));
}
static fx_node *cube(fx_node *x) {
    return fx_pow(x, fx_scalar(fx_node_graph(x), FX_F32, 3));
}
static fx_node *cube_root(fx_node *x) {
    return fx_pow(x, fx_scalar(fx_node_graph(x), FX_F32, 1.0 / 3));
}
static fx_node *apart(fx_node *x) { /* the logarithm is not on the way */
    return fx_mul(x, fx_log(fx_floor(x)));
}
static void take_log(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_log(in[1]);
}
static fx_node *looped(fx_node *x) {
    return fx_for(2, FX_NODES(x), take_log, NULL, NULL);
}

static void test_table(void **state) {
    (void)state;
    static const struct {
        function f;
        size_t count;
        const char *op, *where;
    } rows[] = {{root, 1, "sqrt", "x <= 0"},
                {root_of_cosh, 0, "", ""},
                {log_of_exp, 1, "log", "x <= 0"},
                {log_of_square, 0, "", ""},
                {half, 0, "", ""},
                {inverse, 1, "div", "y = 0"},
                {guarded, 0, "", ""},
                {floored, 0, "", ""},
                {cube, 0, "", ""},
                {cube_root, 1, "pow", "x <= 0"},
                {apart, 0, "", ""},
                {looped, 1, "log", "x <= 0"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fx_graph *graph = new_graph();
        fx_node *x = parameter(graph, FX_SHAPE(FX_F32, 3)), *y = rows[i].f(x);
        fx_lint found[4];
        size_t n = fx_gradient_lint(FX_NODES(y), FX_NODES(x), found, 4);
        assert_no_error(graph);
        if (n != rows[i].count) fail_msg("row %zu: %zu are listed, not %zu", i, n, rows[i].count);
        if (n > 0) {
            assert_string_equal(found[0].op, rows[i].op);
            assert_string_equal(found[0].where, rows[i].where);
            assert_non_null(strstr(found[0].file, "test_lint.c"));
            assert_true(found[0].line > 0);
        }
        fx_graph_free(graph);
    }
}

static void test_arguments(void **state) {
    (void)state;
    fx_graph *graph = new_graph(), *other = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F32, 3)), *y = fx_log(fx_sqrt(x)),
            *z = parameter(other, FX_SHAPE(FX_F32, 3));
    fx_lint one[1];
    assert_int_equal(fx_gradient_lint(FX_NODES(y), FX_NODES(x), one, 1), 2);
    assert_string_equal(one[0].op, "sqrt");
    assert_int_equal(fx_gradient_lint(FX_NODES(y), FX_NODES(x), NULL, 7), 2);
    assert_int_equal(fx_gradient_lint(FX_NODES(y), FX_NODES(z), one, 1), 0);
    assert_int_equal(fx_gradient_lint(FX_NODES(NULL), FX_NODES(x), one, 1), 0);
    assert_int_equal(fx_gradient_lint((fx_nodes){NULL, 1}, FX_NODES(x), one, 1), 0);
    assert_int_equal(fx_gradient_lint(FX_NODES(y), (fx_nodes){NULL, 0}, one, 1), 0);
    fx_graph_free(graph);
    fx_graph_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
