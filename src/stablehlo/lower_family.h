/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of lower_rows.def, which lie in lower_<family>.c. */
#ifndef FXI_LOWER_FAMILY_H
#define FXI_LOWER_FAMILY_H

#include "stablehlo/lower_build.h"

#define FX_LOWER(op, build, when, is_function)                                                               \
    bool fxi_lower_##build(const fxi_build *b, const fx_node *node, fx_node *const *operands,                \
                           fx_node **results);                                                               \
    bool fxi_lower_when_##when(const fx_node *node);
#include "stablehlo/lower_rows.def"
#undef FX_LOWER
/* lower_complex.c: of complex operands what sinh_any and cosh_any are. */
bool fxi_lower_sinh_complex(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                            fx_node **results);
bool fxi_lower_cosh_complex(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                            fx_node **results);
/* lower_pairs.c: a sort by any comparator, which is asked about all pairs of a line at once. */
bool fxi_lower_sort_pairs(const fxi_build *b, const fx_node *node, fx_node *const *operands,
                          fx_node **results);

#endif
