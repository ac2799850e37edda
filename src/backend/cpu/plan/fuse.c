/* SPDX-License-Identifier: Apache-2.0 */
/* The fuser (fuse.h). Rules, from the measurements in docs/ARCHITECTURE.md:
 *   - nothing expensive is computed twice: a node that is wanted through several maps or by several
 *     clusters is materialised
 *     unless recomputing it costs less than reading it back (FXI cheap limit below), or it is a scalar;
 *   - a value behind a broadcast is wanted many times: only cheap ones and scalars stay in the consumer;
 *   - moves never cost anything: their entries are forwarded with another map;
 *   - a reduction joins its consumers' cluster when these see its result in order and exactly once;
 *   - reductions of the same rows, what is made of their results, and what uses these along the rows are
 *     one cluster (fuse_rows.c). */
#include "fuse.h"
#include "../kernels/kernels.h"
#include "ops/ops.h"
#include <string.h>

enum { CHEAP = 2, CHEAP_PAIRS = 4, CHEAP_SCALAR = 64, COST_LIMIT = 1 << 20 };

/* What computing an element once more costs, in units of an addition. */
static const int weights[] = {
    [FXI_WORK_EXACT] = 1, [FXI_WORK_PLAIN] = 1, [FXI_WORK_DIVIDE] = 6, [FXI_WORK_FUNCTION] = 16};

/* Whether a library kernel runs the node, as it does every composite that is left in the graph. A collective
 * of the only device passes its operand on like a move. */
static bool is_hosted(const fx_node *n) {
    bool passes = n->op == FX_OP_COLLECTIVE_PERMUTE && !fxi_collective_is_zero_alone(n);
    return n->op == FX_OP_COMPOSITE || (!passes && fxi_host_kernel_of(n->op));
}

static bool is_move(const fx_node *n) {
    fxi_class op_class = fxi_op_info_of(n->op)->op_class;
    return op_class == FXI_CLASS_MOVE || op_class == FXI_CLASS_COLLECTIVE;
}

int fxi_fusion_weight(fx_op op) {
    return weights[fxi_op_info_of(op)->work];
}

static int node_cost(const fxi_fusion *f, const fx_node *n) {
    const fxi_op_info *info = fxi_op_info_of(n->op);
    if (info->op_class == FXI_CLASS_LEAF) return 0;
    if (info->op_class == FXI_CLASS_CONTRACT || info->op_class == FXI_CLASS_INDEX) return 0; /* in memory */
    if (info->op_class == FXI_CLASS_CONTROL || info->op_class == FXI_CLASS_RESULT) return 0;
    if (n->op == FX_OP_CONCATENATE || is_hosted(n)) return 0;
    if (info->op_class == FXI_CLASS_REDUCE) return COST_LIMIT;
    int64_t cost = weights[info->work];
    for (uint32_t i = 0; i < n->operand_count; i++)
        if (!f->forced[n->operands[i]->id]) cost += f->cost[n->operands[i]->id];
    return cost > COST_LIMIT ? COST_LIMIT : (int)cost;
}

static bool mark_live(fxi_fusion *f) {
    const fx_graph *g = f->graph;
    for (size_t i = 0; i < g->output_count; i++) {
        f->live[g->outputs[i]->id] = true;
        f->forced[g->outputs[i]->id] = true;
    }
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.data[i]->labels) f->live[i] = f->forced[i] = true;
    for (size_t i = g->nodes.count; i-- > 0;) {
        const fx_node *n = g->nodes.data[i];
        if (!f->live[i]) continue;
        for (uint32_t k = 0; k < n->operand_count; k++) {
            f->live[n->operands[k]->id] = true;
            f->uses[n->operands[k]->id]++;
        }
    }
    for (size_t i = 0; i < g->nodes.count; i++) {
        if (!f->live[i]) continue;
        f->cost[i] = node_cost(f, g->nodes.data[i]);
        if (!f->whole) fxi_rows_measure(f, g->nodes.data[i]);
    }
    return true;
}

static fxi_cluster *cluster_of(const fxi_fusion *f, int entry) {
    return f->clusters.data[f->entries.data[entry].cluster];
}

/* Loads behind bitcasts are of the node, too, but nobody else's. */
static bool is_request(const fxi_fusion *f, const fxi_entry *have, const fx_node *node, int cluster, int map,
                       bool before_core) {
    return have->node == node && have->cluster == cluster && have->map == map &&
           have->state == FXI_ENTRY_PENDING &&
           (have->before_core == before_core || f->clusters.data[cluster]->rows);
}

/* An entry that is pending already, -1: none. It would be in the node's list and in the cluster's: both are
 * walked at once, since a node may be wanted by very many clusters and a cluster may have many entries. */
static int find_request(const fxi_fusion *f, int cluster, const fx_node *node, int map, bool before_core) {
    const fxi_cluster *c = f->clusters.data[cluster];
    size_t left = c->entries.count;
    for (int e = f->pending[node->id]; e >= 0 && left > 0; e = f->entries.data[e].next) {
        int other = c->entries.data[--left];
        if (is_request(f, &f->entries.data[e], node, cluster, map, before_core)) return e;
        if (is_request(f, &f->entries.data[other], node, cluster, map, before_core)) return other;
    }
    return -1;
}

int fxi_fuse_request(fxi_fusion *f, int cluster, const fx_node *node, int map, bool before_core,
                     bool repeated) {
    if (map < 0) return -1;
    int have = find_request(f, cluster, node, map, before_core);
    if (have >= 0) {
        f->entries.data[have].repeated |= repeated;
        return have;
    }
    fxi_entry entry = {.node = node,
                       .dtype = node->shape.dtype,
                       .cluster = cluster,
                       .map = map,
                       .next = f->pending[node->id],
                       .local = (int)f->clusters.data[cluster]->entries.count,
                       .before_core = before_core,
                       .repeated = repeated,
                       .args = {-1, -1, -1, -1}};
    int number = (int)f->entries.count;
    if (!FXI_PUSH(&f->entries, entry) || !FXI_PUSH(&f->clusters.data[cluster]->entries, number)) return -1;
    f->pending[node->id] = number;
    return number;
}

int fxi_fusion_request(fxi_fusion *f, int from, const fx_node *node, const fxi_index_map *map,
                       bool before_core, bool repeated) {
    int cluster = f->entries.data[from].cluster;
    int number = fxi_nest_add_map(&f->clusters.data[cluster]->nest, map);
    return fxi_fuse_request(f, cluster, node, number, before_core, repeated);
}

/* Wants a node in memory before the cluster runs. */
static void read_whole(fxi_fusion *f, const fx_node *node, int cluster) {
    f->forced[node->id] = true;
    if (f->reader[node->id] < cluster) f->reader[node->id] = cluster;
}

/* ---- expanding an entry whose node joins the cluster ---- */

static bool expand_map_op(fxi_fusion *f, int entry) {
    const fxi_entry e = f->entries.data[entry];
    f->entries.data[entry].state = FXI_ENTRY_COMPUTE;
    cluster_of(f, entry)->ops++;
    for (uint32_t i = 0; i < e.node->operand_count; i++) {
        int arg = fxi_fuse_request(f, e.cluster, e.node->operands[i], e.map, e.before_core, e.repeated);
        if (arg < 0) return false;
        f->entries.data[entry].args[i] = arg;
    }
    return true;
}

static bool expand_move(fxi_fusion *f, int entry) {
    const fxi_entry e = f->entries.data[entry];
    const fx_node *operand = e.node->operands[0];
    fxi_index_map map;
    fxi_map_outcome outcome = fxi_map_operand(&cluster_of(f, entry)->nest, e.node, e.map, &map);
    if (outcome == FXI_MAP_FAILED) return false;
    if (outcome == FXI_MAP_LINEAR) f->forced[operand->id] = true;
    bool repeated = e.repeated || fx_shape_size(&operand->shape) < fx_shape_size(&e.node->shape);
    int arg = fxi_fusion_request(f, entry, operand, &map, e.before_core,
                          repeated && e.node->op == FX_OP_BROADCAST_IN_DIM ? true : e.repeated);
    f->entries.data[entry].state = FXI_ENTRY_ALIAS;
    f->entries.data[entry].args[0] = arg;
    return arg >= 0;
}

/* Bits in memory read as another dtype: equal widths keep the map, others see the dense array as one row
 * of elements. */
static bool expand_bitcast(fxi_fusion *f, int entry) {
    const fxi_entry e = f->entries.data[entry];
    const fx_node *operand = e.node->operands[0];
    read_whole(f, operand, e.cluster);
    fxi_index_map map = *f->clusters.data[e.cluster]->nest.maps.data[e.map];
    if (fx_dtype_bits(e.node->shape.dtype) != fx_dtype_bits(operand->shape.dtype))
        fxi_map_linearize(&map, &e.node->shape, &map);
    /* never shared with an entry that reads the operand's own dtype */
    int map_number = fxi_nest_add_map(&f->clusters.data[e.cluster]->nest, &map);
    fxi_entry load = {.node = operand,
                      .dtype = e.node->shape.dtype,
                      .cluster = e.cluster,
                      .map = map_number,
                      .local = (int)f->clusters.data[e.cluster]->entries.count,
                      .next = -1,
                      .state = FXI_ENTRY_LOAD,
                      .before_core = e.before_core,
                      .args = {-1, -1, -1, -1}};
    int number = (int)f->entries.count;
    if (map_number < 0 || !FXI_PUSH(&f->entries, load) ||
        !FXI_PUSH(&f->clusters.data[e.cluster]->entries, number))
        return false;
    f->entries.data[entry].state = FXI_ENTRY_ALIAS;
    f->entries.data[entry].args[0] = number;
    return true;
}

bool fxi_fusion_is_reduced(const fx_node *n, int axis) {
    if (n->op == FX_OP_ARG_REDUCE) return fxi_node_int(n, FXI_ATTR_AXIS) == axis;
    return fxi_dims_has(fxi_node_ints(n, FXI_ATTR_AXES), axis);
}

/* Makes a reduction the core of its entry's cluster: new loops for the reduced axes. */
static bool expand_core(fxi_fusion *f, int entry) {
    const fxi_entry e = f->entries.data[entry];
    fxi_cluster *c = f->clusters.data[e.cluster];
    const fx_node *operand = e.node->operands[0];
    const fxi_index_map result = *c->nest.maps.data[e.map];
    fxi_index_map map;
    memset(&map, 0, sizeof map);
    map.rank = operand->shape.rank;
    for (int axis = 0, kept = 0; axis < operand->shape.rank; axis++) {
        if (!fxi_fusion_is_reduced(e.node, axis)) {
            memcpy(map.coef[axis], result.coef[kept], sizeof map.coef[0]);
            map.offset[axis] = result.offset[kept++];
        } else if (operand->shape.dims[axis] != 1) {
            int loop = fxi_nest_add_loop(&c->nest, operand->shape.dims[axis], true);
            if (loop < 0) return false;
            map.coef[axis][loop] = 1;
        }
    }
    c->core = entry;
    c->cores = 1;
    f->entries.data[entry].state = FXI_ENTRY_CORE;
    int arg = fxi_fusion_request(f, entry, operand, &map, true, false);
    f->entries.data[entry].args[0] = arg;
    return arg >= 0;
}

/* May a reduction run inside the cluster that reads it? Its consumers must see each element once and in
 * order. */
static bool can_be_core(const fxi_fusion *f, int entry) {
    const fxi_entry *e = &f->entries.data[entry];
    const fxi_cluster *c = f->clusters.data[e->cluster];
    if (e->next >= 0 || c->kind != FXI_CLUSTER_KERNEL || c->core >= 0 || e->before_core || e->repeated)
        return false;
    if (c->nest.loops.count + e->node->operands[0]->shape.rank > FXI_LOOPS) return false;
    const fxi_index_map *map = c->nest.maps.data[e->map];
    if (map->linear) return false;
    fxi_index_map linear;
    fxi_map_linearize(map, &e->node->shape, &linear);
    return fxi_map_is_dense(&c->nest.loops, &linear);
}

static bool expand(fxi_fusion *f, int entry) {
    const fx_node *n = f->entries.data[entry].node;
    switch (fxi_op_info_of(n->op)->op_class) {
    case FXI_CLASS_MAP: return expand_map_op(f, entry);
    case FXI_CLASS_COLLECTIVE: return expand_move(f, entry);
    case FXI_CLASS_MOVE: return n->op == FX_OP_BITCAST ? expand_bitcast(f, entry) : expand_move(f, entry);
    case FXI_CLASS_REDUCE: return can_be_core(f, entry) ? expand_core(f, entry) : fxi_rows_expand(f, entry);
    default: f->entries.data[entry].state = FXI_ENTRY_INDEX; return n->op == FX_OP_IOTA;
    }
}

/* ---- new clusters ---- */

int fxi_fuse_new_cluster(fxi_fusion *f, fxi_cluster_kind kind, const fx_node *root, int part) {
    fxi_cluster *c = fxi_alloc_zeroed(1, sizeof *c);
    if (!c) return -1;
    *c = (fxi_cluster){.kind = kind, .root = root, .part = part, .value = -1, .value2 = -1, .core = -1};
    if (!FXI_PUSH(&f->clusters, c)) {
        fxi_free(c);
        return -1;
    }
    return (int)f->clusters.count - 1;
}

/* Starts a kernel that writes all of a node; the entry of the node. */
static int start_kernel(fxi_fusion *f, const fx_node *node) {
    int number = fxi_fuse_new_cluster(f, FXI_CLUSTER_KERNEL, node, -1);
    if (number < 0) return -1;
    fxi_cluster *c = f->clusters.data[number];
    fxi_index_map map, linear;
    if (!fxi_nest_identity(&c->nest, &node->shape, false, &map)) return -1;
    fxi_map_linearize(&map, &node->shape, &linear);
    int value_map = fxi_nest_add_map(&c->nest, &map);
    c->store_map = fxi_nest_add_map(&c->nest, &linear);
    if (value_map < 0 || c->store_map < 0) return -1;
    c->value = fxi_fuse_request(f, number, node, value_map, false, false);
    return c->value;
}

/* Takes an entry that was just requested off its node's list of pending ones (its node is being visited
 * now). */
static void settle(fxi_fusion *f, int entry) {
    int *link = &f->pending[f->entries.data[entry].node->id];
    while (*link >= 0 && *link != entry) link = &f->entries.data[*link].next;
    if (*link == entry) *link = f->entries.data[entry].next;
    f->entries.data[entry].next = -1;
}

/* Adds a loop for each listed axis of an operand; rows of that operand's map follow them. */
static bool dot_loops(fxi_nest *nest, const fx_node *operand, const int64_t *axes, size_t n,
                      fxi_dot_group group, fxi_index_map *map) {
    for (size_t i = 0; i < n; i++) {
        int loop = fxi_nest_add_loop(nest, operand->shape.dims[axes[i]], group == FXI_DOT_K);
        if (loop < 0) return false;
        nest->loops.group[loop] = (uint8_t)group;
        map->coef[axes[i]][loop] = 1;
    }
    return true;
}

static size_t free_axes(const fx_node *operand, fx_dims batch, fx_dims contract, int64_t *axes) {
    size_t n = 0;
    for (int axis = 0; axis < operand->shape.rank; axis++) {
        bool taken = false;
        for (size_t i = 0; i < batch.n; i++) taken |= batch.v[i] == axis;
        for (size_t i = 0; i < contract.n; i++) taken |= contract.v[i] == axis;
        if (!taken) axes[n++] = axis;
    }
    return n;
}

static bool start_dot(fxi_fusion *f, const fx_node *n) {
    int number = fxi_fuse_new_cluster(f, FXI_CLUSTER_DOT, n, -1);
    if (number < 0) return false;
    fxi_cluster *c = f->clusters.data[number];
    const fx_node *a = n->operands[0], *b = n->operands[1];
    fx_dims ab = fxi_node_ints(n, FXI_ATTR_LHS_BATCH), ak = fxi_node_ints(n, FXI_ATTR_LHS_CONTRACT);
    fx_dims bb = fxi_node_ints(n, FXI_ATTR_RHS_BATCH), bk = fxi_node_ints(n, FXI_ATTR_RHS_CONTRACT);
    int64_t axes[FX_MAX_RANK];
    fxi_index_map ma, mb;
    memset(&ma, 0, sizeof ma);
    memset(&mb, 0, sizeof mb);
    ma.rank = a->shape.rank;
    mb.rank = b->shape.rank;
    size_t m = free_axes(a, ab, ak, axes);
    bool ok = dot_loops(&c->nest, a, ab.v, ab.n, FXI_DOT_BATCH, &ma) &&
              dot_loops(&c->nest, a, axes, m, FXI_DOT_M, &ma);
    for (size_t i = 0; i < bb.n; i++) mb.coef[bb.v[i]][i] = 1;
    size_t n_axes = free_axes(b, bb, bk, axes);
    ok = ok && dot_loops(&c->nest, b, axes, n_axes, FXI_DOT_N, &mb);
    int first = c->nest.loops.count;
    if (!ok || !dot_loops(&c->nest, a, ak.v, ak.n, FXI_DOT_K, &ma)) return false;
    for (size_t i = 0; i < bk.n; i++) mb.coef[bk.v[i]][first + (int)i] = 1;
    c->value = fxi_fuse_request(f, number, a, fxi_nest_add_map(&c->nest, &ma), false, false);
    c->value2 = fxi_fuse_request(f, number, b, fxi_nest_add_map(&c->nest, &mb), false, false);
    return c->value >= 0 && c->value2 >= 0;
}

/* ---- the decision ---- */

static bool has_room(const fxi_fusion *f, int entry) {
    for (int e = entry; e >= 0; e = f->entries.data[e].next) {
        const fxi_cluster *c = cluster_of(f, e);
        if (c->kind != FXI_CLUSTER_KERNEL || c->ops >= FXI_CLUSTER_OPS) return false;
    }
    return true;
}

static bool joins_consumers(const fxi_fusion *f, const fx_node *n) {
    int first = f->pending[n->id], pairs = 0;
    bool repeated = false, linear = false;
    for (int e = first; e >= 0; e = f->entries.data[e].next) {
        pairs++;
        repeated |= f->entries.data[e].repeated;
        linear |= cluster_of(f, e)->nest.maps.data[f->entries.data[e].map]->linear;
    }
    if (f->forced[n->id] || first < 0) return false;
    if (is_hosted(n)) return false;
    fxi_class op_class = fxi_op_info_of(n->op)->op_class;
    if (is_move(n) && n->op != FX_OP_CONCATENATE && n->op != FX_OP_BITCAST)
        return !f->whole && (!linear || n->op == FX_OP_RESHAPE || op_class == FXI_CLASS_COLLECTIVE);
    if (linear || f->whole || !has_room(f, first)) return false;
    if (n->op == FX_OP_IOTA) return true;
    if (op_class == FXI_CLASS_REDUCE) return can_be_core(f, first) || fxi_rows_take(f, n);
    if (op_class != FXI_CLASS_MAP) return false;
    int cost = f->cost[n->id];
    if (fx_shape_size(&n->shape) == 1 && cost <= CHEAP_SCALAR) return true;
    if (f->row[n->id] > 0 && fxi_rows_take(f, n)) return true;
    if (repeated || pairs > 1) return cost <= CHEAP && pairs <= CHEAP_PAIRS;
    return true;
}

/* A library kernel and the programs of closures read whole operands from memory. */
static bool start_whole(fxi_fusion *f, const fx_node *n) {
    bool control = !is_hosted(n);
    for (uint32_t i = 0; i < n->operand_count; i++)
        read_whole(f, n->operands[i], (int)f->clusters.count);
    return fxi_fuse_new_cluster(f, control ? FXI_CLUSTER_CONTROL : FXI_CLUSTER_HOST, n, -1) >= 0;
}

static bool is_whole(const fx_node *n) {
    return fxi_op_info_of(n->op)->op_class == FXI_CLASS_CONTROL || is_hosted(n);
}

/* Whether a step has anything to write. */
static bool is_empty(const fx_node *n) {
    for (size_t i = 0; i < fxi_node_results(n); i++)
        if (fx_shape_size(fxi_node_result_shape(n, i)) > 0) return false;
    return true;
}

static bool materialize(fxi_fusion *f, const fx_node *n) {
    f->in_memory[n->id] = true;
    for (int e = f->pending[n->id], next; e >= 0; e = next) {
        next = f->entries.data[e].next;
        f->entries.data[e].state = FXI_ENTRY_LOAD;
        f->entries.data[e].next = -1;
    }
    f->pending[n->id] = -1;
    if (n->op == FX_OP_RESULT) f->forced[n->operands[0]->id] = true; /* written by the step of its operand */
    if (n->op == FX_OP_PARAMETER || n->op == FX_OP_CONSTANT || n->op == FX_OP_RESULT || is_empty(n))
        return true;
    if (n->op == FX_OP_CONCATENATE || n->op == FX_OP_PAD) return fxi_fuse_parts(f, n);
    if (n->op == FX_OP_DOT_GENERAL) return start_dot(f, n);
    if (is_whole(n)) return start_whole(f, n);
    if (n->op == FX_OP_BITCAST &&
        (fxi_dtype_is_packed(n->shape.dtype) || fxi_dtype_is_packed(n->operands[0]->shape.dtype))) {
        read_whole(f, n->operands[0], (int)f->clusters.count);
        return fxi_fuse_new_cluster(f, FXI_CLUSTER_BITCAST, n, -1) >= 0;
    }
    int entry = start_kernel(f, n);
    if (entry < 0) return false;
    settle(f, entry);
    return expand(f, entry);
}

/* Of several entries, which only a cluster of rows takes, the first does it for all. */
static bool join_core(fxi_fusion *f, const fx_node *n) {
    int first = f->pending[n->id];
    for (int e = f->entries.data[first].next, next; e >= 0; e = next) {
        next = f->entries.data[e].next;
        f->entries.data[e].next = -1;
        f->entries.data[e].state = FXI_ENTRY_ALIAS;
        f->entries.data[e].args[0] = first;
    }
    bool alone = f->entries.data[first].next < 0;
    f->entries.data[first].next = -1;
    f->pending[n->id] = -1;
    return alone ? expand(f, first) : fxi_rows_expand(f, first);
}

static bool visit(fxi_fusion *f, const fx_node *n) {
    if (!joins_consumers(f, n)) {
        int shared = f->whole ? -1 : fxi_rows_share(f, n);
        if (shared < 0) return materialize(f, n);
        f->in_memory[n->id] = true;
        if (!fxi_rows_write(f, shared)) return false;
        bool reduces = fxi_op_info_of(n->op)->op_class == FXI_CLASS_REDUCE;
        return reduces ? fxi_rows_expand(f, shared) : expand(f, shared);
    }
    if (fxi_op_info_of(n->op)->op_class == FXI_CLASS_REDUCE) return join_core(f, n);
    for (int e = f->pending[n->id], next; e >= 0; e = next) {
        next = f->entries.data[e].next;
        f->entries.data[e].next = -1;
        if (!expand(f, e)) return false;
    }
    f->pending[n->id] = -1;
    return true;
}

bool fxi_fuse(fxi_fusion *f, const fx_graph *graph, bool unfused, const bool *apart, fx_error *err) {
    size_t n = graph->nodes.count;
    memset(f, 0, sizeof *f);
    f->graph = graph;
    f->whole = unfused;
    f->apart = apart;
    f->live = fxi_alloc_zeroed(n + 1, sizeof *f->live);
    f->forced = fxi_alloc_zeroed(n + 1, sizeof *f->forced);
    f->in_memory = fxi_alloc_zeroed(n + 1, sizeof *f->in_memory);
    f->pending = fxi_alloc_zeroed(n + 1, sizeof *f->pending);
    f->cost = fxi_alloc_zeroed(n + 1, sizeof *f->cost);
    f->uses = fxi_alloc_zeroed(n + 1, sizeof *f->uses);
    f->placed = fxi_alloc_zeroed(n + 1, sizeof *f->placed);
    f->row = fxi_alloc_zeroed(n + 1, sizeof *f->row);
    f->reader = fxi_alloc_zeroed(n + 1, sizeof *f->reader);
    if (!f->live || !f->forced || !f->in_memory || !f->pending || !f->cost || !f->uses || !f->placed ||
        !f->row || !f->reader)
        return fxi_fail_memory(err, "fusion");
    for (size_t i = 0; i < n; i++) f->pending[i] = f->placed[i] = f->reader[i] = -1;
    mark_live(f);
    for (size_t i = n; i-- > 0;)
        if (f->live[i] && !visit(f, graph->nodes.data[i])) return fxi_fail_memory(err, "fusion");
    return true;
}

int fxi_fusion_resolve(const fxi_fusion *fusion, int entry) {
    while (fusion->entries.data[entry].state == FXI_ENTRY_ALIAS) entry = fusion->entries.data[entry].args[0];
    return entry;
}

void fxi_fusion_free(fxi_fusion *f) {
    for (size_t i = 0; i < f->clusters.count; i++) {
        fxi_nest_free(&f->clusters.data[i]->nest);
        fxi_free(f->clusters.data[i]->entries.data);
        fxi_free(f->clusters.data[i]->also.data);
        fxi_free(f->clusters.data[i]);
    }
    fxi_free(f->clusters.data);
    fxi_free(f->entries.data);
    fxi_free(f->live);
    fxi_free(f->forced);
    fxi_free(f->in_memory);
    fxi_free(f->pending);
    fxi_free(f->cost);
    fxi_free(f->uses);
    fxi_free(f->placed);
    fxi_free(f->places.data);
    fxi_free(f->row);
    fxi_free(f->reader);
    memset(f, 0, sizeof *f);
}
