/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of scans and counted loops: states, slices, stacked results and captured values in both
 * modes. */
#include "support/derivatives.h"
#include "support/run_graph.h"

/* s' = s c + x, t' = t (given on), rows s' x and s. */
static void recurrence_body(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                            void *user) {
    fx_node *c = user;
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_add(fx_mul(in[0], c), in[2]);
    out[1] = in[1];
    out[2] = fx_mul(out[0], in[2]);
    out[3] = fx_mul(in[0], in[1]);
}

typedef struct scan_options {
    int64_t length;
    bool backwards;
} scan_options;

static void recurrence_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                          void *user) {
    const scan_options *o = user;
    (void)body, (void)n_in, (void)n_out;
    (o->backwards ? fx_scan_reverse : fx_scan)(FX_NODES(in[0], in[1]), FX_NODES(in[3]), o->length, 2,
                                               recurrence_body, in[2], out);
}

static void test_recurrences(void **state) {
    (void)state;
    static const scan_options options[] = {{3, false}, {3, true}, {1, false}, {0, false}, {0, true}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        scan_options o = options[i];
        check_derivatives(
            &(derivative_case){.name = "recurrence",
                               .fn = recurrence_fn,
                               .user = &o,
                               .n_in = 4,
                               .n_out = 4,
                               .in = {RANDOM_F64(1, -1, 1, 2), RANDOM_F64(2, -1, 1, 2),
                                      RANDOM_F64(3, -1, 1, 2), RANDOM_F64(4, -1, 1, o.length, 2)}});
    }
}

/* ---- integers, nested scans, branches in scans ---- */

/* States: round (int32) and s; s' = sin(s + w w) w x when the round is even, else s x. */
typedef struct operands {
    fx_node *s, *x, *w;
} operands;

static void even(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const operands *o = user;
    (void)body, (void)in, (void)n_in, (void)n_out;
    out[0] = fx_mul(fx_sin(fx_add(o->s, fx_mul(o->w, o->w))), fx_mul(o->w, o->x));
}

static void odd(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    const operands *o = user;
    (void)body, (void)in, (void)n_in, (void)n_out;
    out[0] = fx_mul(o->s, o->x);
}

static void branch_body(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    operands o = {in[1], in[2], user};
    (void)n_in, (void)n_out;
    fx_node *one = fx_scalar_int(body, FX_S32, 1);
    fx_if(fx_equal(fx_and(in[0], one), fx_scalar_int(body, FX_S32, 0)), even, odd, 1, &o, &out[1]);
    out[0] = fx_add(in[0], one);
    out[2] = out[0];
}

static void branch_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    fx_node *results[3], *zero = fx_scalar_int(body, FX_S32, 0);
    (void)n_in, (void)n_out, (void)user;
    fx_scan(FX_NODES(zero, in[0]), FX_NODES(in[1]), 4, 1, branch_body, in[2], results);
    out[0] = results[1];
}

static void test_branches(void **state) {
    (void)state;
    check_derivatives(&(derivative_case){
        .name = "branches in a scan",
        .fn = branch_fn,
        .n_in = 3,
        .n_out = 1,
        .in = {RANDOM_F64(1, -1, 1, 2), RANDOM_F64(2, -1, 1, 4, 2), RANDOM_F64(3, -1, 1, 2)}});
}

/* The rows of the inner scan are states of the outer one; w is captured through both. */
static void inner_body(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    fx_node *w = user;
    (void)body, (void)n_in, (void)n_out;
    out[0] = fx_sin(fx_add(fx_mul(in[0], w), in[1]));
    out[1] = fx_exp(out[0]);
}

static void outer_body(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    fx_node *results[2];
    (void)body, (void)n_in, (void)n_out;
    fx_scan_reverse(FX_NODES(in[1]), FX_NODES(in[0]), 3, 1, inner_body, user, results);
    out[0] = fx_mul(results[1], in[0]);
    out[1] = results[0];
}

static void nested_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                      void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_scan(FX_NODES(in[0]), FX_NODES(in[1]), 2, 1, outer_body, in[2], out);
}

static void test_nested(void **state) {
    (void)state;
    check_derivatives(&(derivative_case){.name = "nested scans",
                                         .fn = nested_fn,
                                         .n_in = 3,
                                         .n_out = 2,
                                         .in = {RANDOM_F64(1, -1, 1, 3), RANDOM_F64(2, -1, 1, 2),
                                                random_values(FX_F64, (fx_dims){NULL, 0}, -1, 1, 3)}});
}

/* ---- a recurrent cell: products, slices, functions, a bias ---- */

static void cell(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    fx_node *const *w = user;
    (void)body, (void)n_in, (void)n_out;
    fx_node *z = fx_add(fx_matmul(in[2], w[0]), fx_matmul(in[0], w[1])), *gate[4];
    z = fx_add(z, fx_broadcast_to_dims(w[2], FX_DIMS(3, 8)));
    for (int i = 0; i < 4; i++) gate[i] = fx_slice_axis(z, 1, 2 * i, 2 * i + 2, 1);
    fx_node *s = fx_add(fx_mul(fx_sigmoid(gate[1]), in[1]), fx_mul(fx_sigmoid(gate[0]), fx_tanh(gate[2])));
    out[0] = fx_mul(fx_sigmoid(gate[3]), fx_tanh(s));
    out[1] = s;
    out[2] = out[0];
}

/* xs [4, 3, 5], w [5, 8], u [2, 8], bias [1, 8]; h and s start at in[4]. */
static void cell_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    fx_node *w[] = {in[1], in[2], in[3]}, *results[3];
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_scan(FX_NODES(in[4], in[4]), FX_NODES(in[0]), 4, 1, cell, w, results);
    out[0] = results[2];
    out[1] = results[1];
}

static void test_cell(void **state) {
    (void)state;
    check_derivatives(&(derivative_case){.name = "recurrent cell",
                                         .fn = cell_fn,
                                         .n_in = 5,
                                         .n_out = 2,
                                         .in = {RANDOM_F64(1, -1, 1, 4, 3, 5), RANDOM_F64(2, -1, 1, 5, 8),
                                                RANDOM_F64(3, -1, 1, 2, 8), RANDOM_F64(4, -1, 1, 1, 8),
                                                RANDOM_F64(5, -1, 1, 3, 2)}});
}

/* Sums over rounds are kept in float32 at least. */
static void test_narrow(void **state) {
    (void)state;
    static const fx_dtype dtypes[] = {FX_F32, FX_F16, FX_BF16};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        check_narrow_derivatives(
            &(derivative_case){.name = "narrow recurrent cell",
                               .fn = cell_fn,
                               .n_in = 5,
                               .n_out = 2,
                               .in = {RANDOM_F64(1, -1, 1, 4, 3, 5), RANDOM_F64(2, -1, 1, 5, 8),
                                      RANDOM_F64(3, -1, 1, 2, 8), RANDOM_F64(4, -1, 1, 1, 8),
                                      RANDOM_F64(5, -1, 1, 3, 2)}},
            dtypes[i], 16);
}

/* The gradients of the weights and of the inputs are one product each, outside; the reverse scan carries the
 * adjoints of the states alone. */
static void test_sums_outside(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *in[5], *out[2], *d[4];
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 4, 3, 5), FX_SHAPE(FX_F32, 5, 8), FX_SHAPE(FX_F32, 2, 8),
                               FX_SHAPE(FX_F32, 1, 8), FX_SHAPE(FX_F32, 3, 2)};
    for (int i = 0; i < 5; i++) in[i] = fx_parameter(graph, &shapes[i]);
    cell_fn(graph, in, 5, out, 2, NULL);
    fx_gradient(fx_reduce_all_sum(out[0]), FX_NODES(in[1], in[2], in[3], in[0]), d);
    assert_no_error(graph);
    assert_string_equal(fx_node_op(d[0]), "dot_general");
    assert_string_equal(fx_node_op(d[1]), "dot_general");
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const fx_node *n = graph->nodes.data[i];
        if (n->op == FX_OP_SCAN) assert_int_equal(fxi_node_states(n), 2);
        size_t products = 0; /* x w and h u, and in the reverse scan the adjoint of h */
        for (size_t k = 0; n->op == FX_OP_SCAN && k < fxi_node_bodies(n).v[0]->nodes.count; k++)
            products += fxi_node_bodies(n).v[0]->nodes.data[k]->op == FX_OP_DOT_GENERAL;
        assert_in_range(products, 0, fxi_node_bodies(n).n && fxi_node_int(n, FXI_ATTR_BACKWARDS) ? 1 : 2);
    }
    fx_graph_free(graph);
}

/* ---- checkpoints and refusals in the body ---- */

static void checkpointed(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                         void *user) {
    (void)body, (void)n_in, (void)n_out;
    fx_node *x = fx_checkpoint(fx_mul(in[0], user));
    out[0] = fx_tanh(fx_add(fx_exp(fx_sin(x)), in[1]));
}

static void checkpointed_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                            void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_scan(FX_NODES(in[0]), FX_NODES(in[1]), 3, 0, checkpointed, in[2], out);
}

static void test_checkpoints(void **state) {
    (void)state;
    check_derivatives(&(derivative_case){
        .name = "checkpoints in a scan",
        .fn = checkpointed_fn,
        .n_in = 3,
        .n_out = 1,
        .in = {RANDOM_F64(1, -1, 1, 2), RANDOM_F64(2, -1, 1, 3, 2), RANDOM_F64(3, -1, 1, 2)}});
}

static void bits(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_add(in[1], fx_reduce_all_sum(fx_convert(fx_bitcast(in[1], FX_F32), FX_F64)));
}

static void test_refusal(void **state) {
    (void)state;
    fx_graph *graph = new_graph();
    fx_node *x = parameter(graph, FX_SHAPE(FX_F64)), *d[1];
    fx_node *y = fx_for(3, FX_NODES(x), bits, NULL, NULL);
    fx_gradient(y, FX_NODES(x), d);
    fx_error err = {.code = FX_OK};
    assert_true(fx_graph_error(graph, &err));
    assert_int_equal(err.code, FX_ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "fx_gradient: %"));
    assert_non_null(strstr(err.message, "has no derivative: the bits of a value are not a smooth function"));
    assert_string_equal(fx_node_op(d[0]), "inert");
    fx_graph_free(graph);
}

/* ---- gradients asked for in the body ---- */

/* x - 0.1 d/dx of sin(x) c x, in each round. */
static void descend(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    fx_node *c = user, *x = in[1];
    (void)n_in, (void)n_out;
    fx_node *loss = fx_mul(fx_mul(fx_sin(x), c), x);
    out[0] = fx_sub(x, fx_mul(fx_scalar(body, FX_F64, 0.1), fx_gradient(loss, FX_NODES(x), NULL)));
}

static void descent_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_for(3, FX_NODES(in[0]), descend, in[1], out);
}

static void test_descent(void **state) {
    (void)state;
    const fx_dims scalar = {NULL, 0};
    check_derivatives(&(derivative_case){
        .name = "gradient descent",
        .fn = descent_fn,
        .n_in = 2,
        .n_out = 1,
        .in = {random_values(FX_F64, scalar, -1, 1, 1), random_values(FX_F64, scalar, -1, 1, 2)}});
}

/* Rows that do not depend on the slices, without states: nothing has a tangent. */
static void count_body(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    (void)in, (void)n_in, (void)n_out, (void)user;
    out[0] = fx_scalar(body, FX_F64, 2);
}

static void count_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    (void)body, (void)n_in, (void)n_out, (void)user;
    fx_node *rows = fx_scan((fx_nodes){NULL, 0}, FX_NODES(in[0]), 3, 1, count_body, NULL, NULL);
    out[0] = fx_mul(rows, in[0]);
}

static void test_nothing_depends(void **state) {
    (void)state;
    check_derivatives(&(derivative_case){.name = "rows without tangents",
                                         .fn = count_fn,
                                         .n_in = 1,
                                         .n_out = 1,
                                         .in = {RANDOM_F64(1, -1, 1, 3)}});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recurrences), cmocka_unit_test(test_branches),
        cmocka_unit_test(test_nested),      cmocka_unit_test(test_cell),
        cmocka_unit_test(test_checkpoints), cmocka_unit_test(test_refusal),
        cmocka_unit_test(test_narrow),      cmocka_unit_test(test_sums_outside),
        cmocka_unit_test(test_descent),     cmocka_unit_test(test_nothing_depends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
