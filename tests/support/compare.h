/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of a node's value with the reference's on identical operands, within the bound stated for its
 * operation: none for exact operations, ulps for functions, a multiple of the sum of magnitudes for float
 * sums and contractions. */
#ifndef COMPARE_H
#define COMPARE_H

#include "graph/graph.h"

typedef struct compare_report {
    bool equal;
    int64_t index;
    char text[300]; /* what differs */
} compare_report;

/* The stated bound of a real function at x: so many ulp of the result or, where that is larger, of
 * `smallest`. Negative: the operation is exact. */
typedef struct compare_bound {
    double ulps, smallest;
} compare_bound;
typedef compare_bound (*compare_bound_fn)(fx_op op, unsigned bits, double x);

/* Equal shapes and bits, any NaN equal to any other. */
bool compare_bits(const fx_tensor *got, const fx_tensor *want, compare_report *report);
/* got and want are values of `node`, computed from the same operands. */
bool compare_node(const fx_node *node, fx_tensor *const *operands, const fx_tensor *got,
                  const fx_tensor *want, compare_bound_fn bound, compare_report *report);
/* Whether every order of evaluation gives the same bits: false for a sum, product or contraction of floats
 * that rounds. */
bool compare_is_exact_in_any_order(const fx_node *node, fx_tensor *const *operands);

#endif
