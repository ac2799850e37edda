/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of barriers: one primitive, whose first operand passes and whose others are waited for. */
#include "ops/ops.h"
#include <fluxion/barrier.h>

/* x and the others in one list, as an operand list of a node is. */
static fx_node *barrier(const char *name, fx_node *x, fx_nodes others) {
    fxi_build b;
    const fxi_attr mark = fxi_attr_int(FXI_ATTR_MARK, FXI_MARK_NONE);
    if (others.n && !others.v) {
        if (fxi_build_begin(&b, name, &x, 1)) fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the nodes are NULL");
        return b.stop;
    }
    fx_node **all = fxi_alloc_zeroed(others.n + 1, sizeof *all);
    if (!all) {
        if (fxi_build_begin(&b, name, &x, 1)) fxi_build_refuse(&b, FX_ERROR_MEMORY, "out of memory");
        return b.stop;
    }
    all[0] = x;
    for (size_t i = 0; i < others.n; i++) all[i + 1] = others.v[i];
    fx_node *result = fxi_build_begin(&b, name, all, others.n + 1)
                          ? fxi_build_node(&b, FX_OP_BARRIER, all, others.n + 1, &mark, 1, NULL)
                          : b.stop;
    fxi_free(all);
    return result;
}

fx_node *fx_optimization_barrier(fx_node *x) {
    return barrier("fx_optimization_barrier", x, (fx_nodes){NULL, 0});
}

fx_node *fx_scheduling_barrier(fx_node *x, fx_nodes others) {
    return barrier("fx_scheduling_barrier", x, others);
}

fx_node *fx_optimization_barriers(fx_nodes operands, fx_node **results) {
    fxi_build b;
    static const char name[] = "fx_optimization_barriers";
    if (!fxi_build_begin(&b, name, operands.v, operands.v ? operands.n : 0)) {
        for (size_t i = 0; results && i < operands.n; i++) results[i] = b.stop;
        return b.stop;
    }
    if (!results) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the list of results is NULL");
    for (size_t i = operands.n; i-- > 0;) /* the first last, so that a call stamps them all */
        results[i] = barrier(name, operands.v[i], operands);
    return results[0];
}
