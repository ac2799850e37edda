/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of parameters and their broadcasts, shared by the layers: every violation is said under the name of
 * the function that the user called, before any node is made. */
#include "nn_internal.h"
#include <math.h>

bool fxi_nn_begin(fxi_build *b, const char *name, fx_node *const *operands, size_t count) {
    fx_node *given[8] = {operands[0]};
    size_t n = 1;
    for (size_t i = 1; i < count; i++)
        if (operands[i]) given[n++] = operands[i];
    return fxi_build_begin_roles(b, name, given, n, FXI_ROLES("x"));
}

bool fxi_nn_dtype(const fxi_build *b, const fx_node *x, const fx_node *parameter, const char *what) {
    if (!parameter || parameter->shape.dtype == x->shape.dtype) return true;
    if (fx_dtype_is_half(x->shape.dtype) && parameter->shape.dtype == FX_F32) return true;
    fxi_build_refuse(b, FX_ERROR_DTYPE, "the %s is %s and x is %s; convert one of them with fx_convert", what,
                     fx_dtype_name(parameter->shape.dtype), fx_dtype_name(x->shape.dtype));
    return false;
}

bool fxi_nn_trailing(const fxi_build *b, const fx_node *x, const fx_node *parameter, const char *what) {
    if (!parameter) return true;
    if (!fxi_nn_dtype(b, x, parameter, what)) return false;
    const fx_shape *p = &parameter->shape;
    bool fits = p->rank <= x->shape.rank;
    for (int i = 0; fits && i < p->rank; i++)
        fits = p->dims[i] == 1 || p->dims[i] == x->shape.dims[x->shape.rank - p->rank + i];
    if (fits) return true;
    fxi_build_refuse(b, FX_ERROR_SHAPE,
                     "the %s %s does not go with x %s: the last axes are aligned, each of the same dimension "
                     "or 1",
                     what, fxi_dims_text(p->dims, (size_t)p->rank).s,
                     fxi_dims_text(x->shape.dims, (size_t)x->shape.rank).s);
    return false;
}

bool fxi_nn_exactly(const fxi_build *b, const fx_node *x, const fx_node *parameter, fx_dims dims,
                    const char *what) {
    if (!parameter) return true;
    if (!fxi_nn_dtype(b, x, parameter, what)) return false;
    const fx_shape *p = &parameter->shape;
    bool fits = (size_t)p->rank == dims.n;
    for (size_t i = 0; fits && i < dims.n; i++) fits = p->dims[i] == dims.v[i];
    if (fits) return true;
    fxi_build_refuse(b, FX_ERROR_SHAPE, "the %s is %s; it must be %s", what,
                     fxi_dims_text(p->dims, (size_t)p->rank).s, fxi_dims_text(dims.v, dims.n).s);
    return false;
}

bool fxi_nn_epsilon(const fxi_build *b, double epsilon) {
    if (epsilon >= 0 && epsilon < INFINITY) return true;
    fxi_build_refuse(b, FX_ERROR_ARGUMENT, "epsilon is %g; it must be finite and not negative", epsilon);
    return false;
}

fx_node *fxi_nn_spread(const fxi_build *b, fx_node *parameter, const fx_shape *dims) {
    int64_t axes[FX_MAX_RANK];
    int rank = parameter->shape.rank;
    for (int i = 0; i < rank; i++) axes[i] = dims->rank - rank + i;
    return fxi_build_broadcast(b, fxi_build_wide(parameter), dims, (fx_dims){axes, (size_t)rank});
}

fx_node *fxi_nn_along(const fxi_build *b, fx_node *parameter, const fx_shape *dims, int64_t axis) {
    return fxi_build_broadcast(b, fxi_build_wide(parameter), dims, (fx_dims){&axis, 1});
}
