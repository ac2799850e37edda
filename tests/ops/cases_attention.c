/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the golden cases of attention and rotations. Optional operands come in the order of
 * fx.attention's inputs, those that the attributes name: bias, mask or added, qlen, klen. */
#include "ops/cases.h"
#include <fluxion/attention.h>
#include <fluxion/grad.h>

static fx_node *attention(const case_args *a, size_t *used) {
    const golden_case *c = a->c;
    fx_attention_options o = {.layout = golden_int(c, "layout", 0) ? FX_ATTENTION_BSHD : FX_ATTENTION_BHSD,
                              .scale = golden_real(c, "factor", 0),
                              .causal = golden_int(c, "causal", 0) != 0,
                              .has_causal_offset = golden_has(c, "offset"),
                              .causal_offset = golden_int(c, "offset", 0),
                              .window = golden_int(c, "window", 0),
                              .softcap = golden_real(c, "softcap", 0)};
    *used = 3;
    if (golden_has(c, "bias")) o.bias = a->in[(*used)++];
    if (golden_has(c, "mask") || golden_has(c, "added")) o.mask = a->in[(*used)++];
    if (golden_has(c, "qlen")) o.query_lengths = a->in[(*used)++];
    if (golden_has(c, "klen")) o.key_lengths = a->in[(*used)++];
    return fx_nn_attention(a->in[0], a->in[1], a->in[2], &o, NULL, NULL);
}

void case_attention(const case_args *a) {
    size_t used;
    a->out[0] = attention(a, &used);
}

/* Of queries, keys, values and the bias; the last operand is the adjoint. */
void case_attention_vjp(const case_args *a) {
    size_t used;
    fx_node *y = attention(a, &used);
    fx_vjp((fx_nodes){&y, 1}, (fx_nodes){&a->in[used], 1},
           (fx_nodes){a->in, golden_has(a->c, "bias") ? 4 : 3}, a->out);
}

void case_rope(const case_args *a) {
    const golden_case *c = a->c;
    const fx_rope_options o = {.base_frequency = golden_real(c, "base", 0),
                               .first = golden_int(c, "first", 0),
                               .count = golden_int(c, "count", 0),
                               .interleaved = golden_int(c, "interleaved", 0) != 0,
                               .linear_scaling = golden_real(c, "linear", 0),
                               .frequency_divisor = golden_real(c, "divisor", 0)};
    a->out[0] = fx_nn_rope(a->in[0], a->in[1], 1, &o);
}
