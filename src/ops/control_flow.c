/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of loops, branches and scans. Each builds its closures, then one node whose operands are what
 * the closures are given and, in the order of the closures, what they captured. */
#include "ops/ops.h"
#include <fluxion/control.h>
#include <string.h>

/* A growing list of operands, and the shapes that closures are built for. */
typedef struct parts {
    fxi_build b;
    FXI_VEC(fx_node *) operands;
    fxi_shapes shapes;
    bool ok; /* false: out of memory */
} parts;

static void add_operand(parts *p, fx_node *node) { p->ok = p->ok && FXI_PUSH(&p->operands, node); }

static void add_shape(parts *p, const fx_shape *shape) { p->ok = p->ok && FXI_PUSH(&p->shapes, *shape); }

static void add_captures(parts *p, const fx_graph *body) {
    for (size_t i = 0; i < body->captures.count; i++) add_operand(p, body->captures.data[i]->outer);
}

static void free_parts(parts *p) {
    fxi_free(p->operands.data);
    fxi_free(p->shapes.data);
}

static fx_node *finish_node(parts *p, fx_op op, const fxi_attr *attrs, size_t attr_count) {
    fx_node *node = p->b.stop;
    if (p->ok)
        node = fxi_build_node(&p->b, op, p->operands.data, p->operands.count, attrs, attr_count, NULL);
    else
        fxi_build_refuse(&p->b, FX_ERROR_MEMORY, "out of memory");
    free_parts(p);
    return node;
}

fx_node *fxi_build_results(fx_node *first, fx_node **results, size_t n) {
    for (size_t i = 0; results && i < n; i++) results[i] = fxi_node_result(first, i);
    return first;
}

static bool begin(parts *p, const char *name, fx_nodes list) {
    *p = (parts){.ok = true};
    return fxi_build_begin(&p->b, name, list.v, list.v ? list.n : 0);
}

static fx_graph *build_body(parts *p, fx_fn fn, void *user, size_t n_out) {
    if (!p->ok) return NULL;
    return fxi_closure_build(p->b.graph, p->b.name, fn, user, p->shapes.data, p->shapes.count, n_out);
}

/* ---- while ---- */

/* trips: what the condition keeps to; -1: that of a loop that counts, where it is one. */
static fx_node *make_while(parts *p, fx_nodes states, fx_fn condition, fx_fn body, void *user,
                           int64_t trips) {
    for (size_t i = 0; i < states.n; i++) add_operand(p, states.v[i]);
    for (size_t i = 0; i < states.n; i++) add_shape(p, &states.v[i]->shape);
    fx_graph *bodies[2] = {build_body(p, condition, user, 1), NULL};
    if (bodies[0]) bodies[1] = build_body(p, body, user, states.n);
    for (int i = 0; bodies[1] && i < 2; i++) add_captures(p, bodies[i]);
    if (!bodies[1] && p->ok) {
        free_parts(p);
        return p->b.stop;
    }
    if (bodies[1] && trips < 0) trips = fxi_loop_count(bodies[0], bodies[1], states.v, states.n);
    const fxi_attr attrs[] = {fxi_attr_graphs(FXI_ATTR_BODIES, bodies, 2),
                              fxi_attr_int(FXI_ATTR_TRIPS, trips)};
    return finish_node(p, FX_OP_WHILE, attrs, 2);
}

fx_node *fx_while(fx_nodes states, fx_fn condition, fx_fn body, void *user, fx_node **results) {
    parts p;
    fx_node *made =
        begin(&p, "fx_while", states) ? make_while(&p, states, condition, body, user, -1) : p.b.stop;
    return fxi_build_results(made, results, states.n);
}

/* The number of the round is one more state, the last. */
typedef struct bounded_loop {
    int64_t trips;
    fx_fn condition, body;
    void *user;
} bounded_loop;

static void bounded_condition(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                              void *user) {
    const bounded_loop *l = user;
    l->condition(graph, in, n_in - 1, out, n_out, l->user);
    if (out[0] && out[0]->shape.dtype == FX_BOOL)
        out[0] = fx_and(out[0], fx_less(in[n_in - 1], fx_scalar_int(graph, FX_S64, l->trips)));
}

static void bounded_body(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                         void *user) {
    const bounded_loop *l = user;
    l->body(graph, in, n_in - 1, out, n_out - 1, l->user);
    out[n_out - 1] = fx_add(in[n_in - 1], fx_scalar_int(graph, FX_S64, 1));
}

static fx_node *make_bounded(parts *p, fx_nodes states, bounded_loop *l) {
    fxi_nodes all = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < states.n; i++) ok = FXI_PUSH(&all, states.v[i]);
    ok = ok && FXI_PUSH(&all, fx_scalar_int(p->b.graph, FX_S64, 0));
    fx_node *made = ok ? make_while(p, (fx_nodes){all.data, all.count}, bounded_condition, bounded_body, l,
                                    l->trips)
                       : fxi_build_refuse(&p->b, FX_ERROR_MEMORY, "out of memory");
    fxi_free(all.data);
    return made;
}

fx_node *fx_while_bounded(int64_t max_trips, fx_nodes states, fx_fn condition, fx_fn body, void *user,
                          fx_node **results) {
    parts p;
    bounded_loop l = {max_trips, condition, body, user};
    fx_node *made;
    if (!begin(&p, "fx_while_bounded", states))
        made = p.b.stop;
    else if (max_trips < 0 || !condition || !body)
        made = fxi_build_refuse(&p.b, FX_ERROR_ARGUMENT, "%s",
                                max_trips < 0 ? "the number of rounds is negative" : "a closure is NULL");
    else
        made = make_bounded(&p, states, &l);
    return fxi_build_results(made, results, states.n);
}

/* ---- if, switch ---- */

/* Branch numbers of a bool: true is branch 0. No closure runs with room for no result. */
static fx_node *make_if(parts *p, fx_node *index, const fx_fn *branches, size_t n, size_t n_results,
                        void *user) {
    if (n_results == 0) return fxi_build_refuse(&p->b, FX_ERROR_ARGUMENT, "the branches give no result");
    fx_graph **bodies = fxi_alloc_zeroed(n, sizeof(fx_graph *));
    p->ok = bodies != NULL;
    add_operand(p, index);
    for (size_t i = 0; p->ok && i < n; i++) {
        bodies[i] = build_body(p, branches[i], user, n_results);
        if (!bodies[i]) {
            fxi_free(bodies);
            free_parts(p);
            return p->b.stop;
        }
        add_captures(p, bodies[i]);
    }
    const fxi_attr attr = fxi_attr_graphs(FXI_ATTR_BODIES, bodies, n);
    fx_node *made = finish_node(p, FX_OP_IF, &attr, 1);
    fxi_free(bodies);
    return made;
}

static fx_node *refuse(parts *p, fx_error_code code, const char *what) {
    return fxi_build_refuse(&p->b, code, "%s", what);
}

fx_node *fx_if(fx_node *predicate, fx_fn then, fx_fn otherwise, size_t n_results, void *user,
               fx_node **results) {
    parts p;
    const fx_fn branches[] = {then, otherwise};
    fx_node *made;
    if (!begin(&p, "fx_if", (fx_nodes){&predicate, 1}))
        made = p.b.stop;
    else if (predicate->shape.dtype != FX_BOOL || predicate->shape.rank != 0)
        made = fxi_build_refuse(&p.b, FX_ERROR_SHAPE, "the predicate is %s instead of (bool)",
                                fx_shape_to_text(&predicate->shape).s);
    else
        made = make_if(&p, predicate, branches, 2, n_results, user);
    return fxi_build_results(made, results, n_results);
}

/* The index as an int32 that is in range. */
static fx_node *branch_index(fx_node *index, size_t n) {
    fx_node *last = fx_scalar_int(index->graph, FX_S32, (int64_t)n - 1);
    fx_node *wide = fx_convert(index, index->shape.dtype == FX_U64 ? FX_U64 : FX_S64);
    fx_node *limit = fx_scalar_int(index->graph, wide->shape.dtype, (int64_t)n);
    fx_node *inside = fx_less(wide, limit);
    if (wide->shape.dtype == FX_S64)
        inside = fx_and(inside, fx_greater_or_equal(wide, fx_scalar_int(index->graph, FX_S64, 0)));
    return fx_where(inside, fx_convert(wide, FX_S32), last);
}

fx_node *fx_switch(fx_node *index, const fx_fn *branches, size_t n_branches, size_t n_results, void *user,
                   fx_node **results) {
    parts p;
    fx_node *made;
    if (!begin(&p, "fx_switch", (fx_nodes){&index, 1}))
        made = p.b.stop;
    else if (!fx_dtype_is_integer(index->shape.dtype) || index->shape.rank != 0)
        made = fxi_build_refuse(&p.b, FX_ERROR_SHAPE, "the index is %s instead of an integer scalar",
                                fx_shape_to_text(&index->shape).s);
    else if (!branches || n_branches == 0 || n_branches > INT32_MAX)
        made = refuse(&p, FX_ERROR_ARGUMENT,
                      branches ? "there is no branch, or too many" : "the branches are NULL");
    else
        made = make_if(&p, branch_index(index, n_branches), branches, n_branches, n_results, user);
    return fxi_build_results(made, results, n_results);
}

/* ---- scan ---- */

static bool check_inputs(parts *p, fx_nodes inputs, int64_t length) {
    for (size_t i = 0; i < inputs.n; i++) {
        const fx_shape *x = &inputs.v[i]->shape;
        if (x->rank > 0 && x->dims[0] == length) continue;
        fxi_build_refuse(&p->b, FX_ERROR_SHAPE, "input %zu is %s: it has no leading axis of length %lld", i,
                         fx_shape_to_text(x).s, (long long)length);
        return false;
    }
    return true;
}

static fx_node *make_scan(parts *p, size_t states, size_t inputs, int64_t length, size_t n_stacked,
                          bool backwards, fx_fn body, void *user) {
    for (size_t i = 0; p->ok && i < states + inputs; i++) {
        fx_shape shape = p->operands.data[i]->shape;
        if (i >= states) shape = fx_shape_make(shape.dtype, shape.dims + 1, (size_t)shape.rank - 1);
        add_shape(p, &shape);
    }
    fx_graph *made = build_body(p, body, user, states + n_stacked);
    if (made) add_captures(p, made);
    if (!made && p->ok) {
        free_parts(p);
        return p->b.stop;
    }
    const fxi_attr attrs[] = {
        fxi_attr_graphs(FXI_ATTR_BODIES, &made, 1), fxi_attr_int(FXI_ATTR_STATES, (int64_t)states),
        fxi_attr_int(FXI_ATTR_INPUTS, (int64_t)inputs), fxi_attr_int(FXI_ATTR_LENGTH, length),
        fxi_attr_int(FXI_ATTR_BACKWARDS, backwards)};
    return finish_node(p, FX_OP_SCAN, attrs, 5);
}

static fx_node *scan(const char *name, fx_nodes states, fx_nodes inputs, int64_t length, size_t n_stacked,
                     bool backwards, fx_fn body, void *user, fx_node **results) {
    parts p = {.ok = true};
    size_t n_states = states.v ? states.n : 0, n_inputs = inputs.v ? inputs.n : 0;
    for (size_t i = 0; i < n_states; i++) add_operand(&p, states.v[i]);
    for (size_t i = 0; i < n_inputs; i++) add_operand(&p, inputs.v[i]);
    fx_node *made;
    if (!p.ok) { /* the list is not whole: the graph is that of the arguments */
        fx_nodes known = n_states ? states : (fx_nodes){inputs.v, n_inputs};
        bool begun = fxi_build_begin(&p.b, name, known.v, known.n);
        made = begun ? refuse(&p, FX_ERROR_MEMORY, "out of memory") : p.b.stop;
    } else if (!fxi_build_begin(&p.b, name, p.operands.data, p.operands.count)) {
        made = p.b.stop;
    } else if (length < 0 || n_states + n_stacked == 0 || n_stacked > UINT32_MAX) {
        made = refuse(&p, FX_ERROR_ARGUMENT,
                      length < 0 ? "the length is negative"
                                 : "there is neither a state nor a result, or too many");
    } else if (!check_inputs(&p, (fx_nodes){inputs.v, n_inputs}, length)) {
        made = p.b.stop;
    } else {
        made = make_scan(&p, n_states, n_inputs, length, n_stacked, backwards, body, user);
        return fxi_build_results(made, results, n_states + n_stacked);
    }
    free_parts(&p);
    return fxi_build_results(made, results, n_states + n_stacked);
}

fx_node *fxi_build_scan(const char *name, fx_nodes inputs, int64_t length, size_t n_results, fx_fn body,
                        void *user) {
    return scan(name, (fx_nodes){NULL, 0}, inputs, length, n_results, false, body, user, NULL);
}

fx_node *fx_scan(fx_nodes states, fx_nodes inputs, int64_t length, size_t n_stacked, fx_fn body, void *user,
                 fx_node **results) {
    return scan("fx_scan", states, inputs, length, n_stacked, false, body, user, results);
}

fx_node *fx_scan_reverse(fx_nodes states, fx_nodes inputs, int64_t length, size_t n_stacked, fx_fn body,
                         void *user, fx_node **results) {
    return scan("fx_scan_reverse", states, inputs, length, n_stacked, true, body, user, results);
}

/* ---- for: a scan over the numbers of the rounds ---- */

typedef struct for_body {
    fx_fn body;
    void *user;
} for_body;

/* The scan gives the states first and the slice last; the body wants the round first. */
static void round_body(fx_graph *graph, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    const for_body *f = user;
    fx_node **given = fxi_alloc_zeroed(n_in, sizeof(fx_node *));
    if (!given) {
        fxi_build_fail(graph, FX_ERROR_MEMORY, "fx_for: out of memory");
        return;
    }
    given[0] = in[n_in - 1];
    for (size_t i = 1; i < n_in; i++) given[i] = in[i - 1];
    f->body(graph, given, n_in, out, n_out, f->user);
    fxi_free(given);
}

fx_node *fx_for(int64_t count, fx_nodes states, fx_fn body, void *user, fx_node **results) {
    fxi_build b;
    const fx_shape shape = {.dtype = FX_S64, .rank = 1, .dims = {count}};
    fx_node *made;
    if (!fxi_build_begin(&b, "fx_for", states.v, states.v ? states.n : 0)) {
        made = b.stop;
    } else if (count < 0 || !body) {
        made = fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "%s",
                                body ? "the count is negative" : "the closure is NULL");
    } else {
        for_body f = {body, user};
        fx_node *rounds = fx_iota(b.graph, &shape, 0);
        return scan("fx_for", states, (fx_nodes){&rounds, 1}, count, 0, false, round_body, &f, results);
    }
    return fxi_build_results(made, results, states.v ? states.n : 0);
}
