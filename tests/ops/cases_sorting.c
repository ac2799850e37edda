/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of sorting. */
#include "ops/cases.h"
#include <fluxion/sorting.h>

static bool is_ascending(const case_args *a) { return golden_int(a->c, "ascending", 1) != 0; }
static int axis_of(const case_args *a) { return (int)golden_int(a->c, "axis", 0); }

void case_sort(const case_args *a) {
    a->out[0] = fx_sort(a->in[0], axis_of(a), is_ascending(a));
}

void case_quantile(const case_args *a) {
    a->out[0] = fx_quantile(a->in[0], golden_real(a->c, "q", 0), axis_of(a));
}

void case_median(const case_args *a) { a->out[0] = fx_median(a->in[0], axis_of(a)); }

void case_searchsorted(const case_args *a) {
    a->out[0] = fx_searchsorted(a->in[0], a->in[1], golden_int(a->c, "right", 0) != 0);
}

void case_unique(const case_args *a) {
    a->out[0] = fx_unique(a->in[0], golden_int(a->c, "size", 0), a->n_in > 1 ? a->in[1] : NULL, &a->out[1]);
}

void case_argsort(const case_args *a) {
    fx_dtype dtype = golden_dtype(a->c, "dtype", FX_INVALID_DTYPE);
    a->out[0] = dtype == FX_INVALID_DTYPE ? fx_argsort(a->in[0], axis_of(a), is_ascending(a))
                                          : fx_argsort_dtype(a->in[0], axis_of(a), is_ascending(a), dtype);
}

void case_sort_by_key(const case_args *a) {
    a->out[0] = fx_sort_by_key(a->in[0], a->in[1], axis_of(a), is_ascending(a));
}

void case_sort_many(const case_args *a) {
    fx_sort_many((fx_nodes){a->in, a->n_in}, (size_t)golden_int(a->c, "num_keys", 1), axis_of(a), is_ascending(a), a->out);
}

void case_top_k(const case_args *a) {
    fx_dtype dtype = golden_dtype(a->c, "dtype", FX_S32);
    int64_t k = golden_int(a->c, "k", 1);
    a->out[0] = dtype == FX_S32 ? fx_top_k(a->in[0], k, axis_of(a), &a->out[1])
                                : fx_top_k_dtype(a->in[0], k, axis_of(a), dtype, &a->out[1]);
}

void case_bottom_k(const case_args *a) {
    a->out[0] = fx_bottom_k(a->in[0], golden_int(a->c, "k", 1), axis_of(a), &a->out[1]);
}

void case_top_k_mask(const case_args *a) { a->out[0] = fx_top_k_mask(a->in[0], golden_int(a->c, "k", 1), axis_of(a)); }
