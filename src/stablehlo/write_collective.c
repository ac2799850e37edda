/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives. Groups become replica_groups, of which an empty table is one group of all; a channel says that
 * partitions exchange values, see <fluxion/collective.h>. */
#include "stablehlo/write.h"

/* A channel between devices; 0: none is written. */
static void attr_channel(fxi_writer *w, const fx_node *n) {
    long long channel = (long long)fxi_node_int(n, FXI_ATTR_CHANNEL);
    if (channel > 0)
        fxi_write_attr(w, "channel_handle", "#stablehlo.channel_handle<handle = %lld, type = 1>", channel);
}

static void attr_groups(fxi_writer *w, const fx_node *n) {
    fx_dims groups = fxi_node_ints(n, FXI_ATTR_GROUPS);
    size_t size = groups.n ? (size_t)fxi_node_int(n, FXI_ATTR_GROUP_SIZE) : 0;
    fxi_write_attr_table(w, "replica_groups", groups.v, size ? groups.n / size : 0, size);
    attr_channel(w, n);
}

/* One group of all, written out: XLA asks for it in an all_to_all, and a plugin of 2025 divides by the size
 * of the group that is not there. */
static void attr_all(fxi_writer *w, const fx_node *n) {
    const long long count = (long long)fxi_node_int(n, FXI_ATTR_TAKING_PART);
    fxi_write_attr(w, "replica_groups", "dense<[[");
    for (long long i = 0; i < count; i++) fxi_text_add(&w->attrs, "%s%lld", i ? ", " : "", i);
    fxi_text_add(&w->attrs, "]]> : tensor<1x%lldxi64>", count);
    attr_channel(w, n);
}

static void attr_global_ids(fxi_writer *w, const fx_node *n) {
    if (!fxi_node_int(n, FXI_ATTR_GLOBAL_IDS)) return;
    fxi_text_add(&w->attrs, ", use_global_device_ids");
}

static void write_with_kind(fxi_writer *w, fxi_write_scope *s, const fx_node *n, const char *name) {
    const fxi_write_operand in = fxi_write_operand_of(s, n->operands[0]);
    const fx_shape *out = &n->shape;
    s->values[n->id] = fxi_write_begin(w, name, &in, 1, 1);
    fxi_write_kind_region(w, (fxi_reduce_kind)fxi_node_int(n, FXI_ATTR_KIND), n->shape.dtype);
    fxi_write_regions_end(w);
    fxi_write_end(w, &in, 1, &out, 1);
}

void fxi_write_all_reduce(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    attr_groups(w, n);
    attr_global_ids(w, n);
    write_with_kind(w, s, n, "stablehlo.all_reduce");
}

void fxi_write_reduce_scatter(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_write_attr(w, "scatter_dimension", "%lld : i64", (long long)fxi_node_int(n, FXI_ATTR_AXIS));
    attr_groups(w, n);
    attr_global_ids(w, n);
    write_with_kind(w, s, n, "stablehlo.reduce_scatter");
}

void fxi_write_all_gather(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_write_attr(w, "all_gather_dim", "%lld : i64", (long long)fxi_node_int(n, FXI_ATTR_AXIS));
    attr_groups(w, n);
    attr_global_ids(w, n);
    fxi_write_node(w, s, n, "stablehlo.all_gather");
}

void fxi_write_all_to_all(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fxi_write_attr(w, "split_dimension", "%lld : i64", (long long)fxi_node_int(n, FXI_ATTR_SPLIT_AXIS));
    fxi_write_attr(w, "concat_dimension", "%lld : i64", (long long)fxi_node_int(n, FXI_ATTR_CONCAT_AXIS));
    fxi_write_attr(w, "split_count", "%lld : i64", (long long)fxi_node_int(n, FXI_ATTR_TAKING_PART));
    if (fxi_node_ints(n, FXI_ATTR_GROUPS).n > 0)
        attr_groups(w, n);
    else
        attr_all(w, n);
    fxi_write_node(w, s, n, "stablehlo.all_to_all");
}

void fxi_write_permute(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fx_dims pairs = fxi_node_ints(n, FXI_ATTR_PAIRS);
    fxi_write_attr_table(w, "source_target_pairs", pairs.v, pairs.n / 2, 2);
    attr_channel(w, n);
    fxi_write_node(w, s, n, "stablehlo.collective_permute");
}

void fxi_write_collective_broadcast(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    attr_groups(w, n);
    fxi_write_node(w, s, n, "stablehlo.collective_broadcast");
}
