/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing of equal nodes: same operation, same operands, same attributes, same shape. Operands are already
 * shared when a node is looked up, so comparing pointers is enough and one walk finds everything. Parameters
 * are never equal. */
#include "rewrite.h"
#include <string.h>

static uint64_t hash_node(const fx_node *n) {
    uint64_t hash = fxi_hash_u64((uint64_t)n->op, fxi_attrs_hash(n));
    for (uint32_t i = 0; i < n->operand_count; i++) hash = fxi_hash_u64((uint64_t)n->operands[i]->id, hash);
    hash = fxi_hash_u64((uint64_t)n->shape.dtype, hash);
    for (int i = 0; i < n->shape.rank; i++) hash = fxi_hash_u64((uint64_t)n->shape.dims[i], hash);
    return hash;
}

static bool equal_node(const void *value, const void *key) {
    const fx_node *a = value, *b = key;
    if (a->op != b->op || a->operand_count != b->operand_count || !fx_shape_equal(&a->shape, &b->shape))
        return false;
    if (a->operand_count && memcmp(a->operands, b->operands, a->operand_count * sizeof *a->operands) != 0)
        return false;
    return fxi_attrs_equal(a, b);
}

/* A node that exists only to be compared. */
static fx_node draft_node(const fxi_draft *d) {
    fx_node n = {.op = d->op,
                 .operands = d->all,
                 .attrs = d->attrs,
                 .operand_count = (uint32_t)d->operand_count,
                 .attr_count = (uint32_t)d->attr_count};
    n.shape = *d->shape;
    return n;
}

fx_node *fxi_rewrite_add(fxi_rewrite *r, const fxi_draft *d) {
    fx_node key = draft_node(d);
    bool shared = d->op != FX_OP_PARAMETER;
    uint64_t hash = shared ? hash_node(&key) : 0;
    fx_node *made = shared ? fxi_map_find(&r->equal, hash, &key, equal_node) : NULL;
    if (made) return made;
    if (d->op == FX_OP_PARAMETER)
        made = fx_parameter(r->graph, d->shape);
    else
        made = fxi_node_make(&(fxi_node_spec){.graph = r->graph,
                                              .op = d->op,
                                              .operands = d->all,
                                              .operand_count = d->operand_count,
                                              .attrs = d->attrs,
                                              .attr_count = d->attr_count,
                                              .shape = d->shape});
    if (!made || made->op == FX_OP_INERT || (shared && !fxi_map_put(&r->equal, hash, made))) {
        r->failed = true;
        return NULL;
    }
    return made;
}
