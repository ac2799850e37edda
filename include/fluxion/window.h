/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that combine neighbours: running sums along an axis and their kin, and the elements of windows.
 * The rules at the head of ops.h hold here too. */
#ifndef FLUXION_WINDOW_H
#define FLUXION_WINDOW_H

#include <fluxion/indexing.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- running combinations: result[i] combines elements 0 .. i of the axis; _reverse: i .. the last ---- */

/* Running sum: {1, 2, 3} gives {1, 3, 6}. Numbers, complex; floats are summed in blocks, half types in
 * float32 or wider and rounded once each. */
FX_API fx_node *fx_cum_sum(fx_node *x, int axis);
/* The same from the last element backwards: {1, 2, 3} gives {6, 5, 3}. */
FX_API fx_node *fx_cum_sum_reverse(fx_node *x, int axis);
/* Running product. Numbers, complex. */
FX_API fx_node *fx_cum_prod(fx_node *x, int axis);
/* Running product from the last element backwards. Numbers, complex. */
FX_API fx_node *fx_cum_prod_reverse(fx_node *x, int axis);
/* Largest element so far; a NaN stays from where it appears, -0 < +0. Numbers. */
FX_API fx_node *fx_cum_max(fx_node *x, int axis);
/* Largest element from here to the last. Numbers. */
FX_API fx_node *fx_cum_max_reverse(fx_node *x, int axis);
/* Smallest element so far; a NaN stays from where it appears, -0 < +0. Numbers. */
FX_API fx_node *fx_cum_min(fx_node *x, int axis);
/* Smallest element from here to the last. Numbers. */
FX_API fx_node *fx_cum_min_reverse(fx_node *x, int axis);
/* log of the running sum of e^x, without overflow: all -Inf gives -Inf, a +Inf gives +Inf from there on.
 * Floats. */
FX_API fx_node *fx_cum_logsumexp(fx_node *x, int axis);
/* The same from the last element backwards. Floats. */
FX_API fx_node *fx_cum_logsumexp_reverse(fx_node *x, int axis);

/* ---- windows ---- */

typedef enum fx_window_kind {
    FX_WINDOW_SUM = 0, /* of numbers, complex */
    FX_WINDOW_PRODUCT, /* of numbers, complex */
    FX_WINDOW_MAX,     /* of numbers, bool; NaN wins, -0 < +0 */
    FX_WINDOW_MIN,     /* the same */
    FX_WINDOW_AND,     /* of bool, and bit by bit of integers, as the next two */
    FX_WINDOW_OR,
    FX_WINDOW_XOR
} fx_window_kind;

/* How windows lie over x. Each list has one number per axis of x, or none for its default. Along an axis of n
 * elements, which base_dilations pulls apart to p = (n - 1) base + 1 places (0 of none), paddings add places
 * at the start and the end, or take them away if negative. A window has w places window_dilation apart, so it
 * spans e = (w - 1) dilation + 1; there are floor((p + start + end - e) / stride) + 1 windows, one each
 * stride places. Places without an element never count. */
typedef struct fx_window_options {
    size_t size;              /* sizeof(fx_window_options), or 0 */
    fx_dims window;           /* none: 1 */
    fx_dims strides;          /* none: the window's sizes */
    fx_dims base_dilations;   /* none: 1 */
    fx_dims window_dilations; /* none: 1 */
    fx_pads paddings;         /* none: 0; interior must be 0 (see base_dilations) */
} fx_window_options;

/* The elements of every window combined: result [windows along each axis], dtype of x. A window of which no
 * place has an element gives the neutral one: 0, 1, -Inf or the smallest value, Inf or the largest, all ones,
 * 0, 0. Sums and products of half types are carried in float32 and rounded once. The order of combination
 * depends on shapes alone: sums of long windows are made of pairs, so that errors grow with the logarithm of
 * the window. An error when sizes, strides or dilations are below 1, when a list has another length than x
 * has axes, and when a window is larger than the padded axis. NULL options: windows of one element. The
 * derivative of a maximum or minimum goes to the element that fx_select_and_scatter selects. */
FX_API fx_node *fx_reduce_window(fx_node *x, fx_window_kind kind, const fx_window_options *options);
/* The adjoint of pooling: in zeros of x's shape, each element of `source` is added where the window of x at
 * its index is largest (FX_WINDOW_MAX) or smallest (FX_WINDOW_MIN): at the first such element in row-major
 * order, the first NaN if there is one; nowhere when the window has no element. `source` has the dtype of x
 * and the dimensions of fx_reduce_window with these options, which must not dilate. Additions go in row-major
 * order of the source; sums of floats are carried in double and rounded once. Integers, floats. */
FX_API fx_node *fx_select_and_scatter(fx_node *x, fx_node *source, fx_window_kind kind,
                                      const fx_window_options *options);

#ifdef __cplusplus
}
#endif
#endif
