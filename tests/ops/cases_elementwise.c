/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of elementwise operations and conversions that need more than their operands. */
#include "ops/cases.h"

void case_reduce_precision(const case_args *a) {
    a->out[0] = fx_reduce_precision(a->in[0], (int)golden_int(a->c, "exponent", 0), (int)golden_int(a->c, "mantissa", 0));
}

void case_convert(const case_args *a) { a->out[0] = fx_convert(a->in[0], golden_dtype(a->c, "dtype", FX_INVALID_DTYPE)); }

void case_bitcast(const case_args *a) { a->out[0] = fx_bitcast(a->in[0], golden_dtype(a->c, "dtype", FX_INVALID_DTYPE)); }
