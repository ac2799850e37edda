/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions: sums of products of a kernel with the part of x under it, for each place of the kernel. As
 * everywhere in machine learning the kernel is not reversed (it is a correlation), unless an option says
 * so. The rules at the head of ops.h hold here too.
 *
 * x and kernel have one dtype, numbers or complex, and one rank: two axes (batch and channels; input and
 * output channels) and any number of spatial ones, also none. Integers wrap; float16 and bfloat16 are
 * summed in float32 and rounded once. Outside of x, and between its elements where it is dilated, there are
 * zeros, which take part in the sums: a zero times Inf is NaN. Per spatial axis
 *
 *     result = (low + high + (dim - 1) input_dilation + 1 - ((kernel - 1) kernel_dilation + 1)) / stride + 1
 *
 * rounded down, with the element y[o] = sum over k of x'[o stride + k kernel_dilation - low] kernel[k],
 * where x' is x with input_dilation - 1 zeros between its elements. */
#ifndef FLUXION_CONVOLUTION_H
#define FLUXION_CONVOLUTION_H

#include <fluxion/graph.h>
#include <fluxion/indexing.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which axis is what. Negative axes count from the end. */
typedef struct fx_conv_axes {
    int input_batch, input_channels;
    fx_axes input_spatial;
    int kernel_input_channels, kernel_output_channels;
    fx_axes kernel_spatial; /* in the order of input_spatial, as the result's */
    int output_batch, output_channels;
    fx_axes output_spatial;
} fx_conv_axes;

/* ---- the operation itself ---- */

/* How StableHLO's convolution is put together. An empty list means the default for every spatial axis; else
 * there is one entry for each, in the order of axes.input_spatial. */
typedef struct fx_conv_general_options {
    size_t size; /* sizeof(fx_conv_general_options), or 0 */
    fx_conv_axes axes;
    fx_dims strides;  /* of the kernel's places; 1 */
    fx_pads paddings; /* start and end, which may be negative; interior must be 0 (see input_dilations) */
    fx_dims input_dilations;  /* distance of x's elements; 1 */
    fx_dims kernel_dilations; /* distance of the kernel's elements; 1 */
    fx_dims reversed;         /* 1: the kernel backwards along this axis; 0 */
    int64_t channel_groups;   /* 0 means 1: channels of x and of the result fall into so many groups, apart */
    int64_t batch_groups;     /* 0 means 1: the batch and the result's channels fall into groups, apart; the
                                 result has the batch of one group, and the channels of all in order */
    fx_dtype dtype;           /* of the result: 0 x's, or a wider one of its kind, in which it is summed */
} fx_conv_general_options;
/* Convolution with every option; the other functions are made of it. With channel groups g the kernel has
 * 1/g of x's channels as its input channels. Errors: ranks or layouts that do not fit, entries out of
 * range, groups that do not divide, both kinds of groups at once, negative paddings that remove more than
 * there is. A kernel larger than the padded axis gives an empty axis. */
FX_API fx_node *fx_conv_general(fx_node *x, fx_node *kernel, const fx_conv_general_options *options);

/* ---- the usual form ---- */

/* All zero: channels last, no padding, strides and dilations 1. Channels last: x [batch, spatial...,
 * channels], kernel [spatial..., input channels, output channels]; channels_first: x [batch, channels,
 * spatial...], kernel [output channels, input channels, spatial...]. Of strides and dilations one entry
 * stands for all spatial axes; else there is one for each, or none. pad_same pads (k - 1) / 2 before and k
 * / 2 after, k being the dilated kernel: stride 1 then keeps the size, an even kernel pads one more at the
 * end. */
typedef struct fx_conv_options {
    size_t size; /* sizeof(fx_conv_options), or 0 */
    bool channels_first;
    const fx_conv_axes *axes; /* another layout; NULL: as channels_first says */
    fx_axes strides;
    fx_axes dilations;       /* of the kernel */
    fx_axes input_dilations; /* of x */
    bool pad_same;
    fx_pads paddings; /* as in fx_conv_general_options; not together with pad_same */
    int64_t channel_groups, batch_groups;
    fx_dtype dtype;
} fx_conv_options;
/* fx_conv_general with the usual layouts; options NULL: all defaults. In addition to its errors a kernel
 * that is larger than a padded axis (which is not empty itself) is one. Example: fx_convolve(x, kernel,
 * &(fx_conv_options){.strides = FX_AXES(2), .pad_same = true}) halves the spatial dimensions. */
FX_API fx_node *fx_convolve(fx_node *x, fx_node *kernel, const fx_conv_options *options);

/* All zero: channels last, stride and dilations 1, no cropping. */
typedef struct fx_conv_transpose_options {
    size_t size; /* sizeof(fx_conv_transpose_options), or 0 */
    bool channels_first;
    const fx_conv_axes *axes;
    fx_axes strides;   /* distances of x's elements in the result */
    fx_axes dilations; /* of the kernel */
    bool pad_same;    /* the result has dim stride elements */
    fx_pads paddings; /* of the dilated x, instead of the formulas below */
    bool transpose_kernel;
    fx_dtype dtype;
} fx_conv_transpose_options;
/* Transposed convolution, which spreads x by the strides: fx_conv_general with input_dilations = strides
 * and strides 1. With k = (kernel - 1) dilation + 1 and s = stride, an axis is padded
 *
 *     by default: low = k - 1, high = s - 1 + max(k - s, 0); nothing is cropped: dim s + max(k - s, 0)
 *       elements
 *     pad_same: total = k + s - 2, low = k - 1 where s > k - 1, else total / 2 rounded up; high = total - low
 *
 * and has (dim - 1) s + 1 + low + high - k + 1 elements. With transpose_kernel the kernel is reversed along
 * its spatial axes and its channels change roles (its output channels are x's): the result is then the
 * gradient of fx_convolve, with strides s and that kernel, with respect to its input, y[i s + k dilation -
 * (k_dilated - 1 - low)] += x[i] kernel[k]. The same as JAX's conv_transpose. */
FX_API fx_node *fx_conv_transpose(fx_node *x, fx_node *kernel, const fx_conv_transpose_options *options);

#ifdef __cplusplus
}
#endif
#endif
