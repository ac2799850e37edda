/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of sorting. */
#include "ops/ops.h"
#include <fluxion/sorting.h>

static fx_node *sort_node(const fxi_build *b, fx_node *const *operands, size_t count, int axis, const int64_t *orders, size_t keys) {
    int64_t normalized;
    if (!fxi_build_axis(b, operands[0], axis, &normalized)) return b->stop;
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_AXIS, normalized), fxi_attr_ints(FXI_ATTR_ORDERS, orders, keys)};
    return fxi_build_node(b, FX_OP_SORT, operands, count, attrs, 2, NULL);
}

fx_node *fx_sort(fx_node *x, int axis, bool ascending) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_sort", &x, 1) || !fxi_build_takes(&b, x, FX_OP_COMPARE)) return b.stop;
    int64_t descending = ascending ? 0 : 1;
    return sort_node(&b, &x, 1, axis, &descending, 1);
}
