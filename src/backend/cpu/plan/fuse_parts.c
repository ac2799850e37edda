/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters that write one node in parts: concatenations and pads.
 *
 * Each operand is computed where it lies in the result, so that whatever produces it is fused into the
 * store. A concatenation or pad that only another one reads gets no memory: its parts are written into the
 * outer one's (fxi_place), however deep they nest. The value of a pad is written around the operand, slab by
 * slab along the leading axes; what lies between elements or in short runs is filled as a whole before the
 * operand overwrites it. */
#include "../emit/emit_element.h"
#include "fuse.h"
#include <string.h>

/* A slab pays when it spares writing runs of RUN_BYTES that make SPARED_BYTES together. */
enum { RUN_BYTES = 512, SPARED_BYTES = 4096 };

/* A box of a node's elements and where the first of them and its neighbours lie in another node. */
typedef struct box {
    int64_t first[FX_MAX_RANK], count[FX_MAX_RANK]; /* of the operand that is written */
    int64_t at[FX_MAX_RANK], step[FX_MAX_RANK];     /* in the concatenation or pad */
} box;

static fxi_place place_of(const fxi_fusion *f, const fx_node *n) {
    if (f->placed[n->id] >= 0) return f->places.data[f->placed[n->id]];
    fxi_place own = {.root = n};
    for (int axis = 0; axis < n->shape.rank; axis++) own.step[axis] = 1;
    return own;
}

/* The kernel that writes a box of `value`, or a scalar all over it. */
static bool write_box(fxi_fusion *f, const fxi_place *to, const fx_node *value, const box *b, int part) {
    int number = fxi_fuse_new_cluster(f, FXI_CLUSTER_KERNEL, to->root, part);
    if (number < 0) return false;
    fxi_cluster *c = f->clusters.data[number];
    fx_shape shown = to->root->shape;
    memcpy(shown.dims, b->count, (size_t)shown.rank * sizeof *shown.dims);
    fxi_index_map from, store, linear;
    if (!fxi_nest_identity(&c->nest, &shown, false, &from)) return false;
    store = from;
    for (int axis = 0; axis < shown.rank; axis++) {
        from.offset[axis] = b->first[axis];
        store.offset[axis] = to->offset[axis] + to->step[axis] * b->at[axis];
        for (int k = 0; k < FXI_LOOPS; k++) store.coef[axis][k] *= to->step[axis] * b->step[axis];
    }
    fxi_map_linearize(&store, &to->root->shape, &linear);
    bool splat = value->shape.rank == 0 && shown.rank > 0;
    if (splat) memset(&from, 0, sizeof from);
    int map = fxi_nest_add_map(&c->nest, &from);
    c->store_map = fxi_nest_add_map(&c->nest, &linear);
    if (map >= 0 && c->store_map >= 0) c->value = fxi_fuse_request(f, number, value, map, false, splat);
    return c->value >= 0;
}

/* Whether an operand is written through the place of its one reader when its own turn comes. */
static bool goes_along(const fxi_fusion *f, const fx_node *operand) {
    return (operand->op == FX_OP_CONCATENATE || operand->op == FX_OP_PAD) && !f->whole &&
           f->uses[operand->id] == 1 && !f->forced[operand->id];
}

static bool send_along(fxi_fusion *f, const fxi_place *to, const fx_node *operand, const box *b) {
    fxi_place place = *to;
    for (int axis = 0; axis < operand->shape.rank; axis++) {
        place.offset[axis] += to->step[axis] * b->at[axis];
        place.step[axis] *= b->step[axis];
    }
    f->placed[operand->id] = (int)f->places.count;
    return FXI_PUSH(&f->places, place);
}

static bool write_concatenate(fxi_fusion *f, const fxi_place *to, const fx_node *n) {
    int axis = (int)fxi_node_int(n, FXI_ATTR_AXIS);
    box b = {.at = {0}};
    for (int k = 0; k < n->shape.rank; k++) b.step[k] = 1;
    for (uint32_t i = 0; i < n->operand_count; i++) {
        const fx_node *operand = n->operands[i];
        memcpy(b.count, operand->shape.dims, sizeof b.count);
        bool ok =
            fx_shape_size(&operand->shape) == 0 ||
            (goes_along(f, operand) ? send_along(f, to, operand, &b) : write_box(f, to, operand, &b, (int)i));
        if (!ok) return false;
        b.at[axis] += operand->shape.dims[axis];
    }
    return true;
}

/* ---- pad ---- */

/* What the result shows of the operand along an axis, and where. */
static void show(const fx_node *pad, int axis, box *b) {
    int64_t low = fxi_node_ints(pad, FXI_ATTR_LOW).v[axis],
            step = fxi_node_ints(pad, FXI_ATTR_INTERIOR).v[axis] + 1;
    int64_t dim = pad->operands[0]->shape.dims[axis], room = pad->shape.dims[axis] - 1 - low;
    int64_t first = low < 0 ? (step - 1 - low) / step : 0;
    int64_t last = room / step < dim - 1 ? room / step : dim - 1;
    b->first[axis] = first;
    b->count[axis] = room < 0 || last < first ? 0 : last - first + 1;
    b->at[axis] = low + first * step;
    b->step[axis] = b->count[axis] > 1 ? step : 1;
}

/* What is left of the result around the operand once the slabs of the leading axes are cut off. */
typedef struct rest {
    box hole;
    box left;
} rest;

static bool fill(fxi_fusion *f, const fxi_place *to, const fx_node *pad, const box *where) {
    return write_box(f, to, pad->operands[1], where, 1);
}

/* The two slabs before and after the operand along an axis. */
static bool fill_slabs(fxi_fusion *f, const fxi_place *to, const fx_node *pad, rest *r, int axis) {
    int64_t low = r->hole.at[axis], count = r->hole.count[axis], dim = r->left.count[axis];
    box slab = r->left;
    slab.count[axis] = low;
    bool ok = low == 0 || fill(f, to, pad, &slab);
    slab.at[axis] = low + count;
    slab.count[axis] = dim - low - count;
    ok = ok && (slab.count[axis] == 0 || fill(f, to, pad, &slab));
    r->left.at[axis] = low;
    r->left.count[axis] = count;
    return ok;
}

static bool slabs_pay(const rest *r, int axis, int64_t run) {
    int64_t spared = r->hole.count[axis] * run;
    if (r->hole.step[axis] != 1 || spared < RUN_BYTES) return false;
    for (int k = 0; k < axis && spared < SPARED_BYTES; k++) spared *= r->left.count[k];
    return spared >= SPARED_BYTES;
}

/* Fills slabs, as many as pay; *whole: the rest must be filled before the operand overwrites its part. */
static bool fill_edges(fxi_fusion *f, const fxi_place *to, const fx_node *pad, rest *r, bool *whole) {
    int64_t run = fx_shape_size(&pad->shape) * fxi_memory_bytes(pad->shape.dtype);
    *whole = false;
    for (int axis = 0; axis < pad->shape.rank && !*whole; axis++) {
        run /= pad->shape.dims[axis];
        if (r->hole.count[axis] == pad->shape.dims[axis]) continue;
        *whole = !slabs_pay(r, axis, run);
        if (!*whole && !fill_slabs(f, to, pad, r, axis)) return false;
    }
    return true;
}

/* Clusters run in the reverse of their order: a whole fill comes first, then the operand over it. */
static bool write_pad(fxi_fusion *f, const fxi_place *to, const fx_node *n) {
    const fx_node *operand = n->operands[0];
    rest r = {.left = {.at = {0}}};
    bool hidden = false, complete = true, whole;
    for (int axis = 0; axis < n->shape.rank; axis++) {
        show(n, axis, &r.hole);
        hidden |= r.hole.count[axis] == 0;
        complete &= r.hole.count[axis] == operand->shape.dims[axis];
        r.left.count[axis] = n->shape.dims[axis];
        r.left.step[axis] = 1;
    }
    if (hidden) return fill(f, to, n, &r.left);
    if (!fill_edges(f, to, n, &r, &whole)) return false;
    if (complete && !whole && goes_along(f, operand)) return send_along(f, to, operand, &r.hole);
    return write_box(f, to, operand, &r.hole, 0) && (!whole || fill(f, to, n, &r.left));
}

bool fxi_fuse_parts(fxi_fusion *f, const fx_node *n) {
    const fxi_place to = place_of(f, n);
    return n->op == FX_OP_PAD ? write_pad(f, &to, n) : write_concatenate(f, &to, n);
}
