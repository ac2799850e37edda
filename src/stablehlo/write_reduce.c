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

/* ---- places of the largest ---- */

/* Whether x is NaN; of a dtype without, nothing is written and false given. */
static bool write_nan(fxi_writer *w, fxi_write_operand x, fxi_write_operand *is_nan) {
    if (!fx_dtype_is_float(x.shape.dtype)) return false;
    *is_nan = fxi_write_compare(w, FXI_NE, x, x);
    return true;
}

/* Whether a goes before b, that is: beats it, or equals it at a place before. NaN beats numbers and equals
 * NaN.   beats = a > b | nan(a) & !nan(b)        equals = a == b | nan(a) & nan(b)
 * of which, since a > b is false with a NaN: keep = a > b | nan(a) & (!nan(b) | first) | a == b & first */
static fxi_write_operand write_keep(fxi_writer *w, bool largest, const fxi_write_operand *a,
                                    const fxi_write_operand *b) {
    fxi_write_operand nan_a, nan_b;
    fxi_write_operand first = fxi_write_compare(w, FXI_LT, a[1], b[1]);
    fxi_write_operand keep = fxi_write_compare(w, largest ? FXI_GT : FXI_LT, a[0], b[0]);
    fxi_write_operand equal = fxi_write_compare(w, FXI_EQ, a[0], b[0]);
    keep = fxi_write_two(w, "stablehlo.or", keep, fxi_write_two(w, "stablehlo.and", equal, first));
    if (!write_nan(w, a[0], &nan_a) || !write_nan(w, b[0], &nan_b)) return keep;
    fxi_write_operand number = fxi_write_one(w, "stablehlo.not", &nan_b, 1, &nan_b.shape);
    number = fxi_write_two(w, "stablehlo.or", number, first);
    return fxi_write_two(w, "stablehlo.or", keep, fxi_write_two(w, "stablehlo.and", nan_a, number));
}

/* Of two pairs (value, place) the one to keep. */
static void write_arg_region(fxi_writer *w, bool largest, const fx_shape *value, const fx_shape *place) {
    const fx_shape *const shapes[] = {value, place, value, place};
    const fx_node *node = w->node;
    fxi_write_operand a[4], made[2];
    fxi_write_region_begin(w, true, shapes, 4, a);
    w->node = NULL;
    fxi_write_operand keep = write_keep(w, largest, a, a + 2);
    for (int i = 0; i < 2; i++) {
        const fxi_write_operand in[] = {keep, a[i], a[i + 2]};
        made[i] = fxi_write_one(w, "stablehlo.select", in, 3, &a[i].shape);
    }
    fxi_write_region_end(w, made, 2);
    w->node = node;
}

/* Begins with the value that everything beats or equals and place 0, the right answer when nothing beats it.
 * */
void fxi_write_arg_reduce(fxi_writer *w, fxi_write_scope *s, const fx_node *n) {
    const fx_shape *x = &n->operands[0]->shape;
    bool largest = fxi_node_int(n, FXI_ATTR_KIND) == FXI_MAX;
    int64_t axis = fxi_node_int(n, FXI_ATTR_AXIS);
    fx_shape places = *x, values = n->shape;
    places.dtype = n->shape.dtype;
    values.dtype = x->dtype;
    fxi_scalar worst = largest ? fxi_dtype_lowest(x->dtype) : fxi_dtype_highest(x->dtype);
    fxi_write_attr(w, "iota_dimension", "%lld : i64", (long long)axis);
    fxi_write_operand place = fxi_write_one(w, "stablehlo.iota", NULL, 0, &places);
    const fxi_write_operand in[] = {fxi_write_operand_of(s, n->operands[0]), place,
                                    fxi_write_scalar(w, x->dtype, worst),
                                    fxi_write_scalar(w, places.dtype, (fxi_scalar){0})};
    const fx_shape *const out[] = {&values, &n->shape};
    fxi_write_attr_ints(w, "dimensions", (fx_dims){&axis, 1});
    s->values[n->id] = fxi_write_begin(w, "stablehlo.reduce", in, 4, 2);
    s->values[n->id].result = 1;
    write_arg_region(w, largest, &in[2].shape, &in[3].shape);
    fxi_write_regions_end(w);
    fxi_write_end(w, in, 4, out, 2);
}

/* ---- select_and_scatter ---- */

/* Whether what was selected, a, stays: unless b is larger, or the first NaN. */
static void write_select_region(fxi_writer *w, bool largest, const fx_shape *scalar) {
    const fx_shape *const shapes[] = {scalar, scalar};
    const fx_node *node = w->node;
    fxi_write_operand a[2], nan[2];
    fxi_write_region_begin(w, true, shapes, 2, a);
    w->node = NULL;
    fxi_write_operand stays = fxi_write_compare(w, largest ? FXI_GE : FXI_LE, a[0], a[1]);
    if (write_nan(w, a[0], &nan[0])) stays = fxi_write_two(w, "stablehlo.or", stays, nan[0]);
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
