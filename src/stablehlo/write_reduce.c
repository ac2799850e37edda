/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions and windows. A kind is a region of one operation and its neutral element; sums and products of
 * half types were widened before (lower_wide.c). */
#include "stablehlo/write.h"

void fxi_write_kind_region(fxi_writer *w, fxi_reduce_kind kind, fx_dtype dtype) {
    static const char *const names[FXI_REDUCE_KINDS] = {
        [FXI_SUM] = "stablehlo.add",     [FXI_PRODUCT] = "stablehlo.multiply",
        [FXI_MAX] = "stablehlo.maximum", [FXI_MIN] = "stablehlo.minimum",
        [FXI_AND] = "stablehlo.and",     [FXI_OR] = "stablehlo.or",
        [FXI_XOR] = "stablehlo.xor"};
    const fx_shape scalar = fxi_shape_scalar(dtype);
    const fx_shape *const shapes[] = {&scalar, &scalar};
    const fx_node *node = w->node;
    fxi_write_operand a[2];
    fxi_write_region_begin(w, true, shapes, 2, a);
    w->node = NULL;
    fxi_write_operand made = fxi_write_two(w, names[kind], a[0], a[1]);
    fxi_write_region_end(w, &made, 1);
    w->node = node;
}

void fxi_write_reduce(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fx_dtype dtype = n->shape.dtype;
    fxi_reduce_kind kind = (fxi_reduce_kind)fxi_node_int(n, FXI_ATTR_KIND);
    const fxi_write_operand in[] = {fxi_write_operand_of(s, n->operands[0]),
                                    fxi_write_scalar(w, dtype, fxi_reduce_neutral(kind, dtype))};
    const fx_shape *out = &n->shape;
    fxi_write_attr_ints(w, "dimensions", fxi_node_ints(n, FXI_ATTR_AXES));
    s->values[n->id] = fxi_write_begin(w, "stablehlo.reduce", in, 2, 1);
    fxi_write_kind_region(w, kind, dtype);
    fxi_write_regions_end(w);
    fxi_write_end(w, in, 2, &out, 1);
}

void fxi_write_reduce_window(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    fx_dtype dtype = n->shape.dtype;
    fxi_reduce_kind kind = (fxi_reduce_kind)fxi_node_int(n, FXI_ATTR_KIND);
    const fxi_write_operand in[] = {fxi_write_operand_of(s, n->operands[0]),
                                    fxi_write_scalar(w, dtype, fxi_reduce_neutral(kind, dtype))};
    const fx_shape *out = &n->shape;
    fxi_write_attr_ints(w, "window_dimensions", fxi_node_ints(n, FXI_ATTR_WINDOW));
    fxi_write_attr_ints(w, "window_strides", fxi_node_ints(n, FXI_ATTR_STRIDES));
    fxi_write_attr_ints(w, "base_dilations", fxi_node_ints(n, FXI_ATTR_BASE_DILATION));
    fxi_write_attr_ints(w, "window_dilations", fxi_node_ints(n, FXI_ATTR_WINDOW_DILATION));
    fxi_write_attr_padding(w, "padding", fxi_node_ints(n, FXI_ATTR_LOW), fxi_node_ints(n, FXI_ATTR_HIGH));
    s->values[n->id] = fxi_write_begin(w, "stablehlo.reduce_window", in, 2, 1);
    fxi_write_kind_region(w, kind, dtype);
    fxi_write_regions_end(w);
    fxi_write_end(w, in, 2, &out, 1);
}

/* ---- select_and_scatter ---- */

/* Whether what was selected, a, stays: unless b is larger, or the first NaN. */
static void write_select_region(fxi_writer *w, bool largest, const fx_shape *scalar) {
    const fx_shape *const shapes[] = {scalar, scalar};
    const fx_node *node = w->node;
    fxi_write_operand a[2];
    fxi_write_region_begin(w, true, shapes, 2, a);
    w->node = NULL;
    fxi_write_operand stays = fxi_write_compare(w, largest ? FXI_GE : FXI_LE, a[0], a[1]);
    if (fx_dtype_is_float(scalar->dtype))
        stays = fxi_write_two(w, "stablehlo.or", stays, fxi_write_compare(w, FXI_NE, a[0], a[0]));
    fxi_write_region_end(w, &stays, 1);
    w->node = node;
}

void fxi_write_select_and_scatter(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    const fx_shape scalar = fxi_shape_scalar(n->shape.dtype), *out = &n->shape;
    const fx_shape *const shapes[] = {&scalar, &scalar};
    const fx_node *node = w->node;
    fxi_write_operand a[2];
    const fxi_write_operand in[] = {fxi_write_operand_of(s, n->operands[0]),
                                    fxi_write_operand_of(s, n->operands[1]),
                                    fxi_write_scalar(w, scalar.dtype, (fxi_scalar){0})};
    fxi_write_attr_ints(w, "window_dimensions", fxi_node_ints(n, FXI_ATTR_WINDOW));
    fxi_write_attr_ints(w, "window_strides", fxi_node_ints(n, FXI_ATTR_STRIDES));
    fxi_write_attr_padding(w, "padding", fxi_node_ints(n, FXI_ATTR_LOW), fxi_node_ints(n, FXI_ATTR_HIGH));
    s->values[n->id] = fxi_write_begin(w, "stablehlo.select_and_scatter", in, 3, 1);
    write_select_region(w, fxi_node_int(n, FXI_ATTR_KIND) == FXI_MAX, &scalar);
    fxi_write_region_begin(w, false, shapes, 2, a);
    w->node = NULL;
    fxi_write_operand sum = fxi_write_two(w, "stablehlo.add", a[0], a[1]);
    fxi_write_region_end(w, &sum, 1);
    w->node = node;
    fxi_write_regions_end(w);
    fxi_write_end(w, in, 3, &out, 1);
}
