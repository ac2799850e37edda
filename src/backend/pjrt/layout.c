/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts: which part of a tensor lies on which device. Values outlive the programs that made them, so a
 * layout is counted and shared by both. Two layouts are the same when every device has the same part,
 * whatever the names of the axes that said so. */
#include "pjrt_internal.h"
#include <string.h>

/* The part of each partition; NULL: all of them have the whole. */
static void place_parts(fxi_pjrt_layout *l, const fxi_shardings *s, const fx_node *shard) {
    for (size_t place = 0; place < l->count; place++) {
        size_t partition = shard ? fxi_shardings_partition(s, fxi_shard_device(shard, place)) : place;
        int64_t *starts = l->starts + partition * (size_t)l->part.rank;
        if (shard)
            fxi_shard_part(shard, place, &l->part, starts);
        else
            memset(starts, 0, (size_t)l->part.rank * sizeof *starts);
    }
}

fxi_pjrt_layout *fxi_pjrt_layout_new(const fxi_shardings *s, const fx_node *shard, const fx_shape *shape,
                                     fx_error *err) {
    size_t devices = s->device_count, numbers = devices * (size_t)(1 + shape->rank);
    fxi_pjrt_layout *l = fxi_alloc_zeroed(1, sizeof *l + numbers * sizeof(int64_t));
    if (!l) {
        fxi_fail_memory(err, "pjrt: compile");
        return NULL;
    }
    atomic_init(&l->references, 1);
    l->count = devices;
    l->part = *shape;
    l->devices = (int64_t *)(void *)(l + 1);
    l->starts = l->devices + devices;
    memcpy(l->devices, s->devices, devices * sizeof *l->devices);
    place_parts(l, s, shard);
    l->whole = fx_shape_equal(&l->part, shape);
    return l;
}

fxi_pjrt_layout *fxi_pjrt_layout_ref(fxi_pjrt_layout *layout) {
    if (layout) atomic_fetch_add_explicit(&layout->references, 1, memory_order_relaxed);
    return layout;
}

void fxi_pjrt_layout_free(fxi_pjrt_layout *layout) {
    if (layout && atomic_fetch_sub_explicit(&layout->references, 1, memory_order_acq_rel) == 1)
        fxi_free(layout);
}

bool fxi_pjrt_layout_equal(const fxi_pjrt_layout *a, const fxi_pjrt_layout *b) {
    if (a == b) return true;
    if (!a || !b || a->count != b->count || !fx_shape_equal(&a->part, &b->part)) return false;
    size_t numbers = a->count * (size_t)(1 + a->part.rank);
    return memcmp(a->devices, b->devices, numbers * sizeof(int64_t)) == 0;
}

const int64_t *fxi_pjrt_layout_starts(const fxi_pjrt_layout *layout, size_t device) {
    return layout->starts + device * (size_t)layout->part.rank;
}

bool fxi_pjrt_layout_repeats(const fxi_pjrt_layout *layout, size_t device) {
    size_t bytes = (size_t)layout->part.rank * sizeof(int64_t);
    for (size_t d = 0; d < device; d++)
        if (bytes == 0 ||
            memcmp(fxi_pjrt_layout_starts(layout, d), fxi_pjrt_layout_starts(layout, device), bytes) == 0)
            return true;
    return false;
}

/* ---- copies between a whole and its part, both dense and row-major ---- */

/* The part's last axes that are whole make one run of bytes; rows of runs are counted by the axes before. */
typedef struct walk {
    int rank;           /* axes that are counted */
    int64_t run, first; /* bytes of a run, and where the first begins in the whole */
    int64_t dims[FX_MAX_RANK], strides[FX_MAX_RANK]; /* of the part, in runs; in bytes of the whole */
} walk;

static walk walk_of(const fx_shape *whole, const fx_shape *part, const int64_t *starts) {
    walk w = {.rank = part->rank, .run = fx_dtype_bits(part->dtype) / 8};
    int64_t strides[FX_MAX_RANK];
    fxi_shape_strides(whole, strides);
    for (int i = 0; i < part->rank; i++) {
        w.dims[i] = part->dims[i];
        w.strides[i] = strides[i] * w.run;
        w.first += starts[i] * w.strides[i];
    }
    while (w.rank > 0) {
        int axis = --w.rank;
        w.run *= part->dims[axis];
        if (part->dims[axis] != whole->dims[axis]) break;
    }
    return w;
}

bool fxi_pjrt_part_is_run(const fx_shape *whole, const fx_shape *part, int64_t *first,
                          const int64_t *starts) {
    const walk w = walk_of(whole, part, starts);
    *first = w.first;
    for (int i = 0; i < w.rank; i++)
        if (w.dims[i] != 1) return false;
    return true;
}

void fxi_pjrt_part_copy(const fx_shape *whole, const fx_shape *part, const int64_t *starts, void *whole_data,
                        void *part_data, bool to_whole) {
    const walk w = walk_of(whole, part, starts);
    int64_t index[FX_MAX_RANK] = {0}, offset = w.first;
    char *at = part_data;
    if (fx_shape_bytes(part) == 0) return;
    for (bool more = true; more; at += w.run) {
        char *in_whole = (char *)whole_data + offset;
        memcpy(to_whole ? in_whole : at, to_whole ? at : in_whole, (size_t)w.run);
        more = false;
        for (int axis = w.rank - 1; axis >= 0 && !more; axis--) {
            more = ++index[axis] < w.dims[axis];
            offset += more ? w.strides[axis] : -(w.dims[axis] - 1) * w.strides[axis];
            if (!more) index[axis] = 0;
        }
    }
}
