/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of src/grad share: the rules of operations, and the walk that both modes of
 * differentiation make over a graph and the graphs that enclose it.
 *
 * A rule makes nodes and nothing else, so derivatives can be differentiated again. An adjoint or tangent that
 * is NULL is zero; rules never make zeros where NULL will do. Rules of elementwise, select, gather and
 * reduce operations multiply with strong_mul(adjoint, partial), zero exactly where the adjoint is, so that
 * an infinite local derivative that nobody asked for does no harm; contractions and transforms stay IEEE.
 *
 * Complex values: the adjoint of z = x + iy is dL/dx + i dL/dy, and rules keep Re<u, jvp t> = Re<vjp u, t>,
 * so every transpose is Hermitian: the adjoint of a holomorphic function is adjoint * conj(f'). */
#ifndef FXI_GRAD_INTERNAL_H
#define FXI_GRAD_INTERNAL_H

#include "ops/ops.h"

/* What a reverse rule is given. Values come from `n` alone: it is the node, or a twin that computes it again
 * (checkpoint.c), whose operands may be twins too. */
typedef struct fxi_vjp {
    const fxi_build *b;
    fx_node *n;
    fx_node *const *adjoints; /* one per result, NULL: zero; not all are NULL */
    const bool *wanted;       /* per operand: whether its adjoint is asked for; never of integers or bool */
    fx_node **out;            /* per operand, NULL at first: the adjoint, of the operand's dtype and shape */
} fxi_vjp;

/* What a forward rule is given. */
typedef struct fxi_jvp {
    const fxi_build *b;
    fx_node *n;
    fx_node *const *tangents; /* one per operand, NULL: zero; not all are NULL */
    fx_node **out;            /* per result, NULL at first: the tangent, of the result's dtype and shape */
} fxi_jvp;

/* The derivative of an operation with one result by operand i, in which it is holomorphic: a node of n's
 * shape. NULL: zero. */
typedef fx_node *(*fxi_partial)(const fxi_build *b, fx_node *n, uint32_t i);

/* The column `gradient` of ops.def: word w is rule fxi_gradrule_w. A rule has a partial, from which both
 * modes are made, or functions for both modes, or says why it has none. A failure is left in the graph. */
typedef struct fxi_grad_rule {
    fxi_partial partial;
    void (*vjp)(const fxi_vjp *v);
    void (*jvp)(const fxi_jvp *j);
    bool zero; /* the derivative is zero almost everywhere: nothing depends on anything through it */
    const char *refusal; /* why there is no derivative, completes "fx_x has no derivative: ..." */
} fxi_grad_rule;

const fxi_grad_rule *fxi_grad_rule_of(fx_op op); /* grad_rules.c */
/* Whether nothing depends on anything through the node: by its rule, or as fx_stop_gradient. */
static inline bool fxi_grad_stops(const fx_node *n) {
    bool stopped = n->op == FX_OP_BARRIER && fxi_node_int(n, FXI_ATTR_MARK) == FXI_MARK_STOPPED;
    return stopped || fxi_grad_rule_of(n->op)->zero;
}

/* ---- parts of rules (grad_parts.c) ---- */

/* Whether values of that dtype have derivatives. */
bool fxi_grad_carries(fx_dtype dtype);
/* The dtype of their adjoints and tangents inside the walk: float32 for float8, which nothing can be computed
 * in and few adjoints would fit; the dtype itself else. */
fx_dtype fxi_grad_dtype(fx_dtype dtype);
/* Whether value can be the adjoint or tangent of something of that shape. */
bool fxi_grad_fits(const fx_node *value, const fx_shape *shape);
/* The sum of two, either of which may be NULL. */
fx_node *fxi_grad_sum(fx_node *x, fx_node *y);
/* grad_pads.c: the same of two that are zero outside of parts next to each other; NULL: they are not. */
fx_node *fxi_grad_join_pads(fx_node *x, fx_node *y);
/* x, or zeros of that shape for NULL. */
fx_node *fxi_grad_or_zeros(const fxi_build *b, fx_node *x, const fx_shape *shape);
/* The conjugate of a complex node, others as they are. */
fx_node *fxi_grad_conj(fx_node *x);
/* strong_mul(value, partial), or the plain product or one factor where it is the same but for the sign of a
 * zero: the partial is finite whatever its operands are, or the value is a constant that is not zero. */
fx_node *fxi_grad_times(fx_node *value, fx_node *partial);
/* That number in x's dimensions, hidden. */
fx_node *fxi_grad_filled(const fx_node *x, fx_dtype dtype, double value);
/* strong_div(value, divisor), worked out here when both are constants: a mean's adjoint is a constant. */
fx_node *fxi_grad_over(fx_node *value, fx_node *divisor);
/* f'(x) of an operation with one operand, from x and y = f(x). Half types are given as float32, and what
 * comes back is rounded once. */
typedef fx_node *(*fxi_derivative)(const fxi_build *b, fx_node *x, fx_node *y);
fx_node *fxi_grad_unary(const fxi_build *b, fx_node *n, fxi_derivative f);
#define FXI_UNARY_RULE(word, f)                                                                              \
    static fx_node *partial_##word(const fxi_build *b, fx_node *n, uint32_t i) {                             \
        (void)i;                                                                                             \
        return fxi_grad_unary(b, n, f);                                                                      \
    }                                                                                                        \
    const fxi_grad_rule fxi_gradrule_##word = {.partial = partial_##word};
/* A scalar of x's dtype. */
fx_node *fxi_grad_number(const fxi_build *b, const fx_node *x, double value);
/* The constant 1, as the adjoint of a loss. */
fx_node *fxi_grad_seed(const fxi_build *b, fx_dtype dtype);
/* Whether x is the same real number everywhere, and which; only of hidden nodes, since any other, constants
 * too, may be a variable in a derivative that is asked for later. */
bool fxi_grad_splat(const fx_node *x, double *value);
/* jvp of what is linear in its first `linear` operands together (concatenate; pad of x and value): the node
 * itself on the tangents, zeros for those that have none. */
void fxi_jvp_linear(const fxi_jvp *j, uint32_t linear);
/* jvp of what is linear in operand 0 and in operand 1 apart (products). */
void fxi_jvp_bilinear(const fxi_jvp *j);

/* The dtype in which derivatives of that dtype are put together: float32 for halves (fxi_build_wide). */
fx_dtype fxi_grad_wide_dtype(fx_dtype dtype);
/* Whether x and y are equal, or both NaN; bool. */
fx_node *fxi_grad_same(fx_node *x, fx_node *y);

/* Places that `count` elements span, `distance` apart; count is positive. Both are those of a node with
 * windows, so what they span fits into 61 bits. */
static inline int64_t fxi_grad_span(int64_t count, int64_t distance) {
    return (count - 1) * distance + 1;
}

/* ---- recurrences along an axis (rule_cumulative.c) ---- */

/* Per element the product of those before it, of those after it when backwards; 1 for none. */
fx_node *fxi_grad_product_before(const fxi_build *b, fx_node *x, int axis, bool backwards);
/* Refuses: n has no derivative in this case. */
void fxi_grad_refuse_node(const fxi_build *b, const fx_node *n, const char *why);

/* ---- windows of an array at computed places (rule_index.c) ---- n is a gather or scatter; sizes: of the
 * window, per axis of its operand 0. */

enum { FXI_WINDOW_ATTRS = 7 };
/* The attributes of a gather or scatter of the same windows as n's: `first` is its SIZES or COMBINE. */
void fxi_grad_window_attrs(const fx_node *n, fxi_attr first, fxi_attr *attrs);
/* The largest start of each component of an index: a scalar or of the indices' shape and dtype. */
fx_node *fxi_grad_last_starts(const fxi_build *b, const fx_node *n, const int64_t *sizes);

/* ---- the walk (grad_walk.c) ---- */

/* One graph of the chain from the graph in which derivatives are built out to the outermost. Arrays are by
 * node id, for the nodes that were there when the walk began. */
typedef struct fxi_grad_level {
    fx_graph *graph;
    size_t count;
    bool *active;    /* depends on a node of interest and has a dtype with derivatives */
    bool *needed;    /* an output depends on it by way of active nodes */
    size_t *slot;    /* of a node's first result; further results have the next ones */
    fx_node **value; /* by slot: adjoint or tangent */
    bool *again;     /* computed again by reverse mode; NULL: there is no checkpoint (checkpoint.c) */
    fx_node **twin;  /* with again: the second computation, NULL: not made */
    size_t captures, copies; /* how many of the graph's were there */
} fxi_grad_level;

typedef struct fxi_grad_walk {
    fxi_build build;
    fxi_grad_level level[FXI_MAX_NESTING + 1]; /* the innermost first */
    int levels;
    FXI_VEC(fx_node *) room; /* for lists of a rule's operands and results */
    FXI_VEC(int64_t) stack;  /* of twins to be made */
} fxi_grad_walk;

/* Begins a walk in the innermost graph of the lists, marking what depends on `from` and what `to` depends on.
 * NULL among the others stands for zero. False after refusing. fxi_grad_walk_free in any case. */
bool fxi_grad_walk_begin(fxi_grad_walk *w, const char *name, fx_nodes from, fx_nodes to, fx_nodes others);
void fxi_grad_walk_free(fxi_grad_walk *w);
/* The place of the value of a node: RESULT nodes share those of their operand. NULL: not in the walk. */
fx_node **fxi_grad_place(fxi_grad_walk *w, const fx_node *node);
/* Adds to an adjoint, after checking that it has the node's shape. */
void fxi_grad_add(fxi_grad_walk *w, fx_node **place, const fx_node *node, fx_node *value);
/* The links of a level to those around it, captured values and copied constants: i counts from 0 to
 * fxi_grad_links. */
static inline size_t fxi_grad_links(const fxi_grad_level *level) {
    return level->captures + level->copies;
}
static inline const fxi_capture *fxi_grad_link(const fxi_grad_level *level, size_t i) {
    bool captured = i < level->captures;
    return captured ? level->graph->captures.data[i] : level->graph->copies.data[i - level->captures];
}
/* Marks what depends on active nodes, and the active nodes that needed ones depend on, in one graph: the
 * other members of the level may be missing. */
void fxi_grad_mark_active(fxi_grad_level *level);
void fxi_grad_mark_needed(const fxi_grad_level *level);
/* A result for the caller in its dtype, not hidden any more; NULL stays. */
fx_node *fxi_grad_show(fx_node *result, fx_dtype dtype);
/* Whether operand i of n takes part in derivatives. */
bool fxi_grad_takes_part(const fxi_grad_level *level, const fx_node *n, uint32_t i);
/* Nodes made since `since` take the place (file:line) of n, if they have none, and are hidden. */
void fxi_grad_stamp(const fxi_grad_walk *w, size_t since, const fx_node *n);
static inline bool fxi_grad_failed(const fxi_grad_walk *w) {
    return w->build.graph->error.code != FX_OK;
}
/* Refuses: n has no derivative, because its rule says so. */
void fxi_grad_refuse(const fxi_grad_walk *w, const fx_node *n);

/* ---- checkpoints (checkpoint.c) ---- */

/* Marks what is computed again; false: no memory. */
bool fxi_twins_begin(fxi_grad_level *level);
/* n, or where it is computed again its twin, which waits for trigger. */
fx_node *fxi_twin_of(fxi_grad_walk *w, fxi_grad_level *level, fx_node *n, fx_node *trigger);

/* ---- closures with tangents (grad_dual.c) ---- */

/* A body run together with its tangents. Inputs: each group of the body's parameters (they end before
 * ends[0], ends[1], ...), followed by the tangents of those that have one. Outputs: of the first `states`
 * outputs those that are asked for and then their tangents, then the same of the rest. */
typedef struct fxi_dual {
    const char *name;
    fx_graph *body;
    const size_t *ends;
    size_t groups, states;
    const bool *tangent;     /* per parameter */
    const bool *value_out;   /* per output */
    const bool *tangent_out; /* per output; one that does not depend on tangents is zeros */
} fxi_dual;

/* The closure in b's graph; NULL after refusing. */
fx_graph *fxi_dual_build(const fxi_build *b, const fxi_dual *d);
/* Adds the operands that its inputs are given: operands and tangents by parameter; tangents may be NULL:
 * zero. False: no memory. */
bool fxi_dual_operands(const fxi_build *b, const fxi_dual *d, fx_node *const *operands,
                       fx_node *const *tangents, fxi_nodes *list);
/* Marks the states that get a tangent because others have (a fixed point over the rounds), in `tangent`, and
 * the outputs that then have one, in `out`. False: no memory. */
bool fxi_dual_spread(fx_graph *body, size_t states, bool *tangent, bool *out);

/* ---- first checks (grad_begin.c) ---- */

typedef struct fxi_grad_list {
    fx_nodes nodes;
    const char *what; /* one of them, for messages: "output" */
    bool may_be_null;
} fxi_grad_list;
/* Begins a public function in the innermost graph of all lists; false after refusing, there, a list without
 * nodes, a NULL, a node of a graph that has nothing to do with it. */
bool fxi_grad_begin(fxi_build *b, const char *name, const fxi_grad_list *lists, size_t n);
/* False after refusing, unless the loss is a scalar of a float dtype. */
bool fxi_grad_check_loss(const fxi_build *b, const fx_node *loss);

/* ---- the two modes on nodes (reverse.c, forward.c) ---- Lists as in grad.h, the name begins messages; NULL
 * in place of a node: zero. results[i] NULL: the derivative is zero everywhere. False after refusing. */
bool fxi_reverse(const char *name, fx_nodes outputs, fx_node *const *adjoints, fx_nodes wrt,
                 fx_node **results);
bool fxi_forward(const char *name, fx_nodes outputs, fx_nodes wrt, fx_node *const *tangents,
                 fx_node **results);

#endif
