/* SPDX-License-Identifier: Apache-2.0 */
/* fx_nn_attention: the composite where the output is all that is wanted, plain operations else. */
#include "attention_internal.h"

static fx_node *plain(const fxi_build *b, const fxi_attention *a, const fx_attention_options *o,
                      fx_node **coefficients, fx_node **new_state) {
    fxi_attention_plain p = {.dropout_rate = o->dropout_rate, .random_state = o->random_state};
    fxi_attention_build_plain(a, b->graph, &p);
    if (coefficients) {
        fx_node *c = fx_convert(p.coefficients, a->q->shape.dtype);
        *coefficients = a->layout == FX_ATTENTION_BHSD ? c : fx_transpose(c, 1, 2);
    }
    if (new_state) *new_state = p.new_state;
    return p.output;
}

fx_node *fxi_attention_call(const char *name, fx_node *q, fx_node *k, fx_node *v,
                            const fx_attention_options *o, fx_node **coefficients, fx_node **new_state) {
    fxi_build b;
    fxi_attention a;
    bool ok = fxi_attention_begin(&b, name, &a, q, k, v, o);
    if (coefficients) *coefficients = b.stop;
    if (new_state) *new_state = ok ? o->random_state : b.stop;
    if (!ok) return b.stop;
    if (coefficients || o->dropout_rate > 0 || o->disable_fusion)
        return plain(&b, &a, o, coefficients, new_state);
    return fxi_attention_build_composite(&b, &a);
}

fx_node *fx_nn_attention(fx_node *queries, fx_node *keys, fx_node *values,
                         const fx_attention_options *options, fx_node **coefficients, fx_node **new_state) {
    fx_attention_options o;
    fxi_build_options(&o, sizeof o, options);
    return fxi_attention_call("fx_nn_attention", queries, keys, values, &o, coefficients, new_state);
}
