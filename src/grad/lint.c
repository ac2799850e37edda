/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes on the way have derivatives that can be infinite or NaN: a table of operations and of where
 * that happens, and what is known of the signs of their operands (lint_signs.c). */
#include "lint_internal.h"
#include <fluxion/lint.h>

typedef enum need { NOTHING_HELPS, POSITIVE_X, NONNEGATIVE_X, NONZERO_X, NONZERO_Y, POWER } need;

typedef struct risk {
    const char *where; /* NULL: none */
    need need;         /* what makes it safe */
} risk;

static const risk risks[FX_OP_COUNT] = {
    [FX_OP_SQRT] = {"x <= 0", POSITIVE_X},
    [FX_OP_RSQRT] = {"x <= 0", POSITIVE_X},
    [FX_OP_CBRT] = {"x = 0", NONZERO_X},
    [FX_OP_LOG] = {"x <= 0", POSITIVE_X},
    [FX_OP_LOG2] = {"x <= 0", POSITIVE_X},
    [FX_OP_LOG10] = {"x <= 0", POSITIVE_X},
    [FX_OP_LOG1P] = {"x <= -1", NONNEGATIVE_X},
    [FX_OP_ASIN] = {"|x| >= 1", NOTHING_HELPS},
    [FX_OP_ACOS] = {"|x| >= 1", NOTHING_HELPS},
    [FX_OP_ACOSH] = {"x <= 1", NOTHING_HELPS},
    [FX_OP_ATANH] = {"|x| >= 1", NOTHING_HELPS},
    [FX_OP_ERF_INV] = {"|x| >= 1", NOTHING_HELPS},
    [FX_OP_LGAMMA] = {"x = 0, -1, -2, ...", POSITIVE_X},
    [FX_OP_DIGAMMA] = {"x = 0, -1, -2, ...", POSITIVE_X},
    [FX_OP_DIV] = {"y = 0", NONZERO_Y},
    [FX_OP_STRONG_DIV] = {"y = 0", NONZERO_Y},
    [FX_OP_REM] = {"y = 0", NONZERO_Y},
    [FX_OP_POW] = {"x <= 0", POWER},
    [FX_OP_ATAN2] = {"x = y = 0", NONZERO_Y},
    [FX_OP_CHOLESKY] = {"x is not positive definite", NOTHING_HELPS},
    [FX_OP_TRIANGULAR_SOLVE] = {"a zero on the diagonal of x", NOTHING_HELPS},
    [FX_OP_LU] = {"x is singular", NOTHING_HELPS},
    [FX_OP_QR] = {"dependent columns of x", NOTHING_HELPS},
    [FX_OP_EIGH] = {"equal eigenvalues of x", NOTHING_HELPS},
    [FX_OP_SVD] = {"equal or zero singular values of x", NOTHING_HELPS},
};

/* x^y is smooth for positive x, and for constant y = 0 or y >= 1 at zero too. */
static bool is_smooth_power(const fxi_signs *s, const fx_node *n) {
    const fx_node *y = fxi_signs_source(n->operands[1]);
    if (fxi_signs_of(s, n->operands[0]) & FXI_POSITIVE) return true;
    if (y->op != FX_OP_CONSTANT || fx_shape_size(&y->shape) != 1) return false;
    double value = fx_tensor_get(fxi_node_attr(y, FXI_ATTR_VALUE)->u.tensor, 0);
    return value == 0 || value >= 1;
}

static bool is_safe(const fxi_signs *s, const fx_node *n, need wanted) {
    switch (wanted) {
    case POSITIVE_X: return fxi_signs_of(s, n->operands[0]) & FXI_POSITIVE;
    case NONNEGATIVE_X: return fxi_signs_of(s, n->operands[0]) & FXI_NONNEGATIVE;
    case NONZERO_X: return fxi_signs_of(s, n->operands[0]) & FXI_NONZERO;
    case NONZERO_Y: return fxi_signs_of(s, n->operands[1]) & FXI_NONZERO;
    case POWER: return is_smooth_power(s, n);
    default: return false;
    }
}

/* ---- the search ---- */

typedef struct search {
    fx_lint *list;
    size_t capacity, count;
    bool ok; /* false: no memory */
} search;

static void look_at(search *out, const fxi_signs *signs, const fx_node *n) {
    const risk *r = &risks[n->op];
    if (!r->where || is_safe(signs, n, r->need)) return;
    if (out->count < out->capacity)
        out->list[out->count] =
            (fx_lint){.node = n, .op = fx_node_op(n), .where = r->where, .file = n->file, .line = n->line};
    out->count++;
}

typedef struct ends {
    const fx_graph *graph;
    fx_node *const *from, *const *to;
    size_t n_from, n_to;
} ends;

static void search_graph(search *out, const ends *e);

/* A closure of a node on the way: from all of its parameters. Recursion ends: closures nest 64 deep. */
static void search_bodies(search *out, const fx_node *n) {
    fxi_graphs bodies = fxi_node_bodies(n);
    for (size_t i = 0; i < bodies.n && out->ok; i++) {
        const fx_graph *g = bodies.v[i];
        search_graph(out, &(ends){g, g->parameters.data, g->outputs, g->parameters.count, g->output_count});
    }
}

static void mark(const ends *e, bool *active, bool *needed) {
    for (size_t i = 0; i < e->n_from; i++)
        active[e->from[i]->id] |=
            e->graph->parameters.data != e->from || fxi_grad_carries(e->from[i]->shape.dtype);
    for (size_t i = 0; i < e->n_to; i++) needed[e->to[i]->id] = true;
    for (size_t id = 0; id < e->graph->nodes.count; id++) {
        const fx_node *n = e->graph->nodes.data[id];
        for (uint32_t k = 0; k < n->operand_count && !fxi_grad_stops(n); k++)
            active[id] |= active[n->operands[k]->id];
    }
    for (size_t id = e->graph->nodes.count; id-- > 0;)
        for (uint32_t k = 0; needed[id] && k < e->graph->nodes.data[id]->operand_count; k++)
            needed[e->graph->nodes.data[id]->operands[k]->id] = true;
}

static void search_graph(search *out, const ends *e) {
    size_t count = e->graph->nodes.count;
    bool *active = fxi_alloc_zeroed(count + 1, 1), *needed = fxi_alloc_zeroed(count + 1, 1);
    fxi_signs signs = {e->graph, fxi_alloc_zeroed(count + 1, 1)};
    out->ok = out->ok && active && needed && signs.known;
    if (out->ok) {
        mark(e, active, needed);
        fxi_signs_find(&signs);
    }
    for (size_t id = 0; id < count && out->ok; id++) {
        const fx_node *n = e->graph->nodes.data[id];
        if (!active[id] || !needed[id]) continue;
        look_at(out, &signs, n);
        search_bodies(out, n);
    }
    fxi_free(active);
    fxi_free(needed);
    fxi_free(signs.known);
}

static bool all_of(const fx_graph *graph, fx_nodes nodes) {
    for (size_t i = 0; i < nodes.n; i++)
        if (!nodes.v[i] || nodes.v[i]->op == FX_OP_INERT || nodes.v[i]->graph != graph) return false;
    return nodes.n > 0;
}

size_t fx_gradient_lint(fx_nodes outputs, fx_nodes wrt, fx_lint *list, size_t capacity) {
    search out = {.list = list, .capacity = list ? capacity : 0, .ok = true};
    const fx_graph *graph = outputs.v && outputs.n ? fx_node_graph(outputs.v[0]) : NULL;
    if (!graph || !wrt.v || !all_of(graph, outputs) || !all_of(graph, wrt)) return 0;
    search_graph(&out, &(ends){graph, wrt.v, outputs.v, wrt.n, outputs.n});
    return out.ok ? out.count : 0;
}
