/* SPDX-License-Identifier: Apache-2.0 */
/* Permutations: the order of as many words of 64 bits. Two of n are equal with probability below n^2
 * 2^-65, and the stable sort then keeps the smaller index in front. */
#include "random_internal.h"
#include <fluxion/indexing.h>
#include <fluxion/sorting.h>

fx_node *fx_random_permutation(fx_node *state, const fx_shape *shape, fx_node **new_state) {
    fxi_random r;
    if (!fxi_random_begin(&r, "fx_random_permutation", &state, 1, shape, new_state)) return r.b.stop;
    fx_dtype dtype = shape->dtype;
    if (!fx_dtype_is_integer(dtype))
        return fxi_build_refuse(&r.b, FX_ERROR_DTYPE, "%s is not accepted; integers are",
                                fx_dtype_name(dtype));
    if (shape->rank == 0)
        return fxi_build_refuse(&r.b, FX_ERROR_SHAPE, "a scalar has no last axis to number");
    int64_t n = shape->dims[shape->rank - 1];
    if (n > 0 && !fxi_random_holds(dtype, n - 1))
        return fxi_build_refuse(&r.b, FX_ERROR_DTYPE, "%s does not hold the numbers below %lld",
                                fx_dtype_name(dtype), (long long)n);
    fx_dtype index = fxi_random_holds(FX_S32, n) ? FX_S32 : FX_S64;
    fx_node *keys = fxi_random_draw(&r, shape, FX_U64, new_state);
    return fx_convert(fx_argsort_dtype(keys, -1, true, index), dtype);
}

fx_node *fx_random_shuffle(fx_node *state, fx_node *x, int axis, fx_node **new_state) {
    fxi_random r;
    int64_t along;
    fx_node *const operands[] = {state, x};
    const fx_shape scalar = fx_shape_make(FX_S64, NULL, 0);
    if (!fxi_random_begin(&r, "fx_random_shuffle", operands, 2, &scalar, new_state)) return r.b.stop;
    if (!fxi_build_axis(&r.b, x, axis, &along)) return r.b.stop;
    const fx_shape shape = fx_shape_make(FX_S64, &x->shape.dims[along], 1);
    return fx_take(x, fx_random_permutation(state, &shape, new_state), (int)along);
}
