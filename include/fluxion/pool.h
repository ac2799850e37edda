/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling and resizing of images, signals and volumes. An image is [batch, space..., channels], or with
 * channels_first [batch, channels, space...]; the axes of space are pooled or resized, each on its own terms.
 * What ops.h says of dtypes, axes, errors and results holds here too. */
#ifndef FLUXION_POOL_H
#define FLUXION_POOL_H

#include <fluxion/indexing.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pooling ---- */

/* Which axes are pooled, and how. The lists have one number per pooled axis, or one for all of them. */
typedef struct fx_pool_options {
    size_t size;         /* sizeof(fx_pool_options), or 0 */
    fx_dims window;      /* required */
    fx_dims strides;     /* none: the window's sizes, and 1 with pad_same */
    fx_pads paddings;    /* places at the start and the end, which never count; none: 0. interior must be 0 */
    bool pad_same;       /* (window - 1) / 2 at the start and window / 2 at the end; excludes paddings */
    bool channels_first; /* axis 1 are the channels, else the last axis */
    bool full_shape;     /* all axes are pooled: there are neither batch nor channels */
} fx_pool_options;

/* Largest element of each window; NaN wins, -0 < +0. Numbers, bool. An error, as of the other pools, without
 * a window, when a number is out of range, when a list fits neither one axis nor all, and when a window is
 * larger than the padded axis. */
FX_API fx_node *fx_max_pool(fx_node *x, const fx_pool_options *options);
/* Smallest element of each window; NaN wins, -0 < +0. Numbers, bool. */
FX_API fx_node *fx_min_pool(fx_node *x, const fx_pool_options *options);
/* Sum of each window, as fx_reduce_window adds. Numbers, complex. */
FX_API fx_node *fx_sum_pool(fx_node *x, const fx_pool_options *options);
/* Mean of each window's elements: padding is not counted, and a window without elements gives NaN. Half types
 * are summed and divided in float32. Floats, complex. */
FX_API fx_node *fx_mean_pool(fx_node *x, const fx_pool_options *options);
/* All elements of each window side by side along the channel axis, which grows from c to w c for windows of w
 * places: channel k c + i has channel i of place k, in row-major order; padding is 0. Any dtype but float8;
 * full_shape is an error. */
FX_API fx_node *fx_concat_pool(fx_node *x, const fx_pool_options *options);
/* (sum |x|^p)^(1/p) of each window, for p >= 1: p = 1 adds magnitudes, 2 is the Euclidean norm, infinity the
 * largest magnitude. Padding is 0. Powers are not rescaled, so |x|^p must not overflow (half types: in
 * float32). Floats. */
FX_API fx_node *fx_lp_pool(fx_node *x, double p, const fx_pool_options *options);

/* Pooling to a fixed size: along an axis of n elements, result i of `sizes` m is the mean of elements floor(i
 * n / m) to ceil((i + 1) n / m) - 1, which overlap where m does not divide n. One size per axis of space, or
 * one for all; a negative size keeps the axis. Half types in float32. Floats, complex. An error when a size
 * is 0, or an axis empty. */
FX_API fx_node *fx_adaptive_mean_pool(fx_node *x, fx_dims sizes, bool channels_first);
/* The same with the largest element; NaN wins. Numbers, bool. */
FX_API fx_node *fx_adaptive_max_pool(fx_node *x, fx_dims sizes, bool channels_first);

/* ---- interpolation ---- */

/* Where element i of a resized axis lies between the n elements that it had, m being the new size:
 *   half pixel (default)     (i + 0.5) n / m - 0.5   pixels are areas, the corners of the images agree
 *   half_pixel_centers < 0   i n / m                 the first pixels agree
 *   align_corners            i (n - 1) / (m - 1)     the first and last pixels agree (0 where m = 1) */
typedef struct fx_interpolate_options {
    size_t size;  /* sizeof(fx_interpolate_options), or 0 */
    bool nearest; /* one element, instead of linear in each axis (bilinear in two) */
    bool align_corners;
    int half_pixel_centers; /* > 0 yes, < 0 no, 0: unless align_corners; yes with align_corners is an error */
} fx_interpolate_options;

/* x resized to `sizes`, one per axis; a negative size, and an axis's own, leaves the axis alone. Linear:
 * between the two neighbours in proportion, those at the edge alone beyond it; half types in float32, rounded
 * once; floats, complex. Nearest: element floor((i + 0.5) n / m), floor(i n / m), or the place of
 * align_corners rounded to even; any dtype. An error when a size is 0 or an axis to resize is empty. NULL
 * options: the defaults. */
FX_API fx_node *fx_interpolate(fx_node *x, fx_dims sizes, const fx_interpolate_options *options);

#ifdef __cplusplus
}
#endif
#endif
