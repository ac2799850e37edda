/* SPDX-License-Identifier: Apache-2.0 */
/* The table of lowerings (lower.h), made of lower_rows.def. Each function is in the file of its family. */
#include "stablehlo/lower_family.h"

bool fxi_lower_when_always(const fx_node *node) {
    (void)node;
    return true;
}

static const fxi_lowering table[FX_OP_COUNT] = {
    [FX_OP_INERT] = {NULL, NULL, false},
#define FX_LOWER(op, build, when, is_function)                                                               \
    [FX_OP_##op] = {fxi_lower_##build, fxi_lower_when_##when, is_function},
#include "stablehlo/lower_rows.def"
#undef FX_LOWER
};

const fxi_lowering *fxi_lowering_row(fx_op op) { return &table[op]; }

const fxi_lowering *fxi_lowering_of(const fx_node *node) {
    if (node->lowered) return NULL; /* made by a lowering that wants StableHLO's meaning */
    const fxi_lowering *wide = fxi_lowering_wide(node);
    if (wide) return wide;
    const fxi_lowering *row = &table[node->op];
    return row->build && (!row->applies || row->applies(node)) ? row : NULL;
}
