/* SPDX-License-Identifier: Apache-2.0 */
/* Between element.c and its two helpers: functions that the C library lacks, and everything complex. */
#ifndef FXI_ELEMENT_INTERNAL_H
#define FXI_ELEMENT_INTERNAL_H

#include "graph/graph.h"

/* element_special.c: in extended precision, so that the rounding to double is the only error that counts. */
long double fxi_element_lgamma(long double x);     /* log |gamma(x)| */
long double fxi_element_erf_inv(long double x);    /* +-Inf at +-1, NaN beyond */
long double fxi_element_digamma(long double x);    /* NaN at 0 and at negative integers */
long double fxi_element_bessel_i0e(long double x); /* e^-|x| I0(x) */
long double fxi_element_bessel_i1e(long double x); /* e^-|x| I1(x) */

/* element_random.c: a word of a Philox stream. */
fxi_scalar fxi_element_philox(const fx_node *node, const fxi_scalar *operands);

/* element_complex.c: an operation whose first operand is complex. */
fxi_scalar fxi_element_complex(fx_op op, const fxi_scalar *operands);

#endif
