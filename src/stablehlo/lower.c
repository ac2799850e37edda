/* SPDX-License-Identifier: Apache-2.0 */
/* The table of lowerings (lower.h), a row per operation that StableHLO and CHLO do not have. Each function is
 * in the file of its family. */
#include "stablehlo/lower.h"

static const fxi_lowering table[FX_OP_COUNT] = {
    [FX_OP_INERT] = {NULL, NULL, false},
};

const fxi_lowering *fxi_lowering_row(fx_op op) {
    return &table[op];
}

const fxi_lowering *fxi_lowering_of(const fx_node *node) {
    const fxi_lowering *wide = fxi_lowering_wide(node);
    if (wide) return wide;
    const fxi_lowering *row = &table[node->op];
    return row->build && (!row->applies || row->applies(node)) ? row : NULL;
}
