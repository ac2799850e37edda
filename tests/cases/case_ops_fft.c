/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for fft.h: transforms over the last axes. */
#include "cases.h"
#include <fluxion/fft.h>

static fx_dims lengths_of(struct eval *eval, struct value *value) {
    return value ? case_arg_dims(eval, value) : (fx_dims){NULL, 0};
}

#define FFT(word)                                                                                            \
    static struct value *call_##word(struct eval *eval, const struct op *op, struct value *const *args) {    \
        (void)op;                                                                                            \
        return case_value_node(eval, fx_##word(args[0]->u.node, lengths_of(eval, args[1])));                 \
    }
FFT(fft)
FFT(inverse_fft)
FFT(real_fft)
FFT(inverse_real_fft)

#define ROW(word) {#word, "n:x a:lengths?", call_##word, {.unary = NULL}}
static const struct op ops[] = {ROW(fft), ROW(inverse_fft), ROW(real_fft), ROW(inverse_real_fft)};

const struct op_table case_ops_fft = {ops, sizeof ops / sizeof *ops};
