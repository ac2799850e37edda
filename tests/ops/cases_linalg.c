/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of linear algebra. */
#include "ops/cases.h"
#include <fluxion/linalg.h>

static bool flag(const case_args *a, const char *key) { return golden_int(a->c, key, 0) != 0; }

void case_cholesky(const case_args *a) { a->out[0] = fx_cholesky(a->in[0], flag(a, "lower")); }

void case_cholesky_solve(const case_args *a) {
    a->out[0] = fx_cholesky_solve(a->in[0], a->in[1], flag(a, "lower"));
}

void case_triangular_solve(const case_args *a) {
    const fx_triangular_options options = {.size = sizeof options,
                                           .right = flag(a, "right"),
                                           .upper = flag(a, "upper"),
                                           .unit_diagonal = flag(a, "unit"),
                                           .transpose = (fx_transpose_kind)golden_int(a->c, "transpose", 0)};
    a->out[0] = fx_triangular_solve(a->in[0], a->in[1], a->c->attr_count ? &options : NULL);
}

void case_matrix_power(const case_args *a) { a->out[0] = fx_matrix_power(a->in[0], golden_int(a->c, "n", 0)); }

void case_norm(const case_args *a) {
    golden_list axes = golden_ints(a->c, "axes");
    a->out[0] = fx_norm(a->in[0], golden_real(a->c, "order", 2), GOLDEN_AXES(axes));
}

void case_matrix_norm(const case_args *a) {
    a->out[0] = fx_matrix_norm(a->in[0], (fx_matrix_norm_kind)golden_int(a->c, "kind", 0));
}
