/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of sorting. */
#include "ops/cases.h"
#include <fluxion/sorting.h>

static int axis_of(const case_args *a) { return (int)golden_int(a->c, "axis", 0); }

void case_sort(const case_args *a) {
    a->out[0] = fx_sort(a->in[0], axis_of(a), golden_int(a->c, "ascending", 1) != 0);
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
