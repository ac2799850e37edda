/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table, and the cap of logits: short compositions of builders that every model wants. */
#include "nn_internal.h"
#include <fluxion/indexing.h>
#include <math.h>

fx_node *fx_nn_embedding(fx_node *table, fx_node *indices) {
    fxi_build b;
    if (!fxi_build_begin_roles(&b, "fx_nn_embedding", (fx_node *const[]){table, indices}, 2,
                               FXI_ROLES("the table", "indices")))
        return b.stop;
    if (!fx_dtype_is_integer(indices->shape.dtype))
        return fxi_build_refuse(&b, FX_ERROR_DTYPE, "the indices are %s; they must be integers",
                                fx_dtype_name(indices->shape.dtype));
    if (table->shape.rank == 0 || table->shape.dims[0] == 0)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "the table %s has no rows",
                                fx_shape_to_text(&table->shape).s);
    if (indices->shape.rank == FX_MAX_RANK)
        return fxi_build_refuse(&b, FX_ERROR_SHAPE, "the indices have too many axes");
    return fx_gather(table, fx_expand_axes(indices, (fx_axes){(const int[]){-1}, 1}));
}

fx_node *fx_nn_softcap(fx_node *x, double cap) {
    fxi_build b;
    if (!fxi_build_begin(&b, "fx_nn_softcap", &x, 1)) return b.stop;
    if (!fxi_build_floats(&b, x, "soft cap", FX_OP_ERF)) return b.stop;
    if (isnan(cap)) return fxi_build_refuse(&b, FX_ERROR_ARGUMENT, "the cap is NaN");
    if (cap <= 0) return x;
    fx_node *wide = fxi_build_wide(x), *limit = fxi_build_number(&b, wide->shape.dtype, cap);
    if (limit->op == FX_OP_INERT) return b.stop;
    return fx_convert(fx_mul(fx_tanh(fx_div(wide, limit)), limit), x->shape.dtype);
}
