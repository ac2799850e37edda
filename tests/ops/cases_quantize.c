/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of quantization. */
#include "ops/cases.h"
#include <fluxion/quantize.h>

void case_dequantize(const case_args *a) {
    fx_quantization q = {.scheme = FX_QUANTIZATION_GGML,
                         .ggml_type = fx_ggml_type_parse(golden_word(a->c, "type", "")),
                         .block_axis = (int)golden_int(a->c, "axis", 1),
                         .block_size = golden_int(a->c, "size", 0)};
    if (a->n_in > 1) {
        bool linear = strcmp(golden_word(a->c, "scheme", ""), "linear") == 0;
        q.scheme = linear ? FX_QUANTIZATION_LINEAR : FX_QUANTIZATION_NF4;
        q.scale = a->in[1];
    }
    if (a->n_in > 2) q.zero_point = a->in[2];
    a->out[0] = fx_dequantize(a->in[0], &q);
}

void case_quantize_linear(const case_args *a) {
    fx_node *zero = a->n_in > 2 ? a->in[2] : NULL;
    a->out[0] = fx_quantize_linear(a->in[0], a->in[1], zero, golden_dtype(a->c, "dtype", FX_U8));
}

void case_dequantize_linear(const case_args *a) {
    a->out[0] = fx_dequantize_linear(a->in[0], a->in[1], a->n_in > 2 ? a->in[2] : NULL);
}

void case_quantize_dynamic(const case_args *a) {
    fx_quantize_dynamic(a->in[0], a->out);
}
