/* SPDX-License-Identifier: Apache-2.0 */
/* A graph of scalars as one of vectors. A node that depends on a lifted parameter becomes a vector, which
 * is right for operations that work element by element; what they combine it with, and the output, is
 * broadcast. All other nodes are copied. A lifted node of any other operation, or with axes, makes it
 * impossible. */
#include "program.h"

typedef struct lift {
    const fx_graph *body;
    fx_graph *graph;
    fx_shape lanes;   /* any dtype */
    fx_node **copies; /* by node of body; NULL: not needed */
    bool *wide;       /* by node of body */
    bool possible;
} lift;

static fx_node *make(const lift *l, const fx_node *model, fx_node *const *operands, size_t count,
                     const fx_shape *shape) {
    const fxi_node_spec spec = {.graph = l->graph,
                                .op = model->op,
                                .operands = operands,
                                .operand_count = count,
                                .attrs = model->attrs,
                                .attr_count = model->attr_count,
                                .shape = shape};
    return fxi_node_make(&spec);
}

static fx_shape wide_shape(const lift *l, fx_dtype dtype) {
    fx_shape shape = l->lanes;
    shape.dtype = dtype;
    return shape;
}

/* The copy of a scalar as a vector. */
static fx_node *widened(const lift *l, const fx_node *n) {
    fx_node *copy = l->copies[n->id];
    if (l->wide[n->id]) return copy;
    fx_shape shape = wide_shape(l, n->shape.dtype);
    const fxi_attr attr = fxi_attr_ints(FXI_ATTR_AXES, NULL, 0);
    const fxi_node_spec spec = {.graph = l->graph,
                                .op = FX_OP_BROADCAST_IN_DIM,
                                .operands = &copy,
                                .operand_count = 1,
                                .attrs = &attr,
                                .attr_count = 1,
                                .shape = &shape};
    return fxi_node_make(&spec);
}

static bool is_bitcast_in_place(const fx_node *n) {
    return n->op == FX_OP_BITCAST &&
           fx_dtype_bits(n->shape.dtype) == fx_dtype_bits(n->operands[0]->shape.dtype);
}

/* A scalar made from a lifted one. */
static fx_node *lift_node(lift *l, const fx_node *n) {
    fx_node *operands[FXI_MAP_OPERANDS];
    if (n->shape.rank == 0 && (n->op == FX_OP_RESHAPE || n->op == FX_OP_BROADCAST_IN_DIM)) {
        const fx_node *x = n->operands[0];
        l->possible &= x->shape.rank == 0;
        return l->copies[x->id];
    }
    if (n->shape.rank != 0 || n->operand_count > FXI_MAP_OPERANDS ||
        !(fxi_op_is_map(n->op) || is_bitcast_in_place(n))) {
        l->possible = false;
        return NULL;
    }
    for (uint32_t i = 0; i < n->operand_count; i++) operands[i] = widened(l, n->operands[i]);
    fx_shape shape = wide_shape(l, n->shape.dtype);
    return make(l, n, operands, n->operand_count, &shape);
}

static fx_node *copy_node(const lift *l, const fx_node *n, fx_node **operands) {
    for (uint32_t i = 0; i < n->operand_count; i++) operands[i] = l->copies[n->operands[i]->id];
    return make(l, n, operands, n->operand_count, &n->shape);
}

static bool add_parameters(lift *l, size_t lifted) {
    for (size_t i = 0; i < l->body->parameters.count; i++) {
        const fx_node *p = l->body->parameters.data[i];
        fx_shape shape = i < lifted ? wide_shape(l, p->shape.dtype) : p->shape;
        l->wide[p->id] = i < lifted;
        l->copies[p->id] = fx_parameter(l->graph, &shape);
        if (!l->copies[p->id]) return false;
    }
    return true;
}

/* Marks what the output needs. */
static void mark_needed(const lift *l, bool *needed) {
    needed[l->body->outputs[0]->id] = true;
    for (size_t i = l->body->nodes.count; i-- > 0;) {
        const fx_node *n = l->body->nodes.data[i];
        for (uint32_t k = 0; needed[i] && k < n->operand_count; k++) needed[n->operands[k]->id] = true;
    }
}

static void copy_nodes(lift *l, const bool *needed, fx_node **operands) {
    for (size_t i = 0; l->possible && i < l->body->nodes.count; i++) {
        const fx_node *n = l->body->nodes.data[i];
        if (!needed[i] || n->op == FX_OP_PARAMETER) continue;
        for (uint32_t k = 0; k < n->operand_count; k++) l->wide[i] |= l->wide[n->operands[k]->id];
        l->copies[i] = l->wide[i] ? lift_node(l, n) : copy_node(l, n, operands);
    }
}

static bool lift_all(lift *l, size_t lifted, fx_error *err) {
    size_t count = l->body->nodes.count, most = 0;
    for (size_t i = 0; i < count; i++)
        if (l->body->nodes.data[i]->operand_count > most) most = l->body->nodes.data[i]->operand_count;
    bool *needed = fxi_alloc_zeroed(count, sizeof(bool));
    fx_node **operands = fxi_alloc_zeroed(most, sizeof(fx_node *));
    l->wide = fxi_alloc_zeroed(count, sizeof(bool));
    l->copies = fxi_alloc_zeroed(count, sizeof(fx_node *));
    bool ok = needed && operands && l->wide && l->copies && add_parameters(l, lifted);
    if (ok) {
        mark_needed(l, needed);
        copy_nodes(l, needed, operands);
    }
    fxi_free(needed);
    fxi_free(operands);
    if (!ok) return fxi_fail_memory(err, "program");
    if (!l->possible) return true;
    fx_node *out = widened(l, l->body->outputs[0]);
    return fx_graph_finish(l->graph, (fx_nodes){&out, 1}, err);
}

fx_graph *fxi_lift(const fx_graph *body, size_t lifted, int64_t lanes, fx_error *err) {
    lift l = {.body = body, .lanes = {.rank = 1, .dims = {lanes}}, .possible = true};
    l.graph = fx_graph_new(err);
    if (!l.graph) return NULL;
    bool ok = lift_all(&l, lifted, err);
    fxi_free(l.wide);
    fxi_free(l.copies);
    if (ok && l.possible) return l.graph;
    fx_graph_free(l.graph);
    return NULL;
}
