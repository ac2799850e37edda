/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of composites over rows: those with axes, masks and numbers. */
#include "ops/cases.h"

#define OVER_AXES(op)                                                                                        \
    void case_##op(const case_args *a) {                                                                     \
        const golden_list axes = golden_ints(a->c, "axes");                                                  \
        a->out[0] = fx_##op(a->in[0], GOLDEN_AXES(axes));                                                    \
    }
OVER_AXES(softmax)
OVER_AXES(log_softmax)
OVER_AXES(logsumexp)
OVER_AXES(reduce_std)
OVER_AXES(reduce_skewness)
OVER_AXES(l1_norm)
OVER_AXES(l2_norm_square)
OVER_AXES(l2_norm)
OVER_AXES(l2_normalize)

#define MASKED(op)                                                                                           \
    void case_##op(const case_args *a) {                                                                     \
        const golden_list axes = golden_ints(a->c, "axes");                                                  \
        a->out[0] = fx_##op(a->in[0], a->in[1], GOLDEN_AXES(axes));                                          \
    }
MASKED(masked_softmax)
MASKED(masked_log_softmax)
MASKED(masked_reduce_sum)
MASKED(masked_reduce_mean)
MASKED(masked_reduce_max)
MASKED(masked_reduce_min)

void case_masked_reduce_and_keep(const case_args *a) {
    const golden_list axes = golden_ints(a->c, "axes");
    a->out[0] = fx_masked_reduce_and_keep(a->in[0], a->in[1], fx_masked_reduce_mean, GOLDEN_AXES(axes));
}

void case_l2_normalize_with_epsilon(const case_args *a) {
    const golden_list axes = golden_ints(a->c, "axes");
    a->out[0] = fx_l2_normalize_with_epsilon(a->in[0], golden_real(a->c, "epsilon", 0), GOLDEN_AXES(axes));
}

void case_cosine_similarity(const case_args *a) {
    a->out[0] = fx_cosine_similarity(a->in[0], a->in[1], (int)golden_int(a->c, "axis", 0));
}

void case_cross_cosine_similarity(const case_args *a) {
    a->out[0] = fx_cross_cosine_similarity(a->in[0], a->in[1], (int)golden_int(a->c, "contract", 0),
                                           (int)golden_int(a->c, "cross", 0));
}

void case_leaky_relu_with(const case_args *a) {
    a->out[0] = fx_leaky_relu_with(a->in[0], golden_real(a->c, "alpha", 0));
}

void case_hard_sigmoid_with(const case_args *a) {
    a->out[0] = fx_hard_sigmoid_with(a->in[0], golden_real(a->c, "alpha", 0), golden_real(a->c, "beta", 0));
}
