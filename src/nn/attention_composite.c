/* SPDX-License-Identifier: Apache-2.0 */
/* Attention as the composites fx.attention and fx.attention_grad; attention_internal.h says what they take
 * and give. The gradient's decomposition is the derivative of the plain form, built inside it: coefficients
 * are computed again instead of being kept, and second derivatives are those of plain operations. */
#include "attention_internal.h"
#include <fluxion/grad.h>

static void write_settings(const fxi_attention *a, int64_t *s) {
    s[FXI_ATTENTION_LAYOUT] = a->layout;
    s[FXI_ATTENTION_SCALE] = fxi_bits_of_double(a->scale);
    s[FXI_ATTENTION_CAUSAL] = a->causal;
    s[FXI_ATTENTION_HAS_OFFSET] = a->has_offset;
    s[FXI_ATTENTION_OFFSET] = a->offset;
    s[FXI_ATTENTION_WINDOW] = a->window;
    s[FXI_ATTENTION_SOFTCAP] = fxi_bits_of_double(a->softcap);
    s[FXI_ATTENTION_GIVEN] =
        (a->bias ? 1 : 0) | (a->mask ? 2 : 0) | (a->query_lengths ? 4 : 0) | (a->key_lengths ? 8 : 0);
    s[FXI_ATTENTION_WANTS] = a->wants;
}

/* The inputs in their order; returns how many there are. */
static size_t list_inputs(const fxi_attention *a, fx_node **list) {
    fx_node *const options[] = {a->bias, a->mask, a->query_lengths, a->key_lengths};
    size_t n = 0;
    list[n++] = a->q;
    list[n++] = a->k;
    list[n++] = a->v;
    for (int i = 0; i < 4; i++)
        if (options[i]) list[n++] = options[i];
    return n;
}

/* The same attention on other inputs; returns how many these are. */
static size_t bind(fxi_attention *bound, const fxi_attention *a, fx_node *const *in) {
    fx_node **const options[] = {&bound->bias, &bound->mask, &bound->query_lengths, &bound->key_lengths};
    size_t n = 3;
    *bound = *a;
    bound->q = in[0];
    bound->k = in[1];
    bound->v = in[2];
    for (int i = 0; i < 4; i++)
        if (*options[i]) *options[i] = in[n++];
    return n;
}

static void forward(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                    void *user) {
    fxi_attention a;
    fxi_attention_plain plain = {0};
    (void)n_in, (void)n_out;
    bind(&a, user, in);
    fxi_attention_build_plain(&a, body, &plain);
    out[0] = plain.output;
    out[1] = plain.logsumexp;
}

/* What the gradient is taken by: queries, keys, values, then what `wants` says. */
static size_t list_wanted(const fxi_attention *a, fx_node **list) {
    size_t n = 0;
    list[n++] = a->q;
    list[n++] = a->k;
    list[n++] = a->v;
    if (a->wants & 1) list[n++] = a->bias;
    if (a->wants & 2) list[n++] = a->mask;
    return n;
}

/* in: the inputs, the results of fx.attention, the adjoint of the output. */
static void gradient(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    fxi_attention a;
    fxi_attention_plain plain = {0};
    fx_node *wanted[5];
    (void)n_in, (void)n_out;
    size_t given = bind(&a, user, in);
    fxi_attention_build_plain(&a, body, &plain);
    size_t n = list_wanted(&a, wanted);
    fx_vjp((fx_nodes){&plain.output, 1}, (fx_nodes){&in[given + 2], 1}, (fx_nodes){wanted, n}, out);
}

/* in: the inputs, the two results, their adjoints. That of the logsumexp is zero: nothing depends on it. */
static void backward(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                     void *user) {
    fxi_attention a;
    fxi_build b;
    int64_t settings[FXI_ATTENTION_SETTINGS];
    fx_node *list[FXI_ATTENTION_INPUTS + 3], *found[5], *wanted[5];
    (void)n_in, (void)n_out;
    size_t n = bind(&a, user, in), m = list_wanted(&a, wanted);
    write_settings(&a, settings);
    for (size_t i = 0; i < n + 3; i++) list[i] = in[i];
    if (!fxi_build_begin_leaf(&b, a.name, body)) return;
    const fxi_composite c = {"fx.attention_grad", settings, FXI_ATTENTION_SETTINGS, gradient, NULL, &a};
    fxi_build_results(fxi_build_composite(&b, &c, (fx_nodes){list, n + 3}, m), found, m);
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < n; k++)
            if (in[k] == wanted[i]) out[k] = found[i];
}

fx_node *fxi_attention_build_composite(const fxi_build *b, const fxi_attention *a) {
    fxi_attention own = *a;
    int64_t settings[FXI_ATTENTION_SETTINGS];
    fx_node *list[FXI_ATTENTION_INPUTS];
    own.wants = (a->bias ? 1 : 0) | (a->mask && a->mask->shape.dtype != FX_BOOL ? 2 : 0);
    write_settings(&own, settings);
    const fxi_composite c = {"fx.attention", settings, FXI_ATTENTION_SETTINGS, forward, backward, &own};
    return fxi_build_composite(b, &c, (fx_nodes){list, list_inputs(&own, list)}, 2);
}
