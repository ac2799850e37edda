/* SPDX-License-Identifier: Apache-2.0 */
/* What the lint knows of the signs of values (lint_signs.c). */
#ifndef FXI_LINT_INTERNAL_H
#define FXI_LINT_INTERNAL_H

#include "grad_internal.h"

enum { FXI_NONNEGATIVE = 1, FXI_NONZERO = 2, FXI_POSITIVE = 4 }; /* the last comes with both others */

typedef struct fxi_signs {
    const fx_graph *graph;
    unsigned char *known; /* by node id */
} fxi_signs;

void fxi_signs_find(fxi_signs *s);
static inline unsigned fxi_signs_of(const fxi_signs *s, const fx_node *n) {
    return s->known[n->id];
}
/* The node whose elements n repeats or rearranges. */
const fx_node *fxi_signs_source(const fx_node *n);

#endif
