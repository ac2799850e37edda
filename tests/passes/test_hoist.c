/* SPDX-License-Identifier: Apache-2.0 */
/* What moves out of loops and what stays: the operations left in the body, and the values. Elements are small
 * integers divided by eight, so that sums of products are exact in every order: the interpreter gives the same
 * bits before and after. */
#include "rewriting.h"
#include "backend/interp/interp.h"
#include "passes/hoist.h"
#include "support/compare.h"
#include "support/random_graph.h"
#include <stdlib.h>
#include <string.h>

#define CLOSURE(name)                                                                                        \
    static void name(fx_graph *g, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user)
#define UNUSED (void)g, (void)in, (void)n_in, (void)out, (void)n_out, (void)user

enum { MOST = 8 };

/* ---- graphs ---- */

typedef struct pair {
    fx_graph *before, *after;
} pair;

static fx_graph *build(fx_fn fn, const fx_shape *shapes, size_t n, size_t n_out) {
    fx_graph *g = fx_graph_new(FX_MUST);
    fx_node *in[MOST], *out[MOST];
    for (size_t i = 0; i < n; i++) in[i] = fx_parameter(g, &shapes[i]);
    fn(g, in, n, out, n_out, NULL);
    assert_true(fx_graph_finish(g, (fx_nodes){out, n_out}, FX_MUST));
    return g;
}

static fx_tensor *numbers(const fx_shape *shape, size_t seed) {
    fx_tensor *t = fx_tensor_new(shape, FX_MUST);
    for (int64_t i = 0, n = fx_shape_size(shape); i < n; i++) {
        int64_t k = (i * 7 + (int64_t)seed * 5) % 11 - 5;
        bool whole = fx_dtype_is_integer(shape->dtype);
        fxi_element_store(shape->dtype, t->data, i,
                          (fxi_scalar){.i = k, .re = whole ? (double)k : (double)k / 8, .im = (double)(k % 3)});
    }
    return t;
}

static void run(const fx_graph *g, fx_tensor *const *in, fx_tensor **out) {
    memset(out, 0, MOST * sizeof *out);
    void *program = fxi_interp_backend.compile(NULL, g, FX_MUST);
    assert_true(fxi_interp_backend.run(program, &(fxi_run_args){.inputs = in, .outputs = out}, FX_MUST));
    fxi_interp_backend.program_free(program);
}

static void assert_equal_outputs(const fx_graph *a, const fx_graph *b) {
    fx_tensor *in[MOST], *x[MOST], *y[MOST];
    for (size_t i = 0; i < a->parameters.count; i++) in[i] = numbers(&a->parameters.data[i]->shape, i);
    run(a, in, x);
    run(b, in, y);
    for (size_t i = 0; i < a->output_count; i++) {
        compare_report report;
        if (!compare_bits(y[i], x[i], &report)) fail_msg("output %zu: %s", i, report.text);
        fx_tensor_free(x[i]);
        fx_tensor_free(y[i]);
    }
    for (size_t i = 0; i < a->parameters.count; i++) fx_tensor_free(in[i]);
}

static pair moved(fx_fn fn, const fx_shape *shapes, size_t n, size_t n_out) {
    pair p = {.before = build(fn, shapes, n, n_out)};
    p.after = fxi_passes_run(p.before, FX_MUST);
    assert_true(fxi_verify(p.after, FX_MUST));
    assert_equal_outputs(p.before, p.after);
    return p;
}

static void release(pair p) {
    fx_graph_free(p.before);
    fx_graph_free(p.after);
}

static int count(const fx_graph *g, fx_op op) {
    int n = 0;
    for (size_t i = 0; i < g->nodes.count; i++) n += g->nodes.data[i]->op == op;
    return n;
}

static const fx_node *find(const fx_graph *g, fx_op op) {
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.data[i]->op == op) return g->nodes.data[i];
    fail_msg("no %s", fxi_op_info_of(op)->text);
    return NULL;
}

static const fx_graph *body_of(const fx_graph *g, fx_op loop) {
    fxi_graphs bodies = fxi_node_bodies(find(g, loop));
    return bodies.v[bodies.n - 1];
}

/* So many nodes of that operation before the scan and in its body. */
#define assert_places(graph, op, outside, inside)                                                            \
    do {                                                                                                     \
        assert_int_equal(count((graph), (op)), (outside));                                                   \
        assert_int_equal(count(body_of((graph), FX_OP_SCAN), (op)), (inside));                               \
    } while (0)

/* ---- products of slices ---- */

#define WEIGHTS(dtype, rows, columns) FX_SHAPE(dtype, rows, columns)

/* h = x w + h u, clamped; stacked. */
CLOSURE(rnn_step) {
    UNUSED;
    fx_node **w = user;
    fx_node *sum = fx_add(fx_matmul(in[1], w[0]), fx_matmul(in[0], w[1]));
    out[0] = fx_sub(sum, in[0]);
    out[1] = out[0];
}
CLOSURE(rnn) {
    UNUSED;
    fx_node *w[2] = {in[0], in[1]}, *results[2];
    fx_scan(FX_NODES(in[2]), FX_NODES(in[3]), 3, 1, rnn_step, w, results);
    out[0] = results[0];
    out[1] = results[1];
}
CLOSURE(rnn_reverse) {
    UNUSED;
    fx_node *w[2] = {in[0], in[1]}, *results[2];
    fx_scan_reverse(FX_NODES(in[2]), FX_NODES(in[3]), 3, 1, rnn_step, w, results);
    out[0] = results[0];
    out[1] = results[1];
}

static void products_of_slices(void **state) {
    (void)state;
    static const fx_dtype dtypes[] = {FX_F32, FX_F64, FX_S32, FX_S64, FX_U8, FX_C64};
    for (size_t i = 0; i < COUNT_OF(dtypes); i++)
        for (int reverse = 0; reverse < 2; reverse++) {
            const fx_dtype d = dtypes[i];
            const fx_shape shapes[] = {FX_SHAPE(d, 48, 32), FX_SHAPE(d, 32, 32), FX_SHAPE(d, 4, 32),
                                       FX_SHAPE(d, 3, 4, 48)};
            pair p = moved(reverse ? rnn_reverse : rnn, shapes, 4, 2);
            assert_places(p.after, FX_OP_DOT_GENERAL, 1, 1);
            const fx_node *product = find(p.after, FX_OP_DOT_GENERAL), *scan = find(p.after, FX_OP_SCAN);
            assert_string_equal(fx_shape_to_text(&product->shape).s + strlen(fx_dtype_name(d)) + 2, "[3, 4, 32]");
            assert_int_equal(fxi_node_int(scan, FXI_ATTR_INPUTS), 1); /* x is no input any more */
            assert_int_equal(scan->operand_count, 3);                 /* nor is w captured */
            release(p);
        }
}

/* From 16 rows on a product uses the machine by itself; below some size nothing is worth the effort. */
static void products_that_stay(void **state) {
    (void)state;
    const fx_shape many[] = {WEIGHTS(FX_F32, 48, 32), WEIGHTS(FX_F32, 32, 32), FX_SHAPE(FX_F32, 16, 32),
                             FX_SHAPE(FX_F32, 3, 16, 48)};
    const fx_shape small[] = {WEIGHTS(FX_F32, 4, 4), WEIGHTS(FX_F32, 4, 4), FX_SHAPE(FX_F32, 4, 4),
                              FX_SHAPE(FX_F32, 3, 4, 4)};
    const fx_shape *cases[] = {many, small};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        pair p = moved(rnn, cases[i], 4, 2);
        assert_places(p.after, FX_OP_DOT_GENERAL, 0, 2);
        release(p);
    }
}

CLOSURE(rnn_never) {
    UNUSED;
    fx_node *w[2] = {in[0], in[1]}, *results[2];
    fx_scan(FX_NODES(in[2]), FX_NODES(in[3]), 0, 1, rnn_step, w, results);
    out[0] = results[0];
    out[1] = results[1];
}
CLOSURE(rnn_once) {
    UNUSED;
    fx_node *w[2] = {in[0], in[1]}, *results[2];
    fx_scan(FX_NODES(in[2]), FX_NODES(in[3]), 1, 1, rnn_step, w, results);
    out[0] = results[0];
    out[1] = results[1];
}

static void no_round_and_one(void **state) {
    (void)state;
    for (int64_t rounds = 0; rounds < 2; rounds++) {
        const fx_shape shapes[] = {WEIGHTS(FX_F32, 48, 32), WEIGHTS(FX_F32, 32, 32), FX_SHAPE(FX_F32, 4, 32),
                                   FX_SHAPE(FX_F32, rounds, 4, 48)};
        pair p = moved(rounds ? rnn_once : rnn_never, shapes, 4, 2);
        assert_places(p.after, FX_OP_DOT_GENERAL, 0, 2);
        release(p);
    }
}

/* Weights on the left, a vector on either side: the product of all slices needs no transpose. */
CLOSURE(left_vector_step) {
    UNUSED;
    out[0] = fx_add(in[0], fx_matmul(user, in[1]));
}
CLOSURE(left_vector) {
    UNUSED;
    out[0] = fx_scan(FX_NODES(in[1]), FX_NODES(in[2]), 3, 0, left_vector_step, in[0], NULL);
}
CLOSURE(right_vector_step) {
    UNUSED;
    out[0] = fx_add(in[0], fx_matmul(in[1], user));
}
CLOSURE(right_vector) {
    UNUSED;
    out[0] = fx_scan(FX_NODES(in[1]), FX_NODES(in[2]), 3, 0, right_vector_step, in[0], NULL);
}

static void products_with_vectors(void **state) {
    (void)state;
    const fx_shape left[] = {FX_SHAPE(FX_F32, 96, 64), FX_SHAPE(FX_F32, 96), FX_SHAPE(FX_F32, 3, 64)};
    const fx_shape right[] = {FX_SHAPE(FX_F32, 64, 96), FX_SHAPE(FX_F32, 96), FX_SHAPE(FX_F32, 3, 64)};
    const fx_shape columns[] = {FX_SHAPE(FX_F32, 96, 64), FX_SHAPE(FX_F32, 96, 4), FX_SHAPE(FX_F32, 3, 64, 4)};
    for (int i = 0; i < 3; i++) {
        pair p = moved(i == 1 ? right_vector : left_vector, i == 0 ? left : i == 1 ? right : columns, 3, 1);
        assert_places(p.after, FX_OP_DOT_GENERAL, 1, 0);
        assert_int_equal(count(p.after, FX_OP_TRANSPOSE), i == 2);
        release(p);
    }
}

/* What is computed from a product at some cost moves with it; what it is computed from always does. */
CLOSURE(chain_step) {
    UNUSED;
    fx_node **w = user;
    fx_node *embedded = fx_mul(fx_exp(in[1]), fx_exp(in[1]));
    fx_node *gate = fx_logistic(fx_add(fx_matmul(embedded, w[0]), fx_broadcast_to_shape(w[1], &in[0]->shape)));
    out[0] = fx_add(fx_mul(gate, in[0]), fx_abs(gate));
}
CLOSURE(chain) {
    UNUSED;
    fx_node *w[2] = {in[0], in[1]};
    out[0] = fx_scan(FX_NODES(in[2]), FX_NODES(in[3]), 5, 0, chain_step, w, NULL);
}

static void chains_move_along(void **state) {
    (void)state;
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 48, 32), FX_SHAPE(FX_F32, 1, 32), FX_SHAPE(FX_F32, 4, 32),
                               FX_SHAPE(FX_F32, 5, 4, 48)};
    pair p = moved(chain, shapes, 4, 1);
    assert_places(p.after, FX_OP_LOGISTIC, 1, 0);
    assert_places(p.after, FX_OP_EXP, 1, 0);
    assert_places(p.after, FX_OP_ABS, 0, 1); /* costs nothing where it is fused */
    release(p);
}

/* ---- transposes of matrices that products sum along the last axis of ---- */

CLOSURE(adjoint_step) {
    UNUSED;
    fx_node **w = user;
    fx_node *back = fx_matmul(in[0], fx_transpose(w[0], 0, 1));
    fx_node *again = fx_matmul(back, fx_transpose(w[0], 0, 1));
    out[0] = fx_sub(again, fx_matmul(in[0], fx_transpose(fx_square(w[1]), 0, 1)));
    out[1] = fx_matmul(in[0], w[1]);
}
CLOSURE(adjoints) {
    UNUSED;
    fx_scan_reverse(FX_NODES(in[2]), FX_NODES(), 3, 1, adjoint_step, (void *)(uintptr_t)in, out);
}

static void transposes_are_done_once(void **state) {
    (void)state;
    static const fx_dtype dtypes[] = {FX_F32, FX_F64, FX_S32, FX_S64, FX_U8, FX_C64};
    for (size_t i = 0; i < COUNT_OF(dtypes); i++) {
        const fx_dtype d = dtypes[i];
        bool direct = i < 4; /* others are packed in any case */
        const fx_shape shapes[] = {FX_SHAPE(d, 24, 24), FX_SHAPE(d, 24, 24), FX_SHAPE(d, 9, 24)};
        pair p = moved(adjoints, shapes, 3, 2);
        assert_int_equal(count(p.after, FX_OP_TRANSPOSE), direct ? 2 : 0);
        assert_int_equal(find(p.after, FX_OP_SCAN)->operand_count, direct ? 4 : 3);
        release(p);
    }
    const fx_shape few[] = {FX_SHAPE(FX_F32, 48, 48), FX_SHAPE(FX_F32, 48, 48), FX_SHAPE(FX_F32, 8, 48)};
    pair p = moved(adjoints, few, 3, 2); /* read well either way */
    assert_int_equal(count(p.after, FX_OP_TRANSPOSE), 0);
    release(p);
}

/* In a while and behind work that moves; the loop around moves the transpose on. */
CLOSURE(turning_condition) { UNUSED; out[0] = fx_less(in[1], fx_scalar_int(g, FX_S32, 3)); }
CLOSURE(turning_body) {
    UNUSED;
    out[0] = fx_sub(fx_matmul(in[0], fx_transpose(fx_tanh(user), 0, 1)), in[0]);
    out[1] = fx_add_scalar(in[1], 1);
}
CLOSURE(turning_outer) {
    UNUSED;
    fx_node *results[2];
    fx_while(FX_NODES(in[1], fx_scalar_int(g, FX_S32, 0)), turning_condition, turning_body, user, results);
    out[0] = results[0];
}
CLOSURE(turning) { UNUSED; out[0] = fx_for(2, FX_NODES(in[0]), turning_outer, in[1], NULL); }

static void transposes_leave_nested_loops(void **state) {
    (void)state;
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 10, 36), FX_SHAPE(FX_F32, 36, 36)};
    pair p = moved(turning, shapes, 2, 1);
    assert_places(p.after, FX_OP_TANH, 1, 0);
    assert_int_equal(count(body_of(body_of(p.after, FX_OP_SCAN), FX_OP_WHILE), FX_OP_TRANSPOSE), 0);
    const fx_node *product = find(body_of(body_of(p.after, FX_OP_SCAN), FX_OP_WHILE), FX_OP_DOT_GENERAL);
    assert_int_equal(fxi_node_ints(product, FXI_ATTR_RHS_CONTRACT).v[0], 0);
    release(p);
}

/* ---- the same in every round ---- */

CLOSURE(scaled_body) {
    UNUSED;
    out[0] = fx_matmul(in[1], fx_tanh(fx_mul_scalar(user, 0.5)));
}
CLOSURE(scaled) { UNUSED; out[0] = fx_for(9, FX_NODES(in[0]), scaled_body, in[1], NULL); }

static void same_in_every_round(void **state) {
    (void)state;
    const fx_shape shapes[] = {FX_SHAPE(FX_F64, 4, 20), FX_SHAPE(FX_F64, 20, 20)};
    pair p = moved(scaled, shapes, 2, 1);
    assert_places(p.after, FX_OP_TANH, 1, 0);
    assert_places(p.after, FX_OP_MUL, 1, 0);
    release(p);
    const fx_shape tiny[] = {FX_SHAPE(FX_F64, 2, 2), FX_SHAPE(FX_F64, 2, 2)}; /* not worth a step of its own */
    p = moved(scaled, tiny, 2, 1);
    assert_places(p.after, FX_OP_TANH, 0, 1);
    release(p);
}

/* A broadcast stays, and so does cheap work on more elements than it reads. */
CLOSURE(grown_body) {
    UNUSED;
    fx_node **v = user;
    const fx_shape *shape = &in[1]->shape;
    fx_node *sum = fx_add(fx_broadcast_to_shape(v[0], shape), fx_broadcast_to_shape(v[1], shape));
    out[0] = fx_mul(in[1], sum);
}
CLOSURE(grown) {
    UNUSED;
    fx_node *v[2] = {in[1], in[2]};
    out[0] = fx_for(3, FX_NODES(in[0]), grown_body, v, NULL);
}

static void cheap_and_grown(void **state) {
    (void)state;
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 200, 200), FX_SHAPE(FX_F32, 200, 1), FX_SHAPE(FX_F32, 1, 200)};
    pair p = moved(grown, shapes, 3, 1);
    assert_places(p.after, FX_OP_ADD, 0, 1);
    release(p);
}

/* Weights carried as states that no round changes; both closures of a while. */
CLOSURE(carried_condition) {
    UNUSED;
    fx_node *limit = fx_reduce_all_sum(fx_square(fx_tanh(in[1])));
    out[0] = fx_less(fx_reduce_all_sum(in[0]), fx_add(limit, in[2]));
}
CLOSURE(carried_body) {
    UNUSED;
    out[0] = fx_add(in[0], fx_square(fx_sin(fx_mul_scalar(in[1], 2))));
    out[1] = in[1];
    out[2] = in[2];
}
CLOSURE(carried) {
    UNUSED;
    fx_while(FX_NODES(in[0], in[1], fx_scalar(g, FX_F32, 90)), carried_condition, carried_body, NULL, out);
}

static void states_that_stay_the_same(void **state) {
    (void)state;
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 40, 40), FX_SHAPE(FX_F32, 40, 40)};
    pair p = moved(carried, shapes, 2, 3);
    assert_int_equal(count(p.after, FX_OP_TANH), 1);
    assert_int_equal(count(p.after, FX_OP_SIN), 1);
    assert_int_equal(count(body_of(p.after, FX_OP_WHILE), FX_OP_SIN), 0);
    assert_int_equal(count(fxi_node_bodies(find(p.after, FX_OP_WHILE)).v[0], FX_OP_TANH), 0);
    release(p);
}

/* ---- nested loops ---- */

/* Inside a while inside a scan: x w is the same in every round of the while, and of slices for the scan. */
CLOSURE(inner_condition) { UNUSED; out[0] = fx_less(in[1], fx_scalar_int(g, FX_S32, 2)); }
CLOSURE(inner_body) {
    UNUSED;
    fx_node **seen = user; /* x, w, u */
    fx_node *sum = fx_add(fx_matmul(seen[0], seen[1]), fx_matmul(in[0], fx_tanh(seen[2])));
    out[0] = fx_sub(sum, in[0]);
    out[1] = fx_add_scalar(in[1], 1);
}
CLOSURE(outer_step) {
    UNUSED;
    fx_node **w = user, *seen[3] = {in[1], w[0], w[1]}, *results[2];
    fx_while(FX_NODES(in[0], fx_scalar_int(g, FX_S32, 0)), inner_condition, inner_body, seen, results);
    out[0] = results[0];
    out[1] = fx_neg(results[0]);
}
CLOSURE(nested) {
    UNUSED;
    fx_node *w[2] = {in[0], in[1]};
    fx_scan(FX_NODES(in[2]), FX_NODES(in[3]), 3, 1, outer_step, w, out);
}

static void out_of_nested_loops(void **state) {
    (void)state;
    const fx_shape shapes[] = {WEIGHTS(FX_F64, 48, 64), WEIGHTS(FX_F64, 64, 64), FX_SHAPE(FX_F64, 4, 64),
                               FX_SHAPE(FX_F64, 3, 4, 48)};
    pair p = moved(nested, shapes, 4, 2);
    assert_places(p.after, FX_OP_DOT_GENERAL, 1, 0);
    assert_places(p.after, FX_OP_TANH, 1, 0);
    assert_int_equal(count(body_of(body_of(p.after, FX_OP_SCAN), FX_OP_WHILE), FX_OP_DOT_GENERAL), 1);
    release(p);
}

/* A while that may have no round computes no loop before it, which might never end. */
CLOSURE(count_up) { UNUSED; out[0] = fx_add_scalar(in[0], 1); }
CLOSURE(is_below) { UNUSED; out[0] = fx_less(fx_reduce_all_sum(in[0]), fx_scalar(g, FX_F32, 7)); }
CLOSURE(loop_in_while_body) {
    UNUSED;
    fx_node *inner[1];
    fx_while(FX_NODES(user), is_below, count_up, NULL, inner);
    out[0] = fx_add(in[0], inner[0]);
}
CLOSURE(loop_in_while) {
    UNUSED;
    fx_while(FX_NODES(in[0]), is_below, loop_in_while_body, in[1], out);
}

static void loops_stay_in_a_while(void **state) {
    (void)state;
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 64, 64), FX_SHAPE(FX_F32, 64, 64)};
    pair p = moved(loop_in_while, shapes, 2, 1);
    assert_int_equal(count(p.after, FX_OP_WHILE), 1);
    assert_int_equal(count(body_of(p.after, FX_OP_WHILE), FX_OP_WHILE), 1);
    release(p);
}

/* ---- results ---- */

CLOSURE(results_step) {
    UNUSED;
    out[0] = fx_add(in[0], in[1]);
    out[1] = fx_exp(in[1]);        /* of slices */
    out[2] = fx_neg(in[0]);        /* of the state */
    out[3] = in[1];                /* the slice itself */
    out[4] = fx_abs(user);         /* the same in every round */
}
CLOSURE(results_leave) {
    UNUSED;
    fx_scan(FX_NODES(in[0]), FX_NODES(in[1]), 4, 4, results_step, in[2], out);
}

static void stacked_results_leave(void **state) {
    (void)state;
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 3, 5), FX_SHAPE(FX_F32, 4, 3, 5), FX_SHAPE(FX_F32, 7)};
    pair p = moved(results_leave, shapes, 3, 5);
    assert_places(p.after, FX_OP_EXP, 1, 0);
    assert_places(p.after, FX_OP_ABS, 1, 0);
    assert_int_equal(body_of(p.after, FX_OP_SCAN)->output_count, 2);
    assert_ptr_equal(p.after->outputs[3], p.after->parameters.data[1]);
    release(p);
}

/* One result of the sort is stacked, which moves the sort, too cheap to move else; the other is read. */
CLOSURE(sort_step) {
    UNUSED;
    fx_node *sorted[2];
    fx_sort_many(FX_NODES(user, fx_neg(user)), 1, 0, true, sorted);
    out[0] = fx_add(in[0], sorted[1]);
    out[1] = sorted[0];
}
CLOSURE(logged_sort_step) {
    sort_step(g, in, n_in, out, n_out, user);
    fx_log_node(out[0]->operands[1], "second");
}
CLOSURE(sorts) { UNUSED; fx_scan(FX_NODES(in[0]), FX_NODES(), 3, 1, sort_step, in[1], out); }
CLOSURE(logged_sorts) { UNUSED; fx_scan(FX_NODES(in[0]), FX_NODES(), 3, 1, logged_sort_step, in[1], out); }

static void other_results_follow(void **state) {
    (void)state;
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 3), FX_SHAPE(FX_F32, 3)};
    pair p = moved(sorts, shapes, 2, 2);
    assert_places(p.after, FX_OP_SORT, 1, 0);
    release(p);
    p = moved(logged_sorts, shapes, 2, 2);
    assert_places(p.after, FX_OP_SORT, 0, 1);
    release(p);
}

CLOSURE(map_step) {
    UNUSED;
    out[0] = fx_reduce_sum(fx_square(in[0]), FX_AXES(0));
    out[1] = fx_exp(in[0]);
}
CLOSURE(stateless) {
    UNUSED;
    fx_scan(FX_NODES(), FX_NODES(in[0]), 6, 2, map_step, NULL, out);
}

static void loop_without_results_goes(void **state) {
    (void)state;
    const fx_shape shape = FX_SHAPE(FX_F32, 6, 3, 5);
    pair p = moved(stateless, &shape, 1, 2);
    assert_int_equal(count(p.after, FX_OP_SCAN), 0);
    release(p);
}

/* Written as a scan so that the scores of all queries do not live at once. */
CLOSURE(attention_step) {
    UNUSED;
    fx_node **kv = user;
    out[0] = fx_matmul(fx_exp(fx_matmul(in[0], kv[0])), kv[1]);
}
CLOSURE(attention) {
    UNUSED;
    fx_node *kv[2] = {in[1], in[2]};
    out[0] = fx_scan(FX_NODES(), FX_NODES(in[0]), 64, 1, attention_step, kv, NULL);
}

static void memory_is_bounded(void **state) {
    (void)state;
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 64, 8, 4), FX_SHAPE(FX_F32, 4, 2000), FX_SHAPE(FX_F32, 2000, 4)};
    fx_graph *before = build(attention, shapes, 3, 1), *after = fxi_passes_run(before, FX_MUST);
    assert_places(after, FX_OP_DOT_GENERAL, 0, 2);
    fx_graph_free(before);
    fx_graph_free(after);
}

/* Logged nodes are reported in every round, barriers hold what is behind them. */
CLOSURE(held_step) {
    UNUSED;
    fx_node *seen = fx_log_node(fx_tanh(user), "seen");
    fx_node *held = fx_sin(fx_optimization_barrier(user));
    out[0] = fx_add(in[0], fx_add(seen, held));
}
CLOSURE(held) { UNUSED; out[0] = fx_scan(FX_NODES(in[0]), FX_NODES(), 3, 0, held_step, in[1], NULL); }

static void effects_stay(void **state) {
    (void)state;
    const fx_shape shapes[] = {FX_SHAPE(FX_F32, 100, 100), FX_SHAPE(FX_F32, 100, 100)};
    pair p = moved(held, shapes, 2, 1);
    assert_places(p.after, FX_OP_TANH, 0, 1);
    assert_places(p.after, FX_OP_SIN, 0, 1);
    release(p);
}

/* ---- generated bodies: states, slices and captures in any mixture ---- */

enum { GRAPHS = 400, ROUNDS = 3 };

typedef struct generated {
    const fx_graph *body;
    int *state; /* per parameter: the output that follows it as a state, or -1 */
    bool *slice;
    fx_node **outer; /* per parameter: what is captured */
} generated;

/* The generated graph inside of a closure: states and slices as they are given, captures from outside. */
CLOSURE(generated_body) {
    UNUSED;
    const generated *x = user;
    fx_node **map = calloc(x->body->nodes.count + 1, sizeof *map), *operands[64];
    size_t given = 0, made = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < x->body->parameters.count; i++)
            if (pass == 0 ? x->state[i] >= 0 : x->state[i] < 0 && x->slice[i])
                map[x->body->parameters.data[i]->id] = in[given++];
    for (size_t i = 0; i < x->body->nodes.count; i++) {
        const fx_node *n = x->body->nodes.data[i];
        if (n->op == FX_OP_PARAMETER && !map[i]) map[i] = x->outer[fxi_node_int(n, FXI_ATTR_INDEX)];
        if (map[i]) continue;
        assert_true(n->operand_count <= COUNT_OF(operands));
        for (uint32_t k = 0; k < n->operand_count; k++) operands[k] = map[n->operands[k]->id];
        map[i] = fxi_node_make(&(fxi_node_spec){.graph = g,
                                                .op = n->op,
                                                .operands = operands,
                                                .operand_count = n->operand_count,
                                                .attrs = n->attrs,
                                                .attr_count = n->attr_count,
                                                .shape = &n->shape});
    }
    for (size_t i = 0; i < x->body->parameters.count; i++)
        if (x->state[i] >= 0) out[made++] = map[x->body->outputs[x->state[i]]->id];
    for (size_t i = 0; i < x->body->output_count; i++) out[made++] = map[x->body->outputs[i]->id];
    assert_int_equal(made, n_out);
    free(map);
}

/* Which parameters are carried on (an output has their shape), and which come in slices. */
static void draw_roles(generated *x, random_state *r) {
    for (size_t i = 0; i < x->body->parameters.count; i++) {
        const fx_shape *shape = &x->body->parameters.data[i]->shape;
        x->state[i] = -1;
        x->slice[i] = random_chance(r, 60) && shape->rank < FX_MAX_RANK;
        for (size_t k = 0; random_chance(r, 50) && k < x->body->output_count; k++)
            if (fx_shape_equal(&x->body->outputs[k]->shape, shape)) x->state[i] = (int)k;
    }
}

static fx_graph *scan_of(const random_graph *source, random_state *r) {
    size_t n = source->graph->parameters.count, states = 0, slices = 0;
    generated x = {source->graph, calloc(n + 1, sizeof(int)), calloc(n + 1, 1), calloc(n + 1, sizeof(fx_node *))};
    fx_node **first = calloc(n + 1, sizeof *first), **rows = calloc(n + 1, sizeof *rows), *results[64];
    fx_graph *g = fx_graph_new(FX_MUST);
    draw_roles(&x, r);
    for (size_t i = 0; i < n; i++) {
        fx_shape shape = source->graph->parameters.data[i]->shape;
        if (x.state[i] < 0 && x.slice[i]) {
            memmove(shape.dims + 1, shape.dims, (FX_MAX_RANK - 1) * sizeof shape.dims[0]);
            shape.dims[0] = ROUNDS;
            shape.rank++;
        }
        x.outer[i] = fx_parameter(g, &shape);
        if (x.state[i] >= 0) first[states++] = x.outer[i];
        else if (x.slice[i]) rows[slices++] = x.outer[i];
    }
    size_t count = states + source->graph->output_count;
    assert_true(count <= COUNT_OF(results));
    if (states + slices > 0) {
        (random_chance(r, 50) ? fx_scan : fx_scan_reverse)((fx_nodes){first, states}, (fx_nodes){rows, slices}, ROUNDS,
                                                           source->graph->output_count, generated_body, &x, results);
        assert_true(fx_graph_finish(g, (fx_nodes){results, count}, FX_MUST));
    } else { /* all would be captured: nothing tells the scan its graph */
        fx_graph_free(g);
        g = NULL;
    }
    free(x.state), free(x.slice), free(x.outer), free(first), free(rows);
    return g;
}

static fx_tensor **run_many(const fx_graph *g, fx_tensor *const *in) {
    fx_tensor **out = calloc(g->output_count + 1, sizeof *out);
    void *program = fxi_interp_backend.compile(NULL, g, FX_MUST);
    assert_true(fxi_interp_backend.run(program, &(fxi_run_args){.inputs = in, .outputs = out}, FX_MUST));
    fxi_interp_backend.program_free(program);
    return out;
}

/* Gives whether something moved. */
static bool compare_before_and_after(const fx_graph *before, random_state *r, uint64_t number) {
    fx_graph *after = fxi_passes_run(before, FX_MUST), *moved = NULL;
    assert_true(fxi_hoist_graph(before, &moved, FX_MUST));
    fx_graph_free(moved);
    assert_true(fxi_verify(after, FX_MUST));
    size_t n = before->parameters.count;
    fx_tensor **in = calloc(n + 1, sizeof *in);
    for (size_t i = 0; i < n; i++)
        in[i] = random_tensor(r, &before->parameters.data[i]->shape, RANDOM_SMALL_INTEGERS);
    fx_tensor **x = run_many(before, in), **y = run_many(after, in);
    for (size_t i = 0; i < before->output_count; i++) {
        compare_report report;
        if (!compare_bits(y[i], x[i], &report)) fail_msg("graph %d, output %zu: %s", (int)number, i, report.text);
        fx_tensor_free(x[i]);
        fx_tensor_free(y[i]);
    }
    for (size_t i = 0; i < n; i++) fx_tensor_free(in[i]);
    free(in), free(x), free(y);
    fx_graph_free(after);
    return moved != NULL;
}

static void generated_bodies(void **state) {
    (void)state;
    int moving = 0;
    for (uint64_t number = 0; number < GRAPHS; number++) {
        const random_options options = {.exact = number % 2 == 0};
        random_graph source = random_graph_make(number, &options);
        random_state r = {number + 1};
        fx_graph *before = scan_of(&source, &r);
        moving += before && compare_before_and_after(before, &r, number);
        fx_graph_free(before);
        random_graph_free(&source);
    }
    assert_true(moving > GRAPHS / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_slices),    cmocka_unit_test(products_that_stay),
        cmocka_unit_test(no_round_and_one),      cmocka_unit_test(products_with_vectors),
        cmocka_unit_test(transposes_are_done_once),
        cmocka_unit_test(transposes_leave_nested_loops),
        cmocka_unit_test(chains_move_along),     cmocka_unit_test(same_in_every_round),
        cmocka_unit_test(cheap_and_grown),       cmocka_unit_test(states_that_stay_the_same),
        cmocka_unit_test(out_of_nested_loops),   cmocka_unit_test(loops_stay_in_a_while),
        cmocka_unit_test(stacked_results_leave), cmocka_unit_test(other_results_follow),
        cmocka_unit_test(loop_without_results_goes),
        cmocka_unit_test(memory_is_bounded),     cmocka_unit_test(effects_stay),
        cmocka_unit_test(generated_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
