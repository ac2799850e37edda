/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of convolution: each adjoint is one convolution, whose layouts are attributes.
 *
 *   y[n, f, o] = sum over c, k of x[n, c, i] w[f, c, k] at i input_dilation = o stride + k dilation - low
 *
 * x: the adjoint of y under the kernel backwards, features swapped; its input dilation is the stride, its
 * stride the input dilation. Groups of features, or of the batch, are groups of features again: the kernel's
 * output features fall into groups beside its input features.
 * w: x with the batch as features, the adjoint of y as the kernel: stride and kernel dilation change places,
 * groups of features and groups of the batch too.
 *
 * Paddings follow from the formula: low such that equal products meet, high such that the result has just
 * the operand's size. Where a result is wider than the operands all is done in its dtype. */
#include "grad_internal.h"

enum { SPATIAL = FX_MAX_RANK, ATTRS = 12 };

/* One spatial axis. */
typedef struct conv_axis {
    int64_t x, kernel, y; /* dimensions */
    int64_t stride, low, input_dilation, kernel_dilation, reversed;
} conv_axis;

typedef struct conv {
    const fxi_build *b;
    const fx_node *n;
    size_t spatial;
    conv_axis axis[SPATIAL];
    fx_dims input, kernel, output; /* layouts */
    int64_t feature_groups, batch_groups;
} conv;

/* What is different in the convolution that gives an adjoint. */
typedef struct changes {
    int64_t input[SPATIAL], kernel[SPATIAL], output[SPATIAL];
    int64_t strides[SPATIAL], low[SPATIAL], high[SPATIAL], input_dilation[SPATIAL], kernel_dilation[SPATIAL],
        reversed[SPATIAL];
    int64_t feature_groups, batch_groups;
} changes;

static conv read_conv(const fxi_build *b, const fx_node *n) {
    conv c = {.b = b,
              .n = n,
              .spatial = (size_t)n->shape.rank - 2,
              .input = fxi_node_ints(n, FXI_ATTR_INPUT_LAYOUT),
              .kernel = fxi_node_ints(n, FXI_ATTR_KERNEL_LAYOUT),
              .output = fxi_node_ints(n, FXI_ATTR_OUTPUT_LAYOUT),
              .feature_groups = fxi_node_int(n, FXI_ATTR_FEATURE_GROUPS),
              .batch_groups = fxi_node_int(n, FXI_ATTR_BATCH_GROUPS)};
    for (size_t i = 0; i < c.spatial; i++)
        c.axis[i] = (conv_axis){.x = n->operands[0]->shape.dims[c.input.v[i + 2]],
                                .kernel = n->operands[1]->shape.dims[c.kernel.v[i + 2]],
                                .y = n->shape.dims[c.output.v[i + 2]],
                                .stride = fxi_node_ints(n, FXI_ATTR_STRIDES).v[i],
                                .low = fxi_node_ints(n, FXI_ATTR_LOW).v[i],
                                .input_dilation = fxi_node_ints(n, FXI_ATTR_INPUT_DILATION).v[i],
                                .kernel_dilation = fxi_node_ints(n, FXI_ATTR_KERNEL_DILATION).v[i],
                                .reversed = fxi_node_ints(n, FXI_ATTR_REVERSED).v[i]};
    return c;
}

/* n on other operands, of one dtype, which the result has too. */
static fx_node *convolve(const conv *c, fx_node *x, fx_node *kernel, const changes *to) {
    size_t n = c->spatial;
    const fxi_attr attrs[ATTRS] = {fxi_attr_ints(FXI_ATTR_INPUT_LAYOUT, to->input, n + 2),
                                   fxi_attr_ints(FXI_ATTR_KERNEL_LAYOUT, to->kernel, n + 2),
                                   fxi_attr_ints(FXI_ATTR_OUTPUT_LAYOUT, to->output, n + 2),
                                   fxi_attr_ints(FXI_ATTR_STRIDES, to->strides, n),
                                   fxi_attr_ints(FXI_ATTR_LOW, to->low, n),
                                   fxi_attr_ints(FXI_ATTR_HIGH, to->high, n),
                                   fxi_attr_ints(FXI_ATTR_INPUT_DILATION, to->input_dilation, n),
                                   fxi_attr_ints(FXI_ATTR_KERNEL_DILATION, to->kernel_dilation, n),
                                   fxi_attr_ints(FXI_ATTR_REVERSED, to->reversed, n),
                                   fxi_attr_int(FXI_ATTR_FEATURE_GROUPS, to->feature_groups),
                                   fxi_attr_int(FXI_ATTR_BATCH_GROUPS, to->batch_groups),
                                   fxi_attr_dtype(c->n->shape.dtype)};
    return fxi_build_node(c->b, FX_OP_CONVOLUTION, (fx_node *const[]){x, kernel}, 2, attrs, ATTRS, NULL);
}

/* A factor of the transposed product: conjugated, in the result's dtype. */
static fx_node *factor(const conv *c, fx_node *x) {
    return fxi_grad_conj(fx_convert(x, c->n->shape.dtype));
}

/* ---- groups ---- */

/* Axis `from` falls into (groups, rest): the rest stays, the groups go before axis `to` and become one with
 * it. */
static fx_node *move_groups(fx_node *x, int64_t groups, int64_t from, int64_t to) {
    int64_t split[FX_MAX_RANK + 1] = {0}, merged[FX_MAX_RANK] = {0}, rank = x->shape.rank, crossed = 1;
    int permutation[FX_MAX_RANK + 1];
    size_t size = (size_t)rank + 1, at = 0;
    for (int64_t i = 0; i <= rank; i++) split[i] = x->shape.dims[i > from ? i - 1 : i];
    split[from] = groups;
    split[from + 1] /= groups;
    int64_t before = to > from ? to + 1 : to; /* in `split`, as what follows */
    for (int64_t i = 0; i <= rank; i++) {
        if (i == before) permutation[at++] = (int)from;
        if (i != from) permutation[at++] = (int)i;
        if ((i > from && i < before) || (i >= before && i < from)) crossed *= split[i];
    }
    for (int64_t i = 0; i < rank; i++) merged[i] = x->shape.dims[i];
    merged[from] /= groups;
    merged[to] *= groups;
    if (crossed != 1) /* else the elements keep their order */
        x = fx_transpose_all_axes(fx_reshape(x, (fx_dims){split, size}), (fx_axes){permutation, size});
    return fx_reshape(x, (fx_dims){merged, (size_t)rank});
}

/* ---- the operands' adjoints ---- */

static void exchange_features(fx_dims layout, int64_t *to) {
    for (size_t i = 0; i < layout.n; i++) to[i] = layout.v[i];
    to[0] = layout.v[1];
    to[1] = layout.v[0];
}

static void keep_layout(fx_dims layout, int64_t *to) {
    for (size_t i = 0; i < layout.n; i++) to[i] = layout.v[i];
}

static fx_node *adjoint_of_x(const conv *c, fx_node *u) {
    changes to = {.feature_groups = c->feature_groups * c->batch_groups, .batch_groups = 1};
    fx_node *kernel = factor(c, c->n->operands[1]);
    keep_layout(c->output, to.input);
    exchange_features(c->kernel, to.kernel);
    keep_layout(c->input, to.output);
    for (size_t i = 0; i < c->spatial; i++) {
        const conv_axis *a = &c->axis[i];
        int64_t window = fxi_grad_span(a->kernel, a->kernel_dilation);
        to.strides[i] = a->input_dilation;
        to.input_dilation[i] = a->stride;
        to.kernel_dilation[i] = a->kernel_dilation;
        to.reversed[i] = !a->reversed;
        to.low[i] = window - 1 - a->low;
        to.high[i] = fxi_grad_span(a->x, a->input_dilation) - 1 + window - to.low[i] -
                     fxi_grad_span(a->y, a->stride);
    }
    if (to.feature_groups > 1)
        kernel = move_groups(kernel, to.feature_groups, c->kernel.v[0], c->kernel.v[1]);
    fx_node *x = convolve(c, u, kernel, &to);
    if (c->batch_groups > 1) x = move_groups(x, c->batch_groups, c->input.v[1], c->input.v[0]);
    return fx_convert(x, c->n->operands[0]->shape.dtype);
}

static fx_node *adjoint_of_kernel(const conv *c, fx_node *u) {
    changes to = {.feature_groups = c->batch_groups, .batch_groups = c->feature_groups};
    int reversed[SPATIAL];
    size_t count = 0;
    exchange_features(c->input, to.input);
    exchange_features(c->output, to.kernel);
    exchange_features(c->kernel, to.output);
    for (size_t i = 0; i < c->spatial; i++) {
        const conv_axis *a = &c->axis[i];
        to.strides[i] = a->kernel_dilation;
        to.input_dilation[i] = a->input_dilation;
        to.kernel_dilation[i] = a->stride;
        to.low[i] = a->low;
        to.high[i] = fxi_grad_span(a->kernel, a->kernel_dilation) - 1 + fxi_grad_span(a->y, a->stride) -
                     a->low - fxi_grad_span(a->x, a->input_dilation);
        if (a->reversed) reversed[count++] = (int)c->kernel.v[i + 2];
    }
    fx_node *kernel = convolve(c, factor(c, c->n->operands[0]), u, &to);
    if (count) kernel = fx_reverse(kernel, (fx_axes){reversed, count});
    return fx_convert(kernel, c->n->operands[1]->shape.dtype);
}

static void vjp_convolution(const fxi_vjp *v) {
    const fx_node *n = v->n;
    if (fx_shape_size(&n->operands[0]->shape) == 0 || fx_shape_size(&n->operands[1]->shape) == 0 ||
        fx_shape_size(&n->shape) == 0)
        return; /* no element of x meets one of the kernel */
    const conv c = read_conv(v->b, n);
    if (v->wanted[0]) v->out[0] = adjoint_of_x(&c, v->adjoints[0]);
    if (v->wanted[1]) v->out[1] = adjoint_of_kernel(&c, v->adjoints[0]);
}
const fxi_grad_rule fxi_gradrule_convolution = {.vjp = vjp_convolution, .jvp = fxi_jvp_bilinear};
