/* SPDX-License-Identifier: Apache-2.0 */
/* Composites that run as library kernels, by name. A kernel may refuse a node (a dtype, a shape, an option);
 * that one, like those of names that are not here, is inlined before the passes (passes/composites.c), so
 * the planner meets only what is accepted. */
#include "attention.h"

#include <string.h>

const fxi_composite_kernel fxi_composite_kernels[] = {
    {"fx.attention", fxi_attn_accepts, &fxi_kernel_attention},
    {"fx.attention_grad", fxi_attn_accepts, &fxi_kernel_attention_grad},
    {"fx.quantized_dense", fxi_quantized_accepts, &fxi_kernel_quantized},
    {NULL, NULL, NULL},
};

const fxi_composite_kernel *fxi_composite_named(const fxi_composite_kernel *table, const char *name) {
    for (; table->name; table++)
        if (strcmp(table->name, name) == 0) return table;
    return NULL;
}

const fxi_host_kernel *fxi_composite_kernel_of(const fxi_composite_kernel *table, const fx_node *node) {
    const fxi_composite_kernel *row = fxi_composite_named(table, fxi_node_attr(node, FXI_ATTR_NAME)->u.text);
    return row && row->accepts(node) ? row->kernel : NULL;
}
