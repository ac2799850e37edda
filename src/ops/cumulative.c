/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of running sums, products, extremes and logsumexps: one primitive with a kind. */
#include "ops/ops.h"
#include <fluxion/window.h>

static fx_node *cumulative(const char *name, fx_node *x, fxi_scan_kind kind, int axis, bool backwards) {
    fxi_build b;
    int64_t normalized;
    if (!fxi_build_begin(&b, name, &x, 1) || !fxi_build_takes(&b, x, FX_OP_CUMULATIVE)) return b.stop;
    if (!fxi_build_axis(&b, x, axis, &normalized)) return b.stop;
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_SCAN, kind), fxi_attr_int(FXI_ATTR_AXIS, normalized),
                              fxi_attr_int(FXI_ATTR_BACKWARDS, backwards)};
    return fxi_build_node(&b, FX_OP_CUMULATIVE, &x, 1, attrs, 3, NULL);
}

#define CUMULATIVE(word, kind)                                                                               \
    fx_node *fx_cum_##word(fx_node *x, int axis) {                                                           \
        return cumulative("fx_cum_" #word, x, kind, axis, false);                                            \
    }                                                                                                        \
    fx_node *fx_cum_##word##_reverse(fx_node *x, int axis) {                                                 \
        return cumulative("fx_cum_" #word "_reverse", x, kind, axis, true);                                  \
    }
CUMULATIVE(sum, FXI_SCAN_SUM)
CUMULATIVE(prod, FXI_SCAN_PRODUCT)
CUMULATIVE(max, FXI_SCAN_MAX)
CUMULATIVE(min, FXI_SCAN_MIN)
CUMULATIVE(logsumexp, FXI_SCAN_LOGSUMEXP)
