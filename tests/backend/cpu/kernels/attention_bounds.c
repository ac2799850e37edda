/* SPDX-License-Identifier: Apache-2.0 */
/* Plain loops over batch, heads, queries and keys (attention_bounds.h).
 *
 * The bounds. u is the unit roundoff of the compute type. A score is a sum of n products, so its error is at
 * most e = (n + 8) u S, S being the sum of magnitudes of everything that is added, times what follows; soft
 * caps have a slope of at most 1. Coefficients then err by the factor exp(2 e) and by 2 u for each of the
 * keys that are summed. What is made of them errs by that times the sum of magnitudes, and by a roundoff for
 * each term; a half type rounds once at the end, and the gradient sees an output that was rounded. */
#include "backend/cpu/kernels/attention_bounds.h"
#include <fluxion/sugar.h>
#include <fluxion/tensor.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- problems ---- */

#define SIZES(b, h, g, s, t, d, e)                                                                           \
    .batch = b, .heads = h, .key_heads = g, .queries = s, .keys = t, .dim = d, .value_dim = e

const bounded_problem bounded_problems[] = {
    {"one", FX_F32, SIZES(1, 1, 1, 1, 1, 1, 1)},
    {"plain", FX_F32, SIZES(2, 2, 2, 17, 17, 8, 8)},
    {"no keys", FX_F32, SIZES(1, 2, 2, 5, 0, 8, 8)},
    {"no queries", FX_F32, SIZES(1, 2, 2, 0, 5, 8, 8)},
    {"no batch", FX_F32, SIZES(0, 2, 2, 5, 5, 8, 8)},
    {"64", FX_F32, SIZES(1, 2, 1, 64, 64, 64, 64), .causal = true},
    {"65", FX_F32, SIZES(1, 2, 2, 65, 65, 40, 40), .causal = true},
    {"129", FX_F32, SIZES(1, 3, 1, 129, 129, 64, 64), .causal = true},
    {"300 keys", FX_F32, SIZES(1, 1, 1, 33, 300, 16, 24)},
    {"more queries than keys", FX_F32, SIZES(1, 2, 2, 40, 9, 8, 8), .causal = true},
    {"wide heads", FX_F32, SIZES(1, 1, 1, 34, 135, 256, 128), .causal = true},
    {"values of another dim", FX_F32, SIZES(2, 2, 1, 19, 21, 40, 72)},
    {"sequence first", FX_F32, true, SIZES(2, 4, 2, 37, 133, 16, 16), .causal = true},
    {"sequence first, dim 1", FX_F32, true, SIZES(2, 3, 1, 18, 20, 1, 1)},
    {"one query, a group", FX_F32, SIZES(2, 8, 2, 1, 200, 64, 64), .causal = true},
    {"three queries, a group", FX_F32, true, SIZES(2, 6, 2, 3, 150, 32, 32), .causal = true},
    {"offset", FX_F32, SIZES(1, 2, 2, 20, 30, 8, 8), .causal = true, .has_offset = true, .offset = 3},
    {"offset before all", FX_F32, SIZES(1, 1, 1, 20, 30, 8, 8), .causal = true, .has_offset = true,
     .offset = -5},
    {"far offset", FX_F32, SIZES(1, 1, 1, 5, 6, 8, 8), .causal = true, .has_offset = true,
     .offset = INT64_MAX},
    {"far below", FX_F32, SIZES(1, 1, 1, 5, 6, 8, 8), .causal = true, .has_offset = true,
     .offset = INT64_MIN},
    {"window", FX_F32, SIZES(1, 2, 2, 150, 280, 16, 16), .causal = true, .window = 7},
    {"long window", FX_F32, SIZES(1, 2, 1, 150, 280, 16, 16), .causal = true, .window = 140},
    {"window alone", FX_F32, SIZES(1, 2, 2, 30, 30, 16, 16), .window = 5},
    {"endless window", FX_F32, SIZES(1, 1, 1, 30, 30, 16, 16), .window = INT64_MAX},
    {"softcap", FX_F32, SIZES(1, 2, 2, 33, 50, 16, 16), .softcap = 1.5},
    {"softcap, causal", FX_F32, SIZES(1, 2, 2, 33, 50, 16, 16), .softcap = 20, .causal = true},
    {"bias", FX_F32, SIZES(2, 2, 1, 33, 140, 8, 8), .bias = TERM_WHOLE},
    {"shared bias", FX_F32, SIZES(2, 2, 1, 33, 140, 8, 8), .bias = TERM_SHARED, .causal = true},
    {"bias by key", FX_F32, SIZES(2, 2, 1, 33, 14, 8, 8), .bias = TERM_KEYS_ONLY},
    {"bias by row", FX_F32, SIZES(2, 2, 1, 33, 14, 8, 8), .bias = TERM_ROWS_ONLY},
    {"mask", FX_F32, SIZES(2, 2, 2, 33, 140, 8, 8), .mask = TERM_WHOLE},
    {"shared mask", FX_F32, SIZES(2, 2, 1, 33, 40, 8, 8), .mask = TERM_SHARED, .causal = true},
    {"mask by key", FX_F32, SIZES(2, 2, 1, 33, 40, 8, 8), .mask = TERM_KEYS_ONLY},
    {"mask by row", FX_F32, SIZES(2, 2, 1, 33, 40, 8, 8), .mask = TERM_ROWS_ONLY},
    {"added mask", FX_F32, SIZES(2, 2, 1, 33, 40, 8, 8), .mask = TERM_WHOLE, .added = true},
    {"added mask and bias", FX_F32, SIZES(2, 4, 2, 9, 40, 8, 8), .mask = TERM_SHARED, .added = true,
     .bias = TERM_WHOLE},
    {"lengths", FX_F32, SIZES(5, 2, 2, 33, 40, 8, 8), .lengths = true},
    {"lengths, causal", FX_F32, SIZES(5, 2, 1, 33, 140, 8, 8), .lengths = true, .causal = true},
    {"everything", FX_F32, true, SIZES(3, 4, 2, 33, 140, 24, 16), .lengths = true, .causal = true,
     .window = 50, .softcap = 3, .bias = TERM_SHARED, .mask = TERM_WHOLE},
    {"everything, sums", FX_F32, SIZES(3, 4, 2, 33, 140, 24, 16), .lengths = true, .causal = true,
     .window = 50, .softcap = 3, .bias = TERM_WHOLE, .mask = TERM_WHOLE, .added = true},
    {"NaN behind", FX_F32, SIZES(1, 2, 2, 40, 40, 16, 16), .causal = true, .nans = true},
    {"NaN seen", FX_F32, SIZES(1, 2, 2, 40, 40, 16, 16), .nans = true},
    {"NaN beyond lengths", FX_F32, true, SIZES(4, 2, 1, 20, 140, 20, 16), .lengths = true, .nans = true},
    {"NaN, mask", FX_F32, SIZES(2, 2, 2, 33, 140, 8, 8), .mask = TERM_WHOLE, .nans = true},
    {"NaN query", FX_F32, SIZES(1, 2, 1, 40, 45, 16, 16), .causal = true, .query_nans = true},
    {"NaN queries beyond", FX_F32, SIZES(3, 2, 1, 40, 45, 16, 16), .lengths = true, .causal = true,
     .query_nans = true, .nans = true},
    {"f64", FX_F64, SIZES(2, 2, 1, 35, 140, 12, 20), .causal = true},
    {"f64, everything", FX_F64, true, SIZES(3, 4, 2, 33, 140, 24, 16), .lengths = true, .causal = true,
     .window = 50, .softcap = 3, .bias = TERM_SHARED, .mask = TERM_WHOLE, .nans = true},
    {"f16", FX_F16, SIZES(2, 2, 1, 35, 140, 12, 20), .causal = true},
    {"f16, everything", FX_F16, true, SIZES(3, 4, 2, 33, 140, 24, 16), .lengths = true, .causal = true,
     .window = 50, .softcap = 3, .bias = TERM_SHARED, .mask = TERM_WHOLE, .nans = true},
    {"bf16", FX_BF16, SIZES(2, 2, 1, 35, 140, 64, 64), .causal = true},
    {"bf16, sums", FX_BF16, SIZES(2, 4, 2, 3, 140, 24, 16), .bias = TERM_WHOLE, .mask = TERM_WHOLE,
     .added = true},
};
const size_t bounded_problem_count = sizeof bounded_problems / sizeof *bounded_problems;

static int64_t pick(random_state *r, const int64_t *list, int n) {
    return list[random_below(r, n)];
}

static void draw_sizes(random_state *r, bounded_problem *p) {
    static const int64_t lengths[] = {1, 2, 7, 16, 17, 31, 33, 64, 65, 127, 129, 200};
    static const int64_t dims[] = {1, 3, 8, 16, 17, 40, 64, 128, 256};
    p->batch = 1 + random_below(r, 2);
    p->key_heads = 1 + random_below(r, 2);
    p->heads = p->key_heads * (1 + random_below(r, 3));
    do {
        p->queries = pick(r, lengths, 12);
        p->keys = pick(r, lengths, 12);
        p->dim = pick(r, dims, 9);
        p->value_dim = random_chance(r, 50) ? p->dim : pick(r, dims, 9);
    } while (p->batch * p->heads * p->queries * p->keys * (p->dim + p->value_dim) > 2000000);
}

void bounded_draw(unsigned n, bounded_problem *p) {
    static const fx_dtype dtypes[] = {FX_F32, FX_F32, FX_F64, FX_F16, FX_BF16};
    random_state r = {n + 1000};
    *p = (bounded_problem){.dtype = dtypes[random_below(&r, 5)]};
    draw_sizes(&r, p);
    if (n >= BOUNDED_ONE_QUERY) p->queries = 1;
    p->sequence_first = random_chance(&r, 40);
    p->causal = random_chance(&r, 60);
    p->has_offset = random_chance(&r, 25);
    if (p->has_offset) p->offset = random_below(&r, 60) - 20;
    if (random_chance(&r, 30)) p->window = 1 + random_below(&r, 150);
    if (random_chance(&r, 25)) p->softcap = 0.5 + random_below(&r, 8);
    if (random_chance(&r, 30)) p->bias = (bounded_term)(1 + random_below(&r, 4));
    if (random_chance(&r, 40)) p->mask = (bounded_term)(1 + random_below(&r, 4));
    p->added = random_chance(&r, 40);
    p->lengths = random_chance(&r, 30);
    p->nans = random_chance(&r, 20);
    p->query_nans = random_chance(&r, 20);
    snprintf(p->text, sizeof p->text, "drawn %u: %s [%d, %d/%d, %d x %d, %d, %d]", n, fx_dtype_name(p->dtype),
             (int)p->batch, (int)p->heads, (int)p->key_heads, (int)p->queries, (int)p->keys, (int)p->dim,
             (int)p->value_dim);
}

/* ---- data ---- */

static void set(fx_tensor *t, int64_t i, double value) {
    fxi_element_store(t->shape.dtype, t->data, i, (fxi_scalar){.re = value, .i = (int64_t)value});
}

static double uniform(random_state *r) {
    return (double)(random_bits(r) >> 11) * 0x1p-53 * 4 - 2;
}

static fx_shape rows_shape(const bounded_problem *p, int64_t heads, int64_t length, int64_t dim) {
    if (p->sequence_first) return FX_SHAPE(p->dtype, p->batch, length, heads, dim);
    return FX_SHAPE(p->dtype, p->batch, heads, length, dim);
}

static fx_shape term_shape(const bounded_problem *p, bounded_term term, bool is_bias, fx_dtype dtype) {
    if (term == TERM_WHOLE) return FX_SHAPE(dtype, p->batch, p->heads, p->queries, p->keys);
    if (term == TERM_SHARED) return FX_SHAPE(dtype, p->queries, p->keys);
    if (term == TERM_KEYS_ONLY) return FX_SHAPE(dtype, p->batch, 1, 1, p->keys);
    return FX_SHAPE(dtype, is_bias ? p->heads : p->batch, p->queries, 1);
}

static fx_tensor *random_numbers(random_state *r, fx_shape shape) {
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    for (int64_t i = 0; i < fx_shape_size(&shape); i++) set(t, i, uniform(r));
    return t;
}

static fx_tensor *random_mask(random_state *r, fx_shape shape) {
    fx_tensor *t = fx_tensor_new(&shape, FX_MUST);
    for (int64_t i = 0; i < fx_shape_size(&shape); i++) set(t, i, random_chance(r, 60));
    return t;
}

static fx_tensor *random_lengths(random_state *r, int64_t batch, int64_t most) {
    fx_tensor *t = fx_tensor_new(&FX_SHAPE(FX_S32, batch), FX_MUST);
    for (int64_t i = 0; i < batch; i++) set(t, i, i == 0 ? (double)most : random_below(r, (int)most + 1));
    return t;
}

/* Element of a row of queries, keys, values. */
static int64_t row_at(const bounded_problem *p, int64_t heads, int64_t length, int64_t dim, int64_t b,
                      int64_t h, int64_t i) {
    int64_t row = p->sequence_first ? (b * length + i) * heads + h : (b * heads + h) * length + i;
    return row * dim;
}

/* The first query, which sees few keys in a causal order, and those beyond the lengths. */
static void put_query_nans(const bounded_problem *p, bounded_data *d) {
    for (int64_t b = 0; b < p->batch; b++)
        for (int64_t h = 0; h < p->heads; h++)
            for (int64_t i = 0; i < p->queries; i++) {
                bool beyond = p->lengths && i >= (int64_t)fx_tensor_get(d->input[5], b);
                if (i == 0 || beyond)
                    set(d->input[0], row_at(p, p->heads, p->queries, p->dim, b, h, i), (double)NAN);
            }
}

static void put_nans(const bounded_problem *p, bounded_data *d) {
    if (p->query_nans) put_query_nans(p, d);
    if (!p->nans) return;
    for (int64_t b = 0; b < p->batch; b++) {
        int64_t end = p->lengths ? (int64_t)fx_tensor_get(d->input[6], b) : p->keys;
        for (int64_t h = 0; h < p->key_heads; h++)
            for (int64_t j = p->lengths && end < p->keys ? end : p->keys - 1; j < p->keys; j++) {
                int64_t k = row_at(p, p->key_heads, p->keys, p->dim, b, h, j);
                int64_t v = row_at(p, p->key_heads, p->keys, p->value_dim, b, h, j);
                set(d->input[1], k, (double)NAN);
                set(d->input[2], v, j % 2 ? (double)NAN : (double)INFINITY);
            }
    }
}

void bounded_make_data(const bounded_problem *p, uint64_t seed, bounded_data *d) {
    random_state r = {seed};
    *d = (bounded_data){.count = 0};
    d->input[0] = random_numbers(&r, rows_shape(p, p->heads, p->queries, p->dim));
    d->input[1] = random_numbers(&r, rows_shape(p, p->key_heads, p->keys, p->dim));
    d->input[2] = random_numbers(&r, rows_shape(p, p->key_heads, p->keys, p->value_dim));
    if (p->bias) d->input[3] = random_numbers(&r, term_shape(p, p->bias, true, p->dtype));
    if (p->mask && p->added) d->input[4] = random_numbers(&r, term_shape(p, p->mask, false, p->dtype));
    if (p->mask && !p->added) d->input[4] = random_mask(&r, term_shape(p, p->mask, false, FX_BOOL));
    if (p->lengths) d->input[5] = random_lengths(&r, p->batch, p->queries);
    if (p->lengths) d->input[6] = random_lengths(&r, p->batch, p->keys);
    for (int i = 0; i < BOUNDED_INPUTS; i++) d->count += d->input[i] != NULL;
    put_nans(p, d);
}

fx_tensor *bounded_make_adjoint(const bounded_problem *p, uint64_t seed) {
    random_state r = {seed};
    return random_numbers(&r, rows_shape(p, p->heads, p->queries, p->value_dim));
}

void bounded_free_data(bounded_data *d) {
    for (int i = 0; i < BOUNDED_INPUTS; i++) fx_tensor_free(d->input[i]);
}

fx_node *bounded_build(const bounded_problem *p, fx_node *const *in, bool fused) {
    fx_attention_options o = {.size = sizeof o,
                              .layout = p->sequence_first ? FX_ATTENTION_BSHD : FX_ATTENTION_BHSD,
                              .causal = p->causal,
                              .has_causal_offset = p->has_offset,
                              .causal_offset = p->offset,
                              .window = p->window,
                              .softcap = p->softcap,
                              .disable_fusion = !fused};
    size_t n = 3;
    if (p->bias) o.bias = in[n++];
    if (p->mask) o.mask = in[n++];
    if (p->lengths) o.query_lengths = in[n++];
    if (p->lengths) o.key_lengths = in[n++];
    return fx_nn_attention(in[0], in[1], in[2], &o, NULL, NULL);
}

/* ---- one row ---- */

typedef struct row {
    const bounded_problem *p;
    const bounded_data *d;
    int64_t b, h, key_head, i;
    double unit, scale, last; /* last: what the result's dtype rounds by */
    double *weight, *capped;  /* by key; weight -1: not seen */
    double error, sum;        /* of the largest score's; of all exponentials */
} row;

static double roundoff(fx_dtype dtype) {
    return dtype == FX_F64 ? 0x1p-53 : dtype == FX_F32 ? 0x1p-24 : dtype == FX_F16 ? 0x1p-11 : 0x1p-8;
}

static int64_t term_at(const row *r, const fx_tensor *t, bool is_bias, int64_t j) {
    const fx_shape *s = &t->shape;
    int64_t at[4] = {r->b, r->h, r->i, j}, index = 0;
    for (int k = 0; k < s->rank; k++) {
        int axis = k >= s->rank - 2 ? 4 - s->rank + k : s->rank == 4 ? k : is_bias ? 1 : 0;
        index = index * s->dims[k] + (s->dims[k] == 1 ? 0 : at[axis]);
    }
    return index;
}

/* What is that far from zero is as good as infinite. */
static int64_t near(int64_t x) {
    const int64_t far = INT64_C(1) << 40;
    return x > far ? far : x < -far ? -far : x;
}

static bool is_seen(const row *r, int64_t j) {
    const bounded_problem *p = r->p;
    int64_t queries = p->queries, keys = p->keys;
    if (p->lengths) queries = (int64_t)fx_tensor_get(r->d->input[5], r->b);
    if (p->lengths) keys = (int64_t)fx_tensor_get(r->d->input[6], r->b);
    int64_t position = r->i + (p->has_offset ? near(p->offset) : keys - queries);
    if (r->i >= queries || j >= keys || (p->causal && j > position)) return false;
    if (p->window > 0 && j <= position - near(p->window)) return false;
    bool masked = p->mask && !p->added;
    return !masked || fx_tensor_get(r->d->input[4], term_at(r, r->d->input[4], false, j)) != 0;
}

static int64_t query_at(const row *r) {
    return row_at(r->p, r->p->heads, r->p->queries, r->p->dim, r->b, r->h, r->i);
}
static int64_t key_at(const row *r, int64_t j) {
    return row_at(r->p, r->p->key_heads, r->p->keys, r->p->dim, r->b, r->key_head, j);
}
static int64_t value_at(const row *r, int64_t j) {
    return row_at(r->p, r->p->key_heads, r->p->keys, r->p->value_dim, r->b, r->key_head, j);
}
static int64_t output_at(const row *r) {
    return row_at(r->p, r->p->heads, r->p->queries, r->p->value_dim, r->b, r->h, r->i);
}

static double score(row *r, int64_t j) {
    const bounded_problem *p = r->p;
    int64_t q = query_at(r), k = key_at(r, j);
    double s = 0, size = 0;
    for (int64_t d = 0; d < p->dim; d++) {
        double term = fx_tensor_get(r->d->input[0], q + d) * fx_tensor_get(r->d->input[1], k + d) * r->scale;
        s += term;
        size += fabs(term);
    }
    r->capped[j] = 0;
    if (p->softcap > 0) r->capped[j] = tanh(s / p->softcap);
    if (p->softcap > 0) s = p->softcap * r->capped[j];
    if (p->bias) s += fx_tensor_get(r->d->input[3], term_at(r, r->d->input[3], true, j));
    if (p->mask && p->added) s += fx_tensor_get(r->d->input[4], term_at(r, r->d->input[4], false, j));
    double error = ((double)p->dim + 8) * r->unit * (size + 4);
    if (error > r->error || isnan(error)) r->error = error;
    return s;
}

static bool begin_row(row *r, int64_t b, int64_t h, int64_t i) {
    const bounded_problem *p = r->p;
    double most = -(double)INFINITY;
    r->b = b, r->h = h, r->i = i;
    r->key_head = h / (p->heads / p->key_heads);
    r->error = r->sum = 0;
    for (int64_t j = 0; j < p->keys; j++) {
        r->weight[j] = is_seen(r, j) ? score(r, j) : (double)-INFINITY;
        if (r->weight[j] > most) most = r->weight[j];
    }
    bool any = false;
    for (int64_t j = 0; j < p->keys; j++) {
        bool seen = is_seen(r, j);
        any |= seen;
        r->weight[j] = seen ? exp(r->weight[j] - most) : -1;
        if (seen) r->sum += r->weight[j];
    }
    for (int64_t j = 0; j < p->keys; j++)
        if (r->weight[j] >= 0 || isnan(r->weight[j])) r->weight[j] /= r->sum;
    return any;
}

/* Relative error of a coefficient. */
static double weight_error(const row *r) {
    return expm1(2 * r->error) + 2 * (double)(r->p->keys + 8) * r->unit;
}

static row new_row(const bounded_problem *p, const bounded_data *d) {
    row r = {.p = p, .d = d, .scale = 1 / sqrt((double)p->dim)};
    r.unit = p->dtype == FX_F64 ? 0x1p-53 : 0x1p-24;
    r.last = roundoff(p->dtype);
    r.weight = calloc((size_t)p->keys + 1, sizeof(double));
    r.capped = calloc((size_t)p->keys + 1, sizeof(double));
    return r;
}

static void free_row(row *r) {
    free(r->weight);
    free(r->capped);
}

static bounded_result new_expected(int64_t count) {
    bounded_result e = {.count = count};
    e.value = calloc((size_t)count + 1, sizeof(double));
    e.bound = calloc((size_t)count + 1, sizeof(double));
    return e;
}

/* Rounding of the result itself, the smallest subnormal of a half type at least. */
static void round_last(const row *r, bounded_result *e) {
    for (int64_t i = 0; i < e->count; i++) {
        double size = fabs(e->value[i]) + e->bound[i];
        e->bound[i] += size * r->last + (r->p->dtype == FX_F16 ? 0x1p-24 : 0);
    }
}

static void output_of_row(const row *r, bounded_result *e) {
    int64_t at = output_at(r);
    double error = weight_error(r) + (double)(r->p->keys + 8) * r->unit;
    for (int64_t j = 0; j < r->p->keys; j++) {
        if (r->weight[j] < 0) continue;
        for (int64_t d = 0; d < r->p->value_dim; d++) {
            double term = r->weight[j] * fx_tensor_get(r->d->input[2], value_at(r, j) + d);
            e->value[at + d] += term;
            e->bound[at + d] += fabs(term) * error;
        }
    }
}

void bounded_attention(const bounded_problem *p, const bounded_data *d, bounded_result *output) {
    row r = new_row(p, d);
    *output = new_expected(p->batch * p->heads * p->queries * p->value_dim);
    for (int64_t b = 0; b < p->batch; b++)
        for (int64_t h = 0; h < p->heads; h++)
            for (int64_t i = 0; i < p->queries; i++)
                if (begin_row(&r, b, h, i)) output_of_row(&r, output);
    round_last(&r, output);
    free_row(&r);
}

/* ---- gradient ---- */

static void put(bounded_result *e, int64_t at, double value, double bound) {
    e->value[at] += value;
    e->bound[at] += bound;
}

/* Adjoint of the coefficient of key j, less the mean; *size: of what is summed there. */
static double coefficient_adjoint(const row *r, const fx_tensor *adjoint, int64_t j, double *size) {
    double sum = 0;
    for (int64_t d = 0; d < r->p->value_dim; d++) {
        double term =
            fx_tensor_get(adjoint, output_at(r) + d) * fx_tensor_get(r->d->input[2], value_at(r, j) + d);
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

static void gradient_of_key(const row *r, const fx_tensor *adjoint, int64_t j, double mean, double mean_size,
                            bounded_result *e) {
    const bounded_problem *p = r->p;
    double size = 0, w = r->weight[j], relative = weight_error(r);
    double error = (double)(p->value_dim + p->keys + p->queries * p->heads + 16) * r->unit + relative;
    double above = coefficient_adjoint(r, adjoint, j, &size) - mean;
    double x = w * above, x_error = w * ((size + mean_size) * (error + r->last) + fabs(above) * relative);
    for (int64_t d = 0; d < p->value_dim; d++) {
        double g = fx_tensor_get(adjoint, output_at(r) + d) * w;
        put(&e[2], value_at(r, j) + d, g, fabs(g) * error);
    }
    if (p->bias) put(&e[3], term_at(r, r->d->input[3], true, j), x, x_error);
    if (p->mask && p->added) put(&e[4], term_at(r, r->d->input[4], false, j), x, x_error);
    double slope = (p->softcap > 0 ? 1 - r->capped[j] * r->capped[j] : 1) * r->scale;
    double slope_error = p->softcap > 0 ? 2 * r->error * r->scale : 0;
    double s = x * slope, s_error = x_error * r->scale + fabs(x) * (slope_error + error * r->scale);
    for (int64_t d = 0; d < p->dim; d++) {
        double q = fx_tensor_get(r->d->input[0], query_at(r) + d);
        double k = fx_tensor_get(r->d->input[1], key_at(r, j) + d);
        put(&e[0], query_at(r) + d, s * k, s_error * fabs(k));
        put(&e[1], key_at(r, j) + d, s * q, s_error * fabs(q));
    }
}

static void gradient_of_row(const row *r, const fx_tensor *adjoint, bounded_result *e) {
    double mean = 0, mean_size = 0;
    for (int64_t j = 0; j < r->p->keys; j++) {
        double size = 0;
        if (r->weight[j] < 0) continue;
        mean += r->weight[j] * coefficient_adjoint(r, adjoint, j, &size);
        mean_size += r->weight[j] * size;
    }
    for (int64_t j = 0; j < r->p->keys; j++)
        if (!(r->weight[j] < 0)) gradient_of_key(r, adjoint, j, mean, mean_size, e);
}

void bounded_gradient(const bounded_problem *p, const bounded_data *d, const fx_tensor *adjoint,
                      bounded_result results[BOUNDED_MOST_RESULTS]) {
    row r = new_row(p, d);
    for (int i = 0; i < BOUNDED_MOST_RESULTS; i++)
        results[i] = new_expected(d->input[i] ? fx_shape_size(&d->input[i]->shape) : 0);
    for (int64_t b = 0; b < p->batch; b++)
        for (int64_t h = 0; h < p->heads; h++)
            for (int64_t i = 0; i < p->queries; i++)
                if (begin_row(&r, b, h, i)) gradient_of_row(&r, adjoint, results);
    for (int i = 0; i < BOUNDED_MOST_RESULTS; i++) round_last(&r, &results[i]);
    free_row(&r);
}

int64_t bounded_compare(const bounded_result *want, const fx_tensor *got) {
    for (int64_t i = 0; i < want->count; i++) {
        double x = fx_tensor_get(got, i), y = want->value[i];
        bool same = isnan(x) ? isnan(y) : x == y || fabs(x - y) <= want->bound[i];
        if (!same) return i;
    }
    return -1;
}
