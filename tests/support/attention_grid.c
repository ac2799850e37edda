/* SPDX-License-Identifier: Apache-2.0 */
#include "support/attention_grid.h"
#include "support/derivatives.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- drawing ---- */

/* A number from 0 to n - 1 (splitmix64, Steele et al. 2014). */
static int64_t draw(uint64_t *state, int64_t n) {
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (int64_t)((z ^ (z >> 31)) % (uint64_t)n);
}

static void draw_sizes(attention_case *c, uint64_t *s, int64_t size) {
    int64_t small = size < 4 ? size : 4;
    c->batch = 1 + draw(s, 2);
    c->key_heads = 1 + draw(s, 2);
    c->heads = c->key_heads * (1 + draw(s, 3));
    c->queries = draw(s, 12) ? 1 + draw(s, draw(s, 2) ? size : small) : draw(s, 2);
    c->keys = draw(s, 12) ? 1 + draw(s, draw(s, 2) ? size : small) : draw(s, 2);
    if (draw(s, 4) == 0) c->keys = c->queries;
    c->dim = 1 + draw(s, size);
    c->value_dim = draw(s, 3) ? c->dim : 1 + draw(s, size);
}

/* Rank 2 to 4; the missing axes of a mask are the heads, of a bias the batch. */
static fx_shape draw_term(const attention_case *c, uint64_t *s, bool is_mask, fx_dtype dtype) {
    fx_shape shape = {.dtype = dtype, .rank = 2 + (int)draw(s, 3)};
    int at = 0;
    if (shape.rank == 4) shape.dims[at++] = c->batch;
    if (shape.rank >= 3) shape.dims[at++] = shape.rank == 3 && is_mask ? c->batch : c->heads;
    shape.dims[at++] = c->queries;
    shape.dims[at] = c->keys;
    for (int i = 0; i < shape.rank; i++)
        if (draw(s, 3) == 0) shape.dims[i] = 1;
    return shape;
}

static void draw_options(attention_case *c, uint64_t *s) {
    c->o.layout = draw(s, 2) ? FX_ATTENTION_BSHD : FX_ATTENTION_BHSD;
    if (draw(s, 3) == 0) c->o.scale = 0.7;
    if (draw(s, 2)) c->o.causal = true;
    if (draw(s, 4) == 0) {
        c->o.has_causal_offset = true;
        c->o.causal_offset = draw(s, 7) - 3;
    }
    if (draw(s, 3) == 0) c->o.window = 1 + draw(s, 1 + c->keys);
    if (draw(s, 3) == 0) c->o.softcap = 1.5;
    if (draw(s, 3) == 0) c->bias = draw_term(c, s, false, FX_F64);
    int64_t mask = draw(s, 4);
    if (mask < 2) c->mask = draw_term(c, s, true, mask ? FX_F64 : FX_BOOL);
    c->query_lengths = draw(s, 4) == 0;
    c->key_lengths = draw(s, 3) == 0;
}

attention_case attention_draw(unsigned n, int64_t size) {
    attention_case c = {.dtype = 0};
    uint64_t state = n;
    draw_sizes(&c, &state, size);
    draw_options(&c, &state);
    int length = snprintf(
        c.name, sizeof c.name,
        "case %u: %s [%lld, %lld/%lld, %lld x %lld, %lld, %lld]%s offset %d window %lld cap %g bias %s mask "
        "%s%s%s",
        n, c.o.layout ? "bshd" : "bhsd", (long long)c.batch, (long long)c.heads, (long long)c.key_heads,
        (long long)c.queries, (long long)c.keys, (long long)c.dim, (long long)c.value_dim,
        c.o.causal ? " causal" : "", c.o.has_causal_offset ? (int)c.o.causal_offset : 999,
        (long long)c.o.window, c.o.softcap, c.bias.rank ? fx_shape_to_text(&c.bias).s : "-",
        c.mask.rank ? fx_shape_to_text(&c.mask).s : "-", c.query_lengths ? " qlen" : "",
        c.key_lengths ? " klen" : "");
    assert_true(length < (int)sizeof c.name);
    return c;
}

/* ---- inputs ---- */

static fx_shape shape_of(const attention_case *c, int64_t heads, int64_t length, int64_t last) {
    if (c->o.layout == FX_ATTENTION_BSHD) return FX_SHAPE(FX_F64, c->batch, length, heads, last);
    return FX_SHAPE(FX_F64, c->batch, heads, length, last);
}

fx_shape attention_result(const attention_case *c) {
    return shape_of(c, c->heads, c->queries, c->value_dim);
}

static fx_tensor *values(fx_shape shape, double low, double high, unsigned seed) {
    return random_values(shape.dtype, (fx_dims){shape.dims, (size_t)shape.rank}, low, high, seed);
}

size_t attention_inputs(const attention_case *c, unsigned seed, fx_tensor **in) {
    size_t n = 0;
    seed *= 8;
    in[n++] = values(shape_of(c, c->heads, c->queries, c->dim), -1.5, 1.5, seed + 1);
    in[n++] = values(shape_of(c, c->key_heads, c->keys, c->dim), -1.5, 1.5, seed + 2);
    in[n++] = values(shape_of(c, c->key_heads, c->keys, c->value_dim), -2, 2, seed + 3);
    if (c->bias.rank) in[n++] = values(c->bias, -1, 1, seed + 4);
    if (c->mask.rank) in[n++] = values(c->mask, c->mask.dtype == FX_BOOL ? 0.1 : -1, 1.3, seed + 5);
    const fx_shape lengths = FX_SHAPE(FX_S32, c->batch);
    if (c->query_lengths) in[n++] = values(lengths, -1, (double)c->queries + 2, seed + 6);
    if (c->key_lengths) in[n++] = values(lengths, -1, (double)c->keys + 2, seed + 7);
    return n;
}

size_t attention_floats(const attention_case *c) {
    return 3u + (c->bias.rank > 0) + (c->mask.rank > 0 && c->mask.dtype != FX_BOOL);
}

/* ---- graph functions ---- */

static fx_node *make(const attention_case *c, fx_node *const *in, fx_node **coefficients) {
    fx_attention_options o = c->o;
    fx_node *x[ATTENTION_INPUTS];
    size_t n = 3, count = 3u + (c->bias.rank > 0) + (c->mask.rank > 0) + c->query_lengths + c->key_lengths;
    for (size_t i = 0; i < count; i++)
        x[i] = c->dtype && fx_dtype_is_float(fx_node_dtype(in[i])) ? fx_convert(in[i], c->dtype) : in[i];
    if (c->bias.rank) o.bias = x[n++];
    if (c->mask.rank) o.mask = x[n++];
    if (c->query_lengths) o.query_lengths = x[n++];
    if (c->key_lengths) o.key_lengths = x[n++];
    fx_node *made = fx_nn_attention(x[0], x[1], x[2], &o, coefficients, NULL);
    return c->dtype ? fx_convert(made, FX_F64) : made;
}

void attention_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = make(user, in, NULL);
}

void attention_coefficients_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                               void *user) {
    (void)body, (void)n_in, (void)n_out;
    out[0] = make(user, in, &out[1]);
}

void attention_gradients_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                            void *user) {
    (void)body;
    fx_node *result = make(user, in, NULL);
    fx_vjp((fx_nodes){&result, 1}, (fx_nodes){&in[n_in - 1], 1}, (fx_nodes){in, n_out}, out);
}

void attention_run(const char *backend, fx_fn fn, const attention_case *c, fx_tensor *const *in, size_t n_in,
                   fx_tensor **out, size_t n_out) {
    fx_error err = {.code = FX_OK};
    fx_arg args[ATTENTION_INPUTS + 1];
    fx_backend *b = fx_backend_open(backend, FX_MUST);
    fx_exec *exec = fx_exec_new_fn(b, fn, n_in, n_out, (void *)c, FX_MUST);
    for (size_t i = 0; i < n_in; i++) args[i] = FX_ARG(in[i]);
    if (!fx_exec_call(exec, args, n_in, out, n_out, &err)) fail_msg("%s: %s", c->name, err.message);
    fx_exec_free(exec);
    fx_backend_close(b);
}

/* ---- the definition ---- */

int64_t attention_place(const attention_case *c, int64_t b, int64_t h, int64_t i, int64_t last_dim,
                        int64_t last) {
    if (c->o.layout == FX_ATTENTION_BSHD) return ((b * c->queries + i) * c->heads + h) * last_dim + last;
    return ((b * c->heads + h) * c->queries + i) * last_dim + last;
}

static double element(const attention_case *c, const fx_tensor *t, int64_t heads, int64_t length, int64_t b,
                      int64_t h, int64_t i, int64_t last) {
    int64_t dim = fx_tensor_shape(t)->dims[3];
    if (c->o.layout == FX_ATTENTION_BSHD)
        return fx_tensor_get(t, ((b * length + i) * heads + h) * dim + last);
    return fx_tensor_get(t, ((b * heads + h) * length + i) * dim + last);
}

/* What a mask or bias holds for a pair. */
static double term(const fx_tensor *t, int third, int64_t b, int64_t h, int64_t i, int64_t k) {
    const fx_shape *s = fx_tensor_shape(t);
    const int64_t all[4] = {b, h, i, k};
    int64_t at = 0;
    for (int axis = 0; axis < s->rank; axis++) {
        int which = axis >= s->rank - 2 ? 4 - s->rank + axis : s->rank == 4 ? axis : third;
        at = at * s->dims[axis] + (s->dims[axis] == 1 ? 0 : all[which]);
    }
    return fx_tensor_get(t, at);
}

typedef struct reference {
    const attention_case *c;
    fx_tensor *q, *k, *v, *bias, *mask, *query_lengths, *key_lengths;
} reference;

static int64_t length_of(const fx_tensor *lengths, int64_t b, int64_t most) {
    if (!lengths) return most;
    int64_t n = fx_tensor_get_int(lengths, b);
    return n < 0 ? 0 : n > most ? most : n;
}

/* Sums of offsets and windows are exact in a long double. */
static bool sees(const reference *r, int64_t b, int64_t h, int64_t i, int64_t k) {
    const attention_case *c = r->c;
    int64_t queries = length_of(r->query_lengths, b, c->queries);
    int64_t keys = length_of(r->key_lengths, b, c->keys);
    int64_t offset = c->o.has_causal_offset ? c->o.causal_offset : keys - queries;
    if (i >= queries || k >= keys) return false;
    if (c->o.causal && (long double)k > (long double)i + (long double)offset) return false;
    if (c->o.window && (long double)k <= (long double)i + (long double)offset - (long double)c->o.window)
        return false;
    return !r->mask || c->mask.dtype != FX_BOOL || term(r->mask, 0, b, h, i, k) != 0;
}

static double score(const reference *r, int64_t b, int64_t h, int64_t i, int64_t k) {
    const attention_case *c = r->c;
    double sum = 0;
    for (int64_t d = 0; d < c->dim; d++)
        sum += element(c, r->q, c->heads, c->queries, b, h, i, d) *
               element(c, r->k, c->key_heads, c->keys, b, h / (c->heads / c->key_heads), k, d);
    sum *= c->o.scale != 0 ? c->o.scale : 1 / sqrt((double)c->dim);
    if (c->o.softcap > 0) sum = c->o.softcap * tanh(sum / c->o.softcap);
    if (r->bias) sum += term(r->bias, 1, b, h, i, k);
    if (r->mask && c->mask.dtype != FX_BOOL) sum += term(r->mask, 0, b, h, i, k);
    return sum;
}

static void row(const reference *r, int64_t b, int64_t h, int64_t i, double *out) {
    const attention_case *c = r->c;
    double largest = -INFINITY, total = 0;
    for (int64_t k = 0; k < c->keys; k++)
        if (sees(r, b, h, i, k)) largest = fmax(largest, score(r, b, h, i, k));
    for (int64_t d = 0; d < c->value_dim; d++) out[d] = 0;
    for (int64_t k = 0; k < c->keys; k++) {
        if (!sees(r, b, h, i, k)) continue;
        double weight = exp(score(r, b, h, i, k) - largest);
        total += weight;
        for (int64_t d = 0; d < c->value_dim; d++)
            out[d] +=
                weight * element(c, r->v, c->key_heads, c->keys, b, h / (c->heads / c->key_heads), k, d);
    }
    for (int64_t d = 0; d < c->value_dim; d++) out[d] = total > 0 ? out[d] / total : 0;
}

static reference refer(const attention_case *c, fx_tensor *const *in) {
    reference r = {.c = c, .q = in[0], .k = in[1], .v = in[2]};
    size_t n = 3;
    if (c->bias.rank) r.bias = in[n++];
    if (c->mask.rank) r.mask = in[n++];
    if (c->query_lengths) r.query_lengths = in[n++];
    if (c->key_lengths) r.key_lengths = in[n++];
    return r;
}

bool attention_sees(const attention_case *c, fx_tensor *const *in, int64_t b, int64_t h, int64_t i,
                    int64_t k) {
    reference r = refer(c, in);
    return sees(&r, b, h, i, k);
}

double *attention_reference(const attention_case *c, fx_tensor *const *in) {
    reference r = refer(c, in);
    int64_t rows = c->batch * c->heads * c->queries;
    double *out = malloc((size_t)(rows * c->value_dim + 1) * sizeof *out);
    assert_non_null(out);
    for (int64_t at = 0; at < rows; at++)
        row(&r, at / c->queries / c->heads, at / c->queries % c->heads, at % c->queries,
            out + at * c->value_dim);
    return out;
}
