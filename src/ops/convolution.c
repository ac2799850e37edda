/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of convolutions. All of them fill in the attributes of the one primitive; what can be wrong about
 * shapes is said by its shape rule, under the builder's name. */
#include "ops/ops.h"
#include <fluxion/convolution.h>
#include <string.h>

enum { SPATIAL = FX_MAX_RANK }; /* more than there can be */

/* The attributes, filled in by the builders: with `spatial` entries in each list. */
typedef struct conv {
    fxi_build b;
    fx_node *x, *kernel;
    size_t spatial;
    fxi_axis_list input, kernel_axes, output;
    int64_t strides[SPATIAL], low[SPATIAL], high[SPATIAL], input_dilations[SPATIAL],
        kernel_dilations[SPATIAL], reversed[SPATIAL];
    int64_t channel_groups, batch_groups;
    fx_dtype dtype;
} conv;

static bool begin(conv *c, const char *name, fx_node *x, fx_node *kernel) {
    memset(c, 0, sizeof *c);
    c->x = x;
    c->kernel = kernel;
    if (!fxi_build_begin(&c->b, name, (fx_node *const[]){x, kernel}, 2)) return false;
    const fx_shape *shapes[] = {&x->shape, &kernel->shape};
    const fxi_shape_args args = {
        .name = name, .op = FX_OP_CONVOLUTION, .operands = shapes, .operand_count = 2};
    fx_error err = {.code = FX_OK};
    if (!fxi_dtypes_check(&args, &err)) {
        fxi_build_fail(c->b.graph, err.code, "%s", err.message);
        return false;
    }
    if (x->shape.rank < 2 || kernel->shape.rank != x->shape.rank) {
        fxi_build_refuse(&c->b, FX_ERROR_SHAPE,
                         "x is %s and the kernel %s: both need the same rank, at least 2",
                         fx_shape_to_text(&x->shape).s, fx_shape_to_text(&kernel->shape).s);
        return false;
    }
    c->spatial = (size_t)x->shape.rank - 2;
    for (size_t i = 0; i < c->spatial; i++)
        c->strides[i] = c->input_dilations[i] = c->kernel_dilations[i] = 1;
    c->channel_groups = c->batch_groups = 1;
    c->dtype = x->shape.dtype;
    return true;
}

static fx_node *finish(const conv *c) {
    size_t n = c->spatial;
    const fxi_attr attrs[] = {fxi_attr_ints(FXI_ATTR_INPUT_LAYOUT, c->input.v, c->input.n),
                              fxi_attr_ints(FXI_ATTR_KERNEL_LAYOUT, c->kernel_axes.v, c->kernel_axes.n),
                              fxi_attr_ints(FXI_ATTR_OUTPUT_LAYOUT, c->output.v, c->output.n),
                              fxi_attr_ints(FXI_ATTR_STRIDES, c->strides, n),
                              fxi_attr_ints(FXI_ATTR_LOW, c->low, n),
                              fxi_attr_ints(FXI_ATTR_HIGH, c->high, n),
                              fxi_attr_ints(FXI_ATTR_INPUT_DILATION, c->input_dilations, n),
                              fxi_attr_ints(FXI_ATTR_KERNEL_DILATION, c->kernel_dilations, n),
                              fxi_attr_ints(FXI_ATTR_REVERSED, c->reversed, n),
                              fxi_attr_int(FXI_ATTR_FEATURE_GROUPS, c->channel_groups),
                              fxi_attr_int(FXI_ATTR_BATCH_GROUPS, c->batch_groups),
                              fxi_attr_dtype(c->dtype)};
    return fxi_build_node(&c->b, FX_OP_CONVOLUTION, (fx_node *const[]){c->x, c->kernel}, 2, attrs,
                          sizeof attrs / sizeof attrs[0], NULL);
}

/* ---- layouts ---- */

/* Two axes and the spatial ones; `what` names the array in messages. */
static bool take_layout(const conv *c, const fx_node *x, const char *what, int first, int second,
                        fx_axes spatial, fxi_axis_list *list) {
    int axes[SPATIAL + 2] = {first, second};
    if (spatial.n != c->spatial || (spatial.n && !spatial.v)) {
        fxi_build_refuse(&c->b, FX_ERROR_ARGUMENT, "%zu spatial axes of the %s; %s has %zu", spatial.n, what,
                         fx_shape_to_text(&x->shape).s, c->spatial);
        return false;
    }
    for (size_t i = 0; i < spatial.n; i++) axes[i + 2] = spatial.v[i];
    return fxi_build_axes(&c->b, x, (fx_axes){axes, spatial.n + 2}, list);
}

static bool take_axes(conv *c, const fx_conv_axes *a) {
    return take_layout(c, c->x, "input", a->input_batch, a->input_channels, a->input_spatial, &c->input) &&
           take_layout(c, c->kernel, "kernel", a->kernel_output_channels, a->kernel_input_channels,
                       a->kernel_spatial, &c->kernel_axes) &&
           take_layout(c, c->x, "output", a->output_batch, a->output_channels, a->output_spatial, &c->output);
}

static bool usual_axes(conv *c, bool channels_first, const fx_conv_axes *given) {
    if (given) return take_axes(c, given);
    int from = channels_first ? 2 : 1, spatial[SPATIAL], kernel_spatial[SPATIAL];
    for (int i = 0; i < SPATIAL; i++) {
        spatial[i] = i + from;
        kernel_spatial[i] = i + (channels_first ? 2 : 0);
    }
    fx_axes space = {spatial, c->spatial};
    const fx_conv_axes axes = {.input_channels = channels_first ? 1 : -1,
                               .output_channels = channels_first ? 1 : -1,
                               .kernel_output_channels = channels_first ? 0 : -1,
                               .kernel_input_channels = channels_first ? 1 : -2,
                               .input_spatial = space,
                               .output_spatial = space,
                               .kernel_spatial = {kernel_spatial, c->spatial}};
    return take_axes(c, &axes);
}

/* ---- lists ---- */

static bool take_list(const conv *c, const char *what, fx_dims list, int64_t *to) {
    if (list.n == 0) return true;
    if (list.n != c->spatial || !list.v) {
        fxi_build_refuse(&c->b, FX_ERROR_ATTRIBUTE, "%zu %s for %zu spatial axes", list.n, what, c->spatial);
        return false;
    }
    memcpy(to, list.v, list.n * sizeof *to);
    return true;
}

/* One entry stands for all axes. */
static bool take_short_list(const conv *c, const char *what, fx_axes list, int64_t *to) {
    if (list.n != 0 && ((list.n != 1 && list.n != c->spatial) || !list.v)) {
        fxi_build_refuse(&c->b, FX_ERROR_ATTRIBUTE,
                         "%zu %s for %zu spatial axes; give one for all, or one for each", list.n, what,
                         c->spatial);
        return false;
    }
    for (size_t i = 0; list.n && i < c->spatial; i++) to[i] = list.v[list.n == 1 ? 0 : i];
    return true;
}

static bool take_paddings(conv *c, fx_pads pads) {
    if (pads.n == 0) return true;
    if (pads.n != c->spatial || !pads.v) {
        fxi_build_refuse(&c->b, FX_ERROR_ATTRIBUTE, "%zu paddings for %zu spatial axes", pads.n, c->spatial);
        return false;
    }
    for (size_t i = 0; i < pads.n; i++) {
        c->low[i] = pads.v[i].start;
        c->high[i] = pads.v[i].end;
        if (pads.v[i].interior == 0) continue;
        fxi_build_refuse(&c->b, FX_ERROR_ATTRIBUTE,
                         "interior padding %lld of spatial axis %zu; use input dilations",
                         (long long)pads.v[i].interior, i);
        return false;
    }
    return true;
}

static bool check_same(const conv *c, bool pad_same, fx_pads paddings) {
    if (!pad_same || paddings.n == 0) return true;
    fxi_build_refuse(&c->b, FX_ERROR_ATTRIBUTE, "pad_same and paddings exclude each other");
    return false;
}

/* (kernel - 1) dilation + 1, at least 1; clipped where only an error can follow. */
static int64_t dilated_kernel(const conv *c, size_t i) {
    int64_t size = c->kernel->shape.dims[c->kernel_axes.v[i + 2]], most = INT64_C(1) << 60, product;
    if (size <= 1 || c->kernel_dilations[i] < 1) return 1;
    if (!fxi_size_mul(size - 1, c->kernel_dilations[i], &product) || product > most) return most;
    return product + 1;
}

static void take_groups(conv *c, int64_t channel_groups, int64_t batch_groups, fx_dtype dtype) {
    if (channel_groups != 0) c->channel_groups = channel_groups;
    if (batch_groups != 0) c->batch_groups = batch_groups;
    if (dtype != 0) c->dtype = dtype;
}

/* ---- the builders ---- */

fx_node *fx_conv_general(fx_node *x, fx_node *kernel, const fx_conv_general_options *options) {
    conv c;
    fx_conv_general_options o;
    if (!begin(&c, "fx_conv_general", x, kernel)) return c.b.stop;
    if (!options) return fxi_build_refuse(&c.b, FX_ERROR_ARGUMENT, "the options are NULL");
    fxi_build_options(&o, sizeof o, options);
    bool ok = take_axes(&c, &o.axes) && take_list(&c, "strides", o.strides, c.strides) &&
              take_paddings(&c, o.paddings) &&
              take_list(&c, "input dilations", o.input_dilations, c.input_dilations) &&
              take_list(&c, "kernel dilations", o.kernel_dilations, c.kernel_dilations) &&
              take_list(&c, "reversed", o.reversed, c.reversed);
    if (!ok) return c.b.stop;
    take_groups(&c, o.channel_groups, o.batch_groups, o.dtype);
    return finish(&c);
}

/* No axis that has elements, or padding, may vanish because the kernel is larger. */
static fx_node *check_kernel_fits(const conv *c, fx_node *result) {
    if (!result || result->op == FX_OP_INERT) return result;
    for (size_t i = 0; i < c->spatial; i++) {
        int64_t dim = c->x->shape.dims[c->input.v[i + 2]];
        int64_t padded = (dim ? (dim - 1) * c->input_dilations[i] + 1 : 0) + c->low[i] + c->high[i];
        if (padded > 0 && result->shape.dims[c->output.v[i + 2]] == 0)
            return fxi_build_refuse(
                &c->b, FX_ERROR_SHAPE,
                "the kernel has %lld elements along spatial axis %zu, which has %lld with its padding",
                (long long)dilated_kernel(c, i), i, (long long)padded);
    }
    return result;
}

fx_node *fx_convolve(fx_node *x, fx_node *kernel, const fx_conv_options *options) {
    conv c;
    fx_conv_options o;
    fxi_build_options(&o, sizeof o, options);
    if (!begin(&c, "fx_convolve", x, kernel)) return c.b.stop;
    bool ok = usual_axes(&c, o.channels_first, o.axes) &&
              take_short_list(&c, "strides", o.strides, c.strides) &&
              take_short_list(&c, "dilations", o.dilations, c.kernel_dilations) &&
              take_short_list(&c, "input dilations", o.input_dilations, c.input_dilations) &&
              check_same(&c, o.pad_same, o.paddings) && take_paddings(&c, o.paddings);
    if (!ok) return c.b.stop;
    for (size_t i = 0; o.pad_same && i < c.spatial; i++) {
        c.low[i] = (dilated_kernel(&c, i) - 1) / 2;
        c.high[i] = dilated_kernel(&c, i) / 2;
    }
    take_groups(&c, o.channel_groups, o.batch_groups, o.dtype);
    return check_kernel_fits(&c, finish(&c));
}

/* Of one axis of a transposed convolution; the stride is at least 1. */
static void transposed_padding(conv *c, size_t i, bool same) {
    int64_t k = dilated_kernel(c, i), s = c->input_dilations[i], total = k + s - 2;
    c->low[i] = k - 1;
    if (same && s <= k - 1) c->low[i] = (total + 1) / 2;
    if (!same && k > s) total += k - s;
    c->high[i] = total - c->low[i];
}

static void transpose_kernel(conv *c) {
    int64_t output = c->kernel_axes.v[0];
    c->kernel_axes.v[0] = c->kernel_axes.v[1];
    c->kernel_axes.v[1] = output;
    for (size_t i = 0; i < c->spatial; i++) c->reversed[i] = 1;
}

fx_node *fx_conv_transpose(fx_node *x, fx_node *kernel, const fx_conv_transpose_options *options) {
    conv c;
    fx_conv_transpose_options o;
    fxi_build_options(&o, sizeof o, options);
    if (!begin(&c, "fx_conv_transpose", x, kernel)) return c.b.stop;
    bool ok = usual_axes(&c, o.channels_first, o.axes) &&
              take_short_list(&c, "strides", o.strides, c.input_dilations) &&
              take_short_list(&c, "dilations", o.dilations, c.kernel_dilations) &&
              check_same(&c, o.pad_same, o.paddings) && take_paddings(&c, o.paddings);
    if (!ok) return c.b.stop;
    for (size_t i = 0; i < c.spatial; i++) {
        if (c.input_dilations[i] < 1)
            return fxi_build_refuse(&c.b, FX_ERROR_ATTRIBUTE,
                                    "stride %lld of spatial axis %zu; it must be at least 1",
                                    (long long)c.input_dilations[i], i);
        if (o.paddings.n == 0) transposed_padding(&c, i, o.pad_same);
    }
    if (o.transpose_kernel) transpose_kernel(&c);
    take_groups(&c, 0, 0, o.dtype);
    return finish(&c);
}
