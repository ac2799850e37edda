/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting and selecting by size. What ops.h says of dtypes, axes, errors and results holds here.
 *
 * Order. Numbers by value, false before true, complex numbers by real and then imaginary part. Sorting is stable: equal
 * elements keep their order, -0 and +0 among them. NaN comes last, whether the order is ascending or descending. */
#ifndef FLUXION_SORTING_H
#define FLUXION_SORTING_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x with each line along the axis sorted, ascending or descending. Any dtype but float8; an error otherwise, or when the axis
 * is out of range. */
FX_API fx_node *fx_sort(fx_node *x, int axis, bool ascending);
/* The q-quantile of each line along an axis, which goes: of n sorted elements the one at place q (n - 1), counted from 0, and
 * between two places the value that lies between by as much (NumPy's "linear"). NaN for a line with a NaN, or without elements.
 * Floats; an error when q is not from 0 to 1. */
FX_API fx_node *fx_quantile(fx_node *x, double q, int axis);
/* The quantile at 0.5: the middle one of the sorted elements, or halfway between the two middle ones. */
FX_API fx_node *fx_median(fx_node *x, int axis);

/* Where values would have to be inserted into a sorted vector to keep it sorted: the number of its elements that are less
 * than each value, or, with `right`, not greater. Counts are int32, or int64 when the vector is longer than 2^31 - 1. Numbers
 * and bool; both of one dtype; values of any shape. */
FX_API fx_node *fx_searchsorted(fx_node *sorted, fx_node *values, bool right);
/* The distinct elements of x, of any shape, in ascending order: a vector of exactly `size` elements, into which the first
 * ones go, and for those that it lacks `fill` (a scalar of x's dtype; NULL: the smallest element, 0 when x is empty). *count,
 * unless NULL, becomes their number, which may be larger than size. NaNs count as equal, as do -0 and +0. Any dtype but
 * float8. */
FX_API fx_node *fx_unique(fx_node *x, int64_t size, fx_node *fill, fx_node **count);

#ifdef __cplusplus
}
#endif
#endif
