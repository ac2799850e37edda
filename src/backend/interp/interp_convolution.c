/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution: for each spatial place of the result a list of the pairs of elements whose products are
 * summed, then for each batch entry, group and output feature the sum over that list. An element of the
 * padding is a pair too: with a zero that follows the widened input. Sums and rounding are those of
 * dot_general. */
#include "interp_internal.h"

enum { SPATIAL = FX_MAX_RANK };

/* One spatial axis; x, kernel and y are element strides. */
typedef struct conv_axis {
    int64_t dim, size, stride, low, input_dilation, kernel_dilation, reversed;
    int64_t x, kernel, y;
} conv_axis;

typedef struct conv {
    int rank;
    conv_axis axis[SPATIAL];
    int64_t places;                    /* of the kernel's elements */
    int64_t features;                  /* input features of a group */
    int64_t x_feature, kernel_feature; /* element strides */
    int64_t *x_at, *kernel_at;         /* the list, [places][features] */
    int64_t zero;
} conv;

static void read_axes(conv *c, const fx_node *node, const int64_t *x, const int64_t *kernel,
                      const int64_t *y) {
    fx_dims input = fxi_node_ints(node, FXI_ATTR_INPUT_LAYOUT),
            k = fxi_node_ints(node, FXI_ATTR_KERNEL_LAYOUT),
            output = fxi_node_ints(node, FXI_ATTR_OUTPUT_LAYOUT);
    c->rank = node->shape.rank - 2;
    c->places = 1;
    for (int i = 0; i < c->rank; i++) {
        int64_t xa = input.v[i + 2], ka = k.v[i + 2];
        c->axis[i] = (conv_axis){.dim = node->operands[0]->shape.dims[xa],
                                 .size = node->operands[1]->shape.dims[ka],
                                 .stride = fxi_node_ints(node, FXI_ATTR_STRIDES).v[i],
                                 .low = fxi_node_ints(node, FXI_ATTR_LOW).v[i],
                                 .input_dilation = fxi_node_ints(node, FXI_ATTR_INPUT_DILATION).v[i],
                                 .kernel_dilation = fxi_node_ints(node, FXI_ATTR_KERNEL_DILATION).v[i],
                                 .reversed = fxi_node_ints(node, FXI_ATTR_REVERSED).v[i],
                                 .x = x[xa],
                                 .kernel = kernel[ka],
                                 .y = y[output.v[i + 2]]};
        c->places *= c->axis[i].size;
    }
    c->features = node->operands[1]->shape.dims[k.v[1]];
    c->x_feature = x[input.v[1]];
    c->kernel_feature = kernel[k.v[1]];
}

/* The input element under element k of the kernel at place o of the result; false: it is a zero. */
static bool find_input(const conv_axis *a, int64_t o, int64_t k, int64_t *offset) {
    int64_t at = o * a->stride + k * a->kernel_dilation - a->low;
    if (at < 0 || at % a->input_dilation != 0 || at / a->input_dilation >= a->dim) return false;
    *offset += at / a->input_dilation * a->x;
    return true;
}

/* The list for one place of the result. */
static void list_terms(conv *c, const int64_t *place) {
    fxi_interp_cursor k = {0};
    for (int i = 0; i < c->rank; i++) fxi_interp_add_axis(&k, c->axis[i].size, 0);
    for (int64_t p = 0; p < c->places; p++, fxi_interp_advance(&k)) {
        int64_t x = 0, kernel = 0;
        bool inside = true;
        for (int i = 0; i < c->rank; i++) {
            const conv_axis *a = &c->axis[i];
            inside = find_input(a, place[i], k.index[i], &x) && inside;
            kernel += (a->reversed ? a->size - 1 - k.index[i] : k.index[i]) * a->kernel;
        }
        for (int64_t f = 0; f < c->features; f++) {
            c->x_at[p * c->features + f] = inside ? x + f * c->x_feature : c->zero;
            c->kernel_at[p * c->features + f] = kernel + f * c->kernel_feature;
        }
    }
}

/* Batch entries, groups and output features: their counts and strides. */
typedef struct conv_outer {
    int64_t batch, groups, features;
    int64_t x_batch, x_group, kernel_feature, y_batch, y_feature;
} conv_outer;

static conv_outer read_outer(const fx_node *node, const int64_t *x, const int64_t *kernel, const int64_t *y) {
    fx_dims input = fxi_node_ints(node, FXI_ATTR_INPUT_LAYOUT),
            k = fxi_node_ints(node, FXI_ATTR_KERNEL_LAYOUT),
            output = fxi_node_ints(node, FXI_ATTR_OUTPUT_LAYOUT);
    int64_t feature_groups = fxi_node_int(node, FXI_ATTR_FEATURE_GROUPS),
            batch_groups = fxi_node_int(node, FXI_ATTR_BATCH_GROUPS);
    conv_outer o = {.batch = node->shape.dims[output.v[0]], .groups = feature_groups * batch_groups};
    o.features = node->shape.dims[output.v[1]] / o.groups;
    o.x_batch = x[input.v[0]];
    o.x_group =
        batch_groups > 1 ? o.batch * o.x_batch : node->operands[1]->shape.dims[k.v[1]] * x[input.v[1]];
    o.kernel_feature = kernel[k.v[0]];
    o.y_batch = y[output.v[0]];
    o.y_feature = y[output.v[1]];
    return o;
}

/* All results at one place. The zero lies beyond the elements, whatever is added to x: offsets of batch and
 * group are therefore added to the list, in a copy of x's part of it. */
static void compute_place(const conv *c, const conv_outer *o, void *const values[2], int64_t y,
                          const fx_node *node, int64_t *moved, fx_tensor *result) {
    fx_dtype carrier, to = node->shape.dtype;
    fxi_interp_sum sum = fxi_interp_sum_of(node->operands[0]->shape.dtype, &carrier);
    int64_t n = c->places * c->features;
    fxi_interp_terms t = {.x = values[0], .x_at = moved, .y_at = c->kernel_at, .n = n};
    for (int64_t b = 0; b < o->batch; b++)
        for (int64_t g = 0; g < o->groups; g++) {
            int64_t shift = b * o->x_batch + g * o->x_group;
            for (int64_t i = 0; i < n; i++) moved[i] = c->x_at[i] == c->zero ? c->zero : c->x_at[i] + shift;
            for (int64_t f = g * o->features; f < (g + 1) * o->features; f++) {
                t.y = fxi_interp_element(values[1], f * o->kernel_feature, carrier);
                fxi_element_store(to, result->data, y + b * o->y_batch + f * o->y_feature,
                                  fxi_scalar_convert(sum(&t), carrier, to));
            }
        }
}

bool fxi_interp_convolution(const fx_node *node, fx_tensor *const *operands, fx_tensor *result,
                            fx_error *err) {
    if (fx_shape_size(&result->shape) == 0) return true;
    int64_t x[FX_MAX_RANK], kernel[FX_MAX_RANK], y[FX_MAX_RANK];
    fxi_shape_strides(&operands[0]->shape, x);
    fxi_shape_strides(&operands[1]->shape, kernel);
    fxi_shape_strides(&result->shape, y);
    conv c = {.zero = fx_shape_size(&operands[0]->shape)};
    read_axes(&c, node, x, kernel, y);
    if (fx_shape_size(&operands[1]->shape) == 0) c.places = c.features = 0;
    conv_outer outer = read_outer(node, x, kernel, y);
    size_t n = (size_t)(c.places * c.features);
    c.x_at = fxi_alloc_zeroed(n, sizeof *c.x_at);
    c.kernel_at = fxi_alloc_zeroed(n, sizeof *c.kernel_at);
    int64_t *moved = fxi_alloc_zeroed(n, sizeof *moved);
    void *values[2] = {fxi_interp_widen(operands[0], 1), fxi_interp_widen(operands[1], 0)};
    bool ok = c.x_at && c.kernel_at && moved && values[0] && values[1];
    fxi_interp_cursor place = {0};
    fx_dims output = fxi_node_ints(node, FXI_ATTR_OUTPUT_LAYOUT);
    for (int i = 0; i < c.rank; i++)
        fxi_interp_add_axis(&place, node->shape.dims[output.v[i + 2]], c.axis[i].y);
    for (int64_t p = fxi_interp_size(&place); ok && p > 0; p--, fxi_interp_advance(&place)) {
        list_terms(&c, place.index);
        compute_place(&c, &outer, values, place.offset, node, moved, result);
    }
    fxi_free(c.x_at);
    fxi_free(c.kernel_at);
    fxi_free(moved);
    fxi_free(values[0]);
    fxi_free(values[1]);
    return ok || fxi_fail_memory(err, "interp: convolution");
}
