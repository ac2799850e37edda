/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters of rows: reductions over the same innermost axes and what lies between, after and beside them
 * (softmax, variance, normalisations), of which a kernel does one row after another.
 *
 * The fuser goes from consumers to producers, so it meets the result of a reduction first where it is used:
 * behind a broadcast along the loops that the reduction would sum over, or among the operands of a second
 * reduction over the same loops. Such a result is one value per row. It joins, with the operations it went
 * through, and the reduction then sums over the loops that are there instead of new ones; so its operand
 * and what the consumers read are the same entries, and nothing is computed twice. Whether the accesses
 * suit is known only when the cluster is complete: kernel_rows.c looks, and fusion starts again without
 * what did not.
 *
 * What others read as well (or the caller wants), such as a mean that a gradient needs, is written besides.
 * Clusters run in the reverse of their order, so the last of the readers can compute it for all of them. */
#include "fuse.h"
#include "kernel.h"
#include <string.h>

/* ---- which nodes are made of reduced rows ---- */

/* Elements of the rows that a reduction sums when they are its operand's innermost axes, else 0. */
static int64_t reduced_row(const fx_node *n) {
    const fx_shape *from = &n->operands[0]->shape;
    if (n->op != FX_OP_REDUCE || fx_shape_size(from) == 0) return 0;
    int axis = from->rank - 1;
    int64_t row = 1;
    for (; axis >= 0 && (from->dims[axis] == 1 || fxi_fusion_is_reduced(n, axis)); axis--)
        row *= from->dims[axis];
    for (; axis >= 0; axis--)
        if (from->dims[axis] != 1 && fxi_fusion_is_reduced(n, axis)) return 0;
    if (row > FXI_ROW_CHUNK && fx_shape_size(from) / row < FXI_LONG_ROWS) return 0;
    return row >= FXI_ROW_LEAST && row <= FXI_ROW_MOST ? row : 0;
}

/* Along the row again. */
static int64_t spread_row(const fxi_fusion *f, const fx_node *n) {
    const fx_node *operand = n->operands[0];
    int64_t row = f->row[operand->id], from = fx_shape_size(&operand->shape), to = fx_shape_size(&n->shape);
    if (from == to) return row;
    return row > 0 && n->op == FX_OP_BROADCAST_IN_DIM && to / row == from ? -row : 0;
}

void fxi_rows_measure(fxi_fusion *f, const fx_node *n) {
    fxi_class op_class = fxi_op_info_of(n->op)->op_class;
    if (op_class == FXI_CLASS_REDUCE) f->row[n->id] = f->apart[n->id] ? 0 : reduced_row(n);
    if (op_class == FXI_CLASS_MOVE && n->operand_count == 1) f->row[n->id] = spread_row(f, n);
    if (op_class != FXI_CLASS_MAP) return;
    for (uint32_t i = 0; i < n->operand_count && f->row[n->id] >= 0; i++) {
        int64_t row = f->row[n->operands[i]->id];
        f->row[n->id] = row < 0 ? row : fxi_size_max(row, f->row[n->id]);
    }
}

/* ---- the loops along a row ---- */

static bool ignores_loop(const fxi_index_map *map, int loop) {
    for (int row = 0; row < map->rank; row++)
        if (map->coef[row][loop] != 0) return false;
    return true;
}

/* The loops that a cluster sums over or, where it sums nothing yet, the last ones, which the map ignores. */
static void find_row_loops(const fxi_cluster *c, const fxi_index_map *map, int64_t row, bool *along) {
    const fxi_loops *l = &c->nest.loops;
    memset(along, 0, FXI_LOOPS * sizeof *along);
    if (c->core >= 0) {
        for (int k = 0; k < l->count; k++) along[k] = c->rows ? l->group[k] == FXI_ROW_LOOP : l->reduce[k];
        return;
    }
    int64_t extent = 1;
    for (int k = l->count - 1; k >= 0 && extent < row && ignores_loop(map, k); k--) {
        along[k] = true;
        extent *= l->extent[k]; /* row is small, so both are */
    }
}

/* One value per row: the same all along it, and no other row has it. */
static bool is_per_row(const fxi_cluster *c, const fxi_index_map *map, int64_t row) {
    const fxi_loops *l = &c->nest.loops;
    bool along[FXI_LOOPS];
    int64_t extent = 1;
    find_row_loops(c, map, row, along);
    for (int k = 0; k < l->count; k++) {
        if (l->extent[k] != 1 && ignores_loop(map, k) != along[k]) return false;
        if (along[k] && !fxi_size_mul(extent, l->extent[k], &extent)) return false;
    }
    return extent == row;
}

/* Places of the reduced axes (from the last) in the loops along a row: each axis is one loop or several
 * neighbours. */
static bool map_axes(const fxi_loops *l, const bool *along, const fx_node *n, fxi_index_map *map) {
    const fx_shape *from = &n->operands[0]->shape;
    int loop = l->count - 1;
    for (int axis = from->rank - 1; axis >= 0; axis--) {
        if (!fxi_fusion_is_reduced(n, axis)) continue;
        for (int64_t stride = 1; stride < from->dims[axis]; loop--) {
            while (loop >= 0 && (!along[loop] || l->extent[loop] == 1)) loop--;
            if (loop < 0 || from->dims[axis] % (stride * l->extent[loop]) != 0) return false;
            map->coef[axis][loop] = stride;
            stride *= l->extent[loop];
        }
    }
    return true;
}

/* Map of the operand of a reduction whose result is seen through `result`. */
static bool map_row(const fxi_cluster *c, const fx_node *n, const fxi_index_map *result, int64_t row,
                    fxi_index_map *map) {
    bool along[FXI_LOOPS];
    memset(map, 0, sizeof *map);
    map->rank = n->operands[0]->shape.rank;
    for (int axis = 0, kept = 0; axis < map->rank; axis++) {
        if (fxi_fusion_is_reduced(n, axis)) continue;
        memcpy(map->coef[axis], result->coef[kept], sizeof map->coef[0]);
        map->offset[axis] = result->offset[kept++];
    }
    find_row_loops(c, result, row, along);
    return map_axes(&c->nest.loops, along, n, map);
}

/* ---- the decision ---- */

/* One value per row, which (of a reduction) the cluster has room for. */
static bool takes_scalar(const fxi_fusion *f, const fxi_cluster *c, const fx_node *n,
                         const fxi_index_map *map) {
    int64_t row = f->row[n->id];
    fxi_index_map operand;
    if (!is_per_row(c, map, row)) return false;
    if (c->core >= 0 && f->row[f->entries.data[c->core].node->id] != row) return false;
    return fxi_op_info_of(n->op)->op_class != FXI_CLASS_REDUCE ||
           (c->cores < FXI_ROW_CORES && map_row(c, n, map, row, &operand));
}

bool fxi_rows_take(const fxi_fusion *f, const fx_node *n) {
    int first = f->pending[n->id];
    const fxi_entry *e = &f->entries.data[first];
    const fxi_cluster *c = f->clusters.data[e->cluster];
    const fxi_index_map *map = c->nest.maps.data[e->map];
    int64_t row = f->row[n->id];
    if (row <= 0 || c->kind != FXI_CLUSTER_KERNEL || map->linear) return false;
    for (int k = e->next; k >= 0; k = f->entries.data[k].next)
        if (f->entries.data[k].cluster != e->cluster || f->entries.data[k].map != e->map) return false;
    return takes_scalar(f, c, n, map);
}

/* ---- values that are written besides the root ---- */

/* Whether a value seen through the map is written in order and whole. */
static bool is_written_whole(const fxi_cluster *c, const fx_node *n, const fxi_index_map *map, int64_t row) {
    fxi_loops loops = c->nest.loops;
    fxi_index_map linear;
    memset(loops.reduce, 0, sizeof loops.reduce);
    if (row > 0) find_row_loops(c, map, row, loops.reduce);
    fxi_map_linearize(map, &n->shape, &linear);
    return fxi_map_is_dense(&loops, &linear);
}

int fxi_rows_share(const fxi_fusion *f, const fx_node *n) {
    int first = f->pending[n->id];
    int64_t row = f->row[n->id];
    fxi_class op_class = fxi_op_info_of(n->op)->op_class;
    if (first < 0 || row == 0 || f->apart[n->id]) return -1;
    if (op_class != FXI_CLASS_MAP && op_class != FXI_CLASS_REDUCE && n->op != FX_OP_RESHAPE) return -1;
    for (int e = f->entries.data[first].next; e >= 0; e = f->entries.data[e].next)
        if (f->entries.data[e].cluster > f->entries.data[first].cluster) first = e;
    const fxi_entry *chosen = &f->entries.data[first];
    const fxi_cluster *c = f->clusters.data[chosen->cluster];
    const fxi_index_map *map = c->nest.maps.data[chosen->map];
    if (f->reader[n->id] >= chosen->cluster || c->kind != FXI_CLUSTER_KERNEL || map->linear) return -1;
    for (int e = f->pending[n->id]; e >= 0; e = f->entries.data[e].next)
        if (f->entries.data[e].cluster == chosen->cluster && f->entries.data[e].map != chosen->map) return -1;
    if (c->ops >= FXI_CLUSTER_OPS || c->also.count >= FXI_ROW_ALSO) return -1;
    if (row > 0 && !takes_scalar(f, c, n, map)) return -1;
    return is_written_whole(c, n, map, row) ? first : -1;
}

bool fxi_rows_write(fxi_fusion *f, int entry) {
    const fxi_entry e = f->entries.data[entry];
    fxi_cluster *c = f->clusters.data[e.cluster];
    fxi_index_map linear;
    for (int k = f->pending[e.node->id], next; k >= 0; k = next) {
        fxi_entry *other = &f->entries.data[k];
        next = other->next;
        other->next = -1;
        if (k == entry) continue;
        bool same = other->cluster == e.cluster;
        other->state = same ? FXI_ENTRY_ALIAS : FXI_ENTRY_LOAD;
        if (same) other->args[0] = entry;
    }
    f->pending[e.node->id] = -1;
    fxi_map_linearize(c->nest.maps.data[e.map], &e.node->shape, &linear);
    const fxi_also also = {e.node, entry, fxi_nest_add_map(&c->nest, &linear)};
    return also.store_map >= 0 && FXI_PUSH(&c->also, also);
}

/* ---- a reduction joins ---- */

bool fxi_rows_expand(fxi_fusion *f, int entry) {
    const fxi_entry e = f->entries.data[entry];
    fxi_cluster *c = f->clusters.data[e.cluster];
    const fxi_index_map result = *c->nest.maps.data[e.map];
    bool along[FXI_LOOPS];
    fxi_index_map map;
    if (!map_row(c, e.node, &result, f->row[e.node->id], &map)) return false;
    find_row_loops(c, &result, f->row[e.node->id], along);
    for (int k = 0; k < c->nest.loops.count; k++)
        c->nest.loops.group[k] = along[k] ? FXI_ROW_LOOP : FXI_OUTER_LOOP;
    c->rows = true;
    c->cores++;
    if (c->core < 0) c->core = entry;
    f->entries.data[entry].state = FXI_ENTRY_CORE;
    int arg = fxi_fusion_request(f, entry, e.node->operands[0], &map, e.before_core, false);
    f->entries.data[entry].args[0] = arg;
    return arg >= 0;
}
