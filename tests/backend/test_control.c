/* SPDX-License-Identifier: Apache-2.0 */
/* Loops, branches and scans on every backend: hand-computed values, closures that capture to any depth, states of
 * many dtypes, empty loops, and what the builders refuse. */
#include "exec/both.h"
#include "graph/graph.h"
#include <fluxion/control.h>

#define CLOSURE(name)                                                                                        \
    static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)g, (void)in, (void)n_in, (void)out, (void)n_out, (void)user

static fx_tensor *run1(fx_backend *backend, fx_fn fn, size_t n_out, size_t which, fx_tensor *const *in, size_t n) {
    fx_exec *exec = fx_exec_new_fn(backend, fn, n, n_out, NULL, FX_MUST);
    fx_arg args[4];
    fx_tensor *out[8] = {NULL};
    for (size_t i = 0; i < n; i++) args[i] = FX_ARG(in[i]);
    assert_true(fx_exec_call(exec, args, n, out, n_out, FX_MUST));
    for (size_t i = 0; i < n_out; i++)
        if (i != which) fx_tensor_free(out[i]);
    fx_exec_free(exec);
    return out[which];
}

static void check(fx_backend *backend, fx_fn fn, size_t n_out, size_t which, fx_tensor *const *in, size_t n, const char *want) {
    fx_tensor *got = run1(backend, fn, n_out, which, in, n);
    assert_string_equal(fx_tensor_text(got).s, want);
    fx_tensor_free(got);
}

static fx_tensor *scalar_of(fx_dtype dtype, double value) {
    const fx_shape shape = FX_SHAPE(dtype);
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    fxi_element_store(dtype, t->data, 0, fxi_scalar_convert((fxi_scalar){.re = value}, FX_F64, dtype));
    return t;
}

/* ---- while ---- */

CLOSURE(below_hundred) { UNUSED; out[0] = fx_less(in[0], fx_scalar(g, FX_F32, 100)); }
CLOSURE(double_it) {
    UNUSED;
    out[0] = fx_mul_scalar(in[0], 2);
    out[1] = fx_add_scalar(in[1], 1);
}
CLOSURE(doubling) {
    UNUSED;
    fx_while(FX_NODES(in[0], fx_scalar_int(g, FX_S32, 0)), below_hundred, double_it, NULL, out);
}

static void test_while(void **state) {
    fx_backend *backend = open_named(state);
    fx_tensor *three = scalar_of(FX_F32, 3), *much = scalar_of(FX_F32, 1000);
    check(backend, doubling, 2, 0, &three, 1, "float32(192)");
    check(backend, doubling, 2, 1, &three, 1, "int32(6)");
    check(backend, doubling, 2, 0, &much, 1, "float32(1000)");
    check(backend, doubling, 2, 1, &much, 1, "int32(0)");
    fx_tensor_free(three);
    fx_tensor_free(much);
    fx_backend_close(backend);
}

/* States that swap: a loop that wrote in place would lose one of them. Odd and even numbers of rounds. */
CLOSURE(swap_body) {
    UNUSED;
    out[0] = in[2];
    out[1] = in[1];
}
CLOSURE(swap_odd) { UNUSED; fx_for(3, FX_NODES(in[0], in[1]), swap_body, NULL, out); }
CLOSURE(swap_even) { UNUSED; fx_for(4, FX_NODES(in[0], in[1]), swap_body, NULL, out); }
CLOSURE(swap_never) { UNUSED; fx_for(0, FX_NODES(in[0], in[1]), swap_body, NULL, out); }

static void test_swaps(void **state) {
    static const fx_dtype dtypes[] = {FX_F32, FX_F64, FX_S64, FX_U8, FX_BF16, FX_S4, FX_U2, FX_BOOL};
    fx_backend *backend = open_named(state);
    for (size_t i = 0; i < COUNT_OF(dtypes); i++) {
        fx_tensor *in[2] = {scalar_of(dtypes[i], 0), scalar_of(dtypes[i], 1)};
        fx_tensor *a = run1(backend, swap_odd, 2, 0, in, 2), *b = run1(backend, swap_even, 2, 0, in, 2);
        fx_tensor *c = run1(backend, swap_never, 2, 1, in, 2);
        assert_true(fx_tensor_equal(a, in[1]));
        assert_true(fx_tensor_equal(b, in[0]));
        assert_true(fx_tensor_equal(c, in[1]));
        fx_tensor_free(a), fx_tensor_free(b), fx_tensor_free(c);
        fx_tensor_free(in[0]), fx_tensor_free(in[1]);
    }
    fx_backend_close(backend);
}

/* ---- captures through two levels, and a loop inside a loop ---- */

CLOSURE(inner_body) {
    UNUSED;
    fx_node **outer = user; /* a node of the program and one of the outer body */
    out[0] = fx_add(in[1], fx_mul(outer[0], outer[1]));
}
CLOSURE(outer_body) {
    UNUSED;
    fx_node *seen[2] = {user, fx_add_scalar(in[1], 1)};
    fx_node *result = fx_for(2, FX_NODES(in[1]), inner_body, seen, NULL);
    out[0] = fx_sub(result, fx_convert(in[0], FX_F32));
}
CLOSURE(nested_loops) { UNUSED; out[0] = fx_for(3, FX_NODES(in[0]), outer_body, in[1], NULL); }

static void test_nested(void **state) {
    fx_backend *backend = open_named(state);
    fx_tensor *in[2] = {scalar_of(FX_F32, 1), scalar_of(FX_F32, 3)};
    /* x = x + 2 * 3 * (x + 1) - round: 1 -> 13 -> 96 -> 676 */
    check(backend, nested_loops, 1, 0, in, 2, "float32(676)");
    fx_tensor_free(in[0]);
    fx_tensor_free(in[1]);
    fx_backend_close(backend);
}

/* ---- if and switch ---- */

CLOSURE(negated) { UNUSED; out[0] = fx_neg(user); }
CLOSURE(as_it_is) { UNUSED; out[0] = user; }
CLOSURE(absolute) {
    UNUSED;
    out[0] = fx_if(fx_less(in[0], fx_scalar(g, FX_F64, 0)), negated, as_it_is, 1, in[0], NULL);
}
CLOSURE(squared) { UNUSED; out[0] = fx_square(user); }
static const fx_fn three_ways[] = {negated, squared, as_it_is};
CLOSURE(choose) { UNUSED; out[0] = fx_switch(in[0], three_ways, 3, 1, in[1], NULL); }

static void test_branches(void **state) {
    fx_backend *backend = open_named(state);
    fx_tensor *minus = scalar_of(FX_F64, -5), *plus = scalar_of(FX_F64, 7);
    check(backend, absolute, 1, 0, &minus, 1, "float64(5)");
    check(backend, absolute, 1, 0, &plus, 1, "float64(7)");
    static const struct {
        fx_dtype dtype;
        double index;
        const char *want;
    } cases[] = {{FX_S32, 0, "float64(-7)"},  {FX_S32, 1, "float64(49)"}, {FX_S32, 2, "float64(7)"},
                 {FX_S32, -1, "float64(7)"},  {FX_S64, 1e15, "float64(7)"}, {FX_U8, 0, "float64(-7)"},
                 {FX_U64, 1, "float64(49)"}, {FX_S4, -8, "float64(7)"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        fx_tensor *in[2] = {scalar_of(cases[i].dtype, cases[i].index), plus};
        check(backend, choose, 1, 0, in, 2, cases[i].want);
        fx_tensor_free(in[0]);
    }
    fx_tensor_free(minus);
    fx_tensor_free(plus);
    fx_backend_close(backend);
}

/* ---- scan ---- */

CLOSURE(running_body) {
    UNUSED;
    out[0] = fx_add(in[0], in[1]);
    out[1] = fx_stack(FX_NODES(out[0], in[1]), 0);
}
CLOSURE(running) { UNUSED; fx_scan(FX_NODES(fx_scalar(g, FX_F32, 10)), FX_NODES(in[0]), 4, 1, running_body, NULL, out); }
CLOSURE(running_back) { UNUSED; fx_scan_reverse(FX_NODES(fx_scalar(g, FX_F32, 10)), FX_NODES(in[0]), 4, 1, running_body, NULL, out); }
CLOSURE(stateless_body) { UNUSED; out[0] = fx_not(in[0]); }
CLOSURE(stateless) { UNUSED; fx_scan((fx_nodes){NULL, 0}, FX_NODES(in[0]), 3, 1, stateless_body, NULL, out); }
CLOSURE(empty_scan) { UNUSED; fx_scan(FX_NODES(fx_scalar(g, FX_F32, 10)), FX_NODES(in[0]), 0, 1, running_body, NULL, out); }

static void test_scan(void **state) {
    fx_backend *backend = open_named(state);
    fx_tensor *x = fx_tensor_from(FX_HOST(((float[]){1, 2, 3, 4}), 4), FX_MUST);
    check(backend, running, 2, 0, &x, 1, "float32(20)");
    check(backend, running, 2, 1, &x, 1, "[4][2]float32{{11, 1}, {13, 2}, {16, 3}, {20, 4}}");
    check(backend, running_back, 2, 1, &x, 1, "[4][2]float32{{20, 1}, {19, 2}, {17, 3}, {14, 4}}");
    const fx_shape packed = FX_SHAPE(FX_S4, 3, 3), none = FX_SHAPE(FX_F32, 0);
    fx_tensor *bits = fx_tensor_new(&packed, FX_MUST), *nothing = fx_tensor_new(&none, FX_MUST);
    memset(bits->data, 0, (size_t)bits->bytes);
    for (int64_t i = 0; i < 9; i++) fxi_element_store(FX_S4, bits->data, i, (fxi_scalar){.i = i - 4});
    check(backend, stateless, 1, 0, &bits, 1, "[3][3]int4{{3, 2, 1}, {0, -1, -2}, {-3, -4, -5}}");
    check(backend, empty_scan, 2, 0, &nothing, 1, "float32(10)");
    fx_tensor_free(x), fx_tensor_free(bits), fx_tensor_free(nothing);
    fx_backend_close(backend);
}

/* ---- what is refused ---- */

CLOSURE(wrong_state) { UNUSED; out[0] = fx_convert(in[0], FX_F64); }
CLOSURE(not_bool) { UNUSED; out[0] = in[0]; }
CLOSURE(yes) { UNUSED; out[0] = fx_scalar_int(g, FX_BOOL, 1); }
CLOSURE(pair) { UNUSED; out[0] = fx_stack(FX_NODES(user, user), 0); }

static void refused(fx_node *(*build)(fx_node *x), const char *message) {
    const fx_shape shape = FX_SHAPE(FX_F32);
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_error err = {.code = FX_OK};
    build(fx_parameter(g, &shape));
    assert_true(fx_graph_error(g, &err));
    assert_string_equal(err.message, message);
    fx_graph_free(g);
}

static fx_node *while_no_bool(fx_node *x) { return fx_while(FX_NODES(x), not_bool, not_bool, NULL, NULL); }
static fx_node *while_changes(fx_node *x) { return fx_while(FX_NODES(x), yes, wrong_state, NULL, NULL); }
static fx_node *while_null(fx_node *x) { return fx_while(FX_NODES(x), yes, NULL, NULL, NULL); }
static fx_node *if_float(fx_node *x) { return fx_if(x, negated, negated, 1, x, NULL); }
static fx_node *if_differs(fx_node *x) { return fx_if(fx_less(x, x), negated, pair, 1, x, NULL); }
static fx_node *if_nothing(fx_node *x) { return fx_if(fx_less(x, x), negated, negated, 0, x, NULL); }
static fx_node *switch_float(fx_node *x) { return fx_switch(x, three_ways, 3, 1, x, NULL); }
static fx_node *switch_none(fx_node *x) { return fx_switch(fx_convert(x, FX_S32), three_ways, 0, 1, x, NULL); }
static fx_node *scan_scalar(fx_node *x) { return fx_scan(FX_NODES(x), FX_NODES(x), 3, 0, not_bool, NULL, NULL); }
static fx_node *scan_negative(fx_node *x) { return fx_scan(FX_NODES(x), (fx_nodes){NULL, 0}, -1, 0, not_bool, NULL, NULL); }
static fx_node *for_negative(fx_node *x) { return fx_for(-1, FX_NODES(x), not_bool, NULL, NULL); }
static fx_node *for_null(fx_node *x) { return fx_for(1, FX_NODES(x), NULL, NULL, NULL); }

static void test_refused(void **state) {
    (void)state;
    refused(while_no_bool, "fx_while: the condition gives (float32) instead of (bool)");
    refused(while_changes, "fx_while: the body gives (float64) as state 0, which is (float32)");
    refused(while_null, "fx_while: the closure is NULL");
    refused(if_float, "fx_if: the predicate is (float32) instead of (bool)");
    refused(if_differs, "fx_if: result 0 is (float32) in branch 0 and (float32)[2] in branch 1");
    refused(if_nothing, "fx_if: the branches give no result");
    refused(switch_float, "fx_switch: the index is (float32) instead of an integer scalar");
    refused(switch_none, "fx_switch: there is no branch, or too many");
    refused(scan_scalar, "fx_scan: input 0 is (float32): it has no leading axis of length 3");
    refused(scan_negative, "fx_scan: the length is negative");
    refused(for_negative, "fx_for: the count is negative");
    refused(for_null, "fx_for: the closure is NULL");
    assert_null(fx_while((fx_nodes){NULL, 0}, yes, yes, NULL, NULL));
    assert_null(fx_if(NULL, yes, yes, 1, NULL, NULL));
}

static fx_graph *deepest;
CLOSURE(dig) {
    UNUSED;
    deepest = g;
    out[0] = fx_for(1, FX_NODES(in[1]), dig, NULL, NULL);
}

static void test_depth(void **state) {
    (void)state;
    fx_graph *g = fx_graph_new(FX_MUST);
    const fx_shape shape = FX_SHAPE(FX_F32);
    fx_error err = {.code = FX_OK};
    fx_for(1, FX_NODES(fx_parameter(g, &shape)), dig, NULL, NULL);
    assert_true(fx_graph_error(g, &err));
    assert_string_equal(err.message, "fx_for: closures nest deeper than 64");
    fx_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(test_while),    BOTH(test_swaps),
                                       BOTH(test_nested),   BOTH(test_branches),
                                       BOTH(test_scan),     cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_depth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
