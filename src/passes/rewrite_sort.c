/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts that differ by an index alone. The derivative of a sort sorts the same keys once more and carries an
 * iota, to learn the permutation; results of the narrower sort are results of the wider one, so the narrower
 * one becomes it, and sharing of equal nodes makes one of the two. The index is a leaf: it can be made before
 * its place. Each sort looks at the nearest ones before and after it, which keeps all linear. */
#include "rewrite.h"
#include <string.h>

enum { NEIGHBOURS = 64 };

bool fxi_rewrite_note_sort(fxi_rewrite *r, const fx_node *node) {
    return node->op != FX_OP_SORT || FXI_PUSH(&r->sorts, node);
}

static bool is_wider(const fx_node *wide, const fx_node *node) {
    size_t n = node->operand_count;
    return wide->operand_count == n + 1 && !wide->labels && wide->operands[n]->op == FX_OP_IOTA &&
           memcmp(wide->operands, node->operands, n * sizeof *node->operands) == 0 &&
           fxi_attrs_equal(wide, node);
}

const fx_node *fxi_rewrite_wider_sort(fxi_rewrite *r, const fx_node *node) {
    if (node->op != FX_OP_SORT || node->labels) return node;
    while (r->next_sort < r->sorts.count && r->sorts.data[r->next_sort]->id <= node->id) r->next_sort++;
    size_t first = r->next_sort > NEIGHBOURS ? r->next_sort - NEIGHBOURS : 0;
    for (size_t i = first; i < r->sorts.count && i < r->next_sort + NEIGHBOURS; i++)
        if (is_wider(r->sorts.data[i], node)) return r->sorts.data[i];
    return node;
}
