/* SPDX-License-Identifier: Apache-2.0 */
/* Attention at the edges of its sizes and options, in batches and scans, with dropout and coefficients. */
#include "support/attention_grid.h"
#include "support/derivatives.h"
#include "support/graph_helpers.h"
#include <math.h>
#include <stdlib.h>

static const char *const backends[] = {"interp",
#if FLUXION_CPU
                                       "cpu"
#endif
};
enum { BACKENDS = sizeof backends / sizeof *backends };

static void compare(const attention_case *c, const char *where, const fx_tensor *got, const double *want) {
    for (int64_t at = 0; at < fx_tensor_size(got); at++) {
        int64_t d = at % c->value_dim, row = at / c->value_dim, i = row % c->queries;
        int64_t h = row / c->queries % c->heads, b = row / c->queries / c->heads;
        double value = fx_tensor_get(got, attention_place(c, b, h, i, c->value_dim, d));
        if (!(fabs(value - want[at]) <= 1e-12))
            fail_msg("%s, %s at %d: %.17g, not %.17g", c->name, where, (int)at, value, want[at]);
    }
}

static void check(attention_case *c, unsigned seed) {
    fx_tensor *in[ATTENTION_INPUTS], *got;
    size_t n = attention_inputs(c, seed, in);
    double *want = attention_reference(c, in);
    for (int i = 0; i < 2 * BACKENDS; i++) {
        c->o.disable_fusion = i % 2;
        attention_run(backends[i / 2], attention_fn, c, in, n, &got, 1);
        assert_true(fx_shape_equal(fx_tensor_shape(got), &(const fx_shape[]){attention_result(c)}[0]));
        compare(c, backends[i / 2], got, want);
        fx_tensor_free(got);
    }
    free(want);
    for (size_t i = 0; i < n; i++) fx_tensor_free(in[i]);
}

/* ---- sizes of 0 and 1, each in turn, with all other options ---- */

static int64_t *size_number(attention_case *c, int i) {
    int64_t *const all[] = {&c->batch, &c->queries, &c->keys, &c->dim, &c->value_dim};
    return all[i];
}

static void fit(attention_case *c, fx_shape *term, bool is_mask) {
    int at = 0;
    if (term->rank == 4) term->dims[at++] = c->batch;
    if (term->rank >= 3) term->dims[at++] = term->rank == 3 && is_mask ? c->batch : c->heads;
    if (term->rank == 0) return;
    term->dims[at++] = c->queries;
    term->dims[at] = c->keys;
}

static void test_sizes(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++)
        for (int size = 0; size < 2; size++)
            for (unsigned n = 0; n < 6; n++) {
                attention_case c = attention_draw(500 + n, 4);
                *size_number(&c, i) = size;
                if (n == 0) c.heads = c.key_heads = size;
                if (c.dim == 0) c.o.scale = 1; /* the reference's 1 / sqrt(0) */
                fit(&c, &c.bias, false);
                fit(&c, &c.mask, true);
                check(&c, n);
                if (n % 3) continue;
                derivative_case d = {.name = c.name, .fn = attention_fn, .user = &c, .n_out = 1, .order = 1};
                d.n_in = attention_inputs(&c, n, d.in);
                check_derivatives(&d);
            }
}

/* ---- offsets and windows as large as they get ---- */

static void test_extremes(void **state) {
    static const int64_t numbers[] = {INT64_MIN, INT64_MIN + 1, -4, 0, 4, INT64_MAX - 1, INT64_MAX};
    (void)state;
    for (size_t i = 0; i < 7; i++)
        for (size_t k = 2; k < 7; k++) {
            attention_case c = {.name = "extremes",
                                .batch = 1,
                                .heads = 1,
                                .key_heads = 1,
                                .queries = 4,
                                .keys = 5,
                                .dim = 2,
                                .value_dim = 2};
            fx_tensor *in[3], *got;
            c.o = (fx_attention_options){.causal = k % 2,
                                         .has_causal_offset = true,
                                         .causal_offset = numbers[i],
                                         .window = numbers[k] > 0 ? numbers[k] : 0};
            attention_inputs(&c, 3, in);
            double *want = attention_reference(&c, in);
            for (int b = 0; b < BACKENDS; b++) {
                attention_run(backends[b], attention_fn, &c, in, 3, &got, 1);
                compare(&c, backends[b], got, want);
                fx_tensor_free(got);
            }
            free(want);
            for (int t = 0; t < 3; t++) fx_tensor_free(in[t]);
        }
}

/* ---- lengths of any integer dtype, wherever they lie ---- */

typedef struct lengths_case {
    const attention_case *c;
    fx_dtype dtype;
    int64_t query, key;
    bool scalar;
} lengths_case;

static fx_node *length_node(const lengths_case *l, fx_graph *graph, int64_t value) {
    fx_node *x = fx_scalar_int(graph, l->dtype, value);
    return l->scalar ? x : fx_broadcast_to_dims(x, FX_DIMS(l->c->batch));
}

static void lengths_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    const lengths_case *l = user;
    fx_attention_options o = l->c->o;
    (void)n_in, (void)n_out;
    o.query_lengths = length_node(l, body, l->query);
    o.key_lengths = length_node(l, body, l->key);
    out[0] = fx_nn_attention(in[0], in[1], in[2], &o, NULL, NULL);
}

static int64_t clamp(int64_t x, int64_t most) {
    return x < 0 ? 0 : x > most ? most : x;
}

static void test_lengths(void **state) {
    static const struct {
        fx_dtype dtype;
        int64_t query, key;
    } rows[] = {{FX_S64, INT64_MAX, INT64_MIN},
                {FX_S64, -1, 3},
                {FX_U64, INT64_MAX, 2},
                {FX_U32, UINT32_MAX, 1},
                {FX_S8, -128, 127},
                {FX_S32, INT32_MAX, 3},
                {FX_U8, 3, 255},
                {FX_S32, 2, INT32_MIN},
                {FX_S16, 1, 4},
                {FX_S64, 1, INT64_C(1) << 40}};
    (void)state;
    attention_case c = {.name = "lengths",
                        .batch = 2,
                        .heads = 1,
                        .key_heads = 1,
                        .queries = 4,
                        .keys = 5,
                        .dim = 2,
                        .value_dim = 2,
                        .o = {.causal = true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int b = 0; b < BACKENDS; b++) {
            lengths_case l = {&c, rows[i].dtype, rows[i].query, rows[i].key, i % 2};
            attention_case known = c;
            fx_tensor *in[5], *got;
            attention_inputs(&c, 3, in);
            int32_t q[2] = {(int32_t)clamp(l.query, 4), (int32_t)clamp(l.query, 4)};
            int32_t k[2] = {(int32_t)clamp(l.key, 5), (int32_t)clamp(l.key, 5)};
            in[3] = fx_tensor_from(FX_HOST(q, 2), FX_MUST);
            in[4] = fx_tensor_from(FX_HOST(k, 2), FX_MUST);
            known.query_lengths = known.key_lengths = true;
            double *want = attention_reference(&known, in);
            attention_run(backends[b], lengths_fn, (const attention_case *)(const void *)&l, in, 3, &got, 1);
            compare(&c, backends[b], got, want);
            free(want);
            fx_tensor_free(got);
            for (int t = 0; t < 5; t++) fx_tensor_free(in[t]);
        }
}

/* ---- masks of -Inf, scores of Inf ---- */

static void infinite_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    fx_attention_options o = {.mask = in[3], .disable_fusion = *(const int *)user};
    fx_node *y = fx_nn_attention(in[0], in[1], in[2], &o, NULL, NULL);
    (void)body, (void)n_in, (void)n_out;
    out[0] = y;
    fx_gradient(fx_reduce_all_sum(fx_mul(y, y)), FX_NODES(in[0], in[1], in[2], in[3]), out + 1);
}

static void test_infinite(void **state) {
    (void)state;
    double q[2] = {1, 2}, k[3] = {1, -1, 1}, v[3] = {4, 8, 16}, low = -(double)INFINITY;
    double mask[6] = {low, low, low, low, 0, low};
    static const double wanted[5][6] = {{0, 8}, {0, 0}, {0, 0, 0}, {0, 16, 0}, {0, 0, 0, 0, 0, 0}};
    for (int i = 0; i < 2 * BACKENDS; i++) {
        int plain = i % 2;
        fx_tensor *in[] = {fx_tensor_from(FX_HOST(q, 1, 1, 2, 1), FX_MUST),
                           fx_tensor_from(FX_HOST(k, 1, 1, 3, 1), FX_MUST),
                           fx_tensor_from(FX_HOST(v, 1, 1, 3, 1), FX_MUST),
                           fx_tensor_from(FX_HOST(mask, 2, 3), FX_MUST)},
                  *got[5];
        attention_run(backends[i / 2], infinite_fn, (const attention_case *)(const void *)&plain, in, 4, got,
                      5);
        for (int t = 0; t < 5; t++) {
            for (int64_t e = 0; e < fx_tensor_size(got[t]); e++)
                assert_true(fx_tensor_get(got[t], e) == wanted[t][e]);
            fx_tensor_free(got[t]);
        }
        for (int t = 0; t < 4; t++) fx_tensor_free(in[t]);
    }
}

/* ---- batches and scans ---- */

/* The inputs of three examples, stacked, as a batch and as the slices of a scan. */
static void batched_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    fx_node *x[ATTENTION_INPUTS];
    (void)body, (void)n_out;
    for (size_t i = 0; i < n_in; i++)
        x[i] = fx_stack(FX_NODES(in[i], in[i], fx_reverse(in[i], FX_AXES(0))), 0);
    fx_vmap((fx_nodes){x, n_in}, NULL, attention_fn, user, 1, NULL, &out[0]);
    fx_scan(FX_NODES(), (fx_nodes){x, n_in}, 3, 1, attention_fn, user, &out[1]);
    attention_fn(body, in, n_in, &out[2], 1, user);
}

/* And their gradients. */
static void batched_gradients_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                                 void *user) {
    const attention_case *c = user;
    fx_node *y[3], *found[ATTENTION_INPUTS];
    (void)n_out;
    batched_fn(body, in, n_in, y, 3, user);
    size_t n = attention_floats(c);
    for (int i = 0; i < 2; i++) {
        fx_gradient(fx_reduce_all_sum(fx_sin(y[i])), (fx_nodes){in, n}, found);
        out[i] = fx_reshape(found[0], FX_DIMS(-1));
        for (size_t k = 1; k < n; k++)
            out[i] = fx_concatenate(FX_NODES(out[i], fx_reshape(found[k], FX_DIMS(-1))), 0);
    }
}

static void assert_near(const attention_case *c, const char *what, const fx_tensor *x, const fx_tensor *y,
                        int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(fx_tensor_get(x, i) - fx_tensor_get(y, i)) <= 1e-11))
            fail_msg("%s: %s at %d: %.17g and %.17g", c->name, what, (int)i, fx_tensor_get(x, i),
                     fx_tensor_get(y, i));
}

static void test_batches(void **state) {
    (void)state;
    for (unsigned n = 600; n < 612; n++) {
        attention_case c = attention_draw(n, 4);
        fx_tensor *in[ATTENTION_INPUTS], *got[3];
        size_t count = attention_inputs(&c, n, in);
        for (int b = 0; b < BACKENDS; b++) {
            attention_run(backends[b], batched_fn, &c, in, count, got, 3);
            assert_near(&c, "vmap and scan", got[0], got[1], fx_tensor_size(got[0]));
            assert_near(&c, "vmap and the call alone", got[0], got[2], fx_tensor_size(got[2]));
            for (int i = 0; i < 3; i++) fx_tensor_free(got[i]);
            attention_run(backends[b], batched_gradients_fn, &c, in, count, got, 2);
            assert_near(&c, "gradients of vmap and scan", got[0], got[1], fx_tensor_size(got[0]));
            for (int i = 0; i < 2; i++) fx_tensor_free(got[i]);
        }
        for (size_t i = 0; i < count; i++) fx_tensor_free(in[i]);
    }
}

/* ---- batches of some inputs ---- */

typedef struct one_batched {
    attention_case c; /* first: attention_run reads its name */
    size_t which, floats;
} one_batched;

/* Everything that the gradients of both examples say, as one vector. */
static fx_node *all_gradients(fx_node *y, fx_node *const *in, size_t n) {
    fx_node *found[ATTENTION_INPUTS];
    fx_gradient(fx_reduce_all_sum(fx_sin(y)), (fx_nodes){in, n}, found);
    for (size_t i = 0; i < n; i++) found[i] = fx_reshape(found[i], FX_DIMS(-1));
    return n > 1 ? fx_concatenate((fx_nodes){found, n}, 0) : found[0];
}

/* One input differs between the two examples; out: by fx_vmap, by two calls, the gradients of both. */
static void one_batched_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                           void *user) {
    one_batched *w = user;
    fx_node *x[ATTENTION_INPUTS], *each[2];
    int axes[ATTENTION_INPUTS];
    (void)n_out;
    for (size_t i = 0; i < n_in; i++) x[i] = in[i], axes[i] = FX_NOT_BATCHED;
    fx_node *turned = fx_reverse(in[w->which], FX_AXES(-1));
    axes[w->which] = 0;
    x[w->which] = fx_stack(FX_NODES(in[w->which], turned), 0);
    out[0] = fx_vmap((fx_nodes){x, n_in}, axes, attention_fn, &w->c, 1, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        x[w->which] = i ? turned : in[w->which];
        attention_fn(body, x, n_in, &each[i], 1, &w->c);
    }
    out[1] = fx_stack(FX_NODES(each[0], each[1]), 0);
    for (int i = 0; i < 2; i++) out[2 + i] = all_gradients(out[i], in, w->floats);
}

/* The Jacobian, where only adjoints are a batch, against gradients one by one. */
static void jacobian_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                        void *user) {
    const attention_case *c = user;
    fx_node *y, *row[4];
    (void)n_out;
    attention_fn(body, in, n_in, &y, 1, user);
    fx_node *sums = fx_reduce_sum(fx_sin(y), FX_AXES(0, 1, 2));
    out[0] = fx_jacobian(sums, FX_NODES(in[0]), false, NULL);
    for (int64_t i = 0; i < c->value_dim; i++)
        row[i] = fx_gradient(fx_reshape(fx_slice_axis(sums, 0, i, i + 1, 1), FX_DIMS()), FX_NODES(in[0]),
                             NULL);
    out[1] = fx_stack((fx_nodes){row, (size_t)c->value_dim}, 0);
}

static void test_one_batched(void **state) {
    (void)state;
    for (unsigned n = 640; n < 650; n++) {
        attention_case c = attention_draw(n, 4);
        fx_tensor *in[ATTENTION_INPUTS], *got[4];
        size_t count = attention_inputs(&c, n, in);
        for (size_t k = 0; k < (count + 1) * BACKENDS; k++) {
            const char *backend = backends[k % BACKENDS];
            const one_batched w = {c, k / BACKENDS, attention_floats(&c)};
            bool jacobian = w.which == count;
            attention_run(backend, jacobian ? jacobian_fn : one_batched_fn, &w.c, in, count, got,
                          jacobian ? 2 : 4);
            for (int i = 0; i < (jacobian ? 2 : 4); i += 2) {
                assert_near(&c, jacobian ? "Jacobian" : "one input batched", got[i], got[i + 1],
                            fx_tensor_size(got[i + 1]));
                fx_tensor_free(got[i]), fx_tensor_free(got[i + 1]);
            }
        }
        for (size_t i = 0; i < count; i++) fx_tensor_free(in[i]);
    }
}

/* ---- dropout ---- */

/* out: result, coefficients, coefficients times values, next state */
static void dropout_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out,
                       void *user) {
    fx_attention_options o = {.dropout_rate = *(const double *)user,
                              .random_state = fx_random_state(body, 5)};
    fx_node *next;
    (void)n_in;
    out[0] = fx_nn_attention(in[0], in[1], in[2], &o, &out[1], &next);
    if (n_out < 4) return;
    out[2] = fx_matmul(out[1], in[2]);
    out[3] = next;
}

static void test_dropout(void **state) {
    static const double rates[] = {0, 0.25, 1};
    (void)state;
    attention_case c = {.name = "dropout",
                        .batch = 2,
                        .heads = 2,
                        .key_heads = 2,
                        .queries = 20,
                        .keys = 30,
                        .dim = 4,
                        .value_dim = 4};
    for (int r = 0; r < 3; r++)
        for (int b = 0; b < BACKENDS; b++) {
            fx_tensor *in[3], *got[4];
            double rate = rates[r];
            attention_inputs(&c, 8, in);
            attention_run(backends[b], dropout_fn, (const attention_case *)(const void *)&rate, in, 3, got,
                          4);
            assert_near(&c, "result and product", got[0], got[2], fx_tensor_size(got[0]));
            int64_t dropped = 0, n = fx_tensor_size(got[1]);
            for (int64_t i = 0; i < n; i++) dropped += fx_tensor_get(got[1], i) == 0;
            assert_true(fabs((double)dropped / (double)n - rate) < 0.05); /* 5 deviations of 2400 draws */
            assert_int_equal(fx_tensor_get_int(got[3], 1) != 0, rate > 0 && rate < 1);
            for (int i = 0; i < 4; i++) fx_tensor_free(got[i]);
            for (int i = 0; i < 3; i++) fx_tensor_free(in[i]);
        }
    double rate = 0.4;
    c.queries = c.keys = 3;
    derivative_case d = {.name = "dropout", .fn = dropout_fn, .user = &rate, .n_in = 3, .n_out = 2};
    attention_inputs(&c, 9, d.in);
    check_derivatives(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes),   cmocka_unit_test(test_extremes),
                                       cmocka_unit_test(test_lengths), cmocka_unit_test(test_infinite),
                                       cmocka_unit_test(test_batches), cmocka_unit_test(test_dropout),
                                       cmocka_unit_test(test_one_batched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
