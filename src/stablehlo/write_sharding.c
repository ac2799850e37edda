/* SPDX-License-Identifier: Apache-2.0 */
/* Shardings in Shardy's dialect: a mesh is an operation of the module, arguments and results of main carry
 * attributes, values in between go through sharding_constraint. Shardy numbers a mesh's devices by the
 * partitions of the program, so its list of ids says which partition each of our devices runs. */
#include "stablehlo/write.h"

static bool is_counted(const fxi_shardings *s, const fx_node *shard) {
    for (size_t i = 0; i < s->device_count; i++)
        if (fxi_shardings_partition(s, fxi_shard_device(shard, i)) != i) return false;
    return true;
}

static void write_mesh(fxi_writer *w, size_t number) {
    const fxi_shardings *s = &w->shardings;
    const fx_node *shard = s->meshes.data[number];
    const fx_dims sizes = fxi_node_ints(shard, FXI_ATTR_MESH_SIZES);
    fxi_text_add(w->text, "  \"sdy.mesh\"() <{mesh = #sdy.mesh<[");
    for (size_t i = 0; i < sizes.n; i++) {
        const fxi_mesh_name name = fxi_shard_axis_name(shard, (int)i);
        fxi_text_add(w->text, "%s\"%.*s\"=%lld", i ? ", " : "", (int)name.length, name.at,
                     (long long)sizes.v[i]);
    }
    fxi_text_add(w->text, "]");
    if (!is_counted(s, shard)) {
        fxi_text_add(w->text, ", device_ids=[");
        for (size_t i = 0; i < s->device_count; i++)
            fxi_text_add(w->text, "%s%zu", i ? ", " : "",
                         fxi_shardings_partition(s, fxi_shard_device(shard, i)));
        fxi_text_add(w->text, "]");
    }
    fxi_text_add(w->text, ">, sym_name = \"mesh%zu\"}> : () -> ()\n", number);
}

void fxi_write_meshes(fxi_writer *w) {
    for (size_t i = 0; i < w->shardings.meshes.count; i++) write_mesh(w, i);
}

static void write_cut(fxi_text *text, const fx_node *shard, int dimension, bool closed) {
    const fxi_cut cut = fxi_shard_cut(shard, dimension);
    fxi_text_add(text, "{");
    for (int i = 0; i < cut.count; i++) {
        const fxi_mesh_name name = fxi_shard_axis_name(shard, cut.axes[i]);
        fxi_text_add(text, "%s\"%.*s\"", i ? ", " : "", (int)name.length, name.at);
    }
    fxi_text_add(text, "%s}", closed || !cut.open ? "" : cut.count ? ", ?" : "?");
}

void fxi_write_sharding(const fxi_writer *w, fxi_text *text, const fx_node *shard, int rank, bool closed) {
    fxi_text_add(text, "#sdy.sharding<@mesh%zu, [", shard ? fxi_shardings_mesh(&w->shardings, shard) : 0);
    for (int i = 0; i < rank; i++) {
        if (i) fxi_text_add(text, ", ");
        if (shard)
            write_cut(text, shard, i, closed);
        else
            fxi_text_add(text, "{}");
    }
    fxi_text_add(text, "]>");
}

void fxi_write_shard(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_write_attr(w, "sharding", "%s", "");
    fxi_write_sharding(w, &w->attrs, n, n->shape.rank, false);
    fxi_write_node(w, s, n, "sdy.sharding_constraint");
}

bool fxi_write_lies_alike(const fxi_writer *w, size_t input, size_t output) {
    if (w->shardings.device_count == 0) return true;
    const fx_node *a = w->shardings.inputs[input], *b = w->shardings.outputs[output];
    return a == b || (a && b && fxi_attrs_equal(a, b));
}
