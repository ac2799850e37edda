/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of moves, products and running combinations: attributes of a case as arguments. */
#include "ops/cases.h"

static int axis_of(const case_args *a) { return (int)golden_int(a->c, "axis", 0); }

#define WITH_AXES(function, key)                                \
    void case_##function(const case_args *a) {                  \
        const golden_list axes = golden_ints(a->c, key);        \
        a->out[0] = fx_##function(a->in[0], GOLDEN_AXES(axes)); \
    }
WITH_AXES(transpose_all_axes, "permutation")
WITH_AXES(reverse, "axes")
WITH_AXES(expand_axes, "axes")
WITH_AXES(squeeze, "axes")

void case_slice(const case_args *a) {
    const golden_list starts = golden_ints(a->c, "starts"), limits = golden_ints(a->c, "limits");
    const golden_list strides = golden_ints(a->c, "strides");
    a->out[0] = fx_slice(a->in[0], GOLDEN_DIMS(starts), GOLDEN_DIMS(limits), GOLDEN_DIMS(strides));
}

void case_reshape(const case_args *a) {
    const golden_list dims = golden_ints(a->c, "dims");
    a->out[0] = fx_reshape(a->in[0], GOLDEN_DIMS(dims));
}

void case_broadcast_in_dim(const case_args *a) {
    const golden_list dims = golden_ints(a->c, "dims"), mapping = golden_ints(a->c, "mapping");
    a->out[0] = fx_broadcast_in_dim(a->in[0], GOLDEN_DIMS(dims), GOLDEN_AXES(mapping));
}

void case_concatenate(const case_args *a) { a->out[0] = fx_concatenate((fx_nodes){a->in, a->n_in}, axis_of(a)); }

void case_stack(const case_args *a) { a->out[0] = fx_stack((fx_nodes){a->in, a->n_in}, axis_of(a)); }

void case_split(const case_args *a) { fx_split(a->in[0], axis_of(a), (int64_t)a->c->result_count, a->out); }

void case_iota(const case_args *a) {
    const golden_list dims = golden_ints(a->c, "dims");
    const fx_shape shape = fx_shape_make(golden_dtype(a->c, "dtype", FX_INVALID_DTYPE), dims.v, dims.n);
    a->out[0] = fx_iota(a->graph, &shape, axis_of(a));
}

void case_dot_general(const case_args *a) {
    const golden_list lc = golden_ints(a->c, "lhs_contract"), lb = golden_ints(a->c, "lhs_batch");
    const golden_list rc = golden_ints(a->c, "rhs_contract"), rb = golden_ints(a->c, "rhs_batch");
    fx_dtype dtype = golden_dtype(a->c, "dtype", FX_INVALID_DTYPE);
    if (dtype == FX_INVALID_DTYPE)
        a->out[0] = fx_dot_general(a->in[0], GOLDEN_AXES(lc), GOLDEN_AXES(lb), a->in[1], GOLDEN_AXES(rc), GOLDEN_AXES(rb));
    else
        a->out[0] = fx_dot_general_dtype(a->in[0], GOLDEN_AXES(lc), GOLDEN_AXES(lb), a->in[1], GOLDEN_AXES(rc),
                                         GOLDEN_AXES(rb), dtype);
}

#define WITH_AXIS(function) \
    void case_##function(const case_args *a) { a->out[0] = fx_##function(a->in[0], axis_of(a)); }
WITH_AXIS(cum_sum)
WITH_AXIS(cum_sum_reverse)
WITH_AXIS(cum_prod)
WITH_AXIS(cum_prod_reverse)
WITH_AXIS(cum_max)
WITH_AXIS(cum_max_reverse)
WITH_AXIS(cum_min)
WITH_AXIS(cum_min_reverse)
WITH_AXIS(cum_logsumexp)
WITH_AXIS(cum_logsumexp_reverse)
