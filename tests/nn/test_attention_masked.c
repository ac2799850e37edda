/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that are not seen are skipped: a NaN or Inf in a key and its value changes nothing for the queries
 * that do not see it, nor what passes back from them; queries that are not there hold anything. */
#include "support/attention_grid.h"
#include "support/derivatives.h"
#include "support/graph_helpers.h"
#include <math.h>

static const char *const backends[] = {"interp",
#if FLUXION_CPU
                                       "cpu"
#endif
};
enum { BACKENDS = sizeof backends / sizeof *backends };

/* out: the result, then the gradients. */
static void all_fn(fx_graph *body, fx_node *const *in, size_t n_in, fx_node **out, size_t n_out, void *user) {
    attention_fn(body, in, n_in - 1, out, 1, user);
    attention_gradients_fn(body, in, n_in, out + 1, n_out - 1, user);
}

typedef struct trial {
    attention_case c;
    fx_tensor *in[ATTENTION_INPUTS + 1]; /* and the adjoint */
    size_t n;
    fx_tensor *want[ATTENTION_INPUTS], *got[ATTENTION_INPUTS];
    size_t n_out;
    int64_t b, g, j; /* the key that is spoilt */
} trial;

static void begin(trial *t, unsigned n) {
    t->c = attention_draw(n, 6);
    fx_shape result = attention_result(&t->c);
    t->n = attention_inputs(&t->c, n, t->in);
    t->in[t->n++] = random_values(FX_F64, (fx_dims){result.dims, 4}, -1, 1, n + 77);
    t->n_out = 1 + attention_floats(&t->c);
    attention_run("interp", all_fn, &t->c, t->in, t->n, t->want, t->n_out);
}

static void end(trial *t) {
    for (size_t i = 0; i < t->n; i++) fx_tensor_free(t->in[i]);
    for (size_t i = 0; i < t->n_out; i++) fx_tensor_free(t->want[i]);
}

static int64_t place(const attention_case *c, int64_t heads, int64_t length, int64_t b, int64_t h,
                     int64_t i) {
    return c->o.layout == FX_ATTENTION_BSHD ? (b * length + i) * heads + h : (b * heads + h) * length + i;
}

static void spoil(fx_tensor *x, int64_t row, double value) {
    int64_t dim = fx_tensor_shape(x)->dims[3];
    double *v = fx_tensor_mutable_data(x);
    for (int64_t d = 0; d < dim; d++) v[row * dim + d] = value;
}

static void compare_rows(const trial *t, const char *where, size_t which, int64_t row, int64_t dim) {
    for (int64_t at = row * dim; at < row * dim + dim; at++) {
        double got = fx_tensor_get(t->got[which], at), want = fx_tensor_get(t->want[which], at);
        if (!(fabs(got - want) <= 1e-11))
            fail_msg("%s, %s, key %d: output %zu at %d: %.17g, not %.17g", t->c.name, where, (int)t->j, which,
                     (int)at, got, want);
    }
}

/* Whether some query sees the spoilt key and this one. */
static bool is_touched(const trial *t, int64_t b, int64_t g, int64_t k) {
    const attention_case *c = &t->c;
    int64_t group = c->heads / c->key_heads;
    if (b != t->b || g != t->g) return false;
    for (int64_t h = g * group; h < (g + 1) * group; h++)
        for (int64_t i = 0; i < c->queries; i++)
            if (attention_sees(c, t->in, b, h, i, t->j) && attention_sees(c, t->in, b, h, i, k)) return true;
    return false;
}

static void compare_clean(const trial *t, const char *where) {
    const attention_case *c = &t->c;
    int64_t group = c->heads / c->key_heads;
    for (int64_t b = 0; b < c->batch; b++)
        for (int64_t h = 0; h < c->heads; h++)
            for (int64_t i = 0; i < c->queries; i++) {
                if (b == t->b && h / group == t->g && attention_sees(c, t->in, b, h, i, t->j)) continue;
                compare_rows(t, where, 0, place(c, c->heads, c->queries, b, h, i), c->value_dim);
                compare_rows(t, where, 1, place(c, c->heads, c->queries, b, h, i), c->dim);
            }
    for (int64_t b = 0; b < c->batch; b++)
        for (int64_t g = 0; g < c->key_heads; g++)
            for (int64_t k = 0; k < c->keys; k++) {
                if (is_touched(t, b, g, k)) continue;
                compare_rows(t, where, 2, place(c, c->key_heads, c->keys, b, g, k), c->dim);
                compare_rows(t, where, 3, place(c, c->key_heads, c->keys, b, g, k), c->value_dim);
            }
    for (size_t i = 4; !is_touched(t, t->b, t->g, t->j) && i < t->n_out; i++)
        compare_rows(t, where, i, 0, fx_tensor_size(t->want[i]));
}

static void run_all(trial *t) {
    for (int i = 0; i < BACKENDS; i++)
        for (int plain = 0; plain < 2; plain++) {
            t->c.o.disable_fusion = plain;
            attention_run(backends[i], all_fn, &t->c, t->in, t->n, t->got, t->n_out);
            compare_clean(t, backends[i]);
            for (size_t k = 0; k < t->n_out; k++) fx_tensor_free(t->got[k]);
        }
}

static void test_keys(void **state) {
    static const double values[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    (void)state;
    for (unsigned n = 300; n < 360; n++) {
        trial t;
        begin(&t, n);
        if (t.c.keys > 0) {
            t.b = n % t.c.batch;
            t.g = n / 2 % t.c.key_heads;
            t.j = n / 3 % t.c.keys;
            spoil(t.in[1], place(&t.c, t.c.key_heads, t.c.keys, t.b, t.g, t.j), values[n % 3]);
            spoil(t.in[2], place(&t.c, t.c.key_heads, t.c.keys, t.b, t.g, t.j), values[n / 3 % 3]);
            run_all(&t);
        }
        end(&t);
    }
}

/* Queries beyond the length, and the adjoints of their results. */
static void test_queries(void **state) {
    (void)state;
    unsigned tried = 0;
    for (unsigned n = 400; tried < 20; n++) {
        trial t;
        if (!attention_draw(n, 6).query_lengths) continue;
        tried++;
        begin(&t, n);
        const fx_tensor *lengths =
            t.in[attention_floats(&t.c) + (t.c.mask.dtype == FX_BOOL && t.c.mask.rank > 0)];
        for (int64_t b = 0; b < t.c.batch; b++)
            for (int64_t i = t.c.queries - 1; i >= 0 && i >= fx_tensor_get_int(lengths, b); i--)
                for (int64_t h = 0; h < t.c.heads; h++) {
                    spoil(t.in[0], place(&t.c, t.c.heads, t.c.queries, b, h, i), (double)NAN);
                    spoil(t.in[t.n - 1], place(&t.c, t.c.heads, t.c.queries, b, h, i), (double)NAN);
                }
        t.b = -1;
        run_all(&t);
        end(&t);
    }
}

/* What an Inf or NaN does to those that see it is what the formula says. */
static void test_seen(void **state) {
    (void)state;
    attention_case c = {.name = "seen",
                        .batch = 1,
                        .heads = 1,
                        .key_heads = 1,
                        .queries = 3,
                        .keys = 3,
                        .dim = 1,
                        .value_dim = 3,
                        .o = {.causal = true}};
    double q[3] = {1, 1, 1}, k[3] = {0, 0, 0};
    double v[9] = {1, 1, 1, (double)INFINITY, 1, (double)NAN, -(double)INFINITY, -(double)INFINITY, 2};
    for (int i = 0; i < 2 * BACKENDS; i++) {
        fx_tensor *in[] = {fx_tensor_from(FX_HOST(q, 1, 1, 3, 1), FX_MUST),
                           fx_tensor_from(FX_HOST(k, 1, 1, 3, 1), FX_MUST),
                           fx_tensor_from(FX_HOST(v, 1, 1, 3, 3), FX_MUST)},
                  *got;
        c.o.disable_fusion = i % 2;
        attention_run(backends[i / 2], attention_fn, &c, in, 3, &got, 1);
        assert_string_equal(fx_tensor_text(got).s,
                            "[1][1][3][3]float64{{{{1, 1, 1}, {Inf, 1, NaN}, {NaN, -Inf, NaN}}}}");
        fx_tensor_free(got);
        for (int t = 0; t < 3; t++) fx_tensor_free(in[t]);
    }
}

/* A query of Inf gives NaN of either sign, which must not be taken for a key that is not seen: its own result
 * and derivative are NaN, and those of all keys and values it sees, with a mask too. */
static void test_infinite_query(void **state) {
    (void)state;
    enum { OUTPUTS = 4 };
    static const char *const want[OUTPUTS] = {
        "[1][1][2][1]float64{{{{NaN}, {2}}}}", "[1][1][2][1]float64{{{{NaN}, {0}}}}",
        "[1][1][2][1]float64{{{{NaN}, {NaN}}}}", "[1][1][2][1]float64{{{{NaN}, {NaN}}}}"};
    attention_case c = {.name = "infinite", .batch = 1, .heads = 1, .key_heads = 1, .dim = 1, .value_dim = 1};
    c.queries = c.keys = 2;
    double q[2] = {(double)INFINITY, 1}, k[2] = {1, 1}, v[2] = {2, 2}, adjoint[2] = {1, 1};
    for (int i = 0; i < 4 * BACKENDS; i++) {
        fx_tensor *in[] = {fx_tensor_from(FX_HOST(q, 1, 1, 2, 1), FX_MUST),
                           fx_tensor_from(FX_HOST(k, 1, 1, 2, 1), FX_MUST),
                           fx_tensor_from(FX_HOST(v, 1, 1, 2, 1), FX_MUST),
                           fx_tensor_from(FX_HOST(adjoint, 1, 1, 2, 1), FX_MUST)},
                  *got[OUTPUTS];
        c.o.disable_fusion = i % 2;
        c.o.window = i / 2 % 2 ? 2 : 0;
        attention_run(backends[i / 4], all_fn, &c, in, OUTPUTS, got, OUTPUTS);
        for (int t = 0; t < OUTPUTS; t++) assert_string_equal(fx_tensor_text(got[t]).s, want[t]);
        for (int t = 0; t < OUTPUTS; t++) fx_tensor_free(got[t]), fx_tensor_free(in[t]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys), cmocka_unit_test(test_queries),
                                       cmocka_unit_test(test_seen), cmocka_unit_test(test_infinite_query)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
