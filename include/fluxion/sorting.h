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

#ifdef __cplusplus
}
#endif
#endif
