/* SPDX-License-Identifier: Apache-2.0 */
/* Gather and scatter: the same attributes under other names. A gather clamps the start of a window in both
 * languages. A scatter drops a window that does not fit as a whole: so does XLA, where StableHLO's text
 * speaks of each element, which is the same for windows of one element. */
#include "stablehlo/write.h"

typedef struct names {
    const char *kind, *window, *dropped, *batch, *indices_batch, *map;
} names;

static void add_dims(fxi_writer *w, const fx_node *n, const char *name, fxi_attr_id id) {
    fx_dims list = fxi_node_ints(n, id);
    if (list.n == 0) return;
    fxi_text_add(&w->attrs, "%s = ", name);
    fxi_write_list(&w->attrs, list);
    fxi_text_add(&w->attrs, ", ");
}

static void attr_numbers(fxi_writer *w, const fx_node *n, const char *attr, const names *as) {
    fxi_write_attr(w, attr, "#stablehlo.%s<", as->kind);
    add_dims(w, n, as->window, FXI_ATTR_WINDOW_AXES);
    add_dims(w, n, as->dropped, FXI_ATTR_DROPPED_AXES);
    add_dims(w, n, as->batch, FXI_ATTR_OPERAND_BATCH);
    add_dims(w, n, as->indices_batch, FXI_ATTR_INDICES_BATCH);
    add_dims(w, n, as->map, FXI_ATTR_INDEX_MAP);
    fxi_text_add(&w->attrs, "index_vector_dim = %lld>", (long long)fxi_node_int(n, FXI_ATTR_INDEX_AXIS));
}

void fxi_write_gather(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    static const names as = {"gather",
                             "offset_dims",
                             "collapsed_slice_dims",
                             "operand_batching_dims",
                             "start_indices_batching_dims",
                             "start_index_map"};
    attr_numbers(w, n, "dimension_numbers", &as);
    fxi_write_attr_ints(w, "slice_sizes", fxi_node_ints(n, FXI_ATTR_SIZES));
    fxi_write_attr(w, "indices_are_sorted", "false");
    fxi_write_node(w, s, n, "stablehlo.gather");
}

/* The region of a scatter that takes the update. */
static void write_second_region(fxi_writer *w, fx_dtype dtype) {
    const fx_shape scalar = fxi_shape_scalar(dtype);
    const fx_shape *const shapes[] = {&scalar, &scalar};
    fxi_write_operand a[2];
    fxi_write_region_begin(w, true, shapes, 2, a);
    fxi_write_region_end(w, &a[1], 1);
}

void fxi_write_scatter(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    static const names as = {"scatter",
                             "update_window_dims",
                             "inserted_window_dims",
                             "input_batching_dims",
                             "scatter_indices_batching_dims",
                             "scatter_dims_to_operand_dims"};
    const fxi_write_operand in[] = {fxi_write_operand_of(s, n->operands[0]),
                                    fxi_write_operand_of(s, n->operands[1]),
                                    fxi_write_operand_of(s, n->operands[2])};
    const fx_shape *out = &n->shape;
    int64_t kind = fxi_node_int(n, FXI_ATTR_COMBINE);
    attr_numbers(w, n, "scatter_dimension_numbers", &as);
    fxi_write_attr(w, "indices_are_sorted", "false");
    fxi_write_attr(w, "unique_indices", "false");
    s->values[n->id] = fxi_write_begin(w, "stablehlo.scatter", in, 3, 1);
    if (kind == FXI_SCATTER_UPDATE)
        write_second_region(w, n->shape.dtype);
    else
        fxi_write_kind_region(w, (fxi_reduce_kind)kind, n->shape.dtype);
    fxi_write_regions_end(w);
    fxi_write_end(w, in, 3, &out, 1);
}
