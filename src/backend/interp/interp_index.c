/* SPDX-License-Identifier: Apache-2.0 */
/* Padding, dynamic slices, gather and scatter, element by element: the index of an element of the one array
 * is turned into the index of the other, axis by axis, as the operations are defined. Sums and products of
 * half types are carried in float32 and rounded once at the end. */
#include "interp_internal.h"
#include "ops/ops.h"
#include <string.h>

static void copy_element(fx_tensor *to, int64_t to_index, const fx_tensor *from, int64_t from_index) {
    fx_dtype dtype = to->shape.dtype;
    int bits = fx_dtype_bits(dtype);
    if (bits < 8) {
        fxi_element_store(dtype, to->data, to_index, fxi_element_load(dtype, from->data, from_index));
        return;
    }
    int64_t size = bits / 8; /* as bytes, so that NaN payloads survive */
    memcpy((char *)to->data + to_index * size, (const char *)from->data + from_index * size, (size_t)size);
}

/* The value of an index; what uint64 has beyond int64 is as far out. */
static int64_t load_index(const fx_tensor *indices, int64_t at) {
    fx_dtype dtype = indices->shape.dtype;
    int64_t i = fxi_element_load(dtype, indices->data, at).i;
    return dtype == FX_U64 && i < 0 ? INT64_MAX : i;
}

static int64_t clamp_start(int64_t start, int64_t dim, int64_t size) {
    return start < 0 ? 0 : start > dim - size ? dim - size : start;
}

/* A walk over all elements of a shape, with the strides of another one. */
static fxi_interp_cursor walk_of(const fx_shape *shape, const int64_t *strides) {
    fxi_interp_cursor walk = {0};
    for (int i = 0; i < shape->rank; i++) fxi_interp_add_axis(&walk, shape->dims[i], strides[i]);
    return walk;
}

/* ---- pad ---- */

bool fxi_interp_pad(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err) {
    (void)err;
    const fx_tensor *x = operands[0];
    fx_dims low = fxi_node_ints(node, FXI_ATTR_LOW), interior = fxi_node_ints(node, FXI_ATTR_INTERIOR);
    for (int64_t i = 0, n = fx_shape_size(&result->shape); i < n; i++)
        copy_element(result, i, operands[1], 0);
    int64_t strides[FX_MAX_RANK];
    fxi_shape_strides(&result->shape, strides);
    fxi_interp_cursor walk = walk_of(&x->shape, strides);
    for (int64_t i = 0, n = fx_shape_size(&x->shape); i < n; i++, fxi_interp_advance(&walk)) {
        int64_t to = 0;
        bool inside = true;
        for (int axis = 0; axis < x->shape.rank; axis++) {
            int64_t at = low.v[axis] + walk.index[axis] * (interior.v[axis] + 1);
            inside &= at >= 0 && at < result->shape.dims[axis];
            if (inside) to += at * strides[axis];
        }
        if (inside) copy_element(result, to, x, i);
    }
    return true;
}

/* ---- barriers ---- */

bool fxi_interp_barrier(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err) {
    (void)node, (void)err;
    int64_t bytes = fx_shape_bytes(&result->shape);
    if (bytes > 0) memcpy(result->data, operands[0]->data, (size_t)bytes);
    return true;
}

/* ---- dynamic slices ---- */

/* Offset in x of a part of that shape whose starts, clamped, are the given operands. */
static int64_t part_offset(const fx_shape *x, const fx_shape *part, fx_tensor *const *starts) {
    int64_t strides[FX_MAX_RANK], offset = 0;
    fxi_shape_strides(x, strides);
    for (int i = 0; i < x->rank; i++)
        offset += clamp_start(load_index(starts[i], 0), x->dims[i], part->dims[i]) * strides[i];
    return offset;
}

bool fxi_interp_dynamic_slice(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                              fx_error *err) {
    (void)node;
    (void)err;
    const fx_tensor *x = operands[0];
    int64_t strides[FX_MAX_RANK], start = part_offset(&x->shape, &result->shape, operands + 1);
    fxi_shape_strides(&x->shape, strides);
    fxi_interp_cursor walk = walk_of(&result->shape, strides);
    for (int64_t i = 0, n = fx_shape_size(&result->shape); i < n; i++, fxi_interp_advance(&walk))
        copy_element(result, i, x, start + walk.offset);
    return true;
}

bool fxi_interp_dynamic_update_slice(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                                     fx_error *err) {
    (void)node;
    (void)err;
    const fx_tensor *x = operands[0], *update = operands[1];
    if (x->bytes > 0) memcpy(result->data, x->data, (size_t)x->bytes);
    int64_t strides[FX_MAX_RANK], start = part_offset(&x->shape, &update->shape, operands + 2);
    fxi_shape_strides(&x->shape, strides);
    fxi_interp_cursor walk = walk_of(&update->shape, strides);
    for (int64_t i = 0, n = fx_shape_size(&update->shape); i < n; i++, fxi_interp_advance(&walk))
        copy_element(result, start + walk.offset, update, i);
    return true;
}

/* ---- gather and scatter ---- */

/* Where an element of the array that holds the windows (the result of a gather, the updates of a scatter)
 * belongs in the operand: the start of its window and its place in the window, per axis of the operand. */
typedef struct place {
    int64_t start[FX_MAX_RANK], window[FX_MAX_RANK];
} place;

/* Number of the element of the indices that holds the first component for that element. */
static int64_t index_offset(const fx_node *node, const fx_tensor *indices, const int64_t *batch) {
    int64_t strides[FX_MAX_RANK], offset = 0;
    int64_t index_axis = fxi_node_int(node, FXI_ATTR_INDEX_AXIS);
    fxi_shape_strides(&indices->shape, strides);
    for (int axis = 0, next = 0; axis < indices->shape.rank; axis++)
        if (axis != index_axis) offset += batch[next++] * strides[axis];
    return offset;
}

/* Position along an axis of the indices, from the positions along all but the index axis. */
static int64_t batch_at(const fx_node *node, const int64_t *batch, int64_t axis) {
    return batch[axis - (axis > fxi_node_int(node, FXI_ATTR_INDEX_AXIS))];
}

static void find_place(const fx_node *node, const fx_tensor *indices, const fx_shape *operand,
                       const fxi_interp_cursor *at, place *p) {
    int64_t batch[FX_MAX_RANK], strides[FX_MAX_RANK + 1];
    fx_dims window = fxi_node_ints(node, FXI_ATTR_WINDOW_AXES), map = fxi_node_ints(node, FXI_ATTR_INDEX_MAP),
            dropped = fxi_node_ints(node, FXI_ATTR_DROPPED_AXES),
            own = fxi_node_ints(node, FXI_ATTR_OPERAND_BATCH),
            other = fxi_node_ints(node, FXI_ATTR_INDICES_BATCH);
    memset(p, 0, sizeof *p);
    for (int axis = 0, next = 0; axis < at->rank; axis++)
        if (!fxi_dims_has(window, axis)) batch[next++] = at->index[axis];
    fxi_shape_strides(&indices->shape, strides);
    strides[indices->shape.rank] = 1; /* without an index axis there is one component */
    int64_t first = index_offset(node, indices, batch),
            step = strides[fxi_node_int(node, FXI_ATTR_INDEX_AXIS)];
    for (size_t k = 0; k < map.n; k++) p->start[map.v[k]] = load_index(indices, first + (int64_t)k * step);
    for (size_t k = 0; k < own.n; k++) p->start[own.v[k]] = batch_at(node, batch, other.v[k]);
    for (int axis = 0, next = 0; axis < operand->rank; axis++)
        if (!fxi_dims_has(dropped, axis) && !fxi_dims_has(own, axis))
            p->window[axis] = at->index[window.v[next++]];
}

bool fxi_interp_gather(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err) {
    (void)err;
    const fx_tensor *x = operands[0];
    fx_dims sizes = fxi_node_ints(node, FXI_ATTR_SIZES);
    int64_t strides[FX_MAX_RANK] = {0}, own[FX_MAX_RANK];
    fxi_interp_cursor walk = walk_of(&result->shape, strides);
    fxi_shape_strides(&x->shape, own);
    for (int64_t i = 0, n = fx_shape_size(&result->shape); i < n; i++, fxi_interp_advance(&walk)) {
        place p;
        int64_t from = 0;
        find_place(node, operands[1], &x->shape, &walk, &p);
        for (int axis = 0; axis < x->shape.rank; axis++)
            from +=
                (clamp_start(p.start[axis], x->shape.dims[axis], sizes.v[axis]) + p.window[axis]) * own[axis];
        copy_element(result, i, x, from);
    }
    return true;
}

/* Dimensions of an update's window along the operand's axes: 1 where the updates lack the axis. */
static void window_sizes(const fx_node *node, const fx_shape *updates, const fx_shape *x, int64_t *sizes) {
    fx_dims window = fxi_node_ints(node, FXI_ATTR_WINDOW_AXES),
            dropped = fxi_node_ints(node, FXI_ATTR_DROPPED_AXES),
            own = fxi_node_ints(node, FXI_ATTR_OPERAND_BATCH);
    for (int axis = 0, next = 0; axis < x->rank; axis++) {
        bool lacks = fxi_dims_has(dropped, axis) || fxi_dims_has(own, axis);
        sizes[axis] = lacks ? 1 : updates->dims[window.v[next++]];
    }
}

static void scatter_into(const fx_node *node, fx_tensor *const *operands, fx_tensor *to) {
    const fx_tensor *updates = operands[2];
    const fx_shape *x = &to->shape;
    fx_dtype dtype = to->shape.dtype;
    fxi_scatter_kind kind = (fxi_scatter_kind)fxi_node_int(node, FXI_ATTR_COMBINE);
    int64_t strides[FX_MAX_RANK] = {0}, own[FX_MAX_RANK], sizes[FX_MAX_RANK];
    fxi_interp_cursor walk = walk_of(&updates->shape, strides);
    fxi_shape_strides(x, own);
    window_sizes(node, &updates->shape, x, sizes);
    for (int64_t i = 0, n = fx_shape_size(&updates->shape); i < n; i++, fxi_interp_advance(&walk)) {
        place p;
        int64_t at = 0;
        bool fits = true;
        find_place(node, operands[1], x, &walk, &p);
        for (int axis = 0; axis < x->rank; axis++) {
            fits &= p.start[axis] >= 0 && p.start[axis] <= x->dims[axis] - sizes[axis];
            if (fits) at += (p.start[axis] + p.window[axis]) * own[axis];
        }
        if (!fits) continue; /* the whole window is dropped */
        if (kind == FXI_SCATTER_UPDATE) {
            copy_element(to, at, updates, i);
            continue;
        }
        fxi_scalar old = fxi_element_load(dtype, to->data, at);
        fxi_scalar update = fxi_element_load(updates->shape.dtype, updates->data, i);
        fxi_element_store(dtype, to->data, at, fxi_reduce_combine((fxi_reduce_kind)kind, dtype, old, update));
    }
}

static void convert_all(const fx_tensor *from, fx_tensor *to) {
    for (int64_t i = 0, n = fx_shape_size(&to->shape); i < n; i++)
        fxi_element_store(to->shape.dtype, to->data, i, fxi_element_load(from->shape.dtype, from->data, i));
}

bool fxi_interp_scatter(const fx_node *node, fx_tensor *const *operands, fx_tensor *result, fx_error *err) {
    fx_dtype dtype = result->shape.dtype;
    int64_t kind = fxi_node_int(node, FXI_ATTR_COMBINE);
    bool rounds = (dtype == FX_F16 || dtype == FX_BF16) && kind <= FXI_SCATTER_PRODUCT;
    if (!rounds) {
        if (result->bytes > 0) memcpy(result->data, operands[0]->data, (size_t)result->bytes);
        scatter_into(node, operands, result);
        return true;
    }
    fx_shape shape = result->shape;
    shape.dtype = FX_F32;
    fx_tensor *wide = fxi_tensor_new_from(NULL, &shape, err);
    if (!wide) return false;
    convert_all(operands[0], wide);
    scatter_into(node, operands, wide);
    convert_all(wide, result);
    fx_tensor_free(wide);
    return true;
}
