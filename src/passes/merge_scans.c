/* SPDX-License-Identifier: Apache-2.0 */
/* Merging of scans that carry the same states over the same operands. Reverse mode makes, beside a scan,
 * another one that also stacks what the derivative needs (grad/scan_rule.h), one more for every gradient
 * that is asked for; here they become one scan that stacks everything, each thing once.
 *
 * Two bodies are put into one graph, on the same parameters, where equal nodes are shared. If the new
 * states then are the same nodes, the union is the body of both. This comes before all other passes, so
 * the second body still is a copy of the first with more nodes. */
#include "merge_scans.h"
#include <string.h>

/* Per node of the graph: a scan that takes others in has a body of its own, one that was taken in a
 * leader. */
typedef struct merging {
    int64_t leader;  /* -1: none */
    fx_graph *body;  /* NULL: as it was */
    size_t *numbers; /* of a scan that was taken in: the leader's number of each of its results */
} merging;

/* ---- two bodies ---- */

typedef struct joined {
    fxi_rewrite r;
    fx_node **first, **second; /* by ids of the two bodies */
    FXI_VEC(fx_node *) outputs;
} joined;

static bool copy_nodes(joined *u, const fx_graph *a, const fx_graph *b) {
    for (size_t i = 0; i < a->nodes.count; i++) FX_TRY(fxi_rewrite_copy(&u->r, a->nodes.data[i], u->first));
    for (size_t i = 0; i < b->parameters.count; i++)
        u->second[b->parameters.data[i]->id] = u->first[a->parameters.data[i]->id];
    for (size_t i = 0; i < b->nodes.count; i++)
        if (!u->second[i]) FX_TRY(fxi_rewrite_copy(&u->r, b->nodes.data[i], u->second));
    for (size_t i = 0; i < a->output_count; i++) FX_TRY(FXI_PUSH(&u->outputs, u->first[a->outputs[i]->id]));
    return true;
}

static bool same_states(const joined *u, const fx_graph *b, size_t states) {
    for (size_t i = 0; i < states; i++)
        if (u->outputs.data[i] != u->second[b->outputs[i]->id]) return false;
    return true;
}

/* The place of each output of b among those of the union. */
static bool number_outputs(joined *u, const fx_graph *b, size_t states, size_t *numbers) {
    for (size_t i = 0; i < b->output_count; i++) {
        fx_node *x = u->second[b->outputs[i]->id];
        size_t at = i < states ? i : states;
        while (at < u->outputs.count && u->outputs.data[at] != x) at++;
        if (at == u->outputs.count) FX_TRY(FXI_PUSH(&u->outputs, x));
        numbers[i] = at;
    }
    return true;
}

/* *made: the union, or NULL when the bodies carry different states. False: no memory. */
static bool join(joined *u, const fx_graph *a, const fx_graph *b, size_t states, size_t *numbers,
                 fx_graph **made) {
    u->r.graph = fx_graph_new(NULL);
    u->first = fxi_alloc_zeroed(a->nodes.count + 1, sizeof *u->first);
    u->second = fxi_alloc_zeroed(b->nodes.count + 1, sizeof *u->second);
    FX_TRY(u->r.graph && u->first && u->second && copy_nodes(u, a, b));
    if (!same_states(u, b, states)) return true;
    FX_TRY(number_outputs(u, b, states, numbers));
    FX_TRY(fx_graph_finish(u->r.graph, (fx_nodes){u->outputs.data, u->outputs.count}, NULL));
    *made = u->r.graph;
    return true;
}

static bool join_bodies(const fx_graph *a, const fx_graph *b, size_t states, size_t *numbers,
                        fx_graph **made) {
    joined u = {.outputs = {0}};
    *made = NULL;
    bool ok = join(&u, a, b, states, numbers, made);
    if (!*made) fx_graph_free(u.r.graph);
    fxi_rewrite_end(&u.r);
    fxi_free(u.first);
    fxi_free(u.second);
    fxi_free(u.outputs.data);
    return ok;
}

/* ---- which scans ---- */

static const fxi_attr_id compared[] = {FXI_ATTR_STATES, FXI_ATTR_INPUTS, FXI_ATTR_LENGTH, FXI_ATTR_BACKWARDS};
enum { COMPARED = sizeof compared / sizeof compared[0] };

static uint64_t hash_scan(const fx_node *n) {
    uint64_t hash = n->operand_count;
    for (int i = 0; i < COMPARED; i++) hash = fxi_hash_u64((uint64_t)fxi_node_int(n, compared[i]), hash);
    for (uint32_t i = 0; i < n->operand_count; i++) hash = fxi_hash_u64((uint64_t)n->operands[i]->id, hash);
    return hash;
}

static bool equal_scan(const void *value, const void *key) {
    const fx_node *a = value, *b = key;
    if (a->operand_count != b->operand_count) return false;
    for (int i = 0; i < COMPARED; i++)
        if (fxi_node_int(a, compared[i]) != fxi_node_int(b, compared[i])) return false;
    return a->operand_count == 0 ||
           memcmp(a->operands, b->operands, a->operand_count * sizeof *a->operands) == 0;
}

static bool take_in(merging *list, const fx_node *leader, const fx_node *n, bool *any) {
    merging *into = &list[leader->id], *from = &list[n->id];
    const fx_graph *a = into->body ? into->body : fxi_node_bodies(leader).v[0];
    fx_graph *made;
    from->numbers = fxi_alloc_zeroed(fxi_node_results(n), sizeof *from->numbers);
    FX_TRY(from->numbers &&
           join_bodies(a, fxi_node_bodies(n).v[0], fxi_node_states(n), from->numbers, &made));
    if (!made) return true;
    fx_graph_free(into->body);
    into->body = made;
    from->leader = leader->id;
    *any = true;
    return true;
}

static bool find_scans(const fx_graph *g, merging *list, fxi_map *leaders, bool *any) {
    for (size_t id = 0; id < g->nodes.count; id++) {
        fx_node *n = g->nodes.data[id];
        list[id].leader = -1;
        if (n->op != FX_OP_SCAN) continue;
        uint64_t hash = hash_scan(n);
        const fx_node *leader = fxi_map_find(leaders, hash, n, equal_scan);
        if (!leader)
            FX_TRY(fxi_map_put(leaders, hash, n));
        else if (!n->labels)
            FX_TRY(take_in(list, leader, n, any));
    }
    return true;
}

/* ---- the new graph ---- */

/* Result `number` of a scan that was taken in; n: that scan, for result 0, or the RESULT node. */
static bool copy_result(fxi_rewrite *r, const fx_graph *g, const fx_node *n, const merging *of, size_t number,
                        fx_node **map) {
    fx_node *leader = g->nodes.data[of->leader];
    const fxi_attr attr = fxi_attr_int(FXI_ATTR_RESULT, (int64_t)of->numbers[number]);
    fx_node changed = *n;
    changed.op = FX_OP_RESULT;
    changed.operands = &leader;
    changed.operand_count = 1;
    changed.attrs = &attr;
    changed.attr_count = 1;
    changed.more_count = 0;
    if (of->numbers[number] > 0) return fxi_rewrite_copy(r, &changed, map);
    map[n->id] = map[leader->id];
    return fxi_node_add_labels(map[n->id], n);
}

static bool copy_all(fxi_rewrite *r, const fx_graph *g, const merging *list, fx_node **map) {
    for (size_t id = 0; id < g->nodes.count; id++) {
        const fx_node *n = g->nodes.data[id];
        const merging *own = &list[id], *of = n->op == FX_OP_RESULT ? &list[n->operands[0]->id] : own;
        size_t number = n->op == FX_OP_RESULT ? (size_t)fxi_node_int(n, FXI_ATTR_RESULT) : 0;
        if (of->leader >= 0)
            FX_TRY(copy_result(r, g, n, of, number, map));
        else if (own->body)
            FX_TRY(fxi_rewrite_copy_with(r, n, (fxi_graphs){&own->body, 1}, map));
        else
            FX_TRY(fxi_rewrite_copy(r, n, map));
    }
    return true;
}

static bool rebuild(const fx_graph *g, const merging *list, fx_graph **made) {
    fxi_rewrite r = {.graph = fx_graph_new(NULL)};
    fx_node **map = fxi_alloc_zeroed(g->nodes.count + 1, sizeof *map);
    bool ok = r.graph && map && copy_all(&r, g, list, map) && fxi_rewrite_finish(&r, g, map, NULL);
    fxi_rewrite_end(&r);
    fxi_free(map);
    if (ok)
        *made = r.graph;
    else
        fx_graph_free(r.graph);
    return ok;
}

bool fxi_merge_scans(const fx_graph *graph, fx_graph **made, fx_error *err) {
    merging *list = fxi_alloc_zeroed(graph->nodes.count + 1, sizeof *list);
    fxi_map leaders = {0};
    bool any = false;
    *made = NULL;
    bool ok = list && find_scans(graph, list, &leaders, &any) && (!any || rebuild(graph, list, made));
    for (size_t i = 0; list && i < graph->nodes.count; i++) {
        fx_graph_free(list[i].body);
        fxi_free(list[i].numbers);
    }
    fxi_map_free(&leaders);
    fxi_free(list);
    return ok || fxi_fail_memory(err, "graph");
}
