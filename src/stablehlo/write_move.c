/* SPDX-License-Identifier: Apache-2.0 */
/* Moves, paddings and parts at computed places: attributes have the names and the meaning that StableHLO
 * gives them (starts are clamped there too). */
#include "stablehlo/write.h"

static void attr_axis(fxi_writer *w, const char *name, const fx_node *n) {
    fxi_write_attr(w, name, "%lld : i64", (long long)fxi_node_int(n, FXI_ATTR_AXIS));
}

static void attr_ints(fxi_writer *w, const char *name, const fx_node *n, fxi_attr_id id) {
    fxi_write_attr_ints(w, name, fxi_node_ints(n, id));
}

void fxi_write_broadcast(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    attr_ints(w, "broadcast_dimensions", n, FXI_ATTR_AXES);
    fxi_write_node(w, s, n, "stablehlo.broadcast_in_dim");
}

void fxi_write_transpose(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    attr_ints(w, "permutation", n, FXI_ATTR_PERMUTATION);
    fxi_write_node(w, s, n, "stablehlo.transpose");
}

void fxi_write_slice(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    attr_ints(w, "start_indices", n, FXI_ATTR_STARTS);
    attr_ints(w, "limit_indices", n, FXI_ATTR_LIMITS);
    attr_ints(w, "strides", n, FXI_ATTR_STRIDES);
    fxi_write_node(w, s, n, "stablehlo.slice");
}

void fxi_write_reverse(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    attr_ints(w, "dimensions", n, FXI_ATTR_AXES);
    fxi_write_node(w, s, n, "stablehlo.reverse");
}

void fxi_write_concatenate(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    attr_axis(w, "dimension", n);
    fxi_write_node(w, s, n, "stablehlo.concatenate");
}

void fxi_write_pad(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    attr_ints(w, "edge_padding_low", n, FXI_ATTR_LOW);
    attr_ints(w, "edge_padding_high", n, FXI_ATTR_HIGH);
    attr_ints(w, "interior_padding", n, FXI_ATTR_INTERIOR);
    fxi_write_node(w, s, n, "stablehlo.pad");
}

void fxi_write_dynamic_slice(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    attr_ints(w, "slice_sizes", n, FXI_ATTR_SIZES);
    fxi_write_node(w, s, n, "stablehlo.dynamic_slice");
}
