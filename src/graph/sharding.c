/* SPDX-License-Identifier: Apache-2.0 */
/* The shardings of a whole program: its meshes, the devices that they share, how its arguments and results
 * lie. A parameter lies as the first sharding made of it says, a result as the sharding that it is; whatever
 * has none is whole on every device. Both who writes the program and who runs it ask here, so they agree. */
#include "graph.h"
#include <stdlib.h>
#include <string.h>

static bool ints_equal(fx_dims a, fx_dims b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.v, b.v, a.n * sizeof *a.v) == 0);
}

static bool same_mesh(const fx_node *a, const fx_node *b) {
    const char *names = fxi_node_attr(a, FXI_ATTR_MESH_AXES)->u.text;
    return strcmp(names, fxi_node_attr(b, FXI_ATTR_MESH_AXES)->u.text) == 0 &&
           ints_equal(fxi_node_ints(a, FXI_ATTR_MESH_SIZES), fxi_node_ints(b, FXI_ATTR_MESH_SIZES)) &&
           ints_equal(fxi_node_ints(a, FXI_ATTR_MESH_DEVICES), fxi_node_ints(b, FXI_ATTR_MESH_DEVICES));
}

size_t fxi_shard_devices(const fx_node *shard) {
    const fx_dims sizes = fxi_node_ints(shard, FXI_ATTR_MESH_SIZES);
    size_t n = 1;
    for (size_t i = 0; i < sizes.n; i++) n *= (size_t)sizes.v[i];
    return n;
}

int64_t fxi_shard_device(const fx_node *shard, size_t place) {
    const fx_dims devices = fxi_node_ints(shard, FXI_ATTR_MESH_DEVICES);
    return devices.n ? devices.v[place] : (int64_t)place;
}

size_t fxi_shardings_mesh(const fxi_shardings *s, const fx_node *shard) {
    size_t i = 0;
    while (i < s->meshes.count && !same_mesh(s->meshes.data[i], shard)) i++;
    return i;
}

size_t fxi_shardings_partition(const fxi_shardings *s, int64_t device) {
    size_t low = 0, high = s->device_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->devices[middle] < device)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- meshes ---- */

static int by_value(const void *a, const void *b) {
    int64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static bool list_devices(fxi_shardings *s, const fx_node *shard, fx_error *err) {
    s->device_count = fxi_shard_devices(shard);
    s->devices = fxi_alloc_zeroed(s->device_count, sizeof *s->devices);
    if (!s->devices) return fxi_fail_memory(err, "shardings");
    for (size_t i = 0; i < s->device_count; i++) s->devices[i] = fxi_shard_device(shard, i);
    qsort(s->devices, s->device_count, sizeof *s->devices, by_value);
    return true;
}

/* A mesh has no device twice, so with as many devices, all of them known, it has the same. */
static bool has_same_devices(const fxi_shardings *s, const fx_node *shard) {
    if (fxi_shard_devices(shard) != s->device_count) return false;
    for (size_t i = 0; i < s->device_count; i++) {
        int64_t device = fxi_shard_device(shard, i);
        size_t at = fxi_shardings_partition(s, device);
        if (at == s->device_count || s->devices[at] != device) return false;
    }
    return true;
}

static bool note_mesh(fxi_shardings *s, const fx_node *shard, fx_error *err) {
    if (fxi_shardings_mesh(s, shard) < s->meshes.count) return true;
    if (s->meshes.count == 0) {
        FX_TRY(list_devices(s, shard, err));
    } else if (!has_same_devices(s, shard)) {
        return fxi_fail_at(err, FX_ERROR_UNSUPPORTED, shard->file, shard->line,
                           "fx_shard: a mesh of %zu devices in a program whose mesh has %zu, or others: the "
                           "meshes of a program have the same devices",
                           fxi_shard_devices(shard), s->device_count);
    }
    return FXI_PUSH(&s->meshes, shard) || fxi_fail_memory(err, "shardings");
}

/* The recursion is bounded by how deep closures nest. */
static bool note_meshes(fxi_shardings *s, const fx_graph *graph, fx_error *err) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const fx_node *n = graph->nodes.data[i];
        if (n->op == FX_OP_SHARD) FX_TRY(note_mesh(s, n, err));
        fxi_graphs bodies = fxi_node_bodies(n);
        for (size_t k = 0; k < bodies.n; k++) FX_TRY(note_meshes(s, bodies.v[k], err));
    }
    return true;
}

/* ---- arguments and results ---- */

static bool note_ends(fxi_shardings *s, const fx_graph *graph, fx_error *err) {
    s->inputs = fxi_alloc_zeroed(graph->parameters.count + 1, sizeof *s->inputs);
    s->outputs = fxi_alloc_zeroed(graph->output_count + 1, sizeof *s->outputs);
    if (!s->inputs || !s->outputs) return fxi_fail_memory(err, "shardings");
    for (size_t i = graph->nodes.count; i-- > 0;) {
        const fx_node *n = graph->nodes.data[i];
        if (n->op != FX_OP_SHARD || n->operands[0]->op != FX_OP_PARAMETER) continue;
        s->inputs[fxi_node_int(n->operands[0], FXI_ATTR_INDEX)] = n;
    }
    for (size_t i = 0; i < graph->output_count; i++)
        if (graph->outputs[i]->op == FX_OP_SHARD) s->outputs[i] = graph->outputs[i];
    return true;
}

bool fxi_shardings_find(const fx_graph *graph, fxi_shardings *s, fx_error *err) {
    *s = (fxi_shardings){.device_count = 0};
    if (note_meshes(s, graph, err) && note_ends(s, graph, err)) return true;
    fxi_shardings_free(s);
    return false;
}

void fxi_shardings_free(fxi_shardings *s) {
    fxi_free(s->meshes.data);
    fxi_free(s->devices);
    fxi_free((void *)s->inputs);
    fxi_free((void *)s->outputs);
    *s = (fxi_shardings){.device_count = 0};
}

/* ---- parts ---- */

void fxi_shard_part(const fx_node *shard, size_t place, fx_shape *part, int64_t starts[FX_MAX_RANK]) {
    const fx_dims sizes = fxi_node_ints(shard, FXI_ATTR_MESH_SIZES);
    int64_t coordinates[FX_MESH_AXES];
    for (size_t axis = sizes.n; axis-- > 0;) {
        coordinates[axis] = (int64_t)place % sizes.v[axis];
        place /= (size_t)sizes.v[axis];
    }
    *part = shard->shape;
    for (int i = 0; i < part->rank; i++) {
        fxi_cut cut = fxi_shard_cut(shard, i);
        int64_t number = 0;
        for (int k = 0; k < cut.count; k++) {
            number = number * sizes.v[cut.axes[k]] + coordinates[cut.axes[k]];
            part->dims[i] /= sizes.v[cut.axes[k]];
        }
        starts[i] = number * part->dims[i];
    }
}
