/* SPDX-License-Identifier: Apache-2.0 */
/* What src/ops shows to the other folders: the one scalar meaning of each elementwise operation, used by the interpreter and
 * by exact constant folding. */
#ifndef FXI_OPS_H
#define FXI_OPS_H

#include "graph/graph.h"
#include <fluxion/ops.h>

/* Computes one element of a MAP node: operands as loaded by fxi_element_load in their dtypes, result ready for
 * fxi_element_store in the node's dtype (which does the one rounding of half types and float32). `node` gives op, dtypes and
 * attributes. */
fxi_scalar fxi_map_element(const fx_node *node, const fxi_scalar *operands);

/* One step of a reduction of that kind in dtype, and its neutral element. Sums of halves and float32 are carried in the
 * scalar's double. */
fxi_scalar fxi_reduce_combine(fxi_reduce_kind kind, fx_dtype dtype, fxi_scalar a, fxi_scalar b);
fxi_scalar fxi_reduce_neutral(fxi_reduce_kind kind, fx_dtype dtype);

#endif
