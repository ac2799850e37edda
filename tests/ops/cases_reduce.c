/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of reductions and indices of extremes. */
#include "ops/cases.h"

#define REDUCTION(function)                                       \
    void case_##function(const case_args *a) {                    \
        const golden_list axes = golden_ints(a->c, "axes");       \
        a->out[0] = fx_##function(a->in[0], GOLDEN_AXES(axes));   \
    }
REDUCTION(reduce_sum)
REDUCTION(reduce_mean)
REDUCTION(reduce_product)
REDUCTION(reduce_variance)
REDUCTION(reduce_max)
REDUCTION(reduce_min)
REDUCTION(reduce_and)
REDUCTION(reduce_or)
REDUCTION(reduce_xor)
REDUCTION(reduce_bitwise_and)
REDUCTION(reduce_bitwise_or)
REDUCTION(reduce_bitwise_xor)
REDUCTION(logical_all)
REDUCTION(logical_any)

/* Without a dtype the short form, which gives int32. */
static fx_node *arg_extreme(const case_args *a, fx_node *(*plain)(fx_node *, int),
                            fx_node *(*typed)(fx_node *, int, fx_dtype)) {
    int axis = (int)golden_int(a->c, "axis", 0);
    fx_dtype dtype = golden_dtype(a->c, "dtype", FX_INVALID_DTYPE);
    return dtype == FX_INVALID_DTYPE ? plain(a->in[0], axis) : typed(a->in[0], axis, dtype);
}

void case_arg_max(const case_args *a) { a->out[0] = arg_extreme(a, fx_arg_max, fx_arg_max_dtype); }

void case_arg_min(const case_args *a) { a->out[0] = arg_extreme(a, fx_arg_min, fx_arg_min_dtype); }
